"""Programs that change where nobody looks, and what is wrong with what adcli makes of them.

An inner part crosses a threshold of any magnitude; what stands around it (abs, max, if, sign, roots, powers …) depends
on the side.  Whatever simplifies must be right on every side: formulas are compared with slopes in sixty digits, by
differences and by the reverse sweep.  `python tests/soundness.py 20000 [seed]` runs as many as one likes.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from adcli.calculus.algebra import FLOAT
from adcli.calculus.precise import Precise
from adcli.errors import AdcliError, Source
from adcli.graph.derivative import derivative
from adcli.graph.node import Graph
from adcli.graph.order import arranged
from adcli.graph.tape import adjoints, evaluate, linearize
from adcli.language.program import read_program
from adcli.language.statements import Statements

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
    "({u})^2/abs({u})", "sqrt(({u})^2)", "log(abs({u}))", "({v})/abs({u})", "cbrt({u})", "root({u}, 3)", "hypot({u}, 0.5)",
    "atan2({u}, {v})", "max({u}, 0)^2", "log(({u})^2)", "sqrt({u})*({v})", "({u})/abs({u})", "exp(log({u}))", "({u})^0.5",
    "(({u})^2)^0.5", "abs({u})^({v})", "({u})^floor({v})", "mod({u}, 2)", "sqrt({u})^2", "({u})*({u})^-1", "sqrt(({u})*({u}))",
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
    return arranged(read_program(Source(text), ("x",)).graph, extra=("x",))


def values_at(graph: Graph, x: Any, m: Any, most: Any = math.inf) -> list[Any] | None:
    """All values at a point, or None where a function has none or one is larger than it may be."""
    values = evaluate(graph, m, {slot: m.number(x) for slot in graph.inputs})
    for row, parents, value in zip(graph.rows, graph.parents, values, strict=True):
        if value is None:
            continue
        if not abs(value) < most:
            return None
        if row is not None and row.route is None and row.broken(m, tuple(values[p] for p in parents)) is not None:
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


def slope(graph: Graph, x: float, m: Any = EXACTLY) -> tuple[Any, Any] | None:
    """The slope by differences, with the size of what they cancel; None at a kink and where there is no value."""
    step = m.number(10) ** -(m.context.dps * 2 // 5) * max(abs(x), 1e-3)  # what is left out is of its square
    middle = m.number(x)
    most = m.number(10) ** (m.context.dps - 20)  # so that the digits suffice
    found = [at(graph, middle + way * step, m, most) for way in (-1, 0, 1)]
    if None in found:
        return None
    left, right = (found[1] - found[0]) / step, (found[2] - found[1]) / step
    size = abs(left) + abs(right)
    if abs(left - right) > 1e-9 * size + 1e-18:
        return None  # a kink, or all but one
    return (left + right) / 2, size


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
    before = graph if order == 1 else derivative(graph, ["x"])
    formula = derivative(before, ["x"])
    text = Statements(formula, [(None, formula.outputs[0][1])], ("x",)).text()
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
    return values_at(graph, x, FLOAT) is not None


def complaints(count: int, seed: int, order: int = 1) -> tuple[int, list[str]]:
    """How many pairs of a formula and a point were tried, and which of them are wrong."""
    source = random.Random(seed)  # noqa: S311
    pairs, found = 0, []
    for _ in range(count):
        made = program(source)
        try:
            tried, wrong = formula_complaints(made, source, order)
        except AdcliError as problem:
            tried, wrong = 0, [f"{made.text}: {problem}"]
        pairs += tried
        found += wrong
    return pairs, found


if __name__ == "__main__":
    asked, begun = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    total = wrong_ones = 0
    for start in range(0, asked, 100):
        tried_here, wrong_here = complaints(min(100, asked - start), begun * 1_000_003 + start)
        total, wrong_ones = total + tried_here, wrong_ones + len(wrong_here)
        sys.stdout.write("".join(f"{line}\n" for line in wrong_here))
        sys.stdout.flush()
    sys.stdout.write(f"{asked} programs, {total} points, {wrong_ones} wrong\n")
    sys.exit(wrong_ones > 0)
