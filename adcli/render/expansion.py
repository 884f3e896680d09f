"""Expansions in levels as text, LaTeX, tables and plain data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ..documents import ABSENT, LABEL, NOTES, NUMBER, NUMBERS, STRING, WHOLE, const, record
from ..errors import visible
from ..graph.graph import Graph
from ..notation.display_formula import Formula
from ..notation.formula import TEXT, Leaf, render
from ..notation.formula_pieces import ALONE, MINUS_SIGN, Fence, Joined, Sign
from ..notation.latex_printer import LATEX
from ..notation.mathematics import unsigned
from ..notation.number_text import MINUS, TRUTH, Digits
from ..notation.table_formulas import (
    bracketed,
    equals,
    indexed,
    joined,
    juxtaposed,
    named,
    numeral,
    partial,
    pieced,
    unfolded,
)
from ..records import NamedTuple
from ..table.primitive import PRODUCT
from ..trace.levels import DifferentialTerm, Expansion, Levels, LevelStep, Slope
from .data import Bare
from .document_parts import Runs, Table
from .trace_tables import number, titled

_MINUS_SIGN = re.compile(r"(?<![0-9][eE])-")
_D = pieced("d", Sign("d", ALONE))
_MOST_TERMS = 24  # terms of a sum that are printed on one line


SignedTerm = tuple[bool, Formula]  # (is it subtracted, the term)


class LevelWriter:
    """A writer of the formulas of an expansion, with products by juxtaposition."""

    def __init__(self, levels: Levels, digits: Digits) -> None:
        self.levels = levels
        self.digits = digits
        self.symbols = {slot: indexed(name) for slot, name in levels.symbols.items()}

    def _formula(self, graph: Graph, slot: int, leaves: Mapping[int, Leaf], level: int = 0) -> Formula:
        """Return the formula of a slot, in brackets if it binds less tightly than `level` requires (0: never)."""
        first = slot not in leaves
        text = _MINUS_SIGN.sub(MINUS, render(graph, slot, TEXT, leaves.get, first).replace("*", " "))
        formula = unfolded(text, graph, slot, leaves, first)
        row = graph.rows[slot]
        binding = getattr(row.notation, "level", None) if row is not None and first else None
        return formula if not level or binding is None or binding >= level else bracketed(formula)

    def definition(self, slot: int) -> Formula:
        """Return the formula of a slot in the symbols of lower levels: `t00 t10`; the name of an input."""
        graph = self.levels.graph
        if slot in graph.inputs:
            return named(visible(graph.inputs[slot]))
        return self._formula(graph, slot, {s: Leaf(symbol) for s, symbol in self.symbols.items() if s != slot})

    def coefficient(self, slot: int, factor: bool = True) -> SignedTerm:
        """Return (is negative, formula) of the coefficient in `slot`, with its sign taken off.

        As a `factor`, or after a removed sign, it is bracketed if it is a sum.
        """
        graph = self.levels.formulas
        leaves = {s: Leaf(indexed(name)) for s, name in graph.inputs.items()}
        negative = False
        while (row := graph.rows[slot]) is not None and row.name == "neg":
            negative, slot = not negative, graph.parents[slot][0]
        formula = self._formula(graph, slot, leaves, PRODUCT if factor or negative else 0)
        if not formula.startswith(MINUS):
            return negative, formula
        negated = Joined((MINUS_SIGN, Fence("(", formula.piece, ")")))
        rest = unsigned(formula.piece) or Fence("(", negated, ")")
        return not negative, pieced(formula.removeprefix(MINUS), rest)

    def signed(self, slot: int) -> Formula:
        """Return a coefficient with its sign."""
        return self.sum([self.coefficient(slot, factor=False)])

    def written(self, slope: Slope) -> Formula:
        """Return a derivative as a formula in the inputs: empty if it is too long, 0 if the input does not occur."""
        if slope.written is None:
            return numeral("0") if slope.coefficient is None else joined()
        graph = self.levels.written
        return self._formula(graph, slope.written, {s: Leaf(named(visible(n))) for s, n in graph.inputs.items()})

    def amount(self, x: float | None) -> SignedTerm:
        """Return (is negative, absolute value) of a number."""
        text = number(x, self.digits)
        return text.startswith(MINUS), numeral(text.removeprefix(MINUS))

    def differential(self, slot: int) -> Formula:
        return differential(self.symbols[slot])

    # --- sums

    def rule(self, slot: int, numbers: bool = False) -> Formula:
        """Return the differential of an operation: `t00 dt10 + t10 dt00`; with `numbers` its coefficients are
        numbers."""
        return self.sum([self._term(piece, numbers, lone=True) for piece in self.pieces(slot, numbers)])

    def pieces(self, slot: int, numbers: bool) -> list[DifferentialTerm]:
        """Return the terms of a slot's differential; with `numbers` those that have a value."""
        rule = self.levels.rules.get(slot, [])
        return [piece for piece in rule if piece.value is not None] if numbers else rule

    def _term(self, piece: DifferentialTerm, numbers: bool, lone: bool = False) -> SignedTerm:
        """Return (is negative, term) of a differential's term; a `lone` coefficient of 1 is not written."""
        negative, factor = self.amount(piece.value) if numbers else self.coefficient(piece.coefficient)
        moved = self.differential(piece.slot)
        return negative, moved if lone and factor == "1" else juxtaposed(factor, moved)

    def sum(self, terms: Sequence[SignedTerm]) -> Formula:
        """Return the sum of at most `_MOST_TERMS` terms, then the number of those left out; 0 if there are no terms."""
        parts: list[str] = []
        for negative, term in terms[:_MOST_TERMS]:
            sign = MINUS if negative else "+"
            parts += [f" {sign} ", term] if parts else [MINUS, term] if negative else [term]
        if len(terms) > _MOST_TERMS:
            parts += [" + ", "…", f" ({len(terms) - _MOST_TERMS} more terms)"]
        return joined(*parts) if parts else numeral("0")

    def collected(self, pieces: Sequence[DifferentialTerm], numbers: bool = False) -> Formula:
        """Return the sum of the terms; with `numbers` only those that have a value."""
        return self.sum([self._term(p, numbers) for p in pieces if not numbers or p.value is not None])

    def replaced(self, step: LevelStep, numbers: bool = False) -> Formula:
        """Return the sum in which the differentials of one level are replaced by their rules in brackets: `1 (dt20 +
        dt21)`.

        With `numbers` coefficients are their values, and terms without a value are left out.
        """
        terms = []
        for piece, rule in step.replaced:
            if numbers and piece.value is None:
                continue
            if rule is None:
                terms.append(self._term(piece, numbers))
                continue
            negative, factor = self.amount(piece.value) if numbers else self.coefficient(piece.coefficient)
            terms.append((negative, juxtaposed(factor, bracketed(self.rule(piece.slot, numbers)))))
        return self.sum(terms)

    def lines(self, expansion: Expansion, numbers: bool = False) -> list[Formula]:
        """Return the right-hand sides of dy, one for each replacement and collection; repeated lines only once, 0
        without steps.

        With `numbers` coefficients are their values.
        """
        if not expansion.steps:
            return [numeral("0")]
        first = expansion.steps[0]
        start = [term.piece for term in first.replaced] or first.collected
        out = [self.collected(start, numbers)]
        for step in expansion.steps:
            for line in (self.replaced(step, numbers), self.collected(step.collected, numbers)):
                if step.replaced and line != out[-1]:
                    out.append(line)
        return out


