"""Marking finds the row and the slip, gives what is owed for the rest, and never blames an honest row."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
from answers import read_answer
from drawn import usually
from planting import HONEST, STYLES, Style, exercises, marked, plants, slips_of_row, verdict_on, worked

from adcli.answers.answer_model import Numeral, Task
from adcli.answers.shown_numbers import ROUNDED, Habit, shown
from adcli.marking.judging.hint_texts import HINTS
from adcli.marking.judging.row_verdicts import mark
from adcli.marking.model import GOOD, Marking, Rules
from adcli.marking.programs.reference_traces import trace_worksheet
from adcli.marking.task import task_of

PAPER = task_of("log(x1)+x1*x2-sin(x2) @ x1=2, x2=5")


def judged(text: str, task: Task = PAPER, rules: Rules | None = None) -> Marking:
    outputs = [name for name, _ in task.program.graph.outputs]
    (answer,) = read_answer(text.encode(), name="answer.txt", inputs=list(task.at), outputs=outputs)
    return mark(task, answer, rules or Rules())


def verdicts(text: str, task: Task = PAPER, rules: Rules | None = None) -> dict[str, str]:
    return {found.row: found.verdict for found in judged(text, task, rules).marks}


def only(text: str, row: str, task: Task = PAPER) -> tuple[str, tuple[str, ...], str, str]:
    """What is thought of one row of an answer."""
    (found,) = [found for found in judged(text, task).marks if found.row == row]
    return found.verdict, found.slips, found.formula, found.number


VALUES = "v1 = log(x1) = 0.693\nv2 = x1*x2 = 10\nv3 = sin(x2) = -0.959\nv4 = v1+v2 = 10.693\nv5 = v4-v3 = 11.652\n"


# --- planted slips and honest answers ---------------------------------------------------------------------------------


def numbers_told(marking: Marking) -> list[str]:
    """Return the feedback with a number in it that is not 0, 1 or 10, without the name of its row."""
    said = [found.feedback.replace(found.row.split("[")[0], "") for found in marking.marks]
    words = [[word.strip(":;,()") for word in text.split()] for text in said]
    return [
        text
        for text, parts in zip(said, words, strict=True)
        if any(word.replace(".", "").isdigit() for word in parts if word not in ("0", "1", "10"))
    ]


@pytest.mark.parametrize("number", range(1000, usually(1004, thoroughly=1010)))
def test_a_planted_slip_is_named_in_its_row_and_what_follows_is_carried(number: int) -> None:
    tried, ((task, mode),) = 0, exercises(1, number)
    for place, plant in enumerate(plants(task, mode)):
        style = STYLES[place % len(STYLES)]
        text = worked(task, mode, style, plant)
        if text is not None:
            tried += 1
            marking = marked(task, text)
            assert verdict_on(marking, plant).startswith(("named", "one of")), (plant, text)
            assert [] == numbers_told(marking), (plant, text)
    assert tried > 5


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2000, usually(2004, thoroughly=2010)))
def test_an_honest_answer_is_right_however_it_is_rounded(number: int) -> None:
    ((task, mode),) = exercises(1, number)
    for style in HONEST:
        text = worked(task, mode, style)
        assert text is not None
        marking = marked(task, text)
        # A worker who leaves zeros out at the end writes 2 for 1.99, which says no more than one digit.
        short = sum(found.possible - found.earned for found in marking.quantities if found.verdict == "precision")
        assert ("right", marking.possible) == (marking.verdict, marking.earned + short), (style, text)
        assert not style.zeros or not short, (style, text)


@pytest.mark.parametrize("digits", [2, 3, 4, 6])
@pytest.mark.parametrize("numbering", ["level", "call"])
@pytest.mark.parametrize("mode", ["value", "forward", "reverse", "both"])
def test_the_running_example_in_both_numberings(mode: str, numbering: str, digits: int) -> None:
    for formulas in (True, False):
        text = worked(PAPER, mode, Style(digits, True, formulas, False, numbering))
        assert text is not None
        assert "right" == judged(text, PAPER._replace(mode=mode)).verdict, text


# --- decompositions ---------------------------------------------------------------------------------------------------


def test_fused_and_reordered_steps_under_names_of_their_own_are_right() -> None:
    text = "a = x1*x2 - sin(x2) = 10.959\ny = a + ln(x1) = 11.652\nabar = 1\nx1bar = abar*x2 + 1/x1 = 5.5\n"
    text += "x2bar = abar*(x1 - cos(x2)) = 1.716"
    assert {"a": "correct", "y": "correct", "ā": "correct", "x̄1": "correct", "x̄2": "correct"} == verdicts(text)


def test_steps_may_be_fused_in_arithmetic() -> None:
    assert {"y": "correct"} == verdicts("y = ln 2 + 10 - sin 5 = 11.652")
    assert {"v4": "correct", "y": "correct"} == verdicts("v4 = ln 2 + 2*5 = 10.693\ny = 10.693 - sin(5) = 11.652")
    assert ("error", ("degrees",), "absent", "wrong") == only("y = 0.693 + 10 - sin 5 = 10.606", "y")
    backwards = verdicts("v5 = 10.693 + 0.959 = 11.652\nv5bar = 1\nv4bar = 1\nv3bar = -1")
    assert {"v3": "missing", "v4": "missing"} == {row: backwards[row] for row in ("v3", "v4")}


def test_an_algebraically_equal_formula_is_right() -> None:
    task = task_of("(x+1)^2 @ x=2")
    assert ("correct", (), "right", "right") == only("y = x^2 + 2*x + 1 = 9", "y", task)


def test_a_sum_of_contributions_is_right_in_any_order_and_at_once() -> None:
    adjoints = "v5bar = 1\nv4bar = 1\nv3bar = -1\nv2bar = 1\nv1bar = 1\n"
    for sums in (
        "x2bar = v2bar*x1 = 2\nx2bar = x2bar + v3bar*cos(x2) = 1.716",
        "x2bar = v3bar*cos(x2) = -0.284\nx2bar = x2bar + v2bar*x1 = 1.716",
        "x2bar = v3bar*cos(x2) + v2bar*x1 = 1.716",
        "x2bar = 2\nx2bar = 1.716",
    ):
        marking = judged(VALUES + adjoints + "x1bar = v2bar*x2 + v1bar/x1 = 5.5\n" + sums)
        assert "right" == marking.verdict, sums


def test_a_row_whose_formula_departs_is_the_first_error_and_the_rest_is_carried() -> None:
    text = VALUES.replace("x1*x2 = 10", "x1+x2 = 7").replace("10.693", "7.693").replace("11.652", "8.652")
    assert {"v1": "correct", "v2": "error", "v3": "correct", "v4": "carried", "v5": "carried"} == verdicts(text)
    marking = judged(text, PAPER._replace(mode="value"))
    assert (1, Fraction(7, 2), Fraction(2)) == (marking.first, marking.earned, marking.alone)
    for problem, text in (  # the row that departs, not the one that could still make up for it
        ("exp(-x^2)*y @ x=0.5, y=2", "u = x^2 = 0.25\nw = exp(u) = 1.284\nf = w*y = 2.568"),
        ("sqrt(1-x^2)*y @ x=0.6, y=2", "u = x^2 = 0.36\nw = sqrt(u) = 0.6\nf = w*y = 1.2"),
        ("exp(-k*t)*y @ k=0.5, t=2, y=3", "u = k*t = 1\nw = exp(u) = 2.718\nf = w*y = 8.155"),
    ):
        assert ["correct", "error", "carried"] == [*verdicts(text, task_of(problem, mode="value")).values()], problem


def test_two_outputs_have_adjoints_of_their_own() -> None:
    task = task_of("y1 = x1*x2; y2 = x1 + sin(x2) @ x1=1.3, x2=2.2")
    text = "v1 = x1*x2 = 2.86\nv2 = sin(x2) = 0.808\nv3 = x1+v2 = 2.108\n"
    text += "v1bar = 1\nx2bar = 1.3\nx1bar = 2.2\nv3bar = 1\nv2bar = 1\nx2bar = -0.589\nx1bar = 1"
    assert {"v1": "correct", "v2": "correct", "v3": "correct"} | {
        f"{row}[{key}]": "correct"
        for key, rows in (("y1", ("v̄1", "x̄2", "x̄1")), ("y2", ("v̄3", "v̄2", "x̄2", "x̄1")))
        for row in rows
    } == verdicts(text, task)


def test_tangents_of_several_inputs_find_their_input() -> None:
    text = VALUES + "dx1 = 0\ndx2 = 1\ndv1 = 0\ndv2 = 2\ndv3 = 0.284\ndv4 = 2\ndv5 = 1.716\n"
    text += "dv1/dx1 = 0.5\ndv2/dx1 = 5\ndv3/dx1 = 0\ndv4/dx1 = 5.5\ndv5/dx1 = 5.5"
    found = verdicts(text)
    assert "correct" == found["v̇5[x1]"] == found["v̇5[x2]"]
    assert {"correct"} == set(found.values())


def test_a_sweep_that_is_written_again_with_a_correction_belongs_to_the_same_input() -> None:
    rows = "v1dot = 0.5\nv2dot = 5\nv3dot = 0\nv4dot = {0}\nv5dot = {0}\n"
    marks = judged(
        rows.format(5.6) + rows.format(5.5), task_of("log(x1)+x1*x2-sin(x2) @ x1=2, x2=5", mode="forward")
    ).marks
    assert [*["correct"] * 3, *["superseded"] * 2, *["extra"] * 3, *["correct"] * 2] == [mark.verdict for mark in marks]


def test_local_derivatives_may_be_rows_and_parts_of_formulas() -> None:
    task = task_of("sin(x^2) @ x=1.3")
    text = "v1 = x^2 = 1.69\nv2 = sin(v1) = 0.993\n∂v2/∂v1 = cos(v1) = -0.119\nv2bar = 1\n"
    text += "v1bar = v2bar*∂v2/∂v1 = -0.119\nxbar = v1bar*2*x = -0.309"
    assert {"correct"} == set(verdicts(text, task).values())


SWEPT = "v5bar = 1\nv4bar = 1\nv3bar = -1\nv2bar = 1\nv1bar = 1\n"


def test_a_step_without_a_row_is_rounded_as_the_others_are_unless_it_ends_there() -> None:
    task = task_of("exp(5*x) @ x=0.2", mode="reverse")
    found = {x: verdicts(f"v1 = 5x = 1\nv2 = exp(v1) = 2.72\ndy/dx = {x}\n", task)["x̄"] for x in (
        "13.56", "13.57", "13.59", "13.60", "13.62", "13.63",
    )}  # fmt: skip
    assert ["error", "rounding", "correct", "rounding", "rounding", "error"] == list(found.values())
    task = task_of("0.75*(5*x)^2 @ x=0.2", mode="reverse")  # its adjoint 1.5 has no further digits
    for x, verdict in (("7.49", "error"), ("7.50", "correct"), ("7.51", "error")):
        assert verdict == verdicts(f"v1 = 5x = 1\nv2 = v1^2 = 1\nv3 = 0.75 v2 = 0.75\ndy/dx = {x}\n", task)["x̄"]


def test_rows_may_be_numbered_from_the_inputs_on_without_saying_so() -> None:
    text = "v1 = ln v-1 = 0.693\nv2 = v-1*v0 = 10\nv3 = sin v0 = -0.959\nv4 = v1+v2 = 10.693\nv5 = v4-v3 = 11.652\n"
    text += SWEPT + "v̄0 = v̄3 cos v0 = -0.284\nv̄-1 = v̄2*v0 = 5\nv̄0 = v̄0 + v̄2*v-1 = 1.716\nv̄-1 = v̄-1 + v̄1/v-1 = 5.5"
    assert {"correct"} == set(verdicts(text).values())


def test_a_contribution_may_be_shown_by_itself_if_the_sum_is_shown_later() -> None:
    text = VALUES + SWEPT + "x1bar = 5.5\nx2bar += v3bar*cos(x2) = {}\nx2bar += v2bar*x1 = 2\nx2bar = {}"
    assert {"correct"} == set(verdicts(text.format("-0.284", "1.716")).values())
    (last,) = [mark for mark in judged(text.format("-0.284", "2")).marks if mark.line == 14]
    assert ("error", ("adjoint_overwritten",)) == (last.verdict, last.slips)


def test_local_derivatives_of_a_backward_answer_are_no_tangents() -> None:
    partials = "dv2/dx1 = {} = {}\ndv2/dx2 = {} = {}\ndv3/dx2 = cos(x2) = 0.284\n"
    sums = "x2bar = v3bar*dv3/dx2 + v2bar*dv2/dx2 = {}\nx1bar = v1bar/x1 + v2bar*dv2/dx1 = {}"
    right = VALUES + partials.format("x2", 5, "x1", 2) + SWEPT + sums.format(1.716, 5.5)
    assert {"correct"} == set(verdicts(right).values())
    swapped = verdicts(VALUES + partials.format("x1", 2, "x2", 5) + SWEPT + sums.format(4.716, 2.5))
    assert {"∂v2/∂x1": "error", "∂v2/∂x2": "error", "x̄2": "carried", "x̄1": "carried"} == {
        row: verdict for row, verdict in swapped.items() if verdict != "correct"
    }
    deeper = task_of("sin(x)*x @ x=1.3")
    text = "v1 = sin(x) = 0.964\nv2 = v1*x = 1.253\n∂v2/∂x = v1 = 0.964\n∂v2/∂v1 = x = 1.3\nv2bar = 1\nv1bar = 1.3\n"
    assert "correct" == verdicts(text + "xbar = v1bar*cos(x) + v2bar*v1 = 1.311", deeper)["x̄"]


def test_derivatives_of_a_result_of_another_name_are_adjoints_where_the_answer_goes_backwards() -> None:
    task = task_of("(x-w*t)^2 @ x=1.1, w=0.37, t=2.3")
    text = "z = w*t = 0.85\nr = x-z = 0.25\nL = r^2 = 0.063\ndL/dr = 2*r = 0.50\ndL/dz = -0.50\n"
    found = judged(text + "dL/dx = 0.50\ndL/dt = -0.19\ndL/dw = -1.15", task)
    assert ("right", {"x̄", "t̄", "w̄"}) == (found.verdict, {mark.row for mark in found.marks[-3:]})


@pytest.mark.parametrize("text", ["3.5", "10"])
@pytest.mark.parametrize("number", ["10", "10.0"])
def test_a_round_number_is_not_taken_for_half_of_it(text: str, number: str) -> None:
    at = {"10": "x1=2, x2=5", "3.5": "x1=0.7, x2=5"}[text]
    twice = {"10": "4", "3.5": "1.4"}[text]
    answer = f"y = x1*x2 = {text}\nybar = 2\nx1bar = ybar*x2 = {number}\nx2bar = ybar*x1 = {twice}"
    assert {"y": "correct", "ȳ": "error", "x̄1": "carried", "x̄2": "carried"} == verdicts(
        answer, task_of(f"x1*x2 @ {at}")
    )


def test_sums_may_be_opened_with_0_which_is_no_work() -> None:
    task = task_of("x1/(x1+x2) @ x1=2, x2=3")
    text = "v1 = x1+x2 = 5\ny = x1/v1 = 0.4\nv1bar = 0\nx1bar = 0\nx2bar = 0\nybar = 1\n"
    text += "v1bar = v1bar - ybar*x1/v1^2 = -0.08\nx1bar = x1bar + ybar/v1 = 0.2\nx1bar = x1bar + v1bar = {}\n"
    text += "x2bar += v1bar = -0.08"
    found = judged(text.format(0.12), task)
    assert ({"correct"}, 6) == ({mark.verdict for mark in found.marks}, found.possible)
    slip = judged(text.format(-0.08), task)
    assert ("x̄1", ("adjoint_overwritten",)) == (slip.marks[slip.first or 0].row, slip.marks[slip.first or 0].slips)
    assert ("error", ("path_missing",), "absent", "wrong") == only("ybar = 1\nx1bar = 0.2", "x̄1", task)


def test_an_answer_that_moves_one_input_is_about_the_input_that_it_names() -> None:
    text = "v̇1 = 1/x1 = 0.5\nv̇2 = x1 = 2\nv̇3 = 0\nv̇4 = v̇1 + v̇2 = 2.5\nv̇5 = v̇4 - v̇3 = 2.5\ndy/dx1 = 2.5"
    found = verdicts(text)
    assert {"v̇1": "correct", "v̇2": "error", "v̇3": "correct", "v̇4": "carried", "v̇5": "carried", "ẏ": "carried"} == found
    assert "operand_partials_swapped" in only(text, "v̇2")[1]


def test_a_formula_whose_numbers_come_further_down_is_no_second_sweep() -> None:
    task = task_of("x1/(x1+x2) @ x1=2, x2=3")
    text = "v1 = x1+x2 = 5\ny = x1/v1 = 0.4\ny' = (x1'*v1 - x1*v1')/v1^2\nx1' = 1, x2' = 0\nv1' = 1\n"
    text += "y' = (1*5 - 2*1)/25 = 0.12\ndy/dx2 = -x1/v1^2 = -0.08"
    assert {"correct"} == set(verdicts(text, task).values())


def test_derivatives_by_inputs_alone_are_a_forward_sweep_and_are_carried() -> None:
    task = task_of("x^3-2*x @ x=1.5")
    text = "a = x^3 = 3.375\nb = 2*x = 3\ny = a-b = 0.375\nda/dx = 3*x = 4.5\ndb/dx = 2\ndy/dx = da/dx - db/dx = 2.5"
    found = judged(text, task)
    assert {"ȧ": "error", "ẏ": "carried"} == {m.row: m.verdict for m in found.marks if m.verdict != "correct"}
    assert "power_off_by_one" in only(text, "ȧ", task)[1]
    forward = task._replace(mode="forward")
    assert "right" == judged("y = x^3 - 2*x = 0.375\ndy/dx = 3*x^2 - 2 = 4.75", forward).verdict


def test_a_wrong_local_derivative_is_carried_into_the_sum() -> None:
    partials = "∂v1/∂x1 = 1/2\n∂v2/∂x1 = 5\n∂v2/∂x2 = 2\n∂v3/∂x2 = -cos(x2) = -0.284\n"
    found = judged(VALUES + partials + SWEPT + "x̄1 = 5.5\nx̄2 = 2 + 0.284 = 2.284")
    assert {"∂v3/∂x2": "error", "x̄2": "carried"} == {m.row: m.verdict for m in found.marks if m.verdict != "correct"}


def test_a_value_that_is_written_anew_is_judged_by_itself() -> None:
    text = "v1 = ln 2 = 0.301\nv1 = ln 2 = 0.693\nv2 = 10\nv3 = -0.959\nv4 = 10.693\nv5 = 11.652"
    marking = judged(text, PAPER._replace(mode="value"))
    assert ["superseded"] + 5 * ["correct"] == [mark.verdict for mark in marking.marks]
    assert ("right", marking.possible, None) == (marking.verdict, marking.earned, marking.first)


def test_a_formula_that_cannot_be_read_may_fuse_steps() -> None:
    task = task_of("1/(1+exp(-(w*x+b))) @ w=0.5, x=2, b=-0.3")
    assert {"z": "correct", "y": "correct"} == verdicts(
        "z = w*x + b = 0.7\ny = the logistic function of z = 0.668", task
    )
    assert {"z": "correct", "y": "correct"} == verdicts("z = w*x + b = 0.7\ny = σ(z) = 0.668", task)


@pytest.mark.parametrize(
    ("text", "row", "slips"),
    [
        ("v5bar = 1\nv4bar = 1 + v5bar = 2", "v̄4", ("seed",)),
        ("v5bar = 1\nv4bar = 2", "v̄4", ()),
        ("v1 = x1+x2^2 = 27\nv2 = 10\nv3 = sin(x2) = -0.959\nv4 = v1+v2 = 37\nv5 = 27", "v1", ()),
    ],
)
def test_what_a_formula_gives_is_no_slip_of_writing_and_every_adjoint_from_1_is_one_of_seeds(
    text: str, row: str, slips: tuple[str, ...]
) -> None:
    assert ("error", slips) == only(text, row)[:2]


@pytest.mark.parametrize("names", [("v1", "v2", "v3", "v4"), ("v-1", "v0", "v1", "v2"), ("w1", "w2", "w3", "w4")])
def test_rows_may_be_numbered_from_the_inputs_on_with_nothing_but_their_values(names: tuple[str, ...]) -> None:
    a, b, c, d = names
    text = f"{a} = 1.5 | d{a} = 1\n{b} = 0.5 | d{b} = 0\n{c} = {a}/{b} = 3 | d{c} = d{a}/{b} = 2\n".replace(" | ", "; ")
    text += f"{d} = sin({c}) = 0.141; d{d} = cos({c})*d{c} = -1.98\ny = {d} = 0.141; dy = d{d} = -1.98"
    found = judged(text, task_of("sin(x1/x2) @ x1=1.5, x2=0.5", mode="forward", wrt=("x1",)))
    assert ("right", {"correct"}) == (found.verdict, {mark.verdict for mark in found.marks})


def test_a_formula_with_some_numbers_put_in_is_right() -> None:
    sums = "x̄1 = v̄1/x1 + 5 = 5.5\nx̄2 = v̄2*x1 + v̄3*0.284 = 1.716"
    assert {"correct"} == set(verdicts(VALUES + SWEPT + "∂v3/∂x2 = cos(x2) = 0.284\n" + sums).values())
    text = VALUES.replace("v1+v2", "v1 + 10").replace("v4-v3", "10.693 - v3")
    assert {"correct"} == set(verdicts(text).values())
    assert ("formula", (), "wrong", "right") == only("v1 = 2*x1 = 4", "v1", task_of("x1^2+x1 @ x1=2"))
    slip = verdicts(text.replace("x1*x2 = 10", "x1+x2 = 7").replace("+ 10 = 10.693", "+ 7 = 7.693"))
    assert ("error", "carried") == (slip["v2"], slip["v4"])
    assert ("error", "wrong") == only(VALUES + "x̄1 = v̄1 + 5 = 6", "x̄1")[::2]


def test_a_sign_in_the_formula_as_it_is_written_explains_more_than_two_slips_at_once() -> None:
    task = task_of("1/(1+exp(-x)) @ x=0.3", mode="forward")
    marks = judged("s = 0.5744\ns' = s*(1+s) = 0.9044\n", task).marks
    assert [("error", ("sign",))] == [(mark.verdict, mark.slips) for mark in marks if mark.kind == "dot"]


def test_a_row_whose_number_has_a_decimal_comma_is_not_right_unread() -> None:
    for line in ("v1 = ln 2 = 0,301", "v1 = ln x1 = 0,301"):
        (found,) = [mark for mark in judged(line + "\nv2 = 10").marks if mark.row == "v1"]
        assert "unreadable" == found.verdict
        assert "--decimal comma" in found.feedback


@pytest.mark.parametrize("order", ["54321", "35142"])
def test_rows_are_judged_after_all_that_they_use_wherever_they_stand(order: str) -> None:
    task = task_of("x1*x2*cos(x1*x2) @ x1=0.7, x2=4.3", mode="forward", wrt=("x1",))
    lines = {"1": "a = x1*x2 = 3.0", "2": "b = cos(a) = -0.990", "3": "y = a*b = -2.97", "4": "da = x2 = 4.3"}
    lines["5"] = "dy = da*b - a*sin(a)*da = -6.077"
    found = judged("\n".join(lines[k] for k in order), task)
    assert "right" == found.verdict, [(mark.row, mark.verdict) for mark in found.marks]


def test_an_adjoint_that_is_used_before_it_is_whole_is_no_rounding() -> None:
    task = task_of("sin(x1*x2) + (x1*x2)^2 @ x1=1.2, x2=0.7")
    text = "a = x1*x2 = 0.84\nb = sin(a) = 0.745\nc = a^2 = 0.706\ny = b+c = 1.450\nbbar = 1\ncbar = 1\n"
    text += "abar = bbar*cos(a) = 0.667\nx1bar = abar*x2 = {}\nabar = abar + cbar*2*a = 2.347\nx2bar = abar*x1 = 2.817"
    assert {"x̄1": "error"} == {
        m.row: m.verdict for m in judged(text.format(0.467), task).marks if m.verdict != "correct"
    }
    assert "right" == judged(text.format(1.643), task).verdict


def test_numbered_rows_without_formulas_are_known_by_their_numbers_and_then_by_their_names() -> None:
    task = task_of("x2*cos(x1*x2) @ x1=1.6, x2=1.7")
    assert {"w1": "correct", "w2": "correct", "w3": "rounding"} == verdicts(
        "w1 = 2.720\nw2 = -0.912\nw3 = -1.550", task
    )
    found = verdicts("w1 = 2.720\nw2 = -0.912\nw3 = 1.550", task)
    assert {"w1": "correct", "w2": "correct", "w3": "error"} == found


# --- verdicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "line", "expected"),
    [
        ("v3", "v3 = sin(x2) = 0.087", ("error", ("degrees",), "right", "wrong")),
        ("v3", "v3 = sin(5°) = 0.087", ("error", ("degrees",), "absent", "wrong")),
        ("v1", "v1 = log(x1) = 0.301", ("error", ("log10_for_log",), "right", "wrong")),
        ("v3", "v3 = sin(x2) = 0.959", ("error", ("sign",), "right", "wrong")),
        ("v3", "v3 = cos(x2) = 0.284", ("error", ("wrong_operation",), "wrong", "wrong")),
        ("v3", "v3 = sin(x2) = -9.59", ("error", ("decimal_point",), "right", "wrong")),
        ("v3", "v3 = sin(x2) = -0.995", ("error", ("digits_transposed",), "right", "wrong")),
        ("v3", "v3 = sin(x2) = 0.693", ("error", ("row_copied",), "right", "wrong")),
        ("v3", "v3 = cos(x2) = -0.959", ("formula", (), "wrong", "right")),
        ("v3", "v3 = sin(x2)", ("correct", (), "right", "absent")),
        ("v3", "v3 = sin(5)", ("correct", (), "absent", "right")),
        ("v3", "v3 = sin(x2) = -0.96", ("correct", (), "right", "right")),
        ("v3", "v3 = sin(x2) = -0.958", ("precision", (), "right", "right")),
        ("v3", "v3 = sin(q) = -0.959", ("correct", (), "absent", "right")),
        ("v3", "v3 = ____", ("missing", (), "absent", "absent")),
    ],
)
def test_one_row_of_values(row: str, line: str, expected: tuple[str, tuple[str, ...], str, str]) -> None:
    text = "\n".join(line if old.startswith(row) else old for old in VALUES.splitlines()[:3])
    assert expected == only(text, row)


DOTS = VALUES + "dx1 = 1\ndx2 = 0\ndv1 = 0.5\n"
BARS = VALUES + "v5bar = 1\nv4bar = 1\nv3bar = -1\nv2bar = 1\nv1bar = 1\nx1bar = 5.5\n"
QUOTIENT = task_of("x1/x2 + x2^3 @ x1=2.6, x2=1.7")
QUOTIENT_VALUES = "v1 = x1/x2 = 1.529\nv2 = x2^3 = 4.913\nv3 = v1+v2 = 6.442\n"


@pytest.mark.parametrize(
    ("task", "before", "line", "slip"),
    [
        (PAPER, DOTS, "dv2 = dx1*x1 + dx2*x2 = 2", "operand_partials_swapped"),
        (PAPER, DOTS, "dv2 = dx1*dx2 = 0", "product_rule"),
        (PAPER, VALUES + "dx1 = 0\ndx2 = 1\n", "dv3 = cos(5) = 0.996", "degrees"),
        (PAPER, VALUES, "dx1 = 2", "seed"),
        (PAPER, VALUES, "v5bar = 0", "seed"),
        (PAPER, BARS, "x2bar = v3bar*cos(x2) = -0.284", "path_missing"),
        (PAPER, BARS + "x2bar = v3bar*cos(x2) = -0.284\n", "x2bar = v2bar*x1 = 2", "adjoint_overwritten"),
        (PAPER, BARS + "x2bar = v2bar*x1 = 2\n", "x2bar = v3bar*cos(x2) = -0.284", "adjoint_overwritten"),
        (task_of("x+x*y @ x=2, y=3"), "a = x*y = 6\nf = x+a = 8\nabar = 1\n", "xbar = y*abar = 3", "path_missing"),
        (PAPER, BARS, "x2bar = cos(x2) + v2bar*x1 = 2.284", "sign"),
        (QUOTIENT, QUOTIENT_VALUES, "x2bar = x1/x2^2 + 3*x2^2 = 9.570", "quotient_sign"),
        (QUOTIENT, QUOTIENT_VALUES + "dx1 = 0\ndx2 = 1\n", "dv2 = 3*x2^3*dx2 = 14.739", "power_off_by_one"),
        (QUOTIENT, QUOTIENT_VALUES + "dx1 = 0\ndx2 = 1\n", "dv2 = 3*x2*dx2 = 5.1", "power_off_by_one"),
        (task_of("exp(sin(x)) @ x=1.3"), "v1 = 0.964\nv2 = 2.621\ndx = 1\ndv1 = 0.267\n", "dv2 = 2.621",
         "chain_rule_forgotten"),
        (task_of("exp(sin(x)) @ x=1.3"), "v1 = 0.964\nv2 = 2.621\nv2bar = 1\n", "v1bar = 0.964", "value_for_adjoint"),
        (PAPER, DOTS + "dv2 = 5\n", "dv4 = 5", "path_missing"),
        (task_of("(x1*x2)^2 @ x1=2.6, x2=1.7"), "v1 = 4.42\nv2 = 19.536\nv2bar = 1\nv1bar = 8.84\n", "x1bar = 22.984",
         "operand_partials_swapped"),
        (task_of("sin(x)*x @ x=1.3"), "y = sin(x)*x = 1.253\ndx = 1\n", "dy = 0.616", "sign"),
        (task_of("sin(x)*x @ x=1.3"), "y = sin(x)*x = 1.253\nybar = 1\n", "xbar = 0.616", "sign"),
        (task_of("log(x)*x @ x=3"), "v1 = 1.099\nv2 = 3.296\ndx = 1\ndv1 = 0.333\ndv2 = 2.099\nv2bar = 1\n",
         "v1bar = 0.333", "mode_confused"),
    ],
)  # fmt: skip
def test_each_slip_by_hand(task: Task, before: str, line: str, slip: str) -> None:
    marking = judged(before + line, task)
    assert marking.first is not None
    found = marking.marks[marking.first]
    assert slip in found.slips
    assert marking.marks[-1] is found or found.line == len((before + line).splitlines())
    text = HINTS["slips"][slip].partition("; here")[0]  # what seems overwritten may be a missing path
    parts = ["chain rule: the factor dv1 is missing"] if slip == "chain_rule_forgotten" else text.split(": ")
    assert all(part in found.feedback for part in parts)  # one of two has its reason in brackets


def test_nothing_is_carried_into_a_row_that_a_wrong_number_made_trivial() -> None:
    task = task_of("exp(x*y)+y @ x=1.2, y=0.7", mode="value")
    text = "v1 = x*y = 0\nv2 = exp(v1) = 1\nv3 = v2 + y = 1.7"
    marking = judged(text, task)
    assert ["error", "carried", "carried"] == [found.verdict for found in marking.marks]
    assert [0, 0, Fraction(1, 2)] == [found.earned for found in marking.marks]
    assert "just 0 or 1" in marking.marks[1].feedback
    assert "just 0 or 1" not in judged(text, task._replace(mode=None)).marks[1].feedback  # no row that has marks
    assert 0 == marking.first


def test_a_wrong_number_that_happens_to_lead_back_does_not_follow() -> None:
    text = VALUES.replace("v4 = v1+v2 = 10.693", "v4 = v1+v2 = 10.963")
    found = verdicts(text)
    assert ("error", "does_not_follow") == (found["v4"], found["v5"])


def test_too_few_digits_are_no_error() -> None:
    rules = Rules(min_places=3, precision=Fraction(3, 4))
    task = PAPER._replace(mode="value")
    marking = judged("v1 = 0.69\nv2 = 10\nv3 = -0.959\nv4 = 10.693\nv5 = 11.652", task, rules)
    assert ("precision", "correct") == (marking.marks[0].verdict, marking.marks[1].verdict)
    assert ("incomplete", Fraction(6) - Fraction(1, 4)) == (marking.verdict, marking.earned)


def test_a_whole_number_beside_the_truth_is_no_matter_of_rounding() -> None:
    found = verdicts("v1 = x^2 = 8\ny = v1 + 1 = 9", task_of("x^2 + 1 @ x=3"))
    assert {"v1": "error", "y": "carried"} == found


@pytest.mark.parametrize("line", ["v5bar = ybar = 1", "v5bar = ybar", "v̄5 = ȳ = 1", "v5bar = dy/dy = 1"])
def test_a_seed_may_be_written_as_the_adjoint_of_the_result(line: str) -> None:
    marks = judged(VALUES + "y = v5 = 11.652\n" + line).marks
    assert ["correct"] == [found.verdict for found in marks if found.kind == "bar" and found.span is not None]


def test_a_form_with_formulas_alone_is_not_worked_out() -> None:
    text = "v1 = log(x1)\nv2 = x1*x2\nv3 = sin(x2)\nv4 = v1+v2\nv5 = v4-v3"
    assert ("missing", (), "right", "absent") == only(text, "v5")
    assert "incomplete" == judged(text).verdict
    assert {"missing"} == set(verdicts(text, rules=Rules(numbers=True)).values())
    assert "right" == judged(text + " = 11.652", PAPER._replace(mode="value")).verdict


def test_results_need_their_numbers_also_next_to_derivatives() -> None:
    text = "v1 = log(x1)\nv2 = x1*x2\nv3 = sin(x2)\ny = v1+v2-v3\nybar = 1\nx1bar = 5.5\nx2bar = 1.716"
    assert "incomplete" == judged(text).verdict
    assert "right" == judged(text + "\ny = 11.652").verdict
    assert "missing" == verdicts(text, PAPER._replace(mode="both"))["y"]
    assert "missing" == verdicts(text.replace(" = 5.5", " = x2 + 1/x1"))["x̄1"]


def test_marks_are_exact_and_add_up_to_the_points() -> None:
    task = PAPER._replace(points=Fraction(7), mode="value")
    marking = judged(VALUES.replace("-0.959", "0.959").replace("v5 = v4-v3 = 11.652", "v5 = v4-v3 = 9.734"), task)
    assert (Fraction(7), Fraction(7, 6) * 4, Fraction(7, 6) * 3) == (marking.possible, marking.earned, marking.alone)
    for total, part in (("earned", "earned"), ("alone", "alone"), ("possible", "possible")):
        assert getattr(marking, total) == sum(getattr(each, part) for each in marking.quantities)


def test_what_is_missing_is_listed_after_the_rest() -> None:
    marking = judged(VALUES + "v5bar = 1\nv4bar = 1\nv3bar = -1\nx2bar = 1.716")
    assert [("x̄1", "missing")] == [(found.row, found.verdict) for found in marking.marks if found.verdict != "correct"]
    assert "incomplete" == marking.verdict


def test_a_number_without_its_row_misses_the_row() -> None:
    assert "missing" == verdicts("v1 = 0.693\nv2 = 10\nv4 = 10.693\nv5 = 11.652")["v3"]


def test_a_number_in_feedback_would_be_found() -> None:
    marking = judged(VALUES.replace("= 10\n", "= 11\n"))
    assert [] == numbers_told(marking)
    told = [found._replace(feedback="it is (10.0)") for found in marking.marks]
    assert len(told) == len(numbers_told(marking._replace(marks=told)))


def test_a_right_row_is_good_news_only() -> None:
    assert {"correct", "rounding", "does_not_follow", "precision"} == GOOD


# --- what follows from what -------------------------------------------------------------------------------------------


def test_a_slip_counts_once_where_the_result_has_two_names() -> None:
    values = VALUES.replace("11.652", "12.652") + "y = 12.652"
    assert {"v5": "error", "y": "carried"} == {row: v for row, v in verdicts(values).items() if v != "correct"}
    dots = VALUES + "dx1 = 1\ndx2 = 0\ndv1 = 0.5\ndv2 = 5\ndv3 = 0\ndv4 = 5.5\ndv5 = 6.5\ndy = {}"
    for last, verdict in ((6.5, "carried"), (5.5, "does_not_follow"), (7.5, "error")):
        found = verdicts(dots.format(last))
        assert {"v̇5": "error", "ẏ": verdict} == {row: v for row, v in found.items() if v != "correct"}


def test_a_derivative_that_is_written_anew_is_judged_by_itself() -> None:
    text = VALUES + "dx1 = 1\ndx2 = 0\ndv1 = 0.5\ndv2 = 2\ndv2 = 5\ndv3 = 0\ndv4 = 5.5\ndy = 5.5"
    task = PAPER._replace(wrt=("x1",))
    assert {"correct": 12, "superseded": 1} == Counter(found.verdict for found in judged(text, task).marks)
    text = VALUES + "∂v3/∂x2 = -0.284\n∂v3/∂x2 = cos(x2) = 0.284\n" + SWEPT + "x̄1 = 5.5\nx̄2 = 2 + -1*0.284 = 1.716"
    found = judged(text).marks
    assert ["∂v3/∂x2"] == [mark.row for mark in found if mark.verdict != "correct"]


@pytest.mark.parametrize(
    ("x", "verdict"),
    [(-3, "correct"), (3, "correct"), (0.5, "correct"), (-1, "correct"), (2, "correct")],
)
def test_a_number_put_in_for_a_symbol_that_the_formula_lacks_is_right(x: float, verdict: str) -> None:
    task = task_of(f"x1*x2 @ x1={x}, x2=4")
    assert verdict == only(f"v1 = {x}*x2 = {4 * x}", "v1", task)[0]
    assert ("error", "wrong") == only(f"v1 = {x} + x2 = {x + 4}", "v1", task)[::2]


def test_nothing_is_put_in_where_the_rule_has_no_value() -> None:
    found = verdicts("v1 = -10\nv2 = log(x1*5) = 2.303", task_of("log(x1*x2) @ x1=2, x2=5"))
    assert {"v1": "error", "v2": "formula"} == found


def test_a_row_goes_by_the_name_that_the_problem_gives_it() -> None:
    task = task_of("z = x1*x2; y = sin(z) @ x1=2, x2=5")
    assert {"z": "error", "y": "carried"} == verdicts("z = 11\ny = sin(z) = -0.99999", task)
    assert {"v1": "error", "y": "carried"} == verdicts("v1 = 11\ny = sin(v1) = -0.99999", task)
    astray = judged("b = x1/x2 = 0.4\na = x1*x2 = 10", task_of("a = x1*x2; b = x1-x2; y = a/b @ x1=2, x2=5")).marks[0]
    assert ("b", "error", "x1 − x2") == (astray.row, astray.verdict, astray.expected)


@pytest.mark.parametrize(("line", "expected"), [("v3 = v1+v2", "sin x2"), ("v3 = sin x2", "v1 + v2")])
def test_formulas_without_numbers_tell_the_numbering(line: str, expected: str) -> None:
    (found,) = [mark for mark in judged(f"{line}\nv4 = 0.5").marks if mark.row == "v4"]
    assert expected == found.expected


def test_derivatives_by_the_input_are_total_unless_adjoints_are_put_together_from_them() -> None:
    values = "v1 = sin(x) = 0.964\nv2 = v1*x = 1.253\nv3 = exp(v2) = 3.500\n"
    task = task_of("exp(sin(x)*x) @ x=1.3")
    totals = verdicts(values + "∂v2/∂v1 = x = 1.3\n∂v2/∂x = 1.311\n∂v3/∂x = 4.589", task)
    assert "correct" == totals["v̇2"] == totals["v̇3"]
    more = "v4 = v3+1 = 4.500\nv4bar = 1\ndv2/dx = 1.311\ndv3/dx = 4.589\n"
    swept = verdicts(values + more, task_of("exp(sin(x)*x)+1 @ x=1.3"))
    assert "correct" == swept["v̇2"] == swept["v̇3"]


def test_what_is_blamed_is_underlined() -> None:
    for text, blamed in (
        ("v3 = cos(x2) = 0.284", "cos(x2)"),
        ("v3 = 0.1 + 0.2 = cos(x2) = 0.284", "cos(x2)"),
        ("v3 = sin(x2) = 0.959", "0.959"),
        ("v3 = sin(x2) = 2 - 1", "2 - 1"),
        ("v3 = sin(x2) = -0.959", "v3"),
    ):
        span = judged("v1 = log(x1) = 0.693\n" + text).marks[1].span
        assert span is not None
        assert blamed == span.source.text[span.start : span.end]


def test_a_row_of_something_else_is_told_by_its_name() -> None:
    (found,) = [mark for mark in judged("v1 = log(x1) = 0.693\nprofit = 3").marks if mark.verdict == "extra"]
    assert ("profit", "nothing in the problem is called profit") == (found.row, found.feedback)


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ("s = x1 + x2 = 7", "right"),
        ("s = x1 + x2 = 9", "wrong"),
        ("t = v1*3 = 2.08", "right"),
        ("t = v1*3 = 2.5", "wrong"),
        ("s = 2 + 5 = 7", "right"),
        ("s = 2 + 5 = 9", "wrong"),
        ("q = p*x1 = 3", "right"),  # nothing is known of p
    ],
)
def test_an_equation_of_another_quantity_has_to_hold(row: str, verdict: str) -> None:
    true = "v1 = ln(x1) = 0.693\nv2 = x1*x2 = 10\nv3 = sin(x2) = -0.959\nv4 = v1+v2 = 10.693\nv5 = v4-v3 = 11.652\n"
    marking = judged(true + row, task_of("log(x1)+x1*x2-sin(x2) @ x1=2, x2=5", mode="value"))
    assert (verdict, marking.possible) == (marking.verdict, marking.earned)


@pytest.mark.parametrize(
    ("problem", "mode", "answer", "verdict"),
    [  # one of these is no step, and what is said of y does not need it
        ("exp((tanh(b)*a)^2) @ b=0.9, a=0.4", "reverse",
         "t2 = 0.716\nt3 = {}\nt4 = 0.082\nt1 = 1.086\ny = t1 = 1.086\nbar(t1) = 1\nbar(t4) = 1.086\nbar(t3) = 0.622\n"
         "bar(t2) = 0.249\nbar(b) = 0.121\nbar(a) = 0.446", ("0.287", "right", "0.317", "wrong")),
        ("x1/x2*ln(sin(x2)) @ x1=1.9, x2=0.7", "forward",
         "a = {}\nb = sin(x2) = 0.64422\ng = -1.19352\ndb/dx1 = 0\ndg/dx1 = -0.62817",
         ("2.71429", "right", "0.27143", "incomplete")),
        ("a*b*c @ a=4, b=2, c=3", "value", "s = {}\ny = 24", ("6", "right", "8", "right")),  # b*c, or a*b
    ],
)  # fmt: skip
def test_a_number_of_no_step_is_not_passed_over(
    problem: str, mode: str, answer: str, verdict: tuple[str, str, str, str]
) -> None:
    task = task_of(problem, mode=mode, wrt=("x1",) if mode == "forward" else ())
    for number, expected in zip(verdict[::2], verdict[1::2], strict=True):
        assert expected == judged(answer.format(number), task).verdict


# --- what numbers stand for -------------------------------------------------------------------------------------------


def number(text: str) -> Numeral:
    return Numeral(Fraction(text), Fraction(1, 10 ** len(text.partition(".")[2])))


@pytest.mark.parametrize(
    ("text", "unit", "usual", "wide", "narrow", "brief"),
    [
        ("0.693", "0.001", 3, "0.0005", "0.0005", False),
        ("0.69", "0.001", 3, "0.005", "0.005", False),
        ("0.7", "0.001", 3, "0.05", "0.0005", True),
        ("0.6931", "0.001", 3, "0.00005", "0.00005", False),
        ("10", "0.001", 3, "0.5", "0.05", True),
        ("10.7", "0.001", 3, "0.05", "0.05", False),
        ("140", "0.01", 2, "5", "0.5", False),
        ("140", "0.01", 3, "0.5", "0.5", False),
        ("1400", "0.01", 2, "50", "0.5", False),
        ("1400", "0.01", 3, "5", "0.5", False),
        ("1500", "0.01", 1, "50", "0.5", False),
        ("10", "0.1", 1, "0.5", "0.5", False),
        ("120.5", "0.001", 3, "0.05", "0.05", False),
        ("12.5", "0.001", 3, "0.05", "0.05", False),
    ],
)
def test_a_number_stands_for_what_rounds_to_it_and_narrowly_for_what_is_usual(
    text: str, unit: str, usual: int, wide: str, narrow: str, brief: bool
) -> None:
    found = shown(number(text), Habit(Fraction(unit), usual))
    for half, spread in ((wide, found.wide), (narrow, found.narrow)):
        assert float(Fraction(text) - Fraction(half)) == pytest.approx(spread.low, rel=1e-12)
        assert float(Fraction(text) + Fraction(half)) == pytest.approx(spread.high, rel=1e-12)
    assert brief == found.brief


@pytest.mark.parametrize(("off", "signs"), [(0.0, "right right right"), (1e-8, "right wrong right")])
def test_numbers_that_a_program_printed_have_its_rounding(off: float, signs: str) -> None:
    """1 - tanh(4.5)^2 computed in doubles is wrong in the 13th digit."""
    slope = 1 - math.tanh(4.5) ** 2
    text = f"dy/da = {1.5 * slope!r}\ndy/dx = {2 * slope * (1 + off)!r}\ndy/db = {slope!r}"
    found = judged(text, task_of("tanh(a*x + b) @ a=2, x=1.5, b=1.5")).marks
    assert signs.split() == ["right" if mark.verdict in GOOD else "wrong" for mark in found if mark.line]


@pytest.mark.parametrize(
    ("text", "half"), [("0.284", "0.0005"), ("2.5e3", "50"), ("3", "0"), ("10.", "0.5"), ("1.50e-2", "0.00005")]
)
def test_a_number_put_in_stands_for_what_rounds_to_it_if_it_has_a_point(text: str, half: str) -> None:
    spread = ROUNDED.number(text)
    assert float(Fraction(text) - Fraction(half)) == pytest.approx(spread.low, rel=1e-12, abs=0)
    assert float(Fraction(text) + Fraction(half)) == pytest.approx(spread.high, rel=1e-12, abs=0)
    assert (spread.low == spread.high) == (half == "0")


def test_formulas_are_compared_in_a_narrow_domain_too() -> None:
    for width in (10, 100, 1000):
        task = task_of(f"sqrt(1 - {width}^2*(x-2)^2) @ x={2 + 0.1 / width}")
        assert 9 == len(trace_worksheet(task).places), width


def test_planted_slips_are_of_the_point_of_the_task() -> None:
    sheet = trace_worksheet(PAPER)
    truth = sheet.truths()[0]
    values = [truth.value(sheet.slots[f"v{k}"]).middle for k in (1, 2, 3)]
    assert pytest.approx([math.log(2), 10, math.sin(5)]) == values
    for plant in slips_of_row(PAPER, "both"):
        assert truth.read(plant.kind, plant.slot, plant.key).middle == plant.truth


@pytest.mark.parametrize(("constant", "number"), [("pi", "3.142"), ("e", "2.718"), ("tau", "6.283"), ("π", "3.142")])
def test_a_derivative_may_be_a_constant_by_its_name(constant: str, number: str) -> None:
    task = task_of(f"{constant}*x @ x=3")
    assert {"ẋ": "correct", "v̇1": "correct"} == verdicts(f"dx = 1\nv1dot = {constant} = {number}", task)
    assert {"v̄1": "correct", "x̄": "correct"} == verdicts(f"v1bar = 1\nxbar = {constant} = {number}", task)
    assert {"correct"} == set(verdicts(f"∂y/∂x = {constant} = {number}", task).values())


SUMMED = VALUES.replace("x1*x2 = 10", "x1+x2 = 7").replace("10.693", "7.693")  # so that v4 - v3 is 8.652


@pytest.mark.parametrize(
    ("number", "verdict"),
    [("8.652", "carried"), ("8.65", "carried"), ("8.66", "error"), ("8.7", "carried"), ("9", "error"),
     ("8.6521", "carried"), ("8.653", "carried"), ("8.655", "error"), ("7.734", "error")],
)  # fmt: skip
def test_what_follows_is_carried_by_what_its_digits_say_unless_these_are_whole_and_few(
    number: str, verdict: str
) -> None:
    assert verdict == only(SUMMED.replace("11.652", number), "v5")[0]


@pytest.mark.parametrize(
    ("first", "then", "expected"),
    [
        ("0.7", "10.66", ("correct", "rounding")),
        ("0.7", "10.70", ("correct", "rounding")),
        ("0.7", "10.76", ("correct", "error")),
        ("0.7", "10.7", ("correct", "correct")),
        ("0.69", "10.69", ("correct", "correct")),
        ("0.69", "10.686", ("correct", "rounding")),
        ("0.694", "10.694", ("error", "carried")),
        ("0.694", "10.693", ("error", "correct")),
        ("0.69315", "10.6931", ("correct", "correct")),
    ],
)
def test_a_number_is_used_as_widely_as_it_may_have_been_rounded(
    first: str, then: str, expected: tuple[str, str]
) -> None:
    found = verdicts(VALUES.replace("0.693", first, 1).replace("10.693", then))
    assert expected == (found["v1"], found["v4"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v1 = x*y = 0.48\nv2 = exp(v1) = 1.616\ndx = 1\ndy = 0\ndv1 = 0.7\ndv2 = exp(v1)*dv1 = 1.131",
         {"v1": "error", "v2": "carried", "v̇2": "carried"}),
        ("v1 = x*y = 0.84\nv2 = exp(v1) = 2.316\ndx = 1\ndy = 0\ndv1 = 1.2\ndv2 = 2.780",
         {"v̇1": "error", "v̇2": "carried"}),
        ("v1 = x*y = 0.48\nv2 = exp(v1) = 1.616\nv2bar = 1\nv1bar = 1.616\nxbar = 1.131\nybar = 1.939",
         {"v1": "error", "v2": "carried", "v̄1": "carried", "x̄": "carried", "ȳ": "carried"}),
        ("v1 = x*y = 0.84\nv2 = exp(v1) = 2.316\nv2bar = 1\nv1bar = 0.84\nxbar = 0.588\nybar = 1.008",
         {"v̄1": "error", "x̄": "carried", "ȳ": "carried"}),
        ("v1 = x*y = 0.84\nv2 = exp(v1) = 2.316\nv2bar = 1\nv1bar = 0.84\nxbar = 1.621\nybar = 2.780",
         {"v̄1": "error", "x̄": "does_not_follow", "ȳ": "does_not_follow"}),
        ("v1 = x*y = 0.48\nv2 = exp(v1) = 2.316\nv2bar = 1\nv1bar = 2.316\nxbar = 1.621\nybar = 2.780",
         {"v1": "error", "v2": "does_not_follow", "v̄1": "does_not_follow"}),
    ],
)  # fmt: skip
def test_what_is_wrong_taints_all_that_uses_it_until_a_right_number_ends_it(
    text: str, expected: dict[str, str]
) -> None:
    found = verdicts(text, task_of("exp(x*y) @ x=1.2, y=0.7"))
    assert expected == {row: verdict for row, verdict in found.items() if verdict != "correct"}
