"""The engine of NumPy: steps over blocks of points, with registers that are used again.

A block is small enough to stay in the processor's cache from step to step, which is where whole arrays lose their time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..calculus.later import Later
from ..graph.node import Graph
from .straight import Straight, straightened

np: Any = Later("numpy", "numpy")

_BLOCK = 8192  # points


class Blocks:
    """A program in steps: `run(inputs, outputs)` fills the outputs, arrays of doubles as long as the inputs."""

    __slots__ = ("_plan",)

    def __init__(self, graph: Graph) -> None:
        self._plan = planned(graph)

    def __call__(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        plan, count = self._plan, len(outputs[0])
        registers = [np.empty(min(count, _BLOCK), float if kind is float else bool) for kind in plan.registers]
        with np.errstate(all="ignore"):
            for start in range(0, count, _BLOCK):
                stop = min(start + _BLOCK, count)
                if stop - start < len(registers[0] if registers else ()):
                    registers = [register[: stop - start] for register in registers]
                block = [*[x[start:stop] for x in inputs], *[y[start:stop] for y in outputs], *registers]
                _run(plan, [*block, *plan.numbers])


def _run(plan: Plan, places: list[Any]) -> None:
    """One block; functions that make arrays of their own put them into the place of the register."""
    for function, arguments, place, inside in plan.moves:
        if not inside:
            found = function(*[places[a] for a in arguments])
            if place < plan.kept:
                places[place][...] = found
            else:
                places[place] = found
        elif len(arguments) == 2:
            function(places[arguments[0]], places[arguments[1]], out=places[place])
        else:
            function(places[arguments[0]], out=places[place])
    for source, place in plan.copies:
        places[place][...] = places[source]


class Plan(NamedTuple):
    """Steps whose arguments and results have places: inputs, outputs, registers and numbers, in this order.

    `moves` are (function, places of the arguments, place of the result, whether it writes there by itself); `kept` is
    how many places are inputs and outputs; `copies` are results that another output has, inputs and numbers.
    """

    moves: list[tuple[Callable[..., Any], tuple[int, ...], int, bool]]
    copies: list[tuple[int, int]]
    registers: list[type]
    numbers: list[float]
    kept: int


def planned(graph: Graph) -> Plan:
    """The steps of a graph with as few registers as their order allows."""
    m, results = straightened(graph)
    needed = _needed(m, results)
    kept = m.inputs + len(results)
    last = {a: number for number in needed for a in m.steps[number - m.inputs].arguments if type(a) is int}
    place: dict[int, int] = {number: number for number in range(m.inputs)}
    for position, result in reversed(list(enumerate(results))):
        if type(result) is int and result >= m.inputs:
            place[result] = m.inputs + position
    final = set(place)
    registers: list[type] = []
    free: dict[type, list[int]] = {float: [], bool: []}
    for number in needed:
        step = m.steps[number - m.inputs]
        kind = bool if step.truth else float
        for a in {a for a in step.arguments if type(a) is int and a not in final and last[a] == number}:
            free[registers[place[a] - kept]].append(place[a])
        if number not in place:
            if not free[kind]:
                free[kind].append(kept + len(registers))
                registers.append(kind)
            place[number] = free[kind].pop()
    first_number = kept + len(registers)
    numbers: dict[str, int] = {}
    doubles: list[float] = []

    def place_of(a: int | float) -> int:
        if type(a) is int:
            return place[a]
        if repr(a) not in numbers:
            numbers[repr(a)] = first_number + len(doubles)
            doubles.append(float(a))
        return numbers[repr(a)]

    moves = [
        (
            step.function,
            tuple([place_of(a) for a in step.arguments]),
            place[number],
            isinstance(step.function, np.ufunc),
        )
        for number in needed
        for step in [m.steps[number - m.inputs]]
    ]
    copies = [
        (place_of(result), m.inputs + position)
        for position, result in enumerate(results)
        if place_of(result) != m.inputs + position
    ]
    return Plan(moves, copies, registers, doubles, kept)


def _needed(m: Straight, results: Sequence[int | float]) -> list[int]:
    """The numbers of the steps that the results need, in order."""
    needed = {result for result in results if type(result) is int}
    for number in range(m.inputs + len(m.steps) - 1, m.inputs - 1, -1):
        if number in needed:
            needed.update(a for a in m.steps[number - m.inputs].arguments if type(a) is int)
    return sorted(number for number in needed if number >= m.inputs)
