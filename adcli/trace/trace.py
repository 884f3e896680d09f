"""Evaluation traces: what every row is worth, how it was reached, and what there is to know about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..errors import DomainProblem, NameProblem, Span
from ..graph.graph import CONSTANTS, Graph
from ..graph.order import ancestors, arranged, shared
from ..graph.tape import Gradients, differentiated, evaluate, linearize
from ..language.problems import in_arithmetic
from ..language.program import Program
from ..numbers.doubles import FLOAT
from ..table.primitive import lookup
from ..table.suggest import product_of, similar
from .faults import (
    Evaluation,
    arising,
    beyond_doubles,
    check_gradient,
    check_values,
    corner_note,
    corner_problem,
    corners,
)
from .labels import node_labels, node_names, shown_name
from .model import SEED, Note, Output, Request, Row, Step, Trace
from .suspicion import blotted, suspected
from .sweeping import Sweeps, without_sign_of_zero

if TYPE_CHECKING:
    from ..kinks.decision import Decision
    from ..table.arithmetic import Evaluating
    from .findings import Second


def trace(
    program: Program,
    at: Mapping[str, float],
    request: Request,
    label: str | None = None,
    allow: Callable[[Graph, Request], None] | None = None,
) -> Trace:
    """The trace of a program at a point; `allow` may refuse it by its graph, before there is much work.

    Names of the point that the program lacks become inputs with a row of zeros.  Raises NameProblem for an input
    without a value, DomainProblem where there is no value (or, with kinks="error", no derivative), RequestError where
    numbers that are no doubles take too long.
    """
    if request.numbers is None and not (request.certify or request.verify):
        return _traced(program, at, request, label, allow)
    from ..numbers.budget import within

    with within():
        done = _traced(program, at, request, label, allow)
        if request.numbers is None or not request.numbers.proves:
            return done
        from .trust.proving import proven

        return proven(done, at, request, lambda numbers: _traced(program, at, request._replace(numbers=numbers), label))


def _traced(
    program: Program,
    at: Mapping[str, float],
    request: Request,
    label: str | None,
    allow: Callable[[Graph, Request], None] | None = None,
) -> Trace:
    m: Evaluating[float] = FLOAT if request.numbers is None else request.numbers.m
    if request.numbers is not None:
        program = request.numbers.prepared(program, at)
        request = request._replace(seed={n: in_arithmetic(m, x) for n, x in (request.seed or {}).items()} or None)
    graph = arranged(shared(program.graph) if request.cse else program.graph, request.numbering, extra=at)
    if allow is not None:
        allow(graph, request)
    names = node_names(graph)
    inputs = {name: slot for slot, name in graph.inputs.items()}
    point = _point(program, graph, at, m)
    at_once = m is FLOAT and request.mode != "value"
    values, gradients = differentiated(graph, point) if at_once else (evaluate(graph, m, point), [])
    labels = node_labels(graph, names)
    evaluation = Evaluation(graph, values, names, labels, program, m)
    overflows = _checked(evaluation, at, request)
    in_doubles = all(note.kind == "overflow" for note in overflows)
    if request.mode != "value" and not at_once:
        gradients = linearize(graph, m, values)
    decision, slope_notes = _slope_notes(evaluation, at, gradients, request.kinks)
    if decision is not None:
        values, gradients = decision.values(values, m), decision.gradients(gradients, m)
    notes = [*_point_notes(program, at), *overflows, *slope_notes]
    if request.numbers is not None:
        notes += request.numbers.notes(graph, values, labels)
    vertical = m is not FLOAT or any(note.kind == "kink" for note in notes) or not all(map(m.finite, point.values()))
    sweeps = Sweeps(graph, gradients, inputs, request)
    if decision is not None:
        sweeps.correct(decision, m)
    outputs = []
    for name, slot in graph.outputs:
        shown, value = shown_name(name, inputs), without_sign_of_zero(values[slot])
        gradient = sweeps.gradient(name, slot) if request.mode != "value" else None
        if decision is not None and gradient is not None:
            gradient = decision.gradient(name, gradient, m)
        if gradient is not None and in_doubles:  # otherwise certificates tell of each slope
            doubtful = _reaching(graph, inputs, slot) if overflows and not m.finite(values[slot]) else []
            notes += check_gradient(
                shown, gradient, overflowed=bool(overflows), vertical=vertical, doubtful=doubtful, finite=m.finite,
                origin=partial(arising, evaluation, gradients, slot, {note.node for note in notes if note.node}),
            )  # fmt: skip
        along = sweeps.dots[SEED][slot] if SEED in sweeps.dots else None
        outputs.append(Output(name, shown, names[slot] or "constant", labels[slot], value, gradient, along))
    lost: list[Note] = []
    if m is FLOAT and not overflows:
        smooth = request.mode != "value" and decision is None
        suspicion = suspected(graph, values, gradients, outputs, sweeps.bars, slopes=smooth)
        if suspicion is not None:
            from .trust.conditioning import conditioning_notes

            lost = conditioning_notes(evaluation, suspicion, at)
            notes += lost
    rows: list[Row] = []
    steps: list[Step] = []
    if request.steps:
        from .rows import RowWriter
        from .working import Working

        changed = () if decision is None else decision.changed
        working = Working(graph, labels, values, request.digits, changed)
        writer = RowWriter(graph, names, values, gradients, sweeps, working)
        rows, steps = writer.rows(), writer.steps()
    found: Sequence[Second[float]] = ()
    if request.hessian or request.hvp is not None:
        from .hessians import second, second_notes

        found = second(graph, m, values, request.hvp)
        shown_names = {output.name: output.shown for output in outputs}
        if decision is not None:
            from .kink_notes import bent

            found, more = bent(decision, graph, found, shown_names, names, m)
            notes += more
        notes += second_notes(found, shown_names, m.finite, vertical=vertical)
    done = Trace(
        label, program_line(program), request.mode, request.numbering,
        {name: without_sign_of_zero(values[inputs[name]]) for name in inputs}, outputs, rows, steps, notes,
        (tuple(sweeps.dots), tuple(sweeps.bars)), sweeps.products(), graph, values, gradients, names, request.numbers,
        second=found, digits=request.digits, decision=decision, wrt=request.wrt,
    )  # fmt: skip
    if m is FLOAT and not overflows and (lost or (request.steps and blotted(graph, values, gradients))):
        from .trust.noise import marked

        done = marked(done, at)
    if request.conditioning:
        from .trust.rounding_errors import shared_out

        done = shared_out(done, at)
    if request.certify:
        from .trust.certify import certified

        done = certified(done, at)
    if request.verify:
        from .trust.verify import verified

        done = verified(done)
    return done


def _checked(evaluation: Evaluation, at: Mapping[str, float], request: Request) -> list[Note]:
    """Notes on overflow; raises DomainProblem at the first operation that has no value.

    Where certificates are asked for, a value that doubles alone do not have is a note too.
    """
    try:
        return check_values(evaluation)
    except DomainProblem:
        if not request.certify or request.numbers is not None:
            raise
        from .trust.certify import has_values

        if not has_values(evaluation.graph, at):
            raise
        return beyond_doubles(evaluation)


def _reaching(graph: Graph, inputs: Mapping[str, int], output: int) -> list[str]:
    """The inputs that an output depends on."""
    needed = ancestors(graph, [output])
    return [name for name, slot in inputs.items() if needed[slot]]


def reading_notes(program: Program) -> list[Note]:
    """How ambiguous text was read."""
    return [Note(None, reading.kind, reading.text, reading.topic) for reading in program.readings]


def _point_notes(program: Program, at: Mapping[str, float]) -> list[Note]:
    """How ambiguous text was read, and names of the point that do not occur in it."""
    known = {*program.graph.inputs.values(), *program.graph.aliases.values()}
    return reading_notes(program) + [
        Note(name, "unused", f"{name} does not occur in the expression; its derivatives are 0")
        for name in at
        if name not in known
    ]


def _slope_notes(
    evaluation: Evaluation, at: Mapping[str, float], gradients: Gradients, kinks: str
) -> tuple[Decision | None, list[Note]]:
    """What is decided of the results at kinks, and where slopes are a matter of convention.

    With kinks="error" the first kink of a result that has no gradient is an error.
    """
    if not gradients:
        return None, []
    decision: Decision | None = None
    found = list(corners(evaluation, gradients))
    notes: list[Note] = []
    if found:
        from .kink_notes import refused, settled, told  # where no kink is met, nobody needs them

        decision, found = settled(evaluation, at, found, gradients)
        wrong = refused(decision, evaluation.graph, found) if kinks == "error" else None
        if wrong is not None:
            raise corner_problem(evaluation, wrong)
        notes = [corner_note(evaluation, corner) for corner in found]
        if decision is not None:
            notes += told(decision, evaluation, found)
    return decision, notes


def program_line(program: Program) -> str:
    """The program as it was written, on one line and without comments."""
    return " ".join(line.partition("#")[0].strip() for line in program.source.text.strip().splitlines()).strip()


def _point(program: Program, graph: Graph, at: Mapping[str, float], m: Evaluating[float]) -> dict[int, float]:
    """The values of the inputs by slot; every input needs one."""
    point: dict[int, float] = {}
    for slot, name in graph.inputs.items():
        if name not in at:
            raise _missing(program, name, graph.spans[slot], [n for n in graph.inputs.values() if n not in at], at)
        point[slot] = float(at[name]) if m is FLOAT else in_arithmetic(m, at[name])
    return point


def _missing(
    program: Program, name: str, span: tuple[int, int], missing: list[str], at: Mapping[str, float]
) -> NameProblem:
    here = Span(*span, program.source)
    factors = product_of(name, {*at, *CONSTANTS, "π", "τ"})
    factors = factors if at.keys() & set(factors or ()) else None
    doubts = tuple(reading.text for reading in program.readings if reading.topic == "names" and reading.span == span)
    guess = None if doubts else similar(name, [*at, *(("pi", "tau") if len(name) > 1 else ())])
    label, advice = (
        "no value is given for it",
        f"add {', '.join(f'{n}=…' for n in missing)} to the point: after @, or with --at",
    )
    if lookup(name) is not None:
        label, advice = f"{name} is a function", f"write its argument: {name}(x)"
    elif factors:
        label, advice = "names run together are one name", f"write {'*'.join(factors)}"
    elif name in ("inf", "infinity", "nan"):
        label, advice = "not a number of the language", "infinite inputs are given by --at, as in --at x=inf"
    elif name in ("i", "j") and not at.keys() & {"i", "j"}:
        advice += "; with --complex it is the imaginary unit"
    elif name == "E" and "e" not in at:
        label, advice = "the base of the natural logarithm is e", "write e or exp(…), or add E=… to the point"
    elif guess:
        label, advice = f"did you mean {guess}?", f"write {guess}, or add {name}=… to the point"
    return NameProblem(f"{name} has no value", here, label, doubts, help=advice)
