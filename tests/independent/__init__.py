"""A check that shares nothing with the program: `python -m tests.independent`.

It reads expressions with a reader of its own, knows every function as a value alone, differentiates by differences in
high precision, and asks the program by its command line.
"""
