"""Tables of traces of arrays: one row for each block, with its shape next to its value. A block is an input or
operation, a number or an array; its entries are listed row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from ..arrays.array_formulas import label, program_formula, value
from ..arrays.array_program import ArrayProgram
from ..arrays.formula_trees import ArrayName
from ..arrays.lowering import transpose_entries
from ..arrays.shapes import Shape, format_shape, places, transpose_shape
from ..arrays.sweeps import AdjointFlow, ArrayTrace, append_contribution, formula, name_of
from ..notation import table_formulas as tf
from ..notation.display_formula import Formula
from ..notation.number_text import Digits
from ..trace.trace_model import SEED
from .document_parts import Code, Paragraph, Part, Runs, Suited, Table
from .trace_tables import derivative_headers, heading_at, row_rules

_MOST_COLUMNS = 3  # tangents, and outputs, that a table shows


def problem_heading(
    title: str | None, expression: str, program: ArrayProgram, at: Mapping[str, float], digits: Digits
) -> Runs:
    """Return the heading of a problem of arrays: `title: expression at A = [1, 2; 3, 4], x = [1, −1]`, with
    `expression` (the text as typed) typeset with the names of the `program`'s blocks.

    The title is left out if it is None or empty, the point if `at` is empty. `at` maps entries (`A[1,2]`) to their
    values, and must have all entries of every input of the program.
    """
    point = point_equations(program, at, digits) if at else []
    return heading_at(title, program_formula(expression, program.blocks), point)


def point_equations(program: ArrayProgram, at: Mapping[str, float], digits: Digits) -> list[Formula]:
    """Return one equation, `A = [1, 2; 3, 4]`, for each input of a program, in the program's order.

    `at` maps entries (`A[1,2]`) to their values; it must have all entries of all inputs.
    """
    equations = []
    for name, block in program.inputs.items():
        entries = [at[name + place] for place in places(block.shape)]
        equations.append(tf.join(label(name_of(block)), " = ", value(entries, block.shape, digits)))
    return equations


class ArrayTables:
    """The tables of one trace of arrays.

    digits     how numbers are shown
    numerator  whether gradients are printed transposed
    dots       the keys of the tangents that are shown
    bars       the keys of the adjoints that are shown
    inputs     the numbers of input blocks
    rest       the numbers of all other blocks
    symbol     the letter of rows that the program does not name
    """

    def __init__(self, trace: ArrayTrace, digits: Digits, numerator: bool = False, every: bool = False) -> None:
        """Choose the columns of the tables: the first 3 tangents and the first 3 adjoints, or with `every` all of them.

        `numerator` prints gradients transposed. Sets `inputs` and `rest`, the numbers of input blocks and other blocks,
        `every`, both in this order, and `symbol`: the stem of the first computed block that the user has not named, `v`
        if the user has named all.
        """
        self.trace, self.digits, self.numerator = trace, digits, numerator
        most = None if every else _MOST_COLUMNS
        self.dots = list(trace.dots)[:most]
        self.bars = list(trace.bars)[:most]
        self.inputs = [number for number in trace.blocks if trace.block(number).is_input]
        self.rest = [number for number in trace.blocks if not trace.block(number).is_input]
        self.every = [*self.inputs, *self.rest]
        computed = (trace.block(number) for number in self.rest)
        self.symbol = next((block.name.rstrip("0123456789") for block in computed if not block.user_named), "v")

    def heading(self) -> Runs:
        """Return `label: expression   at x = [1, 2]` for the trace; label and point only if it has them."""
        trace = self.trace.trace
        return problem_heading(trace.label, trace.expression, self.trace.program, trace.at, self.digits)

    def _value(self, entries: Sequence[float], shape: Shape) -> Formula:
        """Return a block's entries, in row-major order, as a formula in the digits of the tables: `[1, 2; 3, 4]`."""
        return value(entries, shape, self.digits)

    def _gradient(self, entries: Sequence[float], shape: Shape) -> tuple[str, Formula]:
        """Return (shape, entries) of a gradient as it is printed: transposed with `numerator`, else as it is. `entries`
        are in row-major order for `shape`.
        """
        if self.numerator:
            entries, shape = transpose_entries(entries, shape), transpose_shape(shape)
        return format_shape(shape), self._value(entries, shape)

    def _cell(self, number: int, column: dict[int, list[float]]) -> Formula:
        """Return the entries of the block `number` as a formula; `column` maps blocks to their values, tangents or
        adjoints.
        """
        return self._value(column[number], self.trace.block(number).shape)

    def _formula(self, number: int) -> str:
        """Return the formula of a block; empty for an input."""
        return formula(self.trace.program.blocks, number) if number in self.rest else ""

    def _label_and_shape(self, number: int, accent: str = "") -> tuple[Formula, str]:
        """Return (name of a block, its shape); `accent` is bar for its adjoint, dot for its tangent."""
        block = self.trace.block(number)
        return label(name_of(block, accent)), format_shape(block.shape)

    def shown(self, key: str) -> str:
        """Return the name that is shown for the scalar output or entry `key`; `key` itself if it is not an output (an
        input, SEED).
        """
        return next((output.shown for output in self.trace.trace.outputs if output.name == key), key)

    # --- parts ---

    def parts(self, style: str) -> list[Part]:
        """Return the tables in a style: wide, or any other one as paper (baydin is the same); then paragraphs on
        columns that are left out, if there are any.
        """
        tables: list[Part] = [self._wide()] if style == "wide" else list(self._paper())
        return [*tables, *self._omission_notes()]

    def _omission_notes(self) -> list[Part]:
        """Return a paragraph for each kind of derivative (tangents, adjoints) of which only some of the columns are
        shown: `tangents for 3 of 6 entries of inputs`.

        In text, not in documents, it also names the options that show more (--all or --wrt, for adjoints --all). There
        is none for tangents if the user has chosen inputs, none if no column of the kind is shown, and none for sweeps
        along a seed.
        """
        lines: list[Part] = []
        trace = self.trace.trace
        inputs = 0 if trace.wrt else len(trace.graph.inputs)
        for kind, of, shown, count, options in (
            ("tangents", "inputs", self.dots, inputs, "--all or --wrt"),
            ("adjoints", "outputs", self.bars, len(trace.outputs), "--all"),
        ):
            if shown and shown != [SEED] and len(shown) < count:
                text = f"{kind} for {len(shown)} of {count} entries of {of}"
                hint = Paragraph(Runs(text, "; show more with ", Code(options)))
                lines.append(Suited([hint], [Paragraph(text)]))
        return lines

    def _wide(self) -> Table:
        """Return one table with a header and no title: a row for each input, each other block (operation) and output.

        Rules separate the three. Columns: name, formula, shape, value, then one for each tangent and each adjoint
        shown. With exactly one adjoint and no tangents, a column before the adjoint shows how it is computed. An output
        has its name, the name of its block as formula, shape and value, and no derivatives. An output that is called as
        its block has no row, unless it is transposed.
        """
        working = self._working(self.bars[0]) if len(self.bars) == 1 and not self.dots else None
        outputs = {output.name: output.shown for output in self.trace.trace.outputs}
        derivatives = derivative_headers(self.symbol, self.dots, self.bars, outputs, working is not None)
        rows = [self._wide_row(number, working) for number in self.every]
        results = [cells for cells in self._outputs() if cells[1]]
        header = ("", "formula", "shape", "value", *derivatives)
        return Table([*rows, *results], header, row_rules(len(self.inputs), len(rows)), stub=2)

    def _wide_row(self, number: int, working: dict[int, Formula] | None) -> tuple[str, ...]:
        """Return the cells of the block `number` (an input or operation) in the wide table.

        They are, without `=`, name, formula, shape, value, a cell for each tangent shown, working, a cell for each
        adjoint shown. `working` maps blocks to the rules of their adjoints; a block without a rule has an empty cell,
        and None means that there is no such column. Adjoints are printed transposed with `numerator`.
        """
        trace = self.trace
        dots = [self._cell(number, trace.dots[key]) for key in self.dots]
        rule = [working.get(number, "")] if working is not None else []
        bars = [self._gradient(trace.bars[key][number], trace.block(number).shape)[1] for key in self.bars]
        return (*self._value_cells(number), *dots, *rule, *bars)

    def _value_cells(self, number: int) -> tuple[Formula, str, str, Formula]:
        """Return (name, formula, shape, value) of the block `number`, as cells without `=`."""
        name, shape = self._label_and_shape(number)
        return name, self._formula(number), shape, self._cell(number, self.trace.values)

    def _outputs(self) -> list[tuple[Formula, str, str, Formula]]:
        """Return (shown name, name of its block, shape, value) of each output of the program, in order.

        The texts are cells without `=`. The name of the block is empty if it is the name of the output. For a
        transposed output, ᵀ is appended to the name of the block, and the shape is the transposed one.
        """
        result: list[tuple[Formula, str, str, Formula]] = []
        by_name = {output.name: output for output in self.trace.trace.outputs}
        for name, operand in self.trace.program.outputs:
            block = self.trace.program.blocks[operand.block]
            shape = transpose_shape(block.shape) if operand.is_transposed else block.shape
            outputs = [by_name[name + place] for place in places(shape)]
            name_cell: str = "" if block.name == name else label(name_of(block))
            if operand.is_transposed:
                name_cell = tf.join(name_cell, "ᵀ")
            shown = ArrayName(outputs[0].shown.partition("[")[0], is_array=bool(shape))
            entries = self._value([output.value for output in outputs], shape)
            result.append((label(shown), name_cell, format_shape(shape), entries))
        return result

    def _working(self, key: str) -> dict[int, Formula]:
        """Return {block: sum of the contributions to its adjoint} in the reverse sweep `key` (an output or SEED).

        A sum is a formula in the order of the sweep, the seed included. Blocks without a contribution are missing.
        """
        cells: dict[int, Formula] = {}
        for flow in self.trace.flows[key]:
            so_far = cells.get(flow.target)
            cells[flow.target] = flow.formula if so_far is None else append_contribution(so_far, flow.formula)
        return cells

    # --- the paper's tables ---

    def _paper(self) -> list[Table]:
        """Return the tables without headers: of values (modes value and both), then of each tangent and adjoint shown.

        Rows of values are (name, `= formula`, shape, `= value`), with all outputs last. Rows of tangents are (name with
        a dot, shape, `= value`). Rows of adjoints, to be read upwards, are (name with a bar, `= rule`, shape, `=
        entries so far`). Rules separate inputs, other blocks and outputs. The table of values has no title, that of
        tangents `tangents with respect to x` or `tangents along the seed`.
        """
        trace = self.trace
        tables = []
        if trace.trace.mode in ("value", "both"):
            values = [*map(self._value_cells, self.every), *self._outputs()]
            rows = [
                (name, tf.equals(right_side) if right_side else "", shape, tf.equals(x))
                for name, right_side, shape, x in values
            ]
            tables.append(Table(rows, rules=(len(self.inputs), len(self.every))))
        for key in self.dots:
            dots = [(*self._label_and_shape(k, "dot"), tf.equals(self._cell(k, trace.dots[key]))) for k in self.every]
            about = ["along the seed"] if key == SEED else ["with respect to ", tf.write_name(key)]
            tables.append(Table(dots, rules=(len(self.inputs),), title=Runs("tangents ", *about)))
        return [*tables, *map(self._adjoints, self.bars)]

    def _adjoints(self, key: str) -> Table:
        """Return the table of the reverse sweep of `key` (an output or SEED), to be read upwards.

        On top are the final adjoints of the inputs, then a rule, then one row for each contribution, with the seed at
        the bottom. Rows are (name with a bar, `= rule`, shape, `= entries so far`); the rule of inputs is empty. The
        title is `adjoints of y`, empty if this is the only table of derivatives. Adjoints are printed transposed with
        `numerator`.
        """
        lines = [(number, "", self.trace.bars[key][number]) for number in self.inputs]
        lines += [(flow.target, tf.equals(flow.shown), total) for flow, total in reversed(self.totals(key))]
        rows: list[tuple[str, ...]] = []
        for number, rule, total in lines:
            block = self.trace.block(number)
            shape, entries = self._gradient(total, block.shape)
            rows.append((label(name_of(block, "bar")), rule, shape, tf.equals(entries)))
        several = len(self.bars) + len(self.dots) > 1
        title = Runs("adjoints of ", tf.write_name(self.shown(key))) if several else Runs()
        return Table(rows, rules=(len(self.inputs),), title=title)

    def totals(self, key: str) -> list[tuple[AdjointFlow, list[float]]]:
        """Return (contribution, adjoint of its target after it) for each step of the reverse sweep `key`, in order.

        `key` is an output or SEED. An adjoint is the list of its entries in row-major order, added as floats; no step
        changes the list of an earlier one.
        """
        so_far: dict[int, list[float]] = {}
        result = []
        for flow in self.trace.flows[key]:
            before = so_far.get(flow.target)
            entries = flow.entries if before is None else [x + y for x, y in zip(before, flow.entries, strict=True)]
            so_far[flow.target] = entries
            result.append((flow, entries))
        return result

    def products(self) -> list[Table]:
        """Return a table of the product of the Hessian with a direction v for each output that has one.

        A table has one row ((H v) x, shape, `= entries`) for each input, and the title `Hessian of y times v`. The
        products are printed transposed with `numerator`.
        """
        tables = []
        for output, second in zip(self.trace.trace.outputs, self.trace.trace.second, strict=False):
            if second.product is not None:
                rows = self._gradient_rows(second.product, lambda name: tf.join("(H v) ", tf.write_name(name)))
                title = Runs("Hessian of ", tf.write_name(output.shown), " times ", tf.write_name("v"))
                tables.append(Table(rows, title=title))
        return tables

    def _gradient_rows(self, slopes: Mapping[str, float], symbol: Callable[[str], Formula]) -> list[tuple[str, ...]]:
        """Return a row (symbol, shape, `= entries`) for each input that `slopes`, {entry of an input: slope}, has.

        `symbol` writes the name of an input. Entries are printed transposed with `numerator`.
        """
        blocks = self.trace.group_by_input(slopes).items()
        rows = [(symbol(name), *self._gradient(entries, shape)) for name, (shape, entries) in blocks]
        return [(name, size, tf.equals(cells)) for name, size, cells in rows]

    # --- results alone ---

    def results(self) -> Table:
        """Return one table of rows (name, shape, `= entries`), without header, title and rules.

        First are the values of the outputs. Then follow for each scalar output its gradient with respect to each input
        (∂y/∂x) and its directional derivative (ẏ), which has no shape; last the vector–Jacobian product for each input
        (x̄). Anything that was not computed is left out. Gradients and products are printed transposed with
        `numerator`.
        """
        trace = self.trace.trace
        rows: list[tuple[str, ...]] = [(name, size, tf.equals(x)) for name, _, size, x in self._outputs()]
        for output in trace.outputs:
            rows += self._gradient_rows(output.gradient or {}, partial(tf.write_partial, output.shown))
            if output.directional is not None:
                rows.append((tf.write_tangent(output.shown), "", tf.equals(self._value([output.directional], ()))))
        return Table([*rows, *self._gradient_rows(trace.products or {}, tf.write_adjoint)])


