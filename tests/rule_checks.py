"""Checks of one row of the table of functions: each returns the list of its complaints, empty where all is well.

The judge is arithmetic of 50 digits.  Differences are taken there with a step of 1e-12: their truncation error is about
the step squared, 1e-24, and what rounding leaves of them is 1e-50 over the step (1e-38 for the first difference, 1e-26
for the second), both far below what a double can show.
"""

from __future__ import annotations

import itertools
import math
import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache

from drawn import THOROUGH, usually
from linear_printer import LINEAR

import adcli
from adcli.errors import DomainProblem, Source
from adcli.expression import Expression
from adcli.graph.graph import Graph
from adcli.graph.node import Node, wrapping
from adcli.graph.order import arrange, postorder
from adcli.graph.tape import adjoints, evaluate, linearize, tangents
from adcli.language.program import read_program
from adcli.notation.formula import TABLE, TEXT, Leaf, program_text, render
from adcli.notation.latex_printer import LATEX
from adcli.notation.mathematics import pieces
from adcli.notation.mathml_printer import MATHML
from adcli.numbers.doubles import FLOAT
from adcli.numbers.precise import Precise
from adcli.symbolic.terms import Term, Terms
from adcli.table.primitive import Primitive, lookup

# What mpmath has under the name of a row; by luck it may have something else under that of another.
IN_MPMATH = frozenset((
    "acos", "acosh", "acot", "acoth", "acsc", "acsch", "asec", "asech", "asin", "asinh", "atan", "atan2", "atanh",
    "cbrt", "ceil", "cos", "cosh", "cot", "coth", "csc", "csch", "digamma", "erf", "erfc", "exp", "expm1", "factorial",
    "floor", "gamma", "hypot", "log", "log10", "log1p", "log2", "polygamma", "sec", "sech", "sigmoid", "sign", "sin",
    "sinh", "sqrt", "tan", "tanh",
))  # fmt: skip
PRECISE = Precise(50)
STEP = PRECISE.context.mpf(10) ** -12
EPSILON = sys.float_info.epsilon

# A rule is some ten operations of the C library, each right to a few units in the last place, and an error in an
# argument of the last operation is magnified by how steep that is; 450 units, 1e-13, leave room for both.
ROUNDING = 450 * EPSILON
# polygamma adds up to 12 + n terms before its series, which is cut off where it is right to some 1e-15.
SERIES = 4 * ROUNDING
# Second derivatives go through the quotients and products of a whole formula, some ten times as many operations.
SECOND = 10 * ROUNDING
# What the differences leave, relative to the scale of the function: 1e-24 times a third derivative below 1e4.
DIFFERENCE = 1e-18
TINY = 1e-300  # below this a double loses digits, and a difference of doubles may be 0

_IN_PAIRS = (0.0, -0.0, math.inf, -math.inf, math.nan, 1e308, 5e-324, 1.0, -1.0, 0.5)
EXTREMES = (0.0, -0.0, math.inf, -math.inf, math.nan, 1e308, -1e308, 5e-324, -5e-324, 1.0, -1.0, 0.5, -0.5, 2.0)
BEYOND = (-40.0, -7.5, -2.5, -1.25, -0.75, -1e-3, 1e-3, 0.25, 0.875, 1.125, 3.5, 17.25, 60.0)

_GOLDEN = (math.sqrt(5) - 1) / 2


def sampled_points(row: Primitive, count: int = usually(5, thoroughly=7)) -> list[tuple[float, ...]]:
    """Points spread over the ranges of a row, the same in every run: multiples of irrational steps, modulo 1.

    A row for any number of arguments gets points of the least number besides.
    """
    ranges = row.ranges()
    found = [
        tuple(
            low + (high - low) * ((k * _GOLDEN ** (1 + 0.5 * place) + 0.37 * place) % 1.0)
            for place, (low, high) in enumerate(ranges)
        )
        for k in range(1, count + 1)
    ]
    return found if row.arity is not None else [*found, *(point[: row.least] for point in found)]


