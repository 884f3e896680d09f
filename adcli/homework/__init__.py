"""Marking homework: reading a student's trace, judging it row by row, naming slips, exercises and gradebooks."""
