"""HTML page: escaping, and the frame of a self-contained page for light, dark and print."""

from __future__ import annotations

import html
import re

from ..errors import visible
from . import read_file


def dark_rules(rules: str) -> str:
    """Return the CSS `rules`, which must end in a line break, so that they apply only on screens that prefer dark
    colours.
    """
    return f"@media screen and (prefers-color-scheme: dark) {{\n{rules}}}\n"


def escaped(text: str) -> str:
    """Return the text escaped for HTML, in elements and quoted attributes; characters that are not printable are made
    visible.
    """
    return html.escape(visible(text))


_REGION = re.compile(r'role="region" aria-label="([^"]*)"')


def page(title: str, body: str, *, style: str = "", script: str = "", way: str = "") -> str:
    """Return a complete HTML document without external files, in which only inline style and script may run.

    `way` is the navigation before the content `body`; `style` is added to the common style; `script` is put at the end.
    Of several regions with one label the second gets ` 2`, and so on. `title` may be any text and is escaped. `body`,
    `style`, `script` and `way` must be HTML, CSS or JavaScript of this program, and are inserted unchanged.
    """
    styles = read_file("page.css") + style
    scripted = f"<script>\n{script}</script>\n" if script else ""
    frame, shown = read_file("page.html"), _number_regions(body)
    return frame.format(title=escaped(title), style=styles, way=way, body=shown, script=scripted)


def _number_regions(body: str) -> str:
    """Return the HTML `body` with a unique label for every region: the second one with a label gets ` 2`, and so on.

    Only regions written `role="region" aria-label="…"`, in this order, count; a label that already has a number is not
    avoided.
    """
    seen: dict[str, int] = {}

    def named(match: re.Match[str]) -> str:
        count = seen[match[1]] = seen.get(match[1], 0) + 1
        return match[0] if count == 1 else f'role="region" aria-label="{match[1]} {count}"'

    return _REGION.sub(named, body)
