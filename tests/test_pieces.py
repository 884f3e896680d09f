"""A program cut into its pieces around a point: one of them is the function in each direction, as ninety digits say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from drawn import usually
from test_enclosures import program, regular
from test_local_series import CLEAR, MPF, TRUTH, drawn_from, sign, true

import adcli
from adcli.graph.graph import Graph
from adcli.graph.order import ancestors
from adcli.graph.tape import evaluate
from adcli.kinks.directions import Constraint, find_span, is_feasible, lies_in
from adcli.kinks.exact_reals import Real, Reals
from adcli.kinks.one_sided import Neighbourhood, OneSided
from adcli.kinks.pieces import (
    CONTINUOUS,
    LIPSCHITZ,
    SMOOTH,
    FirstOrder,
    PieceArithmetic,
)
from adcli.kinks.signs import Outside, Unknown

NEAR = MPF(10) ** -20
SLACK = MPF(10) ** 8  # what a number times a power of the distance may be
DIRECTIONS = [d for d in product((-2, -1, 0, 1, 2), repeat=2) if any(d)]


# --- directions ------------------------------------------------------------------------------------------------------


def rows(random: Random, count: int, inputs: int) -> list[list[Fraction]]:
    most = 3 if inputs == 2 else 1  # so that the directions that are tried are all that it takes
    return [[Fraction(random.randint(-most, most)) for _ in range(inputs)] for _ in range(count)]


def times(a: Any, b: Any) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


@pytest.mark.slow
@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_directions_are_found_where_there_are_some(inputs: int) -> None:
    random, found = drawn_from(inputs), set()
    for _ in range(150):
        least, (positive,) = rows(random, random.randint(0, 5), inputs), rows(random, 1, inputs)
        there = any(
            times(positive, d) > 0 and all(times(row, d) >= 0 for row in least)
            for d in product(range(-3, 4), repeat=inputs)
        )
        assert there == is_feasible(least, positive)
        found.add(there)
    assert {True, False} == found


def test_too_many_conditions_on_directions_leave_it_open() -> None:
    rows = [[Fraction(1), Fraction(k)] for k in range(1, 22)] + [[Fraction(-1), Fraction(k)] for k in range(1, 22)]
    assert is_feasible([*rows, [Fraction(0), Fraction(-1)]], [Fraction(0), Fraction(1)])
    assert not is_feasible([*rows[:3], *rows[-3:], [Fraction(0), Fraction(-1)]], [Fraction(0), Fraction(1)])


@pytest.mark.slow
def test_what_constraints_span_is_flat_in_all_directions_that_they_leave() -> None:
    random, reals, widths = drawn_from(5), Reals(), set()
    for _ in range(150):
        inputs = random.choice((1, 2, 3))
        drawn = [row for row in rows(random, random.randint(1, 4), inputs) if any(row)]
        scale = random.choice((reals.one, reals.sqrt(2)))  # which leaves the directions as they are
        constraints = [
            Constraint({k: reals.number(x) * scale for k, x in enumerate(row) if x}, random.choice((1, 1, -1, 0)))
            for row in drawn
        ]
        signed = [(row, c.sign) for row, c in zip(drawn, constraints, strict=True)]
        left = [
            d for d in product(range(-3, 4), repeat=inputs)
            if all(times(row, d) * s >= 0 if s else times(row, d) == 0 for row, s in signed)
        ]  # fmt: skip
        spanned = find_span(constraints, list(range(inputs)))
        widths.add(len(spanned))
        for flat_row in spanned:
            assert all(not sum((x * k for x, k in zip(flat_row, d, strict=True)), reals.zero).terms for d in left)
        for row, _ in signed:
            flat = all(times(row, d) == 0 for d in left)
            assert flat == (bool(spanned) and lies_in(reals, [reals.number(x) for x in row], spanned))
    assert {0, 1, 2, 3} <= widths


def test_constraints_that_are_no_fractions_span_what_is_said_to_be_zero() -> None:
    m = Reals()
    root = m.sqrt(2)
    constraints = [Constraint({0: m.one, 1: root}, 0), Constraint({0: m.one, 1: -root}, 1)]
    (row,) = find_span(constraints, [0, 1])
    assert [1, root] == row
    assert find_span(constraints[1:], [0, 1]) == []


@pytest.mark.slow
def test_combinations_of_gradients_are_found() -> None:
    random, reals, found = drawn_from(3), Reals(), set()
    for _ in range(100):
        given = rows(random, random.randint(1, 3), 3)
        wanted = [sum((random.choice((0, 1, -2)) * row[k] for row in given), Fraction(0)) for k in range(3)]
        root = reals.sqrt(3)
        exact = [[reals.number(x) * root for x in row] for row in given]
        if random.random() < 0.5:
            wanted = [times(row, [Fraction(random.choice((1, 2)))] * 3) for row in (rows(random, 3, 3))]
        there = not _independent(given, wanted)
        assert there == lies_in(reals, [reals.number(x) for x in wanted], exact)
        found.add(there)
    assert {True, False} == found


def _independent(given: list[list[Fraction]], wanted: list[Fraction]) -> bool:
    """Whether a direction tells a row from others: their product is 0 with it, its own is not."""
    return any(times(wanted, d) and not any(times(row, d) for row in given) for d in product(range(-4, 5), repeat=3))


# --- pieces ----------------------------------------------------------------------------------------------------------


def point(random: Random, graph: Graph) -> dict[int, Fraction]:
    return {slot: Fraction(random.randint(-3, 3), random.choice((1, 1, 1, 2))) for slot in graph.inputs}


def pieces(
    graph: Graph, at: dict[int, Fraction], most: int = 60
) -> list[tuple[PieceArithmetic, list[FirstOrder]]] | None:
    """All pieces, with the forms of the slots; None where one is not known."""
    reals, choices, found = Reals(), list[list[int]](), list[tuple[PieceArithmetic, list[FirstOrder]]]()
    while len(found) < most:
        m = PieceArithmetic(reals, choices)
        given = {slot: FirstOrder(m, reals.number(x), {slot: reals.one}, affine=True) for slot, x in at.items()}
        try:
            found.append((m, evaluate(graph, m, given)))
        except (Unknown, Outside):
            return None
        while choices and len(choices[-1]) == 1:
            choices.pop()
        if not choices:
            return found
        choices[-1].pop(0)
    return None


def slope(slopes: dict[int, Real], d: dict[int, int]) -> Any:
    return sum((true(c) * d[k] for k, c in slopes.items()), MPF(0))


def like(form: FirstOrder, y: Any, d: dict[int, int], t: Any) -> Any:
    """Whether a form is this number at a distance, as close as it says."""
    rest = abs(true(form.value) + slope(form.slopes, d) * t - y)
    if form.affine:
        return rest < CLEAR * (1 + abs(y))
    if form.rough == SMOOTH:
        return rest < (t**2 if form.analytic else t ** (MPF(6) / 5)) * SLACK * (1 + abs(y))
    return rest < (t * SLACK if form.rough == LIPSCHITZ else t ** (MPF(1) / 16) * SLACK)


@pytest.mark.parametrize("seed", range(usually(10, thoroughly=30)))
def test_in_every_direction_one_piece_is_the_function(seed: int) -> None:
    random, held = drawn_from(seed), 0
    for _ in range(10):
        graph = program(random)
        at = point(random, graph)
        found = pieces(graph, at)
        for direction in random.sample(DIRECTIONS, 6) if found else ():
            d = dict(zip(graph.inputs, direction, strict=True))
            values = evaluate(graph, TRUTH, {k: TRUTH.number(x) + d[k] * NEAR for k, x in at.items()})
            if regular(graph, values)[0]:
                held += 1
                assert any(
                    all(sign(slope(c.slopes, d)) * c.sign >= 0 if c.sign else not sign(slope(c.slopes, d))
                        for c in m.constraints)
                    and all(like(form, y, d, NEAR) for form, y in zip(forms, values, strict=True))
                    for m, forms in found or ()
                ), f"{graph.rows} {graph.parents} {at} {d}"  # fmt: skip
    assert held


@pytest.mark.parametrize("seed", range(usually(10, thoroughly=30)))
def test_slopes_on_both_sides_and_all_around_are_those_of_the_function(seed: int) -> None:
    random = drawn_from(1000 + seed)
    for _ in range(8):
        graph = program(random)
        at = point(random, graph)
        try:
            reals = Reals()
            known = Neighbourhood(graph, reals, {slot: reals.number(x) for slot, x in at.items()})
        except Unknown:
            continue
        ((_, output),) = graph.outputs
        around = known.outcome(output)
        for direction in random.sample(DIRECTIONS, 4):
            d = dict(zip(graph.inputs, direction, strict=True))
            values = evaluate(graph, TRUTH, {k: TRUTH.number(x) + d[k] * NEAR for k, x in at.items()})
            side = known.side(output, d)
            if not side.reason:
                said = f"{graph.rows} {graph.parents} {at} {d} {side}"
                inside = within(graph, values, output)
                assert inside == (side.limit is not None), said
                assert not inside or is_side(side, values[output]), said
                if inside and around.kind in ("smooth", "edge") and around.value is not None:
                    assert abs(true(side.limit or known.reals.zero) - true(around.value)) < CLEAR, said
                    assert abs(true(side.slope or known.reals.zero) - slope(around.gradient, d)) < CLEAR, said


def within(graph: Graph, values: list[Any], output: int) -> bool:
    """Whether all that an output needs is inside its domain."""
    rows = zip(graph.rows, graph.parents, ancestors(graph, [output]), strict=True)
    return all(
        row.find_violation(TRUTH, tuple(values[p] for p in parents)) is None
        for row, parents, need in rows
        if row and need
    )


def is_side(side: OneSided, y: Any) -> bool:
    """Whether a number so near is what a side says."""
    if side.limit is None:
        return False
    rise = (y - true(side.limit)) / NEAR
    if side.infinite:
        return bool(side.slope is None and rise * side.infinite > 100)
    if side.slope is None:
        return False
    slope = true(side.slope)  # one of 10^43 cannot be met to 10^4, but to ten digits
    return bool(abs(rise - slope) < max(NEAR ** (MPF(1) / 5) * SLACK, abs(slope) * NEAR ** (MPF(1) / 2)))


@pytest.mark.parametrize("chosen", [1, -1, 0])
def test_a_sign_is_asked_once_for_a_line(chosen: int) -> None:
    reals = Reals()
    m = PieceArithmetic(reals, [[chosen]])
    x = FirstOrder(m, reals.zero, {0: reals.one, 1: reals.number(-2)}, affine=True)
    seen = [x < 0, x <= 0, x > 0, x >= 0, x == 0, x != 0, bool(x), 2 * x < 0, 0 > -x, 1 + x >= 1, x + 1 == 1]
    assert seen == [
        chosen < 0, chosen <= 0, chosen > 0, chosen >= 0, chosen == 0, chosen != 0, chosen != 0, chosen < 0, chosen > 0,
        chosen >= 0, chosen == 0,
    ]  # fmt: skip
    assert [(chosen, [1, -2])] == [(c.sign, list(c.slopes.values())) for c in m.constraints]
    assert [[chosen]] == m.choices
    assert abs(x).slopes[0] == (-1 if chosen < 0 else 1)
    assert m.sign_of(x * x * (x + 1)) == 1
    assert m.sign_of(x * x * x * (x - 2)) == -m.sign_of(x)
    assert [[chosen]] == m.choices
    y = FirstOrder(m, reals.zero, {1: reals.one}, affine=True)
    assert m.sign_of(x * x + 3 * y * y * y) in (1, -1)  # is no line, and asked for anew
    assert [[chosen], [1, -1]] == m.choices


def test_forms_are_as_exact_as_they_say() -> None:
    reals = Reals()
    m = PieceArithmetic(reals, [])
    x = FirstOrder(m, reals.one, {0: reals.one}, affine=True)
    root = m.number(reals.sqrt(2))
    linear, product = (2 * x - root) * root / 3, x * x
    assert (True, True, False) == (linear.affine, linear.analytic, linear.constant)
    assert (False, True, False) == (product.affine, product.analytic, product.constant)
    assert (root * 2).constant
    assert (m.sqrt(m.number(4)).constant, m.sqrt(x).affine, m.sqrt(x).analytic) == (True, False, True)
    assert abs(true(m.hypot(x, x).slopes[0]) - TRUTH.context.sqrt(2)) < CLEAR
    at_zero = x - 1
    y = FirstOrder(m, reals.zero, {1: reals.one}, affine=True)
    for rough, form in (
        (CONTINUOUS, m.sqrt(x * x + x - 2)), (LIPSCHITZ, m.sqrt(y * y * y + at_zero * at_zero)),
        (SMOOTH, m.sqrt(y * y * y + at_zero * at_zero) * at_zero),
        (SMOOTH, m.sqrt(at_zero * at_zero * at_zero + at_zero * at_zero)),
        (SMOOTH, m.hypot(at_zero * y, 2 * at_zero * at_zero)), (CONTINUOUS, m.sqrt(at_zero * at_zero * y + at_zero)),
        (CONTINUOUS, m.root_of(at_zero, Fraction(1, 3)) * 2), (LIPSCHITZ, m.hypot(at_zero, 2 * at_zero) * root),
        (SMOOTH, m.root_of(at_zero, Fraction(4, 3))), (SMOOTH, root * m.sqrt(m.pow(at_zero, 2))),
        (SMOOTH, m.pow(m.sqrt(at_zero), 2)), (SMOOTH, m.pow(-m.cbrt(at_zero), 3)),
    ):  # fmt: skip
        assert (rough, rough == SMOOTH) == (form.rough, bool(form.slopes) or rough == SMOOTH)
        assert not form.value.terms
    assert m.pow(-m.cbrt(at_zero), 3).slopes[0] == -1
    assert m.pow(-1 * m.cbrt(at_zero), 3).slopes[0] == -1
    assert m.pow(m.sqrt(at_zero), 2).slopes[0] == 1


@pytest.mark.parametrize(("count", "said"), [(7, ("smooth", "")), (8, ("undecided", "too many pieces"))])
def test_more_pieces_than_can_be_looked_at_prove_nothing(count: int, said: tuple[str, str]) -> None:
    text = " + ".join(f"max({k}*x, y) + min({k}*x, y)" for k in range(1, count + 1))
    graph = adcli.parse(text).trace({"x": 1.0, "y": 0.5}).graph
    reals = Reals()
    around = Neighbourhood(graph, reals, dict.fromkeys(graph.inputs, reals.zero)).outcome(graph.outputs[0][1])
    assert said == (around.kind, around.reason)
    assert [sum(range(1, count + 1)), count] == list(around.gradient.values())
