"""The output stream of a run: documents to standard output or a file, messages to standard error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from ..errors import AdcliError, OutputProblem, error_text, note_text
from ..typings import TYPE_CHECKING, TextIO
from .inputs import Inputs

if TYPE_CHECKING:
    from ..writing import WholeFile

WORK = "work"  # the kind of notes that are not about an expression
_OF_TABLES = "∂v̇1/∂x̄1 × −1"  # characters that tables have
LOUD = "kink"  # the kind that is printed with --quiet, too: what is shown is not a derivative


def unwritable(error: OSError) -> OutputProblem:
    """Return the problem that standard output takes no more, for the reason of `error`."""
    return OutputProblem("cannot write to standard output", label=error.strerror or str(error))


def check_folder(path: str) -> None:
    """Raise OutputProblem if what is at `path` is not a folder; nothing may be there."""
    if os.path.exists(path) and not os.path.isdir(path):
        raise OutputProblem(f"{path} is not a folder", help="name a folder with -o")


class Stream:
    """The outputs of one run: where and in which characters text is written, and the exit code so far.

    `path` is the file of the document (None: standard output), `inputs` are what it may read, `solved` counts the
    problems with a result; if `nothing_solved`, the output file is left as it was.
    """

    def __init__(self) -> None:
        """Begin with standard output and the exit code 0: colours as the terminal needs them, no hidden notes, no
        progress in the first second.
        """
        self.code = 0
        self.ascii = False
        self.color = "auto"
        self.columns: int | None = None
        self.quiet = False
        self.hidden_kinds: Collection[str] = ()
        self.inputs = Inputs()
        self.solved = 0
        self.nothing_solved = False
        self._file: WholeFile | None = None
        self.path: str | None = None
        self._is_over = False
        self._messages: set[str] = set()
        self._started = time.monotonic()
        self._shown = 0.0
        self._due = self._started + 1

    def configure(
        self, path: str | None, ascii_only: bool, color: str, width: int | None, quiet: bool, inputs: Inputs,
        silenced: Collection[str] = (),
    ) -> None:  # fmt: skip
        """Set the output file at `path` (None: standard output), appearance, inputs and hidden notes.

        `silenced` are the kinds of notes that are hidden, kept as `hidden_kinds`. Output is in ASCII with `ascii_only`,
        and without `path` if standard output lacks characters of tables (`_OF_TABLES`). `color` is auto, always or
        never; `width` is the number of columns (None: the terminal's); with `quiet` notes are not printed, except those
        of the kind "kink". The file is opened at the first write, or by `close`.
        """
        self.path = path
        self.inputs = inputs
        self.color, self.columns, self.quiet, self.hidden_kinds = color, width, quiet, silenced
        shown = sys.stdout if path is None else None
        self.ascii = ascii_only or (shown is not None and not _has_characters(shown, _OF_TABLES))

    def close(self) -> None:
        """Complete the document: its file appears, empty if nothing was written.

        Nothing happens for standard output, which can be written further, and at a second call. With `nothing_solved`
        `drop` is called instead (for standard output, too), and an older file stays. Raises OutputProblem if the file
        cannot be put at its path.
        """
        if self.nothing_solved:
            self.drop()
        elif self.path is not None and not self._is_over:
            self._open_output(self.path).keep()
            self._file, self._is_over = None, True

    def drop(self) -> None:
        """Discard an incomplete file and ignore later writes, also those to standard output.

        Later writes come from libraries that end their files when their writers are deleted.
        """
        self._is_over = True
        if self._file is not None:
            self._file.drop()
            self._file = None

    @property
    def is_terminal(self) -> bool:
        return self.path is None and sys.stdout is not None and sys.stdout.isatty()

    def wants_color(self, stream: TextIO | None = None) -> bool:
        """Return whether to colour the text that goes to `stream` (default: the document's output).

        The first that applies: `color` is "always" or "never"; NO_COLOR is set and not empty, or TERM is dumb (False);
        whether `stream` is a terminal.
        """
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            return False
        return stream.isatty() if stream is not None else self.is_terminal

    def width(self) -> int:
        """Return how many columns a terminal table may have: --width, else COLUMNS, else the terminal's, else 80."""
        return self.columns if self.columns is not None else _find_terminal_size("COLUMNS", 0) or 80

    def height(self) -> int:
        """Return how many lines the terminal has: the environment's LINES, else the terminal's, else 24."""
        return _find_terminal_size("LINES", 1) or 24

    def write(self, document: str | bytes) -> None:
        """Write a piece of the document, in ASCII if so configured; bytes are written unchanged.

        Nothing happens after `drop`, or after `close` of a file. Raises OutputProblem for bytes on a terminal, or if
        the output cannot be written, or standard output, which is then silenced, is closed; BrokenPipeError if the
        reader of standard output has gone.
        """
        if self._is_over:
            return
        if isinstance(document, bytes) and self.is_terminal:
            raise OutputProblem("this document cannot be shown on a terminal", help="name a file with -o")
        if isinstance(document, str) and self.ascii:
            document = _spell_in_ascii(document)
        if self.path is not None:
            from ..writing import encode_text

            self._open_output(self.path).write(encode_text(document) if isinstance(document, str) else document)
            return
        if sys.stdout is None:
            raise OutputProblem("standard output is closed", help="name a file with -o")
        try:
            if isinstance(document, str):
                self._put(sys.stdout, document)
            else:
                sys.stdout.flush()
                sys.stdout.buffer.write(document)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            silence(sys.stdout)
            raise unwritable(error) from None

    def write_pieces(self, pieces: Iterable[str]) -> None:
        """Write a text that comes in many pieces, in blocks; raises what `write` raises."""
        for block in in_blocks(pieces):
            self.write(block)

    def count_solved(self) -> None:
        """Count a problem with a result."""
        self.solved += 1

    def _open_output(self, path: str) -> WholeFile:
        """Return the file of the document, opened at the first call."""
        if self._file is None:
            from ..writing import WholeFile

            self._file = WholeFile(path)
        return self._file

    def _put(self, stream: TextIO, text: str) -> None:
        """Write a text to a standard stream, in ASCII if the encoding of the stream lacks one of its characters."""
        if not _has_characters(stream, text):
            text = _spell_in_ascii(text).encode("ascii", "replace").decode()  # halves of characters have no spelling
        stream.write(text)

    def error(self, error: AdcliError) -> None:
        """Print an error on standard error, and raise the exit code to that of the error if it is higher.

        It is coloured if standard error has colours, and in ASCII if `ascii` is set.
        """
        self.code = max(self.code, error.exit_code)
        text = _spell_in_ascii(error_text(error, _spell_in_ascii)) if self.ascii else error_text(error)
        if sys.stderr is not None and self.wants_color(sys.stderr):
            text = _color_message(text)
        self.message(text)

    def record_exit_code(self, code: int) -> None:
        """Set the exit code to `code` if that is higher than the code so far; nothing is printed."""
        self.code = max(self.code, code)

    def note(self, text: str, where: str | None = None, once: bool = False, topic: str = WORK) -> None:
        """Print a note of kind `topic` on standard error; `where` is the place that is put before it (None: nothing).

        The note is hidden if `topic` is in `hidden_kinds`, with --quiet (except for the topic "kink"), and with `once`
        if the same text was printed (not hidden) before in this run, for any place, with or without `once`.
        """
        if topic in self.hidden_kinds or (self.quiet and topic != LOUD) or (once and text in self._messages):
            return
        self._messages.add(text)
        line = note_text(text, where)
        if self.ascii:
            line = _spell_in_ascii(line)
        self.message(line)

    def message(self, text: str) -> None:
        """Print a text to standard error, after removing the progress; characters that it cannot write become ASCII.

        No line break is added. Nothing happens if standard error is closed; if it cannot be written it is silenced.
        """
        self.clear_progress()
        if sys.stderr is None:
            return
        try:
            self._put(sys.stderr, text)
            sys.stderr.flush()
        except OSError:  # the reader of standard error has gone
            silence(sys.stderr)

    def progress(self, text: str, elsewhere: bool = False) -> None:
        """Show `text` as progress on standard error, replacing the last one.

        It is shown at most five times a second and not in the first second of the stream. Nothing is shown unless
        standard error is a terminal, or with --quiet. If the output of this stream goes to a terminal, it is shown only
        with `elsewhere`, that is, if the results are written elsewhere. A text that comes too early is dropped.
        """
        now = time.monotonic()
        if now <= self._due:
            return
        self._due = now + 0.2
        if (self.is_terminal and not elsewhere) or self.quiet or sys.stderr is None or not sys.stderr.isatty():
            return
        self._shown = now
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()

    def clear_progress(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = self._due = 0.0


def in_blocks(pieces: Iterable[str], size: int = 1 << 16) -> Iterator[str]:
    """Yield the same text in fewer pieces of at least `size` characters each.

    The last one, which is always yielded, may be shorter or empty.
    """
    block, length = [], 0
    for piece in pieces:
        block.append(piece)
        length += len(piece)
        if length >= size:
            yield "".join(block)
            block, length = [], 0
    yield "".join(block)


def _spell_in_ascii(text: str) -> str:
    """Return the text in ASCII."""
    from ..render.document_parts import ascii_text

    return ascii_text(text)


def _find_terminal_size(variable: str, place: int) -> int:
    """Return the number in the environment `variable` if it is positive, otherwise the size of the terminal.

    The size is that of standard output at `place` (0: columns, 1: lines), or 0 if it is not a terminal. It is not read
    by shutil, which would import every compression module.
    """
    size = 0
    with suppress(ValueError):
        size = int(os.environ.get(variable, ""))
    if size <= 0:
        with suppress(AttributeError, ValueError, OSError):  # none on this system, or standard output is not a terminal
            size = os.get_terminal_size()[place]
    return max(size, 0)


def silence(stream: TextIO) -> None:
    """Redirect a stream that cannot be written to the null device, so that later output raises no error.

    Nothing happens if the stream has no file descriptor.
    """
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _has_characters(stream: TextIO, text: str) -> bool:
    """Return whether the stream's encoding has all characters of a text; False for an unknown encoding."""
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _color_message(text: str) -> str:
    """Return the message `text` with terminal colours, line by line; the first that applies.

    - The line starts with `error:`: it is bold, the word `error` (without the colon) red.
    - `= note:` or `= help:` is within its first 20 characters: the word `note` or `help` is cyan.
    - Its first sign, after blanks, is a bar, and the text after the first ` | ` is blank or starts, after blanks, with
      a caret: the text after the bar is red.
    - Other lines are unchanged.
    """
    out = []
    for line in text.split("\n"):
        if line.startswith("error:"):
            line = f"\x1b[1;31merror\x1b[0m\x1b[1m{line[5:]}\x1b[0m"
        elif "= note:" in line[:20] or "= help:" in line[:20]:
            start = line.index("= ")
            line = f"{line[:start]}= \x1b[1;36m{line[start + 2 : start + 6]}\x1b[0m{line[start + 6 :]}"
        elif " | " in line and set(line.partition(" | ")[2].strip()[:1]) <= {"^"} and line.strip()[:1] == "|":
            head, bar, rest = line.partition(" | ")
            line = f"{head}{bar}\x1b[31m{rest}\x1b[0m"
        out.append(line)
    return "\n".join(out)
