"""Instances of exercises that tell slips apart: problems whose numbers print well and at which no slip looks like the
truth.

Two numbers of an instance may look alike only if they are equal at every point, as the adjoints of the two operands of
a sum are: to exchange these is not an error.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from math import isclose, isfinite

from ..answers.answer_model import Task
from ..errors import DomainProblem, RequestError
from ..graph.graph import Graph
from ..graph.order import arrange
from ..graph.tape import Gradients, tangents, value_and_partials
from ..language.problems import in_arithmetic
from ..marking.programs.reference_traces import trace_worksheet
from ..marking.programs.worksheet import Solution
from ..marking.slips.catalogue import Plant, plants_in, quantities
from ..marking.task import task_of
from ..notation.number_text import Digits
from ..numbers.double_intervals import SPREAD
from ..records import grouped
from ..trace.labels import node_names
from ..trace.request_choices import NUMBERINGS
from ..trace.trace_model import Request, Trace
from ..trace.trace_program import trace
from .exercise_patterns import LOOKS_ALIKE, NEAR_EDGE, PRINTS_BADLY, Draws, draw_problem

_ATTEMPTS = 20_000
_SMALLEST, _LARGEST = 0.05, 100.0
_MARGIN = 0.1  # each input may be off by this fraction, and the problem still has its derivatives
_ASIDE = 0.0371  # how far the other point lies at which numbers are compared, as a fraction of the first input
_VIEWS = (Digits(places=3), Digits(significant=3))  # how answers show numbers
_FULL = Digits(significant=4)

Name = tuple[Hashable, Hashable]  # the group in which numbers must differ, and what the number is in it
Numbers = Mapping[Name, float]


def instance(
    seed: bytes, level: int | str, mode: str, label: str | None = None, *, attempts: int = _ATTEMPTS
) -> Task:  # fmt: skip
    """Return the first exercise of a `level` (1 to 5 or matrix) without a `flaw` that the `seed` draws, with a `label`.

    `mode` is what has to be computed: value, forward, reverse or both. The same arguments give the same task. In the
    modes forward and both, derivatives of numbers are with respect to one input that is drawn, too. Draws go on from
    one generator; one without a value counts as flawed. Level 1 may use each node once. Raises RequestError if all of
    `attempts` draws have a flaw, and for tangents of arrays.
    """
    draws = Draws(seed)
    for _ in range(attempts):
        text, wrt = draw_problem(draws, level)
        try:
            task = task_of(text, label=label, mode=mode, wrt=(wrt,) if wrt and mode in ("forward", "both") else ())
        except DomainProblem:
            continue
        if flaw(task, fans_out=level != 1) is None:
            return task
    raise RequestError(f"no exercise of level {level} was found", help="choose another random seed")


def flaw(task: Task, *, fans_out: bool = True) -> str | None:
    """Return why a task is not a good exercise; None if it is one.

    The flaws, in the order of the tests: no node is used twice (only with `fans_out`); a number does not print well (a
    0 may, if it is 0 at a nearby point too); two rows look alike that differ nearby; there is no value or slope if one
    input is 10 % smaller or larger (NEAR_EDGE); a slip looks like the truth or another slip; a kink (NEAR_EDGE, too). A
    DomainProblem in these tests also gives NEAR_EDGE. Tasks with arrays are tested by `array_flaw`.
    """
    if task.arrays is not None:
        from .array_instances import array_flaw  # few exercises have arrays

        return array_flaw(task, _nearby_point(task))
    graph = arrange(task.program.graph, NUMBERINGS[0], extra=task.at)
    here, there = _Numbered(task, task.at, graph), _Numbered(task, _nearby_point(task), graph)
    try:
        uses = enumerate(graph.children())
        if fans_out and not any(len(users) > 1 and not graph.literal[slot] for slot, users in uses):
            return "no node is used twice"
        if any(not _prints_well(x) for name, x in here.numbers.items() if x != 0 or there.numbers[name] != 0):
            return PRINTS_BADLY
        if _some_differ(_pairs_alike(here.numbers), there.numbers):
            return "two rows have the same numbers"
        for name, x in task.at.items():
            for factor in (1 - _MARGIN, 1 + _MARGIN):
                _Numbered(task, {**task.at, name: x * factor}, graph).check()
        if _has_lookalikes(task, here, there):
            return LOOKS_ALIKE
        _trace_task(task, task.at)  # which knows kinks, too
    except DomainProblem:
        return NEAR_EDGE
    return None


def _nearby_point(task: Task) -> dict[str, float]:
    """Return another point nearby, to see which numbers are always equal: each input changed by a different fraction,
    3.71 % and then halves with alternating signs.
    """
    return {name: x * (1 + _ASIDE / (-2) ** place) for place, (name, x) in enumerate(task.at.items())}


def _trace_task(task: Task, at: Mapping[str, float]) -> Trace:
    """Return the trace of a task at a point, without texts. Raises DomainProblem, also at kinks."""
    return trace(task.program, at, Request(task.mode or "both", task.wrt, kinks="error", steps=False))


class _Numbered:
    """A task at one point, with all its numbers, computed when they are needed.

    `graph` is that of a trace: if all its values and slopes are finite no trace is needed.
    """

    def __init__(self, task: Task, at: Mapping[str, float], graph: Graph) -> None:
        self.task, self.at, self.graph = task, at, graph

    @cached_property
    def swept(self) -> tuple[Graph, Sequence[float], Gradients]:
        """Return (the graph, the values of its slots, the slopes of each slot with respect to its parents).

        If a value or slope is not finite, all three come from a trace instead. Raises DomainProblem if the task has no
        value, no slopes, or is at a kink there.
        """
        point = {slot: float(self.at[name]) for slot, name in self.graph.inputs.items()}
        values, gradients = value_and_partials(self.graph, point)
        slopes = (slope for traced in gradients for slope in traced if slope is not None)
        if all(x is not None and isfinite(x) for x in values) and all(map(isfinite, slopes)):
            return self.graph, values, gradients
        traced = _trace_task(self.task, self.at)
        return traced.graph, traced.values, traced.gradients

    def check(self) -> None:
        """Raise DomainProblem if the task has no value or no slopes."""
        _ = self.swept  # which raises

    @cached_property
    def numbers(self) -> dict[Name, float]:
        """Return the numbers of all named rows by (group, row).

        They are the values; in the modes forward and both the tangents for each input of the task's `wrt` (default:
        all); in the modes reverse and both, for each output, partial sums of adjoints and contributions. Groups are
        called `value`, `dot x`, `bar y` and `contribution y`; in the last two the row is (name, number), as
        `_sums_and_contributions` yields it. A task without a mode counts as both. Raises DomainProblem if the task has
        no value or no slopes at the point.
        """
        (graph, values, gradients), mode = self.swept, self.task.mode or "both"
        names = node_names(graph)
        rows = [slot for slot in range(len(graph)) if names[slot]]
        numbers: dict[Name, float] = {("value", names[slot]): values[slot] + 0.0 for slot in rows}
        inputs = {name: slot for slot, name in graph.inputs.items()}
        if mode in ("forward", "both"):
            for key in self.task.wrt or inputs:
                dots = tangents(graph, gradients, {inputs[key]: 1.0})
                numbers |= {("dot " + key, names[slot]): dots[slot] + 0.0 for slot in rows}
        if mode in ("reverse", "both"):
            for output, slot in graph.outputs:
                numbers |= _sums_and_contributions(graph, gradients, names, output, slot)
        return numbers


def _sums_and_contributions(
    graph: Graph, gradients: Gradients, names: Sequence[str | None], output: str, result: int
) -> Iterator[tuple[Name, float]]:
    """Yield the partial sums of the adjoints of a reverse sweep, contribution by contribution, and the contributions.

    The sweep is that of the output called `output` in the slot `result`. Each is ((kind, (name of the slot, number)),
    amount). The first is the seed: kind `bar y`, number 0, amount 1. The contributions of the sweep are numbered on
    from 1, over all slots. Each gives the kind `bar y`, with the sum so far of the adjoint that it goes to. If that had
    a contribution before, the kind `contribution y` follows under the same number, with the increase of the sum.
    Operands that are constant or without a name (None in `names`) get no contribution and pass none on.
    """
    so_far: dict[int, float] = {result: 1.0}
    count = 1
    yield ("bar " + output, (names[result], 0)), 1.0
    for slot in range(result, -1, -1):
        if slot not in so_far or not names[slot]:
            continue
        for parent, slope in zip(graph.parents[slot], gradients[slot], strict=True):
            if slope is None or not names[parent]:
                continue
            amount, before = so_far[slot] * slope, so_far.get(parent)
            so_far[parent] = amount if before is None else before + amount
            yield ("bar " + output, (names[parent], count)), so_far[parent] + 0.0
            if before is not None:
                yield ("contribution " + output, (names[parent], count)), so_far[parent] - before
            count += 1


@lru_cache(maxsize=1 << 14)
def _show_in_views(x: float) -> tuple[str, ...]:
    """Return the number with 3 decimal places and with 3 significant digits."""
    return tuple(view.show(x) for view in _VIEWS)


def _pairs_alike(numbers: Numbers) -> Iterator[tuple[Name, Name]]:
    """Yield pairs of names of the same group whose numbers look the same, with three places or with three digits.

    Groups are the first fields of the names. A pair comes once for each of the two views in which its numbers look the
    same.
    """
    seen: defaultdict[tuple[Hashable, int, str], list[Name]] = defaultdict(list)
    for name, x in numbers.items():
        for view, text in enumerate(_show_in_views(x)):
            seen[name[0], view, text].append(name)
    for names in seen.values():
        yield from combinations(names, 2)


def _some_differ(pairs: Iterable[tuple[Name, Name]], there: Numbers) -> bool:
    """Return whether the two numbers of a pair differ at the other point, or one is missing there."""
    numbers = ((there.get(first), there.get(second)) for first, second in pairs)
    return any(x is None or y is None or not isclose(x, y, rel_tol=1e-9) for x, y in numbers)


def _has_lookalikes(task: Task, here: _Numbered, there: _Numbered) -> bool:
    """Return whether a slip makes a number that looks like another row or like the result of another slip.

    Numbers look alike if they are equal with three places or with three digits. Slips are those of each quantity that
    the task asks for, and its true number with a shifted point or two exchanged digits; they are compared with all
    rows, with the true number and with each other. Two rows that look alike count, too, since one may be copied for the
    other. Pairs that are equal at both points, up to 1e-9, do not count. Raises DomainProblem if the task has no value
    or no slopes at a point. `here` is the task at its point, `there` at another point.
    """
    copied: dict[Name, float] = {("", name): x for name, x in here.numbers.items()}
    copied_there: dict[Name, float] = {("", name): x for name, x in there.numbers.items()}
    if _some_differ(_pairs_alike(copied), copied_there):
        return True
    mode, rows = task.mode or "both", _rows_by_text(copied)
    sheet = trace_worksheet(task)
    points = ({name: in_arithmetic(SPREAD, point.at[name]) for name in sheet.inputs} for point in (here, there))
    truth, aside = (Solution(sheet, point) for point in points)
    for quantity in quantities(sheet, task, mode):
        plants = _numbers_of_plants(plants_in(sheet, truth, task, mode, *quantity))
        pairs = [*_pairs_alike(plants), *_alike_rows(plants, rows)]
        if not pairs:
            continue
        others = copied_there | {("row", name): x for name, x in _writing_slips(aside.read(*quantity).middle)}
        if any(name not in others for pair in pairs for name in pair):  # slips are computed again if they must be
            others |= _numbers_of_plants(plants_in(sheet, aside, task, mode, *quantity))
        if _some_differ(pairs, others):
            return True
    return False


def _rows_by_text(numbers: Numbers) -> dict[tuple[int, str], list[Name]]:
    """Return the names of numbers by the index of a view and the text that they have in it."""
    return grouped((place, name) for name, x in numbers.items() for place in enumerate(_show_in_views(x)))


def _alike_rows(plants: Numbers, rows: Mapping[tuple[int, str], list[Name]]) -> Iterator[tuple[Name, Name]]:
    """Yield pairs of a slip's number and a row that look the same in one of the views."""
    for name, x in plants.items():
        for place in enumerate(_show_in_views(x)):
            yield from ((name, other) for other in rows.get(place, ()))


