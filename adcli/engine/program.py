"""The joint program: one graph whose outputs are all the values and partials, with nothing computed twice."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from ..graph.graph import Graph
from ..graph.order import ancestors, arranged, kinked, shared
from ..graph.rules import apply
from ..numbers.doubles import FLOAT
from ..numbers.spread import SPREAD, Spread
from ..overriding import override
from ..symbolic.derivative import Adjoints
from ..symbolic.guarded import GuardedTerm, GuardedTerms
from ..symbolic.terms import Term
from ..table.primitive import Primitive

if TYPE_CHECKING:
    from ..symbolic.terms import Condition, Operand
    from ..table.arithmetic import LimitRule

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

    The `usual` program leaves out what few points need: limits, and conventions at kinks.  Where there are such points
    its last output is UNUSUAL, a condition; where it holds, its numbers mean nothing.
    """
    copy = shared(graph)
    exceptions: list[Condition] | None = [] if usual else None

    def read(*, differentiated: bool = False) -> AtPoints:
        return AtPoints(copy, exceptions, elsewhere=alone, differentiated=differentiated)

    names = dict(copy.aliases) if alone else {}
    inputs = {name: slot for slot, name in copy.inputs.items()}
    slots = list(inputs.values())
    found: list[tuple[str, int]] = []
    for output, slot in copy.outputs:
        value = _where_defined(read(), slot)
        found.append((output, value))
        swept = _swept(read(differentiated=hessian), slot, slots)
        partials = [swept.of(place).slot for place in slots]
        if alone:
            ahead = f"{output}_" if len(copy.outputs) > 1 else ""
            for place in [place for place in copy.aliases if place in swept.bars]:
                names.setdefault(swept.bars[place].slot, f"{ahead}{copy.aliases[place]}_bar")
            if value != slot:
                m = read()
                there = m.write("eq", m.term(value), m.term(value))
                partials = [m.choose(there, m.term(partial), math.nan).slot for partial in partials]
        found += [(f"d{output}_d{name}", partial) for name, partial in zip(inputs, partials, strict=True)]
        if hessian:
            # an infinite slope by convention is a number like others, whose own slope would be 0
            ruled = _swept(read(differentiated=True), slot, slots, exactly=False)
            for k, name in enumerate(inputs):
                second = _swept(read(), ruled.of(slots[k]).slot, slots[k:], exactly=False)
                found += [
                    (f"d2{output}_d{name}_d{other}", second.of(place).slot)
                    for other, place in zip(list(inputs)[k:], slots[k:], strict=True)
                ]
    met = _kinks(read(), [slot for _, slot in copy.outputs]) if kinks else None
    if met is not None:
        found.append((KINKS, met))
    flag = _any(read(), exceptions or [])
    if flag is not None:
        found.append((UNUSUAL, flag))
    copy.outputs = found
    copy.aliases = names
    return arranged(copy, "call", extra=inputs)


def _swept(m: AtPoints, slot: int, wrt: list[int], *, exactly: bool = True) -> Adjoints:
    """The adjoints of a slot; `exactly` as in `Adjoints`."""
    sweep = Adjoints if m.exceptions is None else _WithoutConventions
    return sweep(m, slot, wrt, exactly=exactly)


class _WithoutConventions(Adjoints):
    """The adjoints where no kink is met."""

    def _with_convention(self, row: Primitive, position: int, partial: Term, arguments: Sequence[Term]) -> Term:
        return partial


def _kinks(m: AtPoints, outputs: list[int]) -> int | None:
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


def _any(m: AtPoints, conditions: Iterable[Condition]) -> int | None:
    """Where one of them holds; None for nowhere."""
    met: Condition = False
    for condition in conditions:
        met = m.either(met, condition)
    return m.number(met).slot if met is not False else None


