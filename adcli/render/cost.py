"""What a gradient costs, as a table and as plain data."""

from __future__ import annotations

from ..notation.numbers import Digits
from ..trace.cost import KINDS, MANY, Cost
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
        total, one_by_one = cost.reverse.total(), _whole(cost.one_by_one)
        found.append(f"passing every contribution on by itself: {one_by_one} operations instead of {total}")
    return found


def _whole(count: int) -> str:
    return str(count) if count < MANY else "more than 1e15"


def as_dict(cost: Cost) -> dict[str, object]:
    """The key `cost` of the schema `trace/1`."""
    data: dict[str, object] = {
        name: {kind.replace(" ", "_"): count[kind] for kind in KINDS} | {"total": count.total()}
        for name, count in (("value", cost.value), ("forward", cost.forward), ("reverse", cost.reverse))
    }
    return data | {
        "ratio": {"forward": cost.forward_ratio, "reverse": cost.reverse_ratio},
        "adjoints": {"passed_on": cost.passed, "accumulated": cost.accumulated},
        "one_by_one": cost.one_by_one if cost.one_by_one < MANY else _whole(cost.one_by_one),
    }
