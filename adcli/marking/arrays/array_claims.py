"""Claims: what the rows of an answer say about one array, as a whole or entry by entry. A block is an array of the
problem's program, known by its number; a helper is a claim about no block. Missing arrays get names here, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from ...answers.answer_model import BAR, DERIVATIVE, VALUE, Answer, Entry, Numeral, Quantity, RowPiece, Task
from ...answers.arrays.array_lines import ArrayLine, ArrayPiece, read_array_answer
from ...answers.arrays.array_texts import MARK
from ...answers.row_tokens import names_in
from ...arrays.shapes import Shape, places, size
from ...errors import Span
from ...graph.graph import Graph
from ...notation.table_formulas import write_adjoint, write_partial
from ...records import NamedTuple
from ..judging.quantities import Demand
from ..programs.array_reference import ArrayReference

_SOME_NUMBER = Numeral(Fraction(0), Fraction(1))


class ArrayClaim(NamedTuple):
    """A claim of the `rows` about one array, of a `kind` (VALUE or BAR) and `name`: its entries and formulas.

    `number` is the block that it is about, None for a helper. `entries` are those shown, None for one that is not;
    `shape` is that of a list as it is written, None for entries one by one. `formulas` are (index of the entry, piece),
    with None for a formula of the whole array.
    """

    kind: str
    name: str
    rows: tuple[ArrayLine, ...]
    number: int | None = None
    shape: Shape | None = None
    entries: tuple[Numeral | None, ...] = ()
    formulas: tuple[tuple[int | None, ArrayPiece], ...] = ()

    @property
    def span(self) -> Span:
        return self.rows[0].span

    @property
    def numbers(self) -> list[Numeral]:
        """Return the entries that are shown."""
        return [entry for entry in self.entries if entry is not None]

    @property
    def whole_formulas(self) -> list[ArrayPiece]:
        """Return the formulas of the whole array."""
        return [piece for place, piece in self.formulas if place is None]

    def fits_shape(self, shape: Shape) -> bool:
        """Return whether the numbers of a claim can be those of a block of this shape.

        - Without entries and without a shape: True, for single entries too.
        - With entries but without a shape (rows of single entries): True, unless `shape` is (), that of a number.
        - With a shape: the shapes must be equal. But all shapes with the same number of entries and at most one axis
          longer than 1 fit each other: a row, a column and a list; a number and an array of one entry.
        """
        if self.shape is None:
            return bool(self.rows[0].entry) == bool(shape) or not self.entries
        lengths = {length for each in (self.shape, shape) for length in (size(each), max(each, default=1))}
        return self.shape == shape or len(lengths) == 1

    def called_as(self, row: ArrayLine | None = None) -> str:
        """Return the name of a claim as the student wrote it, without the index of an entry.

        With `row`, it is the whole `written` of that row, with its index. Without, it is that of the first row, up to
        "[" if this row is a single entry. If nothing was written, it is the claim's `name`, in both cases.
        """
        written = (row or self.rows[0]).written or self.name
        return written.partition("[")[0] if row is None and self.rows[0].entry else written

    def is_sum_so_far(self) -> bool:
        """Return whether a formula of an adjoint's row contains the adjoint itself, as in W̄ = W̄ + …."""
        words = {name for piece in self.whole_formulas for name in names_in(piece.text)}
        return self.kind == BAR and f"{self.name}{MARK}" in words


def last_numbers(row: ArrayLine) -> ArrayPiece | None:
    """Return the last piece of a row that is a list of numbers or a number; None if no piece is."""
    return next((piece for piece in reversed(row.pieces) if piece.shape is not None), None)


def claims_of(rows: Sequence[ArrayLine], has_adjoints: bool) -> list[ArrayClaim]:
    """Return the claims that rows make, in order of first rows; `has_adjoints` is False if the problem has none.

    Rows of single entries (`row.entry`) of the same kind and name are one claim, until an index is repeated: this
    begins another claim. Rows of other claims may be between them. Its `entries` are the last numbers of its first row
    only, its shape is None and its `formulas` are empty, until the block is known. Each other row, also of an entry of
    an adjoint if there are none, is a claim of its own, with all its formulas, and with shape and entries of its last
    list of numbers; without numbers these are None and ().
    """
    claims: list[ArrayClaim] = []
    open_claims: dict[tuple[str, str], int] = {}
    for row in rows:
        key, last = (row.kind, row.name), last_numbers(row)
        claim = ArrayClaim(*key, (row,), entries=last.numbers if last else ())
        if not row.entry or (row.kind == BAR and not has_adjoints):  # ∂s1/∂z2
            formulas = tuple((None, piece) for piece in row.pieces if piece.shape is None)
            claims.append(claim._replace(shape=last.shape if last else None, formulas=formulas))
            continue
        place = open_claims.get(key)
        if place is not None and all(row.entry != other.entry for other in claims[place].rows):
            claims[place] = claims[place]._replace(rows=(*claims[place].rows, row))
        else:
            open_claims[key] = len(claims)
            claims.append(claim)
    return claims


