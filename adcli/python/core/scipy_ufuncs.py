"""Ufuncs of SciPy (its elementwise special functions): their slopes.

SciPy's own function computes the value, and a slope is written with SciPy's and NumPy's functions of traced values, so
that derivatives of any order follow.  Formulas after the DLMF, chapters 5 to 12, 18, 19 and 25.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from functools import partial as bound
from types import MappingProxyType

from ...extras import Later
from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...table.primitive import ROWS
from ...typings import Any, Final, TypeAlias
from .array_parts import fit
from .evaluation import MIXED, call
from .traced import Keywords, Linear, Value, finite, is_complex
from .unsupported import Unsupported, unsupported

s: Any = Later("scipy.special", "scipy")

# The slope with respect to one argument, from (result, *arguments); a number if it is constant, None if not known.
Slope: TypeAlias = "Callable[..., Value] | int | None"
Slopes: TypeAlias = tuple[Slope, ...]

_ROOT_PI = math.sqrt(math.pi)
_ROOT_TAU = math.sqrt(2 * math.pi)
_ROOT_2 = math.sqrt(2)
_DEGREE = math.pi / 180
_FAR = 50.0  # from here on five terms of an asymptotic series err by 3e-15, and a difference by 5e-13


# --- slopes that several functions have -------------------------------------------------------------------------------


def _normal_density(x: Value) -> Value:
    """Return the density of the standard normal distribution."""
    return np.exp(-x * x / 2) / _ROOT_TAU


def _gamma_density(a: Value, x: Value) -> Value:
    """Return the density at x of the gamma law with shape a and scale 1."""
    return np.exp(s.xlogy(a - 1, x) - x - s.gammaln(a))


def _beta_density(a: Value, b: Value, x: Value) -> Value:
    """Return the density at x of the beta law with shapes a and b."""
    return np.exp(s.xlogy(a - 1, x) + s.xlog1py(b - 1, -x) - s.betaln(a, b))


def _t_density(v: Value, t: Value) -> Value:
    """Return the density at t of Student's law with v degrees of freedom."""
    return np.exp(-s.betaln(v / 2, 0.5) - (v + 1) / 2 * np.log1p(t * t / v)) / np.sqrt(v)


def _f_density(d: Value, e: Value, x: Value) -> Value:
    """Return the density at x of the F law with d and e degrees of freedom."""
    denominator = d * x + e
    return _beta_density(d / 2, e / 2, d * x / denominator) * d * e / denominator / denominator


def _poisson_mass(k: Value, m: Value) -> Value:
    """Return the Poisson probability of k events (rounded down), where m are expected."""
    k = np.floor(plain(k))
    return np.exp(s.xlogy(k, m) - m - s.gammaln(k + 1))


def _binomial_density(k: Value, n: Value, p: Value) -> Value:
    """Return the density of the beta law that is the slope of the binomial probability up to floor(k) in p."""
    k = np.floor(plain(k))
    return np.exp(s.xlog1py(n - k - 1, -p) + s.xlogy(k, p) - s.betaln(n - k, k + 1))


def _negative_binomial_density(k: Value, n: Value, p: Value) -> Value:
    """Return the density of the beta law that is the slope of the negative binomial probability up to floor(k) in p."""
    k = np.floor(plain(k))
    return np.exp(s.xlogy(n - 1, p) + s.xlog1py(k, -p) - s.betaln(n, k + 1))


def _exprel_slope(x: Value) -> Value:
    """Return the derivative of (exp(x) − 1)/x, without cancellation near 0."""
    return s.hyp1f1(2, 3, x) / 2


def _sinh_quotient(x: Value) -> Value:
    """Return sinh(x)/x; for real x in a form that is 1 at 0."""
    return np.sinh(x) / x if is_complex(x) else (s.exprel(x) + s.exprel(-x)) / 2


def _quotient(x: Value, y: Value) -> Value:
    """Return x/y element by element, and 0 where both are 0 (by their plain values); x or y may be traced."""
    both = (plain(x) == 0) & (plain(y) == 0)
    return x / np.where(both, 1.0, y) if np.any(both) else x / y


