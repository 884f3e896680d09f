"""One step of a sweep on a terminal: the table so far, the step itself, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..records import NamedTuple
from .document_parts import Table
from .plain import broken
from .step_sentences import Account, Line

_HIDDEN = "?"


class Moment(NamedTuple):
    """Where a walk is: the sweep, the step in it, and whether the number of that step is shown."""

    sweep: int
    step: int
    known: bool


def equation(line: Line, known: bool) -> str:
    """The step, with a question mark for its number where that is still to be found."""
    return line.equation if known else " = ".join((line.symbol, *line.working, _HIDDEN))


def screen(
    head: str, accounts: Sequence[Account], moment: Moment, size: tuple[int, int], draw: Callable[[Table], str]
) -> str:
    """What a terminal of so many columns and lines shows; of a long table the last rows."""
    columns, lines = size
    account = accounts[moment.sweep]
    line = account.lines[moment.step]
    place = f"{account.title}: step {moment.step + 1} of {len(account.lines)}"
    above = [*broken(head, columns), "", *broken(place, columns)]
    if moment.step == 0:
        above += broken(" ".join(account.opening), columns)
    said = (*line.before, *line.after) if moment.known else line.before
    below = [*broken(equation(line, moment.known), columns), *broken(" ".join(said), columns)]
    if moment.known and line is account.lines[-1]:
        below += [piece for text in account.results for piece in broken(text, columns)]
    room = max(lines - len(above) - len(below) - 6, 1)  # rules, blank lines, and two lines for the reader
    first = max(moment.step + 1 - room, 0)
    shown = account.lines[first : moment.step + 1]
    return "\n".join([*above, draw(_table(shown, moment)).rstrip("\n"), "", *below, ""])


def _table(lines: Sequence[Line], moment: Moment) -> Table:
    rows: list[tuple[str, ...]] = []
    for line in lines:
        current = line is lines[-1]
        numbers = line.numbers if moment.known or not current else (_HIDDEN,)
        working = " ".join(f"= {text}" for text in line.working)
        rows.append(("→" if current else "", line.symbol, working, " ".join(f"= {text}" for text in numbers)))
    return Table(rows)
