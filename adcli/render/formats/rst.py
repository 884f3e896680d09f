"""reStructuredText, for Sphinx and docutils: list tables, and mathematics as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...notation.latex import LATEX
from ...notation.pieces import Piece
from ...notation.shown import Formula
from ..cells import Items, Runs, Strong, Table, visible, width
from ..format import Format

_SIGNS = re.compile(r"([\\`*|_:<>@])")
_LIST = re.compile(r"\w+(?=[.)](?:\s|\Z))")  # what a line of a numbered list starts with
# What docutils reads of LaTeX, for what it does not.
_KNOWN = {"\\textnormal": "\\text", "\\mathbin{\\%}": "\\%", "\\mathopen": "", "\\mathclose": "",
          "\\dots": "\\ldots"}  # fmt: skip
_LINES = "=-~"  # under headings of levels 1, 2, 3
_JOINT = "\x00"  # where markup begins or ends, which has to stand apart; no text has this sign
_NO_JOINT = re.compile(f"(?:(?<=\\s)|^){_JOINT}+|{_JOINT}+(?=\\s|$)")


class Rst(Format):
    """reStructuredText as docutils reads it."""

    name = "rst"
    suffixes = (".rst",)

    def escaped(self, text: str) -> str:
        return _SIGNS.sub(r"\\\1", visible(text))

    def mathematics(self, piece: Piece) -> str:
        return _math(LATEX.printed(piece))

    def strong(self, text: Strong) -> str:
        inner = self.escaped(text).strip()
        return f"{_JOINT}**{inner}**{_JOINT}" if inner else ""

    def code(self, text: str) -> str:
        shown = visible(text)
        return self.escaped(text) if "`" in shown or shown.strip() != shown else f"{_JOINT}``{shown}``{_JOINT}"

    def runs(self, text: Runs) -> str:
        return "".join(super(Rst, self).inline(run) for run in text.runs)

    def inline(self, text: str) -> str:
        return _line(super().inline(text))

    def heading(self, text: str, level: int) -> str:
        return f"{text}\n{_LINES[level - 1] * max(len(text), width(text))}\n" if text else ""

    def formulas(self, lines: Sequence[Formula]) -> str:
        return "".join(f".. math:: {_known(LATEX.printed(line.piece))}\n" for line in lines)

    def items(self, items: Items) -> str:
        out = []
        for number, lines in enumerate(items.items, items.first or 0):
            head = "- " if items.first is None else f"{number}. "
            out.append(head + f"\n\n{' ' * len(head)}".join(self.inline(line) for line in lines if line) + "\n")
        return "\n".join(out)

    def table(self, table: Table) -> str:
        """A list table, whose cells may be of any length and hold anything."""
        rows = [[self.inline(cell) for cell in row] for row in table.rows]
        if table.header:
            rows.insert(0, [self.inline(name) for name in table.header])
        count = max((len(row) for row in rows), default=0)
        if not count:
            return ""
        out = f".. list-table:: {self.inline(table.title)}".rstrip() + "\n   :widths: auto\n"
        out += "   :header-rows: 1\n\n" if table.header and table.rows else "\n"
        for row in rows:
            for k, cell in enumerate([*row, *[""] * (count - len(row))]):
                out += f"{'     ' if k else '   * '}- {cell}".rstrip() + "\n"
        return out


def _known(body: str) -> str:
    for sign, known in _KNOWN.items():
        body = body.replace(sign, known)
    return body.strip()


def _math(body: str) -> str:
    body = _known(body)
    return f"{_JOINT}:math:`{body}`{_JOINT}" if body else ""


def _line(text: str) -> str:
    """What is written on one line, so that its start is no mark of a list, a title, or anything else."""
    text = _NO_JOINT.sub("", " ".join(text.split())).replace(_JOINT, "\\ ")
    if not text or text.startswith((":math:`", "**", "``")):
        return text
    number = _LIST.match(text)
    if number:
        return f"{number.group()}\\{text[number.end() :]}"
    if not any(map(str.isalnum, text)):
        return f"\\ {text}"  # no line under a title
    return text if text[0].isalnum() or text[0] == "\\" else f"\\{text}"


FORMAT = Rst()
