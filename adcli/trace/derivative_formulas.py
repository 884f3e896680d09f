"""Derivatives as formulas: which derivatives a request names, and the programs that compute them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache, partial
from itertools import combinations_with_replacement
from math import comb, isclose, isfinite, nan

from ..errors import RequestError, Source, unknown
from ..graph.graph import Graph
from ..graph.order import ancestors, arrange, usable
from ..graph.tape import evaluate
from ..language.assumptions import Assumptions
from ..language.program import Program, read_program
from ..notation.statements import Statements, together
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from ..symbolic.higher_orders import derivative_formula, differentiate_further
from ..symbolic.knowledge import Knowledge
from ..table.suggest import check_inputs
from .faults import Evaluation, decision_at
from .labels import shown_name
from .trace_model import Note, Output, Request, Trace
from .trace_program import reading_notes, trace

NOTHING_ASSUMED = Assumptions()
_MOST = 1000  # formulas of one problem
_MOST_WORK = 1_000_000  # formulas times slots of the problem
_MOST_RANGES = 10_000  # operations on numbers
_ROUNDED = 1e-9  # relative: two ways to one slope differ by less


class Derivative(NamedTuple):
    """One partial derivative of an output.

    output      the output's name in the program; `shown` its name for people
    wrt         the inputs with respect to which it is differentiated, one after another
    statements  the formula
    inputs      the number of inputs of the program
    value       the number at the point; None without a point
    """

    output: str
    shown: str
    wrt: tuple[str, ...]
    statements: Statements
    inputs: int
    value: float | None


class Derivatives(NamedTuple):
    """All requested derivatives of a program, output by output.

    label       the label of the problem, or None
    expression  its text
    at          the point by input name; None without a point
    graph       that of `program`, with its inputs in order and those that only the request names
    """

    label: str | None
    expression: str
    at: dict[str, float] | None
    derivatives: list[Derivative]
    notes: list[Note]
    program: Program
    graph: Graph
    assumptions: Assumptions = NOTHING_ASSUMED

    def statements(self) -> Statements:
        """Return all formulas as one program, in which equal parts share a name."""
        return together([derivative.statements for derivative in self.derivatives], self.graph)


def expand_requests(inputs: Sequence[str], wrt: Sequence[Sequence[str]], order: int | None) -> list[tuple[str, ...]]:
    """Return, for each requested derivative, the inputs with respect to which to differentiate, one after another.

    `wrt` has the names of one derivative in each item. A single name is repeated `order` times (default 1); several
    names stay as they are. An empty `wrt` means all partial derivatives of `order` (default 1), each combination of
    inputs once, in the order of `inputs`.

    Raises RequestError for an order below 1, for an unknown input, if an item has several names but not `order` of
    them, and for more than 1000 derivatives with an empty `wrt`.
    """
    if order is not None and order < 1:
        raise RequestError(f"there is no derivative of order {order}", help="the order is a whole number, at least 1")
    differentiated = [name for names in wrt for name in names]
    if differentiated and not inputs:
        raise unknown("input", differentiated[0], "the expression has no inputs")
    check_inputs(differentiated, inputs, "--wrt {}")
    if not wrt:
        order = order or 1
        if comb(len(inputs) + order - 1, order) > _MOST:
            title = f"there are more than {_MOST} derivatives of order {order}"
            raise RequestError(title, help="choose some of them with --wrt")
        return list(combinations_with_replacement(inputs, order))
    requests = []
    for names in wrt:
        if order is not None and len(names) not in (1, order):
            title = f"--wrt {','.join(names)} has order {len(names)}, but --order is {order}"
            raise RequestError(title, help="leave out --order")
        requests.append(tuple(names) * (order or 1 if len(names) == 1 else 1))
    return requests


def notes_without_value(graph: Graph) -> list[Note]:
    """Return a note of kind "domain" for each output that has no value at any point, such as 1/(x − x), or needs a
    constant where it has none, such as besselj(a, x).

    For an output that is an array there is a note for each such entry. A missing value is proven by the ranges of all
    slots, with inputs in the ranges assumed for them. [] for a graph of more than 10,000 slots.
    """
    if len(graph) > _MOST_RANGES:
        return []
    known, notes = Knowledge(graph), []
    names = dict.fromkeys(graph.inputs.values(), 0)
    rows = enumerate(zip(graph.rows, graph.parents, strict=True))
    refused = [slot for slot, (row, of) in rows if row is not None and row.has_order and not graph.literal[of[0]]]
    for name, slot in graph.outputs:
        needed = ancestors(graph, [slot])
        titles = [graph.row(place).domain[0].title for place in refused if needed[place]]
        why = f"is not differentiated: {titles[0]}" if titles else "has no value at any point, so it has no derivative"
        if titles or known.range_of(slot).empty:
            notes.append(Note(None, "domain", f"{shown_name(name, names)} {why}"))
    return notes


def derivatives(
    program: Program,
    wrt: Sequence[Sequence[str]] = (),
    order: int | None = None,
    at: dict[str, float] | None = None,
    label: str | None = None,
    assumptions: Assumptions = NOTHING_ASSUMED,
) -> Derivatives:
    """Return the requested derivatives of every output of `program`, output by output, in the order of the requests.

    An item of `wrt` has the inputs of one derivative (a single one counts `order` times); without items all derivatives
    of `order` (default 1) are requested. With `at` (by input name) each also has its value at this point. `label` is
    the problem's label. Formulas need only hold under `assumptions`; inputs that are whole numbers are not
    differentiated. Names in `at` that the program lacks count as inputs; if it has no inputs, so do those in `wrt`. At
    a corner the value of a first derivative is that of the trace. Notes are on reading, kinks, outputs without a value
    (only without `at`), values that are not finite or have lost digits, and a program without inputs.

    Raises RequestError for unknown inputs, for contradictory or too many requests (also for several if their number
    times the slots of the graph exceeds 1,000,000), and for assumptions that do not fit the inputs or the point. With
    `at`, raises NameProblem for an input without a value, DomainProblem without a value.
    """
    named = () if program.graph.inputs else [name for names in wrt for name in names]  # a constant has any input
    point = at or {}
    graph = arrange(program.graph, extra=[*point, *named])
    inputs = list(graph.inputs.values())
    graph.assumed = dict(assumptions.ranges)
    check_inputs(assumptions.ranges, inputs, '--assume "{} > 0"')
    check_inputs(assumptions.whole, inputs, "--integer {}")
    assumptions.check_point(point)
    requests = expand_requests(_real_inputs(inputs, wrt, assumptions.whole), wrt, order)
    _check_work(len(requests), len(graph))
    first = cache(partial(derivative_formula, graph))  # by the first input, and the number of differentiations after it
    derived_graphs = {names: differentiate_further(first(names[:1], len(names) - 1), names[1:]) for names in requests}
    notes = reading_notes(program) + _euler_notes(graph, point)
    if not inputs:
        notes.append(Note(None, "constant", "the expression has no inputs: all derivatives are 0, as with --wrt x"))
    if at is None:
        notes += notes_without_value(graph)
    here = None if at is None else _trace_at(program, at, requests)
    notes += [] if here is None else [note for note in here.notes if note.kind == "kink"]
    results = []
    for place, (output, _) in enumerate(graph.outputs):
        shown = shown_name(output, dict.fromkeys(inputs, 0))
        for names in requests:
            derived = derived_graphs[names]
            slot = derived.outputs[place][1]
            value = None
            if here is not None:
                value, more = _value_at(derived, slot, point, names, here, place)
                notes += more
            statements = Statements(derived, [(None, slot)], inputs)
            results.append(Derivative(output, shown, names, statements, len(inputs), value))
    text = " ".join(program.source.text.split())
    return Derivatives(label, text, at, results, notes, program, graph, assumptions)


def _check_work(count: int, slots: int) -> None:
    """Raise RequestError if `count` derivatives, at least two, of a graph with `slots` exceed 1,000,000 together."""
    if count > 1 and count * slots > _MOST_WORK:
        title = f"{count} derivatives of a formula with {slots} steps are too many to be written out"
        raise RequestError(title, help="choose some of them with --wrt; adcli eval computes the numbers of all at once")


def _euler_notes(graph: Graph, at: dict[str, float]) -> list[Note]:
    """Return a note if a variable E without a value is raised to a power, which may be meant as exp."""
    bases = {graph.inputs.get(graph.parents[s][0]) for s, row in enumerate(graph.rows) if row and row.name == "pow"}
    if "E" not in bases or "E" in at:
        return []
    return [Note(None, "reading", "E is read as a variable; write e or exp(…) for the number 2.718…", "constants")]


def _real_inputs(inputs: Sequence[str], wrt: Sequence[Sequence[str]], whole: Sequence[str]) -> list[str]:
    """Return the inputs that are not `whole` numbers. Raises RequestError if one of these is in `wrt`."""
    for name in whole:
        if any(name in names for names in wrt):
            title = f"{name} is a whole number, so there is no derivative with respect to {name}"
            raise RequestError(title, help=f"leave out --integer {name}")
    return [name for name in inputs if name not in whole]


def _trace_at(program: Program, at: Mapping[str, float], requests: Sequence[tuple[str, ...]]) -> Trace:
    """Return the trace at a point, by a reverse sweep and without steps; with second derivatives if a kink is reached
    there and one of `requests` has two inputs.

    Raises NameProblem for an input without a value, and DomainProblem if there is no value.
    """
    seams = any(len(names) > 1 for names in requests)
    here = trace(program, at, Request("reverse", steps=False, seams=seams))
    if here.decision is None or all(len(names) != 2 for names in requests):
        return here
    return trace(program, at, Request("reverse", steps=False, hessian=True))


def _value_at(
    derived: Graph, slot: int, at: dict[str, float], names: tuple[str, ...], here: Trace, place: int
) -> tuple[float, list[Note]]:
    """Return (the derivative of an output with respect to `names` at the point `at` of the trace `here`, notes on it).

    `place` is the index of the output. The formula of the derivative is in `slot` of the graph `derived`. Its value is
    replaced by the number in the trace, if that has one (`_traced_number`), differs by more than 1e-9 of the larger
    one, and is finite: 1 - s loses digits where s is almost 1. If the output is at a kink, the number in the trace
    counts also if it is infinite (then with a note of kind "kink") or nan. At a kink the result is nan for three inputs
    and more, if the formula reaches the kink. A result that is infinite or nan gets a note of kind "undefined". One
    that has lost digits gets a note of kind "conditioning", unless the point is at a kink.
    """
    (value, is_at_kink), output = _formula_value(derived, slot, at), here.outputs[place]
    computed = value
    value, notes = _replace_by_trace(value, is_at_kink, names, here, place)
    what = f"the derivative of {output.shown} with respect to {', '.join(names)}"
    if not isfinite(value):
        return value, [*notes, Note(None, "undefined", f"{what} {_problem(value, here, output)}")]
    at_kink = is_at_kink or here.decision is not None
    return (value, notes) if at_kink else _check_digits(derived, slot, at, [value, computed], what)


def _replace_by_trace(
    value: float, is_at_kink: bool, names: tuple[str, ...], here: Trace, place: int
) -> tuple[float, list[Note]]:
    """Return (the value of a derivative, notes on a corner): that of its formula, `value`, or that of the trace.

    `is_at_kink` says that the formula reaches a kink; `names` are the inputs that are differentiated by, `place` is the
    index of the output in the trace `here`.
    """
    notes, output = list[Note](), here.outputs[place]
    is_decided = here.decision is not None and output.name in here.decision.outcomes
    number = _traced_number(here, place, names)
    if number is None:
        value = nan if is_decided and is_at_kink and len(names) > 2 else value
    elif not isclose(number, value, rel_tol=_ROUNDED) and (is_decided or isfinite(number)):
        if is_decided and number == number:
            sign, word = ("", "slope") if len(names) == 1 else ("²", "second derivative")
            formula = f"∂{sign}{output.shown}/∂{'∂'.join(names)}"
            text = f"at this corner the formula of {formula} evaluates to {value:.6g}, but the {word} is {number:.6g}"
            notes.append(Note(None, "kink", text))
        value = number
    return value, notes


def _check_digits(
    derived: Graph, slot: int, at: dict[str, float], candidates: Sequence[float], what: str
) -> tuple[float, list[Note]]:
    """Return (the best finite one of `candidates` for the formula in `slot`, notes on its digits).

    `what` is the name of the derivative in notes; `at` is the point by input name.
    """
    from .trust.conditioning import check_formula

    whole = copy(derived)
    whole.outputs = [("y", slot)]
    return check_formula(usable(whole), at, list(dict.fromkeys(filter(isfinite, candidates))), what)


def _problem(value: float, here: Trace, output: Output) -> str:
    """Return what a sentence says of a derivative of `output` that is infinite or nan in the trace `here`."""
    if value != value and here.decision is not None and here.decision.is_undecided(output.name):
        return f"is not known: it is not proven that {output.shown} is smooth here"
    return "is infinite here" if value == value else "has no value here"


def _traced_number(here: Trace, place: int, names: tuple[str, ...]) -> float | None:
    """Return the slope or the second derivative with respect to `names` of the output at index `place` in a trace.

    None for three inputs and more, and if the trace does not have it.
    """
    if len(names) == 1:
        numbers = here.outputs[place].gradient
    else:
        numbers = (here.second[place].hessian or {}).get(names[0]) if here.second and len(names) == 2 else None
    number = (numbers or {}).get(names[-1])
    return None if number is None else float(number)


def differentiation_order(inputs: Sequence[str], wrt: Sequence[str], order: int = 1) -> tuple[str, ...]:
    """Return the inputs of one derivative, one after another: `wrt`, or the only name in `wrt` repeated `order` times.

    With several names `order` must be 1 (the default) or their number. Raises RequestError if it is another number, for
    an order below 1, and for an unknown input. Without names the result is (), and an `order` other than 1 an error.
    """
    (names,) = expand_requests(inputs, [wrt], order if order != 1 or len(wrt) == 1 else None)
    return names


def build_derivative_program(program: Program, names: Sequence[str]) -> Program:
    """Return a program that computes one derivative of every output, with respect to each input in `names` in turn.

    The formulas are read again from their text. The inputs and their order are those of `program`, with the inputs that
    the derivative does not need. Several outputs keep their names, except y, y1, y2, …, which get new names from the
    reader; a single output gets a new name too. Raises RequestError if formulas become too long.
    """
    graph = arrange(program.graph)
    inputs = list(graph.inputs.values())
    result = derivative_formula(graph, names)
    several = len(result.outputs) > 1
    results = [(name if several and name.rstrip("0123456789") != "y" else None, slot) for name, slot in result.outputs]
    again = read_program(Source(Statements(result, results, inputs).text()), inputs)
    slots = {name: slot for slot, name in again.graph.inputs.items()}
    # the inputs in the order of the function, with those that are not left in its derivative
    again.graph.inputs = {slots[name] if name in slots else again.graph.input(name): name for name in inputs}
    return again


def _formula_value(graph: Graph, slot: int, at: dict[str, float]) -> tuple[float, bool]:
    """Return (the value of `slot` in the graph of formulas `graph` at the point `at`, whether it reaches a kink there).

    −0.0 becomes 0.0; nan and infinity are returned as they are. If exact numbers decide a kink that is reached there,
    the value is the one that they give. Names in `at` that are not inputs are ignored.
    """
    whole = copy(graph)
    whole.outputs = [("y", slot)]
    values = evaluate(whole, FLOAT, {s: at[name] for s, name in graph.inputs.items() if name in at})
    decision = decision_at(Evaluation(whole, values, (), ()), at)
    if decision is not None:
        values, _ = decision.correct(values, [], FLOAT)
    return float(values[slot]) + 0.0, decision is not None
