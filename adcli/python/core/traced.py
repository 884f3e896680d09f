"""Traced values: numbers and arrays that belong to the trace of one differentiation and carry their place in it.

Every differentiation has a trace of its own, which knows what becomes of an operation on its values and what NumPy's
functions are for them: the values know neither rules nor sweeps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar, Token
from functools import cache
from typing import TYPE_CHECKING, cast, overload

from ...graph.overloading import Overloaded, TracingProblem, Tracked, plain
from ...graph.rules import partials, value
from ...numbers.doubles import FLOAT, Ordered
from ...numbers.numpy_arrays import ARRAYS, np
from ...overriding import override
from ...records import NamedTuple
from ...table.functions import ROWS, lookup
from ...table.primitive import Primitive
from .methods import ArrayMethods, method
from .number_types import NumberType
from .unsupported import no_scipy, only_arrays

if TYPE_CHECKING:
    from typing import Any, Protocol, TypeAlias, TypeGuard

    import numpy
    from numpy.typing import DTypeLike, NDArray

    from ...graph.overloading import Tracer
    from ...table.arithmetic import Evaluating

    # What is inside of all traces.
    Plain: TypeAlias = float | complex | NDArray[numpy.inexact]
    # What operations are done with: numbers and arrays, traced or not.
    Value: TypeAlias = float | complex | NDArray[numpy.inexact] | "Traced"
    Array: TypeAlias = NDArray[numpy.inexact] | "TracedArray"
    # The arithmetic of plain values of one kind: doubles, complex numbers or arrays.
    Kind: TypeAlias = Ordered[Any]
    Doubles: TypeAlias = NDArray[numpy.inexact]
    # What becomes of an adjoint or a tangent; None where nothing depends on it.
    Linear: TypeAlias = Callable[[Value], Value | None]
    # The share of argument k in an adjoint of the result, or of its tangent in that of the result:
    # `(k, adjoint or tangent, result, *arguments, **keywords)`.
    LinearRule: TypeAlias = Callable[..., Value | None]
    # The same for many adjoints along a first axis.
    RowsRule: TypeAlias = Callable[..., "Doubles | None"]
    # The places of the arguments of an operation on a tape, with what their adjoints are multiplied with or go through.
    Edges: TypeAlias = tuple[tuple[int, Value | Linear], ...]
    Keywords: TypeAlias = Mapping[str, object]
    # What NumPy's functions are told beside arrays.
    Axis: TypeAlias = int | Sequence[int] | None
    Mask: TypeAlias = bool | NDArray[numpy.bool_]
    # A mark is what its trace makes it: a place on a tape, a tangent, or nothing.
    Mark: TypeAlias = Any
    # The positions of those arguments of an operation that are of a trace, with their marks.
    Sources: TypeAlias = Sequence[tuple[int, Mark]]

    class Ruled(Protocol):
        """What is differentiated by a rule of its own: a function with `pull` and `push`, and no row of the table.

        `pull(k, z, arguments, keywords)` gives the linear map from an adjoint of the result z to its share for argument
        k, `push` the one from a tangent of argument k to its share in that of the result; None where the function has
        only the other one, of which it is the transpose.
        """

        name: str

        def plain(self, *arguments: Value, **keywords: object) -> Value: ...

        def pull(self, k: int, z: Value, arguments: Sequence[Value], keywords: Keywords) -> Linear | None: ...

        def push(self, k: int, z: Value, arguments: Sequence[Value], keywords: Keywords) -> Linear | None: ...

    class Differentiation(Tracer, Protocol):
        """One trace: what it does with each operation on its values."""

        level: int

        @property
        def edges(self) -> list[Edges] | None:
            """The tape that short ways may write to; None where there is none."""

        def elementwise(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...], sources: Sources) -> Traced:
            """The result z of a row at what is inside of the arguments, of which `sources` are of this trace."""

        def general(
            self, function: Ruled, z: Value, inside: Sequence[Value], keywords: Keywords, sources: Sources
        ) -> Traced:
            """The same for a function with a rule of its own."""

        def ufunc(
            self, called: Callable[..., Value], method: str, inputs: Sequence[Value], keywords: Keywords
        ) -> Value:
            """What NumPy asks of an elementwise function of its own, or of a method of one."""

        def function(self, called: Callable[..., Value], arguments: Sequence[Value], keywords: Keywords) -> Value:
            """What NumPy asks of its other functions."""

        def getitem(self, x: Value, index: object) -> Array:
            """A part of an array of this trace."""

        def method(self, name: str) -> Callable[..., Value]:
            """What stands for another method of arrays that is no function of NumPy: astype, real, imag, conjugate."""


# How many differentiations are going on around this place, in this thread.
_DEPTH: ContextVar[int] = ContextVar("depth", default=0)

MANY = 1000  # from so many numbers on one more array costs more than their sum
_NUMBERS = (float, int)
_ARITHMETIC = (ZeroDivisionError, OverflowError, ValueError)


# --- what kind of value something is, traced or not -------------------------------------------------------------------

# For values that have been looked at: type checkers take them for any value still.
DOUBLES: Evaluating[Any] = FLOAT


def shape(x: object) -> tuple[int, ...]:
    """The shape of an array, traced or not; () for a number."""
    while isinstance(x, Overloaded):  # as `plain`, without a call: this is asked for every argument
        x = x.value
    return getattr(x, "shape", ())


def is_complex(x: object) -> bool:
    """Whether a number or an array is of a complex type."""
    while isinstance(x, Overloaded):
        x = x.value
    if hasattr(x, "dtype"):
        kind: str = x.dtype.kind
        return kind == "c"
    return isinstance(x, complex)


def finite(x: object) -> bool:
    """Whether a number, or all numbers of an array, are neither nan nor infinite; what is no number is."""
    x = plain(x)
    if isinstance(x, (float, complex)):
        return x - x == 0.0
    if getattr(getattr(x, "dtype", None), "kind", "-") not in "fc":
        return True
    array: NDArray[numpy.inexact] = x
    if array.size < MANY:
        return bool(np.count_nonzero(np.isfinite(array)) == array.size)  # a quarter of what `all` takes for few
    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.sum(array))) or bool(np.isfinite(array).all())


def zeros_like(x: object) -> Plain:
    """The zero of the space that a value lies in."""
    inside = plain(x)
    if not shape(inside):
        return 0.0 if not hasattr(inside, "dtype") else np.result_type(inside, np.float16).type(0)
    return np.zeros(inside.shape, inside.dtype)


# --- values of traces -------------------------------------------------------------------------------------------------


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


def is_doubles(x: Any) -> TypeGuard[NDArray[numpy.inexact]]:
    """Whether something is an array of doubles that no trace has."""
    return type(x) is np.ndarray and x.dtype.char == "d"


class _OperatorRules(NamedTuple):
    """What doubles on a tape need of a row of two arguments.

    function    its value
    left        the rule of each partial, `(m, z, a, b)`
    right
    crossed     whether each partial is the other argument
    always      the partials where they are the same at every point, else (None, None)
    conditions  what must hold of the arguments, `(m, a, b)`: its domain, and that there is no kink
    """

    function: Callable[..., Any]
    left: Callable[..., Any]
    right: Callable[..., Any]
    crossed: bool
    always: tuple[int, ...] | tuple[None, None]
    conditions: list[Callable[..., Any]]


def _operator_rules(row: Primitive) -> _OperatorRules:
    """Return the rules of a row.  Raises ValueError for a row without a rule for each of two arguments."""
    rules = partials(row)
    if rules is None or len(rules.each) != 2 or not isinstance(row.partials, tuple):
        raise ValueError(f"{row.name} is no operator with a rule for each side")
    left, right = row.partials[0] or rules.each[0], row.partials[1] or rules.each[1]
    conditions = [check.holds for check in row.domain]
    conditions += [kink.holds for kink in (row.kink(0), row.kink(1)) if kink is not None]
    return _OperatorRules(value(row, FLOAT), left, right, rules.crossed, rules.always or (None, None), conditions)


def _operator(name: str) -> Callable[[Traced, Value], Value]:
    """Return the operator that a row is, with a short way for doubles on a tape, which is what long loops consist of.

    At kinks, outside the domain and on overflow the trace is asked.
    """
    row = ROWS[name]
    function, left, right, crossed, (by_left, by_right), conditions = _operator_rules(row)
    on_arrays = _on_arrays(row)

    def operator(self: Traced, other: Value) -> Value:
        a, trace = self.value, self.tracer
        edges = trace.edges
        if edges is None:
            return trace.operate(row, (self, other))
        b, mark = other, None
        if type(other) is type(self) and other.tracer is trace:
            b, mark = other.value, other.mark
        if type(a) is not float:
            result = on_arrays(trace, a, self.mark, b, mark)
            return trace.operate(row, (self, other)) if result is None else result
        if type(b) not in _NUMBERS:
            return trace.operate(row, (self, other))
        try:
            for holds in conditions:
                if not holds(DOUBLES, a, b):
                    break
            else:
                z = function(a, b)
                way = b if crossed else left(DOUBLES, z, a, b) if by_left is None else by_left
                if mark is None:
                    edges.append(((self.mark, way),))
                else:
                    back = a if crossed else right(DOUBLES, z, a, b) if by_right is None else by_right
                    edges.append(((self.mark, way), (mark, back)))
                return Traced(z, trace, len(edges) - 1)
        except _ARITHMETIC:
            pass  # the trace says what is wrong
        return trace.operate(row, (self, other))

    return operator


def _reflection(name: str) -> Callable[[Traced, Value], Value]:
    """Return the operator that a row is with a plain value before the traced one, with the same short way."""
    row = ROWS[name]
    function, _, right, crossed, (_, by_right), conditions = _operator_rules(row)
    on_arrays = _on_arrays(row)

    def reflected(self: Traced, other: Value) -> Value:
        b, trace = self.value, self.tracer
        edges = trace.edges
        if edges is None:
            return trace.operate(row, (other, self))
        if type(b) is not float:
            result = on_arrays(trace, other, None, b, self.mark)
            return trace.operate(row, (other, self)) if result is None else result
        if type(other) not in _NUMBERS:
            return trace.operate(row, (other, self))
        try:
            for holds in conditions:
                if not holds(DOUBLES, other, b):
                    break
            else:
                z = function(other, b)
                way = other if crossed else right(DOUBLES, z, other, b) if by_right is None else by_right
                edges.append(((self.mark, way),))
                return Traced(z, trace, len(edges) - 1)
        except _ARITHMETIC:
            pass
        return trace.operate(row, (other, self))

    return reflected


def _on_arrays(row: Primitive) -> Callable[..., Traced | None]:
    """Return the function `(trace, a, mark_of_a, b, mark_of_b)` that writes `row` at arrays of doubles on a tape.

    One of `a` and `b` may be a plain number.  The mark of what is not traced is None.  Sums and products of arrays of
    one shape have their partials already; for others the trace is asked.  The function returns None, and writes
    nothing, for other kinds of values, and for a number before an array where there is more to it.
    """
    rules = _operator_rules(row)
    crossed, (by_left, by_right) = rules.crossed, rules.always
    plain_row = (crossed or by_left is not None) and not rules.conditions

    def step(trace: Differentiation, a: Any, first: Mark, b: Any, second: Mark) -> Traced | None:
        if is_doubles(a) and a.shape:
            if not (type(b) in _NUMBERS or (is_doubles(b) and b.shape)):
                return None
        elif not (plain_row and type(a) in _NUMBERS and is_doubles(b) and b.shape):
            return None
        z = row.value(ARRAYS, a, b)
        if not (plain_row and (first is None or shape(b) in ((), a.shape))):
            sources = ((0, first),) if second is None else ((0, first), (1, second))
            return trace.elementwise(row, ARRAYS, z, (a, b), sources)
        ways = ((first, b if crossed else by_left), (second, a if crossed else by_right))
        edges: list[Edges] = trace.edges  # type: ignore[assignment]  # there is a tape, or nobody would ask
        edges.append(tuple([(mark, way) for mark, way in ways if mark is not None]))
        return TracedArray(z, trace, len(edges) - 1)

    return step


@cache
def swift(name: str) -> Callable[[object], Traced | None] | None:
    """The short way for a function of one double on a tape, by its name in the table; None where there is none.

    It gives None where the long way has to look.
    """
    row = lookup(name)
    rules = None if row is None else row.partials
    if row is None or not isinstance(rules, tuple) or len(rules) != 1 or rules[0] is None:
        return None
    value, rule, kink = row.value, rules[0], row.kink(0)
    conditions = [check.holds for check in row.domain] + ([] if kink is None else [kink.holds])

    def function(x: object) -> Traced | None:
        if type(x) is not Traced or type(x.value) is not float:
            return None
        a, trace = x.value, x.tracer
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


@cache
def _swiftly(ufunc: Callable[..., Value]) -> Callable[[object], Traced | None] | None:
    """The short way for a function of NumPy's; None for one of others that is only called so."""
    return swift(ufunc.__name__) if getattr(np, ufunc.__name__, None) is ufunc else None


