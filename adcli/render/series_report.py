"""Report of Taylor series as text, LaTeX, tables and plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from .. import documents
from ..errors import visible
from ..notation import formula_pieces as fp
from ..notation.display_formula import Formula
from ..notation.formula_pieces import Fraction as Quotient
from ..notation.latex_printer import LATEX
from ..notation.mathematics import multiply, number_piece
from ..notation.number_text import MINUS, Digits
from ..notation.table_formulas import attach_piece, join, join_with_commas, numeral, quotient, write_name
from ..records import NamedTuple
from ..trace.taylor_series import TaylorOutput, TaylorSeries
from ..typings import Final
from .document_parts import Formulas, Heading, Paragraph, Part, Runs, Table
from .trace_tables import number, problem_heading

Coefficient = float | Fraction  # float includes numbers of other arithmetics

SHORT = 10**6  # fractions with a larger numerator or denominator are shown as decimals


def _is_short(x: Fraction, longest: int | None) -> bool:
    """Return whether numerator and denominator are at most `longest` (None: no limit), so that the fraction is shown as
    one.
    """
    return longest is None or max(abs(x.numerator), x.denominator) <= longest


class _Style:
    """A writer of powers, products and fractions of a series.

    With `digits` it writes as tables do: decimals in these digits, products without `*`, `−` as minus sign. Without
    digits (None) it writes in the input language, with full precision. Fractions with a numerator or denominator above
    `longest` (None: no limit) become decimals.
    """

    def __init__(self, digits: Digits | None, longest: int | None) -> None:
        self.digits = digits
        self.longest = longest
        self.times, self.minus = ("*", "-") if digits is None else (" ", MINUS)

    def decimal(self, x: Coefficient) -> str:
        """Return a positive number as a decimal."""
        if not isinstance(x, float | Fraction | int):
            return str(x).removesuffix(".0")
        return repr(float(x)).removesuffix(".0") if self.digits is None else self.digits.show(float(x))

    def power(self, variable: str, centre: float, k: int) -> Formula | None:
        """Return the power `k` of `variable` minus `centre` as a formula: `(x − 2)^3`, `(x + 2)^3` for the centre −2,
        `x^3` for the centre 0; without exponent for k = 1, None for k = 0.
        """
        if not k:
            return None
        text = variable
        base: fp.Piece = fp.NamePiece(variable)
        if centre:
            sign, distance = "+" if centre < 0 else self.minus, self.decimal(abs(centre))
            text = f"({variable} {sign} {distance})"
            base = fp.Fence("(", fp.Joined((base, fp.Sign(sign), number_piece(distance))), ")")
        raised = attach_piece(f"{text}^{k}", fp.Power(base, fp.NumberPiece(str(k))))
        return attach_piece(text, base) if k == 1 else raised

    def term(self, c: Coefficient, power: Formula | None) -> Formula:
        """Return a term without its sign: `x^3/6`; coefficient `c` is positive, `power` is None for the constant term.

        A coefficient that is not a Fraction, or whose parts exceed `longest`, is written as a decimal before the power.
        1 is not written before a power. Raises OverflowError for a Fraction that exceeds `longest` and doubles.
        """
        if not isinstance(c, Fraction) or not _is_short(c, self.longest):
            text = self.decimal(c)
            return self._product(attach_piece(text, number_piece(text)), power)
        above, below = str(c.numerator), fp.NumberPiece(str(c.denominator))
        over = self._product(attach_piece(above, fp.NumberPiece(above)), power)
        return over if c.denominator == 1 else attach_piece(f"{over}/{c.denominator}", Quotient(over.piece, below))

    def _product(self, factor: Formula, power: Formula | None) -> Formula:
        """Return `factor` times `power`; the power alone if the factor is 1, the factor alone if `power` is None."""
        if power is None:
            return factor
        if factor == "1":
            return power
        return attach_piece(f"{factor}{self.times}{power}", multiply(factor.piece, power.piece))

    def polynomial(self, series: TaylorSeries, output: TaylorOutput) -> Formula:
        """Return the sum of the nonzero terms of an output, in ascending order of powers; `0` without such terms.

        The sign of a negative first term has no blank behind it; signs between terms have blanks around them. Exact
        coefficients are used where they are known. The result has neither the output's name nor a remainder.
        """
        total: Formula | None = None
        for k, c in enumerate(_exact_coefficients(output)):
            if not c:
                continue
            sign = self.minus if c < 0 else "+"
            term = self.term(c if c > 0 else -c, self.power(series.variable, series.centre, k))
            if total is not None:
                total = attach_piece(f"{total} {sign} {term}", fp.Joined((total.piece, fp.Sign(sign), term.piece)))
            else:
                total = attach_piece(f"{sign}{term}", fp.Joined((fp.MINUS_SIGN, term.piece))) if c < 0 else term
        return total or numeral("0")


def _exact_coefficients(output: TaylorOutput) -> Sequence[Coefficient]:
    """Return the coefficients in ascending order, each as a Fraction if it is known exactly, else as the computed
    number.
    """
    return [c if f is None else f for c, f in zip(output.coefficients, output.fractions, strict=True)]


def polynomial(
    series: TaylorSeries, output: TaylorOutput, digits: Digits, longest: int | None = SHORT
) -> Formula:  # fmt: skip
    """Return `y = 1 + x − x^3/3 + O(x^4)`; without the remainder term if the expansion is at a kink.

    The remainder has the order after the last one. Exact coefficients whose numerator or denominator exceeds `longest`
    are shown as decimals (None: never). The coefficients are those of `output`, shown with `digits`.
    """
    style = _Style(digits, longest)
    total = style.polynomial(series, output)
    is_convention = any(note.kind == "kink" for note in series.notes)  # no remainder is bounded then
    rest = None if is_convention else style.power(series.variable, series.centre, series.order + 1)
    if rest is not None:
        inside = rest.piece.inside if isinstance(rest.piece, fp.Fence) else rest.piece
        order = fp.Application("O", "O", (inside,))
        total = attach_piece(f"{total} + O({rest})", fp.Joined((total.piece, fp.Sign("+"), order)))
    return attach_piece(f"{output.shown} = {total}", fp.Joined((fp.NamePiece(output.shown), fp.EQUALS, total.piece)))


def latex(series: TaylorSeries, output: TaylorOutput, digits: Digits) -> str:
    r"""Return the polynomial of one output as an equation in LaTeX, without dollars: `y = x - \frac{x^3}{6} +
    O(x^4)`.
    """
    return LATEX.printed(polynomial(series, output, digits).piece)


def language(series: TaylorSeries, output: TaylorOutput) -> str:
    """Return the polynomial in the language with full precision, so that `eval` can read it."""
    return str(_Style(None, None).polynomial(series, output))


def heading(series: TaylorSeries, digits: Digits) -> Runs:
    """Return `label: expression   at x = 2`, with `along …` if the series is in a direction."""
    head = problem_heading(series.label, series.expression, series.graph, series.at, digits)
    moves = join_with_commas([join(write_name(name), " = ", number(x, digits)) for name, x in series.along.items()])
    return Runs(*head.runs, "   along ", moves) if series.variable not in series.at else head


def table(
    series: TaylorSeries, output: TaylorOutput, digits: Digits, longest: int | None = SHORT
) -> Table:  # fmt: skip
    """Return the table with one row (k, coefficient, derivative) for each order from 0, with a header and no title.

    An exact number is shown as a decimal if its numerator or denominator is larger than `longest` (None: never).
    `digits` is how decimals are shown.
    """
    variable = series.variable
    of = visible(output.shown)
    rows: list[tuple[str, ...]] = [
        (numeral(str(k)), *(_write_exact(x, digits, longest) for x in (c, d)))
        for k, (c, d) in enumerate(zip(_exact_coefficients(output), _exact_derivatives(output), strict=True))
    ]  # fmt: skip
    order = quotient(f"d^k {of}/d{variable}^k", "d", "k", of, ((variable, "k"),))
    return Table(rows, (write_name("k"), "coefficient", order), right=(0,))


def _exact_derivatives(output: TaylorOutput) -> Sequence[Coefficient]:
    """Return the derivatives of orders 0, 1, …, each as a Fraction (k! times the exact coefficient) if that is known,
    else as the computed number.
    """
    pairs = enumerate(zip(output.derivatives, output.fractions, strict=True))
    return [d if f is None else f * math.factorial(k) for k, (d, f) in pairs]


def _write_exact(x: Coefficient, digits: Digits, longest: int | None) -> Formula:
    """Return a coefficient or derivative as a Formula, with the minus sign `−`.

    A Fraction whose numerator and denominator are at most `longest` (None: any) is written `a/b`. Another one, and a
    float, is written in `digits`, as infinity if it is too large for a double. Numbers of other arithmetics are their
    own text, without a final `.0`.
    """
    if isinstance(x, Fraction):
        if _is_short(x, longest):
            return numeral(str(x).replace("-", MINUS))
        x = _as_float(x)
    return number(x, digits) if isinstance(x, float) else numeral(str(x).removesuffix(".0").replace("-", MINUS, 1))


def _as_float(x: Coefficient) -> float:
    """Return the number as a float; infinity with its sign if it is too large for a double."""
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def parts(
    series: TaylorSeries, digits: Digits, named: bool = False, *, displays: bool = False, has_tables: bool = True,
    longest: int | None = SHORT,
) -> list[Part]:  # fmt: skip
    """Return the parts of a series: a heading, and for each output the polynomial and (if `has_tables`) its
    coefficients.

    The heading is there if the problem is `named` or has a label. With `displays` (for a format that displays formulas)
    the polynomials are the only part. Exact numbers with a numerator or denominator above `longest` are decimals (None:
    never).
    """
    polynomials = [polynomial(series, output, digits, longest) for output in series.outputs]
    if displays:
        return [Formulas(polynomials)]
    shown: list[Part] = [Heading(heading(series, digits))] if series.label or named else []
    for output, formula in zip(series.outputs, polynomials, strict=True):
        shown += [Paragraph(formula), *[table(series, output, digits, longest)] * has_tables]
    return shown


class SeriesDocument(NamedTuple):
    """A series as a document; with `exact` the coefficients that are fractions are listed too."""

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
    """Return rows of a sheet, one for each output and order.

    Columns: problem (`number`), label, output, order, coefficient, derivative. With `exact` there is one more column
    `exact`, the coefficient as a fraction; it is empty if the fraction is not known.
    """
    return [
        {
            "problem": number, "label": series.label or "", "output": output.name, "order": k, "coefficient": c,
            "derivative": d, **({"exact": f} if exact else {}),
        }
        for output in series.outputs
        for k, (c, d, f) in enumerate(zip(output.coefficients, output.derivatives, output.fractions, strict=True))
    ]  # fmt: skip
