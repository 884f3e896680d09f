"""Evaluator of values and gradients at many points, without notes. An operation list is the evaluation written out for
one choice of branches, with the conditions under which it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from operator import itemgetter

from ..engine.flat_tape import LARGEST, FlatTape, flatten
from ..graph.gc_pause import pause_gc
from ..graph.graph import Graph
from ..graph.order import arrange, inputs_in_order, usable
from ..graph.plan import Plan
from ..graph.tape import pull_back
from ..kinks.near_kinks import SHALLOW, NearKinks
from ..numbers.doubles import FLOAT
from ..typings import TYPE_CHECKING, Final
from .sweeping import without_sign_of_zero

if TYPE_CHECKING:
    from ..table.arithmetic import Predicate

_Check = tuple["Predicate", tuple[int, ...], int]  # a condition, the slots that it is on, and the one that it is for
_Way = tuple[tuple[object, ...], FlatTape | None]  # which conditions hold, and the list for such points
_WORTH: Final = 100  # operations for each point that must have come before a list of them is made
_WAYS: Final = 16  # through the branches of a program, of which there may be very many


class Evaluator:
    """A graph prepared for evaluation at any number of points; it gives the numbers of a trace, without its notes.

    Its methods return None if a trace has more to report: no value, a number too large, an input without a value or one
    too many, or a kink in a derivative.
    """

    def __init__(self, graph: Graph) -> None:
        """Prepare the graph for evaluation at many single points.

        It is arranged, unless it is larger than LARGEST, which keeps its order of slots. Sets `inputs` (slots by name),
        `outputs` (name, slot) and `output` (the slot of the first).
        """
        with pause_gc(len(graph)):
            # What is too large for a list of operations is left in its order, which no caller sees.
            graph = usable(graph) if len(graph) > LARGEST else arrange(graph)
            self._plan = Plan(graph, FLOAT)
            self._checks = _domain_checks(graph)
            self._kinks = NearKinks(graph, SHALLOW)
        self.inputs = inputs_in_order(graph)
        self.outputs = graph.outputs
        self.output = graph.outputs[0][1]
        self._graph = graph
        self._names = list(self.inputs)
        self._point = itemgetter(*self._names) if len(self._names) > 1 else None
        self._calls: dict[tuple[int, ...], int] = {}
        self._ways: dict[tuple[int, ...], list[_Way]] = {}
        self._truths = list(filter(graph.is_condition, range(len(graph))))

    def values(self, at: Mapping[str, float]) -> list[float] | None:
        """Return the values of all outputs in order, without signs of zeros.

        None if a trace would report more: `at` has a name too few or too many, or something that is not a number; a
        value of some slot is not finite, a domain check fails, or a kink decides a value.
        """
        done, numbers = self._operation_list((), at)
        if done is not None:
            places = done.places
            return [numbers[places[slot]] + 0.0 for _, slot in self.outputs]
        values = self._values((), at)
        return None if values is None else [without_sign_of_zero(values[slot]) for _, slot in self.outputs]

    def value_and_gradient(self, at: Mapping[str, float]) -> tuple[float, dict[str, float]] | None:
        """Return (value, gradient by input name) of the first output, without signs of zeros.

        None if a trace would report more: `at` has a name too few or too many, or something that is not a number; a
        value of some slot is not finite, a domain check fails, or a kink is reached. Slopes are not checked: they may
        be infinite or nan.
        """
        done, numbers = self._operation_list((self.output,), at)
        if done is not None:
            names, places = self._names, done.rows[0]  # as many
            slopes = {name: numbers[place] + 0.0 for name, place in zip(names, places)}  # noqa: B905
            return numbers[done.places[self.output]] + 0.0, slopes
        slow = self._sweep_graph((self.output,), at)
        return None if slow is None else (slow[0][0], dict(zip(self._names, slow[1][0], strict=True)))

    def values_and_rows(self, at: Mapping[str, float]) -> tuple[list[float], list[list[float]]] | None:
        """Return (values of all outputs, rows of the Jacobian), in the orders of the outputs and of `inputs`.

        Zeros have no sign, and slopes may be infinite or nan. None if `at` does not have exactly the inputs as numbers,
        if a value of some slot is not finite or fails a domain check, or at a kink.
        """
        outputs = tuple([slot for _, slot in self.outputs])
        done, numbers = self._operation_list(outputs, at)
        if done is None:
            return self._sweep_graph(outputs, at)
        places = done.places
        rows = [[numbers[place] + 0.0 for place in row] for row in done.rows]
        return [numbers[places[slot]] + 0.0 for slot in outputs], rows

    def _operation_list(self, outputs: tuple[int, ...], at: Mapping[str, float]) -> tuple[FlatTape | None, list[float]]:
        """Return (an operation list that holds at the point `at`, its registers there).

        The list computes all values, and the derivatives of the slots `outputs` (without these only values); its
        `places` and `rows` say which registers hold them. A list that holds changes places with the first of
        `_ways[outputs]`.

        (None, []) if there is no list yet, if `at` does not have exactly the inputs or not only numbers, or if the
        conditions of no list hold at the point.
        """
        ways = self._ways.get(outputs)
        if ways and (len(at) == len(self._names) if type(at) is dict else at.keys() == self.inputs.keys()):
            try:
                point = [*map(float, self._point(at))] if self._point else [float(at[name]) for name in self._names]
            except (KeyError, TypeError, ValueError):
                return None, []
            for k, (_, way) in enumerate(ways):
                numbers = None if way is None else way.run(point)
                if numbers is not None:
                    if k:  # the next point is perhaps near this one
                        ways[0], ways[k] = ways[k], ways[0]
                    return way, numbers
        return None, []

    def _sweep_graph(
        self, outputs: tuple[int, ...], at: Mapping[str, float]
    ) -> tuple[list[float], list[list[float]]] | None:
        """Return (values of the slots `outputs`, their rows of partials by input), by sweeps over the graph.

        `at` has the values of the inputs by name. Zeros have no sign. None if `at` does not have exactly the inputs, a
        value is not finite, a domain check fails, or a kink is reached.
        """
        values = self._values(outputs, at)
        if values is None:
            return None
        rows = []
        for output in outputs:
            bars = pull_back(self._plan, values, {output: 1.0})
            rows.append([without_sign_of_zero(bars[slot]) for slot in self.inputs.values()])
        return [without_sign_of_zero(values[slot]) for slot in outputs], rows

    def _values(self, outputs: tuple[int, ...], at: Mapping[str, float]) -> list[float] | None:
        """Return the values of all slots (None in a branch not taken), checked for derivatives of the slots `outputs`
        too.

        None if `at` does not have exactly the inputs, all with numbers; if a value is not finite, a domain check fails,
        or a kink is reached; without `outputs` only a kink that decides a value counts. Counts the calls for `outputs`.
        After 1 + slots/100 calls an operation list for the branches taken here is added to `_ways`, up to 16 of them
        for each `outputs`, in graphs of up to LARGEST slots.
        """
        if at.keys() != self.inputs.keys():
            return None
        try:
            values = self._plan.values({slot: float(at[name]) for name, slot in self.inputs.items()})
        except (TypeError, ValueError):  # a text, or no number at all
            return None
        reached = values if not self._plan.routed else [z for z in values if z is not None]
        if not all(map(isfinite, reached)):
            return None
        checks = [check for check in self._checks if values[check[2]] is not None]
        checks += self._kink_checks(values, gradients=bool(outputs))
        if not all(holds(FLOAT, *[values[p] for p in parents]) for holds, parents, _ in checks):
            return None
        count = self._calls[outputs] = self._calls.get(outputs, 0) + 1
        if 1 + len(self._graph) // _WORTH < count and len(self._graph) <= LARGEST:
            self._remember_way(outputs, checks, values)
        return values

    def _remember_way(self, outputs: tuple[int, ...], checks: Sequence[_Check], values: list[float]) -> None:
        """Add an operation list for the branches that `values` take to `_ways`, if it is new; up to 16 are kept."""
        truths = tuple([values[slot] for slot in self._truths])
        ways = self._ways.setdefault(outputs, [])
        if len(ways) < _WAYS and all(truths != other for other, _ in ways):
            ways.append((truths, flatten(self._graph, outputs, [check[:2] for check in checks], values)))

    def _kink_checks(self, values: Sequence[float | None], gradients: bool) -> Iterator[_Check]:
        """Yield the conditions under which kinks are out of reach; without `gradients` only if they decide a value."""
        for test in self._kinks.tests:
            if values[test.slot] is not None and (gradients or test.decides_value):
                slots = tuple([slot for slot in test.slots if values[slot] is not None])
                yield self._kinks.predicate(test, slots), slots, test.slot


def _domain_checks(graph: Graph) -> list[_Check]:
    """Return (condition, slots of its arguments, slot of the operation) for each domain check of the graph,
    each once.
    """
    rows = enumerate(zip(graph.rows, graph.parents, strict=True))
    checks = [(check.holds, parents, slot) for slot, (row, parents) in rows if row is not None for check in row.domain]
    return list(dict.fromkeys(checks))
