"""Derivative graphs: right at every point, of any order, and small."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import pytest
from drawn import examples
from expressions import Case, programs
from hypothesis import HealthCheck, given
from support import each, records

from adcli.errors import Source
from adcli.graph.graph import Constant, Graph
from adcli.graph.order import ancestors, arrange, usable
from adcli.graph.tape import adjoints, evaluate, linearize
from adcli.language.program import read_program
from adcli.notation.statements import Statements
from adcli.numbers.doubles import FLOAT
from adcli.numbers.precise import Precise
from adcli.symbolic import higher_orders
from adcli.symbolic.derivative import derivative, gradient_graph
from adcli.symbolic.guarded import GuardedTerms
from adcli.symbolic.monomial_sums import MonomialSums
from adcli.symbolic.slot_sums import SlotSums
from adcli.table.primitive import ROWS

EXPRESSIONS = records("expressions")
EXACTLY = Precise(60)


def graph_of(text: str, names: Mapping[str, object] | tuple[str, ...] = ()) -> Graph:
    return arrange(read_program(Source(text), tuple(names)).graph, extra=names)


def outputs_at(graph: Graph, at: Mapping[str, float], m: Any = FLOAT) -> list[Any]:
    values = evaluate(graph, m, {slot: m.number(at[name]) for slot, name in graph.inputs.items()})
    return [values[slot] for _, slot in graph.outputs]


def swept(graph: Graph, at: Mapping[str, float], m: Any = FLOAT) -> list[Any]:
    """The gradients of all outputs by the engine's reverse sweep, in the order of a gradient graph."""
    values = evaluate(graph, m, {slot: m.number(at[name]) for slot, name in graph.inputs.items()})
    gradients = linearize(graph, m, values)
    found = []
    for _, slot in graph.outputs:
        bars = adjoints(graph, gradients, {slot: 1.0})
        found += [bars[s] for s in graph.inputs]
    return found


def text_of(graph: Graph, place: int = 0) -> str:
    return Statements(graph, [(None, graph.outputs[place][1])], tuple(graph.inputs.values())).text()


def derived(text: str, *wrt: str) -> str:
    return text_of(derivative(graph_of(text), wrt or ("x",)))


# --- right ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tidy", [False, True], ids=["as swept", "tidied"])
@each(EXPRESSIONS)
def test_gradient_graph_of_a_real_expression_is_right(record: dict[str, Any], tidy: bool) -> None:
    at = {name: float(x) for name, x in record["point"].items()}
    graph = graph_of(record["expr"], at)
    found = dict(zip(graph.inputs.values(), outputs_at(gradient_graph(graph, tidy=tidy), at), strict=True))
    allowed = max(1e-12, record["literal_rounding_rel"])
    for name, slope in record["gradient"].items():
        # what cancels to 0 leaves the rounding of its terms, which are of the size of value over input
        left = allowed * abs(float(record["value"]) / (at[name] or 1)) if float(slope) == 0 else 0.0
        assert float(slope) == pytest.approx(found[name], rel=allowed, abs=left), name


@examples(150, suppress_health_check=list(HealthCheck))
@given(programs(depth=3, most_outputs=2))
def test_gradient_graph_is_the_reverse_sweep(case: Case) -> None:
    graph = graph_of(case.text, case.at)
    values = outputs_at(graph, case.at, EXACTLY)
    if not all(EXACTLY.finite(value) for value in values):
        return
    expected = swept(graph, case.at, EXACTLY)
    scale = max([abs(x) for x in expected], default=0)
    for tidy in (False, True):
        found = outputs_at(gradient_graph(graph, tidy=tidy), case.at, EXACTLY)
        for want, got in zip(expected, found, strict=True):
            if EXACTLY.finite(want):
                # sixty digits; the sweeps lose a few to cancellation, a wrong term loses them all
                assert abs(want - got) <= 1e-25 * (scale + 1), (tidy, want, got)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("x*x", "2*x"), ("x-x", "0"), ("x+x", "2"), ("x^x", "x^x*(log(x) + 1)"), ("max(x, x)", "1")],
)
def test_both_edges_to_one_parent_count(text: str, expected: str) -> None:
    assert expected == derived(text)


