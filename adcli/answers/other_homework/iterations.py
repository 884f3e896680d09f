"""Steps of iterations and approximations in answers: Newton's method, gradient descent, step sizes, Taylor lines; and
values of constants.
"""

from __future__ import annotations

from collections.abc import Collection

from ..answer_model import Numeral
from ..collector import RawRow
from ..formulas import UNIT, formula_ends
from ..line_rewriting import row_pattern
from ..numerals import numeral
from ..row_tokens import names_in, word_sets
from ..shown_numbers import as_double, states_constant
from ..symbols import Names

_RATES = frozenset(("lr", "eta", "η", "learningrate", "stepsize"))  # of gradient descent
STEP_NAMES = _RATES.union(("h", "deltax", "Deltax", "Δx", "ε", "ϵ", "eps", "epsilon", "varepsilon"))
_STEPS = frozenset((1, 10**places) for places in range(1, 31))  # numerators and denominators
NO_INDEX = str.maketrans("", "", "_{}, ")
_PLANE = row_pattern("{TANGENT_PLANE}", signs="(")
_LINES = ("tangent line", "tangent plane", "linear approx", "linearization", "taylor")
_APPROXIMATE = ("≈", "~", "\\approx", "≃")
(_NEW,) = word_sets("other_homework", "new")


def is_newton_step(row: RawRow, names: Names) -> bool:
    """Return whether the row is a step of Newton's method, `x1 = x0 - f(x0)/f'(x0)`: the left side has `Newton` before
    a colon, or ends in an iterate of an input, as x1, and a piece has both `f'(` and `/`."""
    if "Newton" in row.left.text.split(":")[0] and ":" in row.left.text:
        return True
    is_iterate = input_of_iterate(last_word(row), names) is not None
    return is_iterate and any("f'(" in piece.text and "/" in piece.text for piece in row.pieces)


def input_of_iterate(name: str, names: Names) -> str | None:
    """Return the input x of which `name` is an iterate, `x1`, `x_1` or `x_{1}`; None for others and for names of the
    problem.
    """
    stem = (plain := name.translate(NO_INDEX)).rstrip("0123456789")
    return stem if stem != plain and stem in names.inputs and names.own(name) not in names.known else None


def differs(number: Numeral, expected: float) -> bool:
    """Return whether a number is not `expected` with its last digit cut off or rounded: it is more than 0.9 units of
    its last place away, or a part of 1e-9 of `expected`, if that is more."""
    distance = abs(as_double(number.value) - expected)
    return distance > max(0.9 * as_double(number.unit), 1e-9 * abs(expected))


def is_step_size(row: RawRow, names: Names) -> bool:
    """Return whether the row sets a step of a difference quotient, `h = 0.001`, or of a descent, `lr = 0.5`.

    The left side must end in a name for steps (`STEP_NAMES`) that is not in `names.known`. The only piece, or the text
    before a colon in the first of any number of pieces, must be a number (also 10^-3): any number for a step of a
    descent (`_RATES`), else a power of ten from 0.1 to 1e-30."""
    words = row.left.text.replace("\\", "").replace("_", "").split()
    endings = ("".join(words[-1:]), "".join(words[-2:]))  # with h, \Delta x
    if not row.pieces or not any(name in STEP_NAMES and name not in names.known for name in endings):
        return False
    text, colon, _ = row.pieces[0].text.partition(":")
    text = text.strip(" ,;").removesuffix(".")
    step = numeral(text) or numeral(text, "comma") or numeral(f"1*{text}")  # 10^-3
    is_step = step is not None and (step.value.as_integer_ratio() in _STEPS or not _RATES.isdisjoint(endings))
    return is_step and (len(row.pieces) == 1 or bool(colon))


def is_taylor_line(row: RawRow, names: Names) -> bool:
    """Return whether the row is an approximation by a formula, with an input in it: `f(x) ≈ 1 + 2x`, `z = 8 + 12(x-2)`.

    True for a left side with words such as `tangent line` (`_LINES`). True if the only piece begins with a number plus
    or minus a multiple of (x - a), where a is the value of the input x; more may follow. Or, outside of tables, if a
    sign of approximation precedes the last piece, with an input in it, that is no number with a remark."""
    if not row.pieces or row.table:
        return False
    if any(word in row.left.text.lower() for word in _LINES):
        return True
    *before, piece = row.pieces
    plane = None if before else _PLANE.match(piece.text)
    at = plane and names.point.get(plane["input"])
    if plane and at is not None and float(plane["value"]) == float(at):
        return True
    between = piece.span.source.text[(before[-1] if before else row.left).span.end : piece.span.start]
    is_number = any(numeral(piece.text[:end].strip()) for end in formula_ends(piece.text))  # 5.5 (want x^y)
    has_input = not set(names_in(piece.text)).isdisjoint(names.inputs)
    return any(sign in between for sign in _APPROXIMATE) and has_input and not is_number


