"""Methods, operators, attributes and number types (dtypes) of NumPy's arrays and numbers, for traced values."""

from __future__ import annotations

import math
import operator
from functools import cache

from ...grammar_files import read_sections
from ...graph.overloading import TracingProblem, Tracked, in_place, plain
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, override
from .contexts import collects_arrays, record_tie
from .unsupported import unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy
    from numpy.typing import NDArray

    # Results, which are traced.
    Array: TypeAlias = NDArray[numpy.inexact]
    Value: TypeAlias = float | complex | Array

# Functions, methods and attributes of NumPy by the way in which traced values go through them.
KINDS: Final = {kind: " ".join(lines).split() for kind, lines in read_sections("numpy_functions.txt").items()}
FUNCTIONS, IN_PLACE, OF_MEMORY, ATTRIBUTES = (
    frozenset(KINDS[kind]) for kind in ("methods", "changing methods", "memory methods", "attributes")
)


class ArrayMethods:
    """A base class with the methods and attributes of arrays and NumPy's numbers (`T`, `mT`, `reshape` …), which call
    NumPy's functions.
    """

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:
        lengths: tuple[int, ...] = getattr(plain(self), "shape", ())
        return lengths

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def T(self) -> Array:  # noqa: N802 - NumPy's name
        return np.transpose(self)

    @property
    def mT(self) -> Array:  # noqa: N802 - NumPy's name
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return np.swapaxes(self, -1, -2)

    @property
    def flat(self) -> Array:
        """All numbers in one row."""
        return np.ravel(self)

    def reshape(self, *lengths: int | Sequence[int], order: str = "C", copy: bool | None = None) -> Array:
        """Return the same numbers in another shape.  Raises Unsupported for `copy=False`."""
        if copy is False:
            raise unsupported("ndarray.reshape", "with copy=")
        return np.reshape(self, lengths[0] if len(lengths) == 1 else lengths, order=order)

    def transpose(self, *axes: int | Sequence[int] | None) -> Array:
        """Return the array with its axes in this order; in reverse order without arguments."""
        return np.transpose(self, (axes[0] if len(axes) == 1 else axes) or None)

    def flatten(self, order: str = "C") -> Array:
        """Return all numbers in an array with one axis."""
        return np.copy(np.ravel(self, order))

    def clip(
        self,
        min: Value | None = None,  # noqa: A002 - NumPy's name
        max: Value | None = None,  # noqa: A002 - NumPy's name
        out: None = None,
        **keywords: object,
    ) -> Array:
        """Return the array with each number limited to the range from `min` to `max` (None: no limit), as `np.clip`.

        Raises as the rule of `np.clip` does, e.g. Unsupported for `out` other than None.
        """
        return np.clip(self, min, max, out, **keywords)

    def compress(self, condition: Sequence[bool], axis: int | None = None, out: None = None) -> Array:
        """Return the parts along an axis for which the condition is true."""
        return np.compress(condition, self, axis, out)

    def tolist(self) -> object:
        """Return the array as nested lists of traced numbers; a number as itself."""
        return [row.tolist() for row in self] if self.ndim else self  # type: ignore[attr-defined]

    def item(self, *index: int | tuple[int, ...]) -> Value:
        """Return one number of the array, traced: the only one, or the one at `index`.

        The index is a position in row-major order, or one position for each axis, as several arguments or as a tuple.
        Raises TracingProblem without an index if the array does not have exactly one number, IndexError if the index is
        out of range.
        """
        if self.size != 1 and not index:
            raise TracingProblem("item() needs an array of one number", label=f"numbers in the array: {self.size}")
        place = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
        element: Value = self[place] if len(place) > 1 else np.ravel(self)[place[0] if place else 0]  # type: ignore[index]
        return element


def method(x: ArrayMethods, name: str) -> Callable[..., Value] | None:
    """Return the method or attribute `name` of the traced array `x`; None for a name that this module does not list.

    A method in FUNCTIONS (sum, reshape, …) calls the function of NumPy of this name with x as first argument. A name in
    ATTRIBUTES (itemsize, nbytes, strides) gives the value for the plain array, which is not a function. A method in
    IN_PLACE (sort, …), which would change x, raises TracingProblem when it is called. A method in OF_MEMORY (byteswap,
    …), which depends on the memory of x, raises Unsupported when it is called.
    """
    if name in FUNCTIONS:
        function = getattr(np, name)
        return lambda *arguments, **keywords: function(x, *arguments, **keywords)
    if name in ATTRIBUTES:
        attribute: Callable[..., Value] = getattr(np.asarray(plain(x)), name)
        return attribute
    if name not in IN_PLACE and name not in OF_MEMORY:
        return None

    def raise_error(*_: object, **__: object) -> NoReturn:
        raise in_place() if name in IN_PLACE else unsupported(f"ndarray.{name}")

    return raise_error


# --- Python's operators that are not rows of the table: comparisons, and those that change an array -------------------


def _is_array(x: object) -> bool:
    return bool(getattr(x, "shape", ()))


def _comparison(compare: Callable[[Any, Any], Any], text: str) -> Callable[[Tracked, object], Any]:
    """Return the method of a comparison, `compare`, written `text`, of the plain values, with a plain result.

    `text` is the operator's sign, such as "<". Equal numbers are recorded as a tie (`record_tie`), with the title `1.0
    < 1.0 compares equal numbers`, except if both are the same operation of the same trace; those of arrays only for
    kinks="error".
    """

    def compared(self: Tracked, other: object) -> Any:
        a, b = plain(self), plain(other)
        if _is_array(a) or _is_array(b):
            if collects_arrays() and np.any(a == b) and not _same(self, other):
                record_tie(f"the operator {text} compares two equal numbers")
        elif a == b and not _same(self, other):
            record_tie(f"{a!r} {text} {b!r} compares two equal numbers")
        return compare(a, b)

    return compared


