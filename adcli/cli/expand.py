"""`adcli expand`."""

from __future__ import annotations

from typing import Any

from ..notation.numbers import Digits
from ..render import expansion as render
from ..render.cells import HEADING, LATEX, Line, Part
from ..trace.levels import Levels, levels
from .arguments import chosen_format
from .each import Found, Posed, Results
from .options import (
    APPEARANCE,
    DIGITS,
    FAIL_FAST,
    FILE,
    FORMAT,
    FORMATS,
    FUNCTIONS,
    KINKS,
    PLACES,
    STANDALONE,
    Command,
    Option,
)
from .pages import Pages
from .stream import Stream

_HELP = """The differential of an expression, pushed down level by level to its inputs.

\b
Examples:
  adcli expand "a*x^2+(b*x+c)"
  adcli expand "a*x^2+(b*x+c)" --at a=1,b=2,c=3,x=4
  adcli expand "log(x1)+x1*x2-sin(x2)" --format latex

t_mj is value j of level m, the height above the inputs; what stands before dt_mj is its adjoint.
"""

OPTIONS = (
    FILE,
    Option(("--at",), "at", "A point, for the same in numbers.", "x1=2,x2=5", many=True),
    PLACES,
    DIGITS,
    KINKS,
    FUNCTIONS,
    FAIL_FAST,
    FORMAT,
    STANDALONE,
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Expands the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    digits = Digits(flags["places"], flags["digits"])
    pages = Pages(stream, form, "Expansions", flags["standalone"])
    results = Results(
        pages,
        data=render.as_dict,
        parts=lambda found, named: _parts(form, digits, found, named),
        lines=render.lines,
    )

    def find(posed: Posed) -> Found:
        found = levels(posed.program, posed.at or None, flags["kinks"], posed.problem.label)
        return found, found.notes

    return results.of_each(flags, find)


def _parts(form: str, digits: Digits, found: Levels, named: bool) -> list[Part]:
    if form == "latex":
        return [Line(render.latex(found, digits), LATEX)]
    head = [Line(render.heading(found, digits), HEADING)] if found.label or named else []
    return [*head, *render.tables(found, digits)]


COMMAND = Command(_HELP, OPTIONS, "expr", 1, run)
