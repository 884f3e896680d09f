"""Numbers in formulas for people are folded exactly, and stay fractions where they were written as such."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from adcli.graph.graph import Graph
from adcli.graph.tape import evaluate
from adcli.notation.formula import TABLE, Leaf, render
from adcli.numbers.doubles import FLOAT
from adcli.symbolic.terms import Term, Terms, decimal_text, read_decimal

TEXTS = ("0", "1", "-1", "2", "-3", "2.5", "-0.4", "1/2", "2/3", "1/-2", "-2/3", "-(1/3)", "4/-6", "-(2/-5)", "-(-2)")
OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul,
}  # fmt: skip


def written(m: Terms, text: str) -> Term:
    """A number as it is typed: decimals, a quotient of two, or the negative of such."""
    if text.startswith("-("):
        return m.write("neg", written(m, text[2:-1]))
    if "/" in text:
        return m.write("div", *(written(m, part) for part in text.split("/")))
    return m.number(text)


def value(text: str) -> Fraction:
    if text.startswith("-("):
        return -value(text[2:-1])
    top, _, bottom = text.partition("/")
    return Fraction(top) / Fraction(bottom or 1)


def shown(m: Terms, term: Term, **slots: int) -> str:
    names = {slot: Leaf(name) for name, slot in slots.items()}
    return render(m.graph, term.slot, TABLE, names.get)


def expected(number: Fraction, as_fraction: bool) -> str:
    """A number as it is written: in decimals, but as a fraction with its sign in front where it came of one."""
    if number.denominator == 1:
        return str(number).replace("-", "−")
    if not as_fraction and (decimals := decimal_text(number)):
        return decimals.replace("-", "−")
    return f"{number.numerator}/{number.denominator}".replace("-", "−")


@pytest.mark.parametrize("name", OPERATIONS)
def test_numbers_are_folded_exactly_and_fractions_stay_fractions(name: str) -> None:
    for a, b in product(TEXTS, TEXTS):
        m = Terms(Graph())
        found = getattr(m, name)(written(m, a), written(m, b))
        number = OPERATIONS[name](value(a), value(b))
        exact = m.rational(found)
        assert exact is not None
        assert (number.numerator, number.denominator) == (exact.numerator, exact.denominator), (a, b)
        if len({a, b} & {"0", "1", "-1", "-(-2)"}) == 0:
            assert expected(number, "/" in a + b) == shown(m, found), (a, b)


@pytest.mark.parametrize("text", TEXTS)
def test_the_negative_of_a_number_is_a_number(text: str) -> None:
    m = Terms(Graph())
    exact = m.rational(m.neg(written(m, text)))
    assert exact is not None
    assert -value(text) == Fraction(exact.numerator, exact.denominator)
    assert exact.denominator > 0


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("number", [-2, -1, 0, 1, 2])
def test_a_number_equals_its_value_however_it_is_written(text: str, number: int) -> None:
    m = Terms(Graph())
    assert (value(text) == number) == m.equals(written(m, text), number)


@pytest.mark.parametrize("text", ["2/-2", "-4/2", "-(3/3)"])
def test_a_factor_of_minus_1_is_a_sign_however_it_is_written(text: str) -> None:
    m = Terms(Graph())
    x = m.term(m.graph.input("x"))
    if m.equals(written(m, text), -1):
        assert m.parts(m.mul(written(m, text), x), "neg") is not None
    assert m.parts(m.div(-1, x), "neg") is not None


def test_decimals_have_as_many_digits_as_it_takes_or_are_none() -> None:
    for top, bottom in product(range(-12, 13), range(1, 130)):
        exact = Fraction(top, bottom)
        text = decimal_text(exact)
        finite = not _without(_without(exact.denominator, 2), 5) > 1
        assert finite == (text is not None), (top, bottom)
        if text is not None:
            assert Fraction(top, bottom) == Fraction(text)
            assert not text.endswith("0") or "." not in text


def _without(number: int, prime: int) -> int:
    while number % prime == 0:
        number //= prime
    return number


@pytest.mark.parametrize("text", ["12", "-0.25", "3.50", "123456789012345678", "0.0000000000000001"])
def test_decimals_are_read_exactly(text: str) -> None:
    exact = read_decimal(text)
    assert exact is not None
    assert Fraction(text) == Fraction(exact.numerator, exact.denominator)


@pytest.mark.parametrize("text", ["1e3", "pi", "1234567890123456789", ".", "0x10", "1.5.2", ""])
def test_what_is_no_short_decimal_is_left_as_written(text: str) -> None:
    assert read_decimal(text) is None


SIGNS = ("x", "-x", "0", "1", "-1", "1/x", "3", "-3")


def _operand(m: Terms, text: str, slots: dict[str, int], name: str) -> Term:
    if text.lstrip("-1/") != "x":
        return m.number(text)
    x = m.term(slots[name])
    return m.write("neg", x) if text[0] == "-" else m.write("div", 1, x) if text[0] == "1" else x


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_what_is_written_more_simply_has_the_same_value(name: str) -> None:
    plain = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}[name]
    for (left, a), (right, b) in product(product(SIGNS, ("x", "y")), repeat=2):
        m = Terms(Graph())
        slots = {k: m.graph.input(k) for k in ("x", "y")}
        numbers = {"x": 2.0, "y": 8.0}
        sides = _operand(m, left, slots, a), _operand(m, right, slots, b)
        if name == "div" and right == "0":
            continue
        found = getattr(m, name)(*sides)
        values = evaluate(m.graph, FLOAT, {slots[k]: numbers[k] for k in slots})
        assert plain(values[sides[0].slot], values[sides[1].slot]) == values[found.slot], (left, a, right, b)
        if "-1" not in (left, right) and "-3" not in (left, right):
            text = shown(m, found, **slots)
            assert not any(part in text for part in ("−−", "+ −", "− −", "− (−", "+ 0", "0 +", "*0", "0*", "*1 ")), text


@pytest.mark.parametrize(
    ("name", "left", "right", "expected"),
    [
        ("mul", "x", "-x", "−x × y"),
        ("mul", "-x", "x", "−x × y"),
        ("mul", "-x", "-x", "x × y"),
        ("mul", "x", "1/x", "x/y"),
        ("mul", "-x", "1/x", "−x/y"),
        ("mul", "1", "x", "y"),
        ("mul", "x", "-1", "−x"),
        ("div", "-x", "x", "−x/y"),
        ("div", "x", "1", "x"),
        ("div", "-1", "x", "−1/y"),
        ("div", "0", "x", "0"),
        ("add", "x", "-x", "x − y"),
        ("sub", "x", "-x", "x + y"),
        ("sub", "0", "x", "−y"),
        ("sub", "0", "-x", "y"),
        ("add", "0", "x", "y"),
        ("sub", "x", "0", "x"),
    ],
)
def test_signs_stand_in_front_and_nothing_is_written_that_changes_nothing(
    name: str, left: str, right: str, expected: str
) -> None:
    m = Terms(Graph())
    slots = {k: m.graph.input(k) for k in ("x", "y")}
    found = getattr(m, name)(_operand(m, left, slots, "x"), _operand(m, right, slots, "y"))
    assert expected == shown(m, found, **slots)


def test_a_square_is_written_as_a_power_and_powers_of_0_and_1_not_at_all() -> None:
    m = Terms(Graph())
    x, y = m.term(m.graph.input("x")), m.term(m.graph.input("y"))
    slots = {"x": x.slot, "y": y.slot}
    assert ["x^2", "x × y", "1", "x", "x^2"] == [
        shown(m, term, **slots) for term in (m.mul(x, x), m.mul(x, y), m.pow(x, 0), m.pow(x, 1), m.pow(x, 2))
    ]
    assert ["x + 1", "1 − x", "2 × x", "x/2", "−x", "1/x"] == [
        shown(m, term, **slots) for term in (x + 1, 1 - x, 2 * x, x / 2, -x, 1 / x)
    ]
    with pytest.raises(AttributeError):
        _ = m.nothing
