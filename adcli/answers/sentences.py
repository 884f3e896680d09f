"""Sentences that state rows: `the value of f is 10`, `hence the gradient is (3, 2)`, `if x < 0, m' = -1`.

Every text keeps its length, so that each character still has its place in the student's line.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping

from ..graph.graph import CONSTANTS
from ..notation.typeset_names import GREEK
from ..patterns import pattern
from ..table.primitive import lookup
from .line_rewriting import BLANK, apply_rule, apply_rules, rewritings
from .row_tokens import BY, DERIVATIVE, EQUALS, HENCE, IS, NAME, chunks
from .symbols import WORDS, Names

_EQUAL = ("equal", "ist gleich", "égal", "igual", "amount", "comes to", "become", "vaut", "vale ")
_EQUALS = rewritings((_EQUAL, rf"(?<=[\w)'}}])\s++(?:{IS}\s++)?(?:{HENCE}\s++)?{EQUALS}(?=\s++\S)", " ="))
_IS = (" is ", " are ", " ist ", " est ", " es ")
_STATES = pattern(
    rf"(?<=[\w)'}}\u0304\u0307])\s++{IS}(?:\s++(?:{HENCE}|given by|about|approximately|roughly|exactly|simply|just))*+"
    r"(?=\s++(?:[-−+]?\s?\.?\d|[(\[]))"
)
_CLAUSE = pattern(r"[=≈,;:]|\.\s|\b(?:and|und|et|so|that|then|thus|hence)\b|(?<=\s)y(?=\s)")
_GRADIENT = ("gradient", "grad ", "jacobi", "∇")
_LIST = r"[(\[][^()\[\]=,]*+,[^()\[\]=]*+[)\]]"
_GRADIENTS = rewritings(
    (("gradient",), r"(?<=[Gg]radient)\s++(?:vector|at\s++(?:this|the)\s++point|here|there|dort|hier)(?!\w)", ""),
    (("gradient",), rf"(?<=[Gg]radient)((?:en|e|s)?+)\s(?=\s*+{_LIST}\s*+[.;!]?\s*+\Z)", r"\1="),
)  # fmt: skip
_WHOSE = rf"{BY}\s++(?P<below>{NAME})"
_SUBJECT = r"(?:(?:it|this|that|the\s++(?:derivative|slope|result)|we|I|one|you|sie|es|das|man|elle|il|on|ella)\s++)?"
_GIVES = (
    r"(?:is|equals|gives|yields|get|have|ist|ergibt\s++(?:sie|sich)|ergibt|erhält\s++man|est|vaut|donne|es|vale|da)"
    r"(?:\s++(?:sie|es|man))?"
)
_PARTIALS = tuple(
    pattern(shape, re.IGNORECASE)
    for shape in (
        rf"(?:(?:the|die|la)\s++)?(?:partial\s++|partielle\s++)?{DERIVATIVE}(?:\s++partielle)?\s++{_WHOSE}"
        r"(?=\s*+[:=]\s*+\S|\s++(?:is|ist|est|es|equals|vaut|vale)\s)",
        rf"(?:(?:differentiat\w++|derived|and|und|et|y)\s++)?(?<!\w){_WHOSE},?\s++{_SUBJECT}{_GIVES}\s++"
        r"(?=(?P<next>[-−+]?\s?\.?\d|[-−+]?\(|[^\W\d]\w*+))",
    )
)
_BY = ("respect", "wrt", "w.r.t", "nach ", "bezüglich", "bzgl", "rapport")
_NUMBER = r"[-−+]?\d++(?:\.\d++)?"
_COMPARED = {">": operator.gt, "<": operator.lt} | {
    sign: compare
    for signs, compare in (
        ((">=", "=>", "≥", "\\ge", "\\geq"), operator.ge),
        (("<=", "=<", "≤", "\\le", "\\leq"), operator.le),
    )
    for sign in signs
}
_CONJUNCTIONS = r"if|for|when|whenever|where|since|because|as|falls|wenn|für|weil|da|bei|si|pour|car|quand|para|porque"
_CONDITION = pattern(
    rf"(?P<word>(?<![^\W_])(?:{_CONJUNCTIONS})\s++)?(?<![\w*/^+-])(?P<name>[^\W\d]\w*+)\s*+(?:=\s*+{_NUMBER}\s*+)?"
    rf"(?P<sign>>=|<=|=>(?=\s*+\d)|=<|[<>≥≤]|\\[gl]eq?(?![a-z]))\s*+(?P<bound>{_NUMBER})(?![\w.]*[\w*/^(])",
    re.IGNORECASE,
)
_COMPARISONS = ("<", ">", "≥", "≤", "\\le", "\\ge")
_MARKS = ("bar", "dot", "adj", "grad")  # of derivatives
_CLOSING = frozenset(")]}")
_END = pattern(r"[.;,](?=\s|\Z)|\Z")


def as_equations(text: str, names: Names, is_row: Callable[[str], bool]) -> str:
    """Return the line `text` with verbs that give a row its value, as in `f is 10`, as equals signs.

    `equals`, `becomes` and their like always turn into signs; `is` and `are` only if `is_row` is true of the words
    before or these mention a gradient. Derivatives in words become symbols if there is one output. The length stays the
    same.
    """
    lower = text.lower()

    def has_row(match: re.Match[str]) -> str:
        said = _CLAUSE.split(match.string[: match.start()])[-1]
        row = is_row(said) or any(word in said.lower() + " " for word in _GRADIENT)
        return " =" if row else match[0]

    def partial(match: re.Match[str]) -> str:
        return _partial(match, names)

    if any(word in lower for word in _BY) and len(names.outputs) == 1:
        for shape in _PARTIALS:
            text = apply_rule(text, shape, partial)
    text = apply_rules(apply_rules(text, _EQUALS), _GRADIENTS)
    return apply_rule(text, _STATES, has_row) if any(word in lower for word in _IS) else text


def _partial(match: re.Match[str], names: Names) -> str:
    """Return `derivative with respect to x` as ∂y/∂x, and `with respect to x it is` as `; ∂y/∂x =`.

    The match is unchanged if x is not an input, or if neither a number nor a known name follows the verb.
    """
    following = match.groupdict().get("next", "")
    known = not following[:1].isalpha() or names.own(following) in names.known.values()
    if names.own(match["below"]) not in names.inputs or not known:
        return match[0]
    symbol = f"∂{names.outputs[0]}/∂{match['below']}"
    return f"; {symbol} =" if following else symbol


def begins_after_words(text: str, names: Names) -> int | None:
    """Return the offset of the symbol after words at the end of a piece `text`, as in `6 we have f`; None if there is
    none.

    The offset is that of the first of the words. A number, a closing bracket or a known name must come before them, and
    one of the words must have two or more letters.
    """
    words = [(start, text[start:end]) for start, end in chunks(text)]
    if len(words) < 3 or (is_word(words[-1][1], names) and not words[-1][1].endswith(_MARKS)):
        return None
    first = last = len(words) - 1
    while first > 1 and is_word(words[first - 1][1], names):
        first -= 1
    before = words[first - 1][1].rstrip(",:")
    whole = before[-1:].isdigit() or before[-1:] in _CLOSING or before in names.known
    said = any(len(word.rstrip(",:")) > 1 for _, word in words[first:last])
    return words[first][0] if whole and said else None


def is_word(text: str, names: Names) -> bool:
    """Return whether a text is a word of a sentence: not a name or function, and not a single letter except I."""
    word = text.rstrip(",:")
    if not word.isalpha() or len(text) > len(word) + 1 or (len(word) < 2 and word != "I"):
        return False
    known = word in names.known or word in WORDS or word in GREEK or word in CONSTANTS
    return not known and lookup(word.lower()) is None


def without_cases(text: str, at: Mapping[str, float]) -> str:
    """Return the line `text` with conditions such as `if x < 0` blanked out, and the clause they apply to if they do
    not hold.

    `at` has the values of the inputs by name; conditions on other names, or inside a formula, stay. The length stays
    the same.
    """
    if not at or not any(sign in text for sign in _COMPARISONS):
        return text
    for match in list(_CONDITION.finditer(text)):
        blank = _blank_part(text, match, at)
        if blank is not None:
            start, end = blank
            text = text[:start] + BLANK * (end - start) + text[end:]
    return text


def _blank_part(text: str, match: re.Match[str], at: Mapping[str, float]) -> tuple[int, int] | None:
    """Return start and end of what to blank out of `text` for a condition (a match of `_CONDITION`); None if nothing.

    If the condition holds at the point `at`, it is the condition alone, with brackets around it or a comma after it; if
    not, the clause that it belongs to: up to the next clause if the condition opens the text or a clause, else from the
    last separator before it. None if its variable is not in `at`, and for a condition that is a factor or an operand.
    """
    x, (start, end) = at.get(match["name"]), match.span()
    before, after = text[:start].rstrip(), text[end:].lstrip()
    opens = not before or before[-1] in ".;,:"
    is_inside = before[-1:] in ("(", "[") and after[:1] in (")", "]")
    if is_inside:
        start, end = len(before) - 1, len(text) - len(after) + 1
        is_apart = text[start - 1 : start].isspace()  # 1[x > 0] is a factor
    else:
        is_apart = text[:start].count("(") <= text[:start].count(")") and (opens or bool(match["word"]))
    if x is None or not is_apart:
        return None
    if _COMPARED[match["sign"]](x, float(match["bound"].replace("−", "-"))):
        has_comma = opens and after[:1] in (",", ":")
        return start, len(text) - len(after) + 1 if has_comma else end
    if opens and not is_inside:
        return start, _after_clause(text, end)
    return max(text.rfind(sign, 0, start) for sign in (";", ", ", ". ")) + 1, end


def _after_clause(text: str, place: int) -> int:
    """Return the offset where the clause ends that follows a condition ending at `place`: `if x < 0, m' = -1.`"""
    rest = text[place:]
    comma = len(rest) - len(rest.lstrip(" ,:"))
    end = _END.search(text, place + comma)
    return end.end() if end else len(text)
