"""`adcli diff`: derivatives as formulas that a textbook would print and that `eval` reads back."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from drawn import THOROUGH
from running import process, run, terminal
from support import each, printed, records

import adcli
from adcli.errors import DomainProblem

EXPRESSIONS = records("expressions")

# Drill problems and their answers, compared by eye with what is found by hand (samples/calculus.txt has the same).
DRILLS = [
    ("x^5", "5*x^4"), ("x^(2^3)", "8*x^7"), ("10^6*x^2", "2*10^6*x"), ("x^4/4!", "x^3/6"),
    ("2x^3 - 7x^2 + 4x - 1", "6*x^2 - 14*x + 4"),
    ("3/x^2", "-6/x^3"),
    ("sqrt(x) + 1/sqrt(x)", "(x - 1)/(2*x*sqrt(x))"),
    ("cbrt(x)", "1/(3*cbrt(x)^2)"),
    ("root(x, 5)", "root(x, 5)/(5*x)"),
    ("x^(2/3)", "2/(3*x^(1/3))"),
    ("x^2*(x^3 + 1)", "5*x^4 + 2*x"),
    ("x sin(x)", "x*cos(x) + sin(x)"),
    ("x^2 ln(x)", "2*x*log(x) + x"),
    ("x*exp(x)*cos(x)", "exp(x)*(cos(x)*(x + 1) - x*sin(x))"),
    ("(x + 1)/(x - 1)", "-2/(x - 1)^2"),
    ("(x^2 - 1)/(x^2 + 1)", "4*x/(x^2 + 1)^2"),
    ("sin(x)/x", "(x*cos(x) - sin(x))/x^2"),
    ("exp(x)/(1 + exp(x))", "exp(x)/(1 + exp(x))^2"),
    ("ln(x)/x^3", "(1 - 3*log(x))/x^4"),
    ("(3x^2 + 2)^4", "24*x*(3*x^2 + 2)^3"),
    ("sin(x^2)", "2*x*cos(x^2)"),
    ("sin^2(x)", "2*sin(x)*cos(x)"),
    ("sqrt(1 + x^2)", "x/sqrt(1 + x^2)"),
    ("exp(-x^2/2)", "-x*exp(-x^2/2)"),
    ("cos(exp(sqrt(x)))", "-exp(sqrt(x))*sin(exp(sqrt(x)))/(2*sqrt(x))"),
    ("cos(sin(3x))", "-3*sin(sin(3*x))*cos(3*x)"),
    ("u = 1 + x^3; w = ln(u); w^2", "6*x^2*log(1 + x^3)/(1 + x^3)"),
    ("ln(x*(x + 2))", "1/(x + 2) + 1/x"),
    ("ln(ln(x))", "1/(x*log(x))"),
    ("log10(x^2 + 1)", "2*x/(log(10)*(x^2 + 1))"),
    ("log(x, 2)", "1/(x*log(2))"),
    ("3^x", "3^x*log(3)"),
    ("x^x", "x^x*(log(x) + 1)"),
    ("x^(sin(x))", "x^sin(x)*(log(x)*cos(x) + sin(x)/x)"),
    ("ln|x|", "1/x"), ("arctan(1/x)", "-1/(x^2 + 1)"), ("ln|x/(x+1)|", "1/x - 1/(x + 1)"),
    ("tan(2x)", "2*tan(2*x)^2 + 2"),
    ("0.5*x^3", "1.5*x^2"), ("cot(x)", "-cot(x)^2 - 1"),
    ("besselj(0, x)", "-besselj(1, x)"), ("besselk(0, x)", "-besselk(1, x)"),
    ("sec(x)", "sec(x)*tan(x)"),
    ("csc(x)", "-csc(x)/tan(x)"),
    ("sin(x)^2 + cos(x)^2", "0"),
    ("arcsin(x/2)", "1/(2*sqrt(1 - x^2/4))"),
    ("arccos(x^2)", "-2*x/sqrt(1 - x^4)"),
    ("x*arctan(x)", "x/(x^2 + 1) + atan(x)"),
    ("acot(3x)", "-3/(9*x^2 + 1)"),
    ("asec(x)", "1/(abs(x)*sqrt(x^2 - 1))"),
    ("sinh(3x)", "3*cosh(3*x)"),
    ("2cosh(x/2)", "sinh(x/2)"),
    ("tanh(x^2)", "2*x/cosh(x^2)^2"),
    ("ln(cosh(x))", "tanh(x)"),
    ("t = tanh(x); t/cosh(x)^2", "(1 - tanh(x)^2)*(1 - tanh(x)*(tanh(x) + 2*cosh(x)*sinh(x)*(1 - tanh(x)^2)))"),
    ("s = sigmoid(x); sigmoid(-y)*sigmoid(-x)*s", "sigmoid(x)*sigmoid(-y)*(sigmoid(x)*(2*sigmoid(x) - 3) + 1)"),
    ("x*(2*x)^3*sin(x)", "8*x^3*(4*sin(x) + x*cos(x))"), ("x/(1/x)", "2*x^2/x"),
    ("1/(1/sin(x))", "cos(x)/(sin(x)^2*(1/sin(x))^2)"),
    ("asinh(x)", "1/sqrt(x^2 + 1)"),
    ("acosh(2x)", "2/(sqrt(2*x - 1)*sqrt(2*x + 1))"),
    ("atanh(x)", "1/(1 - x^2)"),
    ("|x^2 - 4|", "2*x*sign(x^2 - 4)"),
    ("if(x < 1, x^2, 2x - 1)", "if(x < 1, 2*x, 2)"),
    ("max(x^2, 3 - x)", "if(x^2 > 3 - x, 2*x, if(x^2 == 3 - x, x - 1/2, -1))"),
    ("sin(x)^3", "3*sin(x)^2*cos(x)"),
    ("sin(x^3)^6", "18*x^2*sin(x^3)^5*cos(x^3)"),
    ("(3*x^2+1)^3", "18*x*(3*x^2 + 1)^2"),
    ("cos(pi*x)^3", "-3*pi*cos(pi*x)^2*sin(pi*x)"),
    ("(tan(x)+sin(x))^(-3)", "-3*(tan(x)^2 + cos(x) + 1)/(tan(x) + sin(x))^4"),
    ("atan(x^2)", "2*x/(x^4 + 1)"),
    ("log(x^2*sin(x)/(2*x+1))", "2/x + cos(x)/sin(x) - 2/(2*x + 1)"),
    ("log((3*x+2)^5)", "15/(3*x + 2)"),
    ("exp(-x)/x", "-exp(-x)*(x + 1)/x^2"),
    ("sqrt(exp(2*x)+2*x)", "(exp(2*x) + 1)/sqrt(exp(2*x) + 2*x)"),
    ("3^sin(3*x)", "3*3^sin(3*x)*log(3)*cos(3*x)"),
    ("x^sqrt(x)", "x^sqrt(x)*(log(x)/2 + 1)/sqrt(x)"),
    ("x*log(x)*cos(x)", "log(x)*(cos(x) - x*sin(x)) + cos(x)"),
    ("5*x^3*sin(x)", "5*x^2*(3*sin(x) + x*cos(x))"),
    ("sin(x)*cos(x)", "cos(x)^2 - sin(x)^2"),
    ("cos(x)/(4*x^2)", "-(x*sin(x) + 2*cos(x))/(4*x^3)"),
    ("x/cos(x)", "(x*sin(x) + cos(x))/cos(x)^2"),
    ("x-x^3*sin(x)", "1 - 3*x^2*sin(x) - x^3*cos(x)"),
    ("10^(2*x+2)", "2*10^(2*x + 2)*log(10)"),
    ("sqrt(6*x)", "3/sqrt(6*x)"),
    ("exp(2*x)", "2*exp(2*x)"),
    ("log(sin(x))", "cos(x)/sin(x)"),
    ("e^(2*x)", "2*e^(2*x)"),
    ("2*(3*x)", "6"), ("(2*x^2+2)*atan(x)", "4*x*atan(x) + 2"), ("(1+(1+(1+(1+1))))*x", "1 + (1 + (1 + (1 + 1)))"),
    ("(4*x^3-2*x+1)/x^2", "2/x^2 - 2/x^3 + 4"),
    ("erf(x)", "2*exp(-x^2)/sqrt(pi)"),
    ("x*abs(x)", "2*abs(x)"), ("abs(x)^3", "3*x*abs(x)"), ("ln(x+sqrt(x^2+1))", "1/sqrt(x^2 + 1)"),
    ("asin(sqrt(x))", "1/(2*sqrt(x)*sqrt(1 - x))"), ("(1+1/x)^x", "(1 + 1/x)^x*(log(1 + 1/x) - 1/(x + 1))"),
    ("(1-cos(x))/sin(x)", "(1 - cos(x))/sin(x)^2"),
    ("(e^x-e^(-x))/(e^x+e^(-x))", "4/(e^x + e^(-x))^2"),
]  # fmt: skip


def diffed(*arguments: str, code: int = 0) -> dict[str, Any]:
    """What `adcli diff ... --format json` answers."""
    done = run("diff", "--format", "json", *arguments)
    assert code == done.code, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def formulas(*arguments: str) -> list[str]:
    return [entry["expression"] for entry in diffed(*arguments)["derivatives"]]


@pytest.mark.parametrize(("text", "answer"), DRILLS, ids=[text for text, _ in DRILLS])
def test_answer_of_a_drill_is_the_textbooks(text: str, answer: str) -> None:
    assert [answer] == formulas(text, "--wrt", "x")


CALL = "d1 = (log(S/K)+(r+s^2/2)*T)/(s*sqrt(T)); d2 = d1 - s*sqrt(T); S*normcdf(d1) - K*exp(-r*T)*normcdf(d2)"
GREEKS = """\
∂y/∂S  = normcdf(d1)
∂y/∂K  = -exp(-r*T)*normcdf(d2)
∂y/∂r  = K*T*exp(-r*T)*normcdf(d2)
∂y/∂s  = S*sqrt(T)*normpdf(d1)
∂y/∂T  = S*s*normpdf(d1)/(2*sqrt(T)) + K*r*exp(-r*T)*normcdf(d2)
"""


def test_greeks_of_an_option_are_the_textbooks() -> None:
    """S φ(d1) = K e^(−r T) φ(d2)."""
    assert run("diff", CALL).out.endswith(GREEKS)


@pytest.mark.parametrize("change", [("exp(-r*T)", "exp(-q*T)"), ("+s^2/2", "+s^2/3")])
def test_densities_of_other_formulas_stay_two(change: tuple[str, str]) -> None:
    """With another rate or variance no density is a multiple of the other one."""
    (formula,) = formulas(CALL.replace(*change), "--wrt", "S")
    assert 2 == formula.count("normpdf")


@pytest.fixture(scope="module")
def read_back() -> dict[str, dict[str, float]]:
    """By record and input the value of its derivative's formula, printed by `diff` and read back by `eval`."""
    texts = "".join(f"{record['id']}: {record['expr']} @ {_point(record)}\n" for record in EXPRESSIONS)
    done = process("diff", "--format", "ndjson", "-", stdin=texts)
    assert 0 == done.code, done.err
    lines = []
    for record, line in zip(EXPRESSIONS, done.out.splitlines(), strict=True):
        for entry in json.loads(line)["derivatives"]:
            (name,) = entry["wrt"]
            lines.append(f"{record['id']} {name}: {entry['expression']} @ {_point(record)}\n")
    done = process("eval", "--format", "ndjson", "--no-trace", "--mode", "value", "-", stdin="".join(lines))
    assert 0 == done.code, done.err
    found: dict[str, dict[str, float]] = {}
    for line in done.out.splitlines():
        answer = json.loads(line)
        label, name = answer["label"].split(" ")
        found.setdefault(label, {})[name] = answer["outputs"][0]["value"]
    return found