def test_derivatives_mix_and_commute() -> None:
    at = {"x": 1.25, "y": 0.5}
    one, other = (derivative(graph_of("x^3*exp(x*y)"), wrt) for wrt in (("x", "y"), ("y", "x")))
    x, y = mpmath.mpf(at["x"]), mpmath.mpf(at["y"])
    expected = float((4 * x**3 + x**4 * y) * mpmath.exp(x * y))
    assert expected == pytest.approx(outputs_at(one, at)[0], rel=1e-14)
    assert expected == pytest.approx(outputs_at(other, at)[0], rel=1e-14)


def test_a_program_of_several_outputs_has_the_derivatives_of_all() -> None:
    graph = gradient_graph(graph_of("p = x*y; q = x/y; p; q"))
    assert [("dp_dx", 5.0), ("dp_dy", 2.0), ("dq_dx", 0.2), ("dq_dy", -0.08)] == list(
        zip([name for name, _ in graph.outputs], outputs_at(graph, {"x": 2.0, "y": 5.0}), strict=True)
    )


# --- corners, branches, conventions -----------------------------------------------------------------------------------

SIDES = (-1.5, -1.0, -0.25, 0.0, 0.25, 1.0, 2.0)
CORNERED = [
    "abs(x)", "abs(x)^3", "x*abs(x - 1)", "max(x, 0)", "min(x, x^2)", "max(x, 1, x^2)", "min(x, 0, x^3)",
    "relu(x)*x",
    "max(abs(x), 1)", "sign(x)*x", "floor(x) + x", "x % 0.7", "if(x > 0, x^2, -x)",
    "if(x >= 1, x^3, if(x < 0, x, 2*x))",
    "if(x > 0 and x < 1, sin(x), cos(x))", "hypot(x, 0*x)", "max(min(x, 1), -1)", "softplus(x)", "sigmoid(x)",
    "x + if(x > 0, x*exp(x), x)*if(x < 1, 2*x, x)", "abs(max(x, -x))", "acot(x)^2", "(x + 3)^x", "abs(x)^1.5",
]  # fmt: skip


@pytest.mark.parametrize("tidy", [False, True], ids=["as swept", "tidied"])
@pytest.mark.parametrize("text", CORNERED)
def test_derivative_is_the_sweep_on_both_sides_and_at_the_corner(text: str, tidy: bool) -> None:
    graph = graph_of(text, ("x",))
    first = gradient_graph(graph, tidy=tidy)
    second = gradient_graph(first, tidy=tidy)
    for x in SIDES:
        at = {"x": x}
        assert swept(graph, at) == pytest.approx(outputs_at(first, at), rel=1e-13, abs=1e-13, nan_ok=True), x
        assert swept(first, at) == pytest.approx(outputs_at(second, at), rel=1e-13, abs=1e-13, nan_ok=True), x


@pytest.mark.parametrize(
    ("text", "x", "slope"),
    [
        ("if(x > 0, log(x), 0)", -1.0, 0.0),
        ("if(x > 0, log(x), 0)", 0.0, 0.0),
        ("if(x > 0, log(x), x^2)", -1.0, -2.0),
        ("if(x > 0, sqrt(x), x)", 0.0, 1.0),
        ("a = sqrt(x); if(x > 4, a, a^2)", 1.0, 1.0),
        ("if(x > 0, x*log(x)*exp(1/x), 3*x)", 0.0, 3.0),
        ("if(x != 0, sin(x)/x, 1)", 0.0, 0.0),
        ("max(x, -1) + if(x < 0, 0, 1/x^2)", -2.0, 0.0),
        ("if(x > 1, if(x > 2, log(x - 2), log(x - 1)), x)", 1.5, 2.0),
        ("if(x > 1, if(x > 2, log(x - 2), log(x - 1)), x)", 0.5, 1.0),
    ],
)
def test_a_branch_not_taken_contributes_nothing(text: str, x: float, slope: float) -> None:
    for tidy in (False, True):
        assert [slope] == outputs_at(gradient_graph(graph_of(text), tidy=tidy), {"x": x})


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("max(x, y)", {"x": 1.0, "y": 1.0}, [0.5, 0.5]),
        ("min(x, y)", {"x": 1.0, "y": 1.0}, [0.5, 0.5]),
        ("max(x, y, x*y)", {"x": 1.0, "y": 1.0}, [2 / 3, 2 / 3]),
        ("hypot(x, y)", {"x": 0.0, "y": 0.0}, [0.0, 0.0]),
        ("x^y", {"x": 0.0, "y": 2.0}, [0.0, 0.0]),
        ("x^y", {"x": 0.0, "y": 1.0}, [1.0, 0.0]),
        ("x^y", {"x": 0.0, "y": 0.0}, [0.0, -math.inf]),
        ("cbrt(x) + y", {"x": 0.0, "y": 0.0}, [math.inf, 1.0]),
    ],
)
def test_conventions_are_those_of_the_engine(text: str, at: dict[str, float], expected: list[float]) -> None:
    graph = graph_of(text)
    assert expected == pytest.approx(swept(graph, at))
    for tidy in (False, True):
        assert expected == pytest.approx(outputs_at(gradient_graph(graph, tidy=tidy), at))


