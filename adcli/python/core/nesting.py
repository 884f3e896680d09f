"""Nesting of differentiations: how many are in progress in this thread."""

from __future__ import annotations

from contextvars import ContextVar, Token

# The number of nested differentiations in progress in this thread.
_DEPTH: ContextVar[int] = ContextVar("depth", default=0)


class deeper:  # noqa: N801 - stands in a with statement
    """A with statement for one more nested differentiation; its value is the level, from 1."""

    __slots__ = ("_token",)
    _token: Token[int]

    def __enter__(self) -> int:
        level = _DEPTH.get() + 1
        self._token = _DEPTH.set(level)
        return level

    def __exit__(self, *_: object) -> None:
        _DEPTH.reset(self._token)
