"""A marked answer as plain data, schema `check/1`."""

from __future__ import annotations

from ..marking.model import Mark, Marking, QuantityMark


def as_dict(marking: Marking) -> dict[str, object]:
    """The marking as it was disclosed: what may not be seen is null.

    Where expected formulas or the key are disclosed, rows have the keys `expected` and `key` too.
    """
    hidden = not marking.marks and marking.problem is None
    untold = not marking.quantities and marking.problem is None
    first = marking.marks[marking.first] if marking.first is not None else None
    assumed = marking.answer.notes if marking.answer is not None else ()
    return {
        **({"notes": list(assumed)} if assumed else {}),
        "schema": "check/1",
        "verdict": marking.verdict,
        "first_error": None if first is None else {"line": first.line, "row": first.row},
        "score": {
            "earned": str(marking.earned),
            "possible": str(marking.possible),
            "earned_without_carry": str(marking.alone),
        },
        "quantities": None if untold else [_quantity(found) for found in marking.quantities],
        "rows": None if hidden else [_row(mark) for mark in marking.marks],
    }


def _quantity(found: QuantityMark) -> dict[str, object]:
    """What a quantity earns; its rows are places among the rows of the document, from 0."""
    return {
        "quantity": found.quantity,
        "rows": list(found.rows),
        "verdict": found.verdict,
        "earned": str(found.earned),
        "possible": str(found.possible),
    }


def _row(mark: Mark) -> dict[str, object]:
    hidden = not mark.formula
    data: dict[str, object] = {
        "line": mark.line,
        "row": mark.row,
        "kind": mark.kind,
        "verdict": mark.verdict,
        "slip": "|".join(mark.slips) or None,
        "formula": mark.formula or None,
        "number": mark.number or None,
        "feedback": mark.feedback or (None if hidden else ""),
    }
    for name, text in (("expected", mark.expected), ("key", mark.key)):
        if text:
            data[name] = text
    return data
