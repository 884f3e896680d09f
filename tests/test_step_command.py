"""`adcli step`: keys and predictions on a terminal, all steps at once elsewhere."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from running import LONGEST_RUN, PAPER, UTF8, environment, run

AT = ("--at", "x1=2,x2=5")
CLEAR = "\x1b[H\x1b[2J"
RIGHT, LEFT, HOME, END = "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"


class Terminal:
    """A command on a pseudo-terminal: keys go in, and what stands on the screen after each comes out."""

    def __init__(self, ours: int, child: subprocess.Popen[bytes]) -> None:
        self.ours, self.child = ours, child
        self.text = ""

    def screen(self, at_least: int) -> str:
        """What stands on the screen once it has been cleared so many times and waits for a key."""
        end = time.monotonic() + LONGEST_RUN
        while time.monotonic() < end:
            last = self.text.rpartition(CLEAR)[2]
            if self.text.count(CLEAR) >= at_least and ("q quit] " in last or last.endswith(" = ")):
                return last
            if select.select([self.ours], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.ours, 65536).decode("utf-8").replace("\r\n", "\n")
                except OSError:
                    break
        raise AssertionError(f"nothing came: {self.text!r}")

    def press(self, keys: str) -> str:
        """The screen after a key, or after a line."""
        before = self.text.count(CLEAR)
        os.write(self.ours, keys.encode())
        return self.screen(before + 1)

    def end(self, keys: str) -> int:
        os.write(self.ours, keys.encode())
        return self.child.wait(LONGEST_RUN)


@contextmanager
def walk(*argv: str, **changes: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "adcli", "step", *argv],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**{**UTF8, **changes}), close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        yield Terminal(ours, child)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
        os.close(ours)


def test_keys_lead_through_the_steps_and_back() -> None:
    with walk(PAPER, *AT, "--mode", "reverse") as terminal:
        assert "Values: step 1 of 7" in terminal.screen(1)
        assert "step 2 of 7" in terminal.press("n")
        assert "step 3 of 7" in terminal.press(" ")
        shown = terminal.press(RIGHT)
        assert "step 4 of 7" in shown
        assert "v2 = x1 × x2 = 2 × 5 = 10" in shown
        assert "step 3 of 7" in terminal.press("b")
        assert "step 2 of 7" in terminal.press(LEFT)
        last = terminal.press(END)
        assert "Reverse sweep of y: step 9 of 9" in last
        assert "∂y/∂x1 = x̄1 = 5.5." in last
        assert "step 1 of 7" in terminal.press(HOME)
        assert 0 == terminal.end("q")


def test_going_on_after_the_last_step_ends_the_walk() -> None:
    with walk("x^2", "--at", "x=3", "--mode", "value") as terminal:
        terminal.screen(1)
        terminal.press("n")
        assert 0 == terminal.end("n")


def test_a_prediction_is_asked_for_until_it_is_right() -> None:
    with walk(PAPER, *AT, "--mode", "value", "--predict") as terminal:
        terminal.screen(1)
        terminal.press("n")
        asked = terminal.press("n")
        assert "v1 = log x1 = ?" in asked
        assert "0.693" not in asked
        wrong = terminal.press("0.7931\n")
        assert "Not yet: try again, or show it." in wrong
        assert "v1 = log x1 = ?" in wrong
        assert "Write a number, such as -0.284 or 1/2." in terminal.press("about 0.7\n")
        right = terminal.press("0.69\n")
        assert "Right." in right
        assert "v1 = log x1 = log 2 = 0.693" in right
        assert "v2 = x1 × x2 = ?" in terminal.press("n")
        assert "v2 = x1 × x2 = 2 × 5 = 10" in terminal.press("\n")
        assert 0 == terminal.end("q")


def test_predictions_begin_and_end_with_a_key() -> None:
    with walk(PAPER, *AT, "--mode", "value") as terminal:
        terminal.screen(1)
        terminal.press("n")
        assert "[n next" in terminal.press("p")
        assert "v1 = log x1 = ?" in terminal.press("n")
        assert "v1 = log x1 = log 2 = 0.693" in terminal.press("p\n")
        assert "v2 = x1 × x2 = 2 × 5 = 10" in terminal.press("n")
        assert 0 == terminal.end("q")


def test_what_was_predicted_stays_shown() -> None:
    with walk(PAPER, *AT, "--mode", "value", "--predict") as terminal:
        terminal.screen(1)
        terminal.press("n")
        terminal.press("n")
        terminal.press("0.693\n")
        assert "v2 = x1 × x2 = ?" in terminal.press("n")
        assert "v1 = log x1 = log 2 = 0.693" in terminal.press("b\n")
        assert 0 == terminal.end("q")


def test_a_number_alone_is_printed() -> None:
    with walk("2+3") as terminal:
        assert 0 == terminal.child.wait(LONGEST_RUN)
        assert "y = 5." in os.read(terminal.ours, 65536).decode()


def test_an_interrupt_ends_with_its_own_code_and_leaves_the_terminal_as_it_was() -> None:
    with walk(PAPER, *AT) as terminal:
        terminal.screen(1)
        assert not termios.tcgetattr(terminal.ours)[3] & termios.ECHO
        terminal.child.send_signal(signal.SIGINT)
        assert 130 == terminal.child.wait(LONGEST_RUN)
        assert termios.tcgetattr(terminal.ours)[3] & termios.ECHO
        assert "Traceback" not in terminal.text


def test_a_terminal_that_cannot_be_cleared_gets_all_steps() -> None:
    with walk("x^2", "--at", "x=3", "--mode", "value", TERM="dumb") as terminal:
        assert 0 == terminal.child.wait(LONGEST_RUN)
        assert "v1 = x^2 = 3^2 = 9" in os.read(terminal.ours, 65536).decode()


def test_a_long_table_leaves_room_for_the_sentences() -> None:
    with walk("sum(i,1,30,sin(i*x))", "--at", "x=1", "--mode", "value") as terminal:
        terminal.screen(1)
        shown = terminal.press(END)
        assert "step 90 of 90" in shown
        assert len(shown.splitlines()) <= 24


# --- off a terminal --------------------------------------------------------------------------------------------------


def test_off_a_terminal_all_steps_come_at_once() -> None:
    assert run("explain", PAPER, *AT).out == run("step", PAPER, *AT).out


def test_off_a_terminal_answers_are_lines_of_standard_input() -> None:
    found = run("step", PAPER, *AT, "--mode", "value", "--predict", "--quiet", stdin="0.7\n9\n10\n\nabc\n")
    assert 0 == found.code
    said = [line.strip() for line in found.out.splitlines()]
    assert [
        "3. v1 = log x1 = ?", "Right.", "3. v1 = log x1 = log 2 = 0.693", "4. v2 = x1 × x2 = ?",
        "Not yet: try again, or show it.", "4. v2 = x1 × x2 = ?", "Right.", "4. v2 = x1 × x2 = 2 × 5 = 10",
        "5. v3 = sin x2 = ?", "5. v3 = sin x2 = sin 5 = −0.959", "6. v4 = v1 + v2 = ?",
        "Write a number, such as -0.284 or 1/2.", "6. v4 = v1 + v2 = ?", "6. v4 = v1 + v2 = 0.693 + 10 = 10.693",
    ] == said[3:17]  # fmt: skip
    assert "y = v5 = 11.652." == said[-1]


@pytest.mark.parametrize("argv", [("-",), (), ("--file", "-")])
def test_problems_and_answers_do_not_share_standard_input(argv: tuple[str, ...]) -> None:
    found = run("step", *argv, "--predict", stdin="x^2 @ x=1\n")
    assert (2, "") == (found.code, found.out)
    assert "cannot both come from standard input" in found.err


def test_in_ascii_the_walk_is_ascii() -> None:
    with walk(PAPER, *AT, "--mode", "forward", "--wrt", "x1", "--ascii") as terminal:
        terminal.screen(1)
        shown = terminal.press(END)
        assert shown.isascii()
        assert "dv5 = dv4 - dv3 = 5.5 - 0 = 5.5" in shown
