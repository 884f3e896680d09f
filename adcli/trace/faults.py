"""What the numbers of an evaluation say: where there is no value, no slope, or no finite number."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import DomainProblem, Span
from ..graph.graph import Graph
from ..graph.order import ancestors, dependents
from ..graph.tape import Gradients
from ..language.program import Program
from ..notation.formula import TABLE, Leaf, render
from ..notation.number_text import Digits
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from ..table.primitive import Check, Kink
from .model import Note

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating

_SHORT = Digits(significant=6)
_MOST_NAMES = 4
_LONGEST = 60  # characters of an argument that are quoted in a sentence


def _spoken(x: float) -> str:
    """A number in a sentence."""
    if isinstance(x, (float, int)):
        return _SHORT.show(float(x))
    from .number_kinds import spoken  # loads arithmetics that doubles do not need

    return spoken(x)


class Evaluation(NamedTuple):
    """A graph with the values of its slots, the program that it was read from (if any), and the names of its rows.

    `names` are the rows' own, `labels` what people call them.
    """

    graph: Graph
    values: Sequence[float]
    names: Sequence[str]
    labels: Sequence[str]
    program: Program | None = None
    m: Evaluating[float] = FLOAT


def check_values(evaluation: Evaluation) -> list[Note]:
    """Notes on overflow; raises DomainProblem at the first operation that has no value."""
    notes: list[Note] = []
    for slot, broken in faults(evaluation):
        problem = _problem(evaluation, slot, broken)
        if problem is not None:
            raise problem
        notes.append(_overflow(evaluation, slot))
    return notes


def beyond_doubles(evaluation: Evaluation) -> list[Note]:
    """Notes on overflow and on operations without a value, where it is doubles that have none."""
    notes: list[Note] = []
    for slot, broken in faults(evaluation):
        problem = _problem(evaluation, slot, broken)
        if problem is None:
            notes.append(_overflow(evaluation, slot))
            continue
        text = f"{row_text(evaluation, slot)} has a value here, but none in doubles: {problem.title}"
        notes.append(Note(evaluation.names[slot] or None, "uncertain", text))
    return notes


def _problem(evaluation: Evaluation, slot: int, broken: Check | None) -> DomainProblem | None:
    """What is wrong with an operation that has no value; None where it overflows."""
    if broken is not None:
        return _outside(evaluation, slot, broken)
    z = evaluation.values[slot]
    return _no_value(evaluation, slot) if z != z else None


def _overflow(evaluation: Evaluation, slot: int) -> Note:
    size = "too large for a double" if evaluation.m is FLOAT else "too large"
    title = f"{row_text(evaluation, slot)} is {size} and counts as infinite"
    return Note(evaluation.names[slot] or None, "overflow", title)


def faults(evaluation: Evaluation) -> Iterator[tuple[int, Check | None]]:
    """The operations outside their domain, each with the check that fails, those without a value, and overflows."""
    graph, values, m = evaluation.graph, evaluation.values, evaluation.m
    finite = m.finite
    for slot, (row, z) in enumerate(zip(graph.rows, values, strict=True)):
        if row is None or z is None or (not row.domain and finite(z)):
            continue
        arguments = tuple([values[p] for p in graph.parents[slot]])
        if [a for a in arguments if a is not None and a != a]:
            continue  # an undefined input was asked for, or the fault lies further up
        broken = row.broken(m, arguments)
        if broken is not None:
            yield slot, broken
        elif z != z or (not finite(z) and all(finite(a) for a in arguments if a is not None)):
            yield slot, None


def row_text(evaluation: Evaluation, slot: int) -> str:
    """A row as the table writes it: `v2 = log v1`."""
    graph, names = evaluation.graph, evaluation.labels

    def leaves(s: int) -> Leaf | None:
        return Leaf(names[s]) if names[s] else None

    formula = render(graph, slot, TABLE, leaves)
    return f"{names[slot]} = {formula}" if names[slot] else formula


def _span(evaluation: Evaluation, slot: int) -> Span | None:
    """Where an operation was written."""
    start, end = evaluation.graph.spans[slot]
    return None if evaluation.program is None or end <= start else Span(start, end, evaluation.program.source)


def _argument_span(evaluation: Evaluation, slot: int, position: int) -> Span | None:
    """Where an argument of an operation was written, in that very use of it."""
    if evaluation.program is None:
        return None
    start, end = evaluation.graph.spans[slot]
    row = evaluation.graph.rows[slot]
    places = evaluation.program.argument_places().get((row.name if row else "", start, end))
    if places is not None and places[position][1] > places[position][0]:
        return Span(*places[position], evaluation.program.source)
    return _span(evaluation, evaluation.graph.parents[slot][position]) or _span(evaluation, slot)


def _inputs_below(graph: Graph, slot: int) -> list[int]:
    needed = ancestors(graph, [slot])
    return [s for s in graph.inputs if needed[s]]


def _found(evaluation: Evaluation, slot: int) -> str:
    """`this is -1 when x = 2`: the number and the inputs that it hangs on."""
    number = _spoken(evaluation.values[slot])
    if slot in evaluation.graph.inputs:
        return f"this is {number}"
    inputs = _inputs_below(evaluation.graph, slot)
    shown = [f"{evaluation.labels[s]} = {_spoken(evaluation.values[s])}" for s in inputs[:_MOST_NAMES]]
    if len(inputs) > _MOST_NAMES:
        shown.append("…")
    return f"this is {number}" + (f" when {', '.join(shown)}" if shown else "")


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence: `a and b`, `a, b, c, d, …`."""
    if len(names) <= 2:
        return " and ".join(names)
    return ", ".join([*names[:_MOST_NAMES], *(["…"] if len(names) > _MOST_NAMES else [])])


