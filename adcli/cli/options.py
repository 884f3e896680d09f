"""Options and commands as data: one declaration from which the typed request, the quick reader and click are made.

click costs more than a whole small evaluation, so a command line that reads at once never loads it; help, completion
and every mistake go to click.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar, overload

from ..overriding import override
from ..render.formats import DATA, DOCUMENTS, TEXT
from ..trace.request_choices import MODES, NUMBERINGS
from .inputs import MOST, Inputs, size
from .settings import silenced
from .stream import Stream

T = TypeVar("T", covariant=True)
V = TypeVar("V")


class Option(Generic[T]):
    """An option of a command, as a field of its request class; on a request it is the value from the command line or
    the default.

    `names` are the spellings, empty for an argument and for what a command does not offer. Without `metavar`, `choices`
    and `between` it is a flag. `many` options may be repeated and give a tuple; `between` are the bounds of a whole
    number, both included.
    """

    __slots__ = ("between", "choices", "default", "help", "many", "metavar", "names")

    def __init__(
        self, names: tuple[str, ...], default: T, help: str = "", *, metavar: str = "",  # noqa: A002 - as it is called
        choices: tuple[str, ...] = (), between: tuple[int, int] | None = None, many: bool = False,
    ) -> None:  # fmt: skip
        self.names, self.default, self.help = names, default, help
        self.metavar, self.choices, self.between, self.many = metavar, choices, between, many

    @overload
    def __get__(self, request: None, owner: type) -> Option[T]: ...

    @overload
    def __get__(self, request: object, owner: type) -> T: ...

    def __get__(self, request: object, owner: type) -> Option[T] | T:
        return self if request is None else self.default

    @property
    def is_flag(self) -> bool:
        return not (self.metavar or self.choices or self.between)

    def read(self, text: str) -> str | int:
        """Return the value of a text: itself, or the whole number. Raises ValueError if it is not a choice, a whole
        number or within bounds."""
        if self.choices and text not in self.choices:
            raise ValueError
        if self.between is not None:
            number = int(text)
            if not self.between[0] <= number <= self.between[1]:
                raise ValueError
            return number
        return text


class Argument(Option[T]):
    """An argument of a command, which has no name on the command line; with `many` any number of them."""

    __slots__ = ()


def argument() -> Option[str | None]:
    """Return the field of the one argument of a command; None if it is missing."""
    return Argument((), None)


def arguments() -> Option[tuple[str, ...]]:
    """Return the field of all arguments of a command, a tuple."""
    return Argument((), (), many=True)


def left_out(value: V) -> Option[V]:
    """Return a field without an option, for an option of a base class that a command does not offer; its value is
    always `value`."""
    return Option((), value)


def flag(*names: str, help: str) -> Option[bool]:  # noqa: A002
    """Return a flag, False if it is missing."""
    return Option(names, False, help)


@overload
def text(*names: str, metavar: str, help: str) -> Option[str | None]: ...
@overload
def text(*names: str, metavar: str, help: str, default: str) -> Option[str]: ...
def text(*names: str, metavar: str, help: str, default: str | None = None) -> Option[str | None]:  # noqa: A002
    """An option with a text."""
    return Option(names, default, help, metavar=metavar)


def texts(*names: str, metavar: str, help: str) -> Option[tuple[str, ...]]:  # noqa: A002
    """Return an option with a text that may be repeated; its value is a tuple."""
    return Option(names, (), help, metavar=metavar, many=True)


@overload
def choice(*names: str, choices: tuple[str, ...], help: str) -> Option[str | None]: ...
@overload
def choice(*names: str, choices: tuple[str, ...], help: str, default: str) -> Option[str]: ...
def choice(
    *names: str, choices: tuple[str, ...], help: str, default: str | None = None  # noqa: A002
) -> Option[str | None]:  # fmt: skip
    """An option with one of a few texts."""
    return Option(names, default, help, choices=choices)


@overload
def whole(*names: str, between: tuple[int, int], help: str, metavar: str = "") -> Option[int | None]: ...
@overload
def whole(*names: str, between: tuple[int, int], help: str, default: int) -> Option[int]: ...
def whole(
    *names: str, between: tuple[int, int], help: str, metavar: str = "", default: int | None = None  # noqa: A002
) -> Option[int | None]:  # fmt: skip
    """An option with a whole number within bounds."""
    return Option(names, default, help, metavar=metavar, between=between)


class CommandRequest:
    """The options and arguments of one command line, as attributes.

    Each command has a subclass with a field for each option. The help lists a class's fields in order, then those of
    its bases, unless it lists them itself.
    """

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    @classmethod
    def fields(cls) -> dict[str, Option[object]]:
        """Return all options and the argument by field name, those of subclasses first; names without a dash on the
        command line are included."""
        fields: dict[str, Option[object]] = {}
        for base in cls.__mro__:
            for name, field in vars(base).items():
                if isinstance(field, Option):
                    fields.setdefault(name, field)
        return fields


A = TypeVar("A", bound=CommandRequest)


class Command(Generic[A]):
    """A command: its help, its request class, and its function.

    `run(stream, options)` does the work and returns the exit code, or None if there is nothing to read; then the help
    is printed. `argument` is the field of the argument, `many` whether it takes several. `common` are the fields of the
    options that --help shows; the others are for --help-all. If it is empty, --help shows all.
    """

    def __init__(
        self,
        help: str,  # noqa: A002
        request_class: type[A],
        run: Callable[[Stream, A], int | None],
        common: tuple[str, ...] = (),
    ) -> None:
        self.help, self.request_class, self.run, self.common = help, request_class, run, common
        fields = request_class.fields()
        self.options = {name: option for name, option in fields.items() if option.names}
        self.argument = next(name for name, option in fields.items() if isinstance(option, Argument))
        self.many = fields[self.argument].many


FORMATS = (*TEXT, *DOCUMENTS, *DATA)

FILE = text("-f", "--file", metavar="FILE", help="Read problems from FILE, one per line.")


def point(metavar: str) -> Option[tuple[str, ...]]:
    """Return the option `--at`, with this example of a point in its help."""
    return texts("--at", metavar=metavar, help="Point: a value for each input; values may be expressions (x=pi/2).")


AT = point("x1=2,x2=5")
MODE = choice(
    "--mode",
    choices=MODES,
    help="Quantities to compute: the value, tangents (forward), adjoints (reverse) or both.",
    default="both",
)
WRT = texts("--wrt", metavar="x1", help="Forward mode with respect to these inputs only.")
SEED = texts(
    "--seed", metavar="x1=1,x2=0.5", help="Direction of inputs (forward: J·v) or weights of outputs (reverse: vᵀ·J)."
)
NUMBERING = choice(
    "--numbering",
    choices=NUMBERINGS,
    help="Number rows by height above the inputs, or in the order of nested calls.",
    default="level",
)
CSE = flag("--cse", help="Combine identical subexpressions into one row.")
PLACES = whole("--places", between=(0, 17), help="Decimal places shown.", default=3)
DECIMAL = choice(
    "--decimal", choices=("point", "comma"), help="Decimal separator of numbers in CSV files.", default="point"
)
DIGITS = whole("--digits", between=(1, 17), help="Significant digits shown, instead of decimal places.")
KINKS = choice(
    "--kinks",
    choices=("note", "error"),
    help="Where a derivative does not exist: use a convention and print a note, or report an error.",
    default="note",
)
FUNCTIONS = texts(
    "--functions", metavar="FILE.py", help="Run FILE, which adds functions to the table with adcli.declare."
)
INTERACTIVE = flag("--interactive", help="Write one HTML page to step through: graph, table, sentences.")
LETTERS = flag("--letters", help="Read letters next to each other as products: xy is x*y.")
SHAPE = texts(
    "--shape", metavar="A=3x2,x=2", help="Shapes of vectors and matrices without values; other names are numbers."
)
FAIL_FAST = flag("--fail-fast", help="Stop at the first problem that fails.")
DETAIL = choice(
    "--detail",
    choices=("short", "full"),
    help="Steps only, or also the reason for the order of rows and the search for the tape "
    "(default: short; full when stepping).",
)


def table_format(formats: tuple[str, ...]) -> Option[str | None]:
    """Return the option `--format` of a command that prints a table if it is left out."""
    return choice("--format", choices=formats, help="Output format (default: table on a terminal, plain otherwise).")


def drawing_format(formats: tuple[str, ...]) -> Option[str | None]:
    """Return the option `--format` of a command that prints a drawing if it is left out."""
    return choice("--format", choices=formats, help="Output format (default: plain, a drawing in characters).")


FORMAT = table_format(FORMATS)
KEY = text("--key", metavar="FILE", help="Homework key: its problems and how they are marked.")
STUDENT = text("--student", metavar="ID", help="Student ID: use this student's problems from the key.")
MATH = choice(
    "--math",
    choices=("text", "dollars"),
    help="Write formulas in Markdown as text, or between dollar signs.",
    default="text",
)
STANDALONE = flag("--standalone", help="Write a complete LaTeX document that compiles on its own.")


# An answer's rows take a hundredth of 4MB; more would be pictures, which slow down the marking of a class.
OF_ANSWERS = "Largest input that is read into memory (default: 64MB, for an answer 4MB)."


class AppearanceOptions(CommandRequest):
    """Options of every command: how its output looks."""

    ascii_only = flag("--ascii", help="Write ASCII only: dv1 for v̇1, v1bar for v̄1.")
    color = choice("--color", choices=("auto", "always", "never"), help="When to use colour.", default="auto")
    width = whole(
        "--width", between=(20, 1000), help="Width of terminal tables, in columns (default: the width of the terminal)."
    )
    quiet = flag("-q", "--quiet", help="Hide notes, except those about derivatives that are set by convention.")
    no_note = texts("--no-note", metavar="KIND", help="Hide notes of this kind, for example log,order.")
    max_size = text("--max-size", metavar="64MB", help="Largest input that is read into memory (default: 64MB).")
    debug = flag("--debug", help="Show a traceback if adcli itself fails.")

    @property
    def path(self) -> str | None:
        """Return the file that the document goes to; None for standard output."""
        return None

    def configure(self, stream: Stream, settings: bool = True) -> None:
        """Configure the stream: output file, appearance, input limit and hidden notes.

        The kinds of notes of the user's settings are hidden, too, unless `settings` is False. Raises RequestError for a
        bad size, kind of note or settings file.
        """
        most = MOST if self.max_size is None else size(self.max_size)
        inputs = Inputs(most, self.path)
        hidden = silenced(self.no_note, settings)
        stream.configure(self.path, self.ascii_only, self.color, self.width, self.quiet, inputs, hidden)


class OutputOptions(AppearanceOptions):
    """Options of commands that write a file."""

    output = text("-o", "--output", metavar="FILE", help="Write to FILE; its suffix selects the format.")

    @property
    @override
    def path(self) -> str | None:
        """Return the file that the document goes to; None for standard output, which - means too."""
        return None if self.output == "-" else self.output


class ProblemOptions(OutputOptions):
    """Options of commands that work on problems, one after the other."""

    expr = argument()
    file = FILE
    at = AT
    wrt: Option[tuple[str, ...]] = left_out(())
    letters = LETTERS
    shape: Option[tuple[str, ...]] = left_out(())
    cse: Option[bool] = left_out(False)
    functions = FUNCTIONS
    fail_fast = FAIL_FAST


class DocumentOptions(ProblemOptions):
    """Options of commands that write each problem as tables or data."""

    functions = FUNCTIONS
    fail_fast = FAIL_FAST
    wanted = FORMAT
    math = MATH
    standalone = STANDALONE


class SweepOptions(ProblemOptions):
    """Options of commands that show the sweeps."""

    mode = MODE
    wrt = WRT
    seed = SEED
    numbering = NUMBERING
    cse = CSE
    places = PLACES
    digits = DIGITS
    kinks = KINKS


HELP_ALL = "--help-all"
_LONG_OPTION = r"--[a-zA-Z][a-zA-Z-]+(?:=|\Z)"


def separate_options(options: Iterable[Option[object]], arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return two lists: the words of options with their values, and the texts.

    A word that starts with a minus sign and is not a known option is a text, such as `-x^2`, except one that looks like
    a long option, which click reports. All words after `--` are texts. If the last option lacks its value, the list of
    texts is empty, so that none of them is taken for it.
    """
    flags = {name: option.is_flag for option in options for name in option.names} | {
        "--help": True,
        "-h": True,
        HELP_ALL: True,
    }
    option_words: list[str] = []
    texts: list[str] = []
    queue = iter(arguments)
    for argument in queue:
        name = argument.partition("=")[0] if argument.startswith("--") else argument
        if argument == "--":
            texts += queue
        elif name in flags:
            option_words.append(argument)
            if not flags[name] and name == argument:
                value = next(queue, None)
                if value is None:
                    return option_words, []
                option_words.append(value)
        elif argument.startswith("--") and re.match(_LONG_OPTION, argument):
            option_words.append(argument)  # misspelt: click reports it
        else:
            texts.append(argument)
    return option_words, texts


def read(command: Command[A], arguments: Sequence[str]) -> A | None:
    """Return the request of a command line; None if click must read it: for help, or because something is wrong."""
    option_words, texts = separate_options(command.options.values(), arguments)
    if not command.many and len(texts) > 1:
        return None
    by_name = {name: (field, option) for field, option in command.options.items() for name in option.names}
    values: dict[str, object] = {command.argument: tuple(texts) if command.many else texts[0] if texts else None}
    repeated: dict[str, tuple[str | int, ...]] = {}
    queue = iter(option_words)
    for argument in queue:
        name, equals, text = argument.partition("=") if argument.startswith("--") else (argument, "", "")
        if name not in by_name:
            return None
        field, option = by_name[name]
        if option.is_flag:
            if equals:
                return None
            values[field] = True
            continue
        try:
            value = option.read(text if equals else next(queue))
        except (ValueError, StopIteration):
            return None
        if option.many:
            repeated[field] = (*repeated.get(field, ()), value)
        else:
            values[field] = value
    return command.request_class(**values, **repeated)
