"""A page of HTML as text: tables as rows of pipes, formulas of MathML as people type them."""

from __future__ import annotations

from html.parser import HTMLParser

from ...typings import override
from ..headers import is_column_word

_BLOCKS = frozenset(
    {"p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "br", "tr", "table", "caption", "pre", "ul", "ol"}
)
_CELLS, _ROWS = frozenset({"td", "th"}), frozenset({"tr", "table"})
_SILENT = frozenset({"style", "script", "title", "template", "annotation", "del", "s", "strike"})
_MATHS = frozenset(
    {"math", "mrow", "msub", "msup", "msubsup", "mover", "mfrac", "msqrt", "mroot", "mi", "mn", "mo", "mtext"}
    | {"mtable", "mtr", "mtd"}
)
_KEPT = _MATHS | {"td", "th", "thead", "sup"} | _SILENT
_ACCENTS = dict.fromkeys("˙.\u0307", "\u0307") | dict.fromkeys("¯‾\u0304−", "\u0304")
_FORMS = {("msub", 2): "{}{}", ("msup", 2): "{}^({})", ("mfrac", 2): "(({})/({}))", ("mroot", 2): "root({}, {})"}
_SEPARATORS = {"mtd": " ", "mtr": ", ", "mtable": "; "}
_UNSEEN = str.maketrans({"\u2061": " ", "\u2062": " ", "\u2063": ",", "\u2064": "+"})
_DEEPEST = 200
_SIZES = ("1", "2", "3", "4", "5", "6", "7", "8", "9")  # of cells, in columns or rows


class PageReader(HTMLParser):
    """A reader of HTML pages that writes them as lines of text; `open` has the open elements, each with its texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.open: list[tuple[str, list[str]]] = [("", [])]
        self.cells: list[str] = []
        self.sizes: list[tuple[int, int]] = []  # of the cells in `cells` and the open ones: columns and rows
        self.groups: list[str] = []  # what a header of two rows has in its first one, by columns
        self.titled = False

    def text(self) -> str:
        """Return all lines, after closing the elements that are still open."""
        while len(self.open) > 1:
            self._close()
        self._end_line()
        return "\n".join(self.lines)

    @override
    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Begin the element `tag`, and a new line if it is a block; of `attributes` only the size of a cell counts.

        A block (`_BLOCKS`: a paragraph, heading, list item, br, table or table row) ends the line before it
        (`_end_line`); if that is blank, an empty line is added, but not by a table row. In an open cell a block adds a
        blank. A cell ends at the next cell, row or table if nothing ends it before. Only elements of `_KEPT` are opened
        (cells, heads of tables, exponents, MathML and elements that are not displayed), and none if 200 are in `open`;
        the text of every other element goes to the element around it. `thead` sets `titled`.
        """
        if tag in _CELLS | _ROWS:
            self._close_cell()
        if tag in _BLOCKS:
            self._end_line(tag != "tr")
        if tag in _KEPT and len(self.open) < _DEEPEST:
            self.open.append((tag, []))
            if tag in _CELLS:
                sizes = (dict(attributes).get(name) or "1" for name in ("colspan", "rowspan"))
                columns, rows = (int(size) if size in _SIZES else 1 for size in sizes)
                self.sizes.append((columns, rows))
            self.titled = self.titled or tag == "thead"

    @override
    def handle_endtag(self, tag: str) -> None:
        """End the element `tag` and all elements that were left open in it, and the line if it is a block.

        The end of an element that is not open closes nothing: of `</tr>` and other blocks, which are never opened, and
        of one without a beginning. That of a block still ends the line (`_end_line`); only that of a table row adds no
        empty line.
        """
        if tag in _KEPT and any(tag == name for name, _ in self.open):
            while self.open[-1][0] != tag:
                self._close()
            self._close()
        if tag in _ROWS:
            self._close_cell()
        if tag in _BLOCKS:
            self._end_line(tag != "tr")

    @override
    def handle_data(self, data: str) -> None:
        """Add text to the innermost open element, unless that is not displayed."""
        tag, inside = self.open[-1]
        if tag not in _SILENT:
            inside.append(data.translate(_UNSEEN) if tag in _MATHS else data)

    def _end_line(self, blank: bool = True) -> None:
        """Add what was written since the last line to `lines`: the cells as one line with pipes, or the text.

        In an open cell only a blank is added to its text. If there are cells, text outside of them waits for the next
        line; a row of blank cells is left out. In a table's head (`titled`) the line `|---|` follows each line of
        cells. If there are no cells and the text is blank, add an empty line that separates paragraphs, unless `blank`
        is False, the last line is already empty, or there is none. Text with line breaks gives several lines. Text
        inside an open element is kept until the element ends.
        """
        if self._is_in_cell():
            self.open[-1][1].append(" ")
        elif self.cells:
            if self._take_groups():
                return
            if any(self.cells):
                self.lines.append(f"| {' | '.join(self.cells)} |")
                self.lines += ["|---|"] if self.titled else []
            self.cells = []
        elif len(self.open) == 1:
            text = "".join(self.open[0][1])
            self.open[0][1].clear()
            if text.strip():
                self.lines += [line.strip() for line in text.split("\n")]
            elif blank and self.lines and self.lines[-1]:
                self.lines.append("")

    def _take_groups(self) -> bool:
        """Return whether `cells` are a title over all columns, which becomes a line, or the first row of a header of
        two, with cells of two rows and of several columns, which becomes `groups`.

        If there are `groups` already, `cells` become the header: their cells of two rows, and the others with the title
        of their group before them unless all are different words for columns.
        """
        sizes, self.sizes = self.sizes, []
        is_header = (1, 2) in sizes and any(columns > 1 for columns, _ in sizes) and not self.groups
        if is_header:
            titles = [
                (cell + " " * (rows == 1), columns) for cell, (columns, rows) in zip(self.cells, sizes, strict=True)
            ]
            self.groups = [title for title, columns in titles for _ in range(columns)]
        elif len(sizes) == 1 < sizes[0][0]:
            self.lines.append(self.cells[0])
        else:
            is_clear = len({*self.cells}) == len(self.cells) and all(
                is_column_word(cell.lower()) for cell in self.cells
            )
            fits, below = len(self.cells) == sum(group.endswith(" ") for group in self.groups), iter(self.cells)
            whole = [
                group * (not is_clear) + next(below) if group.endswith(" ") else group for group in self.groups * fits
            ]
            self.cells, self.groups = whole or self.cells, []
            return False
        self.cells = []
        return True

    def _is_in_cell(self) -> bool:
        return any(name in _CELLS for name, _ in self.open)

    def _close_cell(self) -> None:
        """Close the open cell, if there is one, and all elements in it."""
        while self._is_in_cell():
            self._close()

    def _close(self) -> None:
        """Close the innermost open element and add its text to `cells` or to the element around it.

        - A table cell, also one inside of another, becomes the next cell, with single blanks and a backslash before
          pipes.
        - An exponent becomes `^(…)`, or nothing if it is blank; MathML becomes a formula (`_formula`).
        - The end of a table head only resets `titled`; its text and that of any other element is dropped.
        """
        tag, inside = self.open.pop()
        if tag in ("td", "th"):
            self.cells.append(" ".join("".join(inside).split()).replace("|", "\\|"))
        elif tag == "thead":
            self.titled = False
        elif tag == "sup":
            self.open[-1][1].append(f"^({''.join(inside).strip()})" if "".join(inside).strip() else "")
        elif tag in _MATHS:
            self.open[-1][1].append(_formula(tag, inside))


def _formula(tag: str, inside: list[str]) -> str:
    """Return the MathML element `tag`, whose parts are the texts `inside`, as a formula in one line.

    A fraction of differentials (both parts begin with d, or both with ∂) is ` dy/dx `, any other one `((a)/(b))`. A
    power is `a^(b)`, a subscript follows its base directly (`v1`), roots are `sqrt(…)` and `root(a, n)`. A dot or bar
    over a part is a combining mark. A table is a matrix `[1, 2; 3, 4]`, in which blanks separate the cells of one row
    and commas the rows of tables inside; brackets around it are dropped. Elements without a rule, or with another
    number of parts, are joined by blanks.
    """
    parts = [text.strip() for text in inside if text.strip()]
    if tag in ("mi", "mn", "mtext"):
        return "".join(inside).strip()
    if tag == "mover" and len(parts) == 2 and parts[1] in _ACCENTS:
        return parts[0] + _ACCENTS[parts[1]]
    if tag == "mfrac" and len(parts) == 2 and (parts[0][0] + parts[1][0]) in ("∂∂", "dd"):
        return f" {parts[0]}/{parts[1]} "
    if tag in _SEPARATORS:
        text = _SEPARATORS[tag].join(parts).replace("− ", "−")
        return f"[{text}]" if tag == "mtable" else text
    if tag == "mrow" and len(parts) == 3 and parts[0] + parts[2] in ("()", "[]") and parts[1][0] == "[":
        return parts[1]
    if tag == "msqrt":
        return f"sqrt({' '.join(parts)})"
    if (tag, len(parts)) in _FORMS:
        return _FORMS[tag, len(parts)].format(*parts)
    if tag == "math":  # indices have no blanks
        return " ".join(inside).replace(" [ ", "[").replace(" ]", "]")
    return " ".join(parts) or "\u00a0" if tag == "mo" else " ".join(inside)
