"""Data model of marking: a task, a student's answer as it was read, and the marks of its rows.

A student's trace is a straight-line program over the student's own names.  Reading turns any form of it into entries;
judging runs the program and turns each entry into a mark; render lays the marks out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase
from types import MappingProxyType

from ..errors import AdcliError, Source, Span
from ..graph.graph import Graph
from ..language.program import Program
from ..notation.table_formulas import barred, dotted
from ..records import NamedTuple

VALUE, DOT, BAR, DERIVATIVE = "value", "dot", "bar", "derivative"

_ALPHABETS = (ascii_lowercase[:11], ascii_lowercase[11:], ascii_uppercase)

DISCLOSURES = ("score", "rows", "first", "hint", "formula", "key")  # by level, 0 to 5

GOOD = frozenset(("correct", "rounding", "does_not_follow", "precision"))  # verdicts about which nothing has to be done
CROSSED = frozenset(("error", "formula"))  # verdicts of rows that make an answer wrong


class NotGradable(AdcliError):
    """The error of an answer that has nothing that can be marked, with exit code 4."""

    exit_code = 4


NOTHING = "nothing was handed in"  # as the next one, the title of a reason why an answer is not gradable
UNDECIDED = "whether a formula is the derivative cannot be told"


class Task(NamedTuple):
    """A problem to be solved by hand: its program and its point.

    `mode` is what has to be computed (None: the value and every derivative, in any way), `wrt` the inputs to
    differentiate with respect to (empty: all). `points` is what the task is worth, distributed over its quantities by
    their weights; None gives each its weight. `weights` are those of single quantities, by their names in marks: `v̄2`,
    `v̇3[x1]`. Without a point the task asks for formulas, those of the derivatives of this `order`.
    """

    label: str | None
    program: Program
    at: Mapping[str, float]
    mode: str | None = None
    wrt: tuple[str, ...] = ()
    points: Fraction | None = None
    weights: Mapping[str, Fraction] = MappingProxyType({})
    order: int = 1

    @property
    def asks_formulas(self) -> bool:
        """Return whether the task asks for derivatives as formulas: the problem has inputs and no point."""
        return not self.at and bool(self.program.graph.inputs)


class Rules(NamedTuple):
    """How answers are marked: the weights of quantities, fractions of their marks, and the digits that a number must
    have.

    A quantity earns the fraction `method` if it follows from a wrong one, `precision` if it has too few digits,
    `formula` if its number is right and its formula is not. Results need a number; with `numbers` every row does, as it
    must if the formulas are given. `min_places` and `min_digits` are decimal places and significant digits (0: any).
    `results` and `steps` are the weights of results and of the steps to them.
    """

    method: Fraction = Fraction(1, 2)
    precision: Fraction = Fraction(1, 2)
    min_places: int = 0
    min_digits: int = 0
    numbers: bool = False
    formula: Fraction = Fraction(1, 2)
    results: Fraction = Fraction(2)
    steps: Fraction = Fraction(1)


class Quantity(NamedTuple):
    """The quantity that a student's symbol denotes, by the student's own name of the row.

    value       `v3`
    dot         `v̇3`; `key` is the input that moves, None if it is not written
    bar         `v̄3`; `key` is the output, None if it is not written
    derivative  `dv3/dx1`, `∂y/∂v3`: of the row `name` by the row `key`; judging decides which of the others it is
    """

    kind: str
    name: str
    key: str | None = None


class Numeral(NamedTuple):
    """A number as it is shown: its value, and the unit of its last place (1/1000 for 0.693)."""

    value: Fraction
    unit: Fraction


DECIMAL_COMMA = "--decimal comma"  # the help of what cannot be read for its decimal comma
TWO_NUMBERS = "another number stands before"  # the label of numbers that differ where one is asked for


class RowPiece(NamedTuple):
    """One of the expressions that the equals signs of a row join.

    A numeral has a `number`.  Anything else that can be read has a `graph` with one output, whose inputs are
    `quantities` by name; without quantities it is arithmetic (`2 × 5`, `ln 2`, `1/2`).  What cannot be read has a
    `problem` and neither; two numbers that differ have a `problem` and the last of them.
    """

    span: Span
    number: Numeral | None = None
    graph: Graph | None = None
    quantities: Mapping[str, Quantity] = MappingProxyType({})
    problem: AdcliError | None = None


def line_of(span: Span) -> int:
    """Return the number of the line of the answer in which a span begins, from 1."""
    return span.source.position(span.start)[0]


class Entry(NamedTuple):
    """One row of an answer: what it says it computes, and the pieces to the right of that.

    `source` is the student's own line (of a table, the cells of the row), `span` the place of the symbol in it.  No
    pieces, or only blank ones that were left out: the row was left empty.
    """

    quantity: Quantity
    pieces: tuple[RowPiece, ...]
    source: Source
    span: Span

    @property
    def line(self) -> int:
        """Return the number of the line in the answer, from 1."""
        return line_of(self.span)


class Unread(NamedTuple):
    """A line that should have been a row and could not be read, and why."""

    span: Span
    problem: AdcliError

    @property
    def line(self) -> int:
        return line_of(self.span)


class LeftOut(NamedTuple):
    """A part of an answer that is not a row of it, and why: crossed out, quoted, unread, other homework."""

    span: Span
    why: str

    @property
    def line(self) -> int:
        """Return the number of its line in the answer, from 1."""
        return line_of(self.span)

    @property
    def text(self) -> str:
        """Return the text of the span with runs of white space as single blanks."""
        return " ".join(self.span.text.split())


class Answer(NamedTuple):
    """An answer as it was read: its form, its lines as people see them, and what is in them in the order written.

    `section` names the problem that this part of the answer is about, where the answer has headings.  `notes` are
    sentences that say what was assumed in reading it.
    """

    form: str
    lines: tuple[str, ...]
    entries: tuple[Entry, ...]
    unread: tuple[Unread, ...] = ()
    section: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()

    def with_unread_left_out(self) -> Answer:
        """Return the answer with its unread lines among those that are left out, with the reason why, by place."""
        lines = [*self.left_out, *(LeftOut(unread.span, unread.problem.title) for unread in self.unread)]
        return self._replace(left_out=tuple(sorted(lines, key=lambda each: (each.line, each.span.start))), unread=())


class Mark(NamedTuple):
    """The mark of one row.

    `row` is its name in marks (`v3`, `v̇3`, `v̇3[x2]`, `v̄3`), `kind` value, dot, bar or final; `verdict` and `slips`
    as in the contract (several slips: one of them). `formula` and `number` are right, wrong or absent. `earned` is the
    fraction from 0 to 1 that a quantity has by this row, `alone` the same without anything for consequences. `span` is
    the student's text to underline, None for a missing row. `expected` is the right formula in the student's names,
    `key` the right number.
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
    """What a quantity of the problem earns.

    `quantity` is its name in the problem's own trace, `written` the one in the student's spelling (empty: the same).
    `rows` are indices of the marks of the rows that speak for it, the one that counts last; `verdict` is that of this
    row, or missing.  `earned`, `alone` (without carry) and `possible` are in points of the task.
    """

    quantity: str
    rows: tuple[int, ...]
    verdict: str
    earned: Fraction
    alone: Fraction
    possible: Fraction
    written: str = ""


