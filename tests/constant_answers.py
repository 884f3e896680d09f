"""Answers that work out constants in rows of their own, by a student who rounds every number and goes on from it.

`python tests/constant_answers.py N [SEED]` counts how marking does on N honest answers and N with a slip in a constant.
"""

from __future__ import annotations

import math
import sys
from collections import Counter

from constant_parts import INPUTS, NUMBERS, OPERATIONS, Problem, Way, cases, slip_of, written

from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of


class Student:
    """Works out an answer; `slip` is a step whose number is replaced by a wrong one."""

    def __init__(self, problem: Problem, way: Way, slip: tuple[int, float] | None = None) -> None:
        self.problem, self.way = problem, way
        self.rows: list[tuple[str, str, str]] = []  # name, formula, number
        self.numbers: dict[int, float] = {}
        self.moving: set[int] = set()  # what a derivative is handed down to
        for slot, part in enumerate(problem.parts):
            if slot in way.names or not part.constant or not self.moving.isdisjoint(part.parents):
                self.moving.add(slot)
            if not part.parents:
                self.numbers[slot] = NUMBERS[part.operation] if part.constant else problem.at[part.operation]
            else:
                found = OPERATIONS[part.operation][1](*[self.numbers[p] for p in part.parents])
                if slip is not None and slip[0] == slot:
                    found = slip[1]
                self.numbers[slot] = found if slot not in way.names else float(self.shown(found))
        for place, slot in enumerate(way.order):
            self.rows.append((way.names[slot], self.formula(slot, place), self.shown(self.numbers[slot])))
        if way.mode == "forward":
            self.forward()
        elif way.mode == "reverse":
            self.reverse()

    def shown(self, x: float) -> str:
        text = f"{x:.{self.way.places}f}"
        text = text.rstrip("0").rstrip(".") if float(text) == round(x) else text
        return "0" if float(text) == 0 else text

    def named(self) -> dict[int, str]:
        inputs = {slot: part.operation for slot, part in enumerate(self.problem.parts) if part.operation in INPUTS}
        return {**self.way.names, **inputs}

    def formula(self, slot: int, place: int) -> str:
        way = self.way
        if way.formulas == "none":
            return ""
        constant = self.problem.parts[slot].constant
        if way.formulas == "numbers" or (way.formulas == "mixed" and (place % 2 or constant)):
            shown = {s: self._bracketed(self.shown(self.numbers[s])) for s in self.named() if s in way.names}
            shown |= {s: str(self.problem.at[p.operation]) for s, p in enumerate(self.problem.parts)
                      if p.operation in INPUTS}  # fmt: skip
            if way.formulas == "mixed" and constant and place % 3 == 0:
                return ""
            return written(self.problem, slot, shown)
        return written(self.problem, slot, self.named())

    @staticmethod
    def _bracketed(number: str) -> str:
        return f"({number})" if number.startswith("-") else number

    def _local(self, slot: int) -> list[float]:
        """The partials by the parents, at the student's own numbers."""
        part = self.problem.parts[slot]
        found = []
        for parent, rule in zip(part.parents, OPERATIONS[part.operation][2] if part.parents else (), strict=True):
            try:
                found.append(rule(*[self.numbers[p] for p in part.parents]) if parent in self.moving else 0.0)
            except ValueError:  # the logarithm of a negative base, by its constant exponent
                found.append(math.nan)
        return found

    def forward(self) -> None:
        moving = [p.operation for p in self.problem.parts if p.operation in INPUTS]
        for key in dict.fromkeys(moving):
            dots: dict[int, float] = {}
            for slot, part in enumerate(self.problem.parts):
                if not part.parents:
                    dots[slot] = float(part.operation == key)
                    continue
                terms = [
                    local * dots[p] for local, p in zip(self._local(slot), part.parents, strict=True) if dots[p] != 0
                ]
                dots[slot] = sum(terms) if slot not in self.way.names else float(self.shown(sum(terms)))
            for name in dict.fromkeys(moving):
                self.rows.append((f"{name}dot", "", "1" if name == key else "0"))
            for slot in self.way.order:
                text = self._dot_formula(slot) if self.way.formulas == "symbols" else ""
                self.rows.append((f"{self.way.names[slot]}dot", text, self.shown(dots[slot])))

    def _dot_formula(self, slot: int) -> str:
        """The chain rule with names, for rows that are one step."""
        names, part = self.named(), self.problem.parts[slot]
        if self.problem.parts[slot].constant:
            return ""
        terms = []
        texts = [written(self.problem, p, names, top=False) for p in part.parents]
        for parent, text in zip(part.parents, OPERATIONS[part.operation][3], strict=True):
            if parent in names and not self.problem.parts[parent].constant:
                terms.append(f"{text.format(*texts)}*{names[parent]}dot")
        return " + ".join(terms)

    def reverse(self) -> None:
        parts, names = self.problem.parts, self.named()
        bars = dict.fromkeys(range(len(parts)), 0.0)
        bars[len(parts) - 1] = 1.0
        shown: dict[str, tuple[str, float]] = {}
        for slot in reversed(range(len(parts))):
            if slot in self.way.names:
                bars[slot] = float(self.shown(bars[slot]))
                self.rows_of_adjoints(slot, bars[slot])
            elif parts[slot].operation in INPUTS:
                name = names[slot]
                shown[name] = (name, shown.get(name, ("", 0.0))[1] + bars[slot])
            for parent, local in zip(parts[slot].parents, self._local(slot), strict=True):
                if not math.isnan(local):
                    bars[parent] += bars[slot] * local
                elif parent in self.way.names:
                    bars[parent] = math.nan
        for name, bar in shown.values():
            self.rows.append((f"{name}bar", "", self.shown(bar)))

    def rows_of_adjoints(self, slot: int, bar: float) -> None:
        constant = self.problem.parts[slot].constant
        if math.isnan(bar) or (constant and not self.way.adjoints_of_constants):
            return
        self.rows.append((f"{self.way.names[slot]}bar", "", self.shown(bar)))

    def text(self) -> tuple[str, str]:
        """The answer and the ending of its file."""
        if self.way.layout == "text":
            return "".join(
                f"{name} = {formula + ' = ' if formula else ''}{x}\n" for name, formula, x in self.rows
            ), "txt"
        if self.way.layout == "csv":
            return "step,formula,value\n" + "".join(f"{n},{f},{x}\n" for n, f, x in self.rows), "csv"
        head = "| step | formula | value |\n|---|---|---|\n"
        return head + "".join(f"| {n} | {f} | {x} |\n" for n, f, x in self.rows), "md"


