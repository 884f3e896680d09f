"""Verdicts on an answer that gives formulas: the marks of its rows, and what each requested derivative earns. A
derivation is a derivative with the equal formulas that lead to it, a quantity a requested derivative (output, inputs).
A line that follows from a wrong one is carried.

A derivative is what the last formula of its derivation says; rows of parts (`u' = 2x`) earn nothing, but an error in
one of them makes the answer wrong, and what follows from it is carried.  Unknown parts are names that nothing defines,
such as u in `u' = 2x`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, islice, pairwise

from ...answers.answer_model import DOT, VALUE, Answer, LeftOut, NotGradable, Task, line_of
from ...answers.derivations.derivation_lines import statements
from ...answers.derivations.rows_as_statements import TraceRows, statements_of_rows
from ...answers.formula_reading.answer_symbols import symbols_of
from ...answers.formula_reading.derivation_spelling import Speller
from ...answers.vectors import join_matrices
from ...errors import Source, Span
from ...graph.order import postorder
from ..judging.hint_texts import HINTS, SENTENCES, one_of, sentence, with_swapped_entries
from ..model import UNDECIDED, Mark, Marking, QuantityMark, Rules, sum_up
from . import equalities
from .claims import Claim, ClaimReader, Naming
from .discussion import HIGHER, LIMIT, OTHER_FUNCTION, is_limit, without_equation
from .equalities import DerivationJudge, Derived, JudgedFormula, Promise
from .input_functions import Functions
from .meanings import Meanings, NamedPart, Stated, Viewpoint
from .requested import Target, derivative_name, expected_formula, quantities, quantity_name, weights, written_name

_NOTHING = Fraction(0)
_NO_ROWS = TraceRows()
_ITEMS = 24  # formulas of a derivation that is written as several rows
_RIGHT = ("correct", "rounding")
_CORRECTNESS = {**dict.fromkeys(_RIGHT, "right"), **dict.fromkeys(("error", "formula", "carried"), "wrong")}
_UNREAD = "no formula that the problem requires was recognised in it"
_WRONG = ("error", "formula", "unreadable")


class FormulaMarker:
    """A marker of one answer to a task that asks for formulas: `marking` judges it, `claims` are what it says.

    `sum_marks` alone, without lines, marks every quantity as missing. `standing` has, for each quantity with a row,
    (the derivation that counts, the indices of its marks). `reasons_left_out` has the reasons for what is left out, by
    its span, `departing` the names of rows of the problem in which a wrong copy of its function departs from it.
    """

    def __init__(self, task: Task, lines: Sequence[tuple[int, str]], rules: Rules, rows: TraceRows = _NO_ROWS) -> None:
        """Read the statements of an answer; `lines` are pairs (number from 1, text). Matrices are joined in one line;
        limits are left out, with a reason. The statements are those of `rows` if it has entries, not those of `lines`.

        Raises NotGradable if the problem and its derivatives are too large, RequestError as `differentiations` does."""
        texts = join_matrices([text for _, text in lines])
        lines = [(number, text) for (number, _), text in zip(lines, texts, strict=True)]
        self.task, self.rules, self.lines = task, rules, lines
        self.targets = quantities(task)
        self.answer = Answer("text", tuple(text for _, text in lines), (), ())
        self.functions = Functions(task.program.graph, tuple(dict.fromkeys(wrt for _, wrt in self.targets)))
        inputs = self.functions.inputs
        requested = [*dict.fromkeys(by for _, wrt in self.targets for by in wrt)]
        read = statements_of_rows(rows, requested) if rows.entries else statements(lines, inputs)
        self.statements = [each for each in read if not is_limit(each, inputs)]
        self.reasons_left_out = {each.first.span: LIMIT for each in read if is_limit(each, inputs)}
        names, called = symbols_of(self.statements, inputs, self.functions.outputs)
        results = {rows.result} - {""}
        names |= {each.quantity.name for each in rows.entries}.difference(inputs)
        speller = Speller(tuple(inputs), names, called | results)
        self.meanings = Meanings(self.functions, speller, next(iter(self.functions.outputs)))
        self.meanings.usual |= results
        self.reader = ClaimReader(self.meanings, self.targets)
        self.departing: set[str] = set()
        self.marks: list[Mark] = []
        self.standing: dict[Target, tuple[Derived, list[int]]] = {}

    # --- the whole answer ---------------------------------------------------------------------------------------------

    def marking(self) -> Marking:
        """Judge all claims of the answer in turn and return its marking. Call it once only, as marks are appended.

        The answer in it has no entries (that of `read_as` has); lines without a mark are in its `left_out`. Raises
        NotGradable if no claim or definition gets a mark, or if formulas are too long."""
        claims = self.claims()
        self.judge = DerivationJudge(self.functions, self.meanings, list(self._stated_derivatives(claims)))
        for claim in claims:
            if isinstance(claim, Naming):
                self._mark_named(claim)
            else:
                self._mark_claim(claim)
        marked = {line_of(mark.span) for mark in self.marks if mark.span is not None}
        self.answer = self.answer._replace(left_out=self.unread_lines(marked))
        if not self.marks:
            target = quantity_name(self.task, self.targets[0])
            raise NotGradable(
                "there is no formula in this answer that could be marked",
                label="a formula is a derivative, an equals sign and an expression",
                help=f"the problem has no point, so formulas are expected: write {target} = …; "
                f"for numbers, add a point: @ {self._point_form()}",
            )
        return self.sum_marks()

    def _point_form(self) -> str:
        """Return how a point is written, with the names of the inputs: `x=…, y=…`."""
        return ", ".join(f"{name}=…" for name in self.functions.inputs)

    def unread_lines(self, read: Collection[int]) -> tuple[LeftOut, ...]:
        """Return a LeftOut, with the reason known for its line or else a general one, for each whole line with a letter
        or digit whose number is not in `read`, but not for the begin and end of an environment of LaTeX."""
        lines = [(k, text) for k, text in self.lines if k not in read and any(map(str.isalnum, text))]
        lines = [(k, text) for k, text in lines if not text.strip().startswith((r"\begin{", r"\end{")) or "=" in text]
        spans = ((k, Span(0, max(len(text), 1), Source(text, None, k))) for k, text in lines)
        reasons = {line_of(span): reason for span, reason in self.reasons_left_out.items()}
        return tuple(LeftOut(span, reasons.get(k, _UNREAD)) for k, span in spans)

    def sum_marks(self) -> Marking:
        """Return the marking by the marks made so far. Each quantity without a row gets a mark `missing`, appended.

        A quantity earns its weight times the fraction for the verdict of its derivation, 0 if missing. `first` is the
        index of the first mark that is error, formula or unreadable. If there is no such mark, it is that of the first
        missing one that is worth marks; None without one. The answer is not gradable if `_undecided_error` returns an
        error.
        """
        marked: list[QuantityMark] = []
        called = {output: derived.claim.name or output for (output, _), (derived, _) in self.standing.items()}
        for quantity, worth in zip(self.targets, weights(self.task, self.rules), strict=True):
            name = quantity_name(self.task, quantity)
            if quantity in self.standing:
                derived, rows = self.standing[quantity]
                earned = self.rules.fraction(derived.verdict) * worth
                alone = _NOTHING if derived.verdict == "carried" else earned
                own_name = written_name(derived.claim, self.functions.inputs)
                marked.append(QuantityMark(name, tuple(rows), derived.verdict, earned, alone, worth, own_name))
            else:
                own_name = quantity_name(self.task, (called.get(quantity[0], quantity[0]), quantity[1]))
                text, expected = SENTENCES["missing"].format(own_name), self._expected(quantity)
                marked.append(QuantityMark(name, (len(self.marks),), "missing", _NOTHING, _NOTHING, worth, own_name))
                self.marks.append(Mark(name, "final", "missing", None, feedback=text, expected=expected))
        self.marks = [*with_swapped_entries(dict(enumerate(self.marks))).values()]
        wrong = [k for k, mark in enumerate(self.marks) if mark.verdict in _WRONG]
        missing = [k for each in marked if each.verdict == "missing" and each.possible for k in each.rows]
        first = next(iter([*wrong, *missing]), None)
        return sum_up(self.task, self.answer, self.marks, first, marked, self._undecided_error())

    def _undecided_error(self) -> NotGradable | None:
        """Return the error for an answer with a result that can be neither proved nor refuted; None if it is gradable.

        Such a result is a requested derivative whose last formula is UNSURE. The answer is gradable if there is none,
        or if a mark is error, formula, missing or carried."""
        unsure = any(derived.formulas[-1].status == equalities.UNSURE for derived, _ in self.standing.values())
        if not unsure or any(mark.verdict in ("error", "formula", "missing", "carried") for mark in self.marks):
            return None
        label = "neither a proof nor a sample point decides it"
        return NotGradable(UNDECIDED, label=label, help="simplify the formula, or mark the answer by hand")

    def _expected(self, quantity: Target) -> str:
        return expected_formula(self.task.program.graph, *quantity)

    # --- what the answer says -----------------------------------------------------------------------------------------

    def _store_definitions(self) -> None:
        """Store the definitions of the answer in `meanings.definitions`, by name, in order.

        When all are stored, those of the discussion (`Meanings.is_discussion`) are removed, with a reason in
        `reasons_left_out`. A wrong copy of the problem's function is moved to `meanings.misread`
        (`_remove_misread_definition`)."""
        definitions, namings, derived = self.meanings.definitions, list[Naming](), len(self.statements)
        for place, statement in enumerate(self.statements):
            for claim in self.reader.claims(statement, place):
                if isinstance(claim, Naming):
                    definitions.setdefault(claim.definition.name, []).append(claim.definition)
                    namings.append(claim)
                elif claim.output is not None:
                    derived = min(derived, place)
        for naming in [each for each in namings if self.meanings.is_discussion(each.definition, derived)]:
            self.reasons_left_out[naming.span] = OTHER_FUNCTION
            rest = [each for each in definitions.pop(naming.definition.name) if each is not naming.definition]
            definitions |= {naming.definition.name: rest} if rest else {}
        self._remove_misread_definition()

    def _remove_misread_definition(self) -> None:
        """Remove the first name whose definition is a wrong copy of the problem's function; its value is `misread`.

        The last definition of each name counts (`Meanings.is_misread`); all definitions of the name are removed from
        `meanings`. Nothing happens if the last definition of some name equals an output.
        """
        definitions = self.meanings.definitions
        last = {name: self.meanings.value_of_definition(known[-1]) for name, known in definitions.items()}
        slots = {name: slot for name, slot in last.items() if slot is not None}
        functions = self.functions
        outputs = functions.outputs.values()
        if any(functions.same(function, slot) for slot in slots.values() for function in outputs):
            return
        for name, slot in slots.items():
            if self.meanings.is_misread(name, slot):
                self.meanings.misread = slot
                del definitions[name]
                self.departing = self._departing_rows(slots)
                return

    def _departing_rows(self, slots: Mapping[str, int]) -> set[str]:
        """Return the names in `slots`, {name: slot of its value}, in which a slip is: they differ from the problem.

        Only names that the problem has too, and that the answer defines, are compared. Of those that differ only these
        are returned whose last definition has no other name that differs directly in its formula."""
        functions, graph = self.functions, self.task.program.graph
        truths = {name: functions.graft(graph, slot, {}) for slot, name in graph.aliases.items()}
        wrong = {name for name, slot in slots.items() if name in truths and not functions.same(truths[name], slot)}
        graphs = {name: self.meanings.definitions[name][-1].graph for name in wrong & self.meanings.definitions.keys()}
        return {name for name, each in graphs.items() if wrong.isdisjoint({*each.inputs.values()} - {name})}

    def claims(self) -> list[Claim | Naming]:
        """Return the claims and definitions of the answer in the order written, after storing its definitions.

        Formulas without a left side continue the claim before them (`_join_claims`) or are bare claims. If a claim
        about an output has a left side, all bare claims are dropped. If not, they are assigned to the requested
        derivatives if their numbers agree (`_assign_requested`), and those about no output are dropped then. A rule
        with its own letter becomes one by that letter (`_by_its_letter`). Equations to solve and the like are removed
        (`_without_discussion`). Undefined names get a meaning (`define_unknown_parts`). What has a reason to be left
        out is dropped at last."""
        self._store_definitions()
        claims = self._join_claims()
        explicit = any(isinstance(claim, Claim) and claim.output and not claim.bare for claim in claims)
        if not explicit:
            self._assign_requested(claims)
        claims = [
            self._by_its_letter(claim) if isinstance(claim, Claim) else claim
            for claim in claims
            if isinstance(claim, Naming) or not claim.bare or (claim.output is not None and not explicit)
        ]
        for place, claim in enumerate(claims):
            if isinstance(claim, Claim):
                claims[place] = self._without_discussion(claim, claims)
        define_unknown_parts(claims, self.functions, self.meanings)
        return [claim for claim in claims if claim.span not in self.reasons_left_out]

    def _without_discussion(self, claim: Claim, claims: Sequence[Claim | Naming]) -> Claim:
        """Return a claim without an equation to solve, `= 0` and all after it (conditions: see `without_equation`).

        A reason goes to `reasons_left_out`, by the claim's span, if nothing of the claim is left, or if it is about an
        output and of a higher order than the task asks for; the latter is returned unchanged. An equation counts as
        solved if some left side of the answer is an input, as in `x = 2`."""
        inputs, reason = self.functions.inputs, None
        if claim.output is not None and len(claim.wrt) > self.task.order:
            reason = HIGHER
        else:
            is_solved = any(each.left is not None and each.left.text in inputs for each in self.statements)
            claim, reason = without_equation(claim, claims, self.functions, is_solved)
        self.reasons_left_out |= {claim.span: reason} if reason else {}
        return claim

    def _assign_requested(self, claims: list[Claim | Naming]) -> None:
        """Give, in place, the bare claims of `claims` that are about no output the requested derivatives, in order.

        Bare claims have no left side. The k-th bare claim gets the k-th requested derivative; one that is about an
        output already counts too but keeps it, and claims with a left side are not counted. Nothing is changed if the
        number of bare claims is not that of the requested derivatives, or is less than 2.
        """
        bare = [place for place, claim in enumerate(claims) if isinstance(claim, Claim) and claim.bare]
        if len(bare) != len(self.targets) or len(bare) < 2:
            return
        for place, (output, wrt) in zip(bare, self.targets, strict=True):
            claim = claims[place]
            if isinstance(claim, Claim) and claim.output is None:
                claims[place] = claim._replace(output=output, wrt=wrt)

    def _join_claims(self) -> list[Claim | Naming]:
        """Return the claims of all statements in order; formulas without a left side are appended to the claim before.

        What is before them must be in the same block, a claim and not a definition, and must have a left side or end in
        a formula that equals their first one (`_continues`). If not so, they are a bare claim of their own."""
        joined: list[Claim | Naming] = []
        block = -1
        for place, statement in enumerate(self.statements):
            claims = self.reader.claims(statement, place)
            last = joined[-1] if joined and statement.block == block else None
            more = claims[0] if claims and statement.left is None else None
            if isinstance(more, Claim) and more.bare and isinstance(last, Claim) and self._continues(last, more):
                joined[-1] = last._replace(items=(*last.items, *more.items))
            else:
                joined += claims
            block = statement.block if claims else block
        return joined

    def _by_its_letter(self, claim: Claim) -> Claim:
        """Return a claim about a rule in a letter of its own, `(ln u)' = 1/u`, as a claim by that letter.

        Its one input to differentiate by becomes the letter, if this is the only name in what is differentiated,
        nothing explains it (`unknowns`), the claim is about no output, and all its formulas equal that derivative. Else
        unchanged."""
        functions, meanings = self.functions, self.meanings
        letters = set() if claim.output is not None or claim.of is None else meanings.names(claim.of)
        if claim.of is None or len(letters) != 1 or len(claim.wrt) != 1 or meanings.unknowns(claim.of) != list(letters):
            return claim
        (letter,) = letters
        by_letter = claim._replace(wrt=(letter,))
        truth = meanings.slope_or_none(claim.of, by_letter.wrt, by_letter.view())
        is_true = claim.items and truth is not None and _are_equal(_slots(by_letter, meanings), truth, functions)
        return by_letter if is_true else claim

    def _continues(self, claim: Claim, more: Claim) -> bool:
        """Return whether `more`, formulas without a left side, continues the derivation `claim`.

        True if `claim` has a left side, or if a reading of its last formula equals a reading of the first one of
        `more`.
        """
        if not claim.bare:
            return True
        readings = (item.graphs for item in (claim.items[-1], more.items[0]))
        one, other = ([self.meanings.slot_or_none(graph, claim.view()) for graph in graphs] for graphs in readings)
        pairs = ((a, b) for a in one for b in other if a is not None and b is not None)
        return any(self.functions.same(a, b) for a, b in pairs)

    def _stated_derivatives(self, claims: Sequence[Claim | Naming]) -> Iterator[Promise]:
        """Yield a Promise for each derivative of a part that the answer states, such as `u' = 2x`.

        It has the claim, the Stated (its `slot` is that of the part u, not of the derivative), and the first reading of
        the last readable formula. Left out are parts that cannot be resolved and claims without a readable formula.
        """
        for claim in claims:
            if isinstance(claim, Claim) and claim.output is None and claim.of is not None and claim.wrt and claim.items:
                of = self.meanings.slot_or_none(claim.of, Viewpoint(claim.place))
                last = next((item.graphs[0] for item in reversed(claim.items) if item.graphs), None)
                if of is not None and last is not None:
                    yield Promise(claim, Stated(of, claim.name, claim.wrt, of), last)

    # --- rows ---------------------------------------------------------------------------------------------------------

    def _mark_named(self, named: Naming) -> None:
        """Append the mark of a definition. The first that applies:

        - Two neighbouring formulas are not seen to be equal: error; the second one is underlined.
        - Its name is in `departing`: error.
        - Its name has no definition left, as it is that of a wrong copy of the problem's function: error (carried if a
          row is `departing`) if the last formula equals `meanings.misread`, else no mark.
        - Else correct. Formulas that cannot be resolved are skipped throughout; no mark if none is left."""
        definition, functions, meanings = named.definition, self.functions, self.meanings
        name, view = definition.name, Viewpoint(definition.place)
        read = [(item, meanings.slot_or_none(item.graphs[0], view)) for item in named.items if item.graphs]
        slots = [(item, slot) for item, slot in read if slot is not None]
        for (_, before), (item, slot) in pairwise(slots):
            if not functions.same(before, slot):
                text = f"{name}: this does not equal the expression before it"
                if not item.graphs[0].inputs:
                    text += f"; if you mean one point, add it to the problem: @ {self._point_form()}"
                self._append_mark(name, "error", item.piece.span, text)
                return
        if not slots:
            return
        if name in self.departing:
            self._append_mark(name, "error", named.span, f"{name} is not {name} of the problem")
            return
        if meanings.misread is not None and name not in meanings.definitions:
            if functions.same(slots[-1][1], meanings.misread):
                text = (
                    SENTENCES["carried"].format(name)
                    if self.departing
                    else f"{name} is not the function of the problem"
                )
                self._append_mark(name, "carried" if self.departing else "error", named.span, text)
            return
        self._append_mark(name, "correct", named.span, "")

    def _append_mark(self, name: str, verdict: str, span: Span, feedback: str) -> None:
        """Append the mark of a definition: kind value, its formula right if the verdict is correct, else wrong."""
        formula = "right" if verdict == "correct" else "wrong"
        self.marks.append(Mark(name, VALUE, verdict, span, formula=formula, feedback=feedback))

    def _mark_claim(self, claim: Claim) -> None:
        """Append the marks of a claim to `marks`, and store its derivation in `standing`, with the indices of all
        marks of the quantity.

        A claim without output and inputs is about the first requested derivative that its first formula equals. An
        earlier derivation of the same quantity is treated by `_with_earlier_lines`. A derivative that is not requested
        gets marks, but no entry in `standing`. Nothing happens for a claim about no known derivative. Later claims may
        use what this one derives."""
        adopted = claim if claim.output is not None or claim.wrt else self._claim_without_target(claim)
        is_unknown = adopted is None or is_of_unknown_part(adopted, self.functions, self.meanings)
        derived = None if adopted is None or is_unknown else self.judge.judge_claim(adopted)
        if adopted is None or derived is None:
            return
        quantity = None if adopted.output is None else (adopted.output, adopted.wrt)
        if quantity not in self.targets:
            self._append_marks(derived, None)
        else:
            derived, rows = self._with_earlier_lines(derived, quantity)
            first = len(self.marks)
            self._append_marks(derived, quantity)
            self.standing[quantity] = derived, [*rows, *range(first, len(self.marks))]
        self.judge.record_statement(derived)

    def _with_earlier_lines(self, derived: Derived, quantity: Target) -> tuple[Derived, list[int]]:
        """Return (the derivation of `quantity` that counts from now on, indices of its earlier marks that stay).

        If `derived` is not right or has alternatives, the formulas of the last derivation of `quantity` and its own, if
        not more than 24, are judged again as one derivation, which then counts; its earlier marks are removed if they
        are the last ones in `marks`. Else `derived` counts alone. Marks that stay are set to superseded here."""
        if quantity not in self.standing:
            return derived, []
        before, rows = self.standing[quantity]
        items = (*before.claim.items, *derived.claim.items)
        choice = any(item.choice for item in derived.claim.items)
        is_one = len(items) <= _ITEMS and (derived.verdict not in _RIGHT or choice)  # lines of one derivation
        if is_one and (whole := self.judge.judge_claim(before.claim._replace(items=items))) is not None:
            derived, rows = whole, self._remove_last_rows(rows)
        for row in rows:
            self.marks[row] = self.marks[row]._replace(verdict="superseded", feedback="", slips=())
        return derived, rows

    def _remove_last_rows(self, rows: list[int]) -> list[int]:
        """Delete the marks with the indices `rows` if they are the last of `marks`; return those that stay."""
        if rows and rows[-1] - rows[0] == len(rows) - 1 and rows[-1] == len(self.marks) - 1:
            del self.marks[rows[0] :]
            return []
        return rows

    def _claim_without_target(self, claim: Claim) -> Claim | None:
        """Return `claim`, such as `2 sin x cos x = sin 2x`, as one about the first requested derivative that it equals.

        Only the first formula, in its first reading, is compared. None if it equals no derivative or cannot be read.
        """
        if not claim.items or not claim.items[0].graphs:
            return None
        for output, wrt in self.targets:
            slot = self.meanings.slot_or_none(claim.items[0].graphs[0], Viewpoint(claim.place, wrt[0]))
            if slot is not None and self.functions.same(self.functions.truths[output, wrt], slot):
                return claim._replace(output=output, wrt=wrt)
        return None

    def _append_marks(self, derived: Derived, quantity: Target | None) -> None:
        """Append the marks of a derivation, one for each line of the answer that has a verdict (`_line_verdict`).

        `quantity` is the requested derivative (kind final), None for another one (kind dot). The slips are in the first
        mark that is error or formula. `expected` is the right formula of `quantity`; "" if `quantity` is None, or if
        the derivation or the mark is right. `earned` is 1 for correct and rounding, `rules.formula` for formula,
        `rules.method` for carried, else 0; `alone` is the same, but 0 for carried. `formula` is "right" for correct and
        rounding, "wrong" for error, formula and carried, else "absent".
        """
        name, kind = self.display_name(derived.claim), "final" if quantity else DOT
        expected = "" if quantity is None or derived.verdict in _RIGHT else self._expected(quantity)
        slipped = False
        lines = [list(line) for _, line in groupby(derived.formulas, key=lambda each: line_of(each.item.piece.span))]
        for number, line in enumerate(lines, 1):
            formula, verdict = self._line_verdict(derived, line, last=number == len(lines), slipped=slipped)
            if verdict is None:
                continue
            first = verdict in ("error", "formula") and not slipped
            slipped = slipped or first
            after, slips = first and formula is not derived.formulas[0], derived.slips if first else ()
            own_name = written_name(derived.claim, self.functions.inputs)
            feedback = _write_feedback(own_name, verdict, formula, slips, after)
            fraction, correctness = self.rules.fraction(verdict), _CORRECTNESS.get(verdict, "absent")
            mark = Mark(name, kind, verdict, formula.item.piece.span, slips, correctness, feedback=feedback)
            mark = mark._replace(earned=fraction, alone=_NOTHING if verdict == "carried" else fraction)
            self.marks.append(mark if verdict in _RIGHT else mark._replace(expected=expected))

    def _line_verdict(
        self, derived: Derived, line: Sequence[JudgedFormula], last: bool, slipped: bool
    ) -> tuple[JudgedFormula, str | None]:
        """Return (the formula to underline, the verdict or None for no mark) for one line of a derivation.

        `line` are the formulas of `derived` on that line, `last` says that it is the last line, `slipped` that an
        earlier line is wrong. The end of the line is its last readable formula. The first that applies:
        - A formula is WRONG: `formula` if the end is RIGHT and the line has no alternatives; if not, error.
        - The end is UNREAD or UNSURE: unreadable if the derivation is unreadable; if not, None.
        - The end is FOLLOWS or CARRIED: error if it ends a derivation that is an error and not `slipped`; if not,
          carried.
        - The end is RIGHT: on the last line rounding, missing or (if not `slipped`) formula, as the derivation is; on
          all other lines, and for other derivations, correct."""
        end = next((formula for formula in reversed(line) if formula.status != equalities.UNREAD), line[-1])
        wrong = next((formula for formula in line if formula.status == equalities.WRONG), None)
        is_end = last and not slipped
        if wrong is not None:
            is_choice = any(formula.item.choice for formula in line)
            return wrong, "formula" if end.status == equalities.RIGHT and not is_choice else "error"
        if end.status in (equalities.UNREAD, equalities.UNSURE):
            return end, "unreadable" if derived.verdict == "unreadable" else None
        if end.status in (equalities.FOLLOWS, equalities.CARRIED):
            return end, "error" if is_end and derived.verdict == "error" else "carried"
        is_last = (last and derived.verdict in ("rounding", "missing")) or (is_end and derived.verdict == "formula")
        return end, derived.verdict if is_last else "correct"

    def display_name(self, claim: Claim) -> str:
        """Return the name of the derivative that a claim is about, as in marks; (…) for a formula."""
        return derivative_name(claim.output or claim.name or "(…)", claim.wrt, len(self.functions.inputs))


def _write_feedback(name: str, verdict: str, formula: JudgedFormula, slips: Sequence[str], after: bool) -> str:
    """Return the feedback on a row of a derivation with this `verdict`; "" for a correct row without a note.

    It begins with `name`, the derivative's. For error and formula it says where the error is, and why: the sentences of
    `slips` (names in the catalogue) as alternatives (`one_of`), or else the note of `formula`. If neither is known, it
    says so. `after`: the wrong formula is not the first one of the derivation; it does not count if the note
    is CHOICE. The verdicts carried, missing and unreadable (without a note) have a sentence each; every other one gives
    the note. Raises KeyError if a slip is not in the catalogue.
    """
    if verdict in ("error", "formula"):
        where = "the result is right, but one of the equations before it is not" if verdict == "formula" else ""
        is_compared = after and formula.note != equalities.CHOICE
        where = where or ("this does not equal the expression before it" if is_compared else "")
        why = one_of([HINTS["formulas"].get(slip) or sentence(slip) for slip in slips]) or formula.note
        return f"{name}: {': '.join(filter(None, (where, why))) or HINTS['derivations']['unexplained']}"
    if verdict in ("carried", "missing") or (verdict == "unreadable" and not formula.note):
        return {**SENTENCES, **HINTS["derivations"]}[verdict].format(name)
    return f"{name}: {formula.note}" if formula.note else ""


# --- unknown parts of the function, such as u in `u' = 2x` ------------------------------------------------------------


_PARTS = 40  # of a function that are tried for a name that is not explained


def define_unknown_parts(claims: Sequence[Claim | Naming], functions: Functions, meanings: Meanings) -> None:
    """Add to `meanings` definitions of names that the answer uses but never defines, such as u in `u' = 2x`.

    A part is an operation in the formula of an output; the first 40 of each are tried. In this order:
    - A name whose derivative is stated is the last part that has this derivative (operands come first).
    - A claim about an output has two or more formulas, all readable, with one unknown name in all of them together, but
      not in the last: the name is the part of this output for which all are true, if just one part is."""
    for claim in claims:
        if isinstance(claim, Claim) and is_of_unknown_part(claim, functions, meanings):
            parts = [part for output in functions.outputs for part in _parts(functions, output, claim.name)]
            fitting = [part for part in parts if _is_true(claim, part, functions, meanings)]
            meanings.definitions |= {claim.name: fitting[-1:]} if fitting else {}
    for claim in claims:
        if not isinstance(claim, Claim) or claim.output is None or len(claim.items) < 2:
            continue
        used = [meanings.names(item.graphs[0]) for item in claim.items if item.graphs]
        known = {claim.name, *functions.inputs, *functions.outputs, *meanings.definitions}
        unknown = set[str]().union(*used) - known
        if len(used) < len(claim.items) or len(unknown) != 1 or unknown & used[-1]:
            continue
        (name,) = unknown
        fitting = [part for part in _parts(functions, claim.output, name) if _is_true(claim, part, functions, meanings)]
        if len(fitting) == 1:
            meanings.definitions[name] = fitting


def is_of_unknown_part(claim: Claim, functions: Functions, meanings: Meanings) -> bool:
    """Return whether a claim is about the derivative of a name that nothing defines, by an input: `u' = 2x`."""
    is_name = claim.of is not None and meanings.unknowns(claim.of) == [claim.name]
    by_input = bool(claim.wrt) and set(claim.wrt) <= functions.inputs.keys()
    return claim.output is None and is_name and by_input and not meanings.definitions.get(claim.name)


def _parts(functions: Functions, output: str, name: str) -> Iterator[NamedPart]:
    """Yield a NamedPart called `name` for each operation in the formula of `output`, operands first; at most 40.

    They have no parameters and the place 0. The output's own operation, inputs and constants are left out.
    """
    whole = functions.outputs[output]
    order = postorder(whole, functions.graph.parents.__getitem__)
    parts = (slot for slot in order if slot != whole and functions.graph.rows[slot] is not None)
    for slot in islice(parts, _PARTS):
        yield NamedPart(name, (), functions.graph_of(slot), 0)


def _is_true(claim: Claim, part: NamedPart, functions: Functions, meanings: Meanings) -> bool:
    """Return whether all formulas of `claim` equal the true derivative if `part` is the definition of its name.

    Each is taken in its first reading. The derivative is that of the output if the claim is about one, else that of the
    part. False if a formula cannot be read or resolved. All definitions of the name are removed from `meanings`
    afterwards, so it must have none before."""
    meanings.definitions[part.name] = [part]
    try:
        whole = functions.outputs[claim.output] if claim.output is not None else meanings.slot(part.graph, claim.view())
        slots = _slots(claim, meanings)
    finally:
        del meanings.definitions[part.name]
    return _are_equal(slots, functions.differentiate(whole, claim.wrt), functions)


def _slots(claim: Claim, meanings: Meanings) -> list[int | None]:
    """Return the slot of the first reading of each formula of a claim; None for one that cannot be read or resolved."""
    graphs = (item.graphs[0] if item.graphs else None for item in claim.items)
    return [None if graph is None else meanings.slot_or_none(graph, claim.view()) for graph in graphs]


def _are_equal(slots: Sequence[int | None], truth: int, functions: Functions) -> bool:
    """Return whether all `slots` are known and agree with the slot `truth` at the sample points."""
    return all(slot is not None and functions.same(truth, slot) for slot in slots)
