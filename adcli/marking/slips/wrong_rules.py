"""Wrong rules of differentiation, read as functions: which of them gives the formula that a student wrote. A slip is
the name of a wrong rule; rows are operations of the function's graph, known by their slots.

A forward sweep is made in which one row, two, or all of them are differentiated by a wrong rule.  Its result is
compared with the formula at random points, so that it does not matter how that is written.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ...graph.graph import Graph
from ...graph.order import ancestors, share_subexpressions
from ...graph.rules import partials_at
from ...graph.tape import adjoints, evaluate, linearize, tangents
from ...numbers.double_intervals import SPREAD, Spread
from ...symbolic.derivative import derivative
from ..programs.edits import Edits, unfold_formula
from ..programs.worksheet import Cell, cell_of, close, total
from .step_arithmetic import derivative_at, is_exactly, is_outside, join_slips, simplest, tangent_with_slips

_POINTS, _DRAWS = 5, 60
_RANGES = ((0.3, 2.0), (-2.0, 2.0), (0.05, 0.95), (1.05, 4.0), (2.0, 30.0))  # where inputs are drawn, in turn
_ROWS, _PAIRED = 60, 10  # rows of a function in which one wrong rule is looked for, or two

Wrong = Mapping[int, tuple[str, int]]  # by row the wrong rule that it is differentiated by: its name, and which of that
WrongFormulas = Iterator[tuple[str, Wrong | None]]


def wrong_rules(graph: Graph, wrt: str, formula: Graph) -> tuple[str, ...]:
    """Return the slips that turn the derivative of a function into what was written for it; () if no slip does.

    `graph` has the function as its first output, `formula` is the graph of what was written for its derivative with
    respect to the input `wrt`, over inputs of the same names. Of the first of these kinds in which a slip fits at all
    points, all slips that fit are returned, without pairs that contain another of them (`simplest`):
    - a wrong rule in one row;
    - the same wrong rule in all rows;
    - another function: the function itself, the derivative with respect to another input, the integral;
    - two wrong rules (one name, `a+b`);
    - edits of the right formula.

    () also if `formula` is right at all points or has other inputs, if no point is found at which it and the derivative
    have values, if `wrt` is not an input, and if no row or more than 60 depend on it.
    """
    inputs = {name: slot for slot, name in graph.inputs.items()}
    if wrt not in inputs or not {*formula.inputs.values()} <= inputs.keys():
        return ()
    moving = _rows_that_depend(graph, inputs[wrt])
    if not moving or len(moving) > _ROWS:
        return ()
    points = list(_points(graph, inputs, inputs[wrt], moving, formula))
    if not points or all(point.fits(point.dots[point.output]) for point in points):
        return ()
    first = points[0]
    unfolded = _write_out_derivative(graph, wrt)
    for point in points:
        point.derivative = unfolded
    searches = first.singles, first.throughout, first.functions_taken_for_derivative, first.pairs, first.match_edits
    for candidates in searches:
        names = simplest(name for name, wrong in candidates() if all(point.confirms(name, wrong) for point in points))
        if names:
            return tuple(names)
    return ()


def differentiate(graph: Graph, wrt: Sequence[str]) -> Graph:
    """Return the derivative of a graph's first output with respect to each of the inputs `wrt` in turn, as a graph."""
    for name in wrt:
        graph = derivative(graph, [name])
        graph.outputs = graph.outputs[:1]
    return graph


def wrong_derivatives(graph: Graph, wrt: str, point: Mapping[str, Spread]) -> Iterator[tuple[str, Spread]]:
    """Yield (slip, derivative of a function at a point) for each wrong rule, used in one row of the function alone.

    `graph` has the function as its first output, `wrt` is the name of the input, `point` has the values of all inputs
    by name. Rows come with operands before users. A slip repeats if it applies to several rows; a number may be unknown
    or equal the right derivative. Nothing is yielded if no row or more than 60 depend on `wrt`. Raises KeyError if
    there is no such input, or if `point` lacks an input.
    """
    inputs = {name: slot for slot, name in graph.inputs.items()}
    cells = _rows_that_depend(graph, inputs[wrt])
    if 0 < len(cells) <= _ROWS:
        sample = _Sample(graph, inputs[wrt], cells, {slot: point[name] for name, slot in inputs.items()})
        for slot in cells:
            rest = sample.dots[sample.output] - sample.bars[slot] * sample.dots[slot]
            for name, z in sample.by_wrong_rules(slot, dict(enumerate(sample.dots))):
                yield name, rest + sample.bars[slot] * z


