"""Rows of the table for machine learning and statistics, and other functions that are composed of these."""

from __future__ import annotations

import math

from ..typings import TYPE_CHECKING
from .primitive import FINITE_ANGLE, POSITIVE, Bounds, Call, Check, Kink, Limit, Monotone, declare, infinite

if TYPE_CHECKING:
    from .arithmetic import Arithmetic, Operand, T

inf = math.inf

# --- logarithms and probabilities -------------------------------------------------------------------------------------

declare(
    "logit",
    value=lambda m, x: m.choose(m.lt(m.abs(x - 0.5), 0.25), 2 * m.atanh(2 * x - 1), m.log(x) - m.log1p(-x)),
    partials=(lambda m, z, x: 1 / x / (1 - x),),
    domain=Check(lambda m, x: (x > 0) & (x < 1), "logit needs an argument between 0 and 1", "0 < {0} < 1"),
    sample=(0.05, 0.95),
    continued=lambda m, x: m.log(x) - m.log1p(-x),
    monotone=Monotone(Bounds(0, 1, open_low=True, open_high=True)),
    exact=((0.5, 0),),
    summary="log(x/(1 - x)), the inverse of the sigmoid",
)
_alike: Limit[Operand, Operand] = Limit(lambda m, a, b: m.eq(a, b), lambda m, a, b: a + m.log(2))
declare(
    "logaddexp",
    value=lambda m, a, b: m.guard(_alike, m.max(a, b) + m.log1p(m.exp(-m.abs(a - b))), a, b),
    continued=lambda m, a, b: m.log(m.exp(a) + m.exp(b)),
    partials=(lambda m, z, a, b: m.sigmoid(a - b), lambda m, z, a, b: m.sigmoid(b - a)),
    summary="log(exp(a) + exp(b)), safe for large a and b",
)
_nothing: Limit[Operand] = Limit(lambda m, x: m.eq(x, 0), lambda m, x: m.zero)
declare(
    "xlogx",
    value=lambda m, x: m.guard(_nothing, x * m.log(x), x),
    partials=(lambda m, z, x: 1 + m.log(x),),
    domain=Check(lambda m, x: x >= 0, "xlogx needs an argument that is not negative", "{0} >= 0"),
    smooth=infinite(lambda m, x: x != 0, "xlogx is vertical at 0", right=-inf),
    sample=(0.05, 3.0),
    summary="x*log(x), and 0 at 0",
)
_nothing_of_nothing: Limit[Operand, Operand] = Limit(
    lambda m, a, b: m.both(m.eq(a, 0), m.eq(b, 0)), lambda m, a, b: m.zero
)
declare(
    "xlogy",
    value=lambda m, a, b: m.guard(_nothing_of_nothing, a * m.log(b), a, b),
    partials=(lambda m, z, a, b: m.log(b), lambda m, z, a, b: m.div(a, b)),
    domain=Check(
        lambda m, a, b: (b > 0) | ((a == 0) & (b == 0)), "xlogy needs a positive second argument", "{1} > 0", blame=1
    ),
    smooth=(Kink(lambda m, a, b: b > 0, "a*log(b) has no values on either side of a = 0 where b = 0"), None),
    sample=((-3.0, 3.0), (0.05, 9.0)),
    where="b > 0; b = 0 where a = 0",
    summary="a*log(b), and 0 where both are 0",
)


def _normal_tail(m: Arithmetic[T], x: T) -> T:
    """Return the normal distribution function at -40 < x < -1 in the arithmetic `m`, to the last digits of doubles.

    It is erfc(y)/2 with y = -x/√2. The rounding of y is corrected by the slope times x²/2 - y², of which both squares
    are sums of exact products: x and y are split after their 20th binary place.
    """
    y = -x / m.sqrt(m.number(2))
    a, b = m.round(x * 1048576.0) / 1048576.0, m.round(y * 1048576.0) / 1048576.0
    c, d = x - a, y - b
    excess = (a * a / 2 - b * b) + (a * c - 2 * b * d) + (c * c / 2 - d * d)
    return m.erfc(y) / 2 + m.normpdf(x) * (2 * excess / (x - m.sqrt(m.number(2)) * y))


_below: Limit[Operand] = Limit(lambda m, x: m.both(m.gt(x, -40), m.lt(x, -1)), _normal_tail, lossy=True)
declare(
    "normcdf",
    value=lambda m, x: m.guard(_below, m.erfc(-x / m.sqrt(m.number(2))) / 2, x),
    continued=lambda m, x: m.erfc(-x / m.sqrt(m.number(2))) / 2,
    partials=(lambda m, z, x: m.normpdf(x),),
    inverse="probit",
    notation=Call("Phi"),
    informal=r"Φ|\\Phi(?![a-zA-Z])|Phi|N|cdf|norm[_.]?cdf|pnorm|cnorm|normal_?cdf|NORMSDIST",
    summary="distribution function of the standard normal distribution",
)