# --- domains ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("x^3/x", 0.0), ("x/x + x", 0.0), ("sqrt(x)*sqrt(x)", -1.0), ("x^0.5*x^0.5", -1.0), ("1/(1/x)", 0.0),
        ("asin(x) + acos(x)", 1.0), ("(x^-1)^-1", 0.0), ("log(x) - log(x) + 1/sqrt(x)", -1.0), ("sqrt(x)^2 + x", -1.0),
    ],
)  # fmt: skip
def test_no_simplification_gives_a_slope_where_there_was_none(text: str, x: float) -> None:
    (slope,) = outputs_at(gradient_graph(graph_of(text), tidy=True), {"x": x})
    assert not math.isfinite(slope)


def test_a_factor_is_cancelled_where_what_is_left_still_forbids_its_zero() -> None:
    assert "2*x*log(x) + x" == derived("x^2*log(x)")
    assert "-6/x^3" == derived("3/x^2")
    assert "2/x + cos(x)/sin(x) - 2/(2*x + 1)" == derived("log(x^2*sin(x)/(2*x + 1))")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5*x+x^2+x^3", "3*x^2 + 2*x + 5"),
        ("pi*x+x^2", "2*x + pi"),
        ("x*y^3+x^2", "y^3 + 2*x"),
        ("x^3*pi+x^4*y", "4*x^3*y + 3*pi*x^2"),
        ("2*x - x^2", "2 - 2*x"),
        ("sin(x)+x", "cos(x) + 1"),
    ],
)
def test_polynomials_begin_with_the_highest_degree_and_never_with_a_minus(text: str, expected: str) -> None:
    assert expected == derived(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exp(x*y)", ["exp(x*y)*y", "exp(x*y)*x"]),
        ("log(x)*x^2", ["x^2/x + log(x)*(2*x)"]),
        ("sin(cos(x))", ["-(cos(cos(x))*sin(x))"]),
    ],
)
def test_as_swept_what_comes_from_above_stands_first(text: str, expected: list[str]) -> None:
    graph = gradient_graph(graph_of(text))
    assert expected == [text_of(graph, place) for place in range(len(graph.outputs))]


def test_of_two_conditions_both_are_asked_unless_one_excludes_the_other() -> None:
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    m = GuardedTerms(graph)
    at_root = m.eq(m.term(x), 0)
    for other in (m.gt(m.term(y), 0), m.gt(m.term(x), -1), m.le(m.sin(m.term(x)), 0)):
        for a, b in ((at_root, other), (other, at_root), (m.lt(m.term(x), 3), other)):
            assert "and" == graph.rows[m.both(a, b).slot].name
    for never in (m.gt(m.term(x), 0), m.gt(m.sin(m.term(x)), 0)):
        assert m.both(at_root, never) is False
    assert (at_root, False, at_root) == (m.both(True, at_root), m.both(at_root, False), m.both(at_root, True))


def test_the_derivative_by_what_does_not_occur_is_0() -> None:
    graph = gradient_graph(graph_of("x*y"), ["x", "z"])
    assert ["dy_dx", "dy_dz"] == [name for name, _ in graph.outputs]
    assert [3.0, 0.0] == list(outputs_at(graph, {"x": 2.0, "y": 3.0}))


# --- small ------------------------------------------------------------------------------------------------------------

