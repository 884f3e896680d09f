"""Notation: the formulas and numbers of a graph as text, LaTeX and MathML."""