def _bell(m: Arithmetic[T], x: T) -> T:
    """Return the density of the normal distribution, exp(−x²/2)/√(2π), without the rounding error of x².

    Only the square of x to 4 binary places, which is exact, is exponentiated; the rest of x² is a product.
    """
    near = m.round(x * 16) / 16
    return m.exp(-near * near / 2) * m.exp((near - x) * (near + x) / 2) / m.sqrt(2 * m.pi)


_exactly: Limit[Operand] = Limit(lambda m, x: m.both(m.gt(m.abs(x), 1), m.lt(m.abs(x), 40)), _bell, lossy=True)
declare(
    "normpdf",
    value=lambda m, x: m.guard(_exactly, m.exp(-x * x / 2) / m.sqrt(2 * m.pi), x),
    continued=lambda m, x: m.exp(-x * x / 2) / m.sqrt(2 * m.pi),
    partials=(lambda m, z, x: -x * z,),
    notation=Call("phi"),
    informal=r"[φϕ]|\\(?:var)?phi(?![a-zA-Z])|(?:var)?phi|pdf|norm[_.]?pdf|dnorm|normal_?pdf",
    summary="density of the standard normal distribution",
)

# --- units of networks ------------------------------------------------------------------------------------------------

# At -infinity the product is one of infinity and 0.
_far_left: Limit[Operand] = Limit(lambda m, x: m.lt(x, m.number(-1e300)), lambda m, x: 0 - m.exp(x))
declare(
    "silu",
    value=lambda m, x: m.guard(_far_left, x * m.sigmoid(x), x),
    partials=(lambda m, z, x: m.sigmoid(x) * (1 + x * m.sigmoid(-x)),),
    informal="swish",
    summary="x*sigmoid(x), also called swish",
)
declare(
    "gelu",
    value=lambda m, x: m.guard(_far_left, x * m.normcdf(x), x),
    partials=(lambda m, z, x: m.normcdf(x) + x * m.normpdf(x),),
    reading="gelu is x times the normal distribution function, not its approximation by tanh",
    summary="x*normcdf(x), the exact form with erf",
)
declare(
    "mish",
    value=lambda m, x: m.guard(_far_left, x * m.tanh(m.softplus(x)), x),
    partials=(lambda m, z, x: m.tanh(m.softplus(x)) + x * m.sigmoid(x) * m.pow(m.sech(m.softplus(x)), 2),),
    summary="x*tanh(softplus(x))",
)
declare(
    "elu",
    value=lambda m, x: m.choose(m.gt(x, 0), x, m.expm1(x)),
    partials=(lambda m, z, x: m.exp(m.min(x, 0)),),
    seam=Kink(lambda m, x: x != 0, "the slope of elu has a corner at 0", sides=(1, 1)),
    continued=False,
    monotone=Monotone(image=Bounds(-1, inf, open_low=True)),
    exact=((0, 0),),
    summary="x where x > 0, else exp(x) - 1",
)
_bend: Kink[Operand, Operand] = Kink(
    lambda m, x, a: (x != 0) | (a == 1),
    "leakyrelu has a corner at 0",
    sides=lambda m, x, a: (a, 1),  # type: ignore[arg-type,return-value]  # sides are read with doubles
    slope=lambda m, x, a: a,
)
declare(
    "leakyrelu",
    value=lambda m, x, a: m.choose(m.gt(x, 0), x, a * x),
    partials=(
        lambda m, z, x, a: m.choose(m.gt(x, 0), m.one, m.choose(m.lt(x, 0), a, (1 + a) / 2)),
        lambda m, z, x, a: m.min(x, 0),
    ),
    smooth=(_bend, None),
    seam=Kink(lambda m, x, a: (x != 0) | (a != 1), "the slopes of leakyrelu have corners at 0", sides=(1, 1)),
    sample=((-3.0, 3.0), (0.01, 0.3)),
    arguments=("x", "a"),
    aliases=("leaky_relu",),
    continued=False,
    summary="x where x > 0, else a*x; slope a at 0",
)
# The quotient of infinities, and how it nears 1.
_saturated: Limit[Operand] = Limit(
    lambda m, x: m.gt(m.abs(x), m.number(1e300)), lambda m, x: m.sign(x) * (1 - 1 / (1 + m.abs(x)))
)
declare(
    "softsign",
    value=lambda m, x: m.guard(_saturated, x / (1 + m.abs(x)), x),
    partials=(lambda m, z, x: 1 / (1 + m.abs(x)) / (1 + m.abs(x)),),
    seam=Kink(lambda m, x: x != 0, "the slope of softsign has a corner at 0", sides=(1, 1)),
    continued=False,
    monotone=Monotone(image=Bounds(-1, 1, open_low=True, open_high=True)),
    exact=((0, 0),),
    summary="x/(1 + |x|)",
)

