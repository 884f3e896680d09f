"""Faults of an evaluation: operations without a value or a slope, overflows, the notes and errors on them, and the
decision at kinks that the point of a trace reaches. A corner is a row at a kink; a decision is what exact numbers prove
about the outputs there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from ..errors import DomainProblem, Span
from ..graph.graph import Graph
from ..graph.order import ancestors, kinked_slots
from ..graph.tape import Gradients, evaluate, faults
from ..language.problems import NumberWithSource, in_arithmetic
from ..language.program import Program
from ..notation.number_text import Digits
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from ..table.primitive import Check, Kink
from ..typings import TYPE_CHECKING, Any, cast
from .trace_model import Note

if TYPE_CHECKING:
    from ..kinks.decision import Decision
    from ..kinks.exact_reals import Real, Reals
    from ..table.arithmetic import Evaluating, T

_SHORT = Digits(significant=6)
_MOST_NAMES = 4
_LONGEST = 60  # characters of an argument that are quoted in a sentence


def number_in_sentence(x: float) -> str:
    """Return a number for use in a sentence, with 6 significant digits."""
    if isinstance(x, (float, int)):
        return _SHORT.show(float(x))
    from .number_kinds import write_for_sentence  # loads arithmetics that doubles do not need

    return write_for_sentence(x)


class Evaluation(NamedTuple):
    """A graph with the values of its slots, and the names and texts that describe them.

    values   the value of each slot (None in a branch not taken)
    names    by slot: v1, v2, … or an input's name; empty for a literal
    labels   the same with the user's own names of intermediates
    program  the program that the graph was read from; None if there is no text to quote
    m        the arithmetic of the values
    """

    graph: Graph
    values: Sequence[float]
    names: Sequence[str]
    labels: Sequence[str]
    program: Program | None = None
    m: Evaluating[float] = FLOAT


def check_values(evaluation: Evaluation, untaken: Collection[int] = (), *, strict: bool = True) -> list[Note]:
    """Return a note on each operation of `evaluation` that overflows or has no value; slots in `untaken` are skipped.

    If `strict`, the first operation without a value raises DomainProblem. If not, because true values exist, it gets a
    note of kind "uncertain". An overflow (an infinite value of finite arguments) gets a note of kind "overflow".
    """
    notes: list[Note] = []
    for slot, broken in faults(evaluation.graph, evaluation.values, evaluation.m):
        if slot in untaken:
            continue
        z, name = evaluation.values[slot], evaluation.names[slot] or None
        problem = None if broken is None else _domain_problem(evaluation, slot, broken)
        if problem is None and z != z:
            problem = _no_value_problem(evaluation, slot)
        if problem is not None and strict:
            raise problem
        kind, text = "overflow", f"is {_too_large(evaluation.m is FLOAT)} and counts as infinite"
        if problem is not None:
            kind, text = "uncertain", f"has a value here that doubles cannot compute: {problem.title}"
        notes.append(Note(name, kind, f"{row_text(evaluation, slot)} {text}"))
    return notes


def _too_large(is_double: bool) -> str:
    return "too large for a double" if is_double else "too large"


def row_text(evaluation: Evaluation, slot: int) -> str:
    """Return a row as tables show it, `v2 = log v1`; only the formula if the slot has no label."""
    from ..notation.formula import TABLE, Leaf, render  # only needed if something is wrong

    names = evaluation.labels
    formula = render(evaluation.graph, slot, TABLE, lambda s: Leaf(names[s]) if names[s] else None)
    return f"{names[slot]} = {formula}" if names[slot] else formula


def _span(evaluation: Evaluation, slot: int) -> Span | None:
    """Return the span of the text of an operation; None without a program or a span."""
    start, end = evaluation.graph.spans[slot]
    return None if evaluation.program is None or end <= start else Span(start, end, evaluation.program.source)


def _argument_span(evaluation: Evaluation, slot: int, position: int) -> Span | None:
    """Return the span of the text of the argument at `position` of the operation in `slot` of `evaluation`.

    If the argument has no place in the text, the span of the argument's slot is returned; if this is missing, that of
    the operation. None if all three are missing, and without a program.
    """
    if evaluation.program is None:
        return None
    start, end = evaluation.graph.spans[slot]
    row = evaluation.graph.rows[slot]
    places = evaluation.program.argument_places().get((row.name if row else "", start, end))
    if places is not None and places[position][1] > places[position][0]:
        return Span(*places[position], evaluation.program.source)
    return _span(evaluation, evaluation.graph.parents[slot][position]) or _span(evaluation, slot)


def _describe_value(evaluation: Evaluation, slot: int, name: str = "this") -> str:
    """Return `this is -1 when x = 2`: the value of a slot, and the inputs that the slot depends on.

    `name` replaces "this". At most four inputs are named, then "…". The part from "when" is missing if the slot is an
    input or depends on no input.
    """
    number = number_in_sentence(evaluation.values[slot])
    if slot in evaluation.graph.inputs:
        return f"{name} is {number}"
    needed = ancestors(evaluation.graph, [slot])
    inputs = [s for s in evaluation.graph.inputs if needed[s]]
    shown = first_few([f"{evaluation.labels[s]} = {number_in_sentence(evaluation.values[s])}" for s in inputs])
    return f"{name} is {number}" + (f" when {shown}" if shown else "")


def first_few(texts: Sequence[str]) -> str:
    """Return the first four texts joined by commas, with an ellipsis if there are more."""
    return ", ".join([*texts[:_MOST_NAMES], *(["…"] if len(texts) > _MOST_NAMES else [])])


def _domain_problem(evaluation: Evaluation, slot: int, check: Check) -> DomainProblem:
    """Return the error for the operation in `slot` whose domain check `check` fails, with the title of the check.

    The argument `check.blame` is underlined, with its value; the note has the row. The help is the condition of the
    check with the arguments substituted (the label for a text of more than 60 characters) and the inputs to change,
    then the advice of the check. The condition is left out if it involves no input, or an argument has neither text nor
    label.

    If the program itself wrote the operation for another notation (its span is a key of `unnamed_arguments()`), the
    whole notation is underlined, the title is the one given there, and there is no note.
    """
    graph = evaluation.graph
    parents = graph.parents[slot]
    argument = parents[check.blame]
    spans = [_argument_span(evaluation, slot, position) for position in range(len(parents))]
    texts = [evaluation.labels[p] for p in parents]
    for position, span in enumerate(spans):
        if span is not None and len(span.text) <= _LONGEST and (span.start, span.end) != graph.spans[slot]:
            texts[position] = span.text
    notes: tuple[str, ...] = (f"reached while evaluating {row_text(evaluation, slot)}",)
    title, name = check.title, "this"
    expanded = evaluation.program and evaluation.program.unnamed_arguments().get(graph.spans[slot])
    if expanded:
        (title, name), notes = expanded, ()
        texts[check.blame], spans[check.blame] = name, _span(evaluation, slot)
    from ..notation.formula import OPERAND  # only needed if something is wrong

    condition_slots = [parents[int(k)] for k in sorted(set(OPERAND.findall(check.condition)))]
    needed = ancestors(graph, condition_slots)
    names = [name for s, name in graph.inputs.items() if needed[s]]
    advice = ""
    if names and all(texts):
        chosen = first_few(names) if len(names) > 2 else " and ".join(names)
        advice = f"choose {chosen} so that {check.condition.format(*texts)}"
    description = _describe_value(evaluation, argument, name)
    advice = "; ".join(filter(None, (advice, check.advice)))
    return DomainProblem(title, spans[check.blame], description, notes=notes, help=advice)


def _no_value_problem(evaluation: Evaluation, slot: int) -> DomainProblem:
    """Return the error for the operation in `slot`, whose value is nan although no domain check fails, as in inf - inf.

    If an argument is infinite, label and help say that an intermediate result is infinite; if not, that the point is a
    pole or not computable. The title is the formula with numbers. The span is None without a text.
    """
    from ..notation.formula import TABLE, Leaf, render

    graph, values = evaluation.graph, evaluation.values
    label, advice = "a pole, or not computable with these numbers", "choose another point"
    if not all(evaluation.m.finite(values[p]) for p in graph.parents[slot] if values[p] is not None):
        label = "an intermediate result is infinite"
        advice = "rewrite the formula so that no part of it overflows, or choose smaller inputs"

    formula = render(graph, slot, TABLE, lambda s: None if s == slot else Leaf(number_in_sentence(values[s])))
    title = f"{formula} has no value"
    notes = (f"reached while evaluating {row_text(evaluation, slot)}",)
    return DomainProblem(title, _span(evaluation, slot), label, notes=notes, help=advice)


class Corner(NamedTuple):
    """A row at a kink: its slot, the position of the argument, the kink, and the partial that is used (nan if none)."""

    slot: int
    position: int
    kink: Kink
    slope: float


def reached_corners(
    evaluation: Evaluation, gradients: Gradients, decision: Decision | None = None, *, seams: bool = False
) -> Iterator[Corner]:
    """Yield the kinks of `evaluation` that are reached, in slot order, as Corners.

    A kink is reached if the row has a value but no partial with respect to some argument (with `seams` also if a
    partial has a corner). The exact numbers of `decision` show whether it is; without a decision (None) the values do.
    Each kink of a row is yielded once, for its first argument. Rows and arguments that depend on no input are skipped,
    and rows that are nan or missing or have such an argument. `slope` is the partial in `gradients` (by slot), nan if
    it is missing.
    """
    graph, values, m = evaluation.graph, evaluation.values, cast("Evaluating[Any]", evaluation.m)
    only = None
    if decision is not None and decision.around is not None:
        only, values, m = decision.reached, cast("list[Any]", decision.around.here), decision.reals
    for slot, kinks, parents in kinked_slots(graph, seams=seams):
        arguments = tuple([values[p] for p in parents])
        if (only is not None and slot not in only) or any(x is None or x != x for x in (values[slot], *arguments)):
            continue
        for kink, position in kinks.items():
            if not _is_clear(kink, m, arguments):
                slope = gradients[slot][position] if position < len(gradients[slot]) else None
                yield Corner(slot, position, kink, math.nan if slope is None else float(slope))


def _is_clear(kink: Kink, m: Evaluating[T], arguments: Sequence[T]) -> bool:
    """Return whether a kink is certainly not reached."""
    try:
        return bool(kink.holds(m, *arguments))
    except ArithmeticError:
        return False


def corner_note(evaluation: Evaluation, corner: Corner) -> Note:
    """Return the note on a corner: the row, its kink, the one-sided slopes if known, and the slope that is used.

    If the slope in use is nan, the note says that no derivative exists. A condition has no slope in use.
    """
    kink = corner.kink
    text = f"{row_text(evaluation, corner.slot)}: {kink.title}"
    if kink.sides is not None:
        arguments = [evaluation.values[p] for p in evaluation.graph.parents[corner.slot]]
        pairs = zip(kink.slopes_at(FLOAT, arguments), ("left", "right"), strict=True)
        slopes = [f"{_SHORT.show(float(side))} from the {where}" for side, where in pairs if side is not None]
        text += f" (slope {' and '.join(slopes)})"
    if not evaluation.graph.row(corner.slot).truth:
        used = f"the slope used here is {_SHORT.show(corner.slope)}"
        text += "; no derivative exists" if math.isnan(corner.slope) else f"; {used}"
    return Note(evaluation.names[corner.slot] or None, "kink", text)


def corner_problem(evaluation: Evaluation, corner: Corner) -> DomainProblem:
    """Return the error on a corner, raised with --kinks error; its title is the title of the kink.

    The argument is underlined, with its value. A note has the row, the one-sided slopes and the slope that is used.
    """
    argument, title = evaluation.graph.parents[corner.slot][corner.position], corner.kink.title
    notes = ("reached while evaluating " + corner_note(evaluation, corner).text.replace(f": {title}", ""),)
    span = _argument_span(evaluation, corner.slot, corner.position)
    advice = "choose another point, or accept the slope used here: --kinks note"
    return DomainProblem(title, span, _describe_value(evaluation, argument), notes=notes, help=advice)


def check_gradient(
    output: str,
    gradient: Mapping[str, float],
    *,
    overflowed: bool,
    vertical: bool = True,
    unproven: bool = False,
    doubtful: Collection[str] = (),
    finite: Callable[[float], bool] = math.isfinite,
    origin: Callable[[], str] = str,
) -> list[Note]:
    """Return a note on each derivative in `gradient` (by input name) that is not a finite number, in order.

    A note has the name of the input. Its kind is "undefined" if `overflowed` or the derivative is nan, else "infinite".

    - `output`: the name of the output
    - `overflowed`: an intermediate result overflowed, so that the derivative is not known
    - `vertical`: a function may have an infinite slope here; if False, the text says that the slope is too large
    - `unproven`: it is not decided whether the output is smooth here, so that nan is only a slope that is not known
    - `doubtful`: inputs of which a slope of 0 gets a note, too, since 0 may come from dividing by an overflow; the note
      is of kind "infinite" if not `overflowed`
    - `finite`: the test for finite numbers of the arithmetic
    - `origin`: called for the text at the end of a note (the row where the number arises, or ""), not if `overflowed`
    """
    notes = []
    size = _too_large(finite is FLOAT.finite)
    for name, slope in gradient.items():
        if finite(slope) and (slope != 0 or name not in doubtful):
            continue
        kind = "undefined" if overflowed or slope != slope else "infinite"
        if overflowed:
            text = f"is not known: an intermediate result is {size}"
        elif slope != slope and unproven:
            text = f"is not known: it is not proven that {output} is smooth here"
        elif slope != slope:
            text = "has no value here: a partial derivative of an intermediate row does not exist or is infinite"
        else:
            text = "is infinite here" if vertical else f"is {size} and counts as infinite"
        where = "" if overflowed or (unproven and slope != slope) else origin()
        notes.append(Note(name, kind, f"∂{output}/∂{name} {text}{where}"))
    return notes


def find_nonfinite_origin(
    evaluation: Evaluation, gradients: Gradients, output: int, noted_names: Collection[str]
) -> str:
    """Return `, from v1 = 1/x on`: the first row of a reverse sweep that gives an adjoint that is not finite.

    The sweep starts at the slot `output` and takes rows from the last to the first; `gradients` are the partials by
    slot, of which zero and missing ones pass on nothing. "" if all adjoints are finite. "" also if the row has no name,
    or a name in `noted_names`, on which there is another note already.
    """
    graph, finite = evaluation.graph, evaluation.m.finite
    bars: list[float] = [0.0] * len(graph)
    bars[output] = 1.0
    for slot in range(output, -1, -1):
        bar = bars[slot]
        for slope, parent in zip(gradients[slot], graph.parents[slot], strict=False):
            if not bar or slope is None or not slope:
                continue
            bars[parent] = bars[parent] + bar * slope
            if not finite(bars[parent]):
                name = evaluation.names[slot]
                return f", from {row_text(evaluation, slot)} on" if name and name not in noted_names else ""
    return ""


# --- kinks at the point ---


def exact_point(graph: Graph, at: Mapping[str, float], reals: Reals, *, exactly: bool = False) -> dict[int, Real]:
    """Return the values of the inputs of `graph` as exact numbers of `reals`, by slot, as they were written.

    `at` has the values by name. A float that does not keep its text (NumberWithSource does) is read as the shortest
    decimal that rounds to it; with `exactly` as the double itself. Raises Unknown for infinite values and nan.
    """
    point = {}
    for slot, name in graph.inputs.items():
        x = at[name]
        plain = isinstance(x, float) and not isinstance(x, NumberWithSource) and not exactly
        point[slot] = reals.number(repr(x)) if plain else in_arithmetic(reals, x)
    return point


def decision_at(evaluation: Evaluation, at: Mapping[str, float], *, seams: bool = False) -> Decision | None:
    """Return the decision at kinks that the values reach, or may reach within rounding errors; None without such kinks.

    `at` has the inputs by name, as they were written; KeyError if one is missing and a row has kinks. In an arithmetic
    other than doubles, kinks that are reached in this arithmetic or in doubles count. With `seams` corners of slopes
    (`Primitive.seam`) count too. None with complex numbers.
    """
    graph, m, values = evaluation.graph, evaluation.m, evaluation.values
    if not any(row is not None and (row.smooth or (seams and row.seam)) for row in graph.rows):
        return None
    from ..kinks.near_kinks import NearKinks  # a program without kinks does not load this

    near: frozenset[int] = frozenset()
    here = {name: at[name] for name in graph.inputs.values()}
    if m is not FLOAT:
        from ..kinks.decision import find_reached_kinks
        from ..numbers.complexes import Complex

        if isinstance(m, Complex):
            return None
        near = find_reached_kinks(graph, m, values, seams=seams)
        values = evaluate(graph, FLOAT, {slot: float(here[name]) for slot, name in graph.inputs.items()})
    near |= NearKinks(graph, seams=seams).slots(values)
    if not near:
        return None
    from ..kinks.decision import decide  # a third of the start-up of a small evaluation, which few points need

    return decide(graph, near, partial(exact_point, graph, here), seams)
