"""True names: the rows of the problem's trace that the names of an answer mean if all of its rows are true. A row is
true if its number and formulas fit; a slot is the index of a row in the trace; a sweep is one of values, of tangents
(dot) for an input, or of adjoints (bar) for an output.

An answer may leave out the rows of some of its names and number them in an order of its own.  Then a name means a slot
of the trace for which every row that uses the name is true: its numbers at the point of the task, its formulas at
random points as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, product
from math import isfinite

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE, Entry, Numeral, Quantity, RowPiece, Task
from ...answers.shown_numbers import as_double
from ...graph.graph import Graph
from ...graph.order import ancestors
from ...graph.tape import evaluate
from ...numbers.doubles import FLOAT
from ...records import NamedTuple
from .reference_traces import Standard
from .value_rows import shown_number, stem_and_number
from .worksheet import Solution, Worksheet

_MOST_NAMES, _MOST_SLOTS, _MOST_TRIED = 24, 40, 4000
_PLACES = 3  # points at which formulas are compared
_EQUAL = 1e-7  # the relative error of equal formulas
_EXACT, _DRIFT = 1, 8  # units of the last place of a true number, and of one that is computed from rounded ones

Sweep = tuple[str, str | None]  # the kind of a sweep, value, dot or bar, and its input or output


class _NamedRow(NamedTuple):
    """A row of an answer that may be true or not: its quantity, names, number and formulas.

    `names` are all names in the row, its own among them, that are to be assigned to slots of the trace.
    """

    quantity: Quantity
    names: frozenset[str]
    number: Numeral | None
    formulas: tuple[RowPiece, ...]


def find_true_names(
    task: Task, entries: Sequence[Entry], references: Iterable[Standard]
) -> Iterator[tuple[Standard, dict[str, int]]]:
    """Yield (trace, {name: slot}) for each trace in `references` in which the answer's names can make its rows true.

    The dict has all names except those of inputs, outputs and the problem's own rows, which mean these. Skipped are
    traces without other names, with over 24 of them, or with over 40 slots. All rows that can be compared (`_as_row`)
    must be true. Only if no trace makes them so, all are tried again with just the rows about such a name (`dL/dz2 =
    …`).

    Numbers may be off by 1 unit of the last place or, if no meanings fit so, by 8. Two names of one series (v1 and v2,
    a and b) mean different slots, except if one only renames the other. A lower number does not use a higher; this is
    given up last, if no numbered name is one of the trace's own (v1). Each try ends after 4000 attempts. If in some
    trace two or more names of a series are true as the trace's own, only such traces are tried, and these names keep
    that meaning.
    """
    searches = [_NameSearch(task, entries, reference) for reference in references]
    searches = [search for search in searches if search.own_series] or searches
    has_names = False
    for is_about_name in (False, True):
        for search in searches if not has_names else ():
            if (true_names := search.find(is_about_name=is_about_name)) is not None:
                has_names = True
                yield search.reference, true_names


def rename_slots(reference: Standard, slots_by_name: Mapping[str, int]) -> Standard:
    """Return the trace with the names in `slots_by_name` for their slots; other slots keep their names.

    Only `names` and `slots` change. Of several names for one slot the first becomes its name. `slots` maps all these
    names, the new names and the trace's own names to slots; where they disagree, `slots_by_name` wins. A slot whose
    name another slot gets is called the first v1, v2, … that neither `slots_by_name` nor the trace has.
    """
    names = reference.names | {slot: name for name, slot in reversed([*slots_by_name.items()])}
    free = (name for number in count(1) if (name := f"v{number}") not in slots_by_name and name not in reference.slots)
    for slot, name in names.items():
        if slots_by_name.get(name, slot) != slot:
            names[slot] = next(free)
    slots = {name: slot for slot, name in names.items()}
    return reference._replace(names=names, slots={**reference.slots, **slots, **slots_by_name})


class _NameSearch:
    """A search for the slots of the trace `reference` that the names of one answer mean."""

    def __init__(self, task: Task, entries: Sequence[Entry], reference: Standard) -> None:
        """Evaluate the trace at the point of the task and at random points, and list the rows and their names.

        `fixed` has the slots of names with one meaning: of inputs, outputs and the problem's own rows. `names` are the
        other names, which are to be assigned, `slots` the trace's rows that they may mean. `default` has the slots of
        the trace's own names, `results` those of outputs. `solutions` are those at the first three points. `alike` are
        pairs of names of which one only renames the other. `own_series` are the stems (v of v1) whose names mean the
        trace's own rows.
        """
        self.reference = reference
        graph = self.graph = reference.graph
        self.sheet = Worksheet(task, list(graph.inputs.values()))
        self.place = self.sheet.graft_whole(graph)
        self.sheet.slots |= {name: self.place[slot] for slot, name in reference.names.items()}
        self.sheet.finish({name: self.place[slot] for name, slot in graph.outputs})
        self.fixed = {alias: slot for slot, alias in graph.aliases.items()} | dict(graph.outputs)
        self.fixed |= {name: slot for slot, name in graph.inputs.items()}
        self.slots = [slot for slot in reference.names if slot in self.place]
        self.rows = [row for row in map(self._as_row, entries) if row is not None]
        self.alike = {pair for row in self.rows for pair in _alias_pairs(row)}
        self._add_result()
        self.rows = [row._replace(names=row.names - self.fixed.keys()) for row in self.rows]
        self.names = [*dict.fromkeys(name for row in self.rows for name in sorted(row.names))]
        self.default, self.results = reference.slots, {slot for _, slot in graph.outputs}
        self.solutions: list[Solution] = list(self.sheet.truths()[:_PLACES])
        self.tried, self.units, self.in_order = 0, _EXACT, True
        stems = {stem_and_number(name)[0] for name in self.names}
        self.own_series = {stem for stem in stems if self._is_own_series(stem)}

    def _is_own_series(self, stem: str) -> bool:
        """Return whether the answer's names of the series `stem` (v for v1, v2) mean the trace's rows called so.

        Only value rows are compared whose name is one of the trace's and which use no other name that has to be
        assigned: v3 = v1*v2 is ignored. They must have two or more names of the series, and all of them must be true
        with this meaning, to 1 unit of the last place.
        """
        alike = [row for row in self.rows if row.quantity.kind == VALUE and row.names == {row.quantity.name}]
        series = {name: self.default[name] for row in alike if (name := row.quantity.name) in self.default}
        series = {name: slot for name, slot in series.items() if stem_and_number(name)[0] == stem}
        return len(series) > 1 and all(self._is_true(row, series) for row in alike if row.quantity.name in series)

    def _add_result(self) -> None:
        """Record in `fixed` that the one name that occurs only as the y of dy/dx means the output.

        Names in `fixed` do not count. The name may be neither a key (the x of a derivative or tangent, the output of an
        adjoint) nor that of a row or symbol of another kind; other names may occur elsewhere. Nothing is recorded if
        there are several such names or outputs, or if the answer uses the output's own name anywhere.
        """
        quantities = [row.quantity for row in self.rows]
        quantities += [q for row in self.rows for piece in row.formulas for q in piece.quantities.values()]
        above = {quantity.name for quantity in quantities if quantity.kind == DERIVATIVE}
        others = {quantity.name for quantity in quantities if quantity.kind != DERIVATIVE}
        others |= {quantity.key or "" for quantity in quantities}
        written = above | others
        above -= others | self.fixed.keys()
        if len(above) == len(self.sheet.outputs) == 1 and written.isdisjoint(self.sheet.outputs):
            self.fixed |= dict.fromkeys(above, self.graph.outputs[0][1])

    def _as_row(self, entry: Entry) -> _NamedRow | None:
        """Return an entry as a _NamedRow: its quantity, names, last number and formulas.

        The names are those of the quantity and of all symbols in its formulas, with their inputs and outputs: y and x
        of dy/dx. `formulas` are the pieces that could be read and use a name, so not arithmetic such as 2*3. None if
        nothing can be compared: the row has no number, and it has no formulas or each is a single name.
        """
        formulas = tuple(piece for piece in entry.pieces if piece.graph is not None and piece.quantities)
        number = shown_number(entry)
        if number is None and all(piece.graph is not None and len(piece.graph) == 1 for piece in formulas):
            return None  # y = w alone would be true of any w
        used = [entry.quantity, *(quantity for piece in formulas for quantity in piece.quantities.values())]
        names = {name for each in used for name in (each.name, each.key) if name}
        return _NamedRow(entry.quantity, frozenset(names), number, formulas)

    def find(self, *, is_about_name: bool) -> dict[str, int] | None:
        """Return the slots that the names to assign mean, {name: slot}; None if none are found.

        None also if there are no names or more than 24, or more than 40 slots with names.

        `assign` is tried with 1 unit in order, then with 8 units in order, then, if no numbered name is one of the
        trace's own, with 8 units in any order. With `is_about_name` only rows are compared whose own quantity has a
        name to assign, as its name, or as its key (x of dy/dx); `rows` then keeps only these, while all names are still
        assigned.
        """
        if is_about_name:
            self.rows = [row for row in self.rows if not row.names.isdisjoint(row.quantity[1:])]
        tries = [(_EXACT, True), (_DRIFT, True)]
        if not any(isfinite(stem_and_number(name)[1]) and name in self.default for name in self.names):
            tries.append((_DRIFT, False))
        is_small = 0 < len(self.names) <= _MOST_NAMES and len(self.slots) <= _MOST_SLOTS
        tried = (self.assign(*each) for each in tries if is_small)
        return next((names for names in tried if names is not None), None)

    def assign(self, units: int, in_order: bool) -> dict[str, int] | None:
        """Return the first assignment {name: slot} of all of `names` with which all rows are true; None if none is
        found.

        It is a depth-first search, names with the fewest options first, that gives up after 4000 attempts in this call.
        Rows without names to assign must be true, too. Numbers may be off by `units` of their last place. With
        `in_order`, numbered names of a series are in the order of computation. Sets the attributes `units` and
        `in_order`.
        """
        self.units, self.in_order, self.tried = units, in_order, 0
        options = {name: self._options(name) for name in self.names}
        if not all(options.values()) or any(not row.names and not self._is_true(row, {}) for row in self.rows):
            return None
        order = sorted(self.names, key=lambda name: len(options[name]))
        stack: list[dict[str, int]] = [{}]
        while stack and self.tried < _MOST_TRIED:
            chosen = stack.pop()
            if len(chosen) == len(order):
                return chosen
            name = order[len(chosen)]
            stack += reversed([*self._extend(chosen, name, options[name])])
        return None

    def _options(self, name: str) -> list[int]:
        """Return the slots that `name` may mean: those with which all rows are true that use no other name to assign.

        Candidates are all of `slots`: the slot of the same name first; then, if no other name has its stem, outputs.
        But a name of the trace in one of `own_series` (v1 and v2 mean the trace's rows of these names) has only its own
        row as candidate. [] if no slot fits.
        """
        alone = [row for row in self.rows if row.names == {name}]
        stem, default = stem_and_number(name)[0], self.default.get(name)
        likely = self.results if sum(stem_and_number(other)[0] == stem for other in self.names) == 1 else self.slots
        slots = sorted(self.slots, key=lambda slot: (slot != default, slot not in likely))
        if default is not None and stem in self.own_series:
            slots = [default]
        return [slot for slot in slots if all(self._is_true(row, {name: slot}) for row in alone)]

    def _extend(self, chosen: dict[str, int], name: str, slots: Sequence[int]) -> Iterator[dict[str, int]]:
        """Yield `chosen` with `name` assigned to each of `slots` that is possible next to the names in `chosen`.

        Two names of a series must mean different slots, with `in_order` in the order of their numbers (`_is_possible`).
        All rows whose last unassigned name this is must be true. Each attempt counts in `tried`.
        """
        known = {name, *chosen}
        ready = [row for row in self.rows if name in row.names and len(row.names) > 1 and row.names <= known]
        for slot in slots:
            self.tried += 1
            further = {**chosen, name: slot}
            if self._is_possible(name, slot, chosen) and all(self._is_true(row, further) for row in ready):
                yield further

    def _is_possible(self, name: str, slot: int, chosen: Mapping[str, int]) -> bool:
        """Return whether `name` may mean `slot` next to the names in `chosen` of its series.

        A series are names with the same stem, or single letters. Two names of a series mean different slots. With
        `in_order` the slot of the lower number must not be computed, directly or by other rows, from that of the higher
        (no number is higher than all); this is not tested if `name` has no number. Pairs in `alike`, of which one only
        renames the other, are exempt.
        """
        stem, number = stem_and_number(name)
        for other, known in chosen.items():
            its_stem, its_number = stem_and_number(other)
            if its_stem != stem or frozenset((name, other)) in self.alike:
                continue
            if known == slot:
                return False
            first, last = (slot, known) if number < its_number else (known, slot)
            if self.in_order and isfinite(number) and ancestors(self.graph, [first])[last]:
                return False
        return True

    def _is_true(self, row: _NamedRow, chosen: Mapping[str, int]) -> bool:
        """Return whether a row is true, in one of the sweeps that it may be about, if names mean the slots `chosen`."""
        slots = {name: self.place[slot] for name, slot in {**self.fixed, **chosen}.items()}
        return any(self._is_true_in(sweep, row, slots) for sweep in self._sweeps(row.quantity, slots))

    def _sweeps(self, quantity: Quantity, slots: Mapping[str, int]) -> Iterable[Sweep]:
        """Return the sweeps, (kind, input or output), that a quantity may belong to.

        - A value: (VALUE, None).
        - A derivative dv/du (kind DERIVATIVE): the adjoint sweep of each output that has the slot of v, and the tangent
          sweep of u if u is an input.
        - A tangent or adjoint: the sweep of its key; if it has no known key, each sweep of its kind.
        """
        inputs, outputs = self.sheet.inputs, self.sheet.outputs
        kind, name, key = quantity
        if kind == VALUE:
            return [(VALUE, None)]
        if kind == DERIVATIVE:
            adjoints = [(BAR, out) for out in outputs if outputs[out] == slots.get(name)]
            return adjoints + [(DOT, input_name) for input_name in inputs if input_name == key]
        known = inputs if kind == DOT else outputs
        return [(kind, key)] if key in known else [(kind, input_name) for input_name in known]

    def _is_true_in(self, sweep: Sweep, row: _NamedRow, slots: Mapping[str, int]) -> bool:
        """Return whether a row is true as a row of one sweep, if its names mean the `slots`.

        Its number, if it has one, must be within `units` units of its last place (included) of the true number at the
        point, that of the trace. Its formulas, with true values for their symbols, must have the true values there and
        at two random points; a formula counts as true where it or the true value is not finite. False if no rule gives
        its quantity a true value (`_value`), or if that is undefined (nan) at the point.
        """
        true = self._value(row.quantity, sweep, slots, self.solutions[0])
        if true is None or math.isnan(true):
            return False
        if row.number is not None and abs(as_double(row.number.value) - true) > self.units * as_double(row.number.unit):
            return False
        return all(self._is_equal(piece, row.quantity, sweep, slots) for piece in row.formulas)

    def _is_equal(self, piece: RowPiece, quantity: Quantity, sweep: Sweep, slots: Mapping[str, int]) -> bool:
        """Return whether a formula equals `quantity` at the point and two random points, if names mean the `slots`.

        The row belongs to `sweep`. At each point some choice of meanings must fit, not always the same: a derivative in
        the formula is that of the whole program or a local partial. False for a piece without a graph, and if no rule
        gives `quantity` or a symbol a value. Points at which a value is not finite count as equal.
        """
        if (graph := piece.graph) is None:
            return False
        for solution in self.solutions:
            true = self._value(quantity, sweep, slots, solution)
            choices = [self._values(piece.quantities[name], sweep, slots, solution) for name in graph.inputs.values()]
            if true is None or not any(_is_value(graph, values, true) for values in product(*choices)):
                return False
        return True

    def _values(self, quantity: Quantity, sweep: Sweep, slots: Mapping[str, int], solution: Solution) -> list[float]:
        """Return the true values that a symbol may have in a formula of a row of `sweep`; [] if no rule gives one.

        First comes the value by `_value`, if it is not None. Then, for dv/du (kind DERIVATIVE, not a tangent or
        adjoint) of a row v whose own formula uses u, the local partial: the sum over all uses of u in this row. `slots`
        maps names to slots.
        """
        value = self._value(quantity, sweep, slots, solution)
        values = [] if value is None else [value]
        slot, below = slots.get(quantity.name), slots.get(quantity.key or "")
        cell = None if slot is None else self.sheet.cells.get(slot)
        if quantity.kind == DERIVATIVE and cell is not None and below in cell.leaves:
            partials = cell.partials({leaf: solution.value(leaf) for leaf in cell.leaves})
            values.append(partials[below].middle)
        return values

    def _value(self, quantity: Quantity, sweep: Sweep, slots: Mapping[str, int], solution: Solution) -> float | None:
        """Return the true value of a quantity in a row of the sweep `sweep`; None if no rule gives one, nan if
        undefined.

        `sweep` is (kind, input or output). `slots` gives the slot of each name, `solution` the values and derivatives
        of the trace. A derivative dv/du (kind DERIVATIVE) whose v is an output is its adjoint at u (of several outputs
        in that slot the first), any other is the tangent of v for the input u, whatever the sweep. A tangent or adjoint
        is that of `sweep`; its own key is not read. None if a name has no slot, if u of such a tangent is not an input,
        and for a tangent or adjoint in a row of another kind of sweep.
        """
        kind, name, key = quantity
        if kind == DERIVATIVE:
            slot, below = slots.get(name), slots.get(key or "")
            if slot is None or below is None:
                return None
            outputs = [out for out, output in self.sheet.outputs.items() if output == slot]
            if outputs:
                return solution.read(BAR, below, outputs[0]).middle
            return solution.read(DOT, slot, key).middle if key in self.sheet.inputs else None
        place = slots.get(name)
        if place is None or kind not in (VALUE, sweep[0]):
            return None
        return solution.read(kind, place, sweep[1]).middle


def _alias_pairs(row: _NamedRow) -> Iterator[frozenset[str]]:
    """Yield the pair of names of a row of values such as `E = z2`, of which one is only another name of the other."""
    for piece in row.formulas:
        if row.quantity.kind == VALUE and piece.graph is not None and len(piece.graph) == 1:
            yield frozenset((row.quantity.name, *(quantity.name for quantity in piece.quantities.values())))


def _is_value(graph: Graph, values: Sequence[float], true: float) -> bool:
    """Return whether a formula has the value `true`, up to 1e-7 times the larger of the two sizes (at least 1e-7).

    True also if either is not a finite real number. `values` are those of the formula's inputs, in order.
    """
    value = evaluate(graph, FLOAT, dict(zip(graph.inputs, values, strict=True)))[graph.outputs[0][1]]
    if not isinstance(value, float) or not isfinite(value) or not isfinite(true):
        return True
    return abs(value - true) <= _EQUAL * max(abs(true), abs(value), _EQUAL)
