"""Report of derivatives as text, LaTeX, tables and plain data (schema `diff/1`)."""

from __future__ import annotations

from collections.abc import Sequence

from ..documents import ENTRIES, STRING, const, record
from ..notation import table_formulas
from ..notation.display_formula import Formula
from ..notation.number_text import Digits
from ..notation.table_formulas import equals, join, join_with_commas, numeral, write_name
from ..records import NamedTuple
from ..trace.derivative_formulas import Derivative, Derivatives
from ..trace.rows import SymbolicSweep
from ..typings import Final
from .document_parts import Formulas, Heading, Paragraph, Part, Runs, Suited, Table
from .trace_tables import number, problem_heading, write_derivative

_MOST_OF_A_MATRIX = 6  # rows and columns
_WIDEST = 90  # letters of the widest entries of a matrix together
_RELATIONS = {"<=": "≤", ">=": "≥", "!=": "≠"}


_DERIVATIVE: Final = record(
    output=STRING,
    wrt=STRING.array,
    expression=STRING.of(lambda derivative: derivative.statements.text()),
    latex=STRING.of(lambda derivative: derivative.statements.latex()),
    value=ENTRIES.or_null.known(),
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
    at=ENTRIES.by_name.known("derivatives.at"),
    assume=STRING.array.known(lambda done: done.derivatives.assumptions.conditions or None),
    integer=STRING.array.known(lambda done: done.derivatives.assumptions.whole or None),
    derivatives=_DERIVATIVE.array.of("derivatives.derivatives"),
    sweeps=_SWEEP.array.known(lambda done: done.sweeps or None),
)


class Differentiated(NamedTuple):
    """Derivatives, and the sweeps that led to them if they were requested (else empty)."""

    derivatives: Derivatives
    sweeps: Sequence[SymbolicSweep] = ()


def lines(derivatives: Derivatives, number: int) -> list[dict[str, object]]:
    """Return the derivatives as rows of a sheet (column → value), one for each; `number` is the problem's number.

    Columns: problem, label (empty without one), output, wrt (inputs separated by blanks, repeated for higher orders),
    expression and latex (with named steps). If there is a point, a column `value` follows.
    """
    return [
        {
            "problem": number, "label": derivatives.label or "", "output": derivative.output,
            "wrt": " ".join(derivative.wrt), "expression": derivative.statements.text(),
            "latex": derivative.statements.latex(),
            **({"value": derivative.value} if derivatives.at is not None else {}),
        }
        for derivative in derivatives.derivatives
    ]  # fmt: skip


def _symbol(derivative: Derivative, ascii_only: bool = False) -> Formula:
    """Return the symbol of a derivative, `∂y/∂x`; with `ascii_only` orders are written `^2`."""
    return write_derivative(derivative.shown, derivative.wrt, derivative.inputs, ascii_only)


def formulas(derivatives: Derivatives) -> list[Formula]:
    """Return one equation for each derivative, `∂y/∂x = …`, each after the equations of its named steps."""
    lines: list[Formula] = []
    for derivative, (steps, result) in zip(derivatives.derivatives, derivatives.statements().groups(), strict=True):
        lines += [join(write_name(name), " = ", formula) for name, formula in steps]
        lines.append(join(_symbol(derivative), " = ", result))
    return lines


class Jacobian(NamedTuple):
    """First derivatives as a matrix: names of outputs and of inputs, and a row of formulas for each output."""

    outputs: list[str]
    inputs: list[str]
    rows: list[list[Formula]]

    def formula(self) -> Formula:
        """Return the matrix as one equation: ∂(y1, y2)/∂(x1, x2) and the matrix of formulas."""
        return table_formulas.jacobian(self.outputs, self.inputs, self.rows)

    def table(self) -> Table:
        """Return the matrix as a table: a column for each input, a row for each output with its name first, and the
        title `∂(y1, y2)/∂(x1, x2)`.
        """
        title = f"∂({', '.join(self.outputs)})/∂({', '.join(self.inputs)})"
        rows = [(write_name(name), *row) for name, row in zip(self.outputs, self.rows, strict=True)]
        return Table(rows, ("", *map(write_name, self.inputs)), title=title)


