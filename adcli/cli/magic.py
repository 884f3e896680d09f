"""The IPython magics `%adcli` and `%%adcli`: a line is a command, the lines below it are its problems.

IPython is not imported: it passes its shell when a notebook says `%load_ext adcli`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import redirect_stderr, redirect_stdout

from ..errors import AdcliError, RequestError
from ..render.notebook import fragment
from ..typings import Protocol, override
from .arguments import split_words
from .command_line import read
from .main import main
from .options import COMMANDS, NothingToRead, load_command
from .stream import Stream


class Shown:
    """The output of a command: its text, and in `drawn` an HTML page or SVG picture by media type."""

    def __init__(self, text: str, pictures: Mapping[str, str]) -> None:
        self.text, self.drawn = text, pictures

    @override
    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        return {"text/plain": repr(self), **self.drawn}


class Shell(Protocol):
    """The part of IPython's shell that is used."""

    def register_magic_function(self, function: Callable[..., object], kind: str, name: str) -> None: ...


def load_ipython_extension(shell: Shell) -> None:
    """Register the magics `%adcli` and `%%adcli` with IPython's shell; `%load_ext adcli` calls this."""
    shell.register_magic_function(magic, "line_cell", "adcli")


def magic(line: str, cell: str | None = None) -> Shown | None:
    """Run the command in `line` and return its text and drawing (Shown); None if there is no text or no valid line.

    `cell`, the lines below a `%%adcli`, is standard input; then `eval` is the command unless the first word of `line`
    is one. A command that can write HTML or SVG is run twice, once for the page or picture and then for the text, but
    only if the line chooses neither a format nor a file. Errors and notes of the first run go to standard error, those
    of the second are dropped. If there is text but no drawing, Shown has the text alone.
    """
    try:
        arguments = split_words(line)
    except RequestError as error:
        Stream().error(error)
        return None
    if cell is not None and (not arguments or arguments[0] not in COMMANDS):
        arguments.insert(0, "eval")
    form = _choose_drawing_format(arguments)
    drawing = _capture_output([*arguments, "--format", form], cell) if form else ""
    with redirect_stderr(io.StringIO() if form else sys.stderr):
        text = _capture_output(arguments, cell)
    if not text:
        return None
    if drawing.startswith("<!doctype html>"):
        return Shown(text, {"text/html": fragment(drawing.partition("<body>\n")[2].rpartition("</body>")[0])})
    return Shown(text, {"image/svg+xml": drawing} if drawing.startswith(("<svg", "<?xml")) else {})


def _choose_drawing_format(arguments: list[str]) -> str | None:
    """Return "html" or "svg", the first that the command has; None if the line chooses a format or a file.

    None too if the command has neither format or has a default format, if there is no such command, or if the line is
    for help or has an error.
    """
    if not arguments or arguments[0] not in COMMANDS:
        return None
    command = load_command(arguments[0])
    format_option = command.options.get("format_name")
    try:
        options = read(command, arguments[1:], arguments[0])
    except (AdcliError, NothingToRead):
        return None
    has_choice = bool(vars(options).keys() & {"format_name", "output"})
    if format_option is None or format_option.default is not None or has_choice:
        return None
    return next((form for form in ("html", "svg") if form in format_option.choices), None)


def _capture_output(arguments: list[str], cell: str | None) -> str:
    """Run the command line `arguments` and return the text that it writes to standard output, also if it fails.

    `cell` (None: empty) is its standard input; the real one is restored.
    """
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
