"""Real numbers as they are, and functions near a point, are what ninety digits say: signs, steps, series, slopes.

The programs are random, and so are the points: whole numbers and halves, where corners, steps and roots are met.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from drawn import usually
from test_enclosures import program, regular
from together import together

from adcli.graph.graph import Graph
from adcli.graph.tape import evaluate
from adcli.kinks.exact_reals import Real, Reals
from adcli.kinks.local_series import LocalSeries, SeriesArithmetic
from adcli.kinks.signs import Finer, Flat, Outside, Unknown
from adcli.numbers.precise import Precise

TRUTH = Precise(90)
FINER = Precise(200)  # what these digits change in a number is the rounding of TRUTH, whose square root may be large
MPF = TRUTH.context.mpf
CLEAR = MPF(10) ** -60  # of what is no rounding
ROUNDED = MPF(2) ** -52


def drawn_from(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - the same programs in every run


def true(x: Real) -> Any:
    """A number in many digits."""
    return x.m.read(x, TRUTH)


def sign(x: Any) -> int:
    return 0 if abs(x) < CLEAR else 1 if x > 0 else -1


def numbers(random: Random, m: Any) -> list[Any]:
    """The same numbers in any arithmetic, as its functions and operators make them."""
    n = m.number
    made = [
        n(2),
        n(Fraction(-3, 2)),
        m.sqrt(n(2)),
        m.exp(n(1)),
        m.pi,
        m.cbrt(n(-5)),
        m.log(n(3)),
        m.pow(n(2), n("0.4")),
    ]
    for _ in range(5):
        a, b = random.choice(made), random.choice(made)
        kind = random.choice("+-*/^")
        if kind == "/" and not b:
            kind = "+"
        made.append(
            a + b if kind == "+" else a - b if kind == "-" else a * b if kind == "*" else a / b if kind == "/"
            else m.pow(a, n(random.choice((2, 3))))
        )  # fmt: skip
    return made


@pytest.mark.parametrize("seed", range(usually(15, thoroughly=40)))
def test_numbers_as_they_are_have_their_signs_bounds_and_steps(seed: int) -> None:
    reals = Reals()
    try:
        exact, known = numbers(drawn_from(seed), reals), numbers(drawn_from(seed), TRUTH)
    except Unknown:
        pytest.skip("a number that may be 0")
    for x, y in zip(exact, known, strict=True):
        assert abs(true(x) - y) <= CLEAR * (1 + abs(y))
        if sign(y):
            assert sign(y) == reals.sign_of(x) == true(reals.sign(x))
        for bits in (0, 128, 1024):
            low, high = (MPF(float(end)) for end in reals.bounds(x, bits))
            assert low - abs(low) * ROUNDED <= y <= high + abs(high) * ROUNDED
            assert high - low <= (1 + abs(y)) * MPF("1e-9")
        assert float(y) == pytest.approx(reals.double(x), rel=1e-9, abs=1e-9)
        for name in ("floor", "ceil", "round", "abs", "cbrt"):
            assert abs(true(getattr(reals, name)(x)) - getattr(TRUTH, name)(y)) <= CLEAR * (1 + abs(y))
        other, its = exact[seed % len(exact)], known[seed % len(exact)]
        if abs(y - its) > CLEAR:
            assert (x < other, x <= other, x > other, x >= other) == (y < its, y <= its, y > its, y >= its)
            assert x != other
        assert x == x + 0
        for name in ("mod", "atan2", "hypot"):
            if name != "mod" or (sign(its) and sign(y / its - TRUTH.round(y / its))):
                assert abs(true(getattr(reals, name)(x, other)) - getattr(TRUTH, name)(y, its)) <= CLEAR * (1 + abs(y))


@pytest.mark.parametrize("exponent", ["1/3", "2/3", "61/7", "1/61", "pi", "cos"])
def test_powers_multiply_as_they_do_whatever_the_exponent(exponent: str) -> None:
    reals, found = Reals(), []
    for m in (reals, TRUTH):
        a = m.number(2) if exponent != "pi" else m.log(m.number(5))
        b = m.pi if exponent == "pi" else m.cos(m.number(1)) if exponent == "cos" else m.number(Fraction(exponent))
        power = m.pow(a, b)
        found.append([power * power, power * power * power + power, m.pow(power, m.number(7)) / power])
    for x, y in zip(*found, strict=True):
        assert abs(true(x) - y) <= CLEAR * (1 + abs(y))


def test_what_cancels_is_zero() -> None:
    m = Reals()
    a, b, root = m.exp(m.number(1)), m.log(m.number(3)), m.sqrt(m.number(2))
    for zero in (
        (a + b) * (a - b) - (a * a - b * b), root * root - 2, m.pow(m.cbrt(5), 3) - 5, a / a - 1, root / 2 * root - 1,
        m.pow(m.number(2), Fraction(7, 3)) * m.pow(m.number(2), Fraction(2, 3)) - 8, m.pow(root, -2) - Fraction(1, 2),
        a * 3 / 3 - a, abs(-a) - a, m.e - a, m.pow(2, Fraction(5, 2)) - 4 * root, 2 - root * root,
        root * m.sqrt(3) - m.sqrt(6), m.sqrt(m.number("25.92")) - root * Fraction(18, 5),
        m.pow(4, Fraction(1, 4)) - root, m.tan(m.pi / 3) - m.sqrt(3), m.tan(-m.pi / 6) * 3 + m.sqrt(3),
        m.sin(m.pi / 4) * 2 - root, m.cos(m.pi * 7 / 6) * 2 + m.sqrt(3),
        m.cbrt(a * 2 * 337**3) - m.cbrt(2) * m.cbrt(a) * 337, m.sqrt(b * b * 3 / a) - m.sqrt(3) * b / m.sqrt(a),
    ):  # fmt: skip
        assert not zero.terms
        assert 0 == zero.fraction == m.sign_of(zero)
        assert not zero


def test_numbers_that_are_fractions_stay_so() -> None:
    m = Reals()
    assert [Fraction(3), Fraction(-2), Fraction(1, 8), Fraction(0), Fraction(1)] == [
        x.fraction for x in (m.sqrt(9), m.cbrt(-8), m.pow(2, -3), m.pow(0, Fraction(1, 2)), m.sin(0) + 1)
    ]
    assert [Fraction(1), Fraction(-1), Fraction(0)] == [m.sign(k).fraction for k in (7, -7, 0)]
    assert [3, -3, 2, -2] == [m.round(Fraction(k)).fraction for k in ("2.5", "-2.5", "2.4", "-2.4")]
    assert Fraction(1, 2) == m.mod(Fraction(-7, 2), 2).fraction
    assert Fraction(5) == m.hypot(3, -4).fraction
    assert 2.5 == m.double(m.number("2.5"))


def test_what_is_no_number_or_too_much_is_not_known() -> None:
    m = Reals()
    a = m.exp(m.number(1))
    for asked in (
        lambda: m.number(1 << 9000), lambda: m.inverse(m.zero), lambda: m.pow(-2, Fraction(1, 2)),
        lambda: m.number("inf"),
        lambda: m.sign_of(m.log(m.number(-1))), lambda: m.sign_of(m.div(1, 0)), lambda: m.sign_of(m.atan2(0, 0)),
        lambda: m.sign_of(m.pow(m.pow(2, Fraction(1, 4)), 2) - m.sqrt(2)),
        lambda: m.pow(2, (1 << 20) + Fraction(1, 3)),
        lambda: m.pow(0, Fraction(-1, 2)), lambda: m.pow(a + 1 + m.pi + m.log(2) + m.log(3), 9),
    ):  # fmt: skip
        with pytest.raises(Unknown):
            asked()
    assert m.number(1 << 2000).fraction == 1 << 2000


# --- near a point -----------------------------------------------------------------------------------------------------


def along(graph: Graph, at: dict[int, Fraction], slopes: dict[int, Fraction]) -> list[Any]:
    """The germs of a graph in a direction."""
    q = 1
    while True:
        m = SeriesArithmetic(Reals(), q)
        try:
            return evaluate(graph, m, {slot: m.moving(x, slopes[slot]) for slot, x in at.items()})
        except Finer as finer:
            q *= finer.times


def summed(germ: LocalSeries, s: Any) -> Any:
    return sum((true(c) * s ** (germ.start + k) for k, c in enumerate(germ.coefficients)), MPF(0))


NEAR = MPF(10) ** -12


def fault(random: Random) -> tuple[str, str]:
    """What is wrong with the series of a random program, and what came of it."""
    graph = program(random)
    at = {slot: Fraction(random.randint(-4, 4), random.choice((1, 1, 2))) for slot in graph.inputs}
    slopes = {slot: Fraction(random.choice((1, -1, 2, -3, 0))) for slot in graph.inputs}
    close = {slot: TRUTH.number(x) + TRUTH.number(slopes[slot]) * NEAR for slot, x in at.items()}
    said = f"{graph.rows} {graph.parents} {at} {slopes}"
    values = evaluate(graph, TRUTH, close)
    closer = {slot: FINER.number(x) + FINER.number(slopes[slot]) * FINER.number("1e-12") for slot, x in at.items()}
    finer = evaluate(graph, FINER, closer)
    inside, _ = regular(graph, values)
    try:
        germs = along(graph, at, slopes)
    except Outside:
        return (said if inside else ""), "outside"
    except Unknown:
        return "", "unknown"
    if not inside:
        return "", "undefined"
    for germ, y, better in zip(germs, values, finer, strict=True):
        s = NEAR ** (MPF(1) / germ.m.q)
        rest = abs(summed(germ, s) - y)
        slack = 2 * abs(MPF(str(better)) - y) + CLEAR * (1 + abs(y)) * NEAR ** min(germ.start, 0) * 10**9
        if germ.end is not None:
            slack = max(slack, s ** (germ.end - MPF(1) / 4) * 10**8)
        if rest > slack:
            return f"{said}: {germ.coefficients} {germ.start} {germ.end} is not {y}", "series"
        clear = abs(y) > 100 * abs(MPF(str(better)) - y)
        if germ.coefficients and germ.m.sign_of(germ) != (sign(y / abs(y)) if clear else sign(y / s**germ.start)):
            return f"{said}: sign of {y}", "series"
    return "", "series"


@pytest.mark.parametrize("seed", range(usually(10, thoroughly=30)))
def test_series_near_a_point_are_those_of_the_function(seed: int) -> None:
    random = drawn_from(seed)
    found = [fault(random) for _ in range(12)]
    assert [] == [said for said, _ in found if said]
    assert any(kind == "series" for _, kind in found)


@pytest.mark.parametrize("slope", [1, -1, Fraction(-2, 3)])
@pytest.mark.parametrize("y", [[1], [-1], [3], [0, 1], [0, -1], [0, 0, 2], [1, 1], [-2, 5], []])
@together("x", [[1], [-1], [0, 1], [0, -3], [2, -1], []])
def test_angles_near_the_origin_are_those_of_the_side_that_is_come_from(
    y: list[int], x: list[int], slope: Fraction
) -> None:
    """Of polynomials without a constant: a way into the origin from every side, some of them along an axis."""
    if not y and not x:
        return
    m, near = SeriesArithmetic(Reals()), TRUTH.number(slope) * NEAR

    def polynomial(t: Any, coefficients: list[int]) -> Any:
        total = 0 * t
        for place, coefficient in enumerate(coefficients):
            power = t
            for _ in range(place):
                power = power * t
            total = total + coefficient * power
        return total

    up = m.moving(0, slope)
    germ = m.atan2(polynomial(up, y), polynomial(up, x))
    truth = TRUTH.atan2(polynomial(near, y), polynomial(near, x))
    assert abs(summed(germ, NEAR ** (MPF(1) / germ.m.q)) - truth) <= NEAR ** (germ.end or 8) * 10**20 + CLEAR


def test_conditions_on_series_are_those_near_the_point() -> None:
    m = SeriesArithmetic(Reals(), 2)
    up = m.moving(0, 3)
    for x, side in (
        (up, 1),
        (-up, -1),
        (up - up, 0),
        (up * up - up, -1),
        (m.sqrt(up) - 5 * up, 1),
        (1 - m.exp(up), -1),
    ):
        assert side == m.sign_of(x)
        assert [x < 0, x <= 0, x > 0, x >= 0, x == 0, x != 0, bool(x), 0 < x, 1 + x > 1] == [
            side < 0, side <= 0, side > 0, side >= 0, side == 0, side != 0, side != 0, side > 0, side > 0,
        ]  # fmt: skip
    assert (2, 3) == (up.start, up.at(2).fraction)
    assert (0, 0) == (up.at(0).fraction, up.at(7).fraction)


def test_quotient_of_polynomials_is_one_where_nothing_is_left_over() -> None:
    m = SeriesArithmetic(Reals())
    for at in (0, 2, Fraction(1, 3)):
        x = m.moving(at, 3)
        for above, below, quotient in (
            (x, x, m.number(1)), (x * x - 1, x - 1, x + 1), (x * x * x, x * x, x), (3 * x, 2 * x + x, m.number(1)),
        ):  # fmt: skip
            found = above / below
            assert found.end is None
            assert m.sign_of(found - quotient) == 0
        for above, below in ((x * x + 1, x - 1), (x, x + 1), (m.number(1), x + 1), (m.exp(x), m.exp(x))):
            assert (above / below).end is not None


def test_what_a_series_does_not_show_is_not_known() -> None:
    m = SeriesArithmetic(Reals())
    up = m.moving(0, 1)
    flat = m.exp(up) * m.exp(up) - m.exp(2 * up)
    assert not flat.coefficients
    assert (m.exp(up) + m.sin(up) - m.exp(up) - m.sin(up)).is_zero
    assert (m.sqrt(1 + up) / m.exp(up) * 2 + up - 2 * m.sqrt(1 + up) / m.exp(up) - up * m.sqrt(2) / m.sqrt(2)).is_zero
    with pytest.raises(Flat):
        m.sign_of(flat)
    with pytest.raises(Flat):
        m.exp(up).at(9)
    with pytest.raises(Flat):
        m.root_of(flat, Fraction(2))
    with pytest.raises(Unknown, match="division by 0"):
        1 / (up - up)
    with pytest.raises(Unknown, match="without bounds"):
        m.limit(1 / up)
    with pytest.raises(Unknown, match="roots of roots"):
        SeriesArithmetic(m.reals, 25)
    assert 24 == SeriesArithmetic(m.reals, 24).q
    with pytest.raises(Outside):
        m.root_of(-up, Fraction(1, 2))
    with pytest.raises(Finer) as finer:
        m.root_of(up, Fraction(2, 3))
    assert 3 == finer.value.times
    one = 1 / up * up
    assert (None, 8) == (m.pow(1 + up, 3).end, m.exp(up).end)
    assert (0, [1], None) == (one.start, [c.fraction for c in one.coefficients], one.end)
