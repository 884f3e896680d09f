"""Raw rows of a section as entries: symbols become quantities, pieces numbers and graphs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ...errors import Span, SyntaxProblem
from ..model import BAR, DOT, VALUE, Answer, Entry, Quantity, Unread
from .collector import Part, Raw
from .formulas import Formulas
from .left_sides import symbol
from .order import in_order
from .symbols import Names

_MANY_WORDS = re.compile(r"(?:[^\W\d_]{2,}[\s,.;:'’-]++){3}")


def read_part(
    part: Part, form: str, lines: tuple[str, ...], inputs: Collection[str], outputs: Collection[str], decimal: str
) -> Answer:
    """The answer that a section holds."""
    first = Names(inputs, outputs)
    symbols = [symbol(row.left.text, first) for row in part.rows]
    written = [left.written for left in symbols if left and left.written]
    names = Names(inputs, outputs, written)
    formulas = Formulas(names, decimal)
    unread = list(part.unread)
    found: list[tuple[int, Entry]] = []
    for row in part.rows:
        left = symbol(row.left.text, names)
        if left is None:
            if not _is_prose(row):
                unread.append(Unread(row.left.span, _nameless(row)))
            continue
        quantity = _told(left.quantity, row, names)
        span = row.place or _inside(row, left.start, left.end)
        pieces = tuple(formulas.pieces(row.pieces, quantity))
        found.append((row.block, Entry(quantity, pieces, row.left.span.source, span)))
    found = list(_unfolded(found, names))
    return Answer(form, lines, in_order(found, names), tuple(unread), part.section)


def _unfolded(entries: Sequence[tuple[int, Entry]], names: Names) -> Iterator[tuple[int, Entry]]:
    """The entries, and after `v̄2 = v̄1 = 1` one for v̄1 as well, unless it has a row of its own."""
    written = {entry.quantity for _, entry in entries}
    for block, entry in entries:
        yield block, entry
        kind, name, _ = entry.quantity
        if kind == VALUE or name in names.outputs:
            continue
        for place, piece in enumerate(entry.pieces[:-1]):
            alone = piece.graph is not None and len(piece.graph) == 1  # a symbol or, as pi is, a constant
            only = next(iter(piece.quantities.values()), None) if alone else None
            if only is None or only in written or only.name in names.outputs:
                continue
            if only.kind == kind:
                written.add(only)
                yield block, Entry(only, entry.pieces[place + 1 :], entry.source, piece.span)


def _inside(row: Raw, start: int, end: int) -> Span:
    """The place of the symbol in its left side."""
    span = row.left.span
    if len(row.left.text) > span.end - span.start:
        return span
    return Span(span.start + start, max(span.start + end, span.start + start + 1), span.source)


def _told(quantity: Quantity, row: Raw, names: Names) -> Quantity:
    """The quantity with what the column's header or a title says about it."""
    kind, name, key = quantity
    if row.hint and kind == VALUE:
        kind, key = row.hint.kind, row.hint.key and names.own(row.hint.key)
        if kind == BAR and key not in names.outputs:  # an input is called as the result
            key = None
    if key is None:
        key = row.moving if kind == DOT else row.result if kind == BAR else None
    return Quantity(kind, name, key)


def _is_prose(row: Raw) -> bool:
    """Whether a line with an equals sign that names no row is a sentence, or a row of a table without a name."""
    return row.table or not row.left.text or _MANY_WORDS.search(row.left.text) is not None


def _nameless(row: Raw) -> SyntaxProblem:
    return SyntaxProblem(
        "this line does not say which row it is",
        row.left.span,
        "this is no name",
        help="begin with the name of the row, as in v1 = x^2 = 9",
    )
