"""Marks of an answer: the lines that are shown, the words for verdicts and the score. A mark is the verdict on one row
of the answer (carried: right, but it follows from an error), a quantity a value or derivative that earns marks.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from decimal import Decimal
from fractions import Fraction

from ..errors import Span, sentence, visible
from ..grammar_files import read_sections
from ..marking.disclosure import costs_marks, is_right
from ..marking.model import Mark, Marking
from ..marking.task import task_text
from ..notation.number_text import with_and
from ..records import NamedTuple, grouped


class Look(NamedTuple):
    """The look of a verdict: its sign, its words, and its tone (good, fair, bad; empty for what does not count)."""

    sign: str
    words: str
    tone: str


_LINES = [[cell.strip() for cell in line.split("  ") if cell] for line in read_sections("verdicts.txt")["verdicts"]]
LOOKS = {verdict: Look(sign, words, "".join(tone)) for verdict, sign, words, *tone in filter(None, _LINES)}
HEADLINE_TONES = {"right": "good", "incomplete": "fair", "wrong": "bad", "not_gradable": "bad"}  # by verdict
_RANK = {verdict: rank for rank, verdict in enumerate(LOOKS)}
_LONGEST_QUOTE, _MOST_QUOTES = 60, 12  # characters of a part that is not counted, and how many are listed
_MOST_NAMES, _MOST_IN_HEADLINE = 12, 4  # names of quantities that a sentence, and the headline, list
_PARTS = {Fraction(0): "", Fraction(1, 4): "¼", Fraction(1, 2): "½", Fraction(3, 4): "¾"}
_FAR = 3  # lines without rows that are shown one after the other


class MarkedLine(NamedTuple):
    """A line of the answer as it is shown: its number from 1, its text, the indices of its marks, and remarks on the
    parts of it that are not counted.

    Number 0 and the text `…` are for a gap: lines between that are left out.
    """

    number: int
    text: str
    marks: tuple[int, ...] = ()
    uncounted: tuple[str, ...] = ()


def assumptions(marking: Marking) -> tuple[str, ...]:
    """Return the sentences on what was assumed in reading the answer; () if the answer could not be read.

    A sentence `line 3: …` on a line of which nothing is counted is left out, if other lines have marks."""
    if marking.answer is None:
        return ()
    marked = {f"line {mark.line}" for mark in marking.marks if mark.span is not None}
    left_out = {f"line {part.line}" for part in marking.answer.left_out} - marked
    return tuple(note for note in marking.answer.notes if not marked or note.partition(":")[0] not in left_out)


def lines(marking: Marking) -> list[MarkedLine]:
    """Return the lines of the answer to show, by number; [] if there are no marks (rows are not disclosed).

    They are the lines with marks, those with parts that are not counted, and lines between them. A mark belongs to the
    line on which its place starts. Each of the first 12 parts that are not counted gives its line a remark, `not
    counted: reason`, or, on a line with marks, if the part is less than the whole line, `TEXT is not counted: reason`
    with at most 60 characters of it. A reason that the part before has, too, is `as above`; on a line without marks
    such parts have one remark. Up to 3 lines between two shown ones are shown without marks, except blank ones. A
    longer gap is one line `…` with number 0.
    """
    indices_by_line: dict[tuple[int, str], list[int]] = {}
    uncounted: dict[tuple[int, str], list[str]] = {}
    for index, mark in enumerate(marking.marks):
        if mark.span is not None:
            indices_by_line.setdefault(line_of(mark.span), []).append(index)
    parts = marking.answer.left_out if marking.answer is not None and marking.marks else ()
    previous = ""
    for part in parts[:_MOST_QUOTES]:
        line = line_of(part.span)
        is_part = line in indices_by_line and not part.text.startswith(" ".join(line[1].split()))
        quote = f"{part.text[:_LONGEST_QUOTE]}{'…' * (len(part.text) > _LONGEST_QUOTE)} is " if is_part else ""
        is_repeated, previous = part.why == previous, part.why
        remarks_on_line = uncounted.setdefault(line, [])
        if quote or not is_repeated or not remarks_on_line:
            remarks_on_line.append(f"{quote}not counted: {'as above' if is_repeated else part.why}")
    out: list[MarkedLine] = []
    written = marking.answer.lines if marking.answer is not None else ()
    for line in sorted({*indices_by_line, *uncounted}):
        if out:
            out += _lines_between(written, out[-1].number, line[0])
        out.append(MarkedLine(*line, tuple(indices_by_line.get(line, ())), tuple(uncounted.get(line, ()))))
    return out


def line_of(span: Span) -> tuple[int, str]:
    """Return (number from 1, text) of the line on which the span starts."""
    source = span.source
    number = source.position(span.start)[0]
    return number, source.shown.split("\n")[number - source.first_line]


def _lines_between(written: Sequence[str], above: int, below: int) -> list[MarkedLine]:
    """Return the non-blank lines of `written` between lines `above` and `below` (counted from 1, both excluded), for
    display.

    If more than three lines lie between, blank ones counted, it is one gap `…` with number 0. Lines past the end are
    left out.
    """
    if below - above - 1 > _FAR:
        return [MarkedLine(0, "…")]
    between = enumerate(written[above : below - 1], above + 1)
    return [MarkedLine(number, text) for number, text in between if text.strip()]


def missing(marking: Marking) -> list[int]:
    """Return the indices of the marks that have no place in the answer and belong to a quantity without full marks: the
    rows to be shown as missing. If quantities are not disclosed, all marks without a place count.
    """
    return [index for index, mark in enumerate(marking.marks) if mark.span is None and costs_marks(marking, index)]


def _more_uncounted(marking: Marking) -> str:
    """Return the sentence with the number of uncounted parts beyond the first 12, which have remarks; empty if there
    are none.
    """
    more = len(marking.answer.left_out) - _MOST_QUOTES if marking.answer is not None and marking.marks else 0
    return f"{more} more parts of the answer are not counted." if more > 0 else ""


def worst_mark(marks: Sequence[Mark]) -> Mark:
    """Return the mark with the worst verdict, by the order of LOOKS; it decides the sign of its line. Needs at least
    one mark.
    """
    return max(marks, key=lambda mark: _RANK[mark.verdict])


def is_underlined(marking: Marking, index: int) -> bool:
    """Return whether the text of the row at `index` of the marks is underlined.

    True if the row is in the answer, its verdict is not "correct", and its feedback is shown (is among its `comments`).
    """
    mark = marking.marks[index]
    is_commented = mark.feedback and mark.verdict != "correct" and mark.feedback in comments(marking, index)
    return mark.span is not None and bool(is_commented)


def remarks(marking: Marking, index: int) -> list[str]:
    """Return the sentences about the row `index`, in order: `the first error` (`v3 is the first error` if it has no
    feedback), its feedback, the disclosed solution.

    An unreadable or missing row is never called the first error. A row without feedback has the sentence `… is missing`
    instead if it is not in the answer, and no sentence if it is. `expected: formula` and `number: value` follow, each
    if it is disclosed, unless the verdict is correct, rounding, does_not_follow or precision (`is_right`).
    """
    mark = marking.marks[index]
    sentences = [mark.feedback] if mark.feedback else [f"{mark.row} is missing"] if mark.span is None else []
    if index == marking.first and mark.verdict not in ("unreadable", "missing"):
        sentences.insert(0, "the first error" if sentences else f"{mark.row} is the first error")
    if not is_right(mark):
        sentences += [f"{name}: {text}" for name, text in (("expected", mark.expected), ("number", mark.key)) if text]
    return sentences


def comments(marking: Marking, index: int) -> list[str]:
    """Return the remarks about the row `index` for reports that show its sign next to them.

    They are those of `remarks` (first error, feedback, disclosed solution) without the feedback of a row that is right
    within its rounding, or that follows from an error and earns marks: there the feedback only repeats what the sign
    means.
    """
    mark = marking.marks[index]
    plain = mark.verdict == "rounding" or (mark.verdict == "carried" and bool(mark.earned))
    sentences = remarks(marking, index)
    return [each for each in sentences if each != mark.feedback] if plain else sentences


def comments_by_line(marking: Marking, shown: Sequence[MarkedLine]) -> dict[int, list[str]]:
    """Return {index of a mark: its comments} for the marks on the lines `shown`.

    A comment whose text after `name: ` was made on an earlier line is `name: as in line 3`."""
    seen: dict[str, int] = {}
    by_index: dict[int, list[str]] = {}
    for line in shown:
        for index in line.marks:
            by_index[index] = []
            for comment in comments(marking, index):
                row, _, text = comment.partition(": ")
                before = seen.setdefault(text, line.number)
                is_repeated = text and before != line.number
                by_index[index].append(f"{row}: as in line {before}" if is_repeated else comment)
    return by_index


def line_score(marking: Marking, indices: Container[int]) -> str:
    """Return the marks of the quantities whose last row is among `indices` (those of marks), as `1½ of 2`: earned of
    possible, added up.

    Empty if there is no such quantity that is worth marks, or if quantities are not disclosed. Each quantity counts for
    one row only, so that the scores of all lines add up to that of the problem.
    """
    counted = [each for each in marking.quantities if each.rows and each.rows[-1] in indices and each.possible]
    sums = (sum((each.earned for each in counted), Fraction(0)), sum((each.possible for each in counted), Fraction(0)))
    return score(*sums) if counted else ""


def _possible_marks(marking: Marking) -> str:
    """Return `Possible marks: 2 each for a and b; 1 for c.`, largest marks first, whatever the answer earned.

    Quantities have the student's names where these are known; steps of one name are added up. Quantities worth nothing
    are left out. Of those with equal marks the first 12 are named, the others counted (`and 3 more`). Return "" if
    there is at most one quantity, if none is worth marks, or if quantities are not disclosed.
    """
    totals: dict[str, Fraction] = {}
    for each in (each for each in marking.quantities if each.possible):
        name = each.written or each.quantity
        totals[name] = totals.get(name, Fraction(0)) + each.possible
    names = grouped((possible, name) for name, possible in totals.items())
    groups = sorted(names.items(), reverse=True)
    worth = [f"{points(x)} {'each ' * (len(group) > 1)}for {_list_names(group)}" for x, group in groups]
    return f"Possible marks: {'; '.join(worth)}." if worth and len(marking.quantities) > 1 else ""


def _list_absent(marking: Marking) -> str:
    """Return `Not shown: a and b (0 of 3).` for the quantities that are worth marks and have no row in the answer.

    A name is the student's, or without one that of the quantity; at most 12 are named. Return "" if there are no such
    quantities, or if the headline lists them: at most 4 of them.
    """
    absent = [each for each in marking.quantities if not each.rows and each.possible]
    if len(absent) <= _MOST_IN_HEADLINE:
        return ""
    names = dict.fromkeys(each.written or each.quantity for each in absent)
    worth = score(Fraction(0), sum((each.possible for each in absent), Fraction(0)))
    return f"Not shown: {_list_names([*names])} ({worth})."


def explanations(marking: Marking, *, worth: bool = True) -> list[str]:
    """Return the sentences below the rows, without empty ones.

    In this order they say what the less usual signs of rows mean, which quantities are not shown, what each is worth
    (only with `worth`, and if there are several), and how many parts beyond the first 12 are not counted.
    """
    possible = _possible_marks(marking) if worth else ""
    return [text for text in (_legend(marking), _list_absent(marking), possible, _more_uncounted(marking)) if text]


def _legend(marking: Marking) -> str:
    """Return sentences on signs that nothing else explains; "" without any.

    They are those of rows that follow from an error and earn marks, and of half-right rows without feedback."""
    carried = any(mark.verdict == "carried" and mark.earned for mark in marking.marks)
    texts = [f"{LOOKS['carried'].sign} follows from an error in another row; the step itself is right."] * carried
    verdicts = {mark.verdict for mark in marking.marks if not mark.feedback}
    others = (LOOKS[verdict] for verdict in ("precision", "formula") if verdict in verdicts)
    return " ".join([*texts, *(f"{look.sign} {look.words}." for look in others)])


def _list_names(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Return the names as `a, b and c`; if there are two more than `most`, or still more, the first `most` and
    the number of the others: `a, b and 3 more`.
    """
    more = len(names) - most
    return f"{', '.join(names[:most])} and {more} more" if more > 1 else with_and(names)


