"""Answers with vectors and matrices: rows of arrays in text, LaTeX, NumPy, tables and JSON, before they are judged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from unicodedata import normalize

from ..arrays.parser import array_name
from ..arrays.shapes import Shape, natural, places
from ..errors import AdcliError, Source, Span
from ..patterns import pattern
from ..records import NamedTuple
from .answer import lines_of
from .answer_model import BAR, VALUE, LeftOut, Numeral, Task
from .chains import begins_with_relation, chains
from .collector import CHARACTERS, ROWS
from .decoding import decode_answer
from .numerals import numeral
from .row_tokens import names_in

MARK = "Bar"  # behind a name in a formula: its adjoint
_MACRON = "\u0304"
# An adjoint, in text without markup; the groups are spellings of the name.
_ADJOINT = pattern(
    r"\\[dt]?frac\{[∂d]\w*\}\{[∂d](\w+)\}|(?<!\w)[∂d]\w*/[∂d](\w+)|∇_?(\w+)(?: \w\b)?|(?:grad|adj|bar)[(_](\w+)\)?"
    r"|d[A-Za-z]_d(\w+)|([^\W\d]\w*?(?=\.grad|_?bar\b|_grad|\u0304\w*))(?:\.grad|_?bar|_grad|\u0304)|\bd_?(\w+)"
)
# Commands and brackets that only change the look, and calls around lists.
_REMOVED = (
    "\\displaystyle", "\\mathbf", "\\boldsymbol", "\\mathrm", "\\bm", "\\vec", "\\left", "\\right", "\\!", "\\,", "\\;",
    "\\quad", "\\qquad", "\\hline", "\\toprule", "\\midrule", "\\bottomrule", "numpy.", "torch.", "jnp.", "np.", "$",
    "requires_grad=True", "**", "`",
)  # fmt: skip
_CALLS = ("array", "tensor", "asarray", "matrix", "Matrix", "Vector", "list")
_OPENERS, _CLOSERS = "[({", "])}"
_SPELLED = {"\\partial": "∂", "\\nabla": "∇", "−": "-", "\u0305": _MACRON, "\\overline": "\\bar", "\\tfrac": "\\frac"}
_GRADIENT_WORDS = ("gradient", "derivative", "adjoint", "ableitung", "gradiente", "dérivée")
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


class ArrayRow(NamedTuple):
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
    rows: list[ArrayRow]
    left_out: list[LeftOut]
    is_own: bool = False


class _Part(NamedTuple):
    """A part of a line: its text and span."""

    text: str
    span: Span


Shapes = Mapping[str, Shape]


def read_array_answer(data: bytes, name: str, task: Task, shapes: Shapes, decimal: str = "point") -> ArrayAnswer:
    """Return the rows of an answer of any form; `shapes` are those of the names of the problem, `decimal` is "point" or
    "comma". Raises NotGradable if the file is not text."""
    lines = _json_lines(data) or lines_of(data, name, [task])
    return _Reader(lines, shapes, decimal).answer()


def _json_lines(data: bytes) -> list[str]:
    """Return JSON as rows of text, one for each named number or list; [] if it is not an object with such names.

    Of a trace of this program the outputs, blocks and gradients are taken.
    """
    if data.lstrip()[:1] != b"{":
        return []
    try:
        found = json.loads(decode_answer(data))
    except (ValueError, RecursionError):
        return []
    rows: list[str] = []
    for block in found.get("arrays", ()) if isinstance(found.get("arrays"), list) else ():
        rows += [f"{block.get('name')} = {json.dumps(block.get('value'))}"]
        rows += [f"∂{key}/∂{block.get('name')} = {json.dumps(bar)}" for key, bar in (block.get("bar") or {}).items()]
    for output in found.get("outputs", ()) if isinstance(found.get("outputs"), list) else ():
        rows.append(f"{output.get('name')} = {json.dumps(output.get('value'))}")
        gradient = output.get("gradient") or {}
        rows += [f"∂{output.get('name')}/∂{name} = {json.dumps(each)}" for name, each in gradient.items()]
    if not rows:
        rows = [f"{name} = {each if isinstance(each, str) else json.dumps(each)}" for name, each in found.items()]
    return rows if "cells" not in found else []


class _Reader:
    """A reader of the lines of one answer, which collects rows and the parts that are left out."""

    def __init__(self, lines: Sequence[str], shapes: Shapes, decimal: str) -> None:
        self.lines, self.shapes, self.decimal = lines, shapes, decimal
        self.raw: list[tuple[_Part, list[tuple[str, _Part]]]] = []  # left side, and (sign, piece)
        self.left_out: list[LeftOut] = []
        self.pending: _Part | None = None  # a name whose value is shown next
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
                shown[symbol[1]] = _shape_of(rows or [[""]])
        known = {name: shape for name, shape in shown.items() if name in self.shapes or not _is_adjoint_of(name, shown)}
        return _with_numbered(known, self.shapes)

    def _row(self, left: _Part, pieces: Sequence[tuple[str, _Part]], known: Shapes) -> Iterator[ArrayRow]:
        """Yield the row of a left side and its pieces; nothing, after a note, if the left side is not understood."""
        found = read_symbol(left.text, known) or (VALUE, "", ())
        read = [self._piece(piece, known, sign) for sign, piece in pieces if piece.text.strip()]
        kind, name, index = found
        if not name or (kind == VALUE and name not in self.shapes and _is_product(name, self.shapes)):
            name, read = "", [self._piece(left, known), *read]
        if name or any(piece.shape is not None for piece in read[1:]):
            yield ArrayRow(kind, name, index, tuple(read), left.span, " ".join(left.text.split()))

    def _piece(self, part: _Part, known: Shapes, sign: str = "") -> ArrayPiece:
        text = without_shape_note(without_markup(part.text))
        rows = cells_of(text, self.decimal)
        if rows is None:
            return ArrayPiece(part.span, with_adjoints(text, known), sign=sign)
        numbers = [numeral(cell, self.decimal) for row in rows for cell in row]
        as_text = "; ".join(", ".join(row) for row in rows)
        if all(number is not None for number in numbers):
            return ArrayPiece(part.span, f"[{as_text}]", _shape_of(rows), tuple(n for n in numbers if n), sign)
        return ArrayPiece(part.span, with_adjoints(f"[{as_text}]", known), sign=sign)

    # --- lines --------------------------------------------------------------------------------------------------------

    def _logical(self, place: int) -> int:
        """Read the line at index `place` and those that continue it (open brackets, a sign first); return their number.

        A line with a name alone waits for a line with a list alone.
        """
        count = 1
        while place + count < len(self.lines) and count < 60:
            text, following = "\n".join(self.lines[place : place + count]), self.lines[place + count]
            goes_on = following.strip() and begins_with_relation(following.replace("&", " "))
            if not _is_open(text) and not (goes_on and "=" in text):
                break
            count += 1
        text = "\n".join(self.lines[place : place + count])
        if len(text) > CHARACTERS or not text.strip() or text.lstrip().startswith(("%", "```", "#", "\\begin{al")):
            return count
        source = Source(text, None, place + 1)
        blanked = _without_layout(text)
        found = chains(blanked)
        for chain in found:
            pieces = [(sign, _part(source, blanked, start, end)) for sign, start, end in chain.pieces]
            self._take(_part(source, blanked, *chain.left), pieces)
        if not found:
            self._alone(source, blanked)
        return count

    def _take(self, left: _Part, pieces: list[tuple[str, _Part]]) -> None:
        """Add a raw row; of a program's comment `# [1, 2]` the list is one more piece."""
        more = []
        for sign, piece in pieces:
            code, mark, comment = piece.text.partition("#")
            more.append((sign, piece._replace(text=code)))
            if mark and cells_of(without_markup(comment), self.decimal) is not None:
                more.append(("", piece._replace(text=comment)))
        self.raw.append((left, more))
        self.pending = None

    def _alone(self, source: Source, text: str) -> None:
        """Read a line without an equals sign: a name, a list that is the value of a name above it, or `name: list`."""
        part = _part(source, text, 0, len(text))
        inside = part.text.removeprefix(">>>").strip().rstrip(":").removeprefix("print(")
        if cells_of(without_markup(part.text), self.decimal) is not None and "[" in part.text:
            if self.pending is not None:
                self.raw.append((self.pending, [("", part)]))
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
        inside = inside.rstrip(")") if "print(" in part.text else inside
        self.pending = part._replace(text=inside) if read_symbol(inside, self.shapes) and " " not in inside else None

    # --- tables -------------------------------------------------------------------------------------------------------

    def _table(self, place: int) -> int:
        """Read the table whose header is the line at index `place`, and return its number of lines; 0 if it is none.

        Columns are separated by |, & or commas, or aligned under the words of the header.
        """
        header = self.lines[place].replace("\\\\", "").strip("\n")
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

    def _table_row(self, cells: Mapping[str, _Part]) -> None:
        """Add the rows of one line of a table, by role of the column; rules are not rows."""
        name = cells.get("name")
        if name is None or read_symbol(name.text, self.shapes) is None:
            return
        index = cells["index"].text.strip().strip('"') if "index" in cells else ""
        symbol = f"{name.text.strip()}[{index}]" if index else name.text.strip()
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


