"""Formulas as tables write them, which also know their pieces: names, numbers, derivatives, and formulas joined of
these.

A table needs only the text, which is joined when the formula is created.  Documents need the pieces, which functions of
`table_pieces` build on demand: a formula holds the name of one, and its arguments.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..typings import TYPE_CHECKING
from .display_formula import Formula
from .number_text import MINUS

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .formula import Leaf
    from .formula_pieces import Piece
    from .table_pieces import Order

Place = tuple[int, tuple[int, int]]  # a slot, and where it is in the program's text


def _typeset(key: tuple[object, ...]) -> Piece:
    """Return the piece of a formula; `key` is (the name of a function of `table_pieces`, its arguments)."""
    from . import table_pieces  # only documents need it

    piece: Piece = getattr(table_pieces, str(key[0]))(*key[1:])
    return piece


def write_name(name: str, place: Place | None = None) -> Formula:
    """Return a name as a Formula; with `place` (slot, span) its piece records that origin."""
    return Formula(name, _typeset, ("name_piece", name, *(() if place is None else place)))


def write_indexed(name: str) -> Formula:
    """Return a name whose first letter is the stem and the rest its subscript: t10."""
    return Formula(name, _typeset, ("name_piece", f"{name[:1]}_{name[1:]}"))


def _write_accented(name: str, mark: str, accent: str) -> Formula:
    """Return a name with the combining character `mark` over its first letter; `accent` is the mark for typesetting."""
    text = unicodedata.normalize("NFC", name[:1] + mark + name[1:])
    return Formula(text, _typeset, ("accented_piece", name, accent))


def write_tangent(name: str) -> Formula:
    """Return the tangent of a name: a dot over its first letter, ẋ1."""
    return _write_accented(name, "\u0307", "dot")


def write_adjoint(name: str) -> Formula:
    """Return the adjoint of a name: a bar over its first letter, x̄1."""
    return _write_accented(name, "\u0304", "bar")


def write_partial(above: str, below: str) -> Formula:
    """Return a partial derivative: ∂v1/∂x1."""
    return Formula(f"∂{above}/∂{below}", _typeset, ("partial_piece", above, below))


def jacobian(above: Sequence[str], below: Sequence[str], rows: Sequence[Sequence[str]]) -> Formula:
    """Return `∂(x, y)/∂(r, t) = [1, 0; 0, 1]`, whose piece is a matrix; `rows` are the entries, a row for each of the
    names `above`.
    """
    cells = "; ".join(", ".join(row) for row in rows)
    text = f"∂({', '.join(above)})/∂({', '.join(below)}) = [{cells}]"
    return Formula(text, _typeset, ("jacobian_piece", tuple(above), tuple(below), tuple(map(tuple, rows))))


def quotient(text: str, sign: str, order: Order, above: str, below: Sequence[tuple[str, Order]]) -> Formula:
    """Return the derivative of `above` of this `order`; `text` is what tables write, `sign` is d or ∂. `below` holds
    (name, order) for each variable, where an order is a number or a letter."""
    return Formula(text, _typeset, ("quotient_piece", sign, order, above, tuple(below)))


@lru_cache(maxsize=2048)  # tables repeat numbers
def numeral(text: str) -> Formula:
    """Return a number as a Formula, in the digits of `text`, with a typographic minus."""
    text = MINUS + text[1:] if text.startswith("-") else text
    return Formula(text, _typeset, ("number_piece", text))


def write_words(text: str) -> Formula:
    """Return words in the position of a formula, such as the seed of a sweep."""
    return Formula(text, _typeset, ("text_piece", text))


def attach_piece(text: str, piece: Piece) -> Formula:
    """Return a Formula with this text and this piece."""
    return Formula(text, _typeset, ("same_piece", piece))


def juxtapose(left: Formula, right: Formula) -> Formula:
    """Return a product written side by side: `t10 dt00`."""
    return Formula(f"{left} {right}", _typeset, ("product_piece", left, right))


def unfold(text: str, graph: Graph, slot: int, leaves: Mapping[int, Leaf], first: bool = True) -> Formula:
    """Return a Formula with this text whose piece is the formula of `slot`, down to the slots in `leaves`; with
    `first` the slot itself is expanded even if it has a leaf."""
    return Formula(text, _typeset, ("slot_piece", graph, slot, leaves, first))


def join(*parts: str) -> Formula:
    """Return formulas side by side with the signs between them, as tables write them: `join(a, " + ", b)`.

    A part that is neither a Formula nor a known sign becomes a text.
    """
    return Formula("".join(parts), _typeset, ("joined_piece", *parts))


def equals(formula: str) -> Formula:
    """Return a right-hand side: `= x1 × x2`."""
    return join("= ", formula)


def join_with_commas(formulas: Sequence[str]) -> Formula:
    """Return the formulas with commas between them."""
    return join(*[part for formula in formulas for part in (", ", formula)][1:])


def program(text: str, graph: Graph) -> Formula:
    """Return a Formula with the program as it was typed as text, and its typeset outputs as piece."""
    return Formula(text, _typeset, ("program_piece", graph))


def bracket(formula: str, signs: str = "()") -> Formula:
    """Return the formula between the two characters of `signs`."""
    return Formula(f"{signs[0]}{formula}{signs[1]}", _typeset, ("fence_piece", formula, signs))