def heading(marking: Marking, place: int | None = None) -> str:
    """Return `name: problem`, with the name of `problem_name` (`place` is the position among several problems, from 1,
    or None); the problem alone if the name is empty.
    """
    name = problem_name(marking, place)
    return (f"{name}: " if name else "") + visible(task_text(marking.task, with_data=True))


def problem_name(marking: Marking, place: int | None = None) -> str:
    """Return the name of the problem: its label, `Problem 2` if that is a number.

    A task without a label is named by `place`, its position among several problems, from 1; without that (None) the
    name is empty.
    """
    label = marking.task.label or (str(place) if place is not None else "")
    return f"Problem {label}" if label.isdecimal() else visible(label)


def points(value: Fraction) -> str:
    """Return a number of marks as people write it: `8`, `3½`, `¾`, `2.33`.

    Whole numbers and quarters are written with fractions. Other numbers are rounded to two decimals, without final
    zeros. A number that would round to 0 has two significant digits instead, `0.00033`.
    """
    whole, rest = divmod(value, 1)
    if rest in _PARTS:
        return f"{whole}{_PARTS[rest]}" if whole or not rest else _PARTS[rest]
    text = f"{float(value):.2f}".rstrip("0").rstrip(".")
    return text if float(text) else f"{Decimal(f'{float(value):.2g}'):f}"