class Traced(Tracked, ArrayMethods):
    """A number of the trace of one differentiation."""

    __slots__ = ()
    tracer: Differentiation
    mark: Mark

    __add__, __radd__ = _operator("add"), _reflection("add")
    __sub__, __rsub__ = _operator("sub"), _reflection("sub")
    __mul__, __rmul__ = _operator("mul"), _reflection("mul")
    __truediv__, __rtruediv__ = _operator("div"), _reflection("div")
    __pow__, __rpow__ = _operator("pow"), _reflection("pow")

    @override
    def __floordiv__(self, other: Value) -> Value:
        return _floored(super().__floordiv__(other), self, other)

    @override
    def __rfloordiv__(self, other: Value) -> Value:
        return _floored(super().__rfloordiv__(other), other, self)

    @override
    def __eq__(self, other: object) -> bool | NDArray[numpy.bool_]:
        return plain(self) == plain(other)

    @override
    def __ne__(self, other: object) -> bool | NDArray[numpy.bool_]:
        return plain(self) != plain(other)

    @override
    def __hash__(self) -> int:
        return hash(plain(self))

    def __bool__(self) -> bool:
        return bool(plain(self))

    def __divmod__(self, other: Value) -> tuple[Value, Value]:
        return self // other, self % other

    def __rdivmod__(self, other: Value) -> tuple[Value, Value]:
        return other // self, other % self

    # --- numbers as NumPy sees them ---

    @override
    def __getattr__(self, name: str) -> Callable[..., Value]:
        found = method(self, name)
        return super().__getattr__(name) if found is None else found

    @property
    def dtype(self) -> numpy.dtype[numpy.inexact]:
        """The type of the number, as NumPy has it; that of Python's floats is float64."""
        return cast("numpy.dtype[numpy.inexact]", NumberType(np.asarray(plain(self)).dtype))

    @property
    def real(self) -> Value:
        return self.tracer.method("real")(self)

    @property
    def imag(self) -> Value:
        return self.tracer.method("imag")(self)

    def conjugate(self) -> Value:
        return self.tracer.method("conjugate")(self)

    def astype(
        self, dtype: DTypeLike, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Value:
        """The array in another type; where in memory it lies is no part of it."""
        return self.tracer.method("astype")(self, dtype, casting)

    def __array__(self, *_: object, **__: object) -> NDArray[numpy.object_]:
        """An array of traced numbers.  Raises Unsupported for SciPy's functions, which want plain ones."""
        no_scipy(sys._getframe(1))
        found: NDArray[numpy.object_] = np.empty(self.shape, object)
        if not self.shape:
            found[()] = self
        for place, part in enumerate(np.ravel(self) if self.shape else ()):
            found.flat[place] = part
        return found

    def __array_ufunc__(self, ufunc: Callable[..., Value], method: str, *inputs: Value, **keywords: object) -> Value:
        if len(inputs) == 1 and not keywords and method == "__call__":
            function = _swiftly(ufunc)
            if function is not None and (done := function(self)) is not None:
                return done
        return self.tracer.ufunc(ufunc, method, inputs, keywords)

    def __array_function__(
        self, function: Callable[..., Value], types: object, arguments: Sequence[Value], keywords: Keywords
    ) -> Value:
        return self.tracer.function(function, arguments, keywords)


class TracedArray(Traced):
    """An array of one trace."""

    __slots__ = ()

    @property
    @override
    def dtype(self) -> numpy.dtype[numpy.inexact]:
        """The type of the numbers."""
        found: numpy.dtype[numpy.inexact] = plain(self).dtype
        return found

    @override
    def __array_ufunc__(self, ufunc: Callable[..., Value], method: str, *inputs: Value, **keywords: object) -> Value:
        return self.tracer.ufunc(ufunc, method, inputs, keywords)

    def __len__(self) -> int:
        return len(plain(self))

    def __iter__(self) -> Iterator[Array]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: object) -> Array:
        return self.tracer.getitem(self, index)

    def __matmul__(self, other: Value) -> Array:
        return np.matmul(self, other)

    def __rmatmul__(self, other: Value) -> Array:
        return np.matmul(other, self)

    def __contains__(self, x: object) -> bool:
        return plain(x) in plain(self)


