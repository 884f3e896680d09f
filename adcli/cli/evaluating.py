"""What `adcli eval` does."""

from __future__ import annotations

from typing import Any

from ..errors import AdcliError, RequestError
from ..language.numbers import Digits
from ..trace.model import Request
from ..trace.trace import trace
from .accuracy import with_numbers
from .arguments import chosen_format, given_point, split_names
from .documents import results
from .each import Posed, each, say_notes
from .interactive import step_through, wants_page
from .modules import declared
from .options import FORMATS
from .pages import Pages
from .stream import Stream


def evaluate(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Evaluates the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    declared(flags)
    if wants_page(flags):
        return step_through(stream, flags, requested(flags, "html"))
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    pages = Pages(stream, form, "Evaluation traces", flags["standalone"])
    try:
        request = requested(flags, form)
    except AdcliError as error:
        if flags["debug"]:
            raise
        found = results(pages, Request(), flags)
        stream.error(error)
        found.fail(error)
    else:
        found = results(pages, request, flags)

        def work(posed: Posed) -> None:
            traced = trace(posed.program, posed.at, request, posed.problem.label)
            found.add(traced, posed.single)
            if form not in ("json", "ndjson"):  # which have the notes themselves
                say_notes(stream, traced.notes, posed)

        if not each(stream, flags, work, found.fail, flags["complex"]):
            return None
    found.finish()
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
