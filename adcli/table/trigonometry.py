"""Rows of the table for trigonometry: trigonometric and hyperbolic functions and their inverses (DLMF chapter 4)."""

from __future__ import annotations

import math

from ..typings import TYPE_CHECKING, Any
from .primitive import (
    FINITE_ANGLE,
    Bounds,
    Call,
    Check,
    Kink,
    Limit,
    Monotone,
    Slip,
    Value,
    declare,
    infinite,
    next_to_zero,
    vertical_ends,
    within_one,
)

if TYPE_CHECKING:
    from .arithmetic import Arithmetic, Operand, T

inf = math.inf

_UNIT, _INSIDE = Bounds(-1, 1), Bounds(-1, 1, open_low=True, open_high=True)
_HALF_TURN = Bounds(-math.nextafter(math.pi / 2, 2), math.nextafter(math.pi / 2, 2))


declare(
    "sin",
    partials=(lambda m, z, x: m.cos(x),),
    domain=FINITE_ANGLE,
    aliases=("sen",),
    angle=True,
    exact=((0, 0),),
    libm="sin",
    numpy="sin",
    summary="sine (radians)",
)
declare(
    "cos",
    partials=(lambda m, z, x: -m.sin(x),),
    domain=FINITE_ANGLE,
    angle=True,
    exact=((0, 1),),
    libm="cos",
    numpy="cos",
    summary="cosine (radians)",
)
declare(
    "tan",
    composed=lambda m, x: m.sin(x) / m.cos(x),
    partials=(lambda m, z, x: 1 + z * z,),
    domain=FINITE_ANGLE,
    sample=(-1.4, 1.4),
    aliases=("tg",),
    angle=True,
    exact=((0, 0),),
    libm="tan",
    numpy="tan",
    slips=(
        Slip("square_forgotten", partials=(lambda m, z, x: 1 / m.cos(x),)),
        Slip("square_forgotten", partials=(lambda m, z, x: 1 + z,)),
        Slip("sign", partials=(lambda m, z, x: 1 - z * z,)),
    ),
    summary="tangent (radians)",
)
declare(
    "cot",
    value=lambda m, x: m.div(m.cos(x), m.sin(x)),
    partials=(lambda m, z, x: -(1 + z * z),),
    domain=(FINITE_ANGLE, Check(lambda m, x: m.sin(x) != 0, "cot has a pole here", "sin({0}) != 0")),
    sample=(0.2, 2.9),
    aliases=("ctg", "cotan", "cotg"),
    angle=True,
    summary="cotangent",
)
declare(
    "sec",
    value=lambda m, x: m.div(1, m.cos(x)),
    partials=(lambda m, z, x: z * m.tan(x),),
    domain=(FINITE_ANGLE, Check(lambda m, x: m.cos(x) != 0, "sec has a pole here", "cos({0}) != 0")),
    sample=(-1.4, 1.4),
    angle=True,
    summary="secant, 1/cos(x)",
)
declare(
    "csc",
    value=lambda m, x: m.div(1, m.sin(x)),
    partials=(lambda m, z, x: -z / m.tan(x),),
    domain=(FINITE_ANGLE, Check(lambda m, x: m.sin(x) != 0, "csc has a pole here", "sin({0}) != 0")),
    sample=(0.2, 2.9),
    aliases=("cosec",),
    angle=True,
    summary="cosecant, 1/sin(x)",
)


def _inverse(of: str, *spellings: str, prefix: str = "arc") -> dict[str, Any]:
    """Return four cells of the inverse of the function `of`: `inverse` (`of`), `notation` (a Call such as `arcsin`, or
    `arsinh` with the prefix "ar"), `aliases` and `angular` (whether the prefix is "arc").

    The aliases are the name with `prefix`, that with "arc", and `spellings`, each once.
    """
    names = dict.fromkeys((f"{prefix}{of}", f"arc{of}", *spellings))
    is_angle = prefix == "arc"
    return {"inverse": of, "notation": Call(prefix + of), "aliases": tuple(names), "angular": is_angle}


