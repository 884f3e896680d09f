"""Blank forms: the rows that an answer has, in the order in which they are computed, to be filled in by hand."""

from __future__ import annotations

from ..graph.graph import INPUT
from ..marking.model import BAR, DOT, VALUE, Task
from ..notation.table_formulas import barred, dotted
from ..records import NamedTuple
from ..trace.model import Request, Step, Trace
from ..trace.trace_program import trace


class BlankLine(NamedTuple):
    """One row of a form: its name, such as v3, v̇3 or v̄3, and the formula that belongs there."""

    name: str
    formula: str


class BlankPart(NamedTuple):
    """The rows of one sweep: value, dot or bar; `key` is the input or the output, None where there is only one."""

    kind: str
    key: str | None
    lines: tuple[BlankLine, ...]


class BlankForm(NamedTuple):
    """The form of a task, part by part."""

    task: Task
    parts: tuple[BlankPart, ...]


def blank_form(task: Task, *, contributions: bool = True) -> BlankForm:
    """The form of a task: values, then tangents by input, then adjoints by output, as far as the task asks for them.

    Each input and output starts a sweep anew, as in the tables of a trace, so that rows need not say which is meant.
    Adjoints have a row for the seed and for each contribution, or, without `contributions`, one for each adjoint.
    """
    found = trace(task.program, task.at, Request(task.mode or "both", task.wrt), task.label)
    rows = [BlankLine(row.label, row.formula) for row in found.rows if row.operator != INPUT]
    parts = [BlankPart(VALUE, None, (*rows, *_results(found)))]
    dots, bars = found.keys
    for key in dots:
        parts.append(BlankPart(DOT, key if len(found.at) > 1 else None, tuple(_tangents(found, key))))
    for output in found.outputs:
        if output.name in bars:
            steps = [step for step in found.steps if step.sweep == "reverse" and step.key == output.name]
            lines = _adjoints(found, steps, contributions)
            parts.append(BlankPart(BAR, output.shown if len(bars) > 1 else None, tuple(lines)))
    return BlankForm(task, tuple(part for part in parts if part.lines))


def _results(found: Trace) -> list[BlankLine]:
    """A row for each of several outputs that the user did not name, which says what row it is."""
    if len(found.outputs) < 2:
        return []
    return [BlankLine(o.shown, o.label) for o in found.outputs if o.shown != o.label]


def _tangents(found: Trace, key: str) -> list[BlankLine]:
    steps = [step for step in found.steps if step.sweep == "forward" and step.key == key]
    return [BlankLine(dotted(s.label), s.substituted if s.label in found.at else s.symbolic) for s in steps]


def _adjoints(found: Trace, steps: list[Step], contributions: bool) -> list[BlankLine]:
    """The rows of one reverse sweep; an input that the output does not depend on has its row all the same."""
    if contributions:
        lines = [BlankLine(barred(step.label), _own(step)) for step in steps]
        reached = {step.label for step in steps}
        return lines + [BlankLine(barred(name), "0") for name in reversed(found.at) if name not in reached]
    sums: dict[str, str] = {}
    for step in steps:
        before = sums.get(step.label)
        added = _own(step).removeprefix(f"{barred(step.label)} + ")
        sums[step.label] = added if before is None else f"{before} + {added}"
    labels = [row.label for row in found.rows if row.label in sums or row.operator == INPUT]
    inputs = [label for label in labels if label in found.at]
    order = [label for label in reversed(labels) if label not in found.at] + inputs[::-1]
    return [BlankLine(barred(label), sums.get(label, "0")) for label in order]


def _own(step: Step) -> str:
    """The formula of a step; that of a seed is its number."""
    return step.symbolic if step.source is not None else step.substituted
