"""The main module: the process `adcli`, also started by `python -m adcli`."""

from __future__ import annotations

import gc
import os
import sys

from adcli.errors import Ended
from adcli.typings import TYPE_CHECKING

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object] | signal.Handlers
else:
    import _signal as signal  # the same functions, without the enumerations of names, which take a millisecond

ALLOCATIONS = 250_000  # between two collections; a map of points makes fewer objects, nearly all of which stay
_ENDINGS = ("SIGTERM", "SIGHUP")  # signals that end the process, besides the interrupt that Python handles itself


def run() -> int:
    """Run the command line of this process and return its exit code: 130 after an interrupt, 128 and the signal's
    number after SIGTERM or SIGHUP.

    Closed standard streams are opened on the null device first. The garbage collector gets little to do, because
    objects made by imports stay in use and all memory is freed at the end.
    """
    gc.set_threshold(ALLOCATIONS)
    try:
        _open_closed_streams()
        _set_handlers(_raise_ended)
        from adcli.cli.main import main

        code = main()
        _set_handlers(signal.SIG_DFL)  # all is done
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Ended as end:
        return end.exit_code
    gc.freeze()
    return code


def start() -> int:
    """Run the command line and end the process at once with its exit code, since freeing each object takes as long as
    many a command; return the code if a thread, something registered for the end, a profiler or a tracer is active."""
    code = run()
    if not sys.modules.keys() & {"atexit", "threading"} and sys.getprofile() is sys.gettrace() is None:
        os._exit(code)
    return code


def _open_closed_streams() -> None:
    """Open the null device for each standard stream that is closed, so that no file opened later gets its number."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _set_handlers(handler: Handler) -> None:
    """Set the handler of SIGTERM and SIGHUP, if the system has them, except those that the parent process ignores.

    Any handler but `_raise_ended` is also that of interrupts: with SIG_DFL a later one ends the process without a
    traceback.
    """
    for name in _ENDINGS:
        number = getattr(signal, name, None)  # not every system has all of them
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
    if handler is not _raise_ended and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)


def _raise_ended(number: int, _: FrameType | None) -> None:
    """Raise Ended for a signal; further signals are ignored while the work ends."""
    _set_handlers(signal.SIG_IGN)
    raise Ended(number)


if __name__ == "__main__":
    sys.exit(start())
