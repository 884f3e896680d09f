"""`%adcli` and `%%adcli` in notebooks: a line is a command, the lines below it are its problems.

IPython is not imported: it hands its shell over when a notebook says `%load_ext adcli`.
"""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from typing import Protocol

from ..errors import RequestError
from ..overriding import override
from ..render.display_objects import fragment
from .main import COMMANDS, main
from .options import Command, CommandRequest, read
from .stream import Stream


class Shown:
    """What a command printed: as text, and as a page or picture where it can, by media types."""

    def __init__(self, text: str, drawn: Mapping[str, str]) -> None:
        self.text, self.drawn = text, drawn

    @override
    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        return {"text/plain": repr(self), **self.drawn}


class Shell(Protocol):
    """What is needed of IPython's shell."""

    def register_magic_function(self, function: Callable[..., object], kind: str, name: str) -> None: ...


def load_ipython_extension(shell: Shell) -> None:
    """What `%load_ext adcli` does in a notebook: it gives the shell the magic `%adcli` and `%%adcli`."""
    shell.register_magic_function(magic, "line_cell", "adcli")


def magic(line: str, cell: str | None = None) -> Shown | None:
    """Runs a command; `eval` where none is named.  Errors and notes go to standard error, as ever."""
    try:
        arguments = split(line)
    except RequestError as error:
        Stream().error(error)
        return None
    if cell is not None and (not arguments or arguments[0] not in COMMANDS):
        arguments.insert(0, "eval")
    form = _drawn_format(arguments)
    drawn = _printed([*arguments, "--format", form], cell) if form else ""
    with redirect_stderr(io.StringIO() if form else sys.stderr):
        text = _printed(arguments, cell)
    if not text:
        return None
    if drawn.startswith("<!doctype html>"):
        body = drawn.partition("<body>\n")[2].rpartition("</body>")[0]
        return Shown(text, {"text/html": fragment(body)})
    return Shown(text, {"image/svg+xml": drawn} if drawn.startswith(("<svg", "<?xml")) else {})


def split(line: str) -> list[str]:
    """The arguments in a line, as a shell takes them apart; RequestError where a quotation mark is open."""
    try:
        return shlex.split(line)
    except ValueError:
        advice = 'close it, as in %adcli eval "x^2" --at x=3'
        raise RequestError("a quotation mark is open", help=advice) from None


def _drawn_format(arguments: list[str]) -> str | None:
    """HTML or SVG, whichever a command line could give that leaves the format open."""
    if not arguments or arguments[0] not in COMMANDS:
        return None
    command: Command[CommandRequest] = import_module(f".{arguments[0]}", __package__).COMMAND
    wanted = command.options.get("wanted")
    options = read(command, arguments[1:])
    if wanted is None or wanted.default is not None or options is None or vars(options).keys() & {"wanted", "output"}:
        return None
    return next((form for form in ("html", "svg") if form in wanted.choices), None)


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
