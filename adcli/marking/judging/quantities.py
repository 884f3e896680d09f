"""Quantities of a problem (values, tangents, adjoints and derivatives that may earn marks), which are the same for
every answer, and what each is worth. A Demand is a quantity with its slot in the problem's own trace; a seed is what a
sweep starts from; a row covers the quantities that its formula passes over.

Results are the values of the outputs and the derivatives that are requested.  Steps are on the way to them in the
problem's own trace: the values of its rows; in forward mode the seed of each sweep and the tangents of rows that move;
in reverse mode the seed and the adjoints of rows between the inputs to differentiate by and the result.  Derivatives
that are 0 because there is no path, and arithmetic on literal numbers, are not quantities.  Without a mode only results
are asked for, and each derivative may be reached by either sweep.

Of these an answer may lack some: results without a row, and values that it uses without computing them. What they earn
goes by their function, so that numbering, order and decomposition are free.  Of the rows of a quantity the last one
counts.  A quantity without a row is covered by the rows whose formulas pass over it: of values and tangents those of
the rows that use it, of adjoints those of the rows that it uses.  A number without a formula covers them if it is
right.  A sweep has the rows of one kind and key (input or output).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE, Task
from ...errors import RequestError
from ...graph.order import ancestors, inputs_above
from ...notation.table_formulas import write_partial
from ...records import NamedTuple, grouped
from ...table.suggest import did_you_mean
from ...trace.request_choices import NUMBERINGS
from ..model import Mark, Marking, QuantityMark, Rules, row_name
from ..programs.composing import Alignment
from ..programs.reference_traces import Standard, standard
from ..programs.resolving import Resolved, mentions
from ..programs.worksheet import FunctionIndex
from .evidence import Evidence


class Demand(NamedTuple):
    """A quantity that a problem asks for, by its slot in the problem's own trace, and its points.

    `name` is its name in marks, `label` the name of its row. `kind` is value, dot, bar or derivative. `key` is the
    input that moves (dot) or the output whose adjoint it is (bar); None for a value. Of a derivative, in a task without
    a mode, `slot` is that of the output and `key` the input. `result`: it is requested itself, not only a step on the
    way; `seed`: a sweep starts from it.
    """

    name: str
    label: str
    kind: str
    slot: int
    key: str | None
    result: bool
    seed: bool = False
    points: Fraction = Fraction(0)


def list_quantities(task: Task, rules: Rules, reference: Standard | None = None) -> tuple[Demand, ...]:
    """Return the quantities of a task with their points: steps, then results, then derivatives, tangents and adjoints.

    Those of a task with arrays are listed by `array_quantities`, in its order, and `reference` is not used. The weight
    of each is that of its name in `task.weights`, or else `rules.results` for values of outputs and requested
    derivatives, and `rules.steps` for all others, also seeds. If the task has no points, the weights are the points. If
    it has points, they are split by weight; all are 0 if all weights are 0. `reference` is the problem's own trace
    (None: made from the task in the first numbering).
    """
    if task.arrays is not None:
        from ..programs.array_reference import array_quantities  # few problems have arrays

        demands = [Demand(*each) for each in array_quantities(task)]
    else:
        demands = list(_quantities_of_task(task, reference if reference is not None else standard(task, NUMBERINGS[0])))
    weights = [task.weights.get(each.name, rules.results if each.result else rules.steps) for each in demands]
    whole = sum(weights, Fraction(0))
    unit = Fraction(1) if task.points is None else task.points / whole if whole else Fraction(0)
    return tuple(each._replace(points=weight * unit) for each, weight in zip(demands, weights, strict=True))


def possible(task: Task, rules: Rules) -> Fraction:
    """Return the points that a task is worth, for any answer."""
    return sum((each.points for each in list_quantities(task, rules)), Fraction(0))


def weights_of(task: Task, weights: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return {name of a quantity in marks: weight} from names as they are typed, such as `v2bar` and `dv3[x1]`.

    If a quantity is typed in two ways, the last weight counts. Raises RequestError if the problem has no quantity with
    a typed name.
    """
    demands = list_quantities(task, Rules())
    spellings = {spelling: each.name for each in demands for spelling in (*_typed_names(each), each.name)}
    return resolve_weights(weights, spellings)


