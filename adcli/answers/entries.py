"""Entries from the raw rows of a section: symbols become quantities, pieces become numbers and graphs. A raw row is a
left side and pieces of text, an entry the quantity that it states, with numbers and graphs.

An entry is a row that is understood: the quantity it states (the value, tangent, adjoint or derivative of a row) and
its pieces, each a number, the graph of a formula, or the problem that it has. The entries are put in the order in which
they were computed: adjoints that are listed upwards are reversed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby, takewhile

from ..errors import Span, SyntaxProblem
from ..patterns import pattern
from ..records import grouped
from .answer_model import (
    BAR,
    DERIVATIVE,
    DOT,
    VALUE,
    Entry,
    Quantity,
    RowPiece,
    Unread,
    has_inner_mark,
    line_of,
    may_be_derivative,
    normal,
)  # fmt: skip
from .collector import RawRow, RawSection
from .formulas import FormulaReader, two_numbers
from .left_sides import LeftSides, shared_left_sides
from .numerals import numeral
from .row_tokens import names_in
from .shown_numbers import are_unequal, as_double
from .stated_numbers import without_corrected
from .symbols import FUNCTIONS, Names, NameSources, shared_names

_E, _NO_BASE = Quantity(VALUE, "e"), pattern(r"(?<![\w\\])e(?![\w\u0304]|\s*+(?:\^|\*\*|[⁰-⁹⁻ᵃ-ᶿˣʸᶻ]))")
_MANY_WORDS = pattern(r"(?:[^\W\d_]{2,}[\s,.;:'’-]++){3}")


def read_part(
    part: RawSection, other_rows: Sequence[RawRow], known: LeftSides, first: Names, decimal: str
) -> tuple[tuple[Entry, ...], tuple[Unread, ...]]:
    """Return (entries of the section `part` in the order in which they were computed, unread lines).

    `other_rows` are rows of other sections of the same answer, whose names formulas may use. `known` maps left sides to
    symbols. `first` has the names of the problem. `decimal` is "point" or "comma". The unread lines of `part` come
    first.

    - A row whose left side names no row becomes an unread line, at most one on each line, and only if the row has a
      letter or digit. All other rows become entries, even without pieces.
    - Pieces that the student has corrected are dropped (`without_corrected`).
    - Up to the row called e, unless e is an input, powers of e are those of Euler's number (`_names_without_e`).
    - Of `at x = 1 it is 6` only the first piece is kept (`_leads_to_number`). Two numbers that differ become one piece
      with a problem (`_check_one_number`).
    - `v̄2 = v̄1 = 1` gives an entry for v̄1 too, unless v̄1 has a row.
    - Adjoints listed from the inputs upwards are reversed (`in_order`).
    """
    names = names_with_rows(part.rows, other_rows, known, first)
    lefts = shared_left_sides(names)
    formulas = FormulaReader(names, decimal)
    unread = list(part.unread)
    entries: list[tuple[int, Entry]] = []
    count = 0 if "e" in first.inputs else _count_before_e(part.rows, lefts)
    early = FormulaReader(_names_without_e(part.rows, other_rows, known, first), decimal) if count else formulas
    for place, row in enumerate(part.rows):
        left = lefts[row.left.text]
        if left is None:
            if any(map(str.isalnum, row.span.text)) and all(line_of(row.span) != other.line for other in unread):
                unread.append(Unread(row.span, _without_name(row.left.span)))
            continue
        quantity = _complete_quantity(left.quantity, row, names)
        span = row.place or _span_of_symbol(row, left.start, left.end)
        is_early = place < count and not any(_NO_BASE.search(piece.text) for piece in row.pieces)
        reader = early if is_early else formulas
        pieces = tuple(reader.pieces(without_corrected(row.pieces), quantity))
        pieces = pieces[:1] if _leads_to_number(pieces, first.point.get(quantity.name)) else _check_one_number(pieces)
        entries.append((row.block, Entry(quantity, pieces, row.left.span.source, span, row.adds)))
    return in_order(list(_unfold_chains(entries, lefts)), names), tuple(unread)


def _count_before_e(rows: Sequence[RawRow], lefts: LeftSides) -> int:
    """Return the number of rows up to the first one called e, with it, in which powers of e are those of Euler's
    number; 0 if no row is."""
    return next((k for k, row in enumerate(rows, 1) if (left := lefts[row.left.text]) and left.quantity == _E), 0)


def _names_without_e(rows: Sequence[RawRow], other_rows: Sequence[RawRow], known: LeftSides, first: Names) -> Names:
    """Return the names of `names_with_rows` without rows called e and a step e of the problem."""
    other = first.sources._replace(steps=tuple(name for name in first.sources.steps if name != _E.name))
    kept = [row for row in rows if (left := known[row.left.text]) is None or left.quantity.name != _E.name]
    return names_with_rows(kept, other_rows, known, shared_names(other))


def _without_name(span: Span) -> SyntaxProblem:
    """Return the problem of a row whose left side, at `span`, names no row."""
    advice = "begin with the name of the row, as in v1 = x^2 = 9"
    return SyntaxProblem("this line does not say which row it is", span, "this is not a name", help=advice)


def names_with_rows(rows: Sequence[RawRow], other_rows: Sequence[RawRow], known: LeftSides, first: Names) -> Names:
    """Return the names of the problem, `first`, and of the left sides of `rows` and `other_rows`; without the point.

    `known` maps the text of a left side to its symbol. Added to the `sources` of `first` are
    - `lefts`: plain names as written, in the order of the rows, except inputs in capitals whose rows only repeat the
      point; then names `L_x` of a gradient; then the called functions, if there are two or more, or if there is a row L
      next to l(t);
    - `called`: functions called as in `f(x, y)`;
    - `derived`: names that have a tangent or adjoint, functions that the rows differentiate (`_functions_derived`),
      names such as `vbar1` in formulas of values, and `r_x` in a formula of r.

    `point` of the result is empty, whatever `first` has; its inputs and outputs are those of `first`.
    """
    symbols = [left for row in (*rows, *other_rows) if (left := known[row.left.text])]
    capitals = _inputs_in_capitals(rows, known, first)
    written = [left.written for left in symbols if left.written and left.written not in capitals]
    called = {left.called for left in symbols if left.called}
    derived = {left.quantity.name for left in symbols if left.quantity.kind in (DOT, BAR)}
    derived |= _functions_derived(rows, first)
    written += _names_of_gradient((left.quantity for left in symbols), first)
    derived.update(_steps_in_values(rows, known))
    if len(called) > 1 or {name.swapcase() for name in called}.intersection(written):  # f(g), g(x) are not one result
        written += sorted(called)
    lefts, calls = tuple(written), tuple(sorted(called))
    return shared_names(first.sources._replace(lefts=lefts, called=calls, derived=tuple(sorted(derived)), point=()))


def _names_of_gradient(quantities: Iterable[Quantity], first: Names) -> list[str]:
    """Return names `L_x` for the derivatives dL/dx if the answer has them for every input with respect to which to
    differentiate, two or more: L, in capitals, is then the result. [] otherwise, and if several names L have them.
    """
    derived = {each for each in quantities if each.kind == DERIVATIVE and each.key in first.wrt and each.name.isupper()}
    several = len({each.name for each in derived}) != 1 or len(first.wrt) < 2
    return [] if several or len(derived) < len(first.wrt) else [f"{each.name}_{each.key}" for each in derived]


def _steps_in_values(rows: Iterable[RawRow], known: LeftSides) -> Iterator[str]:
    """Yield names in formulas of values that are spelled as derivatives, but must be steps; names may repeat.

    Only rows of values count whose own name is not spelled as a derivative. From all of them come names with the word
    of a derivative between their letters and their number (`vbar1` in `y = vbar1 + 1`, also `v_dot_1`, but neither
    `v1_bar` nor `xbar`). From the first row of each name, say r, also come names that begin with `r_` (`r_x` in `r =
    sqrt(r_x^2 + r_y^2)`). Whether v1 has an adjoint row does not matter. Names have the spelling of `normal`: v_3 is
    v3.
    """
    above = {""}
    for row in rows:
        left = known[row.left.text]
        if left and left.quantity.kind == VALUE and not may_be_derivative(left.written or ""):
            row_name = normal(left.written or "")
            names = [normal(name) for piece in row.pieces for name in names_in(piece.text)]
            yield from (name for name in names if has_inner_mark(name))
            yield from (name for name in names if row_name not in above and name.startswith(f"{row_name}_"))
            above.add(row_name)


def _functions_derived(rows: Sequence[RawRow], first: Names) -> set[str]:
    """Return which of the functions f, g, h, F, G, H the rows define or differentiate: {"f", "g"} for rows `f = …` and
    `g' = …`.

    They are those in the symbol of a left side, of any kind; right sides do not count. If there is at least one and a
    formula uses an output's adjoint, `bar(y)` or `adj y`, all outputs of `first` are added. If there are then fewer
    than two names, the result is an empty set: then f alone may be the student's name of the result.
    """
    text = "".join(row.left.text for row in rows)
    if not any(map(text.__contains__, FUNCTIONS)):
        return set()
    plain = shared_left_sides(shared_names(NameSources(first.inputs, ())))
    lefts = [left for row in rows if (left := plain[row.left.text]) is not None]
    functions = {left.quantity.name for left in lefts}.intersection(FUNCTIONS)
    adjoints = [f"bar({name})" for name in first.outputs] + [f"adj {name}" for name in first.outputs]
    if functions and any(adjoint in piece.text for row in rows for piece in row.pieces for adjoint in adjoints):
        functions.update(first.outputs)
    return functions if len(functions) > 1 else set()


def _inputs_in_capitals(rows: Sequence[RawRow], known: LeftSides, first: Names) -> Collection[str]:
    """Return the inputs in capitals, {"X": 2.0, "Y": 3.0}, if the rows `X = 2`, `Y = 3` only repeat the point; else ().

    `known` maps left sides to their symbols, `first` has the inputs and the point. Every input must have a row of its
    name in capitals, and each of these rows, also several of one name, must have one piece, exactly the value of the
    input. () too if one of the capitals is the name of an input, as for inputs that are capitals already.
    """
    capitals = {name.upper(): float(value) for name, value in first.point.items() if name in first.inputs}
    values: dict[str, set[float | None]] = {}
    for row in rows:
        left = known[row.left.text]
        if left and left.written in capitals:
            number = numeral(row.pieces[0].text) if len(row.pieces) == 1 else None
            values.setdefault(left.written, set()).add(number and as_double(number.value))
    all_inputs_match = len(capitals) == len(first.inputs) and values == {name: {x} for name, x in capitals.items()}
    return capitals if all_inputs_match and capitals.keys().isdisjoint(first.inputs) else ()


def _unfold_chains(entries: Sequence[tuple[int, Entry]], lefts: LeftSides) -> Iterator[tuple[int, Entry]]:
    """Yield the entries as pairs (block, entry), with further entries for symbols of derivatives inside a row.

    An entry `v̄1 = 1`, with the pieces after the symbol, precedes `v̄2 = v̄1 = 1`, which keeps all its pieces; of
    several symbols the last comes first. The symbol must have no row, be a whole piece, not the last one, and of the
    same kind as the row. Either both symbol and row are derivatives of an output, `f_x = f_y = 1`, or neither is; or
    the row is the adjoint of an output, `f̄ = v̄1 = 1`.

    `MPK = ∂Y/∂K = 6` becomes `∂Y/∂K = 6` if ∂Y/∂K has no row (`_derivative_called`). If any entry's formula uses MPK,
    an entry `MPK = ∂Y/∂K` follows. If none uses it and MPK is not an output, later rows of MPK become rows of ∂Y/∂K,
    except those with a prime in a piece. A row that sets several adjoints to 0 keeps only this number.
    """
    names, written = lefts.names, {entry.quantity for _, entry in entries}
    used = {quantity for _, entry in entries for quantity in entry.symbols}
    called: dict[Quantity, Quantity] = {}
    for block, entry in entries:
        kind, name, _ = entry.quantity
        meant = _derivative_called(entry, lefts) if kind == VALUE and len(entry.pieces) > 1 else None
        if meant:
            written.add(meant)
            called |= {entry.quantity: meant} if entry.quantity not in used and name not in names.outputs else {}
            yield block, entry._replace(quantity=meant, pieces=entry.pieces[1:])
            if entry.quantity in used:
                yield block, entry._replace(pieces=entry.pieces[:1])
            continue
        is_plain = all("'" not in piece.span.text for piece in entry.pieces)  # not v(2) = h'(2) = 6
        entry = entry._replace(quantity=called.get(entry.quantity, entry.quantity)) if is_plain else entry
        entry = entry._replace(pieces=entry.pieces[-1:]) if _starts_sums(entry) else entry
        is_result = name in names.outputs
        alike = (is_result, is_result and kind != BAR)  # f_x = f_y and f̄ = v̄1, not dy/dx = du/dx
        inside: list[tuple[int, Entry]] = []
        for place, piece in enumerate(() if kind == VALUE or (is_result and kind == DOT) else entry.pieces[:-1]):
            symbol = _symbol_alone(piece)
            if symbol and symbol.kind == kind and (symbol.name in names.outputs) in alike and symbol not in written:
                written.add(symbol)
                inside.append((block, Entry(symbol, entry.pieces[place + 1 :], entry.source, piece.span)))
        yield from (*reversed(inside), (block, entry))


def _starts_sums(entry: Entry) -> bool:
    """Return whether a row sets several adjoints to 0, from which sums begin: `x1bar = x2bar = 0.0`."""
    *symbols, last = entry.pieces or (None,)
    is_zero = last is not None and last.number is not None and last.number.value == 0
    return entry.quantity.kind == BAR and is_zero and bool(symbols) and all(map(_symbol_alone, symbols))


def _derivative_called(entry: Entry, lefts: LeftSides) -> Quantity | None:
    """Return the derivative whose symbol is the whole first piece of a row, as in `MPK = ∂Y/∂K` or `v(2) = h'(2)`.

    `entry` must have a piece. None if that is not the symbol of a DERIVATIVE (a quotient or prime, not a tangent or
    adjoint), or if the row is that of an input. None too for the row of an output, except a call such as `v(2)` whose
    function, v, is not in the piece.
    """
    names, text = lefts.names, entry.pieces[0].span.text
    function, bracket, _ = entry.span.text.partition("(")
    if entry.quantity.name in (names.inputs if bracket and function not in text else (*names.inputs, *names.outputs)):
        return None
    left = lefts[text] if "'" in text or not text.isascii() else None  # h'(2), ẋ(t)
    quantity = left.quantity if left is not None and left.start == 0 else _symbol_alone(entry.pieces[0])
    return quantity if quantity is not None and quantity.kind == DERIVATIVE else None


def _symbol_alone(piece: RowPiece) -> Quantity | None:
    """Return the quantity whose symbol the piece is; None for formulas, numbers and constants such as pi."""
    is_alone = piece.graph is not None and len(piece.graph) == 1
    return next(iter(piece.quantities.values()), None) if is_alone else None


def _span_of_symbol(row: RawRow, start: int, end: int) -> Span:
    """Return the span, of at least one character, of the symbol from `start` to `end` in the text of the left side of
    `row`, with the bracket that closes it, as in δ(v4).

    If that text has another length than its span, because it was replaced, the span of the whole left side is returned.
    """
    span = row.left.span
    if len(row.left.text) != span.end - span.start:
        return span
    symbol = span.source.text[span.start + start : span.start + end]
    end += symbol.count("(") > symbol.count(")") and span.source.text.startswith(")", span.start + end)
    return Span(span.start + start, max(span.start + end, span.start + start + 1), span.source)


def _complete_quantity(quantity: Quantity, row: RawRow, names: Names) -> Quantity:
    """Return `quantity` completed by the header of the row's column and by the title above the row.

    A header (`row.hint`) replaces kind and key of a value, not of a tangent, adjoint or derivative. A header of kind
    DERIVATIVE gives `names.differential`, the kind (DOT or BAR) of `dv1`; the key in a header of adjoints is kept only
    if it is an output. Then, also without a header, a missing key is the input named by the title for a tangent
    (`row.moving`), and the output named by it for an adjoint (`row.result`).
    """
    kind, name, key = quantity
    if row.hint and kind == VALUE:
        kind, key = row.hint.kind, row.hint.key and names.own(row.hint.key)
        if kind == DERIVATIVE:  # a column headed `gradient` or `derivative`
            kind = names.differential
        if kind == BAR and key not in names.outputs:  # an input is called as the result
            key = None
    if key is None:
        key = row.moving if kind == DOT else row.result if kind == BAR else None
    return Quantity(kind, name, key)


def _leads_to_number(pieces: Sequence[RowPiece], value: float | None) -> bool:
    """Return whether the first of `pieces` is the `value` of an input and words, not only signs, lead to the second:
    `at x = 1 it is 6`.

    `pieces` are those of the row `x = 1 = 6`; the words are letters between the starts of the first two in the line.
    False if there is no second piece, or `value` is None or not exactly the number of the first. What the second piece
    is does not matter.
    """
    numbers = [piece.number for piece in pieces]
    if value is None or len(numbers) < 2 or numbers[0] is None or numbers[0].value != Fraction(str(value)):
        return False
    between = pieces[0].span.source.text[pieces[0].span.start : pieces[1].span.start]
    return any(map(str.isalpha, between))


def _check_one_number(pieces: tuple[RowPiece, ...]) -> tuple[RowPiece, ...]:
    """Return `pieces`; if all are numbers and one is not equal to the first, return a single piece with a problem.

    The single piece has the span of the first number that differs, the value of the last piece, and a problem that
    tells of two numbers. Equality is that of `are_unequal`.
    """
    numbers = [piece.number for piece in pieces if piece.number is not None]
    for piece, other in zip(pieces, numbers if len(numbers) == len(pieces) else (), strict=False):
        if are_unequal(numbers[0], other):
            return (RowPiece(piece.span, number=numbers[-1], problem=two_numbers(piece.span)),)
    return pieces


def is_prose(row: RawRow) -> bool:
    """Return whether a line without the name of a row is not one to report: a sentence, a table row, or an empty left
    side.
    """
    return row.table or not row.left.text or _MANY_WORDS.search(row.left.text) is not None


# --- the order in which rows were computed ----------------------------------------------------------------------------


def in_order(entries: Sequence[tuple[int, Entry]], names: Names) -> tuple[Entry, ...]:
    """Return the entries of pairs (block number, entry) in the order in which they were computed.

    In each block (pairs with the same number one after another), the adjoints of one output, also `∂y/∂v1`, that are
    listed from the inputs upwards (`_are_upwards`, asked of all of them) are moved to the end of the block and
    reversed; those of several outputs stay in the order of their first rows. If the first of them only announce results
    (`_count_announced`), these come after the others, not reversed. Adjoints without an output are a group of their
    own. All other entries stay in order.
    """
    ordered: list[Entry] = []
    for _, group in groupby(entries, key=lambda item: item[0]):
        block = [entry for _, entry in group]
        adjoints = grouped((row[0], entry) for entry in block if (row := _adjoint(entry.quantity, names)) is not None)
        upward = [bars for bars in adjoints.values() if _are_upwards(bars, names)]
        moved = {id(entry) for bars in upward for entry in bars}
        ordered += [entry for entry in block if id(entry) not in moved]
        for bars in upward:
            results = _count_announced(bars)
            ordered += [*reversed(bars[results:]), *bars[:results]]
    return tuple(ordered)


def _adjoint(quantity: Quantity, names: Names) -> tuple[str | None, str] | None:
    """Return the output (None: not stated) and the row of an adjoint in any spelling; None for any other quantity."""
    kind, name, key = quantity
    if kind == BAR:
        return key, name
    return (name, key) if kind == DERIVATIVE and key and name in names.outputs else None


def _row_of_adjoint(quantity: Quantity, names: Names) -> str | None:
    """Return the row of which a quantity is the adjoint; None for any other quantity."""
    adjoint = _adjoint(quantity, names)
    return adjoint and adjoint[1]


def _are_upwards(bars: Sequence[Entry], names: Names) -> bool:
    """Return whether `bars`, adjoint entries of one output in one block, are listed from the inputs to the output.

    For each entry, count the other adjoints used in its formulas, each once: as up if all rows of that adjoint are
    further down, as down if all are further up. Rows in the entry's own line do not count. If there are such uses: True
    if the first count is larger. If there are none: True if the first adjoint is that of an input and the last is not.
    """
    places = grouped((_row_of_adjoint(entry.quantity, names), place) for place, entry in enumerate(bars))
    up = down = 0
    for place, entry in enumerate(bars):
        name = _row_of_adjoint(entry.quantity, names)
        used = {_row_of_adjoint(quantity, names) for quantity in entry.symbols}
        for row in used - {None, name}:
            where = [other for other in places.get(row, ()) if bars[other].line != entry.line] or [place]
            up += min(where) > place
            down += max(where) < place
    if up or down:
        return up > down
    first, last = _row_of_adjoint(bars[0].quantity, names), _row_of_adjoint(bars[-1].quantity, names)
    return first in names.inputs and last not in names.inputs


def _count_announced(bars: Sequence[Entry]) -> int:
    """Return the number of rows at the start of `bars` that only announce results: without a formula, and with another
    row of the same quantity anywhere below. Counting ends at the first row that does not.
    """
    rows = [(entry.quantity, all(piece.graph is None for piece in entry.pieces)) for entry in bars]
    below = [{quantity for quantity, _ in rows[place:]} for place in range(1, len(rows) + 1)]
    announced = (is_plain and quantity in later for (quantity, is_plain), later in zip(rows, below, strict=True))
    return len([*takewhile(bool, announced)])
