"""Constants of the problem in an answer's formulas, in other digits or exact: pi for 3.1416, 2*pi for 6.2832, ln 2 for
0.6931."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from ...graph.graph import Constant
from ...graph.tape import evaluate
from ...numbers.double_intervals import SPREAD
from ...table.primitive import ROWS
from ..answer_model import Answer, Numeral, RowPiece, Task
from ..numerals import numeral
from ..shown_numbers import digits

_MOST_SLOTS = 200  # of a formula that is searched
_PRECISE = 4  # digits of a number that may be a constant of the problem, rounded
_PARTS = (1, 2, 3, 4, 180)
_SCALES = dict.fromkeys(Fraction(sign * p, q) for p in _PARTS for q in _PARTS for sign in (1, -1))  # pi is 6.2832/2


def with_constants(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with constants of the problem for the same numbers in other digits or in an exact form.

    In a problem with 6.2832, 2*pi becomes 6.2832 and pi 3.1416, as ln(2) becomes 0.6931 in a problem with that. The
    problem's constant must have four digits or more, some after the point, or be named, as pi; so must a single number
    of the answer. They may differ by the rounding (four digits) or cutting off (more) of a last place. If one of them
    is exact, the answer's may also be a simple multiple of the problem's (`_SCALES`), and a divisor its inverse: x^3/3
    for 0.3333*x^3. All rows are searched. No note is added. None if the answer has no such numbers.
    """
    precise = map(_precise_number, task.program.graph.constants.values())
    constants = [*dict.fromkeys(number for number in precise if number is not None)]
    numbers = [Numeral(scale * value, abs(scale) * unit) for scale in _SCALES for value, unit, _ in constants]
    if not numbers:
        return None
    pieces = [tuple(_substitute_constants(piece, constants, numbers) for piece in e.pieces) for e in answer.entries]
    entries = tuple(entry._replace(pieces=each) for entry, each in zip(answer.entries, pieces, strict=True))
    return None if entries == answer.entries else answer._replace(entries=entries)


def _substitute_constants(piece: RowPiece, constants: Sequence[Numeral], numbers: Sequence[Numeral]) -> RowPiece:
    """Return the piece with the numbers of `_number_meant` in its formula; itself without any, or if the formula has
    more than 200 slots.

    Only slots of the graph are changed; text and number of the piece stay.
    """
    if piece.graph is None or len(piece.graph) > _MOST_SLOTS:
        return piece
    graph = piece.graph.copy()
    same = [*constants, *(each for each in numbers if not each.unit)]
    divisors = {parents[1] for row, parents in zip(graph.rows, graph.parents, strict=True) if row is ROWS["div"]}
    values = evaluate(piece.graph, SPREAD, dict.fromkeys(graph.inputs, SPREAD.undefined))
    for slot, x in ((slot, x.middle) for slot, x in enumerate(values) if x is not None and x.known and x.middle):
        value = _number_meant(x, piece.graph.constants.get(slot), same, numbers, divides=slot in divisors)
        if value is not None:
            graph.rows[slot], graph.parents[slot], graph.literal[slot] = None, (), 1
            graph.constants[slot] = Constant(str(Decimal(value.numerator) / value.denominator))
    return piece if graph.constants == piece.graph.constants else piece._replace(graph=graph)


def _number_meant(
    x: float, constant: Constant | None, same: Sequence[Numeral], numbers: Sequence[Numeral], *, divides: bool
) -> Fraction | None:
    """Return the first of `numbers` that a part of a formula with the value `x` may be in other digits (`_first_like`);
    None if there is none, or if it is exactly the same.

    The part is a number, `constant`, of four digits or more (`_precise_number`), or a formula without names (None); of
    a rounded number only `same` count. An integer is none of them. If the part divides, its inverse may be one, and the
    result is the inverse of this.
    """
    exact = Numeral(Fraction(x), Fraction(0))
    number = exact if constant is None else _precise_number(constant)
    value = None if number is None or x.is_integer() else _first_like(number, same if number.unit else numbers)
    if value is None and divides:
        inverse = _first_like(exact._replace(value=1 / exact.value), numbers)
        value = inverse and 1 / inverse
    return None if value == (number or exact).value else value


def _first_like(number: Numeral, others: Sequence[Numeral]) -> Fraction | None:
    """Return the value of the first of `others`, not 0, that may be `number` in different digits; None if none may.

    They may differ by at most the larger unit, and not at all if their units are equal.
    """
    for value, unit, _ in others:
        away = abs(number.value - value)
        if value and (away == 0 if number.unit == unit else away <= max(number.unit, unit)):
            return value
    return None


def _precise_number(constant: Constant) -> Numeral | None:
    """Return a constant as a Numeral, whose `unit` is how far the exact number may be from it.

    The unit is 0 for named constants such as pi. For four digits it is half a unit of the last place (3.142 is pi,
    3.141 is not), for more digits a whole one (3.1416 and 3.1415 are). None for a number of fewer than four digits, for
    an integer, and for a text that is not a number.
    """
    if constant.named:
        return Numeral(Fraction(constant.read(SPREAD).middle), Fraction(0))
    number = numeral(constant.text)
    if number is None or number.unit >= 1 or digits(number) < _PRECISE:
        return None
    return number if digits(number) > _PRECISE else number._replace(unit=number.unit / 2)
