"""Spreadsheets (XLSX), written by openpyxl, an optional library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from typing import NamedTuple

from ..errors import RequestError
from .cells import visible, width

_NOT_IN_TITLES = re.compile(r"[\[\]:*?/\\']")
_LONGEST = 31  # characters of a sheet's title
_WIDEST = 60  # characters


class Page(NamedTuple):
    """A sheet: its title, a heading above the table, the names of the columns, and rows of texts."""

    title: str
    heading: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def written(pages: Sequence[Page]) -> bytes:
    """The workbook of these sheets; every cell is text, so that none is a formula."""
    try:
        from openpyxl import Workbook
        from openpyxl.styles import Font
    except ImportError:
        raise RequestError(
            "spreadsheets need openpyxl, which is not installed", help="pip install 'adcli[xlsx]'"
        ) from None
    book = Workbook()
    book.remove(book.active)
    for page in pages:
        sheet = book.create_sheet(_NOT_IN_TITLES.sub(" ", page.title)[:_LONGEST])
        for row in [(page.heading,), page.columns, *page.rows]:
            sheet.append([visible(cell) for cell in row])
        for cell in [cell for row in sheet.iter_rows() for cell in row if cell.value]:
            cell.data_type = "s"
        for cell in sheet[2]:
            cell.font = Font(bold=True)
        for place, column in enumerate(sheet.iter_cols(min_row=2)):
            longest = max(width(str(cell.value or "")) for cell in column)
            sheet.column_dimensions["ABCDEFGHIJ"[place]].width = min(max(longest, 12), _WIDEST) + 2
        sheet.freeze_panes = "A3"
    out = BytesIO()
    book.save(out)
    return out.getvalue()
