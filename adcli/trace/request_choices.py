"""Choices of a trace request: names of modes and numberings, apart from other modules, so that help loads little."""

from __future__ import annotations

from ..errors import unknown

MODES = ("value", "forward", "reverse", "both")
NUMBERINGS = ("level", "call")


def check_mode(mode: str) -> None:
    """Raise RequestError if `mode` is not one of MODES."""
    if mode not in MODES:
        raise unknown("mode", mode, f"the modes are {', '.join(MODES)}")
