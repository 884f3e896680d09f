"""Signals: rules for numbers along a line: convolutions, interpolation, areas, unwrapped angles, covariances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ..core.array_parts import fit, getitem
from ..core.evaluation import multilinear
from ..core.traced import Traced, as_array, shape
from ..core.unsupported import unsupported
from .rearranging import by_name, convert

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..core.traced import Array, Doubles, Value


# --- convolutions -----------------------------------------------------------------------------------------------------


def _whole_pull(k: int, g: Array, z: Array, a: Array, b: Array) -> Value:
    """Return the adjoint of a (k = 0) or b (k = 1) for the adjoint `g` of their full convolution."""
    array, other = (a, b) if k == 0 else (b, a)
    start = shape(other)[0] - 1
    return fit(getitem(_WHOLE(g, np.flip(other)), slice(start, start + shape(array)[0])), array)


_WHOLE = multilinear("convolve", lambda a, b: np.convolve(a, b), _whole_pull)  # of two rows


def _start(mode: str | int, m: int, n: int) -> int:
    """Return the position in the full convolution of lengths m and n where the result of a mode begins."""
    named = mode if isinstance(mode, str) else ("valid", "same", "full")[mode]
    shorter = min(m, n)
    return {"f": 0, "s": (shorter - 1) // 2, "v": shorter - 1}[named[0].lower()]


def convolve(a: Value, v: Value, /, mode: str | int = "full") -> Array:
    """Return the convolution of a and v in the mode "full", "same" (middle) or "valid" (complete overlap)."""
    a, v = np.ravel(as_array(a)), np.ravel(as_array(v))
    bare = np.convolve(plain(a), plain(v), mode)
    start = _start(mode, len(a), len(v))
    return getitem(_WHOLE(a, v), slice(start, start + len(bare)))


def correlate(a: Value, v: Value, /, mode: str | int = "valid") -> Array:
    """Return the correlation of the vector a with the conjugate of v in the mode "valid", "same" or "full"; numbers
    count as vectors.

    If a is shorter than v, the result is that of NumPy, which exchanges and reverses. Raises ValueError, as NumPy does,
    for an empty vector or another mode.
    """
    a, v = np.atleast_1d(as_array(a)), np.atleast_1d(as_array(v))
    bare = np.correlate(plain(a), plain(v), mode)
    m, n = len(a), len(v)
    start = _start(mode, m, n)
    if m < n:  # NumPy exchanges the two and reverses the result
        start = m + n - 1 - len(bare) - start
    return getitem(_WHOLE(a, np.conj(np.flip(v))), slice(start, start + len(bare)))


# --- lines and areas --------------------------------------------------------------------------------------------------


def interp(
    x: Value, xp: Value, fp: Value, /, left: Value | None = None, right: Value | None = None,
    period: float | None = None,
) -> Value:  # fmt: skip
    """Return the piecewise linear function through the points (xp, fp) at x; all three may be traced.

    At a point it has the slope to its right, at the last one that to its left. Outside of the points it is `left` and
    `right` (default: the end values); with `period` it is periodic, the points are sorted, and these are ignored;
    without, xp must ascend. Raises Unsupported for a traced period, and ValueError for points or a period that
    np.interp refuses.
    """
    if isinstance(period, Traced):
        raise unsupported("interp", "with a traced period=")
    x, xp, fp = as_array(x), as_array(xp), as_array(fp)
    np.interp(plain(x), plain(xp), plain(fp), period=period)  # which says what is wrong with them
    if period is not None:
        left = right = None
        period = abs(period)
        x, xp = x % period, xp % period
        order = np.argsort(plain(xp))
        xp, fp = as_array(xp)[order], fp[order]
        xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = np.concatenate([fp[-1:], fp, fp[:1]])
    knots, places = np.asarray(plain(xp), float), np.asarray(plain(x), float)
    last = len(knots) - 1
    before = np.clip(np.searchsorted(knots, places, "right") - 1, 0, max(last - 1, 0))
    after = np.minimum(before + 1, last)
    width = xp[after] - xp[before]
    slope = (fp[after] - fp[before]) / np.where(plain(width) == 0, 1.0, width)
    near = np.where(places == knots[-1], last, before)
    result = fp[near] + slope * (x - xp[near])
    result = np.where(places < knots[0], fp[0] if left is None else left, result)
    result = np.where(places > knots[-1], fp[-1] if right is None else right, result)
    return np.reshape(result, shape(x))


def trapezoid(y: Value, /, x: Value | None = None, dx: Value = 1.0, axis: int = -1) -> Value:
    """Return the areas under the piecewise linear functions y along an axis, by distances dx or coordinates x."""
    return np.sum(strips(y, x, dx, axis), axis=-1)


def strips(y: Value, x: Value | None, dx: Value, axis: int) -> Array:
    """Return the areas between neighbours of y along an axis, which becomes the last; x and dx as in `trapezoid`."""
    y = np.moveaxis(as_array(y), axis, -1)
    widths = dx if x is None else np.diff(as_array(x), axis=axis if len(shape(as_array(x))) > 1 else -1)
    if len(shape(widths)) > 1:
        widths = np.moveaxis(widths, axis, -1)
    return as_array(widths * (y[..., 1:] + y[..., :-1]) / 2.0)


def unwrap(p: Value, /, discont: float | None = None, axis: int = -1, *, period: float | None = None) -> Value:
    """Return the angles plus multiples of `period` (default: 2π), so that neighbours along an axis differ by at most
    `discont`.

    `discont` defaults to, and is at least, half a period. The slope is 1. Raises Unsupported for a traced `discont` or
    `period`.
    """
    options = {} if period is None else {"period": plain(period)}
    if any(isinstance(option, Traced) for option in (discont, period)):
        raise unsupported("unwrap", "with a traced discont= or period=")
    p = as_array(p)
    bare = np.unwrap(plain(p), discont, axis, **options)
    return convert(p, bare.dtype) + (bare - plain(p))


# --- covariances ------------------------------------------------------------------------------------------------------


def _variables(m: Array, rowvar: bool) -> Array:
    """Return the variables as rows: `m` itself with `rowvar`, else its transpose; a vector or number is one row.

    A matrix of a single row is transposed without `rowvar` only if this version of NumPy does so in `cov`.
    """
    if len(shape(m)) < 2:
        return np.reshape(m, (1, -1))
    is_transposed = not rowvar
    if is_transposed and shape(m)[0] == 1:  # which newer versions of NumPy turn, and older ones do not
        is_transposed = np.ndim(np.cov(np.zeros((1, 2)), rowvar=False, bias=True)) == 2
    return np.transpose(m) if is_transposed else m


def cov(
    m: Value, /, y: Value | None = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None,
    fweights: Sequence[int] | None = None, aweights: Value | None = None, *, dtype: DTypeLike | None = None,
) -> Value:  # fmt: skip
    """Return the covariance matrix of the variables in rows (columns without `rowvar`) of m, then of y; a number for
    one variable.

    The divisor is the number of observations, or the sum of their weights, less a correction for `ddof` (default: 0
    with `bias`, else 1). `fweights` and `aweights` are weights of the observations, multiplied. All are nan if the
    divisor is not positive. Raises the errors of `np.cov`, which is called first with plain values.
    """
    m = as_array(m)
    named = {"fweights": fweights, "aweights": aweights, "y": y}
    bare = np.asarray(
        np.cov(
            plain(m), rowvar=rowvar, bias=bias, ddof=ddof, dtype=dtype,
            **{key: plain(as_array(value)) for key, value in named.items() if value is not None},
        )
    )  # fmt: skip
    rows = _variables(as_array(convert(m, bare.dtype)), rowvar)
    if y is not None:
        rows = np.concatenate([rows, _variables(as_array(convert(as_array(y), bare.dtype)), rowvar)])
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = None if fweights is None else as_array(fweights)
    if aweights is not None:
        weights = as_array(aweights) if weights is None else weights * as_array(aweights)
    off = rows - np.average(rows, axis=1, weights=weights, keepdims=True)
    total = shape(rows)[1] if weights is None else np.sum(weights)
    correction = ddof if aweights is None or not ddof else ddof * np.sum(weights * as_array(aweights)) / total
    if plain(total - correction) <= 0:
        return convert(np.reshape(np.dot(off, np.transpose(off)) * bare.dtype.type(np.nan), bare.shape), bare.dtype)
    weighted = off if weights is None else off * weights
    product = np.dot(off, np.conj(np.transpose(weighted))) / (total - correction)
    return convert(np.reshape(product, bare.shape), bare.dtype)


def corrcoef(x: Value, /, y: Value | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None) -> Value:
    """Return the correlation matrix of the variables in rows (columns without `rowvar`) of x and y; a number for one
    variable.

    Values beyond ±1 by rounding are cut, their slopes stay. A variable without variance gives nan.
    """
    correlations = cov(x, y, rowvar, dtype=dtype)
    if not shape(correlations):
        return correlations / correlations
    deviations = np.sqrt(np.diag(correlations).real)
    correlations = correlations / (np.reshape(deviations, (-1, 1)) * deviations)
    return correlations + (_within_one(plain(correlations)) - plain(correlations))


def _within_one(x: Doubles) -> Doubles:
    """Return the numbers, or real and imaginary parts, limited to the range from −1 to 1."""
    if x.dtype.kind == "c":
        return np.clip(x.real, -1, 1) + 1j * np.clip(x.imag, -1, 1)
    return np.clip(x, -1, 1)


# By NumPy's names; `trapz` is what NumPy 1 calls `trapezoid`.
RULES: Mapping[str, Callable[..., Value]] = {
    **by_name(convolve, correlate, interp, trapezoid, unwrap, cov, corrcoef), "trapz": trapezoid,
}  # fmt: skip
