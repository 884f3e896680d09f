"""Printed lists of a program: several in one line, and the zeros with which a sum begins."""

from __future__ import annotations

from .array_texts import number_of, split_row


def split_lists(text: str) -> list[str]:
    """Return the numbers and lists that blanks or commas separate outside of brackets, but within those around the
    whole: `3.67 [6.67 0.]` and `(3.67, [6.67 0.])` give two, `(3.67, ([6.], [7.]))` three.
    """
    parts, depth, whole = [""], 0, text.strip()
    for sign in whole[1:-1] if whole[:1] + whole[-1:] == "()" else whole:
        depth += (sign in "[(") - (sign in "])")
        if not depth and sign in " ,\n":
            parts.append("")
        else:
            parts[-1] += sign
    tuples = [split_row(part[1:-1]) if part[0] == "(" and "[" in part else [part] for part in parts if part]
    return [part for each in tuples for part in each]


def is_zero(text: str) -> bool:
    """Return whether a formula is 0 or an array of zeros, with which a sum begins."""
    number = number_of(text.strip(), "point")
    return "zeros(" in text or "zeros_like(" in text or (number is not None and not number.value)
