"""The joint program: one graph whose outputs are all the values and partials, with nothing computed twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from ..graph.graph import Graph
from ..graph.order import ancestors, arranged, kinked, shared
from ..graph.rules import apply
from ..numbers.double_intervals import SPREAD, Spread
from ..numbers.doubles import FLOAT
from ..symbolic.derivative import Adjoints
from ..symbolic.guarded import GuardedTerms
from ..symbolic.terms import Term
from ..table.primitive import Primitive

if TYPE_CHECKING:
    from ..symbolic.terms import Condition, Operand

KINKS = "kinks"
UNUSUAL = "unusual"


def joint(
    graph: Graph, *, hessian: bool = False, kinks: bool = False, alone: bool = False, usual: bool = False
) -> Graph:
    """The graph that computes for each output its value `y`, its partials `dy_dx1`, … and second ones `d2y_dx1_dx2`, ….

    The value is nan wherever a condition of a domain is not met by what that output evaluates; its partials there mean
    nothing, unless the program is to be read `alone`: then they are nan too, and what has a name in the graph keeps it,
    its adjoint being called `v1_bar`.  With `kinks`, and where one can be met, the last output is KINKS: 1 at the
    points that meet one exactly, else 0.

    The `usual` program leaves out what few points need: limits, and conventions at kinks of values.  Where there are
    such points its last output is UNUSUAL, a condition; where it holds, its numbers mean nothing.
    """
    copy = shared(graph)
    facts = DoubleFacts(copy, elsewhere=alone)
    exceptions: list[Condition] | None = [] if usual else None

    def read(*, differentiated: bool = False) -> GuardedTerms:
        return GuardedTerms(copy, facts=facts, exceptions=exceptions, differentiated=differentiated)

    names = dict(copy.aliases) if alone else {}
    inputs = {name: slot for slot, name in copy.inputs.items()}
    slots = list(inputs.values())
    columns: list[tuple[str, int]] = []
    for output, slot in copy.outputs:
        value = _where_defined(read(), facts, slot)
        # of second partials the kinks of slopes count too, which no flag tells of
        conventions = hessian or not (usual and kinks)
        swept = Adjoints(read(differentiated=hessian), slot, slots, exactly=True, conventions=conventions)
        partials = [swept.of(place).slot for place in slots]
        if alone:
            ahead = f"{output}_" if len(copy.outputs) > 1 else ""
            for place in [place for place in copy.aliases if place in swept.bars]:
                names.setdefault(swept.bars[place].slot, f"{ahead}{copy.aliases[place]}_bar")
            if value != slot:
                m = read()
                there = m.write("eq", m.term(value), m.term(value))
                partials = [m.choose(there, m.term(partial), math.nan).slot for partial in partials]
        columns.append((output, value))
        columns += [(f"d{output}_d{name}", partial) for name, partial in zip(inputs, partials, strict=True)]
        if hessian:
            columns += _second_partials(read, output, slot, inputs)
    met = _kinks(read(), [slot for _, slot in copy.outputs]) if kinks else None
    if met is not None:
        columns.append((KINKS, met))
    flag = _any(read(), exceptions or [])
    if flag is not None:
        columns.append((UNUSUAL, flag))
    copy.outputs = columns
    copy.aliases = names
    return arranged(copy, "call", extra=inputs)


def _second_partials(
    read: Callable[..., GuardedTerms], output: str, slot: int, inputs: Mapping[str, int]
) -> list[tuple[str, int]]:
    """Return name and slot of the second partials of an output, each pair of inputs once.

    An infinite slope by convention would be a number like others, whose own slope is 0: it is left to the rules.
    """
    names, slots = list(inputs), list(inputs.values())
    first = Adjoints(read(differentiated=True), slot, slots)
    columns = []
    for k, name in enumerate(names):
        second = Adjoints(read(), first.of(slots[k]).slot, slots[k:])
        columns += [(f"d2{output}_d{name}_d{other}", second.of(inputs[other]).slot) for other in names[k:]]
    return columns


def _kinks(m: GuardedTerms, outputs: list[int]) -> int | None:
    """Whether a kink is met by what these outputs evaluate, or that of a number; None where none can be.

    Where there are `exceptions`, it becomes one.
    """
    met: Condition = False
    slots = kinked(m.graph)
    for output in outputs if slots else []:
        reached = _reached(m, output)
        for slot, kinks, parents in slots:
            if slot in reached:
                arguments = [m.term(parent) for parent in parents]
                for kink in kinks:
                    met = m.either(met, m.both(reached[slot], _negated(m, m.holds(kink.holds, *arguments))))
    if m.exceptions is not None:
        m.exceptions.append(met)
        return None
    return None if isinstance(met, bool) else m.choose(met, m.number(1), m.number(0)).slot


def _any(m: GuardedTerms, conditions: Iterable[Condition]) -> int | None:
    """Where one of them holds; None for nowhere."""
    met: Condition = False
    for condition in conditions:
        met = m.either(met, condition)
    return m.number(met).slot if met is not False else None


_LEAST_DIVISOR = 1e-300  # its inverse is a double of all digits


class DoubleFacts:
    """What is certain of the doubles of a graph that grows: of numbers, and else by ranges of doubles.

    What is known of signs holds for numbers, not for their roundings: exp(x) > 0, and 0 in doubles at -1000.
    `elsewhere`: nothing is known of who will read the program, and only numbers decide.
    """

    in_doubles = True

    def __init__(self, graph: Graph, *, elsewhere: bool = False) -> None:
        self.graph = graph
        self.elsewhere = elsewhere
        self._numbers: dict[int, float] = {}
        self._known = 0  # slots that `_numbers` has been extended to
        self._spreads: dict[int, Spread] = {}

    def numbers(self) -> dict[int, float]:
        """Return the doubles of the slots that need no input."""
        for slot in range(self._known, len(self.graph)):
            row, parents = self.graph.rows[slot], self.graph.parents[slot]
            if slot in self.graph.constants:
                self._numbers[slot] = float(self.graph.constants[slot].read(FLOAT))
            elif row is not None and all(parent in self._numbers for parent in parents):
                self._numbers[slot] = float(apply(row, FLOAT, [self._numbers[parent] for parent in parents]))
        self._known = len(self.graph)
        return self._numbers

    def holds(self, m: GuardedTerms, name: str, a: Operand, b: Operand) -> bool | None:
        left, right = m.number(a).slot, m.number(b).slot
        numbers = self.numbers()
        if left in numbers and right in numbers:
            return bool(getattr(FLOAT, name)(numbers[left], numbers[right]))
        x, y = (SPREAD.undefined, SPREAD.undefined) if self.elsewhere else (self._spread(left), self._spread(right))
        if x.low == x.low and y.low == y.low:
            held = getattr(SPREAD, name)(x, y)
            if held.low == held.high:
                return bool(held.low)
        return None

    def sign(self, m: GuardedTerms, x: Operand) -> int | None:
        return None

    def inverts(self, m: GuardedTerms, x: Operand) -> bool:
        return abs(self._spread(m.number(x).slot)).low >= _LEAST_DIVISOR

    def _spread(self, slot: int) -> Spread:
        """Return all that the double of a slot may be, if it is not nan, however it was rounded; nan if not known."""
        numbers = self.numbers()
        pending = [slot] if slot not in self._spreads else []
        while pending:
            current = pending[-1]
            row, parents = self.graph.rows[current], self.graph.parents[current]
            missing = [parent for parent in parents if parent not in self._spreads]
            if missing:
                pending += missing
                continue
            pending.pop()
            if current in numbers:
                self._spreads[current] = SPREAD.number(numbers[current])
            elif row is None:
                self._spreads[current] = Spread(-math.inf, math.inf)
            else:
                self._spreads[current] = spread_of(row, [self._spreads[parent] for parent in parents])
        return self._spreads[slot]


def spread_of(row: Primitive, arguments: Sequence[Spread]) -> Spread:
    """What a function may come to; what its rule asks of infinite ends may have no answer."""
    if row.own is None:
        try:
            return SPREAD.number(apply(row, SPREAD, arguments))
        except (ArithmeticError, ValueError, TypeError):
            pass
    return SPREAD.undefined


def _where_defined(m: GuardedTerms, facts: DoubleFacts, output: int) -> int:
    """The output where all that it evaluates has a value, and nan elsewhere.

    Nothing is asked where the output is nan of itself: a logarithm of -1 is, and what is made of it.
    """
    met: Condition = True
    telling = () if facts.elsewhere else _telling(facts, output)
    for slot, reached in sorted(_reached(m, output).items()):
        for holds in _conditions(m, facts, slot, telling):
            met = m.both(met, m.either(_negated(m, reached), holds))
    return output if met is True else m.choose(met, m.term(output), math.nan).slot


def _reached(m: GuardedTerms, output: int) -> dict[int, Condition]:
    """The slots that an output may evaluate, each with the condition under which it does."""
    graph = m.graph
    reached: dict[int, Condition] = {output: True}
    for slot in range(output, -1, -1):
        row, parents = graph.rows[slot], graph.parents[slot]
        if slot not in reached or row is None:
            continue
        for position, parent in enumerate(parents):
            when = m.both(reached[slot], _asked(m, row, m.term(parents[0]), position))
            reached[parent] = m.either(reached.get(parent, False), when)
    return reached


def _asked(m: GuardedTerms, row: Primitive, first: Term, position: int) -> Condition:
    """Whether an operation looks at the argument at this position, by its first one."""
    if row.route is None or position == 0:
        return True
    if_true, if_false = position in row.route(True), position in row.route(False)
    if if_true == if_false:
        return if_true
    return first if if_true else _negated(m, first)


def _negated(m: GuardedTerms, condition: Condition) -> Condition:
    return not condition if isinstance(condition, bool) else m.write("not", condition)


def _telling(facts: DoubleFacts, output: int) -> set[int]:
    """The slots that make the output nan where they are."""
    graph, numbers, telling = facts.graph, facts.numbers(), {output}
    for slot in range(output, -1, -1):
        row, parents = graph.rows[slot], graph.parents[slot]
        if slot in telling and row is not None and row.route is None:
            known = tuple([numbers.get(parent) for parent in parents])
            if len(parents) <= _MOST_TRIED:
                shown = [k for k in range(len(parents)) if k not in row.truth_arguments and not hides(row, known, k)]
                telling.update(parents[k] for k in shown)
    return telling


def _conditions(m: GuardedTerms, facts: DoubleFacts, slot: int, telling: Collection[int]) -> list[Condition]:
    """What an operation asks of its arguments: its domain, and that no argument which it would hide is unknown."""
    row, parents = m.graph.rows[slot], m.graph.parents[slot]
    if row is None:
        return []
    arguments = [m.term(parent) for parent in parents]
    found = [m.holds(check.holds, *arguments) for check in row.domain if not (check.told and slot in telling)]
    known = tuple([facts.numbers().get(parent) for parent in parents])
    for position, argument in enumerate(arguments):
        if (
            m.graph.rows[argument.slot] is not None
            and known[position] is None
            and argument.slot not in telling
            and hides(row, known, position)
        ):
            found.append(m.write("eq", argument, argument))
    return found


_TRIED = (0.0, 1.0, -2.5, math.inf)
_MOST_TRIED = 3  # arguments


@lru_cache(maxsize=1024)
def hides(row: Primitive, known: tuple[float | None, ...], position: int) -> bool:
    """Whether an unknown argument at this position may leave the result known: a comparison, a power of exponent 0.

    `known` are the arguments that are numbers.
    """
    if row.route is not None or position in row.truth_arguments or len(known) > _MOST_TRIED:
        return False
    tried = [(math.nan,) if k == position else _TRIED if x is None else (x,) for k, x in enumerate(known)]
    return any(not math.isnan(apply(row, FLOAT, arguments)) for arguments in product(*tried))


def operations(graph: Graph) -> int:
    """How many operations the outputs of a graph need."""
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    return sum(needed[slot] for slot in graph.operations())
