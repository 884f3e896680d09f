"""Diagram in the language of Graphviz (dot)."""

from __future__ import annotations

from ...errors import visible
from ...records import grouped
from .diagram import Diagram, Edge, Vertex
from .page_fitting import ANY_SIZE, LayoutRequest

_HEAD = """  rankdir={}; fontname="sans-serif";
  node [shape=box, style="rounded,filled", fillcolor="white", fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=11];
"""
_INCH = 25.4
_KINDS = {"input": ', fillcolor="#f0f3f6"', "operation": "", "output": ", penwidth=2.4",
          "fold": ', style="rounded,filled,dashed"'}  # fmt: skip
_LOOKS = _KINDS | {"input": "", "operation": ""}
_REACHED = {kind: f', fillcolor="#dbe8fd", color="#0b57d0"{look}' for kind, look in _LOOKS.items()}


def draw(diagram: Diagram, layout: LayoutRequest = ANY_SIZE) -> str:
    """Return the diagram as a digraph in the DOT language, each level on one rank; its label is the captions.

    It goes from left to right, or down if `layout.direction` is down. `layout.page` (None: any size) in millimetres, is
    written as maximal size in inches; a page that may be rotated is landscape for left to right, and upright for down.
    Nodes and edges that a sweep visits are blue. The name of the digraph is the title.
    """
    down = layout.direction == "down"
    out = [f"digraph {_quote([diagram.title])} {{\n", _HEAD.replace("{}", "TB" if down else "LR")]
    if layout.page is not None:
        sides = sorted((layout.page.width, layout.page.height), reverse=not down)
        width, height = sides if layout.page.turns else layout.page[:2]
        out.append(f'  size="{width / _INCH:.2f},{height / _INCH:.2f}";\n')
    if diagram.captions:
        out.append(f"  label={_quote(diagram.captions)};\n")
    out += [f"  n{place} [{_node(vertex)}];\n" for place, vertex in enumerate(diagram.vertices)]
    levels = grouped((vertex.level, place) for place, vertex in enumerate(diagram.vertices))
    for level in sorted(levels):
        out.append(f"  {{ rank=same; {' '.join(f'n{place};' for place in levels[level])} }}\n")
    out += [f"  n{edge.source} -> n{edge.target}{_edge(edge)};\n" for edge in diagram.edges]
    return "".join([*out, "}\n"])


def _node(vertex: Vertex) -> str:
    """Return the attributes of a node without brackets: its lines as label, and the look of its kind, blue if a sweep
    visits it.
    """
    return f"label={_quote(vertex.lines)}{(_REACHED if vertex.reached else _KINDS)[vertex.kind]}"


def _edge(edge: Edge) -> str:
    """Return the attributes of an edge in brackets: its label, blue and bold if it is reached; "" without any."""
    attributes = [f"label={_quote([edge.label])}"] if edge.label else []
    attributes += ['color="#0b57d0"', "penwidth=2"] if edge.reached else []
    return f" [{', '.join(attributes)}]" if attributes else ""


def _quote(lines: list[str] | tuple[str, ...]) -> str:
    r"""Return the lines as one string of DOT in quotation marks, with `\n` between lines; quotes, backslashes and `&`
    are escaped.
    """
    shown = (visible(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(shown) + '"'
