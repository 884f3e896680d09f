"""Second derivatives of results that are smooth at a kink: those of the series on both sides, where these agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..calculus.formal import Real, Unknown
from ..graph.node import Graph
from ..graph.pieces import Pieces, Side
from .kinks import Decision, listed, spoken_number
from .model import Note
from .second import Second

Entries = dict[tuple[int, int], Real]


class Bend(NamedTuple):
    """The second derivatives of an output, as far as there are any, by two inputs; and what there is to say of them."""

    entries: Entries
    why: list[str]


def bent(
    decision: Decision, graph: Graph, found: Sequence[Second], shown: Mapping[str, str], names: Sequence[str], m: Any
) -> tuple[list[Second], list[Note]]:
    """The second derivatives with those of results at kinks put right, and notes on them."""
    inputs = {name: slot for slot, name in graph.inputs.items()}
    done, notes = [], []
    for entry, (output, slot) in zip(found, graph.outputs, strict=True):
        around = decision.around.get(output)
        if around is None:
            done.append(entry)
            continue
        name = shown[output]
        if around.kind != "smooth":
            text = f"the second derivatives of {name} are those of the conventions, not its own"
            notes.append(Note(names[slot] or None, "kink", text))
            done.append(entry)
            continue
        bend = bends(decision.pieces, slot, list(inputs.values()), name, graph.inputs)
        hessian = {a: {b: _read(decision, bend.entries.get((inputs[a], inputs[b])), m) for b in inputs} for a in inputs}
        notes += [Note(names[slot] or None, "kink", text) for text in bend.why]
        product = entry.product
        if product is not None:
            along = next(iter(entry.sweeps.values()), None)
            moved = {a: 0.0 if along is None else along.dots[place] for a, place in inputs.items()}
            product = {a: sum((row[b] * moved[b] for b in inputs if moved[b]), start=0.0) for a, row in hessian.items()}
        done.append(Second(output, None if entry.hessian is None else hessian, product, {}))
    return done, notes


def _read(decision: Decision, x: Real | None, m: Any) -> Any:
    return m.undefined if x is None else decision.reals.read(x, m)


def bends(pieces: Pieces, output: int, inputs: Sequence[int], shown: str, names: Mapping[int, str]) -> Bend:
    """The second derivatives of an output that is smooth at the point.

    Those along an input are exact: both sides of a series.  Mixed ones follow from those along a diagonal if the
    function has second derivatives at all, which is not proven for several inputs.
    """
    entries: Entries = {}
    why: list[str] = []
    active = [slot for slot in inputs if slot in pieces.around(output).sides]
    zero = pieces.reals.zero
    for a in inputs:
        for b in inputs:
            if a not in active or b not in active:
                entries[a, b] = zero
    for slot in active:
        sides = [second_along(pieces, output, {slot: sign}) for sign in (-1, 1)]
        agreed = _agreed(sides)
        if agreed is not None:
            entries[slot, slot] = agreed
        elif all(side is not None for side in sides):
            numbers = [spoken_number(side) for side in sides]
            why.append(
                f"{shown} has no second derivative in {names[slot]} here: {numbers[0]} from the left and"
                f" {numbers[1]} from the right"
            )
    for k, a in enumerate(active):
        for b in active[k + 1 :]:
            along = _agreed([second_along(pieces, output, {a: sign, b: sign}) for sign in (-1, 1)])
            across = _agreed([second_along(pieces, output, {a: sign, b: -sign}) for sign in (-1, 1)])
            if along is not None and across is not None and (a, a) in entries and (b, b) in entries:
                axes = entries[a, a] + entries[b, b]
                if (along + across - axes * 2).terms:
                    why.append(f"{shown} has no mixed second derivative in {names[a]} and {names[b]} here")
                else:
                    entries[a, b] = entries[b, a] = (along - axes) / 2
    if len(active) > 1:
        text = f"the second derivatives of {shown} are those along {listed([names[slot] for slot in active])}"
        why.append(f"{text} and their diagonals; that it has others to fit them is not proven here")
    return Bend(entries, why)


def second_along(pieces: Pieces, output: int, direction: Mapping[int, Any]) -> Real | float | None:
    """The second derivative on one side along a direction; infinite with its sign, None where it is not known."""
    side: Side = pieces.side(output, direction)
    if side.germ is None or side.slope is None:
        return None
    q = side.germ.m.q
    try:
        for exponent in range(q + 1, 2 * q):
            c = side.germ.at(exponent)
            if c.terms:
                return pieces.reals.signum(c) * math.inf
        return side.germ.at(2 * q) * 2
    except Unknown:
        return None


def _agreed(sides: Sequence[Real | float | None]) -> Real | None:
    first, last = sides
    if not isinstance(first, Real) or not isinstance(last, Real):
        return None
    try:
        return first if first == last else None
    except Unknown:
        return None
