"""Report of the propagation of uncertainty as text, tables and plain data."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from ..documents import LABEL, NOTES, NUMBERS, REAL, STRING, TRUTH, WHOLE, const, record
from ..errors import visible
from ..notation.number_text import MINUS, Digits
from ..notation.table_formulas import numeral, write_name, write_partial
from ..trace.monte_carlo import DrawStatistics
from ..trace.uncertainty_propagation import Contribution, Propagated, Propagation
from ..typings import Final
from .document_parts import Bar, Paragraph, Part, Runs, Table
from .trace_tables import number, problem_heading

_MEANINGFUL = 2  # digits of a standard uncertainty
_PLAIN = range(-5, 6)  # powers of ten of a value that is written without one


def with_sigma(value: float, sigma: float) -> str:
    """Return `11.65 ± 0.62` for a value and its standard uncertainty `sigma`.

    The uncertainty is rounded to two digits, the value to the same place, ties to even. If the larger one is below 1e-5
    or at least 1e6, they have a common power of ten: `(1.165 ± 0.062)e7`.

    Both are rounded separately (with ± between them) if the uncertainty is zero, if one is not finite, or if the
    uncertainty is below the precision of the value: then the value has 16 digits (12 if the uncertainty is zero), the
    uncertainty two.
    """
    if not (math.isfinite(value) and math.isfinite(sigma)) or sigma < abs(value) * 2**-52 or sigma == 0:
        digits = 12 if sigma == 0 else 16  # of a double
        return f"{Digits(significant=digits).show(value)} ± {Digits(significant=2).show(sigma)}".replace("-", MINUS)
    first = Decimal(f"{sigma:.{_MEANINGFUL - 1}e}").adjusted()
    place = first - _MEANINGFUL + 1  # of the last digit
    unit, exact = Decimal(1).scaleb(place), Context(prec=800, Emax=10_000, Emin=-10_000)
    rounded = Decimal(value).quantize(unit, ROUND_HALF_EVEN, exact)
    largest = max(rounded.adjusted() if rounded else first, first)
    power = 0 if largest in _PLAIN else largest
    texts = [f"{Decimal(x).quantize(unit, ROUND_HALF_EVEN, exact).scaleb(-power):f}" for x in (value, sigma)]
    text = f"{texts[0]} ± {texts[1]}"
    return (f"({text})e{power}" if power else text).replace("-", MINUS)


def heading(propagation: Propagation, digits: Digits) -> Runs:
    """Return `label: expression   at x1 = 2.0 ± 0.1, x2 = 5`; an input without uncertainty, or with 0, is a number
    alone.

    `propagation` has the label, the expression, the point and the uncertainties.
    """
    trace = propagation.trace
    head = problem_heading(trace.label, trace.expression, trace.graph, None, digits)
    sigmas = propagation.uncertainties.sigmas
    known = ((write_name(name), x, sigmas.get(name)) for name, x in trace.at.items())
    point = [Runs(y, " = ", numeral(with_sigma(x, sigma)) if sigma else number(x, digits)) for y, x, sigma in known]
    listed = [run for k, each in enumerate(point) for run in ([", "] * (k > 0) + list(each.runs))]
    return Runs(*head.runs, *(["   at ", *listed] if point else []))


def parts(propagation: Propagation, digits: Digits, named_too: bool) -> list[Part]:
    """Return the results with their comparisons, output after output, then the table of the budget of each output.

    With `named_too` a paragraph with the heading comes first. The first line of an output is its first-order result `y
    = value ± σ`. If the output is curved and a second-order result was computed, this is the first line, and the
    first-order result follows. `digits` is for the heading and the budgets.
    """
    lines: list[Part] = [Paragraph(heading(propagation, digits))] if named_too else []
    for output in propagation.outputs:
        first = numeral(with_sigma(output.value, output.sigma))
        if output.is_curved and output.second_order is not None:
            second = numeral(with_sigma(*output.second_order))
            lines.append(Paragraph(Runs(write_name(output.shown), " = ", second, " to second order")))
            lines.append(Paragraph(Runs("to first order ", first)))
        else:
            lines.append(Paragraph(Runs(write_name(output.shown), " = ", first)))
        lines += [Paragraph(text) for text in _comparison_sentences(output)]
    return [*lines, *[budget(output, digits, several=len(propagation.outputs) > 1) for output in propagation.outputs]]


def _comparison_sentences(output: Propagated) -> list[Runs]:
    """Return sentences with the second-order and Monte Carlo results of an output; [] if neither was computed.

    They are `to second order value ± σ`; `1,000 random points mean ± σ, 95 % coverage interval from 9.4 to 11.9`; and
    whether this validates first order (JCGM 101, 8.1; `not validated` also if that is None). The first is left out if
    it is the headline (the output is curved), the other two come together.
    """
    sentences = []
    if output.second_order is not None and not output.is_curved:
        sentences.append(Runs("to second order ", numeral(with_sigma(*output.second_order))))
    statistics = output.monte_carlo
    if statistics is not None:
        low, high = (numeral(text) for text in _interval_texts(statistics))
        mean = numeral(with_sigma(statistics.mean, statistics.sigma))
        drawn = f"{statistics.draws:,} random points "
        sentences.append(Runs(drawn, mean, ", 95 % coverage interval from ", low, " to ", high))
        verdict = "validated" if statistics.first_order_will_do else "not validated"
        comparison = "value ± 1.96 σ against that interval, to two digits of σ"
        sentences.append(Runs(f"the GUM uncertainty framework is {verdict}: {comparison}"))
    return sentences


def _interval_texts(simulation: DrawStatistics) -> list[str]:
    """Return the lower and the upper end of the coverage interval of a Monte Carlo result as texts.

    The ends are rounded to the place of the result's uncertainty (`9.40`). If `with_sigma` writes the lower end with a
    power of ten, both have four digits instead.
    """
    texts = [with_sigma(end, simulation.sigma).partition(" ±")[0] for end in simulation.interval]
    if texts[0].startswith("("):
        return [Digits(significant=4).show(end) for end in simulation.interval]
    return texts


def budget(output: Propagated, digits: Digits, *, several: bool) -> Table:
    """Return the table of an output's budget, one row for each input: input, σ, derivative, contribution, fraction of
    the variance in percent, and a bar.

    The longest bar is that of the largest contribution. With `several` outputs the table has a title, `budget of y`.
    """
    largest = max((each.contribution for each in output.budget.values()), default=0.0)
    rows = [_budget_row(name, each, largest, digits) for name, each in output.budget.items()]
    header = ("input", "σ", write_partial(output.shown, "·").replace("∂·", "∂input"), "contribution", "share", "")
    title = f"budget of {visible(output.shown)}" if several else ""
    return Table(rows, header, title=title, right=(1, 2, 3, 4))


def _budget_row(name: str, each: Contribution, largest: float, digits: Digits) -> tuple[str, ...]:
    """Return the cells (name, σ, derivative, contribution, share as `12.3 %`, bar) of the input called `name` with the
    contribution `each`; `largest` is the largest contribution, which has the longest bar.

    The share is empty if it is None (no variance), the bar if the contribution is 0 or `largest` is 0 or infinite.
    """
    share = "" if each.share is None else f"{100 * each.share:.1f} %".replace("-", MINUS)
    bar = Bar(Fraction(each.contribution / largest)) if 0 < largest < math.inf and each.contribution else ""
    numbers = [number(x, digits) for x in (each.sigma, each.slope, each.contribution)]
    return (write_name(name), *numbers, share, bar)


_MONTE_CARLO: Final = record(
    mean=REAL,
    sigma=REAL,
    interval=REAL.array_of(2),
    first_order_will_do=TRUTH.or_null,
    draws=WHOLE,
    without_value=WHOLE.of("lost"),
)
_OUTPUT: Final = record(
    name=STRING,
    value=REAL,
    sigma=REAL.or_null,
    second_order=record(mean=REAL.or_null, sigma=REAL.or_null).or_null,
    budget=record(slope=REAL, sigma=REAL, contribution=REAL, share=REAL.or_null).by_name,
    monte_carlo=_MONTE_CARLO.or_null,
)
_CORRELATION: Final = record(inputs=STRING.array_of(2).of(0), correlation=REAL.of(1))


PROPAGATE: Final = record(
    schema=const("propagate/1"),
    label=LABEL.of("trace.label"),
    expression=STRING.of("trace.expression"),
    at=NUMBERS.of("trace.at"),
    sigmas=REAL.by_name.of(lambda p: {name: p.uncertainties.sigmas.get(name, 0.0) for name in p.trace.at}),
    correlations=_CORRELATION.array.of(lambda propagation: propagation.uncertainties.correlations.items()),
    outputs=_OUTPUT.array,
    notes=NOTES,
)


def lines(propagation: Propagation, problem: int) -> list[dict[str, object]]:
    """Return one row of a sheet for each output and input; `problem` is the problem's number.

    Columns: problem, label ("" if there is none), output, value, sigma (both of the output), input, input_sigma, slope,
    contribution, share (None if there is no variance).
    """
    return [
        {
            "problem": problem, "label": propagation.trace.label or "", "output": output.name, "value": output.value,
            "sigma": output.sigma, "input": name, "input_sigma": each.sigma, "slope": each.slope,
            "contribution": each.contribution, "share": each.share,
        }
        for output in propagation.outputs
        for name, each in output.budget.items()
    ]  # fmt: skip
