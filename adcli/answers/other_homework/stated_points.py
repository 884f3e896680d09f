"""Stated points, `f(2, 3)`, `|_{x=2}`, `at (2, 3)` and P of `P = (2, 3)`: is one another than the problem's?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ..answer_model import Numeral
from ..collector import RawRow, RawSection
from ..dual_numbers import has_epsilon, moving_inputs
from ..line_rewriting import BLANK, apply_rules, row_pattern
from ..numerals import numeral
from ..row_tokens import names_in
from ..spellings import DUAL_CALLS
from ..symbols import Names
from .iterations import differs, input_of_iterate, last_word

ELSEWHERE = "a value at another point"
_APPROXIMATIONS = ("L", "T", "P")
_NONE: Mapping[str, str] = MappingProxyType({})
_DERIVATIVES = frozenset("=/'_∂∇")
_AT = tuple(f"{letter} " for letter in "tinmurfleo")  # ends of the words before a point
_ARGUMENTS = row_pattern("{ARGUMENTS}", signs=")]")
_STATED = row_pattern("{STATED_POINT}", signs=("|", "∣", "\\", "_(", "_{", *_AT))


class StatedPoints:
    """The points of a section: those with a name, and headings that state another point than the problem's."""

    def __init__(self, part: RawSection, names: Names) -> None:
        """Collect `points`, {P: "2, 3"} for a row `P = (2, 3)`, and `headings`, {block below it: its line}.

        Headings are the lines of `part` that are left out with the reason ELSEWHERE.
        """
        self.names = names
        self.points = dict(point for row in part.rows if (point := _named_point(row, names)) is not None)
        self.starts: dict[int, list[int]] = {}  # of the rows in each line, in order
        for line, start in sorted((row.left.span.source.first_line, row.left.span.start) for row in part.rows):
            self.starts.setdefault(line, []).append(start)
        self.orders = _stated_orders(part, names)
        lines = [omission.span.source.first_line for omission in part.left_out if omission.why == ELSEWHERE]
        below = ([row for row in part.rows if row.left.span.source.first_line > line] for line in lines)
        self.headings = {rows[0].block: line for line, rows in zip(lines, below, strict=True) if rows}

    def is_elsewhere(self, row: RawRow) -> bool:
        """Return whether the row is at another point: one that it states, a label of its line, or a heading above.

        A heading counts for the block that follows it, a label, `at (2, 3): f = 18`, for the rows of the line up to the
        next label; neither for a row that states the problem's point. False if the problem has no point."""
        span, points = row.left.span, self.points
        texts = self._texts(row) if self.names.point else ()
        stated = [states_other_point(text, self.names, points) for text in texts]
        stated.append(self._is_called_elsewhere(span.source.text[span.start : span.end]) if self.names.point else False)
        known = [each for each in stated if each is not None]
        if known:
            return any(known)
        line, before = span.source.first_line, span.source.text[: span.end].partition("\n")[0]
        return self._is_label(before) or self.headings.get(row.block, line) < line

    def _texts(self, row: RawRow) -> Iterator[str]:
        """Yield the text of the row up to the next one, from the start of the line for its first row, and the text of
        other lines with its pieces."""
        source, start = row.left.span.source, row.left.span.start
        starts = self.starts[source.first_line]
        place = bisect_right(starts, start)
        end = starts[place] if place < len(starts) else len(source.text)
        yield source.text[start * (start > starts[0]) : end]
        lines = {piece.span.source.first_line: piece.span.source.text for piece in row.pieces}
        yield from (text for line, text in lines.items() if line not in self.starts)

    def _is_label(self, text: str) -> bool:
        """Return whether the last point that stands for itself in `text`, the line before a row, is another one.

        It is in brackets at the start, `(4, 5): …` or `(4, 5) f`, or after a word, `but at (4, 5) we get`, or before a
        comma or colon, and its clause has no result and no sign of a derivative or equation before it."""
        inside, _, rest = text.lstrip(" (").partition(")")
        if text.lstrip().startswith("(") and ("," in inside or rest.lstrip().startswith(":")):
            return bool(_is_other(inside, self.names, self.points, self.orders))
        is_label = False
        for match in _STATED.finditer(text):
            is_other = _is_other(match["inside"] or match["bare"], self.names, self.points)
            clause = text[: match.start()].replace(";", ",").rpartition(",")[2]
            is_alone = match[0][0].isalpha() or text[match.end() :].lstrip()[:1] in (",", ":")
            has_result = not _DERIVATIVES.isdisjoint(clause) or any(map(self.names.result_of, names_in(clause)))
            is_label = is_other if is_alone and is_other is not None and not has_result else is_label
        return is_label

    def _is_called_elsewhere(self, text: str) -> bool | None:
        """Return whether a left side is a result or its derivative with another point in brackets, `∂f/∂x(2, 3)`.

        The name may be L, T or P, an approximation. None without such brackets: they have as many items as there are
        inputs, all numbers, dual numbers or iterates of inputs, or the name of a point. Iterates, `f(x_1)`, are another
        point if none is x_0."""
        text = apply_rules(text, DUAL_CALLS)
        for match in _ARGUMENTS.finditer(text):
            stems = {each.partition("_")[0] for each in names_in(text[: match.start()].replace("\\partial", ""))}
            stems |= {each.removeprefix("d") for each in stems if "/" in text}
            inside, parts = match["inside"].strip(), match["inside"].split(",")
            if stems.isdisjoint(_APPROXIMATIONS) and not any(map(self.names.result_of, stems)):
                continue
            if has_epsilon(inside):
                return moving_inputs(parts, self.names) is None
            if inside in self.points or not all(input_of_iterate(part.strip(), self.names) for part in parts):
                return _is_other(inside, self.names, self.points, self.orders)
            if len(parts) == len(self.names.inputs):
                return not any(part.strip("{} ").endswith("0") for part in parts)
        return None


