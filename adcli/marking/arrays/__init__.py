"""Marking of answers with vectors and matrices: one verdict for each block."""
