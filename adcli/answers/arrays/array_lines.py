"""Answers with vectors and matrices: rows of arrays in text, LaTeX, NumPy, tables and JSON, before they are judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from ...arrays.shapes import Shape
from ...errors import Source, Span
from ...records import NamedTuple
from ..answer import lines_of
from ..answer_model import BAR, VALUE, LeftOut, Numeral, Task
from ..chains import begins_with_relation, chains
from ..collector import CHARACTERS, ROWS
from ..decoding import decode_answer
from ..numerals import numeral
from .array_texts import (
    Shapes,
    cells_of,
    is_adjoint_of,
    is_product,
    read_symbol,
    shape_of_rows,
    with_adjoints,
    with_numbered,
    without_markup,
    without_shape_note,
)  # fmt: skip

_ROLES = {
    VALUE: ("value", "wert", "values"), "formula": ("formula", "expression", "formel"), "index": ("index",),
    "": ("shape", "label", "problem", "operator", "v̄ by the rule", "\\bar v by the rule", "rule"),
}  # fmt: skip
_NAMES = ("", "name", "step", "row", "variable", "array", "node", "quantity")


class ArrayPiece(NamedTuple):
    """One of the expressions that the equals signs of a row join.

    `text` is a formula without markup, in which the adjoint of `z` is `zBar`. If it is a list of numbers, `shape` is
    its shape and `numbers` its entries row by row; else `shape` is None. `sign` is "+" or "-" for `+=` and `-=`.
    """

    span: Span
    text: str
    shape: Shape | None = None
    numbers: tuple[Numeral, ...] = ()
    sign: str = ""


class ArrayLine(NamedTuple):
    """A row of an answer: its kind (value or bar), the name of its array, the index of an entry, and its pieces.

    `entry` is its index, counted from 1, () for a whole array; `name` is empty if the left side is a formula, which is
    then the first piece. `written` is the symbol as it was written.
    """

    kind: str
    name: str
    entry: tuple[int, ...]
    pieces: tuple[ArrayPiece, ...]
    span: Span
    written: str


class ArrayAnswer(NamedTuple):
    """An answer as it was read: its lines as people see them, its rows, the parts that are not rows, and whether it is
    this program's own table, whose numbers have three places without final zeros."""

    lines: tuple[str, ...]
    rows: list[ArrayLine]
    left_out: list[LeftOut]
    is_own: bool = False


class _TextPart(NamedTuple):
    """A part of a line: its text and span."""

    text: str
    span: Span


def read_array_answer(data: bytes, name: str, task: Task, shapes: Shapes, decimal: str = "point") -> ArrayAnswer:
    """Return the rows of an answer of any form; `shapes` are those of the names of the problem, `decimal` is "point" or
    "comma". Raises NotGradable if the file is not text."""
    lines = _json_lines(data) or lines_of(data, name, [task])
    return _Reader(lines, shapes, decimal).answer()


def _json_lines(data: bytes) -> list[str]:
    """Return JSON as rows of text, `name = value`; [] for data that does not begin with `{`, invalid JSON and
    notebooks.

    A trace of this program gives each of its `arrays` with its value and its `bar` (as ∂output/∂name), then each of its
    `outputs` with its value and `gradient`; any other object gives one row for each of its keys.
    """
    if data.lstrip()[:1] != b"{":
        return []
    try:
        found = json.loads(decode_answer(data))
    except (ValueError, RecursionError):
        return []
    rows: list[str] = []
    for block in _records(found, "arrays"):
        rows += [f"{block.get('name')} = {json.dumps(block.get('value'))}"]
        rows += [f"∂{key}/∂{block.get('name')} = {json.dumps(bar)}" for key, bar in _pairs(block.get("bar"))]
    for output in _records(found, "outputs"):
        name = output.get("name")
        rows.append(f"{name} = {json.dumps(output.get('value'))}")
        rows += [f"∂{name}/∂{key} = {json.dumps(each)}" for key, each in _pairs(output.get("gradient"))]
    if not rows:
        rows = [f"{name} = {each if isinstance(each, str) else json.dumps(each)}" for name, each in found.items()]
    return rows if "cells" not in found else []