def _pipes(source: Source) -> list[_Part]:
    text = source.text.strip().strip("|")
    return _cells(source, text.replace("\\|", "‖ "), "|")


def _ampersands(source: Source) -> list[_Part]:
    """Return the cells of a row of a LaTeX table; the signs inside of matrices separate no cells."""
    parts, cells = source.text.replace("\\\\ \n", "").split("&"), [""]
    for k, part in enumerate(parts):
        depth = cells[-1].count("\\begin{") - cells[-1].count("\\end{")
        if k and not depth:
            cells.append(part)
        else:
            cells[-1] += ("&" if k else "") + part
    return _cells(source, "\0".join(cells), "\0")


def _commas(source: Source) -> list[_Part]:
    """Return the cells of a line of CSV; commas between quotes separate no cells."""
    parts = source.text.split('"')
    return _cells(
        source, '"'.join(part.replace(",", "\0") if not k % 2 else part for k, part in enumerate(parts)), "\0"
    )


def _cells(source: Source, text: str, sign: str) -> list[_Part]:
    """Return the parts of `text` between signs as cells, each with its span in the line if it occurs there."""
    found = []
    start = 0
    for cell in text.split(sign):
        plain = cell.strip().removesuffix("\\\\").strip()
        place = source.text.find(plain, start) if plain else -1
        start = place + len(plain) if place >= 0 else start
        place = max(place, 0)
        found.append(_Part(plain, Span(place, place + max(len(plain), 1), source)))
    return found


