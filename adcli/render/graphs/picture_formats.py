"""Picture formats of a diagram, and the file that draws each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from ...records import NamedTuple
from ...typings import TYPE_CHECKING

if TYPE_CHECKING:
    from .diagram import Diagram
    from .page_fitting import LayoutRequest


class _Picture(NamedTuple):
    """A format of pictures.

    name          that of the option
    file          the module that draws it
    suffixes      those of its files
    needs_layout  whether it needs a layout of boxes
    """

    name: str
    file: str
    suffixes: tuple[str, ...]
    needs_layout: bool


_PICTURES = (
    _Picture("svg", "svg", (".svg",), True),
    _Picture("png", "png", (".png",), True),
    _Picture("dot", "dot", (".dot", ".gv"), False),
    _Picture("mermaid", "mermaid", (".mmd",), False),
    _Picture("latex", "tikz", (".tex",), True),
)
PICTURES = tuple(picture.name for picture in _PICTURES)
_NAMES = {suffix: picture.name for picture in _PICTURES for suffix in picture.suffixes}
SUFFIXES: Mapping[str, str] = MappingProxyType(_NAMES)


def picture(
    diagram: Diagram, form: str, layout: LayoutRequest | None = None, note: Callable[[str], None] = lambda _: None
) -> str | bytes:
    """Return the diagram in the format `form`: svg, dot, mermaid and latex as str, png as bytes.

    `layout` has direction and page (None: both as they fit). `note` is called with a sentence if letters on the page
    are smaller than 5 points (not for dot and mermaid). Raises ValueError for another format, RequestError if a library
    is missing.
    """
    from .page_fitting import SMALL_PRINT, LayoutRequest, lay_out, letter_size

    layout = layout or LayoutRequest()
    entry = _PICTURES[PICTURES.index(form)]
    draw: Callable[..., str | bytes] = import_module(f".{entry.file}", __package__).draw
    if not entry.needs_layout:
        return draw(diagram, layout)
    placed = lay_out(diagram, layout)
    if letter_size(placed) < SMALL_PRINT:
        note(f"letters are {letter_size(placed):.1f} points high on this page; try --fit A3")
    return draw(placed)
