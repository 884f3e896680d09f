"""Gradients of arrays as formulas in an answer to a problem without a point: `dy/dx = 2 A^T (A x - b)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...answers.answer import no_rows
from ...answers.answer_model import BAR, VALUE, Answer, NotGradable, Task
from ...answers.arrays.array_lines import ArrayAnswer, ArrayLine, read_array_answer
from ...arrays.formula_equality import GradientVerdict, compare_gradient
from ...arrays.gradient_formulas import gradients
from ...errors import AdcliError, Source
from ...notation.table_formulas import write_partial
from ..judging.hint_texts import SENTENCES
from ..model import UNDECIDED, Mark, Marking, QuantityMark, Rules, sum_up
from .formula_readings import TRANSPOSES


def mark_gradients(task: Task, data: bytes | None, name: str, rules: Rules, decimal: str, with_key: bool) -> Marking:
    """Return the marking of formulas for the gradients of a task with arrays that has no point; `data` None is an empty
    answer.

    `name` is the file name, `decimal` "point" or "comma"; with `with_key` marks have the right formulas. Of several
    rows for one gradient the last one counts; rows that assign names of their own may be used in later ones. Raises
    NotGradable if the answer cannot be read or has no row.
    """
    arrays = task.arrays
    assert arrays is not None  # the caller has looked  # noqa: S101
    shapes = {block.name: block.shape for block in arrays.inputs.values()}
    named = {block.name: block.shape for block in arrays.blocks if block.user_named} | {arrays.outputs[0][0]: ()}
    read = ArrayAnswer((), [], [])
    if data is not None:
        read = read_array_answer(data, name, task, {**shapes, **named}, decimal)
        if not read.rows:
            raise no_rows()
    requested = list(task.wrt or shapes)
    verdicts: dict[str, tuple[ArrayLine, GradientVerdict]] = {}
    own: list[str] = []
    for row in read.rows:
        if row.kind == BAR and row.name in requested and row.pieces:
            verdicts[row.name] = row, _verdict(task, row, own)
        elif row.kind == VALUE and row.name not in {"", *shapes, *named} and row.pieces:
            own.append(f"{row.name} = {_typed(row.pieces[0].text)}")
    worth = rules.results if task.points is None else task.points / len(requested)
    return _sum_marks(task, read, {name: verdicts.get(name) for name in requested}, worth, with_key)


def _verdict(task: Task, row: ArrayLine, own: Sequence[str]) -> GradientVerdict:
    """Return the verdict on a row about a gradient: the worst (wrong, undecided, right) on the formulas that its equals
    signs join.

    `own` are the assignments of the student before it. Raises what `compare_gradient` raises.
    """
    assert task.arrays is not None  # the caller has looked  # noqa: S101
    shapes = {name: block.shape for name, block in task.arrays.inputs.items()}
    verdicts = []
    for piece in row.pieces:
        answer = Source("; ".join([*own, _typed(piece.text)]))
        verdicts.append(compare_gradient(task.program.source, shapes, row.name, answer))
    order = {False: 0, None: 1, True: 2}
    return min(verdicts, key=lambda verdict: order[verdict.is_right])


def _typed(text: str) -> str:
    """Return a formula in which transposes of NumPy are written as in mathematics."""
    for python, ours in TRANSPOSES.items():
        text = text.replace(python, ours)
    return text


def _sum_marks(
    task: Task, read: ArrayAnswer, verdicts: Mapping[str, tuple[ArrayLine, GradientVerdict] | None], worth: Fraction,
    with_key: bool,
) -> Marking:  # fmt: skip
    """Return the marking with one mark for each requested gradient; `worth` are the points of each.

    `verdicts` has the answer's line and the verdict by input, None for a gradient that is missing. The marking is not
    gradable if a verdict is undecided (`is_right` None). With `with_key` marks that earn nothing have the right
    formula.
    """
    assert task.arrays is not None  # the caller has looked  # noqa: S101
    marks: list[Mark] = []
    unsure = None
    for name, judged in verdicts.items():
        called = str(write_partial(task.arrays.outputs[0][0], name))
        key = _key(task, name) if with_key and not (judged and judged[1].is_right) else ""
        if judged is None:
            marks.append(
                Mark(called, "final", "missing", None, feedback=SENTENCES["missing"].format(called), expected=key)
            )
            continue
        row, verdict = judged
        word, formula = ("correct", "right") if verdict.is_right else ("error", "wrong")
        note = f"{called}: {verdict.message}" if verdict.message else ""
        if verdict.is_right is None:
            unsure = NotGradable(UNDECIDED, row.span, help="simplify the formula")
        earned = Fraction(bool(verdict.is_right))
        marks.append(Mark(called, "final", word, row.pieces[-1].span, (), formula, "absent", note, earned, earned, key))
    quantities = [
        QuantityMark(mark.row, (place,), mark.verdict, mark.earned * worth, mark.earned * worth, worth)
        for place, mark in enumerate(marks)
    ]
    first = next((k for k, mark in enumerate(marks) if mark.verdict != "correct"), None)
    answer = Answer("arrays", read.lines, (), (), None, tuple(read.left_out))
    return sum_up(task, answer, marks, first, quantities, unsure)


def _key(task: Task, name: str) -> str:
    """Return the formula of a gradient with the steps that it uses, `name = …; ` before it; "" if it has none."""
    assert task.arrays is not None  # the caller has looked  # noqa: S101
    try:
        (gradient,) = gradients(task.arrays, [name])
    except AdcliError:
        return ""
    steps = "".join(f"{left} = {right}; " for left, right in gradient.steps)
    return f"{steps}{gradient.result}"