_SPLITTERS: tuple[tuple[str, Callable[[Source], list[_Part]]], ...] = (
    ("|", _pipes), ("&", _ampersands), ("name,", _commas),
)  # fmt: skip


def _aligned(header: str) -> Callable[[Source], list[_Part]]:
    """Return the function that cuts a line where the titles of `header` begin, which have two blanks between them."""
    starts = [0] + [k for k in range(2, len(header)) if header[k] != " " and header[k - 2 : k] == "  "]

    def cut(source: Source) -> list[_Part]:
        ends = [*starts[1:], len(source.text)]
        return [_part(source, source.text, start, end) for start, end in zip(starts, ends, strict=True)]

    return cut


# --- texts ------------------------------------------------------------------------------------------------------------


def _part(source: Source, text: str, start: int, end: int) -> _Part:
    """Return a part of `text` without blanks around it; its span ends with the first line that it is on."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    stop = start + max(len(part.strip()), 1)
    line_end = source.text.find("\n", start)
    return _Part(part.strip(), Span(start, stop if line_end < 0 else max(min(stop, line_end), start + 1), source))


def _is_open(text: str) -> bool:
    """Return whether a bracket or a LaTeX environment of entries is not closed."""
    depth = sum(text.count(sign) for sign in "[(") - sum(text.count(sign) for sign in "])")
    return depth > 0 or any(text.count(f"\\begin{{{each}") > text.count(f"\\end{{{each}") for each in _entries(text))


def _entries(text: str) -> set[str]:
    """Return the names of the LaTeX environments in a text that have entries."""
    names = {part.partition("}")[0] for part in text.split("\\begin{")[1:]}
    return {name for name in names if name.endswith("matrix") or name in ("array", "cases")}


def _without_layout(text: str) -> str:
    """Return a text of the same length with the signs of LaTeX's lines and displays as blanks, except in matrices."""
    out, depth, place = list(text), 0, 0
    for mark in ("\\[", "\\]", "\\(", "\\)", "$", "\\begin{align*}", "\\end{align*}", "\\begin{align}", "\\end{align}"):
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


