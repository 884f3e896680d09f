"""The complex value of every row of one argument against definitions in mpmath, on its cuts and around its poles."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import mpmath
import pytest
from rule_checks import IN_MPMATH

from adcli.language import program  # noqa: F401 - loads the table
from adcli.numbers.complexes import Complex, continued
from adcli.table.primitive import ROWS

COMPLEX = Complex(40)
DEFINED: dict[str, Callable[[Any], Any]] = {  # where mpmath has no function of the name
    "neg": lambda z: -z,
    "cbrt": lambda z: mpmath.power(z, mpmath.mpf(1) / 3),
    "log10": lambda z: mpmath.log(z) / mpmath.log(10),
    "log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "log1p": lambda z: mpmath.log(1 + z),
    "lgamma": mpmath.loggamma,
    "sigmoid": lambda z: 1 / (1 + mpmath.exp(-z)),
    "softplus": lambda z: mpmath.log(1 + mpmath.exp(z)),
}
DEFINED |= {name: getattr(mpmath, name) for name in IN_MPMATH - DEFINED.keys()}
ROWS_OF_ONE = [r for r in ROWS.values() if r.arity == 1 and continued(r) is not None and r.name in DEFINED]
PARTS = (-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 40, -40), (-7, -4, -1, -0.5, 0, 0.5, 1, 2, 4)


@pytest.mark.parametrize("row", ROWS_OF_ONE, ids=lambda row: row.name)
def test_complex_values_are_those_of_the_definition(row: Any) -> None:
    rule, defined = continued(row), DEFINED[row.name]
    assert rule is not None
    with mpmath.workdps(50):
        for real, imaginary in product(*PARTS):
            z = mpmath.mpc(real, imaginary)
            try:
                true = mpmath.mpc(defined(z))
            except (ValueError, ZeroDivisionError):
                true = mpmath.mpc(mpmath.nan)
            found = mpmath.mpc(rule.value(COMPLEX, COMPLEX.context.mpc(real, imaginary)))
            if mpmath.isfinite(true) and (row.name, z) != ("acoth", 0):  # where 1/z has no value
                assert abs(found - true) <= 1e-30 * (1 + abs(true)), z
            else:
                assert not mpmath.isfinite(found), z
