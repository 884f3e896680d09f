"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from drawn import usually
from hypothesis import is_hypothesis_test, settings

if TYPE_CHECKING:
    from browser import Browser

# A shell ignores interrupts for what it starts in the background, and `nohup` the end of a terminal, which a process
# hands on to its children; some tests end theirs by such a signal.  What is handled here is as usual there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Processes that tests start keep their compiled modules, as those of a user do; else each compiles all that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

os.environ["ADCLI_SETTINGS"] = ""  # whatever somebody has settled for themselves, it is not tested

# The same examples every time, so that a change is judged by what it does; new ones by hand, many with `long`:
# python -m pytest --hypothesis-profile long.  With ADCLI_THOROUGH=1 a run has more of them, and more generated cases.
settings.register_profile(
    "usual", derandomize=True, deadline=None, database=None, max_examples=usually(10, thoroughly=50)
)
settings.register_profile("new", deadline=None)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile("usual")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests that look at pages; the tests are skipped where there is none."""
    from browser import started

    with started() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser) -> Browser:
    """The browser with a window that has the focus, and no wishes of a reader."""
    chromium.look(1280, 900)
    return chromium


# Files whose tests take long: they come first, so that no process waits for another at the end.
FIRST = (
    "accessible_pages", "stepper_page", "printed_pages", "installation", "workers", "one_row", "shards", "grading",
    "independent", "outputs", "soundness",
)  # fmt: skip


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file in one process: what they share is made once."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


# How many cases of every promise the quick tests try.
QUICK = 2


def pytest_configure(config: pytest.Config) -> None:
    """Says what the marks mean."""
    config.addinivalue_line("markers", f"quick: the first {QUICK} cases of every promise that does not take long")
    config.addinivalue_line("markers", "slow: takes more than a third of a second; no quick test")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the quick tests: no test is asked twice what it is, and a new one is among them by itself.

    Puts what takes long first.
    """
    items.sort(key=lambda item: item.path.stem.removeprefix("test_") not in FIRST)
    cases: Counter[str] = Counter()
    for item in items:
        promise = item.nodeid.partition("[")[0]
        cases[promise] += 1
        slow = item.get_closest_marker("slow") or is_hypothesis_test(getattr(item, "obj", None))
        if cases[promise] <= QUICK and not slow:
            item.add_marker(pytest.mark.quick)


def pytest_collection_finish() -> None:
    """Keep the collector of cycles from looking through the collected tests, which all stay, again and again."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val: Any) -> str | None:
    """Long bytes are called by their length: an archive holds the time of its making, and every core makes one."""
    return f"{len(val)}-bytes" if isinstance(val, bytes) and len(val) > 40 else None
