"""Taylor series of a program at a point, as plain data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..errors import DomainProblem, RequestError
from ..graph.graph import Graph
from ..language.problems import in_arithmetic
from ..language.program import Program
from ..numbers.budget import within
from ..numbers.doubles import FLOAT
from ..numbers.series import Series, Taylor
from ..records import NamedTuple
from ..table.suggest import check_inputs
from .faults import Corner, Evaluation, corner_note, corner_problem, corners
from .model import Note, Output, Request
from .sweeping import without_sign_of_zero
from .trace_program import trace

if TYPE_CHECKING:
    from flint import arb
    from mpmath import mpf

    from ..table.arithmetic import Evaluating

_OUR_NOTES = ("reading", "unused", "overflow", "conditioning")
_NOTES_OF_DIGITS = ("reading", "unused")
_LETTERS = ("t", "s", "h", "r")
_SPARE = 15  # digits beyond those asked for: a hundred orders lose two or three
_CHEAP_ORDER, _CHEAP_SIZE = 100, 200


class TaylorOutput(NamedTuple):
    """An output's series: coefficient k belongs to the k-th power; `shown` is the name that people read.

    `fractions` are the coefficients that are known exactly, None in the places of others.
    """

    name: str
    shown: str
    coefficients: list[float]
    fractions: list[Fraction | None]

    @property
    def derivatives(self) -> list[float | Fraction]:
        """k! times coefficient k; infinite where that is too large for a double."""
        numbers = zip(self.coefficients, self.fractions, strict=True)
        return [_times_factorial(c if f is None else f, k, type(c)) for k, (c, f) in enumerate(numbers)]


def _times_factorial(c: float | Fraction, k: int, number: type) -> float | Fraction:
    try:
        product = c * math.factorial(k)
        return float(product) if number is float else product
    except OverflowError:
        return math.copysign(math.inf, c) if c else 0.0


class TaylorSeries(NamedTuple):
    """The series of every output.

    The powers are those of `variable` less `centre`: of an input, or of t where the inputs move along a direction.
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
    """Return the Taylor series of t -> f(at + t along) up to and including `order`.

    The coefficients are doubles, or have so many `digits`; with `exact` those that are fractions are also given as such
    (None: if that is cheap). A program of one input needs no direction `along`. `label` is the problem's label.

    Raises what an evaluation there raises, DomainProblem at a corner (with kinks="note" the convention for slopes is
    used) and if a coefficient is not a finite number.
    """
    with within():
        return _expanded(program, at, order, along, digits, exact, kinks, label)


def _expanded(
    program: Program, at: Mapping[str, float], order: int, along: Mapping[str, float] | None, digits: int | None,
    exact: bool | None, kinks: str, label: str | None,
) -> TaylorSeries:  # fmt: skip
    """Return the series as `taylor` does, inside its limit on work; parameters and errors are those of `taylor`."""
    point_trace = trace(program, at, Request("reverse", steps=False, kinks="note"), label)
    graph = point_trace.graph
    direction = _direction(program, point_trace.at, along)
    _check_point(point_trace.at, direction)
    base, shown_base = _arithmetics(digits)
    uncertain: list[Note] = []
    series = _series(graph, point_trace.values, Taylor(base, order), at, direction)
    names = [graph.aliases.get(slot, name) if name else "" for slot, name in enumerate(point_trace.names)]
    evaluation = Evaluation(graph, point_trace.values, point_trace.names, names, program)
    reached = [corner for corner in corners(evaluation, point_trace.gradients) if _matters(graph, series, corner)]
    for corner in reached:
        if kinks == "error" or math.isinf(corner.slope):
            problem = corner_problem(evaluation, corner)
            if math.isinf(corner.slope):
                problem.help = "choose another point"
            raise problem
    slots = [dict(graph.outputs)[output.name] for output in point_trace.outputs]
    numbers = _coefficients(series, slots)
    if digits is not None:
        numbers, uncertain = _proven(
            graph, point_trace.values, order, at, direction, point_trace.outputs, numbers, digits
        )
    fractions: list[list[Fraction | None]] = [[None] * (order + 1) for _ in slots]
    cheap = digits is None and order <= _CHEAP_ORDER and len(graph) <= _CHEAP_SIZE
    if cheap if exact is None else exact:
        fractions = _fractions(graph, point_trace.values, order, at, direction, slots)
    outputs = []
    for output, coefficients, known in zip(point_trace.outputs, numbers, fractions, strict=True):
        _check(output.shown, coefficients)
        exactly = [shown_base(c if f is None else base.number(f)) for c, f in zip(coefficients, known, strict=True)]
        outputs.append(TaylorOutput(output.name, output.shown, exactly, known))
    kinds = _OUR_NOTES if digits is None else _NOTES_OF_DIGITS
    notes = [note for note in point_trace.notes if note.kind in kinds]
    notes += [*(corner_note(evaluation, corner) for corner in reached), *uncertain]
    variable, centre = _variable(point_trace.at, direction, along)
    return TaylorSeries(
        label,
        point_trace.expression,
        point_trace.at,
        direction,
        order,
        variable,
        centre,
        outputs,
        notes,
        point_trace.graph,
    )


