"""Compiled programs: every function of the table, real and random programs, and what cannot be compiled."""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any
from unittest.mock import Mock

import mpmath
import numpy as np
import pytest
from drawn import examples
from expressions import Case, case_of, programs
from hypothesis import HealthCheck, given
from rule_checks import EXTREMES, points_beyond, sampled_points
from running import environment
from support import records

import adcli
from adcli.engine import inline_functions, native, sincos, vectormath
from adcli.engine.assignments import straight_line
from adcli.engine.blocks import Blocks
from adcli.engine.joint_program import joint_graph
from adcli.engine.lanes import Lanes, NoNativeForm
from adcli.engine.native import Native
from adcli.errors import RequestError, Source
from adcli.extras import Later, install_command
from adcli.graph.graph import Constant, Graph
from adcli.graph.order import arrange
from adcli.graph.tape import evaluate
from adcli.language.program import read_program
from adcli.numbers.double_intervals import SPREAD
from adcli.numbers.doubles import FLOAT, apply
from adcli.symbolic.derivative import gradient_graph
from adcli.table import primitive
from adcli.table.primitive import ROWS, Primitive

# Vector functions of 8 doubles take registers that a processor without AVX-512 does not have: calling them crashes.
NEEDS_AVX512 = pytest.mark.skipif(native._machine()[1] < 8, reason="this processor has no AVX-512")
WIDTHS = [2, 4, pytest.param(8, marks=NEEDS_AVX512)]
COMPILED = [row for row in ROWS.values() if not row.has_order and row.own is None]  # polygamma of orders 0 and 1 alone
# The C library's functions are good to 4 units in the last place, one by one; what rules make of three or four of them
# is good to twice that.
LIBRARY, RULE = 4, 8


def run(graph: Graph, columns: Sequence[Any], **choices: Any) -> list[Any]:
    """What a program gives at points."""
    found = [np.full(len(columns[0]) if columns else 1, 7.25) for _ in graph.outputs]
    inputs = [np.ascontiguousarray(column, dtype=float) for column in columns]
    places = Native(graph, **choices)(inputs, found).wrong
    if len(places):
        whole = [column.copy() for column in found]
        Native(graph)(inputs, whole)
        for column, right in zip(found, whole, strict=True):
            column[places] = right[places]
    return found


def beside(graphs: Sequence[Graph]) -> Graph:
    """One program that does what many do, each with inputs of its own: compiling one is quicker than many."""
    joined = Graph()
    for k, graph in enumerate(graphs):
        place: list[int] = []
        for slot, row in enumerate(graph.rows):
            if row is not None:
                place.append(joined.apply(row, tuple(place[parent] for parent in graph.parents[slot])))
            elif slot in graph.inputs:
                place.append(joined.input(f"{graph.inputs[slot]}_{k}"))
            else:
                place.append(joined.constant(graph.constants[slot]))
        joined.outputs += [(f"{name}_{k}", place[slot]) for name, slot in graph.outputs]
    return joined


def of_row(row: Primitive, count: int) -> Graph:
    graph = Graph()
    slots = tuple(graph.input(f"x{k}") for k in range(count))
    graph.outputs = [("y", graph.apply(row, slots))]
    return graph


def compiled_rows(
    points: Callable[[Primitive], list[tuple[float, ...]]], rows: Sequence[Primitive], **choices: Any
) -> Iterator[Any]:
    """For every row, of each number of arguments that its points have: row, points and values there."""
    asked = []
    for row in rows:
        found = points(row)
        asked += [(row, [p for p in found if len(p) == count]) for count in sorted({len(p) for p in found})]
    longest = max(len(points) for _, points in asked)
    graph = beside([of_row(row, len(points[0])) for row, points in asked])
    columns = [column for _, points in asked for column in zip(*filled(points, longest), strict=True)]
    for (row, points), values in zip(asked, run(graph, columns, **choices), strict=True):
        yield row, points, values[: len(points)].tolist()


def filled(points: list[Any], count: int) -> list[Any]:
    return points + points[-1:] * (count - len(points))


def within(units: float, expected: float, found: float) -> bool:
    """Whether a number is as near; infinities, nan and zeros are to be the same."""
    if expected != expected or found != found:
        return expected != expected and found != found
    if math.isinf(expected) or math.isinf(found) or expected == 0:
        return expected == found
    return abs(expected - found) <= units * math.ulp(expected)


# --- every function of the table --------------------------------------------------------------------------------------


def of_every_size(row: Primitive) -> list[tuple[float, ...]]:
    """Points in the ranges of a row, some beside them, and some of every size."""
    chance = np.random.default_rng(len(row.name))
    found = [*sampled_points(row, 60), *points_beyond(row)]
    if not row.truth_arguments:
        for reach in (3, 300):
            for _ in range(40):
                found.append(
                    tuple(float(chance.choice((-1, 1)) * 10 ** chance.uniform(-reach, reach)) for _ in found[0])
                )
    return found


