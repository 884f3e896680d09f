"""Matching of the parts of an answer with problems: by inputs, formulas and numbers, and by headings. A block is some
consecutive rows that belong to one problem; a merit says how well they fit it.

Every block of rows is compared with every problem: does its arithmetic hold at the problem's point, are its numbers and
formulas the problem's, does it use names that the problem does not have? The blocks are then assigned together: the
path of greatest merit through the answer, where each change of problem has a cost.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ...answers.answer import Block, Script, join_sections
from ...answers.answer_model import BAR, DOT, VALUE, Answer, Entry, Numeral, RowPiece, Task
from ...answers.collector import RawSection
from ...answers.sections import same_label
from ...answers.shown_numbers import as_double, digits
from ...answers.symbols import Names, NameSources, shared_names
from ...graph.tape import adjoints, evaluate, linearize, tangents
from ...language.problems import in_arithmetic
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple, grouped
from ..programs.value_rows import shown_number

_SWEPT = 12  # inputs or outputs of a problem whose derivatives are looked for
_CLOSE = 1e-7  # of two results of the same formulas
_DRIFT = 0.02  # how far numbers with few digits lead results away, as a fraction of them
_HEADED = 0.75  # what a heading is worth, in rows
_BREAK, _PARAGRAPH, _ANYWHERE = 0.1, 1.0, 2.0  # what it costs to go on with another problem
_STATED = 4.0  # what the problem's own formula above a block is worth
_ENOUGH = 0.4  # what tells a problem at all
_CALLED = ("f", "y")  # what a problem's function is called
_SHARE = 0.12  # of what a block could have to tell it


class TaskRows(NamedTuple):
    """The rows of an answer that are about one problem, and notes on how they were assigned.

    `rows` is None if no rows are about it.
    """

    rows: RawSection | None
    notes: tuple[str, ...]


class Matched(NamedTuple):
    """The rows of an answer by problem.

    `parts` has the TaskRows of each problem, `strange` (first line, last line) of each block that is about no problem.
    """

    parts: tuple[TaskRows, ...]
    strange: tuple[tuple[int, int], ...]


def names_of(
    tasks: Iterable[Task], differential: str = DOT, *, factors: bool = True, denominators: bool = False
) -> Names:
    """Return the names of all problems together, each once, in the order of the tasks.

    `differential` (DOT or BAR) is the kind of `dv1`; `factors` and `denominators` are as in NameSources. The point has
    the inputs that have one value in all problems that set them. Steps are the problems' own names of rows. `wrt` has
    the inputs that are data in no problem.
    """
    tasks = list(tasks)
    graphs = [task.program.graph for task in tasks]
    inputs = dict.fromkeys(name for graph in graphs for name in graph.inputs.values())
    outputs = dict.fromkeys(name for graph in graphs for name, _ in graph.outputs)
    values = grouped((name, float(x)) for task in tasks for name, x in task.at.items())
    point = {name: numbers[0] for name, numbers in values.items() if len({*numbers}) == 1}
    steps = dict.fromkeys(name for graph in graphs for name in graph.aliases.values())
    wrt = tuple(filter(frozenset(inputs).difference(*(task.data for task in tasks)).__contains__, inputs))
    sources = NameSources(tuple(inputs), tuple(outputs), differential=differential, point=tuple(point.items()))
    return shared_names(sources._replace(steps=tuple(steps), wrt=wrt, factors=factors, denominators=denominators))


class _ComparedBlock(NamedTuple):
    """A block of an answer with its merit for each problem.

    `is_known`: its rows show which problem it is about. `headed` is the index of the problem that its heading names,
    None if it names no problem. `stems` are the names in the block without their numbers.
    """

    block: Block
    merits: Sequence[float]
    is_known: bool
    headed: int | None
    stems: set[str]


def match_blocks(tasks: Sequence[Task], script: Script, names: Names) -> Matched:
    """Assign each block of an answer to one of the problems `tasks`, and return the rows by problem.

    A block has a merit for each problem: how well its arithmetic, numbers and names fit (`Facts.merit`), plus 4 if the
    formula alone above it has the value of the problem's output. The assignment has the largest sum of merits, and 0.75
    for each heading that it follows, minus the costs of changing the problem.

    A block has no evidence if it has no rows, or if its best merit is below 0.4 or below 12 % of what its rows could
    give (1 for a formula with names, and up to 1 for a number). Such a block follows its heading, or else a neighbour
    (`_assign_blocks`); if neither is possible, it belongs to no problem. `names` are those of all problems.
    """
    blocks = script.blocks(names)
    facts = [Facts(task) for task in tasks]
    compared: list[_ComparedBlock] = []
    for block in blocks:
        part_rows = [row for other in blocks if other.part == block.part for row in other.rows.rows]
        answer = script.read(block.rows, names, part_rows)
        merits = [each.merit(answer.entries, {*names.inputs}) for each in facts]
        if block.statement is not None:
            merits = [x + _STATED * each.is_stated(block, script, names) for x, each in zip(merits, facts, strict=True)]
        weight = sum(map(_weight_of, answer.entries))
        is_known = bool(answer.entries) and max(merits) >= max(_ENOUGH, _SHARE * weight)
        quantities = (quantity for entry in answer.entries for quantity in (entry.quantity, *entry.symbols))
        stems = {name.rstrip("0123456789") for each in quantities for name in (each.name, each.key or each.name)}
        compared.append(_ComparedBlock(block, merits, is_known, problem_of_heading(tasks, block.label), stems))
    return _join_blocks(tasks, compared, _assign_blocks(compared, _best_path(compared)))


def without_statement(answer: Answer, task: Task) -> Answer:
    """Return the answer without rows that only restate the function of the problem; these go to its `left_out`.

    Such a row has the name of the only output, f or y, and a single piece: a formula that has the value of the output
    at the point and at least as many slots as the problem's graph. The first row of these names goes only if it is the
    first of several value rows, apart from inputs. Later rows of these names that restate it go only if any row of
    these names shows a number (a function defined again for a check). The answer itself is returned if there are no
    such rows.
    """
    return answer.without(_restating_rows(answer, task), "states the problem")


def _restating_rows(answer: Answer, task: Task) -> list[Entry]:
    """Return the value rows that only restate the function of the problem (`_restates`), each of one piece.

    Rows of names with a value in the task do not count. The rows have the name of the only output, f or y. The first
    row of these names is a candidate only if it is the first value row of all. If a row of these names shows a number,
    each row of these names after the first is a candidate, too. The candidates that restate it are returned in the
    order written. [] if there are fewer than two value rows, or if the task has several outputs.
    """
    rows = [entry for entry in answer.entries if entry.quantity.kind == VALUE and entry.quantity.name not in task.at]
    outputs = task.program.graph.outputs
    results = [row for row in rows if row.quantity.name in (outputs[0][0], *_CALLED)]
    if len(rows) < 2 or len(outputs) > 1 or not results:
        return []
    again = results[1:] if any(shown_number(row) is not None for row in results) else []
    candidates = [results[0], *again] if results[0] is rows[0] else again
    return [row for row in candidates if len(row.pieces) == 1 and _restates(row.pieces[0], task)]


def _restates(piece: RowPiece, task: Task) -> bool:
    """Return whether a piece only restates the problem, at its point; not that of a higher derivative.

    Its formula must use a name, have the value of the only output at the point (intervals that meet), and have at least
    as many slots (inputs and constants included) as the problem's graph. False if it uses derivatives or names that the
    task has no value for, or has no value. Raises KeyError if the task has no value for an input of the problem.
    """
    graph = task.program.graph
    point = {name: in_arithmetic(SPREAD, x) for name, x in task.at.items()}
    value = _evaluate(piece, point)
    if value is None or piece.graph is None or len(piece.graph) < len(graph) or task.order > 1:
        return False
    values = evaluate(graph, SPREAD, {slot: point[name] for slot, name in graph.inputs.items()})
    return value.meets(SPREAD.number(values[graph.outputs[0][1]]))


def problem_of_heading(tasks: Sequence[Task], label: str | None) -> int | None:
    """Return the index of the problem that a heading with this `label` names; None if it names no problem.

    Indices count from 0; the first problem that fits wins. The labels of the problems are compared first (`same_label`:
    `Problem 2:` and 2, II or b are the same). If none fits and no problem is labelled with its own number (the first
    with 1, the second with 2), the label is compared with the numbers of the problems from 1. None if `label` is None.
    """
    if label is None:
        return None
    places = [k for k, task in enumerate(tasks) if task.label and same_label(task.label, label)]
    numbers = {k for k, task in enumerate(tasks) if task.label and same_label(task.label, str(k + 1))}
    places = places or [k for k in range(len(tasks)) if same_label(str(k + 1), label) and (k in numbers or not numbers)]
    return places[0] if places else None


def _best_path(compared: Sequence[_ComparedBlock]) -> list[int]:
    """Return the index of the problem for each block, so that the sum of merits minus the costs of changes is largest.

    A heading adds 0.75 to the merit of its problem. Of equal paths, the one that stays with its problem is preferred,
    then the one that goes on to the next problem, then lower indices. Blocks without evidence count too. [] without
    blocks.
    """
    count = len(compared[0].merits) if compared else 0
    best = [0.0] * count
    ways: list[list[int]] = []
    for place, each in enumerate(compared):
        sums, way = [], []
        change = _cost_of_change(compared[place - 1].block, each.block) if place else 0.0
        for k, merit in enumerate(each.merits):
            costs = [0.0 if j == k else change for j in range(count)]
            last = max(range(count), key=lambda j: (best[j] - costs[j], j == k, -abs(j + 1 - k)))
            sums.append(best[last] - costs[last] + (merit + (_HEADED if each.headed == k else 0.0)))
            way.append(last)
        best = sums
        ways.append(way)
    if not ways:
        return []
    chosen = [best.index(max(best))]
    for way in reversed(ways[1:]):
        chosen.append(way[chosen[-1]])
    return chosen[::-1]


def _cost_of_change(before: Block, block: Block) -> float:
    """Return the cost of assigning two consecutive blocks to different problems.

    The first that applies: 0 between sections (another `part`); 0.1 if a new problem may begin with `block` (its field
    `opens`); 1 at a new paragraph or table (the last row of `before` and the first of `block` differ in the number
    `block`); 2 at other places.
    """
    if before.part != block.part:
        return 0.0
    is_paragraph = before.rows.rows[-1].block != block.rows.rows[0].block
    return _BREAK if block.opens else _PARAGRAPH if is_paragraph else _ANYWHERE


def _assign_blocks(compared: Sequence[_ComparedBlock], chosen: Sequence[int]) -> list[int | None]:
    """Return the index of the problem of each block, None if it is unknown; `chosen` is the best path.

    The first that applies (one block goes on from another before it if both are in one section, no new problem may
    begin with it, and they have a name in common, numbers at the end not counted):
    - the block `is_known`: its problem in `chosen`;
    - its heading names a problem: this problem;
    - it goes on from the block before, to which a problem has been assigned, in any way: that problem;
    - the next block goes on from it and `is_known`: that one's problem in `chosen`;
    - else None (a heading of the next block does not help).
    """
    problems: list[int | None] = []
    for place, each in enumerate(compared):
        following = compared[place + 1] if place + 1 < len(compared) else None
        if each.is_known:
            problems.append(chosen[place])
        elif each.headed is not None:
            problems.append(each.headed)
        elif place and problems[-1] is not None and _go_together(compared[place - 1], each):
            problems.append(problems[-1])
        else:
            is_linked = following is not None and following.is_known and _go_together(each, following)
            problems.append(chosen[place + 1] if is_linked else None)
    return problems


def _go_together(one: _ComparedBlock, other: _ComparedBlock) -> bool:
    """Return whether the block `other` goes on from the block `one` before it.

    It does if it is in the same section, no new problem may begin with it (its field `opens`), and it has a name that
    `one` has, too; numbers at the ends of names do not matter.
    """
    return one.block.part == other.block.part and not other.block.opens and not one.stems.isdisjoint(other.stems)


def _join_blocks(tasks: Sequence[Task], compared: Sequence[_ComparedBlock], chosen: Sequence[int | None]) -> Matched:
    """Return a Matched: the rows of each task with notes on how they were chosen, and the lines of the blocks of no
    task.

    The blocks of a task are joined, in order, to one section, which has the heading of the first of them; it is None if
    the task has no block. A block of no task gives its (first line, last line). In notes a task without a label has its
    number from 1. `chosen` has, for each block, the index of its task in `tasks`, None for no task.
    """
    parts = []
    for k, task in enumerate(tasks):
        blocks = [each for each, other in zip(compared, chosen, strict=True) if other == k]
        rows = join_sections((each.block.rows for each in blocks), blocks[0].block.label) if blocks else None
        parts.append(TaskRows(rows, tuple(_notes(task.label or str(k + 1), k, blocks))))
    lines = [each.block.lines for each, other in zip(compared, chosen, strict=True) if other is None]
    return Matched(tuple(parts), tuple(lines))


def _notes(title: str, number: int, compared: Sequence[_ComparedBlock]) -> Iterator[str]:
    """Yield a sentence for each run of lines that is read as the problem `number` (an index from 0) but not headed with
    its name.

    `title` is the label of the problem; `compared` are the blocks assigned to it, in order; those that its heading
    names are skipped. First come the blocks whose heading names another problem or is not understood, one sentence for
    each: "lines 3 to 5 are read as problem `title`, though they are headed" and the heading's label. Then come the runs
    of other blocks, which are joined if at most one line is between them: "… read as problem `title`, by inputs,
    formulas and numbers", with "line 3 is" for a single line.
    """
    runs: list[list[int]] = []
    for block, _, _, headed, _ in compared:
        if headed == number:
            continue
        first, last = block.lines
        if headed is not None or block.label:
            yield f"lines {first} to {last} are read as problem {title}, though they are headed {block.label}"
        elif runs and runs[-1][1] + 2 >= first:
            runs[-1][1] = max(last, runs[-1][1])
        else:
            runs.append([first, last])
    for first, last in runs:
        where = f"line {first} is" if first == last else f"lines {first} to {last} are"
        yield f"{where} read as problem {title}, by inputs, formulas and numbers"


# --- what is known of a problem -------------------------------------------------------------------------------------


class Facts:
    """The numbers of a problem, sorted by kind, with which the rows of an answer are compared.

    `results` are the values of the outputs, `values` those of all rows, `dots` and `bars` the tangents and adjoints.
    """

    def __init__(self, task: Task) -> None:
        """Evaluate the program of `task`: its values, tangents, adjoints and local derivatives, each as a sorted list
        of floats.

        `any` has all derivatives together, `point` the values of all inputs as intervals, `point_values` those that the
        task sets as floats, `names` the inputs and outputs. An input without a value gets a reproducible random one in
        [0.5, 2]. Unknown numbers are left out. Only the first 12 inputs and outputs are differentiated.
        """
        graph = task.program.graph
        chance = random.Random(task.program.source.text)  # noqa: S311 - any point will do where a problem has none
        self.point = {
            name: in_arithmetic(SPREAD, task.at[name]) if name in task.at else SPREAD.number(chance.uniform(0.5, 2))
            for name in graph.inputs.values()
        }
        self.point_values = {name: x.middle for name, x in self.point.items() if name in task.at}
        values = evaluate(graph, SPREAD, {slot: self.point[name] for slot, name in graph.inputs.items()})
        rows = [slot for slot in range(len(graph)) if graph.rows[slot] is not None]
        self.results = _sort_known(values[slot] for _, slot in graph.outputs)
        self.values = _sort_known(map(values.__getitem__, rows))
        gradients = linearize(graph, SPREAD, values)
        slots = [*graph.inputs, *rows]
        dots = [tangents(graph, gradients, {slot: SPREAD.one}) for slot in list(graph.inputs)[:_SWEPT]]
        bars = [adjoints(graph, gradients, {slot: SPREAD.one}) for _, slot in graph.outputs[:_SWEPT]]
        sweeps = (dots, bars)
        self.dots, self.bars = (_sort_known(sweep[slot] for sweep in each for slot in slots) for each in sweeps)
        self.any = _sort_known([*self.dots, *self.bars, *chain.from_iterable(gradients[row] for row in rows)])
        self.names = {*self.point, *dict(graph.outputs)}

    def merit(self, entries: Sequence[Entry], inputs: Iterable[str]) -> float:
        """Return how well `entries` fit this problem: about 1 for each row that fits, negative if they contradict it.

        It is the sum over the rows, taken in order, since values of earlier ones are used in later ones. At first the
        values of this problem's inputs are known (a random one if the task sets none). `inputs` are the inputs of all
        problems; a row that uses one that is neither input nor output of this problem counts against it. 0 for no
        entries.
        """
        known: dict[str, Spread] = dict(self.point)
        strange = set(inputs) - self.names
        rooted = set(self.point)  # the rows that come from the inputs, or are the problem's own
        return sum(self._merit_of_row(entry, known, rooted, strange) for entry in entries)

    def _merit_of_row(self, entry: Entry, known: dict[str, Spread], rooted: set[str], strange: set[str]) -> float:
        """Return how well one row fits this problem, from about -2 to 3; `known` and `rooted` are extended in place.

        `known` has the values of rows so far, `rooted` the names that derive from the inputs. 1 is subtracted if the
        row uses a name in `strange`, inputs of other problems (the own name of a value row does not count). The first
        that applies:
        - A value for an input that the task sets, without this input in its formula: the weight of its digits (0.1 to
          1) if it is right, -1 if it is wrong, 0 without a number.
        - A formula that can be computed and has a value that the problem has for this kind of row (within about 1e-7),
          or uses a name in `rooted`: `_merit_of_formula`; the row's name gets into `rooted`.
        - Another formula that can be computed: 0.
        - A number alone: the weight of its digits if the problem has it within one unit, else 0; with weight 1 the name
          gets into `rooted`.
        - Nothing of that: 0.

        A row's formula is its first piece with names that can be computed. In all cases but the first, `known` gets the
        value of a value row that is not of an input: that of its formula, else its last number.
        """
        kind, name, key = entry.quantity
        number = shown_number(entry)
        used = {quantity.name for quantity in entry.symbols}
        names = used | ({key or "", name} if kind != VALUE else {key or ""})
        merit = 0.0 if strange.isdisjoint(names) else -1.0
        if kind == VALUE and name in self.point_values and name not in used:
            return merit + _merit_of_input(number, self.point_values[name])
        computed = next(filter(None, (_evaluate(piece, known) for piece in entry.pieces)), None)
        truths = {VALUE: self.values, DOT: self.dots, BAR: self.bars}.get(kind, self.any)
        if computed is not None:
            is_own = _has(truths, computed.middle, _CLOSE * (1 + abs(computed.middle)))
            if is_own or not rooted.isdisjoint(used):  # else, right or wrong, it tells nothing of this problem
                rooted.add(name)
                merit += self._merit_of_formula(computed, number, is_own, kind == VALUE)
        elif number is not None:
            is_own = _has(truths, as_double(number.value), as_double(number.unit))
            merit += _evidence_weight(number) * is_own
            if is_own and _evidence_weight(number) == 1:
                rooted.add(name)
        value = SPREAD.number(number.value) if computed is None and number is not None else computed
        if kind == VALUE and name not in self.point and value is not None:
            known[name] = value
        return merit

    def _merit_of_formula(self, computed: Spread, number: Numeral | None, is_own: bool, is_value: bool) -> float:
        """Return how well a row fits whose formula has the value `computed` and which shows `number` (None: no number).

        It is the sum of:
        - 1 if the value is one of the problem's (`is_own`);
        - 1 if it is that of a result and `is_value` (it is not a derivative);
        - the weight of the number (0.1 to 1, by its digits) if it agrees with the value (within one unit or 2 %), or
          minus half of it if it does not.
        """
        middle = computed.middle
        merit = float(is_own + (is_value and _has(self.results, middle, _CLOSE * (1 + abs(middle)))))
        if number is not None:
            unit = max(float(number.unit), _DRIFT * abs(middle))
            merit += _evidence_weight(number) * (1 if abs(as_double(number.value) - middle) <= unit else -0.5)
        return merit

    def is_stated(self, block: Block, script: Script, names: Names) -> bool:
        """Return whether the formula above a block has the value of an output of the problem."""
        piece = None if block.statement is None else script.formula(block.statement, names)
        value = None if piece is None else _evaluate(piece, self.point)
        return value is not None and _has(self.results, value.middle, _CLOSE * (1 + abs(value.middle)))


def _merit_of_input(number: Numeral | None, x: float) -> float:
    """Return the merit of a row that gives an input the value `number`, if the problem has `x`.

    It is the weight of the number (0.1 to 1, by its digits) if `x` rounds to it (half a unit of its last place,
    included), -1 if it is wrong, 0 if `number` is None.
    """
    if number is None:
        return 0.0
    away = abs(as_double(number.value) - x)
    return _evidence_weight(number) if away <= as_double(number.unit) / 2 + _CLOSE * abs(x) else -1.0


def value_of(piece: RowPiece | None, known: Mapping[str, Spread]) -> Spread | None:
    """Return the value of a number, or of a formula of values whose names are all in `known`; None for other pieces.

    A number is taken exactly as written, not as an interval of its rounding. A formula without names has a value, too.
    None for a missing piece, one that could not be read, a formula with derivatives or other names, and an undefined
    value.
    """
    if piece is None:
        return None
    if piece.number is not None:
        return SPREAD.number(piece.number.value)
    graph, used = piece.graph, piece.quantities
    if graph is None or any(each.kind != VALUE or each.name not in known for each in used.values()):
        return None
    point = {slot: known[used[symbol].name] for slot, symbol in graph.inputs.items()}
    value = SPREAD.number(evaluate(graph, SPREAD, point)[graph.outputs[0][1]])
    return value if value.known else None


def _evaluate(piece: RowPiece, known: Mapping[str, Spread]) -> Spread | None:
    """Return the value of a formula as `value_of` does; None if it has no names."""
    return value_of(piece, known) if piece.quantities else None


def _sort_known(numbers: Iterable[Spread | float | None]) -> list[float]:
    """Return the known ones among the numbers, sorted."""
    spreads = [SPREAD.number(x) for x in numbers if x is not None]
    return sorted(x.middle for x in spreads if x.known)


def _has(numbers: Sequence[float], x: float, leeway: float) -> bool:
    """Return whether one of the sorted `numbers` is within `leeway` of `x`."""
    place = bisect_left(numbers, x - leeway)
    return place < len(numbers) and numbers[place] <= x + leeway


def _evidence_weight(number: Numeral) -> float:
    """Return what a match of this number counts: 0.1 for 0, 1 and -1, else 0.3, 0.6 or 1.0 for one, two or more digits.

    Leading zeros are not counted, zeros at the end are.
    """
    return 0.1 if number.value in (0, 1, -1) else {1: 0.3, 2: 0.6}.get(digits(number), 1.0)


def _weight_of(entry: Entry) -> float:
    """Return the largest evidence that a row could give: that of its number, and 1 for a formula with names."""
    number = shown_number(entry)
    formula = any(piece.quantities for piece in entry.pieces)
    return (0.0 if number is None else _evidence_weight(number)) + formula
