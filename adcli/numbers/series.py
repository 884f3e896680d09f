"""Truncated power series as an arithmetic: the rules of the table of functions, read with Taylor polynomials in t for
numbers. A Series has its coefficients so far, the first one is its value.

`+ - * /` are operations on series.  Any function f of the table is a differential equation: by the chain rule
z = f(u) satisfies z' = f'(u) u', where f' is the row's own partial, read in this same arithmetic; coefficient by
coefficient

    z[n] = (1/n) sum over k of k u[k] g[n-k],   g = f'(u),

so that z[n] needs g only up to n-1.  That lag of one breaks every circle: sin needs cos and cos needs sin, tan and exp
need themselves, and a chain that never closes (pow, gamma and its polygammas) ends because each link is needed to one
order less.  A function costs O(n^2) additions and multiplications for n coefficients, a chain O(n^3).  Repeated
derivative graphs would give the same numbers, but for a composition such as exp(sin(x)) they grow with every order:
a hundred orders are a matter of milliseconds here.

Source: Griewank and Walther, "Evaluating Derivatives", chapter 13 (Taylor arithmetic); the lag is that of relaxed
power series.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import mul

from ..table.operator_methods import ArithmeticOperators, Ranked
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, Any, TypeAlias, override
from .doubles import apply

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating, LimitRule, Numeral, Operand

    Step: TypeAlias = Callable[["Series", int], Operand | int]  # the coefficient of an order

ENDLESS = 1 << 60  # the degree of a series that is not known to be a polynomial


class Series(ArithmeticOperators, Ranked):
    """A power series in t: its known coefficients, and the step that computes the next one.

    top     the degree, if the series is known to be a polynomial (0: constant), else ENDLESS
    parts   the series that the step needs; row: the function of the table, if it is one
    local   whether it is constant only here: a sign or a condition, which may change elsewhere
    reach   the order up to which it is needed
    """

    __slots__ = ("arithmetic", "coefficients", "local", "parts", "reach", "row", "slopes", "step", "top")

    def __init__(
        self,
        arithmetic: Taylor,
        first: Any,
        top: int = 0,
        parts: tuple[Series, ...] = (),
        step: Step | None = None,
        row: Primitive | None = None,
        local: bool = False,
    ) -> None:
        """Begin a series with the coefficient `first`; `Taylor.extend` appends the others, which `step` computes from
        `parts`.

        `top` is the degree of a polynomial (0: constant), else ENDLESS; `row` is the function of the table whose
        arguments `parts` are (None for sums and products); `local` says that it is constant only next to this point (a
        sign or a condition).
        """
        self.arithmetic, self.parts, self.step, self.row = arithmetic, parts, step, row
        self.coefficients: list[Any] = [first]  # of the base, which may be any arithmetic
        self.slopes: list[Operand] = [arithmetic.base.zero]
        self.top, self.local, self.reach = top, local, 0

    @property
    def first(self) -> Any:
        return self.coefficients[0]

    def slopes_to(self, n: int) -> list[Operand]:
        """Return k times coefficient k, for k = 0 … n: the series of t times the derivative."""
        slopes, coefficients = self.slopes, self.coefficients
        while len(slopes) <= n:
            slopes.append(len(slopes) * coefficients[len(slopes)])
        return slopes

    @override
    def call_row(self, name: str, *operands: Series | float) -> Series:
        """Return what the arithmetic has for the row called `name`."""
        series: Series = getattr(self.arithmetic, name)(*operands)
        return series

    # Conditions look at the point alone.

    def __bool__(self) -> bool:
        return bool(self.first)

    @property
    @override
    def rank(self) -> Any:
        return self.first

    __hash__ = object.__hash__


# --- steps: the coefficient of order n --------------------------------------------------------------------------------


def _convolve(left: list[Operand], right: list[Operand], n: int, first: int, last: int) -> Operand | int:
    """Return the sum of left[k]·right[n-k] for k from `first` to `last`, both included."""
    total: Operand | int = sum(map(mul, left[first : last + 1], reversed(right[n - last : n - first + 1])))
    return total


def _coefficient(series: Series, n: int) -> Operand | int:
    coefficient: Operand | int = series.coefficients[n] if n <= series.top else 0
    return coefficient


def _sum(z: Series, n: int) -> Operand | int:
    return _coefficient(z.parts[0], n) + _coefficient(z.parts[1], n)


def _difference(z: Series, n: int) -> Operand | int:
    return _coefficient(z.parts[0], n) - _coefficient(z.parts[1], n)


def _negative(z: Series, n: int) -> Operand | int:
    return -_coefficient(z.parts[0], n)


def _product(z: Series, n: int) -> Operand | int:
    a, b = z.parts
    return _convolve(a.coefficients, b.coefficients, n, max(n - b.top, 0), min(n, a.top))


def _quotient(z: Series, n: int) -> Operand | int:
    a, b = z.parts
    rest = _convolve(b.coefficients, z.coefficients, n, 1, min(n, b.top)) if b.top else 0
    return z.arithmetic.base.div(_coefficient(a, n) - rest, b.first)


def _compose_coefficient(z: Series, n: int) -> Operand | int:
    """Return coefficient n ≥ 1 of z from z' = sum of g·u' over the arguments u with partial g; `z.parts` is u1, g1, u2,
    g2, ….

    It is the zero of the base if nothing contributes.
    """
    total: Operand | int = 0
    for u, g in zip(z.parts[::2], z.parts[1::2], strict=True):
        slopes = u.slopes_to(min(n, u.top))
        total += _convolve(slopes, g.coefficients, n, max(1, n - g.top), min(n, u.top))
    base = z.arithmetic.base
    return base.zero if isinstance(total, int) else base.div(total, base.number(n))


def _constant(name: str) -> Any:
    """Return the property of an arithmetic of series that is a constant of its base."""
    return property(lambda self: self.constant(getattr(self.base, name)))


class Taylor:
    """The arithmetic of power series up to `order`, with coefficients in the arithmetic `base`.

    The first coefficient of a series is computed at once, the others by `extend`.
    """

    def __init__(self, base: Evaluating[Any], order: int) -> None:
        self.base: Evaluating[Operand] = base
        self.order = order
        self.undefined = base.undefined
        self._in_order: list[Series] = []
        self._known: dict[object, Series] = {}

    # --- leaves

    def number(self, x: Series | float | Numeral) -> Series:
        """Return the constant series of a number; a series is returned as it is."""
        return x if isinstance(x, Series) else self.constant(self.base.number(x))

    def constant(self, x: Any, local: bool = False) -> Series:
        """Return the constant series of a number of the base."""
        return self._recall((type(x), x, local), lambda: Series(self, x, local=local))

    def variable(self, at: Any, slope: Any) -> Series:
        """Return the series at + slope·t."""
        series = Series(self, at, 1 if slope else 0)
        series.coefficients.append(slope)
        self._in_order.append(series)
        return series

    zero, one, pi, e = map(_constant, ("zero", "one", "pi", "e"))

    def _recall(self, key: object, make: Callable[[], Series]) -> Series:
        """Return the series stored under `key`; if there is none, store the result of `make` and append it to
        `_in_order`, the list of all series in the order of their creation.

        As there is one object for each key, a series may be defined by an equation in which it occurs itself.
        """
        if key not in self._known:
            self._known[key] = make()
            self._in_order.append(self._known[key])
        return self._known[key]

    # --- operations on series

    def _combine(self, step: Step, first: Operand, a: Series, b: Series, top: int) -> Series:
        """Return the series of an operation on the series `a` and `b`; a constant if both are, and the same series for
        the same operation on the same objects.

        `step` computes later coefficients, `first` is the first one, `top` the degree of the result.
        """
        if a.top == 0 and b.top == 0:
            return self.constant(first, a.local or b.local)
        return self._recall((step, id(a), id(b)), lambda: Series(self, first, top, (a, b), step))

    def add(self, a: Series | float, b: Series | float) -> Series:
        a, b = self.number(a), self.number(b)
        return self._combine(_sum, a.first + b.first, a, b, max(a.top, b.top))

    def sub(self, a: Series | float, b: Series | float) -> Series:
        a, b = self.number(a), self.number(b)
        return self._combine(_difference, a.first - b.first, a, b, max(a.top, b.top))

    def mul(self, a: Series | float, b: Series | float) -> Series:
        """Return the product of two series or numbers.

        A factor that is the constant 0 is returned itself, whatever the other is; but not a `local` one, which is 0
        only next to this point.
        """
        a, b = self.number(a), self.number(b)
        factor: Series
        for factor in (a, b):
            if factor.top == 0 and not factor.local and factor.first == 0:  # closes the chain of x^n at its end
                return factor
        return self._combine(_product, a.first * b.first, a, b, min(a.top + b.top, ENDLESS))

    def div(self, a: Series | float, b: Series | float) -> Series:
        a, b = self.number(a), self.number(b)
        return self._combine(_quotient, self.base.div(a.first, b.first), a, b, ENDLESS if b.top else a.top)

    def neg(self, a: Series | float) -> Series:
        """Return the negative of a series; the negative of a negative is the series itself, and that of a constant is a
        constant.
        """
        series = self.number(a)
        if series.top == 0:
            return self.constant(-series.first, series.local)
        if series.step is _negative:
            return series.parts[0]
        key = (_negative, id(series))
        return self._recall(key, lambda: Series(self, -series.first, series.top, (series,), _negative))

    # --- conditions: decided at the point

    def choose(self, condition: Series | float, a: Series | float, b: Series | float) -> Series:
        return self.number(a if condition else b)

    def guard(self, limit: LimitRule, rule: Series | float, *arguments: Series | float) -> Series:
        return self.number(limit.value(self, *arguments) if limit.where(self, *arguments) else rule)

    def both(self, a: Series | float, b: Series | float) -> Series:
        return self.apply(ROWS["and"], a, b)

    def either(self, a: Series | float, b: Series | float) -> Series:
        return self.apply(ROWS["or"], a, b)

    def finite(self, x: Series | float) -> bool:
        """Return whether the first coefficient is a finite number."""
        return bool(self.base.finite(self.number(x).first))

    # --- functions of the table

    def __getattr__(self, name: str) -> Callable[..., Series]:
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        return lambda *arguments: self.apply(row, *arguments)

    def apply(self, row: Primitive, *arguments: Series | float | None) -> Series:
        """Return the series of the function `row` of the table for these arguments; its partials are evaluated only
        when `extend` needs them.

        A function of which this class has a method of the same name is computed by that method. Else an argument None
        counts as 0; the result is constant if all arguments are, or if the function is piecewise constant (it has no
        partials); its value is undefined if the rule raises for its domain, infinite on overflow. The same row and the
        same arguments (the same objects) give the same series.
        """
        method: Callable[..., Series] | None = type(self).__dict__.get(row.name)
        if method is not None:
            return method(self, *arguments)
        parts = tuple(self.zero if x is None else self.number(x) for x in arguments)
        first = apply(row, self.base, [part.first for part in parts])
        moving = any(part.top for part in parts)
        if not moving or (isinstance(row.partials, tuple) and not any(row.partials)):
            return self.constant(first, local=moving or any(part.local for part in parts))
        key = (row.name, *map(id, parts))
        return self._recall(key, lambda: Series(self, first, ENDLESS, parts, _compose_coefficient, row))

    def extend(self, series: Iterable[Series]) -> None:
        """Append to these series, in place, their coefficients up to order `self.order`, and to those on which they
        depend as many as are needed.

        The order needed is propagated from the largest down, so that every partial is evaluated once; partials enter
        `parts` here. Series without a step, and those that an earlier call extended, are left as they are.
        """
        pending: list[list[Series]] = [[] for _ in range(self.order + 1)]
        pending[self.order] += series
        needed: list[Series] = []
        for order in range(self.order, 0, -1):
            for z in pending[order]:  # which grows
                if z.reach or z.step is None:
                    continue
                z.reach = order
                needed.append(z)
                pending[order] += z.parts
                if z.row is not None:
                    z.parts = self._with_partials(z, z.row)
                    pending[order - 1] += z.parts[1::2]
        place = {id(z): k for k, z in enumerate(self._in_order)}
        needed.sort(key=lambda z: place[id(z)])
        for order in range(1, self.order + 1):
            needed = [z for z in needed if z.reach >= order]
            for z in needed:
                if z.step is not None:
                    z.coefficients.append(z.step(z, order) if order <= z.top else self.base.zero)

    def _with_partials(self, z: Series, row: Primitive) -> tuple[Series, ...]:
        """Return (u1, g1, u2, g2, …): each argument of `z` that is not constant, followed by the partial of `row` with
        respect to it.

        Arguments without a partial, or with the integer 0, are left out; all partials are undefined if a rule raises.
        """
        try:
            partials = row.gradient(self, z, z.parts, tuple(part.top > 0 for part in z.parts))
        except (ZeroDivisionError, OverflowError, ValueError):
            partials = [self.undefined] * len(z.parts)
        pairs: list[Series] = []
        for part, partial in zip(z.parts, partials, strict=True):
            if part.top and partial is not None and not (isinstance(partial, int) and partial == 0):
                pairs += [part, self.number(partial)]
        return tuple(pairs)
