"""The value rows of an answer: the first formula of each, and which rows only rename the inputs."""

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
    """A value row of the student's: its name, its formulas, and its number (None if it has none).

    `reckoned` says that the row shows arithmetic, as in `y = sin(1.69) = 0.993`, or a formula that cannot be read.
    `constant` is that arithmetic, or the number, of a row without formulas; else None. `unit` is the value of one unit
    of its last place, with trailing zeros as the other rows write them; 0 without a number.
    """

    name: str
    formulas: tuple[RowPiece, ...]
    number: Numeral | None
    reckoned: bool
    constant: Graph | None
    unit: float

    def shows(self, true: Spread) -> bool:
        """Return whether the row has the value `true`: by its arithmetic, or by its number up to one unit of the last
        place.

        A whole number that its arithmetic gives exactly does not count as a rounded one.
        """
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
        """Return whether the arithmetic of the row gives `true` up to the rounding of the numbers in it; False without
        arithmetic.

        The tolerance is one unit of the last place of its number or 0.2 %, whichever is larger.
        """
        if not self.reckoned or self.constant is None or not true.known:
            return False
        return abs(constant_value(self.constant).middle - true.middle) <= max(self.unit, _DRIFT * abs(true.middle))


def within(number: Numeral, true: Spread) -> bool:
    """Return whether a number is the true value up to one unit of its last place."""
    return true.known and abs(as_double(number.value) - true.middle) <= as_double(number.unit)


def constant_value(graph: Graph, slot: int | None = None) -> Spread:
    """Return the value of a slot that depends on no input; None means the first output of the graph."""
    return SPREAD.number(literal_value(graph, SPREAD, graph.outputs[0][1] if slot is None else slot))


def shown_number(entry: Entry) -> Numeral | None:
    """Return the last number that a row shows; None if it shows none."""
    return next((piece.number for piece in reversed(entry.pieces) if piece.number is not None), None)


def value_rows(entries: Iterable[Entry], inputs: Collection[str]) -> list[ValueRow]:
    """Return the value rows of an answer, one for each name, in the order in which the names first appear.

    Rows of the `inputs` are left out. Of several rows of one name the last counts that has formulas which do not use
    that name, else the first.
    """
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
    """Return the first arithmetic of a row as a graph, else its number; None if it has neither or a piece cannot be
    read.
    """
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
    """Return {student's name: input} if the answer begins with rows that only give the inputs' values: `v1 = 2, v2 = 5,
    …`.

    The rows must be the first ones, in the order of the inputs, numbered in sequence with a common prefix, with exactly
    the values of the task's point; and the answer must not use the inputs' own names. Otherwise empty.
    """
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
