"""NumPy's elementwise functions for traced values: rows of the table, and those that are written with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ..graph.overloading import plain
from ..numbers.arrays import np
from ..table.primitive import ROWS, Primitive, lookup
from . import complexes, contractions, reductions
from .calls import Honouring, reduction
from .linear import as_array, unsupported
from .names import IN_THE_TABLE, PLAIN
from .operation import fitted
from .operations import Rule
from .traced import MIXED, Traced, apply
from .values import shape

_LN2 = 0.6931471805599453


def _log_of_sum(name: str, rate: float) -> Rule:
    """The logarithm of a sum of powers: each argument has its share of the sum as its slope."""

    def share(k: int, a: Any, b: Any) -> Any:
        return MIXED.sigmoid((a - b if k == 0 else b - a) * rate)

    return Rule(
        name,
        lambda a, b: getattr(np, name)(a, b),
        pull=lambda k, g, z, a, b: fitted(g * share(k, a, b), (a, b)[k]),
        push=lambda k, dot, z, a, b: dot * share(k, a, b),
    )


def _but_nan(pick: str) -> Callable[[Any, Any], Any]:
    """The larger or smaller of two, where one is not a number the other."""
    return lambda a, b: getattr(np, pick)(_instead(a, b), _instead(b, a))


def _instead(a: Any, b: Any) -> Any:
    lost = np.isnan(plain(a))
    return np.where(lost, b, a) if np.any(lost) else a


# Those that are written with functions of the table.
_WRITTEN: Mapping[str, Callable[..., Any]] = {
    "positive": lambda x: x,
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "exp2": lambda x: MIXED.pow(2.0, x),
    "logaddexp": _log_of_sum("logaddexp", 1.0),
    "logaddexp2": _log_of_sum("logaddexp2", _LN2),
    "deg2rad": lambda x: x * (MIXED.pi / 180),
    "radians": lambda x: x * (MIXED.pi / 180),
    "rad2deg": lambda x: x * (180 / MIXED.pi),
    "degrees": lambda x: x * (180 / MIXED.pi),
    "copysign": lambda a, b: abs(a) * np.copysign(1.0, plain(b)),
    "fmax": _but_nan("maximum"),
    "fmin": _but_nan("minimum"),
    "conjugate": complexes.conj,
    "loggamma": lambda x: MIXED.lgamma(np.where(plain(x) < 0, np.nan, x)),  # SciPy: nan where it would be complex
    "matmul": contractions.matmul,
    "xlogy": lambda x, y: np.where(plain(x) == 0, 0.0, x * np.log(np.where(plain(x) == 0, 1.0, y))),
}

# What the options of these functions are when they are not given.
_NEUTRAL: Mapping[str, Any] = {
    "out": None, "where": True, "casting": "same_kind", "dtype": None, "signature": None, "sig": None, "axes": None,
    "axis": None, "keepdims": False, "extobj": None,
}  # fmt: skip
# Where in memory the result lies, and of which class it is.
_HARMLESS = frozenset(("order", "subok"))


@cache
def _row(name: str) -> Primitive | None:
    return ROWS.get(IN_THE_TABLE.get(name, "")) or lookup(name)


def ufunc(function: Any, method: str, inputs: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """An elementwise function of NumPy (or SciPy), or a reduction by one."""
    name = function.__name__
    if method != "__call__":
        return _method(function, method, inputs, keywords)
    if any(not isinstance(x, (Traced, np.ndarray)) and hasattr(type(x), "__array_ufunc__") for x in inputs
           if not isinstance(x, np.generic)):  # fmt: skip
        return NotImplemented
    given = tuple([as_array(x) if isinstance(x, (list, tuple)) else x for x in inputs])
    if name in PLAIN:
        if keywords.get("out") is not None:
            raise unsupported(name, "with out=")
        return function(*map(plain, given), **keywords)
    if keywords:
        _refuse(name, given, keywords)
    written = _WRITTEN.get(name)
    if written is not None:
        return written(*given)
    row = _row(name)
    if row is None or not row.accepts(len(given)):
        raise unsupported(name)
    return apply(row, given)


def _refuse(name: str, given: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Raises Unsupported for the options that would change what a function is."""
    for key, value in keywords.items():
        if key in _HARMLESS or value is _NEUTRAL.get(key, np._NoValue) or value is np._NoValue:
            continue
        if key == "casting" and value == "same_kind":
            continue
        if key == "dtype" and np.dtype(value).kind == "f" and np.result_type(*map(plain, given)) == value:
            continue  # it is computed in that type anyhow
        raise unsupported(name, f"with {key}=")


def _method(function: Any, method: str, inputs: Sequence[Any], keywords: dict[str, Any]) -> Any:
    name = function.__name__
    found = _reductions().get((name, method))
    if found is not None:
        if len(inputs) == 1:
            keywords.setdefault("axis", 0)
        return found(inputs, keywords)
    if method != "outer":
        raise unsupported(f"{name}.{method}")
    a, b = (as_array(x) for x in inputs)
    return function(np.reshape(a, shape(a) + (1,) * len(shape(b))), b, **keywords)


@cache
def _reductions() -> Mapping[tuple[str, str], Honouring]:
    return {
        (name, method): Honouring(f"{name}.{method}", reduction, handler)
        for name, method, handler in (
            ("add", "reduce", reductions.total), ("multiply", "reduce", reductions.prod),
            ("maximum", "reduce", reductions.largest), ("minimum", "reduce", reductions.smallest),
            ("add", "accumulate", reductions.cumsum), ("multiply", "accumulate", reductions.cumprod),
        )
    }  # fmt: skip
