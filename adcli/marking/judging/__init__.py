"""Judging: verdicts and marks of rows and quantities."""