def of_extremes(row: Primitive) -> list[tuple[float, ...]]:
    return list(itertools.product((*EXTREMES, 3.0, -3.0, 750.0, -750.0), repeat=len(row.ranges(row.arity or 2))))


def exactly(row: Primitive, point: tuple[float, ...]) -> float:
    """The value of a row by arithmetic of many digits, for what the C library computes; else by its rule in doubles."""
    expected = float(row.value(FLOAT, *point))
    if row.name == "gamma" and -sys.float_info.min < point[0] < 0:
        return -math.inf  # Python's own function raises, whatever the sign
    if row.name == "digamma" and 0 < abs(point[0]) < math.inf:
        return of_many_digits("digamma", point)
    ordinary = all(sys.float_info.min <= abs(number) < math.inf for number in (*point, expected))
    return of_many_digits(row.name, point) if row.name in OF_THE_LIBRARY and ordinary else expected


@functools.cache
def of_many_digits(name: str, point: tuple[float, ...]) -> float:
    function = getattr(mpmath, {"pow": "power", "lgamma": "loggamma"}.get(name, name))
    with mpmath.workdps(20 if max(map(abs, point)) < 1e4 else 360):  # sine of 1e300 needs as many
        return float(mpmath.re(function(*map(mpmath.mpf, point))))


OF_THE_LIBRARY = {
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "atan2", "cos", "cosh", "erf", "erfc", "exp", "expm1", "gamma",
    "hypot", "lgamma", "log", "log10", "log1p", "pow", "sin", "sinh", "sqrt", "tan", "tanh",
}  # fmt: skip


def complaints(
    points: Callable[[Primitive], list[tuple[float, ...]]], rows: Sequence[Primitive] = COMPILED, **choices: Any
) -> list[Any]:
    """Where a compiled row is farther from the truth than it may be, inside its domain."""
    found = []
    for row, places, values in compiled_rows(points, rows, **choices):
        units = LIBRARY if row.name in OF_THE_LIBRARY else RULE
        for point, value in zip(places, values, strict=True):
            if row.find_violation(FLOAT, point) is not None:
                continue
            expected = exactly(row, point)
            if (row.name == "digamma" or (row.name == "lgamma" and point[0] < 0)) and abs(
                expected
            ) < 1:  # next to its zeros it is as good as numbers near 1 are
                expected, value = expected + math.copysign(1, expected), value + math.copysign(1, expected)
            smallest = max(abs(expected), abs(value)) < sys.float_info.min  # numbers of few digits, alike to the last
            if not (smallest and abs(expected - value) <= 5e-324) and not within(units, expected, value):
                found.append((row.name, point, expected, value))
    return found


@pytest.mark.parametrize("lanes", WIDTHS)
def test_every_function_is_right_to_a_few_units_in_the_last_place(lanes: int) -> None:
    assert [] == complaints(of_every_size, lanes=lanes)


@pytest.mark.slow
@pytest.mark.parametrize("lanes", WIDTHS)
def test_infinities_nan_zeros_and_the_smallest_numbers_are_as_in_single_evaluations(lanes: int) -> None:
    assert [] == complaints(of_extremes, lanes=lanes)


@pytest.mark.slow
def test_without_vector_forms_the_c_library_is_called_lane_by_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectormath, "vector", lambda *_: None)
    assert [] == complaints(of_every_size) + complaints(of_extremes)


IN_THE_PROGRAM = {  # whose arguments are drawn there
    "acos": (-1.0, 1.0), "acosh": (1.0, 30.0), "asin": (-1.0, 1.0), "atan": (-30.0, 30.0), "cos": (-1e12, 1e12),
    "cosh": (-710.0, 710.0), "exp": (-746.0, 709.0), "expm1": (-40.0, 3.0), "log": (5e-324, 3.0), "sin": (-1e12, 1e12),
    "sinh": (-710.0, 3.0), "tan": (-9.0, 9.0), "tanh": (-3.0, 3.0),
}  # fmt: skip


def drawn_between(low: float, high: float, name: str) -> list[float]:
    """Numbers of an interval, of every size in it, and next to the zeros of sine and cosine."""
    chance = np.random.default_rng(len(name))
    sizes = np.concatenate([10 ** chance.uniform(-300, 0, 40), chance.uniform(0, 1, 60)])
    quarters = [k * math.pi / 2 for k in (1, 2, 3, 22, 710, 103993)]
    some = [-1.0, -0.5, 0.5, math.sqrt(0.5), math.sqrt(2), 1.0, *quarters]
    found = [*(low * sizes).tolist(), *(high * sizes).tolist(), *[x for x in some if low < x < high]]
    return [low + x for x in found] if name == "acosh" else found


