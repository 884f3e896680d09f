"""Expansions in levels as text, LaTeX, tables and plain data. Each row has a symbol t_mj (m: its level), and d before
it is its differential; its rule expresses that by those of its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat

from ..documents import ABSENT, LABEL, NOTES, NUMBER, NUMBERS, STRING, WHOLE, const, record
from ..errors import visible
from ..graph.graph import Graph
from ..notation import table_formulas as tf
from ..notation.display_formula import Formula
from ..notation.formula import TEXT, Leaf, render
from ..notation.formula_pieces import ALONE, MINUS_SIGN, Fence, Joined, Sign
from ..notation.latex_printer import LATEX
from ..notation.mathematics import without_minus
from ..notation.number_text import MINUS, TRUTH, Digits
from ..records import NamedTuple, grouped
from ..table.primitive import PRODUCT
from ..trace.levels import DifferentialTerm, Expansion, Levels, LevelStep, Slope
from ..typings import Final, Generic, TypeVar
from .document_parts import Heading, LatexLines, Part, Runs, Table
from .trace_tables import number, problem_heading

_MINUS_SIGN = re.compile(r"(?<![0-9][eE])-")
_D = tf.attach_piece("d", Sign("d", ALONE))
_MOST_TERMS = 24  # terms of a sum that are printed on one line


Item = TypeVar("Item")
SignedTerm = tuple[bool, Formula]  # (is it subtracted, the term)


class LevelWriter:
    """A writer of the formulas of an expansion; the factors of a product are written next to each other, without a
    sign.

    `levels` is the expansion, `symbols` maps each slot (the number of a node) that has a symbol to that symbol as a
    Formula (`t10`).
    """

    def __init__(self, levels: Levels, digits: Digits) -> None:
        self.levels = levels
        self.digits = digits
        self.symbols = {slot: tf.write_indexed(name) for slot, name in levels.symbols.items()}

    def _formula(self, graph: Graph, slot: int, leaves: Mapping[int, Leaf], level: int = 0) -> Formula:
        """Return the formula of a slot (the number of a node in `graph`); slots in `leaves` are written as these.

        This holds for `slot` itself too. `graph` may be that of levels, of coefficients or of written derivatives.
        Products are written with a space instead of `*`, and `-` as the minus sign U+2212. The formula is bracketed if
        `level` is not 0 and the operation of `slot` is written by a template that binds less tightly than `level`.
        Calls, inputs and leaves are never bracketed.
        """
        first = slot not in leaves
        text = _MINUS_SIGN.sub(MINUS, render(graph, slot, TEXT, leaves.get, first).replace("*", " "))
        formula = tf.unfold(text, graph, slot, leaves, first)
        row = graph.rows[slot]
        binding = getattr(row.notation, "level", None) if row is not None and first else None
        return formula if not level or binding is None or binding >= level else tf.bracket(formula)

    def definition(self, slot: int) -> Formula:
        """Return the right-hand side of a slot in the symbols of all other slots: `t00 t10`; for an input its name."""
        graph = self.levels.graph
        if slot in graph.inputs:
            return tf.write_name(visible(graph.inputs[slot]))
        return self._formula(graph, slot, {s: Leaf(symbol) for s, symbol in self.symbols.items() if s != slot})

    def coefficient(self, slot: int, factor: bool = True) -> SignedTerm:
        """Return (is negative, formula without sign) of the coefficient at node `slot` of the graph `levels.formulas`.

        Outer negations and a leading minus sign are removed; two of them cancel. A sum is bracketed with `factor`, and
        after a removed negation. In other sums the minus sign of a first term is removed as well: −a + b gives (True,
        a + b), a text to be written behind the sign, not a factor.
        """
        graph = self.levels.formulas
        leaves = {s: Leaf(tf.write_indexed(name)) for s, name in graph.inputs.items()}
        negative = False
        while (row := graph.rows[slot]) is not None and row.name == "neg":
            negative, slot = not negative, graph.parents[slot][0]
        formula = self._formula(graph, slot, leaves, PRODUCT if factor or negative else 0)
        if not formula.startswith(MINUS):
            return negative, formula
        negated = Joined((MINUS_SIGN, Fence("(", formula.piece, ")")))
        rest = without_minus(formula.piece) or Fence("(", negated, ")")
        return not negative, tf.attach_piece(formula.removeprefix(MINUS), rest)

    def write_signed(self, slot: int) -> Formula:
        """Return the coefficient at node `slot` of the graph `levels.formulas`, with its sign: `−x1`."""
        return self.sum([self.coefficient(slot, factor=False)])

    def slope(self, slope: Slope) -> tuple[Formula, Formula]:
        """Return (derivative in symbols, derivative in the inputs) of one component of a gradient.

        The first is 0 if the slope has no coefficient. The second is empty if the slope has no written form (`written`
        is None: too long) or if both texts are equal.
        """
        in_symbols = tf.numeral("0") if slope.coefficient is None else self.write_signed(slope.coefficient)
        if slope.written is None:
            return in_symbols, tf.join()
        graph = self.levels.written
        names = {s: Leaf(tf.write_name(visible(name))) for s, name in graph.inputs.items()}
        in_inputs = self._formula(graph, slope.written, names)
        return in_symbols, in_inputs if in_inputs != in_symbols else tf.join()

    def value(self, slot: int) -> float | None:
        """Return the value in a slot as a float; None if it has none (a branch that is not taken), or if the expansion
        has no point.
        """
        value = None if self.levels.values is None else self.levels.values[slot]
        return None if value is None else float(value)

    @property
    def in_numbers(self) -> tuple[bool, ...]:
        """Return the ways to write formulas, in order: in symbols (False) and in numbers (True); (False,) without
        a point.
        """
        return (False,) if self.levels.values is None else (False, True)

    def split_sign(self, x: float | None) -> SignedTerm:
        """Return (is negative, absolute value) of a number in the digits that are shown: (True, `2`) for −2; (False,
        `…`) for None.
        """
        text = number(x, self.digits)
        return text.startswith(MINUS), tf.numeral(text.removeprefix(MINUS))

    def differential(self, slot: int) -> Formula:
        """Return the differential of the value in a slot, `dt00`."""
        return differential(self.symbols[slot])

    # --- sums

    def rule(self, slot: int, numbers: bool = False) -> Formula:
        """Return the right-hand side of the differential of the operation in `slot`: `t00 dt10 + t10 dt00`; `0` if it
        has no terms.

        With `numbers` its coefficients are numbers, and terms without a value are left out. Coefficients of 1 are not
        written.
        """
        return self.write_sum(self.levels.rules.get(slot, []), numbers, lone=True)

    def _term(
        self, piece: DifferentialTerm, numbers: bool, lone: bool = False, moved: Formula | None = None
    ) -> SignedTerm:
        """Return (is negative, term without sign): the coefficient of a term times the differential of its slot.

        With `numbers` the coefficient is `piece.value` in digits, otherwise its formula. With `lone` a coefficient that
        is shown as 1 is left out. If `moved` is not None, it is written instead of the slot's differential.
        """
        negative, factor = self.split_sign(piece.value) if numbers else self.coefficient(piece.coefficient)
        moved = moved or self.differential(piece.slot)
        return negative, moved if lone and factor == "1" else tf.juxtapose(factor, moved)

    def sum(self, terms: Sequence[SignedTerm]) -> Formula:
        """Return the sum of (is subtracted, term) pairs, in their order; `0` without terms.

        Only the first `_MOST_TERMS` (24) are written; ` + … (N more terms)` follows for the others. A first term that
        is subtracted gets a minus sign without spaces.
        """
        parts: list[str] = []
        for negative, term in terms[:_MOST_TERMS]:
            sign = MINUS if negative else "+"
            parts += [f" {sign} ", term] if parts else [MINUS, term] if negative else [term]
        if len(terms) > _MOST_TERMS:
            parts += [" + ", "…", f" ({len(terms) - _MOST_TERMS} more terms)"]
        return tf.join(*parts) if parts else tf.numeral("0")

    def write_sum(self, pieces: Sequence[DifferentialTerm], numbers: bool = False, lone: bool = False) -> Formula:
        """Return the sum of the terms of a differential, `pieces`, in their order; `0` without terms.

        With `numbers` coefficients are numbers, and terms without a value are left out; else they are formulas. With
        `lone` coefficients of 1 are not written.
        """
        return self.sum([self._term(p, numbers, lone) for p in pieces if not numbers or p.value is not None])

    def write_rules(self, step: LevelStep, numbers: bool = False) -> Formula:
        """Return the sum in which each differential of `step.replaced` is written as its rule, always in brackets: `1
        (dt20 + dt21)`.

        Terms without a rule (None) keep their differential. With `numbers` coefficients are their values, and terms
        without a value are left out. Coefficients of 1 are written in the outer sum, not inside the brackets.
        """
        terms = []
        for piece, rule in step.replaced:
            if not numbers or piece.value is not None:
                moved = None if rule is None else tf.bracket(self.rule(piece.slot, numbers))
                terms.append(self._term(piece, numbers, moved=moved))
        return self.sum(terms)

    def lines(self, expansion: Expansion, numbers: bool = False) -> list[Formula]:
        """Return the right-hand sides of dy in `expansion`, from the first differential to those of the inputs.

        The first line is the sum before any replacement. Each step with replaced terms adds the line with rules in
        brackets (`write_rules`) and the collected line; a line that equals the one before is left out. With `numbers`
        coefficients are values, and terms without a value are left out. If there are no steps, return ["0"].
        """
        if not expansion.steps:
            return [tf.numeral("0")]
        first = expansion.steps[0]
        out = [self.write_sum([term.piece for term in first.replaced] or first.collected, numbers)]
        for step in expansion.steps:
            for line in (self.write_rules(step, numbers), self.write_sum(step.collected, numbers)):
                if step.replaced and line != out[-1]:
                    out.append(line)
        return out


def differential(name: str) -> Formula:
    """Return the differential of the value called `name`, with a `d` before its symbol: `dt00`. A plain text is written
    as a name.
    """
    return tf.join(_D, name if isinstance(name, Formula) else tf.write_name(name))


def parts(levels: Levels, digits: Digits, displays: bool, named: bool) -> list[Part]:
    """Return the parts of an expansion: a heading, the table of levels, and two tables for each output.

    The heading, `label: expression   at x = 2`, is there if the problem is `named` or has a label. Of the two tables
    the first has the lines of the differential, the second the gradient. With `displays` (for a format that displays
    formulas) lines of LaTeX are the only part.
    """
    if displays:
        return [LatexLines(latex(levels, digits))]
    head = problem_heading(levels.label, levels.expression, levels.graph, levels.at, digits)
    return [*[Heading(head)] * bool(levels.label or named), *tables(levels, digits)]


def tables(levels: Levels, digits: Digits) -> list[Table]:
    """Return the tables of an expansion: the table of levels, then two for each output.

    The first of the two has the lines of dy, in symbols and in numbers, with the adjoints that have a name; the second
    is the gradient. `digits` is how numbers are shown; without a point there are no columns of numbers.
    """
    writer = LevelWriter(levels, digits)
    result = [_level_table(levels, writer, digits)]
    for expansion in levels.expansions:
        result += [_sum_table(expansion, writer), _gradient_table(levels, expansion, writer, digits)]
    return result


def _level_table(levels: Levels, writer: LevelWriter, digits: Digits) -> Table:
    """Return the table of levels: one row for each node with a symbol, then one for each output.

    A rule is where the level changes, and above the outputs. Columns: level, symbol, `= definition`, `= value`,
    differential, `= rule`, `= rule in numbers`; the two with numbers are missing without a point. In an output's row
    there is no level and no rule in numbers. The third cell is the symbol of its result, and the rule is the
    differential of this symbol; a result without a symbol has its definition and 0. The header names level, value and
    differential; there is no title. `writer` writes the formulas.
    """
    rows = [_level_cells(levels, writer, slot, digits) for slot in levels.symbols]
    rules = [k for k in range(1, len(rows)) if rows[k][0] != rows[k - 1][0]]
    rules += [len(rows)] if rows else []
    pointed = levels.values is not None
    for expansion in levels.expansions:
        output, result = tf.write_name(visible(expansion.shown)), expansion.slot
        same = writer.symbols.get(result)
        value = [tf.equals(number(writer.value(result), digits))] if pointed else []
        moved = writer.differential(result) if same else tf.numeral("0")
        left = ("", output, tf.equals(same or writer.definition(result)), *value)
        rows.append((*left, differential(output), tf.equals(moved)))
    header = ("level", "", "value", *[""] * pointed, "", "differential", *[""] * pointed)
    return Table(rows, header, tuple(rules))


def _level_cells(levels: Levels, writer: LevelWriter, slot: int, digits: Digits) -> tuple[str, ...]:
    """Return the cells of node `slot` in the table of levels: level, symbol, `= definition` (after `= alias` if the
    user named the value), `= value`, differential, `= rule`, `= rule in numbers`.

    The two cells with numbers are missing without a point. The value of a condition is true or false. The rule in
    numbers is empty if the slot has no value. For an input all cells from the differential on are empty. `writer`
    writes the formulas.
    """
    pointed = levels.values is not None
    definition, name, row = writer.definition(slot), levels.graph.aliases.get(slot), levels.graph.rows[slot]
    defined = tf.join("= ", tf.write_name(visible(name)), " = ", definition) if name else tf.equals(definition)
    amount = writer.value(slot)
    is_truth = row is not None and row.truth and amount is not None
    value = tf.numeral(TRUTH[amount or 0.0]) if is_truth else number(amount, digits)
    cells = [str(levels.heights[slot]), writer.symbols[slot], defined, *[tf.equals(value)] * pointed]
    if slot in levels.graph.inputs:
        return (*cells, "", "", *[""] * pointed)
    in_numbers = "" if amount is None else tf.equals(writer.rule(slot, numbers=True))
    return (*cells, writer.differential(slot), tf.equals(writer.rule(slot)), *[in_numbers] * pointed)


def _sum_table(expansion: Expansion, writer: LevelWriter) -> Table:
    """Return the table of the lines of dy of one output, `expansion`, without header and title.

    The lines are in symbols first. After them, one row with the second cell `where name = formula` defines each
    adjoint. If there is a point, the lines in numbers follow below a rule. The symbol dy is only in the first row in
    symbols and the first in numbers. `writer` writes the formulas.
    """
    symbol = differential(visible(expansion.shown))
    rows: list[tuple[str, ...]] = []
    rules: list[int] = []
    for numbers in writer.in_numbers:
        if numbers:
            rules.append(len(rows))
        rows += [(symbol if k == 0 else "", tf.equals(line)) for k, line in enumerate(writer.lines(expansion, numbers))]
        if not numbers:
            for _, name, formula in expansion.adjoints:
                rows.append(("", Runs("where ", tf.join(tf.write_indexed(name), " = ", writer.write_signed(formula)))))
    return Table(rows, rules=tuple(rules))


def _gradient_table(levels: Levels, expansion: Expansion, writer: LevelWriter, digits: Digits) -> Table:
    """Return the table of the gradient of `expansion`, without header and title.

    There is one row (∂y/∂x, `= in symbols`, `= in the inputs`, `= value`) for each input. The third cell is empty if
    the formula in the inputs is too long or the same as that in symbols; the fourth is missing if `levels` have no
    point. `writer` writes the formulas, `digits` is how values are shown.
    """
    rows: list[tuple[str, ...]] = []
    for slope in expansion.slopes:
        in_symbols, in_inputs = writer.slope(slope)
        value = [tf.equals(number(slope.value, digits))] if levels.values is not None else []
        symbol = tf.write_partial(visible(expansion.shown), visible(slope.name))
        rows.append((symbol, tf.equals(in_symbols), tf.equals(in_inputs) if in_inputs else "", *value))
    return Table(rows)


def latex(levels: Levels, digits: Digits) -> str:
    r"""Return the expansion of all outputs of `levels` as displays `\[ … \]` with `aligned`, for a LaTeX document.

    First are the definitions, one line for each level, then the differentials, one line for each level above 0. For
    each output follow dy in symbols, dy in numbers if there is a point, the adjoints, and the gradient. Empty displays
    are left out. The text ends with a line break.
    """
    writer = LevelWriter(levels, digits)
    by_level = grouped((levels.heights[slot], slot) for slot in levels.symbols)
    operations = [slots for level, slots in by_level.items() if level]
    out = [
        [_side_by_side([(writer.symbols[s], writer.definition(s)) for s in slots]) for slots in by_level.values()],
        [_side_by_side([(writer.differential(s), writer.rule(s)) for s in slots]) for slots in operations],
    ]
    for expansion in levels.expansions:
        out += _expansion_displays(levels, expansion, writer)
    displays = ["\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n" for lines in out if lines]
    return "".join(f"\\[\n{display}\\]\n" for display in displays)


def _expansion_displays(levels: Levels, expansion: Expansion, writer: LevelWriter) -> list[list[str]]:
    """Return the displays of one output, `expansion`, each a list of LaTeX lines with `&` before every equals sign.

    They are dy in symbols, dy in numbers (without a point there is no such list), adjoints, gradient; a list can be
    empty. A line of the gradient is: derivative = in symbols = in the inputs (left out if too long or the same) = value
    (only if `levels` have a point). `writer` writes the formulas.
    """
    out: list[list[str]] = []
    for numbers in writer.in_numbers:
        symbols = chain([differential(expansion.shown)], repeat(tf.join()))
        out.append([_align(*line) for line in zip(symbols, writer.lines(expansion, numbers), strict=False)])
    adjoints = [(tf.write_indexed(name), writer.write_signed(formula)) for _, name, formula in expansion.adjoints]
    out.append([_align(*adjoint) for adjoint in adjoints])
    gradient = []
    for slope in expansion.slopes:
        in_symbols, in_inputs = writer.slope(slope)
        value = [] if levels.values is None else [number(slope.value, writer.digits)]
        sides = [in_symbols, *[in_inputs] * bool(in_inputs), *value]
        gradient.append(_align(tf.write_partial(expansion.shown, slope.name), *sides))
    return [*out, gradient]


def _align(left: Formula, *right: Formula) -> str:
    """Return the LaTeX `left &= side = side` of one line of a display; the `&` marks the first equals sign, where lines
    are aligned.
    """
    return f"{LATEX.printed(left.piece)} &= {' = '.join(LATEX.printed(side.piece) for side in right)}"


def _side_by_side(equations: Sequence[tuple[Formula, Formula]]) -> str:
    """Return the LaTeX of several equations (left side, right side) on one line of a display, with commas between them;
    only the first one has the `&` of alignment. Needs at least one.
    """
    first, *others = (_align(*equation) for equation in equations)
    return ",\\quad ".join([first, *(equation.replace(" &= ", " = ", 1) for equation in others)])


def lines(levels: Levels, number: int) -> list[dict[str, object]]:
    """Return the expansions in `levels` as rows of a sheet (column → value), one for each symbol and derivative.

    Each row has `problem` (`number`) and `label` (empty without one). Symbols have name, level, formula, and
    differential as `(coefficient) dname + …` (empty for an input). Derivatives have name `dy/dx`, formula (in symbols)
    and expression (in the inputs; empty if too long). `value` is a column only with a point.
    """
    texts = _Texts(levels)
    rows: list[dict[str, object]] = [
        {
            "name": name, "level": levels.heights[slot], "formula": texts.definition(slot),
            "differential": texts.sum(levels.rules.get(slot, [])), "value": texts.node_value(slot),
        }
        for slot, name in levels.symbols.items()
    ]  # fmt: skip
    rows += [
        {
            "name": f"d{expansion.output}/d{slope.name}", "formula": texts.formula(slope.coefficient),
            "expression": texts.in_inputs(slope), "value": texts.value(slope.value),
        }
        for expansion in levels.expansions
        for slope in expansion.slopes
    ]  # fmt: skip
    head = {"problem": number, "label": levels.label or ""}
    return [head | {key: x for key, x in row.items() if x is not ABSENT} for row in rows]


class _Texts:
    """A writer of the formulas of an expansion as plain text in the spelling of the input language, with `*`, for JSON
    and CSV.
    """

    def __init__(self, levels: Levels) -> None:
        self.levels = levels
        self.symbols = {slot: Leaf(name) for slot, name in levels.symbols.items()}
        self.leaves = {slot: Leaf(name) for slot, name in levels.formulas.inputs.items()}

    def formula(self, slot: int | None) -> str:
        """Return a formula of the expansion's coefficients in the language; `0` for None, a missing coefficient."""
        return "0" if slot is None else render(self.levels.formulas, slot, TEXT, self.leaves.get, first=False)

    def sum(self, terms: Sequence[DifferentialTerm]) -> str:
        """Return the terms as `(coefficient) dname + …`; empty without terms."""
        return " + ".join(f"({self.formula(term.coefficient)}) d{self.levels.symbols[term.slot]}" for term in terms)

    def value(self, x: float | None) -> object:
        """Return the number for JSON: ABSENT if there is no point, None if it is missing."""
        if self.levels.values is None:
            return ABSENT
        return None if x is None else float(x)

    def node_value(self, slot: int) -> object:
        """Return the value in a slot for JSON: ABSENT without a point, None if it was not computed."""
        return self.value(None if self.levels.values is None else self.levels.values[slot])

    def definition(self, slot: int) -> str:
        """Return the operation in `slot` in the symbols of its arguments, `t00*t10`; for an input its name."""
        graph = self.levels.graph
        return graph.inputs[slot] if slot in graph.inputs else render(graph, slot, TEXT, self.symbols.get)

    def in_inputs(self, slope: Slope) -> str | None:
        """Return a component of a gradient in the inputs; None if it is too long, `0` if there is no dependence."""
        if slope.written is None:
            return None if slope.coefficient is not None else "0"
        names = {s: Leaf(name) for s, name in self.levels.written.inputs.items()}
        return render(self.levels.written, slope.written, TEXT, names.get, first=False)

    def parts(self, items: Iterable[Item]) -> list[_ExpansionPart[Item]]:
        """Return each of the items (slots, terms, steps, outputs) with this writer, for the fields of the document."""
        return [_ExpansionPart(self, item) for item in items]


