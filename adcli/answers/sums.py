"""Sums that `+=` builds up, as in `x2bar += 2`: the number is the increment or the total so far."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from .collector import RawRow
from .numerals import numeral


def added_up(rows: Sequence[RawRow], *, after_formulas: bool) -> list[RawRow] | None:
    """Return the rows with running totals instead of the numbers that `+=` adds; None if no row changes.

    In `x2bar += v2bar*x1 = 2` the number after the formula is the increment if `after_formulas` is True, and such rows
    stay as they are otherwise. A number that is replaced loses its sign; the first number of a sum stays if it follows
    a formula. The totals are kept for each text of a left side; the rows stay in order.
    """
    sums: dict[str, Decimal] = {}
    found, changed = [], False
    for row in rows:
        last = row.pieces[-1] if row.pieces else None
        text = last.text.replace("−", "-").replace(" ", "") if last else ""
        alone = len(row.pieces) == 1
        if last is None or row.pieces[0].sign != "+" or numeral(text) is None or not (alone or after_formulas):
            found.append(row)
            continue
        own = row.left.text.strip()
        known, total = own in sums, sums.get(own, Decimal(0)) + Decimal(text)
        sums[own] = total
        if known or alone:
            changed = True
            row = row._replace(pieces=[*row.pieces[:-1], last._replace(text=str(total), sign="")])
        found.append(row)
    return found if changed else None
