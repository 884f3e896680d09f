"""Answers in the notations of students: what they mean, as a good marker reads them."""

from __future__ import annotations

import string
from functools import partial

import pytest

from adcli.answers.headers import column
from adcli.answers.symbols import Names, NameSources
from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of

PRODUCT = "a*b+c @ a=2, b=3, c=4"
POWERS = "x1^2*x2+x2^3 @ x1=3, x2=2"
VALUES = "v1 = x1^2 = 9\nv2 = v1*x2 = 18\nv3 = x2^3 = 8\nv4 = v2+v3 = 26\n"


def marked(text: str, problem: str, mode: str, wrt: tuple[str, ...] = ()) -> Marking:
    (found,) = assess(text.encode(), "answer.txt", [task_of(problem, mode=mode, wrt=wrt)], Rules())
    return found


def wrong(marking: Marking) -> dict[str, str]:
    """The rows of which something is said that is not simply right."""
    return {mark.row: mark.verdict for mark in marking.marks if mark.verdict not in ("correct", "rounding", "extra")}


def is_right(text: str, problem: str, mode: str, wrt: tuple[str, ...] = ()) -> bool:
    marking = marked(text, problem, mode, wrt)
    assert {} == wrong(marking)
    return marking.verdict == "right"


def spelled(spelling: str, name: str) -> str:
    """Return a derivative of the row `name`: {} is the name, {s} its letter and {i} its number."""
    return spelling.format(name, s=name[0], i=name[1:])


ADJOINTS = (
    "{}b", "{}_b", "{}_a", "a_{}", "ad_{}", "b_{}", "{}B", "b{}", "bar{}", "δ({})", "grads['{}']", "{}.bar", "y_{{{}}}",
    "└─ ∂y/∂{}", "{s}bar{i}", "{s}bar_{i}", "{s}_adj_{i}", "{s}_adjoint{i}", "{s}Bar_{{{i}}}", "{s}grad{i}", "{}_ADJ",
)  # fmt: skip


@pytest.mark.parametrize("spelling", ("{}b", "{}_b", "b{}", "b_{}", "D_{}", "δ{}", "dL/d{}"))
@pytest.mark.parametrize("sign", (" =", ":"))
def test_marks_of_derivatives_are_read_before_a_colon_and_next_to_an_input_of_their_letter(
    spelling: str, sign: str
) -> None:
    numbers = {"L": 1, "z": 14, "w": 42, "x": 28, "b": 14}
    sweep = "".join(f"{spelling.format(name)}{sign} {number}\n" for name, number in numbers.items())
    assert is_right(f"z = w*x+b = 7\nL = z^2 = 49\n{sweep}", "(w*x+b)^2 @ w=2, x=3, b=1", "reverse")


def test_a_row_in_the_numbering_of_the_trace_gets_no_other_meaning() -> None:
    rows = "v1 = 0.6931\nv4 = 10.6931\nv5 = 11.6521\nv2bar = -1\nx1bar = 5.5\ndy/dx2 = 1.7163\n"
    slip = marked(rows, "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5", "reverse")
    assert "error" == wrong(slip)["v̄2"]


TANGENTS = ("{}d", "{}_d", "{}_t", "t_{}", "g_{}", "{}p", "D{}", "Δ{}", "{}_prime", "delta_{}", "{s}dot{i}",
            "{s}_dot_{i}", "{s}Dot{i}", "{s}tan{i}", "{s}_prime{i}", "{s}'_{i}", "{s}'_{{{i}}}", "{s}'{i}",
            "tangent_{}")  # fmt: skip


@pytest.mark.parametrize("spelling", ADJOINTS)
def test_adjoints_may_have_any_mark_that_rows_share(spelling: str) -> None:
    b = partial(spelled, spelling)
    sweep = f"{b('v4')} = 1\n{b('v3')} = {b('v4')} = 1\n{b('v2')} = {b('v4')} = 1\n"
    sweep += f"{b('x2')} = {b('v3')}*3*x2^2 + {b('v2')}*v1 = 21\n{b('v1')} = {b('v2')}*x2 = 2\n"
    assert is_right(VALUES + sweep + f"{b('x1')} = {b('v1')}*2*x1 = 12\n", POWERS, "reverse")
    slip = marked(VALUES + sweep + f"{b('x1')} = {b('v1')}*x1 = 6\n", POWERS, "reverse")
    assert {"x̄1": "error"} == wrong(slip)


