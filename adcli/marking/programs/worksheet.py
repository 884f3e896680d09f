"""A worksheet: a straight-line program as one graph with named rows, and its true values and derivatives. A slot is the
index of an operation, input or constant; a Spread is an interval, unknown outside of a domain; points are samples near
that of the task.

The reference solution and a student's own program are computed in the same way: every row is a slot of the graph, its
formula is what lies between it and the named slots below.  All numbers are spreads, so that two results are known to
differ if their intervals do not meet.  At the end of the module rows whose one-sided slopes differ get the slope that
a course chooses; and there is the cache of what is computed once for a problem.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from math import isfinite
from operator import add
from types import MappingProxyType

from ...answers.answer_model import BAR, DOT, VALUE, Task
from ...graph.copies import copy_formula
from ...graph.graph import Graph
from ...graph.order import kinked_slots, postorder
from ...graph.plan import Plan
from ...graph.rules import partials_at
from ...graph.tape import Gradients, adjoints, evaluate, linearize, tangents
from ...language.problems import in_arithmetic
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.doubles import FLOAT, apply
from ...records import NamedTuple, grouped
from ...table.primitive import ROWS, Bounds, Kink, Primitive
from ...typings import TYPE_CHECKING, Any, TypeVar, override
from ..function_values import KnownPrints, Print, Prints

if TYPE_CHECKING:
    from ...table.arithmetic import Arithmetic, T

_POINTS = 8  # random points at which formulas are compared, besides the problem's own
_DRAWS = 80  # random points that are tried until _POINTS are inside the domain
_WIDE = 1e-6  # a relative width beyond which an interval decides nothing

Known = Mapping[int, Spread]  # values by slot
Variants = Mapping[int, Primitive]
_NONE: Variants = MappingProxyType({})
Read = Callable[[str, int, str | None], Spread]  # the value of a quantity: its kind, its slot, the input or output
SlipNumbers = Iterator[tuple[str, Spread]]  # the names of slips and what a row is with each


def close(a: Spread, b: Spread) -> bool | None:
    """Return True if two intervals meet, ends included, so that the results may be equal; else False; None if
    undecided.

    Undecided, whether they meet or not, if an end of either interval is not finite, or if either is wider than 1e-6
    times the largest of 1 and the sizes of both middles.
    """
    width, other = a.high - a.low, b.high - b.low
    if not (isfinite(width) and isfinite(other)):  # an end is not finite, or far away
        return None
    if max(width, other) > _WIDE and max(width, other) > _WIDE * max(1.0, abs(a.middle), abs(b.middle)):
        return None
    return a.low <= b.high and b.low <= a.high


class Cell(NamedTuple):
    """The formula of one row: its slots, operands first (`inner`), and the named slots that it uses (`leaves`).

    `top` is the slot at which the formula ends. It is the row's own, `slot`, except for a wrong row whose formula is
    taken as written. A row that only gives another name to a slot has no `inner` slots.
    """

    graph: Graph
    slot: int
    top: int
    inner: tuple[int, ...]
    leaves: tuple[int, ...]

    @override
    def count(self, leaf: int) -> int:
        """Return how often the formula uses the named slot `leaf`; 1 if the row is only another name of it."""
        return sum(self.graph.parents[slot].count(leaf) for slot in self.inner) + (leaf == self.top)

    def _values(self, known: Known, variants: Variants) -> dict[int, Spread]:
        """Return {slot: value} of the leaves and of all inner slots.

        `known` has the values of the leaves by slot; raises KeyError if a leaf is missing. `variants` are operations,
        by slot, that are evaluated instead of those of the graph. Values outside a domain are undefined.
        """
        values = {leaf: known[leaf] for leaf in self.leaves}
        for slot in self.inner:
            row = variants.get(slot) or self.graph.rows[slot]
            if row is None:
                values[slot] = self.graph.constants[slot].read(SPREAD)
            else:
                values[slot] = SPREAD.number(apply(row, SPREAD, [values[p] for p in self.graph.parents[slot]]))
        return values

    def value(self, known: Known, variants: Variants = _NONE) -> Spread:
        """Return the value of the row; `known` has the values of its leaves by slot.

        `variants` are rows, by slot, that are evaluated instead of those of the formula.
        """
        return self._values(known, variants)[self.top]

    def partials(self, known: Known, variants: Variants = _NONE, result: Spread | None = None) -> dict[int, Spread]:
        """Return the derivative of the row with respect to each leaf, by slot; the parameters are those of `uses`."""
        return {leaf: total(uses) for leaf, uses in self.uses(known, variants, result).items()}

    def uses(self, known: Known, variants: Variants = _NONE, result: Spread | None = None) -> dict[int, list[Spread]]:
        """Return the derivatives of the row: {leaf: one Spread for each operand that is this leaf}, two in `x*x`.

        `known` has the values of the leaves by slot. `variants` are rows, by slot, whose partials are used instead of
        those of the formula's rows; values stay those of the formula. A row that is only another name has the
        derivative 1. An operand by which its operation has no derivative adds no number, so a list may be empty. A
        factor of exactly 0 in the chain rule gives 0, even if other factors are unknown. Numbers come from the last
        operation to the first.

        `result` is the rounded value of the row. If given, the partials of the last operation are computed from
        `result` where their rule uses the value, as 1/(2v) for v = sqrt(x). If that operation is monotone with an
        inverse, and the interval of `result` meets the value from `known`, its partial is taken at the argument whose
        value is `result`.
        """
        values = self._values(known, {})  # wrong partials are taken at the right values
        by_result = None
        if result is not None and self.top in self.inner:
            top = variants.get(self.top) or self.graph.rows[self.top]
            if top is not None:
                by_result = _argument_of_result(top, result)
            values[self.top] = result
        contributions: dict[int, list[Spread]] = {leaf: [] for leaf in self.leaves}
        bars: dict[int, Spread] = {self.top: SPREAD.one}
        if self.top in contributions:  # the row is another one
            contributions[self.top].append(SPREAD.one)
        literal = self.graph.literal
        for slot in reversed(self.inner):
            row, bar = variants.get(slot) or self.graph.rows[slot], bars.get(slot, SPREAD.zero)
            if row is None or literal[slot]:
                continue
            parents = self.graph.parents[slot]
            arguments = by_result if by_result and slot == self.top else tuple([values[p] for p in parents])
            partials = partials_at(row, SPREAD, values[slot], arguments, [not literal[p] for p in parents])
            for parent, slope in zip(parents, partials, strict=True):
                if slope is None:
                    continue
                partial = SPREAD.number(slope)
                is_zero = bar.low == bar.high == 0 or partial.low == partial.high == 0
                contribution = SPREAD.zero if is_zero else bar * partial
                if parent in contributions:
                    contributions[parent].append(contribution)
                else:
                    bars[parent] = bars[parent] + contribution if parent in bars else contribution
        return contributions


def _argument_of_result(row: Primitive, result: Spread) -> tuple[Spread] | None:
    """Return, as a tuple of one, the argument at which a monotone function has the value `result`, by its inverse.

    None if the function has no inverse, or is not declared monotone and neither is its inverse with all numbers as its
    range (that of sigmoid is), or if the argument is undefined.
    """
    inverse = ROWS.get(row.inverse or "")
    if inverse is None or (row.monotone is None and (inverse.monotone is None or inverse.monotone.image != Bounds())):
        return None
    argument = SPREAD.number(apply(inverse, SPREAD, [result]))
    return (argument,) if argument.known else None


def cell_of(graph: Graph, slot: int, named: Container[int], top: int | None = None) -> Cell:
    """Return the formula of a slot as a Cell: `leaves`, its named slots and inputs, and `inner`, its other slots.

    The formula goes down to the leaves. Constants without a name are among `inner`. Both tuples are in postorder,
    operands before users, not sorted. `top` is the slot at which the formula ends. With None it is `slot`, which is
    then inner even if it is an input or in `named`. Otherwise another formula is read for the row, and all inputs and
    slots in `named` are leaves, also `slot` and `top`. So if `top` is another row, the formula is a copy of that row:
    `top` is its only leaf, and nothing is inner.
    """
    start, top = (slot, slot) if top is None else (-1, top)
    order = postorder(top, lambda s: () if s in named and s != start else graph.parents[s])
    leaves = [s for s in order if (s in named or s in graph.inputs) and s != start]
    return Cell(graph, slot, top, tuple(s for s in order if s not in leaves), tuple(leaves))


def total(terms: Iterable[Spread]) -> Spread:
    """Return the sum of all terms, 0 for none."""
    return reduce(add, terms, SPREAD.zero)


def uses_of(users: Iterable[Cell], slot: int) -> list[int]:
    """Return the slot of the row of each use of `slot` by `users`, in the order of the contributions to its adjoint."""
    return [user.slot for user in users for _ in range(user.count(slot))]


class Worksheet:
    """A graph with named rows: `slots` by name, `cells` by slot in the order of evaluation.

    `inputs` are the slots of the task's inputs by name, `outputs` those of its outputs. `cells` and `outputs` are empty
    until `finish` is called.
    """

    def __init__(self, task: Task, inputs: Sequence[str]) -> None:
        """Start a program that has only inputs, with these names in this order; `slots` has them too, by name.

        Points and solutions are cached for the problem of `task` (`cache_of`). Names are not checked here.
        """
        self.graph = Graph()
        self.inputs = {name: self.graph.input(name) for name in inputs}
        self.slots: dict[str, int] = dict(self.inputs)
        self.outputs: dict[str, int] = {}
        self.cells: dict[int, Cell] = {}
        self.task, self._cache = task, cache_of(task)

    @property
    def places(self) -> Sequence[Mapping[str, Spread]]:
        """Return the point of the task, then up to 8 random sample points near it, each as {input: value}.

        At the random points all outputs have values, usually on the same side of all kinks (`_places`). They are drawn
        once for all tasks with the same graph, point, fixed inputs and kink weight and the same inputs here
        (`cache_of`).
        """
        names = tuple(self.inputs)
        return self._cache.get_or_make(("places", names), lambda: tuple(_places(self.task, names)))

    def prints(self) -> Prints:
        """Return the values of all slots at all sample points, computed as they are needed.

        Operations on the same functions are computed once for a problem.
        """
        known: KnownPrints = self._cache.get_or_make(("prints", tuple(self.inputs)), dict)
        return Prints(self.graph, self.places, known)

    def graft(self, source: Graph, slot: int, leaves: Mapping[int, int]) -> int:
        """Copy the formula in `slot` of the graph `source` into this graph; return the slot of the copy.

        `leaves` maps slots of `source` to the slots here that represent them; the formula is copied down to these. If
        `slot` itself is one of them, nothing is copied. Equal operations are not merged, and no row is named. Raises
        KeyError if the formula reaches an input of `source` not in `leaves`.
        """
        return copy_formula(self.graph, source, slot, leaves)[slot]

    def graft_whole(self, source: Graph) -> dict[int, int]:
        """Copy all of another graph, whose inputs are those of the task; return {slot of `source`: slot here}, inputs
        included.

        Inputs are not copied but found by name. Names of rows and outputs are not taken over. Raises KeyError if an
        input is not one of the task.
        """
        place = {slot: self.inputs[name] for slot, name in source.inputs.items()}
        for slot in range(len(source)):
            if slot not in place:
                place[slot] = self.graft(source, slot, place)
        return place

    def finish(self, outputs: Mapping[str, int]) -> None:
        """Finish the program with its present rows: set `outputs` (slots by name), `cells` and the literal slots.

        Named slots are those of rows, inputs and `outputs`. Literal (in the graph's list) are all other constants, and
        unnamed operations that may be folded on these. The outputs of the graph become all named slots, in ascending
        order, each with the name "". `cells` is {slot: its Cell} for all named slots but inputs, ascending. At kinks
        rows get the slopes of the task's weight (`set_slopes`).
        """
        self.outputs = dict(outputs)
        named = {*self.slots.values(), *self.outputs.values()}
        graph, literal = self.graph, self.graph.literal
        for slot, row in enumerate(graph.rows):  # a constant with a row of its own gets adjoints like any other row
            parents = graph.parents[slot]
            folded = slot in graph.constants if row is None else row.folds and all(literal[p] for p in parents)
            literal[slot] = folded and slot not in named
        self.graph.outputs = [("", slot) for slot in sorted(named)]  # all of them are evaluated
        set_slopes(self.graph, self.task)
        self.cells = {slot: cell_of(self.graph, slot, named) for slot in sorted(named) if slot not in self.graph.inputs}

    def label(self, slot: int) -> str:
        """Return the first name of a slot, as a row or else as a result; "" for a slot without a name."""
        names = (*self.slots.items(), *self.outputs.items())
        return next((name for name, other in names if other == slot), "")

    def users(self, slot: int) -> list[Cell]:
        """Return the rows that use the row in `slot`, in the order in which a reverse sweep reaches them."""
        return [cell for _, cell in sorted(self.cells.items(), reverse=True) if slot in cell.leaves]

    @cached_property
    def solved(self) -> SolvedProgram:
        """Return the finished program's solutions, shared with those of other answers that are the same program."""
        rows = tuple(self.inputs.items()), tuple(self.outputs.items()), tuple(self.cells)
        key = ("solved", structure(self.graph), *rows)
        return self._cache.get_or_make(key, self._solve)

    def _solve(self) -> SolvedProgram:
        """Return the solutions of the finished graph at all its points, without sweeps yet, and an empty cache."""
        plan = Plan(self.graph, SPREAD)
        return SolvedProgram([Solution(self, place, plan) for place in self.places], {}, ProblemCache())

    def truths(self) -> Sequence[Solution]:
        """Return the solutions of the worksheet: at the point of the task first, then at the random points."""
        return self.solved.truths


class Solution:
    """All values, tangents and adjoints of a worksheet at one point, as Spreads; each sweep is made when it is needed.

    They are computed by its formulas from the inputs, in `place` by name, never from numbers that a student wrote.
    """

    def __init__(self, sheet: Worksheet, place: Mapping[str, Spread], plan: Plan[Spread] | None = None) -> None:
        """Evaluate all slots of the worksheet; `place` has the values of the inputs by name.

        `plan` is the evaluation plan of the worksheet's graph (None: it is made here).
        """
        self.sheet, self._plan = sheet, plan or Plan(sheet.graph, SPREAD)
        self.values = self._plan.values({slot: place[name] for name, slot in sheet.inputs.items()})
        self._sweeps: dict[tuple[str, str | None], list[Spread | float]] = {}

    @cached_property
    def _gradients(self) -> Gradients:
        """The partials of each slot with respect to its operands, as `linearize` returns them."""
        return self._plan.partials(self.values)

    def uses(self, cell: Cell, leaf: int) -> list[Spread]:
        """Return the derivatives of the row `cell` by the named slot `leaf`, one for each use: two for x in `x*x`.

        A use by which the operation has no derivative gives none. `leaf` must be in `cell.leaves`.
        """
        literal = cell.graph.literal
        if cell.inner and not self._plan.conditional and all(literal[slot] for slot in cell.inner[:-1]):
            # The row is one operation, whose partials are known.
            slopes = zip(cell.graph.parents[cell.top], self._gradients[cell.top], strict=False)
            return [SPREAD.number(slope) for operand, slope in slopes if operand == leaf and slope is not None]
        return cell.uses({each: self.value(each) for each in cell.leaves})[leaf]

    def value(self, slot: int) -> Spread:
        """Return the value of a slot."""
        return SPREAD.number(self.values[slot])

    def read(self, kind: str, slot: int, key: str | None) -> Spread:
        """Return the value of a slot, its tangent if the input `key` moves, or its adjoint of the output `key`.

        `kind` is value, dot or bar; `key` is not used for values. Raises KeyError for another kind, or if the worksheet
        does not have that input or output.
        """
        value = self.values[slot] if kind == VALUE else self.sweep(kind, key)[slot]
        return value if type(value) is Spread else SPREAD.number(value)

    def sweep(self, kind: str, key: str | None) -> list[Spread | float]:
        """Return the tangents (`kind` dot, input `key`) or adjoints (`kind` bar, output `key`) of all slots.

        The list is cached. Raises KeyError if the kind is another one, or if the worksheet does not have that input or
        output.
        """
        if (column := self._sweeps.get((kind, key))) is None:
            sheet = self.sheet
            named, sweep = {DOT: (sheet.inputs, tangents), BAR: (sheet.outputs, adjoints)}[kind]
            column = self._sweeps[kind, key] = sweep(sheet.graph, self._gradients, {named[key or ""]: SPREAD.one})
        return column


class SolvedProgram(NamedTuple):
    """The solutions of a program at all sample points, with what has been computed from these.

    `truths` has one Solution for each point, the task's own first. `terms` are {adjoint: its contributions at each
    point}. `formulas` are the values of students' formulas, by their structure and the quantities that they use.
    """

    truths: Sequence[Solution]
    terms: dict[Hashable, list[list[Spread]]]
    formulas: ProblemCache


def _places(task: Task, inputs: Sequence[str]) -> Iterator[dict[str, Spread]]:
    """Yield the point of the task, then up to 8 random sample points near it at which all outputs have values.

    `inputs` are the names to yield values for, among them all inputs of the program and all of `task.fixed` (else
    KeyError after the first point). Each point is a new dict by name; for one problem text the points are always the
    same. Inputs are moved by up to 25 % (small ones farther, `_near`); the reach shrinks by a tenth after each rejected
    point. Inputs in `task.fixed` stay.

    Random points must lie on the same side of all kinks (`_branches`) as the point of the task. If that is at a kink,
    the kink weight, 0 or 1, says which side; with a weight between these, no sides are compared. After 80 draws no more
    are tried. Raises KeyError if an input has no value in the task.
    """
    here = {name: in_arithmetic(SPREAD, task.at[name]) for name in inputs}
    yield here
    graph = task.program.graph.copy()
    set_slopes(graph, task)
    plan = Plan(graph, SPREAD)
    source = random.Random(task.program.source.text)  # noqa: S311 - any points will do, but the same ones
    count, reach = 0, 0.25
    branches = _branches(graph, plan.values({slot: here[name] for slot, name in graph.inputs.items()}))
    for _ in range(_DRAWS):
        if count == _POINTS:
            return
        place = {name: SPREAD.number(_near(float(task.at[name]), reach, source)) for name in inputs}
        place |= {name: here[name] for name in task.fixed}
        values = plan.values({slot: place[name] for slot, name in graph.inputs.items()})
        known = all(SPREAD.number(values[slot]).known for _, slot in graph.outputs)
        if known and (task.is_between_slopes or _branches(graph, values) == branches):
            count += 1
            yield place
        else:
            reach *= 0.9


def _branches(graph: Graph, values: Sequence[Spread | None]) -> list[tuple[int, ...]]:
    """Return on which side of its kinks each operation such as abs, max or relu is, from the `values` of all slots.

    There is a tuple for each of these operations, in order of slots; it has those slopes of the operation that are
    exactly 0, 1 or -1. So equal lists mean equal sides. Operations that continue to complex numbers, such as a power,
    are left out; [] if no operation remains.
    """
    rows = ((slot, row) for slot, row in enumerate(graph.rows) if row is not None)
    kinked = [slot for slot, row in rows if row.smooth is not None and row.continued is False]
    if not kinked:
        return []
    gradients = linearize(graph, SPREAD, values)
    slopes = [[SPREAD.number(x) for x in gradients[slot] if x is not None] for slot in kinked]
    return [tuple(int(x.middle) for x in row_slopes if x.whole and abs(x.middle) <= 1) for row_slopes in slopes]


def _near(x: float, reach: float, source: random.Random) -> float:
    """Return a random number within the relative distance `reach` of `x`; if |x| < `reach`, up to `reach` farther."""
    return x * (1 + reach * source.uniform(-1, 1)) + (reach * source.uniform(-1, 1) if abs(x) < reach else 0.0)


# --- what functions are known by --------------------------------------------------------------------------------------


def same(left: Sequence[Spread], right: Sequence[Spread]) -> bool:
    """Return whether two functions agree at every point at which doubles can show it, and at one such point at least.

    `left` and `right` have one value for each point; values agree if `close` is True, and are not compared if it is
    None. Points at which `right` has no value are skipped. False if `left` has no value at a point at which `right` has
    one. Raises ValueError if the lengths differ and no common point shows a difference.
    """
    has_agreed = False
    for a, b in zip(left, right, strict=True):
        if equal := close(a, b):
            has_agreed = True
        elif equal is False or (b.known and not a.known):
            return False
    return has_agreed


class FunctionIndex:
    """An index of slots by their function, for finding slots with the same function (`like`)."""

    def __init__(self, prints: Mapping[int, Print]) -> None:
        """Index functions by their value at the first point; `prints` is {slot: values at all points}.

        Functions that are precise at the first point are sorted by this value; the others are compared one by one.
        """
        self._order = {slot: order for order, slot in enumerate(prints)}
        alike = grouped((tuple((x.low, x.high) for x in function), slot) for slot, function in prints.items())
        pairs = [(prints[slots[0]], slots) for slots in alike.values()]
        self._sharp = sorted((each for each in pairs if _is_sharp(each[0])), key=lambda each: each[0][0].middle)
        self._middles = [function[0].middle for function, _ in self._sharp]
        self._vague = [each for each in pairs if not _is_sharp(each[0])]  # there the other points must tell

    def like(self, function: Print) -> list[int]:
        """Return the slots whose function is the same as `function`, in the order of `prints`; [] if there are none.

        `function` has a value for each point. It is the left argument of `same`, the slot's function the right one: a
        slot with a value at a point at which `function` has none is not the same. The number of points must be that of
        the index, else `same` may raise ValueError. For speed, two functions that are both precise at the first point
        (finite and narrow, as `close` requires) are compared only if their values there differ by at most 2e-6,
        relative to the larger of 1 and the value.
        """
        near = self._sharp
        if _is_sharp(function):
            middle = function[0].middle
            away = 2 * _WIDE * max(1.0, abs(middle))
            near = near[bisect_left(self._middles, middle - away) : bisect_right(self._middles, middle + away)]
        alike = (slot for other, slots in (*near, *self._vague) if same(function, other) for slot in slots)
        return sorted(alike, key=self._order.__getitem__)


def _is_sharp(function: Print) -> bool:
    """Return whether the value at the first point is precise enough to be distinguished from others."""
    return close(function[0], function[0]) is True


# --- slopes at kinks that a course chooses ----------------------------------------------------------------------------


_NEAR_KINK = Spread(-1e-9, 1e-9)  # around an argument: far below the distance of the sample points


def set_slopes(graph: Graph, task: Task) -> None:
    """Set, in place, the slopes of the rows of `graph` that have, or may have, a kink at the point of the task.

    The slope is s = left + `task.kink_weight` (right - left). Of two arguments (max), the first that depends on an
    input gets s and the other one 1 - s. Nothing changes if the weight is None.
    """
    if task.kink_weight is None:
        return
    for slot, kink, position, arguments, (left, right) in kinks_at(graph, task):
        slope = left + task.kink_weight * (right - left)
        slopes = tuple([slope if k == position else 1 - slope for k in range(len(arguments))])
        graph.rows[slot] = _with_slopes(graph.row(slot), kink, arguments, slopes)


def kinks_at(graph: Graph, task: Task) -> Iterator[tuple[int, Kink, int, tuple[float, ...], tuple[float, float]]]:
    """Yield the kinks with finite slopes that are at the point of the task, or may be within rounding errors, by slot.

    Each is (slot, kink, position of the first argument that depends on an input, values of all arguments, (slope from
    the left, slope from the right)). The two slopes may be equal. Kinks with an infinite or missing slope, and
    operations that depend on no input, are left out. Raises KeyError if there are kinks anywhere and an input has no
    value in the task.
    """
    kinked = [(slot, *each) for slot, kinks, _ in kinked_slots(graph) for each in kinks.items()]
    if not kinked:
        return
    from ...kinks.near_kinks import NearKinks  # few problems have kinks

    values = evaluate(graph, FLOAT, {slot: float(task.at[name]) for slot, name in graph.inputs.items()})
    near = NearKinks(graph).slots(values)
    for slot, kink, position in kinked:
        arguments = tuple([values[p] for p in graph.parents[slot]])
        left, right = kink.slopes_at(FLOAT, arguments) if slot in near else (None, None)
        if left is not None and right is not None and isfinite(left - right):
            yield slot, kink, position, arguments, (left, right)


@lru_cache(maxsize=256)
def _with_slopes(row: Primitive, kink: Kink, point: tuple[float, ...], slopes: tuple[float, ...]) -> Primitive:
    """Return a copy of `row` whose partials near the kink are `slopes`, one for each argument of `point`.

    Near means that each argument is a double within 1e-9 (absolute) of that in `point`, or an interval of doubles that
    has a number in common with this neighbourhood. Elsewhere, and in other arithmetics, the copy has the partials of
    `row`. Its `smooth` is a copy of `kink` without one-sided slopes and without a slope by convention.
    """

    def partials(m: Arithmetic[T], z: T, *xs: T) -> list[T | float | None]:
        pairs = zip(xs, point, strict=True)
        if all(isinstance(x, (float, Spread)) and SPREAD.number(x - a).meets(_NEAR_KINK) for x, a in pairs):
            return [*slopes]
        return row.rules(m, z, xs, [True] * len(xs))

    return row.with_cells(partials=partials, smooth=Kink(kink.holds, kink.title))


# --- what is computed once for a problem and serves all its answers, since a class repeats itself ---------------------


Result = TypeVar("Result")

_MOST_KEPT = 256  # results that are kept for one problem
_PROBLEMS = 16  # problems that are kept


class ProblemCache(dict[Hashable, Any]):
    """Results by key, of one problem; the cache is emptied when it is full. Results must not be changed."""

    def get_or_make(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return the stored result for `key`; a new key is stored with what `make` returns.

        With 256 results in the cache, all are dropped before another one is stored. An exception of `make` passes, and
        nothing is stored.
        """
        if key not in self:
            result = make()
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[key] = result
        value: Result = self[key]
        return value


_cache = lru_cache(maxsize=_PROBLEMS)(lambda *_: ProblemCache())  # by what identifies a problem


def cache_of(task: Task) -> ProblemCache:
    """Return the cache of a task's problem: tasks with the same graph, point, fixed inputs and kink weight have one."""
    return _cache(task.program.graph, tuple(task.at.items()), task.fixed, task.kink_weight)


def structure(graph: Graph) -> tuple[object, ...]:
    """Return a key that is equal for graphs with the same operations, operands, constants and literal slots.

    Names of inputs, outputs and rows are not in it.
    """
    constants = [(slot, constant.text, constant.named) for slot, constant in graph.constants.items()]
    return tuple(graph.rows), tuple(graph.parents), bytes(graph.literal), tuple(constants)
