"""What people type, and what it must mean: values, errors, and the choices where programs differ."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from drawn import usually
from support import Answer, each, evaluated, printed, records

import adcli
from adcli.expression import parse

SYNTAX = records("syntax")
MODES = ("value", "forward", "reverse", "both")
INTERNALS = ("Token", "$END", "$", "lark", "Unexpected", "RPAR", "LPAR", "NAME")

# --- where adcli deviates from the recorded expectation, and why -----------------------------------------------------

CORRECTED = {
    "syn-114": 0.8427007929497149,  # recorded from a program whose erf is right to eight digits; erf(1) to sixteen
    "syn-157": 6000.0,  # recorded from programs that drop the x; 2e3x is 2000·x and x is 3
    "syn-315": math.pi / 6,  # recorded to four digits; asin(1/2)
}
REFUSED = {
    "syn-175",  # 100+3% is 103 in some programs and 100.03 in others; % alone means nothing here
}
PROGRAMS = {
    "syn-257": {"y1": 3.0, "y2": 2.0},  # x;y is no error but a program of two statements, hence of two outputs
}


class Read(NamedTuple):
    """A choice that was made: the value, and a word of the note that says how the text was read."""

    value: float
    said: str


class Refused(NamedTuple):
    """No choice was made: a word of the message that says what to do about it."""

    said: str


POLICIES: dict[str, Read | Refused] = {
    "syn-026": Read(2.0, "%"),  # 2*3%4: remainder, as tightly as a product, from the left
    "syn-044": Read(6.0, "read as a product"),  # x(y) with x a variable
    "syn-046": Read(6.0, "xy is read as x*y"),  # each letter has a value, and xy has none
    "syn-125": Read(3.0, "round"),  # round(2.5): halves away from zero, as schools do
    "syn-144": Refused("pi"),  # _pi
    "syn-168": Refused("too large"),  # 1e400
    "syn-177": Refused("(5!)!"),  # 5!!
    "syn-203": Read(4.0, ""),  # fullwidth letters and digits are read as the plain ones
    "syn-204": Refused("α"),  # α+1: a name like any other, without a value
    "syn-205": Refused("x'"),  # x′ is a name of its own, never x
    "syn-213": Read(2.0, ""),  # x_{1}: a LaTeX subscript
    "syn-219": Refused("beta"),  # a name like any other, without a value
    "syn-220": Refused("gamma(x)"),  # a function without an argument
    "syn-266": Read(3.0, "defined"),  # x=3 defines x, whatever the point says
    "syn-267": Read(3.0, "defined"),  # x:=3 likewise
    "syn-293": Read(math.exp(-9.0), ""),  # e^{-x^2}: the whole of the braces is the exponent
    "syn-297": Read(math.log(3.0), "natural"),  # \log x
}
AMBIGUOUS = {
    "1/2x": 1.5,  # (1/2)·x
    "1/2 x": 1.5,  # with a blank or without
    "6/2(1+2)": 9.0,
    "e^2x": math.exp(2.0) * 3.0,
    "cos 2*x": math.cos(2.0) * 3.0,
    "sin^-1(0.5)": math.pi / 6,
    "sin^-1 z": math.pi / 6,
    "sin^-1 0.5": math.pi / 6,
    "log(x)": math.log(3.0),
    "log x": math.log(3.0),
}
# the same names with a value: what is refused above for want of one is a legal name
NAMES = {
    "syn-046": ("xy", 7.0),
    "syn-204": ("α+1", 8.0),
    "syn-205": ("x′", 7.0),
    "syn-219": ("beta", 7.0),
    "syn-220": ("gamma", 7.0),
}

# --- what must hold of an answer -------------------------------------------------------------------------------------


def answer_to(record: dict[str, Any]) -> Answer:
    return evaluated(record["input"], record["bindings"], "--no-trace")


def close(expected: float) -> Any:
    """The number to rounding; one recorded with nine digits or more, as printed by a program, to its last place."""
    mantissa = repr(expected).partition("e")[0]
    places = len(mantissa.partition(".")[2])
    digits = len(mantissa.replace(".", "").replace("-", "").strip("0"))
    printed = 0.5001 * 10.0**-places if 9 <= digits <= 15 and "e" not in repr(expected) else 0.0
    return pytest.approx(expected, rel=1e-15, abs=printed)


def value_of(answer: Answer) -> float:
    """The value of the one output."""
    assert answer.data["schema"] == "trace/1", answer.err
    assert answer.code == 0
    (output,) = answer.data["outputs"]
    value: float = output["value"]
    return value


def assert_clear_error(answer: Answer, text: str) -> None:
    """An error record with a title and a place inside the text, the same title for people, no name from inside."""
    error = answer.data
    assert error["schema"] == "error/1", f"{text} was read: {error}"
    assert answer.code == {"domain": 3}.get(error["kind"], 2)
    assert error["kind"] in ("syntax", "name", "arity", "domain", "request")
    assert error["title"]
    assert error["label"] or error["help"]
    assert answer.err.startswith(f"error: {error['title']}\n")
    assert error["line"] == 1
    assert 1 <= error["column"] < error["end_column"] <= len(text) + 2
    for word in INTERNALS:
        assert word not in answer.err


def kind(name: str) -> list[dict[str, Any]]:
    return [record for record in SYNTAX if record["expect"]["kind"] == name]


# --- the cases -------------------------------------------------------------------------------------------------------


def test_every_case_is_tested() -> None:
    assert {"value", "error", "value-or-error", "policy"} == {record["expect"]["kind"] for record in SYNTAX}
    assert set(POLICIES) == {record["id"] for record in kind("policy")}
    assert {"value"} == {r["expect"]["kind"] for r in SYNTAX if r["id"] in {*CORRECTED, *REFUSED}}
    assert {"error"} == {r["expect"]["kind"] for r in SYNTAX if r["id"] in PROGRAMS}


@each([record for record in kind("value") if record["id"] not in REFUSED])
def test_text_means_what_it_must(record: dict[str, Any]) -> None:
    expected = CORRECTED.get(record["id"], record["expect"]["value"])
    assert close(expected) == value_of(answer_to(record))


@each([record for record in SYNTAX if record["id"] in REFUSED])
def test_text_that_programs_read_in_two_ways_is_refused(record: dict[str, Any]) -> None:
    assert_clear_error(answer_to(record), record["input"])


@each([record for record in kind("error") if record["id"] not in PROGRAMS])
def test_what_is_no_expression_is_refused(record: dict[str, Any]) -> None:
    assert_clear_error(answer_to(record), record["input"])


@each([record for record in SYNTAX if record["id"] in PROGRAMS])
def test_statements_are_outputs_of_one_program(record: dict[str, Any]) -> None:
    answer = answer_to(record)
    assert answer.code == 0, answer.err
    assert PROGRAMS[record["id"]] == {output["name"]: output["value"] for output in answer.data["outputs"]}


@each(kind("value-or-error"))
def test_text_means_one_thing_or_is_refused(record: dict[str, Any]) -> None:
    answer = answer_to(record)
    if answer.data["schema"] == "error/1":
        assert_clear_error(answer, record["input"])
    else:
        assert close(record["expect"]["value"]) == value_of(answer)


@each([record for record in SYNTAX if isinstance(POLICIES.get(record["id"]), Read)])
def test_a_choice_of_reading_is_said(record: dict[str, Any]) -> None:
    policy = POLICIES[record["id"]]
    assert isinstance(policy, Read)
    answer = answer_to(record)
    assert close(policy.value) == value_of(answer)
    readings = [note["text"] for note in answer.data["notes"] if note["kind"] == "reading"]
    assert any(policy.said in text for text in readings), f"{record['input']}: the notes on reading are {readings}"


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_what_books_and_programs_read_differently_is_read_one_way_and_said(text: str) -> None:
    answer = evaluated(text, {"x": 3, "z": 0.5}, "--no-trace")
    assert close(AMBIGUOUS[text]) == value_of(answer)
    readings = [note["text"] for note in answer.data["notes"] if note["kind"] == "reading"]
    assert readings
    _, _, err = printed("eval", "--at", "x=3,z=0.5", "--", text)
    for reading in readings:
        assert f"note: {reading}\n" in err


@pytest.mark.parametrize(
    ("text", "expected"),
    [("sin^2 0.5", math.sin(0.5) ** 2), ("sin^2 2x", math.sin(6.0) ** 2), ("sin 0.5", math.sin(0.5))],
)
def test_a_number_may_follow_a_function_without_brackets(text: str, expected: float) -> None:
    assert close(expected) == value_of(evaluated(text, {"x": 3}, "--no-trace"))


@each([record for record in SYNTAX if isinstance(POLICIES.get(record["id"]), Refused)])
def test_text_without_one_meaning_is_refused_with_advice(record: dict[str, Any]) -> None:
    policy = POLICIES[record["id"]]
    answer = answer_to(record)
    assert_clear_error(answer, record["input"])
    assert policy.said in answer.err


@pytest.mark.parametrize(("name", "expected"), NAMES.values(), ids=NAMES)
def test_a_name_with_a_value_is_an_input(name: str, expected: float) -> None:
    bound = {name.removesuffix("+1"): 7.0, "x": 3.0, "y": 2.0}
    assert expected == value_of(evaluated(name, bound, "--no-trace"))


@each([record for record in kind("value") if record["id"] not in REFUSED][:: usually(4, thoroughly=1)])
def test_meaning_does_not_change_with_the_mode(record: dict[str, Any]) -> None:
    outputs = [evaluated(record["input"], record["bindings"], "--mode", mode).data["outputs"] for mode in MODES]
    assert len({output["value"] for (output,) in outputs}) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [(r"\sqrt[3]{x}", 2.0), (r"2\sqrt [3]{x}^2", 8.0), (r"\sqrt[2]{x y}", 4.0), (r"\mathopen|-x\mathclose|", 8.0)],
)
def test_roots_and_bars_of_latex(text: str, value: float) -> None:
    assert value == pytest.approx(parse(text).value({"x": 8, "y": 2}))


# --- as people paste it -----------------------------------------------------------------------------------------------

AT = {"x": 3.0, "y": 2.0, "n": 3.0, "m": 1.0, "v": 2.0, "mv": 2.0, "theta": 0.25, "y_hat": 5.0, "x_max": 7.0}
PASTED = {
    r"\sqrt[n]{y^n}": 2.0,
    r"\sqrt[2n]{64}": 2.0,
    r"\sqrt[\sqrt[2]{9}]{8}+x": 5.0,
    "½mv": 1.0,
    "½m v²": 2.0,
    "4^½": 2.0,
    "2½x": 7.5,
    "¾y": 1.5,
    "sin ⅓x": math.sin(1.0),
    "x‐y": 1.0,
    "x‑y": 1.0,
    "x‒y": 1.0,
    "x—y": 1.0,
    "x﹣y": 1.0,
    "x⁄y": 1.5,
    "x∶y": 1.5,
    "x•y": 6.0,
    "x⨯y": 6.0,
    "x✕y": 6.0,
    "x⋆y": 6.0,
    "∛8": 2.0,
    "2∜16": 4.0,
    "∣1-x∣": 2.0,
    "‖1-x‖": 2.0,
    "if(x⩾3∧¬(y⩽1)∨x<0, 1, 2)": 1.0,
    "yⁿ": 8.0,
    "eˣ": math.exp(3.0),
    "y⁻ⁿ": 0.125,
    "yⁿ⁺¹": 16.0,
    "y²ⁿ": 64.0,
    "sinⁿ x": math.sin(3.0) ** 3,
    "𝑥²+𝐲": 11.0,
    "ℯ^x": math.exp(3.0),
    "log₂8": 3.0,
    "log₂(8)": 3.0,
    "log₁₀(x)": math.log10(3.0),
    "x² + x⁻²y⁻ⁿ + ½": 9.5 + 1 / 72,
    "log₁₀x": math.log10(3.0),
    r"\cos2\theta": math.cos(0.5),
    r"\sin2\pi x": math.sin(6.0 * math.pi),
    r"\sqrt2 x": math.sqrt(2.0) * 3.0,
    r"\sqrt\pi x": math.sqrt(math.pi) * 3.0,
    r"\sqrt\frac{y}{8}": 0.5,
    r"\log10(x)": math.log10(3.0),
    r"\max\{0,x\}": 3.0,
    r"y\{x\}": 6.0,
    r"\bigl(x\bigr)\Bigl[y\Bigr]": 6.0,
    r"\bigl|-x\bigr|": 3.0,
    r"\left\lvert -x \right\rvert": 3.0,
    r"\left.x\right.": 3.0,
    r"y\left\{x\right\}": 6.0,
    r"\left\|-x\right\|": 3.0,
    r"\frac12x": 1.5,
    r"\cfrac{x}{y}": 1.5,
    r"x\div y\ast y": 3.0,
    r"x\ y": 6.0,
    r"x~\cdot~y": 6.0,
    r"\hat{y}": 5.0,
    r"\hat y": 5.0,
    r"x_{\max}": 7.0,
    r"x_{\text{max}}": 7.0,
    r"\mathbf{x}": 3.0,
    r"2\lfloor y/x+1\rfloor": 2.0,
    "⌊x/y⌋+⌈x/y⌉": 3.0,
}


@pytest.mark.parametrize("text", PASTED)
def test_pasted_text_means_what_it_shows(text: str) -> None:
    assert close(PASTED[text]) == value_of(evaluated(text, AT, "--no-trace"))


@pytest.mark.parametrize(
    ("problem", "value"),
    [
        ("x^2 @ x=½", 0.25),
        ("2µ @ μ=3", 6.0),
        ("2x_{i,j} @ x_{i,j}=3", 6.0),
        ("α_{i,j} @ α_{i,j}=3", 3.0),
        (r"\hat{y}^2 @ \hat{y}=3", 9.0),
        (r"\bar{x}_{1} @ \bar{x}_{1}=⅓", 1 / 3),
    ],
)
def test_points_are_pasted_too(problem: str, value: float) -> None:
    assert close(value) == value_of(evaluated(problem, {}, "--no-trace"))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("½ + $", (5, 6)),
        ("½ + log(-1)", (9, 11)),
        (r"\lfloor x \rfloor + qwertz(x)", (21, 27)),
        (r"x_{\max} + 3 * log(-½)", (20, 22)),
        ("xⁿ⁺¹ + (x", (8, 9)),
    ],
)
def test_errors_in_pasted_text_stand_where_it_was_written(text: str, place: tuple[int, int]) -> None:
    error = evaluated(text, {"x": 3, "n": 1, "x_max": 1}).data
    assert place == (error["column"], error["end_column"])


SAID = {
    "sin^x(2)": "sin^x(…) is read as the power x of sin(…)",
    "f(u)=u^2; f^-1(x)": "f^-1 is read as the reciprocal 1/f(…), not as the inverse function",
    "2. x^2": "2. is read as the factor 2; a label ends in a colon, as in 2: …",
    "2. sin(x)": "2. is read as the factor 2; a label ends in a colon, as in 2: …",
    r"x\left(x+1\right)": "x(…) is read as a product: x is a variable",
    "sin x/y": "sin x/y is read as (sin x)/y",
    "x^1/2": "x^1/2 is read as (x^1)/2",
    "x^-1/2": "x^-1/2 is read as (x^-1)/2",
    "x^3/2": "x^3/2 is read as (x^3)/2",
    "x^--3/2": "x^--3/2 is read as (x^--3)/2",
    "x^−3/2": "x^−3/2 is read as (x^−3)/2",
    "x^-3²/2": "x^-3²/2 is read as (x^-3²)/2",
    "e^-x^2/2": "e^-x^2/2 is read as (e^-x^2)/2",
    "2^-x/y": "2^-x/y is read as (2^-x)/y",
    "sin x/2": "sin x/2 is read as (sin x)/2",
    "-2 sin x/2": "-2 sin x/2 is read as (-2 sin x)/2",
    "sqrt x+1": "sqrt x+1 is read as (sqrt x)+1",
    "ln x-y": "ln x-y is read as (ln x)-y",
    "sin x y": "sin x y is read as sin(x y)",
    "sin pi x/2": "sin pi x/… is read as (sin pi x)/…",
    "2 sin 2 π x/y": "2 sin 2 π x/… is read as (2 sin 2 π x)/…",
    "-cos 2x/3": "-cos 2x/… is read as (-cos 2x)/…",
    "y*cos 2x/3": "y*cos 2x/… is read as (y*cos 2x)/…",
    "sqrt 2x/3": "sqrt 2x/… is read as (sqrt 2x)/…",
    "√x²": "√x² is read as (√x)²",
    "√x^2": "√x^2 is read as (√x)^2",
    "√2x": "√2x is read as √2*x",
    "y√2x": "y√2x is read as y√2*x",
    r"\ln{x}^2": r"\ln{x}^2 is read as (\ln{x})^2",
    r"\sin{x}²": r"\sin{x}² is read as (\sin{x})²",
    "x[x+1]": "x(…) is read as a product: x is a variable",
}


@pytest.mark.parametrize("text", SAID)
def test_the_note_says_how_text_was_read(text: str) -> None:
    answer = evaluated(text, {"x": 3, "y": 2}, "--no-trace")
    assert [SAID[text]] == [note["text"] for note in answer.data["notes"] if note["kind"] == "reading"]


ONE_READING = [
    "x^2/2", "x^2/3", "x^3/3", "x^3²/2", "x^- 7/9",
    "sin(x)/2", "x^3/6", "x^10/3", "x^1 / 2", "x^(1)/2", "x^(1/2)", "e^(-x)/2", "sin x / 2", "sqrt x + 1",
    "sin x+cos y", "sin 2x", "sin pi x", "sin(x y)", "x^y/2",
    "2.5 x", "2.*x", "x + 2. x", "2. + x", "sin(x)^y", "√(x)^2", "√2 x", "√|x|y", r"\sqrt{x}^2", r"\sqrt{2}x",
    "sin x / y", "f(u)=u^2; f^2(x)",
]  # fmt: skip


@pytest.mark.parametrize("text", ONE_READING)
def test_what_has_one_reading_has_no_note(text: str) -> None:
    answer = evaluated(text, {"x": 3, "y": 2}, "--no-trace")
    assert [] == [note for note in answer.data["notes"] if note["kind"] == "reading"]


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        ("y = x^2; y+1", {"y1": 10.0}),
        ("y = 2x; x^2", {"y1": 9.0}),
        ("y = 2x; y1 = y; y1*x", {"y1'": 18.0}),
        ("y = 2x; x^2; y", {"y1": 9.0, "y": 6.0}),
        ("a = 2x; a^2", {"y": 36.0}),
    ],
)
def test_no_output_has_the_name_of_a_step(text: str, outputs: dict[str, float]) -> None:
    answer = evaluated(text, {"x": 3}, "--no-trace")
    assert outputs == {output["name"]: output["value"] for output in answer.data["outputs"]}


def test_names_run_together_are_answered_among_many_problems_too(tmp_path: Path) -> None:
    (tmp_path / "problems.txt").write_text("2^xy + 1\nx*y\n", "utf-8")
    code, _, err = printed("eval", "--file", str(tmp_path / "problems.txt"), "--at", "x=3,y=2,z=1")
    assert code == 2
    assert "help: write x*y\n" in err


def test_a_question_in_a_label_is_no_choice() -> None:
    assert close(9.0) == value_of(evaluated("What is it? a: x^2 @ x=3", {}, "--no-trace"))


# Notations of other programs, and the program that they mean.
ELSEWHERE = {
    "=LOG(A1;2) + LOG(B1)": "log(A1, 2) + log10(B1)",
    "=ATAN2(A1;B1)": "atan2(B1, A1)",
    "=SUM(A1:A3; B1) + SUMSQ(A1;2)": "A1 + A2 + A3 + B1 + A1^2 + 4",
    "=$A$1*B$2/$C3": "A1*B2/C3",
    "=A1*20%": "A1*20/100",
    "=-A1^2 + 3*(-B1^3)": "A1^2 - 3*B1^3",
    "=-(A1)^2.5": "-(A1^2.5)",
    "=-(A1+B1)^2 - 2^-A1": "(A1 + B1)^2 - 2^(-A1)",
    "=NORM.S.DIST(A1;TRUE)+NORM.S.DIST(A1,FALSE)": "normcdf(A1) + normpdf(A1)",
    "ArcTan[x, y] + Log[2, x]": "atan2(y, x) + log(x, 2)",
    "@(x, y) x.^2*y": "x^2*y",
    "f := x ↦ x^2": "x^2",
    "f[x_, y_] := Sin[x] y": "sin(x)*y",
    "f(3*x) where f(x) = x^2 + 1": "9*x^2 + 1",
    "y = x.^2; % parabola": "x^2",
    "DSQRT(x) + 1.5D0*x**2.d0": "sqrt(x) + 1.5*x^2",
    "J_0(x) + Y1(2x)": "besselj(0, x) + bessely(1, 2*x)",
    "4ε((x/y)^12 - (x/y)^6)": "4*ε*((x/y)^12 - (x/y)^6)",
    "x^2 - 5x + 6,": "x^2 - 5*x + 6",
    "2x + 3 =": "2*x + 3",
    "f(x) := x^2*sin(x)$": "x^2*sin(x)",
    "πr² + x": "pi*r^2 + x",
    "σ(2x + y)": "sigmoid(2*x + y)",
    "w₁x₁ + w₂x₂": "w1*x1 + w2*x2",
    "=MAX(A1:A3) - MITTELWERT(A1;B1)*PRODUCT(A1;A2)": "max(A1, A2, A3) - (A1 + B1)/2*A1*A2",
    "=SUMPRODUCT(A1:A2;B1:B2) + RUNDEN(C1;0)": "A1*B1 + A2*B2 + round(C1)",
    "=WENN(UND(A1>0;B1<>1);NORM.VERT(A1;1;2;WAHR);VORZEICHEN(B1))": "if(A1>0 and B1!=1, normcdf((A1-1)/2), sign(B1))",
    "Piecewise[{{x^2, x > 1}}, -x] + 1*^-3 Plus[x, y]": "if(x > 1, x^2, -x) + 0.001*(x + y)",
    "nn.ReLU()(x) + sp.Rational(1, 2)*pmax(x, 2L)": "relu(x) + max(x, 2)/2",
    "e to the x plus the natural log of y": "e^x + ln(y)",
    "f = @(x) x.^2": "x^2",
}


@pytest.mark.parametrize("text", ELSEWHERE)
def test_notations_of_other_programs_have_their_meaning(text: str) -> None:
    meant = adcli.parse(ELSEWHERE[text])
    at = {name: 0.7 + k / 7 for k, name in enumerate(meant.inputs)}
    value, gradient = adcli.parse(text, at).value_and_gradient(at)
    expected, slopes = meant.value_and_gradient(at)
    assert (pytest.approx(expected), pytest.approx(slopes)) == (value, gradient)
