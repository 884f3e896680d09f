"""A drawing as PNG: its SVG, painted by resvg (the extra `png`)."""

from __future__ import annotations

from ...extras import Needs
from .drawing import Drawing
from .svg import draw as draw_svg

_FINE = 2.0  # pixels for a unit of the drawing
_MOST_PIXELS = 25_000_000


def draw(drawing: Drawing) -> bytes:
    """The drawing as a picture in light colours; a very large one in fewer pixels.

    Raises RequestError where resvg is not installed.
    """
    return painted(draw_svg(drawing), drawing.width, drawing.height)


def painted(svg: str, width: float, height: float) -> bytes:
    """An SVG of ours as PNG."""
    with Needs("PNG pictures need resvg-py", "png"):
        import resvg_py
    zoom = min(_FINE, (_MOST_PIXELS / (width * height)) ** 0.5)
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom))
