"""The arithmetic of one step, as terms that are multiplied and summed, and what one slip in it or two give. A term is a
local slope times a tangent or adjoint (`incoming`); a use is one time that a later row has a row as operand.

A row of a trace is a sum of terms, each a local slope times a tangent or an adjoint; a row of values is one term, whose
slope is the value.  A slip exchanges slopes, replaces tangents or adjoints, reverses a sign or loses a term, so that
two of them can be made one after the other.  Wrong slopes and values are those of wrong rows of the table of functions,
as people misread them: another value, other partials, an angle taken for degrees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, repeat
from types import MappingProxyType

from ...graph.graph import Graph
from ...graph.rules import partials_at
from ...graph.tape import literal_value
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.doubles import apply
from ...records import NamedTuple
from ...table.primitive import Primitive
from ...typings import TYPE_CHECKING, Any
from ..programs.worksheet import Cell, SlipNumbers, cell_of, close, total

if TYPE_CHECKING:
    from ...table.arithmetic import Arithmetic, PartialRule, T

_MOST, _WORK = 400, 8_000  # pairs of slips that are tried for a row, and the operations that they may take
_WIDEST = 32  # terms of a row in each of which slips are looked for
_ANYWHERE = -1  # the place of a slip in all terms at once
# Slips that are not named next to one that says more.
_VAGUER: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "quotient_sign": ("sign",),
        "path_missing": ("product_rule", "chain_rule_forgotten"),
        "factor_forgotten": ("power_off_by_one",),
        "chain_rule_forgotten": ("value_for_adjoint",),
    }
)


class Summands(NamedTuple):
    """The terms of a row: slopes, and for each slope the tangent or adjoint that it is multiplied by."""

    slopes: tuple[Spread, ...]
    incoming: tuple[Spread, ...]

    @property
    def products(self) -> list[Spread]:
        """Return the terms: each slope times its tangent or adjoint."""
        return [slope * bar for slope, bar in zip(self.slopes, self.incoming, strict=True)]

    @property
    def sum(self) -> Spread:
        return total(self.products)


class Slipped(NamedTuple):
    """A slip in a step: its name, and what it changes in the terms (`apply_to`).

    Slips of an earlier `stage` are made first; `place` is the index of the term, or -1 for all terms at once. `slopes`
    and `incoming` are the wrong slopes and the wrong tangents or adjoints by index of the term. With `swapped` the
    slopes are exchanged. With `negated` the sign of the slope at `place` (-1: of all) is reversed.
    """

    name: str
    stage: int
    place: int = _ANYWHERE
    slopes: Mapping[int, Spread] = MappingProxyType({})
    incoming: Mapping[int, Spread] = MappingProxyType({})
    swapped: bool = False
    negated: bool = False

    def apply_to(self, terms: Summands) -> Summands:
        """Return `terms` after this slip, as new Summands.

        In this order: slopes are replaced by index; with `swapped` their order is reversed; with `negated` the slope at
        `place`, or all for -1, changes its sign; incoming factors are replaced by index.
        """
        slopes = [self.slopes.get(k, slope) for k, slope in enumerate(terms.slopes)]
        if self.swapped:
            slopes.reverse()
        if self.negated:
            slopes = [-slope if self.place in (k, _ANYWHERE) else slope for k, slope in enumerate(slopes)]
        incoming = (self.incoming.get(k, bar) for k, bar in enumerate(terms.incoming))
        return Summands(tuple(slopes), tuple(incoming))


class RowSlips(NamedTuple):
    """The terms of a row as they should be (`terms`), and the slips in them (`slips`).

    The other fields are (name, number) pairs: `whole` of slips that replace all terms, `twice` of two slips in one
    slope, `besides` of numbers that are not computed in the row at all.
    """

    terms: Summands
    slips: tuple[Slipped, ...]
    whole: tuple[tuple[str, Spread], ...] = ()
    twice: tuple[tuple[str, Spread], ...] = ()
    besides: tuple[tuple[str, Spread], ...] = ()

    def singles(self) -> SlipNumbers:
        """Yield (slip, number) for each slip alone."""
        yield from self.compute_slips()
        yield from self.besides

    def compute_slips(self) -> SlipNumbers:
        """Yield (slip, number) for each slip alone that is made in computing the row: all but those in `besides`."""
        for slip in self.slips:
            yield slip.name, slip.apply_to(self.terms).sum
        yield from self.whole

    def pairs(self) -> SlipNumbers:
        """Yield (`a+b`, number) for pairs of slips that can both be made, the slip of the earlier stage made first; the
        names in `a+b` are in alphabetical order (`a` alone if both are called a).

        They can if their stages differ, or if each concerns one term and the terms differ. At most 400 pairs are tried;
        in rows of more than 20 terms 8000 divided by the number of terms. Then come `twice`, and each of `whole` with
        its sign reversed (`a+sign`). A name may occur several times.
        """
        for first, second in islice(self._pairs(), _affordable(len(self.terms.slopes))):
            yield join_slips(first.name, second.name), second.apply_to(first.apply_to(self.terms)).sum
        yield from self.twice
        for name, z in self.whole:
            yield join_slips(name, "sign"), -z

    def _pairs(self) -> Iterator[tuple[Slipped, Slipped]]:
        """Yield two slips that can both be made, that of the earlier stage first."""
        for pair in combinations(self.slips, 2):
            first, second = sorted(pair, key=lambda slip: slip.stage)
            are_separate = first.place != second.place and _ANYWHERE not in (first.place, second.place)
            if first.stage < second.stage or are_separate:
                yield first, second


def _affordable(size: int) -> int:
    """Return how many pairs of slips are tried in a row if each takes `size` operations: at most 400."""
    return min(_MOST, _WORK // max(size, 1))


def without_vaguer(names: Iterable[str]) -> list[str]:
    """Return the names of slips, in order, without those that a more exact one among them replaces (`_VAGUER`)."""
    every = list(dict.fromkeys(names))
    vaguer = {vague for name in every for vague in _VAGUER.get(name, ())}
    return [name for name in every if name not in vaguer]


def simplest(names: Iterable[str]) -> list[str]:
    """Return the names of slips without repetition, vaguer ones (`without_vaguer`), and names `a+b` with a or b alone.

    `a+sign` is also left out if `a+quotient_sign` is there. Pairs with `value_for_adjoint` are left out if a name that
    is not such a pair remains. The order stays.
    """
    kept = without_vaguer(names)
    parts = {name: {*name.split("+")} for name in kept}
    kept = [name for name in kept if not any(parts[other] < parts[name] for other in kept)]
    pairs = [parts[name] for name in kept if len(parts[name]) > 1]
    vague = [pair - {"quotient_sign"} | {"sign"} for pair in pairs if "quotient_sign" in pair]
    kept = [name for name in kept if parts[name] not in vague]
    return [name for name in kept if "value_for_adjoint" not in parts[name] or name == "value_for_adjoint"] or kept


def join_slips(first: str, second: str) -> str:
    """Return the name `a+b` of two slips that are both made, in alphabetical order; `a` if both are the slip a."""
    return "+".join(sorted({*first.split("+"), *second.split("+")}))


def value_with_slips(cell: Cell, known: Mapping[int, Spread]) -> RowSlips:
    """Return the value of a cell as one term, the value times 1, with slips; `known` has the leaves' values by slot.

    `slips` are each wrong rule of an operation (`variants`), then `sign`. `twice` has (name, number) for two wrong
    rules in different slots: at most 400 pairs are tried, fewer in formulas of more than 20 slots. `whole` and
    `besides` are empty. Raises KeyError if `known` lacks a leaf.
    """
    wrong = list(variants(cell, "value"))
    slips = [Slipped(name, 0, slopes={0: cell.value(known, row)}) for name, row in wrong]
    pairs = islice(combinations(wrong, 2), _affordable(len(cell.inner)))
    disjoint = (pair for pair in pairs if pair[0][1].keys() != pair[1][1].keys())
    twice = ((join_slips(a, b), cell.value(known, {**first, **second})) for (a, first), (b, second) in disjoint)
    terms = Summands((cell.value(known),), (SPREAD.one,))
    return RowSlips(terms, (*slips, Slipped("sign", 1, negated=True)), twice=tuple(twice))


def tangent_with_slips(
    cell: Cell, known: Mapping[int, Spread], dots: Mapping[int, Spread], besides: Sequence[tuple[str, Spread]] = ()
) -> RowSlips:
    """Return the terms of a tangent, one for each leaf of the cell in order, and the slips in it.

    `known` and `dots` are the values and tangents of the leaves, by slot (KeyError if one is missing). `terms` has the
    slopes and tangents. `slips` is one tuple for the whole row; a slip of a single term has the index of the term as
    its `place`. It has, in this order:
    - wrong partials; derivatives at the inner derivative;
    - if not all slopes are exactly 1 or -1: the slopes divided by the literal factor of the last operation, if it has
      one; two slopes swapped; tangents or slopes taken for 1 (`_slips_of_partials`);
    - values instead of all tangents that are not exactly 0, at once, if there are any;
    - signs, then missing paths, of the single terms whose tangent is not exactly 0, if there are 2 to 32 of them;
    - the sign of all terms.

    `whole` has (slip, number) pairs of wrong rules for the whole tangent (`_wrong_whole_tangents`). `besides` is stored
    as given: (slip, number) pairs that are not computed in the row. `twice` is empty.
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
        slips.append(Slipped(name, 0, slopes=dict(enumerate(wrong[leaf] for leaf in leaves))))
    if not all(is_one(slope) for slope in terms.slopes):  # sums have nothing to swap, and no inner derivative
        slips += _slips_of_partials(terms, moving, last_factor(cell), is_whole=len(cell.inner) > 1)
    if moving:
        values = {place: known[leaves[place]] for place in moving}
        slips.append(Slipped("value_for_adjoint", 2, incoming=values))
    if 1 < len(moving) <= _WIDEST:
        slips += [Slipped("sign", 3, place, negated=True) for place in moving]
        slips += [Slipped("path_missing", 4, place, incoming=_zeros([place])) for place in moving]
    slips.append(Slipped("sign", 5, negated=True))
    return RowSlips(terms, tuple(slips), tuple(_wrong_whole_tangents(cell, known, dots)), besides=tuple(besides))


