"""Explained sweeps: for every step of a trace its rule, the rows that it needs, and the contributions to it, as plain
data. An edge goes from an argument to a row, with the partial and the contribution on it; labels are the names that are
shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from ..errors import RequestError
from ..graph.graph import INPUT, Graph
from ..graph.order import over_children, over_parents, search
from ..notation.display_formula import Formula
from ..notation.formula import TABLE, render
from ..notation.number_text import Digits
from ..notation.table_formulas import join, unfold, write_adjoint, write_name, write_partial, write_tangent
from ..records import NamedTuple
from ..typings import Any
from .labels import node_labels
from .row_formulas import Working
from .trace_model import SEED, Request, Row, Step, Trace
from .written_rules import WrittenRule, rule_of

VALUE, FORWARD, REVERSE = "value", "forward", "reverse"
MOST = 2000  # steps that are explained
_COUNTED = 100 * MOST


class EdgeFlow(NamedTuple):
    """The contribution through one edge of the graph: argument `position` of the row `child` is the row `parent`
    (names).

    The partial derivative is written with names (`symbolic`), with numbers (`substituted`) and as a number (`slope`);
    `amount` is its product with the parent's tangent (forward) or the child's adjoint (reverse).
    """

    parent: str
    child: str
    position: int
    symbolic: Formula
    substituted: Formula
    slope: float
    amount: float


class ExplainedStep(NamedTuple):
    """One step of a sweep with its explanation.

    number     counts from 1 through all sweeps, or anew in each
    row        the row whose operation is used: the target, or in a reverse sweep the source of the contribution
    rule       the rule of that operation; None if no rule is used
    explained  the number of the step that explains the rule; None if no rule is used
    arguments  those of the row, as formulas
    needs      labels of rows that have to be known before: the arguments of the row, or in a reverse sweep the rows
               that contributed to its adjoint
    edges      all terms of a tangent, or the contributions to an adjoint so far
    pending    labels of the rows that have not contributed to the adjoint yet
    weight     the seed of the adjoint; None without one
    opens      whether this is the first reverse step of the row
    reached    whether the seed of a forward sweep influences the row; True in other sweeps
    notes      texts on slopes set by convention
    """

    number: int
    step: Step
    row: Row
    rule: WrittenRule | None
    explained: int | None
    arguments: tuple[Formula, ...]
    needs: tuple[str, ...] = ()
    edges: tuple[EdgeFlow, ...] = ()
    pending: tuple[str, ...] = ()
    weight: float | None = None
    opens: bool = False
    reached: bool = True
    notes: tuple[str, ...] = ()


class Departure(NamedTuple):
    """The step of the depth-first search that finishes a row: `path` from the root to it, itself last, and all its
    neighbours (labels).
    """

    path: tuple[str, ...]
    neighbours: tuple[str, ...]


class Search(NamedTuple):
    """The depth-first search behind a sweep, in labels of rows.

    root       where it begins: the input or the output
    places     one for each row that it visits, in the order in which rows are finished
    tape       the rows in the reverse of this order, so that the root is first
    unreached  the rows that it does not visit
    """

    root: str
    places: tuple[Departure, ...]
    tape: tuple[str, ...]
    unreached: tuple[str, ...]


class SweepResult(NamedTuple):
    """A result of a sweep: its `name` (`∂y/∂x1`), the `symbol` of the row that has it (`x̄1`), and its number."""

    name: Formula
    symbol: Formula
    value: float


class ExplainedSweep(NamedTuple):
    """One explained sweep.

    sweep   "value", "forward" or "reverse"
    key     the name of the input or output, `seed`, or "" for values
    about   the name that people read for `key`
    search  the depth-first search that orders the sweep; None if there is none
    steps   its steps, in order; `results` has the numbers at its end
    """

    sweep: str
    key: str
    about: str
    search: Search | None
    steps: tuple[ExplainedStep, ...]
    results: tuple[SweepResult, ...]


def explain_steps(trace: Trace, digits: Digits, *, restart_numbers: bool = False) -> list[ExplainedSweep]:
    """Return the sweeps of a trace with each step explained: values (always), then forward sweeps, then reverse sweeps.

    `digits` is how numbers are shown. Steps are numbered from 1 through all sweeps. A step refers to the step in which
    its rule was first used, counted once for the values and once for the derivatives. With `restart_numbers` numbers
    and first uses start anew in each sweep. Raises RequestError for more than 2000 rows and steps together.
    """
    _allow(len(trace.rows) + len(trace.steps))
    teller = _Teller(trace, digits)
    passages: list[ExplainedSweep] = []
    ahead, back = trace.keys
    for sweep, key in [(VALUE, ""), *product([FORWARD], ahead), *product([REVERSE], back)]:
        if restart_numbers:
            teller.begin()
        passages.append(teller.explain_sweep(sweep, key))
    return passages


def _allow(count: int, least: str = "") -> None:
    """Raise RequestError if `count` is above 2000; `least` is put before the number: "at least "."""
    if count > MOST:
        advice = f"up to {MOST} are explained: choose a sweep with --mode and --wrt; adcli eval has no limit"
        raise RequestError(f"{least}{count} steps are too many to explain", help=advice)


def check_step_count(graph: Graph, request: Request) -> None:
    """Raise RequestError if the sweeps of `request` would have more than 2000 steps, before anything is computed.

    Steps are the rows (inputs and operations), in forward modes the rows again for each input of `wrt` (all inputs, if
    empty), and in reverse modes one for each contribution and output. With a seed, or a branch in the graph, only the
    rows are counted, because the number of steps depends on the point.
    """
    rows = len(graph.inputs) + sum(1 for _ in graph.operations())
    if request.seed or graph.has_choices():  # how many there are hangs on the seed, or on the point
        _allow(rows, "at least ")
        return
    count = rows
    if request.mode in ("forward", "both"):
        count += rows * len(request.wrt or graph.inputs)
    if request.mode in ("reverse", "both"):
        for _, slot in graph.outputs:
            if count > _COUNTED:
                _allow(count, "at least ")
            count += _count_reverse_steps(graph, slot)
    _allow(count)


def _count_reverse_steps(graph: Graph, output: int) -> int:
    """Return the number of steps of a reverse sweep from the slot `output`: the seed, and each edge that is reached.

    An edge is an argument of a reached operation; edges to literals and to conditions do not count. 0 if the output is
    a literal.
    """
    count = 0 if graph.literal[output] else 1
    reached = bytearray(output + 1)
    reached[output] = 1
    for slot in range(output, -1, -1):
        if reached[slot] and not graph.literal[slot]:
            for parent in graph.parents[slot]:
                if not graph.literal[parent] and not graph.is_condition(parent):
                    reached[parent] = 1
                    count += 1
    return count


class _Teller:
    """A writer of the explanations of one trace, sweep by sweep."""

    def __init__(self, trace: Trace, digits: Digits) -> None:
        """Take the trace whose sweeps are explained, and the `digits` in which numbers are shown.

        Rows are indexed by name and by slot; step numbers and explained rules start anew (`begin`).
        """
        self.trace = trace
        self.graph = trace.graph
        self.by_name = {row.name: row for row in trace.rows}
        self.by_slot = {row.slot: row for row in trace.rows}
        self.labels = node_labels(self.graph, trace.names)
        self.working = Working(self.graph, self.labels, trace.values, digits)
        self.begin()

    def begin(self) -> None:
        """Start again from step 1, with no rule explained yet."""
        self.number = 0
        self.explained: dict[tuple[bool, str], int] = {}

    def explain_sweep(self, sweep: str, key: str) -> ExplainedSweep:
        """Return one explained sweep with its steps, its depth-first search and its results.

        `sweep` is VALUE, FORWARD or REVERSE; `key` is the input or output of the sweep, SEED, or "" for VALUE. Step
        numbers follow on from the last sweep; if the trace has no sweep of `key`, there are no steps. `about` is the
        output's name for people in a reverse sweep, and `key` in others. `search` is None for VALUE.
        """
        if sweep == VALUE:
            return ExplainedSweep(sweep, key, key, None, tuple(self._values()), self._results(sweep, key, key))
        steps = [step for step in self.trace.steps if (step.sweep, step.key) == (sweep, key)]
        about, explained_steps = key, self._forward_steps(key, steps)
        if sweep == REVERSE:
            about = next((output.shown for output in self.trace.outputs if output.name == key), key)
            explained_steps = self._reverse_steps(steps)
        search = self._search(sweep, key)
        return ExplainedSweep(sweep, key, about, search, tuple(explained_steps), self._results(sweep, key, about))

    def _next_step(self, step: Step, row: Row, ruled: bool = True) -> ExplainedStep:
        """Return the next explained step of `row`, with its rule and arguments; the other fields have their defaults.

        Adds 1 to `number`. `rule` is the rule of the row's operation, `explained` the number of the step that used this
        rule first (values and derivatives are counted separately). Both are None for an input, and if `ruled` is False.
        """
        self.number += 1
        operation, rule, first = self.graph.rows[row.slot], None, None
        if operation is not None and ruled:
            rule = rule_of(operation)
            first = self.explained.setdefault((step.sweep == VALUE, rule.name), self.number)
        arguments = tuple(map(self._argument, self.graph.parents[row.slot]))
        return ExplainedStep(self.number, step, row, rule, first, arguments)

    def _argument(self, slot: int) -> Formula:
        if self.labels[slot]:
            return write_name(self.labels[slot])
        return unfold(render(self.graph, slot, TABLE, lambda _: None), self.graph, slot, {})

    def _parents(self, row: Row) -> tuple[str, ...]:
        """Return the labels of the arguments of a row, each once, without arguments in a branch that is not taken."""
        parents, operation = self.graph.parents[row.slot], self.graph.rows[row.slot]
        if operation is not None and operation.route is not None and row.value is not None:
            parents = (parents[0], *(parents[k] for k in operation.route(self.trace.values[parents[0]])))
        return tuple(dict.fromkeys(self.labels[p] for p in parents if self.labels[p]))

    def _values(self) -> Iterator[ExplainedStep]:
        """Yield the explained steps of the evaluation, one for each row."""
        for row in self.trace.rows:
            formula = join() if row.operator == INPUT else row.formula
            value: Any = row.value  # None in a branch not taken, which only this sweep explains
            step = Step(row.name, row.label, VALUE, "", None, formula, formula, row.substituted, value)
            yield self._next_step(step, row)._replace(needs=self._parents(row))

    def _edge_flow(self, row: Row, position: int, amount: float) -> EdgeFlow | None:
        """Return the EdgeFlow from the argument at `position` of a row to the row; None for a literal or without
        partial.

        Its `symbolic` and `substituted` are the partial as a formula, with letters and with numbers (the number itself
        if the partial has no formula); `slope` is the partial, and `amount` the partial times the parameter `amount`:
        the tangent of the argument, or the adjoint of the row.
        """
        slope = row.gradient[position]
        parent = self.by_slot.get(self.graph.parents[row.slot][position])
        if slope is None or parent is None:
            return None
        shown = self.working.number(slope)
        symbolic = self.working.slope(row.slot, position) or shown
        substituted = self.working.slope(row.slot, position, numbers=True) or shown
        return EdgeFlow(parent.name, row.name, position, symbolic, substituted, slope, slope * amount)

    def _forward_steps(self, key: str, steps: Sequence[Step]) -> Iterator[ExplainedStep]:
        """Yield the explained steps of the forward sweep for the input `key` (or SEED), in the order of `steps`.

        `edges` are those from all arguments that have a partial and are not literals; `needs` has the labels of the
        arguments. An input is `reached` if its tangent is not 0, another row if one of its edges comes from a reached
        row. Inputs have no rule.
        """
        reached: set[str] = set()
        for step in steps:
            row = self.by_name[step.target]
            is_input = row.operator == INPUT
            parents = [self.by_slot.get(p) for p in self.graph.parents[row.slot]]
            flows = [self._edge_flow(row, k, p.dot[key]) for k, p in enumerate(parents) if p is not None]
            edges = tuple(edge for edge in flows if edge is not None)
            if any(edge.parent in reached for edge in edges) or (is_input and step.value != 0):
                reached.add(row.name)
            yield self._next_step(step, row, ruled=not is_input)._replace(
                needs=self._parents(row), edges=edges, reached=row.name in reached, notes=self._kinks(row)
            )

    def _reverse_steps(self, steps: Sequence[Step]) -> Iterator[ExplainedStep]:
        """Yield the explained steps of a reverse sweep, in the order of `steps`: seeds, then contributions.

        A contribution goes from the adjoint of its source row to the adjoint of its target, an argument of the row. The
        fields:

        - `pending`: labels (here and below each once) of the rows that contribute to the same target in later steps
        - `edges`: all contributions to the target so far, the new one last; empty for a seed, which has no rule either
        - `weight`: the seed of the target; None if the target has no seed
        - `needs`: labels of the rows that contributed to the adjoint of the source row before
        - `opens`: True at the first step of a source row; only this step has the notes on kinks
        """
        edges_left: dict[str, Iterator[EdgeFlow]] = {}  # of each source row, to its arguments in order
        contributions: dict[str, list[EdgeFlow]] = {}
        weights: dict[str, float] = {}
        for place, step in enumerate(steps):
            later = [s.source for s in steps[place + 1 :] if s.target == step.target]
            pending = tuple(dict.fromkeys(self.by_name[name].label for name in later if name is not None))
            if step.source is None:
                weights[step.target] = step.value
                yield self._next_step(step, self.by_name[step.target], ruled=False)._replace(pending=pending)
                continue
            row = self.by_name[step.source]
            opens = row.name not in edges_left
            if opens:  # arguments without a partial and literals have no step
                edges = [self._edge_flow(row, k, row.bar[step.key]) for k in range(len(row.gradient))]
                edges_left[row.name] = iter([edge for edge in edges if edge is not None])
            together = contributions.setdefault(step.target, [])
            together.append(next(edges_left[row.name]))
            needs = tuple(dict.fromkeys(self.by_name[flow.child].label for flow in contributions.get(row.name, ())))
            yield self._next_step(step, row)._replace(
                needs=needs, edges=tuple(together), pending=pending, weight=weights.get(step.target), opens=opens,
                notes=self._kinks(row) if opens else (),
            )  # fmt: skip

    def _kinks(self, row: Row) -> tuple[str, ...]:
        return tuple(note.text for note in self.trace.notes if note.kind == "kink" and note.node == row.name)

    def _search(self, sweep: str, key: str) -> Search | None:
        """Return the depth-first search that orders a sweep; None for a seeded sweep, and for an output that is a
        literal.

        `sweep` is FORWARD (from the input `key` over children) or REVERSE (from the output `key` over parents).
        `places` has a Departure for each row, in the order in which rows are finished: the path from `key` to the row,
        both included, and its children or parents, each once. `tape` has the rows in the reverse order, `unreached`
        those that are not visited. All of these are labels.
        """
        graph, labels = self.graph, self.labels
        roots = {name: slot for slot, name in graph.inputs.items()} if sweep == FORWARD else dict(graph.outputs)
        if key == SEED or not labels[roots[key]]:
            return None
        visits = search(roots[key], over_children(graph) if sweep == FORWARD else over_parents(graph))
        places = []
        for path, around in visits:
            neighbours = tuple(dict.fromkeys(labels[s] for s in around))
            places.append(Departure(tuple([labels[s] for s in path]), neighbours))
        tape = tuple(place.path[-1] for place in reversed(places))
        unreached = [row.label for row in self.trace.rows if row.label not in tape]
        return Search(tape[0], tuple(places), tape, tuple(unreached))

    def _results(self, sweep: str, key: str, about: str) -> tuple[SweepResult, ...]:
        """Return the results of a sweep as (name, symbol, number).

        `sweep` is VALUE (values of outputs), FORWARD (tangents of outputs) or REVERSE (adjoints of all inputs); `key`
        is the input, the output or SEED; `about` is the output's name in sentences, used by REVERSE. The name is the
        output's, or ∂y/∂x; with SEED it is the symbol ẏ or x̄. An output that is a literal has an empty symbol and the
        tangent 0.
        """
        if sweep == VALUE:
            return tuple(SweepResult(write_name(o.shown), write_name(o.label), o.value) for o in self.trace.outputs)
        if sweep == FORWARD:
            return tuple(self._tangents(key))
        inputs = [row for row in self.trace.rows if row.operator == INPUT]
        symbols = [write_adjoint(row.label) for row in inputs]
        names = symbols if key == SEED else [write_partial(about, row.label) for row in inputs]
        return tuple(map(SweepResult, names, symbols, [row.bar[key] for row in inputs]))

    def _tangents(self, key: str) -> Iterator[SweepResult]:
        """Yield the tangent of each output with respect to the input `key`, or along the seeds (SEED)."""
        dots = {row.name: row.dot[key] for row in self.trace.rows}
        for output in self.trace.outputs:
            name = write_tangent(output.shown) if key == SEED else write_partial(output.shown, key)
            yield SweepResult(name, write_tangent(output.label) if output.label else join(), dots.get(output.node, 0.0))
