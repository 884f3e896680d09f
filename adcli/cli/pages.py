"""Tables and lines on their way out: drawn in the format asked for, as fragments, pages or whole documents."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RequestError
from ..render.cells import HEADING, LATEX, Line, Part, Table, ascii_table
from .stream import Stream


class Pages:
    """The pages of one run: text goes out problem by problem, a whole document at the end.

    `form` is any format of the command; those that are no pages are another's business.  `title` is that of a page with
    several problems.
    """

    def __init__(self, stream: Stream, form: str, title: str = "", standalone: bool = False) -> None:
        if standalone and form not in ("latex", "html"):
            raise RequestError("--standalone makes a LaTeX document", help="add --format latex")
        self.stream, self.form, self.title = stream, form, title
        self.standalone = standalone and form == "latex"
        self.count = 0
        self._kept: list[Sequence[Part]] = []
        self._text: list[str] = []

    def add(self, parts: Sequence[Part]) -> None:
        """Writes what there is to say of a problem, or keeps it for the end."""
        if self.form == "html":
            self._kept.append(parts)
            return
        text = self._drawn(parts)
        blank = self.count and not (self.form == "latex" and isinstance(parts[0], Line) and parts[0].kind == LATEX)
        self.count += 1
        if self.standalone:
            self._text.append(("\n" if blank else "") + text)
        else:
            self.stream.write(("\n" if blank else "") + text)

    def _drawn(self, parts: Sequence[Part]) -> str:
        if self.form == "latex":
            from ..render.formats import latex

            packages = f"% needs \\usepackage{{{latex.PACKAGES}}}\n"
            said = self.standalone or self.count or not any(isinstance(part, Table) for part in parts)
            return ("" if said else packages) + latex.body(parts, self.standalone)
        out = ""
        for place, part in enumerate(parts):
            out += "\n" if place and self._is_apart(parts[place - 1], part) else ""
            out += drawn(self.stream, part, self.form)
        return out

    def _is_apart(self, before: Part, after: Part) -> bool:
        """Whether a blank line belongs between two parts; a table on a terminal has its own."""
        if self.form == "markdown":
            return True
        same = isinstance(before, Line) and isinstance(after, Line) and after.kind == before.kind
        if same or (isinstance(before, Line) and before.kind == HEADING):
            return False
        boxed = self.stream.is_terminal and self.form == "table"
        return not (boxed and (isinstance(before, Table) or isinstance(after, Table)))

    def finish(self) -> None:
        """Writes what was kept."""
        if self._text:
            from ..render.formats import latex

            self.stream.write(latex.document("".join(self._text)))
        if self._kept:
            from ..render.formats import html

            write_page(self.stream, html.document(self._kept, self.title))


def write_page(stream: Stream, text: str) -> None:
    """Writes an HTML page; in ASCII its characters are references, so that nothing is lost."""
    stream.write(text.encode("ascii", "xmlcharrefreplace").decode() if stream.ascii else text)


def drawn(stream: Stream, part: Part, form: str) -> str:
    """A part as text or Markdown: with boxes and colours on a terminal, unless plain text was asked for."""
    if form == "markdown":
        from ..render.formats import markdown

        return markdown.draw(part) if isinstance(part, Table) else markdown.line(part)
    if isinstance(part, Line):
        return part.text + "\n"
    table = ascii_table(part) if stream.ascii else part
    if stream.is_terminal and form == "table":
        from ..render.terminal import draw

        return draw(table, stream.width(), stream.wants_color(), stream.ascii)
    from ..render.plain import draw as draw_plain

    return draw_plain(table)
