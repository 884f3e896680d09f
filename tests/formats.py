"""Reading documents back in tests: as pages, and the texts of cells in HTML, LaTeX and Markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from types import MappingProxyType
from typing import Any

import docutils.core
from markdown_it import MarkdownIt

VOID = {"meta", "br", "hr", "img", "input", "link", "mspace", "rect", "col", "wbr"}
_ACCENTS = {"˙": "\u0307", "¯": "\u0304"}


class Page(HTMLParser):
    """A page or fragment read strictly: every element is closed in its turn.

    `tables` are rows of cells, `texts` what stands in each kind of element, `found` all elements with their attributes.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert [] == self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in VOID:
            return
        self.open.append(tag)
        self.texts.setdefault(tag, []).append("")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data


def _of_markdown(text: str) -> str:
    return MarkdownIt("commonmark").enable("table").enable("strikethrough").render(text)


def _of_rst(text: str) -> str:
    """What docutils makes of it; whatever it warns of is an error."""
    settings: dict[str, Any] = {
        "halt_level": 2, "report_level": 2, "raw_enabled": False, "file_insertion_enabled": False,
        "math_output": "MathML", "doctitle_xform": False, "initial_header_level": 1,
    }  # fmt: skip
    found = str(docutils.core.publish_parts(text, writer="html5", settings_overrides=settings)["body"])
    return found.replace("</mspace>", "")


# The formats that something makes pages of, by name: a document as a part of a page.
READERS: Mapping[str, Callable[[str], str]] = MappingProxyType({"html": str, "markdown": _of_markdown, "rst": _of_rst})


def latex_cells(text: str) -> list[list[list[str]]]:
    """The cells of every tabular in a LaTeX text, as they are written."""
    found = []
    for body in re.findall(r"\\begin\{(?:tabular|longtable)\}.*?\n(.*?)\\end\{(?:tabular|longtable)", text, re.DOTALL):
        lines = [line.removesuffix("[3pt]") for line in body.splitlines()]
        lines = [line for line in lines if line.endswith(r" \\")]
        found.append([_cells(line[:-3]) for line in lines])
    return found


def _cells(line: str) -> list[str]:
    """The cells of a row; a case of a formula is no cell."""
    cells, depth = [""], 0
    for part in re.split(r"(\\begin\{cases\}|\\end\{cases\}|(?<!\\)&)", line):
        depth += (part == r"\begin{cases}") - (part == r"\end{cases}")
        if part == "&" and not depth:
            cells.append("")
        else:
            cells[-1] += part
    return [cell.strip() for cell in cells]


def markdown_cells(text: str) -> list[list[list[str]]]:
    """The cells of every pipe table, with what stands behind backslashes as it is meant."""
    found: list[list[list[str]]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("|"):
            if not inside:
                found.append([])
            cells = re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]
            found[-1].append([re.sub(r"\\(.)", r"\1", cell.strip()) for cell in cells])
        inside = line.startswith("|")
    for table in found:
        assert set("".join(table.pop(1))) <= set("-:")
    return found


_WORDS = {f"a{word}": f"arc{word}" for word in ("sin", "cos", "tan", "cot", "sec", "csc")}
_WORDS |= {f"a{word}": f"ar{word}" for word in ("sinh", "cosh", "tanh", "coth", "sech", "csch")}
_SIGNS = {"*": "⋅", "-": "−", "!=": "≠", "<=": "≤", ">=": "≥", "==": "=", "'": "′", "τ": "tau", "π": "pi", "θ": "theta"}
_LATEX = {
    r"\times": "×", r"\cdot": "⋅", r"\partial": "∂", r"\le": "≤", r"\ge": "≥", r"\ne": "≠", r"\dots": "…",
    r"\bmod": "mod",
    r"\land": "and", r"\lor": "or", r"\lnot": "not", r"\mathopen": "", r"\mathclose": "", r"\,": "", r"\%": "%",
    r"\sqrt": "", r"\operatorname": "", r"\mathrm": "", r"\textnormal": "", r"\mathbin": "",
    r"\bar": "¯", r"\dot": "˙",
    r"\allowbreak": "", r"\textless": "<", r"\textgreater": ">", r"\textbar": "|", "-": "−",
}  # fmt: skip


def bare(text: str) -> str:
    """The signs of a formula alone: what only groups it, or is drawn as a root, an index or a power, is left out."""
    text = "".join(unicodedata.normalize("NFD", c) if c.isalpha() else c for c in text)
    text = re.sub(r"(?<![\w.])sqrt(?!\w)", "", text)
    text = re.sub(r"([\d.])e(-?\d)", r"\1⋅10\2", text)
    text = re.sub(r"[a-z]+(?=\b)", lambda match: _WORDS.get(match.group(), match.group()), text)
    for sign, shown in {**_SIGNS, "\u0307": "˙", "\u0304": "¯"}.items():
        text = text.replace(sign, shown)
    return re.sub(r"[\s()^_{}$\u2061\u2062]", "", text)


def bare_latex(text: str) -> str:
    """The same of a formula in LaTeX; an accent stands after its letter."""
    text = re.sub(r"(\\dot|\\bar)(?: |\{\\)([a-zA-Z]+)\}?", lambda match: match.group(2) + _LATEX[match.group(1)], text)
    text = re.sub(
        r"\\(?:[a-zA-Z]+|.)|-", lambda match: _LATEX.get(match.group(), match.group().removeprefix("\\")), text
    )
    return bare(text)