def _point(record: dict[str, Any]) -> str:
    return ", ".join(f"{name}={x}" for name, x in record["point"].items())


@pytest.mark.slow
@each(EXPRESSIONS)
def test_formula_read_back_is_the_gradient(record: dict[str, Any], read_back: dict[str, dict[str, float]]) -> None:
    found = read_back[record["id"]]
    assert set(record["gradient"]) == set(found)
    for name, slope in record["gradient"].items():
        x = float(record["point"][name]) or 1.0
        # what cancels to 0 leaves the rounding of its terms
        left = 1e-12 * abs(float(record["value"]) / x) if float(slope) == 0 else 0.0
        assert float(slope) == pytest.approx(found[name], rel=max(1e-12, record["literal_rounding_rel"]), abs=left)


def test_schema_is_that_of_the_contract() -> None:
    assert {
        "schema": "diff/1",
        "expression": "log(x1)+x1*x2-sin(x2)",
        "derivatives": [
            {
                "output": "y",
                "wrt": ["x1"],
                "expression": "1/x1 + x2",
                "latex": "\\frac{1}{x_1} + x_2",
            }
        ],
    } == diffed("log(x1)+x1*x2-sin(x2)", "--wrt", "x1")


def test_without_wrt_there_is_one_entry_for_each_input_of_each_output() -> None:
    found = diffed("f = x*y; g = x/y; f; g")["derivatives"]
    assert [("f", ["x"], "y"), ("f", ["y"], "x"), ("g", ["x"], "1/y"), ("g", ["y"], "-x/y^2")] == [
        (entry["output"], entry["wrt"], entry["expression"]) for entry in found
    ]


