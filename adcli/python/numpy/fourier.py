"""Rules for Fourier transforms, all linear: the matrix of a transform is symmetric, so its transpose is itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...numbers.numpy_arrays import np
from ..core.evaluation import Differentiable, linear
from ..core.traced import shape
from .rearranging import along, layer

if TYPE_CHECKING:
    from typing import TypeAlias

    from ..core.traced import Array, Value

    # Lengths along the axes of a transform; None or −1 keeps that of the array.
    Lengths: TypeAlias = Sequence[int | None] | None
    # A transform along several axes, called with (array, lengths, axes, norm).
    Transform: TypeAlias = Callable[..., Value]


def _resize(x: Array, lengths: dict[int, int]) -> Array:
    """Return the array cut off, or extended with zeros at the end, to the length for each axis (from 0) in
    `lengths`.
    """
    for axis, length in lengths.items():
        present = shape(x)[axis]
        if present > length:
            x = layer(x, axis, slice(length))
        elif present < length:
            x = np.pad(x, [(0, length - present if k == axis else 0) for k in range(len(shape(x)))])
    return x


def _symmetric(name: str) -> Differentiable:
    """Return NumPy's transform `fft.<name>` along several axes, which is its own transpose."""
    transform = linear(
        f"fft.{name}", lambda x, axes, norm: getattr(np.fft, name)(x, axes=axes, norm=norm),
        lambda g, x, axes, norm: transform(g, axes=axes, norm=norm),
    )  # fmt: skip
    return transform


_FORWARD, _INVERSE = _symmetric("fftn"), _symmetric("ifftn")


def _half_back(g: Array, x: Array, axis: int, norm: str | None) -> Value:
    """Return the adjoint of the real array x for the adjoint `g` of its half transform along `axis`."""
    length = shape(x)[axis]
    return _FORWARD(_resize(g, {axis: length}), axes=(axis,), norm=norm).real


def _whole_back(g: Array, x: Array, axis: int, length: int, norm: str | None) -> Value:
    """Return the adjoint of the half spectrum x for the adjoint `g` of the real signal of this length along `axis`.

    `norm` is NumPy's name of the scaling. All frequencies count twice, for their conjugates, except the first, and the
    last one of an even length.
    """
    adjoint = layer(_INVERSE(g, axes=(axis,), norm=norm), axis, slice(shape(x)[axis]))
    weights = np.full(shape(x)[axis], 2.0)
    weights[0] = 1.0
    if length % 2 == 0 and len(weights) == length // 2 + 1:
        weights[-1] = 1.0
    return adjoint * along(axis, x, weights)


_HALF = linear("fft.rfft", lambda x, axis, norm: np.fft.rfft(x, axis=axis, norm=norm), _half_back)
_WHOLE = linear("fft.irfft", lambda x, axis, length, norm: np.fft.irfft(x, length, axis=axis, norm=norm), _whole_back)


def _axes_and_lengths(x: Array, s: Lengths, axes: Sequence[int] | None) -> tuple[list[int], dict[int, int]]:
    """Return (the axes of a transform, from 0, the requested length by axis) from NumPy's arguments `s` and `axes`.

    Without axes they are all axes, or the last len(s); {} without `s`. A length of None or −1 keeps that of x. Raises
    ValueError if `s` and `axes` differ in length.
    """
    count = len(shape(x))
    if axes is None:
        axes = range(count) if s is None else range(count - len(s), count)
    axes = [axis % count for axis in axes]
    lengths = {} if s is None else dict(zip(axes, s, strict=True))
    return axes, {axis: shape(x)[axis] if length in (-1, None) else length for axis, length in lengths.items()}


def _complex(kind: Differentiable) -> Transform:
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
    """Return the real signal of a spectrum that has half of the frequencies along the last of the axes.

    `s` has the lengths of the result along `axes` (default: those of x; of the last: 2n − 2 for n frequencies); x is
    cut or extended with zeros to match. `axes` defaults to all, or the last len(s); `norm` is NumPy's name of the
    scaling.
    """
    axes, lengths = _axes_and_lengths(x, s, axes)
    last = axes[-1]
    length = lengths.pop(last, 2 * (shape(x)[last] - 1))
    x = _resize(x, {**lengths, last: length // 2 + 1})
    if axes[:-1]:
        x = _INVERSE(x, axes=tuple(axes[:-1]), norm=norm)
    return _WHOLE(x, axis=last, length=length, norm=norm)


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
    "fft": _complex(_FORWARD), "ifft": _complex(_INVERSE), "rfft": rfftn, "irfft": irfftn,
}  # fmt: skip
# By NumPy's names; `hfft` is the real spectrum of a Hermitian-symmetric signal, of which half is given.
RULES: Mapping[str, Transform] = {
    **{f"fft.{name}": _along_one(many) for name, many in _TRANSFORMS.items()},
    **{f"fft.{name}2": _along_two(many) for name, many in _TRANSFORMS.items()},
    **{f"fft.{name}n": many for name, many in _TRANSFORMS.items()},
    "fft.hfft": _along_one(lambda x, s, axes, norm: irfftn(np.conjugate(x), s, axes, _inverse_norm(norm))),
    "fft.ihfft": _along_one(lambda x, s, axes, norm: np.conjugate(rfftn(x, s, axes, _inverse_norm(norm)))),
}
