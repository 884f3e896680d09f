"""Pause the cyclic garbage collector (gc) while many small objects are allocated, all of which stay in use."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from ..typings import Final

_MANY: Final = 1_000


@contextmanager
def pause_gc(size: int) -> Iterator[None]:
    """Disable cyclic garbage collection in a `with` block that allocates about `size` objects.

    Up to 1000 objects, or if the collector is already off, nothing changes; it is enabled again at the end.
    """
    pausing = size > _MANY and gc.isenabled()
    if pausing:
        gc.disable()
    try:
        yield
    finally:
        if pausing:
            gc.enable()