def without_markup(text: str) -> str:
    """Return a text without what only changes the look: `\\mathbf{W}_{1}` is `W_1`, `\\bar{z}` is z with a macron."""
    for sign, plain in _SPELLED.items():
        text = text.replace(sign, plain)
    text = text.replace("**", "^") if "**" in text.strip("* ") else text
    for sign in _REMOVED:
        text = text.replace(sign, "" if sign[0] != "\\" else " ") if sign in text else text
    for sign in ("\\bar", "\\overline"):
        before, *parts = text.split(sign)
        text = before + "".join(_accented(part) for part in parts)
    text = normalize("NFD", text) if not text.isascii() else text
    for opening, closing in (("_{", "_"), (" {", " ")):  # around one name
        while (start := text.find(opening)) >= 0:
            end = text.find("}", start)
            inside = text[start + len(opening) : end] if end > 0 else ""
            if not inside.replace(_MACRON, "").replace(",", "").strip().isalnum():
                break
            text = f"{text[:start]}{closing}{inside.strip()}{text[end + 1 :]}"
    return text.replace("∂ ", "∂").replace(" /∂", "/∂").replace(" / ∂", "/∂").strip()


def _accented(part: str) -> str:
    """Return what follows `\\bar` with a macron behind its first name."""
    part = part.lstrip()
    if part.startswith("{"):
        inside, _, rest = part[1:].partition("}")
        return inside.strip() + _MACRON + rest
    end = next((k for k, sign in enumerate(part) if not sign.isalpha()), len(part)) if part[:1] != "\\" else 1
    return part[:end] + _MACRON + part[end:]


def without_shape_note(text: str) -> str:
    """Return a text without a shape behind it, two blanks away: `v̄1 xᵀ  [2×2]`."""
    before, gap, note = text.rpartition("  [")
    return before.rstrip() if gap and before.strip() and note.rstrip("]").replace("×", "").isdigit() else text


def with_adjoints(text: str, known: Collection[str]) -> str:
    """Return a formula with each adjoint of a name in `known` as its name with `Bar` behind it."""

    def named(match: re.Match[str]) -> str:
        name = _adjoint_name(match, known)
        return match.group() if name is None else f" {name}{MARK} "

    return _ADJOINT.sub(named, text)


def _adjoint_name(match: re.Match[str], known: Collection[str]) -> str | None:
    """Return the name whose adjoint a match of `_ADJOINT` is; None if it is no name in `known`, or a name itself."""
    name = array_name(next(filter(None, match.groups()), ""))
    whole = array_name(match.group()) if match.group().isidentifier() else ""
    if whole in known or not (name in known or _component(name, known)):
        return None
    return name


def _component(name: str, known: Collection[str]) -> tuple[str, tuple[int, ...]] | None:
    """Return (array, index) that a name such as z1, W_12 or x_2 stands for if the array is in `known`; else None."""
    base = name.rstrip("0123456789")
    digits = name[len(base) :]
    base = base.rstrip("_") or base
    if digits and base in known and len(digits) <= 2:
        return base, tuple(map(int, digits))
    return None


