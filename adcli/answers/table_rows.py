"""Table rows: cells of a table of any form as rows of an answer. A symbol is a text that names a row.

A table is a list of rows of cells; each cell is a text with its span. A header says what each column holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Span
from ..records import grouped
from .answer_model import DERIVATIVE, VALUE, Numeral, line_of, normal
from .chains import begins_with_relation, chains, has_relation, inner
from .collector import Collector, Cut, Hint
from .headers import (
    ALIAS,
    FORMULA,
    KIND,
    LABEL,
    NAME,
    NUMBERS,
    PROBLEM,
    RESULT,
    Cells,
    Column,
    adjust_columns,
    column,
    column_of_word,
    columns,
    has_derivatives,
    is_column_word,
)  # fmt: skip
from .left_sides import LeftSides, is_derivative
from .numerals import numeral
from .row_tokens import names_in
from .sections import label
from .shown_numbers import as_double
from .symbols import Names


def read_table(collector: Collector, table: Sequence[Cells], *, titled: bool | None = None) -> None:
    """Add the rows of a table to `collector`, as a block of its own.

    Rows without any cells are dropped. Then the first that applies:

    - A Jacobian (`_read_matrix`), or an empty table, for which nothing is added.
    - Names above the point with the results there (`_read_point_with_results`).
    - A table by columns, if these are known from a header or from the numbers (`_split_header`, which also transposes a
      table whose rows are columns). Not if most rows have cells that begin with an equals sign (`_is_chained`).
    - Each row by its equals signs, wrapped rows joined.

    `titled` says whether the first row is a header (None: its words decide); with True a header with unknown words is
    skipped. The lines of a header that is split off are marked as understood.
    """
    table = [cells for cells in table if cells]
    collector.next_block()
    lefts = collector.lefts
    if _read_matrix(collector, table) or _read_point_with_results(collector, table):
        return
    table, contents, rows = _split_header(_without_step_numbers(table, lefts), lefts, titled)
    if rows is not table:
        collector.understood.update(line_of(cell.span) for cell in table[0])
    if contents and not _is_chained(rows, contents):
        contents = adjust_columns(contents, table[0], rows, is_first=not collector.part.rows)
        _read_by_columns(collector, rows, contents)
    else:
        for cells in _whole_rows(rows, 0, lefts):
            _read_by_signs(collector, cells)
    collector.next_block()


def _without_step_numbers(table: list[Cells], lefts: LeftSides) -> list[Cells]:
    """Return the table without its first column if that has a header for steps (`Step`); unchanged otherwise.

    Every row must have at least three cells and, below the header, the symbol of a derivative in the second; there must
    be such a row. The cells of the first column are not looked at."""
    step = column_of_word(table[0][0].text.strip())
    is_numbered = step is not None and step.role == "step" and len(table) > 1 and min(map(len, table)) > 2
    if not is_numbered or not all(is_derivative(lefts[cells[1].text]) for cells in table[1:]):
        return table
    return [cells[1:] for cells in table]


def _split_header(
    table: Sequence[Cells], lefts: LeftSides, titled: bool | None
) -> tuple[Sequence[Cells], list[Column | None] | None, Sequence[Cells]]:
    """Return (the table, the content of its columns, its rows without a header); the content is None if unknown.

    - The first row is a header if `columns` reads it, which is not tried if `titled` is False.
    - If it is not one, or if all its cells but the first are names of rows alone, the table is transposed if
      `_transpose_table` can do so, whatever `titled` is; its first row is then the header.
    - If there is still no header, the columns are name, value and derivative if the numbers show it (`_has_slopes`); a
      first row without numbers is then left out of the rows.
    - Otherwise all rows are returned, without the first one if `titled` is True.
    """
    names = lefts.names
    contents = columns([cell.text for cell in table[0]], names) if titled is not False else None
    if contents is None or all(_is_name_alone(cell.text, lefts) for cell in table[0][1:]):
        sideways = _transpose_table(table, lefts)
        table = sideways or table
        contents = columns([cell.text for cell in sideways[0]], names) if sideways else contents
    rows = table[1:] if contents or titled else table
    if contents is None:
        numbers = rows if any(numeral(cell.text) for cell in table[0]) else table[1:]
        if _has_slopes(numbers, names):
            return table, columns(["name", "value", "derivative"], names), numbers
    return table, contents, rows


def _read_point_with_results(collector: Collector, table: Sequence[Cells]) -> bool:
    """Read a table of names above one row of numbers, with the point among them; return whether it is such a table.

    The table has rows of equal length: names, none of them a usual word for a column, up to two rows of formulas
    (`_has_formulas_above_last`), and numbers, none missing. A word for values or formulas, `function`, names the only
    output. One of these must be true:
    - one or more names are inputs, in any place, and their numbers equal the values of the point (`_has_point`);
    - no name is an input, and all of them, two or more, are symbols;
    - all names, two or more, are inputs with other numbers than at the point: the derivatives of the only output.

    Each name that is a symbol, also an input, gets a row: the formula behind the name, if there is one (`y = x^2`),
    that below it, then the number. Other columns are skipped. The line of the names is marked as understood.
    """
    if not _has_formulas_above_last(table):
        return False
    heads = [_with_formula(_named_output(cell, collector.names)) for cell in table[0]]
    values = [numeral(cell.text) for cell in table[-1]]
    names = [head.text.strip() for head, _ in heads]
    are_slopes = _are_slopes(collector.names, names, values)
    is_known = are_slopes or _are_rows(collector.lefts, names, values) or _has_point(collector.names, names, values)
    if any(map(is_column_word, names)) or not is_known:
        return False
    for (head, pieces), *cells in zip(heads, *table[1:], strict=True):
        if collector.lefts[head.text] is not None:
            pieces += [cell for cell in cells if cell.text.strip()]
            collector.row(head, pieces, hint=Hint(DERIVATIVE) if are_slopes else None, table=True)
    collector.understood.add(line_of(table[0][0].span))
    return True


def _has_formulas_above_last(table: Sequence[Cells]) -> bool:
    """Return whether a table of two to four rows of equal length has a cell that is not a number in each inner row."""
    inner_rows = [[numeral(cell.text) for cell in cells] for cells in table[1:-1]]
    return 2 <= len(table) <= 4 and len({*map(len, table)}) == 1 and all(None in row for row in inner_rows)


def _named_output(cell: Cut, names: Names) -> Cut:
    """Return a header cell under the name of the only output if it is a word for values or formulas; else unchanged."""
    is_output = len(names.outputs) == 1 and column(cell.text, names) in (Column(FORMULA), Column(RESULT))
    return cell._replace(text=names.outputs[0]) if is_output else cell


def _has_slopes(table: Sequence[Cells], names: Names) -> bool:
    """Return whether a table without its header has a name, a value and a derivative in each row.

    Each row must have three cells, the last two numbers; names are not checked. Besides, one of these must be true
    (values are compared as floating-point numbers):
    - some row has an input, its value at the point, and then the seed 0 or 1;
    - two or more rows are inputs, each of these rows has its value at the point, and some row of the table has two
      different numbers.

    False for an empty table.
    """
    heads = [cells[0].text.strip() for cells in table]
    numbers = [[number.value for cell in cells[1:] if (number := numeral(cell.text))] for cells in table]
    if any(not len(cells) - 1 == len(row) == 2 for cells, row in zip(table, numbers, strict=True)):
        return False
    true = [row[1] for head, row in zip(heads, numbers, strict=True) if as_double(row[0]) == names.point.get(head)]
    is_whole = 1 < len(true) == len(names.point.keys() & set(heads)) and any(x != slope for x, slope in numbers)
    return is_whole or not {0, 1}.isdisjoint(true)


def _has_point(names: Names, heads: Sequence[str], numbers: Sequence[Numeral | None]) -> bool:
    """Return whether none of `numbers` is missing, one or more of `heads` are inputs with a known value, and all of
    these have exactly this value at the same place in `numbers`.
    """
    point = {head: number for head, number in zip(heads, numbers, strict=True) if head in names.point}
    values = [
        number is not None and as_double(number.value) == float(names.point[head]) for head, number in point.items()
    ]
    return bool(values) and all(values) and None not in numbers


def _are_rows(lefts: LeftSides, heads: Sequence[str], numbers: Sequence[Numeral | None]) -> bool:
    """Return whether `heads`, two or more, are all symbols and not inputs, and none of `numbers` is missing."""
    are_symbols = all(lefts[head] is not None for head in heads)
    return len(heads) > 1 and are_symbols and None not in numbers and lefts.names.point.keys().isdisjoint(heads)


def _are_slopes(names: Names, heads: Sequence[str], numbers: Sequence[Numeral | None]) -> bool:
    """Return whether `numbers` are derivatives of the only output: all `heads`, two or more, are inputs with a known
    value, and no number is that value or missing."""
    if len(heads) < 2 or len(names.outputs) != 1 or not names.point.keys() >= {*heads}:
        return False
    pairs = zip(heads, numbers, strict=True)
    return all(number is not None and as_double(number.value) != names.point[head] for head, number in pairs)


def _read_matrix(collector: Collector, table: Sequence[Cells]) -> bool:
    """Read a table as a Jacobian, with inputs above its columns and results before its rows; return whether it is one.

    Besides the header there is at least one row. The header must name inputs only, two or more different ones, after a
    first cell that is not an input, and the first cell of each row must be a result; both may be written with d or ∂.
    In a task for second derivatives, of which `H12` and the like are known, rows may begin with inputs too. Each cell,
    also a blank one, is added as a row, the derivative of its result with respect to its input (or the second
    derivative); cells beyond the header are dropped. The lines of the header are marked as understood. True for an
    empty table. If False, nothing is added.
    """
    names = collector.names
    heads = [names.own(cell.text.strip(" $d∂")) for cells in table[:1] for cell in cells[1:]]
    if not table:
        return True
    if len(table) < 2 or len(set(heads)) < max(len(heads), 2) or table[0][0].text.strip() in names.inputs:
        return False
    sides = [names.own(cells[0].text.strip(" $d∂")) for cells in table[1:]]
    symbols = _symbols_of_matrix(names)
    if not symbols.keys() >= {(side, wrt) for side in sides for wrt in heads}:
        return False
    collector.understood.update(line_of(cell.span) for cell in table[0])
    for side, cells in zip(sides, table[1:], strict=True):
        for wrt, cell in zip(heads, cells[1:], strict=False):
            collector.row(cells[0]._replace(text=symbols[side, wrt]), [cell], place=cell.span, table=True)
    collector.next_block()
    return True


def _symbols_of_matrix(names: Names) -> dict[tuple[str, str], str]:
    """Return the symbols of derivatives, by (output, input), and of second derivatives, by (input, input)."""
    first = {(output, wrt): f"∂{output}/∂{wrt}" for output in names.outputs for wrt in names.inputs}
    numbered = list(enumerate(names.inputs, 1))
    second = {(one, other): names.known.get(f"H{i}{k}") for i, one in numbered for k, other in numbered}
    return first | {pair: symbol for pair, symbol in second.items() if symbol is not None}


def _is_chained(rows: Sequence[Cells], contents: Sequence[Column | None]) -> bool:
    """Return whether more than half of the rows have a cell, after the first, that begins with an equals sign, ≈ or
    arrow.

    False if there are no rows, and if all of these cells are in columns of formulas, as `=A1*B1` of a spreadsheet is.
    """
    places = [{k for k, cell in enumerate(cells) if k and begins_with_relation(cell.text)} for cells in rows]
    formulas = {k for k, each in enumerate(contents) if each and each.role == FORMULA}
    return 2 * sum(map(bool, places)) > len(rows) and not set().union(*places) <= formulas


def _is_name_alone(text: str, lefts: LeftSides) -> bool:
    """Return whether a header is the name of a row and not a word for what a column holds; d and e are names."""
    return lefts[text] is not None and (len(text.strip()) == 1 or column(text, lefts.names) is None)


def _transpose_table(table: Sequence[Cells], lefts: LeftSides) -> list[Cells] | None:
    """Return the transposed table, if its header has names of rows and its first column words of headers; else None.

    The names, two or more after the first cell, must be symbols (perhaps with formulas, `c = a+b`) and not words for
    columns. The cells below the first one must be, with a column of names, a header (`columns`); the first one does not
    matter. None also for fewer than two rows in all, and if rows differ in length.
    """
    heads = [_with_formula(cell)[0].text for cell in table[0][1:]]
    if len(table) < 2 or len(heads) < 2 or any(len(cells) != len(table[0]) for cells in table):
        return None
    if any(lefts[head] is None or is_column_word(head.strip().casefold()) for head in heads):
        return None
    if columns(["name", *(cells[0].text for cells in table[1:])], lefts.names) is None:
        return None
    return [[cells[k] for cells in table] for k in range(len(table[0]))]


def _whole_rows(rows: Sequence[Cells], place: int, lefts: LeftSides | None = None) -> list[Cells]:
    """Return the rows, with each row that is wrapped over several lines joined into one, cell by cell.

    A line continues the row before it, if there is one, if its cell at the index `place`, the column of names, is
    blank. The texts are joined with a blank; the span is that of the first filled cell. Its cells beyond those of that
    row are dropped. With `lefts`, for tables without a header, such a line begins a row too if a cell has a relation,
    or if two or more cells are filled and the first of them is a symbol. `rows` is not changed.
    """
    whole: list[Cells] = []
    for cells in rows:
        named = place < len(cells) and cells[place].text.strip()
        if named or not whole or (lefts is not None and _begins_further_right(cells, lefts)):
            whole.append(cells)
            continue
        before = whole[-1]
        whole[-1] = [
            one._replace(text=f"{one.text} {more.text}".strip(), span=one.span if one.text.strip() else more.span)
            if more.text.strip()
            else one
            for one, more in zip(before, [*cells, *before[len(cells) :]], strict=False)
        ]
    return whole


def _begins_further_right(cells: Cells, lefts: LeftSides) -> bool:
    """Return whether a line without a name in its first cell is a row of the right one of two tables side by side."""
    filled = [cell.text for cell in cells if cell.text.strip()]
    return any(map(has_relation, filled)) or (len(filled) > 1 and lefts[filled[0]] is not None)


def _read_by_columns(collector: Collector, rows: Sequence[Cells], contents: list[Column | None]) -> None:
    """Add table rows to `collector`: for each row its value, then its derivatives (`_add_columns_of_row`).

    `contents` has the content of each column, None if unknown. A line with a blank cell in the column of names (the
    first column, if none is) continues the row before it. Rows called 1, 2, … get the names v1, v2, … used in the other
    cells. The name is the cell in the column of aliases if this is filled, else that of names; a row without both is
    skipped. A word for derivatives in the column of kinds makes the value of its row one of these. The title of a row
    is its text in the column of labels, if blank that of problems, if blank None. If not all titles are equal, a
    section begins at the first row and wherever the title changes, with its label.
    """
    roles = [each.role if each else None for each in contents]
    single = {role: roles.index(role) if role in roles else None for role in (NAME, ALIAS, PROBLEM, LABEL, KIND)}
    rows = _name_numbered_rows(_whole_rows(rows, single[NAME] or 0), single[NAME] or 0, collector.names)
    quantities = _columns_by_quantity(rows, contents)
    titles = [_first_filled(cells, single[LABEL], single[PROBLEM]) for cells in rows]
    texts = [title and title.text.strip() for title in titles]
    has_sections = len(set(texts)) > 1
    section: str | None = None
    for cells, text in zip(rows, texts, strict=True):
        if has_sections and text != section:
            section = text
            collector.section(section and label(section))
        name = _first_filled(cells, single[ALIAS], single[NAME])
        if name is not None:
            stated = _of_stated_kind(quantities, _first_filled(cells, single[KIND]))
            _add_columns_of_row(collector, cells, name, stated)


def _of_stated_kind(quantities: list[tuple[Hint, list[int]]], cell: Cut | None) -> list[tuple[Hint, list[int]]]:
    """Return `quantities` with values as the kind that the word in `cell` states; as they are if it states none."""
    word = column_of_word(cell.text.strip()) if cell is not None else None
    if word is None or word.kind == VALUE:
        return quantities
    return [(hint._replace(kind=word.kind) if hint.kind == VALUE else hint, places) for hint, places in quantities]


def _name_numbered_rows(rows: list[Cells], place: int, names: Names) -> list[Cells]:
    """Return the rows with v1, v2, … instead of the numbers 1, 2, … in the cells at `place`, the column of names.

    If any row has no whole number at `place` (points and brackets do not matter), return `rows`. The letter is that of
    the names in all cells, such as v2, that consist of one letter and one of these numbers and are not in
    `names.known`. If there are none, or with different letters, the cells get the numbers alone, without points and
    brackets.
    """
    numbers = [cells[place].text.strip(" .()") for cells in rows if place < len(cells)]
    if not all(map(str.isdecimal, numbers)) or len(numbers) < len(rows):
        return rows
    used = {normal(name) for cells in rows for cell in cells for name in names_in(cell.text)} - names.known.keys()
    letters = {name[0] for name in used if name[1:] in numbers}
    letter = letters.pop() if len(letters) == 1 else ""
    named = [cells[place]._replace(text=letter + number) for cells, number in zip(rows, numbers, strict=True)]
    return [[*cells[:place], name, *cells[place + 1 :]] for cells, name in zip(rows, named, strict=True)]


def _columns_by_quantity(rows: Sequence[Cells], contents: Sequence[Column | None]) -> list[tuple[Hint, list[int]]]:
    """Return pairs (quantity, indices of its columns), the value first, if there is one, then from left to right.

    A quantity is a Hint of kind, key and `guess`. Its indices are those of formulas, then formulas with numbers, then
    results. `contents` has the content of each column. Left out are columns with other roles, such as names, those
    without a known content, and a guessed one if a filled cell of it in `rows` is not a number.
    """
    roles = (FORMULA, NUMBERS, RESULT)
    known = [(each, k) for role in roles for k, each in enumerate(contents) if each and each.role == role]
    kept = ((each, place) for each, place in known if not (each.guess and _has_words(rows, place)))
    places = grouped((Hint(each.kind, each.key, each.guess), place) for each, place in kept)
    return sorted(places.items(), key=lambda item: (item[0].kind != VALUE, min(item[1])))


def _add_columns_of_row(
    collector: Collector, cells: Cells, name: Cut, quantities: Sequence[tuple[Hint, list[int]]]
) -> None:
    """Add one row of a table to `collector`: a row of its value, then one of each derivative with a filled cell.

    `quantities` has for each quantity the indices of its columns, a value first, if there is one. The pieces are those
    in the filled cells of these columns, in that order. Pieces in the cell of the name, `v1 = log(x1)`, come first in
    the row of the value, which is added if it has any pieces; without a column of values it is added last. If nothing
    is added otherwise, all cells being blank, the value is added without pieces. The hint is that of a derivative (None
    for a value).
    """
    name, inside = _with_formula(name)
    is_empty = True
    for hint, filled in _filled_cells(cells, quantities):
        is_value = hint.kind == VALUE
        name, pieces = _name_and_pieces(name, filled, collector.lefts, is_value)
        if is_value:
            pieces, inside = [*inside, *pieces], []
        if filled or pieces:
            place = None if is_value else filled[0].span
            collector.row(name, pieces, hint=None if is_value else hint, place=place, table=True)
            is_empty = False
    if is_empty or inside:
        collector.row(name, inside, table=True)


def _filled_cells(cells: Cells, quantities: Sequence[tuple[Hint, list[int]]]) -> list[tuple[Hint, list[Cut]]]:
    """Return (quantity, its filled cells) of a row for each of `quantities`, with the indices of its columns.

    Formulas of derivatives, `p_bar*x`, alone in the columns of the value are those of the only derivative.
    """
    places = [(hint, [k for k in columns if k < len(cells)]) for hint, columns in quantities]
    pairs = [(hint, [cells[k] for k in here if cells[k].text.strip()]) for hint, here in places]
    filled = [pair for pair in pairs if pair[1]]
    if len(filled) == 2 and filled[0][0].kind == VALUE and all(map(has_derivatives, filled[0][1])):
        return [(filled[1][0], [*filled[0][1], *filled[1][1]])]
    return pairs


def _has_words(rows: Sequence[Cells], place: int) -> bool:
    """Return whether a filled cell of the column at `place` is not a number, with decimal points or commas."""
    texts = [cells[place].text.strip() for cells in rows if place < len(cells)]
    return any(numeral(text) is None and numeral(text, "comma") is None for text in texts if text)


def _with_formula(name: Cut) -> tuple[Cut, list[Cut]]:
    """Return (the name in a cell, the pieces that follow it after equals signs there), as in `v1 = log(x1)`.

    The relations are those of `chains`, also ≈ and arrows. (the cell as it is, []) if it has none, or several rows.
    """
    rows = chains(name.text)
    if len(rows) != 1:
        return name, []
    return inner(name, *rows[0].left), [inner(name, start, end, sign) for sign, start, end in rows[0].pieces]


def _first_filled(cells: Cells, *places: int | None) -> Cut | None:
    """Return the first cell at one of `places` (None: no such column) that is not blank; None if all are."""
    filled = (cells[place] for place in places if place is not None and place < len(cells))
    return next((cell for cell in filled if cell.text.strip()), None)


def _name_and_pieces(name: Cut, cells: Cells, lefts: LeftSides, is_value: bool) -> tuple[Cut, list[Cut]]:
    """Return (the name of a row, the pieces in its filled `cells` of one quantity, which is a value or a derivative).

    In a value a derivative at the beginning of a cell is a piece, `MPK | ∂Y/∂K = 0.3`, unless the row is called as a
    derivative. If it is the first piece and `name` has no symbol, `first slope`, it is the name.
    """
    symbol = lefts[name.text]
    is_alias = is_value and not is_derivative(symbol)
    pieces = [piece for cell in cells for piece in _pieces_in_cell(cell, lefts, is_alias)]
    if symbol is None and is_alias and pieces and is_derivative(lefts[pieces[0].text]):
        return pieces[0], pieces[1:]
    return name, pieces


def _pieces_in_cell(cell: Cut, lefts: LeftSides, is_alias: bool) -> list[Cut]:
    """Return the pieces in a cell, split at equals signs; the whole cell if it has none, [] for a blank cell.

    The text before the first equals sign is a piece, too, unless it is blank or any symbol: then it is dropped, since
    it repeats the name of the row. With `is_alias` the row is not called as a derivative, and a derivative is kept: it
    says what the row is. The same is true of each further row that `chains` finds in the cell: all pieces are
    returned as those of one row.
    """
    rows = chains(cell.text)
    if not rows:
        return [cell] if cell.text.strip() else []
    pieces = []
    for chain in rows:
        left = inner(cell, *chain.left)
        if left.text and (lefts[left.text] is None or (is_alias and is_derivative(lefts[left.text]))):
            pieces.append(left)
        pieces += [inner(cell, start, end, sign) for sign, start, end in chain.pieces]
    return pieces


class _RowOfSigns:
    """A row that is put together from the cells of a line; `left` is its name, None before the first cell.

    `is_open` is True after a cell that ends in an equals sign.
    """

    def __init__(self, collector: Collector) -> None:
        self.collector, self.lefts = collector, collector.lefts
        self.left: Cut | None = None
        self.pieces: list[Cut] = []
        self.is_open = False

    def begin(self, left: Cut | None) -> None:
        """Add the row so far to the collector, and begin another with the name `left` (None: no other) and without
        pieces.

        The row so far is dropped if there is none, if its name is not a symbol, or if it has no pieces, unless the cell
        before ended in an equals sign (`is_open`). `is_open` is not changed.
        """
        if self.left is not None and (self.pieces or self.is_open) and self.lefts[self.left.text]:
            self.collector.row(self.left, self.pieces, table=True)
        self.left, self.pieces = left, []

    def take(self, cell: Cut, following: str) -> None:
        """Take a cell as further pieces, or as the name of another row; `following` is the text of the cell after it.

        In a cell with equals signs, the text before each chain, if not blank, begins a row; but it is a piece if a row
        is begun and either the cell before ended in an equals sign or the text is not a symbol. The text after each
        equals sign is a piece. A cell without an equals sign begins a row if `_is_name` says so, otherwise it is a
        piece. At last `is_open` is set: whether the cell ends in an equals sign.
        """
        rows = chains(cell.text)
        for chain in rows:
            start = inner(cell, *chain.left)
            if start.text and self.left is not None and (self.is_open or self.lefts[start.text] is None):
                self.pieces.append(start)
            elif start.text:
                self.begin(start)
            self.pieces += [inner(cell, begin, end, sign) for sign, begin, end in chain.pieces]
        if not rows and self._is_name(cell.text, following):
            self.begin(cell)
        elif not rows:
            self.pieces.append(cell)
        self.is_open = bool(rows) and not cell.text[rows[-1].pieces[-1][1] :].strip()

    def _is_name(self, text: str, following: str) -> bool:
        """Return whether a cell `text` without an equals sign begins a row.

        True if no row is begun yet, whatever the text is. Else False directly after a cell that ends in an equals sign.
        Else the cell must be a symbol, and the `following` cell must begin with a relation or the symbol be one that
        cannot be in the current row (`are_apart`).
        """
        if self.left is None or self.is_open:
            return self.left is None
        symbol = self.lefts[text]
        is_before_sign = symbol is not None and begins_with_relation(following)
        return is_before_sign or self.lefts.are_apart(self.lefts[self.left.text], symbol)


def _read_by_signs(collector: Collector, cells: Cells) -> None:
    """Add a table row without a header to `collector`: cells that begin with an equals sign continue the one before."""
    row = _RowOfSigns(collector)
    filled = [cell for cell in cells if cell.text.strip()]
    for cell, following in zip(filled, [*(cell.text for cell in filled[1:]), ""], strict=False):
        row.take(cell, following)
    row.begin(None)


def join_cells(collector: Collector, cells: Sequence[str], between: str = "  ") -> list[Cut] | None:
    """Add `cells`, which have no line of their own, to the answer as one line; return each cell with its span.

    Runs of blanks in a cell become one blank, those at its ends are removed. `between` is put between cells. An empty
    cell has the text "" and a span of one character, which may be in `between`. None if the line is too long or the
    answer is full (`Collector.line`).
    """
    shown = [" ".join(cell.split()) for cell in cells]
    source = collector.line(between.join(shown))
    if source is None:
        return None
    cuts = []
    place = 0
    for text in shown:
        cuts.append(Cut(text, Span(place, place + max(len(text), 1), source)))
        place += len(text) + len(between)
    return cuts
