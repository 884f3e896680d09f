"""Answers: marked answers, readings and the results of a class, as documents, text, tables and plain data."""