def differential(name: str) -> Formula:
    """Return the differential of a value: dt00."""
    return joined(_D, name if isinstance(name, Formula) else named(name))


def heading(levels: Levels, digits: Digits) -> Runs:
    """Return `label: expression at x = 2`."""
    return titled(levels.label, levels.expression, levels.graph, levels.at, digits)


def tables(levels: Levels, digits: Digits) -> list[Table]:
    """Return the table of levels, then for each output the expansion of dy and the gradient."""
    writer = LevelWriter(levels, digits)
    result = [_level_table(levels, writer, digits)]
    for expansion in levels.expansions:
        result.append(_sum_table(levels, expansion, writer))
        result.append(_gradient_table(levels, expansion, writer, digits))
    return result


def _level_table(levels: Levels, writer: LevelWriter, digits: Digits) -> Table:
    """Return the table of levels: level, symbol, definition, value (with a point), differential in symbols and in
    numbers; the outputs are last."""
    pointed = levels.values is not None
    rows: list[tuple[str, ...]] = []
    for slot in levels.symbols:
        definition = writer.definition(slot)
        name = levels.graph.aliases.get(slot)
        operation = slot not in levels.graph.inputs
        value = levels.values[slot] if levels.values is not None else None
        cells: list[str] = [
            str(levels.heights[slot]),
            writer.symbols[slot],
            joined("= ", named(visible(name)), " = ", definition) if name else equals(definition),
        ]
        if pointed:
            row, amount = levels.graph.rows[slot], _double(value)
            truth = row is not None and row.truth and amount is not None
            cells.append(equals(numeral(TRUTH[amount or 0.0]) if truth else number(amount, digits)))
        cells += [writer.differential(slot), equals(writer.rule(slot))] if operation else ["", ""]
        if pointed:
            cells.append(equals(writer.rule(slot, numbers=True)) if operation and value is not None else "")
        rows.append(tuple(cells))
    rules = [k for k in range(1, len(rows)) if rows[k][0] != rows[k - 1][0]]
    rules += [len(rows)] if rows else []
    for expansion in levels.expansions:
        output, result = named(visible(expansion.shown)), expansion.slot
        same = writer.symbols.get(result)
        cells = ["", output, equals(same or writer.definition(result))]
        if levels.values is not None:
            cells.append(equals(number(_double(levels.values[result]), digits)))
        moved = writer.differential(result) if same else numeral("0")
        rows.append((*cells, differential(output), equals(moved)))
    header = ("level", "", "value", *([""] if pointed else []), "", "differential", *([""] if pointed else []))
    return Table(rows, header, tuple(rules))


