"""Programs that change where nobody looks, and what is wrong with what adcli makes of them.

An inner part crosses a threshold of any magnitude; what stands around it (abs, max, if, sign, roots, powers …) depends
on the side.  Whatever simplifies must be right on every side: formulas are compared with slopes in sixty digits, by
differences and by the reverse sweep.  `python tests/soundness.py formulas 20000 [seed]` runs as many as one
likes (see CHECKS for what else there is).
"""

from __future__ import annotations

import math
import random
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from adcli import parse
from adcli.answers.answer_model import Task
from adcli.engine.joint_program import joint_graph
from adcli.errors import AdcliError, Source
from adcli.graph.graph import Graph
from adcli.graph.order import arrange, share_subexpressions
from adcli.graph.tape import adjoints, evaluate, linearize
from adcli.language.program import read_program
from adcli.marking.programs.worksheet import Worksheet, same
from adcli.notation.statements import Statements
from adcli.numbers.double_intervals import SPREAD
from adcli.numbers.doubles import FLOAT
from adcli.numbers.precise import Precise
from adcli.symbolic.derivative import derivative, gradient_graph
from adcli.symbolic.guarded import GuardedTerms
from adcli.symbolic.higher_orders import collect_derivatives, derivative_formula
from adcli.symbolic.knowledge import Knowledge
from adcli.symbolic.tidy import tidy_outputs
from adcli.trace.cost import cost
from adcli.trace.levels import levels

EXACTLY = Precise(60)
SURELY = Precise(600)  # for what seems wrong: perhaps sixty digits were too few
POINTS = 10  # of one program
_SAME = 1e-15  # relative: a wrong term shows, the last digits of a cancellation do not

INNER = (
    "exp(x)", "x^2 + 1", "2^x", "x", "x^3", "sin(x)", "sqrt(x)", "log(x)", "cosh(x)", "x*exp(x)", "1/x", "1/x^2",
    "softplus(x)", "sigmoid(x)", "tanh(x)", "atan(x)", "hypot(x, 1)", "erf(x)", "gamma(x)", "lgamma(x)", "x^0.5",
    "x^-1.5", "exp(-x)", "x^x", "abs(x)", "x^4 - x", "exp(x^2)", "log(1 + x^2)", "cbrt(x)", "sinh(x)", "sin(sqrt(x))",
    "x*sin(x)", "gamma(2^x)", "exp(x) + x", "asinh(x)", "x^2*exp(-x)", "root(x, 3)", "floor(x)", "1e3*x", "1e-3*x^2",
    "digamma(x^2)", "cos(x)", "x! + x", "sqrt(x^2 + 1)", "expm1(x)", "log1p(x^2)", "acosh(x)", "tan(x)", "asin(x)",
)  # fmt: skip
CORNERS = (
    "abs({u})", "max({u}, 0)", "max(0, {u})", "min({u}, 0)", "relu({u})", "sign({u})*({v})", "sqrt(abs({u}))",
    "if({u} > 0, {v}, {w})", "if({u} >= 0, {v}*({u}), {w})", "max({u}, {v})", "min({u}, {v}, {w})", "abs({u})^1.5",
    "({u})^2/abs({u})", "sqrt(({u})^2)", "log(abs({u}))", "({v})/abs({u})", "cbrt({u})", "root({u}, 3)",
    "hypot({u}, 0.5)", "atan2({u}, {v})", "max({u}, 0)^2", "log(({u})^2)", "sqrt({u})*({v})", "({u})/abs({u})",
    "exp(log({u}))", "({u})^0.5", "(({u})^2)^0.5", "abs({u})^({v})", "({u})^floor({v})", "mod({u}, 2)", "sqrt({u})^2",
    "({u})*({u})^-1", "sqrt(({u})*({u}))",
    "max(min({u}, 1), -1)", "floor({u})*({v})", "abs(abs({u}) - 1)", "acosh({u})", "asin({u})*abs({v})", "atanh({u})",
    "1/({u}) + ({u})", "({u})^2*({u})^-2", "log({u})*abs({v})", "sqrt({u})/({u})", "max({u}, -({u}))", "({u})^3/({u})",
    "abs({u})*({v}) - 0*log({w})", "relu({u}) - relu({v})", "asec({u})", "ceil({u})*({u})", "(abs({u}))^0.5*sign({u})",
    "if(abs({u}) > 1, {v}, abs({w}))", "sign({u})*sign({v})*({w})", "({u})*0*({v}) + ({w})", "acoth({u})*({u})",
)  # fmt: skip
OUTER = (
    "{a}", "{a}", "{a}*{b}", "{a} + {b}", "sqrt(1 + ({a})^2)", "({a})^2", "log(1 + abs({a}))", "({a})/(1 + ({b})^2)",
    "max({a}, {b})", "abs({a})*{b}", "if({a} > {b}, {a}, {b})", "sin({a})", "exp(-abs({a}))",
)  # fmt: skip


