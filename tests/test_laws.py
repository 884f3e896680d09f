"""Laws of the calculus, of the language and of the layout, over random programs."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import expressions as random
import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st
from rule_checks import PRECISE, ROUNDING, SERIES, shape

import adcli
from adcli.errors import Source
from adcli.graph.as_nodes import as_nodes
from adcli.graph.graph import CONSTANT, Graph
from adcli.graph.node import Node, forward, reverse, wrapping
from adcli.graph.order import arrange, postorder
from adcli.graph.tape import Gradients, adjoints, evaluate, linearize, tangents
from adcli.language.program import read_program
from adcli.notation.formula import program_text
from adcli.notation.latex_printer import expression_latex
from adcli.notation.number_text import Digits
from adcli.numbers.doubles import FLOAT
from adcli.render import plain, trace_tables
from adcli.render.data import json_text, lines, sheet
from adcli.render.views import show
from adcli.table.primitive import ROWS, Primitive
from adcli.trace.trace_document import as_dict

EPSILON = sys.float_info.epsilon
MODES = ("value", "forward", "reverse", "both")
NUMBERINGS = ("level", "call")

thoroughly = examples(150)
quickly = examples(80)


class Swept(NamedTuple):
    """A program at a point: its graph by level, the values, the partials, and what rounding may have done to each."""

    graph: Graph
    point: dict[int, float]
    values: list[Any]
    gradients: Gradients


def swept(text: str, at: dict[str, float]) -> Swept:
    graph = arrange(read_program(Source(text)).graph)
    point = {slot: at[name] for slot, name in graph.inputs.items()}
    values = evaluate(graph, FLOAT, point)
    return Swept(graph, point, values, linearize(graph, FLOAT, values))


def magnitudes(graph: Graph, gradients: Gradients) -> Gradients:
    """The partials without their signs: swept with these, an adjoint is the sum of the sizes of all its paths."""
    return [tuple(None if p is None else abs(p) for p in partials) for partials in gradients]


def reordering(graph: Graph, sizes: Sequence[float], slot: int) -> float:
    """How far two sums of the same paths can be apart: one rounding for each factor and each addition, twice."""
    edges = sum(len(parents) for parents in graph.parents)
    return 2 * 2 * edges * EPSILON * sizes[slot]


class Bounds(NamedTuple):
    values: list[float]
    adjoints: list[float]


def bounds(case: Swept, output: int) -> Bounds:
    """What rounding can have done to values and to the adjoints of an output, to first order.

    A row adds its own rounding, and hands on that of its arguments: the value by its slope, the partial by how fast it
    changes, both taken from differences.  Twice the sum stands for the terms of second order.
    """
    graph, values = case.graph, case.values
    error = [0.0] * len(graph)
    slack: list[tuple[float, ...]] = []
    for slot, row in enumerate(graph.rows):
        z = values[slot]
        if row is None or z is None or row.truth or graph.literal[slot]:
            error[slot] = 0.0 if slot in graph.inputs or z is None else ROUNDING * abs(z)
            slack.append((0.0,) * len(graph.parents[slot]))
            continue
        arguments = [values[p] for p in graph.parents[slot]]
        partials = case.gradients[slot]
        own = SERIES if any(word in row.name for word in ("gamma", "factorial")) else ROUNDING
        error[slot] = own * abs(z)
        loose = [0.0 if p is None else own * abs(p) for p in partials]
        for position, parent in enumerate(graph.parents[slot]):
            if error[parent] == 0 or arguments[position] is None:
                continue
            step = 1e-7 * max(1.0, abs(arguments[position]))
            moved = [*arguments]
            moved[position] += step
            if row.find_violation(FLOAT, moved) is not None:
                continue  # an order that must be whole is written as a whole number, and that has no error
            there = row.value(FLOAT, *moved)
            error[slot] += abs(there - z) / step * error[parent]
            wanted = tuple(p is not None for p in partials)
            for k, p in enumerate(row.gradient(FLOAT, there, tuple(moved), wanted)):
                if p is not None:
                    loose[k] += abs(p - partials[k]) / step * error[parent]
        slack.append(tuple(loose))
    sizes = adjoints(graph, magnitudes(graph, case.gradients), {output: 1.0})
    drift = [0.0] * len(graph)
    for slot in range(len(graph) - 1, -1, -1):
        for parent, p, loose_p in zip(graph.parents[slot], case.gradients[slot], slack[slot], strict=False):
            if p is not None:
                drift[parent] += drift[slot] * abs(p) + sizes[slot] * loose_p
    return Bounds([2 * e for e in error], [2 * d for d in drift])


def close(expected: Any, got: Any, bound: float) -> bool:
    return abs(expected - got) <= bound + 1e-290  # below that, doubles lose digits


# --- the language ----------------------------------------------------------------------------------------------------


def assert_reads_back(text: str) -> None:
    graph = read_program(Source(text)).graph
    written = program_text(graph)
    again = read_program(Source(written)).graph
    assert shape(graph) == shape(again), written
    assert written == program_text(again)
    kept, found = {*arrange(graph).aliases.values()}, {*again.aliases.values()}
    assert kept <= found, written
    if kept == found and "(a, b) =" not in text:  # no step had to move, so the rows keep their numbers as well
        assert numbered(graph) == numbered(again), written


def numbered(graph: Graph) -> list[tuple[object, ...]]:
    """The operations in the order of their rows, each with the numbers or names of its parents, None for literals."""
    graph = arrange(graph)
    place = {slot: k for k, slot in enumerate(graph.operations())}
    return [(graph.operator(slot), *(graph.inputs.get(p, place.get(p)) for p in graph.parents[slot])) for slot in place]


@thoroughly
@given(random.programs())
def test_text_of_a_program_reads_back_as_the_same_graph(case: random.Case) -> None:
    assert_reads_back(case.text)


def test_steps_that_no_result_uses_are_no_results_when_read_back() -> None:
    assert_reads_back("u0 = x1 + x1; u1 = 3*x1; u0")
    assert_reads_back("u0 = x1 + x1; u1 = 3*x1; u1")


@examples(500)
@given(random.typed_programs())
def test_text_as_people_type_it_reads_back_as_the_same_graph(text: str) -> None:
    assert_reads_back(text)


@quickly
@given(random.programs())
def test_expression_text_is_a_fixed_point(case: random.Case) -> None:
    expression = adcli.parse(case.text)
    again = adcli.parse(expression.text)
    assert expression.text == again.text
    assert expression.latex == again.latex
    assert expression.outputs == again.outputs


@pytest.mark.parametrize(
    "text",
    [
        "u = x; u",
        "u = x; u; x + 1",
        "u = 2; u",
        "u = x; v = u; u; v",
        "(x!)!",
        "-x!",
        "(-(x - 5))!",
        "(x^2)!",
        "2^(x!)",
        "-(-x)",
        "(-2)^x",
        "-2^x",
        "x - (-2)",
        "x^(-2)",
        "(x^y)^z",
        "x/(y/z)",
        "x/(y*z)",
        "x % (y % z)",
        "if((if(x < 1, x, 2) < 2), x, 2)",
        "if(not (x < 1 and y < 1) or x == y, x, y)",
        "if(x > 0, x, x*(1/2))",
        "if(x < 0, sin(2*pi), x)",
        "sum(i, 1, 0, x) + x",
        "log(x, 2) + log_2(x) + log2(x)",
        "1e-3*x + 1e22",
    ],
)
def test_text_that_needs_care_reads_back_as_the_same_graph(text: str) -> None:
    assert_reads_back(text)
    at = {"x": 3.0, "y": 7.0, "z": 4.0}
    expression = adcli.parse(text)
    again = adcli.parse(expression.text)
    # as text, because a slope that does not exist is nan, and nan is not itself
    assert repr(expression.jacobian(at)) == repr(again.jacobian(at))
    assert [o.value for o in expression.trace(at).outputs] == [o.value for o in again.trace(at).outputs]


@quickly
@given(random.typed_programs())
def test_latex_has_its_brackets_and_braces_in_pairs(text: str) -> None:
    latex = expression_latex(arrange(read_program(Source(text)).graph))
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\left") == latex.count(r"\right")
    assert "?" not in latex


# --- one derivative by many ways -------------------------------------------------------------------------------------


@thoroughly
@given(random.programs())
def test_forward_and_reverse_mode_agree(case: random.Case) -> None:
    this = swept(*case)
    graph = this.graph
    absolute = magnitudes(graph, this.gradients)
    for _, output in graph.outputs:
        bars = adjoints(graph, this.gradients, {output: 1.0})
        sizes = adjoints(graph, absolute, {output: 1.0})
        for slot in graph.inputs:
            dots = tangents(graph, this.gradients, {slot: 1.0})
            assert math.isfinite(bars[slot])
            assert close(bars[slot], dots[output], reordering(graph, sizes, slot))


def built_from_nodes(graph: Graph, point: dict[int, float], values: Sequence[Any]) -> list[Node | None]:
    """The graph again, by the paper's wrapping functions; a branch that is not taken is replaced by a number."""
    nodes: list[Node | None] = []
    for slot, row in enumerate(graph.rows):
        if values[slot] is None:
            nodes.append(None)
        elif row is None or graph.literal[slot]:
            kind = "input" if slot in point else CONSTANT
            nodes.append(Node(float(values[slot]), operator=kind))
        else:
            nodes.append(wrapping(row)(*(0.0 if (n := nodes[p]) is None else n for p in graph.parents[slot])))
    return nodes


