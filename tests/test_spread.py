"""The spread of rounded numbers holds every true result, and is not much wider than it must be."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from random import Random

import pytest
from drawn import examples, usually
from hypothesis import example, given
from hypothesis import strategies as st

from adcli.graph.graph import Graph  # noqa: F401 - fills the table
from adcli.numbers.double_intervals import SPREAD, Spread, _hull
from adcli.numbers.doubles import FLOAT
from adcli.numbers.error_analysis import ROUNDED, Bounded
from adcli.numbers.precise import Precise
from adcli.table.primitive import ROWS, Primitive

ROWS_OF_NUMBERS = [row for row in ROWS.values() if not row.truth and row.route is None and not row.has_order]


@examples(300)
@given(st.lists(st.floats(0, 1), min_size=8, max_size=8), st.sampled_from([0.0, 0.5e-6, 0.5e-3, 0.05]))
def test_it_holds_what_comes_out_of_any_numbers_inside(parts: list[float], half: float) -> None:
    for row in ROWS_OF_NUMBERS:
        ranges = row.ranges()
        centres = [_between(low, high, part) for (low, high), part in zip(ranges, parts, strict=False)]
        boxes = [Spread(x - half, x + half) for x in centres]
        result = row.value(SPREAD, *boxes)
        inside = [_between(box.low, box.high, part) for box, part in zip(boxes, parts[4:], strict=False)]
        value = row.value(FLOAT, *inside)
        assert math.isnan(value) or result.low <= value <= result.high, (row.name, boxes, inside)


def _between(low: float, high: float, part: float) -> float:
    """Return the double at a part (0 to 1) of the way from `low` to `high`, which are its ends."""
    return min(max(low + part * (high - low), low), high)


@pytest.mark.parametrize(
    ("name", "low", "high", "least", "most"),
    [
        ("sin", 1.5, 1.6, math.sin(1.5), 1.0),
        ("cos", 3.1, 3.2, -1.0, math.cos(3.2)),
        ("log", 0.5, 2.0, math.log(0.5), math.log(2)),
        ("sqrt", -0.5, 4.0, 0.0, 2.0),
        ("cosh", -1.0, 2.0, 1.0, math.cosh(2)),
        ("abs", -1.0, 2.0, 0.0, 2.0),
        ("tan", 1.5, 1.6, -math.inf, math.inf),
        ("exp", 0.0, 1.0, 1.0, math.e),
        ("erfc", 0.0, 1.0, math.erfc(1), 1.0),
    ],
)
def test_its_ends_are_those_of_the_range(name: str, low: float, high: float, least: float, most: float) -> None:
    result = getattr(SPREAD, name)(Spread(low, high))
    assert (least, most) == pytest.approx((result.low, result.high), rel=1e-13)


@example(middle=-2.2250738585072014e-308, half=2.2250738585072014e-308, exponent=-1)
@example(middle=-1.0, half=1.0, exponent=-3)
@given(st.floats(-9, 9), st.floats(0, 3), st.integers(-4, 4))
def test_whole_powers_of_negative_numbers(middle: float, half: float, exponent: int) -> None:
    box = Spread(middle - half, middle + half)
    result = SPREAD.pow(box, exponent)
    for x in (box.low, box.middle, box.high):
        if x or exponent >= 0:
            assert result.low <= FLOAT.pow(x, exponent) <= result.high


def test_division_by_what_may_be_zero_may_be_anything() -> None:
    result = Spread(1.0, 1.0) / Spread(-1.0, 1.0)
    assert (-math.inf, math.inf) == (result.low, result.high)
    assert not (Spread(1.0, 1.0) / Spread(0.0, 0.0)).known


@given(st.fractions())
def test_a_number_lies_in_its_own_interval(number: Fraction) -> None:
    box = SPREAD.number(number)
    assert Fraction(box.low) <= number <= Fraction(box.high)


def test_what_is_exact_stays_exact() -> None:
    x = SPREAD.number("2")
    assert [(4.0, 4.0), (2.0, 2.0), (0.0, 0.0)] == [((x * y).low, (x * y).high) for y in (x, 1.0, 0.0)]
    assert 1001000.0 == (SPREAD.number("1000") * 1001.0).low == (SPREAD.number("1000") * 1001.0).high
    assert (0.5, 0.5) == (SPREAD.number("0.5").low, SPREAD.number("0.5").high)
    assert 5e-324 == Spread(5e-324, 5e-324).middle
    kept = [
        SPREAD.sqrt(4.0),
        SPREAD.sin(0.0),
        SPREAD.tan(0.0),
        SPREAD.exp(0.0),
        SPREAD.gamma(5.0),
        SPREAD.pow(2.0, 3.0),
    ]
    assert [2.0, 0.0, 0.0, 1.0, 24.0, 8.0] == [box.low for box in kept] == [box.high for box in kept]


PRECISE = Precise(50)
PLACES = (0, 1, -1, 2, -2, 0.5, -0.5, -1.5, -2.5, -3.5, 3, 10, -10, math.pi / 2, math.pi, -1.5 * math.pi, 1.4616321449)
WIDTHS = (0.0, 0.0, 1e-12, 5e-7, 5e-4, 0.05, 0.5, 3.0)


def _box(random: Random, bounds: tuple[float, float]) -> Spread:
    """An interval of any width: in the range of the row, around a place where functions turn or end, or far out."""
    sign, power = random.choice((-1, 1)), random.uniform(-1, 1)
    centre = random.choice((
        random.uniform(*bounds), random.choice(PLACES), random.uniform(-12, 12), sign * 10 ** (20 * power),
        sign * 10 ** (300 * power),
    ))  # fmt: skip
    half = random.choice(WIDTHS) * random.choice((1, abs(centre)))
    return Spread(centre - half, centre + half)


@pytest.mark.parametrize(
    "row", [row for row in ROWS.values() if not row.truth and row.route is None], ids=lambda row: row.name
)
def test_it_holds_the_fifty_digits_of_all_numbers_inside(row: Primitive) -> None:
    random = Random(row.name)  # noqa: S311 - the same boxes in every run
    for _ in range(usually(50, thoroughly=150)):
        boxes = [_box(random, bounds) for bounds in row.ranges()]
        for position in range(row.has_order):
            order = float(random.randint(0, 6))
            boxes[position] = Spread(order, order)
        result = row.value(SPREAD, *boxes)
        for _ in range(3):
            inside = [random.choice((box.low, box.high, random.uniform(box.low, box.high))) for box in boxes]
            numbers = tuple(PRECISE.number(min(max(x, b.low), b.high)) for x, b in zip(inside, boxes, strict=True))
            if row.find_violation(PRECISE, numbers) is None:
                true = PRECISE.number(row.value(PRECISE, *numbers))
                assert PRECISE.number(result.low) <= true <= PRECISE.number(result.high), (boxes, inside)


WIDE = ("hermite", "gammaincprime", "Beta", "betaln", "binomial", "polygammadiff", "Zeta", "zetaderivative")


def test_the_interval_of_a_single_number_is_narrow() -> None:
    random = Random(1)  # noqa: S311 - the same numbers in every run
    for row in ROWS.values():
        for _ in range(4 if not row.truth and row.route is None and row.name not in WIDE else 0):
            point = [random.uniform(*bounds) for bounds in row.ranges()]
            for position in range(row.has_order):
                point[position] = float(random.randint(0, 6))
            result, value = row.value(SPREAD, *[Spread(x, x) for x in point]), row.value(FLOAT, *point)
            assert not math.isfinite(value) or result.high - result.low <= 1e-12 * (1 + abs(value)), (row.name, point)


def test_logarithm_of_gamma_near_its_zeros() -> None:
    box = SPREAD.lgamma(Spread(2.00001 - 5e-7, 2.00001 + 5e-7))
    assert box.low < 4.2281656e-6 < box.high  # mpmath
    assert box.high - box.low < 5e-7


@pytest.mark.parametrize(
    ("a", "b", "less", "at_most", "equal"),
    [
        ((1, 2), (3, 4), 1, 1, 0),
        ((3, 4), (1, 2), 0, 0, 0),
        ((1, 2), (2, 3), None, 1, None),
        ((2, 3), (1, 2), 0, None, None),
        ((2, 2), (2, 2), 0, 1, 1),
        ((1, 3), (2, 4), None, None, None),
    ],
)
def test_a_comparison_is_decided_where_all_numbers_of_both_agree(
    a: tuple[float, float], b: tuple[float, float], less: int | None, at_most: int | None, equal: int | None
) -> None:
    left, right = Spread(*map(float, a)), Spread(*map(float, b))
    for wanted, found in (
        (less, SPREAD.lt(left, right)),
        (less, SPREAD.gt(right, left)),
        (at_most, SPREAD.le(left, right)),
        (at_most, SPREAD.ge(right, left)),
        (equal, SPREAD.eq(left, right)),
    ):
        assert (wanted is None) == (found.low < found.high)
        assert wanted is None or found.low == found.high == wanted
        assert wanted is not None or (found.low <= 0 and found.high >= 1)


def test_what_is_undefined_stays_so_in_sums() -> None:
    undefined = SPREAD.undefined
    assert not any(x.known for x in (undefined + 1.0, 1.0 - undefined, undefined + Spread(-1.0, 1.0), -undefined))
    assert not _hull((1.0, math.nan)).known


def test_errors_of_rounding_are_bounded_as_tightly_as_can_be() -> None:
    sides = (-1, 0, 1)
    for a, b, off, by in ((3.0, -2.0, 0.25, 0.5), (-7.0, 8.0, 0.5, 4.0), (1.0, 1.0, 0.0, 0.5), (0.0, 2.0, 0.5, 0.0)):
        for combine in (operator.add, operator.sub, operator.mul, operator.truediv):
            corners = [combine(a + i * off, b + k * by) for i in sides for k in sides]
            farthest = max(abs(x - combine(a, b)) for x in corners)
            error = float(combine(Bounded(a, off), Bounded(b, by)).error)
            assert farthest <= error <= farthest + 1.1 * abs(combine(a, b)) * 2.0**-53 + 5e-324 + farthest * 2.0**-50
    x, y, m = Bounded(1.75, 0.25), Bounded(5.0, 0.5), ROUNDED
    errors = [
        *[
            x / Bounded(1.0, 2.0),
            m.lt(x, 2),
            m.lt(x, 2.125),
            m.eq(x, x),
            m.max(x, y),
            m.min(y, x),
            abs(-y),
            m.floor(x),
            m.floor(Bounded(1.5, 0.375)),
        ],
        *[
            m.ceil(y),
            m.choose(m.lt(x, 2), x, y),
            m.choose(m.lt(x, 3), x, y),
            x - x,
            m.number(Fraction(1, 2)),
            m.pow(y, 2),
        ],
    ]
    expected = [math.inf, 1, 0, 0, 0.5, 0.5, 0.5, 1, 0, 1, 3.75, 0.25, 0, 0, 5.25]
    assert expected == pytest.approx([float(z.error) for z in errors], rel=1e-13)
    assert [1.75, 1, 1, 1, 5, 1.75, 5, 1, 1, 5, 1.75, 1.75, 0, 0.5, 25] == [float(z.value) for z in errors]


def test_a_bound_of_rounding_holds_halfway_between_two_doubles() -> None:
    """1 + 2^-53 is rounded to 1, and no sum is farther from its double than that."""
    total = Bounded(1.0) + Bounded(2.0**-53)
    assert total.value == 1
    assert total.error >= 2.0**-53