def lift(value: Value, trace: Differentiation, mark: Mark) -> Traced:
    """The value in a trace: a number, or an array with all that arrays can do."""
    if type(value) is float or not getattr(value, "shape", ()):
        return Traced(value, trace, mark)
    return TracedArray(value, trace, mark)


def _floored(found: Value, a: Value, b: Value) -> Value:
    """The floor of a quotient as Python has it, which rounds once: 1 // 0.1 is 9, where 1 / 0.1 is 10."""
    exact = plain(a) // plain(b)
    agree = plain(found) == exact
    return found if (agree.all() if shape(agree) else agree) else exact


def number(x: Value) -> Value:
    """A number of NumPy's as one of Python's, where that loses nothing; an array of traced numbers as a traced one."""
    if type(x) is float or isinstance(x, Traced):
        return x
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return x
    if dtype.kind == "O":
        return _stacked(x)
    array: NDArray[numpy.inexact] = x
    return array.item() if array.ndim == 0 and dtype.char in "dDbl" else array


def _stacked(objects: NDArray[numpy.object_]) -> Value:
    """An array of objects, some of them traced numbers, as one traced array.

    Raises Unsupported for a matrix or a masked array.
    """
    only_arrays(objects)
    parts = [number(part) for part in objects.ravel()]
    if not any(isinstance(part, Traced) for part in parts):
        return np.array(parts).reshape(objects.shape)
    return np.reshape(np.stack(parts), objects.shape) if objects.ndim else parts[0]


