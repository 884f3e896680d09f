"""PNG of a drawing: its SVG, rendered by resvg (the extra `png`)."""

from __future__ import annotations

from ...extras import Needs
from .drawing import Drawing
from .page_fitting import UNIT
from .svg import draw as draw_svg

_FINE = 2.0  # pixels for a unit of the drawing
_FINE_PAGE = 240 / 25.4  # pixels for a millimetre of a page
_MOST_PIXELS = 25_000_000


def draw(drawing: Drawing) -> bytes:
    """Return the drawing as a PNG picture in light colours, with 2 pixels per unit, or 240 per inch of its page if it
    has one.

    Pictures of more than 25 million pixels get a lower resolution. Raises RequestError if resvg is not installed.
    """
    if drawing.page is None:
        return paint_svg(draw_svg(drawing), drawing.width, drawing.height)
    width, height = (side / UNIT for side in drawing.page)
    return paint_svg(draw_svg(drawing), width, height, _FINE_PAGE * UNIT)


def paint_svg(svg: str, width: float, height: float, fine: float = _FINE) -> bytes:
    """Return `svg`, an SVG of this program, of `width` and `height` units, as PNG with `fine` pixels per unit.

    If that is more than 25 million pixels, it has about that number instead. Raises RequestError if resvg is not
    installed.
    """
    with Needs("PNG pictures need resvg-py", "png"):
        import resvg_py
    zoom = min(fine, (_MOST_PIXELS / (width * height)) ** 0.5)
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, dpi=96))