def last_factor(cell: Cell) -> Spread | None:
    """Return the literal by which the last operation of a cell multiplies, on either side, or 1/c if it divides by c.

    None if the last operation is not a product or quotient, if both operands or neither are literal, or for a quotient
    with a literal dividend. None also if the graph uses the slot `top` in more than sums and products (`is_outside`):
    the 2 of sin(2x) is the derivative of an inner function.
    """
    graph, top = cell.graph, cell.top
    row = graph.rows[top] if top in cell.inner else None
    if row is None or row.exponents not in ((1, 1), (1, -1)):
        return None
    (above, below), is_product = graph.parents[top], row.exponents == (1, 1)
    if is_product and graph.literal[above]:
        above, below = below, above
    if graph.literal[above] or not graph.literal[below]:
        return None
    if not is_outside(graph, top):
        return None
    factor = SPREAD.number(literal_value(graph, SPREAD, below))
    return factor if is_product else SPREAD.one / factor


def is_outside(graph: Graph, slot: int) -> bool:
    """Return whether a slot reaches the outputs only through sums, differences, products and negations.

    All operations that depend on the slot are looked at. True for a slot without users.
    """
    reached = {slot}
    for user in range(slot + 1, len(graph)):
        row = graph.rows[user]
        if row is not None and not reached.isdisjoint(graph.parents[user]):
            if not row.signs and row.exponents != (1, 1):
                return False
            reached.add(user)
    return True


