"""Tables in answers with arrays: their rows by the titles of the columns, by entries, or cell by cell. A raw row is a
left side and pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from unicodedata import normalize

from ...errors import Source, Span
from ...patterns import pattern
from ..answer_model import BAR, DOT, VALUE
from ..chains import cut
from ..collector import CELLS, Cut
from ..drawn_tables import SEPARATOR, is_rule
from ..headers import FORMULA, LABEL, NAME, NUMBERS, PROBLEM, RESULT, Column, arrange, column_of_word
from ..row_tokens import FORMULA as LOOKS_LIKE_FORMULA
from ..row_tokens import names_in
from .array_lists import cells_of
from .array_texts import Shapes, read_symbol, without_markup

RawRow = tuple[Cut, list[Cut]]  # left side, and pieces

_OWN = {  # besides the words of all tables; empty roles are of columns to ignore
    **{word: Column("") for word in ("shape", "label", "problem", "v̄ by the rule", "\\bar v by the rule")},
    **{word: Column(NAME) for word in ("wrt", "w.r.t.", "with respect to")},
    "index": Column("index"), "array": Column(NAME), "bar y": Column(RESULT, BAR),
}  # fmt: skip


_INDICES = ("i", "j", "k", "n", "#", "row", "no", "nr", "index", "entry", "component", "zeile", "ligne", "fila")
_INDEX = pattern(r"_\{[ijkn]\}|\([ijkn]\)|\[[ijkn]\]|_[ijkn](?![^\W_])")  # p_{i}, p(i), p[i], p_i
_OF_SHEETS = (",", ";", "\t")  # what separates cells, besides | and &


class ArrayTable:
    """The table whose header is the line at index `place` of `lines`.

    `size` is the number of its lines, 0 if the line is not the header of a table. `titles` are those of its columns,
    `roles` what the columns hold (`roles_of`), `sign` separates its cells. `has_entries`: its first column counts
    entries.
    """

    def __init__(self, lines: Sequence[str], place: int, shapes: Shapes, result: str, single: str) -> None:
        """Look for a table whose header is the line at index `place` of `lines`.

        `size` is the number of its lines, 0 if the line is not the header of a table. A header has columns of values or
        adjoints, or a first column that counts entries, or a drawn rule below it. `shapes` are those of the names of
        the problem, `result` is the result's name, `single` the only required array, or "".
        """
        self.lines, self.place, self.shapes, self.result, self.single = lines, place, shapes, result, single
        self.header = lines[place].partition("\\\\")[0].rstrip()
        self.sign = _sign_of(self.header)
        self.titles = [without_markup(cell.text).strip() for cell in self._cells(self.header)]
        words = [title.casefold() for title in self.titles]
        self.roles = roles_of(words, shapes)
        self.is_own = {"formula", "value", "shape"} <= {*words}
        below = islice(lines, place + 1, place + 3)
        following = (line for line in below if line.strip() and not is_rule(line) and line.lstrip()[0] != "\\")
        first = [cell.text for cell in self._cells(next(following, ""))[:1]]
        self.has_entries = words[0] in _INDICES and "".join(first).isdecimal()
        has_rule = self.sign == "|" and any(map(SEPARATOR.match, lines[place + 1 : place + 2]))
        self.size = self._count_lines() if {VALUE, BAR} & {*self.roles} or self.has_entries or has_rule else 0

    def _count_lines(self) -> int:
        """Return the number of lines of the table, the header included.

        The table ends before a line that equals its header. In a sheet (cells separated by commas, semicolons or tabs)
        it also ends before a line that is not blank and does not have its sign; blank lines are counted. All other
        tables also end before a blank line, and before a line with an equals sign but without their sign (never, if
        columns are aligned).
        """
        is_sheet = self.sign in _OF_SHEETS
        for size, line in enumerate(self.lines[self.place :]):
            if not line.strip() or self.sign in line:
                is_end = (not line.strip() and not is_sheet) or (size > 0 and line == self.lines[self.place])
            else:
                is_end = is_sheet or "=" in line
            if is_end:
                return size
        return len(self.lines) - self.place

    def _cells(self, line: str, number: int = 1) -> list[Cut]:
        return table_cells(Source(line, None, number), self.header, self.sign)

    def rows(self, names: Sequence[str]) -> Iterator[RawRow]:
        """Yield the rows (left side, pieces) of the lines below the header; `names` are of rows above the table.

        For each line, the first that applies:
        - the table has a column of indices, which is its first one, and the line begins with a whole number:
          `_entries`;
        - it has no such column, but columns of values or adjoints: `_by_roles`;
        - else `_by_content`, without the blank cells.

        The names of rows are known in the lines below them.
        """
        self.shapes = {**dict.fromkeys(names, ()), **self.shapes}
        for number in range(self.place + 1, self.place + self.size):
            cells = self._cells(self.lines[number], number + 1)
            if self.has_entries and cells and cells[0].text.isdecimal():
                rows = self._entries(cells)
            elif not self.has_entries and {VALUE, BAR} & {*self.roles}:
                rows = self._by_roles(cells)
            else:
                rows = self._by_content([cell for cell in cells if cell.text.strip()])
            for row in rows:
                self.shapes = {row[0].text.partition("[")[0]: (), **self.shapes}
                yield row

    def _by_roles(self, cells: Sequence[Cut]) -> Iterator[RawRow]:
        """Yield the rows of one line by the roles of its columns, at most two; empty cells count as missing.

        If two columns have the same role, the first cell that is not empty counts. The name cell is a symbol, or begins
        with one, `z = W x`; what follows there, then the cells for formula, formula with numbers, and value, are the
        pieces of its row. If there is an index cell, the symbol is `symbol[index]`, also in the next row, and of the
        cells only the value is a piece. The cell for the adjoint gives a second row, `∂y/∂symbol` (`∂f/∂symbol` if y is
        an array of the problem). A row without pieces is left out. Nothing if the name cell is missing or not a symbol,
        as in drawn rules.
        """
        filled = {role: cell for role, cell in reversed([*zip(self.roles, cells, strict=False)]) if cell.text.strip()}
        name, *right = _sides(filled[NAME]) if NAME in filled else (None,)  # `z = W x` in the column of names
        if name is None or read_symbol(name.text, self.shapes) is None:
            return
        index = filled["index"].text if "index" in filled else ""
        symbol = without_markup(name.text) + (f"[{index}]" if index else "")
        values = (VALUE,) if index else (FORMULA, NUMBERS, VALUE)
        for left, columns in ((symbol, values), (f"∂{self.result}/∂{symbol}", (BAR,))):
            pieces = right * (left == symbol) + [filled[role] for role in columns if role in filled]
            if pieces:
                yield name._replace(text=left), pieces

    def _entries(self, cells: Sequence[Cut]) -> Iterator[RawRow]:
        """Yield a row for each filled cell in a line whose first cell is an index.

        The title `dH/dp_i = -log p_i - 1` gives `dH/dp[2] = -log p[2] - 1 = 0.2`: an index i, j, k or n in the title
        (`p_i`, `p_{i}`, `p(i)`, `p[i]`) is replaced by that of the line, as it is. If the left side has none, the index
        is appended there. A title for adjoints means those of the only required array; if several are required, it has
        no rows. Neither have columns whose title is a word of tables for something else (`column_of_word`), or has no
        name. A title with `=` gives its right side as a piece before the cell.
        """
        index = cells[0].text
        for title, cell in zip(self.titles[1:], cells[1:], strict=False):
            column = column_of_word(title)
            is_gradient = bool(self.single) and _role(column) == BAR
            name, equals, formula = (f"∂{self.result}/∂{self.single}" if is_gradient else title).partition("=")
            name, formula = (_INDEX.sub(f"[{index}]", text) for text in (name.strip(), formula))
            name = name.replace("{", "").replace("}", "")
            name += "" if name.endswith("]") else f"[{index}]"
            symbol = read_symbol(name, {**self.shapes, name.partition("[")[0]: (1,)})
            is_name = symbol is not None and (symbol[0] == BAR or name.partition("[")[0].isidentifier())
            if cell.text.strip() and (is_gradient or (is_name and column is None)):
                yield cell._replace(text=name), [cell._replace(text=formula)] * bool(equals) + [cell]

    def _by_content(self, cells: Sequence[Cut]) -> Iterator[RawRow]:
        """Yield the row of a line whose first cell is a symbol, or an equation such as `z = W x`; at most one row.

        Its pieces are the right sides of the equation, the cells after it that look like formulas (`_formulas`), up to
        the one with numbers, and that cell. Cells after it are notes. Without a cell with numbers, only the second cell
        may be a formula; a symbol without an equation then needs it as the only other cell. Nothing is yielded if
        several cells, but for the first, have numbers.
        """
        shown = [k for k, cell in enumerate(cells[1:], 1) if _shows_numbers(_sides(cell)[-1].text)]
        if not cells or len(shown) > 1:
            return
        left, *right = _sides(cells[0])
        formulas = self._formulas(cells[1 : shown[0] if shown else 2])
        pieces = [part for cell in (*formulas, *(cells[k] for k in shown)) for part in _sides(cell)]
        is_clear = right or shown or (formulas and len(cells) == 2)
        if is_clear and read_symbol(left.text, self.shapes) is not None:
            yield left._replace(text=without_markup(left.text)), [*right, *pieces]

    def _formulas(self, cells: Sequence[Cut]) -> list[Cut]:
        """Return the cells that have a sign or digit of formulas, or are made of known names only, such as `-r`."""
        texts = [without_markup(cell.text) for cell in cells]
        known = [bool(names := names_in(text)) and self.shapes.keys() >= {*names} for text in texts]
        looks = [LOOKS_LIKE_FORMULA.search(text) is not None for text in texts]
        return [cell for cell, *is_formula in zip(cells, known, looks, strict=True) if any(is_formula)]


def _shows_numbers(text: str) -> bool:
    """Return whether a text is a number or a list of numbers, with decimal points or commas."""
    return bool(cells_of(text) or cells_of(text, "comma"))


def _sides(cell: Cut) -> list[Cut]:
    """Return the texts between the equals signs of a cell, each with the span of the cell."""
    return [cell._replace(text=side.strip()) for side in cell.text.split("=")]


def labelled_rows(lines: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Return {index of a line: (label of its problem, the header line)} for tables with a column of problems.

    Its title has the role LABEL, or, if no title has, PROBLEM. If the cell for the problem is empty, the label is that
    of the row above; it is "" in rows above all labels of the table. Header lines, blank lines and rules are not keys.
    A header, and where its table ends, is as `ArrayTable` says; the lines of other tables are skipped.
    """
    rows: dict[int, tuple[str, str]] = {}
    place = 0
    while place < len(lines):
        table = ArrayTable(lines, place, {}, "y", "")
        heads = [head.role if (head := column_of_word(title)) else "" for title in table.titles]
        column, label = next((heads.index(role) for role in (LABEL, PROBLEM) if role in heads), CELLS), ""
        for number in range(place + 1, place + table.size) if column < CELLS else ():
            cells = table._cells(lines[number])
            if column < len(cells) and any(cell.text.strip() for cell in cells) and not is_rule(lines[number]):
                label = cells[column].text.strip() or label
                rows[number] = label, lines[place]
        place += table.size or 1
    return rows


