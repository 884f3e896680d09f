"""Alignment of the rows of a student's program with those of the problem, with wrong rows replaced. A step is a row of
the problem's trace, known by its slot (index) there; a reading says which step each row is; a worksheet is the
student's program as a graph; prints are the values of a slot at all sample points. An extra row is no step.

A row whose formula is a function that occurs in the problem is right, whatever its name and however it is composed; so
is every row of a program that ends in the problem's own result.  Any other row is wrong: its formula is replaced by the
one that it should have been, so that the rows after it can be judged on their own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isclose

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE, Entry, Numeral, Quantity, Task
from ...answers.shown_numbers import as_double, numeral_spread
from ...graph.graph import Graph
from ...graph.order import ancestors
from ...graph.tape import evaluate
from ...numbers.double_intervals import Spread
from ...numbers.doubles import FLOAT
from ...typings import TYPE_CHECKING
from ..function_values import Print
from .composing import Alignment
from .reference_traces import Candidates, Standard, constants_of, in_names_of, standards
from .resolving import mentions as names_mentioned
from .value_rows import RESULTS, ValueRow, inputs_by_student_name, shown_number, value_rows, within
from .worksheet import Solution, Worksheet, same

if TYPE_CHECKING:
    from .corrected_program import Goal, OwnFormula, RowCorrection

_SHORT = 2  # letters of names of rows, at most; longer ones are words
_MOST_ROWS, _MOST_CORRECTIONS = 200, 12  # rows one of which may be corrected, and how many corrections are looked into
_TRUE = 4  # the merit of a true number
_NAMED = 6  # the merit of the only row if it is a result and has a usual name of results, which no step has
_FIRST = 1  # rows at the start that an answer may have left out
_MOST_STEPS = 60  # steps that a row with a number of its own may be
_DRIFTS = (0.02, 0.2)  # how far rounding leads away, as a fraction of a number: with three digits, with two


def align(task: Task, entries: Sequence[Entry], mentioned: Collection[str]) -> Alignment:
    """Return the Alignment of the value rows of an answer with the problem's trace that explains the answer best.

    An Alignment is the student's program as a worksheet, with the rows that are wrong, extra or missing. A reading
    assigns steps of the trace to rows; the best has the largest merit (of `_align_steps`), of equals the earliest.
    Readings differ in the rows that are taken for inputs (`inputs_by_student_name`, the likelier way first), in the
    numbering of the trace (the language's own comes first), and in the steps that are assigned to rows of only a number
    (`_align_steps`, for each way). The search stops after a way with a merit of at least `_largest_merit`.

    `mentioned` are the names of rows that derivatives and formulas use. In the result `problem` and `reference_prints`
    are those of the first numbering.
    """
    rows = value_rows(entries, task.at)
    most, aligned = _largest_merit(entries, rows), []
    for called in inputs_by_student_name(task, rows, entries):
        student_rows = [row for row in rows if row.name not in called]
        aligned.append(_align_steps(task, entries, student_rows, mentioned, called, most))
        if aligned[-1][0] >= most:
            break
    return max(aligned, key=lambda each: each[0])[1]


def _align_steps(
    task: Task, entries: Sequence[Entry], rows: Sequence[ValueRow], mentioned: Collection[str],
    called: Mapping[str, str], most: int,
) -> tuple[int, Alignment]:  # fmt: skip
    """Return (merit, alignment) of the best numbering and reading of `rows`, the earliest of equals.

    `called` maps names of rows that are inputs to these inputs, `rows` are the other value rows, `mentioned` are the
    names that derivatives and formulas use. If the first numbering has a merit of at least `most`, it is returned at
    once, with this merit, and also if the task asks for higher derivatives, since `f_xx` says which one it is.
    Otherwise each merit, also the one returned, counts 1 more for each row whose number follows from its formula, and 1
    less for each row of the trace that the answer does not have. All of these are compared, in this order:
    - the first numbering;
    - the other numberings, also with the answer's own names by place;
    - readings of the first numbering by numbers (`readings_by_numbers`);
    - readings of the others by numbers.

    In the result `problem` and `reference_prints` are those of the first numbering.
    """
    first, *others = standards(task, rows)
    steps_aligner = _Aligner(task, entries, first, mentioned, called)
    others += _in_own_names((first, *others), rows, mentioned)
    best, by_numbers = steps_aligner.find_best(), steps_aligner.readings_by_numbers()
    merit = steps_aligner.merit(best)
    if merit >= most or task.order > 1:
        return merit, best
    merit += _count_following_rows(best.sheet, entries) - best.count_unwritten()
    aligners = [_Aligner(task, entries, other, mentioned, called) for other in others]
    for aligner in (*aligners, *by_numbers, *(each for other in aligners for each in other.readings_by_numbers())):
        other = aligner.find_best()
        its = aligner.merit(other) + _count_following_rows(other.sheet, entries) - other.count_unwritten()
        if its > merit:
            merit, best = its, other
    best.problem, best.reference_prints = steps_aligner.reference, steps_aligner.prints
    return merit, best


def align_true_names(task: Task, entries: Sequence[Entry]) -> Iterator[Alignment]:
    """Yield alignments in which the answer's names mean other rows of the problem, so that all rows compared are true.

    There is one, the best (`find_best`), for each pair (trace, meanings of names) of `find_true_names`, in this order;
    a row such as `v1 = 2` that may rename an input or be a step is taken in the likelier way. `problem` and
    `reference_prints` are those of the first trace with its own names. Nothing is yielded if the task's order is above
    1, or if every name in the answer except inputs, also in formulas and derivatives, has a value row with a formula.
    """
    from .true_names import find_true_names, rename_slots

    rows, names = value_rows(entries, task.at), names_mentioned(entries, task.at)
    if task.order > 1 or {row.name for row in rows if row.formulas}.issuperset((*names, *(row.name for row in rows))):
        return
    references = standards(task, rows)
    called = inputs_by_student_name(task, rows, entries)[0]
    aligner = _Aligner(task, entries, references[0], names, called)
    for reference, slots_by_name in find_true_names(task, entries, references):
        best = _Aligner(task, entries, rename_slots(reference, slots_by_name), names, called).find_best()
        best.problem, best.reference_prints = aligner.reference, aligner.prints
        yield best


def _in_own_names(references: Iterable[Standard], rows: Sequence[ValueRow], mentioned: Iterable[str]) -> list[Standard]:
    """Return copies of the traces `references` in which row k has the k-th name of the answer's series (`in_names_of`).

    First come all traces whose first row has the first name, then all whose second row has it (the answer lacks the
    first row of the trace). Traces that the names do not fit are skipped. [] if each of `rows` has a formula and all of
    `mentioned`, names that derivatives and formulas use, are names of these rows.
    """
    written = dict.fromkeys((*(row.name for row in rows), *mentioned))
    if len(rows) == len(written) and all(row.formulas for row in rows):
        return []
    renamed = (in_names_of(reference, written, first) for first in range(_FIRST + 1) for reference in references)
    return [reference for reference in renamed if reference is not None]


def _largest_merit(entries: Iterable[Entry], rows: Iterable[ValueRow]) -> int:
    """Return an upper bound of the merit of an alignment of an answer, without the 6 points of an only row.

    It is the sum of 4 for each of `entries` that shows a number, and for each of the value `rows` 2 if it has formulas
    and, separately, 2 if it is a number alone or has arithmetic on numbers.
    """
    numbers = sum(shown_number(entry) is not None for entry in entries)
    return 4 * numbers + sum(2 * bool(row.formulas) + 2 * (row.constant is not None) for row in rows)


def _count_following_rows(sheet: Worksheet, entries: Iterable[Entry]) -> int:
    """Return how many value rows have a last number that agrees with the row's formula in `sheet`.

    A row counts once. Formulas are evaluated with the answer's own numbers; values agree if their intervals meet. Of
    several numbers of a row the last one counts, right or wrong; inputs have the values of the point. A row that uses
    a row without a number is not counted.
    """
    point = sheet.places[0]
    known = {slot: point[name] for name, slot in sheet.inputs.items()}
    for entry in entries:
        number, slot = shown_number(entry), sheet.slots.get(entry.quantity.name)
        if entry.quantity.kind == VALUE and number is not None and slot in sheet.cells:
            known[slot] = numeral_spread(number)
    cells = (sheet.cells[slot] for slot in known if slot in sheet.cells)
    complete = [cell for cell in cells if all(leaf in known for leaf in cell.leaves)]
    return sum(known[cell.slot].meets(cell.value(known)) for cell in complete)


class _Aligner(Candidates):
    """An aligner of one answer's rows with the problem's trace in one numbering: it builds and rates alignments."""

    def readings_by_numbers(self) -> Iterator[_Aligner]:
        """Yield copies of this aligner in which rows that are only numbers are other steps than their names say.

        A copy differs in `steps`, which maps names of rows to slots of the trace. In this order: assignments of
        `step_search` that differ from the names in at least one row; readings in which one row with a wrong number is
        another step (`_readings_by_use`); the reading in which the only row is the result (`_reading_as_result`).
        Nothing is yielded if no row is only a number.
        """
        if any(row.is_number for row in self.rows):
            from .step_search import readings  # many answers have formulas in all rows

            for steps in readings(self):
                if any(self.reference.slots.get(name) != slot for name, slot in steps.items()):
                    yield self._with_steps(steps)
            yield from self._readings_by_use()
            yield from self._reading_as_result()

    def _with_steps(self, steps: Mapping[str, int]) -> _Aligner:
        """Return a copy of this aligner whose `steps` are these: {name of a row: slot of the trace that it is}."""
        from copy import copy  # few answers have such rows

        other = copy(self)
        other.steps = steps
        return other

    def _readings_by_use(self) -> Iterator[_Aligner]:
        """Yield copies of this aligner in which the one row with a wrong number is another step.

        There must be exactly one row that is only a number and shows no step of the trace, and at most 60 steps. The
        steps that the row may be are, by the first that applies:
        - every step, if a formula uses the row;
        - none, if the row is not extra in the best alignment;
        - those missing in the answer with which a number of a derivative of or by the row is true
          (`_has_true_derivative`), if there are any;
        - the only missing step, if no other step is the same function, and the row's number neither comes from other
          numbers of the answer by an operation nor gives one (`support` is 0);
        - none.

        A copy is yielded only if its best alignment has no wrong row.
        """
        steps = [slot for slot in self.reference.names if slot in self.prints]
        values = [self.prints[slot][0] for slot in steps]
        strange = [row for row in self.rows if row.is_number and not any(map(row.shows, values))]
        if len(strange) != 1 or len(steps) > _MOST_STEPS:
            return
        (row,), best = strange, self.find_best()
        if row.name not in self.used:
            free = [self.reference.slots[name] for name in best.missing_names]
            named = [slot for slot in free if self._with_steps({row.name: slot})._has_true_derivative(row.name)]
            alone = free if len(free) == 1 and self.support(row) == 0 and not self._has_twin(free[0]) else []
            steps = (named or alone) if row.name in best.extra else []
        for slot in steps:
            other = self._with_steps({row.name: slot})
            if not other.find_best().wrong:
                yield other

    def _reading_as_result(self) -> Iterator[_Aligner]:
        """Yield a copy of this aligner in which the only row is the problem's result, as f is in `f = 9, df/dx = -6`.

        The problem must have one result, and the answer one value row besides inputs. The row must be only a number,
        and in the best alignment not a result. Its name must be mentioned by a derivative or formula, or be a usual
        name of a result (RESULTS). Otherwise nothing is yielded.
        """
        row, sheet = self.rows[-1], self.find_best().sheet
        is_result = sheet.slots.get(row.name) in sheet.outputs.values()
        may_be_result = row.is_number and (row.name in self.mentioned or row.name in RESULTS)
        if len(self.results) == len(self.rows) == 1 and may_be_result and not is_result:
            yield self._with_steps({row.name: self.results[0]})

    def _has_twin(self, slot: int) -> bool:
        """Return whether another step of the trace is the same function as that of `slot`: a row of it shows both."""
        return any(s != slot and s in self.reference.names for s in self.functions.like(self.prints[slot]))

    def _has_true_derivative(self, name: str) -> bool:
        """Return whether the answer has a true derivative of or with respect to the row `name`, in this reading.

        Tangents and adjoints count too. A derivative is true if its number is within one unit of its last place of the
        tangent or adjoint in the best alignment (`_merit_of_number`), wrong rows corrected; numbers 0, 1 and -1 do not
        count. False if `name` is not in `mentioned`.
        """
        if name not in self.mentioned:
            return False
        sheet = self.find_best().sheet
        truth = sheet.truths()[0]
        numbers = (
            (each.quantity, x) for each in self.entries if (x := shown_number(each)) and abs(x.value) not in (0, 1)
        )
        derivatives = (each for each in numbers if each[0].kind != VALUE and name in each[0][1:])
        return any(_merit_of_number(*each, sheet, truth) == _TRUE for each in derivatives)

    def _correct_one_row(self, best: Alignment, first: Alignment) -> Alignment:
        """Return an alignment in which one row is corrected and all others stay as written; else `best`.

        Up to 12 corrections are tried (`_corrections`). The first is returned with which only that row is wrong, all
        results are reached, and no more rows are supplied than in `best`. But if `best` is good, the search ends with
        `best` before the first correction of the row that is wrong in it. It is good if that row is its only wrong one,
        all results are reached, no row is missing, and no row is extra that is not extra in `first`, the alignment
        without corrections.
        """
        formulas = frozenset(row.name for row in self.rows if row.formulas)
        is_complete = not best.missing_names and best.extra <= first.extra
        alone = len(best.wrong) == 1 and is_complete and self._reaches(best, formulas)
        for correction in islice(self._corrections(first), _MOST_CORRECTIONS):
            if alone and correction.name in best.wrong:
                return best
            other = Alignment(self, formulas - {correction.name}, corrects=True, correction=correction)
            if other.wrong == {correction.name} and other.supplied <= best.supplied and self._reaches(other, formulas):
                return other
        return best

    def _corrections(self, first: Alignment) -> Iterator[RowCorrection]:
        """Yield corrections of single rows after which the program reaches the results (`CorrectionSearch`).

        They are tested in doubles, at the first two random points (at the point of the task if there are none). `first`
        is the alignment without corrections. Rows that are neither a step of the problem nor part of a sum or product
        in it go first; apart from that rows come operands before users. Rows that have the number of the step of their
        name are not corrected. Nothing is yielded if no formula can be used, if rows depend on themselves, or if there
        are more than 200 rows with formulas.
        """
        from .corrected_program import CorrectionSearch  # only for an answer with wrong rows

        lines = self._formulas_in_order(first)
        if not lines or len(lines) > _MOST_ROWS:
            return
        points = range(len(self.places))[1:3] or range(1)
        goal = self._goal(first, lines, points)
        known_steps = self._known_steps(first, lines, points)
        named_steps = {row.name for row in self.rows if self._is_named_step(row)}
        rows = sorted((name for name in lines if name not in named_steps), key=known_steps.__contains__)
        yield from CorrectionSearch(lines, goal).corrections(rows)

    def _formulas_in_order(self, first: Alignment) -> dict[str, OwnFormula] | None:
        """Return {name: first formula} for the answer's rows, operands before users; None if rows depend on themselves.

        A row is left out if it has no slot in `first`, has no readable first formula, or uses in it a name without a
        slot there. {} if no row remains.
        """
        from .corrected_program import OwnFormula, in_order

        slots = first.sheet.slots
        lines = {}
        for row in self.rows:
            piece = row.formulas[0] if row.formulas and row.name in slots else None
            if piece is not None and piece.graph is not None:
                names = {slot: piece.quantities[symbol].name for slot, symbol in piece.graph.inputs.items()}
                if all(quantity.name in slots for quantity in piece.quantities.values()):
                    lines[row.name] = OwnFormula(piece.graph, names)
        return in_order(lines)

    def _goal(self, first: Alignment, lines: Collection[str], points: Sequence[int]) -> Goal:
        """Return the values that corrected rows `lines` must lead to, as a Goal of doubles at some sample points.

        `points` are indices of sample points. The Goal has these fields (a double is the middle of an interval):
        - `known`: for each point {name: value in the student's program `first`} of all its rows and inputs not in
          `lines`, supplied steps too;
        - `operands`: the names in `known` that are rows of the answer or inputs, and that a correction may use;
        - `results`: for each point the list of the true values of the problem's results;
        - `steps`: {slot of a step of the problem: its true values at the points};
        - `constants`: those of the problem, without repetition of a text.
        """
        from .corrected_program import Goal

        slots, prints = first.sheet.slots, first.prints
        known = [{name: prints[slot][k].middle for name, slot in slots.items() if name not in lines} for k in points]
        return Goal(
            known,
            [name for name in known[0] if name in self.own or name in self.inputs],
            [[self.prints[slot][k].middle for slot in self.results] for k in points],
            {slot: [self.prints[slot][k].middle for k in points] for slot in self.reference.names},
            list({constant.text: constant for constant in self.task.program.graph.constants.values()}.values()),
        )

    def _known_steps(self, first: Alignment, lines: Collection[str], points: Sequence[int]) -> set[str]:
        """Return those of the rows `lines` that are in the problem: steps, constants, parts of sums or products.

        Rows are compared by their values in `first`, with the formulas as the student wrote them. A step or constant is
        a function of the trace that is not an input alone, equal at all sample points. Parts, of either sign, are
        compared at the sample points with the indices `points` (`Portions`); the negative of a difference, `y - x` for
        `x - y`, or the reciprocal of an operation is no part. Raises KeyError if a row has no slot in `first`.
        """
        from .reassociation import Portions

        graph = self.reference.graph
        at = [{slot: self.places[k][x].middle for slot, x in graph.inputs.items()} for k in points]
        portions = Portions(graph, [evaluate(graph, FLOAT, point) for point in at])
        prints = {name: first.prints[first.sheet.slots[name]] for name in lines}
        known = {name for name, values in prints.items() if not graph.inputs.keys() >= {*self.functions.like(values)}}
        others = {name: [values[k].middle for k in points] for name, values in prints.items() if name not in known}
        return known | {name for name, x in others.items() if portions.have(x) and not self._is_inverse(x, points)}

    def _is_inverse(self, numbers: Sequence[float], points: Sequence[int]) -> bool:
        """Return whether `numbers`, one for each of `points` (indices of sample points), are the negatives of a
        difference of the problem, or the reciprocals of an operation, up to a relative 1e-9."""
        for slot, values in self.prints.items():
            row = self.reference.graph.rows[slot]
            if row is None:
                continue
            pairs = [(x, values[k].middle) for x, k in zip(numbers, points, strict=True)]
            is_negative = len({*row.signs}) > 1 and all(isclose(x, -y) for x, y in pairs)
            if is_negative or all(isclose(x * y, 1) for x, y in pairs):
                return True
        return False

    def _is_named_step(self, row: ValueRow) -> bool:
        """Return whether a row has the number of the step with the row's name, up to one unit of the last place.

        The formula of the row does not matter. False if the row has no number, if the trace has no step of this name,
        or if that has no value at the point of the task.
        """
        named = self.reference.slots.get(row.name)
        return row.number is not None and named in self.prints and within(row.number, self.prints[named][0])

    def _reaches(self, alignment: Alignment, rows: Iterable[str]) -> bool:
        """Return whether each result of the problem is the function of one of the `rows` (names) in `alignment`, at all
        sample points, where wrong rows are corrected.

        Rows without a slot there are ignored.
        """
        slots = alignment.sheet.slots
        prints = [alignment.prints[slot] for slot in {slots[row] for row in rows if row in slots}]
        return all(any(same(student, self.prints[slot]) for student in prints) for slot in self.results)

    def find_best(self) -> Alignment:
        """Return the alignment of the program as written or, if rows do not lead to the results, with corrections.

        If all rows that do not occur in the problem are accepted as they are (`_accept`), no row is replaced; otherwise
        those of them that are not accepted are.

        Then one more step is tried. If no row is wrong, a last row that goes on from the result may be made a copy of
        it (`_past_result`). If a row is wrong, an alignment with a single row edited, so that the others as written
        lead to the results, may replace this one (`_correct_one_row`).
        """
        first = Alignment(self, frozenset(), corrects=False)
        accepted, reached = self._accept(first)
        unused = self._unused(first)
        best = first if first.strange <= accepted else Alignment(self, accepted, corrects=True, unused=unused)
        past = None if best.wrong else self._past_result(first, best, reached)
        if past is not None:
            formulas = frozenset(row.name for row in self.rows if row.formulas)
            return Alignment(self, formulas, corrects=True, correction=past)
        return self._correct_one_row(best, first) if best.wrong else best

    def _accept(self, first: Alignment) -> tuple[frozenset[str], list[int]]:
        """Return (the names of the rows that are accepted as written, the slots of those that are results).

        `first` is the alignment without corrections. A row with a formula is a result if it has, as written, the
        function of a result, of several that of its name. Accepted are results, the rows with other names from which
        these are computed, and helpers, which no formula of a row in the problem uses (`_helpers`).
        """
        slots, outputs = first.sheet.slots, self.reference.graph.outputs
        named = {name: [slot] for name, slot in outputs if slot in self.prints and len(outputs) > 1}
        prints = {row.name: first.prints[slots[row.name]] for row in self.rows if row.formulas and row.name in slots}
        reached = {
            name: slots[name] for name, values in prints.items()
            if any(same(values, self.prints[slot]) for slot in named.get(name, self.results))
        }  # fmt: skip
        needed = ancestors(first.sheet.graph, reached.values())
        others = (row.name for row in self.rows if row.name in slots and row.name not in named)
        used = {name for name in others if needed[slots[name]]}
        return frozenset(used).union(reached, self._helpers(first)), [*reached.values()]

    def _helpers(self, first: Alignment) -> frozenset[str]:
        """Return the names of helpers: rows with formulas that are not in the problem, which no row of the rest uses.

        An example is p = σ(-m), which `dL/dw = -y x p` uses; helpers may use each other. Names of steps are not
        helpers. Only the formulas of rows that occur in the problem are searched for uses. The set is empty in three
        cases:
        - the rows that occur in the problem do not show the numbers of all results;
        - no derivative or formula mentions any helper, and a helper has a usual name of results, or the other rows do
          not give all results, each with a formula;
        - a helper's own formula uses a row that shows the number of a result.
        """
        others, helpers = {row.name: row for row in self.rows if row.name not in first.strange}, self._unused(first)
        shown = [{name for name, row in others.items() if row.shows(self.prints[slot][0])} for slot in self.results]
        if not all(shown):
            return frozenset()
        further = _names_in(row for row in self.rows if row.name in helpers)
        is_rest_complete = all(row.formulas for row in others.values()) and self._reaches(first, others)
        is_rest_complete &= helpers.isdisjoint(RESULTS)
        if not further.isdisjoint(set().union(*shown)) or (helpers.isdisjoint(self.mentioned) and not is_rest_complete):
            return frozenset()
        return frozenset(helpers)

    def _unused(self, first: Alignment) -> set[str]:
        """Return the names of the rows with formulas that are not in the problem and that no row of the rest uses."""
        used = _names_in(row for row in self.rows if row.name not in first.strange)
        return first.strange - used - self.reference.slots.keys()

    def _past_result(self, first: Alignment, best: Alignment, reached: Sequence[int]) -> RowCorrection | None:
        """Return a correction for a last row that goes on from the result: it becomes a copy of the result's row.

        `first` is the alignment without corrections, `best` the chosen one, `reached` the slots of the rows that are
        results. The row is the last one with a formula. It must be extra in `best`, use, directly or not, a row that is
        the result, and be meant as the result (`_is_meant_for_result`). None if it is not so. None also if the problem
        has several results, if a row has the name of the result, or if there are more than 200 rows. Of the correction,
        `line` is the name of the first row with the result, and `slot` that of the result in the trace.
        """
        last = next((row for row in reversed(self.rows) if row.formulas), None)
        if last is None or last.name not in best.extra or len(self.reference.graph.outputs) != 1:
            return None
        (name, slot), slots = self.reference.graph.outputs[0], first.sheet.slots
        is_check = name in self.own or not self._is_meant_for_result(last)
        if is_check or last.name not in slots or len(self.rows) > _MOST_ROWS:
            return None
        below = ancestors(first.sheet.graph, [slots[last.name]])
        used = [slot for slot in reached if below[slot]]
        row = next((row.name for row in self.rows if slots.get(row.name) in used), None)
        if row is None:
            return None
        from .corrected_program import OwnFormula, RowCorrection  # few answers go on

        formula = Graph()
        formula.outputs = [("", formula.input(row))]
        return RowCorrection(last.name, OwnFormula(formula, {formula.outputs[0][1]: row}), slot)

    def _is_meant_for_result(self, row: ValueRow) -> bool:
        """Return whether a derivative or formula names a row, or only values are requested and its name is short.

        Short is one or two letters, perhaps with a number or primes. Only values are requested if the task's mode is
        `value`.
        """
        stem = row.name.rstrip("'").rstrip("0123456789").removesuffix("_")
        is_short = stem.isalpha() and len(stem) <= _SHORT
        return row.name in self.mentioned or (self.task.mode == "value" and is_short)

    def merit(self, alignment: Alignment) -> int:
        """Return the points of an alignment: how well it explains the answer; more is better.

        - Each number earns 4, 2 or 1 by its distance from the true one, that of the program with wrong rows corrected;
          a value whose row depends on no input at most 1.
        - Each value row earns 2 if it has a formula and is the function that the trace has under its name, and 2 for
          arithmetic with the true value of its slot; it may lose 3 or 4 (`_merit_of_row`).
        - The only value row earns 6 if it is a result under a name in RESULTS that no step has.
        - 4 are lost for each wrong row; up to 4 for a row without a formula that has the name of another step.
        - 2 are lost for each of `missing_names` and each extra row, for each result without a row (if the answer has
          value rows), for each derivative of or with respect to an unknown row, and for each tangent or adjoint of one.
        """
        sheet, truth = alignment.sheet, alignment.sheet.truths()[0]
        merit = -4 * len(alignment.wrong) - 2 * len(alignment.missing_names) - 2 * len(alignment.extra)
        if alignment.given_rows:
            name = self.rows[-1].name
            is_result = len(self.rows) == 1 and name in RESULTS and sheet.slots.get(name) in sheet.outputs.values()
            merit += _NAMED * (is_result and name not in self.reference.slots)
            given_slots = {sheet.slots.get(name) for name in alignment.given_rows}
            merit -= 2 * sum(slot not in given_slots for slot in sheet.outputs.values())
        constant = set(constants_of(sheet.graph))
        for entry in self.entries:
            slot, number, kind = sheet.slots.get(entry.quantity.name), shown_number(entry), entry.quantity.kind
            if slot is None and kind != DERIVATIVE:
                merit -= 2 * (kind in (DOT, BAR) and entry.quantity.name not in sheet.outputs)
            else:
                earned = _merit_of_number(entry.quantity, number, sheet, truth)
                merit += min(earned, 1) if slot in constant and kind == VALUE else earned  # a number alone tells little
        for row in self.rows:
            if (slot := sheet.slots.get(row.name)) is not None:
                merit += self._merit_of_row(row, alignment.prints[slot], truth.value(slot), slot in constant)
        return merit

    def _merit_of_row(self, row: ValueRow, values: Print, true: Spread, is_constant: bool) -> int:
        """Return the points of one row for `merit`: 2 for a formula that is its name's function, 2 for arithmetic.

        `values` are those of the row's slot at all sample points, `true` is its value at the point of the task.
        `is_constant` says that the slot depends on no input. The 2 points for arithmetic are given if it evaluates to
        `true`, up to rounding (`computes`); a number alone does not get them. Otherwise a row of arithmetic or a number
        alone loses points if its slot depends on an input and its name is that of a trace's row with another function:
        4 if `steps` has no step for the name; 3 if it has one and the row shows the number of that step; else 0. The 2
        points for a formula remain.
        """
        known = self.prints.get(self.reference.slots.get(row.name, -1))
        is_known = known is not None and same(values, known)
        merit = 2 * (bool(row.formulas) and is_known)
        if row.constant is not None and row.computes(true):
            return merit + 2
        if row.constant is None or is_constant or known is None or is_known:
            return merit
        meant = self.steps.get(row.name)
        if meant is None or row.shows(self.prints[meant][0]):  # a wrong number goes by what it is used for
            merit -= 4 if meant is None else 3  # it goes by the name of another row
        return merit


def _merit_of_number(quantity: Quantity, number: Numeral | None, sheet: Worksheet, truth: Solution) -> int:
    """Return the merit of a row's `number`: 4, 2, 1 or 0 by its distance from the true one (`_merit_of_distance`).

    `sheet` is the aligned program, `truth` its solution at the point of the task. The best merit of these counts:
    - a derivative of a row by an input: the tangent for the input `key`; of a result: the adjoint of the row `key` for
      it, too; of another row by a row: 0;
    - a tangent: those for each input, an adjoint: those for each output, whatever the key;
    - a value: the value.

    In a program with one output a derivative of a name without a row is one of this output. A derivative of or by
    another name without a row gets -2, with or without a number. All other quantities without a row, and rows without a
    number, get 0.
    """
    slots, outputs, kind = sheet.slots, sheet.outputs, quantity.kind
    single = next(iter(outputs.values())) if len(outputs) == 1 and kind == DERIVATIVE else None
    slot, below = slots.get(quantity.name, outputs.get(quantity.name, single)), slots.get(quantity.key or "")
    if slot is None or (kind == DERIVATIVE and below is None):
        return -2 * (kind == DERIVATIVE)
    if number is None:
        return 0
    if kind == DERIVATIVE and below is not None:
        trues = [truth.read(BAR, below, name) for name, output in outputs.items() if output == slot]
        trues += [truth.read(DOT, slot, quantity.key)] if quantity.key in sheet.inputs else []
    else:
        keys = {DOT: sheet.inputs, BAR: outputs}.get(kind, (None,))
        trues = [truth.read(kind, slot, key) for key in keys]
    return max((_merit_of_distance(number, true) for true in trues), default=0)


def _merit_of_distance(number: Numeral, true: Spread) -> int:
    """Return 4 for a number within one unit of its last place of the true value, 2 within 2 %, 1 within 20 %, else 0.

    The distance is from the middle of `true`, the percentage one of that. The unit is included, the limits of 2 % and
    20 % are not. 0 also if the true value is unknown.
    """
    if not true.known:
        return 0
    away = abs(as_double(number.value) - true.middle)
    return _TRUE if within(number, true) else sum(away < drift * abs(true.middle) for drift in _DRIFTS)


def _names_in(rows: Iterable[ValueRow]) -> set[str]:
    """Return the names of the quantities that occur in the formulas of the rows."""
    return {q.name for row in rows for piece in row.formulas for q in piece.quantities.values()}
