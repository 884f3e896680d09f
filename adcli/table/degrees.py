"""Rows of the table for angles in degrees.

Multiples of 30 and 45 degrees have their exact values in every arithmetic.  Whether an angle is such a multiple is
tested with `floor`, and which one with `round`, so that an interval around a multiple still decides the second if it
leaves the first open.  Next to a zero the distance from it, which is exact, is converted to radians.
"""

from __future__ import annotations

import math

from ..typings import TYPE_CHECKING
from .primitive import FINITE_ANGLE, Bounds, Check, Limit, Monotone, declare, next_to_zero, vertical_ends, within_one

if TYPE_CHECKING:
    from .arithmetic import Arithmetic, Operand, T

inf = math.inf


declare(
    "degrees",
    value=lambda m, x: x * (180 / m.pi),
    partials=(lambda m, z, x: 180 / m.pi,),
    aliases=("rad2deg",),
    summary="an angle in degrees that is x in radians",
)
declare(
    "radians",
    value=lambda m, x: x * (m.pi / 180),
    partials=(lambda m, z, x: m.pi / 180,),
    aliases=("deg2rad",),
    summary="an angle in radians that is x in degrees",
)


def _sine(m: Arithmetic[T], x: T) -> T:
    """Return the sine of `x` degrees in the arithmetic `m`; multiples of 30 degrees exactly (±√3/2 rounded).

    Beyond ±375 degrees, whole turns are subtracted; sines below 0.7 are computed from the distance to the nearest
    multiple of 180.
    """
    angle = m.choose(m.gt(m.abs(x), 375), m.sign(x) * m.mod(m.abs(x), m.number(360)), x)
    n = m.round(angle / 30)
    half = m.floor(n / 6)
    place = n - 6 * half
    outer = m.either(m.eq(place, 1), m.eq(place, 5))
    size = m.choose(m.eq(place, 3), m.one, m.choose(outer, m.one / 2, m.sqrt(m.number(3)) / 2))
    known = m.choose(m.eq(place, 0), m.zero, size * (1 - 2 * (half - 2 * m.floor(half / 2))))
    sine, turns = m.sin(angle * (m.pi / 180)), m.round(angle / 180)
    small = (1 - 2 * (turns - 2 * m.floor(turns / 2))) * m.sin((angle - 180 * turns) * (m.pi / 180))
    sine = m.choose(m.lt(m.abs(sine), 0.7), small, sine)
    return m.choose(m.eq(angle - 30 * m.floor(angle / 30), 0), known, sine)


def _cosine(m: Arithmetic[T], x: T) -> T:
    """Return the cosine of `x` degrees in the arithmetic `m`; multiples of 30 degrees exactly (±√3/2 rounded).

    Beyond ±375 degrees, whole turns are subtracted; cosines below 0.7 are computed from the distance to the zero
    between the nearest multiples of 180.
    """
    angle = m.choose(m.gt(m.abs(x), 375), m.mod(m.abs(x), m.number(360)), m.abs(x))
    n = m.round(angle / 30) + 3
    half = m.floor(n / 6)
    place = n - 6 * half
    outer = m.either(m.eq(place, 1), m.eq(place, 5))
    size = m.choose(m.eq(place, 3), m.one, m.choose(outer, m.one / 2, m.sqrt(m.number(3)) / 2))
    known = m.choose(m.eq(place, 0), m.zero, size * (1 - 2 * (half - 2 * m.floor(half / 2))))
    cosine, turns = m.cos(angle * (m.pi / 180)), m.floor(angle / 180)
    small = (1 - 2 * (turns - 2 * m.floor(turns / 2))) * m.sin((90 + 180 * turns - angle) * (m.pi / 180))
    cosine = m.choose(m.lt(m.abs(cosine), 0.7), small, cosine)
    return m.choose(m.eq(angle - 30 * m.floor(angle / 30), 0), known, cosine)


