"""Readers of answers, a file for each kind of them."""
