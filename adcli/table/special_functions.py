"""Rows of the table for special functions: Bessel and Airy functions, integrals without elementary form, and inverses.

A function that cannot be composed from others has its implementations in the cell `own` of its row.  Chapters 4, 6, 7,
9 and 10 of the DLMF.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from ..typings import TYPE_CHECKING, Any
from .primitive import POSITIVE, Bounds, Call, Check, Monotone, Own, Partial, declare, infinite

if TYPE_CHECKING:
    from decimal import Decimal

    from .arithmetic import Operand
    from .decimals import Computation

Foreign = Any  # a number or a context of mpmath, or a number of Arb
inf = math.inf
HIGHEST = 100  # the highest order of what is named after Bessel; derivatives reach as far again


def _find_function(name: str) -> Callable[..., Computation]:
    """Return the function called `name` of `decimals`, `bessel` or `gamma_family` (the first that has it), which are
    imported only then.

    It takes decimal numbers. Raises StopIteration if none of these files has it.
    """
    from . import bessel, decimals, gamma_family

    module = next(each for each in (decimals, bessel, gamma_family) if hasattr(each, name))
    function: Callable[..., Computation] = getattr(module, name)
    return function


def double_function(name: str) -> Callable[..., float]:
    """Return the function called `name` for doubles: its arguments are converted exactly, and the result is rounded.

    The function returns nan if an argument is nan or there is no value; overflow gives ±inf.
    """

    def double(*arguments: float) -> float:
        return _compute_double(name, arguments, _zeros(arguments))

    return double


def _zeros(arguments: tuple[float | Decimal, ...]) -> str:
    """Return the zeros among the arguments with their signs: as a key of a cache -0.0 equals 0.0."""
    return " ".join(str(x) for x in arguments if not x)


# A trace needs a value in both sweeps and in partials, a table of many points the same order or base.
@lru_cache(maxsize=2048)
def _compute_double(name: str, arguments: tuple[float, ...], zeros: str) -> float:
    """Return the function called `name` of doubles, rounded to a double; `zeros` (`_zeros`) is only a cache key."""
    from decimal import Decimal

    from .decimals import round_correctly

    return float(round_correctly(_find_function(name), *map(Decimal, arguments)))


@lru_cache(maxsize=512)
def _compute_digits(name: str, precision: int, arguments: tuple[Decimal, ...], zeros: str) -> Decimal:
    """Return the function called `name` to at least `precision` digits; `zeros` (`_zeros`) is only a cache key."""
    from .decimals import round_correctly

    return round_correctly(_find_function(name), *arguments, digits=precision)


_EVERYWHERE = Bounds()


def implementations(
    name: str,
    of_complex: Callable[..., Foreign] | None,
    ball: Callable[..., Foreign],
    image: Bounds = _EVERYWHERE,
    slope: Callable[..., float] | None = None,
) -> Own:
    """Return the implementations of the function called `name`, which is computed in `decimals`, `bessel` or
    `gamma_family`.

    Its functions for doubles and for decimal numbers are made from it here, and search for it at the first call.
    `of_complex` computes it for complex numbers of mpmath (None: not possible), `ball` for Arb's intervals; `image` is
    the range of the function (default: all numbers), `slope` an upper bound of its slope.
    """

    def digits(precision: int, *arguments: Decimal) -> Decimal:
        return _compute_digits(name, precision, arguments, _zeros(arguments))

    return Own(double_function(name), digits, of_complex, ball, image, slope)


_FAR = 1e4
_NEAR = 1e-6  # the least distance of an order to the next whole number


def order_of(c: Foreign, n: Foreign, x: Foreign = 0) -> Foreign:
    """Return the order `n`, a real number of mpmath or complex (its real part counts), of the context `c`: an int if it
    is whole, of any size, else the real part.

    Raises ValueError if it is not whole and would not be computed in time: beyond ±2·HIGHEST (200), nearer to a whole
    number than `_NEAR` (1e-6), or for |x| above `_FAR` (10^4).
    """
    order = c.re(n)
    if c.isint(order):
        return int(order)
    if abs(order) > 2 * HIGHEST or abs(x) > _FAR or not _NEAR <= order - c.floor(order) <= 1 - _NEAR:
        raise ValueError("no such order")
    return order


# --- the sine over its angle, and Bessel functions --------------------------------------------------------------------
# Those of opposite orders: DLMF 10.4.1, 10.27.1 and 10.27.3.

_J, _Y = double_function("bessel_j"), double_function("bessel_y")
_I, _K = double_function("bessel_i"), double_function("bessel_k")


def of_order(name: str, least: int = -HIGHEST) -> Check[Operand, Operand]:
    """Return the domain of a function called `name` of (order, x): a whole order from `least` to HIGHEST (100), and any
    x.

    Its message says 100, but orders from `least` (not twice that) up to 200 pass, since derivatives need them.
    """
    words = f"{{0}} = {least}, …, {HIGHEST}" if least else f"{{0}} = 0, 1, …, {HIGHEST}"
    return Check(
        lambda m, n, x: (n == m.floor(n)) & (n >= least) & (n <= 2 * HIGHEST),
        f"the order of {name} must be a whole number up to {HIGHEST}",
        words,
    )


def of_real_order(name: str, *, whole_everywhere: bool = True) -> tuple[Check[Operand, Operand], ...]:
    """Return the domain of the Bessel function `name` of (order, x), as three conditions: limits of the order, no order
    almost whole, and x > 0.

    The order may be within 1e-6 of a whole number only if it is whole. With `whole_everywhere` x > 0 is needed only for
    orders that are not whole. The first message says ±HIGHEST (100), but orders up to ±200 pass, since derivatives need
    them.
    """
    limits: Check[Operand, Operand] = Check(
        lambda m, n, x: (n >= -2 * HIGHEST) & (n <= 2 * HIGHEST),
        f"the order of {name} must lie between -{HIGHEST} and {HIGHEST}",
        f"-{HIGHEST} <= {{0}} <= {HIGHEST}",
    )
    distinct: Check[Operand, Operand] = Check(
        lambda m, n, x: (n == m.floor(n)) | ((n - m.floor(n) >= _NEAR) & (n - m.floor(n) <= 1 - _NEAR)),
        f"{name} cannot be computed if its order is almost a whole number",
    )
    if not whole_everywhere:
        return limits, distinct, _positive(name)
    return (
        limits,
        distinct,
        Check(
            lambda m, n, x: (n == m.floor(n)) | (x > 0),
            f"{name} of an order that is not whole needs a positive argument",
            "{1} > 0",
            blame=1,
        ),
    )


def _positive(name: str) -> Check[Operand, Operand]:
    return Check(lambda m, n, x: x > 0, f"{name} needs a positive argument", "{1} > 0", blame=1)


def _spherical_of_complex(c: Foreign, n: Foreign, x: Foreign) -> Foreign:
    """Return the spherical Bessel function of order `n` at the complex `x`, in the context `c` of mpmath."""
    k = order_of(c, n)
    return x**k / c.fac2(2 * k + 1) * c.hyp0f1(k + c.mpf(3) / 2, -x * x / 4)


def ball_of_order(rule: Callable[..., Foreign]) -> Callable[..., Foreign]:
    """Return the function `(n, *arguments)` of Arb's intervals that is `rule` at the int `n`.

    It is nan for an order that is not certain, not whole, negative or above 2·HIGHEST (200), which domains refuse.
    """

    def ball(n: Foreign, *arguments: Foreign) -> Foreign:
        whole = n.unique_fmpz()
        is_order = whole is not None and 0 <= whole <= 2 * HIGHEST
        return rule(int(whole), *arguments) if is_order else arguments[0] * math.nan

    return ball


def _spherical_ball(k: int, x: Foreign) -> Foreign:
    """Return the spherical Bessel function of the first kind of order `k` at `x`, one of Arb's intervals."""
    double_factorial = math.prod(range(2 * k + 1, 0, -2))
    return x.sinc() if k == 0 else x**k / double_factorial * (-x * x / 4).hypgeom_0f1(k + 1.5)