@pytest.mark.parametrize("lanes", WIDTHS)
def test_functions_that_are_part_of_a_program_are_right_to_a_few_units_in_the_last_place(lanes: int) -> None:
    assert inline_functions.INLINED.keys() == IN_THE_PROGRAM.keys()
    points = [drawn_between(*ends, name) for name, ends in IN_THE_PROGRAM.items()]
    longest = max(map(len, points))
    graph = beside([of_row(ROWS[name], 1) for name in IN_THE_PROGRAM])
    values = run(graph, [filled(places, longest) for places in points], lanes=lanes, inlines=True)
    for name, places, found in zip(IN_THE_PROGRAM, points, values, strict=True):
        for x, value in zip(places, found.tolist(), strict=False):
            expected = of_many_digits(name, (x,))
            if abs(expected) < sys.float_info.min:  # numbers of few digits
                assert abs(expected - value) <= 5e-324, (name, x)
            else:
                assert within(3, expected, value), (name, x)


def test_a_tangent_far_out_is_within_what_kernels_promise() -> None:
    chance = np.random.default_rng(5)
    near = [float(k) * math.pi / 2 for k in chance.integers(1, 2**39, 300)]
    points = [791897647332.124, *near, *(2.0**39 * chance.uniform(-1, 1, 300)).tolist()]
    (found,) = run(graph_of("tan(x)"), [points], inlines=True)
    assert [] == [
        x for x, y in zip(points, found.tolist(), strict=True) if not within(4, of_many_digits("tan", (x,)), y)
    ]


@pytest.mark.parametrize("lanes", WIDTHS)
def test_functions_in_a_program_have_the_edges_of_the_library(lanes: int) -> None:
    edges = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, 1e308, -1e308, 709.78, 709.79, 746.0, -746.0]
    graph = beside([of_row(ROWS[name], 1) for name in IN_THE_PROGRAM])
    whole, found = [
        run(graph, [edges] * len(IN_THE_PROGRAM), lanes=lanes, inlines=inlines) for inlines in (False, True)
    ]
    for name, expected, values in zip(IN_THE_PROGRAM, whole, found, strict=True):
        for x, a, b in zip(edges, expected.tolist(), values.tolist(), strict=True):
            assert within(4, a, b) and (a != a or math.copysign(1, a) == math.copysign(1, b)), (name, x)


@pytest.mark.parametrize("lanes", WIDTHS)
def test_points_that_are_too_far_for_functions_in_a_program_are_named(lanes: int) -> None:
    x = np.full(1003, 1e12)
    far = [0, 7, 500, 1001, 1002]
    x[far] = 1e13
    told = Native(graph_of("sin(x)"), lanes, inlines=True)([x], [np.empty(1003)])
    assert told.wrong.tolist() == far if native._machine()[2] else not len(told.wrong)


@pytest.mark.parametrize("order", [0, 1])
def test_digamma_and_trigamma_are_right_to_fifteen_digits(order: int) -> None:
    """Next to the zeros of digamma as near as numbers around 1 are."""
    chance = np.random.default_rng(order)
    sides = [chance.uniform(*ends, 200) for ends in ((1e-3, 3.0), (3.0, 40.0), (-9.0, 0.0), (-200.0, -9.0))]
    x = np.concatenate([*sides, [1e300, 1e-150, 1e15, math.inf, math.nan]])
    (found,) = run(graph_of(f"polygamma({order}, x)"), [x])
    for place, value in zip(x[:-2].tolist(), found.tolist(), strict=False):
        expected = float(mpmath.psi(order, mpmath.mpf(place)))
        assert abs(expected - value) <= 16 * sys.float_info.epsilon * max(abs(expected), 1 - order), place
    assert (math.inf, 0.0)[order] == found[-2] and math.isnan(found[-1])


def test_numbers_are_rounded_one_operation_at_a_time() -> None:
    x, y, z = columns(3, 1000)
    (found,) = run(graph_of("x*y - y*z + x/y"), [x, y, z])
    assert (x * y - y * z + x / y == found).all()


@pytest.mark.parametrize("power", [-2, -1, -0.5, 0, 0.5, 1, 2, 3, 4, 5, 6, -3, 1.5])
def test_powers_are_as_near_whether_by_products_or_by_the_library(power: float) -> None:
    (x,) = columns(1, 2000)
    (found,) = run(graph_of(f"x^({power})"), [x])
    with mpmath.workdps(40):
        assert all(within(LIBRARY, float(mpmath.mpf(a) ** power), b) for a, b in zip(x, found, strict=True))


POWERS = [6, 7, 16, 63, 64, -3, -4, -9, -64, 1.5, 2.5, 3.5, 20.5, -1.5, -2.5, -3.5, -20.5]
BASES = [2.0, 0.5, math.e, 10.0, 3.7, 1.0000001, 1e-300, 1e300]


@pytest.mark.parametrize("lanes", WIDTHS)
def test_powers_that_are_part_of_a_program_are_right_to_the_ends_of_the_range(lanes: int) -> None:
    chance = np.random.default_rng(8)
    graphs = [graph_of(f"x^({power})") for power in POWERS] + [graph_of(f"{base!r}^x") for base in BASES]
    points = [10 ** np.append(chance.uniform(-310, 310, 60) / abs(b), chance.uniform(-1, 1, 20)) for b in POWERS]
    points = [x if b % 1 else x * chance.choice((-1, 1), 80) for x, b in zip(points, POWERS, strict=True)]
    points += [np.append(chance.uniform(-750, 720, 60) / abs(math.log(base)), range(-10, 10)) for base in BASES]
    values = run(beside(graphs), points, lanes=lanes, inlines=True)
    asked = [(x, b) for xs, b in zip(points, POWERS, strict=False) for x in xs]
    asked += [(base, x) for base, xs in zip(BASES, points[len(POWERS) :], strict=True) for x in xs]
    for (a, b), found in zip(asked, np.concatenate(values).tolist(), strict=True):
        with mpmath.workdps(40):
            expected = mpmath.power(mpmath.mpf(float(a)), mpmath.mpf(float(b)))
            assert within(LIBRARY, float(expected), found) or abs(expected - found) <= 5e-324, (a, b, found)


