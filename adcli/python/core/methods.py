"""Methods and attributes of NumPy's arrays and numbers, for traced values."""

from __future__ import annotations

import math

from ...graph.overloading import TracingProblem, in_place, plain
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING, NoReturn
from .unsupported import unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    import numpy
    from numpy.typing import NDArray

    # Results, which are traced.
    Array: TypeAlias = NDArray[numpy.inexact]
    Value: TypeAlias = float | complex | Array

# Methods that are functions of NumPy with the array in front.
FUNCTIONS = frozenset((
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "copy", "cumprod", "cumsum", "diagonal",
    "dot", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "round", "searchsorted", "squeeze", "std",
    "sum", "swapaxes", "take", "trace", "var",
))  # fmt: skip
# Methods that would change the array, and those that depend on its memory.
IN_PLACE = frozenset(("fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort"))
OF_MEMORY = frozenset((
    "byteswap", "choose", "dump", "dumps", "getfield", "newbyteorder", "to_device", "tobytes", "tofile", "tostring",
    "view",
))  # fmt: skip
# Attributes that describe the memory of the array.
ATTRIBUTES = frozenset(("itemsize", "nbytes", "strides"))


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
        """Return the array with each number limited to the range from `min` to `max`, as `np.clip` does; None for no
        limit.

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

        The index is a position in row-major order, or one position for each axis, as several arguments or a tuple.
        Raises TracingProblem without an index unless the array has exactly one number, IndexError out of range.
        """
        if self.size != 1 and not index:
            raise TracingProblem("only an array of one number has an item", label=f"numbers in the array: {self.size}")
        place = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
        element: Value = self[place] if len(place) > 1 else np.ravel(self)[place[0] if place else 0]  # type: ignore[index]
        return element


def method(x: ArrayMethods, name: str) -> Callable[..., Value] | None:
    """Return the method or attribute `name` of the traced array `x`; None for a name in none of the lists of this
    module.

    A method in FUNCTIONS (such as sum, reshape) calls the function of NumPy of this name with x first; one that would
    change x (IN_PLACE, such as sort) raises TracingProblem when called, one that depends on its memory (OF_MEMORY, such
    as byteswap) Unsupported. A name in ATTRIBUTES (itemsize, nbytes, strides) gives the value for the plain array, not
    a function.
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