class Program(NamedTuple):
    """A program in x, and where an inner part crosses its threshold, as far as that was meant."""

    text: str
    crossings: list[float]


def magnitude(source: random.Random) -> float:
    """A positive number of any size from 1e-5 to 1e5, shortly written."""
    return float(f"{10 ** source.uniform(-5, 5):.3g}")


def inner(source: random.Random) -> tuple[str, float | None]:
    """A part that changes its sign, and where."""
    text = source.choice(INNER)
    place = source.choice((-1, 1, 1)) * magnitude(source)
    value = at(graph_of(f"{text} + 0*x"), place, FLOAT)
    if value is None or not 1e-12 < abs(value) < 1e12:
        return f"{text} - {magnitude(source):g}", None
    number = float(f"{value:.4g}")
    if source.random() < 0.3:
        number = math.copysign(float(f"1e{round(math.log10(abs(value)))}"), value)
    if abs(abs(number) - 1) < 1e-3:  # sigmoid(x) - 1 is no different from 0 soon
        number *= 1.125
    return f"{text} {'-+'[number < 0]} {abs(number)!r}", place


def program(source: random.Random) -> Program:
    """A program some of whose parts change their signs at thresholds."""
    crossings = []
    corners = []
    for _ in range(2):
        parts = {}
        for name in "uvw":
            parts[name], place = inner(source) if source.random() < 0.8 else (source.choice(INNER), None)
            if place is not None:
                crossings.append(place)
        corners.append(f"({source.choice(CORNERS).format(**parts)})")
    return Program(source.choice(OUTER).format(a=corners[0], b=corners[1]), crossings)


def points(made: Program, source: random.Random) -> Iterator[float]:
    """Points on all sides of where something changes, without end."""
    while True:
        kind = source.random()
        place = source.choice(made.crossings) if made.crossings else magnitude(source)
        if kind < 0.5:
            yield place * (1 + source.choice((-1, 1)) * 10 ** source.uniform(-4, 0))
        elif kind < 0.6:
            yield place + source.choice((-1, 1)) * magnitude(source)
        elif kind < 0.7:
            yield float(source.randint(-3, 3))
        else:
            yield source.choice((-1, 1)) * magnitude(source)


def graph_of(text: str) -> Graph:
    return arrange(read_program(Source(text), ("x",)).graph, extra=("x",))


def values_at(graph: Graph, x: Any, m: Any, most: Any = math.inf) -> list[Any] | None:
    """All values at a point, or None where a function has none or one is larger than it may be."""
    values = evaluate(graph, m, {slot: m.number(x) for slot in graph.inputs})
    for row, parents, value in zip(graph.rows, graph.parents, values, strict=True):
        if value is None:
            continue
        if not abs(value) < most:
            return None
        if (
            row is not None
            and row.route is None
            and row.find_violation(m, tuple(values[p] for p in parents)) is not None
        ):
            return None
    return values


def at(graph: Graph, x: Any, m: Any = EXACTLY, most: Any = math.inf) -> Any:
    """The value of the first output at a point, or None."""
    values = values_at(graph, x, m, most)
    return None if values is None else values[graph.outputs[0][1]]