def read_symbol(text: str, known: Shapes) -> tuple[str, str, tuple[int, ...]] | None:
    """Return (kind, name, index) of the symbol that a left side ends in; None if it ends in none.

    The index is that of an entry, as it is written, () without one. `known` are the names of the problem and of the
    answer, with their shapes. After words, such as `so dL/dW`, only the last one counts, and after a word such as
    gradient it is an adjoint.
    """
    words = without_shape_note(without_markup(text)).strip(" :-*•>").split()
    for start in range(len(words)):
        found = _symbol(" ".join(words[start:]), known)
        if found is None or (start and len(words[start:]) > 1 and found[0] == VALUE):
            continue
        speaks = any(word in before.casefold() for before in words[:start] for word in _GRADIENT_WORDS)
        if start and not speaks and found[0] == VALUE and any(sign in "".join(words[:start]) for sign in "*+/@^"):
            return None
        return (BAR, *found[1:]) if speaks else found
    return None


def _symbol(text: str, known: Shapes) -> tuple[str, str, tuple[int, ...]] | None:
    """Return (kind, name, index) of a text that is one symbol, without blanks; else None."""
    text = text.strip("{}") if text[:1] == "{" else text
    name, kind, end = _name_at_start(text, known)
    rest = text[end:].strip()
    if name is None or (rest and rest[0] not in "[(_" and not rest.isdigit()):
        return None
    if rest[:1] == "[":
        numbers = rest.strip("[]").replace("][", ",").split(",")
        return (kind, name, tuple(map(int, numbers))) if all(each.strip().isdigit() for each in numbers) else None
    if rest and rest[0] != "(":
        name += rest.strip("_{}").replace(",", "")
    found = None if known.get(name) else _component(name, [each for each in known if known[each]])
    return (kind, *found) if found is not None else (kind, name, ())


def _name_at_start(text: str, known: Shapes) -> tuple[str | None, str, int]:
    """Return (the name that a text begins with, its kind, the offset after it); None if it begins with no name."""
    match = _ADJOINT.match(text)
    name = _adjoint_name(match, known) if match else None
    if match is not None and name is not None:
        return name, BAR, match.end()
    end = next((k for k, sign in enumerate(text) if not (sign.isalnum() or sign in "_'\\")), len(text))
    return _plain_name(text[:end]) if end and not text[0].isdigit() else None, VALUE, end


def _with_numbered(known: dict[str, Shape], shapes: Shapes) -> dict[str, Shape]:
    """Return `known` with an array z instead of numbers z1, z2, …, if z is not in it and an array in `shapes` has that
    size."""
    sizes = {shape[0] for shape in shapes.values() if len(shape) == 1}
    numbers = {name for name, shape in known.items() if not shape and name not in shapes}
    for base in {name.rstrip("0123456789") for name in numbers} - known.keys():
        count = sum(name.rstrip("0123456789") == base for name in numbers)
        entries = {f"{base}{k + 1}" for k in range(count)}
        if count in sizes and entries <= numbers:
            known = {name: shape for name, shape in known.items() if name not in entries} | {base: (count,)}
    return known


def _is_adjoint_of(name: str, names: Collection[str]) -> bool:
    """Return whether a name is d and one of the `names`."""
    return name[0] == "d" and name[1:].strip("_") in names


def _plain_name(text: str) -> str | None:
    """Return a name as the language spells it; None if the text is a command of LaTeX that is no name."""
    try:
        return array_name(text) or None
    except AdcliError:
        return None


def _is_product(name: str, shapes: Shapes) -> bool:
    """Return whether a name consists of names of the problem, such as Wx."""
    return len(name) > 1 and all(letter in shapes for letter in name)


def _from_one(rows: list[ArrayRow]) -> list[ArrayRow]:
    """Return rows whose indices count from 1; those of an array with an index 0 count from 0 as written."""
    zero = {row.name for row in rows if 0 in row.entry}
    return [
        row._replace(entry=tuple(k + 1 for k in row.entry)) if row.name in zero and "[" in row.written else row
        for row in rows
    ]


