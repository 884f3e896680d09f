"""Errors as values: title, the place in the text with a label, notes, and help.

This module prints nothing. `AdcliError` has the parts of a message; as text it is the user's line, a caret under the
place, the label there, and the help.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from .typings import override


class Source:
    """A piece of the user's text.

    text        the text that is parsed
    name        the name of its file; None: no file
    first_line  the number of its first line there
    shown       the text that messages quote, with label, point and comments; of the same length as `text`
    """

    __slots__ = ("first_line", "name", "shown", "text")

    def __init__(self, text: str, name: str | None = None, first_line: int = 1, shown: str | None = None) -> None:
        """Keep the parts; `shown` None means `text` itself. Raises RequestError if `text` is not a text."""
        if not isinstance(text, str):
            label = f"this is of type {type(text).__name__}"
            raise RequestError("an expression must be text", label=label, help='write parse("x^2")')
        self.text = text
        self.name = name
        self.first_line = first_line
        self.shown = text if shown is None else shown

    def position(self, offset: int) -> tuple[int, int]:
        """Return (line, column) of an offset, both counted from 1 (columns in characters)."""
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
    """An error message for a request that cannot be fulfilled.

    title    states the fact
    span     the place in the text; None without one; `label` is the text there
    notes    the rule, one text for each line
    help     the text to type next, or advice
    related  (a second place, its label), such as an opening bracket or an earlier definition; None without one
    """

    kind = "request"
    exit_code = 2

    def __init__(
        self, title: str, span: Span | None = None, label: str = "", notes: tuple[str, ...] = (), help: str = "",
        related: tuple[Span, str] | None = None,
    ) -> None:  # fmt: skip
        """Keep the parts of the message, as described in the class; parts that are None or empty are not printed."""
        super().__init__(title)
        self.title = title
        self.span = span
        self.label = label
        self.notes = notes
        self.help = help
        self.related = related

    @override
    def __eq__(self, other: object) -> bool:
        """Return whether the other error has the same class and the same message."""
        return type(self) is type(other) and isinstance(other, AdcliError) and error_text(self) == error_text(other)

    @override
    def __hash__(self) -> int:
        return hash((type(self), self.title))

    @override
    def __reduce__(self) -> tuple[Callable[..., AdcliError], tuple[object, ...]]:
        return _unpickle, (type(self), self.args, vars(self))

    @override
    def __str__(self) -> str:
        """Return the message as the command line prints it, without `error: ` at its beginning."""
        return error_text(self).removeprefix("error: ").rstrip("\n")

    @property
    def place(self) -> tuple[int, int, int] | tuple[None, None, None]:
        """Return (line, column, end column) of the underlined text, counted from 1, the end exclusive; (None, None,
        None) if there is no span.

        The end column is at least one more than the column, and is counted on from there without regard to line breaks,
        so it may be beyond the end of the line.
        """
        if self.span is None:
            return None, None, None
        line, column = self.span.source.position(self.span.start)
        return line, column, column + max(self.span.end - self.span.start, 1)

    def as_dict(self) -> dict[str, object]:
        """Return the error as plain data (schema `error/1`), columns counted from 1."""
        from .documents import ERROR

        return ERROR.data(self)


class RequestError(AdcliError):
    """Raised if the request itself is wrong: an option, a file, a point."""


def unknown(kind: str, name: str, help: str) -> RequestError:
    """Return the error for a `name` that is not the name of a `kind`, such as "mode"; `help` lists those there are."""
    return RequestError(f"there is no {kind} called {name}", help=help)


class OutputProblem(RequestError):
    """Raised if a document cannot be written, so that the work stops."""


class SyntaxProblem(AdcliError):
    """Raised if a text is not an expression of the language."""

    kind = "syntax"


class OtherCommand(SyntaxProblem):
    """Raised if a text requests the work of another command; the help is that command line."""

    def at(self, point: str) -> None:
        """Add `--at point` to the command line in the help, unless it has a point."""
        if self.help.startswith("adcli ") and " --at " not in self.help:
            self.help += f" --at {point}"


class NameProblem(AdcliError):
    """Raised for a name that is not defined, or that has another meaning."""

    kind = "name"


class ArityProblem(AdcliError):
    """Raised for a function with too few or too many arguments."""

    kind = "arity"


class DomainProblem(AdcliError):
    """Raised if there is no value at the point, or no derivative although one is required."""

    kind = "domain"
    exit_code = 3


class Ended(BaseException):
    """Raised when a signal ends this process, which is not an error; the exit code is 128 plus the signal's number."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.exit_code = 128 + signal


