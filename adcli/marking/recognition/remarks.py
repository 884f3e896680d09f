"""Remarks: crossed rows in sentences that are not understood, or about other values of the inputs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import compress
from operator import not_

from ...answers.answer_model import VALUE, Answer, Entry, LeftOut, Quantity, Task
from ...answers.collector import LINES
from ...answers.row_tokens import names_in
from ...answers.stated_numbers import CORRECTS, WORD_USES
from ...errors import Span
from ..model import CROSSED, Marking

_REMARK = "a remark that is not understood, or is about other values; another row counts"
_SHORTEST = 3  # letters of a word that makes a sentence a remark
_USUAL = (
    "answer final solution function gradient partial derivative derivatives slope adjoint tangent rule chain respect "
    "antwort ergebnis endergebnis lösung wert funktion gradienten ableitung partielle steigung der den dem von nach "
    "réponse résultat valeur fonction dérivée partielle pente les des par rapport "
    "respuesta resultado solución valor función derivada parcial pendiente los del las respecto"
)


def without_remarks(marking: Marking) -> Answer | None:
    """Return the marked answer without its remarks, which are added to `left_out`; None if it has none.

    Remarks are rows in doubtful lines (`_doubtful_lines`): inputs, and quantities that have a row in another line.
    """
    lines, answer = _doubtful_lines(marking), marking.answer
    if not lines or answer is None:
        return None
    known = {entry.quantity for entry in answer.entries if entry.line not in lines} | _inputs(marking.task)
    is_remark = [entry.line in lines and entry.quantity in known for entry in answer.entries]
    remarks = (Span(e.span.start, _end_in_line(e), e.span.source) for e in compress(answer.entries, is_remark))
    kept = tuple(compress(answer.entries, map(not_, is_remark)))
    return answer._replace(entries=kept, left_out=(*answer.left_out, *(LeftOut(span, _REMARK) for span in remarks)))


def _doubtful_lines(marking: Marking) -> set[int]:
    """Return the numbers of the lines of a wrong answer whose crossed or carried rows may be remarks.

    Such a line has an unusual word and none that corrects a number (`_has_unusual_word`), or it gives an input another
    value (`_is_elsewhere`) or is below one that does.
    """
    lines = {mark.line for mark in marking.marks if mark.verdict in (*CROSSED, "carried")}
    entries = marking.answer.entries if marking.answer is not None and marking.verdict == "wrong" else ()
    crossed = [entry for entry in entries if entry.line in lines]
    given = [entry for entry in crossed if entry.quantity in _inputs(marking.task)]
    first = min((entry.line for entry in given if _is_elsewhere(entry, entries, lines)), default=LINES + 1)
    return {entry.line for entry in crossed if entry.line >= first or _has_unusual_word(entry, entries)}


def _inputs(task: Task) -> set[Quantity]:
    return {Quantity(VALUE, name) for name in task.at}


def _is_elsewhere(entry: Entry, entries: Sequence[Entry], lines: Collection[int | None]) -> bool:
    """Return whether a crossed row of an input is about another point: a quantity of its line or the next one has a row
    above or outside of the crossed `lines`, or its line has an unusual word.
    """
    above = {other.quantity for other in entries if other.line < entry.line or other.line not in lines}
    below = {other.quantity for other in entries if 0 <= other.line - entry.line <= 1}
    return bool(above & below) or _has_unusual_word(entry, entries, but_for_corrections=False)


def _has_unusual_word(entry: Entry, entries: Sequence[Entry], *, but_for_corrections: bool = True) -> bool:
    """Return whether a word outside of the rows in the line of `entry` is none of those that usually lead to a number.

    False if another word there corrects a number, unless not `but_for_corrections`.
    """
    text = entry.source.text
    for other in entries:
        if other.line == entry.line:
            end = _end_in_line(other)
            text = f"{text[: other.span.start]}{' ' * (end - other.span.start)}{text[end:]}"
    words = [word.lower() for word in names_in(text) if len(word) >= _SHORTEST and word[0] != "\\"]
    corrects = but_for_corrections and any(WORD_USES.get(word) == CORRECTS for word in words)
    return not corrects and not set(words) <= {*WORD_USES, *_USUAL.split()}


def _end_in_line(entry: Entry) -> int:
    """Return where the last piece of a row ends, or its symbol if no piece is in the same line."""
    return max(
        each.end for each in (entry.span, *(piece.span for piece in entry.pieces)) if each.source is entry.span.source
    )
