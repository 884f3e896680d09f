"""The order in which rows are judged: after all that they may use, and else as they stand in the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush

from .model import BAR, DOT, VALUE
from .resolving import PARTIAL, Resolved
from .worksheet import Worksheet

_STAGES = {VALUE: 0, PARTIAL: 1, DOT: 1, BAR: 2}


def by_dependence(asked: Sequence[Resolved | None], sheet: Worksheet) -> list[int]:
    """The places of the rows: values, tangents, adjoints, then what means nothing; those of one quantity together."""
    places: dict[Resolved, list[int]] = {}
    for place, each in enumerate(asked):
        if each is not None:
            places.setdefault(each, []).append(place)
    uses = {each: [used for used in _used(each, sheet) if used in places] for each in places}
    users: dict[Resolved, list[Resolved]] = {}
    for each, used in uses.items():
        for one in used:
            users.setdefault(one, []).append(each)
    waiting = {each: len(used) for each, used in uses.items()}
    ready = [(_STAGES[each.kind], places[each][0], each) for each, count in waiting.items() if not count]
    heapify(ready)
    order: list[int] = []
    while ready:
        _, _, each = heappop(ready)
        order += places[each]
        for user in users.get(each, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready, (_STAGES[user.kind], places[user][0], user))
    order.sort(key=lambda place: _STAGES[asked[place].kind])  # type: ignore[union-attr]
    return order + [place for place, each in enumerate(asked) if each is None]


def _used(asked: Resolved, sheet: Worksheet) -> Iterator[Resolved]:
    """What a row works with that is of its own kind."""
    if asked.kind == BAR:
        for cell in sheet.users(asked.slot):
            yield asked._replace(slot=cell.slot)
    elif asked.kind in (VALUE, DOT) and asked.slot in sheet.cells:
        for leaf in sheet.cells[asked.slot].leaves:
            yield asked._replace(slot=leaf)
