"""The budget of a computation in any arithmetic: the largest exponents, numbers of bits and times."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from ..errors import RequestError

LARGEST = 10**18  # exponents beyond this count as infinite: such numbers would fill the memory
LONGEST = 10_000  # bits before the point of an argument that periodic functions reduce
WHOLE = 64  # bits of an integer that is an exponent or an order
HIGHEST = 100  # the highest order of polygamma
SECONDS = 20.0  # of computing, for one problem in an arithmetic that is not doubles
AGAIN = 1.0  # seconds until the error is raised again: one raised inside __del__ is lost


@contextmanager
def within() -> Iterator[None]:
    """Return a context manager in which RequestError is raised after SECONDS of processor time.

    Only in the main thread and on systems with such a timer. A budget inside another one has no effect.
    """
    import signal
    import threading

    clock = getattr(signal, "ITIMER_PROF", None)
    alone = threading.current_thread() is threading.main_thread()
    if clock is None or not alone or signal.getitimer(clock)[0] or signal.getsignal(signal.SIGPROF) is None:
        yield
        return
    before = signal.signal(signal.SIGPROF, _over)
    signal.setitimer(clock, SECONDS, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(clock, 0)
        signal.signal(signal.SIGPROF, before)


def _over(*_: Any) -> NoReturn:
    raise RequestError(
        f"the problem takes more than {SECONDS:g} s of computing",
        help="ask for fewer digits or orders, or choose a point where the numbers are smaller",
    )
