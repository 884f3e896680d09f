"""What is certain of a graph's slots without a point: what decides conditions that need not be written.

Nothing is said here about particular functions: the value rule and the domain of a row are read with ranges, which hold
all that the function may come to, so that nothing is taken for true because it was so in a few cases.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from ..graph.graph import Constant, Graph
from ..graph.order import ancestors
from ..numbers.conditions import Truth, truth
from ..numbers.range_arithmetic import RANGES, UNKNOWN
from ..numbers.ranges import ANY, CELLS, EMPTY, SIGNS, Range, hull
from ..records import NamedTuple
from ..table.primitive import Primitive

if TYPE_CHECKING:
    from ..table.arithmetic import Predicate

inf = math.inf

_LARGE = 2000  # slots of a graph of which ranges are told in whole cells of the line alone
_MOST = 100  # arguments of a function whose range is looked for
_BOUNDS = (-inf, -1.0, 0.0, 1.0, inf)
_ZERO = (-inf, 0.0, inf)


class Knowledge:
    """The ranges of slots, wherever the slots of `always` have values.

    `always` are slots that are evaluated in any case: their domains are facts about their arguments, save for those in
    `without`.  Slots below `given` and those of `valued` have values wherever the function has one.  `used` are the
    slots of which a fact was of use, `trusted` those of `valued` that were, `seen` what functions came to so far.  With
    `signs` a fact tells signs alone.  `here` are facts that need no domain: those of a case.
    """

    def __init__(
        self,
        graph: Graph,
        always: Iterable[int] = (),
        *,
        given: int = 0,
        without: Collection[int] = (),
        valued: Collection[int] = (),
        seen: Seen | None = None,
        signs: bool = False,
        here: Mapping[int, Range] | None = None,
    ) -> None:
        self.graph = graph
        self.given = given
        self.without = without
        self.valued = frozenset(valued)
        self.signs = signs
        self._coarse = len(graph) > _LARGE
        self._found: list[Range] = []
        self._facts: dict[int, Range] = {}
        self._noted: set[int] = set()  # slots of which the facts that tell them are among those of use
        self._sure: set[int] = set()  # slots that were shown to have values
        self.seen = Seen() if seen is None else seen
        self.used: set[int] = set()
        self.trusted: set[int] = set()
        self._facts.update(here or {})
        for slot in here or ():
            self._spread(slot)
        for slot in always:
            self.learn(slot)
        if self._facts:
            self._found.clear()  # found again when they are asked for, with what is known now

    def of(self, slot: int) -> Range:
        """All that a slot may be; the facts that tell it are of use."""
        found = self.look(slot)
        self.use(slot)
        return found

    def look(self, slot: int) -> Range:
        """All that a slot may be, of which no use is made yet."""
        while len(self._found) <= slot:
            self._found.append(self._range(len(self._found)))
        found = self._found[slot]
        if slot not in self._facts:
            return found
        both = found.meeting(self._facts[slot])
        return found if both.empty else both

    def use(self, slot: int) -> None:
        """Takes note that what is known of a slot was of use, with the facts on which that hangs."""
        facts, noted = self._facts, self._noted
        waiting = [slot] if facts else []
        while waiting:
            current = waiting.pop()
            if current in noted:
                continue
            noted.add(current)
            if current in facts and not self._found[current].within(facts[current]):
                self.used.add(current)
            waiting += self.graph.parents[current]

    def never_zero(self, slot: int) -> bool:
        return self._of_use(slot, self.look(slot).nonzero)

    def positive(self, slot: int) -> bool:
        return self._of_use(slot, self.look(slot).positive)

    def never_negative(self, slot: int) -> bool:
        return self._of_use(slot, self.look(slot).low >= 0)

    def _of_use(self, slot: int, held: bool) -> bool:
        if held:
            self.use(slot)
        return held

    def learn(self, slot: int) -> None:
        """Takes note of what a slot's domain asks of its arguments, and of what that asks of theirs."""
        row = self.graph.rows[slot]
        if row is not None and row.domain:
            self._spread(slot)

    def _spread(self, slot: int) -> None:
        waiting = [slot]
        while waiting:
            current = waiting.pop()
            parents = self.graph.parents[current]
            if self.graph.rows[current] is None or len(parents) > 2:
                continue
            if current not in self._facts and self._outcome(current).total:
                continue  # it has a value for all of them
            # pass on what is known of a slot to its arguments: x^2 is not 0, so x is not
            for parent, allowed in zip(parents, self._allowed(current), strict=True):
                known, allowed = self.look(parent), _in_cells(allowed, _ZERO) if self.signs else allowed
                if not known.within(allowed) and not self.graph.literal[parent] and parent not in self.without:
                    fact = known.meeting(allowed)
                    if not fact.empty:
                        self._facts[parent] = fact
                        self._noted.clear()
                        waiting.append(parent)

    def settled(self, slot: int, *, everywhere: bool = True) -> int | None:
        """The whole number that a slot is wherever the inputs are, or the function has a value; None if it is not."""
        found = self.look(slot)
        if not found.point or not found.low.is_integer():
            return None
        self.use(slot)
        knowing = Knowledge(self.graph, seen=self.seen) if everywhere else self
        return int(found.low) if knowing.has_value(slot) else None

    def has_value(self, slot: int) -> bool:
        """Whether a slot certainly has a value wherever the function has one."""
        stack, seen = [slot], {slot}
        while stack:
            current = stack.pop()
            row = self.graph.rows[current]
            if current < self.given or row is None or current in self._sure:
                continue
            if current in self.valued:
                self.trusted.add(current)
                continue
            if not self._outcome(current).total:
                return False
            for parent in self.graph.parents[current]:
                self.use(parent)
            new = [parent for parent in self.graph.parents[current] if parent not in seen]
            seen.update(new)
            stack += new
        self._sure |= seen
        return True

    def at(self, slot: int, point: Mapping[int, Range]) -> Range:
        """All that a slot may be where some inputs are known, whatever the others are."""
        found: dict[int, Range] = {}
        needed = ancestors(self.graph, [slot])
        for s in [s for s in range(slot + 1) if needed[s]]:
            row = self.graph.rows[s]
            if row is None:
                found[s] = point[s] if s in point else self._leaf(s)
            else:
                parents = self.graph.parents[s]
                found[s] = self._applied(row, parents, [found[p] for p in parents]).range
        return found[slot]

    def _leaf(self, slot: int) -> Range:
        constant = self.graph.constants.get(slot)
        if constant is None:
            return ANY
        found = self.seen.constants.get(constant)
        if found is None:
            found = self.seen.constants[constant] = RANGES.number(constant.read(RANGES))
        return found

    def _range(self, slot: int) -> Range:
        return self._leaf(slot) if self.graph.rows[slot] is None else self._outcome(slot).range

    def _outcome(self, slot: int) -> _Outcome:
        row = self.graph.row(slot)
        parents = self.graph.parents[slot]
        return self._applied(row, parents, [self.look(parent) for parent in parents])

    def _applied(self, row: Primitive, parents: Sequence[int], ranges: Sequence[Range]) -> _Outcome:
        """What a function comes to on these ranges; one slot in two places is one number."""
        if len(parents) > _MOST:
            return _Outcome(ANY, False)
        if self._coarse:
            found = self._worked_out(row, parents, [_in_cells(x) if x.point else x for x in ranges])
            if found.total:
                return found
        return self._worked_out(row, parents, ranges)

    def _worked_out(self, row: Primitive, parents: Sequence[int], ranges: Sequence[Range]) -> _Outcome:
        same = (0, 1) if len(parents) == 2 and parents[0] != parents[1] else tuple(map(parents.index, parents))
        key = (row.name, tuple([x.key for x in ranges]), same)
        found = self.seen.outcomes.get(key)
        if found is None:
            found = _read(row, ranges, same)
            if self._coarse:
                found = found._replace(range=_in_cells(found.range))
            self.seen.outcomes[key] = found
        return found

    def _allowed(self, slot: int) -> tuple[Range, ...]:
        """What each argument of a slot may be, as far as its domain and what is known of the slot itself tell."""
        row, parents = self.graph.row(slot), self.graph.parents[slot]
        known, result = [self.look(parent) for parent in parents], self._facts.get(slot, ANY)
        same = tuple([parents.index(parent) for parent in parents])
        key = (row.name, tuple([x.key for x in known]), same, result.key)
        found = self.seen.allowed.get(key)
        if found is None:
            found = self.seen.allowed[key] = _arguments(row, known, same, result)
        return found


