"""Relatives of the gamma function: values and slopes against 60 digits of another library, where digits are easily
lost, and names that people type."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import pytest
from mpmath import mp
from support import evaluated
from together import together

from adcli.expression import parse
from adcli.numbers.arb_intervals import Interval
from adcli.numbers.double_intervals import SPREAD
from adcli.numbers.doubles import FLOAT, scaled_product
from adcli.numbers.precise import Precise
from adcli.table.functions import ROWS

Reference = Callable[..., Any]


def _density(a: Any, x: Any) -> Any:
    return x ** (a - 1) * mp.exp(-x) * mp.rgamma(a)


REFERENCES: dict[str, Reference] = {
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "hermite": lambda n, x: mp.hermite(int(n), x),
    "E1": mp.e1,
    "expint": mp.expint,
    "gammainc": lambda a, x: mp.gammainc(a, 0, x, regularized=True),
    "gammaincc": lambda a, x: mp.gammainc(a, x, regularized=True),
    "gammaincprime": _density,
    "Beta": lambda a, b: mp.gamma(a) * mp.gamma(b) * mp.rgamma(a + b),
    "betaln": lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b),
    "binomial": mp.binomial,
    "polygammadiff": lambda n, a, b: mp.psi(int(n), a) - mp.psi(int(n), a + b),
    "Zeta": mp.zeta,
    "zetaderivative": lambda n, s: mp.zeta(s, 1, int(n)),
}
POINTS: dict[str, list[tuple[float, ...]]] = {
    "erfcx": [(0.0,), (1e-9,), (-1.5,), (-26.0,), (5.9,), (6.1,), (8.381935562467582,), (30.0,), (1e6,), (1e150,)],
    "hermite": [(0.0, 2.0), (5.0, 0.0), (7.0, 1.3), (-1.0, -3.0), (-2.0, 1e5), (-9.0, 7.0), (30.0, 0.25)],
    "E1": [(1e-300,), (1e-9,), (1.0,), (30.9,), (33.0,), (600.0,)],
    "expint": [(1.0, 1e-9), (2.0, 0.5), (3.0, 40.0), (0.0, 2.0), (-3.0, 0.1), (0.5, 0.3), (2.5, 1e-6), (-1.5, 90.0)],
    "gammainc": [(2.5, 1.0), (1e-6, 1e-3), (1e-6, 5.0), (100.0, 3.0), (1e4, 1e4), (0.5, 1e-200), (3.0, 200.0)],
    "gammaincc": [(2.5, 1.0), (1e-60, 1.0), (1e-6, 1e-3), (1e-6, 5.0), (100.0, 300.0), (1e4, 9.9e3), (3.0, 600.0)],
    "gammaincprime": [(2.5, 1.0), (1e-8, 1e-8), (1e5, 1.001e5), (1e5, 9.9e4), (3.0, 600.0)],
    "Beta": [(2.0, 3.0), (1e-8, 1e-8), (1e6, 1e-3), (1e6, 30.0), (1e-300, 2.0), (0.5, 0.5)],
    "betaln": [(2.0, 3.0), (1.0, 1.0000001), (1e6, 1e6), (1e-8, 1e5), (1e300, 1.5), (0.7, 1.3)],
    "binomial": [
        (5.0, 2.0),
        (0.5, 3.0),
        (-0.5, 4.0),
        (1e6, 2.5),
        (1e6, 5e5 + 0.25),
        (10.0, 9.999999),
        (7.5, -0.5),
        (-7.5, 2.0),
        (1e9, -2.5),
    ],
    "polygammadiff": [(0.0, 1e6, 1e-3), (0.0, 1e300, 1.0), (1.0, 2.0, 1e-9), (3.0, 0.1, 5.0), (0.0, -2.5, 4.0)],
    "Zeta": [(2.0,), (1.0000001,), (0.9999999,), (0.0,), (-1.0,), (-2.5,), (-30.5,), (0.5,), (40.0,), (150.0,)],
    "zetaderivative": [(1.0, 2.0), (1.0, 60.0), (2.0, 1.5), (1.0, 35.0), (1.0, 1.001), (3.0, 3.0)],
}
CASES = [(name, point) for name, points in POINTS.items() for point in points]


def _digits(point: tuple[float, ...]) -> int:
    """The digits in which nothing is lost by cancellation."""
    return 1000 if any(not 1e-100 < abs(x) < 1e100 for x in point if x) else 120


@together(("name", "point"), CASES)
def test_values_have_all_digits_of_a_double(name: str, point: tuple[float, ...]) -> None:
    with mpmath.workdps(_digits(point)):
        expected = float(mp.re(REFERENCES[name](*map(mp.mpf, point))))
    assert ROWS[name].value(FLOAT, *point) == pytest.approx(expected, rel=3e-16, abs=5e-324)


@together(("name", "point"), [case for case in CASES if max(map(abs, case[1])) < 1e100])
def test_slopes_are_right_to_a_small_multiple_of_their_condition(name: str, point: tuple[float, ...]) -> None:
    row, reference = ROWS[name], REFERENCES[name]
    z = row.value(FLOAT, *point)
    assert isinstance(row.partials, tuple)
    for place, slope in enumerate(row.rules(FLOAT, z, point, [row.partials[k] is not None for k in range(len(point))])):
        if slope is None or not math.isfinite(slope) or (place == 0 and row.has_order):
            continue
        with mpmath.workdps(_digits(point)):
            step = mp.mpf(10) ** -25 * (abs(mp.mpf(point[place])) or 1)
            beside = [
                mp.re(reference(*[mp.mpf(x) + (k * step if i == place else 0) for i, x in enumerate(point)]))
                for k in (-1, 0, 1)
            ]
            expected = (beside[2] - beside[0]) / (2 * step)
            bend = abs((beside[2] - 2 * beside[1] + beside[0]) / step**2 * mp.mpf(point[place]))
            assert abs(slope - expected) <= mp.mpf("1e-12") * (abs(expected) + bend)


def test_infinite_arguments_have_limits() -> None:
    ends = [ROWS[name].value(FLOAT, 2.0, math.inf) for name in ("gammainc", "gammaincc", "gammaincprime", "expint")]
    assert ends == [1.0, 0.0, 0.0, 0.0]


def test_an_interval_of_one_number_is_narrow() -> None:
    found = SPREAD.number(ROWS["gammainc"].value(SPREAD, SPREAD.number(2.0), SPREAD.number(1.0)))
    assert 0 < found.high - found.low < 1e-14
    assert found.low < ROWS["gammainc"].value(FLOAT, 2.0, 1.0) < found.high
    assert (1e-8, 0.0) == (scaled_product(1e300, 1e-300, 1e-8), scaled_product(1e-300, 1e-300))


def test_polygamma_of_negative_numbers_is_enclosed() -> None:
    for n in (0, 1, 4):
        enclosed = Interval().polygamma(n, -1.25)
        assert float(mp.psi(n, -1.25)) == pytest.approx(float(enclosed.mid()), rel=1e-14, abs=0)
        assert enclosed.rel_accuracy_bits() > 45
    precise = Precise(50)
    huge = precise.number(2**150)
    with mpmath.workdps(60):
        for n in (40, 70, 100):
            assert FLOAT.polygamma(n, n + 12) == pytest.approx(float(mp.psi(n, n + 12)), rel=2e-14, abs=0)
            assert precise.polygamma(precise.number(n), precise.number(n + 12)) == pytest.approx(mp.psi(n, n + 12))
        difference = precise.log(huge) - precise.polygamma(precise.zero, huge)
        assert float(mp.log(2**150) - mp.psi(0, 2**150)) == pytest.approx(float(difference), rel=1e-2, abs=0)
        assert FLOAT.polygamma(0, -0.5) == pytest.approx(float(mp.psi(0, -0.5)), rel=4e-15, abs=0)
    m = Interval()
    assert math.lgamma(-0.5) == pytest.approx(float(m.lgamma(m.number(-0.5)).mid()), rel=1e-14, abs=0)
    assert m.round(m.number(-0.5)) == -1


def test_exact_zeros_need_no_digits() -> None:
    assert ROWS["polygammadiff"].value(FLOAT, 0.0, -0.5, 2.0) == ROWS["betaln"].value(FLOAT, 1.0, 1.0) == 0.0


@pytest.mark.parametrize(
    ("written", "meaning"),
    [
        ("beta(x, 2)", "Beta(x, 2)"), (r"\beta(x, 2)", "Beta(x, 2)"), ("zeta(x)", "Zeta(x)"), ("ζ(x)", "Zeta(x)"),
        ("expint(x)", "E1(x)"), ("exp1(x)", "E1(x)"), ("expn(2, x)", "expint(2, x)"), (r"E_1(x)", "E1(x)"),
        ("nchoosek(x, 2)", "binomial(x, 2)"), ("C(x, 2)", "binomial(x, 2)"), (r"\binom{x}{2}", "binomial(x, 2)"),
        ("COMBIN(x, 2)", "binomial(x, 2)"),
        ("nthroot(x, 3)", "root(x, 3)"), ("x.^2./(1 + x)", "x^2/(1 + x)"), ("Log[2, x]", "log(x, 2)"),
        ("igamma(2, x)", "gammainc(2, x)"), ("HermiteH[3, x]", "hermite(3, x)"),
    ],
)  # fmt: skip
def test_names_of_other_programs_mean_the_same(written: str, meaning: str) -> None:
    outputs = [evaluated(text, {"x": 2.5}, "--no-trace")[1]["outputs"] for text in (written, meaning)]
    assert outputs[0] == outputs[1]


def test_letters_of_these_names_stay_variables() -> None:
    assert parse("alpha x + beta y + zeta z + E1 + B").inputs == ["alpha", "x", "beta", "y", "zeta", "z", "E1", "B"]


@pytest.mark.parametrize("text", ["gammainc(x, 2)", "gammaincc(x + 1, 2)", "Gamma(2, x)", "binomial(5, 7)", "zeta(1)"])
def test_what_has_no_value_or_slope_here_is_refused(text: str) -> None:
    assert evaluated(text, {"x": 2.5})[0] in (2, 3)
