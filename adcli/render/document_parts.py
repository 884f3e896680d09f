"""What documents are made of, before any format writes them: texts of several kinds, tables, headings, lists."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from ..errors import width
from ..patterns import pattern
from ..records import NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

    from ..notation.display_formula import Formula

_LONGEST_BAR = 24  # signs


class AnyText(str):
    """Any text: nothing in it is mathematics or markup."""

    __slots__ = ()


class Strong(AnyText):
    """Any text that is to stand out; `tone` is good, fair, bad, or nothing."""

    __slots__ = ("tone",)
    tone: str

    def __new__(cls, text: str, tone: str = "") -> Strong:
        made = super().__new__(cls, text)
        made.tone = tone
        return made


class Code(AnyText):
    """A text as somebody typed it."""

    __slots__ = ()


class Marked(Code):
    """What a remark is about in a text that somebody typed; `tone` is good, fair or bad."""

    __slots__ = ("tone",)
    tone: str

    def __new__(cls, text: str, tone: str) -> Marked:
        made = super().__new__(cls, text)
        made.tone = tone
        return made


class Judgement(AnyText):
    """A sign with the words that say the same; `tone` is good, fair, bad, or nothing."""

    __slots__ = ("sign", "tone", "words")
    sign: str
    words: str
    tone: str

    def __new__(cls, sign: str, words: str, tone: str) -> Judgement:
        made = super().__new__(cls, f"{sign} {words}")
        made.sign, made.words, made.tone = sign, words, tone
        return made


class Bar(AnyText):
    """A bar of a chart: `share` of the longest one."""

    __slots__ = ("share",)
    share: Fraction

    def __new__(cls, share: Fraction) -> Bar:
        made = super().__new__(cls, "█" * ceil(share * _LONGEST_BAR))
        made.share = share
        return made


class Runs(str):
    """Texts of several kinds and formulas, one after the other; what is of no kind is text."""

    __slots__ = ("runs",)
    runs: tuple[str, ...]

    def __new__(cls, *runs: str) -> Runs:
        made = super().__new__(cls, "".join(runs))
        made.runs = runs
        return made


# --- parts of documents: wherever a text may stand, it is a Formula, or of one of the kinds above ---------------------


class Heading(NamedTuple):
    """A heading: level 1 of a document, 2 of a problem, 3 below it."""

    text: str
    level: int = 2


class Paragraph(NamedTuple):
    """A text, or a formula, on a line of its own."""

    text: str


class Formulas(NamedTuple):
    """Formulas that are shown one below the other."""

    lines: Sequence[Formula]


class Items(NamedTuple):
    """A list; an item is one text or several on lines of their own, `first` the number of the first one if they have
    numbers."""

    items: Sequence[Sequence[str]]
    first: int | None = None


class Table(NamedTuple):
    """Rows of cells; headers and the title are words.

    `rules` are the rows before which a line is drawn, `right` the columns that align right, `lit` the row that stands
    out.  Where a table is taken apart, each part has the first `stub` columns; one that `folds` may show only its ends
    on a terminal.
    """

    rows: list[tuple[str, ...]]
    header: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    title: str = ""
    right: tuple[int, ...] = ()
    lit: int | None = None
    stub: int = 1
    folds: bool = False


class LatexLines(NamedTuple):
    """Formulas that are LaTeX already, one a line, for the format that has no other mathematics."""

    text: str


Part = Heading | Paragraph | Formulas | Items | Table | LatexLines


# --- how texts are spelled --------------------------------------------------------------------------------------------

_ASCII = str.maketrans(
    {
        "−": "-", "×": "*", "π": "pi", "τ": "tau", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...", "∂": "d", "─": "-",
        "≈": "~", "→": "->", "·": "*", "—": "-", "–": "-", "✓": "ok", "✗": "x", "↷": ">",
        "½": ".5", "¼": ".25", "¾": ".75",
    }
)  # fmt: skip
_GREEK = pattern("[\u0370-\u03ff]")
_DOT = pattern("(\\w)\u0307([\\w']*)")
_BAR = pattern("(\\w)\u0304([\\w']*)")


def ascii_text(text: str) -> str:
    """The text in ASCII: ẋ1 as dx1, x̄1 as x1bar, θ as theta; what has no spelling becomes a question mark."""
    if text.isascii():
        return str(text)
    text = unicodedata.normalize("NFD", text.replace("≠", "!="))  # which would come apart
    text = _GREEK.sub(_spelled, text)
    if "\u0307" in text:
        text = _DOT.sub(r"d\1\2", text)
    if "\u0304" in text:
        text = _BAR.sub(r"\1\2bar", text)
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def _spelled(letter: re.Match[str]) -> str:
    from ..notation.typeset_names import name_parts

    return name_parts(letter.group())[0]


def ascii_table(table: Table) -> Table:
    """The table in ASCII, before anything is aligned."""
    return table._replace(
        rows=[tuple(ascii_text(cell) for cell in row) for row in table.rows],
        header=tuple(ascii_text(cell) for cell in table.header),
        title=ascii_text(table.title),
    )


def padded(text: str, columns: int, right: bool = False) -> str:
    """The text with blanks up to a number of columns."""
    blanks = " " * max(columns - width(text), 0)
    return blanks + text if right else text + blanks


def column_widths(table: Table) -> list[int]:
    """How many columns of text each column of a table takes."""
    every = [table.header, *table.rows]
    count = max(len(row) for row in every)
    return [max(width(row[k]) if k < len(row) else 0 for row in every) for k in range(count)]


def columns_apart(table: Table, widths: Sequence[int], most: int) -> list[Table]:
    """The table, or several of fewer columns where these widths make more than `most`.

    Each has the columns that say what its rows are, or the first one alone where these take more than half of it.
    """
    if len(widths) < 3 or sum(widths) <= most:
        return [table]
    stub = table.stub if 2 * sum(widths[: table.stub]) <= most else 1
    groups = [list(range(stub))]
    for k in range(stub, len(widths)):
        if len(groups[-1]) > stub and sum(widths[c] for c in groups[-1]) + widths[k] > most:
            groups.append(list(range(stub)))
        groups[-1].append(k)
    return [_only(table, group, 0 if place == 0 else stub) for place, group in enumerate(groups)]


def _only(table: Table, group: list[int], again: int) -> Table:
    """These columns of a table, of which so many are there again; results, below the last line, only have their names.

    What a result is has been said, and said again it would be a row of its own without a value.
    """
    last = table.rules[-1] if table.rules and again > 1 else len(table.rows)
    rows = [
        tuple("" if 0 < k < again and place >= last else row[k] for k in group if k < len(row))
        for place, row in enumerate(table.rows)
    ]
    header = tuple(table.header[k] for k in group if table.header)
    return table._replace(
        rows=rows, header=header, right=tuple(place for place, k in enumerate(group) if k in table.right)
    )
