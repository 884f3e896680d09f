"""Traced values: numbers and arrays that belong to the trace of one differentiation and carry their place in it.

Every differentiation has a trace of its own.  Within an operation the value of the innermost trace is opened, and the
operation is done again on what is inside, which may belong to a trace further out: so each trace records exactly the
operations that it has to know of, and derivatives of derivatives need no rules of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import DomainProblem
from ..graph.overloading import Overloaded, TracingProblem, plain
from ..graph.rules import apply as value_of
from ..graph.rules import value_at
from ..numbers.arrays import ARRAYS, np
from ..numbers.cmaths import COMPLEXES
from ..numbers.doubles import FLOAT
from ..table import functions as _table  # noqa: F401 - importing it fills the table
from ..table.primitive import ROWS, Primitive, lookup
from .kinks import watch
from .mixed import Mixed
from .names import METHODS
from .operation import Function, Operation, Usage
from .values import floored, is_complex, shape

if TYPE_CHECKING:
    from ..table.arithmetic import PartialRule

# How many differentiations are going on around this place, in this thread.
_DEPTH: ContextVar[int] = ContextVar("depth", default=0)


class deeper:  # noqa: N801 - stands in a with statement
    """The level of one more differentiation, while it traces."""

    __slots__ = ("_token",)
    _token: Token[int]

    def __enter__(self) -> int:
        level = _DEPTH.get() + 1
        self._token = _DEPTH.set(level)
        return level

    def __exit__(self, *_: object) -> None:
        _DEPTH.reset(self._token)


class Trace(Protocol):
    """One differentiation: what it does with each operation on its values."""

    level: int
    edges: list[Any] | None

    def elementwise(self, operation: Operation, sources: list[int], arguments: Sequence[Any]) -> Traced: ...

    def general(self, usage: Usage, sources: list[int], arguments: Sequence[Any]) -> Traced: ...


_ARITHMETIC = (ZeroDivisionError, OverflowError, ValueError)


def _both_rules(row: Primitive) -> tuple[PartialRule, PartialRule]:
    left, right = row.partials if isinstance(row.partials, tuple) else (None, None)
    if left is None or right is None:
        raise ValueError(f"{row.name} has no rule for each side")
    return left, right


def _swift(name: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """An operator and its reflection, with a short way for doubles on a tape, which is what long loops consist of."""
    row = ROWS[name]
    value = row.value
    left, right = _both_rules(row)
    conditions = [check.holds for check in row.domain]
    conditions += [kink.holds for kink in (row.kink(0), row.kink(1)) if kink is not None]

    def operator(self: Traced, other: Any) -> Any:
        a, trace = self.value, self.trace
        edges = trace.edges
        if edges is not None and type(a) is float:
            both = type(other) is Traced and other.trace is trace
            b = other.value if both else other
            if type(b) is float or type(b) is int:
                try:
                    for holds in conditions:
                        if not holds(FLOAT, a, b):
                            break
                    else:
                        z = value(FLOAT, a, b)
                        if both:
                            edges.append(((self.mark, left(FLOAT, z, a, b)), (other.mark, right(FLOAT, z, a, b))))
                        else:
                            edges.append(((self.mark, left(FLOAT, z, a, b)),))
                        return Traced(z, trace, len(edges) - 1)
                except _ARITHMETIC:
                    pass  # the long way says what is wrong
        return apply(row, (self, other))

    def reflected(self: Traced, other: Any) -> Any:
        b, trace = self.value, self.trace
        edges = trace.edges
        if edges is not None and type(b) is float and (type(other) is float or type(other) is int):
            try:
                for holds in conditions:
                    if not holds(FLOAT, other, b):
                        break
                else:
                    z = value(FLOAT, other, b)
                    edges.append(((self.mark, right(FLOAT, z, other, b)),))
                    return Traced(z, trace, len(edges) - 1)
            except _ARITHMETIC:
                pass
        return apply(row, (other, self))

    return operator, reflected


class Traced(Overloaded):
    """A number of one trace: its value there and its mark, which is a place on a tape, or a tangent."""

    __slots__ = ("mark", "trace", "value")

    def __init__(self, value: Any, trace: Any, mark: Any) -> None:
        self.value = value
        self.trace = trace
        self.mark = mark

    __add__, __radd__ = _swift("add")
    __sub__, __rsub__ = _swift("sub")
    __mul__, __rmul__ = _swift("mul")
    __truediv__, __rtruediv__ = _swift("div")
    __pow__, __rpow__ = _swift("pow")

    def __floordiv__(self, other: Any) -> Any:
        return floored(super().__floordiv__(other), self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return floored(super().__rfloordiv__(other), other, self)

    def operate(self, row: Primitive, arguments: tuple[Any, ...]) -> Any:
        return apply(row, arguments)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {plain(self)!r}>"

    def __eq__(self, other: object) -> Any:
        return plain(self) == plain(other)

    def __ne__(self, other: object) -> Any:
        return plain(self) != plain(other)

    def __hash__(self) -> int:
        return hash(plain(self))

    def __bool__(self) -> bool:
        return bool(plain(self))

    # --- numbers as NumPy sees them ---

    @property
    def shape(self) -> tuple[int, ...]:
        return shape(self)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        count = 1
        for length in self.shape:
            count *= length
        return count

    def __getattr__(self, name: str) -> Any:
        if name in METHODS:
            function = getattr(np, name)
            return lambda *arguments, **keywords: function(self, *arguments, **keywords)
        return super().__getattr__(name)

    @property
    def real(self) -> Any:
        from .complexes import real

        return real(self)

    @property
    def imag(self) -> Any:
        from .complexes import imag

        return imag(self)

    def conjugate(self) -> Any:
        from .complexes import conj

        return conj(self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        if len(inputs) == 1 and not keywords and method == "__call__":
            function = swift(ufunc.__name__)
            if function is not None and (done := function(self)) is not None:
                return done
        return _elementwise().ufunc(ufunc, method, inputs, keywords)

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        return _dispatch().function(function, arguments, keywords)


def lift(value: Any, trace: Any, mark: Any) -> Traced:
    """The value in a trace: a number, or an array with all that arrays can do."""
    if type(value) is float or not getattr(value, "shape", ()):
        return Traced(value, trace, mark)
    return _array_kind()(value, trace, mark)


@cache
def _dispatch() -> Any:
    from . import dispatch  # which builds on this file

    return dispatch


@cache
def _elementwise() -> Any:
    from . import elementwise  # which builds on this file

    return elementwise


@cache
def _array_kind() -> type[Traced]:
    from .array import TracedArray  # which builds on this file

    return TracedArray


def number(x: Any) -> Any:
    """A number of NumPy's as one of Python's, where that loses nothing; an array of traced numbers as a traced one."""
    if type(x) is float or isinstance(x, Traced):
        return x
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return x
    if dtype.kind == "O":
        return _dispatch().stacked(x)
    return x.item() if x.ndim == 0 and dtype.char in "dDbl" else x


def innermost(arguments: Sequence[Any]) -> Any:
    """The innermost of the traces that the arguments belong to, or None."""
    trace = None
    for a in arguments:
        if isinstance(a, Traced) and a.trace is not trace:
            if trace is None or a.trace.level > trace.level:
                trace = a.trace
            elif a.trace.level == trace.level:
                raise TracingProblem(
                    "a traced value is used after its differentiation has ended",
                    label=f"{a!r} belongs to an earlier call",
                    help="return values from the function instead of keeping them elsewhere",
                )
    return trace


def opened(trace: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments with those of one trace replaced by what is inside."""
    return tuple([a.value if isinstance(a, Traced) and a.trace is trace else a for a in arguments])


