"""Slips in closed forms: derivatives of a result that are written as formulas of the inputs and values alone."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from ...graph.graph import Graph
from ...numbers.double_intervals import Spread
from ..model import BAR, DOT, VALUE
from ..programs.resolving import Resolved
from ..programs.row_case import RowCase
from ..programs.worksheet import Worksheet
from .wrong_rules import wrong_derivatives, wrong_rules


def closed_form_slips(case: RowCase, sheet: Worksheet) -> tuple[str, ...]:
    """Return the wrong rules that turn a derivative of a result into the first formula of its row.

    Empty if the row is another one, if its formula uses tangents or adjoints, or if no wrong rule gives it.
    """
    program, wrt = _result(case.asked, sheet)
    if program is None or not case.formulas:
        return ()
    graph, symbols = case.formulas[0]
    if any(meant.kind != VALUE for meant in symbols.values()):
        return ()
    flat = Worksheet(sheet.task, list(sheet.inputs))
    inputs = {mine: flat.inputs[name] for name, mine in sheet.inputs.items()}
    leaves = {leaf: flat.graft(sheet.graph, meant.slot, inputs) for leaf, meant in symbols.items()}
    flat.graph.outputs = [("", flat.graft(graph, graph.outputs[0][1], leaves))]
    return wrong_rules(program, wrt, flat.graph)


def closed_form_numbers(case: RowCase, sheet: Worksheet) -> Iterator[tuple[str, Spread]]:
    """Yield (slip, number) for wrong rules in a derivative of a result, at the point of the task; nothing for other
    rows.
    """
    program, wrt = _result(case.asked, sheet)
    if program is not None:
        yield from wrong_derivatives(program, wrt, sheet.places[0])


def _result(asked: Resolved, sheet: Worksheet) -> tuple[Graph | None, str]:
    """Return (graph, input): the problem's graph with one output, and the input by which the row `asked` differentiates
    it.

    (None, "") if the row is not the derivative of an output with respect to an input.
    """
    kind, slot, key, _ = asked
    named = sheet.inputs if kind == BAR else sheet.outputs
    name = next((name for name, mine in named.items() if mine == slot), None) if kind in (DOT, BAR) else None
    if name is None or key is None:
        return None, ""
    output, wrt = (key, name) if kind == BAR else (name, key)
    program = copy(sheet.task.program.graph)
    program.outputs = [(other, mine) for other, mine in program.outputs if other == output]
    return (program, wrt) if program.outputs else (None, "")