@pytest.mark.parametrize("spelling", TANGENTS)
def test_tangents_may_have_any_mark_that_rows_share(spelling: str) -> None:
    d = partial(spelled, spelling)
    sweep = f"{d('x1')} = 0\n{d('x2')} = 1\n{d('v1')} = 0\n{d('v2')} = {d('v1')}*x2 + v1*{d('x2')} = 9\n"
    sweep += f"{d('v3')} = 3*x2^2*{d('x2')} = 12\n{d('v4')} = {d('v2')} + {d('v3')} = 21\n"
    assert is_right(VALUES + sweep, POWERS, "forward", ("x2",))


def test_products_and_parts_of_a_step_keep_their_names() -> None:
    products = "ab = a*b = 6\nad = a*d = 8\ny = ab + ad = 14\nybar = 1\nabar = b + d = 7\nbbar = a = 2\ndbar = a = 2\n"
    assert is_right(products, "a*b+a*d @ a=2, b=3, d=4", "reverse")
    assert is_right("v1a = x1^2 = 9\nv1b = v1a*x2 = 18\nv2a = x2^3 = 8\ny = v1b+v2a = 26\n", POWERS, "value")
    step = "vbar1 = x*y = 6\nf = vbar1+1 = 7\nvbar1bar = 1\nxbar = vbar1bar*y = 2\nybar = vbar1bar*x = 3\n"
    assert is_right(step, "x*y+1 @ x=3, y=2", "reverse")
    mean = "xbar1 = (x1+x2)/2 = 2.5\nf = xbar1^2 = 6.25\ndf/dx1 = 2*xbar1*0.5 = 2.5\ndf/dx2 = xbar1 = 2.5\n"
    assert is_right(mean, "((x1+x2)/2)^2 @ x1=3, x2=2", "reverse")
    named = "xdot1 = 6\ny = 36\nybar = 1\nxdot1bar = 12\nx1bar = 24\n"
    assert is_right(named, "xdot1 = 2*x1; y = xdot1^2 @ x1=3", "reverse")
    assert is_right("v1 = 9\nv2 = 18\nxdot=1\nvdot1 = 6\nvdot2 = 12\n", "x^2*y @ x=3, y=2", "forward", ("x",))


HEADS = (
    "w.r.t. {}:", "wrt {}:", "∂/∂{}:", "d/d{}:", "{}:", "for {}:", "({})", "direction {}:", "nach {}:", "wrt {} →",
    "{}-direction:", "1) wrt {}:", "**wrt {}**:", "Sweep 1 ({}):", "Ableitung nach {}:", "par rapport à {} :",
)  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("gap", ("; ", "\n"))
def test_a_head_names_the_input_that_moves(head: str, gap: str) -> None:
    start = " " if gap == "; " else "\n"
    first = head.format("x1") + start + gap.join(("v1' = 2*x1 = 6", "v2' = x2*v1' = 12", "v3' = 0", "v4' = 12"))
    rows = ("v1' = 0", "v2' = v1 = 9", "v3' = 3*x2^2 = 12", "v4' = v2'+v3' = 21")
    second = head.format("x2") + start + gap.join(rows)
    assert is_right(f"{VALUES}\n{first}\n\n{second}\n", POWERS, "forward")


MARKS = (
    "{a}: ", "{a}) ", "({a}) ", "{a}. ", "{n}: ", "({n}) ", "[{n}] ", "{a} - ", "{n} - ", "Step {a}: ", "{i}) ",
    "({i}) ",     "{n}.) ", "{n}° ", "{n}/ ", "({n}): ", "L{n}: ", "{n}   ", "{A}. ", "({n}') ",
)  # fmt: skip


@pytest.mark.parametrize("mark", MARKS)
def test_marks_of_a_list_are_no_names(mark: str) -> None:
    rows = ["m = a b = 6", "f = m + c = 10", "f̄ = 1", "m̄ = f̄ = 1", "c̄ = f̄ = 1", "ā = m̄ b = 3", "b̄ = m̄ a = 2"]
    roman = ["i", "ii", "iii", "iv", "v", "vi", "vii"]
    letters = string.ascii_lowercase
    lines = (mark.format(a=letters[k], A=letters[k].upper(), n=k + 1, i=roman[k]) + row for k, row in enumerate(rows))
    assert is_right("\n".join(lines), PRODUCT, "reverse")


