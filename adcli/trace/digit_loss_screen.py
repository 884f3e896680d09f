"""Screen for digit loss: a cheap test of the numbers of the sweeps for digits that rounding may have taken. Relative
errors are counted in roundings, each at most 2^-53. In a branch that is not taken values are None and partials missing;
such slots are skipped.

Only if it finds something are rounding errors followed to first order and true numbers computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..graph.graph import Graph, with_variable_orders
from ..graph.rules import constant_partials
from ..graph.tape import Gradients, adjoints, linearize
from ..numbers.doubles import FLOAT
from ..table.primitive import FINITE_ANGLE
from ..typings import TYPE_CHECKING
from .trace_model import TRUSTED, Output

if TYPE_CHECKING:
    from .analysis_results import Second

Columns = Iterable[Sequence[float]]
Key = tuple[str, ...]  # an output, and the inputs of its derivative ("" for the value)

_LOST = 10.0**-TRUSTED
_HALF = 2.0**-53
_MAGNIFIED = 2.0**17  # Σ|v̄·v| over |y| from which a value is looked at closely: of single ulps some 1e-11
_SHAKY = 2.0**14  # the same for slopes, of a bound that grows with every step
_FLAT = 0.03  # a function that hands on less than this of a relative error may be near an extremum
_CANCELLED = 1e-4  # what is left of written numbers, compared with them
_BLOTTED = 1e13  # times its own size: what a row has to be the difference of to be nothing but rounding
_HUGE = 2.0**53
_TINY = 1e-100  # the product of three such numbers, or of their inverses, is still a double
_SMALL = 3_000  # operations times inputs up to which slopes are looked at
_LARGE = 30_000  # operations up to which a value without slopes is


def find_suspects(
    graph: Graph,
    values: Sequence[float],
    gradients: Gradients,
    outputs: Sequence[Output],
    bars: Mapping[str, Sequence[float]],
    *,
    slopes: bool,
) -> tuple[list[Output], bool] | None:
    """Return (outputs of which a value or a slope may have fewer than ten right digits, whether slopes were tested).

    `values` and `gradients` (partials by argument) are by slot; empty `gradients` are computed here. `bars` has the
    known adjoints by output. A graph is small if slots × inputs (at least 1) × outputs are at most 3000. Slopes are
    tested with `slopes` in a small graph. In a graph that is not small only the outputs in `bars` are tested. Outputs
    that are infinite or nan are skipped.

    None if no output is suspected. None also if the graph is too large: above 30000 slots without `gradients`, or not
    small with slots × suspected outputs above 30000.
    """
    if not outputs or (not gradients and len(graph) > _LARGE):
        return None
    gradients = gradients or linearize(with_variable_orders(graph, estimated=True), FLOAT, values)
    slots = dict(graph.outputs)
    small = len(graph) * max(len(graph.inputs), 1) * len(outputs) <= _SMALL
    screen = _Screen(graph, values, gradients, small=small, slopes=slopes and small)
    tested = outputs if small else [output for output in outputs if output.name in bars]
    doubtful = [output for output in tested if screen.is_doubtful(slots[output.name], bars.get(output.name))]
    if not doubtful or (len(doubtful) * len(graph) > _LARGE and not small):
        return None
    return doubtful, slopes and small


class _Screen:
    """The tests of the outputs of a graph for lost digits, of slopes too with `slopes`; `small` graphs are looked at
    more closely.

    `_reach` is the largest relative error in roundings (None without `slopes`). `_limit` is the magnification of an
    output from which on it is doubtful: a constant in a small graph, else one that grows with the root of the number of
    slots. `_is_inexact` says that the graph is small, and that literals cancel, an angle is huge, a number may
    underflow, or terms cancel to 0.
    """

    def __init__(
        self, graph: Graph, values: Sequence[float], gradients: Gradients, *, small: bool, slopes: bool
    ) -> None:
        """Prepare the tests of `graph` at a point; `slopes` are tested too if it is True."""
        self._graph, self._values, self._gradients = graph, values, gradients
        self._reach = _largest_relative_error(graph, values, gradients) if slopes else None
        self._limit = _MAGNIFIED if small else _LOST / _HALF * math.sqrt(len(graph))
        is_odd = _literals_cancel(graph, values) or may_underflow(graph, values, gradients)
        is_odd = is_odd or _cancels_to_zero(graph, values, gradients)
        self._is_inexact = small and (is_odd or bool(list(huge_angles(graph, values))))

    def is_doubtful(self, slot: int, bars: Sequence[float] | None) -> bool:
        """Return whether the value in `slot`, or a slope of this output if slopes are tested, may have lost digits.

        `bars` are the adjoints of the output by slot (None: they are computed). The first that applies:

        - the value is missing, infinite or nan: False
        - in a small graph literals cancel, an angle is huge, a number may underflow or terms cancel to 0: True
        - Σ |adjoint · value| over all slots exceeds `_limit` (2^17 in a small graph, else 2^53/10^10 · √slots) times
          the size of the value, or is nan: True
        - slopes are tested and the terms of one cancel: True
        - False
        """
        values = self._values
        if values[slot] is None or not math.isfinite(values[slot]):
            return False
        bars = bars or adjoints(self._graph, self._gradients, {slot: 1.0})
        # the first-order effect of a relative error of 1 in every value
        magnification = sum(abs(bar * x) for bar, x in zip(bars, values, strict=True) if x is not None)
        if self._is_inexact or not magnification <= self._limit * abs(values[slot]):
            return True
        reach = self._reach
        return reach is not None and _gradient_cancels(self._graph, self._gradients, bars, slot, reach)


def _largest_relative_error(graph: Graph, values: Sequence[float], gradients: Gradients) -> float:
    """Return the largest relative error accumulated in any slot, in roundings; each slot (inputs and literals, too)
    adds 1.

    `values` and `gradients` (partials by argument) are by slot. The errors of all arguments are added, each multiplied
    by the factor |partial · argument / value|. If the row has implementations of its own (`row.own`) and the argument
    is above 33 in size, the factor is at least this size, because the function may oscillate.

    Infinite if a slot reaches 2^14 (`_SHAKY`), or if first order cannot be trusted:

    - a row with the value 0 depends on an argument
    - a row that is not linear has a factor below 0.03 (near an extremum)
    - a row that is not linear has a factor above 33, and a partial below 0.03 of the size of its value
    """
    reach = [1.0] * len(graph)
    for slot, partials in enumerate(gradients):
        z = values[slot]
        for slope, parent in zip(partials, graph.parents[slot], strict=False):
            change = abs(slope * values[parent]) if slope else 0.0
            if not change:
                continue
            if not z:
                return math.inf
            magnification = change / abs(z)
            if graph.row(slot).own is not None and abs(values[parent]) > 1 / _FLAT:
                magnification = max(magnification, abs(values[parent]))  # of slopes of functions that oscillate
            is_bent = magnification < _FLAT or (magnification > 1 / _FLAT and abs(slope) < _FLAT * abs(z))
            if is_bent and constant_partials(graph.row(slot)) is None:
                return math.inf
            reach[slot] += magnification * reach[parent]
        if not reach[slot] < _SHAKY:
            return math.inf
    return max(reach)


def may_have_noise(
    graph: Graph, values: Sequence[float], gradients: Gradients, tangents: Columns = (), bars: Columns = ()
) -> bool:
    """Return whether some value, tangent or adjoint z may have no right digit: a term |partial · x| of it exceeds
    1e13 · |z|.

    `values`, `gradients` (partials for each argument), and each column of `tangents` and of `bars` (adjoints) are by
    slot, as the sweeps in doubles give them. A z that is 0 is skipped.
    """
    ahead = [values, *tangents]
    for slot, (partials, parents) in enumerate(zip(gradients, graph.parents, strict=False)):
        for slope, parent in zip(partials, parents, strict=False):
            if slope:
                pairs = [(column[slot], column[parent]) for column in ahead]
                pairs += [(bar[parent], bar[slot]) for bar in bars]
                if any(z and abs(slope * x) > _BLOTTED * abs(z) for z, x in pairs):
                    return True
    return False


def huge_angles(graph: Graph, values: Sequence[float | None]) -> Iterator[int]:
    """Yield the slots of functions of an angle that is 2^53 or more in size, of which doubles do not know a degree."""
    for slot, row in enumerate(graph.rows):
        if row is not None and FINITE_ANGLE in row.domain and abs(values[graph.parents[slot][0]] or 0.0) >= _HUGE:
            yield slot


def may_underflow(graph: Graph, values: Sequence[float], gradients: Gradients | None = None) -> bool:
    """Return whether products of values and partials may be too small for doubles.

    That is so if the value or a partial of an operation is not 0 and its size is not between 1e-100 and 1e100. It is
    so, too, if the value or a partial is 0 although no argument is 0, since the 0 may be such a product; operations
    that are linear or have kinks or branches are exempt. Empty `gradients` are computed here.
    """
    gradients = gradients or linearize(graph, FLOAT, values)
    for row, parents, z, slopes in zip(graph.rows, graph.parents, values, gradients, strict=False):
        if row is None or z is None:
            continue
        sizes = [abs(x) for x in (z, *slopes) if x is not None and math.isfinite(x)]
        is_bent = not any((row.smooth, row.route, constant_partials(row)))
        if is_bent and not all(sizes) and all(values[p] for p in parents):
            return True
        if any(size and not _TINY < size < 1 / _TINY for size in sizes):
            return True
    return False


def _cancels_to_zero(graph: Graph, values: Sequence[float], gradients: Gradients) -> bool:
    """Return whether some operation is 0 although an argument would change it: the terms of a sum may cancel to 0.

    What depends on this 0 may have lost all digits where its slope is 0, such as u^3. `values` and `gradients`
    (partials by argument) are by slot.
    """
    for z, slopes, parents in zip(values, gradients, graph.parents, strict=False):
        if z == 0 and any(slope and values[p] for slope, p in zip(slopes, parents, strict=False)):
            return True
    return False


def _gradient_cancels(graph: Graph, gradients: Gradients, bars: Sequence[float], output: int, reach: float) -> bool:
    """Return whether the terms of some input's adjoint cancel so much that an error of `reach` may take its digits.

    That is so if `reach` (a relative error in roundings) times the sum of the sizes of the terms, one for each path
    from the output (a product of partials), exceeds 2^14 times the adjoint. True also for an infinite `reach`, and if
    one of these numbers is nan. `output` is a slot; `gradients` are the partials and `bars` the adjoints of this
    output, by slot.
    """
    if reach == math.inf:
        return True
    sizes = adjoints(graph, [tuple([abs(g) if g else None for g in slopes]) for slopes in gradients], {output: 1.0})
    return any(not reach * sizes[slot] <= _SHAKY * abs(bars[slot]) for slot in graph.inputs)


def cancelling_second_derivatives(
    graph: Graph, values: Sequence[float], gradients: Gradients, entries: Sequence[Second[float]]
) -> dict[Key, float]:
    """Return {(output, input, input): second derivative} of the finite ones of which rounding may have taken the
    digits.

    The second key is the input of the row, the third the input of the column; both orders of two inputs are keys. A
    derivative is included if the sum of the sizes of its terms, times the largest relative error of a value in
    roundings, exceeds 2^14 times the derivative; if numbers may underflow or terms cancel to 0, all are. `values` and
    `gradients` (partials by argument) are by slot, `entries` the second derivatives of the outputs; an entry without a
    Hessian is skipped. Empty if slots × inputs × entries exceed 3000.
    """
    if len(graph) * len(graph.inputs) * len(entries) > _SMALL:
        return {}
    reach = _largest_relative_error(graph, values, gradients)
    is_odd = may_underflow(graph, values, gradients) or _cancels_to_zero(graph, values, gradients)
    shaken: dict[Key, float] = {}
    slots = dict(graph.outputs)
    for entry in entries:
        for column, along in entry.sweeps.items() if entry.hessian is not None else ():
            bends = _sizes_of_terms(graph, values, along.dots, slots[entry.output])
            for slot, name in graph.inputs.items():
                x = (entry.hessian or {})[name][column]
                is_shaken = is_odd or (bends[slot] and not reach * bends[slot] <= _SHAKY * abs(x))
                if is_shaken and math.isfinite(x):  # nan says nothing
                    shaken[entry.output, name, column] = x
    return shaken


def _sizes_of_terms(graph: Graph, values: Sequence[float], dots: Sequence[float], output: int) -> list[float]:
    """Return, by slot, the sum of the sizes of all terms in the derivative of its adjoint along the tangents `dots`.

    The adjoints are those of the output in slot `output`. For an input the sum bounds the input's entry of the product
    of the Hessian and the direction.
    """
    from ..numbers.dual import Dual, Duals

    sizes, bends = [0.0] * len(graph), [0.0] * len(graph)
    sizes[output] = 1.0
    duals = Duals(FLOAT)
    pairs = [None if x is None else Dual(duals, x, dot) for x, dot in zip(values, dots, strict=True)]
    for slot, partials in reversed(list(enumerate(linearize(graph, duals, pairs)))):
        for g, parent in zip(partials, graph.parents[slot], strict=False):
            if g is not None:
                slope, bend = duals.pair(g)
                sizes[parent] += sizes[slot] * abs(slope)
                bends[parent] += bends[slot] * abs(slope) + sizes[slot] * abs(bend)
    return bends


def _literals_cancel(graph: Graph, values: Sequence[float]) -> bool:
    """Return whether some operation on literals, or on results of such operations, has a value below 1e-4 of its
    largest argument, as in `1.0001 - 1`.

    `values` are by slot. False for a graph without literals.
    """
    if graph.literal.find(1) < 0:
        return False
    rows = zip(graph.rows, graph.literal, values, graph.parents, strict=True)
    computed = ((z, parents) for row, literal, z, parents in rows if literal and z is not None and row is not None)
    return any(abs(z) < _CANCELLED * max(abs(values[p]) for p in parents) for z, parents in computed)