def _same(a: Tracked, b: object) -> bool:
    return isinstance(b, Tracked) and a.tracer is b.tracer and a.mark is b.mark


class Comparing:
    """The comparisons and the truth value of a traced value; equal numbers are recorded as a tie."""

    __slots__ = ()

    __lt__, __le__ = _comparison(operator.lt, "<"), _comparison(operator.le, "<=")
    __gt__, __ge__ = _comparison(operator.gt, ">"), _comparison(operator.ge, ">=")
    __eq__, __ne__ = _comparison(operator.eq, "=="), _comparison(operator.ne, "!=")

    @override
    def __hash__(self) -> int:
        return hash(plain(self))

    def __bool__(self) -> bool:
        truth = bool(plain(self))
        if not truth and not _is_array(plain(self)):
            record_tie("a number that Python uses as a condition is exactly 0")
        return truth


def _in_place(name: str) -> Callable[[Any, object], Any]:
    """Return the method of an operator such as `*=`, which gives the array itself the new value and returns it.

    `name` is the method of the operator without `=`, such as "__mul__". In this order, the method raises TracingProblem
    if the array (not `other`) shares memory with another one; whatever the operation raises; TracingProblem if the
    result is untraced, of another trace or NotImplemented; ValueError if the shape of the result differs from that of
    the array; TypeError if its dtype cannot be cast to that of the array by NumPy's rule "same_kind".
    """

    def change(self: Any, other: object) -> Any:
        """Give the array the value of the operation, in place, and return it.

        Raises TracingProblem if memory is shared or the result is not of this trace, ValueError for another shape,
        TypeError for a dtype that cannot be cast.
        """
        if self.relatives is not None and len(self.relatives) > 1:
            raise shared_memory()
        result = getattr(self, name)(other)
        if getattr(result, "tracer", None) is not self.tracer:
            raise in_place()
        if result.shape != self.shape:
            raise ValueError(f"the result of shape {result.shape} does not fit into an array of shape {self.shape}")
        if result.dtype != self.dtype:
            result = result.astype(self.dtype, casting="same_kind")
        self.value, self.mark = result.value, result.mark
        return self

    return change


def shared_memory() -> TracingProblem:
    """Return the error for an operator such as `*=` on an array whose elements are also those of another one."""
    title = "this array shares memory with another one and cannot be changed in place"
    advice = "write z = z * 3, which makes a new array, or take a copy before: z = y[::2].copy()"
    return TracingProblem(title, label="one of them is a view, such as y[::2], y.T or y.reshape(...)", help=advice)


def changed_after_use(reason: str) -> TracingProblem:
    """Return the error for a change of an array that a recorded operation has used, for a `reason` such as NumPy's."""
    title = "an array is changed in place after a result was computed from it"
    return TracingProblem(title, label=reason, help="change a copy of the array: b = b.copy()")


class ChangingInPlace:
    """The operators, such as `*=`, that change an array under all its names."""

    __slots__ = ()

    __iadd__, __isub__, __imul__ = _in_place("__add__"), _in_place("__sub__"), _in_place("__mul__")
    __itruediv__, __ifloordiv__ = _in_place("__truediv__"), _in_place("__floordiv__")
    __imod__, __ipow__, __imatmul__ = _in_place("__mod__"), _in_place("__pow__"), _in_place("__matmul__")


class RefusingChanges:
    """The same operators of an array of shape () that is a view of another one: each raises TracingProblem."""

    __slots__ = ()

    def _refuse_change(self, _: object) -> NoReturn:
        """Raise TracingProblem, since the elements are also those of another array."""
        raise shared_memory()

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _refuse_change


# --- number types ----------------------------------------------------------------------------------------------------


class NumberType:
    """The dtype of a traced number: NumPy's own, but its `type` returns a traced number unchanged.

    NumPy calls `dtype.type` on the mean of a list of objects.
    """

    def __init__(self, dtype: numpy.dtype[numpy.inexact]) -> None:
        self.dtype = dtype

    def __getattr__(self, name: str) -> object:
        return getattr(self.dtype, name)

    @property  # type: ignore[misc]  # so that it passes for NumPy's own
    @override
    def __class__(self) -> type[numpy.dtype[numpy.inexact]]:
        return type(self.dtype)

    @property
    def type(self) -> type[numpy.inexact]:
        return _tracing_type(self.dtype.type)

    @override
    def __eq__(self, other: object) -> bool:
        return bool(self.dtype == other)

    @override
    def __hash__(self) -> int:
        return hash(self.dtype)

    @override
    def __repr__(self) -> str:
        return repr(self.dtype)

    @override
    def __str__(self) -> str:
        return str(self.dtype)


@cache
def _tracing_type(kind: type[numpy.inexact]) -> type[numpy.inexact]:
    """Return a subclass of the NumPy type `kind` whose calls return traced numbers unchanged."""

    def new(_: object, x: object = 0.0) -> object:
        return x if isinstance(x, Tracked) else kind(x)

    return type(kind.__name__, (kind,), {"__new__": new, "__slots__": ()})
