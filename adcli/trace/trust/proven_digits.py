"""Proven digits: numbers of many digits are compared with enclosures, and computed with more digits until they are
right.

Without the library for enclosures, or if these decide nothing, the reference is the same computation with more than
three times the digits, and a note says that this is not a proof.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from ...errors import DomainProblem
from ...graph.plan import leaf_values
from ...graph.tape import evaluate, linearize
from ...language.problems import in_arithmetic
from ...notation.table_formulas import write_partial as partial_symbol
from ...numbers.arb_intervals import Interval, interval_if_installed
from ...numbers.precise import Precise
from ...typings import TYPE_CHECKING, TypeVar, cast
from ..analysis_results import Second
from ..hessians import second_derivatives
from ..kink_notes import correct_second
from ..number_kinds import PreciseNumbers
from ..rows import numbers_of
from ..sweeping import Sweeps
from ..trace_model import Note, Numbers, Request, Trace

if TYPE_CHECKING:
    from flint import arb
    from mpmath import MPContext, mpf

    Judge = Interval | Precise
    Judged = list[arb | mpf] | None


_MOST = 20  # times the requested digits: the most that are computed, but at least _LEAST
_LEAST = 4000
_WORK = 10_000_000  # operations times digits
_PATIENCE = 0.25  # seconds of one computation after which a number of which no digit is proven is left as it is
_BITS = 3.33  # of a digit
_ZERO = 3  # times the requested digits: a number that is 0 in this many decimals is shown as 0

_EXTRA = 700  # decimal digits from 1 down to the square of the smallest double

T = TypeVar("T")


def prove_digits(done: Trace, at: Mapping[str, float], request: Request, again: Callable[[Numbers], Trace]) -> Trace:
    """Return the trace `done`, recomputed with enough digits for all shown digits to be right, and with notes on
    doubts.

    `at` and `request` are those of the trace; `again` traces with other numbers. If not all digits can be proven, the
    last result is returned, with a note on each number in doubt after the other notes. A trace whose numbers are not
    `PreciseNumbers` is returned unchanged.
    """
    numbers = done.numbers
    if not isinstance(numbers, PreciseNumbers):
        return done
    compute_reference = partial(_reference_numbers, at, request)
    result, notes = compute_until_right(done, numbers, len(done.graph), again, _shown_numbers, compute_reference)
    return result._replace(notes=[*result.notes, *notes])


def compute_until_right(
    result: T,
    numbers: PreciseNumbers,
    size: int,
    again: Callable[[PreciseNumbers], T],
    shown: Callable[[T], Iterable[tuple[str, float]]],
    compute_reference: Callable[[T, Judge], Judged],
) -> tuple[T, list[Note]]:
    """Return (the result, computed `again` with more digits until all shown ones are right; notes on numbers in doubt).

    - `numbers`: the arithmetic of `result`, with the requested digits
    - `size`: the number of operations, which limits the digits
    - `shown`: yields (name, number) for every number that a result shows
    - `compute_reference`: returns these numbers in a reference arithmetic, in this order, or None if it cannot

    Digits grow by those that the worst number lacks and 10, or double if it gained none, up to 20 times the requested
    ones (at least 4000) or 10^7 / `size` (at least twice the requested), whichever is less. The repetition also ends if
    it gained none and the last computation took over 0.25 s, or if `again` raises DomainProblem; the last result
    counts. Notes are of kind "uncertain": one for each number in doubt, and one, in any case, if there were no
    enclosures.
    """
    most = min(max(_MOST * numbers.requested, _LEAST), max(_WORK // max(size, 1), 2 * numbers.requested))
    seconds, right = 0.0, 0
    while True:
        before = right
        enclosed, doubts = _find_doubts(list(shown(result)), numbers, partial(compute_reference, result))
        right = min(doubts.values(), default=0)
        is_stuck = right <= before
        if not doubts or numbers.computed >= most or (is_stuck and seconds > _PATIENCE):
            break
        more = numbers.computed if is_stuck else numbers.requested - right + 10
        finer = PreciseNumbers(numbers.requested, min(numbers.computed + more, most), numbers.digits.significant)
        start = time.process_time()
        try:
            result = again(finer)
        except DomainProblem:  # not computable with this many digits
            break
        numbers, seconds = finer, time.process_time() - start
    notes = [Note(None, "uncertain", _describe(name, right, numbers)) for name, right in doubts.items()]
    if not enclosed:
        text = "the digits agree with those of a longer computation, which is not a proof: pip install 'adcli[certify]'"
        notes.append(Note(None, "uncertain", text))
    return result, notes


def _describe(name: str, right: int, numbers: PreciseNumbers) -> str:
    """Return a clause on the number called `name`, of which only `right` digits are proven."""
    if right > 0:
        return f"only {right} of the {numbers.requested} digits of {name} are proven right"
    return f"no digit of {name} is proven right, computed with {numbers.computed} digits: it may be 0 or have no value"


def _find_doubts(
    shown: list[tuple[str, float]], numbers: PreciseNumbers, compute_reference: Callable[[Judge], Judged]
) -> tuple[bool, dict[str, int]]:
    """Return (whether enclosures are available, {name: right digits} of the numbers with fewer than requested).

    `shown` has (name, number) in the order of the list that `compute_reference` returns. A finite enclosure decides:
    digits that it does not prove count as wrong. Numbers without one, or all without the package for enclosures, are
    compared with a computation in more than three times the computed digits. Numbers for which this returns None too
    are left out. Of several numbers with one name the fewest digits count.
    """
    right: list[int | None] = [None] * len(shown)
    interval = interval_if_installed(int(numbers.computed * _BITS) + 16)
    if interval is not None:
        with interval.working():
            for place, reference in enumerate(compute_reference(interval) or ()):
                right[place] = _right_in(interval, shown[place][1], reference, numbers)
    if None in right:
        finer = Precise(3 * numbers.computed + _EXTRA)
        for place, reference in enumerate(compute_reference(finer) or ()):
            if right[place] is None:
                right[place] = _count_right_digits(finer, shown[place][1], reference, numbers)
    doubts: dict[str, int] = {}
    for (name, _), digits in zip(shown, right, strict=True):
        if digits is not None and digits < numbers.requested:
            doubts[name] = min(digits, doubts.get(name, digits))
    return interval is not None, doubts


def _shown_numbers(trace: Trace) -> Iterator[tuple[str, float]]:
    """Yield (name, number) of every number that a trace shows, in the order of `_in_order`.

    For each output its value (`y`) and slopes (`∂y/∂x`); then each entry of the Hessians, both orders of a pair, not
    those of products with a direction (`∂²y/∂x1∂x2`); then the value, tangents and adjoints that each row has. An
    output without a gradient has its value alone; rows of a branch not taken are skipped.
    """
    for output in trace.outputs:
        yield output.shown, output.value
        for name, slope in (output.gradient or {}).items():
            yield partial_symbol(output.shown, name), slope
    for entry in trace.second:
        for name, slopes in (entry.hessian or {}).items():
            for other, x in slopes.items():
                yield f"∂²{entry.output}/∂{name}∂{other}", x
    for row in trace.rows:
        yield from ((name, x) for _, name, x in numbers_of(row))


def _reference_numbers(at: Mapping[str, float], request: Request, trace: Trace, m: Judge) -> Judged:
    """Return the numbers of `_shown_numbers(trace)`, computed at the point `at` in the reference arithmetic `m`.

    With a decision at kinks they are corrected by it, as in the trace; derivatives are computed only if the trace has
    them. Seeds are those of the `request`. None if a branch is not decided, or if `m` raises another ArithmeticError;
    other errors, such as DomainProblem, are passed on.
    """
    graph = trace.graph
    inputs = {name: slot for slot, name in graph.inputs.items()}
    seed = {name: in_arithmetic(m, x) for name, x in (request.seed or {}).items()} or None
    with m.working():
        point = {slot: in_arithmetic(m, at[name]) for name, slot in inputs.items()}
        try:
            if trace.decision is None:
                values = evaluate(graph, m, point)
                gradients = linearize(graph, m, values) if trace.mode != "value" else []
            else:
                known = cast("list[arb | mpf]", leaf_values(graph, m, point))
                values, gradients = trace.decision.correct(known, trace.gradients, m)
            seconds = second_derivatives(graph, m, values) if any(entry.hessian for entry in trace.second) else []
        except ArithmeticError:
            return None
        sweeps = Sweeps(graph, gradients, inputs, request._replace(seed=seed))
        if trace.decision is not None and gradients:
            sweeps.correct(trace.decision, m)
            shown = {output.name: output.shown for output in trace.outputs}
            seconds, _ = correct_second(trace.decision, graph, seconds, shown, trace.names, m) if seconds else ([], [])
        return list(_in_order(trace, m, values, sweeps, seconds))


def _in_order(
    trace: Trace, m: Judge, values: Sequence[arb | mpf], sweeps: Sweeps, entries: Sequence[Second[arb | mpf]]
) -> Iterator[arb | mpf]:
    """Yield the shown numbers of a trace, computed in the arithmetic `m`.

    Each output's value and gradient, then the entries of all Hessians (not of products), then for each row of the table
    its value, tangents and adjoints as shown. `values` are by slot, tangents and adjoints are those of `sweeps`;
    gradients at kinks are those of the decision.
    """
    for output, (_, slot) in zip(trace.outputs, trace.graph.outputs, strict=True):
        yield values[slot]
        if output.gradient is not None:
            slopes = sweeps.gradient(output.name, slot)
            if trace.decision is not None:
                slopes = trace.decision.gradient(output.name, slopes, m)
            yield from (slopes[name] for name in output.gradient)
    for entry in entries:
        yield from (x for row in (entry.hessian or {}).values() for x in row.values())
    columns: dict[str, Mapping[str, Sequence[arb | mpf]]]
    columns = {"value": {"": values}, "dot": sweeps.dots, "bar": sweeps.bars}
    for row in trace.rows:
        yield from (columns[place.kind][place.key][place.slot] for place, _, _ in numbers_of(row))


def _right_in(m: Interval, computed: float, reference: arb | float, numbers: PreciseNumbers) -> int | None:
    """Return how many digits of `computed` are right for certain, by the enclosure `reference`.

    The largest distance from the enclosure counts: 0 if it is wide; the number may be above the requested one. All
    requested digits if `computed` is infinite or nan. None if the enclosure is not finite or not a number.
    """
    context = numbers.context
    number = context.mpf(computed)
    if not context.isfinite(number):
        return numbers.requested
    ball = m.number(reference) if isinstance(reference, (int, float, m.arb)) else m.undefined
    if not ball.is_finite():
        return None
    sign, mantissa, exponent, _ = number._mpf_
    error = abs(m.arb((-int(mantissa) if sign else int(mantissa), int(exponent))) - ball).upper()
    parts = [int(part) for part in error.man_exp()]
    return _digits_left(context, abs(number), context.ldexp(context.mpf(parts[0]), parts[1]), numbers)


def _count_right_digits(m: Precise, computed: float, reference: mpf, numbers: PreciseNumbers) -> int:
    """Return how many digits of `computed` agree with the longer computation `reference`; it may be more than
    requested.

    The difference is compared with the size of `computed`. If both are not finite, all requested digits agree; if only
    one is not, none.
    """
    number, true = m.context.mpf(computed), m.context.mpf(reference)
    if not m.finite(number) or not m.finite(true):
        return numbers.requested if m.finite(number) == m.finite(true) else 0
    return _digits_left(m.context, abs(number), abs(number - true), numbers)


def _digits_left(context: MPContext, size: mpf, error: mpf, numbers: PreciseNumbers) -> int:
    """Return the number of digits that an `error` leaves of a number of this `size`: ⌊log10(size/error)⌋, at least 0.

    All requested digits if the error is 0. For the size 0 all requested digits if the error is below 10^(−3·requested),
    and none if not. `context` is that of both numbers.
    """
    if not error:
        return numbers.requested
    if not size:
        return numbers.requested if error < context.mpf(10) ** (-_ZERO * numbers.requested) else 0
    return max(int(context.floor(context.log10(size / error))), 0)
