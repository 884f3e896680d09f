"""Second derivatives: from the derivative graph and forward over reverse, in Python and on the command line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from drawn import examples, usually
from expressions import Case, programs
from hypothesis import HealthCheck, given
from running import process, run
from support import each, evaluated, number, records

import adcli
from adcli.errors import Source
from adcli.graph.graph import Graph
from adcli.graph.order import arrange
from adcli.graph.tape import evaluate
from adcli.language.program import read_program
from adcli.numbers.doubles import FLOAT
from adcli.numbers.dual import Dual, Duals
from adcli.numbers.precise import Precise
from adcli.symbolic.derivative import gradient_graph
from adcli.table.primitive import ROWS
from adcli.trace.hessians import second_derivatives

HESSIANS = [record for record in records("expressions") if "hessian" in record]
EXACTLY = Precise(60)

Matrix = dict[str, dict[str, Any]]


def graph_of(text: str, at: Mapping[str, float]) -> Graph:
    return arrange(read_program(Source(text), tuple(at)).graph, extra=at)


def by_graph(graph: Graph, at: Mapping[str, float], m: Any = FLOAT, *, tidy: bool = False) -> Matrix:
    """The Hessian of the first output from the derivative graph of its derivative graph."""
    names = list(graph.inputs.values())
    twice = gradient_graph(gradient_graph(graph, tidy=tidy), tidy=tidy)
    values = evaluate(twice, m, {slot: m.number(at[name]) for slot, name in twice.inputs.items()})
    slots = iter([slot for _, slot in twice.outputs])
    return {name: {other: values[next(slots)] for other in names} for name in names}


def forward_over_reverse(graph: Graph, at: Mapping[str, float], m: Any = FLOAT) -> Matrix:
    values = evaluate(graph, m, {slot: m.number(at[name]) for slot, name in graph.inputs.items()})
    return second_derivatives(graph, m, values)[0].hessian or {}


ROUTES = {
    "graph as swept": by_graph,
    "graph tidied": lambda graph, at: by_graph(graph, at, tidy=True),
    "forward over reverse": forward_over_reverse,
}


@pytest.mark.parametrize("route", ROUTES)
@each(HESSIANS)
def test_hessian_of_a_real_expression_is_right(record: dict[str, Any], route: str) -> None:
    if route == "graph tidied" and HESSIANS.index(record) % usually(3, thoroughly=1):  # takes long
        return
    at = {name: float(x) for name, x in record["point"].items()}
    found = ROUTES[route](graph_of(record["expr"], at), at)
    names = list(record["gradient"])
    largest = max(abs(float(x)) for row in record["hessian"] for x in row)
    for name, row in zip(names, record["hessian"], strict=True):
        for other, text in zip(names, row, strict=True):
            expected = float(text)
            # an exact 0 is measured against the other entries, or where all are 0 against value over inputs
            size = max(largest, abs(float(record["value"]) / ((at[name] or 1) * (at[other] or 1))))
            left = 1e-11 * size if expected == 0 else 0.0
            assert expected == pytest.approx(found[name][other], rel=1e-11, abs=left), (name, other)


@examples(60, suppress_health_check=list(HealthCheck))
@given(programs(depth=2, most_outputs=1))
def test_both_routes_agree_for_random_programs(case: Case) -> None:
    """In sixty digits, so that nothing but a wrong term can make them differ."""
    graph = graph_of(case.text, case.at)
    one, other = by_graph(graph, case.at, EXACTLY), forward_over_reverse(graph, case.at, EXACTLY)
    scale = max([abs(x) for row in one.values() for x in row.values() if EXACTLY.finite(x)], default=0) + 1
    for name, row in one.items():
        for column, x in row.items():
            if EXACTLY.finite(x) and EXACTLY.finite(other[name][column]):
                assert abs(x - other[name][column]) <= 1e-25 * scale, (name, column)


SMOOTH = [row.name for row in ROWS.values() if not row.truth and row.arity]


@pytest.mark.parametrize("name", SMOOTH)
def test_dual_numbers_move_as_the_partials_say(name: str) -> None:
    row, duals = ROWS[name], Duals(FLOAT)
    point = [low + 0.37 * (high - low) for low, high in row.ranges()]
    for position in range(len(point)):
        arguments = tuple(Dual(duals, x, float(k == position)) for k, x in enumerate(point))
        found = getattr(duals, name)(*arguments)
        z = row.value(FLOAT, *point)
        wanted = tuple(k == position for k in range(len(point)))
        assert z == found.value
        assert row.gradient(FLOAT, z, tuple(point), wanted)[position] == pytest.approx(found.dot)


# --- in Python and on the command line --------------------------------------------------------------------------------


def test_hessian_in_python_is_by_input_and_input() -> None:
    paper = adcli.parse("log(x1)+x1*x2-sin(x2)")
    assert {"x1": {"x1": -0.25, "x2": 1.0}, "x2": {"x1": 1.0, "x2": math.sin(5)}} == paper.hessian({"x1": 2, "x2": 5})
    rosenbrock = adcli.parse("(1-x)^2 + 100*(y-x^2)^2")  # More, Garbow, Hillstrom 1981: at the minimum
    assert {"x": {"x": 802.0, "y": -400.0}, "y": {"x": -400.0, "y": 200.0}} == rosenbrock.hessian({"x": 1, "y": 1})


def test_hessian_is_in_each_output_of_the_json() -> None:
    data = evaluated("f = x^2*y; g = x/y; f; g", {"x": 3, "y": 2}, "--hessian").data
    assert [
        {"x": {"x": 4.0, "y": 6.0}, "y": {"x": 6.0, "y": 0.0}},
        {"x": {"x": 0.0, "y": -0.25}, "y": {"x": -0.25, "y": 0.75}},
    ] == [output["hessian"] for output in data["outputs"]]
    assert "hessian" not in evaluated("x^2", {"x": 3}).data["outputs"][0]
    notes = [note["text"] for note in evaluated("x*abs(x)+y^2", {"x": 0, "y": 1}, "--hessian").data["notes"]]
    assert "f has no second derivative with respect to x here: -2 from the left and 2 from the right" in notes
    # the dot of every adjoint stands with its row
    rows = {row["name"]: row["bar_dot"] for row in data["nodes"]}
    assert {"f": {"x": 4.0, "y": 6.0}, "g": {"x": 0.0, "y": -0.25}} == rows["x"]


def test_command_line_and_python_give_the_same_hessians() -> None:
    chosen = HESSIANS[::12]
    lines = [f"{r['expr']} @ {', '.join(f'{n}={x}' for n, x in r['point'].items())}" for r in chosen]
    done = process("eval", "--format", "ndjson", "--no-trace", "--hessian", "-", stdin="\n".join(lines))
    assert 0 == done.code, done.err
    for record, line in zip(chosen, done.out.splitlines(), strict=True):
        at = {name: float(x) for name, x in record["point"].items()}
        found = json.loads(line)["outputs"][0]["hessian"]
        assert adcli.parse(record["expr"], at).hessian(at) == found


def test_product_with_a_direction_is_that_of_the_matrix() -> None:
    text, at, v = "exp(x*y)*sin(z) + z^3/x", {"x": 1.5, "y": 0.5, "z": 2.0}, {"x": 2.0, "y": -1.0, "z": 0.25}
    hessian = adcli.parse(text).hessian(at)
    data = evaluated(text, at, "--hvp", "x=2,y=-1", "--hvp", "z=0.25").data
    for name, x in data["outputs"][0]["hvp"].items():
        assert sum(hessian[name][other] * v[other] for other in v) == pytest.approx(x, rel=1e-13)


def test_tables_show_the_matrix_and_the_sweeps() -> None:
    out = run("eval", "log(x1)+x1*x2-sin(x2)", "--at", "x1=2,x2=5", "--hessian").out
    assert "forward over reverse: y\n    ∂y/∂v  ∂v/∂x1  ∂v̄/∂x1  ∂v/∂x2  ∂v̄/∂x2\n" in out
    assert "x1    5.5       1   −0.25       0       1\n" in out
    assert out.endswith("Hessian of y\n       x1      x2\n-----------------\nx1  −0.25       1\nx2      1  −0.959\n")
    short = run("eval", "x^2*y", "--at", "x=1,y=3", "--hvp", "x=1", "--no-trace").out
    assert short.endswith("Hessian of f times v\n(H v) x  = 6\n(H v) y  = 2\n")
    both = run("eval", "x^2*y", "--at", "x=1,y=3", "--hvp", "x=1", "--hessian", "--no-trace").out
    assert both == f"{short}\nHessian of f\n   x  y\n-------\nx  6  2\ny  2  0\n"
    csv = run("eval", "x^2*y", "--at", "x=1,y=3", "--hessian", "--no-trace", "--format", "csv").out
    assert "d2/dxdx,d2/dxdy,d2/dydx,d2/dydy" in csv
    assert csv.endswith("6.0,2.0,2.0,0.0\n")


@pytest.mark.parametrize(
    ("text", "at", "entry"),
    [
        ("abs(x)*x", -2.0, -2.0), ("abs(x)*x", 2.0, 2.0), ("abs(x)", 0.0, 0.0), ("max(x, x^2)", 3.0, 2.0),
        ("max(x, x^2)", 0.5, 0.0), ("if(x > 0, log(x), x^3)", -1.0, -6.0), ("if(x > 0, log(x), x^3)", 0.0, 0.0),
        ("if(x > 0, sqrt(x), 0)", 0.0, 0.0), ("relu(x)^2", -1.0, 0.0), ("x^2", 0.0, 2.0), ("x^3", 0.0, 0.0),
    ],
)  # fmt: skip
def test_second_derivatives_beside_and_at_corners(text: str, at: float, entry: float) -> None:
    assert {"x": {"x": entry}} == adcli.parse(text).hessian({"x": at})
    assert entry == by_graph(graph_of(text, {"x": at}), {"x": at}, tidy=True)["x"]["x"]


def test_where_the_slope_is_infinite_there_is_no_second_derivative() -> None:
    found = evaluated("sqrt(x)", {"x": 0}, "--hessian")
    assert math.isnan(number(found.data["outputs"][0]["hessian"]["x"]["x"]))
    assert "undefined" in found.kinds


@pytest.mark.parametrize(("text", "second"), [("sigmoid(x)", 0.0), ("softplus(x)", 0.25), ("sigmoid(x)*x", 0.5)])
def test_where_a_rule_turns_its_function_has_no_corner(text: str, second: float) -> None:
    assert second == adcli.parse(text).hessian({"x": 0.0})["x"]["x"]


def test_exact_and_precise_numbers_have_hessians_too() -> None:
    assert "x  4.5" in run("eval", "x^3/4", "--at", "x=3", "--hessian", "--no-trace", "--precision", "40").out
    assert "x  9/2" in run("eval", "x^3/4", "--at", "x=3", "--hessian", "--no-trace", "--exact").out


@pytest.mark.parametrize(
    ("flags", "said"),
    [(("--hvp", "z=1"), "the direction names z"), (("--hessian", "--complex"), "leave out --complex")],
)
def test_a_wrong_request_is_told(flags: tuple[str, ...], said: str) -> None:
    done = run("eval", "x*y", "--at", "x=1,y=2", *flags)
    assert (2, "") == (done.code, done.out)
    assert said in done.err


def test_lost_digits_of_second_derivatives_are_noted() -> None:
    answer = evaluated("(exp(x)-1-x)/x^2", {"x": "1e-5"}, "--hessian")
    assert any(note["text"].startswith("no digit of ∂²y/∂x² is right here") for note in answer.data["notes"])
    with pytest.warns(RuntimeWarning, match="no digit of ∂²y/∂x² is right here"):
        adcli.parse("(exp(x)-1-x)/x^2").hessian(x=1e-5)
    mapped = run("map", "(exp(x)-1-x)/x^2", "-", "--hessian", stdin="x\n1\n1e-5\n")
    assert "for example in line 3: no digit of ∂²y/∂x² is right here" in mapped.err
    assert not run("map", "x^2*sin(x)", "-", "--hessian", stdin="x\n1\n1e-5\n").err
    for text, x in (("x^3/x^2", "1e90"), ("log(cosh(x))", "445"), ("1/exp(x)", "350")):
        texts = [note["text"] for note in evaluated(text, {"x": x}, "--hessian").data["notes"]]
        assert any("∂²y/∂x² is right here: intermediate numbers are too large or too small" in note for note in texts)
    answer = evaluated("x^2*y^3*sin(x)", {"x": "1e-5", "y": "3"}, "--hessian")
    assert not any(note["kind"] == "conditioning" for note in answer.data["notes"])


def test_what_is_not_proven_of_second_derivatives_at_a_kink_is_noted() -> None:
    answer = evaluated("abs(x*y)*x*y", {"x": "0", "y": "0"}, "--hessian")
    assert any(
        "along x, y and their diagonals; it is not proven that f is twice" in text
        for text in (note["text"] for note in answer.data["notes"])
    )
