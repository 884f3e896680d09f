"""Answers without knowledge: no way of writing them down earns more than the quantities that are truly there."""

from __future__ import annotations

from fractions import Fraction

import pytest

from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of

PAPER = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"
TRUE = {"v1": "0.693", "v2": "10", "v3": "-0.959", "v4": "10.693", "v5": "11.652"}
WRONG = {name: f"{float(number) * 1.3 + 0.7:.3f}" for name, number in TRUE.items()}
BARS = {"v5bar": "1", "v4bar": "1", "v3bar": "-1", "v2bar": "1", "v1bar": "1", "x2bar": "1.716", "x1bar": "5.5"}
ALL = [*TRUE.values(), "1", "-1", "1.716", "5.5"]
BETWEEN = (
    " = ", " ≈ ", " -> ", " => ", " | ", " & ", " and ", " und ", "; ", ", ", "  ", " / ", " ... ", " – ", " vs ",
    " or ", " oder ", " perhaps ", ", maybe ", " to ", " bis ", " : ", " # ", " // ", " % ", " (", " < ", " ≤ ", " ± ",
    " +- ", " +/- ", " ~ ", " ? ", " bzw. ", " o ",
)  # fmt: skip


def marked(text: str, mode: str = "value", name: str = "a.txt") -> Marking:
    return assess(text.encode(), name, [task_of(PAPER, mode=mode)], Rules())[0]


def lines(names: dict[str, str], form: str) -> str:
    return "".join(f"{name} = {form.format(true=true, wrong=WRONG.get(name, '7.7'))}\n" for name, true in names.items())


@pytest.mark.parametrize("between", BETWEEN)
def test_two_numbers_for_a_quantity_are_none(between: str) -> None:
    for form in (f"{{wrong}}{between}{{true}}", f"{{true}}{between}{{wrong}}"):
        marking = marked(lines(TRUE, form))
        assert (True, 0) == (marking.verdict in ("wrong", "incomplete"), marking.earned), form


@pytest.mark.parametrize("between", BETWEEN)
def test_all_numbers_in_every_row_are_none(between: str) -> None:
    for numbers in (ALL, ALL[::-1]):
        assert 0 == marked(lines(TRUE, between.join(numbers))).earned


@pytest.mark.parametrize(
    ("heads", "name"),
    [("value,value", "a.csv"), ("value,result", "a.csv"), ("value,number", "a.csv"), ("value,approx", "a.csv"),
     ("value,value", "a.md"), ("value,result", "a.md")],
)  # fmt: skip
def test_two_columns_of_numbers_are_none(heads: str, name: str) -> None:
    for one, other in (WRONG, TRUE), (TRUE, WRONG):
        rows = [f"step,{heads}", *(f"{row},{one[row]},{other[row]}" for row in TRUE)]
        if name.endswith(".md"):
            rows = [f"| {' | '.join(row.split(','))} |" for row in rows]
            rows.insert(1, "|---|---|---|")
        assert 0 == marked("\n".join(rows), name=name).earned


@pytest.mark.parametrize(
    ("text", "mode", "points"),
    [
        (lines(TRUE, "±1e9"), "value", 0),
        (lines(TRUE, "{true} +- 20"), "value", 0),
        (lines(TRUE, "{true} ± 20"), "value", 0),
        (lines(TRUE, "1e1"), "value", 1),  # v2 is 10
        (lines({**TRUE, **BARS}, "10 +- 20"), "reverse", 0),
        (lines({**TRUE, **BARS}, "10^1"), "reverse", 1),
        (lines({**TRUE, **BARS}, "2 · 10^0"), "reverse", 1),  # half of x̄2 = 1.716
        (lines({**TRUE, **BARS}, " / ".join(ALL)), "reverse", 0),
        (lines({**TRUE, **BARS}, "(1.0-1)*1000"), "reverse", 0),
        (lines({**TRUE, **BARS}, "0.0*1e9"), "reverse", 0),
        (lines({**TRUE, **BARS}, "1/0.0"), "reverse", 0),
        (lines({**TRUE, **BARS}, "∞"), "reverse", 0),
        (lines({**TRUE, **BARS}, "0.000"), "reverse", 0),
        (lines(BARS, "2"), "reverse", 1),
        (lines(BARS, "-1"), "reverse", 1),  # v̄3
        (lines(BARS, "7"), "reverse", 0),
        ("v4 = 10 = 10.693", "value", 0),
        (lines(TRUE, "= = ="), "value", 0),
        (lines(TRUE, "x1"), "value", 0),
        (lines(TRUE, "x1+x2 = 7"), "value", 0),
        (lines(TRUE, "3.3  % {true}"), "value", 0),
        (lines(TRUE, "3.3 ({true}?)"), "value", 0),
        (lines(TRUE, "3.3, or is it {true}"), "value", 0),
        (lines(TRUE, "3.3 if degrees else {true}"), "value", 0),
        (lines(TRUE, "< {true}"), "value", 0),
        (lines(TRUE, "{true}").replace("=", "≠"), "value", 0),
        (lines(TRUE, "{true}").replace("=", "is not"), "value", 0),
        (lines(TRUE, "{true}") + lines(TRUE, "{wrong}"), "value", 0),
        ("".join(f"y = {number}\n" for number in ALL if number != TRUE["v5"]), "value", 0),
        ("".join(f"x1bar = {k / 10:.1f}\n" for k in range(100)), "reverse", 0),
        ("".join(f"x1bar = {k / 10:.1f}\n" for k in range(53, 58)), "reverse", 0),
        ("\n".join(ALL), "reverse", 0),
        ("\n".join(f"- {number}" for number in ALL), "reverse", 0),
        (" = ".join([*TRUE, *TRUE.values()]), "value", 0),
        ("dy/dx1 = dy/dx1\ndy/dx2 = dy/dx2\nybar = ybar", "reverse", 0),
    ],
)  # fmt: skip
def test_no_way_earns_more_than_what_is_truly_there(text: str, mode: str, points: int) -> None:
    marking = marked(text, mode)
    assert "right" != marking.verdict
    assert Fraction(points) >= marking.earned


def test_a_result_with_too_few_digits_is_no_right_answer() -> None:
    assert ("incomplete", 1) == ((marking := marked("y = 1e1")).verdict, marking.earned)


def test_one_number_for_every_row_of_a_long_problem_covers_nothing() -> None:
    problem = " + ".join(f"sin(x*{k})*y" for k in range(1, 21)) + " @ x=1,y=1"
    answer = "".join(f"a{k} = 1\n" for k in range(60))
    (marking,) = assess(answer.encode(), "a.txt", [task_of(problem, mode="value")], Rules())
    assert marking.earned <= 3


@pytest.mark.parametrize("text", (
    "a = 3.5\nb = 1.2\nc = a*b = 4.2\ny = c+a = 7.7\n",
    "a = 3.5\nb = 1.2\ny = b+a = 4.7\n",
    "a = 3.5\ny = a\n",
    "a = 3.5\nz = sin(a) = -0.351\ny = z+a = 3.149\n",
))  # fmt: skip
@pytest.mark.parametrize("problem", ("0.5*x1*x2+x1 @ x1=3, x2=2", "2*x1*x2+x1 @ x1=3, x2=2", "x1*x2+x1 @ x1=3, x2=2"))
def test_numbers_of_ones_own_earn_nothing_whatever_is_done_with_them(problem: str, text: str) -> None:
    (found,) = assess(text.encode(), "a.txt", [task_of(problem, mode="value")], Rules())
    assert ("wrong", 0) == (found.verdict, found.alone)
