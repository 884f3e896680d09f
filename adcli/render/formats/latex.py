"""LaTeX: booktabs tables to paste into a document, or a document that compiles alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ...notation.latex import latex_name
from ...notation.names import name_parts
from .. import mathematics
from ..cells import (
    Bar,
    Items,
    Judgement,
    LatexLines,
    Marked,
    Part,
    Strong,
    Table,
    column_widths,
    columns_apart,
    is_formula,
    visible,
)
from ..format import Document, Format

PACKAGES = "amsmath,array,booktabs,longtable"

_WIDEST = 104  # digits that stand side by side on a page
_BETWEEN = 3  # digits between two columns
_NARROWEST = 14  # the same that a column of words must have, and a long formula; else the table is taken apart
_LONG_FORMULA = 40
_LONGEST = 40  # a table of more rows is broken over pages
_UNBROKEN = 60  # a longer text without blanks may be broken at its signs

_TEXT = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\char34{}", "`": r"\textasciigrave{}",
    "\ufffd": "?", "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "÷": r"$\div$", "√": r"$\surd$", "∂": r"$\partial$",
    "→": r"$\to$", "≤": r"$\le$", "≥": r"$\ge$", "≠": r"$\ne$", "…": r"\dots{}", "²": "$^2$", "³": "$^3$",
    "≈": r"$\approx$",
}  # fmt: skip
_SIGNS = {
    "−": "-", "×": r"\times", "·": r"\cdot", "*": r"\cdot", "≤": r"\le", "<=": r"\le", "≥": r"\ge", ">=": r"\ge",
    "≠": r"\ne", "!=": r"\ne", "==": "=", "->": r"\to", "→": r"\to", "…": r"\dots", "∂": r"\partial", "π": r"\pi",
    "τ": r"\tau", "and": r"\land", "or": r"\lor", "not": r"\lnot", "mod": r"\bmod", "√": r"\surd", "|(": r"\mathopen|",
    "|)": r"\mathclose|", "{": r"\{", "}": r"\}", "%": r"\mathbin{\%}", "^": r"\wedge", "\\": r"\backslash",
    "<": "<", ">": ">", "≈": r"\approx",
}  # fmt: skip
_RELATIONS = frozenset(("=", "<", ">", "≤", "≥", "≠", "<=", ">=", "!=", "==", "->", "→"))
_AROUND = frozenset("+−-×·*%") | mathematics.JOINING
_LIGATURE = re.compile(r"([-,'])(?=\1)")
_BREAKABLE = re.compile(r"([-+*/=;,)])(?=[^\s])")


def escaped(text: str) -> str:
    """The text as text in LaTeX: no command, no mathematics, no ligature."""
    return _LIGATURE.sub(r"\1{}", "".join(_letter(c) for c in visible(text)))


def _letter(c: str) -> str:
    if c in _TEXT:
        return _TEXT[c]
    spelled = name_parts(c)[0] if not c.isascii() else c
    return f"$\\{spelled}$" if spelled != c else c


def formula(text: str) -> str:
    """The formula of a cell as inline mathematics."""
    return _inline(mathematics.formula(text, DIALECT))


def words(text: str) -> str:
    """A text of ours, with inline mathematics for each formula in it."""
    return mathematics.words(text, DIALECT)


def _inline(body: str) -> str:
    return f"${body.strip()}$" if body.strip() else ""


def _name(name: str, accent: str) -> str:
    return "\\partial " if name == "∂" else latex_name(name, *filter(None, (accent,)))


def _number(text: str) -> str:
    mantissa, e, power = text.partition("e")
    return f"{mantissa} \\cdot 10^{{{int(power.replace('−', '-'))}}}" if e else mantissa


def _function(word: str, index: str) -> str:
    name = f"\\{word}" if word in _COMMANDS else f"\\operatorname{{{word}}}"
    return f"{name}_{{{index}}} " if index else f"{name} "


_COMMANDS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp log max min".split()  # noqa: SIM905
)


def _sign(sign: str, before: bool) -> str:
    if sign in (",", ";"):
        return f"{sign} "
    shown = _SIGNS.get(sign) or (sign if sign.isascii() and sign not in _TEXT else f"\\textnormal{{{escaped(sign)}}}")
    if sign in _RELATIONS or (sign in _AROUND and not before):
        return f" {shown} "
    return f"{shown} " if shown[-1].isalpha() else shown


DIALECT = mathematics.Dialect(
    name=_name,
    number=_number,
    function=_function,
    sign=_sign,
    around=_inline,
    text=escaped,
    apply="",
    times="\\,",
    power=("", "^{", "}"),
    root=("\\sqrt{", "}"),
)


# --- the format ------------------------------------------------------------------------------------------------------


class LaTeX(Format):
    """LaTeX; with `alone` formulas are displayed, else they stand by themselves, to be put wherever one wants."""

    name = "latex"
    suffixes = (".tex",)
    displays = True

    def __init__(self, alone: bool = False) -> None:
        self.alone = alone

    def escaped(self, text: str) -> str:
        return escaped(text)

    def formula(self, text: str) -> str:
        return formula(text)

    def words(self, text: str) -> str:
        return words(text)

    def strong(self, text: Strong) -> str:
        return f"\\textbf{{{escaped(text)}}}"

    def code(self, text: str) -> str:
        return f"\\texttt{{{escaped(text)}}}"

    def marked(self, text: Marked) -> str:
        return f"\\underline{{{self.code(text)}}}"

    def verdict(self, text: Judgement) -> str:
        return escaped(text.words)

    def bar(self, text: Bar) -> str:
        return f"\\rule{{{float(8 * text.share):.2f}em}}{{1.4ex}}"

    def heading(self, text: str, level: int) -> str:
        if "$" not in text and any(len(word) > _UNBROKEN for word in text.split()):
            text = _BREAKABLE.sub(r"\1\\allowbreak{}", text)
        return f"\\{'sub' * (level - 1)}section*{{\\raggedright {text}}}\n"

    def paragraph(self, text: str) -> str:
        return f"\\noindent {text}\\par\n"

    def items(self, items: Items) -> str:
        kind = "itemize" if items.first is None else "enumerate"
        start = f"\\setcounter{{enumi}}{{{items.first - 1}}}\n" if items.first is not None else ""
        found = [[self.inline(text) for text in item if text] for item in items.items]
        lines = "".join("\\item{} " + "\\newline{}\n".join(item) + "\n" for item in found)
        return f"\\begin{{{kind}}}\n{start}{lines}\\end{{{kind}}}\n"

    def latex(self, text: str) -> str:
        """Formulas of a line each as paragraphs, which break where they are too long; displays stay as they are."""
        if not self.alone or text.startswith("\\["):
            return text
        return "".join(f"\\noindent$\\displaystyle {line}$\\par\\medskip\n" for line in text.splitlines())

    def apart(self, before: Part, part: Part) -> bool:
        return not (isinstance(before, LatexLines) and isinstance(part, LatexLines))

    def body(self, parts: Document) -> str:
        """The parts one below the other; formulas are displayed where they go with tables."""
        if not self.alone and any(isinstance(part, Table) for part in parts):
            return LaTeX(alone=True).body(parts)
        return super().body(parts)

    def opening(self, parts: Document) -> str:
        return f"% needs \\usepackage{{{PACKAGES}}}\n" if any(isinstance(part, Table) for part in parts) else ""

    def document(self, problems: Sequence[Document], title: str) -> str:
        """A whole document; letters that no font of pdflatex has are declared to be shown by their numbers."""
        alone = LaTeX(alone=True)
        return _whole("\n".join(alone.body(parts) for parts in problems))

    def table(self, table: Table) -> str:
        """The table between booktabs rules, or several of fewer columns where it is too wide for a page.

        Columns of formulas alone are never taken apart, since each goes on where the one before it ends.
        """
        worded = _worded(table)
        if not table.right and not any(worded[1:]):
            return self._drawn(table)
        widths = zip(column_widths(table), worded, strict=True)
        least = [min(wide, _NARROWEST if is_words else _LONG_FORMULA) + _BETWEEN for wide, is_words in widths]
        return "\n".join(self._drawn(part) for part in columns_apart(table, least, _WIDEST))

    def _drawn(self, table: Table) -> str:
        widths = [wide + _BETWEEN for wide in column_widths(table)]
        limits = _limits(widths, _worded(table))
        kinds = [
            f">{{\\raggedright\\arraybackslash}}p{{{(limit - _BETWEEN) / _WIDEST:.2f}\\linewidth}}" if wide > limit
            else "r" if k in table.right else "l"
            for k, (wide, limit) in enumerate(zip(widths, limits, strict=True))
        ]  # fmt: skip
        lines = ["\\toprule"]
        if table.header:
            lines += [_row([self.caption(text) for text in table.header], len(widths)), "\\midrule"]
        if long := len(table.rows) > _LONGEST:
            lines.append("\\endhead")
        for place, row in enumerate(table.rows):
            if place in table.rules:
                lines.append("\\midrule")
            lines.append(_row([self._cell(text, widths[k] > limits[k]) for k, text in enumerate(row)], len(widths)))
        lines.append("\\bottomrule")
        title = f"\\noindent {self.caption(table.title)}\\par\\nobreak\\medskip\n" if table.title else ""
        environment, start, side = ("longtable", "", "[l]") if long else ("tabular", "\\noindent", "")
        body = "".join(line + "\n" for line in lines)
        return (
            f"{title}{start}\\begin{{{environment}}}{side}{{@{{}}{''.join(kinds)}@{{}}}}\n"
            f"{body}\\end{{{environment}}}\\par\\bigskip\n"
        )

    def _cell(self, text: str, broken: bool) -> str:
        shown = self.inline(text)
        return shown.replace(", ", ",\\allowbreak ") if broken and is_formula(text) else shown


def _worded(table: Table) -> list[bool]:
    """Which columns have nothing but words."""
    count = len(column_widths(table))
    columns = [[text for row in table.rows for text in row[k : k + 1] if text] for k in range(count)]
    return [bool(column) and not any(map(is_formula, column)) for column in columns]


def _limits(widths: Sequence[int], worded: Sequence[bool]) -> list[float]:
    """The width beyond which each column is broken into lines: words first, formulas where that is not enough."""
    of_words = [wide for wide, is_words in zip(widths, worded, strict=True) if is_words]
    page = _WIDEST - (sum(widths) - sum(of_words))
    if page >= sum(min(wide, _NARROWEST + _BETWEEN) for wide in of_words):
        limit = _fair(of_words, page)
        return [limit if is_words else float(wide) for wide, is_words in zip(widths, worded, strict=True)]
    return [_fair(widths, _WIDEST)] * len(widths)


def _fair(widths: Sequence[int], page: float) -> float:
    """The width up to which columns stay as they are, so that those which are broken share the rest of a page."""
    for place, wide in enumerate(sorted(widths)):
        fair = page / (len(widths) - place)
        if wide > fair:
            return fair
        page -= wide
    return max(widths, default=0)


def _row(cells: Sequence[str], count: int) -> str:
    first = "{}" if cells[0].startswith("[") else ""  # which would belong to the end of the row before
    return first + " & ".join([*cells, *[""] * (count - len(cells))]) + " \\\\"


def _whole(text: str) -> str:
    unknown = sorted({c for c in text if ord(c) > 0x7F and unicodedata.category(c)[0] in "LMNPSZC"})
    declared = "".join(
        f"\\ifcsname u8:\\detokenize{{{c}}}\\endcsname\\else\\DeclareUnicodeCharacter{{{ord(c):04X}}}"
        f"{{\\texttt{{U+{ord(c):04X}}}}}\\fi\n"
        for c in unknown
    )
    if declared:
        declared = f"\\ifdefined\\DeclareUnicodeCharacter\n{declared}\\fi\n"
    return (
        "\\documentclass[a4paper]{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n"
        "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n\\usepackage[margin=2cm]{geometry}\n"
        f"\\usepackage{{{PACKAGES}}}\n\\renewcommand{{\\arraystretch}}{{1.15}}\n{declared}"
        f"\\begin{{document}}\n\\small\n{text}\\end{{document}}\n"
    )


FORMAT = LaTeX()
