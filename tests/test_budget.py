"""One budget for all arithmetics: whatever is asked of whatever numbers, there is an answer, and soon."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import product
from typing import Any

import pytest
from drawn import usually
from running import process, run

from adcli.errors import RequestError
from adcli.graph.graph import Graph  # noqa: F401 - fills the table
from adcli.numbers import budget
from adcli.numbers.arb_intervals import Interval
from adcli.numbers.complexes import Complex, extend_to_complex
from adcli.numbers.conditions import Undecided
from adcli.numbers.double_intervals import SPREAD
from adcli.numbers.doubles import FLOAT
from adcli.numbers.exact import Exact
from adcli.numbers.precise import Precise
from adcli.table.primitive import ROWS, Primitive

HUGE = (
    "0", "1", "-1", "1e-1000000000000", "-1537874.2", "1e19", "1e1000000", "-1e100000000000", "0.5", "1e15", "-1e300",
)[: usually(8, thoroughly=11)]  # fmt: skip
ARITHMETICS = {
    "doubles": FLOAT, "exact": Exact(), "spread": SPREAD, "precise": Precise(50), "complex": Complex(30),
    "interval": Interval(256),
}  # fmt: skip
PATIENCE = 5  # seconds of computing; the slowest take some tenths, most of them a mere moment


@contextmanager
def patience(name: str) -> Iterator[None]:
    def over(*_: Any) -> None:
        raise AssertionError(f"{name} are not done after {PATIENCE} s")

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_every_row_answers_soon_for_numbers_of_every_size(row: Primitive) -> None:
    for name in ARITHMETICS:
        assert_answers_soon(row, name)


def assert_answers_soon(row: Primitive, name: str) -> None:
    """Fails where a row has no end in an arithmetic."""
    m = ARITHMETICS[name]
    rule = extend_to_complex(row) if name == "complex" else row
    count = row.arity or 2
    if rule is None or count > 2:
        return
    with m.working() if name == "interval" else nullcontext():
        numbers = [m.number(float(text) if name in ("doubles", "spread") else text) for text in HUGE]
        for arguments in product(numbers, repeat=count):
            with patience(name):
                try:
                    z = rule.value(m, *arguments)
                    rule.gradient(m, z, arguments, (True,) * count)
                except (ZeroDivisionError, OverflowError, ValueError, Undecided):
                    pass  # what the engine answers with nan


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("3^(2^x) @ x=1e15", ("--certify",)),
        ("(-3)^(2^x) @ x=1e15", ("--certify",)),
        ("sigmoid(exp(x)) @ x=5e5", ("--precision", "30")),
        ("sinh(x!) @ x=17", ("--complex",)),
        ("sinh(x!) @ x=150", ("--complex",)),
        ("digamma(x) @ x=-1537874.2", ("--certify",)),
        ("polygamma(3, x) @ x=-1537874.2", ("--certify", "--verify")),
    ],
)
def test_what_hung_or_crashed_is_answered_and_the_next_problem_too(text: str, flags: tuple[str, ...]) -> None:
    start = time.monotonic()
    done = process("eval", "--no-trace", *flags, "-", stdin=f"{text}\nx @ x=7\n")
    assert done.code in (0, 3), done.err
    assert "mistake" not in done.err
    assert "∂y/∂x  = 1\n" in done.out
    assert time.monotonic() - start < 30


def test_time_that_is_over_is_an_error_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "SECONDS", 0.05)
    with pytest.raises(RequestError, match=r"more than 0\.05 s of computing"), budget.limit_time(), budget.limit_time():
        while True:
            math.sin(1.0)
    assert (0.0, 0.0) == signal.getitimer(signal.ITIMER_PROF)


@pytest.mark.parametrize("place", ["a system without a timer", "another thread"])
def test_without_a_timer_the_time_is_measured_all_the_same(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    run("eval", "gamma(x)^3", "--at", "x=2.5", "--certify", "--no-trace")  # loads what is not to be timed
    monkeypatch.setattr(budget, "SECONDS", 0.05)
    told: list[str] = []

    def work() -> None:
        with pytest.raises(RequestError, match=r"than 0\.05 s of computing"), budget.limit_time(), budget.limit_time():
            while True:
                math.sin(1.0)
        with budget.limit_time():
            told.append("done")

    if place == "another thread":
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        monkeypatch.delattr(signal, "setitimer")
        work()
        done = run("eval", "gamma(x)^3", "--at", "x=2.5", "--certify", "--no-trace")
        assert 0 == done.code and "mistake" not in done.err
    assert ["done"] == told and sys.getprofile() is None


class _Thrown:
    """Takes longer to be thrown away than the budget lasts; what is raised in there is lost."""

    def __del__(self) -> None:
        began = time.process_time()
        while time.process_time() - began < 0.1:
            pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_word_that_is_lost_is_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "SECONDS", 0.02)
    monkeypatch.setattr(budget, "AGAIN", 0.2)
    began = time.process_time()
    with pytest.raises(RequestError, match="takes more than"), budget.limit_time():
        thrown = _Thrown()
        del thrown
        while time.process_time() - began < 5:
            pass
