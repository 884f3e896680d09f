"""Verify a trace: compute its numbers by several routes and report their largest disagreement. A route is one way of
computing them; its keys are "" for the value of an output and an input for a slope.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from ...graph.as_nodes import as_nodes
from ...graph.graph import Graph
from ...graph.node import Node, forward, reverse
from ...graph.order import ancestors
from ...graph.tape import UNTAKEN, Gradients, adjoints, evaluate, linearize, tangents
from ...numbers.doubles import FLOAT, apply
from ...numbers.precise import Precise
from ...records import NamedTuple
from ...symbolic.derivative import gradient_graph
from ...table.primitive import Primitive
from ...typings import TYPE_CHECKING, override
from ..analysis_results import Verification
from ..faults import Evaluation, row_text
from ..hessians import move_along
from ..labels import node_labels
from ..trace_model import Note, Trace
from .rounding_errors import magnify, with_literals_as_variables

if TYPE_CHECKING:
    from mpmath import mpf

    Numbers = Sequence[mpf | None]

_DIGITS = 50
_LARGEST = 200_000  # operations times inputs up to which the slower routes are taken
_MOST_WORK = 5_000_000  # the same for the forward sweeps
_SUSPICIOUS = 1e6  # ulps from which a rounding error is worth a note
_DIFFERENT = 1e4  # ulps from which routes disagree, unless rounding explains it
_HALF = 2.0**-53
_OFF = 4  # ulps that a function may be off by
_PATIENCE = 64  # times the bound of first order: a route may round more often than the sweeps, and squares add to it
_STEEPER = 1e-3  # relative difference of two partials from which a slope has jumped

TOO_LARGE = "is too large for a double"
_WRONG = "rounding does not explain this, so one of them is wrong"
EDGE = "has a jump or a corner within the rounding error of its argument"

FORWARD, REVERSE, NODES_FORWARD, NODES_REVERSE, DERIVATIVE, PRECISE = (
    "forward", "reverse", "nodes forward", "nodes reverse", "derivative graph", f"{_DIGITS} digits",
)  # fmt: skip

Route = dict[str, float]  # the numbers of one output: its value under "", its derivatives by the name of the input
Routes = Mapping[str, Route]


class _Doubles(Precise):
    """Arithmetic of many digits in which every literal and constant has the value of its double, as in the routes in
    doubles.
    """

    def __init__(self, digits: int) -> None:
        super().__init__(digits)
        self.pi, self.e = self.context.mpf(math.pi), self.context.mpf(math.e)

    @override
    def number(self, x: float | str | mpf) -> mpf:
        return self.context.mpf(float(x)) if isinstance(x, str) else super().number(x)


def verify_trace(trace: Trace) -> Trace:
    """Return the trace with `verified`, {output: verification}, and notes on large differences between routes.

    Differences are those of each route in doubles from a computation in 50 digits, in which literals have the values of
    their doubles. One that first-order rounding does not explain gets a note of kind "disagreement" (or "conditioning",
    if rounding crosses a jump or overflows there); without one, differences from 1e6 ulps on get a note of kind
    "conditioning": `the routes to y differ by 3e+07 ulps (∂/∂x, forward); REASON`. Each output has one note at most, on
    its row. A verification has the largest difference in ulps, its place (`∂/∂x, forward`, or `value, forward`; "none"
    without differences) and the names of the routes of this output, "50 digits" last.
    """
    verifications = {}
    notes = []
    judge = _Doubles(_DIGITS)
    true = evaluate(trace.graph, judge, {slot: judge.number(trace.values[slot]) for slot in trace.graph.inputs})
    exact = _reference_numbers(trace, judge, true)
    float_routes = _float_routes(trace)
    for output in trace.outputs:
        routes = {name: route[output.name] for name, route in float_routes.items() if output.name in route}
        differences = _differences(judge, exact[output.name], routes)
        largest = max(differences, key=lambda difference: difference.ulps, default=Difference(0.0, 0.0, "", "none"))
        verifications[output.name] = Verification(largest.ulps, largest.where, (*routes, PRECISE))
        wrong = _find_largest_unexplained(trace, output.name, differences, true)
        if wrong is None and largest.ulps < _SUSPICIOUS:
            continue
        kind, verb, why = "conditioning", "differ", "rounding explains this"
        if wrong is not None:
            crossed = _describe_crossing(trace, output.name, judge, true, routes, differences)
            why = f"{why}: {crossed}"
            if not crossed:
                kind, verb, why = "disagreement", "disagree", _WRONG
        off = wrong or largest
        text = f"the routes to {output.shown} {verb} by {off.ulps:.3g} ulps ({off.where}); {why}"
        notes.append(Note(output.node, kind, text))
    return trace._replace(verified=verifications, notes=[*trace.notes, *notes])


class Difference(NamedTuple):
    """The distance of a double from the true number.

    ulps   in units in the last place, `error` the absolute distance
    key    the input of a derivative, "" for the value
    route  the computation that gave the double
    """

    ulps: float
    error: float
    key: str
    route: str

    @property
    def where(self) -> str:
        return f"{f'∂/∂{self.key}' if self.key else 'value'}, {self.route}" if self.error else self.route


def _find_largest_unexplained(
    trace: Trace, output: str, differences: Sequence[Difference], true: Sequence[mpf | None]
) -> Difference | None:
    """Return the largest (in ulps) of `differences` of `output` that first-order rounding does not explain, or None.

    A difference is not explained if its absolute error is more than 64 times the first-order bound (an infinite bound
    explains all); below 1e4 ulps it is not considered. The bound is taken at the traced values and, without a decision
    at kinks, at the `true` ones (by slot) too. The larger one counts, because factors may be 0 only in doubles. Of
    equal differences the first is returned.
    """
    bounds: dict[str, float] = {}
    traces = [trace]
    if trace.decision is None:
        exact = [z if x is None or not math.isfinite(x) else float(x) for z, x in zip(trace.values, true, strict=True)]
        traces.append(trace._replace(values=exact))
    for difference in sorted(differences, key=lambda difference: -difference.ulps):
        if difference.ulps < _DIFFERENT:
            return None
        if difference.key not in bounds:
            bounds[difference.key] = max(_rounding_bound(one, output, difference.key) for one in traces)
        if difference.error > _PATIENCE * bounds[difference.key]:
            return difference
    return None


def _describe_crossing(
    trace: Trace, output: str, judge: Precise, true: Numbers, routes: Routes, differences: Sequence[Difference]
) -> str:
    """Return `v2 = ceil v1 has a jump or a corner within …`: the first row where rounding crosses a jump or overflows.

    `output` is the name of the output, `judge` the arithmetic of many digits, `true` its values by slot; `routes` has
    the output's numbers, `differences` their distances from the true ones. The end is the kind of the Crossing: EDGE or
    TOO_LARGE. "" if no row crosses. "" also if a crossing does not explain the differences: an operation is wrong for
    its arguments; or a slope is wrong on both sides, that is, rounding explains its difference neither from the true
    slope nor from the exact slope at the values in doubles. (At an overflow infinite differences do not count.)
    """
    graph = trace.graph
    # routes that decide for themselves do so with doubles, not with what was decided in exact numbers
    doubles = evaluate(graph, FLOAT, {slot: float(trace.at[name]) for slot, name in graph.inputs.items()})
    trace = trace._replace(decision=None)
    slot = dict(graph.outputs)[output]
    jump = find_crossing(graph, doubles, true, slot, judge)
    if jump is None or jump.slot < 0:
        return ""
    labels = node_labels(graph, trace.names)
    row = row_text(Evaluation(graph, doubles, trace.names, labels), jump.slot)
    here = [None if x is None else judge.number(x) for x in doubles]
    again = _differences(judge, _reference_numbers(trace, judge, here)[output], routes)
    slopes = [min(pair) for pair in zip(differences, again, strict=True) if pair[0].key]  # on either side of the jump
    if jump.kind == TOO_LARGE:  # of which some routes make infinities, others numbers
        slopes = [off for off in slopes if off.ulps < math.inf]
    return f"{row} {jump.kind}" if _find_largest_unexplained(trace, output, slopes, true) is None else ""


def _rounding_bound(trace: Trace, output: str, key: str) -> float:
    """Return the first-order bound on the absolute rounding error of an output's value or slope in the input `key`.

    `key` is "" for the value. The result of every operation counts as wrong by 4 ulps; inputs, constants and values
    that are missing or not finite count as exact. For a slope their effect on it (by second derivatives) and the
    roundings of the sweep's products (`_product_roundings`) are added. 0 times infinity counts as 0; a bound that is
    nan becomes infinite. Raises KeyError for an unknown output, StopIteration for an unknown input.
    """
    graph, values = with_literals_as_variables(trace.graph), trace.values
    gradients = linearize(graph, FLOAT, values) if trace.decision is None else trace.gradients
    slot = dict(graph.outputs)[output]
    computed = [x if row is not None and x is not None else math.inf for row, x in zip(graph.rows, values, strict=True)]
    ulps = [_OFF * math.ulp(x) if math.isfinite(x) else 0.0 for x in computed]
    bars = adjoints(graph, gradients, {slot: 1.0})
    if not key:
        total = sum(map(magnify, bars, ulps))
        return total if total == total else math.inf
    wrt = next(s for s, name in graph.inputs.items() if name == key)
    along = move_along(graph, FLOAT, values, gradients, slot, {wrt: 1.0})
    total = sum(map(magnify, along.bar_dots, ulps))
    total = sum(_product_roundings(graph, bars, gradients, along.dots), total)
    return total if total == total else math.inf


def _product_roundings(
    graph: Graph, bars: Sequence[float], gradients: Gradients, dots: Sequence[float]
) -> Iterator[float]:
    """Yield a bound of the rounding error of each product adjoint · partial · tangent, by row and argument.

    The bound is 8·2^−53 times the size of the product. Products that are 0 or have a missing partial are skipped.
    `bars` (adjoints), `gradients` (partials by argument) and `dots` (tangents) are by slot.
    """
    for bar, parents, partials in zip(bars, graph.parents, gradients, strict=True):
        for parent, partial in zip(parents, partials, strict=False):
            if bar and partial and dots[parent]:
                yield abs(bar * partial * dots[parent]) * 2 * _OFF * _HALF


def _reference_numbers(trace: Trace, judge: Precise, values: Numbers) -> dict[str, dict[str, tuple[mpf, mpf]]]:
    """Return {output: {"" or input: (number, its largest term)}} at these `values` of the slots, in `judge`.

    The numbers are the value ("") and the slopes (by input); with a decision at kinks they are corrected by it. The
    term is 0 for values and for slopes without contributions.
    """
    graph = trace.graph
    gradients = linearize(graph, judge, values)
    if trace.decision is not None:
        values, gradients = trace.decision.correct(values, gradients, judge)
    numbers = {}
    for name, slot in graph.outputs:
        bars = adjoints(graph, gradients, {slot: judge.one})
        terms = _largest_terms(graph, gradients, bars, slot)
        numbers[name] = {"": (values[slot], 0)}
        numbers[name] |= {wrt: (bars[s], terms.get(s, 0)) for s, wrt in graph.inputs.items()}
    return numbers


def _largest_terms(graph: Graph, gradients: Gradients, bars: list[mpf], last: int) -> dict[int, mpf]:
    """Return, by slot of an input, the largest contribution to its adjoint in size: the scale of its rounding error.

    A contribution is |adjoint · partial| of a row up to `last`, the slot of the output; the seed is not one.
    `gradients` are the partials and `bars` the adjoints by slot. Inputs without contributions are missing.
    """
    terms: dict[int, mpf] = {}
    for slot in range(last + 1):
        for parent, partial in zip(graph.parents[slot], gradients[slot], strict=False):
            if partial is not None and parent in graph.inputs:
                terms[parent] = max(terms.get(parent, 0), abs(bars[slot] * partial))
    return terms


def _float_routes(trace: Trace) -> dict[str, dict[str, Route]]:
    """Return {route: {output: {key: number}}} for every route in doubles.

    A key is "" for the value (the trace's in every route), or an input for a slope. The sweeps use the trace's
    partials, at kinks those of its decision. In this order: FORWARD up to slots × inputs of 5 million; REVERSE always;
    NODES_FORWARD, NODES_REVERSE (sweeps over Nodes) and DERIVATIVE (the graph of derivatives) up to 200,000. A route
    without any output is left out.
    """
    graph, inputs = trace.graph, trace.graph.inputs
    gradients = trace.gradients or linearize(graph, FLOAT, trace.values)
    slopes: dict[str, dict[str, Route]] = {}
    if len(graph) * len(inputs) <= _MOST_WORK:
        slopes[FORWARD] = _forward_route(graph, lambda slot: tangents(graph, gradients, {slot: 1.0}))
    slopes[REVERSE] = _reverse_route(graph, lambda slot: adjoints(graph, gradients, {slot: 1.0}))
    if len(graph) * max(len(inputs), 1) <= _LARGEST:
        nodes = as_nodes(graph, trace.values, gradients, trace.names)
        slopes[NODES_FORWARD] = _forward_route(graph, functools.partial(_sweep_nodes, nodes, forward))
        slopes[NODES_REVERSE] = _reverse_route(graph, functools.partial(_sweep_nodes, nodes, reverse))
        slopes[DERIVATIVE] = _derivative_route(trace)
    values: dict[str, Route] = {name: {"": trace.values[slot]} for name, slot in graph.outputs}
    known = {route: outputs for route, outputs in slopes.items() if outputs}
    return {route: {name: values[name] | row for name, row in outputs.items()} for route, outputs in known.items()}


def _forward_route(graph: Graph, sweep: Callable[[int], Sequence[float]]) -> dict[str, Route]:
    """Return {output: {input: slope}} by one `sweep` from each input, which returns the tangents of all slots."""
    dots = {wrt: sweep(slot) for slot, wrt in graph.inputs.items()}
    return {name: {wrt: column[slot] for wrt, column in dots.items()} for name, slot in graph.outputs}


def _reverse_route(graph: Graph, sweep: Callable[[int], Sequence[float]]) -> dict[str, Route]:
    """Return {output: {input: slope}} by one `sweep` from each output, which returns the adjoints of all slots."""
    bars = {name: sweep(slot) for name, slot in graph.outputs}
    return {name: {wrt: column[slot] for slot, wrt in graph.inputs.items()} for name, column in bars.items()}


def _sweep_nodes(nodes: Sequence[Node], sweep: Callable[[Node], None], start: int) -> list[float]:
    """Return the derivatives of all Nodes after a sweep of the paper from the Node at `start`."""
    for node in nodes:  # a sweep may not reach all of them
        node.partial_derivative = 0.0
    sweep(nodes[start])
    return [node.partial_derivative for node in nodes]


def _derivative_route(trace: Trace) -> dict[str, Route]:
    """Return {output: {input: slope}}, the finite slopes evaluated in doubles from the graph of the derivatives.

    An output without finite slopes has {}. Outputs at a kink (that the trace's decision has resolved) are left out,
    because the formula decides on which side it is with doubles; {} without inputs.
    """
    names = list(trace.graph.inputs.values())
    if not names:
        return {}
    graph = gradient_graph(trace.graph)
    at = {name: trace.values[slot] for slot, name in trace.graph.inputs.items()}
    values = evaluate(graph, FLOAT, {slot: at[name] for slot, name in graph.inputs.items()})
    numbers = iter([values[slot] for _, slot in graph.outputs])
    rows = {name: dict(zip(names, islice(numbers, len(names)), strict=True)) for name, _ in trace.graph.outputs}
    smooth = rows.keys() - (() if trace.decision is None else trace.decision.outcomes)
    return {name: {wrt: x for wrt, x in rows[name].items() if math.isfinite(x)} for name in rows if name in smooth}


def _differences(judge: Precise, exact: Mapping[str, tuple[mpf, mpf]], routes: Mapping[str, Route]) -> list[Difference]:
    """Return a Difference (ulps, error, key, route) from the true number for each number of each route.

    `exact` has (the true number, the largest term that was added up for it) by key. `routes` has the doubles of each
    route by key; a key that a route lacks is skipped. The list has the keys in the order of `exact`, and for each key
    the routes in the order of `routes`. Ulps are those of the true number or, if larger, of the largest term; a nan or
    infinity is off by 0 ulps from the same true number, by infinity from another one. `judge` is the arithmetic of the
    true numbers.
    """
    numbers = [(key, name, route[key]) for key in exact for name, route in routes.items() if key in route]
    return [Difference(*_error_in_ulps(judge, x, *exact[key]), key, name) for key, name, x in numbers]


def _error_in_ulps(judge: Precise, double: float, true: mpf, term: mpf) -> tuple[float, float]:
    """Return (error in ulps, absolute error) of a double; ulps are those of the true number or, if larger, of `term`.

    Both are 0 if the numbers are equal, both nan, or the double is the infinity that the true number rounds to; else
    infinite if one of them is not finite. Else only the ulps are infinite if the true number or `term` is too large for
    a double.
    """
    double = float(double)
    if not math.isfinite(double) or not judge.finite(true):
        same = (double != double and true != true) or double == float(true)
        return (0.0, 0.0) if same else (math.inf, math.inf)
    error = abs(judge.number(double) - true)
    if not error:
        return 0.0, 0.0
    size = float(max(abs(true), term))
    ulps = float(error / judge.number(math.ulp(size))) if math.isfinite(size) else math.inf
    return ulps, float(error)


# --- where rounding crosses a jump or leaves the doubles ---


class Crossing(NamedTuple):
    """The first row whose double is further from the true number than rounding of earlier rows explains.

    `slot` is -1 if there is none; `kind` is TOO_LARGE, EDGE or "".
    """

    slot: int
    kind: str


def find_crossing(
    graph: Graph, doubles: Sequence[float | None], true: Sequence[mpf | None], output: int, judge: Precise
) -> Crossing | None:
    """Return the first row where rounding crosses a jump or overflows, as a Crossing(slot, kind).

    Only rows that `output` depends on count. `doubles` and `true` (numbers of `judge`) are values by slot. The kind is
    TOO_LARGE if only the double is not finite. It is EDGE if the numbers differ by more than 64 times the first-order
    rounding error, 4 ulps in this row and in each earlier one; or if the partials of a function with kinks, or with a
    branch, belong to two smooth pieces (`_slope_jumps`). The slot is −1 and the kind "" if no row crosses. None if some
    operation that `output` needs, even a later one, is wrong for its arguments: then rounding explains nothing.
    """
    free = with_literals_as_variables(graph)
    slopes = linearize(free, FLOAT, doubles)
    true_slopes = linearize(free, judge, true)
    needed = ancestors(graph, [output])
    reach = [0.0] * len(graph)
    first = Crossing(-1, "")
    for slot, (row, parents) in enumerate(zip(graph.rows, graph.parents, strict=True)):
        z, exact = doubles[slot], true[slot]
        if row is None or z is None or not needed[slot]:
            continue
        if not _right_for_arguments(judge, row, z, list(map(doubles.__getitem__, parents))):
            return None
        pairs = zip(slopes[slot], parents, strict=False)
        reach[slot] = _OFF * math.ulp(z) + sum(magnify(g, reach[p]) for g, p in pairs)
        if not first.kind and exact is not None:
            reason = _reason_of_distance(judge, z, exact, _PATIENCE * reach[slot])
            if not reason and (row.smooth or row.route) and _slope_jumps(slopes[slot], true_slopes[slot]):
                reason = EDGE
            if reason:
                first = Crossing(slot, reason)
    return first


def _right_for_arguments(judge: Precise, row: Primitive, z: float, arguments: Sequence[float | None]) -> bool:
    """Return whether `z` is the value of `row` at the doubles `arguments`, up to rounding.

    `judge` computes the exact result. The first that applies:

    - an argument has no value: True
    - `z` is infinite or nan: whether the exact result, as a double, is the same, or one of the two is nan
    - the exact result is not finite: True
    - whether they differ by at most 256 ulps of `z`
    """
    if None in arguments:
        return True
    exact = apply(row, judge, list(map(judge.number, arguments)))
    if not math.isfinite(z):
        return float(exact) == z or exact != exact or z != z
    return not judge.finite(exact) or bool(abs(exact - judge.number(z)) <= _PATIENCE * _OFF * math.ulp(z))


def _reason_of_distance(judge: Precise, z: float, exact: mpf, distance: float) -> str:
    """Return why the double `z` is far from the true number `exact`; "" if it is near, or if `exact` is not finite.

    TOO_LARGE if only `z` is not finite; EDGE if they differ by more than `distance`.
    """
    if not judge.finite(exact):
        return ""
    if not math.isfinite(z):
        return TOO_LARGE
    return EDGE if abs(exact - judge.number(z)) > distance else ""


def _slope_jumps(slopes: Sequence[float | None], true: Sequence[mpf | None]) -> bool:
    """Return whether the partials of an operation differ so much that they belong to two different smooth pieces.

    `slopes` are the partials in doubles, `true` the true ones, by argument. True if for some argument they differ by
    more than 1e-3 of the larger one, or if only one of them is UNTAKEN (a branch not taken). A partial None is not
    compared; an infinite or nan one never counts as different.
    """
    pairs = list(zip(slopes, true, strict=False))
    known = [(a, b) for a, b in pairs if not (a is None or b is None or a is UNTAKEN or b is UNTAKEN)]
    if any((a is UNTAKEN) != (b is UNTAKEN) for a, b in pairs):
        return True
    return any(abs(a - b) > _STEEPER * max(abs(a), abs(b)) for a, b in known)
