"""Many points at once: one program for the value and all its partials, run over arrays and as machine code."""
