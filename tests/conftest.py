"""What holds for all tests."""

import os
import signal
from typing import Any

from hypothesis import settings

# A shell ignores interrupts for what it starts in the background, which a process hands on to its children; some tests
# interrupt theirs.  What is handled here is as usual there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# In CI the same examples every time, so that a change is judged by what it does; by hand new ones at every run.
settings.register_profile("ci", derandomize=True, deadline=None, database=None)
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_make_parametrize_id(val: Any) -> str | None:
    """Long bytes are called by their length: an archive holds the time of its making, and every core makes one."""
    return f"{len(val)}-bytes" if isinstance(val, bytes) and len(val) > 40 else None
