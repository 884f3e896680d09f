"""Marking: a student's answer read, judged row by row, its slips named."""
