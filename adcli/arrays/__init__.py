"""Vectors and matrices: named blocks of slots of the scalar graph."""