def resolve_weights(weights: Mapping[str, Fraction], spellings: Mapping[str, str]) -> dict[str, Fraction]:
    """Return weights by the names of quantities in marks, from names as they are typed.

    `spellings` maps what may be typed to names in marks. If two typed names mean the same quantity, the last weight
    counts. Raises RequestError if a typed name is not in `spellings`; the error has a similar name, or all names.
    """
    for name in weights:
        if name not in spellings:
            every = ", ".join(dict.fromkeys(spellings.values()))
            advice = did_you_mean(name, spellings, f"its quantities are {every}")
            raise RequestError(f"the problem has no quantity called {name}", help=advice)
    return {spellings[name]: weight for name, weight in weights.items()}


def _typed_names(each: Demand) -> tuple[str, ...]:
    """Return the names under which a quantity may be typed, apart from its name in marks.

    They are `dv3[x1]` and `v3dot[x1]` for a tangent, `v3bar` for an adjoint, `dy/dx1` for a derivative; a value has
    none. An index in brackets is that of its name in marks.
    """
    label, index = each.label, each.name[each.name.index("[") :] if "[" in each.name else ""
    dots, bars = (f"d{label}{index}", f"{label}dot{index}"), (f"{label}bar{index}",)
    return {DOT: dots, BAR: bars, DERIVATIVE: (f"d{label}/d{each.key}",)}.get(each.kind, ())


class _Reference:
    """The problem's own trace, with the names of its rows, its results, and what each row depends on.

    A key is an input to differentiate by.
    """

    def __init__(self, task: Task, reference: Standard) -> None:
        """Collect names, results and dependences of the rows of `reference`, the trace of the problem of `task`.

        - `inputs` {name: slot}; `labels` {slot: alias, or else name of the row}; `results` {slot: first name of the
          output};
        - `moved` has, for each slot, the inputs that it depends on, as a sum of `bits`, one bit for each input;
        - `keys` are the inputs in `task.wrt`, or all inputs of the trace if `task.wrt` has none of them.
        """
        graph = self.graph = reference.graph
        self.inputs = {name: slot for slot, name in graph.inputs.items()}
        self.labels = {slot: graph.aliases.get(slot, name) for slot, name in reference.names.items()}
        outputs = grouped((slot, name) for name, slot in graph.outputs)
        self.results = {slot: names[0] for slot, names in outputs.items()}
        self.moved = inputs_above(graph)
        self.bits = {name: 1 << place for place, name in enumerate(graph.inputs.values())}
        self.keys = [name for name in task.wrt if name in self.inputs] or list(self.inputs)
        self.wrt = task.wrt

    def moves(self, key: str, slot: int) -> bool:
        """Return whether a row depends on the input `key`."""
        return bool(self.moved[slot] & self.bits[key])

    def derivatives(self, slot: int) -> list[str]:
        """Return the inputs by which the output in `slot` is to be differentiated: those in `wrt`, or else those it
        depends on."""
        return [key for key in self.keys if key in self.wrt or self.moves(key, slot)]


def _quantities_of_task(task: Task, reference: Standard) -> Iterator[Demand]:
    """Yield the quantities of a task, with 0 points: steps, results, then derivatives, tangents or adjoints.

    - Steps, if the task has a mode: the values of rows that depend on an input and are not results.
    - Results: the values of the outputs; of an output with two names the first counts.
    - Derivatives, in a task without a mode and with `order` 1.
    - Tangents in the modes forward and both; adjoints in the modes reverse and both.

    Derivatives are by the inputs in `task.wrt`. If that is empty, they are by those that the output depends on.
    """
    trace = _Reference(task, reference)
    if task.mode is not None:
        for slot, label in trace.labels.items():
            if slot not in trace.results and trace.moved[slot]:
                yield Demand(label, label, VALUE, slot, None, result=False)
    for slot, name in trace.results.items():
        yield Demand(name, name, VALUE, slot, None, result=True)
    if task.mode is None and task.order == 1:
        for slot, name in trace.results.items():
            for key in trace.derivatives(slot):
                yield Demand(str(write_partial(name, key)), name, DERIVATIVE, slot, key, result=True)
    if task.mode in ("forward", "both"):
        for key in trace.keys:
            yield from _tangents(trace, key)
    if task.mode in ("reverse", "both"):
        for slot, output in trace.results.items():
            yield from _adjoints(trace, slot, output)


