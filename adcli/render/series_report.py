"""Report of Taylor series as text, LaTeX, tables and plain data."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from .. import documents
from ..errors import visible
from ..notation import formula_pieces as fp
from ..notation.display_formula import Formula
from ..notation.formula_pieces import Fraction as Quotient
from ..notation.latex_printer import LATEX
from ..notation.mathematics import multiplied, number_piece
from ..notation.number_text import MINUS, Digits
from ..notation.table_formulas import joined, listed, named, numeral, quotient
from ..records import NamedTuple
from ..trace.taylor_series import TaylorOutput, TaylorSeries
from .data import Bare
from .document_parts import Runs, Table
from .trace_tables import number, titled

Coefficient = float | Fraction  # float includes numbers of other arithmetics

SHORT = 10**6  # fractions with a larger numerator or denominator are shown as decimals


def _is_short(x: Fraction, longest: int | None) -> bool:
    return longest is None or max(abs(x.numerator), x.denominator) <= longest


class _Style:
    """A way to write powers, products and fractions on one line: `kind` is `table` (for people) or `text` (in the
    language).

    Fractions with parts larger than `longest` (None: no limit) become decimals, in full precision if `digits` is None.
    """

    def __init__(self, kind: str, digits: Digits | None, longest: int | None) -> None:
        self.kind = kind
        self.digits = digits
        self.longest = longest
        self.times = " " if kind == "table" else "*"

    def decimal(self, x: Coefficient) -> str:
        """Return a positive number as a decimal; without `digits` a fraction stays a fraction."""
        if isinstance(x, Fraction) and self.digits is None:
            return f"{x.numerator}/{x.denominator}"
        if isinstance(x, float | Fraction | int):
            text = self.digits.show(float(x)) if self.digits is not None else repr(float(x)).removesuffix(".0")
        else:
            text = str(x).removesuffix(".0")
        return text

    def base(self, variable: str, centre: float, k: int) -> str:
        """Return a power of the variable minus its centre: `(x − 2)^3`."""
        name = variable
        if centre:
            sign = "+" if centre < 0 else MINUS if self.kind == "table" else "-"
            name = f"({name} {sign} {self.decimal(abs(centre))})"
        return name if k == 1 else f"{name}^{k}"

    def term(self, c: Coefficient, power: str) -> str:
        """Return a term without its sign; coefficient `c` is positive, `power` is empty for the constant term."""
        if isinstance(c, Fraction) and _is_short(c, self.longest):
            top, bottom = c.numerator, c.denominator
            over = (f"{top}{self.times}{power}" if top != 1 else power) if power else str(top)
            return over if bottom == 1 else f"{over}/{bottom}"
        text = self.decimal(c)
        if not power:
            return text
        if text == "1":
            return power
        return f"{text}{self.times}{power}"


def _polynomial_text(series: TaylorSeries, coefficients: Sequence[Coefficient], style: _Style) -> str:
    """Return the nonzero terms with their signs, in ascending order; `0` if there are none."""
    minus = MINUS if style.kind == "table" else "-"
    out: list[str] = []
    for k, c in enumerate(coefficients):
        if not c:
            continue
        power = style.base(series.variable, series.centre, k) if k else ""
        term = style.term(c if c > 0 else -c, power)
        if out:
            out.append(f" {minus if c < 0 else '+'} {term}")
        else:
            out.append(f"{minus if c < 0 else ''}{term}")
    return "".join(out) or "0"


def _exact_coefficients(output: TaylorOutput) -> Sequence[Coefficient]:
    """Return the coefficients, as fractions if they are known exactly."""
    return [c if f is None else f for c, f in zip(output.coefficients, output.fractions, strict=True)]


def polynomial(
    series: TaylorSeries, output: TaylorOutput, digits: Digits, longest: int | None = SHORT
) -> Formula:  # fmt: skip
    """Return `y = 1 + x − x^3/3 + O(x^4)`; without the remainder term if the expansion is at a kink.

    Exact coefficients with more than `longest` characters are shown as decimals (None: never).
    """
    style = _Style("table", digits, longest)
    rest = style.base(series.variable, series.centre, series.order + 1)
    text = f"{output.shown} = {_polynomial_text(series, _exact_coefficients(output), style)}"
    text = text if _is_convention(series) else f"{text} + O({rest})"
    return Formula(text, _polynomial_piece, (series, output, style))


def latex(series: TaylorSeries, output: TaylorOutput, digits: Digits) -> str:
    """The same in LaTeX."""
    return LATEX.printed(polynomial(series, output, digits).piece)


def _polynomial_piece(key: tuple[TaylorSeries, TaylorOutput, _Style]) -> fp.Piece:
    """Return the equation of the polynomial in pieces; `key` is (series, output, style)."""
    series, output, style = key
    total: fp.Piece | None = None
    for k, c in enumerate(_exact_coefficients(output)):
        if c:
            term = _term_piece(style, c if c > 0 else -c, _base_piece(series, style, k))
            if total is None:
                total = fp.Joined((fp.MINUS_SIGN, term)) if c < 0 else term
            else:
                total = fp.Joined((total, fp.Sign(MINUS if c < 0 else "+"), term))
    total = total or fp.NumberPiece("0")
    if not _is_convention(series):
        rest = _base_piece(series, style, series.order + 1)
        inside = rest.inside if isinstance(rest, fp.Fence) else rest
        total = fp.Joined((total, fp.Sign("+"), fp.Application("O", "O", (inside or fp.NumberPiece("1"),))))
    return fp.Joined((fp.NamePiece(output.shown), fp.EQUALS, total))


def _base_piece(series: TaylorSeries, style: _Style, k: int) -> fp.Piece | None:
    """Return a power of the variable minus its centre; None for the constant term (k = 0)."""
    if not k:
        return None
    base: fp.Piece = fp.NamePiece(series.variable)
    if series.centre:
        sign = fp.Sign("+" if series.centre < 0 else MINUS)
        base = fp.Fence("(", fp.Joined((base, sign, number_piece(style.decimal(abs(series.centre))))), ")")
    return base if k == 1 else fp.Power(base, fp.NumberPiece(str(k)))


def _term_piece(style: _Style, c: Coefficient, power: fp.Piece | None) -> fp.Piece:
    """Return a term without its sign; coefficient `c` is positive, `power` is None for the constant term."""
    if isinstance(c, Fraction) and _is_short(c, style.longest):
        above = fp.NumberPiece(str(c.numerator))
        over = above if power is None else power if c.numerator == 1 else multiplied(above, power)
        return over if c.denominator == 1 else Quotient(over, fp.NumberPiece(str(c.denominator)))
    text = style.decimal(c)
    if power is None:
        return number_piece(text)
    return power if text == "1" else multiplied(number_piece(text), power)


def _is_convention(series: TaylorSeries) -> bool:
    """Return whether the expansion is at a kink: its derivatives are then set by convention, and no remainder is
    bounded."""
    return any(note.kind == "kink" for note in series.notes)


def language(series: TaylorSeries, output: TaylorOutput) -> str:
    """Return the polynomial in the language with full precision, so that `eval` can read it."""
    return _polynomial_text(series, _exact_coefficients(output), _Style("text", None, None))


def heading(series: TaylorSeries, digits: Digits) -> Runs:
    """Return `label: expression at x = 2`, with `along …` if the series is in a direction."""
    head = titled(series.label, series.expression, series.graph, series.at, digits)
    moves = listed([joined(named(name), " = ", number(x, digits)) for name, x in series.along.items()])
    return Runs(*head.runs, "   along ", moves) if series.variable not in series.at else head


def table(
    series: TaylorSeries, output: TaylorOutput, digits: Digits, longest: int | None = SHORT
) -> Table:  # fmt: skip
    """Return one row for each order: k, coefficient and derivative.

    Exact numbers with more than `longest` characters are shown as decimals (None: never).
    """
    variable = series.variable
    of = visible(output.shown)
    show = _number_writer(digits, longest)
    rows: list[tuple[str, ...]] = [
        (numeral(str(k)), numeral(show(c)), numeral(show(d)))
        for k, (c, d) in enumerate(zip(_exact_coefficients(output), _exact_derivatives(output), strict=True))
    ]  # fmt: skip
    order = quotient(f"d^k {of}/d{variable}^k", "d", "k", of, ((variable, "k"),))
    return Table(rows, (named("k"), "coefficient", order), right=(0,))


def _exact_derivatives(output: TaylorOutput) -> Sequence[Coefficient]:
    """Return the derivatives, as fractions if they are known exactly."""
    return [
        d if f is None else f * math.factorial(k)
        for k, (d, f) in enumerate(zip(output.derivatives, output.fractions, strict=True))
    ]


def _number_writer(digits: Digits, longest: int | None) -> Callable[[Coefficient], str]:
    """Return a function that writes a coefficient: a fraction with parts up to `longest`, else in `digits`."""

    def show(x: Coefficient) -> str:
        if isinstance(x, Fraction):
            if _is_short(x, longest):
                return str(x).replace("-", MINUS)
            x = _as_float(x)
        return number(x, digits) if isinstance(x, float) else str(x).removesuffix(".0").replace("-", MINUS, 1)

    return show


def _as_float(x: Coefficient) -> float:
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


class SeriesDocument(NamedTuple):
    """A series for the schema; with `exact` coefficients that are fractions are listed."""

    series: TaylorSeries
    exact: bool = False


class _SeriesOutput(NamedTuple):
    """One output of a series as a document."""

    series: TaylorSeries
    output: TaylorOutput
    exact: bool


_COEFFICIENTS: Final = documents.either(
    documents.REAL, documents.STRING, write=lambda x: documents.plain_number(x) if isinstance(x, float) else str(x)
).array
_OUTPUT: Final = documents.record(
    name=documents.STRING.of("output.name"),
    coefficients=_COEFFICIENTS.of("output.coefficients"),
    derivatives=_COEFFICIENTS.of("output.derivatives"),
    exact=documents.FRACTION.or_null.array.known(lambda x: x.output.fractions if x.exact else None),
    polynomial=documents.STRING.of(lambda x: language(x.series, x.output)),
    latex=documents.STRING.of(lambda x: latex(x.series, x.output, Digits(significant=17))),
)
TAYLOR: Final = documents.record(
    schema=documents.const("taylor/1"),
    label=documents.LABEL.of("series.label"),
    expression=documents.STRING.of("series.expression"),
    at=documents.NUMBERS.of("series.at"),
    along=documents.NUMBERS.of("series.along"),
    order=documents.WHOLE.of("series.order"),
    variable=documents.STRING.of("series.variable"),
    centre=documents.NUMBER.or_null.of("series.centre"),
    outputs=_OUTPUT.array.of(lambda x: [_SeriesOutput(x.series, output, x.exact) for output in x.series.outputs]),
    notes=documents.NOTES.of("series.notes"),
)


def lines(series: TaylorSeries, number: int, exact: bool = False) -> list[dict[str, object]]:
    """Return one row of a sheet for each coefficient of the problem with this number; with `exact` a column for
    fractions.
    """
    return [
        {"problem": number, "label": series.label or "", "output": output.name, "order": k}
        | {"coefficient": Bare(c), "derivative": Bare(d)}
        | ({"exact": "" if f is None else Bare(f)} if exact else {})
        for output in series.outputs
        for k, (c, d, f) in enumerate(zip(output.coefficients, output.derivatives, output.fractions, strict=True))
    ]
