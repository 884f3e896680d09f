"""Names of rows and quantities as they are written in an answer: `dy/dx1`, `w.grad`, `x̄1`; and the operands of a row
by these names, for hints."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from operator import itemgetter

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE, WORDS, Answer, Entry, RowPiece
from ...answers.headers import is_column_word
from ...answers.numerals import numeral
from ...errors import Span
from ...graph.graph import Graph
from ...graph.order import dependents
from ...graph.tape import evaluate, linearize
from ...notation.table_formulas import write_partial
from ...numbers.double_intervals import SPREAD, Spread
from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import Kink
from ..model import row_name
from ..programs.contributions import RowCase
from ..programs.resolving import Resolved, used_directly
from ..programs.worksheet import Solution, Worksheet, close
from ..slips.step_arithmetic import is_exactly
from .evidence import Evidence
from .quantities import Demand, counterparts

_LIST_MARK = pattern(r"(?:\(?\w{1,2}[.)]|[-•])\s+")
_LONGEST = 24  # characters of a symbol that feedback repeats
_LONGEST_FORMULA = 30  # characters of a formula that names a step
_ROW, _OTHER = "\0", "\1"  # the places of two names in the pattern of a symbol
_NOUNS = {BAR: "adjoint", DOT: "tangent"}
# What shows that a student marks adjoints and tangents as such: words, and a bar or dot over a letter.
_MARKS = {BAR: ("bar", "adj", "\u0304", "\u0305"), DOT: ("dot", "tang", "\u0307")}


def symbol_of(entry: Entry) -> str:
    """Return the symbol of a row, the text of its span, as the student wrote it: `dy/dx1`, `f'(x)`, `w.grad`.

    Blanks are single; at the ends blanks and the signs `: | & * $ ?` and the backquote are removed, and an equals sign
    with all behind it. "" in these cases:
    - the text has more than 24 characters then, or a backslash, or ends inside a word;
    - it is a number, prose (`_is_prose`), or a formula of the row, which is underlined if the row has no name;
    - it is a matrix: a derivative in capitals, or, for a value whose name has a `/`, a text of letters only;
    - the row is a tangent, adjoint or derivative, and the text is only its row's name (underscores do not count).
    """
    text = " ".join(entry.span.text.partition("=")[0].split()).strip(" :|&*`$?")
    kind, name, _ = entry.quantity
    is_plain = text.replace("_", "") == name.replace("_", "") and kind in (BAR, DOT, DERIVATIVE)
    is_formula = entry.span in [piece.span for piece in entry.pieces]
    is_whole = text.isalpha() and "/" in name if kind == VALUE else kind == DERIVATIVE and text.isupper()  # a matrix
    is_cut = text[-1:].isalpha() and entry.span.source.text[entry.span.end :][:1].isalpha()  # Deriv|ative
    if is_whole or is_cut or numeral(text.strip("+-−() ").replace(",", ".")) is not None or _is_prose(text):
        return ""
    return "" if is_plain or is_formula or len(text) > _LONGEST or "\\" in text else text


def _is_prose(text: str) -> bool:
    """Return whether `text` is only words and not the symbol of a row; a list mark such as `b)` is ignored.

    A single word is prose if it heads columns (`b) gradient`; not a single letter). Several words are, unless the first
    one is a mark of adjoints or tangents (WORDS): `The value is` is prose, `adjoint a` is not. False if there is no
    word, or anything besides letters. Case does not matter.
    """
    words = _LIST_MARK.sub("", text).casefold().split()
    if not words or not all(map(str.isalpha, words)):
        return False
    return words[0] not in WORDS if len(words) > 1 else is_column_word(words[0])


def has_marks(text: str, kinds: Iterable[str] = (BAR, DOT)) -> bool:
    """Return whether `text` has words or accents for adjoints or tangents, so that its writer knows them.

    They are `bar`, `adj` and a bar over a letter (kind bar), `dot`, `tang` and a dot over a letter (kind dot), in
    capitals or not and also inside of longer words. `kinds` are the kinds that are searched.
    """
    plain = unicodedata.normalize("NFD", text).casefold()
    return any(mark in plain for kind in kinds for mark in _MARKS[kind])


class WrittenNames:
    """The spelling of adjoints and tangents in one answer, from which names of its other quantities are formed.

    `symbols` has the symbol of each row as the student wrote it, "" if hints cannot repeat it.
    """

    def __init__(self, answer: Answer, evidence: Evidence) -> None:
        """Learn the student's spelling from the first row of each kind whose symbol shows it.

        `evidence` has the quantity that each entry of the answer gives. Marks such as bars are searched in the lines of
        the answer. For the names of outputs see `_name_results`. `symbols` has the symbol of each entry, "" for a
        symbol that several quantities share, as `∇f`.
        """
        entries, meanings = answer.entries, evidence.quantities
        self.symbols = [symbol_of(entry) for entry in entries]
        named = {(symbol, quantity) for symbol, quantity in zip(self.symbols, meanings, strict=True) if quantity}
        shared = Counter(symbol for symbol, _ in named)
        self.symbols = ["" if shared[symbol] > 1 else symbol for symbol in self.symbols]
        self._evidence = evidence
        self._patterns: dict[str, tuple[str, bool]] = {}  # by kind: a symbol with places for names; if 1 is _1 there
        self._results = self._name_results(entries, meanings, evidence.sheet.outputs)
        for entry, quantity, symbol in zip(entries, meanings, self.symbols, strict=True):
            is_new = quantity is not None and quantity.kind in _MARKS and quantity.kind not in self._patterns
            if quantity is not None and is_new and symbol and (symbol_pattern := _symbol_pattern(entry, quantity.kind)):
                self._patterns[quantity.kind] = symbol_pattern
        self._marked = {kind for kind in _MARKS if any(has_marks(line, (kind,)) for line in answer.lines)}
        self._marked |= {BAR} if DOT in evidence.kinds and BAR not in evidence.kinds else set()  # df/dx is a tangent

    def _name_results(
        self, entries: Sequence[Entry], meanings: Sequence[Resolved | None], outputs: Mapping[str, int]
    ) -> dict[str, str]:
        """Return {output: what the student calls it}, from the first row that shows it: L of dL/dw, else z of `z = 6`.

        `outputs` are {name: slot}. Derivatives are looked at before values. A value called by the name of a row in a
        trace, v5, does not count, because such a row and the result are two names of one number; nor does a word such
        as `value`.
        """
        by_slot = {slot: output for output, slot in reversed([*outputs.items()])}
        results: dict[str, str] = {}
        rows = list(zip(entries, meanings, self.symbols, strict=True))
        for kind in DERIVATIVE, DOT, VALUE:
            for entry, quantity, symbol in rows:
                if quantity is None or entry.quantity.kind != kind:
                    continue
                output = quantity.key if quantity.kind == BAR else by_slot.get(quantity.slot)
                name = _name_in_symbol(symbol, kind) or entry.quantity.name
                is_other = name != output and not is_column_word(name.casefold())
                is_step = kind != DERIVATIVE and name[:1] == "v" and name[1:].isdecimal()
                if output is not None and is_other and not is_step:
                    results.setdefault(output, name)
        return results

    def of_quantity(self, each: Demand, slot: int | None, place: int | None) -> str:
        """Return the name of the quantity `each` as the student spells it: the symbol of its row at `place`, if any.

        `slot` is its row in the student's program, or None. Without a symbol, the name is made of a label (`_label`)
        and `each.key` by `derivative` (∂y/∂x) for a derivative, and for a tangent that has a key in `each.name` in a
        task of another mode than "both"; for all others by `name` (x̄, ẋ, or the label alone for a value), with the
        key if `each.name` has one."""
        if place is not None and self.symbols[place]:
            return self.symbols[place]
        label, several = self._label(each, slot, place), each.name.endswith("]")
        if each.kind == DERIVATIVE or (each.kind == DOT and several and self._evidence.sheet.task.mode != "both"):
            return self.derivative(label, each.key or "")
        return self.name(each.kind, label, each.key, several)

    def _label(self, each: Demand, slot: int | None, place: int | None) -> str:
        """Return the name of the row whose value or derivative the quantity `each` is.

        It is that of the student's row at `place` if it is a tangent or adjoint of this kind; else the student's label
        of `slot` for steps, seeds and tangents; `each.label` for all others, without a row, and if the row's label is
        empty. A step (neither a result nor a seed) without a row is called by its formula (`_of_step`)."""
        evidence, label = self._evidence, each.label
        row = None if place is None else evidence.entries[place].quantity
        if row is not None and row.kind == each.kind != VALUE:
            label = row.name
        elif slot is not None and (each.kind == DOT or not each.result):
            label = (evidence.alignment if each.kind == DOT else evidence.sheet).label(slot) or label
        is_unnamed = not (each.result or each.seed) and (slot is None or label not in evidence.names)
        return self._of_step(each.slot, label, is_value=each.kind == VALUE) if is_unnamed else label

    def _of_step(self, slot: int, label: str, *, is_value: bool) -> str:
        """Return the formula in `slot` of the problem's graph in the student's names, or `label` if it has more than 30
        characters. If `is_value` is False, it is put in brackets unless it is a name or, without blanks, a call.
        """
        formula = self.formula_of(slot, first=True)
        is_call = formula.endswith(")") and formula.partition("(")[0].isidentifier() and " " not in formula
        shown = formula if is_value or is_call or formula.isidentifier() else f"({formula})"
        return label if len(formula) > _LONGEST_FORMULA else shown

    def formula_of(self, slot: int, *, first: bool = False) -> str:
        """Return the formula in `slot` of the problem's graph in the names of the student's rows; without a row it is
        expanded, with `first` also that of `slot` itself. Formulas without these names are those of the inputs."""
        from ...notation.formula import TABLE, Leaf, render  # only needed for steps without a row

        leaves = {row: Leaf(label) for row, label in self._rows.items()}
        return render(self._evidence.alignment.problem.graph, slot, TABLE, leaves.get, first)

    @cached_property
    def _rows(self) -> dict[int, str]:
        """Return {slot in the problem's graph: the name of the student's row of that function}."""
        names, sheet = self._evidence.names, self._evidence.sheet
        labels = {slot: sheet.label(row) for slot, row in counterparts(self._evidence.alignment).items()}
        return {slot: label for slot, label in labels.items() if label in names}

    def name(self, kind: str, label: str, key: str | None, several: bool) -> str:
        """Return the name of a value, tangent or adjoint in the student's spelling.

        `kind` is value, dot or bar, `label` the name of its row, `key` the input of a tangent or the output of an
        adjoint. `several`: the answer has tangents of several inputs, or adjoints of several outputs. An output is
        called as in the student's derivatives (L of dL/dw). The first that applies:
        - a value: `label`, of an output what the student calls it;
        - `adjoint of (x1 × x2)`: see `_in_words`;
        - the one pattern of this kind (from the first symbol that shows one), with these names; with `several` only if
          it has a place for the key;
        - the answer uses marks of this kind, or `key` is None, or it has tangents, but no adjoints: `v̄3`, with
          `several` `v̄3[y]`;
        - else `∂y/∂v3` for an adjoint, `∂v3/∂x` for a tangent.
        """
        if kind not in _MARKS:
            return self._results.get(label, label)
        if kind == BAR:
            label, key = self._results.get(label, label), key and self._results.get(key, key)
        if words := self._in_words(kind, label):
            return words
        shape, with_underscore = self._patterns.get(kind, ("", False))
        if shape and (_OTHER in shape or not several):
            names = [_with_underscore(each) if with_underscore else each for each in (label, key or "")]
            return shape.replace(_ROW, names[0]).replace(_OTHER, names[1])
        if kind in self._marked or key is None:
            return row_name(kind, label, key, several)
        return str(write_partial(key, label) if kind == BAR else write_partial(label, key))

    def _in_words(self, kind: str, label: str) -> str:
        """Return `adjoint of (x1 × x2)` if `label` is not a single name, in an answer that marks adjoints or tangents
        and does not write them as quotients; else ""."""
        shape, _ = self._patterns.get(kind, ("", False))
        is_name = label.replace("-", "").isidentifier()  # v-1 is one
        return "" if is_name or "/" in shape or not (shape or kind in self._marked) else f"{_NOUNS[kind]} of {label}"

    def derivative(self, output: str, wrt: str) -> str:
        """Return the name of the derivative of `output` by `wrt`, spelled like the adjoints of this answer.

        If no adjoint in the answer shows a pattern, it is spelled like the first tangent that does, if that names its
        input. Otherwise, and if only a tangent without its input shows one, it is `∂y/∂x`. A pattern of adjoints
        without the output (`w.grad`) is used as it is. The output is called as in the student's derivatives (L of
        dL/dw).
        """
        kind = BAR if BAR in self._patterns or DOT not in self._patterns else DOT
        output = self._results.get(output, output)
        shape, _ = self._patterns.get(kind, ("", False))
        if kind not in self._patterns or (kind == DOT and _OTHER not in shape):
            return str(write_partial(output, wrt))
        return self.name(kind, *((wrt, output) if kind == BAR else (output, wrt)), several=False)


def _name_in_symbol(symbol: str, kind: str) -> str:
    """Return f of the symbol `f(x, y)` or `f'(x)`, or of `∂f/∂x` of a derivative (`kind`); "" for any other symbol.

    Also "" if the name has a bar or dot."""
    above, line, _ = symbol.partition("/")
    is_quotient = line != "" and above[:1] in ("d", "∂")
    is_shown = is_quotient == (kind == DERIVATIVE) or "'" in symbol
    name = above[is_quotient:].partition("(")[0].strip().rstrip("'′") if is_shown else ""
    return name if name.isidentifier() and not has_marks(name) else ""


def _with_underscore(name: str) -> str:
    """Return `v_3` for v3; a name that does not end in a letter and digits unchanged."""
    stem = name.rstrip("0123456789")
    return f"{stem}_{name[len(stem) :]}" if stem != name and stem[-1:].isalpha() else name


def _symbol_pattern(entry: Entry, kind: str) -> tuple[str, bool] | None:
    r"""Return (pattern, has underscores) of the symbol of a row; None if it shows no pattern.

    In the pattern the row's own name is replaced by "\0" and the other one by "\1", if it occurs once: `dy/dx` as an
    adjoint (`kind` bar) gives "d\1/d\0". The row's name is what an adjoint is with respect to, or what a tangent is of.
    The second field is True if names are written as v_3 for v3. None if the row's name is missing in the symbol or
    occurs more than once, or if the symbol has a bracket and the name is before it, as in `f'(x)` for f.
    """
    text = symbol_of(entry)
    written, name, key = entry.quantity
    row, other = (key, name) if written == DERIVATIVE and kind == BAR else (name, key)
    if not row or row in text.partition("(")[0] != text:  # f'(x) says nothing about the names of other derivatives
        return None
    underscored = row not in text
    for spelled, place in ((row, _ROW), (other, _OTHER)):
        form = _with_underscore(spelled) if spelled and underscored else spelled
        if form and text.count(form) == 1:
            text = text.replace(form, place)
        elif place == _ROW:
            return None
    return (text, underscored)


def span_to_underline(entry: Entry, formula: str, number: str) -> Span:
    """Return the part of a row to underline.

    - `formula` is "wrong": the first piece with names, or else the first piece.
    - Only `number` is "wrong": of the pieces without names at the end that equal the last one, the first; or else the
      last piece.
    - Neither is: `entry.span`, the symbol of the row.

    Raises IndexError if something is wrong and the row has no pieces.
    """
    if formula == "wrong":
        return next((piece.span for piece in entry.pieces if piece.quantities), entry.pieces[0].span)
    if number == "wrong":
        without_names = [*takewhile(lambda piece: not piece.quantities, reversed(entry.pieces))] or entry.pieces[-1:]
        values = [_plain_value(piece) for piece in without_names]
        is_equal = (close(x, values[0]) is True for x in values)
        equal = [piece for piece, _ in takewhile(itemgetter(1), zip(without_names, is_equal, strict=True))]
        return (equal or without_names[:1])[-1].span
    return entry.span


def _plain_value(piece: RowPiece) -> Spread:
    """Return the value of a number as written, or of arithmetic; undefined for a piece with names, or without both."""
    graph = piece.graph
    if piece.number is not None or graph is None or graph.inputs:
        return SPREAD.undefined if piece.number is None else SPREAD.number(piece.number.value)
    return SPREAD.number(evaluate(graph, SPREAD, {})[graph.outputs[0][1]])


# --- operands ---------------------------------------------------------------------------------------------------------


class Operands(NamedTuple):
    """The quantities that a row is computed from.

    `names` are the names of its operands as the student writes them; () if one of them is not in the answer. `are_used`
    says whether the formulas of the row use just these. `branch` is a function with a kink, such as relu, whose slope
    is 0 on the side of its argument, so that the row is 0 but shows another number; "" for other rows.
    `is_input` says that the row is the value of an input. `factor` are a step and what it is differentiated by, by
    names or formulas, if the row lacks only this factor, or the tangent or adjoint that it lacks; () for other rows.
    """

    names: tuple[str, ...]
    are_used: bool
    branch: str = ""
    is_input: bool = False
    factor: tuple[str, ...] = ()


def operands_of(
    case: RowCase,
    slips: Sequence[str],
    evidence: Evidence,
    written: WrittenNames,
    spelled: Callable[[Resolved, str], str],
) -> Operands:
    """Return Operands: what the row of a case is computed from, by the names of the student (`written`).

    `factor` is also searched with the student's numbers if chain_rule_forgotten is among the `slips`.

    The operands are the quantities of its own kind in its rule, each once, in that order: values for a value, adjoints
    of users for an adjoint. Tangents that are exactly 0 in the truth are left out. `spelled(quantity, label)` returns
    the student's name. `names` is () in two cases: the row of an operand is neither named in the answer nor an input;
    an operand is a tangent or adjoint that the answer does not mention. `are_used`, independent of that: of the
    quantities of the row's own kind, its formulas together use just the operands.
    """
    sheet = evidence.sheet
    is_input = case.quantity.kind == VALUE and case.quantity.slot in sheet.inputs.values()
    needed = [each for each in used_directly(case.quantity, sheet) if not _is_nothing(each, evidence)]
    names = tuple(spelled(each, sheet.label(each.slot)) for each in needed)
    used = {each for _, meaning in case.formulas for each in meaning.values() if each.kind == case.quantity.kind}
    are_there = all(sheet.label(each.slot) in evidence.names and _is_named(each, evidence) for each in needed)
    branch = _branch_of(case, sheet)
    factor = () if branch else _missing_factor(case, evidence, written)
    if "chain_rule_forgotten" in slips and not factor:
        factor = _missing_part(case, evidence, spelled)
    return Operands(names if are_there else (), used == {*needed}, branch, is_input, factor)


def _missing_part(case: RowCase, evidence: Evidence, spelled: Callable[[Resolved, str], str]) -> tuple[str, ...]:
    """Return which factor the number of a tangent or adjoint lacks if it has a single term with the student's numbers:
    (step, operand) for a derivative, or (name of the tangent or adjoint that it is multiplied by,).

    () if the number is neither of the two factors, or if the answer does not have these names.
    """
    sheet, (kind, slot, key, _) = evidence.sheet, case.quantity
    cells = sheet.users(slot) if kind == BAR else [cell for cell in sheet.cells.values() if cell.slot == slot]
    pairs = [(cell, leaf) for cell in cells for leaf in cell.leaves if _is_term(leaf, case.quantity, evidence)]
    if len(pairs) != 1 or case.number is None:
        return ()
    ((cell, leaf),) = pairs
    incoming = Resolved(kind, cell.slot if kind == BAR else leaf, key)
    slope = cell.partials({each: evidence.read(VALUE, each, None) for each in cell.leaves})[leaf]
    lacks_slope, lacks_other = (case.number.meets(x) for x in (evidence.read(*incoming[:3]), slope))
    names = sheet.label(cell.slot), sheet.label(leaf)
    if lacks_slope == lacks_other or not evidence.names.issuperset(names):
        return ()
    return names if lacks_slope else (spelled(incoming, sheet.label(incoming.slot)),)


def _is_term(leaf: int, quantity: Resolved, evidence: Evidence) -> bool:
    """Return whether an operand gives a term: the slot of an adjoint itself, or one whose tangent is not exactly 0."""
    kind, slot, key, _ = quantity
    return leaf == slot if kind == BAR else not is_exactly(evidence.read(DOT, leaf, key), 0)


def _missing_factor(case: RowCase, evidence: Evidence, written: WrittenNames) -> tuple[str, ...]:
    """Return (step, operand) if the wrong formula of a tangent or adjoint times this derivative is right at all points,
    by names or formulas in `written` names; () if no derivative of a single operation of the problem is missing, or a
    formula is long.

    For a derivative with respect to an input only operands count that are computed from it."""
    graph = evidence.alignment.problem.graph
    fitting = _moving_operands(graph, case.quantity, evidence.sheet)
    values = case.values[0] if case.formulas and case.quantity.kind != VALUE else ()
    for value, right, truth in zip(values, case.truths, evidence.truths, strict=False):
        slopes = _local_slopes(graph, truth, evidence.sheet.inputs)
        fitting = {pair for pair in fitting & slopes.keys() if close(slopes[pair] * value, right) is True}
        if not fitting or close(value, right) is True:  # then nothing is missing
            return ()
    formulas = tuple(map(written.formula_of, max(fitting, default=()) if values else ()))
    return formulas if all(len(formula) <= _LONGEST_FORMULA for formula in formulas) else ()


def _moving_operands(graph: Graph, quantity: Resolved, sheet: Worksheet) -> set[tuple[int, int]]:
    """Return pairs (operation, operand) of the problem's `graph`; of a tangent, and of an adjoint of an input, only
    operands that depend on its input."""
    names = [name for name, slot in sheet.inputs.items() if slot == quantity.slot]
    moving = quantity.key if quantity.kind == DOT else next(iter(names), None)
    depends = dependents(graph, [slot for slot, name in graph.inputs.items() if name == moving] or range(len(graph)))
    return {(slot, parent) for slot in graph.operations() for parent in graph.parents[slot] if depends[parent]}


def _local_slopes(graph: Graph, truth: Solution, inputs: Mapping[str, int]) -> dict[tuple[int, int], Spread]:
    """Return {(slot, parent): partial} of the operations of the problem's `graph` at the point of `truth`, in whose
    sheet inputs have the slots `inputs`. Partials that are missing or not taken are left out."""
    point = {slot: truth.read(VALUE, inputs[name], None) for slot, name in graph.inputs.items()}
    partials = linearize(graph, SPREAD, evaluate(graph, SPREAD, point))
    numbers = {(s, k): x for s in graph.operations() for k, x in zip(graph.parents[s], partials[s], strict=True)}
    return {pair: SPREAD.number(x) for pair, x in numbers.items() if isinstance(x, (Spread, int, float))}


def _branch_of(case: RowCase, sheet: Worksheet) -> str:
    """Return the function with a kink whose slope makes a tangent or adjoint 0 in truth; "" for other rows."""
    slot, kind = case.quantity.slot, case.quantity.kind
    cells = sheet.users(slot) if kind == BAR else [sheet.cells[slot]] if kind == DOT and slot in sheet.cells else ()
    rows = [cell.graph.rows[cell.top] for cell in cells] if is_exactly(case.truths[0], 0) else ()
    return next((row.name for row in rows if row and isinstance(row.smooth, Kink) and row.smooth.slope is None), "")


def _is_named(quantity: Resolved, evidence: Evidence) -> bool:
    """Return whether a hint may name a quantity: of derivatives only those with a row or in a formula of the answer."""
    if quantity.kind == VALUE or quantity in evidence.quantities:
        return True
    label, entries = evidence.sheet.label(quantity.slot), evidence.entries
    symbols = (each for entry in entries for each in (entry.quantity, *entry.symbols))
    return any(each.kind == quantity.kind and each.name == label for each in symbols)


def _is_nothing(quantity: Resolved, evidence: Evidence) -> bool:
    """Return whether a quantity is a tangent that is exactly 0."""
    truth = evidence.truth(quantity) if quantity.kind == DOT else None
    return truth is not None and truth.low == truth.high == 0
