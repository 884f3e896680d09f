"""An answer of any form, split into sections of raw rows, which are read as entries once their problem is known. A
section is what stands under one heading, a block some rows that belong together, a piece a text between equals signs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from ..records import NamedTuple
from .answer_model import DECIMAL_COMMA, VALUE, Answer, Entry, NotGradable, Quantity, RowPiece, Task, Unread, line_of
from .collector import LINES, Collector, Cut, RawRow, RawSection
from .corrections import correct_rows, correction_notes
from .decoding import FORM, binary_kind, decode_answer, unreadable
from .dual_numbers import has_epsilon
from .entries import read_part
from .forms import PACKED, AnswerFile, readers
from .formulas import FormulaReader
from .higher_derivatives import split_operator
from .left_sides import LeftSides
from .row_tokens import names_in
from .symbols import Names, NameSources, shared_names

COMMAS = "its numbers are read with decimal commas"


def split_answer(data: bytes, name: str, names: Names, decimal: str = "point") -> Script:
    """Split an answer of any form into raw rows and return them as a Script.

    `data` is the content. The suffix of `name`, the file name, counts only if the content does not show the form.
    `names` are those of the task. `decimal` is "point" or "comma". With "point", `decimal` of the Script becomes
    "comma", with a note, if two or more pieces of rows are read as numbers with a decimal comma and none has a decimal
    point. The rows are those after corrections (`correct_rows`); a Script keeps its sections without rows.

    Raises NoRows (a NotGradable) if no line is a row, also if no left side is a name. Raises NotGradable if the file is
    neither a text nor a workbook, is empty or too long, or if no row of any section has a piece (a blank form).
    """
    script = Script(_collect_rows(data, name, names), decimal)
    parts = [part for part in script.parts if part.rows]
    pieces = [piece for part in parts for row in part.rows for piece in row.pieces]
    commas = decimal == "point" and any(_has_decimals(piece.text, ",") for piece in pieces)
    if commas and _has_decimal_commas([script.read(part, names) for part in parts]):
        script.decimal, script.notes = "comma", (*script.notes, COMMAS)
    entries: list[Entry] = []
    for part in parts:  # the first one is enough if anything is filled in
        entries += script.read(part, names).entries
        if any(entry.pieces for entry in entries):
            return script
    rows = [row for part in parts for row in part.rows]
    if any(_is_named_by_formula(row, names) for row in rows):
        return script
    if not entries:
        raise no_rows()
    raise NotGradable("nothing is filled in", label="no row has a formula or a number", help="fill in the form")


def _is_named_by_formula(row: RawRow, names: Names) -> bool:
    """Return whether a row may get its name from its formula: (2 + ε)^2 = 4 + 4ε, d/dx (x^2) = 2x, and σ(z) = 0.7 where
    z is no name of the problem."""
    text = row.left.text
    is_call = text.endswith(")") and names.known.keys().isdisjoint(names_in(text))
    has_dual_part = row.hint is not None and has_epsilon(row.left.span.text)
    return is_call or has_dual_part or split_operator(text, names.inputs) is not None


class NoRows(NotGradable):
    """The error for an answer without a recognised row; it may have other content, such as numbers without names."""


class Script:
    """An answer split into raw rows that are not yet assigned to problems.

    `parts` are its sections, `lines` its lines as quoted; `lefts` maps the text of a left side to its symbol.
    `landmarks` are the lines where another problem may begin, with the formula that stands alone there (None: a drawn
    line). `notes` state what was assumed, `decimal` is "point" or "comma".
    """

    def __init__(self, collector: Collector, decimal: str) -> None:
        """Take over the sections and lines of `collector`; its sections are changed in place.

        The corrections of rows are applied to the sections. Then each line from which nothing was taken is added to
        what is left out. `decimal` says how numbers are written, "point" or "comma". `notes` has one note for each
        correction used.
        """
        self.form, self.parts, self.landmarks = collector.form, collector.parts, collector.landmarks
        self.lines = tuple(collector.lines)
        self.lefts = collector.lefts
        self.decimal = decimal
        correct_rows(self.parts, self.lefts, collector.corrected)
        collector.leave_out_rest()
        self.notes: tuple[str, ...] = tuple(correction_notes(collector.corrected))
        self._readings: dict[tuple[object, ...], tuple[tuple[Entry, ...], tuple[Unread, ...]]] = {}

    def read(self, part: RawSection, names: Names, other_rows: Sequence[RawRow] = ()) -> Answer:
        """Return the raw rows of `part` as an Answer, with entries in the order in which they were computed.

        Form, lines and notes of the Answer are those of the whole script; its section and omissions are those of
        `part`. That order is the one of the lines, but adjoints listed from the inputs upwards are reversed. `names`
        are those of the problem. `other_rows` are rows of other parts; formulas may use the names on their left sides
        too. Entries and unread lines are cached in this Script, by the rows and unread lines of `part`, `names` and the
        decimal mark; the cache is not used if `other_rows` has a row outside of `part`.
        """
        rows = tuple(map(id, part.rows))
        if {id(row) for row in other_rows} <= set(rows):
            key = (rows, tuple(map(id, part.unread)), names, self.decimal)
            if key not in self._readings:
                self._readings[key] = read_part(part, (), self.lefts, names, self.decimal)
            entries, unread = self._readings[key]
        else:
            entries, unread = read_part(part, other_rows, self.lefts, names, self.decimal)
        return Answer(self.form, self.lines, entries, unread, part.section, tuple(part.left_out), self.notes)

    def formula(self, cut: Cut, names: Names) -> RowPiece | None:
        """Return `cut`, a formula or number outside of any row, as a row piece.

        None if it is blank or a place to fill in. Of a formula with a number in a comment or brackets the formula is
        returned. A text that cannot be read is a piece with a problem.
        """
        return next(FormulaReader(names, self.decimal).pieces([cut], Quantity(VALUE, "")), None)

    def together(self) -> RawSection:
        """Return one section with the rows of all sections, under the first heading, None if there is none."""
        return join_sections(self.parts, next((part.section for part in self.parts if part.section), None))

    def blocks(self, names: Names) -> list[Block]:
        """Return the blocks of all sections in order; `names` are the names of all problems together."""
        blocks = (_split_blocks(part, k, self.lefts, names, self.landmarks) for k, part in enumerate(self.parts))
        return [block for each in blocks for block in each]


class Block(NamedTuple):
    """Rows that belong together: a paragraph, a table, or the rows up to the next repetition of a name.

    `part` is the index of their section and `label` its heading (None: no heading). `opens` is True if a new problem
    may begin here; `statement` is a formula that stands alone above the rows.
    """

    rows: RawSection
    part: int
    label: str | None
    opens: bool
    statement: Cut | None

    @property
    def lines(self) -> tuple[int, int]:
        """Return the numbers of its first and last line."""
        lines = [line_of(row.left.span) for row in self.rows.rows]
        return min(lines), max(lines)


def _split_blocks(
    part: RawSection, number: int, lefts: LeftSides, names: Names, landmarks: Mapping[int, Cut | None]
) -> list[Block]:
    """Return the blocks of the section `part`, in order; `number` is the index of the section.

    A block ends with its paragraph or table (where `RawRow.block` changes), and before a row that begins anew: one that

    - gives a value to a name that has one already, since the last row that began anew,
    - or gives an input a value after any other row of the block, a derivative included,
    - or follows a landmark, on a line above its own (for the first row, any line of the answer above).

    The first block, and each whose first row begins anew, has `opens` set. `landmarks` maps line numbers to a formula
    that is alone on its line, or None for a drawn line. The first formula among the landmarks between the previous row
    and the block is its `statement`. Each unread line and omission goes to the last block that begins at or above it,
    or to the first block.
    """
    blocks: list[Block] = []
    values: set[str] = set()
    begun = False  # whether the block has rows besides the point
    marks = sorted(landmarks)
    for row in part.rows:
        name = _name_of_value(row, lefts)
        is_given = name in names.inputs
        passed = bisect_left(marks, line_of(row.left.span))
        before, marks = marks[:passed], marks[passed:]
        is_anew = name in values or (is_given and begun) or bool(before)
        if not blocks or is_anew or blocks[-1].rows.rows[-1].block != row.block:
            statement = next((landmarks[mark] for mark in before if landmarks[mark] is not None), None)
            blocks.append(Block(RawSection(part.section), number, part.section, is_anew or not blocks, statement))
            values, begun = (set() if is_anew else values), False
        blocks[-1].rows.rows.append(row)
        begun = begun or not is_given
        values |= {name} - {""}
    _add_unread(blocks, part)
    return blocks


def _name_of_value(row: RawRow, lefts: LeftSides) -> str:
    """Return the name whose value a row states; empty for a derivative, a column of derivatives, and a row without a
    name.
    """
    left = lefts[row.left.text]
    return left.quantity.name if left and left.quantity.kind == VALUE and row.hint is None else ""


def _add_unread(blocks: Sequence[Block], part: RawSection) -> None:
    """Add the unread lines and omissions of the section `part` to its blocks, in place.

    Each goes to the last block whose first row is on the same line or above, or to the first block. Without blocks they
    are dropped.
    """
    starts = [line_of(block.rows.rows[0].left.span) for block in blocks]

    def rows(line: int) -> RawSection:
        return blocks[max(bisect_right(starts, line) - 1, 0)].rows

    if blocks:
        for unread in part.unread:
            rows(unread.line).unread.append(unread)
        for omission in part.left_out:
            rows(omission.line).left_out.append(omission)


def join_sections(parts: Iterable[RawSection], title: str | None) -> RawSection:
    """Return one section with the rows, unread lines and omissions of all `parts`, in order, under the heading `title`
    (None: no heading).
    """
    whole = RawSection(title)
    for part in parts:
        whole.rows += part.rows
        whole.unread += part.unread
        whole.left_out += part.left_out
    return whole


def lines_of(data: bytes, name: str, tasks: Sequence[Task]) -> list[str]:
    """Return the lines of an answer as they are quoted to users, such as `row | formula | value` for a line of a table.

    `data` is the content of the file, `name` its file name; `tasks` give the names of inputs and outputs. Raises
    NotGradable if the file has no text or cannot be read.
    """
    return titled_lines(data, name, tasks)[0]


def titled_lines(data: bytes, name: str, tasks: Sequence[Task]) -> tuple[list[str], dict[int, str | None]]:
    """Return (the lines of `lines_of`, {index of the first line of a section, from 0: its heading}).

    The first section is at 0; None is no heading. Of sections without lines in between the last one counts. A heading
    may be in no line, as the title of a sheet. Raises the errors of `lines_of`.
    """
    inputs = dict.fromkeys(name for task in tasks for name in task.program.graph.inputs.values())
    outputs = dict.fromkeys(name for task in tasks for name, _ in task.program.graph.outputs)
    collector = _collect_rows(data, name, shared_names(NameSources(tuple(inputs), tuple(outputs))))
    return collector.lines, {start: part.section for start, part in zip(collector.starts, collector.parts, strict=True)}


def _has_decimals(text: str, mark: str) -> bool:
    """Return whether a digit follows on the decimal `mark` somewhere in `text`."""
    return any(part[:1].isdecimal() for part in text.split(mark)[1:])


def _has_decimal_commas(answers: Sequence[Answer]) -> bool:
    """Return whether two or more numbers have decimal commas and none has a decimal point; a single one may
    be a list.
    """
    pieces = [piece for answer in answers for entry in answer.entries for piece in entry.pieces]
    commas = sum(piece.problem is not None and piece.problem.help == DECIMAL_COMMA for piece in pieces)
    return commas > 1 and not any(_has_decimals(piece.span.text, ".") for piece in pieces)


def _collect_rows(data: bytes, name: str, names: Names) -> Collector:
    """Return the raw rows of an answer, by the first reader that accepts its form; `name` is the file name.

    `names`, those of the problem, help the readers to recognise rows. Data that begins with PK, a zip archive, is not
    decoded (its text is `PACKED`). Which readers are tried, in which order, depends on the text (`readers`); the last
    one accepts all. Raises NotGradable if `data` is a picture or other binary data, is empty, or has more than 20,000
    line ends.
    """
    kind = binary_kind(data)
    if kind is not None:
        raise unreadable(kind)
    answer_file = AnswerFile(data, PACKED if data.startswith(b"PK") else _decode(data), name)
    readings = (reader.rows(answer_file, names) for reader in readers(answer_file.text))
    return next(collector for collector in readings if collector is not None)


def _decode(data: bytes) -> str:
    """Return the text of an answer as `decode_answer` decodes it, with every line end as a newline.

    Raises NotGradable if it is binary, has only blanks, or has more than 20,000 line ends.
    """
    text = decode_answer(data)
    if not text.strip():
        raise NotGradable("the answer is empty", help=FORM)
    if text.count("\n") > LINES:
        lines = f"{text.count(chr(10)):,} lines; at most {LINES:,} are read"
        raise NotGradable("the answer is too long", label=lines, help=FORM)
    return text


def no_rows() -> NoRows:
    """Return the error for an answer without rows."""
    return NoRows(
        "there is no row of a trace in this answer",
        label="a row is a name, an equals sign, and a formula or a number",
        help=f"write rows such as v1 = x^2 = 9; {FORM}",
    )