def test_letters_with_values_are_names() -> None:
    assert is_right("a: x1*x2 = 6\nb: a + x2 = 9\n", "x1*x2+x2 @ x1=2, x2=3", "value")


SENTENCES = (
    "First I multiply a and b: m = 6. Then I add c, so f = m + c = 10.", "Since m = a*b = 6 we have f = m + c = 10.",
    "First, m is a*b, which is 6. So f is m + c, and f is 10.",
    "I have m = a*b = 6 which gives f = m + c = 10.", "As m equals 6, f equals 10.",
    "The value of m is 6. The value of f is 10.", "On a m = a*b = 6, donc f = m + c = 10.",
    "The product m = ab equals 6, and the sum f = m+c equals 10.", "My working: m = a*b = 6 → f = m + c = 10",
    "a times b is 6, call it m. m = 6. Then f = m + c = 10.", "Adding c to m = a*b = 6 gives f = m + c = 10.",
)  # fmt: skip


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_have_rows(text: str) -> None:
    assert is_right(text, PRODUCT, "value")


GRADIENTS = (
    "so the gradient is (3, 2, 1)", "hence the gradient is ∇f = (3, 2, 1).", "The gradient at this point is (3, 2, 1).",
    "Thus df/da = b = 3 and df/db = a = 2 while df/dc = 1.", "df/da equals 3, df/db equals 2, df/dc equals 1.",
    "The derivative of f with respect to a is 3. The derivative of f with respect to b is 2. Lastly, df/dc = 1.",
    "with fbar = 1 we get mbar = 1 and cbar = 1, and with mbar = 1 we get abar = b = 3, bbar = a = 2.",
    "I conclude that abar is 3, bbar is 2 and cbar is 1.", "hence gradient (3, 2, 1)", "=> ∇f(2,3,4) = (3, 2, 1)",
    "derivative w.r.t. a: 3, derivative w.r.t. b: 2, derivative w.r.t. c: 1",
    "With respect to a it is 3, with respect to b it is 2. With respect to c it is 1.",
    "The derivative with respect to a is 3, and with respect to b it is 2; wrt c it equals 1",
    "Die Ableitung nach a ist 3; nach b ist sie 2, nach c ergibt sich 1.",
    "Par rapport à a elle vaut 3, par rapport à b elle vaut 2 et par rapport à c elle vaut 1.",
    "Differentiating with respect to a gives b = 3, with respect to b we get a = 2, and with respect to c we get 1.",
)  # fmt: skip


@pytest.mark.parametrize("text", GRADIENTS)
def test_sentences_have_derivatives(text: str) -> None:
    assert is_right("m = a*b = 6\nf = m + c = 10\n" + text, PRODUCT, "reverse")


PRINTED = (
    'print("%.3f %.3f %.3f %.3f" % (f, da, db, dc))\n10.000 3.000 2.000 1.000',
    'print("%.3f" % f)\n10.000\nprint("{:.1f}".format(da))\n3.0\nprint("%g" % (db,))  # 2\nprint(dc) # 1',
    'print("{:.1f} {} {} {}".format(f, da, db, dc))  # 10.0 3 2 1',
    "disp(f) % 10\ndisp(da) % 3\ndisp(db) % 2\ndisp(dc) % 1",
    "console.log(f.toFixed(2)) // 10.00\nconsole.log(da, db, dc) // 3 2 1",
    "print(f, da, db, dc)\n# 10.0 3.0 2.0 1.0", "print(f)\n# 10.0\nda # 3\ndb # 2\nprint(dc.item())\n1",
    "f  # tensor(10.)\nda\ntensor(3., grad_fn=<MulBackward0>)\nprint(db)  # tensor(2.)\ndc // 1",
)  # fmt: skip


