"""Entries in the order in which they were computed: adjoints that are printed upwards are turned over."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..model import BAR, DERIVATIVE, Entry, Quantity
from .symbols import Names


def in_order(entries: Sequence[tuple[int, Entry]], names: Names) -> tuple[Entry, ...]:
    """The entries of an answer, given with their blocks, as they were computed.

    Where the adjoints of a block run upwards, they come last and from below; what the uppermost rows only repeat as
    results comes at the very end.
    """
    found: list[Entry] = []
    for _, group in groupby(entries, key=lambda item: item[0]):
        block = [entry for _, entry in group]
        adjoints: dict[str | None, list[Entry]] = {}
        for entry in block:
            row = _adjoint(entry.quantity, names)
            if row is not None:
                adjoints.setdefault(row[0], []).append(entry)
        turned = {output: bars for output, bars in adjoints.items() if _upwards(bars, names)}
        for entry in block:
            row = _adjoint(entry.quantity, names)
            if row is None or row[0] not in turned:
                found.append(entry)
        for bars in turned.values():
            results = _results(bars)
            found += [*reversed(bars[results:]), *bars[:results]]
    return tuple(found)


def _adjoint(quantity: Quantity, names: Names) -> tuple[str | None, str] | None:
    """The output and the row of an adjoint, in whatever spelling; None for anything else."""
    kind, name, key = quantity
    if kind == BAR:
        return key, name
    return (name, key) if kind == DERIVATIVE and key and name in names.outputs else None


def _row(quantity: Quantity, names: Names) -> str | None:
    found = _adjoint(quantity, names)
    return found and found[1]


def _upwards(bars: Sequence[Entry], names: Names) -> bool:
    """Whether adjoints are printed from below: they use what stands further down."""
    places: dict[str | None, list[int]] = {}
    for place, entry in enumerate(bars):
        places.setdefault(_row(entry.quantity, names), []).append(place)
    up = down = 0
    for place, entry in enumerate(bars):
        own = _row(entry.quantity, names)
        used = {_row(quantity, names) for piece in entry.pieces for quantity in piece.quantities.values()}
        for row in used - {None, own}:
            where = places.get(row, [place])
            up += min(where) > place
            down += max(where) < place
    if up or down:
        return up > down
    first, last = _row(bars[0].quantity, names), _row(bars[-1].quantity, names)
    return first in names.inputs and last not in names.inputs


def _results(bars: Sequence[Entry]) -> int:
    """How many of the uppermost rows only repeat what is computed further down."""
    below = [entry.quantity for entry in bars]
    count = 0
    for entry in bars:
        below.pop(0)
        if entry.quantity not in below or any(piece.graph is not None for piece in entry.pieces):
            break
        count += 1
    return count