def _double(value: float | None) -> float | None:
    return None if value is None else float(value)


def _sum_table(levels: Levels, expansion: Expansion, writer: LevelWriter) -> Table:
    """Return the lines of dy of an output, in symbols with the definitions of the adjoints, and then in numbers if
    there is a point."""
    symbol = differential(visible(expansion.shown))
    rows: list[tuple[str, ...]] = []
    rules: list[int] = []
    for numbers in (False, True) if levels.values is not None else (False,):
        if numbers:
            rules.append(len(rows))
        rows += [(symbol if k == 0 else "", equals(line)) for k, line in enumerate(writer.lines(expansion, numbers))]
        if not numbers:
            for _, name, formula in expansion.adjoints:
                rows.append(("", Runs("where ", joined(indexed(name), " = ", writer.signed(formula)))))
    return Table(rows, rules=tuple(rules))


def _gradient_table(levels: Levels, expansion: Expansion, writer: LevelWriter, digits: Digits) -> Table:
    """Return one row for each input: the derivative in symbols, in the inputs (if that differs and is short), and
    its value if there is a point."""
    rows: list[tuple[str, ...]] = []
    for slope in expansion.slopes:
        in_symbols = numeral("0") if slope.coefficient is None else writer.signed(slope.coefficient)
        in_inputs = writer.written(slope)
        cells: list[str] = [partial(visible(expansion.shown), visible(slope.name)), equals(in_symbols)]
        cells.append(equals(in_inputs) if in_inputs and in_inputs != in_symbols else "")
        if levels.values is not None:
            cells.append(equals(number(slope.value, digits)))
        rows.append(tuple(cells))
    return Table(rows)