@pytest.mark.parametrize(
    ("flags", "wrt", "answers"),
    [
        (("--wrt", "x", "--order", "3"), [["x"] * 3], ["6*y^2"]),
        (("--wrt", "x,y"), [["x", "y"]], ["6*x^2*y"]),
        (("--wrt", "y,x,x"), [["y", "x", "x"]], ["12*x*y"]),
        (("--wrt", "x", "--wrt", "y"), [["x"], ["y"]], ["3*x^2*y^2", "2*x^3*y"]),
        (("--order", "2"), [["x", "x"], ["x", "y"], ["y", "y"]], ["6*x*y^2", "6*x^2*y", "2*x^3"]),
    ],
)
def test_orders_and_mixed_derivatives(flags: tuple[str, ...], wrt: list[list[str]], answers: list[str]) -> None:
    found = diffed("x^3*y^2", *flags)["derivatives"]
    assert wrt == [entry["wrt"] for entry in found]
    assert answers == [entry["expression"] for entry in found]


SECOND = [  # derivatives by x twice, and by x and y
    ("(3*x^2+1)^3 + y", ["810*x^4 + 324*x^2 + 18", "0"]),
    ("(x-1)*(x-2)*(x-3)*y", ["6*x*y - 12*y", "3*x^2 - 12*x + 11"]),
    (
        "x^(sin(x)) + y",
        ["x^sin(x)*(sin(x)*(log(x)*(2*cos(x)/x - 1) + (sin(x) - 1)/x^2) + cos(x)*(log(x)^2*cos(x) + 2/x))", "0"],
    ),
    (
        "hypot(x,y)*x",
        [
            "if(x != 0 or y != 0, x*(3/hypot(x, y) - x^2/hypot(x, y)^3), 0)",
            "if(x != 0 or y != 0, y*(1/hypot(x, y) - x^2/hypot(x, y)^3), 0)",
        ],
    ),
    (
        "u = exp(x)+y; u^2*log(u)+1/u",
        [
            "exp(x)*(2*log(exp(x) + y)*(2*exp(x) + y) + 2*exp(x)*(1/(exp(x) + y)^3 + 2) + y - 1/(exp(x) + y)^2)",
            "exp(x)*(2/(exp(x) + y)^3 + 2*log(exp(x) + y) + 3)",
        ],
    ),
    (
        "sin(x)*exp(y)/(1+x^2*y)",
        [
            "exp(y)*(sin(x)*(6*x^2*y^2 - 2*y - (1 + x^2*y)^2) - 4*x*y*cos(x) - 4*x^3*y^2*cos(x))/(1 + x^2*y)^3",
            "exp(y)*((cos(x)*(x^2*y - x^2 + 1) - 2*x*sin(x)*(y + 1))/(1 + x^2*y)^2 + 4*x^3*y*sin(x)/(1 + x^2*y)^3)",
        ],
    ),
    (  # over one denominator this is longer, and so are its halves
        "atan(x)/x + log(x)/(x+1) + y",
        [
            "2*log(x)/(x + 1)^3 - 2/(x^2*(x^2 + 1)) - 2/(x^2 + 1)^2 - 1/(x^2*(x + 1)) - 2/(x*(x + 1)^2) + "
            "2*atan(x)/x^3",
            "0",
        ],
    ),
    ("x*(-y)/(-(x+y))", ["-2*y^2/(x + y)^3", "2*x*y/(x + y)^3"]),
]


