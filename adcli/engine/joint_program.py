"""The joint program: one graph whose outputs are all the values and partials, with nothing computed twice. A condition
is a term (a slot that is true or false), or True or False if it is certain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import product

from ..graph.graph import Graph
from ..graph.order import ancestors, arrange, complete, share_subexpressions
from ..kinks.near_kinks import SHALLOW, NearKinks
from ..numbers.double_intervals import SPREAD, Spread
from ..numbers.doubles import FLOAT, apply
from ..symbolic.derivative import Adjoints, find_constants
from ..symbolic.guarded import GuardedTerms
from ..symbolic.terms import Condition, Operand, Term
from ..table.primitive import Primitive

KINKS = "kinks"
UNUSUAL = "unusual"


def joint_graph(
    graph: Graph, *, hessian: bool = False, kinks: bool = False, alone: bool = False, usual: bool = False
) -> Graph:
    """Return the graph that computes for each output its value `y` and its partials `dy_dx1`, …, in this order.

    The value is nan where a condition of a domain fails in an operation that the output evaluates; its partials are
    arbitrary there. The options:

    - `hessian`: second partials `d2y_dx1_dx2`, …, too, after the first ones of the same output
    - `alone` (no other program checks the results): partials are nan where their value is; slots with a name in the
      graph keep it, and their adjoints are named `v1_bar` (`y_v1_bar` if there are several outputs)
    - `kinks`: if the program has kinks, the last output is KINKS ("kinks"): 1 at points that may lie on one, and 0 at
      others
    - `usual`: limits, and with `kinks` but without `hessian` conventions at kinks, are left out; if such points may
      exist, the last output is the condition UNUSUAL ("unusual"), where the other outputs are arbitrary. With `kinks`
      points on kinks count as unusual, and there is no output KINKS
    """
    copy = share_subexpressions(graph)
    facts = DoubleFacts(copy, elsewhere=alone)
    constants = find_constants(copy) if alone else ()  # elsewhere no kink is resolved afterwards
    exceptions: list[Condition] | None = [] if usual else None

    def read(*, differentiated: bool = False) -> GuardedTerms:
        return GuardedTerms(copy, facts=facts, exceptions=exceptions, differentiated=differentiated)

    names = dict(copy.aliases) if alone else {}
    inputs = {name: slot for slot, name in copy.inputs.items()}
    slots = list(inputs.values())
    columns: list[tuple[str, int]] = []
    for output, slot in copy.outputs:
        value = _mark_undefined(read(), facts, slot)
        # second partials depend on kinks of slopes too, which no flag reports
        conventions = hessian or not (usual and kinks)
        adjoints = Adjoints(read(differentiated=hessian), slot, slots, constants, exactly=True, conventions=conventions)
        partials = [adjoints.of(place).slot for place in slots]
        if alone:
            _name_adjoints(copy, adjoints, output, names)
            partials = _nan_with(read(), value, partials, slot)
        columns.append((output, value))
        columns += [(f"d{output}_d{name}", partial) for name, partial in zip(inputs, partials, strict=True)]
        if hessian:
            columns += _second_partials(read, output, slot, inputs)
    if kinks:
        columns += _flag_column(KINKS, _append_kink_flag(read(), [slot for _, slot in copy.outputs], hessian))
    if exceptions is not None:
        m = read()
        is_unusual = reduce(m.either, [False, *exceptions])
        columns += _flag_column(UNUSUAL, m.number(is_unusual).slot if is_unusual is not False else None)
    copy.outputs = columns
    copy.aliases = names
    return arrange(copy, "call", extra=inputs)


def _second_partials(
    read: Callable[..., GuardedTerms], output: str, slot: int, inputs: Mapping[str, int]
) -> list[tuple[str, int]]:
    """Return (name, slot) of the second partials `d2y_dx1_dx2` of an output: the upper triangle, row by row.

    `read` makes a new GuardedTerms on the graph, for the first sweep with the option `differentiated`, since its
    results are differentiated again. `output` is the name and `slot` the slot of the output; `inputs` are slots by
    name. Operations are appended to the graph. Infinite slopes are left to the rules: the convention would replace them
    by a number, whose slope would be 0.
    """
    names, slots = list(inputs), list(inputs.values())
    first = Adjoints(read(differentiated=True), slot, slots)
    columns = []
    for k, name in enumerate(names):
        second = Adjoints(read(), first.of(slots[k]).slot, slots[k:])
        columns += [(f"d2{output}_d{name}_d{other}", second.of(inputs[other]).slot) for other in names[k:]]
    return columns


def _append_kink_flag(m: GuardedTerms, outputs: list[int], seams: bool) -> int | None:
    """Append a slot that is 1 at points that may be on a kink of an operation that `outputs` evaluate, else 0; return
    it. With `seams` corners of slopes count too.

    None if the condition is certain (True or False), such as without kinks. If `m` has `exceptions`, the condition (a
    term, or a bool) is appended to them instead, and None is returned.
    """
    on_kink: Condition = False
    near = NearKinks(m.graph, SHALLOW, seams=seams)
    for output in outputs if near.tests else []:
        reached = _find_reached_slots(m, output)
        for test in near.tests:
            if test.slot in reached:
                is_clear = near.is_clear(m, test, m.term)
                on_kink = m.either(on_kink, m.both(reached[test.slot], _negate(m, is_clear)))
    if m.exceptions is not None:
        m.exceptions.append(on_kink)
        return None
    return None if isinstance(on_kink, bool) else m.choose(on_kink, m.number(1), m.number(0)).slot


_LEAST_DIVISOR = 1e-300  # its inverse is a double of all digits


class DoubleFacts:
    """Facts that are certain about the doubles of a growing graph: values of constants, and ranges of other slots.

    Facts about real numbers would not do: exp(x) > 0, but its double at -1000 is 0. `elsewhere`: the program is for
    another language, so that ranges of our doubles prove nothing, and only constants decide.
    """

    in_doubles = True

    def __init__(self, graph: Graph, *, elsewhere: bool = False) -> None:
        self.graph = graph
        self.elsewhere = elsewhere
        self._numbers: dict[int, float] = {}
        self._known = 0  # slots that `_numbers` has been extended to
        self._spreads: dict[int, Spread] = {}

    def numbers(self) -> dict[int, float]:
        """Return the doubles of the slots that do not depend on inputs, by slot.

        The returned dict is the cache itself, which each call extends to the slots that are new in the graph.
        """
        for slot in range(self._known, len(self.graph)):
            row, parents = self.graph.rows[slot], self.graph.parents[slot]
            if slot in self.graph.constants:
                self._numbers[slot] = float(self.graph.constants[slot].read(FLOAT))
            elif row is not None and all(parent in self._numbers for parent in parents):
                self._numbers[slot] = float(apply(row, FLOAT, [self._numbers[parent] for parent in parents]))
        self._known = len(self.graph)
        return self._numbers

    def holds(self, m: GuardedTerms, name: str, a: Operand, b: Operand) -> bool | None:
        """Return the truth of the comparison `name` (`lt`, `eq`, …) of `a` and `b`; None if it depends on the point.

        It is known if both are constants or, without `elsewhere`, if the intervals of both decide it. Operands that are
        numbers are added to the graph of `m`.
        """
        left, right = m.number(a).slot, m.number(b).slot
        numbers = self.numbers()
        if left in numbers and right in numbers:
            return bool(getattr(FLOAT, name)(numbers[left], numbers[right]))
        x, y = (SPREAD.undefined, SPREAD.undefined) if self.elsewhere else (self._spread(left), self._spread(right))
        if x.low == x.low and y.low == y.low:
            outcome = getattr(SPREAD, name)(x, y)
            if outcome.low == outcome.high:
                return bool(outcome.low)
        return None

    def sign(self, m: GuardedTerms, x: Operand) -> int | None:
        """Return None: signs of doubles are never known without a point."""
        return None

    def inverts(self, m: GuardedTerms, x: Operand) -> bool:
        """Return whether 1/x keeps all digits, because |x| is certainly large enough."""
        return abs(self._spread(m.number(x).slot)).low >= _LEAST_DIVISOR

    def _spread(self, slot: int) -> Spread:
        """Return an interval of all doubles that a slot may be, if it is not nan; the ends are nan if nothing is known.

        A constant is one number, an input -inf…inf. Intervals of the slot and its ancestors are cached.
        """
        numbers = self.numbers()

        def compute(current: int) -> Spread:
            row = self.graph.rows[current]
            if current in numbers:
                return SPREAD.number(numbers[current])
            if row is None:
                return Spread(-math.inf, math.inf)
            return spread_of(row, [self._spreads[parent] for parent in self.graph.parents[current]])

        return complete(self._spreads, slot, self.graph.parents.__getitem__, compute)


def spread_of(row: Primitive, arguments: Sequence[Spread]) -> Spread:
    """Return the range of a function over the intervals `arguments` of doubles.

    `SPREAD.undefined` (nan ends) if the rule raises ArithmeticError, ValueError or TypeError, or if the row has its own
    code (`own`).
    """
    if row.own is None:
        try:
            return SPREAD.number(apply(row, SPREAD, arguments))
        except (ArithmeticError, ValueError, TypeError):
            pass
    return SPREAD.undefined


def _flag_column(name: str, slot: int | None) -> list[tuple[str, int]]:
    return [] if slot is None else [(name, slot)]


def _name_adjoints(graph: Graph, adjoints: Adjoints, output: str, names: dict[int, str]) -> None:
    """Add to `names` (by slot) the names of those `adjoints` that belong to slots of `graph` with a name: `v1_bar`.

    If there are several outputs, it is `y_v1_bar` for the `output` y. A slot that has a name already keeps it.
    """
    prefix = f"{output}_" if len(graph.outputs) > 1 else ""
    for slot, name in graph.aliases.items():
        if slot in adjoints.bars:
            names.setdefault(adjoints.bars[slot].slot, f"{prefix}{name}_bar")


def _nan_with(m: GuardedTerms, value: int, partials: list[int], output: int) -> list[int]:
    """Return the slots of the partials, made nan where the slot `value` is nan; unchanged if `value` is the `output`
    itself.
    """
    if value == output:
        return partials
    is_defined = m.write("eq", m.term(value), m.term(value))
    return [m.choose(is_defined, m.term(partial), math.nan).slot for partial in partials]


def _mark_undefined(m: GuardedTerms, facts: DoubleFacts, output: int) -> int:
    """Append the output with nan at points where an operation that it evaluates has no value, and return its slot.

    `output` itself if no test is needed. Operations in branches not taken do not count. A condition is not tested if
    the output is nan without a test where it fails, like each result of the logarithm of -1; with `facts.elsewhere` all
    are.
    """
    is_defined: Condition = True
    nan_slots = () if facts.elsewhere else _nan_revealing(facts, output)
    for slot, reached in sorted(_find_reached_slots(m, output).items()):
        for holds in _value_conditions(m, facts, slot, nan_slots):
            is_defined = m.both(is_defined, m.either(_negate(m, reached), holds))
    return output if is_defined is True else m.choose(is_defined, m.term(output), math.nan).slot


def _find_reached_slots(m: GuardedTerms, output: int) -> dict[int, Condition]:
    """Return {slot: the condition under which `output` evaluates it}, for all slots that it may evaluate, itself
    included.

    A condition is True, a term (appended to the graph of `m`) or, for a slot that is certainly not evaluated, False: an
    argument of a choice is evaluated only if the choice takes it; conditions of several uses are joined by "or".
    Constants and inputs are included.
    """
    graph = m.graph
    reached: dict[int, Condition] = {output: True}
    for slot in range(output, -1, -1):
        row, parents = graph.rows[slot], graph.parents[slot]
        if slot not in reached or row is None:
            continue
        for position, parent in enumerate(parents):
            when = m.both(reached[slot], _uses_argument(m, row, m.term(parents[0]), position))
            reached[parent] = m.either(reached.get(parent, False), when)
    return reached


def _uses_argument(m: GuardedTerms, row: Primitive, first: Term, position: int) -> Condition:
    """Return the condition under which an operation uses the argument at `position`.

    True for the first argument, and for all arguments of a row that is not a choice. For the branches of a choice it is
    `first` (the first argument, which chooses) or its negation, appended to the graph of `m`; True for a position that
    both outcomes need, False for one that neither needs.
    """
    if row.route is None or position == 0:
        return True
    if_true, if_false = position in row.route(True), position in row.route(False)
    return if_true if if_true == if_false else first if if_true else _negate(m, first)


def _negate(m: GuardedTerms, condition: Condition) -> Condition:
    return not condition if isinstance(condition, bool) else m.write("not", condition)


def _nan_revealing(facts: DoubleFacts, output: int) -> set[int]:
    """Return the slots that make `output` nan if they are nan, itself included; the graph is that of `facts`.

    A path from a slot to the output is cut by choices, truth values, operations with more than three arguments, and
    those whose result may be a number although the argument is nan, as x^0.
    """
    graph, numbers, nan_slots = facts.graph, facts.numbers(), {output}
    for slot in range(output, -1, -1):
        row, parents = graph.rows[slot], graph.parents[slot]
        if slot in nan_slots and row is not None and row.route is None:
            known = tuple([numbers.get(parent) for parent in parents])
            if len(parents) <= _MOST_TRIED:
                kept_nan = [k for k in range(len(parents)) if k not in row.truth_arguments and not hides(row, known, k)]
                nan_slots.update(parents[k] for k in kept_nan)
    return nan_slots


def _value_conditions(m: GuardedTerms, facts: DoubleFacts, slot: int, nan_slots: Collection[int]) -> list[Condition]:
    """Return the conditions for the operation in `slot` to have a value, written into the graph of `m`.

    One that is certain may be a bool, True or False. Empty for an input or a constant. The conditions, in this order:

    - the checks of the operation's domain; a check with `gives_nan` is left out if `slot` is in `nan_slots`
    - x = x for each argument x that the operation hides (`hides`: the result may be a number although x is nan)

    An argument is not tested if it is an input or a literal, if `facts` know its number, or if it is in `nan_slots`:
    `nan_slots` are slots whose nan makes the output nan without a condition.
    """
    row, parents = m.graph.rows[slot], m.graph.parents[slot]
    if row is None:
        return []
    arguments = [m.term(parent) for parent in parents]
    conditions = [
        m.holds(check.holds, *arguments) for check in row.domain if not (check.gives_nan and slot in nan_slots)
    ]
    known = tuple([facts.numbers().get(parent) for parent in parents])
    for position, argument in enumerate(arguments):
        if (
            m.graph.rows[argument.slot] is not None
            and known[position] is None
            and argument.slot not in nan_slots
            and hides(row, known, position)
        ):
            conditions.append(m.write("eq", argument, argument))
    return conditions


_TRIED = (0.0, 1.0, math.inf)
_MOST_TRIED = 3  # arguments


@lru_cache(maxsize=1024)
def hides(row: Primitive, known: tuple[float | None, ...], position: int) -> bool:
    """Return whether the result of `row` may be a number although the argument at `position` is nan, as in x^0; cached.

    `known` has the arguments that are constants, and None for others, for which 0, 1 and inf are tried in all
    combinations. False for choices, for arguments that are truth values, and for more than three arguments.
    """
    if row.route is not None or position in row.truth_arguments or len(known) > _MOST_TRIED:
        return False
    tried = [(math.nan,) if k == position else _TRIED if x is None else (x,) for k, x in enumerate(known)]
    return any(not math.isnan(apply(row, FLOAT, arguments)) for arguments in product(*tried))


def operations(graph: Graph) -> int:
    """Return the number of operations that the outputs of a graph need."""
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    return sum(needed[slot] for slot in graph.operations())
