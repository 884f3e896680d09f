"""Sums that `+=` builds up, as in `x2bar += 2`: the number is the increment or the total so far."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from ..graph.graph import CONSTANTS
from ..table.primitive import lookup
from .collector import Cut, RawRow
from .numerals import numeral
from .row_tokens import names_in

_SIGNS = ("+", "-", "−")
_ARROWS = ("→", "⇒", "->", "=>", "(=")
_AROUND = "#()=≈~: abcdefghijklmnopqrstuvwxyz"  # a number in a comment or in brackets


def with_running_totals(rows: Sequence[RawRow], *, after_formulas: bool) -> list[RawRow] | None:
    """Return the rows with running totals instead of the numbers that `+=` or `-=` adds; None if no row changes.

    `x2bar += 2`, `x2bar += 3` become rows of 2 and of 5; `x2bar = x2bar - 3` is read like `x2bar -= 3`. Each left side
    has its own total: the last piece of its last row, which is 0 at first. If that has names, nothing is added to it.
    Arithmetic such as 1*3 is added like a number.

    - The first piece, and arithmetic in it, is an increment and loses its sign.
    - A later piece, or a number in a comment or brackets, is an increment only if `after_formulas` is True. After an
      arrow, or in brackets with an equals sign or word, it is the total.
    """
    sums: dict[str, str] = {}
    totals = []
    for row in rows:
        name = row.left.text.strip()
        new = _with_total(row, name, sums.get(name), after_formulas) if row.pieces else row
        body, noted, _ = _split_note(new.pieces[-1].text) if new.pieces else ("", "", False)
        sums[name] = noted or body
        totals.append(new)
    return totals if totals != [*rows] else None


def _with_total(row: RawRow, name: str, before: str | None, after_formulas: bool) -> RawRow:
    """Return a row with totals in the place of its increments, as `with_running_totals` has them.

    `before` is the total of the row before with the left side `name`, None if it is the first. If it is not a number or
    arithmetic, and for a row that does not add to it, the row itself is returned.
    """
    first, later = row.pieces[0], after_formulas
    if not first.sign and before and first.text.startswith(name):
        rest, later = first.text.removeprefix(name).lstrip(), False
        first = first._replace(text=rest[1:], sign=rest[:1] if rest[:1] in _SIGNS and _is_arithmetic(rest) else "")
    if not first.sign or not _is_arithmetic(before or "0"):
        return row
    pieces = [_with_sum(first, before, first.sign, notes=later)]
    for old, cut in pairwise(row.pieces):
        gap = cut.span.source.text[old.span.end : cut.span.start]
        is_increment = later and not any(map(gap.__contains__, _ARROWS))
        sign = "+" if cut.text[:1] in _SIGNS[1:] else first.sign  # `-= v5bar = -1` has the sign in the number
        pieces.append(_with_sum(cut, before, sign, is_increment=is_increment, notes=later))
    return row if pieces == row.pieces else row._replace(pieces=pieces, adds=True)


def _with_sum(cut: Cut, before: str | None, sign: str, *, is_increment: bool = True, notes: bool) -> Cut:
    """Return a piece with the total after it, if it `is_increment` and arithmetic; also in its note, with `notes`."""
    body, noted, is_total = _split_note(cut.text)
    if is_increment and _is_arithmetic(body):
        body, cut = _add(before, body, sign), cut._replace(sign="")
    if noted and notes and not is_total:
        noted = _add(before, noted, sign)
    return cut._replace(text=f"{body} # {noted}" if noted else body)


def _split_note(text: str) -> tuple[str, str, bool]:
    """Return (text before a number in a comment or in brackets at its end, the number, whether a word or sign says that
    it is the total); (text, "", False) without such a number."""
    place = max(text.rfind(" #"), text.rfind(" (")) + 1
    note = text[place:] if place else ""
    number = note.strip(_AROUND)
    is_total = "=" in note or any(map(str.isalpha, note))
    return (text[:place].rstrip(), number, is_total) if numeral(number) else (text, "", False)


def _is_arithmetic(text: str) -> bool:
    """Return whether a text is a number, or has digits and no names but those of functions and constants."""
    names = [] if numeral(text) else names_in(text)
    return any(map(str.isdecimal, text)) and all(name in CONSTANTS or lookup(name) is not None for name in names)


def _add(before: str | None, text: str, sign: str) -> str:
    """Return the sum or difference of two texts of numbers: a number if both are plain decimals, else as arithmetic."""
    if before is None and sign == "+":
        return text
    try:
        number = Decimal("".join(text.replace("−", "-").split()))
        return str(Decimal((before or "0").replace("−", "-")) + (number if sign == "+" else -number))
    except InvalidOperation:
        return f"{before or ''}{sign}({text})"
