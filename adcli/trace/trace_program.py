"""Trace a program at a point: all rows with values and derivatives, the outputs, and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..errors import NOT_GIVEN, NameProblem, RequestError, Span
from ..graph.graph import CONSTANTS, Graph, with_variable_orders
from ..graph.order import arrange, share_subexpressions
from ..language.problems import in_arithmetic
from ..language.program import Program
from ..numbers.doubles import FLOAT
from ..table.primitive import lookup
from ..table.suggest import product_of, similar
from ..typings import TYPE_CHECKING
from .passes import PASSES, Draft
from .trace_model import Note, Request, Trace

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating

    # A check of the graph and the request before anything is computed, which may raise to refuse them.
    Allow = Callable[[Graph, Request], None]

_DIGITS = "0123456789"
_INFINITE = "infinite inputs are given by --at, as in --at x=inf"
_EULER = "write e or exp(…), or add E=… to the point"


def trace(
    program: Program, at: Mapping[str, float], request: Request, label: str | None = None, allow: Allow | None = None
) -> Trace:
    """Return the trace of a program at a point.

    Names in `at` that the program lacks become inputs with derivatives 0. `label` is the problem's label. `allow` is
    called with the graph and the request before anything is computed, and may raise to refuse them. If
    `request.numbers` proves digits, the trace is computed with more and more of them until all that are shown are
    right.

    Raises NameProblem for an input without a value. Raises DomainProblem if there is no value, with kinks="error" also
    if there is no derivative. Raises RequestError for a wrong seed, `wrt` or direction, and after 20 seconds of
    processor time in arithmetic other than doubles, or with certify or verify.
    """
    if request.numbers is None and not (request.certify or request.verify):
        return _run_passes(program, at, request, label, allow)
    from ..numbers.budget import limit_time

    with limit_time():
        done = _run_passes(program, at, request, label, allow)
        if request.numbers is None or not request.numbers.proves:
            return done
        from .trust.proven_digits import prove_digits

        return prove_digits(
            done, at, request, lambda numbers: _run_passes(program, at, request._replace(numbers=numbers), label)
        )


def _run_passes(
    program: Program, at: Mapping[str, float], request: Request, label: str | None, allow: Allow | None = None
) -> Trace:
    """Return the trace of `program` at the point `at` that the passes make, in the arithmetic of the request.

    With `request.cse` equal subexpressions are one row. Names in `at` that the program lacks become inputs.
    `allow(graph, request)` may raise an error before anything is computed. Raises NameProblem for an input without a
    value, and the errors of the passes. Digits are not proven here.
    """
    m: Evaluating[float] = FLOAT
    if request.numbers is not None:
        m = request.numbers.m
        program = request.numbers.prepare_program(program, at)
        request = request._replace(seed={n: in_arithmetic(m, x) for n, x in (request.seed or {}).items()} or None)
    graph = arrange(share_subexpressions(program.graph) if request.cse else program.graph, request.numbering, extra=at)
    graph = graph if request.needs_slopes else with_variable_orders(graph)
    if allow is not None:
        allow(graph, request)
    point = _input_values(program, graph, at, m)
    known = {*program.graph.inputs.values(), *program.graph.aliases.values()}
    notes = reading_notes(program) + [unused_note(name) for name in at if name not in known]
    draft = Draft(program, at, request, graph, point, notes, label, program_line(program))
    for one in PASSES:
        if one.applies is None or one.applies(draft):
            one.add(draft)
    return draft.trace


def reading_notes(program: Program) -> list[Note]:
    """Return a note for each ambiguous place in the text: how it was read."""
    return [Note(None, reading.kind, reading.text, reading.topic) for reading in program.readings]


def unused_note(name: str) -> Note:
    """Return the note for a name of the point that the program does not use."""
    return Note(name, "unused", f"{name} does not occur in the expression; derivatives with respect to it are 0")


def program_line(program: Program) -> str:
    """Return the text of the program on one line, without comments."""
    return " ".join(line.partition("#")[0].strip() for line in program.source.text.strip().splitlines()).strip()


def _input_values(program: Program, graph: Graph, at: Mapping[str, float], m: Evaluating[float]) -> dict[int, float]:
    """Return the values of the inputs by slot, in the arithmetic `m`; names of `at` that are not inputs are ignored.

    Raises NameProblem for the first input that `at` does not have, with advice for all of them, and RequestError for a
    value that is a text, a tuple or the like.
    """
    point: dict[int, float] = {}
    for slot, name in graph.inputs.items():
        if name not in at:
            raise _input_error(program, name, graph.spans[slot], [n for n in graph.inputs.values() if n not in at], at)
        try:
            point[slot] = float(at[name]) if m is FLOAT else in_arithmetic(m, at[name])
        except (TypeError, ValueError):
            if type(at[name]).__module__ != "builtins":
                raise
            title, label = f"the value of {name} is not a number", f"it is {at[name]!r}"
            raise RequestError(title, label=label, help=f'write a number; {name}="2±0.1" is for propagate') from None
    return point


def _similar_name(name: str, inputs: Iterable[str], at: Mapping[str, float]) -> str | None:
    """Return the name in `at`, or pi or tau, that `name` may be a typing error for; None if no name is similar enough.

    A name in `inputs` that differs from `name` only in its number is not proposed: x1 is not meant by x2.
    """
    numbered = [each for each in inputs if each.rstrip(_DIGITS) == name.rstrip(_DIGITS)]
    return similar(name, [*(n for n in at if n not in numbered), *(("pi", "tau") if len(name) > 1 else ())])


def _input_error(
    program: Program, name: str, span: tuple[int, int], missing: list[str], at: Mapping[str, float]
) -> NameProblem:
    """Return the error for an input without a value, with the advice that fits the name.

    `name` and `span` are those of the first missing input, `missing` has all of them, `at` has the values. The first
    that applies:

    - the name of a function: write its argument
    - letters that are known names, one of them with a value: write their product
    - inf, infinity or nan: give it by --at
    - `i` or `j`, if the point has neither: with --complex it is the imaginary unit
    - E, if the point has no e: write e or exp(…)
    - a similar name is known, and no reading note doubts `name`: did you mean it
    - add the values of all inputs

    Reading notes that doubt `name` become notes of the error.
    """
    here = Span(*span, program.source)
    factors = product_of(name, {*at, *CONSTANTS, "π", "τ"})
    factors = factors if at.keys() & set(factors or ()) else None
    doubts = tuple(reading.text for reading in program.readings if reading.topic == "names" and reading.span == span)
    guess = None if doubts else _similar_name(name, program.graph.inputs.values(), at)
    added = f"add {', '.join(f'{n}=…' for n in missing)} to the point: after @, or with --at"
    is_unit = name in ("i", "j") and not at.keys() & {"i", "j"}
    cases: list[tuple[object, str, str]] = [  # the first that applies
        (lookup(name), f"{name} is a function", f"write the argument in brackets: {name}(x)"),
        (factors, "letters next to each other are one name", f"write {'*'.join(factors or ())}"),
        (name in ("inf", "infinity", "nan"), "not a number of the language", _INFINITE),
        (is_unit, NOT_GIVEN, f"{added}; with --complex it is the imaginary unit"),
        (name == "E" and "e" not in at, "the base of the natural logarithm is e", _EULER),
        (guess, f"did you mean {guess}?", f"write {guess}, or add {name}=… to the point"),
        (True, NOT_GIVEN, added),
    ]
    label, advice = next((label, advice) for applies, label, advice in cases if applies)
    return NameProblem(f"{name} has no value", here, label, doubts, help=advice)