@pytest.mark.parametrize(("text", "answers"), SECOND, ids=[text for text, _ in SECOND])
def test_second_derivatives_are_short(text: str, answers: list[str]) -> None:
    assert answers == formulas(text, "--wrt", "x,x", "--wrt", "x,y")


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("sin(a*b*c + d^2 + g)*exp(a*b*c + d^2 + g)*sqrt(a*b*c + d^2 + g)", "a"),
        ("b = 3*x; sin(exp(b^2)/b + x)^2*cos(exp(b^2)/b + x)", "x"),
        ("(e^x + pi*x + a1)^3*sin((e^x + pi*x + a1)^3)", "x"),
    ],
)
def test_names_of_shared_parts_collide_with_nothing(text: str, given: str) -> None:
    (program,) = formulas(text, "--wrt", given)
    *steps, _ = program.split("; ")
    names = [step.partition(" = ")[0] for step in steps]
    expression = adcli.parse(text)
    assert names
    assert not set(names) & {*expression.inputs, "e", "pi", "tau", "sin", "exp"}
    at = {name: 0.25 + 0.125 * k for k, name in enumerate(expression.inputs)}
    assert expression.gradient(at)[given] == pytest.approx(adcli.parse(program).value(at), rel=1e-13)


def test_shared_parts_do_not_swell() -> None:
    """Each step uses the last one twice, so that written out it would be of some 2^40 operations."""
    steps = "; ".join(f"u{k} = sin(u{k - 1})*u{k - 1}" for k in range(1, 41))
    (program,) = formulas(f"u0 = x; {steps}", "--wrt", "x")
    assert len(program) < 20_000
    assert adcli.parse(f"u0 = x; {steps}").gradient({"x": 1.5})["x"] == pytest.approx(
        adcli.parse(program).value({"x": 1.5}), rel=1e-12
    )


