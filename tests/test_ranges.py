"""Ranges hold every number that a function comes to, whatever the range of its arguments."""

from __future__ import annotations

import math
import os
import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from drawn import usually

from adcli.errors import Source
from adcli.graph.order import arrange
from adcli.language.program import read_program
from adcli.numbers.arb_intervals import Interval
from adcli.numbers.conditions import truth
from adcli.numbers.doubles import FLOAT
from adcli.numbers.precise import Precise
from adcli.numbers.range_arithmetic import RANGES
from adcli.numbers.ranges import ANY, CELLS, NEGATIVE, ONE, POSITIVE, ZERO, Range
from adcli.symbolic.knowledge import Knowledge, always_evaluated
from adcli.symbolic.knowledge import _in_cells as in_cells
from adcli.table.primitive import ROWS, Monotone, Primitive

EXACTLY = Precise(50)
MANY = int(os.environ.get("ADCLI_RANGES", usually(20, thoroughly=120)))  # ranges for each row
SPECIAL = (0.0, 1.0, -1.0, 2.0, 0.5, -2.0, 1.4616321449683622, math.pi / 2, math.pi, -math.pi, 10.0)
_ROUNDED = EXACTLY.number(10) ** -40  # of an end: what fifty digits may have lost
every_row = pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)


def number(source: random.Random) -> float:
    """A number of any size: special ones, their neighbours, whole ones, tiny and huge ones."""
    kind = source.randrange(7)
    if kind == 0:
        return source.choice(SPECIAL)
    if kind == 1:
        return source.choice(SPECIAL) + source.choice((-1, 1)) * 10 ** source.uniform(-16, -1)
    if kind == 2:
        return float(source.randint(-12, 12))
    if kind == 3:
        return source.choice((-1, 1)) * 10 ** source.uniform(-320, 308)
    return source.uniform(-4, 4) if kind < 6 else source.choice((-1, 1)) * 10 ** source.uniform(-8, 4)


def some_range(source: random.Random) -> Range:
    """A point, or a narrow, wide or half-infinite range, with or without its ends and 0."""
    low, kind = number(source), source.randrange(8)
    opened, without, lacking = (source.random() < 0.3 for _ in range(3))
    if kind == 0:
        return Range(low, low)
    if kind == 1:
        return source.choice((Range(*ANY.key), Range(*POSITIVE.key), Range(*NEGATIVE.key), *CELLS, Range(-1.0, 1.0)))
    if kind == 2:
        return Range(low, math.inf, opened, nonzero=lacking)
    if kind == 3:
        return Range(-math.inf, low, open_high=without, nonzero=lacking)
    high = low + abs(low) * 10 ** source.uniform(-16, 0) if kind < 6 else number(source)
    return Range(min(low, high), max(low, high), opened, without, lacking)


def inside(x: Range, source: random.Random) -> float | None:
    """A number of a range, its ends and their neighbours often."""
    low = x.low if math.isfinite(x.low) else min(0.0, x.high) - 10 ** source.uniform(-3, 5)
    high = x.high if math.isfinite(x.high) else max(0.0, low) + 10 ** source.uniform(-3, 5)
    part = low + (high - low) * source.random() if high - low < 1e300 else low / 2 + high / 2
    for found in source.sample(
        (low, high, math.nextafter(low, math.inf), math.nextafter(high, -math.inf), part, float(round(part)), part), 7
    ):
        if x.holds(found):
            return found
    return None


HUGE = {"exp", "sinh", "cosh", "gamma", "factorial", "tan", "cot", "sec", "csc", "pow", "root", "sigmoid", "softplus"}


def too_large(row: Primitive, point: list[float]) -> bool:
    """Whether fifty digits would be nothing beside the numbers on the way."""
    if row.name == "mod":
        return abs(point[0]) > 1e20 * abs(point[1])
    largest = max(abs(x) for x in (*point, *([1 / point[1]] if row.name == "root" and point[1] else ())))
    return largest > (1e4 if row.name in HUGE else 1e15)


