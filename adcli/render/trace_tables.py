"""Tables of a trace in three layouts: the paper's tables, primal and derivatives side by side, and one wide table. A
label is the name that is shown for a row; keys of sweeps are their inputs or outputs, or SEED along a seed of the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest

from ..errors import visible
from ..graph.graph import Graph
from ..notation import table_formulas as tf
from ..notation.display_formula import Formula
from ..notation.number_text import NOT_TAKEN, TRUTH, Digits, Noise
from ..records import grouped
from ..trace.trace_model import SEED, Output, Row, Step, Trace
from ..typings import TYPE_CHECKING
from .document_parts import Runs, Table

if TYPE_CHECKING:
    from ..notation.formula_pieces import Piece

Cells = list[tuple[str, ...]]
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(x: float | None, digits: Digits) -> Formula:
    """Return the number `x` as a Formula, in the digits that are shown; `…` for None (a value that was not computed,
    because it is in a branch that is not taken).
    """
    return tf.numeral(NOT_TAKEN if x is None else digits.show(x))


def write_derivative(shown: str, wrt: Sequence[str], inputs: int, ascii_only: bool = False) -> Formula:
    """Return the symbol of a derivative of the output called `shown`: `dy/dx` if `inputs` is 1, otherwise `∂y/∂x1`.

    `inputs` is the number of inputs of the function. `wrt` are the inputs, one for each differentiation, in order.
    Equal neighbours become a power: `∂³f/∂x²∂y` for x, x, y, but `∂³f/∂x∂y∂x` for x, y, x. With `ascii_only` orders are
    written `^2` instead of `²` (the sign ∂ stays).
    """
    sign = "d" if inputs == 1 else "∂"
    runs = [(name, len([*same])) for name, same in groupby(wrt)]

    def raise_order(count: int) -> str:
        raised = f"^{count}" if ascii_only else str(count).translate(_RAISED)
        return raised if count > 1 else ""

    below = "".join(f"{sign}{name}{raise_order(count)}" for name, count in runs)
    return tf.quotient(f"{sign}{raise_order(len(wrt))}{shown}/{below}", sign, len(wrt), shown, runs)


def _right_side(formula: Formula) -> Formula:
    """Return the formula with `= ` before it; unchanged if it is empty or `≈ 0`."""
    return tf.equals(formula) if formula and formula != Noise.SHOWN else formula


def value_text(row: Row, digits: Digits) -> Formula:
    """Return the value of a row as tables show it: true or false for a condition, else a number in `digits`; `…` if it
    was not computed (None).
    """
    return tf.numeral(TRUTH[row.value]) if row.truth and row.value is not None else number(row.value, digits)


def _result_cells(output: Output) -> tuple[Formula, str]:
    """Return (name of the output, `= label` of its row); the second is empty if both names are the same."""
    return tf.write_name(output.shown), "" if output.shown == output.label else _right_side(tf.write_name(output.label))


def problem_heading(
    label: str | None, expression: str, graph: Graph, at: Mapping[str, float] | None, digits: Digits
) -> Runs:
    """Return the heading of a problem: `label: expression   at x1 = 2, x2 = 5`.

    The expression is written as the formula of `graph`. The label and the point are left out if they are None or empty.
    `at` maps inputs to their values.
    """
    point = [tf.join(tf.write_name(name), " = ", number(x, digits)) for name, x in (at or {}).items()]
    return heading_at(label, tf.program(visible(expression), graph), point)


def heading_at(label: str | None, expression: Formula, point: Sequence[Formula]) -> Runs:
    """Return `label: expression   at x1 = 2, x2 = 5`; `point` has the equations, and label and point may be empty."""
    head = [f"{visible(label)}: "] if label else []
    return Runs(*head, expression, *(["   at ", tf.join_with_commas(point)] if point else []))


def heading(trace: Trace, digits: Digits) -> Runs:
    """Return `label: expression   at x1 = 2, x2 = 5` for a trace; label and point only if it has them."""
    return problem_heading(trace.label, trace.expression, trace.graph, trace.at, digits)


def tables(trace: Trace, style: str, digits: Digits) -> list[Table]:
    """Return the tables of a trace in a style.

    `wide` gives one table. `paper` gives the primal table (in modes value and both), then one for each sweep. Any other
    style (`baydin`) gives one table for each sweep with the primal trace next to it; without sweeps the primal table.
    If the trace has rounding conditions, their table is added last, except for wide, which has columns for them.
    """
    if style == "wide":
        return [_wide_table(trace, digits)]
    result = _paper_tables(trace, digits) if style == "paper" else _side_by_side(trace, digits)
    return result if trace.shares is None else [*result, shares_table(trace)]


# --- the paper's three tables ----------------------------------------------------------------------------------------


def _paper_tables(trace: Trace, digits: Digits) -> list[Table]:
    """Return the primal table (in modes value and both), then a table for each tangent key and one for each adjoint
    key.

    The result is in the order of `trace.keys`; in modes forward and reverse there is no primal table.
    """
    result = [_primal_table(trace, digits)] if trace.mode in ("value", "both") else []
    dots, bars = trace.keys
    result += [_tangent_table(trace, key, digits) for key in dots]
    result += [_adjoint_table(trace, key, digits) for key in bars]
    return result


def _primal_table(trace: Trace, digits: Digits) -> Table:
    """Return the table of values, without header and title, with rows for inputs, operations and outputs.

    A rule is after each of the first two groups. Rows are (label, `= formula`, `= numbers`). The formula of an input is
    empty, its numbers are its value. The row of an output is (name, `= label` if it differs from the name, `= value`).
    Only these values are written in `digits`; the texts of other rows are those of the trace.
    """
    cells: Cells = []
    for row in trace.rows:
        formula = "" if row.operator == "input" else _right_side(row.formula)
        cells.append((tf.write_name(row.label), formula, _right_side(row.substituted)))
    rules = row_rules(len(trace.graph.inputs), len(cells))
    cells += [(*_result_cells(output), _right_side(number(output.value, digits))) for output in trace.outputs]
    return Table(cells, rules=rules)


def row_rules(*places: int) -> tuple[int, ...]:
    """Return the places as rules of a table, without zeros and repeats."""
    return tuple(dict.fromkeys(place for place in places if place > 0))


def _sweep_title(trace: Trace, key: str, kind: str) -> Runs:
    """Return the title of the table of the sweep `key`: `tangents with respect to x1`, `adjoints of y`.

    `key` is an input for tangents, an output for adjoints, or SEED (`tangents, along the seed`, `adjoints of the seeded
    outputs`). Empty if the trace has a single sweep. `kind` is tangents or adjoints.
    """
    dots, bars = trace.keys
    if len(dots) + len(bars) < 2:
        return Runs()
    if key == SEED:
        return Runs(kind, ", along the seed" if kind == "tangents" else " of the seeded outputs")
    if kind == "tangents":
        return Runs(kind, " with respect to ", tf.write_name(key))
    shown = next((output.shown for output in trace.outputs if output.name == key), key)
    return Runs(kind, " of ", tf.write_name(shown))


def _tangent_table(trace: Trace, key: str, digits: Digits) -> Table:
    """Return the table of the forward sweep with respect to `key` (an input or SEED), without a header.

    There is a row (tangent, `= formula`, `= numbers`) for each step, inputs first; a rule separates the inputs. Below
    another rule is a row for each output: (tangent of its name, `= tangent of its label` if the names differ, `=
    number`). The number is 0 if the output is constant. The title is `tangents with respect to x1`, empty if the trace
    has a single sweep. `digits` is for outputs; other texts are those of the trace.
    """
    steps = [step for step in trace.steps if step.sweep == "forward" and step.key == key]
    cells: Cells = [(tf.write_tangent(s.label), _right_side(s.symbolic), _right_side(s.substituted)) for s in steps]
    slopes = {row.name: row.dot.get(key, 0.0) for row in trace.rows}
    for output in trace.outputs:
        name, same = _result_cells(output)
        label = tf.equals(tf.write_tangent(output.label)) if same and output.label else ""
        cells.append((tf.write_tangent(name), label, _right_side(number(slopes.get(output.node, 0.0), digits))))
    rules = row_rules(len(trace.graph.inputs), len(steps))
    return Table(cells, rules=rules, title=_sweep_title(trace, key, "tangents"))


def _reverse_steps(trace: Trace, key: str) -> list[Step]:
    """Return the steps of the reverse sweep `key`, in its order."""
    return [step for step in trace.steps if step.sweep == "reverse" and step.key == key]


def _adjoint_cells(step: Step, digits: Digits) -> tuple[str, str, str, str]:
    """Return (symbol, chain rule, formula, value) of a step of a reverse sweep; the formula is empty for the seed."""
    applied = _right_side(step.symbolic) if step.source is not None else ""
    return tf.write_adjoint(step.label), _right_side(step.chain), applied, _right_side(number(step.value, digits))


def _adjoint_table(trace: Trace, key: str, digits: Digits) -> Table:
    """Return the table of the reverse sweep of `key` (an output or SEED), in reverse order of the steps, without a
    header: the adjoints of the inputs on top, then a rule, with the seed in the bottom row.

    Cells are (adjoint, `= chain rule`, `= formula`, `= value`); the two in the middle are empty for inputs, the formula
    is empty for the seed. The title is `adjoints of y`, empty if the trace has a single sweep.
    """
    cells: Cells = [_input_adjoint(row, key, digits) for row in trace.rows if row.operator == "input"]
    cells += [_adjoint_cells(step, digits) for step in reversed(_reverse_steps(trace, key))]
    return Table(cells, rules=row_rules(len(trace.graph.inputs)), title=_sweep_title(trace, key, "adjoints"))


def _input_adjoint(row: Row, key: str, digits: Digits) -> tuple[str, str, str, str]:
    """Return (symbol, empty, empty, value) for the adjoint of an input."""
    return tf.write_adjoint(row.label), "", "", _right_side(number(row.bar.get(key, 0.0), digits))


# --- side by side ----------------------------------------------------------------------------------------------------


def _side_by_side(trace: Trace, digits: Digits) -> list[Table]:
    """Return one table for each sweep, tangents first: the three cells of the primal table, then those of the sweep.

    The tables have a header. If the trace has no sweep, return the primal table alone, without a header. A table of
    adjoints has one line for each contribution, so it may have more lines than the primal trace. `digits` is how
    numbers are shown.
    """
    primal = _primal_table(trace, digits)
    dots, bars = trace.keys
    result = []
    for key in dots:
        tangent = _tangent_table(trace, key, digits)
        rows = [(*left, *right) for left, right in zip(primal.rows, tangent.rows, strict=True)]
        result.append(Table(rows, ("", "primal trace", "", "", "tangent trace", ""), primal.rules, tangent.title))
    result += [_primal_beside_adjoints(trace, key, primal, digits) for key in bars]
    return result or [primal]


def _primal_beside_adjoints(trace: Trace, key: str, primal: Table, digits: Digits) -> Table:
    """Return the table, with a header, of the primal trace next to the adjoint trace of `key`, to be read upwards.

    `primal` has three cells in a row, the adjoint half four: symbol, chain rule, formula, value. A row of a node shows
    the contributions that this node makes to its arguments' adjoints, one line each, with the primal cells in the first
    only. The row of an input shows its adjoint, that of the first output the seed. Nodes without contributions have
    blanks on the right.
    """
    steps = _reverse_steps(trace, key)
    contributions = grouped((step.source, _adjoint_cells(step, digits)) for step in reversed(steps))
    rows: Cells = []
    rules = []
    blank = ("", "", "")
    for place, (left, row) in enumerate(zip_longest(primal.rows, trace.rows)):
        if place in primal.rules:
            rules.append(len(rows))
        if row is None:
            right = contributions.pop(None, [])
        elif row.operator == "input":
            right = [_input_adjoint(row, key, digits)]
        else:
            right = contributions.get(row.name, [])
        for left_cells, right_cells in zip_longest([left], right):
            rows.append((*(left_cells or blank), *(right_cells or ("", *blank))))
    header = ("", "primal trace", "", "", "adjoint trace (upwards)", "", "")
    return Table(rows, header, tuple(rules), _sweep_title(trace, key, "adjoints"))


# --- one wide table --------------------------------------------------------------------------------------------------


def _wide_table(trace: Trace, digits: Digits) -> Table:
    """Return one table with a row for each node and each output; rules separate inputs, other nodes and outputs.

    An output that is called as its node, and has no error bounds, has no row of its own; one without a node (a
    constant) always has. Columns: label, formula, numbers, value; with exactly one sweep the rule that gives its
    derivative; one for each tangent key and each adjoint key; the columns of rounding conditions, if there are any.
    Numbers from the value on are right-aligned, except the rule. If the table is split because it is too wide, its
    parts repeat the first two columns.
    """
    dots, bars = trace.keys
    working = len(dots) + len(bars) == 1
    symbol = next((row.name.rstrip("0123456789") for row in trace.rows if row.operator != "input"), "v")
    outputs = {output.name: output.shown for output in trace.outputs}
    header = ["", "formula", "numbers", "value", *derivative_headers(symbol, dots, bars, outputs, working)]
    header += _share_headers(trace)
    rules = _working_cells(trace) if working else None
    nodes = {output.node for output in trace.outputs}
    last_rows: dict[str, Row] = {}
    rows: Cells = []
    for row in trace.rows:
        rows.append(_wide_row(trace, row, digits, rules))
        if row.name in nodes:
            last_rows[row.name] = row
    # also without outputs: the rows below the last rule are the outputs'
    places = row_rules(len(trace.graph.inputs), len(rows))
    for output in trace.outputs:
        if output.shown != output.label or output.node not in last_rows or any(_bound_cells(trace, output.name)):
            rows.append(_wide_result(trace, output, last_rows.get(output.node), digits, working))
    return Table(rows, tuple(header), places, right=(3, *range(4 + working, len(header))), stub=2)


def derivative_headers(
    symbol: str, dots: Sequence[str], bars: Sequence[str], outputs: Mapping[str, str], working: bool
) -> list[str]:
    """Return the headers of the columns of derivatives: ∂v/∂x for each key in `dots`, ∂y/∂v for each key in `bars`.

    The key SEED has v̇ or v̄ alone. With `working` the first header is `v̇ by the rule` (or v̄, if there are no
    `dots`). The letter of rows is `symbol`. `outputs` maps the names of outputs to those that are shown.
    """
    dot, bar = tf.write_tangent(symbol), tf.write_adjoint(symbol)
    return [
        *[Runs(dot if dots else bar, " by the rule")] * working,
        *[dot if key == SEED else tf.write_partial(symbol, key) for key in dots],
        *[bar if key == SEED else tf.write_partial(outputs[key], symbol) for key in bars],
    ]


def _wide_row(trace: Trace, row: Row, digits: Digits, rules: Mapping[str, Formula] | None) -> tuple[str, ...]:
    """Return the cells of a node in the wide table: label, formula, numbers, value, its working, tangents, adjoints,
    conditions.

    `rules` maps row names to working formulas (empty cell if missing); None means that the table has no such column.
    Formula and numbers have no `=` before them; those of an input are empty.
    """
    dots, bars = trace.keys
    formulas = ("", "") if row.operator == "input" else (row.formula, row.substituted)
    rule = () if rules is None else (rules.get(row.name, ""),)
    tangents, adjoints = (number(row.dot[key], digits) for key in dots), (number(row.bar[key], digits) for key in bars)
    left = (tf.write_name(row.label), *formulas, value_text(row, digits), *rule)
    return (*left, *tangents, *adjoints, *_share_cells(trace, row.slot))


def _wide_result(trace: Trace, output: Output, row: Row | None, digits: Digits, working: bool) -> tuple[str, ...]:
    """Return the cells of an output in the wide table.

    They are its name, its label (without `=`) if that differs, a blank, its value, with `working` a blank (the column
    of working), tangents, blanks for adjoints, error bounds. `row` is the row that computes the output; None for a
    constant, whose tangents are 0.
    """
    dots, bars = trace.keys
    name, same = _result_cells(output)
    left = (name, tf.write_name(output.label) if same else "", "", number(output.value, digits), *[""] * working)
    slopes = [number(row.dot[key] if row else 0.0, digits) for key in dots]
    return (*left, *slopes, *[""] * len(bars), *_bound_cells(trace, output.name))


# --- what rounding does ----------------------------------------------------------------------------------------------

_ULPS = Digits(significant=3)


def _share_headers(trace: Trace) -> list[str]:
    """Return the headers of the columns of `--conditioning`: the condition of a row, and its contribution to the
    error of each output in ulps; [] without conditioning."""
    if trace.shares is None:
        return []
    return ["condition", *(Runs("ulps of ", tf.write_name(output.shown)) for output in trace.outputs)]


def _share_cells(trace: Trace, slot: int) -> tuple[str, ...]:
    """Return the cells of `--conditioning` of node `slot`; () if the trace has no conditioning.

    The first is the condition of the node (empty for inputs and constants). The others are its contributions to the
    error of each output, in ulps with three significant digits.
    """
    if trace.shares is None:
        return ()
    ulps = trace.shares.ulps
    condition = number(trace.shares.conditions[slot], _ULPS) if trace.graph.rows[slot] is not None else ""
    return condition, *(number(ulps[output.name][slot], _ULPS) for output in trace.outputs)


def _bound_cells(trace: Trace, name: str) -> tuple[str, ...]:
    """Return the cells of `--conditioning` of the output `name`; () if the trace has no conditioning.

    The first cell (condition) is blank. Of the cells for the outputs only that of `name` holds a number, its total
    error bound in ulps.
    """
    if trace.shares is None:
        return ()
    bound = number(trace.shares.bounds[name][""], _ULPS)
    return "", *(bound if output.name == name else "" for output in trace.outputs)


def shares_table(trace: Trace) -> Table:
    """Return the columns of `--conditioning` as a separate table.

    It has one row for each row of the trace (label, condition, ulps for each output) and, below a rule, one for each
    output (name, empty, its error bound in its own column).
    """
    cells: Cells = [(tf.write_name(row.label), *_share_cells(trace, row.slot)) for row in trace.rows]
    cells += [(tf.write_name(output.shown), *_bound_cells(trace, output.name)) for output in trace.outputs]
    header = ("", *_share_headers(trace))
    return Table(cells, header, row_rules(len(trace.rows)), right=tuple(range(1, len(header))))


def bounds_table(trace: Trace) -> Table:
    """Return the table (quantity, bound) of first-order error bounds, in ulps, of each output and each of its
    derivatives.

    The quantity is the output's name or ∂y/∂x. Without conditioning the table has a header but no rows.
    """
    bounds = {} if trace.shares is None else trace.shares.bounds
    every = [(output.shown, *bound) for output in trace.outputs for bound in bounds.get(output.name, {}).items()]
    cells: Cells = [(tf.write_partial(y, x) if x else tf.write_name(y), number(most, _ULPS)) for y, x, most in every]
    return Table(cells, ("rounding", "at most, in ulps"), right=(1,))


def _working_cells(trace: Trace) -> dict[str, Formula]:
    """Return row name → the formula of its tangent, or the sum of the contributions to its adjoint in the order of the
    steps: `v̄4 × x2 + v̄2 × 3`.

    Only for a trace with one sweep; rows without a step are missing.
    """
    terms: dict[str, list[Formula]] = {}
    for step in trace.steps:
        term = step.symbolic
        if step.sweep == "reverse" and step.target in terms:  # ` + v̄1 × x2` if the formula is `x̄1 + v̄1 × x2`
            term = Formula(term.removeprefix(tf.write_adjoint(step.label)), _drop_first_part, term)
        terms.setdefault(step.target, []).append(term)
    return {target: parts[0] if len(parts) == 1 else tf.join(*parts) for target, parts in terms.items()}


def _drop_first_part(sum_so_far: Formula) -> Piece:
    """Return the piece of `sum_so_far`, the formula of a step, without its first part (the adjoint so far), so that it
    begins with the sign after that; the whole piece if it is not a Joined (a row of pieces).
    """
    from ..notation.formula_pieces import Joined

    piece = sum_so_far.piece
    return Joined(piece.parts[1:]) if isinstance(piece, Joined) else piece


def outputs_table(trace: Trace, digits: Digits) -> Table:
    """Return one table of (name, `= number`) rows with the results of all outputs: value, gradient and directional
    derivative of each, then the vector–Jacobian product, as far as the trace has them.
    """
    return Table([cell for cells in result_cells(trace, digits) for cell in cells])


def result_cells(trace: Trace, digits: Digits) -> list[Cells]:
    """Return the results as lists of rows (name, `= number`), one for each output and one for a product.

    An output has its value, its gradient (∂y/∂x; with respect to the inputs of --wrt, or all) and its directional
    derivative (ẏ). The vector–Jacobian product has a row for each input, named x̄. Results that the trace lacks are
    left out.
    """
    blocks: list[Cells] = []
    for output in trace.outputs:
        cells: Cells = [(tf.write_name(output.shown), _right_side(number(output.value, digits)))]
        for name, slope in (output.gradient or {}).items():
            if name in trace.wrt or not trace.wrt:
                cells.append((tf.write_partial(output.shown, name), _right_side(number(slope, digits))))
        if output.directional is not None:
            cells.append((tf.write_tangent(output.shown), _right_side(number(output.directional, digits))))
        blocks.append(cells)
    items = (trace.products or {}).items()
    products: Cells = [(tf.write_adjoint(name), _right_side(number(x, digits))) for name, x in items]
    return [*blocks, *([products] if products else [])]


# --- the lines of a Python function -----------------------------------------------------------------------------------


def with_source_lines(trace: Trace, tables: Sequence[Table], style: str) -> list[Table]:
    """Return the tables with one more column, `number: text` of the source line that each row comes from.

    A row from the same line as the row above has the number only; rows without a line (outputs, inputs) have blanks.
    Tables after those of the primal and the sweeps (such as conditioning) are unchanged. All tables are unchanged if
    the trace has no lines, or if the style is neither wide nor paper.
    """
    if style not in ("wide", "paper") or trace.lines is None:
        return list(tables)
    pairs = zip(tables, _row_names(trace, style), strict=False)
    with_lines = [_add_lines(table, names, trace) for table, names in pairs]
    return [*with_lines, *tables[len(with_lines) :]]


def _row_names(trace: Trace, style: str) -> Iterator[list[str | None]]:
    """Yield, for each table of the style in the order of `tables`, the names of the rows that its lines are about.

    Lines of outputs are not included. The cases:

    - wide: one list with all rows.
    - paper: all rows for the primal table (if the mode has one) and for each tangent table; for each adjoint table the
      inputs, then the sources of the steps in reverse order (None for the seed).
    - another style: all rows for the first table in modes value and both; nothing in other modes.
    """
    every: list[str | None] = [row.name for row in trace.rows]
    dots, bars = trace.keys
    values = style == "wide" or trace.mode in ("value", "both")
    yield from [every] * (values + (len(dots) if style == "paper" else 0))
    for key in bars if style == "paper" else ():
        steps = [step.source for step in _reverse_steps(trace, key)]
        yield [*(row.name for row in trace.rows if row.operator == "input"), *reversed(steps)]


def _add_lines(table: Table, names: Sequence[str | None], trace: Trace) -> Table:
    """Return the table with one more column `source`; a table without a header stays without one.

    `names` are the row names of its lines from the first, None for no row. A cell is `number: text` of the source line,
    or the number alone if the line above comes from the same source line. It is blank if the row has no source line,
    and for lines beyond `names` (the outputs).
    """
    lines = trace.lines or {}
    places = {row.name: lines[row.slot] for row in trace.rows if row.slot in lines}
    column: list[str] = []
    above = None
    for name in names:
        here = places.get(name or "")
        column.append("" if here is None else str(here[0]) if here == above else f"{here[0]}: {visible(here[1])}")
        above = here
    column += [""] * (len(table.rows) - len(column))
    rows = [(*row, text) for row, text in zip(table.rows, column, strict=True)]
    return table._replace(rows=rows, header=(*table.header, "source") if table.header else ())
