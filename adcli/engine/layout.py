"""The layout of a program's outputs for the engine that runs it, and the report that an engine returns for a call."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..records import NamedTuple
from ..typings import Final, TypeAlias
from .numpy_doubles import Doubles, np

Places: TypeAlias = "np.typing.NDArray[np.intp] | Sequence[int]"


class Layout(NamedTuple):
    """The layout of outputs.

    each     every `each`-th output is a value, the following ones are its partials, which are nan if it is; 0: no such
             groups
    flagged  whether the last output is not a column but a condition: if it is true at a point, the other outputs may be
             wrong there
    """

    each: int = 0
    flagged: bool = False


PLAIN: Final = Layout()


class Reported(NamedTuple):
    """The report of a call: whether any value is nan, and the indices of the points at which outputs may be wrong."""

    unknown: bool
    wrong: Places


NOWHERE: Final[Sequence[int]] = ()
NOTHING: Final = Reported(False, NOWHERE)


def common_length(arrays: Sequence[Doubles]) -> int | None:
    """Return the number of points, if all arrays are contiguous one-dimensional arrays of native doubles of one length.

    0 if there are no arrays, or if they are empty. None if they do not fit; subclasses of ndarray, and other objects,
    never do.
    """
    array, doubles, shape = np.ndarray, np.dtype(float), None
    for x in arrays:
        if type(x) is not array or x.dtype != doubles or not x.flags.c_contiguous:
            return None
        if x.shape != shape:
            if shape is not None or x.ndim != 1:
                return None
            shape = x.shape
    return 0 if shape is None else shape[0]


def spread_nan(columns: Sequence[Doubles], each: int) -> bool:
    """Set the partials of each value that is nan to nan, in place, and return whether any value is nan.

    `columns` are groups of `each` arrays, not empty: a value and its partials. If `each` is 0, nothing is done and the
    result is False; nan in partials alone does not count.
    """
    has_nan = False
    for first in range(0, len(columns) if each else 0, each or 1):
        if math.isnan(np.maximum.reduce(columns[first])):
            has_nan = True
            unknown = np.isnan(columns[first])
            for partial in columns[first + 1 : first + each]:
                partial[unknown] = math.nan
    return has_nan
