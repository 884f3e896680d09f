"""What a gradient costs, as a table."""

from __future__ import annotations

from ..notation.numbers import Digits
from ..trace.cost import KINDS, Cost
from .cells import AnyText, Table

_RATIO = Digits(places=2)


def table(cost: Cost) -> Table:
    """Operations by kind, and how many times the value's own work a sweep is."""
    columns = (cost.value, cost.forward, cost.reverse)
    rows: list[tuple[str, ...]] = [
        (AnyText(kind), *(str(column[kind]) for column in columns))
        for kind in KINDS
        if any(column[kind] for column in columns)
    ]
    totals = len(rows)
    rows.append((AnyText("operations"), *(str(column.total()) for column in columns)))
    ratios = (cost.forward_ratio, cost.reverse_ratio)
    rows.append((AnyText("times the value"), "1", *("" if ratio is None else _RATIO.show(ratio) for ratio in ratios)))
    header = ("", "value", "with one direction (forward)", "with the gradient (reverse)")
    return Table(rows, header, (totals,) if totals else (), right=(1, 2, 3))


def sentences(cost: Cost) -> list[str]:
    """How the adjoints travel, and what the other way would cost."""
    found = [
        f"adjoints of intermediate values: {cost.passed} used once and passed on, "
        f"{cost.accumulated} used often, accumulated and propagated once"
    ]
    if cost.accumulated:
        total, one_by_one = cost.reverse.total(), cost.one_by_one_or_many
        found.append(f"passing every contribution on by itself: {one_by_one} operations instead of {total}")
    return found
