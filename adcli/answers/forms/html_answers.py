"""Answers in HTML: a page, or a part of one with a table.

Begins with: <
"""

from __future__ import annotations

from ...patterns import pattern
from ..answer_model import NotGradable
from ..collector import Collector
from ..decoding import FORM
from ..symbols import Names
from . import AnswerFile, AnswerReader
from .document import text_rows

# What editors in browsers hand over is a part of a page.
_PAGE = pattern(
    r"<(?:!doctype html|(?:html|head|body|meta|p|div|span|table|ol|ul|pre|br|h[1-6]|b|strong|section|article)\b)"
)

_TAGS = 300_000  # that are read; a page of a word processor has some thousands


def _rows(answer_file: AnswerFile, names: Names) -> Collector | None:
    """Return the rows of an HTML page or fragment; None if the text does not begin with one of the tags of a page.

    These are <!doctype html>, <html>, <p>, <table> and others of `_PAGE`, in any capitals, after blanks. The page
    becomes lines of text (`PageReader`), which are read as a document of the form "html"; rows have spans in these
    lines. Raises NotGradable if the text has more than 300,000 signs <.
    """
    start = answer_file.text[:400].lstrip().lower()
    if not _PAGE.match(start):
        return None
    if answer_file.text.count("<") > _TAGS:
        raise NotGradable("the answer is too long", label=f"at most {_TAGS:,} HTML tags are read", help=FORM)
    from ._page import PageReader

    page = PageReader()
    page.feed(answer_file.text)
    page.close()
    return text_rows(page.text(), names, "html")


READER = AnswerReader(2, _rows)
