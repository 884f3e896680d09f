"""A marked answer as plain data, schema `check/1`."""

from __future__ import annotations

from typing import Final

from ..documents import FRACTION, STRING, WHOLE, Record, const, either, one, record
from ..marking.model import Mark, Marking
from .reading_report import READ

_JUDGED: Final = one("right", "wrong", "absent").or_null


def _feedback(mark: Mark) -> str | None:
    """Return the feedback of a row; None if it may not be seen."""
    return mark.feedback or ("" if mark.formula else None)


_ROW: Final = record(
    line=WHOLE.or_null,
    row=STRING,
    kind=STRING,
    verdict=STRING,
    slip=STRING.or_null.of(lambda mark: "|".join(mark.slips) or None),
    formula=_JUDGED.of(lambda mark: mark.formula or None),
    number=_JUDGED.of(lambda mark: mark.number or None),
    feedback=STRING.or_null.of(_feedback),
    expected=STRING.known(lambda mark: mark.expected or None),
    key=STRING.known(lambda mark: mark.key or None),
)
_NOT_COUNTED: Final = record(line=WHOLE, text=STRING, reason=STRING.of("why"))
# The rows of a quantity are places among the rows of the document, from 0.
_QUANTITY: Final = record(quantity=STRING, rows=WHOLE.array, verdict=STRING, earned=FRACTION, possible=FRACTION)


def _assumed(marking: Marking) -> tuple[str, ...] | None:
    return (marking.answer.notes or None) if marking.answer is not None else None


def _disclosed(marking: Marking, parts: tuple[object, ...]) -> tuple[object, ...] | None:
    """Return these parts of a marking; None if they may not be seen."""
    return parts or (None if marking.problem is None else ())


def _left_out(marking: Marking) -> tuple[object, ...] | None:
    """Return what carries no marks, by place; None if no line of the answer may be seen."""
    if marking.answer is None or not marking.answer.left_out:
        return ()
    return marking.answer.left_out if marking.marks else None


# What may not be seen is null.  Where expected formulas or the key are disclosed, rows have the keys for them too.
MARKED: Final = Record(
    {
        "schema": const("check/1"),
        "verdict": one("right", "incomplete", "wrong", "not_gradable").or_null,
        "first_error": record(line=WHOLE.or_null, row=STRING).or_null.of(
            lambda marking: None if marking.first is None else marking.marks[marking.first]
        ),
        "score": record(earned=FRACTION, possible=FRACTION, earned_without_carry=FRACTION.of("alone")).here(),
        "quantities": _QUANTITY.array.or_null.of(lambda marking: _disclosed(marking, marking.quantities)),
        "rows": _ROW.array.or_null.of(lambda marking: _disclosed(marking, marking.marks)),
        "not_counted": _NOT_COUNTED.array.or_null.of(_left_out),
        "notes": STRING.array.known(_assumed),
    },
    first=("notes",),
)
CHECK: Final = either(MARKED, READ)