def score(earned: Fraction, possible: Fraction) -> str:
    """Return `8½ of 10`: the marks earned of the marks possible."""
    return f"{points(earned)} of {points(possible)}"


def summary(marking: Marking) -> str:
    """Return the headline of a marked answer, one line.

    Not gradable: `Not gradable: reason`. Right: `Correct: 4 of 4 marks.` Incomplete: `Correct so far: 2 of 4 marks.`
    and what is still to show. Else `2 of 4 marks: 1 error; ….`, with the counts of errors, wrong formulas and rows that
    follow, and what is still to show. Counts are left out if rows or quantities are not disclosed: `2 of 4 marks.`
    """
    if marking.problem is not None:
        return f"Not gradable: {sentence(marking.problem.title)}"
    marks = f"{score(marking.earned, marking.possible)} mark{'s' * (marking.possible != 1)}"
    if marking.verdict == "right":
        return f"Correct: {marks}."
    if marking.verdict == "incomplete":
        return f"Correct so far: {marks}." + _still_to_show(marking)
    rows = _wrong_rows(marking) if marking.quantities else ""
    return f"{marks}: {rows}.{_still_to_show(marking)}" if rows else f"{marks}."


def _still_to_show(marking: Marking) -> str:
    """Return the sentences ` Still to show: a.` and ` More digits: b.`; if neither applies to an incomplete
    answer ` Not counted: c.`

    The first names quantities that are missing or unreadable, the second those with too few digits, the third rows that
    are not part of the problem. Each name is listed once, as the student wrote it, or without that the name of the
    quantity. Quantities with most marks come first, rows are in the order of the marks; after 4 names the others are
    counted (`and 3 more`). Quantities without possible marks are left out. Return "" if nothing applies.
    """
    counted = sorted([each for each in marking.quantities if each.possible], key=lambda each: -each.possible)
    lacks = {"Still to show": ("missing", "unreadable"), "More digits": ("precision",)}
    names = {what: [x.written or x.quantity for x in counted if x.verdict in kinds] for what, kinds in lacks.items()}
    if marking.verdict == "incomplete" and not any(names.values()):
        names = {"Not counted": [mark.row for mark in marking.marks if mark.verdict == "extra"]}
    listed = [(what, _list_names([*dict.fromkeys(lacking)], _MOST_IN_HEADLINE)) for what, lacking in names.items()]
    return "".join(f" {what}: {lacking}." for what, lacking in listed if lacking)


def _wrong_rows(marking: Marking) -> str:
    """Return the counts of rows as `1 error; 1 wrong formula or equation; 2 rows follow from them`.

    These are the rows with the verdicts error and formula; of carried ones their lines, without those that have one of
    the others. Parts with 0 are left out; "" if all are 0. Rows follow `from it` if errors and wrong formulas together
    are one, otherwise `from them`.
    """
    rows = grouped((mark.verdict, mark.line) for mark in marking.marks)
    errors, formulas = (len(rows.get(verdict, ())) for verdict in ("error", "formula"))
    carried = len({*rows.get("carried", ())} - {*rows.get("error", ()), *rows.get("formula", ())})
    parts = [f"{errors} error{'s' * (errors > 1)}"] if errors else []
    parts += [f"{formulas} wrong formula{'s' * (formulas > 1)} or equation{'s' * (formulas > 1)}"] if formulas else []
    if carried:
        source = "it" if errors + formulas == 1 else "them"
        parts.append(f"{carried} row{'s' * (carried > 1)} follow{'s' * (carried == 1)} from {source}")
    return "; ".join(parts)
