"""Delimited sheets: comma-, semicolon- and tab-separated text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...errors import Source, Span
from ...patterns import pattern
from ..chains import has_relation
from ..collector import CELLS, Collector, Cut
from ..headers import columns, is_column_word
from ..row_tokens import BETWEEN_DIGITS
from ..symbols import Names, NameSources
from . import AnswerFile, AnswerReader

_MARKS = ("\t", ";", ",")
_PAIR = pattern(r"\([-+\d.\s]++[,;][-+\d.,;\s]*+\)", signs="(")


def delimiter(text: str, suffix: str) -> str | None:
    """Return the character that separates the cells of a sheet, or None if `text` is not a sheet. IndexError if it is
    blank.

    Only the first 20 lines that are not blank count. The likely mark, of tab, semicolon and comma, is the one whose
    smallest number in a line (`_least_counts`) is the largest, and among equals the one most frequent in the first
    line. The first that applies:

    - A first line `sep=;` states the mark.
    - The suffix ".tsv" means a tab.
    - The suffix ".csv" means the likely mark, or a comma if the first line does not have the likely mark.
    - The first of tab, semicolon and comma that makes the first line a header (`_is_header`) is taken.
    - The likely mark is taken if all lines have it, there are two or more, and no line has an equals sign or more
      colons than marks.
    - Otherwise None.
    """
    lines = [line for line in text[:20_000].split("\n") if line.strip()][:20]
    if _is_separator_line(lines[0]):
        return lines[0].strip()[-1]
    header = lines[0]
    if suffix == ".tsv":
        return "\t"
    counts = _least_counts(lines)
    likely = max(counts, key=lambda mark: (counts[mark], header.count(mark)))
    if suffix == ".csv":
        return likely if header.count(likely) else ","
    named = next((mark for mark in _MARKS if _is_header(header, mark)), None)
    if named:
        return named
    has_rows = any(has_relation(line) or line.count(":") > line.count(likely) for line in lines)
    return likely if counts[likely] and len(lines) > 1 and not has_rows else None


def sheet_as_table(lines: Sequence[str], suffix: str) -> list[str]:
    """Return the lines of a sheet of derivatives as rows of a Markdown table, `| a | b |`, without empty cells.

    `suffix` is that of the file name, `.csv` or `.tsv`. A line with one filled cell or none stays as it is. All lines
    do if no cell has the sign of a derivative (`/d`, ∂, a prime, or `_` behind a single letter), as in a class list.
    """
    import csv  # few answers are sheets

    mark = delimiter("\n".join(lines), suffix) or ","
    rows = [[cell.strip() for cell in next(csv.reader([line], delimiter=mark), []) if cell.strip()] for line in lines]
    signs = ("/d", "∂", "'")
    if not any(cell[1:2] == "_" or any(map(cell.__contains__, signs)) for cells in rows for cell in cells):
        return list(lines)
    return [f"| {' | '.join(cells)} |" if len(cells) > 1 else line for line, cells in zip(lines, rows, strict=True)]


def _least_counts(lines: Sequence[str]) -> dict[str, int]:
    """Return {mark: the smallest number of it in a line} over all `lines`, for tab, semicolon and comma.

    Marks in pairs of numbers, `(1, 2)`, and commas between digits, `0,5`, do not count.
    """
    outside = [BETWEEN_DIGITS.sub(".", _PAIR.sub("", line)) for line in lines]
    return {mark: min(line.count(mark) for line in outside) for mark in _MARKS}


def _is_header(line: str, mark: str) -> bool:
    """Return whether a line is the header of a table whose cells are separated by `mark`: two or more cells, with words
    for columns as `columns` needs them (without names of a problem), and no relation. At most 2,000 characters are
    looked at."""
    if mark not in line:
        return False
    import csv  # few answers are sheets

    cells = next(csv.reader([line[:2000]], delimiter=mark), [])
    return len(cells) > 1 and not has_relation(line) and columns(cells, Names(NameSources((), ()))) is not None


def _is_separator_line(line: str) -> bool:
    """Return whether a line tells a spreadsheet what separates its cells: `sep=;`."""
    return len(line.strip()) == len("sep=;") and line.strip().startswith("sep=")


def _read_sheet(answer_file: AnswerFile, names: Names) -> Collector | None:
    """Return the rows of a sheet in a Collector; None if the text is not a sheet, or has neither rows nor the suffix
    .csv or .tsv.

    `read_table` reads each table (`_tables`) and decides whether its first line is a header. A
    first line `sep=;` is added to the lines but not read. Cells after the first 60 of a line are dropped. IndexError if
    the text is blank.
    """
    mark = delimiter(answer_file.text, answer_file.suffix)
    if mark is None:
        return None
    from ..table_rows import read_table  # few answers are sheets

    collector = Collector("csv", names)
    lines = answer_file.text.split("\n")
    if _is_separator_line(lines[0]):
        collector.line(lines.pop(0))
    records = _records(collector, lines, mark)
    for table in _tables(records):
        read_table(collector, [_cells_with_spans(source, cells[:CELLS], mark) for source, cells in table])
    has_rows = any(part.rows for part in collector.parts)
    return collector if has_rows or answer_file.suffix in (".csv", ".tsv") else None


def _tables(records: Iterable[tuple[Source, list[str]]]) -> Iterator[list[tuple[Source, list[str]]]]:
    """Yield the tables of a sheet, each a list of (source, cells): a line without a filled cell ends one, and a line of
    two or more words for columns alone, such as `step,formula,adjoint`, begins another."""
    table: list[tuple[Source, list[str]]] = []
    for record in records:
        cells = [cell.strip().casefold() for cell in record[1] if cell.strip()]
        is_header = len(cells) > 1 and all(map(is_column_word, cells))
        if table and (is_header or not cells):
            yield table
            table = []
        table += [record] if cells else []
    yield from [table] if table else []


def _records(collector: Collector, lines: Sequence[str], mark: str) -> Iterator[tuple[Source, list[str]]]:
    """Yield (source, cells) for each line, whose cells are separated by `mark`; quotes do not extend over lines.

    An empty line has no cells, one of blanks a cell of blanks. Every line is added to `collector`; those that it
    refuses, because they are too long or the answer is full, are not yielded. An apostrophe that guards a cell with -
    + = or @ against being read as a formula is removed.
    """
    import csv

    for line in lines:
        source = collector.line(line)
        if source is not None:
            cells = next(csv.reader([line], delimiter=mark), [])
            yield source, [_remove_guard(cell.replace("\n", " ")) for cell in cells]


def _remove_guard(cell: str) -> str:
    """Return a cell without the apostrophe before what a spreadsheet would take for a formula."""
    text = cell.lstrip()
    return text[1:] if text[:1] == "'" and text[1:2] in ("-", "+", "=", "@") else cell


def _cells_with_spans(source: Source, cells: Sequence[str], mark: str) -> list[Cut]:
    """Return the cells of a line, stripped, each with its span; `mark` is the sign that separates them.

    Each cell is searched in the text of `source` from the place after the `mark` that follows the cell before it. A
    cell that the line does not have literally (with quotes inside) gets the span up to the next `mark`. A span has at
    least one character, also that of an empty cell, which may end one behind the line.
    """
    places = []
    place = 0
    for cell in cells:
        text = cell.strip()
        start = source.text.find(text, place)
        if start < 0:
            start, end = place, max(source.text.find(mark, place), place)
        else:
            end = start + len(text)
        places.append(Cut(text, Span(start, max(end, start + 1), source)))
        place = source.text.find(mark, end) + 1 or len(source.text)
    return places


READER = AnswerReader(3, _read_sheet)
