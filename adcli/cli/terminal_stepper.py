"""Terminal stepper: the steps of one problem on a terminal, its keys, its screen, and predictions at a prompt."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType

from ..marking.prediction import RIGHT, assess_prediction
from ..render.document_parts import Table, ascii_table
from ..render.step_screen import equation, screen
from ..render.step_sentences import Account, Line
from ..render.terminal import draw
from .stream import Stream

try:
    import termios
    import tty
except ImportError:  # Windows, where click knows how to read a key
    termios = None  # type: ignore[assignment]

_CLEAR = "\x1b[H\x1b[2J"
_NEXT, _BACK = ("n", " ", "\r", "\n", "\x1b[C", "\x1bOC"), ("b", "\x1b[D", "\x1bOD")
_FIRST, _LAST = ("\x1b[H", "\x1bOH", "\x1b[1~"), ("\x1b[F", "\x1bOF", "\x1b[4~")
_QUIT = ("q", "\x1b", "\x04", "")
_KEYS = "n next, b back, p predict, q quit"
_PROMPT = "a number or array, or Enter to show it, b back, p no more predictions, q quit"


_KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)
_AT_ONCE = 1024  # bytes of one reading


class Keys:
    """A context in which keys are read one by one; at its end the terminal is as before."""

    def __init__(self) -> None:
        self.before: list[int | list[bytes | int]] = []
        self.pending: list[str] = []

    def __enter__(self) -> Keys:
        if termios is not None:
            self.before = termios.tcgetattr(sys.stdin)
            self._listen()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._restore()

    def _listen(self) -> None:
        """Make keys come at once and without an echo; what was typed before is kept."""
        if termios is not None:
            tty.setcbreak(sys.stdin, termios.TCSADRAIN)

    def _restore(self) -> None:
        if termios is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self.before)

    def key(self) -> str:
        """Wait for the next key and return it; arrows as the sequences that terminals send, "" at the end of input.

        Keys that were typed together are kept in `pending` and returned one by one; an Escape without a sequence is a
        key. Without termios (on Windows) return what `click.getchar` returns.
        """
        if termios is None:
            import click

            return click.getchar()
        if not self.pending:
            self.pending = _KEY.findall(os.read(sys.stdin.fileno(), _AT_ONCE).decode("utf-8", "replace"))
        return self.pending.pop(0) if self.pending else ""

    @contextmanager
    def lines(self) -> Iterator[None]:
        """Let the terminal edit lines until the end of the block, then read keys again, also after an error."""
        self._restore()
        try:
            yield
        finally:
            self._listen()


def typed_line() -> str:
    """Return the next line of standard input, "" at its end.

    Bytes that are not UTF-8 become U+FFFD; a long line comes in pieces of 1024 bytes.
    """
    return "" if sys.stdin is None else sys.stdin.buffer.readline(_AT_ONCE).decode("utf-8", "replace")


class Quit(BaseException):
    """The user quits, which is not an error."""


class Walk:
    """The steps of one problem on a terminal, one at a time.

    `places` has for each step (the number of its sweep, its number in the sweep), both from 0; `at` is the position of
    the current step in it, `steps_shown` the number of steps that have been shown.
    """

    def __init__(self, stream: Stream, head: str, accounts: Sequence[Account], predict: bool) -> None:
        self.stream, self.head, self.accounts, self.predict = stream, head, accounts, predict
        self.places = [(k, i) for k, account in enumerate(accounts) for i in range(len(account.lines))]
        self.at = 0
        self.steps_shown = 0  # steps up to here have been shown

    def run(self) -> None:
        """Show steps and read keys until the user goes on after the last one. Raises Quit if the user quits.

        If `predict`, the number of a step is shown only after the user has entered it, or chosen to see it; after a
        wrong answer it is asked again. Steps that were shown before, or have no number, are shown at once.
        """
        message = ""
        with Keys() as keys:
            while True:
                if self.predict and self.at >= self.steps_shown and self._line.truth is not None:
                    with keys.lines():
                        message = self._ask_number(message)
                    continue
                self.steps_shown = max(self.steps_shown, self.at + 1)
                self._show(True, message, _KEYS)
                message = ""
                if not self._move(keys.key()):
                    return

    @property
    def _line(self) -> Line:
        sweep, step = self.places[self.at]
        return self.accounts[sweep].lines[step]

    def _show(self, known: bool, message: str, keys: str) -> None:
        """Clear the screen and show the current step with `message` and the prompt `keys`.

        `known` shows its number, too. Above it are the heading and a table of the steps before it, as many as fit.
        """
        size = (self.stream.width(), self.stream.height())
        sweep, step = self.places[self.at]
        text = screen(self.head, self.accounts[sweep], step, known, size, self._draw_table)
        self.stream.write(f"{_CLEAR}{text}{message}\n[{keys}] ")

    def _draw_table(self, table: Table) -> str:
        """Return the table as text for this terminal: its width, colours, and ASCII if so configured."""
        spelled = ascii_table(table) if self.stream.ascii else table
        return draw(spelled, self.stream.width(), self.stream.wants_color(), self.stream.ascii)

    def _move(self, key: str) -> bool:
        """Move by a key and return True; False after the last step.

        Raises Quit for a key that quits (q, Escape, Ctrl-D, end of input). n, Enter, the space bar and → go on; b and ←
        go back, but stay at the first step. Home goes to the first step. End goes to the last step, with `predict` only
        to the first one that is not seen. `p` turns predictions on or off; then all later steps count as not seen.
        Other keys do nothing.
        """
        if key in _QUIT:
            self.stream.write("\n")
            raise Quit
        if key in _NEXT:
            if self.at + 1 == len(self.places):
                self.stream.write("\n")
                return False
            self.at += 1
        elif key in _BACK:
            self.at = max(self.at - 1, 0)
        elif key in _FIRST:
            self.at = 0
        elif key in _LAST:
            self.at = self.steps_shown if self.predict and self.steps_shown < len(self.places) else len(self.places) - 1
        elif key == "p":
            self.predict = not self.predict
            self.steps_shown = self.at + 1
        return True

    def _ask_number(self, message: str) -> str:
        """Show the step with `message`, ask once for its number and return the message about the answer.

        It is "" for Enter, p and b. A right answer, Enter, and p (no more predictions) count the step as seen, b goes
        back one step. Raises Quit for q or the end of input. At the first step b is marked as an answer.
        """
        self._show(False, message, _PROMPT)
        self.stream.write(f"\n{self._line.symbol} = ")
        text = typed_line()
        answer = text.strip()
        if not text or answer == "q":
            raise Quit
        if answer == "b" and self.at > 0:
            self.at -= 1
            return ""
        if answer in ("", "p"):
            self.predict = self.predict and answer != "p"
            self.steps_shown = self.at + 1
            return ""
        verdict, words = assess_prediction(answer, self._line.truth or 0.0)
        if verdict == RIGHT:
            self.steps_shown = self.at + 1
        return words


def ask_all(stream: Stream, accounts: Sequence[Account]) -> None:
    """Print all steps of `accounts`, sweep by sweep, and ask for each number before it, off a terminal.

    After a wrong answer the question is repeated; after a right one or a blank line the step is shown. The results of a
    sweep come after its steps. Steps without a number, and all steps after the end of standard input, are shown without
    a question.
    """
    open_ended = True
    for account in accounts:
        stream.write(f"{account.title}\n")
        for line in account.lines:
            while open_ended and line.truth is not None:
                stream.write(f"{line.number:3}. {equation(line, False)}\n")
                text = typed_line()
                open_ended = bool(text)
                if not text.strip():
                    break
                verdict, words = assess_prediction(text.strip(), line.truth)
                stream.write(f"     {words}\n")
                if verdict == RIGHT:
                    break
            stream.write(f"{line.number:3}. {line.equation}\n")
        stream.write("".join(f"{text}\n" for text in account.results))
