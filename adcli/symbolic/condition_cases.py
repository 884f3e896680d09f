"""Cases of a formula by its conditions: which comparisons hold, and which slots the formula then consists of. In a case
every condition is decided, so that a choice is one of its branches, and its derivative that of this branch, at every
point at which the conditions hold, as in a sweep there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..graph.order import complete
from ..numbers.doubles import FLOAT
from ..numbers.ranges import Range
from ..table.primitive import ROWS
from .guarded import GuardedTerms
from .knowledge import Knowledge
from .terms import Term

_ANY_SIGN = frozenset({-1, 0, 1})

Path = tuple[tuple[int, bool], ...]  # (slot of a comparison, whether it holds) …


class Unfit(Exception):
    """Raised if a formula has no cases, because one of its conditions does not consist of comparisons."""


class UndecidedComparison(Exception):
    """Raised if a comparison, named by its slot, has to be decided first: the case is to be split by it."""

    def __init__(self, slot: int) -> None:
        super().__init__(slot)
        self.slot = slot


class Cases:
    """One case of the formulas in the graph of `m`; `decided` is a path of (slot of a comparison, whether it holds)."""

    def __init__(self, m: GuardedTerms, decided: Path) -> None:
        """Take the comparisons that are decided on the path `decided`: pairs (slot of the comparison, whether it
        holds).

        They restrict the possible signs of each difference of two slots. `m` writes new slots to its graph.
        """
        self.m = m
        self.graph = m.graph
        self._signs: dict[tuple[int, int], frozenset[int]] = {}  # possible signs of a - b, by slots (a, b) with a <= b
        self._resolved: dict[int, int] = {}
        self._conditional: list[bool] = []
        for slot, holds in decided:
            row = self.graph.row(slot)
            pair, orientation = _pair(*self.graph.parents[slot])
            signs = self._signs.get(pair, _ANY_SIGN)
            self._signs[pair] = frozenset(s for s in signs if _holds(row.name, orientation * s) == holds)

    def compare(self, name: str, a: int, b: int) -> bool | None:
        """Return whether the comparison `name` (a row such as "lt") of slots `a` and `b` holds in this case.

        None if the decided comparisons of the same two slots, in either order, do not decide it.
        """
        pair, orientation = _pair(a, b)
        signs = self._signs.get(pair)
        if signs is None:
            return None
        outcomes = {_holds(name, orientation * s) for s in signs}
        return outcomes.pop() if len(outcomes) == 1 else None

    def facts(self, knowledge: Knowledge) -> dict[int, Range]:
        """Return {slot: range} that the comparisons of this case imply.

        Each side of a comparison is limited by the range that `knowledge` has for the other side. Equality implies
        nothing: a formula that holds at such points alone is not differentiated as if there were no others. "Not equal"
        counts only against 0. Literals and contradictions (empty ranges) are left out.
        """
        ranges: dict[int, Range] = {}
        for (a, b), signs in self._signs.items():
            for slot, other, orientation in ((a, b, 1), (b, a, -1)):
                possible = {orientation * s for s in signs}
                limit, allowed = knowledge.range_of(other), None
                if possible == {-1, 1} and limit.point and limit.low == 0:
                    allowed = Range(-math.inf, math.inf, nonzero=True)
                elif possible in ({1}, {0, 1}):
                    allowed = Range(limit.low, math.inf, open_low=limit.open_low or 0 not in possible)
                elif possible in ({-1}, {-1, 0}):
                    allowed = Range(-math.inf, limit.high, open_high=limit.open_high or 0 not in possible)
                if allowed is not None and not self.graph.literal[slot]:
                    allowed = allowed.meeting(ranges[slot]) if slot in ranges else allowed
                    if not allowed.empty:
                        ranges[slot] = allowed
        return ranges

    def resolve(self, slot: int) -> int:
        """Return the slot of the formula that `slot` is in this case, without choices; cached.

        A choice becomes the branch taken; `slot` is not a condition. New slots may be appended to the graph. Raises
        UndecidedComparison for a comparison that this case does not decide. Raises Unfit if a condition does not
        consist of comparisons.
        """
        stack = [slot]
        while stack:
            if stack[-1] in self._resolved:
                stack.pop()
            else:
                stack += self._try_to_resolve(stack[-1])
        return self._resolved[slot]

    def _try_to_resolve(self, slot: int) -> list[int]:
        """Resolve a slot in `_resolved` and return [], or return the slots that must be resolved first.

        These are the arguments of an operation; for a choice the slots that its condition compares, and then the branch
        taken. A choice becomes the result of its branch. A slot that does not depend on a condition is its own result.
        Raises as `resolve` does.
        """
        row, parents, resolved = self.graph.rows[slot], self.graph.parents[slot], self._resolved
        if row is None or not self._is_conditional(slot):
            resolved[slot] = slot
            return []
        needed = parents if row.route is None else self._slots_of_comparisons(parents[0])
        missing = [s for s in needed if s not in resolved]
        if missing:
            return missing
        if row.route is None:
            arguments = tuple([resolved[parent] for parent in parents])
            is_same = arguments == tuple(parents)
            resolved[slot] = slot if is_same else self.m.write(row.name, *map(self.m.term, arguments)).slot
            return []
        branches = [parents[place] for place in row.route(self._decide(parents[0]))]
        missing = [s for s in branches if s not in resolved]
        if not missing:
            resolved[slot] = resolved[branches[0]]
        return missing

    def _is_conditional(self, slot: int) -> bool:
        """Return whether the slot is a condition or a choice, or depends on one; cached."""
        rows, parents, conditional = self.graph.rows, self.graph.parents, self._conditional
        while len(conditional) <= slot:
            row = rows[len(conditional)]
            is_condition = row is not None and (row.truth or row.route is not None)
            conditional.append(is_condition or any(map(conditional.__getitem__, parents[len(conditional)])))
        return conditional[slot]

    def _slots_of_comparisons(self, condition: int) -> list[int]:
        """Return the slots that the comparisons in `condition` compare, in no particular order and possibly repeated.

        Raises Unfit if a part of the condition is neither a comparison nor a logical operation on conditions.
        """
        operands: list[int] = []
        stack = [condition]
        while stack:
            current = stack.pop()
            row = self.graph.rows[current]
            if row is None or not row.truth:
                raise Unfit
            (stack if row.truth_arguments else operands).extend(self.graph.parents[current])
        return operands

    def _decide(self, condition: int) -> bool:
        """Return whether the condition in slot `condition` holds in this case.

        The slots that it compares must be resolved. As in a sweep, `and` and `or` look at the second operand only if
        the first does not decide. Raises UndecidedComparison for the first comparison that is needed and not decided.
        """
        known: dict[int, bool] = {}

        def find_operands(slot: int) -> Sequence[int]:
            row, parents = self.graph.row(slot), self.graph.parents[slot]
            if not row.truth_arguments or row.route is None:
                return parents if row.truth_arguments else ()
            more = row.route(known[parents[0]]) if parents[0] in known else ()
            return parents[0], *[parents[place] for place in more]

        def decide_one(slot: int) -> bool:
            row, parents = self.graph.row(slot), self.graph.parents[slot]
            if not row.truth_arguments:
                return self._decide_comparison(row.name, *parents)
            return bool(row.value(FLOAT, *[float(known.get(s, False)) for s in parents]))

        return complete(known, condition, find_operands, decide_one)

    def _decide_comparison(self, name: str, a: int, b: int) -> bool:
        """Return whether the comparison `name` of two resolved slots holds, by the facts of `m` (literals, the
        comparisons of this case, ranges).

        Raises UndecidedComparison, with the slot of the comparison, if it is not decided.
        """
        holds = self.m.compare(name, self.m.term(self._resolved[a]), self.m.term(self._resolved[b]))
        if isinstance(holds, Term):
            raise UndecidedComparison(holds.slot)
        return holds


def _pair(a: int, b: int) -> tuple[tuple[int, int], int]:
    """Return ((a, b), 1) with the slots in ascending order, or ((b, a), -1) if they were exchanged."""
    return ((a, b), 1) if a <= b else ((b, a), -1)


def _holds(name: str, sign: int) -> bool:
    """Return whether a comparison holds for numbers whose difference has this sign."""
    return bool(ROWS[name].value(FLOAT, float(sign), 0.0))
