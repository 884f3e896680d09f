"""`adcli explain`: the sweeps in sentences, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import AdcliError
from .arguments import chosen_format
from .options import (
    AT,
    CSE,
    DETAIL,
    DIGITS,
    FAIL_FAST,
    FILE,
    FUNCTIONS,
    INTERACTIVE,
    KINKS,
    MODE,
    NUMBERING,
    PLACES,
    SEED,
    WRT,
    Command,
    SweepOptions,
    choice,
)
from .pages import write_page
from .stream import Stream
from .sweeps import step_through, sweeps

if TYPE_CHECKING:
    from ..trace.model import Request, Trace
    from .each import Posed

_HELP = """The sweeps in sentences, one step at a time: which rule, why it is this row's turn, what meets where.

\b
Examples:
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1 --detail full
  adcli explain "x^2*sin(x) @ x=1" --format markdown -o notes.md
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --interactive -o page.html
"""

FORMATS = ("plain", "markdown", "html", "json", "ndjson")


class ExplainRequest(SweepOptions):
    """What `adcli explain` is asked."""

    file = FILE
    at = AT
    mode = MODE
    wrt = WRT
    seed = SEED
    numbering = NUMBERING
    cse = CSE
    places = PLACES
    digits = DIGITS
    kinks = KINKS
    detail = DETAIL
    interactive = INTERACTIVE
    functions = FUNCTIONS
    fail_fast = FAIL_FAST
    wanted = choice("--format", choices=FORMATS, help="Default: plain.")


def run(stream: Stream, asked: ExplainRequest) -> int | None:
    """Explains the problems of a command line; None when there is nothing to read."""
    from ..trace.trace import trace
    from .each import each, say_notes

    asked.dress(stream, asked.output)
    request = sweeps(asked)
    if asked.interactive:
        return step_through(stream, asked, request, asked.wanted, detail=asked.detail or "full")
    form = chosen_format(asked.wanted, asked.output, FORMATS, "plain")
    explanations = _Explanations(stream, form, request, asked.detail or "short")

    def work(posed: Posed) -> None:
        found = trace(posed.program, posed.at, request, posed.problem.label)
        explanations.add(found, posed.single)
        if form not in ("json", "ndjson"):  # which have all notes; the sentences have those on kinks
            say_notes(stream, [note for note in found.notes if note.kind != "kink"], posed)

    if not each(stream, asked, work, explanations.fail):
        return None
    explanations.finish()
    stream.close()
    return stream.code


class _Explanations:
    """What becomes of the explanations: text at once, one page or one list at the end."""

    def __init__(self, stream: Stream, form: str, request: Request, detail: str) -> None:
        self.stream, self.form, self.digits, self.detail = stream, form, request.digits, detail
        self.count = 0
        self.title = ""
        self.bodies: list[str] = []
        self.kept: list[dict[str, object]] = []

    def add(self, found: Trace, single: bool) -> None:
        """Takes a problem."""
        from ..render import explanation
        from ..render.layout import heading
        from ..render.telling import accounts

        said = accounts(found, self.digits, self.detail)
        self.count += 1
        if self.form in ("json", "ndjson"):
            self._record(explanation.as_dict(found, said))
            return
        head = heading(found, self.digits)
        if self.form == "html":
            self.title = f"{self.count} expressions" if self.bodies else found.label or found.expression
            self.bodies.append(explanation.html(head, said))
            return
        named = head if found.label or not single else ""
        columns = self.stream.width() if self.stream.is_terminal else self.stream.columns
        text = explanation.markdown(named, said) if self.form == "markdown" else explanation.plain(named, said, columns)
        self.stream.write(("\n" if self.count > 1 else "") + text)

    def fail(self, error: AdcliError) -> None:
        """Puts an error in the place of an explanation, where the format has such a place."""
        if self.form in ("json", "ndjson"):
            self._record(error.as_dict())

    def _record(self, data: dict[str, object]) -> None:
        if self.form == "json":
            self.kept.append(data)
        else:
            self._write(data, None)

    def _write(self, data: object, indent: int | None) -> None:
        from ..render.data import json_text

        self.stream.write(json_text(data, indent, ascii_only=self.stream.ascii) + "\n")

    def finish(self) -> None:
        """Writes what was kept."""
        if self.kept:
            self._write(self.kept[0] if len(self.kept) == 1 else self.kept, 2)
        if self.bodies:
            from ..render.page import page

            write_page(self.stream, page(self.title, "".join(self.bodies)))


COMMAND = Command(_HELP, ExplainRequest, run)