class _Outcome(NamedTuple):
    """What a function comes to: all that its value may be, and whether there certainly is one."""

    range: Range
    total: bool


class Seen:
    """What functions came to on ranges, and what their arguments may be, so that nothing is worked out twice."""

    __slots__ = ("allowed", "constants", "outcomes")

    def __init__(self) -> None:
        self.constants: dict[Constant, Range] = {}
        self.outcomes: dict[object, _Outcome] = {}
        self.allowed: dict[object, tuple[Range, ...]] = {}


def _read(row: Primitive, ranges: Sequence[Range], same: Sequence[int]) -> _Outcome:
    """What a row says of ranges; anything where it asks what ranges do not decide."""
    own = [Range(*x.key) for x in ranges]
    arguments = tuple([own[place] for place in same])
    held = [_held(check.holds, arguments) for check in row.domain]
    if any(condition.never for condition in held):
        return _Outcome(EMPTY, False)
    try:
        found = RANGES.number(row.value(RANGES, *arguments))
    except UNKNOWN:
        found = ANY
    return _Outcome(found, all(condition.always for condition in held))


def _held(holds: Predicate, arguments: tuple[Range, ...]) -> Truth:
    try:
        return truth(holds(RANGES, *arguments))
    except UNKNOWN:
        return Truth(False, False)