@pytest.mark.parametrize(
    ("text", "wrt", "answer"),
    [
        ("x^n/(K^n+x^n)", "x", "K^n*if(x == 0 and n == 0, 0, n*x^(n - 1))/(K^n + x^n)^2"),
        ("a^x/(a^x+1)", "x", "if(a == 0 and x > 0, 0, a^x*log(a))/(a^x + 1)^2"),
        ("x^(2 - 2*n)", "x", "if(x == 0 and n == 1, 0, x^(1 - 2*n)*(2 - 2*n))"),
        ("x^(-n)", "n", "-if(x == 0 and n < 0, 0, x^(-n)*log(x))"),
        ("a^3*x^2/a", "x", "2*a^3*x/a"),  # not 2*a^2*x: there is no value at a = 0
        ("a^3*x^2/(a*x)", "a", "2*a^2*x^2/(a*x)"),
        ("(x^n - x^n)*y", "y", "x^n - x^n"),  # this has no value at x = -1, n = 0.5, and says so still
    ],
)
def test_what_cancels_is_gone_if_its_parts_are_needed_all_the_same(text: str, wrt: str, answer: str) -> None:
    assert [answer] == formulas(text, "--wrt", wrt)


@pytest.mark.parametrize(
    ("text", "flags", "answer"),
    [
        ("a^x", "--assume a>0 --wrt x", "a^x*log(a)"),
        ("x^n", "--integer n", "if(x == 0 and n == 0, 0, n*x^(n - 1))"),
        ("x^n", "--assume n>0 --integer n", "n*x^(n - 1)"),
        ("x^n", "--assume n>1 --integer n --order 2", "n*x^(n - 2)*(n - 1)"),
        ("x^n", "--assume n>1/2 --wrt x --order 2", "n*if(x == 0 and n == 1, 0, x^(n - 2)*(n - 1))"),
        ("x^n", "--assume n>1/2 --integer n --order 2", "n*if(x == 0 and n == 1, 0, x^(n - 2)*(n - 1))"),
        ("x^3/x", "--assume x!=0", "2*x"),
        ("x^3/x", "--assume x>=0", "2*x^2/x"),
        ("abs(a*x)", "--assume x>0,a≤-1 --wrt x", "-a"),
        ("abs(a*x)", "--assume x>=0,a<=-1 --wrt x", "a*sign(a*x)"),
    ],
)
def test_assumptions_simplify_what_they_prove(text: str, flags: str, answer: str) -> None:
    assert [answer] == formulas(text, *flags.split())


def test_assumptions_are_in_the_data() -> None:
    found = diffed("a^n", "--assume", "a>0, n<=3", "--integer", "n")
    assert (["a > 0", "n <= 3"], ["n"]) == (found["assume"], found["integer"])