def _slope_far_out(x: Value, far: Value, near: Callable[[Value], Value], series: Sequence[float]) -> Value:
    """Return the slopes `near(x)`, replaced where `far` is true by the asymptotic series Σ cₙ/x²ⁿ⁺².

    `series` has the coefficients cₙ from n = 0 on. If x is complex, or `far` is true nowhere, nothing is replaced.
    `near` is evaluated at all x in each case.
    """
    if is_complex(x) or not np.any(far):
        return near(x)
    square = 1 / np.where(far, x, 1.0) ** 2
    tail = 0.0
    for c in reversed(series):
        tail = (tail + c) * square
    return np.where(far, tail, near(x))


_DAWSON: Final = (-1 / 2, -3 / 4, -15 / 8, -105 / 16, -945 / 32)
_SCALED: Final = tuple(c / _ROOT_PI for c in (-1.0, 3 / 2, -15 / 4, 105 / 8, -945 / 16))


def _erfcx_slope(z: Value, x: Value) -> Value:
    """Return the derivative of the scaled error function erfcx at x, without cancellation for large x."""
    return _slope_far_out(x, plain(x) > _FAR, lambda x: 2 * x * s.erfcx(x) - 2 / _ROOT_PI, _SCALED)


def _dawson_slope(z: Value, x: Value) -> Value:
    """Return the derivative of Dawson's integral at x, without cancellation for large |x|."""
    return _slope_far_out(x, np.abs(plain(x)) > _FAR, lambda x: 1 - 2 * x * s.dawsn(x), _DAWSON)


def _ellipk_slope(m: Value) -> Value:
    """Return the derivative of the complete elliptic integral of the first kind with respect to m."""
    return math.pi / 8 * s.hyp2f1(1.5, 1.5, 2, m)


def _ellipe_slope(m: Value) -> Value:
    """Return the derivative of the complete elliptic integral of the second kind with respect to m."""
    return -math.pi / 8 * s.hyp2f1(0.5, 1.5, 2, m)


def _ellipkm1_slope(z: Value, p: Value) -> Value:
    """Return the derivative of ellipkm1 with respect to p, in a form without cancellation below ½."""
    small = np.where(plain(p) < 0.5, p, 0.5)
    near = (s.ellipe(1 - small) - small * s.ellipkm1(small)) / (2 * small * (1 - small))
    return -np.where(plain(p) < 0.5, near, _ellipk_slope(1 - np.where(plain(p) < 0.5, 0.5, p)))


def _split_half_turns(phi: Value) -> tuple[Value, Value, Value]:
    """Return (the number k of half turns of an angle, sine of the rest φ − kπ, square of its cosine)."""
    k = np.round(plain(phi) / math.pi)
    rest = phi - k * math.pi
    return k, np.sin(rest), np.cos(rest) ** 2


def _ellipkinc_slope(phi: Value, m: Value) -> Value:
    """Return the derivative of the elliptic integral of the first kind with respect to m."""
    k, sine, square = _split_half_turns(phi)
    return sine**3 * s.elliprd(square, 1.0, 1 - m * sine * sine) / 6 + 2 * k * _ellipk_slope(m)


def _ellipeinc_slope(phi: Value, m: Value) -> Value:
    """Return the derivative of the elliptic integral of the second kind with respect to m."""
    k, sine, square = _split_half_turns(phi)
    return -(sine**3) * s.elliprd(square, 1 - m * sine * sine, 1.0) / 6 + 2 * k * _ellipe_slope(m)


def _ellipeinc_integrand(phi: Value, m: Value) -> Value:
    """Return √(1 − m sin²φ), the integrand of the elliptic integral of the second kind."""
    return np.sqrt(1 - m * np.sin(phi) ** 2)


def _agm_slope(z: Value, a: Value, b: Value) -> Value:
    """Return the derivative of the arithmetic-geometric mean z with respect to a, the first of two numbers."""
    total, gap = a + b, (a - b) / (a + b)
    return z / total - z / s.ellipk(gap * gap) * _ellipk_slope(gap * gap) * 4 * b * gap / total / total


def _expn_slope(n: Value, x: Value) -> Value:
    """Return the derivative of the exponential integral Eₙ(x) with respect to x."""
    first = plain(n) == 0
    if not np.any(first):
        return -s.expn(n - 1, x)
    return np.where(first, -np.exp(-x) * (1 + 1 / x) / x, -s.expn(np.where(first, 1, n) - 1, x))


