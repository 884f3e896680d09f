"""Step search: which steps of the problem's own trace the rows of an answer are that are only numbers. A step is known
by its slot in the trace; a wrong row has a number that no step has with the numbers before it.

A row is a step whose number it has, in whatever order and with whatever steps left out, as long as no row comes after
one that uses it.  A row whose number is not in the problem takes a step that is left, the result sooner than another;
from then on its number is that of the step, and the rows after it follow from it.  Rows with formulas are the steps
that these give.  Steps that are the same function are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count, islice

from ...answers.shown_numbers import as_double, numeral_spread
from ...graph.graph import Graph
from ...graph.order import ancestors
from ...graph.rules import value_of_slot
from ...graph.tape import evaluate
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from .reference_traces import Candidates
from .value_rows import RESULTS, ValueRow, is_near, within

_MOST_ROWS, _MOST_READINGS, _MOST_TRIED = 60, 8, 400
_DRIFT = 0.002
_ROUNDED = 0.05  # error of a number of few digits: 0.9 is not 0.81
_EQUAL = 1e-9  # relative error of what a formula gives
_LEAST_KNOWN = 2  # rows with a number of the problem
_MOST_PLACES = 4  # that a row with a wrong number may have


def readings(candidates: Candidates) -> list[dict[str, int]]:
    """Return up to 8 assignments {row name: slot of the trace} for rows of only a number, fewest wrong rows first.

    [] if the answer has no value rows, more than 60, or more than twice as many as the trace has rows; also for a table
    of only numbers of which too many are wrong (`_is_likely`). In other answers a row with a wrong number is left out,
    except if other rows follow from it or it can only be the result. Assignments may repeat.
    """
    if not candidates.rows or len(candidates.rows) > min(_MOST_ROWS, 2 * len(candidates.reference.names)):
        return []
    return list(islice(_StepSearch(candidates).readings(), _MOST_READINGS))


class _State(NamedTuple):
    """The known facts after the first rows: `chosen`, the step that each of them is (-1: none), and more.

    `values` are those of all slots as they follow from the numbers. `by_name` are the values of rows with formulas that
    are not steps. `strays` are {index of a row of only a wrong number: its slot (-1: none)}. `supported` are those of
    these slots from which a later row follows.
    """

    chosen: tuple[int, ...]
    values: list[Spread]
    by_name: Mapping[str, Spread]
    strays: Mapping[int, int]
    supported: frozenset[int]


class _StepSearch:
    """A search for the steps that the rows of an answer represent, one row after the other.

    `alike` maps each step to all steps of the same function, in order, `first` to the first of these, `below` to all
    slots that the step is computed from. `true` has the values of all slots. `is_table` says that every row is only a
    number.
    """

    def __init__(self, candidates: Candidates) -> None:
        """Evaluate the trace of `candidates` at the point of the task; the attributes are described at the class.

        Besides these, `steps` has one step for each function, the first; `results` are {name of an output: slot}, and
        `named` are these and {name that the problem itself gives a step: slot}.
        """
        self.own, self.rows, self.reference = candidates, candidates.rows, candidates.reference
        self.graph = self.reference.graph
        self.results = dict(self.graph.outputs)
        self.named = {alias: slot for slot, alias in self.graph.aliases.items()} | self.results
        steps = [slot for slot in self.reference.names if slot in candidates.prints]
        alike = {slot: candidates.functions.like(candidates.prints[slot]) for slot in steps}
        self.alike = {slot: sorted(s for s in alike[slot] if s in self.reference.names) or [slot] for slot in steps}
        self.first = {slot: same[0] for slot, same in self.alike.items()}
        self.steps = [*dict.fromkeys(self.first.values())]
        self.below = {slot: _below(self.graph, slot) for slot in steps}
        self.is_table = all(row.is_number for row in self.rows)
        self.true = self._values_with({}, [])

    def _values_with(self, changed: Mapping[int, Spread], known: list[Spread]) -> list[Spread]:
        """Return the values of all slots at the point of the task, with those in `changed` for their slots.

        `known` has the values without the change and is not modified; only slots that depend on a slot in `changed` are
        computed again, by their operations, also one whose value in `known` is itself a changed one. If `known` is [],
        all are computed.
        """
        graph, point = self.graph, self.own.places[0]
        values = [*known]
        moved = set(changed)
        for slot in range(len(graph)):
            if slot in changed:
                value = changed[slot]
            elif known and moved.isdisjoint(graph.parents[slot]):
                continue
            elif slot in graph.inputs:
                value = point[graph.inputs[slot]]
            else:
                value = SPREAD.number(value_of_slot(graph, SPREAD, slot, values))
                moved.add(slot)
            values[slot : slot + 1] = [value]
        return values

    def readings(self) -> Iterator[dict[str, int]]:
        """Yield assignments {row name: slot}, those with the fewest wrong rows first (best-first search).

        Rows are treated in order; of states with equally many wrong rows the one with most rows is next, then the older
        one. At most 400 are taken. Only rows that are just a number are keys. Several rows of one function get its
        slots in order, further ones the last slot. In a table, in which all rows are only numbers, wrong rows are keys
        too; but it is used only if `_is_likely`. In another answer a wrong row is a key only if `_is_meant`: other rows
        follow from it, or it can only be the result. A row without a step is not a key.
        """
        numbers = count()
        start = _State((), self.true, {}, {}, frozenset())
        queue = [(0, 0, next(numbers), start)]
        for _ in range(_MOST_TRIED):
            if not queue:
                return
            wrong, place, _, state = heappop(queue)
            if -place < len(self.rows):
                for more, following in self._next_states(self.rows[-place], state):
                    heappush(queue, (wrong + more, place - 1, next(numbers), following))
            elif self._is_likely(state):
                again = [state.chosen[:k].count(slot) for k, slot in enumerate(state.chosen)]
                triples = [*zip(self.rows, state.chosen, again, strict=True)]
                dropped = {k for k in state.strays if not self.is_table and not self._is_meant(k, state)}
                kept = [triple for k, triple in enumerate(triples) if k not in dropped and triple[0].is_number]
                # If there are more rows than steps with the value, the last step stands for the rest.
                yield {row.name: self.alike[slot][: number + 1][-1] for row, slot, number in kept if slot >= 0}

    def _next_states(self, row: ValueRow, state: _State) -> Iterator[tuple[int, _State]]:
        """Yield (1 if `row` is then a wrong row, else 0; the state after `row`) for each step that `row` may be.

        A row that is only a number is each step with its number (`_fitting_steps`) that is in order: no earlier row is
        a step computed from it, and it is not chosen too often (`_is_in_order`). If there is no such step, the row is
        wrong, and is each of `_steps_left`; if there are none either, no step (-1). `strays` then has this step by the
        row's place.

        Another row is one step: a step with the value of its formula up to a relative 1e-9, preferably the step of its
        name. If no step has this value, a row with arithmetic and a number is the first of `_fitting_steps`. Without a
        step (-1) the row is known by its name only, with its number or else its formula's value; it counts as wrong if
        its formula has a value, but is not in `strays`.
        """
        if row.is_number:
            options = [slot for slot in self._fitting_steps(row, state) if self._is_in_order(row, slot, state.chosen)]
            for slot in options:
                yield 0, self._with_row(row, slot, state)
            for slot in () if options else self._steps_left(row, state) or [-1]:
                following = self._with_row(row, slot, state)
                yield 1, following._replace(strays={**state.strays, len(state.chosen): slot}, supported=state.supported)
            return
        value = self._formula_value(row, state)
        named = self.first.get(self.reference.slots.get(row.name, -1))
        slots = [slot for slot in self.steps if value is not None and _are_equal(state.values[slot], value)]
        slots = slots or (self._fitting_steps(row, state) if row.shows_arithmetic and row.number is not None else [])
        slots.sort(key=lambda slot: slot != named)
        if slots:
            yield 0, self._with_row(row, slots[0], state)
        else:
            shown = numeral_spread(row.number) if row.number is not None else value
            by_name = state.by_name if shown is None else {**state.by_name, row.name: shown}
            yield int(value is not None), state._replace(chosen=(*state.chosen, -1), by_name=by_name)

    def _with_row(self, row: ValueRow, slot: int, state: _State) -> _State:
        """Return a new state in which `slot` (-1: no step) is the step of `row`; `state` is unchanged.

        `slot` is appended to `chosen`. The interval of the row's number replaces the value of all steps of this
        function, but not of as many as earlier rows are, and the values of all steps that depend on them are computed
        again from it. No value changes if the row has no number. The steps of earlier wrong rows (`strays`) on which
        the step depends are added to `supported`. `strays` stays as it is.
        """
        values, supported = state.values, state.supported
        if slot >= 0:
            supported |= self.below[slot] & {*state.strays.values()}
            if row.number is not None:
                left = self.alike[slot][state.chosen.count(slot) :]
                values = self._values_with(dict.fromkeys(left, numeral_spread(row.number)), values)
        return state._replace(chosen=(*state.chosen, slot), values=values, supported=supported)

    def _fitting_steps(self, row: ValueRow, state: _State) -> list[int]:
        """Return the steps that have the number of a row, the one of its name first.

        Of equal functions only the first step is returned; it represents the others also if the row has the name of one
        of them. Values are those of the `state`; steps that it has already chosen are not left out. A number fits as in
        `_fits`, about one unit of its last place; if no step fits so, those within 0.2 % are returned. A row that has
        the name of a result, or of a step that the problem names, can only be that one, and only if that fits. [] if no
        step fits, or if the row has no number.
        """
        steps, named = self.steps, self.first.get(self.reference.slots.get(row.name, -1))
        if row.name in self.named:
            steps = [slot for slot in steps if slot == self.first.get(self.named[row.name])]
        shown = [slot for slot in steps if _fits(row, state.values[slot])]
        number = row.number
        shown = shown or [slot for slot in steps if number and is_near(number, state.values[slot], _DRIFT)]
        return sorted(shown, key=lambda slot: named != slot)

    def _formula_value(self, row: ValueRow, state: _State) -> Spread | None:
        """Return the value of the first formula of a row, computed with the numbers of the rows before it.

        A row before it that is a step has the value of that step in `state`: its number if that was wrong, else the
        value that follows from the numbers before. Another row before it has its own (`by_name`). A name that no row of
        the answer has is that of the trace, with its value in `state`. None if the first formula could not be read or
        has no value, or if it uses another name, such as that of a later row.
        """
        graph = row.formulas[0].graph if row.formulas else None
        if graph is None:
            return None
        places = {self.rows[k].name: slot for k, slot in enumerate(state.chosen) if slot >= 0}
        point: dict[int, Spread] = {}
        for leaf, symbol in graph.inputs.items():
            name = row.formulas[0].quantities[symbol].name
            known_slot = None if name in self.own.own else self.reference.slots.get(name)
            slot = places.get(name, known_slot)
            if slot is None and name not in state.by_name:
                return None
            point[leaf] = state.by_name[name] if slot is None else state.values[slot]
        value = SPREAD.number(evaluate(graph, SPREAD, point)[graph.outputs[0][1]])
        return value if value.known else None

    def _is_in_order(self, row: ValueRow, slot: int, chosen: Sequence[int]) -> bool:
        """Return whether `row`, the next one, may be the step `slot`, which is the first of the steps of its function.

        `chosen` has the step of each earlier row, also as the first of its function, -1 for no step. False if `slot` is
        new and a step in `chosen` is computed from it. False also if it is in `chosen` as often as there are steps of
        its function, except for a row with the name of a result, which may repeat it.
        """
        late = slot not in chosen and any(slot in self.below[other] for other in chosen if other >= 0)
        return not late and (chosen.count(slot) < len(self.alike[slot]) or row.name in self.results)

    def _is_likely(self, state: _State) -> bool:
        """Return whether a finished assignment may be used: always, except perhaps for a table of only numbers.

        For a table every row must have a step, every result of the problem must have a row, and one of these must hold:
        - no row is wrong;
        - at least two rows are right, and these are at least two fifths of all;
        - each wrong row (in `strays`) is surely its step (`_is_meant`).
        """
        if not self.is_table:
            return True
        strays = len(state.strays)
        known = len(self.rows) - strays
        is_enough = not strays or (known >= _LEAST_KNOWN and 3 * known >= 2 * strays)
        is_enough = is_enough or all(self._is_meant(k, state) for k in state.strays)
        results = (self.first[slot] for slot in self.results.values() if slot in self.first)
        return is_enough and -1 not in state.chosen and all(slot in state.chosen for slot in results)

    def _is_meant(self, place: int, state: _State) -> bool:
        """Return whether the row at `place`, with a wrong number, must be its step: other rows follow from the number.

        `place` must be in `state.strays` (else KeyError). That is so if its step there is in `state.supported`. Also if
        it is the last row, has a usual name of a result (RESULTS), and its step is a result. False if it has no step
        (-1).
        """
        slot, is_last = state.strays[place], place == len(self.rows) - 1
        is_result = is_last and slot in self.results.values() and self.rows[place].name in RESULTS
        return slot >= 0 and (slot in state.supported or is_result)

    def _steps_left(self, row: ValueRow, state: _State) -> list[int]:
        """Return up to 4 steps that a row with a wrong number may be, the likeliest first.

        Of equal functions only the first step is returned. A row with the name of a result, or of a step that the
        problem names, can only be this step; [] if that is not in order (`_is_in_order`). Another row may be each free
        step: one that is in order, and from which no step in `state.chosen` is computed. If the row is the last one,
        steps that are results come first, otherwise last. Then comes the step of the row's name; then steps whose
        operands are all inputs, literals or steps in `chosen`; then the order of the trace.
        """
        chosen, last = state.chosen, len(state.chosen) == len(self.rows) - 1
        if row.name in self.named:
            slot = self.first.get(self.named[row.name])
            return [slot] if slot is not None and self._is_in_order(row, slot, chosen) else []
        used = set[int]().union(*(self.below.get(slot, ()) for slot in chosen))
        free = [slot for slot in self.steps if slot not in used and self._is_in_order(row, slot, chosen)]
        results, named = set(self.results.values()), self.reference.slots.get(row.name, -1)
        known = {slot for slot in chosen if slot >= 0} | set(self.graph.inputs)

        def merit(slot: int) -> tuple[bool, bool, bool]:
            ready = all(self.graph.literal[p] or self.first.get(p, p) in known for p in self.graph.parents[slot])
            return ((slot in results) != last, self.first.get(named) != slot, not ready)

        return sorted(free, key=merit)[:_MOST_PLACES]


def _are_equal(one: Spread, other: Spread) -> bool:
    """Return whether two values are equal up to 1e-9 of the larger of 1 and the second; False if `one` is not known."""
    return one.known and abs(one.middle - other.middle) <= _EQUAL * max(1.0, abs(other.middle))


def _fits(row: ValueRow, value: Spread) -> bool:
    """Return whether the number of a row can be the interval `value`; False without a number, or if `value` is unknown.

    One of these must hold:
    - the row shows the value (`shows`);
    - the number is in the interval, or at most `row.unit` outside of it (the unit of the last place, with trailing
      zeros as other rows write them);
    - it is off the middle by at most one unit of the last digit written, and by at most 5 % of the middle.
    """
    number, unit = row.number, row.unit
    if number is None or not value.known:
        return False
    if row.shows(value) or (within(number, value) and is_near(number, value, _ROUNDED)):
        return True
    return value.low - unit <= as_double(number.value) <= value.high + unit


def _below(graph: Graph, slot: int) -> set[int]:
    """Return all slots that `slot` is computed from."""
    needed = ancestors(graph, [slot])
    return {other for other in range(slot) if needed[other]}