class Marking(NamedTuple):
    """A marked answer.  `verdict` is right, incomplete, wrong (`verdict_of`) or not_gradable; `first` the index of the
    first wrong row.

    `earned`, `alone` (without carry) and `possible` are in points of the task, and sums over the `quantities`, which
    are the same for every answer to a task; `problem` says why an answer is not gradable.
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


def verdict_of(marks: Iterable[Mark], quantities: Iterable[QuantityMark]) -> str:
    """Return the verdict on an answer that can be graded.

    `wrong`: a row is crossed (its verdict is one of `CROSSED`).  `right`: no row is crossed and every quantity has all
    its points.  `incomplete`: no row is crossed, and a quantity is missing or has too few digits.
    """
    if any(mark.verdict in CROSSED for mark in marks):
        return "wrong"
    return "right" if all(each.earned == each.possible for each in quantities) else "incomplete"


def row_name(kind: str, name: str, key: str | None, several: bool) -> str:
    """Return the name of a row in marks: `v3`, `v̇3`, `v̄3`, or `v̇3[x2]`.

    `kind` is value, dot or bar; `key`, the input or output of a derivative, is added if there are `several`.
    """
    called = dotted(name) if kind == DOT else barred(name) if kind == BAR else name
    return f"{called}[{key}]" if several and key else called


def surveyed(count: int) -> list[str]:
    """Return the names of `count` inputs if the rows after them begin with v1: `v-1`, `v0`."""
    return [f"v{number - count + 1}" for number in range(count)]


def row_letters(names: Iterable[str]) -> str:
    """Return the letters that the rows of an answer are called in turn, by the single letters among `names`: abcde for
    a and c.

    They begin with a if a or b is a row, otherwise with the first row, and end two letters after the last one. Empty
    unless there are two or more of a to k, else of l to z, else of capitals, without two in a row that are lacking.
    """
    letters = {name for name in names if len(name) == 1}
    for alphabet in _ALPHABETS:
        places = sorted(alphabet.index(letter) for letter in letters.intersection(alphabet))
        if len(places) < 2:
            continue
        start = 0 if places[0] < 2 else places[0]
        gaps = (later - place for place, later in pairwise((start - 1, *places)))
        return alphabet[start : places[-1] + 3] if max(gaps) <= 2 else ""
    return ""


def summed_up(
    task: Task,
    answer: Answer | None,
    marks: Sequence[Mark],
    first: int | None,
    quantities: Sequence[QuantityMark],
    problem: AdcliError | None = None,
) -> Marking:
    """Return the marking whose points are the sums over the `quantities`; not_gradable if it has a `problem`.

    `first` is the index of the first error in `marks`; None if there is none.
    """
    nothing = Fraction(0)
    return Marking(
        task,
        answer,
        "not_gradable" if problem is not None else verdict_of(marks, quantities),
        tuple(marks),
        first,
        sum((each.earned for each in quantities), nothing),
        sum((each.alone for each in quantities), nothing),
        sum((each.possible for each in quantities), nothing),
        problem,
        tuple(quantities),
    )
