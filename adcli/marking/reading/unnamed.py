"""Unnamed rows, `x^2 = 9`: their values decide which rows of the problem they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...graph.tape import evaluate
from ...language.problems import in_arithmetic
from ...numbers.double_intervals import SPREAD, Spread
from ...patterns import pattern
from ...trace.request_choices import NUMBERINGS
from ..model import VALUE, LeftOut, RowPiece, Task
from ..programs.reference_traces import standard
from .answer import Script
from .collector import RawRow, RawSection
from .entries import is_prose
from .symbols import Names

_OPERATION = pattern(r"[\w)]\s*[-+*/^·×]\s*[\w(]")  # a row of a table that is called by its formula
_CLOSE = 1e-9  # of two results of the same formula
_DUAL = "dot("  # before the name of what a dual number says of a tangent


def with_names(part: RawSection, script: Script, names: Names, task: Task) -> RawSection:
    """Return the section with rows without a name named after the row of the problem's trace that they compute.

    A true computation that is not a row of the trace goes to `left_out`; other rows without a name stay as they are. If
    every row has a name, `part` itself is returned.
    """
    lefts = script.lefts
    lacking = {
        id(row)
        for row in part.rows
        if lefts[row.left.text] is None and row.left.text and (not is_prose(row) or _OPERATION.search(row.left.text))
    }
    if not lacking:
        return part
    found = RawSection(part.section)
    found.unread, found.left_out = part.unread, list(part.left_out)
    known = {name: in_arithmetic(SPREAD, x) for name, x in task.at.items()}
    before = dict(known)  # what rows further up have said
    taken = {left.quantity.name for row in part.rows if (left := lefts[row.left.text])}
    free = {name: x for name, x in _steps(task) if name not in taken}
    called: dict[str, str] = {}  # names by the formulas that rows are called by
    last = ""
    for row in part.rows:  # r² = 25 may stand before r = 5
        if id(row) not in lacking:
            _learn(row, script, names, known)
    for row in part.rows:
        if id(row) not in lacking:
            found.rows.append(row)
            _learn(row, script, names, before)
            continue
        if row.left.text.startswith(_DUAL):
            if last:
                found.rows.append(row._replace(left=row.left._replace(text=f"{_DUAL}{last})")))
            continue
        last = ""
        if row.hint is not None:  # a derivative in a column
            name = called.get(row.left.text)
            found.rows.append(row if name is None else row._replace(left=row.left._replace(text=name)))
            continue
        formula = script.formula(row.left, names)
        value = _value(formula, known)
        name = None if value is None else next((name for name, x in free.items() if _agree(x, value)), None)
        if name is not None:
            last = called[row.left.text] = name
            del free[name]
            is_label = row.table or _value(formula, before) is None  # in a table other rows need not be used
            pieces = row.pieces if is_label else [row.left, *row.pieces]
            found.rows.append(row._replace(left=row.left._replace(text=name), pieces=pieces, place=row.left.span))
        elif value is not None and _is_true(row, value, script, names):
            found.left_out.append(LeftOut(row.left.span, "arithmetic beside the rows"))
        else:
            found.rows.append(row)
    return found


def _steps(task: Task) -> Iterator[tuple[str, Spread]]:
    """Yield name (the task's, if the row has one) and value of each row of the problem's reference trace."""
    reference = standard(task, NUMBERINGS[0])
    graph = reference.graph
    point = {slot: in_arithmetic(SPREAD, task.at[name]) for slot, name in graph.inputs.items()}
    values = evaluate(graph, SPREAD, point)
    for slot, name in reference.names.items():
        value = values[slot]
        if value is not None:
            yield graph.aliases.get(slot, name), SPREAD.number(value)


def _learn(row: RawRow, script: Script, names: Names, known: dict[str, Spread]) -> None:
    """Add the first value that a named row states to `known`, unless the name has one."""
    left = script.lefts[row.left.text]
    if left is None or left.quantity.kind != VALUE or row.hint is not None:
        return
    for piece in row.pieces:
        value = _value(script.formula(piece, names), known)
        if value is not None:
            known.setdefault(left.quantity.name, value)
            return


def _value(piece: RowPiece | None, known: Mapping[str, Spread]) -> Spread | None:
    """Return the value of a number or formula whose names are all in `known`; None otherwise.

    None too for a missing piece, for a formula with derivatives, and if the value is undefined.
    """
    if piece is None:
        return None
    if piece.number is not None:
        return SPREAD.number(piece.number.value)
    graph, used = piece.graph, piece.quantities
    if graph is None or any(each.kind != VALUE or each.name not in known for each in used.values()):
        return None
    point = {slot: known[used[symbol].name] for slot, symbol in graph.inputs.items()}
    found = SPREAD.number(evaluate(graph, SPREAD, point)[graph.outputs[0][1]])
    return found if found.known else None


def _agree(one: Spread, other: Spread) -> bool:
    """Return whether two values are equal up to rounding."""
    return abs(one.middle - other.middle) <= _CLOSE * (1 + abs(one.middle))


def _is_true(row: RawRow, value: Spread, script: Script, names: Names) -> bool:
    """Return whether every number of the row equals `value` within a unit of its last place; formulas are
    not compared.
    """
    for cut in row.pieces:
        piece = script.formula(cut, names)
        if piece is None or piece.number is None:
            continue
        if abs(float(piece.number.value) - value.middle) > float(piece.number.unit):
            return False
    return True