def _outside(evaluation: Evaluation, slot: int, check: Check) -> DomainProblem:
    graph = evaluation.graph
    parents = graph.parents[slot]
    blamed = parents[check.blame]
    spans = [_argument_span(evaluation, slot, position) for position in range(len(parents))]
    texts = [
        span.text if span is not None and len(span.text) <= _LONGEST else evaluation.labels[p]
        for span, p in zip(spans, parents, strict=True)
    ]
    asked = [parents[int(k)] for k in sorted(set(re.findall(r"\{(\d)\}", check.condition)))]
    needed = ancestors(graph, asked)
    names = [name for s, name in graph.inputs.items() if needed[s]]
    advice = ""
    if names and all(texts):
        advice = f"choose {_listed(names)} so that {check.condition.format(*texts)}"
    if check.advice:
        advice = f"{advice}; {check.advice}" if advice else check.advice
    return DomainProblem(
        check.title,
        spans[check.blame],
        _found(evaluation, blamed),
        notes=(f"reached while evaluating {row_text(evaluation, slot)}",),
        help=advice,
    )


def _no_value(evaluation: Evaluation, slot: int) -> DomainProblem:
    graph, values = evaluation.graph, evaluation.values

    infinite = not all(evaluation.m.finite(values[p]) for p in graph.parents[slot] if values[p] is not None)

    def leaves(s: int) -> Leaf | None:
        return None if s == slot else Leaf(_spoken(values[s]))

    return DomainProblem(
        f"{render(graph, slot, TABLE, leaves)} has no value",
        _span(evaluation, slot),
        "an infinite intermediate result leads to this" if infinite else "a pole, or beyond the reach of these numbers",
        notes=(f"reached while evaluating {row_text(evaluation, slot)}",),
        help="rewrite the formula so that no part of it overflows, or choose smaller inputs"
        if infinite
        else "choose another point",
    )


class Corner(NamedTuple):
    """A row and the argument in which it has no slope."""

    slot: int
    position: int
    kink: Kink
    slope: float


def corners(evaluation: Evaluation, gradients: Gradients) -> Iterator[Corner]:
    """The places where a value exists and a partial that matters does not."""
    graph, values = evaluation.graph, evaluation.values
    cornered = [(slot, row) for slot, row in enumerate(graph.rows) if row is not None and row.smooth is not None]
    active = dependents(graph) if cornered else b""
    for slot, row in cornered:
        if values[slot] is None or values[slot] != values[slot] or not active[slot]:
            continue
        parents = graph.parents[slot]
        arguments = tuple([values[p] for p in parents])
        if [a for a in arguments if a is None or a != a]:
            continue
        seen: set[Kink] = set()
        for position, parent in enumerate(parents):
            kink = row.kink(position)
            if kink is None or kink in seen or not active[parent] or kink.holds(evaluation.m, *arguments):
                continue
            seen.add(kink)
            slope = gradients[slot][position] if position < len(gradients[slot]) else None
            yield Corner(slot, position, kink, math.nan if slope is None else float(slope))


