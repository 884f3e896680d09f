"""Drawn tables: with pipes, blanks or tabs between their cells; and drawn lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice

from ..errors import Source
from ..patterns import pattern
from .chains import between, cut, has_relation
from .collector import CELLS, Cut
from .headers import columns
from .markup import unescape, without_markup
from .symbols import Names

PIPE = pattern(r"(?<!\\)[|│┃]", signs="|│┃")
SEPARATOR = pattern(r"\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+\Z", signs=("--",))
_GAP, _TAB = pattern(r" {2,}|\t+", signs=("  ", "\t")), pattern(r"\t", signs="\t")
_SHORTEST_RULE = {"-": 3, "*": 3, "_": 5, "=": 3, "~": 3, "#": 3}
_DASHES, _CORNERS = "─━═┄┈╌=_-", "│┃┼╋╪┬┴├┤+|:"


def is_rule(line: str) -> bool:
    """Return whether a line has only dashes or the like (= and _ too), three or more in a row, and signs of tables, or
    is a separator such as `|--|--|`."""
    parts = "".join(" " if sign in _CORNERS else sign for sign in line).split()
    is_drawn = any(len(part) > 2 for part in parts) and not any(part.strip(_DASHES) for part in parts)
    return is_drawn or ("|" in line and SEPARATOR.match(line) is not None)


def is_separating_line(line: str) -> bool:
    """Return whether a line is drawn to separate two parts of an answer, `-----` or `* * * *`.

    Apart from blanks at its ends, the line repeats one of the signs - * _ = ~ #, 3 times or more (_ 5 times or more).
    The signs - and * may have single blanks anywhere between them (`-- --`); then 4 signs are needed, so that `* * *`
    is not a separating line.
    """
    text = line.strip()
    sign = text[:1]
    parts = text.split(" ") if sign in ("-", "*") else [text]
    if sign not in _SHORTEST_RULE or "" in parts:
        return False
    return set("".join(parts)) == {sign} and sum(map(len, parts)) >= _SHORTEST_RULE[sign] + (len(parts) > 1)


def is_piped(line: str, following: str) -> bool:
    """Return whether `line` is a row of a table with pipes, and not an expression with absolute values.

    The first that applies, apart from blanks at the ends of the line; pipes after a backslash do not count:

    - The whole line is in square brackets: False.
    - A drawn pipe (│ or ┃): True.
    - A pipe in `line`, and `following`, the next line, is a separator of dashes with a pipe, such as `|---|`: True.
    - More than two pipes, of which one begins and one ends the line: True.
    - Two or more pipes, each with a blank (or an end of the line) on both sides, and no relation such as =: True.
    - Anything else: False.
    """
    text = line.strip()
    if text[:1] + text[-1:] == "[]":  # a value of micrograd
        return False
    if "│" in text or "┃" in text:
        return True
    count = len(PIPE.findall(text))
    separated = bool(SEPARATOR.match(following)) and "|" in following
    is_framed = text[:1] == "|" and text[-1:] == "|" and count > 2
    is_spaced = count > 1 and f" {text} ".count(" | ") == count and not has_relation(text)
    return count > 0 and (separated or is_framed or is_spaced)


def split_pipes(source: Source) -> list[Cut]:
    """Return the cells between the pipes of a line, without markup and HTML entities.

    An empty cell before the first pipe or after the last one is dropped (`|` alone gives []). Only the first 60 pipes
    separate, and none after a backslash does: further ones stay in the last cell. Pipes in code or formulas separate.
    """
    pipes = [match.span() for match in islice(PIPE.finditer(source.text), CELLS)]
    cells = _cells_between(source, pipes)
    cells = cells[not cells[0].text and bool(pipes) :]
    cells = cells[:-1] if len(cells) > 1 and not cells[-1].text else cells
    return [cell._replace(text=without_markup(unescape(cell.text))) for cell in cells]


def is_header(line: str, names: Names) -> bool:
    """Return whether a line without pipes is the header of a table: words with wide gaps or tabs that name columns."""
    words = _GAP.split(line.strip())
    first = [""] if line[:2].isspace() else []
    return len(words) + len(first) > 1 and columns([*first, *words], names) is not None


def split_gaps(sources: Sequence[Source], names: Names) -> list[list[Cut]]:
    """Return the cells of each line of a table without pipes.

    The first that applies:

    - If any line has a tab, each tab separates the cells of all lines.
    - Wide gaps (two blanks or more, or tabs) separate the cells if all lines then have the same number of cells, also
      1.
    - Columns that are blank in all lines (`_aligned_cells`) separate the cells if the first line is then a header.
    - Each line is split at its own wide gaps.
    """
    has_tabs = any("\t" in source.text for source in sources)
    separate = [_cells_between(source, _gaps(source.text, _TAB if has_tabs else _GAP)) for source in sources]
    if has_tabs or all(len(line) == len(separate[0]) for line in separate):
        return separate
    aligned = _aligned_cells(sources)
    return aligned if columns([cell.text for cell in aligned[0]], names) else separate


def _gaps(text: str, shape: re.Pattern[str] = _GAP) -> list[tuple[int, int]]:
    return [gap.span() for gap in shape.finditer(text)]


def _aligned_cells(sources: Sequence[Source]) -> list[list[Cut]]:
    """Return the cells of each line, separated where two or more columns are blank in all lines.

    If the first line has more wide gaps than there are such places, and all lines have a blank column in each of its
    gaps, the cells are separated there instead, at the last run of columns in each gap that are blank in all lines. A
    line that ends early has empty cells there, but for the last. Columns are those of a terminal: combining characters
    have none, wide ones of East Asia two.
    """
    lines = [source.text for source in sources]
    places = [_offsets_by_column(line) for line in lines]
    width = max(map(len, places))
    used = bytearray(b" " * (width + 1))
    for line, place in zip(lines, places, strict=True):
        for column, offset in enumerate(place):
            if not line[offset].isspace():
                used[column] = ord("x")
    text = used.decode()
    gaps, blanks = _gaps(text), [_last_blanks(text, *gap) for gap in _gaps(lines[0].rstrip())]
    gaps = blanks if len(blanks) > len(gaps) and all(start < end for start, end in blanks) else gaps
    rows = []
    for source, place in zip(sources, places, strict=True):
        offsets = [*place, *[len(source.text)] * (width + 1 - len(place))]
        rows.append(_cells_between(source, [(offsets[start], offsets[min(end, width)]) for start, end in gaps]))
    return rows


def _last_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """Return start and end of the last run of blanks in `text` from `start` to `end`; an empty run if there is none."""
    part = text[start:end]
    last = len(part.rstrip("x"))
    return start + len(part[:last].rstrip()), start + last


def _offsets_by_column(line: str) -> list[int]:
    """Return, for each column of a terminal, the offset of the character in it."""
    columns: list[int] = []
    for offset, character in enumerate(line):
        if not unicodedata.combining(character):
            columns += [offset] * (2 if unicodedata.east_asian_width(character) in "WF" else 1)
    return columns


def _cells_between(source: Source, gaps: Sequence[tuple[int, int]]) -> list[Cut]:
    """Return the cells between `gaps`, pairs (start, end) in order, without blanks around them.

    There is one cell more than gaps; cells before the first gap and in gaps after the end of the line are empty, and
    kept. Only one empty cell after a gap that ends the line is dropped, and not if it is the only cell.
    """
    places = between(gaps, 0, len(source.text))
    cells = [cut(source, source.text, start, max(start, end)) for start, end in places]
    return cells[:-1] if len(cells) > 1 and not cells[-1].text and gaps and gaps[-1][1] >= len(source.text) else cells
