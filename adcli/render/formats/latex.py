"""Tables and lines as LaTeX: booktabs tables to paste into a document, or a document that compiles alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ...notation.latex import latex_name
from ...notation.names import name_parts
from .. import mathematics
from ..cells import HEADING, LATEX, WORDS, Line, Part, Table, Words, column_widths, columns_apart, visible

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


# --- tables ----------------------------------------------------------------------------------------------------------


def draw(table: Table) -> str:
    """The table between booktabs rules, or several of fewer columns where it is too wide for a page.

    Columns of formulas alone are never taken apart, since each goes on where the one before it ends.
    """
    worded = _worded(table)
    if not table.right and not any(worded[1:]):
        return _drawn(table)
    widths = zip(column_widths(table), worded, strict=True)
    least = [min(wide, _NARROWEST if is_words else _LONG_FORMULA) + _BETWEEN for wide, is_words in widths]
    return "\n".join(_drawn(part) for part in columns_apart(table, least, _WIDEST))


def _worded(table: Table) -> list[bool]:
    """Which columns have nothing but words."""
    count = len(column_widths(table))
    columns = [[text for row in table.rows for text in row[k : k + 1] if text] for k in range(count)]
    return [bool(column) and all(isinstance(text, Words) for text in column) for column in columns]


def _drawn(table: Table) -> str:
    widths = [wide + _BETWEEN for wide in column_widths(table)]
    limits = _limits(widths, _worded(table))
    kinds = [
        f">{{\\raggedright\\arraybackslash}}p{{{(limit - _BETWEEN) / _WIDEST:.2f}\\linewidth}}" if wide > limit
        else "r" if k in table.right else "l"
        for k, (wide, limit) in enumerate(zip(widths, limits, strict=True))
    ]  # fmt: skip
    lines = ["\\toprule"]
    if table.header:
        lines += [_row([words(text) for text in table.header], len(widths)), "\\midrule"]
    if long := len(table.rows) > _LONGEST:
        lines.append("\\endhead")
    for place, row in enumerate(table.rows):
        if place in table.rules:
            lines.append("\\midrule")
        lines.append(_row([_cell(text, widths[k] > limits[k]) for k, text in enumerate(row)], len(widths)))
    lines.append("\\bottomrule")
    title = f"\\noindent {words(table.title)}\\par\\nobreak\\medskip\n" if table.title else ""
    environment, start, side = ("longtable", "", "[l]") if long else ("tabular", "\\noindent", "")
    body = "".join(line + "\n" for line in lines)
    return (
        f"{title}{start}\\begin{{{environment}}}{side}{{@{{}}{''.join(kinds)}@{{}}}}\n"
        f"{body}\\end{{{environment}}}\\par\\bigskip\n"
    )


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


def _cell(text: str, broken: bool) -> str:
    if not text:
        return ""
    if isinstance(text, Words):
        return words(text)
    return formula(text).replace(", ", ",\\allowbreak ") if broken else formula(text)


def _row(cells: Sequence[str], count: int) -> str:
    return " & ".join([*cells, *[""] * (count - len(cells))]) + " \\\\"


# --- documents -------------------------------------------------------------------------------------------------------


def body(parts: Sequence[Part], alone: bool = False) -> str:
    """The parts one below the other, as they are pasted into a document.

    Formulas stand by themselves, to be put wherever one wants, unless they go with tables or are compiled `alone`.
    """
    alone = alone or any(isinstance(part, Table) for part in parts)
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
        return f"\\subsection*{{\\raggedright {text}}}\n"
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
