"""Expressions and points as people type them who come from other programs: each is read as what it means there."""

from __future__ import annotations

import json

import pytest
from running import run

# What is typed, its point, and the value.
TYPED = [
    ("x.sin() + y.exp()", "x=0,y=0", 1), ("x.pow(2)", "x=3", 9), ("-x.pow(2)", "x=3", -9), ("2^x.pow(2)", "x=3", 512),
    ("def f(x): return x**2", "x=3", 9), ("def f(x, y): return x*y", "x=3,y=2", 6), ("return x**2 + y", "x=2,y=1", 5),
    ("x**2 if x > 0 else -x", "x=-2", 2), ("lambda x: x**2 if x > 0 else -x", "x=3", 9),
    ("y = x**2 if x > 0 else -x", "x=3", 9), (r"\(x) x^2", "x=3", 9), (r"\x -> x^2", "x=3", 9),
    ("f <- function(x) x^2", "x=3", 9), ("y <- x^2", "x=3", 9), ("x .^ 2 + y .* 3", "x=3,y=1", 12),
    ("sin.(x) + 1", "x=0", 1), ("double y = x*x;", "x=3", 9), ("let y = x*x", "x=3", 9), ("x*x; // square", "x=3", 9),
    ("1.0f/(1.0f + expf(-x))", "x=0", 0.5), ("powf(x, 2.f)", "x=3", 9), ("x * 15%", "x=200", 30),
    ("Log[2, x]", "x=8", 3), ("x^2 /. x -> 3", "", 9), ("x^2 y /. {x -> 2, y -> 3}", "", 12),
    ("x^2 where x is 3", "", 9), ("x*y, x is 2 and y equals 3", "", 6), ("x*y", "x is 3 and y is 2", 6),
    ("x > 0 ? x^2 : -x", "x=-2", 2), ("y = x > 0 ? x^2 : -x", "x=3", 9), ("5 choose x", "x=2", 10),
    ("sp.Piecewise((x**2, x > 0), (x, x > -1), (-x, True))", "x=-2", 2), (r"\operatorname{ReLU}(x)", "x=2", 2),
    ("fabs(x) + fmax(x, 2.0f)", "x=-3", 5), ("2.5f*x", "x=2", 5), ("f=2; x*2.5f", "x=1", 5), ("2.50f*x", "x=2,f=3", 15),
    ("sinpi(x)", "x=0.5", 1), ("pnorm(x, 1, 2)", "x=1", 0.5), ("qnorm(x, 3, 2)", "x=0.5", 3), ("LOG(x,10)", "x=100", 2),
    ("$A$1*2", "A1=3", 6), ("x ≥ 0 ? x : 0", "x=2", 2),
    ("x*f", "x=2,f=3", 6), ("2.f*x", "x=2,f=3", 12), ("is*x", "is=3,x=2", 6),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "at", "value"), TYPED, ids=[f"{typed} @ {at}" for typed, at, _ in TYPED])
def test_an_expression_of_another_program_has_its_value_there(typed: str, at: str, value: float) -> None:
    answer = run("eval", typed, *(["--at", at] if at else []), "--format", "json", "--no-trace")
    assert answer.code == 0, answer.err
    assert value == pytest.approx(json.loads(answer.out)["outputs"][0]["value"], rel=1e-12)


@pytest.mark.parametrize("typed", ["Log[2, x]", "NORM.S.DIST( x, TRUE)", "ArcTan[x, 1]", "besselJ(x, 0)"])
def test_a_note_on_a_notation_is_free_of_stray_signs(typed: str) -> None:
    assert "*" not in run("eval", typed, "--at", "x=1").err


@pytest.mark.parametrize(
    ("typed", "cure"),
    [
        ("partial derivative of x^2 y with respect to x", 'adcli diff "x^2 y" --wrt x'),
        ("second derivative of x^5", 'adcli diff "x^5" --wrt x --order 2'),
        ("sp.diff(x**3, x)", 'adcli diff "x**3" --wrt x'),
        ("what is the derivative of x^3 at 2?", 'adcli diff "x^3" --wrt x --at x=2'),
        ("gradient of y*x at the point (1, -2.5)", 'adcli diff "y*x" --at x=1,y=-2.5'),
        ("D[Sin[x]^2, x] /. x -> 2", 'adcli diff "Sin[x]^2" --wrt x --at "x->2"'),
    ],
)
def test_a_derivative_in_words_gets_the_line_that_computes_it(typed: str, cure: str) -> None:
    answer = run("eval", typed)
    assert (2, True) == (answer.code, answer.err.endswith(f"help: {cure}\n"))


@pytest.mark.parametrize(
    ("typed", "cure"),
    [
        ("Σ_{i=1}^5 i*x", "write sum(i, 1, 5, i*x)"),
        ("hardtanh(x)", "write clip(x, -1, 1)"),
        ("norm(x, y)", 'graph and compile shapes are enough: --shape "x=2, y=2"; for numbers write norm([x, y])'),
        (
            "norm(A x - b)",
            'A=[1,2;3,4], x=[1,2], b=[1,2]"; for check, diff, graph and compile shapes are enough: --shape '
            '"A=2x2, x=2, b=2"; for numbers write norm([x, y])',
        ),
        ("x^T A x", 'shapes are enough: --shape "x=2, A=2x2"; for a power write ^T*…'),
        ("2x:4", "write / for a quotient; of an array write single entries, x[2]: there are no slices"),
    ],
)
def test_a_notation_of_elsewhere_gets_that_of_the_language(typed: str, cure: str) -> None:
    answer = run("eval", typed, "--at", "x=2,y=1")
    assert (2, True) == (answer.code, answer.err.endswith(f"{cure}\n"))


def test_a_logarithm_with_a_comma_between_digits_is_said_to_have_a_base() -> None:
    assert "log(1,5) has two arguments; for the decimal write log(1.5)" in run("eval", "log(1,5)").err


def test_a_value_without_a_name_gets_one_that_is_not_in_use() -> None:
    assert run("eval", "x*y", "--at", "x=3, 2").err.endswith("write the name of the input, too: y=2\n")