def _slips_of_partials(
    terms: Summands, moving: Sequence[int], factor: Spread | None, *, is_whole: bool
) -> Iterator[Slipped]:
    """Yield the slips with the local derivatives of a tangent, the `slopes` of `terms`, as what each of them replaces.

    `moving` are the places of the terms whose tangent is not 0, `factor` is the literal factor of the row (None: it has
    no factor). In this order:
    - factor_forgotten, with a factor: each slope is divided by it;
    - operand_partials_swapped, if there are exactly two slopes, equal or not;
    - chain_rule_forgotten, up to twice: in all `moving` terms the tangents become 1, then the slopes become 1 or the
      factor (`_forget_chain_rule`);
    - if some tangent is 0, the tangents of all terms become 1: constant_kept, or chain_rule_forgotten if all are 0.
    """
    if factor is not None:
        yield Slipped("factor_forgotten", 0, slopes={k: slope / factor for k, slope in enumerate(terms.slopes)})
    if len(terms.slopes) == 2:
        yield Slipped("operand_partials_swapped", 1, swapped=True)
    yield from _forget_chain_rule(terms, moving, factor=factor, is_whole=is_whole)
    if len(moving) < len(terms.slopes):
        name = "constant_kept" if moving else "chain_rule_forgotten"
        yield Slipped(name, 2, incoming=dict.fromkeys(range(len(terms.slopes)), SPREAD.one))


