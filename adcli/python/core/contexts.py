"""Contexts of a differentiation: how deep it is nested, the user's frame, and the kinks that it has reached."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextvars import ContextVar, Token
from pathlib import Path
from types import CodeType, FrameType

from ...table.primitive import Primitive
from ...typings import Any, Generic, TypeVar

T = TypeVar("T")

MOST = 20_000  # kinks that are collected, and operations that are recorded to decide them

# The titles of the kinks that the differentiation in progress has reached; None if no caller collects them.
REACHED_KINKS: ContextVar[list[str] | None] = ContextVar("kinks", default=None)


class TitlesOfArrays(list[str]):
    """Titles of kinks, also of those of arrays, for kinks="error"; other lists leave arrays out."""

    __slots__ = ()


def collects_arrays() -> bool:
    """Return whether the titles of kinks of arrays are collected, too."""
    return type(REACHED_KINKS.get()) is TitlesOfArrays


class _Setting(Generic[T]):
    """A with statement inside which a context variable has a value, which is also the value of the statement."""

    _token: Token[T]

    def __init__(self, variable: ContextVar[T], value: T) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> T:
        self._token = self._variable.set(self._value)
        return self._value

    def __exit__(self, *_: object) -> None:
        self._variable.reset(self._token)


def collecting_kinks(titles: list[str] | None) -> _Setting[list[str] | None]:
    """Return a with statement inside which the titles of kinks that are reached are added to a list; None leaves them
    out.
    """
    return _Setting(REACHED_KINKS, titles)


def record_kink(row: Primitive, m: Any, arguments: Sequence[Any], positions: Sequence[int]) -> None:
    """Append to the collected titles the title of the first kink reached in a step with operation `row`.

    Only the arguments at `positions` are checked, in that order; a kink is reached if the condition of its smooth case,
    in the arithmetic `m`, is false at `arguments`, or at one of their elements. Nothing happens if titles are not
    collected, or if more than 20,000 are already there.
    """
    titles = REACHED_KINKS.get()
    if titles is None or len(titles) > MOST:
        return
    for position in positions:
        kink = row.kink(position)
        holds = kink is None or kink.holds(m, *arguments)
        if kink is not None and not (holds.all() if hasattr(holds, "all") else holds):
            titles.append(kink.title)
            return


def record_tie(title: str) -> None:
    """Append `title` to the collected titles: a branch of Python's own is chosen by comparing equal numbers.

    Nothing happens if titles are not collected, or if more than 20,000 are already there.
    """
    titles = REACHED_KINKS.get()
    if titles is not None and len(titles) <= MOST:
        titles.append(title)


# The number of nested differentiations in progress in this thread.
_DEPTH: ContextVar[int] = ContextVar("depth", default=0)
_PACKAGE = str(Path(__file__).resolve().parents[2])


def deeper() -> _Setting[int]:
    """Return a with statement for one more nested differentiation; its value is the level, from 1."""
    return _Setting(_DEPTH, _DEPTH.get() + 1)


def user_frame(until: CodeType | None = None) -> tuple[FrameType | None, int]:
    """Return (the innermost frame outside of this package and NumPy, the number of frames from the caller up to it).

    A frame is inside if its file is in one of their folders (or is code that NumPy generates). The number is the
    `stacklevel` of a warning by the caller, whose own frame counts as 1. The search ends before the frame that executes
    the code `until` (None: after the outermost frame). If no such frame is found, return (None, one more than the
    number of frames searched).
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
