"""One-sided slopes of a result, and the kind that follows from them and its smooth pieces: smooth, edge, kink, jump or
undecided.

One-sided slopes along each input are those of local series on both sides, so that kinks of kinks, steps and conditions
are decided. With several inputs slopes along them prove nothing (|x+y| − |x−y| has slope 0 along both), so all pieces
around the point (`pieces`) have to have one gradient in the directions in which they can lie: then the function has it.
A part that depends on one input alone is known by its series there, and enters as two pieces at most.

Sources: Nesterov, "Lexicographic differentiation of nonsmooth functions" (2005); Khan and Barton, "A vector forward
mode of automatic differentiation for generalized derivative evaluation" (2015).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import cache, cached_property, partial, reduce
from itertools import chain, combinations, product

from ..graph.graph import Graph
from ..graph.order import Unique, ancestors, inputs_above
from ..graph.plan import leaf_values, on_demand
from ..graph.tape import evaluate, linearize
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, TypeAlias, TypeVar, cast
from .directions import find_span, lies_in
from .exact_reals import Real, Reals
from .local_series import FEWEST, LocalSeries, SeriesArithmetic
from .pieces import CONTINUOUS, SMOOTH, FirstOrder, MissingForm, PieceArithmetic
from .polynomials import Polynomial, add_known, multiply_known
from .signs import Finer, Flat, Outside, Unknown

if TYPE_CHECKING:
    from ..table.primitive import Primitive

    Direction: TypeAlias = Mapping[int, int | Fraction]  # by input; those that are left out do not move
    Bridge: TypeAlias = tuple[int, Real, bool]  # a slot, the slope of another one in it, whether that is analytic

Result = TypeVar("Result")

_TERMS = (4, 8, 32)  # of the series, more where the first are too flat
_MOST_PIECES = 128
_MOST_WORK = 40_000  # pieces times operations
_LARGEST = 3_000  # operations
_RATIOS = (1, Fraction(5, 7), Fraction(11, 31), Fraction(13, 97), Fraction(17, 211))  # of a direction like no other
_MOST_INPUTS = 5
_TRIED = ((1, 1), (1, -1), (2, 1), (1, 2), (2, -1), (1, -2), (3, 2), (-3, 2))  # directions that may show a kink


class OneSided(NamedTuple):
    """A slot on one side of the point, along a direction.

    limit     its limit at the point; None if it is not defined on this side, or if nothing is known
    slope     its derivative along the direction; None if it is infinite, or without a limit
    infinite  the sign of an infinite slope, else 0
    series    its local series; None without a limit
    reason    why nothing is known, in words; empty if the side is known, or if the slot is not defined there
    """

    limit: Real | None = None
    slope: Real | None = None
    infinite: int = 0
    series: LocalSeries | None = None
    reason: str = ""

    def derivative(self, sign: int) -> Real | float | None:
        """Return the derivative with respect to the input of which this is the side `sign`: 1 right, -1 left.

        ±inf if the slope is infinite; if not, a Real. On the left it is the slope along the direction, negated in both
        cases. It is that of the side's own series, also at a jump (0 for floor): the value at the point does not
        matter. None if the function is not defined on this side, or nothing is known.
        """
        if self.limit is None:
            return None
        if self.slope is None:
            return self.infinite * sign * math.inf
        return self.slope if sign > 0 else -self.slope  # no product: the budget of the arithmetic may be used up

    def second_derivative(self) -> Real | float | None:
        """Return the second derivative along the direction, ±inf if it is infinite.

        None if it is not known, if the first derivative is infinite or not known, or if the function is not defined
        here.
        """
        if self.series is None or self.slope is None:
            return None
        q = self.series.m.q
        try:
            for exponent in range(q + 1, 2 * q):
                c = self.series.at(exponent)
                if c.terms:
                    return math.inf if c > 0 else -math.inf
            return self.series.at(2 * q) * 2
        except Unknown:
            return None

    def is_affine(self) -> bool:
        """Return whether the series is exact and of degree 1."""
        series = self.series
        return series is not None and series.end is None and all(k in (0, series.m.q) for k in _exponents(series))

    def is_analytic(self) -> bool:
        """Return whether the series is value and slope, up to the square of the distance."""
        series = self.series
        if series is None or (series.end is not None and series.end < 2 * series.m.q):
            return False
        return all(k in (0, series.m.q) or k >= 2 * series.m.q for k in _exponents(series))


def _exponents(series: LocalSeries) -> Iterator[int]:
    """Yield the exponents of the terms that are not 0, in ascending order."""
    return (k for k, c in enumerate(series.coefficients, series.start) if c.terms)


class OutputDecision(NamedTuple):
    """The decision about one output around the point.

    kind      "smooth"; "edge": smooth where it is defined; "kink"; "jump"; or "undecided"
    value     the number at the point; None if it is not known
    sides     {slot of an input: (left side, right side)}, for the inputs that the output depends on
    gradient  {slot of an input: slope}; proven if smooth or an edge, a guess if undecided, perhaps empty; for a kink
              the slopes along the inputs that have one; else empty
    reason    for a kink that no input shows, the direction that does, as "(x, y) = (1, -1)"; why it is undecided; else
              empty
    """

    kind: str
    value: Real | None
    sides: dict[int, tuple[OneSided, OneSided]]
    gradient: dict[int, Real]
    reason: str = ""


class PieceLimits(NamedTuple):
    """One smooth piece: the limits of values and partials of all slots along one direction; None if a slot has no
    limit.

    A partial that grows without bounds is an infinite double. `moved` has 1 for each slot whose value at the point
    itself differs from its limit.
    """

    values: list[Real | None]
    partials: list[tuple[Real | float | None, ...]]
    moved: bytearray


class Neighbourhood:
    """A graph around a point, which is {slot of an input: its value} in numbers of `reals`.

    Raises Unknown if the graph is too large or has no values at the point.
    """

    def __init__(self, graph: Graph, reals: Reals, point: Mapping[int, Real]) -> None:
        """Evaluate the graph at `point`, exact numbers of `reals` by slot of the inputs; `here` has the values by slot.

        Raises Unknown for more than 3000 slots, inputs included; an operation without a value does not raise here.
        """
        if len(graph) > _LARGEST:
            raise Unknown("too many operations")
        self.graph = graph
        self.reals = reals
        self.point = point
        self.here = evaluate(graph, reals, point)
        self._first = Unique(graph, commutative=True).first
        self._merged = copy(graph)  # same slots, of which only the first of equal ones are used
        self._merged.parents = [tuple([self._first[p] for p in parents]) for parents in graph.parents]
        self._side = cache(self._find_side)
        self._series_along = cache(self._along)

    # --- along directions

    def side(self, slot: int, direction: Direction) -> OneSided:
        """Return a slot on the side of the point that a direction leads to."""
        return self._side(slot, tuple(direction.items()))

    def _along(self, direction: tuple[tuple[int, int | Fraction], ...]) -> list[LocalSeries | None] | OneSided:
        """Return the series of all slots along a direction (pairs of slot and step); an empty OneSided with the reason
        if none.
        """
        return self._with_enough_terms(partial(self._series, dict(direction)))

    def _find_side(self, slot: int, direction: tuple[tuple[int, int | Fraction], ...]) -> OneSided:
        """Return `slot` on the side of `direction`, (input, step) pairs, as a OneSided.

        It comes from the series of all slots; if they are not known, the slot is expanded on its own. If nothing is
        known, `reason` says why. If the function is not defined there, there is neither limit nor reason.
        """
        series = self._series_along(direction)
        if isinstance(series, OneSided) or series[slot] is None:  # perhaps for the sake of other slots alone
            series = self._with_enough_terms(partial(self._series, dict(direction), slot=slot))
        z = series if isinstance(series, OneSided) else series[slot]
        if z is None or isinstance(z, OneSided):
            return z or OneSided(reason="no value")
        try:
            limit, slope = z.m.limit(z), z.slope()
            return OneSided(limit, None, slope, z) if isinstance(slope, int) else OneSided(limit, slope, 0, z)
        except Unknown as unknown:
            return OneSided(reason=str(unknown))

    def coefficients(self, slot: int, direction: Direction, order: int) -> list[Real]:
        """Return the coefficients of `slot` on the side of `direction`, of the powers of the distance up to `order`.

        Fewer if a derivative is infinite there; [] if the series is not known, or not defined on this side.
        """

        def compute(m: SeriesArithmetic) -> list[Real]:
            z = self._series(direction, m, slot)[slot]
            if z is None or z.start < 0:
                raise Unknown("a function without a limit")
            terms = [z.at(k) for k in range(m.q * order + 1)]
            fractional = [k for k, c in enumerate(terms) if k % m.q and c.terms]
            return terms[: fractional[0] if fractional else None : m.q]

        result = self._with_enough_terms(compute, tuple(terms + order for terms in _TERMS))
        return [] if isinstance(result, OneSided) else result

    def _with_enough_terms(
        self, compute: Callable[[SeriesArithmetic], Result], counts: tuple[int, ...] = _TERMS
    ) -> Result | OneSided:
        """Return what `compute` returns for an arithmetic of series, at first one of 4 terms, or the first of `counts`.

        `compute` is called again if it raises Finer (with a finer root of the distance, which multiplies the terms of
        `counts` that are not the default), Flat (with the next count), or another Unknown (once, with 2 terms). After
        Flat and Unknown the root begins anew at 1. If the last attempt raises Unknown too, the result is a OneSided
        with this reason. If an attempt raises Outside, the result is an empty OneSided.
        """
        q, (terms, *more_terms) = 1, counts
        while True:
            try:
                return compute(SeriesArithmetic(self.reals, q, terms if counts is _TERMS else q * terms))
            except Finer as finer:
                q *= finer.times
            except Outside:
                return OneSided()
            except Unknown as unknown:
                if not isinstance(unknown, Flat):
                    more_terms = [FEWEST] if terms > FEWEST else []
                if not more_terms:
                    return OneSided(reason=str(unknown))
                q, (terms, *more_terms) = 1, more_terms

    def _series(self, direction: Direction, m: SeriesArithmetic, slot: int | None = None) -> list[LocalSeries | None]:
        """Return the series along `direction` of all slots that the outputs need, or that `slot` needs; None for the
        others.

        `direction` is {input: step}; other inputs do not move. Raises Outside if an operation leaves its domain. Raises
        Finer, Flat or Unknown if an operation has no series in `m`.
        """
        moving = {k: m.moving(at, direction.get(k, 0)) for k, at in self.point.items()}
        needed = [self._first[k] for k in ([s for _, s in self.graph.outputs] if slot is None else [slot])]
        values = on_demand(self._merged, m, leaf_values(self.graph, m, moving), needed)
        series = [values[k] for k in self._first]
        for row, parents, z in zip(self.graph.rows, self.graph.parents, series, strict=True):
            if z is not None and row is not None and row.find_violation(m, tuple([series[p] for p in parents])):
                raise Outside
        return cast("list[LocalSeries | None]", series)

    # --- around the point

    def outcome(self, output: int) -> OutputDecision:
        """Return the decision about an output around the point."""
        try:
            return self._decide_output(output)
        except (Unknown, Outside) as unknown:
            return OutputDecision("undecided", None, {}, {}, str(unknown) or "it does not go on everywhere")

    def _decide_output(self, output: int) -> OutputDecision:
        """Return the decision for the slot `output`, by its one-sided slopes and, for several inputs, by all smooth
        pieces.

        The kind is the first that applies:

        - "undecided", with the reason: a side is not known
        - "jump": a limit differs from the value
        - "kink": along an input the slopes differ, one is infinite, or both sides are outside the domain
        - "kink", with a direction as reason: the slope along it contradicts the gradient (tried for up to five inputs,
          if the gradient is not proven)
        - "edge": the gradient is proven (always for one input), and a side is outside the domain
        - "smooth": the gradient is proven
        - "undecided", with gradient and reason
        """
        needed = ancestors(self.graph, [output])
        inputs = list(filter(needed.__getitem__, self.point))
        value = self.here[output]
        sides = {slot: (self.side(output, {slot: -1}), self.side(output, {slot: 1})) for slot in inputs}
        every = list(chain.from_iterable(sides.values()))
        unknown = next(filter(None, (side.reason for side in every)), "")
        if unknown:
            return OutputDecision("undecided", value, sides, {}, unknown)
        if any(side.limit is not None and side.limit != value for side in every):
            return OutputDecision("jump", value, sides, {})
        gradient = _slopes_along_inputs(sides)
        if len(gradient) < len(inputs):
            return OutputDecision("kink", value, sides, gradient)
        why = self._why_unproven(output, inputs, gradient, {})
        direction = why and self._differing_direction(output, inputs, gradient)
        if direction:
            return OutputDecision("kink", value, sides, gradient, direction)
        if why and (bridged := self._bridged_choices(needed)):
            why = self._why_unproven(output, inputs, gradient, bridged)
        if not why:
            kind = "edge" if any(side.limit is None for side in every) else "smooth"
            return OutputDecision(kind, value, sides, gradient)
        return OutputDecision("undecided", value, sides, gradient, why)

    def _differing_direction(self, output: int, inputs: Sequence[int], gradient: Mapping[int, Real]) -> str:
        """Return a direction in which the slope of `output` is not that of `gradient`, as "(x1, x2) = (1, -1)"; "" if
        not found.

        Eight directions such as (1, 1) and (-3, 2) are tried in every pair of `inputs`, if there are at most five. An
        infinite slope differs; a side without a limit does not count.
        """
        names, pairs = self.graph.inputs, combinations(inputs if len(inputs) <= _MOST_INPUTS else (), 2)
        for (first, second), (a, b) in product(pairs, _TRIED):
            side = self.side(output, {first: a, second: b})
            expected = gradient[first] * a + gradient[second] * b
            if side.limit is not None and (side.slope is None or side.slope != expected):
                return f"({names[first]}, {names[second]}) = ({a}, {b})"
        return ""

    # --- all pieces

    def _why_unproven(
        self, output: int, inputs: list[int], gradient: Mapping[int, Real], bridged: Mapping[int, Bridge]
    ) -> str:
        """Return why it is not proven that `output` has this `gradient`, in words; "" if it is proven, always for one
        input.

        `gradient` has the slopes by slot of the `inputs`. All pieces, one for each choice of signs, are compared with
        it; the first that differs or cannot be computed gives the reason. Pieces outside of the domain are skipped. The
        reason is "too many pieces" above 128 pieces, or if pieces times operations exceed 40000. `bridged` are choices,
        by slot, that count as differentiable functions of one slot (`_bridged_choices`).
        """
        if len(inputs) < 2:
            return ""
        needed = ancestors(self.graph, [output])
        operations = sum(needed)
        known_slots = self._slots_of_one_input(needed)
        choices: list[list[int]] = []
        for count in range(_MOST_PIECES):
            if count * operations > _MOST_WORK:
                return "too many pieces"
            m = PieceArithmetic(self.reals, choices)
            try:
                form = self._piece_form(m, output, known_slots, bridged)
                why = self._describe_difference(form, m, output, inputs, gradient)
            except Outside:  # the function does not go on to this piece
                why = ""
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

    def _describe_difference(
        self, form: FirstOrder, m: PieceArithmetic, output: int, inputs: list[int], gradient: Mapping[int, Real]
    ) -> str:
        """Return how a piece differs from the function in the slot `output`, in words; "" if it does not.

        `form` is the output on the piece. It must have a gradient, the value at the point, and the slopes of `gradient`
        with respect to `inputs`. A piece that contains the point alone, because the constraints of `m` leave no
        direction open, does not differ; other slopes count only in open directions. Raises Unknown if a sign is not
        known.
        """
        zero, one = self.reals.zero, self.reals.one
        rest = [form.slopes.get(k, zero) - gradient.get(k, zero) for k in inputs]
        rows = [[one if k == j else zero for k in inputs] for j in inputs]
        if form.rough != SMOOTH:
            why = "a piece without a slope"
        elif form.value != self.here[output]:
            why = "a piece with another value"
        elif any(x.terms for x in rest):
            why, rows = "pieces with different slopes", [rest]
        else:
            return ""
        span = find_span(m.constraints, inputs)
        return "" if span and all(lies_in(self.reals, row, span) for row in rows) else why

    def _slots_of_one_input(self, needed: Sequence[int]) -> dict[int, int]:
        """Return {slot: input} for slots that depend on one input alone and are used by a slot of several inputs.

        Only users with 1 in `needed` count. Inputs count, too. Of slots that are the same function only the first one
        is a key.
        """
        inputs = list(self.graph.inputs)
        above = inputs_above(self.graph)
        sources = {slot: inputs[bits.bit_length() - 1] for slot, bits in enumerate(above) if bits.bit_count() == 1}
        users = [slot for slot in range(len(above)) if needed[slot] and slot not in sources]
        used = {parent for slot in users for parent in self._merged.parents[slot]}
        return {slot: sources[slot] for slot in sorted(used) if slot in sources}

    def _bridged_choices(self, needed: Sequence[int]) -> dict[int, Bridge]:
        """Return the choices that are, at the point, a differentiable function of one slot u.

        An example is if(u == 0, 1, sin(u)/u). The result is {slot: (u, the slope with respect to u at the value that u
        has at the point, whether the function is analytic there)}. The choice depends on inputs through u alone, and u
        is not an input. Only slots with 1 in `needed` count, and at most five are returned. Raises Unknown if a side
        has no exact values.
        """
        tops: dict[int, int] = dict.fromkeys(self.point, -1)  # the last slot on all ways from inputs, -1 for none
        bridged: dict[int, Bridge] = {}
        for slot, (row, parents) in enumerate(zip(self.graph.rows, self._merged.parents, strict=True)):
            moving = list(filter(tops.__contains__, parents))
            while len(set(moving)) > 1:
                moving.append(tops[moving.pop(moving.index(max(moving)))])
            if not moving:
                continue
            top = tops[slot] = moving[0]
            is_choice = needed[slot] and row is not None and row.route is not None and not row.truth
            at = self.here[top] if is_choice and top >= 0 and top not in self.point else None
            if at is not None and len(bridged) < _MOST_INPUTS:
                left, right = self._sides_of_bridge(slot, top, at)
                if right.slope is not None and _has_one_slope(self.here[slot], left, right):
                    bridged[slot] = top, right.slope, left.is_analytic() and right.is_analytic()
        return bridged

    def _sides_of_bridge(self, slot: int, top: int, at: Real) -> tuple[OneSided, OneSided]:
        """Return (left, right) side of `slot` as a function of the slot `top`, as if `top` were an input with the value
        `at`.

        Raises Unknown if the graph has no exact values.
        """
        graph = copy(self._merged)
        graph.rows, graph.outputs = [None if k == top else row for k, row in enumerate(graph.rows)], [("", slot)]
        graph.parents = [() if k == top else parents for k, parents in enumerate(graph.parents)]
        graph.inputs = graph.inputs | {top: ""}
        alone = Neighbourhood(graph, self.reals, {**self.point, top: at})
        return alone.side(slot, {top: -1}), alone.side(slot, {top: 1})

    def _piece_form(
        self, m: PieceArithmetic, output: int, known_slots: Mapping[int, int],
        bridged: Mapping[int, Bridge],
    ) -> FirstOrder:  # fmt: skip
        """Return the form (a number to first order) of the output in the piece of the choices of `m`.

        `known_slots` is {slot: the only input that it depends on}; `bridged` is that of `_bridged_choices`. Raises
        Outside if the function is not defined on the piece, Unknown if a form is not known.
        """
        values: list[FirstOrder | None] = leaf_values(self.graph, m, {k: m.number(x) for k, x in self.point.items()})
        chosen: dict[int, int] = {}
        for slot, source in known_slots.items():
            values[slot] = self._form_of_one_input(m, slot, source, chosen)
        for slot, (top, slope, is_analytic) in bridged.items():
            form, here = on_demand(self._merged, m, values, [top])[top], self.here[slot]
            slopes = {k: c * slope for k, c in form.slopes.items()}
            values[slot] = FirstOrder(m, here, slopes, form.rough, analytic=is_analytic and form.analytic)
        needed = self._first[output]
        return on_demand(self._merged, m, values, [needed])[needed]

    @cached_property
    def _polynomials(self) -> list[Polynomial]:
        """Return the slots as polynomials in distances of inputs (-1 - slot) and in slots of functions: sin(y) +
        2*sin(y) is 3 times sin(y).

        A slot is a polynomial of its arguments if it is a sum, a product, or a quotient by a fraction.
        """
        known: list[Polynomial] = []
        for slot, (row, parents) in enumerate(zip(self.graph.rows, self._merged.parents, strict=True)):
            arguments = [known[p] for p in parents]
            at = None if row is not None or (here := self.here[slot]) is None else here.fraction
            whole = None if row is None else _combine_polynomials(row, arguments)
            if at is not None:
                whole = ({(): at} if at else {}) | ({((-1 - slot, 1),): Fraction(1)} if slot in self.point else {})
            known.append({((self._first[slot], 1),): Fraction(1)} if whole is None else whole)
        return known

    def _form_of_one_input(self, m: PieceArithmetic, slot: int, source: int, chosen: dict[int, int]) -> FirstOrder:
        """Return the form (a number to first order) of `slot`, which depends on the input `source` alone.

        If both sides have the value and one slope, it is that of both. If not, it is that of the side `chosen[source]`:
        1 right, -1 left, 0 the value at the point without slopes; if `source` is not in `chosen`, `m` chooses, and the
        choice is stored there. An infinite slope makes the form CONTINUOUS. A MissingForm is returned, not raised: with
        Outside if the function is not defined on the side, with Unknown if a side is not known.
        """
        here = self.here[slot]
        left, right = self.side(slot, {source: -1}), self.side(slot, {source: 1})
        if left.reason or right.reason:
            return MissingForm(Unknown(left.reason or right.reason))
        sides = left, right
        if not _has_one_slope(here, left, right):
            if source not in chosen:
                distance = FirstOrder(m, self.reals.zero, {source: self.reals.one}, affine=True)
                chosen[source] = m.sign_of(distance, ties=True)
            if chosen[source] == 0:
                return MissingForm(Outside()) if here is None else FirstOrder(m, here, {}, affine=True)
            sides = (right, right) if chosen[source] > 0 else (left, left)
        side = sides[1]
        if side.limit is None:
            return MissingForm(Outside())
        if side.slope is None:
            return FirstOrder(m, side.limit, {}, CONTINUOUS, whole=m.name_slots(self._polynomials[slot]))
        affine = sides[0].is_affine() and side.is_affine()
        return FirstOrder(
            m, side.limit, {source: -side.slope if side is left else side.slope}, affine=affine,
            analytic=left.is_analytic() and right.is_analytic(),
            whole=None if affine else m.name_slots(self._polynomials[slot]),
        )  # fmt: skip

    # --- one piece, whose partials a table can use

    def find_piece(self) -> PieceLimits | None:
        """Return the smooth piece along a direction whose ratios no program uses; None if four such directions have no
        series.

        Every partial is the limit of the row's rule along the direction, so that the chain rule holds.
        """
        for signs in ((1, 1), (-1, -1), (1, -1), (-1, 1)):
            direction = {
                slot: signs[k % 2] * _RATIOS[k % len(_RATIOS)] * (1 + k // len(_RATIOS))
                for k, slot in enumerate(self.point)
            }
            piece = self._with_enough_terms(partial(self._limits, direction))
            if not isinstance(piece, OneSided):
                return piece
        return None

    def _limits(self, direction: Direction, m: SeriesArithmetic) -> PieceLimits:
        """Return the limits of values and partials along a direction, and which values differ there from the point."""
        series = self._series(direction, m)
        partials = [tuple([self._partial_limit(g) for g in row]) for row in linearize(self.graph, m, series)]
        values = [None if z is None else m.limit(z) for z in series]
        pairs = zip(values, self.here, strict=True)
        return PieceLimits(values, partials, bytearray([_is_other(value, here) for value, here in pairs]))

    def _partial_limit(self, g: LocalSeries | float | None) -> Real | float | None:
        """Return the limit of a partial at distance 0: a Real, or ±inf for a series with negative powers.

        A plain number or None is returned unchanged. Raises Unknown or Flat if the term is not known.
        """
        if not isinstance(g, LocalSeries):
            return g
        return self.reals.sign_of(g.coefficients[0]) * math.inf if g.coefficients and g.start < 0 else g.at(0)


def _combine_polynomials(row: Primitive, arguments: Sequence[Polynomial]) -> Polynomial | None:
    """Return the sum, product or quotient by a fraction that `row` is of polynomials; None for every other row and if
    it is too long.
    """
    if row.signs:
        signs: list[Polynomial] = [{(): Fraction(sign)} for sign in row.signs]
        return reduce(add_known, list(map(multiply_known, arguments, signs)))
    powers = list(zip(arguments, row.exponents or (), strict=False))
    if not powers or any(e < 0 and [*a] != [()] for a, e in powers):
        return None
    factors: list[Polynomial | None] = [a if e > 0 else {(): 1 / a[()]} for a, e in powers]
    return reduce(multiply_known, factors)


def _is_other(value: Real | None, here: Real | None) -> bool:
    """Return whether two values differ; None (no value) equals only None."""
    return value is not here if value is None or here is None else value != here


def _slopes_along_inputs(sides: Mapping[int, tuple[OneSided, OneSided]]) -> dict[int, Real]:
    """Return {input: slope} for the inputs with the same finite slope on both sides, in order.

    `sides` has (left, right) of each input. If one side has no limit (outside of the domain), the slope of the other
    side counts; an input without a limit on both sides is left out.
    """
    slopes: dict[int, Real] = {}
    for slot, (left, right) in sides.items():
        known = [x for side, x in ((left, left.derivative(-1)), (right, right.derivative(1))) if side.limit is not None]
        exact = [x for x in known if isinstance(x, Real)]
        if exact and len(exact) == len(known) and exact[0] == exact[-1]:
            slopes[slot] = exact[0]
    return slopes


def _has_one_slope(here: Real | None, left: OneSided, right: OneSided) -> bool:
    """Return whether both sides have the value at the point, and one slope."""
    if here is None or left.slope is None or right.slope is None:
        return False
    return left.limit == here and right.limit == here and left.slope == -right.slope
