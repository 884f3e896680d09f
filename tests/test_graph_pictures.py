"""Pictures of graphs: what is in them, that nothing lies on anything else, and that every format keeps text as text."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from drawn import examples
from expressions import Case, expressions, programs
from hypothesis import given
from hypothesis import strategies as st
from running import PAPER, run, terminal, width
from support import point_text, records

import adcli
from adcli.errors import RequestError, Source
from adcli.graph.as_nodes import as_nodes
from adcli.graph.node import topological_order_forward, topological_order_reverse
from adcli.language.problems import read_point
from adcli.language.program import read_program
from adcli.notation.number_text import Digits
from adcli.render.graphs import dot, mermaid, svg, text, tikz
from adcli.render.graphs.diagram import FOLD, Diagram, Edge, Vertex, of_program, of_trace
from adcli.render.graphs.drawing import Box, Drawing, Point, drawing
from adcli.render.graphs.folding import FEW, fold_diagram
from adcli.render.graphs.layers import assign_layers
from adcli.render.graphs.letters import Run, label_width, runs, shorten
from adcli.render.graphs.page_fitting import LayoutRequest, PageSize, lay_out, letter_size, parse_page
from adcli.trace.trace_model import Request
from adcli.trace.trace_program import trace

ROOT = Path(__file__).resolve().parent.parent
AT = {"x1": 2.0, "x2": 5.0}
SVG = "{http://www.w3.org/2000/svg}"
CHAINED = "sum(i,1,34,sin(i*x)*cos(y)^i)"  # 205 nodes


def written(source: str, slopes: bool = False, start: str | None = None) -> Diagram:
    return of_program(read_program(Source(source)), slopes=slopes, start=start)


def traced(source: str, at: Mapping[str, float], mode: str = "value", start: str | None = None) -> Diagram:
    wrt = (next(iter(at)),) if mode == "forward" else ()
    return of_trace(trace(read_program(Source(source), at), at, Request(mode, wrt)), Digits(), start)


def lines(diagram: Diagram) -> dict[str, tuple[str, ...]]:
    return {vertex.name: vertex.lines for vertex in diagram.vertices}


def slopes(diagram: Diagram) -> list[tuple[str, str, str]]:
    names = [vertex.name for vertex in diagram.vertices]
    return [(names[edge.source], names[edge.target], edge.label) for edge in diagram.edges]


PUBLISHED = [record for record in records("traces") if record["expr"]]
EXPRESSIONS = [PAPER, "x*x - x/x + x^x", "p = x*y; q = x/y; p; q; sin(p)*q", CHAINED, "x", "3", "x; x; 2*pi; y"]


# --- what is in a picture --------------------------------------------------------------------------------------------


def test_the_figure_of_the_paper_has_its_intermediate_results() -> None:
    assert {
        "x1": ("x1 = 2",), "x2": ("x2 = 5",), "v1": ("v1 = log x1", "= 0.693"), "v2": ("v2 = x1 × x2", "= 10"),
        "v3": ("v3 = sin x2", "= −0.959"), "v4": ("v4 = v1 + v2", "= 10.693"),
        "v5": ("y = v5 = v4 − v3", "= 11.652"),
    } == lines(traced(PAPER, AT))  # fmt: skip


def test_forward_mode_puts_dots_at_nodes_and_partials_on_edges() -> None:
    found = traced(PAPER, AT, "forward")
    assert ("v2 = x1 × x2", "= 10", "v̇2 = 5") == lines(found)["v2"]
    assert [
        ("x1", "v1", "0.5"), ("x1", "v2", "5"), ("x2", "v2", "2"), ("x2", "v3", "0.284"), ("v1", "v4", "1"),
        ("v2", "v4", "1"), ("v4", "v5", "1"), ("v3", "v5", "−1"),
    ] == slopes(found)  # fmt: skip


def test_reverse_mode_puts_bars_at_nodes() -> None:
    assert ("x2 = 5", "x̄2 = 1.716") == lines(traced(PAPER, AT, "reverse"))["x2"]


def test_without_a_point_the_partials_are_formulas() -> None:
    assert ("x2", "v3", "cos x2") in slopes(written(PAPER, slopes=True))
    assert ("x1", "v1", "1/x1") in slopes(written(PAPER, slopes=True))


def test_one_node_as_both_arguments_has_two_edges_each_with_its_own_partial() -> None:
    found = traced("x/x + x^x", {"x": 2.0}, "reverse")
    assert [("x", "v1", "0.5"), ("x", "v1", "−0.5"), ("x", "v2", "4"), ("x", "v2", "2.773")] == slopes(found)[:4]
    assert [0, 1, 0, 1] == [edge.position for edge in found.edges[:4]]


def test_constants_stand_in_formulas_and_are_no_nodes() -> None:
    assert {"x": ("x",), "v1": ("v1 = 2 × x",), "v2": ("y = v2 = v1 + π",)} == lines(written("2*x + pi"))


def test_several_outputs_are_named_even_where_they_are_inputs_or_numbers() -> None:
    found = traced("x; 2*pi; x*3", {"x": 1.0})
    assert {"x": ("y1 = x = 1",), "y2": ("y2 = 2 × π", "= 6.283"), "v1": ("y3 = v1 = x × 3", "= 3")} == lines(found)
    assert {"output"} == {vertex.kind for vertex in found.vertices}


def test_derivatives_by_several_inputs_are_told_apart() -> None:
    found = lines(of_trace(trace(read_program(Source("x*y")), {"x": 2, "y": 3}, Request("both")), Digits()))
    assert ("f = v1 = x × y", "= 6", "∂v1/∂x = 3", "∂v1/∂y = 2", "v̄1 = 1") == found["v1"]


@pytest.mark.parametrize("record", PUBLISHED, ids=lambda record: record["id"])
def test_a_sweep_reaches_what_the_tape_of_the_nodes_holds(record: dict[str, Any]) -> None:
    at = read_point(Source(point_text(record["inputs"])))
    found = trace(read_program(Source(record["expr"]), at), at, Request("value"))
    nodes = as_nodes(found.graph, found.values, [()] * len(found.graph), found.names)
    for slot, name in found.graph.inputs.items():
        reached = {vertex.name for vertex in of_trace(found, Digits(), name).vertices if vertex.reached}
        assert {node.name for node in topological_order_forward(nodes[slot])} == reached
    for output, (_, slot) in zip(found.outputs, found.graph.outputs, strict=True):
        reached = {vertex.name for vertex in of_trace(found, Digits(), output.shown).vertices if vertex.reached}
        visited = {node.name for node in topological_order_reverse(nodes[slot])}
        assert visited - {""} == reached


def test_an_edge_is_reached_where_both_its_ends_are() -> None:
    found = written(PAPER, start="x1")
    assert [("x1", "v1"), ("x1", "v2"), ("v1", "v4"), ("v2", "v4"), ("v4", "v5")] == [
        (found.vertices[edge.source].name, found.vertices[edge.target].name) for edge in found.edges if edge.reached
    ]


# --- where things stand ----------------------------------------------------------------------------------------------


def overlapping(boxes: list[Box]) -> list[tuple[str, str]]:
    return [
        (a.name, b.name)
        for k, a in enumerate(boxes)
        for b in boxes[:k]
        if abs(a.x - b.x) < (a.width + b.width) / 2 and abs(a.y - b.y) < (a.height + b.height) / 2
    ]


def check_places(diagram: Diagram) -> Drawing:
    """A drawing in which boxes lie apart and inside the picture, and edges go from box to box and through none."""
    found = drawing(diagram)
    assert [] == overlapping(found.boxes)
    for box in found.boxes:
        assert 0 < box.x - box.width / 2 and box.x + box.width / 2 < found.width
        assert 0 < box.y - box.height / 2 and box.y + box.height / 2 < found.height
        assert all(label_width(line, diagram.names, 15) < box.width for line in box.lines)
    for arc, edge in zip(found.arcs, diagram.edges, strict=True):
        source, target = found.boxes[edge.source], found.boxes[edge.target]
        (x, y), (right, down) = arc.points[0], arc.points[-1]
        assert (source.x + source.width / 2, source.y) == pytest.approx((x, y), abs=0.06)
        assert target.x - target.width / 2 == pytest.approx(right, abs=0.06)
        assert abs(down - target.y) < target.height / 2
        assert all(before[0] < after[0] for before, after in pairwise(arc.points))
        for (left, top), (end, bottom) in pairwise(arc.points):
            between = [
                box.name
                for box in found.boxes
                if box not in (source, target)
                and left < box.x < end
                and min(top, bottom) < box.y + box.height / 2
                and max(top, bottom) > box.y - box.height / 2
            ]
            assert [] == between
    return found


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_boxes_lie_apart_and_edges_join_them(source: str) -> None:
    check_places(written(source, slopes=True))


@examples(40)
@given(programs())
def test_boxes_lie_apart_whatever_is_drawn(case: Case) -> None:
    diagram = written(case.text, slopes=True)
    assert check_places(diagram) == drawing(diagram)


def test_inputs_stand_on_the_left_and_every_level_in_a_column_of_its_own() -> None:
    found = drawing(written(PAPER))
    columns: dict[int, set[float]] = {}
    for box in found.boxes:
        columns.setdefault(box.level, set()).add(box.x)
    assert {0: 1, 1: 1, 2: 1, 3: 1} == {level: len(xs) for level, xs in columns.items()}
    assert sorted(columns) == sorted(columns, key=lambda level: columns[level])


def test_labels_of_edges_into_one_node_do_not_lie_on_each_other() -> None:
    for source in EXPRESSIONS[:3]:
        arcs = drawing(written(source, slopes=True)).arcs
        for k, one in enumerate(arcs):
            for other in arcs[:k]:
                apart = (label_width(one.label, (), 12) + label_width(other.label, (), 12)) / 2
                assert abs(one.at[1] - other.at[1]) >= 12 or abs(one.at[0] - other.at[0]) >= apart


def test_labels_of_edges_leave_the_arrows_free() -> None:
    for source in EXPRESSIONS[:4]:
        for arc in drawing(written(source, slopes=True)).arcs:
            assert not arc.label or arc.at[0] + label_width(arc.label, (), 12) / 2 < arc.points[-1][0] - 6


def crossings(source: str) -> int:
    found = written(source)
    layers = assign_layers([v.level for v in found.vertices], [(e.source, e.target) for e in found.edges])
    place = {p: k for row in layers.rows for k, p in enumerate(row)}
    segments = sorted({(a, b) for path in layers.paths for a, b in pairwise(path)})
    return sum(
        (place[a] - place[c]) * (place[b] - place[d]) < 0
        for k, (a, b) in enumerate(segments)
        for c, d in segments[:k]
        if layers.level[a] == layers.level[c]
    )


@pytest.mark.parametrize("source", [PAPER, "x^2*y + sin(x)", "sin(x)*y + x", "a*b + c*d + a", "(a+b)*(c+d)"])
def test_a_graph_that_can_be_drawn_without_crossings_is(source: str) -> None:
    assert 0 == crossings(source)


@pytest.mark.slow
def test_two_thousand_nodes_are_placed_in_bounded_time() -> None:
    diagram = written("sum(i,1,660,x^i/i)")
    assert 1980 == len(diagram.vertices)
    before = time.process_time()
    assert [] == overlapping(drawing(diagram).boxes[:300])
    assert time.process_time() - before < 10


def test_what_nobody_could_read_is_not_drawn() -> None:
    with pytest.raises(RequestError, match="a picture of 3600 nodes is too large to read"):
        written("sum(i,1,1200,sin(i*x))")


# --- top-down, in rows, on a page -------------------------------------------------------------------------------------

BLACK_SCHOLES = (
    "d1 = (log(S/K) + (r + s^2/2)*T)/(s*sqrt(T)); d2 = d1 - s*sqrt(T); N1 = (1 + erf(d1/sqrt(2)))/2; "
    "N2 = (1 + erf(d2/sqrt(2)))/2; S*N1 - K*exp(-r*T)*N2"
)
CHAIN = "(" * 30 + "x" + ")^2".join(["+1"] * 30) + ")"
LARGE = [BLACK_SCHOLES, CHAIN, CHAINED, PAPER, "; ".join(f"sin(x{k})*x{k + 1}" for k in range(12)), "3", "x"]
WISHES = [
    LayoutRequest(), LayoutRequest("down"), LayoutRequest("", parse_page("A4")),
    LayoutRequest("right", parse_page("160x90mm")), LayoutRequest("down", parse_page("letter")),
]  # fmt: skip


def along(arc: tuple[Point, ...], down: bool) -> list[Point]:
    """Points on the way of an edge, close to each other."""
    found = [arc[0]]
    for (x, y), (right, bottom) in pairwise(arc):
        for k in range(1, 13):
            t = k / 12
            slow, fast = 3 * t**2 - 2 * t**3, 1.5 * t * (1 - t) + t**3  # a cubic with its handles half-way
            across, downward = (slow, fast) if down else (fast, slow)
            found.append((x + (right - x) * across, y + (bottom - y) * downward))
    return found


def check_ways(found: Drawing, diagram: Diagram) -> None:
    """Boxes lie apart and inside the picture; edges leave and enter the right ones and go through no other."""
    assert [] == overlapping(found.boxes)
    for box in found.boxes:
        assert 0 < box.x - box.width / 2 and box.x + box.width / 2 < found.width
        assert 0 < box.y - box.height / 2 and box.y + box.height / 2 < found.height
        assert all(label_width(line, diagram.names, 15) < box.width for line in box.lines)
    for arc, edge in zip(found.arcs, diagram.edges, strict=True):
        source, target = found.boxes[edge.source], found.boxes[edge.target]
        first, last = arc.points[0], arc.points[-1]
        if found.down:
            assert (source.x, source.y + source.height / 2) == pytest.approx(first, abs=0.06)
            assert target.y - target.height / 2 == pytest.approx(last[1], abs=0.06)
            assert abs(last[0] - target.x) < target.width / 2
        else:
            assert (source.x + source.width / 2, source.y) == pytest.approx(first, abs=0.06)
            assert target.x - target.width / 2 == pytest.approx(last[0], abs=0.06)
            assert abs(last[1] - target.y) < target.height / 2
        for x, y in along(arc.points, found.down):
            assert 0 < x < found.width and 0 < y < found.height
            for box in found.boxes:
                if box not in (source, target):
                    assert abs(x - box.x) > box.width / 2 - 0.1 or abs(y - box.y) > box.height / 2 - 0.1, arc.name


@pytest.mark.parametrize("wish", WISHES, ids=str)
@pytest.mark.parametrize("source", LARGE)
def test_in_every_layout_boxes_lie_apart_and_edges_go_through_none(source: str, wish: LayoutRequest) -> None:
    diagram = fold_diagram(written(source, slopes=len(source) < 400))
    check_ways(lay_out(diagram, wish), diagram)


@examples(8)
@given(programs())
def test_in_every_layout_edges_go_through_no_box_whatever_is_drawn(case: Case) -> None:
    diagram = written(case.text)
    for wish in (LayoutRequest("down"), LayoutRequest("", parse_page("120x160"))):
        check_ways(lay_out(diagram, wish), diagram)


def test_top_down_puts_every_level_under_the_one_before() -> None:
    found = lay_out(written(BLACK_SCHOLES), LayoutRequest("down"))
    assert found.down and found.height > found.width
    ends: dict[int, tuple[float, float]] = {}
    for box in found.boxes:
        top, bottom = ends.get(box.level, (box.y, box.y))
        ends[box.level] = min(top, box.y - box.height / 2), max(bottom, box.y + box.height / 2)
    assert all(ends[level][1] < ends[level + 1][0] for level in range(len(ends) - 1))


@pytest.mark.parametrize("source", [BLACK_SCHOLES, CHAIN])
def test_what_is_too_wide_goes_on_in_a_second_row(source: str) -> None:
    diagram = written(source)
    assert drawing(diagram).width > 1800 > lay_out(diagram).width
    assert lay_out(written(PAPER)) == drawing(written(PAPER))


@pytest.mark.parametrize(
    ("text_given", "page"),
    [
        ("A4", PageSize(210, 297, True)), ("a4", PageSize(210, 297, True)), ("Letter", PageSize(215.9, 279.4, True)),
        ("160x90mm", PageSize(160, 90, False)), ("297x210", PageSize(297, 210, False)),
        ("10 x 5.5 cm", PageSize(100, 55, False)),
        ("8x4in", PageSize(203.2, 101.6, False)), ("16×9cm", PageSize(160, 90, False)),
    ],
)  # fmt: skip
def test_a_page_has_a_name_or_a_size(text_given: str, page: PageSize) -> None:
    assert page == parse_page(text_given)


@pytest.mark.parametrize("source", LARGE)
@pytest.mark.parametrize("page", ["A4", "letter", "160x90mm"])
def test_a_picture_that_fits_a_page_has_its_size(source: str, page: str) -> None:
    found = lay_out(fold_diagram(written(source)), LayoutRequest("", parse_page(page)))
    root = ET.fromstring(svg.draw(found))  # noqa: S314
    sides = [root.get("width"), root.get("height")]
    wanted = parse_page(page)
    assert sorted(f"{side:g}mm" for side in wanted[:2]) == sorted(str(side) for side in sides)
    left, top, width, height = (float(number) for number in str(root.get("viewBox")).split())
    assert left <= 0.05 and top <= 0.05
    assert left + width >= found.width - 0.1 and top + height >= found.height - 0.1
    shape = float(str(sides[0]).removesuffix("mm")) / float(str(sides[1]).removesuffix("mm"))
    assert shape == pytest.approx(width / height, rel=1e-3)


RECURRENT = "".join(f"h{k} = tanh(w*x{k} + u*h{k - 1} + b); " for k in range(1, 41)) + "h40"
LAYERS = (
    "".join(f"h{k} = tanh({'+'.join(f'w{k}_{j}*x{j}' for j in range(1, 8))}); " for k in range(1, 9))
    + "+".join(f"v{k}*h{k}" for k in range(1, 9))
)  # fmt: skip


@pytest.mark.parametrize("source", [CHAINED, RECURRENT, LAYERS])
def test_two_hundred_nodes_can_be_read_on_a_page(source: str) -> None:
    diagram = written(source)
    assert 190 < len(diagram.vertices) < 260
    assert letter_size(lay_out(fold_diagram(diagram), LayoutRequest("", parse_page("A4")))) > 6  # points


# --- folds -----------------------------------------------------------------------------------------------------------


def check_folds(diagram: Diagram) -> Diagram:
    """What is shown and what is folded are the graph; edges go forward, and join what they joined before."""
    found = fold_diagram(diagram)
    marks = [vertex for vertex in found.vertices if vertex.kind == FOLD]
    own = [vertex.name for vertex in found.vertices if vertex.kind != FOLD]
    inside = [name for fold in found.folds for name in fold.names]
    assert sorted(vertex.name for vertex in diagram.vertices) == sorted([*own, *inside])
    assert (len(diagram.vertices), len(diagram.edges)) == found.whole
    assert {place for place, vertex in enumerate(found.vertices) if vertex in marks} <= {f.place for f in found.folds}
    at = {vertex.name: k for k, vertex in enumerate(found.vertices)}
    at |= {name: fold.place for fold in found.folds for name in fold.names}
    between: dict[tuple[int, int], int] = {}
    for edge in diagram.edges:
        ends = at[diagram.vertices[edge.source].name], at[diagram.vertices[edge.target].name]
        between[ends] = between.get(ends, 0) + 1
    shown: dict[tuple[int, int], int] = {}
    for edge in found.edges:
        assert edge.source < edge.target
        assert found.vertices[edge.source].level < found.vertices[edge.target].level
        shown[edge.source, edge.target] = shown.get((edge.source, edge.target), 0) + edge.many
        assert (f"{edge.many} edges" == edge.label) == (edge.many > 1)
    assert {ends: count for ends, count in between.items() if ends[0] != ends[1]} == shown
    for fold in found.folds:
        assert between.get((fold.place, fold.place), 0) == fold.edges
        text_of = " ".join(found.vertices[fold.place].lines)
        assert fold.names[0] in text_of or diagram.vertices[0].label in text_of or "…" in text_of
        assert str(len(fold.names)) in text_of or len(fold.names) < 3 or FOLD == found.vertices[fold.place].kind
    return found


REPEATING = [
    CHAINED, RECURRENT, LAYERS, "prod(i,1,30,x+i)", "+".join(f"x{k}" for k in range(60)),
    "+".join(f"x{k}*sin(x{k - 1})" for k in range(2, 60)), "(" * 30 + "a" + "".join(f"*x+a{k})" for k in range(30)),
    "".join(f"x{k} = x{k - 1} - (x{k - 1}^2 - a)/(2*x{k - 1}); " for k in range(1, 15)) + "x14",
    "".join(f"n{k} = g*(x{k} - m)/d; " for k in range(1, 20)) + "; ".join(f"n{k}" for k in range(1, 20)),
    "".join(f"h{k} = tanh(w*x{k} + u*h{k - 1}); " for k in range(1, 20)) + "; ".join(f"h{k}" for k in range(1, 20)),
    "a - b - sin(a) - sin(b) - 7 - a*b - a^2 - b^2 + " + " * ".join(f"(x{k} + 1)" for k in range(20)),
    "sum(i,1,30,sum(j,1,7,sin(i*x)^j))", "x" + "+x" * 50,
]  # fmt: skip


@pytest.mark.parametrize("source", REPEATING)
@pytest.mark.parametrize("slopes_too", [False, True])
def test_what_is_shown_and_what_is_folded_are_the_graph(source: str, slopes_too: bool) -> None:
    found = check_folds(written(source, slopes=slopes_too))
    assert len(found.vertices) <= FEW
    assert f"folded: {found.folded[0]} of {found.whole[0]} nodes" in found.captions[-1]


@examples(60)
@given(expressions(("x", "y")), expressions(("x", "y")), st.sampled_from([" + ", "*", " - "]))
def test_no_node_and_no_edge_is_lost_whatever_is_folded(one: str, other: str, sign: str) -> None:
    """Copies of drawn expressions side by side, and each on the result of the one before."""
    check_folds(written(sign.join([*[f"({one})"] * 7, *[f"({other})"] * 6])))
    rounds = [re.sub(r"\bx\b", f"r{k}", one if k < 8 else other) for k in range(16)]
    check_folds(written("r0 = x^2; " + "; ".join(f"r{k + 1} = {text}" for k, text in enumerate(rounds)) + "; r16; r3"))


def test_a_mark_says_how_many_it_stands_for_and_which() -> None:
    found = fold_diagram(written(CHAINED))
    assert ("… 32 more like v137", "160 nodes, v3 … v169") in [vertex.lines for vertex in found.vertices]
    assert ("f = v203 = v137 + v138 + … + v170", "(32 intermediate sums: v171 … v202)") == found.vertices[-1].lines
    assert ("folded: 192 of 205 nodes, 256 of 270 edges",) == found.captions


def test_rounds_of_a_loop_are_like_the_result_of_the_first() -> None:
    marks = [vertex for vertex in fold_diagram(written(RECURRENT)).vertices if vertex.kind == FOLD]
    assert [("… 36 more like h2", "216 nodes, x3 … h38")] == [mark.lines for mark in marks]


def test_partials_of_a_sum_stay_at_its_terms_and_marks_have_none() -> None:
    found = fold_diagram(written("+".join(f"sin(x{k})" for k in range(30)) + "-cos(x)", slopes=True))
    coming = {found.vertices[e.source].lines[0]: e.label for e in found.edges if e.target == len(found.vertices) - 1}
    assert {"v1 = sin x0": "1", "v30 = sin x29": "1", "… 28 more like v1": "28 edges", "v31 = cos x": "−1"} == coming


def test_a_small_graph_and_one_without_repetition_stay_as_they_are() -> None:
    kinds = [bin(k).count("1") % 2 for k in range(60)]  # Thue and Morse: no stretch of it comes three times in a row
    uneven = "".join("sin(" if kind else "exp(" for kind in kinds) + "x" + ")" * len(kinds)
    for source in (PAPER, BLACK_SCHOLES, uneven):
        assert fold_diagram(written(source)) == written(source)
    assert len(written(uneven).vertices) > FEW


def test_what_a_name_stands_for_is_not_hidden_in_a_sum() -> None:
    found = fold_diagram(written("a = " + "+".join(f"x{k}" for k in range(30)) + "; a + y + 2*a; a"))
    assert "a" in {vertex.label for vertex in found.vertices}


def test_two_thousand_nodes_are_folded_at_once() -> None:
    before = time.process_time()
    assert 20 > len(check_folds(written("sum(i,1,660,x^i/i)")).vertices)
    assert time.process_time() - before < 5


@pytest.mark.parametrize("form", ["svg", "dot", "mermaid", "latex"])
def test_all_shows_all(form: str) -> None:
    short, told = run("graph", CHAINED, "--format", form), run("graph", CHAINED, "--all", "--format", form)
    assert "v100" not in short.out.replace("_", "").replace("{", "").replace("}", "")
    assert "note: 192 of 205 nodes are folded; --all shows them\n" == short.err
    assert "" == told.err
    assert "160 nodes" not in told.out and len(told.out) > 3 * len(short.out)


def test_pages_and_directions_are_those_of_graphviz_and_mermaid_too() -> None:
    drawn = run("graph", PAPER, "--direction", "down", "--fit", "A4", "--format", "dot", "-q").out
    assert "rankdir=TB" in drawn and 'size="8.27,11.69"' in drawn
    assert 'size="11.69,8.27"' in run("graph", PAPER, "--fit", "A4", "--format", "dot", "-q").out
    assert run("graph", PAPER, "--direction", "TB", "--format", "mermaid", "-q").out.startswith("flowchart TB\n")
    scaled = run("graph", BLACK_SCHOLES, "--fit", "80x60mm", "--format", "latex")
    assert "scale=0.251, transform shape" in scaled.out
    assert "note: letters are " in scaled.err and " points high on this page; try --fit A3\n" in scaled.err


def test_in_python_graphs_are_folded_and_fit_a_page_too() -> None:
    graph = adcli.parse(CHAINED).graph
    assert "160 nodes" in str(graph()) and "160 nodes" not in str(graph(unfolded=True))
    assert 'width="160mm"' in str(graph({"x": 1, "y": 2}, fit="160x90", direction="right").to("svg"))
    with pytest.raises(RequestError, match="not a direction"):
        graph(direction="sideways")


def test_many_tangents_are_shown_when_they_are_asked_for() -> None:
    few = run("graph", "a*b*c*d", "--at", "a=1,b=2,c=3,d=4", "--mode", "both", "--format", "dot")
    assert "note: tangents with respect to a, b, c are shown; --wrt chooses others, --all shows all\n" == few.err
    assert "∂v1/∂c" in few.out and "∂v1/∂d" not in few.out
    for option in (["--all"], ["--wrt", "a,b,c,d"]):
        assert "∂v1/∂d" in run(
            "graph", "a*b*c*d", "--at", "a=1,b=2,c=3,d=4", "--mode", "both", "--format", "dot", *option
        ).out  # fmt: skip


# --- letters ---------------------------------------------------------------------------------------------------------


def test_digits_of_names_are_subscripts_and_digits_of_functions_are_not() -> None:
    names = {"v12", "x1", "x"}
    assert [Run("v̇"), Run("12", -1), Run(" = log2 x")] == runs("v̇12 = log2 x1", names)[:3]
    assert [Run("∂v"), Run("12", -1), Run("/∂x"), Run("1", -1)] == runs("∂v12/∂x1", names)
    assert [Run("é̄"), Run("1", -1)] == runs("é̄1", {"é1"})
    assert [Run("ẋ")] == runs("ẋ", names)
    under = [Run("x", roots=1), Run("1", -1, roots=1)]
    assert [Run("σ"), Run("2", 1), Run(" × √"), *under] == runs("sigma^2 × sqrt x1", {"sigma", "x1"})
    nested = [Run("√", nested=1), Run("1 + √", roots=1), Run("x", roots=2), Run("1", -1, roots=2), Run("/2")]
    assert nested == runs("sqrt(1 + sqrt(x1))/2", {"x1"})
    assert [Run("width", barred=True), Run(" = √(1 + x"), Run("−2", 1)] == runs(
        "w̄idth = sqrt(1 + x^(−2)", {"width", "x"}
    )


def test_a_bar_is_over_what_is_under_a_root() -> None:
    drawn = svg.draw(drawing(written("sqrt(x1)")))
    label = re.search(
        r'<text x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)">.*?</text><path class="root"([^>]*)/>', drawn
    )
    assert label is not None
    middle, line, width = map(float, label.groups()[:3])
    left, top, right = map(float, re.findall(r"[\d.]+", label[4]))
    assert middle - width / 2 < left < right
    assert abs(middle + width / 2 - right) < 0.2 and line - 15 < top < line - 10


def test_accents_have_no_width_and_subscripts_are_narrower() -> None:
    assert label_width("v", (), 15) == label_width("v̇", (), 15)
    assert label_width("x1", {"x1"}, 15) < label_width("x1", (), 15)


def test_a_long_text_is_cut_in_the_middle_and_a_short_one_is_not() -> None:
    assert "x" * 40 == shorten("x" * 40, 40)
    assert len(shorten("v1 = " + "abc + " * 20, 40)) <= 40
    assert re.fullmatch(r"v1 = .*….*c", shorten("v1 = " + "abc + " * 20 + "c", 40))


# --- SVG -------------------------------------------------------------------------------------------------------------


def parsed(diagram: Diagram) -> ET.Element:
    return ET.fromstring(svg.draw(drawing(diagram)))  # noqa: S314 - our own document


def test_an_svg_has_a_group_for_every_node_and_every_edge() -> None:
    root = parsed(traced("x*x", {"x": 3.0}, "reverse"))
    assert ["x", "v1"] == [group.get("data-node") for group in root.iter(f"{SVG}g") if group.get("data-node")]
    assert ["x v1 0", "x v1 1"] == [group.get("data-edge") for group in root.iter(f"{SVG}g") if group.get("data-edge")]


def test_the_text_of_an_svg_is_text_with_accents_and_subscripts() -> None:
    root = parsed(traced(PAPER, AT, "forward"))
    texts = ["".join(found.itertext()) for found in root.iter(f"{SVG}text")]
    assert {"v2 = x1 × x2", "v̇2 = 5", "y = v5 = v4 − v3", "0.284"} <= set(texts)
    low = [span.text for span in root.iter(f"{SVG}tspan") if span.get("font-size")]
    assert "2" in low and all(found is not None and found.isdigit() for found in low)


def test_an_svg_needs_nothing_else_and_tells_what_it_shows() -> None:
    written_svg = svg.draw(drawing(traced(PAPER, AT)))
    root = ET.fromstring(written_svg)  # noqa: S314
    assert "Computational graph of log(x1)+x1*x2-sin(x2)" in (root.findtext(f"{SVG}title") or "")
    assert "v2 = x1 × x2 = 10" in (root.findtext(f"{SVG}desc") or "")
    assert "prefers-color-scheme: dark" in (root.findtext(f"{SVG}style") or "")
    assert not re.search(r"href|url\(|@import|<script|https?://(?!www\.w3\.org/2000/svg)", written_svg)


def test_a_formula_that_is_cut_is_whole_in_the_title() -> None:
    source = " + ".join(f"a_rather_long_name_{k}" for k in range(2))
    root = parsed(written(source))
    title = next(g.findtext(f"{SVG}title") for g in root.iter(f"{SVG}g") if g.get("data-node") == "v1")
    assert title is not None and "a_rather_long_name_0 + a_rather_long_name_1" in title
    assert any("…" in "".join(found.itertext()) for found in root.iter(f"{SVG}text"))


def test_what_a_sweep_reaches_has_a_class_and_the_caption_says_so() -> None:
    root = parsed(written(PAPER, start="x1"))
    reached = [g.get("data-node") for g in root.iter(f"{SVG}g") if "reached" in (g.get("class") or "").split()]
    assert ["x1", "v1", "v2", "v4", "v5"] == [name for name in reached if name]
    assert "shaded: what the forward sweep from x1 visits" in "".join(root.itertext())


# --- hostile text ----------------------------------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>", '"]]> --> end', "`x` {a} %%{init}%%", "\\input{/etc/passwd}", "[red] ;'q' &amp; #35;",
    "$x$ a|b ~^_ % \\N \\\\", "two\nlines\tand \x1b[31m red", "‮reversed", "é数θ",
]  # fmt: skip


def hostile(text: str) -> Diagram:
    vertices = [
        Vertex("v1", "v1", 0, (text, f"= {text}"), "input", True),
        Vertex("v2", "v2", 1, ("v2 = f",), "output", True),
    ]
    edges = [Edge(0, 1, 0, text[:14], True), Edge(0, 1, 1, "1", False)]
    return Diagram(text, vertices, edges, frozenset({"v1", "v2"}), text)


def shown(text: str) -> str:
    """The text as people see it: what could steer or hide something is replaced."""
    return "".join(c if c.isprintable() else " " if c in "\n\t" else "\ufffd" for c in text)


@pytest.mark.parametrize("text_given", HOSTILE)
def test_hostile_text_is_text_in_svg(text_given: str) -> None:
    root = parsed(hostile(text_given))
    texts = ["".join(found.itertext()) for found in root.iter(f"{SVG}text")]
    assert shown(text_given) in texts
    assert {"svg", "title", "desc", "style", "rect", "g", "path", "text", "tspan"} >= {
        found.tag.removeprefix(SVG) for found in root.iter()
    }


@pytest.mark.parametrize("text_given", HOSTILE)
def test_hostile_text_is_one_quoted_string_in_dot(text_given: str) -> None:
    for line in dot.draw(hostile(text_given)).splitlines():
        outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        assert re.fullmatch(r"[\w \[\]=,.;{}>-]*", outside), line
    labels = re.findall(r'label="((?:[^"\\]|\\.)*)"', dot.draw(hostile(text_given)))
    plain = labels[0].replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\").replace("&amp;", "&")
    assert shown(text_given) == plain


@pytest.mark.parametrize("text_given", HOSTILE)
def test_hostile_text_is_spelt_out_in_mermaid(text_given: str) -> None:
    drawn = mermaid.draw(hostile(text_given))
    labels = re.findall(r'\["([^"]*)"\]', drawn)
    assert len(labels) == 2
    first = labels[0].partition("<br/>")[0]
    assert not re.search(r"[<>\[\]{}|`\\$%&()]", first)
    assert shown(text_given) == re.sub(r"#(\d+);", lambda match: chr(int(match.group(1))), first)
    assert 3 + 2 + 2 + 4 + 1 == len(drawn.splitlines())


@pytest.mark.parametrize("text_given", HOSTILE)
def test_hostile_text_gives_no_command_to_tex(text_given: str) -> None:
    body = tikz.draw(drawing(hostile(text_given))).partition("\\begin{document}")[2]
    known = {
        "begin", "end", "node", "draw", "scriptsize", "textbackslash", "textasciicircum", "textasciitilde", "times",
        "ldots", "texttt", "theta",
    }  # fmt: skip
    assert set(re.findall(r"\\([a-zA-Z]+)", body)) <= known
    assert "\\input" not in body


@pytest.mark.parametrize("ascii_only", [False, True])
def test_hostile_text_steers_no_terminal(ascii_only: bool) -> None:
    for text_given in HOSTILE:
        drawn = text.draw(hostile(text_given), 300, ascii_only)
        assert drawn is not None
        assert all(c.isprintable() or c == "\n" or unicodedata.combining(c) for c in drawn)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_what_is_written_for_it() -> None:
    for diagram in (
        hostile(" ".join(HOSTILE)),
        traced(PAPER, AT, "both", "x1"),
        written(CHAINED),
        fold_diagram(written(CHAINED)),
    ):
        drawn = subprocess.run(
            ["dot", "-Tsvg"], input=dot.draw(diagram).encode(), capture_output=True, timeout=60, check=True
        )
        root = ET.fromstring(drawn.stdout)  # noqa: S314
        texts = {"".join(found.itertext()) for found in root.iter(f"{SVG}text")}
        wanted = {shown(line) for vertex in diagram.vertices for line in vertex.lines}
        assert wanted <= {found.replace("\xa0", " ") for found in texts}
        assert b"" == drawn.stderr


WRITTEN = [
    traced(PAPER, AT, "forward", "x1"),
    traced("λ1*θ + é_x^2*a_b1'", {"λ1": 1, "θ": 2, "é_x": 3, "a_b1'": 4}, "reverse"),
    written("if(x <= 1 and not x != y, |x|, -y^2)"), written("; ".join(EXPRESSIONS[:3]), slopes=True),
    fold_diagram(written(CHAINED)),
]  # fmt: skip


def tex_has(name: str) -> bool:
    if shutil.which("kpsewhich") is None or shutil.which("pdflatex") is None:
        return False
    return subprocess.run(["kpsewhich", name], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not (tex_has("standalone.cls") and tex_has("tikz.sty")), reason="no TeX with TikZ is installed")
def test_the_tikz_documents_compile(tmp_path: Path) -> None:
    pictures = [tikz.draw(drawing(d)) for d in (*map(hostile, HOSTILE), *WRITTEN)]
    pictures += [tikz.draw(lay_out(WRITTEN[-1], LayoutRequest(way, parse_page("A6")))) for way in ("right", "down")]
    body = [picture.partition("\\begin{document}\n")[2].partition("\\end{document}")[0] for picture in pictures]
    head = pictures[0].partition("\\begin{document}\n")[0]
    (tmp_path / "a.tex").write_text(f"{head}\\begin{{document}}\n{''.join(body)}\\end{{document}}\n", encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "a.tex"],
        cwd=tmp_path, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stdout.decode("utf-8", "replace")[-2000:]
    assert f"({len(pictures)} pages".encode() in done.stdout


# --- characters ------------------------------------------------------------------------------------------------------


def test_a_drawing_in_characters_joins_the_nodes_of_the_paper() -> None:
    assert (
        "     ┌─→[v1 = log x1]────┐\n"
        "[x1]─┤                   │\n"
        "     └─→[v2 = x1 × x2]─┐ └─→[v4 = v1 + v2]─┐\n"
        "     ┌─→[            ] └───→[            ] │\n"
        "[x2]─┤                                     └─→[y = v5 = v4 − v3]\n"
        "     └─→[v3 = sin x2]────────────────────────→[                ]\n"
    ) == text.draw(written(PAPER), 80)


def test_the_same_in_ascii() -> None:
    drawn = text.draw(traced(PAPER, AT, "reverse"), 90, ascii_only=True)
    assert drawn is not None and drawn.isascii()
    assert "-->" not in drawn
    assert "+---0.5->[v1 = log x1]" in drawn
    assert "[x1bar = 5.5]" in drawn


def followed(drawn: str) -> set[tuple[str, str]]:
    """The edges that a reader finds who follows every line from node to node; nodes are known by their first line."""
    rows = drawn.splitlines()
    cells = {(r, c): sign for r, line in enumerate(rows) for c, sign in enumerate(line)}
    boxes = [
        (r, m.start(), m.end() - 1, m.group()) for r, line in enumerate(rows) for m in re.finditer(r"\[[^\]]+\]", line)
    ]
    tops: dict[tuple[int, int], str] = {}
    for r, start, end, label in boxes:
        above = tops.get((r - 1, start)) if cells.get((r - 1, end)) == "]" else None
        continued = above is not None and (label.strip("[] ") == "" or label[1:2] == "=")
        tops[r, start] = above if continued and above is not None else label.strip("[] ")
    ways = {"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "udr", "┤": "udl", "┬": "lrd",
            "┴": "lru", "┼": "lrud"}  # fmt: skip
    steps = {"l": (0, -1), "r": (0, 1), "u": (-1, 0), "d": (1, 0)}
    back = {"l": "r", "r": "l", "u": "d", "d": "u"}
    found = set()
    for r, start, end, _ in boxes:
        if cells.get((r, end + 1)) not in ("─", "┬", "┴", "┼", "┤", "┐", "┘", "→"):
            continue
        waiting, seen = [((r, end + 1), "r")], set()
        while waiting:
            (row, column), going = waiting.pop()
            if ((row, column), going) in seen:
                continue
            seen.add(((row, column), going))
            sign = cells.get((row, column), " ")
            if sign == "→":
                found.add((tops[r, start], tops[row, column + 1]))
                continue
            here = ways[sign]
            if back[going] not in here:  # a line that goes up or down lies above this one
                assert sign == "│", (sign, row, column)
                here = going + back[going]
            for way in here:
                if way != back[going]:
                    down, across = steps[way]
                    waiting.append(((row + down, column + across), way))
    return found


def expected_edges(diagram: Diagram) -> set[tuple[str, str]]:
    first = [vertex.lines[0] for vertex in diagram.vertices]
    return {(first[edge.source], first[edge.target]) for edge in diagram.edges}


SMALL = [
    PAPER, "x^2*y + sin(x)", "a*d; c*b; (a*d)*(c*b); b-a; d-c", "f=b*b; g=a*a; f*g; g-f; b-a", "a*x^2+(b*x+c)",
    "sin(x)*cos(y) + x*y/(x+y)", "(a+b)*(c+d)*(a-c)*(b-d)+a*d",
]  # fmt: skip


@pytest.mark.parametrize("source", SMALL)
def test_whoever_follows_the_lines_finds_the_edges(source: str) -> None:
    diagram = written(source)
    drawn = text.draw(diagram, 400)
    assert drawn is not None
    assert expected_edges(diagram) == followed(drawn)


@examples(60)
@given(programs())
def test_whoever_follows_the_lines_finds_the_edges_of_any_program(case: Case) -> None:
    diagram = written(case.text)
    if not re.search(r"[\[\]…│─]", "".join(line for vertex in diagram.vertices for line in vertex.lines)):
        drawn = text.draw(diagram, 1000)
        assert drawn is None or expected_edges(diagram) == followed(drawn)


def test_what_is_too_wide_is_listed_by_level() -> None:
    diagram = traced(PAPER, AT, "forward")
    assert text.draw(diagram, 60) is None
    assert text.draw(written(CHAINED), 1000) is None
    table = text.node_table(diagram)
    assert ("1", "v2 = x1 × x2 = 10, v̇2 = 5", "x1 (5), x2 (2)") == table.rows[3]
    assert (2, 5, 6) == table.rules
    printed = run("graph", PAPER, "--at", "x1=2,x2=5", "--width", "60")
    assert ["level", "node", "from"] == printed.out.split()[:3]


@pytest.mark.parametrize("columns", [80, 140])
def test_a_drawing_on_a_terminal_is_no_wider_than_it(columns: int) -> None:
    found = terminal("graph", PAPER, "--at", "x1=2,x2=5", "--mode", "both", "-q", "--color", "never", columns=columns)
    assert 0 == found.code
    assert columns >= max(width(line) for line in found.out.splitlines())


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suffix", "start"),
    [
        (".svg", b"<svg"), (".png", b"\x89PNG"), (".dot", b"digraph"), (".gv", b"digraph"), (".mmd", b"flowchart LR"),
        (".tex", b"\\documentclass[tikz"), (".txt", b"     "),
    ],
)  # fmt: skip
def test_the_suffix_picks_the_format(suffix: str, start: bytes, tmp_path: Path) -> None:
    file = tmp_path / f"graph{suffix}"
    assert (0, "", "") == run("graph", PAPER, "-q", "-o", str(file))
    assert file.read_bytes().startswith(start)
    again = tmp_path / f"again{suffix}"
    run("graph", PAPER, "-q", "-o", str(again))
    assert file.read_bytes() == again.read_bytes()


def test_several_problems_are_drawn_one_below_the_other() -> None:
    found = run("graph", "--file", "-", stdin="a: x*y\nb: x^2 @ x=3\n")
    assert 0 == found.code
    assert ["a: x*y", "b: x^2   at x = 3"] == [line for line in found.out.splitlines() if ":" in line]


def test_a_domain_error_is_the_one_of_eval_and_draws_nothing() -> None:
    drawn, evaluated = run("graph", "log(x)", "--at", "x=-1"), run("eval", "log(x)", "--at", "x=-1")
    assert (3, "") == (drawn.code, drawn.out)
    assert evaluated.err == drawn.err


# --- the figures of the manual ---------------------------------------------------------------------------------------

PAGE = (ROOT / "adcli" / "manual" / "pictures.md").read_text(encoding="utf-8")
FIGURES = {file: command for command, file in re.findall(r"`adcli ([^`]*) -o (adcli/manual/figures/[^`]+)`", PAGE)}


def test_every_figure_is_shown_with_the_command_that_made_it() -> None:
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "adcli" / "manual" / "figures").iterdir()} == set(
        FIGURES
    )
    for file in FIGURES:
        assert re.search(rf"!\[[^\]]+\]\(figures/{re.escape(Path(file).name)}\)", PAGE), file


@pytest.mark.parametrize("file", [file for file in FIGURES if FIGURES[file].startswith("graph")])
def test_a_figure_is_what_its_command_makes_now(file: str, tmp_path: Path) -> None:
    import shlex

    new = tmp_path / Path(file).name
    assert 0 == run(*shlex.split(FIGURES[file]), "-o", str(new)).code
    assert (ROOT / file).read_text(encoding="utf-8") == new.read_text(encoding="utf-8")