def _tangents(trace: _Reference, key: str) -> Iterator[Demand]:
    """Yield the tangents of the sweep in which the input `key` moves: its seed, the steps that move, the results.

    The seed is left out if no output other than the input itself depends on the input. Results are those whose
    derivative with respect to `key` is requested. Names have `[key]` if several inputs are requested.
    """
    several, seed, results = len(trace.keys) > 1, trace.inputs[key], trace.results
    if any(slot != seed and trace.moves(key, slot) for slot in results):
        yield Demand(row_name(DOT, key, key, several), key, DOT, seed, key, result=False, seed=True)
    for slot, label in trace.labels.items():
        if slot not in results and trace.moves(key, slot):
            yield Demand(row_name(DOT, label, key, several), label, DOT, slot, key, result=False)
    for slot, name in results.items():
        if key in trace.derivatives(slot):
            yield Demand(row_name(DOT, name, key, several), name, DOT, slot, key, result=True)


def _adjoints(trace: _Reference, result: int, output: str) -> Iterator[Demand]:
    """Yield the adjoints of the sweep from one output: its seed, the steps from the last to the first, the inputs.

    `result` is the slot of the output, `output` its name. The seed is left out if the output is an input, or depends on
    no requested input. Steps are rows that the output uses and that depend on a requested input. Inputs are those whose
    derivative is requested. Names have `[output]` if there are several outputs.
    """
    several, reached = len(trace.results) > 1, ancestors(trace.graph, [result])
    if result not in trace.inputs.values() and any(trace.moves(key, result) for key in trace.keys):
        yield Demand(row_name(BAR, output, output, several), output, BAR, result, output, result=False, seed=True)
    for slot, label in reversed(trace.labels.items()):
        if slot != result and reached[slot] and any(trace.moves(key, slot) for key in trace.keys):
            yield Demand(row_name(BAR, label, output, several), label, BAR, slot, output, result=False)
    for key in trace.derivatives(result):
        yield Demand(row_name(BAR, key, output, several), key, BAR, trace.inputs[key], output, result=True)


# --- missing rows -----------------------------------------------------------------------------------------------------


def find_missing(task: Task, evidence: Evidence) -> list[tuple[Resolved, str, str]]:
    """Return the rows that an answer lacks, each once: (quantity, name of the row, kind: value, dot, bar or final).

    They come in the order steps, results (kind final), tangents, adjoints. Expected are, roughly, steps that the
    alignment misses, the outputs, and the requested derivatives of each sweep that the answer has or the task's mode
    needs (exactly: `_expected_items`). A row that was left blank is not among them. In a task without a mode the
    tangent and the adjoint of one derivative count for each other.
    """
    there = {quantity for quantity in evidence.quantities if quantity is not None}
    kinds = {quantity.kind for quantity in there}
    if task.mode is None:  # dy/dx is the end of a forward sweep and of a reverse one
        there |= set(_in_both_sweeps(evidence, there))
    lacking = []
    for item in _expected_items(task, evidence, kinds):
        if item[0] not in there:
            lacking.append(item)
            there |= {item[0], *(_in_both_sweeps(evidence, [item[0]]) if task.mode is None else ())}
    return lacking


def without_missing(marking: Marking) -> Marking:
    """Return the marking of a right answer without the marks of rows that were not written (`missing`, without a line).

    A written row with the verdict `missing`, such as `y = output`, becomes `extra` without feedback. The `rows` of
    quantities are changed to the new indices of the marks, without those that are dropped. Verdict, points and `first`
    stay; that the answer is right is not checked. `marking` itself is unchanged.
    """
    kept = [place for place, mark in enumerate(marking.marks) if mark.verdict != "missing" or mark.line is not None]
    places = {old: new for new, old in enumerate(kept)}
    marks = [marking.marks[place] for place in kept]
    marks = [mark._replace(verdict="extra", feedback="") if mark.verdict == "missing" else mark for mark in marks]
    rows = [tuple(places[row] for row in each.rows if row in places) for each in marking.quantities]
    quantities = [each._replace(rows=student_rows) for each, student_rows in zip(marking.quantities, rows, strict=True)]
    return marking._replace(marks=tuple(marks), quantities=tuple(quantities))


