"""Workbook: spreadsheets (XLSX), written by openpyxl, an optional library."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from ..errors import visible, width
from ..extras import SPREADSHEETS, Needs
from ..records import NamedTuple

_TITLE_SIGNS = str.maketrans(dict.fromkeys("[]:*?/\\'", " "))
_LONGEST = 31  # characters of a sheet's title
_NARROWEST, _WIDEST = 12, 60  # characters of a column


class Page(NamedTuple):
    """A sheet: its title, a comment on its first cell, the names of the columns, and rows of texts."""

    title: str
    comment: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def write_workbook(pages: Sequence[Page]) -> bytes:
    """Return the XLSX file with a sheet for each of `pages`; every cell is text, so that none is a formula.

    Characters that titles of sheets cannot have become blanks, and titles are cut at 31 characters (openpyxl numbers
    equal ones); characters of cells that cannot be printed are replaced (`visible`). Columns have room for 12 to 60
    characters, names of columns are bold and fixed, the comment is on A1. Raises RequestError if openpyxl is missing.
    """
    with Needs(*SPREADSHEETS):
        from openpyxl import Workbook
        from openpyxl.comments import Comment
        from openpyxl.styles import Font
    book = Workbook()
    book.remove(book.active)
    for page in pages:
        sheet = book.create_sheet(page.title.translate(_TITLE_SIGNS)[:_LONGEST])
        for row in [page.columns, *page.rows]:
            sheet.append([visible(cell) for cell in row])
        for column in sheet.iter_cols():
            column[0].font = Font(bold=True)
            texts = [cell for cell in column if cell.value]
            for cell in texts:
                cell.data_type = "s"
            longest = max((width(str(cell.value)) for cell in texts), default=0)
            sheet.column_dimensions[column[0].column_letter].width = min(max(longest, _NARROWEST), _WIDEST) + 2
        sheet["A1"].comment = Comment(page.comment, "adcli", width=400, height=120)
        sheet.freeze_panes = "A2"
    out = BytesIO()
    book.save(out)
    return out.getvalue()