def _records(found: Mapping[str, object], key: str) -> list[dict[str, object]]:
    """Return the objects in the list under `key`; [] if that is not a list."""
    listed = found.get(key)
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _pairs(found: object) -> list[tuple[str, object]]:
    return [*found.items()] if isinstance(found, dict) else []


class _Reader:
    """A reader of the lines of one answer, which collects rows and the parts that are left out."""

    def __init__(self, lines: Sequence[str], shapes: Shapes, decimal: str) -> None:
        self.lines, self.shapes, self.decimal = lines, shapes, decimal
        self.raw: list[tuple[_TextPart, list[tuple[str, _TextPart]]]] = []  # left side, and (sign, piece)
        self.left_out: list[LeftOut] = []
        self.pending: _TextPart | None = None  # a name whose value is shown next
        self.is_own = False

    def answer(self) -> ArrayAnswer:
        """Return the answer; names of values that the rows define are known in all of its formulas."""
        place = 0
        while place < len(self.lines) and len(self.raw) < ROWS:
            size = self._table(place) or self._logical(place)
            place += size
        known = self._known()
        rows = [row for left, pieces in self.raw for row in self._row(left, pieces, known)]
        return ArrayAnswer(tuple(self.lines), _from_one(rows), self.left_out, self.is_own)

    def _known(self) -> dict[str, Shape]:
        """Return the names of the problem and of the values that the rows define, with the shapes that they show.

        Numbers z1, z2, … are entries of an array z if z is no name itself and an array of the problem has that size. A
        name such as dz is not among them if z is.
        """
        shown: dict[str, Shape] = dict(self.shapes)
        for left, pieces in self.raw:
            symbol = read_symbol(left.text, self.shapes)
            if symbol is not None and symbol[0] == VALUE and not symbol[2] and symbol[1] not in self.shapes:
                rows = cells_of(without_markup(pieces[-1][1].text), self.decimal) if pieces else None
                shown[symbol[1]] = shape_of_rows(rows or [[""]])
        differentials = [name for name in shown if name[0] == "d" and name not in self.shapes and name[1:]]
        if self._writes_differentials():
            shown = {**{name[1:]: () for name in differentials}, **shown}
        for name in differentials:
            if is_adjoint_of(name, shown):
                del shown[name]
        return with_numbered(shown, self.shapes)

    def _writes_differentials(self) -> bool:
        """Return whether an adjoint of the problem is written as dW, so that dz is an adjoint too."""
        return any(is_adjoint_of(without_markup(left.text), self.shapes) for left, _ in self.raw)

    def _row(self, left: _TextPart, pieces: Sequence[tuple[str, _TextPart]], known: Shapes) -> Iterator[ArrayLine]:
        """Yield the row of a left side and its pieces, or nothing.

        If the left side is not a symbol, or is a product of names, the row has the name "" and the left side as its
        first piece; then it is a row only if one of the pieces after it has numbers or a list. The row's written name
        is the shortest end of the left side that means the same symbol. Empty pieces are skipped.
        """
        found = read_symbol(left.text, known) or (VALUE, "", ())
        read = [self._piece(piece, known, sign) for sign, piece in pieces if piece.text.strip()]
        kind, name, index = found
        if not name or (kind == VALUE and name not in self.shapes and is_product(name, self.shapes)):
            name, read = "", [self._piece(left, known), *read]
        if name or any(piece.shape is not None for piece in read[1:]):
            words = without_shape_note(without_markup(left.text)).split()
            ends = (" ".join(words[k:]) for k in reversed(range(len(words))))
            written = next((end for end in ends if read_symbol(end, known) == found), " ".join(words))
            yield ArrayLine(kind, name, index, tuple(read), left.span, _without_fraction(written))

    def _piece(self, part: _TextPart, known: Shapes, sign: str = "") -> ArrayPiece:
        """Return a part of a row as a piece: a list of numbers with its shape, else a formula (shape None).

        Notes on a shape are left out of the text, and names with a bar are the adjoints of the arrays in `known`.
        `sign` is "+" or "-" if `+=` or `-=` is before it, else "".
        """
        text = without_shape_note(without_markup(part.text))
        rows = cells_of(text, self.decimal)
        if rows is None:
            return ArrayPiece(part.span, with_adjoints(text, known), sign=sign)
        numbers = [numeral(cell, self.decimal) for row in rows for cell in row]
        as_text = "; ".join(", ".join(row) for row in rows)
        if all(number is not None for number in numbers):
            return ArrayPiece(part.span, f"[{as_text}]", shape_of_rows(rows), tuple(n for n in numbers if n), sign)
        return ArrayPiece(part.span, with_adjoints(f"[{as_text}]", known), sign=sign)

    # --- lines --------------------------------------------------------------------------------------------------------

    def _logical(self, place: int) -> int:
        """Read the line at index `place` with the lines that continue it, at most 60; return their number.

        A line is continued while brackets are open or the next begins with a sign. Each chain of equations in it
        becomes a row; without any it is a name or a list alone (`_alone`). Blank lines, comments, fences, openings of
        displays and texts longer than CHARACTERS are skipped.
        """
        count = 1
        while place + count < len(self.lines) and count < 60:
            if not self._continues("\n".join(self.lines[place : place + count]), self.lines[place + count]):
                break
            count += 1
        text = "\n".join(self.lines[place : place + count])
        if len(text) > CHARACTERS or not text.strip() or text.lstrip().startswith(("%", "```", "#", "\\begin{al")):
            return count
        source = Source(text, None, place + 1)
        blanked = _without_layout(text)
        found = chains(blanked)
        for chain in found:
            pieces = [(sign, _text_part(source, blanked, start, end)) for sign, start, end in chain.pieces]
            self._take(_text_part(source, blanked, *chain.left), pieces)
        if not found:
            self._alone(source, blanked)
        return count

    def _continues(self, text: str, following: str) -> bool:
        """Return whether a line belongs to the `text` before it: it begins with a relation, or a bracket is open there
        and it is not a row itself."""
        if following.strip() and begins_with_relation(following.replace("&", " ")):
            return "=" in text or _is_open(text)
        left, is_row, _ = following.partition("=")
        is_row_inside = is_row and read_symbol(left, self.shapes) and text.count("[") > text.count("]")
        return _is_open(text) and not is_row_inside

    def _take(self, left: _TextPart, pieces: list[tuple[str, _TextPart]]) -> None:
        """Add a raw row to `raw` and set `pending` to None.

        A comment with a list, `# [1, 2]`, is one more piece after the one it stands behind; other comments are dropped.
        If the left side is `symbol: formula`, the symbol alone is the left side and the formula the first piece.
        """
        more = []
        for sign, piece in pieces:
            code, mark, comment = piece.text.partition("#")
            more.append((sign, piece._replace(text=code)))
            if mark and cells_of(without_markup(comment), self.decimal) is not None:
                more.append(("", piece._replace(text=comment)))
        name, colon, formula = left.text.partition(": ")
        if colon and read_symbol(name, self.shapes):  # `gradient with respect to A: x x^T = …`
            left, more = left._replace(text=name), [("", left._replace(text=formula)), *more]
        self.raw.append((left, more))
        self.pending = None

    def _alone(self, source: Source, text: str) -> None:
        """Read a line without an equals sign: a name, a list of numbers, or `name: list` or `name [list]`.

        A name alone (also in `print(…)` or after `>>>`) is kept in `pending`, and is the name of a list in a later
        line; a list without such a name is added to `left_out`. `name: list` is added to `raw`. Any other line sets
        `pending` to None and is dropped.
        """
        part = _text_part(source, text, 0, len(text))
        inside = part.text.removeprefix(">>>").strip().rstrip(":")
        if inside.startswith("print(") and inside.endswith(")"):
            inside = inside[6:-1]
        if cells_of(without_markup(part.text), self.decimal) is not None and (self.pending or "[" in part.text):
            if self.pending is not None:
                self._show(self.pending, part)
            else:
                self.left_out.append(LeftOut(part.span, "it is not clear what these numbers are"))
            self.pending = None
            return
        for sign in (":", "["):
            name, found, rest = part.text.partition(sign)
            rest = sign.strip(":") + rest
            if found and read_symbol(name, self.shapes) and cells_of(without_markup(rest), self.decimal) is not None:
                self.raw.append((part._replace(text=name), [("", part._replace(text=rest))]))
                return
        self.pending = part._replace(text=inside) if read_symbol(inside, self.shapes) and " " not in inside else None

    def _show(self, name: _TextPart, numbers: _TextPart) -> None:
        """Add the numbers that are shown for a name to its last row if that has no numbers yet, else as a new row."""
        for k, (left, pieces) in reversed([*enumerate(self.raw)]):
            if without_markup(left.text).removeprefix(">>>").strip() == without_markup(name.text).strip():
                if all(cells_of(without_markup(piece.text), self.decimal) is None for _, piece in pieces):
                    self.raw[k] = left, [*pieces, ("", numbers)]
                    return
                break
        self.raw.append((name, [("", numbers)]))

    # --- tables -------------------------------------------------------------------------------------------------------

    def _table(self, place: int) -> int:
        """Read the table whose header is the line at index `place`, and return its number of lines; 0 if it is none.

        It is one if a name is among its first three columns and another column has values or adjoints; it ends before a
        blank line. Columns are separated by |, & or commas, or aligned under the words of the header. `is_own` becomes
        True for a table printed by this program.
        """
        header = self.lines[place].partition("\\\\")[0].rstrip()
        split = next((split for sign, split in _SPLITTERS if sign in header), None) or _aligned(header)
        titles = [without_markup(cell.text).strip().casefold() for cell in split(Source(header, None, place + 1))]
        roles = [_role(title, self.shapes) for title in titles]
        if "name" not in roles[:3] or not {VALUE, BAR} & {*roles}:
            return 0
        self.is_own |= {"formula", "value", "shape"} <= {*titles}
        count = 1
        while place + count < len(self.lines) and self.lines[place + count].strip():
            cells = split(Source(self.lines[place + count], None, place + count + 1))
            self._table_row(
                {role: cell for role, cell in zip(roles, cells, strict=False) if role and cell.text.strip()}
            )
            count += 1
        return count

    def _table_row(self, cells: Mapping[str, _TextPart]) -> None:
        """Add the rows of one line of a table to `raw`; `cells` has its parts by role of the column.

        The formula and value cells are the pieces of one row for the symbol in the name cell, with the index cell as
        its index (then without the formula, which is the whole array's); the adjoint cell gives a row `∂y/∂symbol`.
        Nothing is added if the name cell is missing or is not a symbol, as in rules and titles.
        """
        name = cells.get("name")
        if name is None or read_symbol(name.text, self.shapes) is None:
            return
        index = cells["index"].text.strip().strip('"') if "index" in cells else ""
        symbol = without_markup(name.text) + (f"[{index}]" if index else "")
        value = [cells[role] for role in ("formula", VALUE) if role in cells and not (index and role == "formula")]
        adjoint = [cells[BAR]] if BAR in cells else []
        for left, pieces in ((symbol, value), (f"∂y/∂{symbol}", adjoint)):
            if pieces:
                self.raw.append((name._replace(text=left), [("", piece) for piece in pieces]))


