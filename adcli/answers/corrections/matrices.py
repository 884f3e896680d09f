r"""Correction: matrices, namely Jacobians in brackets or in LaTeX, and lists of outputs, `J = [[3, 2], [4, -1]]`.

Signs: f g h j d ∇ ∂ f' \partial
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...patterns import pattern
from ...records import grouped
from ..answer_model import VALUE
from ..chains import between, inner
from ..collector import Cut, RawRow
from ..line_rewriting import BLANK
from ..numerals import numeral
from ..row_tokens import chunks, depths
from ..symbols import FUNCTIONS, Names
from ..vectors import MATRIX_NAME, factor_end, multiply_entries
from . import Correction, SplitRow

# ∂(y1, y2)/∂(x1, x2), with the names in its groups.
_QUOTIENT = pattern(r"(?:\\frac\{)?[∂d]\s*\(([^()]*+)\)(?:/|\}\{)[∂d]\s*\(([^()]*+)\)\}?\s*\Z", signs="(")
_GAP, _WITHOUT_GAP = "  ", pattern(r"\S++(?:\s\S++)*+")  # between the entries of a row, and one of them
_OPERATORS, _MOST_DEPTH = "+-−*/·×^=", 4  # what joins the words of an entry, and how many brackets may be around it
# What a matrix is written in, apart from brackets; it contains no entry.
_WRITTEN_IN = (
    *(f"\\{word}{{{kind}matrix}}" for word in ("begin", "end") for kind in "pbvB"),
    "\\left", "\\right", "\\par", "jnp.array", "np.array", "torch.tensor", "tensor", "array", "Matrix",
)  # fmt: skip


def _entries(piece: Cut, count: int = 0) -> list[Cut]:
    """Return the entries of a matrix in brackets or in a LaTeX environment, row by row, without the ends of rows.

    [] if the piece begins neither with a bracket ([, ( or {) nor with such an environment; words such as `np.array` may
    be before it, and a factor, which then multiplies the entries, of which there must be several. If more than
    punctuation is behind its bracket, the piece is one entry. Entries are separated by commas, semicolons, & and |
    outside of brackets (the ends of rows in LaTeX must be semicolons already), and by the brackets of rows; empty ones
    are left out. They are split at gaps of two blanks or more if all of them have one. If all words between blanks, in
    all entries, are then numbers, each of them is an entry: `[1 2; 3 4]` has four. If there are not `count` entries (0:
    any number), they are split at other blanks, where that gives as many (`_words`).
    """
    text = _with_brackets(piece.text)
    if end := factor_end(text):
        products = multiply_entries(piece, end, _entries(inner(piece, end, len(text)), count)) or []
        return products[: len(products) * (len(products) > 1)]
    if not text.lstrip().startswith(("[", "(", "{")):
        return []
    levels = depths(text)
    spans = _between_gaps(text, [*_spans(text, levels, 0, len(text))])
    lists = [chunks(text, *span) for span in spans]
    single = [place for places in lists for place in places]
    if all(numeral(text[slice(*place)]) is not None for place in single):
        spans = single  # numbers with blanks between them
    for joins_numbers in (False, True) if count not in (0, len(spans)) else ():
        words = [word for places in lists for word in _words(text, levels, places, joins_numbers)]
        spans = words if len(words) == count else spans
    return [inner(piece, *place) for place in spans]


def _with_brackets(text: str) -> str:
    """Return a matrix with brackets instead of an environment of LaTeX, and without words before it and punctuation
    behind it. Each character keeps its place."""
    for mark in _WRITTEN_IN:
        bracket = "(" * ("begin" in mark) or ")" * ("end" in mark)
        text = text.replace(mark, bracket.rjust(len(mark)))
    return text.rstrip(" .,;$\u00a0").replace(BLANK, " ")


def _spans(text: str, levels: Sequence[int], start: int, end: int, depth: int = 0) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the entries in the part of `text` from `start` to `end`, inside of `depth` brackets.

    `levels` are the `depths` of `text`. Brackets around nothing but entries are rows: one alone in its place, and
    several next to each other if they are square or have separators, `[1 2] [3 4]`, but not `(x+1)(x-1)`.
    """
    separators = [(k, k + 1) for k in range(start, end) if levels[k] == depth and text[k] in ",;&|"]
    for one, other in between(separators, start, end):
        rows = _rows_inside(text, levels, one, other, depth) if depth < _MOST_DEPTH else []
        for begin, close in rows:
            yield from _spans(text, levels, begin + 1, close - 1, depth + 1)
        if not rows and text[one:other].strip():
            yield one, other


def _rows_inside(text: str, levels: Sequence[int], start: int, end: int, depth: int) -> list[tuple[int, int]]:
    """Return (start, end) of the brackets inside of `depth` others if they are all of `text` from `start` to `end` and
    rows: each opens with [ or has one of `, ; & |` in it, or there is only one. Else []; ends are exclusive."""
    here = [k for k in range(start, end) if levels[k] == depth]
    ends = ([k for k in here if text[k] in brackets] for brackets in ("([{", ")]}"))
    rows = [(begin, close + 1) for begin, close in zip(*ends, strict=False)]
    is_all = not any(text[slice(*place)].strip() for place in between(rows, start, end))
    are_rows = all(text[begin] == "[" or any(map(text[begin:close].__contains__, ",;&|")) for begin, close in rows)
    return rows if is_all and (are_rows or len(rows) == 1) else []


def _words(
    text: str, levels: Sequence[int], places: Sequence[tuple[int, int]], joins_numbers: bool
) -> Iterator[tuple[int, int]]:  # fmt: skip
    """Yield (start, end) of the words of an entry, whose parts between blanks are `places` in `text`.

    Words end at blanks outside of further brackets (`levels` are the `depths`) and next to no operator, except for a
    sign before the next word: `2y -x` is two. With `joins_numbers` a number belongs to the letters behind it: `2 y`.
    """
    start = places[0][0]
    for (_, end), (begin, close) in pairwise(places):
        is_sign = text[begin] in _OPERATORS[:3] and close > begin + 1
        is_joined = text[end - 1] in _OPERATORS or (text[begin] in _OPERATORS and not is_sign)
        is_factor = joins_numbers and text[begin].isalpha() and numeral(text[start:end]) is not None
        if levels[end] == levels[start] and not is_joined and not is_factor:
            yield start, end
            start = begin
    yield start, places[-1][1]


def _between_gaps(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return (start, end) of the parts of the `spans` of `text` that have two blanks or more between them; `spans`
    itself if one of them has no such gap."""
    if not all(_GAP in text[slice(*span)].strip() for span in spans):
        return spans
    return [match.span() for span in spans for match in _WITHOUT_GAP.finditer(text, *span)]


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return a row for each derivative in a Jacobian, or in a Hessian if second derivatives are requested.

    The entries are in the order of outputs, and of inputs for each output. Two kinds of rows are read:
    - `∂(y1, y2)/∂(x1, x2)`, which lists outputs and inputs. Its entries are those of the matrix in its last piece, or
      else its pieces.
    - The name of a matrix, which is not an input, or a matrix of names of derivatives (`_names_in_brackets`), and a
      last piece that begins with a bracket.

    A list after f, g, h or a capital of these, alone or in a call, has the values of several outputs if the answer has
    rows of no other one of these letters, and it is not an input.

    The entries of a matrix are read row by row, after `^T` column by column. None for other rows, and if the number of
    entries is wrong; but then a matrix after a name that ends in f or a bracket (`Jf`, `J(x, y)`, a quotient) gives [].
    Both entries of a mixed derivative are pieces of its row, so that they must be equal; so are those of the matrices
    before the last piece. A matrix of names, `((f_xx, f_xy), (f_xy, f_yy))`, says which derivatives the entries are.
    """
    row, in_matrix = split.row, _entries(split.last)
    is_factor = len(in_matrix) == 1 and in_matrix[0].text == split.last.text  # (1 - x) e^(-x)
    symbols = _symbols(row.left.text, bool(in_matrix) and not is_factor, split.lefts.names)
    if symbols is None and in_matrix:
        symbols = _names_in_brackets(split, len(in_matrix)) or _outputs(split)
    if symbols is None:
        return None
    entries = _entries(split.last, len(symbols)) or row.pieces
    if len(entries) != len(symbols):
        return [] if symbols and in_matrix and row.left.text.rstrip(" :")[-1:] in (")", "f") else None
    pieces = _pieces_by_symbol(symbols, entries, split)
    return [
        row._replace(left=row.left._replace(text=symbol), pieces=each, place=row.left.span)
        for symbol, each in pieces.items()
    ]


def _outputs(split: SplitRow) -> list[str] | None:
    """Return the outputs, if there are several without a derivative and the left side is the only name of them, `f`;
    else None."""
    names, name = split.lefts.names, split.row.left.text.partition("(")[0].strip()
    functions = {each.partition("(")[0].strip() for each in split.written} & {*FUNCTIONS}
    is_function = functions == {name} and functions.isdisjoint(names.inputs)
    return [*names.outputs] if is_function and len(names.outputs) > 1 and "/" not in names.outputs[0] else None


def _names_in_brackets(split: SplitRow, count: int) -> list[str] | None:
    """Return the names on the left side if that is a matrix of `count` derivatives, `[f_x f_y]`, two or more; else
    None."""
    names = _entries(split.row.left, count) if count > 1 and split.row.left.text[:1] in ("[", "(") else []
    return [name.text for name in names] if len(names) == count > 1 and _are_derivatives(names, split) else None


def _pieces_by_symbol(symbols: list[str], entries: list[Cut], split: SplitRow) -> dict[str, list[Cut]]:
    """Return the pieces of the row of each symbol: its entries in the matrices before the last piece, then `entries`.

    Matrices of another size are left out, and all if `entries` are the pieces of the row themselves. The symbols are
    those of a matrix of names, whose entries are no pieces, or else `symbols`.
    """
    pieces = () if entries is split.row.pieces else split.row.pieces[:-1]
    matrices = [each for piece in pieces if len(each := _entries(piece, len(symbols))) == len(symbols)]
    named = [each for each in matrices if _are_derivatives(each, split)]
    names = [entry.text for entry in named[0]] if named else symbols
    others = [*(each for each in matrices if each not in named), entries]
    return grouped((symbol, entry) for each in others for symbol, entry in zip(names, each, strict=True))


def _are_derivatives(entries: Sequence[Cut], split: SplitRow) -> bool:
    """Return whether all entries are names of derivatives, as f_xx and f_xy in `H = ((f_xx, f_xy), (f_xy, f_yy))`."""
    symbols = [split.lefts[entry.text] for entry in entries]
    return all(each is not None and (each.quantity.kind != VALUE or "/" in each.quantity.name) for each in symbols)


def _symbols(text: str, has_matrix: bool, names: Names) -> list[str] | None:
    """Return the symbols of the entries of the matrix with the name `text`, row by row; None if it is no matrix.

    The first that applies:
    - A Hessian: the symbols of all second derivatives with respect to all inputs ("" for one that the task does not
      have).
    - A quotient such as `∂(u, v)/∂(x, y)`, whether or not a matrix follows: those of the outputs and inputs that it
      lists.
    - A Jacobian or gradient: those of all outputs with respect to all inputs in `names.wrt`, column by column after
      `^T` (`_by_columns`).

    Names such as J and H (`MATRIX_NAME`) count only if a matrix follows (`has_matrix`) and if they are not inputs.
    """
    named = MATRIX_NAME.match(text) if has_matrix and text.strip() not in names.inputs else None
    if named and named["hessian"]:
        places = range(1, len(names.inputs) + 1)
        return [names.known.get(f"H{i}{k}", "") for i in places for k in places]
    quotient = _QUOTIENT.match(text.replace("\\partial", "∂").strip())
    outputs, inputs = names.outputs, names.wrt
    if quotient:
        outputs, inputs = (tuple(names.own(name.strip()) for name in listed.split(",")) for listed in quotient.groups())
    symbols = [f"∂{output}/∂{wrt}" for output in outputs for wrt in inputs]
    return _by_columns(symbols, len(inputs), named) if quotient or named else None


def _by_columns(symbols: list[str], count: int, named: re.Match[str] | None) -> list[str]:
    """Return the symbols of a matrix of `count` columns; column by column if its name says that it is transposed."""
    is_transposed = named is not None and named["transposed"]
    return [symbol for k in range(count) for symbol in symbols[k::count]] if is_transposed else symbols


CORRECTION = Correction("a matrix is read as one row for each entry", "J = [[3, 2], [4, -1]]", of_row=_rows)