def answered(problem: Problem, way: Way, slip: tuple[int, float] | None = None) -> tuple[str, str] | None:
    """The answer and the ending of its file; None where a slip leads to where no number is."""
    try:
        return Student(problem, way, slip).text()
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return None


def marked(problem: Problem, way: Way, answer: tuple[str, str]) -> Marking:
    """The answer as it is marked."""
    text, ending = answer
    (found,) = assess(text.encode(), f"answer.{ending}", [task_of(problem.text, mode=way.mode)], Rules())
    return found


def complaint(marking: Marking) -> str:
    """What is thought to be wrong with an answer; nothing of an honest one."""
    found = {mark.verdict for mark in marking.marks} - {"correct", "rounding", "extra"}
    if marking.verdict != "right" or found:
        return " ".join(sorted(found)) or marking.verdict
    wrong = any(mark.formula == "wrong" for mark in marking.marks if mark.verdict != "extra")
    return "formula" if wrong else "" if marking.earned == marking.possible else "points"


def blame(marking: Marking, row: str) -> str:
    """How marking did on a slip in a constant row: nothing where it is the first error, and all else follows."""
    if marking.first is None:
        return "missed"
    if marking.marks[marking.first].row != row:
        return "another row"
    others = {mark.verdict for mark in marking.marks} - {"correct", "rounding", "extra", "carried"}
    errors = sum(mark.verdict == "error" for mark in marking.marks)
    return "not carried" if errors > 1 or others - {"error"} else ""


def main(count: int, seed: int) -> None:
    tally: dict[str, Counter[tuple[str, str]]] = {"honest": Counter(), "slip": Counter()}
    for number, (problem, way, source) in enumerate(cases(seed)):
        if number == count:
            break
        slip = slip_of(problem, way, source)
        for kind, made in (("honest", None), ("slip", slip)):
            if kind == "slip" and made is None:
                continue
            answer = answered(problem, way, made)
            if answer is None:
                continue
            marking = marked(problem, way, answer)
            found = complaint(marking) if made is None else blame(marking, way.names[made[0]])
            tally[kind][way.formulas, found] += 1
            if found and "-v" in sys.argv:
                print("-----", kind, found, way.mode, way.formulas, way.layout, problem.text, made, answer[0], sep="\n")
                for m in marking.marks:
                    if m.verdict not in ("correct", "rounding"):
                        print("   ", m.row, m.verdict, m.slips, m.formula, m.feedback)
    for kind, found in tally.items():
        print(kind, sum(found.values()), dict(sorted(found.items())))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
