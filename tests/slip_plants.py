"""Answers with one slip, with two in one step, with one edit of a formula, or with a number that no slip explains, put
together without the code that names slips; `python tests/slip_plants.py N` counts how often each is named.

The student works with the numbers as written.  The row that goes wrong has a number alone; the
rest follows from it.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple
from unicodedata import normalize

from planting import marked

from adcli.answers.answer_model import Task
from adcli.marking.task import task_of

Numbers = Sequence[float]


class Operation(NamedTuple):
    """An operation by hand: its text, its value and slopes, and what people take for them."""

    text: str
    value: Callable[[Numbers], float]
    slopes: Callable[[Numbers], list[float]]
    values: dict[str, Callable[[Numbers], float]] = {}  # noqa: RUF012
    wrong: dict[str, Callable[[Numbers], list[float]]] = {}  # noqa: RUF012
    edits: dict[str, Callable[[Numbers], float]] = {}  # noqa: RUF012

    @property
    def arity(self) -> int:
        return 2 if "{1}" in self.text else 1


RAD = math.pi / 180
OPERATIONS = [
    Operation("{0}*{1}", lambda a: a[0] * a[1], lambda a: [a[1], a[0]], {"wrong_operation": lambda a: a[0] + a[1]},
              {}, {"wrong_operation": lambda a: a[0] / a[1]}),
    Operation("{0} + {1}", lambda a: a[0] + a[1], lambda _: [1, 1],
              {"sign": lambda a: a[0] - a[1], "wrong_operation": lambda a: a[0] * a[1]}),
    Operation("{0} - {1}", lambda a: a[0] - a[1], lambda _: [1, -1], {"sign": lambda a: a[0] + a[1]}),
    Operation("{0}/{1}", lambda a: a[0] / a[1], lambda a: [1 / a[1], -a[0] / a[1] ** 2],
              {"operands_swapped": lambda a: a[1] / a[0]},
              {"quotient_sign": lambda a: [1 / a[1], a[0] / a[1] ** 2],
               "factor_forgotten": lambda a: [1 / a[1], -a[0] / a[1]]},
              {"wrong_operation": lambda a: a[0] * a[1]}),
    Operation("sin({0})", lambda a: math.sin(a[0]), lambda a: [math.cos(a[0])],
              {"degrees": lambda a: math.sin(a[0] * RAD)}, {"degrees": lambda a: [math.cos(a[0] * RAD)]},
              {"wrong_operation": lambda a: math.cos(a[0])}),
    Operation("cos({0})", lambda a: math.cos(a[0]), lambda a: [-math.sin(a[0])],
              {"degrees": lambda a: math.cos(a[0] * RAD)}, {"degrees": lambda a: [-math.sin(a[0] * RAD)]},
              {"wrong_operation": lambda a: math.sin(a[0])}),
    Operation("exp({0})", lambda a: math.exp(a[0]), lambda a: [math.exp(a[0])], {},
              {"power_rule_for_exponential": lambda a: [a[0] * math.exp(a[0] - 1)]}),
    Operation("log({0})", lambda a: math.log(a[0]), lambda a: [1 / a[0]], {"log10_for_log": lambda a: math.log10(a[0])},
              {"log10_for_log": lambda a: [1 / (a[0] * math.log(10))]}),
    Operation("sqrt({0})", lambda a: math.sqrt(a[0]), lambda a: [0.5 / math.sqrt(a[0])], {},
              {"factor_forgotten": lambda a: [1 / math.sqrt(a[0])]}),
    Operation("{0}^3", lambda a: a[0] ** 3, lambda a: [3 * a[0] ** 2], {},
              {"power_off_by_one": lambda a: [3 * a[0] ** 3], "factor_forgotten": lambda a: [a[0] ** 2]},
              {"wrong_exponent": lambda a: a[0] ** 2, "wrong_operation": lambda a: 3 * a[0]}),
    Operation("{0}^2", lambda a: a[0] ** 2, lambda a: [2 * a[0]], {},
              {"power_off_by_one": lambda a: [2 * a[0] ** 2], "factor_forgotten": lambda a: [a[0]]},
              {"wrong_exponent": lambda a: a[0] ** 3, "wrong_operation": lambda a: 2 * a[0]}),
    Operation("atan({0})", lambda a: math.atan(a[0]), lambda a: [1 / (1 + a[0] ** 2)],
              {"degrees": lambda a: math.atan(a[0]) / RAD}, {"degrees": lambda a: [1 / (1 + a[0] ** 2) / RAD]}),
    Operation("3*{0}", lambda a: 3 * a[0], lambda _: [3], {"wrong_operation": lambda a: 3 + a[0]}, {},
              {"wrong_constant": lambda a: 2 * a[0], "factor_forgotten": lambda a: a[0]}),
]  # fmt: skip


class Line(NamedTuple):
    """A row of the program: its name, its operation and what it works with."""

    name: str
    operation: Operation
    arguments: tuple[str, ...]


class Problem(NamedTuple):
    lines: tuple[Line, ...]
    at: dict[str, float]

    @property
    def text(self) -> str:
        rows = "; ".join(f"{line.name} = {line.operation.text.format(*line.arguments)}" for line in self.lines)
        return f"{rows} @ " + ", ".join(f"{name}={x}" for name, x in self.at.items())


def problem(draw: random.Random) -> Problem:
    """A program in which every row is used, and every number prints well."""
    while True:
        at = {"x": round(draw.uniform(0.4, 3), 1), "z": round(draw.uniform(0.4, 3), 1)}
        values, lines, unused = dict(at), [], {"x", "z"}
        for name in "abcdef"[: draw.randint(3, 6)]:
            operation = draw.choice(OPERATIONS)
            pool = sorted(unused) if draw.random() < 0.7 else list(values)
            first = draw.choice(pool)
            arguments = (first, draw.choice([other for other in values if other != first]))[: operation.arity]
            lines.append(Line(name, operation, arguments))
            try:
                values[name] = operation.value([values[argument] for argument in arguments])
            except ValueError:
                break
            unused = (unused - set(arguments)) | {name}
        found = [values.get(line.name, 0) for line in lines]
        if len(unused) == 1 and all(0.1 < abs(x) < 60 for x in found) and len(set(at.values())) == 2:
            return Problem(tuple(lines), at)


Quantity = tuple[str, str]  # its kind, and the row
Slipping = Callable[[list[tuple[float, float]]], list[tuple[float, float]]]


class Wrong(NamedTuple):
    """What one row may wrongly be: the kind of plant, all names that are right for it, and the number."""

    what: str
    names: frozenset[str]
    number: float


class Student:
    """Works a problem out with so many digits, from the numbers as written."""

    def __init__(self, given: Problem, mode: str, show: Callable[[float], str]) -> None:
        self.given, self.mode, self.show = given, mode, show

    def order(self) -> list[Quantity]:
        found = [("value", line.name) for line in self.given.lines]
        if self.mode == "forward":
            return [*found, *(("dot", name) for name in self.given.at), *(("dot", n.name) for n in self.given.lines)]
        names = [*self.given.at, *(line.name for line in self.given.lines)]
        return [*found, *(("bar", name) for name in reversed(names))]

    def terms(self, of: Quantity, had: dict[Quantity, float]) -> list[tuple[float, float, str, int]]:
        """The slopes and what comes in, each with the row that it belongs to and the place of the operand."""
        kind, name = of
        if kind == "dot":
            (line,) = [line for line in self.given.lines if line.name == name]
            slopes = line.operation.slopes([had["value", argument] for argument in line.arguments])
            return [
                (slope, had["dot", argument], argument, place)
                for place, (slope, argument) in enumerate(zip(slopes, line.arguments, strict=True))
            ]
        found = []
        for line in self.given.lines:
            for place, argument in enumerate(line.arguments):
                if argument == name:
                    slopes = line.operation.slopes([had["value", other] for other in line.arguments])
                    found.append((slopes[place], had["bar", line.name], line.name, place))
        return found

    def right(self, of: Quantity, had: dict[Quantity, float]) -> float:
        kind, name = of
        if kind == "value":
            (line,) = [line for line in self.given.lines if line.name == name]
            return line.operation.value([had["value", argument] for argument in line.arguments])
        if kind == "dot" and name in self.given.at:
            return float(name == "x")
        if kind == "bar" and name == self.given.lines[-1].name:
            return 1.0
        return sum(slope * coming for slope, coming, *_ in self.terms(of, had))

    def answer(self, of: Quantity | None = None, wrong: float | None = None) -> tuple[str, dict[Quantity, float]]:
        """The answer as text, with a wrong number in one row, and the numbers that were written."""
        had: dict[Quantity, float] = {("value", name): x for name, x in self.given.at.items()}
        lines = []
        for quantity in self.order():
            number = wrong if quantity == of and wrong is not None else self.right(quantity, had)
            text = self.show(number)
            had[quantity] = float(text)
            name = {"value": "{}", "dot": "d{}", "bar": "{}bar"}[quantity[0]].format(quantity[1])
            lines.append(f"{name} = {text}")
        return "\n".join(lines), had

    def wrongs(self, of: Quantity, had: dict[Quantity, float]) -> Iterator[Wrong]:
        """Single slips, pairs of them and edits in a row, worked out from what was written before."""
        kind, name = of
        if kind == "value":
            yield from self._of_value(name, had)
        elif not ((kind == "dot" and name in self.given.at) or (kind == "bar" and name == self.given.lines[-1].name)):
            yield from self._of_derivative(of, had)

    def _of_value(self, name: str, had: dict[Quantity, float]) -> Iterator[Wrong]:
        (line,) = [line for line in self.given.lines if line.name == name]
        arguments = [had["value", argument] for argument in line.arguments]
        right = line.operation.value(arguments)
        singles = {slip: value(arguments) for slip, value in line.operation.values.items()}
        for slip, number in singles.items():
            yield Wrong("single", frozenset((slip,)), number)
            if slip != "sign":
                yield Wrong("pair", frozenset((plus(slip, "sign"),)), -number)
            yield Wrong("pair", frozenset((plus(slip, "decimal_point"),)), number * 10)
        yield Wrong("single", frozenset(("sign",)), -right)
        yield Wrong("pair", frozenset((plus("sign", "decimal_point"),)), -right * 10)
        for slip, edit in line.operation.edits.items():
            yield Wrong("edit", frozenset((slip,)), edit(arguments))
        for place in range(len(arguments)):
            for other in [*self.given.at, *(row.name for row in self.given.lines)]:
                if other == name:
                    break
                if other not in line.arguments:
                    changed = [*arguments[:place], had["value", other], *arguments[place + 1 :]]
                    try:
                        yield Wrong("edit", frozenset(("wrong_operand",)), line.operation.value(changed))
                    except ValueError:
                        continue

    def _of_derivative(self, of: Quantity, had: dict[Quantity, float]) -> Iterator[Wrong]:
        terms = self.terms(of, had)
        atoms: list[tuple[str, int, int, Slipping]] = []
        plain = all(abs(slope) == 1 for slope, *_ in terms)

        def at(place: int, change: Callable[[float, float], tuple[float, float]]) -> Slipping:
            return lambda found: [change(*term) if k == place else term for k, term in enumerate(found)]

        for k, (slope, coming, row, place) in enumerate(terms):
            user = next(line for line in self.given.lines if line.name == (of[1] if of[0] == "dot" else row))
            values = [had["value", argument] for argument in user.arguments]
            if not coming:
                continue
            for slip, wrong in user.operation.wrong.items():
                other = wrong(values)[place]
                if other != slope:
                    atoms.append((slip, 0, k, at(k, lambda _, c, other=other: (other, c))))  # type: ignore[misc]
            if user.operation.arity == 2 and of[0] == "bar" and abs(slope) != 1:
                other = user.operation.slopes(values)[1 - place]
                atoms.append(("operand_partials_swapped", 0, k, at(k, lambda _, c, other=other: (other, c))))  # type: ignore[misc]
            if abs(slope) != 1 and abs(coming) != 1 and (of[0] == "bar" or len(terms) == 1):
                atoms.append(("chain_rule_forgotten", 2, k, at(k, lambda s, _: (s, 1.0))))
            if len(terms) > 1:
                atoms.append(("sign", 3, k, at(k, lambda s, c: (-s, c))))
                if sum(bool(c) for _, c, *_ in terms) > 1:
                    atoms.append(("path_missing", 4, k, at(k, lambda s, _: (s, 0.0))))
        if of[0] == "dot" and len(terms) == 2 and not plain:
            atoms.append(("operand_partials_swapped", 1, -1, lambda f: [(f[1][0], f[0][1]), (f[0][0], f[1][1])]))
        atoms.append(("sign", 5, -1, lambda found: [(-s, c) for s, c in found]))
        base = [(slope, coming) for slope, coming, *_ in terms]

        def summed(found: list[tuple[float, float]]) -> float:
            return sum(s * c for s, c in found)

        for slip, _, _, make in atoms:
            names = {slip, "quotient_sign"} if slip == "sign" else {slip}
            if slip == "path_missing" and of[0] == "bar":
                names.add("adjoint_overwritten")
            yield Wrong("single", frozenset(names), summed(make(base)))
        yield Wrong("single", frozenset(("value_for_adjoint",)), had["value", of[1]])
        for k, (slope, coming, row, _) in enumerate(terms):
            if not coming:
                continue
            rest = sum(s * c for j, (s, c) in enumerate(base) if j != k)
            yield Wrong("single", frozenset(("value_for_adjoint",)), rest + slope * had["value", row])
        for first, second in combinations(sorted(atoms, key=lambda atom: atom[1]), 2):
            if first[0] == second[0] or (first[1] == second[1] and first[2] == second[2]) or first[1] == second[1] == 0:
                continue
            names = {plus(first[0], second[0])}
            if of[0] == "bar":
                names |= {name.replace("path_missing", "adjoint_overwritten") for name in names}
                names = {"+".join(sorted(name.split("+"))) for name in names}
            yield Wrong("pair", frozenset(names), summed(second[3](first[3](base))))
        for k, (slope, coming) in enumerate(base):
            if coming and abs(slope) != 1 and abs(coming) != 1:
                rest = sum(s * c for j, (s, c) in enumerate(base) if j != k)
                yield Wrong("edit", frozenset(("wrong_operation",)), rest + slope + coming)
                yield Wrong("edit", frozenset(("wrong_operation",)), rest + coming / slope)
        for k, (slope, _) in enumerate(base):
            rest = sum(s * c for j, (s, c) in enumerate(base) if j != k)
            others = {x for (kind, name), x in had.items() if kind == of[0] and name != of[1] and abs(x) not in (0, 1)}
            for other in sorted(others)[:2]:
                if abs(slope) != 1:
                    yield Wrong("edit", frozenset(("wrong_operand",)), rest + slope * other)


def plus(*names: str) -> str:
    return "+".join(sorted(names))


STYLES: dict[str, Callable[[float], str]] = {
    "3 places": lambda x: f"{x:.3f}",
    "4 places": lambda x: f"{x:.4f}",
    "3 digits": lambda x: digits(x, 3),
    "4 digits": lambda x: digits(x, 4),
}


def digits(x: float, count: int) -> str:
    if not x:
        return "0"
    places = max(count - 1 - math.floor(math.log10(abs(x))), 0)
    return f"{x:.{places}f}"


class Case(NamedTuple):
    what: str
    names: frozenset[str]
    task: Task
    text: str
    row: str
    kind: str
    style: str


def cases(count: int, seed: int = 1) -> Iterator[Case]:
    """So many of each kind of plant, in problems of their own."""
    draw = random.Random(seed)  # noqa: S311 - any will do, but the same ones
    done = Counter[str]()
    while min(done[what] for what in ("single", "pair", "edit", "random")) < count:
        given, mode = problem(draw), draw.choice(["forward", "reverse"])
        style = draw.choice(list(STYLES))
        student = Student(given, mode, STYLES[style])
        _, had = student.answer()
        task = task_of(given.text, mode=mode)
        for of in student.order():
            right = student.right(of, had)
            wrongs = [wrong for wrong in student.wrongs(of, had) if math.isfinite(wrong.number)]
            shown = Counter(STYLES[style](wrong.number) for wrong in {w.number: w for w in wrongs}.values())
            single = {STYLES[style](wrong.number) for wrong in wrongs if wrong.what == "single"}
            chosen = [wrong for wrong in wrongs if wrong.what == "single" or STYLES[style](wrong.number) not in single]
            if wrongs and right:
                number = right * draw.choice([-1, 1]) * draw.uniform(0.3, 2.5)
                chosen.append(Wrong("random", frozenset(), number))
            draw.shuffle(chosen)
            took = set()
            for wrong in chosen:
                text = STYLES[style](wrong.number)
                if wrong.what in took or done[wrong.what] >= count or not 0.02 < abs(wrong.number) < 500:
                    continue
                if any(float(text) == x for quantity, x in had.items() if quantity != of):
                    continue  # the number of another row
                if abs(float(text) - right) < 0.02 * abs(right) or (wrong.what != "random" and shown[text] > 1):
                    continue
                try:
                    answer, _ = student.answer(of, wrong.number)
                except (ValueError, ArithmeticError):
                    continue
                took.add(wrong.what)
                done[wrong.what] += 1
                yield Case(wrong.what, wrong.names, task, answer, of[1], of[0], style)


def verdict(case: Case) -> str:
    """How marking did: named, one of, unnamed, false, or not the first error."""
    marking = marked(case.task, case.text)
    if marking.first is None:
        return "missed"
    first = marking.marks[marking.first]
    if case.row != normalize("NFD", first.row.partition("[")[0])[0]:
        return "another row"
    if not first.slips:
        return "unnamed"
    if case.names.isdisjoint(first.slips):
        return "false"
    return "named" if len(first.slips) == 1 else "one of"


def main(count: int) -> None:
    """The table of what was planted and what was named."""
    table: Counter[tuple[str, str]] = Counter()
    detail: Counter[tuple[str, str, str, str]] = Counter()
    started = time.monotonic()
    for case in cases(count):
        found = verdict(case)
        table[case.what, found] += 1
        detail[case.what, case.kind, case.style, found] += 1
        if "-v" in sys.argv and found in ("false", "unnamed", "another row") and case.what in sys.argv:
            marking = marked(case.task, case.text)
            print(found, sorted(case.names), case.task.program.source.text, dict(case.task.at), case.row, case.kind)
            if marking.first is not None:
                print("   ", marking.marks[marking.first].row, marking.marks[marking.first].slips)
            print(case.text.replace("\n", "; "))
    columns = ("named", "one of", "unnamed", "false", "another row", "missed")
    print(f"{time.monotonic() - started:.0f} s")
    print(f"{'':24}" + "".join(f"{column:>12}" for column in columns))
    for what in ("single", "pair", "edit", "random"):
        print(f"{what:24}" + "".join(f"{table[what, column]:12}" for column in columns))
    for what, kind, style in sorted({key[:3] for key in detail}):
        print(f"{what:8}{kind:7}{style:9}" + "".join(f"{detail[what, kind, style, c]:12}" for c in columns))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
