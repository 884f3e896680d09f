"""Spreadsheets of Excel, read by openpyxl after their size has been checked.

Begins with: ␀
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO

from ...errors import AdcliError
from ...patterns import pattern
from ...typings import Any
from ..answer_model import NotGradable
from ..collector import CELLS, ROWS, WORKBOOK_BYTES, WORKBOOK_PARTS, Collector, Cut
from ..decoding import FORM, unreadable
from ..sections import label
from ..symbols import Names
from ..table_rows import join_cells, read_table
from . import AnswerFile, AnswerReader

_REFERENCE = pattern(r"(?<![\w.!'])\$?([A-Z]{1,2})\$?([1-9]\d{0,4})(?![\w(!])")
_KINDS = {
    "word/document.xml": "a Word document", "ppt/presentation.xml": "a presentation",
    "content.xml": "an OpenDocument file",
}  # fmt: skip
_DECLARES = rb"<!\s*(?:DOCTYPE|ENTITY)|<\0!\0[DE]\0|\0<\0!\0[DE]"


def _read_workbook(answer_file: AnswerFile, names: Names) -> Collector:
    """Return the rows of every sheet in a Collector, each sheet as a section of its title if there are several.

    Hidden and empty sheets count, charts do not. A cell with a formula is read with its formula and its computed value;
    without one with what was typed. Raises NotGradable if the file is not a workbook, too large (`_check`, before
    openpyxl is imported), or damaged (every error of zipfile and openpyxl), and the error of `Needs` if openpyxl is
    missing.
    """
    from ...extras import SPREADSHEETS, Needs

    collector, data = Collector("xlsx", names), answer_file.data
    try:
        _check(data)
        with Needs(*SPREADSHEETS):
            import openpyxl
        computed = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        written = openpyxl.load_workbook(BytesIO(data), read_only=True, keep_links=False)
        titles = [sheet.title for sheet in computed.worksheets]
        for title in titles:
            if len(titles) > 1:
                collector.section(label(title))
            _read_sheet(collector, _rows(computed[title]), _rows(written[title]))
        return collector
    except AdcliError:
        raise
    except Exception as error:  # whatever a damaged file makes zipfile and openpyxl do
        raise _damaged() from error


def _check(data: bytes) -> None:
    """Raise NotGradable if the zip archive `data` is not a workbook that may be opened.

    It must have the part xl/workbook.xml (otherwise the message says which kind of archive it is), at most 500 parts
    and 8,000,000 bytes, by the sizes that it declares, and in its .xml and .rels parts no DOCTYPE or ENTITY, also not
    in UTF-16. Every part is unpacked once; a damaged or encrypted archive raises the errors of zipfile and of its
    compression.
    """
    from zipfile import ZipFile

    with ZipFile(BytesIO(data)) as archive:
        entries = archive.infolist()
        names = {entry.filename for entry in entries}
        if "xl/workbook.xml" not in names:
            raise unreadable(next((kind for part, kind in _KINDS.items() if part in names), "a zip archive"))
        if len(entries) > WORKBOOK_PARTS or sum(entry.file_size for entry in entries) > WORKBOOK_BYTES:
            raise NotGradable(
                "this spreadsheet is too large",
                label=f"unpacked it has more than {WORKBOOK_BYTES:,} bytes or {WORKBOOK_PARTS} parts",
                help="save only the sheet with the answer",
            )
        for entry in entries:
            with archive.open(entry) as part:
                content = part.read(WORKBOOK_BYTES + 1)
            if entry.filename.endswith((".xml", ".rels")) and re.search(_DECLARES, content):
                raise _damaged()


def _damaged() -> NotGradable:
    """Build the error for a spreadsheet that cannot be read because the file is damaged."""
    return NotGradable("this spreadsheet cannot be read", label="the file is damaged", help=f"save it again; {FORM}")


def _rows(sheet: Any) -> list[list[object]]:
    """Return the cells of an openpyxl sheet row by row, of at most ROWS + 1 rows and CELLS columns."""
    return [list(row) for row in sheet.iter_rows(max_row=ROWS + 1, max_col=CELLS, values_only=True)]


def _read_sheet(collector: Collector, values: list[list[object]], formulas: list[list[object]]) -> None:
    """Add the rows of a sheet to the collector; `values` are the computed cells, `formulas` the typed ones, row by row.

    A row of empty cells ends a table (`read_table`), whose first row is its header for references in formulas
    (`_text`). Empty cells at the end of a row are dropped. A row that is too long as a line is left out. Reading stops
    when the collector is full; the open table is still read.
    """
    table: list[list[Cut]] = []
    header = 0
    for place, (row, texts) in enumerate(zip(values, formulas, strict=False)):
        if collector.full:
            break
        if all(cell is None for cell in row) and all(cell is None for cell in texts):
            collector.line("")
            read_table(collector, table)
            table, header = [], place + 1
            continue
        cells = [_text(value, text, formulas, header) for value, text in zip(row, texts, strict=False)]
        while cells and not cells[-1]:
            cells.pop()
        cuts = join_cells(collector, cells)
        if cuts is not None:
            table.append(cuts)
    read_table(collector, table)


def _text(value: object, formula: object, sheet: Sequence[Sequence[object]], header: int) -> str:
    """Return a cell as text: a formula with its value, `v1 * 2 = 6`, or what was typed.

    `value` is the computed value, `formula` what was typed; a text in it that begins with = is a formula. A formula
    whose value is None is returned alone, an empty cell as "", a whole number without `.0`. References in a formula to
    rows below `header`, the index of the header row, are replaced by the names of these rows (`_name_of_row`);
    functions stay. `sheet` has the typed cells row by row.
    """
    if isinstance(formula, str) and formula.startswith("="):
        written = _REFERENCE.sub(lambda match: _name_of_row(match, sheet, header), formula[1:])
        return f"{written} = {_cell_text(value)}" if value is not None else written
    return _cell_text(formula if formula is not None else value)


def _cell_text(value: object) -> str:
    """Return the value of a cell as text; empty for None, and without `.0` for whole numbers."""
    if value is None:
        return ""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _name_of_row(match: re.Match[str], sheet: Sequence[Sequence[object]], header: int) -> str:
    """Return the name of the row that a cell reference such as B3 (`match`) points to: the text in its first cell.

    The column of the reference does not matter; the first cell is that in column A, its text is stripped. `sheet` has
    the typed cells row by row. The reference is returned unchanged if the row is not below `header`, the index of the
    header row, or is not in the sheet, or if its first cell is not a text.
    """
    row = int(match[2]) - 1
    if header < row < len(sheet) and isinstance(sheet[row][0], str):
        return str(sheet[row][0]).strip()
    return match.group()


READER = AnswerReader(1, _read_workbook)
