"""Rules of NumPy's signals: convolution, interpolation, strips, covariance, and Fourier transforms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING, TypeAlias
from ..core.array_parts import fit, getitem
from ..core.evaluation import Differentiable, linear, multilinear
from ..core.traced import Array, Doubles, Function, Traced, Value, as_array, shape
from ..core.unsupported import unsupported
from .rearranging import along, by_name, convert, layer, places_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    # Lengths along the axes of a transform; None or −1 keeps that of the array.
    Lengths: TypeAlias = Sequence[int | None] | None
    # A transform along several axes, called with (array, lengths, axes, norm).
    Transform: TypeAlias = Function

# --- convolutions -----------------------------------------------------------------------------------------------------


def _whole_pull(k: int, g: Array, z: Array, a: Array, b: Array) -> Value:
    """Return the adjoint of a (k = 0) or b (k = 1) for the adjoint `g` of their full convolution."""
    array, other = (a, b) if k == 0 else (b, a)
    start = shape(other)[0] - 1
    return fit(getitem(_WHOLE(g, np.flip(other)), slice(start, start + shape(array)[0])), array)


_WHOLE = multilinear("convolve", lambda a, b: np.convolve(a, b), _whole_pull)  # of two rows


def _start_of_mode(mode: str | int, m: int, n: int) -> int:
    """Return the position in the full convolution of lengths m and n where the result of a mode begins."""
    named = mode if isinstance(mode, str) else ("valid", "same", "full")[mode]
    shorter = min(m, n)
    return {"f": 0, "s": (shorter - 1) // 2, "v": shorter - 1}[named[0].lower()]


def convolve(a: Value, v: Value, /, mode: str | int = "full") -> Array:
    """Return the convolution of a and v in the mode "full", "same" (middle) or "valid" (complete overlap).

    Both are flattened; the modes may be 2, 1 and 0, as in older NumPy. Raises ValueError for an empty vector.
    """
    a, v = np.ravel(as_array(a)), np.ravel(as_array(v))
    bare = np.convolve(plain(a), plain(v), mode)
    start = _start_of_mode(mode, len(a), len(v))
    return getitem(_WHOLE(a, v), slice(start, start + len(bare)))


def correlate(a: Value, v: Value, /, mode: str | int = "valid") -> Array:
    """Return the correlation of the vector a with the conjugate of v in the mode "valid", "same" or "full".

    Numbers count as vectors. If a is shorter than v, the result is that of NumPy, which exchanges and reverses. Raises
    ValueError, as NumPy does, for an empty vector or another mode.
    """
    a, v = np.atleast_1d(as_array(a)), np.atleast_1d(as_array(v))
    bare = np.correlate(plain(a), plain(v), mode)
    m, n = len(a), len(v)
    start = _start_of_mode(mode, m, n)
    if m < n:  # NumPy exchanges the two and reverses the result
        start = m + n - 1 - len(bare) - start
    return getitem(_WHOLE(a, np.conj(np.flip(v))), slice(start, start + len(bare)))


# --- lines and areas --------------------------------------------------------------------------------------------------


def interp(
    x: Array, xp: Array, fp: Array, /, left: Value | None = None, right: Value | None = None,
    period: float | None = None,
) -> Value:  # fmt: skip
    """Return the piecewise linear function through the points (xp, fp) at x; all three may be traced.

    At a point the slope is that of the piece to the right, at the last point that of the piece to the left. Left of the
    points the value is `left`, right of them `right` (default: the values of the end points). xp must ascend, which is
    not checked. With a `period` the function is periodic: the points are sorted, `left` and `right` are ignored. Raises
    Unsupported for a traced period, and ValueError for points or a period that np.interp refuses.
    """
    if isinstance(period, Traced):
        raise unsupported("interp", "with a traced period=")
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
    """Return the areas of the trapezoids between neighbours of y along `axis`, which becomes the last, shorter by 1.

    The widths are the differences of the coordinates `x`, a vector or an array like y. If x is None, the widths are
    `dx`, one number for all trapezoids or one for each.
    """
    y = np.moveaxis(as_array(y), axis, -1)
    widths = dx if x is None else np.diff(as_array(x), axis=axis if len(shape(as_array(x))) > 1 else -1)
    if len(shape(widths)) > 1:
        widths = np.moveaxis(widths, axis, -1)
    return as_array(widths * (y[..., 1:] + y[..., :-1]) / 2.0)


def unwrap(p: Array, /, discont: float | None = None, axis: int = -1, *, period: float | None = None) -> Value:
    """Return the angles `p` plus multiples of `period` (default: 2π), so that neighbours differ by at most `discont`.

    Neighbours are those along `axis`. `discont` defaults to, and is at least, half a period. The slope is 1. Raises
    Unsupported for a traced `discont` or `period`.
    """
    options = {} if period is None else {"period": plain(period)}
    if any(isinstance(option, Traced) for option in (discont, period)):
        raise unsupported("unwrap", "with a traced discont= or period=")
    bare = np.unwrap(plain(p), discont, axis, **options)
    return convert(p, bare.dtype) + (bare - plain(p))


# --- covariances ------------------------------------------------------------------------------------------------------


def _variables_as_rows(m: Array, rowvar: bool) -> Array:
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
    m: Array, /, y: Value | None = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None,
    fweights: Sequence[int] | None = None, aweights: Value | None = None, *, dtype: DTypeLike | None = None,
) -> Value:  # fmt: skip
    """Return the covariance matrix of the variables in rows (columns without `rowvar`) of m, then of y.

    For one variable it is a number. The divisor is the number of observations, or the sum of their weights, minus
    `ddof` (default: 0 with `bias`, else 1); with `aweights`, `ddof` is multiplied by their mean, weighted by the
    weights. The weights of the observations are `fweights` times `aweights`. All covariances are nan if the divisor is
    not positive. `dtype` is that of the result, as in `np.cov`. Raises the errors of `np.cov`, which is called first
    with plain values.
    """
    options = {"fweights": fweights, "aweights": aweights, "y": y}
    named = {key: plain(as_array(value)) for key, value in options.items() if value is not None}
    bare = np.asarray(np.cov(plain(m), rowvar=rowvar, bias=bias, ddof=ddof, dtype=dtype, **named))
    rows = _variables_as_rows(as_array(convert(m, bare.dtype)), rowvar)
    if y is not None:
        rows = np.concatenate([rows, _variables_as_rows(as_array(convert(as_array(y), bare.dtype)), rowvar)])
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


def corrcoef(x: Array, /, y: Value | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None) -> Value:
    """Return the correlation matrix of the variables in rows (columns without `rowvar`) of x, then of y.

    For one variable it is the number 1. Values beyond ±1 by rounding are set to ±1, with unchanged slopes. A variable
    without variance gives nan. `dtype` is that of the result.
    """
    correlations = cov(x, y, rowvar, dtype=dtype)
    if not shape(correlations):
        return correlations / correlations
    deviations = np.sqrt(np.diag(correlations).real)
    correlations = correlations / (np.reshape(deviations, (-1, 1)) * deviations)
    return correlations + (_within_one(plain(correlations)) - plain(correlations))


def _within_one(x: Doubles) -> Doubles:
    """Return the numbers, or real and imaginary parts, limited to the range from −1 to 1."""
    return np.clip(x.real, -1, 1) + 1j * np.clip(x.imag, -1, 1) if x.dtype.kind == "c" else np.clip(x, -1, 1)


# By NumPy's names; `trapz` is what NumPy 1 calls `trapezoid`.
_OF_ROWS: Mapping[str, Function] = {
    **by_name(convolve, correlate, interp, trapezoid, unwrap, cov, corrcoef), "trapz": trapezoid,
}  # fmt: skip


def _resize(x: Array, lengths: dict[int, int]) -> Array:
    """Return x cut off at the end, or extended with zeros there, along the axes that are keys of `lengths` (from 0), to
    the lengths that are its values.
    """
    for axis, length in lengths.items():
        present = shape(x)[axis]
        if present > length:
            x = layer(x, axis, slice(length))
        elif present < length:
            x = np.pad(x, [(0, length - present if k == axis else 0) for k in range(len(shape(x)))])
    return x


def _symmetric_transform(name: str) -> Differentiable:
    """Return NumPy's transform `fft.<name>` along several axes, which is its own transpose.

    Its keywords are NumPy's `axes` and `norm`.
    """
    transform = linear(
        f"fft.{name}", lambda x, axes, norm: getattr(np.fft, name)(x, axes=axes, norm=norm),
        lambda g, x, axes, norm: transform(g, axes=axes, norm=norm),
    )  # fmt: skip
    return transform


_FORWARD, _INVERSE = _symmetric_transform("fftn"), _symmetric_transform("ifftn")


def _half_back(g: Array, x: Array, axis: int, norm: str | None) -> Value:
    """Return the adjoint of the real array x for the adjoint `g` of its half transform along `axis`."""
    length = shape(x)[axis]
    return _FORWARD(_resize(g, {axis: length}), axes=(axis,), norm=norm).real


def _whole_back(g: Array, x: Array, axis: int, length: int, norm: str | None) -> Value:
    """Return the adjoint of the half spectrum x for the adjoint `g` of the real signal of this length along `axis`.

    It is the inverse transform of `g`, cut to the length of x, with weights; nothing is conjugated. `norm` is NumPy's
    name of the scaling. All frequencies count twice, for their conjugates, except the first, and the last one of an
    even length.
    """
    adjoint = layer(_INVERSE(g, axes=(axis,), norm=norm), axis, slice(shape(x)[axis]))
    weights = np.full(shape(x)[axis], 2.0)
    weights[0] = 1.0
    if length % 2 == 0 and len(weights) == length // 2 + 1:
        weights[-1] = 1.0
    return adjoint * along(axis, x, weights)


_HALF = linear("fft.rfft", lambda x, axis, norm: np.fft.rfft(x, axis=axis, norm=norm), _half_back)
_ENTIRE = linear("fft.irfft", lambda x, axis, length, norm: np.fft.irfft(x, length, axis=axis, norm=norm), _whole_back)


def _axes_and_lengths(x: Array, s: Lengths, axes: Sequence[int] | None) -> tuple[list[int], dict[int, int]]:
    """Return (the axes of a transform, from 0; {axis: length}) from NumPy's arguments `s` and `axes`.

    `axes` None means all axes, or with `s` the last len(s). Without `s` there are no lengths ({}). With it, each axis
    has a length, that of x where `s` has None or −1. Raises ValueError if `s` and `axes` differ in length, AxisError
    for an axis out of range.
    """
    count = len(shape(x))
    if axes is None:
        axes = range(count) if s is None else range(count - len(s), count)
    axes = places_of(axes, count)
    lengths = {} if s is None else dict(zip(axes, s, strict=True))
    return axes, {axis: shape(x)[axis] if length in (-1, None) else length for axis, length in lengths.items()}


def _complex_transform(kind: Differentiable) -> Transform:
    """Return the complex transform along any axes, by the linear map `kind` (forward or inverse).

    It takes `x`, the lengths `s` (x is cut or extended with zeros), `axes` and `norm` as NumPy's fftn does.
    """

    def transform(x: Array, /, s: Lengths = None, axes: Sequence[int] | None = None, norm: str | None = None) -> Value:
        axes, lengths = _axes_and_lengths(x, s, axes)
        return kind(_resize(x, lengths), axes=tuple(axes), norm=norm)

    return transform


def rfftn(x: Array, /, s: Lengths = None, axes: Sequence[int] | None = None, norm: str | None = None) -> Value:
    """Return the transform of real numbers, with half of the frequencies along the last of the axes."""
    axes, lengths = _axes_and_lengths(x, s, axes)
    half = _HALF(_resize(x, lengths), axis=axes[-1], norm=norm)
    return _FORWARD(half, axes=tuple(axes[:-1]), norm=norm) if axes[:-1] else half


def irfftn(x: Array, /, s: Lengths = None, axes: Sequence[int] | None = None, norm: str | None = None) -> Value:
    """Return the real signal of a spectrum x that has half of the frequencies along the last of `axes`.

    `s` has the lengths of the result along `axes`. The default is the length of x, but 2n − 2 along the last of `axes`
    for n frequencies; None or −1 in `s` means the length of x. x is cut or extended with zeros to match. `axes`
    defaults to all, or with `s` to the last len(s). `norm` is NumPy's name of the scaling.
    """
    axes, lengths = _axes_and_lengths(x, s, axes)
    last = axes[-1]
    length = lengths.pop(last, 2 * (shape(x)[last] - 1))
    x = _resize(x, {**lengths, last: length // 2 + 1})
    if axes[:-1]:
        x = _INVERSE(x, axes=tuple(axes[:-1]), norm=norm)
    return _ENTIRE(x, axis=last, length=length, norm=norm)


def _along_one(many: Transform) -> Transform:
    """Return the transform along one axis, with NumPy's parameters n and axis, by one along many."""

    def one(x: Value, /, n: int | None = None, axis: int = -1, norm: str | None = None) -> Value:
        return many(x, None if n is None else (n,), (axis,), norm)

    return one


