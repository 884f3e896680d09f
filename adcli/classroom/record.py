"""The record of a marking as plain data, and back: what workers send and what an interrupted run reads again.

A named tuple becomes the list of its fields, in their order; those that JSON cannot hold are converted by a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from ..answers.answer_model import Answer, Entry, LeftOut, NotGradable, Numeral, Quantity, RowPiece, Task
from ..errors import AdcliError, Source, Span
from ..graph.graph import unpack
from ..marking.model import Mark, Marking, QuantityMark
from ..records import NamedTuple
from ..typings import Any, TypeVar, cast

Record = TypeVar("Record", bound=NamedTuple)


class Conversion(NamedTuple):
    """Two functions that convert a field to plain data and back; they are not called for None."""

    write: Callable[..., object]
    read: Callable[..., object]


def as_data(record: NamedTuple) -> list[object]:
    """Return all that is shown of a marking, or of a part of it, as plain data: without the task and what was read but
    is not shown."""
    fields = zip(record._fields, record, strict=True)
    return [_CONVERSIONS[name].write(x) if name in _CONVERSIONS and x is not None else x for name, x in fields]


def from_data(data: Sequence[object], task: Task) -> Marking:
    """Return the marking of a task from the data of `as_data`. Raises ValueError, TypeError or AttributeError if it is
    something else."""
    return _read(Marking, data)._replace(task=task)


def _read(kind: type[Record], data: Sequence[object]) -> Record:
    """Return the named tuple whose fields `as_data` has written."""
    fields = zip(kind._fields, data, strict=True)
    return kind._make(_CONVERSIONS[name].read(x) if name in _CONVERSIONS and x is not None else x for name, x in fields)


def _many(kind: type[NamedTuple]) -> Conversion:
    """Return the conversion of a field that has several named tuples of one kind."""
    return Conversion(lambda records: list(map(as_data, records)), lambda data: tuple(_read(kind, x) for x in data))


def _place(span: Span) -> tuple[int, int, int, str]:
    """Return (line, column from 1, number of characters, text of its line) of what is underlined."""
    source = span.source
    line, column = source.position(span.start)
    return line, column, span.end - span.start, source.shown.split("\n")[line - source.first_line]


def _span(place: tuple[int, int, int, str]) -> Span:
    """Return the span for (line, column from 1, length, text of the line), cut off at the end of the line."""
    line, column, length, shown = place
    start = column - 1
    return Span(start, min(start + length, max(len(shown), start)), Source(shown, None, line))


def _entries(entries: Sequence[Entry]) -> list[object]:
    """Return [quantity, place (`_place`), list of pieces (`_piece`)] for the first row of each line with LaTeX
    commands, which reports show as a formula; other rows are left out.
    """
    first: dict[int, Entry] = {}
    for entry in entries:
        if "\\" in entry.source.text:
            first.setdefault(entry.line, entry)
    return [[entry.quantity, _place(entry.span), [_piece(piece) for piece in entry.pieces]] for entry in first.values()]


def _piece(piece: RowPiece) -> list[object]:
    """Return [place, number, graph, {name in the formula: its quantity}] of a piece as plain data.

    The place is that of `_place`. The number is [value, unit of its last place, 1 if it is cut off] as fractions in
    text, the graph its columns; each is None if the piece has none.
    """
    graph = None
    if piece.graph is not None:
        *columns, literal, constants, inputs, outputs, aliases = piece.graph.pack()
        graph = [*columns, list(cast(bytes, literal)), constants, inputs, outputs, aliases]
    return [_place(piece.span), piece.number and list(map(str, piece.number)), graph, dict(piece.quantities)]


def _read_entry(data: Sequence[Any]) -> Entry:
    """Return a row from its data: (fields of its quantity, place, pieces).

    The row has no `adds`, and its source is that of its place. Each piece is (place, number or None, packed graph or
    None, fields of the quantities by name in the formula). A number is (value, unit, 1 if it ends in dots else 0), the
    first two in a form that Fraction reads. Raises RequestError, ValueError or TypeError if the data is something else.
    """
    quantity, place, pieces = data
    row_pieces = []
    for where, number, graph, quantities in pieces:
        if graph is not None:
            graph = unpack(*(bytes(column) if k == _LITERAL else column for k, column in enumerate(graph)))
        value = None if number is None else Numeral(Fraction(number[0]), Fraction(number[1]), int(number[2]))
        meanings = {name: Quantity(*of) for name, of in quantities.items()}
        row_pieces.append(RowPiece(_span(where), value, graph, meanings))
    span = _span(place)
    return Entry(Quantity(*quantity), tuple(row_pieces), span.source, span)


def problem_data(problem: AdcliError) -> list[str]:
    """Return title, label and help of a problem."""
    return [problem.title, problem.label, problem.help]


def problem_from(data: Sequence[str]) -> AdcliError:
    """Return the problem from the data of `problem_data`."""
    title, label, advice = data
    return NotGradable(title, label=label, help=advice)


_LITERAL = 3  # the column of a packed graph that is bytes
_LIST = Conversion(list, tuple)
_FRACTION = Conversion(str, Fraction)
_NOT_SHOWN = Conversion(lambda _: [], tuple)
_CONVERSIONS: Mapping[str, Conversion] = MappingProxyType({
    "task": Conversion(lambda _: None, str),
    "answer": Conversion(as_data, lambda data: _read(Answer, data)),
    "lines": _LIST, "notes": _LIST, "rows": _LIST, "slips": _LIST,
    "entries": Conversion(_entries, lambda data: tuple(map(_read_entry, data))), "unread": _NOT_SHOWN,
    "left_out": _many(LeftOut), "marks": _many(Mark), "quantities": _many(QuantityMark),
    "span": Conversion(_place, _span),
    "earned": _FRACTION, "alone": _FRACTION, "possible": _FRACTION,
    "problem": Conversion(problem_data, problem_from),
})  # fmt: skip