def _sign_of(header: str) -> str:
    """Return the sign that separates the cells below `header`; "" for columns that are aligned under its words.

    The first that applies:

    - | if the header has it, else & if it has that;
    - in a header without `=`, the first sign of sheets (comma, semicolon, tab) that splits it into two or more cells,
      of which one is `name` or the first (apart from columns of problems) is a word for names, steps or indices. Quotes
      and capitals do not count.
    """
    sign = next((sign for sign in "|&" if sign in header), "")
    for other in _OF_SHEETS if not sign and "=" not in header else ():
        words = [word.strip('" ').casefold() for word in header.split(other)]
        column = next((head for word in words if (head := column_of_word(word)) is None or head.role != PROBLEM), None)
        is_name = words[0] in _INDICES or "name" in words or (column is not None and column.role in (NAME, "step"))
        if is_name and len(words) > 1:
            return other
    return sign


def roles_of(titles: Sequence[str], shapes: Shapes) -> list[str]:
    """Return the role of each column by the `titles` in small letters; [] if these are not the header of a table.

    Roles are name, formula, numbers, value, index and bar; columns to ignore have others, or "". A title is a word of
    tables, or the symbol of the adjoint of a name in `shapes` or v (bar); `arrange` says whether all together are a
    header.
    """
    words = [normalize("NFC", title) for title in titles]
    cells = [_OWN.get(word) or column_of_word(word) or _of_symbol(word, shapes) for word in words]
    return [_role(each) for each in arrange(titles, cells) or []]