declare(
    "sphericalj",
    # at order 0 the first term has the factor 0; without abs its order would be -1
    partials=(
        None,
        lambda m, z, n, x: (n * m.sphericalj(m.abs(n - 1), x) - (n + 1) * m.sphericalj(n + 1, x)) / (2 * n + 1),
    ),
    domain=of_order("sphericalj", 0),
    arguments=("n", "x"),
    has_order=True,
    sample=((1.0, 1.0), (-6.0, 6.0)),
    notation=Call("j", index="{0}"),
    own=implementations(
        "spherical_j", _spherical_of_complex, ball_of_order(_spherical_ball), Bounds(-1, 1), lambda n, low, high: 1.0
    ),
    where=f"n = 0, 1, …, {HIGHEST}",
    summary="spherical Bessel function of the first kind; sphericalj(0, x) is sin(x)/x",
)
declare(
    "sinc",
    partials=(lambda m, z, x: -m.sphericalj(m.number(1), x),),
    sample=(-9.0, 9.0),
    own=implementations(
        "sinc", lambda c, x: c.sinc(x), lambda x: x.sinc(), Bounds(-0.2173, 1), lambda low, high: 0.4363
    ),
    reading="sinc is read as sin(x)/x; write sinc(pi*x) for sin(pi*x)/(pi*x)",
    summary="sin(x)/x, and 1 at 0",
)


