"""Lines of answers with vectors and matrices: array rows in text, LaTeX, NumPy, tables and JSON, not yet judged.
A raw row is a left side and pieces."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from ...arrays.shapes import Shape
from ...errors import Source, Span
from ...records import NamedTuple
from ..answer import lines_of
from ..answer_model import BAR, VALUE, LeftOut, Numeral, Task
from ..chains import SymbolTests, begins_with_relation, chains
from ..collector import CHARACTERS, NOTHING_READ, ROWS, Cut
from ..numerals import with_unit_of_program
from ..row_tokens import names_in
from . import array_lists, array_texts, prepared_lines
from .array_lists import cells_of, number_of, numbers_of_line, split_lists, split_row
from .array_texts import DIGITS, Shapes, is_adjoint_of, is_gradient_alone, read_symbol, without_markup, without_note
from .gradient_calls import gradients_called
from .json_rows import json_lines
from .prepared_lines import cut_line, join_pieces
from .tables_with_arrays import ArrayTable


class ArrayPiece(NamedTuple):
    """One of the expressions that the equals signs of a row join.

    `text` is a formula without markup, in which the adjoint of `z` is `zBar`. If it is a list of numbers, `shape` is
    its shape and `numbers` its entries row by row; if not, `shape` is None. `sign` is "+" or "-" for `+=` and `-=`."""

    span: Span
    text: str
    shape: Shape | None = None
    numbers: tuple[Numeral, ...] = ()
    sign: str = ""


class ArrayLine(NamedTuple):
    """A row of an answer: its `kind` (value or bar), the `name` of its array, and its pieces.

    `entry` is its index, counted from 1; () for a whole array. If the left side is a formula, `name` is "" and the left
    side is the first piece. `written` is the symbol as written."""

    kind: str
    name: str
    entry: tuple[int, ...]
    pieces: tuple[ArrayPiece, ...]
    span: Span
    written: str


class ArrayAnswer(NamedTuple):
    """An answer as it was read: its lines as people see them, its rows, and the parts that are not rows (`left_out`).

    With `is_own` it is this program's table (three places, no final zeros). `names` are the shapes of the names."""

    lines: tuple[str, ...]
    rows: list[ArrayLine]
    left_out: list[LeftOut]
    is_own: bool = False
    names: Mapping[str, Shape] = MappingProxyType({})


def read_array_answer(data: bytes, name: str, task: Task, shapes: Shapes, decimal: str = "point") -> ArrayAnswer:
    """Return the answer in `data`: the rows of `json_lines`, or of `lines_of` if there are none; it may have no row.

    `name` is the file name, `shapes` those of the names of the problem, `decimal` is "point" or "comma", as it is.
    Raises NotGradable as `lines_of` does."""
    inputs = [key.partition("[")[0] for key in task.program.graph.inputs.values()]
    required = {key.partition("[")[0] for key in task.wrt or inputs}
    entries = {each: [float(x) for key, x in task.at.items() if key.partition("[")[0] == each] for each in required}
    lines = json_lines(data, entries) or lines_of(data, name, [task])
    return _Reader(lines, shapes, decimal, inputs, required, task.program.source.text).answer()


