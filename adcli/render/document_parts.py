"""Parts of documents, independent of their format: texts of several kinds, tables, headings, lists."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from math import ceil

from ..errors import width
from ..patterns import pattern
from ..records import NamedTuple
from ..typings import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Self

    from ..notation.display_formula import Formula

_LONGEST_BAR = 24  # characters


class _Toned(str):
    """A text with a `tone`: good, fair, bad, or empty."""

    __slots__ = ("tone",)
    tone: str

    def __new__(cls, text: str, tone: str = "") -> Self:
        text_object = super().__new__(cls, text)
        text_object.tone = tone
        return text_object


class Strong(_Toned):
    """A text in bold or another emphasis."""

    __slots__ = ()


class Code(str):
    """A text as the user typed it."""

    __slots__ = ()


class Marked(_Toned):
    """A part of a typed text that a remark refers to."""

    __slots__ = ()


class Judgement(str):
    """A sign with words of the same meaning; `tone` is good, fair, bad, or empty.

    With `score`, such as `1½ of 2`, that is shown instead of the words, which are then for screen readers. As a str it
    is the sign, a blank and the score or words.
    """

    __slots__ = ("score", "sign", "tone", "words")
    sign: str
    words: str
    tone: str
    score: str

    def __new__(cls, sign: str, words: str, tone: str, score: str = "") -> Judgement:
        text_object = super().__new__(cls, f"{sign} {score or words}")
        text_object.sign, text_object.words, text_object.tone, text_object.score = sign, words, tone, score
        return text_object


class Bar(str):
    """A bar of a chart; its length is `fraction` times the longest one. As a str it is up to 24 characters `█`."""

    __slots__ = ("fraction",)
    fraction: Fraction

    def __new__(cls, fraction: Fraction) -> Bar:
        text_object = super().__new__(cls, "█" * ceil(fraction * _LONGEST_BAR))
        text_object.fraction = fraction
        return text_object


class Runs(str):
    """Texts of several kinds and formulas in one line; as a str it is their concatenation. A plain str among `runs` is
    text.
    """

    __slots__ = ("runs",)
    runs: tuple[str, ...]

    def __new__(cls, *runs: str) -> Runs:
        text_object = super().__new__(cls, "".join(runs))
        text_object.runs = runs
        return text_object


# --- parts of documents: a text in them is a Formula, one of the kinds above, or a plain str without markup -----------


class Heading(NamedTuple):
    """A heading: level 1 for a document, 2 for a problem, 3 below it."""

    text: str
    level: int = 2


class Paragraph(NamedTuple):
    """A text, or a formula, on a line of its own."""

    text: str


class Formulas(NamedTuple):
    """Formulas, each on its own line."""

    lines: Sequence[Formula]


class Items(NamedTuple):
    """A list; each item is one or several lines of text.

    `first` is the number of the first item, None for a list without numbers.
    """

    items: Sequence[Sequence[str]]
    first: int | None = None


class Table(NamedTuple):
    """Rows of cells; headers and the title are words.

    rules    the rows before which a line is drawn
    right    the columns that align right
    lit      the row that is highlighted; None for none
    stub     how many first columns each part repeats if the table is split
    folds    whether a terminal may show only its first and last rows
    remarks  whether the last column has remarks on the second one; pages show them below it
    """

    rows: Sequence[tuple[str, ...]]
    header: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    title: str = ""
    right: tuple[int, ...] = ()
    lit: int | None = None
    stub: int = 1
    folds: bool = False
    remarks: bool = False

    @property
    def columns(self) -> int:
        """Return the number of cells in the longest row, header included; 0 for an empty table."""
        return max((len(row) for row in [self.header, *self.rows]), default=0)


class LatexLines(NamedTuple):
    """Formulas that are already LaTeX, one on each line; only the LaTeX format can write them."""

    text: str


PlainPart = Heading | Paragraph | Formulas | Items | Table | LatexLines


class Suited(NamedTuple):
    """Parts in two versions: `text` for terminals and plain text, `page` for documents."""

    text: Sequence[PlainPart]
    page: Sequence[PlainPart] = ()


Part = PlainPart | Suited


# --- how texts are spelled --------------------------------------------------------------------------------------------

_ASCII = str.maketrans(
    {
        "−": "-", "×": "*", "π": "pi", "τ": "tau", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...", "∂": "d", "─": "-",
        "≈": "~", "→": "->", "·": "*", "—": "-", "–": "-", "✓": "ok", "✗": "x", "↷": ">",
        "⊙": ".*", "⊘": "./", "ᵀ": "^T", "‖": "||", "⁻": "^-", "¹": "1",
        "½": ".5", "¼": ".25", "¾": ".75",
    }
)  # fmt: skip
_SPELT = {"\u0307": r"d\1\2", "\u0304": r"\1\2bar"}
_ACCENTS = tuple((accent, pattern(rf"(\w){accent}([\w']*)"), spelled) for accent, spelled in _SPELT.items())


def ascii_text(text: str) -> str:
    """Return the text in ASCII, as a plain str: ẋ1 as dx1, x̄1 and x̄12 as x1bar and x12bar, θ as theta, × as `*`, ½ as
    .5.

    A character without an ASCII form becomes a question mark. A letter with another accent keeps its base letter,
    followed by a question mark: é becomes `e?`.
    """
    if text.isascii():
        return str(text)
    text = unicodedata.normalize("NFD", text.replace("≠", "!="))  # NFD would decompose it
    text = "".join([_spell_letter(c) if "\u0370" <= c <= "\u03ff" else c for c in text])
    for accent, shape, spelled in _ACCENTS:
        if accent in text:
            text = shape.sub(spelled, text)
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def _spell_letter(letter: str) -> str:
    """Return a Greek letter as its name, θ as theta; a letter without a name as it is."""
    from ..notation.typeset_names import name_parts

    return name_parts(letter)[0]


def ascii_table(table: Table) -> Table:
    """Return the table with cells, header and title in ASCII, before columns are aligned."""
    header, *rows = (tuple(map(ascii_text, row)) for row in (table.header, *table.rows))
    return table._replace(rows=rows, header=header, title=ascii_text(table.title))


def pad(text: str, columns: int, right: bool = False) -> str:
    """Return the text filled with blanks to `columns` columns of a terminal; blanks come first if `right`."""
    blanks = " " * max(columns - width(text), 0)
    return blanks + text if right else text + blanks


def column_widths(table: Table, measure: Callable[[str], int] = width) -> list[int]:
    """Return the width of the widest cell of each column, header included; 0 for a column of empty cells, [] for an
    empty table.

    `measure` returns the width of a cell, by default in columns of a terminal. Missing cells of short rows have width
    0.
    """
    every = [table.header, *table.rows]
    return [max(measure(row[k]) if k < len(row) else 0 for row in every) for k in range(table.columns)]


def split_columns(table: Table, widths: Sequence[int], most: int) -> list[Table]:
    """Return the table in several tables with fewer columns and otherwise the same, each at most `most` wide.

    `widths` has one number for each column; nothing is added for separators. If they add up to at most `most`, or are
    fewer than 3, return [table]. Columns are taken from left to right, as many as fit, at least one. Each further table
    repeats the first `stub` columns, or only the first one if these take more than half of `most`.
    """
    if len(widths) < 3 or sum(widths) <= most:
        return [table]
    stub = table.stub if 2 * sum(widths[: table.stub]) <= most else 1
    groups = [list(range(stub))]
    for k in range(stub, len(widths)):
        if len(groups[-1]) > stub and sum(widths[c] for c in groups[-1]) + widths[k] > most:
            groups.append(list(range(stub)))
        groups[-1].append(k)
    return [_select_columns(table, group, 0 if place == 0 else stub) for place, group in enumerate(groups)]


def _select_columns(table: Table, group: list[int], again: int) -> Table:
    """Return a table with the columns whose indices are in `group`, of which the first `again` are repeats of an
    earlier part.

    If `again` is 2 or more, rows below the last rule (outputs; none if there is no rule) keep only the first of the
    repeated cells, since repeated labels would look like rows without values. Header cells are selected, `right` is
    renumbered; the rest of the table stays.
    """
    last = table.rules[-1] if table.rules and again > 1 else len(table.rows)
    rows = [
        tuple("" if 0 < k < again and place >= last else row[k] for k in group if k < len(row))
        for place, row in enumerate(table.rows)
    ]
    header = tuple(table.header[k] for k in group if table.header)
    right = tuple(place for place, k in enumerate(group) if k in table.right)
    return table._replace(rows=rows, header=header, right=right)
