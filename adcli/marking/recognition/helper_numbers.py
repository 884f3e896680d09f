"""Helper numbers: lone numbers under names of the student's own that are slopes, such as c = cos(2) = -0.416."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import islice, permutations

from ...answers.answer_model import BAR, VALUE, Answer, Entry, Quantity, Task
from ...answers.shown_numbers import numeral_spread
from ...numbers.double_intervals import Spread
from ..programs.problem_cache import cache_of
from ..programs.reference_traces import perfect
from ..programs.resolving import mentions
from ..programs.value_rows import shown_number

_WHY = "a derivative under a name of its own, not a row of the problem"
_MOST_WAYS = 24  # to assign helpers to steps
_LEAST = Fraction(1, 100)  # last place of a number that fits hardly anything else


def without_slopes(answer: Answer, task: Task) -> Answer | None:
    """Return the answer without rows of only a number that is a local derivative or one of a result; None if it has
    none.

    Such a row has a name of letters alone that is not an input, a named step or a result of the problem, that no row
    uses, and that is not a neighbour in the alphabet of another row's; its number has two places or more. The rows are
    then among those left out.
    """
    slopes = cache_of(task).get_or_make("slopes", lambda: list(_slopes(task)))
    values = [entry for entry in answer.entries if entry.quantity.kind == VALUE]
    names, graph = {entry.quantity.name for entry in values}, task.program.graph
    known = {*graph.inputs.values(), *graph.aliases.values(), *dict(graph.outputs)}
    own = names - {*mentions(answer.entries, graph.inputs.values()), *known}
    lone = [entry for entry in values if entry.quantity.name in own and _is_slope(entry, slopes, names)]
    return answer.without(lone, _WHY) if lone else None


def _is_slope(entry: Entry, slopes: list[Spread], names: set[str]) -> bool:
    """Return whether a row is only a number of two places or more that is one of `slopes`, under a name without a digit
    and without a neighbour in the alphabet among `names`.
    """
    number, name = shown_number(entry), entry.quantity.name
    if number is None or len(entry.pieces) > 1 or number.unit > _LEAST or not name.isalpha():
        return False
    neighbours = {chr(ord(name) + step) for step in (-1, 1)} if len(name) == 1 else set()
    return names.isdisjoint(neighbours) and any(numeral_spread(number).meets(slope) for slope in slopes)


def _slopes(task: Task) -> Iterator[Spread]:
    """Yield, at the problem's point, the local derivatives of all rows of the problem by each of their operands, then
    those of its results with respect to the inputs."""
    sheet = perfect(task)
    truth = sheet.truths()[0]
    for cell in sheet.cells.values():
        for leaf in cell.leaves:
            yield from truth.uses(cell, leaf)
    yield from (truth.read(BAR, slot, output) for slot in sheet.inputs.values() for output in sheet.outputs)


def with_adjoints_named(answer: Answer, task: Task, right: Collection[int | None]) -> Iterator[Answer]:
    """Yield the answer with its helpers of derivatives, such as δ in `δ = y(1 + y)` and `∂y/∂w = δ x`, as adjoints of
    its steps: in each of 24 ways at most, later steps first.

    Helpers are one or two values that rows of derivatives and helpers alone use, and that are not inputs or results; no
    answer for more, nor if all of them are in the lines `right`. The steps are the other values, except inputs and
    results, without rows of their adjoints.
    """
    graph, entries = task.program.graph, answer.entries
    problem_names = {*graph.inputs.values(), *dict(graph.outputs)}
    values = {entry.quantity.name: entry for entry in entries if entry.quantity.kind == VALUE}
    helpers = _used_in_derivatives(entries, values) - problem_names
    if all(values[name].line in right for name in helpers):
        return
    taken = problem_names.union(helpers, (entry.quantity.name for entry in entries if entry.quantity.kind == BAR))
    steps = [name for name in reversed(values) if name not in taken]
    for chosen in islice(permutations(steps, len(helpers)), _MOST_WAYS) if 0 < len(helpers) < 3 else ():
        meant = {Quantity(VALUE, name): Quantity(BAR, step) for name, step in zip(sorted(helpers), chosen, strict=True)}
        yield answer.renamed(meant)


def _used_in_derivatives(entries: Sequence[Entry], values: dict[str, Entry]) -> set[str]:
    """Return the names in `values` that rows of derivatives use and, but for each other, no values."""
    used = {q.name for e in entries if e.quantity.kind != VALUE for q in e.symbols if q.kind == VALUE} & values.keys()
    for entry in reversed(values.values()):
        used -= set() if entry.quantity.name in used else {quantity.name for quantity in entry.symbols}
    return used
