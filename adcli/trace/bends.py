"""Second derivatives of results that are smooth at a kink: those of the series on both sides, where these agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..graph.graph import Graph
from ..numbers.formal import Real
from ..symbolic.neighbourhood import Decision, Entries, Neighbourhood, curvatures, second_along
from .hessians import Second
from .kinks_met import listed, spoken_number
from .model import Note


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


def bends(pieces: Neighbourhood, output: int, inputs: Sequence[int], shown: str, names: Mapping[int, str]) -> Bend:
    """The second derivatives of an output that is smooth at the point, and what there is to say of them."""
    entries = curvatures(pieces, output, inputs)
    why: list[str] = []
    active = [slot for slot in inputs if slot in pieces.around(output).sides]
    for k, a in enumerate(active):
        for b in active[k:]:
            if (a, b) in entries:
                continue
            sides = [second_along(pieces, output, {a: sign}) for sign in (-1, 1)] if a == b else []
            if sides and all(side is not None for side in sides):
                left, right = map(spoken_number, sides)
                why.append(
                    f"{shown} has no second derivative in {names[a]} here: {left} from the left and {right} from the"
                    " right"
                )
            elif a != b and (a, a) in entries and (b, b) in entries:
                why.append(f"{shown} has no mixed second derivative in {names[a]} and {names[b]} here that is known")
    if len(active) > 1:
        text = f"the second derivatives of {shown} are those along {listed([names[slot] for slot in active])}"
        why.append(f"{text} and their diagonals; that it has others to fit them is not proven here")
    return Bend(entries, why)
