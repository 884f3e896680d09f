"""Contributions to adjoints: which of them each row of an answer has added up so far. A contribution is the adjoint of
a row that uses another one times its local derivative, known by its place among all uses in the order of a reverse
sweep.

The contributions to an adjoint may be written in any order, one by one, added to what is there, or all at once; every
partial sum is right until the last row of that adjoint, which must have them all.  A RowCase is a row of any kind with
all that it is judged by, such sums among it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from ...answers.answer_model import BAR, Entry
from ...answers.shown_numbers import ShownNumber
from ...errors import AdcliError
from ...graph.graph import Graph
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from .resolving import Resolved
from .uncorrected_program import AsWritten, Followed
from .value_rows import is_repeated
from .worksheet import Solution, Worksheet, close, same, total

Terms = dict[Hashable, list[list[Spread]]]  # contributions to adjoints, for each point in the order of the uses
MOST_CONTRIBUTIONS = 8  # contributions of which every partial sum is recognised


class Expected(NamedTuple):
    """The expected value of a row of an adjoint at every point (`truths`), and which contributions the row contains.

    `chosen` are the contributions, as places among the uses of the slot, `before` those of the row before. `seeded`
    says that the seed is included, as the slot is the output itself. `opening` is True for a 0 that a sum starts from,
    written down before anything is added. `is_determined` is False if neither the formula nor the number of the row
    shows which contributions it contains.
    """

    truths: tuple[Spread, ...]
    chosen: frozenset[int]
    before: frozenset[int]
    seeded: bool
    opening: bool = False
    is_determined: bool = True


class Contributions:
    """The contributions that the rows of each adjoint of an answer contain so far.

    `truths` are the values of the program `sheet`, one for each point; all results are in their order.
    """

    def __init__(self, sheet: Worksheet | AsWritten, truths: Sequence[Solution | Followed], terms: Terms) -> None:
        """Start with no contributions; `truths` are the values of the program `sheet`, one for each point.

        `terms` are the contributions to adjoints of this program that are known; others are added to it.
        """
        self.sheet = sheet
        self.truths = truths
        self._terms = terms
        self._so_far: dict[Resolved, frozenset[int]] = {}

    def before(self, quantity: Resolved) -> list[Spread]:
        """Return, for each point, an adjoint before its next row, with true values: its seed (1 or 0) plus the
        contributions that `remember` stored last for it."""
        return self._partial_sums(quantity, self._so_far.get(quantity, frozenset()))

    def _is_seeded(self, quantity: Resolved) -> bool:
        """Return whether the adjoint `quantity` is that of its own output, whose seed is 1."""
        return quantity.slot == self.sheet.outputs.get(quantity.key or "")

    def remember(self, quantity: Resolved, expected: Expected) -> None:
        """Store the contributions of a row as those that its adjoint has so far."""
        self._so_far[quantity] = expected.chosen

    def expected(
        self, quantity: Resolved, last: bool, shown: Spread | None, formulas: Sequence[Sequence[Spread]], nothing: bool
    ) -> Expected:
        """Return the Expected of a row of the adjoint `quantity`: the sum of the contributions it seems to contain.

        Sums are of the program's true values. `nothing`: the row is only a 0. `last`: it is the last row of this
        adjoint. `formulas` has a list for each formula of the row, with one value for each point, from true values,
        too; `shown` is the student's number, at the first point. The first that applies:
        - a 0 that is the first of several rows: an `opening` without contributions or seed;
        - the last row, and every row if there is at most one contribution: all contributions, whatever the row shows;
        - its formulas, or without formulas its number, show the sum of some contributions (`_find_partial_sum`): these;
        - otherwise: those of the row before and the first one that it lacks, with `is_determined` False.

        All sums but the first include the seed. Nothing is stored until `remember` is called.
        """
        if nothing and not last and quantity not in self._so_far:
            return Expected((SPREAD.zero,) * len(self.truths), frozenset(), frozenset(), False, opening=True)
        count = len(self._terms_of(quantity)[0])
        every_place, before = frozenset(range(count)), self._so_far.get(quantity, frozenset())
        if last or count < 2:
            return self.of(quantity, every_place, before)
        if (chosen := self._find_partial_sum(quantity, before, shown, formulas)) is not None:
            return self.of(quantity, chosen, before)
        return self.of(quantity, before | {min(every_place - before, default=0)}, before)._replace(is_determined=False)

    def of(self, quantity: Resolved, chosen: frozenset[int], before: frozenset[int]) -> Expected:
        """Return the Expected of a row with the contributions `chosen`, after a row that had those in `before`.

        Contributions are places among the uses of the adjoint's slot. Its `truths` are their sums with the seed, with
        the true values of the program; `opening` is False, `is_determined` True.
        """
        return Expected(tuple(self._partial_sums(quantity, chosen)), chosen, before, self._is_seeded(quantity))

    def is_one(self, quantity: Resolved, values: Sequence[Spread]) -> bool:
        """Return whether `values`, one for each point, are those of a single contribution to the adjoint `quantity`, by
        true values and without the seed."""
        return any(same(values, contribution) for contribution in zip(*self._terms_of(quantity), strict=True))

    def _find_partial_sum(
        self, quantity: Resolved, before: frozenset[int], shown: Spread | None, formulas: Sequence[Sequence[Spread]]
    ) -> frozenset[int] | None:
        """Return the first set of contributions (order of `candidates`) whose sum the row shows; None if none fits.

        Sums include the seed. If the row has `formulas`, the values of all of them must agree with the sum (`close`) at
        all points; points where one of the two is unknown are not compared. Without formulas its number `shown` must
        meet the sum at the first point (None: no set fits). `before` are the contributions of the row before.
        """
        for chosen in self.candidates(len(self._terms_of(quantity)[0]), before):
            sums = self._partial_sums(quantity, chosen)
            if formulas:
                if all(False not in [close(a, b) for a, b in zip(values, sums, strict=True)] for values in formulas):
                    return chosen
            elif shown is not None and shown.meets(sums[0]):
                return chosen
        return None

    @staticmethod
    def candidates(count: int, before: frozenset[int]) -> Iterator[frozenset[int]]:
        """Yield sets of places among `count` contributions, the likely ones first; sets may repeat.

        In this order: `before` and one more place, for each place that is not in it; each place alone; all places;
        last, if `count` is at most 8, all sets of 2 to `count` - 1 places, small sets first. Places come in ascending
        order. The empty set is not yielded, except for a `count` of 0.
        """
        for place in range(count):
            if place not in before:
                yield before | {place}
        for place in range(count):
            yield frozenset((place,))
        yield frozenset(range(count))
        if count <= MOST_CONTRIBUTIONS:
            for size in range(2, count):
                yield from map(frozenset, combinations(range(count), size))

    def _terms_of(self, quantity: Resolved) -> list[list[Spread]]:
        """Return the contributions to an adjoint: for each point one number for each use of its slot (cached).

        A number is the user's adjoint times the local derivative, both of the program's true values; the seed is not
        among them. Uses come in the order of a reverse sweep; a row that uses the slot twice has two, in the order of
        its operands.
        """
        if quantity not in self._terms:
            slot, key, users = quantity.slot, quantity.key, self.sheet.users(quantity.slot)
            self._terms[quantity] = [
                [truth.read(BAR, user.slot, key) * use for user in users for use in truth.uses(user, slot)]
                for truth in self.truths
            ]
        return self._terms[quantity]

    def _partial_sums(self, quantity: Resolved, chosen: frozenset[int]) -> list[Spread]:
        """Return, for each point, the true sum of the contributions `chosen` to an adjoint and its seed (1 or 0)."""
        start = SPREAD.one if self._is_seeded(quantity) else SPREAD.zero
        return [start + total(terms[place] for place in sorted(chosen)) for terms in self._terms_of(quantity)]


def last_rows(entries: Sequence[Entry], quantities: Sequence[Resolved | None]) -> dict[Resolved | None, int]:
    """Return {quantity: place of its last row}; of an adjoint the one that the rows below only repeat, unless it is
    written as a contribution (`adds`)."""
    places: dict[Resolved | None, int] = {}
    for place, (entry, quantity) in enumerate(zip(entries, quantities, strict=True)):
        old = places.get(quantity) if quantity is not None and quantity.kind == BAR else None
        places[quantity] = place if old is None or entries[old].adds or not is_repeated(entries[old], entry) else old
    return places


# --- the case of a row ------------------------------------------------------------------------------------------------


_TRIVIAL, _TINY = (0.0, 1.0), 1e-12


class RowCase(NamedTuple):
    """A row of an answer with all that it is judged by.

    `quantity` is the quantity that the row says it is, `truths` its true values at every point. `formulas` are pairs
    (graph, quantities of its inputs by slot), `values` the values of each formula at every point, computed from values
    of the program, not from the student's numbers. `unknown` is a name in the formulas that nothing defines (empty:
    none); `strange` says that the answer has a row of that name. The number is `shown`, or `exact` if it is left as
    arithmetic, or `unread` for its decimal comma. `expected` is the Expected of an adjoint's row. `problem` is the
    error of a piece that could not be read.
    """

    quantity: Resolved
    truths: Sequence[Spread]
    formulas: Sequence[tuple[Graph, Mapping[int, Resolved]]]
    values: Sequence[Sequence[Spread]]
    unknown: str
    shown: ShownNumber | None
    exact: Spread | None
    expected: Expected | None
    unread: bool = False
    problem: AdcliError | None = None
    strange: bool = False

    @property
    def number(self) -> Spread | None:
        """Return the interval of the row's number by its digits, or that of its arithmetic; None without both."""
        return self.shown.wide if self.shown is not None else self.exact

    @property
    def is_zero(self) -> bool:
        """Return whether the row's number, or its arithmetic, is exactly 0; False if it has neither."""
        if self.shown is not None:
            return not self.shown.number.value
        return self.exact is not None and self.exact.low == self.exact.high == 0

    def has_truth(self, *, trusted: bool) -> bool:
        """Return whether the row's number agrees with the truth at the first point; False for a row without a number.

        The truth must meet the interval of the number (`number`, what its digits or its arithmetic say). A number of
        many digits may also be the truth cut off instead of rounded. Stricter: for a brief whole number (fewer digits
        than usual, last place 1 or more) that is not `trusted` the truth must be in the narrow interval, as if written
        to the usual place.
        """
        number, seen, truth = self.number, self.shown, self.truths[0]
        if number is None:
            return False
        if seen is None or trusted or not seen.brief or seen.number.unit < 1:
            return number.meets(truth) or (seen is not None and seen.has_many_digits and seen.near(truth))
        return seen.narrow.meets(truth)

    @property
    def is_comparable(self) -> bool:
        """Return whether the row has a formula, a truth is known, and a formula has a value or more than one point.

        At a corner, near which there is no other point, a formula without a value there cannot be compared.
        """
        is_valued = any(len(values) > 1 or values[0].known for values in self.values)
        return bool(self.formulas) and is_valued and any(truth.known for truth in self.truths)

    def is_trivial(self, by_rule: Spread) -> bool:
        """Return whether the row's number is 0 or 1 only because an earlier number is wrong: it earns nothing.

        `by_rule` is what the rule gives with the student's numbers. Its middle must be 0 or 1 up to a tenth of its
        width (at least 1e-12), the number shown (if any) the same up to 1e-12, and the interval of the truth at the
        first point must contain none of 0, 1 and -1, which are as simple. True also, whatever the number, if `by_rule`
        has no value.
        """
        if not by_rule.known:
            return True
        leeway = max((by_rule.high - by_rule.low) / 10, _TINY)
        is_simple = any(self.truths[0].meets(SPREAD.number(x)) for x in (*_TRIVIAL, -1))
        return not is_simple and any(
            abs(by_rule.middle - x) <= leeway
            for x in _TRIVIAL
            if self.shown is None or abs(self.shown.number.value - Fraction(x)) <= Fraction(_TINY)
        )


class Follows(NamedTuple):
    """The answer to the question whether a number follows from the student's own rows.

    `meets`: it does. `affected`: one of the numbers used was influenced by a wrong row. `by_rule`: the interval that
    the rule of the row gives with the student's numbers or, if the number follows only by a formula, that of the
    formula.
    """

    meets: bool
    affected: bool
    by_rule: Spread
