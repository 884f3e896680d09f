"""The rows of values of an answer: what each was first given a formula for, and which only rename the inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...graph.graph import Constant, Graph
from ...graph.tape import literal_value
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.exact import read_fraction
from ...patterns import pattern
from ...records import NamedTuple
from ..model import VALUE, Entry, Numeral, Quantity, RowPiece, Task
from ..shown_numbers import as_double, habit, shown

_NUMBERED = pattern(r"(.*?)(-?\d+)\Z")
_DRIFT = 0.002  # how far rounding leads arithmetic away, as a share of its result


class ValueRow(NamedTuple):
    """A value row of the student's: its name, its formulas, and its number as far as it has one.

    `reckoned` says that the row shows arithmetic, as in `y = sin(1.69) = 0.993`, or a formula that cannot be read.
    `constant` is that arithmetic, or the number, of a row without formulas.  `unit` is what its last place is
    worth, where the zeros that the others have are written out.
    """

    name: str
    formulas: tuple[RowPiece, ...]
    number: Numeral | None
    reckoned: bool
    constant: Graph | None
    unit: float

    def shows(self, true: Spread) -> bool:
        """Whether the row comes to this by its arithmetic, or by its number but for the last place."""
        value = constant_value(self.constant) if self.reckoned and self.constant is not None else None
        if value is not None and true.meets(value):
            return True
        if self.number is None:
            return False
        number, unit = self.number.value, self.unit
        if value is not None and unit >= 1 and value.meets(SPREAD.number(number)):  # 2*3 is 6, and not about 6
            return False
        return true.known and abs(as_double(number) - true.middle) <= unit

    def reckons(self, true: Spread) -> bool:
        """Whether the arithmetic of the row comes to this, but for what rounding of its numbers may do."""
        if not self.reckoned or self.constant is None or not true.known:
            return False
        return abs(constant_value(self.constant).middle - true.middle) <= max(self.unit, _DRIFT * abs(true.middle))


def within(number: Numeral, true: Spread) -> bool:
    """Whether a number is the truth but for its last place."""
    return true.known and abs(as_double(number.value) - true.middle) <= as_double(number.unit)


def constant_value(graph: Graph, slot: int | None = None) -> Spread:
    """What a slot that depends on no input comes to; the output of the graph where none is given."""
    return SPREAD.number(literal_value(graph, SPREAD, graph.outputs[0][1] if slot is None else slot))


def shown_number(entry: Entry) -> Numeral | None:
    """The number that a row comes to: the last one written."""
    return next((piece.number for piece in reversed(entry.pieces) if piece.number is not None), None)


def value_rows(entries: Iterable[Entry], inputs: Collection[str]) -> list[ValueRow]:
    """The value rows by name, in the order written: each is what it was last given a formula for, without itself."""
    entries = list(entries)
    usual = habit(number for entry in entries if (number := shown_number(entry)) is not None)
    found: dict[str, ValueRow] = {}
    for entry in entries:
        kind, name, _ = entry.quantity
        if kind != VALUE or name in inputs:
            continue
        formulas = tuple(
            piece
            for piece in entry.pieces
            if piece.quantities and all(quantity.kind == VALUE for quantity in piece.quantities.values())
        )
        old = found.get(name)
        again = bool(formulas) and all(quantity.name != name for f in formulas for quantity in f.quantities.values())
        if old is None or again:
            reckoned = any(
                piece.problem is not None or (piece.graph is not None and not piece.quantities)
                for piece in entry.pieces
            )
            constant = None if formulas else _constant(entry)
            number = shown_number(entry)
            unit = 0.0 if number is None else shown(number, usual).unit
            found[name] = ValueRow(name, formulas, number, reckoned, constant, unit)
    return list(found.values())


def _constant(entry: Entry) -> Graph | None:
    """The first arithmetic of a row; else its number as a graph; None where a formula cannot be read."""
    if any(piece.problem is not None for piece in entry.pieces):
        return None
    for piece in entry.pieces:
        if piece.graph is not None and not piece.quantities:
            return piece.graph
    number = shown_number(entry)
    if number is None:
        return None
    graph = Graph()
    graph.outputs = [("", graph.constant(Constant(repr(as_double(number.value)))))]
    return graph


def renamed_inputs(
    task: Task, inputs: Sequence[str], rows: Sequence[ValueRow], entries: Iterable[Entry]
) -> dict[str, str]:
    """The inputs under names of the student's own, `v1 = 2, v2 = 5, v3 = ln v1`: rows that only give their values."""
    first = rows[: len(inputs)]
    named = {quantity.name for entry in entries for quantity in (entry.quantity, *_mentions(entry))}
    if not inputs or len(first) < len(inputs) or not named.isdisjoint(inputs):
        return {}
    shape = [_NUMBERED.match(row.name) for row in first]
    counted = all(
        m and m[1] == shape[0][1] and int(m[2]) == int(shape[0][2]) + k for k, m in enumerate(shape) if shape[0]
    )
    given = all(
        row.number is not None
        and not row.formulas
        and not row.reckoned
        and row.number.value == read_fraction(str(task.at[name]))
        for row, name in zip(first, inputs, strict=True)
    )
    return {row.name: name for row, name in zip(first, inputs, strict=True)} if counted and given and shape[0] else {}


def _mentions(entry: Entry) -> Iterable[Quantity]:
    return (quantity for piece in entry.pieces for quantity in piece.quantities.values())
