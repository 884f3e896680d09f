"""A marked answer in Markdown: a table of the student's own lines for each problem."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import AdcliError
from ..marking.assessing import total
from ..marking.model import Marking
from .cells import Table
from .formats.markdown import draw, escaped
from .marks import SIGNS, WORDS, heading, lines, missing, remarks, score, summary, worst

_HEADER = ("line", "answer", "mark", "remarks")


def document(markings: Sequence[Marking], title: str = "", problem: AdcliError | None = None) -> str:
    """All markings as a document; the title is optional, `problem` says why there are no markings."""
    several = len(markings) > 1
    out = [f"# {escaped(title)}\n"] if title else []
    if problem is not None:
        out.append(f"**not gradable: {escaped(problem.title)}**\n")
        out += [f"{escaped(problem.help)}\n"] if problem.help else []
    if several:
        out.append(f"**Total: {escaped(score(*total(markings)))}**\n")
    for place, marking in enumerate(markings, 1):
        out.append(f"## {escaped(heading(marking, place if several else None))}\n")
        out.append(f"**{escaped(summary(marking))}**\n")
        if marking.problem is not None and marking.problem.help:
            out.append(f"{escaped(marking.problem.help)}\n")
        table = _table(marking)
        if table.rows:
            out.append(draw(table))
    return "\n".join(out)


def _table(marking: Marking) -> Table:
    rows: list[tuple[str, ...]] = []
    for line in lines(marking):
        marks = [marking.marks[index] for index in line.marks]
        number = str(line.number) if line.number else ""
        verdict = worst(marks).verdict if marks else ""
        mark = f"{SIGNS[verdict]} {WORDS[verdict]}" if marks else ""
        rows.append((number, line.text, mark, _remarks(marking, line.marks)))
    for index in missing(marking):
        mark = f"{SIGNS['missing']} {WORDS['missing']}"
        rows.append(("", marking.marks[index].row, mark, _remarks(marking, [index])))
    return Table(rows, _HEADER, right=(0,))


def _remarks(marking: Marking, marks: Sequence[int]) -> str:
    return "; ".join(said for index in marks for said in remarks(marking, index))
