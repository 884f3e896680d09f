"""A pool of arrays for results: arrays of earlier calls that are no longer referenced, and arrays of the caller
(`out`).

Memory that is new to a process is mapped page by page, which takes as long as computing a column.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from ..errors import NameProblem, RequestError
from ..records import NamedTuple
from ..table.suggest import advice_on_name
from ..typings import Final
from .numpy_doubles import Doubles, np

_LEAST: Final = 1 << 13  # doubles in an array that is worth keeping
_MOST: Final = 1 << 24  # doubles that are kept by a pool: 128 megabytes


class Pool:
    """A pool of result arrays, which are reused when no caller refers to them any more.

    A result is a view of an array of the pool, and so is every view of a result: each of them refers to the array
    itself.
    """

    def __init__(self) -> None:
        self._kept: list[_Memory] = []
        self._serves = _counts_references()

    def arrays(self, count: int, length: int) -> list[Doubles]:
        """Return `count` arrays of `length` doubles with arbitrary contents.

        They are views of arrays that the pool keeps for the next call. An array of the last call is reused if that had
        the same `count` and `length` and no caller refers to the array any more; all others are new. Nothing is kept or
        reused if `length` is below 8192, if `count`·`length` exceeds 2^24 (128 MB), or if reference counts are not
        reliable (not CPython, or without its global lock); arrays that are kept stay so.
        """
        if not count or length < _LEAST or count * length > _MOST or not self._serves:
            return [np.empty(length) for _ in range(count)]
        spare, self._kept = self._kept, []  # another call in flight finds none
        if len(spare) != count or spare[0].length != length:
            spare = [_new_memory(length, position) for position in range(count)]
        spare = [
            memory if sys.getrefcount(memory.x) == _ALONE else _new_memory(length, position)
            for position, memory in enumerate(spare)
        ]
        results = [memory.x[memory.part] for memory in spare]
        self._kept = spare  # not before each of them is referred to
        return results


_PAGE: Final = 512  # doubles
_LINE: Final = 8  # doubles that the processor moves at once


class _Memory(NamedTuple):
    """Memory of one result: `part` is the slice of the slightly larger array `x` that is the result, of `length`
    doubles.
    """

    x: Doubles
    part: slice
    length: int


def _new_memory(length: int, position: int = 0) -> _Memory:
    """Return new memory for `length` doubles: an array that is 512 doubles longer, and the slice of it to be used,
    `part`.

    The slice begins at cache line `position` of a page (64 bytes each). If columns began at the same place of their
    pages, writing one would wait for reading another.
    """
    x = np.empty(length + _PAGE)
    first = (position * _LINE - x.__array_interface__["data"][0] // x.itemsize) % _PAGE
    return _Memory(x, slice(first, first + length), length)


def side_by_side(count: int, length: int) -> list[Doubles]:
    """Return `count` new arrays of this length, one after the other from the start of a page."""
    memory = _new_memory(count * length)
    together = memory.x[memory.part]
    return [together[k * length : (k + 1) * length] for k in range(count)]


_ALONE: Final = 2  # references to an array that its memory alone refers to: that, and the argument of `getrefcount`


def _counts_references() -> bool:
    """Return whether reference counts are reliable: in CPython with the global interpreter lock."""
    return sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()


def views_of_out(
    out: Mapping[str, Doubles], names: Sequence[str], shape: tuple[int, ...], points: Sequence[Doubles]
) -> dict[str, Doubles]:
    """Return the caller's arrays of `out`, by column name, as one-dimensional views; {} if `out` is empty.

    `names` are the columns, of which `out` may lack some; `shape` is that of the points, `points` the input arrays.
    Raises NameProblem for a name that is not a column. Raises RequestError if `out` is not a mapping, or if an array is
    not writable, C-contiguous and of type float64, has another shape, or may share memory with `points` or an earlier
    array.
    """
    arrays: dict[str, Doubles] = {}
    if not isinstance(out, Mapping):
        title = "out is not a mapping of names to arrays"
        raise RequestError(title, label=f"its type is {type(out).__name__}", help=f'out={{"{names[0]}": …}}')
    for name, x in out.items():
        if name not in names:
            raise NameProblem(f"the name {name} is not a column", help=advice_on_name(name, names, kind="columns"))
        if not isinstance(x, np.ndarray) or x.dtype != np.float64 or not x.flags.c_contiguous or not x.flags.writeable:
            raise RequestError(
                f"the array for {name} cannot be filled", label="a writable, contiguous array of doubles is needed"
            )
        if x.shape != shape:
            raise RequestError(
                f"the array for {name} has another shape than the points", label=f"{x.shape} and {shape}"
            )
        if any(np.may_share_memory(x, other) for other in (*points, *arrays.values())):
            raise RequestError(f"the array for {name} shares memory with the points or with another column")
        arrays[name] = np.asarray(x).reshape(-1)  # a matrix would keep two dimensions
    return arrays
