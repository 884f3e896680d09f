"""Levels of a program: an output's differential is expanded level by level until only those of the inputs are left.
Coefficients are formulas of the t_mj in the graph of `m`; a rule is the differential of a row as a sum over its
arguments.

The values are named t_mj, m being the level (the height above the inputs). From dy = 1 dt_n0 the differentials of the
highest level are replaced by their rules and the terms collected, level by level; the coefficient of dt_mj is then its
adjoint, which is complete before its own differential is replaced. Source: the adjoint graphs of reference manuals of
graph compilers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import count

from ..errors import RequestError
from ..graph.graph import Graph
from ..graph.order import ancestors, arrange, by_appearance, dependents, heights, postorder
from ..graph.tape import Gradients
from ..language.program import Program
from ..records import NamedTuple
from ..symbolic.terms import Term, Terms, decimal_text
from .labels import shown_name
from .trace_model import Note, Request
from .trace_program import reading_notes, trace

MOST_ROWS = 300  # operations that are expanded
_LONGEST_ADJOINT = 6  # operations in an adjoint; a longer one gets a name
_LONGEST_SLOPE = 40  # operations in a derivative that is written out in the inputs


class DifferentialTerm(NamedTuple):
    """A coefficient and the slot whose differential it multiplies.

    `coefficient` is a slot of the graph of formulas, `value` its number; None without a point.
    """

    slot: int
    coefficient: int
    value: float | None


class Replaced(NamedTuple):
    """A term of a sum, and the rule that replaces its differential; None if the term stays."""

    piece: DifferentialTerm
    rule: list[DifferentialTerm] | None


class LevelStep(NamedTuple):
    """One level of the expansion: the terms of the sum with their rules (`replaced`), and the sum after substitution
    (`collected`).
    """

    level: int
    replaced: list[Replaced]
    collected: list[DifferentialTerm]


class Slope(NamedTuple):
    """A component of the gradient.

    name         the input, with its `slot`
    coefficient  its formula in the t_mj, a slot of the graph `formulas`; None if the slope is 0
    written      its formula in the inputs, a slot of the graph `written`; None if it is too long, or the slope is 0
    value        its number; None without a point
    """

    name: str
    slot: int
    coefficient: int | None
    written: int | None
    value: float | None


class Expansion(NamedTuple):
    """The expansion of one output.

    shown     its name for people
    slot      that of its value in the graph of the program
    steps     one for each level from the top down
    adjoints  (slot, name, formula as a slot of `formulas`) of the adjoints that have a name because they are long
    slopes    the gradient, in the order of the symbols of inputs
    """

    output: str
    shown: str
    slot: int
    steps: list[LevelStep]
    adjoints: list[tuple[int, str, int]]
    slopes: list[Slope]


class Levels(NamedTuple):
    """A program in levels: its graph, symbols and rules, and the expansion of every output.

    at        the point by input name, and `values` the value of each slot; None without a point
    symbols   {slot: t_mj}, without literals
    heights   the level of each slot
    rules     {slot of an operation: its differential}
    formulas  the graph of all coefficients, whose inputs are symbols; `written` that of the slopes in the inputs
              themselves
    """

    label: str | None
    expression: str
    at: dict[str, float] | None
    graph: Graph
    symbols: dict[int, str]
    heights: list[int]
    rules: dict[int, list[DifferentialTerm]]
    formulas: Graph
    written: Graph
    values: Sequence[float] | None
    expansions: list[Expansion]
    notes: list[Note]


def level_symbols(graph: Graph) -> dict[int, str]:
    """Return the name t_mj (`t21`) of every input and operation by slot, level by level; literals have no name.

    m is the height of the row: the longest way from an input. j counts from 0 within the level. Level 0 are the inputs,
    sorted by name (x2 before x10); operations are in slot order. All names have a comma (`t2,10`) if some m or j has
    two digits.
    """
    height = heights(graph)
    place = {name: k for k, name in enumerate(by_appearance(sorted(graph.inputs.values())))}
    order = sorted(graph.inputs, key=lambda slot: place[graph.inputs[slot]])
    order += sorted(graph.operations(), key=lambda slot: (height[slot], slot))
    widths = Counter(height[slot] for slot in order)
    comma = "," if any(level > 9 or width > 10 for level, width in widths.items()) else ""
    numbers = {level: count() for level in widths}
    return {slot: f"t{height[slot]}{comma}{next(numbers[height[slot]])}" for slot in order}


def levels(program: Program, at: Mapping[str, float] | None, kinks: str = "note", label: str | None = None) -> Levels:
    """Return the expansion of every output of `program`, level by level.

    At a point `at` it has numbers too; None or empty: formulas alone. With `kinks` "error" an output without a slope at
    a kink raises DomainProblem; "note" adds a note. `label` is the problem's label. Raises RequestError for more than
    300 operations; at a point, NameProblem for an input without a value and DomainProblem without a value.
    """
    graph = arrange(program.graph, extra=at or ())
    operations = len(list(graph.operations()))
    if operations > MOST_ROWS:
        title = f"an expansion of {operations} operations is too long to read"
        raise RequestError(title, help=f"adcli expand takes up to {MOST_ROWS} operations; adcli eval has no limit")
    done = trace(program, at, Request("reverse", steps=False, kinks=kinks), label) if at else None
    expander = _Expander(graph, None) if done is None else _Expander(done.graph, done.gradients)
    graph = expander.graph
    expression = " ".join(program.source.text.split()) if done is None else done.expression
    values, notes = (None, reading_notes(program)) if done is None else (done.values, done.notes)
    expansions = [expander.expansion(name, slot) for name, slot in graph.outputs]
    return Levels(
        label, expression, dict(at) if at else None, graph, expander.symbols, expander.heights, expander.rules,
        expander.m.graph, expander.names.graph, values, expansions, notes,
    )  # fmt: skip


class _Expander:
    """A writer of the rules of a graph, with symbols for its slots, which expands differentials level by level."""

    def __init__(self, graph: Graph, gradients: Gradients | None) -> None:
        """Prepare symbols, heights and differentials of all rows of the graph.

        `gradients` has the partials by slot; None without a point, so that differentials have no numbers. Sets `m`, the
        graph of coefficients in the symbols t_mj; `names`, the graph of formulas in the inputs; `rules`, the
        differential of each operation by slot.
        """
        self.graph = graph
        self.gradients = gradients
        self.symbols = level_symbols(graph)
        self.heights = heights(graph)
        self.m = Terms(Graph())
        self.terms = {slot: Term(self.m, self.m.graph.input(symbol)) for slot, symbol in self.symbols.items()}
        self.moving = dependents(graph)
        self.names = Terms(Graph())
        self.inputs = {slot: Term(self.names, self.names.graph.input(name)) for slot, name in graph.inputs.items()}
        self.rules = {slot: self._differential(slot) for slot in graph.operations()}

    def _differential(self, slot: int) -> list[DifferentialTerm]:
        """Return the differential of the operation in `slot`: one term for each argument that depends on an input.

        Empty for inputs and conditions. A term has the slot of the argument, the coefficient as a slot of `m`, and the
        partial as a number (None without a point). Terms whose partial is 0 as a formula are left out; an argument that
        occurs twice has two terms. Terms are in the order of the arguments; but a coefficient that is itself an
        argument counts with the position of this argument: d(uv) = u dv + v du.
        """
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        if row is None or row.truth:
            return []
        arguments = tuple(self.terms[p] if p in self.terms else self.m.copy_formula(self.graph, p) for p in parents)
        active = tuple(bool(self.moving[p]) and not self.graph.is_condition(p) for p in parents)
        partials = self.m.partials(row, self.terms[slot], arguments, active)
        places = {term.slot: k for k, term in enumerate(arguments)}
        pieces: list[tuple[int, DifferentialTerm]] = []
        for position, partial in enumerate(partials):
            if partial is None or (isinstance(partial, int) and partial == 0):
                continue
            term = self.m.number(partial)
            number = None if self.gradients is None else self.gradients[slot][position]
            value = None if number is None else float(number)
            pieces.append((places.get(term.slot, position), DifferentialTerm(parents[position], term.slot, value)))
        return [piece for _, piece in sorted(pieces, key=lambda pair: pair[0])]

    def expansion(self, output: str, result: int) -> Expansion:
        """Return the expansion of one output, in slot `result`, from its own level down to the inputs.

        Each step has the terms of the sum with the rules that replace the differentials of its level, and the sum after
        the replacement. A level without a differential in the sum has no step. The terms of the last step are in the
        order of the symbols. An output that is an input has one step of level 0; an output without inputs has no step,
        and slopes of 0. New names of long adjoints become inputs of `m`.
        """
        sums: dict[int, DifferentialTerm] = {}
        if self.moving[result]:
            sums[result] = DifferentialTerm(result, self.m.number(1).slot, None if self.gradients is None else 1.0)
        steps: list[LevelStep] = []
        adjoints: list[tuple[int, str, int]] = []
        for level in range(self.heights[result], 0, -1):
            adjoints += self._name_adjoints(sums, level)
            rules = {slot: self.rules[slot] for slot in sums if self.heights[slot] == level}
            if not rules:
                continue
            replaced = [Replaced(piece, rules.get(slot)) for slot, piece in sums.items()]
            sums = self._collect_terms(replaced)
            if level == 1:
                sums = {slot: sums[slot] for slot in self.symbols if slot in sums}
            steps.append(LevelStep(level, replaced, list(sums.values())))
        if not steps and sums:
            steps.append(LevelStep(0, [], list(sums.values())))
        shown = shown_name(output, {name: slot for slot, name in self.graph.inputs.items()})
        return Expansion(output, shown, result, steps, adjoints, self._gradient(sums, adjoints))

    def _name_adjoints(self, sums: dict[int, DifferentialTerm], level: int) -> list[tuple[int, str, int]]:
        """Replace long coefficients in `sums` by names, in place; return (slot, name, former coefficient in `m`) of
        each.

        Long are coefficients of more than 6 operations; only differentials of slots in this `level` are looked at. The
        name is the symbol with `a` for `t`, and a new input of `m`.
        """
        adjoints = []
        for slot, piece in list(sums.items()):
            if self.heights[slot] == level and self._size(piece.coefficient) > _LONGEST_ADJOINT:
                name = "a" + self.symbols[slot][1:]
                adjoints.append((slot, name, piece.coefficient))
                sums[slot] = piece._replace(coefficient=self.m.graph.input(name))
        return adjoints

    def _collect_terms(self, replaced: Sequence[Replaced]) -> dict[int, DifferentialTerm]:
        """Return the sum after the rules of `replaced` are substituted: {slot: term}, in order of first appearance.

        A term with the rule None stays as it is, with an empty rule it vanishes. With another rule its coefficient is
        multiplied by each coefficient of the rule, and so is its value (None if one of the two is None). Terms of the
        same slot are added; values that are None are left out of the sum, which is None if all are.
        """
        sums: dict[int, DifferentialTerm] = {}
        for piece, rule in replaced:
            for inner in [piece] if rule is None else rule:
                coefficient, value = inner.coefficient, inner.value
                if rule is not None:
                    coefficient = self._multiply(piece.coefficient, inner.coefficient)
                    value = None if piece.value is None or value is None else piece.value * value
                before = sums.get(inner.slot)
                if before is not None:
                    coefficient = self._plus(before.coefficient, coefficient)
                    numbers = [x for x in (before.value, value) if x is not None]
                    value = sum(numbers) if numbers else None
                sums[inner.slot] = DifferentialTerm(inner.slot, coefficient, value)
        return sums

    def _plus(self, a: int, b: int) -> int:
        """Return the slot of the sum of two coefficients; twice the coefficient if both are in the same slot."""
        if a == b:
            return self._multiply(self.m.number(2).slot, a)
        return self.m.add(Term(self.m, a), Term(self.m, b)).slot

    def _multiply(self, a: int, b: int) -> int:
        """Return the slot of the product of the coefficients in slots `a` and `b` over a common denominator.

        Minus signs are in front; then numbers, in lowest terms; then the factors of `a` before those of `b`. Equal
        factors are powers, and factors on both sides of the line cancel.
        """
        m = self.m
        sides: tuple[list[int], list[int]] = ([], [])  # factors above and below the line
        numbers = [m.number(1), m.number(1)]
        negative = False
        stack = [(b, 0), (a, 0)]
        while stack:
            slot, side = stack.pop()
            term = Term(m, slot)
            parts = m.parts(term, "neg")
            if parts:
                negative = not negative
                stack.append((parts[0].slot, side))
            elif parts := m.parts(term, "mul"):
                stack += [(part.slot, side) for part in reversed(parts)]
            elif parts := m.parts(term, "div"):
                stack += [(parts[1].slot, 1 - side), (parts[0].slot, side)]
            elif m.graph.literal[slot]:
                numbers[side] = m.mul(numbers[side], term)
            else:
                sides[side].append(slot)
        above, below = map(Counter, sides)
        top, bottom = self._lowest_terms(*numbers)
        product = m.div(self._power_product(top, above - below), self._power_product(bottom, below - above))
        return (m.neg(product) if negative else product).slot

    def _lowest_terms(self, above: Term, below: Term) -> tuple[Term, Term]:
        """Return (numerator, denominator) of above/below in lowest terms.

        Both are returned unchanged if one of them is not a rational number, or `below` is 0. If one of them was a
        decimal and the quotient is a finite decimal, the numerator is this decimal and the denominator 1.
        """
        top, bottom = self.m.rational(above), self.m.rational(below)
        if top is None or bottom is None or not bottom.numerator:
            return above, below
        fraction = top / bottom
        decimal = decimal_text(fraction)
        if decimal is not None and (top.denominator > 1 or bottom.denominator > 1):  # decimals stay decimals
            return self.m.number(decimal), self.m.number(1)
        return self.m.number(fraction.numerator), self.m.number(fraction.denominator)

    def _power_product(self, number: Term, factors: Mapping[int, int]) -> Term:
        """Return `number` times the powers `factors`: exponent by slot, negative ones included."""
        powers = [self.m.pow(Term(self.m, slot), self.m.number(times)) for slot, times in factors.items()]
        return reduce(self.m.mul, powers, number)

    def _size(self, slot: int) -> int:
        """Return the number of operations in a coefficient."""
        reached = ancestors(self.m.graph, [slot])
        return sum(1 for s in self.m.graph.operations() if reached[s])

    def _gradient(self, sums: Mapping[int, DifferentialTerm], adjoints: Sequence[tuple[int, str, int]]) -> list[Slope]:
        """Return the gradient: a Slope for each input, in the order of the symbols.

        `sums` has the last differentials by slot, `adjoints` the named adjoints as (slot, name, formula). `coefficient`
        (a slot of `m`) is the formula in the t_mj and the named adjoints. `written` (a slot of `names`) is the formula
        in the inputs, None if longer than 40 leaves and operations. `value` is the number. An input without a term has
        None for both formulas, and the value 0 (None without a point); a term whose value is None has the value 0 at a
        point, too.
        """
        known = {name: slot for slot, name in self.m.graph.inputs.items()}
        place: dict[int, Term] = {}
        size: dict[int, int] = {}
        for slot, symbol in self.symbols.items():
            source = known[symbol]
            place[source], size[source] = self._in_inputs(slot, place, size)
        for _, name, formula in adjoints:
            source = known[name]
            size[source] = _tree_size(self.m.graph, formula, size)
            if size[source] <= _LONGEST_SLOPE:
                place[source] = self.names.copy_formula(self.m.graph, formula, place)
        nothing = None if self.gradients is None else 0.0
        slopes = []
        for slot in filter(self.graph.inputs.__contains__, self.symbols):
            piece, written = sums.get(slot), None
            if piece is not None and _tree_size(self.m.graph, piece.coefficient, size) <= _LONGEST_SLOPE:
                written = self.names.copy_formula(self.m.graph, piece.coefficient, place).slot
            coefficient, value = (None, None) if piece is None else (piece.coefficient, piece.value)
            value = nothing if value is None else value
            slopes.append(Slope(self.graph.inputs[slot], slot, coefficient, written, value))
        return slopes

    def _in_inputs(self, slot: int, place: Mapping[int, Term], size: Mapping[int, int]) -> tuple[Term, int]:
        """Return (the value of a slot as a formula of the inputs, the size of this formula in leaves and operations).

        The size counts a part as often as it occurs. If it is above 40, the term is 0, a placeholder. `place` and
        `size` have the terms and sizes of earlier slots, by the slot of their symbol in `m`.
        """
        names = self.names
        if slot in self.inputs:
            return self.inputs[slot], 1
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        sources = [self.terms[p].slot if p in self.terms else None for p in parents]
        total = 1 + sum(1 if source is None else size[source] for source in sources)
        if row is None or total > _LONGEST_SLOPE:
            return names.number(0), total
        pairs = zip(parents, sources, strict=True)
        arguments = [names.copy_formula(self.graph, p) if source is None else place[source] for p, source in pairs]
        return names.write(row.name, *arguments), total


def _tree_size(graph: Graph, root: int, known: Mapping[int, int]) -> int:
    """Return how many leaves and operations a formula has when written out; `known` has the sizes of some slots."""
    size: dict[int, int] = {}
    for slot in postorder(root, lambda s: graph.parents[s]):
        size[slot] = known.get(slot, 1) + sum(size[p] for p in graph.parents[slot])
    return size[root]