class _ExpansionPart(NamedTuple, Generic[Item]):
    """A part of an expansion (the slot of a node, a term, a component, an output) with the writer of its formulas."""

    texts: _Texts
    of: Item


_VALUE: Final = NUMBER.or_null.present(lambda part: part.texts.value(part.of.value))
_COEFFICIENT: Final = STRING.of(lambda part: part.texts.formula(part.of.coefficient))
_TERMS: Final = record(
    of=STRING.of(lambda term: term.texts.levels.symbols[term.of.slot]), coefficient=_COEFFICIENT, value=_VALUE
).array


def _terms(row: _ExpansionPart[int]) -> list[_ExpansionPart[DifferentialTerm]] | None:
    """Return the terms of the differential of a node; None for an input."""
    levels = row.texts.levels
    return None if row.of in levels.graph.inputs else row.texts.parts(levels.rules.get(row.of, []))


_ROW: Final = record(
    name=STRING.of(lambda row: row.texts.levels.symbols[row.of]),
    level=WHOLE.of(lambda row: row.texts.levels.heights[row.of]),
    formula=STRING.of(lambda row: row.texts.definition(row.of)),
    value=NUMBER.or_null.present(lambda row: row.texts.node_value(row.of)),
    differential=_TERMS.known(_terms),
)
_OUTPUT: Final = record(
    name=STRING.of("of.output"),
    node=STRING.of(lambda output: output.texts.levels.symbols.get(output.of.slot, "constant")),
    steps=record(
        level=WHOLE.of("of.level"), terms=_TERMS.of(lambda step: step.texts.parts(step.of.collected))
    ).array.of(lambda output: output.texts.parts(output.of.steps)),
    adjoints=STRING.by_name.of(
        lambda output: {name: output.texts.formula(slot) for _, name, slot in output.of.adjoints}
    ),
    gradient=record(
        wrt=STRING.of("of.name"),
        coefficient=_COEFFICIENT,
        expression=STRING.or_null.of(lambda slope: slope.texts.in_inputs(slope.of)),
        value=_VALUE,
    ).array.of(lambda output: output.texts.parts(output.of.slopes)),
)
EXPAND: Final = record(
    schema=const("expand/1"),
    label=LABEL,
    expression=STRING,
    at=NUMBERS.or_null,
    levels=_ROW.array.of(lambda levels: _Texts(levels).parts(levels.symbols)),
    outputs=_OUTPUT.array.of(lambda levels: _Texts(levels).parts(levels.expansions)),
    notes=NOTES,
)
