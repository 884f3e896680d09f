"""Prediction of one number: the rounding rule of marking, applied to a number that a user has typed.

`render/stepper/stepper.js` says the same in JavaScript; a test compares the two.
"""

from __future__ import annotations

import re
from fractions import Fraction

from .model import Numeral

RIGHT, COARSE, WRONG, UNREADABLE = "right", "coarse", "wrong", "unreadable"
WORDS = {
    RIGHT: "Right.",
    WRONG: "Not yet: try again, or show it.",
    COARSE: "This could as well be 0: give more decimals.",
    UNREADABLE: "Write a number, such as -0.284 or 1/2.",
}

_DECIMAL = r"([+-]?)(\d*)(?:\.(\d*))?"
_NUMERAL = re.compile(rf"{_DECIMAL}(?:e([+-]?\d{{1,3}})|[*]10\^\(?([+-]?\d{{1,3}})\)?)?", re.ASCII)
_SIGNS = str.maketrans({"·": "*", "×": "*", "−": "-", " ": None})
_LONGEST = 60  # characters of an answer
_ROUNDED = Fraction(1, 10**12)  # of a number: what doubles may have lost on the way to it


def numeral(text: str) -> Numeral | None:
    """Return the number that a text shows, with the unit of its last place; None if the text is not a number.

    Accepted are `0.693`, `−2`, `1.2e-3` and `1.2·10^-3`, with spaces anywhere, up to 60 characters.
    """
    if len(text) > _LONGEST:
        return None
    found = _NUMERAL.fullmatch(text.translate(_SIGNS).lower())
    if found is None or not (found[2] or found[3]):
        return None
    decimals = found[3] or ""
    unit = Fraction(10) ** (int(found[4] or found[5] or 0) - len(decimals))
    return Numeral(int(f"{found[1]}{found[2]}{decimals}") * unit, unit)


def judged(text: str, truth: float) -> str:
    """Return `right`, `coarse`, `wrong` or `unreadable` for a typed number; `truth` is a finite double.

    A number s with last place u represents all numbers from s − u/2 to s + u/2, and is right if the truth (its shortest
    decimal) is among them, coarse if it is right and could also be 0. A fraction a/b must be exact, up to a relative
    1e-12. Any other text, and a fraction with the divisor 0, is unreadable.
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
