"""Which part of an answer is about which problem: headings of every kind, or none, and in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from adcli.answers.answer_model import Task
from adcli.answers.numerals import numeral
from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.recognition.matching import Facts, _evidence_weight
from adcli.marking.task import task_of

PROBLEMS = (
    ("log(x1)+x1*x2-sin(x2) @ x1=2,x2=5", "reverse"),
    ("sin(x^2)*x @ x=1.5", "forward"),
    ("(a+b)*(b+1) @ a=2,b=1", "reverse"),
)
TEXTS = (
    "v1 = ln(x1) = 0.693\nv2 = x1*x2 = 10\nv3 = sin(x2) = -0.959\nv4 = v1+v2 = 10.693\nv5 = v4-v3 = 11.652\n"
    "v5bar = 1\nv4bar = 1\nv3bar = -1\nv2bar = 1\nv1bar = 1\nx2bar = x1 - cos(x2) = 1.716\nx1bar = 1/x1 + x2 = 5.5\n",
    "v1 = x^2 = 2.25\nv2 = sin(v1) = 0.778\nv3 = v2*x = 1.167\ndx = 1\ndv1 = 2x dx = 3\ndv2 = cos(v1)*dv1 = -1.885\n"
    "dv3 = dv2*x + v2*dx = -2.049\n",
    "v1 = a+b = 3\nv2 = b+1 = 2\nv3 = v1*v2 = 6\nv3bar = 1\nv2bar = v1 = 3\nv1bar = v2 = 2\nbbar = v1bar+v2bar = 5\n"
    "abar = v1bar = 2\n",
)
FUNCTIONS = ("log(x1)+x1*x2-sin(x2)", "sin(x^2)*x", "(a+b)*(b+1)")
CALLS = ("f(x1,x2)", "f(x)", "f(a,b)")
ROMAN, ORDINAL = ("I", "II", "III"), ("First", "Second", "Third")


def numbered(form: str) -> tuple[str, Callable[[int], str]]:
    return form, lambda k: form.format(k + 1)


HEADINGS: dict[str, Callable[[int], str]] = {
    "nothing": lambda _: "",
    "line": lambda _: "---",
    "stars": lambda _: "* * *",
    "function": lambda k: FUNCTIONS[k],
    "call": lambda k: f"{CALLS[k]} = {FUNCTIONS[k]}",
    "y": lambda k: f"y = {FUNCTIONS[k]}",
    "point": lambda k: PROBLEMS[k][0].partition("@ ")[2],
    "roman": lambda k: f"Exercise {ROMAN[k]}",
    "roman alone": lambda k: f"{ROMAN[k]}.",
    "ordinal": lambda k: f"{ORDINAL[k]} problem",
    "letter": lambda k: f"({'abc'[k]})",
    "letter and bracket": lambda k: f"{'abc'[k]})",
    "typing error": lambda k: f"Porblem {k + 1}",
    "swapped": lambda k: f"Problem {(2, 3, 1)[k]}",
    "foreign": lambda k: f"Problem {k + 41}",
    **dict(map(numbered, (
        "#{}", "P{}", "Nr. {}", "Ejercicio {}", "Aufgabe {}", "Q{}.", "{})", "{}.", "Exercise {}:", "({})", "**{}**",
        "## {}", "=== {} ===", "--- Problem {} ---", "Übung {}", "№ {}", "Exercice {} :", "Opgave {}", "Задача {}",
        "問題{}", "% Problem {}", "Answer to question {}", "Task #{} (10 points)", "Problem 1.{}",
    ))),
}  # fmt: skip


def tasks() -> list[Task]:
    return [task_of(text, label=str(number), mode=mode) for number, (text, mode) in enumerate(PROBLEMS, 1)]


def homework(heading: Callable[[int], str], order: Sequence[int] = (0, 1, 2), between: str = "\n") -> str:
    return between.join(f"{heading(k)}\n{TEXTS[k]}".lstrip("\n") for k in order)


def marked(text: str) -> tuple[Marking, ...]:
    return assess(text.encode(), "answer.txt", tasks(), Rules())


def full(markings: Sequence[Marking]) -> list[bool]:
    return [marking.verdict == "right" and marking.earned == marking.possible > 0 for marking in markings]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)], ids=["in order", "in another order"])
@pytest.mark.parametrize("heading", HEADINGS.values(), ids=HEADINGS)
def test_a_perfect_homework_is_right_however_it_is_headed(heading: Callable[[int], str], order: Sequence[int]) -> None:
    assert [True, True, True] == full(marked(homework(heading, order)))


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)])
def test_blank_lines_are_not_needed(order: Sequence[int]) -> None:
    assert [True, True, True] == full(marked(homework(lambda _: "", order, between="")))


@pytest.mark.parametrize("lacking", range(3))
@pytest.mark.parametrize("heading", ["nothing", "#{}", "function"])
def test_a_problem_that_was_left_out_is_missing_and_no_other(heading: str, lacking: int) -> None:
    order = [k for k in range(3) if k != lacking]
    found = marked(homework(HEADINGS[heading], order))
    assert [k != lacking for k in range(3)] == full(found)
    assert 0 == found[lacking].earned


def test_values_of_all_problems_may_come_before_their_derivatives() -> None:
    cuts = [text.index(first) for text, first in zip(TEXTS, ("v5bar", "dx", "v3bar"), strict=True)]
    values = [f"Problem {k + 1}\n{TEXTS[k][: cuts[k]]}" for k in range(3)]
    slopes = [f"Problem {k + 1}\n{TEXTS[k][cuts[k] :]}" for k in range(3)]
    assert [True, True, True] == full(marked("\n".join(values + slopes)))


def test_a_number_counts_by_its_digits() -> None:
    for text, weight in {"0 1 1.00": 0.1, "7 -0.07": 0.3, "10 0.35 99": 0.6, "100 9.99": 1.0}.items():
        assert {weight} == {_evidence_weight(number) for part in text.split() if (number := numeral(part))}


def test_what_fits_no_problem_is_not_marked_against_any() -> None:
    other = "u = cos(t)*17.5 = 3.1234\nw = u^3 - 88.25 = -57.78\nz = w*u*13 = -2346.1\n"
    found = marked(homework(HEADINGS["nothing"], (0, 1)) + "\n" + other)
    assert ["right", "right", "not_gradable"] == [marking.verdict for marking in found]
    assert found[2].problem is not None
    assert "lines 22 to 24" in found[2].problem.label
    assert ["not_gradable"] * 3 == [marking.verdict for marking in marked(other)]


def test_what_a_heading_does_not_say_is_said_by_the_report() -> None:
    told = [found.answer.notes for found in marked(homework(HEADINGS["swapped"])) if found.answer is not None]
    assert "lines 2 to 13 are read as problem 1, though they are headed 2" in told[0]
    assert all(notes for notes in told)
    silent = [found.answer.notes for found in marked(homework(HEADINGS["Aufgabe {}"])) if found.answer is not None]
    assert [(), (), ()] == silent


def test_a_problem_stays_with_its_heading_when_all_of_it_is_wrong() -> None:
    wrong = "Problem 3\nv1 = 77.12\nv2 = 81.5\nv3 = 912.3\n"
    found = marked(homework(HEADINGS["Aufgabe {}"], (0, 1)) + wrong)
    assert ["right", "right", "wrong"] == [marking.verdict for marking in found]


def test_the_formula_of_a_derivative_is_not_the_value_of_its_row() -> None:
    task = task_of("v1=x^2; y=v1+1 @ x=3")
    merits = []
    for row in "v1' = a*4", "v1' = 4", "x' = a*4":
        (marking,) = assess(f"v1 = x^2 = 9\na = 55\n{row}\ny = v1 + 1 = 10\n".encode(), "a.txt", [task], Rules())
        assert marking.answer is not None
        merits.append(Facts(task).merit(marking.answer.entries, ["x"]))
    assert merits == pytest.approx([3.9] * 3)
