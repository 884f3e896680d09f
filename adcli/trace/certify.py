"""Certified digits: intervals that hold the true value and derivatives, and where doubles have lost them.

Literals and inputs are exactly what was written (0.1 is 1/10).  The working precision is doubled until every interval
is tight, or until it would be too much work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from ..calculus.interval import Interval, Undecided
from ..graph.node import Graph
from ..graph.tape import Gradients, adjoints, evaluate, linearize, tangents
from ..language.formula import TABLE, Leaf, render
from ..language.numbers import Digits
from ..language.problems import in_arithmetic
from .model import SEED, Note, Trace
from .names import barred, dotted, partial

_FIRST, _LAST = 128, 8192  # bits of the working precision
_MOST_WORK = 20_000_000  # operations times bits
_TIGHT = 80  # bits that are right when an interval is tight: more than a double and its neighbours need
_DECIMALS = 25  # significant digits of the bounds
_SHOWN = 17  # digits that are shown at most: those of a double
_TRUSTED = 10  # a double with fewer right digits is worth a warning
_LARGE = 4_000  # bits of an exponent that is still written out
_BEYOND = 2**50  # an exponent of which not even the decimal is told
_NEXT_TO_ZERO = "1e-300000000000000"  # more than 2^-_BEYOND times any mantissa


class Enclosure(NamedTuple):
    """Bounds of a true number as decimals, the double found for it, and how many of its digits are right.

    `lower` and `upper` are None where no bounds could be found.
    """

    double: float
    lower: str | None = None
    upper: str | None = None

    @property
    def certain(self) -> str | None:
        """The digits in which both bounds agree when they are rounded; None where there are none."""
        if self.lower is None or self.upper is None:
            return None
        low, high = Decimal(self.lower), Decimal(self.upper)
        for count in range(_SHOWN, 0, -1):
            context = Context(prec=count, Emax=10**17, Emin=-(10**17))
            rounded = context.plus(low)
            if rounded == context.plus(high):
                return _written(rounded)
        return None

    @property
    def shown(self) -> str:
        """All digits of the double."""
        return Digits(significant=_SHOWN).show(float(self.double))

    @property
    def low(self) -> str:
        """The lower bound to two digits, rounded down."""
        return _brief(self.lower or "", "ROUND_FLOOR")

    @property
    def high(self) -> str:
        """The upper bound to two digits, rounded up."""
        return _brief(self.upper or "", "ROUND_CEILING")

    @property
    def all_right(self) -> bool:
        """Whether the double is the one that is next to the true number."""
        if self.lower is None or self.upper is None:
            return False
        return float(self.lower) <= self.double <= float(self.upper) and bool(self.right)

    @property
    def right(self) -> int | None:
        """How many digits of the double are right, 17 at most; None where no bounds are known."""
        if self.lower is None or self.upper is None:
            return None
        low, high = Decimal(self.lower), Decimal(self.upper)
        if not math.isfinite(self.double):
            return 0
        context = Context(prec=60, Emax=10**17, Emin=-(10**17))
        double = Decimal(self.double)
        error = max(abs(context.subtract(double, low)), abs(context.subtract(double, high)))
        size = max(abs(low), abs(high))
        if not error or (not double and low <= 0 <= high):
            return _SHOWN
        if not size or (low < 0 < high and double):
            return 0
        return min(max(-context.divide(error, size).adjusted() - 1, 0), _SHOWN)


class Certificate(NamedTuple):
    """What is certain of an output: its value, and its derivatives by input (None in value mode)."""

    value: Enclosure
    gradient: dict[str, Enclosure] | None

    def as_data(self) -> dict[str, Any]:
        """The bounds as data: pairs of decimal strings, None where there are none."""
        data: dict[str, Any] = {"value": _pair(self.value)}
        if self.gradient is not None:
            data["gradient"] = {name: _pair(found) for name, found in self.gradient.items()}
        return data


def _pair(enclosure: Enclosure) -> list[str] | None:
    return None if enclosure.lower is None or enclosure.upper is None else [enclosure.lower, enclosure.upper]


def certified(trace: Trace, at: Mapping[str, Any]) -> Trace:
    """The trace with certificates of its outputs, and notes on the rows whose doubles cannot be trusted."""
    sweeps = _refined(trace, at)
    with sweeps.m.working():
        outputs = {}
        slots = dict(trace.graph.outputs)
        inputs = {name: slot for slot, name in trace.graph.inputs.items()}
        for output in trace.outputs:
            slot = slots[output.name]
            gradient = None
            if output.gradient is not None:
                gradient = {
                    name: sweeps.enclosed(slope, sweeps.bar(output.name, inputs[name]))
                    for name, slope in output.gradient.items()
                }
            outputs[output.name] = Certificate(sweeps.enclosed(output.value, sweeps.value(slot)), gradient)
        notes = [*_output_notes(trace, outputs, sweeps.reason), *_row_notes(trace, sweeps)]
    return trace._replace(certified=outputs, notes=[*trace.notes, *notes])


class _Sweeps:
    """One evaluation with its sweeps in interval arithmetic; everything is None where a branch is not decided."""

    def __init__(self, trace: Trace, at: Mapping[str, Any], bits: int) -> None:
        self.m = m = Interval(bits)
        self.reason = "it is not finite, or not known closely enough"
        graph = trace.graph
        self.values: list[Any] = [None] * len(graph)
        self.bars: dict[str, list[Any]] = {}
        self.dots: dict[str, list[Any]] = {}
        with m.working():
            point = {slot: in_arithmetic(m, at[name]) for slot, name in graph.inputs.items()}
            try:
                values = evaluate(graph, m, point)
            except Undecided:
                self.reason = "a condition hangs on numbers that may be equal"
                return
            if not _defined(graph, m, values):
                self.reason = "an operation on the way may be outside its domain"
                return
            self.values = values
            if trace.mode == "value":
                return
            gradients = linearize(graph, m, values)
            if not _smooth(graph, m, values, gradients):
                return
            for name, slot in graph.outputs:
                self.bars[name] = adjoints(graph, gradients, {slot: m.one})
            for slot, name in graph.inputs.items():
                if name in trace.keys[0] and name != SEED:
                    self.dots[name] = tangents(graph, gradients, {slot: m.one})

    def value(self, slot: int) -> Any:
        return self.values[slot]

    def bar(self, output: str, slot: int) -> Any:
        return self.bars[output][slot] if output in self.bars else None

    def dot(self, name: str, slot: int) -> Any:
        return self.dots[name][slot] if name in self.dots else None

    def all(self) -> Iterator[Any]:
        """Every number that is asked for."""
        yield from (x for x in self.values if x is not None)
        for found in (*self.bars.values(), *self.dots.values()):
            yield from found

    def tight(self, trace: Trace) -> bool:
        if any(x is None for x in (self.values[slot] for _, slot in trace.graph.outputs)):
            return False
        if trace.mode != "value" and not self.bars:
            return False
        m = self.m
        return all(_is_tight(m.number(x)) for x in self.all() if isinstance(x, (int, float, m.arb)))

    def enclosed(self, double: float, x: Any) -> Enclosure:
        """The double with the bounds of the true number."""
        if x is None:
            return Enclosure(double)
        ball = self.m.number(x)
        if not ball.is_finite():
            return Enclosure(double)
        low, high = ball.lower(), ball.upper()
        if any(int(x.man_exp()[1]) > _BEYOND for x in (low, high)):
            return Enclosure(double)
        return Enclosure(double, self._bound(low, up=False), self._bound(high, up=True))

    def _bound(self, x: Any, *, up: bool) -> str:
        """An exact ball's number as a decimal, rounded up or down."""
        mantissa, exponent = (int(part) for part in x.man_exp())
        if exponent < -_BEYOND:  # next to 0
            return "0" if up == (mantissa < 0) else _NEXT_TO_ZERO if up else f"-{_NEXT_TO_ZERO}"
        shift = 0
        if abs(exponent) > _LARGE:
            shift = int(float(abs(x).log().mid()) / math.log(10))
            scaled = x / self.m.arb(10) ** shift
            ball = scaled.upper() if up else scaled.lower()
            mantissa, exponent = (int(part) for part in ball.man_exp())
        fraction = Fraction(mantissa) * Fraction(2) ** exponent
        if not fraction:
            return "0"
        place = _DECIMALS - len(str(int(abs(fraction)))) if abs(fraction) >= 1 else _DECIMALS + _zeros(fraction)
        scaled_up = fraction * Fraction(10) ** place
        digits = math.ceil(scaled_up) if up else math.floor(scaled_up)
        return _written(Decimal(digits).scaleb(shift - place, Context(prec=60, Emax=10**17, Emin=-(10**17))))


