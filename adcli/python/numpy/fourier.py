"""Rules for Fourier transforms, all linear: the matrix of a transform is symmetric, so its transpose is itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...numbers.numpy_arrays import np
from ..core.array_parts import getitem
from ..core.evaluation import Differentiable, linear
from ..core.traced import as_array, shape

if TYPE_CHECKING:
    from ..core.traced import Array, Value


def _resized(x: Array, lengths: dict[int, int]) -> Array:
    """The array cut off, or continued with zeros, to lengths along axes."""
    for axis, length in lengths.items():
        have = shape(x)[axis]
        if have > length:
            x = getitem(x, (*[slice(None)] * axis, slice(length)))
        elif have < length:
            x = np.pad(x, [(0, length - have if k == axis else 0) for k in range(len(shape(x)))])
    return x


_FORWARD: Differentiable = linear(
    "fft.fftn",
    lambda x, axes, norm: np.fft.fftn(x, axes=axes, norm=norm),
    lambda g, x, axes, norm: _FORWARD(g, axes=axes, norm=norm),
)
_INVERSE: Differentiable = linear(
    "fft.ifftn",
    lambda x, axes, norm: np.fft.ifftn(x, axes=axes, norm=norm),
    lambda g, x, axes, norm: _INVERSE(g, axes=axes, norm=norm),
)


def _half_back(g: Array, x: Array, axis: int, norm: str | None) -> Value:
    length = shape(x)[axis]
    return _FORWARD(_resized(g, {axis: length}), axes=(axis,), norm=norm).real


def _whole_back(g: Array, x: Array, axis: int, length: int, norm: str | None) -> Value:
    """Each frequency but the first, and the last of an even number, stands for its conjugate too."""
    share = _INVERSE(g, axes=(axis,), norm=norm)
    share = getitem(share, (*[slice(None)] * axis, slice(shape(x)[axis])))
    twice = np.full(shape(x)[axis], 2.0)
    twice[0] = 1.0
    if length % 2 == 0 and len(twice) == length // 2 + 1:
        twice[-1] = 1.0
    return share * np.reshape(twice, [-1 if k == axis else 1 for k in range(len(shape(x)))])


_HALF = linear("fft.rfft", lambda x, axis, norm: np.fft.rfft(x, axis=axis, norm=norm), _half_back)
_WHOLE = linear("fft.irfft", lambda x, axis, length, norm: np.fft.irfft(x, length, axis=axis, norm=norm), _whole_back)


def _planned(x: Array, s: Sequence[int | None] | None, axes: Sequence[int] | None) -> tuple[list[int], dict[int, int]]:
    """The axes of a transform, from the front, and the lengths that were asked for."""
    count = len(shape(x))
    if axes is None:
        axes = range(count) if s is None else range(count - len(s), count)
    axes = [axis % count for axis in axes]
    lengths = {} if s is None else dict(zip(axes, s, strict=True))
    return axes, {axis: shape(x)[axis] if length in (-1, None) else length for axis, length in lengths.items()}


def _complex(kind: Differentiable) -> Callable[..., Value]:
    """The complex transform along any axes."""

    def transformed(
        x: Value, /, s: Sequence[int | None] | None = None, axes: Sequence[int] | None = None, norm: str | None = None
    ) -> Value:
        x = as_array(x)
        axes, lengths = _planned(x, s, axes)
        return kind(_resized(x, lengths), axes=tuple(axes), norm=norm)

    return transformed


def rfftn(
    x: Value, /, s: Sequence[int | None] | None = None, axes: Sequence[int] | None = None, norm: str | None = None
) -> Value:
    """The transform of real numbers, half of the frequencies along the last axis."""
    x = as_array(x)
    axes, lengths = _planned(x, s, axes)
    half = _HALF(_resized(x, lengths), axis=axes[-1], norm=norm)
    return _FORWARD(half, axes=tuple(axes[:-1]), norm=norm) if axes[:-1] else half


def irfftn(
    x: Value, /, s: Sequence[int | None] | None = None, axes: Sequence[int] | None = None, norm: str | None = None
) -> Value:
    """The real numbers that half of their frequencies stand for."""
    x = as_array(x)
    axes, lengths = _planned(x, s, axes)
    last = axes[-1]
    length = lengths.pop(last, 2 * (shape(x)[last] - 1))
    x = _resized(x, {**lengths, last: length // 2 + 1})
    if axes[:-1]:
        x = _INVERSE(x, axes=tuple(axes[:-1]), norm=norm)
    return _WHOLE(x, axis=last, length=length, norm=norm)


def along_one(many: Callable[..., Value]) -> Callable[..., Value]:
    """The transform along one axis, in NumPy's way of asking for it."""

    def one(x: Value, /, n: int | None = None, axis: int = -1, norm: str | None = None) -> Value:
        return many(x, None if n is None else (n,), (axis,), norm)

    return one


def along_two(many: Callable[..., Value]) -> Callable[..., Value]:
    """The transform along the last two axes, unless others are named."""

    def two(
        x: Value, /, s: Sequence[int | None] | None = None, axes: Sequence[int] = (-2, -1), norm: str | None = None
    ) -> Value:
        return many(x, s, axes, norm)

    return two


def _turned(norm: str | None) -> str | None:
    """The scale of the transform in the other direction."""
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)


def hfft(x: Value, /, n: int | None = None, axis: int = -1, norm: str | None = None) -> Value:
    """The real frequencies of a signal that is conjugate to its mirror image, given by half of it."""
    return irfftn(np.conjugate(x), None if n is None else (n,), (axis,), _turned(norm))


def ihfft(x: Value, /, n: int | None = None, axis: int = -1, norm: str | None = None) -> Value:
    """Half of the signal that has these real frequencies."""
    return np.conjugate(rfftn(x, None if n is None else (n,), (axis,), _turned(norm)))


def handlers() -> dict[str, Callable[..., Value]]:
    """The transforms by NumPy's names."""
    found: dict[str, Callable[..., Value]] = {"fft.hfft": hfft, "fft.ihfft": ihfft}
    for name, many in (
        ("fft", _complex(_FORWARD)), ("ifft", _complex(_INVERSE)), ("rfft", rfftn), ("irfft", irfftn),
    ):  # fmt: skip
        found |= {f"fft.{name}": along_one(many), f"fft.{name}2": along_two(many), f"fft.{name}n": many}
    return found