def swept(graph: Graph, x: Any, m: Any = EXACTLY) -> Any:
    """The slope by the reverse sweep; None where there is no value."""
    values = values_at(graph, x, m)
    if values is None:
        return None
    bars = adjoints(graph, linearize(graph, m, values), {graph.outputs[0][1]: m.one})
    return bars[next(iter(graph.inputs))]


def saturated(graph: Graph, x: Any, m: Any) -> bool:
    """Whether a function has no digits left: tanh(99) is 1 in sixty digits, and its floor 1 there and 0 in truth."""
    values = values_at(graph, x, m) or []
    return any(
        row is not None and row.arity == 1 and row.smooth is None and value is not None
        and abs(value) == 1 and abs(values[parents[0]]) > 20
        for row, parents, value in zip(graph.rows, graph.parents, values, strict=False)
    )  # fmt: skip


def slope(graph: Graph, x: float, m: Any = EXACTLY) -> tuple[Any, Any] | None:
    """The slope by differences, with the size of what they cancel; None at a kink and where there is no value."""
    if saturated(graph, m.number(x), m):
        return None
    step = m.number(10) ** -(m.context.dps * 2 // 5) * max(abs(x), 1e-3)  # what is left out is of its square
    middle = m.number(x)
    most = m.number(10) ** (m.context.dps - 20)  # so that the digits suffice
    found = [at(graph, middle + way * step, m, most) for way in (-1, 0, 1)]
    if None in found:
        return None
    left, right = (found[1] - found[0]) / step, (found[2] - found[1]) / step
    size = abs(left) + abs(right)
    if abs(left - right) > 1e-9 * size + 1e-18 or size * step > 1e-9 * (1 + abs(found[1])):
        return None  # a kink or a jump, or all but one
    return (left + right) / 2, size


def is_slope(graph: Graph, x: float, number: Any) -> bool:
    """Whether a number is the slope by differences, as that of max(u - u, x - 1) at 0, whatever slopes u has."""
    known = slope(graph, x)
    return known is not None and agree(number, *known)


def agree(a: Any, b: Any, size: Any) -> bool:
    return bool(abs(a - b) <= _SAME * size + 1e-18)


def differs(before: Graph, formula: Graph, x: float, m: Any = EXACTLY) -> bool | None:
    """Whether a formula is not the slope at a point; None where there is no slope."""
    truth = slope(before, x, m)
    if truth is None:
        return None
    got = at(formula, x, m)
    return got is None or not agree(truth[0], got, truth[1])


def formula_complaints(made: Program, source: random.Random, order: int = 1) -> tuple[int, list[str]]:
    """How many points a formula of `diff` was tried at, and where it is not the slope."""
    graph = graph_of(made.text)
    before = derivative(graph, ["x"] * (order - 1), later=1)
    derived = (
        derivative(before, ["x"])
        if order == 1
        else collect_derivatives(derivative(graph, ["x"], later=order - 1), ["x"] * (order - 1))
    )
    if derived is None:
        derived = derivative_formula(graph, ["x"] * order)
    text = Statements(derived, [(None, derived.outputs[0][1])], ("x",)).text()
    again = graph_of(text)
    tried, found = 0, []
    candidates = points(made, source)
    for _ in range(4 * POINTS):
        if tried == POINTS:
            break
        x = next(candidates)
        if not usable(graph, x):
            continue
        swept_there = swept(before, x)
        if at(graph, x) is None or swept_there is None or not EXACTLY.finite(swept_there):
            continue
        wrong = differs(before, again, x)
        tried += wrong is not None
        if wrong and differs(before, again, x, SURELY):
            found.append(f"{made.text} at {x!r}: {text} is {at(again, x)}, the slope {slope(before, x)}")
    return tried, found


def usable(graph: Graph, x: float) -> bool:
    """Whether a program has values in doubles, so that the sixty digits need no huge numbers."""
    return values_at(graph, x, FLOAT, 1e60) is not None


def at_points(made: Program, graph: Graph, source: random.Random) -> Iterator[float]:
    """Some points at which a program has a value and a slope by its rules, special ones among them."""
    candidates = points(made, source)
    special = (0.0, 1.0, -1.0, 2.0)
    for x in (*special, *(next(candidates) for _ in range(POINTS))):
        if usable(graph, x):
            found = swept(graph, x)
            if found is not None and EXACTLY.finite(found):
                yield x


# Each is level on one side, at the end of the domain of what stands around it, whose partial is infinite there.
LEVEL = (
    "relu({u})", "max({u}, 0)", "-min({u}, 0)", "if({u} > 0, {u}, 0)", "if({u} <= 0, 0, {u})",
    "relu({u})*sign({u})", "relu(relu({u}))", "2*max({u}, 0)",
)  # fmt: skip
ENDS = (
    "sqrt({a})", "cbrt({a})", "({a})^0.5", "root({a}, 3)", "acosh({a} + 1)", "asin(1 - ({a})/(1 + {a}))",
    "acos(max(-1, 1 - {a}))", "asec(1 + {a})", "sqrt(sqrt({a}))", "asech(1/(1 + {a}))", "sqrt({a})*{b}",
    "sqrt({a}) + {b}", "abs({b}) - sqrt({a})", "if({a} > 0, {b}, 0) + sqrt({a})",
)  # fmt: skip


def end_complaints(source: random.Random) -> tuple[int, list[str]]:
    """Where a formula is not the slope of what is level at the end of a domain: the side counts, not the partial."""
    while (place := (found := inner(source))[1]) is None:
        pass
    level = source.choice(LEVEL).format(u=f"({found[0]})")
    text = source.choice(ENDS).format(a=f"({level})", b=source.choice(("x", "abs(x)", "sign(x)")))
    graph = graph_of(text)
    formula = derivative(graph, ["x"])
    tried, wrong = 0, []
    for x, _ in zip(points(Program(text, [place]), source), range(2 * POINTS), strict=False):
        truth = slope(graph, x) if usable(graph, x) else None
        if truth is None or truth[1] > 1e12:  # all but vertical
            continue
        found_there = differs(graph, formula, x)
        tried += found_there is not None
        if found_there and differs(graph, formula, x, SURELY):
            wrong.append(f"{text} at {x!r}: {at(formula, x)}, the slope {slope(graph, x)}")
    return tried, wrong


# --- other places that simplify ---------------------------------------------------------------------------------------


def kernel_complaints(made: Program, source: random.Random) -> tuple[int, list[str]]:
    """Where the joint program of a kernel is not the value and the slope by the sweep, kinks and all."""
    graph = graph_of(made.text)
    whole = joint_graph(graph)
    tried, found = 0, []
    for x in at_points(made, graph, source):
        tried += 1
        values = evaluate(whole, EXACTLY, {slot: EXACTLY.number(x) for slot in whole.inputs})
        got = [values[slot] for _, slot in whole.outputs]
        truth = [at(graph, x), swept(graph, x)]
        if not all(abs(a - b) <= 1e-25 * (1 + abs(a)) for a, b in zip(truth, got, strict=True)):
            found.append(f"{made.text} at {x!r}: {got} for {truth}")
    return tried, found


def expansion_complaints(made: Program, source: random.Random) -> tuple[int, list[str]]:
    """Where the slope of an expansion, as a number or as a formula in the inputs, is not that of the sweep."""
    graph = graph_of(made.text)
    program = read_program(Source(made.text), ("x",))
    tried, found = 0, []
    for x in at_points(made, graph, source):
        truth = slope(graph, x)
        if truth is None:
            continue
        tried += 1
        expanded = levels(program, {"x": x})
        (part,) = expanded.expansions[0].slopes
        in_doubles = swept(graph, x, FLOAT)
        if (
            math.isfinite(in_doubles)
            and part.value is not None
            and abs(part.value - in_doubles) > 1e-9 * (1 + abs(in_doubles))
        ):
            found.append(f"{made.text} at {x!r}: {part.value} for {in_doubles}")
        if part.written is not None:
            values = evaluate(expanded.written, EXACTLY, {slot: EXACTLY.number(x) for slot in expanded.written.inputs})
            got = values[part.written]
            if got is not None and EXACTLY.finite(got) and not agree(truth[0], got, truth[1]):
                found.append(f"{made.text} at {x!r}: a formula that is {got}, the slope {truth[0]}")
    return tried, found


def count_complaints(made: Program, source: random.Random) -> tuple[int, list[str]]:
    """Whether operations are counted otherwise where only the thresholds differ: no count may hang on their size."""
    numbers = re.compile(r"(?<= [-+] )[\d.]+(?:e[-+]?\d+)?")
    other = numbers.sub(lambda _: repr(magnitude(source) * 1.0009765625), made.text)
    here, there = (cost(graph_of(text)) for text in (numbers.sub("7.7", made.text), other))
    return 1, [] if here == there else [f"{made.text}: {here} and {there} for {other}"]


def reading_complaints(made: Program, source: random.Random) -> tuple[int, list[str]]:
    """Whether a program and its derivatives, printed and read again, are the same functions of the same inputs."""
    expression = parse(made.text, ("x",))
    tried, found = 0, []
    for each in (expression, expression.derivative("x")) if expression.inputs else ():
        again = parse(each.text, each.inputs)
        if again.inputs != each.inputs or again.text != each.text:
            found.append(f"{made.text}: {each.text} is read as {again.text} of {again.inputs}")
        mine, theirs = (graph_of(one.text) for one in (each, again))
        for x in at_points(made, mine, source):
            tried += 1
            if at(mine, x) != at(theirs, x):
                found.append(f"{each.text} at {x!r}: {at(mine, x)} and, read again, {at(theirs, x)}")
    return tried, found


def homework_complaints(made: Program, source: random.Random) -> tuple[int, list[str]]:
    """Whether formulas that homework takes for one function differ near the point of the problem."""
    other = source.choice((program(source).text, _altered(made.text, source)))
    graph, theirs = graph_of(made.text), graph_of(other)
    x = next(iter(at_points(made, graph, source)), None)
    if x is None:
        return 0, []
    task = Task(None, read_program(Source(made.text), ("x",)), {"x": x})
    places = Worksheet(task, ["x"]).places
    prints = []
    for one in (graph, theirs):
        result = one.outputs[0][1]
        spreads = [evaluate(one, SPREAD, dict.fromkeys(one.inputs, place["x"]))[result] for place in places]
        prints.append(tuple(SPREAD.number(spread) for spread in spreads))
    if not same(*prints):
        return 1, []
    found = []
    for place in places:
        a, b = (at(one, place["x"].middle) for one in (graph, theirs))
        if a is not None and b is not None and abs(a - b) > 1e-6 * (1 + abs(a)):
            found.append(f"{made.text} and {other} at {place['x'].middle!r}: {a} and {b}")
    return 1, found


def _altered(text: str, source: random.Random) -> str:
    """The program with one of its corners or numbers as somebody might have it who looked at one side alone."""
    for name, by in source.sample((("abs(", "("), ("relu(", "("), ("sign(", "(1 + 0*"), ("max(", "min(")), 4):
        if name in text:
            return text.replace(name, by, 1)
    return text.replace(" - ", " + ", 1)


# --- domains ----------------------------------------------------------------------------------------------------------

PARTS = ("x", "x - 1", "x^2", "sin(x)", "x^2 - 1", "log(x)", "sqrt(x)", "abs(x)", "x + 1", "x^3", "1/x", "exp(x) - 1")
CANCELLING = (
    "log({u})*({v}) - ({v})*log({u}) + {w}", "({u})/({v})*({v})", "1/(1/({u}))", "({u})^0.5*({u})^1.5",
    "0*log({u}) + {v}",
    "abs({u})^({v})", "({u})^abs({v})", "abs({u})^abs({v})", "({u})^({v})",
    "asin({u}) + acos({u}) + {v}", "sqrt({u})*({v}) - ({v})*({u})^0.5", "({v})*cbrt({u}) - cbrt({u})*({v})",
    "0*sqrt({u}) + {v}", "asec({u}) + acsc({u})", "({u})^0.5 - sqrt({u}) + {w}", "acosh({u})*0 + abs({v})",
    "sqrt(({u})*({v})) - sqrt({u})*sqrt({v})",
)  # fmt: skip
SPECIAL = (0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0)


def in_order(graph: Graph) -> Graph:
    """A program itself rewritten as a derivative would be."""
    found = share_subexpressions(graph)
    m = GuardedTerms(found, ())
    m.knowledge = Knowledge(found)
    ((name, slot),) = found.outputs
    found.outputs = [(name, *tidy_outputs(m, [slot], 0))]
    return found


def domain_complaints(source: random.Random) -> tuple[int, list[str]]:
    """Where a formula that is put in order has a value and the derivative as it was swept has another one, or none
    although differences do not say that this is the slope.
    """
    parts = {name: source.choice(PARTS) for name in "uvw"}
    corner = source.choice(source.choice((CORNERS, CANCELLING))).format(**parts)
    text = source.choice(OUTER).format(a=f"({corner})", b=f"({source.choice(PARTS)})")
    graph = graph_of(text)
    before, after = (gradient_graph(graph, tidy=tidy) for tidy in (False, True))
    ordered = in_order(graph)
    found = []
    for x in SPECIAL:
        mine, theirs = at(graph, x), at(ordered, x)
        if (mine is None) != (theirs is None) or (mine is not None and not agree(mine, theirs, 1 + abs(mine))):
            found.append(f"{text} at {x}: {mine}, and put in order {theirs}")
        if not usable(graph, x):
            continue
        truth, got = swept(graph, x), at(after, x)
        if at(before, x) is None and got is not None and not is_slope(graph, x, got):
            found.append(f"{text} at {x}: {got} where there is no slope")
        if EXACTLY.finite(truth) and (got is None or not agree(truth, got, abs(truth))):
            found.append(f"{text} at {x}: {got} where the slope is {truth}")
    return len(SPECIAL), found


# --- many -------------------------------------------------------------------------------------------------------------

Complaints = Callable[[Program, random.Random], tuple[int, list[str]]]
CHECKS: dict[str, Complaints] = {
    "formulas": formula_complaints,
    "second": lambda made, source: formula_complaints(made, source, order=2),
    "third": lambda made, source: formula_complaints(made, source, order=3),
    "kernels": kernel_complaints,
    "expansions": expansion_complaints,
    "counts": count_complaints,
    "readings": reading_complaints,
    "homework": homework_complaints,
    "domains": lambda _, source: domain_complaints(source),
    "ends": lambda _, source: end_complaints(source),
}


def complaints(count: int, seed: int, check: str = "formulas") -> tuple[int, list[str]]:
    """How many pairs of a program and a point were tried, and what is wrong with them."""
    source = random.Random(seed)  # noqa: S311
    pairs, found = 0, []
    for _ in range(count):
        made = program(source)
        try:
            tried, wrong = CHECKS[check](made, source)
        except AdcliError as problem:
            tried, wrong = 0, [f"{made.text}: {problem}"]
        pairs += tried
        found += wrong
    return pairs, found


def main(check: str, count: int, seed: int) -> int:
    """Tries so many programs, tells what is wrong as it comes, and how much was tried."""
    pairs = wrong = 0
    for start in range(0, count, 100):
        tried, found = complaints(min(100, count - start), seed * 1_000_003 + start, check)
        pairs, wrong = pairs + tried, wrong + len(found)
        sys.stdout.write("".join(f"{line}\n" for line in found))
        sys.stdout.flush()
    sys.stdout.write(f"{check}: {count} programs, {pairs} points, {wrong} wrong\n")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0) > 0)
