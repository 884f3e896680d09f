"""The decision at a point where kinks are reached: the kind of every output there (smooth, edge, kink, jump or
undecided), and the partials for its sweeps.

`decide` gives the `Decision` that all callers share: tables, notes, certificates, kernels and Python functions. Smooth
outputs take their partials from one smooth piece, so that the chain rule holds in every row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import combinations, compress, product

from ..errors import pickle_error
from ..graph.graph import Graph
from ..graph.order import ancestors, kinked_slots
from ..graph.tape import UNTAKEN, Gradients, adjoints, linearize
from ..numbers.doubles import FLOAT, apply
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, Any, cast, override
from .exact_reals import MissingReal, Real, Reals
from .one_sided import Neighbourhood, OneSided, OutputDecision, PieceLimits
from .signs import Unknown

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating, T
    from ..table.primitive import Primitive
    from .local_series import LocalSeries
    from .one_sided import Direction

Point = Callable[[Reals], Mapping[int, Real]]  # the inputs by slot, in the arithmetic of the argument
Entries = dict[tuple[int, int], Real]  # second derivatives with respect to two inputs


class Decision(NamedTuple):
    """The decision about the outputs of a graph at a point where kinks are reached; it can be read in any arithmetic.

    request   the graph, the slots whose kinks may be reached, the point, and whether seams count; a decision is pickled
              as its request
    graph     the graph
    reals     the arithmetic of the exact numbers in here
    around    the neighbourhood of the point; None if the graph has no exact values there, so that nothing is decided
    reached   the slots whose kinks are reached, or of which that is not known
    outcomes  {name of an output: its decision}, for the outputs that depend on such a slot
    piece     the smooth piece that gives partials; None if no output is smooth or an edge, or no piece has series
    on_piece  the outputs whose partials are those of the piece: the smooth ones, and others that share kinks with them
    changed   the slots whose partials the piece replaces
    needed    one byte for each slot: 1 if an output in `on_piece` depends on it; empty without a piece
    """

    request: tuple[Graph, tuple[int, ...], Point, bool]
    graph: Graph
    reals: Reals
    around: Neighbourhood | None
    reached: frozenset[int]
    outcomes: dict[str, OutputDecision]
    piece: PieceLimits | None = None
    on_piece: frozenset[str] = frozenset()
    changed: frozenset[int] = frozenset()
    needed: bytes = b""

    @override
    def __reduce__(self) -> tuple[Callable[..., Decision], tuple[object, ...]]:
        return _decide_again, self.request

    @property
    def is_decided(self) -> bool:
        """Return whether the point was looked at; if not, every outcome is undecided and conventions stay."""
        return self.around is not None

    @property
    def all_smooth(self) -> bool:
        """Return whether every output that depends on a kink is smooth; True if none depends on one."""
        return all(outcome.kind == "smooth" for outcome in self.outcomes.values())

    def is_smooth(self, output: str) -> bool:
        """Return whether an output depends on a kink and has a gradient all the same."""
        return output in self.outcomes and self.outcomes[output].kind == "smooth"

    def is_undecided(self, output: str) -> bool:
        """Return whether an output depends on a kink and it is not known whether it has a gradient."""
        return output in self.outcomes and self.outcomes[output].kind == "undecided"

    def has_fraction(self, output: str) -> bool:
        """Return whether the value of an output is known as a fraction, so that its double is right."""
        value = None if self.around is None else self.around.here[dict(self.graph.outputs)[output]]
        return value is not None and not isinstance(value, MissingReal) and value.fraction is not None

    def is_pieced_whole(self, output: str) -> bool:
        """Return whether the partials of an output are those of the piece, and no partial of the piece is infinite."""
        if self.piece is None or output not in self.on_piece:
            return False
        return not any(isinstance(g, float) and math.isinf(g) for row in self.piece.partials for g in row)

    def slopes(self, output: str, m: Evaluating[T]) -> dict[str, T]:
        """Return the proven slopes of an output with respect to every input, by name, in the arithmetic `m`.

        Slopes of a smooth output and of an edge are proven; those for inputs that it does not depend on are 0. {} for
        an output of another kind, and for a name without an outcome, such as an output that depends on no kink.
        """
        outcome = self.outcomes.get(output)
        if outcome is None or outcome.kind not in ("smooth", "edge"):
            return {}
        zero = self.reals.zero
        return {name: self.reals.read(outcome.gradient.get(slot, zero), m) for slot, name in self.graph.inputs.items()}

    def partials(self, output: str, m: Evaluating[T]) -> dict[str, T]:
        """Return the proven slopes of an output by input name; at a kink those along the inputs that have one."""
        outcome = self.outcomes.get(output)
        if outcome is None or outcome.kind != "kink":
            return self.slopes(output, m)
        return {self.graph.inputs[slot]: self.reals.read(slope, m) for slot, slope in outcome.gradient.items()}

    def side(self, output: str, direction: Direction) -> OneSided:
        """Return an output on the side of the point that a direction, by the slots of inputs, leads to."""
        if self.around is None:
            return OneSided(reason=self.outcomes[output].reason)
        return self.around.side(dict(self.graph.outputs)[output], direction)

    def taylor(self, output: str, direction: Direction, order: int) -> tuple[list[Real], tuple[Real, Real] | None]:
        """Return (the Taylor coefficients of an output along a line that both sides prove, from power 0 up to `order`;
        the derivatives of the next order on the left and on the right).

        `direction` is {slot of an input: step}. There are fewer coefficients if the derivatives differ on both sides:
        then these two are the second result, else None. Coefficients before one that is not known are kept. Nothing is
        proven ([]) if a side is not known at all, or if the output jumps. Raises KeyError for a name that is not an
        output.
        """
        slot, back = dict(self.graph.outputs)[output], {k: -step for k, step in direction.items()}
        if self.around is None:
            return [], None
        known = [self.around.coefficients(slot, way, order) for way in (back, direction)]
        proven: list[Real] = []
        with suppress(Unknown):
            for k, (left, right) in enumerate(zip(*known, strict=False)):
                left = -left if k % 2 else left
                if not k and right != self.around.here[slot]:
                    return [], None
                if left != right:
                    return proven, (left * math.factorial(k), right * math.factorial(k)) if k else None
                proven.append(right)
        return proven, None

    # --- what the decision gives to sweeps

    @property
    def only_in_piece(self) -> frozenset[int]:
        """Return the slots of branches that the smooth piece takes and the point itself does not."""
        if self.around is None or self.piece is None:
            return frozenset()
        pairs = zip(self.around.here, self.piece.values, strict=True)
        return frozenset(slot for slot, (here, limit) in enumerate(pairs) if here is None and limit is not None)

    def correct(self, values: Sequence[T], gradients: Gradients, m: Evaluating[T]) -> tuple[list[T], Gradients]:
        """Return (values, partials) of all slots as the decision has them, in the arithmetic `m`, as new lists.

        `values` and `gradients` are those that the graph gives at the point; of `values` only the leaves are needed,
        since the values are those of exact numbers and the partials follow from them. An empty `gradients` gives no
        partials. In branches that only the smooth piece takes the values are those of the piece, and slots in `changed`
        have the partials of the piece. If the decision has no exact numbers (`around` is None), `values` and
        `gradients` are returned.
        """
        if self.around is None:
            return list(values), gradients
        values = self._exact_values(self.around.here, values, m)
        partials = self._exact_partials(self.around.here, values, m) if gradients else []
        if self.piece is not None:
            for slot, limit in enumerate(self.piece.values):
                if values[slot] is None and limit is not None and self.needed[slot]:
                    values[slot] = self.reals.read(limit, m)
            for slot in self.changed if gradients else ():
                partials[slot] = tuple([_partial(self.reals, g, m) for g in self.piece.partials[slot]])
        return values, partials

    def _exact_values(self, here: Sequence[Real | None], values: Sequence[T], m: Evaluating[T]) -> list[T]:
        """Return the values of all slots in `m` from the exact numbers `here`; None in a branch that is not taken.

        - leaves: their `values`
        - results with an exact fraction, conditions, and results of rows whose kinks are or may be reached: read from
          the exact number; but a result that equals an argument is the same number in `m` (a literal 2.4 may be a
          double there, and not 24/10)
        - conditions: 1 or 0, as comparisons of `m` return them
        - every other result, and results of arguments that overflow in `m`: computed in `m`
        """
        graph = self.graph
        has_choices = graph.has_choices()
        at_kink = self.reached.union(self.request[1])
        exact: list[T | None] = []
        for slot, (row, parents, x) in enumerate(zip(graph.rows, graph.parents, here, strict=True)):
            value = values[slot]
            if row is None or x is None:
                exact.append(None if has_choices and row is not None else value)
            elif (
                not isinstance(x, MissingReal)
                and (x.fraction is not None or row.truth or slot in at_kink)
                and (row.truth or row.route is not None or _are_finite([exact[p] for p in parents], m))
            ):
                same = next((exact[p] for p in parents if _has_terms(here[p], x)), None)
                exact.append(self._read(row, x, m) if same is None or row.truth else same)
            else:
                arguments = cast("list[T]", [exact[p] for p in parents])
                exact.append(apply(row, m, arguments))  # only the branch taken is computed
        return cast("list[T]", exact)

    def _read(self, row: Primitive, x: Real, m: Evaluating[T]) -> T:
        """Return the result `x` of a row in the arithmetic `m`; that of a condition as comparisons of `m` return it."""
        number = self.reals.read(x, m)
        return m.ne(number, m.number(0)) if row.truth else number

    def _exact_partials(self, here: Sequence[Any], values: Sequence[T], m: Evaluating[T]) -> Gradients:
        """Return the partials of all slots at these `values` in the arithmetic `m`.

        Operations whose kink may be reached have partials in exact numbers, from the exact values `here` of the slots.
        All others are computed in `m`: also conditions, choices, slots without a value, arguments that overflow, and
        partials that are not known exactly.
        """
        partials = linearize(self.graph, m, values)
        for slot in self.request[1]:
            z, parents = here[slot], self.graph.parents[slot]
            row = self.graph.rows[slot]
            if z is None or row is None or row.truth or row.route is not None:
                continue
            if not _are_finite([values[p] for p in parents], m):
                continue
            needed = tuple([g is not None for g in partials[slot]])
            with suppress(ArithmeticError):  # not known exactly
                exact = row.gradient(self.reals, z, [here[p] for p in parents], needed)
                partials[slot] = tuple([_partial(self.reals, g, m) for g in exact])
        return partials

    def gradient(self, output: str, adjoints: Mapping[str, T], m: Evaluating[T]) -> dict[str, T]:
        """Return the gradient of an output by input name, from the slopes that a sweep gave, `adjoints` (by input
        name).

        A proven slope (`partials`; at a kink those along inputs that have one) replaces the swept one if `replaces`
        says so. Unknown outputs keep all swept slopes.
        """
        proven = self.partials(output, m)
        return {
            name: proven[name] if name in proven and self.replaces(output, x, m) else x for name, x in adjoints.items()
        }

    def replaces(self, output: str, adjoint: T, m: Evaluating[T]) -> bool:
        """Return whether a proven slope replaces `adjoint`, the slope that a sweep gave for `output`.

        At a kink if `adjoint` is nan. For every other output if `adjoint` is not finite, or if the output is not in
        `on_piece`. Raises KeyError for an output without an outcome.
        """
        if self.outcomes[output].kind == "kink":
            return bool(adjoint != adjoint)
        return output not in self.on_piece or not m.finite(adjoint)

    def jacobian(self, values: Sequence[float], gradients: Gradients) -> tuple[list[float], list[list[float]]]:
        """Return (the value of each output, and for each output its slopes with respect to the inputs in their order).

        `values` and `gradients` are those of all slots in doubles, as the graph gives them; they are corrected
        (`correct`) in copies. Slopes come from a reverse sweep with the corrected partials; then proven ones replace
        those that `replaces` names (`gradient`). All others stay as swept: by convention at a kink, and perhaps nan.
        """
        values, gradients = self.correct(values, gradients, FLOAT)
        rows = []
        for name, slot in self.graph.outputs:
            bars = adjoints(self.graph, gradients, {slot: 1.0})
            by_input = {wrt: bars[place] for place, wrt in self.graph.inputs.items()}
            rows.append([float(x) for x in self.gradient(name, by_input, FLOAT).values()])
        return [values[slot] for _, slot in self.graph.outputs], rows

    # --- second derivatives

    def second_derivatives(self, output: str, inputs: Sequence[int]) -> Entries:
        """Return the second derivatives of a smooth `output` as {(input, input): number}, by slots, both orders of a
        pair.

        Unknown entries are missing. An input on which the output does not depend has 0. Entries along one input are
        exact: both sides agree. A mixed entry is known if all four quadrants have it (`_mixed_second`), also if those
        along its inputs are not; it is not proven that a function of several inputs has second derivatives at all.
        Raises KeyError for an output without an outcome; that it is smooth is not checked.
        """
        active = [slot for slot in inputs if slot in self.outcomes[output].sides]
        zero = self.reals.zero
        entries: Entries = {(a, b): zero for a, b in product(inputs, inputs) if not {*active}.issuperset((a, b))}
        for slot in active:
            bend = self._second_along(output, {slot: 1})
            if bend is not None:
                entries[slot, slot] = bend
        for a, b in combinations(active, 2):
            mixed = self._mixed_second(output, a, b)
            if mixed is not None:
                entries[a, b] = entries[b, a] = mixed
        return entries

    def _mixed_second(self, output: str, a: int, b: int) -> Real | None:
        """Return the second derivative of the output with respect to two inputs, as all four quadrants have it.

        In each it follows from the series along its diagonal, less those along its axes: what depends on one input
        alone, such as |x|^1.5, cancels. None if a power below 2 or an infinite slope remains, if a series is not known,
        if the quadrants differ, or if it is not known whether they do.
        """
        numbers: list[Real] = []
        with suppress(Unknown):
            for s, t in product((1, -1), repeat=2):
                ways: list[Direction] = [{a: s, b: t}, {a: s}, {b: t}]
                sides = [self.side(output, way) for way in ways]
                series = [side.series for side in sides if side.series is not None and side.slope is not None]
                mixed = _mixed_coefficient(*series) if len(series) == len(ways) else None
                if mixed is None:
                    return None
                numbers.append(mixed * (s * t))
            return numbers[0] if all(x == numbers[0] for x in numbers) else None
        return None

    def _second_along(self, output: str, direction: Direction) -> Real | None:
        """Return the second derivative of the output along `direction`, {input: step}.

        None if it is infinite or not known on one side, if both sides differ, or if it is not known whether they do.
        """
        back = {slot: -step for slot, step in direction.items()}
        left, right = (self.side(output, way).second_derivative() for way in (back, direction))
        with suppress(Unknown):
            return left if isinstance(left, Real) and isinstance(right, Real) and left == right else None
        return None


def _mixed_coefficient(diagonal: LocalSeries, *axes: LocalSeries) -> Real | None:
    """Return the coefficient of the square of the distance in `diagonal` less `axes`; None if a power between 1 and 2
    remains. Raises Unknown if a coefficient is not known.
    """
    rest = zero = diagonal.m.reals.zero
    every = (diagonal, *axes)
    for power in sorted({Fraction(k, x.m.q) for x in every for k in range(x.m.q + 1, 2 * x.m.q + 1)}):
        places = [(x, power * x.m.q) for x in every]
        first, *others = [x.at(k.numerator) if k.denominator == 1 else zero for x, k in places]
        rest = first - sum(others, zero)
        if power < 2 and rest != 0:
            return None
    return rest


def decide(graph: Graph, near: Iterable[int], point: Point | Mapping[int, float], seams: bool = False) -> Decision:
    """Return the decision about each output that depends on a kink that is reached, at a point where kinks may be
    reached.

    `near` are slots whose kink is reached, or may be within rounding errors. `point` has the inputs by slot: doubles,
    each of which counts as its shortest decimal, or a function from exact reals to them. Exact numbers show which kinks
    of the graph are reached, in `near` or not; where they do not, a slot of `near` counts as reached, another one does
    not. If the graph is too large or has no exact values, all slots of `near` count, and their outputs are "undecided".
    With `seams` the corners of slopes count too (`Primitive.seam`), as second derivatives need it. If an output is
    smooth or an edge, a smooth piece is looked for (`find_piece`), which also gives the partials of
    outputs that share kinks with it. Never raises for a point.
    """
    if not callable(point):
        point = partial(_decimals, point)
    request = graph, tuple(sorted(near)), point, seams
    reals = Reals()
    corners = frozenset(near)
    around: Neighbourhood | None = None
    undecided = OutputDecision("undecided", None, {}, {})
    try:
        around = Neighbourhood(graph, reals, point(reals))
        corners = find_reached_kinks(graph, reals, around.here, corners, seams)
    except Unknown as unknown:
        undecided = undecided._replace(reason=str(unknown))
    needed = {name: ancestors(graph, [slot]) for name, slot in graph.outputs}
    own_corners = {name: set(filter(marks.__getitem__, corners)) for name, marks in needed.items()}
    slots = {name: slot for name, slot in graph.outputs if own_corners[name]}
    if around is None:
        return Decision(request, graph, reals, None, corners, dict.fromkeys(slots, undecided))
    outcomes = {name: around.outcome(slot) for name, slot in slots.items()}
    on_piece = {name for name, outcome in outcomes.items() if outcome.kind in ("smooth", "edge")}
    piece = around.find_piece() if on_piece else None
    if piece is None:
        return Decision(request, graph, reals, around, corners, outcomes)
    on_piece = _with_shared_corners(on_piece, own_corners)
    marks = bytes(map(max, *map(needed.__getitem__, on_piece), bytes(len(graph))))
    changed = frozenset(s for s in compress(range(len(graph)), marks) if _changes(graph, piece, s, corners))
    return Decision(request, graph, reals, around, corners, outcomes, piece, frozenset(on_piece), changed, marks)


def _with_shared_corners(names: set[str], corners: Mapping[str, set[int]]) -> set[str]:
    """Return `names` with all names that share a corner with one of them, directly or through further names.

    `corners` has the slots of the corners by name.
    """
    linked, shared = set(names), set[int]().union(*[corners[name] for name in names])
    while grown := [name for name in corners if name not in linked and corners[name] & shared]:
        linked.update(grown)
        shared.update(*[corners[name] for name in grown])
    return linked


def _decimals(point: Mapping[int, float], reals: Reals) -> dict[int, Real]:
    return {slot: reals.number(repr(x)) for slot, x in point.items()}


def _decide_again(*request: Any) -> Decision:
    """Return the decision of a request that was pickled; raises RequestError if it is damaged."""
    try:
        return decide(*request)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise pickle_error("a decision at kinks", str(error)) from None


def _are_finite(values: Iterable[T | None], m: Evaluating[T]) -> bool:
    """Return whether no value overflows in the arithmetic `m`; None, a branch that is not taken, does not."""
    return all(value is None or m.finite(value) for value in values)


def _has_terms(y: Real | None, x: Real) -> bool:
    """Return whether `y` is a number with the same terms as `x`; False for None and for a MissingReal."""
    return y is not None and not isinstance(y, MissingReal) and y.terms == x.terms


def _changes(graph: Graph, piece: PieceLimits, slot: int, corners: Collection[int]) -> bool:
    """Return whether a slot has other partials in the piece than at its own values."""
    return slot in corners or any(piece.moved[s] for s in (slot, *graph.parents[slot]))


def _partial(reals: Reals, g: Real | float | None, m: Evaluating[T]) -> object:
    """Return a partial of the piece in an arithmetic; None, whole numbers and UNTAKEN are left as they are."""
    if g is None or g is UNTAKEN or isinstance(g, int):
        return g
    return reals.read(g, m) if isinstance(g, Real) else m.infinity * (1 if g > 0 else -1)


def find_reached_kinks(
    graph: Graph, m: Evaluating[T], values: Sequence[T | None], unknown: Collection[int] = (), seams: bool = False
) -> frozenset[int]:
    """Return the slots that depend on an input and whose kink (with `seams` also a seam) is reached, as far as `values`
    in `m` show it.

    `values` are by slot. Slots that are None or nan, and slots with such an argument, are left out. If the arithmetic
    cannot decide (it raises Unknown), a slot counts as reached if it is in `unknown`.
    """
    reached = set()
    for slot, kinks, parents in kinked_slots(graph, seams=seams):
        arguments = [a for p in parents if (a := values[p]) is not None]
        z = values[slot]
        if z is None or z != z or len(arguments) < len(parents):
            continue
        try:
            is_number = not any(a != a for a in arguments)
            is_reached = is_number and not all(kink.holds(m, *arguments) for kink in kinks)
        except Unknown:
            is_reached = slot in unknown
        if is_reached:
            reached.add(slot)
    return frozenset(reached)
