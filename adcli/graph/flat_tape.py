"""A flat tape: a graph as one list of operations on doubles, for values and adjoints, run without any decisions.

The rules of the table are called once, with registers as placeholders for numbers; identical operations are shared.
The results are those of the sweeps of `tape` to the last bit: the same operations in the same order.
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
from ..records import NamedTuple
from ..table.arithmetic import Predicate
from ..table.primitive import ROWS, Limit, Primitive
from .graph import Graph
from .order import dependents

_NOTHING: Final = -1
_ONE_ARGUMENT: Final = -1
_SEVERAL: Final = -2
_NEEDED: Final = 2  # the number of uses that a result counts for: more than one, so that it is not fused
LARGEST: Final = 100_000  # operations of a tape
# Functions of Python that raise unless their last argument is in this relation to 0.
_IMPLIED_BY: Final[Mapping[Callable[..., Any], Callable[..., Any]]] = {
    operator.truediv: operator.ne, math.log: operator.gt, math.sqrt: operator.ge,
}  # fmt: skip

# (function, i, j, k) with the registers i and j of two arguments; for one argument j is _ONE_ARGUMENT, and for several
# i is the list of their registers and j is _SEVERAL.  k is the register to which a product is added, or _NOTHING.
_Function = Callable[..., Any]  # of doubles; a condition returns a truth value
Operation = tuple[_Function, Any, int, int]


class FlatTape(NamedTuple):
    """A list of operations for any number of points, whose results are numbered registers.

    start       the constants; their registers follow those of the inputs, and the results of operations follow them
    operations  (function, i, j, k), see Operation
    places      for each slot of the graph its register (that of the sum, for a product that only this sum needs)
    rows        for each output of `flatten` the registers of its derivatives with respect to the inputs, in order
    conditions  the registers that must be true, or the results do not hold at this point
    """

    start: list[float]
    operations: list[Operation]
    places: list[int]
    rows: list[list[int]]
    conditions: list[int]

    def run(self, point: Iterable[float]) -> list[float] | None:
        """Return the numbers in all registers for the values of the inputs in order.

        None if an operation raises, a condition is false, or the sum of all numbers is not finite.
        """
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


def flatten(
    graph: Graph,
    outputs: Sequence[int],
    checks: Iterable[tuple[Predicate, Sequence[int]]] = (),
    values: Sequence[float | None] = (),
) -> FlatTape | None:
    """Build the tape for all values, and for the derivatives of the slots `outputs` with respect to every input.

    The inputs must be the first slots.  `checks` are (predicate, slots): further conditions without which the results
    do not hold.  If the graph has conditions, `values` are those of its slots at one point (None for what only branches
    not taken need), and the tape holds at points where the same conditions are true; otherwise it may be empty.
    Returns None for more than LARGEST operations, or if a rule raises ArithmeticError.
    """
    builder = _TapeBuilder(graph, values)
    try:
        for slot in range(len(graph)):
            builder.value(slot)
        conditions = builder.conditions + [
            builder.rule(holds, *[builder.places[slot] for slot in slots]) for holds, slots in checks
        ]
        rows = [builder.sweep_back(output) for output in outputs]
    except (_TooLong, ArithmeticError):  # or a rule has no number for these constants, as a trace will say
        return None
    registers = dict.fromkeys([builder.register(x).place for x in conditions if x is not True])
    implied_conditions = builder.implied_conditions()
    return builder.tape(rows, [place for place in registers if place not in implied_conditions])


class _TooLong(Exception):
    """The tape would have more than LARGEST operations."""


def _binary(function: _Function) -> tuple[_Function, _Function]:
    """Return the methods of a _Register that append `function`: for an operator (`x - 2`) and its reflection."""
    return (
        lambda self, other: self.builder.operation(function, self, other),
        lambda self, other: self.builder.operation(function, other, self),
    )


class _Register:
    """A placeholder for a number of the tape: its operators append operations, and bool() of it is a TypeError."""

    __slots__ = ("builder", "place")

    def __init__(self, builder: _TapeBuilder, place: int) -> None:
        self.builder = builder
        self.place = place

    __add__, __radd__ = _binary(operator.add)
    __mul__, __rmul__ = _binary(operator.mul)
    __truediv__, __rtruediv__ = _binary(operator.truediv)
    _minus, __rsub__ = _binary(operator.sub)
    (__lt__, _), (__le__, _), (__gt__, _), (__ge__, _) = map(
        _binary, (operator.lt, operator.le, operator.gt, operator.ge)
    )
    __eq__, __ne__ = _binary(operator.eq)[0], _binary(operator.ne)[0]  # known later

    def __sub__(self, other: object) -> object:
        if other is self and self.place in self.builder.valued:  # values are finite, or the tape returns None
            return 0.0
        return self._minus(other)

    def __neg__(self) -> object:
        return self.builder.operation(operator.neg, self)

    def __and__(self, other: object) -> object:
        return (
            self if other is True else other if other is False else self.builder.operation(operator.and_, self, other)
        )

    def __or__(self, other: object) -> object:
        return self if other is False else other if other is True else self.builder.operation(operator.or_, self, other)

    __rand__, __ror__ = __and__, __or__
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> NoReturn:
        raise TypeError("the value is known only at a point")


class _SymbolicArithmetic:
    """An arithmetic of registers in place of doubles: its functions append operations to the tape."""

    __slots__ = ("builder",)

    lt, le, gt, ge = map(staticmethod, (operator.lt, operator.le, operator.gt, operator.ge))
    eq, ne = staticmethod(operator.eq), staticmethod(operator.ne)

    def __init__(self, builder: _TapeBuilder) -> None:
        self.builder = builder

    def choose(self, condition: object, a: object, b: object) -> object:
        """Return a or b if the condition is known, else the register of an operation that chooses."""
        known = isinstance(condition, (int, float))
        return (a if condition else b) if known else self.builder.operation(RAISING.choose, condition, a, b)

    def guard(self, limit: Limit, rule: _Register, *_: object) -> _Register:
        """Return the rule: at its limit it is not finite, so that the tape returns None there.

        Raises TypeError if doubles lose digits near the limit (`lossy`), so that the rule is not taken apart.
        """
        if limit.lossy:
            raise TypeError("the rule may have a wrong number")
        return rule

    def pow(self, a: object, b: object) -> object:
        """Return the register of a power, or `a` itself if the exponent is the number 1."""
        return a if isinstance(b, (int, float)) and b == 1 else self.builder.operation(RAISING.pow, a, b)

    def finite(self, _: _Register) -> bool:
        """Return True: the tape returns None if a register is infinite."""
        return True

    def __getattr__(self, name: str) -> object:
        row = None if hasattr(Float, name) else ROWS.get(name)
        if row is not None and row.own is None:
            value: _Function = row.value
            return partial(value, self)
        attribute = getattr(RAISING, name)
        return partial(self.builder.operation, attribute) if callable(attribute) else attribute


class _TapeBuilder:
    """A flat tape that is being built.

    at               the values of the slots at a point, or empty (`values` of `flatten`)
    conditions  the conditions of the graph, negated if they are false there
    numbers          the constants; until all are known, constant k has the register -1 - k
    known            registers by (function, registers of the arguments), and of constants by their text
    entries          (function, registers of the arguments) of each operation
    places, valued   the register of every slot so far, in order, and as a set of numbers
    """

    def __init__(self, graph: Graph, values: Sequence[float | None]) -> None:
        self.graph = graph
        self.at = values
        self.conditions: list[object] = []
        self.arithmetic = _SymbolicArithmetic(self)
        self.active = dependents(graph)
        self.numbers: list[float] = []
        self.known: dict[object, _Register] = {}
        self.entries: list[tuple[_Function, tuple[int, ...]]] = []
        self.places: list[_Register] = []
        self.valued: set[int] = set()

    def operation(self, function: _Function, *arguments: object) -> object:
        """Return the register of `function` on these registers or numbers; identical operations share one.

        With numbers alone the finite result or truth value itself is returned.  Raises _TooLong.
        """
        places = tuple([self.register(x).place for x in arguments])
        if max(places) < 0:
            try:
                number = function(*[self.numbers[-1 - place] for place in places])
                if isinstance(number, bool) or isfinite(number):
                    return number
            except (ZeroDivisionError, ValueError, OverflowError):  # the tape will raise it at its place
                pass
        key = (function, places)
        register = self.known.get(key)
        if register is None:
            if len(self.entries) >= LARGEST:
                raise _TooLong
            self.entries.append(key)
            register = self.known[key] = _Register(self, len(self.graph.inputs) + len(self.entries) - 1)
        return register

    def register(self, x: object) -> _Register:
        """Return x if it is a register, else that of the constant x.  Raises TypeError if x is not a number."""
        if isinstance(x, _Register):
            return x
        number = float(x)  # type: ignore[arg-type]  # or it raises TypeError
        key = repr(number)  # 0.0 and -0.0 are different constants
        if key not in self.known:
            self.numbers.append(number)
            self.known[key] = _Register(self, -len(self.numbers))
        return self.known[key]

    def rule(self, rule: Callable[..., object], *arguments: object) -> object:
        """Return the result of a rule, a register or a number.

        If the rule needs a truth value of a register, or another thing that a register has not, it is one operation.
        """
        try:
            return rule(self.arithmetic, *arguments)
        except TypeError:
            return self.operation(partial(rule, RAISING), *arguments)

    def value(self, slot: int) -> None:
        """Append the value of the next slot, and note its register as that of a value."""
        self._value(slot)
        self.valued.add(self.places[slot].place)

    def _value(self, slot: int) -> None:
        """Append the register of a slot to `places`, with the operations that compute it.

        If the point is known (`at`), a condition is the number that it has there, and its comparison is a condition of
        the tape; a slot without a value there is 0.
        """
        graph = self.graph
        row = graph.rows[slot]
        if slot in graph.inputs:
            self.places.append(_Register(self, slot))
        elif row is None:
            self.places.append(self.register(graph.constants[slot].read(RAISING)))
        elif self.at and self.at[slot] is None:
            self.places.append(self.register(0.0))  # it is never used
        elif row.truth and self.at:
            if not row.truth_arguments:  # others follow from these
                condition = self.rule(row.value, *self._arguments(slot))
                self.conditions.append(condition if self.at[slot] else self.operation(operator.not_, condition))
            self.places.append(self.register(self.at[slot]))
        else:
            self.places.append(self.register(self.rule(row.value, *self._arguments(slot))))

    def _positions_taken(self, slot: int) -> Container[int]:
        """Return the positions of the arguments that a slot uses at the point: all, or the condition and one branch."""
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        return range(len(parents)) if row is None or row.route is None else (0, *row.route(self.at[parents[0]]))

    def _arguments(self, slot: int) -> list[object]:
        """Return the arguments of a slot for a rule: registers, numbers for conditions, None for a branch not taken."""
        arguments: list[object] = []
        taken = self._positions_taken(slot)
        for position, parent in enumerate(self.graph.parents[slot]):
            row = self.graph.rows[parent]
            known = row is not None and row.truth
            arguments.append(None if position not in taken else self.at[parent] if known else self.places[parent])
        return arguments

    def sweep_back(self, output: int) -> list[int]:
        """Append the reverse sweep from a slot; return the registers of its derivatives with respect to inputs."""
        graph = self.graph
        bars: dict[int, object] = {output: 1.0}
        for slot in range(output, -1, -1):
            row, bar = graph.rows[slot], bars.get(slot)
            if bar is not None and row is not None:
                for parent, slope in zip(graph.parents[slot], self._slopes(row, slot), strict=True):
                    if slope is not None:
                        contribution = _product(bar, slope)
                        present = bars.get(parent)
                        bars[parent] = contribution if present is None else present + contribution  # type: ignore[operator]
        return [self.register(bars.get(slot, 0.0)).place for slot in graph.inputs]

    def _slopes(self, row: Primitive, slot: int) -> list[object]:
        """Return the partials of a slot by position; None for arguments without inputs and branches not taken."""
        parents = self.graph.parents[slot]
        rules: Any = row.partials  # called with registers for numbers
        arguments, taken = self._arguments(slot), self._positions_taken(slot)
        z = self.places[slot]
        if isinstance(rules, tuple):
            return [
                None
                if rule is None or not self.active[parent] or position not in taken
                else self.rule(rule, z, *arguments)
                for position, (rule, parent) in enumerate(zip(rules, parents, strict=True))
            ]
        try:
            partials: Sequence[object] = rules(self.arithmetic, z, *arguments)
        except TypeError:
            partials = [self.operation(partial(_partial_at, rules, k), z, *arguments) for k in range(len(parents))]
        return [x if self.active[parent] else None for x, parent in zip(partials, parents, strict=True)]

    def implied_conditions(self) -> set[int]:
        """Return the registers of conditions that need not be checked.

        They are x != 0, x > 0 or x >= 0 for a value 1/x, log(x) or sqrt(x) of a slot, which raises if it is false.
        """
        first = len(self.graph.inputs)
        done = [self.entries[place - first] for place in self.valued if place >= first]
        implied = {(_IMPLIED_BY[function], places[-1]) for function, places in done if function in _IMPLIED_BY}
        return {
            place
            for place, (relation, places) in enumerate(self.entries, first)
            if (relation, places[0]) in implied and places[1] < 0 and self.numbers[-1 - places[1]] == 0
        }

    def tape(self, rows: list[list[int]], conditions: list[int]) -> FlatTape:
        """Build the FlatTape without operations that nothing needs.

        The registers of `rows` and `conditions` are needed, and those of all values.  A product that is used by one sum
        only is computed with that sum.  Registers are renumbered: inputs, constants, operations.
        """
        first, count = len(self.graph.inputs), len(self.numbers)
        values = [x.place for x in self.places]
        results = (*[values[slot] for _, slot in self.graph.outputs], *conditions, *itertools.chain(*rows))
        uses = self._uses(values, results)
        addends = self._addends(uses)
        fused = {product: total for total, (_, product) in addends.items()}  # finite only where the product is
        place = {-1 - k: first + k for k in range(count)} | {register: register for register in range(first)}
        operations: list[Operation] = []
        for register, entry in enumerate(self.entries, first):
            if register in fused or not uses[register]:
                continue
            addend = _NOTHING
            if register in addends:
                other, product = addends[register]
                addend, entry = place[other], self.entries[product - first]
            function, arguments = entry
            i, *more = [place[argument] for argument in arguments]
            if len(more) > 1:
                operations.append((function, [i, *more], _SEVERAL, addend))
            else:
                operations.append((function, i, more[0] if more else _ONE_ARGUMENT, addend))
            place[register] = first + count + len(operations) - 1
        of_rows = [[place[k] for k in row] for row in rows]
        of_values = [place[fused.get(k, k)] for k in values]
        return FlatTape(self.numbers, operations, of_values, of_rows, [place[k] for k in conditions])

    def _uses(self, values: Iterable[int], results: Iterable[int]) -> list[int]:
        """Return for each register of an input or operation how often it is used; 0 if nothing needs it.

        Each occurrence in `results` counts as _NEEDED uses, and so does one of `values` (all have to be finite) that is
        not used otherwise.  Constants are not counted.
        """
        first = len(self.graph.inputs)
        uses = [0] * (first + len(self.entries))
        for register in results:
            if register >= 0:
                uses[register] += _NEEDED
        kept = set(values)
        for register in range(len(uses) - 1, first - 1, -1):
            if register in kept:
                uses[register] = uses[register] or _NEEDED
            if uses[register]:
                for argument in self.entries[register - first][1]:
                    if argument >= 0:
                        uses[argument] += 1
        return uses

    def _addends(self, uses: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Return {register of a sum: (the other addend, a product that nothing else uses)} for sums with such a one."""
        first = len(self.graph.inputs)
        addends: dict[int, tuple[int, int]] = {}
        for register, (function, arguments) in enumerate(self.entries, first):
            if function is not operator.add or not uses[register]:
                continue
            for other, factor in (arguments, arguments[::-1]):
                if factor >= first and uses[factor] == 1 and self.entries[factor - first][0] is operator.mul:
                    addends[register] = other, factor
                    break
        return addends


def _product(bar: object, slope: object) -> object:
    """Return the product of registers or numbers; no operation is appended for a factor 1, a negation for -1."""
    if isinstance(slope, (int, float)):
        return bar if slope == 1 else -bar if slope == -1 else bar * slope  # type: ignore[operator]
    return slope if isinstance(bar, float) and bar == 1 else bar * slope  # type: ignore[operator]


def _partial_at(rules: Callable[..., Sequence[float]], k: int, *arguments: float) -> float:
    """Return the partial at position k of a row with one rule for all its partials, in doubles."""
    return rules(RAISING, *arguments)[k]