@pytest.mark.parametrize("shown", PRINTED)
def test_what_a_program_prints_is_what_its_rows_come_to(shown: str) -> None:
    assert is_right(f"m = a*b\nf = m + c\nda = b\ndb = a\ndc = 1\n{shown}\n", PRODUCT, "reverse")
    other = shown.replace("10", "11")
    assert "f" in wrong(marked(f"m = a*b\nf = m + c\nda = b\ndb = a\ndc = 1\n{other}\n", PRODUCT, "reverse"))


CASES = (
    "If x > 0, m' = 1. If x < 0, m' = 0.", "For x > 0 we have m' = 1.", "Since x = 2 > 0, m' = 1.", "As x > 0: m' = 1",
    "m' = 1 for x > 0, m' = 0 for x < 0", "m' = 1 (if x > 0), 0 (if x < 0)", "x > 0 so m' = 1",
)  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_of_cases_the_one_that_holds_counts(text: str) -> None:
    rows = f"m = max(x,0) = 2\nf = m*y = 6\n{text}\nf' = m'*y = 3\n"
    assert is_right(rows, "max(x, 0)*y @ x=2, y=3", "forward", ("x",))


TITLES = ("Gradient:", "grads:", "## Backward pass", "Adjoints:", "Ableitungen:", "Reverse sweep:")


@pytest.mark.parametrize("title", TITLES)
def test_rows_below_a_title_of_derivatives_are_derivatives(title: str) -> None:
    rows = f"Forward pass:\na: 2\nb: 3\nm: 6\nf: 10\n\n{title}\na: 3\nb: 2\nc: 1\n"
    assert is_right(rows, PRODUCT, "reverse")
    assert {"b̄": "error"} == wrong(marked(rows.replace("b: 2", "b: 5"), PRODUCT, "reverse"))
    assert is_right(f"{title}\nm = 6\nf = 10\n", PRODUCT, "value")


def test_a_printed_gradient_has_a_number_for_each_input() -> None:
    printed = "y = x[0]**2*x[1] + x[1]**3\nprint(y)  # tensor(26.)\nprint(x.grad)\ntensor([12., 21.])\n"
    assert is_right(printed, POWERS, "reverse")
    assert {"x̄2": "error"} == wrong(marked(printed.replace("21", "22"), POWERS, "reverse"))


def test_a_value_at_another_point_is_not_counted() -> None:
    assert is_right(
        "f(2.01, 3, 4) = 10.03\nf(a=2, b=3.1, c=4) = 10.2\nf(a=2, b=3, c=4) = 10\n∇f = (3, 2, 1)\n", PRODUCT, "reverse"
    )
    assert {"y": "error"} == wrong(marked("f(2, 3.0, 4) = 10.03\n∇f = (3, 2, 1)\n", PRODUCT, "reverse"))


@pytest.mark.parametrize("row", ["cos x2 x2dot", "cos x2 dx2", r"\cos x_2 \dot x_2", "x2dot cos x2", "cos 5 dx2/dx1"])
def test_a_tangent_is_no_part_of_the_argument_of_a_function_before_it(row: str) -> None:
    found = marked(f"v1dot = {row} = 0\n", "sin(x2) + x1 @ x1=2, x2=5", "forward", ("x1",))
    assert ["correct"] == [mark.verdict for mark in found.marks if mark.span is not None]


def test_a_gradient_may_lack_a_part() -> None:
    for gradient in ("(3, 2, ?)", "(3, 2, )", "[3, 2, ...]", "(3; 2; …)"):
        assert {"c̄": "missing"} == wrong(marked(f"f = 10\n∇f = {gradient}\n", PRODUCT, "reverse"))


def test_numbers_stand_in_comments_of_any_language() -> None:
    for mark in ("!", "#", "//", "%", "--", "# ->"):
        assert is_right(f"t1 = a*b {mark} 6\ny = t1 + c {mark} 10\n", PRODUCT, "value")
    assert is_right("t1 = a*b /* 6 */\ny = t1 + c /* 10 */\n", PRODUCT, "value")
    rows = "d = b*b # 4.0\ny = d + b # 6.0\ny.grad = 1.0\nb.grad += 1.0 # 1.0\nb.grad += 2*b # 5.0\n"
    assert is_right(rows, "b^2+b @ b=2", "reverse")


