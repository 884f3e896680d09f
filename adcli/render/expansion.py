"""Expansions in levels as text, LaTeX, tables and plain data."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..graph.graph import Graph
from ..notation.formula import TEXT, Leaf, render
from ..notation.latex import LATEX, latex_name
from ..notation.mathematics import pieces
from ..notation.numbers import MINUS, TRUTH, Digits
from ..table.primitive import PRODUCT
from ..trace.levels import DifferentialTerm, Expansion, Levels, LevelStep, Slope
from ..trace.schema import plain_number
from .cells import Table, visible
from .data import Bare
from .layout import number

_MINUS_SIGN = re.compile(r"(?<![0-9][eE])-")
_MOST_TERMS = 24  # terms of a sum that are printed on one line


class _Writer:
    """Writes the pieces of an expansion: for people, with products by juxtaposition, or in LaTeX."""

    def __init__(self, levels: Levels, digits: Digits, latex: bool = False) -> None:
        self.levels = levels
        self.digits = digits
        self.latex = latex
        self.symbols = {slot: self._symbol(name) for slot, name in levels.symbols.items()}

    def _symbol(self, name: str) -> str:
        """t_{03} in LaTeX."""
        if not self.latex:
            return name
        return f"{name[0]}_{{{name[1:]}}}"

    def _leaf(self, text: str) -> Leaf:
        """A symbol; in LaTeX it goes in brackets after the name of a function, since factors follow."""
        if not self.latex:
            return Leaf(text)
        stem, brace, subscript = text.partition("_{")
        return Leaf(f"{stem}_{subscript.removesuffix('}')}" if brace else text)

    def _formula(self, graph: Graph, slot: int, leaves: Callable[[int], Leaf | None], level: int = 0) -> str:
        first = leaves(slot) is None
        text = (
            LATEX.printed(pieces(graph, slot, leaves, first))
            if self.latex
            else render(graph, slot, TEXT, leaves, first)
        )
        if level and first:
            text = self._bracketed(text, graph, slot, level)
        return text if self.latex else _MINUS_SIGN.sub(MINUS, text.replace("*", " "))

    def _bracketed(self, text: str, graph: Graph, slot: int, level: int) -> str:
        """The text in brackets, if it binds too loosely to be a factor."""
        row = graph.rows[slot]
        own = getattr(row.notation, "level", None) if row is not None else None
        if own is None or own >= level or (self.latex and row is not None and row.name == "div"):
            return text
        return f"\\left({text}\\right)" if self.latex else f"({text})"

    def definition(self, slot: int) -> str:
        """What a value is in terms of lower ones: `t00 t10`; for an input its name."""
        graph = self.levels.graph
        if slot in graph.inputs:
            return latex_name(graph.inputs[slot]) if self.latex else visible(graph.inputs[slot])
        leaves = {s: self._leaf(text) for s, text in self.symbols.items() if s != slot}
        return self._formula(graph, slot, leaves.get)

    def coefficient(self, slot: int, factor: bool = True) -> tuple[str, str]:
        """The sign and the text of a coefficient."""
        graph = self.levels.formulas
        leaves = {s: self._leaf(self._symbol(name)) for s, name in graph.inputs.items()}
        sign = ""
        while (row := graph.rows[slot]) is not None and row.name == "neg":
            sign, slot = "-" if not sign else "", graph.parents[slot][0]
        text = self._formula(graph, slot, leaves.get, PRODUCT if factor or sign else 0)
        minus = "-" if self.latex else MINUS
        if text.startswith(minus):
            sign, text = "-" if not sign else "", text.removeprefix(minus)
        return sign, text

    def written(self, slope: Slope) -> str:
        """A derivative in the inputs, or nothing where it is too long."""
        if slope.written is None:
            return "0" if slope.coefficient is None else ""
        graph = self.levels.written
        names = {s: latex_name(name) if self.latex else visible(name) for s, name in graph.inputs.items()}
        leaves = {s: self._leaf(name) for s, name in names.items()}
        return self._formula(graph, slope.written, leaves.get)

    def amount(self, x: float | None) -> tuple[str, str]:
        """The sign and the text of a number."""
        text = number(x, self.digits)
        if self.latex:
            mantissa, e, power = text.partition("e")
            text = f"{mantissa} \\cdot 10^{{{int(power.replace(MINUS, '-'))}}}" if e else text
        return ("-", text[1:]) if text.startswith(MINUS) else ("", text)

    def differential(self, slot: int) -> str:
        return f"d{self.symbols[slot]}"

    def explained(self, slot: int) -> str:
        return self.definition(slot) if slot in self.levels.graph.inputs else self.symbols[slot]

    # --- sums

    def rule(self, slot: int, numbers: bool = False) -> str:
        """The differential of an operation: `t00 dt10 + t10 dt00`."""
        return self.sum([self._term(piece, numbers, lone=True) for piece in self.pieces(slot, numbers)])

    def pieces(self, slot: int, numbers: bool) -> list[DifferentialTerm]:
        rule = self.levels.rules.get(slot, [])
        return [piece for piece in rule if piece.value is not None] if numbers else rule

    def _term(self, piece: DifferentialTerm, numbers: bool, lone: bool = False) -> tuple[str, str]:
        """Sign and text of a term; alone in a rule a coefficient of 1 is not written."""
        sign, text = self.amount(piece.value) if numbers else self.coefficient(piece.coefficient)
        own = self.differential(piece.slot)
        return sign, own if lone and text == "1" else f"{text} {own}"

    def sum(self, terms: Sequence[tuple[str, str]]) -> str:
        """Terms with their signs, as far as one line takes them."""
        minus = "-" if self.latex else MINUS
        out: list[str] = []
        for sign, text in terms[:_MOST_TERMS]:
            out.append((f" {minus} " if sign else " + ") + text if out else (minus if sign else "") + text)
        if len(terms) > _MOST_TERMS:
            out.append(f" + … ({len(terms) - _MOST_TERMS} more terms)")
        return "".join(out) or "0"

    def collected(self, pieces: Sequence[DifferentialTerm], numbers: bool = False) -> str:
        return self.sum([self._term(p, numbers) for p in pieces if not numbers or p.value is not None])

    def replaced(self, step: LevelStep, numbers: bool = False) -> str:
        """The sum with the rules of one level in brackets: `1 (dt20 + dt21)`."""
        terms = []
        for piece, rule in step.replaced:
            if numbers and piece.value is None:
                continue
            if rule is None:
                terms.append(self._term(piece, numbers))
                continue
            sign, text = self.amount(piece.value) if numbers else self.coefficient(piece.coefficient)
            inner = self.rule(piece.slot, numbers)
            terms.append((sign, f"{text} \\left({inner}\\right)" if self.latex else f"{text} ({inner})"))
        return self.sum(terms)

    def lines(self, expansion: Expansion, numbers: bool = False) -> list[str]:
        """The right-hand sides of dy, one below the other."""
        if not expansion.steps:
            return ["0"]
        first = expansion.steps[0]
        start = [term.piece for term in first.replaced] or first.collected
        out = [self.collected(start, numbers)]
        for step in expansion.steps:
            for line in (self.replaced(step, numbers), self.collected(step.collected, numbers)):
                if step.replaced and line != out[-1]:
                    out.append(line)
        return out


def heading(levels: Levels, digits: Digits) -> str:
    """`label: expression at x = 2`."""
    point = ", ".join(f"{name} = {number(x, digits)}" for name, x in (levels.at or {}).items())
    label = f"{visible(levels.label)}: " if levels.label else ""
    return f"{label}{visible(levels.expression)}" + (f"   at {point}" if point else "")


def tables(levels: Levels, digits: Digits) -> list[Table]:
    """The levels, then for each output dy pushed down and the gradient."""
    writer = _Writer(levels, digits)
    found = [_definitions(levels, writer, digits)]
    for expansion in levels.expansions:
        found.append(_pushed(levels, expansion, writer))
        found.append(_gradient(levels, expansion, writer, digits))
    return found


def _definitions(levels: Levels, writer: _Writer, digits: Digits) -> Table:
    pointed = levels.values is not None
    rows: list[tuple[str, ...]] = []
    for slot, symbol in levels.symbols.items():
        definition = writer.definition(slot)
        name = levels.graph.aliases.get(slot)
        operation = slot not in levels.graph.inputs
        value = levels.values[slot] if levels.values is not None else None
        cells = [str(levels.heights[slot]), symbol, f"= {visible(name)} = {definition}" if name else f"= {definition}"]
        if pointed:
            row, amount = levels.graph.rows[slot], _double(value)
            truth = row is not None and row.truth and amount is not None
            cells.append(f"= {TRUTH[amount or 0.0] if truth else number(amount, digits)}")
        cells += [writer.differential(slot), f"= {writer.rule(slot)}"] if operation else ["", ""]
        if pointed:
            cells.append(f"= {writer.rule(slot, numbers=True)}" if operation and value is not None else "")
        rows.append(tuple(cells))
    rules = [k for k in range(1, len(rows)) if rows[k][0] != rows[k - 1][0]]
    rules += [len(rows)] if rows else []
    for expansion in levels.expansions:
        output, result = visible(expansion.shown), expansion.slot
        same = writer.symbols.get(result)
        cells = ["", output, f"= {same or writer.definition(result)}"]
        if levels.values is not None:
            cells.append(f"= {number(_double(levels.values[result]), digits)}")
        rows.append((*cells, f"d{output}", f"= {writer.differential(result)}" if same else "= 0"))
    header = ("level", "", "value", *([""] if pointed else []), "", "differential", *([""] if pointed else []))
    return Table(rows, header, tuple(rules))


def _double(value: float | None) -> float | None:
    return None if value is None else float(value)


def _pushed(levels: Levels, expansion: Expansion, writer: _Writer) -> Table:
    own = f"d{visible(expansion.shown)}"
    rows: list[tuple[str, ...]] = []
    rules: list[int] = []
    for numbers in (False, True) if levels.values is not None else (False,):
        if numbers:
            rules.append(len(rows))
        rows += [(own if k == 0 else "", f"= {line}") for k, line in enumerate(writer.lines(expansion, numbers))]
        if not numbers:
            for _, name, formula in expansion.adjoints:
                sign, text = writer.coefficient(formula, factor=False)
                rows.append(("", f"where {name} = {MINUS if sign else ''}{text}"))
    return Table(rows, rules=tuple(rules))


def _gradient(levels: Levels, expansion: Expansion, writer: _Writer, digits: Digits) -> Table:
    rows: list[tuple[str, ...]] = []
    for slope in expansion.slopes:
        cells = [f"∂{visible(expansion.shown)}/∂{visible(slope.name)}"]
        sign, text = ("", "0") if slope.coefficient is None else writer.coefficient(slope.coefficient, factor=False)
        in_symbols = f"{MINUS if sign else ''}{text}"
        in_inputs = writer.written(slope)
        cells.append(f"= {in_symbols}")
        cells.append(f"= {in_inputs}" if in_inputs and in_inputs != in_symbols else "")
        if levels.values is not None:
            cells.append(f"= {number(slope.value, digits)}")
        rows.append(tuple(cells))
    return Table(rows)


def latex(levels: Levels, digits: Digits) -> str:
    """The expansion as aligned displays, to be pasted between the lines of a document."""
    writer = _Writer(levels, digits, latex=True)
    out: list[list[str]] = []
    by_level: dict[int, list[int]] = {}
    for slot in levels.symbols:
        by_level.setdefault(levels.heights[slot], []).append(slot)
    out.append([
        ",\\quad ".join(
            f"{writer.symbols[s]} {'&' if k == 0 else ''}= {writer.definition(s)}" for k, s in enumerate(slots)
        )
        for slots in by_level.values()
    ])  # fmt: skip
    out.append([
        ",\\quad ".join(
            f"{writer.differential(s)} {'&' if k == 0 else ''}= {writer.rule(s)}" for k, s in enumerate(slots)
        )
        for level, slots in by_level.items() if level
    ])  # fmt: skip
    for expansion in levels.expansions:
        own = f"d{latex_name(expansion.shown)}"
        for numbers in (False, True) if levels.values is not None else (False,):
            lines = writer.lines(expansion, numbers)
            out.append([f"{own if k == 0 else ''} &= {line}" for k, line in enumerate(lines)])
        if expansion.adjoints:
            out.append([
                f"{writer._symbol(name)} &= {'-' if sign else ''}{text}"
                for _, name, formula in expansion.adjoints
                for sign, text in [writer.coefficient(formula, factor=False)]
            ])  # fmt: skip
        out.append([_latex_slope(levels, expansion, slope, writer) for slope in expansion.slopes])
    displays = ["\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n" for lines in out if lines]
    return "".join(f"\\[\n{display}\\]\n" for display in displays)


def _latex_slope(levels: Levels, expansion: Expansion, slope: Slope, writer: _Writer) -> str:
    own = f"\\frac{{\\partial {latex_name(expansion.shown)}}}{{\\partial {latex_name(slope.name)}}}"
    sign, text = ("", "0") if slope.coefficient is None else writer.coefficient(slope.coefficient, factor=False)
    parts = [f"{'-' if sign else ''}{text}"]
    written = writer.written(slope)
    if written and written != parts[0]:
        parts.append(written)
    if levels.values is not None:
        minus, amount = writer.amount(slope.value)
        parts.append(minus + amount)
    return f"{own} &= {' = '.join(parts)}"


def as_dict(levels: Levels) -> dict[str, object]:
    """The expansion in the schema `expand/1`; formulas are in the language, in the names t_mj."""
    texts = _Texts(levels)
    return {
        "schema": "expand/1",
        "label": levels.label,
        "expression": levels.expression,
        "at": None if levels.at is None else {name: plain_number(x) for name, x in levels.at.items()},
        "levels": [texts.row(slot) for slot in levels.symbols],
        "outputs": [texts.expansion(expansion) for expansion in levels.expansions],
        "notes": [{"node": note.node, "kind": note.kind, "text": note.text} for note in levels.notes],
    }


def lines(levels: Levels, number: int) -> list[dict[str, object]]:
    """The expansion for a sheet: a line for each value of a level, then one for each derivative."""
    texts = _Texts(levels)
    head: dict[str, object] = {"problem": number, "label": levels.label or ""}
    found = []
    for slot in levels.symbols:
        row = texts.row(slot)
        sums = [] if slot in levels.graph.inputs else texts.pieces(levels.rules.get(slot, []))
        cells = {key: row[key] for key in ("name", "level", "formula")}
        cells["differential"] = " + ".join(f"({p['coefficient']}) d{p['of']}" for p in sums)
        found.append(head | cells | _bare(row))
    return found + [
        head
        | {"name": f"d{expansion.output}/d{slope['wrt']}", "formula": slope["coefficient"]}
        | {"expression": slope["expression"] or ""}
        | _bare(slope)
        for expansion in levels.expansions
        for slope in texts.gradient(expansion)
    ]


def _bare(data: dict[str, object]) -> dict[str, object]:
    return {"value": Bare(data["value"])} if "value" in data else {}


class _Texts:
    """The same in the language's own spelling, as plain data."""

    def __init__(self, levels: Levels) -> None:
        self.levels = levels
        self.symbols = {slot: Leaf(name) for slot, name in levels.symbols.items()}
        self.leaves = {slot: Leaf(name) for slot, name in levels.formulas.inputs.items()}

    def formula(self, slot: int) -> str:
        return render(self.levels.formulas, slot, TEXT, self.leaves.get, first=False)

    def _value(self, x: float | None) -> dict[str, object]:
        return {} if self.levels.values is None else {"value": plain_number(None if x is None else float(x))}

    def row(self, slot: int) -> dict[str, object]:
        levels = self.levels
        own = slot in levels.graph.inputs
        text = levels.graph.inputs[slot] if own else render(levels.graph, slot, TEXT, self.symbols.get)
        data: dict[str, object] = {"name": levels.symbols[slot], "level": levels.heights[slot], "formula": text}
        data |= self._value(levels.values[slot] if levels.values is not None else None)
        return data if own else data | {"differential": self.pieces(levels.rules.get(slot, []))}

    def pieces(self, pieces: Sequence[DifferentialTerm]) -> list[dict[str, object]]:
        return [
            {"of": self.levels.symbols[piece.slot], "coefficient": self.formula(piece.coefficient)}
            | self._value(piece.value)
            for piece in pieces
        ]

    def expansion(self, expansion: Expansion) -> dict[str, object]:
        levels = self.levels
        return {
            "name": expansion.output,
            "node": levels.symbols.get(expansion.slot, "constant"),
            "steps": [{"level": step.level, "terms": self.pieces(step.collected)} for step in expansion.steps],
            "adjoints": {name: self.formula(formula) for _, name, formula in expansion.adjoints},
            "gradient": self.gradient(expansion),
        }

    def gradient(self, expansion: Expansion) -> list[dict[str, object]]:
        levels = self.levels
        gradient = []
        for slope in expansion.slopes:
            written = None if slope.coefficient is not None else "0"
            if slope.written is not None:
                names = {s: Leaf(name) for s, name in levels.written.inputs.items()}
                written = render(levels.written, slope.written, TEXT, names.get, first=False)
            coefficient = "0" if slope.coefficient is None else self.formula(slope.coefficient)
            data: dict[str, object] = {"wrt": slope.name, "coefficient": coefficient, "expression": written}
            gradient.append(data | self._value(slope.value))
        return gradient
