"""The student numbers that rows are judged by: what a student had for each quantity, row by row. A number is affected
if a wrong row has influenced it; a quantity is the value, tangent, adjoint or partial of a slot; the corrected program
has the right formula of each wrong row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction

from ...answers.answer_model import BAR, DOT, VALUE
from ...answers.shown_numbers import Habit, ShownNumber
from ...graph.graph import Graph
from ...graph.order import postorder
from ...graph.plan import Plan
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from ..programs.contributions import Contributions, RowCase
from ..programs.resolving import PARTIAL, Resolved, used_directly
from ..programs.uncorrected_program import AsWritten, Followed
from ..programs.worksheet import Cell, ProblemCache, Solution, Worksheet, same, structure, total

_FINE = Fraction(1, 100)  # who usually writes this last place or a smaller one may have rounded what is not written
_THOUSANDTH = Fraction(1, 1000)
_EXACT, _ENDS = 1e9, 1e-6  # units in a value that may end at one, and how far it may be from that, in units
_LEAST = 1e-300  # a unit of numbers beyond doubles


class OwnNumber(NamedTuple):
    """The number that a student had for a quantity: the interval `spread`.

    `affected` says that a wrong row has influenced it.
    """

    spread: Spread
    affected: bool


class RowProgram(NamedTuple):
    """A program by which rows may be right: its rows (`sheet`), its true values at every point, and its sums.

    `formulas` is a cache of the values of students' formulas at every point. `wrong` has the slots of the rows of this
    program that are incorrect; `corrected_sheet` has these rows corrected.
    """

    sheet: Worksheet | AsWritten
    truths: Sequence[Solution | Followed]
    contributions: Contributions
    corrected_sheet: Worksheet
    formulas: ProblemCache
    wrong: frozenset[int] = frozenset()

    def truth(self, quantity: Resolved, k: int = 0) -> Spread:
        """Return the true value of a quantity at point `k` (0 is that of the problem) in this program.

        A value of an incorrect row is computed by its corrected formula, from the other rows as they are in this
        program; tangents and adjoints are those of this program. A partial is that of the row's formula in this
        program, also if the row is incorrect; 0 for an input.
        """
        if quantity.kind != VALUE or quantity.slot not in self.wrong:
            return self.value(quantity, k)
        cell = self.corrected_sheet.cells[quantity.slot]
        return cell.value({leaf: self.truths[k].read(VALUE, leaf, None) for leaf in cell.leaves})

    def value(self, quantity: Resolved, k: int = 0) -> Spread:
        """Return the value of a quantity at point `k` that its row in this program gives, even if the row is incorrect.

        For an incorrect row `truth` returns the value that it should have instead. A partial is the local derivative by
        the slot `quantity.by` at the values of this program; 0 if the row does not use that slot, or is an input.
        """
        truth, cell = self.truths[k], self.sheet.cells.get(quantity.slot)
        if quantity.kind != PARTIAL:
            return truth.read(quantity.kind, quantity.slot, quantity.key)
        values = {} if cell is None else {leaf: truth.read(VALUE, leaf, None) for leaf in cell.leaves}
        return SPREAD.zero if cell is None else cell.partials(values).get(quantity.by, SPREAD.zero)

    def formula_values(
        self, graph: Graph, symbols: Mapping[int, Resolved], quantity: Resolved, alone: bool = False
    ) -> list[Spread]:
        """Return the values of the formula `graph`, one for each point, from the values of its symbols in this program.

        `symbols` are the quantities of its inputs, by slot; a symbol of an incorrect row has that row's wrong value. An
        adjoint `quantity` in its own formula represents the contributions before this row, or 0 if `alone`; the values
        of such a formula are not cached, all others are. A value is undefined where the formula has none.
        """
        before: list[Spread] | None = None
        if quantity.kind == BAR and quantity in symbols.values():
            before = self.contributions.before(quantity)
            before = [SPREAD.zero] * len(before) if alone else before

        def values() -> list[Spread]:
            plan, (_, result) = Plan(graph, SPREAD), graph.outputs[0]
            points = (
                {slot: before[k] if before and meant == quantity else self.value(meant, k) for slot, meant in meanings}
                for k in range(len(self.truths))
            )
            return [SPREAD.number(plan.values(point)[result]) for point in points]

        meanings = tuple(symbols.items())
        if before is not None:
            return values()  # which depend on the rows above
        return self.formulas.get_or_make((structure(graph), graph.outputs[0][1], meanings), values)

    def has_true_zeros(self, graph: Graph, symbols: Mapping[int, Resolved], quantity: Resolved) -> bool:
        """Return whether in a formula of a tangent each tangent that is 0 at all points has its partial as coefficient;
        in `dx1*x2 - dx2*x1` for `x1*x2` next to dx2 = 0 it has not.

        `graph` and `symbols` are those of the formula. Only operands of the row `quantity` are looked at.
        """
        cell = self.sheet.cells.get(quantity.slot)
        points = range(len(self.truths))
        if cell is None or quantity.kind != DOT:
            return True
        dots = {meant for meant in symbols.values() if meant.kind == DOT and meant.slot in cell.leaves}
        zeros = [meant for meant in dots if not any(self.value(meant, k).middle for k in points)]
        return all(
            same(
                self._coefficients(graph, symbols, zero), [total(truth.uses(cell, zero.slot)) for truth in self.truths]
            )
            for zero in zeros
        )

    def _coefficients(self, graph: Graph, symbols: Mapping[int, Resolved], zero: Resolved) -> list[Spread]:
        """Return by how much a formula grows at each point if the symbol `zero` in it is 1 instead of its value."""
        plan, (_, result) = Plan(graph, SPREAD), graph.outputs[0]
        ones = {slot: SPREAD.one for slot, meant in symbols.items() if meant == zero}
        known = [{slot: self.value(meant, k) for slot, meant in symbols.items()} for k in range(len(self.truths))]
        growths = ((plan.values({**each, **ones})[result], plan.values(each)[result]) for each in known)
        return [SPREAD.number(one) - SPREAD.number(other) for one, other in growths]


class StudentNumbers:
    """The numbers of the rows judged so far, and what follows from them for quantities that are not written.

    `corrected` is the corrected program, `usual` how the answer writes its numbers, `here` the place of the row that is
    judged. `has_steps` says that the answer has values on the way to the results; values that it lacks may then be
    rounded, too. `coarse` has quantities whose numbers have so few digits that nothing can follow from them, `right`
    those with a number that no wrong row has influenced, in a row of their own or of a quantity that they equal,
    `derived` those with a right formula.
    """

    def __init__(self, corrected: RowProgram, usual: Habit, has_steps: bool) -> None:
        """Start without numbers; `corrected`, `usual` and `has_steps` are as in the class."""
        self.corrected, self.sheet, self.usual, self.here = corrected, corrected.corrected_sheet, usual, 0
        self._written: dict[Resolved, dict[int, OwnNumber]] = {}
        self._is_affected = False  # whether a wrong row is remembered
        self._has_steps, self._is_fine = has_steps, usual.unit <= _FINE
        self._links: dict[tuple[Resolved, bool], OwnNumber] = {}  # what is not written, in the corrected program or not
        # what a row had before it was written anew
        self._set_aside: tuple[Resolved | None, dict[int, OwnNumber]] = None, {}
        self.coarse, self.right, self.derived = set[Resolved](), set[Resolved](), set[Resolved]()

    def is_above(self, case: RowCase) -> bool:
        """Return whether a formula of a row, as in `zbar = pbar`, is only a quantity of `right` and not of `coarse`."""
        named = {symbols.get(graph.outputs[0][1]) for graph, symbols in case.formulas}
        return not named.isdisjoint(self.right - self.coarse)

    def remember_right(self, case: RowCase, *, follows: bool, affected: bool) -> None:
        """Add the quantity of a row to `derived` if its formula is right (`follows`), and to `right` unless a wrong row
        has `affected` it.

        For `right` the row must show a number or arithmetic; or its formula must be right, and a formula of it be only
        the name of such a quantity (`is_above`).
        """
        self.derived |= {case.quantity} if follows else set()
        if not affected and (case.number is not None or (follows and self.is_above(case))):
            self.right.add(case.quantity)

    def is_derived(self, quantity: Resolved, symbols: Mapping[int, Resolved]) -> bool:
        """Return whether the quantity has a right formula in a row above, and none of `symbols` is an input."""
        return quantity in self.derived and {each.slot for each in symbols.values()}.isdisjoint(
            self.sheet.inputs.values()
        )

    @contextmanager
    def without_coarse(self) -> Iterator[None]:
        """Forget the numbers of `coarse` quantities as long as the context lasts, as if they were not written."""
        kept, links = self._written, self._links
        self._written, self._links = {each: versions for each, versions in kept.items() if each not in self.coarse}, {}
        try:
            yield
        finally:
            self._written, self._links = kept, links

    @contextmanager
    def assuming(self, quantity: Resolved, number: OwnNumber, hidden: Resolved) -> Iterator[None]:
        """Take `number` as the written number of a quantity without one, and `hidden` as not written, as long as the
        context lasts."""
        kept, links = self._written, self._links
        self._written, self._links = {**kept, quantity: {-1: number}, hidden: {}}, {}
        try:
            yield
        finally:
            self._written, self._links = kept, links

    def set_aside(self, quantity: Resolved) -> None:
        """Forget the numbers of a quantity until `remember` is called for it; only of the last quantity set aside they
        come back."""
        self._set_aside = quantity, self._written.pop(quantity, {})

    def remember(self, quantity: Resolved, number: OwnNumber | None) -> None:
        """Store `number` as the student's number of a quantity, at the row that is judged (`here`), instead of an
        earlier one.

        Numbers of the quantity that were set aside (`set_aside`) are restored first. None stores nothing; only a stored
        number clears the cache of implied numbers.
        """
        again, versions = self._set_aside
        if again == quantity:
            self._written[again] = versions
            self._set_aside = None, {}
        if number is not None:
            self._written.setdefault(quantity, {})[self.here] = number
            self._is_affected = self._is_affected or number.affected
            self._links.clear()

    def own(self, quantity: Resolved) -> OwnNumber | None:
        """Return the number that the student wrote for `quantity`; None if it is not written, or is set aside.

        Of several numbers it is that of the nearest row above the row that is judged (`here`, not included), or else
        that of the lowest row. Of an adjoint it is always the latter, since its rows add up. Numbers are set aside by
        `set_aside`.
        """
        if not (versions := self._written.get(quantity)):
            return None
        before = [place for place in versions if place < self.here] if quantity.kind != BAR else []
        return versions[max(before)] if before else versions[max(versions)]

    def number(self, quantity: Resolved, program: RowProgram | None = None) -> OwnNumber:
        """Return, as an OwnNumber, the number that a student had for a quantity in `program` (None: the corrected one).

        The first that applies:
        - the number written;
        - a partial: `_own_partial`, or else the one computed from the student's operands;
        - a tangent or adjoint: what the student's rows imply, if a wrong row has influenced that;
        - `program` has incorrect rows: the value in it, affected if its interval does not meet that of the truth;
        - else the truth, unaffected. An unwritten tangent or adjoint is widened by the rounding of its step (`_widen`),
          and to include what the rows imply.
        """
        if (own_number := self.own(quantity)) is not None:
            return own_number
        program = program or self.corrected
        cell = program.sheet.cells.get(quantity.slot)
        if quantity.kind == PARTIAL and cell is not None:
            values, affected = self.leaves(cell)
            slope = cell.partials(values).get(quantity.by, SPREAD.zero)
            return self._own_partial(cell, quantity.by) or OwnNumber(slope, affected or quantity.slot in program.wrong)
        link = self._implied_by_rows(quantity, program)
        if link is not None and link.affected:
            return link
        right = self.corrected.truth(quantity)
        if program.wrong:
            value = program.value(quantity)
            return OwnNumber(value, not value.meets(right))
        exact = self._widen(quantity, right)
        if link is None:
            return OwnNumber(exact, False)
        return OwnNumber(Spread(min(exact.low, link.spread.low), max(exact.high, link.spread.high)), False)

    def _implied_by_rows(self, quantity: Resolved, program: RowProgram) -> OwnNumber | None:
        """Return the unwritten tangent or adjoint `quantity` that follows from the student's rows in `program`.

        It is affected if a wrong row influenced a number used. None for values and partials, and if the rows give no
        number. None also if no wrong row has been judged so far and the answer's usual last place is coarser than 0.01:
        then the truth is as good.
        """
        if quantity.kind not in (DOT, BAR) or not (self._is_affected or self._is_fine):
            return None
        link = self._implied_number(quantity, program)
        return link if link.spread.known else None

    def _widen(self, quantity: Resolved, exact: Spread) -> Spread:
        """Return `exact` widened by half a unit of the usual last place, if it is the tangent or adjoint of a step.

        The caller has found no number for the step. Unchanged for values, partials, inputs, outputs and exact zeros, if
        that last place is coarser than 0.01, and if `exact` ends within the usual places (5.5, by `_round`).
        """
        is_step = quantity.slot in self.sheet.cells and quantity.slot not in self.sheet.outputs.values()
        if quantity.kind not in (DOT, BAR) or not is_step or not self._is_fine or exact.low == exact.high == 0:
            return exact
        return self._round(exact)

    def _slope(self, partial: Spread, factor: Spread) -> Spread:
        """Return an unwritten local derivative, widened (`_round`) if the tangent or adjoint `factor` is exact.

        Unchanged if `factor` is 1 or -1, or an interval with a width, or the usual last place is coarser than 0.01.
        """
        is_exact = factor.low == factor.high and factor not in (SPREAD.one, -SPREAD.one)
        return self._round(partial) if is_exact and self._is_fine else partial

    def _round(self, value: Spread) -> Spread:
        """Return `value` widened by half a unit of the usual last place, unless it ends within the usual places: 5.5
        needs no rounding."""
        unit = max(float(self.usual.unit), _LEAST)
        count = value.middle / unit
        ends = abs(count) < _EXACT and max(value.high / unit - count, abs(count - round(count))) < _ENDS
        return value if ends else value + Spread(-unit / 2, unit / 2)

    def symbol_number(self, quantity: Resolved, program: RowProgram | None = None) -> OwnNumber:
        """Return what the student had for a symbol in a formula, where unwritten values may have been rounded.

        An unwritten value is computed by its row in the corrected program from the values of its operands, which may be
        unwritten, too. Each unwritten one is widened by half a unit of the usual last place, unless it ends within the
        usual places (`_round`). It is affected if a written value that it uses is. In these cases `number` is returned
        instead:
        - a derivative, an input, and a written value;
        - a value whose `number` in `program` (default: the corrected one) is affected by a wrong row;
        - every symbol, if the usual last place is coarser than 0.01.
        """
        cells = self.sheet.cells
        if quantity.kind != VALUE or quantity.slot not in cells or not self._is_fine or self.own(quantity) is not None:
            return self.number(quantity, program)
        known: dict[int, OwnNumber] = {}

        def lacking(slot: int) -> list[int]:
            return [x for x in cells[slot].leaves if x in cells and x not in known and not self.own(Resolved(VALUE, x))]

        for slot in postorder(quantity.slot, lacking):
            leaves = {x: known.get(x) or self.number(Resolved(VALUE, x)) for x in cells[slot].leaves}
            value = cells[slot].value({x: own_number.spread for x, own_number in leaves.items()})
            known[slot] = OwnNumber(self._round(value), any(own_number.affected for own_number in leaves.values()))
        number = self.number(quantity, program)
        return number if number.affected else known[quantity.slot]

    def _implied_number(self, quantity: Resolved, program: RowProgram) -> OwnNumber:
        """Return the tangent or adjoint `quantity`, which is not written, as it follows from the student's rows.

        In the OwnNumber `spread` is its interval, unknown if the rows give no value; `affected` says that a wrong row
        influenced it. Unwritten tangents of operands, or adjoints of users, are computed first. Results are kept in
        `_links`, separately for the corrected program, until the next number is remembered.
        """
        known, keep = self._links, program is self.corrected

        def lacking(slot: int) -> list[int]:
            used = used_directly(quantity._replace(slot=slot), program.sheet)
            return [each.slot for each in used if (each, keep) not in known and self.own(each) is None]

        if (quantity, keep) not in known:
            for slot in postorder(quantity.slot, lacking):
                each = quantity._replace(slot=slot)
                compute = self._implied_tangent if each.kind == DOT else self._implied_adjoint
                known[each, keep] = compute(each, program)
        return known[quantity, keep]

    def _implied_tangent(self, quantity: Resolved, program: RowProgram) -> OwnNumber:
        """Return the tangent `quantity` of a row in `program`, by the chain rule from the student's tangents.

        It is affected if a number used is, or if the row is incorrect in `program`. Local derivatives are computed from
        operands, not from the row's result. The tangent of a step is widened by half a unit of the usual last place
        (`_widen`). For an input it is the true seed, 1 or 0, unaffected.
        """
        if (cell := program.sheet.cells.get(quantity.slot)) is None:
            return OwnNumber(self.corrected.truth(quantity), False)
        tangent = self.tangent(cell, quantity, program, None)
        return tangent._replace(spread=self._widen(quantity, tangent.spread))

    def _implied_adjoint(self, quantity: Resolved, program: RowProgram) -> OwnNumber:
        """Return the adjoint `quantity`: its seed plus the contributions of the rows that use it in `program`.

        The seed is the true one: 1 if the slot is the output `quantity.key`, else 0. The adjoint is affected if a
        contribution is. That of a step is widened by half a unit of the usual last place (`_widen`).
        """
        terms = self.terms(quantity, program)
        seed = SPREAD.one if quantity.slot == program.sheet.outputs.get(quantity.key or "") else SPREAD.zero
        adjoint = seed + total(term.spread for term in terms)
        return OwnNumber(self._widen(quantity, adjoint), any(term.affected for term in terms))

    def _own_partial(self, cell: Cell, by: int) -> OwnNumber | None:
        """Return the student's local derivative of a row with respect to the slot `by`; None if it is not written.

        It is the partial that the student wrote. Without a written partial it is the written tangent of the row for the
        input in `by`, if there is one and all operands of the row are inputs: then this is the same number.
        """
        own_number = self.own(Resolved(PARTIAL, cell.slot, None, by))
        inputs = self.sheet.inputs
        if own_number is None and all(leaf in inputs.values() for leaf in cell.leaves):
            own_number = next((self.own(Resolved(DOT, cell.slot, name)) for name, s in inputs.items() if s == by), None)
        return own_number

    def read(self, kind: str, slot: int, key: str | None) -> Spread:
        """Return the interval of the student's number for a quantity; `key` is the input or output of a derivative."""
        return self.number(Resolved(kind, slot, key)).spread

    def leaves(self, cell: Cell) -> tuple[dict[int, Spread], bool]:
        """Return (the values that the student had for operands of `cell`, by slot; whether a wrong row influenced one).

        A written value is the student's number. An unwritten one is computed in the corrected program: if the answer
        has steps, from the student's numbers, widened by half a unit of the usual last place (if that is 0.01 or finer)
        for each unwritten step on the way (`symbol_number`); if it has none, it is the true value (`number`).
        """
        read = self.symbol_number if self._has_steps else self.number
        numbers = {leaf: read(Resolved(VALUE, leaf)) for leaf in cell.leaves}
        is_affected = any(each.affected for each in numbers.values())
        return {leaf: each.spread for leaf, each in numbers.items()}, is_affected

    def _with_true_values(self, values: Mapping[int, Spread]) -> dict[int, Spread]:
        """Return `values`, by slot, with the true value instead of each value that a wrong row influenced."""
        quantities = {leaf: Resolved(VALUE, leaf) for leaf in values}
        is_wrong = {leaf: self.symbol_number(each).affected for leaf, each in quantities.items()}
        return {x: self.corrected.truth(each) if is_wrong[x] else values[x] for x, each in quantities.items()}

    def tangent(self, cell: Cell, quantity: Resolved, program: RowProgram, result: OwnNumber | None) -> OwnNumber:
        """Return the tangent of a row by the chain rule, from the values, partials and tangents that the student had.

        The sum is over the operands. A written partial replaces the computed one, which may be widened by rounding
        (`_slope`); terms in which the student's tangent is exactly 0 are left out. `result` is the student's number of
        the row if local derivatives are to be computed from it; None if they are computed from operands. The OwnNumber
        is affected in these cases:
        - the row is incorrect in `program`;
        - `result`, a tangent or a written partial is affected; all of these count, even in a term of 0;
        - a value of an operand is affected, and a local derivative would be another one with the true values.
        """
        values, affected = self.leaves(cell)
        partials = cell.partials(values, result=result and result.spread)
        if affected:
            others = cell.partials(self._with_true_values(values))
            affected = not all(_are_same(partials[leaf], others[leaf]) for leaf in cell.leaves)
        total, affected = SPREAD.zero, affected or quantity.slot in program.wrong
        affected = affected or (result is not None and result.affected)
        for leaf in cell.leaves:
            dot = self.number(Resolved(DOT, leaf, quantity.key), program)
            partial = self.own(Resolved(PARTIAL, cell.slot, None, leaf))
            partial = partial or OwnNumber(self._slope(partials[leaf], dot.spread), False)
            if dot.spread != SPREAD.zero:  # a constant exponent moves nothing, though its base may have no logarithm
                total = total + partial.spread * dot.spread
            affected = affected or dot.affected or partial.affected
        return OwnNumber(total, affected)

    def number_of_result(self, cell: Cell, affected: bool, by_results: bool) -> OwnNumber | None:
        """Return the student's number of the row of `cell` if derivatives are to be computed from it (`by_results`).

        None if they are not, or if the number is not written. None also if no wrong row influenced the number although
        one influenced the operands (`affected`): then the number does not follow from them.
        """
        own_number = self.own(Resolved(VALUE, cell.slot)) if by_results else None
        return own_number if own_number is not None and (own_number.affected or not affected) else None

    def terms(self, quantity: Resolved, program: RowProgram, by_results: bool = False) -> list[OwnNumber]:
        """Return the contributions to the adjoint `quantity`, one for each use in a row, with the student's numbers.

        A row that uses the quantity twice, as in x*x, gives two. They come in the order of a reverse sweep in
        `program`; the seed is not among them, terms of 0 are. A partial or tangent that the student wrote
        (`_own_partial`) replaces the computed partial if the row uses the quantity once; a computed one may be widened
        by rounding (`_slope`). With `by_results` local derivatives are computed from the student's results instead of
        the operands. A term is affected in any of these cases:

        - its row is incorrect in `program`, or the adjoint of this row is affected;
        - the written partial is affected;
        - without a written partial: a wrong row influenced the operands or the result, and the local derivative is
          another one with the true values.
        """
        terms: list[OwnNumber] = []
        for user in program.sheet.users(quantity.slot):
            values, wrong = self.leaves(user)
            bar = self.number(Resolved(BAR, user.slot, quantity.key), program)
            result = self.number_of_result(user, wrong, by_results)
            uses = user.uses(values, result=result and result.spread)[quantity.slot]
            wrong = wrong or (result is not None and result.affected)
            own_number = self._own_partial(user, quantity.slot) if len(uses) == 1 else None
            others = user.uses(self._with_true_values(values))[quantity.slot] if wrong else uses
            for use, other in zip(uses, others, strict=True):
                computed = OwnNumber(self._slope(use, bar.spread), wrong and not _are_same(use, other))
                partial = own_number or computed
                affected = partial.affected or bar.affected or user.slot in program.wrong
                terms.append(OwnNumber(bar.spread * partial.spread, affected))
        return terms


