"""Kinks that are met exactly, decided for the results: the partials that a sweep takes there, and what is said of them.

Where a result is smooth after all, its rows take their partials from one smooth piece (`graph.pieces`), so that the
sweeps give the function's own slopes; elsewhere the conventions stay, and the slopes of the result are told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..calculus.algebra import FLOAT
from ..calculus.formal import Real, Reals, Unknown
from ..graph.node import Graph
from ..graph.order import ancestors
from ..graph.pieces import Around, Piece, Pieces, Side
from ..graph.tape import UNTAKEN, Gradients
from ..language.numbers import Digits
from ..language.problems import Written, in_arithmetic
from .faults import Corner, Evaluation
from .model import Note
from .rows import shown_name

_SHORT = Digits(significant=6)
_MOST_NAMES = 4


class Decision(NamedTuple):
    """What is known of the outputs at a point with kinks.

    `around` is by output; `values` and `gradients` are those of the sweeps, with the piece put in; `slopes` are proven,
    by output and input, and stand where a sweep cannot give them.
    """

    around: dict[str, Around]
    values: list[Any]
    gradients: Gradients
    slopes: dict[str, dict[str, Any]]
    pieced: frozenset[str]
    reals: Reals

    def smooth(self, output: str) -> bool:
        """Whether an output has a gradient here."""
        return output in self.around and self.around[output].kind == "smooth"

    def gradient(self, output: str, swept: Mapping[str, Any]) -> dict[str, Any]:
        """The gradient of an output: what was swept, and the proven slopes where that is no number or of no piece."""
        proven = self.slopes.get(output, {})
        return {
            name: proven[name]
            if name in proven and (output not in self.pieced or not _finite(x))
            else x
            for name, x in swept.items()
        }  # fmt: skip


def _finite(x: Any) -> bool:
    return math.isfinite(float(x))


def decided(
    graph: Graph, at: Mapping[str, Any], met: Iterable[int], values: Sequence[Any], gradients: Gradients, m: Any = FLOAT
) -> Decision | None:
    """What the outputs that depend on the slots with a kink that is met are here; None where nothing is known."""
    corners = set(met)
    reals = Reals()
    try:
        pieces = Pieces(graph, reals, point(graph, at, reals))
    except Unknown:
        return None
    needed = {name: ancestors(graph, [slot]) for name, slot in graph.outputs}
    mine = {name: {slot for slot in corners if needed[name][slot]} for name in needed}
    around = {name: pieces.around(slot) for name, slot in graph.outputs if mine[name]}
    smooth = [name for name, found in around.items() if found.kind in ("smooth", "edge")]
    slopes = {name: _as_numbers(graph, m, reals, around[name].gradient) for name in smooth}
    piece = pieces.piece() if smooth else None
    if piece is None:
        return Decision(around, list(values), gradients, slopes, frozenset(), reals)
    pieced = set(smooth)
    shared = set().union(*[mine[name] for name in smooth])
    while grown := [name for name in around if name not in pieced and mine[name] & shared]:
        pieced.update(grown)
        shared.update(*[mine[name] for name in grown])
    reached = bytearray(len(graph))
    for name in pieced:
        reached = bytearray(map(max, reached, needed[name]))
    changed = [slot for slot in range(len(graph)) if reached[slot] and _changes(graph, piece, slot, corners)]
    return Decision(
        around, _with_values(reals, piece, values, reached, m), _with_partials(reals, piece, gradients, changed, m),
        slopes, frozenset(pieced), reals,
    )  # fmt: skip


def point(graph: Graph, at: Mapping[str, Any], reals: Reals) -> dict[int, Real]:
    """The point as it was written; a double counts as the shortest decimal that it is the double of."""
    found = {}
    for slot, name in graph.inputs.items():
        x = at[name]
        found[slot] = in_arithmetic(reals, x) if isinstance(x, Written) else reals.number(
            repr(x) if isinstance(x, float) else x
        )  # fmt: skip
    return found


def _as_numbers(graph: Graph, m: Any, reals: Reals, gradient: Mapping[int, Real]) -> dict[str, Any]:
    return {name: reals.read(gradient.get(slot, reals.zero), m) for slot, name in graph.inputs.items()}


def _changes(graph: Graph, piece: Piece, slot: int, corners: set[int]) -> bool:
    """Whether a slot has other partials in the piece than by its own values."""
    return slot in corners or bool(piece.moved[slot]) or any(piece.moved[p] for p in graph.parents[slot])


def _with_values(reals: Reals, piece: Piece, values: Sequence[Any], reached: bytearray, m: Any) -> list[Any]:
    """The values, with those of branches that only the piece takes."""
    return [
        reals.read(limit, m) if value is None and limit is not None and reached[slot] else value
        for slot, (value, limit) in enumerate(zip(values, piece.values, strict=True))
    ]


def _with_partials(reals: Reals, piece: Piece, gradients: Gradients, changed: Iterable[int], m: Any) -> Gradients:
    found = list(gradients)
    for slot in changed:
        found[slot] = tuple([_partial(reals, g, m) for g in piece.partials[slot]])
    return found


def _partial(reals: Reals, g: Any, m: Any) -> Any:
    if g is None or g is UNTAKEN or isinstance(g, int):
        return g
    return reals.read(g, m) if isinstance(g, Real) else m.infinity * (1 if g > 0 else -1)


# --- sentences -------------------------------------------------------------------------------------------------------


def settled(
    evaluation: Evaluation, at: Mapping[str, Any], met: Sequence[Corner], gradients: Gradients
) -> tuple[Decision | None, list[Corner]]:
    """What is decided of the outputs where these corners are met, and the corners with the partials that are used."""
    from ..calculus.complexes import Complex

    if isinstance(evaluation.m, Complex):
        return None, list(met)
    decision = decided(
        evaluation.graph, at, {corner.slot for corner in met}, evaluation.values, gradients, evaluation.m
    )
    if decision is None:
        return None, list(met)
    used = []
    for corner in met:
        partials = decision.gradients[corner.slot]
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
            text = sentence(decision, graph, name, shown_name(name, inputs))
            notes.append(Note(evaluation.names[slot] or None, "kink", text))
    return notes


def _says_it(graph: Graph, output: int, found: Around, met: Sequence[Corner]) -> bool:
    """Whether the output is the only row with a corner, a function of inputs, so that its note has said it all."""
    if {corner.slot for corner in met} != {output} or found.kind in ("smooth", "unknown") or found.why:
        return False
    parents = graph.parents[output]
    return all(p in graph.inputs or graph.literal[p] for p in parents) and len(set(parents)) == len(parents)


def sentence(decision: Decision, graph: Graph, output: str, shown: str) -> str:
    """What an output is around the point."""
    found = decision.around[output]
    names = graph.inputs
    if found.kind == "smooth":
        slopes = [f"{_number(c)} in {names[slot]}" for slot, c in found.gradient.items()]
        text = f"{shown} is smooth here all the same: slope {_listed(slopes)}"
        whole = output in decision.pieced and all(g is None or _finite(g) for row in decision.gradients for g in row)
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
            f"{_number(side.limit)} to the {where}"
            for side, where in zip(pair, ("left", "right"), strict=True)
            if side.limit is not None
        ]
        if any(side.limit is None or found.value is None or (side.limit - found.value).terms for side in pair):
            texts.append(f"along {names[slot]} it tends to {' and '.join(limits)}" if limits else "")
    value = "" if found.value is None else f"it is {_number(found.value)}"
    return ", ".join([value, *texts[:_MOST_NAMES]])


def _sides(found: Around, names: Mapping[int, str]) -> str:
    """`slope −1 from the left and 1 from the right in x`, for the inputs in which it has one."""
    texts = []
    for slot, (left, right) in found.sides.items():
        sides = [(slope(left, -1), "left"), (slope(right, 1), "right")]
        known = [(x, where) for x, where in sides if x is not None]
        if len(known) == 2 and _number(known[0][0]) == _number(known[1][0]):
            texts.append(f"slope {_number(known[0][0])} in {names[slot]}")
        elif known:
            texts.append("slope " + " and ".join(f"{_number(x)} from the {w}" for x, w in known) + f" in {names[slot]}")
    return ", ".join(texts[:_MOST_NAMES]) + (", …" if len(texts) > _MOST_NAMES else "")


def slope(side: Side, sign: int) -> Real | float | None:
    """The slope on one side; infinite with its sign, None where the function does not go on."""
    if side.state:
        return None
    return side.infinite * sign * math.inf if side.slope is None else side.slope * sign


def _number(x: Any) -> str:
    return _SHORT.show(float(x))


def _listed(texts: Sequence[str]) -> str:
    shown = [*texts[:_MOST_NAMES], *(["…"] if len(texts) > _MOST_NAMES else [])]
    return ", ".join(shown)
