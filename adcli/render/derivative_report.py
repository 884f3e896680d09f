"""Derivatives as text, LaTeX, tables and plain data (schema `diff/1`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..documents import NUMBER, NUMBERS, STRING, const, record
from ..notation import table_formulas
from ..notation.display_formula import Formula
from ..notation.number_text import Digits
from ..notation.table_formulas import equals, joined, named
from ..records import NamedTuple
from ..trace.derivative_formulas import Derivative, Derivatives
from ..trace.symbolic_sweeps import Sweep
from .data import Bare
from .document_parts import Runs, Table
from .trace_tables import number, titled

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


_DERIVATIVE: Final = record(
    output=STRING,
    wrt=STRING.array,
    expression=STRING.of(lambda derivative: derivative.statements.text()),
    latex=STRING.of(lambda derivative: derivative.statements.latex()),
    value=NUMBER.or_null.known(),
)
_SWEEP: Final = record(
    output=STRING,
    wrt=STRING.array,
    nodes=record(name=STRING.of(0), formula=STRING.of(1)).array.of("rows"),
    steps=record(target=STRING.of(0), source=STRING.or_null.of(1), chain=STRING.of(2), symbolic=STRING.of(3)).array,
)
DIFF: Final = record(
    schema=const("diff/1"),
    label=STRING.known("derivatives.label"),
    expression=STRING.of("derivatives.expression"),
    at=NUMBERS.known("derivatives.at"),
    derivatives=_DERIVATIVE.array.of("derivatives.found"),
    sweeps=_SWEEP.array.known(lambda done: done.sweeps or None),
)


class Differentiated(NamedTuple):
    """Derivatives, and the sweeps that led to them, as far as they were asked for."""

    derivatives: Derivatives
    sweeps: Sequence[Sweep] = ()


def lines(found: Derivatives, number: int) -> list[dict[str, object]]:
    """The derivatives for a sheet, a line each."""
    return [
        {"problem": number, "label": found.label or "", "output": derivative.output, "wrt": " ".join(derivative.wrt)}
        | {"expression": derivative.statements.text(), "latex": derivative.statements.latex()}
        | ({"value": Bare(derivative.value)} if found.at is not None else {})
        for derivative in found.found
    ]


def _runs(wrt: Sequence[str]) -> list[tuple[str, int]]:
    """Names with how often each follows itself."""
    runs: list[tuple[str, int]] = []
    for name in wrt:
        if runs and runs[-1][0] == name:
            runs[-1] = (name, runs[-1][1] + 1)
        else:
            runs.append((name, 1))
    return runs


def quotient(derivative: Derivative, ascii_only: bool = False) -> Formula:
    """The derivative as it is written: `dy/dx`, `∂y/∂x1`, `∂²f/∂x∂y`; in ASCII `d^2y/dx^2`."""
    sign = "d" if derivative.inputs == 1 else "∂"
    order, runs = len(derivative.wrt), _runs(derivative.wrt)
    below = "".join(f"{sign}{name}{_power(count, ascii_only)}" for name, count in runs)
    text = f"{sign}{_power(order, ascii_only)}{derivative.shown}/{below}"
    return table_formulas.quotient(text, sign, order, derivative.shown, runs)


def _power(count: int, ascii_only: bool) -> str:
    if count == 1:
        return ""
    return f"^{count}" if ascii_only else str(count).translate(_RAISED)


def formulas(found: Derivatives) -> list[Formula]:
    """One formula for each derivative, its named steps before it."""
    lines: list[Formula] = []
    for derivative in found.found:
        *steps, (_, result) = derivative.statements.formulas()
        lines += [joined(named(name or ""), " = ", formula) for name, formula in steps]
        lines.append(joined(quotient(derivative), " = ", result))
    return lines


def heading(found: Derivatives) -> Runs:
    """`label: expression`."""
    return titled(found.label, found.expression, found.graph, None, Digits())


def table(found: Derivatives, digits: Digits, ascii_only: bool = False) -> Table:
    """A row for each derivative, after those of its named steps; with a point a column for the values."""
    rows: list[tuple[str, ...]] = []
    rules: list[int] = []
    for derivative in found.found:
        *steps, (_, result) = derivative.statements.formulas()
        if rows and (steps or rules):
            rules.append(len(rows))
        blank = ("",) if found.at is not None else ()
        rows += [(named(name or ""), equals(formula), *blank) for name, formula in steps]
        value = (equals(number(derivative.value, digits)),) if derivative.value is not None else ()
        rows.append((quotient(derivative, ascii_only), equals(result), *value))
        if steps and not rules:
            rules.append(len(rows))
    return Table(rows, rules=tuple(rule for rule in dict.fromkeys(rules) if rule < len(rows)))


def sweep_table(sweep: Sweep) -> Table:
    """The operations of a function, and below them the sweep that differentiates it, in the order of its steps."""
    rows: list[tuple[str, ...]] = [(named(name), equals(formula), "") for name, formula in sweep.rows]
    rule = len(rows)
    for target, _, chain, symbolic in sweep.steps:
        rows.append((target, equals(chain), equals(symbolic) if symbolic != chain else ""))
    return Table(rows, rules=(rule,) if 0 < rule < len(rows) else (), title=sweep.title)
