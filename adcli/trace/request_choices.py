"""What can be asked of a trace, apart from all else: help, which is made of it, loads nothing more."""

MODES = ("value", "forward", "reverse", "both")
NUMBERINGS = ("level", "call")