def is_constant(row: RawRow, names: Names) -> bool:
    """Return whether the row gives a constant of mathematics or physics its value: `π ≈ 3.14159`, `g = 9.81 m/s^2`.

    The left side, behind a colon if it has one, is its name, which is not in `names.known`. The only piece is its value
    (`states_constant`), perhaps with a unit.
    """
    name = row.left.text.rstrip(" :").rpartition(":")[2].strip(" $\\")
    if name in names.known or len(row.pieces) != 1:
        return False
    text = UNIT.sub("", row.pieces[0].text.rstrip(" .,;"))
    return states_constant(name, numeral(text) or numeral(text, "comma"))


def is_update(row: RawRow, names: Names) -> bool:
    """Return whether the row gives an input a new value computed from the old, as in descent: `w := w - 0.1*dw`.

    The last word of the left side must be the input, alone or with a number, a prime or `new`. In addition, the first
    piece has a sign (`+=`, `-=`) or begins with the old value, that of w for w1 and that of w1 for w2, or a word such
    as `new` is anywhere before the input; `w1 = w + b` of such names alone is a step of the problem.
    False for a row with the hint of a column (not of a title), without pieces, or with a backslash in its first word.
    """
    words = row.left.text.replace("\u00a0", " ").split()
    name = _without_new("".join(words[-1:]))
    input_name = name if name in names.inputs else input_of_iterate(name, names)
    if (row.hint and not row.hint.titled) or input_name is None or not row.pieces or "\\" in words[0]:
        return False
    is_new = any(word.lower() in _NEW for word in words[:-1])
    if name != input_name and _is_step(row.pieces[0].text, names):
        return is_new
    index = "" if name == input_name else name.translate(NO_INDEX).removeprefix(input_name)
    old = (input_name, f"{input_name}0") if index in ("", "1") else (f"{input_name}{int(index) - 1}",)
    return bool(row.pieces[0].sign) or is_new or _begins_with_old_value(row, input_name, old, names)


def _is_step(formula: str, names: Names) -> bool:
    """Return whether a formula of an iterate is that of a step, `t + b` or `t3 + t2`: of inputs and iterates alone,
    without a decimal point."""
    used = set(names_in(formula)) - {*names.inputs}
    return "." not in formula and all(input_of_iterate(each, names) for each in used)


def _begins_with_old_value(row: RawRow, name: str, old_names: Collection[str], names: Names) -> bool:
    """Return whether the first piece of a row begins with the old value of the input `name`, before a + or −.

    The row has pieces. The old value is one of `old_names` (also with a mark of an index, x_0) or, in a row of several
    pieces, exactly the input's number. False if the last of several pieces is that number up to its last digit
    (`differs`): then nothing is new."""
    text, last, input_value = row.pieces[0].text.strip(), numeral(row.pieces[-1].text), names.point.get(name)
    is_number = input_value is not None and len(row.pieces) > 1
    if is_number and last is not None and not differs(last, float(input_value or 0)):
        return False
    old = text[: next((place for place, sign in enumerate(text) if place and sign in "-−+"), 0)].translate(NO_INDEX)
    number = numeral(old) if is_number else None
    return old in old_names or (number is not None and as_double(number.value) == float(input_value or 0))


def _without_new(name: str) -> str:
    """Return a name without the mark of a new value, `_new`, `new`, `^+` or a prime, at its end."""
    for mark in ("_{new}", "_new", "new", "^+", "'"):
        name = name.removesuffix(mark)
    return name


def is_at_new_point(row: RawRow, names: Names, numbered: Collection[str]) -> bool:
    """Return whether a row below an update or a step of Newton's method belongs to the next iteration.

    It does if the last word on its left ends in a mark of a new value (`_new`, `^+`, any prime), or a word such as
    `new` is before it. Rows without the hint of a column (one of a title does not matter) also do if that last word is
    an input, its iterate (x1), or in `numbered`, the names with numbers above."""
    words, name = row.left.text.split(), last_word(row)
    is_new = name != _without_new(name.rstrip("'")) or any(word.lower() in _NEW for word in words[:-1])
    is_input = name in names.inputs or input_of_iterate(name, names) is not None
    return is_new or ((row.hint is None or row.hint.titled) and (is_input or name in numbered))


def last_word(row: RawRow) -> str:
    """Return the last word on the left side of a row, without a colon."""
    return "".join(row.left.text.strip(" :").split()[-1:])
