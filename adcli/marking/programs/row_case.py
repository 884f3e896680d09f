"""The case of a row: a row of an answer with all that it is judged by; and whether its number follows. The rule of a
row computes it from the numbers that the student had for its operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...answers.shown_numbers import ShownNumber
from ...errors import AdcliError
from ...graph.graph import Graph
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from .contributions import Expected
from .resolving import Resolved

_TRIVIAL, _TINY = (0.0, 1.0), 1e-12


class RowCase(NamedTuple):
    """A row of an answer with all that it is judged by.

    `quantity` is the quantity that it says it is, `truths` the values of that at every point; `formulas` are pairs of a
    graph and the quantities of its inputs by slot, `values` the values of each formula at every point; `unknown` is a
    name in them that nothing defines (empty: none). The number is `shown`, or `exact` if it is left as arithmetic, or
    `unread` for its decimal comma. `expected` is the value of an adjoint's partial sum. `problem` is that of a part
    which could not be read; `strange` says that the answer has a row of the unknown name.
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
        """Return the interval that the digits of its number represent, or that of its arithmetic; None if it has
        neither.
        """
        return self.shown.wide if self.shown is not None else self.exact

    @property
    def is_zero(self) -> bool:
        """Return whether its number is exactly 0; False if it has none."""
        if self.shown is not None:
            return not self.shown.number.value
        return self.exact is not None and self.exact.low == self.exact.high == 0

    def has_truth(self, *, trusted: bool) -> bool:
        """Return whether the truth at the first point is in the interval of its number, or near one of many digits.

        A brief whole number (last place 1 or more) that is not `trusted` must have the truth in its narrow interval.
        False for a row without a number.
        """
        number, seen, truth = self.number, self.shown, self.truths[0]
        if number is None:
            return False
        if seen is None or trusted or not seen.brief or seen.number.unit < 1:
            return number.meets(truth) or (seen is not None and seen.has_many_digits and seen.near(truth))
        return seen.narrow.meets(truth)

    def is_trivial(self, by_rule: Spread) -> bool:
        """Return whether its number is 0 or 1 only because an earlier one is wrong, so that the step earns nothing.

        The number shown (if any, up to 1e-12) and `by_rule`, what the rule gives with the student's numbers, must be
        the same one of these, `by_rule` up to a tenth of its width, and the truth not. True if `by_rule` has no value.
        """
        if not by_rule.known:
            return True
        leeway = max((by_rule.high - by_rule.low) / 10, _TINY)
        return any(
            abs(by_rule.middle - x) <= leeway and not self.truths[0].meets(SPREAD.number(x))
            for x in _TRIVIAL
            if self.shown is None or abs(self.shown.number.value - Fraction(x)) <= Fraction(_TINY)
        )


class Follows(NamedTuple):
    """The answer to the question whether a number follows from the student's own rows.

    `meets`: it does; `affected`: one of the rows used is wrong; `by_rule`: the interval that the rule of the row gives,
    or that of its formula if the number follows by that alone.
    """

    meets: bool
    affected: bool
    by_rule: Spread
