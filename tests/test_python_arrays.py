"""Differentiating NumPy: every function that is promised, to second order, in both modes, against differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import adcli
from adcli.errors import AdcliError
from adcli.python import (
    IndependenceWarning,
    WrongDerivative,
    check_grads,
    defjvp,
    defvjp,
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    primitive,
    sigmoid,
    traces,
    transforms,
    value_and_grad,
    vjp,
)
from adcli.python.core.traced import Traced
from adcli.python.nan_tracing import NotFinite
from adcli.python.numpy.rearranging import KINDS
from adcli.python.traces import Tape

SOURCE = np.random.RandomState(7)
VECTOR, OTHER = SOURCE.randn(4), SOURCE.randn(4)
MATRIX, WIDE = SOURCE.randn(3, 4), SOURCE.randn(4, 5)
CUBE = SOURCE.randn(2, 3, 4)
SQUARE = SOURCE.randn(3, 3) + 4 * np.eye(3)
STACKED = SOURCE.randn(2, 3, 3) + 4 * np.eye(3)
POSITIVE = np.abs(MATRIX) + 0.5
COMPLEX = SOURCE.randn(3, 3) + 1j * SOURCE.randn(3, 3)
MASK = MATRIX > 0


def symmetric(a: object) -> object:
    return a @ np.swapaxes(a, -1, -2)


CASES: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {
    "broadcast a row": (lambda a, b: a * b + b, (MATRIX, VECTOR)),
    "broadcast a column": (lambda a, b: a / b, (MATRIX, POSITIVE[:, :1])),
    "broadcast a number": (lambda a, b: a * np.sin(b) + b, (MATRIX, 0.7)),
    "power": (lambda a, b: a**b, (POSITIVE, VECTOR)),
    "elementwise chain": (lambda a: np.tanh(a) * np.exp(-a * a) + np.arctan(a) / np.cosh(a), (MATRIX,)),
    "inverse functions": (lambda a: np.arcsin(a / 9) + np.arccos(a / 9) + np.arcsinh(a) + np.arctanh(a / 9), (MATRIX,)),
    "logarithms": (lambda a: np.log(a) + np.log2(a) + np.log10(a) + np.log1p(a) + np.expm1(a), (POSITIVE,)),
    "written": (lambda a: np.square(a) + np.reciprocal(a) + np.exp2(a) + np.deg2rad(a) + np.rad2deg(a), (POSITIVE,)),
    "logaddexp": (lambda a, b: np.logaddexp(a, b) + np.logaddexp2(a, b), (MATRIX, VECTOR)),
    "hypot and arctan2": (lambda a, b: np.hypot(a, b) + np.arctan2(a, b), (MATRIX, VECTOR)),
    "remainder": (lambda a: np.mod(a, 1.7), (MATRIX,)),
    "rows that NumPy lacks": (lambda a: sigmoid(a) * a, (MATRIX,)),
    "maximum and minimum": (lambda a, b: np.maximum(a, b) * np.minimum(a, 0.1), (MATRIX, VECTOR)),
    "sum": (lambda a: np.sum(a * a), (CUBE,)),
    "sum along axes": (lambda a: np.sum(a**3, axis=(0, 2)), (CUBE,)),
    "sum that keeps": (lambda a: a / np.sum(a * a, axis=1, keepdims=True), (CUBE,)),
    "mean var std": (lambda a: np.mean(a, axis=0) * np.var(a, axis=0, ddof=1) + np.std(a), (MATRIX,)),
    "prod": (lambda a: np.prod(a, axis=1) + np.prod(a), (MATRIX,)),
    "prod with a zero": (lambda a: np.prod(a * np.array([1.0, 0.0, 1.0, 1.0]) + a**2 * 0), (VECTOR,)),
    "max and min": (lambda a: np.max(a, axis=1) * np.min(a) + np.ptp(a, axis=1), (MATRIX,)),
    "cumsum": (lambda a: np.cumsum(a * a, axis=1), (MATRIX,)),
    "cumsum of all": (lambda a: np.cumsum(a * a), (MATRIX,)),
    "cumprod": (lambda a: np.cumprod(a, axis=1), (MATRIX,)),
    "sort": (lambda a: np.sort(a, axis=0) ** 2, (MATRIX,)),
    "partition": (lambda a: np.partition(a, 2) ** 2, (VECTOR,)),
    "clip": (lambda a: np.clip(a, -0.5, 0.8) * a, (MATRIX,)),
    "where": (lambda a, b: np.where(MASK, a * b, b), (MATRIX, VECTOR)),
    "select": (lambda a: np.select([MASK, ~MASK], [a * a, -a]), (MATRIX,)),
    "dot": (lambda a, b: np.dot(a, b) ** 2, (MATRIX, WIDE)),
    "dot of vectors": (lambda a, b: np.dot(a, b) ** 2, (VECTOR, OTHER)),
    "dot of many": (lambda a, b: np.dot(a, b) ** 2, (CUBE, WIDE)),
    "matmul": (lambda a, b: (a @ b) ** 2, (CUBE, WIDE)),
    "matmul with a vector": (lambda a, b: (a @ b) ** 2, (MATRIX, VECTOR)),
    "vector with matmul": (lambda a, b: (a @ b) ** 2, (VECTOR, WIDE)),
    "matmul broadcast": (lambda a, b: (a @ b) ** 2, (STACKED, SQUARE)),
    "outer": (lambda a, b: np.outer(a, b) ** 2, (VECTOR, OTHER)),
    "inner": (lambda a, b: np.inner(a, b) ** 2, (CUBE, MATRIX)),
    "kron": (lambda a, b: np.kron(a, b) ** 2, (SQUARE, MATRIX)),
    "tensordot": (lambda a, b: np.tensordot(a, b, axes=([2, 0], [0, 1])) ** 2, (CUBE, np.ones((4, 2, 3)))),
    "einsum": (lambda a, b: np.einsum("ij,jk->ik", a, b) ** 2, (MATRIX, WIDE)),
    "einsum diagonal": (lambda a: np.einsum("ii->i", a) ** 2, (SQUARE,)),
    "einsum trace": (lambda a: np.einsum("ii", a) ** 2, (SQUARE,)),
    "einsum that sums": (lambda a, b: np.einsum("ij,k->j", a, b) ** 2, (MATRIX, VECTOR)),
    "einsum dots": (lambda a, b: np.einsum("...ij,...jk->...ik", a, b) ** 2, (STACKED, SQUARE)),
    "einsum by numbers": (lambda a, b: np.einsum(a, [0, 1], b, [1, 2], [2, 0]) ** 2, (MATRIX, WIDE)),
    "index": (lambda a: a[1, 2] * a[0], (MATRIX,)),
    "slice": (lambda a: a[::-1, 1:3] * a[:, :2], (MATRIX,)),
    "mask": (lambda a: a[MASK] ** 2, (MATRIX,)),
    "integer arrays": (lambda a: a[[0, 0, 2], [1, 1, 3]] ** 2, (MATRIX,)),
    "new axis": (lambda a: a[:, None] * a[None, :], (VECTOR,)),
    "elements one by one": (lambda a: sum(a[k] * a[k + 1] for k in range(3)), (VECTOR,)),
    "iteration": (lambda a: sum(np.sum(row) ** 2 for row in a), (MATRIX,)),
    "reshape": (lambda a: np.reshape(a, (4, 3)) @ a.reshape(3, 4), (MATRIX,)),
    "reshape by columns": (lambda a: np.reshape(a, (4, 3), order="F") ** 2, (MATRIX,)),
    "transpose": (lambda a: np.transpose(a, (2, 0, 1)) ** 2 + a.T.swapaxes(1, 2).T, (SOURCE.randn(3, 3, 3),)),
    "moveaxis": (lambda a: np.moveaxis(a, 0, -1) ** 2, (CUBE,)),
    "ravel squeeze expand": (lambda a: np.expand_dims(np.squeeze(a[:1]), 0).ravel() ** 2, (MATRIX,)),
    "concatenate": (lambda a, b: np.concatenate([a, b, a], axis=1) ** 2, (MATRIX, MATRIX[:, :2])),
    "stack": (lambda a, b: np.stack([a, b], axis=1) ** 2, (VECTOR, OTHER)),
    "vstack hstack": (lambda a, b: np.hstack([a, b]) @ np.vstack([b, a, a, b]), (VECTOR[:2], OTHER[:2])),
    "append": (lambda a, b: np.append(a, b) ** 2, (VECTOR, 2.0)),
    "pad": (lambda a: np.pad(a, 2, mode="reflect") ** 2 + np.pad(a, 2) ** 3, (MATRIX,)),
    "roll flip tile repeat": (lambda a: np.tile(np.roll(np.flip(a), 1), 2) * np.repeat(a, 2), (VECTOR,)),
    "diag trace tril triu": (lambda a: np.trace(a) * np.diag(a) @ np.tril(a) @ np.triu(a, 1), (SQUARE,)),
    "split": (lambda a: [part**2 for part in np.split(a, 2)], (VECTOR,)),
    "diff gradient": (lambda a: np.diff(a, 2) ** 2 * np.gradient(a)[:2], (VECTOR,)),
    "cross": (lambda a, b: np.cross(a, b) ** 2, (SQUARE, SQUARE[::-1])),
    "linspace": (lambda a, b: np.linspace(a, b, 4) ** 2, (1.0, 3.0)),
    "array of numbers": (lambda a, b: np.sin(np.array([a, b, a * b])), (1.0, 3.0)),
    "broadcast_to": (lambda a: np.broadcast_to(a, (3, 4)) ** 2, (VECTOR,)),
    "astype": (lambda a: a.astype(np.complex128).real ** 2, (VECTOR,)),
    "average": (lambda a, w: np.average(a, axis=0, weights=w), (POSITIVE, POSITIVE)),
    "solve": (lambda a, b: np.linalg.solve(a, b), (SQUARE, MATRIX)),
    "solve a vector": (lambda a, b: np.linalg.solve(a, b), (SQUARE, VECTOR[:3])),
    "solve stacked": (lambda a, b: np.linalg.solve(a, b), (STACKED, SQUARE)),
    "inv": (lambda a: np.linalg.inv(a), (STACKED,)),
    "pinv": (lambda a: np.linalg.pinv(a), (MATRIX,)),
    "det": (lambda a: np.linalg.det(a), (STACKED,)),
    "slogdet": (lambda a: np.linalg.slogdet(a)[1], (STACKED,)),
    "cholesky": (lambda a: np.linalg.cholesky(symmetric(a)), (STACKED,)),
    "eigh": (lambda a: tuple(np.linalg.eigh(a + a.T)), (SQUARE,)),
    "svd": (lambda a: tuple(np.linalg.svd(a, full_matrices=False)), (MATRIX,)),
    "matrix power": (lambda a: np.linalg.matrix_power(a / 5, 3) + np.linalg.matrix_power(a, -1), (SQUARE,)),
    "norm": (lambda a: np.linalg.norm(a) * np.linalg.norm(a, axis=1), (MATRIX,)),
    "norms of vectors": (lambda a: np.linalg.norm(a, 1) * np.linalg.norm(a, 3) * np.linalg.norm(a, np.inf), (VECTOR,)),
    "norms of matrices": (lambda a: np.linalg.norm(a, "nuc") * np.linalg.norm(a, 2) * np.linalg.norm(a, 1), (SQUARE,)),
    "complex": (lambda a: np.abs(np.exp(a @ a / 9)) + np.angle(a) + np.real(a * np.conj(a).T), (COMPLEX,)),
    "complex from real": (lambda a: np.abs(np.exp(1j * a) + a) ** 2, (MATRIX,)),
    "complex linear algebra": (lambda a: np.abs(np.linalg.inv(a) @ np.linalg.solve(a, a.T)), (COMPLEX,)),
    "fft": (lambda a: np.abs(np.fft.fft(a)) + np.real(np.fft.ifft(a, 6)[:, :4]), (MATRIX,)),
    "fftn": (lambda a: np.abs(np.fft.fftn(a, (2, 5), (0, 1))) + np.abs(np.fft.fft2(a.T)[:2, :1]), (COMPLEX,)),
    "rfft": (lambda a: np.abs(np.fft.rfftn(a, norm="ortho")) + np.abs(np.fft.rfft(a, 4)), (MATRIX,)),
    "irfft": (lambda a: np.fft.irfft(a) * np.fft.irfft2(a, (3, 4)) + np.fft.irfft(a, 5)[:, :4], (COMPLEX,)),
    "fftshift": (lambda a: np.fft.fftshift(a) * np.fft.ifftshift(a, axes=0), (MATRIX,)),
    "eig": (lambda a: (np.abs(np.linalg.eig(a)[0]), np.abs(np.linalg.eig(a)[1])), (COMPLEX,)),
}


@pytest.mark.parametrize("name", CASES)
def test_arrays_differentiate_to_second_order_in_both_modes(name: str) -> None:
    f, at = CASES[name]
    check_grads(f)(*at)


MOVES = {
    "rollaxis": (1,), "repeat": (2,), "tile": (2,), "take": ([0, 3, 3],), "delete": (1,), "roll": (1,), "split": (2,),
    "hsplit": (2,), "vsplit": (2,), "dsplit": (2,), "array_split": (3,), "resize": ((2, 3),),
    "take_along_axis": (np.zeros((1, 4, 4), int), 0),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS["rearranging"])
def test_all_that_only_moves_elements_moves_adjoints_back(name: str) -> None:
    x = VECTOR if name in ("diag", "diagflat") else SOURCE.randn(4, 4, 4)
    check_grads(lambda y: getattr(np, name)(y, *MOVES.get(name, ())), order=1)(x)


@pytest.mark.filterwarnings("ignore:`row_stack`:DeprecationWarning")
@pytest.mark.parametrize("name", [name for name in KINDS["joining"] if hasattr(np, name)])
def test_all_that_only_joins_arrays_takes_adjoints_apart(name: str) -> None:
    check_grads(lambda a, b: getattr(np, name)([a * a, b]))(MATRIX, MATRIX)


def test_the_gradient_of_a_layer_is_the_formula() -> None:
    weights = SOURCE.randn(4, 2)
    targets = SOURCE.randn(3, 2)
    found = grad(lambda w: np.sum(np.tanh(MATRIX @ w) * targets))(weights)
    assert MATRIX.T @ (targets / np.cosh(MATRIX @ weights) ** 2) == pytest.approx(found, rel=1e-13, abs=0)


def rosenbrock(x: np.ndarray) -> float:
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def test_the_hessian_of_rosenbrock_in_ten_dimensions_is_the_formula() -> None:
    x = np.linspace(-1, 1, 10)
    expected = np.zeros((10, 10))
    for k in range(9):
        expected[k, k] += 1200 * x[k] ** 2 - 400 * x[k + 1] + 2
        expected[k + 1, k + 1] += 200
        expected[k, k + 1] = expected[k + 1, k] = -400 * x[k]
    assert expected == pytest.approx(hessian(rosenbrock)(x), rel=1e-12, abs=1e-10)
    assert expected @ x == pytest.approx(hvp(rosenbrock)(x)(x), rel=1e-12, abs=1e-10)


def test_jacobians_have_the_shape_of_the_result_and_then_of_the_argument() -> None:
    f = lambda x: np.sin(np.outer(x, x))  # noqa: E731
    assert (4, 4, 4) == jacobian(f)(VECTOR).shape
    assert (4, 4, 4, 4) == jacobian(jacobian(f))(VECTOR).shape
    assert 2 * VECTOR == pytest.approx(np.diag(jacobian(lambda x: x * x)(VECTOR)))
    assert 2 * VECTOR == pytest.approx(elementwise_grad(lambda x: x * x)(VECTOR))


def _real(found: object) -> bool:
    return isinstance(found, np.ndarray) and found.dtype == float and found.size > 1


def test_rows_of_jacobians_that_are_found_together_are_those_that_are_found_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of every function above, and of the gradients of them; by two rows at a time too."""
    asked, together = 0, Tape.adjoints_of_rows

    def counted(*given: object) -> object:
        nonlocal asked
        found = together(*given)
        asked += found is not None
        return found

    monkeypatch.setattr(Tape, "adjoints_of_rows", counted)
    for name, (function, arguments) in CASES.items():
        first = arguments[0]
        if not _real(first) or not _real(function(*arguments)):
            continue
        for f, most in ((function, 3), (grad(lambda *a, f=function: np.sum(f(*a) ** 2)), 256)):
            monkeypatch.setattr(transforms, "_ROWS", most)
            value, pull = vjp(f)(*arguments)
            units = np.eye(value.size).reshape(-1, *value.shape)
            alone = np.stack([pull(unit) for unit in units]).reshape(value.shape + first.shape)
            np.testing.assert_allclose(jacobian(f)(*arguments), alone, rtol=1e-11, atol=1e-11, err_msg=name)
    assert asked > 100


