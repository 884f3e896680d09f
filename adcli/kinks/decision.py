"""What the outputs of a program are around a point where it meets kinks: smooth after all, or not, and their slopes.

One-sided slopes along each input are those of series on both sides (`germs`), so that kinks of kinks, steps and
conditions are decided.  With several inputs slopes along them prove nothing (|x+y| − |x−y| has slope 0 along both), so
all pieces around the point (`selection`) have to have one gradient in the directions in which they can lie: then the
function has it.  What depends on one input alone is known by its series there, and enters as two pieces at most.

A program that is smooth takes its partials from one piece, that along one direction: every partial is the limit of the
row's own rule along it, so that the chain rule holds.  Sources: Nesterov, "Lexicographic differentiation of nonsmooth
functions" (2005); Khan and Barton, "A vector forward mode of automatic differentiation for generalized derivative
evaluation" (2015).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from ..errors import damaged
from ..graph.graph import Graph
from ..graph.order import Unique, ancestors, kinked
from ..graph.tape import UNTAKEN, Gradients, evaluate, leaves, linearize, on_demand
from ..overriding import override
from ..records import NamedTuple
from .exact_reals import Flat, Real, Reals, Unknown
from .local_series import Finer, Germ, Germs, Outside, finest
from .pieces import CONTINUOUS, SMOOTH, Absent, Constraint, FirstOrder, Selection, lies_in, spanned_by

if TYPE_CHECKING:
    from typing import TypeAlias

    from ..table.arithmetic import Evaluating, T

    Direction: TypeAlias = Mapping[int, int | Fraction]

Found = TypeVar("Found")

_TERMS = (8, 32)  # of the series, the second where the first are too flat
_MOST_LEAVES = 128
_MOST_WORK = 40_000  # leaves times operations
_LARGEST = 3_000  # operations
_RATIOS = (1, Fraction(5, 7), Fraction(11, 31), Fraction(13, 97), Fraction(17, 211))  # of a direction like no other
_MOST_INPUTS = 5
_TRIED = ((1, 1), (1, -1), (2, 1), (1, 2), (2, -1), (1, -2), (3, 2), (-3, 2))  # directions that may show a kink


class Side(NamedTuple):
    """One side of the point: the limit and the slope there, `infinite` with its sign where there is none.

    `state` is "": known; "outside": the function does not go on; "unknown", and why.
    """

    limit: Real | None = None
    slope: Real | None = None
    infinite: int = 0
    state: str = ""
    germ: Germ | None = None


class Around(NamedTuple):
    """An output around the point: `kind` is smooth, edge (smooth as far as it goes), kink, jump or unknown, and why.

    `value` is the number at the point, `sides` has left and right by input, `gradient` the slopes where they exist.
    """

    kind: str
    value: Real | None
    sides: dict[int, tuple[Side, Side]]
    gradient: dict[int, Real]
    why: str = ""


class Limits(NamedTuple):
    """One smooth piece: values and partials of the slots as limits along one direction, None where there is none.

    A partial that grows without bounds is an infinite double.
    """

    values: list[Real | None]
    partials: list[tuple[Real | float | None, ...]]
    moved: bytearray  # the slots whose value is another one at the point itself


class Neighbourhood:
    """A graph around a point that meets kinks; the point is given by slot, in real numbers of `reals`."""

    def __init__(self, graph: Graph, reals: Reals, point: Mapping[int, Real]) -> None:
        if len(graph) > _LARGEST:
            raise Unknown("too many operations")
        self.graph = graph
        self.reals = reals
        self.point = point
        self.here = evaluate(graph, reals, point)
        self._first = Unique(graph).first
        self._sides: dict[object, Side] = {}
        self._along: dict[tuple[tuple[int, int | Fraction], ...], list[Germ | None] | str] = {}

    # --- along directions

    def along(self, direction: Direction) -> list[Germ | None] | str:
        """The germs of all slots in a direction, by slot; or why there are none."""
        key = tuple(direction.items())
        if key not in self._along:
            self._along[key] = self._germs(
                direction, lambda m: self._inside(m, evaluate(self.graph, m, self._moving(m, direction)))
            )
        return self._along[key]

    def _moving(self, m: Germs, direction: Direction) -> dict[int, Germ]:
        return {slot: m.moving(at, direction.get(slot, 0)) for slot, at in self.point.items()}

    def _germs(self, direction: Direction, run: Callable[[Germs], Found]) -> Found | str:
        why = ""
        for terms in _TERMS:
            q = 1
            try:
                while True:
                    try:
                        return run(Germs(self.reals, q, terms))
                    except Finer as finer:
                        q = finest(q, finer.times)
            except Outside:
                return "outside"
            except Flat as flat:
                why = str(flat)
            except Unknown as unknown:
                return str(unknown)
        return why

    def side(self, output: int, direction: Direction) -> Side:
        """An output in a direction."""
        key = (output, tuple(direction.items()))
        if key not in self._sides:
            self._sides[key] = self._side(output, direction)
        return self._sides[key]

    def _side(self, output: int, direction: Direction) -> Side:
        found = self.along(direction)
        if isinstance(found, str) or found[output] is None:  # it is what others need that has none, or not asked for
            found = self._germs(direction, lambda m: self._alone(m, output, direction))
            if isinstance(found, str):
                return Side(state="outside" if found == "outside" else f"unknown: {found}")
        z = found[output]
        return Side(state="unknown: no value") if z is None else self._slope(z)

    def _alone(self, m: Germs, output: int, direction: Direction) -> list[Germ | None]:
        """The germs of what one output needs."""
        values = leaves(self.graph, m, self._moving(m, direction))
        return self._inside(m, on_demand(self.graph, m, values, [output]))

    def _inside(self, m: Germs, germs: list[Germ]) -> list[Germ | None]:
        """The germs as `evaluate` gives them; raises Outside where an operation on the way leaves its domain."""
        for row, parents, z in zip(self.graph.rows, self.graph.parents, germs, strict=True):
            if z is not None and row is not None and row.domain:
                arguments = tuple([germs[p] for p in parents])
                if row.broken(m, arguments) is not None:
                    raise Outside
        return cast("list[Germ | None]", germs)  # none on a branch not taken

    def _slope(self, z: Germ) -> Side:
        try:
            q = z.m.q
            limit = z.m.limit(z)
            for exponent in range(1, q):
                c = z.at(exponent)
                if c.terms:
                    return Side(limit, None, self.reals.signum(c), germ=z)
            return Side(limit, z.at(q), germ=z)
        except Unknown as unknown:
            return Side(state=f"unknown: {unknown}")

    # --- around the point

    def around(self, output: int) -> Around:
        """What an output is around the point."""
        try:
            return self._around(output)
        except (Unknown, Outside) as unknown:
            return Around("unknown", None, {}, {}, str(unknown) or "it does not go on everywhere")

    def _around(self, output: int) -> Around:
        needed = ancestors(self.graph, [output])
        inputs = [slot for slot in self.point if needed[slot]]
        value = self.here[output]
        sides = {slot: (self.side(output, {slot: -1}), self.side(output, {slot: 1})) for slot in inputs}
        every = [side for pair in sides.values() for side in pair]
        for side in every:
            if side.state.startswith("unknown"):
                return Around("unknown", value, sides, {}, side.state[9:])
        if any(side.limit is not None and self.reals.signum(side.limit - value) for side in every):
            return Around("jump", value, sides, {})
        gradient: dict[int, Real] = {}
        edge = False
        for slot, (left, right) in sides.items():
            slopes = [x for x in (None if left.slope is None else -left.slope, right.slope) if x is not None]
            outside = [side for side in (left, right) if side.state]
            if len(slopes) + len(outside) < 2 or not slopes:
                return Around("kink", value, sides, {})
            if len(slopes) == 2 and self.reals.signum(slopes[0] - slopes[1]):
                return Around("kink", value, sides, {})
            edge = edge or bool(outside)
            gradient[slot] = slopes[0]
        kind = "edge" if edge else "smooth"
        if len(inputs) < 2:
            return Around(kind, value, sides, gradient)
        why = self._unproven(output, inputs, gradient)
        if not why:
            return Around(kind, value, sides, gradient)
        found = self._differs(output, inputs, gradient) if len(inputs) <= _MOST_INPUTS else ""
        return Around("kink" if found else "unknown", value, sides, {} if found else gradient, found or why)

    def _differs(self, output: int, inputs: Sequence[int], gradient: Mapping[int, Real]) -> str:
        """A direction in which the slope is not that of the gradient, in words; empty where none is found."""
        for k, first in enumerate(inputs):
            for second in inputs[k + 1 :]:
                for a, b in _TRIED:
                    side = self.side(output, {first: a, second: b})
                    if side.state:
                        continue
                    expected = gradient[first] * a + gradient[second] * b
                    if side.slope is None or self.reals.signum(side.slope - expected):
                        names = self.graph.inputs
                        return f"({names[first]}, {names[second]}) = ({a}, {b})"
        return ""

    # --- all pieces

    def _unproven(self, output: int, inputs: list[int], gradient: Mapping[int, Real]) -> str:
        """Why it is not proven that an output has this gradient; empty where it is."""
        needed = ancestors(self.graph, [output])
        operations = sum(needed)
        single = self._single_input(needed)
        choices: list[list[int]] = []
        for count in range(_MOST_LEAVES):
            if count * operations > _MOST_WORK:
                return "too many pieces"
            m = Selection(self.reals, choices)
            try:
                why = self._unlike(self._piece(m, output, single), m.constraints, output, inputs, gradient)
            except Unknown as unknown:
                why = str(unknown) or "a piece without a value"
            if why:
                return why
            while choices and len(choices[-1]) == 1:
                choices.pop()
            if not choices:
                return ""
            choices[-1].pop(0)
        return "too many pieces"

    def _unlike(
        self, z: FirstOrder | None, constraints: list[Constraint], output: int, inputs: list[int],
        gradient: Mapping[int, Real],
    ) -> str:  # fmt: skip
        """In what a piece differs from the function, in a direction in which it can lie."""
        if z is None:
            return ""
        zero, one = self.reals.zero, self.reals.one
        rest = [z.slopes.get(k, zero) - gradient.get(k, zero) for k in inputs]
        why = "pieces with different slopes"
        if z.rough != SMOOTH:
            why = "a piece without a slope"
        elif self.reals.signum(z.value - self.here[output]):
            why = "a piece with another value"
        elif not any(x.terms for x in rest):
            return ""
        span = spanned_by(constraints, inputs)
        wanted = [rest] if why == "pieces with different slopes" else []
        units = [[one if k == j else zero for k in inputs] for j in inputs]
        return "" if span and all(lies_in(self.reals, row, span) for row in wanted or units) else why

    def _single_input(self, needed: Sequence[int]) -> list[int | None]:
        """For each slot the one input that it depends on; None for several or none."""
        found: list[int | None] = []
        several = bytearray(len(self.graph))
        for slot, parents in enumerate(self.graph.parents):
            mine = {found[p] for p in parents if found[p] is not None}
            several[slot] = len(mine) > 1 or any(several[p] for p in parents)
            own = next(iter(mine), None) if not several[slot] else None
            found.append(slot if slot in self.point else own)
        return found

    def _piece(self, m: Selection, output: int, single: Sequence[int | None]) -> FirstOrder | None:
        """The form of the output in the piece of the choices of `m`; None where the function does not go on."""
        values = leaves(self.graph, m, self.point)  # type: ignore[misc]  # reals are forms as they are
        sides: dict[int, int] = {}
        for slot in self._edges_of_single(output, single):
            source = single[slot]
            if source is not None:
                values[slot] = self._single(m, slot, source, sides)
        try:
            found: FirstOrder = on_demand(self.graph, m, values, [output])[output]
            return found.known()
        except Outside:
            return None

    def _edges_of_single(self, output: int, single: Sequence[int | None]) -> list[int]:
        """The slots of one input that are needed by something that is not."""
        needed = ancestors(self.graph, [output])
        found: set[int] = set()
        for slot, parents in enumerate(self.graph.parents):
            if needed[slot] and single[slot] is None:
                found.update(p for p in parents if single[p] is not None)
        return sorted(found)

    def _single(self, m: Selection, slot: int, source: int, sides: dict[int, int]) -> FirstOrder:
        """The form of a slot of one input, on the side of the point that is chosen for that input."""
        here = self.here[slot]
        left, right = self.side(slot, {source: -1}), self.side(slot, {source: 1})
        for side in (left, right):
            if side.state.startswith("unknown"):
                return Absent(Unknown(side.state[9:]))
        fine = all(side.germ is not None and _curved_at_most(side.germ) for side in (left, right))
        if self._alike(here, left, right) and right.slope is not None:
            straight = all(side.germ is not None and _straight(side.germ) for side in (left, right))
            whole = None if straight else m.named(self._first[slot])
            return FirstOrder(m, here, {source: right.slope}, analytic=fine, affine=straight, whole=whole)
        if source not in sides:
            sides[source] = m.side(FirstOrder(m, self.reals.zero, {source: self.reals.one}, affine=True), ties=True)
        chosen = sides[source]
        if chosen == 0:
            return Absent(Outside()) if here is None else FirstOrder(m, here, {}, affine=True)
        side = right if chosen > 0 else left
        if side.limit is None:
            return Absent(Outside())
        whole = m.named(self._first[slot])
        if side.slope is None:
            return FirstOrder(m, side.limit, {}, CONTINUOUS, whole=whole)
        straight = side.germ is not None and _straight(side.germ)
        slopes = {source: side.slope * chosen}
        return FirstOrder(m, side.limit, slopes, analytic=fine, affine=straight, whole=None if straight else whole)

    def _alike(self, here: Real | None, left: Side, right: Side) -> bool:
        """Whether both sides have the value at the point and one slope."""
        if here is None or left.slope is None or right.slope is None:
            return False
        limits = [side.limit for side in (left, right) if side.limit is not None]
        return not any(self.reals.signum(limit - here) for limit in limits) and not self.reals.signum(
            left.slope + right.slope
        )

    # --- one piece for the table

    def piece(self) -> Limits | None:
        """The piece along one direction; None where none is found that all slots go on to."""
        inputs = list(self.point)
        for signs in ((1, 1), (-1, -1), (1, -1), (-1, 1)):
            ratios = [_RATIOS[k % len(_RATIOS)] * (1 + k // len(_RATIOS)) for k in range(len(inputs))]
            direction = {slot: signs[k % 2] * ratios[k] for k, slot in enumerate(inputs)}
            found = self._germs(direction, partial(self._partials, direction))
            if not isinstance(found, str):
                return found
        return None

    def _partials(self, direction: Direction, m: Germs) -> Limits:
        germs = self._inside(m, evaluate(self.graph, m, self._moving(m, direction)))
        partials = [tuple([self._limit(g) for g in row]) for row in linearize(self.graph, m, germs)]
        values = [None if z is None else m.limit(z) for z in germs]
        moved = bytearray(
            [
                (value is None) != (here is None) or (value is not None and bool(self.reals.signum(value - here)))
                for value, here in zip(values, self.here, strict=True)
            ]
        )
        return Limits(values, partials, moved)

    def _limit(self, g: Germ | float | None) -> Real | float | None:
        """The limit of a partial; an infinite double where it has none."""
        if not isinstance(g, Germ):
            return g
        if g.coefficients and g.start < 0:
            return self.reals.signum(g.coefficients[0]) * float("inf")
        return g.at(0)


def _straight(germ: Germ) -> bool:
    """Whether a germ is a polynomial of degree 1."""
    places = [k for k, c in enumerate(germ.coefficients, germ.start) if c.terms]
    return germ.end is None and all(k in (0, germ.m.q) for k in places)


def _curved_at_most(germ: Germ) -> bool:
    """Whether a germ is its value and slope up to the square of the distance."""
    q = germ.m.q
    places = [k for k, c in enumerate(germ.coefficients, germ.start) if c.terms]
    return (germ.end is None or germ.end >= 2 * q) and all(k in (0, q) or k >= 2 * q for k in places)


# --- second derivatives of what is smooth at a kink: those of its series on both sides, where these agree ---


Entries = dict[tuple[int, int], Real]


def curvatures(pieces: Neighbourhood, output: int, inputs: Sequence[int]) -> Entries:
    """The second derivatives of an output that is smooth at the point, by two inputs, as far as there are any.

    Those along an input are exact: both sides of a series.  Mixed ones follow from those along both diagonals, if the
    function has second derivatives at all, which is not proven for several inputs.
    """
    active = [slot for slot in inputs if slot in pieces.around(output).sides]
    zero = pieces.reals.zero
    entries: Entries = {(a, b): zero for a in inputs for b in inputs if a not in active or b not in active}
    for slot in active:
        agreed = _agreed([second_along(pieces, output, {slot: sign}) for sign in (-1, 1)])
        if agreed is not None:
            entries[slot, slot] = agreed
    for k, a in enumerate(active):
        for b in active[k + 1 :]:
            along = _agreed([second_along(pieces, output, {a: sign, b: sign}) for sign in (-1, 1)])
            across = _agreed([second_along(pieces, output, {a: sign, b: -sign}) for sign in (-1, 1)])
            if along is None or across is None or (a, a) not in entries or (b, b) not in entries:
                continue
            axes = entries[a, a] + entries[b, b]
            if not (along + across - axes * 2).terms:
                entries[a, b] = entries[b, a] = (along - axes) / 2
    return entries


def second_along(pieces: Neighbourhood, output: int, direction: Direction) -> Real | float | None:
    """The second derivative on one side along a direction; infinite with its sign, None where it is not known."""
    side = pieces.side(output, direction)
    if side.germ is None or side.slope is None:
        return None
    q = side.germ.m.q
    try:
        for exponent in range(q + 1, 2 * q):
            c: Real = side.germ.at(exponent)
            if c.terms:
                return math.inf if pieces.reals.signum(c) > 0 else -math.inf
        return side.germ.at(2 * q) * 2
    except Unknown:
        return None


def _agreed(sides: Sequence[Real | float | None]) -> Real | None:
    first, last = sides
    if not isinstance(first, Real) or not isinstance(last, Real):
        return None
    try:
        return first if first == last else None
    except Unknown:
        return None


# --- what a program does where kinks are met exactly: the partials that its sweeps take, and the proven slopes ---


class Decision(NamedTuple):
    """What is known of the outputs at a point with kinks, in any arithmetic.

    `around` is by output.  `piece` is the one that the `pieced` outputs take their partials from: in the slots
    `changed`, while `reached` are all that they depend on.  It travels as the question that it answers.
    """

    asked: tuple[Graph, tuple[int, ...], Callable[[Reals], Mapping[int, Real]]]
    graph: Graph
    pieces: Neighbourhood
    around: dict[str, Around]
    piece: Limits | None
    pieced: frozenset[str]
    changed: frozenset[int]
    reached: bytes

    @override
    def __reduce__(self) -> tuple[Callable[..., Decision | None], tuple[object, ...]]:
        return _decided_again, self.asked

    @property
    def reals(self) -> Reals:
        return self.pieces.reals

    def smooth(self, output: str) -> bool:
        """Whether an output has a gradient here."""
        return output in self.around and self.around[output].kind == "smooth"

    def slopes(self, output: str, m: Evaluating[T]) -> dict[str, T]:
        """The proven slopes of an output by input, also those on the only side that there is; none where none are."""
        found = self.around.get(output)
        if found is None or found.kind not in ("smooth", "edge"):
            return {}
        zero = self.reals.zero
        return {name: self.reals.read(found.gradient.get(slot, zero), m) for slot, name in self.graph.inputs.items()}

    def values(self, values: Sequence[T], m: Evaluating[T]) -> list[T]:
        """The values as `evaluate` gives them, with those of branches that only the piece takes."""
        if self.piece is None:
            return list(values)
        return [
            self.reals.read(limit, m) if value is None and limit is not None and reached else value
            for value, limit, reached in zip(values, self.piece.values, self.reached, strict=True)
        ]

    def gradients(self, gradients: Gradients, m: Evaluating[T]) -> Gradients:
        """The partials, with those of the piece in their places."""
        found = list(gradients)
        if self.piece is not None:
            for slot in self.changed:
                found[slot] = tuple([_partial(self.reals, g, m) for g in self.piece.partials[slot]])
        return found

    def gradient(self, output: str, swept: Mapping[str, T], m: Evaluating[T]) -> dict[str, T]:
        """The gradient of an output: what was swept, and the proven slopes where that is no number or of no piece."""
        proven = self.slopes(output, m)
        return {
            name: proven[name] if name in proven and (output not in self.pieced or not m.finite(x)) else x
            for name, x in swept.items()
        }

    def correct(self, bars: Mapping[str, list[T]], dots: Mapping[str, list[T]], m: Evaluating[T]) -> None:
        """Puts proven slopes where sweeps end, by output and by input, where they come out as no numbers."""
        inputs = {name: slot for slot, name in self.graph.inputs.items()}
        for output, slot in self.graph.outputs:
            for name, slope in self.slopes(output, m).items():
                for sweep, place in ((bars.get(output), inputs[name]), (dots.get(name), slot)):
                    if sweep is not None and (output not in self.pieced or not m.finite(sweep[place])):
                        sweep[place] = slope


def decided(graph: Graph, met: Iterable[int], point: Callable[[Reals], Mapping[int, Real]]) -> Decision | None:
    """What the outputs that depend on the slots with a kink that is met are here; None where nothing is known.

    `point` tells the inputs by slot in the arithmetic that it is given.
    """
    corners = set(met)
    asked = graph, tuple(sorted(corners)), point
    reals = Reals()
    try:
        pieces = Neighbourhood(graph, reals, point(reals))
    except Unknown:
        return None
    needed = {name: ancestors(graph, [slot]) for name, slot in graph.outputs}
    mine = {name: {slot for slot in corners if needed[name][slot]} for name in needed}
    around = {name: pieces.around(slot) for name, slot in graph.outputs if mine[name]}
    smooth = [name for name, found in around.items() if found.kind in ("smooth", "edge")]
    piece = pieces.piece() if smooth else None
    if piece is None:
        return Decision(asked, graph, pieces, around, None, frozenset(), frozenset(), bytes(len(graph)))
    pieced = set(smooth)
    shared = set().union(*[mine[name] for name in smooth])
    while grown := [name for name in around if name not in pieced and mine[name] & shared]:
        pieced.update(grown)
        shared.update(*[mine[name] for name in grown])
    reached = bytes(len(graph))
    for name in pieced:
        reached = bytes(map(max, reached, needed[name]))
    changed = [slot for slot in range(len(graph)) if reached[slot] and _changes(graph, piece, slot, corners)]
    return Decision(asked, graph, pieces, around, piece, frozenset(pieced), frozenset(changed), reached)


def _decided_again(*asked: object) -> Decision | None:
    """What was decided before it travelled.  Raises RequestError where the question is none."""
    try:
        return decided(*asked)  # type: ignore[arg-type]  # what is wrong is told by the errors below
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise damaged("a decision at kinks", str(error)) from None


def _changes(graph: Graph, piece: Limits, slot: int, corners: set[int]) -> bool:
    """Whether a slot has other partials in the piece than by its own values."""
    return slot in corners or bool(piece.moved[slot]) or any(piece.moved[p] for p in graph.parents[slot])


def _partial(reals: Reals, g: Real | float | None, m: Evaluating[T]) -> object:
    if g is None or g is UNTAKEN or isinstance(g, int):
        return g
    return reals.read(g, m) if isinstance(g, Real) else m.infinity * (1 if g > 0 else -1)


def kinks_met(graph: Graph, m: Evaluating[T], values: Sequence[T | None]) -> frozenset[int]:
    """The slots with a kink that is met, or may be met as far as the numbers tell, in what depends on inputs."""
    found = set()
    for slot, kinks, parents in kinked(graph):
        arguments = [a for p in parents if (a := values[p]) is not None]
        if values[slot] is None or len(arguments) < len(parents) or any(a != a for a in arguments):
            continue
        if not all(kink.holds(m, *arguments) for kink in kinks):
            found.add(slot)
    return frozenset(found)
