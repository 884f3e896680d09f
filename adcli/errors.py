"""Errors as values: what was asked, where in the text, what is wrong and what to type next.

Nothing here prints.  `AdcliError` carries the pieces of a message; the render room lays them out.
"""

from __future__ import annotations


class Source:
    """A piece of the user's text and where it stands: file name and number of its first line.

    `text` is what is read; `shown`, of the same length, is what a message quotes: with label, point and comments.
    """

    __slots__ = ("first_line", "name", "shown", "text")

    def __init__(self, text: str, name: str | None = None, first_line: int = 1, shown: str | None = None) -> None:
        self.text = text
        self.name = name
        self.first_line = first_line
        self.shown = text if shown is None else shown

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1 (columns in characters)."""
        before = self.text[:offset]
        return self.first_line + before.count("\n"), offset - (before.rfind("\n") + 1) + 1


class Span:
    """The characters `start` to `end` (exclusive) of a source."""

    __slots__ = ("end", "source", "start")

    def __init__(self, start: int, end: int, source: Source) -> None:
        self.start = start
        self.end = end
        self.source = source

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]


class AdcliError(Exception):
    """A clear answer to a request that cannot be met.

    `title` states the fact, `label` what was found at `span`, `notes` the rule, `help` the next keystroke.
    `related` marks a second place (an opening bracket, an earlier definition) with its own label.
    """

    kind = "request"
    exit_code = 2

    def __init__(
        self,
        title: str,
        span: Span | None = None,
        label: str = "",
        notes: tuple[str, ...] = (),
        help: str = "",  # noqa: A002 - the word that the message prints
        related: tuple[Span, str] | None = None,
    ) -> None:
        super().__init__(title)
        self.title = title
        self.span = span
        self.label = label
        self.notes = notes
        self.help = help
        self.related = related

    def as_dict(self) -> dict[str, object]:
        """The error as plain data (schema `error/1`), columns counted from 1."""
        line = column = end_column = None
        if self.span is not None:
            line, column = self.span.source.position(self.span.start)
            end_column = column + max(self.span.end - self.span.start, 1)
        return {
            "schema": "error/1",
            "kind": self.kind,
            "title": self.title,
            "label": self.label,
            "notes": list(self.notes),
            "help": self.help,
            "line": line,
            "column": column,
            "end_column": end_column,
        }


class RequestError(AdcliError):
    """The request itself is wrong: an option, a file, a point."""


class OutputProblem(RequestError):
    """The document cannot be written, so that there is no use in going on."""


class SyntaxProblem(AdcliError):
    """The text is not an expression of the language."""

    kind = "syntax"


class NameProblem(AdcliError):
    """A name that nothing defines, or that stands for something else."""

    kind = "name"


class ArityProblem(AdcliError):
    """A function with too few or too many arguments."""

    kind = "arity"


class DomainProblem(AdcliError):
    """The mathematics says no: no value, or no derivative where one was demanded."""

    kind = "domain"
    exit_code = 3


def accident(error: Exception) -> AdcliError:
    """What is said in the place of a traceback, of an exception that is no answer to anybody: a defect, or a problem
    beyond the machine."""
    if isinstance(error, (MemoryError, RecursionError)):
        return AdcliError("the problem is too large for this machine's memory")
    if isinstance(error, OSError):
        what = f"{error.strerror or error}: {error.filename}" if error.filename else error.strerror or str(error)
        return AdcliError("the system refuses what this command needs", label=what)
    return AdcliError(
        "adcli has made a mistake",
        label=f"{type(error).__name__}: {error}",
        help="run the command again with --debug and report what it prints",
    )
