"""Lines between two columns of characters: every source has a lane of its own in which its line goes up or down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...records import NamedTuple


class Net(NamedTuple):
    """The row in which a line leaves a column, and the rows in which it enters the next."""

    source: int
    targets: tuple[int, ...]

    @property
    def straight(self) -> bool:
        return set(self.targets) == {self.source}

    @property
    def span(self) -> tuple[int, int]:
        return min(self.source, *self.targets), max(self.source, *self.targets)


def lanes(nets: Sequence[Net]) -> list[int] | int:
    """The lane of every net from left to right (-1 for one that goes straight), so that no two lines share a cell.

    Where two lines leave in rows in which other ones enter, an order may be impossible: then the row of an entry that
    has to be moved.
    """
    leaving = {net.source: k for k, net in enumerate(nets) if not net.straight}
    # a line that leaves in a row must have turned off before another one enters in it
    earlier: dict[int, set[int]] = {
        k: {leaving[row] for row in net.targets if row in leaving and leaving[row] != k} for k, net in enumerate(nets)
    }
    found = [-1] * len(nets)
    taken: list[list[tuple[int, int]]] = []
    waiting = sorted((k for k, net in enumerate(nets) if not net.straight), key=lambda k: nets[k].span)
    placed: set[int] = set()
    while waiting:
        ready = next((k for k in waiting if earlier[k] <= placed), None)
        if ready is None:
            return _cycle(nets, leaving, earlier, placed, waiting[0])
        waiting.remove(ready)
        placed.add(ready)
        least = 1 + max((found[k] for k in earlier[ready]), default=-1)
        found[ready] = _free_lane(taken, nets[ready].span, least)
    return found


def _cycle(
    nets: Sequence[Net], leaving: Mapping[int, int], earlier: Mapping[int, set[int]], placed: set[int], start: int
) -> int:
    """The row of an entry of a net that waits for itself."""
    seen: list[int] = []
    k = start
    while k not in seen:
        seen.append(k)
        k = min(earlier[k] - placed)
    return min(row for row in nets[k].targets if leaving.get(row, k) not in (k, *placed))


def _free_lane(taken: list[list[tuple[int, int]]], span: tuple[int, int], least: int) -> int:
    """The first lane from `least` on in which nothing overlaps the rows of a span; it is taken then."""
    lane = least
    while lane < len(taken) and any(top <= span[1] and span[0] <= bottom for top, bottom in taken[lane]):
        lane += 1
    while len(taken) <= lane:
        taken.append([])
    taken[lane].append(span)
    return lane
