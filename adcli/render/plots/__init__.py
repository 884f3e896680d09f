"""Plots of functions: what is seen of a curve, in characters and as pictures."""
