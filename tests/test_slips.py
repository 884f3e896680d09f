"""What slips give, row by row: every number that is recognised, worked out by hand beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from adcli.answers.answer_model import BAR, DOT, VALUE, Task
from adcli.marking.programs.reference_traces import trace_worksheet
from adcli.marking.programs.resolving import Resolved
from adcli.marking.programs.worksheet import Worksheet
from adcli.marking.slips.catalogue import slips_of
from adcli.marking.task import task_of
from adcli.numbers.double_intervals import SPREAD, Spread

A, B, R = 2.6, 1.7, 0.7  # the arguments, and the adjoint of the result
RADIAN = math.pi / 180

Found = list[tuple[str, float]]


class Hand(NamedTuple):
    """One operation by hand: its value and partials, wrong values, wrong partials, and wrong rules for the tangent.

    `slope` is the derivative of a function of one argument, which a slip takes at the tangent of that.
    """

    text: str
    value: float
    partials: tuple[float, ...]
    values: Found = []  # noqa: RUF012
    wrong: list[tuple[str, tuple[float, ...]]] = []  # noqa: RUF012
    product: str = ""
    slope: Callable[[float], float] | None = None

    @property
    def task(self) -> Task:
        return task_of(f"{self.text} @ x1={A}" + f", x2={B}" * (len(self.partials) - 1))


HANDS = [
    Hand("x1/x2", A / B, (1 / B, -A / B**2), [("operands_swapped", B / A)],
         [("quotient_sign", (1 / B, A / B**2)), ("quotient_sign", (-1 / B, -A / B**2)),
          ("factor_forgotten", (1 / B, -A / B))], "/"),
    Hand("x1*x2", A * B, (B, A), [("wrong_operation", A + B)], [], "*"),
    Hand("x1+x2", A + B, (1, 1), [("sign", A - B), ("wrong_operation", A * B)], [("sign", (1, -1))]),
    Hand("x1-x2", A - B, (1, -1), [("sign", A + B)], [("sign", (1, 1))]),
    Hand("x1^x2", A**B, (B * A ** (B - 1), A**B * math.log(A)),
         [("wrong_operation", A * B), ("operands_swapped", B**A)],
         [("power_off_by_one", (B * A**B, A**B * math.log(A))),
          ("power_off_by_one", (B * A ** (B - 2), A**B * math.log(A))),
          ("power_off_by_one", (B * A ** (B + 1), A**B * math.log(A))),
          ("factor_forgotten", (A ** (B - 1), A**B * math.log(A))), ("factor_forgotten", (B, A**B * math.log(A))),
          ("factor_forgotten", (B * A ** (B - 1), A**B)),
          ("power_rule_for_exponential", (B * A ** (B - 1), B * A ** (B - 1))),
          ("power_rules_mixed", (B * A ** (B - 1) * math.log(A), B * A ** (B - 1) * math.log(A)))]),
    Hand("log(x1)", math.log(A), (1 / A,), [("log10_for_log", math.log10(A))],
         [("log10_for_log", (1 / (A * math.log(10)),)), ("sign", (-1 / A,))], slope=lambda x: 1 / x if x else math.nan),
    Hand("sin(x1)", math.sin(A), (math.cos(A),), [("degrees", math.sin(A * RADIAN))],
         [("degrees", (math.cos(A * RADIAN),)), ("sign", (-math.cos(A),))], slope=math.cos),
    Hand("cos(x1)", math.cos(A), (-math.sin(A),), [("degrees", math.cos(A * RADIAN))],
         [("degrees", (-math.sin(A * RADIAN),)), ("sign", (math.sin(A),))], slope=lambda x: -math.sin(x)),
    Hand("exp(x1)", math.exp(A), (math.exp(A),), [],
         [("power_rule_for_exponential", (A * math.exp(A - 1),)), ("sign", (-math.exp(A),))], slope=math.exp),
    Hand("sqrt(x1)", math.sqrt(A), (0.5 / math.sqrt(A),), [],
         [("factor_forgotten", (1 / math.sqrt(A),)), ("power_off_by_one", (math.sqrt(A) / 2,)),
          ("sign", (-0.5 / math.sqrt(A),))], slope=lambda x: 0.5 / math.sqrt(x) if x > 0 else math.nan),
    Hand("atan(x1)", math.atan(A), (1 / (1 + A * A),), [("degrees", math.degrees(math.atan(A)))],
         [("square_forgotten", (1 / (1 + A),)), ("sign", (1 / (1 - A * A),)),
          ("degrees", (math.degrees(1 / (1 + A * A)),)), ("sign", (-1 / (1 + A * A),))],
         slope=lambda x: 1 / (1 + x * x)),
    Hand("log2(x1)", math.log2(A), (1 / (A * math.log(2)),), [],
         [("factor_forgotten", (1 / A,)), ("sign", (-1 / (A * math.log(2)),))],
         slope=lambda x: 1 / (x * math.log(2)) if x else math.nan),
    Hand("-x1", -A, (-1,), [("sign", A)], [("sign", (1,)), ("sign", (1,))], slope=lambda _: -1.0),
]  # fmt: skip


def dots_by_hand(hand: Hand, dots: tuple[float, ...]) -> Iterator[tuple[str, float]]:
    """All slips in a tangent, in order."""
    partials = hand.partials
    terms = [partial * dot for partial, dot in zip(partials, dots, strict=True)]
    moving = [k for k, dot in enumerate(dots) if dot]
    for name, wrong in hand.wrong:
        yield name, sum(partial * dot for partial, dot in zip(wrong, dots, strict=True))
    if any(abs(partial) != 1 for partial in partials):
        if len(dots) == 2:
            yield "operand_partials_swapped", partials[1] * dots[0] + partials[0] * dots[1]
        if any(abs(dots[k]) != 1 for k in moving):
            yield "chain_rule_forgotten", sum(partials[k] for k in moving)
        yield "chain_rule_forgotten", sum(dots[k] for k in moving)
        if len(moving) < len(dots):
            yield "constant_kept" if moving else "chain_rule_forgotten", sum(partials)
    if moving:
        yield "value_for_adjoint", sum(partials[k] * (A, B)[k] for k in moving)
    if len(moving) > 1:
        yield from (("sign", sum(terms) - 2 * terms[k]) for k in moving)
        yield from (("path_missing", sum(terms) - terms[k]) for k in moving)
    yield "sign", -sum(terms)
    if hand.product == "*":
        yield "product_rule", dots[0] * dots[1]
    if hand.product == "/":
        yield "product_rule", dots[0] / dots[1] if dots[1] else math.nan
        yield "factor_forgotten", dots[0] - A / B * dots[1]
    if hand.slope is not None and abs(dots[0]) != 1:
        yield "chain_rule_forgotten", hand.slope(dots[0])
    yield "value_for_adjoint", hand.value
    yield "mode_confused", R


def bars_by_hand(hand: Hand, bar: float) -> Iterator[tuple[str, float]]:
    """All slips in the adjoint of x1, which this row alone uses, in order."""
    own = hand.partials[0]
    if bar:
        yield from ((name, bar * wrong[0]) for name, wrong in hand.wrong)
        if any(abs(partial) != 1 for partial in hand.partials):
            if len(hand.partials) == 2:
                yield "operand_partials_swapped", bar * hand.partials[1]
            if abs(bar) != 1:
                yield "chain_rule_forgotten", own
            yield "chain_rule_forgotten", bar
        yield "value_for_adjoint", hand.value * own
        yield "sign", -bar * own
    else:
        yield "chain_rule_forgotten", own
    yield "sign", -bar * own
    yield "seed", 1 + bar * own
    yield "value_for_adjoint", A
    yield from [("mode_confused", 1.25)] * len(hand.partials)
    if bar:
        yield from [("mode_confused", 2.25 * own)] * len(hand.partials)


def assert_same(expected: Found, found: list[tuple[str, Spread]]) -> None:
    assert [name for name, _ in expected] == [name for name, _ in found]
    for (name, number), (_, spread) in zip(expected, found, strict=True):
        if math.isfinite(number):
            assert number == pytest.approx(spread.middle, rel=1e-9), name
        else:
            assert not spread.known, name


@pytest.mark.parametrize("hand", HANDS, ids=lambda hand: hand.text)
def test_slips_in_a_value(hand: Hand) -> None:
    sheet = trace_worksheet(hand.task)
    (slot,) = sheet.outputs.values()
    read = sheet.truths()[0].read
    assert_same([*hand.values, ("sign", -hand.value)], list(slips_of(sheet, Resolved(VALUE, slot, None), read)))


@pytest.mark.parametrize("dots", [(1.3, -0.4), (1.0, 0.0), (-1.0, 1.0), (0.0, 2.5), (1.0, 0.5)])
@pytest.mark.parametrize("hand", HANDS, ids=lambda hand: hand.text)
def test_slips_in_a_tangent(hand: Hand, dots: tuple[float, ...]) -> None:
    sheet = trace_worksheet(hand.task)
    (slot,) = sheet.outputs.values()
    truth, by_slot = sheet.truths()[0], dict(zip(sheet.inputs.values(), dots, strict=False))

    def read(kind: str, place: int, key: str | None) -> Spread:
        if kind == VALUE:
            return truth.read(kind, place, key)
        return SPREAD.number(R if kind == BAR else by_slot[place])

    expected = list(dots_by_hand(hand, dots[: len(hand.partials)]))
    assert_same(expected, list(slips_of(sheet, Resolved(DOT, slot, "x1"), read)))


@pytest.mark.parametrize("bar", [0.7, -1.0, 1.0, 0.0])
@pytest.mark.parametrize("hand", HANDS, ids=lambda hand: hand.text)
def test_slips_in_an_adjoint_with_one_contribution(hand: Hand, bar: float) -> None:
    sheet = trace_worksheet(hand.task)
    (slot,) = sheet.outputs.values()
    truth = sheet.truths()[0]

    def read(kind: str, place: int, key: str | None) -> Spread:
        if kind == DOT:
            return SPREAD.number(2.25 if place == slot else 1.25)
        return truth.read(kind, place, key) if kind == VALUE else SPREAD.number(bar)

    assert_same(list(bars_by_hand(hand, bar)), list(slips_of(sheet, Resolved(BAR, sheet.inputs["x1"], "y"), read)))


def test_slips_in_an_adjoint_of_several_contributions() -> None:
    sheet = trace_worksheet(task_of("a = exp(x); b = x^2; y = a*b*x @ x=0.7"))
    x, bars = sheet.inputs["x"], {"a": 1.7, "b": -2.1}
    truth, slots = sheet.truths()[0], {slot: name for name, slot in sheet.slots.items()}
    users = [user.slot for user in sheet.users(x)]

    def read(kind: str, place: int, key: str | None) -> Spread:
        return truth.read(kind, place, key) if kind != BAR else SPREAD.number(bars.get(slots.get(place, ""), 0.3))

    terms = [read(BAR, user, "y").middle * slope(sheet, user, x) for user in users]
    found: dict[str, list[float]] = {}
    for name, spread in slips_of(sheet, Resolved(BAR, x, "y"), read):
        found.setdefault(name, []).append(spread.middle)
    assert 3 == len(terms)
    assert [sum(terms) - term for term in terms] == pytest.approx(found["path_missing"])
    for number in (*(sum(terms) - 2 * term for term in terms), -sum(terms)):
        assert any(number == pytest.approx(sign) for sign in found["sign"])
    assert [terms[-1]] == pytest.approx(found["adjoint_overwritten"])
    some = dict.fromkeys(name for name, _ in slips_of(sheet, Resolved(BAR, x, "y"), read, chosen={0}))
    assert "path_missing" not in some
    assert "adjoint_overwritten" not in some
    late = [
        s.middle for name, s in slips_of(sheet, Resolved(BAR, x, "y"), read, None, {0}) if name == "adjoint_overwritten"
    ]
    assert [terms[1] + terms[2], terms[2]] == pytest.approx(late)
    two = [s.middle for name, s in slips_of(sheet, Resolved(BAR, x, "y"), read, {0, 2}) if name == "path_missing"]
    assert [terms[0]] == pytest.approx(two)


def slope(sheet: Worksheet, user: int, x: int) -> float:
    cell, truth = sheet.cells[user], sheet.truths()[0]
    return cell.partials({leaf: truth.value(leaf) for leaf in cell.leaves})[x].middle


@pytest.mark.parametrize(("moves", "wrong"), [("x1", [2.0, 0.0]), ("x2", [1.0])])
def test_slips_in_a_seed(moves: str, wrong: list[float]) -> None:
    sheet = trace_worksheet(task_of(f"x1*x2 @ x1={A}, x2={B}"))
    read = sheet.truths()[0].read
    found = list(slips_of(sheet, Resolved(DOT, sheet.inputs["x1"], moves), read))
    assert [("seed", number) for number in wrong] == [(name, spread.middle) for name, spread in found]


def test_slips_in_the_seed_of_a_result() -> None:
    sheet = trace_worksheet(task_of(f"x1*x2 @ x1={A}, x2={B}"))
    (slot,) = sheet.outputs.values()
    found = list(slips_of(sheet, Resolved(BAR, slot, "y"), sheet.truths()[0].read))
    assert [("seed", 2.0), ("seed", 0.0)] == [(name, spread.middle) for name, spread in found]
    assert [] == list(slips_of(sheet, Resolved(VALUE, sheet.inputs["x1"], None), sheet.truths()[0].read))
