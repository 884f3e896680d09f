"""Functions that `adcli trace` has something to say about.

adcli trace samples/python/mistakes.py:outside --at x=2
"""

import math

from adcli.python import log


def outside(x):
    y = x - 3
    return 2 * log(y)


def lost(x):
    return math.sin(x) * x


def counted(x, n):
    return sum(x**k for k in range(n))


def words(x):
    return "x is " + str(x.value)


def nothing(_x):
    return ()


def broken(x):
    return x / "two"


def endless(x):
    return endless(x + 1)