def _wrong_whole_tangents(cell: Cell, known: Mapping[int, Spread], dots: Mapping[int, Spread]) -> SlipNumbers:
    """Yield (slip, number) for wrong rules that give the tangent of a row as a whole, not by wrong local derivatives.

    First come the wrong rules of the table for whole tangents, such as u' v' for (u v)'. They need a cell that is one
    operation on leaves, all of which have tangents. Then comes `chain_rule_forgotten`, f'(g') for the tangent of f(g).
    It needs a cell that is one operation of one argument, its leaf, which has a tangent g' that is not exactly 1 or
    -1. A number without a name is not a leaf. `known` has the values, `dots` the tangents, by slot; leaves without a
    tangent are missing in `dots`. Numbers may be unknown.
    """
    row, parents, leaves = cell.graph.rows[cell.slot], cell.graph.parents[cell.slot], cell.leaves
    for slip in row.slips if row is not None and all(p in leaves and p in dots for p in parents) else ():
        if slip.tangent is not None:
            z = slip.tangent(SPREAD, [dots[p] for p in parents], [known[p] for p in parents])
            yield slip.name, SPREAD.number(z)
    dot = dots.get(leaves[0]) if len(leaves) == 1 and parents == leaves else None
    if row is not None and dot is not None and not is_one(dot):
        yield "chain_rule_forgotten", derivative_at(row, dot)


class Use(NamedTuple):
    """One use of a row as an operand of a later row, its `user`.

    `known` are the values of the user's operands by slot. `value`, `bar` and `dots` are the user's value, adjoint and
    tangents (one for each input). `number` is the index of this use among the user's uses of the row.
    """

    user: Cell
    known: Mapping[int, Spread]
    value: Spread
    bar: Spread
    dots: tuple[Spread, ...]
    number: int


