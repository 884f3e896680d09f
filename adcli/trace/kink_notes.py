"""Kinks that are met exactly: what is decided and said of the rows that have them, and of the results.

The second derivatives of results that are smooth there are those of the series on both sides, where these agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, SupportsFloat

from ..graph.graph import Graph
from ..graph.order import ancestors
from ..graph.tape import Gradients
from ..kinks.decision import Around, Decision, Entries, Neighbourhood, Side, curvatures, decided, second_along
from ..kinks.exact_reals import Real, Reals
from ..language.problems import Written, in_arithmetic
from ..notation.numbers import Digits
from ..records import NamedTuple
from .faults import Corner, Evaluation
from .findings import Second
from .labels import shown_name
from .model import Note

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating

_SHORT = Digits(significant=6)
_MOST_NAMES = 4


def point(graph: Graph, at: Mapping[str, float], reals: Reals, *, exactly: bool = False) -> dict[int, Real]:
    """The point as it was written; a double counts as the shortest decimal that it is the double of, or `exactly`."""
    found = {}
    for slot, name in graph.inputs.items():
        x = at[name]
        plain = isinstance(x, float) and not isinstance(x, Written) and not exactly
        found[slot] = reals.number(repr(x)) if plain else in_arithmetic(reals, x)
    return found


# --- sentences -------------------------------------------------------------------------------------------------------


def settled(
    evaluation: Evaluation, at: Mapping[str, float], met: Sequence[Corner], gradients: Gradients
) -> tuple[Decision | None, list[Corner]]:
    """What is decided of the outputs where these corners are met, and the corners with the partials that are used."""
    from ..numbers.complexes import Complex

    if isinstance(evaluation.m, Complex):
        return None, list(met)
    graph = evaluation.graph
    here = {name: at[name] for name in graph.inputs.values()}
    decision = decided(graph, {corner.slot for corner in met}, partial(point, graph, here))
    if decision is None:
        return None, list(met)
    used = []
    changed = decision.gradients(gradients, evaluation.m)
    for corner in met:
        partials = changed[corner.slot]
        slope = partials[corner.position] if corner.position < len(partials) else None
        used.append(corner._replace(slope=math.nan if slope is None else float(slope)))
    return decision, used


def refused(decision: Decision | None, graph: Graph, met: Sequence[Corner]) -> Corner | None:
    """The first corner that matters to a result without a gradient."""
    for corner in met:
        reached = [name for name, slot in graph.outputs if ancestors(graph, [slot])[corner.slot]]
        if decision is None or not all(decision.smooth(name) for name in reached):
            return corner
    return None


def told(decision: Decision, evaluation: Evaluation, met: Sequence[Corner]) -> list[Note]:
    """What the outputs are here, where that is more than what is said of their rows."""
    graph = evaluation.graph
    inputs = {name: slot for slot, name in graph.inputs.items()}
    notes = []
    for name, slot in graph.outputs:
        if name in decision.around and not _says_it(graph, slot, decision.around[name], met):
            text = sentence(decision, name, shown_name(name, inputs))
            notes.append(Note(evaluation.names[slot] or None, "kink", text))
    return notes


def _says_it(graph: Graph, output: int, found: Around, met: Sequence[Corner]) -> bool:
    """Whether the output is the only row with a corner, a function of inputs, so that its note has said it all."""
    if {corner.slot for corner in met} != {output} or found.kind in ("smooth", "unknown") or found.why:
        return False
    parents = graph.parents[output]
    return all(p in graph.inputs or graph.literal[p] for p in parents) and len(set(parents)) == len(parents)


def sentence(decision: Decision, output: str, shown: str) -> str:
    """What an output is around the point."""
    found = decision.around[output]
    names = decision.graph.inputs
    if found.kind == "smooth":
        slopes = [f"{spoken_number(c)} in {names[slot]}" for slot, c in found.gradient.items()]
        text = f"{shown} is smooth here all the same: slope {listed(slopes)}"
        whole = (
            output in decision.pieced
            and decision.piece is not None
            and not any(isinstance(g, float) and math.isinf(g) for row in decision.piece.partials for g in row)
        )
        return text + ("; the partials are those of one smooth piece" if whole else ", by its series on both sides")
    if found.kind == "jump":
        return f"{shown} jumps here: {_jumps(found, names)}; it has no slope, and what stands for one is a convention"
    if found.kind == "unknown":
        sides = _sides(found, names)
        known = f"; along the inputs it has {sides}" if sides else ""
        return f"whether {shown} is smooth here is not proven ({found.why}); its slopes are by convention{known}"
    if found.kind == "edge":
        return f"{shown} does not go on to both sides: {_sides(found, names)}"
    text = f"{shown} is not smooth here: {_sides(found, names)}"
    if found.why:
        text += f", which its slope along {found.why} does not fit"
    if output in decision.pieced:
        text += "; its partials are those of one smooth piece, which another result needs"
    return text


def _jumps(found: Around, names: Mapping[int, str]) -> str:
    texts = []
    for slot, pair in found.sides.items():
        limits = [
            f"{spoken_number(side.limit)} to the {where}"
            for side, where in zip(pair, ("left", "right"), strict=True)
            if side.limit is not None
        ]
        if any(side.limit is None or found.value is None or (side.limit - found.value).terms for side in pair):
            texts.append(f"along {names[slot]} it tends to {' and '.join(limits)}" if limits else "")
    value = "" if found.value is None else f"it is {spoken_number(found.value)}"
    return ", ".join([value, *texts[:_MOST_NAMES]])


def _sides(found: Around, names: Mapping[int, str]) -> str:
    """`slope −1 from the left and 1 from the right in x`, for the inputs in which it has one."""
    texts = []
    for slot, (left, right) in found.sides.items():
        sides = [(slope(left, -1), "left"), (slope(right, 1), "right")]
        known = [(x, where) for x, where in sides if x is not None]
        if len(known) == 2 and spoken_number(known[0][0]) == spoken_number(known[1][0]):
            texts.append(f"slope {spoken_number(known[0][0])} in {names[slot]}")
        elif known:
            both = " and ".join(f"{spoken_number(x)} from the {where}" for x, where in known)
            texts.append(f"slope {both} in {names[slot]}")
    return ", ".join(texts[:_MOST_NAMES]) + (", …" if len(texts) > _MOST_NAMES else "")


def slope(side: Side, sign: int) -> Real | float | None:
    """The slope on one side; infinite with its sign, None where the function does not go on."""
    if side.state:
        return None
    if side.slope is None:
        return side.infinite * sign * math.inf
    return side.slope if sign > 0 else -side.slope  # no product: the budget of the arithmetic may be used up


def spoken_number(x: SupportsFloat) -> str:
    return _SHORT.show(float(x))


def listed(texts: Sequence[str]) -> str:
    shown = [*texts[:_MOST_NAMES], *(["…"] if len(texts) > _MOST_NAMES else [])]
    return ", ".join(shown)


# --- second derivatives -----------------------------------------------------------------------------------------------


class Bend(NamedTuple):
    """The second derivatives of an output, as far as there are any, by two inputs; and what there is to say of them."""

    entries: Entries
    why: list[str]


def bent(
    decision: Decision,
    graph: Graph,
    found: Sequence[Second[float]],
    shown: Mapping[str, str],
    names: Sequence[str],
    m: Evaluating[float],
) -> tuple[list[Second[float]], list[Note]]:
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


def _read(decision: Decision, x: Real | None, m: Evaluating[float]) -> float:
    found: float = m.undefined if x is None else decision.reals.read(x, m)
    return found


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
            told = [spoken_number(side) for side in sides if side is not None]
            if len(told) == 2:
                left, right = told
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