def corner_note(evaluation: Evaluation, corner: Corner) -> Note:
    """What is said of a corner: the one-sided slopes and the one that is used."""
    kink = corner.kink
    text = f"{row_text(evaluation, corner.slot)}: {kink.title}"
    if kink.sides is not None:
        arguments = [evaluation.values[p] for p in evaluation.graph.parents[corner.slot]]
        left, right = kink.sides(FLOAT, *arguments) if callable(kink.sides) else kink.sides
        sides = [
            f"{_SHORT.show(float(side))} from the {where}"
            for side, where in ((left, "left"), (right, "right"))
            if side is not None
        ]
        text += f"; slope {' and '.join(sides)}"
    row = evaluation.graph.rows[corner.slot]
    if row is not None and not row.truth:
        text += (
            "; no derivative exists"
            if math.isnan(corner.slope)
            else f"; {_SHORT.show(corner.slope)} is used as the partial"
        )
    return Note(evaluation.names[corner.slot] or None, "kink", text)


def corner_problem(evaluation: Evaluation, corner: Corner) -> DomainProblem:
    """The same as an error, for those who want no convention."""
    blamed = evaluation.graph.parents[corner.slot][corner.position]
    return DomainProblem(
        corner.kink.title,
        _argument_span(evaluation, corner.slot, corner.position),
        _found(evaluation, blamed),
        notes=(corner_note(evaluation, corner).text,),
        help="choose another point, or accept the convention with --kinks note",
    )


def check_gradient(
    output: str,
    gradient: Mapping[str, float],
    *,
    overflowed: bool,
    vertical: bool = True,
    doubtful: Collection[str] = (),
    finite: Callable[[float], bool] = math.isfinite,
    origin: Callable[[], str] = str,
) -> list[Note]:
    """Notes on derivatives that are no finite numbers; after an overflow they mean nothing.

    `vertical` says whether a function on the way may be vertical here; if not, an infinite slope is an overflow.
    A slope of 0 in an input that is `doubtful` is what was left of dividing by an overflow.  `origin` names the row in
    which such a number arose, unless another note does.
    """
    notes = []
    size = "too large for a double" if finite is FLOAT.finite else "too large"
    for name, slope in gradient.items():
        if finite(slope) and (slope != 0 or name not in doubtful):
            continue
        derivative = f"∂{output}/∂{name}"
        if overflowed:
            text = f"{derivative} is not known: a number on the way is {size}"
            notes.append(Note(name, "undefined", text))
        elif slope != slope:
            text = f"{derivative} has no value here: a partial on the way does not exist or is infinite{origin()}"
            notes.append(Note(name, "undefined", text))
        elif vertical:
            notes.append(Note(name, "infinite", f"{derivative} is infinite here{origin()}"))
        else:
            notes.append(Note(name, "infinite", f"{derivative} is {size} and counts as infinite{origin()}"))
    return notes


def arising(evaluation: Evaluation, gradients: Gradients, output: int, told: Collection[str]) -> str:
    """`, from v1 = 1/x on`: the first row of a reverse sweep that hands on a number that is not finite.

    Nothing where there is none, or where notes have `told` of it.
    """
    graph, finite = evaluation.graph, evaluation.m.finite
    bars: list[float] = [0.0] * len(graph)
    bars[output] = 1.0
    for slot in range(output, -1, -1):
        bar = bars[slot]
        for slope, parent in zip(gradients[slot], graph.parents[slot], strict=False):
            if not bar or slope is None or not slope:
                continue
            bars[parent] = bars[parent] + bar * slope
            if not finite(bars[parent]):
                name = evaluation.names[slot]
                return f", from {row_text(evaluation, slot)} on" if name and name not in told else ""
    return ""
