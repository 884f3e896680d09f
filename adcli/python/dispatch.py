"""What NumPy's functions are for traced values: rules and compositions for those that are not elementwise.

NumPy asks through its own protocols, so there is no module of wrapped functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ..graph.overloading import plain
from ..numbers.arrays import np
from . import complexes, contractions, linear, matrices, reductions
from . import fourier as spectra
from .calls import Handler, Honouring
from .linear import as_array, joined, rearranged, unsupported
from .names import JOINING, PLAIN, REARRANGING
from .traced import MIXED, Traced, number
from .values import shape

# What NumPy would do with an array besides choosing its elements, or besides answering a question.
_BEYOND = frozenset(("out", "dtype", "casting"))
_IN_PLACE = frozenset(("out",))


def function(called: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """A function of NumPy that is not elementwise."""
    return _honouring(called)(arguments, keywords)


@cache
def _honouring(called: Any) -> Honouring:
    module = (called.__module__ or "").removeprefix("numpy").removeprefix(".")
    name = f"{module}.{called.__name__}" if module else called.__name__
    handler = handlers().get(name)
    if handler is None:
        raise unsupported(name)
    return Honouring(name, called, handler, _IN_PLACE if name in PLAIN else _BEYOND)


def _clip(x: Any, /, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    low, high = a_min if min is None else min, a_max if max is None else max
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _select(conditions: Sequence[Any], choices: Sequence[Any], default: Any = 0, /) -> Any:
    found = default
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        found = np.where(plain(condition), choice, found)
    return found


def _pad(
    x: Any, /, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0, reflect_type: str = "even"
) -> Any:
    if callable(mode) or mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise unsupported("pad", f"in mode {mode!r}")
    if reflect_type != "even":
        raise unsupported("pad", "with reflect_type=")
    padded = rearranged(np.pad)(x, pad_width, mode)
    if mode != "constant" or not np.any(plain(constant_values)):
        return padded
    if isinstance(constant_values, Traced):
        raise unsupported("pad", "with traced constant_values=")
    return padded + np.pad(np.zeros(shape(x)), pad_width, mode, constant_values=constant_values)


def _append(x: Any, values: Any, /, axis: Any = None) -> Any:
    if axis is None:
        x, values = np.ravel(as_array(x)), np.ravel(as_array(values))
    return np.concatenate([as_array(x), as_array(values)], 0 if axis is None else axis)


def _cross(a: Any, b: Any, /, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(as_array(a), axisa, 0), np.moveaxis(as_array(b), axisb, 0)
    if len(a) != 3 or len(b) != 3:
        raise unsupported("cross", "of other than three dimensions")
    parts = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.moveaxis(np.stack(parts), 0, axisc)


def _order(name: str, x: Any, order: str) -> str:
    """By rows or by columns, where it is asked for what the memory has."""
    if order in ("A", "K"):
        bare = np.asarray(plain(x))
        order = "C" if bare.flags.c_contiguous else "F" if bare.flags.f_contiguous else order
    if order == "K":
        raise unsupported(name, "with order='K' of an array that is spread in memory")
    return "C" if order == "A" else order


def _ravel(x: Any, /, order: str = "C") -> Any:
    return np.reshape(x, (-1,), order=_order("ravel", x, order))


def _reshape(x: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    if copy is False:
        raise unsupported("reshape", "with copy=")
    x = as_array(x)
    return linear.RESHAPE(x, to=shape if newshape is None else newshape, order=_order("reshape", x, order))


def _squeeze(x: Any, /, axis: Any = None) -> Any:
    gone = None if axis is None else {a % len(shape(x)) for a in (axis if isinstance(axis, tuple) else (axis,))}
    return np.reshape(x, [n for k, n in enumerate(shape(x)) if (n != 1 if gone is None else k not in gone)])


def _expand_dims(x: Any, /, axis: Any) -> Any:
    return np.reshape(x, np.expand_dims(np.empty(shape(x)), axis).shape)


def _moved(of: str) -> Handler:
    """A function that moves axes, as the permutation that it makes of their numbers."""

    def move(x: Any, *arguments: Any, **keywords: Any) -> Any:
        lengths = range(2, 2 + len(shape(x)))
        moved = getattr(np, of)(np.broadcast_to(0, tuple(lengths)), *arguments, **keywords).shape
        return linear.TRANSPOSE(x, axes=tuple(n - 2 for n in moved))

    return move


def _transpose(x: Any, /, axes: Any = None) -> Any:
    x = as_array(x)
    return linear.TRANSPOSE(x, axes=None if axes is None else tuple(axes))


def _real_if_close(x: Any, /, tol: float = 100) -> Any:
    return complexes.real(x) if np.isrealobj(np.real_if_close(plain(x), tol)) else x


def _nan_to_num(x: Any, /, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    if not copy:
        raise unsupported("nan_to_num", "with copy=")
    return np.where(np.isfinite(plain(x)), x, np.nan_to_num(plain(x), nan=nan, posinf=posinf, neginf=neginf))


def _sinc(x: Any, /) -> Any:
    at_zero = plain(x) == 0
    if shape(x):
        y = np.where(at_zero, 1.0, x) * MIXED.pi
        return np.where(at_zero, 1.0, np.sin(y) / y)
    y = x * MIXED.pi
    return 1 - y * y / 6 if at_zero else np.sin(y) / y


def _linspace(
    start: Any, stop: Any, /, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0,
) -> Any:  # fmt: skip
    start, stop = as_array(start), as_array(stop)
    shares, step = np.linspace(0.0, 1.0, num, endpoint, retstep=True)
    share = np.reshape(shares, (-1, *(1,) * max(len(shape(start)), len(shape(stop)))))
    found = linear.typed("linspace", as_array(start * (1 - share) + stop * share), dtype)
    found = np.moveaxis(found, 0, axis) if axis else found
    return (found, (stop - start) * step) if retstep else found


def _full_like(x: Any, fill: Any, /, dtype: Any = None, order: str = "K", shape: Any = None) -> Any:
    to = np.shape(plain(x)) if shape is None else shape
    return linear.cast(np.broadcast_to(fill, to), np.asarray(plain(x)).dtype if dtype is None else dtype)


def _broadcast_to(x: Any, /, shape: Any) -> Any:
    return linear.BROADCAST(as_array(x), to=shape)


def _size(x: Any, /, axis: Any = None) -> int:
    return int(np.size(plain(x), axis))


def _atleast(of: str) -> Handler:
    """One array, or each of several, with as many axes at least."""
    one = rearranged(getattr(np, of))
    return lambda *arrays: one(arrays[0]) if len(arrays) == 1 else tuple(map(one, arrays))


def _angle(x: Any, /, deg: bool = False) -> Any:
    found = complexes.angle(x)
    return found * (180 / MIXED.pi) if deg else found


def stacked(objects: Any) -> Any:
    """An array of objects, some of them traced numbers, as one traced array."""
    parts = [number(part) for part in objects.ravel()]
    if not any(isinstance(part, Traced) for part in parts):
        return np.array(parts).reshape(objects.shape)
    if not objects.ndim:
        return parts[0]
    return np.reshape(linear.STACK(*parts, axis=0), objects.shape)


def _plainly(name: str) -> Handler:
    target = np
    for part in name.split("."):
        target = getattr(target, part)
    return lambda *arguments, **keywords: target(
        *[[plain(x) for x in a] if isinstance(a, (list, tuple)) else plain(a) for a in arguments],
        **{key: plain(value) for key, value in keywords.items()},
    )


@cache
def handlers() -> dict[str, Handler]:
    """All functions that are not elementwise, by NumPy's name."""
    found: dict[str, Handler] = {
        "sum": reductions.total, "mean": reductions.mean, "var": reductions.var, "std": reductions.std,
        "prod": reductions.prod, "max": reductions.largest, "amax": reductions.largest, "min": reductions.smallest,
        "amin": reductions.smallest, "ptp": reductions.ptp, "cumsum": reductions.cumsum,
        "cumprod": reductions.cumprod, "trace": reductions.trace, "sort": reductions.sort, "diff": reductions.diff,
        "partition": reductions.partition, "gradient": reductions.gradient, "average": reductions.average,
        "where": linear.where, "concatenate": linear.concatenate, "stack": linear.stack,
        "broadcast_to": _broadcast_to, "atleast_1d": _atleast("atleast_1d"), "atleast_2d": _atleast("atleast_2d"),
        "atleast_3d": _atleast("atleast_3d"),
        "reshape": _reshape, "ravel": _ravel, "transpose": _transpose, "squeeze": _squeeze,
        "expand_dims": _expand_dims, "swapaxes": _moved("swapaxes"), "moveaxis": _moved("moveaxis"),
        "dot": contractions.dot, "inner": contractions.inner, "outer": contractions.outer, "vdot": contractions.vdot,
        "tensordot": contractions.tensordot, "kron": contractions.kron, "einsum": contractions.einsum,
        "clip": _clip, "select": _select, "pad": _pad, "append": _append, "cross": _cross,
        "real": lambda x, /: complexes.real(x), "imag": lambda x, /: complexes.imag(x),
        "angle": _angle, "real_if_close": _real_if_close,
        "nan_to_num": _nan_to_num, "sinc": _sinc, "size": _size, "linspace": _linspace,
        "linalg.inv": matrices.inv, "linalg.solve": matrices.solve, "linalg.det": matrices.det,
        "linalg.slogdet": matrices.slogdet, "linalg.cholesky": matrices.cholesky, "linalg.pinv": matrices.pinv,
        "linalg.eig": matrices.eig, "linalg.eigh": matrices.eigh, "linalg.eigvalsh": matrices.eigvalsh,
        "linalg.svd": matrices.svd, "full_like": _full_like,
        "linalg.norm": matrices.norm, "linalg.matrix_power": matrices.matrix_power,
    }  # fmt: skip
    found |= {name: rearranged(getattr(np, name)) for name in REARRANGING}
    found |= {name: joined(getattr(np, name)) for name in JOINING if hasattr(np, name)}
    found |= spectra.handlers()
    found |= {f"fft.{name}": rearranged(getattr(np.fft, name)) for name in ("fftshift", "ifftshift")}
    for name in PLAIN:
        found.setdefault(name, lambda *a, _name=name, **k: _plainly(_name)(*a, **k))
    return found
