"""A drawing as PNG: its SVG, painted by resvg (the extra `png`)."""

from __future__ import annotations

from ...extras import Needs
from .drawing import Drawing
from .page_fitting import UNIT
from .svg import draw as draw_svg

_FINE = 2.0  # pixels for a unit of the drawing
_FINE_PAGE = 240 / 25.4  # pixels for a millimetre of a page
_MOST_PIXELS = 25_000_000


def draw(drawing: Drawing) -> bytes:
    """The drawing as a picture in light colours; a very large one in fewer pixels.

    Raises RequestError where resvg is not installed.
    """
    if drawing.page is None:
        return painted(draw_svg(drawing), drawing.width, drawing.height)
    width, height = (side / UNIT for side in drawing.page)
    return painted(draw_svg(drawing), width, height, _FINE_PAGE * UNIT)


def painted(svg: str, width: float, height: float, fine: float = _FINE) -> bytes:
    """An SVG of ours as PNG, so many pixels for each of its own."""
    with Needs("PNG pictures need resvg-py", "png"):
        import resvg_py
    zoom = min(fine, (_MOST_PIXELS / (width * height)) ** 0.5)
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, dpi=96))
