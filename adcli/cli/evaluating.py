"""What `adcli eval` does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import AdcliError, RequestError
from ..language.numbers import Digits
from ..language.problems import Problem
from ..trace.model import Request
from ..trace.trace import trace
from .accuracy import with_numbers
from .arguments import chosen_format, given_point, split_names
from .documents import DOCUMENTS, Document
from .each import Posed, attempt, each
from .stream import Stream
from .workers import Retelling, Said, shared, workers


def evaluate(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Evaluates the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    form = chosen_format(flags["wanted"], flags["output"], tuple(DOCUMENTS), "table")
    try:
        request = _request(flags, form)
    except AdcliError as error:
        if flags["debug"]:
            raise
        document = DOCUMENTS[form](stream, Request(), flags)
        stream.error(error)
        document.fail(error)
    else:
        document = DOCUMENTS[form](stream, request, flags)
        apart = None
        if form == "ndjson" and (count := workers(flags)) > 1:
            apart = shared(stream, flags, count, _batch)
        if not each(stream, flags, _work(document), document.fail, flags["complex"], apart):
            return None
    document.finish()
    stream.close()
    return stream.code


def _work(document: Document) -> Callable[[Posed], None]:
    def work(posed: Posed) -> None:
        document.add(trace(posed.program, posed.at, document.request, posed.problem.label), posed)

    return work


def _batch(flags: dict[str, Any], ascii_only: bool, problems: list[Problem | AdcliError]) -> Said:
    """What is to be said of a batch of problems, in another process."""
    stream = Retelling(ascii_only)
    document = DOCUMENTS["ndjson"](stream, _request(flags, "ndjson"), flags)
    given = given_point(flags["at"], "--at", flags["complex"])
    work = _work(document)
    for problem in problems:
        if not attempt(stream, flags, problem, given, work, document.fail, imaginary=flags["complex"]):
            return stream.said, False
    return stream.said, True


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
