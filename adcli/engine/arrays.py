"""Where the numbers of arrays are, for machine code that reads and writes them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from .blocks import Doubles


def addresses_of(inputs: Sequence[Doubles], outputs: Sequence[np.typing.NDArray[np.generic]]) -> list[int]:
    """The addresses of arrays; ValueError for outputs that may not be written.

    Those that may be written tell by their buffers, which is the shortest way.
    """
    try:
        return [*map(ctypes.addressof, map(ctypes.c_char.from_buffer, (*inputs, *outputs)))]
    except TypeError:
        if not all(x.flags.writeable for x in outputs):
            raise ValueError("the outputs are to be written") from None
        return [x.__array_interface__["data"][0] for x in (*inputs, *outputs)]
