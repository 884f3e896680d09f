"""The rows of a trace as statements of a derivation: tables and sweeps that are written as formulas without numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...graph.copies import copy_formula
from ...graph.graph import Graph
from ...notation.formula import program_text
from ...records import NamedTuple
from ..answer_model import BAR, VALUE, Entry, Quantity, RowPiece
from ..collector import Cut
from .derivation_lines import Statement


class TraceRows(NamedTuple):
    """The rows of a trace, and the name of what its adjoints differentiate; without `entries` there is no trace.

    The derivative of an input is its seed with `has_seeds`, else that of the result with respect to it."""

    entries: tuple[Entry, ...] = ()
    result: str = ""
    has_seeds: bool = True


def possible_results(entries: Sequence[Entry], output: str) -> list[str]:
    """Return the names that the result of a trace may have: its last row with a value that no other value is computed
    from and whose adjoint, if it is written, is 1; then `output`, the name in the problem."""
    values = [entry for entry in entries if entry.quantity.kind == VALUE and entry.pieces]
    used = {symbol.name for entry in values for symbol in entry.symbols if symbol != entry.quantity}
    ends = {entry.quantity.name: entry.pieces[-1] for entry in entries if entry.quantity.kind == BAR and entry.pieces}
    used |= {name for name, end in ends.items() if end.number is None or end.number.value != 1}
    ends_of_values = [entry.quantity.name for entry in values if entry.quantity.name not in used]
    return [*dict.fromkeys((*ends_of_values[-1:], output))]


def statements_of_rows(rows: TraceRows, wrt: Sequence[str]) -> list[Statement]:
    """Return the rows of an answer as statements: `v = …` for a value, `∂v/∂x = …` for a tangent, `∂y/∂v = …` for an
    adjoint.

    A tangent is by its own input, or else by the only name in `wrt`; but that of a name in `wrt` itself, without an
    input, is the derivative ∂y/∂x of the result if the rows have no seeds. Other tangents without an input, and rows
    without pieces, are left out. Of an adjoint that is written several times as a sum (`+=`, or with itself on the
    right) only the last row is kept, with the earlier ones in it, beginning at 0.
    """
    texts = {each: _symbol(each, rows, wrt) for entry in rows.entries for each in (entry.quantity, *entry.symbols)}
    sums: dict[Quantity, Statement] = {}
    statements: list[Statement] = []
    for entry in rows.entries:
        quantity, left = entry.quantity, texts[entry.quantity]
        if left is None or not entry.pieces:
            continue
        before, known = sums.get(quantity), texts
        if quantity.kind == BAR and quantity in entry.symbols:  # also in `+=`
            known = texts | {quantity: before.pieces[-1].text if before is not None else "0"}
            statements = [each for each in statements if each is not before]
        pieces = [Cut(_formula(piece, known), piece.span) for piece in entry.pieces]
        statements.append(Statement(Cut(left, entry.span), pieces, 0))
        sums |= {quantity: statements[-1]} if quantity.kind == BAR else {}
    return statements


def _symbol(quantity: Quantity, rows: TraceRows, wrt: Sequence[str]) -> str | None:
    """Return how a derivation writes a quantity: `v`, `∂v/∂x`, or `∂y/∂v` with y the result of `rows`.

    A tangent without an input is ∂y/∂v if v is in `wrt` and the rows have no seeds, else by the only name in `wrt`;
    None if there are several or none. A minus in a name is written as m (v-1 is vm1)."""
    name, key = quantity.name.replace("-", "m"), quantity.key
    if quantity.kind == VALUE:
        return name
    if quantity.kind == BAR or (key is None and name in wrt and not rows.has_seeds):
        return f"∂{rows.result}/∂{name}"
    key = key or (wrt[0] if len(wrt) == 1 else None)
    return None if key is None else f"∂{name}/∂{key}"


def _formula(piece: RowPiece, texts: Mapping[Quantity, str | None]) -> str:
    """Return the text of a piece with its quantities as in `texts`; as written if it has only names as written there,
    if it cannot be read, and if a quantity has no text."""
    names = {name: texts[quantity] for name, quantity in piece.quantities.items()}
    if piece.graph is None or None in names.values() or all(name == text for name, text in names.items()):
        return piece.span.text
    copy = Graph()
    end = copy_formula(copy, piece.graph, piece.graph.outputs[0][1], {}, lambda name: copy.input(f"({names[name]})"))
    copy.outputs = [("y", end[piece.graph.outputs[0][1]])]
    return program_text(copy)