def as_list(claim: ArrayClaim) -> ArrayClaim:
    """Return a claim of single entries that fill a whole list as this list, with shape and entries in order.

    Other claims are unchanged. Each row must have a number, and the claim no shape yet. The shape has the largest
    index, from 1, on each axis, and each entry must have a row; of two rows for one entry the last counts, and in a row
    its last number. Rows and formulas stay.
    """
    pieces = {row.entry: last_numbers(row) for row in claim.rows}
    shape = tuple(map(max, zip(*pieces, strict=False)))
    indices = [*product(*(range(1, n + 1) for n in shape))] if size(shape) == len(pieces) else []
    entries = [piece.numbers[0] for place in indices if (piece := pieces.get(place)) is not None]
    if claim.shape is not None or not shape or len(entries) < len(pieces):
        return claim
    return claim._replace(shape=shape, entries=tuple(entries))


def entry_place(index: Sequence[int], shape: Shape) -> int | None:
    """Return the place, from 0 and row by row, of the entry with this index, which counts from 1.

    Indices beyond the array's axes are ignored, whatever they are. None if the array has no such entry, if there are
    fewer indices than axes, and for a number (`shape` ()).
    """
    text = f"[{','.join(map(str, index[: max(len(shape), 1)]))}]"
    listed = places(shape)
    return listed.index(text) if text in listed else None


def sum_numerals(left: Numeral | None, right: Numeral | None, sign: str) -> Numeral | None:
    """Return left + right, or left - right if `sign` is "-", with the coarser (larger) unit of both.

    All else is that of `right`. None if one of them is None."""
    if left is None or right is None:
        return None
    value = left.value - right.value if sign == "-" else left.value + right.value
    return right._replace(value=value, unit=max(left.unit, right.unit))


def read_as_rows(task: Task, data: bytes, name: str, decimal: str) -> Answer:
    """Return an answer to a task with arrays as one Entry for each row, before it is judged.

    A row about a single entry has its index in the name, `A[1,2]`; a row about a whole array does not, and a list of
    numbers is one piece. The name is that of `row.name`, without signs of adjoints; the kind is that of the row. Pieces
    only tell where they are, and whether they are numbers (all the same placeholder, 0) or a formula (an empty graph).
    Rows about inputs are included; an answer without rows has no entries. `name` is the file name, `decimal` is `point`
    or `comma`. Raises NotGradable if the answer cannot be read.
    """
    read = read_array_answer(data, name, task, ArrayReference(task).names, decimal)
    entries = []
    for row in read.rows:
        called = row.name + (f"[{','.join(map(str, row.entry))}]" if row.entry else "")
        parts = [(piece.span, piece.shape is not None) for piece in row.pieces]
        pieces = [RowPiece(span, _SOME_NUMBER) if shown else RowPiece(span, graph=Graph()) for span, shown in parts]
        entries.append(Entry(Quantity(row.kind, called), tuple(pieces), row.span.source, row.span))
    return Answer("arrays", read.lines, tuple(entries), left_out=tuple(read.left_out))


# --- names of what is missing -----------------------------------------------------------------------------------------


def describe_missing(reference: ArrayReference, written: Mapping[int, str], demand: Demand) -> str:
    """Return what to call a quantity without a row: a derivative ∂f/∂x, a value by its name, an adjoint by its symbol.

    `written` has the answer's names by block, for values and adjoints alike; they come before the problem's name,
    `label` of `demand`, whose `slot` is the block. A step without a name in either is called by its formula in the
    problem, its adjoint "the adjoint of" this formula. The result and a seed never are: their name is that of
    `written`, else the `label`. In ∂f/∂x f is the result, x the input, named likewise.
    """
    number, label = demand.slot, written.get(demand.slot, demand.label)
    if demand.kind == DERIVATIVE:
        return str(write_partial(written.get(reference.output, reference.result), label))
    block = reference.blocks[number]
    is_named = block.is_input or block.user_named or demand.result or demand.seed or number in written
    if not is_named:
        label = reference.program.program.source.text[slice(*block.span)]
        return label if demand.kind == VALUE else f"the adjoint of {label}"
    return label if demand.kind == VALUE else str(write_adjoint(label))
