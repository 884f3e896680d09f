"""What `adcli eval` does."""

from __future__ import annotations

from typing import Any

from ..errors import AdcliError, RequestError
from ..language.numbers import Digits
from ..trace.model import Request
from ..trace.trace import trace
from .accuracy import with_numbers
from .arguments import chosen_format, given_point, split_names
from .documents import DOCUMENTS
from .each import Posed, each
from .modules import declared
from .stream import Stream


def evaluate(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Evaluates the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    declared(flags)
    form = chosen_format(flags["wanted"], flags["output"], tuple(DOCUMENTS), "table")
    try:
        request = requested(flags, form)
    except AdcliError as error:
        if flags["debug"]:
            raise
        document = DOCUMENTS[form](stream, Request(), flags)
        stream.error(error)
        document.fail(error)
    else:
        document = DOCUMENTS[form](stream, request, flags)

        def work(posed: Posed) -> None:
            document.add(trace(posed.program, posed.at, request, posed.problem.label), posed)

        if not each(stream, flags, work, document.fail, flags["complex"]):
            return None
    document.finish()
    stream.close()
    return stream.code


def requested(flags: dict[str, Any], form: str) -> Request:
    """What the flags ask for.  Raises RequestError for what does not go together."""
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