def _in_both_sweeps(evidence: Evidence, there: Collection[Resolved]) -> Iterator[Resolved]:
    """Yield both spellings of each derivative of an output by an input, if one of the two is in `there`.

    They are the tangent of the output along the input, and the adjoint of the input from the output, in this order. All
    pairs of an output and an input are tried, outputs first.
    """
    sheet = evidence.sheet
    for output, result in sheet.outputs.items():
        for name, slot in sheet.inputs.items():
            twins = Resolved(DOT, result, name), Resolved(BAR, slot, output)
            if twins[0] in there or twins[1] in there:
                yield from twins


def _expected_items(task: Task, evidence: Evidence, kinds: set[str]) -> Iterator[tuple[Resolved, str, str]]:
    """Yield (quantity, name of the row, kind: value, dot, bar or final) of each row that an answer should have.

    Rows are yielded whether they are there or not; `kinds` are the kinds of rows of the answer. Value rows that only
    rename inputs do not count.
    - Steps (`_absent_steps`; kind value), if it has value rows.
    - Values of the outputs (kind final), if it has value rows or no rows of derivatives, or if the mode is value or
      both.
    - Tangents of outputs, if it has any tangents or the mode is forward or both.
    - Adjoints of inputs, if it has any adjoints or the mode is reverse or both.
    """
    sheet, mode = evidence.sheet, task.mode
    if VALUE in kinds and evidence.alignment.given_rows:
        yield from _absent_steps(task, evidence)
    if evidence.alignment.given_rows or mode in ("value", "both") or not kinds - {VALUE}:
        for name, slot in sheet.outputs.items():
            yield Resolved(VALUE, slot), name, "final"
    for kind, its_mode in ((DOT, "forward"), (BAR, "reverse")):
        if kind in kinds or mode in (its_mode, "both"):
            yield from _derivatives(task, evidence, kind)


def _derivatives(task: Task, evidence: Evidence, kind: str) -> Iterator[tuple[Resolved, str, str]]:
    """Yield (quantity, name of the row, `kind`) of each tangent or adjoint that an answer should have, sweep by sweep.

    They are tangents of outputs (`kind` dot) or adjoints of inputs (bar). With `task.wrt` they are those by its inputs,
    even if they are 0; without it, those by inputs that the output depends on. Adjoints, and tangents without `wrt`,
    are those of the sweeps that the answer has, or of all sweeps if it has none. Names have the input or output in
    brackets if there are several sweeps.
    """
    sheet = evidence.sheet
    inputs, outputs = sheet.inputs, sheet.outputs
    needed = {name: ancestors(sheet.graph, [slot]) for name, slot in outputs.items()}
    moving, rows = (inputs, outputs) if kind == DOT else (outputs, inputs)
    keys = (task.wrt if kind == DOT else ()) or _keys_in_answer(task, evidence, kind) or tuple(moving)
    for key, (name, slot) in product(keys, rows.items()):
        output, wrt = (name, key) if kind == DOT else (key, name)
        if wrt in task.wrt or (not task.wrt and wrt in inputs and needed[output][inputs[wrt]]):
            yield Resolved(kind, slot, key), row_name(kind, name, key, len(keys) > 1), kind


def _absent_steps(task: Task, evidence: Evidence) -> Iterator[tuple[Resolved, str, str]]:
    """Yield (quantity, name, "value") for each step that an answer works with and lacks, in the order of the alignment.

    If a value row of the answer is a step, these are all steps that the alignment calls missing. If all value rows are
    results, they are only those of them whose names occur in the answer, in formulas or as the row of a derivative.
    """
    slots, results = evidence.sheet.slots, evidence.sheet.outputs.values()
    named = set(mentions(evidence.entries, task.at))
    stepwise = any(name in slots and slots[name] not in results for name in evidence.alignment.given_rows)
    for name in evidence.alignment.missing_names:
        if stepwise or name in named:
            yield Resolved(VALUE, slots[name]), name, VALUE


def _keys_in_answer(task: Task, evidence: Evidence, kind: str) -> tuple[str, ...]:
    """Return the keys (inputs or outputs) of the derivatives of this `kind` that the answer has, in the order written;
    () for tangents that are all written as `du/dx`, in a task without a mode: they are not those of a sweep.
    """
    if kind == DOT and task.mode is None and all(each.quantity.kind != DOT for each in evidence.entries):
        return ()
    keys = (quantity.key for quantity in evidence.quantities if quantity is not None and quantity.kind == kind)
    return tuple(dict.fromkeys(key for key in keys if key is not None))


# --- what the quantities earn by the rows of an answer ----------------------------------------------------------------