def _along_two(many: Transform) -> Transform:
    """Return the transform along two axes, the last two by default."""

    def two(x: Value, /, s: Lengths = None, axes: Sequence[int] = (-2, -1), norm: str | None = None) -> Value:
        return many(x, s, axes, norm)

    return two


def _inverse_norm(norm: str | None) -> str | None:
    """Return the scale of the inverse transform for NumPy's `norm`."""
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)


# Transforms along several axes, by NumPy's name for one axis.
_TRANSFORMS: Mapping[str, Transform] = {
    "fft": _complex_transform(_FORWARD), "ifft": _complex_transform(_INVERSE), "rfft": rfftn, "irfft": irfftn,
}  # fmt: skip
# By NumPy's names; `hfft` is the real spectrum of a Hermitian-symmetric signal, of which half is given.
RULES: Mapping[str, Function] = {
    **_OF_ROWS,
    **{f"fft.{name}": _along_one(many) for name, many in _TRANSFORMS.items()},
    **{f"fft.{name}2": _along_two(many) for name, many in _TRANSFORMS.items()},
    **{f"fft.{name}n": many for name, many in _TRANSFORMS.items()},
    "fft.hfft": _along_one(lambda x, s, axes, norm: irfftn(np.conjugate(x), s, axes, _inverse_norm(norm))),
    "fft.ihfft": _along_one(lambda x, s, axes, norm: np.conjugate(rfftn(x, s, axes, _inverse_norm(norm)))),
}
