"""Scoring: what the quantities of a problem earn by the rows of an answer. A row covers a step without a row if its
formula goes over it; a sweep has the rows of one kind and key (input or output).

A quantity is identified by its function, so that numbering, order and decomposition are free.  Of its rows the last one
counts.  A quantity without a row is covered by the rows whose formulas pass over it: of values and
tangents those of the rows that use it, of adjoints those of the rows that it uses.  A number without a formula covers
them if it is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE
from ...records import NamedTuple, grouped
from ..model import Mark, QuantityMark
from ..programs.composing import Alignment
from ..programs.resolving import Resolved
from ..programs.worksheet import FunctionIndex
from .quantities import Demand

_NOTHING, _ALL = Fraction(0), Fraction(1)
_TRUE = ("correct", "rounding")  # verdicts of rows whose number is right to enough digits


class JudgedRow(NamedTuple):
    """A row of an answer as evidence: its mark, the index of that among the marks, and the quantity of the row.

    `worked`: it shows how its number is computed; `mentioned`: the quantities in its formulas; `repeats`: it adds
    nothing to an earlier row of the same quantity; `copied`: it only repeats another wrong number.
    """

    mark: Mark
    place: int
    quantity: Resolved
    worked: bool
    mentioned: frozenset[Resolved]
    repeats: bool
    copied: bool = False


def _counterparts(alignment: Alignment) -> dict[int, int]:
    """Return, by slot of the problem's own trace, the slot of the student's row that computes the same function.

    Inputs and outputs are matched by name. Other rows take a row that has no counterpart yet, of these one of the same
    name, else the first; rows of the problem share a row only if there are too few. Rows without a match are left out.
    """
    trace, sheet = alignment.problem, alignment.sheet
    rows_by_step = {slot: sheet.inputs[name] for slot, name in trace.graph.inputs.items()}
    taken: set[int] = set()
    names = {slot: name for name, slot in reversed(sheet.slots.items())}
    functions = FunctionIndex(alignment.reference_prints)
    like = grouped((slot, own) for own in sheet.cells for slot in functions.like(alignment.prints[own]))
    for slot, name in trace.names.items():
        alike = like.get(slot)
        if alike:
            best = min(alike, key=lambda own: (own in taken, names.get(own) != name))
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
        """Index the rows of an answer by quantity.

        With `either` a derivative may come from a forward or a reverse sweep; with `has_unknown_step` some row may be
        any step without one, so that no value is granted because others cover it. `rows` keep their order in each
        quantity. `own` maps slots of the problem's trace to slots of the student's worksheet. `covers`, `seeds` and
        `requested` are filled later, by the marks.
        """
        reference = alignment.problem
        self.graph, self.either, self.has_unknown_step = reference.graph, either, has_unknown_step
        self.steps = [*reference.graph.inputs, *sorted(reference.names)]
        self.users = grouped((p, slot) for slot in reference.names for p in dict.fromkeys(self.graph.parents[slot]))
        self.own, self.sheet = _counterparts(alignment), alignment.sheet
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
        """Return what one quantity earns: by its own rows, else by the best row that covers it.

        For a seed, a row that wrongly seeds another input or output (`_other_seed_rows`) replaces its own rows.
        """
        own = [row for quantity in self.spellings(each) for row in self.rows.get(quantity, ())]
        if each.seed:
            own = self._other_seed_rows(each) or own
        return self._mark_by_own(each, own) if own else self._mark_by_covering(each)

    def _mark_by_own(self, each: Demand, own: list[JudgedRow]) -> QuantityMark:
        """Return what a quantity earns by its own rows: by the one that counts (`_row_that_counts`), which is last in
        the mark.

        A seed, or a carried copy of another number, earns nothing if no other row of its sweep earns anything. All else
        earns the fractions of that row's mark. `own` is sorted by place, in place.
        """
        own.sort(key=lambda row: row.place)
        standing = _row_that_counts(own)
        rows = [row.place for row in own if row is not standing] + [standing.place]
        mark = standing.mark
        hollow = each.seed or (standing.copied and mark.verdict == "carried")
        if hollow and not self._sweep_earns(standing.quantity, each):
            return self._mark(each, rows, mark.verdict, _NOTHING, _NOTHING)
        return self._mark(each, rows, mark.verdict, mark.earned, mark.alone)

    def _mark_by_covering(self, each: Demand) -> QuantityMark:
        """Return what a quantity without a row of its own earns by the best row that covers it.

        The best row has a verdict that holds for what it covers (right or carried, without a wrong formula), earns most
        and is the latest. Without a covering row the quantity is missing; so is a result, and a value if some row may
        be any step. If the verdict of the best row does not hold, the quantity is an error if that row is wrong, else
        missing. A seed that is covered earns all.
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
        """Return the mark of a quantity. `earned` and `alone` are fractions of its points, `rows` the indices of its
        marks, the one that counts last.
        """
        return QuantityMark(each.name, tuple(rows), verdict, earned * each.points, alone * each.points, each.points)

    def spellings(self, each: Demand) -> list[Resolved]:
        """Return the quantities of the student's program whose rows may give `each`, the direct one first; [] if the
        student has no row for its slot.

        If `either`, and no row gives a resulting derivative directly, it may also come from the other sweep: the
        adjoint of x is the tangent of y along x. A derivative of a task without a mode may be both.
        """
        own_slot = self.own.get(each.slot)
        if own_slot is None:
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
        """Return the rows of another input (forward) or output (reverse) that the student seeded by mistake in the
        sweep of the seed `each`; [] if there are none.

        It is the first one whose row that counts is an error in this sweep, and whose derivative is not requested
        itself.
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
        """Return whether another row of the sweep of `quantity` (same kind and key) earns something and is not a copy.

        Rows of the seed `each` are left out; if `each` is not a seed all rows of the sweep count, also that of
        `quantity`.
        """
        seed = self.own.get(each.slot) if each.seed else None
        return any(
            row.mark.earned and not row.copied
            for other, rows in self.rows.items()
            if (other.kind, other.key) == (quantity.kind, quantity.key) and other.slot != seed
            for row in rows
        )

    def _covering_rows(self, kind: str, key: str | None) -> dict[int, list[JudgedRow]]:
        """Return, by slot of the problem, the rows that cover it in one sweep in case that the answer has no row for
        it.

        A row covers it if its formula goes over it from the rows next to it (`_rows_that_cover`). The sweep is that of
        `kind` (value, dot, bar) and `key` (its input or output, None for values). Results are cached.
        """
        covering = self.covers.get((kind, key))
        if covering is None:
            covering = self.covers[kind, key] = {}
            for slot in self.steps if kind == BAR else reversed(self.steps):
                nearer = self.graph.parents[slot] if kind == BAR else self.users.get(slot, ())
                covering[slot] = self._rows_that_cover(kind, key, slot, nearer, covering)
        return covering

    def _is_passed_over(self, slot: int) -> bool:
        """Return whether a row of the problem is missing in the answer because a formula of values passes over it."""
        return any(row.worked for row in self._covering_rows(VALUE, None).get(slot, ()))

    def _rows_that_cover(
        self, kind: str, key: str | None, slot: int, nearer: Iterable[int], known: Mapping[int, list[JudgedRow]]
    ) -> list[JudgedRow]:
        """Return the rows that cover the slot `slot` of the problem, each once: rows of the slots `nearer` to the
        result.

        Instead of a slot of `nearer` without a row the rows that cover it are taken (`known`). A row covers if it shows
        working or is right to enough digits, if the slot is the seed, or if formulas of values leave the slot out. It
        does not if it is a copy, or if its formula mentions the quantity itself, unless that is the seed, or a
        derivative in a right formula of a right number. `kind` and `key` are those of the sweep.
        """
        own_slot = self.own.get(slot)
        quantity = None if own_slot is None else Resolved(kind, own_slot, key)
        seed = self.seeds.get((kind, key))
        passing: dict[int, JudgedRow] = {}
        aside = quantity is None and kind != VALUE and self._is_passed_over(slot)
        for other in nearer:
            for row in self._rows_through(Resolved(kind, self.own.get(other, -1), key)) or known.get(other, []):
                covers = row.worked or aside or slot == seed or row.mark.verdict in _TRUE
                is_used = slot == seed or (kind != VALUE and row.mark.number == row.mark.formula == "right")
                if covers and not row.copied and (quantity is None or is_used or quantity not in row.mentioned):
                    passing[row.place] = row
        return list(passing.values())

    def _rows_through(self, quantity: Resolved) -> list[JudgedRow]:
        """Return the row of a quantity that counts, alone in a list; [] if it has none."""
        rows = self.rows.get(quantity)
        return [_row_that_counts(rows)] if rows else []


def _holds_for_covered(row: JudgedRow) -> bool:
    """Return whether the verdict of a row also holds for the quantities that it covers: right or carried, no wrong
    formula.
    """
    return row.mark.verdict in ("correct", "rounding", "precision", "carried") and row.mark.formula != "wrong"


def _row_that_counts(rows: Sequence[JudgedRow]) -> JudgedRow:
    """Return the row that counts: the last one that is not superseded, extra or missing (if all are, of all), and does
    not only repeat; if all repeat, the first.
    """
    filled = [row for row in rows if row.mark.verdict not in ("superseded", "extra", "missing")] or rows
    return next((row for row in reversed(filled) if not row.repeats), filled[0])