def connected(node: Node) -> set[int]:
    """The nodes that a sweep from this one can know of: it starts from zero on all of them."""
    return {id(n) for n in postorder(node, lambda n: [*n.parent_nodes, *n.child_nodes])}


@thoroughly
@given(random.programs())
def test_sweeps_over_nodes_agree_with_the_tape(case: random.Case) -> None:
    this = swept(*case)
    graph = this.graph
    nodes = built_from_nodes(graph, this.point, this.values)
    absolute = magnitudes(graph, this.gradients)
    for _, output in graph.outputs:
        assert this.values[output] == nodes[output].value
        reverse(nodes[output])
        back = {slot: nodes[slot].partial_derivative for slot in graph.inputs}
        bars = adjoints(graph, this.gradients, {output: 1.0})
        sizes = adjoints(graph, absolute, {output: 1.0})
        known = connected(nodes[output])
        for slot in graph.inputs:
            if id(nodes[slot]) not in known:
                assert 0 == bars[slot]
                continue
            forward(nodes[slot])
            assert close(bars[slot], back[slot], reordering(graph, sizes, slot))
            assert close(bars[slot], nodes[output].partial_derivative, reordering(graph, sizes, slot))


@thoroughly
@given(random.programs())
def test_graph_handed_out_as_nodes_has_the_same_sweeps(case: random.Case) -> None:
    this = swept(*case)
    graph = this.graph
    nodes = as_nodes(graph, this.values, this.gradients, [graph.inputs.get(slot, "") for slot in range(len(graph))])
    absolute = magnitudes(graph, this.gradients)
    for _, output in graph.outputs:
        reverse(nodes[output])
        bars = adjoints(graph, this.gradients, {output: 1.0})
        sizes = adjoints(graph, absolute, {output: 1.0})
        known = connected(nodes[output])
        for slot in graph.inputs:
            got = nodes[slot].partial_derivative if id(nodes[slot]) in known else 0.0
            assert close(bars[slot], got, reordering(graph, sizes, slot))