def _rows_that_depend(graph: Graph, wrt: int) -> dict[int, Cell]:
    """Return {slot: cell} of the rows that depend on the input in slot `wrt` and that the first output needs, in order.

    Each cell is a single operation; `wrt` is not among the keys.
    """
    needed = ancestors(graph, [graph.outputs[0][1]])
    named = {*graph.inputs, *graph.operations()}
    moved = {wrt}
    cells: dict[int, Cell] = {}
    for slot in graph.operations():
        if needed[slot] and not moved.isdisjoint(graph.parents[slot]):
            moved.add(slot)
            cells[slot] = cell_of(graph, slot, named)
    return cells


def _write_out_derivative(graph: Graph, wrt: str) -> Graph | None:
    """Return the derivative of the first output with respect to the input `wrt`, simplified for people, as a tree.

    In a tree each operand is used once, so shared parts and inputs are repeated. None for graphs of more than 60 slots,
    and for derivatives of more than about 60 as a tree.
    """
    if len(graph) > _ROWS:
        return None
    first_output = share_subexpressions(graph)
    first_output.outputs = first_output.outputs[:1]
    slopes = derivative(first_output, [wrt])
    return unfold_formula(slopes, slopes.outputs[0][1])


class _Sample:
    """A function, its derivative, and what was written for this derivative, at one point.

    `values`, `dots` and `bars` are the values, tangents and adjoints of all slots. The caller sets three more:
    `written`, the value of what was written; `slope`, the derivative of what was written; `derivative`, the right
    formula as a tree, if it is to be edited.
    """

    def __init__(self, graph: Graph, wrt: int, cells: Mapping[int, Cell], place: Mapping[int, Spread]) -> None:
        """Evaluate `graph` at `place` (values by slot) and differentiate it with respect to the input in slot `wrt`.

        `cells` are the rows that depend on that input (`_rows_that_depend`). `written`, `slope` and `derivative` are
        left for the caller to set.
        """
        self.graph, self.wrt, self.cells, self.output = graph, wrt, cells, graph.outputs[0][1]
        self.written = self.slope = SPREAD.undefined
        self.derivative: Graph | None = None
        values = evaluate(graph, SPREAD, place)
        gradients = linearize(graph, SPREAD, values)
        dots = tangents(graph, gradients, {wrt: SPREAD.one})
        bars = adjoints(graph, gradients, {self.output: SPREAD.one})
        self.values, self.dots, self.bars = (
            [SPREAD.undefined if x is None else SPREAD.number(x) for x in column]  # None in branches that are not taken
            for column in (values, dots, bars)
        )
        self.known = dict(enumerate(self.values))

    def fits(self, derivative: Spread) -> bool:
        """Return whether `derivative` equals what was written, as far as doubles can show."""
        return close(derivative, self.written) is True

    def confirms(self, name: str, wrong: Wrong | None) -> bool:
        """Return whether what fitted at another point fits at this point too.

        `wrong` are the rows with wrong rules, by slot; the derivative with these must be what was written, and `name`
        is ignored. If `wrong` is None, `name` must be among the slips that fit here: a function taken for the
        derivative, or an edit.
        """
        if wrong is not None:
            return self.fits(self.swept(wrong))
        return any(name == other for other, _ in chain(self.functions_taken_for_derivative(), self.match_edits()))

    # --- one row by wrong rules ---------------------------------------------------------------------------------------

    def by_wrong_rules(self, slot: int, dots: Mapping[int, Spread], both: bool = False) -> Iterator[tuple[str, Spread]]:
        """Yield (slip, tangent) for the row in `slot` by each wrong rule, or with `both` by each two of them, `a+b`.

        `slot` must be a key of `cells` (else KeyError); `dots` are the tangents of the rows that it uses, by slot. A
        slip may occur several times. With `both` they are those of `RowSlips.pairs`. Without, they are those of
        `RowSlips.singles`, then `value_for_adjoint`, the value of the row, then `_slips_of_whole_row`. In a product
        that reaches the output through sums and products alone, chain_rule_forgotten among the singles is called
        factor_forgotten.
        """
        cell = self.cells[slot]
        step = tangent_with_slips(cell, self.known, {leaf: dots[leaf] for leaf in cell.leaves})
        if both:
            yield from step.pairs()
            return
        row = self.graph.rows[slot]
        is_product = row is not None and row.exponents == (1, 1) and is_outside(self.graph, slot)
        for name, z in step.singles():  # the 2x of x²·y is a factor, and no inner derivative
            yield "factor_forgotten" if is_product and name == "chain_rule_forgotten" else name, z
        yield "value_for_adjoint", self.values[slot]
        yield from self._slips_of_whole_row(slot, dots)

    def _slips_of_whole_row(self, slot: int, dots: Mapping[int, Spread]) -> Iterator[tuple[str, Spread]]:
        """Yield (slip, tangent) for slips of the whole row in `slot`; `dots` are the tangents of its operands.

        They are, for a row f(g) of one operand, `chain_rule_forgotten`: f'(g'), also if g' is 1; and for a sum,
        difference, product, quotient or power with a constant operand, such as x^2 or, differentiated by x, x + y^3,
        `constant_kept`: in the rule for two variables this operand is its own tangent. Nothing for other rows.
        """
        row, parents, literal = self.graph.rows[slot], self.graph.parents[slot], self.graph.literal
        if row is None:
            return
        if len(parents) == 1:
            yield "chain_rule_forgotten", derivative_at(row, dots[parents[0]])
        elif row.folds and any(is_constant := [literal[p] or is_exactly(dots[p], 0) for p in parents]):
            arguments = [self.values[parent] for parent in parents]
            slopes = partials_at(row, SPREAD, self.values[slot], arguments, (True,) * len(parents))
            moved = (x if kept else dots[p] for kept, p, x in zip(is_constant, parents, arguments, strict=True))
            pairs = zip(slopes, moved, strict=True)
            yield "constant_kept", total(SPREAD.number(slope) * dot for slope, dot in pairs if slope is not None)

    # --- sweeps with wrong rules --------------------------------------------------------------------------------------

    def swept(self, wrong: Wrong) -> Spread:
        """Return the derivative of the function if the rows in `wrong`, {slot: (slip, index)}, have wrong rules."""
        return self._tangents_with(wrong)[self.output]

    def _tangents_with(self, wrong: Wrong) -> dict[int, Spread]:
        """Return the tangents of all slots if the rows in `wrong`, {slot: (slip, index)}, have these wrong rules.

        The index is that among the row's rules of this name. A row that does not have the rule is differentiated
        correctly.
        """
        dots = dict(enumerate(self.dots))
        changed: set[int] = set()
        for slot, cell in self.cells.items():
            if slot not in wrong and changed.isdisjoint(cell.leaves):
                continue
            changed.add(slot)
            if slot in wrong:
                name, which = wrong[slot]
                dots_by_rule = [z for other, z in self.by_wrong_rules(slot, dots, "+" in name) if other == name]
                if which < len(dots_by_rule):
                    dots[slot] = dots_by_rule[which]
                    continue
            partials = cell.partials(self.known)
            dots[slot] = total(partials[leaf] * dots[leaf] for leaf in cell.leaves)
        return dots

    def singles(self) -> WrongFormulas:
        """Yield (slip, rows with wrong rules) for each wrong rule in one row that fits here."""
        return self._with_one_more({}, self.cells)

    def _with_one_more(self, before: Wrong, slots: Iterable[int], both: bool = False) -> Iterator[tuple[str, Wrong]]:
        """Yield (slip, rows with wrong rules) for each wrong rule in a row of `slots` that gives the written value.

        `before` has the rows that already have a wrong rule, {slot: (slip, index)}; the second item is a copy with the
        new row. Each of `slots` must be higher than those in `before` (this is not checked), because the adjoints
        used are those of correct rules. With `both` the new row has two wrong rules, `a+b`. The index counts the rules
        of that name in the row from 0, also those that do not fit.
        """
        dots = self._tangents_with(before) if before else dict(enumerate(self.dots))
        for slot in slots:
            rest = dots[self.output] - self.bars[slot] * dots[slot]
            count: Counter[str] = Counter()
            for name, z in self.by_wrong_rules(slot, dots, both):
                if self.fits(rest + self.bars[slot] * z):
                    yield name, {**before, slot: (name, count[name])}
                count[name] += 1

    def throughout(self) -> WrongFormulas:
        """Yield (slip, {slot: (slip, 0)}) for each wrong rule that gives the written derivative if all rows use it.

        The dict has all rows of the sample, also those to which the rule does not apply, which are differentiated
        correctly; 0 is the index of the rule among those of that name.
        """
        dots = dict(enumerate(self.dots))
        names = dict.fromkeys(name for slot in self.cells for name, _ in self.by_wrong_rules(slot, dots))
        for name in names:
            wrong = dict.fromkeys(self.cells, (name, 0))
            if self.fits(self.swept(wrong)):
                yield name, wrong

    def pairs(self) -> WrongFormulas:
        """Yield (`a+b`, wrong) for each pair of wrong rules a and b that together give the written derivative.

        First come pairs within one row (`RowSlips.pairs`), then pairs in two different rows. The names in `a+b` are in
        alphabetical order. `wrong` is {slot of a row: (name, index)}. The name is that of the rule, or `a+b` for two
        rules in this row; the index counts the rules, or pairs, that have this name in the row. Nothing is yielded if
        more than 10 rows depend on the input.
        """
        if len(self.cells) > _PAIRED:
            return
        yield from self._with_one_more({}, self.cells, both=True)
        for slot in self.cells:
            count: Counter[str] = Counter()
            for name, _ in self.by_wrong_rules(slot, dict(enumerate(self.dots))):
                first = {slot: (name, count[name])}
                count[name] += 1
                for other, wrong in self._with_one_more(first, [later for later in self.cells if later > slot]):
                    yield join_slips(name, other), wrong

    def functions_taken_for_derivative(self) -> WrongFormulas:
        """Yield (slip, None) for functions taken for the derivative, in this order, each at most once.

        - "value_for_adjoint": the value of the function equals what was written;
        - "wrong_variable": its derivative with respect to another input does;
        - "integral_for_derivative": the derivative of what was written (`slope`) is the value of the function.
        """
        if self.fits(self.values[self.output]):
            yield "value_for_adjoint", None
        if any(self.fits(self.bars[slot]) for slot in self.graph.inputs if slot != self.wrt):
            yield "wrong_variable", None
        if close(self.slope, self.values[self.output]):
            yield "integral_for_derivative", None

    def match_edits(self) -> WrongFormulas:
        """Yield (name of the slip, None) for each edit of one slot of `derivative` that gives the written value here.

        Edits are another operation, operand (another input of it), sign, exponent or constant, or a part left out
        (`Edits`); a name may occur more than once. Nothing is yielded if `derivative` is None.
        """
        if (graph := self.derivative) is None:
            return
        inputs = {name: slot for slot, name in self.graph.inputs.items()}
        known = {slot: self.values[inputs[name]] for slot, name in graph.inputs.items()}
        others = {slot: [x for other, x in known.items() if other != slot] for slot in known}
        for name, z in Edits(graph, known, others).apply_edits():
            if self.fits(z):
                yield name, None


