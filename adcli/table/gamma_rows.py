"""Rows of the table for relatives of the gamma function: incomplete gamma and beta functions, exponential integrals,
Hermite functions with the scaled error function, and Riemann's zeta function.

Their implementations are in `gamma_family`.  Slopes that would be differences of nearly equal numbers are rows too.
"""

from __future__ import annotations

import math

from ..typings import TYPE_CHECKING
from .primitive import POSITIVE, Bounds, Call, Check, Monotone, Partial, declare, infinite
from .special_functions import (
    HIGHEST,
    Foreign,
    ball_of_order,
    double_function,
    implementations,
    of_order,
    of_real_order,
    order_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .arithmetic import Operand

inf = math.inf

# --- Hermite functions ------------------------------------------------------------------------------------------------

_LEFT: Check[Operand, Operand] = Check(
    lambda m, n, x: (n >= 0) | (x >= -300),
    "hermite of a negative order needs an argument of -300 or more",
    blame=1,
)

declare(
    "hermite",
    partials=(None, lambda m, z, n, x: 2 * n * m.hermite(n - 1, x)),
    domain=(of_order("hermite"), _LEFT),
    arguments=("n", "x"),
    has_order=True,
    sample=((2.0, 2.0), (-3.0, 3.0)),
    notation=Call("H", index="{0}"),
    aliases=("hermiteH", "HermiteH", "eval_hermite"),
    continued=False,
    own=implementations("hermite", None, lambda n, x: _ball_of_hermite(n, x)),
    where=f"n = -{HIGHEST}, …, {HIGHEST}",
    summary="Hermite polynomial of physics, hermite(n, x); for negative n the Hermite function",
)


def _ball_of_hermite(n: Foreign, x: Foreign) -> Foreign:
    """Return the Hermite function of order `n` over `x`, both in Arb's intervals, computed with twice the digits, since
    it cancels for negative n.

    For n < 0 it is a positive multiple of the integral of exp(-t^2 - 2*t*x)*t^(-n - 1) over t > 0 (DLMF 12.5.1), which
    falls, so the values at the ends of `x` bound it.
    """
    import flint

    with flint.ctx.workprec(2 * flint.ctx.prec):
        return _falling(lambda place: place.hermite_h(n), x) if n < 0 else x.hermite_h(n)


def _falling(function: Callable[[Foreign], Foreign], x: Foreign) -> Foreign:
    """Return a falling function over the interval `x`, from its values at the ends."""
    return function(x.upper()).union(function(x.lower()))


declare(
    "erfcx",
    partials=(lambda m, z, x: -4 / m.sqrt(m.pi) * m.hermite(m.number(-2), x),),
    domain=Check(lambda m, x: x >= -300, "erfcx needs an argument of -300 or more", "{0} >= -300"),
    sample=(-2.0, 9.0),
    monotone=Monotone(Bounds(-300, inf), POSITIVE, rising=False),
    continued=False,
    own=implementations("scaled_erfc", None, lambda x: _falling(lambda x: (x * x).exp() * x.erfc(), x), POSITIVE),
    summary="exp(x^2)*erfc(x) without overflow",
)


# --- exponential integrals and incomplete gamma functions -------------------------------------------------------------

_E = double_function("generalized_exponential_integral")

declare(
    "expint",
    partials=(None, lambda m, z, n, x: -m.expint(n - 1, x)),
    domain=of_real_order("expint", whole_everywhere=False),
    has_order=True,
    forms={1: "E1"},
    arguments=("n", "x"),
    sample=((2.0, 2.0), (0.2, 5.0)),
    notation=Call("E", index="{0}"),
    aliases=("expn", "ExpIntegralE", "expintegral_e"),
    continued=False,
    own=implementations(
        "generalized_exponential_integral",
        None,
        lambda n, x: x.expint(n),
        POSITIVE,
        lambda n, low, high: _E(n - 1, low) if low > 0 else inf,
    ),
    where=f"-{HIGHEST} <= n <= {HIGHEST}; x > 0",
    summary="exponential integral of order n, expint(n, x); expint(x) is E1(x)",
)
declare(
    "E1",
    partials=(lambda m, z, x: -m.exp(-x) / x,),
    domain=Check(lambda m, x: x > 0, "E1 needs a positive argument", "{0} > 0"),
    sample=(0.2, 5.0),
    notation=Call("E", index="1"),
    aliases=("exp1", "expintegral_e1"),
    informal=r"E_1|E_\{1\}",
    monotone=Monotone(POSITIVE, POSITIVE, rising=False),
    own=implementations("first_exponential_integral", lambda c, x: c.e1(x), lambda x: x.expint(1), POSITIVE),
    sympy="E1",
    summary="exponential integral E1(x) = -Ei(-x), whose derivative is -exp(-x)/x",
)


def _shape_domain(name: str) -> tuple[Check[Operand, Operand], ...]:
    """Return the domain of an incomplete gamma function: 0 < a ≤ 1000000 and x ≥ 0."""
    return (
        Check(lambda m, a, x: (a > 0) & (a <= 1000000), f"{name} needs 0 < a <= 1000000", "0 < {0} <= 1000000"),
        Check(lambda m, a, x: x >= 0, f"{name} needs a second argument of 0 or more", "{1} >= 0", blame=1),
    )


_STEEPEST = double_function("gamma_density")


def _steepest(a: float, low: float, high: float) -> float:
    """Return the largest density between two numbers: at its mode a - 1, or at the end next to that."""
    return _STEEPEST(a, min(max(low, a - 1, 0.0), high)) if high > 0 else inf


def _declare_incomplete_gamma(
    letter: str, side: str, sign: int, meaning: str, aliases: tuple[str, ...], reading: str = "", *,
    partials: tuple[None, Partial[Operand, Operand]],
) -> None:  # fmt: skip
    """Add the row of the regularized incomplete gamma function `letter`, P or Q: `gammainc` or `gammaincc`.

    `side` is "lower" or "upper", `sign` that of its slope (1 or -1), `meaning` ends its summary; `aliases`, `reading`
    and `partials` are cells of the row. Its arguments are a constant 0 < a ≤ 1000000 and x ≥ 0; for a < 1 it is
    vertical at x = 0.
    """
    name = "gammainc" if sign > 0 else "gammaincc"
    declare(
        name,
        partials=partials,
        domain=_shape_domain(name),
        smooth=(None, infinite(lambda m, a, x: (x != 0) | (a >= 1), f"{name} is vertical at 0", right=sign * inf)),
        has_order=True,
        arguments=("a", "x"),
        sample=((1.5, 1.5), (0.2, 6.0)),
        notation=Call(letter),
        aliases=aliases,
        continued=False,
        own=implementations(
            "lower_gamma" if sign > 0 else "upper_gamma",
            None,
            lambda a, x: getattr(x, f"gamma_{side}")(a, regularized=1),
            Bounds(0, 1),
            _steepest,
        ),
        reading=reading,
        where="0 < a <= 1000000, a constant; x >= 0",
        summary=f"regularized {side} incomplete gamma function {letter}(a, x){meaning}",
    )


_declare_incomplete_gamma(
    "P", "lower", 1, "", ("igamma", "gamma_p"),
    "gammainc(a, x) has the parameter first, as in SciPy; MATLAB has gammainc(x, a)",
    partials=(None, lambda m, z, a, x: m.gammaincprime(a, x)),
)  # fmt: skip
_declare_incomplete_gamma(
    "Q", "upper", -1, " = 1 - P(a, x)",
    ("igammac", "gamma_q", "GammaRegularized", "gamma_incomplete_regularized"),
    partials=(None, lambda m, z, a, x: -m.gammaincprime(a, x)),
)  # fmt: skip
declare(
    "gammaincprime",
    partials=(None, lambda m, z, a, x: z * ((a - 1 - x) / x)),
    domain=(
        _shape_domain("gammaincprime")[0],
        Check(lambda m, a, x: x > 0, "gammaincprime needs a positive second argument", "{1} > 0", blame=1),
    ),
    has_order=True,
    arguments=("a", "x"),
    sample=((1.5, 1.5), (0.2, 6.0)),
    continued=False,
    own=implementations("gamma_density", None, lambda a, x: ((a - 1) * x.log() - x - a.lgamma()).exp(), Bounds(0, inf)),
    where="0 < a <= 1000000, a constant; x > 0",
    summary="derivative of gammainc(a, x): x^(a - 1)*exp(-x)/gamma(a)",
)

# --- beta function and binomial coefficients --------------------------------------------------------------------------


def _both_positive(name: str) -> Check[Operand, Operand]:
    return Check(lambda m, a, b: (a > 0) & (b > 0), f"{name} needs positive arguments", "{0} > 0 and {1} > 0")


declare(
    "Beta",
    partials=(
        lambda m, z, a, b: z * m.polygammadiff(m.zero, a, b),
        lambda m, z, a, b: z * m.polygammadiff(m.zero, b, a),
    ),
    domain=_both_positive("Beta"),
    sample=(0.3, 5.0),
    notation=Call("B"),
    informal=r"[Bβ]|\\beta(?![a-zA-Z])|beta|\\mathrm\{B\}",
    own=implementations(
        "beta",
        lambda c, a, b: c.beta(a, b),
        lambda a, b: (a.lgamma() + b.lgamma() - (a + b).lgamma()).exp(),
        POSITIVE,
    ),
    sympy="beta",
    summary="Euler's beta function gamma(a)*gamma(b)/gamma(a + b), also beta(a, b)",
)
declare(
    "betaln",
    partials=(
        lambda m, z, a, b: m.polygammadiff(m.zero, a, b),
        lambda m, z, a, b: m.polygammadiff(m.zero, b, a),
    ),
    domain=_both_positive("betaln"),
    sample=(0.3, 5.0),
    aliases=("lbeta", "logbeta"),
    continued=False,
    own=implementations("log_beta", None, lambda a, b: a.lgamma() + b.lgamma() - (a + b).lgamma()),
    summary="logarithm of the beta function",
)


def _no_pole(m: Foreign, x: Operand) -> Foreign:
    """Return whether x is above -1000 and not a negative whole number."""
    return (x > -1) | ((x > -1000) & (x != m.floor(x)))


declare(
    "binomial",
    partials=(
        lambda m, z, n, k: -z * m.polygammadiff(m.zero, n - k + 1, k),
        lambda m, z, n, k: z * m.polygammadiff(m.zero, n - k + 1, 2 * k - n),
    ),
    domain=Check(
        lambda m, n, k: _no_pole(m, n) & _no_pole(m, k) & _no_pole(m, n - k),
        "binomial(n, k) needs n, k and n - k that are not negative whole numbers",
    ),
    arguments=("n", "k"),
    sample=((4.0, 9.0), (0.3, 3.0)),
    informal="C",
    aliases=("binom", "nchoosek", "comb", "choose", "combin", "nCr"),
    own=implementations(
        "binomial",
        lambda c, n, k: c.binomial(n, k),
        lambda n, k: (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma(),
    ),
    where="n, k and n - k not -1, -2, …",
    summary="binomial coefficient, also of real numbers: gamma(n + 1)/(gamma(k + 1)*gamma(n - k + 1))",
)
declare(
    "polygammadiff",
    partials=(
        None,
        lambda m, z, n, a, b: m.polygammadiff(n + 1, a, b),
        lambda m, z, n, a, b: -m.polygamma(n + 1, a + b),
    ),
    domain=(
        Check(
            lambda m, n, a, b: (n == m.floor(n)) & (n >= 0) & (n <= 2 * HIGHEST),
            f"the order of polygammadiff must be a whole number up to {HIGHEST}",
            f"{{0}} = 0, 1, …, {HIGHEST}",
        ),
        Check(
            lambda m, n, a, b: _no_pole(m, a - 1) & _no_pole(m, a + b - 1),
            "polygammadiff needs a and a + b that are not 0, -1, -2, …",
            blame=1,
        ),
    ),
    arguments=("n", "a", "b"),
    has_order=True,
    sample=((1.0, 1.0), (0.5, 5.0), (0.5, 5.0)),
    own=implementations(
        "polygamma_difference",
        lambda c, n, a, b: c.psi(order_of(c, n), a) - c.psi(order_of(c, n), a + b),
        ball_of_order(lambda n, a, b: _ball_of_polygamma(n, a) - _ball_of_polygamma(n, a + b)),
    ),
    where=f"n = 0, 1, …, {HIGHEST}; a and a + b not 0, -1, -2, …",
    summary="polygamma(n, a) - polygamma(n, a + b) without cancellation",
)


def _ball_of_polygamma(n: int, x: Foreign) -> Foreign:
    """Return polygamma in Arb's intervals, by Hurwitz's zeta function from order 1 on (DLMF 25.11.12).

    Negative `x` are reached by the recurrence of this function (DLMF 25.11.3), those below -1000 give nan.
    """
    if n == 0:
        return x.digamma()
    steps = range(min(math.ceil(-float(x)), 1000)) if x < 0 else range(0)
    zeta = sum([(x + k) ** -(n + 1) for k in steps], (x * 0 + n + 1).zeta(x + len(steps)))
    return zeta * (-1) ** (n + 1) * math.factorial(n)


# --- Riemann's zeta function ------------------------------------------------------------------------------------------

declare(
    "Zeta",
    partials=(lambda m, z, s: m.zetaderivative(m.one, s),),
    domain=(
        Check(lambda m, s: s != 1, "Zeta has a pole at 1", "{0} != 1"),
        Check(lambda m, s: s >= -100, "Zeta needs an argument of -100 or more", "{0} >= -100"),
    ),
    arguments=("s",),
    sample=(1.5, 9.0),
    notation=Call("zeta"),
    informal=r"[ζ𝜁]|\\zeta(?![a-zA-Z])|zeta",
    aliases=("RiemannZeta",),
    continued=False,
    own=implementations("zeta", None, lambda s: s.zeta()),
    sympy="zeta",
    summary="Riemann's zeta function, also zeta(s)",
)
declare(
    "zetaderivative",
    partials=(None, lambda m, z, n, s: m.zetaderivative(n + 1, s)),
    domain=(
        of_order("zetaderivative", 0),
        Check(lambda m, n, s: s != 1, "Zeta has a pole at 1", "{1} != 1", blame=1),
        Check(lambda m, n, s: s >= -100, "Zeta needs an argument of -100 or more", "{1} >= -100", blame=1),
    ),
    arguments=("n", "s"),
    has_order=True,
    sample=((1.0, 1.0), (1.5, 9.0)),
    continued=False,
    own=implementations("zeta_derivative", None, ball_of_order(lambda n, s: _ball_of_zeta(n, s))),
    where=f"n = 0, 1, …, {HIGHEST}; s != 1",
    summary="n-th derivative of Zeta(s)",
)


def _ball_of_zeta(order: int, s: Foreign) -> Foreign:
    """Return the derivative of this `order` of the zeta function at `s`, in Arb's intervals."""
    import flint

    series = flint.arb_series([s, 1], prec=order + 1).zeta()
    return series[order] * math.factorial(order)