def latex(levels: Levels, digits: Digits) -> str:
    """Return the expansion as aligned displays, to be pasted into a LaTeX document."""
    writer = LevelWriter(levels, digits)
    by_level: dict[int, list[int]] = {}
    for slot in levels.symbols:
        by_level.setdefault(levels.heights[slot], []).append(slot)
    out = [
        [_side_by_side([(writer.symbols[s], writer.definition(s)) for s in slots]) for slots in by_level.values()],
        [
            _side_by_side([(writer.differential(s), writer.rule(s)) for s in slots])
            for level, slots in by_level.items()
            if level
        ],
    ]
    for expansion in levels.expansions:
        symbol = differential(expansion.shown)
        for numbers in (False, True) if levels.values is not None else (False,):
            lines = writer.lines(expansion, numbers)
            out.append([_align(symbol if k == 0 else joined(), [line]) for k, line in enumerate(lines)])
        adjoints = [(indexed(name), writer.signed(formula)) for _, name, formula in expansion.adjoints]
        out.append([_align(name, [formula]) for name, formula in adjoints])
        out.append([_slope_line(levels, expansion, slope, writer) for slope in expansion.slopes])
    displays = ["\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n" for lines in out if lines]
    return "".join(f"\\[\n{display}\\]\n" for display in displays)


def _align(left: Formula, right: Sequence[Formula]) -> str:
    """Return a line of a display, aligned at its first `=`; further sides follow after `=`."""
    return f"{LATEX.printed(left.piece)} &= {' = '.join(LATEX.printed(side.piece) for side in right)}"


def _side_by_side(equations: Sequence[tuple[Formula, Formula]]) -> str:
    """Return several equations on one line of a display, separated by commas; only the first one is aligned."""
    (left, right), *others = equations
    shown = [_align(left, [right]), *(_align(*pair[:1], pair[1:]).replace(" &= ", " = ", 1) for pair in others)]
    return ",\\quad ".join(shown)


def _slope_line(levels: Levels, expansion: Expansion, slope: Slope, writer: LevelWriter) -> str:
    """Return the line of a derivative: in symbols, in the inputs if short and different, and its value if there is a
    point."""
    parts = [numeral("0") if slope.coefficient is None else writer.signed(slope.coefficient)]
    written = writer.written(slope)
    if written and written != parts[0]:
        parts.append(written)
    if levels.values is not None:
        parts.append(number(slope.value, writer.digits))
    return _align(partial(expansion.shown, slope.name), parts)


def lines(levels: Levels, number: int) -> list[dict[str, object]]:
    """Return the expansion as rows of a sheet: one for each value of a level, then one for each derivative.

    `number` is the problem's number.
    """
    texts = _Texts(levels)
    head: dict[str, object] = {"problem": number, "label": levels.label or ""}
    return [
        head
        | {"name": row.name, "level": row.level, "formula": row.formula}
        | {"differential": " + ".join(f"({term.coefficient}) d{term.of}" for term in row.differential or ())}
        | _value_column(row.value)
        for row in texts.rows()
    ] + [
        head
        | {"name": f"d{expansion.output}/d{slope.wrt}", "formula": slope.coefficient}
        | {"expression": slope.expression or ""}
        | _value_column(slope.value)
        for expansion in levels.expansions
        for slope in texts.gradient(expansion)
    ]


def _value_column(value: object) -> dict[str, object]:
    return {} if value is ABSENT else {"value": Bare(value)}


class _TextTerm(NamedTuple):
    """A term of a differential; its value is ABSENT without a point."""

    of: str
    coefficient: str
    value: object


class _LevelRow(NamedTuple):
    """A row of a level: its symbol, level, formula and value, and its differential (None for an input); the value is
    ABSENT without a point."""

    name: str
    level: int
    formula: str
    value: object
    differential: list[_TextTerm] | None


class _GradientEntry(NamedTuple):
    """A component of a gradient: `coefficient` in the symbols t_mj, `expression` in the inputs (None if too long);
    the value is ABSENT without a point."""

    wrt: str
    coefficient: str
    expression: str | None
    value: object