def _of_degree(rule: Callable[..., Value]) -> Callable[..., Value]:
    """Return the slope function (z, n, *arguments) of a polynomial of degree n.

    The slope is `rule(n, *arguments)`, and 0 where n is 0; `rule` gets 1 there instead of 0. n may be an array. A
    traced n is used by its value, without derivative.
    """

    def slope(z: Value, n: Value, *arguments: Value) -> Value:
        n = plain(n)
        is_constant = n == 0
        slopes = rule(np.where(is_constant, 1, n) if np.any(is_constant) else n, *arguments)
        return np.where(is_constant, 0.0, slopes) if np.any(is_constant) else slopes

    return slope


def _voigt_slope(part: Callable[[Value, Value, Value], Value]) -> Callable[..., Value]:
    """Return the slope function (z, x, sigma, gamma) of the Voigt profile with respect to one of its arguments.

    It is the real part of `part(w′(ζ), ζ, sigma)` / (2 √π sigma²), with Faddeeva's function w and ζ = (x + i
    gamma)/(sigma √2); sigma must not be 0.
    """

    def slope(z: Value, x: Value, sigma: Value, gamma: Value) -> Value:
        scale = sigma * _ROOT_2
        zeta = (x + 1j * gamma) / scale
        derivative = 2j / _ROOT_PI - 2 * zeta * s.wofz(zeta)
        return np.real(part(derivative, zeta, sigma)) / (sigma * sigma * 2 * _ROOT_PI)

    return slope


def _struve_term(v: Value, x: Value) -> Value:
    """Return the term (x/2)ᵛ/(√π·Γ(v + 3/2)) of the derivatives of Struve functions of order v (DLMF 11.4(v))."""
    return (x / 2) ** v / (_ROOT_PI * s.gamma(v + 1.5))


def _quantile_slope(density: Callable[..., Value], sign: int = 1) -> Callable[..., Value]:
    """Return the slope function (z, *arguments) of a quantile z with respect to the probability, the last argument.

    It is sign/density, with z instead of the probability as the last argument of `density`.
    """
    return lambda z, *arguments: sign / density(*arguments[:-1], z)


def _cumulative_slope(density: Callable[..., Value], sign: int = 1) -> Callable[..., Value]:
    """Return the slope function (z, *arguments) of a distribution function in its last argument: sign · density."""
    return lambda z, *arguments: sign * density(*arguments)


def _half_sum_slope(name: str, sign: int, outer: int = 1) -> Callable[..., Value]:
    """Return the rule for the slope of the Bessel function `name`: half the sum of fₙ₋₁ and `sign`·fₙ₊₁, times `outer`.

    DLMF 10.6.1 and 10.29.1.
    """
    return lambda z, n, x: outer * (getattr(s, name)(n - 1, x) + sign * getattr(s, name)(n + 1, x)) / 2


# --- by name, the slope by each argument, where the table has no such function ----------------------------------------