@pytest.mark.parametrize("shown", ("round({}, 3)", "print(round({}, 3))", "print(f'{{{}:.3f}}')", "np.round({}, 3)"))
def test_transcripts_show_rounded_numbers(shown: str) -> None:
    rows = (f">>> {row}\n>>> {shown.format(row[0])}\n{x}\n" for row, x in (("u = log(a)", 1.099), ("y = u*b", 2.197)))
    assert is_right("".join(rows), "log(a)*b @ a=3, b=2", "value")


@pytest.mark.parametrize(
    "text", ("f = 6, ∇f = (3, 2)", "grad = <3, 2>, f = 6", "f(2,3) = 6, grad f(2,3) = (3, 2)", "f = 6, df = (3, 2)")
)
def test_a_gradient_may_follow_on_the_line(text: str) -> None:
    assert is_right(text, "a*b @ a=2, b=3", "reverse")


DUALS = ("x = 0.5 + {}ε", "x = 0.5 + ε", "x = 0.5 + {}*eps", "x = 0.5 + {}\\varepsilon")


@pytest.mark.parametrize("seed", DUALS)
def test_dual_numbers_are_a_value_and_a_tangent(seed: str) -> None:
    sign = seed[seed.index("5") + 4 :].format("")
    rows = f"{seed.format(1)}\na = x + 2 = 2.5 + 1{sign}\nsin(x) = 0.479 + 0.878{sign}\nf = 1.199 + 2.673{sign}\n"
    assert is_right(rows, "(x+2)*sin(x) @ x=0.5", "forward")
    slip = marked(rows.replace("+ 0.878", "- 0.878").replace("+ 2.673", "- 1.716"), "(x+2)*sin(x) @ x=0.5", "forward")
    assert {"v̇2": "error", "ḟ": "carried"} == wrong(slip)


def test_rows_without_a_name_are_known_by_what_they_work_out() -> None:
    assert is_right("e^0.7 = 2.01\n0.7^2 = 0.49\n2*3 = 6\nf = 2.50\n", "exp(x)+x^2 @ x=0.7", "value")
    assert is_right("3·x·y = 12 =: a\ny² = 16 =: b\nf = a − b = −4\n", "3*x*y-y^2 @ x=1, y=4", "value")
    table = "| step | value |\n|---|---|\n| exp x | 2.01 |\n| x^2 | 0.49 |\n| f | 2.50 |\n"
    assert is_right(table, "exp(x)+x^2 @ x=0.7", "value")
    slip = marked("x^2 = 0.94\nf = e^x + 0.94 = 2.954\n", "exp(x)+x^2 @ x=0.7", "value")
    assert {"v2": "error", "f": "carried"} == wrong(slip)


@pytest.mark.parametrize(
    "hedge", ("12 or 36", "12 (or 36?)", "either 12 or 36", "12 or maybe 36", "x^2*y = 12 oder 36")
)
def test_two_numbers_are_a_wrong_answer(hedge: str) -> None:
    assert {"f": "error"} == wrong(marked(f"f = {hedge}\n", "x^2*y @ x=2, y=3", "value"))


def test_a_whole_number_is_rounded_not_cut_off() -> None:
    assert {"x̄": "error"} == wrong(marked("y = 3.2\nxbar = 1\n", "x*1.6 @ x=2", "reverse"))


LIMITS = ("lim (f(x+h)-f(x))/h", "\\lim_{h \\to 0} \\frac{(x+h)^2-x^2}{h}", "d/dx (x^2)", "d/dx x^2")


@pytest.mark.parametrize("definition", LIMITS)
def test_the_definition_of_a_derivative_is_no_mistake(definition: str) -> None:
    assert is_right(f"f = 2.25\nf'(x) = {definition} = 2x\nf'(1.5) = 3\n", "x^2 @ x=1.5", "forward")


@pytest.mark.parametrize("square", ("r² = 9 + 16 = 25", "r^2 = x^2 + y^2 = 25", "r² = 25"))
def test_the_square_of_a_row_may_stand_before_it(square: str) -> None:
    rest = "\nr = 5\n∂r/∂x = x/r = 0.6\n∂r/∂y = y/r = 0.8\n"
    assert is_right(square + rest, "sqrt(x^2+y^2) @ x=3,y=4", "reverse")
    assert {"v3": "error"} == wrong(marked(square.replace("25", "26") + rest, "sqrt(x^2+y^2) @ x=3,y=4", "reverse"))


