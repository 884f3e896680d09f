"""A marked answer: the lines that are shown, the words for verdicts and the score."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..errors import sentence, visible
from ..marking.disclosure import is_right
from ..marking.model import Mark, Marking
from ..marking.task import task_text
from ..records import NamedTuple

WORDS = {
    "correct": "right",
    "rounding": "right within its rounding",
    "does_not_follow": "right, but it does not follow",
    "formula": "right number, wrong formula",
    "precision": "too few digits",
    "carried": "follows from a wrong row",
    "error": "wrong",
    "missing": "missing",
    "unreadable": "not readable",
    "extra": "not asked for",
    "superseded": "replaced further down",
}
# From the best to the worst: a line with several rows is marked with the worst of them.
SIGNS = {
    "correct": "✓", "rounding": "✓", "does_not_follow": "✓", "extra": "·", "superseded": "·", "precision": "~",
    "carried": "↷", "formula": "≠", "unreadable": "?", "missing": "?", "error": "✗",
}  # fmt: skip
TONES = {
    "correct": "good", "rounding": "good", "does_not_follow": "fair", "precision": "fair", "carried": "fair",
    "formula": "fair", "error": "bad", "missing": "bad", "unreadable": "bad", "extra": "", "superseded": "",
}  # fmt: skip
_RANK = {verdict: rank for rank, verdict in enumerate(SIGNS)}
_FAR = 3  # lines without rows that are shown one after the other


class MarkedLine(NamedTuple):
    """A line of the answer and which marks are on it; number 0 stands for lines that are left out."""

    number: int
    text: str
    marks: tuple[int, ...] = ()


def lines(marking: Marking) -> list[MarkedLine]:
    """The lines of the answer from the first row to the last, each with its marks; none where no mark is seen."""
    found: dict[tuple[int, str], list[int]] = {}
    for index, mark in enumerate(marking.marks):
        if mark.span is not None:
            source = mark.span.source
            number = source.position(mark.span.start)[0]
            found.setdefault((number, source.shown.split("\n")[number - source.first_line]), []).append(index)
    out: list[MarkedLine] = []
    written = marking.answer.lines if marking.answer is not None else ()
    for (number, text), indices in sorted(found.items()):
        if out:
            out += _between(written, out[-1].number, number)
        out.append(MarkedLine(number, text, tuple(indices)))
    return out


def _between(written: Sequence[str], above: int, below: int) -> list[MarkedLine]:
    """The lines between two marked ones, or a gap where these are many."""
    if below - above - 1 > _FAR:
        return [MarkedLine(0, "…")]
    return [
        MarkedLine(number, written[number - 1])
        for number in range(above + 1, below)
        if number <= len(written) and written[number - 1].strip()
    ]


def missing(marking: Marking) -> list[int]:
    """Which marks are about rows that the answer lacks."""
    return [index for index, mark in enumerate(marking.marks) if mark.span is None]


def worst(marks: Sequence[Mark]) -> Mark:
    """The mark that a line is marked with."""
    return max(marks, key=lambda mark: _RANK[mark.verdict])


def underlined(marking: Marking, index: int) -> bool:
    """Whether the offending text of a row is pointed at: where something is said of it."""
    mark = marking.marks[index]
    return mark.span is not None and bool(mark.feedback) and mark.verdict not in ("correct", "rounding")


def remarks(marking: Marking, index: int) -> list[str]:
    """What is said about a row, a sentence each: whether it is the first error, feedback, what would be right."""
    mark = marking.marks[index]
    said = [mark.feedback] if mark.feedback else [f"{mark.row} is missing"] if mark.span is None else []
    if index == marking.first:
        said.insert(0, "the first error" if said else f"{mark.row} is the first error")
    if not is_right(mark):
        said += [f"{name}: {text}" for name, text in (("expected", mark.expected), ("number", mark.key)) if text]
    return said


def heading(marking: Marking, place: int | None = None) -> str:
    """`label: problem`; tasks without a label go by their place among several, and a number alone is no name."""
    label = marking.task.label or (str(place) if place is not None else "")
    name = f"Problem {label}" if label.isdecimal() else visible(label)
    return (f"{name}: " if name else "") + visible(task_text(marking.task))


def score(earned: Fraction, alone: Fraction, possible: Fraction) -> str:
    """`17/2 of 10; 7 without carry`."""
    return f"{earned} of {possible}" + (f"; {alone} without carry" if alone != earned else "")


def summary(marking: Marking) -> str:
    """The verdict on a whole answer, with its score or the reason why there is none."""
    if marking.problem is not None:
        return f"not gradable: {sentence(marking.problem.title)}"
    lacking = sum((each.possible for each in marking.quantities if each.verdict == "missing"), Fraction(0))
    rest = f"; {lacking} for what is not shown" if lacking and marking.verdict == "right" else ""
    return f"{marking.verdict}: {score(marking.earned, marking.alone, marking.possible)}{rest}"
