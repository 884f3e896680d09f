"""Verdicts on answers with arrays: each block is one row, judged entry by entry. A block is an array of the problem,
known by its number; a claim is what rows of the answer say about one array, of the kind VALUE or BAR (adjoint), a
helper one about no block. A claim is carried if it is wrong only because another claim is.

The rules are those of numbers: a number means all that rounds to it, a row is compared with the truth and with what
follows from the student's own rows, formulas are compared as functions, and the last row of a quantity counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isclose

from ...answers.answer import no_rows
from ...answers.answer_model import BAR, DERIVATIVE, VALUE, Answer, LeftOut, Numeral, Task
from ...answers.arrays.array_lines import ArrayAnswer, ArrayLine, read_array_answer
from ...answers.arrays.array_texts import MARK
from ...answers.arrays.formula_readings import ReadFormula, readings
from ...answers.collector import NOTHING_READ
from ...answers.row_tokens import names_in
from ...answers.shown_numbers import COARSE, ENOUGH, NOTHING, ROUNDED, as_double, informativeness, shown
from ...arrays.shapes import places, shape_in_words
from ...errors import Span
from ...notation.table_formulas import write_adjoint
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple, grouped
from ...typings import Any
from ..judging.hint_texts import sentence, write_feedback
from ..judging.quantities import Demand, list_quantities
from ..model import CROSSED, GOOD, Mark, Marking, QuantityMark, Rules, sum_up
from ..programs.array_reference import ArrayReference
from .array_claims import ArrayClaim, claims_of, describe_missing, entry_place, last_numbers, sum_numerals
from .array_matching import around
from .jacobian_matching import JacobianMatching

_SMALL = Fraction(1, 100)
_NOISE = 1e-14  # of the largest entry
_HELPER = "the problem has no array of this name"


class _ArrayVerdict(NamedTuple):
    """The verdict on a claim: `verdict`, `formula` and `number` as in a Mark, with slips and feedback.

    `feedback` is empty if these decide it. `place` is the index of the first wrong entry, None if all or no entries are
    meant."""

    verdict: str
    formula: str
    number: str
    slips: tuple[str, ...] = ()
    feedback: str = ""
    place: int | None = None  # of the first wrong entry


def mark_arrays(task: Task, data: bytes | None, name: str, rules: Rules, decimal: str, with_key: bool) -> Marking:
    """Return the marking of an answer to a task with arrays; `data` None is an empty answer.

    A task without a point that asks for formulas is marked by `mark_gradients`. `name` is the file name, `decimal`
    "point" or "comma"; with `with_key` marks have the right numbers. Raises NotGradable if the answer cannot be read or
    has no row."""
    if task.asks_formulas:
        from .gradient_answers import mark_gradients  # few homeworks ask for formulas

        return mark_gradients(task, data, name, rules, decimal, with_key)
    reference = ArrayReference(task)
    read = ArrayAnswer((), [], [])
    if data is not None:
        read = read_array_answer(data, name, task, reference.names, decimal)
        if not read.rows:
            raise no_rows()
    return ArrayJudge(reference, read, rules, with_key).marking()


class ArrayJudge(JacobianMatching):
    """A judge of one answer with arrays.

    `claims` are its rows by array, `called` the student's names of blocks. `wrong` has the (kind, block) of rows that
    are errors or carried, `results` the inputs to differentiate with respect to, `numbered` the (kind, block) of rows
    that show numbers."""

    def __init__(self, reference: ArrayReference, read: ArrayAnswer, rules: Rules, with_key: bool) -> None:
        """Match the rows of `read` with the blocks of `reference`, and add up rows such as `dW += …`.

        `rules` are the marking rules; with `with_key` the marks get the right numbers. `claims` are all rows by array,
        `results` the inputs whose gradients are required, `numbered` the (kind, block) of claims that show numbers;
        `wrong` is empty, and `own` too, until rows are judged."""
        super().__init__(reference, read)
        self.rules, self.with_key = rules, with_key
        self.task = reference.task
        self.wrong: set[tuple[str, int]] = set()
        self.claims = self._add_increments(self.resolve(claims_of(read.rows, reference.has_adjoints)))
        self.results = {*reference.moving_inputs()}
        self.numbered = {(claim.kind, claim.number) for claim in self.claims if claim.numbers}

    def _add_increments(self, claims: Sequence[ArrayClaim]) -> list[ArrayClaim]:
        """Return `claims`, where a row `dW += …` (or `-=`) shows the sum so far instead of only what it adds.

        The sign is that of the claim's last row. Its entries are added to (for `-=`: subtracted from) those of the last
        earlier claim of the same kind and block that has numbers, which may itself be such a sum. Both must have the
        same number of entries. This is done if that row has a single piece, or if its numbers are wrong and the sum is
        right; otherwise, and without an earlier claim, the claim is unchanged."""
        sums: dict[tuple[str, int | None], tuple[Numeral | None, ...]] = {}
        added: list[ArrayClaim] = []
        for claim in claims:
            key, pieces = (claim.kind, claim.number), claim.rows[-1].pieces
            before, sign = sums.get(key), next((piece.sign for piece in pieces if piece.sign), "")
            if sign and before is not None and claim.numbers and len(before) == len(claim.entries):
                total = claim._replace(entries=tuple(map(sum_numerals, before, claim.entries, sign * len(before))))
                is_total_true = self._has_true_numbers(total) and not self._has_true_numbers(claim)
                claim = total if len(pieces) == 1 or is_total_true else claim
            if claim.numbers:
                sums[key] = claim.entries
            added.append(claim)
        return added

    # --- verdicts -----------------------------------------------------------------------------------------------------

    def marking(self) -> Marking:
        """Return the marking: the marks of the rows, sorted by line and column, then of those that are missing; called
        once.

        Claims are judged in their order, helpers too; a superseded claim gets a mark, but is not judged. The first
        error is the first claim with the verdict `error` in that order, values first. Of several rows for a quantity
        the last one in the sorted order counts that is neither superseded nor extra."""
        judged = [(each[0], mark) for each in self._with_superseded() if (mark := self._mark_of(*each)) is not None]
        order = sorted(judged, key=lambda each: (each[1].line or 0, each[1].span.start if each[1].span else 0))
        marks = [mark for _, mark in order]
        places_of: dict[tuple[str, int], int] = {}
        for k, (claim, mark) in enumerate(order):
            if claim.number is not None and mark.verdict not in ("superseded", "extra"):
                places_of[claim.kind, claim.number] = k
        quantities = [*self._quantities([claim for claim, _ in order], places_of, marks)]
        first = next((marks.index(mark) for _, mark in judged if mark.verdict == "error"), None)
        left_out = tuple(sorted(self.left_out, key=lambda each: each.line))
        return sum_up(self.task, Answer("arrays", self.read.lines, (), (), None, left_out), marks, first, quantities)

    def _with_superseded(self) -> Iterator[tuple[ArrayClaim, bool]]:
        """Yield (claim, whether it is superseded) for each claim, values first.

        A claim with numbers is superseded if another claim about the same block counts and has other numbers (by
        value), or none; a helper never is. The last claim about a block counts. If an adjoint is summed in rows W̄ = W̄
        + …, the last of these rows counts if it is true, else the first if that is true (students also write upwards),
        else the last."""
        groups = grouped(((claim.kind, claim.number), claim) for claim in self.claims)
        counting = {key: self._choose_counting(claims) for key, claims in groups.items()}
        for claim in self.claims:
            other = counting[claim.kind, claim.number]
            values = [[entry and entry.value for entry in each.entries] for each in (claim, other)]
            yield claim, claim.number is not None and bool(claim.numbers) and values[0] != values[1]

    def _choose_counting(self, claims: Sequence[ArrayClaim]) -> ArrayClaim:
        """Return the claim that counts among `claims` about one block: the last, but of sums so far a true one.

        Of sums so far only the last and the first are looked at, in this order."""
        sums = list(filter(ArrayClaim.is_sum_so_far, claims))
        ends = (sums[-1], sums[0]) if sums else ()
        return next(filter(self._has_true_numbers, ends), ends[0] if ends else claims[-1])

    def _has_true_numbers(self, claim: ArrayClaim) -> bool:
        return claim.number is not None and self._wrong_places(claim, claim.number) == []

    def _mark_of(self, claim: ArrayClaim, is_old: bool) -> Mark | None:
        """Return the mark of a claim, `superseded` if `is_old`; None for a helper that is left out."""
        if claim.number is None:
            return self._mark_of_helper(claim)
        judged = _ArrayVerdict("superseded", "absent", "absent") if is_old else self._judge_claim(claim)
        return self._mark(claim, judged)

    def _mark_of_helper(self, claim: ArrayClaim) -> Mark | None:
        """Return the mark of a row about no block; None, and the row goes to `left_out`, if it cannot be judged.

        The first that applies: `_judge_jacobian`, if the output is an array, the row has numbers, `differentiated_by`
        gives an input, and a verdict is returned; None for an adjoint, or if no formula can be read; `error`, if the
        row has numbers, and formulas with as many entries, none of which gives these numbers with the student's values;
        else `extra`."""
        number = self.differentiated_by(claim) if self.reference.blocks[self.reference.output].shape else None
        judged = self._judge_jacobian(claim, number) if number is not None and claim.numbers else None
        if judged is not None:
            return self._mark(claim, judged)
        read = self._readings(claim.whole_formulas)
        if claim.kind == BAR or not read:
            is_known = self._block_of(claim.name) is not None  # its other rows are read
            self.left_out.append(LeftOut(claim.span, NOTHING_READ if is_known else _HELPER))
            return None
        evaluated = [each for each in map(self._own_values, read) if len(each) == len(claim.numbers)]
        is_false = evaluated and claim.numbers and not any(self._meets(claim.numbers, each) for each in evaluated)
        words = ("error", "right", "wrong") if is_false else ("extra", "absent", "absent")
        return self._mark(claim, _ArrayVerdict(*words))

    def _judge_jacobian(self, claim: ArrayClaim, number: int) -> _ArrayVerdict | None:
        """Return the verdict, without a place, on derivatives of a result that is an array; None if none is meant.

        Compared are only the entries that the claim means (`_derivatives_meant`: all, or for `∂s1/∂z` one) with respect
        to the input `number`, in two layouts: a row for each entry of the result (tried first), or of the input. True
        numbers in a layout that the claim fits are `correct`, or `formula` if a formula of the row is wrong; few digits
        are no fault. If they are not true, if their digits say NOTHING, or if the shape does not fit, `extra` if any
        row before is an error or carried, else `error`."""
        rows = self._derivatives_meant(claim, number)
        for layout in (rows, [*zip(*rows, strict=True)]):
            entries = [x for row in layout for x in row]
            fits = bool(layout) and claim.fits_shape((len(layout), len(layout[0])))
            are_true = fits and all(map(self._is_true, claim.numbers, map(around, entries)))
            if are_true and NOTHING not in self._digits(claim, entries):
                formula = self._judge_formulas_here(claim, entries)
                return _ArrayVerdict("formula" if formula == "wrong" else "correct", formula, "right")
        words = ("extra", "absent", "absent") if self.wrong else ("error", "absent", "wrong")
        return _ArrayVerdict(*words) if rows else None

    def _judge_claim(self, claim: ArrayClaim) -> _ArrayVerdict:
        """Return the verdict on a claim about a block of the problem, and record it for later rows.

        If the claim has as many numbers as the block, in whatever shape, they are then stored in `own`, right or wrong.
        If the verdict is error or carried, (kind, block) is added to `wrong`."""
        assert claim.number is not None  # the caller has looked  # noqa: S101
        judged, truth = self._verdict(claim, claim.number), self.reference.truth(claim.kind, claim.number)
        if len(claim.numbers) == len(truth):
            self.own[claim.kind][claim.number] = list(map(self._own_number, claim.numbers, truth))
        if judged.verdict in ("error", "carried"):
            self.wrong.add((claim.kind, claim.number))
        return judged

    def _own_number(self, entry: Numeral, truth: float) -> Spread:
        """Return the interval with which later rows are computed from an `entry` that the student wrote.

        It is the single number of the entry in two cases: that number equals `truth` to a relative 1e-14; or `truth` is
        a whole number and the entry, right or wrong, is written to the place of ones. Otherwise it is the wide interval
        of the entry (`shown`): all numbers that round to it as written."""
        number = as_double(entry.value)
        if isclose(number, truth, rel_tol=_NOISE) or (entry.unit == 1 and truth.is_integer()):
            return SPREAD.number(number)
        return shown(entry, self.usual).wide

    def _verdict(self, claim: ArrayClaim, number: int) -> _ArrayVerdict:
        """Return the verdict on a claim about the block `number`, the first that applies.

        Without numbers: `_judge_without_numbers`. error, with slips or, without any, feedback on the shapes: the
        numbers do not fit the shape. missing, with feedback on which: an entry is missing. If all entries are true:
        `_judge_true_numbers`, `odd` if they do not follow from other rows and one of these is wrong. carried or
        rounding (`_judge_following_numbers`): the entries follow from the student's other rows (`_following_entries`),
        and each that is not 0 has digits that say more than NOTHING; beside a wrong formula, a formula must also give
        them from the student's numbers, and a row before must be wrong. Otherwise an error with its slips
        (`_judge_wrong_numbers`)."""
        shape, formula = self.reference.blocks[number].shape, self._judge_formulas(claim, number)
        if not claim.numbers:
            return self._judge_without_numbers(claim, number, formula)
        if not claim.fits_shape(shape):
            slips, called = self._slips(claim, number, claim.shape or ()), claim.called_as()
            shapes = f"{called}: this {shape_in_words(claim.shape or ())}, but {called} {shape_in_words(shape)}"
            return _ArrayVerdict("error", formula, "wrong", slips, "" if slips else shapes)
        if (wrong := self._wrong_places(claim, number)) is None:
            lacking = [place for place, entry in zip(places(shape), claim.entries, strict=True) if entry is None]
            entries = "entry" if len(lacking) == 1 else "entries"
            feedback = f"{claim.called_as()}: missing {entries}: {', '.join(lacking)}"
            return _ArrayVerdict("missing", formula, "absent", feedback=feedback)
        following, is_tainted = self._following_entries(claim, number, formula)
        follows = self._meets(claim.numbers, following)
        if not wrong:
            return self._judge_true_numbers(claim, number, formula, is_tainted and not follows)
        pairs = zip(claim.numbers, following, strict=False)
        is_known = all(not entry.value or informativeness(entry, x) != NOTHING for entry, x in pairs)
        if not follows or not is_known or (formula == "wrong" and not (is_tainted and self._has_own_formula(claim))):
            return self._judge_wrong_numbers(claim, number, formula, wrong)
        return self._judge_following_numbers(claim, formula, is_tainted)

    def _judge_following_numbers(self, claim: ArrayClaim, formula: str, is_tainted: bool) -> _ArrayVerdict:
        """Return the verdict on wrong numbers that follow from the student's other rows.

        `carried` if one of these rows is wrong (`is_tainted`), else `rounding`. `formula` is the verdict on the row's
        formula. The numbers count as "right" if rounding, as "wrong" if carried. Carried numbers that are all 0 get
        feedback that says so, and earn nothing (`_mark`)."""
        if not is_tainted:
            return _ArrayVerdict("rounding", formula, "right")
        is_trivial = not any(entry.value for entry in claim.numbers)
        feedback = write_feedback(claim.called_as(), "trivial", formula, {}, None) if is_trivial else ""
        return _ArrayVerdict("carried", formula, "wrong", feedback=feedback)

    def _judge_wrong_numbers(self, claim: ArrayClaim, number: int, formula: str, wrong: Sequence[int]) -> _ArrayVerdict:
        """Return the error verdict, with slips, on a row whose numbers are wrong and do not follow from other rows.

        `number` is the block, `formula` the verdict on the row's formula, `wrong` the indices of the wrong entries. In
        the result `number` is "wrong", `slips` are names of slips, and `place` is `wrong[0]`. `feedback` is empty,
        except if no slip was found and exactly one of several entries is wrong: then it names that entry."""
        shape = self.reference.blocks[number].shape
        slips, feedback = self._slips(claim, number, shape), ""
        if not slips and len(wrong) == 1 < len(claim.numbers):
            place = f"entry {places(shape)[wrong[0]]}" if claim.shape is not None else "this row"
            is_right = formula == "right"
            where = f"the formula is right, {place} does not follow from it" if is_right else f"look at {place} again"
            feedback = f"{claim.called_as(self._row_at(claim, wrong[0]))}: {where}"
        return _ArrayVerdict("error", formula, "wrong", slips, feedback, wrong[0])

    def _judge_without_numbers(self, claim: ArrayClaim, number: int, formula: str) -> _ArrayVerdict:
        """Return the verdict on a claim without numbers about the block `number`, the first that applies.

        By `formula`, the verdict on its formulas:
        - absent: superseded, if another row has the numbers; error with the slip factor_transposed
          (`_fits_transposed`); else unreadable, with feedback if brackets do not match.
        - wrong: error.
        - right: if it is only the name of another row with numbers (`db = dz`), carried if that row is wrong, else
          correct; missing, if no row has the numbers and `rules.numbers` holds or the block is a result (for a value
          the output, for an adjoint those in `results`); else correct."""
        if formula == "absent" and (claim.kind, claim.number) in self.numbered:
            return _ArrayVerdict("superseded", formula, "absent")
        if formula == "absent" and self._fits_transposed(claim, number):
            return _ArrayVerdict("error", "wrong", "absent", ("factor_transposed",))
        if formula == "absent":
            texts = [piece.text for row in claim.rows for piece in row.pieces]
            is_open = any(text.count("[") != text.count("]") for text in texts)
            feedback = f"{claim.called_as()}: the brackets do not match" if is_open else ""
            return _ArrayVerdict("unreadable", formula, "absent", feedback=feedback)
        renamed = self._block_renamed(claim) if formula == "right" else None
        if renamed in self.numbered:
            return _ArrayVerdict("carried" if renamed in self.wrong else "correct", formula, "absent")
        is_result = number in (self.results if claim.kind == BAR else {self.reference.output})
        needed = (self.rules.numbers or is_result) and (claim.kind, number) not in self.numbered
        return _ArrayVerdict("error" if formula == "wrong" else "missing" if needed else "correct", formula, "absent")

    def _judge_true_numbers(self, claim: ArrayClaim, number: int, formula: str, odd: bool) -> _ArrayVerdict:
        """Return the verdict on a claim whose numbers are all true: the first of these that applies.

        error: the digits of a number say NOTHING (the numbers then count as wrong). formula: `formula`, the verdict on
        the row's formula, is "wrong", or an equation in a row is false; then the formula of the verdict is "wrong".
        does_not_follow: `odd`, the row depends on wrong rows and its numbers do not follow from them. precision: a
        number has too few digits (COARSE). correct. `number` is the block. There are no slips and no feedback."""
        digits = self._digits(claim, self.reference.truth(claim.kind, number))
        if NOTHING in digits:
            return _ArrayVerdict("error", formula, "wrong")
        if formula == "wrong" or not self._equations_hold(claim):
            return _ArrayVerdict("formula", "wrong", "right")
        if odd:
            return _ArrayVerdict("does_not_follow", formula, "right")
        return _ArrayVerdict("precision" if COARSE in digits else "correct", formula, "right")

    def _digits(self, claim: ArrayClaim, entries: Sequence[float]) -> set[str]:
        """Return what the digits of a claim's numbers say of the true `entries` (`_rate_digits`)."""
        noise = _NOISE * max(map(abs, entries), default=0.0)  # what 2 - 1 - 1 may give instead of 0
        truth = (SPREAD.number(x if abs(x) > noise else 0.0) for x in entries)
        return set(map(self._rate_digits, claim.numbers, truth))

    def _rate_digits(self, entry: Numeral, truth: Spread) -> str:
        """Return how much the digits of a true entry say of `truth`: ENOUGH, COARSE (too few digits) or NOTHING.

        If the answer's numbers usually have two places or more, zeros at the end may be left out: if the narrow
        interval (`shown`) meets the truth, a 0 is ENOUGH, and another entry counts as written to the usual places if it
        is true with zeros there (0.3 for 0.30), else to the place of this interval. Then, in every answer: COARSE if it
        has fewer places than `rules.min_places` and is false when zeros are added up to them; otherwise
        `informativeness` decides."""
        rules, number = self.rules, entry
        if self.usual.unit <= _SMALL:
            seen = shown(entry, self.usual)
            is_close = seen.narrow.meets(truth)
            if is_close and not entry.value:
                return ENOUGH
            if is_close:
                number = entry._replace(unit=min(entry.unit, Fraction(seen.unit).limit_denominator(10**12)))
                padded = entry._replace(unit=min(entry.unit, self.usual.unit))  # 0.3 for 0.30
                number = padded if shown(padded, self.usual).wide.meets(truth) else number
        allowed = Fraction(1, 10**rules.min_places) if rules.min_places else Fraction(0)
        if allowed and number.unit > allowed and not shown(entry._replace(unit=allowed), self.usual).wide.meets(truth):
            return COARSE
        return informativeness(number, truth, allowed)

    # --- formulas -----------------------------------------------------------------------------------------------------

    def _judge_formulas(self, claim: ArrayClaim, number: int) -> str:
        """Return `right`, `wrong` or `absent` for the formulas of a claim about a block; wrong if one of them is.

        A formula is right if it is the function of the block `number` at all points. Not counted are formulas without
        names, unreadable ones, and those with numbers or constant helpers in them that are true at the point of the
        task. Absent if no formula counts, and if the claim adds to the adjoint so far (`+=`, W̄ = W̄ + …)."""
        kinds = set()
        if claim.is_sum_so_far() or any(piece.sign for _, piece in claim.formulas):
            return "absent"
        for place, piece in claim.formulas:
            read = [each for each in self._readings([piece]) if each.names]
            if any(self._is_function(each, claim.kind, number, place=place) for each in read):
                kinds.add("right")
            elif read and not any(self._fits_here(each, claim, number, place, "right" in kinds) for each in read):
                kinds.add("wrong")
        return "wrong" if "wrong" in kinds else "right" if kinds else "absent"

    def _fits_transposed(self, claim: ArrayClaim, number: int) -> bool:
        """Return whether a formula that cannot be read is right if one matrix is transposed: `2/3 X r` → `2/3 X^T r`.

        `number` is the block of the claim. At each place of a matrix `^T` is added, or removed if it is there."""
        shapes = {name: array[0] for name, array in self.truths[0].items()}
        matrices = [name for name, shape in shapes.items() if len(shape) > 1]
        texts = [
            f"{piece.text[:start]}{name}{'' if behind.startswith('^T') else '^T '}{behind.removeprefix('^T')}"
            for piece in claim.whole_formulas
            if not self._readings([piece])
            for start in range(len(piece.text))
            for name in matrices
            if names_in(piece.text[start:])[:1] == [name] and piece.text.startswith(name, start)
            for behind in (piece.text[start + len(name) :].replace(".T", "^T"),)
        ]
        return any(self._is_function(read, claim.kind, number) for text in texts for read in readings(text, shapes))

    def _fits_here(
        self, read: ReadFormula, claim: ArrayClaim, number: int, place: int | None, is_after_right: bool
    ) -> bool:
        """Return whether a formula with numbers, or helpers of constant value, in it is true at the point of the task.

        Numbers in it are taken as rounded. It is compared with the values or adjoints (the claim's kind) of the block
        `number`: all entries, or the one at `place` if that is not None. False if the number of entries differs, and
        for a formula with neither numbers nor such helpers, unless it `is_after_right`: a right formula of the row is
        before it (`x̄ = Aᵀ z̄ = z̄`, where A is the identity)."""
        truth = self.reference.truth(claim.kind, number)
        truth = truth if place is None else truth[place : place + 1]
        if not (is_after_right or read.is_literal or read.names & self.constants.keys()):
            return False
        shown = read.values(ROUNDED, self._exact(read.names))[1]
        return len(shown) == len(truth) and all(x.meets(SPREAD.number(t)) for x, t in zip(shown, truth, strict=True))

    def _equations_hold(self, claim: ArrayClaim) -> bool:
        """Return whether, in each row of the claim, the other pieces agree with the last list of numbers of that row.

        Compared are lists of numbers, and readable formulas without names, entry by entry, as intervals that must meet.
        Skipped are pieces with another number of entries, formulas with names, and rows without numbers. True if
        nothing is compared."""
        for row in claim.rows:
            last = last_numbers(row)
            for piece in row.pieces if last is not None else ():
                if piece.shape is not None:
                    other: Sequence[Spread] = [shown(number, self.usual).wide for number in piece.numbers]
                else:
                    read = [each for each in self._readings([piece]) if not each.names]
                    other = read[0].values(ROUNDED, {})[1] if read else ()
                if last is not None and len(other) == len(last.numbers) and not self._meets(last.numbers, other):
                    return False
        return True

    def _own_values(self, read: ReadFormula, m: Any = ROUNDED) -> Sequence[Spread]:
        """Return the entries of a formula as intervals, computed with the student's numbers.

        A block that the student has not written gets the values that follow from the written ones. Helpers and values
        of inputs (not their adjoints) get their true values, and so does a block whose student's numbers are not as
        many as its entries. Numbers in the formula are rounded (`m` is ROUNDED) or exact (`m` is SPREAD)."""
        swept: dict[str, dict[int, list[Spread]]] = {}
        arrays: dict[str, Any] = {}
        for name in read.names:
            shape, truth = self.truths[0][name]
            kind, number = self._meaning(name)
            if number is None or (self.reference.blocks[number].is_input and kind == VALUE):
                arrays[name] = shape, list(map(SPREAD.number, truth))
                continue
            swept = swept or self.reference.sweep(self.own[VALUE], self.own[BAR])
            values = self.own[kind].get(number) or swept[kind][number]
            arrays[name] = shape, values if len(values) == len(truth) else list(map(SPREAD.number, truth))
        return read.values(m, arrays)[1]

    def _has_own_formula(self, claim: ArrayClaim) -> bool:
        """Return whether a formula of a claim gives the claim's numbers from the student's own numbers."""
        evaluated = map(self._own_values, self._readings(claim.whole_formulas))
        return any(self._meets(claim.numbers, entries) for entries in evaluated)

    def _meaning(self, name: str) -> tuple[str, int | None]:
        """Return (BAR for the name of an adjoint, else VALUE; the block, None for a helper) of a name in a formula."""
        kind = BAR if name.endswith(MARK) or name in self.deltas else VALUE
        return kind, self.deltas.get(name, self._block_of(name.removesuffix(MARK)))

    def _block_renamed(self, claim: ArrayClaim) -> tuple[str, int | None] | None:
        """Return the (kind, block) of `dz` for a claim whose only formula is a name, `db = dz`; None for other claims.

        The block is None if the name is that of a helper."""
        names = {read.names for read in self._readings(claim.whole_formulas) if len(read.program.blocks) == 1}
        return self._meaning(*names.pop()) if len(claim.whole_formulas) == len(names) == 1 else None

    def _following_entries(self, claim: ArrayClaim, number: int, formula: str) -> tuple[Sequence[Spread], bool]:
        """Return (entries that a row should have by the student's other rows, whether one of those used is wrong).

        With `formula` "right" they are computed by the claim's first formula for the whole array that is the function
        of the block `number`, numbers in it being exact; a row is used if the formula has its name (`_is_tainted`).
        Otherwise, also if there is no such formula, they follow from all rows so far by the rules of the problem
        (`_entries_by_rules`), and any wrong row before counts as used."""
        every = self._readings(claim.whole_formulas) if formula == "right" else []
        read = next((each for each in every if self._is_function(each, claim.kind, number)), None)
        if read is not None:
            plain = {name.removesuffix(MARK) for name in read.names}
            used = [self.deltas.get(name, self._block_of(name)) for name in plain]
            return self._own_values(read, SPREAD), any(self._is_tainted(block) for block in used if block is not None)
        return self._entries_by_rules(claim, number), bool(self.wrong)

    def _entries_by_rules(self, claim: ArrayClaim, number: int) -> Sequence[Spread]:
        """Return the entries of the block `number` that follow from the numbers of the other rows judged so far; ()
        without any.

        They are computed with the program's partials. If an adjoint shows other numbers than these, the printed rules
        of adjoints are used instead, which may need the rounded result (1 − h² for tanh), unless one of them cannot be
        evaluated."""
        values = {k: xs for k, xs in self.own[VALUE].items() if claim.kind == BAR or k != number}
        bars = {k: xs for k, xs in self.own[BAR].items() if k != number}
        swept = self.reference.sweep(values, bars) if values or bars else {}
        entries = swept[claim.kind][number] if swept else ()
        if claim.kind == VALUE or not swept or self._meets(claim.numbers, entries):
            return entries
        from .array_slips import adjoint_by_rules  # in most answers the program's partials will do

        return adjoint_by_rules(self.reference, {VALUE: values, BAR: bars}, swept, number) or entries

    def _is_tainted(self, number: int) -> bool:
        """Return whether a block is affected by an error.

        Its value or adjoint is in `wrong`; or the student wrote no numbers for its value, and it is computed, directly
        or through other steps, even right ones, from a block with a wrong value."""
        if any(k == number for _, k in self.wrong):
            return True
        above = (k for kind, k in self.wrong if kind == VALUE)
        return number not in self.own[VALUE] and any(self.reference.needs(number, k) for k in above)

    # --- marks --------------------------------------------------------------------------------------------------------

    def _mark(self, claim: ArrayClaim, judged: _ArrayVerdict) -> Mark:
        """Return the mark of a claim with the verdict `judged`; `earned` is the fraction of `rules.fraction`.

        That is 1 for correct, rounding and does_not_follow, the rule's fraction for carried, precision and formula,
        else 0; but carried numbers with feedback of their own (all 0) earn nothing. `alone`, what it earns without
        carry, is 0 if carried, else the same. The kind is final for values of the result, else the claim's. The name is
        the claim's or, without one, its first row's left side; an adjoint's gets a bar, unless it is in `deltas`. With
        `with_key` the mark has the right numbers, also if it is correct."""
        is_carried = judged.verdict == "carried"
        earned = self.rules.fraction(judged.verdict) * (not (is_carried and judged.feedback))
        name = claim.name or " ".join(claim.rows[0].written.split())
        name = str(write_adjoint(name)) if claim.kind == BAR and name not in self.deltas else name
        key = self._key(claim.kind, claim.number) if self.with_key and claim.number is not None else ""
        called = claim.called_as(self._row_at(claim, judged.place))
        slips = {slip: sentence(slip) for slip in judged.slips}
        feedback = judged.feedback or write_feedback(called, judged.verdict, judged.formula, slips, None)
        return Mark(
            name, "final" if (claim.kind, claim.number) == (VALUE, self.reference.output) else claim.kind,
            judged.verdict, self._span(claim, judged), judged.slips, judged.formula, judged.number, feedback, earned,
            earned * (not is_carried), key=key,
        )  # fmt: skip

    def _key(self, kind: str, number: int) -> str:
        """Return the true values or adjoints (`kind`) of the block `number` as text, for the disclosed key."""
        from ...arrays.array_formulas import value
        from ...notation.number_text import Digits

        return str(value(self.reference.truth(kind, number), self.reference.blocks[number].shape, Digits()))

    def _span(self, claim: ArrayClaim, judged: _ArrayVerdict) -> Span:
        """Return what to underline for a verdict: the last formula if `judged.formula` is "wrong", else the last
        numbers.

        They are looked for in the row of the wrong entry (`judged.place`), if the claim is single entries, else in the
        claim's last row. For verdicts other than error, formula and precision it is that whole row, and so it is if the
        row has no such piece, as for a false equation of numbers."""
        row = self._row_at(claim, judged.place) or claim.rows[-1]
        pieces = [piece for piece in row.pieces if (piece.shape is None) == (judged.formula == "wrong")]
        return pieces[-1].span if pieces and judged.verdict in (*CROSSED, "precision") else row.span

    def _row_at(self, claim: ArrayClaim, place: int | None) -> ArrayLine | None:
        """Return the row of the entry at `place` of a claim of single entries; None without a place or such a row."""
        if place is None or claim.number is None or not claim.rows[0].entry:
            return None
        shape = self.reference.blocks[claim.number].shape
        return next((row for row in claim.rows if entry_place(row.entry, shape) == place), None)

    def _quantities(
        self, claims: Sequence[ArrayClaim], places_of: Mapping[tuple[str, int], int], marks: list[Mark]
    ) -> Iterator[QuantityMark]:
        """Yield what each quantity of the task earns, in the order of `list_quantities`.

        The first that applies: the last row about it; the first row with a verdict in GOOD that covers it (`_covers`);
        a new mark "missing", without a key, which is appended to `marks`. The quantity earns its points times the
        mark's fractions. `places_of` is {(VALUE or BAR, block): index of the last row in `marks` and `claims`}; a
        derivative is looked up as the adjoint of its block."""
        written = {number: name for name, number in self.called.items()}
        for each in list_quantities(self.task, self.rules):
            kind = BAR if each.kind == DERIVATIVE else each.kind
            place = places_of.get((kind, each.slot))
            label = written.get(each.slot, each.label)
            label = str(write_adjoint(label)) if kind == BAR else label
            called = claims[place].called_as() if place is not None else describe_missing(self.reference, written, each)
            if place is None:
                good = (k for row, k in places_of.items() if marks[k].verdict in GOOD and self._covers(row, each))
                place = next(good, None)
            if place is None:
                place, feedback = len(marks), write_feedback(called, "missing", "absent", {}, None)
                marks.append(Mark(label, kind, "missing", None, feedback=feedback))
            mark, points = marks[place], each.points
            earned, alone = points * mark.earned, points * mark.alone
            yield QuantityMark(each.name, (place,), mark.verdict, earned, alone, points, called)

    def _covers(self, row: tuple[str, int], each: Demand) -> bool:
        """Return whether a good row shows that the step `each`, which has no row, was done too; `row` is (kind, block).

        - A row of values covers the values of all blocks that it is computed from, directly or not.
        - A row of an adjoint covers the values and adjoints of all blocks that are computed from its block, directly or
          not.
        - A result, and a step of the row's own block, is covered only as a seed, by a row of an adjoint."""
        kind, number = row
        needs = self.reference.needs
        if each.result or number == each.slot:
            return each.seed and kind == BAR
        if each.kind == VALUE:
            return needs(number, each.slot) if kind == VALUE else needs(each.slot, number)
        return kind == BAR and needs(each.slot, number)