def test_rows_that_would_take_much_memory_together_are_found_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tape = Tape(1)
    x = tape.input(np.arange(20.0))
    y = x * x
    rows = np.eye(20)
    assert np.array_equal(2 * np.diag(x.value), tape.adjoints_of_rows(y.mark, rows, [x.mark])[0])
    monkeypatch.setattr(traces, "_MOST", 399)
    assert tape.adjoints_of_rows(y.mark, rows, [x.mark]) is None
    assert np.array_equal(2 * np.diag(x.value), jacobian(lambda x: x * x)(x.value))


def test_rows_have_no_derivative_where_it_is_not_asked_for() -> None:
    found = jacobian(lambda x: np.where(x > 0, np.log(np.abs(x)), np.sqrt(x + 1.5)))(np.array([-1.0, 2.0, 0.5]))
    assert np.diag([1 / (2 * np.sqrt(0.5)), 0.5, 2.0]) == pytest.approx(found)


def test_a_vjp_can_be_asked_again_and_is_not_changed_by_what_is_done_to_its_answers() -> None:
    _, pull = vjp(lambda x: x[0] * x + x[1:3].sum())(VECTOR)
    first = pull(OTHER)
    kept = first.copy()
    first += 100
    assert kept == pytest.approx(pull(OTHER))