SLOPES: Final[Mapping[str, Slopes]] = MappingProxyType({
    # gamma and beta
    "gamma": (lambda z, x: z * s.psi(x),),
    "gammaln": (lambda z, x: s.psi(x),),
    "loggamma": (lambda z, x: s.psi(x),),
    "rgamma": (lambda z, x: -z * s.psi(x),),
    "gammasgn": (0,),
    "psi": (lambda z, x: polygamma(1, x),),
    "beta": (lambda z, a, b: z * (s.psi(a) - s.psi(a + b)), lambda z, a, b: z * (s.psi(b) - s.psi(a + b))),
    "betaln": (lambda z, a, b: s.psi(a) - s.psi(a + b), lambda z, a, b: s.psi(b) - s.psi(a + b)),
    "binom": (
        lambda z, n, k: z * (s.psi(n + 1) - s.psi(n - k + 1)), lambda z, n, k: z * (s.psi(n - k + 1) - s.psi(k + 1)),
    ),
    "poch": (lambda z, a, m: z * (s.psi(a + m) - s.psi(a)), lambda z, a, m: z * s.psi(a + m)),
    "gammainc": (None, _cumulative_slope(_gamma_density)),
    "gammaincc": (None, _cumulative_slope(_gamma_density, -1)),
    "gammaincinv": (None, _quantile_slope(_gamma_density)),
    "gammainccinv": (None, _quantile_slope(_gamma_density, -1)),
    "betainc": (None, None, _cumulative_slope(_beta_density)),
    "betaincc": (None, None, _cumulative_slope(_beta_density, -1)),
    "betaincinv": (None, None, _quantile_slope(_beta_density)),
    "betainccinv": (None, None, _quantile_slope(_beta_density, -1)),
    # what `zeta` and `lambertw` are made of
    "_zeta": (None, lambda z, x, q: -x * s.zeta(x + 1, q)),
    "_lambertw": (lambda z, x, k, tolerance: np.exp(-z) / (1 + z), 0, 0),
    # distributions
    "ndtr": (lambda z, x: _normal_density(x),),
    "log_ndtr": (lambda z, x: 2 / _ROOT_TAU / s.erfcx(-x / _ROOT_2),),
    "ndtri": (lambda z, p: 1 / _normal_density(z),),
    "ndtri_exp": (lambda z, y: _ROOT_TAU / 2 * s.erfcx(-z / _ROOT_2),),
    "nrdtrimn": (
        lambda z, p, sd, x: -sd / _normal_density(s.ndtri(p)), lambda z, p, sd, x: -s.ndtri(p), lambda z, p, sd, x: 1.0,
    ),
    "chdtr": (None, lambda z, v, x: _gamma_density(v / 2, x / 2) / 2),
    "chdtrc": (None, lambda z, v, x: -_gamma_density(v / 2, x / 2) / 2),
    "chdtri": (None, lambda z, v, p: -2 / _gamma_density(v / 2, z / 2)),
    "gdtr": (lambda z, a, b, x: x * _gamma_density(b, a * x), None, lambda z, a, b, x: a * _gamma_density(b, a * x)),
    "gdtrc": (lambda z, a, b, x: -x * _gamma_density(b, a * x), None, lambda z, a, b, x: -a * _gamma_density(b, a * x)),
    "gdtrix": (lambda z, a, b, p: -z / a, None, lambda z, a, b, p: 1 / (a * _gamma_density(b, a * z))),
    "gdtria": (lambda z, p, b, x: 1 / (x * _gamma_density(b, z * x)), None, lambda z, p, b, x: -z / x),
    "pdtr": (0, _cumulative_slope(_poisson_mass, -1)),
    "pdtrc": (0, _cumulative_slope(_poisson_mass)),
    "pdtri": (None, lambda z, k, p: -1 / _poisson_mass(k, z)),
    "bdtr": (0, None, _cumulative_slope(_binomial_density, -1)),
    "bdtrc": (0, None, _cumulative_slope(_binomial_density)),
    "bdtri": (None, None, _quantile_slope(_binomial_density, -1)),
    "nbdtr": (0, None, _cumulative_slope(_negative_binomial_density)),
    "nbdtrc": (0, None, _cumulative_slope(_negative_binomial_density, -1)),
    "nbdtri": (None, None, _quantile_slope(_negative_binomial_density)),
    "stdtr": (None, _cumulative_slope(_t_density)),
    "stdtrit": (None, _quantile_slope(_t_density)),
    "fdtr": (None, None, _cumulative_slope(_f_density)),
    "fdtrc": (None, None, _cumulative_slope(_f_density, -1)),
    "fdtri": (None, None, _quantile_slope(_f_density)),
    "owens_t": (
        lambda z, h, a: -_normal_density(h) * s.erf(a * h / _ROOT_2) / 2,
        lambda z, h, a: np.exp(-h * h * (1 + a * a) / 2) / (2 * math.pi * (1 + a * a)),
    ),
    "voigt_profile": (
        _voigt_slope(lambda moved, zeta, sigma: moved),
        lambda z, x, sigma, gamma: -z / sigma - _voigt_slope(lambda w, zeta, _: w * zeta * _ROOT_2)(z, x, sigma, gamma),
        _voigt_slope(lambda moved, zeta, sigma: 1j * moved),
    ),
    # the error function and its kin
    "erfcx": (_erfcx_slope,),
    "erfi": (lambda z, x: 2 / _ROOT_PI * np.exp(x * x),),
    "dawsn": (_dawson_slope,),
    "wofz": (lambda z, x: 2j / _ROOT_PI - 2 * x * z,),
    # logistic, exponential, logarithmic
    "expit": (lambda z, x: z * s.expit(-x),),
    "log_expit": (lambda z, x: s.expit(-x),),
    "logit": (lambda z, x: 1 / (x * (1 - x)),),
    "cbrt": (lambda z, x: 1 / (3 * z * z),),
    "exprel": (lambda z, x: _exprel_slope(x),),
    "powm1": (lambda z, x, y: y * x ** (y - 1), lambda z, x, y: (z + 1) * np.log(x)),
    "xlogy": (lambda z, x, y: np.log(y), lambda z, x, y: _quotient(x, y)),
    "xlog1py": (lambda z, x, y: s.log1p(y), lambda z, x, y: _quotient(x, 1 + y)),
    "entr": (lambda z, x: -np.log(x) - 1,),
    "rel_entr": (lambda z, x, y: np.log(x / y) + 1, lambda z, x, y: -x / y),
    "kl_div": (lambda z, x, y: np.log(x / y), lambda z, x, y: 1 - x / y),
    "huber": (
        lambda z, d, r: np.where(np.abs(plain(r)) <= plain(d), 0.0, np.abs(r) - d),
        lambda z, d, r: np.where(np.abs(plain(r)) <= plain(d), r, d * np.sign(plain(r))),
    ),
    "pseudo_huber": (
        lambda z, d, r: 2 * z / d - r * r / d / np.hypot(1, r / d), lambda z, d, r: r / np.hypot(1, r / d),
    ),
    "boxcox": (lambda z, x, p: x ** (p - 1), lambda z, x, p: np.log(x) ** 2 * _exprel_slope(p * np.log(x))),
    "boxcox1p": (
        lambda z, x, p: (1 + x) ** (p - 1), lambda z, x, p: s.log1p(x) ** 2 * _exprel_slope(p * s.log1p(x)),
    ),
    "inv_boxcox": (
        lambda z, y, p: z ** (1 - p), lambda z, y, p: -z * y * y * s.hyp2f1(2, 2, 3, -p * y) / 2,
    ),
    "inv_boxcox1p": (
        lambda z, y, p: (1 + z) ** (1 - p), lambda z, y, p: -(1 + z) * y * y * s.hyp2f1(2, 2, 3, -p * y) / 2,
    ),
    "wrightomega": (lambda z, x: z / (1 + z),),
    # angles in degrees
    "sindg": (lambda z, x: _DEGREE * s.cosdg(x),),
    "cosdg": (lambda z, x: -_DEGREE * s.sindg(x),),
    "tandg": (lambda z, x: _DEGREE * (1 + z * z),),
    "cotdg": (lambda z, x: -_DEGREE * (1 + z * z),),
    "round": (0,),
    "cosm1": (lambda z, x: -np.sin(x),),
    "radian": tuple(lambda z, d, m, t, size=size: size * _DEGREE for size in (1, 1 / 60, 1 / 3600)),
    # integrals
    "expi": (lambda z, x: np.exp(x) / x,),
    "exp1": (lambda z, x: -np.exp(-x) / x,),
    "expn": (None, lambda z, n, x: _expn_slope(n, x)),
    "spence": (lambda z, x: -s.hyp2f1(1, 1, 2, 1 - x),),
    "itstruve0": (lambda z, x: s.struve(0, x),),
    "itmodstruve0": (lambda z, x: s.modstruve(0, x),),
    "it2struve0": (lambda z, x: -s.struve(0, x) / x,),
    # elliptic integrals
    "ellipk": (lambda z, m: _ellipk_slope(m),),
    "ellipkm1": (_ellipkm1_slope,),
    "ellipe": (lambda z, m: _ellipe_slope(m),),
    "ellipkinc": (lambda z, phi, m: 1 / _ellipeinc_integrand(phi, m), lambda z, phi, m: _ellipkinc_slope(phi, m)),
    "ellipeinc": (lambda z, phi, m: _ellipeinc_integrand(phi, m), lambda z, phi, m: _ellipeinc_slope(phi, m)),
    "elliprf": (
        lambda z, x, y, w: -s.elliprd(y, w, x) / 6, lambda z, x, y, w: -s.elliprd(x, w, y) / 6,
        lambda z, x, y, w: -s.elliprd(x, y, w) / 6,
    ),
    "elliprc": (lambda z, x, y: -s.elliprd(y, y, x) / 6, lambda z, x, y: -s.elliprd(x, y, y) / 3),
    "agm": (_agm_slope, lambda z, a, b: _agm_slope(z, b, a)),
    # Bessel functions and their kin
    "j0": (lambda z, x: -s.j1(x),),
    "j1": (lambda z, x: (s.j0(x) - s.jv(2, x)) / 2,),
    "y0": (lambda z, x: -s.y1(x),),
    "y1": (lambda z, x: (s.y0(x) - s.yn(2, x)) / 2,),
    "i0": (lambda z, x: s.i1(x),),
    "i1": (lambda z, x: (s.i0(x) + s.iv(2, x)) / 2,),
    "k0": (lambda z, x: -s.k1(x),),
    "k1": (lambda z, x: -(s.k0(x) + s.kn(2, x)) / 2,),
    "i0e": (lambda z, x: s.i1e(x) - np.sign(plain(x)) * z,),
    "i1e": (lambda z, x: (s.i0e(x) + s.ive(2, x)) / 2 - np.sign(plain(x)) * z,),
    "k0e": (lambda z, x: z - s.k1e(x),),
    "k1e": (lambda z, x: z - (s.k0e(x) + s.kve(2, x)) / 2,),
    "yn": (None, lambda z, n, x: (s.yn(n - 1, x) - s.yn(n + 1, x)) / 2),
    **{name: (None, _half_sum_slope(name, -1)) for name in ("jv", "yv", "jve", "yve", "hankel1", "hankel2")},
    "iv": (None, _half_sum_slope("iv", 1)),
    "kv": (None, _half_sum_slope("kv", 1, -1)),
    "kn": (None, lambda z, n, x: -(s.kn(np.abs(plain(n) - 1), x) + s.kn(n + 1, x)) / 2),
    "ive": (None, lambda z, n, x: (s.ive(n - 1, x) + s.ive(n + 1, x)) / 2 - np.sign(plain(x)) * z),
    "kve": (None, lambda z, n, x: z - (s.kve(n - 1, x) + s.kve(n + 1, x)) / 2),
    "hankel1e": (None, lambda z, n, x: (s.hankel1e(n - 1, x) - s.hankel1e(n + 1, x)) / 2 - 1j * z),
    "hankel2e": (None, lambda z, n, x: (s.hankel2e(n - 1, x) - s.hankel2e(n + 1, x)) / 2 + 1j * z),
    "struve": (None, lambda z, v, x: (s.struve(v - 1, x) - s.struve(v + 1, x) + _struve_term(v, x)) / 2),
    "modstruve": (None, lambda z, v, x: (s.modstruve(v - 1, x) + s.modstruve(v + 1, x) + _struve_term(v, x)) / 2),
    **{name: (lambda z, x, name=name: getattr(s, f"{name}p")(x),) for name in ("ber", "bei", "ker", "kei")},
    "berp": (lambda z, x: -s.bei(x) - z / x,),
    "beip": (lambda z, x: s.ber(x) - z / x,),
    "kerp": (lambda z, x: -s.kei(x) - z / x,),
    "keip": (lambda z, x: s.ker(x) - z / x,),
    # hypergeometric functions
    "hyp0f1": (None, lambda z, b, x: s.hyp0f1(b + 1, x) / b),
    "hyp1f1": (None, None, lambda z, a, b, x: s.hyp1f1(a + 1, b + 1, x) * a / b),
    "hyp2f1": (None, None, None, lambda z, a, b, c, x: s.hyp2f1(a + 1, b + 1, c + 1, x) * a * b / c),
    "hyperu": (None, None, lambda z, a, b, x: -a * s.hyperu(a + 1, b + 1, x)),
    "wright_bessel": (None, None, lambda z, a, b, x: s.wright_bessel(a, a + b, x)),
    "log_wright_bessel": (None, None, lambda z, a, b, x: np.exp(s.log_wright_bessel(a, a + b, x) - z)),
    # orthogonal polynomials
    "eval_legendre": (None, _of_degree(lambda n, x: s.eval_gegenbauer(n - 1, 1.5, x))),
    "eval_chebyt": (None, _of_degree(lambda n, x: n * s.eval_chebyu(n - 1, x))),
    "eval_chebyu": (None, _of_degree(lambda n, x: 2 * s.eval_gegenbauer(n - 1, 2.0, x))),
    "eval_chebyc": (None, _of_degree(lambda n, x: n * s.eval_chebyu(n - 1, x / 2))),
    "eval_chebys": (None, _of_degree(lambda n, x: s.eval_gegenbauer(n - 1, 2.0, x / 2))),
    "eval_hermite": (None, _of_degree(lambda n, x: 2 * n * s.eval_hermite(n - 1, x))),
    "eval_hermitenorm": (None, _of_degree(lambda n, x: n * s.eval_hermitenorm(n - 1, x))),
    "eval_laguerre": (None, _of_degree(lambda n, x: -s.eval_genlaguerre(n - 1, 1.0, x))),
    "eval_genlaguerre": (None, None, _of_degree(lambda n, a, x: -s.eval_genlaguerre(n - 1, a + 1, x))),
    "eval_gegenbauer": (None, None, _of_degree(lambda n, a, x: 2 * a * s.eval_gegenbauer(n - 1, a + 1, x))),
    "eval_jacobi": (
        None, None, None, _of_degree(lambda n, a, b, x: (n + a + b + 1) / 2 * s.eval_jacobi(n - 1, a + 1, b + 1, x)),
    ),
    "eval_sh_legendre": (None, _of_degree(lambda n, x: 2 * s.eval_gegenbauer(n - 1, 1.5, 2 * x - 1))),
    "eval_sh_chebyt": (None, _of_degree(lambda n, x: 2 * n * s.eval_chebyu(n - 1, 2 * x - 1))),
    "eval_sh_chebyu": (None, _of_degree(lambda n, x: 4 * s.eval_gegenbauer(n - 1, 2.0, 2 * x - 1))),
})  # fmt: skip

