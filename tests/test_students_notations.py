"""Answers in the notations of students: what they mean, as a good marker reads them."""

from __future__ import annotations

import string

import pytest

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


ADJOINTS = ("{}b", "{}_b", "{}_a", "a_{}", "ad_{}", "b_{}", "{}B")
TANGENTS = ("{}d", "{}_d", "{}_t", "t_{}", "g_{}", "{}p", "D{}", "Δ{}", "{}_prime", "delta_{}")


@pytest.mark.parametrize("spelling", ADJOINTS)
def test_adjoints_may_have_any_mark_that_rows_share(spelling: str) -> None:
    b = spelling.format
    sweep = f"{b('v4')} = 1\n{b('v3')} = {b('v4')} = 1\n{b('v2')} = {b('v4')} = 1\n"
    sweep += f"{b('x2')} = {b('v3')}*3*x2^2 + {b('v2')}*v1 = 21\n{b('v1')} = {b('v2')}*x2 = 2\n"
    assert is_right(VALUES + sweep + f"{b('x1')} = {b('v1')}*2*x1 = 12\n", POWERS, "reverse")
    slip = marked(VALUES + sweep + f"{b('x1')} = {b('v1')}*x1 = 6\n", POWERS, "reverse")
    assert {"x̄1": "error"} == wrong(slip)


@pytest.mark.parametrize("spelling", TANGENTS)
def test_tangents_may_have_any_mark_that_rows_share(spelling: str) -> None:
    d = spelling.format
    sweep = f"{d('x1')} = 0\n{d('x2')} = 1\n{d('v1')} = 0\n{d('v2')} = {d('v1')}*x2 + v1*{d('x2')} = 9\n"
    sweep += f"{d('v3')} = 3*x2^2*{d('x2')} = 12\n{d('v4')} = {d('v2')} + {d('v3')} = 21\n"
    assert is_right(VALUES + sweep, POWERS, "forward", ("x2",))


def test_products_and_parts_of_a_step_keep_their_names() -> None:
    products = "ab = a*b = 6\nad = a*d = 8\ny = ab + ad = 14\nybar = 1\nabar = b + d = 7\nbbar = a = 2\ndbar = a = 2\n"
    assert is_right(products, "a*b+a*d @ a=2, b=3, d=4", "reverse")
    assert is_right("v1a = x1^2 = 9\nv1b = v1a*x2 = 18\nv2a = x2^3 = 8\ny = v1b+v2a = 26\n", POWERS, "value")


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
    "With m = 6 I get f = 10", "I have m = a*b = 6 which gives f = m + c = 10.", "As m equals 6, f equals 10.",
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
)  # fmt: skip


@pytest.mark.parametrize("text", GRADIENTS)
def test_sentences_have_derivatives(text: str) -> None:
    assert is_right("m = a*b = 6\nf = m + c = 10\n" + text, PRODUCT, "reverse")


CASES = (
    "If x > 0, m' = 1. If x < 0, m' = 0.", "For x > 0 we have m' = 1.", "Since x = 2 > 0, m' = 1.", "As x > 0: m' = 1",
    "m' = 1 for x > 0, m' = 0 for x < 0", "m' = 1 (if x > 0), 0 (if x < 0)", "x > 0 so m' = 1",
)  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_of_cases_the_one_that_holds_counts(text: str) -> None:
    rows = f"m = max(x,0) = 2\nf = m*y = 6\n{text}\nf' = m'*y = 3\n"
    assert is_right(rows, "max(x, 0)*y @ x=2, y=3", "forward", ("x",))


def test_a_gradient_may_lack_a_part() -> None:
    for gradient in ("(3, 2, ?)", "(3, 2, )", "[3, 2, ...]", "(3; 2; …)"):
        assert {"c̄": "missing"} == wrong(marked(f"f = 10\n∇f = {gradient}\n", PRODUCT, "reverse"))
