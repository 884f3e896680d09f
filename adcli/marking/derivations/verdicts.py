"""Verdicts on an answer that gives formulas: the marks of its rows, and what each requested derivative earns.

A derivative is what the last formula of its derivation says; rows of parts (`u' = 2x`) earn nothing, but an error in
one of them makes the answer wrong, and what follows from it is carried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby, pairwise

from ...errors import AdcliError, Source, Span
from ...graph.order import postorder
from ..model import (
    DERIVATIVE,
    DOT,
    UNDECIDED,
    VALUE,
    Answer,
    Entry,
    LeftOut,
    Mark,
    Marking,
    NotGradable,
    Quantity,
    QuantityMark,
    RowPiece,
    Rules,
    Task,
    verdict_of,
)
from ..slips.catalogue import sentence
from .asked import Asked, quantities, quantity_name, weights
from .claims import Claim, ClaimReader, Naming, symbols_of
from .equalities import (
    CARRIED,
    FOLLOWS,
    RIGHT,
    UNREAD,
    UNSURE,
    WRONG,
    DerivationJudge,
    Derived,
    JudgedFormula,
    Promise,
    moving,
)
from .expected import derivative_name, expected_formula
from .input_functions import Functions
from .lines import statements
from .meanings import Meanings, NamedPart, Stated, Viewpoint
from .spelling import Speller

_NOTHING = Fraction(0)
_ITEMS = 24  # formulas of a derivation that is written as several rows
_PARTS = 40  # of a function that are tried for a name that is not explained
_FOUND = ("correct", "rounding")
_WRONG = ("error", "formula", "unreadable")


def mark_formulas(task: Task, lines: Sequence[tuple[int, str]], rules: Rules, form: str = "text") -> Marking:
    """Return the marking of an answer to a task that asks for formulas; `lines` are pairs (number from 1, text).

    `form` is the answer's format. Raises NotGradable if the answer has no formula that can be marked, or is too long.
    """
    return _FormulaMarker(task, lines, rules, form).marking()


def read_formulas(task: Task, lines: Sequence[tuple[int, str]]) -> Answer:
    """Return how an answer to a task that asks for formulas is read, without verdicts; `lines` as in
    `mark_formulas`.
    """
    return _FormulaMarker(task, lines, Rules(), "text").reading()


def missing_formulas(task: Task, rules: Rules) -> Marking:
    """Return the marking of a task that asks for formulas and has no answer: every quantity is missing."""
    return _FormulaMarker(task, (), rules, "text").summed()


class _FormulaMarker:
    """A marker of one answer; `standing` has for each quantity the derivation that counts and the indices
    of its rows.
    """

    def __init__(self, task: Task, lines: Sequence[tuple[int, str]], rules: Rules, form: str) -> None:
        """Read the statements of an answer; `lines` are pairs (number from 1, text), `form` is the answer's format.

        Raises NotGradable if the problem and its derivatives are too large.
        """
        self.task, self.rules, self.lines = task, rules, lines
        self.asked = quantities(task)
        self.answer = Answer(form, tuple(text for _, text in lines), (), ())
        self.functions = Functions(task.program.graph, tuple(dict.fromkeys(wrt for _, wrt in self.asked)))
        self.found = statements(lines)
        names, called = symbols_of(self.found, self.functions.inputs, self.functions.outputs)
        speller = Speller(tuple(self.functions.inputs), names, called)
        self.meanings = Meanings(self.functions, speller, next(iter(self.functions.outputs)))
        self.reader = ClaimReader(self.meanings, self.asked)
        self.marks: list[Mark] = []
        self.standing: dict[Asked, tuple[Derived, list[int]]] = {}

    # --- the whole answer ---------------------------------------------------------------------------------------------

    def marking(self) -> Marking:
        """Judge all claims of the answer in turn and return its marking.

        Raises NotGradable if there is no formula that can be marked.
        """
        self._define()
        claims = self._claims()
        self._explain(claims)
        self.judge = DerivationJudge(self.functions, self.meanings, self.rules, list(self._promised(claims)))
        for claim in claims:
            if isinstance(claim, Naming):
                self._mark_named(claim)
            else:
                self._mark_claim(claim)
        if not self.marks:
            raise NotGradable(
                "there is no formula in this answer that could be marked",
                label="a formula is a derivative, an equals sign and what it is",
                help=f"write {self._name(self.asked[0])} = …",
            )
        return self.summed()

    def reading(self) -> Answer:
        """Return the answer with an entry for each line of each claim, and the other lines with words in `left_out`."""
        self._define()
        claims = self._claims()
        self._explain(claims)
        entries: list[Entry] = []
        for claim in claims:
            quantity = (
                Quantity(VALUE, claim.definition.name)
                if isinstance(claim, Naming)
                else Quantity(DERIVATIVE, self._called(claim))
            )
            for number, (_, items) in enumerate(groupby(claim.items, key=lambda item: _number(item.piece.span))):
                pieces = tuple(
                    RowPiece(item.piece.span, graph=item.graphs[0] if item.graphs else None, problem=item.problem)
                    for item in items
                )
                span = pieces[0].span if number else claim.span
                entries.append(Entry(quantity, pieces, span.source, span))
        said = {_number(span) for entry in entries for span in (entry.span, *(piece.span for piece in entry.pieces))}
        left_out = tuple(
            LeftOut(Span(0, max(len(text), 1), Source(text, None, number)), "nothing in it is read as a formula")
            for number, text in self.lines
            if number not in said and re.search(r"\w", text)
        )
        return self.answer._replace(entries=tuple(entries), left_out=left_out)

    def summed(self) -> Marking:
        """Return the marking by the marks so far; a mark `missing` is appended for each quantity without a row.

        `first` is the index of the first wrong or unreadable row, else of the first missing one. The answer is not
        gradable if the only doubt is a formula that cannot be decided.
        """
        found: list[QuantityMark] = []
        for quantity, worth in zip(self.asked, weights(self.task, self.rules), strict=True):
            name = self._name(quantity)
            if quantity not in self.standing:
                said = f"{name} is missing"
                expected = self._expected(quantity)
                self.marks.append(Mark(name, "final", "missing", None, feedback=said, expected=expected))
                found.append(QuantityMark(name, (), "missing", _NOTHING, _NOTHING, worth))
                continue
            derived, rows = self.standing[quantity]
            earned, alone = derived.earned * worth, derived.alone * worth
            found.append(QuantityMark(name, tuple(rows), derived.verdict, earned, alone, worth))
        marks = tuple(self.marks)
        first = next((k for k, mark in enumerate(marks) if mark.verdict in _WRONG), None)
        if first is None:
            first = next((k for k, mark in enumerate(marks) if mark.verdict == "missing"), None)
        problem = self._undecided()
        return Marking(
            self.task, self.answer, "not_gradable" if problem else verdict_of(marks, found), marks, first,
            sum((q.earned for q in found), _NOTHING), sum((q.alone for q in found), _NOTHING),
            sum((q.possible for q in found), _NOTHING), problem, tuple(found),
        )  # fmt: skip

    def _undecided(self) -> NotGradable | None:
        """Return the error for an answer whose result can be neither proved nor refuted; None if something else is
        wrong or missing, or if all is decided.
        """
        unsure = any(derived.formulas[-1].status == UNSURE for derived, _ in self.standing.values())
        if not unsure or any(mark.verdict in ("error", "formula", "missing", "carried") for mark in self.marks):
            return None
        return NotGradable(
            UNDECIDED,
            label="neither a proof nor a point decides it",
            help="simplify it, or mark it by hand",
        )

    def _name(self, quantity: Asked) -> str:
        return quantity_name(self.task, quantity)

    def _expected(self, quantity: Asked) -> str:
        return expected_formula(self.task.program.graph, *quantity)

    # --- what the answer says -----------------------------------------------------------------------------------------

    def _define(self) -> None:
        """Store the answer's definitions in `meanings`, and in `misread` what it takes the problem's function for.

        A definition of the function's name (an output, f, y or F) counts as misread if it is neither the function nor a
        part of it, and no definition equals the function; it is then removed from the definitions.
        """
        definitions = self.meanings.definitions
        for place, statement in enumerate(self.found):
            for claim in self.reader.claims(statement, place):
                if isinstance(claim, Naming):
                    definitions.setdefault(claim.definition.name, []).append(claim.definition)
        slots = {name: self._defined(name) for name in definitions}
        functions = self.functions
        outputs = functions.outputs.values()
        if any(slot is not None and functions.same(own, slot) for slot in slots.values() for own in outputs):
            return
        for name, slot in slots.items():
            called = name in functions.outputs or name in ("f", "y", "F")
            of_inputs = all(functions.inputs.keys() >= set(known.parameters) for known in definitions[name])
            if slot is not None and self._is_part(name, slot):
                continue
            if called and of_inputs and slot is not None and functions.depends(slot) <= functions.inputs.keys():
                self.meanings.misread = slot
                del definitions[name]
                return

    def _is_part(self, name: str, slot: int) -> bool:
        """Return whether `slot`, the value of `name`, is a proper part of an output.

        False if the answer has no other name that could be the problem's function.
        """
        functions, meanings = self.functions, self.meanings
        if meanings.speller.symbols | meanings.definitions.keys() <= {name, *functions.inputs}:
            return False
        graph, outputs = functions.graph, functions.outputs.values()
        parts = {s for output in outputs for s in postorder(output, graph.parents.__getitem__) if s != output}
        return any(functions.same(part, slot) for part in parts)

    def _explain(self, claims: Sequence[Claim | Naming]) -> None:
        """Define an unexplained name of a derivation as the only part of the function that makes all its equations
        true.

        Nothing is defined if there is no such part or several, or if the last formula contains the name.
        """
        functions, meanings = self.functions, self.meanings
        for claim in claims:
            if not isinstance(claim, Claim) or claim.output is None or len(claim.items) < 2:
                continue
            if not all(item.graphs for item in claim.items):
                continue
            used = [meanings.names(item.graphs[0]) for item in claim.items]
            own = {claim.name, *functions.inputs, *functions.outputs, *meanings.definitions}
            unknown = set[str]().union(*used) - own
            if len(unknown) != 1 or unknown & used[-1]:
                continue
            (name,) = unknown
            output = functions.outputs[claim.output]
            order = postorder(output, functions.graph.parents.__getitem__)
            parts = [s for s in order if s != output and functions.graph.rows[s] is not None][:_PARTS]
            found = [part for part in parts if self._is_true(claim, NamedPart(name, (), functions.alone(part), 0))]
            if len(found) == 1:
                meanings.definitions[name] = [NamedPart(name, (), functions.alone(found[0]), 0)]

    def _is_true(self, claim: Claim, part: NamedPart) -> bool:
        """Return whether all formulas of a claim equal the true derivative if `part` is the definition of its name."""
        meanings, functions = self.meanings, self.functions
        truth = functions.derived(functions.outputs[claim.output or ""], claim.wrt)
        view = Viewpoint(claim.place, moving(claim), False)
        meanings.definitions[part.name] = [part]
        try:
            slots = [meanings.found(item.graphs[0], view) for item in claim.items]
        finally:
            del meanings.definitions[part.name]
        return all(slot is not None and functions.same(truth, slot) for slot in slots)

    def _defined(self, name: str) -> int | None:
        definition = self.meanings.definitions[name][-1]
        return self.meanings.found(definition.graph, Viewpoint(definition.place, None, False))

    def _claims(self) -> list[Claim | Naming]:
        """Return the claims and definitions of the answer in the order written.

        Formulas without a left side are appended to the claim before them in the same block. Otherwise they count only
        if no claim has a left side; as many of them as there are quantities are assigned to these in order.
        """
        found: list[Claim | Naming] = []
        block = -1
        for place, statement in enumerate(self.found):
            claims = self.reader.claims(statement, place)
            more, last = (claims[0] if claims else None), (found[-1] if found else None)
            bare = isinstance(more, Claim) and more.bare and statement.left is None
            if (
                bare
                and isinstance(more, Claim)
                and isinstance(last, Claim)
                and statement.block == block
                and self._goes_on(last, more)
            ):
                found[-1] = last._replace(items=(*last.items, *more.items))
            else:
                found += claims
            block = statement.block if claims else block
        explicit = any(isinstance(claim, Claim) and claim.output and not claim.bare for claim in found)
        lone = [place for place, claim in enumerate(found) if isinstance(claim, Claim) and claim.bare]
        if not explicit and len(lone) == len(self.asked) > 1:  # a list, in the order in which they are asked for
            for at, (output, wrt) in zip(lone, self.asked, strict=True):
                alone = found[at]
                if isinstance(alone, Claim) and alone.output is None:
                    found[at] = alone._replace(output=output, wrt=wrt)
        kept = [claim for claim in found if not (isinstance(claim, Claim) and claim.bare and explicit)]
        kept = [claim for claim in kept if not (isinstance(claim, Claim) and claim.bare and claim.output is None)]
        return [self._by_its_letter(claim) if isinstance(claim, Claim) else claim for claim in kept]

    def _by_its_letter(self, claim: Claim) -> Claim:
        """Return a rule with its own letter, `(ln u)' = 1/u`, as the derivative by that letter; unchanged if that is
        not true.
        """
        functions, meanings = self.functions, self.meanings
        letters = set() if claim.output is not None or claim.of is None else meanings.names(claim.of)
        if claim.of is None or len(letters) != 1 or len(claim.wrt) != 1 or meanings.unknown(claim.of) != list(letters):
            return claim
        (letter,) = letters
        view = Viewpoint(claim.place, letter, False)
        try:
            truth = meanings.slope_of(claim.of, (letter,), view, 0)
        except AdcliError:
            return claim
        found = [meanings.found(item.graphs[0], view) if item.graphs else None for item in claim.items]
        is_true = found and all(slot is not None and functions.same(truth, slot) for slot in found)
        return claim._replace(wrt=(letter,)) if is_true else claim

    def _goes_on(self, claim: Claim, more: Claim) -> bool:
        """Return whether the formulas of `more`, which have no left side, continue `claim`.

        True if the claim has a left side, or if its last formula equals the first one of `more`.
        """
        if not claim.items or not more.items:
            return not claim.bare
        if not claim.bare:
            return True
        view = Viewpoint(claim.place, moving(claim), False)
        one, other = (
            [slot for graph in item.graphs if (slot := self.meanings.found(graph, view)) is not None]
            for item in (claim.items[-1], more.items[0])
        )
        return any(self.functions.same(a, b) for a in one for b in other)

    def _promised(self, claims: Sequence[Claim | Naming]) -> Iterator[Promise]:
        """Yield the derivatives of parts that the answer states anywhere; their `slot` is the part, not the
        derivative.
        """
        for claim in claims:
            if isinstance(claim, Claim) and claim.output is None and claim.of is not None and claim.wrt and claim.items:
                of = self.meanings.found(claim.of, Viewpoint(claim.place, None, False))
                last = next((item.graphs[0] for item in reversed(claim.items) if item.graphs), None)
                if of is not None and last is not None:
                    yield Promise(claim, Stated(of, claim.name, claim.wrt, of), last)

    # --- rows ---------------------------------------------------------------------------------------------------------

    def _mark_named(self, named: Naming) -> None:
        """Append the mark of a definition: an error if its formulas differ, or if it misstates the problem's function.

        No mark if none of its formulas can be resolved, and none for a name of the misread function that has another
        value.
        """
        definition, functions, meanings = named.definition, self.functions, self.meanings
        name, view = definition.name, Viewpoint(definition.place, None, False)
        read = [(item, meanings.found(item.graphs[0], view)) for item in named.items if item.graphs]
        slots = [(item, slot) for item, slot in read if slot is not None]
        for (_, before), (item, slot) in pairwise(slots):
            if not functions.same(before, slot):
                self._row(name, "error", item.piece.span, f"{name}: this is not equal to what stands before it")
                return
        if not slots:
            return
        if meanings.misread is not None and name not in meanings.definitions:
            if functions.same(slots[-1][1], meanings.misread):
                self._row(name, "error", named.span, f"{name} is not the function of the problem")
            return
        self._row(name, "correct", named.span, "")

    def _row(self, name: str, verdict: str, span: Span, feedback: str) -> None:
        formula = "right" if verdict == "correct" else "wrong"
        self.marks.append(Mark(name, VALUE, verdict, span, formula=formula, feedback=feedback))

    def _mark_claim(self, claim: Claim) -> None:
        """Append the marks of a claim and keep it as the one that counts for its quantity.

        An earlier derivation of the same quantity is judged again together with this one if this one is not correct on
        its own; otherwise its rows become superseded. Nothing is marked if the claim is about no known derivative.
        """
        if claim.output is None and not claim.wrt:
            found = self._adopted(claim)
            if found is None:
                return
            claim = found
        quantity = None if claim.output is None else (claim.output, claim.wrt)
        derived = self.judge.judged(claim)
        if derived is None:
            return
        rows: list[int] = []
        if quantity in self.asked and quantity is not None and quantity in self.standing:
            before, rows = self.standing[quantity]
            together = len(before.claim.items) + len(claim.items) <= _ITEMS
            choice = any(item.choice for item in claim.items)
            if together and (derived.verdict not in _FOUND or choice):  # lines of one derivation
                whole = self.judge.judged(before.claim._replace(items=(*before.claim.items, *claim.items)))
                if whole is not None:
                    derived, rows = whole, self._without(rows)
            for row in rows:
                self.marks[row] = self.marks[row]._replace(verdict="superseded", feedback="", slips=())
        first = len(self.marks)
        self._rows(derived, quantity if quantity in self.asked else None)
        if quantity in self.asked and quantity is not None:
            self.standing[quantity] = derived, [*rows, *range(first, len(self.marks))]
        self.judge.state(derived)

    def _without(self, rows: Sequence[int]) -> list[int]:
        """Remove the rows from the end of `marks` and return []; if they are not the last ones, return them
        unchanged.
        """
        if rows and list(rows) == list(range(rows[0], len(self.marks))):
            del self.marks[rows[0] :]
            return []
        return list(rows)

    def _adopted(self, claim: Claim) -> Claim | None:
        """Return a chain without a target as a claim about the requested derivative that its first formula equals; None
        if none.
        """
        if not claim.items or not claim.items[0].graphs:
            return None
        for output, wrt in self.asked:
            slot = self.meanings.found(claim.items[0].graphs[0], Viewpoint(claim.place, wrt[0], False))
            if slot is not None and self.functions.same(self.functions.truths[output, wrt], slot):
                return claim._replace(output=output, wrt=wrt)
        return None

    def _rows(self, derived: Derived, quantity: Asked | None) -> None:
        """Append the marks of a derivation, one for each line of the answer; lines without a verdict get none.

        `quantity` is the derivative that the task asks for (kind final), None for another one (kind dot). Slips are
        attached to the first wrong line.
        """
        name, kind = self._called(derived.claim), "final" if quantity else DOT
        expected = "" if quantity is None or derived.verdict in _FOUND else self._expected(quantity)
        slipped = False
        lines = [list(line) for _, line in groupby(derived.formulas, key=_line)]
        for number, line in enumerate(lines, 1):
            found, verdict = self._line_verdict(derived, line, last=number == len(lines), slipped=slipped)
            if verdict is None:
                continue
            first = verdict in ("error", "formula") and not slipped
            slipped = slipped or first
            after = first and found is not derived.formulas[0]
            slips = derived.slips if first else ()
            said = _words(name, verdict, found, slips, after)
            self.marks.append(
                self._mark(name, kind, verdict, found, slips, said, "" if verdict in _FOUND else expected)
            )

    def _line_verdict(
        self, derived: Derived, line: Sequence[JudgedFormula], last: bool, slipped: bool
    ) -> tuple[JudgedFormula, str | None]:
        """Return the formula that the verdict on a line is about, and the verdict; None as the verdict if the line gets
        no mark.

        `line` are the formulas of `derived` on that line, `last` says that it is the last line, `slipped` that a line
        before it is wrong.
        """
        end = next((found for found in reversed(line) if found.status != UNREAD), line[-1])
        wrong = next((found for found in line if found.status == WRONG), None)
        if wrong is not None:
            chosen = any(found.item.choice for found in line)
            return wrong, "formula" if end.status == RIGHT and not chosen else "error"
        if end.status in (UNREAD, UNSURE):
            return end, "unreadable" if derived.verdict == "unreadable" else None
        if end.status in (FOLLOWS, CARRIED):
            is_wrong = last and not slipped and derived.verdict == "error"
            return end, "error" if is_wrong else "carried"
        if last and (derived.verdict in ("rounding", "missing") or (derived.verdict == "formula" and not slipped)):
            return end, derived.verdict
        return end, "correct"

    def _mark(
        self, name: str, kind: str, verdict: str, found: JudgedFormula, slips: tuple[str, ...], said: str, expected: str
    ) -> Mark:
        """Return the mark of a row with its earned fractions by `verdict`.

        `name` is the derivative's name, `kind` final or dot, `found` the formula to underline, `said` the feedback,
        `expected` the correct formula.
        """
        shares = {"formula": self.rules.formula, "carried": self.rules.method}
        share = Fraction(verdict in _FOUND) or shares.get(verdict, _NOTHING)
        formula = "right" if verdict in _FOUND else "wrong" if verdict in ("error", "formula", "carried") else "absent"
        alone = _NOTHING if verdict == "carried" else share
        return Mark(
            name, kind, verdict, found.item.piece.span, slips, formula, "absent", said, share, alone, expected
        )  # fmt: skip

    def _called(self, claim: Claim) -> str:
        count = len(self.functions.inputs)
        return derivative_name(claim.output or claim.name or "(…)", claim.wrt, count)


def _line(found: JudgedFormula) -> int:
    return _number(found.item.piece.span)


def _number(span: Span) -> int:
    return span.source.position(span.start)[0]


def _words(name: str, verdict: str, found: JudgedFormula, slips: Sequence[str], after: bool) -> str:
    """Return the feedback on a row of a derivation with this `verdict`; empty for a correct row without a note.

    `name` is the derivative's name, `slips` are names in the catalogue, `after` says that the wrong formula is not the
    first one of the derivation.
    """
    if verdict in ("error", "formula"):
        said = [sentence(slip) for slip in slips]
        told = said[0] if len(said) == 1 else "one of these: " + "; or ".join(said) if said else found.note
        where = "this is not equal to what stands before it" if after else ""
        if verdict == "formula":
            where = "the result is right, but one of the equations before it is not"
        if not where and not told:
            where = "this is not the derivative; look at it again"
        return f"{name}: {': '.join(part for part in (where, told) if part)}"
    if verdict == "carried":
        return f"{name} follows from an earlier slip: the step itself is right"
    if verdict == "missing":
        return f"{name} is not worked out to the end"
    if verdict == "unreadable":
        return f"{name}: {found.note}" if found.note else f"{name} has no formula that could be read"
    return f"{name}: {found.note}" if found.note else ""
