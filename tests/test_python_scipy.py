"""SciPy for traced values: its values to the last digits, and derivatives to second order against differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest

from adcli.errors import AdcliError
from adcli.python import IndependenceWarning, check_grads, elementwise_grad, grad, jvp
from adcli.python.core.scipy_ufuncs import SEVERAL, SLOPES, known_slopes
from adcli.python.extend import combo_check
from adcli.python.scipy import integrate, linalg, signal, special, stats
from adcli.python.scipy.special import RULES
from adcli.python.scipy.stats.distributions import LAWS
from adcli.python.scipy.stats.multivariate import JOINT

scipy_special = pytest.importorskip("scipy.special", reason="SciPy is not installed")

SOURCE = np.random.RandomState(5)
X = np.array([0.3, 0.55, 0.8])
VECTOR, WIDE = SOURCE.randn(3), SOURCE.randn(3, 2)
SQUARE, OTHER = SOURCE.randn(3, 3) + 4 * np.eye(3), SOURCE.randn(3, 3) + 3 * np.eye(3)
POSITIVE = SQUARE @ SQUARE.T


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


# --- elementwise functions --------------------------------------------------------------------------------------------

# Where three numbers between 0 and 1 are no good arguments, or not the telling ones.
POINTS: dict[str, list[Any]] = {
    "ndtri_exp": [-X * 4], "log_ndtr": [np.array([-20.0, -1.0, 3.0])], "erfcx": [np.array([-1.0, 2.0, 60.0])],
    "dawsn": [np.array([-70.0, 2.0, 60.0])], "exprel": [np.array([-1.0, 1e-9, 3.0])], "ellipkm1": [X],
    **{name: [2.0, 7.0, X] for name in ("bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri")},
    **{name: [2.0, X] for name in ("pdtr", "pdtrc", "pdtri")}, "stdtr": [3.0, np.array([-2.0, 0.1, 3.0])],
    **{name: [2, X + 1] for name in ("yn", "kn")}, "expn": [2, X + 0.5], "jv": [1.3, X + 1],
    **{name: [X + 2, X] for name in ("ellipkinc", "ellipeinc")}, "ellipj": [X, 0.4], "hyperu": [1.2, 0.7, X],
    "agm": [X, X + 0.3], "poch": [X + 1, X], "binom": [X + 3, X + 1], "gdtrix": [X + 1, 2.0, X],
    "gdtria": [X, 2.0, X + 1], "nrdtrimn": [X, 1.3, 2.0], "huber": [0.5, np.array([-0.9, 0.3, 2.0])],
    "pseudo_huber": [0.5, np.array([-0.9, 0.3, 2.0])], "elliprf": [X, X + 0.3, X + 0.9], "elliprc": [X, X + 0.3],
    **{name: [1.3, X + 1] for name in ("pbdv", "pbvv", "pbwa")}, "wright_bessel": [0.5, 1.1, X],
}  # fmt: skip
# Whose slope is written with a function that has none.
ONCE = {"elliprf", "elliprc", "ellipkinc", "ellipeinc"}


def points(name: str, count: int) -> list[Any]:
    return [3] + [0.7] * (count - 2) + [X] if name.startswith("eval_") else POINTS.get(name, [X] * count)


# Functions whose slopes are those of the table.
IN_THE_TABLE = ("erf", "erfc", "erfinv", "erfcinv", "exp2", "exp10", "expm1", "log1p")


@pytest.mark.parametrize("name", [name for name in (*SLOPES, *SEVERAL, *IN_THE_TABLE) if not name.startswith("_")])
def test_slopes_of_scipys_elementwise_functions(name: str) -> None:
    function = getattr(scipy_special, name, None)
    if function is None:
        pytest.skip("this version of SciPy has no such function")
    at = points(name, function.nin)
    for k, slopes in enumerate(SEVERAL.get(name) or [known_slopes(name)]):
        for place, slope in enumerate(slopes):
            if slope is not None and np.ndim(at[place]):
                of = (lambda *x, k=k: function(*x)[k]) if name in SEVERAL else function
                check_grads(
                    of, place, order=1 if (name in ONCE and place != 0) or name in ("elliprf", "elliprc") else 2
                )(*at)


@pytest.mark.parametrize(
    ("name", "exact", "x"),
    [
        ("erfcx", lambda x: mpmath.exp(x * x) * mpmath.erfc(x), 80.0),
        ("dawsn", lambda x: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-x * x) * mpmath.erfi(x), 90.0),
        ("log_ndtr", lambda x: mpmath.log(mpmath.ncdf(x)), -30.0),
        ("exprel", lambda x: mpmath.expm1(x) / x, 1e-8),
        ("gammaln", mpmath.loggamma, 7.25),
        ("spence", lambda x: mpmath.polylog(2, 1 - x), 0.999),
        ("ellipk", mpmath.ellipk, 1e-7),
    ],
)
def test_slopes_have_the_digits_of_fifty_digit_arithmetic(name: str, exact: Callable[..., Any], x: float) -> None:
    with mpmath.workdps(50):
        expected = mpmath.diff(exact, mpmath.mpf(x))
        assert abs(grad(getattr(scipy_special, name))(x) - expected) <= 1e-12 * abs(expected)


def test_values_are_those_of_scipy_and_single_stays_single() -> None:
    single = X.astype(np.float32)
    value, slope = jvp(scipy_special.gammaln)(single)(np.ones(3, np.float32))
    assert (np.float32, np.float32) == (value.dtype, slope.dtype)
    assert scipy_special.gammaln(single).tolist() == value.tolist()
    assert scipy_special.erf(0.3) == jvp(scipy_special.erf)(0.3)(1.0)[0]


def test_holomorphic_functions_of_complex_numbers() -> None:
    z = np.array([0.3 + 0.4j, -0.7 + 0.1j])
    for function in (scipy_special.erf, scipy_special.erfc, scipy_special.wofz, special.lambertw):
        check_grads(function)(z)
    check_grads(scipy_special.loggamma, order=1)(z)
    with pytest.raises(AdcliError, match=r"cannot differentiate scipy\.special\.psi for complex numbers"):
        check_grads(scipy_special.loggamma)(z)
    with pytest.raises(AdcliError, match=r"cannot differentiate scipy\.special\.ive for complex numbers"):
        grad(lambda x: abs(scipy_special.ive(1, x + 1j)))(0.4)


def test_what_has_no_rule_is_refused_by_its_name_and_the_way_is_pointed() -> None:
    import scipy.linalg
    import scipy.stats

    for function, at, words in (
        (scipy_special.kolmogorov, X, r"cannot differentiate scipy\.special\.kolmogorov"),
        (
            lambda a: scipy_special.gammainc(a, 1.0),
            X,
            r"cannot differentiate scipy\.special\.gammainc with respect to argument 0",
        ),
        (special.diric, X, r"scipy\.special\.diric"),
        (scipy.stats.norm.pdf, X, r"scipy\.stats\.norm\.pdf does not accept traced values(.|\n)*adcli\.python\.scipy"),
        (scipy.stats.norm.pdf, 0.3, r"scipy\.stats\.norm\.pdf"),
        (scipy.linalg.expm, SQUARE, r"scipy\.linalg\.expm"),
        (stats.norm.fit, X, r"scipy\.stats\.norm\.fit"),
        (lambda m: stats.poisson.pmf(m, 1.0), 3.0, "has no derivative with respect to the number"),
        (lambda a: linalg.solve(a, VECTOR, assume_a="pos"), POSITIVE, "with assume_a="),
    ):
        with pytest.raises(AdcliError, match=words):
            elementwise_grad(function)(at)


def test_a_function_that_is_only_called_as_one_of_scipys_is_not_taken_for_it() -> None:
    class Foreign:
        """What numba makes: a function with the name and the ways of one of NumPy's."""

        __name__ = "gamma"

    x = np.frompyfunc(lambda x: x * 3, 1, 1)
    assert x.__name__ not in SLOPES
    from adcli.python.core.scipy_ufuncs import is_scipys

    assert not is_scipys(Foreign())  # type: ignore[arg-type]
    assert is_scipys(scipy_special.gamma)