class _Texts:
    """A writer of the same expansion in the spelling of the language."""

    def __init__(self, levels: Levels) -> None:
        self.levels = levels
        self.symbols = {slot: Leaf(name) for slot, name in levels.symbols.items()}
        self.leaves = {slot: Leaf(name) for slot, name in levels.formulas.inputs.items()}

    def formula(self, slot: int) -> str:
        """Return a formula of the expansion's coefficients in the language."""
        return render(self.levels.formulas, slot, TEXT, self.leaves.get, first=False)

    def _value(self, x: float | None) -> object:
        if self.levels.values is None:
            return ABSENT
        return None if x is None else float(x)

    def rows(self) -> list[_LevelRow]:
        return [self._row(slot) for slot in self.levels.symbols]

    def _row(self, slot: int) -> _LevelRow:
        """Return the row for the value in `slot`; an input has its own name as formula and no differential."""
        levels = self.levels
        is_input = slot in levels.graph.inputs
        text = levels.graph.inputs[slot] if is_input else render(levels.graph, slot, TEXT, self.symbols.get)
        value = self._value(levels.values[slot] if levels.values is not None else None)
        terms = None if is_input else self.terms(levels.rules.get(slot, []))
        return _LevelRow(levels.symbols[slot], levels.heights[slot], text, value, terms)

    def terms(self, terms: Sequence[DifferentialTerm]) -> list[_TextTerm]:
        return [
            _TextTerm(self.levels.symbols[term.slot], self.formula(term.coefficient), self._value(term.value))
            for term in terms
        ]

    def gradient(self, expansion: Expansion) -> list[_GradientEntry]:
        """Return the components of an output's gradient."""
        levels = self.levels
        gradient = []
        for slope in expansion.slopes:
            written = None if slope.coefficient is not None else "0"
            if slope.written is not None:
                names = {s: Leaf(name) for s, name in levels.written.inputs.items()}
                written = render(levels.written, slope.written, TEXT, names.get, first=False)
            coefficient = "0" if slope.coefficient is None else self.formula(slope.coefficient)
            gradient.append(_GradientEntry(slope.name, coefficient, written, self._value(slope.value)))
        return gradient


class _ExpansionOutput(NamedTuple):
    """An output of an expansion with the writer of its formulas."""

    texts: _Texts
    expansion: Expansion

    @property
    def node(self) -> str:
        return self.texts.levels.symbols.get(self.expansion.slot, "constant")

    @property
    def steps(self) -> list[tuple[int, list[_TextTerm]]]:
        """(level, terms of the sum) for each level that is replaced."""
        return [(step.level, self.texts.terms(step.collected)) for step in self.expansion.steps]

    @property
    def adjoints(self) -> dict[str, str]:
        return {name: self.texts.formula(formula) for _, name, formula in self.expansion.adjoints}


def _outputs_of(levels: Levels) -> list[_ExpansionOutput]:
    texts = _Texts(levels)
    return [_ExpansionOutput(texts, expansion) for expansion in levels.expansions]


_VALUE: Final = NUMBER.or_null.present("value")
_TERMS: Final = record(of=STRING, coefficient=STRING, value=_VALUE).array
_OUTPUT: Final = record(
    name=STRING.of("expansion.output"),
    node=STRING,
    steps=record(level=WHOLE.of(0), terms=_TERMS.of(1)).array,
    adjoints=STRING.by_name,
    gradient=record(wrt=STRING, coefficient=STRING, expression=STRING.or_null, value=_VALUE).array.of(
        lambda expanded: expanded.texts.gradient(expanded.expansion)
    ),
)
EXPAND: Final = record(
    schema=const("expand/1"),
    label=LABEL,
    expression=STRING,
    at=NUMBERS.or_null,
    levels=record(name=STRING, level=WHOLE, formula=STRING, value=_VALUE, differential=_TERMS.known()).array.of(
        lambda levels: _Texts(levels).rows()
    ),
    outputs=_OUTPUT.array.of(_outputs_of),
    notes=NOTES,
)
