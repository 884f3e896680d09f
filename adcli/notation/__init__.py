"""Graphs to text: formulas and numbers as people write them."""
