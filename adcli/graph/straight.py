"""A graph as one list of operations on doubles: values, and adjoints swept back, without a decision left to make.

The rules of the table are asked once, with registers for numbers, for what they come to; what is the same is done once.
The numbers are those of the sweeps of `tape` to the last bit: the same operations in the same order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import isfinite
from typing import Any, Final, NoReturn

from ..numbers.doubles import RAISING, Float
from ..records import NamedTuple
from ..table.arithmetic import Predicate
from ..table.primitive import ROWS, Limit, Primitive
from .graph import Graph
from .order import dependents

_ONE_ARGUMENT: Final = -1
_SEVERAL: Final = -2
_LARGEST: Final = 100_000  # operations of a list

# A function with the registers of its two arguments; after the one register of one argument, or a tuple of several,
# there is a mark.
_Function = Callable[..., Any]  # of doubles; conditions give truth values
Operation = tuple[_Function, Any, int]


class Straight(NamedTuple):
    """A list of operations, ready for any number of points.

    `start` has the numbers that stand after the inputs in the first registers; `places` is the register of every slot
    of the graph, `rows` for each output that was asked for those of its derivatives by the inputs, and `conditions`
    those of what must hold.
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
        try:
            for function, i, j in self.operations:
                if j >= 0:
                    append(function(registers[i], registers[j]))
                elif j == _ONE_ARGUMENT:
                    append(function(registers[i]))
                else:
                    append(function(*[registers[k] for k in i]))
            if isfinite(sum(registers)) and all(map(registers.__getitem__, self.conditions)):
                return registers
        except (ZeroDivisionError, ValueError, OverflowError):
            pass
        return None


def straight(
    graph: Graph, outputs: Sequence[int], checks: Iterable[tuple[Predicate, Sequence[int]]] = ()
) -> Straight | None:
    """The list for all values, and for the derivatives of these outputs by every input; None where it would be long.

    The graph has its inputs first, and no row that looks at its arguments one after another.  `checks` are conditions
    on slots without which the numbers are no answer.
    """
    made = _Making(graph)
    try:
        for slot in range(len(graph)):
            made.value(slot)
        conditions = [made.rule(holds, *[made.places[slot] for slot in slots]) for holds, slots in checks]
        rows = [made.swept(output) for output in outputs]
    except (_TooLong, ArithmeticError):  # or a rule has no number for these constants, as a trace will say
        return None
    return made.list(rows, list(dict.fromkeys([made.register(x).place for x in conditions if x is not True])))


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

    def __eq__(self, other: object) -> object:  # type: ignore[override]  # it is known later
        return self.made.operation(operator.eq, self, other)

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

    def __init__(self, made: _Making) -> None:
        self.made = made

    def guard(self, limit: Limit, rule: _Register, *_: object) -> _Register:
        """The rule itself, which has no number where its limit is meant: there a list has no answer."""
        if limit.lossy:
            raise TypeError("the rule may have a wrong number")
        return rule

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

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.asked = _Noting(self)
        self.active = dependents(graph)
        self.numbers: list[float] = []  # their registers are negative until all are known
        self.known: dict[object, _Register] = {}
        self.done: list[tuple[_Function, tuple[int, ...]]] = []
        self.places: list[_Register] = []

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
            if len(self.done) >= _LARGEST:
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
        graph = self.graph
        row = graph.rows[slot]
        if slot in graph.inputs:
            self.places.append(_Register(self, slot))
        elif row is None:
            self.places.append(self.register(graph.constants[slot].read(RAISING)))
        else:
            found = self.rule(row.value, *[self.places[parent] for parent in graph.parents[slot]])
            self.places.append(self.register(found))

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
        arguments = [self.places[parent] for parent in parents]
        z = self.places[slot]
        if isinstance(rules, tuple):
            return [
                None if rule is None or not self.active[parent] else self.rule(rule, z, *arguments)
                for rule, parent in zip(rules, parents, strict=True)
            ]
        try:
            found: Sequence[object] = rules(self.asked, z, *arguments)
        except TypeError:
            found = [self.operation(partial(_one_of, rules, k), z, *arguments) for k in range(len(parents))]
        return [x if self.active[parent] else None for x, parent in zip(found, parents, strict=True)]

    def list(self, rows: list[list[int]], conditions: list[int]) -> Straight:
        """The list, with the numbers between the inputs and the operations."""
        inputs, count = len(self.graph.inputs), len(self.numbers)

        def place(register: int) -> int:
            return register if 0 <= register < inputs else inputs - 1 - register if register < 0 else register + count

        operations: list[Operation] = []
        for function, arguments in self.done:
            few = [place(k) for k in arguments]
            if len(few) == 2:
                operations.append((function, few[0], few[1]))
            else:
                operations.append((function, few[0], _ONE_ARGUMENT) if len(few) == 1 else (function, few, _SEVERAL))
        places = [place(x.place) for x in self.places]
        of_rows = [[place(k) for k in row] for row in rows]
        return Straight(self.numbers, operations, places, of_rows, [place(k) for k in conditions])


def _product(bar: object, slope: object) -> object:
    """A product in which nothing is done for a factor of 1."""
    if isinstance(slope, (int, float)):
        return bar if slope == 1 else -bar if slope == -1 else bar * slope  # type: ignore[operator]
    return slope if isinstance(bar, float) and bar == 1 else bar * slope  # type: ignore[operator]


def _one_of(rules: Callable[..., Sequence[float]], k: int, *arguments: float) -> float:
    """One of the partials of a row for any number of arguments."""
    return rules(RAISING, *arguments)[k]
