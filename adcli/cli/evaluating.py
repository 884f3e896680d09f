"""What `adcli eval` does."""

from __future__ import annotations

from typing import Any

from ..errors import AdcliError, OutputProblem, RequestError
from ..language.numbers import Digits
from ..language.problems import Problem
from ..language.program import read_program
from ..trace.model import Request, Trace
from ..trace.trace import trace
from .accuracy import with_numbers
from .arguments import chosen_format, given_point, point_of, problems, split_names
from .documents import DOCUMENTS
from .stream import Stream


def evaluate(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Evaluates the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    found = problems(flags["expr"], flags["file"])
    if found is None:
        return None
    form = chosen_format(flags["wanted"], flags["output"], tuple(DOCUMENTS), "table")
    try:
        request, given = _request(flags, form), given_point(flags["at"], "--at", flags["complex"])
    except AdcliError as error:
        refused = DOCUMENTS[form](stream, Request(), flags)
        refused.fail(error)
        refused.finish(True)
        stream.close()
        raise
    document = DOCUMENTS[form](stream, request, flags)
    each, single = found
    number = 0
    for number, problem in enumerate(each, 1):
        try:
            if isinstance(problem, AdcliError):
                raise problem
            document.add(_traced(problem, given, request, single, flags["complex"]), problem, single)
        except OutputProblem:
            raise
        except AdcliError as error:
            stream.error(error)
            document.fail(error)
            if flags["fail_fast"] or flags["debug"]:
                break
        stream.progress(f"{number} problems")
    stream.clear_progress()
    if number == 0:
        raise RequestError("there is no problem in the input", help="write one a line, such as x^2 @ x=3")
    document.finish(single)
    stream.close()
    return stream.code


def _request(flags: dict[str, Any], form: str) -> Request:
    if flags["show"] == "order" and flags["mode"] == "value":
        raise RequestError("the orders belong to the sweeps", help="choose --mode forward, reverse or both")
    if flags["count"] and form == "csv":
        raise RequestError("what a gradient costs has no place in a sheet", help="use --format json or plain")
    request = Request(
        mode=flags["mode"], wrt=split_names(flags["wrt"]), seed=given_point(flags["seed"], "--seed") or None,
        numbering=flags["numbering"], cse=flags["cse"], steps=not flags["no_trace"], kinks=flags["kinks"],
        digits=Digits(flags["places"], flags["digits"]), hessian=flags["hessian"],
        hvp=given_point(flags["hvp"], "--hvp") or None,
    )  # fmt: skip
    request = with_numbers(request, flags)
    if flags["complex"] and (request.hessian or request.hvp):
        raise RequestError("second derivatives are computed with real numbers", help="leave out --complex")
    return request


def _traced(
    problem: Problem, given: dict[str, float], request: Request, single: bool, imaginary: bool = False
) -> Trace:
    """The trace of a problem.  Of a point for many problems only what this one needs is used."""
    at, own = point_of(problem, given, imaginary)
    program = read_program(problem.source, at)
    if not single:
        needed = set(program.graph.inputs.values())
        at = {name: x for name, x in at.items() if name in needed or name in own}
    return trace(program, at, request, problem.label)
