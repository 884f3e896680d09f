"""Formulas as answers: what is right in any notation is right, what is not is found where it goes wrong."""

# ruff: noqa: E501, S311 - tables of answers are read line by line
from __future__ import annotations

import ast
import json
import random
import re
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from derived_answers import NOT_RIGHT, RIGHT, SCALED, WRONG
from running import run
from together import together

import adcli
from adcli.classroom.key import read_key, write_key
from adcli.errors import AdcliError, Source
from adcli.graph.graph import Graph
from adcli.language.program import read_program
from adcli.marking.assessing import assess
from adcli.marking.derivations.proofs import prove_equal
from adcli.marking.disclosure import redact
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of


def marked(problem: str, answer: str, wrt: str = "", order: int = 1) -> Marking:
    task = task_of(problem, wrt=tuple(name for name in wrt.split(",") if name), order=order, formulas=True)
    (marking,) = assess(answer.encode(), "answer.txt", [task], Rules())
    return marking


@together(("problem", "wrt", "order", "answer"), RIGHT)
def test_a_right_formula_is_right_in_any_notation(problem: str, wrt: str, order: int, answer: str) -> None:
    marking = marked(problem, answer, wrt, order)
    assert ("right", marking.possible) == (marking.verdict, marking.earned)


def test_answers_to_questions_of_stack_are_marked_as_their_own_tests_say() -> None:
    """Questions, answers and scores in `cases/stack_questions.jsonl` are those of STACK's sample questions."""
    questions = map(json.loads, (Path(__file__).with_name("cases") / "stack_questions.jsonl").read_text().splitlines())
    for question in questions:
        variable = question["v"]
        marking = marked(question["f"], f"f'({variable}) = {question['ans']}", variable)
        assert (question["score"] == 1) == (marking.verdict == "right"), question


@pytest.mark.parametrize(("problem", "order", "answer"), NOT_RIGHT)
def test_what_is_not_the_derivative_is_not_called_right(problem: str, order: int, answer: str) -> None:
    marking = marked(problem, answer, "", order)
    assert marking.verdict != "right" and marking.earned < marking.possible


@pytest.mark.parametrize(("problem", "wrt", "order", "answer", "earned", "line", "slip", "verdicts"), WRONG)
def test_what_is_wrong_is_found_where_it_goes_wrong(
    problem: str,
    wrt: str,
    order: int,
    answer: str,
    earned: str,
    line: int | None,
    slip: str | None,
    verdicts: list[str],
) -> None:
    marking = marked(problem, answer, wrt, order)
    assert verdicts == [mark.verdict for mark in marking.marks]
    assert marking.first is not None
    first = marking.marks[marking.first]
    crossed = {"error", "formula"} & set(verdicts)
    assert ("wrong" if crossed else "incomplete") == marking.verdict
    assert (earned, line) == (str(marking.earned), first.line)
    if slip is not None:
        assert slip == "|".join(first.slips)


# --- the total and the words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["f_x = 2xy\nf_y = x^2", "f_x = 2xy", "f_y = 7\nf_y = 8", "u = x^2", "f = 3"])
def test_what_an_answer_can_earn_does_not_depend_on_it(answer: str) -> None:
    assert marked("x^2*y", answer).possible == 4


def test_the_latest_derivation_of_a_quantity_stands() -> None:
    marking = marked("sin(x^2)", "f'(x) = x cos(x^2)\nEDIT: f'(x) = 2x cos(x^2)")
    assert ["superseded", "correct"] == [mark.verdict for mark in marking.marks]
    assert "right" == marking.verdict


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        ("x^2", "f'(x) = 2x + 10^30 (erf(x) - erf(x + 10^-60))"),
        ("x + 1e-30*sin(x)", "f'(x) = 1"),  # no double shows what is missing
        ("(1 + 1e-17)*x", "f'(x) = 1"),
        ("exp(1e29*x)", "f'(x) = 1e29*exp((1e29 + 1)*x)"),
    ],
)
def test_what_cannot_be_decided_is_neither_right_nor_wrong(problem: str, answer: str) -> None:
    assert "not_gradable" == marked(problem, answer).verdict


