"""`adcli diff`."""

from __future__ import annotations

from typing import Any

from ..notation.numbers import Digits
from ..render import derivatives as render
from ..render.cells import HEADING, LATEX, Line, Part
from ..trace.derivatives import Derivatives, derivatives
from ..trace.symbolic_sweeps import Sweep, sweeps
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
    PLACES,
    STANDALONE,
    Command,
    Option,
)
from .pages import Pages
from .stream import Stream

_HELP = """Derivatives as formulas.

\b
Examples:
  adcli diff "x^2*sin(x)" --wrt x
  adcli diff "x^x" --wrt x --order 3
  adcli diff "log(x1)+x1*x2-sin(x2)"
  adcli diff "sin(x*y)" --wrt x,y --at x=1,y=2
  adcli diff "exp(x)*sin(x)" --wrt x --trace
  adcli diff "sqrt(x^2+y^2)" --format latex

Without --wrt all partial derivatives. Shared parts get names: a = ...; the whole is a program that eval reads.
"""

OPTIONS = (
    FILE,
    Option(("--wrt",), "wrt", "By this input; x,y by one after the other.", "x", many=True),
    Option(("--order",), "order", "The order of the derivative.", between=(1, 100)),
    Option(("--at",), "at", "A point, for the values too.", "x1=2,x2=5", many=True),
    Option(("--trace",), "trace", "Show the sweep that leads to the derivatives."),
    PLACES,
    DIGITS,
    FUNCTIONS,
    FAIL_FAST,
    FORMAT,
    STANDALONE,
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Differentiates the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    wrt = [[name.strip() for name in text.split(",") if name.strip()] for text in flags["wrt"]]
    pages = Pages(stream, form, "Derivatives", flags["standalone"])
    digits = Digits(flags["places"], flags["digits"])
    results = Results(
        pages,
        data=lambda found: render.as_dict(*found),
        parts=lambda found, named: _parts(form, digits, *found, named=named, ascii_only=stream.ascii),
        lines=lambda found, number: render.lines(found[0], number),
    )

    def find(posed: Posed) -> Found:
        found = derivatives(posed.program, wrt, flags["order"], posed.at or None, posed.problem.label)
        return (found, sweeps(found) if flags["trace"] else []), found.notes

    return results.of_each(flags, find)


def _parts(
    form: str, digits: Digits, found: Derivatives, traced: list[Sweep], *, named: bool, ascii_only: bool
) -> list[Part]:
    swept = [render.sweep_table(sweep) for sweep in traced]
    if form == "latex":
        return [*swept, Line(render.latex(found), LATEX)]
    head = [Line(render.heading(found), HEADING)] if found.label or named else []
    return [*head, *swept, render.table(found, digits, ascii_only and form != "html")]


COMMAND = Command(_HELP, OPTIONS, "expr", 1, run)
