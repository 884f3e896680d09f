"""Notebook display: results of the Python interface are displayed as HTML, SVG or LaTeX, and can be saved."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence

from ..errors import RequestError
from ..graph.graph import Graph
from ..notation.number_text import Digits
from ..notation.table_formulas import program
from ..trace.trace_model import Trace
from ..typings import TYPE_CHECKING, override
from . import plain, read_file, trace_tables
from .document_parts import Heading, Part
from .formats import DOCUMENTS, by_suffix, find_format

if TYPE_CHECKING:
    from ..marking.model import Marking
    from ..trace.curves import Plot
    from ..trace.taylor_series import TaylorSeries
    from ..trace.uncertainty_propagation import Propagation
    from .graphs.diagram import Diagram

_COLUMNS, _NARROW = 140, 80  # of pictures in characters


def fragment(body: str) -> str:
    """Return the HTML `body` in an element with its own style, which affects nothing else on the page."""
    style = " ".join(read_file("notebook.css").splitlines()[1:])
    return f'<div class="adcli">\n<style>{style}</style>\n{body}</div>\n'


class ShownDocument:
    """A document of sentences and tables: `print` shows text, a notebook shows HTML; `data` is the JSON of the command.

    `to` returns it in a format of documents (or `plain`, `json`), `save` writes a file.
    """

    __slots__ = ("_parts", "_text", "_title", "data")

    def __init__(
        self, title: str, parts: Callable[[], Sequence[Part]], data: dict[str, object], text: str | None = None
    ) -> None:
        """Keep a document: its title (of complete files), `parts`, called whenever it is written, and its JSON `data`.

        `text` is its plain text; None means that this is made from the parts.
        """
        self._title = title
        self._parts = parts
        self._text = text
        self.data = data

    @override
    def __str__(self) -> str:
        return self.to("plain").rstrip("\n")

    __repr__ = __str__

    def to(self, form: str) -> str:
        """Return the document in the format `form`: plain, json (its `data`), html, latex, markdown, rst or typst, as a
        fragment to insert.

        `plain` is the text given at construction, if any, else written from the parts. Raises RequestError for another
        format.
        """
        if form == "json":
            from .data import json_text

            return json_text(self.data) + "\n"
        if form == "plain":
            return plain.Plain().body(self._parts()) if self._text is None else self._text
        _check_format(form, ("plain", "json", *DOCUMENTS))
        return find_format(form).body(self._parts())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file in the format of the suffix of `path` (in any case).

        Formats of documents that can be files on their own (html, latex, …) are complete documents with the title,
        others are fragments. Raises RequestError if the suffix has no format that `to` knows (csv is not one),
        OutputProblem if the file cannot be written.
        """
        from ..writing import write_file

        form = by_suffix().get(os.path.splitext(os.fspath(path))[1].lower(), "")
        whole = form in DOCUMENTS and find_format(form).complete
        text = find_format(form).document([self._parts()], self._title) if whole else self.to(form)
        write_file(os.fspath(path), text)

    def _repr_html_(self) -> str:
        return fragment(self.to("html"))

    def _repr_latex_(self) -> str:
        return self.to("latex")


