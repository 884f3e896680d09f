"""Symbolic work on graphs as formulas: derivative graphs, and proven ranges and signs of their slots."""