def _declare_bessel(
    letter: str, kind: str, of_complex: Callable[..., Foreign], steepest: Callable[[float, float, float], float],
    sample: tuple[float, float], *, partials: tuple[None, Partial[Operand, Operand]], mirrored: int = 1,
    positive: bool = False, image: Bounds = _EVERYWHERE,
) -> None:  # fmt: skip
    """Add the row of the Bessel function `bessel<letter>` of (order, argument), described in its summary as `kind`.

    `of_complex` is the function in mpmath, `steepest` the bound of the slope that `implementations` takes, `sample` the
    range of arguments for tests, `partials` the cell of the row. `mirrored` is the s, 1 or -1, in f(-n, x) = s^n f(n,
    x) for whole n; with `positive` the argument must be positive for every order, else only for orders that are not
    whole; `image` contains all values.
    """
    name = f"bessel{letter}"
    declare(
        name,
        partials=partials,
        domain=of_real_order(name, whole_everywhere=not positive),
        has_order=True,
        arguments=("n", "x"),
        mirrored=mirrored,
        sample=((1.0, 1.0), sample),
        notation=Call(letter.upper(), index="{0}"),
        aliases=(f"Bessel{letter.upper()}", f"bessel_{letter}"),
        own=implementations(
            f"bessel_{letter}", of_complex, lambda n, x: getattr(x, f"bessel_{letter}")(n), image, steepest
        ),
        where=f"-{HIGHEST} <= n <= {HIGHEST}; x > 0{'' if positive else ' if n is not whole'}",
        summary=f"{kind} kind, {name}(n, x)",
    )


_declare_bessel(
    "j", "Bessel function of the first",
    lambda c, n, x: c.besselj(order_of(c, n, x), x),
    lambda n, low, high: 1.0 if n >= 1 or n % 1 == 0 else inf,
    (-9.0, 9.0), mirrored=-1,
    partials=(None, lambda m, z, n, x: (m.besselj(n - 1, x) - m.besselj(n + 1, x)) / 2),
)  # fmt: skip
_declare_bessel(
    "y", "Bessel function of the second",
    lambda c, n, x: c.bessely(order_of(c, n, x), x),
    # the size of J and Y together falls (DLMF 10.9.30)
    lambda n, low, high: _size_of_j_and_y(n - 1, low) / 2 + _size_of_j_and_y(n + 1, low) / 2 if low > 0 else inf,
    (0.5, 9.0), mirrored=-1, positive=True,
    partials=(None, lambda m, z, n, x: (m.bessely(n - 1, x) - m.bessely(n + 1, x)) / 2),
)  # fmt: skip


def _size_of_j_and_y(n: float, x: float) -> float:
    """Return the root of J² + Y² of order `n` at `x`."""
    return math.hypot(_J(n, x), _Y(n, x))


def _unsigned_order(n: Foreign) -> Foreign:
    """Return a whole order (an int) without its sign, and any other as it is: I of -n is I of n (DLMF 10.27.1)."""
    return abs(n) if isinstance(n, int) else n


def _steepest_of_i(n: float, low: float, high: float) -> float:
    """Return an upper bound of the size of the slope of I of order `n` between `low` and `high`; infinite for an order
    below 1 that is not whole.
    """
    far = max(-low, high)
    if n % 1 and n < 1:
        return inf
    return (_I(abs(n) - 1, far) + _I(abs(n) + 1, far)) / 2 if n else _I(1, far)


