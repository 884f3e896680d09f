"""Text to tokens: one compiled pattern, then a pass that sorts out names, bars and brackets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise

from ..calculus.primitive import lookup
from ..errors import NameProblem, Source, Span, SyntaxProblem
from .suggest import product_of, similar
from .tables import Tables, tables

# Characters that people paste for the language's own, each for one, so that positions stay what they are.
_PASTED = str.maketrans(
    {
        **dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)),
        **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
        "−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/", "∕": "/",
        "′": "'", "’": "'", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u3000": " ",
        "\u200b": " ", "\u2060": " ", "\ufeff": " ",
    }
)  # fmt: skip

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_WORDS = {"and": "AND", "or": "OR", "not": "NOT"}
_WRAPPED = re.compile(r"\\(?:operatorname|mathrm|mathit|text)\*?\{(.*)\}\Z")
_BASE = re.compile(r"log_?([0-9]+)\Z")
# What can end an operand: after one of these a bar closes, and a name starts an implicit product.
_OPERAND_END = frozenset({"NUMBER", "NAME", "PARAM", "RPAR", "BAR_CLOSE", "SUPER", "BANG"})
# What a function without brackets can be applied to.
_ARGUMENT_START = frozenset({"NUMBER", "NAME", "ROOT", "FRAC", "LPAR", "BAR_OPEN"})


class Token:
    """A piece of text with its type and its place in the source."""

    __slots__ = ("end", "start", "text", "type")

    def __init__(self, type: str, text: str, start: int, end: int) -> None:  # noqa: A002 - the parser's word
        self.type = type
        self.text = text
        self.start = start
        self.end = end


class Reading:
    """How an ambiguous piece of text was read, for a note."""

    __slots__ = ("kind", "span", "text")

    def __init__(self, text: str, span: tuple[int, int], kind: str = "reading") -> None:
        self.text = text
        self.span = span
        self.kind = kind


@lru_cache(maxsize=1)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def plain_spelling(text: str) -> str:
    """The text with pasted characters (subscripts, wide letters, typographic signs) as the language has them."""
    return text.translate(_PASTED)


def plain_name(text: str) -> str:
    """A name without its LaTeX clothes: `\\alpha`, `\\operatorname{arcsin}`, `x_{1}`."""
    match = _WRAPPED.match(text)
    name = match.group(1) if match else text.lstrip("\\")
    name = name.replace("_{", "_").replace("}", "")
    return {"π": "pi", "τ": "tau"}.get(name, name)


def logarithm_base(name: str) -> str | None:
    """The base in `log_2`, `log3`; None for other names and for logarithms of the table."""
    match = _BASE.match(name)
    return match.group(1) if match and lookup(name) is None else None


def _raw(source: Source, table: Tables) -> Iterator[Token]:
    text = plain_spelling(source.text)
    match_at = _compiled(table.pattern).match
    position, size, skipped = 0, len(text), table.skipped
    while position < size:
        match = match_at(text, position)
        if match is None:
            raise _unknown_character(source, position)
        kind = match.lastgroup or ""
        end = match.end()
        if kind not in skipped:
            yield Token(kind, match.group(), position, end)
        position = end


def _unknown_character(source: Source, position: int) -> SyntaxProblem:
    character = source.text[position]
    here = Span(position, position + 1, source)
    if source.text.startswith(("//", "/*"), position):
        return SyntaxProblem(
            "a comment starts with #",
            here,
            "this is not a division",
            help="write # before a comment; floor(x/y) divides to a whole number",
        )
    if source.text.startswith("=>", position):
        return SyntaxProblem("=> means nothing here", here, "not a comparison", help="at least is >=")
    if character == "~":
        return SyntaxProblem("~ means nothing here", here, "not an operator", help="a minus sign is -")
    if character == "∞":
        return SyntaxProblem("infinity is not a number of the language", here, help="infinite inputs: --at x=inf")
    if character == ".":
        return SyntaxProblem("a point alone is not a number", here, help="write a digit before or after it")
    return SyntaxProblem(
        f"the character {character} has no meaning here"
        if character.isprintable()
        else "this character has no meaning here",
        here,
        f"this is U+{ord(character):04X}",
        help="leave it out",
    )


def scan(source: Source, bound: Collection[str] = ()) -> tuple[list[Token], list[Reading]]:
    """The tokens of a program, names sorted out, and how ambiguous applications were read.

    `bound` are names known to be variables, from the point.
    """
    tokens = list(_raw(source, tables()))
    if not tokens:
        return [], []
    readings: list[Reading] = []
    _tidy_names(tokens)
    _match_brackets(tokens, source)
    defined = _mark_definitions(tokens)
    _mark_functions(tokens, source, set(bound), defined, readings)
    _note_spellings(tokens, source, readings)
    _reject_number_slips(tokens, source, bound)
    return tokens, readings


def _tidy_names(tokens: list[Token]) -> None:
    for token in tokens:
        if token.type == "NAME":
            token.text = plain_name(token.text)
            token.type = _WORDS.get(token.text, "NAME")


def _match_brackets(tokens: list[Token], source: Source) -> None:
    """Pairs brackets and tells opening bars from closing ones; braces and square brackets count as round ones."""
    open_tokens: list[Token] = []
    before = ""
    for token in tokens:
        if token.type == "BAR_OPEN":
            closes = bool(open_tokens) and open_tokens[-1].type == "BAR_OPEN" and before in _OPERAND_END
            if closes or "right" in token.text or "rvert" in token.text:
                token.type = "BAR_CLOSE"
        if token.type in ("LPAR", "BAR_OPEN"):
            open_tokens.append(token)
        elif token.type in ("RPAR", "BAR_CLOSE"):
            partner = open_tokens.pop() if open_tokens else None
            if partner is None or (partner.type == "LPAR") != (token.type == "RPAR") or not _fits(partner, token):
                raise _stray_bracket(token, partner, source)
        before = token.type
    if open_tokens:
        place = len(open_tokens) - 1
        while place > 0 and open_tokens[place].type == open_tokens[place - 1].type == "BAR_OPEN":
            place -= 1  # the last bar was meant to close the first
        token = open_tokens[place]
        end = len(source.text.rstrip())
        raise SyntaxProblem(
            f"the bracket {token.text[-1]} is never closed",
            Span(token.start, token.end, source),
            "opened here",
            help=f"add {_PAIRS.get(token.text[-1], '|')} where it should end",
            related=(Span(end, end + 1, source), "the text ends here"),
        )


def _fits(opening: Token, closing: Token) -> bool:
    return opening.type == "BAR_OPEN" or _PAIRS.get(opening.text[-1]) == closing.text[-1]


def _stray_bracket(token: Token, partner: Token | None, source: Source) -> SyntaxProblem:
    here = Span(token.start, token.end, source)
    if partner is None:
        return SyntaxProblem(
            f"the bracket {token.text[-1]} closes nothing", here, "no bracket is open here", help="leave it out"
        )
    wanted = _PAIRS.get(partner.text[-1], "|")
    return SyntaxProblem(
        f"{token.text[-1]} cannot close {partner.text[-1]}",
        here,
        f"{wanted} is expected before this",
        help=f"close the bracket with {wanted}",
        related=(Span(partner.start, partner.end, source), "opened here"),
    )


def _note_spellings(tokens: list[Token], source: Source, readings: list[Reading]) -> None:
    """Notes on signs that other programs read otherwise, once each."""
    said: set[str] = set()
    for token in tokens:
        text = source.text[token.start : token.end]
        if token.type == "PERCENT":
            note = "% is read as the remainder, which binds like * and /"
        elif token.type == "LPAR" and text == "{" and "\\" not in source.text:
            note = "{ } are read as brackets"
        elif token.type == "NAME" and "{" in text and "\\" not in source.text:
            note = f"{text} is read as the name {token.text}"
        elif any("\uff01" <= c <= "\uff5e" for c in text):
            note = "wide characters are read as their plain forms"
        else:
            continue
        if note not in said:
            said.add(note)
            readings.append(Reading(note, (token.start, token.end)))


def _head_ends(tokens: list[Token]) -> set[int]:
    """The places where the exponent of a function name ends, as in `sin^2 0.5` and `sin^(-1) 0.5`."""
    ends = set()
    for place, (token, following) in enumerate(pairwise(tokens)):
        if token.type == "FUNC" and following.type == "CARET":
            end = place + 2
            bracketed = end < len(tokens) and tokens[end].type == "LPAR"
            end += bracketed
            end += end < len(tokens) and tokens[end].type == "MINUS"
            ends.add(end + bracketed)
    return ends


def _reject_number_slips(tokens: list[Token], source: Source, bound: Collection[str]) -> None:
    """Numbers that read like something else: `0x10`, `1e`, `2 3`, `x 2`."""
    head_ends = _head_ends(tokens)
    for place, (token, following) in enumerate(pairwise(tokens)):
        if place in head_ends:
            continue
        if following.type == "NUMBER" and token.type in ("NUMBER", "NAME", "RPAR", "BAR_CLOSE"):
            left = source.text[token.start : token.end]
            plain = token.type in ("NUMBER", "NAME")
            raise SyntaxProblem(
                "two values stand side by side",
                Span(token.start, following.end, source),
                "an operator is missing between them",
                help=f"a product is {left}*{following.text}, a power {left}^{following.text}"
                if plain
                else "write * between them",
            )
        if token.type != "NUMBER" or following.type != "NAME" or token.end != following.start:
            continue
        name = following.text
        if token.text == "0" and name[0] in "xXbBoO" and name[1:].isalnum() and name[1:2].isdigit():
            raise SyntaxProblem(
                "numbers are written in decimal",
                Span(token.start, following.end, source),
                f"0{name[0]} starts a number in another base elsewhere",
                help=f"a product is 0*{name}",
            )
        after = tokens[place + 2].type if place + 2 < len(tokens) else ""
        if name in ("e", "E") and name not in bound and after not in ("CARET", "SUPER", "STAR", "SLASH"):
            raise SyntaxProblem(
                "this number stops in the middle",
                Span(token.start, following.end, source),
                f"digits are missing after {name}",
                help=f"a power of ten is {token.text}e3, the product with e is {token.text}*e",
            )


def _mark_definitions(tokens: list[Token]) -> set[str]:
    """Turns `f ( a , b ) =` at the start of a statement into DEF and PARAM tokens; returns the names defined."""
    defined: set[str] = set()
    size = len(tokens)
    place = 0
    while place < size:
        if tokens[place].type == "NAME" and place + 2 < size and tokens[place + 1].type == "LPAR":
            k = place + 2
            while k + 1 < size and tokens[k].type == "NAME" and tokens[k + 1].type == "COMMA":
                k += 2
            if k + 2 < size and [t.type for t in tokens[k : k + 3]] == ["NAME", "RPAR", "EQ"]:
                tokens[place].type = "DEF"
                defined.add(tokens[place].text)
                for parameter in range(place + 2, k + 1, 2):
                    tokens[parameter].type = "PARAM"
        while place < size and tokens[place].type != "SEMI":
            place += 1
        place += 1
    return defined


def _variables(tokens: list[Token]) -> set[str]:
    """Names that are used as variables somewhere: assigned, a parameter, or not before a bracket."""
    names = set()
    for token, following in zip(tokens, [*tokens[1:], Token("SEMI", "", 0, 0)], strict=True):
        if token.type == "PARAM" or (token.type == "NAME" and following.type != "LPAR"):
            names.add(token.text)
    return names


def _mark_functions(
    tokens: list[Token], source: Source, bound: set[str], defined: set[str], readings: list[Reading]
) -> None:
    """Turns names that are applied into FUNC tokens; a name before a bracket that is no function must be a variable."""
    assigned = {a.text for a, b in pairwise(tokens) if a.type == "NAME" and b.type == "EQ"}
    parameters = {token.text for token in tokens if token.type == "PARAM"}
    variables = _variables(tokens)
    ended = [Token("SEMI", "", 0, 0)] * 6
    padded = [*tokens, *ended]
    for place, token in enumerate(tokens):
        if token.type != "NAME":
            continue
        name, following = token.text, padded[place + 1]
        known = name in bound or name in assigned or name in parameters
        if name in defined:
            token.type = "FUNC"
        elif not known and (lookup(name) is not None or name in AGGREGATES or logarithm_base(name) is not None):
            if _is_applied(padded[place + 1 : place + 7]):
                token.type = "FUNC"
        elif following.type == "LPAR" and source.text[following.start] == "(":
            if not known and name not in variables and name not in ("pi", "e", "tau"):
                raise _unknown_function(token, source, variables | bound | defined)
            readings.append(
                Reading(f"{name}(…) is read as a product: {name} is a variable", (token.start, following.end))
            )


def _is_applied(following: list[Token]) -> bool:
    """Whether a function name is applied to what follows: `sin x`, `sin -x`, `sin^2 x`, and not `gamma^2 + 1`."""
    first, second = following[0], following[1]
    if first.type == "SUPER":
        return second.type in _ARGUMENT_START
    if first.type == "MINUS":
        return first.end == second.start and second.type in _ARGUMENT_START
    if first.type != "CARET":
        return first.type in _ARGUMENT_START
    rest = following[1:]
    bracketed = rest[0].type == "LPAR"
    rest = rest[bracketed:]
    rest = rest[rest[0].type == "MINUS" :]
    rest = rest[1 + bracketed :]
    return bool(rest) and rest[0].type in _ARGUMENT_START


AGGREGATES = ("sum", "prod")


def _unknown_function(token: Token, source: Source, variables: set[str]) -> NameProblem:
    name = token.text
    guess = similar(name, functions=True)
    factors = product_of(name, variables)
    if name.lower() != name and lookup(name.lower()) is not None:
        guess = name.lower()
    return NameProblem(
        f"there is no function called {name}",
        Span(token.start, token.end, source),
        f"did you mean {guess}?" if guess else "neither a function nor a known variable",
        help=(
            f"write {guess}(…)"
            if guess
            else f"a product is {'*'.join(factors) if factors else name}*(…); all functions: adcli functions"
        ),
    )
