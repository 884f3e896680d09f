"""Derivatives as formulas: which ones are asked for, and the programs that they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb, isfinite

from ..errors import RequestError, Source
from ..graph.graph import Graph
from ..graph.order import arranged
from ..graph.tape import evaluate
from ..language.program import Program, read_program
from ..notation.statements import Statements
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from ..symbolic.higher_orders import formula, further
from ..table.suggest import advice_on_name
from .labels import shown_name
from .model import Note, Request
from .trace_program import reading_notes, trace

_MOST = 1000  # formulas of one problem
_ROUNDED = 1e-9  # relative: two ways to one slope differ by less


class Derivative(NamedTuple):
    """A derivative of an output: by which inputs, as a program, and its value where there is a point.

    `shown` is the output's name for people, `inputs` how many there are.
    """

    output: str
    shown: str
    wrt: tuple[str, ...]
    statements: Statements
    inputs: int
    value: float | None


class Derivatives(NamedTuple):
    """The derivatives of a program, and the sweeps that led to them, where they are asked for."""

    label: str | None
    expression: str
    at: dict[str, float] | None
    found: list[Derivative]
    notes: list[Note]
    program: Program
    graph: Graph


def requested(inputs: Sequence[str], wrt: Sequence[Sequence[str]], order: int | None) -> list[tuple[str, ...]]:
    """The inputs to differentiate by, one after another, for each derivative asked for.

    One name with an order is taken so many times; without names all partial derivatives of the order are meant.
    """
    for name in [name for names in wrt for name in names]:
        if name not in inputs:
            advice = advice_on_name(name, inputs, "--wrt {}") if inputs else "the expression has no inputs"
            raise RequestError(f"there is no input called {name}", help=advice)
    if not wrt:
        if comb(len(inputs) + (order or 1) - 1, order or 1) > _MOST:
            raise RequestError(
                f"there are more than {_MOST} derivatives of order {order}", help="name those that are wanted by --wrt"
            )
        return list(combinations_with_replacement(inputs, order or 1))
    found = []
    for names in wrt:
        if order is not None and len(names) not in (1, order):
            raise RequestError(
                f"--wrt {','.join(names)} is of order {len(names)}, --order says {order}", help="leave --order out"
            )
        found.append(tuple(names) * (order if order and len(names) == 1 else 1))
    return found


def derivatives(
    program: Program,
    wrt: Sequence[Sequence[str]] = (),
    order: int | None = None,
    at: dict[str, float] | None = None,
    label: str | None = None,
) -> Derivatives:
    """The derivatives of every output of a program that are asked for."""
    graph = arranged(program.graph, extra=at or ())
    inputs = list(graph.inputs.values())
    asked = requested(inputs, wrt, order)
    first: dict[tuple[str, int], Graph] = {}  # by what, and how often it is differentiated after that
    found: dict[tuple[str, ...], Graph] = {}
    for names in asked:
        ahead = names[0], len(names) - 1
        if ahead not in first:
            first[ahead] = formula(graph, names[:1], ahead[1])
        found[names] = further(first[ahead], names[1:])
    notes = reading_notes(program)
    if not inputs:
        notes.append(Note(None, "constant", "the expression has no inputs to differentiate by"))
    # where there is no value there is no derivative, and at a corner a formula has what its parts have by convention
    here = None if at is None else trace(program, at, Request("reverse", steps=False))
    corners = [] if here is None else [note for note in here.notes if note.kind == "kink"]
    notes += corners
    results = []
    for place, (output, _) in enumerate(graph.outputs):
        shown = shown_name(output, dict.fromkeys(inputs, 0))
        for names in asked:
            derived = found[names]
            slot = derived.outputs[place][1]
            value = None if at is None else _value(derived, slot, at)
            gradient = here.outputs[place].gradient if here is not None and corners and len(names) == 1 else None
            if value is not None and gradient is not None:
                slope = float(gradient.get(names[0], value))
                if abs(slope - value) > _ROUNDED * abs(value):
                    told = f"the formula by {names[0]} comes to {value:.6g} at this corner"
                    notes.append(Note(None, "kink", f"{told}, the slope of {shown} is {slope:.6g}"))
                    value = slope
            if value is not None and not isfinite(value):
                what = "is infinite" if value == value else "has no value"
                notes.append(Note(None, "undefined", f"the derivative of {shown} by {', '.join(names)} {what} here"))
            results.append(
                Derivative(output, shown, names, Statements(derived, [(None, slot)], inputs), len(inputs), value)
            )
    text = " ".join(program.source.text.split())
    return Derivatives(label, text, at, results, notes, program, graph)


def in_turn(inputs: Sequence[str], wrt: Sequence[str], order: int = 1) -> tuple[str, ...]:
    """The inputs to differentiate by, one after another: one name so many times, or several."""
    (names,) = requested(inputs, [wrt], order if order != 1 or len(wrt) == 1 else None)
    return names


def derived(program: Program, names: Sequence[str]) -> Program:
    """The derivative of every output, by one input after another, as a program over the same inputs."""
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
    whole = Graph()
    whole.rows, whole.parents, whole.spans, whole.literal = graph.rows, graph.parents, graph.spans, graph.literal
    whole.constants, whole.inputs, whole.outputs = graph.constants, graph.inputs, [("y", slot)]
    values = evaluate(whole, FLOAT, {s: at[name] for s, name in graph.inputs.items() if name in at})
    return float(values[slot]) + 0.0