_declare_bessel(
    "i", "modified Bessel function of the first",
    lambda c, n, x: c.besseli(_unsigned_order(order_of(c, n, x)), x),
    _steepest_of_i, (-5.0, 5.0),
    partials=(None, lambda m, z, n, x: (m.besseli(n - 1, x) + m.besseli(n + 1, x)) / 2),
)  # fmt: skip
_declare_bessel(
    "k", "modified Bessel function of the second",
    lambda c, n, x: c.besselk(abs(order_of(c, n, x)), x),
    lambda n, low, high: (_K(n - 1, low) + _K(n + 1, low)) / 2 if low > 0 else inf,
    (0.3, 6.0), positive=True, image=POSITIVE,
    partials=(None, lambda m, z, n, x: -(m.besselk(n - 1, x) + m.besselk(n + 1, x)) / 2),
)  # fmt: skip

# --- Airy functions ---------------------------------------------------------------------------------------------------


def _swing(low: float, high: float) -> float:
    """Return a bound of Ai' and, left of 0, of Bi' between two numbers (DLMF 9.8)."""
    return float((1 + abs(min(low, 0.0))) ** 0.25)


_BI, _BI_SLOPE = double_function("airy_bi"), double_function("airy_bi_slope")


def _declare_airy(
    name: str, slope: str, course: str, right: float, image: Bounds, steepest: Callable[[float, float], float],
    most_bent: Callable[[float, float], float],
) -> None:  # fmt: skip
    """Add the rows of the Airy function `name`, airyai or airybi, and of its derivative `slope`.

    `course` is a verb for its behaviour at positive x, tests go up to `right`, `image` contains all values; `steepest`
    and `most_bent` return the largest first and second derivative between two numbers, or more.
    """
    letter = name.removeprefix("airy")
    title = letter.title()
    declare(
        name,
        partials=(lambda m, z, x: getattr(m, slope)(x),),
        sample=(-6.0, right),
        notation=Call(title),
        aliases=(title, f"Airy{title}"),
        own=implementations(
            f"airy_{letter}",
            lambda c, x: getattr(c, name)(x),
            lambda x: getattr(x, f"airy_{letter}")(),
            image,
            steepest,
        ),
        summary=f"Airy function {title}, which {course} for positive x",
    )
    declare(
        slope,
        partials=(lambda m, z, x: x * getattr(m, name)(x),),
        sample=(-6.0, right),
        notation=Call(f"{title}'"),
        aliases=(f"Airy{title}Prime",),
        own=implementations(
            f"airy_{letter}_slope",
            lambda c, x: getattr(c, name)(x, derivative=1),
            lambda x: getattr(x, f"airy_{letter}")(derivative=1),
            slope=most_bent,
        ),
        summary=f"derivative of {name}(x)",
    )


_declare_airy(
    "airyai", "airyaiprime", "decreases", 4.0, Bounds(-0.42, 0.5357), _swing,
    lambda low, high: 0.5357 * max(-low, high),
)  # fmt: skip
_declare_airy(
    "airybi", "airybiprime", "increases", 3.0, Bounds(-0.4555, inf),
    lambda low, high: max(_swing(low, high), _BI_SLOPE(high) if high > 0 else 0.0),
    lambda low, high: max(-low, high) * max(1.0, _BI(high) if high > 0 else 0.0),
)  # fmt: skip

# --- integrals --------------------------------------------------------------------------------------------------------


def _steepest_of_ei(low: float, high: float) -> float:
    """Return the largest slope exp(x)/x of Ei between two numbers, which is at an end; infinite around 0 and beyond
    700.
    """
    return inf if low <= 0 <= high or high > 700 else max(math.exp(x) / abs(x) for x in (low, high))


declare(
    "Ei",
    partials=(lambda m, z, x: m.div(m.exp(x), x),),
    domain=Check(lambda m, x: x != 0, "Ei has no value at 0", "{0} != 0"),
    sample=(0.2, 5.0),
    aliases=("expi", "ExpIntegralEi"),
    own=implementations("exponential_integral", lambda c, x: c.ei(x), lambda x: x.ei(), slope=_steepest_of_ei),
    summary="exponential integral, whose derivative is exp(x)/x",
)
declare(
    "Si",
    partials=(lambda m, z, x: m.sinc(x),),
    sample=(-9.0, 9.0),
    aliases=("SinIntegral",),
    own=implementations(
        "sine_integral", lambda c, x: c.si(x), lambda x: x.si(), Bounds(-1.852, 1.852), lambda low, high: 1.0
    ),
    exact=((0, 0),),
    summary="sine integral, whose derivative is sinc(x)",
)
declare(
    "Ci",
    partials=(lambda m, z, x: m.cos(x) / x,),
    domain=Check(lambda m, x: x > 0, "Ci needs a positive argument", "{0} > 0"),
    sample=(0.3, 9.0),
    aliases=("CosIntegral",),
    own=implementations(
        "cosine_integral",
        lambda c, x: c.ci(x),
        lambda x: x.ci(),
        Bounds(-inf, 0.4721),
        lambda low, high: 1 / low if low > 0 else inf,
    ),
    summary="cosine integral, whose derivative is cos(x)/x",
)

