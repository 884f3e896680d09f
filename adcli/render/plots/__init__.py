"""Plots of functions: the visible part of a curve, in characters and as pictures."""
