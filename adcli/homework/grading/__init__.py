"""Grading many answers: who handed in what, workers that mark it within limits, and what becomes of the marks."""
