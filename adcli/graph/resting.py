"""The collector of cycles rests while columns are built: it would look through all of them again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_MANY: Final = 1_000


@contextmanager
def resting(size: int) -> Iterator[None]:
    """The collector of cycles rests in a block that makes so many things, which are all needed at its end."""
    collecting = size > _MANY and gc.isenabled()
    if collecting:
        gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