def test_numbers_put_in_for_rows_are_these_rows() -> None:
    problem = "exp(x)+x^2 @ x=0.7"
    assert is_right("a = x^2 = 0.49\nf = e^x + 0.49 = 2.504\n", problem, "value")
    for last in ("e^x + 0.94", "2.014 + 0.94"):
        slip = marked(f"b = e^x = 2.014\na = x^2 = 0.94\nf = {last} = 2.954\n", problem, "value")
        assert {"a": "error", "f": "carried"} == wrong(slip)
    again = marked("b = e^x = 2.014\na = x^2 = 0.94\nf = 2.014 - 0.94 = 1.074\n", problem, "value")
    assert {"a": "error", "f": "error"} == wrong(again)


def test_a_power_of_a_power_is_one_in_braces_too() -> None:
    rows = "v_1 &= e^{x} = 1.492 \\\\\ny &= e^{x}^{2} = 2.226"
    assert is_right(f"\\begin{{align}}\n{rows}\n\\end{{align}}", "exp(x)^2 @ x=0.4", "value")


def test_a_row_is_not_the_step_of_its_name_where_another_row_is() -> None:
    rows = "v1 = x^2 = 0.0025\nv2 = v1*x = 0.000125\nv3 = sin(v2) = 0.000125\n"
    assert is_right(rows, "sin(1*(x^2*x)) @ x=0.05", "value")


def test_a_result_may_be_told_before_its_steps() -> None:
    assert is_right("Answer: f = 10, where m = a*b = 6.", PRODUCT, "value")
    sweep = "fbar = 1\nmbar = fbar = 1\ncbar = 1\nabar = mbar*b = 3\nbbar = mbar*a = 2\n"
    assert is_right("f = 10\nm = a*b = 6\n" + sweep, PRODUCT, "reverse")


def test_a_column_names_the_input_that_moves_whatever_its_index() -> None:
    names = Names(NameSources(("w11", "V"), ("y",)))
    tangents = column(r"\frac{\partial v}{\partial w_{11}}", names)
    assert ("dot", "w11") == (tangents and tangents[1:3])
    for header in (r"\frac{\partial y}{\partial v}", "∂y/∂v"):
        adjoints = column(header, names)
        assert ("bar", "y") == (adjoints and adjoints[1:3])


SWEEPS = {"value": "", "reverse": "ybar = 1\nv3bar = ybar = 1\nv1bar = 1\nv2bar = -1\nx1bar = 0.497\nx2bar = 1.5\n"}
SWEEPS["forward"] = "x1' = 1\nx2' = 0\nv1' = x2 = -0.5\nv2' = -sin(x1) = -0.997\nv3' = v1' - v2' = 0.497\ny' = v3'\n"


@pytest.mark.parametrize("mode", SWEEPS)
def test_a_result_may_be_another_name_of_a_row(mode: str) -> None:
    def answer(step: str, last: str) -> Marking:
        rows = f"v1 = x1*x2 = -0.75\nv2 = cos(x1) = 0.071\n{step}\n{last}\n{SWEEPS[mode]}"
        return marked(rows, "x1*x2-cos(x1) @ x1=1.5, x2=-0.5", mode, ("x1",) if mode == "forward" else ())

    for last in ("y = v3", "y := v_3", "y &=& v_3 \\\\", "v3 = y", "y = v3 = -0.821"):
        assert {} == wrong(answer("v3 = v1 - v2 = -0.821", last)), last
    slip = answer("v3 = v1 + v2 = -0.679", "y = v3")
    assert ("error", "carried") == (wrong(slip)["v3"], wrong(slip)["y"])
    assert answer("v3 = v1 + v2 = -0.679", "").earned == slip.earned
    assert "unreadable" in wrong(answer("", "v3 = y\ny = v3")).values()  # nobody works it out


PRINTS = (
    "print(y, dy)  # 4.302 3.531", "print(dy, y)  # -> 3.531, 4.302", "print((y, dy)) # (4.302, 3.531)",
    "print(round(y, 3), round(dy, 3))  # 4.302 3.531", 'print(f"{y:.3f} {dy:.3f}")  # 4.302 3.531',
    'print("y =", y, "dy =", dy)  # y = 4.302 dy = 3.531', ">>> print(y, dy)\n4.302 3.531", ">>> y, dy\n(4.302, 3.531)",
    "console.log(y, dy); // 4.302 3.531", 'print(y, dy, c, sep=" ")\n4.302 3.531 3.4',
)  # fmt: skip


