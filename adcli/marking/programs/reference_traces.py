"""Reference traces: the problem's own trace in each numbering and with each choice of rows for constants. A trace
(Standard) is a graph with a name such as v1 for each row.

The language folds arithmetic on numbers that are written down (`2^3`, `2*pi`); a student may compute it in separate
rows, step by step or at once, and may leave out rows that compute a constant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ...answers.answer_model import Task, row_letters
from ...graph.graph import Graph
from ...graph.order import ancestors, arrange, dependents, postorder, share_subexpressions
from ...graph.tape import evaluate
from ...language.problems import in_arithmetic
from ...numbers.double_intervals import SPREAD
from ...records import NamedTuple
from ...trace.labels import node_names
from ...trace.request_choices import NUMBERINGS
from .problem_cache import cache_of
from .reassociation import reassociate
from .value_rows import ValueRow, constant_value
from .worksheet import Worksheet

_LETTERS = 26
_MOST = 50  # steps that work out constants, of a problem in which they are looked for in an answer


class Standard(NamedTuple):
    """The problem's own trace in one numbering: its graph, its slots by all their names, and the name of each row by
    slot.

    With `constants`, rows for constants differ from those of the language, and rows of an answer may be constants that
    have no row here.
    """

    graph: Graph
    slots: Mapping[str, int]
    names: dict[int, str]
    constants: bool = False


def standard(
    task: Task, numbering: str, worked: Collection[int] | None = None, *, merged: bool = False,
    program: Graph | None = None,
) -> Standard:  # fmt: skip
    """Return the trace of a task in one numbering, `level` or `call`, without its numbers.

    `worked` are the slots of the task's graph that compute a constant in a row of their own (None: as the language
    does; only then `constants` is False). With `merged`, a subexpression that occurs several times has one row.
    `program` is a graph of the same functions to use instead of the task's. `slots` has rows by number, aliases and
    outputs (not those called like an input), later ones replacing earlier ones; `names` has rows only, without inputs.
    """
    source = program or task.program.graph
    source = source if worked is None else _with_constant_rows(source, worked)
    if merged:
        source = share_subexpressions(source)
    graph = arrange(source, numbering, extra=task.at)
    names = {slot: name for slot, name in enumerate(node_names(graph)) if name and slot not in graph.inputs}
    slots = {name: slot for slot, name in names.items()}
    slots |= {alias: slot for slot, alias in graph.aliases.items()}
    slots |= {name: slot for name, slot in graph.outputs if name not in graph.inputs.values()}
    return Standard(graph, slots, names, worked is not None)


def in_names_of(reference: Standard, written: Collection[str], left_out: int = 0) -> Standard | None:
    """Return the trace with its rows called as in an answer, by their place: w1, w2, … or a, b, …; None if that does
    not fit.

    `written` are all names of rows in the answer; inputs and names of the trace among them are ignored. Numbers begin
    at 1, at 0 if that occurs, or after those of inputs with the same stem; letters are those of `row_letters`. With
    `left_out` the names begin that many earlier, since the answer lacks the first rows. The trace's own names stay in
    `slots`. None if no name remains, if one does not fit, if there are more names than rows, or if names cannot begin
    that much earlier.
    """
    inputs, count = {*reference.graph.inputs.values()}, len(reference.names)
    own = {name for name in written if name not in reference.slots} - inputs
    stem, *others = {name.rstrip("0123456789") for name in own} or {""}
    if stem and not others and stem not in own:
        taken = [int(name.removeprefix(stem)) for name in inputs if name.removeprefix(stem).isdigit()]
        start = max(taken) + 1 if taken else int(f"{stem}0" not in own)
        names = [f"{stem}{number}" for number in range(start - left_out, start + count)]
    else:
        first = row_letters(own)[:1]
        start = 0 if first in ("a", "A") else 1
        following = map(chr, range(ord(first) - left_out, ord(first) + _LETTERS)) if first else ()
        names = [letter for letter in following if letter not in inputs]
    if not own or not own <= {*names[:count]} or left_out > start:
        return None
    called = dict(zip(reference.names, names, strict=False))
    slots = {name: slot for slot, name in called.items() if name not in reference.slots}
    return reference._replace(names=reference.names | called, slots={**reference.slots, **slots})


def perfect(task: Task, numbering: str = NUMBERINGS[0]) -> Worksheet:
    """Return the problem's own trace as a finished worksheet; the `numbering` (`level` or `call`) names its rows.

    Only rows that an output needs are in it; an output that is a number alone has a slot without a row name.
    """
    reference = standard(task, numbering)
    graph, sheet = reference.graph, Worksheet(task, list(reference.graph.inputs.values()))
    place = sheet.graft_whole(graph)
    needed = (slot for _, output in graph.outputs for slot in postorder(output, graph.parents.__getitem__))
    names = reference.names
    sheet.slots |= {names[s]: place[s] for s in needed if s not in graph.inputs and not graph.literal[s]}
    sheet.finish({name: place[slot] for name, slot in graph.outputs})
    return sheet


def standards(task: Task, rows: Sequence[ValueRow]) -> list[Standard]:
    """Return the traces that an answer may follow, the language's own first; those that give the same graph count once,
    but with and without `constants` apart.

    They are: each numbering; with repeated subexpressions in one row; with sums and products combined as the numbers of
    `rows` (the answer's value rows) show; and with other rows for constants. The last ones are added if the problem
    folds constants, or if it has constants and a row of only a number or arithmetic does not show the value of its
    name; not for more than 50 steps that are constants.
    """
    references = list(cache_of(task).get_or_make("numberings", lambda: _numberings(task)))
    graph = task.program.graph
    merged = share_subexpressions(graph)
    for source in (graph, merged) if len(merged) < len(graph) else (graph,):
        other = reassociate(source, task.at, rows)
        traces = [] if other is None else [standard(task, numbering, program=other) for numbering in NUMBERINGS]
        references += _new_traces(traces, references)
    steps = _constant_steps(graph)
    if len(steps) > _MOST:
        return references
    is_folded = any(graph.literal[slot] for slot in steps)
    if not is_folded and not (graph.constants and any(_has_stray_rows(rows, each, task) for each in references)):
        return references
    choices = dict.fromkeys(_choices_of_rows(graph, steps, rows))
    worked_out = [standard(task, numbering, worked) for numbering in NUMBERINGS for worked in choices]
    return references + _new_traces(worked_out, [])


def _numberings(task: Task) -> list[Standard]:
    """Return the traces in the language's own rows for constants: without, then with subexpressions merged, each
    numbered by `level`, then by `call`.

    A trace of the same shape as an earlier one is left out.
    """
    traces = [standard(task, numbering, merged=merged) for merged in (False, True) for numbering in NUMBERINGS]
    return _new_traces(traces, [])


def _new_traces(traces: Sequence[Standard], known: Sequence[Standard]) -> list[Standard]:
    """Return the `traces` whose operations, operands and folded constants none of `known` has, nor one before them."""
    graphs = [reference.graph for reference in (*known, *traces)]
    keys = [(tuple(graph.rows), tuple(graph.parents), bytes(graph.literal)) for graph in graphs]
    return [each for place, each in enumerate(traces, len(known)) if keys[place] not in keys[:place]]


def constants_of(graph: Graph) -> list[int]:
    """Return the slots that depend on no input, in order, numbers as written included."""
    moving = dependents(graph)
    return [slot for slot in range(len(graph)) if not moving[slot]]


def _constant_steps(graph: Graph) -> list[int]:
    """Return the slots that compute a constant that an output needs, in order; not numbers as written, and not literal
    operations on one of them, such as their negatives.
    """
    needed, parents = ancestors(graph, [slot for _, slot in graph.outputs]), graph.parents
    computed = [slot for slot in constants_of(graph) if needed[slot] and graph.rows[slot] is not None]
    return [s for s in computed if not graph.literal[s] or len(parents[s]) > 1 or parents[parents[s][0]]]


def _has_stray_rows(rows: Sequence[ValueRow], reference: Standard, task: Task) -> bool:
    """Return whether an answer has a row of only a number or arithmetic that is not the value of the row of its name.

    The value is the one at the point of the task (0 if it has none). True also if the trace has no row of that name.
    """
    graph = reference.graph
    point = {slot: in_arithmetic(SPREAD, task.at[name]) for slot, name in graph.inputs.items()}
    values, slots = evaluate(graph, SPREAD, point), reference.slots
    constants = [row for row in rows if row.constant is not None]
    return any(row.name not in slots or not row.shows(SPREAD.number(values[slots[row.name]] or 0)) for row in constants)


def _choices_of_rows(graph: Graph, steps: Sequence[int], rows: Sequence[ValueRow]) -> Iterator[frozenset[int]]:
    """Yield 5 choices of the constants that have a row of their own, as sets of slots out of `steps`; they may repeat.

    In order: those of the language, none, those whose value a row of only a number or arithmetic in `rows` shows, those
    that another operation or a result uses, all. `steps` are the slots that compute a constant.
    """
    used = {parent for slot in range(len(graph)) if slot not in steps for parent in graph.parents[slot]}
    results = {slot for _, slot in graph.outputs}
    constants = [row for row in rows if row.constant is not None]
    shown = {slot for slot in steps if any(row.shows(constant_value(graph, slot)) for row in constants)}
    yield frozenset(slot for slot in steps if not graph.literal[slot])
    yield frozenset()
    yield frozenset(shown)
    yield frozenset(slot for slot in steps if slot in used or slot in results)
    yield frozenset(steps)


def _with_constant_rows(graph: Graph, worked: Collection[int]) -> Graph:
    """Return a copy of the graph with rows for just the constants in `worked`, and for what is computed from them.

    All other constants are marked as literal; nothing else changes, `graph` neither.
    """
    moving = dependents(graph)
    literal = bytearray(len(graph))
    for slot, parents in enumerate(graph.parents):
        literal[slot] = not moving[slot] and slot not in worked and all(literal[parent] for parent in parents)
    copied = graph.copy()
    copied.literal = literal
    return copied
