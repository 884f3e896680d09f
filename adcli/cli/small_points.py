"""Small CSV files of points without NumPy: value and gradient of each row, one after the other."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from math import inf, nan
from typing import TYPE_CHECKING

from ..errors import DomainProblem, RequestError
from .row_output import program_with

if TYPE_CHECKING:
    from ..language.problems import Problem
    from .stream import Stream

_SPECIAL = {inf: "Infinity", -inf: "-Infinity"}


def map_rows(stream: Stream, problem: Problem, at: Mapping[str, float], path: str, has_commas: bool) -> None:
    """Write the rows of the CSV file at `path` with value and gradient of each, as `adcli map` does with NumPy.

    `at` has values of inputs without a column; with `has_commas` numbers have decimal commas. The exit code of the
    stream is 3 if a point has no value. Raises RequestError for a number that cannot be read.
    """
    from ..files.mapping import check_distinct, named_columns, result_names
    from ..trace.model import Request
    from ..trace.trace_program import trace

    text = stream.inputs.text(path)
    first = text.partition("\n")[0]
    header, *rows = [row for row in csv.reader(io.StringIO(text), delimiter=max(";\t,", key=first.count)) if row] or [
        []
    ]
    columns = named_columns(header)
    program = program_with(stream, problem, {*columns, *at})
    inputs = list(program.graph.inputs.values())
    places = {name: header.index(columns[name]) for name in inputs if name in columns}
    carried = [place for place in range(len(header)) if place not in places.values()]
    results = list(result_names([name for name, _ in program.graph.outputs], inputs, (), hessian=False))
    check_distinct([header[place] for place in carried], results)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*[header[place] for place in carried], *results])
    lost: list[str] = []
    for number, row in enumerate(rows, 2):
        try:
            point = {n: float(row[k].replace(",", ".") if has_commas else row[k]) for n, k in places.items()}
        except (ValueError, IndexError):
            raise RequestError(f"{path}:{number} has a cell that is not a number", help="correct the file") from None
        numbers = [nan] * len(results)
        try:
            outputs = trace(program, {**at, **point}, Request("reverse", steps=False)).outputs
            numbers = [x for each in outputs for x in (each.value, *[(each.gradient or {})[name] for name in inputs])]
        except DomainProblem as error:
            shown = ", ".join(f"{name} = {value:g}" for name, value in point.items())
            lost.append(f"{path}:{number} ({shown}): {error.title}")
        cells = [_SPECIAL.get(x, "NaN" if x != x else repr(float(x))) for x in numbers]
        writer.writerow([*[row[place] for place in carried], *cells])
    stream.write(out.getvalue())
    if lost:
        verb = "have" if len(lost) > 1 else "has"
        stream.note(f"{len(lost)} of {len(rows)} points {verb} no value; the first is {lost[0]}")
        stream.code = max(stream.code, 3)