def test_a_point_adds_the_values() -> None:
    found = diffed("sin(x*y) @ x=1, y=2", "--wrt", "x")
    assert {"x": 1.0, "y": 2.0} == found["at"]
    assert [pytest.approx(-0.8322936730942848, rel=1e-15, abs=0)] == [entry["value"] for entry in found["derivatives"]]
    assert "dy/dx  = 2*x  = 6\n" == run("diff", "x^2", "--at", "x=3").out


def test_where_there_is_no_value_there_is_no_derivative() -> None:
    done = run("diff", "log(x)", "--at", "x=-1")
    assert (3, "") == (done.code, done.out)
    assert "log needs a positive argument" in done.err
    assert "infinite" in run("diff", "sqrt(x)", "--at", "x=0").err


def test_a_value_at_a_corner_is_the_slope_of_the_result_and_the_convention_is_told() -> None:
    done = run("diff", "sqrt(max(min(max(x, -1), 1), relu(x)))", "--wrt", "x", "--at", "x=1")
    assert done.out.endswith("= 0.5\n")
    assert "at this corner the formula of ∂y/∂x evaluates to 0.375, but the slope is 0.5" in done.err
    assert (
        "abs has a corner at 0 (slope -1 from the left and 1 from the right)"
        in run("diff", "abs(x)", "--at", "x=0").err
    )
    assert run("diff", "abs(x)", "--at", "x=2").err == ""


def test_trace_shows_the_sweep() -> None:
    lines = run("diff", "log(x1)+x1*x2-sin(x2)", "--trace").out.splitlines()
    assert "v2  = x1 × x2" in lines
    assert "x̄2  = v̄3 ∂v3/∂x2       = v̄3 × cos x2" in lines
    assert "x̄1  = x̄1 + v̄1 ∂v1/∂x1  = x̄1 + v̄1/x1" in lines
    assert "∂y/∂x1  = 1/x1 + x2" in lines
    steps = diffed("x*x", "--trace")["sweeps"][0]["steps"]
    assert [None, "v1", "v1"] == [step["source"] for step in steps]
    assert [["x"], ["y"]] == [sweep["wrt"] for sweep in diffed("u = x^2; v = sin(y); u; v", "--trace")["sweeps"]]


def test_tables_name_their_steps_and_latex_has_a_line_each() -> None:
    assert "∂²f/∂x∂y  = 6*x^2*y\n" == run("diff", "x^3*y^2", "--wrt", "x,y").out
    assert "d²y/dx²  = -sin(x)\n" == run("diff", "sin(x)", "--order", "2").out
    latex = run("diff", "-3/x^2 + sin(x)*y", "--format", "latex").out
    assert latex.splitlines() == [
        "\\[",
        "\\frac{\\partial f}{\\partial x} = \\frac{6}{x^3} + y\\cos x",
        "\\]",
        "\\[",
        "\\frac{\\partial f}{\\partial y} = \\sin x",
        "\\]",
    ]
    assert "\\[\n\\frac{dy}{dx} = -\\frac{6}{x^3}\n\\]\n" == run("diff", "3/x^2", "--format", "latex").out
    assert "dy/dx" in terminal("diff", "x^2").out
    assert "d^2y/dx^2  = 2\n" == run("diff", "x^2", "--order", "2", "--ascii").out


@pytest.mark.parametrize("form", ["table", "plain", "latex", "json", "ndjson"])
def test_many_problems_stand_alone(form: str, tmp_path: Path) -> None:
    path = tmp_path / "problems.txt"
    path.write_text("one: x^2\n# none\nlog(\ntwo: x*y @ x=1, y=2\n", encoding="utf-8")
    done = run("diff", "--file", str(path), "--format", form)
    assert 2 == done.code
    assert "problems.txt:3" in done.err
    assert "problems.txt:3" in run("diff", "-f", str(path), "--fail-fast", "--format", form).err
    if form == "ndjson":
        found = [json.loads(line) for line in done.out.splitlines()]
        assert ["diff/1", "error/1", "diff/1"] == [record["schema"] for record in found]
        assert ("one", "two") == (found[0]["label"], found[2]["label"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("x^2", "--wrt", "z"), "there is no input called z"),
        (("x1^2", "--wrt", "x"), "did you mean --wrt x1?"),
        (("x^2", "--wrt", "x,x", "--order", "3"), "has order 2, but --order is 3"),
        (("x^2", "--order", "0"), "order"),
        (("x1*x2*x3*x4*x5*x6*x7", "--order", "9"), "more than 1000 derivatives"),
        (("x +",), "error"),
        (("sin(a*x)*exp(b*x^2)*tan(x)/(1 + x^2)", "--wrt", "x", "--order", "100"), "order 100 already has"),
        (("x^2", "--at", "y=1"), "no value is given"),
    ],
)
def test_a_wrong_request_is_told(arguments: tuple[str, ...], said: str) -> None:
    done = run("diff", *arguments)
    assert (2, "") == (done.code, done.out)
    assert said in done.err