def apply(row: Primitive, arguments: tuple[Any, ...], total: bool = False) -> Any:
    """A function of the table on numbers, arrays and traced values, in whatever mixture.

    Raises DomainProblem for a number outside its domain, unless it is to be `total`, as inside of rules; arrays have
    nan there, as NumPy's own functions do.
    """
    return _applied(
        row, tuple([a if type(a) is float or isinstance(a, Traced) else number(a) for a in arguments]), total
    )


def _applied(row: Primitive, arguments: tuple[Any, ...], total: bool) -> Any:
    trace = innermost(arguments)
    if trace is None:
        return _evaluated(row, arguments, arithmetic(arguments), total)
    inside = opened(trace, arguments)
    m = arithmetic(inside)
    z = _applied(row, inside, total) if m is MIXED else _evaluated(row, inside, m, total)
    if z is NotImplemented or row.truth:
        return z
    if row.continued is False and any(map(is_complex, inside)):
        return _unholomorphic(row)(*arguments)
    rules = row.partials
    asked = [k for k, a in enumerate(arguments) if isinstance(a, Traced) and a.trace is trace]
    if m is FLOAT and row.smooth is not None:
        watch(row, inside, asked)
    sources = [k for k in asked if not (isinstance(rules, tuple) and rules[k] is None)]
    if not sources:
        return z
    return trace.elementwise(Operation(row, z, inside, m), sources, arguments)