def _role(title: str, shapes: Shapes) -> str:
    """Return the role of a column by its title in small letters: name, formula, value, index, bar, or "" for others."""
    for role, titles in _ROLES.items():
        if title in titles:
            return role
    if title in _NAMES:
        return "name"
    symbol = read_symbol(title, {**shapes, "v": ()})
    words = ("adjoint", "gradient", "bar", "grad", "derivative", "bar y")
    return BAR if title in words or (symbol is not None and symbol[0] == BAR) else ""


def _pipes(source: Source) -> list[_TextPart]:
    text = source.text.strip().strip("|")
    return _cells(source, text.replace("\\|", "‖ "), "|")


def _ampersands(source: Source) -> list[_TextPart]:
    """Return the cells of a row of a LaTeX table; the signs inside of matrices separate no cells."""
    parts, cells = source.text.replace("\\\\ \n", "").split("&"), [""]
    for k, part in enumerate(parts):
        depth = cells[-1].count("\\begin{") - cells[-1].count("\\end{")
        if k and not depth:
            cells.append(part)
        else:
            cells[-1] += ("&" if k else "") + part
    return _cells(source, "\0".join(cells), "\0")


def _commas(source: Source) -> list[_TextPart]:
    """Return the cells of a line of CSV; commas between quotes separate no cells."""
    parts = source.text.split('"')
    return _cells(
        source, '"'.join(part.replace(",", "\0") if not k % 2 else part for k, part in enumerate(parts)), "\0"
    )