def test_gradients_do_not_share_memory_with_what_was_given() -> None:
    seed = np.ones(4)
    one, other = vjp(lambda x, y: x + y, (0, 1))(VECTOR, OTHER)[1](seed)
    one += 5
    assert np.array_equal(np.ones(4), seed)
    assert np.array_equal(np.ones(4), other)
    total = grad(np.sum)(VECTOR)
    total += 1
    assert np.array_equal(2 * np.ones(4), total)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_gradient_has_the_type_of_its_argument(kind: str) -> None:
    found = grad(lambda x: np.sum(x**2))(VECTOR.astype(kind))
    assert kind == found.dtype.name


def test_ties_share_and_a_branch_not_taken_contributes_nothing() -> None:
    assert [0.5, 0.0, 0.5] == grad(np.max)(np.array([3.0, 1.0, 3.0])).tolist()
    x = np.array([-1.0, 4.0])
    with np.errstate(invalid="ignore"):
        found = grad(lambda y: np.sum(np.where(y > 0, np.sqrt(np.where(y > 0, y, 1.0)), 0.0)))(x)
    assert [0.0, 0.25] == found.tolist()


def test_a_norm_has_slope_zero_at_zero() -> None:
    assert [0.0, 0.0] == grad(np.linalg.norm)(np.zeros(2)).tolist()


