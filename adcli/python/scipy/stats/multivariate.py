"""Multivariate distributions, of vectors: the normal and the Dirichlet distribution, with SciPy's methods."""

from __future__ import annotations

import math
from types import MappingProxyType

from ....graph.overloading import plain
from ....numbers.numpy_arrays import np
from ....typings import Final
from ...core.traced import Array, Value, as_array, shape
from ...core.unsupported import unsupported
from ...core.written_formulas import s
from ..stand_ins import has_traced, library
from .distributions import Distribution, where

_LOG_TAU: Final = math.log(2 * math.pi)


# --- the normal distribution ------------------------------------------------------------------------------------------


def _covariance(cov: Value, dimension: int) -> Array:
    """Return the covariance matrix, of `dimension` rows, that SciPy reads from `cov`.

    A number is the variance of all components, a vector the diagonal; of a matrix only the lower half is read, and
    mirrored.
    """
    cov = as_array(cov)
    if not shape(cov):
        return cov * np.eye(dimension)
    if len(shape(cov)) == 1:
        return np.diag(cov)
    lower = np.tril(cov)
    return lower + lower.T - np.diag(np.diagonal(cov))


def _dimension(mean: Value | None, cov: Value, x: Value = 0.0) -> int:
    """Return the length of the vectors, from the mean, the covariance or the points; 1 if all are numbers."""
    shapes = [shape(as_array(a)) for a in (0.0 if mean is None else mean, cov)]
    sizes = [lengths[-1] for lengths in shapes if lengths]
    points = shape(as_array(x))
    return sizes[0] if sizes else points[-1] if points else 1


def _normal_logpdf(x: Value, /, mean: Value | None = None, cov: Value = 1, allow_singular: bool = False) -> Value:
    """Return the logarithm of the normal density at the points x, in the shape of SciPy's result.

    The components of a point are along the last axis of x. `mean` defaults to 0. `cov` is a number (the variance of all
    components), a vector (the diagonal) or a matrix, of which the lower half is read. With `allow_singular` the density
    of a singular covariance is that on its range. Where SciPy's result is not finite, such as −∞, it is returned.
    Raises Unsupported if a singular covariance is traced, and SciPy's errors for arguments that it refuses.
    """
    # SciPy checks the arguments, and returns −∞ where a singular distribution has no density.
    plain_result = library("stats").multivariate_normal.logpdf(
        plain(as_array(x)), None if mean is None else plain(as_array(mean)), plain(as_array(cov)), allow_singular
    )
    d = _dimension(mean, cov, x)
    points = as_array(x)
    points = points if len(shape(points)) > 1 or (shape(points) and d > 1) else np.reshape(points, (-1, d))
    gap = points - (np.zeros(d) if mean is None else np.reshape(as_array(mean), (d,)))
    covariance = _covariance(cov, d)
    w, v = np.linalg.eigh(plain(covariance))
    is_positive = w > 1e6 * np.finfo(float).eps * np.max(np.abs(w))  # SciPy's bound
    if np.all(is_positive):
        solved = np.linalg.solve(covariance, np.reshape(gap, (-1, d)).T).T
        logarithm = np.linalg.slogdet(covariance)[1]
    elif has_traced(cov):
        raise unsupported("scipy.stats.multivariate_normal.logpdf", "with respect to a singular covariance")
    else:
        half = v[:, is_positive] / np.sqrt(w[is_positive])
        solved = np.reshape(gap, (-1, d)) @ (half @ half.T)
        logarithm = np.sum(np.log(w[is_positive]))
    square = np.sum(gap * np.reshape(solved, shape(gap)), axis=-1)
    logarithms = -(np.sum(is_positive) * _LOG_TAU + logarithm + square) / 2
    return where(np.isfinite(plain_result), np.reshape(logarithms, np.shape(plain_result)), plain_result)


def _normal_pdf(x: Value, /, mean: Value | None = None, cov: Value = 1, allow_singular: bool = False) -> Value:
    return np.exp(_normal_logpdf(x, mean, cov, allow_singular))


def _normal_entropy(mean: Value | None = None, cov: Value = 1) -> Value:
    """Return the entropy of the normal distribution; SciPy checks the arguments."""
    d = _dimension(mean, cov)
    library("stats").multivariate_normal.entropy(None if mean is None else plain(as_array(mean)), plain(as_array(cov)))
    return (d * (_LOG_TAU + 1) + np.linalg.slogdet(_covariance(cov, d))[1]) / 2


# --- Dirichlet's distribution -----------------------------------------------------------------------------------------


def _normaliser(alpha: Array) -> Value:
    """Return the logarithm of the normalising constant of the Dirichlet distribution."""
    return np.sum(s.gammaln(alpha)) - s.gammaln(np.sum(alpha))


def _dirichlet_logpdf(x: Value, alpha: Value, /) -> Value:
    """Return the logarithm of the Dirichlet density.

    The components of x are along its first axis; the last component may be left out. `alpha` are the parameters. Raises
    SciPy's ValueError if x is not in the simplex or the sizes differ.
    """
    x, alpha = as_array(x), as_array(alpha)
    library("stats").dirichlet.logpdf(plain(x), plain(alpha))  # checks the arguments
    if shape(x)[0] == shape(alpha)[0] - 1:
        x = np.concatenate([x, np.expand_dims(1 - np.sum(x, axis=0), 0)])
    weights = np.reshape(alpha - 1, (-1, *(1,) * (len(shape(x)) - 1)))
    return np.sum(s.xlogy(weights, x), axis=0) - _normaliser(alpha)


def _dirichlet_entropy(alpha: Array, /) -> Value:
    total = np.sum(alpha)
    rest = np.sum((alpha - 1) * s.psi(alpha))
    return _normaliser(alpha) + (total - shape(alpha)[0]) * s.psi(total) - rest


def _dirichlet_mean(alpha: Array, /) -> Value:
    return alpha / np.sum(alpha)


def _dirichlet_var(alpha: Array, /) -> Value:
    total = np.sum(alpha)
    return alpha * (total - alpha) / (total * total * (total + 1))


JOINT: Final = MappingProxyType({
    "multivariate_normal": Distribution(
        "multivariate_normal", {"logpdf": _normal_logpdf, "pdf": _normal_pdf, "entropy": _normal_entropy}
    ),
    "dirichlet": Distribution("dirichlet", {
        "logpdf": _dirichlet_logpdf, "pdf": lambda x, alpha, /: np.exp(_dirichlet_logpdf(x, alpha)),
        "entropy": _dirichlet_entropy, "mean": _dirichlet_mean, "var": _dirichlet_var,
    }),
})  # fmt: skip
