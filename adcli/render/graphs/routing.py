"""Routing of lines between two columns of characters: every source has its own lane, in which its line goes up or
down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...records import NamedTuple


class Net(NamedTuple):
    """The row in which a line leaves a column, and the rows in which it enters the next one."""

    source: int
    targets: tuple[int, ...]

    @property
    def straight(self) -> bool:
        return set(self.targets) == {self.source}

    @property
    def span(self) -> tuple[int, int]:
        return min(self.source, *self.targets), max(self.source, *self.targets)


def lanes(nets: Sequence[Net]) -> list[int] | int:
    """Return the lane of each of `nets`, counted from the left (-1 for a straight one), so that no two lines share a
    cell; nets whose rows do not meet may share a lane.

    If no order of lanes is possible, because lines leave in rows in which others enter, return (as an int instead of a
    list) the row of an entry that must be moved.
    """
    leaving = {net.source: k for k, net in enumerate(nets) if not net.straight}
    # a line that leaves in a row must turn before another one enters in that row
    earlier: dict[int, set[int]] = {
        k: {leaving[row] for row in net.targets if row in leaving and leaving[row] != k} for k, net in enumerate(nets)
    }
    chosen = [-1] * len(nets)
    taken: list[list[tuple[int, int]]] = []
    pending = sorted((k for k, net in enumerate(nets) if not net.straight), key=lambda k: nets[k].span)
    placed: set[int] = set()
    while pending:
        ready = next((k for k in pending if earlier[k] <= placed), None)
        if ready is None:
            return _row_in_cycle(nets, leaving, earlier, placed, pending[0])
        pending.remove(ready)
        placed.add(ready)
        least = 1 + max((chosen[k] for k in earlier[ready]), default=-1)
        chosen[ready] = _free_lane(taken, nets[ready].span, least)
    return chosen


def _row_in_cycle(
    nets: Sequence[Net], leaving: Mapping[int, int], earlier: Mapping[int, set[int]], placed: set[int], start: int
) -> int:
    """Return the smallest row in which a net of a cycle enters where another one leaves that has no lane yet; in the
    cycle each net must come before another one.

    `start` is a net on the way to the cycle; `earlier` has for each net those that must come before it, `placed` the
    nets that have a lane, `leaving` the net that leaves from a row.
    """
    seen: list[int] = []
    k = start
    while k not in seen:
        seen.append(k)
        k = min(earlier[k] - placed)
    return min(row for row in nets[k].targets if leaving.get(row, k) not in (k, *placed))


def _free_lane(taken: list[list[tuple[int, int]]], span: tuple[int, int], least: int) -> int:
    """Return the first lane from `least` on that is free in the rows of `span`, and mark it as taken there.

    `span` is (first row, last row), both included; `taken` has the spans of each lane, gets this one in place, and more
    lanes if there are too few.
    """
    lane = least
    while lane < len(taken) and any(top <= span[1] and span[0] <= bottom for top, bottom in taken[lane]):
        lane += 1
    while len(taken) <= lane:
        taken.append([])
    taken[lane].append(span)
    return lane
