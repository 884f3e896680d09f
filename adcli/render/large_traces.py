"""Large traces: results first and last (in documents once), few tangents, and tables that fold. A Suited part has one
form for text and one for documents (pages).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from ..errors import width
from ..notation import table_formulas
from ..notation.number_text import Digits
from ..notation.table_formulas import join_with_commas, write_name, write_partial
from ..trace.trace_model import SEED, Trace
from .document_parts import Code, Paragraph, Part, Runs, Suited, Table, column_widths
from .trace_tables import number, result_cells, tables

_FEWEST_TANGENTS, _MOST_TANGENTS = 3, 12  # columns that are never left out, and that are tried
_PAGE, _BETWEEN = 100, 2  # characters of a line, and between two columns
_SAMPLE = 100  # rows whose width is measured
_SCREEN = 24  # lines; a trace of more rows is long
_FEW = 6  # results up to this number have one line each
_LINE = 76  # width of a line with several results


def few_tangents(trace: Trace, digits: Digits, style: str = "wide") -> Trace:
    """Return the trace with fewer tangents in its keys: those of the inputs with the largest derivatives, in order.

    In style "wide" as many are kept as fit into a line of 100 characters of the table, at least three and at most 12;
    the first 100 rows, with numbers in `digits`, are measured. In other styles three are kept. Return `trace` itself if
    its mode is not both, if it has at most three tangents, if the user chose the inputs (`wrt`), or if a tangent is
    along a seed.
    """
    if trace.mode != "both" or trace.wrt or SEED in trace.keys[0] or len(trace.keys[0]) <= _FEWEST_TANGENTS:
        return trace
    if style != "wide":
        return with_tangents(trace, _FEWEST_TANGENTS)
    measured = trace._replace(rows=list(islice(trace.rows, _SAMPLE)))
    for count in range(min(len(trace.keys[0]), _MOST_TANGENTS), _FEWEST_TANGENTS, -1):
        (table,) = tables(with_tangents(measured, count), style, digits)
        if sum(column_widths(table)) + _BETWEEN * (table.columns - 1) <= _PAGE:
            return with_tangents(trace, count)
    return with_tangents(trace, _FEWEST_TANGENTS)


def with_tangents(trace: Trace, count: int) -> Trace:
    """Return the trace with at most `count` tangents in its keys, in their former order.

    Those of the inputs with the largest derivatives stay: absolute values, added up over all outputs (a sum that is nan
    counts as 0, as does a missing gradient); of equals the first. Rows and their tangents are unchanged.
    """
    dots, bars = trace.keys
    sizes = {key: sum(abs((output.gradient or {}).get(key, 0.0)) for output in trace.outputs) for key in dots}
    kept = sorted(dots, key=lambda key: sizes[key] if sizes[key] == sizes[key] else 0.0, reverse=True)[:count]
    return trace._replace(keys=(tuple(key for key in dots if key in kept), bars))


def omission_notes(trace: Trace, shown: Trace, more: Sequence[str] = ("--wrt", "--all")) -> list[Part]:
    """Return a paragraph, in a list, that says which tangents of `trace` are in `shown`; [] if none are left out.

    It reads `tangents for 3 of 20 inputs: a, b, c`. `more` are the options that show the other tangents; text names
    them, joined by `or`, but documents do not.
    """
    every, dots = trace.keys[0], shown.keys[0]
    if len(dots) == len(every):
        return []
    names = join_with_commas([write_name(name) for name in dots])
    ways: list[str] = [text for way in more for text in (" or ", Code(way))][1:]
    kept: list[str] = [f"tangents for {len(dots)} of {len(every)} inputs: ", names]
    return [Suited([Paragraph(Runs(*kept, "; show more with ", *ways))], [Paragraph(Runs(*kept))])]


def mark_foldable(parts: Iterable[Part]) -> list[Part]:
    """Return the parts with `folds` set for every table, so that a terminal may show only its first and last rows."""
    return [part._replace(folds=True) if isinstance(part, Table) else part for part in parts]


def is_long(trace: Trace) -> bool:
    """Return whether rows and outputs together are more than 24, about one screen."""
    return len(trace.rows) + len(trace.outputs) > _SCREEN


def results(trace: Trace, digits: Digits) -> tuple[list[Part], list[Part]]:
    """Return (parts before, parts after) the tables of a trace.

    A trace is long if its rows and outputs are more than 24 together. In text the table of results is then in both
    lists, since a screen shows only one end. In documents only the first list has a part: the table of values and
    derivatives, or that of results if an output has no gradient or there are products or directional derivatives of a
    seed.

    For a shorter trace the first list has the Jacobian, in documents only, if there are two to six outputs and inputs
    with gradients; otherwise both are empty.
    """
    before = jacobian(trace, digits)
    if not is_long(trace):
        return ([Suited((), before)] if before else []), []
    table = _results_table(trace, digits)
    return [Suited([table], [_derivatives_table(trace, digits) or table])], [Suited([table])]


def jacobian(trace: Trace, digits: Digits) -> list[Paragraph]:
    """Return a paragraph with the Jacobian as a matrix, in a list.

    Return [] unless there are two to six outputs, all with a gradient, and two to six inputs in these gradients.
    """
    names = [output.shown for output in trace.outputs]
    gradients = [output.gradient for output in trace.outputs if output.gradient]
    if not 1 < len(names) <= _FEW or len(gradients) < len(names) or not 1 < len(gradients[0]) <= _FEW:
        return []
    rows = [[number(slope, digits) for slope in gradient.values()] for gradient in gradients]
    return [Paragraph(table_formulas.jacobian(names, list(gradients[0]), rows))]


def _derivatives_table(trace: Trace, digits: Digits) -> Table | None:
    """Return the table, titled values and derivatives, of the outputs, a column for each: its value, and below a rule
    its derivative with respect to each input. The header has the outputs, the first column ∂y/∂x (with several outputs
    ∂/∂x).

    With more than six outputs, and more outputs than inputs, each output has a row instead, without a rule. None if an
    output has no gradient, or the trace has results of a seed.
    """
    outputs = trace.outputs
    if trace.products or any(not output.gradient or output.directional is not None for output in outputs):
        return None
    above = outputs[0].shown if len(outputs) == 1 else ""
    names = list(outputs[0].gradient or {})
    grid: list[tuple[str, ...]] = [("", *[write_name(output.shown) for output in outputs])]
    grid.append(("value", *[number(output.value, digits) for output in outputs]))
    slopes = ((name, [number((output.gradient or {})[name], digits) for output in outputs]) for name in names)
    grid += [(write_partial(above, name), *numbers) for name, numbers in slopes]
    by_row = len(outputs) > max(_FEW, len(names))
    head, *rows = list(zip(*grid, strict=True)) if by_row else grid
    right = tuple(range(1, len(head)))
    return Table(rows, head, () if by_row else (1,), "values and derivatives", right)


def _results_table(trace: Trace, digits: Digits) -> Table:
    """Return a table, titled results, of pairs of cells (name, `= number`), without a header.

    It has the value, gradient and directional derivative of each output, and last the vector–Jacobian product; those
    that the trace lacks are left out. Each output, and the product, begins on a new line, with a rule between two of
    them. Up to six results have one line each. More are put up to four side by side, as many as fit into 76 columns.
    """
    blocks = result_cells(trace, digits)
    every = [cell for cells in blocks for cell in cells]
    names, numbers = (max((width(cell[k]) for cell in every), default=0) for k in (0, 1))
    columns = 1 if len(every) <= _FEW else max(1, min(4, _LINE // (names + numbers + 6)))
    rows: list[tuple[str, ...]] = []
    rules = []
    for cells in blocks:
        rules.append(len(rows))
        for start in range(0, len(cells), columns):
            rows.append(tuple(text for cell in cells[start : start + columns] for text in cell))
    return Table(rows, rules=tuple(rules[1:]), title="results")