def _stated_orders(part: RawSection, names: Names) -> list[tuple[str, ...]]:
    """Return the orders of all inputs in which left sides have them as arguments, `f(x, w, b)`."""
    calls = (match["inside"] for row in part.rows for match in _ARGUMENTS.finditer(row.left.text))
    stated = (tuple(names.own(argument.strip()) for argument in inside.split(",")) for inside in calls)
    return [order for order in dict.fromkeys(stated) if sorted(order) == sorted(names.inputs)]


def _named_point(row: RawRow, names: Names) -> tuple[str, str] | None:
    """Return (P, "2, 3") for the row `P = (2, 3)` with as many numbers as inputs, or `x0 = 2`; None for another."""
    text, name = row.pieces[0].text.strip(". ") if len(row.pieces) == 1 else "", last_word(row)
    numbers = [numeral(number) for number in text.strip("()[]").split(",")]
    is_point = text[:1] in ("(", "[") or (name.endswith("0") and input_of_iterate(name, names) is not None)
    is_whole = len(numbers) == len(names.inputs) and None not in numbers and name not in names.known
    return (name, text.strip("()[]")) if is_point and is_whole else None


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of stated points in a text, without those behind the bars of a modulus, as in `|x - 2|y`."""
    for match in _STATED.finditer(text):
        if "_" in match[0] or text[match.start()] != "|" or not text[: match.start()].count("|") % 2:
            yield match


def states_other_point(text: str, names: Names, points: Mapping[str, str] = _NONE) -> bool | None:
    """Return whether `text` states another point than the problem's, after a bar or a word such as `at`; None if it
    states no point. `points` are those with a name, as they are written."""
    matches = _matches(text.replace("{,}", "."))
    stated = [_is_other(match["inside"] or match["bare"], names, points) for match in matches]
    known = [each for each in stated if each is not None]
    return any(known) if known else None


def without_point(text: str, names: Names) -> str:
    """Return the line `text` without the values of inputs at its end, `f_x = 2xy | x=3, y=2`, whatever they are, if an
    equation is before them; the length stays the same."""
    end = len(text.rstrip(" .;\u00a0"))
    for match in _matches(text):
        stated = {names.own(name) for name, _ in _items(match["inside"] or match["bare"])}
        if match.end() == end and stated <= names.point.keys() and "=" in text[: match.start()]:
            return text[: match.start()].ljust(len(text), BLANK)
    return text


def _is_other(text: str, names: Names, points: Mapping[str, str], stated: Sequence[Sequence[str]] = ()) -> bool | None:
    """Return whether a point as it is written, `2, 3`, `x=2, y=3` or the name of one in `points`, is another than the
    problem's; None if it is not a point.

    A value with a name is compared with that input. Numbers without names must be as many as the inputs; they are
    compared in the orders of the problem, of its point, of the alphabet and those `stated`, and must differ in each."""
    items = _items(points.get(text.partition("=")[0].strip(), text))
    inputs = [names.own(name) for name, _ in items if name]
    numbers = [number for _, number in items if number is not None]
    if inputs:
        are_known = len(inputs) == len(numbers) == len(items) and not names.point.keys().isdisjoint(inputs)
        return _is_away(numbers, inputs, names) if are_known else None
    known = (names.inputs, [*names.point], sorted(names.inputs), *stated)
    orders = [each for each in known if len(each) == len(numbers)]
    return all(_is_away(numbers, order, names) for order in orders) if orders and len(numbers) == len(items) else None


def _items(text: str) -> list[tuple[str, Numeral | None]]:
    """Return (name, number) of each item of a point, `x=2, y=3`; "" without a name, None if it is not a number."""
    for sign, plain in ((" and ", ";"), (" und ", ";"), (" et ", ";"), (" were ", "=")):
        text = text.replace(sign, plain)
    parts = [part.rpartition("=") for part in text.split(";" if ";" in text else "|" if "|" in text else ",")]
    return [(name.strip(" $\\"), numeral(x.strip()) or numeral(x.strip(), "comma")) for name, _, x in parts]


def _is_away(numbers: Sequence[Numeral], order: Sequence[str], names: Names) -> bool:
    """Return whether one of `numbers` is not the value of the input at its place in `order`, as far as it is known."""
    pairs = [(number, names.point.get(input_name)) for number, input_name in zip(numbers, order, strict=True)]
    return any(x is not None and differs(number, float(x)) for number, x in pairs)
