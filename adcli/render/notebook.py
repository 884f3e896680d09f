"""What notebooks show of expressions and traces: HTML and LaTeX in the place of a repr."""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike
from typing import TYPE_CHECKING

from ..errors import RequestError
from ..graph.graph import Graph
from ..notation.number_text import Digits
from ..notation.table_formulas import program
from ..overriding import override
from ..trace.model import Trace
from . import plain, trace_tables
from .display_objects import ShownDocument, ShownPicture, fragment
from .document_parts import Heading, Paragraph, Part
from .formats import named

if TYPE_CHECKING:
    from ..marking.model import Marking
    from ..trace.curves import Plot
    from ..trace.taylor_series import TaylorSeries
    from .graphs.diagram import Diagram

_COLUMNS, _NARROW = 140, 80  # of pictures in characters


def formula(text: str, graph: Graph) -> str:
    """A program as a fragment of HTML."""
    return fragment(named("html").formula(program(text, graph)) + "\n")


def bundle(
    text: str, html_text: str, latex_text: str, include: Collection[str] | None, exclude: Collection[str] | None
) -> dict[str, str]:
    """The three by their media types, as far as they are asked for."""
    every = {"text/plain": text, "text/html": html_text, "text/latex": latex_text}
    return {kind: shown for kind, shown in every.items() if kind in (include or every) and kind not in (exclude or ())}


class ShownTrace(Trace):
    """A trace that notebooks show as its table."""

    __slots__ = ()

    @override
    def __repr__(self) -> str:
        return plain.Plain().body(self._tables()).rstrip("\n")

    def _tables(self) -> list[Part]:
        """The table; of a long trace with its results before and after."""
        from . import large_traces

        shown = large_traces.few_tangents(self)
        found = [*trace_tables.tables(shown, "wide", self.digits), *large_traces.left_out(self, shown, ("wrt",))]
        results = [large_traces.results(self, self.digits)] if large_traces.is_long(self) else []
        return [*results, *found, *results]

    def _repr_html_(self) -> str:
        """The table as a fragment of HTML."""
        heading = Heading(trace_tables.heading(self, self.digits), 1)
        return fragment(named("html").body([heading, *self._tables()]))

    def _repr_latex_(self) -> str:
        """The table in LaTeX."""
        return named("latex").body(self._tables())

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """The table as plain text, HTML and LaTeX."""
        return bundle(repr(self), self._repr_html_(), self._repr_latex_(), include, exclude)

    def to(self, form: str) -> str:
        """The table in a format: plain, json, html, latex, markdown, rst or typst."""
        return self.document().to(form)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the table into a file, in the format that its suffix stands for."""
        self.document().save(path)

    def document(self) -> ShownDocument:
        """The table as a document; its `data` is what `adcli eval` has as JSON."""
        from ..trace.trace_document import as_dict

        title = trace_tables.heading(self, self.digits)
        return ShownDocument(str(title), self._tables, as_dict(self))

    def explain(self, detail: str = "short") -> ShownDocument:
        """The sweeps in sentences, one step at a time; `detail` is short or full."""
        return explained(self, detail)

    def picture(
        self, reachable: str | None = None, *, direction: str = "", fit: str = "", unfolded: bool = False
    ) -> ShownPicture:
        """The graph with its numbers; what a sweep from the input or output `reachable` visits is shaded.

        `direction` is right or down, `fit` a page (A4, 160x90mm); what repeats in a large graph is folded.
        """
        from .graphs.diagram import of_trace

        return drawn(of_trace(self, self.digits, reachable), direction, fit, unfolded)


def explained(trace: Trace, detail: str) -> ShownDocument:
    """A trace in sentences.  Raises RequestError for a detail that is none."""
    from . import explanation
    from .step_sentences import accounts

    if detail not in ("short", "full"):
        raise RequestError(f"there is no detail called {detail}", help="use short or full")
    told = accounts(trace, trace.digits, detail)
    heading = trace_tables.heading(trace, trace.digits)
    return ShownDocument(
        str(heading),
        lambda: explanation.parts("", told),
        explanation.data(trace, told),
    )


def drawn(diagram: Diagram, direction: str = "", fit: str = "", unfolded: bool = False) -> ShownPicture:
    """The picture of a graph, for a page if it has to `fit` one."""
    from .graphs.folding import folded
    from .graphs.page_fitting import Wish, direction_of, page_of
    from .graphs.picture_formats import SUFFIXES, picture
    from .graphs.text import draw, listed

    wish = Wish(direction_of(direction) if direction else "", page_of(fit) if fit else None)
    seen = diagram if unfolded else folded(diagram)
    return ShownPicture(
        lambda: draw(seen, _COLUMNS) or plain.draw(listed(seen)), lambda form: picture(seen, form, wish), SUFFIXES
    )


def plotted(plot: Plot) -> ShownPicture:
    """The picture of a plot."""

    def made(form: str) -> str | bytes:
        if form == "csv":
            from .plots.csv_points import draw as sheet

            return sheet(plot)
        from .plots.figure import draw as figure

        return figure(plot, form)

    from .plots.text import draw

    return ShownPicture(lambda: draw(plot, _NARROW), made, {".svg": "svg", ".png": "png", ".csv": "csv"})


def expanded(series: TaylorSeries) -> ShownDocument:
    """A Taylor series with the table of its coefficients."""
    from . import series_report as render

    def parts() -> list[Part]:
        found: list[Part] = []
        for output in series.outputs:
            found.append(Paragraph(render.polynomial(series, output, Digits(), render.SHORT)))
            found.append(render.table(series, output, Digits(), render.SHORT))
        return found

    return ShownDocument("Taylor series", parts, render.TAYLOR.data(render.SeriesDocument(series)))


def marked(marking: Marking) -> ShownDocument:
    """A marked answer, as far as it may be shown."""
    from .marks_data import MARKED
    from .marks_report import report
    from .marks_text import document
    from .marks_text import plain as text

    return ShownDocument("", lambda: report([marking]), MARKED.data(marking), text(document([marking])))
