"""The engine of NumPy: steps over blocks of points, with registers that are used again.

A block is small enough to stay in the processor's cache from step to step, which is where whole arrays lose their time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ..extras import Later
from ..graph.graph import Graph
from .circular import sine_and_cosine
from .straight import Straight, chosen, straightened

np: Any = Later("numpy", "numpy")

_BLOCK = 16_384  # points: an array of them fits into the cache next to the core, with some others


class Blocks:
    """A program in steps: `run(inputs, outputs)` fills the outputs, arrays of doubles as long as the inputs."""

    __slots__ = ("_plan",)

    def __init__(self, graph: Graph) -> None:
        self._plan = planned(graph)

    def __call__(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        plan, count = self._plan, len(outputs[0])
        registers = [np.empty(min(count, _BLOCK), kind) for kind in plan.registers]
        with np.errstate(all="ignore"):
            for start in range(0, count, _BLOCK):
                stop = min(start + _BLOCK, count)
                if registers and stop - start < len(registers[0]):
                    registers = [register[: stop - start] for register in registers]
                block = [*[x[start:stop] for x in inputs], *[y[start:stop] for y in outputs], *registers]
                _run(plan, [*block, *plan.numbers])


def _run(plan: Plan, places: list[Any]) -> None:
    """One block; functions that make arrays of their own put them into the place of the register."""
    for function, arguments, results in plan.moves:
        if function is sine_and_cosine:
            function(places[arguments[0]], *[places[result] for result in results])
        elif function is chosen or isinstance(function, np.ufunc):
            function(*[places[a] for a in arguments], out=places[results[0]])
        elif results[0] < plan.kept:
            places[results[0]][...] = function(*[places[a] for a in arguments])
        else:
            places[results[0]] = function(*[places[a] for a in arguments])
    for source, place in plan.copies:
        places[place][...] = places[source]


class Plan(NamedTuple):
    """Steps whose arguments and results have places: inputs, outputs, registers and numbers, in this order.

    `moves` are functions with the places of arguments and results; `kept` is how many places are inputs and outputs;
    `copies` are the outputs that are no result of their own, with what they are copied from.
    """

    moves: list[tuple[Callable[..., Any], tuple[int, ...], tuple[int, ...]]]
    copies: list[tuple[int, int]]
    registers: list[type]
    numbers: list[float]
    kept: int


class Move(NamedTuple):
    """A function with the numbers of its arguments and results, before they have places."""

    function: Callable[..., Any]
    arguments: tuple[int | float, ...]
    results: tuple[int, ...]
    kind: type


def planned(graph: Graph) -> Plan:
    """The steps of a graph with as few registers as their order allows."""
    m, results = straightened(graph)
    moves = _moves(m, results)
    places = _Places(m.inputs, results)
    last = {a: position for position, move in enumerate(moves) for a in move.arguments}
    found = []
    for position, move in enumerate(moves):
        arguments = tuple([places.of(a) for a in move.arguments])
        done = {a for a in move.arguments if last[a] == position}
        if len(move.results) == 1:  # it may write over its own arguments
            places.free(done)
        found.append((move.function, arguments, tuple([places.new(number, move.kind) for number in move.results])))
        if len(move.results) > 1:
            places.free(done)
    ends = [(places.of(result), m.inputs + position) for position, result in enumerate(results)]
    copies = [(source, place) for source, place in ends if source != place]
    kept, registers = m.inputs + len(results), len(places.registers)
    moved = [(f, tuple([_final(a, kept, registers) for a in given]), to) for f, given, to in found]
    copied = [(_final(source, kept, registers), place) for source, place in copies]
    return Plan(moved, copied, places.registers, places.numbers, kept)


def _final(place: int, kept: int, registers: int) -> int:
    """The place of a number, which is negative until all registers are known."""
    return place if place >= 0 else kept + registers - 1 - place


class _Places:
    """Where inputs, results and numbers are: a result that an output is, at that output; others in registers."""

    def __init__(self, inputs: int, results: Sequence[int | float]) -> None:
        self._kept = inputs + len(results)
        self._place: dict[int, int] = {number: number for number in range(inputs)}
        for position, result in reversed(list(enumerate(results))):
            if type(result) is int and result >= inputs:
                self._place[result] = inputs + position
        self._free: dict[type, list[int]] = {float: [], bool: []}
        self._known: dict[str, int] = {}
        self.registers: list[type] = []
        self.numbers: list[float] = []

    def of(self, a: int | float) -> int:
        """Where an argument is; a number has a place of its own below 0."""
        if type(a) is int:
            return self._place[a]
        if repr(a) not in self._known:
            self.numbers.append(float(a))
            self._known[repr(a)] = -len(self.numbers)
        return self._known[repr(a)]

    def new(self, number: int, kind: type) -> int:
        """Where a result goes."""
        if number not in self._place:
            if not self._free[kind]:
                self._free[kind].append(self._kept + len(self.registers))
                self.registers.append(kind)
            self._place[number] = self._free[kind].pop()
        return self._place[number]

    def free(self, done: Iterable[int | float]) -> None:
        """Says that these are not needed any more."""
        for a in done:
            if type(a) is int and self._place[a] >= self._kept:
                self._free[self.registers[self._place[a] - self._kept]].append(self._place[a])


def _moves(m: Straight, results: Sequence[int | float]) -> list[Move]:
    """The steps that the results need, in order; a sine and a cosine of one number are one move."""
    needed = {result for result in results if type(result) is int}
    for number in range(m.inputs + len(m.steps) - 1, m.inputs - 1, -1):
        if number in needed:
            needed.update(a for a in m.steps[number - m.inputs].arguments if type(a) is int)
    steps = {number: m.steps[number - m.inputs] for number in sorted(needed) if number >= m.inputs}
    circular = {(s.function, s.arguments): number for number, s in steps.items() if s.function in (np.sin, np.cos)}
    moves: list[Move] = []
    for number, (function, arguments, truth) in steps.items():
        both = [circular.get((f, arguments)) for f in (np.sin, np.cos)] if function in (np.sin, np.cos) else [None]
        if None in both:
            moves.append(Move(function, arguments, (number,), bool if truth else float))
        elif number == min(both):  # type: ignore[type-var]
            moves.append(Move(sine_and_cosine, arguments, tuple(both), float))  # type: ignore[arg-type]
    return moves