def cells_of(text: str, decimal: str = "point") -> list[list[str]] | None:
    """Return the texts of the entries of a list, row by row; None if a text is not one list or number.

    A list is `[1, 2; 3, 4]`, `[[1, 2], [3, 4]]`, a matrix of LaTeX, or what NumPy prints; a call such as `array(…)`
    around it and a transpose behind a single row are left out. A number is one row of one entry.
    """
    text = text.strip().rstrip(".,;").strip()
    if numeral(text, decimal) is not None:
        return [[text]]
    text = _bracketed(text)
    if text[:1] not in ("[", "(") or text[-1:] not in ("]", ")") or (text[0] == "(" and "," not in text):
        return None
    cells = [_split_row(row) for row in _row_texts(text[1:-1].strip())]
    fits = bool(cells) and all(cells) and len({len(row) for row in cells}) == 1 and sum(map(len, cells)) <= ROWS
    return cells if fits else None


def _row_texts(inside: str) -> list[str]:
    """Return the texts of the rows in a list: lists in it, which must be all there is, else the parts between `;`."""
    if "[" not in inside:
        return [row for row in inside.split(";") if row.strip()]
    between = "".join(part.rpartition("]")[2] for part in inside.split("["))
    is_nested = not between.strip(" ,;\n") and inside[0] == "[" and inside[-1] == "]"
    return [part.partition("]")[0] for part in inside.split("[")[1:]] if is_nested else []


def _bracketed(text: str) -> str:
    """Return a list in square brackets: without a call such as `array(…)` around it, and not as a matrix of LaTeX."""
    for part in text.split("\\begin{")[1:]:
        name = part.partition("}")[0]
        text = text.replace(f"\\begin{{{name}}}", "[", 1).replace(f"\\end{{{name}}}", "]", 1)
    if "&" in text or "\\\\" in text:
        text = text.replace("&", " , ").replace("\\\\", " ; ").replace("[{", "[")
    for suffix in ("^T", ".T", "ᵀ", "^\\top", "^{\\top}", "^{T}"):
        text = text.removesuffix(suffix)
    for call in _CALLS:
        if text.startswith(call + "(") and text.endswith(")"):
            text = text[len(call) + 1 : -1].partition("dtype")[0].strip().rstrip(",")
    while text[:2] == "([" and text[-1:] == ")":
        text = text[1:-1].strip()
    return text


def _split_row(row: str) -> list[str]:
    """Return the entries of a row: between commas outside of brackets, else between blanks."""
    if "," not in row:
        words = row.split()
        return words if all(numeral(word) is not None for word in words) else [row.strip()]
    cells, depth = [""], 0
    for sign in row:
        depth += (sign in _OPENERS) - (sign in _CLOSERS)
        if sign == "," and not depth:
            cells.append("")
        else:
            cells[-1] += sign
    return [cell.strip() for cell in cells if cell.strip()]


def _shape_of(rows: Sequence[Sequence[str]]) -> Shape:
    """Return the shape of a list with these rows: one row, or rows of one entry, are a vector, one entry a number."""
    if len(rows) == 1:
        return natural((len(rows[0]),))
    return natural((len(rows), len(rows[0])))


def with_entries(text: str, shapes: Shapes) -> str:
    """Return a formula with `z[1]` for z1, and `W[1,2]` for W12, if z1 and W12 are not names and z and W are arrays."""
    arrays = [name for name in shapes if shapes[name]]
    for word in sorted(set(names_in(text)), key=len, reverse=True):
        found = _component(word.removesuffix(MARK), arrays)
        if found is None or word in shapes or word.replace("_", "") in shapes:
            continue
        array, entry = found[0] + MARK * word.endswith(MARK), found[1]
        if len(entry) == len(shapes.get(array, ())):
            text = text.replace(word, f"{array}[{','.join(map(str, entry))}]")
    return text


def entry_place(index: Sequence[int], shape: Shape) -> int | None:
    """Return the place of the entry with this index, row by row; None if the array has no such entry."""
    text = f"[{','.join(map(str, index[: max(len(shape), 1)]))}]"
    listed = places(shape)
    return listed.index(text) if text in listed else None