@thoroughly
@given(random.programs())
def test_doubles_agree_with_fifty_digits(case: random.Case) -> None:
    this = swept(*case)
    graph = this.graph
    exact = evaluate(graph, PRECISE, {slot: PRECISE.number(x) for slot, x in this.point.items()})
    slopes = linearize(graph, PRECISE, exact)
    for _, output in graph.outputs:
        allowed = bounds(this, output)
        assert close(exact[output], this.values[output], allowed.values[output])
        expected = adjoints(graph, slopes, {output: PRECISE.one})
        got = adjoints(graph, this.gradients, {output: 1.0})
        for slot in graph.inputs:
            assert close(expected[slot], got[slot], allowed.adjoints[slot])


@thoroughly
@given(random.programs(most_outputs=2))
def test_derivative_is_the_slope_of_the_value(case: random.Case) -> None:
    """Central differences at 50 digits with a step of 1e-15: some 1e-30 of truncation, 1e-35 of rounding."""
    this = swept(*case)
    graph = this.graph
    step = PRECISE.context.mpf(10) ** -15
    point = {slot: PRECISE.number(x) for slot, x in this.point.items()}
    slopes = linearize(graph, PRECISE, evaluate(graph, PRECISE, point))
    absolute = magnitudes(graph, slopes)
    for slot in graph.inputs:
        ahead, behind = (evaluate(graph, PRECISE, point | {slot: point[slot] + side * step}) for side in (1, -1))
        for _, output in graph.outputs:
            expected = (ahead[output] - behind[output]) / (2 * step)
            got = adjoints(graph, slopes, {output: PRECISE.one})[slot]
            size = 1 + abs(ahead[output]) + adjoints(graph, absolute, {output: PRECISE.one})[slot]
            assert abs(expected - got) <= 1e-20 * size


