"""A graph as one list of operations on doubles: values, and adjoints swept back, without a decision left to make.

The rules of the table are asked once, with registers for numbers, for what they come to; what is the same is done once.
The numbers are those of the sweeps of `tape` to the last bit: the same operations in the same order.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, Final, NoReturn

from ..numbers.doubles import RAISING, Float
from ..overriding import override
from ..records import NamedTuple
from ..table.arithmetic import Predicate
from ..table.primitive import ROWS, Limit, Primitive
from .graph import Graph
from .order import dependents

_NOTHING: Final = -1
_ONE_ARGUMENT: Final = -1
_SEVERAL: Final = -2
_WANTED: Final = 2  # uses of a register that is asked for: more than one
LARGEST: Final = 100_000  # operations of a list
# What functions of Python ask of their last argument beside 0: they raise where it is not so.
_REFUSING: Final[Mapping[Callable[..., Any], Callable[..., Any]]] = {
    operator.truediv: operator.ne, math.log: operator.gt, math.sqrt: operator.ge,
}  # fmt: skip

# A function with the registers of its two arguments; after the one register of one argument, or a tuple of several,
# there is a mark.  Last comes the register to which a product is added, or a mark.
_Function = Callable[..., Any]  # of doubles; conditions give truth values
Operation = tuple[_Function, Any, int, int]


class Straight(NamedTuple):
    """A list of operations, ready for any number of points.

    `start` has the numbers that stand after the inputs in the first registers; `places` is the register of every slot
    of the graph (of a product that only a sum needs, that of the sum), `rows` for each output that was asked for those
    of its derivatives by the inputs, and `conditions` those of what must hold.
    """

    start: list[float]
    operations: list[Operation]
    places: list[int]
    rows: list[list[int]]
    conditions: list[int]

    def run(self, point: Iterable[float]) -> list[float] | None:
        """The numbers in all registers; None where one is no number, an operation has no value, a condition fails."""
        registers = [*point, *self.start]
        append = registers.append
        product, total, quotient = operator.mul, operator.add, operator.truediv
        try:
            for function, i, j, k in self.operations:
                if function is product:  # most are, and these four need no call
                    if k < 0:
                        append(registers[i] * registers[j])
                    else:
                        append(registers[k] + registers[i] * registers[j])
                elif j < 0:
                    if j == _ONE_ARGUMENT:
                        append(function(registers[i]))
                    else:
                        append(function(*[registers[place] for place in i]))
                elif function is total:
                    append(registers[i] + registers[j])
                elif function is quotient:
                    append(registers[i] / registers[j])
                else:
                    append(function(registers[i], registers[j]))
            if isfinite(sum(registers)) and all(map(registers.__getitem__, self.conditions)):
                return registers
        except (ZeroDivisionError, ValueError, OverflowError):
            pass
        return None


def straight(
    graph: Graph,
    outputs: Sequence[int],
    checks: Iterable[tuple[Predicate, Sequence[int]]] = (),
    values: Sequence[float | None] = (),
) -> Straight | None:
    """The list for all values, and for the derivatives of these outputs by every input; None where it would be long.

    The graph has its inputs first.  `checks` are conditions on slots without which the numbers are no answer.  Where
    the graph has conditions itself, `values` are those of its slots at a point (None for what only branches not taken
    need), and the list is for points at which the same hold.
    """
    made = _Making(graph, values)
    try:
        for slot in range(len(graph)):
            made.value(slot)
        conditions = made.held + [made.rule(holds, *[made.places[slot] for slot in slots]) for holds, slots in checks]
        rows = [made.swept(output) for output in outputs]
    except (_TooLong, ArithmeticError):  # or a rule has no number for these constants, as a trace will say
        return None
    asked = dict.fromkeys([made.register(x).place for x in conditions if x is not True])
    refused = made.refused()
    return made.list(rows, [place for place in asked if place not in refused])


class _TooLong(Exception):
    """There are more operations than one would want in a list."""


class _Register:
    """Stands for a number that is known when the list is run; nothing can be asked of it before."""

    __slots__ = ("made", "place")

    def __init__(self, made: _Making, place: int) -> None:
        self.made = made
        self.place = place

    def __add__(self, other: object) -> object:
        return self.made.operation(operator.add, self, other)

    def __radd__(self, other: object) -> object:
        return self.made.operation(operator.add, other, self)

    def __sub__(self, other: object) -> object:
        if other is self and self.place in self.made.valued:  # values are finite, or a list has no answer
            return 0.0
        return self.made.operation(operator.sub, self, other)

    def __rsub__(self, other: object) -> object:
        return self.made.operation(operator.sub, other, self)

    def __mul__(self, other: object) -> object:
        return self.made.operation(operator.mul, self, other)

    def __rmul__(self, other: object) -> object:
        return self.made.operation(operator.mul, other, self)

    def __truediv__(self, other: object) -> object:
        return self.made.operation(operator.truediv, self, other)

    def __rtruediv__(self, other: object) -> object:
        return self.made.operation(operator.truediv, other, self)

    def __neg__(self) -> object:
        return self.made.operation(operator.neg, self)

    def __lt__(self, other: object) -> object:
        return self.made.operation(operator.lt, self, other)

    def __le__(self, other: object) -> object:
        return self.made.operation(operator.le, self, other)

    def __gt__(self, other: object) -> object:
        return self.made.operation(operator.gt, self, other)

    def __ge__(self, other: object) -> object:
        return self.made.operation(operator.ge, self, other)

    @override
    def __eq__(self, other: object) -> object:  # type: ignore[override]  # it is known later
        return self.made.operation(operator.eq, self, other)

    @override
    def __ne__(self, other: object) -> object:  # type: ignore[override]
        return self.made.operation(operator.ne, self, other)

    def __and__(self, other: object) -> object:
        return self if other is True else other if other is False else self.made.operation(operator.and_, self, other)

    def __or__(self, other: object) -> object:
        return self if other is False else other if other is True else self.made.operation(operator.or_, self, other)

    __rand__, __ror__ = __and__, __or__
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> NoReturn:
        raise TypeError("this is known at a point alone")


class _Noting:
    """Stands for the arithmetic of doubles, and writes down what is asked of it."""

    __slots__ = ("made",)

    lt, le, gt, ge = map(staticmethod, (operator.lt, operator.le, operator.gt, operator.ge))
    eq, ne = staticmethod(operator.eq), staticmethod(operator.ne)

    def __init__(self, made: _Making) -> None:
        self.made = made

    def choose(self, condition: object, a: object, b: object) -> object:
        """One of the two, where it is known which."""
        known = isinstance(condition, (int, float))
        return (a if condition else b) if known else self.made.operation(RAISING.choose, condition, a, b)

    def guard(self, limit: Limit, rule: _Register, *_: object) -> _Register:
        """The rule itself, which has no number where its limit is meant: there a list has no answer."""
        if limit.lossy:
            raise TypeError("the rule may have a wrong number")
        return rule

    def pow(self, a: object, b: object) -> object:
        """A power; the first one of a number is the number."""
        return a if isinstance(b, (int, float)) and b == 1 else self.made.operation(RAISING.pow, a, b)

    def finite(self, _: _Register) -> bool:
        """True: where a register is infinite a list has no answer."""
        return True

    def __getattr__(self, name: str) -> object:
        row = None if hasattr(Float, name) else ROWS.get(name)
        if row is not None and row.own is None:
            value: _Function = row.value
            return partial(value, self)
        found = getattr(RAISING, name)
        return partial(self.made.operation, found) if callable(found) else found


class _Making:
    """A list that is being made."""

    def __init__(self, graph: Graph, values: Sequence[float | None]) -> None:
        self.graph = graph
        self.at = values
        self.held: list[object] = []  # the conditions of the graph, as they are at these values
        self.asked = _Noting(self)
        self.active = dependents(graph)
        self.numbers: list[float] = []  # their registers are negative until all are known
        self.known: dict[object, _Register] = {}
        self.done: list[tuple[_Function, tuple[int, ...]]] = []
        self.places: list[_Register] = []
        self.valued: set[int] = set()  # the registers of the values so far

    def operation(self, function: _Function, *arguments: object) -> object:
        """The register of the result of an operation, done once; what is known of numbers alone is done here."""
        places = tuple([self.register(x).place for x in arguments])
        if max(places) < 0:
            try:
                done = function(*[self.numbers[-1 - place] for place in places])
                if isinstance(done, bool) or isfinite(done):
                    return done
            except (ZeroDivisionError, ValueError, OverflowError):  # which the list will meet
                pass
        key = (function, places)
        found = self.known.get(key)
        if found is None:
            if len(self.done) >= LARGEST:
                raise _TooLong
            self.done.append(key)
            found = self.known[key] = _Register(self, len(self.graph.inputs) + len(self.done) - 1)
        return found

    def register(self, x: object) -> _Register:
        """The register of a number, if it is none."""
        if isinstance(x, _Register):
            return x
        number = float(x)  # type: ignore[arg-type]  # TypeError for what is none
        key = repr(number)  # which tells zeros by their sign
        if key not in self.known:
            self.numbers.append(number)
            self.known[key] = _Register(self, -len(self.numbers))
        return self.known[key]

    def rule(self, rule: Callable[..., object], *arguments: object) -> object:
        """What a rule comes to: a register, or a number; the rule itself where it cannot be taken apart."""
        try:
            return rule(self.asked, *arguments)
        except TypeError:
            return self.operation(partial(rule, RAISING), *arguments)

    def value(self, slot: int) -> None:
        """Takes up the value of a slot."""
        self._value(slot)
        self.valued.add(self.places[slot].place)

    def _value(self, slot: int) -> None:
        graph = self.graph
        row = graph.rows[slot]
        if slot in graph.inputs:
            self.places.append(_Register(self, slot))
        elif row is None:
            self.places.append(self.register(graph.constants[slot].read(RAISING)))
        elif self.at and self.at[slot] is None:
            self.places.append(self.register(0.0))  # which nobody asks for
        elif row.truth and self.at:
            if not row.truth_arguments:  # others follow from these
                found = self.rule(row.value, *self._arguments(slot))
                self.held.append(found if self.at[slot] else self.operation(operator.not_, found))
            self.places.append(self.register(self.at[slot]))
        else:
            self.places.append(self.register(self.rule(row.value, *self._arguments(slot))))

    def _taken(self, slot: int) -> Container[int]:
        """The positions of the arguments that a slot looks at."""
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        return range(len(parents)) if row is None or row.route is None else (0, *row.route(self.at[parents[0]]))

    def _arguments(self, slot: int) -> list[object]:
        """The arguments of a slot; conditions are known, and of a branch not taken there is nothing."""
        found: list[object] = []
        taken = self._taken(slot)
        for position, parent in enumerate(self.graph.parents[slot]):
            row = self.graph.rows[parent]
            known = row is not None and row.truth
            found.append(None if position not in taken else self.at[parent] if known else self.places[parent])
        return found

    def swept(self, output: int) -> list[int]:
        """The registers of the derivatives of a slot by the inputs."""
        graph = self.graph
        bars: dict[int, object] = {output: 1.0}
        for slot in range(output, -1, -1):
            row, bar = graph.rows[slot], bars.get(slot)
            if bar is not None and row is not None:
                for parent, slope in zip(graph.parents[slot], self._slopes(row, slot), strict=True):
                    if slope is not None:
                        share = _product(bar, slope)
                        before = bars.get(parent)
                        bars[parent] = share if before is None else before + share  # type: ignore[operator]
        return [self.register(bars.get(slot, 0.0)).place for slot in graph.inputs]

    def _slopes(self, row: Primitive, slot: int) -> list[object]:
        """The partials of a slot; None where nothing is asked."""
        parents = self.graph.parents[slot]
        rules: Any = row.partials  # which are asked with registers for numbers
        arguments, taken = self._arguments(slot), self._taken(slot)
        z = self.places[slot]
        if isinstance(rules, tuple):
            return [
                None
                if rule is None or not self.active[parent] or position not in taken
                else self.rule(rule, z, *arguments)
                for position, (rule, parent) in enumerate(zip(rules, parents, strict=True))
            ]
        try:
            found: Sequence[object] = rules(self.asked, z, *arguments)
        except TypeError:
            found = [self.operation(partial(_one_of, rules, k), z, *arguments) for k in range(len(parents))]
        return [x if self.active[parent] else None for x, parent in zip(found, parents, strict=True)]

    def refused(self) -> set[int]:
        """The conditions that need not be asked: where one fails, a value has no number, as Python itself says."""
        first = len(self.graph.inputs)
        done = [self.done[place - first] for place in self.valued if place >= first]
        told = {(_REFUSING[function], places[-1]) for function, places in done if function in _REFUSING}
        return {
            place
            for place, (relation, places) in enumerate(self.done, first)
            if (relation, places[0]) in told and places[1] < 0 and self.numbers[-1 - places[1]] == 0
        }

    def list(self, rows: list[list[int]], conditions: list[int]) -> Straight:
        """The list of what is needed, with the numbers between the inputs and the operations."""
        first, count = len(self.graph.inputs), len(self.numbers)
        values = [x.place for x in self.places]
        uses = [0] * (first + len(self.done))
        for register in (*[values[slot] for _, slot in self.graph.outputs], *conditions, *itertools.chain(*rows)):
            if register >= 0:
                uses[register] += _WANTED
        kept = {register for register in values if register >= first}  # each has to be a finite number
        added: dict[int, tuple[int, int]] = {}  # for a register that adds a product the registers that it adds
        within: dict[int, int] = {}
        for register in range(len(uses) - 1, first - 1, -1):
            if uses[register] or register in kept:
                for argument in self.done[register - first][1]:
                    if argument >= 0:
                        uses[argument] += 1
        for register, (function, arguments) in enumerate(self.done, first):
            if function is operator.add and (uses[register] or register in kept):
                for other, part in (arguments, arguments[::-1]):
                    if part >= first and uses[part] == 1 and self.done[part - first][0] is operator.mul:
                        added[register] = other, part
                        within[part] = register  # which is finite only where the product is
                        break
        place = {-1 - k: first + k for k in range(count)} | {register: register for register in range(first)}
        operations: list[Operation] = []
        for register, (function, arguments) in enumerate(self.done, first):
            if register in within or not (uses[register] or register in kept):
                continue
            last = _NOTHING
            if register in added:
                last = place[added[register][0]]
                function, arguments = self.done[added[register][1] - first]
            few = [place[argument] for argument in arguments]
            if len(few) == 2:
                operations.append((function, few[0], few[1], last))
            else:
                one = len(few) == 1
                operations.append((function, few[0] if one else few, _ONE_ARGUMENT if one else _SEVERAL, last))
            place[register] = first + count + len(operations) - 1
        of_rows = [[place[k] for k in row] for row in rows]
        of_values = [place[within.get(k, k)] for k in values]
        return Straight(self.numbers, operations, of_values, of_rows, [place[k] for k in conditions])


def _product(bar: object, slope: object) -> object:
    """A product in which nothing is done for a factor of 1."""
    if isinstance(slope, (int, float)):
        return bar if slope == 1 else -bar if slope == -1 else bar * slope  # type: ignore[operator]
    return slope if isinstance(bar, float) and bar == 1 else bar * slope  # type: ignore[operator]


def _one_of(rules: Callable[..., Sequence[float]], k: int, *arguments: float) -> float:
    """One of the partials of a row for any number of arguments."""
    return rules(RAISING, *arguments)[k]
