"""Tables drawn with blanks or tabs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ...errors import Source, Span
from .collector import Cut
from .headers import columns
from .symbols import Names

_GAP = re.compile(r" {2,}|\t+")
RULE = re.compile(r"[\s─━═┄┈╌│┃┼╋╪┬┴├┤+|:=_-]*[─━═┄┈╌=_-]{3}[\s─━═┄┈╌│┃┼╋╪┬┴├┤+|:=_-]*\Z")


def is_header(line: str, names: Names) -> bool:
    """Whether a line without pipes is the header of a table."""
    words = _GAP.split(line.strip())
    first = [""] if line[:2].isspace() else []
    return len(words) + len(first) > 1 and columns([*first, *words], names) is not None


def cells(sources: Sequence[Source], names: Names) -> list[list[Cut]]:
    """The cells of the lines of a table: between tabs, or columns of blanks that go through all lines.

    Where the columns of a table by hand do not stand under each other, its lines fall apart at wide gaps.
    """
    if any("\t" in source.text for source in sources):
        return [_between(source, [m.span() for m in re.finditer(r"\t", source.text)]) for source in sources]
    apart = [_between(source, [m.span() for m in _GAP.finditer(source.text)]) for source in sources]
    if all(len(line) == len(apart[0]) for line in apart):
        return apart
    found = _under_each_other(sources)
    return found if columns([cell.text for cell in found[0]], names) else apart


def _under_each_other(sources: Sequence[Source]) -> list[list[Cut]]:
    lines = [source.text for source in sources]
    places = [_columns(line) for line in lines]
    width = max(map(len, places))
    used = bytearray(width + 1)
    for line, place in zip(lines, places, strict=True):
        for column, offset in enumerate(place):
            if not line[offset].isspace():
                used[column] = 1
    gaps = [match.span() for match in re.finditer(b"\0\0+", bytes(used))]
    found = []
    for source, place in zip(sources, places, strict=True):
        offsets = [*place, *[len(source.text)] * (width + 1 - len(place))]
        found.append(_between(source, [(offsets[start], offsets[min(end, width)]) for start, end in gaps]))
    return found


def _columns(line: str) -> list[int]:
    """For each column of a terminal the offset of the character in it."""
    columns: list[int] = []
    for offset, character in enumerate(line):
        if not unicodedata.combining(character):
            columns += [offset] * (2 if unicodedata.east_asian_width(character) in "WF" else 1)
    return columns


def _between(source: Source, gaps: Sequence[tuple[int, int]]) -> list[Cut]:
    """The cells between gaps, without the blanks around them."""
    starts = [0, *(end for _, end in gaps)]
    ends = [*(start for start, _ in gaps), len(source.text)]
    found = [trimmed(source, start, max(start, end)) for start, end in zip(starts, ends, strict=True)]
    return found[:-1] if len(found) > 1 and not found[-1].text and gaps and gaps[-1][1] >= len(source.text) else found


def trimmed(source: Source, start: int, end: int) -> Cut:
    """A part of a line without blanks around it."""
    text = source.text[start:end]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    return Cut(text, Span(start, start + max(len(text), 1), source))
