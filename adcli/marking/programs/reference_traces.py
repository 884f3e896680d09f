"""Reference traces: the problem's own trace in each numbering and with each choice of rows for constants. A trace
(Standard) is a graph with a name such as v1 for each row; a slot is the index of an operation, input or constant in it;
a Print has the values of a slot at all sample points.

The language folds arithmetic on numbers that are written down (`2^3`, `2*pi`); a student may compute it in separate
rows, step by step or at once, and may leave out rows that compute a constant.  Candidates for a row of an answer are
found among the rows of a trace by function, name and number; a Print has the values of a row at all sample points.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, product

from ...answers.answer_model import Entry, Task, numbered_inputs, row_letters
from ...answers.shown_numbers import as_double, numeral_spread
from ...graph.graph import Graph
from ...graph.order import ancestors, arrange, dependents, postorder, share_subexpressions
from ...graph.tape import evaluate
from ...language.problems import in_arithmetic
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from ...table.primitive import ROWS
from ...trace.labels import node_names
from ...trace.request_choices import NUMBERINGS
from ..function_values import Print
from .reassociation import reassociate
from .value_rows import ValueRow, constant_value, is_near, value_rows, within
from .worksheet import FunctionIndex, Worksheet, cache_of, structure

_LETTERS = 26
_MOST = 50  # steps that work out constants, of a problem in which they are looked for in an answer


class Standard(NamedTuple):
    """The problem's trace in one numbering: its `graph`, its `slots` by all names, the `names` of rows by slot.

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
    """Return the trace of a task in one numbering, `level` or `call`, without values.

    `worked` are the slots of the task's graph that compute a constant in a row of their own, all others have none
    (`_with_constant_rows`); None, rows as in the language, sets `constants` to False, otherwise it is True. With
    `merged`, a subexpression that occurs several times has one row. `program` is a graph of the same functions to use
    instead of the task's, also for `worked` and `merged`. `names` has the numbered rows, without inputs. `slots` has
    the same rows (so no inputs by number), aliases and outputs (not those called like an input), later ones replacing
    earlier ones.
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
    """Return the trace with its rows called as in an answer, by place: w1, w2, … or a, b, …; None if these do not fit.

    `written` are all names of rows in the answer; inputs and the trace's own names in it are ignored. Numbers begin
    after the largest one of inputs with the same stem, else at 0 if that occurs, else at 1. Letters begin as those of
    `row_letters`; letters of inputs are skipped. With `left_out` the names begin that many places earlier, since the
    answer lacks the first rows. `names` has the new name of each slot; `slots` has them in addition to the trace's own
    names, which keep their meaning.

    None in these cases: no name remains; a name is not in the series, or in it after as many names as the trace has
    rows; or the series cannot begin `left_out` places earlier (numbers not below 0; letters from a not at all, other
    letters by one place only).
    """
    inputs, count = {*reference.graph.inputs.values()}, len(reference.names)
    student_names = {name for name in written if name not in reference.slots} - inputs
    stem, *others = {name.rstrip("0123456789") for name in student_names} or {""}
    if stem and not others and stem not in student_names:
        taken = [int(name.removeprefix(stem)) for name in inputs if name.removeprefix(stem).isdecimal()]
        start = max(taken) + 1 if taken else int(f"{stem}0" not in student_names)
        names = [f"{stem}{number}" for number in range(start - left_out, start + count)]
    else:
        first = row_letters(student_names)[:1]
        start = 0 if first in ("a", "A") else 1
        following = map(chr, range(ord(first) - left_out, ord(first) + _LETTERS)) if first else ()
        names = [letter for letter in following if letter not in inputs]
    if not student_names or not student_names <= {*names[:count]} or left_out > start:
        return None
    called = dict(zip(reference.names, names, strict=False))
    slots = {name: slot for slot, name in called.items() if name not in reference.slots}
    return reference._replace(names=reference.names | called, slots={**reference.slots, **slots})


def trace_worksheet(task: Task, numbering: str = NUMBERINGS[0]) -> Worksheet:
    """Return the problem's own trace as a finished worksheet; the `numbering` (`level` or `call`) names its rows.

    The graph has all slots of the trace, but only rows that an output needs have names in `slots`, those of the whole
    trace. An output that is a number alone has a slot without a row name. Finished: outputs and cells are set.
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
    """Return the traces that an answer may follow, the language's own first.

    - Each numbering; then, if a subexpression is repeated, the same with it in one row.
    - With sums and products combined as the numbers of `rows`, the answer's value rows, show (`reassociate`).
    - With other rows for constants (`constants`), if the problem computes constants that the language folds. Also if it
      has constants and, for any of the traces above, the answer has a row of only a number or arithmetic that does not
      show the value of its name (`_has_stray_rows`). In each numbering come the choices of `_choices_of_rows`. Not if
      more than 50 steps are constants.

    Of traces with the same graph, slots in the same order, only the first is returned, separately for those with
    `constants`.
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
    """Return the traces with the language's own rows for constants, without traces of the same shape as an earlier one.

    First come traces without merging, then with subexpressions merged, each numbered by `level`, then by `call`.
    """
    traces = [standard(task, numbering, merged=merged) for merged in (False, True) for numbering in NUMBERINGS]
    return _new_traces(traces, [])


def _new_traces(traces: Sequence[Standard], known: Sequence[Standard]) -> list[Standard]:
    """Return those of `traces` whose graph is not that of a trace in `known`, nor of an earlier one in `traces`.

    Graphs are the same if they have the same operations, operands and literal slots, slot by slot in the order of the
    numbering; names, outputs and the numbers of constants are not compared.
    """
    graphs = [reference.graph for reference in (*known, *traces)]
    keys = [(tuple(graph.rows), tuple(graph.parents), bytes(graph.literal)) for graph in graphs]
    return [each for place, each in enumerate(traces, len(known)) if keys[place] not in keys[:place]]


def constants_of(graph: Graph) -> list[int]:
    """Return the slots that depend on no input, in order, numbers as written included."""
    moving = dependents(graph)
    return [slot for slot in range(len(graph)) if not moving[slot]]


def _constant_steps(graph: Graph) -> list[int]:
    """Return the slots of operations that compute a constant that an output needs, in order.

    Left out are numbers as written, and literal operations on one number as written, such as its negative; 1/2 counts.
    """
    needed, parents = ancestors(graph, [slot for _, slot in graph.outputs]), graph.parents
    computed = [slot for slot in constants_of(graph) if needed[slot] and graph.rows[slot] is not None]
    return [s for s in computed if not graph.literal[s] or len(parents[s]) > 1 or parents[parents[s][0]]]


def _has_stray_rows(rows: Sequence[ValueRow], reference: Standard, task: Task) -> bool:
    """Return whether a row of only a number or arithmetic is not the value of the trace's row of its name.

    The row must show it: by its arithmetic, or by its number up to one unit of the last place (`shows`). Values are
    those at the point of the task; an undefined value counts as 0. True also if the trace has no row of that name.
    """
    graph = reference.graph
    point = {slot: in_arithmetic(SPREAD, task.at[name]) for slot, name in graph.inputs.items()}
    values, slots = evaluate(graph, SPREAD, point), reference.slots
    constants = [row for row in rows if row.constant is not None]
    return any(row.name not in slots or not row.shows(SPREAD.number(values[slots[row.name]] or 0)) for row in constants)


def _choices_of_rows(graph: Graph, steps: Sequence[int], rows: Sequence[ValueRow]) -> Iterator[frozenset[int]]:
    """Yield 5 choices of the constants that get a row of their own, each a set of slots out of `steps`.

    `steps` are the slots that compute a constant. The choices may be equal; they are, in this order:
    - those that the language gives a row, that is which are not literal;
    - none;
    - those whose value is shown by one of `rows` that is only a number or arithmetic;
    - those that an operation outside of `steps` uses or that are outputs;
    - all.
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
    """Return a copy of the graph in which, of all constants, those in `worked` have rows.

    So do constants that are computed from these. All other constants are marked as literal; nothing else changes, and
    `graph` stays as it is.
    """
    moving = dependents(graph)
    literal = bytearray(len(graph))
    for slot, parents in enumerate(graph.parents):
        literal[slot] = not moving[slot] and slot not in worked and all(literal[parent] for parent in parents)
    copied = graph.copy()
    copied.literal = literal
    return copied


