"""The layout of a program's outputs for the engine that runs it, and the report that an engine returns for a call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..extras import Later
from ..records import NamedTuple

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np

    from .sincos import Doubles

    Places: TypeAlias = np.typing.NDArray[np.intp] | Sequence[int]
else:
    np = Later("numpy", "numpy")


class Layout(NamedTuple):
    """`each`: one output in so many is a value, and where it is nan those up to the next are nan too; 0: none is.

    `flagged`: the last output is no column but a condition, where it holds the others may be wrong.
    """

    each: int = 0
    flagged: bool = False


PLAIN: Final = Layout()


class Reported(NamedTuple):
    """Whether a value is nan, and at which points the outputs may be wrong."""

    unknown: bool
    wrong: Places


NOWHERE: Final[Sequence[int]] = ()
NOTHING: Final = Reported(False, NOWHERE)


def fitting(arrays: Sequence[Doubles]) -> int | None:
    """How many points these hold, if all are arrays of doubles, of one dimension and length and in one piece."""
    array, doubles, shape = np.ndarray, np.dtype(float), None
    for x in arrays:
        if type(x) is not array or x.dtype != doubles or not x.flags.c_contiguous:
            return None
        if x.shape != shape:
            if shape is not None or x.ndim != 1:
                return None
            shape = x.shape
    return 0 if shape is None else shape[0]


def unknown_joined(columns: Sequence[Doubles], each: int) -> bool:
    """Whether any value is nan, and nan in all that belong to one."""
    found = False
    for first in range(0, len(columns) if each else 0, each or 1):
        if math.isnan(np.maximum.reduce(columns[first])):
            found = True
            unknown = np.isnan(columns[first])
            for partial in columns[first + 1 : first + each]:
                partial[unknown] = math.nan
    return found
