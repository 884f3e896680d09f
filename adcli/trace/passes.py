"""The passes that make a trace: each adds its part to a trace under construction, if the request calls for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ..errors import DomainProblem
from ..graph.graph import Graph, with_variable_orders
from ..graph.order import ancestors
from ..graph.tape import Gradients, evaluate, linearize, value_and_partials
from ..language.program import Program
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from ..typings import TYPE_CHECKING
from . import faults
from .digit_loss_screen import cancelling_second_derivatives, find_suspects, may_have_noise
from .labels import node_labels, node_names, shown_name
from .sweeping import Sweeps, without_sign_of_zero
from .trace_model import SEED, Deferred, Note, Output, Request, Row, Step, Trace

if TYPE_CHECKING:
    from ..kinks.decision import Decision
    from ..table.arithmetic import Evaluating
    from .analysis_results import Second


class Draft:
    """A trace under construction; every pass reads the parts that those before it have added.

    graph, point       the program's graph in the order of the rows, and the value of every input by slot
    values, gradients  the value of every slot (None in a branch not taken), and its partials (none in value mode)
    evaluation         the values with names and texts that describe them
    screened           the partials by which digits are tested, if a decision corrected them (also in value mode)
    decision           the decision at kinks that are reached, or may be; None without such kinks
    overflows          the notes on rows without a finite double
    lost               the notes on lost digits
    trace              the trace; not set before `_assemble`
    """

    evaluation: faults.Evaluation
    sweeps: Sweeps
    trace: Trace

    def __init__(
        self,
        program: Program,
        at: Mapping[str, float],
        request: Request,
        graph: Graph,
        point: Mapping[int, float],
        notes: list[Note],
        label: str | None,
        expression: str,
    ) -> None:
        """Begin a trace of which only the graph and the point are known.

        Passes fill in the rest, as far as `request` calls for it. `at` has the numbers by input name, `point` by slot;
        `notes` are those on the reading of the point; `label` is that of the problem (None: it has none), `expression`
        is the program in one line.
        """
        self.at, self.request, self.graph, self.point, self.notes = at, request, graph, point, notes
        self.m: Evaluating[float] = FLOAT if request.numbers is None else request.numbers.m
        self.inputs = {name: slot for slot, name in graph.inputs.items()}
        self.names = node_names(graph)
        self.labels = node_labels(graph, self.names)
        self.values: Sequence[float] = ()
        self.gradients: Gradients = []
        self.screened: Gradients = []
        self.program = program
        self.label = label
        self.expression = expression
        self.overflows: list[Note] = []
        self.lost: list[Note] = []
        self.decision: Decision | None = None
        self.outputs: list[Output] = []
        self.rows: Sequence[Row] = []
        self.steps: Sequence[Step] = []
        self.second: Sequence[Second[float]] = ()

    @property
    def has_slopes(self) -> bool:
        """Return whether the request needs derivatives."""
        return self.request.mode != "value"

    @property
    def is_plain(self) -> bool:
        """Return whether all numbers are doubles, none of which overflowed."""
        return self.m is FLOAT and not self.overflows

    @property
    def may_be_vertical(self) -> bool:
        """Return whether a function may have an infinite slope at the point; otherwise such a slope is an overflow.

        True in arithmetic other than doubles, if there is a note of kind "kink", and if an input is not finite.
        """
        return (
            self.m is not FLOAT
            or any(note.kind == "kink" for note in self.notes)
            or not all(map(self.m.finite, self.point.values()))
        )


class Pass(NamedTuple):
    """One pass: `add` adds its part to a draft, if `applies` returns something true for that (None: always)."""

    add: Callable[[Draft], None]
    applies: Callable[[Draft], object] | None = None


def _add_values(draft: Draft) -> None:
    """Set `values` and `evaluation` of the draft, `gradients` (partials; empty in value mode), `screened`, `decision`
    and `overflows`.

    A decision at kinks corrects values and partials. In an arithmetic other than doubles the partials are computed
    after these checks. `overflows` are also appended to the notes. Raises DomainProblem at the first operation without
    a value; if certificates are requested in doubles and true values exist, this is a note of kind "uncertain" in
    `overflows` instead.
    """
    graph, m = draft.graph, draft.m
    if m is FLOAT and draft.has_slopes:
        draft.values, draft.gradients = value_and_partials(graph, draft.point)
    else:
        draft.values = evaluate(graph, m, draft.point)
    draft.evaluation = faults.Evaluation(graph, draft.values, draft.names, draft.labels, draft.program, m)
    draft.decision = faults.decision_at(draft.evaluation, draft.at, seams=draft.request.reaches_seams)
    if draft.decision is not None:
        free = with_variable_orders(graph, estimated=True)
        partials = draft.gradients or ([] if m is not FLOAT else linearize(free, m, draft.values))
        draft.values, draft.screened = draft.decision.correct(draft.values, partials, m)
        draft.gradients = draft.screened if draft.has_slopes else []
        draft.evaluation = draft.evaluation._replace(values=draft.values)
    try:
        draft.overflows = faults.check_values(draft.evaluation, draft.decision.only_in_piece if draft.decision else ())
    except DomainProblem:
        if not draft.request.certify or draft.request.numbers is not None:
            raise
        from .trust.certify import has_values

        if not has_values(graph, draft.at):
            raise
        draft.overflows = faults.check_values(draft.evaluation, strict=False)
    if m is not FLOAT and draft.has_slopes:
        draft.gradients = linearize(graph, m, draft.values)
        if draft.decision is not None:
            draft.values, draft.gradients = draft.decision.correct(draft.values, draft.gradients, m)
    draft.notes += draft.overflows


def _add_kinks(draft: Draft) -> None:
    """Append notes on kinks that are reached: on each row at a kink, on each output at one, then the arithmetic's
    notes.

    An output that may be at a kink has a note too. Without partials (value mode) there are only the arithmetic's notes.
    `draft.decision` becomes None if it decides nothing or, in doubles, if no kink is reached exactly.
    With kinks="error" the first corner below an output that is not smooth raises DomainProblem.
    """
    evaluation, decision = draft.evaluation, draft.decision
    reached = list(faults.reached_corners(evaluation, draft.gradients, decision)) if draft.gradients else []
    is_undecided = decision is not None and not decision.is_decided
    if is_undecided or (decision is not None and not decision.reached and draft.m is FLOAT):
        draft.decision = None  # nothing is known, or only numbers were next to a kink, which are right now
    if reached or (is_undecided and draft.gradients):
        from .kink_notes import corner_without_slope, outcome_notes  # a point without kinks does not load these

        wrong = corner_without_slope(decision, draft.graph, reached) if draft.request.kinks == "error" else None
        if wrong is not None:
            raise faults.corner_problem(evaluation, wrong)
        draft.notes += [faults.corner_note(evaluation, corner) for corner in reached]
        draft.notes += [] if decision is None else outcome_notes(decision, evaluation, reached)
    if draft.request.numbers is not None:
        draft.notes += draft.request.numbers.notes(draft.graph, draft.values, draft.labels)


def _add_outputs(draft: Draft) -> None:
    """Set `draft.sweeps`, corrected by the decision at kinks, and append an Output to `draft.outputs` for each output.

    The gradient is None in value mode, `directional` is None without a seed of inputs. An output that is a literal has
    the node "constant". Notes on derivatives that are not finite numbers are appended to `draft.notes`.
    """
    graph, decision, m = draft.graph, draft.decision, draft.m
    sweeps = draft.sweeps = Sweeps(graph, draft.gradients, draft.inputs, draft.request)
    if decision is not None:
        sweeps.correct(decision, m)
    for name, slot in graph.outputs:
        value = without_sign_of_zero(draft.values[slot])
        gradient = sweeps.gradient(name, slot) if draft.has_slopes else None
        if decision is not None and gradient is not None:
            gradient = decision.gradient(name, gradient, m)
        along = sweeps.dots[SEED][slot] if SEED in sweeps.dots else None
        shown, node = shown_name(name, draft.inputs), draft.names[slot] or "constant"
        output = Output(name, shown, node, draft.labels[slot], value, gradient, along)
        draft.outputs.append(output)
        draft.notes += _slope_notes(draft, output, slot)


def _slope_notes(draft: Draft, output: Output, slot: int) -> list[Note]:
    """Return notes on the entries of an output's gradient that are not finite numbers; the output is in `slot`.

    Empty in value mode, and if some row has no value in doubles: certificates then report each slope. If the output
    itself overflowed, slopes of 0 are noted too.
    """
    graph, overflows = draft.graph, draft.overflows
    if output.gradient is None or any(note.kind != "overflow" for note in overflows):
        return []
    doubtful: list[str] = []
    if overflows and not draft.m.finite(draft.values[slot]):
        needed = ancestors(graph, [slot])
        doubtful = [name for name, place in draft.inputs.items() if needed[place]]
    noted = {note.node for note in draft.notes if note.node}
    origin = partial(faults.find_nonfinite_origin, draft.evaluation, draft.gradients, slot, noted)
    unproven = draft.decision is not None and draft.decision.is_undecided(output.name)
    return faults.check_gradient(
        output.shown, output.gradient, overflowed=bool(overflows), vertical=draft.may_be_vertical, doubtful=doubtful,
        unproven=unproven, finite=draft.m.finite, origin=origin,
    )  # fmt: skip


def _add_lost_digits(draft: Draft) -> None:
    """Set `draft.lost` to the notes on outputs that have lost digits by rounding, and append them to `draft.notes`.

    Slopes are tested if the trace has them and no kink was decided; values are, if no decision knows them as fractions.
    Nothing happens if no output is suspected. After an overflow digits are not tested: `draft.notes` gets a note with
    the numbers of another way to write the formula, if one is found.
    """
    if draft.overflows:
        from .trust.conditioning import overflow_notes

        draft.notes += overflow_notes(draft.evaluation, draft.outputs, draft.at)
        return
    smooth = draft.has_slopes and draft.decision is None
    outputs = [y for y in draft.outputs if draft.decision is None or not draft.decision.has_fraction(y.name)]
    gradients = draft.gradients or draft.screened
    suspicion = find_suspects(draft.graph, draft.values, gradients, outputs, draft.sweeps.bars, slopes=smooth)
    if suspicion is not None:
        from .trust.conditioning import conditioning_notes

        draft.lost = conditioning_notes(draft.evaluation, *suspicion, draft.at)
        draft.notes += draft.lost


def _add_rows(draft: Draft) -> None:
    """Set `draft.rows` and `draft.steps`.

    Steps are written when they are read, and so are rows in doubles; other rows are written at once. Rows whose
    partials a decision at kinks changed show them as numbers.
    """
    from .row_formulas import Working
    from .rows import RowWriter

    changed = () if draft.decision is None else draft.decision.changed
    working = Working(draft.graph, draft.labels, draft.values, draft.request.digits, changed)
    writer = RowWriter(draft.graph, draft.names, draft.values, draft.gradients, draft.sweeps, working)
    draft.rows = Deferred(writer.rows, len(writer.slots)) if draft.m is FLOAT else list(writer.rows())
    draft.steps = Deferred(writer.steps)


def _add_second(draft: Draft) -> None:
    """Set `draft.second` to the Hessian of every output, its product with the direction `hvp`, or both; append notes.

    With both the sweeps are those of the product. The notes are on second derivatives at kinks, on those that are not
    finite and, in doubles without kinks or overflow, on those that have lost digits. Raises RequestError if the
    direction names something that is not an input.
    """
    from .hessians import second_derivatives, second_notes

    graph, m = draft.graph, draft.m
    draft.second = swept = second_derivatives(graph, m, draft.values, draft.request.hvp)
    if draft.request.hessian and draft.request.hvp is not None:
        swept = second_derivatives(graph, m, draft.values)
        draft.second = [x._replace(hessian=y.hessian) for x, y in zip(draft.second, swept, strict=True)]
    shown = {output.name: output.shown for output in draft.outputs}
    if draft.decision is not None:
        from .kink_notes import correct_second

        draft.second, notes = correct_second(draft.decision, graph, draft.second, shown, draft.names, m)
        draft.notes += notes
    undecided = [name for name in shown if draft.decision is not None and draft.decision.is_undecided(name)]
    draft.notes += second_notes(draft.second, shown, m.finite, vertical=draft.may_be_vertical, undecided=undecided)
    if draft.is_plain and draft.decision is None:
        suspects = cancelling_second_derivatives(graph, draft.values, draft.gradients, swept)
        if suspects:
            from .trust.conditioning import second_derivative_notes

            draft.notes += second_derivative_notes(draft.evaluation, suspects, shown, draft.at)


def _assemble(draft: Draft) -> None:
    """Set `draft.trace` to the trace of all parts so far.

    Values of inputs have no sign of zero; `keys` are (those of the forward sweeps, those of the reverse sweeps) that
    were made. From here on passes replace the trace itself.
    """
    request, sweeps = draft.request, draft.sweeps
    draft.trace = Trace(
        draft.label, draft.expression, request.mode, request.numbering,
        {name: without_sign_of_zero(draft.values[slot]) for name, slot in draft.inputs.items()}, draft.outputs,
        draft.rows, draft.steps, draft.notes, (tuple(sweeps.dots), tuple(sweeps.bars)), sweeps.products(), draft.graph,
        draft.values, draft.gradients, draft.names, request.numbers, second=draft.second, digits=request.digits,
        decision=draft.decision, wrt=request.wrt,
    )  # fmt: skip


def _mark_noise(draft: Draft) -> None:
    """Replace `draft.trace` by a trace in which the numbers are marked that are nothing but rounding errors.

    This happens in two cases, both in doubles without overflow: `draft.lost` is not empty, or steps are shown and some
    number may be noise (`may_have_noise`: one of its terms exceeds 1e13 times its size).
    """
    columns = draft.sweeps.dots.values(), draft.sweeps.bars.values()
    numbers = draft.graph, draft.values, draft.gradients
    if draft.is_plain and (draft.lost or (draft.request.steps and may_have_noise(*numbers, *columns))):
        from .trust.rounding_noise import mark_noise

        draft.trace = mark_noise(draft.trace, draft.at)


def _add_analyses(draft: Draft) -> None:
    """Replace `draft.trace` by one with the requested analyses, each with its notes, in this order.

    - contributions to rounding errors, for `conditioning`
    - certificates of the outputs, for `certify`
    - a verification by other routes, for `verify`
    """
    if draft.request.conditioning:
        from .trust.rounding_errors import add_error_contributions

        draft.trace = add_error_contributions(draft.trace, draft.at)
    if draft.request.certify:
        from .trust.certify import certify_trace

        draft.trace = certify_trace(draft.trace, draft.at)
    if draft.request.verify:
        from .trust.verify import verify_trace

        draft.trace = verify_trace(draft.trace)


PASSES = (
    Pass(_add_values),
    Pass(_add_kinks),
    Pass(_add_outputs),
    Pass(_add_lost_digits, lambda draft: draft.m is FLOAT),
    Pass(_add_rows, lambda draft: draft.request.steps),
    Pass(_add_second, lambda draft: draft.request.hessian or draft.request.hvp is not None),
    Pass(_assemble),
    Pass(_mark_noise),
    Pass(_add_analyses),
)
