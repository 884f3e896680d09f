"""Answers with vectors and matrices, read as rows of arrays."""
