"""The working of each row, as it is written by hand: rules with names, then with numbers.

A rule is read from the table with formulas for numbers (`graph.derive`), once for each function and each pattern of
literal arguments, and then written with the names or the numbers of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..calculus.primitive import ATOM, Primitive
from ..graph.derive import Formulas, Term
from ..graph.node import Constant, Graph
from ..graph.order import ancestors, postorder
from ..language.formula import TABLE, Leaf, number_leaf, render
from ..language.numbers import Digits
from .names import barred, dotted, partial

TRUTH = {0.0: "false", 1.0: "true"}
NOT_TAKEN = "…"

Key = tuple[object, ...]


class _Rule:
    """A partial or a whole tangent rule as a small graph: `slot` is its result.

    `arguments[k]` is the place of argument k (-1 for a literal), `dots[k]` of its tangent, `result` of the row's own
    value.
    """

    __slots__ = ("arguments", "bar", "dots", "graph", "partials", "result", "tangent")

    def __init__(self, row: Primitive, literals: Sequence[tuple[Graph, int] | None], same: Sequence[int]) -> None:
        self.graph = graph = Graph()
        m = Formulas(graph)
        self.arguments: list[int] = []
        terms: list[Term] = []
        for position, literal in enumerate(literals):
            if literal is not None:
                terms.append(Term(m, _copied(*literal, graph)))
                self.arguments.append(-1)
            elif same[position] < position:
                terms.append(terms[same[position]])
                self.arguments.append(self.arguments[same[position]])
            else:
                terms.append(Term(m, graph.input("")))
                self.arguments.append(terms[-1].slot)
        self.result = graph.input("")
        self.bar = graph.input("")
        wanted = tuple(literal is None for literal in literals)
        partials: list[Any] = row.rules(m, Term(m, self.result), tuple(terms), wanted)
        self.partials: list[Any] = [None if p is None else m.number(p) for p in partials]
        self.dots = [graph.input("") for _ in literals]
        tangent: Any = 0
        for partial_term, dot in zip(self.partials, self.dots, strict=True):
            if partial_term is not None:
                tangent = m.add(tangent, m.mul(Term(m, dot), partial_term))
        self.tangent = m.number(tangent).slot

    def contribution(self, position: int) -> int:
        """The slot of `bar × partial`, or `bar/e` where the partial is 1/e."""
        m = Formulas(self.graph)
        term = self.partials[position]
        parts = m.parts(term, "div")
        if parts and m.equals(parts[0], 1):
            return m.write("div", Term(m, self.bar), parts[1]).slot
        return m.write("mul", Term(m, self.bar), term).slot


def _copied(source: Graph, slot: int, target: Graph) -> int:
    """A literal written again in another graph."""
    place: dict[int, int] = {}
    for s in postorder(slot, lambda k: source.parents[k]):
        row = source.rows[s]
        parents = source.parents[s]
        if row is None:
            place[s] = target.constant(source.constants[s])
        elif row.name == "neg" and parents[0] in source.constants and not source.constants[parents[0]].named:
            place[s] = target.constant(Constant("-" + source.constants[parents[0]].text))
        else:
            place[s] = target.apply(row, tuple(place[p] for p in source.parents[s]))
    return place[slot]


class Working:
    """Writes the rows of one trace."""

    def __init__(self, graph: Graph, names: Sequence[str], values: Sequence[Any], digits: Digits) -> None:
        self.graph = graph
        self.names = names
        self.values = values
        self.digits = digits
        self._rules: dict[Key, _Rule] = {}
        self._numeric: dict[Key, bool] = {}
        self._contributions: dict[tuple[Key, int], int] = {}

    def shown(self, number: float) -> Leaf:
        """A number as it stands in a formula."""
        return number_leaf(self.digits.show(float(number)))

    def _name(self, slot: int) -> Leaf | None:
        return Leaf(self.names[slot]) if self.names[slot] else None

    def _number(self, slot: int) -> Leaf | None:
        if not self.names[slot]:
            return None
        value = self.values[slot]
        if value is None:
            return Leaf(NOT_TAKEN)
        row = self.graph.rows[slot]
        return Leaf(TRUTH[float(value)]) if row is not None and row.truth else self.shown(value)

    def formula(self, slot: int) -> tuple[str, str]:
        """The operation of a row with names and with numbers: `x1 × x2`, `2 × 5`."""
        return render(self.graph, slot, TABLE, self._name), render(self.graph, slot, TABLE, self._number)

    def alone(self, slot: int) -> str:
        """A slot by its name, or a literal as it was written."""
        return render(self.graph, slot, TABLE, self._name, first=False)

    # --- derivatives -------------------------------------------------------------------------------------------------

    def _key(self, slot: int) -> Key:
        graph = self.graph
        parents = graph.parents[slot]
        row = graph.rows[slot]
        literals = tuple(self.alone(p) if graph.literal[p] else None for p in parents)
        same = tuple(parents.index(p) for p in parents)
        return (row.name if row else "", literals, same)

    def _rule(self, slot: int, key: Key) -> _Rule:
        rule = self._rules.get(key)
        if rule is None:
            graph, row = self.graph, self.graph.rows[slot]
            parents = graph.parents[slot]
            assert row is not None  # only operations have rules  # noqa: S101
            literals = [(graph, p) if graph.literal[p] else None for p in parents]
            rule = self._rules[key] = _Rule(row, literals, [parents.index(p) for p in parents])
        return rule

    def _places(self, slot: int, rule: _Rule, number: bool) -> dict[int, Leaf]:
        leaf: Callable[[int], Leaf | None] = self._number if number else self._name
        places: dict[int, Leaf] = {}
        for place, s in [*zip(rule.arguments, self.graph.parents[slot], strict=True), (rule.result, slot)]:
            found = leaf(s) if place >= 0 else None
            if found is not None:
                places[place] = found
        return places

    def _by_number(self, slot: int) -> bool:
        """Whether the partials are told by number: their formulas are conditions, which nobody writes by hand."""
        key = self._key(slot)
        if key not in self._numeric:
            rule = self._rule(slot, key)
            reached = ancestors(rule.graph, [rule.tangent])
            self._numeric[key] = any(
                reached[s] and row is not None and (row.truth or row.route is not None)
                for s, row in enumerate(rule.graph.rows)
            )
        return self._numeric[key]

    def tangent(self, slot: int, partials: Sequence[Any], dots: Sequence[Any]) -> tuple[str, str]:
        """The tangent rule of a row with names and with numbers: `ẋ1 × x2 + ẋ2 × x1`, `1 × 5 + 0 × 2`."""
        parents = self.graph.parents[slot]
        if self.values[slot] is None:
            return "0", "0"
        if self._by_number(slot):
            return self._numeric_tangent(slot, partials, dots)
        rule = self._rule(slot, self._key(slot))
        symbolic, numeric = self._places(slot, rule, False), self._places(slot, rule, True)
        for dot, parent in zip(rule.dots, parents, strict=True):
            if self.names[parent]:
                symbolic[dot] = Leaf(dotted(self.names[parent]))
                numeric[dot] = self.shown(dots[parent])
        return (
            render(rule.graph, rule.tangent, TABLE, symbolic.get, first=False),
            render(rule.graph, rule.tangent, TABLE, numeric.get, first=False),
        )

    def _numeric_tangent(self, slot: int, partials: Sequence[Any], dots: Sequence[Any]) -> tuple[str, str]:
        graph = Graph()
        m = Formulas(graph)
        names: dict[int, Leaf] = {}
        numbers: dict[int, Leaf] = {}
        total: Any = 0
        for parent, slope in zip(self.graph.parents[slot], partials, strict=True):
            if slope is None or slope == 0:
                continue
            dot = m.number(Term(m, graph.input("")))
            names[dot.slot] = Leaf(dotted(self.names[parent]))
            numbers[dot.slot] = self.shown(dots[parent])
            factor: Any = 1
            if slope != 1:
                factor = Term(m, graph.input(""))
                names[factor.slot] = numbers[factor.slot] = self.shown(slope)
            total = m.add(total, m.mul(dot, factor))
        result = m.number(total).slot
        return (
            render(graph, result, TABLE, names.get, first=False),
            render(graph, result, TABLE, numbers.get, first=False),
        )

    def contribution(self, slot: int, position: int, slope: Any, bar: float) -> tuple[str, str]:
        """What a row hands to one of its parents, with names and with numbers: `v̄3 × cos x2`, `(−1) × cos 5`."""
        if self._by_number(slot):
            number = self.shown(slope)
            factor = number.text if number.level == ATOM else f"({number.text})"
            own = self.shown(bar)
            mine = own.text if own.level == ATOM else f"({own.text})"
            return f"{barred(self.names[slot])} × {factor}", f"{mine} × {factor}"
        key = self._key(slot)
        rule = self._rule(slot, key)
        if (key, position) not in self._contributions:
            self._contributions[key, position] = rule.contribution(position)
        result = self._contributions[key, position]
        symbolic, numeric = self._places(slot, rule, False), self._places(slot, rule, True)
        symbolic[rule.bar] = Leaf(barred(self.names[slot]))
        numeric[rule.bar] = self.shown(bar)
        return render(rule.graph, result, TABLE, symbolic.get), render(rule.graph, result, TABLE, numeric.get)

    def chain(self, slot: int, parent: int) -> str:
        """The same as the chain rule alone: `v̄3 ∂v3/∂x2`."""
        return f"{barred(self.names[slot])} {partial(self.names[slot], self.names[parent])}"
