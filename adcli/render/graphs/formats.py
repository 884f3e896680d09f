"""A diagram in the format that is asked for."""

from __future__ import annotations

from .diagram import Diagram


def picture(diagram: Diagram, form: str) -> str | bytes:
    """The diagram as svg, png, dot, mermaid or latex.  Raises RequestError where a library is missing."""
    if form == "dot":
        from .dot import draw as draw_dot

        return draw_dot(diagram)
    if form == "mermaid":
        from .mermaid import draw as draw_mermaid

        return draw_mermaid(diagram)
    from .drawing import drawing

    drawn = drawing(diagram)
    if form == "latex":
        from .tikz import draw as draw_tikz

        return draw_tikz(drawn)
    if form == "png":
        from .png import draw as draw_png

        return draw_png(drawn)
    from .svg import draw as draw_svg

    return draw_svg(drawn)
