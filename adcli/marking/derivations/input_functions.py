"""Input functions: functions of a problem's inputs on one graph, with their derivatives and a test for equality.

A function is known by a slot of the graph.  Two are compared by their values at points of the domain, as intervals, so
that a difference is certain; that they are equal is proved where normal forms can do it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...answers.answer_model import NotGradable
from ...graph.copies import copy_formula
from ...graph.graph import Constant, Graph
from ...graph.order import postorder
from ...graph.rules import apply
from ...graph.tape import UNTAKEN, adjoints, value_and_partials
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from ...symbolic.derivative import gradient_graph
from ...table.primitive import ROWS
from ..function_values import Print, Prints
from .sample_points import draw_points, number_of

_LARGEST = 20_000  # slots of all functions of one answer
_NARROW = 1e-6  # width of values that count as equal, relative to their size
_OVERFLOWS = 1e300
_VISIBLE = 1e-6  # effect of a part, relative to the whole
_DECIMAL = 0.01  # how far a decimal number may be off for its last place, as a share of it


class Agreement(NamedTuple):
    """The result of comparing two functions.

    `equal` is None if it is undecided; `points` is the number of points where they agree, `unseen` the number where
    only the second has no value, `nowhere` says that it has none at any of them, `hidden` that they agree but a part of
    one has no effect at any of them.
    """

    equal: bool | None
    proved: bool = False
    points: int = 0
    unseen: int = 0
    nowhere: bool = False
    hidden: bool = False


class Functions:
    """A growing graph of functions over the inputs of a problem, with their values at points of its domain."""

    def __init__(self, problem: Graph, asked: Sequence[tuple[str, ...]]) -> None:
        """Build the outputs of `problem`, their derivatives `asked`, and sample points at which all of them have
        values.

        `asked` has for each derivative the inputs to differentiate by, one after another; `truths` then holds the slot
        of each by (output, inputs), for every output. Raises NotGradable if the graph is too large.
        """
        self.graph = Graph()
        self.inputs = {name: self.graph.input(name) for name in problem.inputs.values()}
        self.free: dict[str, int] = {}
        self._derivatives: dict[tuple[int, int], int] = {}
        self.outputs = {name: self.graft(problem, slot, {}) for name, slot in problem.outputs}
        self.truths = {
            (output, wrt): self.differentiate(slot, wrt) for output, slot in self.outputs.items() for wrt in asked
        }  # fmt: skip
        places = draw_points(self.graph, [*self.outputs.values(), *self.truths.values()])
        self.prints = Prints(self.graph, places)

    # --- building -----------------------------------------------------------------------------------------------------

    def graft(self, source: Graph, slot: int, leaves: Mapping[int, int]) -> int:
        """Return the slot here of a copy of `slot` of the graph `source`; its operations and leaves are added to this
        graph.

        `leaves` maps slots of `source` to slots of this graph that replace them. Other inputs are matched by name.
        Raises NotGradable if this graph has more than 20,000 slots.
        """
        copy = copy_formula(self.graph, source, slot, leaves, self.symbol)[slot]
        if len(self.graph) > _LARGEST:
            raise NotGradable("the answer is too long", label=f"its formulas have more than {_LARGEST:,} operations")
        return copy

    def substitute(self, slot: int, leaves: Mapping[int, int]) -> int:
        """Return `slot` with the keys of `leaves` replaced by their values, all of them slots; itself if there are
        none.
        """
        return self.graft(self.graph, slot, leaves) if leaves else slot

    def symbol(self, name: str) -> int:
        """Return the slot of an input, or of a name that nothing defines and that may have any value.

        The same name always has the same slot.
        """
        known = self.inputs if name in self.inputs else self.free
        if name not in known:
            known[name] = self.graph.input(name)
        return known[name]

    def apply(self, name: str, left: int, right: int) -> int:
        """Return the slot of the operation called `name` in the table on two slots; raises KeyError if the table does
        not have it.
        """
        return self.graph.apply(ROWS[name], (left, right))

    def alone(self, slot: int) -> Graph:
        """Return a new graph with the one output `y`, which is `slot`, over the inputs and symbols that it uses."""
        part = Graph()
        part.outputs = [("y", copy_formula(part, self.graph, slot, {}, part.input)[slot])]
        return part

    def differentiate(self, slot: int, wrt: Sequence[str]) -> int:
        """Return the slot of the derivative of `slot` by each name of `wrt` in turn, itself for none; names that are
        not inputs are symbols.

        Results are cached. Raises NotGradable if the graph becomes too large.
        """
        for name in wrt:
            slot = self._derivative(slot, self.symbol(name))
        return slot

    def _derivative(self, slot: int, by: int) -> int:
        """Return the slot of the derivative of `slot` with respect to the input or symbol at slot `by`.

        Its operations are appended to the graph; results are cached. Raises NotGradable if the graph becomes too large.
        """
        found = self._derivatives.get((slot, by))
        if found is None:
            part, name = self.alone(slot), self.graph.inputs[by]
            derived = gradient_graph(part, [name])
            found = self._derivatives[slot, by] = self.graft(derived, derived.outputs[0][1], {})
        return found

    def depends(self, slot: int) -> set[str]:
        """Return the names of all inputs and symbols that a slot uses."""
        names = self.graph.inputs
        return {names[s] for s in postorder(slot, self.graph.parents.__getitem__) if s in names}

    def size(self, slot: int) -> int:
        """Return the number of operations of a slot, each counted once."""
        graph = self.graph
        return sum(graph.rows[s] is not None for s in postorder(slot, graph.parents.__getitem__))

    # --- values -------------------------------------------------------------------------------------------------------

    # --- equality -----------------------------------------------------------------------------------------------------

    def compared(self, truth: int, slot: int) -> Agreement:
        """Return whether `truth` and `slot` are the same function, as an Agreement.

        They differ if their values do at some sample point. They are equal if they are the same slot or that is proved
        (`proved` in both cases), or if they agree at the points; `equal` is None if no point decides it, and, with
        `hidden` set, if they agree at the points but a part of either has no visible effect at any.
        """
        if truth == slot:
            return Agreement(True, True, len(self.prints.places))
        found = compare_samples(self.prints[truth], self.prints[slot])
        if found.equal is False:
            return found
        from .proofs import prove_equal

        if prove_equal(self.graph, truth, slot):
            return Agreement(True, True, found.points, found.unseen)
        if found.equal and (self._has_hidden_part(truth) or self._has_hidden_part(slot)):
            return found._replace(equal=None, hidden=True)
        return found

    def _has_hidden_part(self, slot: int) -> bool:
        """Return whether some argument of an operation in a slot has no visible effect on it at any sample point.

        No visible effect: a change by its own size would change the slot by less than a millionth, to first order, but
        by more than 0.
        """
        largest: dict[tuple[int, int], float] = {}
        for argument, effect in self._effects(slot):
            largest[argument] = max(largest.get(argument, 0.0), effect) if effect == effect else 1.0
        return any(0 < effect < _VISIBLE for effect in largest.values())

    def _effects(self, slot: int) -> Iterator[tuple[tuple[int, int], float]]:
        """Yield ((an operation, position of its argument), effect of that on the slot relative to its value).

        That is once for each sample point at which the slot has a value other than 0; an effect may be nan.
        """
        graph, order = Graph(), postorder(slot, self.graph.parents.__getitem__)
        leaves = {s: graph.input(str(s)) for s in order if self.graph.rows[s] is None}
        output = copy_formula(graph, self.graph, slot, leaves)[slot]
        graph.outputs = [("", output)]
        for k, whole in enumerate(self.prints[slot]):
            if not whole.known or not whole.middle:
                continue
            values, gradients = value_and_partials(
                graph, {mine: self.prints[s][k].middle for s, mine in leaves.items()}
            )
            sizes = [tuple(g if g is None or g is UNTAKEN else abs(g) for g in slopes) for slopes in gradients]
            for s, bar in enumerate(adjoints(graph, sizes, {output: 1.0})):
                for j, (parent, size) in enumerate(zip(graph.parents[s], sizes[s], strict=False)):
                    yield (s, j), abs(bar * (size or 0.0) * (values[parent] or 0.0) / whole.middle)

    def same(self, left: int, right: int) -> bool:
        """Return whether two slots are identical or agree at the sample points; False if that is undecided."""
        return left == right or compare_samples(self.prints[left], self.prints[right]).equal is True

    def nearly(self, exact: int, rounded: int) -> bool:
        """Return whether two slots agree at the sample points if decimal numbers in `rounded` may be rounded ones.

        Those in `exact` are not. Each such number becomes the interval that it may be rounded from; intervals must meet
        at all points at which both have values. False if `rounded` has no such numbers, and if the interval is wider
        than 4 % of the value at every point.
        """
        graph = self.graph
        order = postorder(rounded, graph.parents.__getitem__)
        wide = {s: spread for s in order if (spread := _interval_of_decimal(graph.constants.get(s))) is not None}
        is_narrow = False
        for k, true in enumerate(self.prints[exact] if wide else ()):
            values = {s: self.prints[s][k] for s in order if graph.rows[s] is None} | wide
            for s in order:
                row = graph.rows[s]
                if row is not None:
                    values[s] = SPREAD.number(apply(row, SPREAD, [values[p] for p in graph.parents[s]]))
            value = values[rounded]
            if not (value.known and true.known):
                continue
            if not value.meets(true):
                return False
            size = max(abs(true.low), abs(true.high))
            is_narrow = is_narrow or value.high - value.low <= 4 * _DECIMAL * size
        return is_narrow


def compare_samples(truth: Print, other: Print) -> Agreement:
    """Compare the values of two functions at the sample points, as an Agreement that is never proved.

    Points at which `truth` has no value are ignored; those at which only `other` has none are counted in `unseen`. They
    differ if the intervals do not meet at one point (also if `other` overflows there). They are equal if both are
    narrow, a millionth of `truth`, at one point at least, else `equal` is None; `points` counts these. `nowhere` is set
    if `other` is nan at all points, if there are any. Raises ValueError if the lengths differ.
    """
    agreed = unseen = 0
    for a, b in zip(truth, other, strict=True):
        if not a.known:
            continue
        overflows = max(b.low, -b.high) >= _OVERFLOWS  # it is larger than any number
        if (b.known or overflows) and not a.meets(b):
            return Agreement(False)
        if not b.known:
            unseen += 1
            continue
        agreed += max(a.high - a.low, b.high - b.low) <= _NARROW * abs(a.middle)
    missing = [b.low != b.low for a, b in zip(truth, other, strict=True) if a.known]
    return Agreement(True if agreed else None, False, agreed, unseen, bool(missing) and all(missing))


def _interval_of_decimal(constant: Constant | None) -> Spread | None:
    """Return the interval that a decimal number may have been rounded from; None if the constant is not one.

    None for a named constant, for a text without a decimal point or with an exponent, and if half a unit of the last
    place is more than 1 % of the number.
    """
    if constant is None or constant.named or "." not in constant.text:
        return None
    text = constant.text
    digits = text.partition(".")[2]
    value = number_of(constant)
    half = 0.5 * 10.0 ** -len(digits) if digits.isdigit() else 0.0
    if not half or half > _DECIMAL * abs(value):
        return None
    return Spread(value - half * 1.0001, value + half * 1.0001)
