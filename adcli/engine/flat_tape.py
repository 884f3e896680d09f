"""A flat tape: a graph as one list of operations on doubles, for values and adjoints, run without any decisions. Each
input, constant and result has a register, an index; while the tape is built a number is an `Emitted` register or a
constant.

The rules of the table are called once, with registers as placeholders for numbers; identical operations are shared.
The results are those of the sweeps of `tape` to the last bit: the same operations in the same order.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from keyword import iskeyword
from math import isfinite

from ..graph.graph import Graph
from ..graph.order import dependents
from ..numbers.doubles import RAISING, Float
from ..records import NamedTuple
from ..table.primitive import ROWS
from ..typings import TYPE_CHECKING, Any, Final, override
from .emitter import Emitted, Emitter, Number, alone

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule, Predicate

_ONE_ARGUMENT: Final = -1
_SEVERAL: Final = -2
LARGEST: Final = 100_000  # operations of a tape
# Functions of Python that raise unless their last argument is in this relation to 0.
_IMPLIED_BY: Final[Mapping[Callable[..., object], Callable[..., object]]] = {
    operator.truediv: operator.ne, math.log: operator.gt, math.sqrt: operator.ge,
}  # fmt: skip
_CHOOSE: Final = RAISING.choose

# (function, i, j) with the registers i and j of two arguments; for one argument j is _ONE_ARGUMENT, and for several
# i is the list of their registers and j is _SEVERAL.
_Function = Callable[..., Any]  # of doubles; a condition returns a truth value
Operation = tuple[_Function, Any, int]


class FlatTape(NamedTuple):
    """A list of operations for any number of points, whose results are numbered registers.

    start       the constants; their registers follow those of the inputs, and the results of operations follow them
    operations  (function, i, j), see Operation
    places      for each slot of the graph its register
    rows        for each output of `flatten` the registers of its derivatives with respect to the inputs, in order
    conditions  the registers that must be true, or the results do not hold at this point
    """

    start: list[float]
    operations: list[Operation]
    places: list[int]
    rows: list[list[int]]
    conditions: list[int]

    def run(self, point: Iterable[float]) -> list[float] | None:
        """Return the numbers in all registers: inputs, constants, results of operations.

        `point` has the inputs in order. None if an operation raises ZeroDivisionError, ValueError or OverflowError, if
        a condition is false (0), or if the sum of all registers is not finite.
        """
        registers = [*point, *self.start]
        append = registers.append
        product, total, quotient = operator.mul, operator.add, operator.truediv
        try:
            for function, i, j in self.operations:
                if function is product:  # most are, and these need no call
                    append(registers[i] * registers[j])
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
    graph: Graph, outputs: Sequence[int], checks: Iterable[tuple[Predicate, Sequence[int]]],
    values: Sequence[float | None],
) -> FlatTape | None:  # fmt: skip
    """Build the tape for all values, and for the derivatives of the slots `outputs` with respect to every input.

    The inputs must be the first slots. `checks` are (predicate, slots): further conditions without which the results do
    not hold. `values` are those of the slots at one point (None for slots that only branches not taken need); the tape
    holds at points where the conditions of the graph are decided as there. Conditions that are constant and true, and
    those without which an operation raises anyway (x > 0 for log(x)), are left out. None for more than 100,000
    operations, or if a rule raises ArithmeticError.
    """
    builder = _TapeBuilder(graph, values)
    try:
        for slot in range(len(graph)):
            builder.append_value(slot)
        conditions = builder.conditions + [
            builder.by_any_rule(holds, *[builder.values[slot] for slot in slots]) for holds, slots in checks
        ]
        rows = [builder.sweep_back(output) for output in outputs]
    except (_TooLong, ArithmeticError):  # or a rule has no number for these constants, as a trace will say
        return None
    registers = dict.fromkeys([builder.register(x) for x in conditions if isinstance(x, Emitted) or not x])
    implied_conditions = builder.implied_conditions()
    return builder.tape(rows, [register for register in registers if register not in implied_conditions])


class _TooLong(Exception):
    """The tape would have more than LARGEST operations."""


class _TapeBuilder(Emitter[int]):
    """A flat tape that is being built: the arithmetic that appends operations on doubles.

    at          the values of the slots at a point (`values` of `flatten`)
    conditions  the conditions of the graph, negated if they are false there
    constants   the registers of constants by their text; until all are known, constant k has the register -1 - k
    entries     (function, registers of the arguments) of each operation, whose registers follow those of the inputs
    values      the register or constant of every slot so far; valued: these registers as a set
    """

    def __init__(self, graph: Graph, at: Sequence[float | None]) -> None:
        """Begin an empty tape for `graph`; `at` has the values of its slots at the point (None in branches
        not taken).
        """
        super().__init__()
        self.graph = graph
        self.at = at
        self.conditions: list[Number[int]] = []
        self.active = dependents(graph)
        self.constants: dict[str, int] = {}
        self.entries: list[tuple[_Function, tuple[int, ...]]] = []
        self.values: list[Number[int]] = []
        self.valued: set[int] = set()

    def register(self, x: Number[int]) -> int:
        """Return the register of a number, or that of the constant x; 0.0 and -0.0 are different constants."""
        if isinstance(x, Emitted):
            return x.value
        return self.constants.setdefault(float(x).hex(), -1 - len(self.constants))

    @override
    def function(self, name: str) -> _Function:
        if name == "choose":
            return _CHOOSE
        return operator.truediv if name == "div" else getattr(operator, f"{name}_" if iskeyword(name) else name)

    @override
    def append(self, function: _Function, operands: Sequence[Number[int]], truth: bool) -> int:
        """Append an operation and return its register.  Raises _TooLong."""
        if len(self.entries) >= LARGEST:
            raise _TooLong
        self.entries.append((function, tuple([self.register(x) for x in operands])))
        return len(self.graph.inputs) + len(self.entries) - 1

    @override
    def numeric(self, x: Number[int]) -> Number[int]:
        return x  # Python computes with truth values

    @override
    def operation(self, name: str, *operands: Number[int]) -> Number[int]:
        """Return an operation; x - x is 0 for the value x of a slot, which is finite or the tape has no results."""
        x = operands[0]
        if name == "sub" and x is operands[1] and isinstance(x, Emitted) and x.value in self.valued:
            return 0.0
        return super().operation(name, *operands)

    @override
    def knows(self, name: str) -> bool:
        return hasattr(Float, name) or ROWS[name].own is not None

    @override
    def call(self, name: str, *arguments: Number[int]) -> Emitted[int]:
        return self.write(getattr(RAISING, name), *arguments)

    def by_any_rule(self, rule: Callable[..., Any], *arguments: Any) -> Number[int]:
        """Return the result of `rule(m, *arguments)` with this builder as `m`: an emitted number or a constant.

        If the rule raises TypeError, because it needs a single truth value or cannot be written here, one operation
        calls it in doubles (what the rule has written before stays). Arguments of branches that are not taken are None.
        """
        try:
            return self.number(rule(self, *arguments))
        except TypeError:
            return self.write(partial(rule, RAISING), *arguments)

    @override
    def guard(self, limit: LimitRule, rule: Number[int], *arguments: Number[int]) -> Number[int]:
        """Return `rule`, a computed value, unchanged; `arguments` are ignored.

        Where `limit` replaces it by another formula (as for sin(x)/x at 0), `rule` is not finite, so that the tape has
        no results there. Raises TypeError if doubles lose digits near the limit (`limit.lossy`), so that `by_any_rule`
        calls the whole rule in doubles instead.
        """
        if limit.lossy:
            raise TypeError("the rule may have a wrong number")
        return rule

    def pow(self, a: Number[int], b: Number[int]) -> Number[int]:
        """Return a power; it is `a` itself if the exponent is the number 1."""
        return a if alone((b,)) and b == 1 else self.call_known("pow", a, b)

    def finite(self, _: Number[int]) -> bool:
        """Return True: the tape has no results if a register is infinite."""
        return True

    def append_value(self, slot: int) -> None:
        """Append the number of `slot`, the next one, to `values`, and the operations that compute it to the tape.

        - an input: its register; a constant: its double; a slot without a value at the point (None): 0.0
        - a condition: the constant that it is at the point; a comparison is also appended to `conditions`, negated if
          it is false there (a combination of truth values is not)
        - every other slot: by its value rule

        The register is added to `valued`.
        """
        graph, row, known = self.graph, self.graph.rows[slot], self.at[slot]
        if slot in graph.inputs:
            x: Number[int] = Emitted(self, slot)
        elif row is None:
            x = graph.constants[slot].read(RAISING)
        elif known is None:
            x = 0.0  # it is never used
        elif row.truth:
            if not row.truth_arguments:  # others follow from these
                condition = self.by_any_rule(row.value, *self._arguments(slot))
                self.conditions.append(condition if known else 1 - condition)
            x = known
        else:
            x = self.by_any_rule(row.value, *self._arguments(slot))
        self.values.append(x)
        self.valued.add(self.register(x))

    def _used_positions(self, slot: int) -> Container[int]:
        """Return the positions of the arguments that a slot uses at the point: all, or the condition and one branch."""
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        return range(len(parents)) if row is None or row.route is None else (0, *row.route(self.at[parents[0]]))

    def _arguments(self, slot: int) -> list[Number[int] | None]:
        """Return the arguments of a slot for a rule: registers, constants, and None for a branch not taken."""
        positions = self._used_positions(slot)
        parents = enumerate(self.graph.parents[slot])
        return [self.values[parent] if position in positions else None for position, parent in parents]

    def sweep_back(self, output: int) -> list[int]:
        """Append the reverse sweep from the slot `output`; return the registers of its derivatives, one for each input
        in order.

        Constant partials of 0 and slots that do not depend on inputs are skipped. An input that the output does not use
        gets the register of 0.0. Contributions are added from the last slot to the first.
        """
        graph = self.graph
        bars: dict[int, Number[int]] = {output: 1.0}
        for slot in range(output, -1, -1):
            for position, parent in enumerate(graph.parents[slot] if slot in bars else ()):
                slope = self._slope(slot, position) if self.active[parent] else 0.0
                if not alone((slope,)) or slope != 0:
                    contribution = _product(bars[slot], slope)
                    bars[parent] = bars[parent] + contribution if parent in bars else contribution
        return [self.register(bars.get(slot, 0.0)) for slot in graph.inputs]

    def _slope(self, slot: int, position: int) -> Number[int]:
        """Return the partial of the operation in `slot` with respect to its argument at `position`, emitted or a
        constant.

        It is that of the row's partial rule; conventions at kinks are not used. 0.0 for an argument in a branch that is
        not taken at the point.
        """
        if position not in self._used_positions(slot):
            return 0.0
        row, needed = self.graph.row(slot), [k == position for k in range(len(self.graph.parents[slot]))]

        def rule(m: Any, z: Any, *arguments: Any) -> Any:
            return row.rules(m, z, arguments, needed)[position]

        return self.by_any_rule(rule, self.values[slot], *self._arguments(slot))

    def implied_conditions(self) -> set[int]:
        """Return the registers of conditions that need not be checked, because an operation raises if they are false.

        They are comparisons with 0 of its argument: x != 0 for 1/x, x > 0 for log(x), x >= 0 for sqrt(x). Only
        operations that give the value of a slot count, since all others may be dropped.
        """
        first = len(self.graph.inputs)
        done = [self.entries[place - first] for place in self.valued if place >= first]
        implied = {(_IMPLIED_BY[function], places[-1]) for function, places in done if function in _IMPLIED_BY}
        return {
            place
            for place, (relation, places) in enumerate(self.entries, first)
            if (relation, places[0]) in implied and places[1:] == (self.register(0.0),)
        }

    def tape(self, rows: list[list[int]], conditions: list[int]) -> FlatTape:
        """Build the FlatTape from the entries, without operations that nothing needs.

        Needed are the registers of all slots, of `rows` (derivatives, a list for each output) and of `conditions`, with
        their arguments. Registers are numbered anew: inputs, all constants, needed operations; `rows` and `conditions`
        keep their order.
        """
        values = [self.register(x) for x in self.values]
        first, count = len(self.graph.inputs), len(self.constants)
        needed = {*values, *conditions, *itertools.chain(*rows)}
        for register in range(first + len(self.entries) - 1, first - 1, -1):
            if register in needed:
                needed.update(self.entries[register - first][1])
        place = {-1 - k: first + k for k in range(count)} | {register: register for register in range(first)}
        operations: list[Operation] = []
        for register, (function, arguments) in enumerate(self.entries, first):
            if register in needed:
                i, *more = [place[argument] for argument in arguments]
                if len(more) > 1:
                    operations.append((function, [i, *more], _SEVERAL))
                else:
                    operations.append((function, i, more[0] if more else _ONE_ARGUMENT))
                place[register] = first + count + len(operations) - 1
        of_rows = [[place[k] for k in row] for row in rows]
        registers, checked = [place[k] for k in values], [place[k] for k in conditions]
        return FlatTape([*map(float.fromhex, self.constants)], operations, registers, of_rows, checked)


def _product(bar: Number[int], slope: Number[int]) -> Number[int]:
    """Return the product of registers or numbers; no operation is appended for a factor 1, a negation for -1."""
    if alone((slope,)):
        return bar if slope == 1 else -bar if slope == -1 else bar * slope
    return slope if alone((bar,)) and bar == 1 else bar * slope
