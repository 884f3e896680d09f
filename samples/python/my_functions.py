"""Functions of one's own, as rows of the table; and one with a rule of its own.

    echo "swish(x)^2 @ x=1" | adcli eval --functions samples/python/my_functions.py

A rule is told the arithmetic m, the result z (partials only) and the arguments; it uses + - * / and m.name(...) alone,
so that it serves numbers, arrays, formulas and high precision alike.
"""

from adcli import declare
from adcli.python import defvjp, primitive

declare(
    "swish",
    value=lambda m, x: x * m.sigmoid(x),
    partials=(lambda m, z, x: m.sigmoid(x) + z * m.sigmoid(-x),),
    summary="x*sigmoid(x)",
)


@primitive
def logsumexp(x):
    """The logarithm of the sum of exponentials, without overflow."""
    import numpy as np

    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def _back(result, x):
    import numpy as np

    return lambda adjoint: adjoint * np.exp(x - result)


defvjp(logsumexp, _back)
