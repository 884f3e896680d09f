"""Derivatives as formulas: which derivatives a request names, and the programs that compute them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb, isfinite

from ..errors import RequestError, Source, unknown
from ..graph.graph import Graph
from ..graph.order import arranged
from ..graph.tape import evaluate
from ..language.program import Program, read_program
from ..notation.statements import Statements
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from ..symbolic.higher_orders import formula, further
from ..table.suggest import check_inputs
from .faults import Evaluation
from .kinks_at_point import decision_at
from .labels import shown_name
from .model import Note, Request
from .trace_program import reading_notes, trace

_MOST = 1000  # formulas of one problem
_ROUNDED = 1e-9  # relative: two ways to one slope differ by less


class Derivative(NamedTuple):
    """One partial derivative of an output.

    output      the output's name in the program; `shown` its name for people
    wrt         the inputs with respect to which it is differentiated, one after another
    statements  the formula
    inputs      the number of inputs of the program
    value       the number at the point; None without a point
    """

    output: str
    shown: str
    wrt: tuple[str, ...]
    statements: Statements
    inputs: int
    value: float | None


class Derivatives(NamedTuple):
    """All requested derivatives (`found`) of a program; `graph` is that of the program, `at` None without a point."""

    label: str | None
    expression: str
    at: dict[str, float] | None
    found: list[Derivative]
    notes: list[Note]
    program: Program
    graph: Graph


def requested(inputs: Sequence[str], wrt: Sequence[Sequence[str]], order: int | None) -> list[tuple[str, ...]]:
    """Return, for each requested derivative, the inputs with respect to which to differentiate, one after another.

    One name with `order` is repeated `order` times; an empty `wrt` means all partial derivatives of `order` (default
    1). Raises RequestError for an unknown input, for too many derivatives, and if several names contradict `order`.
    """
    differentiated = [name for names in wrt for name in names]
    if differentiated and not inputs:
        raise unknown("input", differentiated[0], "the expression has no inputs")
    check_inputs(differentiated, inputs, "--wrt {}")
    if not wrt:
        if comb(len(inputs) + (order or 1) - 1, order or 1) > _MOST:
            raise RequestError(
                f"there are more than {_MOST} derivatives of order {order}", help="choose some of them with --wrt"
            )
        return list(combinations_with_replacement(inputs, order or 1))
    requests = []
    for names in wrt:
        if order is not None and len(names) not in (1, order):
            raise RequestError(
                f"--wrt {','.join(names)} has order {len(names)}, but --order is {order}", help="leave out --order"
            )
        requests.append(tuple(names) * (order if order and len(names) == 1 else 1))
    return requests


def derivatives(
    program: Program,
    wrt: Sequence[Sequence[str]] = (),
    order: int | None = None,
    at: dict[str, float] | None = None,
    label: str | None = None,
) -> Derivatives:
    """Return the requested derivatives of every output of a program, output by output.

    `wrt` (lists of input names, one list for each derivative) and `order` are those of `requested`; with `at` (by input
    name) also their values there. `label` is the problem's label. At a corner the value of a first derivative is that
    of the trace, not of the formula, with a note. Raises RequestError as `requested`, and what a trace raises at the
    point.
    """
    named = () if program.graph.inputs else [name for names in wrt for name in names]  # a constant has any input
    graph = arranged(program.graph, extra=[*(at or ()), *named])
    inputs = list(graph.inputs.values())
    requests = requested(inputs, wrt, order)
    first: dict[tuple[str, int], Graph] = {}  # by the first input, and the number of differentiations after it
    derived_graphs: dict[tuple[str, ...], Graph] = {}
    for names in requests:
        ahead = names[0], len(names) - 1
        if ahead not in first:
            first[ahead] = formula(graph, names[:1], ahead[1])
        derived_graphs[names] = further(first[ahead], names[1:])
    notes = reading_notes(program)
    if not inputs:
        notes.append(Note(None, "constant", "the expression has no inputs, so it has no derivatives"))
    # where there is no value there is no derivative, and at a corner a formula has what its parts have by convention
    here = None if at is None else trace(program, at, Request("reverse", steps=False))
    notes += [] if here is None else [note for note in here.notes if note.kind == "kink"]
    decided = here is not None and here.decision is not None
    results = []
    for place, (output, _) in enumerate(graph.outputs):
        shown = shown_name(output, dict.fromkeys(inputs, 0))
        for names in requests:
            derived = derived_graphs[names]
            slot = derived.outputs[place][1]
            value = None if at is None else _value(derived, slot, at)
            gradient = here.outputs[place].gradient if here is not None and decided and len(names) == 1 else None
            if value is not None and gradient is not None:
                slope = float(gradient.get(names[0], value))
                if not (abs(slope - value) <= _ROUNDED * abs(value) or slope == value):
                    text = f"at this corner the formula of ∂{shown}/∂{names[0]} evaluates to {value:.6g}"
                    notes.append(Note(None, "kink", f"{text}, but the slope is {slope:.6g}"))
                    value = slope
            if value is not None and not isfinite(value):
                what = "is infinite" if value == value else "has no value"
                text = f"the derivative of {shown} with respect to {', '.join(names)} {what} here"
                notes.append(Note(None, "undefined", text))
            results.append(
                Derivative(output, shown, names, Statements(derived, [(None, slot)], inputs), len(inputs), value)
            )
    text = " ".join(program.source.text.split())
    return Derivatives(label, text, at, results, notes, program, graph)


def in_turn(inputs: Sequence[str], wrt: Sequence[str], order: int = 1) -> tuple[str, ...]:
    """Return the inputs of one derivative, one after another: `wrt`, or its one name `order` times.

    Raises RequestError as `requested`.
    """
    (names,) = requested(inputs, [wrt], order if order != 1 or len(wrt) == 1 else None)
    return names


def derived(program: Program, names: Sequence[str]) -> Program:
    """Return a program that computes the derivative of every output with respect to `names`, one after another.

    It has the same inputs in the same order, also those that do not occur in the derivative.
    """
    graph = arranged(program.graph)
    inputs = list(graph.inputs.values())
    result = formula(graph, names)
    several = len(result.outputs) > 1
    results = [(name if several and not re.match(r"y\d*\Z", name) else None, slot) for name, slot in result.outputs]
    again = read_program(Source(Statements(result, results, inputs).text()), inputs)
    slots = {name: slot for slot, name in again.graph.inputs.items()}
    # the inputs in the order of the function, with those that are not left in its derivative
    again.graph.inputs = {slots[name] if name in slots else again.graph.input(name): name for name in inputs}
    return again


def _value(graph: Graph, slot: int, at: dict[str, float]) -> float:
    """Return the value of one slot of a graph of formulas at a point, as decided at kinks, without the sign of a
    zero.
    """
    whole = Graph()
    whole.rows, whole.parents, whole.spans, whole.literal = graph.rows, graph.parents, graph.spans, graph.literal
    whole.constants, whole.inputs, whole.outputs = graph.constants, graph.inputs, [("y", slot)]
    values = evaluate(whole, FLOAT, {s: at[name] for s, name in graph.inputs.items() if name in at})
    decision = decision_at(Evaluation(whole, values, (), ()), at)
    if decision is not None:
        values, _ = decision.corrected(values, [], FLOAT)
    return float(values[slot]) + 0.0
