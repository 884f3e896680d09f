"""What is said of an exception that is no answer to anybody: a defect, or a problem beyond the machine."""

from __future__ import annotations

from ..errors import AdcliError


def accident(error: Exception) -> AdcliError:
    """The message in the place of a traceback."""
    if isinstance(error, (MemoryError, RecursionError)):
        return AdcliError("the problem is too large for this machine's memory")
    return AdcliError(
        "adcli has made a mistake",
        label=f"{type(error).__name__}: {error}",
        help="run the command again with --debug and report what it prints",
    )
