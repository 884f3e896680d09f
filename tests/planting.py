"""Answers worked by a careful student, and by one who makes a single slip; `python tests/planting.py N` counts how well
marking does on N answers of each kind.

The student works from the numbers written down so far, rounds each, and never looks at the truth.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from answers import read_answer

from adcli.answers.answer_model import BAR, DOT, VALUE, Task
from adcli.classroom.instances import instance
from adcli.marking.judging.expected import ExpectedFormulas
from adcli.marking.judging.row_verdicts import mark
from adcli.marking.model import Marking, Rules, row_name
from adcli.marking.programs.reference_traces import trace_worksheet
from adcli.marking.programs.resolving import Resolved
from adcli.marking.programs.worksheet import Solution, Worksheet
from adcli.marking.slips.catalogue import NUMBER_SLIPS, Plant, Read, plants_in, quantities, slips_of
from adcli.numbers.double_intervals import SPREAD, Spread

LEVELS = (1, 2, 3, 4, 5)
MODES = ("forward", "reverse")


class Style(NamedTuple):
    """How a student writes: so many decimals, or significant digits; with or without formulas and last zeros."""

    digits: int
    significant: bool = False
    formulas: bool = False
    zeros: bool = True
    numbering: str = "level"


def by_rule(sheet: Worksheet, kind: str, slot: int, key: str | None, read: Read) -> Spread:
    """What the rule of a row gives with the numbers that are there."""
    cell = sheet.cells.get(slot)
    if kind == BAR:
        total = SPREAD.one if slot == sheet.outputs[key or ""] else SPREAD.zero
        for user in sheet.users(slot):
            values = {leaf: read(VALUE, leaf, None) for leaf in user.leaves}
            total = total + read(BAR, user.slot, key) * user.partials(values)[slot]
        return total
    if cell is None:
        return SPREAD.number(1.0 if slot == sheet.inputs.get(key or "") else 0.0)
    values = {leaf: read(VALUE, leaf, None) for leaf in cell.leaves}
    if kind == VALUE:
        return cell.value(values)
    total = SPREAD.zero
    for leaf, partial in cell.partials(values).items():
        total = total + partial * read(DOT, leaf, key)
    return total


def shown(x: float, style: Style) -> str:
    """A number as the student writes it down."""
    if style.significant:
        text = f"{x:.{style.digits}g}"
        text = f"{float(text):.12f}".rstrip("0").rstrip(".") if "e" in text else text
    else:
        text = f"{x:.{style.digits}f}"
        text = text if style.zeros else text.rstrip("0").rstrip(".")
    return "0" if float(text) == 0 else text


def worked(task: Task, mode: str, style: Style, plant: Plant | None = None) -> str | None:
    """The answer as text; with a plant that slip is made and all that follows is worked from it.

    None where the slip makes no difference, or leads to where no number is.
    """
    sheet = trace_worksheet(task, style.numbering)
    truth = sheet.truths()[0]
    formulas = ExpectedFormulas(sheet, truth) if style.formulas else None
    written: dict[tuple[str, int, str | None], float] = {}

    def read(kind: str, slot: int, key: str | None) -> Spread:
        x = written.get((kind, slot, key))
        return truth.read(kind, slot, key) if x is None else Spread(x, x)

    lines = []
    for kind, slot, key in quantities(sheet, task, mode):
        number = by_rule(sheet, kind, slot, key, read)
        if plant is not None and (plant.kind, plant.slot, plant.key) == (kind, slot, key):
            wrong = [z for name, z in slips_of(sheet, Resolved(kind, slot, key), read) if name == plant.slip]
            right = shown(number.middle, style) if number.known else ""
            number = next((z for z in wrong if z.known and not z.meets(number)), SPREAD.undefined)
            number = SPREAD.undefined if number.known and shown(number.middle, style) == right else number
        if not number.known:
            return None
        text = shown(number.middle, style)
        written[kind, slot, key] = float(text)
        # Nobody writes the right formula beside the number of a wrong one.
        silent = plant is not None and (plant.kind, plant.slot, plant.key) == (kind, slot, key)
        silent = silent and plant is not None and plant.slip not in NUMBER_SLIPS
        formula = formulas.formula(Resolved(kind, slot, key)) if formulas and not silent else ""
        name = row_name(kind, sheet.label(slot), None, False)
        lines.append(f"{name} = {formula} = {text}" if formula else f"{name} = {text}")
    return "\n".join(lines)


def marked(task: Task, text: str) -> Marking:
    """The answer as `adcli check` marks it."""
    outputs = [name for name, _ in task.program.graph.outputs]
    (answer,) = read_answer(text.encode(), name="answer.txt", inputs=list(task.at), outputs=outputs)
    return mark(task, answer, Rules())


def exercises(count: int, start: int = 0) -> Iterator[tuple[Task, str]]:
    """Exercises as `adcli new` makes them, of all levels in turn, forward and reverse."""
    for number in range(start, start + count):
        level, mode = LEVELS[number % len(LEVELS)], MODES[number // len(LEVELS) % len(MODES)]
        yield instance(f"exercise {number}".encode(), level, mode), mode


def slips_of_row(task: Task, mode: str) -> Iterator[Plant]:
    """Yield every slip that applies to a row of the standard trace, with the number that it most likely gives there, at
    the point of the task.

    Rows come in the order of `quantities`. `mode` is value, forward, reverse or both; tangents and adjoints are mixed
    up only if there are both. Slips of digits are not among these: they fit every number.
    """
    sheet = trace_worksheet(task)
    truth = Solution(sheet, sheet.places[0])
    for quantity in quantities(sheet, task, mode):
        yield from plants_in(sheet, truth, task, mode, *quantity)


def plants(task: Task, mode: str) -> Iterator[Plant]:
    """The slips of an exercise that a student can make by working: they lead to a number."""
    seen = set()
    for plant in slips_of_row(task, mode):
        if (plant.row, plant.slip, plant.key) not in seen:
            seen.add((plant.row, plant.slip, plant.key))
            yield plant


def verdict_on(marking: Marking, plant: Plant) -> str:
    """Return how marking did on a planted slip: `named`, `one of`, or what it missed."""
    if marking.first is None:
        return "missed"
    first = marking.marks[marking.first]
    if first.row.split("[")[0] != plant.row.split("[")[0]:
        return "another row"
    if plant.slip not in first.slips:
        return "another slip"
    later = [found for found in marking.marks if found.verdict == "error" and found is not first]
    if any(found.slips for found in later):
        return "a second slip"
    return "named" if len(first.slips) == 1 else "one of " + " ".join(first.slips)


STYLES = (Style(3), Style(4, formulas=True), Style(3, significant=True), Style(3, zeros=False, formulas=True))
HONEST = tuple(
    Style(digits, significant, formulas, not significant, numbering)
    for digits in (2, 3, 4, 5, 6)
    for significant in (False, True)
    for formulas in (False, True)
    for numbering in ("level", "call")
    if significant or digits > 2
)


def main(count: int) -> None:
    """Counts over so many answers with a slip, then over as many without."""
    tally: Counter[str] = Counter()
    by_slip: Counter[tuple[str, str]] = Counter()
    started, done, number = time.monotonic(), 0, 0
    while done < count:
        for task, mode in exercises(10, number):
            for plant in plants(task, mode):
                style = STYLES[done % len(STYLES)]
                text = worked(task, mode, style, plant)
                if text is None:
                    continue
                found = verdict_on(marked(task, text), plant)
                tally[found] += 1
                by_slip[plant.slip, found] += 1
                done += 1
                if not found.startswith(("named", "one of")) and "-v" in sys.argv and random.random() < 0.2:  # noqa: S311
                    print(found, plant, style, task.program.source.text, dict(task.at), mode, text, sep="\n")
                    for m in marked(task, text).marks:
                        print("   ", m.row, m.verdict, m.slips)
        number += 10
    print(f"{done} answers with one slip in {time.monotonic() - started:.0f} s:", dict(tally))
    for (slip, found), times in sorted(by_slip.items()):
        print(f"  {slip:28}{found:16}{times}")
    alarms, done, number = Counter[str](), 0, 0
    started = time.monotonic()
    while done < count:
        for task, mode in exercises(10, number):
            for style in HONEST:
                text = worked(task, mode, style)
                if text is None:
                    continue
                done += 1
                verdicts = {found.verdict for found in marked(task, text).marks}
                alarms.update(verdicts - {"correct", "rounding"})
                if "error" in verdicts and "-v" in sys.argv:
                    print(style, task.program.source.text, dict(task.at), mode, text, sep="\n")
                    print([(f.row, f.verdict, f.key) for f in marked(task, text).marks if f.verdict != "correct"])
        number += 10
    print(f"{done} honest answers in {time.monotonic() - started:.0f} s; answers with other verdicts:", dict(alarms))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