def jacobians(derivatives: Derivatives) -> list[Jacobian]:
    """Return the first derivatives as one matrix (outputs, inputs, rows of formulas by output), in a list, if there are
    two to six outputs and inputs each; else [].

    Return [] as well if any derivative is of higher order, if an output lacks the derivative with respect to an input,
    or if the widest entries of the columns have more than 90 characters together.
    """
    outputs = list(dict.fromkeys(derivative.shown for derivative in derivatives.derivatives))
    names = list(dict.fromkeys(derivative.wrt for derivative in derivatives.derivatives))
    sizes, first = range(2, _MOST_OF_A_MATRIX + 1), all(len(name) == 1 for name in names)
    complete = len(derivatives.derivatives) == len(outputs) * len(names)
    if not first or not complete or len(outputs) not in sizes or len(names) not in sizes:
        return []
    entries = [formula for _, formula in derivatives.statements().groups()]
    rows = [entries[start : start + len(names)] for start in range(0, len(entries), len(names))]
    if sum(max(map(len, column)) for column in zip(*rows, strict=True)) > _WIDEST:
        return []
    return [Jacobian(outputs, [name for (name,) in names], rows)]


def assumption_line(derivatives: Derivatives) -> list[Runs]:
    """Return the assumptions about inputs as one line, `for a > 0, b ≠ 1 and whole n`, in a list; [] if there are none.

    Conditions come first, separated by commas, then the names of whole numbers.
    """
    names = [write_name(name) for name in derivatives.assumptions.whole]
    texts = (text.split(" ", 2) for text in derivatives.assumptions.conditions)
    conditions = [join(write_name(x), f" {_RELATIONS.get(sign, sign)} ", numeral(number)) for x, sign, number in texts]
    parts = [join_with_commas(conditions)] * bool(conditions) + [Runs("whole ", join_with_commas(names))] * bool(names)
    return [Runs("for ", *[text for part in parts for text in (" and ", part)][1:])] if parts else []


def parts(
    result: Differentiated, digits: Digits, displays: bool, whole: bool, ascii_only: bool, named: bool
) -> list[Part]:
    """Return the parts of one result: heading, assumptions, symbolic sweeps, and a table of formulas with their values.

    The heading, `label: expression`, is there if the problem is `named` or has a label. With `displays` (for a format
    that displays formulas) formulas without values are shown instead of the table, and the heading only in a `whole`
    document; the other parts stay. First derivatives of two to six outputs with respect to two to six inputs, if all
    are there and not too wide, are shown as a Jacobian matrix too. With `ascii_only` orders are written `^2`, except in
    a `whole` document.
    """
    derivatives = result.derivatives
    matrices = jacobians(derivatives)
    swept: list[Part] = [*map(Paragraph, assumption_line(derivatives)), *map(sweep_table, result.sweeps)]
    head = problem_heading(derivatives.label, derivatives.expression, derivatives.graph, None, Digits())
    top = [Heading(head)] if (derivatives.label or named) and (whole or not displays) else []
    if displays:
        return [*top, *swept, Formulas([*formulas(derivatives), *(matrix.formula() for matrix in matrices)])]
    shown = [Suited([matrix.table()], [Paragraph(matrix.formula())]) for matrix in matrices]
    return [*top, *swept, table(derivatives, digits, ascii_only and not whole), *shown]


def table(derivatives: Derivatives, digits: Digits, ascii_only: bool = False) -> Table:
    """Return one row (symbol, `= formula`) for each derivative, after the rows (name, `= formula`) of the named steps
    that only it needs. Steps that several derivatives need are above the first.

    With a point there is a third column, `= value`, empty for steps. There is neither header nor title. If there are
    several derivatives, rules are drawn above and below named steps. With `ascii_only` orders in symbols are written
    `^2`. `digits` is how values are shown.
    """
    rows: list[tuple[str, ...]] = []
    rules: list[int] = []
    for derivative, (steps, result) in zip(derivatives.derivatives, derivatives.statements().groups(), strict=True):
        blank = ("",) if derivatives.at is not None else ()
        rules.append(len(rows))
        rows += [(write_name(name), equals(formula), *blank) for name, formula in steps]
        rules = [*rules, len(rows)] if steps else rules[:-1]
        value = (equals(number(derivative.value, digits)),) if derivative.value is not None else ()
        rows.append((_symbol(derivative, ascii_only), equals(result), *value))
    return Table(rows, rules=tuple(rule for rule in rules if rule) if len(derivatives.derivatives) > 1 else ())


def sweep_table(sweep: SymbolicSweep) -> Table:
    """Return the table of the operations of a function (name, `= formula`, empty), and below a rule the steps of the
    sweep that differentiates it, without a header.

    A step is (target, `= chain rule`, `= formula`); the last is empty if both texts are the same. The title is the
    sweep's. There is no rule if operations or steps are missing.
    """
    rows: list[tuple[str, ...]] = [(write_name(name), equals(formula), "") for name, formula in sweep.rows]
    rule = len(rows)
    for target, _, chain, symbolic in sweep.steps:
        rows.append((target, equals(chain), equals(symbolic) if symbolic != chain else ""))
    return Table(rows, rules=(rule,) if 0 < rule < len(rows) else (), title=sweep.title)
