"""How far the numbers of a trace can be trusted: what rounding takes of them, what is certain of them, and why."""
