"""Evidence in an answer: what its symbols mean, their true values, and the numbers that the student had. A row means a
quantity (value, tangent, adjoint or partial of a slot) or nothing; places are indices of rows. The program is corrected
(each wrong row has its right formula) or as written; a number is affected if a wrong row influenced it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

from ...answers.answer_model import BAR, DECIMAL_COMMA, DOT, VALUE, Entry, RowPiece, Task
from ...answers.shown_numbers import ROUNDED, Rounded, ShownNumber, habit, shown
from ...graph.graph import Graph
from ...graph.order import ancestors
from ...graph.tape import evaluate, literal_value
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.exact import read_fraction
from ...typings import TYPE_CHECKING
from ..programs.alignment import align
from ..programs.composing import Alignment
from ..programs.contributions import MOST_CONTRIBUTIONS, Contributions, Expected, Follows, RowCase, last_rows
from ..programs.resolving import PARTIAL, Resolved, Resolver, cells_of, mentions, used_directly
from ..programs.substitutions import absolute_constants, exact_constants, has_number_of_step, is_evaluated, with_inputs
from ..programs.uncorrected_program import AsWritten, Followed
from ..programs.value_rows import is_sum, shown_number
from ..programs.worksheet import ProblemCache, same, total, uses_of
from .student_numbers import OwnNumber, RowProgram, StudentNumbers, interval_in_use, meet_any

if TYPE_CHECKING:
    from ...table.arithmetic import Evaluating

Formula = tuple[Graph, Mapping[int, Resolved]]  # with the quantities of its inputs, by slot


class Evidence:
    """One answer to a task, read as a program, with the numbers of the rows judged so far (`numbers`).

    `corrected` is the program with incorrect rows corrected, `as_written` as written (None: no row is incorrect)."""

    def __init__(self, task: Task, entries: Sequence[Entry], alignment: Alignment | None = None) -> None:
        """Align the rows of an answer with the problem, unless `alignment` is given, and evaluate the program.

        `quantities` has the quantity of each entry in order, None for a row that means nothing. `truths` are the
        solutions at all sample points, the problem's first. `usual` says to which places the answer's numbers are
        usually written. `names` are all names of inputs, rows and symbols, `kinds` the kinds of `quantities`; `read` is
        that of the numbers."""
        self.entries = entries
        self.alignment = alignment or align(task, entries, mentions(entries, task.at))
        self.sheet = self.alignment.sheet
        self.names = {*self.sheet.inputs, *mentions(entries, ()), *(entry.quantity.name for entry in entries)}
        solved = self.sheet.solved
        self.truths = solved.truths
        self.usual = habit(number for entry in entries if (number := shown_number(entry)) is not None)
        self.resolver = Resolver(task, self.alignment, entries, self.truths[0], self.usual)
        keys, meaning = self.resolver.keys(entries), self.resolver.resolve_row
        self.quantities = [meaning(entry.quantity, keys.get(place)) for place, entry in enumerate(entries)]
        self._last = last_rows(entries, self.quantities)
        self._first = {entry.quantity: place for place, entry in reversed([*enumerate(entries)])}
        self.kinds = {quantity.kind for quantity in self.quantities if quantity is not None}
        contributions = Contributions(self.sheet, self.truths, solved.terms)
        self.corrected = RowProgram(self.sheet, self.truths, contributions, self.sheet, solved.formulas)
        self.as_written = self._build_written_program()
        self.programs = [program for program in (self.corrected, self.as_written) if program is not None]
        self.numbers = StudentNumbers(self.corrected, self.usual, self._has_steps())
        self._rule: tuple[RowCase, OwnNumber] | None = None  # the last row compared with its rule, and what that gives
        self.read = self.numbers.read
        # sizes of numbers: -3 in a formula is the negative of 3
        self._plain = {Fraction(x) for x in (0, 1, 2)} | set(absolute_constants(task.program.graph))
        self._counts_of_inputs = {abs(x) for value in task.at.values() if (x := read_fraction(str(value))) is not None}
        self._written = Counter(
            x for entry in entries for x in {abs(p.number.value) for p in entry.pieces if p.number is not None}
        )

    def _has_steps(self) -> bool:
        """Return whether some row with a piece, readable or not, is of a step: neither an input nor an output."""
        steps = self.sheet.cells.keys() - self.sheet.outputs.values()
        filled = (each for each, entry in zip(self.quantities, self.entries, strict=True) if entry.pieces)
        return any(each.slot in steps for each in filled if each is not None)

    def _build_written_program(self) -> RowProgram | None:
        """Return the program as the student wrote it, with its own truths and contributions.

        Rows in `alignment.slots_as_written` have their incorrect formulas; one that so would need its own row, directly
        or not, stays corrected. None if no incorrect one remains."""
        if not self.alignment.slots_as_written:
            return None
        written = AsWritten(self.sheet, self.alignment.slots_as_written)
        if not written.wrong:
            return None
        truths = [Followed(written, truth) for truth in self.truths]
        contributions = Contributions(written, truths, {})
        return RowProgram(written, truths, contributions, self.sheet, ProblemCache(), written.wrong)

    def has_several(self, kind: str) -> bool:
        """Return whether derivatives of `kind` (dot or bar) have several keys: inputs that move, or outputs."""
        return len({quantity.key for quantity in self.quantities if quantity is not None and quantity.kind == kind}) > 1

    def has_number(self, quantity: Resolved) -> bool:
        """Return whether any piece of any row gives a number, or arithmetic on numbers alone, for `quantity`."""
        rows = (entry for other, entry in zip(self.quantities, self.entries, strict=True) if other == quantity)
        pieces = (piece for entry in rows for piece in entry.pieces)
        return any(piece.number is not None or (piece.graph is not None and not piece.quantities) for piece in pieces)

    def working(self, place: int) -> tuple[bool, frozenset[Resolved]]:
        """Return (whether a piece of the row at `place` shows how its number is computed, quantities in its formulas).

        A formula without the row's own quantity shows it (of an adjoint any formula), and arithmetic without the row's
        number. The set has the quantities of all formulas, also the row's own; names without a meaning are skipped. It
        is empty if a piece is arithmetic, which may contain substituted values. (False, empty) without a meaning."""
        quantity, pieces = self.quantities[place], self.entries[place].pieces
        used: set[Resolved] = set()
        for piece in pieces:
            if piece.graph is not None and quantity is not None:
                used.update(self._resolve(piece, piece.graph, quantity)[0].values())
        if any(piece.graph is not None and not piece.quantities for piece in pieces):
            used.clear()  # the substituted values are there
        return any(self._is_working(piece, place) for piece in pieces), frozenset(used)

    def find_renamed_rows(self, place: int) -> list[int]:
        """Return the places of the rows that compute what the row at `place` only gives another name, as `y = v3` does.

        The row at `place` must be a single symbol, alone or with a number after it, which is not its own symbol but
        means the same quantity. The places, above and below in the order written, are those of the quantity's other
        rows with a number or working. [] if there are none, and if the row at `place` is not as said."""
        quantity, entry = self.quantities[place], self.entries[place]
        is_named = len(entry.pieces) == 1 or (len(entry.pieces) == 2 and entry.pieces[1].number is not None)
        piece = entry.pieces[0] if quantity is not None and is_named else None
        if quantity is None or piece is None or piece.graph is None or entry.quantity in piece.quantities.values():
            return []
        meant = self._resolve(piece, piece.graph, quantity)[0]
        if meant.get(piece.graph.outputs[0][1]) != quantity:
            return []
        return [k for k in self._shown_rows[quantity] if k != place]

    @cached_property
    def _shown_rows(self) -> dict[Resolved | None, list[int]]:
        """Return {quantity: places of its rows with a number or working, as written}; None are rows without meaning."""
        rows: dict[Resolved | None, list[int]] = {quantity: [] for quantity in self.quantities}
        for place, quantity in enumerate(self.quantities):
            if any(piece.number or self._is_working(piece, place) for piece in self.entries[place].pieces):
                rows[quantity].append(place)
        return rows

    def _is_working(self, piece: RowPiece, place: int) -> bool:
        """Return whether `piece` shows how the number of the row at `place` is computed.

        A formula does, unless it uses the row's own quantity; of an adjoint it always does. Arithmetic does, unless a
        constant in it is exactly the row's number, with either sign. False without a graph or a meaning of the row."""
        quantity, number = self.quantities[place], shown_number(self.entries[place])
        if piece.graph is None or quantity is None:
            return False
        if piece.quantities:
            return quantity.kind == BAR or quantity not in self._resolve(piece, piece.graph, quantity)[0].values()
        return number is None or abs(number.value) not in set(absolute_constants(piece.graph))

    def truth(self, quantity: Resolved, k: int = 0, program: RowProgram | None = None) -> Spread:
        """Return the true value of a quantity at point `k` in `program` (default: the corrected one)."""
        return (program or self.corrected).truth(quantity, k)

    @cached_property
    def untaken(self) -> frozenset[int]:
        """Return the slots of rows that results of the corrected program need only in branches not taken at point 0."""
        graph = self.sheet.graph.copy()
        graph.outputs = list(self.sheet.outputs.items())
        point = self.sheet.places[0]
        values = evaluate(graph, SPREAD, {slot: point[name] for name, slot in self.sheet.inputs.items()})
        needed = ancestors(graph, self.sheet.outputs.values())
        return frozenset(slot for slot in self.sheet.cells if needed[slot] and values[slot] is None)

    def case(self, place: int, program: RowProgram | None = None) -> RowCase:
        """Return all that the row at `place` is judged by, in `program` (default: the corrected one), as a RowCase.

        The row must mean something (`quantities[place]` is not None). Sets `numbers.here` to `place`. In the RowCase:
        - `truths`: true values in `program`, of an adjoint the sums in `expected`. If the task's kink weight is between
          two slopes, those of a derivative are undefined at all points but the problem's;
        - `values`: those of its formulas at all points, with values of `program`, not the student's numbers;
        - `exact`: the value of its last arithmetic; None if it shows a number, is `unread` (decimal comma) or has none;
        - `expected`: of an adjoint the contributions that this row seems to contain (not stored here), else None;
        - `problem`: that of the first piece with one; `strange`: some row of the answer has the unknown name."""
        program = program or self.corrected
        self.numbers.here = place
        quantity, entry = self.quantities[place], self.entries[place]
        assert quantity is not None  # only rows that mean something are judged  # noqa: S101
        formulas, arithmetic, unknown = self._formulas(entry, quantity)
        number = shown_number(entry)
        seen = None if number is None else shown(number, self.usual)
        problems = [piece.problem for piece in entry.pieces if piece.problem is not None]
        unread = number is None and any(problem.help == DECIMAL_COMMA for problem in problems)
        last_sum = arithmetic if number is None and not unread else None
        exact = None if last_sum is None else _result(last_sum, {}, self._rounded(last_sum))
        last = self._last[quantity] <= place
        alone = quantity.kind == BAR and not last and any(self._is_alone(f, quantity, seen) for f in formulas)
        values = [program.formula_values(graph, symbols, quantity, alone) for graph, symbols in formulas]
        expected = None
        if quantity.kind == BAR:
            nothing = number is not None and not number.value and len(entry.pieces) == 1
            expected = program.contributions.expected(quantity, last, seen.wide if seen else exact, values, nothing)
            narrow = None if seen is None else seen.narrow
            expected = self._choose_contributions(quantity, expected, narrow, formulas, program)
        points = range(len(self.truths))
        truths = [self.truth(quantity, k, program) for k in points] if expected is None else [*expected.truths]
        if quantity.kind != VALUE and self.sheet.task.is_between_slopes:
            truths[1:] = [SPREAD.undefined] * (len(truths) - 1)
        problem = next(iter(problems), None)
        strange = bool(unknown) and any(each.quantity.name == unknown for each in self.entries)
        return RowCase(quantity, truths, formulas, values, unknown, seen, exact, expected, unread, problem, strange)

    def _rounded(self, arithmetic: Graph) -> Rounded:
        """Return the Rounded in which decimals of `arithmetic` are intervals, of what rounds to them; one is a point if
        it is exactly the true value of an input, a step of the problem or a row with a number (`exact_constants`)."""
        rows = zip(self.quantities, map(shown_number, self.entries), strict=True)
        shown = [(self.truth(each), number) for each, number in rows if each is not None and number is not None]
        steps = (each[0] for each in self.alignment.reference_prints.values())
        return Rounded(exact_constants(arithmetic, [*self.sheet.places[0].values(), *steps], shown))

    def _formulas(self, entry: Entry, quantity: Resolved) -> tuple[list[Formula], Graph | None, str]:
        """Return (formulas of a row, each with the quantities of its inputs by slot; last arithmetic on numbers; name).

        The arithmetic is None if the row has none. The name is the first without a meaning, or "". Formulas with such a
        name are left out, and those that use the row's own quantity. The latter are kept if the row is an adjoint, and
        their last operation is a sum or difference (`v1bar = v1bar + …`) or it is that of a result (`v5bar = ybar`)."""
        formulas: list[Formula] = []
        arithmetic, unknown = None, ""
        for piece in entry.pieces:
            if piece.graph is None:
                continue
            if not piece.quantities:
                arithmetic = piece.graph
                continue
            symbols, lacking = self._resolve(piece, piece.graph, quantity)
            unknown = unknown or lacking
            is_seed = quantity.slot in self.resolver.results  # v5bar = ybar
            adds = quantity.kind == BAR and (is_seed or is_sum(piece.graph))  # to what it is before
            if not lacking and (adds or quantity not in symbols.values()):  # v1 = v1 says nothing
                formulas.append((piece.graph, symbols))
        return formulas, arithmetic, unknown

    def _choose_contributions(
        self, adjoint: Resolved, expected: Expected, number: Spread | None, formulas: list[Formula], program: RowProgram
    ) -> Expected:
        """Return `expected`, or another choice of the contributions to an adjoint that fits better what is written.

        The first that applies:
        - `expected` is an opening 0; or it is determined, and the student has no number for the adjoint so far or one
          that no wrong row influenced: `expected`.
        - There are no `formulas`: the choice by `number` (`_by_number`), or `expected` if `number` is None.
        - `expected` is determined, or the formulas use no adjoint of a user: `expected`.
        - Otherwise: those in `expected.before`, and the contributions of users whose adjoints the formulas use.

        The fields of `expected` are described at Expected. `program` is the corrected one or that as written."""
        own_number = self.numbers.own(adjoint)
        if expected.opening or (expected.is_determined and (own_number is None or not own_number.affected)):
            return expected
        if not formulas:
            return expected if number is None else self._by_number(adjoint, expected, number, program)
        used = {meant.slot for _, symbols in formulas for meant in symbols.values() if meant.kind == BAR}
        users = uses_of(program.sheet.users(adjoint.slot), adjoint.slot)
        places = frozenset(place for place, user in enumerate(users) if user in used)
        if expected.is_determined or not places:
            return expected
        return program.contributions.of(adjoint, expected.before | places, expected.before)

    def _by_number(self, quantity: Resolved, expected: Expected, number: Spread, program: RowProgram) -> Expected:
        """Return `expected` with the first choice of contributions whose sum meets `number`; unchanged if none does.

        Sums are of the student's numbers in `program`. First the choices of `candidates` are tried, or only
        `expected.chosen` if it is determined; `before` stays. A choice that contains `expected.before` adds the others
        to the number that the adjoint `quantity` has so far; other choices, or all without such a number, are added to
        the seed. Then, if there is such a number, sets of one, two, … contributions (not all; if determined, only of
        `expected.chosen`) are added to it. If a set fits, chosen is `expected.chosen` if determined, else `before` with
        the set; the new `before` is chosen without the set. Unchanged also without 2 to 8 contributions."""
        own_number = self.numbers.own(quantity)
        terms = [term.spread for term in self.numbers.terms(quantity, program)]
        sums, before = program.contributions, expected.before
        if not 1 < len(terms) <= MOST_CONTRIBUTIONS:
            return expected

        def is_sum(base: Spread, places: frozenset[int]) -> bool:
            return number.meets(base + total(terms[place] for place in sorted(places)))

        start = SPREAD.one if expected.seeded else SPREAD.zero
        for chosen in [expected.chosen] if expected.is_determined else sums.candidates(len(terms), before):
            base, added = start, chosen
            if own_number is not None and before <= chosen:
                base, added = own_number.spread, chosen - before
            if is_sum(base, added):
                return sums.of(quantity, chosen, before)
        if own_number is None:
            return expected
        open_to = sorted(expected.chosen) if expected.is_determined else range(len(terms))
        for size in range(1, len(terms)):
            for last in map(frozenset, combinations(open_to, size)):
                if is_sum(own_number.spread, last):
                    whole = expected.chosen if expected.is_determined else before | last
                    return sums.of(quantity, whole, whole - last)
        return expected

    def _resolve(self, piece: RowPiece, graph: Graph, quantity: Resolved) -> tuple[dict[int, Resolved], str]:
        """Return (the quantities of those inputs of the formula `graph` that have a meaning, by slot; a name or "").

        It is the first name without a meaning. If it is the only one, it is read as the worksheet's only constant with
        decimals (its Resolved, the name is ""), g in `m g h` for `m*9.81*h`, if the formula then has the true values of
        `quantity`, that of the row. If no name lacks a meaning, partials are read by `_with_totals`."""
        written = {slot: piece.quantities[symbol] for slot, symbol in graph.inputs.items()}
        resolved = {slot: self.resolver.symbol(each, quantity) for slot, each in written.items()}
        meanings = {slot: each for slot, each in resolved.items() if each is not None}
        lacking = {slot: each.name for slot, each in written.items() if slot not in meanings}
        if not lacking:
            return self._with_totals(graph, meanings, quantity), ""
        constants = self.resolver.decimal_constants()
        if len(constants) == len({*lacking.values()}) == 1:
            letters = {**meanings, **dict.fromkeys(lacking, constants[0])}
            values = self.corrected.formula_values(graph, letters, quantity)
            if same(values, [self.truth(quantity, k) for k in range(len(self.truths))]):
                return letters, ""
        return meanings, next(iter(lacking.values()))

    def _with_totals(self, graph: Graph, symbols: dict[int, Resolved], quantity: Resolved) -> dict[int, Resolved]:
        """Return `symbols` with total derivatives for local partials, if the formula is right only with these.

        `symbols` has the meanings of the inputs of the formula `graph`, by slot, and is returned if that is not so. A
        partial ∂v/∂x becomes the tangent of v if x is an input, or else the adjoint of x if v is a result, all of them
        at once. The formula must then give the truth of `quantity` at all points, and must with `symbols` neither give
        that nor one contribution to an adjoint."""
        inputs, results = self.resolver.input_names, self.resolver.results
        totals = {
            slot: Resolved(DOT, meant.slot, inputs[meant.by])
            if meant.by in inputs
            else Resolved(BAR, meant.by, results[meant.slot])
            for slot, meant in symbols.items()
            if meant.kind == PARTIAL and (meant.by in inputs or meant.slot in results)
        }
        if not totals:
            return symbols
        truths = [self.truth(quantity, k) for k in range(len(self.truths))]
        other = {**symbols, **totals}
        local, whole = (self.corrected.formula_values(graph, each, quantity) for each in (symbols, other))
        is_contribution = quantity.kind == BAR and self.corrected.contributions.is_one(quantity, local)
        return other if same(whole, truths) and not same(local, truths) and not is_contribution else symbols

    def _is_alone(self, formula: Formula, quantity: Resolved, seen: ShownNumber | None) -> bool:
        """Return whether the number of a row such as `x2bar += v2bar*x1` is the increment, not the sum.

        That is so if the formula, with the student's numbers, meets the narrow interval of `seen` with 0 for the
        adjoint `quantity`, but not with its earlier number. False if the row shows no number, or if the adjoint is not
        in the formula or has no earlier number."""
        graph, symbols = formula
        if seen is None or quantity not in symbols.values() or self.numbers.own(quantity) is None:
            return False
        had = {slot: self.numbers.number(meant).spread for slot, meant in symbols.items()}
        added = _result(graph, {slot: SPREAD.zero if symbols[slot] == quantity else x for slot, x in had.items()})
        return seen.narrow.meets(added) and not seen.narrow.meets(_result(graph, had))

    def follows(self, case: RowCase, formula_is_right: bool, program: RowProgram | None = None) -> Follows:
        """Return whether a row's number, or its arithmetic, follows from the student's earlier numbers, as a Follows.

        Values are tried in this order: what the row's rule gives; with `formula_is_right`, its formulas; if none agrees
        and a tangent or adjoint has no wrong formula, the rule with local derivatives from results, as 1 - v² of tanh.
        All are computed with the student's numbers. A value agrees if it meets the number's narrow interval or its wide
        one (with many digits: as cut off; of a brief whole number only narrow unless it is a repeat), or else the
        arithmetic. The fields of the Follows: `meets`; `affected`, whether a wrong row influenced one of the values (of
        the first two kinds, or, if only the last kind agrees, of that one); `by_rule`, the first value that agrees,
        else that of the rule. `program` has the rules (None: the corrected program, and what the rule gives is kept for
        `remember`)."""
        quantity, rule = case.quantity, self.by_rule(case, program)
        if program is None:
            self._rule = case, rule
        own_numbers = [rule]
        if formula_is_right:
            own_numbers += [self._formula_value(each, quantity, program or self.corrected) for each in case.formulas]
        numbers, seen = [case.exact], case.shown
        if seen is not None:
            numbers = [seen.narrow, seen.cut_off if seen.has_many_digits else seen.wide]
            if seen.brief and seen.number.unit >= 1 and (quantity.kind == BAR or self.numbers.own(quantity) is None):
                numbers.pop()  # 10 next to 0.693 is not 9.6
        by = next(filter(lambda number: meet_any([number], numbers), own_numbers), None)
        if by is None and quantity.kind in (DOT, BAR) and (formula_is_right or not case.formulas):
            other = self.by_rule(case, program, by_results=True)
            if meet_any([other], numbers):
                return Follows(True, other.affected, other.spread)
        return Follows(by is not None, any(number.affected for number in own_numbers), (by or rule).spread)

    def is_substituted(self, case: RowCase) -> bool:
        """Return whether the wrong formulas of a row are wrong only by substituted numbers; False if none is wrong.

        With the student's numbers each wrong one must give what the rule gives (False if that has no value). And one of
        these must hold for each; right means equal to `case.truths` at all points, with true values:
        - it contains a number of another row, or is right if constants are numbers of steps or inputs;
        - it is right once one constant is replaced by a symbol that the rule has and it lacks, and whose number in the
          student's rows this constant is, `x̄1 = v̄1/x1 + 5` for v̄2 = 5 (`_lacks_one_symbol`);
        - a right formula of the same row equals it at all points if symbols that only the right one has keep their
          values at the first point: `8x̄` next to `x̄·x/w`; or a row above has one, and it is true at this point."""
        rule, formulas = self.by_rule(case).spread, [*zip(case.formulas, case.values, strict=True)]
        wrong = [formula for formula, values in formulas if not same(values, case.truths)]
        right = [formula for formula, _ in formulas if formula not in wrong]
        for graph, symbols in wrong if rule.known else ():
            own_number = self._formula_value((graph, symbols), case.quantity, self.corrected, ROUNDED).spread
            if not (own_number.known and own_number.meets(rule)):
                return False
            points = self._points(symbols, symbols)
            is_right = self._has_numbers(graph) or self._lacks_one_symbol(graph, symbols, case)
            is_right |= any(is_evaluated(graph, points, g, self._points(meant, symbols)) for g, meant in right)
            is_derived = self.numbers.is_derived(case.quantity, symbols)
            is_right |= is_derived and _result(graph, points[0]).meets(case.truths[0])
            steps = self.alignment.reference_prints.values()
            if not (is_right or has_number_of_step(graph, points, steps, case.truths, self._plain)):
                return False
        return rule.known and bool(wrong)

    def _points(self, symbols: Mapping[int, Resolved], moving: Mapping[int, Resolved]) -> list[dict[int, Spread]]:
        """Return {slot: true value of its symbol} for each point; quantities not in `moving` keep that at the first."""
        free, value = {*moving.values()}, self.corrected.value
        return [{s: value(q, k * (q in free)) for s, q in symbols.items()} for k in range(len(self.truths))]

    def _has_numbers(self, graph: Graph) -> bool:
        """Return whether the formula `graph` of the row at `numbers.here` has a number of another row.

        Numbers are compared exactly, without signs. Those of the problem's formulas, values of inputs and 0, 1, 2 do
        not count, nor those that only this row shows. Rows above and below count."""
        numbers = set(absolute_constants(graph)) - self._plain
        here = [p.number for p in self.entries[self.numbers.here].pieces if p.number is not None]
        student_numbers = {abs(number.value) for number in here}
        return any(self._written[x] > (x in student_numbers) for x in numbers - self._counts_of_inputs)

    def _lacks_one_symbol(self, graph: Graph, symbols: Mapping[int, Resolved], case: RowCase) -> bool:
        """Return whether a formula is right at all points once one of its constants is replaced by a missing symbol.

        The symbol is a value, tangent or adjoint that the row's rule uses and that is not in `symbols`; one that is not
        written and no value counts only if `graph` has a number other than 0, 1, 2 and those of the problem's formulas.
        The student's number of it must meet the constant, with decimals rounded. One is replaced at a time."""
        quantity, own, is_clear = case.quantity, self.numbers.own, not self._plain.issuperset(absolute_constants(graph))
        used = (each for each in self._operands(quantity) if is_clear or each.kind == VALUE or own(each) is not None)
        lacking = [each for each in used if each not in symbols.values()]
        constants = [slot for slot in range(len(graph)) if graph.literal[slot] and slot not in graph.inputs]
        for slot, each in product(constants, lacking):
            if SPREAD.number(literal_value(graph, ROUNDED, slot)).meets(self.numbers.number(each).spread):
                values = self.corrected.formula_values(with_inputs(graph, (slot,)), {**symbols, slot: each}, quantity)
                if same(values, case.truths):
                    return True
        return False

    def is_explained(self, case: RowCase) -> bool:
        """Return whether the row shows a number and one of its formulas gives it, in the student's numbers."""
        values = [self._formula_value(each, case.quantity, self.corrected).spread for each in case.formulas]
        return case.shown is not None and any(each.known and case.shown.wide.meets(each) for each in values)

    def _formula_value(
        self, formula: Formula, quantity: Resolved, program: RowProgram, m: Evaluating[Spread] = SPREAD
    ) -> OwnNumber:
        """Return, as an OwnNumber, the value of a student's formula with the student's numbers, in the arithmetic `m`.

        Each quantity in it has the number that the student had in `program`; a value that is not written is widened by
        rounding. But `quantity` itself, if it has no number yet, is the sum of the contributions before it (an adjoint)
        or 0. Affected if a number used is, or if the row is incorrect in `program`."""
        (graph, symbols), has_number = formula, self.numbers.own(quantity) is not None
        start = OwnNumber(program.contributions.before(quantity)[0] if quantity.kind == BAR else SPREAD.zero, False)
        read = {slot: has_number or meant != quantity for slot, meant in symbols.items()}
        numbers = {s: self.numbers.symbol_number(each, program) if read[s] else start for s, each in symbols.items()}
        value = _result(graph, {slot: each.spread for slot, each in numbers.items()}, m)
        return OwnNumber(value, any(each.affected for each in numbers.values()) or quantity.slot in program.wrong)

    def by_rule(self, case: RowCase, program: RowProgram | None = None, *, by_results: bool = False) -> OwnNumber:
        """Return, as an OwnNumber, what the rule of a row gives with the numbers that the student had in `program`.

        `program` is the corrected one by default. The first that applies:
        - an adjoint is the sum of its contributions;
        - an input has its true value or seed, a partial is the student's own number or the local derivative;
        - a value or tangent that already has a number is that number;
        - a value comes from its formula in the corrected program, a tangent from the chain rule.

        Local derivatives are computed from the operands, or with `by_results` from the results: 1 - v^2 for a tanh."""
        program, quantity = program or self.corrected, case.quantity
        cell = (self if quantity.kind == VALUE else program).sheet.cells.get(quantity.slot)
        if quantity.kind == BAR:
            return self._sum_of_contributions(case, program, by_results)
        if cell is None or quantity.kind == PARTIAL:
            return OwnNumber(self.truth(quantity), False) if cell is None else self.numbers.number(quantity, program)
        if (own_number := self.numbers.own(quantity)) is not None:  # the same row under another name
            return own_number
        values, affected = self.numbers.leaves(cell)
        if quantity.kind == VALUE:
            return OwnNumber(cell.value(values), affected)
        return self.numbers.tangent(cell, quantity, program, self.numbers.number_of_result(cell, affected, by_results))

    def _sum_of_contributions(self, case: RowCase, program: RowProgram, by_results: bool) -> OwnNumber:
        """Return the sum of the student's contributions that an adjoint's row should contain, as an OwnNumber.

        If the row adds to an earlier one (the adjoint has a number, and `expected.before` is a proper subset of
        `expected.chosen`), it is that row's number plus the chosen terms that are not in `expected.before`. If not, it
        is the seed (1 if `expected.seeded`, else 0) plus the terms at `expected.chosen`. With `by_results` local
        derivatives are computed from results. Affected if a number used is, or if the rows that use the adjoint in
        `program` are not those of the corrected program. The truth if the case has nothing `expected`."""
        quantity, expected = case.quantity, case.expected
        if expected is None:
            return OwnNumber(self.truth(quantity), False)
        total, affected, chosen = SPREAD.one if expected.seeded else SPREAD.zero, False, expected.chosen
        own_number = self.numbers.own(quantity)
        if own_number is not None and expected.before < chosen:  # what adds nothing does not follow from itself
            total, affected, chosen = own_number.spread, own_number.affected, chosen - expected.before
        for place, term in enumerate(self.numbers.terms(quantity, program, by_results)):
            if place in chosen:
                total, affected = total + term.spread, affected or term.affected
        users = program.sheet.users(quantity.slot)
        if program.wrong and {user.slot for user in users} != {user.slot for user in self.sheet.users(quantity.slot)}:
            affected = True  # a row that should use it does not, or the other way round
        return OwnNumber(total, affected)

    def holds(self, place: int, rules: Sequence[Spread]) -> bool:
        """Return whether the pieces of the row at `place` are equal, each to the next, within their rounding.

        A formula with names may have its value with the student's numbers, that with true values, or one of `rules`:
        values by the row's rule (empty unless its formulas are right). Two pieces are equal if one value (`meanings`)
        of each meets one of the other. A piece without a value is skipped; True if fewer than two have one."""
        quantity, entry = self.quantities[place], self.entries[place]
        before: list[Spread] = []
        for piece in entry.pieces:
            values = [*self.meanings(piece, quantity), *(rules if piece.quantities else ())]
            values = [each for each in values if each.known]
            if values and before and not any(one.meets(other) for one in values for other in before):
                return False
            before = values or before
        return True

    def has_right_arithmetic(self, place: int, case: RowCase) -> bool:
        """Return whether arithmetic on numbers in the row at `place` has the true value: `2e` in `2e = 7.389`."""
        pieces = (each for each in self.entries[place].pieces if each.graph is not None and not each.quantities)
        return case.truths[0].known and any(case.truths[0].meets(x) for p in pieces for x in self.meanings(p, None))

    def meanings(self, piece: RowPiece, quantity: Resolved | None) -> list[Spread]:
        """Return all intervals that a piece of a row may evaluate to, in no special order; some may be unknown.

        A number has one: of what is rounded to it, or, with decimals, also cut off. Arithmetic has two: exactly, and
        with rounded numbers. A formula has two in each program, corrected and as written: with the student's numbers
        and with the values of that program. [] for a piece that was not read, for a formula if one of its names or the
        row has no meaning, and if it has the row's own quantity and is a single symbol or, of an adjoint, no sum."""
        if piece.number is not None:
            number = shown(piece.number, self.usual)
            return [number.wide if piece.number.unit >= 1 else number.cut_off]  # 10 = 10.693 is false
        if piece.graph is None:
            return []
        if not piece.quantities:
            return [_result(piece.graph, {}), _result(piece.graph, {}, self._rounded(piece.graph))]
        if quantity is None:
            return []
        symbols, lacking = self._resolve(piece, piece.graph, quantity)
        says_nothing = len(piece.graph) == 1 or (quantity.kind == BAR and not is_sum(piece.graph))  # v4bar = 1*v4bar
        if lacking or (says_nothing and quantity in symbols.values()):
            return []
        formula = piece.graph, symbols
        values = [self._formula_value(formula, quantity, program, ROUNDED).spread for program in self.programs]
        return values + [program.formula_values(piece.graph, symbols, quantity)[0] for program in self.programs]

    def is_rounded(self, case: RowCase) -> bool:
        """Return whether the row's rule uses a number of the student that is an interval wider than a point."""
        numbers = map(self.numbers.own, self._operands(case.quantity))
        return any(each is not None and each.spread.low < each.spread.high for each in numbers)

    def _operands(self, quantity: Resolved) -> dict[Resolved, None]:
        """Return the quantities that the rule of `quantity` uses, as keys: values, then tangents or adjoints."""
        values = (Resolved(VALUE, leaf) for cell in cells_of(quantity, self.sheet) for leaf in cell.leaves)
        return dict.fromkeys((*values, *used_directly(quantity, self.sheet)))

    def start_again(self, place: int) -> None:
        """Hide the student's number of the quantity of the row at `place` if an earlier row has the same symbol.

        `remember` for this row restores it and may add another. Numbers of adjoints stay, since their rows add up."""
        quantity = self.quantities[place]
        again = self._first[self.entries[place].quantity] < place
        if again and quantity is not None and quantity.kind != BAR:
            self.numbers.set_aside(quantity)

    def remember(self, case: RowCase, formula: str, affected: bool, student_case: RowCase | None = None) -> None:
        """Store the number that the student has for the quantity of a judged row, for the rows judged after it.

        `case` is the row in the corrected program, `student_case` in the one as written (None: there is none); for both
        is stored which contributions an adjoint's row adds up. A number that `start_again` hid is restored. If the row
        has, or names, a number and is not `affected` by a wrong row, the quantity joins `numbers.right`
        (`remember_right`, which also gets whether `formula` is "right"). The number is:
        - for a number shown its interval (`interval_in_use`; the truth if it is exactly true), if the rule has a value;
        - else the value of the row's arithmetic, with `affected`;
        - else what the rule gives, if `formula` is "right"; else the old number stays."""
        for program, each in ((self.corrected, case), (self.as_written, student_case)):
            if program is not None and each is not None and each.expected is not None:
                program.contributions.remember(each.quantity, each.expected)
        known = self._rule[1] if self._rule and self._rule[0] is case else None
        rule = (known or self.by_rule(case)) if case.shown is not None or case.exact is None else None
        had = rule if formula == "right" else None
        if case.shown is not None and rule is not None:
            had = OwnNumber(interval_in_use(case.shown, case.truths[0], rule.spread), affected)
        elif case.exact is not None:
            had = OwnNumber(case.exact, affected)
        self.numbers.remember(case.quantity, had)
        self.numbers.remember_right(case, follows=formula == "right", affected=affected)


def _result(graph: Graph, point: Mapping[int, Spread], m: Evaluating[Spread] = SPREAD) -> Spread:
    """Return the first output of a graph at a point {slot of an input: number}, in the arithmetic `m`."""
    return SPREAD.number(evaluate(graph, m, point)[graph.outputs[0][1]])
