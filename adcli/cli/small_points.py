"""Small CSV files of points without NumPy: value and gradient of each row, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan
from typing import TYPE_CHECKING

from ..errors import DomainProblem
from .row_output import count_without_value, load_numpy, open_points_file, program_with

if TYPE_CHECKING:
    from ..language.problems import Problem
    from ..language.program import Program
    from .stream import Stream

_SPECIAL = {inf: "Infinity", -inf: "-Infinity"}


def map_rows(stream: Stream, problem: Problem, at: Mapping[str, float], path: str, has_commas: bool) -> None:
    """Write the rows of the CSV file at `path` with value and gradient of each, as `adcli map` does with NumPy.

    `at` has values of inputs without a column; with `has_commas` numbers have decimal commas. Points without a value
    get NaN, one note for all of them, and exit code 3. Nothing is written if an error is raised. Raises RequestError
    for a file that is not CSV, which needs NumPy, and as `CsvFile.points`.
    """
    from ..files.csv_file import CsvFile, quote_cell
    from ..files.mapping import check_distinct, list_named_columns, result_names

    with open_points_file(path, stream.inputs, has_commas) as file:
        if not isinstance(file, CsvFile):
            load_numpy()  # which is missing, as its error says
            return
        columns = list_named_columns(file.columns)
        program = program_with(stream, problem, {*columns, *at})
        inputs = list(program.graph.inputs.values())
        column_of = {name: columns[name] for name in inputs if name in columns}
        carried = [name for name in file.columns if name not in column_of.values()]
        results = list(result_names([name for name, _ in program.graph.outputs], inputs, (), hessian=False))
        check_distinct(carried, results)
        lines = [",".join(map(quote_cell, [*carried, *results]))]
        lost: list[str] = []
        for place, numbers, cells in file.points(list(column_of.values())):
            point = {name: numbers[column] for name, column in column_of.items()}
            try:
                values = _value_and_gradient(program, {**at, **point})
            except DomainProblem as error:
                values = [nan] * len(results)
                shown = ", ".join(f"{name} = {value:g}" for name, value in point.items())
                lost.append(f"{place} ({shown}): {error.title}")
            lines.append(",".join([*[quote_cell(cells[name]) for name in carried], *map(_cell_of_number, values)]))
    stream.write("\n".join(lines) + "\n")
    if lost:
        stream.note(count_without_value(len(lost), len(lines) - 1, lost[0]))
        stream.code = max(stream.code, 3)


def _cell_of_number(x: float) -> str:
    return _SPECIAL.get(x, "NaN" if x != x else repr(float(x)))


def _value_and_gradient(program: Program, point: Mapping[str, float]) -> list[float]:
    """Return the value of each output, followed by its derivatives with respect to all inputs in their order.

    Raises DomainProblem if an output has no value at `point`.
    """
    from ..trace.model import Request
    from ..trace.trace_program import trace

    outputs = trace(program, point, Request("reverse", steps=False)).outputs
    names = program.graph.inputs.values()
    return [x for output in outputs for x in (output.value, *[(output.gradient or {})[name] for name in names])]
