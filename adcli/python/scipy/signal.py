"""Stand-ins for `scipy.signal` with traced values: convolution, also along chosen axes only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ...errors import RequestError, unknown
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING, Final
from ..core.array_parts import fit, getitem
from ..core.evaluation import multilinear
from ..core.traced import Array, Value, as_array, shape
from ..core.unsupported import unsupported
from .stand_ins import has_traced, library, stand_in

if TYPE_CHECKING:
    from ..core.containers import Tree

    # The axes of one array in three groups: those that are convolved, those that are summed over, the others.
    Parts = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    Pair = tuple[Parts, Parts]


def _full_convolution(a: Array, b: Array, *, pair: Pair) -> Array:
    """Return the full convolution over the convolved axes.

    The axes of the result are the other axes of a, those of b, and the convolved ones. `pair` has for a and for b the
    axes (convolved, summed, remaining); products are summed over the second group.
    """
    (conv_a, dot_a, rest_a), (conv_b, dot_b, rest_b) = pair
    if not (dot_a or rest_a or rest_b):
        return library("signal").convolve(np.transpose(a, conv_a), np.transpose(b, conv_b))
    sizes = [b.shape[k] for k in conv_b]
    padding = [(0, 0)] * a.ndim
    for k, size in zip(conv_a, sizes, strict=True):
        padding[k] = (size - 1, size - 1)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(a, padding), sizes, axis=conv_a) if conv_a else a
    inner = tuple(range(a.ndim, a.ndim + len(conv_a)))
    flipped = np.flip(b, conv_b) if conv_b else b
    products = np.tensordot(windows, flipped, ((*dot_a, *inner), (*dot_b, *conv_b)))
    # The axes of `products`: the remaining axes of a, in their order, then the other axes of b.
    left = [k for k in range(a.ndim) if k not in dot_a]
    after = range(len(left), len(left) + len(rest_b))
    return np.transpose(products, [*[left.index(k) for k in rest_a], *after, *[left.index(k) for k in conv_a]])


def _pull_factor(g: Array, other: Array, like: Array, axes: Parts, axes_of_other: Parts, position: int) -> Value | None:
    """Return the adjoint of one of the two convolved arrays, `like`, in its shape; never None.

    It is the convolution of `g`, the adjoint of the result, with the flipped `other` array. `axes` and `axes_of_other`
    are the axes (convolved, summed, remaining) of `like` and of `other`. `position` is 0 if `like` is the first array.
    """
    conv, dot, rest = axes
    conv_other, dot_other, rest_other = axes_of_other
    count = len(rest) + len(rest_other)
    # In the result the other axes of the first array come before those of the second.
    own_axes = tuple(range(len(rest))) if position == 0 else tuple(range(len(rest_other), count))
    others = tuple(k for k in range(count) if k not in own_axes)
    moving = tuple(range(count, count + len(conv)))
    flipped = np.flip(other, conv_other) if conv_other else other
    whole = _FULL(g, flipped, pair=((moving, others, own_axes), (conv_other, rest_other, dot_other)))
    # The axes of `whole`: the other axes of this array, those summed over, those convolved.
    start = len(rest) + len(dot)
    cut = [slice(None)] * start
    for k, k_other in zip(conv, conv_other, strict=True):
        low = shape(other)[k_other] - 1
        cut.append(slice(low, low + shape(like)[k]))
    places = (*rest, *dot, *conv)
    return fit(np.transpose(getitem(whole, tuple(cut)), [places.index(k) for k in range(len(places))]), like)


def _full_pull(k: int, g: Array, z: Array, a: Array, b: Array, *, pair: Pair) -> Value | None:
    return _pull_factor(g, (b, a)[k], (a, b)[k], pair[k], pair[1 - k], k)


_FULL: Final = multilinear("signal.convolve", _full_convolution, _full_pull)


def _parts(dimensions: int, conv: Sequence[int] | None, dot: Sequence[int]) -> Parts:
    """Return the three groups of axes, from 0, of an array with that number of dimensions; conv None means all axes."""
    conv = range(dimensions) if conv is None else [k % dimensions for k in conv]
    dot = [k % dimensions for k in dot]
    rest = tuple(k for k in range(dimensions) if k not in conv and k not in dot)
    return tuple(conv), tuple(dot), rest


def convolve(
    in1: Array, in2: Array, mode: str = "full", method: str = "auto", *,
    axes: Sequence[Sequence[int]] | None = None, dot_axes: Sequence[Sequence[int]] | None = None,
) -> Value:  # fmt: skip
    """Return `scipy.signal.convolve(in1, in2, mode)`, along chosen pairs of axes only if `axes` or `dot_axes` is given.

    `axes` has two lists, the axes of each array that are convolved, in pairs (None: all; ValueError with `dot_axes`).
    `dot_axes` has two lists of axes that are multiplied and summed over. The result has the remaining axes of the first
    array, those of the second, and the convolved ones. `mode` is "full", "same" (the size of in1) or "valid". Without
    `axes`, `dot_axes` and traced arrays SciPy's function is called, with its errors; `method` is used only there.
    Otherwise RequestError is raised for another mode and for arrays whose axes do not fit.
    """
    if axes is None and dot_axes is None and not has_traced(in1, in2):
        return library("signal").convolve(in1, in2, mode, method)
    a, b = as_array(in1), as_array(in2)
    conv, dot = axes or (None, None), dot_axes or ((), ())
    axes_a, axes_b = _parts(len(shape(a)), conv[0], dot[0]), _parts(len(shape(b)), conv[1], dot[1])
    if (len(axes_a[0]), len(axes_a[1])) != (len(axes_b[0]), len(axes_b[1])):
        raise RequestError(
            "a convolution needs two arrays with the same number of axes", help="check axes and dot_axes"
        )
    sizes = [(shape(a)[j], shape(b)[k]) for j, k in zip(axes_a[0], axes_b[0], strict=True)]
    cut = [slice(None)] * (len(axes_a[2]) + len(axes_b[2])) + _slices_of_mode(mode, sizes)
    return getitem(_FULL(a, b, pair=(axes_a, axes_b)), tuple(cut))


def _slices_of_mode(mode: str, sizes: Sequence[tuple[int, int]]) -> list[slice]:
    """Return the slice of each convolved axis that the mode keeps.

    `sizes` are pairs of lengths (first array, second array), one for each axis. "full" keeps all, "same" the middle
    part with the length of the first array, "valid" the part without padding. Raises RequestError for another mode, or
    if in "valid" neither array is at least as long along every axis.
    """
    if mode == "full":
        return [slice(None)] * len(sizes)
    if mode == "same":
        return [slice((n - 1) // 2, (n - 1) // 2 + m) for m, n in sizes]
    if mode != "valid":
        raise unknown("mode", repr(mode), "the modes are full, same and valid")
    if any(m < n for m, n in sizes) and any(m > n for m, n in sizes):
        title = 'with mode="valid" one array must be at least as long as the other along every axis'
        raise RequestError(
            title, label=f"the lengths along each axis are {', '.join(f'{m} and {n}' for m, n in sizes)}"
        )
    return [slice(min(m, n) - 1, max(m, n)) for m, n in sizes]


def _correlate(in1: Array, in2: Array, /, mode: str = "full", method: str = "auto") -> Value:
    return convolve(in1, np.conjugate(np.flip(as_array(in2))), mode)


def _convolve2d(in1: Array, in2: Array, /, mode: str = "full", boundary: str = "fill", fillvalue: float = 0) -> Value:
    """Return the convolution of two arrays along all axes. Raises Unsupported unless the boundary is filled with 0."""
    if boundary != "fill" or fillvalue:
        raise unsupported("scipy.signal.convolve2d", "with a boundary")
    return convolve(in1, in2, mode)


def _correlate2d(in1: Array, in2: Array, /, mode: str = "full", boundary: str = "fill", fillvalue: float = 0) -> Value:
    return _convolve2d(in1, np.conjugate(np.flip(as_array(in2))), mode, boundary, fillvalue)


RULES: Final[Mapping[str, Callable[..., Tree]]] = MappingProxyType({
    "fftconvolve": lambda in1, in2, /, mode="full": convolve(in1, in2, mode),
    "oaconvolve": lambda in1, in2, /, mode="full": convolve(in1, in2, mode),
    "correlate": _correlate, "convolve2d": _convolve2d, "correlate2d": _correlate2d,
})  # fmt: skip


def __getattr__(name: str) -> Callable[..., Tree]:
    return stand_in("signal", name, RULES)