class ShownPicture:
    """A picture: `print` shows it in characters, a notebook shows SVG; `to` returns it in a format, `save` writes a
    file."""

    __slots__ = ("_draw", "_suffixes", "_text")

    def __init__(
        self, text: Callable[[], str], draw: Callable[[str], str | bytes], suffixes: Mapping[str, str]
    ) -> None:
        """Keep a picture: `text` returns it in characters, `draw` in a format (a name such as `svg`), `suffixes` maps
        the suffixes of files to formats. Both functions are called whenever the picture is shown or saved.
        """
        self._text = text
        self._draw = draw
        self._suffixes = suffixes

    @override
    def __str__(self) -> str:
        return self.text.rstrip("\n")

    __repr__ = __str__

    @property
    def text(self) -> str:
        """The picture in characters."""
        return self._text()

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        picture = self._draw("svg")
        return picture.decode() if isinstance(picture, bytes) else picture

    def to(self, form: str) -> str | bytes:
        """Return the picture in the format `form`: plain, or the name of a format that it can be saved in, such as svg;
        bytes for binary formats such as PNG.

        Raises RequestError for another format.
        """
        if form == "plain":
            return self.text
        _check_format(form, ("plain", *dict.fromkeys(self._suffixes.values())))
        return self._draw(form)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file in the format of the suffix of `path`, in any case (`.txt`: the picture in characters; others as
        the picture's `suffixes` say).

        Raises RequestError if the suffix has no format, OutputProblem if the file cannot be written.
        """
        from ..writing import write_file

        suffix = os.path.splitext(os.fspath(path))[1].lower()
        write_file(os.fspath(path), self.to({".txt": "plain", **self._suffixes}.get(suffix, suffix)))

    def _repr_svg_(self) -> str:
        return self.svg


def _check_format(form: str, forms: Sequence[str]) -> None:
    """Raise RequestError unless `form` is one of `forms`."""
    if form not in forms:
        raise RequestError(f"there is no format called {form or 'nothing'} here", help=f"use one of {', '.join(forms)}")


def formula(text: str, graph: Graph) -> str:
    """Return the program `text`, whose graph is `graph`, as a formula in a fragment of HTML."""
    return fragment(find_format("html").formula(program(text, graph)) + "\n")


def mime_bundle(
    text: str, html_text: str, latex_text: str, include: Collection[str] | None, exclude: Collection[str] | None
) -> dict[str, str]:
    """Return {media type: text} for a notebook: `text` as text/plain, `html_text` as text/html, `latex_text` as
    text/latex.

    Only types in `include` (None or empty: all) and not in `exclude` (None: nothing is excluded) are in it.
    """
    every = {"text/plain": text, "text/html": html_text, "text/latex": latex_text}
    return {kind: shown for kind, shown in every.items() if kind in (include or every) and kind not in (exclude or ())}


class ShownTrace(Trace):
    """A trace that notebooks show as its wide table."""

    __slots__ = ()

    @override
    def __repr__(self) -> str:
        return plain.Plain().body(self._tables()).rstrip("\n")

    def _tables(self) -> list[Part]:
        """Return the wide table as parts of a document, with results, and a note if tangents are left out.

        The note names `wrt` as the way to see all tangents. A long trace has its results before the table and, in text,
        also after it. A short trace with several outputs has its Jacobian before the table, in documents.
        """
        from . import large_traces

        shown = large_traces.few_tangents(self, self.digits)
        tables = [*trace_tables.tables(shown, "wide", self.digits), *large_traces.omission_notes(self, shown, ("wrt",))]
        before, after = large_traces.results(self, self.digits)
        return [*before, *tables, *after]

    def _repr_html_(self) -> str:
        """The table as a fragment of HTML."""
        heading = Heading(trace_tables.heading(self, self.digits), 1)
        return fragment(find_format("html").body([heading, *self._tables()]))

    def _repr_latex_(self) -> str:
        """The table in LaTeX."""
        return find_format("latex").body(self._tables())

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """The table as plain text, HTML and LaTeX."""
        return mime_bundle(repr(self), self._repr_html_(), self._repr_latex_(), include, exclude)

    def to(self, form: str) -> str:
        """Return the table in the format `form`: plain, json, html, latex, markdown, rst or typst. Raises RequestError
        for another format.
        """
        return self.document().to(form)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file in the format of its suffix, as `ShownDocument.save` does, with the same errors."""
        self.document().save(path)

    def document(self) -> ShownDocument:
        """Return the table as a document; its `data` is the JSON of `adcli eval`."""
        from ..trace.trace_document import as_dict

        return ShownDocument(str(trace_tables.heading(self, self.digits)), self._tables, as_dict(self))

    def explain(self, detail: str = "short") -> ShownDocument:
        """Return the sweeps in sentences, one step at a time; `detail` is short or full. Raises RequestError for
        another detail, or for a trace of more than 2000 rows and steps.
        """
        return show_explanation(self, detail)

    def picture(
        self, reachable: str | None = None, *, direction: str = "", fit: str = "", unfolded: bool = False
    ) -> ShownPicture:
        """Return the graph with its numbers; nodes that a sweep from the input or output `reachable` visits are shaded.

        `direction` is right or down (empty: automatic), `fit` a page (A4, 160x90mm; empty: any size). Repeated parts of
        a large graph are folded unless `unfolded` is True. Raises RequestError if the graph has more than 2000 nodes
        (before folding), `reachable` is unknown, or `direction` or `fit` is not valid.
        """
        from .graphs.diagram import of_trace

        return show_graph(of_trace(self, self.digits, reachable), direction, fit, unfolded)


def show_explanation(trace: Trace, detail: str) -> ShownDocument:
    """Return a trace in sentences; `detail` is short or full.

    Its title is the heading of the trace, its data are those of the sweeps as JSON. Raises RequestError for another
    `detail`, and for more than 2000 rows and steps together.
    """
    from . import explanation
    from .step_sentences import accounts

    if detail not in ("short", "full"):
        raise RequestError(f"there is no detail called {detail}", help="use short or full")
    sweeps = accounts(trace, trace.digits, detail)
    heading = trace_tables.heading(trace, trace.digits)
    return ShownDocument(str(heading), lambda: explanation.parts("", sweeps), explanation.data(trace, sweeps, trace.at))


def show_graph(diagram: Diagram, direction: str = "", fit: str = "", unfolded: bool = False) -> ShownPicture:
    """Return the picture of a graph, laid out to `fit` a page such as A4 if `fit` is not empty.

    `direction` is right, down or empty (automatic). Large diagrams are folded unless `unfolded` is True. In characters
    the picture is at most 140 columns wide; if that is not possible, it is a list of nodes. Raises RequestError if
    `direction` or `fit` is not valid.
    """
    from .graphs.folding import fold_diagram
    from .graphs.page_fitting import LayoutRequest, parse_direction, parse_page
    from .graphs.picture_formats import SUFFIXES, picture
    from .graphs.text import draw, node_table

    layout = LayoutRequest(parse_direction(direction) if direction else "", parse_page(fit) if fit else None)
    seen = diagram if unfolded else fold_diagram(diagram)
    return ShownPicture(
        lambda: draw(seen, _COLUMNS) or plain.draw(node_table(seen)), lambda form: picture(seen, form, layout), SUFFIXES
    )


def plot_picture(plot: Plot) -> ShownPicture:
    """Return the plot as a picture that is drawn when it is shown or saved: as text, SVG, PNG, or CSV of its points."""
    from .plots import figure, text

    suffixes = {".svg": "svg", ".png": "png", ".csv": "csv"}
    return ShownPicture(lambda: text.draw(plot, _NARROW), lambda form: figure.draw(plot, form), suffixes)


def show_series(series: TaylorSeries) -> ShownDocument:
    """Return a Taylor series as a document: for each output the polynomial, then the table of coefficients.

    Exact fractions with parts above 10⁶ are shown as decimals. The data are those of `adcli taylor` as JSON.
    """
    from . import series_report as render

    data = render.TAYLOR.data(render.SeriesDocument(series))
    return ShownDocument("Taylor series", lambda: render.parts(series, Digits()), data)


def propagated_document(propagation: Propagation) -> ShownDocument:
    """Return values with their uncertainties and the budget of each output as a document; its `data` is the JSON of
    `adcli propagate`.
    """
    from . import propagation_report as render

    data = render.PROPAGATE.data(propagation)
    return ShownDocument("Uncertainties", lambda: render.parts(propagation, Digits(), True), data)


def show_marking(marking: Marking) -> ShownDocument:
    """Return a marked answer as a document, as far as it may be disclosed; its `data` is the JSON of `adcli check`."""
    from .answers.marks_report import MARKED, report
    from .answers.marks_text import document
    from .answers.marks_text import plain as text

    return ShownDocument("", lambda: report([marking]), MARKED.data(marking), text(document([marking])))