TENTH = [
    ("exp(x)*sin(x)", lambda x: mpmath.exp(x) * mpmath.sin(x), 0.7, 10),
    ("1/(1+x^2)", lambda x: 1 / (1 + x * x), 0.6, 25),
    ("x^x", lambda x: x**x, 1.3, 600),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "function", "x", "most"), TENTH, ids=[case[0] for case in TENTH])
def test_tenth_derivative_is_right_and_its_graph_grows_gently(text: str, function: Any, x: float, most: int) -> None:
    graph, counts = graph_of(text), []
    for _ in range(10):
        graph = derivative(graph, ["x"])
        counts.append(len(list(graph.operations())))
    with mpmath.workdps(50):
        expected = mpmath.taylor(function, mpmath.mpf(x), 10)[10] * mpmath.factorial(10)
    assert float(expected) == pytest.approx(outputs_at(graph, {"x": x})[0], rel=1e-10)
    assert counts[-1] <= most, counts
    assert all(later <= 2.5 * earlier + 4 for earlier, later in pairwise(counts)), counts


def random_graph(size: int, seed: int) -> Graph:
    """A random expression of so many operations, each of which the result needs."""
    rnd = random.Random(seed)  # noqa: S311
    graph = Graph()
    open_ends = [graph.input(f"x{k}") for k in range(1, 6)]
    inputs = list(open_ends)
    three = graph.constant(Constant("3"))
    names = ("add", "sub", "mul", "div", "sin", "cos", "exp", "log", "sqrt", "tanh", "atan", "abs", "max", "pow")
    for _ in range(size - 1):
        row = ROWS[rnd.choice(names)]
        arguments = [open_ends.pop(rnd.randrange(len(open_ends))) if open_ends else rnd.choice(inputs)]
        if row.name == "pow":
            arguments.append(three)
        elif row.arity != 1:
            arguments.append(rnd.choice([*inputs, *open_ends[-3:]]))
        open_ends.append(graph.apply(row, tuple(arguments)))
    total = open_ends[0]
    for slot in open_ends[1:]:
        total = graph.apply(ROWS["add"], (total, slot))
    graph.outputs = [("y", total)]
    return graph


def operations(graph: Graph) -> int:
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    return sum(needed[slot] for slot in graph.operations())


@pytest.mark.slow
def test_a_gradient_graph_has_at_most_five_nodes_an_operation_and_takes_linear_time() -> None:
    pace = {}
    for size in (500, 5_000):
        graph = random_graph(size, seed=size)
        started = time.process_time()
        found = gradient_graph(graph)
        pace[size] = (time.process_time() - started) / size
        assert size <= operations(graph) <= size + 5
        assert len(found) <= 5 * size
    # ten times the work for ten times the size, and as much again for a machine that does other things
    assert pace[5_000] <= 3 * pace[500], pace


def test_only_what_lies_on_a_path_is_visited() -> None:
    graph = gradient_graph(graph_of("x^2 + sin(y)*gamma(y)"), ["x"])
    assert ["mul"] == [graph.operator(slot) for slot in graph.operations()]
    whole = read_program(Source("u = exp(x)*y; sin(x)"), ()).graph
    assert (["exp", "mul", "sin"], ["sin"]) == tuple(
        [graph.operator(slot) for slot in graph.operations()] for graph in (whole, usable(whole))
    )
    assert ["x", "y"] == list(usable(whole).inputs.values())
    assert not usable(read_program(Source("u = 3; sin(x)"), ()).graph).constants


