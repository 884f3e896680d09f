"""Text, Markdown and LaTeX, line by line: rows, tables of any drawing, headings, and prose that is passed over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from ....errors import Source, Span
from ....table.primitive import lookup
from ...model import VALUE
from .. import aligned, latex, sections
from ..chains import chains, cut, cuts, has_relation
from ..collector import Collector, Cut
from ..left_sides import are_apart, symbol
from ..limits import CELLS
from ..markup import unescaped, without_comment, without_markup
from ..symbols import Names
from ..table_rows import read_table

_FENCE = re.compile(r"\s*+(?:```|~~~)")
_PIPE = re.compile(r"(?<!\\)[|│┃]")
_SEPARATOR = re.compile(r"\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+\Z")
_WORDS = re.compile(r"\S++(?: \S++)*+")
_ARROW = re.compile(r"\s*+(?:=>|->|[⇒→⟹∴]|\\(?:Rightarrow|implies|therefore|to)(?![A-Za-z]))")
_TUPLE = re.compile(r"\s*+\(?\s*+[^\W\d_]\w*+(?:\s*+,\s*+[^\W\d_]\w*+)++\s*+\)?\s*+=")  # (x1, x2) = (2, 5)
_LEADERS = re.compile(r"(?<=\s)\.{3,}(?=\s*[-−+]?\s*\d)")  # v1 = ln(x1) ..... 0.693
_SAID = re.compile(
    r"(.{1,100}?) (?:is|equals|becomes|ist|vaut|est)(?: about| approximately| roughly)? ([-−+]?\d[^\s]*)\s*\Z"
)
_OPERATIONS = frozenset("+-−*·×÷/^⋅∙")
_FORMULA = re.compile(r"[\d(*/^+√]")
_MOST_WORDS = 12  # of a formula that stands before its name
_LONGEST_TABLE_LINE = 2000


def read_text(collector: Collector, text: str, names: Names) -> None:
    """Takes the rows of a text."""
    Reader(collector, names).read(text.split("\n"))


class Reader:
    """Goes through the lines of a text.

    `table` holds the rows of a LaTeX table while one is open, `row` its last row as far as it has been read.
    """

    def __init__(self, collector: Collector, names: Names) -> None:
        self.collector = collector
        self.names = names
        self.comments = False
        self.table: list[list[Cut]] | None = None
        self.row: list[Cut] = []

    def read(self, lines: Sequence[str]) -> None:
        """Takes every line."""
        self.comments = any("\\begin{" in line or "\\[" in line for line in lines)
        place = 0
        while place < len(lines) and not self.collector.full:
            size = self._table_size(lines, place) if self.table is None else 0
            if size:
                self._table(lines[place : place + size])
                place += size
                continue
            source = self.collector.line(lines[place])
            place += 1
            if source is not None:
                self._line(source)
        self._end_table()

    # --- tables of pipes and blanks ----------------------------------------------------------------------------------

    def _table_size(self, lines: Sequence[str], place: int) -> int:
        """How many lines the table has that begins at a line; 0 where none begins."""
        line = lines[place]
        if len(line) > _LONGEST_TABLE_LINE:
            return 0
        end = place
        if _is_piped(line, lines[place + 1] if place + 1 < len(lines) else ""):
            while end < len(lines) and (_PIPE.search(lines[end]) or _is_rule(lines[end])):
                end += 1
        elif "\\" not in line and not has_relation(line) and aligned.is_header(line, self.names):
            while end < len(lines) and (lines[end].strip() or self._goes_on(lines, end)):
                end += 1
        return end - place

    def _goes_on(self, lines: Sequence[str], place: int) -> bool:
        """Whether a blank line only parts two groups of rows of one table."""
        following = lines[place + 1] if place + 1 < len(lines) else ""
        words = following[:_LONGEST_TABLE_LINE].split()
        return len(words) > 1 and not has_relation(following) and self._is_row(words[0])

    def _table(self, lines: Sequence[str]) -> None:
        sources = [source for line in lines if (source := self.collector.line(line)) is not None]
        kept = [source for source in sources if source.text.strip() and not _is_rule(source.text)]
        piped = _PIPE.search(lines[0]) is not None
        titled = True if piped and any(_SEPARATOR.match(line) for line in lines[:2]) else None
        table = [_piped(source) for source in kept] if piped else aligned.cells(kept, self.names)
        read_table(self.collector, self.names, table, titled=titled)

    # --- lines -------------------------------------------------------------------------------------------------------

    def _line(self, source: Source) -> None:
        text = source.text
        if self.comments:
            text = without_comment(text)
        if not source.text.strip():
            self.collector.next_block()
        elif not _FENCE.match(text) and not self._is_title(text):
            found = list(latex.marks(text))
            for start, end, _ in found:
                text = text[:start] + "\u00a0" * (end - start) + text[end:]
            cleaned = without_markup(text)
            place = 0
            for start, end, kind in found:
                self._part(source, cleaned, place, start)
                self._mark(kind)
                place = end
            self._part(source, cleaned, place, len(text))

    def _is_title(self, text: str) -> bool:
        """Takes a heading or the statement of a problem; titles of tables are remembered."""
        label = sections.heading(text)
        if label is None:
            label = sections.stated(text)
        if label is not None and self.table is None:
            self.collector.section(label or None)
            return True
        if not has_relation(text):
            words = without_markup(text)
            moving, result = sections.moving(words, self.names), sections.result(words, self.names)
            if moving or result:
                self.collector.moving, self.collector.result = moving, result
        return False

    def _mark(self, kind: str) -> None:
        if kind == latex.BREAK:
            if self.table is not None:
                self.table.append(self.row)
                self.row = []
        elif kind == latex.TABLE:
            self._end_table()
            self.table = []
        else:
            self._end_table()
            self.collector.next_block()

    def _end_table(self) -> None:
        if self.table is not None:
            table = [row for row in [*self.table, self.row] if any(cell.text for cell in row)]
            self.table, self.row = None, []
            read_table(self.collector, self.names, table)

    def _part(self, source: Source, text: str, start: int, end: int) -> None:
        """Takes a part of a line: cells of a table, or rows of text."""
        if not text[start:end].strip():
            return
        if self.table is not None:
            found = islice(latex.cells(text, start, end), max(CELLS - len(self.row), 0))
            self.row += [cut(source, text, *place) for place in found]
            return
        text = " " * start + self._without_arrow(_LEADERS.sub(_equals, text[start:end].replace("&", " ")))
        if _TUPLE.match(text):
            return
        rows = list(cuts(source, text, self._is_symbol, self._is_apart))
        for left, pieces in rows:
            if left.text:
                self._take(left, pieces)
            else:
                self.collector.go_on(pieces)
        if not rows:
            self.collector.open = False
            self._without_sign(source, text)

    def _without_arrow(self, text: str) -> str:
        """The text without an arrow before a whole row: `⇒ v1 = 5`."""
        arrow = _ARROW.match(text)
        if arrow is None:
            return text
        rest = text[arrow.end() :]
        found = chains(rest)
        return " " * arrow.end() + rest if found and self._is_symbol(rest[slice(*found[0].left)]) else text

    def _is_symbol(self, text: str) -> bool:
        return symbol(text, self.names) is not None

    def _is_apart(self, left: str, text: str) -> bool:
        return are_apart(symbol(left, self.names), symbol(text, self.names))

    def _take(self, left: Cut, pieces: list[Cut]) -> None:
        """Takes a row; in `v1: log(x1) = 0.693` the colon stands for an equals sign."""
        left, pieces = self._turned(left, pieces)
        before, colon, after = left.text.partition(":")
        if colon and after.strip() and not self._is_symbol(after) and self._is_symbol(before):
            source, start = left.span.source, left.span.start
            pieces = [cut(source, " " * start + left.text, start + len(before) + 1, start + len(left.text)), *pieces]
            left = Cut(before, Span(start, start + len(before), source))
        self.collector.row(left, pieces)

    def _turned(self, left: Cut, pieces: list[Cut]) -> tuple[Cut, list[Cut]]:
        """A row that is written backwards, `log(x1) → v1 = 0.693`, with its name first."""
        end = self._end_of_path(left, pieces)
        if end is not None:
            return pieces[end], pieces[end + 1 :]
        if self._is_symbol(left.text) or not _FORMULA.search(left.text) or len(left.text.split()) > _MOST_WORDS:
            return left, pieces
        place = next((k for k, piece in enumerate(pieces) if self._is_name(piece.text)), None)
        return (left, pieces) if place is None else (pieces[place], [left, *pieces[:place], *pieces[place + 1 :]])

    def _end_of_path(self, left: Cut, pieces: list[Cut]) -> int | None:
        """Where the name stands to which arrows lead from names and through operations: `x1 → ln → v1 = 0.693`."""
        text, end = left.span.source.text, left.span.end
        for place, piece in enumerate(pieces):
            if not _ARROW.match(text[end : piece.span.start]):
                found = place > 0 and self._is_symbol(left.text) and self._is_name(pieces[place - 1].text)
                return place - 1 if found else None
            if not (_is_operation(piece.text) or self._is_symbol(piece.text)):
                return None
            end = piece.span.end
        return None

    def _is_name(self, text: str) -> bool:
        """Whether a text is the name of a row and nothing else, and not that of an input."""
        found = symbol(text, self.names)
        if found is None or found.start > 0 or (len(text) > 1 and not self._is_row(text)):
            return False
        return found.quantity.kind != VALUE or found.quantity.name not in self.names.inputs

    def _without_sign(self, source: Source, text: str) -> None:
        """Takes `v1: 0.693` and `v1   log(x1)   0.693`, and passes prose over."""
        before, colon, after = text.partition(":")
        if colon and after.strip() and self._is_row(before):
            self.collector.row(cut(source, text, 0, len(before)), [cut(source, text, len(before) + 1, len(text))])
            return
        said = _SAID.match(text)
        if said and self._is_row(said[1]):
            self.collector.row(cut(source, text, *said.span(1)), [cut(source, text, *said.span(2))])
            return
        words = [match.span() for match in _WORDS.finditer(text)]
        if len(words) > 1 and self._is_row(text[slice(*words[0])]):
            cells = [cut(source, text, *word) for word in words]
            self.collector.row(cells[0], cells[1:], table=True)

    def _is_row(self, text: str) -> bool:
        """Whether a text names a row even without an equals sign: it has a digit, or is a name of the task."""
        found = symbol(text, self.names)
        name = found.quantity.name if found else ""
        return any(character.isdigit() for character in name) or name in self.names.known.values()


def _equals(match: re.Match[str]) -> str:
    return "=".ljust(len(match.group()), "\u00a0")


def _is_operation(text: str) -> bool:
    """Whether a text only names what is done: `ln`, `+`, `·`."""
    return text in _OPERATIONS or lookup(text.strip("\\").lower()) is not None


def _is_rule(line: str) -> bool:
    return bool(line.strip()) and aligned.RULE.match(line) is not None


def _is_piped(line: str, following: str) -> bool:
    """Whether a line is a row of a table of pipes, and no absolute value."""
    text = line.strip()
    if "│" in text or "┃" in text:
        return True
    count = len(_PIPE.findall(text))
    separated = bool(_SEPARATOR.match(following)) and "|" in following
    return count > 0 and (separated or (text[:1] == "|" and text[-1:] == "|" and count > 2))


def _piped(source: Source) -> list[Cut]:
    """The cells of a line with pipes."""
    text = source.text
    places = [match.start() for match in islice(_PIPE.finditer(text), CELLS)]
    starts, ends = [0, *(place + 1 for place in places)], [*places, len(text)]
    cells = [aligned.trimmed(source, start, end) for start, end in zip(starts, ends, strict=True)]
    cells = cells[not cells[0].text and bool(places) :]
    cells = cells[:-1] if len(cells) > 1 and not cells[-1].text else cells
    return [cell._replace(text=without_markup(unescaped(cell.text))) for cell in cells]