def _arithmetics(digits: int | None) -> tuple[Evaluating[float], Callable[[float], float]]:
    """The arithmetic to compute in, with some digits to spare, and how a result is rounded to those asked for."""
    if digits is None:
        return FLOAT, without_sign_of_zero
    from ..numbers.precise import Precise

    return Precise(digits + _SPARE), Precise(digits).number


def _direction(program: Program, at: Mapping[str, float], along: Mapping[str, float] | None) -> dict[str, float]:
    """Return the tangent of each input of the point, by name, for a step of 1 in t.

    Without `along` the only input moves.  Raises RequestError for an unknown name, a zero direction, or several inputs.
    """
    used = list(dict.fromkeys(program.graph.inputs.values()))
    if along:
        check_inputs(along, at, "--along {}=…")
        if not any(along.values()):
            raise RequestError("the direction is zero", help="let at least one input move, as in --along x=1")
        return {name: along.get(name, 0.0) for name in at}
    if len(used) > 1:
        example = ",".join(f"{name}={1 if k == 0 else 0}" for k, name in enumerate(used))
        raise RequestError(
            f"a Taylor series has one variable, but there are {len(used)} inputs: {', '.join(used)}",
            help=f"add a direction, such as --along {example}",
        )
    moving = used or list(at)[:1]
    return {name: 1.0 if name in moving else 0.0 for name in at}


def _check_point(at: Mapping[str, float], direction: Mapping[str, float]) -> None:
    """Raise DomainProblem if an input that moves is infinite."""
    for name, slope in direction.items():
        if slope and not math.isfinite(at[name]):
            raise DomainProblem(
                f"there is no Taylor series at {name} = {at[name]}", help="choose a finite point to expand at"
            )


def _variable(
    at: Mapping[str, float], direction: Mapping[str, float], along: Mapping[str, float] | None
) -> tuple[str, float]:
    """Return name and centre of the variable: the only moving input, or else a free letter (t, s, h, r) and 0."""
    moving = [name for name, slope in direction.items() if slope]
    if not along and len(moving) == 1:
        return moving[0], at[moving[0]]
    return next(letter for letter in (*_LETTERS, *(f"t{k}" for k in range(len(at) + 1))) if letter not in at), 0.0


