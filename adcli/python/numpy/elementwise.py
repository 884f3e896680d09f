"""Elementwise functions of NumPy that adcli's table of functions lacks, written with functions of the table."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING
from ..core.array_parts import fit
from ..core.evaluation import MIXED, Differentiable, angle, conj, imag, real
from ..core.traced import Array, Value, as_array, shape
from ..core.unsupported import unsupported
from .contractions import matmul, matvec, vecdot, vecmat
from .rearranging import by_name, convert, convert_for, fill_nan

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..core.containers import Tree

_LN2 = 0.6931471805599453


def _by_slopes(name: str, slope: Callable[[int, Value, Value, Value], Value]) -> Differentiable:
    """Return the rule of the NumPy function `name` of two numbers.

    `slope(k, z, a, b)` is the derivative of the value z with respect to argument k (0 for a, 1 for b).
    """
    return Differentiable(
        name,
        lambda a, b: getattr(np, name)(a, b),
        pull=lambda k, g, z, a, b: fit(g * slope(k, z, a, b), (a, b)[k]),
        push=lambda k, dot, z, a, b: dot * slope(k, z, a, b),
    )


def _fraction_of_sum(k: int, a: Value, b: Value, rate: float = 1.0) -> Value:
    """Return the fraction that power k is of a sum of two, with exponents `a` and `b`; `rate` is log of the base."""
    return MIXED.sigmoid((a - b if k == 0 else b - a) * rate)


def _ignoring_nan(pick: str) -> Callable[[Value, Value], Value]:
    """Return the function for the larger or smaller of two numbers, where nan counts as missing."""
    return lambda a, b: getattr(np, pick)(fill_nan(a, b), fill_nan(b, a))


def _fmod_slope(k: int, z: Value, a: Value, b: Value) -> Value:
    """Return the slope of z = fmod(a, b) with respect to a (k = 0): 1, or to b (k = 1): minus the whole quotient."""
    return 1.0 if k == 0 else np.round((plain(z) - plain(a)) / plain(b))


_BESSEL = Differentiable(
    "i0", lambda x: np.i0(x), push=lambda k, dot, z, x: dot * MIXED.besseli(1, x)
)  # fmt: skip


def _to_doubles(x: Value) -> Value:
    """Return an array in doubles, or in complex doubles; numbers unchanged."""
    return convert(x, np.result_type(plain(x), float)) if shape(x) else x


def _split_fraction(x: Value) -> tuple[Value, Value]:
    """Return (the fractional part of x, with slope 1, the whole part)."""
    behind, whole = np.modf(plain(x))
    return x + (behind - plain(x)), whole


def _split_mantissa(x: Value) -> tuple[Value, Value]:
    """Return (mantissa, exponent): x = mantissa · 2^exponent with ½ ≤ |mantissa| < 1."""
    _, power = np.frexp(plain(x))
    return x * np.ldexp(np.ones_like(plain(x)), -power), power


def i0(x: Value, /) -> Value:
    """Return the modified Bessel function of order 0, in doubles."""
    return _BESSEL(convert(as_array(x), float))


# By NumPy's names.
WRITTEN: Mapping[str, Callable[..., Value | tuple[Value, ...]]] = {
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne,
    "positive": lambda x: x,
    "fabs": abs,
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "float_power": lambda a, b: MIXED.pow(_to_doubles(a), _to_doubles(b)),
    "exp2": lambda x: MIXED.pow(2.0, x),
    "logaddexp": _by_slopes("logaddexp", lambda k, z, a, b: _fraction_of_sum(k, a, b)),
    "logaddexp2": _by_slopes("logaddexp2", lambda k, z, a, b: _fraction_of_sum(k, a, b, _LN2)),
    "copysign": lambda a, b: abs(a) * np.copysign(1.0, plain(b)),
    "fmax": _ignoring_nan("maximum"),
    "fmin": _ignoring_nan("minimum"),
    "conjugate": conj,
    "fmod": _by_slopes("fmod", _fmod_slope),
    "modf": _split_fraction,
    "frexp": _split_mantissa,
    "ldexp": lambda x, power: x * np.ldexp(np.ones_like(plain(x)), plain(power)),
    "heaviside": lambda x, h: (np.sign(x) + 1) / 2 + (h - 0.5) * (plain(x) == 0),
    "rint": lambda x: np.floor(x + 0.5) + (np.rint(plain(x)) - np.floor(plain(x) + 0.5)),
    "floor_divide": operator.floordiv,
    "divmod": lambda a, b: (np.floor_divide(a, b), np.remainder(a, b)),
    **by_name(matmul, vecdot, matvec, vecmat),
}  # fmt: skip


# --- ties -------------------------------------------------------------------------------------------------------------


def _is_at_tolerance(k: int, a: Value, b: Value, rtol: float = 1e-5, atol: float = 1e-8, **_: object) -> bool:
    return bool(np.any(abs(a - b) == atol + rtol * abs(b)))


def _is_at_point(
    k: int, x: Value, xp: Value, fp: Value, left: object = None, right: object = None, period: float | None = None
) -> bool:
    distances = x - np.asarray(xp)
    return k == 0 and bool(np.any((distances if period is None else np.fmod(distances, period)) == 0))


def _is_zero(k: int, *arguments: Value, **_: object) -> bool:
    return bool(arguments[k] == 0)


_ROUNDS = (lambda k, x, decimals=0, **_: abs(np.fmod(x * 10.0**decimals, 1)) == 0.5), "rounding jumps halfway"
_CLOSE = _is_at_tolerance, "numbers differ by exactly the tolerance"
_ASKS = _is_zero, "a number is 0 where NumPy asks whether it is"
_EQUALS = (lambda k, x, *_, **__: np.unique(x).size < np.size(x)), "equal numbers are put in order"
ORDERS = ("sort", "argsort", "partition", "argpartition", "argmax", "argmin")
_TRUTHS = ("logical_and", "logical_or", "logical_not", "logical_xor", "any", "all", "nonzero", "count_nonzero")

# (whether a function, called with these plain numbers, jumps or has a corner at argument k; what that is), by NumPy's
# names, for those that are not made of rows with kinks.
TIES: Mapping[str, tuple[Callable[..., object], str]] = {
    **dict.fromkeys(("around", "round"), _ROUNDS), **dict.fromkeys(("isclose", "allclose"), _CLOSE),
    **dict.fromkeys(_TRUTHS, _ASKS), **dict.fromkeys(ORDERS, _EQUALS),
    "where": (lambda k, *xs: k == 0 and xs[0] == 0, _ASKS[1]),
    "signbit": (_is_zero, "the sign bit jumps at 0"),
    "angle": (_is_zero, "the angle jumps at 0"),
    "copysign": (lambda k, a, b: k == 1 and b == 0, "the sign that is copied jumps at 0"),
    "digitize": (lambda k, x, edges, *_, **__: k == 0 and x in np.asarray(edges), "digitize jumps at the edges"),
    "searchsorted": (lambda k, a, x, *_, **__: k == 1 and x in np.asarray(a), "searchsorted jumps at the numbers"),
    "isin": (lambda k, x, among, *_, **__: k == 0 and x in np.asarray(among), "isin compares two equal numbers"),
    "interp": (_is_at_point, "interp has corners at the points"),
    "fmod": (lambda k, a, b: a != 0 and np.fmod(a, b) == 0, "fmod jumps where the quotient is a whole number"),
    "modf": (lambda k, x: x != 0 and x == np.trunc(x), "modf jumps at whole numbers other than 0"),
    "frexp": (lambda k, x: abs(np.frexp(x)[0]) in (0, 0.5), "frexp jumps at powers of 2"),
}  # fmt: skip


# --- those that NumPy has as functions of another kind ----------------------------------------------------------------


def clip(
    x: Value, /, a_min: Value | None = None, a_max: Value | None = None, *,
    min: Value | None = None, max: Value | None = None,  # noqa: A002 - NumPy's names
) -> Value:  # fmt: skip
    """Return the numbers limited to the range between the bounds (None: no bound).

    `min` and `max` replace `a_min` and `a_max`. The upper bound is applied last and wins if the lower one is larger.
    Bounds may be traced; at a bound the convention of `maximum` and `minimum` holds.
    """
    low, high = a_min if min is None else min, a_max if max is None else max
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def real_if_close(x: Value, /, tol: float = 100) -> Value:
    """Return the real part if all imaginary parts are within `tol` roundings of 0; else x unchanged."""
    return real(x) if np.isrealobj(np.real_if_close(plain(x), tol)) else x


def angle_of(x: Value, /, deg: bool = False) -> Value:
    """Return the angles of complex numbers, in radians, or in degrees with `deg`."""
    return angle(x) * (180 / MIXED.pi) if deg else angle(x)


def nan_to_num(
    x: Value, /, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """Return x with nan replaced by `nan`, ∞ by `posinf` and −∞ by `neginf` (None: the extreme numbers of x's type).

    Replaced elements have no derivative. Raises Unsupported for `copy=False`.
    """
    if not copy:
        raise unsupported("nan_to_num", "with copy=")
    return np.where(np.isfinite(plain(x)), x, np.nan_to_num(plain(x), nan=nan, posinf=posinf, neginf=neginf))


def sinc(x: Value, /) -> Value:
    """Return sin(πx)/(πx), where |x| < 0.3 by its series, whose derivatives have all digits (at 0 up to order
    27)."""
    is_small = abs(plain(x)) < 0.3
    y = x * MIXED.pi
    if not np.any(is_small):
        return np.sin(y) / y
    series: Value = 0.0
    for k in range(13, -1, -1):
        series = (-1) ** k / math.factorial(2 * k + 1) + series * (y * y)
    if not shape(x):
        return series
    y = np.where(is_small, 1.0, y)
    return np.where(is_small, series, np.sin(y) / y)


def _fractions(start: Array, stop: Array, num: int, endpoint: bool) -> tuple[Array, float]:
    """Return (`num` equidistant numbers from 0 to 1 along a new first axis of both arrays, their distance).

    1 is left out without `endpoint`.
    """
    fractions, step = np.linspace(0.0, 1.0, num, endpoint, retstep=True)
    return np.reshape(fractions, (-1, *(1,) * max(len(shape(start)), len(shape(stop))))), step


def linspace(
    start: Array, stop: Array, /, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: DTypeLike | None = None, axis: int = 0,
) -> Array | tuple[Array, Value]:  # fmt: skip
    """Return `num` equidistant numbers from start to stop along a new axis (`axis` of the result); arrays broadcast.

    With `retstep` (numbers, distance). Without `endpoint` stop itself is left out. `dtype` is the type of the result
    (None: it is not converted). Raises Unsupported for one that is neither floating-point nor complex, or that is real
    for complex numbers.
    """
    fraction, step = _fractions(start, stop, num, endpoint)
    numbers = convert_for("linspace", as_array(start * (1 - fraction) + stop * fraction), dtype)
    numbers = np.moveaxis(numbers, 0, axis) if axis else numbers
    return (numbers, (stop - start) * step) if retstep else numbers


def logspace(
    start: Array, stop: Array, /, num: int = 50, endpoint: bool = True, base: Value = 10.0,
    dtype: DTypeLike | None = None, axis: int = 0,
) -> Array:  # fmt: skip
    """Return base^e for `num` equidistant exponents e from `start` to `stop`, along a new axis (`axis` of the result).

    Arrays `start` and `stop` broadcast; `base` may be an array as well, with their shape, and may be traced. Without
    `endpoint` stop is left out. `dtype` None keeps the type. Raises Unsupported for a `dtype` that is neither
    floating-point nor complex, or real for complex powers.
    """
    powers = linspace(start, stop, num, endpoint, axis=axis)
    bases = np.expand_dims(as_array(base), axis) if shape(base) else base
    return convert_for("logspace", as_array(np.power(bases, powers)), dtype)


def geomspace(
    start: Array, stop: Array, /, num: int = 50, endpoint: bool = True, dtype: DTypeLike | None = None, axis: int = 0
) -> Array:
    """Return `num` numbers from start to stop with equal ratios, along a new axis (`axis` of the result).

    Arrays broadcast. Without `endpoint` stop is left out. Real numbers of different signs give nan between the ends.
    Raises Unsupported for a `dtype` that is neither floating-point nor complex, or real for complex numbers. A start or
    stop of 0 (ValueError) is refused by NumPy's function, which is called with plain values before this one.
    """
    fraction, _ = _fractions(start, stop, num, endpoint)
    numbers = start * np.power(stop / start, fraction)
    return convert_for("geomspace", as_array(np.moveaxis(numbers, 0, axis) if axis else numbers), dtype)


# By NumPy's names.
RULES: Mapping[str, Callable[..., Tree]] = {
    **by_name(clip, real_if_close, nan_to_num, sinc, linspace, logspace, geomspace, i0), "angle": angle_of,
    "real": lambda x, /: real(x), "imag": lambda x, /: imag(x), "fix": lambda x, /: np.trunc(x),
}  # fmt: skip
