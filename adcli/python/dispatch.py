"""What NumPy's functions are for traced values: the table for elementwise ones, rules and compositions for the rest.

NumPy asks through its own protocols, so there is no module of wrapped functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ..calculus.arrays import np
from ..calculus.overloading import plain
from ..calculus.primitive import ROWS, Primitive, lookup
from . import complexes, contractions, linear, matrices, reductions, spectra
from .kinds import shape
from .linear import as_array, joined, rearranged, unsupported
from .names import IN_THE_TABLE, JOINING, PLAIN, REARRANGING
from .traced import MIXED, Traced, apply, number

Handler = Callable[..., Any]

# Those that are written with functions of the table.
_WRITTEN: Mapping[str, Handler] = {
    "positive": lambda x: x,
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "exp2": lambda x: MIXED.pow(2.0, x),
    "logaddexp": lambda a, b: a + MIXED.softplus(b - a),
    "logaddexp2": lambda a, b: a + MIXED.softplus((b - a) * np.log(2.0)) / np.log(2.0),
    "deg2rad": lambda x: x * (MIXED.pi / 180),
    "radians": lambda x: x * (MIXED.pi / 180),
    "rad2deg": lambda x: x * (180 / MIXED.pi),
    "degrees": lambda x: x * (180 / MIXED.pi),
    "copysign": lambda a, b: abs(a) * np.copysign(1.0, plain(b)),
    "floor_divide": lambda a, b: np.floor(a / b),
    "conjugate": complexes.conj,
    "matmul": contractions.matmul,
    "xlogy": lambda x, y: np.where(plain(x) == 0, 0.0, x * np.log(np.where(plain(x) == 0, 1.0, y))),
}


@cache
def _row(name: str) -> Primitive | None:
    return ROWS.get(IN_THE_TABLE.get(name, "")) or lookup(name)


def ufunc(function: Any, method: str, inputs: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """An elementwise function of NumPy (or SciPy), or a reduction by one."""
    name = function.__name__
    if method != "__call__":
        return _method(name, method, inputs, keywords)
    if any(not isinstance(x, (Traced, np.ndarray)) and hasattr(type(x), "__array_ufunc__") for x in inputs
           if not isinstance(x, np.generic)):  # fmt: skip
        return NotImplemented
    _refuse(name, keywords)
    given = tuple([as_array(x) if isinstance(x, (list, tuple)) else x for x in inputs])
    if name in PLAIN:
        return function(*map(plain, given))
    written = _WRITTEN.get(name)
    if written is not None:
        return written(*given)
    row = _row(name)
    if row is None or not row.accepts(len(given)):
        raise unsupported(name)
    return apply(row, given)


def _method(name: str, method: str, inputs: Sequence[Any], keywords: dict[str, Any]) -> Any:
    known: dict[tuple[str, str], Handler] = {
        ("add", "reduce"): reductions.total, ("multiply", "reduce"): reductions.prod,
        ("maximum", "reduce"): reductions.largest, ("minimum", "reduce"): reductions.smallest,
        ("add", "accumulate"): reductions.cumsum, ("multiply", "accumulate"): reductions.cumprod,
        ("multiply", "outer"): contractions.outer,
    }  # fmt: skip
    found = known.get((name, method))
    if found is None:
        raise unsupported(f"{name}.{method}")
    if method in ("reduce", "accumulate") and len(inputs) == 1:
        keywords.setdefault("axis", 0)
    _refuse(f"{name}.{method}", keywords)
    return found(*inputs, **keywords)


def _refuse(name: str, keywords: Mapping[str, Any]) -> None:
    """Raises Unsupported for the options that would change what a function is."""
    for key, neutral in (("out", None), ("initial", None), ("where", True)):
        given = keywords.get(key, neutral)
        if given is not neutral and given is not np._NoValue:
            raise unsupported(name, f"with {key}=")


def function(called: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """A function of NumPy that is not elementwise."""
    module = (called.__module__ or "").removeprefix("numpy").removeprefix(".")
    name = f"{module}.{called.__name__}" if module else called.__name__
    handler = _handlers().get(name)
    if handler is None:
        raise unsupported(name)
    _refuse(name, keywords)
    return handler(*arguments, **keywords)


def _clip(x: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **keywords: Any) -> Any:
    low, high = keywords.get("min", a_min), keywords.get("max", a_max)
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _select(conditions: Sequence[Any], choices: Sequence[Any], default: Any = 0) -> Any:
    found = default
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        found = np.where(plain(condition), choice, found)
    return found


def _pad(x: Any, pad_width: Any, mode: Any = "constant", **keywords: Any) -> Any:
    if callable(mode) or mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise unsupported("pad", f"in mode {mode!r}")
    if np.any(plain(keywords.get("constant_values", 0))):
        raise unsupported("pad", "with constant values")
    return rearranged(np.pad)(x, pad_width, mode, **keywords)


def _append(x: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        x, values = np.ravel(as_array(x)), np.ravel(as_array(values))
    return np.concatenate([as_array(x), as_array(values)], 0 if axis is None else axis)


def _cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(as_array(a), axisa, 0), np.moveaxis(as_array(b), axisb, 0)
    if len(a) != 3 or len(b) != 3:
        raise unsupported("cross", "of other than three dimensions")
    parts = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.moveaxis(np.stack(parts), 0, axisc)


def _ravel(x: Any, order: str = "C") -> Any:
    return np.reshape(x, (-1,), order=order)


def _reshape(x: Any, shape: Any = None, order: str = "C", **keywords: Any) -> Any:
    to = keywords.get("newshape", shape)
    return linear.RESHAPE(as_array(x), to=to, order=order)


def _squeeze(x: Any, axis: Any = None) -> Any:
    gone = None if axis is None else {a % len(shape(x)) for a in (axis if isinstance(axis, tuple) else (axis,))}
    return np.reshape(x, [n for k, n in enumerate(shape(x)) if (n != 1 if gone is None else k not in gone)])


def _expand_dims(x: Any, axis: Any) -> Any:
    return np.reshape(x, np.expand_dims(np.empty(shape(x)), axis).shape)


def _moved(of: str) -> Handler:
    """A function that moves axes, as the permutation that it makes of their numbers."""

    def move(x: Any, *arguments: Any, **keywords: Any) -> Any:
        lengths = range(2, 2 + len(shape(x)))
        moved = getattr(np, of)(np.broadcast_to(0, tuple(lengths)), *arguments, **keywords).shape
        return linear.TRANSPOSE(x, axes=tuple(n - 2 for n in moved))

    return move


def _transpose(x: Any, axes: Any = None) -> Any:
    x = as_array(x)
    return linear.TRANSPOSE(x, axes=None if axes is None else tuple(axes))


def _real_if_close(x: Any, tol: float = 100) -> Any:
    return complexes.real(x) if np.isrealobj(np.real_if_close(plain(x), tol)) else x


def _nan_to_num(x: Any, **keywords: Any) -> Any:
    return np.where(np.isfinite(plain(x)), x, np.nan_to_num(plain(x), **keywords))


def _sinc(x: Any) -> Any:
    at_zero = plain(x) == 0
    if shape(x):
        y = np.where(at_zero, 1.0, x) * MIXED.pi
        return np.where(at_zero, 1.0, np.sin(y) / y)
    y = x * MIXED.pi
    return 1 - y * y / 6 if at_zero else np.sin(y) / y


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, **_: Any) -> Any:
    share = np.reshape(np.linspace(0.0, 1.0, num, endpoint), (-1, *(1,) * max(len(shape(start)), len(shape(stop)))))
    return start * (1 - share) + stop * share


def _full_like(x: Any, fill: Any, **_: Any) -> Any:
    return np.broadcast_to(fill, shape(x))


def _size(x: Any, axis: Any = None) -> int:
    return int(np.size(plain(x), axis))


def _angle(x: Any, deg: bool = False) -> Any:
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
def _handlers() -> dict[str, Handler]:
    """All functions that are not elementwise, by NumPy's name."""
    found: dict[str, Handler] = {
        "sum": reductions.total, "mean": reductions.mean, "var": reductions.var, "std": reductions.std,
        "prod": reductions.prod, "max": reductions.largest, "amax": reductions.largest, "min": reductions.smallest,
        "amin": reductions.smallest, "ptp": reductions.ptp, "cumsum": reductions.cumsum,
        "cumprod": reductions.cumprod, "trace": reductions.trace, "sort": reductions.sort, "diff": reductions.diff,
        "partition": reductions.partition, "gradient": reductions.gradient, "average": reductions.average,
        "where": linear.where, "concatenate": linear.concatenate, "stack": linear.stack,
        "broadcast_to": lambda x, shape, **_: linear.BROADCAST(x, to=shape),
        "reshape": _reshape, "ravel": _ravel, "transpose": _transpose, "squeeze": _squeeze,
        "expand_dims": _expand_dims, "swapaxes": _moved("swapaxes"), "moveaxis": _moved("moveaxis"),
        "dot": contractions.dot, "inner": contractions.inner, "outer": contractions.outer, "vdot": contractions.vdot,
        "tensordot": contractions.tensordot, "kron": contractions.kron, "einsum": contractions.einsum,
        "clip": _clip, "select": _select, "pad": _pad, "append": _append, "cross": _cross,
        "real": complexes.real, "imag": complexes.imag, "angle": _angle, "real_if_close": _real_if_close,
        "nan_to_num": _nan_to_num, "sinc": _sinc, "size": _size, "linspace": _linspace,
        "linalg.inv": matrices.INV, "linalg.solve": matrices.SOLVE, "linalg.det": matrices.DET,
        "linalg.slogdet": matrices.slogdet, "linalg.cholesky": matrices.cholesky, "linalg.pinv": matrices.PINV,
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
