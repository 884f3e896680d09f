"""The arithmetics in which the rows of the table are read."""
