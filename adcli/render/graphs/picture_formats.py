"""Picture formats of a diagram, and the file that draws each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from ...typings import TYPE_CHECKING

if TYPE_CHECKING:
    from .diagram import Diagram
    from .page_fitting import LayoutRequest


# The module that draws each format.
_FILES = {"svg": "svg", "png": "png", "dot": "dot", "mermaid": "mermaid", "latex": "tikz"}
_LAID_OUT_BY_READERS = ("dot", "mermaid")  # all others need a layout of boxes
PICTURES = tuple(_FILES)
SUFFIXES: Mapping[str, str] = MappingProxyType(
    {".svg": "svg", ".png": "png", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".tex": "latex"}
)


def picture(
    diagram: Diagram, form: str, layout: LayoutRequest | None = None, note: Callable[[str], None] = lambda _: None
) -> str | bytes:
    """Return the diagram in the format `form`: svg, dot, mermaid and latex as str, png as bytes.

    `layout` has direction and page (None: both as they fit). `note` is called with a sentence if letters on the page
    are smaller than 5 points (not for dot and mermaid). Raises KeyError for another format, RequestError if a library
    is missing.
    """
    from .page_fitting import SMALL_PRINT, LayoutRequest, lay_out, letter_size

    layout = layout or LayoutRequest()
    draw: Callable[..., str | bytes] = import_module(f".{_FILES[form]}", __package__).draw
    if form in _LAID_OUT_BY_READERS:
        return draw(diagram, layout)
    placed = lay_out(diagram, layout)
    if letter_size(placed) < SMALL_PRINT:
        note(f"letters are {letter_size(placed):.1f} points high on this page; try --fit A3")
    return draw(placed)
