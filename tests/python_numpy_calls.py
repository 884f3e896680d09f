"""Calls of every supported function of NumPy with every keyword of its own signature, for the sweep that tests them.

Nothing here lists functions: names come from the tables of the program, parameters from NumPy. What a keyword may be
is found by its name, so that a new rule is called by itself; a keyword without values is an error of this table.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

SOURCE = np.random.RandomState(3)
VECTOR, MATRIX, CUBE = SOURCE.randn(4), SOURCE.randn(3, 4), SOURCE.randn(2, 3, 4)
_ROOT = SOURCE.randn(4, 4)
SQUARE = _ROOT @ _ROOT.T + 3 * np.eye(4) + 0.1 * SOURCE.randn(4, 4)  # of which some functions read one half
COMPLEX = SOURCE.randn(3, 4) + 1j * SOURCE.randn(3, 4)
INPUTS = {"vector": VECTOR, "matrix": MATRIX, "cube": CUBE, "square": SQUARE, "complex": COMPLEX}

# What makes the value of a keyword from the array that the function is called with.
_OFTEN = {
    "out": lambda x: [np.zeros(x.shape), np.zeros(())],
    "keepdims": lambda x: [True, False],
    "where": lambda x: [x.real > -0.3, True],
    "initial": lambda x: [0.7, 2.5],
    "dtype": lambda x: [float, np.float32, complex, int],
    "order": lambda x: ["C", "F", "A", "K"],
    "casting": lambda x: ["no", "unsafe"],
    "subok": lambda x: [False, True],
    "signature": lambda x: ["d->d", "dd->d"],
    "axis": lambda x: [0, -1, 1, None, (0, 1), (-1,)],
    "axes": lambda x: [(0,), (1, 0), (0, 1), None],
    "norm": lambda x: ["ortho", "forward"],
    "n": lambda x: [2, 3, 5],
    "s": lambda x: [(3, 5), (-1, 3), (5,)],
    "k": lambda x: [1, -1],
    "kind": lambda x: ["stable", "introselect"],
    "stable": lambda x: [True],
    "axis1": lambda x: [1, -1],
    "axis2": lambda x: [0, -1],
    "offset": lambda x: [1, -1],
    "device": lambda x: ["cpu"],
    "optimize": lambda x: [True, "greedy"],
    "copy": lambda x: [True, False, None],
    "shape": lambda x: [(2, 2), x.shape],
    "hermitian": lambda x: [True],
    "rtol": lambda x: [1e-3, 0.2],
    "atol": lambda x: [1e-3, 0.2],
    "equal_nan": lambda x: [True],
    "decimals": lambda x: [1],
    "sorter": lambda x: [np.argsort(x, axis=None)],
    "max_work": lambda x: [1],
    "edge_order": lambda x: [2],
    "precision": lambda x: [3],
    "suppress_small": lambda x: [True],
    "max_line_width": lambda x: [30],
    "overwrite_input": lambda x: [False],
    "minlength": lambda x: [5],
    "writeable": lambda x: [True],
    "include_initial": lambda x: [True],
    "assume_unique": lambda x: [True],
    "invert": lambda x: [True],
    "rcond": lambda x: [1e-3],
    "rowvar": lambda x: [False],
    "bias": lambda x: [True],
    "ddof": lambda x: [0, 2],
    "period": lambda x: [4.0],
    "weights": lambda x: [np.abs(x) + 0.1],
}
# What some functions understand by a name, as (values of the required, values of the optional) parameters.
_OF: dict[str, dict[str, Any]] = {
    "append": {"values": lambda x: [x, 2.0]},
    "angle": {"deg": lambda x: [True]},
    "array2string": {
        "separator": lambda x: [";"], "prefix": lambda x: [">"], "suffix": lambda x: ["<"], "formatter": lambda x: [{}],
        "threshold": lambda x: [2], "edgeitems": lambda x: [1], "sign": lambda x: ["+"],
        "floatmode": lambda x: ["fixed"], "legacy": lambda x: ["1.13"], "style": lambda x: [],
    },
    "array_equal": {"a2": lambda x: [x, x + 1]},
    "array_equiv": {"a2": lambda x: [x, x + 1]},
    "average": {"weights": lambda x: [x.real**2 + 1, np.arange(1.0, 1 + len(x)), np.arange(1.0, 1 + x.shape[-1])],
                "returned": lambda x: [True]},
    "broadcast_to": {"shape": lambda x: [(2, *x.shape)]},
    "can_cast": {"from_": lambda x: [], "to": lambda x: [float]},
    "clip": {"a_min": lambda x: [-0.3, None], "a_max": lambda x: [0.6], "min": lambda x: [-0.3],
             "max": lambda x: [0.6]},
    "cross": {"b": lambda x: [x * x + 1], "axisa": lambda x: [0], "axisb": lambda x: [0], "axisc": lambda x: [0]},
    "delete": {"obj": lambda x: [1, [0, 1]]},
    "diff": {"prepend": lambda x: [2.0, x], "append": lambda x: [2.0, x]},
    "digitize": {"bins": lambda x: [[-1.0, 0.0, 1.0]], "right": lambda x: [True]},
    "dot": {"b": lambda x: [2.0, np.swapaxes(x, -1, -2) if x.ndim > 1 else x]},
    "expand_dims": {"axis": lambda x: [0, -1, (0, 1)]},
    "full_like": {"fill_value": lambda x: [1.7]},
    "argpartition": {"kth": lambda x: [1]},
    "partition": {"kth": lambda x: [1]},
    "inner": {"b": lambda x: [x]},
    "isclose": {"b": lambda x: [x + 0.1]},
    "allclose": {"b": lambda x: [x + 0.1]},
    "kron": {"b": lambda x: [x, VECTOR]},
    "outer": {"b": lambda x: [x]},
    "vdot": {"b": lambda x: [x * x]},
    "tensordot": {"b": lambda x: [x], "axes": lambda x: [0, 1, ([0], [0]), ((-1,), (-1,))]},
    "linspace": {"stop": lambda x: [x * x + 1, 2.0], "num": lambda x: [5, 1], "endpoint": lambda x: [False],
                 "retstep": lambda x: [True], "axis": lambda x: [0, -1, 1]},
    "linalg.cholesky": {"upper": lambda x: [True]},
    "linalg.eigh": {"UPLO": lambda x: ["U"]},
    "linalg.eigvalsh": {"UPLO": lambda x: ["U"]},
    "linalg.matrix_power": {"n": lambda x: [3, 0, -2]},
    "linalg.matrix_rank": {"tol": lambda x: [0.5]},
    "linalg.norm": {"ord": lambda x: [None, 1, 2, -1, -2, 3, 0, np.inf, -np.inf, "fro", "nuc"]},
    "linalg.pinv": {"rcond": lambda x: [1e-3, 0.5], "rtol": lambda x: [1e-3, 0.5]},
    "linalg.solve": {"b": lambda x: [x, x[0]]},
    "linalg.svd": {"full_matrices": lambda x: [False], "compute_uv": lambda x: [False]},
    "may_share_memory": {"b": lambda x: [np.zeros(2)]},
    "shares_memory": {"b": lambda x: [np.zeros(2)]},
    "moveaxis": {"source": lambda x: [0, (0, 1)], "destination": lambda x: [-1, (1, 0)]},
    "nan_to_num": {"nan": lambda x: [1.0], "posinf": lambda x: [3.0], "neginf": lambda x: [-3.0]},
    "pad": {"pad_width": lambda x: [1, (1, 2)], "mode": lambda x: ["edge", "reflect", "symmetric", "wrap", "mean"],
            "constant_values": lambda x: [1.5, (1.0, 2.0)], "reflect_type": lambda x: ["odd", "even"],
            "stat_length": lambda x: [1], "end_values": lambda x: [1.0]},
    "real_if_close": {"tol": lambda x: [10]},
    "repeat": {"repeats": lambda x: [2]},
    "reshape": {"shape": lambda x: [-1, (2, -1)], "newshape": lambda x: [-1, (2, -1)]},
    "resize": {"new_shape": lambda x: [(2, 3)]},
    "roll": {"shift": lambda x: [1]},
    "rollaxis": {"axis": lambda x: [1], "start": lambda x: [1]},
    "rot90": {"k": lambda x: [2], "axes": lambda x: [(1, 0)]},
    "searchsorted": {"v": lambda x: [0.1], "side": lambda x: ["right"]},
    "select": {"condlist": lambda x: [], "choicelist": lambda x: [], "default": lambda x: [1.5]},
    "std": {"mean": lambda x: [0.3, x.mean(keepdims=True)], "ddof": lambda x: [1, 50],
            "correction": lambda x: [1, 0.5]},
    "swapaxes": {"axis1": lambda x: [0], "axis2": lambda x: [-1]},
    "take": {"indices": lambda x: [[0, 1, 1]], "mode": lambda x: ["wrap", "clip"]},
    "take_along_axis": {"indices": lambda x: [np.zeros(x.shape, int)], "axis": lambda x: [0, -1]},
    "tile": {"reps": lambda x: [2, (2, 1)]},
    "where": {"x": lambda x: [x], "y": lambda x: [x * 2]},
    "choose": {"choices": lambda x: [], "mode": lambda x: ["wrap", "clip"]},
    "convolve": {"v": lambda x: [[1.0, 2.0, -0.5], x], "mode": lambda x: ["same", "valid"]},
    "correlate": {"v": lambda x: [[1.0, 2.0, -0.5], x], "mode": lambda x: ["same", "full"]},
    "corrcoef": {"y": lambda x: [x * x]},
    "cov": {"y": lambda x: [x * x], "fweights": lambda x: [np.arange(1, 1 + x.shape[-1])],
            "aweights": lambda x: [np.arange(1.0, 1 + x.shape[-1])]},
    "ediff1d": {"to_end": lambda x: [1.5, x.ravel()], "to_begin": lambda x: [1.5, x.ravel()]},
    "geomspace": {"stop": lambda x: [x * 3, 2 * x], "num": lambda x: [5, 1], "endpoint": lambda x: [False],
                  "axis": lambda x: [0, -1, 1]},
    "logspace": {"stop": lambda x: [x * 3, 2.0], "num": lambda x: [5, 1], "endpoint": lambda x: [False],
                 "base": lambda x: [2.0], "axis": lambda x: [0, -1, 1]},
    "insert": {"obj": lambda x: [1, [0, 2], slice(0, 2)], "values": lambda x: [x.ravel()[0], 2.0]},
    "interp": {"xp": lambda x: [[-1.0, -0.2, 0.4, 1.1]], "fp": lambda x: [[1.0, 0.3, -0.4, 2.0]],
               "left": lambda x: [5.0], "right": lambda x: [5.0]},
    "in1d": {"ar2": lambda x: [x.ravel()[:2]]},
    "isin": {"test_elements": lambda x: [x.ravel()[:2]]},
    "linalg.cond": {"p": lambda x: [2, -2, 1, -1, np.inf, "fro"]},
    "linalg.cross": {"x2": lambda x: [x * x + 1]},
    "linalg.lstsq": {"b": lambda x: [x[:, 0], x], "rcond": lambda x: [None, 1e-3, 0.5]},
    "linalg.matmul": {"x2": lambda x: [np.swapaxes(x, -1, -2) if x.ndim > 1 else x]},
    "linalg.matrix_norm": {"ord": lambda x: [1, 2, -1, -2, np.inf, -np.inf, "fro", "nuc"]},
    "linalg.vector_norm": {"ord": lambda x: [1, 2, -1, -2, 3, 0, np.inf, -np.inf]},
    "linalg.outer": {"x2": lambda x: [x]},
    "linalg.qr": {"mode": lambda x: ["r", "complete", "raw"]},
    "linalg.tensordot": {"x2": lambda x: [x], "axes": lambda x: [0, 1, ([0], [0]), ((-1,), (-1,))]},
    "linalg.tensorinv": {"ind": lambda x: [1]},
    "linalg.tensorsolve": {"b": lambda x: [x[0]], "axes": lambda x: [(0,), None]},
    "linalg.vecdot": {"x2": lambda x: [x, x * x]},
    "meshgrid": {"sparse": lambda x: [True], "indexing": lambda x: ["ij"]},
    "polyadd": {"a2": lambda x: [[1.0, 2.0], x]},
    "polyder": {"m": lambda x: [2, 0]},
    "polydiv": {"v": lambda x: [[1.0, 2.0], [3.0]]},
    "polyfit": {"y": lambda x: [x * x], "deg": lambda x: [1], "w": lambda x: [x * x + 1], "full": lambda x: [True],
                "cov": lambda x: [True]},
    "polyint": {"m": lambda x: [2], "k": lambda x: [3.0]},
    "polyval": {"x": lambda x: [0.5, x]},
    "quantile": {"q": lambda x: [0.3, [[0.2], [0.9]]], "method": lambda x: [
        "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
        "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
    ], "interpolation": lambda x: ["lower"]},
    "trapezoid": {"x": lambda x: [np.arange(x.shape[-1]) ** 1.5, x * 2], "dx": lambda x: [0.5]},
    "trapz": {"x": lambda x: [np.arange(x.shape[-1]) ** 1.5, x * 2], "dx": lambda x: [0.5]},
    "trim_zeros": {"trim": lambda x: ["f", "b"]},
    "unique": {"return_index": lambda x: [True], "return_inverse": lambda x: [True],
               "return_counts": lambda x: [True], "sorted": lambda x: [True]},
    "unwrap": {"discont": lambda x: [4.0]},
    "vander": {"N": lambda x: [2, 6], "increasing": lambda x: [True]},
    "gradient": {"axis": lambda x: [0, -1, (0,), (0, 1)]},
}  # fmt: skip
_OF |= {
    "var": _OF["std"],
    "nanvar": _OF["std"],
    "nanstd": _OF["std"],
}
_OF |= {"polysub": _OF["polyadd"], "polymul": _OF["polyadd"]}
_FEW: dict[str, Any] = {"method": lambda x: ["hazen", "nearest"], "interpolation": lambda x: ["lower"]}
_OF |= {"nanquantile": _FEW | {"q": lambda x: [[0.2, 0.9]]}, "percentile": _FEW | {"q": lambda x: [[20, 90.0]]}}
_OF |= {"nanpercentile": _OF["percentile"]}
_SPLIT = {"indices_or_sections": lambda x: [2, [1]]}
_OF |= dict.fromkeys(("split", "hsplit", "vsplit", "dsplit", "array_split"), _SPLIT)


def _without_phase(found: Any) -> Any:
    """What a decomposition of a complex matrix says: its vectors are given up to a factor."""
    return [np.abs(part) for part in found] if isinstance(found, tuple) else found


# Calls whose array stands elsewhere than in front, or that take any number.
_OTHERWISE: dict[str, list[Any]] = {
    "einsum": [lambda x, **k: np.einsum("...i,...i->...", x, x * 2, **k),
               lambda x, **k: np.einsum(x, [0, 1], [1], **k)],
    "gradient": [np.gradient, lambda x, **k: np.gradient(x, 0.5, **k),
                 lambda x, **k: np.gradient(x, [0.0, 1.0, 3.0, 3.5], **k),
                 lambda x, **k: np.gradient(x, [0.0, 1.0, 3.0], 2.0, **k)],
    "where": [lambda x, **k: np.where(x.real > 0, x, 2.0, **k), lambda x, **k: np.where(x.real > 0, **k)],
    "select": [lambda x, **k: np.select([x.real > 0.5, x.real < 0], [x, 2 * x], **k)],
    "concatenate": [lambda x, **k: np.concatenate([x, 2 * x, np.ones(np.shape(x))], **k),
                    lambda x, axis=0, **k: np.concatenate((x, x), axis, **k)],
    "stack": [lambda x, **k: np.stack([x, 2 * x], **k)],
    "block": [lambda x, **k: np.block([x, 2 * x], **k), lambda x, **k: np.block([[x, x], [2 * x, 3 * x]], **k),
              lambda x, **k: np.block([[x], [np.ones(np.shape(x))]], **k), lambda x, **k: np.block(x, **k)],
    "vstack": [lambda x, **k: np.vstack([x, 2 * x], **k), lambda x, **k: np.vstack(x, **k)],
    "hstack": [lambda x, **k: np.hstack((x, 2 * x), **k)],
    "dstack": [lambda x, **k: np.dstack([x, 2 * x], **k)],
    "column_stack": [lambda x, **k: np.column_stack([x, 2 * x], **k)],
    "row_stack": [lambda x, **k: np.row_stack([x, 2 * x], **k)],
    "apply_along_axis": [lambda x, **k: np.apply_along_axis(np.sum, 0, x, **k),
                         lambda x, **k: np.apply_along_axis(lambda row: np.stack([row * row, row]), -1, x, **k)],
    "apply_over_axes": [lambda x, **k: np.apply_over_axes(np.sum, x, 0, **k)],
    "choose": [lambda x, **k: np.choose([0, 1, 1, 0], [x, 2 * x, x * x], **k),
               lambda x, **k: np.choose([0, 4, 1, -1], [x, 2 * x, x * x], **k)],
    "compress": [lambda x, **k: np.compress([True, False, True], x, **k)],
    "extract": [lambda x, **k: np.extract(np.arange(3) % 2, x, **k)],
    "bincount": [lambda x, **k: np.bincount([2, 0, 2, 1], x, **k),
                 lambda x, **k: np.bincount([2, 0, 2, 1], weights=x, minlength=5, **k)],
    "lib.stride_tricks.sliding_window_view": [
        lambda x, **k: np.lib.stride_tricks.sliding_window_view(x, 2, axis=0, **k),
        lambda x, **k: np.lib.stride_tricks.sliding_window_view(x, (2,), axis=(-1,), **k)],
    "lexsort": [lambda x, **k: np.lexsort((x, x), **k)],
    "linalg.multi_dot": [lambda x, **k: np.linalg.multi_dot([x, x.T, x], **k),
                         lambda x, **k: np.linalg.multi_dot([x[0], x.T, x], **k)],
    "linalg.cross": [lambda x, **k: np.linalg.cross(x[..., :3], x[..., :3] ** 2, **k)],
    "meshgrid": [lambda x, **k: np.meshgrid(x, [1.0, 2.0], 2 * x, **k), lambda x, **k: np.meshgrid(x, **k)],
    "broadcast_arrays": [lambda x, **k: np.broadcast_arrays(x, np.ones((2, *np.shape(x))), 2.0, **k)],
    "ix_": [lambda x, **k: np.ix_(x, x)],
    "piecewise": [lambda x, **k: np.piecewise(x, [x.real > 0.3, x.real < -0.1], [lambda t: t * t, 2.0], **k),
                  lambda x, **k: np.piecewise(x, [x.real > 0, x.real > 0.5], [np.sin, lambda t: t**3, np.exp], **k)],
    "atleast_1d": [np.atleast_1d, lambda x: np.atleast_1d(x, 2 * x, 1.5)],
    "atleast_2d": [np.atleast_2d, lambda x: np.atleast_2d(x, 2 * x, 1.5)],
    "atleast_3d": [np.atleast_3d, lambda x: np.atleast_3d(x, 2 * x, 1.5)],
    "logspace": [lambda x, stop=2.0, **k: np.logspace(x / 9, stop / 9, **k)],
    "linspace": [np.linspace, lambda x, stop=2.0, **k: np.linspace(0.5, x, **k)],
    "full_like": [np.full_like, lambda x, fill_value=1.7, **k: np.full_like(x, x, **k)],
    "cross": [lambda x, **k: np.cross(np.asarray(x)[..., :3] if isinstance(x, np.ndarray) else x[..., :3],
                                      x[..., :3] ** 2, **k)],
    "can_cast": [lambda x, **k: np.can_cast(np.float64, np.float32, **k)],
    "empty_like": [lambda x, **k: np.empty_like(x, **k).shape],
    "linalg.svd": [lambda x, **k: _without_phase(np.linalg.svd(x, **k))], "result_type": [np.result_type],
    "common_type": [np.common_type],
    "linalg.qr": [np.linalg.qr, lambda x, **k: np.linalg.qr(np.swapaxes(x, -1, -2), **k)],
    "linalg.eigvals": [lambda x: np.sort(np.abs(np.linalg.eigvals(x)))],
}  # fmt: skip

_ONE = [inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY)]
# What the functions with `**kwargs` take.
_OPEN = {
    "pad": ("constant_values", "reflect_type", "stat_length", "end_values"), "clip": ("where", "dtype", "casting"),
    "einsum": ("dtype", "casting", "order"), "meshgrid": ("copy", "sparse", "indexing"),
}  # fmt: skip


class Missing(Exception):
    """A keyword that this table has no values for."""


def target(name: str) -> Any:
    """NumPy's function of a name; None where this NumPy has none."""
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def values(name: str, key: str, x: Any) -> list[Any]:
    """What a keyword is called with."""
    make = _OF.get(name, {}).get(key) or _OFTEN.get(key)
    if make is None:
        raise Missing(f"{name}: no values for {key}=")
    try:
        return make(x)  # type: ignore[no-any-return]
    except (ValueError, IndexError, TypeError, AttributeError):
        return []  # none for an array of this shape


