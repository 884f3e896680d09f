"""NumPy, which is imported at first use, and the type of its arrays of doubles."""

from __future__ import annotations

from ..extras import Later
from ..typings import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Doubles: TypeAlias = np.typing.NDArray[np.float64]
else:
    np, Doubles = Later("numpy", "numpy"), object  # types are for annotations, which are not evaluated

__all__ = ["Doubles", "np"]
