"""Reading a task from its text, `[label:] program @ x1=2, x2=5`, and writing it again."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from ..answers.answer_model import Task
from ..errors import AdcliError, RequestError, Source, Span
from ..language.problems import NumberWithSource, Problem, read_point, read_problems
from ..language.program import Program, read_program
from ..trace.labels import shown_name
from ..trace.request_choices import check_mode
from ..trace.trace_model import Request
from ..trace.trace_program import program_line, trace


def task_of(
    text: str, *, name: str | None = None, first_line: int = 1, at: Mapping[str, float] = MappingProxyType({}),
    label: str | None = None, mode: str | None = None, wrt: tuple[str, ...] = (), points: Fraction | None = None,
    order: int = 1, formulas: bool = False, shapes: tuple[str, ...] = (),
) -> Task:  # fmt: skip
    """Return the task that a text poses, after evaluating it at its point so that errors are raised here.

    It is evaluated with its derivatives in `mode` (None: both sweeps); a task that asks for formulas is not evaluated.
    `name` and `first_line` locate the text in error messages. `at` supplies values that the text's own point lacks,
    `label` replaces the text's own. `mode` is what has to be computed (None: values and derivatives in any way),
    `points` what the task is worth. `wrt` are the inputs to differentiate with respect to (empty: those that the text
    says, or all that are not data). `shapes` (as in `--shape`) are those of arrays in a problem whose text has no
    point; it then asks for its gradients as formulas, and `at` is ignored. `shapes` are ignored if the text has one.
    Label, points and order also go to a problem with arrays.

    With `formulas`, a text without a point is accepted unless `mode` is `value`: it asks for the derivatives of `order`
    as formulas. A program without inputs then gets those in `wrt`, unless there is a point. Every other task (without
    arrays) is evaluated, also with `formulas`; then, if `order` is above 1, it asks for the values of derivatives of
    that order (`of_order`; a RequestError with arrays). The graph's outputs are renamed to the names that are shown.

    Raises the errors of reading and evaluating; RequestError if `mode` is unknown, if the text is not exactly one
    problem, if it has inputs and neither it nor `at` a point (unless formulas are asked for), or if `of_order` rejects
    the task.
    """
    if mode is not None:
        check_mode(mode)
    problem = _single_problem(text, name, first_line)
    task_label = label if label is not None else problem.label
    if (task := _of_arrays(problem, at, mode, wrt, shapes)) is not None:
        return of_order(task._replace(label=task_label, points=points, order=order))
    point = {**at, **(read_point(problem.point) if problem.point is not None else {})}
    program = read_program(problem.source, point)
    if formulas and not point and not program.graph.inputs:
        for input_name in dict.fromkeys(wrt):  # the derivative of a constant is 0
            program.graph.input(input_name)
    wrt = wrt or problem.inputs_without_data(dict.fromkeys(program.graph.inputs.values()))
    if program.graph.inputs and not point and formulas and mode != "value":
        from .derivations.requested import differentiations  # few tasks ask for formulas

        task = Task(task_label, _with_shown_names(program), {}, mode, wrt, points, order=order)
        differentiations(task)  # for its errors
        if order > 1 and mode is not None:
            raise _mode_of_first_order(mode)
        return task
    if program.graph.inputs and not point:
        end = len(problem.source.shown.rstrip())
        raise RequestError(
            "the problem has no point", Span(end, end + 1, problem.source),
            help=f"add one: @ {', '.join(f'{n}=…' for n in dict.fromkeys(program.graph.inputs.values()))}",
        )  # fmt: skip
    trace(program, point, Request(mode or "both", wrt, steps=False))
    return of_order(Task(task_label, _with_shown_names(program), point, mode, wrt, points, order=order))


def of_order(task: Task) -> Task:
    """Return a task with a point that asks for the values of derivatives of `task.order`; `task` itself for order 1.

    Only the graph of its program changes. Its inputs stay the same, in their order; its outputs are all these
    derivatives of each output, named as in marks (`∂²f/∂x∂y`; `d²f/dx²` for a single input). They are the partial
    derivatives with respect to each combination of inputs; with one input in `wrt`, that by it alone; with several, the
    one mixed derivative with respect to all of them (`differentiations`). Raises RequestError if the task has a mode or
    arrays, for an unknown input, or if several inputs in `wrt` are not `order` in number; also the errors of
    evaluating.
    """
    if task.order == 1:
        return task
    from ..notation.statements import together
    from ..trace.derivative_formulas import derivatives
    from .derivations.requested import derivative_name, differentiations  # dear, and only for higher orders

    if task.arrays is not None:
        raise RequestError("adcli cannot mark second derivatives of vectors and matrices", help="leave out --order")
    if task.mode is not None:
        raise _mode_of_first_order(task.mode)
    program = task.program
    formulas = derivatives(program, differentiations(task), None, dict(task.at)).derivatives
    names = [derivative_name(each.shown, tuple(sorted(each.wrt)), each.inputs) for each in formulas]
    text = together([each.statements for each in formulas], program.graph).text()
    derived = read_program(Source(text), task.at)
    graph = derived.graph
    graph.outputs = [(name, slot) for name, (_, slot) in zip(names, graph.outputs, strict=True)]
    slots = {name: slot for slot, name in graph.inputs.items()}
    inputs = program.graph.inputs.values()  # the rows and columns of a Hessian are in their order
    graph.inputs = {slots[name] if name in slots else graph.input(name): name for name in inputs}
    return task._replace(program=program._replace(graph=graph))


def _mode_of_first_order(mode: str) -> RequestError:
    return RequestError(f"--mode {mode} asks for first derivatives", help="leave out --order or --mode")


def _of_arrays(
    problem: Problem, at: Mapping[str, float], mode: str | None, wrt: tuple[str, ...], shapes: tuple[str, ...]
) -> Task | None:
    """Return the task of a problem with vectors or matrices; None if the problem has no arrays.

    With `shapes`, and no point in the text, the task asks for gradients as formulas (`gradient_task`); `at` is then
    ignored. In other cases `shapes` are ignored. None if neither the program nor the point contains `[` or `=@` (a
    file); if one does, `array_task` decides with `at`, `mode` and `wrt`. Raises the errors of both functions.
    """
    asks_gradients, parts = shapes and problem.point is None, (problem.source, problem.point)
    if not asks_gradients and not any("[" in part.text or "=@" in part.text for part in parts if part is not None):
        return None
    from .arrays.array_task import array_task, gradient_task  # few problems have arrays

    return gradient_task(problem, shapes, mode, wrt) if asks_gradients else array_task(problem, at, mode, wrt)


def _single_problem(text: str, name: str | None, first_line: int) -> Problem:
    """Return the problem in a text, which starts at line `first_line` of the file `name`.

    Raises the errors of reading the text; RequestError if it has no problem or several.
    """
    problems: list[Problem] = []
    for problem in read_problems(text.split("\n"), name, first_line):
        if isinstance(problem, AdcliError):
            raise problem
        problems.append(problem)
    if not problems:
        start = Span(0, 1, Source(text, name, first_line))
        raise RequestError("there is no problem here", start, help="write one, such as log(x1)*x2 @ x1=2, x2=5")
    if len(problems) > 1:
        second = problems[1].source
        whole = Span(0, len(second.shown), second)
        raise RequestError(
            "a task is one problem", whole, "this is a second problem", help="end each line but the last with ;"
        )
    return problems[0]


def _with_shown_names(program: Program) -> Program:
    """Rename the outputs of a program's graph, in place, to the names that are shown, and return the program."""
    graph, inputs = program.graph, {name: slot for slot, name in program.graph.inputs.items()}
    graph.outputs = [(shown_name(output, inputs), slot) for output, slot in graph.outputs]
    return program


