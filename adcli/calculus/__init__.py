"""The table of functions, and the arithmetics in which its cells are read."""