@thoroughly
@given(random.programs())
def test_whole_trace_tells_what_the_tape_computes(case: random.Case) -> None:
    this = swept(*case)
    expression = adcli.parse(case.text)
    point = {name: x for name, x in case.at.items() if name in expression.inputs}
    jacobian = expression.jacobian(point)
    trace = expression.trace(point)
    for (name, output), told in zip(this.graph.outputs, trace.outputs, strict=True):
        bars = adjoints(this.graph, this.gradients, {output: 1.0})
        expected = {this.graph.inputs[slot]: bars[slot] for slot in this.graph.inputs}
        assert (name, this.values[output]) == (told.name, told.value)
        assert expected == jacobian[name] == told.gradient


LAWS = (
    test_text_of_a_program_reads_back_as_the_same_graph,
    test_forward_and_reverse_mode_agree,
    test_sweeps_over_nodes_agree_with_the_tape,
    test_graph_handed_out_as_nodes_has_the_same_sweeps,
    test_doubles_agree_with_fifty_digits,
    test_derivative_is_the_slope_of_the_value,
    test_whole_trace_tells_what_the_tape_computes,
)


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_laws_hold_for_every_row_of_the_table(row: Primitive) -> None:
    case = random.case_of(row)
    assert row in read_program(Source(case.text)).graph.rows
    for law in LAWS:
        law.hypothesis.inner_test(case)


# --- laws of the calculus --------------------------------------------------------------------------------------------


def gradient_of(text: str, at: dict[str, float]) -> tuple[float, dict[str, float], dict[str, float]]:
    """Value, gradient and what rounding may have done to it, by input; the value's own bound is under ''."""
    this = swept(text, at)
    output = this.graph.outputs[0][1]
    allowed = bounds(this, output)
    bars = adjoints(this.graph, this.gradients, {output: 1.0})
    got = {name: bars[slot] for slot, name in this.graph.inputs.items()}
    off = {name: allowed.adjoints[slot] for slot, name in this.graph.inputs.items()}
    return this.values[output], got, off | {"": allowed.values[output]}


def assert_same_slopes(
    expected: Callable[[str], float], got: dict[str, float], allowed: Callable[[str], float]
) -> None:
    for name in random.VARIABLES:
        slope = got.get(name, 0.0)
        assert abs(expected(name) - slope) <= allowed(name) + 1e-290


factors = st.sampled_from((-3.0, -0.5, 0.25, 2.0, 7.0))


@quickly
@given(random.expressions(), random.expressions(), random.points(), factors, factors)
def test_gradient_is_linear(f: str, g: str, at: dict[str, float], a: float, b: float) -> None:
    _, df, of = gradient_of(f, at)
    _, dg, og = gradient_of(g, at)
    _, got, off = gradient_of(f"{a}*({f}) + {b}*({g})", at)
    assert_same_slopes(
        lambda n: a * df.get(n, 0.0) + b * dg.get(n, 0.0),
        got,
        lambda n: abs(a) * of.get(n, 0.0) + abs(b) * og.get(n, 0.0) + off.get(n, 0.0),
    )


@quickly
@given(random.expressions(), random.expressions(), random.points())
def test_gradient_of_a_product_is_the_product_rule(f: str, g: str, at: dict[str, float]) -> None:
    vf, df, of = gradient_of(f, at)
    vg, dg, og = gradient_of(g, at)
    _, got, off = gradient_of(f"({f})*({g})", at)
    assert_same_slopes(
        lambda n: df.get(n, 0.0) * vg + vf * dg.get(n, 0.0),
        got,
        lambda n: (
            of.get(n, 0.0) * abs(vg) + abs(df.get(n, 0.0)) * og[""] + abs(vf) * og.get(n, 0.0)
            + of[""] * abs(dg.get(n, 0.0)) + off.get(n, 0.0)
        ),
    )  # fmt: skip


@quickly
@given(random.expressions(names=("s",), depth=2), random.expressions(depth=2), random.points())
def test_gradient_after_substitution_is_the_chain_rule(outer: str, inner: str, at: dict[str, float]) -> None:
    value, dg, og = gradient_of(inner, at)
    _, df, of = gradient_of(outer, {"s": value})
    slope = df.get("s", 0.0)
    for text in (f"s = {inner}; {outer}", f"h(s) = {outer}; h({inner})"):
        _, got, off = gradient_of(text, at)
        # `off` knows how the error of the inner value moves the outer slope; `of` and `og` are those of each alone
        assert_same_slopes(
            lambda n: slope * dg.get(n, 0.0),
            got,
            lambda n, off=off: of.get("s", 0.0) * abs(dg.get(n, 0.0)) + abs(slope) * og.get(n, 0.0) + off.get(n, 0.0),
        )


