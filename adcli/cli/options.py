"""Options and commands as data: one declaration from which both the quick reader and click are made.

click costs more than a whole small evaluation, so a command line that reads at once never loads it; help, completion
and every mistake go to click.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..trace.model import MODES, NUMBERINGS
from .stream import Stream


class Option(NamedTuple):
    """An option of a command.

    `names` as typed, `key` under which its value is found; without `metavar`, `choices` or `between` it is a flag.
    `many` options may be repeated and give a tuple; `between` bounds a whole number.
    """

    names: tuple[str, ...]
    key: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    between: tuple[int, int] | None = None
    default: Any = None
    many: bool = False

    @property
    def is_flag(self) -> bool:
        return not (self.metavar or self.choices or self.between)

    def read(self, text: str) -> Any:
        """The value that a text stands for; ValueError if it is none."""
        if self.choices and text not in self.choices:
            raise ValueError
        if self.between is not None:
            number = int(text)
            if not self.between[0] <= number <= self.between[1]:
                raise ValueError
            return number
        return text


class Command(NamedTuple):
    """A command: its help, its options, the key of its arguments and how many there may be (None for any number).

    `run(stream, values)` does the work and returns the exit code, or None where the help is asked for.
    """

    help: str
    options: tuple[Option, ...]
    argument: str
    most: int | None
    run: Callable[[Stream, dict[str, Any]], int | None]


FILE = Option(("-f", "--file"), "file", "Read problems from FILE, one a line.", "FILE")
AT = Option(("--at",), "at", "The point; values may be expressions (x=pi/2).", "x1=2,x2=5", many=True)
MODE = Option(("--mode",), "mode", "What to compute.", choices=MODES, default="both")
WRT = Option(("--wrt",), "wrt", "Forward mode for these inputs only.", "x1", many=True)
SEED = Option(
    ("--seed",),
    "seed",
    "Direction of inputs (forward: J·v) or weights of outputs (reverse: vᵀ·J).",
    "x1=1,x2=0.5",
    many=True,
)
NUMBERING = Option(
    ("--numbering",),
    "numbering",
    "Number rows by height above the inputs, or in the order of nested calls.",
    choices=NUMBERINGS,
    default="level",
)
CSE = Option(("--cse",), "cse", "Make identical subexpressions one row.")
PLACES = Option(("--places",), "places", "Decimals of the numbers that are shown.", between=(0, 17), default=3)
DIGITS = Option(("--digits",), "digits", "Significant digits, instead of --places.", between=(1, 17))
FUNCTIONS = Option(
    ("--functions",),
    "functions",
    "Run FILE, which adds functions to the table with adcli.declare.",
    "FILE.py",
    many=True,
)
INTERACTIVE = Option(("--interactive",), "interactive", "One HTML page to step through: graph, table, sentences.")
FAIL_FAST = Option(("--fail-fast",), "fail_fast", "Stop at the first problem that fails.")
KINKS = Option(
    ("--kinks",),
    "kinks",
    "Where no derivative exists: a convention and a note, or an error.",
    choices=("note", "error"),
    default="note",
)
FORMATS = ("table", "plain", "markdown", "latex", "html", "csv", "json", "ndjson")
FORMAT = Option(("--format",), "wanted", "Default: table (plain off a terminal).", choices=FORMATS)
STANDALONE = Option(("--standalone",), "standalone", "With LaTeX a whole document, which compiles alone.")
APPEARANCE = (
    Option(("-o", "--output"), "output", "Write to FILE; its suffix picks the format.", "FILE"),
    Option(("--ascii",), "ascii_only", "ASCII only: dv1 for v̇1, v1bar for v̄1."),
    Option(("--color",), "color", "When to use colour.", choices=("auto", "always", "never"), default="auto"),
    Option(("--width",), "width", "Columns of a terminal table.", between=(20, 1000)),
    Option(("-q", "--quiet"), "quiet", "No notes."),
    Option(("--debug",), "debug", "Show a traceback when adcli itself fails."),
)

_LONG_OPTION = r"--[a-zA-Z][a-zA-Z-]+(?:=|\Z)"


def sorted_out(options: Sequence[Option], arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Options and texts apart: a text may start with a minus sign, so `-x^2` is an expression and no option.

    There are no texts where the last option lacks its value, lest one of them be taken for it.
    """
    by_name = {name: option for option in options for name in option.names}
    by_name["--help"] = by_name["-h"] = Option(("-h", "--help"), "help", "")
    found: list[str] = []
    texts: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        name = argument.partition("=")[0] if argument.startswith("--") else argument
        if argument == "--":
            texts += waiting
        elif name in by_name:
            found.append(argument)
            if not by_name[name].is_flag and name == argument:
                value = next(waiting, None)
                if value is None:
                    return found, []
                found.append(value)
        elif argument.startswith("--") and re.match(_LONG_OPTION, argument):
            found.append(argument)  # mistyped: click says so
        else:
            texts.append(argument)
    return found, texts


def read(command: Command, arguments: Sequence[str]) -> dict[str, Any] | None:
    """The values of a command line; None where click has to look at it: for help, or because something is wrong."""
    found, texts = sorted_out(command.options, arguments)
    if command.most is not None and len(texts) > command.most:
        return None
    by_name = {name: option for option in command.options for name in option.names}
    values: dict[str, Any] = {
        option.key: () if option.many else False if option.is_flag else option.default for option in command.options
    }
    waiting = iter(found)
    for argument in waiting:
        name, equals, text = argument.partition("=") if argument.startswith("--") else (argument, "", "")
        option = by_name.get(name)
        if option is None or (option.is_flag and equals):
            return None
        if option.is_flag:
            values[option.key] = True
            continue
        given = text if equals else next(waiting, None)
        try:
            value = option.read(given if given is not None else "")
        except ValueError:
            return None
        if given is None:
            return None
        values[option.key] = (*values[option.key], value) if option.many else value
    values[command.argument] = (texts[0] if texts else None) if command.most == 1 else tuple(texts)
    return values
