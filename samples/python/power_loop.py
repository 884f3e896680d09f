"""Loops and branches that depend on the numbers: what ran is what is differentiated.

adcli trace samples/python/power_loop.py:power_loop --at x=2 --fixed n=3
adcli trace samples/python/power_loop.py:halvings --at x=5 --mode reverse
"""


def power_loop(x, n):
    """x to the power of n, by n - 1 products."""
    result = x
    for _ in range(n - 1):
        result = result * x
    return result


def halvings(x):
    """Halves x until it is below 1, and squares what is left."""
    while x > 1:
        x = x / 2
    return x * x
