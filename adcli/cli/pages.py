"""Pages of documents, written in the chosen format: problem by problem, or as a whole at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from ..errors import RequestError
from ..render.document_format import Format
from ..render.document_parts import LatexLines, Part
from ..render.formats import DATA, TEXT, find_format
from ..render.plain import Plain
from .arguments import require_latex
from .stream import Stream


class Pages:
    """The pages of one run: text is written problem by problem, a whole document at the end.

    `form` is any format of the command; data formats are written elsewhere. `title` is that of a page with several
    problems, `columns` the width at which plain text is broken (None: no limit). `math` is text or dollars, which is
    for Markdown only. With `standalone` a format whose output can be a file on its own makes one document of all.
    """

    def __init__(
        self, stream: Stream, form: str, title: str = "", standalone: bool = False, columns: int | None = None,
        math: str = "text",
    ) -> None:  # fmt: skip
        """Prepare to write documents in the format `form`, under this title.

        `columns` is the width at which plain text is broken (None: not at all), `math` is "text" or "dollars" (formulas
        in Markdown as LaTeX). Raises RequestError for dollars unless the format is Markdown, and for `standalone` in
        Markdown and in plain text (also table and formats of data); other formats accept it.
        """
        self.stream, self.form, self.title = stream, form, title
        self.format = format_of(stream, form, columns)
        if math == "dollars":
            if form != "markdown":
                raise RequestError("--math dollars is for Markdown", help="add --format markdown")
            from ..render.dollars import DOLLARS

            self.format = DOLLARS
        if not self.format.complete:
            require_latex(standalone, form)
        self.whole = self.format.whole or standalone
        self.count = 0
        self._kept: list[Sequence[Part]] = []

    def add(self, parts: Sequence[Part]) -> None:
        """Write the parts of one problem, or keep them until `finish` if the document is written as a whole.

        The format's opening comes before the first problem. An empty line comes before each other problem, unless its
        first part is lines of LaTeX; `parts` of other problems must not be empty.
        """
        self.count += 1
        if self.whole:
            self._kept.append(parts)
            return
        separator = "\n" if self.count > 1 and not isinstance(parts[0], LatexLines) else ""
        opening = self.format.opening(parts) if self.count == 1 else ""
        self.stream.write_pieces(chain((opening, separator), self.format.pieces(parts)))

    def write_one(self, data: Callable[[], object], parts: Callable[[], Sequence[Part]]) -> None:
        """Write the only document of a command: in JSON what `data` returns, in other formats what `parts` returns."""
        if self.form == "json":
            write_json(self.stream, data())
        else:
            self.add(parts())
            self.finish()

    def finish(self) -> None:
        """Write the whole document, if parts were kept."""
        if self._kept:
            write(self.stream, self.format, self.format.document(self._kept, self.title))


def format_of(stream: Stream, form: str, columns: int | None = None) -> Format:
    """Return the format called `form`; `columns` is the width at which plain text is broken (None: not at all).

    For table, plain and data formats that is text: with boxes and colours for "table" on a terminal, plain otherwise.
    """
    if form not in TEXT and form not in DATA:
        return find_format(form)
    if form == "table" and stream.is_terminal:
        from ..render.terminal import Terminal

        return Terminal(stream.width(), stream.wants_color(), stream.ascii, columns, stream.height())
    return Plain(columns, stream.ascii)


def write_json(stream: Stream, data: object) -> None:
    """Write plain data as JSON with a newline at its end; in ASCII if the stream is ASCII."""
    from ..render.data import json_text

    stream.write(json_text(data, ascii_only=stream.ascii) + "\n")


def write(stream: Stream, form: Format, text: str) -> None:
    """Write a document in `form` to the stream; in ASCII, as the format spells it, if the stream is ASCII."""
    stream.write(form.in_ascii(text) if stream.ascii else text)