# --- inverses ---------------------------------------------------------------------------------------------------------

declare(
    "erfinv",
    partials=(lambda m, z, x: m.sqrt(m.pi) / 2 * m.exp(z * z),),
    domain=Check(lambda m, x: (x > -1) & (x < 1), "erfinv needs an argument between -1 and 1", "-1 < {0} < 1"),
    sample=(-0.9, 0.9),
    continued=False,
    monotone=Monotone(Bounds(-1, 1, open_low=True, open_high=True)),
    exact=((0, 0),),
    own=implementations("erf_inverse", None, lambda x: x.erfinv()),
    summary="inverse of the error function",
)


declare(
    "erfcinv",
    partials=(lambda m, z, x: -m.sqrt(m.pi) / 2 * m.exp(z * z),),
    domain=Check(lambda m, x: (x > 0) & (x < 2), "erfcinv needs an argument between 0 and 2", "0 < {0} < 2"),
    sample=(0.1, 1.9),
    continued=False,
    monotone=Monotone(Bounds(0, 2, open_low=True, open_high=True), rising=False),
    exact=((1, 0),),
    own=implementations("erfc_inverse", None, lambda x: x.erfcinv()),
    summary="inverse of erfc(x)",
)
declare(
    "probit",
    partials=(lambda m, z, x: m.sqrt(2 * m.pi) * m.exp(z * z / 2),),
    domain=Check(lambda m, x: (x > 0) & (x < 1), "probit needs an argument between 0 and 1", "0 < {0} < 1"),
    sample=(0.05, 0.95),
    aliases=("normppf", "norminv"),
    continued=False,
    monotone=Monotone(Bounds(0, 1, open_low=True, open_high=True)),
    exact=((0.5, 0),),
    own=implementations("normal_quantile", None, lambda x: -(2 * x).erfcinv() * (x * 0 + 2).sqrt()),
    summary="quantile of the standard normal distribution, the inverse of normcdf",
)
declare(
    "lambertw",
    partials=(lambda m, z, x: m.exp(-z) / (1 + z),),
    domain=Check(lambda m, x: x * m.e >= -1, "lambertw needs an argument of -1/e or more", "{0} >= -1/e"),
    smooth=infinite(lambda m, x: (x * m.e > -1) | (x < -0.4), "lambertw is vertical at -1/e"),
    sample=(-0.3, 9.0),
    notation=Call("W"),
    aliases=("LambertW", "productlog", "ProductLog", "lambert_w"),
    monotone=Monotone(Bounds(-0.36787944117144233, inf), Bounds(-1, inf)),
    exact=((0, 0),),
    own=implementations("lambert_w", lambda c, x: c.lambertw(x), lambda x: x.lambertw()),
    summary="principal solution w of w*exp(w) = x",
)
declare(
    "lambertwm1",
    partials=(lambda m, z, x: m.exp(-z) / (1 + z),),
    domain=Check(lambda m, x: (x * m.e >= -1) & (x < 0), "lambertwm1 needs -1/e <= x < 0", "-1/e <= {0} < 0"),
    smooth=infinite(lambda m, x: (x * m.e > -1) | (x < -0.4), "lambertwm1 is vertical at -1/e", right=-inf),
    sample=(-0.35, -0.01),
    notation=Call("W", index="-1"),
    continued=False,
    monotone=Monotone(Bounds(-0.36787944117144233, 0, open_high=True), Bounds(-inf, -1), rising=False),
    own=implementations("lambert_w_below", None, lambda x: x.lambertw(-1)),
    summary="solution w of w*exp(w) = x that is -1 or less; lambertw(x, -1)",
)
