"""Complex numbers with the principal branch of every function: doubles by the C library, many digits by mpmath.

A function of real numbers is read as the holomorphic one that continues it.  Inside rules `abs(x)`, comparisons and
`max` look at the real part: there they only choose between two forms of one function, and `abs` becomes `x` or `-x`.
"""

from __future__ import annotations

import cmath
import operator
from collections.abc import Callable
from functools import partial

from ..table.primitive import ROWS, Check, Own, Primitive
from ..typings import TYPE_CHECKING, Any, cast, override
from .budget import HIGHEST, LARGEST, LONGEST
from .doubles import Ordered
from .gamma_functions import reflect_polygamma
from .precise import Multiprecision, Precise, multiprecision

if TYPE_CHECKING:
    from mpmath import MPContext, mpc, mpf

    from ..table.arithmetic import Comparison, Evaluating, Numeral

IMAGINARY = "i"
_NEXT_TO_AXIS = 1e-20  # the size of a real part, relative to the imaginary part
_FAR = 1e3  # from here on mpmath may take its time over Bessel functions and their like


def _by_real_parts(relation: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, a, b: self._truth(relation(self.real(a), self.real(b)))


class ByRealPart(Ordered["mpc"]):
    """Comparisons of complex numbers by their real parts: they only choose between two forms of one function."""

    def real(self, x: mpc) -> mpc:
        return x.real

    @override
    def sign(self, x: mpc) -> mpc:
        return -self.one if self.real(x) < 0 else self.one if self.real(x) > 0 else self.zero

    @override
    def abs(self, x: mpc) -> mpc:
        return -x if self.real(x) < 0 else x

    lt, le, gt, ge = map(_by_real_parts, (operator.lt, operator.le, operator.gt, operator.ge))

    @override
    def _extreme(self, xs: tuple[mpc, ...], pick: Callable[..., mpc]) -> mpc:
        return pick(xs, key=self.real)


class Complexes(ByRealPart):
    """The arithmetic of complex doubles; nan at a pole or on overflow.

    Raises TypeError for a function that exists for real doubles only.
    """

    def __init__(self, within: frozenset[str] = frozenset()) -> None:
        self._within = within  # the functions whose value rules are being read: one that calls itself has no other rule

    zero, one, infinity = 0.0, 1.0, cmath.inf
    undefined = complex(cmath.nan, cmath.nan)
    pi = cmath.pi
    e = cmath.e

    @override
    def __getattr__(self, name: str) -> Callable[..., complex]:
        """Return the function called `name` for complex numbers: that of cmath (nan where it raises) or the rule of the
        row.

        The function raises TypeError if only real numbers have it (its rule calls itself). A row with its own
        implementations is undefined everywhere. Raises AttributeError for an unknown name.
        """
        row = ROWS.get(name)
        function: Callable[[complex], complex] | None = getattr(cmath, row.libm, None) if row and row.libm else None
        if name in self._within:
            raise TypeError(f"{name} takes real numbers")
        if function is None:
            if row is None or row.own is not None:
                return super().__getattr__(name)
            inside = cast("Evaluating[mpc]", Complexes(self._within | {name}))
            rule = row.composed or row.value
            return lambda *arguments: rule(inside, *arguments)

        def total(x: complex) -> complex:
            try:
                return function(x)
            except (ValueError, OverflowError):
                return self.undefined

        return total

    def number(self, x: complex) -> complex:
        return complex(x)

    def div(self, a: complex, b: complex) -> complex:
        return a / b if b else self.undefined

    def pow(self, a: complex, b: complex) -> complex:
        return complex(a) ** b


COMPLEXES = Complexes()


class Complex(ByRealPart, Multiprecision):
    """The arithmetic of complex floating point with `digits` decimal digits; nan outside a domain."""

    limited = "gamma erf erfc"

    def __init__(self, digits: int = 30) -> None:
        self.context: MPContext = multiprecision()
        self.zero, self.one = self.context.mpc(0), self.context.mpc(1)
        self.undefined = self.context.mpc(self.context.nan, self.context.nan)
        self.infinity = self.context.mpc(self.context.inf)
        self.set_digits(digits)

    def set_digits(self, digits: int) -> None:
        """Compute with `digits` decimal digits from now on."""
        self.context.dps = digits
        self.pi, self.e = self.context.mpc(self.context.pi), self.context.mpc(self.context.e)

    def number(self, x: mpc | Numeral) -> mpc:
        """Return a number to the digits of the context: a text, integer, fraction, double or complex number of mpmath.

        The text `i` is the imaginary unit.
        """
        if isinstance(x, str) and x == IMAGINARY:
            return self.context.mpc(0, 1)
        return self.context.mpc(x if isinstance(x, self.context.mpc) else self.real_number(x))

    @override
    def __getattr__(self, name: str) -> Callable[..., mpc]:
        if name in ["sinh", "cosh", "sin", "cos", "expm1"]:  # exponential along one axis, periodic along the other
            return lambda x: self._turning(getattr(self.context, name), x)
        if name in ["asinh", "atan", "atanh"]:  # x + O(x^3), of which mpmath computes the difference of two logarithms
            return lambda x: self._near_itself(getattr(self.context, name), x)
        return super().__getattr__(name)

    def _near_itself(self, function: Callable[[mpc], mpc], x: mpc) -> mpc:
        """Return a function x + O(x^3) with more bits for a small argument, as many as |x| is binary places below 1;
        the argument itself if these are more than the precision. The value is rounded to the precision of the context.
        """
        smallness = -self.context.mag(x) if x and self.finite(x) else 0
        if smallness > self.context.prec:
            return x
        with self.context.extraprec(max(smallness, 0)):
            value = self.guard_call(function, x)
        return +value

    def _turning(self, function: Callable[[mpc], mpc], x: mpc) -> mpc:
        """Return a periodic function; nan if the argument has too many bits, or the result too large an exponent."""
        value = self.guard_call(function, x) if self.context.mag(x) <= LONGEST else self.undefined
        return value if self.context.mag(value) < LARGEST else self.undefined

    @override
    def in_reach(self, x: mpc) -> bool:
        return bool(abs(x) < LARGEST)

    @override
    def beyond(self, name: str, x: mpc) -> mpc:
        return self.in_reals(lambda m: getattr(m, name), x)

    def in_reals(self, function_in: Callable[[Precise], Callable[..., mpf]], *arguments: mpc) -> mpc:
        """Return the function that `function_in` returns for real numbers of the same digits, at these arguments.

        nan if an argument is not real, or if the result is not finite.
        """
        if any(x.imag for x in arguments):
            return self.undefined
        real = function_in(Precise(self.context.dps))(*[x.real for x in arguments])
        return self.number(real) if self.finite(real) else self.undefined

    @override
    def guard_call(self, function: Callable[..., mpc], *arguments: mpc) -> mpc:
        """Return `function(*arguments)` as a complex number, or nan if an argument is not finite or mpmath raises; a
        result that is not finite stays.
        """
        if not all(self.finite(x) for x in arguments):
            return self.undefined
        try:
            return self.context.mpc(function(*arguments))
        except (ArithmeticError, RecursionError, TypeError, ValueError, self.context.NoConvergence):
            return self.undefined

    @override
    def row_function(self, own_code: Own) -> Callable[..., mpc]:
        """Return the function with the implementations `own_code`, for complex numbers.

        Without a complex implementation it is `undefined` everywhere. If an argument is 1000 or more in size, where
        mpmath may take very long, or nan, the function of real numbers is used, which is nan if an argument is not real
        or the result not finite. Elsewhere it is nan if mpmath raises.
        """
        if own_code.complex is None:
            return super().row_function(own_code)
        function = own_code.complex

        def compute(*arguments: mpc) -> mpc:
            """Return the function at these arguments; undefined if mpmath fails, or if an argument from 1000 on in size
            is not real or its real function has no finite value.
            """
            numbers = [self.number(x) for x in arguments]
            if not all(abs(x) < _FAR for x in numbers):
                return self.in_reals(lambda m: m.row_function(own_code), *numbers)
            return self.guard_call(lambda *xs: function(self.context, *xs), *numbers)

        return compute

    # --- functions ---

    def div(self, a: mpc, b: mpc) -> mpc:
        return a / b if b else self.undefined

    def exp(self, x: mpc) -> mpc:
        return self.zero if self.real(x) < -LARGEST else self._turning(self.context.exp, x)

    def log(self, x: mpc) -> mpc:
        return self.guard_call(self.context.log, x) if x else self.undefined

    def log1p(self, x: mpc) -> mpc:
        return self.guard_call(self.context.log1p, x) if x != -1 else self.undefined

    def pow(self, a: mpc, b: mpc) -> mpc:
        """Return exp(b·log a) with the principal logarithm. The first that applies:

        - a = 0: 1 for b = 0, 0 for a positive real part of b, nan for other b
        - a = 1: 1
        - an argument that is not finite: nan
        - |b·log a| reaches 10^18 (LARGEST): 0 if its real part is below -10^18, nan if not
        - the power
        """
        if not a:
            return self.one if not b else self.zero if self.real(b) > 0 else self.undefined
        if a == 1:
            return a
        if not (self.finite(a) and self.finite(b)):
            return self.undefined
        exponent = b * self.context.log(a)
        if not abs(exponent) < LARGEST:
            return self.zero if self.real(exponent) < -LARGEST else self.undefined
        return self.guard_call(self.context.power, a, b)

    def cbrt(self, x: mpc) -> mpc:
        """Return the principal cube root: that of -8 is 1 + i·sqrt(3), not -2."""
        return self.pow(x, self.context.mpf(1) / 3)

    def hypot(self, a: mpc, b: mpc) -> mpc:
        return self.guard_call(self.context.sqrt, a * a + b * b)

    def lgamma(self, x: mpc) -> mpc:
        return self.guard_call(self.context.loggamma, x)

    def polygamma(self, n: mpc, x: mpc) -> mpc:
        """Return polygamma of order `n` at `x`, by reflection for a negative real part of `x`.

        nan if `n` is not an integer from 0 to 100, and at poles. nan also for a negative real part if |x| is 10^18 or
        more.
        """
        order = self.real(n)
        if not 0 <= order <= HIGHEST or n != int(order):
            return self.undefined
        if self.real(x) < 0:
            cotangent = self.undefined
            if self.in_reach(x):
                cotangent = self.guard_call(lambda z: self.context.cospi(z) / self.context.sinpi(z), x)
            return reflect_polygamma(int(order), self.polygamma(n, 1 - x), self.pi, cotangent)
        return self.polygamma_right(int(order), x)

    def tanh(self, x: mpc) -> mpc:
        """Return the hyperbolic tangent; ±1 if the real part is so large that all digits are those of ±1."""
        if self.finite(x) and abs(self.real(x)) > 4 * self.context.dps:
            return self.one if self.real(x) > 0 else -self.one
        return self._turning(self.context.tanh, x)

    def tan(self, x: mpc) -> mpc:
        turn = self.context.mpc(0, 1)
        return -turn * self.tanh(turn * x) if self.context.im(x) else self._turning(self.context.tan, x)

    # --- steps of what does not move: by the real part, as comparisons

    def floor(self, x: mpc) -> mpc:
        return self.context.mpc(self.context.floor(self.real(x))) if self.finite(x) else x

    def mod(self, a: mpc, b: mpc) -> mpc:
        """Return a - b·floor(a/b), where floor looks at the real part.

        For a finite real divisor the real part is the remainder of the real parts by `Precise.mod`, which is undefined
        for a divisor 0, a real part that is not finite, and a quotient that is too long; the imaginary part is that of
        `a`, whatever it is. For other divisors it is undefined if `a` is not finite or `b` is 0.
        """
        if self.finite(b) and not b.imag:
            return self.context.mpc(Precise.mod(cast("Precise", self), a.real, b.real).real, a.imag)
        return a - b * self.floor(a / b) if b and self.finite(a) else self.undefined

    def atan2(self, y: mpc, x: mpc) -> mpc:
        y, x = self.real(y), self.real(x)
        if not (self.finite(y) and self.finite(x)) or not (x or y):
            return self.undefined
        return self.context.mpc(self.context.atan2(y, x))


def extend_to_complex(row: Primitive) -> Primitive | None:
    """Return a row for complex numbers with the name, partials and notation of `row`, without domain.

    None for conditions, choices, and rows whose cell `continued` is False: no holomorphic function continues them. The
    value rule is this cell if it is a rule, and the row's value rule if not. Where the value or a partial is not finite
    and all arguments are real, it is that of real numbers.
    """
    if row.truth or row.route is not None or row.continued is False:
        return None
    value = _or_real(row.continued if callable(row.continued) else row.value, partial(_in_domain, row))
    partials = row.partials
    if isinstance(partials, tuple):
        partials = tuple([rule and _or_real(_on_branch(row, rule), rule) for rule in partials])
    return Primitive(
        row.name, value=value, partials=partials, notation=row.notation, folds=row.folds, least=row.least,
        summary=row.summary,
    )  # fmt: skip


def _or_real(rule: Callable[..., mpc], real_rule: Callable[..., mpf]) -> Callable[..., mpc]:
    """Return `rule`, replaced by `real_rule` where its result is not finite and all arguments are real; nan where it is
    not finite and an argument is not real. In an arithmetic that is not Complex the result of `rule` always stays.
    """

    def compute(m: Evaluating[mpc], *arguments: mpc) -> mpc:
        result = rule(m, *arguments)
        if not isinstance(m, Complex) or m.finite(result):
            return result
        return m.in_reals(lambda reals: partial(real_rule, reals), *arguments)

    return compute


def _on_branch(row: Primitive, rule: Callable[..., mpc]) -> Callable[..., mpc]:
    """Return the slope `rule` of `row`, or a better one if the row declares the function whose inverse it is.

    That is 1 over the slope of that function at the value. It is used in `Complex` for real numbers with complex values
    and next to the imaginary axis, unless the slope of `rule` is not finite. `rule` itself is returned if `row` names
    no such function, or one that comes after it in the table.
    """
    names = [*ROWS]
    if row.inverse is None or names.index(row.name) < names.index(row.inverse):
        return rule
    inverse = ROWS[row.inverse]

    def compute(m: Evaluating[mpc], z: mpc, x: mpc) -> mpc:
        slope = rule(m, z, x)
        if not isinstance(m, Complex) or not m.finite(slope):
            return slope
        is_on_cut = (not x.imag and z.imag) or abs(x.real) < abs(x.imag) * _NEXT_TO_AXIS
        return m.div(1, inverse.rules(m, x, (z,), (True,))[0]) if is_on_cut else slope

    return compute


def _in_domain(row: Primitive, m: Precise, *arguments: mpf) -> mpf:
    """Return the value of a row in the real arithmetic `m`; nan outside its domain."""
    return row.value(m, *arguments) if all(check.holds(m, *arguments) for check in row.domain) else m.undefined


def of_real_parts(row: Primitive) -> Primitive:
    """Return the row for constants among complex numbers: the conditions of its domain test the real parts."""
    return row.with_cells(domain=tuple([_of_real_parts(check) for check in row.domain]))


def _of_real_parts(check: Check) -> Check:
    def holds(m: Any, *arguments: mpc) -> Comparison:
        return check.holds(m, *[m.real(x) for x in arguments])

    return Check(holds, check.title, check.condition, check.blame, check.advice)
