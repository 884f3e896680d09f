"""Results of an analysis at a point, as plain data: second derivatives, enclosures, verifications, rounding errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from types import MappingProxyType

from ..notation.number_text import Digits
from ..records import NamedTuple
from ..typings import Generic, TypeVar

T = TypeVar("T")

_SHOWN = 17  # digits that are shown at most: those of a double


class Moving(NamedTuple, Generic[T]):
    """Sweeps along one direction, each a list by slot.

    dots      tangents of the values
    bars      adjoints of the output that is differentiated
    bar_dots  tangents of these adjoints: their derivatives along the direction
    """

    dots: list[T]
    bars: list[T]
    bar_dots: list[T]


class Second(NamedTuple, Generic[T]):
    """The second derivatives of one output: its Hessian, the product of it with a direction, or both, else None.

    output   the output's name
    hessian  {input of the row: {input of the column: entry}}
    product  {input: number}
    sweeps   the sweeps along each direction, by the name of the input, or by the one key `direction` if there is a
             product; empty if a decision at kinks gave the entries
    """

    output: str
    hessian: dict[str, dict[str, T]] | None
    product: dict[str, T] | None
    sweeps: dict[str, Moving[T]]


class Enclosure(NamedTuple):
    """Bounds of a true number as decimals, and the double computed for it; properties say which of its digits are
    right.

    `lower` and `upper` are None if no bounds are known.
    """

    double: float
    lower: str | None = None
    upper: str | None = None

    @property
    def certain(self) -> str | None:
        """Return the longest decimal to which both bounds round (ties to even), without trailing zeros.

        It has at most 17 significant digits; equal infinite bounds give Infinity or -Infinity. None if the bounds are
        unknown, or differ already when rounded to one digit.
        """
        if self.lower is None or self.upper is None:
            return None
        low, high = Decimal(self.lower), Decimal(self.upper)
        for count in range(_SHOWN, 0, -1):
            context = decimal_context(count)
            rounded = context.plus(low)
            if rounded == context.plus(high):
                return decimal_text(rounded)
        return None

    @property
    def shown(self) -> str:
        """Return the double with all its digits."""
        return Digits(significant=_SHOWN).show(float(self.double))

    @property
    def low(self) -> str:
        """Return the lower bound to two digits, rounded down."""
        return _brief(self.lower or "", "ROUND_FLOOR")

    @property
    def high(self) -> str:
        """Return the upper bound to two digits, rounded up."""
        return _brief(self.upper or "", "ROUND_CEILING")

    @property
    def all_right(self) -> bool:
        """Return whether the double is between both bounds as doubles and has a right digit; False without bounds."""
        if self.lower is None or self.upper is None:
            return False
        return float(self.lower) <= self.double <= float(self.upper) and bool(self.right)

    @property
    def right(self) -> int | None:
        """Return the number of leading decimal digits of the double that are right for certain, from 0 to 17.

        None if no bounds are known. The first that applies:

        - the double is infinite or nan: 17 if both bounds round to it, 0 if not
        - the double equals both bounds, or is 0 between them: 17
        - the bounds have different signs, or are both 0: 0
        - else the number of zeros after the point of error/size, at most 17; error is the larger distance of the double
          from a bound, size the larger absolute value of a bound
        """
        if self.lower is None or self.upper is None:
            return None
        low, high = Decimal(self.lower), Decimal(self.upper)
        if not math.isfinite(self.double):
            return _SHOWN if float(self.lower) == self.double == float(self.upper) else 0
        context = decimal_context()
        double = Decimal(self.double)
        error = max(abs(context.subtract(double, low)), abs(context.subtract(double, high)))
        size = max(abs(low), abs(high))
        if not error or (not double and low <= 0 <= high):
            return _SHOWN
        if not size or low < 0 < high:
            return 0
        return min(max(-context.divide(error, size).adjusted() - 1, 0), _SHOWN)


class Certificate(NamedTuple):
    """Enclosures of an output: of its value, and of its derivatives by the name of the input (None in value mode).

    `one_sided` has (slope from the left, slope from the right) by the inputs in which the output has no slope (None on
    a side where it is not defined), `hessian` the second derivatives if they were requested, else None.
    """

    value: Enclosure
    gradient: dict[str, Enclosure] | None
    one_sided: Mapping[str, tuple[Enclosure | None, Enclosure | None]] = MappingProxyType({})
    hessian: Mapping[str, Mapping[str, Enclosure]] | None = None


class Verification(NamedTuple):
    """The largest disagreement of an output's numbers with those of 50 digits.

    largest_ulps  the disagreement, in units in the last place
    where         the number that disagrees most
    routes        the computations that were compared
    """

    largest_ulps: float
    where: str
    routes: tuple[str, ...]


class ErrorContributions(NamedTuple):
    """Contributions of rounding errors, by slot.

    `conditions` is the factor by which a row magnifies the relative error of the argument that it depends on most (an
    exact literal has none), `ulps` for each output the error that the row's own rounding may contribute. `bounds` has
    for each output the largest error in ulps of its value (under "") and its slopes, to first order.
    """

    conditions: Sequence[float]
    ulps: Mapping[str, Sequence[float]]
    bounds: Mapping[str, Mapping[str, float]]


def decimal_text(x: Decimal) -> str:
    """Return a decimal as text without trailing zeros, rounded to 60 significant digits (`decimal_context`).

    The notation is fixed from 1e-7 up to below 1e21 in size, scientific (`1e21`, `1.5e-8`) outside. 0 and −0 give "0".
    """
    x = x.normalize(decimal_context())
    if not x:
        return "0"
    return format(x, "f") if -7 <= x.adjusted() <= 20 else format(x, "e").replace("e+", "e")


def decimal_context(digits: int = 60, rounding: str | None = None) -> Context:
    """Return a context for decimals of any size, with `digits` significant digits."""
    return Context(digits, rounding, Emax=10**17, Emin=-(10**17))


def _brief(text: str, rounding: str) -> str:
    return decimal_text(decimal_context(2, rounding).plus(Decimal(text)))