class AtPoints(GuardedTerms):
    """The arithmetic of operations that leaves every question to the point, unless numbers alone decide it.

    What is known of signs holds for numbers, not for their roundings: exp(x) > 0, and 0 in doubles at -1000.  Where
    there are `exceptions`, limits are left out and become some.  `elsewhere`: nothing is known of who will read it;
    `differentiated`: what is written will be.
    """

    learns = False
    in_doubles = True

    def __init__(
        self,
        graph: Graph,
        exceptions: list[Condition] | None = None,
        *,
        elsewhere: bool = False,
        differentiated: bool = False,
    ) -> None:
        super().__init__(graph)
        self.differentiated = differentiated
        self.numbers: dict[int, float] = {}
        self.exceptions = exceptions
        self.elsewhere = elsewhere
        self._spreads: dict[int, Spread] = {}
        for slot in range(len(graph)):
            self._learn(slot)

    def _learn(self, slot: int) -> None:
        """Takes note of the number that a slot is, if it needs no input."""
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        if slot in self.graph.constants:
            self.numbers[slot] = float(self.graph.constants[slot].read(FLOAT))
        elif row is not None and all(parent in self.numbers for parent in parents):
            self.numbers[slot] = float(apply(row, FLOAT, [self.numbers[parent] for parent in parents]))

    @override
    def term(self, slot: int) -> GuardedTerm:
        if slot == len(self.graph) - 1:  # perhaps a new one
            self._learn(slot)
        return super().term(slot)

    @override
    def compare(self, name: str, a: Operand, b: Operand) -> Condition:
        left, right = self.number(a).slot, self.number(b).slot
        if left in self.numbers and right in self.numbers:
            return bool(getattr(FLOAT, name)(self.numbers[left], self.numbers[right]))
        x, y = (SPREAD.undefined, SPREAD.undefined) if self.elsewhere else (self._spread(left), self._spread(right))
        if x.low == x.low and y.low == y.low:
            held = getattr(SPREAD, name)(x, y)
            if held.low == held.high:
                return bool(held.low)
        return self.write(name, a, b)

    def _spread(self, slot: int) -> Spread:
        """All that the double of a slot may be, if it is not nan, however it was rounded; nan if that is not known."""
        waiting = [slot] if slot not in self._spreads else []
        while waiting:
            current = waiting[-1]
            row, parents = self.graph.rows[current], self.graph.parents[current]
            missing = [parent for parent in parents if parent not in self._spreads]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if current in self.numbers:
                self._spreads[current] = SPREAD.number(self.numbers[current])
            elif row is None:
                self._spreads[current] = Spread(-math.inf, math.inf)
            else:
                self._spreads[current] = spread_of(row, [self._spreads[parent] for parent in parents])
        return self._spreads[slot]

    @override
    def guard(self, limit: LimitRule, rule: Operand, *arguments: Operand) -> Term:
        """The rule and its limit; without the limit, where it is an exception.

        A rule that is a number keeps it, or what it is multiplied with would be left out too.
        """
        if self.exceptions is None or limit.often or self.literal(rule):
            return super().guard(limit, rule, *arguments)
        where = self.holds(limit.where, *arguments)
        if where is True:
            return super().guard(limit, rule, *arguments)
        self.exceptions.append(where)
        return self.number(rule)

    @override
    def partials(self, row: Primitive, z: Term, arguments: Sequence[Term], wanted: Sequence[bool]) -> list[Operand]:
        """By the rules of the row; in usual programs by its shortcuts, and where one is not right is an exception."""
        if self.exceptions is None or self.differentiated or not row.shortcuts:
            return super().partials(row, z, arguments, wanted)
        short = {
            position: shortcut
            for position, (wish, shortcut) in enumerate(zip(wanted, row.shortcuts, strict=True))
            if wish and shortcut is not None and self.holds(shortcut.idle, *arguments) is not True
        }
        ruled = tuple([wish and position not in short for position, wish in enumerate(wanted)])
        found = super().partials(row, z, arguments, ruled)
        for position, shortcut in short.items():
            self.exceptions.append(self.holds(shortcut.unless, z, *arguments))
            found[position] = self.asked(shortcut.rule, z, *arguments)
        return found

    @override
    def sign(self, x: Operand) -> Term:
        return self.write("sign", x)

    @override
    def write(self, name: str, *arguments: Operand) -> Term:
        """As it stands; but in usual programs quotients by what is never small share one division, to an ulp."""
        if name == "div" and self.exceptions is not None and not self.equals(arguments[0], 1):
            size = abs(self._spread(self.number(arguments[1]).slot))
            if size.low >= _LEAST_DIVISOR:
                return super().write("mul", arguments[0], super().write("div", 1, arguments[1]))
        return super().write(name, *arguments)


_LEAST_DIVISOR = 1e-300  # its inverse is a double of all digits


def spread_of(row: Primitive, arguments: Sequence[Spread]) -> Spread:
    """What a function may come to; what its rule asks of infinite ends may have no answer."""
    if row.own is None:
        try:
            return SPREAD.number(apply(row, SPREAD, arguments))
        except (ArithmeticError, ValueError, TypeError):
            pass
    return SPREAD.undefined


def _where_defined(m: AtPoints, output: int) -> int:
    """The output where all that it evaluates has a value, and nan elsewhere.

    Nothing is asked where the output is nan of itself: a logarithm of -1 is, and what is made of it.
    """
    met: Condition = True
    telling = () if m.elsewhere else _telling(m, output)
    for slot, reached in sorted(_reached(m, output).items()):
        for holds in _conditions(m, slot, telling):
            met = m.both(met, m.either(_negated(m, reached), holds))
    return output if met is True else m.choose(met, m.term(output), math.nan).slot


def _reached(m: AtPoints, output: int) -> dict[int, Condition]:
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


def _asked(m: AtPoints, row: Primitive, first: Term, position: int) -> Condition:
    """Whether an operation looks at the argument at this position, by its first one."""
    if row.route is None or position == 0:
        return True
    if_true, if_false = position in row.route(True), position in row.route(False)
    if if_true == if_false:
        return if_true
    return first if if_true else _negated(m, first)


def _negated(m: AtPoints, condition: Condition) -> Condition:
    return not condition if isinstance(condition, bool) else m.write("not", condition)


def _telling(m: AtPoints, output: int) -> set[int]:
    """The slots that make the output nan where they are."""
    graph, telling = m.graph, {output}
    for slot in range(output, -1, -1):
        row, parents = graph.rows[slot], graph.parents[slot]
        if slot in telling and row is not None and row.route is None:
            known = tuple([m.numbers.get(parent) for parent in parents])
            if len(parents) <= _MOST_TRIED:
                shown = [k for k in range(len(parents)) if k not in row.truth_arguments and not hides(row, known, k)]
                telling.update(parents[k] for k in shown)
    return telling


def _conditions(m: AtPoints, slot: int, telling: Collection[int]) -> list[Condition]:
    """What an operation asks of its arguments: its domain, and that no argument which it would hide is unknown."""
    row, parents = m.graph.rows[slot], m.graph.parents[slot]
    if row is None:
        return []
    arguments = [m.term(parent) for parent in parents]
    found = [m.holds(check.holds, *arguments) for check in row.domain if not (check.told and slot in telling)]
    known = tuple([m.numbers.get(parent) for parent in parents])
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
