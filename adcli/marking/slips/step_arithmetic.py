"""One step of working taken apart: what is multiplied and summed up in it, and what becomes of it by slips, one or two.

A row of a trace is a sum of terms, each a local slope times what comes in (a tangent or an adjoint); a row of values is
one term, whose slope is the value.  A slip exchanges slopes, replaces what comes in, turns a sign over or loses a term,
so that two of them can be made one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice

from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from ..programs.worksheet import Cell, total
from .wrong_rows import at_inner_derivatives, derivative_at, variants, wrong_tangents

_MOST, _WORK = 400, 8_000  # pairs of slips that are tried for a row, and the operations that they may take
_WIDEST = 32  # terms of a row in each of which slips are looked for
_ANYWHERE = -1  # the place of a slip in all terms at once

Found = Iterator[tuple[str, Spread]]


class Summands(NamedTuple):
    """What is summed up: slopes, and for each what comes in."""

    slopes: tuple[Spread, ...]
    incoming: tuple[Spread, ...]

    @property
    def sum(self) -> Spread:
        return total(slope * bar for slope, bar in zip(self.slopes, self.incoming, strict=True))


class Slipped(NamedTuple):
    """A slip in a step: its name, at which `stage` of the working and in which term it is made, and what it makes."""

    name: str
    stage: int
    place: int
    made: Callable[[Summands], Summands]


class Reckoning(NamedTuple):
    """The terms of a row as they should be, and the slips in them.

    `whole` are slips that leave nothing of the terms, `twice` those of two that are made in one slope, `besides` what
    is no working of the row at all.
    """

    terms: Summands
    slips: tuple[Slipped, ...]
    whole: tuple[tuple[str, Spread], ...] = ()
    twice: tuple[tuple[str, Spread], ...] = ()
    besides: tuple[tuple[str, Spread], ...] = ()

    def singles(self) -> Found:
        """What each slip alone gives."""
        yield from self.worked()
        yield from self.besides

    def worked(self) -> Found:
        """What each slip alone gives that is one of working."""
        for slip in self.slips:
            yield slip.name, slip.made(self.terms).sum
        yield from self.whole

    def pairs(self) -> Found:
        """What two slips give that can both be made, the one of the earlier stage first."""
        for first, second in islice(self._pairs(), _affordable(len(self.terms.slopes))):
            yield joined(first.name, second.name), second.made(first.made(self.terms)).sum
        yield from self.twice
        for name, z in self.whole:
            yield joined(name, "sign"), -z

    def _pairs(self) -> Iterator[tuple[Slipped, Slipped]]:
        for pair in combinations(self.slips, 2):
            first, second = sorted(pair, key=lambda slip: slip.stage)
            apart = first.place != second.place and _ANYWHERE not in (first.place, second.place)
            if first.stage < second.stage or apart:
                yield first, second


def _affordable(size: int) -> int:
    """How many pairs are tried where each takes so many operations."""
    return min(_MOST, _WORK // max(size, 1))


def simplest(names: Iterable[str]) -> list[str]:
    """The slips without two at once of which one alone is among them."""
    found = list(dict.fromkeys(names))
    parts = {name: {*name.split("+")} for name in found}
    return [name for name in found if not any(parts[other] < parts[name] for other in found)]


def joined(first: str, second: str) -> str:
    """The name of two slips that are both made, in whichever order; the same slip made twice has its own."""
    return "+".join(sorted({*first.split("+"), *second.split("+")}))


def value_reckoned(cell: Cell, known: Mapping[int, Spread]) -> Reckoning:
    """Return the working of a value with its slips; `known` are the values that the cell uses, by slot."""
    wrong = list(variants(cell, "value"))
    return Reckoning(
        Summands((cell.value(known),), (SPREAD.one,)),
        (*(_of_slopes(name, 0, (cell.value(known, row),)) for name, row in wrong), _turned(1)),
        twice=tuple(
            (joined(a, b), cell.value(known, {**first, **second}))
            for (a, first), (b, second) in islice(combinations(wrong, 2), _affordable(len(cell.inner)))
            if first.keys() != second.keys()
        ),
    )


def dot_reckoned(
    cell: Cell,
    known: Mapping[int, Spread],
    dots: Mapping[int, Spread],
    besides: Sequence[tuple[str, Spread]] = (),
) -> Reckoning:
    """Return the working of a tangent, with its slips.

    `known` and `dots` are the values and tangents of the rows that the cell uses, by slot; `besides` are slips that are
    no working of the row, with what they give.
    """
    leaves = cell.leaves
    partials = cell.partials(known)
    terms = Summands(tuple(partials[leaf] for leaf in leaves), tuple(dots[leaf] for leaf in leaves))
    moving = [place for place, dot in enumerate(terms.incoming) if not is_exactly(dot, 0)]
    variants_of_rows = [*variants(cell, "partials")]
    variants_of_rows += [("chain_rule_forgotten", inside) for inside in at_inner_derivatives(cell, known)]
    slips = []
    for name, row in variants_of_rows:
        wrong = cell.partials(known, row)
        slips.append(_of_slopes(name, 0, tuple(wrong[leaf] for leaf in leaves)))
    if not all(is_one(slope) for slope in terms.slopes):  # sums have nothing to swap, and no inner derivative
        slips += _of_derivatives(terms, moving)
    if moving:
        slips.append(_of_incoming("value_for_adjoint", 2, {place: known[leaves[place]] for place in moving}))
    if 1 < len(moving) <= _WIDEST:
        slips += [_turned(3, place) for place in moving]
        slips += [_of_incoming("path_missing", 4, _nothing([place]), place) for place in moving]
    slips.append(_turned(5))
    return Reckoning(terms, tuple(slips), tuple(_of_whole_tangents(cell, known, dots)), besides=tuple(besides))


def _of_derivatives(terms: Summands, moving: Sequence[int]) -> Iterator[Slipped]:
    """Yield slips with the local derivatives of a tangent; `moving` are the places of terms that are not 0."""
    if len(terms.slopes) == 2:
        yield Slipped("operand_partials_swapped", 1, _ANYWHERE, _swapped)
    yield from _forgotten(terms, moving, 2)
    if len(moving) < len(terms.slopes):
        yield _of_incoming("chain_rule_forgotten", 2, dict.fromkeys(range(len(terms.slopes)), SPREAD.one))


def _of_whole_tangents(cell: Cell, known: Mapping[int, Spread], dots: Mapping[int, Spread]) -> Found:
    """Yield what wrong rules for a whole tangent give: products of derivatives, f'(g') for the tangent of f(g)."""
    for name, rule, parents in wrong_tangents(cell):
        if all(p in dots for p in parents):
            yield name, SPREAD.number(rule(SPREAD, [dots[p] for p in parents], [known[p] for p in parents]))
    top, leaves = cell.graph.rows[cell.slot], cell.leaves
    if top is not None and len(leaves) == 1 and cell.graph.parents[cell.slot] == leaves and not is_one(dots[leaves[0]]):
        yield "chain_rule_forgotten", derivative_at(top, dots[leaves[0]])


class Use(NamedTuple):
    """One use of a row by a later one: that row, the values it uses, its own value, its adjoint and tangents, and which
    of its uses of the row it is.
    """

    user: Cell
    known: Mapping[int, Spread]
    value: Spread
    bar: Spread
    dots: tuple[Spread, ...]
    number: int


def bar_reckoned(
    slot: int,
    uses: Sequence[Use],
    start: Spread,
    late: Sequence[int] = (),
    besides: Sequence[tuple[str, Spread]] = (),
) -> Reckoning:
    """Return the working of an adjoint with its slips, from the uses of its row and the seed `start`.

    The uses at the places `late` are what is written down last (none: that is not known); `besides` are slips that are
    no working of the row.
    """
    slopes = [use.user.uses(use.known)[slot][use.number] for use in uses]
    terms = Summands((*slopes, SPREAD.one), (*(use.bar for use in uses), start))
    reached = [place for place, use in enumerate(uses) if not is_exactly(use.bar, 0)]
    slips: list[Slipped] = []
    for place, use in enumerate(uses if len(uses) <= _WIDEST else ()):
        if place not in reached:
            slips.append(_of_incoming("chain_rule_forgotten", 2, {place: SPREAD.one}, place))
            continue
        partials = use.user.partials(use.known)
        for name, row in variants(use.user, "partials"):
            by_values = use.user.uses(use.known, row)[slot][use.number]
            slips.append(_of_slope(name, place, by_values))
            by_result = use.user.uses(use.known, row, use.value)[slot][use.number]  # a(1 + a) of a rounded a
            if not by_result.meets(by_values):
                slips.append(_of_slope(name, place, by_result))
        for inside in at_inner_derivatives(use.user, use.known):
            slips.append(_of_slope("chain_rule_forgotten", place, use.user.uses(use.known, inside)[slot][use.number]))
        if not all(is_one(slope) for slope in partials.values()):
            if len(use.user.leaves) == 2:
                other = use.user.leaves[use.user.leaves[0] == slot]
                slips.append(_of_slope("operand_partials_swapped", place, partials[other]))
            slips += _forgotten(terms, [place], 2, place)
        slips.append(_of_incoming("value_for_adjoint", 2, {place: use.value}, place))
        slips.append(_turned(3, place))
    slips.append(_turned(5))
    if len(reached) > 1:
        for left in (late, reached[-1:]) if late else (reached[-1:],):
            slips.append(_of_incoming("adjoint_overwritten", 4, _nothing(set(range(len(uses) + 1)) - set(left))))
        # Of two paths the first one is what is overwritten.
        lost = reached[1:] if len(reached) == 2 else reached[:_WIDEST]
        slips += [_of_incoming("path_missing", 4, _nothing([place]), place) for place in lost]
    mixed = [
        ("mode_confused", _of_incoming("", 2, {place: dot}).made(terms).sum)
        for place in reached[:_WIDEST]
        for dot in uses[place].dots
    ]
    return Reckoning(terms, tuple(slips), (("seed", terms.sum + SPREAD.one),), besides=(*besides, *mixed))


def is_exactly(x: Spread, number: float) -> bool:
    """Whether it is that number and nothing beside it."""
    return x.low == x.high == number


def is_one(x: Spread) -> bool:
    """Whether it is 1 or -1, and nothing beside it."""
    return is_exactly(x, 1) or is_exactly(x, -1)


# --- what slips make of the terms -------------------------------------------------------------------------------------


def _of_slopes(name: str, stage: int, wrong: tuple[Spread, ...]) -> Slipped:
    return Slipped(name, stage, _ANYWHERE, lambda terms: terms._replace(slopes=wrong))


def _of_slope(name: str, place: int, wrong: Spread) -> Slipped:
    def made(terms: Summands) -> Summands:
        return terms._replace(slopes=(*terms.slopes[:place], wrong, *terms.slopes[place + 1 :]))

    return Slipped(name, 0, place, made)


def _of_incoming(name: str, stage: int, wrong: Mapping[int, Spread], place: int = _ANYWHERE) -> Slipped:
    def made(terms: Summands) -> Summands:
        return terms._replace(incoming=tuple(wrong.get(k, bar) for k, bar in enumerate(terms.incoming)))

    return Slipped(name, stage, place, made)


def _nothing(places: Iterable[int]) -> dict[int, Spread]:
    return dict.fromkeys(places, SPREAD.zero)


def _forgotten(terms: Summands, places: Sequence[int], stage: int, place: int = _ANYWHERE) -> Iterator[Slipped]:
    """Yield the slips that leave out, at `places`, what comes in, or the slopes."""
    ones = dict.fromkeys(places, SPREAD.one)
    if not all(is_one(terms.incoming[k]) for k in places):  # a forgotten -1 is a slip of sign
        yield _of_incoming("chain_rule_forgotten", stage, ones, place)

    def made(terms: Summands) -> Summands:
        return terms._replace(slopes=tuple(ones.get(k, slope) for k, slope in enumerate(terms.slopes)))

    yield Slipped("chain_rule_forgotten", stage, place, made)


def _swapped(terms: Summands) -> Summands:
    return terms._replace(slopes=terms.slopes[::-1])


def _turned(stage: int, place: int = _ANYWHERE) -> Slipped:
    def made(terms: Summands) -> Summands:
        turned = [-slope if place in (k, _ANYWHERE) else slope for k, slope in enumerate(terms.slopes)]
        return terms._replace(slopes=tuple(turned))

    return Slipped("sign", stage, place, made)