def test_questions_are_answered_by_the_numbers() -> None:
    def f(x: np.ndarray) -> object:
        assert (4,) == x.shape and 4 == len(x) == x.size and 1 == x.ndim and x.dtype == np.float64
        assert np.argmax(x) == np.argmax(VECTOR) and (x > 0).tolist() == (VECTOR > 0).tolist()
        assert np.allclose(x, VECTOR) and not np.any(np.isnan(x))
        return x[np.argmax(x)]

    assert 1.0 == grad(f)(VECTOR).sum()


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda x: np.histogram(x), "cannot differentiate numpy.histogram"),
        (lambda x: np.linalg.svd(x.reshape(1, 4)), "cannot differentiate numpy.linalg.svd with full_matrices=True"),
        (lambda x: np.sum(np.nextafter(x, 1.0)), "cannot differentiate numpy.nextafter"),
        (lambda x: np.sum(x, dtype=int), "cannot differentiate numpy.sum with dtype=int64"),
        (lambda x: np.sum(x, out=np.zeros(())), "cannot differentiate numpy.sum with out="),
        (lambda x: np.sum(np.add(x, x, out=np.zeros(4))), "cannot differentiate numpy.add with out="),
        (lambda x: np.add(x, x, where=x > 0)[0], "cannot differentiate numpy.add with where="),
        (lambda x: np.pad(x, 1, lambda *_: None).sum(), "cannot differentiate numpy.pad with a function as mode="),
        (lambda x: np.add.at(x, [0], 1.0), "cannot differentiate numpy.add.at"),
    ],
)
def test_what_is_not_supported_says_so_by_name(use: Callable[..., object], said: str) -> None:
    with pytest.raises(NotImplementedError, match=said):
        grad(use)(VECTOR)


