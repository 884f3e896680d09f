"""CSV files of points and results: blocks of lines read by Arrow if it is installed, else cell by cell. Carried columns
are copied to the result; a block is a piece of the file of whole records; a fault is the error of one row.

A fast way that does not understand a block leaves it to the exact way, which alone decides and knows the place of every
cell.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from ..errors import NOT_CLOSED, AdcliError, RequestError, Source, Span
from ..extras import if_installed
from ..patterns import compile_pattern
from ..typings import Final, TypeAlias, override
from . import points as pf
from .arrays import Column, Doubles, np, read_doubles
from .column_texts import SPECIAL, CellSpelling, number_texts, sheet, texts
from .kinds import typed_array

Columns: TypeAlias = tuple[int, dict[str, Doubles], dict[str, Column]]  # rows, inputs, what is carried
_SEPARATORS = (",", ";", "\t")
_SWAPPED = str.maketrans(",.", ".,")  # a point in a number with decimal commas makes it unreadable
_QUOTED = frozenset('"\n\r,')  # signs for which a cell is put between quotation marks
# What steers a terminal and must not be in a cell: all control characters but those between cells and lines.
_CONTROL = compile_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")


class CsvFile(pf.TextFile):
    """A CSV file of points: its header, its separator (the most frequent of comma, semicolon and tab in the header),
    and its rows."""

    holds: Final = "texts"

    def __init__(self, intake: pf.Intake) -> None:
        """Read the header: the separator, and the names of columns without surrounding blanks.

        The separator is the most frequent of comma, semicolon and tab outside quotation marks, in a tie the first of
        them. The comma is not a candidate if the file `has_commas` in numbers. Raises RequestError if the file is
        empty, or if the header has only numbers, names a column twice, has a control character or is not UTF-8.
        """
        super().__init__(intake)
        blocks = self.blocks
        header, line = self._header()
        unquoted = "".join(header.split('"')[::2])
        self._has_commas = intake.has_commas
        self.separator = max(_SEPARATORS[intake.has_commas :], key=unquoted.count)
        self._opening, self._quoted = _quotations(self.separator)
        names = next(csv.reader(io.StringIO(header, newline=""), delimiter=self.separator))
        self.columns = pf.check_column_names([name.strip() for name in names], blocks.path)
        self._check_header(header, line)
        if all(map(pf.is_number, self.columns)):
            title, advice = f"{blocks.name} does not name its columns", "write names into the first line, such as x1,x2"
            raise RequestError(title, _first(header, blocks, line), "the first line holds numbers", help=advice)

    def _check_header(self, header: str, line: int) -> None:
        """Raise RequestError if `header`, the text of the first record, which begins at `line`, has a control
        character, with its place.

        Tabs and newlines are allowed, carriage returns only before a newline. U+0080 to U+009F, U+2028 and U+2029 are
        control characters, too.
        """
        control = _CONTROL.search(header)
        place = control.start() if control else header.replace("\r\n", "  ").find("\r")
        if place >= 0:
            source = Source(header, self.blocks.path, line)
            title = "the name of a column has a control character"
            advice = "remove the control character; names may have letters, digits and signs"
            raise RequestError(title, Span(place, place + 1, source), f"this is {_code(header[place])}", help=advice)

    def _header(self) -> tuple[str, int]:
        """Return the first record that is not blank, without byte order mark and line end, and the number of its first
        line; reading goes on after it.

        The record has several lines if quotation marks are open; all lines if they never close. `blocks.line` is
        advanced to the line after it. Raises RequestError for a file that is empty or blank and for text that is not
        UTF-8.
        """
        blocks = self.blocks
        block = blocks.read().removeprefix(b"\xef\xbb\xbf")
        record = b""
        while block and (not record.strip() or record.count(b'"') % 2):
            text, newline, block = block.partition(b"\n")
            record = record.lstrip() + text + newline
            blocks.line += 1
            block = block or blocks.read()
        if not record.strip():
            raise RequestError(f"{blocks.name} is empty", help="the first line names the columns, as in x1,x2")
        blocks.give_back(block)
        line = blocks.line - record.count(b"\n") - (not record.endswith(b"\n"))
        return _decode(record, blocks, line).rstrip("\r\n"), line

    @override
    def _mask_newlines(self, block: bytes) -> bytes:
        """Return the block with its quoted cells replaced by x, so that every newline in it ends a record."""
        if b'"' not in block:
            return block
        return self._quoted.sub(lambda match: b"x" * (match.end() - match.start()), block)

    @override
    def _cut(self, block: bytes) -> int:
        """Return the number of bytes that are whole records, up to an open quotation mark."""
        masked = self._mask_newlines(block)
        opening = self._open(masked)
        return masked.rfind(b"\n", 0, len(masked) if opening is None else opening) + 1

    def _open(self, masked: bytes) -> int | None:
        """Return where a cell starts with a quotation mark that is not closed; None if there is no such cell."""
        opening = self._opening.search(masked) if b'"' in masked else None
        return opening.start() if opening else None

    @override
    def _end_fault(self, block: bytes) -> AdcliError | None:
        """Return the error of a last block that ends within quotation marks, at the mark that opens them; None if it
        does not.

        It has the line in the file and underlines the mark in the text of that line.
        """
        opening = self._open(self._mask_newlines(block))
        if opening is None:
            return None
        line = self.blocks.line + block.count(b"\n", 0, opening)
        start = block.rfind(b"\n", 0, opening) + 1
        text = block[start:].partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")
        column = len(block[start:opening].decode("utf-8", "replace"))
        place = Span(column, column + 1, Source(text, self.blocks.path, line))
        return RequestError(NOT_CLOSED, place, "opened here", help='add " where the cell ends')

    # --- a block of lines ---------------------------------------------------------------------------------------------

    @override
    def _convert_columns(self, batch: pf.Batch, requested: pf.RequestedColumns) -> pf.Batch:
        """Return `batch` itself, with the carried columns of `requested.kinds` replaced in it by Arrow arrays of these
        types.

        A column of kind "input" becomes the doubles that were read for the input of that name. Raises RequestError if a
        cell is not of its kind.
        """
        for name, kind in requested.kinds.items():
            if kind == "input":
                batch.carried[name] = batch.inputs[name]
            else:
                batch.carried[name] = typed_array(batch.carried[name], kind, name, batch.place)
        return batch

    @override
    def _batch(self, block: bytes, line: int, requested: pf.RequestedColumns) -> pf.Batch:
        """Return the points of a block whose first line has the number `line`.

        `requested` are the columns to read and their kinds. A quick reader is tried first: Arrow, if it is installed
        and the block has more than 128 KiB, otherwise splitting. Its result, without faults, is used if the block has
        no control characters, if the reader can read it, and if all inputs are finite. With nan but no infinity it is
        used too, unless the block has a `(`, as in nan(ind). In all other cases the block is read cell by cell
        (`_read_exactly`). Raises RequestError for text that is not UTF-8, a lone carriage return, and decimal commas.
        """
        is_small = len(block) <= pf.FEW_BYTES or if_installed("pyarrow") is None
        quickly = self._by_splitting if is_small else self._by_arrow
        quick = None if _has_control(block) else quickly(block, requested)
        if quick is not None:
            count, inputs, carried = quick
            # An infinity may be written so, or too large; Arrow also knows words such as nan(ind).
            if all(np.isfinite(x).all() for x in inputs.values()) or not (
                b"(" in block or any(np.isinf(x).any() for x in inputs.values())
            ):
                return pf.Batch(count, inputs, carried, [], partial(self._place, block, line))
        return self._read_exactly(block, line, requested)

    def _by_arrow(self, block: bytes, requested: pf.RequestedColumns) -> Columns | None:
        """Return (number of rows, inputs, carried columns) of a block as Arrow reads it; None if Arrow cannot.

        Inputs are doubles by name, carried columns Arrow arrays of texts by name. Empty cells are null; "" in quotation
        marks is an empty text. None if Arrow finds an error (such as a row of another length or text that is not
        UTF-8), or if an input is empty or not a number.
        """
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        names = [str(place) for place in range(len(self.columns))]
        included = [names[self.columns.index(name)] for name in requested.all] or names[:1]
        kinds = dict.fromkeys(names, pa.string())  # those of inputs that are carried too
        kinds |= {names[self.columns.index(x)]: pa.float64() for x in requested.inputs if x not in requested.carried}
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(block),
                arrow_csv.ReadOptions(column_names=names, use_threads=False, block_size=len(block) + 1),
                arrow_csv.ParseOptions(delimiter=self.separator),
                arrow_csv.ConvertOptions(
                    include_columns=included, column_types=kinds, decimal_point="," if self._has_commas else ".",
                    null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False,
                    check_utf8=not block.isascii(),
                ),
            ).combine_chunks()  # fmt: skip
            arrays = {name: column.combine_chunks() for name, column in zip(requested.all, table.columns, strict=False)}
            inputs = {name: read_doubles(arrays[name]) for name in requested.inputs}
        except ValueError:  # also pa.ArrowInvalid
            return None
        return table.num_rows, inputs, {name: arrays[name] for name in requested.carried}

    def _number_text(self, cell: str) -> str:
        """Return the text of a number with a decimal point, if the file has decimal commas; else `cell`.

        Commas and points change places, so that 1.5 becomes 1,5, which is not a number. Points between groups of three
        digits before a comma are left out first: 1.234,5 becomes 1234.5.
        """
        if not self._has_commas:
            return cell
        whole, comma, places = cell.partition(",")
        first, *groups = whole.split(".")
        is_grouped = comma and 0 < len(first.strip(" +-")) <= 3 and all(len(group) == 3 for group in groups)
        return (f"{whole.replace('.', '')},{places}" if is_grouped else cell).translate(_SWAPPED)

    def _by_splitting(self, block: bytes, requested: pf.RequestedColumns) -> Columns | None:
        r"""Return (number of rows, inputs, carried columns) of a block, split at separators; None if that is not exact.

        Inputs are doubles by name, carried columns lists of texts by name, with None for empty cells. The last line may
        lack its newline, and lines may end in \r\n. None if the block is not ASCII, has quotation marks, underscores,
        lone carriage returns, blank lines or rows of another length, or if an input is not a number.
        """
        if b'"' in block or b"_" in block or not block.isascii():
            return None
        block = block.replace(b"\r\n", b"\n").removesuffix(b"\n") + b"\n"
        width = len(self.columns)
        if b"\r" in block or (width == 1 and b"\n\n" in block) or not self._has_full_rows(block):
            return None
        cells = block.decode().replace("\n", self.separator).split(self.separator)
        columns = {name: cells[self.columns.index(name) : -1 : width] for name in requested.all}
        try:
            inputs = {name: np.array([float(self._number_text(x)) for x in columns[name]]) for name in requested.inputs}
        except ValueError:
            return None
        carried: dict[str, Column] = {name: [cell or None for cell in columns[name]] for name in requested.carried}
        return (len(cells) - 1) // width, inputs, carried

    def _has_full_rows(self, block: bytes) -> bool:
        """Return whether every line of a block has as many separators as the header; every line must end with a
        newline.

        Quotation marks are not understood: the block must not have any. A blank line is a row of one cell.
        """
        signs = np.frombuffer(block, np.uint8)
        signs = signs[(signs == ord(self.separator)) | (signs == 10)]
        if len(signs) % len(self.columns):
            return False
        ends = signs.reshape(-1, len(self.columns))
        return bool((ends[:, -1] == 10).all() and (ends[:, :-1] != 10).all())

    def _read_exactly(self, block: bytes, line: int, requested: pf.RequestedColumns) -> pf.Batch:
        """Return the points of a block, which begins at `line`, cell by cell; blank lines are skipped.

        A row of another length than the header is cut or filled up with empty cells, and gets a fault. So does a row
        with `requested` inputs that are not numbers or have control characters; these become nan. Missing carried cells
        are None. Control characters in carried cells give a remark. Raises RequestError for text that is not UTF-8, a
        lone carriage return, and decimal commas that were not announced.
        """
        width = len(self.columns)
        places = {name: self.columns.index(name) for name in requested.all}
        rows, remarks = pf.ReadRows(requested), list[str]()
        for record, first, text in self._records(block, line):
            fault = None
            if len(record) != width:
                fault = self._length_error(record, first, text)
                record = (record + [""] * width)[:width]
            cells = {name: self._number_text(record[places[name]]) for name in requested.inputs}
            values = {name: None if _CONTROL.search(cell) else pf.number(cell) for name, cell in cells.items()}
            with_nulls = self._with_nulls(record, text)
            kept = {name: with_nulls[places[name]] for name in requested.carried}
            rows.add(values, kept, fault, partial(self._input_error, cells, first, text))
            if _CONTROL.search(text):
                signs = ((name, _CONTROL.search(record[places[name]])) for name in requested.carried)
                where = self.blocks.place(first)
                remarks += [f"{name} has a control character, {_code(x[0])}, in {where}" for name, x in signs if x]
        return rows.batch(partial(self._place, block, line), remarks)

    def _input_error(self, cells: Mapping[str, str], line: int, text: str, name: str) -> AdcliError:
        """Return the error for the cell of an input that is not a number; `text` is the record, which begins at
        `line`."""
        shown = cells[name].replace(",", "·") if self._has_commas else cells[name]
        return pf.cell_error(shown, name, self._span(self.columns.index(name), line, text))

    def _with_nulls(self, record: list[str], text: str) -> list[str | None]:
        """Return the record with None for empty cells, except those that are written as ""."""
        if '""' not in text or "" not in record:
            return [cell or None for cell in record]
        is_quoted = [cell[0].startswith('"') for cell in self._cells(text)] + [False] * len(record)
        return [cell if cell or is_quoted[place] else None for place, cell in enumerate(record)]

    def _cells(self, text: str) -> list[re.Match[str]]:
        """Return matches of the cells of a record as they are written, each with the separator after it."""
        sign = re.escape(self.separator)
        return list(re.finditer(rf'(?:"[^"]*+(?:""[^"]*+)*+"[^{sign}]*|[^{sign}]*)(?:{sign}|\Z)', text))

    def _records(self, block: bytes, line: int) -> Iterator[tuple[list[str], int, str]]:
        """Yield (cells, number of the first line, text without carriage returns) of each record of a block.

        `line` is the number of the block's first line. Records are skipped that are empty or have a single blank cell.
        Raises RequestError at the first record that cannot be read, such as one with a carriage return inside a line or
        a cell that is too long, and for text that is not UTF-8.
        """
        lines = _decode(block, self.blocks, line).split("\n")
        if not lines[-1]:
            lines.pop()
        reader = csv.reader((f"{text}\n" for text in lines), delimiter=self.separator)
        before = 0
        while True:
            try:
                record = next(reader, None)
            except csv.Error as error:
                reason = "a carriage return without a line feed" if "new-line" in str(error) else str(error)
                title = f"{self.blocks.place(line + before)} cannot be read"
                raise RequestError(title, label=reason, help="end lines with newlines") from None
            if record is None:
                return
            if len(record) > 1 or (record and record[0].strip()):
                yield record, line + before, "\n".join(lines[before : reader.line_num]).replace("\r", "")
            before = reader.line_num

    def points(self, inputs: Sequence[str]) -> Iterator[tuple[str, dict[str, float], dict[str, str | None]]]:
        """Yield (place, numbers, cells) of each record, without NumPy: file and line, the numbers of the columns
        `inputs` by name, and all cells by column as texts (None: empty).

        Raises RequestError for a row of another length than the header, a cell of an input that is not a number, a
        quotation mark that is not closed, text that is not UTF-8, and a carriage return inside a line.
        """
        while block := self.blocks.read(self._cut):
            fault = self._end_fault(block)
            if fault is not None:
                raise fault
            for record, line, text in self._records(block, self.blocks.line):
                if len(record) != len(self.columns):
                    raise self._length_error(record, line, text)
                cells = dict(zip(self.columns, self._with_nulls(record, text), strict=True))
                texts = {name: self._number_text(cells[name] or "") for name in inputs}
                values = {name: pf.number(cell) for name, cell in texts.items()}
                for name, value in values.items():
                    if value is None:
                        raise self._input_error(texts, line, text, name)
                point = {name: value for name, value in values.items() if value is not None}
                yield self.blocks.place(line), point, cells
            self.blocks.line += block.count(b"\n")

    def _length_error(self, record: list[str], line: int, text: str) -> AdcliError:
        """Return the RequestError for a row, the cells `record`, that has another number of cells than the header; it
        underlines the row.

        `text` is the row as written, which begins at `line`.
        """
        title = f"a row has {len(record)} cells, but the header has {len(self.columns)}"
        advice = "write a cell for every column, and quote cells that hold a separator"
        return RequestError(title, _first(text, self.blocks, line), "this row", help=advice)

    def _span(self, place: int, line: int, text: str) -> Span:
        """Return the place of the cell number `place` in the text of its record."""
        start, end = self._cells(text)[place].span()
        end -= text[start:end].endswith(self.separator)
        return Span(start, max(end, start + 1), Source(text, self.blocks.path, line))

    def _place(self, block: bytes, line: int, row: int) -> str:
        """Return the file and line of a row of a block."""
        return self.blocks.place(next(islice(self._records(block, line), row, None))[1])


def _quotations(separator: str) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return the patterns of the opening of a quoted cell and of a whole quoted cell."""
    opening = rb"(?:\A|(?<=[\n" + re.escape(separator).encode() + rb']))"'
    return compile_pattern(opening), compile_pattern(opening + rb'[^"]*+(?:""[^"]*+)*+"')