def as_array(x: object) -> Array:
    """An array, traced or not, of what may also be a number or a list that holds traced numbers.

    A traced number is left as it is: it counts as an array of shape ().
    """
    if isinstance(x, Traced):
        return cast("TracedArray", x)
    x = number(np.asarray(x))
    return cast("TracedArray", x) if isinstance(x, Traced) else np.asarray(x)


def innermost(arguments: Sequence[Value]) -> Differentiation | None:
    """The innermost of the traces that the arguments belong to, or None."""
    trace = None
    for a in arguments:
        if isinstance(a, Traced) and a.tracer is not trace:
            if trace is None or a.tracer.level > trace.level:
                trace = a.tracer
            elif a.tracer.level == trace.level:
                raise TracingProblem(
                    "a traced value is used after its differentiation has ended",
                    label=f"{a!r} belongs to an earlier call",
                    help="return values from the function instead of keeping them elsewhere",
                )
    return trace


def opened(trace: Differentiation, arguments: Sequence[Value]) -> tuple[Value, ...]:
    """The arguments with those of one trace replaced by what is inside."""
    return tuple([a.value if isinstance(a, Traced) and a.tracer is trace else a for a in arguments])


@overload
def fitted(g: None, x: Value) -> None: ...
@overload
def fitted(g: Value, x: Value) -> Value: ...
def fitted(g: Value | None, x: Value) -> Value | None:
    """What an adjoint is to an argument that was broadcast, or that is real among complex ones."""
    if g is None:
        return None
    if type(g) is type(x) and type(g) is not Traced and hasattr(g, "dtype"):
        array: NDArray[numpy.inexact] = g
        like: NDArray[numpy.inexact] = x
        if array.shape == like.shape and array.dtype == like.dtype:
            return g
    have, want = shape(g), shape(x)
    if have != want:
        extra = len(have) - len(want)
        spread = tuple(k for k, n in enumerate(have) if k < extra or (want[k - extra] == 1 and n != 1))
        g = np.reshape(np.sum(g, axis=spread), want) if want else np.sum(g)
    return g.real if is_complex(g) and not is_complex(x) else g


def fitted_rows(g: Value, x: Value) -> Doubles:
    """What many adjoints, along a first axis, are to an argument as `fitted` says."""
    rows: Doubles = g
    want = shape(x)
    if rows.shape[1:] != want:
        extra = rows.ndim - 1 - len(want)
        spread = [k for k in range(1, rows.ndim) if k <= extra or (want[k - 1 - extra] == 1 and rows.shape[k] != 1)]
        rows = np.reshape(np.sum(rows, axis=tuple(spread)), (len(rows), *want))
    return rows.real if is_complex(rows) and not is_complex(x) else rows
