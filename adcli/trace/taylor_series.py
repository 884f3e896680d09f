"""Taylor series of a program at a point, as plain data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from ..errors import DomainProblem, RequestError
from ..graph.graph import Graph
from ..graph.order import ancestors
from ..language.problems import in_arithmetic
from ..language.program import Program
from ..numbers.budget import limit_time
from ..numbers.doubles import FLOAT
from ..numbers.exact import Exact
from ..numbers.series import Series, Taylor
from ..records import NamedTuple
from ..table.suggest import check_inputs
from ..typings import TYPE_CHECKING, Any
from .faults import Corner, Evaluation, corner_note, corner_problem, number_in_sentence, reached_corners
from .sweeping import without_sign_of_zero
from .trace_model import Note, Request, Trace
from .trace_program import trace

if TYPE_CHECKING:
    from flint import arb
    from mpmath import mpf

    from ..kinks.exact_reals import Real
    from ..numbers.arb_intervals import Interval
    from ..numbers.precise import Precise
    from ..table.arithmetic import Evaluating

_OUR_NOTES = ("reading", "unused", "overflow", "conditioning")
_NOTES_OF_DIGITS = ("reading", "unused")
_LETTERS = ("t", "s", "h", "r")
_SPARE = 15  # digits beyond the requested ones: a hundred orders lose two or three
_CHEAP_ORDER, _CHEAP_SIZE = 100, 200


class TaylorOutput(NamedTuple):
    """An output's Taylor series.

    shown         its name for people; `name` its name in the program
    coefficients  by ascending power, from 0 on
    fractions     the same as exact fractions; None for a coefficient that is not known as one
    """

    name: str
    shown: str
    coefficients: list[float]
    fractions: list[Fraction | None]

    @property
    def derivatives(self) -> list[float | Fraction]:
        """Return the derivative of each order, from 0: k! times coefficient k.

        It is a fraction if the coefficient is known as one, and infinite if it is too large for a double.
        """
        numbers = zip(self.coefficients, self.fractions, strict=True)
        return [_times_factorial(c if f is None else f, k, type(c)) for k, (c, f) in enumerate(numbers)]


def _times_factorial(c: float | Fraction, k: int, number: type) -> float | Fraction:
    """Return k! times `c`, as a double if `number` is float; infinite on overflow."""
    try:
        product = c * math.factorial(k)
        return float(product) if number is float else product
    except OverflowError:
        return math.copysign(math.inf, c) if c else 0.0


class TaylorSeries(NamedTuple):
    """The Taylor series of every output.

    at        the point by input name; `along` the direction, {input: step in t}
    order     the highest power
    variable  the input, or t if the inputs move along a direction; powers are those of `variable` - `centre`
    graph     that of the program
    """

    label: str | None
    expression: str
    at: dict[str, float]
    along: dict[str, float]
    order: int
    variable: str
    centre: float
    outputs: list[TaylorOutput]
    notes: list[Note]
    graph: Graph


@limit_time()
def taylor(
    program: Program,
    at: Mapping[str, float],
    order: int,
    *,
    along: Mapping[str, float] | None = None,
    digits: int | None = None,
    exact: bool | None = None,
    kinks: str = "error",
    label: str | None = None,
) -> TaylorSeries:
    """Return the Taylor series of t -> f(at + t along) up to and including `order`, for each output f.

    Without `along` the only input moves. The coefficients are doubles or, with `digits`, have this many right digits.
    With `exact` they are also given as fractions if known (None: only without `digits`, up to order 100 and 200 slots).
    At a corner that the line meets, an output has the series on both sides, if these agree up to `order`. If not,
    `kinks` "error" raises DomainProblem; "note" uses the convention for slopes, if it is finite. `label` is the
    problem's label.

    Raises the errors of a trace at the point. Raises RequestError for a negative order, for an unknown or zero
    direction, for several inputs without `along`, and after 20 seconds of processor time. Raises DomainProblem if a
    coefficient or the point is not finite.
    """
    if order < 0:
        raise RequestError(f"a Taylor series has no order {order}", help="write the highest power, from 0")
    here = trace(program, at, Request("reverse", steps=False, kinks="note", seams=order > 1), label)
    graph = here.graph
    direction = _direction(program, here.at, along)
    _check_point(here.at, direction)
    line = _TaylorLine(here, at, direction, order)
    base, shown_base = _arithmetics(digits)
    series = line.series(Taylor(base, order))
    names = [graph.aliases.get(slot, name) if name else "" for slot, name in enumerate(here.names)]
    evaluation = Evaluation(graph, here.values, here.names, names, program)
    corners = reached_corners(evaluation, here.gradients, seams=order > 1)
    reached = [corner for corner in corners if _moves_at_corner(graph, series, corner)]
    line, of_sides = _expand_on_both_sides(line, reached)
    _refuse_kinks(evaluation, reached, line.unproven(), kinks, of_sides)
    numbers = line.coefficients(series)
    uncertain: list[Note] = []
    if digits is not None:
        numbers, uncertain = _prove_digits(line, numbers, digits)
    outputs = []
    for output, coefficients, known in zip(here.outputs, numbers, _exact_fractions(line, exact, digits), strict=True):
        _check_coefficients(output.shown, coefficients)
        exactly = [shown_base(c if f is None else base.number(f)) for c, f in zip(coefficients, known, strict=True)]
        outputs.append(TaylorOutput(output.name, output.shown, exactly, known))
    kinds = _OUR_NOTES if digits is None else _NOTES_OF_DIGITS
    notes = [note for note in here.notes if note.kind in kinds]
    notes += [*(corner_note(evaluation, corner) for corner in reached), *of_sides, *uncertain]
    variable, centre = _series_variable(here.at, direction, along)
    return TaylorSeries(label, here.expression, here.at, direction, order, variable, centre, outputs, notes, graph)


def _exact_fractions(line: _TaylorLine, exact: bool | None, digits: int | None) -> list[list[Fraction | None]]:
    """Return, for each output, its coefficients as fractions, by ascending power; None for one that is not known
    exactly.

    With `exact` False all are None. With `exact` None they are computed only without `digits`, up to order 100 and 200
    slots.
    """
    if exact is None:
        exact = digits is None and line.order <= _CHEAP_ORDER and len(line.done.graph) <= _CHEAP_SIZE
    if not exact:
        return [[None] * (line.order + 1) for _ in line.done.outputs]
    known_exactly = line.coefficients(line.series(Taylor(Exact(), line.order)))
    return [[c.fraction for c in coefficients] for coefficients in known_exactly]


def _refuse_kinks(
    evaluation: Evaluation, reached: Sequence[Corner], unproven: Sequence[int], kinks: str, of_sides: Sequence[Note]
) -> None:
    """Raise the error of the first kink in `reached` that is refused, with the notes `of_sides`; do nothing without
    one.

    A kink on which a slot of `unproven` depends is refused if `kinks` is "error", or if the slope used there is
    infinite. In the latter case the help is only to choose another point.
    """
    marks = ancestors(evaluation.graph, unproven)
    for corner in reached:
        if marks[corner.slot] and (kinks == "error" or math.isinf(corner.slope)):
            problem = corner_problem(evaluation, corner)
            if math.isinf(corner.slope):
                problem.help = "choose another point"
            problem.notes = (*problem.notes, *(note.text for note in of_sides))
            raise problem


def _expand_on_both_sides(line: _TaylorLine, reached: Sequence[Corner]) -> tuple[_TaylorLine, list[Note]]:
    """Return (the line with the coefficients that the series on both sides of the point prove; notes on them).

    Only outputs that depend on one of the kinks `reached` are expanded. A note of kind "kink" says up to which order an
    output is smooth, or which derivative of order two and more jumps; if the first one jumps, there is no note. The
    line is returned unchanged, with [], if the trace has no decision, or a step of the direction is not known as a
    fraction.
    """
    decision, graph = line.done.decision, line.done.graph
    inputs = {slot: in_arithmetic(Exact(), line.direction[name]).fraction for slot, name in graph.inputs.items()}
    direction = {slot: step for slot, step in inputs.items() if step is not None}
    proven, notes = {}, []
    if decision is None or len(direction) < len(inputs):
        return line, []
    for output in line.done.outputs:
        slot = dict(graph.outputs)[output.name]
        marks = ancestors(graph, [slot])
        if not any(marks[corner.slot] for corner in reached):
            continue
        proven[slot], jump = decision.taylor(output.name, direction, line.order)
        order = len(proven[slot])
        if order > line.order:
            text = f"is nevertheless smooth here up to order {line.order}: its series on both sides agree"
        elif jump is not None and order > 1:
            left, right = [number_in_sentence(float(x)) for x in jump]
            text = f"has no derivative of order {order} here: {left} from the left, {right} from the right"
            text += f"; the highest order here is --order {order - 1}"
        else:
            continue
        notes.append(Note(line.done.names[slot] or None, "kink", f"{output.shown} {text}"))
    return line._replace(proven=proven), notes


def _arithmetics(digits: int | None) -> tuple[Evaluating[float], Callable[[float], float]]:
    """Return (the arithmetic to compute in, a function that rounds a result to the requested digits).

    With `digits` the arithmetic has 15 digits more than the function keeps. With None the arithmetic is that of
    doubles, and the function only turns −0.0 into 0.0.
    """
    if digits is None:
        return FLOAT, without_sign_of_zero
    from ..numbers.precise import Precise

    return Precise(digits + _SPARE), Precise(digits).number


def _direction(program: Program, at: Mapping[str, float], along: Mapping[str, float] | None) -> dict[str, float]:
    """Return the tangent of each input of the point, by name, for a step of 1 in t.

    With `along` the inputs that it lacks have 0. Without (None or empty) the only input of the program has 1; if the
    program has no inputs, the first name of `at`; all others 0. Raises RequestError for an unknown name, a zero
    direction, or several inputs without `along`.
    """
    used = list(dict.fromkeys(program.graph.inputs.values()))
    if along:
        check_inputs(along, at, "--along {}=…")
        if not any(along.values()):
            advice = "give at least one input a number other than 0, as in --along x=1"
            raise RequestError("the direction is zero", help=advice)
        return {name: along.get(name, 0.0) for name in at}
    if len(used) > 1:
        example = ",".join(f"{name}={1 if k == 0 else 0}" for k, name in enumerate(used))
        title = f"a Taylor series has one variable, but there are {len(used)} inputs: {', '.join(used)}"
        raise RequestError(title, help=f"add a direction, such as --along {example}")
    moving = used or list(at)[:1]
    return {name: 1.0 if name in moving else 0.0 for name in at}


def _check_point(at: Mapping[str, float], direction: Mapping[str, float]) -> None:
    """Raise DomainProblem for the first input that moves and is infinite or nan."""
    for name, slope in direction.items():
        if slope and not math.isfinite(at[name]):
            title = f"there is no Taylor series at {name} = {at[name]}"
            raise DomainProblem(title, help="choose a finite point to expand at")


def _series_variable(
    at: Mapping[str, float], direction: Mapping[str, float], along: Mapping[str, float] | None
) -> tuple[str, float]:
    """Return (name, centre) of the variable of the series.

    Without `along`, if only one input has a step other than 0 in `direction`, they are this input and its value in
    `at`. In all other cases they are the first of t, s, h, r, t0, t1, … that is not the name of an input, and 0.
    """
    moving = [name for name, slope in direction.items() if slope]
    if not along and len(moving) == 1:
        return moving[0], at[moving[0]]
    return next(letter for letter in (*_LETTERS, *(f"t{k}" for k in range(len(at) + 1))) if letter not in at), 0.0


class _TaylorLine(NamedTuple):
    """A traced program along a line through a point.

    done       the trace at the point
    at         the point as it was written, by input name
    direction  {input: step in t}
    order      the highest power of t
    proven     {slot of an output that depends on a kink: its coefficients as exact numbers, as many as are proven}
    """

    done: Trace
    at: Mapping[str, float]
    direction: Mapping[str, float]
    order: int
    proven: Mapping[int, Sequence[Real]] = MappingProxyType({})

    def unproven(self) -> list[int]:
        """Return the slots of the outputs of which not all coefficients are proven."""
        return [slot for _, slot in self.done.graph.outputs if len(self.proven.get(slot, ())) <= self.order]

    def series(self, m: Taylor) -> list[Series | None]:
        """Return the series of every slot in powers of t, by slot, in the arithmetic `m`.

        None for operations of a branch not taken. Inputs are point + t · direction, read as they were written; literals
        are constants.
        """
        graph = self.done.graph
        taken = [value is not None for value in self.done.values]
        leaves = {slot: m.constant(x.read(m.base)) for slot, x in graph.constants.items()}
        for slot, name in graph.inputs.items():
            leaves[slot] = m.variable(*[in_arithmetic(m.base, x[name]) for x in (self.at, self.direction)])
        series = [leaves.get(slot) for slot in range(len(graph))]
        for slot, row in enumerate(graph.rows):
            if row is not None and taken[slot]:
                series[slot] = m.apply(row, *[series[p] for p in graph.parents[slot]])
        return series

    def coefficients(self, series: Sequence[Series | None]) -> list[list[Any]]:
        """Return the coefficients of each output, in order, from that of t^0 to that of t^order.

        `series` has the series by slot, one for every output; those of the outputs are extended in place up to the
        order, if not all of their coefficients are proven. Coefficients are numbers of their arithmetic; missing ones
        are 0.
        """
        slots = dict(self.done.graph.outputs)
        results = [slots[output.name] for output in self.done.outputs]
        ends = [(slot, end) for slot in results if (end := series[slot]) is not None]
        m = ends[0][1].arithmetic
        m.extend([end for slot, end in ends if slot in self.unproven()])
        coefficients = []
        for slot, end in ends:
            proven = [c.m.read(c, m.base) for c in self.proven.get(slot, ())]
            rest = [*end.coefficients, *[m.base.zero] * m.order]
            coefficients.append([*proven, *rest[len(proven) : m.order + 1]])
        return coefficients


def _prove_digits(line: _TaylorLine, numbers: list[list[float]], digits: int) -> tuple[list[list[float]], list[Note]]:
    """Return (coefficients with `digits` digits that are right, notes on those for which this is not proven).

    `line` computes the series with more and more working digits; `numbers` are the coefficients of each output that
    were computed first. If not all can be proven, the coefficients are those of the last computation. Notes are of kind
    "uncertain" and say `coefficient k of y`.
    """
    from ..numbers.conditions import Undecided
    from .number_kinds import PreciseNumbers
    from .trust.proven_digits import compute_until_right

    def compute(m: Evaluating[float]) -> list[list[float]]:
        return line.coefficients(line.series(Taylor(m, line.order)))

    def compute_reference(_: list[list[float]], m: Interval | Precise) -> list[arb | mpf] | None:
        try:
            with m.working():
                return [c for series in compute(m) for c in series]
        except (Undecided, ValueError):  # of numbers without a value nothing is enclosed
            return None

    def shown_numbers(coefficients: list[list[float]]) -> Iterator[tuple[str, float]]:
        for output, series in zip(line.done.outputs, coefficients, strict=True):
            yield from ((f"coefficient {k} of {output.shown}", c) for k, c in enumerate(series))

    size = len(line.done.graph) * (line.order + 1) ** 2
    first = PreciseNumbers(digits, digits + _SPARE)
    return compute_until_right(numbers, first, size, lambda finer: compute(finer.m), shown_numbers, compute_reference)


def _moves_at_corner(graph: Graph, series: Sequence[Series | None], corner: Corner) -> bool:
    """Return whether an argument at the corner moves along the direction: whether its series is not constant.

    If the row has a kink for each argument (`smooth` is a tuple), only the argument of the corner counts, else any one.
    """
    row, parents = graph.row(corner.slot), graph.parents[corner.slot]
    deciding = [parents[corner.position]] if isinstance(row.smooth, tuple) else parents
    return any(argument is not None and argument.top > 0 for argument in [series[p] for p in deciding])


def _check_coefficients(name: str, coefficients: Sequence[float]) -> None:
    """Raise DomainProblem for the first coefficient of the output called `name` that is not finite.

    Its help has the highest order whose coefficients are finite, if there is one.
    """
    for k, c in enumerate(coefficients):
        if c - c != 0:
            before = f"; the highest order here is --order {k - 1}" if k else ""
            title = f"{name} has no finite coefficient of order {k} here"
            why = "either the derivative of this order does not exist at the point, or the number is too large"
            raise DomainProblem(title, notes=(why,), help=f"choose another point{before}")