_NOTHING, _ALL = Fraction(0), Fraction(1)
_TRUE = ("correct", "rounding")  # verdicts of rows whose number is right to enough digits


class JudgedRow(NamedTuple):
    """A row of an answer as evidence: its mark, the index `place` of its mark among the marks, and its quantity.

    `worked`: it shows how its number is computed. `mentioned`: the quantities in its formulas. `repeats`: it adds
    nothing to an earlier row of the same quantity. `copied`: it only repeats another wrong number.
    """

    mark: Mark
    place: int
    quantity: Resolved
    worked: bool
    mentioned: frozenset[Resolved]
    repeats: bool
    copied: bool = False


def counterparts(alignment: Alignment) -> dict[int, int]:
    """Return {slot in the problem's own trace: slot of the student's row that computes the same function}.

    Inputs and outputs are matched by name. For every other row, of the student's rows with the same function, those
    that no earlier row has taken are preferred, then the one of the same name, then the first. Rows without a match are
    left out.
    """
    trace, sheet = alignment.problem, alignment.sheet
    rows_by_step = {slot: sheet.inputs[name] for slot, name in trace.graph.inputs.items()}
    taken: set[int] = set()
    names = {slot: name for name, slot in reversed(sheet.slots.items())}
    functions = FunctionIndex(alignment.reference_prints)
    like = grouped(
        (slot, student_slot) for student_slot in sheet.cells for slot in functions.like(alignment.prints[student_slot])
    )
    for slot, name in trace.names.items():
        if alike := like.get(slot):
            best = min(alike, key=lambda student_slot: (student_slot in taken, names.get(student_slot) != name))
            rows_by_step[slot] = best
            taken.add(best)
    for name, slot in trace.graph.outputs:
        if name in sheet.outputs:
            rows_by_step[slot] = sheet.outputs[name]
    return rows_by_step