def is_own_failure(error: ImportError) -> bool:
    """Return whether an import error names a module of adcli: then adcli is at fault, and not a library."""
    return (error.name or "").partition(".")[0] == "adcli"


def _failing_library(error: ImportError) -> str:
    """Return the top-level package that an import error is about; "" if it is not known.

    An error with a name is about the package in this name, also adcli. An error without a name is about the package
    whose code raised it, by its traceback; "" if that is adcli.
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

    For a module of adcli it is the message of a mistake in adcli, which names the module. For a library, which is named
    if it is known, it says that the library does not load, with advice on memory and a new installation.
    """
    reason = str(error).strip().partition("\n")[0]
    if is_own_failure(error):
        return _mistake(f"its module {error.name} does not load: {reason}")
    library = _failing_library(error)
    title = f"the library {library} does not load" if library else "a library does not load"
    advice = "give the process more memory, or install adcli again: pip install --force-reinstall adcli"
    return AdcliError(title, label=reason, help=advice)


def unexpected_error(error: Exception) -> AdcliError:
    """Return the message for `error`, an exception that is not an answer to the user, instead of a traceback.

    Memory or recursion exhausted, or no thread started: the problem is too large. ImportError: the library that does
    not load. OSError: what the system refuses. Every other: adcli has made a mistake.
    """
    without_threads = isinstance(error, RuntimeError) and "start new thread" in str(error)
    if isinstance(error, (MemoryError, RecursionError)) or without_threads:
        return AdcliError("the problem is too large for this machine's memory")
    if isinstance(error, ImportError):
        return _import_failure(error)
    if isinstance(error, OSError):
        reason = f"{error.strerror or error}: {error.filename}" if error.filename else error.strerror or str(error)
        return AdcliError("the system refuses what this command needs", label=reason)
    return _mistake(f"{type(error).__name__}: {error}")


def _mistake(detail: str) -> AdcliError:
    """Return the error for a defect of adcli; `detail` describes the exception."""
    advice = "run the command again with --debug and report what it prints"
    return AdcliError("adcli has made a mistake", label=detail, help=advice)


# Texts of messages in several rooms.
NO_EXPRESSION = "there is no expression"
NOT_CLOSED = "a quotation mark is never closed"
NOTHING_WRITTEN = "nothing is written here"
NOT_GIVEN = "no value is given for this name"
SAME_LENGTH = "give all rows the same length"
SMALLER_EXAMPLE = "trace a smaller example"
USED_TOO_EARLY = "is used before it is defined"
WRITE_INF = "write inf if you mean infinity"


def pickle_error(object_name: str, why: str = "") -> RequestError:
    """Return the error for a pickle of `object_name` whose state adcli did not make; `why` is the label."""
    title = f"this is not a pickle of {object_name}"
    return RequestError(
        title, label=why, help="create the pickle again with the version of adcli that is installed here"
    )


def _unpickle(kind: type[AdcliError], args: tuple[object, ...], state: dict[str, object]) -> AdcliError:
    """Return the error that was pickled, from its class, the arguments for `__new__` and its attributes by name.

    The constructor is not called, so `args` need not fit it. Raises RequestError if `kind` is not a subclass of
    AdcliError, `args` is not a tuple, `state` is not a dict, `title`, `label` or `help` is missing or not a text,
    `notes` is not a tuple of texts, or if `span` is neither None nor a Span with parts of the right types, or `related`
    neither this nor a pair (such a span, text).
    """
    if not (isinstance(kind, type) and issubclass(kind, AdcliError) and type(args) is tuple and type(state) is dict):
        raise pickle_error("an error")
    texts = [state.get(name) for name in ("title", "label", "help")]
    notes, related = state.get("notes"), state.get("related")
    if not isinstance(notes, tuple) or not all(isinstance(text, str) for text in (*texts, *notes)):
        raise pickle_error("an error", "its texts are not text")
    second = related if isinstance(related, tuple) and len(related) == 2 else (related, "")
    if not (_is_place(state.get("span")) and _is_place(second[0]) and isinstance(second[1], str)):
        raise pickle_error("an error", "one of its places in the text is not valid")
    error = kind.__new__(kind, *args)
    vars(error).update(state)
    return error


