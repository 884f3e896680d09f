"""Parts of arrays, and their adjoints, gathered in one array instead of one array for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from .evaluation import Differentiable, linear
from .traced import Traced, shape

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .traced import Array, Doubles, Value


@final
class PartAdjoint:
    """An adjoint for the part of an array that an index picks; `like` is the array."""

    __slots__ = ("g", "index", "like")

    def __init__(self, g: Value, index: object, like: NDArray[numpy.inexact]) -> None:
        self.g = g
        self.index = index
        self.like = like


@final
class Gathered:
    """An array of adjoints that is filled in place, being in no other hands."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def add(self, part: PartAdjoint) -> None:
        """Adds a contribution to a part."""
        if type(self.array) is not np.ndarray or np.result_type(self.array, part.g) != self.array.dtype:
            self.array = self.array + scattered(part.g, part.index, part.like)
        elif _is_basic(part.index):
            self.array[part.index] += part.g
        else:
            np.add.at(self.array, part.index, part.g)

    def plus(self, share: Value) -> Gathered:
        """The same with one more contribution."""
        if type(share) is np.ndarray and np.result_type(self.array, share) == self.array.dtype:
            self.array += share
        else:
            self.array = self.array + share
        return self


def begun(first: PartAdjoint, before: Value | None) -> Array:
    """A new array for adjoints of parts, with what there is already."""
    zeros = np.zeros(first.like.shape, np.result_type(first.g, first.like))
    return zeros if before is None else zeros + before


def _is_basic(index: object) -> bool:
    """Whether an index is of whole numbers and slices alone, so that it meets no element twice."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(isinstance(part, (int, slice, type(None), type(Ellipsis), np.integer)) for part in parts)


def scattered(g: Value, index: object, like: NDArray[numpy.inexact]) -> NDArray[numpy.inexact]:
    """Zeros in the shape of an array, with an adjoint added where the index picks."""
    found = np.zeros(like.shape, np.result_type(g, like))
    if _is_basic(index):
        found[index] += g
    else:
        np.add.at(found, index, g)
    return found


def getitem(x: Value, index: object) -> Array:
    """A part of an array: by whole numbers, slices, masks and arrays of whole numbers."""
    return _PART(x, index=tuple(map(plain, index)) if isinstance(index, tuple) else plain(index))


def _part_back(g: Value, x: Value, index: object) -> Value | PartAdjoint:
    like = plain(x)
    return _SCATTER(g, index=index, like=like) if isinstance(g, Traced) else PartAdjoint(g, index, like)


def _in_rows(index: object) -> tuple[object, ...]:
    """The index of the same part in each of many rows."""
    return (slice(None), *index) if isinstance(index, tuple) else (slice(None), index)


def _part_rows(k: int, g: Doubles, z: Value, x: Value, index: object) -> Doubles | None:
    if not _is_basic(index):
        return None
    found = np.zeros((len(g), *shape(x)), np.result_type(g, x))
    found[_in_rows(index)] = g
    return found


def _scattered_rows(k: int, g: Doubles, z: Value, x: Value, index: object, like: Doubles) -> Doubles | None:
    return g[_in_rows(index)] if _is_basic(index) else None


_PART: Differentiable = linear("getitem", lambda x, index: x[index], _part_back, _part_rows)
_SCATTER: Differentiable = linear(
    "setitem", scattered, lambda g, x, index, like: getitem(g, index) if shape(g) else g, _scattered_rows
)


def scattered_parts(g: Value, index: object, like: NDArray[numpy.inexact]) -> Value:
    """Zeros in the shape of an array with numbers, traced or not, where the index picks."""
    return _SCATTER(g, index=index, like=like)