# --- what SciPy writes in Python --------------------------------------------------------------------------------------

CASES: list[tuple[str, Callable[..., Any], list[Any]]] = [
    ("logsumexp of all", special.logsumexp, [WIDE]),
    ("logsumexp of a number", special.logsumexp, [0.3]),
    ("logsumexp with weights", lambda a, b: special.logsumexp(a, 1, b, True), [WIDE, WIDE**2 + 1]),
    ("logsumexp with sign", lambda a: special.logsumexp(a, b=[1, -3], axis=1, return_sign=True)[0], [WIDE]),
    ("softmax", lambda a: special.softmax(a, axis=1), [WIDE]),
    ("log_softmax", lambda a: special.log_softmax(a, axis=0), [WIDE]),
    ("polygamma", lambda x: special.polygamma([1, 2, 0], x), [X]),
    ("multigammaln", lambda x: special.multigammaln(x + 3, 2), [X]),
    ("zeta", lambda q: special.zeta(2.5, q), [X]),
    ("lambertw", special.lambertw, [X]),
    ("spherical_jn", lambda x: special.spherical_jn(0, x), [X]),
    ("spherical_kn", lambda x: special.spherical_kn(2, x, True), [X]),
    ("kvp", lambda x: special.kvp(1, x, 2), [X + 1]),
    ("comb", lambda n: special.comb(n, 2), [X + 3]),
    *[
        (f"solve_triangular {how}", lambda a, b, how=how: linalg.solve_triangular(a, b, *how), [SQUARE, b])
        for how, b in (((0, True), VECTOR), (("T", False), WIDE), ((2, False, True), VECTOR))
    ],
    ("cholesky", linalg.cholesky, [POSITIVE]),
    ("cho_solve", lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b), [POSITIVE, VECTOR]),
    ("expm", linalg.expm, [SQUARE / 5]),
    ("expm of a stack", linalg.expm, [np.stack([SQUARE, OTHER]) / 5]),
    ("logm", linalg.logm, [POSITIVE / 6 + np.eye(3)]),
    ("sqrtm", linalg.sqrtm, [POSITIVE / 6 + np.eye(3)]),
    ("solve_sylvester", linalg.solve_sylvester, [SQUARE, OTHER, SQUARE[::-1]]),
    ("solve_continuous_lyapunov", linalg.solve_continuous_lyapunov, [SQUARE, OTHER]),
    ("solve_discrete_lyapunov", linalg.solve_discrete_lyapunov, [SQUARE / 9, OTHER]),
    ("solve_banded", lambda a, b: linalg.solve_banded((1, 1), a, b), [np.add(SQUARE.T, [[0], [5], [0]]), WIDE]),
    ("toeplitz", linalg.toeplitz, [VECTOR, WIDE[:, 0]]),
    ("block_diag", linalg.block_diag, [VECTOR, WIDE]),
    *[
        (f"convolve {mode}", lambda a, b, mode=mode: signal.convolve(a, b, mode), [WIDE[:, :1], SQUARE[:2, :1]])
        for mode in ("full", "same", "valid")
    ],
    ("correlate", lambda a, b: signal.correlate(a, b), [VECTOR, WIDE[:2, 0]]),
    ("trapezoid", integrate.trapezoid, [VECTOR, np.sort(X)]),
    ("cumulative_trapezoid", lambda y: integrate.cumulative_trapezoid(y, initial=0, axis=0), [WIDE]),
    (
        "multivariate_normal",
        lambda x, m, c: stats.multivariate_normal.logpdf(x, m, (c + c.T) / 2),
        [WIDE.T, VECTOR, POSITIVE],
    ),
    ("entropy", lambda c: stats.multivariate_normal.entropy(cov=c), [POSITIVE]),
    ("dirichlet", lambda x, a: stats.dirichlet.pdf(x / np.sum(x), a), [X, X + 1]),
    ("dirichlet's entropy", stats.dirichlet.entropy, [X + 1]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "at"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_functions_that_scipy_writes_in_python(function: Callable[..., Any], at: list[Any]) -> None:
    places = tuple(range(len(at)))
    value = jvp(function, places)(*at)(tuple(np.zeros(np.shape(x)) for x in at))[0]
    assert np.allclose(function(*at), value, rtol=1e-10, atol=1e-12)
    check_grads(function, order=2 if np.size(value) < 10 else 1)(*at)


def test_convolution_along_some_axes_sums_over_others() -> None:
    a, b = SOURCE.randn(3, 4), SOURCE.randn(3, 2, 2)
    import scipy.signal

    got = signal.convolve(a, b, axes=([1], [2]), dot_axes=([0], [0]), mode="valid")
    expected = sum(scipy.signal.convolve(a[i], b[i, 1], "valid") for i in range(3))
    assert np.allclose(got[1], expected)
    check_grads(lambda a, b: signal.convolve(a, b, axes=([1], [2]), dot_axes=([0], [0]), mode="same"))(a, b)


def test_differential_equations_are_differentiated_by_all_that_is_given() -> None:
    def field(y: Any, t: Any, a: Any, b: Any) -> Any:
        return [y[1] * a, -b["k"] * y[0] * t]

    def solved(y: Any, t: Any, a: Any, k: Any) -> Any:
        return integrate.odeint(field, y, t, (a, {"k": k}))

    check_grads(solved, order=1)(np.array([1.0, 0.3]), np.array([0.1, 0.5, 0.9]), 0.7, 1.9)
    decayed = grad(grad(lambda k: integrate.odeint(lambda y, t, k: -k * y, 1.0, [0.0, 2.0], (k,))[-1, 0]))(0.3)
    assert decayed == pytest.approx(4 * np.exp(-0.6), rel=1e-7)
    with pytest.raises(AdcliError, match="pass the value with args="):
        grad(lambda k: integrate.odeint(lambda y, t: -k * y, 1.0, [0.0, 1.0])[-1, 0])(0.3)


# --- distributions ----------------------------------------------------------------------------------------------------

SHAPES = {"df": 3.5, "a": 2.3, "b": 1.7, "dfn": 3.0, "dfd": 4.5, "s": 0.8, "c": 1.6, "mu": 2.2, "n": 6.0, "p": 0.3}
OF_PARAMETERS = ("entropy", "mean", "var", "std")
METHODS = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", *OF_PARAMETERS)
OUTSIDE = np.array([-3.0, -0.5, 0.2, 0.4, 1.0, 1.61, 5.0])
INSIDE = {"uniform": [0.3, 1.2], "beta": [0.3, 1.2], "pareto": [1.9, 4.0]}
COUNTS = np.array([-1.0, 0.0, 1.0, 2.0, 2.5, 8.0])


@pytest.mark.parametrize("name", LAWS)
def test_distributions_have_scipys_values_and_their_slopes(name: str) -> None:
    import scipy.stats

    law, ours, theirs = LAWS[name], getattr(stats, name), getattr(scipy.stats, name)
    moved = [1] if law.discrete else [0.2, 1.4]
    parameters = [*[SHAPES[shape] for shape in law.shapes], *moved]
    for method in METHODS:
        if not hasattr(theirs, method):
            continue
        given = method not in OF_PARAMETERS
        quantile = method in ("ppf", "isf")
        x = np.array([-0.1, 0.0, 0.3, 0.9, 1.0]) if quantile else COUNTS if law.discrete else OUTSIDE
        inside = (
            np.array([0.2, 0.7]) if quantile else COUNTS if law.discrete else np.array(INSIDE.get(name, [0.7, 1.9]))
        )
        of = getattr(ours, method)
        for k in range(len(parameters) - law.discrete):
            if (name, k) == ("binom", 0):  # a count
                continue

            def by(p: Any, x: Any, k: int = k, of: Any = of, given: bool = given) -> Any:
                return of(*([x] if given else []), *parameters[:k], p, *parameters[k + 1 :])

            try:
                value = jvp(by)(parameters[k], x)(1.0)[0]
            except AdcliError as problem:
                assert "cannot differentiate" in str(problem)
                continue
            expected = getattr(theirs, method)(*([x] if given else []), *parameters)
            assert np.shape(expected) == np.shape(value)
            assert np.allclose(expected, value, rtol=1e-8 if "log" in method else 1e-11, atol=0, equal_nan=True), method
            if np.all(np.isfinite(by(parameters[k], inside))):
                check_grads(by, 0, order=1)(parameters[k], inside)
        if given and not law.discrete and getattr(law, method if quantile else "cdf") is not None:
            check_grads(of, 0)(inside, *parameters)


def test_distributions_are_modules_and_objects_and_keep_parameters() -> None:
    import adcli.python.scipy.stats.multivariate_normal as mvn
    import adcli.python.scipy.stats.norm as norm

    assert (stats.norm, stats.multivariate_normal) == (norm, mvn)
    assert -0.7 == pytest.approx(grad(lambda s: stats.norm(0.1, s).logpdf(0.5))(1.0) + 0.14)
    assert grad(lambda m: stats.multivariate_normal(m).logpdf([0.5, 0.1]))(np.zeros(2)).tolist() == [0.5, 0.1]
    assert stats.norm.rvs(size=2).shape == (2,)
    assert set(JOINT) == {"multivariate_normal", "dirichlet"}


def test_the_singular_normal_distribution_has_slopes_along_its_support() -> None:
    cov = np.diag([1.0, 1.0, 0.0])
    at = np.array([0.3, -0.4, 0.0])
    slope = grad(lambda x: stats.multivariate_normal.logpdf(x, np.zeros(3), cov, allow_singular=True))(at)
    assert np.allclose([-0.3, 0.4, 0.0], slope)
    with pytest.raises(AdcliError, match="with respect to a singular covariance"):
        grad(lambda c: stats.multivariate_normal.logpdf(at, np.zeros(3), c, allow_singular=True))(cov)


def test_what_is_not_asked_has_no_part_and_names_are_scipys() -> None:
    with pytest.raises(AttributeError):
        _ = special.no_such_function
    assert all(hasattr(scipy_special, name) for name in RULES if name != "softplus")
    with pytest.warns(IndependenceWarning):
        assert 0.0 == grad(lambda x: float(stats.norm.pdf(0.3)) + 0 * float(x.value))(1.0)


def test_all_combinations_are_checked() -> None:
    seen = []
    combo_check(lambda x, k=1: (seen.append(k), x * k)[1], [0], order=1)([1.0, 2.0], k=[3, 4])
    assert {3, 4} == set(seen)