def _role(column: Column | None) -> str:
    """Return the role of a column: value or bar for results; "" for tangents, guesses and unknown words (None)."""
    if column is None or column.guess or column.kind == DOT:
        return ""
    return column.role if column.role != RESULT else VALUE if column.kind == VALUE else BAR


def _of_symbol(title: str, shapes: Shapes) -> Column | None:
    """Return a column of adjoints for a title such as v̄ or dy/dv; None for every other title."""
    symbol = read_symbol(title, {**shapes, "v": ()})
    return Column(RESULT, BAR) if symbol is not None and symbol[0] == BAR else None


def table_cells(source: Source, header: str, sign: str) -> list[Cut]:
    r"""Return the cells of a line of a table whose header line is `header`, each with its span.

    The span of an empty cell is one character. There may be more or fewer cells than titles. Cells are separated by
    `sign`, but not inside of matrices of LaTeX, square brackets and quotes; blanks and quotes around them, and `\\` or
    `\\[4pt]` at their ends, are removed. If `sign` is "", titles of the header have at least two blanks between them.
    Such a line is split at each pair of blanks (four blanks hold an empty cell) if that gives as many cells as there
    are titles. If it does not, a cell begins below each title. Only blanks around these cells are removed.
    """
    if not sign:
        starts = [0] + [k for k in range(2, len(header)) if header[k] != " " and header[k - 2 : k] == "  "]
        texts = source.text.split("  ")
        if len(texts) == len(starts):  # as cells of workbooks are joined
            starts = [sum(len(text) + 2 for text in texts[:k]) for k in range(len(texts))]
        ends = [*starts[1:], len(source.text)]
        return [cut(source, source.text, start, end) for start, end in zip(starts, ends, strict=True)]
    cells, start = [], 0
    for cell in _split_cells(source.text, sign):
        before, gap, end = cell.rpartition("\\\\[")
        plain = (before if gap and end.strip().endswith("pt]") else cell).strip().removesuffix("\\\\").strip('" ')
        place = source.text.find(plain, start) if plain else -1
        start = place + len(plain) if place >= 0 else start
        cells.append(Cut(plain, Span(max(place, 0), max(place, 0) + max(len(plain), 1), source)))
    return cells


def _split_cells(text: str, sign: str) -> list[str]:
    r"""Return the parts of a line between its signs `sign`, not stripped.

    Signs in LaTeX environments, square brackets (not round ones) and double quotes do not count. Blanks and pipes at
    the ends of the line are dropped, and `\|` becomes `‖` and a blank, whatever `sign` is.
    """
    cells: list[str] = []
    for part in text.replace("\\|", "‖ ").strip().strip("|").split(sign):
        pairs = ("\\begin{", "\\end{"), ("[", "]")
        is_open = cells and any(cells[-1].count(opening) > cells[-1].count(closing) for opening, closing in pairs)
        if is_open or (cells and cells[-1].count('"') % 2):
            cells[-1] += sign + part
        else:
            cells.append(part)
    return cells
