"""Rounding errors of the results of an evaluation, to first order. `bars` are adjoints by slot.

Each operation has the local error exact result minus double, for its arguments as doubles; adjoints propagate it to
values, tangents of the adjoints to slopes.  If integers and fractions hold the exact result, the local error is known
with its sign, so that exact differences raise no alarm; for other functions it is at most one ulp.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import cache, cached_property

from ...graph.graph import Graph, with_variable_orders
from ...graph.order import dependents
from ...graph.rules import partials_at
from ...graph.tape import UNTAKEN, Gradients, adjoints, evaluate, linearize
from ...language.problems import NumberWithSource
from ...numbers.doubles import FLOAT, apply
from ...numbers.exact import Exact, Number
from ...records import NamedTuple
from ..analysis_results import ErrorContributions
from ..digit_loss_screen import huge_angles
from ..hessians import move_along
from ..trace_model import Trace

HALF = 2.0**-53  # half an ulp of 1
_CONSTANTS = {"pi": 1.2246467991473532e-16, "e": 1.4456468917292502e-16, "tau": 2.4492935982947064e-16}
_PARTIAL = 3 * HALF  # of a contribution whose partial is not a fraction
_MOVED = 8  # slots of a graph that are moved by their errors, at most
_MAGNIFIED = 1e3  # the least condition number of these slots
_GONE = 1e-5  # the least relative error of these slots: its square is that of ten digits
_FEW = 300  # slots of a graph up to which adjoints are swept with fractions
_LEAST = 2.0**-1074  # the error of a number that is too small for doubles
_LONGEST = 20_000  # bits of such an adjoint


class Error(NamedTuple):
    """The rounding error of a number: the part `known` with its sign, and a bound on the `rest`.

    `source` is the slot whose rounding contributes most (-1 if none); with `in_sum` it is the rounding of the sum of
    that slot's adjoint.
    """

    known: float
    rest: float
    source: int
    in_sum: bool = False

    @property
    def bound(self) -> float:
        return abs(self.known) + self.rest


def with_literals_as_variables(graph: Graph) -> Graph:
    """Return a copy of the graph in which literals count as variables, so that sweeps compute their slopes too."""
    free = copy(graph)
    free.literal = bytearray(len(graph))
    return free


class Rounding:
    """The local rounding error of each slot of an evaluation in doubles, and its effect on outputs and slopes.

    lacks   exact result minus double, by slot, if it is known
    unsure  else a bound on it: one ulp
    """

    def __init__(self, graph: Graph, values: Sequence[float | None], at: Mapping[str, float]) -> None:
        """Compute the local error of each slot of the graph, with literals as variables.

        `values` are the doubles by slot, `at` is the point by input name, as it was written. Sets `gradients`, and by
        slot `lacks` (exact result minus double, if known) and `unsure` (a bound if not known); both are 0 in other
        slots.
        """
        self.graph = with_variable_orders(with_literals_as_variables(graph), estimated=True)
        self.values = values
        self.gradients: Gradients = linearize(self.graph, FLOAT, values)
        self.lacks = [0.0] * len(graph)
        self.unsure = [0.0] * len(graph)
        self._exact_bars = cache(self._exact_sweep)
        self._find_local_errors(at)

    def _find_local_errors(self, at: Mapping[str, float]) -> None:
        """Fill `lacks` and `unsure`, by slot, with the local errors of all slots at the point `at`.

        An operation's exact result, for its arguments as doubles, minus its double goes to `lacks`; if the exact result
        is not known as a fraction, one ulp goes to `unsure`. For inputs and literals the exact number is the written
        one, for pi, e and tau the mathematical one. Slots have no local error (0) without a finite value, or with an
        argument that is missing or not finite. A function of an angle from 2^53 on has 1.0 in `unsure`, instead of an
        ulp, if the angle has a local error.
        """
        graph, m = self.graph, Exact()
        for slot, (row, z) in enumerate(zip(graph.rows, self.values, strict=True)):
            if z is None or not math.isfinite(z):
                continue
            if slot in graph.inputs:
                error = _of_input(at.get(graph.inputs[slot]), z)
            elif row is None:
                constant = graph.constants[slot]
                error = _CONSTANTS[constant.text] if constant.named else _of_text(constant.text, z)
            else:
                arguments = [x for p in graph.parents[slot] if (x := self.values[p]) is not None and math.isfinite(x)]
                if len(arguments) < len(graph.parents[slot]):  # a choice hands on what it chooses
                    continue
                error = _less(apply(row, m, list(map(m.number, arguments))), z)
            if error is None:
                self.unsure[slot] = math.ulp(z)
            else:
                self.lacks[slot] = error
        for slot in huge_angles(graph, self.values):
            (angle,) = graph.parents[slot]
            if self.lacks[angle] or self.unsure[angle]:
                self.unsure[slot] = 1.0

    def bars(self, output: int) -> list[float]:
        return adjoints(self.graph, self.gradients, {output: 1.0})

    def contributions(self, bars: Sequence[float]) -> list[float]:
        """Return, by slot, a bound on the effect of the slot's rounding on the output with the adjoints `bars` (by
        slot).

        It is |adjoint| times the local error of the slot, known or a bound; 0 if one of them is 0, even if the other is
        infinite.
        """
        errors = (abs(lack) + unsure for lack, unsure in zip(self.lacks, self.unsure, strict=True))
        return list(map(magnify, bars, errors))

    def of_value(self, bars: Sequence[float]) -> Error:
        """Return the sum of all local errors weighted by `bars`, as an Error; with an output's adjoints, of its value.

        `known` is the signed sum of the local errors in `lacks`, `rest` a bound for those in `unsure` and for the
        rounding of `known`. `source` is the
        slot of the largest product |bar|·error, of equal ones the first (but of the last one that is nan, if there is
        one); −1 without errors.
        """
        known = rest = most = 0.0
        source = -1
        for slot, contribution in enumerate(self.contributions(bars)):
            if self.lacks[slot]:
                known += bars[slot] * self.lacks[slot]
                rest += contribution * HALF  # signed terms may cancel down to their own rounding
            if self.unsure[slot]:
                rest += contribution
            if contribution > most or contribution != contribution:
                most, source = contribution, slot
        return Error(known, rest, source)

    def of_slope(self, bars: Sequence[float], output: int, wrt: int, slope: float) -> Error:
        """Return the Error of the derivative of `output` with respect to the input `wrt` (slots), computed as `slope`.

        `bars` are the adjoints of the output. The Error has:

        - the effect of the local errors of all slots on the slope (by second derivatives);
        - in `rest`, 3 half-ulps of each product with a partial that is not a fraction;
        - the rounding of the sums of adjoints: up to 300 slots these sums are computed exactly, and their error is in
          `known`, else a bound on it is in `rest`.

        `source` is the slot of the local error with the largest effect. But if four times the rounding of a sum is more
        than the effect of all local errors, and its terms cancel to less than 1/1000 of the sum of their sizes, it is
        the slot of this adjoint (of the largest one), with `in_sum`.
        """
        along = move_along(self.graph, FLOAT, self.values, self.gradients, output, {wrt: 1.0})
        known, rest, source, _ = self.of_value(along.bar_dots)
        most, in_sum = max(rest, abs(known)), False
        sizes: dict[int, float] = {}
        for slot, parents in enumerate(self.graph.parents):
            slopes = zip(parents, self.gradients[slot], self._exact_partials[slot], strict=False)
            for parent, partial, fraction in slopes:
                if partial is not None and partial is not UNTAKEN and partial == partial and bars[slot]:
                    term = abs(bars[slot] * partial)
                    sizes[parent] = sizes.get(parent, 0.0) + term
                    if fraction is None:
                        rest += magnify(along.dots[parent], term * _PARTIAL + _LEAST * (1 + abs(bars[slot])))
        exact = self._exact_bars(output)
        for parent, size in sizes.items():
            contribution = magnify(along.dots[parent], size) * HALF
            if exact is None:
                rest += contribution
            if contribution > most / 4 and size > 1e3 * abs(bars[parent]):
                most, source, in_sum = 4 * contribution, parent, True
        if exact is not None and math.isfinite(slope):
            lack = FLOAT.number(exact[wrt] - Fraction(slope))
            known, rest = known + lack, rest + abs(lack) * HALF
        return Error(known, rest, source, in_sum)

    # --- beyond first order ---

    def change_by_lost_digits(self, output: int, wrt: int | None, number: float) -> tuple[float, int]:
        """Return (the largest change of a number as some slot that has lost its digits moves by its error, this slot).

        The number is the value in the slot `output` (`wrt` None), or its slope with respect to the input in slot `wrt`,
        to whose change its rounding error at the moved slot is added. First order misses such changes where a slope is
        0, as that of u^3 is at u = 0. (0.0, -1) if no slot has lost its digits. Changes that are nan do not count.
        """
        most, source = 0.0, -1
        for slot, moved in self._moved:
            y = moved.values[output]
            change = math.nan if y is None else abs(y - number)
            if wrt is not None:
                bars = moved.bars(output)
                change = abs(bars[wrt] - number) + moved.of_slope(bars, output, wrt, bars[wrt]).bound
            if change > most:
                most, source = change, slot
        return most, source

    @cached_property
    def _moved(self) -> list[tuple[int, Rounding]]:
        """Return (slot, the evaluation with the slot moved by its error), up and down, for slots without right digits;
        several are at last moved up together, since u·v does not change at u = v = 0 if only one of them moves.

        A slot is moved if its error to first order is above 1e-5 of its value. Tried are the eight slots with the
        largest condition numbers, if these are above 1000.
        """
        conditions, errors = self.conditions(), dict[int, float]()
        shaken = [slot for slot, condition in enumerate(conditions) if condition > _MAGNIFIED]
        for slot in sorted(shaken, key=conditions.__getitem__, reverse=True)[:_MOVED]:
            x, error = self.values[slot], self.of_value(self.bars(slot)).bound
            if x is not None and _GONE * abs(x) < error < math.inf:
                errors[slot] = error
        moved = [(slot, self._move({slot: step})) for slot, error in errors.items() for step in (error, -error)]
        return [*moved, (min(errors), self._move(errors))] if len(errors) > 1 else moved

    def _move(self, steps: Mapping[int, float]) -> Rounding:
        """Return a copy of the evaluation in which values are moved by `steps`, by slot, with the same local errors."""
        graph = copy(self.graph)
        graph.rows = [None if k in steps else row for k, row in enumerate(graph.rows)]
        graph.inputs = graph.inputs | dict.fromkeys(steps, "")
        moved = copy(self)
        point = {k: z + steps.get(k, 0.0) for k in graph.inputs if (z := self.values[k]) is not None}
        # what only a moved slot needs keeps its value
        moved.values = [z if x is None else x for x, z in zip(evaluate(graph, FLOAT, point), self.values, strict=True)]
        moved.gradients = linearize(self.graph, FLOAT, moved.values)
        moved._exact_bars = cache(moved._exact_sweep)
        vars(moved).pop("_exact_partials", None)
        return moved

    @cached_property
    def _exact_partials(self) -> list[list[Fraction | None]]:
        """Return the exact partials at the computed values, by slot and argument; None for one that is not a fraction.

        None also where the partial in doubles is None, UNTAKEN or not finite. If the value of an argument is missing or
        not finite, the partials are those of the doubles, as fractions.
        """
        m = Exact()
        partials: list[list[Fraction | None]] = []
        for row, parents, slopes in zip(self.graph.rows, self.graph.parents, self.gradients, strict=True):
            arguments = [m.number(x) for p in parents if (x := self.values[p]) is not None and math.isfinite(x)]
            exact: Sequence[Number | float | None] = slopes
            if row is not None and len(arguments) == len(parents):  # a choice hands on what it chooses
                active = tuple([g is not None and g is not UNTAKEN for g in slopes])
                # rules that use the result get the exact one
                exact = partials_at(row, m, apply(row, m, arguments), arguments, active)
            partials.append([_fraction(g) for g in exact])
        return partials

    def _exact_sweep(self, output: int) -> list[Fraction] | None:
        """Return the adjoints by slot of a reverse sweep from the slot `output` in exact arithmetic.

        Partials that are not known fractions are those of the doubles; infinite ones and nan are skipped. None for more
        than 300 slots, or denominators above 20000 bits.
        """
        if len(self.graph) > _FEW:
            return None
        bars = [Fraction(0)] * len(self.graph)
        bars[output] = Fraction(1)
        for slot in range(output, -1, -1):
            if bars[slot].denominator.bit_length() > _LONGEST:
                return None
            slopes = zip(self.graph.parents[slot], self.gradients[slot], self._exact_partials[slot], strict=False)
            for parent, partial, exact in slopes if bars[slot] else ():
                if partial is not None and partial is not UNTAKEN and math.isfinite(partial):
                    bars[parent] += bars[slot] * (Fraction(partial) if exact is None else exact)
        return bars

    # --- where ---

    def conditions(self) -> list[float]:
        """Return, by slot, the largest factor by which the relative error of an argument is magnified.

        Arguments that are exact do not count; 0 if all are.
        """
        carries = self._carriers()
        return [self._condition_number(slot, carries) for slot in range(len(self.graph))]

    def _carriers(self) -> bytearray:
        """Return 1 for each slot that may have an error; 0 for exact literals and exact operations on these."""
        rounded = [slot for slot in range(len(self.graph)) if self.lacks[slot] or self.unsure[slot]]
        return dependents(self.graph, [*self.graph.inputs, *rounded])

    def _condition_number(self, slot: int, among: bytearray) -> float:
        """Return the largest |partial·argument/value| of a slot over the arguments marked in `among`.

        Arguments with a missing or zero partial are skipped. 0 without a value or such arguments; infinite if the value
        is 0 and a product is not.
        """
        z, most = self.values[slot], 0.0
        if z is None:
            return most
        for parent, slope in zip(self.graph.parents[slot], self.gradients[slot], strict=False):
            if not slope or not among[parent]:
                continue
            reach = abs(slope * self.values[parent])
            most = max(most, reach / abs(z) if z else math.inf if reach else 0.0)
        return most

    def find_losing_slot(self, source: int, needed: bytearray) -> int:
        """Return the slot that loses the digits: the one with the largest condition number among those above `source`.

        A slot counts if it depends on `source`, is marked in `needed` and is not a condition; its condition number is
        that over the arguments that depend on `source`. Of equal ones the first counts. `source` itself is returned if
        its condition number over arguments that may have errors is larger, or if no condition number is above 10.
        """
        below = dependents(self.graph, [source])
        place, most = source, 10.0
        for slot in range(source + 1, len(self.graph)):
            condition = self._condition_number(slot, below) if needed[slot] and below[slot] else 0.0
            if condition > most and not self.graph.row(slot).truth:
                place, most = slot, condition
        at_source = self._condition_number(source, self._carriers())
        return source if at_source > most else place


def magnify(bar: float, size: float) -> float:
    """Return |bar|·size; 0 if one of them is 0, even if the other is infinite."""
    return abs(bar) * size if size and bar else 0.0


def _fraction(x: Number | float | None) -> Fraction | None:
    """Return a finite number as a fraction; None for an exact-arithmetic number that is only known as a double."""
    if isinstance(x, Number):
        return x.fraction
    return None if x is None or not math.isfinite(x) else Fraction(x)


def _less(exact: Number | float, z: float) -> float | None:
    """Return `exact` minus the double `z`; None if `exact` is not known exactly."""
    fraction = _fraction(exact)
    return None if fraction is None else float(fraction - Fraction(z))


def _of_text(text: str, z: float) -> float:
    """Return true number minus double `z` of a literal `text`; 0 if the text is not a fraction."""
    return _less(Exact().number(text), z) or 0.0


def _of_input(x: float | None, z: float) -> float | None:
    """Return the written input minus its double `z`; 0 if `x` has no text, None if the text was an expression."""
    if not isinstance(x, NumberWithSource):
        return 0.0
    return _of_text(x.written, z) if isinstance(x.written, str) else None


# --- shares ---


def add_error_contributions(trace: Trace, at: Mapping[str, float]) -> Trace:
    """Return the trace with `shares`: an ErrorContributions with conditions, contributions and bounds.

    - `conditions`, by slot: the largest |partial·argument/value| over the arguments that may have an error
    - `ulps`, by output and slot: the bound on the effect of the slot's rounding, in ulps of the output's value
    - `bounds`, by output and input ("" for the value): the bound on the error, in ulps of the value or slope

    Ulps are infinite if the error is not 0 and the number is 0 or not finite. Slopes that are not finite, and those in
    value mode, have no bound. `at` is the point as written.
    """
    graph = trace.graph
    rounding = Rounding(graph, trace.values, at)
    ulps, bounds = {}, {}
    for output in trace.outputs:
        slot = dict(graph.outputs)[output.name]
        bars = rounding.bars(slot)
        ulps[output.name] = [in_ulps(contribution, output.value) for contribution in rounding.contributions(bars)]
        bounds[output.name] = {"": in_ulps(rounding.of_value(bars).bound, output.value)}
        for wrt, name in graph.inputs.items():
            if output.gradient is not None and math.isfinite(output.gradient[name]):
                slope = output.gradient[name]
                bounds[output.name][name] = in_ulps(rounding.of_slope(bars, slot, wrt, slope).bound, slope)
    return trace._replace(shares=ErrorContributions(rounding.conditions(), ulps, bounds))


def in_ulps(error: float, x: float) -> float:
    """Return an error in ulps of `x`; infinite if the error is not 0 and `x` is 0 or not finite."""
    if error == 0:
        return 0.0
    return error / math.ulp(x) if x and math.isfinite(x) and error == error else math.inf