def _zeros(fraction: Fraction) -> int:
    """About how many zeros stand behind the point of a fraction below 1."""
    return int((fraction.denominator.bit_length() - abs(fraction.numerator).bit_length()) * math.log10(2))


def _written(x: Decimal) -> str:
    """A decimal without trailing zeros; very large and small ones in scientific form."""
    context = Context(prec=60, Emax=10**17, Emin=-(10**17))
    x = x.normalize(context)
    if not x:
        return "0"
    if -7 <= x.adjusted() <= 20:
        return format(x, "f")
    return format(x, "e").replace("e+", "e")


def _is_tight(x: Any) -> bool:
    return bool(x.is_finite()) and (x.is_exact() or x.rel_accuracy_bits() >= _TIGHT)


def _refined(trace: Trace, at: Mapping[str, Any]) -> _Sweeps:
    """The sweeps at the first precision at which all is tight, or at the last that is affordable."""
    bits = _FIRST
    columns = 2 + len(trace.outputs) + len(trace.keys[0])
    while True:
        found = _Sweeps(trace, at, bits)
        if found.tight(trace) or bits >= _LAST or 2 * bits * len(trace.graph) * columns > _MOST_WORK:
            return found
        bits *= 2


def _defined(graph: Graph, m: Interval, values: list[Any]) -> bool:
    """Whether every operation is certainly inside its domain."""
    for slot, row in enumerate(graph.rows):
        arguments = tuple(values[p] for p in graph.parents[slot])
        if row is not None and values[slot] is not None and row.broken(m, arguments) is not None:
            return False
    return True


