"""Rules for functions of polynomials in NumPy's form: a row of coefficients, the highest power first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ..core.traced import Array, Value, Values, as_array, is_complex, shape
from ..core.unsupported import unsupported
from .rearranging import by_name
from .signals import convolve


def vander(x: Array, /, N: int | None = None, increasing: bool = False) -> Array:  # noqa: N803 - NumPy's name
    """Return the Vandermonde matrix: in each row the powers N − 1 to 0 of one number, ascending with `increasing`.

    N defaults to the number of elements; 0 gives no columns.
    """
    powers = [np.ones(shape(x), plain(x).dtype)]
    for _ in range((len(x) if N is None else N) - 1):
        powers.append(powers[-1] * x)
    chosen = powers[: len(x) if N is None else N]
    return np.stack(chosen if increasing else chosen[::-1], axis=-1) if chosen else np.zeros((len(x), 0))


def polyval(p: Array, x: Array, /) -> Value:
    """Return the value of the polynomial with coefficients p at each number of x, by Horner's rule."""
    value = np.zeros(shape(x), np.asarray(plain(x)).dtype)
    for coefficient in p:
        value = value * x + coefficient
    return value


def polyadd(a1: Value, a2: Value, /) -> Array:
    """Return the sum of two polynomials."""
    a, b = np.atleast_1d(as_array(a1)), np.atleast_1d(as_array(a2))
    width = max(len(a), len(b))
    return np.pad(a, (width - len(a), 0)) + np.pad(b, (width - len(b), 0))


def polysub(a1: Value, a2: Value, /) -> Array:
    """Return the difference of two polynomials."""
    return polyadd(a1, np.negative(as_array(a2)))


def polymul(a1: Value, a2: Value, /) -> Array:
    """Return the product of two polynomials, without leading zeros of the two."""
    return convolve(_trim(as_array(a1)), _trim(as_array(a2)))


def _trim(p: Array) -> Array:
    """Return the coefficients from the first that is not 0 on; one 0 if all are 0."""
    p = np.atleast_1d(p)
    nonzero = np.flatnonzero(plain(p))
    return p[nonzero[0] :] if len(nonzero) else np.zeros(1)


def polydiv(u: Value, v: Value, /) -> tuple[Array, Array]:
    """Return (the quotient, the remainder without leading zeros) of u / v, both with the highest power first.

    If u is shorter than v, the quotient is [0]. Leading coefficients of the remainder of size 10⁻⁸ or less are removed,
    but one number stays. A v that begins with 0 is not refused: it gives infinities and nan.
    """
    rest, v = np.atleast_1d(as_array(u)) + 0.0, np.atleast_1d(as_array(v)) + 0.0
    n = len(v) - 1
    quotient = []
    for k in range(len(rest) - n):
        factor = rest[k] / v[0]
        quotient.append(factor)
        parts = [rest[:k], rest[k : k + n + 1] - factor * v, rest[k + n + 1 :]]
        rest = np.concatenate(parts)
    bare = plain(rest)
    first = next((k for k in range(len(bare)) if not np.allclose(bare[k], 0, rtol=1e-14)), len(bare) - 1)
    return np.stack(quotient) if quotient else np.zeros(1, bare.dtype), rest[first:]


def polyder(p: Value, /, m: int = 1) -> Array:
    """Return the m-th derivative of a polynomial, highest power first.

    It is empty if m exceeds the degree, and p itself for m = 0.
    """
    p = np.atleast_1d(as_array(p))
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


def polyint(p: Value, /, m: int = 1, k: Value | None = None) -> Array:
    """Return the m-th integral of a polynomial, highest power first; p itself for m = 0.

    The constants k are one for each integration, in order (more are ignored), or one for all (default: 0).
    """
    p = np.atleast_1d(as_array(p))
    constants = np.zeros(m) if k is None else np.atleast_1d(as_array(k))
    if len(constants) == 1 and m > 1:
        constants = constants[0] * np.ones(m)
    for step in range(m):
        p = np.concatenate([p / np.arange(len(p), 0, -1), constants[step : step + 1]])
    return p


def polyfit(x: Value, y: Value, deg: int, /, rcond: float | None = None, *, w: Value | None = None) -> Array:
    """Return the polynomial of degree `deg` that fits the points (x, y) best by least squares.

    The result has its coefficients, highest power first. `w` are weights of the residuals before squaring; y may have
    several columns, each with its own column of coefficients. Singular values below `rcond` times the largest count as
    0 (default: the number of points times the machine epsilon). Raises Unsupported if `deg` is not one whole number, or
    if `rcond` drops singular values that are not 0 up to rounding.
    """
    if not isinstance(deg, int):
        raise unsupported("polyfit", "with several degrees")
    x, y = as_array(as_array(x) + 0.0), as_array(as_array(y) + 0.0)
    powers = vander(x, deg + 1)
    if w is not None:
        weights = as_array(w)
        powers = powers * np.reshape(weights, (-1, 1))
        y = y * (weights if len(shape(y)) == 1 else np.reshape(weights, (-1, 1)))
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    rcond = len(x) * np.finfo(plain(x).dtype).eps if rcond is None else rcond
    coefficients = np.linalg.lstsq(powers / scale, y, rcond)[0]
    return np.transpose(np.transpose(coefficients) / scale)


def poly(zeros: Value, /) -> Value:
    """Return the coefficients, highest power (1) first, of the polynomial with these zeros.

    For a square matrix the zeros are its eigenvalues. The coefficients are real if complex zeros come in conjugate
    pairs. A number counts as a single zero. If there are no zeros, return the number 1.0. Raises ValueError for arrays
    of other shapes.
    """
    zeros = np.atleast_1d(as_array(zeros))
    if len(shape(zeros)) == 2:
        zeros = np.linalg.eigvals(zeros)
    if not len(zeros):
        return 1.0
    coefficients = np.ones(1, plain(zeros).dtype)
    for zero in zeros:
        coefficients = convolve(coefficients, np.stack([1.0, -zero]))
    bare = plain(zeros)
    paired = is_complex(coefficients) and np.all(np.sort(bare) == np.sort(bare.conjugate()))
    return coefficients.real if paired else coefficients


def roots(p: Value, /) -> Array:
    """Return the zeros of the polynomial with the coefficients `p`, highest power first.

    The zeros are the eigenvalues of the companion matrix, then a 0 for each trailing zero of p. Leading zeros of p are
    ignored. If p is constant or all zeros, the result is empty. Raises ValueError if p has more than one axis.
    """
    p = np.atleast_1d(as_array(p))
    nonzero = np.flatnonzero(plain(p))
    if not len(nonzero):
        return np.zeros(0)
    p, zero_count = p[nonzero[0] : nonzero[-1] + 1] + 0.0, len(p) - 1 - nonzero[-1]
    if len(p) < 2:
        return np.zeros(zero_count)
    below = np.eye(len(p) - 2, len(p) - 1)
    first = np.reshape(-p[1:] / p[0], (1, -1))
    zeros = np.linalg.eigvals(np.concatenate([first, below]))
    return np.concatenate([zeros, np.zeros(zero_count, plain(zeros).dtype)])


RULES: Mapping[str, Callable[..., Value | Values]] = by_name(
    vander, polyval, polyadd, polysub, polymul, polydiv, polyder, polyint, polyfit, poly, roots
)
