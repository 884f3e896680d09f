"""What a program does where kinks are met exactly: the partials that its sweeps take, and the slopes that are proven.

Where a result is smooth after all, its rows take their partials from one smooth piece (`pieces`), so that the sweeps
give the function's own slopes; elsewhere the conventions stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..graph.graph import Graph
from ..graph.order import ancestors, dependents
from ..graph.tape import UNTAKEN, Gradients
from ..numbers.formal import Real, Unknown
from ..numbers.reals import Reals
from ..table.primitive import Kink
from .neighbourhood import Around, Piece, Pieces


class Decision(NamedTuple):
    """What is known of the outputs at a point with kinks, in any arithmetic.

    `around` is by output.  `piece` is the one that the `pieced` outputs take their partials from: in the slots
    `changed`, while `reached` are all that they depend on.
    """

    graph: Graph
    pieces: Pieces
    around: dict[str, Around]
    piece: Piece | None
    pieced: frozenset[str]
    changed: frozenset[int]
    reached: bytes

    @property
    def reals(self) -> Reals:
        return self.pieces.reals

    def smooth(self, output: str) -> bool:
        """Whether an output has a gradient here."""
        return output in self.around and self.around[output].kind == "smooth"

    def slopes(self, output: str, m: Any) -> dict[str, Any]:
        """The proven slopes of an output by input, also those on the only side that there is; none where none are."""
        found = self.around.get(output)
        if found is None or found.kind not in ("smooth", "edge"):
            return {}
        zero = self.reals.zero
        return {name: self.reals.read(found.gradient.get(slot, zero), m) for slot, name in self.graph.inputs.items()}

    def values(self, values: Sequence[Any], m: Any) -> list[Any]:
        """The values, with those of branches that only the piece takes."""
        if self.piece is None:
            return list(values)
        return [
            self.reals.read(limit, m) if value is None and limit is not None and reached else value
            for value, limit, reached in zip(values, self.piece.values, self.reached, strict=True)
        ]

    def gradients(self, gradients: Gradients, m: Any) -> Gradients:
        """The partials, with those of the piece in their places."""
        found = list(gradients)
        if self.piece is not None:
            for slot in self.changed:
                found[slot] = tuple([_partial(self.reals, g, m) for g in self.piece.partials[slot]])
        return found

    def gradient(self, output: str, swept: Mapping[str, Any], m: Any) -> dict[str, Any]:
        """The gradient of an output: what was swept, and the proven slopes where that is no number or of no piece."""
        proven = self.slopes(output, m)
        return {
            name: proven[name] if name in proven and (output not in self.pieced or not m.finite(x)) else x
            for name, x in swept.items()
        }

    def correct(self, bars: Mapping[str, list[Any]], dots: Mapping[str, list[Any]], m: Any) -> None:
        """Puts proven slopes where sweeps end, by output and by input, where they come out as no numbers."""
        inputs = {name: slot for slot, name in self.graph.inputs.items()}
        for output, slot in self.graph.outputs:
            for name, slope in self.slopes(output, m).items():
                for sweep, place in ((bars.get(output), inputs[name]), (dots.get(name), slot)):
                    if sweep is not None and (output not in self.pieced or not m.finite(sweep[place])):
                        sweep[place] = slope


def decided(graph: Graph, met: Iterable[int], point: Callable[[Reals], Mapping[int, Real]]) -> Decision | None:
    """What the outputs that depend on the slots with a kink that is met are here; None where nothing is known.

    `point` tells the inputs by slot in the arithmetic that it is given.
    """
    corners = set(met)
    reals = Reals()
    try:
        pieces = Pieces(graph, reals, point(reals))
    except Unknown:
        return None
    needed = {name: ancestors(graph, [slot]) for name, slot in graph.outputs}
    mine = {name: {slot for slot in corners if needed[name][slot]} for name in needed}
    around = {name: pieces.around(slot) for name, slot in graph.outputs if mine[name]}
    smooth = [name for name, found in around.items() if found.kind in ("smooth", "edge")]
    piece = pieces.piece() if smooth else None
    if piece is None:
        return Decision(graph, pieces, around, None, frozenset(), frozenset(), bytes(len(graph)))
    pieced = set(smooth)
    shared = set().union(*[mine[name] for name in smooth])
    while grown := [name for name in around if name not in pieced and mine[name] & shared]:
        pieced.update(grown)
        shared.update(*[mine[name] for name in grown])
    reached = bytes(len(graph))
    for name in pieced:
        reached = bytes(map(max, reached, needed[name]))
    changed = [slot for slot in range(len(graph)) if reached[slot] and _changes(graph, piece, slot, corners)]
    return Decision(graph, pieces, around, piece, frozenset(pieced), frozenset(changed), reached)


def _changes(graph: Graph, piece: Piece, slot: int, corners: set[int]) -> bool:
    """Whether a slot has other partials in the piece than by its own values."""
    return slot in corners or bool(piece.moved[slot]) or any(piece.moved[p] for p in graph.parents[slot])


def _partial(reals: Reals, g: Any, m: Any) -> Any:
    if g is None or g is UNTAKEN or isinstance(g, int):
        return g
    return reals.read(g, m) if isinstance(g, Real) else m.infinity * (1 if g > 0 else -1)


def kinks_met(graph: Graph, m: Any, values: Sequence[Any]) -> frozenset[int]:
    """The slots with a kink that is met, or may be met as far as the numbers tell, in what depends on inputs."""
    found = set()
    for slot, kinks, parents in kinked(graph):
        arguments = [values[p] for p in parents]
        if values[slot] is None or any(a is None or a != a for a in arguments):
            continue
        if not all(kink.holds(m, *arguments) for kink in kinks):
            found.add(slot)
    return frozenset(found)


def kinked(graph: Graph) -> list[tuple[int, list[Kink], tuple[int, ...]]]:
    """The slots that depend on inputs and have kinks in arguments that do, each with these kinks and its arguments."""
    found = []
    active = dependents(graph) if any(row is not None and row.smooth is not None for row in graph.rows) else b""
    for slot, (row, parents) in enumerate(zip(graph.rows, graph.parents, strict=True)):
        if row is not None and row.smooth is not None and active[slot]:
            kinks = dict.fromkeys(row.kink(k) for k, parent in enumerate(parents) if active[parent])
            found.append((slot, [kink for kink in kinks if kink is not None], parents))
    return found