class _Reader:
    """A reader of the lines of one answer, which collects rows and the parts that are left out."""

    def __init__(
        self, lines: Sequence[str], shapes: Shapes, decimal: str, inputs: Sequence[str], required: Collection[str],
        formula: str,
    ) -> None:  # fmt: skip
        """Prepare to read `lines`; nothing is read yet.

        `shapes` are those of the names of the problem, `decimal` is "point" or "comma", `inputs` are the names of the
        problem's arrays, `required` those of which a gradient is required, and `formula` is the problem's formula.
        Lines change the attributes `raw`, `left_out`, `pending`, `above`, `is_own` and `title`."""
        self.lines, self.shapes, self.decimal, self.inputs = lines, shapes, decimal, inputs
        self.required, self.single = required, "".join(required) if len(required) == 1 else ""
        self.result = "f" if shapes.get("y") else "y"  # its name in rows without one
        self.results = {self.result, *"fLJE"}.difference(inputs)  # with the numbers of the answer
        self.helpers, self.has_factors = set(inputs), False  # names in formulas of values; whether ∇f and ∇s are rows
        self.raw: list[tuple[Cut, list[Cut]]] = []  # left side, and pieces
        self.left_out: list[LeftOut] = []
        self.texts = [
            prepared_lines.with_result(line, formula, self.result) for line in prepared_lines.without_sessions(lines)
        ]
        self.pending: Cut | None = None  # a name whose value is shown next
        self.above: Cut | None = None  # the left side of the row in the line above
        self.is_own, self.title = False, ""  # the latter of a comment above, `# gradient`
        self.tests = SymbolTests(self._is_symbol, lambda *_: False, lambda *_: None)

    def _is_symbol(self, text: str) -> bool:
        """Return whether the text is one symbol of an array, whose name need not be known."""
        plain = without_markup(text).replace(array_texts.MACRON, "")  # of names that are not known yet too
        is_gradient = plain[:1] == "∇" and is_gradient_alone(plain, self.inputs)
        return is_gradient or (len(plain.split()) == 1 and read_symbol(plain, self.shapes) is not None)

    def answer(self) -> ArrayAnswer:
        """Read all lines, each as the start of a table or else by `_read_logical`, and return the answer.

        No line is begun, nor noted as left out, after 2,000 raw rows. Raw rows are parsed after all lines were read, as
        a formula may use a later name. `names` of the answer are the `_known_shapes`; `is_own` if any table is."""
        place = 0
        while place < len(self.lines) and len(self.raw) < ROWS:
            table = ArrayTable(self.lines, place, self.shapes, self.result, self.single)
            if table.size:
                self.raw += table.rows([without_markup(left.text) for left, _ in self.raw])
                self.is_own |= table.is_own
            place += table.size or self._read_logical(place)
        known = self._known_shapes()
        self._sort_names()
        rows = [row for left, pieces in self.raw for row in self._rows_of(left, pieces, known)]
        return ArrayAnswer(tuple(self.lines), _from_one(rows), self.left_out, self.is_own, known)

    def _sort_names(self) -> None:
        """Update `results`, `helpers` and `has_factors` by all raw rows.

        `results` gets the names of values whose row has one number as its last piece, except arrays of the problem; if
        there are such names, it loses those whose row ends in a list (`y = W x`, next to `L = sum(y^2)`). `helpers`
        gets the names in formulas of values, without the problem's `result`, f, L, J and E (inputs stay). `has_factors`
        becomes True if gradients without a denominator, as ∇u, of both helpers and other names are rows: ∇f = v ∇u + u
        ∇v."""
        shown: dict[bool, set[str]] = {True: set(), False: set()}  # names of numbers, and of lists
        for left, pieces in self.raw:
            kind, name, _ = read_symbol(left.text, self.shapes) or (BAR, "", ())
            if kind != VALUE:
                continue
            last = pieces[-1].text if pieces and not self.shapes.get(name) else ""
            if (is_number := number_of(last, self.decimal) is not None) or self._cells_of(last):
                shown[is_number].add(name)
            formulas = [piece.text for piece in pieces if not self._is_adjoint(piece.text, self.shapes)]
            self.helpers.update(names_in(" ".join(formulas)))
        self.results = (self.results | shown[True]).difference(shown[False] if shown[True] else ())
        self.helpers -= {self.result, *"fLJE"}.difference(self.inputs)
        alone = [left.text for left, _ in self.raw if is_gradient_alone(left.text, self.inputs)]
        self.has_factors = 0 < sum(is_gradient_alone(text, self.helpers) for text in alone) < len(alone)

    def _is_adjoint(self, text: str, names: Collection[str]) -> bool:
        """Return whether a text is the adjoint of one of `names`, or the gradient if a single array is required."""
        kind, name, _ = read_symbol(text, self.shapes) or (VALUE, "", ())
        return (kind == BAR and name in names) or bool(self.single and is_gradient_alone(text, self.inputs))

    def _is_of_helper(self, text: str) -> bool:
        """Return whether a text is the derivative of a name in `helpers`, ∂s/∂x, or, if `has_factors`, its gradient."""
        above, bar, _ = array_texts.without_fraction(text).partition("/")
        is_partial = bool(bar) and above.rpartition(" ")[2].lstrip("∂d") in self.helpers
        is_alone = self.has_factors and is_gradient_alone(text, self.inputs)
        return is_partial or (is_alone and not is_gradient_alone(text, self.helpers))

    def _known_shapes(self) -> dict[str, Shape]:
        """Return {name: shape} of the names of the problem, whose shapes win, and of the values that rows define.

        The shape is () if no row of the name shows a list. Numbers z1, z2, … are one array z if the problem has a
        vector of that length. If the problem has an array v1, but a row gives a single number for v1, `self.shapes` is
        replaced by a copy without v1, v2, … (v and digits; v stays). Names of adjoints are left out: `z_bar`, and `dz`
        if z is a name, or if the answer has an adjoint of the problem, such as dW."""
        defined, has_adjoints = self._definitions()
        last = [(left, pieces[-1].text) for left, pieces in self.raw if pieces]
        plain = {without_markup(left.text) for left, text in last if not any(map(str.isalpha, text))}
        numbers = {name for name, shape in defined.items() if not shape and name[-1].isdecimal() and name in plain}
        bases = {name.rstrip(DIGITS) for name in numbers if self.shapes.get(name)}  # v1, v2 are entries of a v here
        self.shapes = {name: shape for name, shape in self.shapes.items() if name.rstrip(DIGITS) not in bases - {name}}
        shown = {**defined, **self.shapes}
        if has_adjoints:
            lefts = {without_markup(left.text) for left, _ in self.raw}
            shown = {**dict.fromkeys(array_texts.adjoint_bases({*defined, *lefts}, self.shapes), ()), **shown}
        differentials = [name for name in shown if self._is_differential(name) and f"d{name}" not in shown]
        if any(is_adjoint_of(without_markup(left.text), self.shapes) for left, _ in self.raw):  # dW, so dz is one too
            shown = {**{name[1:]: () for name in differentials}, **shown}
        for name in differentials:
            if is_adjoint_of(name, shown):
                del shown[name]
        return array_texts.without_adjoints(array_texts.with_numbered(shown, self.shapes), self.shapes)

    def _is_differential(self, name: str) -> bool:
        """Return whether a name is a differential, `dz`, and neither the problem's nor that of a value."""
        is_value = name in self.shapes or name.rstrip(DIGITS) in array_texts.VALUES_WITH_D
        return name[0] == "d" and name[1:2].isalpha() and not is_value

    def _definitions(self) -> tuple[dict[str, Shape], bool]:
        """Return ({name of a value, of the problem or not: shape}, whether a row is an adjoint of the problem).

        The shape is that of the last piece of the last row of that name; () if this is not a list. A name that has only
        rows of entries, such as `W[1][2]`, has the number of different indices on each axis; z1 without `[` is none."""
        defined: dict[str, Shape] = {}
        indices: dict[str, list[tuple[int, ...]]] = {}
        has_adjoints = False
        for left, pieces in self.raw:
            kind, name, index = read_symbol(left.text, self.shapes) or ("", "", ())
            has_adjoints |= kind == BAR
            if kind == VALUE and not index:
                rows = self._cells_of(pieces[-1].text) if pieces else None
                defined[name] = array_lists.shape_of_rows(rows or [[""]])
            elif kind == VALUE and "[" in left.text:
                indices.setdefault(name, []).append(index)
        for name, indices_of_name in indices.items():
            defined.setdefault(name, tuple(len({*axis}) for axis in zip(*indices_of_name, strict=False)))
        return defined, has_adjoints

    def _cells_of(self, text: str) -> list[list[str]] | None:
        """Return the cells of a list, row by row; None for other texts, and with a number before it, `2 [3, -1]`."""
        plain = without_note(without_markup(text))
        before, opening, _ = plain.partition("[")
        return None if opening and number_of(before.strip(" *·"), self.decimal) else cells_of(plain, self.decimal)

    def _rows_of(self, left: Cut, pieces: Sequence[Cut], known: Shapes) -> Iterator[ArrayLine]:
        """Yield the row of a left side; a row that is not yielded goes to `left_out`, unless all `pieces` are blank.

        Blank pieces are left out. In three cases the row has the name "", and the left side is its first piece: the
        left side is not a symbol (or a gradient of no array); it is a product of names; with one piece, it ends in an
        input after an array, as x in `A x = [1, 2]`. Such a row is yielded only if a piece after the left side is a
        number or list; a row with a name also without pieces. `written` is the shortest text of the symbol."""
        read = [self._piece(piece, known) for piece in pieces if piece.text.strip()]
        kind, name, index = parts = self._symbol_of(left.text, read, known)
        before = without_markup(left.text).split()[-2:-1]  # A of A x = [1, 2]
        is_input = len(read) == 1 and name in self.inputs and any(map(self.shapes.get, before))
        if not name or (
            kind == VALUE and (is_input or (name not in self.shapes and array_texts.is_product(name, self.shapes)))
        ):
            name, read, parts = "", [self._piece(left, known), *read], (kind, "", index) if is_input else parts
        if name or any(piece.shape is not None for piece in read[1:]):
            written = array_texts.without_fraction(array_texts.shortest_symbol(left.text, parts, known))
            yield ArrayLine(kind, name, index, tuple(read), left.span, written)
        elif read[1:]:
            self.left_out.append(LeftOut(left.span, NOTHING_READ))

    def _symbol_of(self, text: str, pieces: Sequence[ArrayPiece], known: Shapes) -> tuple[str, str, tuple[int, ...]]:
        """Return (kind, name, index) of a left side; (VALUE, "", ()) if it is not a symbol.

        The derivative of a helper (a name in formulas of values), ∂s/∂x, is not a symbol; nor, with `has_factors`, is
        its gradient ∇s. If the gradient of one array is required, two texts are the adjoint of that array: `Gradient`
        or `∇f` alone; the derivative of a result (`dy`; `df` only if f is in `known`) with a piece of two or more
        numbers. If several are required, this derivative is (BAR, "", ())."""
        kind, name, index = self._read_partial(text) or read_symbol(text, known) or (VALUE, "", ())
        is_of_result = kind == BAR and name in self.results and any(len(piece.numbers) > 1 for piece in pieces)
        is_alone = self.single and is_gradient_alone(text, self.helpers)
        if self._is_of_helper(text):
            return VALUE, "", ()
        if is_of_result or (is_alone and not (kind == BAR and self.shapes.get(name))):
            return BAR, self.single, ()
        return kind, name, index

    def _read_partial(self, text: str) -> tuple[str, str, tuple[int, ...]] | None:
        """Return (BAR, array, index) for `f_x` or `f_x1`, f in `results`, x a required array; None for other texts."""
        above, sign, below = without_markup(text).partition("_")
        symbol = read_symbol(below, self.shapes) if sign and above in self.results else None
        return (BAR, *symbol[1:]) if symbol and symbol[1] in self.required else None

    def _piece(self, part: Cut, known: Shapes) -> ArrayPiece:
        """Return a part of a row as a piece: a number or list of numbers with its shape, or a formula (shape None).

        The text of numbers is respelled as a list, `[1, 2; 3, 4]`, one number (shape ()) as `[3]`. The list may have a
        number as factor or divisor. A list with an entry that is not a number is a formula. Notes are left out of the
        text. In formulas, unless the reader `has_factors`, adjoints of arrays in `known` are spelled `zBar`."""
        text, rows = without_note(without_markup(part.text)), self._cells_of(part.text)
        if rows is not None and (len(rows) + len(rows[0]) > 2 or number_of(rows[0][0], self.decimal)):
            text = f"[{'; '.join(', '.join(row) for row in rows)}]"
            numbers = [number_of(cell, self.decimal) for row in rows for cell in row]
            numbers = [each and with_unit_of_program(each, part.span.source.text) for each in numbers]
            if all(numbers):
                return ArrayPiece(
                    part.span, text, array_lists.shape_of_rows(rows), tuple(filter(None, numbers)), part.sign
                )
        scaled = array_lists.scaled_list(text, self.decimal) if rows is None else None
        if scaled is not None:
            return ArrayPiece(part.span, text, array_lists.shape_of_rows(scaled[0]), tuple(scaled[1]), part.sign)
        known = {} if self.has_factors else known  # ∇u is no adjoint
        return ArrayPiece(part.span, array_texts.with_adjoints(array_lists.with_lists(text), known), sign=part.sign)

    # --- lines --------------------------------------------------------------------------------------------------------

    def _read_logical(self, place: int) -> int:
        """Read the line at index `place` and those that continue it (`_continues`); return the number of these lines.

        At most 60 lines are joined. The text is read by `_take_pairs`, or if that does nothing by `_take_chains`;
        `title` is "" then. A joined text that is blank, a comment, a fence, the opening of a display, or longer than
        300,000 characters is skipped, and sets `above` to None. A blank text keeps `title`; all others that are skipped
        set it to what a comment is the title of (`_title_of`), mostly ""."""
        count = 1
        while place + count < len(self.lines) and count < 60:
            if not self._continues("\n".join(self.texts[place : place + count]), self.texts[place + count]):
                break
            count += 1
        text = "\n".join(self.texts[place : place + count])
        if len(text) > CHARACTERS or not text.strip() or prepared_lines.is_skipped(text.lstrip()):
            self.above = None
            self.title = self._title_of(text) if text.strip() else self.title
            return count
        source = Source("\n".join(self.lines[place : place + count]), None, place + 1)
        blanked = prepared_lines.without_layout(text)
        if not self._take_pairs(cut_line(source, blanked, 0, len(blanked))):
            self._take_chains(source, blanked)
        self.title = ""
        return count

    def _title_of(self, comment: str) -> str:
        """Return the adjoint that a comment, with its sign, is the title of; "" for every other comment.

        A title such as `# gradient of f` gives `gradient`, if one array is required. A text that ends in the symbol of
        the adjoint of a required array, such as dW, gives itself without the sign."""
        title = comment.strip().strip("#%/->: ")
        symbol = read_symbol(title, self.shapes)
        if self.single and array_texts.is_gradient_title(title):
            return "gradient"
        return title if symbol is not None and symbol[0] == BAR and symbol[1] in self.required else ""

    def _take_pairs(self, whole: Cut) -> bool:
        """Append a raw row to `raw` for each symbol of `p, q = 1, 3`; return whether this was done.

        The texts after the first `=` need not be numbers: `p, q = 2x, 3x` is read too. Nothing is done for a single
        name, another count of texts than of names, or a name that is not a symbol."""
        names, cells = [split_row(side) for side in whole.text.partition("=")[::2]]
        if len(names) < 2 or len(names) != len(cells) or not all(map(self._is_symbol, names)):
            return False
        for name, cell in zip(names, cells, strict=True):
            self.raw.append((whole._replace(text=name.strip()), [whole._replace(text=cell.strip())]))
        return True

    def _take_chains(self, source: Source, blanked: str) -> None:
        """Add a raw row for each chain of equations in `blanked`, the text of `source` without layout signs of LaTeX.

        If the left side is a gradient's call, the symbols called get the last piece. If the left side is `ans` or the
        same text as `pending`, else `above`, and the last piece is a list, this is added to that row (`_add_numbers`).
        All others go to `_add_row`. A text without an equals sign, and a symbol after the last semicolon (`z = W @ x;
        z`), go to `_read_alone`: they may print a value."""
        _, end, last = blanked.rpartition(";")
        is_printed = bool(end) and ("=" in blanked or "<-" in blanked) and self._printed(last) is not None
        shown = len(blanked) - len(last) if is_printed else len(blanked)
        rows = chains(blanked[:shown], self.tests)
        for chain in rows:
            pieces = [cut_line(source, blanked, *place) for place in join_pieces(chain, blanked)]
            left, above = cut_line(source, blanked, *chain.left), self.pending or self.above
            if called := gradients_called(left.text, self.inputs, self.required, self.result):
                self._add_numbers(left._replace(text=called), pieces[-1])
            elif above is not None and left.text in ("ans", above.text) and self._cells_of(pieces[-1].text):
                self._add_numbers(above, pieces[-1])
            else:
                self._add_row(left, pieces)
        if not rows or is_printed:
            self._read_alone(cut_line(source, blanked, shown if rows else 0, len(blanked)))

    def _continues(self, text: str, following: str) -> bool:
        """Return whether the line `following` belongs to the logical line `text` before it.

        By the kind of `following`:
        - It begins with a relation: if `text` has an equals sign or an open bracket.
        - It is blank or numbers: if a bracket is open or `text` awaits it (`_awaits_numbers`). Numbers belong also to
          lines of numbers only, if a name is `pending`.
        - All others: if a bracket is open or `text` ends in `=`. But a row, which has a symbol before its first `=`,
          does not while a square bracket is open."""
        if following.strip() and begins_with_relation(following.replace("&", " ")):
            return "=" in text or prepared_lines.is_open(text)
        if numbers_of_line(following) or not following.strip():
            is_more = (
                self.pending is not None and bool(following.strip()) and all(map(numbers_of_line, text.split("\n")))
            )
            return is_more or prepared_lines.is_open(text) or self._awaits_numbers(text, not following.strip())
        left, is_row, _ = following.partition("=")
        is_row_inside = is_row and read_symbol(left, self.shapes) and text.count("[") > text.count("]")
        return (prepared_lines.is_open(text) or text.rstrip().endswith("=")) and not is_row_inside

    def _awaits_numbers(self, text: str, is_blank: bool) -> bool:
        """Return whether a line of numbers may follow `text` as a row of a matrix.

        It may if the first line of `text` is `W =`, `W:` or a symbol alone (not a call), and all others, but for blank
        ones, are numbers. If `is_blank`, return whether a blank line may follow: only after a single line that ends in
        `=`."""
        first, *rows = [line for line in text.split("\n") if line.strip()] or [""]
        symbol = first.rstrip().rstrip("=: ")
        if is_blank:
            return not rows and first.rstrip().endswith("=")
        is_name = self._printed(symbol) is not None and (symbol != first.rstrip() or "(" not in symbol)
        return is_name and all(map(numbers_of_line, rows))

    def _add_row(self, left: Cut, pieces: list[Cut]) -> None:
        """Add a raw row to `raw`.

        Afterwards `pending` is its left side if that follows a prompt, and `above` is its left side if it has no list;
        each is None if not. A list after `#` or `: ` in a piece is one more piece; other comments after `#` are
        dropped. `symbol: formula` on the left is the symbol and the first piece. `G = ∂f/∂X = …`, of a required X, is
        first a row of ∂f/∂X, then one of G, both with the rest. An update of a name that has a row, of an entry (`dz[1]
        -= 1`), by `*=` or `/=`, or by `+=` after zeros, replaces that row instead (`_update`); every other `+=` is a
        row."""
        left, first = self._without_words(left)
        name = left.text.partition("[")[0].rstrip(" /*")
        more = first
        for piece in pieces:
            code, mark, comment = piece.text.partition(": " if ": " in piece.text and "#" not in piece.text else "#")
            comment = array_lists.last_list(comment) if mark == "#" else comment
            is_list = bool(mark) and self._cells_of(comment) is not None
            more.append(piece._replace(text=piece.text if mark == ": " and not is_list else code))
            if is_list:
                more.append(piece._replace(text=comment, sign=""))
        is_change = bool(pieces) and (pieces[0].sign or left.text.rstrip()[-1:] in ("/", "*"))
        rows = (row for each, row in self.raw if name == each.text.strip()) if is_change else ()
        if any(name != left.text.strip() or (row and array_lists.is_zero(row[-1].text)) for row in rows):
            self._update(left._replace(text=name), more)  # dz = p.copy(); dz[1] -= 1
            return
        is_named = len(more) > 1 and not self._is_adjoint(left.text, self.shapes)
        if is_named and self._is_adjoint(more[0].text, self.required):  # G = ∂f/∂X = …
            self.raw.append((more[0], more[1:]))
            more = more[1:]
        self.raw.append((left, more))
        self.pending = left if prepared_lines.has_prompt(left.span.source.text) else None  # `julia> r = A * x` shows r
        self.above = left if all(self._cells_of(piece.text) is None for piece in more) else None

    def _update(self, name: Cut, pieces: Sequence[Cut]) -> None:
        """Replace the rows of a name after an update such as `dz[1] -= 1`, since their formulas no longer hold.

        All rows with exactly `name`, which has no index, as left side are removed. The last list of two or more entries
        (of any kind) in `pieces`, the array after the update, becomes its row at the end of `raw`. `pending` is then
        None, or the name if there is no such list; `above` is None."""
        lists = [piece for piece in pieces if (cells := self._cells_of(piece.text)) and len(cells) + len(cells[0]) > 2]
        kept = [row for row in self.raw if row[0].text.strip() != name.text.strip()]
        self.raw[:] = [*kept, (name, lists[-1:])] if lists else kept
        self.pending, self.above = None if lists else name, None

    def _without_words(self, left: Cut) -> tuple[Cut, list[Cut]]:
        """Return (symbol, formulas) of a left side with `: ` or a verb such as ` is ` in it.

        The first `: ` splits, or if there is none the first verb in the tuple _VERBS that occurs. Unchanged, with [],
        if there is no such sign, or if `read_symbol` cannot read the part before it. Otherwise the first that applies:
        - the part is a value and prose (all letters, the last word not an array of the problem; or the last word has a
          `(`), and a symbol follows, as in `Then: s`: this symbol with [];
        - a gradient alone follows, `… is ∇y`: the part with [];
        - else the part with [the text after it]."""
        verb = next((verb for verb in _VERBS if verb in left.text), ": ")
        name, colon, formula = left.text.partition(": " if ": " in left.text else verb)
        symbol = read_symbol(name, self.shapes) if colon else None
        if symbol is None:
            return left, []
        *_, word = words = name.split()
        is_prose = ("".join(words).isalpha() and word not in self.shapes) or "(" in word  # `Then: s = 12`
        if is_prose and symbol[0] == VALUE and self._is_symbol(formula):
            return left._replace(text=formula), []
        if is_gradient_alone(formula, self.inputs):  # `the gradient with respect to x is ∇y`
            return left._replace(text=name), []
        return left._replace(text=name), [left._replace(text=formula)]  # `gradient with respect to A: x x^T = …`

    def _printed(self, text: str) -> str | None:
        """Return what a line, without colons at its end, prints; None if it prints nothing. The first that applies:

        - the call of a gradient, `jax.grad(f)(x)`: the partials of the problem's result, joined by commas, `∂y/∂A,
          ∂y/∂x`, after `y` for value_and_grad;
        - `print(z)`, `disp(z)` or `float(z)`: all between the brackets, whatever it is;
        - a symbol of an array, whose name need not be known: the whole line, one word or, of an adjoint, two."""
        inside = text.strip().rstrip(":")
        if symbols := gradients_called(inside, self.inputs, self.required, self.result):
            return symbols
        for call in _PRINTERS:
            if inside.startswith(f"{call}(") and inside.endswith(")"):
                return inside[len(call) + 1 : -1]
        symbol, words = read_symbol(inside, self.shapes), inside.split()
        return inside if symbol and (len(words) == 1 or (len(words) == 2 and symbol[0] == BAR)) else None

    def _read_alone(self, part: Cut) -> None:
        """Read a line without an equals sign: a name, a list, or `name: list`, `name is list`, `name [list]`.

        A comment is split off (`_code_or_list`). Lists are read by `_take_numbers`, else a symbol with a list or
        formula by `_take_symbol`. Otherwise a name alone (also `print(…)`) becomes `pending`, for a list in a comment
        or later line. Every other line with letters or digits goes to `left_out`; after a prompt it becomes `pending`
        too. Below a title such as `# gradient`, what is pending after a prompt is a row of that title, which is then
        `pending` instead. In all other cases `pending` becomes None."""
        part = self._code_or_list(part)
        if self._take_numbers(part) or self._take_symbol(part):
            return
        printed = self._printed(part.text)
        if printed is None and any(map(str.isalnum, part.text)):
            self.left_out.append(LeftOut(part.span, NOTHING_READ))
            printed = part.text if prepared_lines.has_prompt(part.span.source.text) else None  # >>> r @ r
        self.pending = None if printed is None else part._replace(text=printed)
        if self.pending is not None and self.title and prepared_lines.has_prompt(part.span.source.text):
            self.pending = part._replace(text=self.title)
            self.raw.append((self.pending, [part]))

    def _take_numbers(self, part: Cut) -> bool:
        """Add numbers without a name in their line to the row of the name before them; return whether `part` is such.

        The name is `pending`. If there is none, it is `above`, the row above without a list, for a text with a `[` or
        in a line that begins with a sign of comments; for `tensor(3.)`, if no row was read before, the result. With a
        name `part` may be one list or number, or as many lists as there are names, one for each. Without a name, a list
        with a `[` extends the matrix before it, or is noted in `left_out`; all else returns False. Afterwards `above`
        is None; so is `pending`, unless False is returned."""
        is_below = "[" in part.text or part.span.source.text.lstrip().startswith(prepared_lines.COMMENT_SIGNS)
        name, self.above = self.pending or (self.above if is_below else None), None
        is_value = part.text.startswith("tensor(") and "[" not in part.text  # of loss, which comes first
        if is_value and name is None and not self.raw:
            name = part._replace(text=self.result)
        are_several = name is not None and 1 < len(split_row(name.text)) == len(split_lists(part.text))
        is_list = self._cells_of(part.text) is not None and (name is not None or "[" in part.text)
        if not are_several and not is_list:
            return False
        if name is not None:
            self._add_numbers(name, part)
        elif not self._extend_matrix(part.text):
            self.left_out.append(LeftOut(part.span, "it is not clear what these numbers are"))
        self.pending = None
        return True

    def _take_symbol(self, part: Cut) -> bool:
        """Add the row of a symbol and a list, or of a gradient or adjoint and any text; return whether `part` is one.

        These signs are tried in order, each where it first occurs, until one separates such parts: the verbs such as
        ` is `, a newline (only before a list), a colon, the bracket [ or { of a list. A single number is a list too. A
        list goes to `_add_numbers`, a text to `_add_row`."""
        for sign in (*_VERBS, "\n", ":", "[", "{"):
            symbol, _, rest = part.text.partition(sign)
            rest, parts = (sign if sign in "[{" else "") + rest, read_symbol(symbol, self.shapes)
            is_call = sign == "[" and gradients_called(part.text, self.inputs, self.required, self.result)  # …(f, x)[1]
            if parts and parts[1] not in array_texts.CALLS and not is_call and self._cells_of(rest) is not None:
                self._add_numbers(part._replace(text=symbol), part._replace(text=rest))
                return True
            is_alone = self.single and is_gradient_alone(symbol, self.inputs)
            if sign not in "\n[{" and rest.strip() and (is_alone or (parts and parts[0] == BAR)):
                self._add_row(part._replace(text=symbol), [part._replace(text=rest.strip().rstrip("."))])
                return True
        return False

    def _code_or_list(self, part: Cut) -> Cut:
        """Return the part of a line before a comment (`#`), or the list in the comment, if it has one.

        A single number is a list too. In `z # [1, 2]` the code before the comment is then read first, as a line of its
        own (`_read_alone`). `part` itself is returned if it has no comment or nothing before it."""
        code, mark, comment = map(str.strip, part.text.partition("#"))
        if not mark or not code:
            return part
        comment = array_lists.last_list(comment)
        if self._cells_of(comment) is not None:
            self._read_alone(part._replace(text=code))
            code = comment
        return part._replace(text=code)

    def _extend_matrix(self, text: str) -> bool:
        """Add the list in `text` to the list of the last row in `raw` if both are of one matrix; return whether it was.

        False, with nothing changed, in these cases: the last piece of that row, or the text, is not a list; the row is
        not the value or adjoint of a matrix M of the problem; they have another length than the rows of M; M has fewer
        rows than both together. The text of the piece becomes `[1, 2; 3, 4]`."""
        left, pieces = self.raw[-1] if self.raw else (None, [])
        symbol = read_symbol(left.text, self.shapes) if left is not None else None
        cells, more = self._cells_of(pieces[-1].text) if pieces else None, self._cells_of(text)
        shape = self.shapes.get(symbol[1], ()) if symbol is not None else ()
        if cells is None or more is None or len(shape) < 2 or {len(cells[0]), len(more[0])} != {shape[1]}:
            return False
        rows = [", ".join(row) for row in (*cells, *more)]
        if len(rows) > shape[0]:
            return False
        pieces[-1] = pieces[-1]._replace(text=f"[{'; '.join(rows)}]")
        return True

    def _add_numbers(self, name: Cut, numbers: Cut) -> None:
        """Add `numbers` as the last piece to the last one of those rows in `raw` that have the left side `name`.

        Left sides are compared as texts without markup. If there is no such row, or some piece of it is a list or
        number, a new row is added. Of several names (`print(dW, db)`) each gets one of as many lists; with another
        count of lists they are one left side. Entries of `left_out` with the span of `name` are removed."""
        self.left_out = [each for each in self.left_out if each.span != name.span]
        names, lists = split_row(name.text), split_lists(numbers.text)
        if len(names) == len(lists) > 1:
            for one, listed in zip(names, lists, strict=True):
                self._add_numbers(name._replace(text=one.strip()), numbers._replace(text=listed))
            return
        called = without_markup(name.text).strip()
        alike = (k for k, (left, _) in enumerate(self.raw) if called == without_markup(left.text).strip("> "))
        last = max(alike, default=None)
        if last is None or any(self._cells_of(piece.text) is not None for piece in self.raw[last][1]):
            self.raw.append((name, [numbers]))
        else:
            self.raw[last][1].append(numbers)


_VERBS = " is ", " are ", " ist ", " est ", " es ", " è "
_PRINTERS = ("print", "disp", "float")


def _from_one(rows: list[ArrayLine]) -> list[ArrayLine]:
    """Return rows whose indices count from 1.

    If a row of an array, be it of its value or its adjoint, has an index 0, all indices are raised by 1 in all rows of
    this name, of both kinds, that have a `[` in `written`; z0 stays."""
    zero = {row.name for row in rows if 0 in row.entry}
    return [
        row._replace(entry=tuple(k + 1 for k in row.entry)) if row.name in zero and "[" in row.written else row
        for row in rows
    ]