@each([{"id": text, "text": text} for text in ("sin(x*y)*cos(x*y)", "exp(x)/(1 + exp(x))", "x^y*y^x", "max(x^2, y)")])
def test_identical_operations_are_one_node(record: dict[str, str]) -> None:
    for tidy in (False, True):
        graph = gradient_graph(graph_of(record["text"]), tidy=tidy)
        found = [(graph.rows[slot], graph.parents[slot]) for slot in range(len(graph)) if graph.parents[slot]]
        assert len(found) == len(set(found))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("sin(" * 2000 + "0*x" + ")" * 2000, 0.0),
        ("-(" * 2001 + "x" + ")" * 2001, -1.0),
        ("1*(" * 2000 + "x" + ")" * 2000, 1.0),
        ("if(x > 0, x + " * 1200 + "x" + ", 1)" * 1200, 1201.0),
        ("+".join(["x"] * 2000), 2000.0),
        ("abs(" * 1020 + "x" + ")" * 1020, 1.0),  # the interpreter nests 1000
    ],
    ids=["calls", "signs", "products", "branches", "sum", "corners"],
)
def test_nothing_recurses_over_what_was_typed(text: str, slope: float) -> None:
    for tidy in (False, True):
        assert [slope] == outputs_at(gradient_graph(graph_of(text), tidy=tidy), {"x": 1.0})


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("u = sqrt(x); if(x > 1, u^3, if(x > 0, u, 0))", -1.0),
        ("if(x > 1, sqrt(x)^3, if(x > 0, exp(sqrt(x)), 0))", 0.0),
        ("u = log(x); v = sqrt(x); if(x > 2, u*v, 0) + if(x > 1, u, 0) + if(x > 3, v, 0)", -2.0),
    ],
)
def test_what_only_some_branches_share_contributes_nothing_in_the_others(text: str, x: float) -> None:
    graph = graph_of(text)
    for tidy in (False, True):
        found = outputs_at(derivative(graph, ("x", "x"), tidy=tidy, later=0), {"x": x}, EXACTLY)
        assert [0.0] == [float(value) for value in found]
        assert [0.0] == outputs_at(gradient_graph(graph, tidy=tidy), {"x": x})


def test_a_power_of_a_negative_number_keeps_its_curvature_where_the_exponent_rests() -> None:
    found = derivative(graph_of("(1/x)^max(x, -2)"), ("x", "x"))
    assert outputs_at(found, {"x": -3.0}) == pytest.approx([2.0], rel=1e-14, abs=0)


def test_a_derivative_that_is_too_large_to_be_tidied_is_as_it_was_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "exp(x)*(x + x + x) + sin(x*x)"
    swept = gradient_graph(graph_of(text), tidy=False)
    for largest, expected in ((len(swept), "3*exp(x)*(x + 1) + 2*x*cos(x*x)"), (len(swept) - 1, text_of(swept))):
        monkeypatch.setattr("adcli.symbolic.derivative.LARGEST", largest)
        assert expected == derived(text)


class Sums(SlotSums):
    """Sums of which no slot is looked into."""

    operand = sum_of_function = SlotSums.atom


def test_a_derivative_that_swells_when_it_is_simplified_is_as_it_was_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    nested, product = "x", "*".join(f"sin(x + {k})" for k in range(150))
    for k in range(1700):
        nested = f"sin({nested})" if k % 2 else f"{nested}*0.9" if k % 3 else f"({nested}+1)"
    monkeypatch.setattr(higher_orders, "_LONG", 100)
    for text in (nested, product):
        graph, began = graph_of(text), time.process_time()
        (slope,) = outputs_at(higher_orders.derivative_formula(graph, ["x"]), {"x": 0.3})
        assert time.process_time() - began < 10
        assert slope == pytest.approx(swept(graph, {"x": 0.3})[0], rel=1e-9)
    began, graph = time.process_time(), graph_of("sin(" * 40 + "x" + ")" * 40)
    (bend,) = outputs_at(higher_orders.derivative_formula(graph, ["x", "x"]), {"x": 0.7})
    assert bend == pytest.approx(-0.174354469078, rel=1e-9) and time.process_time() - began < 12
    monkeypatch.setattr(MonomialSums, "longest", 3)
    assert outputs_at(derivative(graph_of("x^2 + x^3 + sin(x) + exp(x) + x*cos(x)"), ["x"]), {"x": 0.0}) == [3.0]


def test_operations_are_counted_as_they_are_written() -> None:
    graph = graph_of("sin(x*y) + x")
    sums, x, y, sine = Sums(GuardedTerms(graph), len(graph)), 0, 1, [r and r.name for r in graph.rows].index("sin")
    half, both = Fraction(1, 2), {((x, 1),): 1, ((y, 1),): 2, (): -1}
    cases = [{}, {(): 1}, {(): 3 * half}, {((x, 1),): 1, (): 1}, {((x, 2),): 3 * half}, {((x, 1), (y, -1)): -1}, both]
    cases += [{((x, half),): 1}, {((sine, 1),): 1}, {((x, -2), (y, -1)): 1}, {((x, -1),): 1}]
    assert [0, 0, 2, 1, 4, 2, 3, 2, 2, 4, 2] == [sums.operations(form) for form in cases]