def calls(name: str, x: Any, stub: Any = None) -> Iterator[tuple[str, str, Any]]:
    """The calls of a function with an array: what they look like, the keywords under test, and a function of it.

    Each keyword alone, by name and by position, and each with the first value of every other.
    """
    function = target(name)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # written in C, and an old NumPy
        told = list(inspect.signature(stub).parameters.values())
        parameters = told if told[0].kind is not inspect.Parameter.VAR_POSITIONAL else _ONE
    rest = [p for p in parameters[1:] if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    special = name in _OTHERWISE
    required = [p.name for p in rest if p.default is p.empty and (not special or name == "full_like")]
    optional = [p.name for p in rest if p.default is not p.empty and name != "where"]
    known = {key: values(name, key, x) for key in (*optional, *_OPEN.get(name, ()))}
    firsts = [values(name, key, x) for key in required]
    if not all(firsts):
        return
    plainly = [options[0] for options in firsts]
    for form, base in enumerate(_OTHERWISE.get(name, [function])):

        def call(*given: Any, _base: Any = base, **named: Any) -> Any:
            return lambda y: _base(y, *given, **named)

        said = f"{name} {form}" if form else name
        for place, options in enumerate(firsts):
            for option in options:
                given = [*plainly[:place], option, *plainly[place + 1 :]]
                yield f"{said}({_told(given)})", "", call(*given)
        if not required:
            yield f"{said}()", "", call()
        if not special and parameters[0].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            named = dict(zip(required, plainly, strict=True))
            yield (
                f"{said}({parameters[0].name}=…)",
                "",
                lambda y, named=named: function(**{parameters[0].name: y}, **named),
            )
        for key, options in known.items():
            before = None if special else _before(parameters, key)
            for option in options:
                yield f"{said}({_told(plainly)}; {key}={_told([option])})", key, call(*plainly, **{key: option})
                if before is not None:
                    yield f"{said}(…, {_told([option])}) for {key}", key, call(*plainly, *before, option)
            for other, others in known.items():
                if other > key and options and others:
                    both = {key: options[0], other: others[0]}
                    told = ", ".join(f"{k}={_told([v])}" for k, v in both.items())
                    yield f"{said}({_told(plainly)}; {told})", f"{key} {other}", call(*plainly, **both)


def _before(parameters: list[inspect.Parameter], key: str) -> list[Any] | None:
    """The defaults of the parameters in front of one that may be given by position."""
    found = []
    for parameter in parameters[1:]:
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            return None
        if parameter.name == key:
            return found
        if parameter.default is not parameter.empty:
            found.append(parameter.default)
    return None


def _told(given: list[Any]) -> str:
    return ", ".join(
        f"array{np.shape(x)}" if isinstance(x, np.ndarray) else getattr(x, "__name__", repr(x)) for x in given
    )
