"""The arithmetic of NumPy arrays, element by element, with NumPy's rules for types and shapes."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from ..extras import Later
from ..table.primitive import ROWS
from ..typings import TYPE_CHECKING, Any, TypeAlias, override
from .complexes import ByRealPart
from .doubles import FLOAT, Float, Ordered

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ..table.arithmetic import LimitRule

    Floats: TypeAlias = NDArray[numpy.inexact]

np: Any = Later("numpy", "numpy")


class Arrays(Ordered["Floats"]):
    """The arithmetic of arrays of doubles or complex numbers; outside a domain NumPy's result, nan or an infinity."""

    zero, one, undefined, infinity = FLOAT.zero, FLOAT.one, FLOAT.undefined, FLOAT.infinity
    pi, e = FLOAT.pi, FLOAT.e

    @override
    def __getattr__(self, name: str) -> Callable[..., Floats]:
        """Return the function called `name` for arrays: that of NumPy, or the one for doubles applied number by number
        if NumPy lacks it, or else the rule of the row.

        Raises AttributeError for an unknown name. Functions of the first two kinds are stored as attributes.
        """
        if not self.knows(name):
            return super().__getattr__(name)
        numpy_name = ROWS[name].numpy
        function: Callable[..., Floats] = (
            getattr(np, numpy_name) if numpy_name else np.vectorize(getattr(FLOAT, name), otypes=[float])
        )
        setattr(self, name, function)
        return function

    def knows(self, name: str) -> bool:
        """Return whether this arithmetic has an implementation of `name`, which must be a function of the table.

        That is a method of this class, a function of NumPy (`row.numpy`), or, number by number, a method of Float or
        the row's own implementation. If False, callers need the value rule of the row. For names that the table does
        not have, it is only whether this class has such an attribute.
        """
        row = ROWS.get(name)
        return hasattr(type(self), name) or (
            row is not None and (bool(row.numpy) or hasattr(Float, name) or row.own is not None)
        )

    def number(self, x: Floats) -> Floats:
        return x

    @override
    def _truth(self, condition: Floats) -> Floats:
        return condition

    @override
    def both(self, a: Floats, b: Floats) -> Floats:
        return np.logical_and(a, b)

    @override
    def either(self, a: Floats, b: Floats) -> Floats:
        return np.logical_or(a, b)

    @override
    def choose(self, condition: Floats, a: Floats, b: Floats) -> Floats:
        return np.where(condition, a, b) if getattr(condition, "ndim", 0) else a if condition else b

    @override
    def guard(self, limit: LimitRule, rule: Floats, *arguments: Floats) -> Floats:
        condition = limit.where(self, *arguments)
        # counting is the fastest test of a few conditions in NumPy
        return self.choose(condition, limit.value(self, *arguments), rule) if np.count_nonzero(condition) else rule

    @override
    def sign(self, x: Floats) -> Floats:
        return np.sign(x)

    @override
    def _extreme(self, xs: tuple[Floats, ...], pick: Callable[..., Floats]) -> Floats:
        join = np.maximum if pick is max else np.minimum
        return reduce(join, xs)

    def div(self, a: Floats, b: Floats) -> Floats:
        return np.true_divide(a, b)

    def pow(self, a: Floats, b: Floats) -> Floats:
        """Return a power entry by entry, by the operator, which computes squares and roots faster than numpy.power."""
        if type(b) in (int, float) and b == 1:  # which the rule for a square needs
            return a
        if type(a) is not float:  # whose type gives way to that of an array
            a = np.asarray(a)
        return a**b  # the operator, which knows squares and roots, where numpy.power does not

    def hypot(self, a: Floats, b: Floats) -> Floats:
        return np.sqrt(a * a + b * b) if np.iscomplexobj(a) or np.iscomplexobj(b) else np.hypot(a, b)

    def cbrt(self, x: Floats) -> Floats:
        return np.power(x, 1 / 3) if np.iscomplexobj(x) else np.cbrt(x)

    def mod(self, a: Floats, b: Floats) -> Floats:
        return np.mod(a, b)

    def round(self, x: Floats) -> Floats:
        """Return the nearest integer, halves away from zero, as `Float.round`."""
        below = np.floor(np.abs(x))
        return np.copysign(below + (np.abs(x) - below >= 0.5), x)


ARRAYS = Arrays()


class ComplexArrays(ByRealPart, Arrays):
    """Arrays with complex numbers among them: abs(x), comparisons and max look at the real part, as in `Complexes`.

    Raises TypeError for a function that is of real doubles alone.
    """

    @override
    def __getattr__(self, name: str) -> Callable[..., Floats]:
        row = ROWS.get(name)
        if row is None or row.numpy or not self.knows(name):
            return super().__getattr__(name)
        raise TypeError(f"{name} takes real numbers")

    @override
    def real(self, x: Floats) -> Floats:
        return np.real(x)

    @override
    def abs(self, x: Floats) -> Floats:
        return np.where(np.real(x) < 0, -x, x)

    @override
    def sign(self, x: Floats) -> Floats:
        return np.sign(np.real(x))

    @override
    def _extreme(self, xs: tuple[Floats, ...], pick: Callable[..., Floats]) -> Floats:
        beyond = np.greater if pick is max else np.less
        return reduce(lambda extreme, x: np.where(beyond(np.real(x), np.real(extreme)), x, extreme), xs)


COMPLEX_ARRAYS = ComplexArrays()
