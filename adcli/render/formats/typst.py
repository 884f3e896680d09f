"""Typst: tables between rules, and mathematics in its own notation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...notation.names import GREEK, name_parts
from .. import mathematics
from ..cells import Bar, Items, Judgement, Marked, Strong, Table, visible
from ..format import Format

_SIGNS = re.compile(r"""([\\#*_`$<>@=~\[\]"'/+-]|\.(?=\.)|(?<=\.)\.|^\d+(?=\.))""")
_OPERATORS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp log max min".split()  # noqa: SIM905
)
_SHOWN = {
    "−": "-", "-": "-", "+": "+", "=": "=", "<": "<", ">": ">", ",": ",", "!": "!", "×": "times", "·": "dot.op",
    "*": "dot.op", "≤": "<=", "<=": "<=", "≥": ">=", ">=": ">=", "≠": "!=", "!=": "!=", "==": "=", "->": "->",
    "→": "->", "…": "dots", "∂": "partial", "π": "pi", "τ": "tau", "and": "and", "or": "or", "not": "not",
    "mod": "mod", "|(": r"\|", "|)": r"\|", "≈": "approx",
}  # fmt: skip
_ACCENTS = {"dot": "dot", "bar": "macron"}


class Typst(Format):
    """Typst as its compiler reads it."""

    name = "typst"
    suffixes = (".typ",)

    def escaped(self, text: str) -> str:
        return _escaped(text)

    def formula(self, text: str) -> str:
        return _around(mathematics.formula(text, DIALECT))

    def words(self, text: str) -> str:
        return mathematics.words(text, DIALECT)

    def strong(self, text: Strong) -> str:
        return f"#strong[{_escaped(text)}];"

    def code(self, text: str) -> str:
        return f"#raw({_quoted(text)});"

    def marked(self, text: Marked) -> str:
        return f"#underline[{self.code(text)}];"

    def verdict(self, text: Judgement) -> str:
        return _escaped(text.words)

    def bar(self, text: Bar) -> str:
        return f"#rect(width: {float(8 * text.share):.2f}em, height: 0.8em, fill: gray);"

    def heading(self, text: str, level: int) -> str:
        return f"{'=' * level} {text}\n"

    def formulas(self, lines: Sequence[str]) -> str:
        return "".join(f"$ {mathematics.formula(line, DIALECT).strip()} $\n" for line in lines)

    def items(self, items: Items) -> str:
        out = ""
        for number, lines in enumerate(items.items, items.first or 0):
            head = "- " if items.first is None else f"{number}. "
            out += head + f" \\\n{' ' * len(head)}".join(self.inline(line) for line in lines if line) + "\n"
        return out

    def table(self, table: Table) -> str:
        """A table between rules, its title above it."""
        count = max((len(row) for row in [table.header, *table.rows]), default=0)
        if not count:
            return ""
        sides = ", ".join("right" if k in table.right else "left" for k in range(count))
        out = f"{self.caption(table.title)}\n\n" if table.title else ""
        out += f"#table(\n  columns: {count}, align: ({sides},), stroke: none,\n  table.hline(),\n"
        if table.header:
            out += f"  table.header({_cells(map(self.caption, table.header))}),\n  table.hline(),\n"
        for place, row in enumerate(table.rows):
            if place in table.rules:
                out += "  table.hline(stroke: 0.5pt),\n"
            out += f"  {_cells(map(self.inline, [*row, *[''] * (count - len(row))]))},\n"
        return f"{out}  table.hline(),\n)\n"


def _cells(cells: Iterable[str]) -> str:
    return ", ".join(f"[{cell}]" for cell in cells)


def _escaped(text: str) -> str:
    return _SIGNS.sub(_apart, visible(text))


def _apart(match: re.Match[str]) -> str:
    """A sign that means something as itself; a number that would start a list keeps its dot."""
    return f"{match[1]}\\" if match[1].isdigit() else f"\\{match[1]}"


def _quoted(text: str) -> str:
    return '"' + visible(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _around(body: str) -> str:
    return f"${body.strip()}$" if body.strip() else ""


def _name(name: str, accent: str) -> str:
    if name == "∂":
        return "partial "
    stem, subscript, primes = name_parts(name)
    if stem not in GREEK and (len(stem) > 1 or not stem.isascii()):
        stem = _quoted(stem)
    if accent:
        stem = f"{_ACCENTS[accent]}({stem})"
    lowered = subscript if subscript.isdecimal() else _quoted(subscript)
    return stem + primes + (f"_{lowered} " if subscript else " ")


def _number(text: str) -> str:
    mantissa, e, power = text.partition("e")
    return f"{mantissa} dot.op 10^({int(power.replace('−', '-'))}) " if e else f"{mantissa} "


def _function(word: str, index: str) -> str:
    name = word if word in _OPERATORS else f"op({_quoted(word)})"
    return f"{name}_{index} " if index else f"{name} "


def _sign(sign: str, _: bool) -> str:
    if sign in _SHOWN:
        return f"{_SHOWN[sign]} "
    return f"\\{sign} " if sign.isascii() and len(sign) == 1 else f"{_quoted(sign)} "


DIALECT = mathematics.Dialect(
    name=_name,
    number=_number,
    function=_function,
    sign=_sign,
    around=_around,
    text=_escaped,
    apply="",
    times="thin ",
    power=("", "^(", ")"),
    root=("sqrt(", ")"),
)

FORMAT = Typst()
