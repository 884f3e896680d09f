"""Tables and lines as LaTeX: booktabs tables to paste into a document, or a document that compiles alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ..language.formula import latex_name, name_parts
from . import mathematics
from .cells import HEADING, LATEX, WORDS, Line, Part, Table, columns_apart, visible, width

PACKAGES = "amsmath,array,booktabs,longtable"

_WIDEST = 105  # characters of a table as plain text that a page takes
_PARAGRAPH = 40  # a column with longer cells is broken into lines where the page asks for it
_LONGEST = 40  # a table of more rows is broken over pages
_UNBROKEN = 60  # a longer text without blanks may be broken at its signs

_TEXT = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "\ufffd": "?", "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "÷": r"$\div$", "√": r"$\surd$", "∂": r"$\partial$",
    "→": r"$\to$", "≤": r"$\le$", "≥": r"$\ge$", "≠": r"$\ne$", "…": r"\dots{}", "²": "$^2$", "³": "$^3$",
}  # fmt: skip
_SIGNS = {
    "−": "-", "×": r"\times", "·": r"\cdot", "*": r"\cdot", "≤": r"\le", "<=": r"\le", "≥": r"\ge", ">=": r"\ge",
    "≠": r"\ne", "!=": r"\ne", "==": "=", "->": r"\to", "→": r"\to", "…": r"\dots", "∂": r"\partial", "π": r"\pi",
    "τ": r"\tau", "and": r"\land", "or": r"\lor", "not": r"\lnot", "mod": r"\bmod", "√": r"\surd", "|(": r"\mathopen|",
    "|)": r"\mathclose|", "{": r"\{", "}": r"\}", "^": r"\wedge", "\\": r"\backslash", "<": "<", ">": ">",
}  # fmt: skip
_RELATIONS = frozenset(("=", "<", ">", "≤", "≥", "≠", "<=", ">=", "!=", "==", "->", "→"))
_AROUND = frozenset("+−-×·*") | mathematics.JOINING
_LIGATURE = re.compile(r"([-,])(?=\1)")
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
    return f"${body.strip()}$"


def _name(name: str, accent: str) -> str:
    return "\\partial " if name == "∂" else latex_name(name, accent)


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
    fraction=("\\frac{", "}{", "}"),
    root=("\\sqrt{", "}"),
)


# --- tables ----------------------------------------------------------------------------------------------------------


def draw(table: Table) -> str:
    """The table between booktabs rules, or several of fewer columns where it is too wide for a page."""
    return "\n".join(_drawn(part) for part in columns_apart(table, _width, _WIDEST))


def _width(text: str) -> int:
    return min(width(text), _PARAGRAPH) + 2


def _drawn(table: Table) -> str:
    every = [table.header, *table.rows]
    count = max(len(row) for row in every)
    environment = "tabular" if len(table.rows) <= _LONGEST else "longtable"
    lines = ["\\toprule"]
    if table.header:
        lines += [_row([words(text) for text in table.header], count), "\\midrule"]
    if environment == "longtable":
        lines.append("\\endhead")
    for place, row in enumerate(table.rows):
        if place in table.rules:
            lines.append("\\midrule")
        lines.append(_row([_cell(k, text, table) for k, text in enumerate(row)], count))
    lines.append("\\bottomrule")
    rows = "".join(line + "\n" for line in lines)
    title = f"\\noindent {words(table.title)}\\par\\nobreak\\smallskip\n" if table.title else ""
    start = "\\noindent" if environment == "tabular" else ""
    columns = _columns(table, every, count)
    return f"{title}{start}\\begin{{{environment}}}{{@{{}}{columns}@{{}}}}\n{rows}\\end{{{environment}}}\n"


def _cell(k: int, text: str, table: Table) -> str:
    if not text:
        return ""
    return words(text) if k in table.words else formula(text)


def _row(cells: Sequence[str], count: int) -> str:
    return " & ".join([*cells, *[""] * (count - len(cells))]) + " \\\\"


def _columns(table: Table, every: Sequence[tuple[str, ...]], count: int) -> str:
    """The columns as `l` and `r`; where the page is too narrow, long ones share what the others leave of it."""
    widths = [max(width(row[k]) + 2 if k < len(row) else 0 for row in every) for k in range(count)]
    wraps = [k for k in range(count) if widths[k] > _PARAGRAPH] if sum(widths) > _WIDEST else []
    left = _WIDEST - sum(widths[k] for k in range(count) if k not in wraps)
    asked = sum(widths[k] for k in wraps)
    out = []
    for k in range(count):
        if k in wraps:
            share = max(left * widths[k] / asked, _PARAGRAPH / 2) / _WIDEST
            out.append(f">{{\\raggedright\\arraybackslash}}p{{{share:.2f}\\linewidth}}")
        else:
            out.append("r" if k in table.right else "l")
    return "".join(out)


# --- documents -------------------------------------------------------------------------------------------------------


def body(parts: Sequence[Part], alone: bool = False) -> str:
    """The parts one below the other, as they are pasted into a document; with `alone` ready to be compiled."""
    out = ""
    before: Part | None = None
    for part in parts:
        if before is not None and not (_is_latex(part) and _is_latex(before)):
            out += "\n"
        out += draw(part) if isinstance(part, Table) else _line(part, alone)
        before = part
    return out


def _is_latex(part: Part) -> bool:
    return isinstance(part, Line) and part.kind == LATEX


def _line(line: Line, alone: bool) -> str:
    if line.kind == LATEX:
        return _displayed(line.text) if alone else line.text
    if line.kind == HEADING:
        text = escaped(line.text)
        if any(len(word) > _UNBROKEN for word in line.text.split()):
            text = _BREAKABLE.sub(r"\1\\allowbreak{}", text)
        return f"\\subsection*{{{text}}}\n"
    return f"\\noindent {words(line.text) if line.kind == WORDS else formula(line.text)}\\par\n"


def _displayed(text: str) -> str:
    """Formulas of a line each as paragraphs, which break where they are too long; displays stay as they are."""
    if text.startswith("\\["):
        return text
    return "".join(f"\\noindent$\\displaystyle {line}$\\par\\medskip\n" for line in text.splitlines())


def document(text: str) -> str:
    """A whole document; letters that no font of pdflatex has are declared to be shown by their numbers."""
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
