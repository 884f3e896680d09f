"""Correction: paths through the graph, `x → h → L: 1 → 0.46 → 0.85` or `dL/do → dL/dh = 3.7`."""

from __future__ import annotations

from ..answer_model import VALUE, Quantity
from ..chains import chains, inner
from ..collector import Cut
from ..numerals import numeral
from . import AnswerLine, Correction, NewRow

_SIGNS = ("→", "⇒", "⟶", "⟹", ">", "\\to", "\\rightarrow", "\\Rightarrow")


def _with_arrows(text: str) -> str:
    """Return a text, of the same length, in which each arrow is a `→` behind blanks and lines."""
    for sign in _SIGNS:
        text = text.replace(sign, "→".rjust(len(sign)))
    return text.replace("=→", " →")


def _steps(line: AnswerLine, start: int, end: int) -> list[Cut]:
    """Return the parts between the arrows of the text of a line from `start` to `end`."""
    text = _with_arrows(line.text)
    places = [place for place in range(start, end) if text[place] == "→"]
    parts = zip([start, *(place + 1 for place in places)], [*places, end], strict=True)
    return [line.cut(first, first + len(text[first:last].rstrip(" -─—"))) for first, last in parts]


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the rows that a line with arrows gives; None if it is no path of quantities.

    A path alone gives [], also with operations in it if it begins with an input. A second path, of numbers, behind a
    colon or an equals sign or alone on the line after a path, gives each name its number, as do numbers in brackets
    behind names. Behind a colon there may also be rows of their own; anything else behind either sign belongs to the
    last quantity.

    None if another part is not a name, if an equals sign precedes the arrow, and, without rows behind a colon, for two
    names that are a row of their own: the first is not a quantity above or an input, or the last is.
    """
    text = _with_arrows(line.text)
    arrow = text.find("→")
    ends = [place for place in range(arrow, len(text)) if text[place] in "=:"]
    start = ends[0] if ends else -1
    steps = _steps(line, text.rfind(":", 0, arrow) + 1, start if ends else len(text))
    if "=" in text[:arrow]:
        return None
    if all(numeral(step.text) for step in steps):
        return _numbered(line, steps)
    symbols = [line.lefts[step.text] for step in steps]
    quantities = [symbol.quantity for symbol in symbols if symbol]
    known = {symbol.quantity for row in line.rows if (symbol := line.lefts[row.left.text])}
    known |= (inputs := {Quantity(VALUE, name) for name in line.lefts.names.inputs})
    begin = line.lefts["".join(steps[0].text.split()[:1])]
    if start < 0 and begin and begin.quantity in inputs and not any(numeral(step.text) for step in steps):
        return []
    is_path = len(steps) > 2 or (quantities[:1] and quantities[0] in known and quantities[-1] not in known)
    behind = _split(line, line.text, start + 1) if start > 0 and line.text[start] == ":" else None
    if len(quantities) < len(steps) or not (is_path or behind):
        return None
    if start < 0 or behind:
        return behind or [row for step in steps if (row := _noted(step))]
    numbers = _steps(line, start + 1, len(line.text))
    if len(numbers) == len(steps) and all(numeral(number.text) for number in numbers):
        return [NewRow(step, [number]) for step, number in zip(steps, numbers, strict=True)]
    return _split(line, f"{line.text[:start]}={line.text[start + 1 :]}", steps[-1].span.start)


def _noted(step: Cut) -> NewRow | None:
    """Return the row of a step with a number in brackets behind its name, `h (0.46)`; None for any other step."""
    name, bracket, number = step.text.partition(" (")
    start = len(name) + len(bracket)
    number = number.removesuffix(")")
    return NewRow(inner(step, 0, len(name)), [inner(step, start, start + len(number))]) if numeral(number) else None


def _numbered(line: AnswerLine, numbers: list[Cut]) -> list[NewRow] | None:
    """Return a row for each name of the path in the line before and one of `numbers`; None if these do not fit."""
    above = AnswerLine(line.source, line.before, line.match, "", "", line.lefts, line.rows)
    names = [name.text.rpartition(":")[2].strip() for name in _steps(above, 0, len(line.before))]
    if len(names) != len(numbers) or any(line.lefts[name] is None for name in names):
        return None
    return [NewRow(number._replace(text=name), [number]) for name, number in zip(names, numbers, strict=True)]


def _split(line: AnswerLine, text: str, start: int) -> list[NewRow] | None:
    """Return the rows of `text`, which is as long as the line, from `start` on; None if it has none, or one with a left
    side that is not the symbol of a row.
    """
    rows = [
        NewRow(
            line.cut(start + left, start + end),
            [line.cut(start + first, start + last)._replace(sign=sign) for sign, first, last in pieces],
        )
        for (left, end), pieces in chains(text[start:])
    ]
    return rows if rows and all(line.lefts[row.left.text] for row in rows) else None


CORRECTION = Correction(
    "a path of arrows is not a row; numbers on a second path belong to its names", "x → h → L: 1 → 0.46 → 0.85",
    _SIGNS[:-1], _rows,
)  # fmt: skip
