"""Graphs worked on as formulas: derivative graphs, what is proven of their ranges and signs."""
