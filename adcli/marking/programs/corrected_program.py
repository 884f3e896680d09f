"""The corrected program: the edit of one row after which all the rows together are right. A step is a row of the
problem's trace, known by its slot there; a change or edit gives one slot of a formula another operation.

A program that does not lead to the results of its problem may do so with one formula edited: another operation,
function, operand or constant, a part too many or too few.  Every edit of every row is tried with doubles at two points,
within a bound of work; what fits is a proposal, to be compared with the problem at all points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from math import isclose, isfinite

from ...graph.graph import Constant, Graph
from ...graph.rules import value_of_slot
from ...numbers.doubles import FLOAT, apply
from ...records import NamedTuple
from ...table.primitive import POWER, ROWS, Primitive
from .edits import level_of, operations, unfold_formula

_MOST = 150_000  # operations that a search may take
_AGREE = 1e-9  # of results with doubles, relative
_EXPONENTS = tuple(map(Constant, ("2", "3", "0.5")))  # besides the numbers of the problem

Operand = int | str | Constant  # a slot of the formula, the name of a row or input, a number


class OwnFormula(NamedTuple):
    """The formula of a row: a `graph` with one output, and `names`, the name of each input by slot."""

    graph: Graph
    names: Mapping[int, str]

    def value(self, known: Mapping[str, float]) -> float:
        """Return the value of the formula; `known` has the values of its inputs by name."""
        return self.values(known)[self.graph.outputs[0][1]]

    def values(self, known: Mapping[str, float]) -> list[float]:
        """Return the values of all slots, in order; `known` has those of the inputs by name.

        An operation without a value at its arguments gives nan or infinity, as that of doubles does, and no error.
        Raises KeyError if `known` lacks an input, needed or not.
        """
        values: list[float] = []
        for slot in range(len(self.graph)):
            is_input = slot in self.names
            values.append(known[self.names[slot]] if is_input else value_of_slot(self.graph, FLOAT, slot, values))
        return values


class RowCorrection(NamedTuple):
    """A correction of the row `name`: a formula (`line`), or the step of the problem in `slot` of its trace.

    With both, the row with this formula represents that step. A `slot` of -1 means that there is only the formula.
    """

    name: str
    line: OwnFormula | None
    slot: int = -1


class Change(NamedTuple):
    """Another operation in one slot of a formula: `row` on `operands`; if `row` is None, the only operand itself.

    An operand is a slot of the formula, the name of a row or input, or a constant.
    """

    slot: int
    row: Primitive | None
    operands: tuple[Operand, ...]


Edits = Callable[[OwnFormula, Sequence[str], Sequence[Constant]], Iterator[Change]]


class Goal(NamedTuple):
    """The values that rows must lead to at each point: `results` of the problem, and `steps` of it by slot.

    `known` are the values, by name, of what is not a row of the formulas, `operands` those of these names that a row
    may use, and `constants` the numbers that the problem is written with. The outer index of `known` and `results` and
    the inner one of `steps` is the point.
    """

    known: Sequence[Mapping[str, float]]
    operands: Sequence[str]
    results: Sequence[Sequence[float]]
    steps: Mapping[int, Sequence[float]]
    constants: Sequence[Constant]


class CorrectionSearch:
    """A search for rows of a program, one edit of which leads to the results of its problem.

    `lines` are the formulas of the rows by name, operands before users. `left` is the number of operations that the
    search may still take.
    """

    def __init__(self, lines: Mapping[str, OwnFormula], goal: Goal) -> None:
        """Evaluate the rows `lines` as they are at every point of the goal, and list which rows depend on which.

        `points` has all values by name at each point, `order` the places of the rows in `lines`, `below` for each row
        those that depend on it. `ends` are the rows that no other uses, `left` is the number of operations that may
        still be tried.
        """
        self.lines, self.goal = lines, goal
        self.points = [self._all_values(known) for known in goal.known]
        self.order = {name: place for place, name in enumerate(lines)}
        self.below = self._dependents()
        used = {name for line in lines.values() for name in line.names.values()}
        self.ends = [name for name in lines if name not in used]
        self.left = _MOST

    def _all_values(self, known: Mapping[str, float]) -> dict[str, float]:
        """Return the values of all rows, by their formulas as the student wrote them, and those of `known`, by name."""
        values = dict(known)
        for name, line in self.lines.items():
            values[name] = line.value(values)
        return values

    def _dependents(self) -> dict[str, list[str]]:
        """Return {row: names of the rows that depend on this row, directly or not, in the order of `lines`}."""
        above: dict[str, set[str]] = {}
        for name, line in self.lines.items():
            direct = self.lines.keys() & line.names.values()
            above[name] = direct.union(*(above[used] for used in direct))
        return {name: [other for other in above if name in above[other]] for name in self.lines}

    def corrections(self, rows: Sequence[str]) -> Iterator[RowCorrection]:
        """Yield corrections of one of the `rows` (names) with which the program reaches all results.

        All other rows stay as the student wrote them. All results must be reached at all points of the goal: each has
        the value of a row, and each row that no row uses has that of a result. The likely corrections come first: small
        edits of a row's formula (`_exchanges`), then steps of the problem that may replace the row (`line` None, `slot`
        that step), then formulas with a part added (`_additions`). The first two kinds follow the order of `rows`, the
        last that of `lines`, operands first. Rows that cannot be the only wrong one are skipped (`_trial`). It stops
        after 150,000 operations.
        """
        trials = [trial for name in rows if (trial := self._trial(name)) is not None]
        for trial in trials:
            yield from self._edited_formulas(trial, _exchanges)
        for trial in trials:
            for slot, values in self.goal.steps.items():
                if all(self._leads_to_results(trial, x, k) for k, x in enumerate(values)):
                    yield RowCorrection(trial.name, None, slot)
        for trial in sorted(trials, key=lambda trial: self.order[trial.name]):  # what lacks a part may look right
            yield from self._edited_formulas(trial, _additions)

    def _trial(self, name: str) -> _Trial | None:
        """Return a _Trial of the row `name`; None if no other formula for the row can make all results right.

        That is so if, at some point, a row that is used by no row, and is neither `name` nor depends on it, has, as it
        is written, the value of no result. In the _Trial `below` are the rows that depend on `name`, and `ends` those
        of them, and `name`, that no row uses. `now` is a copy of all values, for each point; `lacking` are, for each
        point, the results whose value no row has other than `name` and those in `below`. Values are compared up to a
        relative 1e-9.
        """
        later = {name, *self.below[name]}
        lacking = []
        for values, results in zip(self.points, self.goal.results, strict=True):
            if not all(any(_agree(values[end], x) for x in results) for end in self.ends if end not in later):
                return None
            lacking.append([x for x in results if not any(_agree(values[row], x) for row in self.lines.keys() - later)])
        ends = [end for end in self.ends if end in later]
        return _Trial(name, self.below[name], ends, [dict(values) for values in self.points], lacking)

    def _edited_formulas(self, trial: _Trial, edits: Edits) -> Iterator[RowCorrection]:
        """Yield a correction for each edit of the formula of the row `trial.name` after which all results are reached.

        `edits` is `_exchanges` or `_additions`; operands are the names of the goal's `operands`, then of rows that do
        not depend on this row. Results are compared at all points; the correction has the edited formula as its `line`
        and no `slot`. Nothing is yielded for a formula that has more than about 60 slots as a tree. It stops early when
        the bound of work (`left`) is reached.
        """
        line = self.lines[trial.name]
        if (graph := unfold_formula(line.graph, line.graph.outputs[0][1])) is None:
            return
        by_symbol = {symbol: line.names[slot] for slot, symbol in line.graph.inputs.items()}  # as in the tree
        formula = OwnFormula(graph, {slot: by_symbol[symbol] for slot, symbol in graph.inputs.items()})
        values = [formula.values(known) for known in self.points]
        above = _slots_above(graph)
        later = {trial.name, *trial.below}
        operands = [*self.goal.operands, *(other for other in self.lines if other not in later)]
        for change in edits(formula, operands, self.goal.constants):
            if self.left <= 0:
                return
            steps = [(slot, graph.row(slot), graph.parents[slot]) for slot in above[change.slot]]
            outcomes = (self._value_after_change(change, steps, x, k) for k, x in enumerate(values))
            if all(self._leads_to_results(trial, value, k) for k, value in enumerate(outcomes)):
                yield RowCorrection(trial.name, _rebuild_formula(formula, change))

    def _value_after_change(
        self, change: Change, steps: Sequence[tuple[int, Primitive, Sequence[int]]], values: Sequence[float], k: int
    ) -> float:
        """Return the result of an unfolded formula (each slot used once) after a change, at the point number `k`.

        `steps` are (slot, operation, operands) of the operations that depend on the slot of the change, in order, up to
        the result; the number of them is subtracted from `left`. `values` are those of all slots at that point before
        the change. An operand of the change that is a slot has its value there, a name that of the row as the student
        wrote it (`points`). If `row` of the change is None, its first operand is put in the slot. The result may be
        nan.
        """
        known = self.points[k]
        operands = [
            values[x] if isinstance(x, int) else known[x] if isinstance(x, str) else x.read(FLOAT)
            for x in change.operands
        ]
        below = change.slot
        value = operands[0] if change.row is None else apply(change.row, FLOAT, operands)
        for slot, row, parents in steps:
            value = apply(row, FLOAT, [value if parent == below else values[parent] for parent in parents])
            below = slot
        self.left -= len(steps)
        return value

    def _leads_to_results(self, trial: _Trial, value: float, k: int) -> bool:
        """Return whether all results are reached at point `k` if the row of `trial` has this `value`.

        The rows in `trial.below` are computed again. Each of `trial.ends` must then agree with some result, and each
        result in `trial.lacking` with the row or one of `trial.below` (relative 1e-9). False also if `value` is what
        the row has as written (relative 1e-9) or not finite, and if the bound of work is reached. Overwrites
        `trial.now[k]`, and subtracts operations from `left`.
        """
        self.left -= 1
        if self.left <= 0 or not isfinite(value) or isclose(value, self.points[k][trial.name], rel_tol=_AGREE):
            return False
        now, results = trial.now[k], self.goal.results[k]
        now[trial.name] = value
        for other in trial.below:
            line = self.lines[other]
            now[other] = line.value(now)
            self.left -= len(line.graph)
        if not all(any(_agree(now[end], x) for x in results) for end in trial.ends):
            return False
        return all(any(_agree(now[row], x) for row in (trial.name, *trial.below)) for x in trial.lacking[k])


class _Trial(NamedTuple):
    """A row `name` that is tried, with what its value has an effect on.

    `below` are the rows that depend on this row, in order; `ends` are those of them, and the row itself, that no other
    row uses. At each point, `now` has values by name, which are overwritten, and `lacking` the results that no other
    row has.
    """

    name: str
    below: Sequence[str]
    ends: Sequence[str]
    now: Sequence[dict[str, float]]
    lacking: Sequence[Sequence[float]]


def in_order(lines: Mapping[str, OwnFormula]) -> dict[str, OwnFormula] | None:
    """Return the rows `lines` (formulas by name) with operands before users; None if some depend on themselves.

    First come all rows that use no row of `lines`, in the order of `lines`; then those that use only these, and so on,
    a row earlier if its last operand is earlier. Names in formulas that are not rows are ignored.
    """
    uses = {name: {other for other in line.names.values() if other in lines} for name, line in lines.items()}
    order = TopologicalSorter(dict.fromkeys(lines, ()))  # ready rows in the order of `lines`
    for name, used in uses.items():
        order.add(name, *used)
    try:
        return {name: lines[name] for name in order.static_order()}
    except CycleError:
        return None


def _slots_above(graph: Graph) -> list[list[int]]:
    """Return for each slot of an unfolded formula (each slot is used once) the slots that depend on it, in order."""
    above: list[list[int]] = [[] for _ in range(len(graph))]
    for slot in reversed(range(len(graph))):
        for parent in graph.parents[slot]:
            above[parent] = [slot, *above[slot]]
    return above


def _agree(x: float, y: float) -> bool:
    """Return whether two results are equal up to a relative 1e-9, or up to 1e-12."""
    return isclose(x, y, rel_tol=_AGREE, abs_tol=_AGREE * 1e-3)


def _rebuild_formula(line: OwnFormula, change: Change) -> OwnFormula:
    """Return a new formula: that of `line`, in which the slot `change.slot` is `change.row` on `change.operands`.

    An operand is a slot of `line` up to `change.slot` as it was before the change, a name or a constant; with the row
    None the slot becomes the first operand itself. Each name in `line` and in the operands becomes an input of its own,
    called `0`, `1`, … in order, also if it is there already; `names` of the new formula has them by slot. The output is
    what the last slot of `line` becomes, with the name "". Slots no longer needed stay in the graph.
    """
    corrected, place, names = Graph(), dict[int, int](), dict[int, str]()

    def named(name: str) -> int:
        slot = corrected.input(str(len(names)))
        names[slot] = name
        return slot

    for slot, row in enumerate(line.graph.rows):
        if slot in line.names:
            place[slot] = named(line.names[slot])
        elif row is None:
            place[slot] = corrected.constant(line.graph.constants[slot])
        else:
            place[slot] = corrected.apply(row, tuple(place[parent] for parent in line.graph.parents[slot]))
        if slot == change.slot:
            operands = tuple(
                place[x] if isinstance(x, int) else named(x) if isinstance(x, str) else corrected.constant(x)
                for x in change.operands
            )
            place[slot] = operands[0] if change.row is None else corrected.apply(change.row, operands)
    corrected.outputs = [("", place[len(line.graph) - 1])]
    return OwnFormula(corrected, names)


# --- edits ------------------------------------------------------------------------------------------------------------


def _exchanges(line: OwnFormula, operands: Sequence[str], constants: Sequence[Constant]) -> Iterator[Change]:
    """Yield changes of one slot: another operation, function, operand, number, sign or exponent, or a part removed.

    They come slot by slot, in each first the negative. Then by what the slot is:
    - a name: each other of `operands` (names of rows and inputs);
    - a number: `constants`, those of the problem, with another text; then x ± 1, 2x, x/2, 10x and x/10;
    - a function: its argument, then other functions of one argument;
    - an operation on two operands: the other arithmetic operations, powers among them; then all of them, its own too,
      with the operands exchanged; then each operand alone.

    Last, if it is not a literal of the graph, come powers of it with the exponents 2, 3, 0.5 and `constants`.
    """
    graph = line.graph
    for slot, row in enumerate(graph.rows):
        parents = graph.parents[slot]
        yield Change(slot, ROWS["neg"], (slot,))
        if slot in line.names:
            yield from (Change(slot, None, (name,)) for name in operands if name != line.names[slot])
        elif row is None:
            yield from (Change(slot, None, (number,)) for number in _other_numbers(graph.constants[slot], constants))
        elif len(parents) == 1:
            yield Change(slot, None, parents)
            yield from (Change(slot, other, parents) for other in _functions() if other is not row)
        elif len(parents) == 2:
            yield from (Change(slot, other, parents) for other in operations() if other is not row)
            yield from (Change(slot, other, parents[::-1]) for other in operations())
            yield from (Change(slot, None, (parent,)) for parent in parents)
        exponents = () if graph.literal[slot] else (*_EXPONENTS, *constants)
        yield from (Change(slot, power, (slot, exponent)) for exponent in exponents for power in _powers())


def _additions(line: OwnFormula, operands: Sequence[str], constants: Sequence[Constant]) -> Iterator[Change]:
    """Yield changes that add a part in one slot, slot by slot.

    In each slot first come all functions of one argument of it, except for a literal. Then each of `operands` (names of
    rows and inputs) and then `constants` is joined to it by each arithmetic operation on two operands, first on its
    right and then on its left.
    """
    graph = line.graph
    for slot in range(len(graph)):
        if not graph.literal[slot]:
            yield from (Change(slot, other, (slot,)) for other in _functions())
        others: Iterable[Operand] = (*operands, *constants)
        for operand in others:
            for row in operations():
                yield Change(slot, row, (slot, operand))
                yield Change(slot, row, (operand, slot))


def _other_numbers(constant: Constant, constants: Sequence[Constant]) -> Iterator[Constant]:
    """Yield the numbers that may be meant by `constant`: other texts in `constants`, then x ± 1, 2x, x/2, 10x, x/10."""
    yield from (other for other in constants if other.text != constant.text)
    x = constant.read(FLOAT)
    yield from (Constant(repr(number)) for number in (x + 1, x - 1, 2 * x, x / 2, 10 * x, x / 10))


@cache
def _powers() -> tuple[Primitive, ...]:
    """Return the operations that raise to a power."""
    return tuple(row for row in operations() if level_of(row) == POWER)


@cache
def _functions() -> tuple[Primitive, ...]:
    """Return the functions of one number, without arithmetic and conditions."""
    return tuple(row for row in ROWS.values() if row.arity == 1 and not row.truth and not row.folds)
