"""Arithmetics of different kinds of numbers, in which the rules of the table are evaluated."""
