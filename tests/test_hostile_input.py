"""Whatever comes in, a clear answer comes out: no traceback, no hang, nothing that steers a terminal."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from pathlib import Path

import pytest
from drawn import examples, usually
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from running import Run, process, run
from together import together

from adcli.cli.shared_options import FORMATS
from adcli.table.primitive import spellings

EVERYTHING = examples(150, suppress_health_check=[HealthCheck.too_slow])
LONGEST_LINE = 400  # characters of a message's line: what is quoted of a long text is cut


def harmless(result: Run) -> bool:
    """Whether a run ended with an answer or a message, neither a defect nor a traceback, and steers no terminal."""
    text = result.out + result.err
    assert result.code in (0, 2, 3)
    assert "Traceback" not in text
    assert "adcli has made a mistake" not in text
    assert [] == steering(text)
    if result.code:
        assert "error: " in result.err
    else:
        assert "error: " not in result.err
    return True


def steering(text: str) -> list[str]:
    """The characters that could steer a terminal or hide something."""
    return sorted({c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c != "\n"})


# --- anything at all --------------------------------------------------------------------------------------------------

ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
SIGNS = "+-*/^%!|()[]{},;=<>#@:.'_$&~?\"\\√²³⁻¹₁½×÷−·π∞≤≥≠µ \t\u200b\ufeff"
WORDS = re.findall(
    r"\S+",
    """
    ** <= == != := // -> x y x1 x2 v1 e pi i a f f(x)= g(a,b)= 0 1 2 .5 1e5 1e-400 1e400 007 0x1 and or not if(
    ½ ⅓ ⁿ⁻ ∛ ⌊ ⌋ ∧ \\sqrt[ \\bigl| \\lfloor \\hat{ \\cos2 _{i,j} ~ . ? : && ||
    sum(i,1,3, prod(i,0,2, \\frac{ \\left( \\right) \\cdot \\sin \\alpha _{1} log_2 sin^2 sin^-1 x=2 @x=1 label: nan inf
""",
)
TOKENS = st.sampled_from([*SIGNS, *WORDS, *sorted(spellings())])
SOUP = st.lists(TOKENS, max_size=14).map("".join)
LINE = st.one_of(ANY_TEXT, SOUP, st.sampled_from(["a: x @ x=1", "(x;", "x +", ""]))
ARGUMENTS = [
    "eval", "functions", "--at", "--mode", "--seed", "x", "--format", "json", "-", "--", "-1", "99", "-q", "--show",
]  # fmt: skip


@EVERYTHING
@given(ANY_TEXT)
def test_any_text_as_an_expression_gets_an_answer_or_a_message(text: str) -> None:
    assert harmless(run("eval", "--at", "x=1", "--", text))


@EVERYTHING
@given(SOUP, st.sampled_from(FORMATS), st.sampled_from(("both", "value")))
@example("x1x1^2", "json", "both")
@example("sum(i,1,3,x)@x=inf", "json", "both")
def test_any_words_of_the_language_get_an_answer_or_a_message(text: str, form: str, mode: str) -> None:
    point = "x=0.5,y=-2,x1=1,x2=0,v1=3,i=1,a=2"
    assert harmless(run("eval", "--at", point, "--format", form, "--mode", mode, "--", text))


@EVERYTHING
@given(st.one_of(ANY_TEXT, SOUP))
def test_any_text_as_a_point_or_a_seed_gets_an_answer_or_a_message(text: str) -> None:
    assert harmless(run("eval", "x*y", f"--at={text}", "--at", "y=2"))
    assert harmless(run("eval", "x*y", "--at", "x=1,y=2", f"--seed={text}"))
    assert harmless(run("eval", "x*y", "--at", "x=1,y=2", f"--wrt={text}"))


@EVERYTHING
@given(st.lists(LINE, max_size=6), st.sampled_from(FORMATS))
def test_any_file_of_problems_gets_an_answer_or_a_message_for_each(lines: list[str], form: str) -> None:
    text = "\n".join(lines)
    result = run("eval", "--at", "x=0.5,y=-2,a=1", "--format", form, stdin=text)
    assert harmless(result)
    if form == "ndjson":
        kinds = [json.loads(line)["schema"] for line in result.out.splitlines()]
        assert set(kinds) <= {"trace/1", "error/1"}
        assert max(kinds.count("error/1"), not kinds) == result.err.count("error: ")


@EVERYTHING
@given(st.binary(max_size=60), st.sampled_from(FORMATS))
def test_any_bytes_from_a_pipe_get_an_answer_or_a_message(text: bytes, form: str) -> None:
    assert harmless(run("eval", "--at", "x=1", "--format", form, stdin=text))


@examples(60)
@given(st.lists(st.one_of(ANY_TEXT, st.sampled_from(ARGUMENTS)), max_size=6))
def test_any_command_line_gets_an_answer_or_a_message(argv: list[str]) -> None:
    unsafe = ("-o", "--o", "-f", "--f")  # no files are named here
    result = run(*(word for word in argv if not word.startswith(unsafe)))
    assert result.code in (0, 2, 3)
    assert "Traceback" not in result.err
    assert "adcli has made a mistake" not in result.err
    assert [] == steering(result.err)


@pytest.mark.parametrize(
    "text",
    [
        bytes(range(256)), b"\xff\xfe\x00x\x00+\x00", b"\x00" * 100, b"\xc3\x28 @ x=1", b"x\xf0\x9f",
        b"\x1b]0;title\x07x", b"\r\r\r", b"x" * 10_000, b"\xef\xbb\xbf", b"(\n;\n[\n", b"@" * 100, b":" * 100,
    ],
)  # fmt: skip
def test_bytes_through_a_real_pipe_get_an_answer_or_a_message(text: bytes) -> None:
    assert harmless(process("eval", "--at", "x=1", stdin=text))


# --- large and deep ---------------------------------------------------------------------------------------------------


def answer(text: str, *argv: str) -> tuple[int, float, dict[str, float]]:
    """Exit code, value and gradient."""
    result = run("eval", "--no-trace", "--format", "json", *argv, stdin=text)
    output = json.loads(result.out)["outputs"][0]
    return result.code, output["value"], output["gradient"]


@pytest.mark.parametrize("mode", ["both", "forward"])
def test_a_hundred_thousand_brackets(mode: str) -> None:
    deep = 10**5
    assert (0, 3.0, {"x": 1.0}) == answer("(" * deep + "x" + ")" * deep, "--at", "x=3", "--mode", mode)


@pytest.mark.parametrize(("mode", "many"), [("both", 10**5), ("forward", 2 * 10**4)])
def test_a_sum_of_very_many_terms(mode: str, many: int) -> None:
    assert (0, 3.0 * many, {"x": 1.0 * many}) == answer("+".join(["x"] * many), "--at", "x=3", "--mode", mode)


def test_twenty_thousand_calls_inside_each_other() -> None:
    deep = 2 * 10**4
    value, slope = 0.5, 1.0
    for _ in range(deep):
        slope *= math.cos(value)
        value = math.sin(value)
    code, found, gradient = answer("sin(" * deep + "x" + ")" * deep, "--at", "x=0.5")
    assert (0, value) == (code, found)
    assert slope == pytest.approx(gradient["x"], rel=1e-9, abs=0)


def test_ten_thousand_minus_signs() -> None:
    assert (0, 3.0, {"x": 1.0}) == answer("-" * 10**4 + "x", "--at", "x=3")
    assert (0, -3.0, {"x": -1.0}) == answer("-" * 10001 + "x", "--at", "x=3")


def test_a_thousand_inputs() -> None:
    names = [f"x{k}" for k in range(1, 1001)]
    text = "+".join(f"{name}*{name}" for name in names)
    point = ",".join(f"{name}={k}" for k, name in enumerate(names, 1))
    code, value, gradient = answer(text, "--at", point)
    assert (0, 1000 * 1001 * 2001 / 6) == (code, value)
    assert {name: 2.0 * k for k, name in enumerate(names, 1)} == gradient


@pytest.mark.parametrize(
    ("text", "value", "slope"),
    [
        ("x" + "^1" * 5000, 2.0, 1.0),
        ("|" * 5000 + "x" + "|" * 5000, 2.0, 1.0),
        ("√" * 5000 + "x^0", 1.0, 0.0),
        ("1*" * 20_000 + "x", 2.0, 1.0),
        ("if(x>0," * 3000 + "x" + ",1)" * 3000, 2.0, 1.0),
        ("max(" * 3000 + "x" + ",1)" * 3000, 2.0, 1.0),
        ("".join(f"a{k}=x;" for k in range(5000)) + "x", 2.0, 1.0),
        ("a0=x;" + "".join(f"a{k}=a{k - 1}+a{k - 1};" for k in range(1, 301)) + "a300", 2.0**301, 2.0**300),
        ("f0(x)=x;" + "".join(f"f{k}(x)=f{k - 1}(x)+1;" for k in range(1, 101)) + "f100(x)", 102.0, 1.0),
        ("sum(i,1,100000,x)", 200_000.0, 100_000.0),
        ("sum(i,1,300,sum(j,1,300,x))", 180_000.0, 90_000.0),
        ("x #" + "(" * 10**5, 2.0, 1.0),
        ("{" * 3000 + r"\frac{x}{1}" + "}" * 3000, 2.0, 1.0),
        ("x;" + ";" * 10**5, 2.0, 1.0),
        ("sin^-1(sin(x/4))", 0.5, 0.25),
    ],
    ids=range(15),
)
def test_long_and_deep_programs_have_the_right_answer(text: str, value: float, slope: float) -> None:
    code, found, gradient = answer(text, "--at", "x=2", "--quiet")
    assert (0, value) == (code, found)
    assert slope == pytest.approx(gradient["x"], rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        " " * 10**5 + "x" + "\t" * 10**5, "x @" + " " * 10**5 + "x=2", "x @ x" + " " * 10**5 + "=2",
        "x @ x=" + " " * 10**5 + "2", "x + " + " " * 10**5 + "0", "x @ x=2" + "\u3000" * 10**5,
        "a" + " " * 10**5 + ": x", "x # " + " " * 10**5,
    ],
    ids=range(8),
)  # fmt: skip
def test_blanks_without_end_take_no_time_without_end(text: str) -> None:
    result = process("eval", "--no-trace", "--format", "json", "--at", "x=2", stdin=text)
    assert (0, 2.0) == (result.code, json.loads(result.out)["outputs"][0]["value"])


@pytest.mark.parametrize(
    "text",
    ["1" * 10**5 + "z", "1" * 10**5 + ".1e", "x" * 10**5 + "'" * 10**5, "(" * 10**5, "," * 10**5],
    ids=range(5),
)
def test_a_point_that_cannot_be_read_takes_no_time_without_end(text: str) -> None:
    for written in (f"x @ x={text}", f"x @ {text}"):
        result = process("eval", stdin=written)
        assert (2, "") == result[:2]
        assert harmless(result)


EXPONENTIAL = [  # sums in sums are among the samples of broken files
    "sum(i,1,10^15,i)",
    "sum(i,-10^15,10^15,x)",
    "prod(i,1,10^9,x)",
    "; ".join(["f0(x)=x*x", *(f"f{k}(x)=f{k - 1}(f{k - 1}(x))" for k in range(1, 60)), "f59(x)"]),
    "; ".join(["f0(x)=sum(i,1,10,x)", *(f"f{k}(x)=sum(i,1,10,f{k - 1}(x))" for k in range(1, 60)), "f59(x)"]),
]


@pytest.mark.slow
@pytest.mark.parametrize("text", EXPONENTIAL, ids=range(len(EXPONENTIAL)))
def test_a_short_text_that_grows_without_end_is_a_clear_error(text: str) -> None:
    result = run("eval", text, "--at", "x=1")
    assert (2, "") == result[:2]
    assert harmless(result)
    assert "too large" in result.err or "too deeply" in result.err


@pytest.mark.parametrize(
    "text", ["f(x)=f(x); f(1)", "f(x)=g(x); g(x)=f(x); f(1)", "f(x)=x*f(x-1); f(3)", "a=a; a", "a=b; b=a; a"]
)
def test_what_defines_itself_is_a_clear_error(text: str) -> None:
    result = run("eval", text, "--at", "x=1")
    assert (2, "") == result[:2]
    assert harmless(result)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["(;", "a = [(x +", "((x) @ x=1"])
def test_hundreds_of_lines_with_an_open_bracket_each_get_their_own_error(line: str) -> None:
    result = run("eval", "--format", "ndjson", stdin=f"{line}\n" * 600)
    assert 2 == result.code
    assert list(range(1, 601)) == [json.loads(record)["line"] for record in result.out.splitlines()]


@pytest.mark.slow
def test_many_problems_of_which_each_is_wrong_are_all_told() -> None:
    result = run("eval", "--format", "ndjson", stdin="x +\n1/0\n" * 600)
    assert 3 == result.code
    assert 1200 == len(result.out.splitlines()) == result.err.count("error: ")


# --- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1e400", "-1e400", "1e" + "9" * 400, "9" * 400, "1" * 5000, "x^" + "9" * 5000, "log_" + "9" * 5000 + "(x)",
        "x" + "⁹" * 5000, "sin^" + "9" * 5000 + "(x)", "sum(i,1," + "9" * 5000 + ",x)",
    ],
)  # fmt: skip
def test_a_number_beyond_the_doubles_is_a_clear_error(text: str) -> None:
    for result in (run("eval", text, "--at", "x=1"), run("eval", "x", "--at", f"x={text.replace('x', '2')}")):
        assert (2, "") == result[:2]
        assert harmless(result)
        assert max(len(line) for line in result.err.splitlines()) <= LONGEST_LINE


@pytest.mark.parametrize("name", ["x" + "1" * 5000, "x_" + "1" * 5000, "x" * 5000])
def test_a_long_name_is_a_name(name: str) -> None:
    assert (0, 3.0, {name: 1.0, "x2": 1.0}) == answer(f"{name}+x2", "--at", f"{name}=1,x2=2")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10^10^10", "Infinity"),
        ("-10^10^10", "-Infinity"),
        ("2^3000*x", "Infinity"),
        ("exp(exp(exp(9)))", "Infinity"),
        ("1000!", "Infinity"),
        ("prod(i,1,1000,i)", "Infinity"),
        ("1e-400", 0.0),
        ("9" * 300, float("9" * 300)),
        ("0." + "1" * 5000, 1 / 9),
        ("0" * 5000 + "1", 1.0),
        ("1" + "0" * 308, 1e308),
        ("1." + "0" * 5000, 1.0),
        ("1e-" + "9" * 50, 0.0),
        ("1e0" + "0" * 5000, 1.0),
        ("123456789012345678901234567890", 123456789012345678901234567890.0),
        ("1/10^308/10^10*10^10", 1 / 10.0**308 / 1e10 * 1e10),
    ],
    ids=range(16),
)
def test_huge_and_tiny_numbers_count_as_doubles(text: str, value: float | str) -> None:
    result = run("eval", f"{text} + 0*x", "--at", "x=1", "--format", "json", "--no-trace")
    plain = run("eval", f"{text} + 0*x", "--at", "x=1", "--style", "paper")
    assert (0, value) == (result.code, json.loads(result.out)["outputs"][0]["value"])
    assert harmless(result)
    assert harmless(plain)
    assert max((len(line) for line in plain.err.splitlines()), default=0) <= LONGEST_LINE


EXTREMES = ["1e308", "-1e308", "5e-324", "1e-308", "0", "-0", "1e15", "1e16", "inf", "-inf", "nan"]


@pytest.mark.parametrize("value", EXTREMES)
@together("text", ["x*x/x", "x^3", "exp(x)", "x-x", "sin(x)", "x!", "gamma(x)", "sum(i,1,3,x^i)", "x%3", "|x|"])
def test_every_extreme_input_has_an_answer_or_a_message(text: str, value: str) -> None:
    for form in ("table", "json", "csv"):
        assert harmless(run("eval", text, "--at", f"x={value}", "--format", form))


# --- text that steers, hides or calculates ----------------------------------------------------------------------------

NASTY = [
    "\x1b[31mred\x1b[0m", "\x1bc", "\x1b]0;title\x07", "\x1b]8;;http://a\x1b", "\x9b31m", "\x07\x08\x7f", "a\x00b",
    "\x0c\x0b",
    "ab\u202ecd", "\u2066a\u2069", "a\u200bb", "a\u200db", "\u2028a\u2029", "\ufeffa", "\u061ca", "\U000e0041a",
    "a\rb", "a\x85b",
]  # fmt: skip


@pytest.mark.parametrize("nasty", NASTY)
@together("form", FORMATS)
def test_nothing_in_a_label_reaches_the_output_raw(nasty: str, form: str) -> None:
    texts = (f"{nasty}: x @ x=1", f"{nasty}: log(x) @ x=0", f"{nasty}: x +* @ x=1", f"{nasty}: abs(x) @ x=0", "x @ x=1")
    for argv in ((), ("--no-trace",), ("--ascii",)):
        assert harmless(run("eval", "--format", form, *argv, stdin="\n".join(texts)))


@pytest.mark.parametrize("nasty", NASTY)
def test_nothing_in_an_argument_reaches_the_output_raw(nasty: str, tmp_path: Path) -> None:
    clean = nasty.replace("\x00", "")
    for argv in (
        (f"x {clean}",), (f"x # {clean}", "--at", "x=0"), (f"1/x # {clean}", "--at", "x=0"), ("x", f"--at=x=1{clean}"),
        ("x", f"--at={clean}=1"), ("x", "--at", "x=1", f"--wrt={clean}"), ("x", "--at", "x=1", f"--seed={clean}=1"),
        (f"--{clean}",), ("x", f"--mode={clean}"), ("x", f"--places={clean}"), ("--file", f"{tmp_path}/{clean}"),
        ("x @ x=1", "-o", f"{tmp_path}/{clean}/a.csv"), ("x @ x=1", "-o", f"{tmp_path}/a.{clean}"), ("x", clean),
    ):  # fmt: skip
        for form in ("json", "plain"):
            assert harmless(run("eval", "--format", form, *argv) if "-o" not in argv else run("eval", *argv))
    assert [] == steering(run(clean).err)
    assert [] == steering(run("functions", clean).err)


@pytest.mark.parametrize("nasty", NASTY)
def test_the_name_of_a_file_reaches_no_message_raw(nasty: str, tmp_path: Path) -> None:
    file = tmp_path / nasty.replace("\x00", "").replace("/", "")
    file.write_text("x +\nabs(x) @ x=0\nlog(x) @ x=0\n", encoding="utf-8")
    for form in FORMATS:
        result = run("eval", "--file", str(file), "--format", form)
        assert 3 == result.code
        assert harmless(result)


def test_control_characters_in_a_label_are_made_visible() -> None:
    table = run("eval", "a\x1bc\u202eb: x @ x=1").out
    assert "a\ufffdc\ufffdb: x" in table
    message = run("eval", "a\x1bc\u202eb: x +* @ x=1").err
    assert "1 | a\ufffdc\ufffdb: x +* @ x=1" in message
    assert message.splitlines()[2].index("*") == message.splitlines()[3].index("^")


def test_json_keeps_the_label_that_it_makes_visible() -> None:
    for form in ("json", "ndjson"):
        result = run("eval", "a\x1bc\u202eb\x9b: x @ x=1", "--format", form)
        assert "a\x1bc\u202eb\x9b" == json.loads(result.out)["label"]


MARKUP = ["[red]x[/red]", "[bold]", "[/]", "[link=http://a]b", ":smile:", "\\[red]", "<b>&amp;</b>", "%s{0}"]


@pytest.mark.parametrize("label", MARKUP)
def test_markup_is_only_text(label: str) -> None:
    for text in (f"{label} @ x=1", f"{label}: x @ x=1", f"x # {label}", f"x {label}"):
        result = run("eval", text, "--at", "x=1", "--color", "always")
        assert result.code in (0, 2)
        assert "😄" not in result.out + result.err
    result = run("eval", "[red]x", "--at", "x=1")
    assert 2 == result.code
    assert "1 | [red]x" in result.err


FORMULAS = ["=cmd", "=1+1", "+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", " =1", "-cmd", "-cmd|' /C calc'!A0", "＝1", "−1"]


@pytest.mark.parametrize("label", FORMULAS)
def test_a_label_never_becomes_a_formula_of_a_spreadsheet(label: str) -> None:
    for flags in ((), ("--no-trace",)):
        result = run("eval", "--format", "csv", *flags, stdin=f"{label}: x @ x=1\n")
        assert harmless(result)
        cells = [cell for row in csv.reader(io.StringIO(result.out)) for cell in row]
        assert [] == [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]


# --- long texts -------------------------------------------------------------------------------------------------------

LONG, MANY = 10**5, usually(4000, thoroughly=10_000)


@pytest.mark.parametrize(
    "text",
    [
        "x" * MANY, "x+" * MANY, "(" * MANY, ")" * MANY, "|" * (MANY + 1), "x1" * MANY, "1 " * MANY,
        "2" + "x 2" * MANY, "foo(" * MANY, "x=" * MANY, "," * MANY, "$" * MANY, "'" * MANY, "\\" * MANY, "!" * MANY,
        "x" + "!" * MANY, "not " * MANY, "x<" * MANY, "sin " * MANY, "L" * MANY + ": x +", "x + # " + "c" * MANY,
        "x+y" + " " * MANY + "*+", "abc" * MANY + "(x)", "f(x)=x;" * MANY, "log(" + "x-" * MANY + "x)",
        "1/(" + "y*" * MANY + "0)", "é" * MANY + "+", "日" * MANY + "+",
    ],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_what_is_quoted_of_a_long_text_is_cut(text: str) -> None:
    result = run("eval", stdin=f"{text} @ x=1, y=2\n")
    assert result.code in (2, 3)
    assert harmless(result)
    assert max(len(line) for line in result.err.splitlines()) <= LONGEST_LINE


@pytest.mark.parametrize(
    "argv",
    [
        ("x", "--at", "x=1", "--wrt", "z" * LONG), ("x", "--at", "x=1", "--seed", "z" * LONG + "=1"),
        ("x", "--" + "z" * LONG), ("x", "--at", "z" * LONG), ("x", "--at", "x=1", "--mode", "z" * LONG),
        ("--file", "z" * LONG), ("x", "z" * LONG), ("x", "--at", "x=" + "z" * LONG),
        ("x", "--at", "x=1", "-o", "z" * LONG), ("x", "--at", "x=1", "-o", "z" * LONG + ".csv"),
        ("x", "--at", "x=1," * LONG), ("x", "--at", "x=1", "--places", "9" * LONG),
    ],
    ids=range(12),
)  # fmt: skip
def test_what_is_quoted_of_a_long_argument_is_cut(argv: tuple[str, ...]) -> None:
    result = run("eval", *argv)
    assert (2, "") == result[:2]
    assert harmless(result)
    assert max(len(line) for line in result.err.splitlines()) <= LONGEST_LINE


def test_a_note_about_a_long_text_is_cut() -> None:
    unused = "a" * 1000
    for text in ("9" * 300, "10^" * 100 + "10", f"1/{'2' * 300}x", f"x; {unused}=x; x", "prod(i,1,1000,i)"):
        result = run("eval", text, "--at", "x=1")
        assert 0 == result.code
        assert "note: " in result.err
        assert max(len(line) for line in result.err.splitlines()) <= LONGEST_LINE


def test_the_caret_stays_under_its_place_in_a_line_that_is_cut() -> None:
    for before, after in ((500, 0), (0, 500), (500, 500), (79, 100), (81, 100), (158, 5), (162, 0)):
        text = "x+" * (before // 2) + "$" + "+x" * (after // 2)
        lines = run("eval", text, "--at", "x=1").err.splitlines()
        assert lines[2][lines[3].index("^")] == "$"


@pytest.mark.parametrize("form", FORMATS)
def test_a_label_of_a_hundred_thousand_characters_is_kept_whole(form: str) -> None:
    label = "L" * LONG
    result = run("eval", "--no-trace", "--format", form, stdin=f"{label}: x @ x=1\n")
    assert 0 == result.code
    assert 1 == result.out.count(label)


def test_a_column_far_to_the_right_is_counted_right() -> None:
    result = run("eval", "--format", "json", stdin="L" * LONG + ": x +* 2\n")
    error = json.loads(result.out)
    assert (1, LONG + 6) == (error["line"], error["column"])


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_that_does_not_exist_is_named() -> None:
    result = run("eval", "--file", "no/such/file.txt")
    assert (2, "") == result[:2]
    assert result.err.startswith("error: cannot read no/such/file.txt\n")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    result = run("eval", "--file", str(tmp_path))
    assert (2, "") == result[:2]
    assert f"{tmp_path} is a folder" in result.err


@pytest.mark.parametrize("path", ["", "/dev/null/x", "é\udcff/", "."])
def test_what_cannot_be_a_file_is_an_error(path: str) -> None:
    for argv in (("--file", path), ("x @ x=1", "--format", "csv", "-o", path)):
        result = run("eval", *argv)
        assert (2, "") == result[:2]
        assert harmless(result)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-32", "cp1252"])
def test_a_file_in_another_encoding_has_its_lines_told(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "problems.txt"
    file.write_bytes("2*é @ é=1\n".encode(encoding))
    result = run("eval", "--file", str(file))
    assert (2, "") == result[:2]
    assert harmless(result)
    assert f"{file}:1:" in result.err


def test_one_line_that_is_no_text_does_not_spoil_the_others(tmp_path: Path) -> None:
    file = tmp_path / "problems.txt"
    file.write_bytes(b"x @ x=1\n2*\xe9 @ x=1\nx @ x=2\n")
    records = [json.loads(line) for line in run("eval", "--file", str(file), "--format", "ndjson").out.splitlines()]
    assert ["trace/1", "error/1", "trace/1"] == [record["schema"] for record in records]
    assert (2, 3) == (records[1]["line"], records[1]["column"])


def test_an_endless_device_is_no_file_of_problems() -> None:
    result = run("eval", "--file", "/dev/null")
    assert (2, "") == result[:2]
    assert harmless(result)
