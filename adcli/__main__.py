"""The process `adcli`, which is `python -m adcli` too."""

import gc
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

from adcli.errors import Ended

Handler = Callable[[int, FrameType | None], object] | signal.Handlers

_ALLOCATIONS = 100_000  # between two collections; a small evaluation makes fewer objects, nearly all of which stay
_ENDINGS = ("SIGTERM", "SIGHUP")  # signals that ask for an end, besides the interrupt that Python knows


def run() -> int:
    """Runs the command line of this process and returns its exit code.

    A signal to end is an orderly end, without a word.  The collector of cycles is left little to do: what an import
    makes is no garbage, and at the end all memory goes.
    """
    gc.set_threshold(_ALLOCATIONS)
    try:
        _keep_apart()
        _listen(_end)
        from adcli.cli.main import main

        code = main()
        _listen(signal.SIG_DFL)  # all is done
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Ended as end:
        return end.exit_code
    gc.freeze()
    return code


def _keep_apart() -> None:
    """No file that is opened later takes the place of a standard stream that is closed."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _listen(handler: Handler) -> None:
    """The signals that ask for an end are handled so, save those that whoever started this process has turned off."""
    for name in _ENDINGS:
        number = getattr(signal, name, None)  # not every system has all of them
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
    if handler is signal.SIG_DFL and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)


def _end(number: int, _: FrameType | None) -> None:
    """Ends the work in an orderly way, which a second signal does not disturb."""
    for name in (*_ENDINGS, "SIGINT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    raise Ended(number)


if __name__ == "__main__":
    sys.exit(run())
