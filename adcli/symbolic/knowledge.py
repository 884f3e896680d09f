"""Knowledge of a graph's slots that holds at every point: their ranges, which decide conditions without a point. A
restriction of a slot is a range that follows from the domains of operations that have a value. The function is the
user's formula, in the first slots; formulas of its derivatives follow.

No function is treated specially: the value rule and the domain of a row are evaluated on ranges, which enclose all
values that the function can take, so that everything known is proven.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress, product

from ..graph.graph import Graph
from ..graph.order import ancestors
from ..numbers.conditions import Truth, truth
from ..numbers.range_arithmetic import RANGES, UNKNOWN
from ..numbers.ranges import ANY, CELLS, EMPTY, SIGNS, Range, hull
from ..records import NamedTuple
from ..table.primitive import Primitive
from ..typings import TYPE_CHECKING

if TYPE_CHECKING:
    from ..table.arithmetic import Predicate

inf = math.inf

_ATTEMPTS = 4  # with fewer and fewer facts, at last with none
_LARGE = 2000  # slots; in larger graphs ranges are rounded outwards to _BOUNDS
_MOST = 100  # arguments of a function; one with more can have any value
_BOUNDS = (-inf, -1.0, 0.0, 1.0, inf)
_ZERO = (-inf, 0.0, inf)


class Knowledge:
    """The ranges of slots, wherever the slots of `always` have values.

    always          slots that are evaluated at every point: their domains restrict the ranges of their arguments
    first_new_slot  slots below this number have values wherever the function has one
    without         slots whose ranges are not restricted by domains
    valued          further slots that have values wherever the function has one
    seen            cached results, to be shared between graphs
    signs           if true, restrictions say only that a slot is negative, 0 or positive, or two of these
    here            {slot: range} that holds in the case considered, without a domain
    used            the slots whose restriction a result depended on; trusted: the same for slots of `valued`
    """

    def __init__(
        self,
        graph: Graph,
        always: Iterable[int] = (),
        *,
        first_new_slot: int = 0,
        without: Collection[int] = (),
        valued: Collection[int] = (),
        seen: Seen | None = None,
        signs: bool = False,
        here: Mapping[int, Range] | None = None,
    ) -> None:
        """Collect the facts about the slots of `graph`, given that the slots `always` have a value.

        `here` has ranges already known, by slot; the other parameters are as the class describes them. Slots below
        `first_new_slot` have values wherever the function has one. `seen` shares cached results with other instances
        (None: a new cache). Ranges are computed on demand; in graphs of more than 2000 slots they are rounded outwards.
        """
        self.graph = graph
        self.first_new_slot = first_new_slot
        self.without = without
        self.valued = frozenset(valued)
        self.signs = signs
        self._coarse = len(graph) > _LARGE
        self._ranges: list[Range] = []
        self._facts: dict[int, Range] = {}
        self._noted: set[int] = set()  # slots whose restrictions, and those of their ancestors, are in `used`
        self._sure: set[int] = set()  # slots that were shown to have values
        self.seen = Seen() if seen is None else seen
        self.used: set[int] = set()
        self.trusted: set[int] = set()
        self._in_case = bool(here)
        self._facts.update(here or {})
        for slot in here or ():
            self._propagate(slot)
        for slot in always:
            self.learn(slot)
        if self._facts:
            self._ranges.clear()  # computed again on demand, from the restrictions

    def of(self, slot: int) -> Range:
        """Return the range of a slot, and record the restrictions that it depends on in `used`."""
        known = self.range_of(slot)
        self.record_use(slot)
        return known

    def range_of(self, slot: int) -> Range:
        """Return the range of `slot`, limited by its restriction, without recording a use.

        A restriction that contradicts the computed range is ignored. Ranges of all slots up to this one are computed
        and cached.
        """
        while len(self._ranges) <= slot:
            new = len(self._ranges)
            self._ranges.append(self._leaf_range(new) if self.graph.rows[new] is None else self._outcome(new).range)
        known = self._ranges[slot]
        if slot not in self._facts:
            return known
        both = known.meeting(self._facts[slot])
        return known if both.empty else both

    def record_use(self, slot: int) -> None:
        """Record in `used` (a set of slots) those restricted slots among `slot` and all slots that it depends on.

        Only slots with a restriction that is narrower than the computed range are recorded.
        """
        facts, noted = self._facts, self._noted
        stack = [slot] if facts else []
        while stack:
            current = stack.pop()
            if current in noted:
                continue
            noted.add(current)
            if current in facts and not self._ranges[current].within(facts[current]):
                self.used.add(current)
            stack += self.graph.parents[current]

    def never_zero(self, slot: int) -> bool:
        """Return whether a slot is certainly never 0; if so, record the use."""
        return self._use_if(slot, self.range_of(slot).nonzero)

    def positive(self, slot: int) -> bool:
        """Return whether a slot is certainly positive; if so, record the use."""
        return self._use_if(slot, self.range_of(slot).positive)

    def never_negative(self, slot: int) -> bool:
        """Return whether a slot is certainly 0 or positive; if so, record the use."""
        return self._use_if(slot, self.range_of(slot).low >= 0)

    def _use_if(self, slot: int, fact: bool) -> bool:
        """Record the use of a slot if `fact`, and return `fact`."""
        if fact:
            self.record_use(slot)
        return fact

    def learn(self, slot: int) -> None:
        """Restrict the ranges of the arguments of `slot` to its domain, and the ranges of the arguments' arguments
        accordingly.
        """
        row = self.graph.rows[slot]
        if row is not None and row.domain:
            self._propagate(slot)

    def _propagate(self, slot: int) -> None:
        """Restrict the arguments of `slot`, then their arguments, and so on, by domains and known ranges, in place.

        Rows with more than two arguments restrict nothing, nor do operations that have a value everywhere and no
        restriction. With `signs` only what restricts a sign is used. Literals, slots in `without`, and restrictions
        that would contradict a range are left out.
        """
        stack = [slot]
        while stack:
            current = stack.pop()
            parents = self.graph.parents[current]
            if self.graph.rows[current] is None or len(parents) > 2:
                continue
            if current not in self._facts and self._outcome(current).total:
                continue  # it has a value for all of them
            # pass on what is known of a slot to its arguments: x^2 is not 0, so x is not
            for parent, allowed in zip(parents, self._argument_ranges(current), strict=True):
                known, allowed = self.range_of(parent), _in_cells(allowed, _ZERO) if self.signs else allowed
                if not known.within(allowed) and not self.graph.literal[parent] and parent not in self.without:
                    fact = known.meeting(allowed)
                    if not fact.empty:
                        self._facts[parent] = fact
                        self._noted.clear()
                        stack.append(parent)

    def constant_value(self, slot: int, *, everywhere: bool = True) -> int | None:
        """Return the integer that `slot` is at every point; None if its range is not a whole number, or if it may lack
        a value.

        With `everywhere` the slot must have a value for all inputs, without it wherever the function has one. The use
        of a range that is a single whole number is recorded, even if the result is None.
        """
        known = self.range_of(slot)
        if not known.point or not known.low.is_integer():
            return None
        self.record_use(slot)
        knowledge = Knowledge(self.graph, seen=self.seen) if everywhere else self
        return int(known.low) if knowledge.has_value(slot) else None

    def has_value(self, slot: int) -> bool:
        """Return whether `slot` certainly has a value wherever the function has one.

        Inputs, constants, slots below `first_new_slot` and slots in `valued` have one. An operation has one if its
        domain holds for the ranges of its arguments, and these have values. Slots of `valued` that are reached are
        added to `trusted`, and the use of the ranges is recorded, even if the result is False. If it is True, all slots
        reached are cached.
        """
        stack, seen = [slot], {slot}
        while stack:
            current = stack.pop()
            row = self.graph.rows[current]
            if current < self.first_new_slot or row is None or current in self._sure:
                continue
            if current in self.valued:
                self.trusted.add(current)
                continue
            if not self._outcome(current).total:
                return False
            for parent in self.graph.parents[current]:
                self.record_use(parent)
            new = [parent for parent in self._unproven_parents(current) if parent not in seen]
            seen.update(new)
            stack += new
        self._sure |= seen
        return True

    def _unproven_parents(self, slot: int) -> Sequence[int]:
        """Return the arguments of `slot` for which it is still to be shown that they have a value; as a rule all of
        them.

        For one kind of choice only the condition and the second branch: the first branch is a quotient that certainly
        has a value where the condition holds, because earlier choices by the same condition then have their first
        branch, as in if(c, 1/(if(c, 1, 0) + if(d, 1, 0)), 0). This is not tried within such a case.
        """
        graph, parents = self.graph, self.graph.parents[slot]
        row, quotient = graph.rows[slot], graph.rows[parents[1]] if len(parents) == 3 else None
        if row is None or row.route is None or quotient is None or -1 not in quotient.exponents or self._in_case:
            return parents
        choices = [s for s in range(parents[1]) if graph.rows[s] is row and graph.parents[s][0] == parents[0]]
        case = Knowledge(
            graph,
            seen=self.seen,
            first_new_slot=self.first_new_slot,
            here={s: self.range_of(graph.parents[s][1]) for s in choices},
        )
        return [parents[0], parents[2]] if choices and case.has_value(parents[1]) else parents

    def range_with(self, slot: int, point: Mapping[int, Range]) -> Range:
        """Return the range of `slot` if the inputs in `point` have these ranges, by slot.

        Other inputs have the range assumed for them (all numbers if none is). Restrictions by domains are not used.
        """
        ranges: dict[int, Range] = {}
        needed = ancestors(self.graph, [slot])
        for s in [s for s in range(slot + 1) if needed[s]]:
            row = self.graph.rows[s]
            if row is None:
                ranges[s] = point[s] if s in point else self._leaf_range(s)
            else:
                parents = self.graph.parents[s]
                ranges[s] = self._outcome_on(row, parents, [ranges[p] for p in parents]).range
        return ranges[slot]

    def _leaf_range(self, slot: int) -> Range:
        """Return the range of the leaf in `slot`, an input or constant.

        For an input it is the range assumed for it, or all numbers; for a constant the smallest range around it.
        """
        constant = self.graph.constants.get(slot)
        if constant is None:
            return self.graph.assumed.get(self.graph.inputs[slot], ANY)
        return RANGES.number(constant.read(RANGES))

    def _outcome(self, slot: int) -> _Outcome:
        row = self.graph.row(slot)
        parents = self.graph.parents[slot]
        return self._outcome_on(row, parents, [self.range_of(parent) for parent in parents])

    def _outcome_on(self, row: Primitive, parents: Sequence[int], ranges: Sequence[Range]) -> _Outcome:
        """Return the outcome of `row` on `ranges`, one for each of `parents`; arguments with the same slot are one
        number.

        With more than 100 arguments every value is possible, and `total` is False. In large graphs (`_coarse`) ranges
        that are a single number are first rounded outwards to few ranges, and taken exactly only if the row is not
        total on these.
        """
        if len(parents) > _MOST:
            return _Outcome(ANY, False)
        if self._coarse:
            outcome = self._look_up_outcome(row, parents, [_in_cells(x) if x.point else x for x in ranges])
            if outcome.total:
                return outcome
        return self._look_up_outcome(row, parents, ranges)

    def _look_up_outcome(self, row: Primitive, parents: Sequence[int], ranges: Sequence[Range]) -> _Outcome:
        """Return the outcome of `row` on `ranges` from the cache `seen`; a new one is computed and stored.

        Equal slots in `parents` are one number. In large graphs the range of the outcome is rounded outwards.
        """
        same = (0, 1) if len(parents) == 2 and parents[0] != parents[1] else tuple(map(parents.index, parents))
        key = (row.name, tuple([x.key for x in ranges]), same)
        outcome = self.seen.outcomes.get(key)
        if outcome is None:
            outcome = _apply_to_ranges(row, ranges, same)
            if self._coarse:
                outcome = outcome._replace(range=_in_cells(outcome.range))
            self.seen.outcomes[key] = outcome
        return outcome

    def _argument_ranges(self, slot: int) -> tuple[Range, ...]:
        """Return for each argument of `slot` its range, limited by the row's domain and the restriction of its value;
        cached.
        """
        row, parents = self.graph.row(slot), self.graph.parents[slot]
        known, result = [self.range_of(parent) for parent in parents], self._facts.get(slot, ANY)
        same = tuple([parents.index(parent) for parent in parents])
        key = (row.name, tuple([x.key for x in known]), same, result.key)
        allowed = self.seen.allowed.get(key)
        if allowed is None:
            allowed = self.seen.allowed[key] = _compute_argument_ranges(row, known, same, result)
        return allowed


class _Outcome(NamedTuple):
    """The result of a function on ranges: the range of its values, and whether it has a value everywhere (`total`)."""

    range: Range
    total: bool


class Seen:
    """A cache shared between graphs: outcomes of rows on ranges, allowed ranges of arguments."""

    def __init__(self) -> None:
        self.outcomes: dict[object, _Outcome] = {}
        self.allowed: dict[object, tuple[Range, ...]] = {}


def _apply_to_ranges(row: Primitive, ranges: Sequence[Range], same: Sequence[int]) -> _Outcome:
    """Return the outcome of `row` on ranges; argument k is `ranges[same[k]]`, one number where two are the same.

    The range is EMPTY if no number in the ranges is in the domain. It is ANY if the rule needs a condition that the
    ranges do not decide. `total` is True if every domain check always holds.
    """
    copies = [Range(*x.key) for x in ranges]
    arguments = tuple([copies[place] for place in same])
    conditions = [_evaluate_condition(check.holds, arguments) for check in row.domain]
    if any(condition.never for condition in conditions):
        return _Outcome(EMPTY, False)
    try:
        value = RANGES.number(row.value(RANGES, *arguments))
    except UNKNOWN:
        value = ANY
    return _Outcome(value, all(condition.always for condition in conditions))


def _evaluate_condition(holds: Predicate, arguments: tuple[Range, ...]) -> Truth:
    """Return the truth of a condition on ranges; neither always nor never if ranges do not decide it."""
    try:
        return truth(holds(RANGES, *arguments))
    except UNKNOWN:
        return Truth(False, False)


def _compute_argument_ranges(
    row: Primitive, known: Sequence[Range], same: Sequence[int], result: Range
) -> tuple[Range, ...]:
    """Return for each argument of `row` the range to which it is restricted if the value is in `result`.

    `known` are the ranges of the arguments; argument k is the same number as argument `same[k]`. The line is cut into
    intervals: CELLS if only one argument is not constant, SIGNS if several are not. The result is the hull of the
    intervals on which a value in `result` is possible, EMPTY without one.
    """
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
        outcome = _apply_to_ranges(row, ranges, same)
        if not outcome.range.meeting(result).empty:
            for place, piece in enumerate(chosen):
                left[place].append(piece)
    return tuple([hull(left[places.index(place)]) for place in same])


def _in_cells(x: Range, bounds: Sequence[float] = _BOUNDS) -> Range:
    """Return the range with its ends moved outwards to the next of `bounds`, so that there are few different ranges.

    Moved ends are open. An empty range, and one whose ends are in `bounds`, are returned as they are. `bounds` must
    contain -inf and inf.
    """
    if x.empty or (x.low in bounds and x.high in bounds):
        return x
    low = max([end for end in bounds if end <= x.low])
    high = min([end for end in bounds if end >= x.high])
    return Range(low, high, x.open_low or low < x.low, x.open_high or high > x.high, x.nonzero)


def write_with_facts(
    graph: Graph,
    always: Sequence[int],
    seen: Seen,
    write: Callable[[Knowledge], int],
    here: Mapping[int, Range] | None = None,
) -> int:
    """Return the slot of a formula that `write(knowledge)` appends, whose simplifications are proven.

    The facts are that the slots `always` have values, and the ranges `here` (by slot). If the formula itself does not
    require all facts that `knowledge` records as used, it is written again without these; at most 4 times, the last
    time without facts about `always`. Slots of earlier attempts stay in the graph. `seen` is the cache of the
    knowledge.
    """
    without: set[int] = set()
    valued = always
    for attempt in range(_ATTEMPTS):
        if attempt == _ATTEMPTS - 1:
            always = valued = ()
        known = Knowledge(graph, always, without=without, valued=valued, seen=seen, signs=True, here=here)
        slot = write(known)
        evaluated = always_evaluated(graph, [slot]) if known.used or known.trusted else ()
        required = Knowledge(graph, evaluated if known.used else (), seen=seen, signs=True, here=here)
        too_wide = {used for used in known.used if not required.of(used).within(known.of(used))}
        is_unsure = not known.trusted.issubset(evaluated)
        if not too_wide and not is_unsure:
            break
        without |= too_wide
        valued = () if is_unsure else valued
    return slot


def always_evaluated(graph: Graph, slots: Sequence[int]) -> list[int]:
    """Return `slots` and all slots that they need at every point, ascending.

    A choice needs only its condition, not its branches; `and` and `or` need only their first operand.
    """
    rows = zip(graph.rows, graph.parents, strict=True)
    above = [parents[:1] if row is not None and row.route is not None else parents for row, parents in rows]
    return list(compress(range(len(graph)), ancestors(graph, slots, above)))
