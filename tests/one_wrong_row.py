"""Answers with exactly one wrong row, after which everything is right for the program so made; and honest ones.

The student's program is differentiated here, row by row with rules of its own, rounded as it goes: nothing of `adcli`
has a part in it.  `python tests/one_wrong_row.py N` counts over N answers.
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Op(NamedTuple):
    """A step: how it is written, its value, and its local derivatives as numbers and as text."""

    text: str
    value: Callable[..., float]
    slopes: tuple[Callable[..., float], ...]
    written: tuple[str, ...]


OPS = {
    "add": Op("{0} + {1}", lambda a, b: a + b, (lambda _a, _b: 1.0, lambda _a, _b: 1.0), ("1", "1")),
    "sub": Op("{0} - {1}", lambda a, b: a - b, (lambda _a, _b: 1.0, lambda _a, _b: -1.0), ("1", "(-1)")),
    "mul": Op("{0}*{1}", lambda a, b: a * b, (lambda _a, b: b, lambda a, _b: a), ("{1}", "{0}")),
    "div": Op("{0}/{1}", lambda a, b: a / b, (lambda _a, b: 1 / b, lambda a, b: -a / b**2), ("1/{1}", "(-{0}/{1}^2)")),
    "sin": Op("sin({0})", math.sin, (math.cos,), ("cos({0})",)),
    "cos": Op("cos({0})", math.cos, (lambda a: -math.sin(a),), ("(-sin({0}))",)),
    "exp": Op("exp({0})", math.exp, (math.exp,), ("exp({0})",)),
    "log": Op("ln({0})", math.log, (lambda a: 1 / a,), ("1/{0}",)),
    "sqrt": Op("sqrt({0})", math.sqrt, (lambda a: 0.5 / math.sqrt(a),), ("1/(2*sqrt({0}))",)),
    "square": Op("{0}^2", lambda a: a * a, (lambda a: 2 * a,), ("2*{0}",)),
    "triple": Op("3*{0}", lambda a: 3 * a, (lambda _a: 3.0,), ("3",)),
    "tanh": Op("tanh({0})", math.tanh, (lambda a: 1 - math.tanh(a) ** 2,), ("(1-tanh({0})^2)",)),
}
PAIRS = ("add", "sub", "mul", "div")
SINGLE = tuple(name for name in OPS if name not in PAIRS)


class Step(NamedTuple):
    name: str
    op: str
    uses: tuple[str, ...]


class Case(NamedTuple):
    """A problem, an answer to it, its mode and the input that moves; which line is wrong (from 1; 0: none), and how."""

    problem: str
    answer: str
    mode: str
    wrt: str | None
    wrong: int
    how: str


def program(chance: random.Random) -> tuple[dict[str, float], list[Step]] | None:
    """A program of a few steps whose numbers are neither large nor small, all of whose rows are needed."""
    inputs = {f"x{k + 1}": round(chance.uniform(0.4, 2.9), 1) for k in range(chance.choice((1, 2, 2, 3)))}
    values, steps, unused = dict(inputs), [], list(inputs)
    letter = chance.choice("vvvwa")
    for number in range(1, chance.randint(3, 7)):
        op = chance.choice(PAIRS if len(unused) > 1 or chance.random() < 0.4 else SINGLE)
        count = len(OPS[op].slopes)
        uses = chance.sample(unused, min(count, len(unused)))
        while len(uses) < count:
            uses.append(chance.choice([name for name in values if name not in uses] or list(values)))
        chance.shuffle(uses)
        name = f"{letter}{number}" if letter != "a" else "abcdefgh"[number - 1]
        try:
            x = OPS[op].value(*(values[use] for use in uses))
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        if (
            not 0.05 < abs(x) < 60
            or len(set(uses)) < count
            or any(abs(abs(x) - abs(y)) < 0.02 for y in values.values())
        ):
            return None
        values[name] = x
        steps.append(Step(name, op, tuple(uses)))
        unused = [use for use in unused if use not in uses] + [name]
    while len(unused) > 1:
        a, b, *rest = unused
        name = f"{letter}{len(steps) + 1}" if letter != "a" else "abcdefghijk"[len(steps)]
        values[name] = OPS["add"].value(values[a], values[b])
        steps.append(Step(name, "add", (a, b)))
        unused = [*rest, name]
    return (inputs, steps) if len(steps) > 2 else None


def nested(steps: list[Step], inputs: dict[str, float]) -> str:
    """The program as one expression."""
    texts = {name: name for name in inputs}
    for step in steps:
        texts[step.name] = "(" + OPS[step.op].text.format(*(texts[use] for use in step.uses)) + ")"
    return texts[steps[-1].name]


def shown(x: float, places: int) -> str:
    text = f"{x:.{places}f}"
    return "0" if x == 0 else text.replace("-", "") if float(text) == 0 else text


class Worker:
    """Works an answer out line by line, rounding each number; on one line something goes wrong."""

    def __init__(self, chance: random.Random, inputs: dict[str, float], steps: list[Step], places: int) -> None:
        self.chance, self.inputs, self.steps, self.places = chance, inputs, list(steps), places
        self.had: dict[str, float] = dict(inputs)
        self.lines: list[str] = []
        self.formulas = chance.random() < 0.7

    def line(self, name: str, formula: str, x: float, wrong: bool) -> float:
        """Writes a line down; a wrong one has another number."""
        if wrong:
            x = self.slipped(x)
        text = shown(x, self.places)
        self.lines.append(f"{name} = {formula} = {text}" if self.formulas and formula else f"{name} = {text}")
        return float(text)

    def slipped(self, x: float) -> float:
        """Another number, by more than rounding."""
        found = self.chance.choice((-x, 10 * x, x / 10, x + 1, 2 * x, x + 0.3))
        return found if abs(found - x) > 20 * 10**-self.places else x + 0.7

    def values(self, wrong: int, how: str) -> None:
        for number, step in enumerate(self.steps):
            if number == wrong and how == "formula":
                step = self.steps[number] = self.astray(step, number)
            op = OPS[step.op]
            x = op.value(*(self.had[use] for use in step.uses))
            self.had[step.name] = self.line(
                step.name, op.text.format(*step.uses), x, number == wrong and how == "number"
            )

    def astray(self, step: Step, number: int) -> Step:
        """Another step in place of this one: another operation, or another operand."""
        right = OPS[step.op].value(*(self.had[use] for use in step.uses))
        for _ in range(50):
            op, uses = step.op, list(step.uses)
            if self.chance.random() < 0.6 or len(self.had) < 3:
                op = self.chance.choice([name for name in OPS if len(OPS[name].slopes) == len(uses) and name != op])
            else:
                uses[self.chance.randrange(len(uses))] = self.chance.choice(list(self.had))
            try:
                x = OPS[op].value(*(self.had[use] for use in uses))
            except (ValueError, ZeroDivisionError, OverflowError):
                continue
            alike = any(abs(x - y) < 0.03 for y in (right, -right, *self.had.values()))
            if not alike and len(set(uses)) == len(uses) and 0.03 < abs(x) < 90:
                return Step(step.name, op, tuple(uses))
        raise ValueError

    def tangents(self, wrt: str, wrong: int, how: str) -> None:
        spell = self.chance.choice(("d{}", "{}'", "{}dot"))
        dots: dict[str, float] = {}
        for name in self.inputs:
            seed = 1.0 if name == wrt else 0.0
            dots[name] = self.line(spell.format(name), "", seed, False)
        for number, step in enumerate(self.steps):
            op = OPS[step.op]
            xs = [self.had[use] for use in step.uses]
            slopes = [slope(*xs) for slope in op.slopes]
            texts = [text.format(*step.uses) for text in op.written]
            x = sum(slope * dots[use] for slope, use in zip(slopes, step.uses, strict=True))
            if number == wrong and how == "formula":
                slopes, texts = self.bent(slopes, texts)
                right, x = x, sum(slope * dots[use] for slope, use in zip(slopes, step.uses, strict=True))
                self.differ(right, x)
            terms = [
                f"{text}*{spell.format(use)}" if text != "1" else spell.format(use)
                for text, use in zip(texts, step.uses, strict=True)
            ]
            off = number == wrong and how == "number"
            dots[step.name] = self.line(spell.format(step.name), " + ".join(terms), x, off)

    def bent(self, slopes: list[float], texts: list[str]) -> tuple[list[float], list[str]]:
        """Local derivatives of which one is wrong."""
        place = self.chance.randrange(len(slopes))
        factor = self.chance.choice((-1.0, 2.0, 3.0))
        slopes, texts = list(slopes), list(texts)
        slopes[place] *= factor
        texts[place] = f"({factor:g})*{texts[place]}"
        return slopes, texts

    def differ(self, right: float, wrong: float) -> None:
        """Raises ValueError where a slip makes no difference."""
        if abs(right - wrong) < 20 * 10**-self.places:
            raise ValueError

    def adjoints(self, wrong: int, how: str) -> None:
        spell = self.chance.choice(("{}bar", "bar({})", "adj {}"))
        bars: dict[str, float] = {self.steps[-1].name: self.line(spell.format(self.steps[-1].name), "", 1.0, False)}
        order = [*(step.name for step in reversed(self.steps[:-1])), *reversed(self.inputs)]
        for number, name in enumerate(order):
            terms, x = [], 0.0
            for step in reversed(self.steps):
                for place, use in enumerate(step.uses):
                    if use == name and step.name in bars:
                        op = OPS[step.op]
                        slope, text = op.slopes[place](*(self.had[u] for u in step.uses)), op.written[place]
                        text = text.format(*step.uses)
                        if number == wrong and how == "formula" and not terms:
                            right = bars[step.name] * slope
                            (slope,), (text,) = self.bent([slope], [text])
                            self.differ(right, bars[step.name] * slope)
                        x += bars[step.name] * slope
                        bar = spell.format(step.name)
                        terms.append(bar if text == "1" else f"{bar}*{text}")
            if not terms:  # nothing of the student's program uses it
                bars[name] = self.line(spell.format(name), "", 0.0, False)
                continue
            off = number == wrong and how == "number"
            bars[name] = self.line(spell.format(name), " + ".join(terms), x, off)


def cases(seed: int) -> Iterator[Case]:
    """Answers with one wrong row; how is value or derivative, formula or number."""
    chance = random.Random(f"one wrong row {seed}")  # noqa: S311 - chance that repeats itself
    while True:
        found = program(chance)
        if found is None:
            continue
        inputs, steps = found
        mode = chance.choice(("forward", "reverse"))
        wrt = chance.choice(list(inputs)) if mode == "forward" else None
        worker = Worker(chance, inputs, steps, chance.choice((3, 3, 4, 5)))
        where, how = chance.choice(("value", "derivative")), chance.choice(("formula", "number"))
        if how == "formula":
            worker.formulas = True
        rows = len(steps) if where == "value" or mode == "forward" else len(steps) - 1 + len(inputs)
        wrong = chance.randrange(rows)
        none = (-1, "")
        try:
            worker.values(*((wrong, how) if where == "value" else none))
            line = len(worker.lines) + wrong + 1 + (len(inputs) if mode == "forward" else 1)
            line = wrong + 1 if where == "value" else line
            if mode == "forward":
                worker.tangents(wrt or "", *((wrong, how) if where == "derivative" else none))
            else:
                worker.adjoints(*((wrong, how) if where == "derivative" else none))
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
        point = ", ".join(f"{name}={x}" for name, x in inputs.items())
        yield Case(
            f"{problem_text(chance, steps, inputs)} @ {point}",
            "\n".join(worker.lines),
            mode,
            wrt,
            line,
            f"{where} {how}",
        )


def problem_text(chance: random.Random, steps: list[Step], inputs: dict[str, float]) -> str:
    """The program in one expression, or in named steps where it shares one."""
    uses = Counter(use for step in steps for use in step.uses)
    if any(uses[step.name] > 1 for step in steps) or chance.random() < 0.2:
        return "; ".join(f"{step.name} = {OPS[step.op].text.format(*step.uses)}" for step in steps)
    return nested(steps, inputs)


def honest(seed: int) -> Iterator[Case]:
    """Answers without a slip."""
    chance = random.Random(f"honest {seed}")  # noqa: S311 - chance that repeats itself
    while True:
        found = program(chance)
        if found is None:
            continue
        inputs, steps = found
        mode = chance.choice(("forward", "reverse"))
        wrt = chance.choice(list(inputs)) if mode == "forward" else None
        worker = Worker(chance, inputs, steps, chance.choice((2, 3, 3, 4, 5)))
        worker.values(-1, "")
        if mode == "forward":
            worker.tangents(wrt or "", -1, "")
        else:
            worker.adjoints(-1, "")
        point = ", ".join(f"{name}={x}" for name, x in inputs.items())
        yield Case(f"{problem_text(chance, steps, inputs)} @ {point}", "\n".join(worker.lines), mode, wrt, 0, "honest")


def main() -> None:
    from itertools import islice

    from adcli.marking.assessing import assess
    from adcli.marking.model import Rules
    from adcli.marking.task import task_of

    count, seed, talk = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, "-v" in sys.argv
    tally: Counter[tuple[str, str]] = Counter()
    for case in islice(cases(seed), count):
        task = task_of(case.problem, mode=case.mode, wrt=(case.wrt,) if case.wrt else ())
        (marking,) = assess(case.answer.encode(), "a.txt", [task], Rules())
        crosses = [mark.line for mark in marking.marks if mark.verdict in ("error", "missing", "formula", "unreadable")]
        found = (
            "right"
            if crosses == [case.wrong]
            else "more"
            if case.wrong in crosses
            else "none"
            if not crosses
            else "other"
        )
        tally[case.how, found] += 1
        if found != "right" and talk:
            print(found, case.how, case.mode, case.wrt, case.problem, "line", case.wrong)
            marks = {mark.line: mark for mark in marking.marks}
            for number, line in enumerate(case.answer.splitlines(), 1):
                mark = marks.get(number)
                print("  ", number, line, "|", mark and (mark.row, mark.verdict, mark.slips, mark.formula, mark.number))
            for mark in marking.marks:
                if mark.line is None:
                    print("   ", mark.row, mark.verdict)
    print(sorted(tally.items()))
    tally = Counter()
    for case in islice(honest(seed), count):
        task = task_of(case.problem, mode=case.mode, wrt=(case.wrt,) if case.wrt else ())
        (marking,) = assess(case.answer.encode(), "a.txt", [task], Rules())
        verdicts = {mark.verdict for mark in marking.marks}
        tally[marking.verdict, "full" if marking.earned == marking.possible else "less"] += 1
        if (marking.verdict != "right" or marking.earned != marking.possible) and talk:
            print(
                "honest", marking.verdict, verdicts, marking.earned, marking.possible, case.mode, case.wrt, case.problem
            )
            for mark in marking.marks:
                if mark.verdict not in ("correct", "rounding"):
                    print("    ", mark.line, mark.row, mark.verdict, mark.formula, mark.number)
            print(case.answer)
            print("lost", [(q.quantity, q.verdict) for q in marking.quantities if q.earned != q.possible])
    print(sorted(tally.items()))


if __name__ == "__main__":
    main()
