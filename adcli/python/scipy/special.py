"""Stand-ins for `scipy.special` with traced values.

Its elementwise functions are SciPy's own, which dispatch on traced values (see `scipy_ufuncs`); here are the rules of
those that SciPy writes in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...typings import Final
from ..core.containers import Tree
from ..core.scipy_ufuncs import polygamma, sloped
from ..core.traced import Array, Axis, Function, Value, as_array, shape
from ..core.unsupported import unsupported
from ..core.written_formulas import s
from ..numpy.rearranging import reduction
from .stand_ins import stand_in

# --- sums of exponentials ---------------------------------------------------------------------------------------------


def _sign(a: Value, b: Value, axis: Axis, keepdims: bool) -> Value:
    """Return the sign of Σ b·exp(a) over the axes."""
    return s.logsumexp(plain(a), axis, plain(b), keepdims, True)[1]


def _logsumexp_weight(
    k: int, z: Value, kept: tuple[int, ...], a: Value, b: Value, *, axis: Axis, signed: bool
) -> Value:  # fmt: skip
    """Return the derivative of z = log|Σ b·exp(a)| with respect to a (k = 0) or b (k = 1), in the shape of a.

    It is b·exp(a − z) for a, exp(a − z) for b, times the sign of the sum if `signed`; a z that is not finite counts as
    0. `axis` is that along which z was reduced, and `kept` the shape of z with this axis.
    """
    z = np.reshape(z, kept) if kept else z
    slope = np.exp(a - np.where(np.isfinite(plain(z)), z, 0.0)) * (b if k == 0 else 1.0)
    return slope * _sign(a, b, axis, True) if signed else slope


def _logsumexp_value(a: Value, b: Value, *, axis: Axis, keepdims: bool, signed: bool) -> Value:
    """Return log Σ b·exp(a), or log|Σ b·exp(a)| if `signed`, of plain numbers."""
    result = s.logsumexp(a, axis, b, keepdims, signed)
    return result[0] if signed else result


_LOGSUMEXP: Final = reduction("special.logsumexp", _logsumexp_value, _logsumexp_weight)


def logsumexp(
    a: Value, /, axis: Axis = None, b: Value | None = None, keepdims: bool = False, return_sign: bool = False
) -> Value | tuple[Value, Value]:
    """Return log Σ b·exp(a) over `axis` (None: all).

    With `return_sign` it is a tuple: log|Σ b·exp(a)|, and the sign of the sum, without derivative. Without `b` the
    weights are 1; a and b broadcast and may be traced. Without `return_sign` a negative sum gives nan; a sum of 0 gives
    −∞. `keepdims` keeps the axes with length 1.
    """
    a, b = as_array(a), as_array(1.0 if b is None else b)
    if np.broadcast_shapes(shape(a), shape(b)) != shape(a):
        a = a + np.zeros(shape(b))
    z = _LOGSUMEXP(a, b, axis=axis, keepdims=bool(keepdims), signed=bool(return_sign))
    return (z, _sign(a, b, axis, keepdims)) if return_sign else z


def softmax(x: Array, /, axis: Axis = None) -> Value:
    """Return exp(x)/Σ exp(x), the sum over the axes."""
    powers = np.exp(x - np.max(plain(x), axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(x: Array, /, axis: Axis = None) -> Value:
    """Return the logarithm of `softmax`."""
    shifted = x - np.max(plain(x), axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


# --- elementwise functions that SciPy writes in Python ----------------------------------------------------------------


def _multigammaln_slope(z: Value, a: Value, d: int) -> Value:
    """Return the derivative of multigammaln with respect to a: the sum of digamma(a − j/2) over j = 0 … d − 1."""
    return np.sum(s.psi(np.expand_dims(as_array(a), -1) - np.arange(d) / 2), axis=-1)


_MULTIGAMMALN: Final = sloped("multigammaln", lambda a, d: s.multigammaln(a, d), (_multigammaln_slope, None))


def _factorial(n: Value, /, exact: bool = False) -> Value:
    """Return n!, 0 for negative n; Unsupported for `exact`."""
    if exact:
        raise unsupported("scipy.special.factorial", "with exact=")
    return np.where(plain(n) < 0, 0.0, s.gamma(n + 1))


def _comb(n: Value, k: Value, /, *, exact: bool = False, repetition: bool = False) -> Value:
    """Return the binomial coefficient n over k of numbers or arrays, 0 unless 0 ≤ k ≤ n; n and k need not be whole.

    With `repetition` n is replaced by n + k − 1, in the condition, too. Raises Unsupported for `exact`.
    """
    if exact:
        raise unsupported("scipy.special.comb", "with exact=")
    if repetition:
        return _comb(n + k - 1, k)
    outside = (plain(k) > plain(n)) | (plain(n) < 0) | (plain(k) < 0)
    return np.where(outside, 0.0, s.binom(n, k))


def _spherical(name: str, below: int, above: int) -> Function:
    """Return the rule for the spherical Bessel function `name`: (2n + 1)·f′ = below·n·fₙ₋₁ + above·(n + 1)·fₙ₊₁.

    `below` and `above` are ±1 (DLMF 10.51). The rule takes (n, z, derivative=False), where n has no derivative; with
    `derivative` it returns f′.
    """

    def slope(z: Value, n: Value, x: Value) -> Value:
        n = plain(n)
        lower = rule(np.maximum(np.subtract(n, 1), 0), x)
        return (below * np.multiply(n, lower) + above * np.add(n, 1) * rule(np.add(n, 1), x)) / (2 * np.add(n, 0.5))

    def function(n: int, z: Value, /, derivative: bool = False) -> Value:
        return slope(0.0, n, z) if derivative else rule(n, z)

    rule = sloped(name, lambda n, x: getattr(s, name)(n, x), (None, slope))
    return function


RULES: Final[Mapping[str, Callable[..., Tree]]] = MappingProxyType({
    "logsumexp": logsumexp, "softmax": softmax, "log_softmax": log_softmax,
    "polygamma": lambda n, x, /: polygamma(n, x), "multigammaln": lambda a, d, /: _MULTIGAMMALN(a, d),
    "factorial": _factorial, "comb": _comb, "sinc": lambda x, /: np.sinc(x),
    "softplus": lambda x, /: np.logaddexp(0.0, x),
    "zeta": lambda x, /, q=None: s.zeta(x, q), "lambertw": lambda z, /, k=0, tol=1e-8: s.lambertw(z, k, tol),
    "spherical_jn": _spherical("spherical_jn", 1, -1), "spherical_yn": _spherical("spherical_yn", 1, -1),
    "spherical_in": _spherical("spherical_in", 1, 1), "spherical_kn": _spherical("spherical_kn", -1, -1),
    **{name: lambda v, z, /, n=1, _name=name: getattr(s, _name)(v, z, n)
       for name in ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp")},
})  # fmt: skip


def __getattr__(name: str) -> Callable[..., Tree]:
    return stand_in("special", name, RULES)
