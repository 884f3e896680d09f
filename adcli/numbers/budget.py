"""The budget of a computation in any arithmetic: limits for exponents, bits of numbers, and processor time."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..errors import RequestError
from ..typings import NoReturn

LARGEST = 10**18  # exponents beyond this count as infinite: such numbers would fill the memory
LONGEST = 10_000  # bits before the point of an argument that periodic functions reduce
WHOLE = 64  # bits of an integer that is an exponent or an order
HIGHEST = 100  # the highest order of polygamma
SECONDS = 20.0  # of computing, for one problem in an arithmetic that is not doubles
AGAIN = 1.0  # seconds until the error is raised again: one raised inside __del__ is lost
_CALLS = 1000  # function calls between two looks at the clock, where there is no timer


@contextmanager
def limit_time() -> Iterator[None]:
    """Return a context manager in which RequestError is raised after SECONDS (20) of processor time, and every second
    again until it ends.

    A system timer measures the time; in threads other than the main one, and on systems without such a timer, a profile
    function does (`sys.setprofile`). It has no effect inside another budget, while another profiling timer runs, or,
    where a profile function is needed, while a profiler runs.
    """
    import signal
    import threading

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        with _profile_calls():
            yield
        return
    clock = signal.ITIMER_PROF
    if isinstance(sys.getprofile(), _Clock) or signal.getitimer(clock)[0] or signal.getsignal(signal.SIGPROF) is None:
        yield
        return
    before = signal.signal(signal.SIGPROF, _over)
    signal.setitimer(clock, SECONDS, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(clock, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _profile_calls() -> Iterator[None]:
    """Return a context manager in which a _Clock looks at each function call of this thread.

    It has no effect if there is a profile function already; otherwise there is none afterwards.
    """
    if sys.getprofile() is not None:
        yield
        return
    sys.setprofile(_Clock())
    try:
        yield
    finally:
        sys.setprofile(None)


class _Clock:
    """A profile function that raises RequestError SECONDS of processor time after it was made.

    It looks at the time at every _CALLS-th event, and does not raise inside `__del__`, where the error would be lost.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.end = time.process_time() + SECONDS

    def __call__(self, frame: FrameType | None, event: str, argument: object) -> None:
        """Count an event of the profiler, and at every _CALLS-th one raise RequestError if the time is used up.

        Nothing is raised while `frame` or one of its callers is a `__del__`; `event` and `argument` are ignored.
        """
        self.calls += 1
        if self.calls % _CALLS or time.process_time() < self.end:
            return
        while frame is not None and frame.f_code.co_name != "__del__":
            frame = frame.f_back
        if frame is None:
            _over()


def _over(*_: object) -> NoReturn:
    title = f"the problem takes more than {SECONDS:g} s of computing"
    raise RequestError(title, help="ask for fewer digits or orders, or choose a point where the numbers are smaller")
