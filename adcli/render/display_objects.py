"""Display objects: documents and pictures that Python gets from the commands; they show themselves and can be saved."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from ..errors import RequestError
from ..overriding import override
from .document_parts import Part
from .formats import DOCUMENTS, by_suffix, named
from .plain import Plain

# Two classes in each rule, so that it has priority over the rules of JupyterLab.
_STYLE = (
    ".adcli :is(h1, h2) { font-size: 1rem; font-weight: 600; margin: .5rem 0; }"
    " .adcli table { border-collapse: collapse; margin: .5rem 0; }"
    " .adcli .scroll :is(caption, th, td) { text-align: left; vertical-align: top; padding: .2rem .6rem; }"
    " .adcli .scroll caption { font-weight: 600; padding-left: 0; } .adcli thead th { border-bottom: 2px solid #8888; }"
    " .adcli tr.rule > * { border-top: 1px solid #8888; } .adcli .scroll .number { text-align: right; }"
    " .adcli .scroll { overflow-x: auto; }"
)


def fragment(body: str) -> str:
    """Return HTML in an element with its own style, which affects nothing else on the page."""
    return f'<div class="adcli">\n<style>{_STYLE}</style>\n{body}</div>\n'


class ShownDocument:
    """Sentences and tables: `print` shows text, a notebook shows HTML; `data` is what the command writes as JSON.

    `to` returns them in a format of documents (or `plain`, `json`), `save` writes a file.
    """

    __slots__ = ("_parts", "_text", "_title", "data")

    def __init__(
        self, title: str, parts: Callable[[], Sequence[Part]], data: dict[str, object], text: str | None = None
    ) -> None:
        self._title = title
        self._parts = parts
        self._text = text
        self.data = data

    @override
    def __str__(self) -> str:
        return self.to("plain").rstrip("\n")

    __repr__ = __str__

    def to(self, form: str) -> str:
        """Return the document in the format `form`: plain, json, html, latex, markdown, rst or typst.

        Raises RequestError for another format.
        """
        if form == "json":
            from .data import json_text

            return json_text(self.data) + "\n"
        if form == "plain":
            return Plain().body(self._parts()) if self._text is None else self._text
        _check_format(form, ("plain", "json", *DOCUMENTS))
        return named(form).body(self._parts())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file in the format of its suffix; HTML and LaTeX are complete documents.

        Raises RequestError if the suffix has no format, OutputProblem if the file cannot be written.
        """
        from ..writing import written

        form = by_suffix().get(os.path.splitext(os.fspath(path))[1].lower(), "")
        whole = form in DOCUMENTS and named(form).complete
        written(os.fspath(path), named(form).document([self._parts()], self._title) if whole else self.to(form))

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
        drawn = self._draw("svg")
        return drawn.decode() if isinstance(drawn, bytes) else drawn

    def to(self, form: str) -> str | bytes:
        """Return the picture in the format `form`: plain, or one that its command knows.

        Raises RequestError for another format.
        """
        if form == "plain":
            return self.text
        _check_format(form, ("plain", *dict.fromkeys(self._suffixes.values())))
        return self._draw(form)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file in the format of its suffix (`.txt`: characters).

        Raises RequestError if the suffix has no format.
        """
        from ..writing import written

        suffix = os.path.splitext(os.fspath(path))[1].lower()
        written(os.fspath(path), self.to({".txt": "plain", **self._suffixes}.get(suffix, suffix)))

    def _repr_svg_(self) -> str:
        return self.svg


def _check_format(form: str, forms: Sequence[str]) -> None:
    """Raise RequestError unless `form` is one of `forms`."""
    if form not in forms:
        raise RequestError(f"there is no format called {form or 'nothing'} here", help=f"use one of {', '.join(forms)}")