def adjoint_with_slips(
    slot: int, uses: Sequence[Use], start: Spread, late: Sequence[int] = (), besides: Sequence[tuple[str, Spread]] = ()
) -> RowSlips:
    """Return the terms of the adjoint of `slot`, one for each of `uses` and the seed `start` last, with slips.

    A use whose adjoint is not exactly 0 has the slips of `_slips_of_use`; one whose adjoint is 0 only
    chain_rule_forgotten. With more than 32 uses neither is tried. Then comes the sign of the whole sum. With two or
    more uses that are not 0 there are also adjoint_overwritten and path_missing. Overwritten means: only the uses at
    the places `late` (indices in `uses`), those written last, remain, or only the last use that is not 0, both without
    the seed. A path is missing for each use that is not 0 (at most 32), of two only for the second.

    `whole` has the sum plus 1 as `seed`. `besides` of the result has the given (slip, number) pairs, which are not
    computed in the row, and then mode_confused: for each use (of the first 32 that are not 0) and each tangent of its
    user, the sum with this tangent instead of this adjoint alone. Each user must have `slot` as a leaf.
    """
    slopes = [use.user.uses(use.known)[slot][use.number] for use in uses]
    terms = Summands((*slopes, SPREAD.one), (*(use.bar for use in uses), start))
    reached = [place for place, use in enumerate(uses) if not is_exactly(use.bar, 0)]
    slips: list[Slipped] = []
    for place, use in enumerate(uses if len(uses) <= _WIDEST else ()):
        if place in reached:
            slips += _slips_of_use(slot, use, terms, place)
        else:
            slips.append(Slipped("chain_rule_forgotten", 2, place, incoming={place: SPREAD.one}))
    slips.append(Slipped("sign", 5, negated=True))
    if len(reached) > 1:
        for left in (late, reached[-1:]) if late else (reached[-1:],):
            rest = _zeros(set(range(len(uses) + 1)) - set(left))
            slips.append(Slipped("adjoint_overwritten", 4, incoming=rest))
        # Of two paths the first one is what is overwritten.
        lost = reached[1:] if len(reached) == 2 else reached[:_WIDEST]
        slips += [Slipped("path_missing", 4, place, incoming=_zeros([place])) for place in lost]
    mixed = [Slipped("", 2, incoming={k: dot}).apply_to(terms).sum for k in reached[:_WIDEST] for dot in uses[k].dots]
    besides = (*besides, *zip(repeat("mode_confused"), mixed, strict=False))
    return RowSlips(terms, tuple(slips), (("seed", terms.sum + SPREAD.one),), besides=besides)


def _slips_of_use(slot: int, use: Use, terms: Summands, place: int) -> Iterator[Slipped]:
    """Yield the slips in the term at `place` of the adjoint of `slot`: that of `use`, whose adjoint is not 0.

    A Slipped holds only what it changes in this term. In this order:
    - wrong rules of one operation, by values and, if that differs, by the rounded result;
    - `sign`, a(1 + a) for a(1 - a), if the user has several operations and this slope, as a composed sigmoid has;
    - chain_rule_forgotten, f' at the inner derivative;
    - if not all slopes of the user are exactly 1 or -1: for two leaves, the slope of the other one; factor_forgotten,
      the slope divided by the literal factor of the user's last operation (`last_factor`), if it has one; and
      chain_rule_forgotten: the adjoint is 1 (unless it is 1 or -1), then the slope is 1 (unless it equals that factor);
    - value_for_adjoint, the user's value instead of its adjoint; `sign`.
    """
    partials = use.user.partials(use.known)
    for name, row in variants(use.user, "partials"):
        by_values = use.user.uses(use.known, row)[slot][use.number]
        yield Slipped(name, 0, place, slopes={place: by_values})
        by_result = use.user.uses(use.known, row, use.value)[slot][use.number]  # a(1 + a) of a rounded a
        if not by_result.meets(by_values):
            yield Slipped(name, 0, place, slopes={place: by_result})
    value = use.user.value(use.known)
    if len(use.user.inner) > 1 and close(partials[slot], value * (SPREAD.one - value)):  # 1/(1 + exp(-z))
        yield Slipped("sign", 0, place, slopes={place: value * (SPREAD.one + value)})
    for inside in at_inner_derivatives(use.user, use.known):
        slope = use.user.uses(use.known, inside)[slot][use.number]
        yield Slipped("chain_rule_forgotten", 0, place, slopes={place: slope})
    if not all(is_one(slope) for slope in partials.values()):
        if len(use.user.leaves) == 2:
            other = use.user.leaves[use.user.leaves[0] == slot]
            yield Slipped("operand_partials_swapped", 0, place, slopes={place: partials[other]})
        if (factor := last_factor(use.user)) is not None:
            yield Slipped("factor_forgotten", 0, place, slopes={place: terms.slopes[place] / factor})
        yield from _forget_chain_rule(terms, [place], place, factor, is_whole=len(use.user.inner) > 1)
    yield Slipped("value_for_adjoint", 2, place, incoming={place: use.value})
    yield Slipped("sign", 3, place, negated=True)