def _is_place(span: object) -> bool:
    """Return whether `span` is None or a Span whose parts have the right types.

    Its source must be a Source with texts `text` and `shown`, a `name` that is a text or None, and an integer
    `first_line`; `start` and `end` must be integers with 0 <= start <= end, not checked against the text's length.
    Booleans are not integers here.
    """
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
    """Return the message as several lines without colour, each ending with a line break.

    In this order: `error:` and the title, the quoted text with its marks (without a span the label, if any), notes that
    are not empty, help if there is any. `spell` rewrites the quoted line, for example in ASCII.
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
    """Return the number of digits of the line number of `span`."""
    return len(str(span.source.position(span.start)[0]))


_QUOTED = 160  # characters of a line that are quoted around the place


def _excerpt(span: Span, label: str, related: tuple[Span, str] | None, spell: Callable[[str], str]) -> list[str]:
    """Return the lines that quote the user's text: place, an empty line, and for each mark the line with carets and
    `label` for `span`, dashes and its label for `related`.

    Marks are in the order of their lines; two on one line share the quoted line, cut around the first. The line `-->
    file:line:column` is missing if the source has no name. `spell` rewrites the quoted lines.
    """
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
    """The part of a line that a message quotes, around `column` (from 1), at most `longest` characters of it.

    `text` is that part with `…` where it is cut, rewritten by `spell`.
    """

    def __init__(self, line: str, column: int, spell: Callable[[str], str] = str, longest: int = _QUOTED) -> None:
        self.spell = spell
        self.first = max(0, column - 1 - longest // 2) if len(line) > longest else 0
        self.shown = line[self.first : self.first + longest]
        self.before = "…" * (self.first > 0)
        self.text = spell(f"{self.before}{visible(self.shown)}{'…' * (self.first + len(self.shown) < len(line))}")

    def underline(self, column: int, length: int, sign: str = "^") -> str:
        """Return blanks and then `sign` under `length` characters from `column` (from 1) of the line, at least one.

        The underline is as wide as these characters in a terminal. Characters outside of the quoted part are not
        underlined.
        """
        start = max(column - 1 - self.first, 0)
        length = max(length + min(column - 1 - self.first, 0), 1)
        length = min(length, max(len(self.shown) - start, 1))
        left, underlined = self.shown[:start], self.shown[start : start + length]
        blanks = width(self.spell(self.before + visible(left)))
        return " " * blanks + sign * max(width(self.spell(visible(underlined))), 1)


def note_text(text: str, label: str | None = None) -> str:
    """Return a note as one line with its line break; `label` is the place that comes first, if there is one."""
    return f"note: {f'{sentence(label)}: ' if label else ''}{sentence(text)}\n"


# --- texts of users in messages ---------------------------------------------------------------------------------------


def visible(text: str) -> str:
    """Return the text with each character that cannot be printed replaced, one for one: tab, line feed and no-break
    space by a blank, others (such as carriage return) by U+FFFD.
    """
    if text.isprintable():
        return text
    text = text.translate(dict.fromkeys(map(ord, "\n\t\u00a0"), " "))
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


_LONGEST = 240  # characters of a sentence in a message


def sentence(text: str) -> str:
    """Return the text for one line of a message: visible, and cut in the middle if it is longer than 240 characters."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 3 :]}"
    return visible(text)


def width(text: str) -> int:
    """Return how many columns a terminal uses for a text: 2 for wide and fullwidth characters, 0 for combining ones
    outside ASCII, 1 for all others (control characters too).
    """
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if character.isascii():
            columns += 1
        elif not unicodedata.combining(character):
            columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns
