"""No keyword of NumPy's is passed over: each is honoured, in value and derivative, or refused by its name."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
import python_numpy_calls
from drawn import THOROUGH
from python_numpy_calls import COMPLEX, INPUTS, MATRIX, SOURCE, SQUARE, VECTOR, calls, target

from adcli.errors import AdcliError, DomainProblem
from adcli.graph.overloading import TracingProblem, plain
from adcli.python import elementwise_grad, jvp, vjp
from adcli.python.core.containers import flatten_tree
from adcli.python.core.methods import FUNCTIONS
from adcli.python.numpy import dispatch
from adcli.python.numpy.dispatch import _SIGNATURES, Honouring, handlers

STEP = 1e-6
NAMES = [name for name in sorted(handlers()) if target(name) is not None and not isinstance(target(name), np.ufunc)]
UFUNCS = [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).nin <= 2]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """NumPy warns of what is old, and we of what depends on nothing; neither is what is asked here."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def leaves(result: Any) -> list[Any]:
    """The arrays of a result; texts and the like as they are."""
    found, structure = flatten_tree(result)
    if not found and not isinstance(result, (tuple, list)):
        return [result]
    return [np.asarray(plain(leaf)) for leaf in found] + [len(structure.steps)]


def alike(got: Any, expected: Any, tolerance: float = 1e-11) -> bool:
    """Whether two results have the same structure, shapes, kinds of numbers and numbers."""
    if len(got) != len(expected):
        return False
    for a, b in zip(got, expected, strict=True):
        if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
            if not (a is b or a == b):
                return False
        elif (
            a.shape != b.shape
            or (tolerance == 1e-11 and a.dtype.kind != b.dtype.kind)
            or (
                a.size
                and not np.allclose(a, b, rtol=max(tolerance, 1e3 * _rounding(b)), atol=tolerance, equal_nan=True)
            )
        ):
            return False
    return True


def _rounding(x: np.ndarray) -> float:
    return float(np.finfo(x.dtype).eps) if x.dtype.kind in "fc" and x.dtype.itemsize < 8 else 0.0


def is_refused(problem: BaseException, keys: str) -> bool:
    """Whether the error names a keyword that was given, or says that this form of the function has no rule."""
    if isinstance(problem, NotImplementedError):  # every form of it: one that has no rule names what is at fault
        said = problem.title if isinstance(problem, AdcliError) else str(problem)
        return "cannot differentiate" in said and (
            not keys or " with " not in said or any(f"{k}=" in said for k in keys.split())
        )
    return isinstance(problem, DomainProblem) or "takes only real numbers" in str(problem)


def complaint(f: Callable[[Any], Any], x: np.ndarray, keys: str, second: bool = False) -> str:
    """What is wrong with a call of NumPy on a traced array, against the same call on numbers; nothing if all is well.

    Value, derivative forwards and backwards, and with `second` the derivative of the one backwards.
    """
    try:  # NumPy writes past an array of another shape, so that it is not asked with one
        expected = None if "out" in keys.split() else f(x.copy())
    except Exception:  # NumPy does not take it either
        return ""
    direction = SOURCE.randn(*x.shape) + (1j * SOURCE.randn(*x.shape) if x.dtype.kind == "c" else 0)
    try:
        value, dot = jvp(f)(x)(direction)
    except Exception as problem:
        return "" if is_refused(problem, keys) else f"{type(problem).__name__}: {problem}"
    if not alike(leaves(value), leaves(expected)):
        return f"value {value!r}, NumPy {expected!r}"
    parts = leaves(expected)[:-1] if isinstance(leaves(expected)[-1], int) else []
    if not parts or any(part.dtype.kind not in "fc" or part.dtype.itemsize < 8 for part in parts):
        return ""
    ahead, behind = leaves(f(x + STEP * direction))[:-1], leaves(f(x - STEP * direction))[:-1]
    slopes = [np.asarray((a - b) / (2 * STEP)) for a, b in zip(ahead, behind, strict=True)]
    if not alike(leaves(dot)[:-1], slopes, 3e-6):
        return f"derivative {dot!r}, differences {slopes!r}"
    if not all(np.isfinite(part).all() for part in slopes):  # which times 0 would be nan
        return ""
    weights = [SOURCE.randn(*np.shape(part)) for part in parts]
    structure = flatten_tree(expected)[1]
    _, pull = vjp(f)(x)
    back = pull(structure.build(weights))
    total = sum(np.sum(w * s) for w, s in zip(weights, slopes, strict=True))
    if not abs(np.sum(back * direction).real - np.real(total)) <= 1e-5 * (1 + abs(total)):
        return f"backwards {np.sum(back * direction)!r}, differences {total!r}"
    if not second:
        return ""

    def slope(y: Any) -> Any:
        return vjp(f)(y)[1](structure.build(weights))

    bend = np.asarray((slope(x + STEP * direction) - slope(x - STEP * direction)) / (2 * STEP))
    found = jvp(slope)(x)(direction)[1]
    return "" if alike(leaves(found)[:-1], [bend], 1e-5) else f"second derivative {found!r}, differences {bend!r}"


def swept(name: str) -> tuple[int, list[str]]:
    """How many calls of a function were compared, and what was wrong; two keywords usually for matrices."""
    count, found = 0, []
    for kind, x in INPUTS.items():
        for said, keys, f in calls(name, x, _SIGNATURES.get(name, handlers()[name])):
            if kind != "matrix" and not THOROUGH and (" " in keys or kind == "square"):
                continue
            count += 1
            wrong = complaint(f, x, keys, second=kind == "matrix" and " " not in keys)
            if wrong:
                found.append(f"{said} of the {kind}: {wrong}")
    return count, found


@pytest.mark.parametrize("name", NAMES)
def test_every_keyword_of_a_function_is_honoured_or_refused_by_name(name: str) -> None:
    count, found = swept(name)
    assert [] == found
    assert count


# The options that NumPy's elementwise functions share, and those of their methods, with values.
OTHER = VECTOR[::-1] + 0.05
OPTIONS: dict[str, tuple[Any, ...]] = {
    "where": (np.array([True, False, True, True]), True), "casting": ("unsafe", "no", "same_kind"),
    "order": ("F", "C"), "dtype": (float, np.float32, complex, int), "subok": (False,), "signature": ("d->d", "dd->d"),
    "axis": (0, -1, None), "keepdims": (True, False), "axes": ([(0,), (0,), ()],),
}  # fmt: skip
METHODS_OF_UFUNCS: dict[str, tuple[str, ...]] = {
    "reduce": ("axis", "dtype", "keepdims", "where"), "accumulate": ("axis", "dtype"), "outer": ("dtype",),
    "reduceat": (), "at": (),
}  # fmt: skip


def elementwise(name: str) -> Iterator[tuple[str, str, Any]]:
    """The calls of an elementwise function, and of its methods, with every option."""
    function = getattr(np, name)
    sides = [lambda y: (y,)] if function.nin == 1 else [lambda y: (y, OTHER), lambda y: (0.6, y), lambda y: (y, y * y)]
    for number, side in enumerate(sides):
        yield f"{name} {number}", "", lambda y, side=side: function(*side(y))
        if function.nout == 1:
            yield f"{name} {number} out", "out", lambda y, side=side: function(*side(y), out=np.zeros(4))
            yield f"{name} {number} by position", "out", lambda y, side=side: function(*side(y), np.zeros(4))
        for key, options in OPTIONS.items():
            for option in options:
                yield (
                    f"{name} {number} {key}={option}",
                    key,
                    lambda y, side=side, key=key, option=option: _filled(
                        function(*side(y), **{key: option}), key, option
                    ),
                )
    for method, keys in METHODS_OF_UFUNCS.items():
        rest = {"outer": (MATRIX,), "reduceat": ([0, 2],), "at": ([0], 1.0)}.get(method, ())
        yield f"{name}.{method}", "", lambda y, method=method, rest=rest: getattr(function, method)(y, *rest)
        for key in keys:
            for option in OPTIONS[key]:
                yield (f"{name}.{method} {key}={option}", key,
                       lambda y, method=method, rest=rest, key=key, option=option: _filled(
                           getattr(function, method)(y, *rest, **{key: option}), key, option))  # fmt: skip
        if method == "reduce":
            yield f"{name}.reduce initial", "initial", lambda y: function.reduce(y, initial=0.5)
            yield f"{name}.reduce of axes", "axis", lambda y: function.reduce(np.reshape(y, (2, 2)), axis=(0, 1))


def _filled(found: Any, key: str, option: Any) -> Any:
    """What is not chosen is whatever was in memory."""
    return found[option] if key == "where" and () != np.shape(found) == np.shape(option) else found


@pytest.mark.parametrize("name", UFUNCS)
def test_every_option_of_an_elementwise_function_is_honoured_or_refused_by_name(name: str) -> None:
    found = []
    for kind, x in (("vector", VECTOR), ("positive", np.abs(VECTOR) / 2 + 0.1), ("complex", COMPLEX[0])):
        for said, keys, f in elementwise(name):
            wrong = complaint(f, x, keys, second=not keys)
            if wrong:
                found.append(f"{said} of the {kind}: {wrong}")
    assert [] == found


WAYS: dict[str, tuple[Callable[[Any], Any], ...]] = {
    "reshape": (lambda x: x.reshape(4, 3), lambda x: x.reshape((4, -1), order="F"), lambda x: x.reshape(-1, copy=False),
                lambda x: x.reshape(12, copy=True)),
    "transpose": (lambda x: x.transpose(), lambda x: x.transpose(1, 0), lambda x: x.transpose((1, 0)),
                  lambda x: x.transpose(None)),
    "flatten": (lambda x: x.flatten(), lambda x: x.flatten("F"), lambda x: x.T.flatten(order="A"),
                lambda x: x.flatten(order="K"), lambda x: x.T.flatten("K")),
    "ravel": (lambda x: x.ravel("F"), lambda x: x.T.ravel("A"), lambda x: x.T.ravel(order="K"),
              lambda x: x[:, ::2].ravel("K")),
    "astype": (lambda x: x.astype(int) * x, lambda x: x.astype(bool) * x, lambda x: x.astype("f4", order="F"),
               lambda x: x.astype(complex, casting="safe"), lambda x: x.astype(int, casting="same_kind"),
               lambda x: x.astype(float, copy=False), lambda x: (x * 1j + x).astype(float)),
    "clip": (lambda x: x.clip(0.1), lambda x: x.clip(max=0.5), lambda x: x.clip(-0.5, 0.5), lambda x: x.clip(min=0.1),
             lambda x: x.clip(0.1, 0.5, dtype=np.float32)),
    "item": (lambda x: x.item(5), lambda x: x.item(1, 2), lambda x: x.item((2, 1)), lambda x: x.item(-1)),
    "tolist": (lambda x: x.tolist(), lambda x: x[0].tolist()),
    "conjugate": (lambda x: x.conjugate(), lambda x: x.conj()),
    "T": (lambda x: x.T, lambda x: x.mT, lambda x: x.real, lambda x: x.imag, lambda x: np.array(list(x.flat))),
    "operators": (lambda x: x // 0.1 + x, lambda x: 0.3 // x + x, lambda x: x % 0.4, lambda x: 2.0 % x,
                  lambda x: x.swapaxes(0, 1), lambda x: -x + +x, lambda x: x**2, lambda x: 2.0**x,
                  lambda x: x @ x.T, lambda x: (x > 0.2) * x, lambda x: abs(x),
                  lambda x: (x == x) * x, lambda x: [1.0, 2.0, 3.0, 4.0] * x),
    "numbers": (lambda x: x[0, 0].round() + x[0, 1].sum() + x[0, 2].mean(axis=None), lambda x: x[1, 1] // 0.1 + x[0, 0],
                lambda x: (x[1, 1] * 0 + 2.5).round() + x[0, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_arrays_do_what_numpys_arrays_do(name: str) -> None:
    for kind in ("matrix", "complex"):
        found = [(k, wrong) for k, f in enumerate(WAYS[name]) if (wrong := complaint(f, INPUTS[kind], ""))]
        assert [] == found, kind


@pytest.mark.slow
def test_every_method_with_every_keyword_is_what_the_function_is() -> None:
    found = []
    for name in sorted(FUNCTIONS - {"conj", "swapaxes"}):
        for kind, x in (("vector", VECTOR), ("matrix", MATRIX)):
            for said, keys, _ in calls(name, x, _SIGNATURES.get(name)):
                key = keys.split()
                for option in [python_numpy_calls.values(name, k, x) for k in key if " " not in keys]:
                    for given in option:
                        wrong = complaint(_as_method(name, {key[0]: given}, x), x, keys)
                        if wrong:
                            found.append(f"{said} of the {kind} as a method: {wrong}")
    assert [] == found


def _as_method(name: str, keywords: dict[str, Any], x: Any) -> Callable[[Any], Any]:
    needed = {
        key: python_numpy_calls.values(name, key, x)[0]
        for key in {"repeat": ["repeats"], "take": ["indices"], "searchsorted": ["v"], "dot": ["b"]}.get(name, [])
    }
    return lambda y: getattr(y, name)(*needed.values(), **keywords)


@pytest.mark.parametrize("change", [lambda x: x.sort(), lambda x: x.sort(axis=0), lambda x: x.sort(0)])
def test_what_would_change_an_array_in_place_is_refused(change: Callable[[Any], Any]) -> None:
    with pytest.raises(TracingProblem, match="cannot be changed in place"):
        jvp(lambda x: change(x) or x[0])(VECTOR)(VECTOR)


def test_whole_numbers_of_an_array_are_constant_between_jumps() -> None:
    x = np.array([1.5, -2.7])
    value, dot = jvp(lambda y: y.astype(int) * y)(x)(np.ones(2))
    assert [1.5, 5.4] == pytest.approx(value.tolist()) and [1.0, -2.0] == dot.tolist()


SHORT: list[Callable[[Any], Any]] = [
    np.sum,
    np.std,
    np.median,
    np.max,
    np.linalg.det,
    np.linalg.inv,
    lambda x: np.linalg.svd(x, compute_uv=False),
    np.fft.rfft2,
    np.exp2,
    np.cov,
    lambda x: np.percentile(x, [30.0, 60.0], axis=0),
    lambda x: np.mean(x, where=x > 0),
    lambda x: np.pad(x, 1, "mean"),
    lambda x: np.average(x, weights=x * x),
    lambda x: np.float_power(x, 2.0),
    lambda x: x[[0, 0, 1]] * 2.0,
    lambda x: np.linalg.eigh(x + x.T),
    lambda x: np.interp(x, [-3.0, 0.0, 3.0], [1.0, 0.0, 2.0]),
    np.i0,
    np.gradient,
    lambda x: np.linalg.norm(x, "nuc"),
    lambda x: np.where(x > 0, x, 0.0),
    lambda x: np.clip(x[0, 0], -9.0, 9.0),
]


@pytest.mark.parametrize("f", SHORT)
def test_single_precision_in_gives_single_precision_out(f: Callable[[Any], Any]) -> None:
    x = SQUARE.astype(np.float32)
    expected = [np.asarray(part).dtype for part in leaves(f(x))[:-1]]
    value, dot = jvp(f)(x)(x)
    assert expected == [part.dtype for part in leaves(value)[:-1]] == [part.dtype for part in leaves(dot)[:-1]]
    _, pull = vjp(f)(x)
    assert np.float32 == pull(value).dtype


def test_there_is_no_derivative_where_there_is_no_value_and_a_branch_not_taken_has_none_to_give() -> None:
    x = np.array([-1.0, 0.0, 4.0])
    assert np.array_equal([np.nan, np.inf, 0.25], jvp(np.log)(x)(np.ones(3))[1], equal_nan=True)
    assert np.array_equal([True, True, False], np.isnan(vjp(np.arccos)(2 - x / 3)[1](np.ones(3)) * 0))
    for f, slope in ((np.log, 0.25), (np.sqrt, 0.25), (lambda y: 1 / y, -0.0625), (lambda y: y**0.5, 0.25)):
        branch = lambda y, f=f: np.where(y > 0, f(y), 0.0)  # noqa: E731
        assert [0.0, 0.0, slope] == vjp(branch)(x)[1](np.ones(3)).tolist()
        assert [0.0, 0.0, slope] == jvp(branch)(x)(np.ones(3))[1].tolist()


# --- rules that pass a keyword over ----------------------------------------------------------------------------------

PLANTED: dict[str, tuple[str, Callable[..., Any]]] = {
    "a keyword is taken and left alone": (
        "var", lambda x, /, axis=None, ddof=0, **_: np.square(x - x.mean()).mean(axis)),
    "a keyword is honoured with the wrong sign": (
        "diff", lambda x, /, n=1, axis=-1, prepend=None: handlers()["diff"](
            x, n, axis, prepend=None if prepend is None else -np.asarray(prepend))),
    "the value is right and the derivative is not": (
        "sum", lambda x, /, axis=None, *, keepdims=False, initial=0.0: (
            handlers()["sum"](x, axis, keepdims=keepdims) + np.sum(plain(x), axis, keepdims=keepdims)) / 2 + initial),
    "a form is taken for another": ("block", lambda arrays, /: np.concatenate(
        [np.concatenate(row) if isinstance(row, list) else row for row in arrays])),
    "an axis is passed over": ("linspace", lambda a, b, /, num=50, endpoint=True, retstep=False, dtype=None, axis=0:
                               handlers()["linspace"](a, b, num, endpoint, retstep, dtype)),
}  # fmt: skip


@pytest.fixture
def _fresh() -> Iterator[None]:
    dispatch._honouring.cache_clear()
    yield
    dispatch._honouring.cache_clear()


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize("planted", PLANTED)
def test_the_sweep_finds_a_rule_that_passes_a_keyword_over(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, rule = PLANTED[planted]
    wrong = {**handlers(), name: rule}
    monkeypatch.setattr(dispatch, "handlers", lambda: wrong)
    assert swept(name)[1]


@pytest.mark.usefixtures("_fresh")
def test_the_sweep_finds_a_reading_of_signatures_that_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = Honouring._honour

    def honour(self: Honouring, *given: Any) -> None:
        with contextlib.suppress(NotImplementedError):
            reading(self, *given)

    monkeypatch.setattr(Honouring, "_honour", honour)
    names = ("sum", "var", "concatenate", "trace", "cumsum", "swapaxes")
    assert {"swapaxes"} == {name for name in names if not swept(name)[1]}


def test_a_keyword_without_values_is_an_error_of_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(python_numpy_calls._OFTEN, "keepdims")
    with pytest.raises(python_numpy_calls.Missing, match="sum: no values for keepdims="):
        swept("sum")


def test_derivatives_of_sinc_are_right_next_to_0_and_far_from_it() -> None:
    points = np.array([0.0, 1e-9, 0.02, 0.3, -0.7, 2.5])
    derivative = np.sinc
    for order in range(1, 7):
        derivative = elementwise_grad(derivative)
        with mpmath.workdps(60):
            expected = [float(mpmath.diff(lambda x: mpmath.sincpi(x), mpmath.mpf(x), order)) for x in points]
        assert expected == pytest.approx(derivative(points), rel=1e-9, abs=1e-9)