def test_a_traced_array_cannot_be_changed_in_place() -> None:
    def f(x: object) -> object:
        x[0] = 1.0
        return x

    with pytest.raises(TypeError, match="cannot be changed in place"):
        grad(f)(VECTOR)


# --- rules of the user's ----------------------------------------------------------------------------------------------


def log_sum_exp() -> object:
    @primitive
    def logsumexp(x: np.ndarray) -> float:
        return np.max(x) + np.log(np.sum(np.exp(x - np.max(x))))

    return logsumexp


@pytest.mark.parametrize("register", ["defvjp", "defjvp"])
def test_one_rule_serves_both_modes_and_every_order(register: str) -> None:
    function = log_sum_exp()
    if register == "defvjp":
        defvjp(function, lambda ans, x: lambda g: g * np.exp(x - ans))
    else:
        defjvp(function, lambda dot, ans, x: np.sum(dot * np.exp(x - ans)))
    check_grads(function, order=3)(VECTOR)
    far = np.array([1000.0, 1000.0])
    assert [0.5, 0.5] == pytest.approx(grad(function)(far).tolist(), rel=1e-12)
    assert 1.0 == pytest.approx(jvp(function)(far)(np.ones(2))[1])
    assert 0.25 == pytest.approx(hessian(function)(far)[0, 0])


def test_an_array_divided_by_a_number_of_python_that_is_0_has_infinite_slopes() -> None:
    for zero in (0, 0.0):
        with np.errstate(all="ignore"), pytest.warns(NotFinite):
            assert [[np.inf, 0.0], [0.0, np.inf]] == jacobian(lambda x, zero=zero: x / zero)(np.ones(2)).tolist()


def test_a_linear_primitive_needs_one_word() -> None:
    @primitive
    def double(x: float) -> float:
        return 2 * x

    defjvp(double, "same")
    assert (2.0, 2.0) == jvp(double)(1.0)(1.0)
    with pytest.raises(NotImplementedError, match="double has no rule"):
        grad(double)(1.0)
    defvjp(double, lambda ans, x: lambda g: 2 * g)
    check_grads(double)(1.0)


def test_none_stands_for_no_dependence_and_argnums_pick_arguments() -> None:
    @primitive
    def scaled(x: float, factor: float, label: str = "") -> float:
        return x * factor

    defvjp(scaled, lambda ans, x, factor, label="": lambda g: g * factor, None)
    assert 3.0 == grad(scaled)(2.0, 3.0, label="a")
    assert 0.0 == grad(scaled, 1)(2.0, 3.0)
    defvjp(scaled, lambda ans, x, factor: lambda g: g * x, argnums=(1,))
    assert 2.0 == grad(scaled, 1)(2.0, 3.0)


@pytest.mark.parametrize("transform", [grad, lambda f: lambda x: jvp(f)(x)(1.0)])
def test_a_primitive_without_a_rule_says_so(transform: Callable[..., Callable[..., object]]) -> None:
    with pytest.raises(NotImplementedError, match="plain has no rule for its derivative"):

        @primitive
        def plain(x: float) -> float:
            return x

        transform(plain)(1.0)


