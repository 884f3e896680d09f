"""Sums that `+=` builds up, as in `x2bar += 2`: the number is the increment or the total so far."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from .collector import Cut, RawRow
from .numerals import numeral


def with_running_totals(rows: Sequence[RawRow], *, after_formulas: bool) -> list[RawRow] | None:
    """Return the rows with running totals instead of the numbers that `+=` adds; None if no row changes.

    `x2bar += 2`, `x2bar += 3` become rows of 2 and of 5. Each left side has its own total, which starts at 0; rows with
    `=` and `-=` are not counted. The last piece must be a number or have one in a `#` comment.

    - A number alone is replaced, also the first one, and loses its `+`.
    - The number after a formula, `x2bar += v2bar*x1 = 2`, or with `# 2`, is an increment only if `after_formulas` is
      True, else the row is not counted. The first such row of a left side is counted, but not changed.
    - After a number that is not a plain decimal, such as 1.2*10^-3, the rows of its left side stay as they are.
    """
    sums: dict[str, Decimal | None] = {}
    totals, changed = [], False
    for row in rows:
        formula, comment, text = _split_comment(row)
        alone = len(row.pieces) == 1 and not comment
        if numeral(text) is None or not (alone or after_formulas):
            totals.append(row)
            continue
        name = row.left.text.strip()
        known, before, increment = name in sums, sums.get(name, Decimal(0)), _decimal(text)
        total = None if before is None or increment is None else before + increment
        sums[name] = total
        if total is not None and (known or alone):
            changed = True
            new = Cut(f"{formula}{comment}{total}", row.pieces[-1].span, "+" * (len(row.pieces) == 1 and not alone))
            row = row._replace(pieces=[*row.pieces[:-1], new])
        totals.append(row)
    return totals if changed else None


def _split_comment(row: RawRow) -> tuple[str, str, str]:
    """Return (formula, `#`, number) of the last piece of a row whose first piece has the sign "+" (comes after `+=`).

    The piece is split at its last `#`; the number has no blanks and a plain minus sign. Without a `#` the first two are
    empty and the third is the whole piece. All three are empty for any other row.
    """
    if not row.pieces or row.pieces[0].sign != "+":
        return "", "", ""
    formula, comment, number = row.pieces[-1].text.rpartition("#")
    return formula, comment, "".join(number.replace("−", "-").split())


def _decimal(text: str) -> Decimal | None:
    """Return the number that a text is as a plain decimal; None for others, such as 1/3 and 0.69…"""
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
