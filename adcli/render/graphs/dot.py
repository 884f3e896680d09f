"""A diagram in the language of Graphviz."""

from __future__ import annotations

from ...errors import visible
from .diagram import Diagram, Edge, Vertex

_HEAD = """  rankdir=LR; fontname="sans-serif";
  node [shape=box, style="rounded,filled", fillcolor="white", fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=11];
"""
_KINDS = {"input": ', fillcolor="#f0f3f6"', "operation": "", "output": ", penwidth=2.4"}
_REACHED = {kind: f', fillcolor="#dbe8fd", color="#0b57d0"{", penwidth=2.4" * (kind == "output")}' for kind in _KINDS}


def draw(diagram: Diagram) -> str:
    """The diagram as a digraph, levels from left to right; the text of labels stays text."""
    out = [f"digraph {_quoted([diagram.title])} {{\n{_HEAD}"]
    if diagram.caption:
        out.append(f"  label={_quoted([diagram.caption])};\n")
    levels: dict[int, list[int]] = {}
    for place, vertex in enumerate(diagram.vertices):
        levels.setdefault(vertex.level, []).append(place)
        out.append(f"  n{place} [{_node(vertex)}];\n")
    for level in sorted(levels):
        out.append(f"  {{ rank=same; {' '.join(f'n{place};' for place in levels[level])} }}\n")
    out += [f"  n{edge.source} -> n{edge.target}{_edge(edge)};\n" for edge in diagram.edges]
    return "".join([*out, "}\n"])


def _node(vertex: Vertex) -> str:
    return f"label={_quoted(vertex.lines)}{(_REACHED if vertex.reached else _KINDS)[vertex.kind]}"


def _edge(edge: Edge) -> str:
    wanted = [f"label={_quoted([edge.label])}"] if edge.label else []
    wanted += ['color="#0b57d0"', "penwidth=2"] if edge.reached else []
    return f" [{', '.join(wanted)}]" if wanted else ""


def _quoted(lines: list[str] | tuple[str, ...]) -> str:
    """A string of the language: quote and backslash have a meaning in it, and & starts the name of a letter."""
    shown = (visible(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(shown) + '"'