@pytest.mark.parametrize(("problem", "wrt", "right", "wrong"), SCALED)
def test_formulas_are_compared_where_they_have_values(
    problem: str, wrt: str, right: list[str], wrong: list[str]
) -> None:
    verdicts = [marked(problem, f"dy/d{wrt} = {answer}", wrt).verdict for answer in (*right, *wrong)]
    assert ["right"] * len(right) + ["wrong"] * len(wrong) == verdicts


@pytest.mark.parametrize("seed", range(12))
def test_a_constant_of_any_size_that_is_forgotten_is_missed(seed: int) -> None:
    source = random.Random(seed)
    c, d = (f"{source.uniform(1, 9):.3f}e{source.randint(-30, 30)}" for _ in range(2))
    outer, slope = source.choice(
        [("exp({})", "exp({})"), ("sin({})", "cos({})"), ("atan({})", "1/(1+({})^2)"), ("erf({})", "2/sqrt(pi)*exp(-({})^2)"),
         ("log(1+{})", "1/(1+{})"), ("({})^7", "7*({})^6"), ("sqrt(1+({})^2)", "{0}/sqrt(1+({0})^2)")]
    )  # fmt: skip
    inner = source.choice([f"{c}*x", f"x/{c}"])
    factor = c if inner.endswith("x") else f"1/{c}"
    problem = f"{d}*{outer.format(inner)}"
    slopes = slope.format(inner)
    assert "right" == marked(problem, f"f'(x) = {d}*({factor})*{slopes}").verdict
    for wrong in (f"{d}*{slopes}", f"({factor})*{slopes}", f"{d}*({factor})*{slope.format('x')}", f"{d}*({factor})"):
        assert "wrong" == marked(problem, f"f'(x) = {wrong}").verdict, (problem, wrong)


def test_the_derivative_of_a_constant_is_0() -> None:
    for problem, answer in ("15^2", "f' = 0"), ("7", "f'(t) = 0"), ("e^2", r"\frac{dy}{dz} = 0"), ("15^2", "y = 225"):
        assert ("right", 2) == (marked(problem, answer).verdict, marked(problem, answer).earned)
    assert "right" == marked("-7", "f' = 0", "y").verdict
    for answer in "f' = 30", "y = 226":
        assert ("wrong", 0) == (marked("15^2", answer).verdict, marked("15^2", answer).earned)


@pytest.mark.parametrize("second", ["  = x*e^x*(2 - x)", "f' = x*e^x*(2 - x)"])
def test_a_right_first_line_keeps_marks_if_the_second_slips(second: str) -> None:
    marking = marked("x^2*exp(x)", f"f' = 2x*e^x + x^2*e^x\n{second}")
    assert (["correct", "error"], 1) == ([mark.verdict for mark in marking.marks], marking.earned)


@pytest.mark.parametrize(
    ("problem", "answer"),
    [("cbrt(x)", "1/3 x^(-2/3)"), ("x^2", "2 e^(ln x)"), ("log(x^2)", "2/x"), ("x^3", "3 sqrt(x)^4")],
)
def test_a_formula_with_a_smaller_domain_is_not_wrong(problem: str, answer: str) -> None:
    assert "right" == marked(problem, answer).verdict


def test_decimal_numbers_are_taken_for_rounded_ones() -> None:
    assert ["rounding"] == [mark.verdict for mark in marked("cbrt(x)", "0.333 x^(-0.667)").marks]
    assert ["error"] == [mark.verdict for mark in marked("cbrt(x)", "0.3 x^(-0.6)").marks]


def test_no_formula_is_seen_below_its_level() -> None:
    marking = marked("sin(x^2)", "f'(x) = x cos(x^2)")
    for level in range(6):
        data = json.dumps(
            [dict(zip(mark._fields, mark, strict=True)) for mark in redact(marking, level).marks], default=str
        )
        assert ("2*x*cos(x^2)" in data) == (level >= 4)


# --- nothing for nothing ------------------------------------------------------------------------------------------------

CIRCLES = [
    "u = f'\nf' = u", "g(x) = f'(x)\nf'(x) = g(x)", "u = (sin(x^2))'\nf' = u", "u = f'\nv = u\nf' = v", "f'(x) = u\nu = f'(x)",
    "g = d/dx sin(x^2)\ndy/dx = g", "f' = (sin(x^2))'\nf' = f'", "u = x^2\nu' = u'\nf' = cos(u) u'", "u = x^2\nu' = (x^2)'\nf' = cos(u) u'",
    "u = sin(x^2)\nv = u\nu' = v'\nv' = u'\nf' = u'", "(x^2)' = (x^2)'\nf' = cos(x^2) (x^2)'", "u = f'\nf' = u = 0", "f' = f' + 0x = x cos(x^2)",
]  # fmt: skip


