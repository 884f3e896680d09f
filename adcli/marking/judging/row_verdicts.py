"""Verdicts on rows: each row of an answer compared with the truth and with what follows from the student's own rows. A
wrong row is carried if it follows from a wrong row, else an error; formula is a right number with a wrong formula; the
student's program is taken corrected (each wrong row as it should be) and as written.

A number is right if the truth lies in its interval.  If not, the row's rule is evaluated with the student's numbers: if
that meets the number shown, the row is rounded, or carried; else the slip is here.  Formulas are judged as functions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from ...answers.answer_model import BAR, DOT, TWO_NUMBERS, VALUE, Answer, Entry, Numeral, Task
from ...answers.shown_numbers import COARSE, ENOUGH, NOTHING, ShownNumber, digits, informativeness, numeral_spread
from ...errors import Span
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from ...typings import TYPE_CHECKING
from ..model import GOOD, Mark, Marking, QuantityMark, Rules, row_name, sum_up
from ..programs.alignment import align_true_names
from ..programs.contributions import Follows, RowCase
from ..programs.resolving import PARTIAL, Resolved
from ..programs.value_rows import shown_number
from ..programs.worksheet import same
from . import uncreditable_rows
from .evidence import Evidence
from .hint_texts import (
    SENTENCES,
    on_false_sides,
    set_aside,
    slip_texts,
    with_other_numbers,
    with_reasons,
    with_swapped_entries,
    write_feedback,
)  # fmt: skip
from .quantities import JudgedRow, Scores, find_missing, list_quantities, without_missing
from .uncreditable_rows import by_dependence, is_of_row, is_read, rows_without_effect
from .unwritten_links import mark_rows_of_one_link
from .written_names import WrittenNames, operands_of, span_to_underline

if TYPE_CHECKING:
    from .expected import ExpectedFormulas
    from .student_numbers import RowProgram

_HELD = ("correct", "rounding", "precision", "carried", "does_not_follow")  # unless an equation in the row is false
_LOCAL = ((), ("row_copied",), ("chain_rule_forgotten",), ("wrong_operation",))  # what a row's operands may explain
_MOST_DIAGNOSED = 60  # wrong rows of one answer that are looked into
_SMALL, _SHARE = Fraction(1, 100), 5
_UNITS = 5  # of the last place that rounding of rows may make which are not written
_USUAL = Fraction(1, 10)  # the coarsest last place that a student may work with all along


def mark(task: Task, answer: Answer, rules: Rules, *, with_key: bool = True) -> Marking:
    """Return the marking of an answer: its rows in the order written, then those missing (none in a right answer).

    If a row is an error, has a wrong formula, or could not be read, other meanings of the answer's names
    (`align_true_names`) are tried in order. The first of their markings is returned instead that is not wrong and earns
    more than the usual one (if the usual one is wrong: more than 0), or that is wrong, earns more than the usual one
    and has fewer crosses. `with_key`: marks have the expected formula and the right number. An answer without rows is
    incomplete, no error."""
    marking = _Judge(task, answer, rules, Evidence(task, answer.entries), with_key).marking()
    is_unread = any(entry.pieces and not is_read(entry) for entry in answer.entries)
    is_doubted = is_unread or any(mark.verdict in ("error", "formula", "unreadable") for mark in marking.marks)
    for alignment in align_true_names(task, answer.entries) if is_doubted else ():
        other = _Judge(task, answer, rules, Evidence(task, answer.entries, alignment), with_key).marking()
        is_wrong = other.verdict == "wrong"
        least = 0 if marking.verdict == "wrong" and not is_wrong else marking.earned
        if other.earned > least and (not is_wrong or other.crosses < marking.crosses):
            return other
    return marking


class _RowVerdict(NamedTuple):
    """The verdict on a row; its formula and its number are `right`, `wrong` or `absent`. `doubtful`: the number is
    right only by its few digits, so a slip may be hidden; `trivial`: a wrong number has made the step trivial."""

    verdict: str
    formula: str
    number: str
    doubtful: bool = False
    trivial: bool = False


_WRONG = _RowVerdict("error", "wrong", "wrong")


class _Judge:
    """A judge of one answer; its rows are taken in the order of dependence: values, tangents, adjoints."""

    def __init__(self, task: Task, answer: Answer, rules: Rules, evidence: Evidence, with_key: bool) -> None:
        self.task, self.answer, self.rules, self.evidence, self.with_key = task, answer, rules, evidence, with_key
        self.names = WrittenNames(answer, evidence)
        self.unknown, self.diagnosed = uncreditable_rows.find_unknown_steps(answer.entries, evidence), 0
        self.in_degrees = False
        self.aside: Collection[int] = ()  # rows that others take the place of, as far as that is known beforehand
        self._trues: dict[int, Numeral | None] = {}
        self._errors: dict[int, RowCase] = {}

    @cached_property
    def _formulas(self) -> ExpectedFormulas:
        from .expected import ExpectedFormulas  # few may see them

        return ExpectedFormulas(self.evidence.sheet, self.evidence.truths[0])

    def marking(self) -> Marking:
        """Return the marking: marks of all rows in the order written, then of missing rows (unless right); quantities.

        `first` is the index of the first error in the order of judging (`by_dependence`); None without errors. A number
        that may be a wrong step (`find_unknown_steps`) makes a right answer incomplete."""
        entries, meant = self.answer.entries, self.evidence.quantities
        order = by_dependence(meant, self.evidence.sheet)
        judged = self._judge_rows(order)
        first = next((judged[place] for place in order if judged[place].verdict == "error"), None)
        lines = [(judged[place], place) for place in range(len(entries))]
        lines.sort(key=lambda line: (line[0].line or 0, line[0].span.start if line[0].span else 0))
        lacking = find_missing(self.task, self.evidence)
        absent = _RowVerdict("missing", "absent", "absent")
        marks = [mark for mark, _ in lines]
        marks += [self._as_mark(what, name, kind, None, absent) for what, name, kind in lacking]
        numbers = {place: number for number, (_, place) in enumerate(lines)}
        places = {what: number for number, (what, _, _) in enumerate(lacking, len(lines))}
        quantities = self._quantities(judged, numbers, places)
        number = None if first is None else marks.index(first)
        marks, answer = with_reasons(marks, quantities, self.task.mode), self.answer.with_unread_left_out()
        marking = sum_up(self.task, answer, marks, number, quantities)
        if self.unknown and marking.verdict == "right":
            return marking._replace(verdict="incomplete")
        return without_missing(marking) if marking.verdict == "right" else marking

    def _judge_rows(self, order: Sequence[int]) -> dict[int, Mark]:
        """Return the mark of every row by its place, after judging the rows in `order`.

        Then the marks are corrected with all rows in view, in this order. An unreadable or wrong row such as `y = v3`
        gets a mark by the rows that it names (`_mark_renaming`). Errors that a crossed formula of the same quantity
        (`mark_echoes`) or an unwritten link explains are carried; false ones have a right number (`mark_split_rows`);
        rows that do not count are superseded or extra (`rows_without_effect`); short numbers that an error has too earn
        0 (`find_guesses`). Unrelated rows are extra; if there are some and no error remains, rows that do not follow
        are correct. Swapped derivatives and later numbers have hints. `aside` is set, `unknown` gets single numbers."""
        entries, meant = self.answer.entries, self.evidence.quantities
        self.aside = rows_without_effect(entries, meant, {}).keys()
        judged = {place: self._mark_row(place) for place in order}
        for place in [place for place, mark in judged.items() if mark.verdict in ("unreadable", "error")]:
            judged[place] = self._mark_renaming(place, judged) or judged[place]
        judged |= uncreditable_rows.mark_echoes(entries, judged, self.evidence)
        judged |= uncreditable_rows.mark_split_rows(judged, self.evidence, self.names.symbols, self.rules.formula)
        judged |= mark_rows_of_one_link(judged, self._errors, self.evidence, self.names.symbols, self.rules)
        for place, verdict in rows_without_effect(entries, meant, judged).items():
            text = SENTENCES[verdict].format(self.names.symbols[place] or judged[place].row)
            judged[place] = set_aside(judged[place], verdict, text * (verdict == "superseded"))
        for place in uncreditable_rows.find_guesses(entries, judged):
            judged[place] = judged[place]._replace(earned=Fraction(0), alone=Fraction(0))
        unrelated = uncreditable_rows.find_unrelated(entries, judged, self.evidence, numbers=self.task.mode is None)
        for place in unrelated:
            self.unknown |= {place} if len(entries[place].pieces) == 1 else set()
            text = f"{entries[place].quantity.name}: the problem has no row of this name or number"
            judged[place] = set_aside(judged[place], "extra", text)
        if unrelated and all(mark.verdict != "error" for mark in judged.values()):
            judged |= uncreditable_rows.mark_correct(judged)  # they do not follow from unrelated rows
        return with_other_numbers(with_swapped_entries(judged), meant, entries)

    def _quantities(
        self, judged: Mapping[int, Mark], numbers: Mapping[int, int], lacking: Mapping[Resolved, int]
    ) -> tuple[QuantityMark, ...]:
        """Return what the quantities of the problem earn, in the order of `list_quantities`.

        `judged` are the marks by the row's place. `numbers` gives the index of each row's mark in the marking,
        `lacking` that of the mark of each missing row, for a quantity that no row is about or covers. `written` is the
        symbol of the row that counts, if it is about the quantity itself, or else how the student would write it."""
        evidence, alignment = self.evidence, self.evidence.alignment
        repeats = uncreditable_rows.find_repeats(self.answer.entries, judged, evidence)
        copied = uncreditable_rows.find_copies(self.answer.entries, judged)
        rows = [
            JudgedRow(judged[place], number, quantity, *evidence.working(place), place in repeats, place in copied)
            for place, number in numbers.items()
            if (quantity := evidence.quantities[place]) is not None
        ]
        scores = Scores(alignment, rows, either=self.task.mode != "both", has_unknown_step=bool(self.unknown))
        requested = list_quantities(self.task, self.rules, alignment.problem)
        places = {number: place for place, number in numbers.items()}
        marks = []
        for each, mark in zip(requested, scores.marks(requested), strict=True):
            alike = scores.spellings(each)
            if not mark.rows:
                mark = mark._replace(rows=tuple(lacking[one] for one in alike if one in lacking)[:1])
            rows_of_it = {row.place for one in alike for row in scores.rows.get(one, ())}
            place = places.get(mark.rows[-1]) if mark.rows and mark.rows[-1] in rows_of_it else None
            name = self.names.of_quantity(each, scores.own.get(each.slot), place)
            marks.append(mark._replace(written=name))
        return tuple(marks)

    def _mark_row(self, place: int) -> Mark:
        """Return the mark of the row with the index `place`, and store its number for the rows judged after it.

        A row without a meaning is extra, or an error if its equation is false; one without pieces is `missing`. Slips
        are searched for errors, wrong formulas (not in `aside`) and doubtful rows, in at most 60 rows. A doubtful row
        with a slip is an error, also a carried one in degrees after one in degrees; one whose pieces differ gets the
        hint of `on_false_sides`. The number of an error or carried row is stored as affected. A quantity with the
        verdict `precision` joins `numbers.coarse`, unless its number is the truth, cut off, with more than coarse
        digits."""
        entry, quantity = self.answer.entries[place], self.evidence.quantities[place]
        if quantity is None:
            return uncreditable_rows.mark_without_meaning(place, self.evidence, place in self.unknown)
        name, kind = self._name(quantity, entry), self._kind(quantity, entry)
        if not entry.pieces:
            return self._as_mark(quantity, name, kind, entry.span, _RowVerdict("missing", "absent", "absent"))
        self.evidence.start_again(place)
        case, written = self.evidence.case(place), self.evidence.as_written
        student_case = None if written is None else self.evidence.case(place, written)
        judgement = self._verdict(place, case, student_case)
        doubted = (judgement.verdict in ("error", "formula") and place not in self.aside) or judgement.doubtful
        self.diagnosed += doubted
        slips = self._slips(case, judgement, place) if doubted else ()
        slips = slips or self._degrees_again(case, judgement, place)
        if slips and judgement.verdict != "formula":
            judgement = _RowVerdict("error", self._judge_formulas(case), "wrong")
        self.in_degrees |= "degrees" in slips
        self._errors.update([(place, case)] * (judgement.verdict == "error"))
        self.evidence.remember(case, judgement.formula, judgement.verdict in ("error", "carried"), student_case)
        if judgement.verdict == "precision" and not (case.shown and self._is_cut_off(case, COARSE)):
            self.evidence.numbers.coarse.add(quantity)
        span = span_to_underline(entry, judgement.formula, judgement.number)
        mark = self._as_mark(quantity, name, kind, span, judgement, slips, case, self.names.symbols[place])
        return mark if mark.verdict != "error" or self.evidence.holds(place, ()) else on_false_sides(mark, entry.pieces)

    def _degrees_again(self, case: RowCase, judgement: _RowVerdict, place: int) -> tuple[str, ...]:
        """Return the slip of a carried row, after an error in degrees, whose formula is in degrees itself; else ()."""
        is_carried = self.in_degrees and judgement.verdict == "carried" and self._judge_formulas(case) == "wrong"
        slips = self._slips(case, _WRONG, place) if is_carried else ()
        return slips if slips == ("degrees",) else ()

    def _verdict(self, place: int, case: RowCase, student_case: RowCase | None) -> _RowVerdict:
        """Return the verdict on the row at `place`, before slips are searched.

        `case` is the row in the corrected program, `student_case` in the program as written (None: the same). Two
        numbers in one piece are an error, a row that `is_unfinished` is missing; else `_judge_row` decides by `case`.
        An error, formula, does_not_follow or doubtful row is then judged by `student_case`. A good or carried row with
        unequal pieces (`has_equal_sides`) is an error, but `formula` if its number is right and a piece shows working.
        A single piece, or a right formula and its number, are not compared."""
        pieces = self.answer.entries[place].pieces
        if any(piece.problem is not None and piece.problem.label == TWO_NUMBERS for piece in pieces):
            return _RowVerdict("error", "absent", "wrong")  # two numbers are none
        judgement = self._judge_row(case)
        if uncreditable_rows.is_unfinished(place, judgement.formula, self.evidence):
            return judgement._replace(verdict="missing")
        is_doubted = judgement.doubtful or judgement.verdict in ("error", "formula", "does_not_follow")
        if student_case is not None and is_doubted:
            judgement = self._by_own_program(student_case, judgement, case)
        is_plain = len(pieces) < 2 or (len(pieces) == 2 and judgement.formula == "right" and case.shown is not None)
        if judgement.verdict not in _HELD or is_plain:
            return judgement
        if uncreditable_rows.has_equal_sides(place, case, judgement.formula, self.evidence):
            return judgement
        worked = any(piece.graph is not None for piece in pieces)  # 10 = 11 shows none
        return _RowVerdict("formula", "wrong", "right") if judgement.number == "right" and worked else _WRONG

    def _mark_renaming(self, place: int, judged: Mapping[int, Mark]) -> Mark | None:
        """Return the mark of a row that only gives a quantity another name, such as `y = v3`; None for others.

        The rows that compute the quantity (`find_renamed_rows`) decide. For a row with a number these are only earlier
        rows with the same number; then None if the last of these is neither error nor carried. None also without such
        rows, and for a row without a meaning. The verdict is carried if one of the rows has a number and is not GOOD;
        else missing if the quantity needs a number (`_needs_number`); else correct. In the mark the formula is right
        and the number absent."""
        quantity, entry = self.evidence.quantities[place], self.answer.entries[place]
        number, entries = shown_number(entry), self.answer.entries
        places = self.evidence.find_renamed_rows(place)
        if number is not None:
            places = [other for other in places if other < place and shown_number(entries[other]) == number]
        others = [judged[other] for other in places]
        if not others or quantity is None or (number is not None and others[-1].verdict not in ("error", "carried")):
            return None
        is_wrong = any(other.verdict not in GOOD and other.number != "absent" for other in others)
        verdict = "carried" if is_wrong else "missing" if self._needs_number(quantity) else "correct"
        judgement = _RowVerdict(verdict, "right", "absent")
        return self._as_mark(quantity, self._name(quantity, entry), self._kind(quantity, entry), entry.span, judgement)

    def _judge_row(self, case: RowCase) -> _RowVerdict:
        """Return the verdict on a row by its formula, the truth and the student's earlier rows, not by its equations.

        The first that applies:
        - unreadable: its number has a decimal comma, and the formula is not wrong;
        - `_judge_without_number`: it has no number;
        - `_judge_true_number`: the truth is in the interval of its number (`has_truth`), unless the digits say nothing
          of the truth and the number follows from a wrong row;
        - correct: a tangent of 0 in a branch that is not taken;
        - error: the formula is wrong; else `_judge_wrong_number`."""
        formula, number = self._judge_formulas(case), case.number
        if case.unread and formula != "wrong":
            return _RowVerdict("unreadable", formula, "absent")
        if number is None:
            return self._judge_without_number(case, formula)
        follows = self.evidence.follows(case, formula == "right")
        if case.has_truth(trusted=formula != "wrong" and not follows.affected):
            digits_say = self._informativeness(case, case.truths[0], follows)
            is_carried = follows.meets and follows.affected  # 0.1 from a wrong 0.05 says what that is
            if digits_say != NOTHING or not is_carried:
                return self._judge_true_number(case, formula, follows, digits_say)
        if case.quantity.kind == DOT and case.is_zero and case.quantity.slot in self.evidence.untaken:
            return _RowVerdict("correct", formula, "right")  # nothing moves there
        if formula == "wrong":
            return _RowVerdict("error", formula, "wrong")
        return self._judge_wrong_number(case, formula, follows)

    def _judge_without_number(self, case: RowCase, formula: str) -> _RowVerdict:
        """Return the verdict on a row without a number. The first that applies:

        - unreadable: the row has an unknown name, or `formula` is absent;
        - error: `formula` is wrong;
        - missing: a number is needed (`_needs_number`), and no formula is just the name of a quantity with a right
          number;
        - correct."""
        if formula != "right" or case.unknown:
            return _RowVerdict("error" if formula == "wrong" and not case.unknown else "unreadable", formula, "absent")
        is_missing = self._needs_number(case.quantity) and not self.evidence.numbers.is_above(case)
        return _RowVerdict("missing" if is_missing else "correct", formula, "absent")

    def _judge_wrong_number(self, case: RowCase, formula: str, follows: Follows) -> _RowVerdict:
        """Return the first verdict that applies to a row with an untrue number and a formula that is right or absent.

        - rounding: the number is off the truth by at most 5 units of its last place, which is 0.01 or finer
          (`_is_close`), and the row has an unknown name and uses no wrong row.
        - error: it follows from the student's numbers (`follows`), but is too coarse to say anything (`_says_nothing`);
          not if it is a 0, and the rule uses a wrong row and gives less than half the usual last place.
        - carried: it follows from a wrong row.
        - precision: it follows, but has too few digits or follows only from such numbers. rounding: it follows.
        - precision: it is the truth, rounded or cut off (`_is_cut_off`), and uses no wrong row. error: all else."""
        if case.unknown and not follows.affected and self._is_close(case):
            return _RowVerdict("rounding", formula, "right")
        vanishes = follows.affected and case.is_zero and abs(follows.by_rule.middle) < self.evidence.usual.unit / 2
        if follows.meets and not vanishes and self._says_nothing(case, follows.by_rule):
            return _RowVerdict("error", formula, "wrong")
        if follows.meets and follows.affected:
            return _RowVerdict("carried", formula, "wrong", trivial=case.is_trivial(follows.by_rule))
        if follows.meets:
            short = self._is_too_short(case) or self._follows_from_coarse(case, formula)
            return _RowVerdict("precision" if short else "rounding", formula, "right")
        if case.shown is not None and not follows.affected and self._is_cut_off(case):
            return _RowVerdict("precision", formula, "right", doubtful=case.shown.brief)
        return _RowVerdict("error", formula, "wrong")

    def _follows_from_coarse(self, case: RowCase, formula: str) -> bool:
        """Return whether a number that follows does not follow if quantities in `coarse`, whose numbers have too few
        digits, are taken as not written. False if there are none."""
        if not self.evidence.numbers.coarse:
            return False
        with self.evidence.numbers.without_coarse():
            return not self.evidence.follows(case, formula == "right").meets

    def _judge_true_number(self, case: RowCase, formula: str, follows: Follows, digits_say: str) -> _RowVerdict:
        """Return the verdict on a row whose number is true: the first of these that applies.

        error: the number says nothing (`digits_say` is NOTHING). formula: the formula is wrong. does_not_follow: it has
        enough digits and should follow from wrong rows, but does not (`follows`). precision: it has too few digits.
        Else correct. precision and correct are doubtful if the number is `brief` and does not follow, the truth is only
        in its wide interval, and its last place is at most 1."""
        if digits_say == NOTHING:
            return _RowVerdict("error", formula, "wrong")
        if formula == "wrong":
            return _RowVerdict("formula", formula, "right")
        short = digits_say == COARSE or self._is_too_short(case)
        if follows.affected and not follows.meets and not short:
            return _RowVerdict("does_not_follow", formula, "right")
        seen = case.shown
        brief = seen is not None and seen.brief and seen.number.unit <= 1 and not seen.narrow.meets(case.truths[0])
        return _RowVerdict("precision" if short else "correct", formula, "right", doubtful=brief and not follows.meets)

    def _is_close(self, case: RowCase) -> bool:
        """Return whether the truth at the problem's point is near the number shown: within 5 units of its last place.

        The 5 units are added on both sides of the interval that the number stands for (`narrow`), and the truth, an
        interval too, must meet it. False if no number is shown, and if the last place is coarser than 0.01."""
        if case.shown is None or case.shown.number.unit > _SMALL:
            return False
        reach = _UNITS * float(case.shown.number.unit)
        return case.truths[0].meets(case.shown.narrow + Spread(-reach, reach))

    def _is_cut_off(self, case: RowCase, *too_little: str) -> bool:
        """Return whether the number shown is the truth, rounded or (with decimals only) cut off after its last digit.

        False if no number is shown, and if `informativeness` of its digits is NOTHING or in `too_little`."""
        truth, seen = case.truths[0], case.shown
        if seen is None or informativeness(seen.number, truth) in (NOTHING, *too_little):
            return False
        return seen.wide.meets(truth) or (seen.number.unit < 1 and seen.near(truth))  # a whole number is rounded

    def _informativeness(self, case: RowCase, truth: Spread, follows: Follows) -> str:
        """Return how much the digits of a true number say of `truth`: ENOUGH, COARSE or NOTHING.

        Without a number the interval of the row's arithmetic is judged; ENOUGH without arithmetic. A number counts with
        its usual places (`_with_usual_places`). A 0 that follows (`follows.meets`) is ENOUGH if the usual last place is
        0.01 or finer. Every other number that follows is also ENOUGH if four things hold: it comes from rounded
        numbers, it is as fine as the usual last place, this place is 0.1 or finer, and `rules.min_places` is 0."""
        if case.shown is None:
            return informativeness(case.exact, truth) if case.exact is not None else ENOUGH
        places, number = self.rules.min_places, self._with_usual_places(case.shown, truth)
        if self.evidence.usual.unit <= _SMALL and follows.meets and not number.value:
            return ENOUGH  # a 0 among numbers with places is rounded as they are
        digits_say = informativeness(number, truth, Fraction(1, 10**places) if places else Fraction(0))
        if digits_say != ENOUGH and number.value and follows.meets and not places:
            usual = self.evidence.usual.unit
            return ENOUGH if number.unit <= usual <= _USUAL and self.evidence.is_rounded(case) else digits_say
        return digits_say

    def _with_usual_places(self, seen: ShownNumber, true: Spread) -> Numeral:
        """Return the row's number, with the places that the answer usually has if it is written with fewer: 1 as 1.00.

        These are the places of `seen.narrow`. The number stays as written if that interval is not narrower than
        `seen.wide`, if it does not meet `true`, or if the answer's usual last place is coarser than 0.01."""
        is_narrow = seen.narrow is not seen.wide and seen.narrow.meets(true) and seen.unit < float("inf")
        if self.evidence.usual.unit > _SMALL or not is_narrow:
            return seen.number
        return seen.number._replace(unit=min(seen.number.unit, Fraction(seen.unit).limit_denominator(10**12)))

    def _says_nothing(self, case: RowCase, by_rule: Spread) -> bool:
        """Return whether what the row shows is so coarse that it would agree with many values besides `by_rule`.

        A row shows a number, arithmetic or neither. A number is first given the answer's usual places
        (`_with_usual_places`). It says nothing if its last place is above 1 and more than a fifth of `by_rule`, or if
        `informativeness` is NOTHING. A number other than 0 with a last place above 0.1 says nothing also if it is
        COARSE. Arithmetic says nothing if `informativeness` is not ENOUGH. False if the row shows neither, and for a
        number if `by_rule` is unknown."""
        if case.shown is None:
            return case.exact is not None and informativeness(case.exact, by_rule) != ENOUGH
        if not by_rule.known:
            return False
        number = self._with_usual_places(case.shown, by_rule)
        digits_say = informativeness(number, by_rule)
        if number.unit > 1 and number.unit * _SHARE > abs(by_rule.middle):
            return True  # 1e9 follows from 1e9, and so does all else
        return digits_say == NOTHING if number.unit <= _USUAL or not number.value else digits_say != ENOUGH

    def _by_own_program(self, case: RowCase, judgement: _RowVerdict, right: RowCase) -> _RowVerdict:
        """Return the verdict on a row whose number follows in the program as the student wrote it.

        `case` is the row in that program, `right` and `judgement` in the corrected one. The first that applies:
        - `judgement`: in `case` the formula is wrong, or there is no number that follows and says something;
        - correct: in `judgement` the number is "right" and not `doubtful`;
        - carried: a wrong row is used (trivial if it makes `right` trivial); else `judgement`."""
        formula = self._judge_formulas(case, self.evidence.as_written)
        if formula == "wrong" or case.number is None:
            return judgement
        follows = self.evidence.follows(case, formula == "right", self.evidence.as_written)
        if not follows.meets or self._says_nothing(case, follows.by_rule):
            return judgement
        if judgement.number == "right" and not judgement.doubtful:  # 1 for 1.5, where the wrong row makes it 1
            return judgement._replace(verdict="correct")
        if not follows.affected:
            return judgement
        return _RowVerdict("carried", formula, "wrong", trivial=right.is_trivial(follows.by_rule))

    def _needs_number(self, quantity: Resolved) -> bool:
        """Return whether a row with a right formula needs a number.

        It does if the rules require numbers, or if it is of an output (an adjoint: of an input) and no row of the
        quantity has a number or arithmetic."""
        sheet = self.evidence.sheet
        is_result = quantity.slot in (sheet.inputs if quantity.kind == BAR else sheet.outputs).values()
        return self.rules.numbers or (is_result and not self.evidence.has_number(quantity))

    def _judge_formulas(self, case: RowCase, program: RowProgram | None = None) -> str:
        """Return `right`, `wrong` or `absent` for the formulas of a row in `program` (None: the corrected one).
        The first that applies:

        - unknown name: absent if the row has a number and a row has or may have this name (`is_of_row`); else wrong.
        - absent: no formula, an unknown truth at all points, or a single point at which no formula has a value.
        - right: all formulas are the row's function, equal to `truths` with the program's values, not the student's
          numbers, without a false term that is 0; or they differ only by substituted numbers. Else wrong."""
        if case.unknown:
            is_unclear = case.strange or is_of_row(case.unknown, self.answer.entries, self.evidence)
            return "absent" if is_unclear and case.number is not None else "wrong"
        if not case.is_comparable:
            return "absent"
        pairs, program = zip(case.formulas, case.values, strict=True), program or self.evidence.corrected
        right = all(same(x, case.truths) and program.has_true_zeros(*f, case.quantity) for f, x in pairs)
        return "right" if right or self.evidence.is_substituted(case) else "wrong"

    def _is_too_short(self, case: RowCase) -> bool:
        """Return whether a number has fewer places or digits than the rules require, and is wrong with zeros added.

        `rules.min_places` (after the decimal point) counts; if it is 0, `rules.min_digits` (significant digits) does.
        False if no number is shown, or if exactly the number written is in the interval of the truth."""
        if case.shown is None or SPREAD.number(case.shown.number.value).meets(case.truths[0]):
            return False
        number, rules, truth = case.shown.number, self.rules, case.truths[0]
        least = Fraction(1, 10**rules.min_places)
        if not rules.min_places:
            if digits(number) >= rules.min_digits:
                return False
            least = number.unit / 10 ** (rules.min_digits - digits(number))
        return number.unit > least and not numeral_spread(number._replace(unit=least)).meets(truth)

    def _slips(self, case: RowCase, judgement: _RowVerdict, place: int) -> tuple[str, ...]:
        """Return the names of the slips that explain a wrong row, likely ones first; () without one and after 60 rows.

        Numbers of other rows (`_other_numbers`) may have been used, unless a formula of the row gives its number.
        `judgement` says if its formula is wrong; of the verdict formula the number is ignored. If arithmetic in the row
        equals the truth, `2e` in `2e = 7.389`, only slips with numbers count, in a doubtful row only single ones."""
        if self.diagnosed > _MOST_DIAGNOSED:
            return ()
        from ..slips.catalogue import NUMBER_SLIPS
        from ..slips.diagnosis import Diagnosis  # in a right answer there is nothing to look for

        evidence = self.evidence
        right, one_mode = evidence.by_rule(case).spread, not evidence.kinds >= {DOT, BAR}
        is_wrong = judgement.formula == "wrong" and not case.unknown
        if judgement.verdict == "formula":  # its number is right
            case, is_wrong = case._replace(shown=None, exact=None), self._judge_formulas(case) == "wrong"
        diagnosis = Diagnosis(case, evidence.sheet, evidence.read, evidence.truths, right, one_mode)
        slips = diagnosis.slips(is_wrong, None if evidence.is_explained(case) else self._other_numbers(place, case))
        is_numeric = slips and judgement.verdict != "formula" and evidence.has_right_arithmetic(place, case)
        slips = tuple(s for s in slips if not (judgement.doubtful and "+" in s))
        return tuple(slip for slip in slips if not is_numeric or slip in NUMBER_SLIPS)

    def _other_numbers(self, place: int, case: RowCase) -> list[Numeral]:
        """Return the numbers of rows before `place` and true ones after it, of rows with another true value."""
        entries, quantities = self.answer.entries, self.evidence.quantities
        alike = {each for each in quantities if each and case.truths[0].meets(self.evidence.truth(each))}
        others = [k for k, quantity in enumerate(quantities) if k != place and quantity not in alike]
        return [x for k in others if (x := shown_number(entries[k]) if k < place else self._if_true(k)) is not None]

    def _if_true(self, place: int) -> Numeral | None:
        """Return the last number in the row at `place` if the truth is within half a unit of its last place, else None,
        also for a row without a number or meaning. Cached."""
        if place not in self._trues:
            quantity, number = self.evidence.quantities[place], shown_number(self.answer.entries[place])
            is_true = quantity and number and numeral_spread(number).meets(self.evidence.truth(quantity))
            self._trues[place] = number if is_true else None
        return self._trues[place]

    def _as_mark(
        self, quantity: Resolved, name: str, kind: str, span: Span | None, judgement: _RowVerdict,
        slips: tuple[str, ...] = (), case: RowCase | None = None, written: str = "",
    ) -> Mark:  # fmt: skip
        """Return the mark of a row, with the fraction of its quantity that the row earns.

        GOOD verdicts but precision earn 1. Carried, precision and formula earn what the rules say, missing
        `rules.formula` for a right formula of inputs alone, all others and trivial ones 0. `alone` is the same, but 0
        if carried. `name` is the row's name in marks, `kind` value, dot, bar or final, `span` what to underline, `case`
        None for a row that is missing or not judged. Feedback calls the row `written`, if not empty. With
        `self.with_key` the mark has the right formula and number."""
        verdict, formula, number, _, trivial = judgement
        earned = Fraction(0) if trivial else self.rules.fraction(verdict)
        if verdict == "missing" and case is not None and formula == "right" and not self.rules.numbers:
            earned = self.rules.formula if uncreditable_rows.is_of_inputs(case, self.evidence.sheet) else earned
        spelling = written or self._student_spelling(quantity, name)
        operands = None
        if case is not None and verdict == "error" and slips in _LOCAL:
            operands = operands_of(case, slips, self.evidence, self.names, self._student_spelling)
            slips = () if operands.branch else slips
        texts = slip_texts(slips, case, self.evidence.sheet)
        feedback = write_feedback(spelling, "trivial" if trivial else verdict, formula, texts, case, operands)
        slips = slips * (verdict == "error")  # those of a right number are in its hint
        mark = Mark(name, kind, verdict, span, slips, formula, number, feedback, earned)
        mark = mark._replace(alone=Fraction(0) if verdict == "carried" else earned)
        if not self.with_key:
            return mark
        number = self._formulas.number(self.evidence.truth(quantity))
        return mark._replace(expected=self._formulas.formula(quantity), key=number)

    def _name(self, quantity: Resolved, entry: Entry) -> str:
        """Return a row's name in marks: the student's, if that names the quantity's slot, else the slot's first name.

        A partial is `∂v3/∂x1` in the student's names. The key is added if the answer has several of that kind."""
        written, sheet = entry.quantity.name, self.evidence.sheet
        if quantity.kind == PARTIAL:
            return f"∂{written}/∂{entry.quantity.key}"
        label = written if self.evidence.resolver.row(written) == quantity.slot else sheet.label(quantity.slot)
        return row_name(quantity.kind, label, quantity.key, self.evidence.has_several(quantity.kind))

    def _student_spelling(self, quantity: Resolved, name: str) -> str:
        """Return a quantity's name in the student's spelling; its `name` in marks for values and partials."""
        if quantity.kind not in (DOT, BAR):
            return self.names.name(quantity.kind, name, None, several=False)
        label = self.evidence.alignment.label(quantity.slot) or quantity.key or ""
        return self.names.name(quantity.kind, label, quantity.key, self.evidence.has_several(quantity.kind))

    def _kind(self, quantity: Resolved, entry: Entry) -> str:
        if quantity.kind == VALUE and entry.quantity.name in self.evidence.sheet.outputs:
            return "final"
        return VALUE if quantity.kind == PARTIAL else quantity.kind