_rising: Limit[Operand] = Limit(next_to_zero, lambda m, x: 1 / m.sqrt(1 - x * x), lossy=True, often=True)
_falling: Limit[Operand] = Limit(next_to_zero, lambda m, x: -1 / m.sqrt(1 - x * x), lossy=True, often=True)
declare(
    "asin",
    partials=(lambda m, z, x: m.guard(_rising, 1 / m.sqrt((1 - x) * (1 + x)), x),),
    domain=within_one("asin"),
    smooth=vertical_ends("asin"),
    sample=(-0.95, 0.95),
    **_inverse("sin", "arcsen"),
    monotone=Monotone(_UNIT, _HALF_TURN),
    exact=((0, 0),),
    libm="asin",
    numpy="arcsin",
    slips=(Slip("square_forgotten", partials=(lambda m, z, x: 1 / m.sqrt(1 - x),)),),
    summary="inverse sine",
)
declare(
    "acos",
    partials=(lambda m, z, x: m.guard(_falling, -1 / m.sqrt((1 - x) * (1 + x)), x),),
    domain=within_one("acos"),
    smooth=vertical_ends("acos", -inf),
    sample=(-0.95, 0.95),
    **_inverse("cos"),
    monotone=Monotone(_UNIT, Bounds(0, math.nextafter(math.pi, 4)), rising=False),
    exact=((1, 0),),
    libm="acos",
    numpy="arccos",
    summary="inverse cosine",
)


def _far(m: Arithmetic[T], x: T) -> T:
    """Return whether a derivative of 1/x² would have powers of x that are too large for a double."""
    return m.gt(m.abs(x), m.number(1e70))


_turned_far: Limit[Operand] = Limit(_far, lambda m, x: 1 / m.hypot(x, 1) / m.hypot(x, 1), lossy=True)
_turned_back_far: Limit[Operand] = Limit(_far, lambda m, x: -1 / m.hypot(x, 1) / m.hypot(x, 1), lossy=True)
declare(
    "atan",
    partials=(lambda m, z, x: m.guard(_turned_far, 1 / (1 + x * x), x),),
    **_inverse("tan", "arctg"),
    forms={2: "atan2"},
    monotone=Monotone(image=_HALF_TURN),
    exact=((0, 0),),
    libm="atan",
    numpy="arctan",
    slips=(
        Slip("square_forgotten", partials=(lambda m, z, x: 1 / (1 + x),)),
        Slip("sign", partials=(lambda m, z, x: 1 / (1 - x * x),)),
    ),
    summary="inverse tangent",
)
_right_angle: Limit[Operand] = Limit(lambda m, x: m.eq(x, 0), lambda m, x: m.pi / 2)
declare(
    "acot",
    value=lambda m, x: m.guard(_right_angle, m.atan(m.div(1, x + 0)), x),
    partials=(lambda m, z, x: m.guard(_turned_back_far, -1 / (1 + x * x), x),),
    smooth=Kink(lambda m, x: x != 0, "acot jumps at 0"),
    sample=(0.1, 3.0),
    **_inverse("cot", "arcctg"),
    summary="inverse cotangent, atan(1/x)",
)


def _declare_inverse_of_reciprocal(reciprocal: str, sign: int, title: str, *, value: Value[Operand]) -> None:
    """Add the row of the inverse function `a<reciprocal>` of sec or csc, `reciprocal`, for |x| ≥ 1, with vertical ends
    at ±1.

    `sign` is that of its slope, `title` its name in words (`inverse <title>` is the summary), `value` its value rule.
    """
    name = f"a{reciprocal}"
    far: Limit[Operand] = Limit(
        _far, lambda m, x: sign / m.abs(x) / m.sqrt(m.abs(x) - 1) / m.sqrt(m.abs(x) + 1), lossy=True
    )
    declare(
        name,
        value=value,
        partials=(lambda m, z, x: m.guard(far, sign / (m.abs(x) * m.sqrt((x - 1) * (x + 1))), x),),
        domain=Check(
            lambda m, x: (x <= -1) | (x >= 1), f"{name} needs an absolute value of 1 or more", "abs({0}) >= 1"
        ),
        smooth=vertical_ends(name, sign * inf, True),
        sample=(1.1, 4.0),
        **_inverse(reciprocal),
        summary=f"inverse {title}",
    )


_declare_inverse_of_reciprocal("sec", 1, "secant", value=lambda m, x: m.acos(m.div(1, x)))
_declare_inverse_of_reciprocal("csc", -1, "cosecant", value=lambda m, x: m.asin(m.div(1, x)))


def _beyond_squares(m: Arithmetic[T], y: T, x: T) -> T:
    """Return whether squares of the larger argument, or terms of its derivative, leave the range of doubles."""
    size = m.max(m.abs(y), m.abs(x))
    return m.either(m.gt(size, m.number(1e70)), m.lt(size, m.number(1e-70)))


