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
from ...numbers.double_intervals import SPREAD
from ..model import CROSSED, Marking
from ..programs.resolving import mentions
from .matching import value_of

_REMARK = "a remark that is not understood, or is about other values; another row counts"
_BESIDE = "a computation that the problem does not have and no other row uses"
_CLOSE = 1e-9  # of two values by formulas
_SHORTEST = 3  # letters of a word that makes a sentence a remark
_USUAL = (
    "let given take set put suppose using use where point input inputs start sei setze punkt soit pose sea punto "
    "answer final solution function gradient partial derivative derivatives slope adjoint tangent rule chain respect "
    "antwort ergebnis endergebnis lösung wert funktion gradienten ableitung partielle steigung der den dem von nach "
    "réponse résultat valeur fonction dérivée partielle pente les des par rapport "
    "respuesta resultado solución valor función derivada parcial pendiente los del las respecto"
)


def without_remarks(marking: Marking) -> Answer | None:
    """Return the marked answer without its remarks, which are added to `left_out`; None if it has none.

    Remarks are rows in doubtful lines (`_doubtful_lines`), of inputs, of quantities that have a row in another line,
    and rules such as `s' = s(1-s)`; and, if no mode asks for steps, true computations beside the problem (`_is_beside`)
    that no slip explains.
    """
    answer = marking.answer
    if answer is None:
        return None
    entries, doubtful = answer.entries, _doubtful_lines(marking, answer.entries)
    known = {entry.quantity for entry in entries if entry.line not in doubtful} | _inputs(marking.task)
    known |= {entry.quantity for entry in entries if _is_rule(entry, marking.task)}
    beside = _computed_beside(marking, entries)
    reasons = [
        _BESIDE if e.quantity in beside else _REMARK if e.line in doubtful and e.quantity in known else ""
        for e in entries
    ]
    kept = tuple(compress(entries, map(not_, reasons)))
    spans = (Span(e.span.start, _end_in_line(e), e.span.source) for e in entries)
    left_out = (LeftOut(span, why) for span, why in zip(spans, reasons, strict=True) if why)
    return answer._replace(entries=kept, left_out=(*answer.left_out, *left_out)) if any(reasons) else None


def _computed_beside(marking: Marking, entries: Sequence[Entry]) -> set[Quantity]:
    """Return the quantities of crossed rows that are computed beside the problem; an empty set if a mode asks for
    steps.
    """
    lines = {mark.line for mark in marking.marks if mark.verdict == "error" and not mark.slips}
    crossed = [entry for entry in entries if entry.line in lines and marking.task.mode is None]
    return {entry.quantity for entry in crossed if _is_beside(entry, entries, marking.task)}


def _is_beside(entry: Entry, entries: Sequence[Entry], task: Task) -> bool:
    """Return whether a row computes what neither the problem nor a formula of another row has: `beta = v/c = 0.6`.

    Those of its pieces that have a value by the inputs, at least one, must be equal. Its name has only letters, and is
    not next to that of another row in the alphabet.
    """
    name, graph = entry.quantity.name, task.program.graph
    rows = {each.quantity.name for each in entries if each is not entry}
    taken = rows.union(mentions(entries, ()), graph.inputs.values(), dict(graph.outputs), graph.aliases.values())
    beside = {chr(ord(name) + step) for step in (-1, 1)} if len(name) == 1 else ()
    is_own = entry.quantity.kind == VALUE and name.isalpha() and name not in taken and rows.isdisjoint(beside)
    return is_own and _is_true(entry, task)


def _is_true(entry: Entry, task: Task) -> bool:
    """Return whether those pieces of a row that have a value at the point of `task` are equal; False if none has."""
    point = {own: SPREAD.number(value) for own, value in task.at.items()}
    values = [value.middle for piece in entry.pieces if (value := value_of(piece, point)) is not None]
    unit = max((float(piece.number.unit) for piece in entry.pieces if piece.number is not None), default=0)
    return bool(values) and max(values) - min(values) <= unit / 2 + _CLOSE


def _doubtful_lines(marking: Marking, entries: Sequence[Entry]) -> set[int]:
    """Return the numbers of the lines of a wrong answer whose crossed or carried rows may be remarks.

    Such a line gives an input another value (`_is_elsewhere`) or is below one that does, or it has a rule (`_is_rule`)
    in a sentence. A value in words alone is no remark: it would be a second guess that costs nothing.
    """
    lines = {mark.line for mark in marking.marks if mark.verdict in (*CROSSED, "carried")}
    crossed = [entry for entry in entries if entry.line in lines]
    given = [entry for entry in crossed if entry.quantity in _inputs(marking.task)]
    first = min((entry.line for entry in given if _is_elsewhere(entry, entries, lines)), default=LINES + 1)
    rules = [entry for entry in crossed if _is_rule(entry, marking.task) and _has_unusual_word(entry, entries)]
    return {entry.line for entry in crossed if entry.line >= first}.union(entry.line for entry in rules)


def _is_rule(entry: Entry, task: Task) -> bool:
    """Return whether a row without a number gives the derivative of a step by that step alone, `s' = s(1-s)`, and the
    task does not ask for tangents.
    """
    own = Quantity(VALUE, entry.quantity.name)
    is_step = entry.quantity.kind != VALUE and own not in _inputs(task) and task.mode in ("reverse", None)
    return is_step and set(entry.symbols) == {own} and all(piece.number is None for piece in entry.pieces)


def _inputs(task: Task) -> set[Quantity]:
    return {Quantity(VALUE, name) for name in task.at}


def _is_elsewhere(entry: Entry, entries: Sequence[Entry], lines: Collection[int | None]) -> bool:
    """Return whether a crossed row of an input is about another point: a quantity of its line or the next one has
    another row above or outside of the crossed `lines`, or it is in a line with an unusual word below all other rows.

    `Let y = 6` above the steps is a wrong input.
    """
    elsewhere = [other for other in entries if other.line < entry.line or other.line not in lines]
    below = [other for other in entries if 0 <= other.line - entry.line <= 1]
    has_others = any(one.quantity == other.quantity and one is not other for one in below for other in elsewhere)
    is_last = all(other.line <= entry.line for other in entries if other.line not in lines)
    return has_others or (is_last and _has_unusual_word(entry, entries, but_for_corrections=False))


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
