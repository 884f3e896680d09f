"""What `adcli eval` does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import AdcliError, RequestError
from ..language.problems import read_problem
from ..trace.model import Request
from ..trace.trace import trace
from .accuracy import with_numbers
from .arguments import chosen_format, given_point
from .documents import results
from .each import Posed, Results, attempt, each, say_notes
from .options import FORMATS
from .pages import Pages
from .stream import Stream
from .sweeping import sweeps
from .workers import Retelling, Said, shared, workers

_WRONG = 3  # the exit code where routes to one number disagree


def evaluate(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Evaluates the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    if flags["interactive"]:
        from .interactive import step_through

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
        apart = None
        if form == "ndjson" and (count := workers(flags)) > 1:
            apart = shared(stream, flags, count, _batch)
        if not each(stream, flags, _work(found, request), found.fail, flags["complex"], apart):
            return None
    found.finish()
    stream.close()
    return stream.code


def _work(found: Results, request: Request) -> Callable[[Posed], None]:
    def work(posed: Posed) -> None:
        traced = trace(posed.program, posed.at, request, posed.problem.label)
        found.add(traced, posed.single)
        if any(note.kind == "disagreement" for note in traced.notes):
            found.stream.answer(_WRONG)
        if found.form not in ("json", "ndjson"):  # which have the notes themselves
            say_notes(found.stream, traced.notes, posed)

    return work


def _batch(flags: dict[str, Any], ascii_only: bool, name: str | None, texts: list[tuple[int, str]]) -> Said:
    """What is to be said of a batch of problems, in another process."""
    stream = Retelling(ascii_only)
    request = requested(flags, "ndjson")
    found = results(Pages(stream, "ndjson", ""), request, flags)
    given = given_point(flags["at"], "--at", flags["complex"])
    work = _work(found, request)
    for line, text in texts:
        problem = read_problem(text, name, line)
        if not attempt(stream, flags, problem, given, work, found.fail, imaginary=flags["complex"]):
            return stream.said(), False
    return stream.said(), True


def requested(flags: dict[str, Any], form: str) -> Request:
    """What the flags ask for.  Raises RequestError for what does not go together."""
    if flags["show"] == "order" and flags["mode"] == "value":
        raise RequestError("the orders belong to the sweeps", help="choose --mode forward, reverse or both")
    if flags["count"] and form == "csv":
        raise RequestError("what a gradient costs has no place in a sheet", help="use --format json or plain")
    request = sweeps(flags)._replace(
        steps=not flags["no_trace"], hessian=flags["hessian"], hvp=given_point(flags["hvp"], "--hvp") or None
    )
    request = with_numbers(request, flags)
    if flags["complex"] and (request.hessian or request.hvp):
        raise RequestError("second derivatives are computed with real numbers", help="leave out --complex")
    return request
