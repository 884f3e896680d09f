"""Mermaid flowchart of a diagram, which Markdown pages can draw."""

from __future__ import annotations

from ...errors import visible
from .diagram import FOLD, Diagram
from .page_fitting import ANY_SIZE, LayoutRequest

_CLASSES = """  classDef input fill:#f0f3f6,stroke:#57606a,color:#1b1f24
  classDef operation fill:#ffffff,stroke:#57606a,color:#1b1f24
  classDef output fill:#ffffff,stroke:#1b1f24,stroke-width:3px,color:#1b1f24
{}  classDef reached fill:#dbe8fd,stroke:#0b57d0,color:#1b1f24
"""
_FOLD = "  classDef fold fill:#ffffff,stroke:#57606a,color:#1b1f24,stroke-dasharray:5 3\n"


def draw(diagram: Diagram, layout: LayoutRequest = ANY_SIZE) -> str:
    """Return the diagram as a flowchart of Mermaid from left to right, or down if `layout.direction` is "down".

    The page of `layout` is ignored. The title and `diagram.captions` are the accessible texts, which are not visible.
    Characters that Mermaid or HTML might interpret are written as numbers. Vertices that a sweep visits have the class
    `reached` instead of that of their kind; its edges are thick blue lines.
    """
    way = "TB" if layout.direction == "down" else "LR"
    out = [f"flowchart {way}\n", f"  accTitle: {_escape(f'Computational graph of {diagram.title}')}\n"]
    if diagram.captions:
        out.append(f"  accDescr: {_escape('; '.join(diagram.captions))}\n")
    for place, vertex in enumerate(diagram.vertices):
        label = "<br/>".join(_escape(line) for line in vertex.lines)
        out.append(f'  n{place}["{label}"]:::{("reached" if vertex.reached else vertex.kind)}\n')
    for edge in diagram.edges:
        label = f'|"{_escape(edge.label)}"|' if edge.label else ""
        out.append(f"  n{edge.source} -->{label} n{edge.target}\n")
    out.append(_CLASSES.replace("{}", _FOLD if any(v.kind == FOLD for v in diagram.vertices) else ""))
    reached = [str(place) for place, edge in enumerate(diagram.edges) if edge.reached]
    if reached:
        out.append(f"  linkStyle {','.join(reached)} stroke:#0b57d0,stroke-width:3px\n")
    return "".join(out)


def _escape(text: str) -> str:
    """Return the text with every ASCII character but letters, digits, blanks and `=+.,` as a number: `a*b` becomes
    `a#42;b`.
    """
    return "".join(c if c.isalnum() or c in " =+.,−×" or not c.isascii() else f"#{ord(c)};" for c in visible(text))
