"""Sentences that state rows: `the value of f is 10`, `hence the gradient is (3, 2)`, `if x < 0, m' = -1`.

Every text keeps its length, so that each character still has its place in the student's line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ...graph.graph import CONSTANTS
from ...notation.typeset_names import GREEK
from ...patterns import pattern
from ...table.primitive import lookup
from .symbols import WORDS, Names

_BLANK = "\u00a0"
_EQUAL = ("equal", "ist gleich", "égal", "igual", "amount", "comes to", "become", "vaut", "vale ")
_EQUALS = pattern(
    r"(?<=[\w)'}])\s++(?:(?:is|are|ist|est|es)\s++)?(?:(?:then|therefore|thus|hence|also|now|now)\s++)?"
    r"(?:equals?(?:\s++to)?|gleich|égale?\s++à|igual\s++a|amounts?\s++to|comes\s++to|becomes?|vaut|vale)(?=\s++\S)"
)
_IS = (" is ", " are ", " ist ", " est ", " es ")
_STATES = pattern(
    r"(?<=[\w)'}\u0304\u0307])\s++(?:is|are|ist|est|es)(?:\s++(?:then|therefore|thus|hence|also|now|given by|"
    r"about|approximately|roughly|"
    r"exactly|simply|just|"
    r"donc|alors|dann|somit|entonces|por tanto))*+(?=\s++(?:[-−+]?\s?\.?\d|[(\[]))"
)
_CLAUSE = pattern(r"[=≈,;:]|\.\s|\b(?:and|und|et|so|that|then|thus|hence)\b|(?<=\s)y(?=\s)")
_GRADIENT = ("gradient", "grad ", "jacobi", "∇")
_THERE = pattern(r"(?<=[Gg]radient)\s++(?:vector|at\s++(?:this|the)\s++point|here|there|dort|hier)(?!\w)")
_BARE_GRADIENT = pattern(r"(?<=[Gg]radient)(?:en|e|s)?+\s(?=\s*+[(\[][^()\[\]=,]*+,[^()\[\]=]*+[)\]]\s*+[.;!]?\s*+\Z)")
_DERIVATIVE = pattern(
    r"(?:the\s++|die\s++|la\s++)?(?:partial\s++|partielle\s++)?(?:derivative|slope|partial|ableitung|dérivée|derivada)(?:\s++partielle)?"
    r"\s++(?:with\s++respect\s++to|w\.?\s?r\.?\s?t\.?|by|in|nach|par\s++rapport\s++à|(?:con\s++)?respecto\s++(?:a|de))\s++"
    r"(?P<below>\\?[^\W\d]\w*+(?:_\{\w++\})?+)(?=\s*+[:=]\s*+\S|\s++(?:is|ist|est|es|equals|vaut|vale)\s)",
    re.IGNORECASE,
)
_ELLIPTIC = pattern(
    r"(?:differentiat\w++\s++|derived\s++|and\s++|und\s++|et\s++|y\s++)?(?<!\w)"
    r"(?:with\s++respect\s++to|w\.?r\.?t\.?|nach|bezüglich|bzgl\.?|par\s++rapport\s++à|(?:con\s++)?respecto\s++(?:a|de))\s++"
    r"(?P<below>\\?[^\W\d]\w*+(?:_\{\w++\})?+),?\s++"
    r"(?:(?:it|this|that|the\s++(?:derivative|slope|result)|we|I|one|you|sie|es|das|man|elle|il|on|ella)\s++)?"
    r"(?:is|equals|gives|yields|get|have|ist|ergibt\s++(?:sie|sich)|ergibt|erhält\s++man|est|vaut|donne|es|vale|da)"
    r"(?:\s++(?:sie|es|man))?\s++(?=(?P<next>[-−+]?\s?\.?\d|[-−+]?\(|[^\W\d]\w*+))",
    re.IGNORECASE,
)
_RESPECTED = ("respect", "wrt", "w.r.t", "nach ", "bezüglich", "bzgl", "rapport")
_DERIVED = ("deriv", "slope", "partial", "ableitung", "dérivée")
_WORD = pattern(r"[^\W\d_]++[,:]?\Z")
_NUMBER = r"[-−+]?\d++(?:\.\d++)?"
_SIGNS = {"≥": ">=", "≤": "<=", "\\ge": ">=", "\\le": "<=", "\\geq": ">=", "\\leq": "<=", "=>": ">=", "=<": "<="}
_CONDITION = pattern(
    r"(?P<word>(?<![^\W_])(?:if|for|when|whenever|where|since|because|as|falls|wenn|für|weil|da|bei|si|pour|car|quand|para|porque)\s++)?"
    rf"(?<![\w*/^+-])(?P<name>[^\W\d]\w*+)\s*+(?:=\s*+{_NUMBER}\s*+)?(?P<sign>>=|<=|=>(?=\s*+\d)|=<|[<>≥≤]|\\[gl]eq?(?![a-z]))\s*+"
    rf"(?P<bound>{_NUMBER})(?![\w.]*[\w*/^(])",
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
    if any(word in lower for word in _DERIVED) and len(names.outputs) == 1:
        text = _DERIVATIVE.sub(lambda match: _derivative(match, names), text)
    if any(word in lower for word in _RESPECTED) and len(names.outputs) == 1:
        text = _ELLIPTIC.sub(lambda match: _elliptic(match, names), text)
    if any(word in lower for word in _EQUAL):
        text = _EQUALS.sub(_equals, text)
    if "gradient" in lower:
        text = _THERE.sub(lambda match: _BLANK * len(match[0]), text)
        text = _BARE_GRADIENT.sub(lambda match: match[0][:-1] + "=", text)
    if any(word in lower for word in _IS):

        def stated(match: re.Match[str]) -> str:
            said = _CLAUSE.split(match.string[: match.start()])[-1]
            row = is_row(said) or any(word in said.lower() + " " for word in _GRADIENT)
            return _equals(match) if row else match[0]

        text = _STATES.sub(stated, text)
    return text


def _elliptic(match: re.Match[str], names: Names) -> str:
    """Return `with respect to b it is` as `; ∂y/∂b =`, with the same length.

    The match is unchanged if b is not an input, if neither a number nor a known name follows, or if it is too short.
    """
    told = not match["next"][0].isalpha() or names.own(match["next"]) in names.known.values()
    if names.own(match["below"]) not in names.inputs or not told:
        return match[0]
    new = f"; ∂{names.outputs[0]}/∂{match['below']} ="
    return new.ljust(len(match[0]), _BLANK) if len(new) <= len(match[0]) else match[0]


def _equals(match: re.Match[str]) -> str:
    return " =".ljust(len(match[0]), _BLANK)


def _derivative(match: re.Match[str], names: Names) -> str:
    """Return `derivative with respect to x` as ∂y/∂x, with the same length; unchanged if x is not an input."""
    if names.own(match["below"]) not in names.inputs:
        return match[0]
    new = f"∂{names.outputs[0]}/∂{match['below']}"
    return new.ljust(len(match[0]), _BLANK) if len(new) <= len(match[0]) else match[0]


def begins_after_words(text: str, names: Names) -> int | None:
    """Return the offset of the symbol after words at the end of a piece `text`, as in `6 we have f`; None if there is
    none.

    A number, a bracket or a name must come before the words, and one of these must have two or more letters.
    """
    words = [(match.start(), match.group()) for match in re.finditer(r"\S++", text)]
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
    if not _WORD.match(text) or (len(word) < 2 and word != "I"):
        return False
    known = word in names.known or word in WORDS or word in GREEK or word in CONSTANTS
    return not known and lookup(word.lower()) is None


def without_cases(text: str, at: Mapping[str, float]) -> str:
    """Return the line `text` with conditions such as `if x < 0` blanked out, and what they apply to if they do not
    hold.

    `at` has the values of the inputs by name; conditions on other names stay. The length stays the same.
    """
    if not at or not any(sign in text for sign in _COMPARISONS):
        return text
    for match in list(_CONDITION.finditer(text)):
        x, (start, end) = at.get(match["name"]), match.span()
        before, after = text[:start].rstrip(), text[end:].lstrip()
        inside = before[-1:] in ("(", "[") and after[:1] in (")", "]")
        opens = not before or before[-1] in ".;,:"
        deep = text[:start].count("(") > text[:start].count(")")
        if x is None or (deep and not inside) or not (inside or opens or match["word"]):
            continue
        if inside:
            start, end = len(before) - 1, len(text) - len(after) + 1
            if not text[start - 1 : start].isspace():  # 1[x > 0] is a factor
                continue
        if not _holds(x, _SIGNS.get(match["sign"], match["sign"]), float(match["bound"].replace("−", "-"))):
            if opens and not inside:
                end = _after_clause(text, end)
            else:
                start = max(text.rfind(sign, 0, start) for sign in (";", ", ", ". ")) + 1
        elif opens and after[:1] in (",", ":"):
            end = len(text) - len(after) + 1
        text = text[:start] + _BLANK * (end - start) + text[end:]
    return text


def _after_clause(text: str, place: int) -> int:
    """Return the offset where the clause ends that follows a condition ending at `place`: `if x < 0, m' = -1.`"""
    rest = text[place:]
    comma = len(rest) - len(rest.lstrip(" ,:"))
    end = _END.search(text, place + comma)
    return end.end() if end else len(text)


def _holds(x: float, sign: str, bound: float) -> bool:
    """Return whether `x` compares with `bound` by `sign`, one of >, <, >= and <=."""
    return {">": x > bound, "<": x < bound, ">=": x >= bound, "<=": x <= bound}[sign]
