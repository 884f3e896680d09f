"""The cases of a formula: which of its conditions hold, and what it is where they do.

In a case every condition is decided, so that a choice is the part that is chosen, with the derivative of that part: at
every point at which the conditions hold, which is what a sweep finds there.
"""

from __future__ import annotations

import math

from ..numbers.doubles import FLOAT
from ..numbers.ranges import Range
from ..table.primitive import ROWS
from .guarded import GuardedTerms
from .knowledge import Knowledge
from .terms import Term

_ANY_SIGN = frozenset({-1, 0, 1})

Path = tuple[tuple[int, bool], ...]  # comparisons, and whether they hold


class Unfit(Exception):
    """There is no sum of monomials: a condition is none of comparisons."""


class CaseAsked(Exception):
    """Whether a comparison holds is asked for, by its slot."""

    def __init__(self, slot: int) -> None:
        super().__init__(slot)
        self.slot = slot


class Cases:
    """What is decided in one case; `decided` are comparisons of the graph of `m`, and whether they hold."""

    def __init__(self, m: GuardedTerms, decided: Path) -> None:
        self.m = m
        self.graph = m.graph
        self._signs: dict[tuple[int, int], frozenset[int]] = {}  # of differences of slots
        self._built: dict[int, int] = {}
        self._hanging: list[bool] = []
        for slot, held in decided:
            row = self.graph.row(slot)
            pair, turned = _pair(*self.graph.parents[slot])
            signs = self._signs.get(pair, _ANY_SIGN)
            self._signs[pair] = frozenset(s for s in signs if _holds(row.name, turned * s) == held)

    def told(self, name: str, a: int, b: int) -> bool | None:
        """Whether a comparison of two slots holds; None where this case does not tell."""
        pair, turned = _pair(a, b)
        signs = self._signs.get(pair)
        if signs is None:
            return None
        found = {_holds(name, turned * s) for s in signs}
        return found.pop() if len(found) == 1 else None

    def facts(self, knowledge: Knowledge) -> dict[int, Range]:
        """What slots may be in this case.

        That two are equal tells nothing: a formula that holds at such points alone is not differentiated as if they
        were all there is.
        """
        found: dict[int, Range] = {}
        for (a, b), signs in self._signs.items():
            for slot, other, turned in ((a, b, 1), (b, a, -1)):
                left = {turned * s for s in signs}
                limit, allowed = knowledge.look(other), None
                if left == {-1, 1} and limit.point and limit.low == 0:
                    allowed = Range(-math.inf, math.inf, nonzero=True)
                elif left in ({1}, {0, 1}):
                    allowed = Range(limit.low, math.inf, open_low=limit.open_low or 0 not in left)
                elif left in ({-1}, {-1, 0}):
                    allowed = Range(-math.inf, limit.high, open_high=limit.open_high or 0 not in left)
                if allowed is not None and not self.graph.literal[slot]:
                    allowed = allowed.meeting(found[slot]) if slot in found else allowed
                    if not allowed.empty:
                        found[slot] = allowed
        return found

    def resolved(self, slot: int) -> int:
        """The slot of what a slot is in this case.

        Raises CaseAsked, and Unfit for conditions that are no comparisons.
        """
        rows, parents, built = self.graph.rows, self.graph.parents, self._built
        waiting = [slot]
        while waiting:
            current = waiting[-1]
            row = rows[current]
            if current in built:
                waiting.pop()
                continue
            if row is None or not self._hangs(current):
                built[current] = current
                continue
            if row.truth or row.route is not None:
                condition = current if row.truth else parents[current][0]
                missing = [s for s in self._compared(condition) if s not in built]
                if not missing:
                    held = self._truth(condition)
                    if row.truth or row.route is None:
                        built[current] = self.m.number(int(held)).slot
                        continue
                    missing = [s for s in (parents[current][place] for place in row.route(held)) if s not in built]
                    if not missing:
                        built[current] = built[parents[current][row.route(held)[0]]]
            else:
                missing = [s for s in parents[current] if s not in built]
                if not missing:
                    terms = [self.m.term(built[s]) for s in parents[current]]
                    same = all(built[s] == s for s in parents[current])
                    built[current] = current if same else self.m.write(row.name, *terms).slot
            waiting += missing
        return built[slot]

    def _hangs(self, slot: int) -> bool:
        """Whether a slot hangs on a condition."""
        rows, parents, hanging = self.graph.rows, self.graph.parents, self._hanging
        while len(hanging) <= slot:
            row = rows[len(hanging)]
            own = row is not None and (row.truth or row.route is not None)
            hanging.append(own or any(map(hanging.__getitem__, parents[len(hanging)])))
        return hanging[slot]

    def _compared(self, condition: int) -> list[int]:
        """What the comparisons of a condition compare."""
        found: list[int] = []
        waiting = [condition]
        while waiting:
            current = waiting.pop()
            row = self.graph.rows[current]
            if row is None or not row.truth:
                raise Unfit
            (waiting if row.truth_arguments else found).extend(self.graph.parents[current])
        return found

    def _truth(self, condition: int) -> bool:
        """Whether a condition holds, what its comparisons compare being known in this case."""
        known: dict[int, bool] = {}
        waiting = [condition]
        while waiting:
            current = waiting[-1]
            row, parents = self.graph.row(current), self.graph.parents[current]
            if not row.truth_arguments:
                known[current] = self._comparison(row.name, *parents)
                waiting.pop()
                continue
            needed = parents if row.route is None else parents[:1]
            if row.route is not None and parents[0] in known:
                needed = (parents[0], *[parents[place] for place in row.route(known[parents[0]])])
            missing = [s for s in needed if s not in known]
            if not missing:
                known[current] = bool(row.value(FLOAT, *[float(known.get(s, False)) for s in parents]))
                waiting.pop()
            waiting += missing
        return known[condition]

    def _comparison(self, name: str, a: int, b: int) -> bool:
        held = self.m.compare(name, self.m.term(self._built[a]), self.m.term(self._built[b]))
        if isinstance(held, Term):
            raise CaseAsked(held.slot)
        return held


def _pair(a: int, b: int) -> tuple[tuple[int, int], int]:
    """Two slots in order, and the sign that their difference takes by that."""
    return ((a, b), 1) if a <= b else ((b, a), -1)


def _holds(name: str, sign: int) -> bool:
    """Whether a comparison holds of numbers whose difference has this sign."""
    return bool(ROWS[name].value(FLOAT, float(sign), 0.0))
