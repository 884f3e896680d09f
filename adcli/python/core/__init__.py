"""Traced values: what they are, containers of them, their parts, and how a function is applied to them."""
