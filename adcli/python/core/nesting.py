"""Nesting of differentiations: how many are in progress in this thread, and the user's frame outside of all of them."""

from __future__ import annotations

import sys
from contextvars import ContextVar, Token
from pathlib import Path
from types import CodeType, FrameType

# The number of nested differentiations in progress in this thread.
_DEPTH: ContextVar[int] = ContextVar("depth", default=0)
_PACKAGE = str(Path(__file__).resolve().parents[2])


class Deeper:
    """A with statement for one more nested differentiation; its value is the level, from 1."""

    _token: Token[int]

    def __enter__(self) -> int:
        level = _DEPTH.get() + 1
        self._token = _DEPTH.set(level)
        return level

    def __exit__(self, *_: object) -> None:
        _DEPTH.reset(self._token)


def user_frame(until: CodeType | None = None) -> tuple[FrameType | None, int]:
    """Return (the innermost frame outside of this package and NumPy, the number of frames up to it).

    The number is the `stacklevel` of a warning by the caller.  The search stops at the frame that executes the code
    `until`; the frame is None if there is none before that.
    """
    numpy = sys.modules.get("numpy")
    inner = (_PACKAGE, "<__array", *(() if numpy is None else numpy.__path__))
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and (until is None or frame.f_code is not until):
        if not frame.f_code.co_filename.startswith(inner):
            return frame, level
        frame, level = frame.f_back, level + 1
    return None, level
