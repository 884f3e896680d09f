"""Options and commands as data: one declaration for the typed request, its reader, and the help that click prints.

click costs more than a whole small evaluation, so only help and completion load it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ..grammar_files import read_tables
from ..typings import Generic, TypeVar, overload
from .stream import Stream

T = TypeVar("T", covariant=True)
V = TypeVar("V")

(COMMANDS,), (_groups,) = read_tables("commands.txt", dict[str, str]).values()
GROUPS = {title: names.split() for title, names in _groups.items()}  # as `adcli --help` lists them


class Option(Generic[T]):
    """An option of a command, as a field of its request class; on a request it is the value from the command line or
    the default.

    `names` are the spellings, empty for an argument and for what a command does not offer. Without `metavar`, `choices`
    and `between` it is a flag. `many` options may be repeated and give a tuple; `between` are the bounds of a whole
    number, both included.
    """

    __slots__ = ("between", "choices", "default", "help", "many", "metavar", "names")

    def __init__(
        self, names: tuple[str, ...], default: T, help: str = "", *, metavar: str = "",
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
        """Return the value of a text of the command line.

        With bounds it is a whole number. With choices, a text that is not one of them is converted to lower case;
        without both it is the text itself. Raises ValueError if it is then not one of the choices, not a whole number,
        or out of bounds (bounds are included).
        """
        if self.choices and text not in self.choices:
            text = text.lower()
            if text not in self.choices:
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
    """Return a field without an option; its value is always `value`.

    It is for an option of a base class that a command does not offer.
    """
    return Option((), value)


def flag(*names: str, help: str) -> Option[bool]:
    """Return a flag, False if it is missing."""
    return Option(names, False, help)


def text(*names: str, metavar: str, help: str) -> Option[str | None]:
    """Return an option with a text, None if it is missing."""
    return Option(names, None, help, metavar=metavar)


def texts(*names: str, metavar: str, help: str) -> Option[tuple[str, ...]]:
    """Return an option with a text that may be repeated; its value is a tuple."""
    return Option(names, (), help, metavar=metavar, many=True)


def choice(*names: str, choices: tuple[str, ...], help: str) -> Option[str | None]:
    """Return an option with one of a few texts, None if it is missing."""
    return Option(names, None, help, choices=choices)


def whole(*names: str, between: tuple[int, int], help: str, metavar: str = "") -> Option[int | None]:
    """Return an option with a whole number within bounds, both included; None if it is missing."""
    return Option(names, None, help, metavar=metavar, between=between)


class CommandRequest:
    """The options and arguments of one command line, as attributes.

    Each command has a subclass with a field for each option. The help lists the fields in `listed_first`, then the
    others: a class's own in order, then those of its bases.
    """

    listed_first: tuple[str, ...] = ()

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    def configure(self, stream: Stream) -> None:
        """Configure the stream before the command runs; a request without options leaves it as it is."""

    @classmethod
    def fields(cls) -> dict[str, Option[object]]:
        """Return all options and arguments, class attributes that are an Option, by name, in the order of the help.

        First come those in `listed_first`, then the class's own, then those of its bases. A field of a subclass
        replaces that of a base, and is at the place of the subclass; fields without an option on the command line are
        included.
        """
        fields: dict[str, Option[object]] = {}
        for base in cls.__mro__:
            for name, field in vars(base).items():
                if isinstance(field, Option):
                    fields.setdefault(name, field)
        return {name: fields[name] for name in (*cls.listed_first, *fields)}


A = TypeVar("A", bound=CommandRequest)


class NothingToRead(Exception):
    """A command line without an input, or with the option for help in `args`: the help of the command is printed; it is
    not an error."""


class Command(Generic[A]):
    """A command: its help, its request class, and its function.

    `run(stream, options)` does the work; it raises NothingToRead if the help is to be printed instead. `argument` is
    the field of the argument, `many` whether it takes several. `common` are the fields of the options that --help
    shows; the others are for --help-all. If it is empty, --help shows all.
    """

    def __init__(
        self, help: str, request_class: type[A], run: Callable[[Stream, A], None], common: tuple[str, ...] = ()
    ) -> None:
        """Keep `help`, `request_class`, `run` (the function that does the work) and `common`, and collect in `options`
        the fields of `request_class` that have names on the command line.

        `common` defaults to none: then --help shows all options.
        """
        self.help, self.request_class, self.run, self.common = help, request_class, run, common
        fields = request_class.fields()
        self.options = {name: option for name, option in fields.items() if option.names}
        self.argument = next(name for name, option in fields.items() if isinstance(option, Argument))
        self.many = fields[self.argument].many

    def execute(self, stream: Stream, options: A) -> int:
        """Configure the stream, run the command, complete its document, and return the exit code of the stream.

        Raises NothingToRead and what the command raises; the document is not completed then.
        """
        options.configure(stream)
        self.run(stream, options)
        stream.close()
        return stream.code


def load_command(name: str) -> Command[CommandRequest]:
    """Return the command called `name`, whose module is loaded."""
    command: Command[CommandRequest] = import_module(f".commands.{name}", __package__).COMMAND
    return command


COMPLETE = "_ADCLI_COMPLETE"  # the variable in which the script of a shell asks for completions
HELP_ALL = "--help-all"