@quickly
@given(random.expressions(), random.points())
def test_difference_of_an_expression_with_itself_has_no_slope_at_all(f: str, at: dict[str, float]) -> None:
    value, got, _ = gradient_of(f"s = {f}; s - s", at)
    assert 0 == value
    assert {0.0} >= {*got.values()}


# --- numberings, sharing, repetition ---------------------------------------------------------------------------------


@thoroughly
@given(random.programs())
def test_neither_numbering_nor_sharing_changes_a_number_beyond_rounding(case: random.Case) -> None:
    this = swept(*case)
    graph = this.graph
    absolute = magnitudes(graph, this.gradients)
    expression = adcli.parse(case.text)
    at = {name: case.at[name] for name in expression.inputs}
    plain_way = expression.trace(at, "reverse")
    for numbering in NUMBERINGS:
        for cse in (False, True):
            other = expression.trace(at, "reverse", numbering=numbering, cse=cse)
            assert [o.name for o in plain_way.outputs] == [o.name for o in other.outputs]
            assert cse or len(plain_way.rows) == len(other.rows)
            assert len(other.rows) <= len(plain_way.rows)
            for (_, slot), one, two in zip(graph.outputs, plain_way.outputs, other.outputs, strict=True):
                assert one.value == two.value
                sizes = adjoints(graph, absolute, {slot: 1.0})
                for s, name in graph.inputs.items():
                    assert close(one.gradient[name], two.gradient[name], reordering(graph, sizes, s))


@quickly
@given(random.programs())
def test_sweeps_in_one_process_leave_nothing_behind(case: random.Case) -> None:
    expression = adcli.parse(case.text)
    at = {name: case.at[name] for name in expression.inputs}

    def bits(mode: str) -> list[object]:
        trace = expression.trace(at, mode)
        return [[(o.value.hex(), {n: s.hex() for n, s in o.gradient.items()}) for o in trace.outputs], repr(trace.rows)]

    ahead, back = bits("forward"), bits("reverse")
    assert ahead == bits("forward")
    assert back == bits("reverse")
    assert ahead == bits("forward")


@quickly
@given(random.programs(depth=2))
def test_sweeps_over_nodes_leave_nothing_behind(case: random.Case) -> None:
    this = swept(*case)
    nodes = built_from_nodes(this.graph, this.point, this.values)
    output = nodes[this.graph.outputs[-1][1]]
    known = connected(output)
    inputs = [slot for slot in this.graph.inputs if id(nodes[slot]) in known]

    def bits(sweep: Callable[[Node], None], node: Node) -> list[str]:
        sweep(node)
        return [float(n.partial_derivative).hex() for n in (*(nodes[slot] for slot in inputs), output)]

    for slot in inputs:
        first, back = bits(forward, nodes[slot]), bits(reverse, output)
        assert first == bits(forward, nodes[slot])
        assert back == bits(reverse, output)


# --- layout ----------------------------------------------------------------------------------------------------------


@quickly
@given(random.programs(), st.sampled_from(NUMBERINGS), st.booleans(), st.sampled_from((3, 0, 17)))
def test_every_program_is_laid_out_in_every_style(case: random.Case, numbering: str, cse: bool, places: int) -> None:
    digits = Digits(places)
    expression = adcli.parse(case.text)
    at = {name: case.at[name] for name in expression.inputs}
    for mode in MODES:
        trace = expression.trace(at, mode, numbering=numbering, cse=cse, digits=digits)
        for style in ("paper", "baydin", "wide"):
            tables = trace_tables.tables(trace, style, digits)
            drawn = "".join(plain.draw(table) for table in tables)
            missing = [row.label for row in trace.rows if row.label not in drawn and mode in ("value", "both")]
            assert [] == missing
            assert all(len(row) <= max(len(r) for r in table.rows) for table in tables for row in table.rows)
        for view in ("nodes", "order", "levels"):
            assert all(plain.draw(table) for table in show(trace, view, digits))
        assert plain.draw(trace_tables.outputs_table(trace, digits))
        assert len(sheet(lines(trace, 1)).splitlines()) == 1 + len(trace.rows)
        assert json_text(as_dict(trace)).startswith("{")