# The slopes of functions with several results, one row for each result.
SEVERAL: Final[Mapping[str, tuple[Slopes, ...]]] = MappingProxyType({
    "sici": ((lambda z, x: np.sinc(x / math.pi),), (lambda z, x: np.cos(x) / x,)),
    "shichi": ((lambda z, x: _sinh_quotient(x),), (lambda z, x: np.cosh(x) / x,)),
    "fresnel": ((lambda z, x: np.sin(x * x * (math.pi / 2)),), (lambda z, x: np.cos(x * x * (math.pi / 2)),)),
    "airy": (
        (lambda z, x: s.airy(x)[1],), (lambda z, x: x * s.airy(x)[0],),
        (lambda z, x: s.airy(x)[3],), (lambda z, x: x * s.airy(x)[2],),
    ),
    "itairy": (
        (lambda z, x: s.airy(x)[0],), (lambda z, x: s.airy(x)[2],),
        (lambda z, x: s.airy(-x)[0],), (lambda z, x: s.airy(-x)[2],),
    ),
    "ellipj": (
        (lambda z, u, m: s.ellipj(u, m)[1] * s.ellipj(u, m)[2], None),
        (lambda z, u, m: -s.ellipj(u, m)[0] * s.ellipj(u, m)[2], None),
        (lambda z, u, m: -m * s.ellipj(u, m)[0] * s.ellipj(u, m)[1], None),
        (lambda z, u, m: s.ellipj(u, m)[2], None),
    ),
    "iti0k0": ((lambda z, x: s.i0(x),), (lambda z, x: s.k0(x),)),
    "itj0y0": ((lambda z, x: s.j0(x),), (lambda z, x: s.y0(x),)),
    "it2i0k0": ((lambda z, x: (s.i0(x) - 1) / x,), (lambda z, x: -s.k0(x) / x,)),
    "it2j0y0": ((lambda z, x: (1 - s.j0(x)) / x,), (lambda z, x: -s.y0(x) / x,)),
    "pbdv": ((None, lambda z, v, x: s.pbdv(v, x)[1]), (None, lambda z, v, x: (x * x / 4 - v - 0.5) * s.pbdv(v, x)[0])),
    "pbvv": ((None, lambda z, v, x: s.pbvv(v, x)[1]), (None, lambda z, v, x: (x * x / 4 - v - 0.5) * s.pbvv(v, x)[0])),
    "pbwa": ((None, lambda z, a, x: s.pbwa(a, x)[1]), (None, lambda z, a, x: (a - x * x / 4) * s.pbwa(a, x)[0])),
})  # fmt: skip