@pytest.mark.parametrize("modes", [("rev",), ("fwd",), ("fwd", "rev")])
def test_the_checker_finds_a_rule_that_is_slightly_wrong(modes: tuple[str, ...]) -> None:
    @primitive
    def foo(x: float) -> float:
        return x * x

    defvjp(foo, lambda ans, x: lambda g: g * 2.0001 * x)
    with pytest.raises(WrongDerivative, match="check of foo failed"):
        check_grads(foo, modes=modes)(3.0)


@pytest.mark.parametrize("argnum", [None, 0, "x", [0], ("x",)])
def test_the_checker_finds_a_rule_whose_own_derivative_is_wrong(argnum: object) -> None:
    @primitive
    def cube(x: float) -> float:
        return x**3

    defvjp(cube, lambda ans, x: lambda g: g * slope(x))

    @primitive
    def slope(x: float) -> float:
        return 3 * x * x

    defvjp(slope, lambda ans, x: lambda g: g * 5 * x)
    check_grads(cube, argnum, order=1)(2.0)
    with pytest.raises(WrongDerivative, match=r"\(VJP\) check of vjp_cube failed"):
        check_grads(cube, argnum, modes=["rev"])(2.0)


@pytest.mark.parametrize("place", range(4))
def test_the_checker_finds_a_sign_error_in_any_component(place: int) -> None:
    signs = np.ones(4)
    signs[place] = -1.0

    @primitive
    def turned(x: np.ndarray) -> np.ndarray:
        return x * 1.0

    defvjp(turned, lambda ans, x: lambda g: g * signs)
    with pytest.raises(WrongDerivative):
        check_grads(turned, order=1)(VECTOR)


def test_primitives_are_told_apart_from_functions_and_from_wrong_numbers_of_rules() -> None:
    with pytest.raises(AdcliError, match="is not a primitive"):
        defvjp(np.sin, lambda ans, x: lambda g: g)
    with pytest.raises(AdcliError, match="the numbers of rules and of arguments differ: 1 and 2"):
        defvjp(log_sum_exp(), lambda ans, x: lambda g: g, argnums=(0, 1))
    with pytest.raises(AdcliError, match="by keyword"):
        grad(lambda x: primitive(lambda *, a: a)(a=x))(1.0)


def test_sums_of_steps_warn_that_nothing_depends() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert [0.0] * 4 == grad(lambda x: np.sum(x > 0) + 0.0)(VECTOR).tolist()
    assert [IndependenceWarning] == [warning.category for warning in said]


def test_a_traced_number_has_the_type_that_numpys_number_has() -> None:
    def f(x: Traced) -> object:
        assert (
            x.dtype == np.float64
            and issubclass(x.dtype.type, np.float64)
            and isinstance(x.dtype, np.dtype)
            and "float64" == str(x.dtype)
        )
        assert np.zeros(2, dtype=x.dtype).dtype == np.dtype(x.dtype) and np.issubdtype(x.dtype, np.floating)
        assert (
            () == x.shape == x.T.shape
            and 8 == x.itemsize == x.nbytes
            and [x.value] == [part.value for part in x.reshape(1).tolist()]
        )
        return x.item() + np.mean([x, 2 * x]) + np.std([x, x * x]) + divmod(x, 0.4)[1] + np.mean([x.astype(float)])

    def g(x: Traced) -> object:
        return x + np.mean(np.stack([x, 2 * x])) + np.std(np.stack([x, x * x])) + 2 * x

    assert grad(g)(0.7) == pytest.approx(grad(f)(0.7)) and grad(grad(g))(0.7) == pytest.approx(grad(grad(f))(0.7))
    assert isinstance(grad(lambda x: np.sin(x) * x)(np.float32(0.5)), np.float32)


# --- arrays that share memory -----------------------------------------------------------------------------------------