def _points(
    graph: Graph, inputs: Mapping[str, int], wrt: int, cells: Mapping[int, Cell], formula: Graph
) -> Iterator[_Sample]:
    """Yield up to 5 samples at points at which the true derivative and `formula`, written for it, both have values.

    `graph` is the function, `formula` the graph of what the student wrote for its derivative. In a sample `written` is
    the value of `formula`, and `slope` the derivative of `formula` (not of the function) with respect to the same
    input, which may be unknown. `inputs` are the slots of the inputs of `graph` by name, `wrt` is the slot of the input
    to differentiate by, `cells` has the rows of `graph` that depend on it by slot. At most 60 points are tried, the
    same ones every time; they are drawn from five ranges in turn (`_RANGES`), of which one has negative numbers.
    """
    source = random.Random(len(graph))  # noqa: S311 - any points will do, but the same ones
    had = 0
    for draw in range(_DRAWS):
        if had == _POINTS:
            return
        low, high = _RANGES[draw % len(_RANGES)]
        place = {slot: SPREAD.number(source.uniform(low, high)) for slot in graph.inputs}
        at = {slot: place[inputs[name]] for slot, name in formula.inputs.items()}
        point = _Sample(graph, wrt, cells, place)
        values = evaluate(formula, SPREAD, at)
        point.written = SPREAD.number(values[formula.outputs[0][1]])
        seeds = {slot: SPREAD.one for slot, name in formula.inputs.items() if inputs[name] == wrt}
        point.slope = SPREAD.number(tangents(formula, linearize(formula, SPREAD, values), seeds)[formula.outputs[0][1]])
        if point.written.known and point.dots[point.output].known:
            had += 1
            yield point