_turned_by_y: Limit[Operand, Operand] = Limit(
    _beyond_squares, lambda m, y, x: m.div(m.div(x, m.hypot(y, x)), m.hypot(y, x)), lossy=True
)
_turned_by_x: Limit[Operand, Operand] = Limit(
    _beyond_squares, lambda m, y, x: -m.div(m.div(y, m.hypot(y, x)), m.hypot(y, x)), lossy=True
)
declare(
    "atan2",
    value=lambda m, y, x: m.atan2(y + 0, x),  # the sum has no -0: real numbers have one zero
    partials=(
        lambda m, z, y, x: m.guard(_turned_by_y, m.div(x, x * x + y * y), y, x),
        lambda m, z, y, x: m.guard(_turned_by_x, -m.div(y, x * x + y * y), y, x),
    ),
    domain=Check(lambda m, y, x: (y != 0) | (x != 0), "atan2 has no value at the origin", "{0} != 0 or {1} != 0"),
    smooth=Kink(lambda m, y, x: (y != 0) | (x > 0), "atan2 jumps across the negative x axis"),
    sample=((0.2, 3.0), (-3.0, 3.0)),
    angular=True,
    arguments=("y", "x"),
    aliases=("arctan2",),
    continued=False,
    libm="atan2",
    numpy="arctan2",
    summary="angle of the point (x, y), written atan2(y, x)",
)


def _at_an_end(m: Arithmetic[T], a: T, b: T) -> T:
    """Return whether the larger argument is so small that it has few digits, or so large that a result may overflow."""
    size = m.max(m.abs(a), m.abs(b))
    return m.either(m.gt(size, m.number(1e300)), m.lt(size, m.number(1e-300)))


def _cosine_of_angle(m: Arithmetic[T], a: T, b: T) -> T:
    """Return a/hypot(a, b), the cosine of the angle of the point (a, b), without overflow or lost digits."""
    factor = m.choose(m.gt(m.max(m.abs(a), m.abs(b)), 1), m.number(2.0**-600), m.number(2.0**600))
    a, b = a * factor, b * factor
    return m.div(a, m.hypot(a, b))


def _sine_of_angle(m: Arithmetic[T], a: T, b: T) -> T:
    """Return b/hypot(a, b), the sine of that angle."""
    return _cosine_of_angle(m, b, a)


_first_at_an_end: Limit[Operand, Operand] = Limit(_at_an_end, _cosine_of_angle, lossy=True)
_second_at_an_end: Limit[Operand, Operand] = Limit(_at_an_end, _sine_of_angle, lossy=True)
declare(
    "hypot",
    composed=lambda m, a, b: m.sqrt(a * a + b * b),
    partials=(
        lambda m, z, a, b: m.guard(_first_at_an_end, m.div(a, z), a, b),
        lambda m, z, a, b: m.guard(_second_at_an_end, m.div(b, z), a, b),
    ),
    smooth=Kink(
        lambda m, a, b: (a != 0) | (b != 0),
        "hypot has no derivative at the origin",
        sides=(-1, 1),
        slope=lambda m, a, b: 0,
    ),
    sample=(0.2, 3.0),
    commutes=True,
    libm="hypot",
    numpy="hypot",
    summary="sqrt(a^2 + b^2)",
)

# --- hyperbolic functions ---------------------------------------------------------------------------------------------