def _cells(source: Source, text: str, sign: str) -> list[_TextPart]:
    """Return the parts of `text` between signs as cells, stripped, without LaTeX's end of line and its spacing.

    Each cell has its span in the line, searched after the one before; a cell that does not occur there has the span of
    the first character.
    """
    found = []
    start = 0
    for cell in text.split(sign):
        before, gap, end = cell.rpartition("\\\\[")
        plain = (before if gap and end.strip().endswith("pt]") else cell).strip().removesuffix("\\\\").strip()
        place = source.text.find(plain, start) if plain else -1
        start = place + len(plain) if place >= 0 else start
        place = max(place, 0)
        found.append(_TextPart(plain, Span(place, place + max(len(plain), 1), source)))
    return found


_SPLITTERS: tuple[tuple[str, Callable[[Source], list[_TextPart]]], ...] = (
    ("|", _pipes), ("&", _ampersands), ("name,", _commas),
)  # fmt: skip


def _aligned(header: str) -> Callable[[Source], list[_TextPart]]:
    """Return the function that cuts a line where the titles of `header` begin, which have two blanks between them."""
    starts = [0] + [k for k in range(2, len(header)) if header[k] != " " and header[k - 2 : k] == "  "]

    def cut(source: Source) -> list[_TextPart]:
        ends = [*starts[1:], len(source.text)]
        return [_text_part(source, source.text, start, end) for start, end in zip(starts, ends, strict=True)]

    return cut


