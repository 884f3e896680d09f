"""Points that an answer states, `f(2, 3)`, `|_{x=2}`, `at (2, 3)`, and P of `P = (2, 3)`: is one of them another point
than that of the problem?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ..answer_model import Numeral
from ..collector import RawRow, RawSection
from ..line_rewriting import row_pattern
from ..numerals import numeral
from ..row_tokens import names_in
from ..symbols import Names
from .iterations import differs, input_of_iterate

ELSEWHERE = "a value at another point"
_APPROXIMATIONS = ("L", "T", "P")
_NONE: Mapping[str, str] = MappingProxyType({})
_AT = ("t ", "i ", "n ", "m ", "u ", "r ")  # ends of the words before a point
_ARGUMENTS = row_pattern("{ARGUMENTS}", signs=")]")
_STATED = row_pattern("{STATED_POINT}", signs=("|", "∣", "\\", "_(", "_{", *_AT))


class StatedPoints:
    """The points of a section: those with a name, and the lines that begin with another point than the problem's."""

    def __init__(self, part: RawSection, names: Names) -> None:
        """Collect them: a name is the last word on the left of a row with a list of as many numbers as inputs."""
        self.names = names
        self.points: dict[str, str] = {}
        self.starts: dict[int, list[int]] = {}  # of the rows in each line
        for row in part.rows:
            self.starts.setdefault(row.left.span.source.first_line, []).append(row.left.span.start)
            text = row.pieces[0].text.strip(". ") if len(row.pieces) == 1 else ""
            numbers = [numeral(number) for number in text.strip("()[]").split(",")]
            name = "".join(row.left.text.split()[-1:])
            is_point = text[:1] in ("(", "[") or (input_of_iterate(name, names) is not None and name.endswith("0"))
            if len(numbers) == len(names.inputs) and is_point and None not in numbers and name not in names.known:
                self.points[name] = text.strip("()[]")
        headings = [omission.span.source.first_line for omission in part.left_out if omission.why == ELSEWHERE]
        below = [
            (line, [row.block for row in part.rows if row.left.span.source.first_line > line]) for line in headings
        ]
        self.blocks = {blocks[0]: line for line, blocks in below if blocks}  # by block the line of its heading

    def is_elsewhere(self, row: RawRow) -> bool:
        """Return whether the row is at another point: one that it states, a label of its line, or a heading above.

        A heading counts for the rest of the block that follows it, a label, `at (2, 3): f = 18`, for all rows of the
        line; neither for a row that states the problem's point."""
        if not self.names.point:
            return False
        spans = (row.left.span, *(piece.span for piece in row.pieces))
        sources = {span.source.first_line: span.source.text for span in spans}
        line, start, text = row.left.span.source.first_line, row.left.span.start, row.left.span.source.text
        following = min((each for each in self.starts[line] if each > start), default=len(text))
        first = 0 if start == min(self.starts[line]) else start
        others = [each for number, each in sources.items() if number != line and number not in self.starts]
        stated = [states_other_point(each, self.names, self.points) for each in (text[first:following], *others)]
        called = self._is_called_elsewhere(text[start : row.left.span.end])
        if any(stated) or called:
            return True
        if False in stated or called is False:
            return False
        return bool(self._label(text)) or self.blocks.get(row.block, line) < line

    def _label(self, text: str) -> bool | None:
        """Return whether a line begins with another point, before a comma or colon; None if it begins with none."""
        inside, _, rest = text.lstrip(" (").partition(")")
        if text.lstrip().startswith("(") and rest.lstrip().startswith(":"):
            return _is_other(inside, self.names, self.points)
        match = _STATED.search(text)
        if match is None or text[match.end() :].lstrip()[:1] not in (",", ":"):
            return None
        has_result = any(map(self.names.result_of, names_in(text[: match.start()])))
        return None if has_result else _is_other(match["inside"] or match["bare"], self.names, self.points)

    def _is_called_elsewhere(self, text: str) -> bool | None:
        """Return whether a left side is a result or its derivative with another point in brackets, `∂f/∂x(2, 3)`.

        The name may be L, T or P, an approximation. None without such brackets: they have as many items as there are
        inputs, all numbers, all iterates of inputs or a name of a point. Iterates, `f(x_1)`, are another point if none
        is x_0."""
        for match in _ARGUMENTS.finditer(text):
            stems = {each.partition("_")[0] for each in names_in(text[: match.start()].replace("\\partial", ""))}
            stems |= {each.removeprefix("d") for each in stems if "/" in text}
            inside = match["inside"]
            parts = inside.split(",")
            is_result = not stems.isdisjoint(_APPROXIMATIONS) or any(map(self.names.result_of, stems))
            if not is_result or (len(parts) != len(self.names.inputs) and inside.strip() not in self.points):
                continue
            if all(input_of_iterate(part.strip(), self.names) for part in parts) and inside not in self.points:
                return not any(part.strip("{} ").endswith("0") for part in parts)
            return _is_other(inside, self.names, self.points)
        return None


def states_other_point(text: str, names: Names, points: Mapping[str, str] = _NONE) -> bool | None:
    """Return whether `text` states another point than the problem's, after a bar or a word such as `at`, or None if
    it states no point. `points` are those with a name, as they are written."""
    text = text.replace("{,}", ".")
    stated = [
        _is_other(match["inside"] or match["bare"], names, points)
        for match in _STATED.finditer(text)
        if "_" in match[0] or text[match.start()] != "|" or not text[: match.start()].count("|") % 2  # |x - 2|y
    ]
    known = [each for each in stated if each is not None]
    return any(known) if known else None


def _is_other(text: str, names: Names, points: Mapping[str, str]) -> bool | None:
    """Return whether a point as it is written, `2, 3`, `x=2, y=3` or the name of one in `points`, is another than the
    problem's; None if it is not a point.

    A value with a name is compared with that input. Numbers without names must be as many as the inputs; they are
    compared in the orders of the problem, of its point and of the alphabet, and must differ in each."""
    text = points.get(text.partition("=")[0].strip(), text)
    for sign in (" and ", " und ", " et "):
        text = text.replace(sign, ";")
    mark = ";" if ";" in text else "|" if "|" in text else ","
    items = [item.rpartition("=") for item in text.split(mark)]
    numbers = [numeral(number.strip()) or numeral(number.strip(), "comma") for _, _, number in items]
    values = [names.point.get(names.own(name.strip(" $\\"))) for name, _, _ in items]
    if any(equals for _, equals, _ in items):
        pairs = [(number, x) for number, x in zip(numbers, values, strict=True) if x is not None and number is not None]
        return any(differs(number, float(x)) for number, x in pairs) if pairs else None
    if len(numbers) != len(names.inputs) or None in numbers:
        return None
    orders = [each for each in (names.inputs, [*names.point], sorted(names.inputs)) if len(each) == len(numbers)]
    return all(_is_away(numbers, order, names) for order in orders)


def _is_away(numbers: Sequence[Numeral | None], order: Sequence[str], names: Names) -> bool:
    """Return whether one of `numbers` is not the value of the input at its place in `order`, as far as it is known."""
    pairs = [(number, names.point.get(input_name)) for number, input_name in zip(numbers, order, strict=True)]
    return any(x is not None and number is not None and differs(number, float(x)) for number, x in pairs)