def complaints(row: Primitive, source: random.Random) -> list[str]:
    """What is wrong with a row on random ranges: a value outside, or a condition told for certain that is not."""
    arguments = [some_range(source) for _ in row.partials] if isinstance(row.partials, tuple) else []
    arguments = arguments or [some_range(source) for _ in range(3)]
    if row.has_order:
        arguments[0] = RANGES.number(source.randrange(4))
    if len(arguments) == 2 and source.random() < 0.1:
        arguments[1] = arguments[0]
    if any(x.empty for x in arguments):
        return []
    result = RANGES.number(row.value(RANGES, *arguments))
    held = [truth(check.holds(RANGES, *arguments)) for check in row.domain]
    found = []
    for _ in range(4):
        chosen = [inside(x, source) for x in arguments]
        if None in chosen:
            continue
        drawn = [x for x in chosen if x is not None]
        point = [drawn[[x is y for y in arguments].index(True)] for x in arguments]
        if too_large(row, point):
            continue
        exact = tuple(EXACTLY.number(x) for x in point)
        for check, condition in zip(row.domain, held, strict=True):
            if condition.never if check.holds(EXACTLY, *exact) else condition.always:
                found.append(f"{row.name}{arguments} at {point}: {check.title}: {condition}")
        if row.find_violation(EXACTLY, exact) is None and not _holds(result, row.value(EXACTLY, *exact)):
            found.append(f"{row.name}{arguments} at {point}: {row.value(EXACTLY, *exact)} is not in {result}")
    return found


def _holds(result: Range, value: Any) -> bool:
    if not EXACTLY.finite(value) or result.holds(value):
        return True
    return any(math.isfinite(end) and abs(value - end) <= abs(end) * _ROUNDED for end in (result.low, result.high))


@every_row
def test_a_range_holds_the_truth_of_fifty_digits(row: Primitive) -> None:
    source = random.Random(row.name)  # noqa: S311
    assert [] == [wrong for _ in range(MANY) for wrong in complaints(row, source)]


# --- where a function is monotone, and what bounds it -----------------------------------------------------------------

_PLACES = sorted({way * size for way in (-1, 1) for size in (0, 1e-9, 1e-3, 0.1, 0.3, 0.5, 0.8, 0.9, 0.99, 1, 1.2, 2, 3,
                                                            4, 5, 7, 10, 15, 20, 40, 100, 300)})  # fmt: skip


MONOTONE = {row.name: row.monotone for row in ROWS.values() if row.monotone is not None}


def monotone_complaints(name: str, kind: Monotone) -> list[str]:
    """Where a function is not what the cell says, by intervals that cover its domain from -300 to 300.

    An interval that leaves the question open is halved, until it is so short that the ends of a domain are left alone.
    """
    row, box, found = ROWS[name], Interval(256), []
    with box.working():
        waiting = [Range(*kind.domain).meeting(Range(low, high)) for low, high in pairwise(_PLACES)]
        while waiting:
            whole = waiting.pop()
            if whole.empty or whole.point:
                continue
            x = box.hull(whole.low, whole.high)
            value = row.value(box, x)
            (slope,) = row.rules(box, value, (x,), (True,))
            slope = box.number(slope) if kind.rising else -box.number(slope)
            if slope.is_finite() and value.is_finite():
                low, high = float(value.lower()), float(value.upper())
                if slope.upper() < 0 or high < kind.image.low or low > kind.image.high:
                    found.append(f"{name} on {x}: {value}, slope {slope}")
                    continue
                if slope.lower() >= 0 and kind.image.low - 1e-9 <= low and high <= kind.image.high + 1e-9:
                    continue
            middle = whole.low / 2 + whole.high / 2
            if whole.high - whole.low > 1e-7 * max(1.0, abs(middle)):
                waiting += [Range(whole.low, middle), Range(middle, whole.high)]
            elif not any(abs(middle - end) < 1e-3 for end in (kind.domain.low, kind.domain.high, 0.0)):
                found.append(f"{name} near {middle}: not shown to be monotone")
    return found


@pytest.mark.parametrize("name", MONOTONE)
def test_a_cell_holds_over_the_whole_domain(name: str) -> None:
    assert [] == monotone_complaints(name, MONOTONE[name])


@pytest.mark.parametrize("row", [row for row in ROWS.values() if row.exact], ids=lambda row: row.name)
def test_values_said_to_be_exact_are_right_and_in_order(row: Primitive) -> None:
    box = Interval(256)
    with box.working():
        for place, exactly in row.exact:
            assert row.value(box, box.number(place)).overlaps(box.number(exactly))
    assert sorted(row.exact) == list(row.exact)


