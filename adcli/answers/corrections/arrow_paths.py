r"""Correction: paths of arrows through the graph, `x → h → L: 1 → 0.46 → 0.85` or `dL/do → dL/dh = 3.7`.

Signs: → ⇒ ⟶ ⟹ > \to \rightarrow
"""

from __future__ import annotations

from ...records import NamedTuple
from ..answer_model import VALUE, Quantity
from ..chains import inner
from ..collector import Cut
from ..numerals import numeral
from ..sessions import get_print
from . import AnswerLine, Correction, NewRow

_SIGNS = ("→", "⇒", "⟶", "⟹", ">", "\\to", "\\rightarrow", "\\Rightarrow")


def _with_arrows(text: str) -> str:
    """Return a text of the same length in which each arrow is a `→`, with blanks before it."""
    for sign in _SIGNS:
        text = text.replace(sign, "→".rjust(len(sign)))
    return text.replace("=→", " →")


def _steps(line: AnswerLine, start: int, end: int) -> list[Cut]:
    """Return the parts between the arrows of `line.text` from `start` to `end`; one part if there is no arrow.

    Arrows are those of `_SIGNS`, also `>` alone, `->` and `=>`. Blanks around a part, and the dashes of a long arrow
    after it (`x —→ y`), are removed. Parts may be empty.
    """
    text = _with_arrows(line.text)
    places = [place for place in range(start, end) if text[place] == "→"]
    parts = zip([start, *(place + 1 for place in places)], [*places, end], strict=True)
    return [line.cut(first, first + len(text[first:last].rstrip(" -─—"))) for first, last in parts]


class _Path(NamedTuple):
    """A path at the beginning of a line: its steps, and the offset `end` of the `=` or `:` after it (-1: there is
    none)."""

    steps: list[Cut]
    end: int


def _path_of(line: AnswerLine) -> _Path | None:
    """Return the path of a line with an arrow: the steps between arrows, and the offset of the next `=` or `:`.

    That is the first one after the first arrow; the offset is -1 if the path goes to the end of the line. The path
    begins after the last colon before the first arrow. `>` alone is an arrow, too. None if an equals sign precedes the
    first arrow, and for a call to print, `print(y) -> 3`. The caller makes sure that there is an arrow.
    """
    text = _with_arrows(line.text)
    arrow = text.find("→")
    end = next((place for place in range(arrow, len(text)) if text[place] in "=:"), -1)
    steps = _steps(line, text.rfind(":", 0, arrow) + 1, len(text) if end < 0 else end)
    return None if "=" in text[:arrow] or get_print(line.text) is not None else _Path(steps, end)


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the rows of a line that begins with a path of quantities: three of `x → h → L: 1 → 0.46 → 0.85`.

    The first that applies:
    - There is no path (`_path_of`): an equals sign precedes the first arrow, or the line is a call to print: None.
    - All steps are numbers: they belong to the names of the path on the line before; None if these are not as many.
    - The path ends the line, its first word is an input, and no step is a number: the rows of numbers in brackets,
      `x → h (0.46)`, else []; it may have operations in it.
    - A step is not the symbol of a row: None.
    - A colon and rows, all of known symbols, follow the path: these rows.
    - The path is not a row itself (`_is_path_only`): the rows of the numbers that belong to its steps (`_rows_behind`).
    - Every other path: None.
    """
    path = _path_of(line)
    if path is None:
        return None
    steps, end = path
    if all(numeral(step.text) for step in steps):
        return _rows_of_numbers(line, steps)
    if end < 0 and _begins_with_input(line, steps):
        return _rows_behind(line, steps, end)
    if any(line.lefts[step.text] is None for step in steps):
        return None
    behind = _rows_of_text(line, line.text, end + 1) if line.text[max(end, 0)] == ":" else None
    return behind or (_rows_behind(line, steps, end) if _is_path_only(line, steps) else None)


def _rows_behind(line: AnswerLine, steps: list[Cut], end: int) -> list[NewRow] | None:
    """Return the rows of the numbers that belong to the steps of a path.

    The first that applies:
    - The path ends the line (`end` is below 0): the numbers in brackets after its steps; [] if no step has one.
    - A second path with one number for each step follows: these numbers.
    - The text after `end` can be read as the rest of a row of the last step: this row. None if it cannot.
    """
    if end < 0:
        return [row for step in steps if (row := _row_with_number(step))]
    numbers = _steps(line, end + 1, len(line.text))
    if len(numbers) == len(steps) and all(numeral(number.text) for number in numbers):
        return [NewRow(step, [number]) for step, number in zip(steps, numbers, strict=True)]
    return _rows_of_text(line, f"{line.text[:end]}={line.text[end + 1 :]}", steps[-1].span.start)


def _inputs(line: AnswerLine) -> set[Quantity]:
    return {Quantity(VALUE, name) for name in line.lefts.names.inputs}


def _begins_with_input(line: AnswerLine, steps: list[Cut]) -> bool:
    """Return whether the first word of a path is an input and none of its steps is a number."""
    begin = line.lefts["".join(steps[0].text.split()[:1])]
    return begin is not None and begin.quantity in _inputs(line) and not any(numeral(step.text) for step in steps)


def _is_path_only(line: AnswerLine, steps: list[Cut]) -> bool:
    """Return True if a path of names only shows the way, False if it may be a row itself.

    True if it has three or more `steps`. With two, True if the first is known and the last is not: an input, or the
    left side of a row above in the section, is known.
    """
    known = {left.quantity for row in line.rows if (left := line.lefts[row.left.text])} | _inputs(line)
    first, last = ((left := line.lefts[step.text]) and left.quantity for step in (steps[0], steps[-1]))
    return len(steps) > 2 or (first in known and last not in known)


def _row_with_number(step: Cut) -> NewRow | None:
    """Return the row of a step with a number in brackets after its name, `h (0.46)`; None for every other step."""
    name, bracket, number = step.text.partition(" (")
    start = len(name) + len(bracket)
    number = number.removesuffix(")")
    return NewRow(inner(step, 0, len(name)), [inner(step, start, start + len(number))]) if numeral(number) else None


def _rows_of_numbers(line: AnswerLine, numbers: list[Cut]) -> list[NewRow] | None:
    """Return a row for each name of the path in the line before, with the number at the same position in `numbers`.

    The left side has the text of the name, and the span of the number. None if the line before has another number of
    steps, or a step that is not the symbol of a row; a title before a colon in a step does not count.
    """
    above = AnswerLine(line.source, line.before, line.match, "", "", line.lefts, line.rows)
    names = [name.text.rpartition(":")[2].strip() for name in _steps(above, 0, len(line.before))]
    if len(names) != len(numbers) or any(line.lefts[name] is None for name in names):
        return None
    return [NewRow(number._replace(text=name), [number]) for name, number in zip(names, numbers, strict=True)]


def _rows_of_text(line: AnswerLine, text: str, start: int) -> list[NewRow] | None:
    """Return the rows of `text`, which is as long as the line, from `start` on.

    None if there are no rows, or if a left side is not the symbol of a row.
    """
    rows = line.split_rows(start, len(text), text)
    return rows if rows and all(line.lefts[row.left.text] for row in rows) else None


CORRECTION = Correction(
    "names joined by arrows are not a row; numbers joined by arrows are their values", "x → h → L: 1 → 0.46 → 0.85",
    _rows,
)  # fmt: skip
