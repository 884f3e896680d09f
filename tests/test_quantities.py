"""Marks belong to the quantities of a problem: each once, the same total for every answer, nothing for nothing."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import islice

import pytest
from drawn import usually
from one_wrong_row import cases, honest

from adcli.classroom.key import read_key, write_key
from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of

PAPER = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"
NAMES = ("v1", "v2", "v3", "v4", "v5", "v5bar", "v4bar", "v3bar", "v2bar", "v1bar", "x2bar", "x1bar")
VALUES = "v1 = log(x1) = 0.693\nv2 = x1*x2 = 10\nv3 = sin(x2) = -0.959\nv4 = v1+v2 = 10.693\nv5 = v4-v3 = 11.652\n"
NONE = "y = 99\nx1bar = 77\nx2bar = 66\n"


def marked(text: str, mode: str | None = "reverse", problem: str = PAPER, wrt: str | None = None) -> Marking:
    task = task_of(problem, mode=mode, wrt=(wrt,) if wrt else ())
    (marking,) = assess(text.encode(), "answer.txt", [task], Rules())
    return marking


def each(value: str) -> str:
    return "\n".join(f"{name} = {value}" for name in NAMES)


def verdicts(text: str, mode: str = "value", problem: str = PAPER) -> list[str]:
    return [mark.verdict for mark in marked(text, mode, problem).marks]


# --- the total --------------------------------------------------------------------------------------------------------

ANSWERS = (
    "y = 11.652",
    "y = ln 2 + 10 - sin 5 = 11.652\nx1bar = 5.5\nx2bar = x1 - cos(x2) = 1.716",
    "y = ln 2 + 10 + sin 5 = 9.734\nx1bar = 5.5",
    VALUES,
    VALUES + "dx1 = 1\ndx2 = 0\ndv5 = 5.5",
    each("0e9"),
    "y = ?",
    "",
    "a = x1*x2 - sin(x2) = 10.959\ny = a + ln(x1) = 11.652\nabar = 1\nw = 3\nw = 3\nprofit = 7",
)


@pytest.mark.parametrize("mode", [None, "value", "forward", "reverse", "both"])
def test_the_total_of_a_problem_is_the_same_for_every_answer_and_the_parts_add_up(mode: str | None) -> None:
    found = [marked(text, mode) for text in ANSWERS]
    assert 1 == len({marking.possible for marking in found})
    for marking in found:
        if marking.quantities:
            assert [each.quantity for each in found[0].quantities] == [each.quantity for each in marking.quantities]
            assert marking.earned == sum(each.earned for each in marking.quantities)
            assert marking.alone == sum(each.alone for each in marking.quantities)
            assert marking.possible == sum(each.possible for each in marking.quantities)


@pytest.mark.parametrize(
    ("mode", "names"),
    [
        ("value", "v1 v2 v3 v4 y"),
        ("forward", "v1 v2 v3 v4 y ẋ1[x1] v̇1[x1] v̇2[x1] v̇4[x1] ẏ[x1] ẋ2[x2] v̇2[x2] v̇3[x2] v̇4[x2] ẏ[x2]"),
        ("reverse", "v1 v2 v3 v4 y ȳ v̄4 v̄3 v̄2 v̄1 x̄1 x̄2"),
        (None, "y ∂y/∂x1 ∂y/∂x2"),
    ],
)
def test_quantities_are_results_and_the_steps_that_the_mode_asks_for(mode: str | None, names: str) -> None:
    found = marked(VALUES, mode).quantities
    assert names.split() == [each.quantity for each in found]
    results = {"y", "x̄1", "x̄2", "ẏ[x1]", "ẏ[x2]", "∂y/∂x1", "∂y/∂x2"}
    assert [2 if each.quantity in results else 1 for each in found] == [each.possible for each in found]


def test_a_key_says_what_quantities_weigh() -> None:
    key = read_key(
        "[marking]\nresults = 3\nsteps = '1/2'\n[[problem]]\ntext = 'log(x1)+x1*x2-sin(x2) @ x1=2, x2=5'\n"
        "mode = 'reverse'\npoints = 10\nweights = {v2bar = 4, x1bar = 0, v3 = 0}"
    )
    assert key == read_key(write_key(key))._replace(tasks=key.tasks)
    (marking,) = assess(VALUES.encode(), "a.txt", key.tasks, key.rules)
    worth = {each.quantity: each.possible for each in marking.quantities}
    whole = 3 * Fraction(1, 2) + 3 + 4 * Fraction(1, 2) + 4 + 3
    assert (10, Fraction(40) / whole, 0, 0) == (marking.possible, worth["v̄2"], worth["x̄1"], worth["v3"])


# --- evidence ---------------------------------------------------------------------------------------------------------


def test_another_decomposition_earns_all_marks() -> None:
    text = "s = 10r = 50\nt = s+q = 50.60\nu = p+t = 52.60\nubar = 1\ntbar = 1\nsbar = 1\nrbar = 10\nqbar=1\npbar=1\n"
    marking = marked(text, problem="p + 10*r + q @ p=2, q=0.6, r=5")
    assert ("right", marking.possible) == (marking.verdict, marking.earned)


def test_a_right_row_grants_the_steps_that_it_uses_and_that_are_not_written() -> None:
    bare = marked("y = 11.652\nx1bar = 5.5\nx2bar = 1.716")
    assert ("right", bare.possible) == (bare.verdict, bare.earned)
    fused = marked("y = ln(x1) + x1*x2 - sin(x2) = 11.652\nx1bar = 1/x1 + x2 = 5.5\nx2bar = x1 - cos(x2) = 1.716")
    assert ("right", fused.possible) == (fused.verdict, fused.earned)


def test_a_wrong_seed_costs_a_step_and_one_that_is_left_out_nothing() -> None:
    bars = "v4bar = v5bar = 1\nv3bar = -v5bar = -1\nv2bar = v4bar = 1\nv1bar = 1\n"
    bars += "x2bar = v2bar*x1 + v3bar*cos(x2) = 1.716\nx1bar = v1bar/x1 + v2bar*x2 = 5.5"
    for seed, lost in ("v5bar = 1\n", 0), ("", 0), ("v5bar = 2\n", 1), ("v5bar = 2\nv5bar = 1\n", 0):
        marking = marked(VALUES + seed + bars.replace("v5bar", "1") if lost else VALUES + seed + bars)
        assert (lost, 15) == (marking.possible - marking.earned, marking.possible)
    dots = "dv1 = 0.5\ndv2 = 5\ndv3 = 0\ndv4 = 5.5\ndv5 = 5.5"
    for seed, lost in ("dx1 = 1\ndx2 = 0\n", 0), ("", 0), ("dx1 = 1\ndx2 = 1\n", 1), ("dx1 = 0\ndx2 = 0\n", 1):
        marking = marked(VALUES + seed + dots, "forward", wrt="x1")
        assert (lost, 12) == (marking.possible - marking.earned, marking.possible)


def test_the_latest_row_counts_and_a_correction_ends_the_carry() -> None:
    text = VALUES.replace("v2 = x1*x2 = 10", "v2 = x1+x2 = 7\nv2 = x1*x2 = 10")
    marking = marked(text, "value")
    assert ["correct", "superseded", *["correct"] * 4] == [mark.verdict for mark in marking.marks]
    assert ("right", None, marking.possible) == (marking.verdict, marking.first, marking.earned)
    assert "wrong" == marked(VALUES + "v5 = 13", "value").verdict


def test_repetitions_earn_nothing_and_cost_nothing() -> None:
    once = marked(NONE + "v2 = x1*x2 = 10")
    again = marked(NONE + "v2 = x1*x2 = 10\n" * 50 + "".join(f"w{k} = x1*x2 = 10\n" for k in range(60, 90)))
    assert once.earned == again.earned
    launder = marked("v5 = 3*4 = 11.652\ny = v5 = 11.652", "value")
    assert 1 == {each.quantity: each.earned for each in launder.quantities}["y"]


@pytest.mark.parametrize(
    ("text", "share"),
    [(each("0e9"), 0), (each("0"), 0), (each("1e9"), 0), (each("tan(1.5707963267948966)"), 0),
     (NONE + 300 * "ybar = 1\n", 0),
     ("y = x1 = 2\nybar = 1\nx1bar = ybar = 1\nx2bar = 0", 0), ("v1 = v1\ny = y\nx1bar = x1bar", 0),
     (NONE + "".join(f"u{k} = x1+x2-x2+{k}-{k} = 2\n" for k in range(30)), 0),
     ("y = 11.652 + 0 = 11.652", Fraction(6, 15)), ("y = 0.693", 0),
     (each("±1e9"), 0), (each("0.693 or 10 or -0.959"), 0)],
)  # fmt: skip
def test_nothing_is_earned_by_what_needs_no_knowledge(text: str, share: Fraction) -> None:
    marking = marked(text)
    assert share * marking.possible >= marking.earned


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("v5 = 1e1", ["error", "precision"]),
        ("v5 = 12", ["error", "correct"]),
        ("v5 = 0e9", ["error", "error"]),
        ("v5 = v4-v3 = 7 = 11.652", ["error", "formula"]),
        ("v5 = 3*4 = 11.652", ["error", "formula"]),
        ("v5 = x1*x2 = 11.652", ["error", "formula"]),
    ],
)
def test_few_digits_and_false_equations_are_worth_what_they_say(text: str, found: list[str]) -> None:
    assert found[1:] == verdicts(text)[:1]


def test_a_small_truth_may_be_shown_as_0_with_places() -> None:
    assert ["correct"] == verdicts("y = 0.000", "value", "x^4 @ x=0.14")
    assert ["error"] == verdicts("y = 0", "value", "x^2 @ x=0.25")


def test_half_the_marks_and_no_right_answer_for_a_right_number_with_a_wrong_formula() -> None:
    marking = marked(VALUES.replace("sin(x2)", "cos(x2)"), "value")
    assert ("wrong", None, marking.possible - Fraction(1, 2)) == (marking.verdict, marking.first, marking.earned)


def test_rows_that_are_right_for_a_wrong_program_are_carried_in_every_sweep() -> None:
    values = VALUES.replace("x1*x2 = 10", "x1+x2 = 7").replace("10.693", "7.693").replace("11.652", "8.652")
    dots = "dx1 = 1\ndx2 = 0\ndv1 = 0.5\ndv2 = dx1 + dx2 = 1\ndv3 = 0\ndv4 = 1.5\ndv5 = dv4 - dv3 = 1.5"
    bars = "v5bar = 1\nv4bar = 1\nv3bar = -1\nv2bar = 1\nv1bar = 1\n"
    bars += "x2bar = v2bar + v3bar*cos(x2) = 0.716\nx1bar = v2bar + v1bar/x1 = 1.5"
    for mode, text in (("forward", dots), ("reverse", bars)):
        marking = marked(values + text, mode, wrt="x1" if mode == "forward" else None)
        assert [2] == [mark.line for mark in marking.marks if mark.verdict not in ("correct", "carried")]
        assert "carried" == marking.marks[-1].verdict


# --- one wrong row ----------------------------------------------------------------------------------------------------


def crosses(marking: Marking) -> list[int | None]:
    return [mark.line for mark in marking.marks if mark.verdict in ("error", "formula", "missing", "unreadable")]


drawn_cases = pytest.mark.parametrize(
    ("seed", "count"),
    [(11, usually(30, thoroughly=60)), pytest.param(1, usually(30, thoroughly=100), marks=pytest.mark.slow)],
)


@drawn_cases
def test_one_wrong_row_is_one_cross_at_that_row(seed: int, count: int) -> None:
    found = Counter(
        crosses(marked(case.answer, case.mode, case.problem, case.wrt)) == [case.wrong]
        for case in islice(cases(seed), count)
    )
    assert found[True] >= 0.99 * count, found


@drawn_cases
def test_no_honest_row_is_crossed_and_all_marks_are_earned(seed: int, count: int) -> None:
    for case in islice(honest(seed), count):
        marking = marked(case.answer, case.mode, case.problem, case.wrt)
        assert ([], marking.possible) == (crosses(marking), marking.earned), case


def test_hundreds_of_guesses_and_huge_numbers_end_soon_and_earn_nothing() -> None:
    assert 0 == marked("".join(f"y = {k / 100:.2f}\n" for k in range(1200, 1600)), "value").earned
    assert 0 == marked(each("1e400"), "value").earned
    assert 0 == marked(each("-1e-400"), "reverse").earned