def _are_same(one: Spread, other: Spread) -> bool:
    """Return whether two local derivatives are the same interval, so that they do not depend on what differs."""
    return (one.low, one.high) == (other.low, other.high)


def interval_in_use(shown: ShownNumber, truth: Spread, by_rule: Spread) -> Spread:
    """Return the interval of a shown number with which later rows are computed. The first that applies:

    - the number itself is in `truth`: `truth`;
    - it has many digits: all numbers that are rounded or cut off to it, up to a unit of its last place to either side;
    - it is a whole number: its wide interval if that meets `truth` or `by_rule` and the narrow one does not, else the
      narrow one;
    - its narrow interval, unless it has three places or more, if that meets `truth`, else its wide one.
    """
    if truth.meets(SPREAD.number(shown.number.value)):
        return truth
    if shown.has_many_digits:
        return shown.cut_off
    values = [truth, by_rule] if shown.number.unit >= 1 else [truth]
    is_narrow = any(map(shown.narrow.meets, values)) or not (
        shown.number.unit < 1 or any(map(shown.wide.meets, values))
    )
    return shown.narrow if is_narrow and shown.number.unit > _THOUSANDTH else shown.wide


def meet_any(own_numbers: Iterable[OwnNumber], numbers: Iterable[Spread | None]) -> bool:
    """Return whether one of `own_numbers` overlaps one of `numbers`; None and own numbers without a value overlap
    nothing."""
    known = [number for number in numbers if number is not None]
    spreads = [each.spread for each in own_numbers if each.spread.known]
    return any(number.meets(spread) for spread in spreads for number in known)