def _arguments(row: Primitive, known: Sequence[Range], same: Sequence[int], result: Range) -> tuple[Range, ...]:
    """What the arguments of a row may be where it has a value in `result`, told piece by piece of the line."""
    places = sorted(set(same))
    free = [place for place in places if not known[place].point]
    line = CELLS if len(free) == 1 else SIGNS
    pieces = [
        [piece for cell in line if not (piece := known[place].meeting(cell)).empty] if place in free else [known[place]]
        for place in places
    ]
    left: list[list[Range]] = [[] for _ in places]
    for chosen in product(*pieces):
        ranges = [chosen[places.index(place)] for place in same]
        outcome = _read(row, ranges, same)
        if not outcome.range.meeting(result).empty:
            for place, piece in enumerate(chosen):
                left[place].append(piece)
    return tuple([hull(left[places.index(place)]) for place in same])


def _in_cells(x: Range, bounds: Sequence[float] = _BOUNDS) -> Range:
    """The range with its ends moved out to the next of these bounds, so that there are few different ones."""
    if x.empty or (x.low in bounds and x.high in bounds):
        return x
    low = max([end for end in bounds if end <= x.low])
    high = min([end for end in bounds if end >= x.high])
    return Range(low, high, x.open_low or low < x.low, x.open_high or high > x.high, x.nonzero)


def always_evaluated(graph: Graph, slots: Sequence[int]) -> list[int]:
    """The slots that the given ones need in any case: not those in branches that may not be taken."""
    needed = bytearray(len(graph))
    for slot in slots:
        needed[slot] = 1
    for slot in range(len(graph) - 1, -1, -1):
        if needed[slot]:
            row, parents = graph.rows[slot], graph.parents[slot]
            for parent in parents[:1] if row is not None and row.route is not None else parents:
                needed[parent] = 1
    return [slot for slot in range(len(graph)) if needed[slot]]
