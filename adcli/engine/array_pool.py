"""A pool of arrays for results: arrays of earlier calls that are no longer referenced, and arrays of the caller
(`out`).

Memory that is new to a process is mapped page by page, which takes as long as computing a column.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ..errors import NameProblem, RequestError
from ..extras import Later
from ..records import NamedTuple
from ..table.suggest import advice_on_name

if TYPE_CHECKING:
    import numpy as np

    from .sincos import Doubles
else:
    np = Later("numpy", "numpy")

_LEAST: Final = 1 << 13  # doubles in an array that is worth keeping
_MOST: Final = 1 << 24  # doubles that are kept by a pool: 128 megabytes


class Pool:
    """Arrays that were results, to be used again when nobody else refers to them.

    A result is part of an array here, and so is every part of a result: each of them refers to the array itself.
    """

    __slots__ = ("_kept", "_serves")

    def __init__(self) -> None:
        self._kept: list[_Memory] = []
        self._serves = _counts_references()

    def arrays(self, count: int, length: int) -> list[Doubles]:
        """So many arrays of this length, whose contents are anything."""
        if not count or length < _LEAST or count * length > _MOST or not self._serves:
            return [np.empty(length) for _ in range(count)]
        kept, self._kept = self._kept, []  # a call beside this one finds none
        if len(kept) != count or kept[0].length != length:
            kept = [_memory(length, position) for position in range(count)]
        kept = [
            memory if sys.getrefcount(memory.x) == _ALONE else _memory(length, position)
            for position, memory in enumerate(kept)
        ]
        found = [memory.x[memory.part] for memory in kept]
        self._kept = kept  # not before each of them is referred to
        return found


_PAGE: Final = 512  # doubles
_LINE: Final = 8  # doubles that the processor moves at once


class _Memory(NamedTuple):
    """An array, and the part of it that is the result: so many doubles."""

    x: Doubles
    part: slice
    length: int


def _memory(length: int, position: int = 0) -> _Memory:
    """New memory for so many doubles from a place in a page that is the start of a line, another for each position.

    Where columns lie at the same places of pages, writing one waits for what is read of another.
    """
    x = np.empty(length + _PAGE)
    first = (position * _LINE - x.__array_interface__["data"][0] // x.itemsize) % _PAGE
    return _Memory(x, slice(first, first + length), length)


def side_by_side(count: int, length: int) -> list[Doubles]:
    """So many new arrays of this length, one after the other from the start of a page."""
    memory = _memory(count * length)
    together = memory.x[memory.part]
    return [together[k * length : (k + 1) * length] for k in range(count)]


_ALONE: Final = 2  # references to an array that its memory alone refers to: that, and the argument of `getrefcount`


def _counts_references() -> bool:
    """Whether the number of references says who refers to an object, as it does where one lock guards all."""
    return sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()


def handed_in(
    out: Mapping[str, Doubles], names: Sequence[str], shape: tuple[int, ...], points: Sequence[Doubles]
) -> dict[str, Doubles]:
    """The arrays to be filled by name, in one dimension.  Raises for names and arrays that do not fit."""
    found: dict[str, Doubles] = {}
    if not isinstance(out, Mapping):
        raise RequestError(
            "out is no mapping of names to arrays", label=f"it is {type(out).__name__}", help=f'out={{"{names[0]}": …}}'
        )
    for name, x in out.items():
        if name not in names:
            raise NameProblem(f"{name} is no column", help=advice_on_name(name, names, kind="columns"))
        if not isinstance(x, np.ndarray) or x.dtype != np.float64 or not x.flags.c_contiguous or not x.flags.writeable:
            raise RequestError(
                f"the array for {name} cannot be filled", label="it is to be of doubles, in one piece and writable"
            )
        if x.shape != shape:
            raise RequestError(
                f"the array for {name} has another shape than the points", label=f"{x.shape} and {shape}"
            )
        if any(np.may_share_memory(x, other) for other in (*points, *found.values())):
            raise RequestError(f"the array for {name} holds points, or another column")
        found[name] = np.asarray(x).reshape(-1)  # a matrix would keep two dimensions
    return found
