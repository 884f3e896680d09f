"""Disclosure levels: a marking without the fields that a level does not show. The levels are score, rows, first, hint,
formula and key, each of which shows more.

Everything that is printed of a marking goes through here, so that no format can show more than another.
"""

from __future__ import annotations

from ..errors import Span
from .model import DISCLOSURES, GOOD, Mark, Marking

SCORE, ROWS, FIRST, HINT, FORMULA, KEY = range(len(DISCLOSURES))

# Verdicts that say something of the answer itself, not of what would be right.
_PLAIN_TO_SEE = frozenset({"missing", "unreadable", "extra", "superseded"})


def is_right(mark: Mark) -> bool:
    """Return whether a row counts as right: its number is right, however it was reached and with however few digits."""
    return mark.verdict in GOOD


def costs_marks(marking: Marking, index: int) -> bool:
    """Return whether the mark number `index` of `marking` belongs to a quantity that has less than all its marks.

    False for a mark that no quantity has in its `rows` (an extra row), and if all quantities that have it have full
    marks, as with a missing step that is worth 0, or that a later row shows. True for every index if `marking` has no
    quantities, as in a redacted marking, from which marks that cost nothing are already removed.
    """
    lacking = (index in each.rows for each in marking.quantities if each.earned != each.possible)
    return not marking.quantities or any(lacking)


def redact(marking: Marking, level: int) -> Marking:
    """Return the marking without the fields that are not shown at a disclosure `level`; hidden fields are empty.

    What each level shows, with all that the levels below it show:
    - 0: the verdict and the points of the whole, no marks (`task`, `answer` and `problem` always stay);
    - 1: for each row, with its line instead of its span, `correct` (from correct, rounding, does_not_follow, precision)
      or `error` (from all else, also carried); missing, unreadable, extra and superseded rows keep their verdict;
      missing rows that cost no marks (`costs_marks`) are left out;
    - 2: `first`, the index of the first wrong row in the marks that are shown, None if it is not shown;
    - 3: all marks with spans, verdicts, slips, feedback and what they earn, and `quantities`;
    - 4: the expected formulas;
    - 5: everything (`marking` itself).

    Levels below 0 count as 0, above 5 as 5. The feedback on unreadable rows is shown from level 1 on.
    """
    if level >= KEY:
        return marking
    if level <= SCORE:
        return marking._replace(marks=(), first=None, quantities=())
    is_detailed = level >= HINT
    marks = enumerate(marking.marks)
    shown = [k for k, mark in marks if is_detailed or mark.span is not None or costs_marks(marking, k)]
    redacted = tuple(_redact_mark(marking.marks[index], level) for index in shown)
    first = shown.index(marking.first) if level >= FIRST and marking.first in shown else None
    return marking._replace(marks=redacted, first=first, quantities=marking.quantities if is_detailed else ())


def _redact_mark(mark: Mark, level: int) -> Mark:
    """Return a mark without the fields that are not shown at disclosure `level` 1 to 4.

    Level 4 hides `key`, level 3 also `expected`. Levels 1 and 2 show the row, its kind, and its line instead of its
    span; the verdict is `correct` if `is_right`, else `error`. Missing, unreadable, extra and superseded rows keep
    their verdict, unreadable ones their feedback too. All other fields are empty.
    """
    if level >= FORMULA:
        return mark._replace(key="")
    if level >= HINT:
        return mark._replace(key="", expected="")
    plain = mark.verdict in _PLAIN_TO_SEE
    verdict = mark.verdict if plain else "correct" if is_right(mark) else "error"
    span = None if mark.span is None else _line(mark.span)
    feedback = mark.feedback if mark.verdict == "unreadable" else ""
    return Mark(mark.row, mark.kind, verdict, span, formula="", number="", feedback=feedback)


def _line(span: Span) -> Span:
    """Return the first line that a span is on, as a span; the part of the line would be a hint."""
    source = span.source
    start = source.text.rfind("\n", 0, span.start) + 1
    end = source.text.find("\n", start)
    return Span(start, end if end >= 0 else len(source.text), source)