def test_powers_that_are_part_of_a_program_have_the_edges_of_the_library() -> None:
    edges = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e308, -1e308]
    graphs = [graph_of(f"x^({b})") for b in (6, 7, -3, -4, 64, -64)] + [graph_of(f"{base!r}^x") for base in BASES]
    for power in (1.5, 2.5, -1.5, -2.5):
        (found,) = run(graph_of(f"x^({power})"), [[0.0, -0.0, math.inf]], inlines=True)
        expected = ["0.0", "0.0", "inf"] if power > 0 else ["inf", "inf", "0.0"]
        assert expected == list(map(str, found.tolist()))
    whole, found = [run(beside(graphs), [edges] * len(graphs), inlines=inlines) for inlines in (False, True)]
    for a, b in zip(np.concatenate(whole).tolist(), np.concatenate(found).tolist(), strict=True):
        assert within(LIBRARY, a, b) and (a != a or math.copysign(1, a) == math.copysign(1, b))


def test_a_remainder_of_zero_has_the_sign_of_the_divisor() -> None:
    (found,) = run(graph_of("mod(x, y)"), [[-4.0, 4.0, -0.0, 0.0], [2.0, -2.0, 1.0, -1.0]])
    assert [1.0, -1.0] * 2 == [math.copysign(1, value) for value in found]


def test_roots_of_zero_and_of_minus_zero_are_zero() -> None:
    (found,) = run(graph_of("x^0.5"), [[0.0, -0.0]])
    assert [1.0, 1.0] == [math.copysign(1, value) for value in found]


# --- whole programs ---------------------------------------------------------------------------------------------------


def graph_of(text: str, names: Collection[str] = ()) -> Graph:
    return arrange(read_program(Source(text), names).graph)


def columns(count: int, points: int, low: float = 0.1, high: float = 3.0) -> list[Any]:
    chance = np.random.default_rng(points)
    return [chance.uniform(low, high, points) for _ in range(count)]


def ready(text: str) -> list[Graph]:
    """A program, and the program of its gradient."""
    graph = graph_of(text)
    return [graph, gradient_graph(graph)]


def in_range(graph: Graph, at: dict[str, float], values: Sequence[float]) -> int:
    """How many values lie where rounding can have left them, each operation being right to 16 units; none lies outside.

    The ranges are those of interval arithmetic on the same operations; the rest, it cannot tell.
    """
    point = {slot: SPREAD.number(at[name]) for slot, name in graph.inputs.items()}
    slots = evaluate(graph, SPREAD, point)
    told = 0
    for (name, slot), value in zip(graph.outputs, values, strict=True):
        spread = SPREAD.number(slots[slot])
        if spread.known:
            assert spread.low <= value <= spread.high, (name, spread, value)
            told += 1
    return told


EXPRESSIONS = records("expressions")


@pytest.mark.slow
def test_real_expressions_have_their_values_and_gradients() -> None:
    """To the twelve digits of other tests of these cases, or to what rounding their literals to doubles leaves."""
    asked = 0
    for start in range(0, len(EXPRESSIONS), 43):
        asked_now = []
        for record in EXPRESSIONS[start : start + 43]:
            at = {name: float(text) for name, text in record["point"].items()}
            graph = joint_graph(graph_of(record["expr"], at))
            if is_native(graph):
                asked_now.append((record, graph, [at[name] for name in graph.inputs.values()]))
        numbers = [[number] for _, _, point in asked_now for number in point]
        found = iter(run(beside([graph for _, graph, _ in asked_now]), numbers))
        for record, graph, point in asked_now:
            slopes = [record["gradient"][name] for name in graph.inputs.values()]
            for (name, _), expected, x in zip(graph.outputs, [record["value"], *slopes], [1, *point], strict=True):
                (number,) = next(found)
                allowed = max(1e-12, record["literal_rounding_rel"])
                scale = abs(float(expected)) or (x and abs(float(record["value"]) / x))
                assert abs(float(expected) - number) <= allowed * scale, (record["id"], name)
        asked += len(asked_now)
    assert len(EXPRESSIONS) == asked


def told_in_range(problems: Sequence[tuple[Graph, dict[str, float]]]) -> int:
    numbers = [[at[name]] for graph, at in problems for name in graph.inputs.values()]
    found = iter(run(beside([graph for graph, _ in problems]), numbers))
    return sum(in_range(graph, at, [float(next(found)[0]) for _ in graph.outputs]) for graph, at in problems)


