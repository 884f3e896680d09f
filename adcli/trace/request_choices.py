"""Choices of a trace request: names of modes and numberings, apart from other modules, so that help loads little."""

MODES = ("value", "forward", "reverse", "both")
NUMBERINGS = ("level", "call")
