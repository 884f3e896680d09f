"""Instances that tell slips apart: problems whose numbers print well and at which no slip looks like the truth.

Two numbers of an instance may look alike only where they are the same at every point, as the adjoints of the two
operands of a sum are: nobody is wrong who writes one for the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from itertools import combinations, pairwise
from math import isclose, isfinite

from ..errors import DomainProblem, RequestError
from ..marking.model import Task
from ..marking.slips import planted
from ..marking.task import task_of
from ..notation.numbers import Digits
from ..trace.model import Request, Trace
from ..trace.trace import trace
from .patterns import Draws, drawn

_ATTEMPTS = 20_000
_SMALLEST, _LARGEST = 0.05, 100.0
_MARGIN = 0.1  # each input may be off by this share, and the problem still has its derivatives
_ASIDE = 0.0371  # how far the other point lies at which numbers are compared, as a share of the first input
_VIEWS = (Digits(places=3), Digits(significant=3))  # how answers show numbers
_FULL = Digits(significant=4)

Name = tuple[Hashable, Hashable]  # the group in which numbers must differ, and what the number is in it
Numbers = Mapping[Name, float]


def instance(seed: bytes, level: int, mode: str, label: str | None = None, *, attempts: int = _ATTEMPTS) -> Task:
    """The instance of a level that belongs to a seed.

    Raises RequestError when none of so many draws will do.
    """
    draws = Draws(seed)
    for _ in range(attempts):
        text, wrt = drawn(draws, level)
        try:
            task = task_of(text, label=label, mode=mode, wrt=(wrt,) if mode in ("forward", "both") else ())
        except DomainProblem:
            continue
        if flaw(task, fans_out=level > 1) is None:
            return task
    raise RequestError(f"no exercise of level {level} was found", help="choose another seed")


def flaw(task: Task, *, fans_out: bool = True) -> str | None:
    """Why a task is no good exercise; None if it is one.  With `fans_out` a node must be used twice."""
    request = Request(task.mode or "both", task.wrt, kinks="error")
    aside = {name: x * (1 + _ASIDE / (-2) ** place) for place, (name, x) in enumerate(task.at.items())}
    try:
        found = trace(task.program, task.at, request)
        if fans_out and not _fans_out(found):
            return "no node is used twice"
        here, there = _numbers(found), _numbers(trace(task.program, aside, request))
        if any(not _prints_well(x) for name, x in here.items() if x != 0 or there[name] != 0):
            return "a number does not print well"
        if _alike(here, there):
            return "two rows look alike"
        for name, x in task.at.items():
            for factor in (1 - _MARGIN, 1 + _MARGIN):
                trace(task.program, {**task.at, name: x * factor}, request._replace(steps=False))
        if _alike(_plants(task, here), _plants(task._replace(at=aside), there)):
            return "a slip looks like the truth or like another slip"
    except DomainProblem:
        return "the edge of the domain is near"
    return None


def _fans_out(found: Trace) -> bool:
    graph = found.graph
    return any(len(below) > 1 and not graph.literal[slot] for slot, below in enumerate(graph.children()))


def _numbers(found: Trace) -> dict[Name, float]:
    """The numbers of all rows in groups: values, tangents, adjoints as they grow, and what they grow by."""
    numbers: dict[Name, float] = {}
    for row in found.rows:
        numbers["value", row.name] = float(row.value or 0.0)
        for key, x in row.dot.items():
            numbers["dot " + key, row.name] = x
    grown: dict[tuple[str, str], float] = {}
    for place, step in enumerate(found.steps):
        if step.sweep == "reverse":
            before = grown.get((step.key, step.target))
            grown[step.key, step.target] = step.value
            numbers["bar " + step.key, (step.target, place)] = step.value
            if before is not None:
                numbers["contribution " + step.key, (step.target, place)] = step.value - before
    return numbers


def _plants(task: Task, rows: Numbers) -> dict[Name, float]:
    """What every slip makes of every row, and the truth, in a group for each row."""
    numbers: dict[Name, float] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for plant in planted(task, task.mode or "both"):
        if (plant.row, "truth") not in numbers:
            numbers |= {(plant.row, name): x for name, x in _writing_slips(plant.truth, rows)}
        counts[plant.row, plant.slip] += 1
        numbers[plant.row, (plant.slip, counts[plant.row, plant.slip])] = plant.number
    return numbers


def _writing_slips(truth: float, rows: Numbers) -> Iterator[tuple[Hashable, float]]:
    """The truth, and what becomes of it when it is not copied as it stands: another row, the point, two digits."""
    yield "truth", truth
    yield from ((("row_copied", name), x) for name, x in rows.items())
    yield from ((("decimal_point", power), truth * 10.0**power) for power in (-1, 1))
    shown = _VIEWS[0].show(truth)
    for k, (first, second) in enumerate(pairwise(shown)):
        if first.isdigit() and second.isdigit() and first != second:
            yield ("digits_transposed", k), float(f"{shown[:k]}{second}{first}{shown[k + 2 :]}")


def _prints_well(x: float) -> bool:
    """Whether three or four digits show the number: all of it, or at least three that are not trailing zeros."""
    if not isfinite(x) or not _SMALLEST <= abs(x) <= _LARGEST:
        return False
    shown = _FULL.show(abs(x))
    return isclose(float(shown), abs(x), rel_tol=1e-12) or len(shown.replace(".", "").lstrip("0")) >= 3


def _alike(here: Numbers, there: Numbers) -> bool:
    """Whether two numbers of a group look alike that are not the same at the other point too."""
    return any(
        first not in there or second not in there or not isclose(there[first], there[second], rel_tol=1e-9)
        for first, second in _pairs(here)
    )


def _pairs(numbers: Numbers) -> Iterator[tuple[Name, Name]]:
    """The pairs of a group that one of the ways to show numbers does not tell apart."""
    for view in _VIEWS:
        seen: defaultdict[tuple[Hashable, str], list[Name]] = defaultdict(list)
        for name, x in numbers.items():
            seen[name[0], view.show(x)].append(name)
        for names in seen.values():
            yield from combinations(names, 2)