# Functions that are scaled with the absolute value of a part of the argument: they are not holomorphic.
_REAL_ALONE: Final = frozenset(("jve", "yve", "ive", "i0e", "i1e"))


# --- calls ------------------------------------------------------------------------------------------------------------


class Sloped:
    """An elementwise function with its slope with respect to each argument, for all kinds of traced values.

    `slopes` has for each argument a function `(z, *arguments)` of the result and the arguments, a whole number if the
    slope is constant, or None if it is not known.
    """

    def __init__(self, name: str, value: Callable[..., Value], slopes: Slopes) -> None:
        self.name = name
        self.plain = value
        self._slopes = slopes

    def __call__(self, *arguments: Value, **keywords: object) -> Value:
        return call(self, arguments, keywords)

    def _slope(self, k: int, z: Value, arguments: Sequence[Value]) -> Value:
        """Return the slope with respect to argument `k` (from 0), where `z` is the result.

        NumPy's warnings are silenced. A slope that is an int is that constant, as a float for any arguments. Raises
        Unsupported if none is known, or, for functions that SciPy's formula covers for real numbers only (jve, yve,
        ive, i0e, i1e), if argument k is complex.
        """
        slope = self._slopes[k]
        if slope is None:
            raise no_special_rule(self.name, f"with respect to argument {k} (counted from 0)")
        if isinstance(slope, int):
            return float(slope)
        if self.name in _REAL_ALONE and is_complex(arguments[k]):
            raise no_special_rule(self.name, "for complex numbers")
        with np.errstate(all="ignore"):
            return slope(z, *arguments)

    def pull(self, k: int, z: Value, arguments: Sequence[Value], keywords: Keywords) -> Linear:
        slope = self._slope(k, z, arguments)
        return lambda g: fit(_times_slope(g, slope), arguments[k])

    def push(self, k: int, z: Value, arguments: Sequence[Value], keywords: Keywords) -> Linear:
        slope = self._slope(k, z, arguments)
        return lambda dot: _times_slope(dot, slope)


