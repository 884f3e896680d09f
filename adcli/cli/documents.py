"""What becomes of traces: tables, plain text, CSV, JSON, one by one or gathered until the end."""

from __future__ import annotations

from typing import Any

from ..errors import AdcliError
from ..trace.data import as_dict
from ..trace.model import Request, Trace
from .each import Posed, drawn, say_notes
from .stream import Stream


class Document:
    """What becomes of the traces: written one by one, or gathered until the end."""

    def __init__(self, stream: Stream, request: Request, flags: dict[str, Any]) -> None:
        self.stream = stream
        self.request = request
        self.flags = flags
        self.count = 0

    def add(self, trace: Trace, posed: Posed) -> None:
        """Takes the trace of a problem."""

    def fail(self, error: AdcliError) -> None:
        """Takes note of a problem without a trace."""

    def finish(self) -> None:
        """Writes what is still to be written."""


class _Tables(Document):
    form = "table"

    def add(self, trace: Trace, posed: Posed) -> None:
        from ..render import layout

        digits = self.request.digits
        if not self.request.steps:
            found = [layout.outputs_table(trace, digits)]
        elif self.flags["show"]:
            from ..render.views import show

            found = show(trace, self.flags["show"], digits)
        else:
            found = layout.tables(trace, self.flags["style"], digits)
            if trace.lines is not None:
                from ..render.sources import beside

                found = beside(trace, found, self.flags["style"])
        if trace.second:
            from ..render import second

            found = [*found, *second.tables(trace, digits)]
        if trace.certified is not None or trace.verified is not None:
            from ..render import checks

            found = [*found, *checks.tables(trace)]
        said = ""
        if self.flags["count"]:
            from ..render import cost as costs
            from ..trace.cost import cost

            counted = cost(trace.graph, trace.values)
            found = [*found, costs.table(counted)]
            said = "\n" + costs.sentences(counted)
        out = []
        if trace.label or not posed.single:
            out.append(layout.heading(trace, digits) + "\n")
        between = "" if self.stream.is_terminal and self.form == "table" else "\n"  # rich leaves a blank line itself
        out.append(between.join(drawn(self.stream, table, self.form) for table in found))
        self.stream.write(("\n" if self.count else "") + "".join(out) + said)
        self.count += 1
        say_notes(self.stream, trace.notes, posed)


class _Plain(_Tables):
    form = "plain"


class _Csv(Document):
    def __init__(self, stream: Stream, request: Request, flags: dict[str, Any]) -> None:
        super().__init__(stream, request, flags)
        self.traces: list[Trace] = []

    def add(self, trace: Trace, posed: Posed) -> None:
        self.traces.append(trace)
        say_notes(self.stream, trace.notes, posed)

    def finish(self) -> None:
        from ..render.data import csv_text

        if self.traces:
            self.stream.write(csv_text(self.traces, self.request.steps))


class _Json(Document):
    def __init__(self, stream: Stream, request: Request, flags: dict[str, Any]) -> None:
        super().__init__(stream, request, flags)
        self.found: list[dict[str, Any]] = []

    def add(self, trace: Trace, posed: Posed) -> None:
        data = as_dict(trace, self.request.steps)
        if self.flags["count"]:
            from ..render import cost as costs
            from ..trace.cost import cost

            data["cost"] = costs.as_dict(cost(trace.graph, trace.values))
        self.record(data)

    def fail(self, error: AdcliError) -> None:
        self.record(error.as_dict())

    def record(self, data: dict[str, Any]) -> None:
        self.found.append(data)

    def finish(self) -> None:
        from ..render.data import json_text

        self.stream.write(
            json_text(self.found[0] if len(self.found) == 1 else self.found, ascii_only=self.stream.ascii) + "\n"
        )


class _Ndjson(_Json):
    def record(self, data: dict[str, Any]) -> None:
        from ..render.data import json_text

        self.stream.write(json_text(data, indent=None, ascii_only=self.stream.ascii) + "\n")

    def finish(self) -> None:
        return None


DOCUMENTS: dict[str, type[Document]] = {
    "table": _Tables,
    "plain": _Plain,
    "csv": _Csv,
    "json": _Json,
    "ndjson": _Ndjson,
}