def point_text(at: Mapping[str, float]) -> str:
    """Return a point, with arrays by entry (`W[1,2]`, in order), as it was written: `x1=2, x2=pi/2, W=[1, 2; 3, 4]`.

    A plain double is written by `repr`: 2.0. "" for an empty point. Entries of one array are joined in the order given,
    wherever they are, and must be complete, row by row: indices are not read. A matrix of one row ends with a
    semicolon, `[1, 2;]`, since `[1, 2]` is a vector.
    """
    rows: dict[str, dict[str, list[str]]] = {}
    for name, x in at.items():
        array, _, index = name.partition("[")
        row = index.partition(",")[0] if "," in index else ""
        rows.setdefault(array, {}).setdefault(row, []).append(_value_text(x))
    return ", ".join(
        f"{name}={lists[''][0]}"
        if name in at
        else f"{name}=[{'; '.join(map(', '.join, lists.values()))}{';' * (len(lists) == 1 and '' not in lists)}]"
        for name, lists in rows.items()
    )


def _value_text(x: float) -> str:
    """Return a number of the point as text: as it was written, if it is a NumberWithSource, else by `repr` (2.0 for 2).

    An expression that is kept as a graph is written as a formula of the language.
    """
    if not isinstance(x, NumberWithSource):
        return repr(x)
    if isinstance(x.written, str):
        return x.written
    from ..notation.formula import program_text  # rarely needed

    return program_text(x.written)


def task_text(task: Task, *, with_data: bool = False) -> str:
    """Return the problem of a task in one line, without its label, in a form that `task_of` reads.

    `task.wrt`, mode and order are not in the text; they have to be passed to `task_of` again. But with `with_data` the
    inputs that are not in `task.wrt`, if that is not empty, follow the program as data: `w*x*t; data x, t @ w=1, …`.
    Without a point there is no `@`.
    """
    inputs = task.program.graph.inputs.values() if task.arrays is None else task.arrays.inputs
    data = ", ".join(name for name in inputs if with_data and task.wrt and name not in task.wrt)
    text = program_line(task.program) + (f"; data {data}" if data else "")
    return f"{text} @ {point_text(task.at)}" if task.at else text