def test_an_expression_without_inputs_has_no_derivatives() -> None:
    assert [] == diffed("2*pi")["derivatives"]
    assert "no inputs: all derivatives are 0, as with --wrt x" in run("diff", "2*pi").err


def test_python_gives_the_same_formulas() -> None:
    expression = adcli.parse("x^3*sin(y)")
    assert "3*x^2*sin(y)" == expression.derivative("x").text
    assert "6*x*cos(y)" == expression.derivative(["x", "x", "y"]).text
    assert "0" == expression.derivative("x", order=4).text
    assert "if(x > 0, 2, 6*x)" == adcli.parse("if(x > 1, x^2, if(x > 0, x^2, x^3))").derivative("x", order=2).text
    for case, slope in (("x < 0", -6), ("x <= -1", -6), ("x >= 1", 6)):
        third = adcli.parse(f"if({case}, abs(x)^3, x^2)").derivative("x", order=3).text
        assert f"if({case}, {slope}, 0)" == third
    third = adcli.parse("max(x, 0)*log(x)").derivative("x", order=3).text
    assert "if(x > 0, -1/x^2, 0) - 2/x^2 + 2*max(x, 0)/x^3" == third  # log does not stay, and may decide nothing
    assert 2 == adcli.parse("(x-2)^x").derivative("x", order=2).value({"x": 2.0})
    assert ["x", "y"] == expression.derivative("x", order=3).inputs
    assert {"p": {"x": 0.0, "y": 1.0}, "q": {"x": 0.0, "y": -0.25}} == adcli.parse("p = x*y; q = x/y; p; q").derivative(
        "x"
    ).jacobian({"x": 3.0, "y": 2.0})
    with pytest.raises(adcli.AdcliError, match="no input called z"):
        expression.derivative("z")


@pytest.mark.parametrize(
    ("text", "slopes"),
    [
        ("x*0*sin(y)", ["0", "0"]),
        ("0*log(x)*x*y", ["0", "0"]),  # wherever there is a log(x)
        ("z*0*x*y + x", ["0", "1", "0"]),
        ("(x - x)*y", ["0", "0"]),
        ("x*(1 - 1)*y", ["0", "0"]),
        ("0^2*x", ["0"]),
        ("0^0*x", ["0^0"]),
        ("if(x > 0, x, 0^(-1)*x)", ["if(x > 0, 1, 0^(-1))"]),
        ("y*(x/x)", ["x/x", "0"]),  # not 1: there is no x/x at 0
        ("a/b*c/a*b/c", ["0", "0", "0"]),
        ("max(x, y, z)/max(x, y, z)", ["0", "0", "0"]),  # of whose slopes the quotients have values
        ("asin(x) + acos(x)", ["0/sqrt(1 - x^2)"]),
        # a constant argument has no slope to multiply, also at the end of a domain
        ("cbrt(x - x)*x", ["0"]),
        ("sqrt(x - x) + x", ["1"]),
        ("sqrt(x*y - y*x)*y", ["0", "sqrt(x*y - y*x)"]),
        ("asin(x/x)*x", ["asin(x/x)"]),
        ("x^(x - x)*x", ["1"]),
        ("if(x > 0, cbrt(sqrt(x - x)), x)", ["if(x > 0, 0, 1)"]),
        ("x^2 - 1; sqrt(2*x - x - x)", ["2*x", "0"]),
    ],
)
def test_what_is_0_is_written_as_0_unless_that_would_change_a_domain(text: str, slopes: list[str]) -> None:
    code, out, _ = printed("diff", text)
    assert code == 0
    assert sorted(slopes) == sorted(line.split("= ", 1)[1].strip() for line in out.splitlines() if "= " in line)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("e*x", ["e", "x"]),
        ("gamma*x^2 + pi", ["gamma", "x"]),
        ("a*b/x - sin(y)*b", ["a", "b", "x", "y"]),
        ("a = x; 2", ["x"]),
    ],
)
def test_a_text_reads_back_to_the_same_inputs_of_which_it_may_have_lost_some(text: str, names: list[str]) -> None:
    expression = adcli.parse(text, names)
    for one in (expression, *(expression.derivative(name, order=2) for name in names), expression.derivative("x")):
        again = adcli.parse(one.text, one.inputs)
        assert (names, one.text) == (again.inputs, again.text)
        alone = adcli.parse(one.text).inputs == names
        assert repr(one) == f"adcli.parse({one.text!r}{'' if alone else f', {names!r}'})"


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x^y", "(x + 1)^(y*x)", "relu(x)*y^x", "hypot(x, y)^y"])
def test_derivatives_one_after_another_are_those_by_all_names(text: str) -> None:
    expression = adcli.parse(text)
    takes_long = text == "(x + 1)^(y*x)" and not THOROUGH
    for names in (("x", "y"), ("y", "x"), *(() if takes_long else (("x", "x", "y"), ("y", "x", "x")))):
        one_by_one = expression
        for name in names:
            one_by_one = one_by_one.derivative(name)
        assert one_by_one.text == expression.derivative(names).text
        if len(names) == 2 and not takes_long:
            assert one_by_one.derivative("x", 2).text == expression.derivative((*names, "x", "x")).text


