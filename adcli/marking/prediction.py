"""Prediction of one number, or of an array: the rounding rule of marking, applied to what a user has typed.

`render/stepper/stepper.js` says the same in JavaScript; a test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from ..answers.answer_model import Numeral
from ..records import NamedTuple

RIGHT, COARSE, WRONG, UNREADABLE = "right", "coarse", "wrong", "unreadable"
WORDS = {
    RIGHT: "Right.",
    WRONG: "Not yet: try again, or show it.",
    COARSE: "With so few decimals this could also be 0: give more.",
    UNREADABLE: "Write a number, such as -0.284 or 1/2.",
}

_ARRAY_WORDS = {**WORDS, UNREADABLE: "Write numbers, such as [0.5, -2]; rows are separated by semicolons."}
_WORST_LAST = (RIGHT, COARSE, WRONG, UNREADABLE)

_DECIMAL = r"([+-]?)(\d*)(?:\.(\d*))?"
_NUMERAL = re.compile(rf"{_DECIMAL}(?:e([+-]?\d{{1,3}})|[*]10\^\(?([+-]?\d{{1,3}})\)?)?", re.ASCII)
_SIGNS = str.maketrans({"·": "*", "×": "*", "−": "-", " ": None})
_LONGEST = 60  # characters of an answer
_ROUNDED = Fraction(1, 10**12)  # of a number: what doubles may have lost on the way to it


class ArrayTruth(NamedTuple):
    """The array that a reader should predict: its shape, (n,) or (rows, columns), and its entries, row by row.

    `slips` are pairs: the entries that a wrong rule gives, and a sentence that says what is wrong with this rule.
    """

    shape: tuple[int, ...]
    entries: Sequence[float]
    slips: Sequence[tuple[Sequence[float], str]] = ()

    @property
    def text(self) -> str:
        """The entries as a text with all digits: `1.0, 2.0; 3.0, 4.0`."""
        columns = self.shape[-1]
        rows = [self.entries[k : k + columns] for k in range(0, len(self.entries), columns)]
        return "; ".join(", ".join(map(repr, row)) for row in rows)


def assess_prediction(text: str, truth: float | ArrayTruth) -> tuple[str, str]:
    """Return (verdict, sentence for the reader) on a typed number, or on an array such as `[1, 2; 3, 4]`.

    The verdict on a number is that of `judge_number`, with its sentence in WORDS. On an array it is the worst verdict
    on its entries, in the order right, coarse, wrong, unreadable. Brackets at the ends may be left out; commas or
    blanks separate, an empty place between commas is unreadable, and rows are separated by semicolons.

    An array of another shape is unreadable, and the sentence says which shape to write: a matrix with another number of
    rows or a row with another number of entries; a vector with another number of entries in all (semicolons in it do
    not matter). A wrong array whose entries are all right for those of a slip in `truth.slips` stays wrong, with the
    sentence of the first such slip.
    """
    if not isinstance(truth, ArrayTruth):
        verdict = judge_number(text, truth)
        return verdict, WORDS[verdict]
    lines = [row.split(",") for row in text.strip("[]() \t").split(";")]
    rows = [[entry for part in parts for entry in part.split() or [""]] for parts in lines]
    cells = [cell for row in rows for cell in row]
    columns = truth.shape[-1]
    if len(cells) != len(truth.entries) or (len(truth.shape) == 2 and {len(row) for row in rows} != {columns}):
        count, example = f"{columns} numbers", "[1, 2]"
        if len(truth.shape) == 2:
            count, example = f"{truth.shape[0]} rows of {count}", "[1, 2; 3, 4]"
        return UNREADABLE, f"This has the shape of its variable: write {count}, as in {example}."
    verdict = _worst(cells, truth.entries)
    if verdict == WRONG:
        for entries, sentence in truth.slips:
            if _worst(cells, entries) == RIGHT:
                return WRONG, sentence
    return verdict, _ARRAY_WORDS[verdict]


def _worst(cells: Sequence[str], entries: Sequence[float]) -> str:
    """Return the worst verdict on the cells of an array."""
    return max((judge_number(cell, x) for cell, x in zip(cells, entries, strict=True)), key=_WORST_LAST.index)


def numeral(text: str) -> Numeral | None:
    """Return the number that a text shows, with the unit of its last place; None if the text is not a number.

    Accepted are `0.693`, `.5`, `5.`, `+2`, `−2`, `1.2e-3`, `1.2E-3`, `1.2*10^-3` and `1.2·10^(-3)` (also with ×), with
    spaces anywhere, up to 60 characters, spaces included, and three digits of exponent; not a decimal comma. The unit
    of `10` is 1, of `1.50` 1/100.
    """
    if len(text) > _LONGEST:
        return None
    match = _NUMERAL.fullmatch(text.translate(_SIGNS).lower())
    if match is None or not (match[2] or match[3]):
        return None
    decimals = match[3] or ""
    unit = Fraction(10) ** (int(match[4] or match[5] or 0) - len(decimals))
    return Numeral(int(f"{match[1]}{match[2]}{decimals}") * unit, unit)


def judge_number(text: str, truth: float) -> str:
    """Return `right`, `coarse`, `wrong` or `unreadable` for a typed number; `truth` is a finite double.

    A number s with last place u represents all numbers from s − u/2 to s + u/2, ends included. It is right if the truth
    (its shortest decimal) is among them; coarse if they also include 0 although the truth is not 0. Of a fraction a/b,
    a and b may have decimals; it is right or wrong, and must be exact up to a relative 1e-12 of the truth. Another
    text, and a fraction with the divisor 0, is unreadable.
    """
    exact = Fraction(repr(float(truth)))
    above, slash, below = text.partition("/")
    number, divisor = numeral(above), numeral(below) if slash else Numeral(Fraction(1), Fraction(0))
    if number is None or divisor is None or divisor.value == 0:
        return UNREADABLE
    if slash:
        return RIGHT if abs(number.value / divisor.value - exact) <= _ROUNDED * abs(exact) else WRONG
    if abs(number.value - exact) > number.unit / 2:
        return WRONG
    return COARSE if exact and abs(number.value) <= number.unit / 2 else RIGHT
