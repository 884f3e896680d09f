"""What keeps the traces of large problems in shape: results first and last, few tangents, and tables that fold."""

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
_FEW = 6  # results that stand one below the other
_LINE = 76  # columns of text that results beside one another may take


def few_tangents(trace: Trace) -> Trace:
    """The trace with the tangents that are shown where both sweeps were asked for, and no inputs by name."""
    dots, bars = trace.keys
    if trace.mode != "both" or trace.wrt or SEED in dots or len(dots) <= _MOST_TANGENTS:
        return trace
    return trace._replace(keys=(dots[:_MOST_TANGENTS], bars))


def left_out(trace: Trace, shown: Trace, more: Sequence[str] = ("--wrt", "--all")) -> list[Part]:
    """One line that tells which tangents are shown, if not all are, and what shows `more`."""
    every, dots = trace.keys[0], shown.keys[0]
    if len(dots) == len(every):
        return []
    names = listed([named(name) for name in dots])
    ways: list[str] = [text for way in more for text in (" or ", Code(way))][1:]
    return [Paragraph(Runs(f"tangents by {len(dots)} of {len(every)} inputs: ", names, "; more by ", *ways))]


def folding(parts: Iterable[Part]) -> list[Part]:
    """The parts, whose tables may fold."""
    return [part._replace(folds=True) if isinstance(part, Table) else part for part in parts]


def is_long(trace: Trace) -> bool:
    """Whether a trace is longer than a screen or so."""
    return len(trace.rows) + len(trace.outputs) > _SCREEN


def results(trace: Trace, digits: Digits) -> Table:
    """Values and gradients in a short block: several to a line, each output on lines of its own."""
    found = result_cells(trace, digits)
    every = [cell for cells in found for cell in cells]
    names, numbers = (max((width(cell[k]) for cell in every), default=0) for k in (0, 1))
    beside = 1 if len(every) <= _FEW else max(1, min(4, _LINE // (names + numbers + 6)))
    rows: list[tuple[str, ...]] = []
    rules = []
    for cells in found:
        rules.append(len(rows))
        for start in range(0, len(cells), beside):
            rows.append(tuple(text for cell in cells[start : start + beside] for text in cell))
    return Table(rows, rules=tuple(rules[1:]), title=AnyText("results"))
