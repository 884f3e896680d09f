"""What can be asked of a trace."""

MODES = ("value", "forward", "reverse", "both")
NUMBERINGS = ("level", "call")
