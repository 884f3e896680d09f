"""Traces laid out as tables: the paper's, the survey's side by side, and the wide one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from ..errors import visible
from ..graph.graph import Graph
from ..notation.display_formula import Formula
from ..notation.number_text import NOT_TAKEN, TRUTH, Digits, Noise
from ..notation.table_formulas import barred, dotted, equals, joined, listed, named, numeral, partial, program
from ..trace.model import SEED, Output, Row, Step, Trace
from .document_parts import Runs, Table

if TYPE_CHECKING:
    from ..notation.formula_pieces import Piece

Cells = list[tuple[str, ...]]


def number(x: float | None, digits: Digits) -> Formula:
    """A number as tables show it."""
    return numeral(NOT_TAKEN if x is None else digits.show(x))


def _equals(formula: Formula) -> Formula:
    return equals(formula) if formula and formula != Noise.SHOWN else formula


def value_text(row: Row, digits: Digits) -> Formula:
    """The value of a row as tables show it."""
    return numeral(TRUTH[row.value]) if row.truth and row.value is not None else number(row.value, digits)


def _result_cells(output: Output) -> tuple[Formula, str]:
    """The name of an output and the row that it is; nothing where the row has that very name."""
    return named(output.shown), "" if output.shown == output.label else _equals(named(output.label))


def titled(label: str | None, expression: str, graph: Graph, at: Mapping[str, float] | None, digits: Digits) -> Runs:
    """What a problem is called: `label: expression at x1 = 2, x2 = 5`."""
    point = listed([joined(named(name), " = ", number(x, digits)) for name, x in (at or {}).items()])
    head = [f"{visible(label)}: "] if label else []
    return Runs(*head, program(visible(expression), graph), *(["   at ", point] if point else []))


def heading(trace: Trace, digits: Digits) -> Runs:
    """`label: expression at x1 = 2, x2 = 5`."""
    return titled(trace.label, trace.expression, trace.graph, trace.at, digits)


def tables(trace: Trace, style: str, digits: Digits) -> list[Table]:
    """The tables of a trace in a style: `paper`, `baydin` or `wide`."""
    if style == "wide":
        return [_wide(trace, digits)]
    found = _paper(trace, digits) if style == "paper" else _side_by_side(trace, digits)
    return found if trace.shares is None else [*found, shares_table(trace)]


# --- the paper's three tables ----------------------------------------------------------------------------------------


def _paper(trace: Trace, digits: Digits) -> list[Table]:
    found = [_primal(trace, digits)] if trace.mode in ("value", "both") else []
    dots, bars = trace.keys
    found += [_tangent(trace, key, digits) for key in dots]
    found += [_adjoint(trace, key, digits) for key in bars]
    return found


def _primal(trace: Trace, digits: Digits) -> Table:
    inputs = [row for row in trace.rows if row.operator == "input"]
    rest = [row for row in trace.rows if row.operator != "input"]
    cells: Cells = [(named(row.label), "", _equals(row.substituted)) for row in inputs]
    cells += [(named(row.label), _equals(row.formula), _equals(row.substituted)) for row in rest]
    cells += [(*_result_cells(output), _equals(number(output.value, digits))) for output in trace.outputs]
    return Table(cells, rules=_rules(len(inputs), len(inputs) + len(rest)))


def _rules(*places: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(place for place in places if place > 0))


def _title(trace: Trace, key: str, kind: str) -> Runs:
    """What a table is about, where there are several of a kind."""
    dots, bars = trace.keys
    if len(dots) + len(bars) < 2:
        return Runs()
    if key == SEED:
        return Runs(kind, ", along the seed" if kind == "tangents" else " of the seeded outputs")
    if kind == "tangents":
        return Runs(kind, " with respect to ", named(key))
    shown = next((output.shown for output in trace.outputs if output.name == key), key)
    return Runs(kind, " of ", named(shown))


def _tangent(trace: Trace, key: str, digits: Digits) -> Table:
    steps = [step for step in trace.steps if step.sweep == "forward" and step.key == key]
    inputs = sum(1 for row in trace.rows if row.operator == "input")
    cells: Cells = [(dotted(step.label), _equals(step.symbolic), _equals(step.substituted)) for step in steps]
    slopes = {row.name: row.dot.get(key, 0.0) for row in trace.rows}
    for output in trace.outputs:
        name, same = _result_cells(output)
        label = equals(dotted(output.label)) if same and output.label else ""
        cells.append((dotted(name), label, _equals(number(slopes.get(output.node, 0.0), digits))))
    return Table(cells, rules=_rules(inputs, len(steps)), title=_title(trace, key, "tangents"))


def _adjoint_cells(step: Step, digits: Digits) -> tuple[str, str, str, str]:
    applied = _equals(step.symbolic) if step.source is not None else ""
    return barred(step.label), _equals(step.chain), applied, _equals(number(step.value, digits))


def _adjoint(trace: Trace, key: str, digits: Digits) -> Table:
    """Time runs upwards: the seed is the bottom row, the inputs are on top."""
    cells: Cells = [
        (barred(row.label), "", "", _equals(number(row.bar.get(key, 0.0), digits)))
        for row in trace.rows
        if row.operator == "input"
    ]
    inputs = len(cells)
    steps = [step for step in trace.steps if step.sweep == "reverse" and step.key == key]
    cells += [_adjoint_cells(step, digits) for step in reversed(steps)]
    return Table(cells, rules=_rules(inputs), title=_title(trace, key, "adjoints"))


# --- side by side ----------------------------------------------------------------------------------------------------


def _side_by_side(trace: Trace, digits: Digits) -> list[Table]:
    """The primal trace on the left, one derivative trace on the right, a table for each."""
    primal = _primal(trace, digits)
    dots, bars = trace.keys
    found = []
    for key in dots:
        tangent = _tangent(trace, key, digits)
        rows = [(*left, *right) for left, right in zip(primal.rows, tangent.rows, strict=True)]
        found.append(Table(rows, ("", "primal trace", "", "", "tangent trace", ""), primal.rules, tangent.title))
    for key in bars:
        found.append(_beside_adjoints(trace, key, primal, digits))
    return found or [primal]


def _beside_adjoints(trace: Trace, key: str, primal: Table, digits: Digits) -> Table:
    """Each contribution stands on the row of the node that it comes from; read the right half upwards."""
    steps = [step for step in trace.steps if step.sweep == "reverse" and step.key == key]
    given: dict[str | None, list[tuple[str, ...]]] = {}
    for step in reversed(steps):
        given.setdefault(step.source, []).append(_adjoint_cells(step, digits))
    rows: Cells = []
    rules = []
    blank = ("", "", "")
    for place, (left, row) in enumerate(zip_longest(primal.rows, trace.rows)):
        if place in primal.rules:
            rules.append(len(rows))
        if row is not None and row.operator == "input":
            right: Sequence[tuple[str, ...]] = [
                (barred(row.label), "", "", _equals(number(row.bar.get(key, 0.0), digits)))
            ]
        elif row is not None:
            right = given.get(row.name, [])
        else:
            right = given.pop(None, [])
        for mine, theirs in zip_longest([left], right):
            rows.append((*(mine or blank), *(theirs or ("", *blank))))
    header = ("", "primal trace", "", "", "adjoint trace (upwards)", "", "")
    return Table(rows, header, tuple(rules), _title(trace, key, "adjoints"))


# --- one wide table --------------------------------------------------------------------------------------------------


def _wide(trace: Trace, digits: Digits) -> Table:
    """One row a node: the primal trace on the left, what was asked for on the right.

    With a single column of derivatives its working stands beside it.
    """
    dots, bars = trace.keys
    working = len(dots) + len(bars) == 1
    symbol = next((row.name.rstrip("0123456789") for row in trace.rows if row.operator != "input"), "v")
    header: list[str] = ["", "formula", "numbers", "value"]
    header += [Runs(dotted(symbol) if dots else barred(symbol), " by the rule")] if working else []
    header += [dotted(symbol) if key == SEED else partial(symbol, key) for key in dots]
    shown = {output.name: output.shown for output in trace.outputs}
    header += [barred(symbol) if key == SEED else partial(shown[key], symbol) for key in bars]
    rules = _working(trace) if working else {}
    header += _share_headers(trace)
    cells: Cells = []
    for row in trace.rows:
        first = ("", "") if row.operator == "input" else (row.formula, row.substituted)
        cells.append(
            (
                named(row.label), *first, value_text(row, digits), *((rules.get(row.name, ""),) if working else ()),
                *(number(row.dot[key], digits) for key in dots), *(number(row.bar[key], digits) for key in bars),
                *_share_cells(trace, row.slot),
            )
        )  # fmt: skip
    inputs = sum(1 for row in trace.rows if row.operator == "input")
    for output in trace.outputs:
        cells.append(_wide_result(trace, output, digits, working))
    right = (3, *range(4 + working, len(header)))
    return Table(cells, tuple(header), _rules(inputs, len(trace.rows)), right=right, stub=2)


def _wide_result(trace: Trace, output: Output, digits: Digits, working: bool) -> tuple[str, ...]:
    dots, bars = trace.keys
    row = next((row for row in trace.rows if row.name == output.node), None)
    name, same = _result_cells(output)
    slopes = [number(row.dot[key] if row else 0.0, digits) for key in dots]
    blanks = [""] * len(bars)
    return (
        name,
        named(output.label) if same else "",
        "",
        number(output.value, digits),
        *([""] if working else []),
        *slopes,
        *blanks,
        *_bound_cells(trace, output.name),
    )


# --- what rounding does ----------------------------------------------------------------------------------------------

_ULPS = Digits(significant=3)


def _share_headers(trace: Trace) -> list[str]:
    """The columns of `--conditioning`: the condition of each row, and its share in the error of each output."""
    return (
        ["condition", *(Runs("ulps of ", named(output.shown)) for output in trace.outputs)]
        if trace.shares is not None
        else []
    )


def _share_cells(trace: Trace, slot: int) -> tuple[str, ...]:
    shares = trace.shares
    if shares is None:
        return ()
    condition = number(shares.conditions[slot], _ULPS) if trace.graph.rows[slot] is not None else ""
    return condition, *(number(shares.ulps[output.name][slot], _ULPS) for output in trace.outputs)


def _bound_cells(trace: Trace, name: str) -> tuple[str, ...]:
    """The sum of the shares in the error of an output, in its own column."""
    shares = trace.shares
    if shares is None:
        return ()
    own = [number(shares.bounds[name][""], _ULPS) if output.name == name else "" for output in trace.outputs]
    return "", *own


def shares_table(trace: Trace) -> Table:
    """The columns of `--conditioning` as a table of their own."""
    cells: Cells = [(named(row.label), *_share_cells(trace, row.slot)) for row in trace.rows]
    cells += [(named(output.shown), *_bound_cells(trace, output.name)) for output in trace.outputs]
    header = ("", *_share_headers(trace))
    return Table(cells, header, _rules(len(trace.rows)), right=tuple(range(1, len(header))))


def bounds_table(trace: Trace) -> Table:
    """How many ulps values and slopes may be off, to first order."""
    bounds = {} if trace.shares is None else trace.shares.bounds
    cells: Cells = [
        (partial(output.shown, name) if name else named(output.shown), number(x, _ULPS))
        for output in trace.outputs
        for name, x in bounds.get(output.name, {}).items()
    ]
    return Table(cells, ("rounding", "at most, in ulps"), right=(1,))


def _working(trace: Trace) -> dict[str, Formula]:
    """The rule of each row in one cell: a tangent's formula, or the sum of an adjoint's contributions."""
    found: dict[str, Formula] = {}
    for step in trace.steps:
        if step.sweep == "reverse" and step.target in found:
            found[step.target] = joined(found[step.target], _added(step))
        else:
            found[step.target] = step.symbolic
    return found


def _added(step: Step) -> Formula:
    """What a step adds to an adjoint: ` + v̄1 × x2`."""
    return Formula(step.symbolic.removeprefix(barred(step.label)), _rest, step.symbolic)


def _rest(sum_so_far: Formula) -> Piece:
    from ..notation.formula_pieces import Joined

    piece = sum_so_far.piece
    return Joined(piece.parts[1:]) if isinstance(piece, Joined) else piece


def outputs_table(trace: Trace, digits: Digits) -> Table:
    """The outputs alone: value, then the derivative by each input."""
    return Table([cell for cells in result_cells(trace, digits) for cell in cells])


def result_cells(trace: Trace, digits: Digits) -> list[Cells]:
    """For each output its value and derivatives with their names; then the products with weights of the outputs."""
    found: list[Cells] = []
    for output in trace.outputs:
        cells: Cells = [(named(output.shown), _equals(number(output.value, digits)))]
        for name, slope in (output.gradient or {}).items():
            cells.append((partial(output.shown, name), _equals(number(slope, digits))))
        if output.directional is not None:
            cells.append((dotted(output.shown), _equals(number(output.directional, digits))))
        found.append(cells)
    products: Cells = [(barred(name), _equals(number(x, digits))) for name, x in (trace.products or {}).items()]
    return [*found, *([products] if products else [])]
