"""Python's operators on traced values that are not rows of the table: comparisons, and those that change an array."""

from __future__ import annotations

import operator
from collections.abc import Callable

from ...graph.overloading import TracingProblem, Tracked, in_place, plain
from ...typings import Any, NoReturn, override
from .contexts import record_tie


def _is_array(x: object) -> bool:
    return bool(getattr(x, "shape", ()))


def _comparison(compare: Callable[[Any, Any], Any], text: str) -> Callable[[Tracked, object], Any]:
    """Return the method of a comparison, `compare`, written `text`, which compares the plain values and returns a plain
    result.

    Equal numbers are recorded as a tie (`record_tie`), except a number compared with itself; arrays are compared
    without ties.
    """

    def compared(self: Tracked, other: object) -> Any:
        a, b = plain(self), plain(other)
        if not _is_array(a) and not _is_array(b) and a == b and not _same(self, other):
            record_tie(f"{a!r} {text} {b!r} compares equal numbers")
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
            record_tie("a number is 0 where Python asks whether it is")
        return truth


def _in_place(name: str) -> Callable[[Any, object], Any]:
    """Return the method of an operator such as `*=`: it gives the array itself the new value and returns it.

    `name` is the method without `=`. Raises TracingProblem if the array shares memory with another one, or the result
    is untraced, of another trace or NotImplemented; ValueError if its shape differs; TypeError if its dtype cannot be
    cast to the array's ("same_kind"), as NumPy does.
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
    return TracingProblem(
        "this array shares memory with another one and cannot be changed in place",
        label="one of them is a view, such as y[::2], y.T or y.reshape(...)",
        help="write z = z * 3, which makes a new array, or take a copy before: z = y[::2].copy()",
    )


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
        raise shared_memory()

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _refuse_change