def points_beyond(row: Primitive, most: int = usually(8, thoroughly=24)) -> list[tuple[float, ...]]:
    """Points outside the ranges of a row where it has a value and all its partials."""
    count = len(row.ranges())
    if row.truth or row.truth_arguments or count > 2:
        return []
    found = [
        point
        for point in itertools.product(BEYOND, repeat=count)
        if row.find_violation(FLOAT, point) is None
        and _is_smooth(row, point)
        and math.isfinite(row.value(FLOAT, *point))
    ]
    return found[:: max(1, len(found) // most)]


def _is_smooth(row: Primitive, point: Sequence[float]) -> bool:
    kinks = [row.kink(position) for position in range(len(point))]
    return all(kink is None or kink.holds(FLOAT, *point) for kink in kinks)


@lru_cache(maxsize=512)
def _precisely(row: Primitive, point: tuple[object, ...]) -> object:
    return PRECISE.number(row.value(PRECISE, *point))


def _moved(point: Sequence[object], *moves: tuple[int, int]) -> tuple[object, ...]:
    """The point with steps added: each move is a position and how many steps."""
    new = list(point)
    for position, steps in moves:
        new[position] = new[position] + steps * STEP
    return tuple(new)


def _has_neighbours(row: Primitive, point: Sequence[object], position: int) -> bool:
    """Whether the function goes on to both sides; an order, in which nothing moves, and a condition do not."""
    if position in row.truth_arguments or (position == 0 and row.has_order):
        return False
    return all(row.find_violation(PRECISE, _moved(point, (position, side))) is None for side in (1, -1))


def first_difference(row: Primitive, point: Sequence[object], position: int) -> object:
    """The partial at a point, at 50 digits, from the value rule alone."""
    ahead, behind = (_precisely(row, _moved(point, (position, side))) for side in (1, -1))
    return (ahead - behind) / (2 * STEP)


def second_difference(row: Primitive, point: Sequence[object], one: int, other: int) -> object:
    """The second partial at a point, at 50 digits, from the value rule alone."""
    corners = {(a, b): _precisely(row, _moved(point, (one, a), (other, b))) for a in (1, -1) for b in (1, -1)}
    return (corners[1, 1] - corners[1, -1] - corners[-1, 1] + corners[-1, -1]) / (4 * STEP * STEP)


def _rounding(row: Primitive) -> float:
    """What rounding may do to a rule, relative to its scale."""
    series = any(word in row.name for word in ("gamma", "factorial"))
    return SERIES if series else ROUNDING


def _scale(point: Sequence[object], value: object, slopes: Sequence[object]) -> object:
    """What one relative unit of rounding is worth: in the result, and in each argument carried to the result."""
    return abs(value) + sum(abs(x * slope) for x, slope in zip(point, slopes, strict=True))


def _all_first(row: Primitive, point: Sequence[object]) -> list[object]:
    return [
        first_difference(row, point, k) if _has_neighbours(row, point, k) else PRECISE.zero for k in range(len(point))
    ]


def value_complaints(row: Primitive, points: Sequence[tuple[float, ...]]) -> list[str]:
    """Where the value in doubles is not the value in 50 digits."""
    complaints = []
    for point in points:
        exact = tuple(PRECISE.number(x) for x in point)
        expected = _precisely(row, exact)
        got = float(row.value(FLOAT, *point))
        bound = _rounding(row) * _scale(exact, expected, _all_first(row, exact)) + TINY
        if not abs(PRECISE.number(got) - expected) <= bound:
            complaints.append(f"{row.name}{point} is {got!r}, expected {float(expected)!r}")
    return complaints


def partial_complaints(row: Primitive, points: Sequence[tuple[float, ...]]) -> list[str]:
    """Where a partial read with doubles is not the slope of the value rule."""
    complaints = []
    for point in points:
        exact = tuple(PRECISE.number(x) for x in point)
        wanted = (True,) * len(point)
        got = row.rules(FLOAT, float(row.value(FLOAT, *point)), point, wanted)
        for position in range(len(point)):
            if not _has_neighbours(row, exact, position):
                continue
            expected = first_difference(row, exact, position)
            slopes = [
                second_difference(row, exact, position, k) if _has_neighbours(row, exact, k) else PRECISE.zero
                for k in range(len(point))
            ]
            bound = _rounding(row) * _scale(exact, expected, slopes)
            bound += DIFFERENCE * abs(_precisely(row, exact)) + TINY
            if not abs(PRECISE.number(float(got[position])) - expected) <= bound:
                complaints.append(
                    f"d{row.name}{point} by argument {position + 1} is {float(got[position])!r}, "
                    f"expected {float(expected)!r}"
                )
    return complaints


def partial_graph(row: Primitive, position: int, count: int) -> tuple[Graph, list[int], int]:
    """A partial rule read with graph nodes: the graph, the slots of its inputs and the slot of the partial."""
    graph = Graph()
    m = Terms(graph)
    slots = [graph.input(f"x{k + 1}") for k in range(count)]
    z = Term(m, graph.apply(row, tuple(slots)))
    wanted = tuple(k == position for k in range(count))
    slot = m.number(row.rules(m, z, tuple(Term(m, s) for s in slots), wanted)[position]).slot
    graph.outputs = [("p", slot)]
    return graph, slots, slot


def second_order_complaints(row: Primitive, points: Sequence[tuple[float, ...]]) -> list[str]:
    """Where the derivative of a partial rule, read as a graph and differentiated, is not the second difference.

    In 50 digits nothing is left but the error of the differences; in doubles there is rounding besides.
    """
    complaints = []
    for point in points:
        exact = tuple(PRECISE.number(x) for x in point)
        count = len(point)
        for position in range(count):
            if not _has_neighbours(row, exact, position):
                continue
            graph, slots, slot = partial_graph(row, position, count)
            size = abs(_precisely(row, exact)) + abs(first_difference(row, exact, position))
            judged, bars = _swept(graph, PRECISE, slots, slot, exact)
            ordinary, rounded = _swept(graph, FLOAT, slots, slot, point)
            expected = first_difference(row, exact, position)
            if not abs(judged - expected) <= DIFFERENCE * (abs(_precisely(row, exact)) + abs(expected)):
                complaints.append(f"the formula for d{row.name} by argument {position + 1} at {point} is {judged}")
            if not abs(PRECISE.number(ordinary) - expected) <= SECOND * size:
                complaints.append(f"the formula for d{row.name} by argument {position + 1} at {point} is {ordinary!r}")
            for other in range(count):
                if not _has_neighbours(row, exact, other):
                    continue
                second = second_difference(row, exact, position, other)
                where = f"d2{row.name}{point} by arguments {position + 1} and {other + 1}"
                if not abs(PRECISE.number(bars[other]) - second) <= DIFFERENCE * (size + abs(second)):
                    complaints.append(f"{where} is {bars[other]} in 50 digits, expected {second}")
                if not abs(PRECISE.number(float(rounded[other])) - second) <= SECOND * (size + abs(second)):
                    complaints.append(f"{where} is {rounded[other]!r}, expected {float(second)!r}")
    return complaints


def _swept(graph: Graph, m: object, slots: Sequence[int], slot: int, point: Sequence[object]) -> tuple[object, list]:
    values = evaluate(graph, m, dict(zip(slots, point, strict=True)))
    bars = adjoints(graph, linearize(graph, m, values), {slot: m.one})
    return values[slot], [bars[s] for s in slots]


# --- extremes --------------------------------------------------------------------------------------------------------


def extreme_points(row: Primitive) -> list[tuple[float, ...]]:
    """All combinations of the extremes for up to two arguments; for more, each extreme at each place and all alike."""
    count = len(row.ranges())
    extremes = EXTREMES if count != 2 or THOROUGH else _IN_PAIRS
    choices = [(0.0, 1.0) if k in row.truth_arguments else extremes for k in range(count)]
    if count <= 2:
        return list(itertools.product(*choices))
    found = []
    for position in range(count):
        for x, rest in itertools.product(choices[position], (0.5, math.inf, math.nan)):
            point = [rest if k not in row.truth_arguments else 1.0 for k in range(count)]
            point[position] = x
            found.append(tuple(point))
    return found + [tuple(x if k not in row.truth_arguments else 0.0 for k in range(count)) for x in EXTREMES]


def one_operation(row: Primitive) -> tuple[Graph, list[int], int]:
    """A graph of one operation: itself, the slots of its inputs and that of the operation."""
    graph = Graph()
    slots = [graph.input(f"x{k + 1}") for k in range(len(row.ranges()))]
    slot = graph.apply(row, tuple(slots))
    graph.outputs = [("y", slot)]
    return graph, slots, slot


def extreme_complaints(row: Primitive, points: Sequence[tuple[float, ...]]) -> list[str]:
    """Where a value or a sweep raises."""
    complaints = []
    graph, slots, slot = one_operation(row)
    for point in points:
        try:
            row.value(FLOAT, *point)
        except ZeroDivisionError:
            pass  # the tape makes it an undefined value
        except Exception as error:  # whatever it is, it is a complaint
            complaints.append(f"{row.name}{point} raises {error!r}")
        try:
            values = evaluate(graph, FLOAT, dict(zip(slots, point, strict=True)))
            gradients = linearize(graph, FLOAT, values)
            adjoints(graph, gradients, {slot: 1.0})
            tangents(graph, gradients, dict.fromkeys(slots, 1.0))
        except Exception as error:
            complaints.append(f"a sweep over {row.name}{point} raises {error!r}")
    return complaints


def boundary_complaints(row: Primitive, points: Sequence[tuple[float, ...]]) -> list[str]:
    """Where a trace or a Node is given outside the domain, or refused inside, or ends in an error of the program's own.

    With nan for an argument there is nothing to refuse; where infinities cancel there is no value inside the domain.
    """
    if row.truth_arguments:
        return []  # conditions, which no point can give
    graph, slots, slot = one_operation(row)
    if row.truth:
        graph.outputs = [("y", graph.apply(lookup("if"), (slot, slots[0], slots[-1])))]
    expression = Expression(read_program(Source("x1"))._replace(graph=graph))
    names = [graph.inputs[s] for s in slots]
    complaints = []
    for point in points:
        if row.has_order:
            continue  # its order must be a constant
        asked = {
            "trace": lambda point=point: expression.trace(dict(zip(names, point, strict=True))),
            "Node": lambda point=point: wrapping(row)(*(Node(x) for x in point)),
        }
        for way, ask in asked.items():
            problem = _problem(ask)
            if isinstance(problem, Exception) and not isinstance(problem, DomainProblem):
                complaints.append(f"the {way} of {row.name}{point} raises {problem!r}")
            elif all(x == x for x in point):
                broken = row.find_violation(FLOAT, point)
                if broken is not None and (problem is None or problem.title != broken.title):
                    complaints.append(f"the {way} of {row.name}{point} does not say: {broken.title}")
                value = evaluate(graph, FLOAT, dict(zip(slots, point, strict=True)))[slot]
                if broken is None and problem is not None and math.isfinite(value):
                    complaints.append(f"the {way} of {row.name}{point} says: {problem.title}")
    return complaints


def _problem(ask: Callable[[], object]) -> Exception | None:
    try:
        ask()
    except Exception as error:
        return error
    return None


# --- the cells that are not rules ------------------------------------------------------------------------------------


def cell_complaints(row: Primitive) -> list[str]:
    """What is wrong with the summary, the sample, the names and the conditions of a row."""
    complaints = []
    if not row.summary.strip():
        complaints.append(f"{row.name} has no summary")
    if row.summary.endswith("."):
        complaints.append(f"the summary of {row.name} is a phrase and ends without a full stop")
    for word in (row.name, *row.aliases):
        if lookup(word) is not row:
            complaints.append(f"{word} does not lead to {row.name}")
    ranges = row.ranges()
    if not row.accepts(len(ranges)):
        return [*complaints, f"{row.name} has {len(ranges)} ranges to sample"]
    for low, high in ranges:
        if not low <= high:
            complaints.append(f"the range {low} to {high} of {row.name} is empty")
    ends = list(itertools.product(*ranges))
    for point in [*ends, *sampled_points(row)]:
        broken = row.find_violation(FLOAT, point)
        if broken is not None:
            complaints.append(f"the sample of {row.name} reaches {point}: {broken.title}")
        elif not math.isfinite(float(row.value(FLOAT, *point))):
            complaints.append(f"{row.name}{point} is not finite")
    for check in row.domain:
        places = {int(k) for k in re.findall(r"\{(\d)\}", check.condition)}
        if not check.title or any(k >= len(ranges) for k in {*places, check.blame}):
            complaints.append(f"a condition of {row.name} speaks of an argument that there is not: {check.condition}")
    return complaints


def inverse_complaints(row: Primitive) -> list[str]:
    """Where the inverse of a row does not lead back."""
    if row.inverse is None:
        return []
    inverse = lookup(row.inverse)
    if inverse is None:
        return [f"the inverse {row.inverse} of {row.name} is no function"]
    complaints = []
    for (x,) in sampled_points(row):
        there = row.value(FLOAT, x)
        back = inverse.value(FLOAT, there)
        # Of several arguments with one result the inverse names the principal one, so the way is gone a second time.
        again = row.value(FLOAT, back)
        slope = abs(row.rules(FLOAT, there, (x,), (True,))[0])
        if not abs(again - there) <= ROUNDING * (abs(there) + abs(x) * slope + abs(back) * slope):
            complaints.append(f"{row.name}({inverse.name}({there!r})) is {again!r}")
    if inverse.inverse != row.name:
        complaints.append(f"{inverse.name} does not name {row.name} as its inverse")
    return complaints


def notation_complaints(row: Primitive) -> list[str]:
    """Where a row cannot be written in a style, or its text reads back as something else."""
    complaints = []
    graph, slots, slot = one_operation(row)
    names = dict(zip(slots, "abc", strict=False))
    leaves = {s: Leaf(name) for s, name in names.items()}.get
    styles = {style: render(graph, slot, style, leaves) for style in (TEXT, TABLE)}
    styles |= {
        type(printer).__name__: printer.printed(pieces(graph, slot, leaves)) for printer in (LINEAR, LATEX, MATHML)
    }
    for style, text in styles.items():
        if any(f"{{{k}}}" in text.replace(f"_{{{k}}}", "") for k in range(3)):
            complaints.append(f"a place is left open in {text!r}")
        missing = [name for name in names.values() if name not in text.replace(row.name, "")]
        braces = text.replace('<mo form="prefix">{</mo>', "")  # that of cases has no partner
        if missing or braces.count("{") != braces.count("}") or text.count("(") != text.count(")"):
            complaints.append(f"{row.name} in style {style} is {text!r}")
    return complaints + _read_back(row, graph, slot)


def _read_back(row: Primitive, graph: Graph, slot: int) -> list[str]:
    """Every spelling of a row read by the parser, alone and as an operand of other rows."""
    conditions = [lookup("lt"), lookup("gt"), lookup("le")]
    graph = Graph()
    arguments = []
    for k in range(len(row.ranges())):
        inputs = (graph.input(f"a{k + 1}"), graph.input(f"b{k + 1}"))
        arguments.append(graph.apply(conditions[k], inputs) if k in row.truth_arguments else inputs[0])
    slot = graph.apply(row, tuple(arguments))
    if row.truth:
        inside = [graph.apply(lookup("if"), (slot, graph.input("c"), graph.input("d")))]
    else:
        inside = [slot]
        for name in ("neg", "sin", "factorial"):
            inside.append(graph.apply(lookup(name), (slot,)))
        for name in ("add", "sub", "mul", "div", "mod", "pow"):
            inside.append(graph.apply(lookup(name), (slot, arguments[-1])))
            inside.append(graph.apply(lookup(name), (arguments[-1], slot)))
    complaints = []
    for result in inside:
        graph.outputs = [("y", result)]
        text = program_text(arrange(graph))
        try:
            again = read_program(Source(text)).graph
        except adcli.AdcliError as error:
            complaints.append(f"{text!r} is refused: {error.title}")
            continue
        if shape(again) != shape(graph):
            complaints.append(f"{text!r} reads back as {program_text(arrange(again))!r}")
    return complaints + _alias_complaints(row)


def _alias_complaints(row: Primitive) -> list[str]:
    if row.truth or row.truth_arguments or row.arity is None:
        return []
    places = ", ".join(f"x{k + 1}" for k in range(row.arity))
    complaints = []
    for word in (row.name, *row.aliases):
        graph = read_program(Source(f"{word}({places})")).graph
        found = graph.rows[graph.outputs[0][1]]
        if found is not row and not (row.has_order and found is not None and found.name == row.name):
            complaints.append(f"{word}({places}) reads as {found}")
    return complaints


def shape(graph: Graph) -> dict[str, object]:
    """What a graph computes and what it shares, as plain data; where and in what order it was written is left out.

    Operations are numbered by a search from the outputs, arguments before what they go into, left to right.  Literals
    have no rows, so they stand written out where they are used.
    """
    names: dict[int, object] = {}
    operations = []
    for _, output in graph.outputs:
        for slot in postorder(output, lambda s: graph.parents[s]):
            if slot in names:
                continue
            row, parents = graph.rows[slot], tuple(names[p] for p in graph.parents[slot])
            if row is None:
                constant = graph.constants.get(slot)
                names[slot] = ("input", graph.inputs[slot]) if constant is None else (constant.text, constant.named)
            elif graph.literal[slot]:
                names[slot] = (row.name, *parents)
            else:
                names[slot] = len(operations)
                operations.append((row.name, *parents))
    return {"operations": operations, "outputs": [(name, names[slot]) for name, slot in graph.outputs]}


def all_complaints(row: Primitive) -> list[str]:
    """Everything that is wrong with a row, for a row on its own."""
    points = sampled_points(row)
    return [
        *value_complaints(row, points),
        *value_complaints(row, points_beyond(row)),
        *partial_complaints(row, points),
        *partial_complaints(row, points_beyond(row)),
        *second_order_complaints(row, points),
        *extreme_complaints(row, extreme_points(row)),
        *boundary_complaints(row, extreme_points(row)),
        *cell_complaints(row),
        *inverse_complaints(row),
        *notation_complaints(row),
    ]
