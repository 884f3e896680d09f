"""What becomes of traces: tables, lines of a sheet, plain data."""

from __future__ import annotations

from typing import Any

from ..render.cells import HEADING, WORDS, Line, Part
from ..trace.model import Request, Trace
from .each import Results
from .pages import Pages


def results(pages: Pages, request: Request, flags: dict[str, Any]) -> Results:
    """Takes the traces of a command line."""

    def lines(trace: Trace, number: int) -> list[dict[str, Any]]:
        from ..render.data import lines

        return lines(trace, number, request.steps)

    return Results(
        pages,
        data=lambda trace: _data(trace, request, flags),
        parts=lambda trace, named: _parts(trace, named, request, flags),
        lines=lines,
    )


def _data(trace: Trace, request: Request, flags: dict[str, Any]) -> dict[str, Any]:
    from ..trace.schema import as_dict

    data = as_dict(trace, request.steps)
    if flags["count"]:
        from ..render import cost as costs
        from ..trace.cost import cost

        data["cost"] = costs.as_dict(cost(trace.graph, trace.values))
    return data


def _parts(trace: Trace, named: bool, request: Request, flags: dict[str, Any]) -> list[Part]:
    """The tables that were asked for, one below the other."""
    from ..render import layout

    digits = request.digits
    found: list[Part] = [Line(layout.heading(trace, digits), HEADING)] if named or trace.label else []
    if not request.steps:
        found.append(layout.outputs_table(trace, digits))
    elif flags["show"]:
        from ..render.views import show

        found += show(trace, flags["show"], digits)
    elif trace.lines is not None:
        from ..render.sources import beside

        found += beside(trace, layout.tables(trace, flags["style"], digits), flags["style"])
    else:
        found += layout.tables(trace, flags["style"], digits)
    if trace.second:
        from ..render import second

        found += second.tables(trace, digits)
    if trace.shares is not None:
        found.append(layout.bounds_table(trace))
    if trace.certified is not None or trace.verified is not None:
        from ..render import checks

        found += checks.tables(trace)
    if flags["count"]:
        from ..render import cost as costs
        from ..trace.cost import cost

        counted = cost(trace.graph, trace.values)
        found += [costs.table(counted), *(Line(text, WORDS) for text in costs.sentences(counted))]
    return found
