"""A blank form: the rows of an answer in the order in which they are computed, to be filled in by hand."""

from __future__ import annotations

from ..answers.answer_model import BAR, DOT, VALUE, Task
from ..graph.graph import INPUT
from ..notation.table_formulas import write_adjoint, write_tangent
from ..records import NamedTuple
from ..trace.trace_model import Request, Step, Trace
from ..trace.trace_program import trace


class BlankLine(NamedTuple):
    """One row of a form: its name, such as v3, v̇3 or v̄3, and its formula, empty if that is to be filled in."""

    name: str
    formula: str


class BlankPart(NamedTuple):
    """The rows of one sweep: value, dot or bar; `key` is the input or the output, None if there is only one."""

    kind: str
    key: str | None
    lines: tuple[BlankLine, ...]

    def without_formulas(self) -> BlankPart:
        return self._replace(lines=tuple(BlankLine(line.name, "") for line in self.lines))


class BlankForm(NamedTuple):
    """The form of a task, part by part."""

    task: Task
    parts: tuple[BlankPart, ...]


def blank_form(task: Task, *, contributions: bool = True, formulas: bool = False) -> BlankForm:
    """Return the form of a task: its values, tangents for each input, adjoints for each output, as the task requires.

    Each sweep is a part; its `key` (input or output) is None if there is only one. Empty parts are left out. Inputs
    have no rows among the values. Several outputs have a row for each shown name that is not that of its row. Adjoints
    have a row for the seed and for each contribution; without `contributions` they have one row with the sum. A task
    with arrays has one row for each array, one with an order above 1 a row for each derivative. Without `formulas` all
    formulas are empty. Raises DomainProblem if the task has no value at its point.
    """
    if task.arrays is not None or task.order > 1:
        return _form_of_quantities(task)
    traced = trace(task.program, task.at, Request(task.mode or "both", task.wrt), task.label)
    rows = [BlankLine(row.label, row.formula) for row in traced.rows if row.operator != INPUT]
    parts = [BlankPart(VALUE, None, (*rows, *_named_results(traced)))]
    dots, bars = traced.keys
    for key in dots:
        parts.append(BlankPart(DOT, key if len(traced.at) > 1 else None, tuple(_tangent_lines(traced, key))))
    for output in traced.outputs:
        if output.name in bars:
            lines = _adjoint_lines(traced, output.name, contributions)
            parts.append(BlankPart(BAR, output.shown if len(bars) > 1 else None, tuple(lines)))
    if not formulas:
        parts = [part.without_formulas() for part in parts]
    return BlankForm(task, tuple(part for part in parts if part.lines))


def _form_of_quantities(task: Task) -> BlankForm:
    """Return the form of a task with arrays or of higher order: a part of values, then one of adjoints, without
    formulas.

    Each part has one line for each quantity of its kind; a part without lines is left out, and quantities of other
    kinds, tangents, have none. The values of a task of higher order are its derivatives, which are the outputs of its
    program. A task of order 1 without a mode counts as reverse mode.
    """
    from ..marking.judging.quantities import list_quantities  # few forms need it
    from ..marking.model import Rules

    mode = task.mode or ("reverse" if task.order == 1 else None)
    needed = list_quantities(task._replace(mode=mode), Rules())
    named = [(kind, tuple(BlankLine(each.name, "") for each in needed if each.kind == kind)) for kind in (VALUE, BAR)]
    return BlankForm(task, tuple(BlankPart(kind, None, lines) for kind, lines in named if lines))


def _named_results(traced: Trace) -> list[BlankLine]:
    """Return a row (name, row that it equals) for each output that is shown under another name than its row's; none for
    a single output.
    """
    if len(traced.outputs) < 2:
        return []
    return [BlankLine(o.shown, o.label) for o in traced.outputs if o.shown != o.label]


def _tangent_lines(traced: Trace, key: str) -> list[BlankLine]:
    """Return the rows of the forward sweep of the input `key`; their formulas are symbolic, for inputs the numbers of
    the seed.
    """
    steps = [step for step in traced.steps if step.sweep == "forward" and step.key == key]
    return [BlankLine(write_tangent(s.label), s.substituted if s.label in traced.at else s.symbolic) for s in steps]


def _adjoint_lines(traced: Trace, output: str, contributions: bool) -> list[BlankLine]:
    """Return the rows of the reverse sweep of an output, in its order: a name and a formula each, no value.

    With `contributions` there is a row for each step. Without it there is one row for each adjoint, with the sum of its
    contributions as the formula, and the inputs come last, in reverse order. Inputs on which the output does not depend
    have the formula 0; with `contributions` these come last, in reverse order.
    """
    steps = [step for step in traced.steps if step.sweep == "reverse" and step.key == output]
    if contributions:
        lines = [BlankLine(write_adjoint(step.label), _step_formula(step)) for step in steps]
        reached = {step.label for step in steps}
        return lines + [BlankLine(write_adjoint(name), "0") for name in reversed(traced.at) if name not in reached]
    sums: dict[str, str] = {}
    for step in steps:
        before = sums.get(step.label)
        added = _step_formula(step).removeprefix(f"{write_adjoint(step.label)} + ")
        sums[step.label] = added if before is None else f"{before} + {added}"
    labels = [row.label for row in reversed(traced.rows) if row.label in sums or row.operator == INPUT]
    order = sorted(labels, key=lambda label: label in traced.at)  # inputs come last
    return [BlankLine(write_adjoint(label), sums.get(label, "0")) for label in order]


def _step_formula(step: Step) -> str:
    """Return the formula of a step, for a seed its number."""
    return step.symbolic if step.source is not None else step.substituted