def _numbers_of_plants(plants: Iterable[Plant]) -> dict[Name, float]:
    """Return the numbers of plants by name, all in the group "row": the truth and its slips of writing, then each
    slip's result.

    The truth is that of the first plant; a slip's result is named (slip, its count from 1). Empty without plants.
    """
    numbers: dict[Name, float] = {}
    counts: Counter[str] = Counter()
    for plant in plants:
        if not numbers:
            numbers |= {("row", name): x for name, x in _writing_slips(plant.truth)}
        counts[plant.slip] += 1
        numbers["row", (plant.slip, counts[plant.slip])] = plant.number
    return numbers


def _writing_slips(truth: float) -> Iterator[tuple[Hashable, float]]:
    """Yield pairs (name, number): the truth; the truth with the decimal point shifted one place left, then right; then
    with each pair of different neighbouring digits (not across the point) exchanged, as shown with three decimal
    places.

    The names are "truth", ("decimal_point", -1 or 1) and ("digits_transposed", index of the first digit in the text).
    """
    yield "truth", truth
    yield from ((("decimal_point", power), truth * 10.0**power) for power in (-1, 1))
    shown = _VIEWS[0].show(truth)
    for k, (first, second) in enumerate(pairwise(shown)):
        if first.isdecimal() and second.isdecimal() and first != second:
            yield ("digits_transposed", k), float(f"{shown[:k]}{second}{first}{shown[k + 2 :]}")


def _prints_well(x: float) -> bool:
    """Return whether a number prints well.

    It must be finite, between 0.05 and 100 in size (both included), and shown by four significant digits: exactly, or
    with at least three digits from the first nonzero one on.
    """
    if not isfinite(x) or not _SMALLEST <= abs(x) <= _LARGEST:
        return False
    shown = _FULL.show(abs(x))
    return isclose(float(shown), abs(x), rel_tol=1e-12) or len(shown.replace(".", "").lstrip("0")) >= 3
