"""Problems with constant parts, and ways of writing their answers; nothing here is shared with the program.

A problem is a tree of operations on inputs and numbers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

Rule = Callable[..., float]


def _one(*_: float) -> float:
    return 1.0


# name: how it is written, its value, its partial derivatives as values and as texts
OPERATIONS: dict[str, tuple[str, Rule, tuple[Rule, ...], tuple[str, ...]]] = {
    "add": ("{0} + {1}", lambda a, b: a + b, (_one, _one), ("1", "1")),
    "sub": ("{0} - {1}", lambda a, b: a - b, (_one, lambda *_: -1.0), ("1", "(-1)")),
    "mul": ("{0}*{1}", lambda a, b: a * b, (lambda _, b: b, lambda a, _: a), ("{1}", "{0}")),
    "div": ("{0}/{1}", lambda a, b: a / b, (lambda _, b: 1 / b, lambda a, b: -a / b**2), ("1/{1}", "(-{0}/{1}^2)")),
    "pow": (
        "{0}^{1}", lambda a, b: a**b, (lambda a, b: b * a ** (b - 1), lambda a, b: a**b * math.log(a)),
        ("{1}*{0}^({1} - 1)", "{0}^{1}*ln({0})"),
    ),
    "sin": ("sin({0})", math.sin, (math.cos,), ("cos({0})",)),
    "exp": ("exp({0})", math.exp, (math.exp,), ("exp({0})",)),
    "sqrt": ("sqrt({0})", math.sqrt, (lambda a: 0.5 / math.sqrt(a),), ("1/(2*sqrt({0}))",)),
    "log": ("log({0})", math.log, (lambda a: 1 / a,), ("1/{0}",)),
}  # fmt: skip
NUMBERS = {"2": 2.0, "3": 3.0, "4": 4.0, "5": 5.0, "7": 7.0, "0.5": 0.5, "1.5": 1.5, "pi": math.pi}
INPUTS = ("x1", "x2")


class Part(NamedTuple):
    """A step of a problem: an operation on earlier steps, an input, or a number (no parents)."""

    operation: str
    parents: tuple[int, ...]
    constant: bool


class Problem(NamedTuple):
    parts: tuple[Part, ...]
    at: Mapping[str, float]

    @property
    def text(self) -> str:
        point = ", ".join(f"{name}={x}" for name, x in self.at.items() if any(p.operation == name for p in self.parts))
        return f"{written(self, len(self.parts) - 1, {})} @ {point}"

    def constants(self) -> list[int]:
        """The steps that work out a constant."""
        return [slot for slot, part in enumerate(self.parts) if part.parents and part.constant]


class Way(NamedTuple):
    """How a student writes: which constants have rows, the order of the rows and their names, digits and form.

    `formulas` are in symbols, in numbers (`8*29.96`), or left out; `layout` is lines of text, a Markdown table or CSV.
    """

    worked: frozenset[int]
    order: tuple[int, ...]
    names: Mapping[int, str]
    places: int
    formulas: str
    layout: str
    mode: str
    adjoints_of_constants: bool = True

    def is_told(self, problem: Problem) -> bool:
        """Whether wrong numbers tell what they should be: by symbols, or by the numbering."""
        if self.formulas == "symbols":
            return True
        counted = sorted(self.order)
        regular = list(self.order) in (counted, _by_level(problem, counted, self.worked))
        return self.formulas != "mixed" and self.names[self.order[0]] == "v1" and regular and self.worked in (
            _at_once(problem), frozenset(problem.constants())
        )  # fmt: skip


def written(problem: Problem, slot: int, names: Mapping[int, str], top: bool = True) -> str:
    """A step as text down to what has a name."""
    part = problem.parts[slot]
    if slot in names and not top:
        return names[slot]
    if not part.parents:
        return part.operation
    inner = [written(problem, p, names, top=False) for p in part.parents]
    text = OPERATIONS[part.operation][0].format(*inner)
    return text if top or len(part.parents) == 1 else f"({text})"


def problems(source: random.Random) -> Iterator[Problem]:
    """Problems with at least one constant part that is worked with further; their numbers are of a handy size."""
    while True:
        at = {name: round(source.uniform(0.6, 3.2), source.choice((1, 2))) for name in INPUTS}
        parts: list[Part] = []
        open_: list[int] = []  # what nothing uses yet
        for _ in range(source.randint(1, 2)):
            open_.append(_constant(parts, source))
        for name in source.sample(INPUTS, source.randint(1, 2)):
            parts.append(Part(name, (), False))
            open_.append(len(parts) - 1)
            if source.random() < 0.7:
                parts.append(Part(source.choice(("sin", "exp", "sqrt", "log")), (open_.pop(),), False))
                open_.append(len(parts) - 1)
            if source.random() < 0.3:
                open_.append(open_[-1] if source.random() < 0.5 else _constant(parts, source))
        source.shuffle(open_)
        while len(open_) > 1:
            a, b = open_.pop(), open_.pop()
            if source.random() < 0.5:
                a, b = b, a
            name = source.choice(("add", "sub", "mul", "mul", "div", "pow") if a != b else ("add", "mul"))
            parts.append(Part(name, (a, b), parts[a].constant and parts[b].constant))
            open_.insert(source.randint(0, len(open_)), len(parts) - 1)
        problem = Problem(_as_written(parts), at)
        numbers = values(problem)
        slopes = None if numbers is None else partials(problem, numbers)
        if numbers is None or slopes is None or problem.parts[-1].constant:
            continue
        sizes = [abs(x) for part, x in zip(problem.parts, numbers, strict=True) if part.parents]
        sizes += [abs(x) for row in slopes for x in row]
        if problem.constants() and min(sizes) > 0.02 and max(sizes) < 500 and 2 < len(sizes):
            yield problem


def _as_written(parts: list[Part]) -> tuple[Part, ...]:
    """The parts in the order in which the text has them."""
    place: dict[int, int] = {}
    found: list[Part] = []
    waiting = [(len(parts) - 1, False)]
    while waiting:
        slot, is_ready = waiting.pop()
        if slot in place:
            continue
        if is_ready:
            place[slot] = len(found)
            found.append(parts[slot]._replace(parents=tuple(place[p] for p in parts[slot].parents)))
        else:
            waiting += [(slot, True), *((p, False) for p in reversed(parts[slot].parents))]
    return tuple(found)


def _constant(parts: list[Part], source: random.Random) -> int:
    """A new constant of one to three operations, the step that it ends in."""

    def number() -> int:
        parts.append(Part(source.choice(list(NUMBERS)), (), True))
        return len(parts) - 1

    found = number()
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        if source.random() < 0.25:
            parts.append(Part(source.choice(("sqrt", "log", "sin")), (found,), True))
        else:
            pair = (found, number())
            pair = pair if source.random() < 0.6 else pair[::-1]
            parts.append(Part(source.choice(("add", "sub", "mul", "div", "pow")), pair, True))
        found = len(parts) - 1
    return found


def values(problem: Problem) -> list[float] | None:
    """The value of every step; None where one does not exist."""
    found: list[float] = []
    for part in problem.parts:
        if part.parents:
            try:
                x = OPERATIONS[part.operation][1](*[found[p] for p in part.parents])
            except (ValueError, ZeroDivisionError, OverflowError):
                return None
            if isinstance(x, complex):
                return None
        else:
            x = NUMBERS[part.operation] if part.constant else problem.at[part.operation]
        found.append(x)
    return found


def partials(problem: Problem, numbers: list[float]) -> list[list[float]] | None:
    """The partial derivatives of every step by its parents; None where one does not exist."""
    try:
        return [
            [rule(*[numbers[p] for p in part.parents]) for rule in OPERATIONS[part.operation][2]]
            if part.parents
            else []
            for part in problem.parts
        ]
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def ways(problem: Problem, source: random.Random) -> Iterator[Way]:
    """Ways of writing an answer, of all kinds in turn."""
    constants, parts = problem.constants(), problem.parts
    used = [p for part in parts if not part.constant for p in part.parents]
    at_once = _at_once(problem)
    alone = [slot for slot, part in enumerate(parts) if part.parents and not part.constant]
    while True:
        some = frozenset(slot for slot in constants if source.random() < 0.6) or at_once
        worked = source.choice((at_once, frozenset(constants), some))
        formulas = source.choice(("symbols", "symbols", "numbers", "mixed", "none"))
        counted = [slot for slot in range(len(parts)) if slot in worked or slot in alone]
        order = _order(problem, counted, worked, source)
        kind = source.choice(("v", "v", "w", "letters"))
        if len(set(used)) < len(used):  # numbers do not tell which of two equal steps they are
            formulas = "symbols"
        if formulas == "none":
            worked = source.choice((at_once, frozenset(constants)))
            counted = [slot for slot in range(len(parts)) if slot in worked or slot in alone]
            order = source.choice((counted, _by_level(problem, counted, worked)))
            kind = "v"
        letters = iter("abcghkmnpqrstuzlow") if kind == "letters" else (f"{kind}{n}" for n in range(1, 100))
        names = {slot: next(letters) for slot in order}
        if kind == "letters":
            names[order[-1]] = "y"
        yield Way(
            worked, tuple(order), names, source.choice((4, 5, 6)), formulas, source.choice(("text", "markdown", "csv")),
            source.choice(("value", "forward", "reverse")), source.random() < 0.7,
        )  # fmt: skip


def _at_once(problem: Problem) -> frozenset[int]:
    """The constants that something else than a constant uses."""
    used = {p for part in problem.parts if not part.constant for p in part.parents}
    return frozenset(used.intersection(problem.constants()))


def _by_level(problem: Problem, counted: list[int], worked: frozenset[int]) -> list[int]:
    """The rows by height above inputs and numbers, then as they stand."""
    height = [0] * len(problem.parts)
    for slot, part in enumerate(problem.parts):
        if part.parents:
            height[slot] = (slot in counted) + max(height[p] for p in part.parents)
    return sorted(counted, key=lambda slot: height[slot])


def _order(problem: Problem, counted: list[int], worked: frozenset[int], source: random.Random) -> list[int]:
    """The rows in an order in which they can be worked out: as they stand, by level, constants first, or any."""
    kind = source.choice(("call", "level", "constants", "any"))
    if kind == "level":
        return _by_level(problem, counted, worked)
    if kind == "constants":
        return sorted(counted, key=lambda slot: slot not in worked)
    if kind == "call":
        return counted
    order, waiting = [], list(counted)
    while waiting:
        ready = [slot for slot in waiting if not any(p in waiting for p in _above(problem, slot, counted))]
        order.append(source.choice(ready))
        waiting.remove(order[-1])
    if order[-1] != counted[-1]:
        order.remove(counted[-1])
        order.append(counted[-1])
    return order


def _above(problem: Problem, slot: int, counted: list[int]) -> set[int]:
    """The rows that a step works with."""
    found: set[int] = set()
    for p in problem.parts[slot].parents:
        found |= {p} if p in counted else _above(problem, p, counted)
    return found


def slip_of(problem: Problem, way: Way, source: random.Random) -> tuple[int, float] | None:
    """A wrong number for one of the constants that have a row."""
    if not way.is_told(problem):
        return None
    places = [slot for slot in way.order if problem.parts[slot].constant]
    numbers = values(problem)
    if not places or numbers is None:
        return None
    slot = source.choice(places)
    right = numbers[slot]
    wrong = source.choice((right * 1.25, right * 0.75, right + 1, right * 2, right * 3, right - 0.5))
    wrong = round(wrong, way.places)
    known = {*numbers, *(abs(x) for x in numbers), 0.0, 1.0, 2.0}
    if any(abs(wrong - x) < 0.01 for x in known) or (wrong == round(wrong) and abs(wrong - right) <= 0.5):
        return None
    return slot, wrong


def cases(seed: int) -> Iterator[tuple[Problem, Way, random.Random]]:
    """Problems without end, each with a way to write its answer."""
    source = random.Random(seed)  # noqa: S311
    for problem in problems(source):
        yield problem, next(ways(problem, source)), source
