"""Documents on their way out: written in the format asked for, problem by problem or as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RequestError
from ..render.document_format import Format
from ..render.document_parts import LatexLines, Part
from ..render.formats import DATA, TEXT, named
from ..render.plain import Plain
from .stream import Stream


class Pages:
    """The pages of one run: text goes out problem by problem, a whole document at the end.

    `form` is any format of the command; data are another's business.  `title` is that of a page with several problems;
    paragraphs of plain text are broken at so many `columns`, if there is a limit.
    """

    def __init__(
        self, stream: Stream, form: str, title: str = "", standalone: bool = False, columns: int | None = None,
        math: str = "text",
    ) -> None:  # fmt: skip
        self.stream, self.form, self.title = stream, form, title
        self.format = format_of(stream, form, columns)
        if math == "dollars":
            if form != "markdown":
                raise RequestError("--math dollars is for Markdown", help="add --format markdown")
            from ..render.dollars import DOLLARS

            self.format = DOLLARS
        if standalone and not self.format.complete:
            raise RequestError("--standalone makes a LaTeX document", help="add --format latex")
        self.whole = self.format.whole or standalone
        self.count = 0
        self._kept: list[Sequence[Part]] = []

    def add(self, parts: Sequence[Part]) -> None:
        """Writes what there is to say of a problem, or keeps it for the end."""
        self.count += 1
        if self.whole:
            self._kept.append(parts)
            return
        apart = "\n" if self.count > 1 and not isinstance(parts[0], LatexLines) else ""
        opening = self.format.opening(parts) if self.count == 1 else ""
        self.stream.write(opening + apart + self.format.body(parts))

    def finish(self) -> None:
        """Writes what was kept."""
        if self._kept:
            write(self.stream, self.format, self.format.document(self._kept, self.title))


def format_of(stream: Stream, form: str, columns: int | None = None) -> Format:
    """The format with this name; text is drawn with boxes and colours on a terminal, unless it is to be plain."""
    if form not in TEXT and form not in DATA:
        return named(form)
    if form == "table" and stream.is_terminal:
        from ..render.terminal import Terminal

        return Terminal(stream.width(), stream.wants_color(), stream.ascii, columns, stream.height())
    return Plain(columns, stream.ascii)


def write(stream: Stream, form: Format, text: str) -> None:
    """Writes what a format has written; in ASCII as the format spells it."""
    stream.write(form.in_ascii(text) if stream.ascii else text)