@pytest.mark.parametrize("shown", PRINTS)
def test_a_program_may_show_several_values_at_once(shown: str) -> None:
    rows = "x = 1.7; dx = 1.0\na = math.log(x); da = dx / x\nb = x * a; db = dx * a + x * da\n"
    rows += "c = 2 * x; dc = 2 * dx\ny = b + c; dy = db + dc\n"
    assert is_right(f"{rows}{shown}\n", "x*log(x)+2*x @ x=1.7", "forward")
    slip = marked(f"{rows}{shown.replace('3.531', '3.351')}\n", "x*log(x)+2*x @ x=1.7", "forward")
    assert {"ẏ": "error"} == wrong(slip)


def test_gradients_of_several_inputs_are_shown_at_once() -> None:
    for shown in ("print(a.grad, b.grad)  # tensor(3.) tensor(2.)", "print(a.grad.item(), b.grad.item())\n3.0 2.0"):
        rows = f"c = a*b # 6\ny = c + a # 8\ny.grad = 1\nc.grad = 1\n{shown.replace('3.', '4.')}\n"
        assert is_right(rows, "a*b+a @ a=2, b=3", "reverse")


CAPITALS = "A = X^2 = 4\nB = A*Y = 12\nF = B + Z = 11\n"


@pytest.mark.parametrize("d", ("dF/d{}", "∂F/∂{}", "F_{}", "dFd{}", "{}bar"))
def test_inputs_may_be_capital_letters(d: str) -> None:
    sweep = f"dF/dB = 1\ndF/dA = Y = 3\n{d.format('Z')} = 1\n{d.format('Y')} = XX = 4\n{d.format('X')} = 2XY = 12\n"
    sweep = sweep.replace("dF/dB", "Bbar").replace("dF/dA", "Abar") if "bar" in d else sweep
    for given in ("", "X = 2, Y = 3, Z = −1\n"):
        assert is_right(given + CAPITALS + sweep, "x^2*y+z @ x=2, y=3, z=-1", "reverse")
    assert {"x̄": "formula"} == wrong(
        marked(CAPITALS + sweep.replace("2XY", "XY"), "x^2*y+z @ x=2, y=3, z=-1", "reverse")
    )


def test_rows_in_capital_letters_are_no_inputs() -> None:
    rows = "X = x^2 = 4\nF = X*y + z = 11\nF_X = y = 3\nF_z = 1\nF_y = X = 4\nF_x = 2*x*F_X = 12\n"
    assert is_right(rows, "x^2*y+z @ x=2, y=3, z=-1", "reverse")
    assert is_right("A = a^2 = 4\nB = A*b = 12\nF = A + B = 16\n", "a^2*b+a^2 @ a=2, b=3", "value")
    assert is_right("AB = A*B = 6\nBB = B*B = 9\nY = AB + BB = 15\n", "a*b+b*b @ a=2, b=3", "value")


@pytest.mark.parametrize("mark", ("{}B", "{}_B", "{}b"))
@pytest.mark.parametrize("given", ("", "A = 0.4\nB = 0.9\n"))
def test_adjoints_of_inputs_share_the_mark_of_rows_in_capitals(mark: str, given: str) -> None:
    b = mark.format
    rows = f"{given}W1 = SIN(A) = 0.389\nW2 = COS(B) = 0.622\nF = W1*W2 = 0.242\n{b('F')} = 1.0\n"
    rows += f"{b('W1')} = W2*{b('F')} = 0.622\n{b('W2')} = W1*{b('F')} = 0.389\n"
    rows += f"{b('A')} = COS(A)*{b('W1')} = 0.573\n{b('B')} = -SIN(B)*{b('W2')} = -0.305\n"
    assert is_right(rows, "sin(a)*cos(b) @ a=0.4, b=0.9", "reverse")
    if not given:
        assert is_right(rows.lower(), "sin(a)*cos(b) @ a=0.4, b=0.9", "reverse")


