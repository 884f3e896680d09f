"""Texts of columns: cells as they are written, numbers with full precision, and rows of them.

A few rows are written by Python alone; many by Polars if it is installed, with identical characters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ..extras import if_installed
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, Final, Literal, TypeAlias
from .arrays import Column, Doubles, doubles_of, np, pl, series_of
from .points import FEW_ROWS

if TYPE_CHECKING:
    import pyarrow as pa

    Texts: TypeAlias = list[str | None] | pl.Series  # a series of doubles is written as texts

# What has no digits, by what Python writes for it: as everywhere else; what Polars writes differs.
SPECIAL: Final = MappingProxyType({"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"})


class CellSpelling(NamedTuple):
    """The spelling of values in cells: `cell` returns the text of a value (None: an empty cell), `special` has the
    texts of nan and infinities, by Python's text for them.

    Texts stay as they are if `verbatim` is None; else those that match it are put between quotation marks, and others
    go through `cell`.
    """

    cell: Callable[[object], str | None]
    special: Mapping[str, str] = SPECIAL
    verbatim: str | None = None


def texts(column: Column, spelling: CellSpelling) -> Texts:
    """Return the texts of a carried column: a list (None for an empty cell), or a Polars series for many rows.

    Lists go cell by cell through `spelling.cell`, arrays of NumPy through `number_texts`. In an Arrow array null gives
    `spelling.cell(None)`. Floats have the shortest digits of their type (half precision: of singles). Dates and
    decimals have Arrow's texts; bytes and nested values are made readable.

    Arrow columns of texts, integers and booleans give a series if they have more than `FEW_ROWS` rows and Polars is
    installed. For texts this needs a `spelling.verbatim` that is None (they stay as they are) or that matches all of
    them (they get quotation marks).
    """
    if isinstance(column, list):
        return [spelling.cell(x) for x in column]
    if hasattr(column, "dtype"):
        return number_texts(column, spelling)
    from pyarrow import types

    kind = column.type
    if types.is_floating(kind):
        return _float_texts(column, spelling)
    if types.is_temporal(kind) or types.is_decimal(kind):
        column = column.cast("string")
    is_text = types.is_string(column.type) or types.is_large_string(column.type)
    if (is_text or types.is_integer(kind) or types.is_boolean(kind)) and _by_polars(len(column)):
        strings = series_of(column).cast(pl.String)
        null = spelling.cell(None)
        if not is_text or spelling.verbatim is None:
            return strings if null is None else strings.fill_null(null)
        if strings.str.contains(spelling.verbatim).all():
            return ('"' + strings + '"').fill_null(null)
    return [spelling.cell(_readable(x)) for x in column.to_pylist()]


def _readable(x: object) -> object:
    """Return a value of any type as texts, numbers, lists and dictionaries: bytes as UTF-8 text or in hexadecimal
    digits, dates and the like as texts."""
    if x is None or isinstance(x, (str, bool, int, float)):
        return x
    return json.loads(json.dumps(_as_text(x) if isinstance(x, bytes) else x, default=_as_text))


def _as_text(x: object) -> str:
    r"""Return str(x), or for bytes their UTF-8 text; all of them as `\x…` in hexadecimal if they are not UTF-8."""
    if not isinstance(x, bytes):
        return str(x)
    try:
        return x.decode()
    except UnicodeDecodeError:
        return f"\\x{x.hex()}"


def number_texts(column: Doubles, spelling: CellSpelling) -> Texts:
    """Return the shortest texts from which the doubles can be read back, `spelling.special` for nan and infinities.

    They are spelled as Polars writes them (`_as_polars`). With more than `FEW_ROWS` rows, if Polars is installed, the
    result is a series instead of a list: the doubles themselves, which Polars then writes, or texts if one is not
    finite.
    """
    if not _by_polars(len(column)):
        return [spelling.special.get(text) or _as_polars(text) for text in map(repr, column.tolist())]
    return _kind_texts(series_of(column), column, spelling)


def _float_texts(column: pa.Array, spelling: CellSpelling) -> Texts:
    """Return the shortest texts from which the numbers can be read back, as short as their type (16 to 64 bits) allows.

    Null is what `spelling.cell(None)` gives. The result is a list, or a Polars series for many doubles, which may hold
    the doubles themselves: Polars then writes them.
    """
    if column.type.bit_width == 64 and not column.null_count:
        return number_texts(doubles_of(column), spelling)
    null = spelling.cell(None)
    if column.type.bit_width < 64 or not _by_polars(len(column)):
        short = np.float64 if column.type.bit_width == 64 else np.float32  # whose digits are enough
        digits = [None if x is None else repr(float(str(short(x)))) for x in column.to_pylist()]
        return [null if text is None else spelling.special.get(text) or _as_polars(text) for text in digits]
    written = _kind_texts(series_of(column), doubles_of(column.fill_null(1)), spelling)
    return written if null is None else written.cast(pl.String).fill_null(null)


def _as_polars(text: str) -> str:
    """Return the number `text`, in Python's spelling, as Polars writes it.

    1.5e-05 becomes 0.000015; the exponents -06 to -09 lose their 0 (e-6); other texts are unchanged.
    """
    mantissa, mark, exponent = text.partition("e-0")
    if exponent != "5":
        return f"{mantissa}e-{exponent}" if mark else text
    sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    return f"{sign}0.0000{digits.replace('.', '')}"


def _kind_texts(numbers: pl.Series, values: Doubles, spelling: CellSpelling) -> pl.Series:
    """Return the numbers, with the texts of `spelling` for nan and infinities; the numbers themselves if all are
    finite, which Polars writes.

    `numbers` and `values` hold the same column.
    """
    other = ~np.isfinite(values)
    if not other.any():
        return numbers
    words = [spelling.special[repr(x)] for x in values[other].astype(float).tolist()]
    return numbers.cast(pl.String).scatter(np.flatnonzero(other), words)


def _by_polars(rows: int) -> bool:
    """Return whether that number of rows is written by Polars."""
    return rows > FEW_ROWS and if_installed("polars") is not None


def sheet(columns: Sequence[Texts], quoted: Callable[[str | None], str]) -> list[bytes]:
    """Return rows of CSV, without a header, each ended by a newline, in pieces; lone surrogates become "?".

    If all columns are lists, `quoted` writes each cell (None: an empty one) as Polars would quote it. Otherwise Polars
    writes the rows.
    """
    lists = [column for column in columns if isinstance(column, list)]
    if len(lists) == len(columns):
        lines = [",".join(row) for row in zip(*[map(quoted, column) for column in lists], strict=True)]
        return ["".join([f"{line}\n" for line in lines]).encode("utf-8", "replace")]
    return _lines(_frame(columns), "necessary")


def records(columns: Sequence[Texts], between: Sequence[str]) -> list[bytes]:
    """Return rows in UTF-8, each followed by a line break that is added, in pieces of many lines; the texts `between`
    are before, between and after the cells.

    There is one text more than columns; cells are written unchanged, and lone surrogates become "?".
    """
    lists = [column for column in columns if isinstance(column, list)]
    if len(lists) == len(columns):
        line = "%s".join([text.replace("%", "%%") for text in between]) + "\n"
        return ["".join([line % row for row in zip(*lists, strict=True)]).encode("utf-8", "replace")]
    frame = _frame(columns)
    parts = [pl.lit(between[0])]
    for name, text in zip(frame.columns, between[1:], strict=True):
        parts += [pl.col(name), pl.lit(text)]
    return _lines(frame.select(pl.concat_str(parts)), "never")


class _Pieces(list[bytes]):
    """A file that keeps the pieces written to it, without joining them."""

    def write(self, piece: bytes) -> int:
        self.append(piece)
        return len(piece)


def _lines(frame: pl.DataFrame, quote_style: Literal["necessary", "never"]) -> list[bytes]:
    """Return the rows of a data frame as Polars writes CSV, in pieces that each end with a row."""
    out = _Pieces()
    frame.write_csv(out, include_header=False, quote_style=quote_style)
    return out


def _frame(columns: Sequence[Texts]) -> pl.DataFrame:
    return pl.DataFrame({str(place): _series(column) for place, column in enumerate(columns)})


def _series(column: Texts) -> pl.Series:
    """Return texts as a Polars series; lone surrogates become question marks."""
    if not isinstance(column, list):
        return column
    return pl.Series([x if x is None else x.encode("utf-8", "replace").decode() for x in column], dtype=pl.String)
