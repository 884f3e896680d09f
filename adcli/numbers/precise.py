"""Precise floating point with any number of decimal digits, by mpmath."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction

from ..extras import Needs
from ..typings import TYPE_CHECKING, override
from .budget import HIGHEST, LARGEST, LONGEST
from .doubles import Ordered
from .gamma_functions import reflect_polygamma

if TYPE_CHECKING:
    from decimal import Decimal

    from mpmath import MPContext, mpf

    from ..table.arithmetic import Numeral
    from ..table.primitive import Own


def multiprecision() -> MPContext:
    """Return a new context of mpmath. Raises RequestError if mpmath is not installed."""
    with Needs("numbers of many digits need mpmath", "precise"):
        import mpmath
    return mpmath.MPContext()


def read_decimal(context: MPContext, text: str) -> mpf:
    """Return a decimal text, inf or nan as a number with the digits of the context.

    An exponent of five or more characters is applied as a power of 10, so that it never becomes a huge integer; only
    its first 20 characters count. Raises ValueError if the text is not a number.
    """
    mantissa, _, exponent = text.lower().partition("e")
    if len(exponent) < 5:
        return context.mpf(text)
    return context.mpf(mantissa) * context.power(10, int(exponent[:20]))


# What is computed by mpmath itself: functions of one value that take no longer for large arguments.  Others of its
# functions have names of rows too, and do not know of any budget.
_DIRECT = "acos acosh asin asinh atan atanh hypot sqrt"


class Multiprecision(Ordered["mpf"]):
    """The base class of real and complex numbers of many digits; the functions in `limited` are undefined if an
    argument is too large to compute.
    """

    context: MPContext
    limited: str  # names of functions

    def working(self) -> AbstractContextManager[None]:
        """Return a context manager without effect: the digits are those of `context`."""
        return nullcontext()

    @override
    def finite(self, x: mpf) -> bool:
        return bool(self.context.isfinite(x))

    @override
    def __getattr__(self, name: str) -> Callable[..., mpf]:
        """Return the function called `name`: that of mpmath if it is in _DIRECT or `limited`, else that of the row.

        A limited one gives `beyond` for arguments that are not in reach. Raises AttributeError for an unknown name.
        """
        if name in _DIRECT.split():
            return lambda *arguments: self.guard_call(getattr(self.context, name), *arguments)
        if name in self.limited.split():
            return lambda x: (
                self.guard_call(getattr(self.context, name), x) if self.in_reach(x) else self.beyond(name, x)
            )
        return super().__getattr__(name)

    @abstractmethod
    def in_reach(self, x: mpf) -> bool:
        """Return whether an argument of a limited function is so small that mpmath computes it soon."""

    def beyond(self, name: str, x: mpf) -> mpf:
        """Return the limited function called `name` of an argument that is not in reach."""
        return self.undefined

    @abstractmethod
    def guard_call(self, function: Callable[..., mpf], *arguments: mpf) -> mpf:
        """Return the result of a function of mpmath; undefined if it raises."""

    def real_number(self, x: mpf | Numeral) -> mpf:
        """Return a real number to the digits of the context: text, integer, fraction or double."""
        if isinstance(x, str):
            return read_decimal(self.context, x)
        if isinstance(x, Fraction):
            return self.context.mpf(x.numerator) / self.context.mpf(x.denominator)
        return self.context.mpf(x)

    @override
    def choose(self, condition: mpf, a: mpf, b: mpf) -> mpf:
        return self.number(a if condition else b)

    def polygamma_right(self, order: int, x: mpf) -> mpf:
        """Return polygamma of `order` (0 to HIGHEST) at `x`, whose real part is positive or 0, by its leading term for
        huge x (above 2 to the power of the precision + 100); undefined at 0.
        """
        if self.finite(x) and self.context.mag(x) > self.context.prec + HIGHEST:  # where one term is all that counts
            if not order:
                return self.log(x)
            return (-1) ** (order - 1) * self.context.fac(order - 1) / self.pow(x, self.context.mpf(order))
        return self.guard_call(self.context.psi, order, x)

    def log2(self, x: mpf) -> mpf:
        return self.log(x) / self.context.log(2)

    def log10(self, x: mpf) -> mpf:
        return self.log(x) / self.context.log(10)

    def ceil(self, x: mpf) -> mpf:
        return -self.floor(-x)

    def round(self, x: mpf) -> mpf:
        """Return the whole number nearest to the real part, halves away from zero; infinities and nan unchanged."""
        if not self.finite(x):
            return x
        size = abs(self.context.re(x))
        below = self.context.floor(size)
        return self.sign(x) * (below + 1 if size - below >= 0.5 else below)


class Precise(Multiprecision):
    """The arithmetic of floating point with `digits` decimal digits, for checks that are independent of doubles.

    nan outside a domain; exponents beyond 10^18 count as infinite.
    """

    def __init__(self, digits: int = 50) -> None:
        self.context: MPContext = multiprecision()
        self.context.dps = digits
        self.zero, self.one = self.context.mpf(0), self.context.mpf(1)
        self.undefined = self.context.nan
        self.infinity = self.context.inf
        self.pi, self.e = +self.context.pi, +self.context.e

    limited = "sin cos tan"
    number = Multiprecision.real_number

    @override
    def in_reach(self, x: mpf) -> bool:
        return self.finite(x) and not (x and self.context.mag(x) > LONGEST)

    @override
    def guard_call(self, function: Callable[..., mpf], *arguments: mpf) -> mpf:
        """Return `function(*arguments)`, or nan if this is not a real number.

        nan in three cases: an argument is nan; the call raises ArithmeticError, RecursionError, TypeError, ValueError
        or mpmath's NoConvergence (as at a pole); or the result is complex, even with an imaginary part of 0.
        """
        if any(x != x for x in arguments):
            return self.undefined
        try:
            result = function(*arguments)
        except (ArithmeticError, RecursionError, TypeError, ValueError, self.context.NoConvergence):
            return self.undefined
        return self.undefined if isinstance(result, self.context.mpc) else result

    @override
    def row_function(self, own_code: Own) -> Callable[..., mpf]:
        """Return the function whose own implementations are `own_code`: that for decimal numbers, computed with five
        more digits than the context has.

        It is nan for an argument whose exact decimal would be too long (a binary exponent above 10,000 in size).
        """

        def digits(*arguments: mpf) -> mpf:
            """Return the function of these arguments; nan if one of them has too long an expansion in decimals."""
            decimals = [self._decimal(self.number(x)) for x in arguments]
            if any(x is None for x in decimals):
                return self.undefined
            value = own_code.digits(self.context.dps + 5, *decimals)
            return self.context.mpf(str(value)) if value.is_finite() else self.context.mpf(float(value))

        return digits

    def _decimal(self, x: mpf) -> Decimal | None:
        """Return the number as an exact decimal (infinities, nan and 0 as such); None if its binary exponent exceeds
        LONGEST (10,000) in size.
        """
        from decimal import Context, Decimal

        if not self.finite(x) or not x:
            return Decimal(str(float(x)))
        mantissa, exponent = int(x.man) if x > 0 else -int(x.man), int(x.exp)
        if abs(exponent) > LONGEST:
            return None
        exact = Context(prec=len(str(mantissa)) + abs(exponent) + 2)
        return exact.multiply(Decimal(mantissa), exact.power(Decimal(2 if exponent > 0 else "0.5"), abs(exponent)))

    # --- powers and logarithms ---

    def div(self, a: mpf, b: mpf) -> mpf:
        return a / b if b else self.undefined if not a or a != a else self.context.sign(a) * self.infinity

    def exp(self, x: mpf) -> mpf:
        if not abs(x) < LARGEST:
            return self.infinity if x > 0 else self.zero if x < 0 else self.undefined
        return self.context.exp(x)

    def expm1(self, x: mpf) -> mpf:
        return self.exp(x) - 1 if not abs(x) < LARGEST else self.context.expm1(x)

    def cosh(self, x: mpf) -> mpf:
        return self.exp(abs(x)) if not abs(x) < LARGEST else self.context.cosh(x)

    def sinh(self, x: mpf) -> mpf:
        return self.sign(x) * self.exp(abs(x)) if not abs(x) < LARGEST else self.context.sinh(x)

    def tanh(self, x: mpf) -> mpf:
        return self.sign(x) if not abs(x) < LARGEST else self.context.tanh(x)

    def erf(self, x: mpf) -> mpf:
        return self.sign(x) if not abs(x) < LARGEST else self.guard_call(self.context.erf, x)

    def erfc(self, x: mpf) -> mpf:
        return 1 - self.sign(x) if not abs(x) < LARGEST else self.guard_call(self.context.erfc, x)

    def pow(self, a: mpf, b: mpf) -> mpf:
        """Return a^b; infinity or 0 if |b·log|a|| exceeds LARGEST (10^18), without regard to the sign of a.

        A negative power of 0 is infinite. nan if the result is complex, or an argument is nan. An exponent of more than
        LONGEST (10,000) bits counts as even, so that ±1 gives 1 and 0 gives 0.
        """
        if a == 0 and b < 0:
            return self.infinity
        size = abs(a)
        if self.finite(b) and self.context.mag(b) > LONGEST and size in (0, 1):  # an even number of factors
            return size
        if self.finite(a) and self.finite(b) and size not in (0, 1) and b != 0:
            power = b * self.context.log(size)
            if abs(power) > LARGEST:
                return self.infinity if power > 0 else self.zero
        return self.guard_call(self.context.power, a, b)

    def log(self, x: mpf) -> mpf:
        return self.context.log(x) if x > 0 else -self.infinity if x == 0 else self.undefined

    def log1p(self, x: mpf) -> mpf:
        return self.context.log1p(x) if x > -1 else -self.infinity if x == -1 else self.undefined

    def cbrt(self, x: mpf) -> mpf:
        return self.sign(x) * self.context.cbrt(abs(x))

    # --- angles ---

    def atan2(self, y: mpf, x: mpf) -> mpf:
        return self.guard_call(self.context.atan2, y, x) if x or y else self.undefined

    # --- steps ---

    def floor(self, x: mpf) -> mpf:
        return self.context.floor(x) if self.finite(x) else x

    def mod(self, a: mpf, b: mpf) -> mpf:
        """Return the exact remainder a - b·floor(a/b), with the sign of the divisor.

        Undefined (nan) for a divisor 0, for `a` infinite or nan, and if the quotient has more than LONGEST (10,000)
        bits. With |a| < |b| it is `a`, or a + b if the signs differ.
        """
        if not b or not self.finite(a):
            return self.undefined
        if a and self.finite(b) and self.context.mag(a) - self.context.mag(b) > LONGEST:
            return self.undefined
        if abs(a) < abs(b):  # without a quotient, whose digits might fill the memory
            return a if not a or (a > 0) == (b > 0) else a + b
        return self.guard_call(self.context.fmod, a, b)

    # --- the gamma family ---

    def gamma(self, x: mpf) -> mpf:
        if not abs(x) < LARGEST:
            return self.infinity if x > 0 else self.undefined
        return self.guard_call(self.context.gamma, x)

    def lgamma(self, x: mpf) -> mpf:
        """Return log |Γ(x)|; `undefined` at poles and for -inf, infinite for inf."""
        if x != x or (x <= 0 and x == self.floor(x)):
            return self.undefined
        if not self.finite(x):
            return self.infinity
        return self.context.mpf(self.context.re(self.context.loggamma(x)))

    def polygamma(self, n: mpf, x: mpf) -> mpf:
        """Return polygamma of order `n` at `x`: by reflection for negative x, by its leading term for huge x.

        Undefined (nan) at the poles 0, -1, …, for nan and -inf, and unless n is an integer from 0 to HIGHEST (100).
        """
        if not 0 <= n <= HIGHEST or n != self.floor(n) or x != x or (x <= 0 and x == self.floor(x)):
            return self.undefined
        if not x > 0:
            cotangent = self.context.cospi(x) / self.context.sinpi(x) if self.finite(x) else self.undefined
            return reflect_polygamma(int(n), self.polygamma(n, 1 - x), self.pi, cotangent)
        return self.polygamma_right(int(n), x)