declare(
    "sinh",
    composed=lambda m, x: (m.exp(x) - m.exp(-x)) / 2,
    partials=(lambda m, z, x: m.cosh(x),),
    aliases=("sh", "senh"),
    monotone=Monotone(),
    exact=((0, 0),),
    libm="sinh",
    numpy="sinh",
    summary="hyperbolic sine",
)
declare(
    "cosh",
    composed=lambda m, x: (m.exp(x) + m.exp(-x)) / 2,
    partials=(lambda m, z, x: m.sinh(x),),
    aliases=("ch",),
    exact=((0, 1),),
    libm="cosh",
    numpy="cosh",
    summary="hyperbolic cosine",
)
# The square is too large for a double from 356 on, where the slope is 0 and all that follows too.
_level: Limit[Operand] = Limit(lambda m, x: m.gt(m.abs(x), 300), lambda m, x: m.pow(m.sech(x), 2))
_level_too: Limit[Operand] = Limit(lambda m, x: m.gt(m.abs(x), 300), lambda m, x: -m.pow(m.csch(x), 2))
declare(
    "tanh",
    composed=lambda m, x: m.sinh(x) / m.cosh(x),
    partials=(lambda m, z, x: m.guard(_level, 1 / m.pow(m.cosh(x), 2), x),),
    aliases=("th", "tgh"),
    monotone=Monotone(image=_INSIDE),
    exact=((0, 0),),
    libm="tanh",
    numpy="tanh",
    slips=(
        Slip("square_forgotten", partials=(lambda m, z, x: 1 - z,)),
        Slip("square_forgotten", partials=(lambda m, z, x: 1 / m.cosh(x),)),
        Slip("sign", partials=(lambda m, z, x: 1 + z * z,)),
    ),
    summary="hyperbolic tangent",
)
declare(
    "coth",
    value=lambda m, x: m.div(1, m.tanh(x)),
    partials=(lambda m, z, x: m.guard(_level_too, -m.div(1, m.pow(m.sinh(x), 2)), x),),
    domain=Check(lambda m, x: x != 0, "coth has a pole at 0", "{0} != 0"),
    sample=(0.2, 3.0),
    summary="hyperbolic cotangent",
)
declare(
    "sech",
    value=lambda m, x: m.div(1, m.cosh(x)),
    partials=(lambda m, z, x: -z * m.tanh(x),),
    summary="hyperbolic secant",
)
declare(
    "csch",
    value=lambda m, x: m.div(1, m.sinh(x)),
    partials=(lambda m, z, x: -z / m.tanh(x),),
    domain=Check(lambda m, x: x != 0, "csch has a pole at 0", "{0} != 0"),
    sample=(0.2, 3.0),
    aliases=("cosech",),
    summary="hyperbolic cosecant",
)
declare(
    "asinh",
    partials=(lambda m, z, x: 1 / m.hypot(x, 1),),
    **_inverse("sinh", prefix="ar"),
    monotone=Monotone(),
    exact=((0, 0),),
    libm="asinh",
    numpy="arcsinh",
    summary="inverse hyperbolic sine",
)
declare(
    "acosh",
    partials=(lambda m, z, x: 1 / (m.sqrt(x - 1) * m.sqrt(x + 1)),),
    domain=Check(lambda m, x: x >= 1, "acosh needs an argument of 1 or more", "{0} >= 1", gives_nan=True),
    smooth=infinite(lambda m, x: x != 1, "acosh is vertical at 1"),
    sample=(1.1, 5.0),
    **_inverse("cosh", prefix="ar"),
    monotone=Monotone(Bounds(1, inf), Bounds(0, inf)),
    exact=((1, 0),),
    libm="acosh",
    numpy="arccosh",
    summary="inverse hyperbolic cosine",
)
_steeper: Limit[Operand] = Limit(next_to_zero, lambda m, x: 1 / (1 - x * x), lossy=True, often=True)
declare(
    "atanh",
    partials=(lambda m, z, x: m.guard(_steeper, 1 / ((1 - x) * (1 + x)), x),),
    domain=Check(lambda m, x: (x > -1) & (x < 1), "atanh needs an argument between -1 and 1", "-1 < {0} < 1"),
    sample=(-0.9, 0.9),
    **_inverse("tanh", prefix="ar"),
    monotone=Monotone(_INSIDE),
    exact=((0, 0),),
    libm="atanh",
    numpy="arctanh",
    summary="inverse hyperbolic tangent",
)
declare(
    "acoth",
    value=lambda m, x: m.atanh(m.div(1, x)),
    partials=(lambda m, z, x: 1 / (1 - x) / (1 + x),),
    domain=Check(lambda m, x: (x < -1) | (x > 1), "acoth needs an absolute value above 1", "abs({0}) > 1"),
    sample=(1.2, 5.0),
    **_inverse("coth", prefix="ar"),
    summary="inverse hyperbolic cotangent",
)
declare(
    "asech",
    value=lambda m, x: m.log1p(m.sqrt((1 - x) * (1 + x))) - m.log(x),
    continued=lambda m, x: m.acosh(m.div(1, x)),
    partials=(lambda m, z, x: -1 / x / m.sqrt((1 - x) * (1 + x)),),
    domain=Check(lambda m, x: (x > 0) & (x <= 1), "asech needs an argument between 0 and 1", "0 < {0} <= 1"),
    smooth=infinite(lambda m, x: x != 1, "asech is vertical at 1", left=-inf, right=None),
    sample=(0.1, 0.9),
    **_inverse("sech", prefix="ar"),
    summary="inverse hyperbolic secant",
)
# The inverse of such a number is too large for a double.
_next_to_pole: Limit[Operand] = Limit(
    lambda m, x: m.lt(m.abs(x), m.number(1e-300)),
    lambda m, x: m.sign(x) * (m.log1p(m.hypot(x, 1)) - m.log(m.abs(x))),
    lossy=True,
)
declare(
    "acsch",
    value=lambda m, x: m.guard(_next_to_pole, m.asinh(m.div(1, x)), x),
    continued=lambda m, x: m.asinh(m.div(1, x)),
    partials=(lambda m, z, x: -1 / m.abs(x) / m.hypot(x, 1),),
    domain=Check(lambda m, x: x != 0, "acsch has a pole at 0", "{0} != 0"),
    sample=(0.2, 3.0),
    **_inverse("csch", prefix="ar"),
    summary="inverse hyperbolic cosecant",
)