@pytest.mark.parametrize("answer", CIRCLES)
def test_a_derivative_that_is_only_given_another_name_is_not_worked_out(answer: str) -> None:
    verdict, earned = _outcome("sin(x^2)", answer)
    assert (True, 0) == (verdict in ("incomplete", "wrong"), earned)


def _outcome(problem: str, answer: str) -> tuple[str, Fraction]:
    marking = marked(problem, answer)
    return marking.verdict, marking.earned


@pytest.mark.parametrize(
    "answer",
    ["u = x^2\nu' = 2x\nf' = cos(u) u'", "f' = cos(x^2) (x^2)'\n(x^2)' = 2x", "u = f' = 2x cos(x^2)\nf' = u",
     "u = sin(x^2)\nu' = cos(v) v'\nv = x^2\nv' = 2x\nf' = u'", "h(t) = cos(t^2) 2t\nf'(x) = h(x)"],
)  # fmt: skip
def test_a_derivative_of_which_the_parts_are_worked_out_is_worked_out(answer: str) -> None:
    assert ("right", Fraction(2)) == _outcome("sin(x^2)", answer)


@pytest.mark.parametrize("end", ["0", "7", "x", "pi"])
@pytest.mark.parametrize("start", ["cos(x^2) (x^2)'", "cos(x^2) * 2x"])
def test_a_right_start_earns_nothing_where_the_result_keeps_nothing_of_it(start: str, end: str) -> None:
    assert ("wrong", Fraction(0)) == _outcome("sin(x^2)", f"f'(x) = {start} = {end}")


def test_inputs_with_numbers_are_one_name() -> None:
    marking = marked("3*(x2/x1 + x2)", "dy/dx1 = 3*x2/x1^2\ndy/dx2 = 3*(1/x1 + 1)")
    assert ["error", "correct"] == [mark.verdict for mark in marking.marks]
    assert marking.marks[0].slips == ("quotient_sign",)


# --- on the command line ------------------------------------------------------------------------------------------------