# --- steps and corners ------------------------------------------------------------------------------------------------

declare(
    "trunc",
    value=lambda m, x: m.sign(x) * m.floor(m.abs(x)),
    partials=(None,),
    smooth=Kink(lambda m, x: (x - m.floor(x) != 0) | ((x > -1) & (x < 1)), "trunc jumps at whole numbers other than 0"),
    sample=(0.1, 0.9),
    continued=False,
    summary="x rounded towards 0",
)
declare(
    "fract",
    value=lambda m, x: x - m.floor(x),
    partials=(lambda m, z, x: 1,),
    smooth=Kink(lambda m, x: x - m.floor(x) != 0, "fract jumps at whole numbers"),
    sample=(0.1, 0.9),
    continued=False,
    reading="fract is x - floor(x), which is never negative",
    summary="fractional part, x - floor(x)",
)
declare(
    "heaviside",
    value=lambda m, x: (1 + m.sign(x)) / 2,
    partials=(None,),
    smooth=Kink(lambda m, x: x != 0, "heaviside jumps at 0"),
    sample=(0.2, 3.0),
    continued=False,
    reading="heaviside(0) is 1/2",
    summary="0 below 0, 1 above, and 1/2 at 0",
)
# Where both bounds are equal, x has no effect, and each bound can only move away from the other.
_at_bounds: Kink[Operand, Operand, Operand] = Kink(
    lambda m, x, low, high: ((x != low) & (x != high)) | (low == high),
    "clamp has corners at its bounds",
    sides=lambda m, x, low, high: (0, 1) if x == low else (1, 0),
)
_at_lower: Kink[Operand, Operand, Operand] = Kink(
    lambda m, x, low, high: x != low,
    "clamp has corners at its bounds",
    sides=lambda m, x, low, high: (0, None) if low == high else (0, 1),
)
_at_upper: Kink[Operand, Operand, Operand] = Kink(
    lambda m, x, low, high: x != high,
    "clamp has corners at its bounds",
    sides=lambda m, x, low, high: (None, 0) if low == high else (1, 0),
)
declare(
    "clamp",
    value=lambda m, x, low, high: m.min(m.max(x, low), high),
    partials=(
        lambda m, z, x, low, high: m.choose(m.both(m.gt(x, low), m.lt(x, high)), 1, 0),
        lambda m, z, x, low, high: m.choose(m.both(m.le(x, low), m.lt(x, high)), 1, 0),
        lambda m, z, x, low, high: m.choose(m.both(m.gt(x, low), m.ge(x, high)), 1, 0),
    ),
    domain=Check(
        lambda m, x, low, high: low <= high, "the lower bound of clamp is above the upper one", "{1} <= {2}", blame=1
    ),
    smooth=(_at_bounds, _at_lower, _at_upper),
    sample=((-3.0, 3.0), (-2.0, -1.0), (1.0, 2.0)),
    arguments=("x", "low", "high"),
    aliases=("clip",),
    continued=False,
    summary="x, but at least low and at most high",
)

# --- powers and angles ------------------------------------------------------------------------------------------------


def _declare_power_of(base: int, exact: tuple[tuple[float, float], ...]) -> None:
    """Add the row `exp<base>` of the power base^x to the table; `exact` are (argument, value) pairs that no rounding
    changes.

    Its inverse is not set here: the row `log<base>` names it as its own.
    """
    declare(
        f"exp{base}",
        value=lambda m, x: m.pow(m.number(base), x),
        partials=(lambda m, z, x: z * m.log(base),),
        monotone=Monotone(image=POSITIVE),
        exact=exact,
        summary=f"{base}^x",
    )


_declare_power_of(2, ((-1, 0.5), (0, 1), (1, 2)))
_declare_power_of(10, ((0, 1), (1, 10)))
declare(
    "versin",
    value=lambda m, x: 2 * m.pow(m.sin(x / 2), 2),
    partials=(lambda m, z, x: m.sin(x),),
    domain=FINITE_ANGLE,
    angle=True,
    aliases=("versine",),
    summary="1 - cos(x) without cancellation",
)
declare(
    "haversin",
    value=lambda m, x: m.pow(m.sin(x / 2), 2),
    partials=(lambda m, z, x: m.sin(x) / 2,),
    domain=FINITE_ANGLE,
    notation=Call("hav"),
    angle=True,
    aliases=("haversine",),
    summary="(1 - cos(x))/2 without cancellation",
)
