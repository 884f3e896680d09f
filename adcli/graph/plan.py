"""The plan of a graph: for each slot the step that computes its value and partials, and the loops that run the steps.

The loops compute sums, differences and products themselves.  Nothing is stored on the graph or on the plan, so every
run starts from zero.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from ..numbers.doubles import FLOAT, RAISING, T, apply
from ..records import NamedTuple
from ..table.primitive import Primitive
from ..typings import TYPE_CHECKING, Any, Final, Generic, cast
from .graph import Graph
from .rules import FAULTS, partial_rules, partials_at, value_function

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating


class Untaken(float):
    """The partial with respect to a branch not taken: a 0 that contributes nothing, even if the adjoint is infinite."""

    __slots__ = ()


class Unreached(float):
    """The derivative of a slot that a sweep did not reach: a 0 that contributes nothing to other slots."""

    __slots__ = ()


UNTAKEN: Final = Untaken()
UNREACHED: Final[Any] = Unreached()
_QUICK: Final[Mapping[object, Any]] = {FLOAT: RAISING}  # arithmetics by those that never raise

# For a type checker values and adjoints are numbers of the arithmetic.  In fact a value is None if only a branch not
# taken needs it, which no output is, and the derivative of a slot that a sweep does not reach is a 0.
# Partials are Any: numbers of the arithmetic, integers, None or UNTAKEN, which every sweep distinguishes.
Gradients = list[tuple[Any, ...]]


class RowStep(NamedTuple):
    """Functions by which the loops compute one row in one arithmetic.

    function  the value as a function of the arguments alone
    rules     the partial rules `(m, z, *arguments)` by position; None if the loops have to call `partials_at`, because
              the row is a condition, has branches or more than two arguments, or one rule for all its partials
    """

    # Functions bound to one arithmetic take its numbers, a type that a generic loop cannot name: Any to a type checker.
    function: Callable[..., Any]
    rules: tuple[Callable[..., Any], ...] | None


# What the loops compute themselves, recognised by identity; all partials of sums and products, without rules.
_SUM: Final = RowStep(operator.add, ())
_DIFFERENCE: Final = RowStep(operator.sub, (lambda *_: 1, lambda *_: -1))
_PRODUCT: Final = RowStep(operator.mul, ())
_INLINE: Final = {step.function: step for step in (_SUM, _DIFFERENCE, _PRODUCT)}


@lru_cache(maxsize=1024)
def _step(row: Primitive, m: object) -> RowStep:
    """Return the step of a row in the arithmetic `m`; _SUM, _DIFFERENCE or _PRODUCT if the loops compute it inline."""
    function, rules = value_function(row, m), partial_rules(row)
    if row.truth or row.route is not None:
        rules = None
    return _INLINE.get(function) or RowStep(function, rules)


class Plan(Generic[T]):
    """A graph with its steps in the arithmetic `m`, for any number of points.

    steps        the RowStep of every slot; None for inputs and constants
    routed       whether any row has branches (`route`)
    conditional  whether any row has branches or is a condition (`truth`)
    silent       1 for each slot with respect to which no derivative is ever needed: literals and conditions
    """

    def __init__(self, graph: Graph, m: Evaluating[T]) -> None:
        """Choose the RowStep of every row of `graph` for the arithmetic `m`, and set `routed`, `conditional` and
        `silent`.

        For doubles, steps use a faster arithmetic that raises where special cases are needed; the loops then compute
        that slot in `m`. The graph must not change afterwards.
        """
        self.graph = graph
        self.m = m
        # After an exception the loops compute that slot in `m` itself.
        self._quick: Evaluating[T] = _QUICK.get(m, m)
        steps = {row: None if row is None else _step(row, self._quick) for row in dict.fromkeys(graph.rows)}
        self.steps = list(map(steps.__getitem__, graph.rows))
        rows = [row for row in steps if row is not None]
        self.routed = any(row.route is not None for row in rows)
        self.conditional = self.routed or any(row.truth for row in rows)
        self.silent = graph.literal
        if self.conditional:
            known = zip(graph.literal, graph.rows, strict=True)
            self.silent = bytearray([literal or (row is not None and row.truth) for literal, row in known])

    def values(self, point: Mapping[int, T]) -> list[T]:
        """Return the value of every slot in the arithmetic `m` of the plan; `point` is {slot of an input: its value}.

        `point` must have all inputs; this is not checked. If the graph has branches, slots that only a branch not taken
        needs, or no output, are None. Never raises for a point outside a domain: the value is then that of `m` (nan or
        infinite).
        """
        graph, m = self.graph, self.m
        known = leaf_values(graph, m, point)
        if self.routed:
            return on_demand(graph, m, known, [slot for _, slot in graph.outputs])
        values: list[Any] = []  # every leaf has a value
        append = values.append
        steps = zip(self.steps, graph.parents, known, strict=True)
        while True:
            try:
                for step, parents, leaf in steps:
                    if step is _PRODUCT:
                        i, j = parents
                        append(values[i] * values[j])
                    elif step is _SUM:
                        i, j = parents
                        append(values[i] + values[j])
                    elif step is None:
                        append(leaf)
                    elif step is _DIFFERENCE:
                        i, j = parents
                        append(values[i] - values[j])
                    elif len(parents) == 1:
                        append(step.function(values[parents[0]]))
                    else:
                        append(step.function(*[values[i] for i in parents]))
                return values
            except FAULTS:
                slot = len(values)
                append(apply(graph.row(slot), m, [values[i] for i in graph.parents[slot]]))

    def partials(self, values: Sequence[T | None]) -> Gradients:
        """Return for every slot the tuple of its partials with respect to its arguments, by position; `values` are by
        slot.

        A leaf or literal has an empty tuple. In the tuples of the others a partial is, the first that applies:

        - None: the slot is a condition or has no value; or the argument is a literal, is a condition or has no value
        - UNTAKEN (a 0 that contributes nothing): the argument is a branch not taken that has a value
        - `m.undefined` (nan): the rule raises ZeroDivisionError, ValueError or OverflowError
        - the number by the rule, or by convention at a kink; for sums and products also an int, or an argument itself
        """
        m, silent = self._quick, self.silent
        gradients: Gradients = []
        append = gradients.append
        steps = zip(self.steps, self.graph.parents, values, silent, strict=True)
        while True:
            try:
                for step, parents, z, is_silent in steps:
                    if step is None:
                        append(())
                    elif step.rules is None or z is None or is_silent:
                        append(self._partials_at(values, len(gradients)))
                    elif step is _PRODUCT:
                        i, j = parents
                        append((None if silent[i] else values[j], None if silent[j] else values[i]))
                    elif step is _SUM:
                        i, j = parents
                        append((None if silent[i] else 1, None if silent[j] else 1))
                    else:
                        arguments = [values[i] for i in parents]
                        pairs = zip(parents, step.rules, strict=True)
                        append(tuple([None if silent[i] else rule(m, z, *arguments) for i, rule in pairs]))
                return gradients
            except FAULTS:
                append(self._partials_at(values, len(gradients)))

    def _partials_at(self, values: Sequence[T | None], slot: int) -> tuple[T | float | None, ...]:
        """Return the partials of `slot` with respect to its arguments, by position, at these `values` of all slots.

        They are computed in the arithmetic `m`, so that nothing is raised (an undefined one is nan). Which are None,
        UNTAKEN or missing is said in `partials`.
        """
        graph, silent, z = self.graph, self.silent, values[slot]
        row, parents = graph.rows[slot], graph.parents[slot]
        if row is None or graph.literal[slot]:
            return ()
        if z is None or row.truth:
            return (None,) * len(parents)
        arguments = cast("tuple[T, ...]", tuple([values[p] for p in parents]))  # None for a branch not taken
        needed = tuple([not silent[p] and values[p] is not None for p in parents])
        partials = partials_at(row, self.m, z, arguments, needed)
        if row.route is not None:
            arguments_used = row.route(arguments[0])
            return tuple([g if g is None or k in arguments_used else UNTAKEN for k, g in enumerate(partials)])
        return tuple(partials)

    def pull(self, values: Sequence[T], seed: Mapping[int, T]) -> list[T]:
        """Return the adjoint of every slot, the derivative of Σ seed · value, at these `values` of all slots.

        Only for a plan that is not `conditional`. `seed` is {slot: its adjoint}. Partials are computed when the sweep
        reaches their slot, and not stored. The adjoint of a literal is its seed, or 0.0 without one. Every other slot
        that the sweep does not reach keeps UNREACHED, a 0. A partial that is undefined makes adjoints nan.
        """
        m, graph, silent = self._quick, self.graph, self.silent
        bars = initial_adjoints(graph, seed)
        ahead = reversed(graph.parents)  # its length hint is the number of the present slot
        steps = zip(reversed(self.steps), ahead, reversed(bars), reversed(values), strict=True)
        while True:
            try:
                for step, parents, bar, z in steps:
                    if bar is UNREACHED or step is None:
                        continue
                    if step is _PRODUCT:
                        i, j = parents
                        bars[i] += bar * values[j]
                        bars[j] += bar * values[i]
                    elif step is _SUM:
                        i, j = parents
                        bars[i] += bar
                        bars[j] += bar
                    elif step is _DIFFERENCE:
                        i, j = parents
                        bars[i] += bar
                        bars[j] -= bar
                    elif step.rules is None:
                        self._pull_one(operator.length_hint(ahead), values, bars)
                    elif len(parents) == 1:
                        (i,) = parents
                        bars[i] += bar * step.rules[0](m, z, values[i])
                    else:
                        i, j = parents
                        left, right = step.rules
                        a, b = values[i], values[j]
                        first = 0 if silent[i] else left(m, z, a, b)
                        second = 0 if silent[j] else right(m, z, a, b)
                        bars[i] += bar * first
                        bars[j] += bar * second
                break
            except FAULTS:
                self._pull_one(operator.length_hint(ahead), values, bars)
        slot = graph.literal.find(1)
        while slot >= 0:  # contributions to literals are discarded
            bars[slot] = 0.0 + seed.get(slot, UNREACHED)
            slot = graph.literal.find(1, slot + 1)
        return bars

    def _pull_one(self, slot: int, values: Sequence[T], bars: list[T]) -> None:
        """Add the contributions of one slot to the adjoints `bars` of its parents, in place, in the arithmetic `m`."""
        for parent, slope in zip(self.graph.parents[slot], self._partials_at(values, slot), strict=False):
            if slope is not None:
                bars[parent] += bars[slot] * slope


def initial_adjoints(graph: Graph, seed: Mapping[int, T]) -> list[T]:
    """Return the adjoints with which a reverse sweep begins: `seed` by slot, and an Unreached 0 in all other slots."""
    bars = [UNREACHED] * len(graph)
    for slot, number in seed.items():
        bars[slot] = bars[slot] + number
    return bars


def leaf_values(graph: Graph, m: Evaluating[T], point: Mapping[int, T]) -> list[T | None]:
    """Return a list over all slots: inputs have the values of `point` (by slot), constants their numbers in `m`.

    All other slots, and inputs that `point` lacks, are None.
    """
    values: list[T | None] = [None] * len(graph)
    for slot, number in point.items():
        values[slot] = number
    for slot, constant in graph.constants.items():
        values[slot] = constant.read(m)
    return values


def on_demand(graph: Graph, m: Evaluating[T], values: list[Any], outputs: Iterable[int]) -> list[T]:
    """Compute the values that the slots `outputs` need, conditions first, then only the branch taken; return `values`.

    "and" and "or" are branches, too: their second argument is needed only if the first does not decide. `values` has
    those of all leaves (this does not return if a needed one is None), and perhaps of other slots, which are not
    computed again; it is filled in place. Slots that are not needed stay None. Outside a domain a value is that of `m`.
    """
    rows, parents = graph.rows, graph.parents
    stack = [*outputs][::-1]
    while stack:
        slot = stack[-1]
        row = rows[slot]
        if row is None or values[slot] is not None:
            stack.pop()
            continue
        needed: Sequence[int] = parents[slot]
        if row.route is not None:
            first = values[needed[0]]
            needed = needed[:1] if first is None else [needed[0], *(needed[k] for k in row.route(first))]
        missing = [p for p in needed if values[p] is None]
        if missing:
            stack.extend(reversed(missing))
            continue
        values[slot] = apply(row, m, [values[p] for p in parents[slot]])
        stack.pop()
    return values
