"""Certified digits: intervals that hold the true value and derivatives, and where doubles have lost them. `bars` are
adjoints and `dots` tangents, by output or input and slot.

Literals and inputs are exactly what was written (0.1 is 1/10).  The working precision is doubled until every interval
is tight, or until it would be too much work.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

from ...errors import AdcliError
from ...graph.graph import Graph
from ...graph.order import ancestors
from ...graph.plan import leaf_values
from ...graph.tape import Gradients, adjoints, evaluate, linearize, tangents
from ...kinks.decision import Decision, decide, find_reached_kinks
from ...kinks.exact_reals import Real
from ...language.problems import in_arithmetic
from ...notation.formula import TABLE, Leaf, render
from ...notation.table_formulas import write_partial
from ...numbers.arb_intervals import Interval
from ...numbers.conditions import Undecided
from ...typings import TYPE_CHECKING
from ..analysis_results import Certificate, Enclosure, decimal_context, decimal_text
from ..faults import exact_point
from ..hessians import second_derivatives
from ..kink_notes import outcome_sentence
from ..rows import Place, numbers_of
from ..trace_model import SEED, TRUSTED, Note, Trace

if TYPE_CHECKING:
    from flint import arb

_FIRST, _LAST = 128, 8192  # bits of the working precision
_MOST_WORK = 20_000_000  # operations times bits
_TIGHT = 80  # bits that are right when an interval is tight: more than a double and its neighbours need
_DECIMALS = 25  # significant digits of the bounds
_LARGE = 4_000  # bits of an exponent that is still written out
_BEYOND = 2**50  # binary exponents beyond this are not written in decimals
_NEXT_TO_ZERO = "1e-300000000000000"  # more than 2^-_BEYOND times any mantissa


def certify_trace(trace: Trace, at: Mapping[str, float]) -> Trace:
    """Return the trace with `certified`, {output: certificate}, and notes on outputs and rows with unreliable doubles.

    `at` is the point by input name, as it was written. Raises RequestError without the library for intervals.
    """
    sweeps = _refine(trace, at)
    with sweeps.m.working():
        outputs = {output.name: _certificate(trace, sweeps, place) for place, output in enumerate(trace.outputs)}
        notes = [*_output_notes(trace, outputs, sweeps), *_row_notes(trace, sweeps)]
    return trace._replace(certified=outputs, notes=[*trace.notes, *notes])


def has_values(graph: Graph, at: Mapping[str, float]) -> bool:
    """Return whether every operation certainly has a finite value inside its domain at the point `at`, as it was
    written.

    The precision is doubled until every condition is decided and all values are proven. False if the last affordable
    precision does not prove them, or if an evaluation is too much work. Raises RequestError without the library for
    intervals.
    """
    for bits in _precisions(len(graph)):
        m = Interval(bits)
        with m.working():
            try:
                values = evaluate(graph, m, {slot: in_arithmetic(m, at[name]) for slot, name in graph.inputs.items()})
            except Undecided:
                continue
            except AdcliError:  # too much work
                return False
            finite = all(x is None or m.number(x).is_finite() for x in values)
            if finite and _in_all_domains(graph, m, values):
                return True
    return False


def _precisions(size: int) -> Iterator[int]:
    """Yield 128, 256, … bits up to 8192, the working precisions that are affordable for `size` operations.

    The first one is always yielded.
    """
    bits = _FIRST
    yield bits
    while bits < _LAST and 2 * bits * size <= _MOST_WORK:
        bits *= 2
        yield bits


def _certificate(trace: Trace, sweeps: _EnclosedSweeps, place: int) -> Certificate:
    """Return the Certificate of the output at index `place`, with the enclosures of `sweeps`.

    `gradient` is None, and `one_sided` empty, if the trace has no gradient; `hessian` is None if the trace has no
    Hessian. A number without an enclosure has an Enclosure without bounds.
    """
    output = trace.outputs[place]
    inputs = {name: slot for slot, name in trace.graph.inputs.items()}
    gradient: dict[str, Enclosure] | None = None
    if output.gradient is not None:
        slopes = sweeps.enclose_slopes(output.name)
        gradient = {name: sweeps.enclose(x, slopes.get(name)) for name, x in output.gradient.items()}
    hessian = None
    if trace.second and trace.second[place].hessian is not None:
        entries = sweeps.enclose_second(output.name)
        hessian = {
            name: {other: sweeps.enclose(x, entries.get((inputs[name], inputs[other]))) for other, x in row.items()}
            for name, row in (trace.second[place].hessian or {}).items()
        }
    value = sweeps.enclose(output.value, sweeps.values[dict(trace.graph.outputs)[output.name]])
    return Certificate(value, gradient, sweeps.one_sided(output.name) if gradient is not None else {}, hessian)


class _EnclosedSweeps:
    """One evaluation with its sweeps in interval arithmetic of `bits` bits.

    values    by slot; None if a condition is not decided, or an operation may be outside its domain
    bars      adjoints by output and slot, without outputs whose slopes at a kink are not those of one smooth piece
    dots      tangents by input and slot; empty if some output has such a kink
    at_kinks  the outputs that depend on a kink that may be reached
    reason    why there are no bounds, for notes
    """

    def __init__(self, trace: Trace, at: Mapping[str, float], bits: int, decision: Decision | None) -> None:
        """Sweep the traced graph with intervals of `bits` bits at the point `at`.

        If the intervals leave a condition or a domain open, exact numbers decide it, as in the trace. If these do not
        either, nothing is enclosed, and `reason` says why. `decision` is that at the kinks that sweeps with fewer bits
        may reach; without one (None) it is made when a kink may be reached.
        """
        self.m = m = Interval(bits)
        self.graph, self._seams = trace.graph, bool(trace.second)
        self.decision = decision
        self.at_kinks: set[str] = set()  # the outputs that a kink may reach
        self.reason = "it is not finite, or its bounds are too wide"
        graph = trace.graph
        self.values: list[arb | None] = [None] * len(graph)
        self.bars: dict[str, list[arb]] = {}
        self.dots: dict[str, list[arb]] = {}
        with m.working():
            point = {slot: in_arithmetic(m, at[name]) for slot, name in graph.inputs.items()}
            values, reason = _with_reason(graph, m, functools.partial(evaluate, graph, m, point))
            if reason and trace.decision is not None:
                self.decision = decision = decision or self._decide(trace.decision.reached, at)
                if decision.is_decided:  # conditions and the values of rows with kinks are those of exact numbers
                    leaves = leaf_values(graph, m, point)
                    values, reason = _with_reason(graph, m, lambda: decision.correct(leaves, [], m)[0])
            if reason:
                self.reason = reason
                return
            self.values = values
            if trace.mode != "value":
                self._sweep(trace, at)

    def _decide(self, reached: frozenset[int], at: Mapping[str, float]) -> Decision:
        """Return the decision at the kinks of the slots in `reached`, with the inputs `at` exactly as written."""
        return decide(self.graph, reached, functools.partial(exact_point, self.graph, at, exactly=True), self._seams)

    def _sweep(self, trace: Trace, at: Mapping[str, float]) -> None:
        """Run the sweeps: set `decision`, `at_kinks`, `bars` and `dots`, and correct `values` by the decision.

        `decision` is None without kinks. `at_kinks` are the outputs that depend on a kink that may be reached. `bars`
        has the adjoints of each output that is not at a kink, or is at one but on one smooth piece. `dots` has the
        tangents by input, if this holds for every output. `trace` has the keys of the forward sweeps, `at` is the point
        as written.
        """
        graph, m = self.graph, self.m
        gradients = self._correct_at_kinks(at, linearize(graph, m, self.values))
        for name, slot in graph.outputs:
            if name not in self.at_kinks or self._on_piece(name):
                self.bars[name] = adjoints(graph, gradients, {slot: m.one})
        if all(self._on_piece(name) for name in self.at_kinks):
            for slot, name in graph.inputs.items():
                if name in trace.keys[0] and name != SEED:
                    self.dots[name] = tangents(graph, gradients, {slot: m.one})

    def _correct_at_kinks(self, at: Mapping[str, float], gradients: Gradients) -> Gradients:
        """Set `decision` and `at_kinks`, correct `values` by the decision, and return the corrected partials."""
        graph, m = self.graph, self.m
        known = [None if x is None else m.number(x) for x in self.values]
        reached = find_reached_kinks(graph, m, known, seams=self._seams)
        if reached and self.decision is None:
            self.decision = self._decide(reached, at)
        if self.decision is not None and self.decision.is_decided:
            reached = self.decision.reached
            self.values, gradients = self.decision.correct(self.values, gradients, m)
        needed = {name: ancestors(graph, [slot]) for name, slot in graph.outputs}
        self.at_kinks = {name for name, marks in needed.items() if any(marks[slot] for slot in reached)}
        return gradients

    def _on_piece(self, output: str) -> bool:
        return self.decision is not None and output in self.decision.on_piece

    def at(self, place: Place) -> arb | None:
        """Return the enclosure of a number of the trace; None if it is not known."""
        if place.kind == "value":
            return self.values[place.slot]
        column = (self.bars if place.kind == "bar" else self.dots).get(place.key)
        return None if column is None else column[place.slot]

    def enclose_slopes(self, output: str) -> dict[str, arb]:
        """Return the enclosed slopes of an output by input.

        Not at a kink they are those of the sweep, {} without a sweep. At a kink they are the proven ones, {} if the
        output is not proven to be smooth.
        """
        if output not in self.at_kinks:
            bars = self.bars.get(output)
            return {} if bars is None else {name: bars[slot] for slot, name in self.graph.inputs.items()}
        if self.decision is None or not self.decision.is_smooth(output):
            return {}
        return self.decision.slopes(output, self.m)

    def one_sided(self, output: str) -> dict[str, tuple[Enclosure | None, Enclosure | None]]:
        """Return (slope from the left, slope from the right) by input for an output at a kink or edge.

        {} for every other output: not at a kink, smooth, with a jump, or undecided. Keys are the inputs on which the
        output depends. A slope is None if it is unknown or the output is not defined on this side.
        """
        outcome = self.decision.outcomes[output] if self.decision is not None and output in self.at_kinks else None
        if outcome is None or outcome.kind not in ("kink", "edge"):
            return {}
        return {
            self.graph.inputs[slot]: (self._bounded_side(left.derivative(-1)), self._bounded_side(right.derivative(1)))
            for slot, (left, right) in outcome.sides.items()
        }

    def _bounded_side(self, slope: Real | float | None) -> Enclosure | None:
        """Return a one-sided slope with its bounds; None if it is None.

        An infinite one (a float) is its own bound on both sides.
        """
        if slope is None:
            return None
        if not isinstance(slope, Real):
            text = "Infinity" if slope > 0 else "-Infinity"
            return Enclosure(slope, text, text)
        return self.enclose(float(slope), slope.m.read(slope, self.m))

    def enclose_second(self, output: str) -> dict[tuple[int, int], arb]:
        """Return the second derivatives of an output by pairs of input slots, as far as they are proven.

        Both orders of a pair are keys. {} if the output has no value or a condition is undecided. At a kink the entries
        are those of the decision; {} there if the output is not smooth, or depends on more than one input. Raises
        ValueError for a name that is not an output.
        """
        graph, m = self.graph, self.m
        place = [name for name, _ in graph.outputs].index(output)
        if self.values[dict(graph.outputs)[output]] is None:
            return {}
        if output in self.at_kinks:
            if self.decision is None or not self.decision.is_smooth(output):
                return {}
            active = self.decision.outcomes[output].sides
            if len(active) > 1:
                return {}
            entries = self.decision.second_derivatives(output, list(graph.inputs))
            return {pair: x.m.read(x, m) for pair, x in entries.items()}
        try:
            hessian = second_derivatives(graph, m, self.values)[place].hessian or {}
        except Undecided:
            return {}
        inputs = {name: slot for slot, name in graph.inputs.items()}
        return {(inputs[a], inputs[b]): x for a, row in hessian.items() for b, x in row.items()}

    def is_tight(self, trace: Trace) -> bool:
        """Return whether every enclosure in `values`, `bars` and `dots` is finite, and is exact or right to 80 bits.

        Numbers without an enclosure (None) do not count. But it is False if an output has no value, or if the trace has
        derivatives while no adjoint is enclosed and no output is at a kink.
        """
        if any(self.values[slot] is None for _, slot in trace.graph.outputs):
            return False
        if trace.mode != "value" and not self.bars and not self.at_kinks:
            return False
        columns = (self.values, *self.bars.values(), *self.dots.values())
        known = [self.m.number(x) for column in columns for x in column if isinstance(x, (int, float, self.m.arb))]
        return all(x.is_finite() and (x.is_exact() or x.rel_accuracy_bits() >= _TIGHT) for x in known)

    def enclose(self, double: float, x: arb | None) -> Enclosure:
        """Return the double with the bounds of the true number; without bounds if `x` is None, not finite or huge."""
        ball = self.m.undefined if x is None else self.m.number(x)
        low, high = ball.lower(), ball.upper()
        if not ball.is_finite() or any(int(end.man_exp()[1]) > _BEYOND for end in (low, high)):
            return Enclosure(double)
        return Enclosure(double, self._decimal_bound(low, up=False), self._decimal_bound(high, up=True))

    def _decimal_bound(self, x: arb, *, up: bool) -> str:
        """Return an exact number as a decimal of 25 significant digits, rounded towards +inf (`up`) or towards -inf.

        Numbers below 2^-2^50 in size become 0 or, where the rounding leads away from 0, ±1e-300000000000000.
        """
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
        return decimal_text(Decimal(digits).scaleb(shift - place, decimal_context()))


def _zeros(fraction: Fraction) -> int:
    """Return about how many zeros follow the decimal point of a fraction below 1."""
    return int((fraction.denominator.bit_length() - abs(fraction.numerator).bit_length()) * math.log10(2))


def _refine(trace: Trace, at: Mapping[str, float]) -> _EnclosedSweeps:
    """Return the sweeps at the first of 128, 256, … bits at which all numbers are tight, or at the last affordable one.

    Affordable are up to 8192 bits, as long as slots × sweeps × bits are at most 20 million.
    """
    columns = 2 + len(trace.outputs) + len(trace.keys[0])
    decision: Decision | None = None
    for bits in _precisions(len(trace.graph) * columns):
        sweeps = _EnclosedSweeps(trace, at, bits, decision)
        decision = sweeps.decision
        if sweeps.is_tight(trace):
            break
    return sweeps


def _with_reason(graph: Graph, m: Interval, compute: Callable[[], list[arb | None]]) -> tuple[list[arb | None], str]:
    """Return (the value of every slot that `compute` returns, the reason why there are no bounds; empty if there are).

    There are none if a condition is undecided (then the values are []), or if an operation may be outside its domain
    (then the values are those of `compute` all the same).
    """
    try:
        values = compute()
    except Undecided:
        return [], "a condition depends on numbers that may be equal"
    return values, "" if _in_all_domains(graph, m, values) else "an intermediate operation may be outside its domain"


def _in_all_domains(graph: Graph, m: Interval, values: list[arb | None]) -> bool:
    """Return whether every operation with a value is certainly inside its domain."""
    rows = zip(graph.rows, graph.parents, values, strict=True)
    done = [(row, parents) for row, parents, z in rows if row is not None and z is not None]
    return not any(row.find_violation(m, tuple([values[p] for p in parents])) for row, parents in done)


# --- notes -----------------------------------------------------------------------------------------------------------


def _output_notes(trace: Trace, outputs: Mapping[str, Certificate], sweeps: _EnclosedSweeps) -> Iterator[Note]:
    """Yield notes of kind "uncertain" on numbers of the outputs with fewer than ten right digits or without bounds.

    Output by output, each on the row of the output: first its value, then its derivatives. A note is `∂y/∂x is
    unreliable:` with the digits (`_error_words`), or `no bounds were found for ∂y/∂x:` with the reason. The derivatives
    without bounds of an output at a kink share one note, its last. `outputs` are the certificates by output, `sweeps`
    the enclosures.
    """
    for output in trace.outputs:
        certificate, kinked = outputs[output.name], output.name in sweeps.at_kinks
        unknown: list[str] = []  # at a kink there is one reason for all
        for name, enclosure in {output.shown: certificate.value, **_by_symbol(output.shown, certificate)}.items():
            if _doubtful(enclosure):
                yield Note(output.node, "uncertain", f"{name} is unreliable: {_error_words(enclosure)}")
            elif enclosure.lower is None and kinked and name != output.shown:
                unknown.append(name)
            elif enclosure.lower is None:
                yield Note(output.node, "uncertain", f"no bounds were found for {name}: {sweeps.reason}")
        if unknown:
            reason = _kink_reason(sweeps.decision, output.name, output.shown)
            yield Note(output.node, "uncertain", f"no bounds were found for {', '.join(unknown)}: {reason}")


def _kink_reason(decision: Decision | None, output: str, shown: str) -> str:
    """Return why no derivative of an output at a kink is certain."""
    if decision is None or not decision.is_decided:
        return "an intermediate row may be at a kink"
    if decision.is_smooth(output):
        return "second derivatives at a kink are not proven"
    return outcome_sentence(decision, output, shown)


def _by_symbol(shown: str, certificate: Certificate) -> dict[str, Enclosure]:
    """Return the enclosed derivatives of the output called `shown` by symbol: each ∂y/∂x, then each ∂²y/∂x∂z."""
    slopes = (certificate.gradient or {}).items()
    enclosures: dict[str, Enclosure] = {write_partial(shown, name): slope for name, slope in slopes}
    for name, row in (certificate.hessian or {}).items():
        enclosures |= {f"∂²{shown}/∂{name}∂{other}": bend for other, bend in row.items()}
    return enclosures


def _row_notes(trace: Trace, sweeps: _EnclosedSweeps) -> Iterator[Note]:
    """Yield a note of kind "uncertain" for each row of the trace of which a number has fewer than ten right digits.

    The note describes all such numbers that the row has (its value, tangents and adjoints, in this order), compared
    with the enclosures of `sweeps`: `v3 = v1 − v2: floating point gives …; v̄3 of y: floating point gives …`. Only the
    value comes without its name. Inputs, conditions, outputs and numbers without bounds are left out.
    """
    labels = {row.slot: row.label for row in trace.rows}
    outputs = {slot for _, slot in trace.graph.outputs}  # these have notes of their own
    for row in trace.rows:
        if row.operator == "input" or row.truth or row.slot in outputs:
            continue
        notes = []
        for place, name, double in numbers_of(row):
            enclosure = sweeps.enclose(double, sweeps.at(place))
            if _doubtful(enclosure):
                notes.append(_error_words(enclosure) if place.kind == "value" else f"{name}: {_error_words(enclosure)}")
        if notes:
            formula = render(trace.graph, row.slot, TABLE, lambda s: Leaf(labels[s]) if s in labels else None)
            yield Note(row.name, "uncertain", f"{row.label} = {formula}: {'; '.join(notes)}")


def _doubtful(enclosure: Enclosure) -> bool:
    """Return whether fewer than ten digits of the double are known to be right; False without bounds."""
    right = enclosure.right
    return right is not None and right < TRUSTED


def _error_words(enclosure: Enclosure) -> str:
    """Return `floating point gives 1.86265e-8, no digit of which is right; the true number rounds to 1.58113883008e-8`.

    If 3 digits are right, it is `of which 3 digits are right`. If no decimal of the true number is certain, the end is
    `the true number is between` the two bounds.
    """
    count = enclosure.right or 0
    digits = f"of which {count} digit{'s are' if count > 1 else ' is'} right" if count else "no digit of which is right"
    bounds = f"the true number is between {enclosure.low} and {enclosure.high}"
    true = f"the true number rounds to {enclosure.certain}" if enclosure.certain else bounds
    return f"floating point gives {enclosure.shown}, {digits}; {true}"
