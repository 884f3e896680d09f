"""Formulas of each row as written by hand: rules with names, then with numbers. A rule has the formulas of a function's
value, tangent, partials and contributions; a leaf is the text for one of its arguments.

A rule is derived from the table with symbolic arguments, once for each function and pattern of literal arguments, and
then written with the names or the numbers of a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial, reduce

from ..errors import pickle_error
from ..graph.copies import copy_formula
from ..graph.graph import Constant, Graph
from ..graph.order import ancestors, postorder
from ..graph.plan import leaf_values
from ..notation import table_formulas as tf
from ..notation.display_formula import Formula
from ..notation.formula import TABLE, Leaf, number_leaf, render
from ..notation.number_text import MINUS, NOT_TAKEN, TRUTH, Digits
from ..numbers.doubles import FLOAT, apply
from ..records import NamedTuple
from ..symbolic.terms import Term, Terms
from ..table.primitive import ATOM, UNARY, Primitive
from ..typings import TYPE_CHECKING, Any, TypeGuard, override
from .sweeping import without_sign_of_zero

if TYPE_CHECKING:
    from ..notation.formula_pieces import Piece

Key = tuple[object, ...]
# Equations between numbers as they are shown have as many digits as it takes for them to hold: `1 − 1 = 5e-5` is false,
# though each number in it is well rounded; `1 − 0.99995 = 5e-5` holds.
_LONGER = tuple(Digits(significant=count) for count in (5, 7, 9, 12, 15, 17))
_CLOSE = 0.01  # of the result that is shown
_NEAR = 0.3  # the same where that is less than a unit of the last place
_FEW = 3  # arguments of functions whose rules are kept from trace to trace
# what is written again and again
_barred, _dotted = (lru_cache(maxsize=2048)(write) for write in (tf.write_adjoint, tf.write_tangent))


class _RuleGraph:
    """The rules of a function for one pattern of arguments, as a small graph of formulas.

    Its attributes are slots of this graph: `arguments[k]` of argument k (-1 for a literal), `dots[k]` of its tangent,
    `result` of the row's value, `bar` of its adjoint; `value` and `tangent` of these rules; by argument `partials`
    (terms) and `contributions` (None for a literal). `by_number` is True if the tangent has conditions.
    """

    def __init__(self, row: Primitive, literals: Sequence[tuple[Graph, int] | None], same: Sequence[int]) -> None:
        """Build the formulas of value, partials, tangent and contributions of a row, with inputs for names or numbers.

        `literals` has for each argument (graph, slot) of a literal, which is copied into the rule, and None for others.
        `same` has for each argument the position of the first argument in the same slot, which may be its own.
        """
        self.graph = graph = Graph()
        m = Terms(graph)
        terms = _argument_terms(m, literals, same)
        self.arguments = [-1 if literal else term.slot for literal, term in zip(literals, terms, strict=True)]
        self.value = graph.apply(row, tuple(term.slot for term in terms))
        self.result = graph.input("")
        self.bar = graph.input("")
        needed = tuple(literal is None for literal in literals)
        partials = m.partials(row, Term(m, self.result), terms, needed)
        self.partials = [m.number(p) if is_needed else None for p, is_needed in zip(partials, needed, strict=True)]
        self.dots = [graph.input("") for _ in literals]
        moves = [m.mul(Term(m, dot), p) for p, dot in zip(self.partials, self.dots, strict=True) if p is not None]
        self.tangent = (reduce(m.add, moves) if moves else m.number(0)).slot
        # Formulas with conditions in them are not for people: such partials are shown as numbers.
        self.by_number = _has_conditions(graph, self.tangent)
        self.contributions = [None if term is None else self._contribution(m, term) for term in self.partials]
        self.templates: dict[object, tuple[list[str], list[tuple[int, int, bool]]]] = {}
        self._orders: dict[int, list[int]] = {}

    def _contribution(self, m: Terms, term: Term) -> int:
        """Return the slot of `bar × partial`, or of `bar/e` if the partial `term` is 1/e."""
        parts = m.parts(term, "div")
        name, factor = ("div", parts[1]) if parts and m.equals(parts[0], 1) else ("mul", term)
        return m.write(name, Term(m, self.bar), factor).slot

    def evaluate_slot(self, slot: int, numbers: Mapping[int, float]) -> float | None:
        """Return the value in doubles of the formula in `slot`, with `numbers` by slot of an input.

        None if the formula needs an input that is not in `numbers`. Errors of arithmetic pass. Orders of evaluation are
        cached.
        """
        if slot not in self._orders:
            self._orders[slot] = postorder(slot, self.graph.parents.__getitem__)
        values = leaf_values(self.graph, FLOAT, numbers)
        for s in self._orders[slot]:
            row = self.graph.rows[s]
            if row is not None:
                values[s] = apply(row, FLOAT, [values[p] for p in self.graph.parents[s]])  # type: ignore[misc]
            elif values[s] is None:
                return None
        return values[slot]

    def text(self, slot: int, leaves: dict[int, Leaf], first: bool) -> str:
        """Return the formula in `slot` of the rule, with the texts of `leaves` (by slot of the rule) inserted.

        With `first` the formula of `slot` is written out even if `leaves` has a text for it. The text around the leaves
        is rendered once for each combination of slot, leaves and their levels of brackets, and kept in `templates`.
        """
        levels = tuple([leaf.level for leaf in leaves.values()])
        pattern = (slot, first, tuple(leaves), levels)
        template = self.templates.get(pattern)
        if template is None:
            template = self.templates[pattern] = self._template(slot, leaves, first)
        pieces, places = template
        texts = pieces.copy()
        for k, place, signed in places:
            text = leaves[place].text
            texts[k] = text[1:] if signed else text
        return "".join(texts)

    def _template(
        self, slot: int, leaves: dict[int, Leaf], first: bool
    ) -> tuple[list[str], list[tuple[int, int, bool]]]:
        """Return (parts of the rendered formula in `slot`, where to insert the texts of `leaves`).

        The parts of odd index are to be replaced by texts. The second list has for each of them (its index, the slot of
        the leaf, whether the minus sign of the leaf is already at the end of the part before), from left to right; a
        leaf may occur several times. With `first` the slot itself is expanded even if it is a leaf.
        """
        marked = {k: Leaf(f"{MINUS * (x.level == UNARY)}\0{k}\0", x.level, x.value) for k, x in leaves.items()}
        pieces = render(self.graph, slot, TABLE, marked.get, first).split("\0")
        places = [(k, int(pieces[k])) for k in range(1, len(pieces), 2)]
        return pieces, [(k, place, leaves[place].level == UNARY) for k, place in places]


@lru_cache(maxsize=256)
def _plain_rule(row: Primitive, same: tuple[int, ...]) -> _RuleGraph:
    """Return the rule of a function whose arguments are not literals, cached for all traces.

    `same` has for each argument the position of the first argument in the same slot.
    """
    return _RuleGraph(row, (None,) * len(same), same)


def _argument_terms(m: Terms, literals: Sequence[tuple[Graph, int] | None], same: Sequence[int]) -> list[Term]:
    """Return the terms of the arguments of a rule, in order: a copy of a literal, or a new input of `m` without a name.

    Arguments from the same slot share one input. `literals` has (graph, slot) of each literal argument and None for
    others; `same` has for each argument the position of the first argument from the same slot.
    """
    terms: list[Term] = []
    for position, literal in enumerate(literals):
        if literal is not None:
            terms.append(Term(m, _copy_literal(*literal, m.graph)))
        else:
            terms.append(terms[same[position]] if same[position] < position else Term(m, m.graph.input("")))
    return terms


def _has_conditions(graph: Graph, root: int) -> bool:
    """Return whether the formula in slot `root` contains a comparison or a choice."""
    needed = ancestors(graph, [root])
    rows = [graph.row(slot) for slot in graph.operations() if needed[slot]]
    return any(row.truth or row.route is not None for row in rows)


def _copy_literal(source: Graph, slot: int, target: Graph) -> int:
    """Copy the literal in `slot` of `source` with its subexpressions into the graph `target`, and return its slot
    there.

    A negated number becomes one constant with a minus sign; a negated named constant stays a negation. Raises KeyError
    if the literal depends on an input.
    """
    negative: dict[int, int] = {}
    for s in postorder(slot, source.parents.__getitem__):
        row, number = source.rows[s], source.constants.get(next(iter(source.parents[s]), -1))
        if row is not None and row.name == "neg" and number is not None and not number.named:
            negative[s] = target.constant(Constant("-" + number.text))
    return copy_formula(target, source, slot, negative)[slot]


class Working:
    """A writer of the rows of one trace; the slots in `by_number` have partials shown as numbers, because their rules
    do not hold at this point.
    """

    def __init__(
        self,
        graph: Graph,
        names: Sequence[str],
        values: Sequence[float | None],
        digits: Digits,
        by_number: Collection[int] = (),
    ) -> None:
        """Prepare the writing of formulas for the rows of `graph`.

        `names` are by slot ("" for a literal). `values` are by slot and are shown in `digits` where numbers are
        substituted. `by_number` has the slots whose partials are shown as numbers, because a decision at a kink sets
        them.
        """
        self._by_number = by_number
        self.graph = graph
        self.names = names
        self.digits = digits
        self.values = values
        self._rules: dict[Key, _RuleGraph] = {}
        self._by_slot: dict[int, _RuleGraph] = {}
        # one function of each kind for all formulas, of which there are many
        make, kinds = self._make_piece, ("_operation", "_tangent", "_contribution")
        self._makers = {kind: (partial(make, kind, False), partial(make, kind, True)) for kind in kinds}
        self._leaves: dict[float, Leaf] = {}
        self._names = [Leaf(name) if name else None for name in names]
        self._numbers = [self._number(slot) if name else None for slot, name in enumerate(names)]

    @override
    def __reduce__(self) -> tuple[Callable[..., Working], tuple[object, ...]]:
        return _unpickle, (self.graph, self.names, self.values, self.digits, self._by_number)

    def show_number(self, number: float) -> Leaf:
        """Return a number as a leaf of a formula, with its digits and its level of brackets; −0.0 is shown as 0.

        Leaves of doubles are kept for later calls.
        """
        leaf = self._leaves.get(number) if type(number) is float else None
        if leaf is None:
            leaf = number_leaf(self.digits.show(without_sign_of_zero(number)))
            if type(number) is float:  # numbers of other arithmetics may be equal and look different
                self._leaves[number] = leaf
        return leaf

    def number(self, number: float) -> Formula:
        """Return the number as a Formula, in the digits that are shown."""
        return tf.numeral(self.show_number(number).text)

    def write_bar(self, slot: int) -> Formula:
        """Return the adjoint of a row: `v̄3`."""
        return _barred(self.names[slot])

    def _number(self, slot: int) -> Leaf:
        """Return the leaf for the number in a slot: a word for conditions and for rows in a branch not taken."""
        value = self.values[slot]
        if value is None:
            return Leaf(tf.numeral(NOT_TAKEN))
        return Leaf(tf.numeral(TRUTH[float(value)])) if self.graph.is_condition(slot) else self.show_number(value)

    def _rule(self, slot: int) -> _RuleGraph:
        """Return the rule of the operation in a slot, cached by slot.

        Operations with a literal argument, or with more than three arguments, have rules in this trace
        (`_special_rule`); rules of all others are shared by all traces (`_plain_rule`).
        """
        if slot not in self._by_slot:
            row, parents = self.graph.row(slot), self.graph.parents[slot]
            same = tuple([parents.index(p) for p in parents])
            is_plain = len(parents) <= _FEW and not any(map(self.graph.literal.__getitem__, parents))
            self._by_slot[slot] = _plain_rule(row, same) if is_plain else self._special_rule(row, parents, same)
        return self._by_slot[slot]

    def _special_rule(self, row: Primitive, parents: Sequence[int], same: tuple[int, ...]) -> _RuleGraph:
        """Return the rule of an operation with literals among its arguments, or with more than three arguments.

        `parents` are the slots of its arguments; `same` has for each argument the position of the first one in the same
        slot. Rules are kept in `_rules` and shared by operations of one row with the same texts of literals and the
        same `same`.
        """
        graph = self.graph
        sources = [(graph, p) if graph.literal[p] else None for p in parents]
        literals = [None if s is None else render(*s, TABLE, self._names.__getitem__, first=False) for s in sources]
        key: Key = (row.name, tuple(literals), same)
        rule = self._rules.get(key)
        if rule is None:
            rule = self._rules[key] = _RuleGraph(row, sources, same)
        return rule

    def _places(
        self, slot: int, rule: _RuleGraph, leaves: Sequence[Leaf | None], itself: bool = True
    ) -> dict[int, Leaf]:
        """Return the leaves of the arguments of the row in `slot`, by their slots in the graph of `rule`.

        `leaves` has the leaf of each slot of the trace's graph; an argument with None there, a literal, is left out
        because it is part of the rule. With `itself` the leaf of the row itself is included.
        """
        slots = dict(zip(rule.arguments, self.graph.parents[slot], strict=True))
        if itself:
            slots[rule.result] = slot
        return {place: leaf for place, s in slots.items() if place >= 0 and (leaf := leaves[s]) is not None}

    def _formulas(self, kind: str, key: object) -> tuple[Formula, Formula]:
        """Return (a formula with names, the same with numbers) for `key`, short plain data.

        `kind` is the name of the method that computes its _FormulaText from `key`: _operation, _tangent or
        _contribution. The numbers have more digits if those of the trace do not give the shown value
        (`leaves_with_enough_digits`). The `piece` of a Formula is computed from `key` only when it is read.
        """
        formula_text: _FormulaText = getattr(self, kind)(key)
        with_names, with_numbers = self._makers[kind]
        named = Formula(formula_text.text(formula_text.names), with_names, key)
        return named, Formula(formula_text.text(self.leaves_with_enough_digits(formula_text)), with_numbers, key)

    def _make_piece(self, kind: str, in_numbers: bool, key: object) -> Piece:
        """Return the piece of the formula that the method `kind` computes from `key`, with names or with numbers."""
        formula_text: _FormulaText = getattr(self, kind)(key)
        leaves = self.leaves_with_enough_digits(formula_text) if in_numbers else formula_text.names
        return self.piece(formula_text, leaves)

    def formula(self, slot: int) -> tuple[Formula, Formula]:
        """Return (the operation of a row with names, with numbers): `x1 × x2`, `2 × 5`."""
        return self._formulas("_operation", slot)

    def _operation(self, slot: int) -> _FormulaText:
        rule = self._rule(slot)
        return self._formula_text(slot, rule, rule.value, self.values[slot], {}, itself=False)

    def _formula_text(
        self, slot: int, rule: _RuleGraph, result: int, value: float | None, more: Mapping[int, tuple[str, float]],
        *, itself: bool = True, first: bool = True,
    ) -> _FormulaText:  # fmt: skip
        """Return the formula in the slot `result` of the `rule` of the row in `slot`, which equals the number `value`.

        Its leaves are the arguments of the row, with `itself` the row itself, and `more`: (text, number) by slot of the
        rule. With `first` it is written out even if its slot has a text.
        """
        names, numbers = (self._places(slot, rule, leaves, itself) for leaves in (self._names, self._numbers))
        values = {place: self.values[p] for place, p in zip(rule.arguments, self.graph.parents[slot], strict=True)}
        values[rule.result] = self.values[slot]
        for place, (text, number) in more.items():
            names[place], numbers[place], values[place] = Leaf(text), self.show_number(number), number
        return _FormulaText(slot, rule, result, names, numbers, first, values, value)

    def leaves_with_enough_digits(self, formula_text: _FormulaText) -> dict[int, Leaf]:
        """Return the leaves of the numbers in a formula, with more digits if the shown ones do not give the shown
        value.

        Then all numbers have the same number of digits, in a new dict. `formula_text.numbers` itself is returned in all
        other cases: the shown digits are enough or exact, no number of digits is enough, a number is missing or not
        finite, the partials are numbers, or the arithmetic is not that of doubles.
        """
        rule, leaves, value = formula_text.rule, formula_text.numbers, formula_text.value
        if isinstance(rule, Graph) or type(self.digits) is not Digits or not finite(value):
            return leaves
        places = [place for place, leaf in leaves.items() if leaf.value]
        operands = [x for place in places if (x := formula_text.values[place]) is not None]
        shown = [float(leaves[place].text.replace(MINUS, "-")) for place in places]
        if shown == operands or len(operands) < len(places) or not all(map(finite, operands)):
            return leaves

        def compute(numbers: Sequence[float]) -> float | None:
            return rule.evaluate_slot(formula_text.result, dict(zip(places, numbers, strict=True)))

        digits = digits_that_agree(self.digits, shown, compute, operands, value)
        if digits is self.digits:
            return leaves
        longer = [number_leaf(digits.show(without_sign_of_zero(operand))) for operand in operands]
        return {**leaves, **dict(zip(places, longer, strict=True))}

    def tangent(self, slot: int, partials: Sequence[float | None], dots: Sequence[float]) -> tuple[Formula, Formula]:
        """Return (the tangent rule of a row with names, with numbers): `ẋ1 × x2 + ẋ2 × x1`, `1 × 5 + 0 × 2`.

        `partials` are those of the row by argument, `dots` the tangents by slot. Both formulas are 0 for a row in a
        branch not taken.
        """
        if self.values[slot] is None:
            return tf.numeral("0"), tf.numeral("0")
        return self._formulas("_tangent", (slot, partials, dots))

    def _tangent(self, key: tuple[int, Sequence[float | None], Sequence[float]]) -> _FormulaText:
        """Return the tangent rule of a row from `key`: (slot, partials by argument, tangents by slot).

        If the rule has conditions, or a decision at a kink sets partials, the partials are numbers in it. Literals have
        no tangent.
        """
        slot, partials, dots = key
        rule, parents = self._rule(slot), self.graph.parents[slot]
        if rule.by_number or slot in self._by_number:
            return self._numeric_tangent(slot, partials, dots)
        moving = [(dot, p) for dot, p in zip(rule.dots, parents, strict=True) if self.names[p]]
        tangents = {dot: (_dotted(self.names[p]), dots[p]) for dot, p in moving}
        value = sum(g * dots[p] for g, p in zip(partials, parents, strict=True) if g and dots[p])
        return self._formula_text(slot, rule, rule.tangent, value, tangents, first=False)

    def _numeric_tangent(self, slot: int, partials: Sequence[float | None], dots: Sequence[float]) -> _FormulaText:
        """Return the tangent of the row in `slot` as Σ tangent·partial, with the partials as numbers.

        `partials` are by argument, `dots` (tangents) by slot. Partials that are 0 or missing are left out, and a
        partial of 1 is not written as a factor (−1 is); without partials the tangent is 0. The two forms differ only in
        the tangents: names or numbers. It is not checked whether the numbers shown give the value.
        """
        graph = Graph()
        m = Terms(graph)
        names: dict[int, Leaf] = {}
        numbers: dict[int, Leaf] = {}
        total = m.number(0)
        for parent, slope in zip(self.graph.parents[slot], partials, strict=True):
            if slope is None or slope == 0:
                continue
            dot = Term(m, graph.input(""))
            names[dot.slot] = Leaf(_dotted(self.names[parent]))
            numbers[dot.slot] = self.show_number(dots[parent])
            factor = m.number(1)
            if slope != 1:
                factor = Term(m, graph.input(""))
                names[factor.slot] = numbers[factor.slot] = self.show_number(slope)
            total = m.add(total, m.mul(dot, factor))
        return _FormulaText(slot, graph, total.slot, names, numbers, False, {}, None)

    def contribution(self, slot: int, position: int, slope: float, bar: float) -> tuple[Formula, Formula]:
        """Return (contribution of a row to an argument's adjoint with names, with numbers): `v̄3 × cos x2`, `1 × cos
        5`.

        `slot` is the row, `position` the argument's, `slope` the partial, `bar` the adjoint of the row. If the rule has
        conditions, a decision at a kink sets the partial, or the argument is a literal, the partial is a number in
        both, and negative factors have brackets.
        """
        rule = self._rule(slot)
        if rule.by_number or slot in self._by_number or rule.contributions[position] is None:
            factor = self._factor(slope)
            return tf.join(self.write_bar(slot), " × ", factor), tf.join(self._factor(bar), " × ", factor)
        return self._formulas("_contribution", (slot, position, slope, bar))

    def _contribution(self, key: tuple[int, int, float, float]) -> _FormulaText:
        """Return the contribution of a row to the adjoint of an argument: adjoint · partial.

        `key` is (slot, position of the argument, partial, adjoint of the row). The argument must not be a literal, for
        which there is no rule (the result would be the formula in slot 0 of the rule).
        """
        slot, position, slope, bar = key
        rule = self._rule(slot)
        result = rule.contributions[position] or 0  # those without one are shown as numbers
        return self._formula_text(slot, rule, result, bar * slope, {rule.bar: (self.write_bar(slot), bar)})

    def _factor(self, number: float) -> Formula:
        """Return a number as a factor, in brackets if it is negative or not a single number."""
        leaf = self.show_number(number)
        return tf.numeral(leaf.text) if leaf.level == ATOM else tf.bracket(tf.numeral(leaf.text))

    def symbolic_contribution(self, slot: int, position: int) -> Formula | None:
        """Return the contribution of the row in `slot` to the argument at `position` in symbols, without a point.

        None if the argument is a literal or the partial is 0. If the rule has conditions, the formula is the adjoint
        times the partial with its conditions, not simplified.
        """
        rule = self._rule(slot)
        term, result = rule.partials[position], rule.contributions[position]
        if term is None or result is None or term.m.equals(term, 0):
            return None
        places, bar = self._places(slot, rule, self._names), self.write_bar(slot)
        if rule.by_number:
            return tf.join(bar, " × ", self._unfold(rule, term.slot, places, first=False))
        places[rule.bar] = Leaf(bar)
        return self._unfold(rule, result, places, first=True)

    def slope(self, slot: int, position: int, *, numbers: bool = False) -> Formula | None:
        """Return the partial of the row in `slot` with respect to the argument at `position`: `cos x2`.

        With `numbers` the values are substituted: `cos 5`. None if the argument is a literal, the formula has
        conditions, or a decision at a kink sets the partial.
        """
        rule = self._rule(slot)
        term = rule.partials[position]
        if term is None or rule.by_number or slot in self._by_number:
            return None
        places = self._places(slot, rule, self._numbers if numbers else self._names)
        return self._unfold(rule, term.slot, places, first=False)

    def _unfold(self, rule: _RuleGraph, slot: int, leaves: dict[int, Leaf], first: bool) -> Formula:
        return tf.unfold(rule.text(slot, leaves, first), rule.graph, slot, leaves, first)

    def chain(self, slot: int, parent: int) -> Formula:
        """Return the contribution of `slot` to the adjoint of its parent by the chain rule alone: `v̄3 ∂v3/∂x2`."""
        return tf.join(self.write_bar(slot), " ", tf.write_partial(self.names[slot], self.names[parent]))

    def piece(self, formula_text: _FormulaText, leaves: dict[int, Leaf]) -> Piece:
        """Return a formula of a row in pieces, each with the slot and the span of text that it represents.

        `leaves` are the texts by slot of the rule's graph, and are not changed. If they are the object
        `formula_text.names` and the rule is a _RuleGraph, the arguments and the result have their slots and spans. All
        other pieces, and all numbers, have those of the row.
        """
        from ..notation.formula_pieces import Origin
        from ..notation.mathematics import pieces

        slot, rule, spans = formula_text.slot, formula_text.rule, self.graph.spans
        graph = rule if isinstance(rule, Graph) else rule.graph
        if not isinstance(rule, Graph) and leaves is formula_text.names:
            homes = {**dict(zip(rule.arguments, self.graph.parents[slot], strict=True)), rule.result: slot}
            origins = {place: (homes[place], spans[homes[place]]) for place in leaves if place in homes}
            names = {place: Leaf(tf.write_name(leaves[place].text, origin)) for place, origin in origins.items()}
            leaves = leaves | names
        return pieces(graph, formula_text.result, leaves.get, formula_text.first, Origin(slot, spans[slot]))


class _FormulaText(NamedTuple):
    """A formula of a row, in a graph of its own, with the texts of its slots by name and by number.

    slot    the row; `result` the slot of the formula in `rule`
    names   {slot in `rule`: text} with names, `numbers` the same with numbers
    first   whether the result is expanded even if it has a text, as in `render`
    values  {slot in `rule`: the number itself}; `value` the number that the formula equals, None if it is not known
    """

    slot: int
    rule: _RuleGraph | Graph
    result: int
    names: dict[int, Leaf]
    numbers: dict[int, Leaf]
    first: bool
    values: Mapping[int, float | None]
    value: float | None

    def text(self, leaves: dict[int, Leaf]) -> str:
        """Return the formula as tables write it, with `leaves` as the texts of its slots."""
        if isinstance(self.rule, Graph):
            return render(self.rule, self.result, TABLE, leaves.get, self.first)
        return self.rule.text(self.result, leaves, self.first)


def _unpickle(*parts: Any) -> Working:
    """Return the formulas of a trace that were pickled; raises RequestError if they are damaged."""
    try:
        return Working(*parts)
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        raise pickle_error("a trace", str(error)) from None


def digits_that_agree(
    digits: Digits,
    shown: Sequence[float],
    compute: Callable[[Sequence[float]], float | None],
    operands: Sequence[float],
    result: float,
) -> Digits:
    """Return the digits with which operands are shown so that they give the shown result.

    They are `digits` if the operands as shown (`shown`) do; else the fewest of 5, 7, 9, 12, 15 and 17 significant
    digits for `operands`, the exact ones, that do; else `digits`. `compute` gives a result from operands (None, or an
    arithmetic error: no result). Equal means the same text, or within 1 % of the shown `result` or a unit of its last
    decimal place (at most 0.3 of it; not if `digits` are significant ones). All numbers are finite doubles.
    """
    text = digits.show(result)
    target = float(text)
    slack = max(_CLOSE * abs(target), _unit(digits, text, target))

    def holds(operands: Sequence[float]) -> bool:
        try:
            value = compute(operands)
        except (ArithmeticError, ValueError):
            return False
        return finite(value) and (abs(value - target) <= slack or digits.show(value) == text)

    if holds(shown):
        return digits
    return next((longer for longer in _LONGER if holds([float(longer.show(x)) for x in operands])), digits)


def finite(x: float | None) -> TypeGuard[float]:
    """Return whether `x` is a finite double."""
    return isinstance(x, (int, float)) and math.isfinite(x)


def _unit(digits: Digits, text: str, shown: float) -> float:
    """Return a unit of the last shown decimal place, at most 0.3 of the number; 0 if digits are significant."""
    if digits.significant is not None or "e" in text:
        return 0.0
    return float(min(10.0**-digits.places, _NEAR * abs(shown)))
