"""The emitter: an arithmetic that evaluates a graph by writing it as array operations or as machine instructions. A
number is an `Emitted` one, which represents the result of what was written, or a float: a constant.

This file has what all emitters have in common: reuse of an operation that was written before, and constant folding in
doubles.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from ..graph.graph import Graph
from ..graph.order import ancestors
from ..numbers.doubles import FLOAT, apply
from ..numbers.gamma_functions import BY_CHOICE, polygamma_by_choice
from ..table.operator_methods import ArithmeticOperators, Comparisons
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast, override

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule, Numeral

# What an arithmetic has in its hands of something written: the number of a step, a value of a processor's program.
Hold = TypeVar("Hold")


class Emitted(ArithmeticOperators, Comparisons, Generic[Hold]):
    """A number (double, or truth value after a comparison) that exists only when the program runs; its operators write
    steps.

    `value` represents it in the program of the emitter `m`, such as the index of a step; `truth` says that it is a
    truth value.
    """

    __slots__ = ("m", "truth", "value")

    def __init__(self, m: Emitter[Hold], value: Hold, truth: bool = False) -> None:
        self.m = m
        self.value = value
        self.truth = truth

    @override
    def call_row(self, name: str, *operands: Number[Hold]) -> Number[Hold]:
        """Return the operation `name` of the operands: `pow`, `mod`, `floor` and `ceil` by the method of the emitter,
        every other one by `operation`.
        """
        if name in ("pow", "mod", "floor", "ceil"):
            result: Number[Hold] = getattr(self.m, name)(*operands)
            return result
        return self.m.operation(name, *operands)

    @override
    def compare_with(self, name: str, other: Number[Hold]) -> Number[Hold]:
        return self.m.compare(name, self, other)

    @override
    def __rsub__(self, other: Number[Hold]) -> Number[Hold]:
        """Return the difference; 1 minus a truth value is the other truth value."""
        if self.truth and not isinstance(other, Emitted) and other == 1:
            return self.m.opposite(self)
        return self.call_row("sub", other, self)

    def __bool__(self) -> bool:
        raise TypeError("a condition that depends on the point has no single truth value")


Number = Emitted[Hold] | float
# A rule as it is read here, where the numbers of one program are emitted and plain ones side by side.
Rule: TypeAlias = "Callable[..., Number[Hold]]"


class Emitter(ABC, Generic[Hold]):
    """The base class of arithmetics that write programs: constants are folded in doubles, equal operations are written
    once.

    A program is a list of calls: `append` adds a call of the function that `function` returns for its name.
    """

    zero, one, undefined, infinity = FLOAT.zero, FLOAT.one, FLOAT.undefined, FLOAT.infinity
    pi, e = FLOAT.pi, FLOAT.e

    def __init__(self, rules: Mapping[str, Callable[..., Any]] = MappingProxyType({})) -> None:
        """Begin to write; `rules` are functions `rule(m, *arguments)` by names of the table, used instead of a call or
        the value rule of the row unless all arguments are constants.
        """
        self._rules = rules
        self._known: dict[object, Emitted[Hold]] = {}
        self._reading: list[str] = []

    # --- what each way of writing does in its own way ---

    @abstractmethod
    def function(self, name: str) -> Any:
        """Return the function that is called for an operation, a comparison, `and`, `or`, `not`, or `choose` (of a
        condition).
        """

    @abstractmethod
    def append(self, function: Any, operands: Sequence[Number[Hold]], truth: bool) -> Hold:
        """Append a call of a function and return the representation of its result, a truth value if `truth`."""

    @abstractmethod
    def knows(self, name: str) -> bool:
        """Return whether `call` has this function; otherwise the value rule of its row is evaluated."""

    # --- what is written ---

    def once(
        self, name: object, operands: Iterable[Number[Hold]], write: Callable[[], Hold], truth: bool = False
    ) -> Emitted[Hold]:
        """Return the emitted number of an operation, which `write()` writes if the same one was not written before.

        `write()` returns the representation of the result. Operations are the same if `name` and all `operands`, in
        their order, are: emitted ones if the same value represents them, constants by their bits (-0.0 is not 0.0).
        `truth` says that the result is a truth value; it counts on the first call only.
        """
        key = (name, *[x.value if isinstance(x, Emitted) else float(x).hex() for x in operands])
        if key not in self._known:
            self._known[key] = Emitted(self, write(), truth)
        return self._known[key]

    def write(self, function: Any, *operands: Number[Hold], truth: bool = False) -> Emitted[Hold]:
        """Return the result of a call for numbers; truth values among the operands are converted to 1 and 0 before."""
        return self.put(function, [self.numeric(x) for x in operands], truth)

    def put(self, function: Any, operands: Sequence[Number[Hold]], truth: bool) -> Emitted[Hold]:
        """Return the result of a call, which is appended unless an identical one is there."""
        return self.once(function, operands, lambda: self.append(function, operands, truth), truth)

    def numeric(self, x: Number[Hold]) -> Number[Hold]:
        """Return a truth value as 1 or 0; any other number as it is."""
        return self.select(x, 1.0, 0.0) if isinstance(x, Emitted) and x.truth else x

    def bare(self, x: Number[Hold]) -> Hold | float:
        """Return what represents an emitted number in the program, or a constant as a double."""
        return x.value if isinstance(x, Emitted) else float(x)

    def operation(self, name: str, *operands: Number[Hold]) -> Number[Hold]:
        """Return `add`, `sub`, `mul`, `div`, `neg` or `abs` of operands of which at least one is emitted."""
        return self.write(self.function(name), *operands)

    def relation(self, name: str, a: Number[Hold], b: Number[Hold]) -> Emitted[Hold]:
        """Return the comparison `lt`, `le`, `gt`, `ge`, `eq` or `ne` of two numbers of which at least one is
        emitted.
        """
        return self.write(self.function(name), a, b, truth=True)

    def combine(self, name: str, a: Number[Hold], b: Number[Hold]) -> Emitted[Hold]:
        """Return `and` or `or` of two truth values."""
        return self.put(self.function(name), (a, b), True)

    def opposite(self, x: Emitted[Hold]) -> Emitted[Hold]:
        """Return the negation of a truth value."""
        return self.put(self.function("not"), (x,), True)

    def select(self, condition: Emitted[Hold], a: Number[Hold], b: Number[Hold]) -> Emitted[Hold]:
        """Return `a` where `condition` holds, else `b`."""
        return self.put(self.function("choose"), (condition, self.numeric(a), self.numeric(b)), False)

    def call(self, name: str, *arguments: Number[Hold]) -> Number[Hold]:
        """Return a function of the table that `knows` has, of arguments of which at least one is emitted."""
        return self.operation(name, *arguments)

    # --- the arithmetic ---

    def number(self, x: Number[Hold] | Numeral) -> Number[Hold]:
        return x if isinstance(x, Emitted) else FLOAT.number(x)

    def __getattr__(self, name: str) -> Callable[..., Number[Hold]]:
        """Return a function that writes the row called `name`. The first that applies:

        - a row with a truth value of numbers: a comparison of two arguments (`compare`)
        - a row that has an entry in `rules`: by this function; of constants alone it is computed in doubles
        - a row for which `knows(name)` is true: a call (`call_known`)
        - its value rule in other operations (`without_name`)

        Raises AttributeError if ROWS has no such row.
        """
        if name not in ROWS:
            raise AttributeError(name)
        if ROWS[name].truth and not ROWS[name].truth_arguments:
            return lambda a, b: self.compare(name, a, b)
        if name in self._rules:
            rule = self._rules[name]
            return lambda *xs: self._in_doubles(name, *xs) if alone(xs) else rule(self, *xs)
        if self.knows(name):
            return lambda *arguments: self.call_known(name, *arguments)
        return lambda *arguments: self.without_name(name, *arguments)

    def call_known(self, name: str, *arguments: Number[Hold]) -> Number[Hold]:
        """Return a function that `call` has; of constants alone it is computed in doubles."""
        return self._in_doubles(name, *arguments) if alone(arguments) else self.call(name, *arguments)

    def _in_doubles(self, name: str, *arguments: Number[Hold]) -> float:
        return float(getattr(FLOAT, name)(*[float(x) for x in arguments if not isinstance(x, Emitted)]))

    def without_name(self, name: str, *arguments: Number[Hold]) -> Number[Hold]:
        """Return the function called `name` for these arguments by the value rule of its row, written in other
        operations.

        Raises TypeError if the rule calls the same function again, directly or through other functions. Errors of the
        rule pass.
        """
        if name in self._reading:
            raise TypeError(f"the rule of {name} calls {name}")
        self._reading.append(name)
        try:
            return Emitter.apply_row(self, ROWS[name], arguments)
        finally:
            self._reading.pop()

    def apply_row(self, row: Primitive, arguments: Sequence[Number[Hold]]) -> Number[Hold]:
        """Return the value of `row` by its value rule in this arithmetic; errors of the rule pass here, not in
        subclasses.
        """
        rule = cast("Rule[Hold]", row.value)
        return self.number(rule(self, *arguments))

    def compare(self, name: str, a: Number[Hold], b: Number[Hold]) -> Number[Hold]:
        """Return a comparison; of two constants it is True or False."""
        return bool(self._in_doubles(name, a, b)) if alone((a, b)) else self.relation(name, a, b)

    def condition(self, x: Number[Hold]) -> Number[Hold]:
        """Return the truth value `x != 0`; truth values and constants are returned as they are."""
        return x if not isinstance(x, Emitted) or x.truth else self.ne(x, 0.0)

    def both(self, a: Number[Hold], b: Number[Hold]) -> Number[Hold]:
        return self._connect_conditions("and", a, b, absorbing=False)

    def either(self, a: Number[Hold], b: Number[Hold]) -> Number[Hold]:
        return self._connect_conditions("or", a, b, absorbing=True)

    def _connect_conditions(self, name: str, a: Number[Hold], b: Number[Hold], *, absorbing: bool) -> Number[Hold]:
        """Return the connection `name` ("and" or "or") of two conditions, written only if both are emitted.

        `absorbing` is False for "and", True for "or". If one condition (`a` is tried first) is the constant
        `absorbing`, the result is `absorbing`, a bool; if it is the other constant, the result is the other condition.
        """
        for one, other in ((a, b), (b, a)):
            if not isinstance(one, Emitted):
                return absorbing if bool(one) == absorbing else self.condition(other)
        return self.combine(name, self.condition(a), self.condition(b))

    def choose(self, condition: Number[Hold], a: Number[Hold], b: Number[Hold]) -> Number[Hold]:
        truth = self.condition(condition)
        return self.select(truth, a, b) if isinstance(truth, Emitted) else a if truth else b

    def guard(self, limit: LimitRule, rule: Number[Hold], *arguments: Number[Hold]) -> Number[Hold]:
        where, value = cast("tuple[Rule[Hold], ...]", (limit.where, limit.value))
        return self.choose(where(self, *arguments), value(self, *arguments), rule)

    def max(self, *xs: Number[Hold]) -> Number[Hold]:
        return self._extreme("max", xs)

    def min(self, *xs: Number[Hold]) -> Number[Hold]:
        return self._extreme("min", xs)

    def _extreme(self, name: str, xs: Sequence[Number[Hold]]) -> Number[Hold]:
        """Return `max` or `min`: calls of a function that is known, else comparisons, by which nan is kept."""
        extreme = xs[0]
        for x in xs[1:]:
            if alone((extreme, x)) or self.knows(name):
                extreme = self.call_known(name, extreme, x)
            else:
                better = self.ge(extreme, x) if name == "max" else self.le(extreme, x)
                extreme = self.choose(self.either(better, self.ne(extreme, extreme)), extreme, x)
        return extreme

    def polygamma(self, n: Number[Hold], x: Number[Hold]) -> Number[Hold]:
        """Return the polygamma function of order `n` at `x`, a derivative of log(gamma). The first that applies:

        - both are constants: a number
        - the emitter knows the function: a call
        - `n` is 0 or 1: written by a formula

        Raises TypeError for every other `n`.
        """
        if alone((n, x)) or self.knows("polygamma"):
            return self.call_known("polygamma", n, x)
        if isinstance(n, Emitted) or n not in BY_CHOICE:
            raise TypeError("polygamma has no call here, and only the orders 0 and 1 have a formula")
        by_choice: Rule[Hold] = polygamma_by_choice
        return by_choice(self, int(n), x)

    def abs(self, x: Number[Hold]) -> Number[Hold]:
        size: Number[Hold] = abs(x)
        return size

    def div(self, a: Number[Hold], b: Number[Hold]) -> Number[Hold]:
        return self._in_doubles("div", a, b) if alone((a, b)) else self.operation("div", a, b)


def alone(arguments: Iterable[Number[Hold]]) -> bool:
    """Return whether all arguments are constants, none of them emitted."""
    return not any(isinstance(a, Emitted) for a in arguments)


def read(graph: Graph, m: Emitter[Hold], inputs: Iterable[Emitted[Hold]]) -> list[Number[Hold]]:
    """Return the outputs of a graph in order, written by the emitter `m`; one that is constant is a float."""
    values = read_all(graph, m, inputs)
    return [values[slot] for _, slot in graph.outputs]


def read_all(graph: Graph, m: Emitter[Hold], inputs: Iterable[Emitted[Hold]]) -> list[Number[Hold]]:
    """Return a list with the number of every slot of a graph, writing the operations to `m` in slot order.

    A slot that depends on inputs is emitted, or a float if the emitter finds it constant (x^0); one that depends on
    constants only is a float (nan outside a domain). An operation that no output needs has 0.0. `inputs` are the
    numbers of the graph's inputs, in its order. Raises ValueError if their count differs, and as `m.apply_row` does.
    """
    values: list[Number[Hold]] = [0.0] * len(graph)
    for slot, x in zip(graph.inputs, inputs, strict=True):
        values[slot] = x
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    for slot, row in enumerate(graph.rows):
        if slot in graph.constants:
            values[slot] = graph.constants[slot].read(FLOAT)
        elif row is not None and needed[slot]:
            arguments = [values[parent] for parent in graph.parents[slot]]
            constants = [x for x in arguments if not isinstance(x, Emitted)]
            if len(constants) == len(arguments):
                values[slot] = float(apply(row, FLOAT, constants))
            else:
                values[slot] = m.apply_row(row, arguments)
    return values