# Views and copies of an array, operators that change it, and what is done with arrays that are not traced.
_VIEWS = (
    "{}[::2]", "{}[1:]", "{}.reshape(2, 2)", "{}.T", "{}[::-1]", "{}[None]", "{}[..., :2]", "np.flip({})", "{}[..., 0]",
    "np.split({}, 2)[0]", "np.ravel({})", "np.atleast_2d({})", "np.squeeze({})", "np.real({})", "{}.real", "{}.conj()",
    "np.asarray({})", "np.rot90({}.reshape(2, 2))", "np.array({}, copy=False)", "{}.astype(float, copy=False)", "{}",
    "np.moveaxis({}[None], 0, 1)", "np.array_split({}, 2)[1]",
)  # fmt: skip
_COPIES = (
    "{}.copy()", "{} * 1", "{}[[0, 1, 2]]", "{}.flatten()", "+{}", "np.copy({})", "{}.astype(float)", "np.array({})",
    "np.conj({})", "np.where(True, {}, 0)", "np.roll({}, 1)",
)  # fmt: skip
_CHANGES = (
    "x *= 2.0", "x -= x / 2", "z = x; z += 1.0", "s = s + np.sum(c * x); c[0] = 9.0", "s = s + np.sum(x[n]); n[0] = 3",
    "s = s + np.sum(np.where(p, x, x * x)); p[1] = True", "e = d.T; s = s + np.sum(x[0] * d); e[0] = 3.0",
    "e = d[:1]; s = s + np.sum(np.sum(x) * d); e += 1.0", "s = s + np.sum(np.interp(x, [-9, 0, 9], [*c[:2], 4.0]))",
    "s = s + np.sum(np.stack([x, c])); c[1] *= 2.0", "e = a[::2]; s = s + np.sum(a * x[0]); e[0] += 1.0",
    "{} += 2.0", "{} *= x[0]", "{} -= {}", "{} /= 3", "{} **= 2", "{} *= y", "{} *= {}", "{}[:1] *= 2.0", "{} @= M",
    "b *= 1.5", "b[0] = 3.0", "k += 1; k %= 3", "m[0] = not m[0]", "s = s + np.sum(x * b)", "s = s + np.sum(x[k] ** 2)",
    "s = s + np.sum(np.where(m, x, x * x))", "w = [y, x * 1]; w[0] *= 2.0", "for row in y.reshape(2, 2): row *= 2.0",
)  # fmt: skip


def _program(source: np.random.RandomState) -> Callable[[np.ndarray], float]:
    """A random function of four numbers: arrays, their views and copies, some changed in place."""
    pick = lambda texts: texts[source.randint(len(texts))]  # noqa: E731
    names, lines = ["x", "y"], ["s, b, k, M = 0.0, np.array([1.0, 2.0, 0.5, 1.5]), np.array([0, 1]), np.eye(4) / 2"]
    lines += ["m = np.array([True, False, True, True])", "y = x * 1.0", "d, a = np.ones((1, 1500)), np.ones(33000)"]
    lines += ["c, n, p = [1.0, 2.0, 3.0, 0.5], [0, 1], [True, False, False, True]"]
    for place in range(source.randint(2, 7)):
        name, kind = pick(names), source.rand()
        if kind < 0.45:
            lines.append(f"z{place} = {pick(_VIEWS if kind < 0.35 else _COPIES).replace('{}', name)}")
            names.append(f"z{place}")
        else:
            lines.append(pick(_CHANGES).replace("{}", name))
    lines.append("return s + " + " + ".join(f"np.sum(np.sin({name})) * {k}" for k, name in enumerate(names, 1)))
    scope: dict[str, object] = {"np": np}
    exec("def f(x):\n    " + "\n    ".join(lines), scope)  # noqa: S102 - made of the texts above
    return scope["f"]  # type: ignore[return-value]


def _slopes(f: Callable[[np.ndarray], object], x: np.ndarray) -> np.ndarray:
    """Central differences of a function that may change its argument."""
    return np.array([(np.asarray(f(x + u)) - np.asarray(f(x - u))) / 2e-6 for u in 1e-6 * np.eye(len(x))])


@pytest.mark.filterwarnings("ignore")
def test_arrays_that_share_memory_are_differentiated_as_numpy_computes_them_or_refused() -> None:
    source, right, refused = np.random.RandomState(5), 0, 0
    for _ in range(300):
        f, x = _program(source), np.array([0.3, 0.7, -0.4, 0.9])
        try:
            value, expected = f(x.copy()), _slopes(f, x)
        except (TypeError, ValueError, IndexError):  # NumPy itself refuses it
            continue
        if not np.abs(expected).max() < 1e5:
            continue
        try:
            found = grad(f)(x.copy())
        except AdcliError:
            refused += 1
            continue
        right += 1
        assert expected == pytest.approx(found, rel=1e-4, abs=1e-5)
        assert value == pytest.approx(vjp(f)(x.copy())[0])
        assert expected.sum() == pytest.approx(jvp(f)(x.copy())(np.ones(4))[1], rel=1e-4, abs=1e-4)
        turns = _slopes(grad(f), x)
        assert turns == pytest.approx(hessian(f)(x.copy()), rel=1e-3, abs=1e-3)
    assert right > 150 and refused > 70


@pytest.mark.parametrize("change", ["x *= 3", "z = x; z *= 3", "x += 2 * x", "(lambda v: v.__imul__(3))(x)"])
def test_an_argument_that_is_changed_in_place_is_differentiated_at_the_value_that_came_in(change: str) -> None:
    scope: dict[str, object] = {"np": np}
    exec(f"def g(x):\n    {change}\n    return x**2\n\ndef f(x):\n    return np.sum(g(x))", scope)  # noqa: S102
    f, g, x, ones = scope["f"], scope["g"], np.array([1.0, 2.0]), np.ones(2)
    rows = [grad(f)(x), value_and_grad(f)(x)[1], vjp(f)(x)[1](1.0), elementwise_grad(g)(x), vjp(g)(x)[1](ones)]
    rows += [np.diag(jacobian(g)(x)), jvp(g)(x)(ones)[1], x * hvp(f)(x)(ones), x * np.diag(hessian(f)(x))]
    rows += [grad(lambda d: f(d["x"]))({"x": x})["x"], grad(lambda x: np.sum(grad(f)(x)))(x) * x]
    for row in rows:
        assert np.array_equal(row, 18 * x)
    assert np.array_equal(x, [1.0, 2.0])


