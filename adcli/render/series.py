"""Taylor series as text, LaTeX, tables and plain data."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from ..notation.latex import latex_name
from ..notation.numbers import MINUS, Digits
from ..trace.schema import plain_number
from ..trace.taylor import TaylorOutput, TaylorSeries
from .cells import Table, visible
from .data import Bare
from .layout import number

Coefficient = float | Fraction  # numbers of other arithmetics among those that count as float

SHORT = 10**6  # fractions with a larger part are shown as decimals


def _is_short(x: Fraction, longest: int | None) -> bool:
    return longest is None or max(abs(x.numerator), x.denominator) <= longest


class _Style:
    """How powers, products and fractions are written: for people, in the language itself, in LaTeX."""

    def __init__(self, kind: str, digits: Digits | None, longest: int | None) -> None:
        self.kind = kind
        self.digits = digits
        self.longest = longest

    def decimal(self, x: Coefficient) -> str:
        """A positive number."""
        if isinstance(x, Fraction) and self.digits is None:
            return f"{x.numerator}/{x.denominator}"
        if isinstance(x, float | Fraction | int):
            text = self.digits.show(float(x)) if self.digits is not None else repr(float(x)).removesuffix(".0")
        else:
            text = str(x).removesuffix(".0")
        mantissa, e, power = text.partition("e")
        return f"{mantissa} \\cdot 10^{{{int(power)}}}" if e and self.kind == "latex" else text

    def base(self, variable: str, centre: float, k: int) -> str:
        """`(x − 2)^3`."""
        latex = self.kind == "latex"
        name = latex_name(variable) if latex else variable
        if centre:
            sign = "+" if centre < 0 else {"table": MINUS}.get(self.kind, "-")
            inner = f"{name} {sign} {self.decimal(abs(centre))}"
            name = f"\\left({inner}\\right)" if latex else f"({inner})"
        if k == 1:
            return name
        return f"{name}^{{{k}}}" if latex else f"{name}^{k}"

    def term(self, c: Coefficient, power: str) -> str:
        """A term without its sign: coefficient `c` is positive; `power` is empty for the constant term."""
        if isinstance(c, Fraction) and _is_short(c, self.longest):
            top, bottom = c.numerator, c.denominator
            factor = {"table": " ", "text": "*", "latex": " "}[self.kind]
            over = (f"{top}{factor}{power}" if top != 1 else power) if power else str(top)
            if bottom == 1:
                return over
            return f"\\frac{{{over}}}{{{bottom}}}" if self.kind == "latex" else f"{over}/{bottom}"
        text = self.decimal(c)
        if not power:
            return text
        if text == "1":
            return power
        factor = {"table": " ", "text": "*", "latex": "\\, "}[self.kind]
        return f"{text}{factor}{power}"


def _polynomial(series: TaylorSeries, coefficients: Sequence[Coefficient], style: _Style) -> str:
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


def _shown(output: TaylorOutput) -> Sequence[Coefficient]:
    """The coefficients as people see them: fractions where they are known to be."""
    return [c if f is None else f for c, f in zip(output.coefficients, output.fractions, strict=True)]


def polynomial(
    series: TaylorSeries, output: TaylorOutput, digits: Digits, longest: int | None = SHORT
) -> str:  # fmt: skip
    """`y = 1 + x − x^3/3 + O(x^4)`."""
    style = _Style("table", digits, longest)
    rest = style.base(series.variable, series.centre, series.order + 1)
    text = f"{output.shown} = {_polynomial(series, _shown(output), style)}"
    return text if _is_convention(series) else f"{text} + O({rest})"


def latex(
    series: TaylorSeries, output: TaylorOutput, digits: Digits, longest: int | None = SHORT
) -> str:  # fmt: skip
    """The same in LaTeX."""
    style = _Style("latex", digits, longest)
    rest = style.base(series.variable, series.centre, series.order + 1)
    text = _polynomial(series, _shown(output), style)
    text = f"{latex_name(output.shown)} = {text}"
    return text if _is_convention(series) else f"{text} + O\\!\\left({rest}\\right)"


def _is_convention(series: TaylorSeries) -> bool:
    """Whether there is a corner, so that the polynomial is a convention and bounds no remainder."""
    return any(note.kind == "kink" for note in series.notes)


def language(series: TaylorSeries, output: TaylorOutput) -> str:
    """The polynomial in the language itself, with full precision: `eval` reads it."""
    return _polynomial(series, _shown(output), _Style("text", None, None))


def heading(series: TaylorSeries, digits: Digits) -> str:
    """`label: expression at x = 2 along …`."""
    point = ", ".join(f"{name} = {number(x, digits)}" for name, x in series.at.items())
    moves = ", ".join(f"{name} = {number(x, digits)}" for name, x in series.along.items())
    label = f"{visible(series.label)}: " if series.label else ""
    along = f"   along {moves}" if series.variable not in series.at else ""
    return f"{label}{visible(series.expression)}" + (f"   at {point}" if point else "") + along


def table(
    series: TaylorSeries, output: TaylorOutput, digits: Digits, longest: int | None = SHORT
) -> Table:  # fmt: skip
    """One row for each order: the coefficient and the derivative that it stands for."""
    variable = series.variable
    of = visible(output.shown)
    show = _number(digits, longest)
    rows: list[tuple[str, ...]] = [
        (str(k), show(c), show(d))
        for k, (c, d) in enumerate(zip(_shown(output), _factored(output), strict=True))
    ]  # fmt: skip
    return Table(rows, ("k", "coefficient", f"d^k {of}/d{variable}^k"), right=(0,))


def _factored(output: TaylorOutput) -> Sequence[Coefficient]:
    """The derivatives, as fractions where they are known to be."""
    return [
        d if f is None else f * math.factorial(k)
        for k, (d, f) in enumerate(zip(output.derivatives, output.fractions, strict=True))
    ]


def _number(digits: Digits, longest: int | None) -> Callable[[Coefficient], str]:
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


def as_dict(series: TaylorSeries, exact: bool = False) -> dict[str, object]:
    """The series in the schema `taylor/1`; numbers of many digits are strings."""
    return {
        "schema": "taylor/1",
        "label": series.label,
        "expression": series.expression,
        "at": {name: plain_number(x) for name, x in series.at.items()},
        "along": {name: plain_number(x) for name, x in series.along.items()},
        "order": series.order,
        "variable": series.variable,
        "centre": plain_number(series.centre),
        "outputs": [_output(series, output, exact) for output in series.outputs],
        "notes": [{"node": note.node, "kind": note.kind, "text": note.text} for note in series.notes],
    }


def _output(series: TaylorSeries, output: TaylorOutput, exact: bool) -> dict[str, object]:
    data: dict[str, object] = {
        "name": output.name,
        "coefficients": [_plain(c) for c in output.coefficients],
        "derivatives": [_plain(c) for c in output.derivatives],
    }
    if exact:
        data["exact"] = [None if f is None else str(f) for f in output.fractions]
    data["polynomial"] = language(series, output)
    data["latex"] = latex(series, output, Digits(significant=17))
    return data


def _plain(x: object) -> object:
    return plain_number(x) if isinstance(x, float) else str(x)


def lines(series: TaylorSeries, number: int, exact: bool = False) -> list[dict[str, object]]:
    """The series for a sheet: a line for each coefficient."""
    return [
        {"problem": number, "label": series.label or "", "output": output.name, "order": k}
        | {"coefficient": Bare(c), "derivative": Bare(d)}
        | ({"exact": "" if f is None else Bare(f)} if exact else {})
        for output in series.outputs
        for k, (c, d, f) in enumerate(zip(output.coefficients, output.derivatives, output.fractions, strict=True))
    ]
