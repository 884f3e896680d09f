"""Large traces: results first and last, few tangents, and tables that fold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import width
from ..notation.number_text import Digits
from ..notation.table_formulas import listed, named
from ..trace.model import SEED, Trace
from .document_parts import AnyText, Code, Paragraph, Part, Runs, Table
from .trace_tables import result_cells

_MOST_TANGENTS = 3
_SCREEN = 24  # lines; a trace of more rows is long
_FEW = 6  # results up to this number have one line each
_LINE = 76  # width of a line with several results


def few_tangents(trace: Trace) -> Trace:
    """Return the trace with only the first three tangents in its keys.

    Unchanged unless the mode is both and there are more than three; also if inputs were chosen by name or the tangent
    is along a seed.
    """
    dots, bars = trace.keys
    if trace.mode != "both" or trace.wrt or SEED in dots or len(dots) <= _MOST_TANGENTS:
        return trace
    return trace._replace(keys=(dots[:_MOST_TANGENTS], bars))


def omission_notes(trace: Trace, shown: Trace, more: Sequence[str] = ("--wrt", "--all")) -> list[Part]:
    """Return a paragraph that says which tangents of `trace` are in `shown`; [] if none are left out.

    `more` are the options that show the others, joined by `or`.
    """
    every, dots = trace.keys[0], shown.keys[0]
    if len(dots) == len(every):
        return []
    names = listed([named(name) for name in dots])
    ways: list[str] = [text for way in more for text in (" or ", Code(way))][1:]
    return [Paragraph(Runs(f"tangents for {len(dots)} of {len(every)} inputs: ", names, "; show more with ", *ways))]


def folding(parts: Iterable[Part]) -> list[Part]:
    """Return the parts with every table marked as one that may fold."""
    return [part._replace(folds=True) if isinstance(part, Table) else part for part in parts]


def is_long(trace: Trace) -> bool:
    """Return whether rows and outputs together are more than 24, about one screen."""
    return len(trace.rows) + len(trace.outputs) > _SCREEN


def results(trace: Trace, digits: Digits) -> Table:
    """Return a table, titled results, of the values and derivatives (name, `= number`), each output on a new line after
    a rule.

    Up to six results have one line each; more are put up to four side by side, as many as fit into 76 columns.
    """
    blocks = result_cells(trace, digits)
    every = [cell for cells in blocks for cell in cells]
    names, numbers = (max((width(cell[k]) for cell in every), default=0) for k in (0, 1))
    beside = 1 if len(every) <= _FEW else max(1, min(4, _LINE // (names + numbers + 6)))
    rows: list[tuple[str, ...]] = []
    rules = []
    for cells in blocks:
        rules.append(len(rows))
        for start in range(0, len(cells), beside):
            rows.append(tuple(text for cell in cells[start : start + beside] for text in cell))
    return Table(rows, rules=tuple(rules[1:]), title=AnyText("results"))
