"""Traced values: numbers and arrays in the trace of one differentiation. Their mark is a place on a tape or a tangent.

Every differentiation has its own trace, which records the operations on its values and knows NumPy's functions for
them: the values themselves know neither rules nor sweeps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from weakref import WeakValueDictionary

from ...graph.overloading import Overloaded, TracingProblem, Tracked, plain
from ...graph.rules import constant_partials, is_product, value_function
from ...numbers.doubles import FLOAT, Ordered
from ...numbers.numpy_arrays import ARRAYS, np
from ...records import NamedTuple
from ...table.functions import ROWS, lookup
from ...table.operator_methods import with_operators
from ...table.primitive import Primitive
from ...typings import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, override
from .contexts import collects_arrays
from .methods import ArrayMethods, ChangingInPlace, Comparing, NumberType, RefusingChanges, method
from .unsupported import refuse_array_subclasses, refuse_scipy_call

if TYPE_CHECKING:
    import numpy
    from numpy.typing import DTypeLike, NDArray

    from ...graph.overloading import Tracer
    from ...table.arithmetic import Evaluating

    # A value that no trace has.
    Plain: TypeAlias = float | complex | NDArray[numpy.inexact]
    # An operand: a number or an array, traced or not.
    Value: TypeAlias = float | complex | NDArray[numpy.inexact] | "Traced"
    Values: TypeAlias = Sequence[Value]
    Function: TypeAlias = Callable[..., Value]
    Array: TypeAlias = NDArray[numpy.inexact] | "TracedArray"
    # The arithmetic of plain values of one kind: doubles, complex numbers or arrays.
    Kind: TypeAlias = Ordered[Any]
    Doubles: TypeAlias = NDArray[numpy.inexact]
    # Positions of elements in another array.
    Places: TypeAlias = NDArray[numpy.int_]
    # A linear map of an adjoint or a tangent; None if the result is 0 because nothing depends on it.
    Linear: TypeAlias = Callable[[Value], Value | None]
    # The contribution to the adjoint of argument k, or of its tangent to that of the result, from
    # `(k, adjoint or tangent, result, *arguments, **keywords)`.
    LinearRule: TypeAlias = Callable[..., Value | None]
    # The same for many adjoints along a first axis.
    RowsRule: TypeAlias = Callable[..., "Doubles | None"]
    # The places of the arguments of an operation on a tape, each with a partial or the linear map of the adjoint.
    Edges: TypeAlias = tuple[tuple[int, Value | Linear], ...]
    Keywords: TypeAlias = Mapping[str, object]
    # Options of NumPy's functions.
    Axis: TypeAlias = int | Sequence[int] | None
    Mask: TypeAlias = bool | NDArray[numpy.bool_]
    # The mark of a value depends on the trace: a place on a tape, a tangent, or None.
    Mark: TypeAlias = Any
    # The positions of the arguments of an operation that belong to a trace, with their marks.
    Sources: TypeAlias = Sequence[tuple[int, Mark]]

    class Ruled(Protocol):
        """A function with its own rules `pull` and `push`, which has no row in the table.

        `pull(k, z, arguments, keywords)` returns the linear map from an adjoint of the result z to the contribution to
        argument k, `push` the map from a tangent of argument k to its contribution to that of the result; None if the
        function has only the other rule, of which it is the transpose.
        """

        name: str

        def plain(self, *arguments: Value, **keywords: object) -> Value: ...

        def pull(self, k: int, z: Value, arguments: Values, keywords: Keywords) -> Linear | None: ...

        def push(self, k: int, z: Value, arguments: Values, keywords: Keywords) -> Linear | None: ...

    class Differentiation(Tracer, Protocol):
        """One trace: how it records each operation on its values."""

        level: int

        @property
        def edges(self) -> list[Edges] | None:
            """The tape to which fast operators write; None for other traces."""

        def keep(self, x: Value) -> Value:
            """Return an operand as the trace keeps it, unaffected by later changes of an array."""

        def elementwise(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...], sources: Sources) -> Traced:
            """Record and return the result z of `row` at the values `inside` of its arguments.

            `m` is their arithmetic; `sources` are the arguments that belong to this trace.
            """

        def general(self, function: Ruled, z: Value, inside: Values, keywords: Keywords, sources: Sources) -> Traced:
            """Record and return the result z of a function with its own rules, as `elementwise` does."""

        def ufunc(self, called: Function, method: str, inputs: Values, keywords: Keywords) -> Value:
            """Return the result of a ufunc, or of a method such as "reduce" of it, that NumPy passes on."""

        def function(self, called: Function, arguments: Values, keywords: Keywords) -> Value:
            """Return the result of another function of NumPy that NumPy passes on."""

        def getitem(self, x: Value, index: object) -> Array:
            """Return a part of an array of this trace."""

        def method(self, name: str) -> Function:
            """Return the function for a method of arrays that NumPy has no function for.

            These are astype, real, imag and conjugate.
            """
else:  # types are for annotations, which are not evaluated
    Plain = Value = Values = Function = Array = Kind = Doubles = Places = Linear = LinearRule = RowsRule = object
    Edges = Keywords = Axis = Mask = Mark = Sources = Ruled = Differentiation = object


MANY = 1000  # from this size on a new array costs more time than a sum
_NUMBERS = (float, int)
_ARITHMETIC = (ZeroDivisionError, OverflowError, ValueError)


# --- what kind of value something is, traced or not -------------------------------------------------------------------

# FLOAT for values whose type has been tested, which type checkers cannot see.
DOUBLES: Evaluating[Any] = FLOAT


def shape(x: object) -> tuple[int, ...]:
    """Return the shape of an array, traced or not; () for a number."""
    while isinstance(x, Overloaded):  # as `plain`, without a call: this runs for every argument
        x = x.value
    return getattr(x, "shape", ())


def is_complex(x: object) -> bool:
    """Return whether x is a number or an array of a complex type, traced or not."""
    while isinstance(x, Overloaded):
        x = x.value
    if hasattr(x, "dtype"):
        kind: str = x.dtype.kind
        return kind == "c"
    return isinstance(x, complex)


def finite(x: object) -> bool:
    """Return whether no number of `x`, traced or plain, is nan or infinite.

    True for an empty array, and for what is not a float or complex number or an array of these, such as int, a list or
    a string.
    """
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
    """Return zeros in the shape and type of x, plain also if x is traced; 0.0 for any number of Python, also complex.

    The zero for a whole number of NumPy is a double.
    """
    inside = plain(x)
    if not shape(inside):
        return 0.0 if not hasattr(inside, "dtype") else np.result_type(inside, np.float16).type(0)
    return np.zeros(inside.shape, inside.dtype)


# --- values of traces -------------------------------------------------------------------------------------------------


def is_doubles(x: Any) -> TypeGuard[NDArray[numpy.inexact]]:
    """Return whether x is an array of doubles that is not traced."""
    return "numpy" in sys.modules and type(x) is np.ndarray and x.dtype.char == "d"


class _OperatorRules(NamedTuple):
    """The parts of a row with two arguments that the fast operators on a tape need.

    function    its value
    left        the rule of the first partial, `(m, z, a, b)`
    right       the rule of the second partial
    crossed     whether each partial is the other argument
    always      the partials if they are the same at every point, else (None, None)
    conditions  the conditions on the arguments for the fast way, `(m, a, b)`: inside of the domain, no kink
    """

    function: Callable[..., Any]
    left: Callable[..., Any]
    right: Callable[..., Any]
    crossed: bool
    always: tuple[int, ...] | tuple[None, None]
    conditions: list[Callable[..., Any]]


def _operator_rules(row: Primitive) -> _OperatorRules:
    """Return the `_OperatorRules` of a row of two arguments: value, both partials, conditions of the fast way.

    The conditions are those of the domain, then those of no kink. Raises ValueError if an argument has no rule.
    """
    rules = row.partials
    if not isinstance(rules, tuple) or len(rules) != 2 or rules[0] is None or rules[1] is None:
        raise ValueError(f"{row.name} is not an operator with a rule for each side")
    conditions = [check.holds for check in row.domain]
    conditions += [kink.holds for kink in (row.kink(0), row.kink(1)) if kink is not None]
    always = constant_partials(row) or (None, None)
    return _OperatorRules(value_function(row, FLOAT), rules[0], rules[1], is_product(row), always, conditions)


def _operators(name: str) -> tuple[Callable[[Traced, Value], Value], Callable[[Traced, Value], Value]]:
    """Return (method of the operator for the row `name`, such as "add", method for a plain value before the operator).

    Both record doubles, with a plain operand or one of the same trace, directly on a tape; `operate` records all else.
    """
    row = ROWS[name]
    on_numbers, on_arrays = _on_numbers(row), _on_arrays(row)

    def operator(self: Traced, other: Value) -> Value:
        """Return the result of the row at (self, other); an `other` of another trace is left to `operate`."""
        a, trace = self.value, self.tracer
        edges = trace.edges
        if edges is not None:
            b, mark = other, None
            if type(other) is type(self) and other.tracer is trace:
                b, mark = other.value, other.mark
            step = on_numbers if type(a) is float else on_arrays
            result = step(trace, edges, a, self.mark, b, mark)
            if result is not None:
                return result
        return trace.operate(row, (self, other))

    def reflected(self: Traced, other: Value) -> Value:
        """Return the result of the row at (other, self)."""
        b, trace = self.value, self.tracer
        edges = trace.edges
        if edges is not None:
            step = on_numbers if type(b) is float else on_arrays
            result = step(trace, edges, other, None, b, self.mark)
            if result is not None:
                return result
        return trace.operate(row, (other, self))

    return operator, reflected


def _on_numbers(row: Primitive) -> Callable[..., Traced | None]:
    """Return the function `(trace, edges, a, mark_of_a, b, mark_of_b)` that writes `row` at numbers on a tape.

    The mark of a plain number is None. One tuple is appended to `edges`: (mark, partial) of each traced argument; the
    result is a Traced with its index as mark. At kinks, outside the domain, on overflow, and if a or b is not a float
    or int, nothing is written, and the result is None.
    """
    function, left, right, crossed, (by_left, by_right), conditions = _operator_rules(row)

    def step(
        trace: Differentiation, edges: list[Edges], a: float, first: Mark, b: float, second: Mark
    ) -> Traced | None:
        """Append the edges of the operation to `edges` and return the result; None if the trace has to do it.

        At least one of the marks `first` (of a) and `second` (of b) is not None.
        """
        if type(a) not in _NUMBERS or type(b) not in _NUMBERS:
            return None
        try:
            for holds in conditions:
                if not holds(DOUBLES, a, b):
                    return None
            z = function(a, b)
            if first is not None:
                way = (first, b if crossed else left(DOUBLES, z, a, b) if by_left is None else by_left)
            if second is not None:
                back = (second, a if crossed else right(DOUBLES, z, a, b) if by_right is None else by_right)
        except _ARITHMETIC:
            return None  # the trace raises the error
        if second is None:
            edges.append((way,))
        else:
            edges.append((back,) if first is None else (way, back))
        return Traced(z, trace, len(edges) - 1)

    return step


def _on_arrays(row: Primitive) -> Callable[..., Traced | None]:
    """Return the function `(trace, edges, a, mark_of_a, b, mark_of_b)` that records `row` at arrays on a tape.

    It returns the recorded TracedArray, or None, with nothing recorded, if it cannot. `a` and `b` must be arrays of
    doubles with axes. `b` may also be a number, and `a` too if each partial is constant or the other argument and the
    row has neither domain nor kink (as +, −, ×). Such partials are appended to `edges` directly if the plain operand is
    a number or has the shape of the other; else `trace.elementwise` records. Values are not checked (nan is recorded);
    kinks="error" takes the slow way, which notes kinks. The mark of a plain value is None.
    """
    rules = _operator_rules(row)
    crossed, (by_left, by_right) = rules.crossed, rules.always
    plain_row = (crossed or by_left is not None) and not rules.conditions

    def step(trace: Differentiation, edges: list[Edges], a: Any, first: Mark, b: Any, second: Mark) -> Traced | None:
        """Return the recorded result; None, with nothing recorded, for other values. `first`, `second`: the marks."""
        if is_doubles(a) and a.shape and not (rules.conditions and collects_arrays()):
            if not (type(b) in _NUMBERS or (is_doubles(b) and b.shape)):
                return None
        elif not (plain_row and type(a) in _NUMBERS and is_doubles(b) and b.shape):
            return None
        z = row.value(ARRAYS, a, b)
        a, b = a if first is not None else trace.keep(a), b if second is not None else trace.keep(b)
        if not (plain_row and (shape(a) in ((), b.shape) if first is None else shape(b) in ((), a.shape))):
            sources = [(place, mark) for place, mark in enumerate((first, second)) if mark is not None]
            return trace.elementwise(row, ARRAYS, z, (a, b), sources)
        ways = ((first, b if crossed else by_left), (second, a if crossed else by_right))
        edges.append(tuple([(mark, way) for mark, way in ways if mark is not None]))
        return TracedArray(z, trace, len(edges) - 1)

    return step


@cache
def fast_function(name: str) -> Callable[[object], Traced | None] | None:
    """Return the function that records the table's function `name` (or alias) at one traced double on a tape.

    None if `name` is unknown, if the function does not have exactly one argument, or if it has no slope. The returned
    function gives None, with nothing recorded, for other arguments, without a tape, at kinks, outside the domain and on
    overflow.
    """
    row = lookup(name)
    rules = None if row is None else row.partials
    if row is None or not isinstance(rules, tuple) or len(rules) != 1 or rules[0] is None:
        return None
    value, rule, kink = row.value, rules[0], row.kink(0)
    conditions = [check.holds for check in row.domain] + ([] if kink is None else [kink.holds])

    def function(x: object) -> Traced | None:
        """Return the recorded value at x; None in the other cases."""
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
def _fast_ufunc(ufunc: Function) -> Callable[[object], Traced | None] | None:
    """Return the fast way for a ufunc of NumPy; None for a ufunc of another library with the same name."""
    return fast_function(ufunc.__name__) if getattr(np, ufunc.__name__, None) is ufunc else None


@with_operators(_operators)
class Traced(Comparing, Tracked, ArrayMethods):
    """A number of the trace of one differentiation."""

    __slots__ = ()
    tracer: Differentiation
    mark: Mark

    @override
    def __floordiv__(self, other: Value) -> Value:
        return _python_floor(super().__floordiv__(other), self, other)

    @override
    def __rfloordiv__(self, other: Value) -> Value:
        return _python_floor(super().__rfloordiv__(other), other, self)

    def __divmod__(self, other: Value) -> tuple[Value, Value]:
        return self // other, self % other

    def __rdivmod__(self, other: Value) -> tuple[Value, Value]:
        return other // self, other % self

    # --- numbers as NumPy sees them ---

    @override
    def __getattr__(self, name: str) -> Function:
        attribute = method(self, name)
        return super().__getattr__(name) if attribute is None else attribute

    @property
    def dtype(self) -> numpy.dtype[numpy.inexact]:
        """The type of the number as a dtype of NumPy; float64 for a float."""
        kind: numpy.dtype[numpy.inexact] = NumberType(np.asarray(plain(self)).dtype)
        return kind

    @property
    def real(self) -> Value:
        return self.tracer.method("real")(self)

    @property
    def imag(self) -> Value:
        return self.tracer.method("imag")(self)

    def conjugate(self) -> Value:
        return self.tracer.method("conjugate")(self)

    conj = conjugate

    def astype(
        self, dtype: DTypeLike, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Value:
        """Return the array in another type, the array itself only without `copy`; `order`, `subok` have no effect."""
        converted = self.tracer.method("astype")(self, dtype, casting)
        return copy_unshared(converted) if copy else converted

    def __array__(self, *_: object, copy: bool | None = None) -> NDArray[numpy.object_]:
        """Return an array of objects in the shape of this value: traced numbers.

        It is read-only unless `copy` is true, and without `copy` noted as sharing memory with this array. Raises
        Unsupported if a function of SciPy calls it.
        """
        refuse_scipy_call(sys._getframe(1))
        objects: NDArray[numpy.object_] = np.empty(self.shape, object)
        if not self.shape:
            objects[()] = self
        for place, part in enumerate(np.ravel(self) if self.shape else ()):
            objects.flat[place] = part
        objects.flags.writeable = bool(copy)
        if not copy and isinstance(self, SharingMemory):
            self.relate(objects)
        return objects

    def __array_ufunc__(self, ufunc: Function, method: str, *inputs: Value, **keywords: object) -> Value:
        if len(inputs) == 1 and not keywords and method == "__call__":
            function = _fast_ufunc(ufunc)
            if function is not None and (done := function(self)) is not None:
                return done
        return self.tracer.ufunc(ufunc, method, inputs, keywords)

    def __array_function__(self, function: Function, types: object, arguments: Values, keywords: Keywords) -> Value:
        return self.tracer.function(function, arguments, keywords)


class SharingMemory(Traced):
    """A traced array or a view of one; `relatives` are the arrays in use, itself included, that may share memory with
    it, by `id`; None if there are none.
    """

    __slots__ = ("__weakref__", "relatives")

    def __init__(self, value: object, tracer: Differentiation, mark: Mark) -> None:
        self.value = value
        self.tracer = tracer
        self.mark = mark
        self.relatives: WeakValueDictionary[int, object] | None = None

    def relate(self, other: object) -> None:
        """Add `other`, an array, view or array of objects that shares memory with this array, to `relatives`.

        If `other` is traced, this mapping of weak references becomes its `relatives`; its former one is dropped.
        """
        if self.relatives is None:
            self.relatives = WeakValueDictionary({id(self): self})
        self.relatives[id(other)] = other
        if isinstance(other, SharingMemory):
            other.relatives = self.relatives


class TracedView(RefusingChanges, SharingMemory):
    """An element of an array as a view of shape (), such as `y[..., 0]`, which cannot be changed in place."""

    __slots__ = ()


class TracedArray(ChangingInPlace, SharingMemory):
    """An array of one trace."""

    __slots__ = ()

    @override
    def __pos__(self) -> TracedArray:
        return TracedArray(self.value, self.tracer, self.mark)

    @property
    @override
    def dtype(self) -> numpy.dtype[numpy.inexact]:
        """The type of the numbers."""
        kind: numpy.dtype[numpy.inexact] = plain(self).dtype
        return kind

    @override
    def __array_ufunc__(self, ufunc: Function, method: str, *inputs: Value, **keywords: object) -> Value:
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
    """Return the value as a traced value with this mark: a number (Traced) or an array (TracedArray)."""
    is_number = type(value) is float or not getattr(value, "shape", ())
    return Traced(value, trace, mark) if is_number else TracedArray(value, trace, mark)


def copy_unshared(x: Value) -> Value:
    """Return a traced array as a new one with the same value and mark that shares memory with none; others as is."""
    return TracedArray(x.value, x.tracer, x.mark) if isinstance(x, TracedArray) else x


def _python_floor(quotient: Value, a: Value, b: Value) -> Value:
    """Return the floor of a quotient as Python rounds it, once: 1 // 0.1 is 9, although 1 / 0.1 is 10.

    `quotient` is the traced floor of a / b; if it is not Python's result everywhere (or nan), this is returned, plain.
    """
    exact = plain(a) // plain(b)
    agree = plain(quotient) == exact
    return quotient if (agree.all() if shape(agree) else agree) else exact


def number(x: Value) -> Value:
    """Return `x`, with a NumPy number (0-dimensional) of type double, complex double, int8 or long as one of Python.

    An array of objects becomes one array, traced if it has traced numbers (`_stack_objects`, which raises Unsupported
    for a matrix or masked array). Other values, such as lists or single precision, are returned unchanged.
    """
    if type(x) is float or isinstance(x, Traced):
        return x
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return x
    if dtype.kind == "O":
        return _stack_objects(x)
    array: NDArray[numpy.inexact] = x
    return array.item() if array.ndim == 0 and dtype.char in "dDbl" else array


def _stack_objects(objects: NDArray[numpy.object_]) -> Value:
    """Return an array of objects, some of them traced, as one traced array (without axes: as a traced number).

    A new plain array, of a common type, if no item is traced. Raises Unsupported for a matrix or a masked array.
    """
    refuse_array_subclasses(objects)
    parts = [number(part) for part in objects.ravel()]
    if not any(isinstance(part, Traced) for part in parts):
        return np.array(parts).reshape(objects.shape)
    return np.reshape(np.stack(parts), objects.shape) if objects.ndim else parts[0]


def as_array(x: object) -> Array:
    """Return x, which may be a number or a list with traced numbers, as an array, traced or not.

    A traced number is returned as it is: it counts as an array of shape ().
    """
    array: Doubles = x if isinstance(x, Traced) else number(np.asarray(x))
    return array if isinstance(array, Traced) else np.asarray(array)


def innermost_trace(arguments: Values) -> Differentiation | None:
    """Return the innermost trace that an argument belongs to; None if no argument is traced.

    Raises TracingProblem if two traces have the same level, because one of them has ended.
    """
    trace = None
    for a in arguments:
        if isinstance(a, Traced) and a.tracer is not trace:
            if trace is None or a.tracer.level > trace.level:
                trace = a.tracer
            elif a.tracer.level == trace.level:
                title = "a traced value is used after its differentiation has ended"
                advice = "return values from the function instead of keeping them elsewhere"
                raise TracingProblem(title, label=f"{a!r} belongs to an earlier call", help=advice)
    return trace


def unwrap_arguments(trace: Differentiation, arguments: Values) -> tuple[Value, ...]:
    """Return the arguments, with those of this trace replaced by the values inside.

    Arrays of other traces are replaced by new ones, since an operator such as `*=` may change them later.
    """
    return tuple([a.value if isinstance(a, Traced) and a.tracer is trace else copy_unshared(a) for a in arguments])