def is_native(graph: Graph) -> bool:
    """Whether every polygamma is digamma or trigamma, and no row brings its own numbers."""
    if any(row is not None and row.own is not None for row in graph.rows):
        return False
    orders = [parents[0] for row, parents in zip(graph.rows, graph.parents, strict=True) if row is ROWS["polygamma"]]
    return all(slot in graph.constants and graph.constants[slot].text in ("0", "1") for slot in orders)


@pytest.mark.slow
def test_a_program_around_each_function_has_its_values_and_gradients() -> None:
    for start in range(0, len(COMPILED), 15):
        cases = [case_of(row) for row in COMPILED[start : start + 15]]
        problems = [(graph, case.at) for case in cases for graph in ready(case.text) if is_native(graph)]
        assert told_in_range(problems) > 15


@examples(30, suppress_health_check=list(HealthCheck))
@given(programs())
def test_random_programs_have_their_values_and_gradients(case: Case) -> None:
    problems = [(graph, case.at) for graph in ready(case.text) if is_native(graph)]
    if problems:
        told_in_range(problems)


EDGES = (0.0, -0.0, 1.0, -1.0, 2.0, -8.0, 0.5, 1e-320, 800.0, -800.0, math.inf, -math.inf, math.nan)


def test_at_every_edge_a_program_gives_what_the_tape_gives() -> None:
    """nan and infinities in the same places, and numbers that differ by rounding alone."""
    unreadable = {"dom-072"}  # a number too large for any double
    problems = [
        (joint_graph(graph_of(record["expr"], record["point"])), record["point"])
        for record in records("domain")
        if record["id"] not in unreadable and "generator" not in record
    ]
    problems = [(graph, point) for graph, point in problems if is_native(graph)]
    points = []
    for graph, point in problems:
        names = list(graph.inputs.values())
        edges = list(itertools.product(EDGES, repeat=len(names)))
        points.append(edges if len(names) < 3 else [[float(point[name]) for name in names]])
    longest = max(map(len, points))
    numbers = [column for found in points for column in zip(*filled(found, longest), strict=True)]
    found = iter(run(beside([graph for graph, _ in problems]), numbers))
    for (graph, _), places in zip(problems, points, strict=True):
        values = [next(found)[: len(places)].tolist() for _ in graph.outputs]
        for k, place in enumerate(places):
            expected = evaluate(graph, FLOAT, dict(zip(graph.inputs, place, strict=True)))
            undefined = False
            for (name, slot), column in zip(graph.outputs, values, strict=True):
                if not name.startswith("d"):
                    undefined = math.isnan(expected[slot])
                if not undefined or not name.startswith("d"):  # where there is no value, a partial means nothing
                    assert column[k] == pytest.approx(expected[slot], rel=1e-13, abs=1e-300, nan_ok=True), (name, place)


def test_what_a_branch_not_taken_gives_is_left_out() -> None:
    graph, gradient = ready("if(x > 0, log(x), if(x == 0 or x < -2, 7, if(not x > -1, 1, 0)))")
    points = [2.0, 0.0, -3.0, -1.5, -0.5, math.nan]
    assert [math.log(2), 7, 7, 1, 0, 1] == run(graph, [points])[0].tolist()
    assert [0.5, 0, 0, 0, 0, 0] == run(gradient, [points])[0].tolist()


def test_what_depends_on_no_input_is_a_column_all_the_same() -> None:
    two_pi, pole, x = run(graph_of("2*pi; 1/0; x"), [[0.5, 1.5, 2.5]])
    assert ([2 * math.pi] * 3, [math.inf] * 3, [0.5, 1.5, 2.5]) == (two_pi.tolist(), pole.tolist(), x.tolist())


def test_of_numbers_alone_every_function_has_its_value_whether_it_has_a_native_form_or_not() -> None:
    graph = Graph()
    x = graph.input("x")
    expected = []
    for row in ROWS.values():
        point = next(iter(sampled_points(row, 1)))
        numbers = tuple(graph.constant(Constant(repr(float(a)))) for a in point)
        graph.outputs.append((f"y{len(expected)}", graph.apply(row, numbers)))
        expected.append(float(apply(row, FLOAT, [float(a) for a in point])))
    graph.outputs.append(("x", x))
    found = run(graph, [[0.5, 1.5, 2.5]])
    assert [[y] * 3 for y in expected] == [column.tolist() for column in found[:-1]]


def test_what_no_output_needs_is_not_compiled() -> None:
    graph = Graph()
    x = graph.input("x")
    graph.apply(ROWS["polygamma"], (x, x))
    graph.outputs = [("y", graph.apply(ROWS["sqrt"], (x,)))]
    assert [[2.0, 3.0]] == [column.tolist() for column in run(graph, [[4.0, 9.0]])]


def test_the_same_operation_is_computed_once() -> None:
    module, _ = native._program(graph_of("sigmoid(x) + softplus(x)"), 4)
    assert 1 == module.count('call <4 x double> @"exp.lanes"')


