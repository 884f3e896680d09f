"""Arrays as machine code reads and writes them: their addresses, and whether they are as it takes them to be."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..extras import Later

if TYPE_CHECKING:
    import numpy as np

    from .blocks import Doubles
else:
    np = Later("numpy", "numpy")


def count_of(arrays: Sequence[Doubles], outputs: Sequence[Doubles]) -> int:
    """How many points the arrays hold; ValueError for arrays that machine code would read or write amiss."""
    count = len(arrays[0]) if arrays else 0
    for x in arrays:
        if x.dtype != np.float64 or x.shape != (count,) or not x.flags.c_contiguous:
            raise ValueError("the arrays are to be of doubles, in one piece and of one length")
    if not all(x.flags.writeable for x in outputs):
        raise ValueError("the outputs are to be written")
    return count


def addresses_of(arrays: Iterable[np.typing.NDArray[np.generic]]) -> ctypes.Array[ctypes.c_void_p]:
    found = list(map(_address, arrays))
    return (ctypes.c_void_p * len(found))(*found)


def _address(x: np.typing.NDArray[np.generic]) -> int:
    """Where the numbers of an array are; one that may be written tells by its buffer, which is the shorter way."""
    if x.flags.writeable:
        return ctypes.addressof(ctypes.c_char.from_buffer(x))
    found: int = x.__array_interface__["data"][0]
    return found
