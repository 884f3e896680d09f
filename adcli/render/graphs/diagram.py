"""Diagram: the content of a picture of a graph without positions: nodes with lines of text, edges with labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from ...errors import RequestError
from ...graph.graph import Graph
from ...graph.order import arrange, forward_search, heights, reverse_search, share_subexpressions
from ...language.program import Program
from ...notation.formula import TABLE, render
from ...notation.number_text import Digits
from ...notation.table_formulas import write_adjoint, write_partial, write_tangent
from ...records import NamedTuple, grouped
from ...table.primitive import SUM, Template
from ...table.suggest import did_you_mean
from ...trace.explained_sweeps import FORWARD, REVERSE, ExplainedSweep
from ...trace.labels import node_labels, node_names, shown_name
from ...trace.row_formulas import Working
from ...trace.trace_model import Trace
from ..trace_tables import heading, number, value_text

MOST_NODES = 2000
FOLD = "fold"


class Vertex(NamedTuple):
    """A node of a picture.

    name      its name (v3); `label` is displayed
    level     its height above the inputs
    lines     its lines of text, the formula first
    kind      input, operation or output, or FOLD for a node that represents others
    reached   whether the highlighted sweep visits it
    operator  the name of its function; `is_sum` whether that adds or subtracts
    """

    name: str
    label: str
    level: int
    lines: tuple[str, ...]
    kind: str
    reached: bool = False
    operator: str = ""
    is_sum: bool = False


class Edge(NamedTuple):
    """An edge from a parent (`source`) to a child (`target`), indices in the list of vertices.

    position  that of the argument
    label     the partial derivative, or empty
    reached   whether the highlighted sweep uses it
    many      the number of edges that it represents; more than 1 only at a node of kind FOLD
    """

    source: int
    target: int
    position: int
    label: str
    reached: bool = False
    many: int = 1


class Fold(NamedTuple):
    """A node that represents others: its index, the names of these nodes, and the number of edges among all of them."""

    place: int
    names: tuple[str, ...]
    edges: int


class Diagram(NamedTuple):
    """A graph as it is displayed.

    names    all names whose digits become subscripts
    caption  what is shaded, in words; empty if nothing is
    folds    the nodes that represent others
    """

    title: str
    vertices: list[Vertex]
    edges: list[Edge]
    names: frozenset[str]
    caption: str = ""
    folds: tuple[Fold, ...] = ()

    @property
    def whole(self) -> tuple[int, int]:
        """Return (number of nodes, number of edges) of the graph, including the folded ones."""
        marks = sum(vertex.kind == FOLD for vertex in self.vertices)
        nodes = len(self.vertices) - marks + sum(len(fold.names) for fold in self.folds)
        return nodes, sum(edge.many for edge in self.edges) + sum(fold.edges for fold in self.folds)

    @property
    def folded(self) -> tuple[int, int]:
        """Return (number of nodes, number of edges) that are not shown individually: nodes that a FOLD node represents,
        and edges that are inside it or drawn together as one edge (`many`).
        """
        visible_edges = sum(edge.many == 1 for edge in self.edges)
        return sum(len(fold.names) for fold in self.folds), self.whole[1] - visible_edges

    @property
    def captions(self) -> tuple[str, ...]:
        """Return the lines below the picture that are not empty: the caption, and how much is folded."""
        (nodes, edges), folded = self.whole, self.folded
        sentence = f"folded: {folded[0]} of {nodes} nodes, {folded[1]} of {edges} edges" if self.folds else ""
        return tuple(text for text in (self.caption, sentence) if text)


def in_words(lines: Sequence[str]) -> str:
    """Return the lines of a node as one, separated by commas, but without a comma before `=`: `v2 = x1 × x2 = 10, v̄2 =
    1`.
    """
    return ", ".join(lines).replace(", =", " =")


def of_program(
    program: Program, numbering: str = "level", cse: bool = False, slopes: bool = False, start: str | None = None,
    label: str | None = None,
) -> Diagram:  # fmt: skip
    """Return the diagram of a program without numbers; with `slopes` the formulas of the partial derivatives label the
    edges.

    Nodes that a sweep from the input or output `start` visits are marked (None: none). `numbering` of rows is by
    "level" or, for "call", in the order of evaluation; `cse` merges common subexpressions. The title is the program on
    one line, after `label` and a colon if that is not empty. Raises RequestError if the graph has more than 2000 nodes
    or `start` is unknown.
    """
    graph = arrange(share_subexpressions(program.graph) if cse else program.graph, numbering)
    check_drawable(graph)
    names = node_names(graph)
    labels = node_labels(graph, names)
    working = Working(graph, labels, [0.0] * len(graph), Digits())

    def slope(slot: int, position: int) -> str:
        return (working.slope(slot, position) or "") if slopes else ""

    title = (f"{label}: " if label else "") + " ".join(program.source.text.split())
    formulas = {slot: working.formula(slot)[0] for slot in graph.operations()}
    return _build_diagram(title, graph, names, labels, formulas, {}, slope, start)


def of_sweep(trace: Trace, passage: ExplainedSweep, digits: Digits) -> Diagram:
    """Return the diagram of a trace with values and the tangents or adjoints of one sweep, `passage`, only; for the
    sweep of values also without partials on edges.

    The title is the heading of the trace, and no node is marked. Raises RequestError if the graph has more than 2000
    nodes.
    """
    keys = ((passage.key,) if passage.sweep == FORWARD else (), (passage.key,) if passage.sweep == REVERSE else ())
    rows = trace.rows if any(keys) else [row._replace(gradient=()) for row in trace.rows]
    return of_trace(trace._replace(keys=keys, rows=rows), digits)


def of_trace(trace: Trace, digits: Digits, start: str | None = None) -> Diagram:
    """Return the diagram of a trace, with value, tangents and adjoints of its keys below each formula, and the numbers
    of the partial derivatives on the edges. The title is the heading of the trace.

    A single tangent or adjoint is named v̇ or v̄, several ∂v/∂x or ∂y/∂v. An output that no row computes (a constant)
    has its value, without tangents and adjoints. `start` is an input or output: nodes that the forward sweep from it,
    or the reverse sweep, visits are marked (None: no node). Raises RequestError if the graph has more than 2000 nodes
    or `start` is unknown.
    """
    check_drawable(trace.graph)
    rows = {row.slot: row for row in trace.rows}
    shown = {output.name: output.shown for output in trace.outputs}
    dots, bars = trace.keys
    below: dict[int, list[str]] = {}
    for slot, row in rows.items():
        v = row.label
        named = [(write_tangent(v) if len(dots) == 1 else write_partial(v, key), row.dot[key]) for key in dots]
        for key in bars:
            named.append((write_adjoint(v) if len(bars) == 1 else write_partial(shown.get(key, key), v), row.bar[key]))
        below[slot] = [f"= {value_text(row, digits)}", *(f"{name} = {number(x, digits)}" for name, x in named)]
    for output, (_, slot) in zip(trace.outputs, trace.graph.outputs, strict=True):
        below.setdefault(slot, [f"= {number(output.value, digits)}"])

    def slope(slot: int, position: int) -> str:
        gradient = rows[slot].gradient
        return number(gradient[position], digits) if gradient and gradient[position] is not None else ""

    labels = [rows[slot].label if slot in rows else "" for slot in range(len(trace.graph))]
    formulas = {slot: row.formula for slot, row in rows.items() if slot not in trace.graph.inputs}
    return _build_diagram(heading(trace, digits), trace.graph, trace.names, labels, formulas, below, slope, start)


def check_drawable(graph: Graph, _: object = None) -> None:
    """Raise RequestError if the graph has more than 2,000 inputs and operations; the second argument is ignored (a
    callback of traces).
    """
    count = len(graph.inputs) + sum(1 for _ in graph.operations())
    check_size(count, "; adcli eval --show order has no limit")


def check_size(count: int, more: str = "") -> None:
    """Raise RequestError if there are more than 2,000 nodes; `more` is added to the advice."""
    if count > MOST_NODES:
        advice = f"adcli graph takes up to {MOST_NODES} nodes{more}"
        raise RequestError(f"a picture of {count} nodes is too large to read", help=advice)


def _build_diagram(
    title: str,
    graph: Graph,
    names: Sequence[str],
    labels: Sequence[str],
    formulas: Mapping[int, str],
    below: Mapping[int, Sequence[str]],
    slope: Callable[[int, int], str],
    start: str | None,
) -> Diagram:
    """Return the diagram of a graph with this title; vertices are in the order of slots (node numbers in the graph).

    By slot, `names` has the names, `labels` the names that are shown, `formulas` the formulas, and `below` the lines
    under the formula. `slope(slot, position)` returns the label of the edge from the operand at `position` (empty: no
    label). A slot without a name is left out with its edges. If it is an output it stays, named by the output, and only
    the edges from it are left out. A slot without a label has its output's name and formula.

    `start` is an input or output: the nodes and edges that a sweep from it visits are marked (None: nothing is marked).
    Raises RequestError if `start` is unknown.
    """
    visited, caption = _search_visits(graph, start) if start is not None else (set(), "")
    inputs = {name: slot for slot, name in graph.inputs.items()}
    results = grouped((slot, shown_name(name, inputs)) for name, slot in graph.outputs)
    slots = [slot for slot in range(len(graph)) if names[slot] or slot in results]
    place = {slot: k for k, slot in enumerate(slots) if names[slot]}  # of the slots that edges may come from
    height = heights(graph)
    vertices, edges = [], []
    for slot in slots:
        called = [*results.get(slot, ()), *filter(None, [labels[slot]])]
        formula = formulas.get(slot, "") if labels[slot] else render(graph, slot, TABLE, lambda _: None)
        lines = _node_lines(called, formula, below.get(slot, ()))
        kind = node_kind(slot in results, slot in graph.inputs)
        name, label, operator = names[slot] or called[0], labels[slot] or called[0], graph.operator(slot)
        vertices.append(Vertex(name, label, height[slot], lines, kind, slot in visited, operator, _is_sum(graph, slot)))
        edges += [
            Edge(place[parent], len(vertices) - 1, position, slope(slot, position), {parent, slot} <= visited)
            for position, parent in enumerate(graph.parents[slot])
            if parent in place
        ]
    known = {*labels, *names, *chain.from_iterable(results.values())} - {""}
    return Diagram(title, vertices, edges, frozenset(known), caption)


def node_kind(is_output: bool, is_input: bool) -> str:
    """Return the kind of a node, output, input or operation; an input that is an output too is an output."""
    return "output" if is_output else "input" if is_input else "operation"


def _is_sum(graph: Graph, slot: int) -> bool:
    """Return whether the operation in `slot` is written with the precedence of a sum (an addition or subtraction);
    False for an input.
    """
    row = graph.rows[slot]
    return row is not None and isinstance(row.notation, Template) and row.notation.level == SUM


def _node_lines(called: Sequence[str], formula: str, below: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a node: `name = other name = formula`, then those of `below`.

    `called` are the names; one that is repeated is written once. Without a `formula` ("") the first line of `below`
    follows the names after a blank, as in `x1 = 2`.
    """
    first, under = " = ".join([*dict.fromkeys(called), *filter(None, [formula])]), list(below)
    if not formula and under:
        first += f" {under.pop(0)}"
    return first, *under


def _search_visits(graph: Graph, name: str) -> tuple[set[int], str]:
    """Return (numbers of the visited nodes with the first, caption) of the sweep that starts from the input or output
    `name`.

    The caption is `shaded: what the forward sweep from x1 visits`.

    From an input (which has priority) the sweep is forward, from an output (or its shown name) reverse. Raises
    RequestError for another name, with a similar name or all known names as help.
    """
    inputs = {other: slot for slot, other in graph.inputs.items()}
    outputs = dict(graph.outputs)
    outputs |= {shown_name(other, inputs): slot for other, slot in outputs.items()}
    for sweep, starts, search in (("forward", inputs, forward_search), ("reverse", outputs, reverse_search)):
        if name in starts:
            return set(search(graph, starts[name])), f"shaded: what the {sweep} sweep from {name} visits"
    known = list(dict.fromkeys([*inputs, *(shown_name(other, inputs) for other, _ in graph.outputs)]))
    advice = did_you_mean(name, known, f"sweeps start from {', '.join(known)}", "--reachable {}")
    raise RequestError(f"no sweep starts from {name}", help=advice)
