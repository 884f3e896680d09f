"""Errors as values: what was asked, where in the text, what is wrong and what to type next.

Nothing here prints.  `AdcliError` carries the pieces of a message; as a text it is the user's own line, a caret under
the place, what was found, and what to type next.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from .overriding import override


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

    @override
    def __eq__(self, other: object) -> bool:
        """Two errors are the same when they say the same: of another process, or of another call."""
        return type(self) is type(other) and isinstance(other, AdcliError) and error_text(self) == error_text(other)

    @override
    def __hash__(self) -> int:
        return hash((type(self), self.title))

    @override
    def __reduce__(self) -> tuple[Callable[..., AdcliError], tuple[object, ...]]:
        return _read_again, (type(self), self.args, vars(self))

    @override
    def __str__(self) -> str:
        """The message as the command line prints it, without its first word."""
        return error_text(self).removeprefix("error: ").rstrip("\n")

    @property
    def place(self) -> tuple[int, int, int] | tuple[None, None, None]:
        """Line, column and end column of what is underlined, counted from 1; three times None if nothing is."""
        if self.span is None:
            return None, None, None
        line, column = self.span.source.position(self.span.start)
        return line, column, column + max(self.span.end - self.span.start, 1)

    def as_dict(self) -> dict[str, object]:
        """Return the error as plain data (schema `error/1`), columns counted from 1."""
        from .documents import ERROR

        return ERROR.data(self)


class RequestError(AdcliError):
    """The request itself is wrong: an option, a file, a point."""


class OutputProblem(RequestError):
    """The document cannot be written, so that there is no use in going on."""


class SyntaxProblem(AdcliError):
    """The text is not an expression of the language."""

    kind = "syntax"


class OtherCommand(SyntaxProblem):
    """The text asks for what another command does, whose command line is the help; with a point it has values too."""

    def at(self, point: str) -> None:
        """The command is for this point, unless it has one."""
        if self.help.startswith("adcli ") and " --at " not in self.help:
            self.help += f" --at {point}"


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


class Ended(BaseException):
    """This process was told by a signal to end, which is no error."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.exit_code = 128 + signal


def is_own_failure(error: ImportError) -> bool:
    """Return whether an import error names a module of adcli: then adcli is at fault, and not a library."""
    return (error.name or "").partition(".")[0] == "adcli"


def _failing_library(error: ImportError) -> str:
    """Return the top-level package that an import error is about; "" if it is not known.

    An error without a name is about the package whose code raised it.
    """
    if error.name:
        return error.name.partition(".")[0]
    module, traceback = "", error.__traceback__
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__", ""))
        traceback = traceback.tb_next
    library = module.partition(".")[0]
    return "" if library == "adcli" else library


def _import_failure(error: ImportError) -> AdcliError:
    """Return the message for a failed import, with the first line of the error.

    A module of adcli that does not load is a mistake of adcli, and is named; so is a library, if it is known.
    """
    reason = str(error).strip().partition("\n")[0]
    if is_own_failure(error):
        return AdcliError(
            "adcli has made a mistake",
            label=f"its module {error.name} does not load: {reason}",
            help="run the command again with --debug and report what it prints",
        )
    library = _failing_library(error)
    return AdcliError(
        f"the library {library} does not load" if library else "a library does not load",
        label=reason,
        help="give it more memory, or install adcli anew: pip install --force-reinstall adcli",
    )


def accident(error: Exception) -> AdcliError:
    """Return the message for an exception that is not an answer to the user, instead of a traceback.

    It names what is missing (memory, a library, something of the system) or else says that adcli has made a mistake.
    """
    if isinstance(error, (MemoryError, RecursionError)):
        return AdcliError("the problem is too large for this machine's memory")
    if isinstance(error, ImportError):
        return _import_failure(error)
    if isinstance(error, OSError):
        what = f"{error.strerror or error}: {error.filename}" if error.filename else error.strerror or str(error)
        return AdcliError("the system refuses what this command needs", label=what)
    return AdcliError(
        "adcli has made a mistake",
        label=f"{type(error).__name__}: {error}",
        help="run the command again with --debug and report what it prints",
    )


def damaged(what: str, why: str = "") -> RequestError:
    """The error of a pickle whose state is not one that adcli has made."""
    return RequestError(
        f"this is no pickle of {what}", label=why, help="make it anew with the adcli that is installed here"
    )


