"""Data model of marking: the rules, and the marks of the rows of an answer.

A student's trace is a straight-line program over the student's own names.  `answers` turns any form of it into
entries; judging runs the program and turns each entry into a mark; render lays the marks out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..answers.answer_model import BAR, DOT, Answer, Task, line_of
from ..errors import AdcliError, Span
from ..notation.table_formulas import write_adjoint, write_tangent
from ..records import NamedTuple

DISCLOSURES = ("score", "rows", "first", "hint", "formula", "key")  # by level, 0 to 5

GOOD = frozenset(("correct", "rounding", "does_not_follow", "precision"))  # verdicts about which nothing has to be done
CROSSED = frozenset(("error", "formula"))  # verdicts of rows that make an answer wrong


NOTHING = "nothing was handed in"  # as the next one, the title of a reason why an answer is not gradable
UNDECIDED = "it cannot be decided whether a formula is the derivative"


class Rules(NamedTuple):
    """The rules of marking: the weights of quantities, fractions of their marks, and digits that a number must have.

    A quantity earns the fraction `method` if it follows from a wrong number, `precision` if it has too few digits,
    `formula` if its number is right and its formula is not. Results need a number; with `numbers` every row needs one,
    as it must if the formulas are given. `min_places` and `min_digits` are decimal places and significant digits (0: no
    minimum). `results` and `steps` are the weights of results and of the steps to them.
    """

    method: Fraction = Fraction(1, 2)
    precision: Fraction = Fraction(1, 2)
    min_places: int = 0
    min_digits: int = 0
    numbers: bool = False
    formula: Fraction = Fraction(1, 2)
    results: Fraction = Fraction(2)
    steps: Fraction = Fraction(1)

    def fraction(self, verdict: str) -> Fraction:
        """Return the fraction of its marks that a row with this `verdict` earns.

        For carried, precision and formula it is the rule `method`, `precision` or `formula`; for correct, rounding and
        does_not_follow 1; for all else 0.
        """
        fractions = {"carried": self.method, "precision": self.precision, "formula": self.formula}
        return fractions.get(verdict, Fraction(verdict in GOOD))


class Mark(NamedTuple):
    """The mark of one row of an answer.

    `row` is its name in marks (`v3`, `v̇3`, `v̇3[x2]`, `v̄3`), `kind` value, dot, bar or final. `verdict` is correct,
    rounding, precision, does_not_follow, carried, formula, error, missing, unreadable, superseded or extra; `slips` are
    names of possible mistakes, of which one was made. `formula` and `number` are right, wrong or absent. `earned` is
    the fraction from 0 to 1 that a quantity has by this row, `alone` the same without marks for numbers that follow
    from wrong ones. `span` is the student's text to underline, None for a missing row. `expected` is the right formula
    in the student's names, `key` the right number.
    """

    row: str
    kind: str
    verdict: str
    span: Span | None
    slips: tuple[str, ...] = ()
    formula: str = "absent"
    number: str = "absent"
    feedback: str = ""
    earned: Fraction = Fraction(0)
    alone: Fraction = Fraction(0)
    expected: str = ""
    key: str = ""

    @property
    def line(self) -> int | None:
        return None if self.span is None else line_of(self.span)


class QuantityMark(NamedTuple):
    """The marks of a quantity of the problem.

    `quantity` is its name in the problem's own trace, `written` its name in the student's spelling (empty: the same).
    `rows` are indices of the marks of the rows that are about it; the last of them is the row that counts. `verdict` is
    that of this row, or missing. `earned`, `alone` (without carry) and `possible` are in points of the task.
    """

    quantity: str
    rows: tuple[int, ...]
    verdict: str
    earned: Fraction
    alone: Fraction
    possible: Fraction
    written: str = ""


class Marking(NamedTuple):
    """A marked answer: its `marks`, one for each row, and what the `quantities` of the task earn.

    `verdict` is right, incomplete, wrong (`verdict_of`) or not_gradable; `first` is the index of the first error in
    `marks`, None without one. `earned`, `alone` (without carry) and `possible` are in points of the task, sums over the
    `quantities`, which are the same for every answer to a task. `problem` says why an answer is not gradable.
    """

    task: Task
    answer: Answer | None
    verdict: str
    marks: tuple[Mark, ...]
    first: int | None
    earned: Fraction
    alone: Fraction
    possible: Fraction
    problem: AdcliError | None = None
    quantities: tuple[QuantityMark, ...] = ()

    @property
    def crosses(self) -> int:
        """Return the number of rows that are wrong, or right with a wrong formula or equation."""
        return sum(mark.verdict in CROSSED for mark in self.marks)


def verdict_of(marks: Iterable[Mark], quantities: Iterable[QuantityMark]) -> str:
    """Return the verdict on an answer that can be graded, the first that applies.

    - wrong: a row has the verdict error or formula (a carried or missing row does not make it wrong).
    - right: each quantity has earned exactly what is possible for it (also if there are no quantities).
    - incomplete: all else.
    """
    if any(mark.verdict in CROSSED for mark in marks):
        return "wrong"
    return "right" if all(each.earned == each.possible for each in quantities) else "incomplete"


def row_name(kind: str, name: str, key: str | None, several: bool) -> str:
    """Return the name of a row in marks: `v3`, `v̇3`, `v̄3`, or `v̇3[x2]`; bar and dot are over the first letter.

    `kind` is value, dot or bar (another kind counts as value). `key`, the input or output of a derivative, is added in
    brackets if there are `several` and it is neither None nor empty.
    """
    called = write_tangent(name) if kind == DOT else write_adjoint(name) if kind == BAR else name
    return f"{called}[{key}]" if several and key else called


def sum_up(
    task: Task, answer: Answer | None, marks: Sequence[Mark], first: int | None, quantities: Sequence[QuantityMark],
    problem: AdcliError | None = None,
) -> Marking:  # fmt: skip
    """Return the marking with the verdict of the marks and quantities (`verdict_of`); not_gradable with a `problem`.

    Its points (earned, earned on their own, possible) are the sums over the `quantities`, also with a `problem`; those
    on their own are without carried marks. `answer` is the answer as it was read (None: nothing to show). `first` is
    the index of the first error in `marks`, None without errors.
    """
    verdict = "not_gradable" if problem is not None else verdict_of(marks, quantities)
    return Marking(task, answer, verdict, tuple(marks), first, *total(quantities), problem, tuple(quantities))


def total(parts: Iterable[Marking | QuantityMark]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the sums (earned, earned without carry, possible) over several markings or quantities, in points."""
    points = [(each.earned, each.alone, each.possible) for each in parts]
    earned, alone, possible = (sum((row[k] for row in points), Fraction(0)) for k in range(3))
    return earned, alone, possible
