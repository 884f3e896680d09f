"""The collector of raw rows, which the readers of the forms fill before symbols are resolved, and its limits. A raw row
is a left side and the pieces between its equals signs; a section is what stands under one heading, a block a paragraph
or table.

A raw row is the left side of a row and the pieces between its equals signs, each a text with its span in the student's
line. A section is what stands under one heading, a block a paragraph or table in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping

from ..errors import AdcliError, Source, Span, SyntaxProblem
from ..patterns import pattern
from ..records import NamedTuple
from ..typings import Final
from .answer_model import BAR, DERIVATIVE, DOT, VALUE, LeftOut, Unread, line_of
from .left_sides import shared_left_sides
from .line_rewriting import row_pattern
from .numerals import bound_behind
from .symbols import Names

# How much of an answer is read; honest ones are a hundred times smaller.
BYTES = 4_000_000
LINES = 20_000
LINE_LENGTH = 4_000
CHARACTERS = 300_000  # of text in which rows are looked for
ROWS = 2_000
SECTIONS = 200
PIECES = 30  # of a row
CELLS = 60  # columns of a table
FORMULAS = 100_000  # characters that are parsed as formulas
SHORTEST = 25  # characters that a formula counts for at least
EXPANSION = 5_000  # operations that the sums and products of a formula may write out
OPERATIONS = 50_000  # that all formulas of an answer may have
DEPTH = 60  # of nested JSON
WORKBOOK_BYTES = 8_000_000  # of a spreadsheet when it is unpacked
WORKBOOK_PARTS = 500
_FALSE_BOUND = "this bound does not hold; the number before it counts"
NOTHING_READ, STRUCK_OUT = "nothing in it is read as a row", "struck out"  # why a line is left out
PHOTO = "photos are not read; type what is on it"
_PHOTO = pattern(r"(?i)(?<![^\W_])(?:photos?|fotos?|IMG_\d++)(?![^\W_])|\w\.(?:jpe?g|png|heic)(?!\w)")
_LAYOUT = row_pattern("{LAYOUT_ALONE}")
_STRIKES = "~~", "<del>", "<s>", "<strike>", "\\sout{", "\\st{", "\\cancel{", "\\xcancel{", "\\bcancel{"
FORM_INSTRUCTIONS: Final = (  # in a blank form
    "Write into each row the formula that you use and the number that it gives.",
    "Rows may be left empty; rows, names and an order of your own are welcome.",
    "If an adjoint has several rows, write into each the sum so far.",
)
FORM_TITLES: Final[Mapping[str, tuple[str, str]]] = {  # of its parts by kind, and the words before a name
    VALUE: ("values", ""), DOT: ("tangents", "with respect to"), BAR: ("adjoints", "of"),
}  # fmt: skip


def _is_of_form(text: str) -> bool:
    """Return whether `text` is a line that our own blank forms print, such as instructions or `adjoints of y1`.

    It must be exactly one of `FORM_INSTRUCTIONS`, all of these joined by blanks, or a title of `FORM_TITLES`, alone or
    with its linking word and one name. The caller must have removed blanks and signs of headings around `text`.
    """
    if text in (*FORM_INSTRUCTIONS, " ".join(FORM_INSTRUCTIONS)):
        return True
    words, _, name = text.rpartition(" ")
    titles = FORM_TITLES.values()
    return any(text == title or (words == f"{title} {link}" and name.isidentifier()) for title, link in titles)


def _begin_of_rest(text: str, end: int | None) -> int | None:
    """Return the offset from which the line `text` is to be left out; None if it is not.

    Nothing was taken from the line behind the offset `end`. A line without `end` is left out if it has a letter or
    digit and is not layout, a prompt alone or of our blank forms, another one from behind a full stop at `end` on, if a
    word and a number follow.
    """
    if end is None:
        is_layout = _LAYOUT.match(text) or not any(map(str.isalnum, text))
        return None if is_layout or _is_of_form(text.strip(" #*")) else 0
    words = [word.strip(".,;:!()") for word in text[end:].split()]
    is_sentence = text[end : end + 2] in (". ", "! ", "? ") and any(map(str.isalpha, words))
    return end + 2 if is_sentence and any(word[:1].isdecimal() for word in words) else None


def _reason_of(text: str) -> str:
    """Return why the line `text`, with nothing read, is left out: it is struck out, names a photo, or has no rows."""
    if text.lstrip(" -*|>$").startswith(_STRIKES):
        return STRUCK_OUT
    return PHOTO if _PHOTO.search(text) else NOTHING_READ


class Cut(NamedTuple):
    """A part of an answer to be read, with its span.

    `text` is as long as the span unless markup inside was removed. `sign` is "+" if the part is added to the row
    (`x2bar += …`), "-" if it is subtracted.
    """

    text: str
    span: Span
    sign: str = ""


class Hint(NamedTuple):
    """The content of a column: a kind of quantity, and its input or output if the header names one (else None).

    `guess` means that the header is unknown, so that the column may hold something else; `titled` that a line above
    the rows says so, which may be about something else, too.
    """

    kind: str
    key: str | None = None
    guess: bool = False
    titled: bool = False


class RawRow(NamedTuple):
    """A row as it was split: its left side, its pieces, and what the header of its column states (None: nothing).

    `block` counts the tables and paragraphs of an answer; `moving` is the input that a title above names for tangents,
    `result` the output for adjoints. `place` is the span to underline, None for the left side; `table` is True for a
    row of a table, `adds` for one that is written as a contribution to a sum, as with `+=`.
    """

    left: Cut
    pieces: list[Cut]
    block: int
    hint: Hint | None = None
    moving: str | None = None
    result: str | None = None
    place: Span | None = None
    table: bool = False
    adds: bool = False

    @property
    def span(self) -> Span:
        """Return the span of the row from its left side to its last piece on the same line."""
        start, end, source = self.left.span.start, self.left.span.end, self.left.span.source
        ends = [piece.span.end for piece in self.pieces if piece.span.source is source]
        return Span(start, max([end, *ends]), source)


class RawSection:
    """The rows, unreadable lines and omissions of one section; `section` is its heading or None."""

    def __init__(self, section: str | None) -> None:
        self.section = section
        self.rows: list[RawRow] = []
        self.unread: list[Unread] = []
        self.left_out: list[LeftOut] = []

    def with_rows(self, rows: list[RawRow], omitted: Iterable[LeftOut] = ()) -> RawSection:
        """Return a section with the same heading and unread lines, with other rows and further `omitted` parts."""
        changed = RawSection(self.section)
        changed.rows, changed.unread, changed.left_out = rows, self.unread, [*self.left_out, *omitted]
        return changed

    def with_texts(self, rewrite: Callable[[str], str]) -> RawSection:
        """Return a section with `rewrite` applied to the text of each piece; left sides stay."""
        pieces = ([piece._replace(text=rewrite(piece.text)) for piece in row.pieces] for row in self.rows)
        return self.with_rows([row._replace(pieces=new) for row, new in zip(self.rows, pieces, strict=True)])


class Collector:
    """A collector of raw rows by section, within limits; `lefts` has the symbols of left sides."""

    def __init__(self, form: str, names: Names) -> None:
        """Begin with one section without a heading; `form` is the form of the answer, such as "text", "latex" or "csv".

        `names` are those of the problem, `lefts` reads left sides with them. The other attributes:
        - `lines` are all lines so far, `parts` the sections, `starts` the number of lines above each of them;
        - `block` is the number of the table or paragraph, `moving` the input and `result` the output that a title
          names, `title` (hint of a title or None, number of rows above it), `listed` (symbols of the last list, number
          of rows with it);
        - `full` says that nothing more is taken, `open` that a line may continue the last row; `count` is the number of
          rows, `characters` that of all lines;
        - `landmarks` is {line number: formula alone in it, None for a drawn line}, `corrected` {name of a correction:
          lines}, `understood` the numbers of lines without rows that need no report.
        """
        self.form = form
        self.names = names
        self.lefts = shared_left_sides(names)
        self.lines: list[str] = []
        self.parts = [RawSection(None)]
        self.block = 0
        self.landmarks: dict[int, Cut | None] = {}  # by line number a formula alone in its line; None for a drawn line
        self.moving: str | None = None
        self.result: str | None = None
        self.title: tuple[Hint | None, int] = None, 0  # of derivatives, and the number of rows above it
        self.full = False  # nothing more is taken
        self.count = self.characters = 0
        self.open = False  # whether a line that begins with a sign goes on with the last row
        self.listed: tuple[tuple[str, ...], int] = (), 0  # the symbols of the last list, and the number of rows with it
        self.corrected: dict[str, list[int]] = {}  # the lines that corrections were applied to, by their names
        self.understood: set[int] = set()  # numbers of lines that have no rows: headings, headers, what is printed
        self.starts = [0]  # the number of lines above each section

    @property
    def part(self) -> RawSection:
        return self.parts[-1]

    def section(self, title: str | None) -> None:
        """Begin another section with the heading `title` (None: no heading) and another block.

        The titles of tables above it are forgotten, with their kind, input and output. There are at most 201 sections:
        after that none is begun, so that rows stay in the last one; the rest is done even then.
        """
        self.next_block()
        self.moving = self.result = None
        self.title = None, 0
        if len(self.parts) <= SECTIONS:
            self.parts.append(RawSection(title))
            self.starts.append(len(self.lines))

    def landmark(self, formula: Cut | None = None) -> None:
        """Note that another problem may begin after the lines read so far: at a drawn line (None), or at `formula`,
        which stands alone in the last line.
        """
        self.landmarks[len(self.lines)] = formula

    def next_block(self) -> None:
        """Begin another table or paragraph: `block` is one more, and a line that begins with a sign no longer continues
        a row.

        A title of derivatives ends if rows were added below it.
        """
        if self.title[1] < self.count:
            self.title = None, 0
        self.block += 1
        self.open = False

    def begin_title(self, kind: str, key: str | None) -> None:
        """Give the rows below, up to the end of their block, the hint that they are adjoints or derivatives.

        `kind` and `key` are those of the title. Values and tangents give no hint, since a forward pass has rows of
        both; the key of tangents or derivatives becomes the input `moving`, unless it is None.
        """
        self.moving = key if kind in (DOT, DERIVATIVE) and key else self.moving
        hint = Hint(kind, key, titled=True) if kind in (BAR, DERIVATIVE) else None
        self.title = hint, self.count

    def row(
        self, left: Cut, pieces: list[Cut], *, hint: Hint | None = None, place: Span | None = None, table: bool = False
    ) -> None:
        """Add a row with its first 30 pieces to the current section; once the answer is full, nothing is added.

        `hint` is the kind of quantity that the header of the column states. If it is None and `table` is False, the
        hint of the title above the row is used. The row also gets the current block, and input and output of the titles
        of tables above (`moving`, `result`). `place` is the span to underline (None: the left side). `table` is True
        for a row of a table. Row number 2,000 is added, makes the answer full and reports an unread line.
        """
        self.open = not self.full
        if self.open:
            self.count += 1
            hint = hint if hint or table else self.title[0]
            pieces = [*map(self._without_bound, pieces[:PIECES])]
            adds = bool(pieces) and bool(pieces[0].sign)
            raw = RawRow(left, pieces, self.block, hint, self.moving, self.result, place, table, adds)
            self.part.rows.append(raw)
            if self.count == ROWS:
                self._stop(left.span, f"an answer may have at most {ROWS:,} rows")

    def _without_bound(self, piece: Cut) -> Cut:
        """Return a piece without a bound behind its number, `12 > 0`; one that does not hold is left out of the answer,
        with the reason.
        """
        place, holds = bound_behind(piece.text) or bound_behind(piece.text, "comma") or (len(piece.text), True)
        start, end, source = piece.span.start, piece.span.end, piece.span.source
        if place == len(piece.text):
            return piece
        if not holds:
            self.leave_out(Span(min(start + place + 1, end - 1), end, source), _FALSE_BOUND)
        return piece._replace(text=piece.text[:place], span=Span(start, min(start + place, end), source))

    def go_on(self, pieces: list[Cut]) -> None:
        """Add at most 30 `pieces` to the last row, if it is still open and has fewer than 30 pieces; else drop them."""
        if self.open and len(self.part.rows[-1].pieces) < PIECES:
            self.part.rows[-1].pieces.extend(map(self._without_bound, pieces[:PIECES]))

    def go_on_below_name(self, piece: Cut, *, is_alone: bool = False) -> bool:
        """Add `piece` to the last row if that is open and has no pieces: a name above its calculation; return whether
        it is. A piece that is not alone in its line must not be a symbol, which begins another row; one that is
        alone closes any other row.
        """
        is_name = self.open and not self.part.rows[-1].pieces and (is_alone or self.lefts[piece.text] is None)
        self.go_on([piece] if is_name else [])
        self.open &= is_name or not is_alone
        return is_name

    def _stop(self, span: Span, rule: str) -> None:
        """Make the answer full, and report once, as an unread line at `span`, that it is longer than `rule` allows."""
        if not self.full:
            self.full = True
            self.unreadable(span, SyntaxProblem("the answer is too long", None, "the rest is not read", (rule,)))

    def unreadable(self, span: Span, problem: AdcliError) -> None:
        """Add an unread line to the current section, and set the span of `problem` to `span`; after 2,000 of them only
        the span is set.
        """
        problem.span = span
        if len(self.part.unread) < ROWS:
            self.part.unread.append(Unread(span, problem))

    def leave_out(self, span: Span, why: str) -> None:
        """Add a part that is passed over, and the reason, to the current section; after ROWS of them nothing."""
        if len(self.part.left_out) < ROWS:
            self.part.left_out.append(LeftOut(span, why))

    def leave_out_rest(self) -> None:
        """Record as left out each line with a letter or digit from which nothing was taken, and the sentences with a
        number behind what was taken from a line.

        The reason is that of `_reason_of`. Each omission goes to the section of its line. Lines are not recorded if
        they have a row, an unread text or an omission, are in `understood` (headings and headers), or are layout,
        prompts alone, or instructions and titles of our own blank forms.
        """
        ends = dict.fromkeys(self.understood, LINE_LENGTH)
        for part in self.parts:
            spans = [span for row in part.rows for span in (row.left.span, *(piece.span for piece in row.pieces))]
            spans += [unread.span for unread in part.unread] + [omission.span for omission in part.left_out]
            for span in spans:
                ends[line_of(span)] = max(ends.get(line_of(span), 0), span.end)
        for number, text in enumerate(self.lines, 1):
            start = _begin_of_rest(text, ends.get(number))
            if start is not None:
                span = Span(start, len(text), Source(text, None, number))
                self.parts[bisect_left(self.starts, number) - 1].left_out.append(LeftOut(span, _reason_of(text)))

    def line(self, text: str) -> Source | None:
        """Add `text` as the next line of the answer and return its source; None if the line is not to be read.

        It is added in each case. A line of more than 4,000 characters is cut to 4,000, of which the last is an
        ellipsis, reported as unreadable (unless the answer is full), and gives None. A line that takes the answer above
        300,000 characters, as cut, makes it full, which is reported once. Once the answer is full (by characters or by
        2,000 rows), the result is None, also for the line that makes it full.
        """
        shown = text if len(text) <= LINE_LENGTH else f"{text[: LINE_LENGTH - 2]} …"
        self.lines.append(shown)
        source = Source(shown, None, len(self.lines))
        self.characters += len(shown)
        if self.characters > CHARACTERS:
            self._stop(Span(0, len(shown), source), f"an answer may have at most {CHARACTERS:,} characters")
        if self.full:
            return None
        if shown is text:
            return source
        rule, advice = f"a row may have at most {LINE_LENGTH} characters", "write one row on each line"
        problem = SyntaxProblem(rule, None, f"this one has {len(text)}", help=advice)
        self.unreadable(Span(0, len(shown), source), problem)
        return None