def _read_again(kind: type[AdcliError], args: tuple[object, ...], said: dict[str, object]) -> AdcliError:
    """The error that was pickled.  Raises RequestError for what is none."""
    if not (isinstance(kind, type) and issubclass(kind, AdcliError) and type(args) is tuple and type(said) is dict):
        raise damaged("an error")
    texts = [said.get(name) for name in ("title", "label", "help")]
    notes, related = said.get("notes"), said.get("related")
    if not isinstance(notes, tuple) or not all(isinstance(text, str) for text in (*texts, *notes)):
        raise damaged("an error", "its texts are none")
    second = related if isinstance(related, tuple) and len(related) == 2 else (related, "")
    if not (_is_place(said.get("span")) and _is_place(second[0]) and isinstance(second[1], str)):
        raise damaged("an error", "its places are none")
    error = kind.__new__(kind, *args)
    vars(error).update(said)
    return error


def _is_place(span: object) -> bool:
    """Whether this is a place in a text, or none."""
    if not isinstance(span, Span):
        return span is None
    source = span.source
    return (
        isinstance(source, Source)
        and all(isinstance(text, str) for text in (source.text, source.shown, source.name or ""))
        and all(type(number) is int for number in (span.start, span.end, source.first_line))
        and 0 <= span.start <= span.end
    )


# --- messages ---------------------------------------------------------------------------------------------------------


def error_text(error: AdcliError, spell: Callable[[str], str] = str) -> str:
    """The message, several lines without colour; the first starts with `error:`.

    `spell` is how a line that is quoted is written: as it is, or in ASCII.
    """
    out = [f"error: {sentence(error.title)}"]
    span = error.span
    if span is not None:
        out += _excerpt(span, error.label, error.related, spell)
    elif error.label:
        out.append(f"  = {sentence(error.label)}")
    out = [line.rstrip() for line in out]
    margin = " " * _gutter(span) if span is not None else " "
    out += [f"{margin} = note: {sentence(note)}" for note in error.notes if note]
    if error.help:
        out.append(f"{margin} = help: {sentence(error.help)}")
    return "\n".join(out) + "\n"


def _gutter(span: Span) -> int:
    return len(str(span.source.position(span.start)[0]))


_QUOTED = 160  # characters of a line that are quoted around the place


def _excerpt(span: Span, label: str, related: tuple[Span, str] | None, spell: Callable[[str], str]) -> list[str]:
    line, column = span.source.position(span.start)
    margin = " " * _gutter(span)
    out = [f"{margin}--> {sentence(span.source.name)}:{line}:{column}"] if span.source.name else []
    out.append(f"{margin} |")
    marks = [(span, "^", label)]
    if related is not None:
        marks.append((related[0], "-", related[1]))
    marks.sort(key=lambda mark: mark[0].source.position(mark[0].start)[0])
    quoted = None
    for where, sign, text in marks:
        number, start = where.source.position(where.start)
        full = where.source.shown.split("\n")[number - where.source.first_line]
        if quoted != number:
            view = View(full, start, spell)
            out.append(f"{str(number).rjust(len(margin))} | {view.text}")
            quoted = number
        out.append(f"{margin} | {view.underline(start, where.end - where.start, sign)} {sentence(text)}".rstrip())
    return out


class View:
    """What is quoted of a line around a column (from 1), and the underlines below it.

    `spell` is how the line is written: as it is, or in ASCII; at most `longest` characters of it are shown.
    """

    def __init__(self, line: str, column: int, spell: Callable[[str], str] = str, longest: int = _QUOTED) -> None:
        self.spell = spell
        self.first = max(0, column - 1 - longest // 2) if len(line) > longest else 0
        self.shown = line[self.first : self.first + longest]
        self.before = "…" * (self.first > 0)
        self.text = spell(f"{self.before}{visible(self.shown)}{'…' * (self.first + len(self.shown) < len(line))}")

    def underline(self, column: int, length: int, sign: str = "^") -> str:
        """Blanks and signs for so many characters from a column on."""
        start = max(column - 1 - self.first, 0)
        length = min(max(length, 1), max(len(self.shown) - start, 1))
        left, marked = self.shown[:start], self.shown[start : start + length]
        blanks = width(self.spell(self.before + visible(left)))
        return " " * blanks + sign * max(width(self.spell(visible(marked))), 1)


def note_text(text: str, label: str | None = None) -> str:
    """A note on one line."""
    return f"note: {f'{sentence(label)}: ' if label else ''}{sentence(text)}\n"


# --- texts of others in messages --------------------------------------------------------------------------------------


def visible(text: str) -> str:
    """The text with every character that could steer a terminal or hide something made visible, one for one."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c == " " else " " if c in "\t\u00a0" else "\ufffd" for c in text.replace("\n", " ")
    )


_LONGEST = 240  # characters of a sentence in a message


def sentence(text: str) -> str:
    """A text for one line of a message: visible, and cut in the middle where it is very long."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 3 :]}"
    return visible(text)


def width(text: str) -> int:
    """How many columns a terminal gives to a text."""
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if character.isascii():
            columns += 1
        elif not unicodedata.combining(character):
            columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns
