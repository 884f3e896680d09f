"""The screen of a terminal for one step of a sweep: the table so far, the step itself and its sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .document_parts import Table
from .plain import break_text
from .step_sentences import Account, Line

_HIDDEN = "?"


def equation(line: Line, known: bool) -> str:
    """Return the step as an equation, `v1 = log x1 = log 2 = 0.69`; if its numbers are not `known` yet, `v1 = log x1 =
    ?`.
    """
    return line.equation if known else " = ".join((line.symbol, *line.working, _HIDDEN))


def screen(
    head: str, account: Account, step: int, known: bool, size: tuple[int, int], draw: Callable[[Table], str]
) -> str:
    """Return the text of a terminal of `size` (columns, lines) at the `step`, counted from 0, of the sweep `account`.

    It has the heading `head`, the position, the table of steps so far, the current equation and its sentences. The
    table has only the last steps that fit, at least one; `draw` lays it out. The opening is shown at the first step.
    Numbers of the current step, and sentences with numbers, are shown only if they are `known`; the results then follow
    the last step.
    """
    columns, lines = size
    line = account.lines[step]
    place = f"{account.title}: step {step + 1} of {len(account.lines)}"
    above = [*break_text(head, columns), "", *break_text(place, columns)]
    if step == 0:
        above += break_text(" ".join(account.opening), columns)
    sentences = (*line.before, *line.after) if known else line.before
    below = [*break_text(equation(line, known), columns), *break_text(" ".join(sentences), columns)]
    if known and line is account.lines[-1]:
        below += [piece for text in account.results for piece in break_text(text, columns)]
    room = max(lines - len(above) - len(below) - 6, 1)  # rules, blank lines, and two lines for the reader
    shown = account.lines[max(step + 1 - room, 0) : step + 1]
    return "\n".join([*above, draw(_steps_table(shown, known)).rstrip("\n"), "", *below, ""])


def _steps_table(lines: Sequence[Line], known: bool) -> Table:
    """Return the table (arrow, symbol, formulas, numbers) of the steps `lines`, of which the last is the current one.

    There is no header. The last row is marked by an arrow and, unless it is `known`, has `= ?` instead of numbers.
    """
    rows: list[tuple[str, ...]] = []
    for line in lines:
        current = line is lines[-1]
        numbers = line.numbers if known or not current else (_HIDDEN,)
        working = " ".join(f"= {text}" for text in line.working)
        rows.append(("→" if current else "", line.symbol, working, " ".join(f"= {text}" for text in numbers)))
    return Table(rows)
