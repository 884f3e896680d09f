"""Report of gradients with respect to vectors and matrices: tables, formulas, and plain data (schema `diff/1`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..arrays import array_formulas
from ..arrays.array_documents import group_entries, nested_numbers
from ..arrays.array_program import ArrayProgram
from ..arrays.formula_trees import ArrayName
from ..arrays.gradient_formulas import ArrayGradient, gradients
from ..arrays.lowering import transpose_entries
from ..arrays.shapes import Shape, format_shape, places, transpose_shape
from ..arrays.sweeps import array_trace
from ..notation.display_formula import Formula
from ..notation.latex_printer import LATEX
from ..notation.number_text import Digits
from ..notation.table_formulas import equals, join, write_partial
from ..records import NamedTuple
from ..trace.derivative_formulas import notes_without_value
from ..trace.trace_model import Note, Request
from ..trace.trace_program import program_line, reading_notes
from .document_parts import Formulas, Heading, Part, Table
from .trace_tables import heading_at


class ArrayDerivatives(NamedTuple):
    """The gradients of a program of arrays.

    label      the label of the problem, or None
    expression its text, which documents typeset
    gradients  one for each output and input, output by output
    shapes     {input: its shape, which is that of its gradients}
    values     {(output, input): numbers, row by row}; empty without a point
    at         the point, with nested lists for arrays; None without one
    """

    label: str | None
    expression: Formula
    gradients: list[ArrayGradient]
    shapes: dict[str, Shape]
    values: dict[tuple[str, str], list[float]]
    at: dict[str, object] | None
    notes: list[Note]


def differentiate(
    program: ArrayProgram, names: Sequence[str], point: Mapping[str, float], label: str | None, numerator: bool
) -> ArrayDerivatives:
    """Return the gradients of `program` with respect to the inputs `names`, all of them if it is empty.

    If `point` is not empty, the result has the values of the gradients, and the notes of the trace there. Otherwise the
    notes are on how the text was read and on outputs without a value. With `numerator` gradients, their shapes and
    their values are transposed. Raises NameProblem for an entry without a value at the point, DomainProblem if there is
    no value there, RequestError if `gradients` does.
    """
    slopes = gradients(program, names, numerator)
    values: dict[tuple[str, str], list[float]] = {}
    if point:
        trace = array_trace(program, point, Request("reverse", steps=False), None)
        at, notes = group_entries(trace, trace.trace.at), trace.trace.notes
        for output in trace.trace.outputs:
            for name, (shape, entries) in trace.group_by_input(output.gradient or {}).items():
                values[output.name, name] = transpose_entries(entries, shape) if numerator else entries
    else:
        at, notes = None, [*reading_notes(program.program), *notes_without_value(program.program.graph)]
    shapes = {name: block.shape for name, block in program.inputs.items()}
    shapes = {name: transpose_shape(shape) for name, shape in shapes.items()} if numerator else shapes
    typed = array_formulas.program_formula(program_line(program.program), program.blocks)
    return ArrayDerivatives(label, typed, slopes, shapes, values, at, notes)


def parts(derivatives: ArrayDerivatives, digits: Digits, displays: bool, named: bool) -> list[Part]:
    """Return the parts of the gradients of a problem with arrays: a heading and a table.

    The heading, `label: expression`, is there if the problem is `named` or has a label. With `displays` (for a format
    that displays formulas) their equations are the only part: those `name = formula` of the steps of each gradient, and
    then that of the gradient itself, `∂y/∂x = formula`.
    """
    if displays:
        symbols = [(_symbol(gradient, derivatives.shapes), gradient) for gradient in derivatives.gradients]
        sides = [pair for symbol, gradient in symbols for pair in (*gradient.steps, (symbol, gradient.result))]
        return [Formulas([join(left, " = ", right) for left, right in sides])]
    head = Heading(heading_at(derivatives.label, derivatives.expression, ()))
    return [*[head] * bool(derivatives.label or named), table(derivatives, digits)]


def _symbol(gradient: ArrayGradient, shapes: Mapping[str, Shape]) -> Formula:
    """Return the symbol of a gradient, ∂y/∂x, with an array's name in the type of arrays. `shapes` are those of the
    inputs.
    """
    return write_partial(
        gradient.shown, array_formulas.label(ArrayName(gradient.wrt, is_array=bool(shapes[gradient.wrt])))
    )


def table(derivatives: ArrayDerivatives, digits: Digits) -> Table:
    """Return a table without header and title, with a row (symbol, `= formula`, shape) for each gradient.

    If there is a point, `= value` is a fourth cell. Above the row of a gradient are rows (name, `= formula`) of its
    steps, without those that an earlier gradient has shown. `digits` is how values are shown.
    """
    rows: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for gradient in derivatives.gradients:
        for left, right in gradient.steps:
            if left not in seen:
                rows.append((left, equals(right)))
                seen.add(left)
        shape = derivatives.shapes[gradient.wrt]
        entries = derivatives.values.get((gradient.output, gradient.wrt))
        shown = () if entries is None else (equals(array_formulas.value(entries, shape, digits)),)
        symbol, size = _symbol(gradient, derivatives.shapes), format_shape(shape)
        rows.append((symbol, equals(gradient.result), size, *shown))
    return Table(rows)


def data(derivatives: ArrayDerivatives) -> dict[str, object]:
    """Return the gradients in the schema `diff/1`: schema, label, expression, at, derivatives (one mapping for each
    gradient).

    Values of arrays are nested lists. `at` is {input: number or nested list}. `label` and `at` are left out if they are
    None, values without a point. Notes are not included.
    """
    result: dict[str, object] = {"schema": "diff/1"}
    if derivatives.label is not None:
        result["label"] = derivatives.label
    result["expression"] = str(derivatives.expression)
    if derivatives.at is not None:
        result["at"] = derivatives.at
    return result | {"derivatives": [_derivative(derivatives, gradient) for gradient in derivatives.gradients]}


def _derivative(derivatives: ArrayDerivatives, gradient: ArrayGradient) -> dict[str, object]:
    """Return one gradient as plain data: output, wrt (a list of one), expression, latex, and value if there is a point.

    `expression` and `latex` have the steps and the result, joined by `;` in `latex`. `value` is nested lists.
    """
    latex = [LATEX.printed(join(left, " = ", right).piece) for left, right in gradient.steps]
    part: dict[str, object] = {
        "output": gradient.output, "wrt": [gradient.wrt], "expression": gradient.text,
        "latex": " ;\\; ".join([*latex, LATEX.printed(gradient.result.piece)]),
    }  # fmt: skip
    entries = derivatives.values.get((gradient.output, gradient.wrt))
    if entries is not None:
        part["value"] = nested_numbers(derivatives.shapes[gradient.wrt], entries)
    return part


def lines(derivatives: ArrayDerivatives, number: int) -> list[dict[str, object]]:
    """Return the gradients as rows of a sheet (column → value); `number` is that of the problem.

    Without a point there is a row for each gradient: problem, label (empty without one), output, wrt and expression.
    With a point there is a row for each of its entries, with two more columns: index (without brackets, empty for a
    number) and value.
    """

    result: list[dict[str, object]] = []
    for gradient in derivatives.gradients:
        row: dict[str, object] = {"problem": number, "label": derivatives.label or "", "output": gradient.output}
        row |= {"wrt": gradient.wrt, "expression": gradient.text}
        entries: Sequence[float] | None = derivatives.values.get((gradient.output, gradient.wrt))
        if entries is None:
            result.append(row)
            continue
        for place, entry in zip(places(derivatives.shapes[gradient.wrt]), entries, strict=True):
            result.append(row | {"index": place[1:-1], "value": entry})
    return result
