"""Unnamed rows, `x^2 = 9`: their values decide which rows of the problem they are. A step is a row of the problem's
trace."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ...answers.answer import Script
from ...answers.answer_model import BAR, VALUE, LeftOut, RowPiece, Task
from ...answers.chains import inner
from ...answers.collector import RawRow, RawSection
from ...answers.entries import is_prose, names_with_rows
from ...answers.higher_derivatives import read_quotient, split_operator
from ...answers.left_sides import LeftSides, shared_left_sides
from ...answers.row_tokens import words_of
from ...answers.symbols import SIGMOID, Names
from ...graph.tape import evaluate
from ...language.problems import in_arithmetic
from ...numbers.double_intervals import SPREAD, Spread
from ...patterns import pattern
from ...table.primitive import lookup
from ...trace.request_choices import NUMBERINGS
from ..programs.reference_traces import standard, trace_worksheet
from ..programs.worksheet import Worksheet, cell_of, same, total
from .matching import value_of

_OPERATION = pattern(r"[\w)]\s*[-+*/^·×]\s*[\w(]")  # a row of a table that is called by its formula
_CLOSE = 1e-9  # of two results of the same formula
_ASIDE = 1.03125  # factor of the inputs of another point


def with_names(part: RawSection, script: Script, names: Names, task: Task) -> RawSection:
    """Return the section in which rows without a name are called like the step of the problem that they compute.

    If the task has no mode and all named rows are values, rows may also be derivatives of results by inputs (`∂y/∂x`).
    A row whose value no step without a row has goes to `left_out` if its numbers are true; it stays without a name if
    they are not, or if it cannot be computed (`_Namer.with_name`). Formulas may use values of named rows further down.
    Before all that, rows of derivatives of formulas get names (`_with_derivative_named`). `part` is not changed.
    """
    names = names_with_rows(part.rows, (), script.lefts, names)
    lefts = shared_left_sides(names)
    part = part.with_rows([_with_derivative_named(row, script, lefts, task) for row in part.rows])
    lacking = {id(row) for row in part.rows if lefts[row.left.text] is None and _may_be_named(row)}
    if not lacking:
        return part
    written = [left.quantity for row in part.rows if (left := lefts[row.left.text])]
    wants_derivatives = task.mode is None and all(quantity.kind == VALUE for quantity in written)
    namer = _Namer(script, lefts, task, {quantity.name for quantity in written}, wants_derivatives)
    for row in part.rows:  # r² = 25 may stand before r = 5
        namer.learn(row, namer.known)
    rows: list[RawRow] = []
    omitted: list[LeftOut] = []
    for row in part.rows:
        named = namer.with_name(_after_colon(row)) if id(row) in lacking else row
        if isinstance(named, LeftOut):
            omitted.append(named)
        else:
            rows.append(named)
        namer.learn(row, namer.before)
    return part.with_rows(rows, omitted)


def _with_derivative_named(row: RawRow, script: Script, lefts: LeftSides, task: Task) -> RawRow:
    """Return a row such as `d/dx (x^2 y) = 2xy` under the name of the derivative that this is, if the formula has it at
    all sample points: of a result, or of a first derivative if second ones are requested; other rows as they are."""
    operator = split_operator(row.left.text, lefts.names.inputs) if lefts[row.left.text] is None else None
    piece = script.formula(inner(row.left, operator[1], len(row.left.text)), lefts.names) if operator else None
    if operator is None or piece is None:
        return row
    sheet, by = trace_worksheet(task), operator[0]
    slopes = _slopes(piece, by, sheet)
    names = (name for name, values in _derivatives(by, sheet, task.order) if slopes and same(slopes, values))
    return row._replace(left=row.left._replace(text=next(names, row.left.text)))


def _slopes(piece: RowPiece, by: str, sheet: Worksheet) -> list[Spread]:
    """Return the derivatives of a formula with respect to the input `by` at all sample points; [] if it is not a
    formula of inputs alone."""
    graph = piece.graph
    leaves = {} if graph is None else {slot: piece.quantities[symbol] for slot, symbol in graph.inputs.items()}
    if graph is None or any(each.kind != VALUE or each.name not in sheet.inputs for each in leaves.values()):
        return []
    cell, moved = cell_of(graph, graph.outputs[0][1], ()), [slot for slot, each in leaves.items() if each.name == by]
    known = ({slot: place[each.name] for slot, each in leaves.items()} for place in sheet.places)
    return [total(cell.partials(each)[slot] for slot in moved) for each in known]


def _derivatives(by: str, sheet: Worksheet, order: int) -> Iterator[tuple[str, Sequence[Spread]]]:
    """Yield (name, values at all sample points) of each derivative of a result with respect to the input `by`; for an
    `order` above 1 those results that are such derivatives."""
    prints = sheet.prints()
    for output, slot in sheet.outputs.items():
        if order == 1:
            yield f"∂{output}/∂{by}", [each.read(BAR, sheet.inputs[by], output) for each in sheet.truths()]
        elif by in (read_quotient(output, [*sheet.inputs]) or ("", ()))[1]:
            yield output, prints[slot]


def _may_be_named(row: RawRow) -> bool:
    """Return whether a row, which has no name, begins with a formula, and not with a sentence.

    Text after words with a colon (`_after_colon`), and a text that is not prose (`is_prose`: many words, or any row of
    a table), count as formulas. Prose counts as one in two cases: a sign of + - * / ^ · × is between two letters,
    digits or brackets, in a table or not; or the row is in a table and its first word is a function of the table of
    functions or a name of the sigmoid. False for an empty text.
    """
    text = _after_colon(row).left.text
    if not text or text != row.left.text or not is_prose(row):
        return bool(text)
    word = next(iter(words_of(text)), "")  # sin x2, in a table
    return (row.table and (word in SIGMOID or lookup(word.lower()) is not None)) or _OPERATION.search(text) is not None


def _after_colon(row: RawRow) -> RawRow:
    """Return a row without the words and the colon before a formula on its left: `First the powers: exp(a) = 1.649`.

    The last colon followed by a blank counts. Unchanged unless the text after it ends with a closing round bracket and
    the words before it, at least one, have no digit.
    """
    words, _, formula = row.left.text.rpartition(": ")
    is_formula = formula.strip().endswith(")") and not any(map(str.isdecimal, words))
    return row._replace(left=inner(row.left, len(words) + 2, len(row.left.text))) if words and is_formula else row


class _Namer:
    """A giver of names to rows of a problem.

    `known` has the values of all named rows, `before` those of the named rows further up. `free` has the steps of the
    problem without a row. `moved` has the values of inputs and of rows with formulas at another point, `steps` those of
    the steps there, by which two formulas are told apart that have the same value at the point. `called` maps the
    formulas by which rows are called to names. `functions` are those of the steps, in order.
    """

    def __init__(
        self, script: Script, lefts: LeftSides, task: Task, taken: Collection[str], wants_derivatives: bool
    ) -> None:
        """Collect the values at the point of `task` and its steps, except those whose names are `taken`.

        With `wants_derivatives` the derivatives of its results by its inputs come after the steps.
        """
        self.script, self.lefts, self.names = script, lefts, lefts.names
        self.known = {name: in_arithmetic(SPREAD, x) for name, x in task.at.items()}
        self.before = dict(self.known)
        steps = [*_steps(task, self.known)]
        self.free = {name: x for name, x, _ in steps if name not in taken}
        self.functions = [function for _, _, function in steps]
        self.moved = {name: SPREAD.number(x.middle * _ASIDE) for name, x in self.known.items()}
        self.steps = {name: x for name, x, _ in _steps(task, self.moved)}
        if wants_derivatives:
            sheet = trace_worksheet(task)
            truth, outputs, inputs = sheet.truths()[0], sheet.outputs, sheet.inputs
            self.free |= {f"∂{y}/∂{x}": truth.read(BAR, inputs[x], y) for y in outputs for x in inputs}
        self.called: dict[str, str] = {}

    def learn(self, row: RawRow, known: dict[str, Spread]) -> None:
        """Add the value of a row to `known` under its name, in place, unless the name already has a value.

        It is the value of the first piece right of the equals sign that can be evaluated with the values in `known`;
        `moved` gets that of the first formula, at the other point. Nothing is added for a row without a name, of a
        derivative, or with a `hint` (its column or title says that it is a derivative).
        """
        left = self.lefts[row.left.text]
        if left is None or left.quantity.kind != VALUE or row.hint is not None:
            return
        if (value := self._first_value(row, known)) is not None:
            known.setdefault(left.quantity.name, value)
        if (value := self._first_value(row, self.moved, by_formulas=True)) is not None:
            self.moved.setdefault(left.quantity.name, value)

    def with_name(self, row: RawRow) -> RawRow | LeftOut:
        """Return `row`, which has no name, under the name of the first free step with its value (within about 1e-9).

        At another point the values must be equal too, if the formula has one there and no substituted number.

        Each step is used once: it leaves `free`. The left side becomes the first piece of the row, unless the row is in
        a table or its formula needs values of rows further down. A row with a `hint` (a derivative in a column) gets
        the name that the row with the same left text has got before, else its text stays.

        The value is that of the left side, by `known`. A left side that cannot be computed, ends in a bracket and has
        no slash, as σ(z), has the value of the first formula on the right, or is the result (`_result_called`).
        If no free step has the value, a row with true or without numbers gives a LeftOut. The row stays as it is if its
        numbers are not true, or if it cannot be evaluated.
        """
        text = row.left.text
        if row.hint is not None:
            return row._replace(left=row.left._replace(text=self.called.get(text, text)))
        formula = self.script.formula(row.left, self.names)
        value = value_of(formula, self.known)
        if value is None and text.rstrip().endswith(")") and "/" not in text:  # σ(z), where z has no row
            value = self._first_value(row, self.known, by_formulas=True)
        if value is None:
            name = self._result_called(formula)
        else:
            names = (name for name, x in self.free.items() if _agree(x, value) and self._moves_with(name, formula))
            name = next(names, None)
        if name is None:
            is_true = value is not None and _is_true(row, value, self.script, self.names)
            return LeftOut(row.left.span, "arithmetic next to the rows") if is_true else row
        self.called[text] = name
        self.free.pop(name, None)
        is_label = row.table or value_of(formula, self.before) is None  # in a table other rows need not be used
        pieces = row.pieces if is_label else [row.left, *row.pieces]
        return row._replace(left=row.left._replace(text=name), pieces=pieces, place=row.left.span)

    def _result_called(self, formula: RowPiece | None) -> str | None:
        """Return the name of the only result if `formula` is a single call of a function that only the last step has,
        as tanh(u) for tanh(a*x + b); None for another formula, and if the result has a row."""
        graph, (result, *others) = None if formula is None else formula.graph, self.names.outputs
        calls = [] if graph is None else [(row.name, len(graph.parents[k])) for k, row in enumerate(graph.rows) if row]
        is_last = calls == [(function, 1) for function in self.functions if function in self.functions[-1:]]
        return result if is_last and not others and result not in self.known else None

    def _moves_with(self, name: str, formula: RowPiece | None) -> bool:
        """Return whether a formula may be the step `name`, whose value it has: x^2 is not 2*x, though both are 4 at 2.

        True if they are equal at the other point, or one of them has no value there. True also if numbers may be
        substituted in the formula: it has no names, or a number, not as an exponent, that is the value of an input or
        named row.
        """
        if formula is None or formula.graph is None or not formula.quantities or name not in self.steps:
            return True
        graph, value = formula.graph, value_of(formula, self.moved)
        powers = {graph.parents[k][1] for k, row in enumerate(graph.rows) if row is not None and row.name == "pow"}
        numbers = [x.read(SPREAD) for slot, x in graph.constants.items() if slot not in powers]
        is_substituted = any(_agree(x, number) for number in numbers for x in self.known.values())
        return value is None or is_substituted or _agree(self.steps[name], value)

    def _first_value(self, row: RawRow, known: Mapping[str, Spread], *, by_formulas: bool = False) -> Spread | None:
        """Return the value of the first piece right of the equals sign of `row` that can be computed from `known`.

        A piece is a number or a formula; with `by_formulas` only formulas count, as in `σ(z) = 1/(1 + exp(-z)) = 0.73`.
        None if no piece can be computed.
        """
        pieces = (self.script.formula(cut, self.names) for cut in row.pieces)
        read = [piece for piece in pieces if piece is not None and not (by_formulas and piece.graph is None)]
        return next((value for piece in read if (value := value_of(piece, known)) is not None), None)


def _steps(task: Task, at: Mapping[str, Spread]) -> Iterator[tuple[str, Spread, str]]:
    """Yield (name, value at the point `at`, function) of each row of the problem's reference trace, in order.

    The name is the task's own, if the row has one, or else that in the trace. Rows without a value, in a branch that is
    not taken, are left out.
    """
    reference = standard(task, NUMBERINGS[0])
    graph = reference.graph
    point = {slot: at[name] for slot, name in graph.inputs.items()}
    values = evaluate(graph, SPREAD, point)
    for slot, name in reference.names.items():
        value, row = values[slot], graph.rows[slot]
        if value is not None and row is not None:
            yield graph.aliases.get(slot, name), SPREAD.number(value), row.name


def _agree(one: Spread, other: Spread) -> bool:
    """Return whether two values are equal up to rounding."""
    return abs(one.middle - other.middle) <= _CLOSE * (1 + abs(one.middle))


def _is_true(row: RawRow, value: Spread, script: Script, names: Names) -> bool:
    """Return whether all numbers of the row differ from the middle of `value` by less than a unit of their last place.

    True if the row has no numbers. Formulas and pieces that cannot be read are not compared.
    """
    pieces = (script.formula(cut, names) for cut in row.pieces)
    numbers = [piece.number for piece in pieces if piece is not None and piece.number is not None]
    return all(abs(float(number.value) - value.middle) < float(number.unit) for number in numbers)
