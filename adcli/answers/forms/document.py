"""Documents of text, Markdown and LaTeX, line by line: rows, tables of any form, headings, and ignored prose.

A heading begins a section for another problem; a title names the input or output of the derivatives below it; a
landmark is a line where another problem may begin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ...errors import Source, Span
from ...patterns import pattern
from .. import sections, sessions, vectors
from ..answer_model import VALUE
from ..chains import SymbolTests, behind_arrow, between, cut, cuts, first_left, has_relation, inner, relations
from ..collector import CELLS, LINE_LENGTH, Collector, Cut
from ..corrections import correct_line
from ..drawn_tables import PIPE, SEPARATOR, is_header, is_piped, is_rule, is_separating_line, split_gaps, split_pipes
from ..headers import is_column_word, title_of_results
from ..left_sides import is_derivative, is_label, speaks_of_derivative
from ..line_rewriting import BLANK, apply_rules, rewritings, row_pattern
from ..list_marks import list_marks
from ..markup import BREAK, TABLE, flatten_cases, latex_cells, latex_marks, without_comment, without_markup
from ..other_homework.stated_points import ELSEWHERE, states_other_point, without_point
from ..row_grammar import parse
from ..row_tokens import FORMULA, is_formula, is_operation, words_of
from ..sentences import as_equations, begins_after_words, begins_at_blank, is_sentence, sentences, without_cases
from ..sessions import alone
from ..spellings import join_names
from ..symbols import Names
from ..vectors import components, flatten_vectors, is_no_list, join_matrices, numbered_family, parse_list
from . import AnswerReader

_WORDS = pattern(r"\S++(?: \S++)*+")
_ARROW = pattern(
    r"\s*+(?:=>|->|[⇒→⟹∴]|\\(?:Rightarrow|implies|therefore|to)(?![A-Za-z]))", signs=("=>", "->", *"⇒→⟹∴\\")
)
_QUOTED = pattern(r"\A\s*+(?:>(?!>)\s?)++", signs=">")
_LEADERS = rewritings("leaders")
_OF = frozenset(("of", "von", "de", "node", "row", "variable"))
_LISTED = pattern(r"(?:[^,;]|,(?=\d))++")
_LIST_ENDS = frozenset(")]}⟩>T⊤'")
_CALL_IT = row_pattern("{CALL_IT}", signs=("call", "name", "label", "denote", "nenn"))
_FRAME = ("```", "~~~", "import ", *(f"\\{word}" for word in ("document", "use", "title", "author", "date", "make")))
_UNCLEAR = "a derivative; it is not clear of which function"
_MOST_WORDS = 12  # of a formula that stands before its name
_LONGEST_TABLE_LINE = 2000
_FORMS = rewritings("forms")


def text_rows(text: str, names: Names, form: str = "") -> Collector:
    """Return the rows of a text in a new collector, whose form is `form`, or "latex", "markdown" or "text" if empty."""
    collector = Collector(form or next((str(each) for _, marks, each in _FORMS if marks.search(text)), "text"), names)
    read_text(collector, text)
    return collector


def read_text(collector: Collector, text: str) -> None:
    """Add the rows of a text to `collector`."""
    TextReader(collector).read(text.split("\n"))


class TextReader:
    """A reader of text, Markdown and LaTeX line by line, which adds rows to its collector."""

    def __init__(self, collector: Collector) -> None:
        """Prepare to read lines; their rows will be added to `collector`, whose names and left sides are used.

        State between lines: `table` are the rows of an open LaTeX table (None: none is open) and `row` the cells of its
        last one; `comments` that % begins a comment, `text` the whole text."""
        self.collector, self.names, self.lefts = collector, collector.names, collector.lefts
        self.tests = SymbolTests(
            lambda text: self._is_symbol(text) or ("∇" in text and parse_list(text, self.names) is not None),
            lambda left, before, text, spaced: begins_at_blank(
                left, before, text, self.lefts, self.text, spaced=spaced
            ),
            lambda left, text: begins_after_words(left, text, self.lefts, self.text),
        )
        self.comments, self.text, self.before, self.rest = False, "", "", [""]  # line above; this one and some below
        self.table: list[list[Cut]] | None = None
        self.row: list[Cut] = []
        self.pending: list[Cut] = []  # the names whose values are shown next
        self.earlier: list[list[Cut]] = []  # those of calls before, shown first
        self.derivatives: dict[str, str] = {}  # calls such as diff(f, x), by the name that a line gives them
        self.ignores_quotes = False  # quoted lines are another person's

    def read(self, lines: Sequence[str]) -> None:
        """Add the rows of all lines to the collector, until that is full; set `comments` and `ignores_quotes` first.

        Names and matrices that extend over lines are joined. A table with pipes or a header is read as a whole, another
        line sentence by sentence (`_read_line`), with its list mark and other sentences blanked out."""
        self.text = "\n".join(lines)
        self.comments = "\\begin{" in self.text or "\\[" in self.text
        self.ignores_quotes = self._has_own_rows(lines)
        lines = join_names(join_matrices(lines), self.names)
        marks = list_marks(lines, self._begins_row)
        place = 0
        while place < len(lines) and not self.collector.full:
            size = self._table_size(lines, place) if self.table is None else 0
            if size:
                self._add_table(lines[place : place + size])
                place += size
                continue
            source = self.collector.line(lines[place])
            if source is not None:
                self.before, self.rest = lines[place - 1] if place else "", [*lines[place : place + 20], ""]
                for text in sentences(source.text, marks.get(place, 0), self.names, self._words_name_row):
                    self._read_line(source, text)
            place += 1
        self._end_table()

    def _table_size(self, lines: Sequence[str], place: int) -> int:
        """Return the number of lines of the table (pipes or a header) that begins at index `place`; 0 if none does.

        A table with pipes ends before the first line without a pipe that is not a rule, one with a header before a
        blank line, unless the next line begins with the name of a row, has more words, and no relation. A first line of
        more than 2,000 characters, or a header with a backslash or relation, begins no table."""
        line = lines[place]
        if len(line) > _LONGEST_TABLE_LINE:
            return 0
        end = place
        if is_piped(line, lines[place + 1] if place + 1 < len(lines) else ""):
            while end < len(lines) and (PIPE.search(lines[end]) or is_rule(lines[end])):
                end += 1
        elif "\\" not in line and not has_relation(line) and is_header(line, self.names):
            while end < len(lines) and (lines[end].strip() or self._separates_groups(lines, end)):
                end += 1
        return end - place

    def _separates_groups(self, lines: Sequence[str], place: int) -> bool:
        """Return whether the blank line at index `place` only separates two groups of rows of one table."""
        following = lines[place + 1] if place + 1 < len(lines) else ""
        words = following[:_LONGEST_TABLE_LINE].split()
        return len(words) > 1 and not has_relation(following) and self._is_row(words[0])

    def _add_table(self, lines: Sequence[str]) -> None:
        """Add `lines`, one table with pipes or aligned columns, to the collector, and the rows in it.

        `lines` has at least one line. It is a table with pipes if its first line has a pipe. Blank lines and drawn
        rules are no rows. The first other line is the header if the table has pipes and one of `lines[:2]` is a
        separator such as `|---|`; otherwise `read_table` decides by its words."""
        sources = [source for line in lines if (source := self.collector.line(line)) is not None]
        kept = [each for each in sources if each.text.strip() and not is_rule(each.text)]
        has_pipes = PIPE.search(lines[0]) is not None
        titled = True if has_pipes and any(SEPARATOR.match(line) for line in lines[:2]) else None
        table = [split_pipes(source) for source in kept] if has_pipes else split_gaps(kept, self.names)
        from ..table_rows import read_table  # many answers have no tables

        read_table(self.collector, table, titled=titled)

    def _has_own_rows(self, lines: Sequence[str]) -> bool:
        """Return whether some lines are quoted with `>` and another line begins with a symbol and a relation."""
        quoted = [line for line in lines if _QUOTED.match(line)]
        if not quoted:
            return False
        equations = (line for line in lines if has_relation(line[:LINE_LENGTH]) and not _QUOTED.match(line))
        return any(self._is_symbol(first_left(line[:LINE_LENGTH])) for line in equations)

    def _read_line(self, source: Source, text: str) -> None:
        """Read `text`, a line as long as that of `source`, in which blanks replace list marks and other sentences.

        The first that applies: a blank line begins a block, a drawn line (`-----`) is a landmark, a line that begins
        with > is left out if `ignores_quotes` (else it is read without >), a frame such as a code fence or an import is
        ignored; else `_read_words`."""
        if self.comments:
            text = without_comment(text)
        if not text.strip():
            self.collector.next_block()
            self.collector.understood.add(source.first_line)
        elif is_separating_line(text):
            self.collector.landmark()
        elif _QUOTED.match(text) and self.ignores_quotes:
            self.collector.leave_out(Span(0, len(text), source), "quoted, and not the answer")
        elif text.lstrip().startswith(_FRAME):
            self.collector.understood.add(source.first_line)
        else:
            self._read_words(source, text)

    def _read_words(self, source: Source, text: str) -> None:
        """Read the line `text`. The first that applies, corrections only outside of an open LaTeX table:

        A correction or a title (`_take_title`) takes the whole line. With marks of LaTeX or an open table, the texts
        between marks are read by `_read_part`, and each mark applied after the text before it. Other lines are output
        of a program (`_take_numbers`), or are read without their prompt (`_program_line`)."""
        text = apply_rules(text, sessions.SPELLINGS)
        if self.table is None and correct_line(self.collector, source, text, self.before, self.rest[1]):
            return
        if self._take_title(text):
            self.collector.understood.add(source.first_line)
            return
        text = flatten_vectors(flatten_cases(text))
        marks = list(latex_marks(text))
        for start, end, _ in marks:
            text = text[:start] + "\u00a0" * (end - start) + text[end:]
        cleaned = without_markup(_QUOTED.sub(lambda match: " " * len(match[0]), text))
        if marks and not cleaned.strip(BLANK):
            self.collector.understood.add(source.first_line)
        if self.table is None and not marks:
            cleaned, prompted = sessions.without_prompt(apply_rules(cleaned, sessions.NUMBERS))
            if not self._take_numbers(source, cleaned):
                self._program_line(source, apply_rules(cleaned, sessions.STATEMENT), prompted)
            return
        place = 0
        for start, end, kind in marks:
            self._read_part(source, cleaned, place, start)
            self._apply_mark(kind)
            place = end
        self._read_part(source, cleaned, place, len(text))

    def _take_numbers(self, source: Source, text: str) -> bool:
        """Add numbers that a program prints to the rows of their names; return whether `text` is finished.

        A line that only announces output changes nothing (True). `pending` holds the names from earlier lines, or a
        formula above its number at a prompt. They get the numbers of the line if there are as many; any other line
        drops them (False, unless a rule below applies). Derivatives (∂…, w.grad) may get theirs over several lines, in
        the order of a line of headings (True). Names of a call, `grad(f)(2, 3)`, or of a loop that prints become
        `pending` (True). `print(v1)  # 5` gives v1 the number; without the comment v1 becomes `pending`."""
        replaced = sessions.with_derivatives(text, self.derivatives)
        if sessions.is_title_of_output(text, self.pending):
            return True
        last, self.pending = self.pending, []
        earlier, self.earlier = sessions.calls_shown(self.earlier, self.rest), []
        pending = [*earlier, last][0]
        text = apply_rules(text, sessions.OUTPUT) if pending else text
        called = sessions.read_call(replaced, self.names)
        numbers = [cut(source, text, *place) for place in sessions.numbers_shown(text, [] if called else pending)]
        if sessions.may_take_lines(pending):
            heads = sessions.order_by_heads(pending, text)
            pending, self.pending = pending[: len(numbers)], heads or pending[len(numbers) :] * bool(numbers)
            if heads:
                return True
        if sessions.show_numbers(self.collector, pending, numbers):
            self.collector.understood.add(pending[0].span.source.first_line)
            self.earlier, self.pending = earlier[1:], last if earlier else self.pending
            return True
        line = sessions.get_print(text)
        called = called or [text.strip()] * sessions.is_evaluated(source.text, text, self.rest[1])
        whole = cut(source, text, 0, len(text))._replace(text=replaced)
        symbols = [whole._replace(text=each) for each in called]
        if line is None:
            self.pending = [*symbols, *sessions.read_loop(whole, self.rest[1:], self.names, last)]
            return len(self.pending) + sessions.is_loop(text) > 0
        self.earlier = [*earlier, last] * (line.is_call and bool(last))
        return self._take_printed(source, text, line, symbols)

    def _take_printed(self, source: Source, text: str, line: sessions.Printed, symbols: list[Cut]) -> bool:
        """Add the numbers in the comment of `line` to the rows of its names; return whether the line is finished.

        If `line` has no names, `symbols` are the names. With another count of numbers, or no comment, the names become
        `pending` (True). If there is no name, or one is not a symbol, nothing is added; the line is then finished only
        if it is a call to print with no or several names."""
        names = symbols or vectors.components_of([cut(source, text, *place) for place in line.names], self.lefts)
        if not names or any(self.lefts[name.text] is None for name in names):
            return line.is_call and len(names) != 1
        start, end = line.comment or (0, 0)
        places = sessions.numbers_alone(text[start:end], text)
        numbers = [cut(source, text, start + first, start + last) for first, last in places]
        self.pending = [] if sessions.show_numbers(self.collector, names, numbers) else names
        return True

    def _program_line(self, source: Source, text: str, prompted: bool) -> None:
        """Read `text` as rows; if it adds one, `pending` becomes [the name (a Cut) whose value is printed next].

        This is the name after the last semicolon. If no name is there (also in `v1 = x1*x2;`), it is the left side of
        the last row if all its pieces are blank, its last piece is `?`, `…` or `___`, or the line was `prompted`. Else
        `pending` stays."""
        before = self.collector.count
        self._read_part(source, text, 0, len(text))
        last = sessions.last_name(text)
        if last is not None and self.collector.count > before:
            self.pending = [cut(source, text, *last)]
        elif self.collector.count > before:
            row = self.collector.part.rows[-1]
            if prompted or not any(piece.text for piece in row.pieces) or row.pieces[-1].text in ("?", "…", "___"):
                self.pending = [row.left]

    def _take_title(self, text: str) -> bool:
        """Read `text` as a heading or as the title of derivatives; return whether the line has nothing else.

        A heading such as `Problem 2` begins a section; not in an open LaTeX table, nor if `pending` names want numbers
        and the line is a comment with one. `At (4, 5):`, another point, is left out, `Gradient:` or `seed = (1, 0)`
        titles the rows below. A head, `wrt x1:`, or a line without a relation that names an input or output sets the
        collector's `moving` (input) and `result` (output), None if not named; True then only for a head alone."""
        shown = self.pending and apply_rules(text, sessions.OUTPUT) != text
        label = None if shown else sections.heading(text)
        label = sections.find_problem_label(text) if label is None else label
        if label is not None and self.table is None:
            self.collector.section(label or None)
            return True
        words = without_markup(text).rstrip()
        if states_other_point(words * words.endswith(":"), self.names):
            self.collector.leave_out(Span(0, len(text), Source(text, None, len(self.collector.lines))), ELSEWHERE)
            return True
        words += ":" * (words[:4].lower() + words[-1:] in ("seed)", "seed]"))  # seed = (1, 0)
        texts = [words] if has_relation(words) or words[-1:] != ":" else [words, words.rpartition(", ")[2]]  # …, d/dx:
        title = next(filter(None, map(title_of_results, texts, [self.names] * 2)), None)
        if title is not None:
            self.collector.begin_title(title.kind, title.key)
            return True
        head = sections.head(words, self.names)
        if (headed := head is not None and head[0] == len(words)) or not has_relation(text):
            named = sections.named_in_title(words, self.names)
            if any(named):
                self.collector.moving, self.collector.result = named
                self.collector.understood.add(len(self.collector.lines))
                return headed
        return False

    def _apply_mark(self, kind: str) -> None:
        """Apply a LaTeX mark: BREAK ends the row of an open table (without one, nothing), TABLE ends an open table and
        begins another, any other ends table and block."""
        if kind == BREAK:
            if self.table is not None:
                self.table.append(self.row)
                self.row = []
        elif kind == TABLE:
            self._end_table()
            self.table = []
        else:
            self._end_table()
            self.collector.next_block()

    def _end_table(self) -> None:
        """Add the open LaTeX table, if there is one, to the collector, without rows that have no filled cell."""
        if self.table is not None:
            table = [row for row in [*self.table, self.row] if any(cell.text for cell in row)]
            self.table, self.row = None, []
            from ..table_rows import read_table

            read_table(self.collector, table)

    def _read_part(self, source: Source, text: str, start: int, end: int) -> None:
        """Read `text` from `start` to `end`: as up to 60 cells in a row of an open LaTeX table (others are dropped),
        else as rows.

        A blank text does nothing. `∇y = (1, 2)` adds a row for each name, also after another row. `= 2` without a name
        continues the row or list before it. A value after words about a derivative, `the slope for v1 = 2`, is left out
        with a reason. Other rows are added by `_add_row`. A text without a relation closes the row before it and is
        read by `_take_unsigned`."""
        if not text[start:end].strip():
            return
        if self.table is not None:
            cells = islice(latex_cells(text, start, end), max(CELLS - len(self.row), 0))
            self.row += [cut(source, text, *place) for place in cells]
            return
        text = " " * start + self._without_arrow(apply_rules(text[start:end].replace("&", " "), _LEADERS))
        text = self._take_head(without_cases(without_point(text, self.names), self.names.point))
        text = as_equations(text, self.names, self._words_name_row)
        if self._take_lists(source, text):
            return
        rows = list(cuts(source, text, self.tests))
        end = 0
        for left, pieces in rows:
            before = text[end : left.span.start]
            symbols = self._listed_symbols(left, pieces, alone=len(rows) == 1)
            if self._is_value(left.text) and speaks_of_derivative(before):  # the slope for v1 = 2
                self.collector.leave_out(Span(left.span.start, pieces[-1].span.end, source), _UNCLEAR)
            elif symbols and self._take_list(left, symbols, pieces):
                self.collector.open = False
            elif left.text and not self.collector.go_on_below_name(left):
                has_words = ":" in left.text and any(len(word) > 2 for word in words_of(before))
                self._add_row(left, pieces, has_words=has_words)
            else:
                vectors.go_on_in_list(self.collector, pieces)
            end = pieces[-1].span.end
        if not rows:
            self._take_unsigned(source, text)

    def _take_lists(self, source: Source, text: str) -> bool:
        """Add the rows that `text` writes as one, `∇y = (1, 2)` or `(v1, v2): (6, 4)`; return whether it does.

        The text before the first relation (or a colon that no number alone follows) must be a list of symbols of rows
        (`parse_list`), all of them, and the rest must go on to the end of the line. A list of inputs (the point,
        whatever the numbers are) or of operators, `∇ = (∂/∂x, ∂/∂y)`, adds no rows and returns True."""
        left, _, after = text.partition(":")
        relation = relations.search(text) if vectors.may_have_list(text) else None
        if relation is not None:
            start, rest = relation.start(), relation.end()
        elif after.strip() and alone(after) is None:
            start, rest = len(left), len(left) + 1
        else:
            return False
        symbols = parse_list(text[:start], self.names, self.collector.part.rows)
        if symbols is None or not all(map(self._is_symbol, symbols)) or is_no_list(symbols, text, rest, self.names):
            return False
        is_point = all(self.names.own(symbol) in self.names.inputs for symbol in symbols)
        if is_point or "∂/∂" in text:  # or ∇ = (∂/∂x, ∂/∂y)
            self.collector.understood.add(source.first_line)
            return True
        signs = [match.span() for match in relations.finditer(text, rest)]
        pieces = [cut(source, text, *place) for place in between(signs, rest, len(text))]
        return self._take_list(cut(source, text, 0, start), symbols, pieces)

    def _listed_symbols(self, left: Cut, pieces: list[Cut], *, alone: bool) -> list[str] | None:
        """Return the symbols whose values a row lists, as in `∇f = (2, 1)` or `df = (2, 1)`; None if it is no list.

        The last piece must end in brackets, a transpose, or a unit vector j or k of a gradient. The first that applies:
        - `df` or `f'` of a result, with two or more inputs, and commas if one counts: `∂f/∂x` for each of `names.wrt`;
        - `y`, if there are y1 and y2: these numbered names (`numbered_family`);
        - every other left side, unless the row is the only one of its line (`alone`): what `parse_list` reads."""
        last = pieces[-1].text.rstrip(" .;,\u00a0") if pieces else ""
        is_list = last[-1:] in _LIST_ENDS and any(map(last.__contains__, "([{<⟨"))
        if not left.text or not (is_list or ("∇" in left.text and last[-1:] in ("j", "k"))):
            return None
        plain = left.text.strip()
        count = min(len(self.names.inputs), max(len(self.names.wrt), last.count(",") + 1))  # of entries
        result = self.names.result_of(plain[1:] if plain[0] in "dD" else plain.rstrip("'"))
        if count > 1 and result and is_derivative(self.lefts[plain]):
            return [f"∂{result}/∂{wrt}" for wrt in self.names.wrt]
        family = numbered_family(plain, self.lefts)
        return family if family or alone else parse_list(left.text, self.names, self.collector.part.rows)

    def _take_list(self, name: Cut, symbols: Sequence[str], pieces: list[Cut]) -> bool:
        """Add a row for each of `symbols`, `∇y = (a, b) = (1, 2)` as two rows with pieces a, 1 and b, 2; return True.

        `collector.listed` becomes (symbols, number of rows then). Derivatives with respect to `names.wrt` may have
        entries for all inputs instead; then each input gets a row. If the pieces do not fit, no row is added: with
        names in brackets or a gradient (`is_surely_list`), an unread line is reported (True), else return False."""
        columns = components(symbols, pieces)
        if columns is None and symbols[0][0] == "∂" and len(symbols) == len(self.names.wrt) < len(self.names.inputs):
            symbols = [symbols[0].replace(self.names.wrt[0], wrt) for wrt in self.names.inputs]  # data, too
            columns = components(symbols, pieces)
        if columns is None:
            if not vectors.is_surely_list(name.text, pieces[-1].text):
                return False
            self.collector.unreadable(name.span, vectors.uneven_list(len(symbols)))
            return True
        for symbol, column in zip(symbols, columns, strict=True):
            self.collector.row(name._replace(text=symbol), column, place=name.span)
        self.collector.listed = tuple(symbols), self.collector.count
        return True

    def _without_arrow(self, text: str) -> str:
        """Return `text`; an arrow at its start is blanked out if the row of a symbol or list follows, `⇒ v1 = 5`."""
        arrow = _ARROW.match(text)
        if arrow is None:
            return text
        rest = text[arrow.end() :]
        left = first_left(rest)
        return " " * arrow.end() + rest if self._is_symbol(left) or parse_list(left, self.names) else text

    def _take_head(self, text: str) -> str:
        """Return `text` with a head such as `wrt x1:` blanked out; set `moving` to x1, or to None for `direction ε:`.

        Both stay unchanged without a head, if the head is the symbol of a derivative, as in `∂y/∂x1: 6`, or if the text
        after it does not begin with the symbol of a derivative."""
        head = sections.head(text, self.names)
        symbol = text[: head[0]].strip(" :\u00a0") if head is not None else ""
        is_row = (" " not in symbol or symbol[0] == "\\") and is_derivative(self.lefts[symbol])
        if head is None or is_row:  # bar(b): bar(z) = 0.3
            return text
        end, moving = head
        if not is_derivative(self.lefts[first_left(text[end:])]):
            return text
        self.collector.moving = moving or None
        return " " * end + text[end:]

    def _begins_row(self, text: str) -> bool:
        """Return whether a text begins with the name of a row, not a word for a column, and an equals sign."""
        left = first_left(without_markup(text))
        return self._is_symbol(left) and not is_column_word(left.strip().casefold())

    def _is_symbol(self, text: str) -> bool:
        """Return whether a text names a row, also as a quotient `dL/dz` of a row that is not yet known."""
        return self.lefts[text] is not None or ("/d" in text and self._is_derivative(text))

    def _add_row(self, left: Cut, pieces: list[Cut], *, has_words: bool = False) -> None:
        """Add a row to the collector, after its name was put first if it is written backwards (`_put_name_first`).

        The first that applies, at the first colon of the left side:
        - A symbol after it is the left side, if words (`has_words`) or a label (`is_label`) precede it.
        - A symbol before it is the left side, the text after it the first piece, `v1: log(x1) = 0.693`; not if that is
          a derivative, or a symbol while that before is neither a name nor a derivative; of `dT/dg: T = x → 2` only 2.
        - The left side stays whole, as in `Then: v1 = 2` and `d/dx1: v1' = 6`."""
        left, pieces = self._put_name_first(left, pieces)
        before, colon, after = left.text.partition(":")
        if colon and self._is_symbol(after) and (has_words or is_label(before, after, self.lefts, self.text)):
            left, colon = inner(left, len(before) + 1, len(left.text)), ""
        is_named = (self.lefts[left.text] is None and self._is_name(before)) or self._is_derivative(before)
        formula = (is_named and not self._is_derivative(after)) or " - " in after or not self._is_symbol(after)
        if colon and after.strip() and formula and self._is_symbol(before):
            is_again = self.lefts.is_derivative_of(before, after)  # dT/dg: T = x → 2
            pieces = behind_arrow(pieces) if is_again else [inner(left, len(before) + 1, len(left.text)), *pieces]
            left = inner(left, 0, len(before))
        self.collector.row(left, pieces)

    def _put_name_first(self, left: Cut, pieces: list[Cut]) -> tuple[Cut, list[Cut]]:
        """Return (left side, pieces) with the name first if the row is written backwards; else both unchanged.

        At the end of a path of symbols and operations, `x1 → ln → v1 = 0.7`, the name is v1; the path is dropped.
        Without a path, nothing changes if the left side is a symbol, a ratio, not a formula, or has over 12 words.
        Otherwise the name is in words at the end of the last piece (`call it v1`), which are cut off, or is the first
        piece that is only a name and no input, as in `ln x1 → v1 = 0.7`. The old left side then becomes the first
        piece."""
        end = self._end_of_path(left, pieces)
        if end is not None:
            return pieces[end], pieces[end + 1 :]
        if self._is_symbol(left.text.lstrip(" -*•")) or len(left.text.split()) > _MOST_WORDS:
            return left, pieces
        if not FORMULA.search(left.text) or parse("ratio", left.text) is not None:
            return left, pieces
        called = _CALL_IT.search(pieces[-1].text) if pieces else None
        if called:
            last = inner(pieces[-1], 0, called.start(), pieces[-1].sign)
            return inner(pieces[-1], *called.span(1)), [left, *pieces[:-1], *([last] if last.text else [])]
        place = next((k for k, piece in enumerate(pieces) if self._is_name(piece.text)), None)
        return (left, pieces) if place is None else (pieces[place], [left, *pieces[:place], *pieces[place + 1 :]])

    def _is_value(self, text: str) -> bool:
        """Return whether a text names the value of a row that is not an input."""
        left = self.lefts[text]
        return left is not None and left.quantity.kind == VALUE and left.quantity.name not in self.names.inputs

    def _end_of_path(self, left: Cut, pieces: list[Cut]) -> int | None:
        """Return the index of the piece that names the row after arrows: 1, of v1, for `x1 → ln → v1 = 0.7`. None if
        another relation does not end the arrows, or if a part of the path is neither a symbol nor an operation."""
        text, end = left.span.source.text, left.span.end
        for place, piece in enumerate(pieces):
            if not _ARROW.match(text[end : piece.span.start]):
                is_end = place > 0 and self._is_symbol(left.text) and self._is_name(pieces[place - 1].text)
                return place - 1 if is_end else None
            if not (is_operation(piece.text) or self._is_symbol(piece.text)):
                return None
            end = piece.span.end
        return None

    def _is_name(self, text: str) -> bool:
        """Return whether `text` is exactly the name of a row, and not of an input's value; one of several letters must
        have a digit or be known (`_is_row`)."""
        left = self.lefts[text]
        if left is None or left.start > 0 or (len(text) > 1 and not self._is_row(text)):
            return False
        return left.quantity.kind != VALUE or left.quantity.name not in self.names.inputs

    def _take_unsigned(self, source: Source, text: str) -> None:
        """Add the rows of `text`, which has no equals sign; without rows it is ignored. The first that applies:

        - a text below a name and a colon, which goes on with that row;
        - a list with colons, `v1: 0.7, v2: 3`;
        - a text after a colon, no sentence, if before is a known name, one with a digit, a derivative or a left side;
        - cells after gaps of two blanks, if the first is a known name or one with a digit, and another is not a symbol;
        - a formula alone, under 2,000 characters, which is only a landmark."""
        is_below = self.collector.go_on_below_name(cut(source, text, 0, len(text)), is_alone=True)
        if is_below or (text.count(":") > 1 and self._take_with_colons(source, text)):
            return
        before, _, after = text.partition(":")
        is_row = self._is_row(before) or self._is_derivative(before)
        is_again = any(row.left.text == before for row in self.collector.part.rows if after)
        if after.strip() and not is_sentence(after) and (is_row or is_again):
            self.collector.row(cut(source, text, 0, len(before)), [cut(source, text, len(before) + 1, len(text))])
            return
        words = [match.span() for match in _WORDS.finditer(text)]
        is_row = len(words) > 1 and self._is_row(text[slice(*words[0])])
        if is_row and not all(self._is_symbol(text[slice(*word)]) for word in words):
            self.collector.row(cut(source, text, *words[0]), [cut(source, text, *k) for k in words[1:]], table=True)
        elif is_formula(text) and len(text) < _LONGEST_TABLE_LINE:
            self.collector.landmark(cut(source, text, 0, len(text)))

    def _take_with_colons(self, source: Source, text: str) -> bool:
        """Add the rows of `v1: 0.693, v2: 10` and return True, if each part has a name before its first colon: any
        symbol if a number alone follows, else a known name or one with a digit. Else add nothing and return False.
        Parts end at semicolons and at commas before anything but a digit, also in brackets."""
        parts = [match.span() for match in _LISTED.finditer(text) if match[0].strip()]
        places = [(start, text.find(":", start, end), end) for start, end in parts]
        for start, colon, end in places:
            names_row = self._is_row if alone(text[colon + 1 : end]) is None else self._is_symbol
            if colon < start or not names_row(text[start:colon]):
                return False
        for start, colon, end in places:
            self.collector.row(cut(source, text, start, colon), [cut(source, text, colon + 1, end)])
        return True

    def _words_name_row(self, text: str) -> bool:
        """Return whether words before a verb and number, `the value of m` (is 6), name a row and not an input: a
        derivative, a known name or one with a digit (`_is_row`), or one letter, alone or after a word of `_OF`."""
        left, words = self.lefts[text], text.split()
        if left is None or (left.quantity.kind == VALUE and left.quantity.name in self.names.inputs):
            return False
        alone = len(words) == 1 or words[-2].lower() in _OF
        return self._is_row(text) or left.quantity.kind != VALUE or (alone and len(left.quantity.name) == 1)

    def _is_derivative(self, text: str) -> bool:
        """Return whether `text` is a derivative's symbol, `dL/dx`, `b) δz`, with no word before it; with names that are
        not known, which rows below may still define, only whether it is a quotient."""
        left = self.lefts[text]
        if left is None:
            parts = parse("derivative", text.strip())  # the names of rows may not be known yet
            return parts is not None and "quotient" in parts
        if any(len(word) > 1 for word in words_of(text[: left.start])):
            return False
        return is_derivative(left) or (left.written is not None and self.names.is_marked(left.written))

    def _is_row(self, text: str) -> bool:
        """Return whether a text names a row even without an equals sign: it has a digit, or is a known name."""
        left = self.lefts[text]
        name = left.quantity.name if left else ""
        return any(character.isdecimal() for character in name) or name in self.names.known.values()


READER = AnswerReader(9, lambda answer_file, names: text_rows(answer_file.text, names))  # whatever is left