def test_the_command_marks_formulas_in_every_format(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("f'(x) = cos(x^2) * (x^2)'\n= cos(x^2) * x\n")
    for form in ("plain", "markdown", "latex", "html"):
        found = run("check", str(answer), "--problem", "sin(x^2)", "--format", form)
        assert (1, "") == (found.code, found.err)
        assert "1 of 2" in found.out
    found = json.loads(run("check", str(answer), "--problem", "sin(x^2)", "--format", "json").out)
    assert {"line": 2, "row": "dy/dx"} == found["first_error"]
    assert {"earned": "1", "possible": "2", "earned_without_carry": "0"} == found["score"]
    assert ["dy/dx"] == [quantity["quantity"] for quantity in found["quantities"]]
    assert ["correct", "error"] == [row["verdict"] for row in found["rows"]]
    assert ["factor_forgotten", "final", "wrong", "absent"] == [
        found["rows"][1][name] for name in ("slip", "kind", "formula", "number")
    ]


def test_how_formulas_are_read_is_shown_before_anybody_judges(tmp_path: Path) -> None:
    answer = tmp_path / "a.txt"
    answer.write_text("Name: Bob\nLet u = x^2\nf'(x) = cos(u) u'\n  = 3x cos(x^2)\n", encoding="utf-8")
    read = run("check", str(answer), "--problem", "sin(x^2)", "--as-read")
    assert (0, "") == (read.code, read.err)
    assert (
        """\
sin(x^2)

   2 | Let u = x^2       | u    , formula x^2
   3 | f'(x) = cos(u) u' | dy/dx, formula cos(u) u'
   4 | = 3x cos(x^2)     | dy/dx, formula 3x cos(x^2)
line 1 is left out: no formula that the problem requires was recognised in it: Name: Bob
"""
        == read.out
    )


def test_order_and_inputs_are_asked_for_on_the_command_line(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("f_xy = 6xy^2\n")
    assert 0 == run("check", str(answer), "--problem", "x^2*y^3", "--wrt", "x,y", "--order", "2").code
    assert 1 == run("check", str(answer), "--problem", "x^2*y^3", "--order", "2").code
    assert 2 == run("check", str(answer), "--problem", "x^2*y^3", "--wrt", "z").code
    found = run("check", str(answer), "--problem", "x^2*y^3 @ x=1,y=2", "--order", "2")
    assert (1, True) == (found.code, "the formula of f_xy is right, its number is missing" in found.out)


KEY = """title = "Formulas"
[[problem]]
label = "1"
text = "sin(x^2)"
[[problem]]
label = "2"
text = "x^2*y"
weights = {"df/dx" = 3}
[[problem]]
label = "3"
text = "x^3*exp(x)"
order = 2
points = 5
[[problem]]
label = "4"
text = "x1*x2 @ x1=2, x2=5"
mode = "forward"
"""
ANSWER = """# Problem 1
f'(x) = 2x cos(x^2)

# Problem 2
f_x = 2xy
f_y = x

# Problem 3
f' = 3x^2 e^x + x^3 e^x
f'' = (6x + 6x^2 + x^3) e^x

# Problem 4
y = x1 x2 = 10
dy/dx1 = 5
dy/dx2 = 2
"""


def test_keys_ask_for_formulas_beside_numbers() -> None:
    key = read_key(KEY)
    assert key == read_key(write_key(key))._replace(tasks=key.tasks)
    found = assess(ANSWER.encode(), "answer.md", key.tasks, key.rules)
    assert ["right", "wrong", "right", "right"] == [marking.verdict for marking in found]
    assert ["2", "3", "5"] == [str(marking.earned) for marking in found[:3]]
    assert ["2", "5", "5"] == [str(marking.possible) for marking in found[:3]]


def test_answers_without_headings_go_to_the_problems_that_they_solve() -> None:
    key = read_key('[[problem]]\ntext = "sin(x^2)"\n[[problem]]\ntext = "x^2*exp(x)"\n')
    text = b"f'(x) = (2x + x^2) e^x\n\ng'(x) = 2x cos(x^2)\n"
    assert ["right", "right"] == [marking.verdict for marking in assess(text, "a.txt", key.tasks, key.rules)]


def test_an_order_with_a_point_is_asked_for_without_a_mode() -> None:
    with pytest.raises(AdcliError) as caught:
        read_key('[[problem]]\ntext = "x^2 @ x=1"\nmode = "forward"\norder = 2\n')
    assert "--mode forward asks for first derivatives" == caught.value.title


# --- proofs -------------------------------------------------------------------------------------------------------------

SAME = [
    ("1/cos(x)^2", "1 + tan(x)^2"), ("sec(x)^2", "1 + tan(x)^2"), ("sin(2x)", "2 sin(x) cos(x)"), ("x/sqrt(x^2+1)", "x*sqrt(x^2+1)/(x^2+1)"),
    ("x/(x+1)", "1 - 1/(x+1)"), ("x^x*(log(x)+1)", "x^x*log(x) + x*x^(x-1)"), ("2^x*log(2)", "exp(x*log(2))*log(2)"),
    ("x^(-1/2)/2", "1/(2sqrt(x))"), ("cos(2x)", "cos(x)^2 - sin(x)^2"), ("exp(x+y)", "exp(x)*exp(y)"), ("sqrt(4x)", "2sqrt(x)"),
    ("sin(x+y)", "sin(x)cos(y) + cos(x)sin(y)"), ("tanh(x)", "(exp(2x)-1)/(exp(2x)+1)"), ("1/sqrt(1-x^2)", "sqrt(1-x^2)/(1-x^2)"),
    ("log10(x)", "log(x)/log(10)"), ("exp(2log(x))", "x^2"), ("(x+1)^3", "x^3 + 3x^2 + 3x + 1"), ("1/(x log(x))", "1/log(x)/x"),
    ("sech(x)^2", "1 - tanh(x)^2"), ("sqrt(2x+2)", "sqrt(2)*sqrt(x+1)"), ("cot(x)", "cos(x)/sin(x)"),
    ("x + (x - x)^2", "x"), ("x*(y - y)^0", "x"), ("(x + y)^0*x", "x"), ("(2x - 1)^2/4", "x^2 - x + 1/4"),
    ("sqrt(x)*y", "y*x/sqrt(x)"),
]  # fmt: skip
DIFFERENT = [
    ("sqrt(x^2)", "x"), ("x", "x + 10^-30"), ("sin(x)", "cos(x)"), ("log(x^2)", "log(x)^2"), ("(x^2)^(1/2)", "x"), ("abs(x)", "x"),
    ("x^2^x", "x^(x^2)"), ("(x*y)^(1/2)", "-(x*y)^(1/2)"), ("exp(x)", "exp(x) + exp(-x)"), ("tan(x)", "sin(x)"), ("1/x", "1/x^2"),
    ("1/(x - x)", "0"), ("sqrt(x)*y", "y"),
]  # fmt: skip


def both(one: str, other: str) -> tuple[Graph, int, int]:
    graph = read_program(Source(f"{one}; {other}"), ("x", "y")).graph
    (_, mine), (_, theirs) = graph.outputs
    return graph, mine, theirs


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_is_the_same_function_is_proved(one: str, other: str) -> None:
    assert prove_equal(*both(one, other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_nothing_false_is_proved(one: str, other: str) -> None:
    assert not prove_equal(*both(one, other))


# --- drawn at random ----------------------------------------------------------------------------------------------------

OUTER = {
    "sin": "cos{0}", "cos": "-sin{0}", "tan": "1/cos{0}^2", "exp": "exp{0}", "log": "1/{0}", "sqrt": "1/(2*sqrt{0})",
    "atan": "1/(1+{0}^2)", "sinh": "cosh{0}", "cosh": "sinh{0}", "tanh": "1/cosh{0}^2",
}  # fmt: skip


def drawn(source: random.Random, depth: int) -> str:
    if depth == 0:
        return source.choice(["x", "x", str(source.randint(1, 9))])
    kind = source.random()
    if kind < 0.35:
        return f"{source.choice(list(OUTER))}({drawn(source, depth - 1)})"
    if kind < 0.5:
        return f"({drawn(source, depth - 1)})^{source.randint(2, 4)}"
    return f"({drawn(source, depth - 1)}){source.choice('+-**/')}({drawn(source, depth - 1)})"


def by_the_book(node: ast.expr) -> str:
    """The derivative by the rules of a textbook, written without the program's own."""

    def text(part: ast.expr) -> str:
        return f"({ast.unparse(part).replace('**', '^')})"

    if isinstance(node, ast.Constant):
        return "0"
    if isinstance(node, ast.Name):
        return "1"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        (inner,) = node.args
        return f"({OUTER[node.func.id].format(text(inner))})*({by_the_book(inner)})"
    assert isinstance(node, ast.BinOp)
    a, b, da = text(node.left), text(node.right), by_the_book(node.left)
    if isinstance(node.op, ast.Pow):
        assert isinstance(node.right, ast.Constant)
        power = int(str(node.right.value))
        return f"{power}*{a}^{power - 1}*({da})"
    db = by_the_book(node.right)
    if isinstance(node.op, ast.Add | ast.Sub):
        return f"({da}){'+' if isinstance(node.op, ast.Add) else '-'}({db})"
    return f"({da})*{b}+{a}*({db})" if isinstance(node.op, ast.Mult) else f"(({da})*{b}-{a}*({db}))/{b}^2"


def value(text: str, x: mpmath.mpf) -> mpmath.mpf:
    """The value of a formula, by a small evaluator over a parsed tree."""

    def of(node: ast.expr) -> mpmath.mpf:
        if isinstance(node, ast.Constant):
            return mpmath.mpf(int(str(node.value)))
        if isinstance(node, ast.Name):
            return x
        if isinstance(node, ast.UnaryOp):
            return -of(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return getattr(mpmath, node.func.id)(of(node.args[0]))
        assert isinstance(node, ast.BinOp)
        a, b = of(node.left), of(node.right)
        return {
            ast.Add: a.__add__,
            ast.Sub: a.__sub__,
            ast.Mult: a.__mul__,
            ast.Div: a.__truediv__,
            ast.Pow: a.__pow__,
        }[type(node.op)](b)

    return of(ast.parse(text.replace("^", "**"), mode="eval").body)


def differs(function: str, formula: str, source: random.Random) -> bool | None:
    """Whether a formula is not the derivative, by differences; None where too few points tell."""
    seen = 0
    for _ in range(40):
        x = mpmath.mpf(source.uniform(-3, 3))
        try:
            slope, found = mpmath.diff(lambda t: value(function, t), x), value(formula, x)
            if any(mpmath.im(z) for z in (slope, found, value(function, x))):
                continue
        except (ZeroDivisionError, OverflowError, ValueError):
            continue
        seen += 1
        if abs(slope - found) > mpmath.mpf("1e-6") * (1 + abs(slope)):
            return True
        if seen == 5:
            return False
    return None


def mutated(formula: str, source: random.Random) -> str:
    """The formula with one operator, number or function exchanged."""
    pieces = re.findall(r"[a-z]+|\d+|\S", formula)
    place = source.choice([k for k, piece in enumerate(pieces) if piece in OUTER or piece in "+-*" or piece.isdigit()])
    piece = pieces[place]
    if piece in OUTER:
        pieces[place] = source.choice([name for name in OUTER if name != piece])
    elif piece.isdigit():
        pieces[place] = str(int(piece) + source.choice((1, 2)))
    else:
        pieces[place] = "-" if piece == "+" else "+"
    return "".join(pieces)


@pytest.mark.parametrize("seed", range(40))
def test_derivatives_in_any_form_are_right_and_edited_ones_are_not(seed: int) -> None:
    source = random.Random(seed)
    function = drawn(source, source.choice((1, 2, 2, 3)))
    if "x" not in function.replace("exp", ""):
        return
    book = by_the_book(ast.parse(function.replace("^", "**"), mode="eval").body)
    forms = [book, adcli.parse(function, ["x"]).derivative("x").text, book.replace("*(", " ("), book.replace("*", "·")]
    verdicts = {marked(function, f"f'(x) = {form}").verdict for form in forms if ";" not in form}
    assert verdicts <= {"right"} or verdicts == {"not_gradable"}
    edited = mutated(book, source)
    if verdicts == {"right"} and differs(function, edited, source):
        assert "wrong" == marked(function, f"f'(x) = {edited}").verdict


# --- hostile answers ----------------------------------------------------------------------------------------------------

HOSTILE = [
    "", "\0\0\0", "=", "= = =", "f'(x)", "f'(x) =", "f'(x) = =", "'", "''''''", "f''''''''''''''''''''''(x) = 1", "d/dx", "d/dx =", "d/dx d/dx",
    "f'(x) = " + "(" * 900 + "x" + ")" * 900, "f'(x) = " + "(" * 3000, "f'(x) = " + "sin(" * 50 + "x" + ")" * 50, "f'(x) = " + "x+" * 900 + "x",
    "f'(x) = " + "x^" * 400 + "x", "f'(x) = " + "(x^2)'" * 200, "f'(x) = " + "d/dx " * 200 + "x", "f'(x) = " + "(" * 50 + "x" + ")'" * 50,
    "f'(x) = 9^9^9^9^9", "f'(x) = 0/0 + 0/0", "f'(x) = (x+1)^1000000", "u = u\nf' = u", "u = v'\nv = u'\nf' = u", "f(x) = f(x)\nf'(x) = f'(x)",
    "g(x) = g(g(x))\nf'(x) = g(x)", "\n".join(f"f'(x) = x^{k}" for k in range(500)), "\n".join(f"u{k} = u{k + 1}" for k in range(300)) + "\nf' = u0",
    "f'(x) = " + "\\frac{" * 300 + "x" + "}{2}" * 300, "f'(x) = \ue000\ue800", "f'(x) = sum(i, 1, 100000, x^i)", "|" * 2000, "," * 2000, "'" * 2000, "f'=" * 600,
    "f'(x) = mark0mark", "f'(x) = " + "e^" * 300 + "x", "\\begin{pmatrix}" * 200, "f_" * 800, "f'(x) = " + "ab" * 900,
    "or " * 600 + "f'(x) = 1", "f'(x) = " + "x or " * 350 + "x", "\n".join(f"v{k}' = v{k + 1}'" for k in range(300)) + "\nf' = v0'",
    "f'(x) = 1 " + "(<" * 900, "f'(x) = u" + " = u" * 15 + " = 1",
]  # fmt: skip


@pytest.mark.parametrize("answer", HOSTILE)
def test_hostile_answers_end_in_a_verdict_and_soon(answer: str) -> None:
    start = time.process_time()
    marking = marked("sin(x^2)", answer)
    assert marking.verdict in ("wrong", "incomplete", "not_gradable")
    assert Fraction(0) == marking.earned
    assert time.process_time() - start < 10


# --- problems with a point ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer", ["f'(x) = 2x cos(x^2)", "dy/dx = 2x cos(x^2)", "f'(x) = cos(x^2) (x^2)' = 2x cos(x^2)"]
)
def test_a_formula_is_worth_half_of_a_derivative_whose_number_is_asked_for(answer: str) -> None:
    marking = marked("sin(x^2) @ x=2", answer)
    (quantity,) = [found for found in marking.quantities if found.rows]
    assert ("missing", Fraction(1, 2)) == (quantity.verdict, quantity.earned / quantity.possible)
    assert "right" == marked("sin(x^2) @ x=2", f"f(2) = -0.757\n{answer} = -2.615").verdict


def test_a_formula_in_place_of_a_number_is_worth_nothing_where_formulas_are_given() -> None:
    (marking,) = assess(b"f'(x) = 2x cos(x^2)", "a.txt", [task_of("sin(x^2) @ x=2")], Rules(numbers=True))
    assert Fraction(0) == marking.earned


@pytest.mark.parametrize(
    ("answer", "verdicts"),
    [
        ("the derivative of f is 2x sin x + x^2 cos x", ["correct"]),
        ("the derivative of f(x) is 2x sin x", ["error"]),
        ("derivative of u = x^2 is 2x\nf' = 2x sin x + x^2 cos x", ["correct", "correct", "correct"]),
        ("u = x^2\nthe derivative of u is 3x\nf' = 2x sin x + x^2 cos x", ["correct", "error", "correct"]),
        ("the derivative of sin(x) is cos(x)\nf' = 2x sin x + x^2 cos x", ["correct", "correct"]),
        ("the derivative of the first factor is 3x\nf' = 2x sin x + x^2 cos x", ["correct"]),
        ("u(t) = t^2\nthe derivative of u(t) is 2t\nf' = 2x sin x + x^2 cos x", ["correct", "correct", "correct"]),
        ("f' = 2x sin x + x^2 cos x\nthe derivative of f(pi) is -pi^2", ["correct"]),  # not of the number f(pi)
    ],
)
def test_a_derivative_in_words_is_of_what_the_words_say(answer: str, verdicts: list[str]) -> None:
    assert verdicts == [mark.verdict for mark in marked("x^2*sin(x)", answer).marks]


@pytest.mark.parametrize(
    ("problem", "answer", "hint"),
    [
        ("x^2", "f' = 2x or 3x", "f': of two different answers neither counts"),
        ("x^2", "u = x + 1 = x + 2\nf' = 2x", "u: this does not equal the expression before it"),
        (
            "x^2",
            "u = x + 1 = 3\nf' = 2x",
            "u: this does not equal the expression before it; if you mean one point, add it to the problem: @ x=…",
        ),
        (
            "2x^3",
            "f' = 6x^3",
            "f': possible slips: (a) power rule: the exponent goes down by exactly one; or "
            "(b) this uses a function instead of its derivative, in one part or in the whole formula",
        ),
    ],
)
def test_a_hint_says_what_may_be_wrong_in_one_sentence(problem: str, answer: str, hint: str) -> None:
    assert [hint] == [mark.feedback for mark in marked(problem, answer).marks if mark.feedback]


def test_a_line_that_is_not_counted_is_quoted() -> None:
    marking = marked("sin(x^2)", "the derivative of the inside is 2x\nf' = 2x cos(x^2)")
    assert marking.answer is not None
    assert ["the derivative of the inside is 2x"] == [part.text for part in marking.answer.left_out]


@pytest.mark.parametrize("digit", "²₁①③٣")
def test_signs_that_are_digits_in_unicode_end_no_marking(digit: str) -> None:
    for problem, row in (
        ("sum(W) @ W=[1,2,3]", f"W[{digit}] = 3"),
        ("sum(W) @ W=[1,2,3]", f"jax.grad(f, argnums={digit})(W) = [1, 2, 3]"),
        ("x^3", f"d{digit}f/dx{digit} = 3"),
        ("x^2", f"diff(x^2, x, {digit}) = 2"),
        ("x^2", f"d y/dx{digit} = 2x"),
    ):
        assert marked(problem, f"y = 8\n{row}").verdict in ("wrong", "incomplete", "not_gradable")
    with suppress(AdcliError):
        read_program(Source(f"sum(x^k for k in range({digit}))"))
