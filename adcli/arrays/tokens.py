"""Tokens of the language of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import Source, Span, SyntaxProblem
from ..patterns import pattern
from ..records import NamedTuple
from .shapes import Shape

NUMBER, NAME, TRANSPOSE, END = "number", "name", "transpose", "end"

_MARK = r"(?:T|⊤|\\(?:top|intercal|mathsf\{T\}|mathrm\{T\}))"  # of a transpose, in braces
_TOKENS = {
    "space": (r"(?:\s|\\[,;:! ]|\\q?quad(?![a-zA-Z])|\\(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z])\.?)+",),
    "number": (r"(?:[0-9]+(?:\.(?![*/^])[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?",),
    "transpose": (
        rf"\^\s*\{{\s*{_MARK}\s*\}}",
        r"\^\s*(?:T(?!\w)|⊤|\\(?:top|intercal)(?![a-zA-Z]))",
        r"[ᵀ⊤'’′]",
    ),
    "super": (r"⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+",),
    "bars": (r"\\[lr]?Vert(?![a-zA-Z])|\\\||‖|\|\|",),
    "sign": (
        r"\\(?:odot|oslash|cdot|times|le|ge|leq|geq|lvert|rvert|vert)(?![a-zA-Z])",
        r"\.\*|\./|\.\^|\*\*|<=|>=|==|!=|:=|[-+*/^@,;=<>()\[\]{}|⊙∘⊘×·⋅−–≤≥≠]",
    ),
    "name": (
        r"\\(?:operatorname|mathrm|mathbf|boldsymbol|mathit|text|bm)\*?\{[^\W\d]\w*\}(?:_\{?\w+\}?)?",
        r"\\?[^\W\dᵀ](?:(?!_\{|[ᵀ⁰¹²³⁴-⁹])\w)*(?:_\{\w+\})?",
    ),
}  # tried in this order
_TOKEN = pattern("|".join(f"(?P<{kind}>{'|'.join(forms)})" for kind, forms in _TOKENS.items()))
_SIGNS = {
    "\\odot": ".*", "⊙": ".*", "∘": ".*", "\\oslash": "./", "⊘": "./", "\\cdot": "*", "\\times": "*", "×": "*",
    "·": "*", "⋅": "*", "−": "-", "–": "-", "**": "^", ":=": "=", "\\le": "<=", "\\leq": "<=", "≤": "<=",
    "\\ge": ">=", "\\geq": ">=", "≥": ">=", "≠": "!=", "{": "(", "}": ")", "\\lvert": "|", "\\rvert": "|",
    "\\vert": "|",
}  # fmt: skip
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


class ArrayToken(NamedTuple):
    """One token: its kind (NUMBER, NAME, TRANSPOSE, END, or the sign itself), its text in the spelling of the
    language, and its place in the source."""

    kind: str
    text: str
    start: int
    end: int


def scan(source: Source, known: Mapping[str, Shape]) -> list[ArrayToken]:
    """Return the tokens of a program of arrays; the last one is END.

    `known` are the shapes of names with values: `x'` is a name if it is one of them, and `^T` a power if T is a number.
    Raises SyntaxProblem for a character that is not part of the language.
    """
    return [*_tokens(source, known), ArrayToken(END, "", len(source.text), len(source.text) + 1)]


def _tokens(source: Source, known: Mapping[str, Shape]) -> Iterator[ArrayToken]:
    """Yield the tokens in order, without END; blanks are skipped.

    Raises SyntaxProblem for a character that is not part of the language.
    """
    text, place = source.text, 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise SyntaxProblem(
                f"{text[place]} is not part of an expression with arrays", Span(place, place + 1, source),
                help="products are A x, A @ x or x .* y, a transpose is x^T",
            )  # fmt: skip
        start, place = place, match.end()
        word, kind = match.group(), match.lastgroup
        if kind == "name":
            name = plain_name(word)
            if text.startswith("'", place) and name + "'" in known:
                name, place = name + "'", place + 1
            yield ArrayToken(NAME, name, start, place)
        elif kind == TRANSPOSE and word[0] == "^" and known.get("T") == ():
            yield ArrayToken("^", "^", start, start + 1)
            yield ArrayToken(NAME, "T", start + 1, place)
        elif kind == "super":
            yield ArrayToken("^", "^", start, start)
            yield ArrayToken(NUMBER, word.translate(_RAISED), start, place)
        elif kind == "sign":
            sign = _SIGNS.get(word, word)
            yield ArrayToken(sign, sign, start, place)
        elif kind != "space":
            yield ArrayToken("‖" if kind == "bars" else str(kind), word, start, place)


def plain_name(word: str) -> str:
    r"""Return a name without LaTeX: `\mathbf{W}_{1}` is W1, `\theta` is theta, `W_1` stays."""
    if word.startswith("\\"):
        command, brace, rest = word[1:].partition("{")
        word = rest.replace("}", "", 1) if brace and command.rstrip("*") in _FONTS else word[1:]
        word = word.replace("_", "") if brace and command.rstrip("*") in _FONTS else word
    return word.replace("_{", "_").replace("{", "").replace("}", "")


_FONTS = frozenset(("operatorname", "mathrm", "mathbf", "boldsymbol", "mathit", "text", "bm"))