def is_exactly(x: Spread, number: float) -> bool:
    """Return whether an interval is `number` alone, without width."""
    return x.low == x.high == number


def is_one(x: Spread) -> bool:
    """Return whether an interval is 1 alone or -1 alone, without width."""
    return is_exactly(x, 1) or is_exactly(x, -1)


def _zeros(places: Iterable[int]) -> dict[int, Spread]:
    """Return {place: 0} for the places of terms that are taken for 0."""
    return dict.fromkeys(places, SPREAD.zero)


def _forget_chain_rule(
    terms: Summands, places: Sequence[int], place: int = _ANYWHERE, factor: Spread | None = None, *, is_whole: bool
) -> Iterator[Slipped]:
    """Yield up to two slips chain_rule_forgotten in the terms `places`: their tangents or adjoints become 1, then their
    slopes become 1.

    Each slip has stage 2 and holds the ones by index of the term, as `incoming` or as `slopes`; nothing is summed here.
    `place` is the place of the slips (-1: all terms at once). The first is left out if all these tangents or adjoints
    are exactly 1 or -1. The second is left out if the row has a `factor` (not None) and the intervals of all these
    slopes meet it; if a slope is 0; and, with `is_whole` (the row has several operations), if the first one is.
    """
    ones = dict.fromkeys(places, SPREAD.one)
    is_first = all(is_one(terms.incoming[k]) for k in places)  # a forgotten -1 is a slip of sign
    if not is_first:
        yield Slipped("chain_rule_forgotten", 2, place, incoming=ones)
    if (is_first and is_whole) or any(is_exactly(terms.slopes[k], 0) for k in places):
        return  # nothing is multiplied, or a branch is not taken
    if factor is None or not all(terms.slopes[k].meets(factor) for k in places):
        yield Slipped("chain_rule_forgotten", 2, place, slopes=ones)


# --- wrong rows of the table ------------------------------------------------------------------------------------------


_LARGEST = 60  # operations of one row in each of which slips are looked for, the last ones


def variants(cell: Cell, what: str) -> Iterator[tuple[str, dict[int, Primitive]]]:
    """Yield (slip, {slot: row}) for each wrong row that may replace one operation of a cell's formula, operands first.

    `what` says which mistakes are made: `value` for rows with a wrong value, `partials` for rows with wrong partials
    (`wrong_rows`). Only the last 60 inner slots are tried; literals are left out.
    """
    for slot in cell.inner[-_LARGEST:]:
        row = cell.graph.rows[slot]
        if row is None or cell.graph.literal[slot]:
            continue
        moving = [not cell.graph.literal[parent] for parent in cell.graph.parents[slot]]
        for name, wrong in wrong_rows(row, what, moving):
            yield name, {slot: wrong}


def at_inner_derivatives(cell: Cell, known: Mapping[int, Spread]) -> Iterator[dict[int, Primitive]]:
    """Yield {slot: row} for a function whose derivative is taken at the inner derivative: cos(2x) for (sin x²)'.

    The row has the constant partial f'(u') / u', which times the inner derivative u' gives f'(u'). `known` are the
    values of the leaves by slot. Nothing is yielded if the cell has not exactly one leaf. Only the last 60 inner slots
    are tried. Left out are operations of two operands, functions of the leaf itself, those with u' unknown or possibly
    0, and those without a rule for their single partial.
    """
    if len(cell.leaves) != 1:
        return
    for slot in cell.inner[-_LARGEST:]:
        row, parents = cell.graph.rows[slot], cell.graph.parents[slot]
        if row is None or len(parents) != 1 or parents[0] in cell.leaves or not isinstance(row.partials, tuple):
            continue
        inner = cell_of(cell.graph, parents[0], cell.leaves)
        slope = inner.partials(known).get(cell.leaves[0], SPREAD.zero) if inner.leaves else SPREAD.zero
        if not slope.known or slope.low <= 0 <= slope.high:
            continue
        factor = derivative_at(row, slope) / slope
        yield {slot: Primitive(row.name, value=row.value, partials=(_constant(factor),))}


