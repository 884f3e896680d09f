"""Correction: final answers without names that change numbers above, `Answer: 12, 6` and `==> (12, 6)`.

Signs: ans result solution ergebnis lösung résultat réponse respuesta => ⇒ → ∴
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..answer_model import BAR, DERIVATIVE, VALUE, Numeral
from ..line_rewriting import part
from ..numerals import numeral
from ..row_tokens import chunks
from . import AnswerLine, Correction, NewRow

_BRACKETS = str.maketrans("()[]⟨⟩,;", " " * 8)


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return rows of the value and the derivatives with respect to `names.wrt`, or of two or more derivatives alone, if
    there are as many numbers.

    The problem has one output. None unless the list contradicts rows above (`_contradicts`): else it repeats them, or
    means something else.
    """
    names, (start, end) = line.lefts.names, line.match.span("list")
    text = line.text[:end].rstrip(" .;").translate(_BRACKETS)
    pieces = [line.cut(*place)._replace(text=text[slice(*place)]) for place in chunks(text, start)]
    numbers = [number for piece in pieces if (number := numeral(piece.text)) is not None]
    keys = ["", *names.wrt][-len(pieces) :]
    if not len(names.outputs) == 1 < len(keys) == len(pieces) == len(numbers):
        return None
    if not _contradicts(dict(_numbers_above(line)), keys, numbers):
        return None
    symbols = [f"∂{names.outputs[0]}/∂{key}" if key else names.outputs[0] for key in keys]
    return [NewRow(piece._replace(text=symbol), [piece]) for symbol, piece in zip(symbols, pieces, strict=True)]


def _contradicts(above: Mapping[str, Numeral], keys: Sequence[str], numbers: Sequence[Numeral]) -> bool:
    """Return whether one of `numbers`, of the quantities `keys`, agrees with the one `above`, and another does not.

    False if they are those above in the order there, or if some of the others agree with one above and some do not.
    """
    others = [x for key, x in zip(keys, numbers, strict=True) if not _agree(above.get(key), x)]
    repeats = {any(_agree(y, x) for y in above.values()) for x in others}
    in_their_order = [number for key, number in above.items() if key in keys]
    is_copy = len(in_their_order) == len(numbers) and all(map(_agree, in_their_order, numbers))
    return len(repeats) == 1 and len(others) < len(numbers) and not is_copy


def _numbers_above(line: AnswerLine) -> Iterator[tuple[str, Numeral]]:
    """Yield ("", number) for each row above of the output's value, and (x, number) for its derivative by x."""
    names = line.lefts.names
    for row in line.rows:
        left = line.lefts[row.left.text]
        number = numeral(row.pieces[-1].text.rstrip(". ")) if row.pieces else None
        if left is not None and number is not None:
            kind, name, key = left.quantity
            if kind == VALUE and name in names.outputs:
                yield "", number
            elif kind in (DERIVATIVE, BAR):
                yield key or name, number


def _agree(above: Numeral | None, number: Numeral) -> bool:
    """Return whether `number` repeats one above (None: there is none), perhaps with fewer places."""
    return above is not None and abs(above.value - number.value) <= max(above.unit, number.unit) / 2


CORRECTION = Correction(
    "a final list of numbers is read as the value and derivatives", "Answer: 12, 6", _rows, shape=part("FINAL_ANSWER")
)
