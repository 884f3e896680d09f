"""The table of functions: what a row is, and the rows."""
