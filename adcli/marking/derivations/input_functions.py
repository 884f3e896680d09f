"""Formulas as functions of the problem's inputs, the points at which they are compared, and their agreement. A function
is known by its slot, the index of its last operation in a graph; symbols are further inputs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from math import copysign, isfinite, log10

from ...answers.answer_model import NotGradable
from ...graph.copies import copy_formula
from ...graph.graph import Constant, Graph
from ...graph.order import postorder
from ...graph.rules import value_of_slot
from ...graph.tape import UNTAKEN, adjoints, evaluate, value_and_partials, vjp
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.doubles import FLOAT
from ...records import NamedTuple
from ...symbolic.derivative import gradient_graph
from ...table.primitive import ROWS, Primitive
from ..function_values import Print, Prints

_LARGEST = 20_000  # slots of all functions of one answer
_NARROW = 1e-6  # width of values that count as equal, relative to their size
_OVERFLOWS = 1e300
_VISIBLE = 1e-6  # effect of a part, relative to the whole
_DECIMAL = 0.01  # how far a decimal number may be off for its last place, as a fraction of it
VISIBLE_IF_ROUNDED = 4 * _DECIMAL  # effect of a part that rounded decimals cannot hide


class Agreement(NamedTuple):
    """The result of comparing two functions, a true one and another.

    `equal` is None if it is undecided; `proved` says that they are one slot or have the same normal form. `points` is
    the number of sample points that show that they agree, `unseen` the number of those where the true function is known
    and the other one is not (nan or an infinite end). `nowhere`: the other one is nan wherever the true one is known.
    `hidden`: values agree, but a part of one of the functions is too small to be seen at any point.
    """

    equal: bool | None
    proved: bool = False
    points: int = 0
    unseen: int = 0
    nowhere: bool = False
    hidden: bool = False


class Functions:
    """A growing graph of functions over the inputs of a problem, with their values at points of its domain.

    `outputs` and `inputs` are slots by name, `truths` the slots of the requested derivatives by (output, inputs).
    `prints` has the values of each slot at the sample points.
    """

    def __init__(self, problem: Graph, requests: Sequence[tuple[str, ...]]) -> None:
        """Build the outputs of `problem` and the derivatives in `requests`, and draw points at which all have values.

        `requests` has, for each derivative, the inputs to differentiate by, one after another. `truths` then holds the
        slots of the derivatives of all outputs, by (output, inputs). Raises NotGradable if the graph is too large.
        """
        self.graph = Graph()
        self.inputs = {name: self.graph.input(name) for name in problem.inputs.values()}
        self.free: dict[str, int] = {}
        self._positive: dict[int, Prints] = {}  # by the slot of a derivative
        self._derivatives: dict[tuple[int, int], int] = {}
        self.outputs = {name: self.graft(problem, slot, {}) for name, slot in problem.outputs}
        self.truths = {
            (output, wrt): self.differentiate(slot, wrt) for output, slot in self.outputs.items() for wrt in requests
        }  # fmt: skip
        places = draw_points(self.graph, [*self.outputs.values(), *self.truths.values()])
        self.prints = Prints(self.graph, places)

    # --- building -----------------------------------------------------------------------------------------------------

    def graft(self, source: Graph, slot: int, leaves: Mapping[int, int]) -> int:
        """Copy `slot` of the graph `source` into this graph and return the slot of the copy; equal operations are not
        merged.

        `leaves` maps slots of `source` to slots of this graph that replace them; other inputs are matched by name, and
        a name that is not an input of the problem becomes a symbol. Raises NotGradable if this graph then has more than
        20,000 slots.
        """
        copy = copy_formula(self.graph, source, slot, leaves, self.symbol)[slot]
        if len(self.graph) > _LARGEST:
            raise NotGradable("the answer is too long", label=f"its formulas have more than {_LARGEST:,} operations")
        return copy

    def substitute(self, slot: int, leaves: Mapping[int, int]) -> int:
        """Return the slot of `slot` with the keys of `leaves` replaced by their values, all of them slots.

        It is `slot` itself if `leaves` is empty.
        """
        return self.graft(self.graph, slot, leaves) if leaves else slot

    def symbol(self, name: str) -> int:
        """Return the slot of an input, or of a name that nothing defines and that may have any value.

        The same name always has the same slot; a new name is appended to the graph and recorded in `free`.
        """
        known = self.inputs if name in self.inputs else self.free
        if name not in known:
            known[name] = self.graph.input(name)
        return known[name]

    def apply(self, name: str, left: int, right: int) -> int:
        """Return the slot of the operation called `name` in the table, applied to the slots `left` and `right`.

        Raises KeyError if the table has no such operation.
        """
        return self.graph.apply(ROWS[name], (left, right))

    def graph_of(self, slot: int) -> Graph:
        """Return a new graph with the one output `y`, the function of `slot`, over the inputs and symbols
        that it uses.
        """
        part = Graph()
        part.outputs = [("y", copy_formula(part, self.graph, slot, {}, part.input)[slot])]
        return part

    def differentiate(self, slot: int, wrt: Sequence[str]) -> int:
        """Return the slot of the derivative of `slot` by each name of `wrt` in turn; `slot` itself if `wrt` is empty.

        Names that are not inputs are symbols. Results are cached. Raises NotGradable if the graph gets more than 20,000
        slots.
        """
        for name in wrt:
            slot = self._derivative(slot, self.symbol(name))
        return slot

    def _derivative(self, slot: int, by: int) -> int:
        """Return the slot of the derivative of the formula in `slot` with respect to the input or symbol in slot `by`.

        Its operations are appended to the graph; results are cached. Raises NotGradable if the graph gets more than
        20,000 slots.
        """
        if (derivative := self._derivatives.get((slot, by))) is None:
            part, name = self.graph_of(slot), self.graph.inputs[by]
            derived = gradient_graph(part, [name])
            derivative = self._derivatives[slot, by] = self.graft(derived, derived.outputs[0][1], {})
        return derivative

    def depends(self, slot: int) -> set[str]:
        """Return the names of all inputs and symbols that a slot uses."""
        names = self.graph.inputs
        return {names[s] for s in postorder(slot, self.graph.parents.__getitem__) if s in names}

    def size(self, slot: int) -> int:
        """Return the number of operations of a slot, each counted once."""
        graph = self.graph
        return sum(graph.rows[s] is not None for s in postorder(slot, graph.parents.__getitem__))

    # --- equality -----------------------------------------------------------------------------------------------------

    def compare(self, truth: int, slot: int) -> Agreement:
        """Return whether the slots `truth` and `slot` are the same function, as an Agreement.

        The first that applies:
        - they are one slot: `equal` True, `proved`, and `points` the number of all sample points;
        - their values differ at a sample point: `equal` False;
        - their normal forms are the same: `equal` True, `proved`, even if values decide nothing;
        - their values agree, but an argument in one of them has no visible effect at any point: `equal` None, `hidden`;
        - their values agree: `equal` True, not `proved`;
        - no point decides: `equal` None.

        `points` is the number of points where they agree, `unseen` of those where only `slot` has no value.
        """
        if truth == slot:
            return Agreement(True, True, len(self.prints.places))
        comparison = compare_samples(self.prints[truth], self.prints[slot])
        if comparison.equal is False:
            return comparison
        from .proofs import prove_equal

        if prove_equal(self.graph, truth, slot):
            return Agreement(True, True, comparison.points, comparison.unseen)
        if comparison.equal and (self.has_hidden_part(truth) or self.has_hidden_part(slot)):
            return comparison._replace(equal=None, hidden=True)
        return comparison

    def has_hidden_part(self, slot: int, visible: float = _VISIBLE) -> bool:
        """Return whether some argument of an operation in the formula of `slot` has no visible effect at any point.

        The effect is the relative change of the slot, to first order, if the argument changes by its own size. It is
        not visible if it is below the fraction `visible` (default: a millionth) at every sample point and above 0 at
        one of them. An effect of nan counts as visible.
        """
        largest: dict[tuple[int, int], float] = {}
        for argument, effect in self._effects(slot):
            largest[argument] = max(largest.get(argument, 0.0), effect) if effect == effect else 1.0
        return any(0 < effect < visible for effect in largest.values())

    def _effects(self, slot: int) -> Iterator[tuple[tuple[int, int], float]]:
        """Yield ((an operation, position of its argument), relative effect) for each argument in the formula of `slot`.

        The effect is the relative change of the slot, to first order, if the argument changes by its own size; the
        sizes of all paths are added. It may be nan. Operations are slots of a copy of the formula. Each argument comes
        once for each sample point at which the slot has a value other than 0.
        """
        graph, order = Graph(), postorder(slot, self.graph.parents.__getitem__)
        leaves = {s: graph.input(str(s)) for s in order if self.graph.rows[s] is None}
        output = copy_formula(graph, self.graph, slot, leaves)[slot]
        graph.outputs = [("", output)]
        for k, whole in enumerate(self.prints[slot]):
            if not whole.known or not whole.middle:
                continue
            point = {own_slot: self.prints[s][k].middle for s, own_slot in leaves.items()}
            values, gradients = value_and_partials(graph, point)
            sizes = [tuple(g if g is None or g is UNTAKEN else abs(g) for g in slopes) for slopes in gradients]
            for s, bar in enumerate(adjoints(graph, sizes, {output: 1.0})):
                for j, (parent, size) in enumerate(zip(graph.parents[s], sizes[s], strict=False)):
                    yield (s, j), abs(bar * (size or 0.0) * (values[parent] or 0.0) / whole.middle)

    def same(self, left: int, right: int) -> bool:
        """Return whether two slots are identical or agree at the sample points.

        False if they differ at a point, and if no point decides it.
        """
        return left == right or compare_samples(self.prints[left], self.prints[right]).equal is True

    def agrees_if_positive(self, truth: int, slot: int) -> bool:
        """Return whether two slots agree at the points of `_prints_if_positive(truth)`, where inputs are positive.

        False if no point decides it, and if a part of a function is too small to be seen.
        """
        if truth not in self._positive:
            self._positive[truth] = self._prints_if_positive(truth)
        prints = self._positive[truth]
        equal = compare_samples(prints[truth], prints[slot]).equal
        return equal is True and not any(map(self.has_hidden_part, (truth, slot)))

    def _prints_if_positive(self, truth: int) -> Prints:
        """Return the values at points where all inputs are positive that must not be negative alone, as L and g in
        sqrt(L/g).

        If the sign of such an input is reversed, `truth` has no value at any sample point. The points are the sample
        points at which these inputs are positive, also with the sign of each other input reversed; none if there is no
        such input.
        """
        places, graph = self.prints.places, self.graph
        others = {name: [{**place, name: -place[name]} for place in places] for name in self.inputs}
        alone = [name for name in others if not any(x.known for x in Prints(graph, others[name])[truth])]
        every = [*places, *(place for name in others if name not in alone for place in others[name])]
        return Prints(graph, [place for place in every if alone and all(place[name].low > 0 for name in alone)])

    def equals_if_rounded(self, exact: int, rounded: int, least: int = 1) -> bool:
        """Return whether two slots agree at the sample points if the decimal numbers in `rounded` are taken as rounded.

        Each decimal number in `rounded` with `least` significant digits or more becomes the interval that it may be
        rounded from (`_interval_of_decimal`), a unit of its last place to either side if `least` is not 1 and it has
        more than that; other numbers stay. The two intervals must meet at all points where both functions have values,
        and at one of these points or more that of `rounded` must be no wider than 4 % of the larger end of `exact` in
        size. False if there is no such point, if `rounded` has no such number, or, unless `least` is 1, if `exact` has.
        """
        graph = self.graph
        order = postorder(rounded, graph.parents.__getitem__)
        wide = {} if least > 1 and self._decimals(exact, least) else self._decimals(rounded, least)
        is_narrow = False
        for k, true in enumerate(self.prints[exact] if wide else ()):
            values = {s: self.prints[s][k] for s in order if graph.rows[s] is None} | wide
            for s in order:
                if s not in values:
                    values[s] = SPREAD.number(value_of_slot(graph, SPREAD, s, values))
            value = values[rounded]
            if not (value.known and true.known):
                continue
            if not value.meets(true):
                return False
            size = max(abs(true.low), abs(true.high))
            is_narrow = is_narrow or value.high - value.low <= VISIBLE_IF_ROUNDED * size
        return is_narrow

    def _decimals(self, slot: int, least: int) -> dict[int, Spread]:
        """Return {slot of a decimal number in the formula of `slot`: its interval} (`_interval_of_decimal`)."""
        order, constants = postorder(slot, self.graph.parents.__getitem__), self.graph.constants
        intervals = ((s, _interval_of_decimal(constants.get(s), least)) for s in order)
        return {s: spread for s, spread in intervals if spread is not None}


def compare_samples(truth: Print, other: Print) -> Agreement:
    """Compare the values of two functions at the sample points, as an Agreement that is never proved.

    Points at which `truth` is unknown (nan or an infinite end) are ignored. By the others:
    - `equal` is False, and all else is 0 or False, if the intervals do not meet at one of them. An unknown `other`
      is compared too if all of it is beyond 1e300 in size, as [1e305, ∞] is;
    - it is True if at one of them at least both intervals are narrow, at most a millionth of `truth` wide, and None if
      at none;
    - `points` counts these, `unseen` the points at which `other` is unknown and has not been found different;
    - `nowhere` says that `other` is nan (an infinite end is not enough) at all of them, and that there are any.

    Raises ValueError if the lengths differ.
    """
    agreed = unseen = 0
    for a, b in zip(truth, other, strict=True):
        if not a.known:
            continue
        overflows = max(b.low, -b.high) >= _OVERFLOWS  # it is larger than any number
        if (b.known or overflows) and not a.meets(b):
            return Agreement(False)
        if not b.known:
            unseen += 1
            continue
        agreed += max(a.high - a.low, b.high - b.low) <= _NARROW * abs(a.middle)
    missing = [b.low != b.low for a, b in zip(truth, other, strict=True) if a.known]
    return Agreement(True if agreed else None, False, agreed, unseen, bool(missing) and all(missing))


def _interval_of_decimal(constant: Constant | None, least: int) -> Spread | None:
    """Return the interval of numbers that round to a decimal constant: half a unit of its last place around, or a unit
    if `least` is above 1 and it has more digits.

    The interval is wider than that by a factor of 1.0001. None if `constant` is None or has a name, if its text has no
    digits behind a decimal point or has an exponent, or has fewer than `least` significant digits, and if half a unit
    of the last place is more than 1 % of the number (as for 0.0).
    """
    text = "" if constant is None or constant.named else constant.text
    count = len(text.replace(".", "").lstrip("0"))
    if constant is None or "." not in text or count < least:
        return None
    digits = text.partition(".")[2]
    value = number_of(constant)
    half = (1.0 if 1 < least < count else 0.5) * 10.0 ** -len(digits) if digits.isdecimal() else 0.0
    if not half or half > _DECIMAL * abs(value):
        return None
    return Spread(value - half * 1.0001, value + half * 1.0001)


Point = dict[int, float]  # {slot of an input: its value}

POINTS = 12
_DRAWS = 600  # points that are tried
_ENOUGH = 48  # draws after which points count at which some part has no effect
_LEAST = 24  # draws, however much work they are
_MOVES = 12  # of one point
_WORK = 300_000  # operations that all draws together may take
_SCALES = (1.0, 0.3, 3.0, 10.0, 0.05, 100.0)
_FARTHEST = 60  # decimal exponent of a coordinate
_DISTINCT = 1e-7  # width of a value that differs clearly from others, relative to its size
_NORMAL = (1e-290, 1e290)
# Decimal exponents of the sizes that have an effect: of the argument of a function, of the result of a power, and of
# the smaller term of a sum in relation to the larger one.
_ARGUMENT, _POWER, _TERM = (-4.0, 1.3), 200.0, -5.0
_FREE = ("mul", "div", "neg", "sqrt", "cbrt", "abs", "log", "log2", "log10")  # whose arguments may have any size


class HidingPart(NamedTuple):
    """A slot whose size hides others, and the decimal exponent of the size that it should have."""

    slot: int
    exponent: float


def draw_points(graph: Graph, needed: Sequence[int]) -> list[dict[str, Spread]]:
    """Return up to 12 sample points, each {input name: value} with all inputs, at which the slots `needed` have values.

    The same graph always gives the same points; [] if none is found. Three kinds are returned in this order:
    - every part of the graph has a visible effect, and all `needed` values have rank 0 (`_rank_value`);
    - others with rank 0;
    - those whose worst rank is 2.

    Each drawn point is moved first (`_adjust_point`); the last two points of that way are tried, the last one first,
    then the drawn one if the way ended with False. Only the last point of a way that ended with True is of the first
    kind. The first of these that is of some kind is kept. Drawing ends after 600 points, or as soon as there are 12 of
    the first kind. From the 49th draw on the first two kinds count together. From the 25th draw on it ends after more
    than 300,000 operations, those of moving. Sets `graph.outputs` to the slots `needed`.
    """
    graph.outputs = [("", slot) for slot in needed]  # these are computed whatever branches are taken
    source = random.Random(len(graph))  # noqa: S311 - any points will do, but the same ones
    order = sorted({s for slot in needed for s in postorder(slot, graph.parents.__getitem__)})
    kinds: tuple[list[dict[str, Spread]], ...] = ([], [], [])
    work = 0
    for draw, drawn in enumerate(_random_points(graph, source)):
        path, has_effect = _adjust_point(graph, order, drawn, source)
        for point in path[:-3:-1] if has_effect else [*path[:-3:-1], drawn]:
            values = evaluate(graph, SPREAD, {slot: SPREAD.number(x) for slot, x in point.items()})
            qualities = (_rank_value(SPREAD.number(values[slot])) for slot in needed)
            quality = max(*qualities, int(not (has_effect and point is path[-1])))
            if quality < len(kinds):
                kinds[quality].append({graph.inputs[slot]: SPREAD.number(x) for slot, x in point.items()})
                break
        work += 3 * len(path) * len(graph)
        enough = len(kinds[0]) + (len(kinds[1]) if draw >= _ENOUGH else 0)
        if enough >= POINTS or (work > _WORK and draw >= _LEAST):
            break
    return [place for kind in kinds for place in kind][:POINTS]


def _random_points(graph: Graph, source: random.Random) -> Iterator[Point]:
    """Yield 600 points {slot of an input: value}, drawn from `source`.

    Each coordinate is a centre plus a random number up to a scale in size; in every second point this number is
    positive. Scales go from 0.05 to 100 and change after every two points, in turn. The centre is 0. In every third
    point it is drawn for each coordinate: 0, or a constant of the graph (one of the first 7 below 1e6 in size) with a
    random sign.
    """
    centres = [0.0, *{abs(x): x for x in map(number_of, graph.constants.values()) if abs(x) < 1e6}.values()][:8]
    for draw in range(_DRAWS):
        scale = _SCALES[draw // 2 % len(_SCALES)]
        point = {}
        for slot in graph.inputs:
            centre = 0.0 if draw % 3 else source.choice(centres) * source.choice((1, -1))
            size = abs(source.uniform(-scale, scale)) if draw % 2 else source.uniform(-scale, scale)
            point[slot] = centre + size
        yield point


def number_of(constant: Constant) -> float:
    """Return the value of a number; 0 for a named constant such as pi, and for a text that is not a number."""
    try:
        return 0.0 if constant.named else float(constant.text)
    except ValueError:
        return 0.0


def _rank_value(value: Spread) -> int:
    """Return the quality of a value at a sample point, less is better: 0, 2 or 3.

    The size of an interval is its end that is larger in size.
    - 0: exactly 0, or an interval between 1e-290 and 1e290 in size that is no wider than 1e-7 of its size;
    - 2: an interval below 1e12 in size that is no wider than 1e-7 of its size or, if that is more, than 1e-10;
    - 3: any other interval, and no value.
    """
    if not value.known:
        return 3
    low, high = sorted((abs(value.low), abs(value.high)))
    width = value.high - value.low
    if high == 0 or (_NORMAL[0] < low and high < _NORMAL[1] and width <= _DISTINCT * high):
        return 0
    return 2 if high < 1e12 and width <= _DISTINCT * max(high, 1e-3) else 3


# --- moving points ----------------------------------------------------------------------------------------------------


def _adjust_point(graph: Graph, order: Sequence[int], point: Point, source: random.Random) -> tuple[list[Point], bool]:
    """Return (points, whether every part of the formulas has an effect at the last point), starting from `point`.

    The points, {slot of an input: value}, are the way from `point`, which is the first, to a better one. Each step
    changes one input, so that the first operand that hides others gets another size (`_hiding_parts`, `_move`). The way
    ends with True if no operand hides another one. It ends with False after 12 steps, without a look at the last point,
    or if no input can change that operand. `order` has the slots to look at, operands first; `source` draws.
    """
    path = [point]
    for _ in range(_MOVES):
        values = evaluate(graph, FLOAT, path[-1])
        part = next(_hiding_parts(graph, order, values, source), None)
        step = None if part is None else _move(graph, part, path[-1], source)
        if step is None:
            return path, part is None
        path.append({**path[-1], **step})
    return path, False


def _hiding_parts(
    graph: Graph, order: Sequence[int], values: Sequence[float | None], source: random.Random
) -> Iterator[HidingPart]:
    """Yield operands that are so large or small that other operands have no effect, each as a HidingPart.

    A HidingPart has `slot`, the operand, and `exponent`, the decimal exponent of the size that it should have, drawn
    from `source`. Operations are taken in `order` (slots, operands first); `values` has the values of all slots.
    Products, quotients, negatives, roots, absolute values and logarithms are skipped. So are literal slots and
    operations with an operand that is nan or has no value.
    """
    for slot in order:
        row, parents = graph.rows[slot], graph.parents[slot]
        sizes = [size for p in parents if (size := _decimal_exponent(values[p])) is not None]
        if row is None or graph.literal[slot] or len(sizes) < len(parents) or row.name in _FREE:
            continue
        moving = [k for k, p in enumerate(parents) if not graph.literal[p]]
        for k, exponent in _hiding_operands(row, [values[p] or 0.0 for p in parents], sizes, moving, source):
            yield HidingPart(parents[k], exponent)


def _hiding_operands(
    row: Primitive, values: Sequence[float], sizes: Sequence[float], moving: Sequence[int], source: random.Random
) -> Iterator[tuple[int, float]]:
    """Yield (position, decimal exponent that it should have) for those operands of `row` that hide others.

    `values` are the values of the operands, `sizes` their decimal exponents, `moving` the positions of those that are
    not just numbers. The new exponents are drawn from `source` within a range.
    - Sum or difference: if the operands differ by more than 5 orders of magnitude and none is 0, one of `moving` at
      random; its new size is near that of the other operand.
    - Power with a constant exponent: the base, if the size of the result is beyond 1e±200.
    - Conditions and choices: nothing.
    - Other functions: each of `moving` that is not 0 and whose exponent is outside -4 to 1.3.
    """
    if row.name in ("add", "sub"):
        if abs(sizes[0] - sizes[1]) > -_TERM and all(values):
            k = source.choice(moving)
            yield k, sizes[1 - k] + source.uniform(-1.5, 0.7)
    elif row.name == "pow" and list(moving) == [0]:
        power = abs(values[1])
        if abs(sizes[0]) * power > _POWER:
            yield 0, source.uniform(-3.0, 3.0) / power
    elif not row.truth and row.route is None:
        low, high = _ARGUMENT
        for k in moving:
            if values[k] and not low <= sizes[k] <= high:
                yield k, source.uniform(-1.0, 0.7)


def _decimal_exponent(x: float | None) -> float | None:
    """Return the decimal exponent of the size of `x`; None for nan and for None.

    For 0 and infinity it is the exponent of the smallest and of the largest double.
    """
    return None if x is None or x != x else log10(min(max(abs(x), 5e-324), 1.7e308))


def _move(graph: Graph, part: HidingPart, point: Mapping[int, float], source: random.Random) -> Point | None:
    """Return {slot of one input: new value} that gives the function `part.slot` the size 10**`part.exponent`.

    `point` has the present values of all inputs; the sign of the function is kept. The new value is exact to first
    order: in logarithms if the function is to change by more than 1.5 orders of magnitude and its relative slope is
    between 0.001 and 1000, else linear. Inputs are not moved if the slope or the value of the function is 0 or not
    finite, if they would not change, or if they would reach 1e60. None if no input can be moved; of several inputs
    `source` draws one.
    """
    values, bars = vjp(graph, point, {part.slot: 1.0})
    value = values[part.slot]
    goal = copysign(10.0**part.exponent, value)
    steps: list[Point] = []
    for slot, x in point.items():
        slope = bars[slot]
        if not (isfinite(slope) and slope and isfinite(value) and value):
            continue
        orders = part.exponent - log10(abs(value))
        elasticity = slope * x / value
        if abs(orders) > 1.5 and x and 1e-3 < abs(elasticity) < 1e3:
            exponent = log10(abs(x)) + orders / elasticity
            moved = copysign(10.0**exponent, x) if abs(exponent) <= _FARTHEST else x
        else:
            moved = x + (goal - value) / slope
        if moved != x and isfinite(moved) and abs(moved) < 10.0**_FARTHEST:
            steps.append({slot: moved})
    return source.choice(steps) if steps else None