# --- what they know ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("exp", ANY, (0.0, math.inf, True, True)),
        ("cosh", ANY, (1.0, math.inf, False, True)),
        ("sin", ANY, (-1.0, 1.0, False, False)),
        ("sigmoid", ANY, (0.0, 1.0, True, True)),
        ("sech", ANY, (0.0, 1.0, True, False)),
        ("log1p", POSITIVE, (0.0, math.inf, True, True)),
        ("sinh", Range(5e-324, 1.0), (0.0, 1.1752011936438414, True, False)),
        ("exp", Range(-1e300, -1e3), (0.0, 1e-320, True, False)),
        ("exp", Range(1e3, 1e300), (1.7976931348623157e308, math.inf, False, True)),
        ("floor", Range(0.0, 1.0, open_high=True), (0.0, 0.0, False, False)),
        ("sign", Range(0.0, 2.0), (0.0, 1.0, False, False)),
        ("sign", Range(-2.0, 0.0), (-1.0, 0.0, False, False)),
    ],
)
def test_open_infinite_and_unreachable_ends(name: str, x: Range, expected: tuple[float, float, bool, bool]) -> None:
    found = RANGES.number(ROWS[name].value(RANGES, x))
    assert expected[:2] == pytest.approx((found.low, found.high), rel=1e-12)
    assert expected[2:] == (found.open_low, found.open_high)


def test_ranges_are_no_wider_than_these() -> None:
    """Each part: a function, the ranges of its arguments, and the range of its values; ~ is a range without 0."""
    cases = """
        sign [-2,3] = [-1,1]; sign ~[-2,3] = ~[-1,1]; sign [-2,0] = [-1,0]; floor [0.5,2) = [0,1];
        floor [-0.5,2] = [-1,2]; max (0,2] [0,1] = (0,2]; max [1,2) [0,2] = [1,2]; max ~[-1,1] ~[-1,1] = ~[-1,1];
        max [-1,1] (0,1] = (0,1]; min [0,2) [1,3] = [0,2); ceil (0,1.5] = [1,2]; round [-0.5,2.5] = [-1,3];
        mod [-9,9] [2,3] = [0,3); mod [-9,9] [-3,2] = (-3,2); mod [-9,9] [0,0] = (inf,-inf);
        pow [0,4] [0.5,0.5] = [0,2]; pow [0,4] [0,0.5] = [0,2]; pow [-2,-1] [0.5,0.5] = (inf,-inf);
        pow [-4,-4] [0.5,1] = ~[-4,4]; pow [0,0] [-1,-0.5] = (inf,-inf); pow [-2,3] [2,2] = [0,9];
        pow [-2,3] [3,3] = [-8,27]; pow [2,4) [-1,-1] = [0.25,0.5]; pow [-3,2] [0,0] = [1,1];
        pow [1,inf) [2,2] = [1,inf); pow [-4,0] [3,3] = [-64,0]; pow (2,3] [1,1] = (2,3]; hypot [3,3] [4,4] = [5,5];
        hypot ~[-1,1] [0,1] = (0,1.41421356237]; cosh [-1,2] = [1,3.76219569108]; sin [0,3] = [0,1];
        sin [-3,0] = [-1,0]; sin [0,4] = [-0.756802495308,1]; cos [1,2] = [-0.416146836547,0.540302305868];
        cos [-1,7] = [-1,1]; tan (0,1] = (0,1.55740772465]; tan [0,2] = (-inf,inf); tan [-1.5,0] = [-14.1014199472,0];
        atan2 (0,1] [-1,1] = (0,3.14159265359]; atan2 [0,1] [0,1] = [0,1.57079632679]; gamma [-1,1] = ~(-inf,inf);
        atan2 [-1,0] [-1,1] = [-3.14159265359,3.14159265359]; atan2 [-1,1] [0,1] = [-1.57079632679,1.57079632679];
        atan2 [0,0] [0,1] = [0,0]; gamma [1,3] = [0.885603194411,2]; gamma [2,3] = [1,2]; gamma [0,1] = [1,inf);
        lgamma [-1,1] = (-inf,inf); polygamma [0,0] [1,2] = [-0.577215664902,0.422784335098];
        polygamma [1,1] [-2,-1] = (0,inf); polygamma [2,2] [1,2] = (-inf,0); polygamma [2,2] [-1,2] = (-inf,inf);
        polygamma [0.5,0.5] [1,2] = (-inf,inf); div [1,2] [-1,1] = ~(-inf,inf); div ~[-1,1] [-1,1] = ~(-inf,inf);
        div [1,2] [-4,0] = (-inf,-0.25]; div [0,1] [0,0] = (inf,-inf); div (1,3] [2,inf) = (0,1.5];
        abs (-2,1] = [0,2); abs ~[-2,1] = (0,2]; mul (-2,3] [-1,1] = [-3,3]; mul (0,1] [2,3] = (0,3];
        mul [0,inf) (-inf,0] = (-inf,0]; add (-2,3] [-1,1] = (-3,4]; sub [0,1) [2,3] = [-3,-1);
        add [0,1] (0,2] = (0,3]; sub [0,1] [-2,0) = (0,3]; mul ~[-1,1] [1,2] = ~[-2,2]
    """
    for case in cases.split(";"):
        left, expected = case.split("=")
        name, *arguments = left.split()
        boxes = [
            Range(*map(float, part.strip("~[]()").split(",")), "(" in part, ")" in part, "~" in part)
            for part in arguments
        ]
        assert expected.strip() == _shown(RANGES.number(ROWS[name].value(RANGES, *boxes))), case


