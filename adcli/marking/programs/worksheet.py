"""A straight-line program as one graph with named rows, and what is true of it.

The reference solution and a student's own program are worked out in the same way: every row is a slot of the graph, its
formula is what lies between it and the named slots below.  All numbers are spreads, so that two results are known to
differ where their intervals do not meet.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ...graph.graph import Graph
from ...graph.order import postorder
from ...graph.rules import apply, partials_at
from ...graph.tape import Gradients, adjoints, evaluate, linearize, tangents
from ...language.problems import in_arithmetic
from ...numbers.double_intervals import SPREAD, Spread
from ...overriding import override
from ...records import NamedTuple
from ...table.primitive import ROWS, Primitive
from ..model import BAR, DOT, VALUE, Task

_POINTS = 8  # random points at which formulas are compared, beside the problem's own
_DRAWS = 80  # how often one is drawn until so many lie inside the domain
_WIDE = 1e-6  # a relative width beyond which an interval decides nothing

Variants = Mapping[int, Primitive]


def close(a: Spread, b: Spread) -> bool | None:
    """Whether two results are equal as far as doubles can tell; None where they cannot."""
    if not a.known or not b.known:
        return None
    if max(a.high - a.low, b.high - b.low) > _WIDE * max(1.0, abs(a.middle), abs(b.middle)):
        return None
    return a.meets(b)


class Cell(NamedTuple):
    """The formula of one row: its slots from the bottom up, and the named slots that it uses.

    `top` is the slot that the formula comes to: the row's own, but for a row that went astray.  A row that only gives
    another name to a slot has no formula of its own.
    """

    graph: Graph
    slot: int
    top: int
    inner: tuple[int, ...]
    leaves: tuple[int, ...]

    @override
    def count(self, leaf: int) -> int:
        """How often the formula uses a named slot."""
        return sum(self.graph.parents[slot].count(leaf) for slot in self.inner) + (leaf == self.top)

    def _values(self, known: Mapping[int, Spread], variants: Variants) -> dict[int, Spread]:
        values = {leaf: known[leaf] for leaf in self.leaves}
        for slot in self.inner:
            row = variants.get(slot) or self.graph.rows[slot]
            if row is None:
                values[slot] = self.graph.constants[slot].read(SPREAD)
            else:
                values[slot] = SPREAD.number(apply(row, SPREAD, [values[p] for p in self.graph.parents[slot]]))
        return values

    def value(self, known: Mapping[int, Spread], variants: Variants | None = None) -> Spread:
        """The value of the row where the named slots have these values; `variants` are rows read in place of others."""
        return self._values(known, variants or {})[self.top]

    def partials(
        self, known: Mapping[int, Spread], variants: Variants | None = None, result: Spread | None = None
    ) -> dict[int, Spread]:
        """The derivative of the row by each named slot that it uses."""
        return {leaf: total(uses) for leaf, uses in self.uses(known, variants, result).items()}

    def uses(
        self, known: Mapping[int, Spread], variants: Variants | None = None, result: Spread | None = None
    ) -> dict[int, list[Spread]]:
        """The same for each single use of a named slot: `x*x` uses x twice.

        `result` is what the row itself was rounded to, of which a derivative may be worked out: 1/(2v) of v = sqrt(x).
        """
        variants = variants or {}
        values = self._values(known, {})  # wrong partials are taken at the right values
        turned = False
        if result is not None and self.top in self.inner:
            turned = result.meets(values[self.top])  # a wrong result says nothing of what it comes from
            values[self.top] = result
        found: dict[int, list[Spread]] = {leaf: [] for leaf in self.leaves}
        bars: dict[int, Spread] = {self.top: SPREAD.one}
        if self.top in found:  # the row is another one
            found[self.top].append(SPREAD.one)
        for slot in reversed(self.inner):
            row, bar = variants.get(slot) or self.graph.rows[slot], bars.get(slot, SPREAD.zero)
            if row is None or self.graph.literal[slot]:
                continue
            parents = self.graph.parents[slot]
            arguments = tuple(values[p] for p in parents)
            if result is not None and turned and slot == self.top:
                arguments = _led_to(row, result) or arguments
            wanted = tuple(not self.graph.literal[p] for p in parents)
            for parent, partial in zip(parents, partials_at(row, SPREAD, values[slot], arguments, wanted), strict=True):
                if partial is None:
                    continue
                share = SPREAD.zero if _is_zero(bar) or _is_zero(partial) else bar * partial
                if parent in found:
                    found[parent].append(share)
                else:
                    bars[parent] = bars.get(parent, SPREAD.zero) + share
        return found


def _led_to(row: Primitive, result: Spread) -> tuple[Spread] | None:
    """The argument that a function which only rises or falls has for a result; None where that is not known."""
    if row.monotone is None or row.inverse is None:
        return None
    found = SPREAD.number(apply(ROWS[row.inverse], SPREAD, [result]))
    return (found,) if found.known else None


def cell_of(graph: Graph, slot: int, named: Container[int], top: int | None = None) -> Cell:
    """The formula of a slot, down to the named ones; `top` is the slot of a formula that it has in its place."""
    own, top = (slot, slot) if top is None else (-1, top)
    order = postorder(top, lambda s: () if s in named and s != own else graph.parents[s])
    leaves = [s for s in order if (s in named or s in graph.inputs) and s != own]
    return Cell(graph, slot, top, tuple(s for s in order if s not in leaves), tuple(leaves))


def total(terms: Iterable[Spread]) -> Spread:
    """The sum of all terms."""
    result = SPREAD.zero
    for term in terms:
        result = result + term
    return result


def contributions(users: Iterable[Cell], slot: int, read: Callable[[str, int], Spread]) -> list[Spread]:
    """What the rows that use a row hand down to its adjoint, use by use, where `read` gives values and adjoints."""
    return [
        read(BAR, user.slot) * use
        for user in users
        for use in user.uses({leaf: read(VALUE, leaf) for leaf in user.leaves})[slot]
    ]


def _is_zero(x: object) -> bool:
    found = SPREAD.number(x)
    return found.low == found.high == 0


class Worksheet:
    """A graph with named rows: `slots` by name, `cells` by slot in the order in which rows are worked out.

    `inputs` are the inputs of the task by name, `outputs` the slots of its outputs by name.  The `places` at which
    functions are compared are those of another worksheet of the task, or found.
    """

    def __init__(self, task: Task, inputs: Sequence[str], places: Sequence[Mapping[str, Spread]] = ()) -> None:
        self.graph = Graph()
        self.inputs = {name: self.graph.input(name) for name in inputs}
        self.slots: dict[str, int] = dict(self.inputs)
        self.outputs: dict[str, int] = {}
        self.cells: dict[int, Cell] = {}
        self.task, self._known_places = task, places

    @cached_property
    def places(self) -> Sequence[Mapping[str, Spread]]:
        """The point of the task, and random ones near it."""
        return self._known_places or list(_places(self.task, list(self.inputs)))

    def graft(self, source: Graph, slot: int, leaves: Mapping[int, int]) -> int:
        """The formula of a slot of another graph written again here; `leaves` tells which slots stand for which."""
        place = dict(leaves)
        for s in postorder(slot, lambda k: () if k in leaves else source.parents[k]):
            if s in place:
                continue
            row = source.rows[s]
            if row is None:
                place[s] = self.graph.constant(source.constants[s])
            else:
                place[s] = self.graph.apply(row, tuple(place[p] for p in source.parents[s]))
        return place[slot]

    def grafted_whole(self, source: Graph) -> dict[int, int]:
        """All of another graph written again here, whose inputs are those of the task: the slots that stand for its."""
        place = {slot: self.inputs[name] for slot, name in source.inputs.items()}
        for slot in range(len(source)):
            if slot not in place:
                place[slot] = self.graft(source, slot, place)
        return place

    def settle(self, outputs: Mapping[str, int]) -> None:
        """Takes the rows as they are now as the program: sets `outputs` and `cells`."""
        self.outputs = dict(outputs)
        named = {*self.slots.values(), *self.outputs.values()}
        graph, literal = self.graph, self.graph.literal
        for slot, row in enumerate(graph.rows):  # a constant with a row of its own is handed down to like any other row
            folded = (
                slot in graph.constants if row is None else row.folds and all(literal[p] for p in graph.parents[slot])
            )
            literal[slot] = folded and slot not in named
        self.graph.outputs = [("", slot) for slot in sorted(named)]  # all of them are worked out
        self.cells = {slot: cell_of(self.graph, slot, named) for slot in sorted(named) if slot not in self.graph.inputs}

    def label(self, slot: int) -> str:
        """The first name of a slot, as a row or else as a result; empty where it has none."""
        return next(
            (name for names in (self.slots, self.outputs) for name, found in names.items() if found == slot), ""
        )

    def users(self, slot: int) -> list[Cell]:
        """The rows that use a row, in the order in which their adjoints are handed down."""
        return [cell for _, cell in sorted(self.cells.items(), reverse=True) if slot in cell.leaves]

    def contributions(self, slot: int, read: Callable[[str, int], Spread]) -> list[Spread]:
        """What is handed down to the adjoint of a row, use by use, where `read` gives values and adjoints."""
        return contributions(self.users(slot), slot, read)

    def truths(self) -> list[Solution]:
        """What is true of the rows at the point of the task, first, and at the random points."""
        return [Solution(self, place) for place in self.places]


class Solution:
    """All values, tangents and adjoints of a worksheet at one point, as spreads; each sweep is made when asked for."""

    def __init__(self, sheet: Worksheet, place: Mapping[str, Spread]) -> None:
        self.sheet = sheet
        self.values = evaluate(sheet.graph, SPREAD, {slot: place[name] for name, slot in sheet.inputs.items()})
        self._gradients: Gradients | None = None
        self._sweeps: dict[tuple[str, str | None], list[Spread | float]] = {}

    def value(self, slot: int) -> Spread:
        return SPREAD.number(self.values[slot])

    def read(self, kind: str, slot: int, key: str | None) -> Spread:
        """The value of a slot, its tangent when the input `key` moves, or its adjoint of the output `key`."""
        return self.value(slot) if kind == VALUE else SPREAD.number(self.sweep(kind, key)[slot])

    def sweep(self, kind: str, key: str | None) -> list[Spread | float]:
        """All tangents (kind dot) or adjoints (kind bar)."""
        found = self._sweeps.get((kind, key))
        if found is None:
            sheet = self.sheet
            if self._gradients is None:
                self._gradients = linearize(sheet.graph, SPREAD, self.values)
            if kind == DOT:
                found = tangents(sheet.graph, self._gradients, {sheet.inputs[key or ""]: SPREAD.one})
            elif kind == BAR:
                found = adjoints(sheet.graph, self._gradients, {sheet.outputs[key or ""]: SPREAD.one})
            else:
                raise KeyError(kind)
            self._sweeps[kind, key] = found
        return found


def _places(task: Task, inputs: Sequence[str]) -> Iterator[dict[str, Spread]]:
    """The point of the task, then random points near it where the program has a value; the same ones every time."""
    yield {name: in_arithmetic(SPREAD, task.at[name]) for name in inputs}
    graph = task.program.graph
    source = random.Random(task.program.source.text)  # noqa: S311 - any points will do, but the same ones
    found, reach = 0, 0.25
    at = {slot: in_arithmetic(SPREAD, task.at[name]) for slot, name in graph.inputs.items()}
    branches = _branches(graph, evaluate(graph, SPREAD, at))
    for _ in range(_DRAWS):
        if found == _POINTS:
            return
        place = {name: SPREAD.number(_near(float(task.at[name]), reach, source)) for name in inputs}
        values = evaluate(graph, SPREAD, {slot: place[name] for slot, name in graph.inputs.items()})
        known = all(SPREAD.number(values[slot]).known for _, slot in graph.outputs)
        if known and _branches(graph, values) == branches:
            found += 1
            yield place
        else:
            reach *= 0.9


def _branches(graph: Graph, values: Sequence[Spread | None]) -> list[tuple[int, ...]]:
    """On which side of its kinks each row is that has any: where its slopes are whole numbers, these."""
    kinked = [slot for slot, row in enumerate(graph.rows) if row is not None and row.smooth is not None]
    if not kinked:
        return []
    gradients = linearize(graph, SPREAD, values)
    slopes = [[SPREAD.number(x) for x in gradients[slot] if x is not None] for slot in kinked]
    return [tuple(int(x.middle) for x in found if x.whole and abs(x.middle) <= 1) for found in slopes]


def _near(x: float, reach: float, source: random.Random) -> float:
    """A number of the same sign and size, but for small ones, which may be anywhere near."""
    return x * (1 + reach * source.uniform(-1, 1)) + (reach * source.uniform(-1, 1) if abs(x) < reach else 0.0)


# --- what functions are known by --------------------------------------------------------------------------------------


Print = tuple[Spread, ...]


class Prints:
    """The values of the slots of a growing worksheet at all its points, each worked out once."""

    def __init__(self, sheet: Worksheet) -> None:
        self.sheet = sheet
        self.values: list[list[Spread]] = [[] for _ in sheet.places]

    def __getitem__(self, slot: int) -> Print:
        graph = self.sheet.graph
        for values, place in zip(self.values, self.sheet.places, strict=True):
            for s in range(len(values), slot + 1):
                row = graph.rows[s]
                if row is not None:
                    found = apply(row, SPREAD, [values[p] for p in graph.parents[s]])
                else:
                    name = graph.inputs.get(s)
                    found = graph.constants[s].read(SPREAD) if name is None else place[name]
                values.append(SPREAD.number(found))
        return tuple(values[slot] for values in self.values)


def same(mine: Print, theirs: Print) -> bool:
    """Whether two functions agree wherever doubles can tell, and can be told to somewhere."""
    told = False
    for a, b in zip(mine, theirs, strict=True):
        equal = close(a, b)
        if equal is False or (b.known and not a.known):
            return False
        told = told or equal is True
    return told


class FunctionIndex:
    """Slots by the function that they are: found by its value at the first point, so that not all are compared."""

    def __init__(self, prints: Mapping[int, Print]) -> None:
        self._order = {slot: order for order, slot in enumerate(prints)}
        alike: dict[tuple[tuple[float, float], ...], list[int]] = {}
        for slot, function in prints.items():
            alike.setdefault(tuple((each.low, each.high) for each in function), []).append(slot)
        found = [(prints[slots[0]], slots) for slots in alike.values()]
        self._sharp = sorted((each for each in found if _is_sharp(each[0])), key=lambda each: each[0][0].middle)
        self._middles = [function[0].middle for function, _ in self._sharp]
        self._vague = [each for each in found if not _is_sharp(each[0])]  # there the other points must tell

    def like(self, function: Print) -> list[int]:
        """The slots that are the same function, in order."""
        near = self._sharp
        if _is_sharp(function):
            middle = function[0].middle
            away = 2 * _WIDE * max(1.0, abs(middle))
            near = near[bisect_left(self._middles, middle - away) : bisect_right(self._middles, middle + away)]
        found = (slot for other, slots in (*near, *self._vague) if same(function, other) for slot in slots)
        return sorted(found, key=self._order.__getitem__)


def _is_sharp(function: Print) -> bool:
    """Whether the value at the first point can be told from others."""
    return close(function[0], function[0]) is True
