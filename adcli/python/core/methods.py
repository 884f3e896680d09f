"""What NumPy's arrays and numbers have as methods and attributes, for traced values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from ...graph.overloading import TracingProblem, in_place, plain
from ...numbers.numpy_arrays import np
from .unsupported import unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    import numpy
    from numpy.typing import NDArray

    # What they give, which is traced.
    Array: TypeAlias = NDArray[numpy.inexact]
    Value: TypeAlias = float | complex | Array

# Methods that are functions of NumPy with the array in front.
FUNCTIONS = frozenset((
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "conj", "copy", "cumprod", "cumsum", "diagonal",
    "dot", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "round", "searchsorted", "squeeze", "std",
    "sum", "swapaxes", "take", "trace", "var",
))  # fmt: skip
# Methods that would change the array, and those that read its memory as something else.
IN_PLACE = frozenset(("fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort"))
OF_MEMORY = frozenset((
    "byteswap", "choose", "dump", "dumps", "getfield", "newbyteorder", "to_device", "tobytes", "tofile", "tostring",
    "view",
))  # fmt: skip
# What the array is besides its numbers.
ATTRIBUTES = frozenset(("itemsize", "nbytes", "strides"))


class ArrayMethods:
    """The methods and attributes of arrays and of NumPy's numbers (`T`, `mT`, `reshape` …), by NumPy's functions."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:
        found: tuple[int, ...] = getattr(plain(self), "shape", ())
        return found

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        count = 1
        for length in self.shape:
            count *= length
        return count

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
        """The same numbers in another shape.  Raises Unsupported for `copy=False`."""
        if copy is False:
            raise unsupported("ndarray.reshape", "with copy=")
        return np.reshape(self, lengths[0] if len(lengths) == 1 else lengths, order=order)

    def transpose(self, *axes: int | Sequence[int] | None) -> Array:
        """The array with its axes in another order; in reverse where none is given."""
        return np.transpose(self, (axes[0] if len(axes) == 1 else axes) or None)

    def flatten(self, order: str = "C") -> Array:
        """All numbers in one row."""
        return np.ravel(self, order)

    def clip(
        self,
        min: Value | None = None,  # noqa: A002 - NumPy's name
        max: Value | None = None,  # noqa: A002 - NumPy's name
        out: None = None,
        **keywords: object,
    ) -> Array:
        """The array with what lies outside of two bounds put to them."""
        return np.clip(self, min, max, out, **keywords)

    def compress(self, condition: Sequence[bool], axis: int | None = None, out: None = None) -> Array:
        """The parts of the array along an axis for which the condition holds."""
        return np.compress(condition, self, axis, out)

    def tolist(self) -> object:
        """The array as nested lists of traced numbers; a number as itself."""
        return [row.tolist() for row in self] if self.ndim else self  # type: ignore[attr-defined]

    def item(self, *index: int | tuple[int, ...]) -> Value:
        """One number of the array: the only one, or that at an index.  Raises TracingProblem where it has several."""
        if self.size != 1 and not index:
            raise TracingProblem("only an array of one number has an item", label=f"this has {self.size}")
        several = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
        found: Value = self[several] if len(several) > 1 else np.ravel(self)[several[0] if several else 0]  # type: ignore[index]
        return found


def method(x: ArrayMethods, name: str) -> Callable[..., Value] | None:
    """A method that is a function of NumPy, or that is refused, or an attribute; None for another name."""
    if name in FUNCTIONS:
        function = getattr(np, name)
        return lambda *arguments, **keywords: function(x, *arguments, **keywords)
    if name in ATTRIBUTES:
        attribute: Callable[..., Value] = getattr(np.asarray(plain(x)), name)
        return attribute
    if name not in IN_PLACE and name not in OF_MEMORY:
        return None

    def refused(*_: object, **__: object) -> NoReturn:
        raise in_place() if name in IN_PLACE else unsupported(f"ndarray.{name}")

    return refused