def lines(trace: ArrayTrace, number: int, rows: bool) -> Iterable[dict[str, object]]:
    """Return a trace of arrays as rows of a sheet (column → value); `number` is that of the problem.

    There is a row for each entry of each block (input or operation), in row-major order. Its columns are problem,
    label, name, index (without brackets; empty for a scalar), operator, formula (of the whole block; empty for an
    input), value, and `dot KEY` and `bar KEY` for each sweep.

    With `rows` False there is a row for each scalar output and each entry of other outputs: problem, label, expression,
    output, value, `d/dx[1]` for each entry of the inputs, and second derivatives (`hvp x[1]`, …) if there are any.
    """
    from .data import lines as scalar_lines

    if not rows:
        return scalar_lines(trace.trace, number, rows=False)
    result: list[dict[str, object]] = []
    for k in trace.blocks:
        block = trace.block(k)
        text = "" if block.is_input else str(formula(trace.program.blocks, k))
        for place, index in enumerate(places(block.shape)):
            line: dict[str, object] = {
                "problem": number, "label": trace.trace.label or "", "name": block.name, "index": index[1:-1],
                "operator": "input" if block.row is None else block.row.name, "formula": text,
                "value": trace.values[k][place],
            }  # fmt: skip
            line |= {f"dot {key}": dots[k][place] for key, dots in trace.dots.items()}
            line |= {f"bar {key}": bars[k][place] for key, bars in trace.bars.items()}
            result.append(line)
    return result
