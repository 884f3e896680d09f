"""The rows of values of an answer: what each was first given a formula for, and which only rename the inputs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ..calculus.exact import read_fraction
from .model import VALUE, Entry, Number, Piece, Quantity, Task

_NUMBERED = re.compile(r"(.*?)(-?\d+)\Z")


class Definition(NamedTuple):
    """A value row of the student's: its name, its formulas, and its number as far as it has one.

    `reckoned` says that the row shows arithmetic, as in `y = sin(1.69) = 0.993`, or a formula that cannot be read.
    """

    name: str
    formulas: tuple[Piece, ...]
    number: Number | None
    reckoned: bool


def shown_number(entry: Entry) -> Number | None:
    """The number that a row comes to: the last one written."""
    return next((piece.number for piece in reversed(entry.pieces) if piece.number is not None), None)


def definitions(entries: Iterable[Entry], inputs: Collection[str]) -> list[Definition]:
    """The value rows by name, in the order written: each is what it was first given a formula for."""
    found: dict[str, Definition] = {}
    for entry in entries:
        kind, name, _ = entry.quantity
        if kind != VALUE or name in inputs:
            continue
        formulas = tuple(
            piece
            for piece in entry.pieces
            if piece.quantities and all(quantity.kind == VALUE for quantity in piece.quantities.values())
        )
        old = found.get(name)
        if old is None or (formulas and not old.formulas):
            reckoned = any(
                piece.problem is not None or (piece.graph is not None and not piece.quantities)
                for piece in entry.pieces
            )
            found[name] = Definition(name, formulas, shown_number(entry), reckoned)
    return list(found.values())


def renamed_inputs(
    task: Task, inputs: Sequence[str], rows: Sequence[Definition], entries: Iterable[Entry]
) -> dict[str, str]:
    """The inputs under names of the student's own, `v1 = 2, v2 = 5, v3 = ln v1`: rows that only give their values."""
    first = rows[: len(inputs)]
    named = {quantity.name for entry in entries for quantity in (entry.quantity, *_mentions(entry))}
    if not inputs or len(first) < len(inputs) or not named.isdisjoint(inputs):
        return {}
    shape = [_NUMBERED.match(row.name) for row in first]
    counted = all(
        m and m[1] == shape[0][1] and int(m[2]) == int(shape[0][2]) + k for k, m in enumerate(shape) if shape[0]
    )
    given = all(
        row.number is not None
        and not row.formulas
        and not row.reckoned
        and row.number.value == read_fraction(str(task.at[name]))
        for row, name in zip(first, inputs, strict=True)
    )
    return {row.name: name for row, name in zip(first, inputs, strict=True)} if counted and given and shape[0] else {}


def _mentions(entry: Entry) -> Iterable[Quantity]:
    return (quantity for piece in entry.pieces for quantity in piece.quantities.values())