# --- candidates for a row of an answer among the rows of a trace ------------------------------------------------------


_DRIFT = 0.002  # how far a step may be off by rounding, as a fraction of it
_NEAR = 0.02  # how far a result may be off by rounding, as a fraction of it


class Candidates:
    """The value rows of an answer and the rows of the problem's trace in one numbering, compared as functions.

    `rows` are the value rows except those that only rename inputs (`called` maps such names to inputs), `own` their
    names, `used` the names in their formulas. `reference` is the trace; its `slots` also have names of inputs: those in
    `called` and by number, as v0 and v-1. `prints` has the values of the trace's inputs, rows and `constants` by slot,
    `functions` finds them by values, `results` are the slots of results, `constants` the slots that depend on no input
    (only if the numbering has `constants`). `lacking` says that derivatives or formulas use rows of the trace that the
    answer does not have. `steps` maps rows of only a number to slots of the trace; it is empty at first.
    """

    def __init__(
        self, task: Task, entries: Sequence[Entry], reference: Standard, mentioned: Collection[str],
        called: Mapping[str, str],
    ) -> None:  # fmt: skip
        """Read the value rows of `entries` and evaluate the rows of `reference` at all sample points.

        `mentioned` are the names of rows that derivatives and formulas use. `called` is {name of a row that only
        renames an input: that input}. The attributes are described at the class; `prints` and `functions` are cached
        for the problem.
        """
        self.task, self.entries, self.mentioned, self.called = task, entries, mentioned, called
        self.inputs = list(reference.graph.inputs.values())
        self.rows = [row for row in value_rows(entries, self.inputs) if row.name not in called]
        self.own = {row.name for row in self.rows}
        numbered = zip(numbered_inputs(len(self.inputs)), reference.graph.inputs, strict=True)
        free = {name: slot for name, slot in numbered if name not in self.own}
        input_slots = {name: slot for slot, name in reference.graph.inputs.items()}
        own_inputs = {name: input_slots[meant] for name, meant in self.called.items()}
        known = reference.slots.keys() - self.own
        self.lacking = not known.isdisjoint(mentioned)  # it works with rows that it has not computed
        self.reference = reference._replace(slots={**free, **reference.slots, **own_inputs})
        sheet = Worksheet(task, self.inputs)
        self.places = sheet.places
        self.constants = constants_of(reference.graph) if reference.constants else []
        key = "functions", structure(reference.graph), tuple(self.inputs), tuple(reference.names), reference.constants
        self.prints, self.functions = cache_of(task).get_or_make(key, lambda: self._evaluate_trace(sheet))
        self.results = [slot for _, slot in reference.graph.outputs if slot in self.prints]
        self.steps: Mapping[str, int] = {}  # which rows those of a table of nothing but numbers are
        self.used = {q.name for row in self.rows for piece in row.formulas for q in piece.quantities.values()}

    def _evaluate_trace(self, sheet: Worksheet) -> tuple[dict[int, Print], FunctionIndex]:
        """Return (values of the trace's inputs, rows and constants at all points, by slot; an index of these).

        In a task of higher order also results without a row. Slots are those of the trace. `sheet` is an empty
        worksheet, to which the whole trace is copied, in place.
        """
        reference = self.reference
        place = sheet.graft_whole(reference.graph)
        values = sheet.prints()
        results = (slot for _, slot in reference.graph.outputs if self.task.order > 1)  # f_yy = 0, too
        slots = dict.fromkeys((*reference.graph.inputs, *reference.names, *self.constants, *results))
        prints = {slot: values[place[slot]] for slot in slots}
        return prints, FunctionIndex(prints)

    def likely_slot(self, row: ValueRow, used: Collection[int], taken: Mapping[int, int]) -> int | None:
        """Return the slot of the trace that a wrong row most likely should be; None if nothing about the row fits.

        An equal name counts 4, equal operands 3, the last operation of one of its formulas 2, a common operand 1 (also
        next to the 3); of equal sums the first slot is returned. Operands are compared as sets, without literals.
        `used` are the slots of the trace that the row's formulas use. The keys of `taken`, slots that other rows
        represent, are excluded.
        """
        graph, operands = self.reference.graph, set(used)
        operators = {piece.graph.operator(piece.graph.outputs[0][1]) for piece in row.formulas if piece.graph}

        def merit(slot: int) -> int:
            parents = {p for p in graph.parents[slot] if not graph.literal[p]}
            by_name, by_operation = self.reference.slots.get(row.name) == slot, graph.operator(slot) in operators
            return 4 * by_name + 3 * (parents == operands) + 2 * by_operation + bool(parents & operands)

        best = max((slot for slot in self.reference.names if slot not in taken), key=merit, default=None)
        return best if best is not None and merit(best) else None

    def by_number(self, row: ValueRow, taken: Mapping[int, int]) -> int | None:
        """Return the first row of the trace, as its slot, that has the number of `row`; None if no row fits.

        The true value at the point of the task may be, in this order: one that rounds to the number; one within one
        unit of its last place; one within 0.2 % of the value. The name of `row` does not matter. The keys of `taken`
        are excluded, and inputs are not rows. None also if `row` has no number.
        """
        if row.number is None:
            return None
        free = [slot for slot in self.reference.names if slot not in taken]
        interval = numeral_spread(row.number)
        rounded = (slot for slot in free if self.prints[slot][0].meets(interval))
        shown = (slot for slot in free if within(row.number, self.prints[slot][0]))
        near = (slot for slot in free if is_near(row.number, self.prints[slot][0], _DRIFT))
        return next(chain(rounded, shown, near), None)

    def by_result(self, row: ValueRow, taken: Collection[int]) -> int | None:
        """Return the first slot of the trace, not in `taken`, with the value that `row` shows; None if no value fits.

        First come values that the row's number or arithmetic shows (`shows`), then values that its arithmetic gives
        only up to the rounding of the numbers in it (`computes`). Inputs and numbers as written do not count; the name
        of the row is ignored.
        """
        rows = dict.fromkeys((*self.reference.names, *self.constants))
        free = {slot: self.prints[slot][0] for slot in rows if slot not in taken and self.reference.graph.parents[slot]}
        shown = (slot for slot, true in free.items() if row.shows(true))
        return next(shown, next((slot for slot, true in free.items() if row.computes(true)), None))

    def as_result(self, row: ValueRow, taken: Collection[int]) -> int | None:
        """Return the slot of the only result if `row`, which must have no formula, is meant for the result; else None.

        All of these must hold: it is the last value row; it has a number; no formula of a value row uses it; and its
        number is within 2 % of the result's true value, that included, or a derivative or a derivative's formula
        mentions its name. None also if there are several results, or if the slot is in `taken`. That the row has no
        formula is not checked.
        """
        if len(self.results) != 1 or row is not self.rows[-1] or row.name in self.used or row.number is None:
            return None
        (slot,) = self.results
        is_meant = is_near(row.number, self.prints[slot][0], _NEAR) or row.name in self.mentioned
        return slot if slot not in taken and is_meant else None

    def support(self, row: ValueRow) -> int:
        """Return from 0 to 2 how well a row of only a number fits as a step of another way to the results.

        2 for a row with formulas, arithmetic or no number, and for a row that shows the number of a step (`shows`).
        Otherwise 1 if one operation on inputs, constants and numbers of other rows, as the student wrote them, gives
        its number, and 1 more if its number, with these, gives that of another row. It is 1 in all if all these
        relations have the same numbers (2r = r + r and r = 2r - r). Operations are `+ - * /` and those of the trace.
        """
        trues = (self.prints[slot][0] for slot in self.reference.names if slot in self.prints)
        if row.number is None or row.formulas or row.shows_arithmetic or any(map(row.shows, trues)):
            return 2
        makers, users = self._relations(row, numeral_spread(row.number))
        is_one_relation = len(makers | users) == 1
        return bool(makers) + bool(users) - (bool(makers and users) and is_one_relation)

    def _relations(self, row: ValueRow, number: Spread) -> tuple[set[frozenset[float]], set[frozenset[float]]]:
        """Return (relations that give the number `number` of `row`, relations that use `number` for another row's
        number).

        A relation is the set of its numbers, operands and result, as middles; the interval of the operation's value
        must meet that of the result. Operations are `+ - * /` and those of the trace with one or two operands, in any
        order. Operands are the numbers of other rows, inputs at the point and constants, also twice; in the second set
        one or both are `number`. The other row's number may itself be an operand: for a `number` of 1, 1 b = b counts.
        """
        graph = self.reference.graph
        others = [numeral_spread(other.number) for other in self.rows if other.number and other is not row]
        known = [*others, *self.places[0].values(), *(constant_value(graph, slot) for slot in graph.constants)]
        operations = {ROWS[name] for name in ("add", "sub", "mul", "div")}
        operations |= {each for each in graph.rows if each is not None and each.arity in (1, 2)}
        makers: set[frozenset[float]] = set()
        users: set[frozenset[float]] = set()
        for operation in operations:
            for operands in product((*known, number), repeat=operation.arity or 0):
                value, is_used = SPREAD.number(operation.value(SPREAD, *operands)), any(x is number for x in operands)
                results = [x for x in (others if is_used else (number,)) if value.known and value.meets(x)]
                relations = (frozenset(each.middle for each in (*operands, x)) for x in results)
                (users if is_used else makers).update(relations)
        return makers, users

    def by_constant(self, row: ValueRow, taken: Collection[int]) -> int | None:
        """Return the slot of the problem's constant that a row of nothing but a number shows; None if none fits.

        The constants are all slots that depend on no input. The row must show the value (`shows`: up to one unit of the
        last place). Slots not in `taken` go first, then computed constants before numbers as written, then the nearest;
        of equals the first. None if the row shows arithmetic, has no number, or fits no constant, and if the numbering
        has no `constants`.
        """
        number = row.number
        if row.shows_arithmetic or number is None:
            return None
        near = [slot for slot in self.constants if row.shows(self.prints[slot][0])]
        away = {slot: abs(as_double(number.value) - self.prints[slot][0].middle) for slot in near}
        steps = self.reference.graph.parents
        return min(near, key=lambda slot: (slot in taken, not steps[slot], away[slot]), default=None)

    def meaning(self, values: Print, name: str, taken: Mapping[int, int]) -> int | None:
        """Return the slot of the trace that is the same function as the row `name`; None if no slot is.

        `values` are those of the row at all sample points; the keys of `taken` are slots that rows already represent.
        Used means in a formula of a value row. If several slots are the same function, these come first; each rule
        decides only between slots that are equal by those before it, and at last the first slot is returned:
        - results, if the row is the last value row and not used;
        - the slot of that name; not for a row that is not used if it is taken and not a result;
        - slots that are not numbers as written;
        - results, if the row is not used;
        - slots that are not taken.
        """
        known = self.functions.like(values)
        slots, written = self.reference.slots, self.reference.graph.constants
        ends = name not in self.used
        last = ends and name == self.rows[-1].name

        def rank(slot: int) -> tuple[bool, ...]:
            is_step, is_taken = slot not in self.results, slot in taken
            is_other = slots.get(name) != slot or (ends and is_taken and is_step)
            return last and is_step, is_other, slot in written, ends and is_step, is_taken

        return min(known, key=rank, default=None)
