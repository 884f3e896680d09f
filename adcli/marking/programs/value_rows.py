"""The value rows of an answer, which give values and not derivatives: the first formula of each, and which rows only
rename the inputs. A piece is a part of a row between equals signs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import inf

from ...answers.answer_model import VALUE, Entry, Numeral, RowPiece, Task
from ...answers.shown_numbers import Habit, as_double, differ, habit, shown
from ...graph.graph import Constant, Graph
from ...graph.tape import literal_value
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.exact import read_fraction
from ...records import NamedTuple

RESULTS = ("y", "f", "z", "result", "loss", "L")  # usual names of a result
_DRIFT = 0.002  # how far rounding leads arithmetic away, as a fraction of its result


class ValueRow(NamedTuple):
    """A value row of the student's: its name, its formulas, and its number (None: no number).

    `shows_arithmetic` says that the row shows arithmetic on numbers, as in `y = sin(1.69) = 0.993`, or a formula that
    cannot be read. `constant` is the graph of that arithmetic, or else of the number; None if the row has formulas or
    something that cannot be read. `unit` is the value of one unit of the number's last place, with trailing zeros as
    the other rows write them; 0 without a number.
    """

    name: str
    formulas: tuple[RowPiece, ...]
    number: Numeral | None
    shows_arithmetic: bool
    constant: Graph | None
    unit: float

    @property
    def is_number(self) -> bool:
        """Return whether the row is only a number."""
        return self.number is not None and not self.formulas and not self.shows_arithmetic

    def shows(self, true: Spread) -> bool:
        """Return whether the row has the value `true`: by its arithmetic, or else by its number up to one unit.

        The arithmetic counts if its interval meets that of `true`. Otherwise the number must be within one unit of its
        last place, ends included, of the middle of `true`; but a whole number to which the row's arithmetic evaluates
        exactly (2*3 = 6) is not a rounded one. False if `true` is unknown, or if the row has neither arithmetic nor a
        number.
        """
        value = constant_value(self.constant) if self.shows_arithmetic and self.constant is not None else None
        if value is not None and true.meets(value):
            return True
        if self.number is None:
            return False
        number, unit = self.number.value, self.unit
        if value is not None and unit >= 1 and value.meets(SPREAD.number(number)):  # 2*3 is 6, and not about 6
            return False
        return true.known and abs(as_double(number) - true.middle) <= unit

    def computes(self, true: Spread) -> bool:
        """Return whether the row is arithmetic without names, such as `2*3 + 1`, with the result `true`.

        The result may be off by the rounding of its numbers: by one unit of the last place of the row's number or by
        0.2 % of `true`, whichever is larger, ends included. The row's number itself is not compared. False for a row
        that is only a number, has formulas with names or cannot be read, and if `true` is unknown.
        """
        if not self.shows_arithmetic or self.constant is None or not true.known:
            return False
        return abs(constant_value(self.constant).middle - true.middle) <= max(self.unit, _DRIFT * abs(true.middle))


def within(number: Numeral, true: Spread) -> bool:
    """Return whether a number is the true value up to one unit of its last place; False if `true` is unknown."""
    return true.known and abs(as_double(number.value) - true.middle) <= as_double(number.unit)


def is_near(number: Numeral, true: Spread, drift: float) -> bool:
    """Return whether a number differs from `true` by at most the fraction `drift` of it; False if `true` is unknown."""
    return true.known and abs(as_double(number.value) - true.middle) <= drift * abs(true.middle)


def constant_value(graph: Graph, slot: int | None = None) -> Spread:
    """Return the value of a slot that depends on no input; `slot` None means the first output of the graph."""
    return SPREAD.number(literal_value(graph, SPREAD, graph.outputs[0][1] if slot is None else slot))


def is_sum(graph: Graph) -> bool:
    """Return whether the last operation of a formula (a graph with one output) is a sum or a difference."""
    return graph.operator(graph.outputs[0][1]) in ("add", "sub")


def shown_number(entry: Entry) -> Numeral | None:
    """Return the last number that a row shows; None if no piece of it is a number."""
    return next((piece.number for piece in reversed(entry.pieces) if piece.number is not None), None)


def is_repeated(earlier: Entry, later: Entry) -> bool:
    """Return whether a `later` row is only the last number of an `earlier` one, up to the rounding of either."""
    one, other = shown_number(earlier), shown_number(later)
    return one is not None and other is not None and not (differ(one, other) or later.pieces[1:] or later.adds)


def value_rows(entries: Iterable[Entry], inputs: Collection[str]) -> list[ValueRow]:
    """Return the value rows of an answer, one for each name, in the order in which the names first appear.

    Rows of the `inputs` are left out. `formulas` of a row has all its pieces whose names, at least one, are all of
    values, so no tangents, adjoints or derivatives. Arithmetic on numbers alone is not among them. Of several rows of
    one name, the last counts that has formulas none of which uses that name; if there is no such row, the first. The
    usual digits (for `unit`) are those of all `entries`. A row such as `inner' = 2x` counts if a formula has it.
    """
    entries = list(entries)
    inputs = {*inputs, *_unused_primes(entries)}
    usual = habit(number for entry in entries if (number := shown_number(entry)) is not None)
    rows: dict[str, ValueRow] = {}
    for entry in entries:
        kind, name, _ = entry.quantity
        if kind != VALUE or name in inputs:
            continue
        formulas = tuple(each for each in entry.pieces if {q.kind for q in each.quantities.values()} == {VALUE})
        names = {quantity.name for piece in formulas for quantity in piece.quantities.values()}
        if name not in rows or (formulas and name not in names):
            rows[name] = _value_row(entry, formulas, usual)
    return list(rows.values())


def _unused_primes(entries: Sequence[Entry]) -> set[str]:
    """Return the names with a prime that no formula of the `entries` has: `inner'` of a derivative `inner' = 2x`."""
    primes = {entry.quantity.name for entry in entries if entry.quantity.name.endswith("'")}
    return primes.difference(quantity.name for entry in entries for quantity in entry.symbols)


def _value_row(entry: Entry, formulas: tuple[RowPiece, ...], usual: Habit) -> ValueRow:
    """Return `entry` as a ValueRow; `formulas` are its pieces with names, `usual` is how the answer writes numbers.

    `shows_arithmetic` is True if a piece is arithmetic on numbers (a number alone is not) or cannot be read. `number`
    is the last one. `constant` is that of `_constant`, but None with formulas. `unit` is the unit of the last place of
    the number; if it seems to be written without its final zeros, at the usual place (`shown`). It is 0 without a
    number.
    """
    shows_arithmetic = any(p.problem is not None or (p.graph is not None and not p.quantities) for p in entry.pieces)
    number = shown_number(entry)
    unit = 0.0 if number is None else shown(number, usual).unit
    constant = None if formulas else _constant(entry)
    return ValueRow(entry.quantity.name, formulas, number, shows_arithmetic, constant, unit)


def _constant(entry: Entry) -> Graph | None:
    """Return the first arithmetic on numbers in a row, else its last number, as a graph without inputs.

    The number is the nearest double. The value is the first output. None if the row has neither, or if a piece of the
    row cannot be read. Formulas with names are skipped.
    """
    if any(piece.problem is not None for piece in entry.pieces):
        return None
    for piece in entry.pieces:
        if piece.graph is not None and not piece.quantities:
            return piece.graph
    if (number := shown_number(entry)) is None:
        return None
    graph = Graph()
    graph.outputs = [("", graph.constant(Constant(repr(as_double(number.value)))))]
    return graph


def inputs_by_student_name(task: Task, rows: Sequence[ValueRow], entries: Iterable[Entry]) -> list[dict[str, str]]:
    """Return the ways to take the first of `rows`, `v1 = 2, v2 = 5`, the likelier way first.

    A way is a dict: {name: input} if these rows are inputs, {} if they are steps. Such a row is only a number that is
    exactly (as decimals) the value in the task of an input not used up yet, the first in the order of the inputs. A row
    whose first formula is only an input's name uses up this input, but is not in the dict. The first other row, or one
    with the name of an output, ends them. The result is:

    - [{}] if there are no such rows;
    - only the dict of inputs if all its names are those of a point (x0 for x);
    - otherwise both, the dict of inputs first if all inputs with a value are used up and no row or symbol in `entries`
      has the name of one of these, else last.
    """
    inputs = [name for name in task.program.graph.inputs.values() if name in task.at]
    free, called, results = list(inputs), dict[str, str](), dict(task.program.graph.outputs)
    for row in rows:
        copied = _copied_name(row) or next((name for name in free if _is_given(row, task.at[name])), None)
        if copied not in free or row.name in results:
            break
        free.remove(copied)
        if not row.formulas:
            called[row.name] = copied
    named = {*free, *(quantity.name for entry in entries for quantity in (entry.quantity, *entry.symbols))}
    if all(name == f"{of}0" for name, of in called.items()):
        return [called]
    return [called, {}] if named.isdisjoint(inputs) else [{}, called]


def _copied_name(row: ValueRow) -> str | None:
    """Return the only symbol of a row whose first formula is nothing else; None for any other row."""
    piece = row.formulas[0] if row.formulas else None
    return next(iter(piece.quantities.values())).name if piece and piece.graph and len(piece.graph) == 1 else None


def _is_given(row: ValueRow, value: float) -> bool:
    """Return whether a row is only a number, and this is exactly `value` (in its shortest decimals)."""
    return row.is_number and row.number is not None and row.number.value == read_fraction(str(value))


def stem_and_number(name: str) -> tuple[str, float]:
    """Return (stem, number) of a name by the digits at its end: ("v", 3) for v3, ("v_", 3) for v_3.

    Without such digits the number is infinity, and the stem is the name, or "" for every single letter: ("", inf) for
    x. With digits the letter is the stem: ("x", 1) for x1.
    """
    stem = name.rstrip("0123456789")
    if stem != name:
        return stem, int(name[len(stem) :])
    return ("" if len(name) == 1 else name), inf
