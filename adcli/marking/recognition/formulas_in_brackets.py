"""Formulas in brackets behind numbers, `f_x = 12 (2xy)`: remarks on how the number was computed, instead of factors."""

from __future__ import annotations

from collections.abc import Iterator

from ...answers.answer import Script
from ...answers.answer_model import VALUE, Answer, Quantity, RowPiece, Task
from ...answers.chains import inner
from ...answers.collector import Cut, RawSection
from ...answers.entries import names_with_rows
from ...answers.formulas import FormulaReader
from ...answers.numerals import numeral
from ...answers.row_tokens import words_of
from ...language.brackets import opening
from ...numbers.double_intervals import SPREAD, Spread
from ...table.primitive import lookup
from ..programs.value_rows import shown_number
from .matching import names_of, value_of

_SHORT = 2  # letters that may be a product of names
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def with_formulas_first(script: Script, part: RawSection, task: Task, first: Answer) -> RawSection | None:
    """Return a copy of the section `part` in which rows that end in `12 (2xy)` end in `2xy = 12`; None if none does.

    A blank must be before the bracket. A formula stays a factor if it cannot be read, or if its value, from the numbers
    of the rows and the point, is known and not that of the number within one unit of its last place; but no formula
    with names, an operation and no words behind a unit. Readable equations in the bracket never are factors. A bracket
    that only has the name of the row or of its input, as in `f_x = 12 (x)`, is dropped. `first` is the answer as read
    before.
    """
    if not any(row.pieces and row.pieces[-1].text.rstrip(" .;")[-1:] in _PAIRS.values() for row in part.rows):
        return None
    known = {name: SPREAD.number(value) for name, value in task.at.items()}
    numbers = ((e.quantity.name, shown_number(e)) for e in first.entries if e.quantity.kind == VALUE)
    known |= {name: SPREAD.number(number.value) for name, number in numbers if number is not None}
    names = names_with_rows(part.rows, (), script.lefts, names_of([task]))
    reader = FormulaReader(names, script.decimal)
    rows = []
    for row in part.rows:
        left = script.lefts[row.left.text]
        ends = [*_formula_first(row.pieces[-1], left.quantity, reader, known)] if left and row.pieces else []
        rows.append(row._replace(pieces=[*row.pieces[:-1], *ends]) if ends else row)
    return None if rows == part.rows else part.with_rows(rows)


def _begin_of_bracket(text: str, reader: FormulaReader) -> int:
    """Return the offset of the bracket at the end of `text`, behind a number, perhaps with a unit, and a blank; 0 if
    `text` is something else.
    """
    text = text.rstrip(" .;")
    start = opening(text, len(text) - 1) if text[-1:] in _PAIRS.values() else None
    if not start or not text[start - 1].isspace() or _PAIRS.get(text[start]) != text[-1]:
        return 0
    return 0 if numeral(reader.without_unit(text[:start].rstrip()), reader.decimal) is None else start


def _formula_first(cut: Cut, row: Quantity, reader: FormulaReader, known: dict[str, Spread]) -> Iterator[Cut]:
    """Yield the formulas in the bracket behind a number, then the number, as parts of `cut`; nothing if it is a factor.

    `row` is the quantity of the row, `known` has the values of names. Formulas are what `=` separates. Only the number
    is yielded if the bracket has just the name or key of `row`. Nothing without such a bracket, if a formula cannot be
    read, and if a single formula, not behind a unit (`_is_formula`), has a known value that is not the number within
    one unit of its last place.
    """
    place = start = _begin_of_bracket(cut.text, reader)
    if not start:
        return
    number, inside = inner(cut, 0, start), cut.text.rstrip(" .;")[start + 1 : -1]
    if reader.names.own(inside.strip()) in row[1:]:
        yield number
        return
    formulas: list[Cut] = []
    for text in inside.split("="):
        formulas.append(inner(cut, place + 1, place + 1 + len(text)))
        place += len(text) + 1
    pieces = [*reader.pieces([*formulas, number], row)]
    shown, values = pieces[-1].number, [value_of(piece, known) for piece in pieces[:-1]]
    is_true = shown and all(x is None or abs(x.middle - float(shown.value)) <= shown.unit for x in values)
    is_behind_unit = numeral(number.text, reader.decimal) is None and _is_formula(pieces[0], inside, reader)
    is_no_factor = is_true or is_behind_unit or len(formulas) > 1
    if len(pieces) > 1 and all(piece.problem is None for piece in pieces) and is_no_factor:
        yield from (*formulas, number)


def _is_formula(piece: RowPiece, text: str, reader: FormulaReader) -> bool:
    """Return whether a piece has names and an operation, and its `text` no words of ASCII letters but known names."""
    words = (word for word in words_of(text) if len(word) > _SHORT and word.isascii())
    is_readable = all(word in reader.names.known or lookup(word) for word in words)
    return is_readable and bool(piece.quantities) and len(piece.graph or ()) > 1
