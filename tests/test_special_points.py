"""Where each row of the table has a value and a slope, and which slopes on each side: its cells against its own values.

Nothing is said here about a function but in two places, where its rule gives numbers outside its domain.  The points
are those at which functions of a table have poles, ends, corners and jumps: quarters, whole numbers, ties.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support import evaluated

from adcli.language import program  # noqa: F401 - loads the table
from adcli.numbers.doubles import FLOAT
from adcli.numbers.precise import Precise
from adcli.table.primitive import ROWS, Check, Kink, Primitive

EXACTLY = Precise(80)
STEP = EXACTLY.number("1e-40")
LEAP, STEEP, SAME = 1e-6, 1e8, 1e-6  # a jump, an infinite slope, and what the step may do to a finite one
LONGER = 1024.0  # how much longer this step is than a second one
QUARTERS = [k / 4 for k in range(-12, 13)]
PAIRS = (-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
TRIPLES = (-1.0, 0.0, 0.5, 1.0)
ASKED = [
    (row, count)
    for row in ROWS.values()
    if not (row.truth or row.truth_arguments or row.has_order)
    for count in ((2, 3) if row.arity is None else (row.arity,))
]
DOMAINS: dict[str, Callable[..., bool]] = {
    "root": lambda x, n: n != 0 and (x > 0 or (x == 0 and n > 0) or (x < 0 and n % 2 == 1)),
    "clamp": lambda x, low, high: low <= high,
    "logb": lambda x, b: x > 0 and b > 0 and b != 1,
}


def points(count: int) -> Iterator[tuple[float, ...]]:
    yield from itertools.product({1: QUARTERS, 2: PAIRS, 3: TRIPLES}[count], repeat=count)


def value(row: Primitive, point: tuple[Any, ...]) -> Any:
    """What the value rule gives in many digits, and None where it gives no finite number."""
    try:
        found = EXACTLY.number(row.value(EXACTLY, *map(EXACTLY.number, point)))
    except (ArithmeticError, ValueError):
        return None
    return found if math.isfinite(found) else None


def moved(row: Primitive, point: tuple[float, ...], position: int, side: float) -> Any:
    """The value a step beside a point, and None outside the domain."""
    beside = [EXACTLY.number(x) for x in point]
    beside[position] += side * STEP
    return None if row.find_violation(EXACTLY, tuple(beside)) else value(row, tuple(beside))


def sides(row: Primitive, point: tuple[float, ...], position: int) -> list[float | None]:
    """The slopes on the left and on the right: None where there is no value, nan where it jumps."""
    here, found = value(row, point), list[float | None]()
    for side in (-1, 1):
        there = moved(row, point, position, side)
        if there is None:
            found.append(None)
        elif abs(there - here) > LEAP:
            found.append(math.nan)
        else:
            slope = float((there - here) / (side * STEP))
            nearer = moved(row, point, position, side / LONGER)
            if nearer is not None and abs(nearer - here) < LEAP:
                steeper = float((nearer - here) / (side / LONGER * STEP))
                slope = steeper * STEEP if abs(steeper - slope) > 1 else slope  # as a logarithm, without end
            found.append(slope if abs(slope) < STEEP else math.copysign(math.inf, slope))
    return found


def is_smooth(left: float | None, right: float | None) -> bool:
    """Whether there is one finite slope, from all sides that there are."""
    slopes = [slope for slope in (left, right) if slope is not None]
    return bool(slopes) and all(map(math.isfinite, slopes)) and max(slopes) - min(slopes) < SAME


def faults(row: Primitive, count: int) -> Iterator[str]:
    """Where the cells of a row are not what its values say."""
    for point in points(count):
        where, broken = f"{row.name} at {point}", row.find_violation(FLOAT, point)
        exists = DOMAINS[row.name](*point) if row.name in DOMAINS else value(row, point) is not None
        if exists != (broken is None):
            yield f"{where}: {broken.title if broken else 'no value'}"
        if broken or not exists:
            continue
        slopes = [sides(row, point, position) for position in range(count)]
        smooth = [is_smooth(*pair) for pair in slopes]
        for position, (left, right) in enumerate(slopes):
            kink = row.kink(position)
            wanted = smooth[position] if isinstance(row.smooth, tuple) else all(smooth)
            told = None if kink is None else kink.sides(FLOAT, *point) if callable(kink.sides) else kink.sides
            # at a corner of the domain slopes along single arguments do not tell of the others
            corner = count > 1 and told is not None and None in told and _alike(told, (left, right))
            if wanted != (kink is None or bool(kink.holds(FLOAT, *point))) and not corner:
                yield f"{where}: slopes {left} and {right} by argument {position}"
            if not smooth[position] and told is not None and not _alike(told, (left, right)):
                yield f"{where}: slopes {told} are {left} and {right} by argument {position}"
            sided = not smooth[position] and {left, right} != {None} and not any(x != x for x in (left, right) if x)
            if sided and told is None:
                yield f"{where}: no slopes are told, they are {left} and {right} by argument {position}"


def _alike(told: Any, found: tuple[float | None, float | None]) -> bool:
    return all(
        a is b is None or (a is not None and b is not None and (a == b or abs(a - b) < SAME))
        for a, b in zip(told, found, strict=True)
    )


@pytest.mark.parametrize(("row", "count"), ASKED, ids=lambda x: getattr(x, "name", x))
def test_a_row_says_where_it_has_values_and_slopes_and_which_on_each_side(row: Primitive, count: int) -> None:
    assert [] == list(faults(row, count))


@pytest.mark.parametrize(
    ("name", "cell", "wrong"),
    [
        ("digamma", "domain", (Check(lambda m, x: x >= 0, "wrong"),)),
        ("digamma", "domain", (Check(lambda m, x: x > 0, "wrong"),)),
        ("digamma", "domain", (Check(lambda m, x: x != m.floor(x), "wrong"),)),
        ("ceil", "smooth", Kink(lambda m, x: (x - m.ceil(x)) != 1, "wrong")),
        ("round", "smooth", Kink(lambda m, x: 2 * x - m.floor(2 * x) != 0, "wrong")),
        ("hypot", "smooth", Kink(lambda m, a, b: (a != 0) | (b != 0), "wrong", sides=(1, -1))),
        ("hypot", "smooth", Kink(lambda m, a, b: (a != 0) & (b != 0), "wrong", sides=(-1, 1))),
        ("root", "smooth", (ROWS["root"].kink(0), None)),
        ("root", "smooth", (None, ROWS["root"].kink(1))),
        ("abs", "smooth", None),
        ("max", "smooth", None),
        ("sqrt", "domain", ()),
    ],
)
def test_a_wrong_cell_is_found(name: str, cell: str, wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ROWS[name], cell, wrong)
    assert list(faults(ROWS[name], ROWS[name].arity or 2))


def test_a_row_that_brings_its_own_numbers_is_smooth_behind_a_condition_that_just_switches() -> None:
    output = evaluated("besseli(1, if(x < x, 7, y))", {"x": "0", "y": "2"}).data["outputs"][0]
    assert 1.590636854637329 == output["value"]  # mpmath
    assert pytest.approx({"x": 0.0, "y": 1.4842668750174}, rel=1e-12) == output["gradient"]


SEEDED = [
    ("f = x+y+cbrt(y-y)", {"x": "2.125", "y": "-0.238"}),
    ("f = abs(x)*abs(x) + y", {"x": "0", "y": "2"}),
    ("f = max(x, y) + min(x, y)", {"x": "1", "y": "1"}),
    ("f = sqrt(x^4) + y", {"x": "0", "y": "3"}),
    ("p = cbrt(x*x*x)*y; q = x + y", {"x": "0", "y": "3"}),
]


@pytest.mark.parametrize(("text", "at"), SEEDED, ids=[text for text, _ in SEEDED])
@pytest.mark.parametrize("exact", [[], ["--exact"]], ids=["doubles", "exact"])
def test_a_seeded_sweep_ends_in_the_sum_of_the_proven_slopes(text: str, at: dict[str, str], exact: list[str]) -> None:
    gradients = {output["name"]: output["gradient"] for output in evaluated(text, at, *exact).data["outputs"]}
    ahead = {"x": 0.5, "y": 3.0}
    along = evaluated(text, at, "--mode", "forward", "--seed", "x=0.5,y=3", *exact).data["outputs"]
    for output in along:
        expected = sum(number * gradients[output["name"]][name] for name, number in ahead.items())
        assert output["jvp"] == pytest.approx(expected), output
    back = {name: 2.0 + k for k, name in enumerate(gradients)}
    seed = ",".join(f"{name}={number}" for name, number in back.items())
    found = evaluated(text, at, "--mode", "reverse", "--seed", seed, *exact).data["vjp"]
    for name in at:
        assert found[name] == pytest.approx(sum(back[o] * gradients[o][name] for o in back))
