"""The example of the paper, written as a function of Python.

adcli trace samples/python/paper.py:f --at x1=2,x2=5 --mode reverse --style paper
"""

from adcli.python import log, sin


def f(x1, x2):
    return log(x1) + x1 * x2 - sin(x2)