def _text_part(source: Source, text: str, start: int, end: int) -> _TextPart:
    """Return a part of `text` without blanks around it; its span ends with the first line that it is on."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    stop = start + max(len(part.strip()), 1)
    line_end = source.text.find("\n", start)
    return _TextPart(part.strip(), Span(start, stop if line_end < 0 else max(min(stop, line_end), start + 1), source))


def _is_open(text: str) -> bool:
    """Return whether a bracket or a LaTeX environment of entries is not closed."""
    depth = sum(text.count(sign) - text.count(f"\\{sign}") for sign in "[(")
    depth -= sum(text.count(sign) - text.count(f"\\{sign}") for sign in "])")
    return depth > 0 or any(text.count(f"\\begin{{{each}") > text.count(f"\\end{{{each}") for each in _entries(text))


def _entries(text: str) -> set[str]:
    """Return the names of the LaTeX environments in a text that have entries."""
    names = {part.partition("}")[0] for part in text.split("\\begin{")[1:]}
    return {name for name in names if name.endswith("matrix") or name in ("array", "cases")}


_LAYOUT = ("\\[", "\\]", "\\(", "\\)", "$", "\\,", "\\;", "\\!", *(
    f"\\{end}{{{name}{star}}}" for name in ("align", "aligned", "split", "gather", "gathered", "equation")
    for star in ("", "*") for end in ("begin", "end")
))  # fmt: skip


def _without_layout(text: str) -> str:
    """Return a text of the same length with the signs of LaTeX's lines and displays as blanks, except in matrices."""
    out, depth, place = list(text), 0, 0
    for mark in _LAYOUT:
        while (place := text.find(mark, place)) >= 0:
            if mark[0] == "$" or text[place - 1 : place] != "\\":
                out[place : place + len(mark)] = " " * len(mark)
            place += len(mark)
        place = 0
    while place < len(text):
        depth += text.startswith("\\begin{", place) - text.startswith("\\end{", place)
        if not depth and text[place] == "&":
            out[place] = " "
        elif depth <= 0 and text.startswith("\\\\", place):
            out[place : place + 2] = "  "
            place += 1
        place += 1
    return "".join(out)


def _from_one(rows: list[ArrayLine]) -> list[ArrayLine]:
    """Return rows whose indices count from 1; those of an array with an index 0 count from 0 as written."""
    zero = {row.name for row in rows if 0 in row.entry}
    return [
        row._replace(entry=tuple(k + 1 for k in row.entry)) if row.name in zero and "[" in row.written else row
        for row in rows
    ]


def _without_fraction(written: str) -> str:
    r"""Return a symbol for messages: `\frac{\partial L}{\partial W}` as ∂L/∂W; others as they are."""
    plain = without_markup(written).replace("\\partial ", "∂").replace("\\partial", "∂")
    return plain[6:].rstrip("}").replace("}{", "/") if plain.startswith("\\frac{") else written
