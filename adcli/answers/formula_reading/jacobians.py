"""Jacobians and Hessians in answers of formulas: entries of a matrix in brackets, in LaTeX or as SymPy prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement

from ..chains import inner
from ..collector import Cut, RawRow
from ..higher_derivatives import read_quotient
from ..left_sides import LeftSides
from ..row_tokens import names_in
from ..vectors import parts

_GRADIENTS = ("∇", "nabla", "grad")
_TRANSPOSED = ("^T", "^{T}", "ᵀ", "\\top", "transpos")
_LISTS = ("(", "[", "⟨")


def is_printed(text: str) -> bool:
    """Return whether the left side `text` is the label of a result in a session, `Out[3]`."""
    return text.startswith("Out[")


def title_of_list(pieces: Sequence[Cut]) -> Cut | None:
    """Return ∇ as the left side of a statement without one, if its only piece begins like a list; else None."""
    return pieces[0]._replace(text="∇") if len(pieces) == 1 and pieces[0].text.startswith(_LISTS) else None


def last_list(pieces: Sequence[Cut]) -> Cut:
    """Return the last of `pieces` that begins with ( [ or ⟨ or with `Matrix(`; the last piece if none does.

    If the letters and digits of the last list of several are all 0, the list before it is returned, whatever it has: of
    `∇f = (2x, y) = (0, 0)` the first. A single list of zeros is returned. Of the result `Matrix([[2, x], [3, y]])` the
    list inside is returned; no other call is removed. IndexError if there are no pieces.
    """
    lists = [piece for piece in pieces if piece.text.startswith((*_LISTS, "Matrix("))] or pieces[-1:]
    is_zero = len(lists) > 1 and {each for each in lists[-1].text if each.isalnum()} == {"0"}
    piece = lists[-2 if is_zero else -1]
    text = piece.text.rstrip()
    is_printed_matrix = text.startswith("Matrix([") and text.endswith("])")
    return inner(piece, len("Matrix("), len(text) - 1) if is_printed_matrix else piece


def rows_of_matrix(piece: Cut, rows: int, columns: int) -> list[list[Cut]]:
    """Return `rows` rows of a matrix, each a list of `columns` entries; [] if it cannot be split into so many.

    First it is split into rows, lists such as `[a, b]` or texts between semicolons, and these into entries. If one row
    only is asked for, or if that does not give the numbers, as in a matrix of LaTeX, all `rows * columns` entries are
    split at once and taken row by row.
    """
    lists = [parts(row, columns) or [] for row in parts(piece, rows) or []] if rows > 1 else []
    if lists and all(lists):
        return lists
    flat = parts(piece, rows * columns) or []
    return [flat[start : start + columns] for start in range(0, len(flat), columns)]


def hessian_entries(
    rows: Sequence[Sequence[Cut]], inputs: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], list[Cut]]]:
    """Yield (inputs, its entry, or both entries of a mixed derivative) for each second derivative in the matrix `rows`,
    whose rows and columns are in the order of `inputs`; a pair of inputs is sorted."""
    for i, j in combinations_with_replacement(range(len(rows)), 2):
        yield tuple(sorted((inputs[i], inputs[j]))), [rows[i][j]] if i == j else [rows[i][j], rows[j][i]]


def jacobian_entries(
    text: str, piece: Cut, outputs: Sequence[str], inputs: Sequence[str]
) -> Iterator[tuple[str, str, Cut]]:
    """Yield (output, input, entry) for the entries of a Jacobian of several outputs, or of the gradient of one of them.

    `text` is the left side. It names outputs, `grad u`; without one it means all outputs, as `J` does, but nothing if
    it has the sign or word of a gradient. With `^T` in it the rows are those of the inputs. Entries come row by row.
    Nothing is yielded if the matrix `piece` does not have an entry for each output and input.
    """
    named = [name for name in names_in(text) if name in outputs]
    chosen = named or ([] if any(sign in text for sign in _GRADIENTS) else outputs)
    is_transposed = any(sign in text for sign in _TRANSPOSED)
    size = (len(inputs), len(chosen)) if is_transposed else (len(chosen), len(inputs))
    for i, row in enumerate(rows_of_matrix(piece, *size) if chosen else []):
        for k, entry in enumerate(row):
            place = (k, i) if is_transposed else (i, k)
            yield chosen[place[0]], inputs[place[1]], entry


def in_order_of(rows: Sequence[RawRow], inputs: Sequence[str], order: Sequence[str]) -> list[RawRow] | None:
    """Return the rows with other left sides: component k of a gradient, read as ∂y/∂inputs[k], becomes ∂y/∂order[k].

    The entries of a Hessian are renamed alike. `inputs` and `order` have the same names. The left sides of components
    (`_components`) are renamed; other rows are unchanged. None if there are no components.
    """
    new = dict(zip(inputs, order, strict=True))
    renamed = _components(rows)
    components = [row.left.text for row in renamed]
    names = {f"{above}/∂{old}": f"{above}/∂{new[old]}" for old in inputs for above in _functions(components, old)}
    second = {read: text for text in components if (read := read_quotient(text, inputs))}
    for (function, wrt), text in second.items():
        names[text] = second.get((function, tuple(sorted(new[each] for each in wrt))), text)
    if names.keys().isdisjoint(components):
        return None
    return [_with_left(row, names.get(row.left.text)) if row in renamed else row for row in rows]


def stated_order(rows: Sequence[RawRow], lefts: LeftSides, inputs: Sequence[str]) -> tuple[str, ...]:
    """Return the order of the inputs that a gradient or matrix states: (b, a) of `∇f(b, a)` or `∇f = (f_b, f_a)`.

    The first component (`_components`) counts whose name has all inputs in brackets, each once, or else the derivatives
    that begin the pieces of the components, if these are with respect to all inputs, each once. () if there are none.
    """
    components = _components(rows)
    texts = (row.left.span.text.rpartition("(")[2] for row in components)
    orders = [tuple(name.strip() for name in text.partition(")")[0].split(",")) for text in texts]
    symbols = [lefts[row.pieces[0].text] for row in components if row.pieces]
    orders.append(tuple(symbol.quantity.key or "" for symbol in symbols if symbol is not None))
    return next((order for order in orders if sorted(order) == sorted(inputs)), ())


def _functions(components: Iterable[str], wrt: str) -> list[str]:
    """Return ∂y of each of `components` that is spelled ∂y/∂`wrt`, as `parse_list` spells it."""
    return [text.removesuffix(f"/∂{wrt}") for text in components if text.endswith(f"/∂{wrt}")]


def _components(rows: Sequence[RawRow]) -> list[RawRow]:
    """Return the rows that share a left side, in which neither ∂ nor / is written, and which is their `place`: those of
    ∇f or a matrix. A row alone, `derivative wrt x: 2`, names its own input."""
    named = [row for row in rows if row.place == row.left.span and not {"∂", "/"} & {*row.left.span.text}]
    counts = Counter(row.left.span for row in named)
    return [row for row in named if counts[row.left.span] > 1]


def _with_left(row: RawRow, text: str | None) -> RawRow:
    """Return the row with `text` as its left side; the row itself for None."""
    return row if text is None else row._replace(left=row.left._replace(text=text))