def _code(character: str) -> str:
    """Return the code point of a character for messages, as in U+0007."""
    return f"U+{ord(character):04X}"


def _has_control(block: bytes) -> bool:
    """Return whether a block has an ASCII control character other than tab, newline and carriage return, DEL
    included."""
    letters = np.frombuffer(block, np.uint8)
    # A line has one or two of these at its end; each look takes a hundredth of the time that the block takes.
    others = int(np.count_nonzero(letters < 32)) - pf.lines_in(block)
    for code in b"\t\r":
        others -= int(np.count_nonzero(letters == code)) if others else 0
    return others != 0 or b"\x7f" in block


def _first(text: str, blocks: pf.TextBlocks, line: int) -> Span:
    """Return the place of the first line of a record."""
    shown = text.partition("\n")[0]
    return Span(0, max(len(shown), 1), Source(shown, blocks.path, line))


def _decode(text: bytes, blocks: pf.TextBlocks, line: int) -> str:
    """Return a text decoded from UTF-8. Raises RequestError with the line of the first byte that is not UTF-8."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        place = blocks.place(line + text.count(b"\n", 0, error.start))
        raise RequestError(f"{place} is not UTF-8", help="convert the file: iconv -f WINDOWS-1252 -t UTF-8") from None


# --- writing ----------------------------------------------------------------------------------------------------------


class CsvWriter(pf.TextWriter):
    """A writer of results as CSV: texts unchanged, quoted if necessary; nothing for null, "" for an empty text."""

    def __init__(self, sink: pf.Sink) -> None:
        super().__init__(sink, ",".join(map(quote_cell, sink.columns)) + "\n")

    def encode(self, carried: Mapping[str, Column], results: Mapping[str, Doubles]) -> list[bytes]:
        """Return the rows of a batch as CSV, in pieces that each end with a row."""
        columns = [texts(column, _SPELLING) for column in carried.values()]
        columns += [number_texts(column, _SPELLING) for column in results.values()]
        return sheet(columns, quote_cell)


def quote_cell(cell: str | None) -> str:
    """Return a text as a cell of CSV; None is empty.

    It is quoted, with quotation marks doubled, if it is empty or has a quotation mark, comma, newline or carriage
    return.
    """
    if cell is None:
        return ""
    return '"{}"'.format(cell.replace('"', '""')) if not cell or not _QUOTED.isdisjoint(cell) else cell


def cell_text(cell: object) -> str | None:
    """Return a value as the text of a cell; None stays None, numbers have Python's digits, lists, dictionaries and
    other values become JSON.

    Truth values are true and false; nan and infinities are NaN, Infinity and -Infinity.
    """
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).lower()
    return SPECIAL.get(repr(cell), repr(cell)) if isinstance(cell, (int, float)) else json.dumps(cell, default=str)


_SPELLING = CellSpelling(cell_text)

reader, writer = CsvFile, CsvWriter