class Scores:
    """Marks of the quantities of a problem, by the rows that give them or pass over them."""

    def __init__(
        self, alignment: Alignment, rows: Iterable[JudgedRow], *, either: bool, has_unknown_step: bool
    ) -> None:
        """Index the rows of an answer by quantity; `rows` keep their order in each quantity.

        `either`: a derivative may come from a forward or a reverse sweep. `has_unknown_step`: some row may be any step,
        so that no value is granted because others cover it. `own` maps slots of the problem's trace to slots of the
        student's worksheet. `covers`, `seeds` and `requested` are filled later, by `marks`.
        """
        reference = alignment.problem
        self.graph, self.either, self.has_unknown_step = reference.graph, either, has_unknown_step
        self.steps = [*reference.graph.inputs, *sorted(reference.names)]
        self.users = grouped((p, slot) for slot in reference.names for p in dict.fromkeys(self.graph.parents[slot]))
        self.own, self.sheet = counterparts(alignment), alignment.sheet
        self.rows = grouped((row.quantity, row) for row in rows)
        self.covers: dict[tuple[str, str | None], dict[int, list[JudgedRow]]] = {}
        self.seeds: dict[tuple[str, str | None], int] = {}
        self.requested: set[tuple[str, int, str | None]] = set()

    def marks(self, quantities: Sequence[Demand]) -> tuple[QuantityMark, ...]:
        """Return what each quantity earns, in the order of `quantities`; also sets `seeds` and `requested`."""
        self.seeds = {(each.kind, each.key): each.slot for each in quantities if each.seed}
        self.requested = {(each.kind, each.slot, each.key) for each in quantities}
        return tuple(self._mark_quantity(each) for each in quantities)

    def _mark_quantity(self, each: Demand) -> QuantityMark:
        """Return the mark of a quantity: by its own rows, or else by the best row that covers it (`_mark_by_covering`).

        Its own rows are those of all its `spellings`. If the student seeded another input or output instead of the seed
        `each`, the rows of that (`_other_seed_rows`) replace its own.
        """
        student_rows = [row for quantity in self.spellings(each) for row in self.rows.get(quantity, ())]
        if each.seed:
            student_rows = self._other_seed_rows(each) or student_rows
        return self._mark_by_own(each, student_rows) if student_rows else self._mark_by_covering(each)

    def _mark_by_own(self, each: Demand, student_rows: list[JudgedRow]) -> QuantityMark:
        """Return the mark of a quantity by the rows `student_rows` about it.

        It has the verdict and the fractions of the row that counts (`_row_that_counts`), which is last in its `rows`.
        It keeps the verdict but earns nothing in two cases, both only if no row of its sweep earns anything, copies not
        counted (`_sweep_earns`): `each` is a seed, whose own rows do not count either; or the row that counts is
        carried and copies another wrong number. `student_rows` is sorted by place, in place.
        """
        student_rows.sort(key=lambda row: row.place)
        standing = _row_that_counts(student_rows)
        rows = [row.place for row in student_rows if row is not standing] + [standing.place]
        mark = standing.mark
        hollow = each.seed or (standing.copied and mark.verdict == "carried")
        if hollow and not self._sweep_earns(standing.quantity, each):
            return self._mark(each, rows, mark.verdict, _NOTHING, _NOTHING)
        return self._mark(each, rows, mark.verdict, mark.earned, mark.alone)

    def _mark_by_covering(self, each: Demand) -> QuantityMark:
        """Return the mark of the quantity `each`, which has no row of its own, by the rows that cover it.

        A covering row holds if its verdict is correct, rounding, precision or carried and no formula of it is wrong.
        The best row is one that holds, if there are any; of these the one that earns most, then the latest. The first
        that applies:
        - `each` is a result, or a value while some row may be any step: missing, nothing earned;
        - no row covers it: missing;
        - the best row does not hold: error if its verdict is error or formula, else missing; nothing earned;
        - `each` is a seed: correct, all earned;
        - otherwise: the verdict and the fraction of marks of the best row.
        """
        is_granted = not each.result and not (each.kind == VALUE and self.has_unknown_step)
        covering = [] if not is_granted else self._covering_rows(each.kind, each.key).get(each.slot, [])
        if not covering:
            return self._mark(each, (), "missing", _NOTHING, _NOTHING)
        best = max(covering, key=lambda row: (_holds_for_covered(row), row.mark.earned, row.place))
        if not _holds_for_covered(best):
            verdict = "error" if best.mark.verdict in ("error", "formula") else "missing"
            return self._mark(each, [best.place], verdict, _NOTHING, _NOTHING)
        if each.seed:
            return self._mark(each, [best.place], "correct", _ALL, _ALL)
        return self._mark(each, [best.place], best.mark.verdict, best.mark.earned, best.mark.alone)

    @staticmethod
    def _mark(each: Demand, rows: Iterable[int], verdict: str, earned: Fraction, alone: Fraction) -> QuantityMark:
        """Return the mark of the quantity `each`.

        `earned` and `alone` are fractions of its points. `rows` are the indices of its marks, the one that counts last.
        """
        return QuantityMark(each.name, tuple(rows), verdict, earned * each.points, alone * each.points, each.points)

    def spellings(self, each: Demand) -> list[Resolved]:
        """Return the quantities of the student's program that `each` may be written as; [] if no row has its slot.

        The direct one comes first: the same kind at the student's slot; a derivative, in a task without a mode, has
        none. Others are added if `each` is a derivative of a result, `either` is True (one sweep will do: the mode is
        not both), and the student has no row for the direct one: for the adjoint of x the tangent of y along x, for a
        tangent the adjoint, for a derivative the adjoint, then the tangent.
        """
        if (own_slot := self.own.get(each.slot)) is None:
            return []
        direct = [] if each.kind == DERIVATIVE else [Resolved(each.kind, own_slot, each.key)]
        if each.result and each.kind != VALUE and self.either:
            name = each.key or ""
            if each.kind == BAR:  # the tangent of the output, where this input moves
                output, moving = self.sheet.outputs.get(name), self.graph.inputs[each.slot]
                twins = [] if output is None else [Resolved(DOT, output, moving)]
            else:
                twins = [Resolved(BAR, self.sheet.inputs[name], each.label)]
            if each.kind == DERIVATIVE:
                twins.append(Resolved(DOT, own_slot, name))
            if not any(quantity in self.rows for quantity in direct):
                direct += twins
        return direct

    def _other_seed_rows(self, each: Demand) -> list[JudgedRow]:
        """Return the rows of the input or output that the student seeded instead of the seed `each`; [] without one.

        In a forward sweep inputs are tried, in a reverse sweep outputs. The first is taken whose tangent or
        adjoint with the key of `each` is not requested, and whose row that counts is an error.
        """
        others = self.graph.inputs if each.kind == DOT else [slot for _, slot in self.graph.outputs]
        for slot in others:
            own_slot = self.own.get(slot)
            if own_slot is not None and (each.kind, slot, each.key) not in self.requested:
                rows = self.rows.get(Resolved(each.kind, own_slot, each.key), [])
                if rows and _row_that_counts(rows).mark.verdict == "error":
                    return rows
        return []

    def _sweep_earns(self, quantity: Resolved, each: Demand) -> bool:
        """Return whether a row of the sweep of `quantity` (same kind and key) earns something and is not a copy.

        If `each` is a seed, rows of the student's slot for `each` are left out. If it is not, all rows of the sweep
        count.
        """
        seed = self.own.get(each.slot) if each.seed else None
        others = [other for other in self.rows if (other.kind, other.key) == (quantity.kind, quantity.key)]
        rows = (row for other in others if other.slot != seed for row in self.rows[other])
        return any(row.mark.earned and not row.copied for row in rows)

    def _covering_rows(self, kind: str, key: str | None) -> dict[int, list[JudgedRow]]:
        """Return {slot of the problem: the rows that cover it} for one sweep.

        They count in case that the answer has no row for the slot. The sweep has the `kind` (value, dot, bar) and the
        `key` (its input or output, None for values). Slots are taken from the end of the sweep on: for bar from the
        inputs up, with the operands of a slot as `nearer` (`_rows_that_cover`), else from the results down, with its
        users. The dictionary is cached by kind and key, in `covers`.
        """
        if (covering := self.covers.get((kind, key))) is None:
            covering = self.covers[kind, key] = {}
            for slot in self.steps if kind == BAR else reversed(self.steps):
                nearer = self.graph.parents[slot] if kind == BAR else self.users.get(slot, ())
                covering[slot] = self._rows_that_cover(kind, key, slot, nearer, covering)
        return covering

    def _rows_that_cover(
        self, kind: str, key: str | None, slot: int, nearer: Iterable[int], known: Mapping[int, list[JudgedRow]]
    ) -> list[JudgedRow]:
        """Return the rows that cover the slot `slot` of the problem, each once, in case that it has no row of its own.

        Candidates are the rows that count of the slots in `nearer`, which are nearer to the end of the sweep.
        Instead of a slot without a row, the rows in `known` that cover it are candidates. A candidate covers the slot
        in these cases:
        - it shows working, or its verdict is correct or rounding;
        - `slot` is the seed of the sweep;
        - the sweep is not of values (`kind`), no row of the student's program has this slot, and a value row with
          working covers it.

        It never does if it is a copy. It does not if its formula mentions the quantity itself, except in two cases:
        `slot` is the seed, or the sweep is not of values, and formula and number of the candidate are right.
        """
        own_slot = self.own.get(slot)
        quantity = None if own_slot is None else Resolved(kind, own_slot, key)
        seed = self.seeds.get((kind, key))
        passing: dict[int, JudgedRow] = {}
        is_unwritten = quantity is None and kind != VALUE
        aside = is_unwritten and any(row.worked for row in self._covering_rows(VALUE, None).get(slot, ()))
        for other in nearer:
            rows = self.rows.get(Resolved(kind, self.own.get(other, -1), key))
            for row in [_row_that_counts(rows)] if rows else known.get(other, []):
                covers = row.worked or aside or slot == seed or row.mark.verdict in _TRUE
                is_used = slot == seed or (kind != VALUE and row.mark.number == row.mark.formula == "right")
                if covers and not row.copied and (quantity is None or is_used or quantity not in row.mentioned):
                    passing[row.place] = row
        return list(passing.values())


def _holds_for_covered(row: JudgedRow) -> bool:
    """Return whether what a row covers is as good: correct, rounding, precision or carried, and no wrong formula."""
    return row.mark.verdict in ("correct", "rounding", "precision", "carried") and row.mark.formula != "wrong"


def _row_that_counts(rows: Sequence[JudgedRow]) -> JudgedRow:
    """Return the row of a quantity that counts.

    Rows with the verdicts superseded, extra or missing are ignored, unless all have one of these. Of the others it is
    the last one without `repeats`; if all have it, the first. Raises IndexError for no rows.
    """
    filled = [row for row in rows if row.mark.verdict not in ("superseded", "extra", "missing")] or rows
    return next((row for row in reversed(filled) if not row.repeats), filled[0])
