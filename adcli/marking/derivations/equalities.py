"""Equalities of a derivation: which formula is the derivative, which follows from the one before, which is wrong. A
formula is RIGHT, WRONG, UNREAD, UNSURE (undecided), CARRIED (from an earlier claim) or FOLLOWS (from a wrong one before
it in the claim); slots are functions in a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import cache

from ...answers.formula_reading.derivation_spelling import Meaning, NamedCall
from ...errors import AdcliError
from ...graph.graph import Graph
from ...graph.order import postorder
from ...records import NamedTuple
from ..slips.wrong_rules import differentiate, wrong_rules
from .claims import ChainItem, Claim
from .input_functions import VISIBLE_IF_ROUNDED, Functions
from .meanings import Meanings, Stated, Viewpoint

# Statuses of a formula of a chain: it is the derivative, equals the wrong formula before it, follows from an earlier
# slip, is wrong, cannot be decided, cannot be read.
RIGHT, FOLLOWS, CARRIED, WRONG, UNSURE, UNREAD = "right", "follows", "carried", "wrong", "unsure", "unread"
ROUNDED = "right within the rounding of its decimal numbers"
CHOICE = "of two different answers neither counts"
_UNSURE = "it cannot be decided whether this is the derivative"
_NOWHERE = "this has no value where the derivative has one"
_SMALLER = "it is right where it has a value, but the derivative has values at other points too"
_POSITIVE = "it is right for positive inputs, but the derivative has other values where inputs are negative"
_HIDDEN = "it agrees with the derivative in double precision, but a part of it is too small to be compared"
_HIDDEN_BY_ROUNDING = f"it may be {ROUNDED}, but the rounding may also hide a wrong part"
_LONG = 4  # digits of a constant of the problem that may be a rounded number
_Slots = Callable[[], Sequence[int]]
_DIAGNOSES = 12  # formulas of an answer whose slips are looked for


class JudgedFormula(NamedTuple):
    """A formula of a claim with its `status` (RIGHT, FOLLOWS, CARRIED, WRONG, UNSURE or UNREAD) and a `note` on it.

    `slots` are (slot in the true reading, slot in the student's reading); () if the formula has no slot. The student's
    reading has the derivatives that the student stated. `unfinished`: it contains a derivative that is not computed.
    """

    item: ChainItem
    status: str
    slots: tuple[int, ...] = ()
    unfinished: bool = False
    note: str = ""


class Derived(NamedTuple):
    """A claim with its judged formulas, its verdict, and the slips (by name) that led to its first error.

    `verdict` is correct, rounding, formula (a wrong formula before the right result), missing, carried, error or
    unreadable.
    """

    claim: Claim
    formulas: tuple[JudgedFormula, ...]
    verdict: str
    slips: tuple[str, ...] = ()


class Promise(NamedTuple):
    """A derivative of a part that an answer gives: the claim, and the graph of its last formula.

    `stated` names the derivative: the part `of`, its `name`, and `wrt`. The `slot` of `stated` is not used.
    """

    claim: Claim
    stated: Stated
    graph: Graph


class DerivationJudge:
    """A judge of the claims of one answer in turn; earlier claims count as stated.

    `computed` are the derivatives (Stated) of parts in whose formulas no derivative is left to compute.
    """

    def __init__(self, functions: Functions, meanings: Meanings, promised: Collection[Promise]) -> None:
        """Start without statements of the answer except `promised`, the derivatives of parts that it gives anywhere."""
        self.functions = functions
        self.meanings = meanings
        self.computed: list[Stated] = []  # derivatives in whose formulas nothing is left to be done
        self._add_computed(promised)
        self.diagnoses = _DIAGNOSES

    def judge_claim(self, claim: Claim) -> Derived | None:
        """Return a claim with each of its formulas judged, in order.

        None if its true derivative is unknown (`_true_derivative`), or if it has no formulas. Later claims may use what
        it derives only after `record_statement`.
        """
        truth = self._true_derivative(claim)
        if truth is None or not claim.items:
            return None
        expected = cache(lambda: [*self._derivatives_after_slips(claim)])  # right formulas do not need them
        formulas: list[JudgedFormula] = []
        for item in claim.items:
            formulas.append(self._judge_formula(item, claim, truth, expected, formulas))
        return self._conclude(claim, tuple(formulas))

    def _true_derivative(self, claim: Claim) -> int | None:
        """Return the slot of the true derivative that a claim is about.

        Of an output it is the requested derivative, or else it is computed. Of a part (`claim.of`) it is the derivative
        of the part's definition. None if the claim has no inputs to differentiate by or nothing known to differentiate,
        or if the part cannot be resolved.
        """
        functions = self.functions
        if claim.output is not None and claim.wrt:
            truth = functions.truths.get((claim.output, claim.wrt))
            return functions.differentiate(functions.outputs[claim.output], claim.wrt) if truth is None else truth
        return self.meanings.slope_or_none(claim.of, claim.wrt, claim.view()) if claim.wrt else None

    def _judge_formula(
        self, item: ChainItem, claim: Claim, truth: int, expected: _Slots, before: Sequence[JudgedFormula]
    ) -> JudgedFormula:
        """Return one formula of a claim with its status and a note.

        `truth` is the slot of the correct derivative, `expected` returns the slots that it would be after earlier
        slips, `before` are the judged formulas of the same claim so far. Undefined names are those that neither the
        problem nor the answer explains (`unknowns`). The first status that applies:
        - UNREAD: no way to read the formula can be resolved; the note is the reason.
        - RIGHT: one way equals `truth`, also within rounding; UNSURE if a part is too small to be seen.
        - UNREAD, but with slots: the formula uses an undefined name and is the first of the claim.
        - CARRIED: it equals one of `expected()`, or a carried formula before it; FOLLOWS: a wrong or following one.
        - UNSURE: equality cannot be decided.
        - UNREAD, without slots: it uses an undefined name.
        - WRONG: none of these; a note says if it has no value where the derivative has one.

        `slots` are those of the reading that fits, else of the first; `unfinished` is that of the first way to read it.
        """
        readings, problem = self._readings(item, claim)
        if not readings:
            return JudgedFormula(item, UNREAD, note=problem.title if problem is not None else "")
        unfinished = bool(self._uncomputed(item.graphs[0], claim))
        right, notes = self._compare_formulas(item, truth, readings, unfinished)
        if right is not None:
            return right
        meanings = self.meanings
        names = [meanings.unknowns(x) if before else meanings.undefined(x, claim.name) for x in item.graphs]
        unknown = next((name for each in names for name in each), None)
        undefined = f"it uses {unknown}, which is not defined"
        if unknown is not None and not before:
            return JudgedFormula(item, UNREAD, readings[0], note=undefined)
        if (following := self._judge_as_following(item, readings, expected, before, unfinished)) is not None:
            return following
        if _UNSURE in notes:
            return JudgedFormula(item, UNSURE, readings[0], unfinished, _UNSURE)
        if unknown is not None:
            return JudgedFormula(item, UNREAD, (), note=undefined)
        return JudgedFormula(item, WRONG, readings[0], unfinished, _NOWHERE if _NOWHERE in notes else "")

    def _readings(self, item: ChainItem, claim: Claim) -> tuple[list[tuple[int, int]], AdcliError | None]:
        """Return (readings, first problem) of a formula.

        Each reading is a pair (slot with true derivatives, slot with the student's), for each way to read the formula
        that can be resolved in both. The problem is the AdcliError of the item, or else of the first way that cannot be
        resolved; None if all ways can be.
        """
        readings: list[tuple[int, int]] = []
        problem, slot = item.problem, self.meanings.slot
        for graph in item.graphs:
            try:
                readings.append((slot(graph, claim.view()), slot(graph, claim.view(own=True))))
            except AdcliError as error:
                problem = problem or error
        return readings, problem

    def _compare_formulas(
        self, item: ChainItem, truth: int, readings: Sequence[tuple[int, int]], unfinished: bool
    ) -> tuple[JudgedFormula | None, set[str]]:
        """Return (the formula judged RIGHT or UNSURE, or None; notes on the comparisons that decided nothing).

        `truth` is the slot of the derivative, `readings` are pairs (true slot, student's slot), of which the student's
        is compared first; `unfinished` is copied. The first that applies:
        - A slot equals `truth`: RIGHT. Its note says if `truth` has values at other points too, or else if equality is
          only seen at sample points.
        - A part is too small to be seen: UNSURE.
        - Every other case: `_compare_loosely`.

        The notes (texts) say: a part is too small, there is no value where the derivative has one, or equality is
        undecided.
        """
        notes: set[str] = set()
        for true, as_stated in readings:
            for slot in (as_stated, true):
                same = self.functions.compare(truth, slot)
                if same.equal:
                    seen = f"equal at {same.points} sample points of the domain; this is not a proof"
                    note = _SMALLER if same.unseen else "" if same.proved else seen
                    return JudgedFormula(item, RIGHT, (true, as_stated), unfinished, note), notes
                if same.hidden or same.nowhere or same.equal is None:
                    notes.add(_HIDDEN if same.hidden else _NOWHERE if same.nowhere else _UNSURE)
        if _HIDDEN in notes:
            return JudgedFormula(item, UNSURE, readings[0], unfinished, _HIDDEN), notes
        return self._compare_loosely(item, truth, readings, unfinished), notes

    def _compare_loosely(
        self, item: ChainItem, truth: int, readings: Sequence[tuple[int, int]], unfinished: bool
    ) -> JudgedFormula | None:
        """Return a formula none of whose `readings` is seen to equal `truth`, judged RIGHT or UNSURE, or None.

        `truth` is the slot of the derivative, `readings` are pairs (true slot, student's slot), `unfinished` is copied.
        The result has the first of `readings`, whichever agrees, and a note for each case. The first that applies:
        - A slot agrees with `truth` for positive inputs (`agrees_if_positive`): RIGHT.
        - A slot equals `truth` within the rounding of its decimals, or of those of `truth` with four digits or more
          (2π for 6.2832): RIGHT, but UNSURE if rounding may hide a part.
        - Neither: None.
        """
        if any(self.functions.agrees_if_positive(truth, slot) for pair in readings for slot in pair):
            return JudgedFormula(item, RIGHT, readings[0], unfinished, _POSITIVE)
        equals, slots = self.functions.equals_if_rounded, [slot for pair in readings for slot in pair]
        near = next((slot for slot in slots if equals(truth, slot) or equals(slot, truth, _LONG)), None)
        if near is not None:
            is_unsure = any(self.functions.has_hidden_part(slot, VISIBLE_IF_ROUNDED) for slot in (truth, near))
            status, note = (UNSURE, _HIDDEN_BY_ROUNDING) if is_unsure else (RIGHT, ROUNDED)
            return JudgedFormula(item, status, readings[0], unfinished, note)
        return None

    def _judge_as_following(
        self, item: ChainItem, readings: Sequence[tuple[int, int]], expected: _Slots,
        before: Sequence[JudgedFormula], unfinished: bool,
    ) -> JudgedFormula | None:  # fmt: skip
        """Return the formula `item` judged CARRIED or FOLLOWS, if it follows from an error; None if it does not.

        `readings` are pairs (true slot, student's slot); the first pair of which a slot fits is kept. Slots are
        compared at the sample points (`same`). The first that applies:
        - A slot equals one of `expected()`, the derivatives after earlier slips: CARRIED.
        - A slot equals one of the previous formula, the last in `before` (those of the same claim) that has slots:
          CARRIED if that formula is CARRIED, or RIGHT and this one equals it as stated, FOLLOWS if it is WRONG or
          FOLLOWS, else None.

        `unfinished` is copied.
        """
        same = self.functions.same
        for pair in readings:
            if any(same(slot, other) for slot in expected() for other in reversed(pair)):
                return JudgedFormula(item, CARRIED, pair, unfinished)
        previous = next((formula for formula in reversed(before) if formula.slots), None)
        if previous is not None and previous.status in (FOLLOWS, WRONG, CARRIED, RIGHT):
            status = FOLLOWS if previous.status in (FOLLOWS, WRONG) else CARRIED
            for pair in readings:
                if any(same(a, b) for a in previous.slots for b in pair):
                    return JudgedFormula(item, status, pair, unfinished)
        return None

    def _add_computed(self, promised: Collection[Promise]) -> None:
        """Add the derivatives to `computed` that those of `promised` state whose last formula computes them.

        A promise counts if no derivative is left to compute in its graph (the last formula); then its `stated` is
        appended. Derivatives in `computed` count as known in the formulas of others, so rounds are repeated until one
        adds none.
        """
        left, count = list(promised), -1
        while len(left) != count:
            open_ones = [promise for promise in left if self._uncomputed(promise.graph, promise.claim)]
            self.computed += [promise.stated for promise in left if promise not in open_ones]
            left, count = open_ones, len(left)

    def _uncomputed(self, graph: Graph, claim: Claim) -> list[int | None]:
        """Return the operands of those derivatives in `graph` that the answer computes nowhere: u for `cos(u) u'`.

        An operand is a slot of the functions, or None if it is unknown; they come in no useful order. [] if no
        derivative is left to compute. The definitions that the formula uses, as valid at the statement of `claim`, and
        the arguments of calls are searched too, but not the operands of derivatives. Primes differentiate by the input
        of `claim`.
        """
        meanings, operands = self.meanings, list[int | None]()
        queue = [(name, claim.place) for name in graph.inputs.values()]
        seen: set[tuple[str, int]] = set()
        while queue:
            name, place = queue.pop()
            if (name, place) in seen:
                continue
            seen.add((name, place))
            meaning = meanings.speller.marks.get(name)
            call = meaning if isinstance(meaning, NamedCall) and not meaning.order else None
            definition = meanings.definition(name if call is None else call.name, place)
            if definition is not None:
                queue += [(inner, definition.place) for inner in definition.graph.inputs.values()]
            if call is not None:
                queue += [(inner, place) for text in call.arguments for inner in meanings.names_in(text)]
            elif meaning is not None:
                operands += self._uncomputed_operand(meaning, claim)
        return operands

    def _uncomputed_operand(self, meaning: Meaning, claim: Claim) -> list[int | None]:
        """Return [the operand] of the derivative `meaning` in a formula of `claim`; [] if the answer computes it.

        The operand is a slot, or None if it is unknown. `g'(x)` is computed if `computed` has a derivative of the name
        g of the same order; if it does not, the operand is None. Another derivative is [None] if its operand cannot be
        resolved, even if it has a name. Else it is computed if its operand is an input, or if `computed` has a
        derivative with respect to the same inputs, in the same order, of the same name or of a function that agrees at
        the sample points. A prime without inputs is by the first input of the claim.
        """
        meanings, known = self.meanings, self.computed
        if isinstance(meaning, NamedCall):
            is_stated = any(stated.name == meaning.name and len(stated.wrt) == meaning.order for stated in known)
            return [] if is_stated else [None]
        inner = meanings.again(meaning.of)
        operand = meanings.slot_or_none(inner, claim.view())
        wrt = meaning.wrt or claim.wrt[:1] * meaning.order
        if operand is None or operand in self.functions.inputs.values():
            return [None] if operand is None else []
        name = meanings.meaning(inner)
        alike = (stated for stated in known if stated.wrt == wrt)
        is_stated = any(stated.name == name or self.functions.same(stated.of, operand) for stated in alike)
        return [] if is_stated else [operand]

    def _derivatives_after_slips(self, claim: Claim) -> Iterator[int]:
        """Yield slots of what the claimed derivative would be if earlier statements of the student were true.

        In this order:
        - of a part that the student defined: its derivative by the student's earlier statements;
        - of an output: the derivative of the misread function, if the student misread it; this then replaces the output
          in what follows;
        - derivatives of each derivative of lower order that the student stated for it, by the remaining inputs;
        - in first order: the sum of dy/du du/dx (`_sum_over_rows`); then, if there are any, its derivative with
          all derivatives of parts by the same input as the student stated them, and the same with each of these alone.

        A misread function or a derivative of lower order that has fewer operations (`size`) than the output is not
        used.
        """
        functions, meanings = self.functions, self.meanings
        if claim.output is None:
            slope = meanings.slope_or_none(claim.of, claim.wrt, claim.view(own=True))
            yield from () if slope is None else (slope,)
        function = self._operand(claim)
        if function is None:
            return
        size = functions.size(function)  # nothing is carried from what is much simpler than the problem
        if claim.output is not None and meanings.misread is not None and functions.size(meanings.misread) >= size:
            function = meanings.misread
            yield functions.differentiate(function, claim.wrt)
        for stated in meanings.stated:
            rest = Counter(claim.wrt) - Counter(stated.wrt)
            is_lower = rest.total() == len(claim.wrt) - len(stated.wrt) > 0
            if is_lower and functions.same(stated.of, function) and functions.size(stated.slot) >= size:
                yield functions.differentiate(stated.slot, tuple(rest.elements()))
        if len(claim.wrt) == 1:
            yield from self._sum_over_rows(claim)
            yield from self._overridden_derivatives(function, claim.wrt)

    def _overridden_derivatives(self, function: int, wrt: Sequence[str]) -> Iterator[int]:
        """Yield the derivative of `function` by the name in `wrt` with all derivatives of parts by it as the student
        stated them, then with each of these alone."""
        stated = [s for s in self.meanings.stated if s.wrt == wrt and not self.functions.same(s.of, function)]
        for overrides in filter(None, [stated, *([each] for each in stated)]):
            yield self._overridden_derivative(function, wrt[0], overrides)

    def _sum_over_rows(self, claim: Claim) -> Iterator[int]:
        """Yield dy/dx as the sum of (dy/du)·(∂u/∂x) over the rows u that use x, or nothing.

        Rows are the names that the answer defines; y itself is one, with dy/dy = 1. If its formula has no name of a
        row, the operations in it that equal a row stand for that row. ∂u/∂x is that of the row alone, in which other
        names stay fixed; dy/du is as the student stated it, or else computed. Names left in the sum get their values as
        the student defined them. `claim` is about the first derivative of y by x. Nothing if no row except y uses x, or
        if something cannot be resolved."""
        meanings, functions, view, of = self.meanings, self.functions, claim.view(own=True), claim.of
        if of is None:
            return
        known = meanings.definitions_at(claim.place)
        fixed = view._replace(symbolic=frozenset(known))
        with suppress(AdcliError):
            slots = {name: meanings.slot(row.graph, fixed) for name, row in known.items()}
            whole = slots.pop(claim.name, None) or meanings.slot(of, fixed)
            slots = {name: slot for name, slot in slots.items() if claim.wrt[0] in functions.depends(slot)}
            if slots and functions.depends(whole).isdisjoint(known):
                whole = meanings.replace_definitions(whole, [*slots], view, 0)
            total = functions.differentiate(whole, claim.wrt)
            for name, slot in slots.items():
                outer = meanings.slope_of(of, (name,), view, 0)
                product = functions.apply("mul", outer, functions.differentiate(slot, claim.wrt))
                total = functions.apply("add", total, product)
            used = functions.depends(total)
            rows = ((functions.symbol(name), row) for name, row in known.items() if name in used)
            values = {symbol: meanings.slot(row.graph, Viewpoint(row.place)) for symbol, row in rows}
            yield from [functions.substitute(total, values)] if slots else []

    def _overridden_derivative(self, slot: int, wrt: str, stated: Sequence[Stated]) -> int:
        """Return the slot of the derivative of `slot` by `wrt` if parts of it had the derivatives in `stated`.

        Each part becomes a symbol. The result is the partial derivative with respect to `wrt` with the symbols fixed,
        plus the sum of the partials with respect to each symbol times the part's stated derivative. A part is an
        operation inside of `slot`, not `slot` itself, that agrees with a stated function at the sample points (the
        first in `stated` counts); of parts inside each other the outer one is replaced. Without any part it is the true
        derivative.
        """
        functions = self.functions
        graph = functions.graph
        leaves: dict[int, int] = {}
        symbols: dict[str, tuple[int, int]] = {}
        for k, fact in enumerate(stated):
            if graph.rows[fact.of] is None:
                continue
            for s in postorder(slot, graph.parents.__getitem__):
                if s not in leaves and graph.rows[s] is not None and s != slot and functions.same(fact.of, s):
                    name = f"\0part{k}"
                    leaves[s] = functions.symbol(name)
                    symbols[name] = s, fact.slot
        if not leaves:
            return functions.differentiate(slot, (wrt,))
        opened = functions.substitute(slot, leaves)
        back = {functions.symbol(name): s for name, (s, _) in symbols.items()}
        total = functions.substitute(functions.differentiate(opened, (wrt,)), back)
        for name, (_, slope) in symbols.items():
            partial = functions.substitute(functions.differentiate(opened, (name,)), back)
            total = functions.apply("add", total, functions.apply("mul", partial, slope))
        return total

    def _conclude(self, claim: Claim, judged: tuple[JudgedFormula, ...]) -> Derived:
        """Return the claim with its verdict and its slips, by the statuses of its formulas `judged`.

        The first verdict that applies:
        - unreadable: all formulas are UNREAD.
        - error: the claim has alternatives (joined by `or`), and any formula is WRONG or an alternative UNREAD; the
          WRONG ones get the note CHOICE.
        - unreadable: the last readable formula is UNSURE.
        - `_conclude_right`: the last readable formula is RIGHT.
        - error: a derivative is left to compute in the last readable formula.
        - error: that formula is just a number or, after a WRONG one, much simpler than the right ones
          (`_is_much_simpler`).
        - error: the derivation does not show a method (`_is_begun`).
        - carried: none of these.

        Slips are those of the first WRONG formula, for alternatives (); only formula, error and carried keep them.
        """
        read = [formula for formula in judged if formula.status != UNREAD]
        wrong = [k for k, formula in enumerate(judged) if formula.status == WRONG]
        choices = [formula.status for formula in judged if formula.item.choice]
        if not read:
            return Derived(claim, judged, "unreadable")
        if choices and (wrong or UNREAD in choices):
            noted = (each._replace(note=CHOICE) if each.status == WRONG else each for each in judged)
            return Derived(claim, tuple(noted), "error")
        slips = self._slips(claim, judged[wrong[0]], judged[: wrong[0]]) if wrong else ()
        last = read[-1]
        if last.status == UNSURE:
            return Derived(claim, judged, "unreadable")
        if last.status == RIGHT:
            return self._conclude_right(claim, judged, last, slips)
        is_little = self._is_much_simpler(last, judged) if wrong else self._is_trivial(last)
        if last.unfinished or is_little or not self._is_begun(claim, judged, wrong):
            return Derived(claim, judged, "error", slips)
        return Derived(claim, judged, "carried", slips)

    def _conclude_right(
        self, claim: Claim, judged: tuple[JudgedFormula, ...], last: JudgedFormula, slips: tuple[str, ...]
    ) -> Derived:
        """Return the claim with its verdict if its `last` readable formula is right.

        The first verdict that applies:
        - missing: each right formula contains a derivative that is not computed (not so in `f_xy = 2x = f_yx`).
        - formula: one of the formulas `judged` is WRONG, or the very last one was parsed but uses an undefined name or
          function; the `slips` are kept.
        - rounding: the last right formula without such a derivative is right only within the rounding of its decimals.
        - correct: none of these.
        """
        last = next((each for each in reversed(judged) if each.status == RIGHT and not each.unfinished), last)
        if last.unfinished:
            return Derived(claim, judged, "missing")
        is_wrong = any(formula.status == WRONG for formula in judged)
        if is_wrong or (judged[-1].status == UNREAD and judged[-1].item.graphs):
            return Derived(claim, judged, "formula", slips)
        return Derived(claim, judged, "rounding" if last.note == ROUNDED else "correct")

    def _is_begun(self, claim: Claim, judged: Sequence[JudgedFormula], wrong: Sequence[int]) -> bool:
        """Return whether a derivation with a wrong end may earn marks for its method.

        `wrong` has the indices of the WRONG formulas in `judged`. True in three cases:
        - there is no WRONG formula (the end follows from earlier slips);
        - the first readable formula is the finished derivative;
        - exactly one formula is WRONG, and one before it shows some of the work (`_is_progress`).
        """
        if not wrong:
            return True
        first = next(formula for formula in judged if formula.status != UNREAD)
        if first.status == RIGHT and not first.unfinished:
            return True
        return len(wrong) == 1 and any(self._is_progress(formula, claim) for formula in judged[: wrong[0]])

    def _is_trivial(self, formula: JudgedFormula) -> bool:
        """Return whether a formula is a number, from which nothing follows."""
        return not self.functions.depends(formula.slots[-1])

    def _is_progress(self, formula: JudgedFormula, claim: Claim) -> bool:
        """Return whether `formula` is right and shows some of the work of `claim`.

        If derivatives in it are left to compute, they must be of known functions with fewer operations than the one
        that the claim differentiates, and the formula must contain a name outside of these derivatives. False if it
        could not be read.
        """
        if formula.status != RIGHT or not formula.item.graphs:
            return False
        if not formula.unfinished:
            return True
        graph = formula.item.graphs[0]
        marks = self.meanings.speller.marks
        size = self.functions.size(self._operand(claim) or 0)
        simpler = all(part is not None and self.functions.size(part) < size for part in self._uncomputed(graph, claim))
        return simpler and any(name not in marks for name in graph.inputs.values())

    def _is_much_simpler(self, wrong: JudgedFormula, before: Sequence[JudgedFormula]) -> bool:
        """Return whether the formula `wrong` is just a number, or has less than half the operations of another one.

        That is the largest right formula in `before`.
        """
        size = max((self.functions.size(formula.slots[0]) for formula in before if formula.status == RIGHT), default=0)
        return self._is_trivial(wrong) or 2 * self.functions.size(wrong.slots[-1]) < size

    def _operand(self, claim: Claim) -> int | None:
        """Return the slot of the function that a claim differentiates; None if it is unknown or cannot be resolved."""
        if claim.output is not None:
            return self.functions.outputs[claim.output]
        return None if claim.of is None else self.meanings.slot_or_none(claim.of, Viewpoint(claim.place))

    def _slips(self, claim: Claim, wrong: JudgedFormula, before: Sequence[JudgedFormula]) -> tuple[str, ...]:
        """Return the names of the wrong rules of differentiation that produce the formula `wrong`; () if none is known.

        In a higher order the rules are looked for in the last differentiation alone, the earlier ones being right. The
        slot in the true reading is compared. They are tried for at most 12 formulas of an answer (`diagnoses` counts
        down, also in the third case). () also in these cases:
        - a formula in `before` is already the finished derivative, `wrong` has no slot, or `claim.wrt` is empty;
        - 12 formulas were tried;
        - what is differentiated is unknown, or `wrong` or `claim.wrt` has names that are not inputs.
        """
        done = any(formula.status == RIGHT and not formula.unfinished for formula in before)
        if done or not claim.wrt or not wrong.slots or self.diagnoses == 0:
            return ()
        self.diagnoses -= 1
        functions = self.functions
        of, inputs = self._operand(claim), functions.inputs.keys()
        is_of_inputs = functions.depends(wrong.slots[0]) <= inputs and inputs >= {*claim.wrt}
        if of is None or not is_of_inputs:
            return ()
        graph = differentiate(functions.graph_of(of), claim.wrt[:-1])
        return wrong_rules(graph, claim.wrt[-1], functions.graph_of(wrong.slots[0]))

    def record_statement(self, derived: Derived) -> None:
        """Store what a claim derives, for the claims after it: its last formula with slots, in the student's reading.

        It is appended to `meanings.stated`, and to `computed` too if no derivative in it is left to compute; earlier
        ones for the same derivative stay. Nothing is stored if no formula has slots, if the claim has no input to
        differentiate by, or if the differentiated function is unknown.
        """
        claim, read = derived.claim, [formula for formula in derived.formulas if formula.slots]
        if read and claim.wrt and (of := self._operand(claim)) is not None:
            stated = Stated(of, claim.name, claim.wrt, read[-1].slots[-1])
            self.meanings.stated.append(stated)
            if not read[-1].unfinished:
                self.computed.append(stated)
