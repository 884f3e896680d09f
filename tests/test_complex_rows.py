"""The complex value of every row of one argument against definitions in mpmath, on its cuts and around its poles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from rule_checks import IN_MPMATH
from running import run

from adcli.errors import AdcliError
from adcli.language import program  # noqa: F401 - loads the table
from adcli.numbers.complexes import Complex, extend_to_complex
from adcli.numbers.precise import Precise
from adcli.python import jvp
from adcli.python.core.evaluation import apply
from adcli.table.primitive import ROWS

COMPLEX, REAL = Complex(40), Precise(40)
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
ROWS_OF_ONE = [r for r in ROWS.values() if r.arity == 1 and extend_to_complex(r) is not None and r.name in DEFINED]
PARTS = (-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 40, -40), (-7, -4, -1, -0.5, 0, 0.5, 1, 2, 4)


@pytest.mark.parametrize("row", ROWS_OF_ONE, ids=lambda row: row.name)
def test_complex_values_are_those_of_the_definition(row: Any) -> None:
    rule, defined = extend_to_complex(row), DEFINED[row.name]
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


@pytest.mark.parametrize("row", [row for row in ROWS_OF_ONE if row.truth or row.partials[0]], ids=lambda row: row.name)
def test_slopes_next_to_the_imaginary_axis_are_differences_of_values(row: Any) -> None:
    rule, step, context = extend_to_complex(row), COMPLEX.number("1e-13"), COMPLEX.context
    assert rule is not None
    for real, imaginary in product((0, 1e-139, -1e-139, 1e-12), (-3.25, -2, -1.5, -0.7, 0.3, 1.5, 2)):
        x = context.mpc(real, imaginary)
        along, across = ((rule.value(COMPLEX, x + h) - rule.value(COMPLEX, x - h)) / (2 * h) for h in (step, step * 1j))
        if abs(along - across) <= 1e-10 * abs(along):  # not on a cut
            (slope,) = rule.rules(COMPLEX, rule.value(COMPLEX, x), (x,), (True,))
            assert abs(slope - along) <= 1e-10 * (1 + abs(along)), x
    for real in (-2.5, -0.4, 0.4, 2.5):  # on a cut, along the real axis
        x = context.mpc(real)
        value, along = (
            rule.value(COMPLEX, x),
            (rule.value(COMPLEX, x + step) - rule.value(COMPLEX, x - step)) / (2 * step),
        )
        if mpmath.isfinite(along) and row.inverse is not None:
            assert abs(rule.rules(COMPLEX, value, (x,), (True,))[0] - along) <= 1e-10 * (1 + abs(along)), x


@pytest.mark.parametrize("name", ["sin", "tan", "sind", "cosd", "tand", "sinh", "exp", "besselj", "Si"])
def test_far_out_on_the_axis_that_is_turned_along_there_are_values(name: str) -> None:
    axis = 1j if name in ("sinh", "exp") else 1
    z, order = COMPLEX.context.mpc(10) ** 50 * axis, (COMPLEX.number(1),) * (name == "besselj")
    with mpmath.workdps(200):
        angle = mpmath.mpf(10) ** 50
        true = getattr(mpmath, {"Si": "si"}.get(name, name.removesuffix("d")))(
            *map(mpmath.mpc, order), angle * axis * (mpmath.pi / 180 if name.endswith("d") else 1)
        )
        found = ROWS[name].value(COMPLEX, *order, z)
        assert abs(mpmath.mpc(found) - true) <= 1e-30 * abs(true)


@pytest.mark.parametrize("x", [1.5e20, -1.5e20, 1.5e200, -1.5e200, 1e-20, -1e-200])
def test_far_out_and_next_to_0_on_the_real_axis_there_are_the_values_and_slopes_of_real_numbers(x: float) -> None:
    for row in ROWS.values():
        rule = extend_to_complex(row)
        number = REAL.number(x)
        if rule is None or row.arity != 1 or not all(check.holds(REAL, number) for check in row.domain):
            continue
        y, z = row.value(REAL, number), rule.value(COMPLEX, COMPLEX.number(x))
        pairs = [(y, z)] if z.imag == 0 or not COMPLEX.finite(z) else []  # not on a cut
        if REAL.finite(y) and pairs:
            slopes = row.gradient(REAL, y, (number,), (True,)), rule.gradient(COMPLEX, z, (COMPLEX.number(x),), (True,))
            pairs += zip(*slopes, strict=True)
        for real, found in pairs:
            assert not REAL.finite(real) or abs(found - real) <= 1e-30 * abs(real), row.name


def _at(row: Any, arguments: tuple[Any, ...]) -> Any:
    """The value, or what is said instead of one."""
    try:
        return apply(row, arguments)
    except AdcliError as problem:
        return problem.title


@pytest.mark.filterwarnings("ignore:the result of .* does not depend on the argument")
@pytest.mark.parametrize("z", [0.4 + 0.3j, -0.6 + 0.5j, 1.7 - 0.8j])
def test_arrays_of_complex_numbers_have_the_values_and_slopes_of_the_numbers(z: complex) -> None:
    step = 1e-6
    for row in ROWS.values():
        if row.truth or row.continued is False or row.name == "abs":
            continue
        numbers = tuple(z + 0.1 * k for k in range(row.arity or 2))
        arrays = tuple(np.array([x, x]) for x in numbers)
        one, several = _at(row, numbers), _at(row, arrays)
        assert (type(one) is str and type(several) is str) or several[1] == pytest.approx(one), row.name
        if type(one) is str:
            continue
        ahead, behind = (_at(row, (z + s, *numbers[1:])) for s in (step, -step))
        for first, rest, dot in ((z, numbers[1:], 1.0), (arrays[0], arrays[1:], np.ones(2) + 0j)):
            found = jvp(lambda x, row=row, rest=rest: apply(row, (x, *rest)))(first)(dot)[1]
            assert np.ravel(found)[0] == pytest.approx((ahead - behind) / (2 * step), rel=1e-5, abs=1e-7), row.name


def test_a_sign_is_that_of_the_real_part() -> None:
    found = [Complex().sign(mpmath.mpc(re, 1)) for re in (-2, 0, 3)]
    assert [-1, 0, 1] == found
    a, b, zero, many = map(COMPLEX.context.mpc, (7 + 1j, -1 + 1j, 0, 1e30))
    found = [COMPLEX.abs(b), COMPLEX.max(a, b), COMPLEX.min(a, b), COMPLEX.floor(a), COMPLEX.atan2(zero, b)]
    assert [1 - 1j, a, b, 7, COMPLEX.pi] == found
    assert [3 - 3j, 1 + 1j] == [COMPLEX.mod(a, -1j * b), COMPLEX.mod(a, COMPLEX.number(2))]
    powers = [
        (zero, zero),
        (zero, a),
        (COMPLEX.one, many),
        (zero, b),
        (a, many),
        (zero, 1j * a.real),
        (a, COMPLEX.infinity),
    ]
    assert [1, 0, 1] == [COMPLEX.pow(*pair) for pair in powers[:3]]
    lacking = [*[COMPLEX.pow(*pair) for pair in powers[3:]], COMPLEX.log(zero), COMPLEX.log1p(-COMPLEX.one)]
    lacking += [COMPLEX.mod(a, zero), COMPLEX.mod(COMPLEX.infinity, a), COMPLEX.atan2(zero, zero), COMPLEX.div(a, zero)]
    assert not any(COMPLEX.finite(z) for z in lacking)


def test_a_part_that_is_zero_is_not_shown_and_a_note_names_the_first_double() -> None:
    shown = {"2i": "-2", "1-2i": "2+i", "0.5": "0.5i", "-1-i": "1-i", "1": "i", "-1": "-i", "0": "0"}
    for x, text in shown.items():
        done = run("eval", "i*x", "--at", f"x={x}", "--complex", "--mode", "value", "--no-trace", "-q")
        assert text == done.out.split("=")[-1].strip().replace("−", "-")
    notes = json.loads(run("eval", "sin(x)/2 + x", "--at", "x=1/3", "--exact", "--format", "json").out)["notes"]
    assert [("v1", "inexact")] == [(note["node"], note["kind"]) for note in notes]


def test_numbers_with_i_are_factors_and_what_has_an_input_is_a_row() -> None:
    lines = run("eval", "x^2 + 2*i*x - (1 + i)", "--at", "x=1+2i", "--complex", "-q").out.splitlines()
    assert [["v1", "x^2"], ["v2", "2 × i × x"], ["v3", "v1 + v2"], ["v4", "v3 − (1 + i)"], ["y", "v4"]] == [
        re.split("  +", line)[:2] for line in lines if line[:1] in ("v", "y")
    ]
    assert ["y", "v4", "−8+5i", "2+6i"] == re.split("  +", lines[-1].strip())