# --- arrays and threads -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lanes", WIDTHS)
def test_a_tail_of_fewer_points_than_lanes_is_computed_and_nothing_beyond(lanes: int) -> None:
    program = Native(graph_of("sin(x) + y"), lanes=lanes)
    for count in range(2 * lanes + 2):
        x, y = columns(2, count)
        room = np.full(count + 2 * lanes, 7.25)
        program([x, y], [room[lanes : lanes + count]])
        assert (np.abs(np.sin(x) + y - room[lanes : lanes + count]) <= 8 * np.spacing(4.0)).all()
        assert (room[:lanes] == 7.25).all() and (room[lanes + count :] == 7.25).all()


@pytest.mark.parametrize("lanes", WIDTHS)
def test_points_that_may_be_wrong_are_named_wherever_they_lie(lanes: int) -> None:
    program = Native(graph_of("sin(x)"), lanes, inlines=True)
    for count in range(1, 2 * lanes + 2) if native._machine()[2] else ():
        for place in range(count):
            x = np.full(count, 0.5)
            x[place] = 1e13
            x.flags.writeable = place % 2 == 0
            found = np.empty(count)
            assert [place] == list(program([x], [found]).wrong)
            assert (np.delete(found, place) == found[place - 1]).all()


_AT_THE_END_OF_MEMORY = """
import ctypes, mmap
import numpy as np
import adcli
from adcli.graph.order import arrange
from adcli.engine.native import Native
from adcli.engine.joint_program import joint_graph

protect = ctypes.CDLL(None, use_errno=True).mprotect
def at_the_end(count):
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    assert protect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    return np.frombuffer(pages, count=mmap.PAGESIZE // 8)[mmap.PAGESIZE // 8 - count :]

program = Native(arrange(adcli.parse("x*y")._program.graph))
for count in range(1, 20):
    x, y, z = (at_the_end(count) for _ in range(3))
    x[:], y[:] = 2.0, 3.0
    program([x, y], [z])
    assert (z == 6).all()
print("done", flush=True)
import os
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="pages are protected in another way")
def test_no_byte_past_the_arrays_is_read_or_written() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _AT_THE_END_OF_MEMORY], capture_output=True, text=True, env=environment()
    )  # fmt: skip
    assert (0, "done\n") == (done.returncode, done.stdout), done.stderr


def test_threads_share_the_points_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_SHARE", 10_000)
    x, y = columns(2, 20_003)
    graph = graph_of("log(x) + x*y - sin(y)")
    alone, several = run(graph, [x, y], threads=1), run(graph, [x, y], threads=3)
    assert (alone[0] == several[0]).all()
    program, begun, here = Native(graph, threads=3), threading.Event(), threading.get_ident()
    call = program._call

    def late(*arguments: Any) -> int:
        if threading.get_ident() == here:
            begun.wait(1)
        else:
            begun.set()
            time.sleep(0.02)
        return int(call(*arguments))

    monkeypatch.setattr(program, "_call", late)
    found = np.full((len(graph.outputs), len(x)), -7.0)
    program([x, y], list(found))
    assert (found[0] == alone[0]).all()


def test_a_thread_that_begins_late_is_not_waited_for_and_holds_its_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    late = []
    monkeypatch.setattr(native, "start_new_thread", lambda work, arguments: late.append(work))
    monkeypatch.setattr(native, "_SHARE", 100)
    program = Native(graph_of("x + 1"), threads=3)
    x, found = np.zeros(1000), np.zeros(1000)
    program([x], [found])
    assert 2 == len(late) and (found == 1).all()
    kept = weakref.ref(x), weakref.ref(found)
    del x, found
    assert [True, True] == [reference() is not None for reference in kept]
    for work in late:
        work()
    del work
    late.clear()
    assert [None, None] == [reference() for reference in kept]


def test_pythons_lock_is_free_while_machine_code_runs() -> None:
    call = type(Native(graph_of("x"))._call)
    assert issubclass(call, ctypes._CFuncPtr) and not call._flags_ & ctypes._FUNCFLAG_PYTHONAPI


def test_programs_outlive_one_another() -> None:
    first = Native(graph_of("x + 1"))
    second = Native(graph_of("x + 2"))
    x, found = np.zeros(9), np.zeros(9)
    first([x], [found])
    del first
    second([x], [found])
    assert (found == 2).all()


def test_a_compiled_program_takes_no_array_that_it_would_read_amiss() -> None:
    program = Native(graph_of("x + y"))
    good = np.zeros(8)
    fixed = np.zeros(8)
    fixed.flags.writeable = False
    for x, y, z in (
        (np.zeros(16)[::2], good, good),
        (np.zeros(8, dtype=np.float32), good, good),
        (np.zeros(7), good, good),
        (good, good, np.zeros(7)),
        (good, good, fixed),
        (good, np.zeros((8, 1)), good),
        (good, np.zeros(8).astype(">f8"), good),
    ):
        with pytest.raises(ValueError, match="must be"):
            program([x, y], [z])
    with pytest.raises(ValueError, match="do not fit"):
        program([good], [good])


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_what_does_not_fit_into_registers_lies_on_the_stack_in_whole_lines(lanes: int) -> None:
    text, _ = native._program(graph_of("x + 1"), lanes)
    assert f"alignstack({8 * lanes})" in text


# --- what cannot be compiled ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["polygamma(x, 2)", "polygamma(2, x)", "polygamma(1.5, x)"])
def test_polygamma_has_no_native_form_but_of_a_low_order(text: str) -> None:
    with pytest.raises(NoNativeForm, match="polygamma cannot be compiled to machine code"):
        Native(graph_of(text))


@pytest.mark.parametrize(
    "rule",
    [
        lambda m, x: math.sin(x),
        lambda m, x: x if x > 0 else -x,
        lambda m, x: m.nothing(x),
        lambda m, x: x * (1 / 0),
        lambda m, x: m.own(x),
    ],
    ids=["a function of Python", "a choice in Python", "no function", "an error", "itself"],
)
def test_a_row_whose_rule_asks_for_more_than_the_table_has_no_native_form(
    rule: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(primitive._rows, "own", Primitive("own", value=rule, partials=(None,)))
    with pytest.raises(NoNativeForm) as caught:
        Native(of_row(ROWS["own"], 1))
    assert "use the engine numpy, or auto" == caught.value.help


def test_a_row_of_the_users_is_compiled_by_its_own_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    rules: list[Callable[..., Any]] = [lambda m, x: x * m.sigmoid(x), lambda m, x: x**2]  # a power of Python, too
    for rule in rules:
        row = Primitive("swish", value=rule, partials=(None,))
        monkeypatch.setitem(primitive._rows, "swish", row)
        (x,) = columns(1, 20)
        (found,) = run(of_row(row, 1), [x])
        assert all(within(RULE, row.value(FLOAT, a), b) for a, b in zip(x.tolist(), found.tolist(), strict=True))


def test_a_rule_may_compute_with_constants_alone() -> None:
    rules: list[Callable[..., Any]] = [
        lambda m, x, n: x + m.lgamma(n), lambda m, x, n: x * m.round(n), lambda m, x, n: x - m.mod(n, m.number(2)),
        lambda m, x, n: x + m.sign(-n), lambda m, x, n: x * m.pow(n, n), lambda m, x, n: x + m.sqrt(n) - m.floor(n),
    ]  # fmt: skip
    graph = Graph()
    x, n = graph.input("x"), graph.constant(Constant("2.5"))
    rows = [Primitive(f"of_constants_{k}", value=rule, partials=(lambda *_: 1, None)) for k, rule in enumerate(rules)]
    graph.outputs = [(row.name, graph.apply(row, (x, n))) for row in rows]
    undefined = Primitive("undefined", value=lambda m, x, n: x + 1 / (n - n), partials=(None, None))
    expected = [rule(FLOAT, 0.5, 2.5) for rule in rules]
    assert expected == [column[0] for column in run(graph, [[0.5]])]
    lines = straight_line(graph, ["lgamma", "floor", "sqrt"], "C").lines
    assert {"mul"} == {line.operation for line in lines} - {"add", "sub"}
    graph.outputs.append(("nan", graph.apply(undefined, (x, n))))
    found = [np.zeros(1) for _ in graph.outputs]
    Blocks(graph)([np.array([0.5])], found)
    assert [*expected, math.nan] == pytest.approx([column[0] for column in found], nan_ok=True, abs=0)


def test_whole_numbers_are_positive_zeros_and_those_of_constants_are_known_at_once() -> None:
    graph = Graph()
    x, n = graph.input("x"), graph.constant(Constant("2.5"))
    times = Primitive("times", value=lambda m, x, n: sum([x] * int(m.ceil(n) + m.floor(n))), partials=(None, None))
    graph.outputs = [("times", graph.apply(times, (x, n)))]
    graph.outputs += [(name, graph.apply(ROWS[name], (x,))) for name in ("ceil", "floor")]
    found = run(graph, [[-0.0, -0.5, 0.5]])
    assert [0.0, -2.5, 2.5] == found[0].tolist()
    assert [1.0, 1.0, 1.0] == np.copysign(1.0, found[1]).tolist() and [0.0, 0.0, 1.0] == found[1].tolist()
    assert [1.0, -1.0, 1.0] == np.copysign(1.0, found[2]).tolist() and [0.0, -1.0, 0.0] == found[2].tolist()


def test_what_a_machine_lacks_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert (os.cpu_count() or 1) == native.cores()
    monkeypatch.setitem(sys.modules, "numpy.lib.introspect", None)
    assert not sincos.has_fast_tangents.__wrapped__()
    monkeypatch.setattr(native, "_machine", Mock(side_effect=OSError))
    assert not native.fuses()
    monkeypatch.undo()
    monkeypatch.setattr(vectormath, "scalar", lambda name: None)
    monkeypatch.setattr(vectormath, "vector", lambda *_: None)
    with pytest.raises(NoNativeForm, match="erf cannot be compiled"):
        Native(graph_of("erf(x)"))


def test_a_program_too_large_to_compile_says_so() -> None:
    graph = Graph()
    slot = graph.input("x")
    for _ in range(native._LARGEST + 1):
        slot = graph.apply(ROWS["neg"], (slot,))
    graph.outputs = [("y", slot)]
    with pytest.raises(NoNativeForm, match="more than 5,000 operations"):
        Native(graph)


def test_without_llvmlite_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("llvmlite", "llvmlite.ir", "llvmlite.binding"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(native, "llvm", Later("llvmlite.binding", "native"))
    with pytest.raises(RequestError) as caught:
        Native(graph_of("x"))
    assert "this needs llvmlite, which is not installed" == caught.value.title
    assert install_command("native") == caught.value.help


@pytest.mark.parametrize("error", [OSError, RuntimeError])
def test_where_llvm_fails_a_kernel_is_numpys_and_native_says_why(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise error("no such processor")

    monkeypatch.setattr(native, "_machine", fails)
    expression = adcli.parse("x^2")
    with pytest.raises(RequestError) as caught:
        expression.kernel(engine="native")
    assert ("LLVM cannot compile on this machine", "no such processor") == (caught.value.title, caught.value.label)
    assert "numpy" == expression.kernel(engine="auto").engine


def test_a_kernel_is_native_where_every_function_is() -> None:
    for text in ("lgamma(x)", "digamma(x)", "polygamma(5, 2) + x"):
        assert "native" == adcli.parse(text).kernel(engine="auto").engine
    trigamma = adcli.parse("polygamma(1, x)")  # its slope is of order 2
    assert "numpy" == trigamma.kernel(engine="auto").engine
    with pytest.raises(NoNativeForm):
        trigamma.kernel(engine="native")


def test_a_native_kernel_gives_what_single_evaluations_give() -> None:
    expression = adcli.parse("if(x > 0, log(x)*y, abs(y)) + sqrt(y)")
    kernel = expression.kernel(engine="native")
    xs, ys = np.meshgrid([-1.0, 0.0, 0.5, 2.0, 3.5], [-1.0, 0.0, 1.0, 4.0])
    with pytest.warns(RuntimeWarning) as told:
        values, slopes = kernel(x=xs, y=ys)
    assert ["no value at 5 of 20 points", "7 points lie exactly on a kink"] == [
        str(warning.message).partition(":")[0].partition(";")[0] for warning in told
    ]
    for place in np.ndindex(xs.shape):
        found = (values[place], slopes["x"][place], slopes["y"][place])
        if ys[place] < 0:
            assert all(math.isnan(number) for number in found)
        else:
            value, gradient = expression.value_and_gradient({"x": xs[place], "y": ys[place]})
            assert (value, gradient["x"], gradient["y"]) == pytest.approx(found, rel=1e-14, abs=0)


# --- these checks find wrong machine code -----------------------------------------------------------------------------


def _cosine_for_sine(monkeypatch: pytest.MonkeyPatch) -> None:
    found = vectormath.vector
    monkeypatch.setattr(vectormath, "vector", lambda name, *rest: found({"sin": "cos"}.get(name, name), *rest))


def _sine_by_three_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lanes, "sin", lambda m, x: x - x * x * x / 6 + x * x * x * x * x / 120, raising=False)


def _maximum_without_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lanes, "max", lambda m, *xs: functools.reduce(lambda a, b: m.choose(a > b, a, b), xs))


def _comparisons_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Lanes.relation
    turned = {"lt": "le", "le": "lt"}
    monkeypatch.setattr(Lanes, "relation", lambda m, name, a, b: found(m, turned.get(name, name), a, b))


def _both_branches_mixed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Lanes.choose
    monkeypatch.setattr(Lanes, "choose", lambda m, condition, a, b: found(m, condition, b, a))


def _halves_to_even(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lanes, "round", lambda m, x: m.intrinsic("rint", x), raising=False)


def _remainder_of_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lanes, "mod", lambda m, a, b: m.library("fmod", a, b), raising=False)


@pytest.mark.parametrize(
    ("plant", "where"),
    [
        (_cosine_for_sine, "sec sin cos"),
        (_sine_by_three_terms, "sin"),
        (_maximum_without_nan, "max"),
        (_comparisons_turned, "le lt"),
        (_both_branches_mixed_up, "if"),
        (_halves_to_even, "round"),
        (_remainder_of_c, "mod"),
    ],
    ids=lambda found: found if isinstance(found, str) else found.__name__.strip("_").replace("_", " "),
)
def test_wrong_machine_code_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    rows = [ROWS[name] for name in where.split()]
    assert [] != complaints(of_every_size, rows) + complaints(of_extremes, rows)


@pytest.mark.parametrize("lanes", WIDTHS)
def test_lgamma_keeps_its_digits_next_to_its_zeros(lanes: int) -> None:
    places = [(zero + sign * 10.0**-k,) for zero in (1, 2) for sign in (1, -1) for k in range(1, 16)]
    assert [] == complaints(lambda row: places, [ROWS["lgamma"]], lanes=lanes)