PRIMES = (
    "σ' = σ(1-σ) = 0.229\n∂σ/∂a = σ'·b = 0.275\n∂σ/∂b = σ'·a = 0.114\n",
    "σ' = σ*(1-σ) = 0.229\nσbar = 1\nzbar = σbar*σ' = 0.229\nabar = b*zbar = 0.275\nbbar = a*zbar = 0.114\n",
)


def test_a_prime_that_derivatives_multiply_by_is_a_local_derivative() -> None:
    values, problem = "z = a*b = 0.6\nσ = 1/(1+e^(-z)) = 0.646\n", "1/(1+exp(-a*b)) @ a=0.5, b=1.2"
    for sweep in PRIMES:
        assert is_right(values + sweep, problem, "reverse")
    slip = "σ' = σ(1+σ) = 1.063\n∂σ/∂a = σ'·b = 1.276\n∂σ/∂b = σ'·a = 0.532\n"
    assert ["carried", "carried", "error"] == sorted(wrong(marked(values + slip, problem, "reverse")).values())


def test_primes_of_a_chain_are_its_factors() -> None:
    rows = "u = x^2 = 4\nw = sin(u) = -0.757\ny = exp(w) = 0.469\n"
    primes = "u' = 2*x = 4\nw' = cos(u) = -0.654\ny' = e^w = 0.469\n"
    assert is_right(f"{rows}{primes}dy/dx = y'*w'*u' = -1.227\n", "exp(sin(x^2)) @ x=2", "reverse")
    assert "error" in wrong(marked(rows + primes, "exp(sin(x^2)) @ x=2", "forward")).values()


RULES = (
    "(ln u)' = 1/u", "outer: ln, inner: cos\n(cos u)' = -sin u", "(t^3)' = 3t^2", "[ln(u)]' = 1/u, [cos(v)]' = -sin(v)"
)  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_with_a_letter_of_its_own_is_a_remark(rule: str) -> None:
    def answer(rule: str, last: str) -> Marking:
        text = f"{rule}\ny' = 1/cos(2x) * (-sin(2x)) * 2 = {last}\n".encode()
        return assess(text, "answer.txt", [task_of("log(cos(2*x))", formulas=True)], Rules())[0]

    assert "right" == answer(rule, "-2 tan(2x)").verdict
    assert {"dy/dx": "error"} == {row: said for row, said in wrong(answer(rule, "2 tan(2x)")).items() if "…" not in row}
    false = answer(rule.replace("= ", "= 2"), "-2 tan(2x)")  # a false rule is quoted, not counted
    assert set(wrong(false).values()) == {"unreadable"}


@pytest.mark.parametrize(
    ("da", "dz"), [("da", "dz"), ("a'", "z'"), ("adot", "zdot"), ("ȧ", "ż"), ("da/dt", "dz/dt"), ("(da)", "dz")]
)
def test_a_tangent_that_is_taken_from_a_number_is_no_remark(da: str, dz: str) -> None:
    text = f"a = exp(t) = 2.460\nz = t - a = -1.560\n{da.strip('()')} = a = 2.460\n{dz} = 1 - {da} = -1.460\n"
    assert is_right(text, "t - exp(t) @ t=0.9", "forward")
    assert is_right(text.replace(f"= 1 - {da} = -1.460", "= -1.460 - by the rule"), "t - exp(t) @ t=0.9", "forward")


@pytest.mark.parametrize("between", ["，", "；", "、", "。", "。\n", "\u3000\n"])
def test_signs_of_east_asian_keyboards_are_what_they_look_like(between: str) -> None:
    rows = ("y ＝ x＊z ＝ ６", "∂y／∂x = 3", "∂y/∂z = ２．０")
    assert is_right(between.join(rows), "x*z @ x=2, z=3", "reverse")


@pytest.mark.parametrize(
    "header", ["tangent d/d{}", "Tangente d/d{}", "derivative ∂/∂{}", "tangent (d{})", "tangent {}", "dot [∂/∂{}]"]
)
def test_a_column_of_tangents_may_name_its_kind_and_its_input(header: str) -> None:
    head = f"| step | value | {header.format('x')} | {header.format('z')} |\n|---|---|---|---|\n"
    assert is_right(head + "| y = x*z | 6 | 3 | 2 |\n", "x*z @ x=2, z=3", "forward", ("x", "z"))
