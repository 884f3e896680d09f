"""Printed lists of a program: several in one line, and the zeros with which a sum begins."""

from __future__ import annotations

from .array_texts import number_of


def split_lists(text: str) -> list[str]:
    """Return the numbers and lists that blanks or commas outside of brackets separate: `3.67 [6.67 0.]` gives two."""
    parts, depth = [""], 0
    for sign in text.strip():
        depth += (sign in "[(") - (sign in "])")
        if not depth and sign in " ,\n":
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part]


def is_zero(text: str) -> bool:
    """Return whether a formula is 0 or an array of zeros, with which a sum begins."""
    number = number_of(text.strip(), "point")
    return "zeros(" in text or "zeros_like(" in text or (number is not None and not number.value)
