"""`adcli explain`."""

from __future__ import annotations

from typing import Any

from ..language.numbers import Digits
from ..trace.model import Trace
from ..trace.trace import trace
from .arguments import chosen_format
from .each import Posed, Results, each, say_notes
from .options import APPEARANCE, FAIL_FAST, FILE, Command, Option
from .stream import Stream
from .sweeping import DETAIL, INTERACTIVE, SWEEPS, interactive, page_title, sweeps

_HELP = """The sweeps in sentences, one step at a time: which rule, why it is this row's turn, what meets where.

\b
Examples:
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1 --detail full
  adcli explain "x^2*sin(x) @ x=1" --format markdown -o notes.md
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --interactive -o page.html
"""

FORMATS = ("plain", "markdown", "html", "json", "ndjson")

OPTIONS = (
    FILE,
    *SWEEPS,
    DETAIL,
    INTERACTIVE,
    FAIL_FAST,
    Option(("--format",), "wanted", "Default: plain.", choices=FORMATS),
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Explains the problems of a command line; None when there is nothing to read."""
    from ..render import explanation
    from ..render.layout import heading
    from ..render.telling import Account, accounts

    stream.dress(flags)
    form = interactive(flags) or chosen_format(flags["wanted"], flags["output"], FORMATS, "plain")
    request = sweeps(flags)
    digits: Digits = request.digits
    traces: list[Trace] = []

    def text(found: tuple[Trace, list[Account]], single: bool) -> str:
        traced, said = found
        head = heading(traced, digits) + "\n" if traced.label or not single else ""
        if form == "markdown":
            from ..render.markdown import escaped

            return (f"# {escaped(head.strip())}\n\n" if head else "") + explanation.markdown(said)
        columns = stream.width() if stream.is_terminal or stream.columns else None
        return (head + "\n" if head else "") + explanation.plain(said, columns)

    results = Results(stream, form, data=lambda found: explanation.as_dict(*found), text=text)

    def work(posed: Posed) -> None:
        found = trace(posed.program, posed.at, request, posed.problem.label)
        if form == "html":
            traces.append(found)
        else:
            results.add((found, accounts(found, digits, flags["detail"])), posed.single)
        if form not in ("json", "ndjson"):  # the text tells of kinks in their place
            say_notes(stream, [note for note in found.notes if note.kind != "kink"], posed)

    if not each(stream, flags, work, results.fail):
        return None
    if traces:
        from ..render.page import escaped, page

        if flags["interactive"]:
            from ..render.stepper import document

            stream.write(document(traces, digits, flags["detail"]))
        else:
            body = "".join(
                f"<h1>{escaped(heading(found, digits))}</h1>\n"
                + explanation.html(accounts(found, digits, flags["detail"]))
                for found in traces
            )
            stream.write(page(page_title(traces), body))
    results.finish()
    stream.close()
    return stream.code


COMMAND = Command(_HELP, OPTIONS, "expr", 1, run)
