"""Units after numbers: `W = 2.9 m` next to an input m, and the point in other units, `m = 250 g = 0.25 kg`."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ...answers.answer_model import VALUE, Answer, Entry, LeftOut, Numeral, RowPiece, Task
from ...answers.formulas import UNIT
from ...answers.numerals import leading_numeral

_WHY = "an input of the problem in another unit"
# Powers of ten by the first letter of a unit; g and l are thousandths of basic units.
_PREFIXES = {"k": 3, "M": 6, "G": 9, "m": -3, "c": -2, "d": -1, "µ": -6, "μ": -6, **dict.fromkeys("glL", -3)}
_FACTORS = {"min": Fraction(60), "h": Fraction(3600), "km/h": Fraction(5, 18), "bar": Fraction(10**5)}
_FREEZING = Fraction("273.15")  # of °C


def with_units(answer: Answer, task: Task) -> Answer | None:
    """Return the answer without units after last numbers, as in `2 m` next to a mass m, and without rows that give the
    point in other units; None if nothing changes.

    Rows of an input (m, also called `m_a`): `m = 250 g = 0.25 kg` keeps only its last number if that is the input's and
    a number in the row has a unit; `m = 250 g`, whose number converted to a basic unit is the input's, is among those
    left out; others are unchanged.
    """
    entries = [_with_unit(entry, task) for entry in answer.entries]
    left_out = [LeftOut(old.span, _WHY) for old, new in zip(answer.entries, entries, strict=True) if new is None]
    kept = tuple(entry for entry in entries if entry is not None)
    return None if kept == answer.entries else answer._replace(entries=kept, left_out=(*answer.left_out, *left_out))


def _with_unit(entry: Entry, task: Task) -> Entry | None:
    """Return a row of `with_units`, the same one if it has no such number; None if it is to be left out."""
    number, unit = _number_with_unit(entry.pieces[-1].span.text) if entry.pieces else (None, "")
    name = entry.quantity.name if entry.quantity.kind == VALUE else ""
    value = task.at.get(name, task.at.get(name.partition("_")[0]))  # E_a for E
    if number is None or (value is None and not unit):
        return entry
    shown = RowPiece(entry.pieces[-1].span, number=number)
    if value is None:
        return entry._replace(pieces=(*entry.pieces[:-1], shown))
    if _shows(number, Fraction(1), value) and _has_unit(entry):
        return entry._replace(pieces=(shown,))
    is_other = len(entry.pieces) == 1 and any(_shows(*each, value) for each in _in_basic_unit(number, unit))
    return None if is_other else entry


def _number_with_unit(text: str) -> tuple[Numeral | None, str]:
    """Return (the number, its unit) that a text consists of, (None, "") for any other text; the unit may be empty."""
    leading = leading_numeral(text) or leading_numeral(text, "comma")
    rest = text[leading[1] :].strip(" .;,$\\") if leading else "?"
    is_unit = not rest or UNIT.fullmatch(f"1 {rest}", 1) is not None
    return (leading[0], rest) if leading and is_unit else (None, "")


def _has_unit(entry: Entry) -> bool:
    """Return whether a number behind an equals sign of the row, as it is written in the line, has a unit."""
    parts = entry.source.text[entry.span.end : entry.pieces[-1].span.end].split("=")[1:]
    return any(_number_with_unit(part.strip())[1] for part in parts)


def _in_basic_unit(number: Numeral, unit: str) -> Iterator[tuple[Numeral, Fraction]]:
    """Yield (number, factor), whose product is the number in a basic unit, for each way to convert it: 250 g to kg.

    For °C it is (the number plus 273.15, 1). A first letter of `_PREFIXES` counts as a prefix whatever follows. Nothing
    for a unit that is unknown.
    """
    power = next((k for k in (2, 3) if unit[-1:] in (str(k), "²³"[k - 2])), 1)
    exponent = _PREFIXES.get(unit[:1])
    if unit in ("°C", "C"):
        yield number._replace(value=number.value + _FREEZING), Fraction(1)
    if exponent is not None:
        yield number, Fraction(10) ** (exponent * power)
    if unit in _FACTORS:
        yield number, _FACTORS[unit]


def _shows(number: Numeral, factor: Fraction, value: float) -> bool:
    """Return whether a number times `factor` is `value`, within half of its last place."""
    return abs(number.value * factor - Fraction(value)) <= number.unit * factor / 2