def _tangent(m: Arithmetic[T], x: T) -> T:
    """Return the tangent of `x` degrees in the arithmetic `m`; multiples of 45 degrees exactly, and a division by zero
    at a pole.

    Tangents below 0.7 in size are computed from the distance to the nearest zero, those above 1.4 from that to the
    nearest pole, those between from the angle itself. Beyond ±195 degrees, half turns are subtracted first.
    """
    angle = m.choose(m.gt(m.abs(x), 195), m.sign(x) * m.mod(m.abs(x), m.number(180)), x)
    n = m.round(angle / 45)
    place = n - 4 * m.floor(n / 4)
    known = m.choose(m.eq(place, 0), m.zero, m.choose(m.eq(place, 1), m.one, -m.one))
    tangent = m.tan(angle * (m.pi / 180))
    small = m.tan((angle - 180 * m.round(angle / 180)) * (m.pi / 180))
    large = m.div(1, m.tan((90 + 180 * m.floor(angle / 180) - angle) * (m.pi / 180)))
    tangent = m.choose(m.lt(m.abs(tangent), 0.7), small, m.choose(m.gt(m.abs(tangent), 1.4), large, tangent))
    tangent = m.choose(m.eq(angle - 45 * m.floor(angle / 45), 0), known, tangent)
    pole = m.eq(angle - 90 - 180 * m.floor((angle - 90) / 180), 0)
    return m.div(tangent, m.choose(pole, m.zero, m.one))


declare(
    "sind",
    value=_sine,
    partials=(lambda m, z, x: m.cosd(x) * (m.pi / 180),),
    domain=FINITE_ANGLE,
    sample=(-170.0, 170.0),
    summary="sine of an angle in degrees",
)
declare(
    "cosd",
    value=_cosine,
    partials=(lambda m, z, x: -m.sind(x) * (m.pi / 180),),
    domain=FINITE_ANGLE,
    sample=(-170.0, 170.0),
    summary="cosine of an angle in degrees",
)
declare(
    "tand",
    value=_tangent,
    partials=(lambda m, z, x: (1 + z * z) * (m.pi / 180),),
    domain=(FINITE_ANGLE, Check(lambda m, x: m.cosd(x) != 0, "tand has a pole here", "cosd({0}) != 0")),
    sample=(-80.0, 80.0),
    summary="tangent of an angle in degrees",
)


_rising: Limit[Operand] = Limit(next_to_zero, lambda m, x: 180 / m.pi / m.sqrt(1 - x * x), lossy=True, often=True)
_falling: Limit[Operand] = Limit(next_to_zero, lambda m, x: -180 / m.pi / m.sqrt(1 - x * x), lossy=True, often=True)
declare(
    "asind",
    value=lambda m, x: m.choose(m.eq(m.abs(x), 0.5), 60 * x, m.asin(x) * (180 / m.pi)),
    partials=(lambda m, z, x: m.guard(_rising, 180 / m.pi / m.sqrt((1 - x) * (1 + x)), x),),
    domain=within_one("asind"),
    smooth=vertical_ends("asind"),
    sample=(-0.95, 0.95),
    inverse="sind",
    monotone=Monotone(Bounds(-1, 1), Bounds(-90, 90)),
    exact=((-1, -90), (-0.5, -30), (0, 0), (0.5, 30), (1, 90)),
    summary="inverse sine in degrees",
)
declare(
    "acosd",
    value=lambda m, x: m.choose(m.eq(m.abs(x), 0.5), 90 - 60 * x, m.acos(x) * (180 / m.pi)),
    partials=(lambda m, z, x: m.guard(_falling, -180 / m.pi / m.sqrt((1 - x) * (1 + x)), x),),
    domain=within_one("acosd"),
    smooth=vertical_ends("acosd", -inf),
    sample=(-0.95, 0.95),
    inverse="cosd",
    monotone=Monotone(Bounds(-1, 1), Bounds(0, 180), rising=False),
    exact=((-1, 180), (-0.5, 120), (0, 90), (0.5, 60), (1, 0)),
    summary="inverse cosine in degrees",
)
declare(
    "atand",
    value=lambda m, x: m.choose(m.eq(m.abs(x), 1), 45 * x, m.atan(x) * (180 / m.pi)),
    partials=(lambda m, z, x: 180 / m.pi / m.hypot(x, 1) / m.hypot(x, 1),),
    inverse="tand",
    monotone=Monotone(image=Bounds(-90, 90, True, True)),
    exact=((-1, -45), (0, 0), (1, 45)),
    summary="inverse tangent in degrees",
)