def _times_slope(g: Value, slope: Value) -> Value:
    """Return an adjoint or a tangent times a slope; 0 where g is 0, even if the slope is not finite."""
    product = g * slope
    return product if finite(product) else np.where(plain(g) == 0, 0.0, product)


def polygamma(n: Value, x: Value) -> Value:
    """Return the n-th derivative of digamma, for n that is not traced.  Raises Unsupported for complex numbers."""
    if is_complex(x):
        raise no_special_rule("psi", "for complex numbers")
    return _POLYGAMMA(n, x)


_POLYGAMMA: Final = Sloped(
    "polygamma", lambda n, x: s.polygamma(n, x), (None, lambda z, n, x: polygamma(np.add(plain(n), 1), x))
)


def no_special_rule(name: str, why: str = "") -> Unsupported:
    """Return the error for a function of scipy.special without a rule, or without one in this case.

    `why` ends the message, e.g. "for complex numbers".
    """
    return unsupported(f"scipy.special.{name}", why)


def known_slopes(name: str) -> Slopes | None:
    """Return the slopes, by argument, of the function called `name`, which has one result.

    They are those of `SLOPES`, else those of the row of this name (not of an alias) in adcli's table of functions. A
    slope is None if it is not known. None instead of a tuple for a name without either, or for a function whose number
    of arguments is not fixed.
    """
    row = ROWS.get(name)
    if name in SLOPES or row is None or not isinstance(row.partials, tuple):
        return SLOPES.get(name)
    return tuple([None if partial is None else bound(partial, MIXED) for partial in row.partials])