def _smooth(graph: Graph, m: Interval, values: list[Any], gradients: Gradients) -> bool:
    """Whether no convention stands in for a slope of which only the intervals do not know whether it exists."""
    for slot, partials in enumerate(gradients):
        row = graph.rows[slot]
        if row is None or row.smooth is None:
            continue
        arguments = tuple(values[p] for p in graph.parents[slot])
        if any(a is None for a in arguments) or all(m.number(a).is_exact() for a in arguments):
            continue
        for position, slope in enumerate(partials):
            kink = row.kink(position)
            if slope is not None and kink is not None and kink.slope is not None and not kink.holds(m, *arguments):
                return False
    return True


# --- notes -----------------------------------------------------------------------------------------------------------


def _output_notes(trace: Trace, outputs: Mapping[str, Certificate], reason: str) -> Iterator[Note]:
    for output in trace.outputs:
        certificate = outputs[output.name]
        for name, found in {output.shown: certificate.value, **_by_symbol(output.shown, certificate)}.items():
            if found.lower is None:
                yield Note(output.node, "uncertain", f"{name} could not be enclosed: {reason}")
            elif _doubtful(found):
                yield Note(output.node, "uncertain", f"{name} is not to be trusted: {_told(found)}")


def _by_symbol(shown: str, certificate: Certificate) -> dict[str, Enclosure]:
    return {partial(shown, name): found for name, found in (certificate.gradient or {}).items()}


def _row_notes(trace: Trace, sweeps: _Sweeps) -> Iterator[Note]:
    """Which rows have lost digits, in value or derivatives, as far as the trace shows rows."""
    labels = {row.slot: row.label for row in trace.rows}
    told = {slot for _, slot in trace.graph.outputs}  # of these the notes on outputs speak
    for row in trace.rows:
        if row.operator == "input" or row.value is None or row.truth or row.slot in told:
            continue
        lost = []
        value = sweeps.enclosed(row.value, sweeps.value(row.slot))
        if _doubtful(value):
            lost.append(_told(value))
        for key, double in row.dot.items():
            found = sweeps.enclosed(double, sweeps.dot(key, row.slot))
            if _doubtful(found):
                lost.append(f"{dotted(row.label)} by {key}: {_told(found)}")
        for key, double in row.bar.items():
            found = sweeps.enclosed(double, sweeps.bar(key, row.slot))
            if _doubtful(found):
                lost.append(f"{barred(row.label)} of {key}: {_told(found)}")
        if lost:
            formula = render(trace.graph, row.slot, TABLE, lambda s: Leaf(labels[s]) if s in labels else None)
            yield Note(row.name, "uncertain", f"{row.label} = {formula}: {'; '.join(lost)}")


def _doubtful(found: Enclosure) -> bool:
    right = found.right
    return right is not None and right < _TRUSTED


def _told(found: Enclosure) -> str:
    """`floating point gives 1.86265e-8, no digit of which is right; certain is 1.5811388300841897e-8`."""
    count = found.right or 0
    digits = f"of which {count} digit{'s are' if count > 1 else ' is'} right" if count else "no digit of which is right"
    bounds = f"the true number is between {found.low} and {found.high}"
    true = f"certain is {found.certain}" if found.certain else bounds
    return f"floating point gives {found.shown}, {digits}; {true}"


def _brief(text: str, rounding: str) -> str:
    context = Context(prec=2, rounding=rounding, Emax=10**17, Emin=-(10**17))
    return _written(context.plus(Decimal(text)))