def _series(
    graph: Graph, values: Sequence[float], m: Taylor, at: Mapping[str, float], direction: Mapping[str, float]
) -> list[Series | None]:
    """Return the series of every slot in the arithmetic `m`, given its value; None for slots of a branch not taken.

    `at` and `direction` have the point and the direction by input name.
    """
    series: list[Series | None] = []
    for slot, row in enumerate(graph.rows):
        name, constant = graph.inputs.get(slot), graph.constants.get(slot)
        if values[slot] is None:
            series.append(None)
        elif name is not None:
            series.append(m.variable(in_arithmetic(m.base, at[name]), in_arithmetic(m.base, direction[name])))
        elif constant is not None:
            series.append(m.constant(constant.read(m.base)))
        elif row is not None:
            series.append(m.apply(row, *[series[p] for p in graph.parents[slot]]))
    return series


def _coefficients(series: Sequence[Series | None], slots: Sequence[int]) -> list[list[Any]]:
    """The coefficients of these slots, numbers of the arithmetic that the series are in."""
    ends = [found for slot in slots if (found := series[slot]) is not None]
    m = ends[0].arithmetic
    m.extend(ends)
    zeros = [m.base.zero] * (m.order + 1)
    return [(end.coefficients + zeros)[: m.order + 1] for end in ends]


def _proven(
    graph: Graph, values: Sequence[float], order: int, at: Mapping[str, float], direction: Mapping[str, float],
    outputs: Sequence[Output], numbers: list[list[float]], digits: int,
) -> tuple[list[list[float]], list[Note]]:  # fmt: skip
    """Return coefficients with enough working digits for `digits` of them to be right, and notes on those that are not
    proven.

    `numbers` are the coefficients of each output that were computed first; `values` the doubles by slot.
    """
    from ..numbers.conditions import Undecided
    from .number_kinds import PreciseNumbers
    from .trust.proven_digits import DigitJudge, settled

    slots = [dict(graph.outputs)[output.name] for output in outputs]

    def computed(m: Evaluating[float]) -> list[list[float]]:
        return _coefficients(_series(graph, values, Taylor(m, order), at, direction), slots)

    def judged(_: list[list[float]], judge: DigitJudge) -> list[arb | mpf] | None:
        m, working = judge
        try:
            with working():
                return [c for series in computed(m) for c in series]
        except (Undecided, ValueError):  # of numbers without a value nothing is enclosed
            return None

    def shown(found: list[list[float]]) -> Iterator[tuple[str, float]]:
        for output, series in zip(outputs, found, strict=True):
            yield from ((f"coefficient {k} of {output.shown}", c) for k, c in enumerate(series))

    size = len(graph) * (order + 1) ** 2
    first = PreciseNumbers(digits, digits + _SPARE)
    return settled(numbers, first, size, lambda finer: computed(finer.m), shown, judged)


def _fractions(
    graph: Graph, values: Sequence[float], order: int, at: Mapping[str, float], direction: Mapping[str, float],
    slots: Sequence[int],
) -> list[list[Fraction | None]]:  # fmt: skip
    """Return the coefficients of each output in `slots` in exact arithmetic; None for those that are not fractions."""
    from ..numbers.exact import Exact

    numbers = _coefficients(_series(graph, values, Taylor(Exact(), order), at, direction), slots)
    return [[c.fraction for c in coefficients] for coefficients in numbers]


def _matters(graph: Graph, series: Sequence[Series | None], corner: Corner) -> bool:
    """Return whether an argument at the corner moves along the direction: whether its series is not constant."""
    row, parents = graph.rows[corner.slot], graph.parents[corner.slot]
    one = row is not None and isinstance(row.smooth, tuple)
    return any(
        found is not None and found.top > 0
        for found in ([series[parents[corner.position]]] if one else [series[p] for p in parents])
    )


def _check(name: str, coefficients: Sequence[float]) -> None:
    """Raise DomainProblem for the first coefficient of the output called `name` that is not a finite number."""
    for k, c in enumerate(coefficients):
        if c - c != 0:
            before = f"; the highest order here is --order {k - 1}" if k else ""
            raise DomainProblem(
                f"{name} has no finite coefficient of order {k} here",
                notes=("either the derivative of this order does not exist at the point, or the number is too large",),
                help=f"choose another point{before}",
            )
