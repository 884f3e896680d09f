"""The table of functions: the class of its rows, and the rows."""