def test_a_guard_of_a_first_derivative_has_no_slope_of_its_own() -> None:
    for names in ("xy", "yx"):
        first = adcli.parse("x^y").derivative(names[0])
        with pytest.raises(DomainProblem):  # the slope of y*x^(y - 1) in y is infinite at (0, 1)
            first.derivative(names[1]).value({"x": 0.0, "y": 1.0})
        assert first.derivative(names[1]).value({"x": 0.0, "y": 1.5}) == 0


@pytest.mark.parametrize(("text", "x"), [("cbrt((0.9*x+x+0.1-5.61)^2)+x", "2.9"), ("sqrt((x^2-2.56)^2)-x", "1.6")])
def test_where_exact_numbers_show_a_kink_rounding_makes_no_slope(text: str, x: str) -> None:
    (derivative,) = json.loads(run("diff", text, "--at", f"x={x}", "--format", "json").out)["derivatives"]
    assert "NaN" == derivative["value"]


@pytest.mark.parametrize(
    ("text", "requests", "values"),
    [
        ("hypot(x^2, 0)", ("--order", "2"), [2.0]),
        ("sqrt(x^4)", ("--order", "2"), [2.0]),
        ("abs(x)^3", ("--wrt", "x,x", "--wrt", "x,x,x"), [0.0, "NaN"]),
        ("exp(2*x)", ("--wrt", "x,x", "--wrt", "x,x,x"), [4.0, 8.0]),
    ],
)
def test_higher_derivatives_at_a_kink_are_those_of_the_trace_or_not_known(
    text: str, requests: tuple[str, ...], values: list[object]
) -> None:
    done = run("diff", text, *requests, "--at", "x=0", "--format", "json")
    assert values == [derivative["value"] for derivative in json.loads(done.out)["derivatives"]]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_derivative_of_any_order_that_has_lost_its_digits_has_a_note(order: int) -> None:
    lost = run("diff", "(1-cos(x))/x^2", "--order", str(order), "--at", "x=1e-6").err
    assert lost.startswith("note: no digit of the derivative of y with respect to x")
    assert run("diff", "x^2*sin(x)", "--order", str(order), "--at", "x=0.3").err == ""


def test_a_formula_of_a_derivative_counts_where_the_sweep_has_lost_its_digits() -> None:
    done = run("diff", "(x+3-(x+1))*y+((y+1)^2-y^2-2*y)*x", "--at", "x=2.7e17,y=1.47e21", "--format", "json")
    assert [1, 2] == [derivative["value"] for derivative in json.loads(done.out)["derivatives"]]


def test_long_products_have_the_right_slope() -> None:
    slope = adcli.parse("*".join(f"(x+{i}/100)" for i in range(1, 301))).derivative("x")  # too long to be shortened
    truth = math.prod(1 + i / 100 for i in range(1, 301)) * sum(1 / (1 + i / 100) for i in range(1, 301))
    assert truth == pytest.approx(slope.value(x=1.0), rel=1e-12)
