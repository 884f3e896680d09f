"""From nothing to value and gradient of an expression at 1,000 points: `python first_result.py PROGRAM small|large`.

It is run as a file, so that a process loads nothing but what its program needs.  Folders in the variable RIVALS are
searched after all others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any


def ours(engine: str, size: str) -> object:
    """By a kernel of adcli."""
    import numpy as np
    import two_expressions

    import adcli

    kernel = adcli.parse(getattr(two_expressions, size.upper())).kernel(engine)
    return kernel(**{name: np.linspace(0.5, 2.5, 1000) for name in kernel.inputs})


def heyoka(size: str) -> object:
    """By heyoka, as its users compile it."""
    import heyoka as hy
    import numpy as np
    import two_expressions

    class Functions:
        log, sin, cos, exp, sqrt, tanh, arctan = hy.log, hy.sin, hy.cos, hy.exp, hy.sqrt, hy.tanh, hy.atan

    variables = hy.make_vars(*[f"x{k + 1}" for k in range(_INPUTS[size])])
    value = getattr(two_expressions, size)(Functions, *variables)
    slopes = hy.diff_tensors([value], diff_args=variables, diff_order=1).gradient
    compiled = hy.cfunc([value, *slopes], vars=variables, fast_math=True)
    return compiled(np.full((len(variables), 1000), np.linspace(0.5, 2.5, 1000)))


def jax(size: str) -> object:
    """By jax: compiled, and mapped over the points."""
    import jax as jx
    import numpy as np
    import two_expressions

    jx.config.update("jax_enable_x64", val=True)
    function, places = partial(getattr(two_expressions, size), jx.numpy), tuple(range(_INPUTS[size]))
    compiled = jx.jit(jx.vmap(jx.value_and_grad(function, places)))
    return jx.block_until_ready(compiled(*[np.linspace(0.5, 2.5, 1000) for _ in places]))


_INPUTS = {"small": 2, "large": 5}
FIRST_RESULTS: dict[str, Callable[[str], Any]] = {
    "engine native": partial(ours, "native"), "engine numpy": partial(ours, "numpy"), "heyoka": heyoka, "jax": jax,
}  # fmt: skip

if __name__ == "__main__":
    sys.path += filter(None, os.environ.get("RIVALS", "").split(os.pathsep))
    FIRST_RESULTS[sys.argv[1]](sys.argv[2])
