"""Vectors, which are several rows in one: gradients, `∇y = (5.5, 1.716)`, and lists of names, `(v1, v2) = (6, 4)`;
matrices over several lines, joined into one. A symbol is a text that names a row, a piece one between equals signs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile
from unicodedata import normalize

from ..errors import SyntaxProblem
from .chains import between, chains, inner
from .collector import PIECES, Collector, Cut, RawRow
from .left_sides import LeftSides
from .line_rewriting import apply_rules, rewritings, row_pattern
from .numerals import numeral
from .row_tokens import depths
from .sentences import is_word
from .sessions import printed_numbers
from .symbols import Names

_GRADIENT = row_pattern("{GRADIENT}", re.IGNORECASE)
_SURE = ("∇", "nabla", " of ", " von ", " de ")
_GRADIENTS = ("∇", "nabla", "grad", "jacobi")
_LISTED, _VALUES = row_pattern("{LISTED_NAMES}"), row_pattern("{LISTED_VALUES}")
_RIGHT = rewritings("vectors")
_UNITS = "ijk"  # the names of unit vectors, next to e_1 or e_x
MATRIX_NAME = row_pattern("{MATRIX_NAME}")  # of a Jacobian or Hessian
_ROW_IN_BRACKETS = row_pattern("{MATRIX_ROW}")
_MOST_LINES, _MOST_ROWS = 60, 4  # of a matrix; below its first one, in which signs between matrices may be
_LEFT_BRACKETS = frozenset("([|⎡⎢⎣⎛⎜⎝")  # with which a row of a matrix may begin
_PAIRS = ("()", "[]", "||", "⎡⎤", "⎢⎥", "⎣⎦", "⎛⎞", "⎜⎟", "⎝⎠")  # around a row of numbers
_SEPARATORS = (";", r",(?!\d)|(?<!\d),", ",", r"\|", r"\s++(?![-+*/^=])(?<![-+*/^=]\s)", r"\s++")


def _list_of(match: re.Match[str]) -> str:
    """Return a matrix of LaTeX as a list, `(1;2 ;3;4)`, padded so that each entry keeps its place (a callback of
    re.sub).
    """
    inside = match[2].replace("\\\\", " ;").replace("&", ";")
    entries = inside.rstrip("; ").ljust(len(inside))
    return "(".ljust(match.start(2) - match.start()) + entries + ")".rjust(match.end() - match.end(2))


_LISTS = rewritings("lists", list=_list_of)


def flatten_vectors(text: str) -> str:
    """Return the line `text` with matrices of LaTeX as lists, `(2 ; 7)`, and `<2, 7>` in round brackets;
    same length.
    """
    return apply_rules(text, _LISTS)


def is_no_list(symbols: Sequence[str], text: str, start: int, names: Names) -> bool:
    """Return whether `symbols` and what follows at offset `start` are not a list of names and their values.

    `symbols` are the texts between commas before the equals sign. True if the first begins with a capital and is a
    word, not a name or function (`is_word`): `First, v1 = 2`; or if words precede a name in a later one, `p is larger,
    so f = 6`. True too if the text at `start` begins with a bracket of any kind, or the first symbol is a derivative,
    and the first row of the line ends before the line does (stops and blanks at its end do not count): `∇f = (6, 3, 2),
    f = 6`.
    """
    is_vector = symbols[0][:1] == "∂" or text[start:].lstrip()[:1] in ("(", "[", "⟨", "<")
    rows = chains(text) if is_vector else []
    is_followed = bool(rows) and rows[0].pieces[-1][2] < len(text.rstrip(" .;,\u00a0"))
    later = any(is_word(word, names) for symbol in symbols[1:] for word in symbol.split()[:-1])
    return is_followed or later or (symbols[0][0].isupper() and is_word(symbols[0], names))


def may_have_list(text: str) -> bool:
    """Return whether a text may begin with a list that `parse_list` reads: it has a comma or a word for a gradient."""
    return "," in text or _has_gradient(text)


def _has_gradient(text: str) -> bool:
    return any(word in text.lower() for word in _GRADIENTS)


def parse_list(text: str, names: Names, rows: Sequence[RawRow] = ()) -> list[str] | None:
    r"""Return the symbols that a left side lists: ["v1", "v2"] for `(v1, v2)`, ["∂y/∂x1", "∂y/∂x2"] for `∇y`; else
    None.

    A gradient is ∇, \nabla, `grad`, `gradient of` or Jacobian, words before it and its arguments ignored. It has one
    symbol for each input in `names.wrt`, in order; None if its output is unclear (`_result`) or there are no inputs.
    `rows` are the rows above: after ∇ or \nabla, v1 may also be the left side of one of them. Listed names, two or more
    with commas, in brackets or not, with a T for transposed or not, are returned as written and may be any text without
    brackets and =; None if an item is empty.
    """
    gradient = _GRADIENT.match(text) if _has_gradient(text) else None
    if gradient:
        result = _result(gradient["name"], names, sign=any(sign in text for sign in _SURE))
        if ("∇" in text or "\\nabla" in text) and any(row.left.text == gradient["name"] for row in rows):
            result = gradient["name"]
        return None if result is None or not names.inputs else [f"∂{result}/∂{wrt}" for wrt in names.wrt]
    items = _items(text)
    return items if len(items) > 1 and all(items) else None


def _items(text: str) -> list[str]:
    """Return the texts between the commas of a list, in brackets or not, without blanks; [""] if `text` is no list."""
    listed = _LISTED.match(text) if "," in text else None
    inside = listed[1] if listed else ""
    inside = inside.rpartition("]")[0] if inside.count("]") > inside.count("[") else inside  # [f_x, f_y]
    return [part.strip() for part in inside.split(",")]


def numbered_family(text: str, lefts: LeftSides) -> list[str] | None:
    """Return the numbered outputs or inputs meant by `text`: ["y1", "y2"] for `y`, ["dy1", "dy2"] for `dy`; else None.

    Outputs are tried before inputs. The stem is the first of the names without its number; the family are all names of
    this stem and a number, two or more. The stem is replaced by each of them where it first occurs in `text`. None if
    there is no such family, the stem is not in `text`, or a new symbol is not read as one of its name.
    """
    for family in (lefts.names.outputs, lefts.names.inputs):
        stem = family[0].rstrip("0123456789") if len(family) > 1 else ""
        numbered = [member for member in family if member.rstrip("0123456789") == stem != member]
        symbols = [text.replace(stem, member, 1) for member in numbered] if stem and stem in text else []
        owns = [left.quantity.name for symbol in symbols if (left := lefts[symbol]) is not None]
        if len(numbered) > 1 and owns == numbered:
            return symbols
    return None


def is_surely_list(name: str, last: str) -> bool:
    """Return whether a row with this `name` and `last` piece has one value for each symbol or is an error: names in
    brackets, and gradients, except the adjoint `grad_g = 1` and seeds.
    """
    is_listed = name.lstrip()[:1] == "(" or any(sign in name for sign in _GRADIENTS[:3])
    return is_listed and ("grad_" not in name or "," in last) and not ("(" in name and last.strip(" .;0") == "1")


def uneven_list(count: int) -> SyntaxProblem:
    """Build the error for a list whose number of values is not `count`, the number of names."""
    title, advice = "this list does not have one value for each name", "write one row for each name"
    return SyntaxProblem(title, None, f"{count} are named", help=advice)


def components_of(names: Sequence[Cut], lefts: LeftSides) -> list[Cut]:
    """Return the printed `names`; one that means several rows, as `x.grad` does, is replaced by a part for each row.

    The parts are those of a numbered family (`numbered_family`), which is tried first, or, if the name is not a symbol,
    of a gradient or list (`parse_list`). A part has the symbol of its row as text and the span of the name. Other names
    stay as they are.
    """
    parts: list[Cut] = []
    for name in names:
        symbols = numbered_family(name.text, lefts)
        if symbols is None and lefts[name.text] is None:
            symbols = parse_list(name.text, lefts.names)
        parts += [name] if symbols is None else [name._replace(text=symbol) for symbol in symbols]
    return parts


def _result(name: str | None, names: Names, *, sign: bool) -> str | None:
    """Return the output whose gradient is meant by `name`, the name in the gradient (None: none is written); else None.

    Without a name it is the only output. Otherwise it is the output that the name means, also as f, g or h. If it means
    none, it is the only output with `sign` (∇, or a word and `of`), but not if the name can be a row's (`names.is_row`,
    as v7). None if this would be one of several outputs.
    """
    single = names.outputs[0] if len(names.outputs) == 1 else None
    if name is None:
        return single
    output = names.own(name) if names.own(name) in names.outputs else names.result_of(name)
    return output or (single if sign and not names.is_row(name) else None)


def components(symbols: Sequence[str], pieces: Sequence[Cut]) -> list[list[Cut]] | None:
    """Return for each of `symbols` its part of every piece; each piece lists one value for each symbol.

    A piece is split as a list (`parts`), or else at the unit vectors i, j, k. One that cannot be split into as many
    parts, as in `∇f = (∂f/∂x, ∂f/∂y)ᵀ` for three symbols, is skipped; but the result is None if it is the last piece or
    empty. A comment after # is a piece of its own.
    """
    columns: list[list[Cut]] = [[] for _ in symbols]
    places = [(piece, piece.text.find("#")) for piece in pieces]
    split = [[each] if at < 0 else [inner(each, 0, at), inner(each, at + 1, len(each.text))] for each, at in places]
    pieces = [part for parts_of_piece in split for part in parts_of_piece]
    for piece in pieces:
        values = parts(piece, len(symbols)) or components_of_units(piece, symbols)
        if values is None and (end := factor_end(piece.text)):
            values = multiply_entries(piece, end, parts(inner(piece, end, len(piece.text)), len(symbols)))
        if values is None:
            if piece is not pieces[-1] and piece.text:
                continue  # ∇f = (∂f/∂x, ∂f/∂y)ᵀ and the like say nothing by themselves
            return None
        for column, part in zip(columns, values, strict=True):
            column.append(part)
    return columns


def go_on_in_list(collector: Collector, pieces: list[Cut]) -> None:
    """Add pieces without a name to the last row, or, right after a list such as `∇f = (a, b)`, to each row of the list.

    Right after means that no row was added since (`collector.listed`). The first that applies:
    - each row of the list gets its entry of every piece, if all pieces have such entries (`components`);
    - each row of the list gets one whole piece, if these are as many as the rows (`= 2, 4.878`);
    - all pieces are added to the last row, if it is still open.

    A row has at most 30 pieces; further ones are dropped.
    """
    symbols, count = collector.listed
    columns = components(symbols, pieces) if symbols and count == collector.count else None
    if columns is None and len(pieces) == len(symbols):
        columns = [[piece] for piece in pieces]  # = 2, 4.878
    if columns is None or count != collector.count:
        collector.go_on(pieces)
        return
    for row, column in zip(collector.part.rows[-len(symbols) :], columns, strict=False):
        row.pieces.extend(column[: PIECES - len(row.pieces)])


def factor_end(text: str) -> int:
    """Return the offset of the bracket of a list behind a factor, which is a number, a fraction of numbers, or ends in
    a sign of multiplication: 2 for `3 (4, 3)`; 0 if there is none or anything follows the bracket."""
    end = next((k for k, sign in enumerate(text) if sign in "(["), 0)
    factor, levels = text[:end].strip(" \u00a0"), depths(text.rstrip(" .,;$\u00a0"))
    is_factor = factor[-1:] in ("*", "·", "×", "⋅") or all(numeral(each) is not None for each in factor.split("/"))
    return end if is_factor and 0 not in levels[end + 1 : -1] else 0


def multiply_entries(piece: Cut, end: int, entries: list[Cut] | None) -> list[Cut] | None:
    """Return `entries` as products with the factor before the offset `end` of their list `piece`; None for None."""
    factor = piece.text[:end].strip(" *·×⋅\u00a0")
    return entries and [entry._replace(text=f"({factor})*({entry.text})") for entry in entries]


def parts(piece: Cut, count: int) -> list[Cut] | None:
    """Return the `count` parts of a list of values, in brackets or not; None if it cannot be split into `count` parts.

    Separators are tried in this order until one gives `count` parts: semicolons, commas that are not between two
    digits, all commas; inside brackets then |, blanks not next to an operator, and all blanks. Separators inside
    further brackets do not count, nor do those at either end, except in brackets if these make the number right: `(3,
    2, )` has three parts, or two. A sign for transposed, and punctuation, may follow the brackets. For a `count` of 1
    return the whole inside of the brackets, or the whole piece.
    """
    text = apply_rules(piece.text, _RIGHT)
    match = _VALUES.match(text)
    start, end = match.span("inside") if match else (0, len(text))
    if count == 1:
        return [inner(piece, start, end)]
    levels = depths(text)
    for separator in _SEPARATORS if match else _SEPARATORS[:3]:
        spans = [each.span() for each in re.finditer(separator, text[start:end])]
        places = [(start + one, start + other) for one, other in spans if levels[start + one] == bool(match)]
        filled = [(one, other) for one, other in places if text[start:one].strip() and text[other:end].strip()]
        if not match or len(places) != count - 1:  # (3, 2, ) lacks the last one
            places = filled
        if len(places) == count - 1:
            return [inner(piece, *place) for place in between(places, start, end)]
    return None


def components_of_units(piece: Cut, symbols: Sequence[str]) -> list[Cut] | None:
    """Return the factors of unit vectors in a piece such as `12 i + 9 j`, one for each of `symbols`, derivatives.

    The unit vectors are i, j, k (also bold or with a hat), e_x, ê_x or x̂ for the inputs, or e_1, e_2, …, in this order.
    None if there are none of these (`_factors_of_units`).
    """
    inputs = [symbol.rpartition("∂")[2] for symbol in symbols]
    text = normalize("NFC", piece.text).replace("ê", "e")
    text = apply_rules(text if len(text) == len(piece.text) else piece.text.replace("ê", "e"), _RIGHT)
    numbered = [f"e_{k}" for k in range(1, len(symbols) + 1)]
    hats = [normalize("NFC", f"{name}\u0302") for name in inputs]
    letters = [*_UNITS[: len(symbols)]] if len(symbols) <= len(_UNITS) and {*inputs}.isdisjoint(_UNITS) else []
    families = ([f"e_{name}" for name in inputs], [f"e_{{{name}}}" for name in inputs], numbered, hats, letters)
    factors = (_factors_of_units(piece._replace(text=text), units) for units in families if units)
    return next(filter(None, factors), None)


def _factors_of_units(piece: Cut, units: Sequence[str]) -> list[Cut] | None:
    """Return the factors of the `units` in a piece; None if one is missing, or if text other than punctuation follows
    the last one.

    A unit is next to no other letter. The factor is the text before it, from the one before, without + and
    multiplication signs; one that is only a minus sign, or empty, is -1 or 1.
    """
    text, place, factors = piece.text, 0, list[Cut]()
    for unit in units:
        end = text.find(unit, place)
        while end >= 0 and (text[end + len(unit) :][:1].isalnum() or text[max(end - 1, 0) : end].isalpha()):
            end = text.find(unit, end + 1)
        if end < 0:
            return None
        factor = inner(piece, place, end)
        plain = factor.text.strip(" +*·\u00a0").removesuffix("\\,")
        factors.append(factor._replace(text=f"{plain}1" if plain in ("", "-", "−") else plain))
        place = end + len(unit)
    return None if text[place:].strip(" .;,$\u00a0") else factors


def join_matrices(lines: Sequence[str]) -> list[str]:
    """Return the lines with each matrix over several lines joined into its first line; the others become "".

    The first that applies says what is a matrix; it has at most 60 lines, and one without an end stays as it is.

    - Lines of a LaTeX matrix, and of nested brackets `[[1, 2],` / `[3, 4]]`, are appended with blanks between them.
      Nested brackets may begin in the first line that is not blank below one that ends in `=` or `:`.
    - A table with pipes whose header and first column have the same names is a Hessian: `f_{xx} = 2; …`.
    - Matrices of any entries, row below row, after the name of a matrix: `H = [2x 0] = [4 0]` above `[0 2] [0 2]`
      becomes `H = [[2x 0]; [0 2]] = [[4 0]; [0 2]]`. The first row may also be in the line below `H =` or `H:`.
    - Two rows of numbers or more below a line that ends in `=` or `:`, blank lines between allowed, are appended as one
      list, ` [[1 2]; [3 4]]`; below `=` also numbers alone, ` [1; 2]`. The `:` after the name of a matrix becomes `=`.

    A list below `2×2 Matrix{Float64}:`, as Julia shows `J = …` of the line above, is appended to that line, after
    another `=`. Appended lines are stripped, blank ones left out.
    """
    joined = list(lines)
    place = 0
    while place < len(joined):
        end, text = _matrix_at(joined, place)
        if end > place:
            is_type = place > 0 and " Matrix{" in joined[place] and "=" in joined[place - 1]
            if is_type:
                joined[place - 1] += " =" + text.removeprefix(joined[place])
            joined[place : end + 1] = ["" if is_type else text] + [""] * (end - place)
        place = max(end, place) + 1
    return joined


def _matrix_at(lines: Sequence[str], place: int) -> tuple[int, str]:
    """Return (index of the last line, text in one line) of the matrix that begins in the line `place`; (-1, "") if none
    does. It has at most 60 lines."""
    last = min(len(lines), place + _MOST_LINES)
    if "=" not in lines[place] and (table := _table_with_edges(lines, place, last)):
        return table
    if lines[place].lstrip()[:1] in _LEFT_BRACKETS and (matrix := _matrix_around_name(lines, place, last)):
        return matrix
    if (printed := _printed_lines(lines, place, last)) is not None:
        return printed
    return _open_matrix(lines, place, last) or _named_matrices(lines, place, last) or _numbers_below(lines, place, last)


def _printed_lines(lines: Sequence[str], place: int, last: int) -> tuple[int, str] | None:
    """Return the end and text, as `_matrix_at`, of numbers in brackets that a program prints over several lines, as
    `(Array(0.36, dtype=float32),` above `Array(-0.45, dtype=float32))`; None for others."""
    line = lines[place]
    if _open_brackets(line) <= 0:
        return None
    end = _end_of_brackets(lines, place, last)
    text = " ".join((line, *_texts(lines[place + 1 : end + 1])))
    return (end, text) if end > place and printed_numbers(text) else None


def _table_with_edges(lines: Sequence[str], place: int, last: int) -> tuple[int, str] | None:
    """Return the end and text, as `_matrix_at`, of a Hessian as a table with pipes or gaps, whose header and first
    column have the same names; None for others. Each entry is a row."""
    header = _cells(lines[place])
    has_corner = place + 1 == last or _cells(lines[place + 1])[:1] != header[:1]
    names = header[has_corner:]
    rows: list[list[str]] = []
    for end in range(place + 1, last if len(names) > 1 and all(names) else 0):
        cells = _cells(lines[end])
        if any(cell.strip("-+:") for cell in cells) or not lines[end].strip():  # no rule
            if cells[:1] != names[len(rows) : len(rows) + 1] or len(cells) != len(names) + 1:
                return None
            rows.append(cells)
        if len(rows) == len(names):
            entries = (f"f_{{{name}{by}}} = {cell}" for name, *row in rows for by, cell in zip(names, row, strict=True))
            return end, "; ".join(entries)
    return None


def _matrix_around_name(lines: Sequence[str], place: int, last: int) -> tuple[int, str] | None:
    """Return (index of the last line, text) of a matrix with a row in brackets in each line from `place` on, whose name
    is in front of another row than the first; None for others. `[1 2]` above `H = [3 4]` gives `H = [[1 2]; [3 4]]`.
    Lines from the index `last` on do not count."""
    parts = (line.rpartition("=") for line in lines[place:last])
    rows = [*takewhile(lambda part: _ROW_IN_BRACKETS.fullmatch(part[2]), parts)]
    heads = [head.strip() for head, equals, _ in rows if equals]
    if len(heads) != 1 or rows[0][1] or not MATRIX_NAME.match(heads[0]):
        return None
    entries = "; ".join(f"[{row.strip(' .,;')[1:-1]}]" for *_, row in rows)
    return place + len(rows) - 1, f"{heads[0]} = [{entries}]"


def _cells(line: str) -> list[str]:
    """Return the cells of a line of a table, between pipes, which may also be at both ends, or else between blanks;
    without bold signs and dollars."""
    cells = line.strip().removeprefix("|").removesuffix("|").split("|") if "|" in line else line.split()
    return [cell.strip(" *$`") for cell in cells]


def _open_matrix(lines: Sequence[str], place: int, last: int) -> tuple[int, str] | None:
    """Return the end and text, as `_matrix_at`, of a LaTeX matrix or nested brackets; (-1, "") if these are not closed
    before the index `last`, None for other lines."""
    line = lines[place]
    is_latex = line.rfind("matrix}") >= 0 and line.rfind("\\begin{") > line.rfind("\\end{")
    is_title = line.rstrip().endswith(("=", ":"))
    first = next((k for k in range(place + 1, last) if lines[k].strip()), place) if is_title else place
    is_flat = _begins_flat_list(line)
    if not (is_latex or is_flat or "[[" in line or "([" in line or lines[first].lstrip().startswith("[[")):
        return None
    end = _end_of_environment(lines, place, last) if is_latex else _end_of_brackets(lines, first, last)
    rows = (line, *_texts(lines[place + 1 : end + 1]))
    return (end, "; ".join(row.rstrip(" ;,") for row in rows) if is_flat else " ".join(rows)) if end >= 0 else (-1, "")


def _begins_flat_list(line: str) -> bool:
    """Return whether a line ends inside the only bracket behind the name of a matrix or gradient, `∇f = [12`."""
    name, _, behind = line.partition("=")
    is_open = _open_brackets(behind) == behind.count("[") + behind.count("(") == 1
    return is_open and "{" not in behind and _is_named(name)


def _named_matrices(lines: Sequence[str], place: int, last: int) -> tuple[int, str] | None:
    """Return the end and text, as `_matrix_at`, of matrices side by side after the name of a matrix or gradient; None
    for others."""
    name, _, behind = lines[place].partition("=")
    name = name.rstrip(" :")
    begins = (
        behind.lstrip()[:1] or lines[place].rstrip()[-1:],
        *(text.lstrip()[:1] for text in lines[place + 1 : place + 2]),
    )
    may_be_rows = begins[0] in _LEFT_BRACKETS | {"=", ":"} and not _LEFT_BRACKETS.isdisjoint(begins[1:])
    rows = list(_rows_side_by_side(lines, place, last)) if may_be_rows and _is_named(name) else []
    if len(rows) < 2:
        return None
    around = "{}" if _has_gradient(name) else "[{}]"
    matrices = ([around.format(row[1:-1].strip()) for row in each] for each in zip(*filter(None, rows), strict=True))
    return place + len(rows) - 1, name + "".join(f" = [{'; '.join(matrix)}]" for matrix in matrices)


def _is_named(name: str) -> bool:
    """Return whether a text ends with the name of a matrix or gradient."""
    return MATRIX_NAME.match(name.strip()) is not None or (_has_gradient(name) and _GRADIENT.match(name) is not None)


def _numbers_below(lines: Sequence[str], place: int, last: int) -> tuple[int, str]:
    """Return (index of the last line, text) of two rows of numbers or more below the line `place`, which ends in `=` or
    `:`; (-1, "") if there are none before the index `last`.

    `A =` above `1 2` and `3 4` gives `A = [1 2; 3 4]`; a `:` after the name of a matrix becomes `=`.
    """
    line = lines[place]
    end = _end_of_numbers(lines, place, last) if line.rstrip().endswith(("=", ":")) else -1
    numbers, name = _texts(lines[place + 1 : end + 1]), line.rstrip().rstrip("=:")
    if not numbers:
        return -1, ""
    head = f"{name.rstrip()} =" if MATRIX_NAME.match(name.strip()) else line
    return end, f"{head} [{'; '.join(numbers)}]"


def _texts(lines: Sequence[str]) -> list[str]:
    """Return the lines that are not blank, stripped."""
    return [text for line in lines if (text := line.strip())]


def _end_of_environment(lines: Sequence[str], place: int, last: int) -> int:
    r"""Return the index of the first line after `place`, before `last`, that ends an environment of LaTeX and begins
    none; -1 if there is none."""
    closing = (k for k in range(place + 1, last) if lines[k].rfind("\\end{") > lines[k].rfind("\\begin{"))
    return next(closing, -1)


def _open_brackets(text: str) -> int:
    """Return the number of opening round and square brackets minus that of closing ones."""
    return text.count("[") + text.count("(") - text.count("]") - text.count(")")


def _end_of_brackets(lines: Sequence[str], first: int, last: int) -> int:
    """Return the index of the line, from `first` on and before `last`, in which round and square brackets are closed;
    -1 if they stay open."""
    depth = 0
    for k in range(first, last):
        depth += _open_brackets(lines[k])
        if depth <= 0:
            return k
    return -1


def _rows_side_by_side(lines: Sequence[str], place: int, last: int) -> Iterator[list[str]]:
    """Yield the rows in each line of the matrices side by side that begin in the line `place`, with their brackets.

    The line `place` has an equals sign before the first row; it yields [] if nothing is behind its `=` or `:`. Each
    line below, before the index `last`, has as many rows (one below []), with blanks and, in one of the lines, equals
    signs between them; the first other line ends. Brackets are those of `_PAIRS`; inside there may be anything but a
    bracket of the same kind. Nothing is yielded if the line has anything else behind its equals sign, or if equals
    signs between rows are missing.
    """
    behind = lines[place].partition("=")[2]
    is_title = not behind.strip() and lines[place].rstrip().endswith(("=", ":"))
    below = lines[place + 1 : last]
    count = 1 if is_title else len(_ROW_IN_BRACKETS.findall(behind))
    if max(line.count("=") for line in (behind, *below[:_MOST_ROWS])) < count - 1:
        return
    for line in ("", *below) if is_title else (behind, *below):
        plain = line.replace("=", " ")
        rows = _ROW_IN_BRACKETS.findall(plain)
        if "".join(rows).strip() != plain.strip() or len(rows) != (count if line else 0):
            return
        yield [row.strip(" .,;") for row in rows]


def _end_of_numbers(lines: Sequence[str], place: int, last: int) -> int:
    """Return the index of the last line, before the index `last`, of the rows of numbers below the line `place`, which
    ends in `=` or `:`; -1 for fewer than two rows."""
    fits = partial(_is_row_of_numbers, may_be_single=lines[place].rstrip().endswith("="))
    below = takewhile(lambda k: not lines[k].strip() or fits(lines[k]), range(place + 1, last))
    rows = [k for k in below if lines[k].strip()]
    return rows[-1] if len(rows) > 1 else -1


def _is_row_of_numbers(line: str, *, may_be_single: bool) -> bool:
    """Return whether a line is a row of a matrix: two numbers or more, with blanks or commas between them, in brackets,
    between vertical lines or without both; with `may_be_single` also a number alone, without brackets.

    Brackets are round or square, or drawn over several lines as ⎡⎤ and ⎜⎟; the first and last sign must be a pair.
    With anything behind them it is not one.
    """
    text = line.strip()
    if may_be_single and numeral(text) is not None:
        return True
    numbers = (text[1:-1] if text[:1] + text[-1:] in _PAIRS else text).replace(",", " ").split()
    return len(numbers) > 1 and all(numeral(number) is not None for number in numbers)