def test_an_array_that_a_derivative_needs_cannot_be_changed_unnoticed() -> None:
    def f(x: np.ndarray) -> object:
        weights = np.ones(x.size)
        y = x * weights
        weights *= 5
        return np.sum(y * weights)

    with pytest.raises(AdcliError, match="changed in place"):
        grad(f)(np.ones(50000))
    assert np.array_equal(np.full(5000, 5.0), grad(f)(np.ones(5000)))
    table = np.random.RandomState(0).rand(40, 1021)
    rows = table[:]
    with pytest.raises(AdcliError, match="changed in place"):
        grad(lambda x: (np.sum(np.sin(table * x)), rows.sort(axis=0))[0])(1.0)
    data = np.ones(50000)
    part = data[:1]
    value, pull = vjp(lambda x: np.sum(x * data))(np.ones(50000))
    for changed in (part, data):
        changed *= 3
        with pytest.raises(AdcliError, match="changed in place"):
            pull(value)
    with pytest.raises(AdcliError, match="changed in place"):
        grad(lambda x: np.sum(x * data) + 0 * part.__imul__(3)[0])(np.ones(50000))
    x = np.ones(5000)
    value, pull = vjp(lambda x: x * x)(x)
    push, turn = jvp(lambda x: x * x)(x), hvp(lambda x: np.sum(x**3))(x)
    value *= 0
    x *= 7
    assert np.array_equal(push(np.ones(5000))[1], np.full(5000, 2.0))
    assert np.array_equal(turn(np.ones(5000)), np.full(5000, 6.0))
    assert np.array_equal(np.full(5000, 2.0), pull(np.ones(5000)))
    data = np.ones((2, 5000))
    grad(lambda x: sum(np.sum(x * row) for row in data))(x)
    data *= 2  # as before


@pytest.mark.parametrize("x", [np.array([0.0, 0.5]), 0.0])
def test_sinc_has_its_second_derivative_at_zero(x: np.ndarray | float) -> None:
    bent = elementwise_grad(elementwise_grad(np.sinc))(x)
    assert -(np.pi**2) / 3 == pytest.approx(np.ravel(bent)[0])


def test_an_axis_out_of_range_is_refused() -> None:
    with pytest.raises(np.exceptions.AxisError, match="axis 2"):
        grad(lambda x: np.prod(x, axis=2))(np.ones(3))
    with pytest.raises(np.exceptions.AxisError, match="axis 2"):
        grad(lambda x: np.sum(np.abs(np.fft.fft(x, axis=2))))(np.ones(3))
    with pytest.raises(ValueError, match="number of dimensions"):
        grad(lambda x: np.linalg.norm(x, 2))(np.ones((2, 2, 2)))


def test_a_larger_plain_array_on_the_left_is_summed_over_its_further_axes() -> None:
    for method, expected in (("__rmul__", MATRIX.sum(axis=0)), ("__radd__", np.full(4, 3.0))):
        assert np.allclose(expected, grad(lambda x, name=method: np.sum(getattr(x, name)(MATRIX)))(VECTOR))


def test_piecewise_takes_a_boolean() -> None:
    assert [3.0] * 4 == [*grad(lambda x: np.sum(np.piecewise(x, True, [lambda y: 3 * y, 0.0])))(VECTOR)]


def test_an_array_of_objects_is_compared_as_one_of_numbers() -> None:
    assert [2.0, 2.0] == [*grad(lambda x: np.sum(np.where(np.array(x) > x, x, 2 * x)))(np.array([1.0, 2.0]))]


def test_one_comparison_chooses_a_whole_array_and_an_array_number_by_number() -> None:
    x = np.array([1.0, 2.0])
    for threshold, slopes in ((0.0, [6.0, 6.0]), (3.0, [5.0, 5.0]), (np.array([0.0, 3.0]), [6.0, 5.0])):
        assert slopes == [*grad(lambda x, t=threshold: np.sum(adcli.where(x[1] > t, 6 * x, 5 * x)))(x)]


def test_functions_of_the_table_take_plain_arrays_before_traced_ones() -> None:
    numbers = np.array([3.0, 4.0])
    for f in (lambda x: adcli.hypot(numbers, x), lambda x: adcli.hypot(x, numbers)):
        assert [0.8, 0.6] == pytest.approx([*grad(lambda x, f=f: np.sum(f(x)))(np.array([4.0, 3.0]))])
