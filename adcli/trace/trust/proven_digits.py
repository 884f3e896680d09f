"""Digits that are shown are right: numbers of many digits are held to enclosures, and computed again with more of them.

Without the library for enclosures, or where these decide nothing, the judge is the same computation with three times
the digits and more, and a note says that this is no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeVar

from ...errors import RequestError
from ...graph.tape import evaluate, linearize
from ...language.problems import in_arithmetic
from ...notation.table_formulas import barred, dotted, partial
from ...numbers.precise import Precise
from ...records import NamedTuple
from ..hessians import second
from ..model import Note, Numbers, Request, Trace
from ..number_kinds import PreciseNumbers
from ..sweeping import Sweeps

if TYPE_CHECKING:
    from flint import arb
    from mpmath import MPContext, mpf

    from ...numbers.arb_intervals import Interval

_MOST = 20  # times the digits asked for, or so many more as the next line says
_LEAST = 4000
_WORK = 10_000_000  # operations times digits
_BITS = 3.33  # of a digit
_ZERO = 3  # times the digits asked for: what is 0 in so many decimals is shown as 0

_APART = 700  # digits between 1 and the square of the smallest double: where both say 0, they know

T = TypeVar("T")


class DigitJudge(NamedTuple):
    """An arithmetic to judge digits by, and what has to be entered for computing in it."""

    m: Interval | Precise
    working: Callable[[], AbstractContextManager[object]]


def proven(done: Trace, at: Mapping[str, float], request: Request, again: Callable[[Numbers], Trace]) -> Trace:
    """The trace with as many digits as it takes to be right in those that are shown; a note on what stays uncertain."""
    numbers = done.numbers
    if not isinstance(numbers, PreciseNumbers):
        return done
    found, notes = settled(
        done, numbers, len(done.graph), again, _shown, lambda trace, judge: _judged(trace, at, request, judge)
    )
    return found._replace(notes=[*found.notes, *notes])


def settled(
    result: T,
    numbers: PreciseNumbers,
    size: int,
    again: Callable[[PreciseNumbers], T],
    shown: Callable[[T], Iterable[tuple[str, float]]],
    judged: Callable[[T, DigitJudge], list[arb | mpf] | None],
) -> tuple[T, list[Note]]:
    """A result of so many operations computed `again` until all numbers `shown`, by name, are right, and notes.

    `judged` gives the same numbers in another arithmetic, None where that cannot.
    """
    most = min(max(_MOST * numbers.wanted, _LEAST), max(_WORK // max(size, 1), 2 * numbers.wanted))
    while True:
        enclosed, doubts = _doubts(dict(enumerate(shown(result))), numbers, _asked(judged, result))
        if not doubts or numbers.computed >= most:
            break
        right = min(doubts.values())
        more = numbers.computed if right <= 0 else numbers.wanted - right + 10
        numbers = numbers.with_digits(min(numbers.computed + more, most))
        result = again(numbers)
    notes = [Note(None, "uncertain", _told(name, right, numbers)) for name, right in doubts.items()]
    if not enclosed:
        text = "the digits agree with those of many more, which is no proof: pip install 'adcli[certify]'"
        notes.append(Note(None, "uncertain", text))
    return result, notes


def _asked(
    judged: Callable[[T, DigitJudge], list[arb | mpf] | None], result: T
) -> Callable[[DigitJudge], list[arb | mpf] | None]:
    return lambda judge: judged(result, judge)


def _told(name: str, right: int, numbers: PreciseNumbers) -> str:
    if right > 0:
        return f"{right} of the {numbers.wanted} digits of {name} are known to be right"
    return f"no digit of {name} is known to be right with {numbers.computed} digits: it may be 0, or have no value"


def _doubts(
    places: dict[int, tuple[str, float]],
    numbers: PreciseNumbers,
    judged: Callable[[DigitJudge], list[arb | mpf] | None],
) -> tuple[bool, dict[str, int]]:
    """Whether enclosures were at hand, and of every number with fewer right digits than are shown how many it has."""
    doubts: dict[str, int] = {}
    interval = _enclosing(int(numbers.computed * _BITS) + 16)
    left = places
    if interval is not None:
        found = judged(DigitJudge(interval, interval.working))
        left = {}
        with interval.working():
            for place, reference in enumerate(found or [None] * len(places)):
                name, own = places[place]
                right = None if reference is None else _right_in(interval, own, reference, numbers)
                if right is None:
                    left[place] = (name, own)
                elif right < numbers.wanted:
                    doubts[name] = min(right, doubts.get(name, right))
    if left:
        finer = Precise(3 * numbers.computed + _APART)
        for place, reference in enumerate(judged(DigitJudge(finer, nullcontext)) or ()):
            if place in left:
                name, own = left[place]
                right = _right(finer, own, reference, numbers)
                if right < numbers.wanted:
                    doubts[name] = min(right, doubts.get(name, right))
    return interval is not None, doubts


def _enclosing(bits: int) -> Interval | None:
    from ...numbers.arb_intervals import Interval

    try:
        return Interval(bits)
    except RequestError:  # the library is not installed
        return None


def _shown(done: Trace) -> Iterator[tuple[str, float]]:
    """Every number of the trace that is shown, with its name."""
    for output in done.outputs:
        yield output.shown, output.value
        for name, slope in (output.gradient or {}).items():
            yield partial(output.shown, name), slope
    for entry in done.second:
        for name, slopes in (entry.hessian or {}).items():
            for other, x in slopes.items():
                yield f"∂²{entry.output}/∂{name}∂{other}", x
    for row in done.rows:
        if row.value is not None:
            yield row.label, row.value
            yield from ((f"{dotted(row.label)} by {key}", x) for key, x in row.dot.items())
            yield from ((f"{barred(row.label)} of {key}", x) for key, x in row.bar.items())


def _judged(done: Trace, at: Mapping[str, float], request: Request, judge: DigitJudge) -> list[arb | mpf] | None:
    """The same numbers in another arithmetic, in the order of `_shown`; None where a branch is not decided."""
    m, working = judge
    graph = done.graph
    inputs = {name: slot for slot, name in graph.inputs.items()}
    seed = {name: in_arithmetic(m, x) for name, x in (request.seed or {}).items()} or None
    with working():
        try:
            values = evaluate(graph, m, {slot: in_arithmetic(m, at[name]) for name, slot in inputs.items()})
            gradients = linearize(graph, m, values) if done.mode != "value" else []
            seconds = second(graph, m, values) if any(entry.hessian for entry in done.second) else []
        except ArithmeticError:
            return None
        sweeps = Sweeps(graph, gradients, inputs, request._replace(seed=seed))
        found: list[arb | mpf] = []
        slots = dict(graph.outputs)
        for output in done.outputs:
            found.append(values[slots[output.name]])
            if output.gradient is not None:
                slopes = sweeps.gradient(output.name, slots[output.name])
                found += [slopes[name] for name in output.gradient]
        for entry in seconds:
            found += [x for row in (entry.hessian or {}).values() for x in row.values()]
        for row in done.rows:
            if row.value is not None:
                found.append(values[row.slot])
                found += [sweeps.dots[key][row.slot] for key in row.dot]
                found += [sweeps.bars[key][row.slot] for key in row.bar]
    return found


def _right_in(m: Interval, own: float, reference: arb | float, numbers: PreciseNumbers) -> int | None:
    """How many digits of a number are right for certain; None where its enclosure knows nothing."""
    context = numbers.context
    number = context.mpf(own)
    if not context.isfinite(number):
        return numbers.wanted
    if not isinstance(reference, (int, float, m.arb)):
        return None
    ball = m.number(reference)
    if not ball.is_finite():
        return None
    sign, mantissa, exponent, _ = number._mpf_
    error = abs(m.arb((-int(mantissa) if sign else int(mantissa), int(exponent))) - ball).upper()
    return _digits(context, abs(number), _mpf(context, error), numbers)


def _mpf(context: MPContext, x: arb) -> mpf:
    mantissa, exponent = x.man_exp()
    return context.ldexp(context.mpf(int(mantissa)), int(exponent))


def _right(m: Precise, own: float, reference: mpf, numbers: PreciseNumbers) -> int:
    """How many digits of a number agree with those of a longer computation."""
    number, true = m.context.mpf(own), m.context.mpf(reference)
    if not m.finite(number) or not m.finite(true):
        return numbers.wanted if m.finite(number) == m.finite(true) else 0
    return _digits(m.context, abs(number), abs(number - true), numbers)


def _digits(context: MPContext, size: mpf, error: mpf, numbers: PreciseNumbers) -> int:
    if not error:
        return numbers.wanted
    if not size:
        return numbers.wanted if error < context.mpf(10) ** (-_ZERO * numbers.wanted) else 0
    return max(int(context.floor(context.log10(size / error))), 0)