@cache
def rule(called: Callable[..., Value]) -> Callable[..., Value | tuple[Value, ...]] | None:
    """Return the differentiable function for `called`, a ufunc of SciPy; the result is cached.

    None if `called` is not the object of its name in `scipy.special`, or if none of its slopes is known (one of several
    may be missing). For a ufunc with several results, the function returns a tuple.
    """
    name = called.__name__
    if not is_scipys(called):
        return None
    slopes = known_slopes(name)
    if slopes is not None:
        return Sloped(name, called, slopes)
    if name in SEVERAL:
        parts = [Sloped(name, _pick_result(called, k), slopes) for k, slopes in enumerate(SEVERAL[name])]
        return lambda *arguments: tuple([part(*arguments) for part in parts])
    return None


def _pick_result(called: Callable[..., Any], k: int) -> Callable[..., Value]:
    return lambda *arguments: called(*arguments)[k]


def elementwise(called: Callable[..., Value], arguments: Sequence[Value]) -> Value | tuple[Value, ...]:
    """Return the result of a ufunc at traced values, recorded; a tuple for one with several results.

    Raises Unsupported if `called` has no rule: a ufunc of SciPy without known slopes, or one that is neither NumPy's
    nor SciPy's.
    """
    function = rule(called)
    if function is not None:
        return function(*arguments)
    if is_scipys(called):
        raise no_special_rule(called.__name__)
    title = f"adcli cannot differentiate {called.__name__}, which is not a function of NumPy or SciPy"
    raise Unsupported(title, help="add a rule with primitive and defvjp of adcli.python")


def is_scipys(called: Callable[..., Value]) -> bool:
    """Return whether the function is the one of that name in `scipy.special`."""
    homes = (sys.modules.get("scipy.special"), sys.modules.get("scipy.special._ufuncs"))
    return any(home is not None and getattr(home, called.__name__, None) is called for home in homes)
