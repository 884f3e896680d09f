"""What notebooks show of expressions and traces: HTML and LaTeX in the place of a repr."""

from __future__ import annotations

from collections.abc import Collection

from ..graph.graph import Graph
from ..notation.written import program
from ..trace.model import Trace
from . import layout, plain
from .cells import Heading, Table
from .formats import named

# Each rule with two classes, so that it wins against those of JupyterLab.
_STYLE = (
    ".adcli :is(h1, h2) { font-size: 1rem; font-weight: 600; margin: .5rem 0; }"
    " .adcli table { border-collapse: collapse; margin: .5rem 0; }"
    " .adcli .scroll :is(caption, th, td) { text-align: left; vertical-align: top; padding: .2rem .6rem; }"
    " .adcli .scroll caption { font-weight: 600; padding-left: 0; } .adcli thead th { border-bottom: 2px solid #8888; }"
    " .adcli tr.rule > * { border-top: 1px solid #8888; } .adcli .scroll .number { text-align: right; }"
    " .adcli .scroll { overflow-x: auto; }"
)


def fragment(body: str) -> str:
    """HTML of ours with a style that reaches nothing else on a page."""
    return f'<div class="adcli">\n<style>{_STYLE}</style>\n{body}</div>\n'


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

    def __repr__(self) -> str:
        return "\n".join(plain.draw(table) for table in self._tables()).rstrip("\n")

    def _tables(self) -> list[Table]:
        return layout.tables(self, "wide", self.digits)

    def _repr_html_(self) -> str:
        """The table as a fragment of HTML."""
        heading = Heading(layout.heading(self, self.digits), 1)
        return fragment(named("html").body([heading, *self._tables()]))

    def _repr_latex_(self) -> str:
        """The table in LaTeX."""
        return named("latex").body(self._tables())

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """The table as plain text, HTML and LaTeX."""
        return bundle(repr(self), self._repr_html_(), self._repr_latex_(), include, exclude)
