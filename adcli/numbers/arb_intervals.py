"""Arb intervals, which contain the true result despite all roundings: ball arithmetic by Arb (python-flint).

An operation whose argument may lie outside its domain returns an infinite or undefined interval; a comparison that the
intervals do not decide is an open `Truth`, and a choice that depends on it returns the hull of both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import reduce

from ..errors import RequestError
from ..extras import Needs
from ..table.primitive import ROWS, Own
from ..typings import TYPE_CHECKING, override
from .budget import HIGHEST, WHOLE
from .conditions import Conditional, Truth, truth
from .exact import exactly, read_fraction
from .gamma_functions import reflect_polygamma

if TYPE_CHECKING:
    from types import ModuleType

    from flint import arb, fmpz

    from ..table.arithmetic import Numeral


class Interval(Conditional["arb"]):
    """The arithmetic of real intervals with `bits` bits, rounded outwards; all operations must be inside
    `working()`.
    """

    def __init__(self, bits: int = 128) -> None:
        """Prepare to compute with `bits` bits. Raises RequestError if python-flint is not installed.

        Attributes: `flint` the module, `arb` its type of intervals, and the constants `zero`, `one`, `undefined` (nan)
        and `infinity`.
        """
        with Needs("certified numbers need python-flint", "certify"):
            import flint
        self.bits = bits
        self.flint: ModuleType = flint
        self.arb: type[arb] = flint.arb
        self.zero, self.one = self.arb(0), self.arb(1)
        self.undefined = self.arb.nan()
        self.infinity = self.arb.pos_inf()

    def working(self) -> AbstractContextManager[object]:
        """Return a context manager in which all operations use the bits of this arithmetic."""
        context: AbstractContextManager[object] = self.flint.ctx.workprec(self.bits)
        return context

    @property
    def pi(self) -> arb:
        return self.arb.pi()

    @property
    def e(self) -> arb:
        return self.arb.const_e()

    def number(self, x: arb | Numeral) -> arb:
        """Return an interval that contains the number: text, integer, fraction or double; an interval is returned
        unchanged.

        A float is converted exactly (also inf and nan). A text that `read_fraction` does not read, such as inf or one
        of too many digits, is read by Arb (ValueError if it is not a number). Infinities and nan of other types are
        undefined (nan).
        """
        if isinstance(x, self.arb):
            return x
        if isinstance(x, str):
            fraction = read_fraction(x)
            return self.arb(x) if fraction is None else self.number(fraction)
        if isinstance(x, float):
            return self.arb(x)
        fraction = exactly(x).fraction
        if fraction is None:
            return self.undefined
        return self.arb(self.flint.fmpq(fraction.numerator, fraction.denominator))

    @override
    def finite(self, x: arb | Numeral) -> bool:
        return bool(self.number(x).is_finite())

    @override
    def __getattr__(self, name: str) -> Callable[..., arb]:
        method = getattr(self.arb, name, None)
        if method is None or (name in ROWS and ROWS[name].own is not None):
            return super().__getattr__(name)
        return lambda first, *rest: method(self.number(first), *(self.number(x) for x in rest))

    @override
    def row_function(self, own_code: Own) -> Callable[..., arb]:
        """Return a function with its own implementation, that for Arb intervals."""

        return lambda *arguments: own_code.ball(*[self.number(x) for x in arguments])

    # --- truth ---

    @override
    def less(self, a: arb | float, b: arb | float) -> Truth:
        a, b = self.number(a), self.number(b)
        return Truth(a < b, a >= b)

    @override
    def equal(self, a: arb | float, b: arb | float) -> Truth:
        a, b = self.number(a), self.number(b)
        return Truth(a == b, a != b)

    @override
    def truth(self, x: arb | Truth | int) -> Truth:
        return Truth(x != 0, x == 0) if isinstance(x, self.arb) else truth(x)

    @override
    def condition(self, truth: Truth) -> arb:
        """Return 1, 0 or an open Truth: in Python an Arb interval that is 0 counts as true."""
        return 1 if truth.always else 0 if truth.never else truth

    @override
    def hull(self, a: arb | float, b: arb | float) -> arb:
        return self.number(a).union(self.number(b))

    # --- corners and steps ---

    @override
    def sign(self, x: arb | float) -> arb:
        return self.number(x).sgn()

    @override
    def _extreme(self, xs: tuple[arb | float, ...], pick: Callable[..., arb]) -> arb:
        return reduce(self.arb.max if pick is max else self.arb.min, map(self.number, xs))

    def round(self, x: arb) -> arb:
        """Return the nearest integer, halves away from zero; the hull of both candidates if the sign is uncertain."""
        half = self.one / 2
        if x >= 0:
            return (x + half).floor()
        return -(-x + half).floor() if x <= 0 else (x + half).floor().union(-(-x + half).floor())

    def mod(self, a: arb, b: arb) -> arb:
        return a - b * (a / b).floor()

    # --- powers, logarithms, angles ---

    def div(self, a: arb | float, b: arb | float) -> arb:
        return self.number(a) / self.number(b)

    def cbrt(self, x: arb) -> arb:
        """Return the interval between the roots of both ends, since the root is monotone."""
        return self._odd_root(x.lower()).union(self._odd_root(x.upper()))

    def _odd_root(self, x: arb) -> arb:
        if x > 0 or x < 0:
            return x.root(3) if x > 0 else -(-x).root(3)
        reach = x.abs_upper()
        return self.zero if reach == 0 else reach.root(3).union(-reach.root(3))

    def _read_integer(self, x: arb) -> tuple[fmpz | None, bool] | None:
        """Return (integer, whether it is odd) for an exact integer `x`; None if `x` is not exact or not an integer.

        The integer is None if it has more than 64 bits (WHOLE).
        """
        if not x.is_exact() or not x.is_integer():
            return None
        mantissa, exponent = x.man_exp()
        if int(exponent).bit_length() > WHOLE or mantissa.bit_length() + exponent > WHOLE:
            return None, exponent <= 0 and bool(mantissa % 2)
        whole = x.unique_fmpz()
        return whole, bool(whole % 2)

    def pow(self, a: arb | float, b: arb | float) -> arb:
        """Return an interval of a^b. The first that applies:

        - an exact integer exponent of up to 64 bits (WHOLE): by multiplication
        - a longer one: |a|^b with the sign by parity (both signs if the sign of `a` is uncertain)
        - exp(b log a), undefined (nan) for a base that may be negative
        """
        a, b = self.number(a), self.number(b)
        integer = self._read_integer(b)
        if integer is not None:
            whole, odd = integer
            if whole is not None:
                return a**whole
            size = self._power(abs(a), b)
            return size if a > 0 else (-size if odd else size) if a < 0 else size.union(-size)
        return self._power(a, b)

    def _power(self, a: arb, b: arb) -> arb:
        """Return a^b as exp(b log a); undefined (nan) for a base that may be negative.

        A base from 0 on with a positive exponent gives the hull of 0 and the power of its upper end; 0 alone gives 0.
        Undefined for a base that may be 0 with an exponent that may be 0 or negative.
        """
        if not a > 0 and a >= 0 and b > 0:  # a base that may be 0
            return self.zero if a == 0 else self.zero.union((b * a.upper().log()).exp())
        return (b * a.log()).exp()

    def hypot(self, a: arb | float, b: arb | float) -> arb:
        a, b = abs(self.number(a)), abs(self.number(b))
        return (a * a + b * b).nonnegative_part().sqrt()

    def log2(self, x: arb | float) -> arb:
        return self.number(x).log() / self.arb.const_log2()

    def log10(self, x: arb | float) -> arb:
        return self.number(x).log() / self.arb.const_log10()

    # --- the gamma family ---

    def lgamma(self, x: arb) -> arb:
        return x.lgamma() if x > 0 else abs(x.gamma()).log()

    def polygamma(self, n: arb | float, x: arb | float) -> arb:
        """Return an interval of polygamma of order `n` at `x`, by reflection for negative `x`.

        Undefined if the order is not an exact integer from 0 to 100, or if `x` contains 0. Not finite if a negative `x`
        contains a pole.
        """
        n, x = self.number(n), self.number(x)
        integer = self._read_integer(n)
        order = None if integer is None else integer[0]
        if order is None or not 0 <= order <= HIGHEST or x.contains(0):
            return self.undefined
        if x < 0:
            return reflect_polygamma(int(order), self.polygamma(n, 1 - x), self.pi, x.cot_pi())
        return self.flint.acb(x).polygamma(order).real


def interval_if_installed(bits: int) -> Interval | None:
    """Return interval arithmetic of this many bits; None if its library, python-flint, is not installed."""
    try:
        return Interval(bits)
    except RequestError:
        return None
