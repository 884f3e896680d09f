"""The checks of the table can fail: wrong rules are planted, and each must be found."""

# ruff: noqa: ARG005 - a rule takes m, z and all arguments

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import rule_checks as checks

from adcli.table.primitive import ROWS, Call, Check, Primitive, Template

CELLS = [cell for cell in Primitive.__annotations__ if cell not in ("name", "arity")]


def altered(name: str, **cells: Any) -> Primitive:
    """A row of the table with other cells, outside the registry."""
    row = ROWS[name]
    return Primitive(name, **({cell: getattr(row, cell) for cell in CELLS} | cells))


def with_partial(name: str, position: int, rule: Callable[..., Any]) -> Primitive:
    """A row of the table with another rule for one partial."""
    rules = list(ROWS[name].partials)
    rules[position] = rule
    return altered(name, partials=tuple(rules))


def first_order(row: Primitive) -> list[str]:
    return checks.partial_complaints(row, checks.sampled_points(row))


def second_order(row: Primitive) -> list[str]:
    return checks.second_order_complaints(row, checks.sampled_points(row))


# --- rules that are wrong in the ways of people ----------------------------------------------------------------------

SLIPS = {
    "sign flipped": ("cos", 0, lambda m, z, x: m.sin(x)),
    "sign of a difference": ("sub", 1, lambda m, z, a, b: 1),
    "sign of a quotient": ("div", 1, lambda m, z, a, b: z / b),
    "sign of an inverse function": ("acos", 0, lambda m, z, x: 1 / m.sqrt((1 - x) * (1 + x))),
    "factor dropped": ("sqrt", 0, lambda m, z, x: 1 / z),
    "factor of three dropped": ("cbrt", 0, lambda m, z, x: 1 / (z * z)),
    "constant dropped": ("log10", 0, lambda m, z, x: 1 / x),
    "base of the logarithm mistaken": ("log2", 0, lambda m, z, x: 1 / (x * m.log(10))),
    "result and argument mixed up": ("exp", 0, lambda m, z, x: x * z),
    "argument for result": ("tan", 0, lambda m, z, x: 1 + x * x),
    "arguments swapped": ("mul", 0, lambda m, z, a, b: a),
    "both arguments swapped": ("atan2", 0, lambda m, z, y, x: y / (x * x + y * y)),
    "exponent off by one": ("pow", 0, lambda m, z, a, b: b * m.pow(a, b)),
    "exponent not lowered": ("pow", 0, lambda m, z, a, b: b * m.pow(a, b - 2)),
    "power taken for an exponential": ("pow", 0, lambda m, z, a, b: z * m.log(a)),
    "exponential without the logarithm": ("pow", 1, lambda m, z, a, b: z),
    "chain factor missing": ("erf", 0, lambda m, z, x: m.exp(-x * x)),
    "minus missing in the exponent": ("erf", 0, lambda m, z, x: 2 / m.sqrt(m.pi) * m.exp(x * x)),
    "square missing": ("tanh", 0, lambda m, z, x: 1 / m.cosh(x)),
    "plus for minus": ("atanh", 0, lambda m, z, x: 1 / (1 + x * x)),
    "minus for plus": ("atan", 0, lambda m, z, x: 1 / (1 - x * x)),
    "hyperbolic for circular": ("cosh", 0, lambda m, z, x: -m.sinh(x)),
    "root missing": ("asinh", 0, lambda m, z, x: 1 / (1 + x * x)),
    "size missing": ("acsch", 0, lambda m, z, x: -1 / m.hypot(x, 1)),
    "digamma missing": ("gamma", 0, lambda m, z, x: z),
    "argument shifted": ("factorial", 0, lambda m, z, x: z * m.polygamma(0, x)),
    "order not raised": ("polygamma", 1, lambda m, z, n, x: m.polygamma(n, x)),
    "derivative of the wrong side": ("sigmoid", 0, lambda m, z, x: z * m.sigmoid(x)),
    "slope of a step taken for one": ("floor", 0, lambda m, z, x: 1),
    "slope taken for none": ("abs", 0, None),
    "branches swapped": ("if", 1, lambda m, z, c, a, b: m.choose(c, 0, 1)),
    "floor forgotten": ("mod", 1, lambda m, z, a, b: -a / b),
    "nearly right": ("sin", 0, lambda m, z, x: m.cos(x) * m.number("1.000000000001")),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_planted_rule_is_reported(slip: str) -> None:
    name, position, rule = SLIPS[slip]
    assert [] == first_order(ROWS[name])
    complaints = first_order(with_partial(name, position, rule))
    assert [] != complaints
    assert any(f"by argument {position + 1} " in complaint for complaint in complaints)


@pytest.mark.parametrize("slip", SLIPS)
def test_planted_rule_is_reported_when_read_as_a_formula(slip: str) -> None:
    name, position, rule = SLIPS[slip]
    assert [] == second_order(ROWS[name])
    assert [] != second_order(with_partial(name, position, rule))


def test_shares_without_ties_are_reported_when_they_go_to_the_wrong_argument() -> None:
    row = altered("max", partials=lambda m, z, *xs: [1 - m.eq(x, z) for x in xs])
    assert [] == first_order(ROWS["max"])
    assert [] != first_order(row)


# --- every rule of the table, spoilt in the same few ways ------------------------------------------------------------

SPOILT = {
    "sign": lambda p: -p,
    "doubled": lambda p: 2 * p,
    "one too much": lambda p: p + 1,
    "off in the twelfth digit": lambda p: p * (1 + 1e-11),
    "left out": lambda p: 0 * p,
}

# Where a slope is 0 only what adds to it can spoil it.
PARTIALS = [
    (name, position)
    for name, row in ROWS.items()
    if row.arity is not None
    for position in range(row.arity)
    if position not in row.truth_arguments and not (position == 0 and row.has_order)
]


@pytest.mark.parametrize(("name", "position"), PARTIALS, ids=[f"{name}-{k + 1}" for name, k in PARTIALS])
def test_every_partial_of_the_table_is_under_watch(name: str, position: int) -> None:
    rule = ROWS[name].partials[position] or (lambda m, z, *xs: 0)
    always_zero = all(
        rule(checks.FLOAT, ROWS[name].value(checks.FLOAT, *point), *point) == 0
        for point in checks.sampled_points(ROWS[name])
    )
    ways = ["one too much"] if always_zero else list(SPOILT)
    unnoticed = [
        way
        for way in ways
        if not first_order(with_partial(name, position, lambda m, z, *xs, way=way: SPOILT[way](rule(m, z, *xs))))
    ]
    assert [] == unnoticed


# --- the other checks ------------------------------------------------------------------------------------------------


def test_value_that_loses_digits_is_reported() -> None:
    row = altered("expm1", value=lambda m, x: m.exp(x) - 1, sample=(1e-9, 1e-7))
    assert [] == checks.value_complaints(ROWS["expm1"], [(1e-9,), (1e-7,)])
    assert [] != checks.value_complaints(row, [(1e-9,), (1e-7,)])


def test_value_that_overflows_on_the_way_is_reported() -> None:
    row = altered("sigmoid", value=lambda m, x: m.exp(x) / (1 + m.exp(x)))
    assert [] == checks.value_complaints(ROWS["sigmoid"], [(800.0,)])
    assert [] != checks.value_complaints(row, [(800.0,)])


def test_domain_that_is_not_kept_is_reported() -> None:
    class Forgetful(Primitive):
        """A row that never refuses anything but when it is asked a second time."""

        __slots__ = ("asked",)

        def find_violation(self, m: Any, arguments: tuple[Any, ...]) -> Check | None:
            self.asked = not getattr(self, "asked", False)
            return None if self.asked else super().find_violation(m, arguments)

    row = ROWS["sqrt"]
    assert [] == checks.boundary_complaints(row, [(-1.0,), (1.0,)])
    forgetful = Forgetful("sqrt", **{cell: getattr(row, cell) for cell in CELLS} | {"value": ROWS["abs"].value})
    complaints = checks.boundary_complaints(forgetful, [(-1.0,)])
    assert any("does not say: sqrt needs an argument" in complaint for complaint in complaints), complaints


def test_error_that_is_no_clear_answer_is_reported() -> None:
    def holds(m: Any, x: Any) -> bool:
        raise TypeError("planted")

    complaints = checks.boundary_complaints(altered("exp", domain=Check(holds, "never mind")), [(math.nan,)])
    assert any("planted" in complaint for complaint in complaints)


def test_value_that_raises_is_reported() -> None:
    def value(m: Any, x: Any) -> Any:
        raise TypeError("planted")

    complaints = checks.extreme_complaints(altered("exp", value=value), [(1.0,)])
    assert 2 == len(complaints)
    assert all("planted" in complaint for complaint in complaints)


def test_partial_that_raises_is_reported() -> None:
    def rule(m: Any, z: Any, x: Any) -> Any:
        raise TypeError("planted")

    (complaint,) = checks.extreme_complaints(altered("exp", partials=(rule,)), [(1.0,)])
    assert "planted" in complaint


@pytest.mark.parametrize(
    ("name", "cells", "said"),
    [
        ("sin", {"summary": " "}, "no summary"),
        ("sin", {"summary": "the sine."}, "full stop"),
        ("log", {"sample": (-1.0, 1.0)}, "the sample of log reaches"),
        ("log", {"sample": (2.0, 1.0)}, "is empty"),
        ("exp", {"sample": (0.0, 1e4)}, "not finite"),
        ("atan2", {"sample": ((0.1, 1.0),)}, "1 ranges to sample"),
        ("log", {"domain": Check(lambda m, x: x > 0, "positive", "{1} > 0")}, "an argument that there is not"),
        ("sin", {"aliases": ("sinus_of",)}, "sinus_of does not lead to sin"),
    ],
)
def test_planted_cell_is_reported(name: str, cells: dict[str, Any], said: str) -> None:
    complaints = checks.cell_complaints(altered(name, **cells))
    assert any(said in complaint for complaint in complaints), complaints


@pytest.mark.parametrize(
    ("name", "inverse", "said"),
    [("sin", "no_such", "is no function"), ("sin", "acos", "sin(acos("), ("exp", "log10", "exp(log10(")],
)
def test_planted_inverse_is_reported(name: str, inverse: str, said: str) -> None:
    assert [] == checks.inverse_complaints(ROWS[name])
    assert any(said in complaint for complaint in checks.inverse_complaints(altered(name, inverse=inverse)))


@pytest.mark.parametrize(
    ("name", "notation"),
    [
        ("sub", Template("{1} - {0}", 4, (4, 5))),
        ("sub", Template("{0} - {1}", 4, (4, 4))),
        ("mul", Template("{0}*{1}", 5, (4, 5))),
        ("pow", Template("{0}^{1}", 8, (8, 8))),
        ("neg", Template("-{0}", 6, (4,))),
        ("abs", Template("|{0}", 10, (0,))),
        ("log10", Call(r"\log_{10")),
        ("exp", Call(r"\exp({0}")),
    ],
)
def test_planted_notation_is_reported(name: str, notation: Call | Template) -> None:
    assert [] == checks.notation_complaints(ROWS[name])
    assert [] != checks.notation_complaints(altered(name, notation=notation))


def test_whole_check_of_a_good_row_is_silent_and_of_a_bad_one_is_not() -> None:
    assert [] == checks.all_complaints(ROWS["tanh"])
    assert [] != checks.all_complaints(with_partial("tanh", 0, lambda m, z, x: 1 - z))
