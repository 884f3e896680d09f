"""`adcli explain`."""

from __future__ import annotations

from typing import Any

from ..errors import AdcliError
from ..trace.model import Request, Trace
from ..trace.trace import trace
from .arguments import chosen_format
from .each import Posed, each, say_notes
from .interactive import step_through
from .options import APPEARANCE, FAIL_FAST, FILE, FUNCTIONS, INTERACTIVE, Command, Option
from .pages import write_page
from .stream import Stream
from .sweeping import DETAIL, SWEEPS, sweeps

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
    FUNCTIONS,
    FAIL_FAST,
    Option(("--format",), "wanted", "Default: plain.", choices=FORMATS),
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Explains the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    request = sweeps(flags)
    if flags["interactive"]:
        return step_through(stream, flags, request, flags["detail"] or "full")
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "plain")
    explanations = _Explanations(stream, form, request, flags["detail"] or "short")

    def work(posed: Posed) -> None:
        found = trace(posed.program, posed.at, request, posed.problem.label)
        explanations.add(found, posed.single)
        if form not in ("json", "ndjson"):  # which have all notes; the sentences have those on kinks
            say_notes(stream, [note for note in found.notes if note.kind != "kink"], posed)

    if not each(stream, flags, work, explanations.fail):
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
        self.kept: list[dict[str, Any]] = []

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

    def _record(self, data: dict[str, Any]) -> None:
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


COMMAND = Command(_HELP, OPTIONS, "expr", 1, run)