def _shown(x: Range) -> str:
    without = "~" if x.nonzero and x.low < 0 < x.high else ""
    return f"{without}{'(' if x.open_low else '['}{x.low:.12g},{x.high:.12g}{')' if x.open_high else ']'}"


def test_one_object_is_one_number_and_two_are_two() -> None:
    x, y = Range(-2.0, 3.0), Range(-2.0, 3.0)
    assert (0.0, 9.0) == ((x * x).low, (x * x).high)
    assert (-6.0, 9.0) == ((x * y).low, (x * y).high)
    assert (x - x).point and not (x - y).point
    assert truth(x == x).always and not truth(x == y).always
    waves = RANGES.sin(Range(*ANY.key)), RANGES.cos(Range(*ANY.key))
    assert not (waves[0] / waves[1]).point


def test_what_is_exact_stays_exact() -> None:
    two, three = RANGES.number("2"), RANGES.number("3")
    for found, expected in ((two * three, 6.0), (two + three, 5.0), (RANGES.pow(two, three), 8.0), (three / ONE, 3.0)):
        assert (expected, expected) == (found.low, found.high)
    part, three = Range(0.3, 0.7), Range(3.0, 3.0)
    for found in (ONE * part, part * ONE, part / ONE, -(-ONE * part), -(part * -ONE), part + ZERO, part - ZERO):
        assert (0.3, 0.7) == (found.low, found.high)
    assert (math.nextafter(0.3 * 3, 0), math.nextafter(0.7 * 3, 3)) == ((three * part).low, (part * three).high)
    assert (2.0, math.nextafter(1 / 3, 0)) == ((Range(6.0, 6.0) / three).low, (ONE / three).low)
    assert 2.0**53 == (Range(2.0**52, 2.0**52) * Range(2.0, 2.0)).low > (Range(2.0**53, 2.0**53) * three / three).low
    tenth = RANGES.number("0.1")
    assert tenth.low < 0.1 < tenth.high
    assert truth((two - two) == ZERO).always
    other = Range(-1.0, 1.0, nonzero=True)
    assert truth(other == ZERO).never and truth(ZERO == other).never and not truth(other == other * ONE).never
    assert not truth(tenth + RANGES.number("0.2") == RANGES.number("0.3")).never


def test_a_row_that_asks_what_ranges_do_not_decide_says_so() -> None:
    assert not truth(ANY > 0).always and not truth(ANY > 0).never
    with pytest.raises(ArithmeticError):
        bool(ANY > 0)
    assert FLOAT.sign(1.0) == RANGES.sign(POSITIVE).low == RANGES.sign(POSITIVE).high


def test_ranges_moved_to_cells_hold_what_they_held_and_have_few_ends() -> None:
    source = random.Random(7)  # noqa: S311
    for _ in range(2_000):
        x = some_range(source)
        cell = in_cells(x)
        if x.empty:
            assert cell.empty
            continue
        assert {cell.low, cell.high} <= {-math.inf, -1.0, 0.0, 1.0, math.inf}
        assert x.within(cell), (x.key, cell.key)
        assert not any(cell.low < bound <= x.low or x.high <= bound < cell.high for bound in (-1.0, 0.0, 1.0))


@pytest.mark.parametrize("text", ["0." + "3" * 2000, "-0." + "7" * 2000, "1" * 250 + "." + "1" * 1000])
def test_a_number_of_very_many_digits_is_inside_its_range(text: str) -> None:
    known = RANGES.number(text)
    assert known.low < float(text) < known.high
    assert known.low < Fraction(text) < known.high


def test_each_domain_narrows_what_was_known_of_the_slots_of_another() -> None:
    """log(2x) has a value for x > 0 only, where the argument of the root before it is not only at least 0."""
    graph = arrange(read_program(Source("sqrt(x + 1) + log(2*x)")).graph)
    root = next(slot for slot, row in enumerate(graph.rows) if row is ROWS["sqrt"])
    known = Knowledge(graph, always_evaluated(graph, [graph.outputs[0][1]]))
    assert 1 == known.range_of(graph.parents[root][0]).low
