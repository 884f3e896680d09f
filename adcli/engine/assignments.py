"""The joint program as straight-line assignments, for programs in other languages. A number is an `Emitted` one, the
result of an Operation (an assignment or input), or a float: a constant.

The functions that a language has are called by name; the others are written by the value rule of their row, or by the
formulas in this file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from operator import mul

from ..errors import RequestError
from ..graph.graph import Graph
from ..graph.order import arrange
from ..numbers.doubles import FLOAT
from ..numbers.error_function import erf_by_choice, erfc_by_choice
from ..numbers.gamma_functions import gamma_by_choice, lgamma_by_choice, log_gamma_by_choice
from ..records import NamedTuple
from ..table.primitive import Primitive
from ..typings import Any, Final, TypeAlias, cast, override
from .emitter import Emitted, Emitter, Number, Rule, alone, read_all
from .joint_program import joint_graph

MOST = 20_000  # operations; longer sources are not readable, and compilers take minutes
_PRODUCTS: Final = (1, 2, 3)  # powers that are written as multiplications


class Operation:
    """One assignment of a straight-line program.

    operation  an operation of the arithmetic (`add`, `lt`, `and`, `choose`, `finite`, …), a function of the table, or
               `input`
    arguments  earlier assignments, or constants (float)
    truth      whether the result is a truth value
    name       the name that the user knows: an input, a row of the trace, an adjoint; empty for an intermediate step
    uses       the number of its uses by other assignments and outputs, counted by `straight_line`
    """

    def __init__(self, operation: str, arguments: Sequence[Operation | float], truth: bool, name: str = "") -> None:
        self.operation = operation
        self.arguments = tuple(arguments)
        self.truth = truth
        self.name = name
        self.uses = 0


Reference: TypeAlias = Operation | float


class StraightLine(NamedTuple):
    """A straight-line program.

    inputs   the inputs, in order
    lines    the assignments that the outputs need, each after those that it uses
    outputs  (name, value) of each output; a value is an assignment or a constant
    """

    inputs: list[Operation]
    lines: list[Operation]
    outputs: list[tuple[str, Reference]]


class Lines(Emitter[Operation]):
    """The arithmetic that writes assignments; `known` are the functions that the language has, by their names in the
    table.
    """

    def __init__(self, known: Collection[str], language: str) -> None:
        super().__init__({name: rule for name, rule in _OTHERWISE.items() if name not in known})
        self.lines: list[Operation] = []
        self._functions = frozenset(known)
        self._language = language

    @override
    def function(self, name: str) -> str:
        return name

    @override
    def append(self, function: str, operands: Sequence[Number[Operation]], truth: bool) -> Operation:
        self.lines.append(Operation(function, list(map(self.bare, operands)), truth))
        return self.lines[-1]

    @override
    def relation(self, name: str, a: Number[Operation], b: Number[Operation]) -> Emitted[Operation]:
        """Return the comparison `name` of the table, such as "lt", of `a` and `b`, a truth value, written once.

        `x - x < 1`, by which the table tests whether x is finite, is written as the operation `finite` of x. At least
        one of `a` and `b` is emitted.
        """
        if name == "lt" and isinstance(a, Emitted) and alone((b,)) and b == 1 and a.value.operation == "sub":
            x, y = a.value.arguments
            if x is y and isinstance(x, Operation):
                return self.write("finite", Emitted(self, x), truth=True)
        return super().relation(name, a, b)

    @override
    def knows(self, name: str) -> bool:
        return name in self._functions

    @override
    def apply_row(self, row: Primitive, arguments: Sequence[Number[Operation]]) -> Number[Operation]:
        """Return the value of `row` for `arguments`, by its value rule.

        Raises RequestError, which names `row` and the language, instead of the rule's TypeError, AttributeError,
        ArithmeticError or ValueError: it needs more than assignments have, or a constant has no value.
        """
        try:
            return super().apply_row(row, arguments)
        except (TypeError, AttributeError, ArithmeticError, ValueError):
            title = f"adcli compile cannot translate the function {row.name} to {self._language}"
            raise RequestError(title, help="to compute values and derivatives at many points, use adcli map") from None

    def lgamma(self, x: Number[Operation]) -> Number[Operation]:
        if not isinstance(x, Emitted):
            return FLOAT.lgamma(x)
        near, far = cast("tuple[Rule[Operation], ...]", (lgamma_by_choice, log_gamma_by_choice))
        return near(self, x, self.write("lgamma", x) if self.knows("lgamma") else far(self, x))

    def pow(self, a: Number[Operation], b: Number[Operation]) -> Number[Operation]:
        """Return a to the power of b. For an emitted `a` and a constant `b`, the first that applies:

        - ±½: a square root; 0: the constant 1.0; 1, 2 and 3: `a` and products; negative ones: the reciprocal
        - a call of `pow`, also for a constant `a`; computed at once in doubles if both are constants
        """
        if isinstance(a, Emitted) and not isinstance(b, Emitted):
            if abs(b) == 0.5:
                return self.sqrt(a) if b > 0 else 1 / self.sqrt(a)
            if b == 0:
                return 1.0
            if abs(b) in _PRODUCTS:
                power = reduce(mul, [a] * int(abs(b)))
                return power if b > 0 else 1 / power
        return self.call_known("pow", a, b)


def _sign(m: Lines, x: Emitted[Operation]) -> Number[Operation]:
    return m.choose(x > 0, 1.0, m.choose(x < 0, -1.0, x))


def _round(m: Lines, x: Emitted[Operation]) -> Number[Operation]:
    """Return the nearest whole number, halves away from zero."""
    size = abs(x)
    below = m.floor(size)
    return m.choose(x < 0, -1.0, 1.0) * (below + m.choose(m.ge(size - below, 0.5), 1.0, 0.0))


def _mod(m: Lines, a: Number[Operation], b: Number[Operation]) -> Number[Operation]:
    """Return the remainder with the sign of the divisor."""
    rest = m.write("fmod", a, b)
    other = m.either(m.both(rest < 0, m.gt(b, 0)), m.both(rest > 0, m.lt(b, 0)))
    return m.choose(other, rest + b, rest)


def _expm1(m: Lines, x: Emitted[Operation]) -> Number[Operation]:
    """Return exp(x) - 1; far below 0 one factor would be infinite and the other nothing."""
    return m.choose(x < -50, -1.0, 2 * m.sinh(x / 2) * m.exp(x / 2))


def _log1p(m: Lines, x: Emitted[Operation]) -> Number[Operation]:
    """Return log(1 + x); the rounding error of 1 + x is divided out again."""
    above = x + 1.0
    is_one = m.eq(above, 1.0)
    correction = m.choose(x > 1e16, 1.0, x / m.choose(is_one, 1.0, above - 1.0))
    return m.choose(is_one, x, m.log(above) * correction)


def _cbrt(m: Lines, x: Emitted[Operation]) -> Number[Operation]:
    size: Number[Operation] = m.write("pow", abs(x), 1 / 3)
    return m.sign(x) * size


def _hypot(m: Lines, a: Number[Operation], b: Number[Operation]) -> Number[Operation]:
    large, small = m.max(abs(a), abs(b)), m.min(abs(a), abs(b))
    ratio = small / m.choose(m.eq(large, 0), 1.0, large)
    return large * m.sqrt(ratio * ratio + 1.0)


# What a language may lack, in terms of what every one has; by the name in the table.
_OTHERWISE: Final[Mapping[str, Callable[..., Any]]] = {
    rule.__name__.strip("_").removesuffix("_by_choice"): rule
    for rule in (
        _sign, _round, _mod, _expm1, _log1p, _cbrt, _hypot, erf_by_choice, erfc_by_choice, gamma_by_choice,
    )
}  # fmt: skip


def straight_line(graph: Graph, known: Collection[str], language: str) -> StraightLine:
    """Return value and partials of every output as (inputs, assignments, outputs), for a program in another language.

    `known` are the functions that the language has, by their names in the table; `language` is named in errors. Inputs
    and assignments are Operations, outputs (name, Operation or float): for each output `y`, then its partials `dy_dx1`,
    …. The name of an assignment is the user's, or that of an adjoint (`v1_bar`), or "". Assignments that no output
    needs are left out; inputs never are.

    Raises RequestError if a function is not in `known` and cannot be written in other terms. Raises RequestError for
    more than 20,000 slots in the graph, or 20,000 operations in the program.
    """
    if len(graph) > MOST:
        raise _too_long()
    program = joint_graph(arrange(graph), alone=True)
    m = Lines(known, language)
    inputs = [Operation("input", (), False, name) for name in program.inputs.values()]
    values = read_all(program, m, [Emitted(m, line) for line in inputs])
    if len(m.lines) > MOST:
        raise _too_long()
    for slot, name in program.aliases.items():
        x = values[slot]
        if isinstance(x, Emitted) and x.value.operation != "input" and not x.value.name:
            x.value.name = name
    outputs = [(name, m.bare(m.numeric(values[slot]))) for name, slot in program.outputs]
    return StraightLine(inputs, _assignments_of_outputs(m.lines, [x for _, x in outputs]), outputs)


def _too_long() -> RequestError:
    return RequestError(f"source code of more than {MOST} operations is too long", help="adcli map has no such limit")


def _assignments_of_outputs(lines: list[Operation], outputs: list[Reference]) -> list[Operation]:
    """Return the assignments of `lines` on which the outputs depend, in order.

    Adds to `uses` of each Operation, inputs included, the number of its uses by outputs and by needed assignments; an
    assignment that ends with 0 is dropped. Constants are ignored.
    """
    for x in outputs:
        if isinstance(x, Operation):
            x.uses += 1
    for line in reversed(lines):
        for x in line.arguments if line.uses else ():
            if isinstance(x, Operation):
                x.uses += 1
    return [line for line in lines if line.uses]