def derivative_at(row: Primitive, argument: Spread) -> Spread:
    """Return the derivative of a unary row at an argument; undefined if the row has no value there.

    It is 0 if the row has no partial.
    """
    (slope,) = partials_at(row, SPREAD, apply(row, SPREAD, [argument]), [argument], (True,))
    return SPREAD.number(slope if slope is not None else 0.0)


def _constant(value: Spread) -> PartialRule:
    """Return a rule for a partial derivative that always gives `value`."""
    return lambda *_: value  # type: ignore[return-value]


def wrong_rows(row: Primitive, what: str, moving: Sequence[bool]) -> Iterator[tuple[str, Primitive]]:
    """Yield (slip, row) for the rows that people take for `row`, with another value or other partials.

    `what` is "value" for wrong values or "partials" for wrong partials; the other part of a row stays right. First come
    the slips in `row.slips` that have that part; a partial that a slip does not change is the right one, and if `row`
    has one joint rule for its partials there are none. `moving` has for each argument whether it is more than a number;
    a slip is left out unless this holds for all the positions in its own `moving`. Then come `degrees` for rows that
    take or return angles, whatever `what` is, and `sign` (the partial negated) for unary rows with a partial, if `what`
    is "partials".
    """
    for slip in row.slips:
        if not all(moving[position] for position in slip.moving):
            continue
        if what == "value" and slip.value is not None:
            yield slip.name, Primitive(row.name, value=slip.value, partials=row.partials)
        if what == "partials" and slip.partials is not None and isinstance(row.partials, tuple):
            rules = tuple(wrong or right for wrong, right in zip(slip.partials, row.partials, strict=True))
            yield slip.name, Primitive(row.name, value=row.value, partials=rules)
    if row.angle or row.angular:
        yield "degrees", in_degrees(row)
    if what == "partials" and row.arity == 1:
        rule = row.partials[0] if isinstance(row.partials, tuple) else None
        if rule is not None:
            yield "sign", Primitive(row.name, value=row.value, partials=(_negative(rule),))


def in_degrees(row: Primitive) -> Primitive:
    """Return a new row for `row`, which takes or returns an angle, with this angle in degrees, as sin or asin."""
    return _argument_in_degrees(row) if row.angle else _result_in_degrees(row)


def _negative(rule: PartialRule) -> PartialRule:
    """Return the rule of a partial derivative with the sign reversed."""
    return lambda m, z, *xs: -rule(m, z, *xs)


def _result_in_degrees(row: Primitive) -> Primitive:
    """Return a new row with the name of `row`, such as asin, whose value and partials are those of `row` times 180/π.

    The rules of the partials get the value of the row that the caller passes, which must be in radians. It has no
    partials if those of `row` are one joint rule. Nothing else of `row`, such as domain and kinks, is kept.
    """

    def in_degrees(rule: Callable[..., Any]) -> Callable[..., Any]:
        return lambda m, *xs: rule(m, *xs) * 180 / m.pi

    rules = row.partials if isinstance(row.partials, tuple) else ()
    partials = tuple(None if rule is None else in_degrees(rule) for rule in rules)
    return Primitive(row.name, value=in_degrees(row.value), partials=partials)


def _argument_in_degrees(row: Primitive) -> Primitive:
    """Return a new row with the name of the unary `row`, such as sin, with its argument taken for degrees; the partial
    lacks the factor π/180.

    The partial is that of the row at the converted argument; the new row has none if `row` has no separate rule for it.
    Nothing else of `row` is kept.
    """
    rule = row.partials[0] if isinstance(row.partials, tuple) else None

    def value(m: Arithmetic[T], /, x: T) -> T:
        return row.value(m, m.number(x) * m.pi / 180)

    def partial(m: Any, _: Any, /, x: Any) -> Any:
        return 0 if rule is None else rule(m, value(m, x), m.number(x) * m.pi / 180)

    return Primitive(row.name, value=value, partials=(None if rule is None else partial,))
