"""Programs of students: the rows of an answer as a straight-line program, and the problem's own programs next to it."""