@cache
def swift(name: str) -> Callable[[Any], Traced | None] | None:
    """The short way for a function of one double on a tape, by its name in the table; None where there is none.

    It gives None where the long way has to look.
    """
    row = lookup(name)
    rules = None if row is None else row.partials
    if row is None or not isinstance(rules, tuple) or len(rules) != 1 or rules[0] is None:
        return None
    value, rule, kink = row.value, rules[0], row.kink(0)
    conditions = [check.holds for check in row.domain] + ([] if kink is None else [kink.holds])

    def function(x: Any) -> Traced | None:
        if type(x) is not Traced or type(x.value) is not float:
            return None
        a, trace = x.value, x.trace
        edges = trace.edges
        if edges is None:
            return None
        try:
            for holds in conditions:
                if not holds(FLOAT, a):
                    return None
            z = value(FLOAT, a)
            edges.append(((x.mark, rule(FLOAT, z, a)),))
        except _ARITHMETIC:
            return None
        return Traced(z, trace, len(edges) - 1)

    return function


def call(function: Function, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """A function with rules of its own on numbers, arrays and traced values."""
    return _called(function, [a if isinstance(a, Traced) else number(a) for a in arguments], keywords)


def _called(function: Function, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    trace = innermost(arguments)
    if trace is None:
        return number(function.plain(*arguments, **keywords))
    inside = opened(trace, arguments)
    z = _called(function, inside, keywords)
    sources = [k for k, a in enumerate(arguments) if isinstance(a, Traced) and a.trace is trace]
    return trace.general(Usage(function, z, inside, keywords), sources, arguments)


def _evaluated(row: Primitive, arguments: tuple[Any, ...], m: Any, total: bool) -> Any:
    """The value where nothing is traced, in the arithmetic of the arguments."""
    if m is None:
        other = next((a for a in arguments if isinstance(a, Overloaded)), None)
        return NotImplemented if other is None else other.operate(row, arguments)
    if m is FLOAT:
        if row.truth:
            return bool(row.value(FLOAT, *arguments))
        return value_of(row, FLOAT, arguments) if total else value_at(row, arguments)
    if row.continued is False and any(map(is_complex, arguments)):
        return _unholomorphic(row)(*arguments)
    if m is COMPLEXES:
        z = value_of(row, COMPLEXES, arguments) if not callable(row.continued) else row.continued(COMPLEXES, *arguments)
        if not total and z != z and all(a == a for a in arguments):
            raise DomainProblem(f"{row.name} has no value here", label=f"{row.name} was given {arguments[0]!r}")
        return z
    return number(row.value(ARRAYS, *arguments))


def _unholomorphic(row: Primitive) -> Callable[..., Any]:
    """What stands for a function that nothing holomorphic continues to complex numbers."""
    from .complexes import INSTEAD

    found = INSTEAD.get(row.name)
    if found is None:
        raise TracingProblem(f"{row.name} takes real numbers", help="use z.real, z.imag or abs(z)")
    return found


def arithmetic(arguments: Sequence[Any]) -> Any:
    """The arithmetic that can read a rule with these arguments, or None."""
    m: Any = FLOAT
    for a in arguments:
        if type(a) is float or type(a) is int:
            continue
        if isinstance(a, Traced):
            return MIXED
        if hasattr(a, "dtype"):
            m = ARRAYS
        elif isinstance(a, complex):
            m = COMPLEXES if m is FLOAT else m
        elif isinstance(a, (list, tuple)) and len(arguments) > 1:
            m = ARRAYS
        elif not isinstance(a, (float, int)):
            return None
    return m


MIXED = Mixed(apply)
