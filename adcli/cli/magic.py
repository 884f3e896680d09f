"""`%adcli` and `%%adcli` in notebooks: a line is a command, the lines below it are its problems.

IPython is not imported: it hands its shell over when a notebook says `%load_ext adcli`.
"""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Collection
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from typing import Any

from ..errors import RequestError
from ..render.notebook import fragment
from .main import _COMMANDS, main
from .options import read
from .stream import Stream


class Shown:
    """What a command printed: as text, and as HTML where it can."""

    def __init__(self, text: str, html: str | None) -> None:
        self.text, self.html = text, html

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        return {"text/plain": repr(self)} | ({} if self.html is None else {"text/html": self.html})


def register(shell: Any) -> None:
    """Gives a shell of IPython the magic."""
    shell.register_magic_function(magic, "line_cell", "adcli")


def magic(line: str, cell: str | None = None) -> Shown | None:
    """Runs a command; `eval` where none is named.  Errors and notes go to standard error, as ever."""
    try:
        arguments = split(line)
    except RequestError as error:
        Stream().error(error)
        return None
    if cell is not None and (not arguments or arguments[0] not in _COMMANDS):
        arguments.insert(0, "eval")
    page = _printed([*arguments, "--format", "html"], cell) if _has_pages(arguments) else None
    with redirect_stderr(io.StringIO() if page is not None else sys.stderr):
        text = _printed(arguments, cell)
    if not text:
        return None
    return Shown(text, None if page is None else fragment(page.partition("<body>\n")[2].rpartition("</body>")[0]))


def split(line: str) -> list[str]:
    """The arguments in a line, as a shell takes them apart; RequestError where a quotation mark is open."""
    try:
        return shlex.split(line)
    except ValueError:
        advice = 'close it, as in %adcli eval "x^2" --at x=3'
        raise RequestError("a quotation mark is open", help=advice) from None


def _has_pages(arguments: list[str]) -> bool:
    """Whether a command line leaves the format open and could give HTML."""
    if not arguments or arguments[0] not in _COMMANDS:
        return False
    command = import_module(f".{arguments[0]}", __package__).COMMAND
    values = read(command, arguments[1:])
    known = any(option.key == "wanted" and "html" in option.choices for option in command.options)
    return known and values is not None and values["wanted"] is None and values["output"] is None


def _printed(arguments: list[str], cell: str | None) -> str:
    """What a command writes to standard output."""
    out = io.BytesIO()
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO((cell or "").encode()), encoding="utf-8")
    try:
        with redirect_stdout(io.TextIOWrapper(out, encoding="utf-8", newline="")):
            main(arguments)
            sys.stdout.flush()
            return out.getvalue().decode()
    finally:
        sys.stdin = before
