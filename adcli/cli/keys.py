"""The keyboard of a terminal, key by key, and line by line while a line is asked for."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

try:
    import termios
    import tty
except ImportError:  # Windows, where click knows how to read a key
    termios = None  # type: ignore[assignment]

_KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)
_AT_ONCE = 1024  # bytes of one reading


class Keys:
    """Reads keys between `with` and its end; afterwards the terminal is as it was."""

    def __init__(self) -> None:
        self.before: list[Any] = []
        self.waiting: list[str] = []

    def __enter__(self) -> Keys:
        if termios is not None:
            self.before = termios.tcgetattr(sys.stdin)
            self._listen()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._restore()

    def _listen(self) -> None:
        """Keys come at once and are not echoed; what was typed before is kept."""
        if termios is not None:
            tty.setcbreak(sys.stdin, termios.TCSADRAIN)

    def _restore(self) -> None:
        if termios is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self.before)

    def key(self) -> str:
        """The next key, arrows and their like as the sequences that terminals send; nothing at the end of the input."""
        if termios is None:
            import click

            return click.getchar()
        if not self.waiting:
            self.waiting = _KEY.findall(os.read(sys.stdin.fileno(), _AT_ONCE).decode("utf-8", "replace"))
        return self.waiting.pop(0) if self.waiting else ""

    @contextmanager
    def lines(self) -> Iterator[None]:
        """The terminal edits lines, as it does elsewhere, until the end of the block."""
        self._restore()
        try:
            yield
        finally:
            self._listen()
