"""The tokens of a text: one compiled pattern over the whole text, every character accounted for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import accumulate, compress

from ..errors import Source, Span, SyntaxProblem
from ..patterns import compile_pattern, pattern
from ..records import NamedTuple
from ..typings import Any
from .spelling import LATEX_SIGNS, LOGIC_WORDS, Spelling, Unspellable, replace_stretches, spell_again
from .tables import tables

_PAIRS = {"(": ")", "[": "]", "{": "}", "‖": "‖"}
_BRACKETS = frozenset({"LPAR", "RPAR", "BAR_OPEN", "BAR_CLOSE"})
# What can end an operand: after one of these a bar closes.
_OPERAND_END = frozenset({"NUMBER", "NAME", "PARAM", "RPAR", "BAR_CLOSE", "SUPER", "BANG", "DEGREE"})
_STAND_IN, _STAND_INS = 0xF0000, "[\U000f0000-\U000ffffd]"  # characters for private use
_INDEXED = pattern(r"[^\W\d_]_[0-9]++")
_WRAPPED = pattern(r"\\(?:operatorname|mathrm|mathit|text)\*?\{(.*)\}\Z", signs="\\")


class Token(NamedTuple):
    """A piece of text with its type and its place in the source."""

    type: str
    text: str
    start: int
    end: int


class Tokens(NamedTuple):
    """The tokens of a text in columns: their types, texts, starts and ends; and the set of texts of type NAME.

    `spelled` is the spelling from which they were cut.
    """

    kinds: list[str]
    texts: list[str]
    starts: list[int]
    ends: list[int]
    names: set[str]
    spelled: Spelling

    def at(self, place: int) -> Token:
        """Return the token number `place`."""
        return Token(self.kinds[place], self.texts[place], self.starts[place], self.ends[place])


class Foreign(NamedTuple):
    """A place of a text in another notation, and the tokens (kind and text of each) that it means; without tokens it is
    a blank."""

    start: int
    end: int
    tokens: tuple[tuple[str, str], ...]


def plain_spelling(text: str) -> str:
    """Return the text with pasted characters (subscripts, wide letters, typographic signs) as the language has them."""
    if text.isascii():
        return text
    from .pasted.pasted_text import signs  # most text has no need of it

    return signs(text)


def _is_plain(text: str) -> bool:
    """Return whether a text needs no respelling: ASCII, without backslash, $, `_{`, `^{` and `{,}`."""
    return text.isascii() and "$" not in text and not any(sign in text for sign in LATEX_SIGNS)


def spelling(text: str, known: Collection[str] = (), split: bool = True) -> Spelling:
    """Return the text as the language spells it, with the places of its characters; a plain text is returned as it is,
    without places.

    In LaTeX `known` are names of variables, and with `split` other letters next to each other are a product. Raises
    Unspellable, with its place in `text` but without a span, for what has no meaning.
    """
    if _is_plain(text):
        return Spelling(text)
    from .pasted.pasted_text import spell_pasted  # most text has no need of it

    return spell_pasted(text, known, split)


def plain_name(text: str) -> str:
    r"""Return the name in `text` without LaTeX around it: `\alpha` → alpha, `\operatorname{arcsin}` → arcsin, `x_{1}` →
    x_1.

    Leading backslashes and all closing braces are removed; π and τ become pi and tau. Other names are returned as they
    are.
    """
    if text.isascii() and text.isalnum():
        return text
    match = _WRAPPED.match(text)
    name = match.group(1) if match else text.lstrip("\\")
    name = name.replace("_{", "_").replace("}", "")
    return {"π": "pi", "τ": "tau"}.get(name, name)


@lru_cache(maxsize=1)
def _compile_pattern() -> re.Pattern[str]:
    return compile_pattern(f"{tables().pattern}|{_STAND_INS}")


def _cut_pieces(text: str) -> list[str]:
    """Return the pieces of a text, of which every token is one; characters with which no token starts are left out."""
    return [match.group() for match in _compile_pattern().finditer(text)]


@lru_cache(maxsize=4096)
def kind_of(piece: str) -> tuple[str, str]:
    """Return (type, text) of the token `piece`, cached; the type is "" if no token starts with the piece.

    The text of a name has no LaTeX around it; the words and, or and not have the types AND, OR, NOT. `piece` has to be
    one token: of a longer text the type is that of its first token, but the text is all of it.
    """
    match = _compile_pattern().match(piece)
    kind = (match.lastgroup if match else None) or ""
    if kind != "NAME":
        return kind, piece
    name = plain_name(piece)
    return LOGIC_WORDS.get(name, "NAME"), name


def pieces_of_text(text: str) -> list[tuple[str, str]]:
    """Return kind and text of each token of a short text in the language, without blanks."""
    kinds = map(kind_of, _cut_pieces(text))
    return [token for token in kinds if token[0] not in tables().skipped]


def _with_stand_ins(text: str, foreign: Sequence[Foreign]) -> tuple[Spelling, dict[str, tuple[str, str]]]:
    """Return (the text with one private character for each token of the `foreign` places, {private character: its
    token}).

    A place without tokens becomes a blank. In the spelling all characters of a foreign place have the original place of
    the whole. Private characters that the text has already become U+FFFD, with which no token starts. `foreign` must be
    sorted and without overlaps.
    """
    text = re.sub(_STAND_INS, "\ufffd", text)  # those in the user's text have no meaning
    replacements: list[tuple[int, int, str]] = []
    meant: dict[str, tuple[str, str]] = {}
    for start, end, tokens in foreign:
        signs = [chr(_STAND_IN + len(meant) + place) for place in range(len(tokens))]
        meant.update(zip(signs, tokens, strict=True))
        replacements.append((start, end, "".join(signs) or " "))
    return replace_stretches(text, replacements), meant


def _spell_source(
    source: Source, foreign: Sequence[Foreign], known: Collection[str], split: bool
) -> tuple[Spelling, dict[str, tuple[str, str]]]:
    """Return (the spelling of the source, with places in the source; {stand-in character: the token that it means}).

    Without `foreign` places the second is empty, and letters of LaTeX next to each other are always a product; with
    them only if `split`. `known` are names of variables. Raises Unspellable, with its place in the source.
    """
    try:
        if not foreign:
            return spelling(source.text, known), {}
        first, meant = _with_stand_ins(source.text, foreign)
        if _is_plain(source.text):
            return first, meant
        return spell_again(first, lambda text: spelling(text, known, split)), meant
    except Unspellable as problem:
        problem.span = Span(problem.start, problem.end, source)
        raise


def tokens_of(
    source: Source, foreign: Sequence[Foreign] = (), known: Collection[str] = (), split: bool = False
) -> Tokens:
    """Return the tokens of a text, without blanks and comments, with their places in the source.

    `foreign` are sorted places with the tokens to put there; with `split`, letters of LaTeX around them are a product.
    `known` are names of variables. Without foreign places runs such as `x_1x_2` become several names. Raises
    SyntaxProblem at the first character with which no token starts, Unspellable for LaTeX without a meaning.
    """
    spelled, meant = _spell_source(source, foreign, known, split)
    first_of, end_of = spelled.starts, spelled.ends
    text = spelled.text.rstrip()
    inner = text.lstrip()
    pieces = _cut_pieces(inner)
    bounds = list(accumulate(map(len, pieces), initial=len(text) - len(inner)))
    lexemes = {piece: meant.get(piece) or kind_of(piece) for piece in set(pieces)}
    if bounds[-1] != len(text) or not all(kind for kind, _ in lexemes.values()):
        from .odd_characters import refuse_character  # only needed for an error

        gap = _find_gap(text, meant)
        refuse_character(source, spelled.origin(gap, gap)[0])
    names = {text for kind, text in lexemes.values() if kind == "NAME"}
    kinds = [lexemes[piece][0] for piece in pieces]
    texts = [lexemes[piece][1] for piece in pieces]
    starts, ends = bounds[:-1], bounds[1:]
    if first_of and end_of:
        starts = list(map(first_of.__getitem__, starts))
        ends = [end_of[end - 1] for end in ends]
    tokens = Tokens(kinds, texts, starts, ends, names, spelled)
    _drop_skipped(tokens)
    if not foreign and "_" in text:
        _split_indexed(tokens, known)
    return tokens


def _drop_skipped(tokens: Tokens) -> None:
    """Remove the tokens that the grammar skips, blanks and comments, in place."""
    skipped = tables().skipped
    if not set(skipped).isdisjoint(tokens.kinds):
        kept = [kind not in skipped for kind in tokens.kinds]
        columns: Sequence[list[Any]] = tokens[:4]
        for column in columns:
            column[:] = compress(column, kept)


def _split_indexed(tokens: Tokens, known: Collection[str]) -> None:
    """Replace each run such as `x_1x_2` in `tokens` by the names x_1 and x_2, in place: a subscript takes one token.

    A run consists of two or more parts, each a letter, an underscore and digits. Runs in `known`, with an = sign behind
    them somewhere, or spelled differently in the source stay one name. The run itself stays in `tokens.names`, its
    parts are added.
    """
    assigned = {name for name, kind in zip(tokens.texts, tokens.kinds[1:], strict=False) if kind == "EQ"}
    for place in reversed(range(len(tokens.texts))):
        name, start = tokens.texts[place], tokens.starts[place]
        if name not in tokens.names or name in known or name in assigned or name.count("_") < 2:
            continue
        matches = list(_INDEXED.finditer(name))
        if "".join(match.group() for match in matches) != name or tokens.ends[place] - start != len(name):
            continue
        tokens.texts[place : place + 1] = [match.group() for match in matches]
        tokens.kinds[place : place + 1] = ["NAME"] * len(matches)
        tokens.starts[place : place + 1] = [start + match.start() for match in matches]
        tokens.ends[place : place + 1] = [start + match.end() for match in matches]
        tokens.names.update(match.group() for match in matches)


def _find_gap(text: str, known: Collection[str]) -> int:
    """Return the index of the first character of `text` with which no token starts, the length of the text if there is
    none.

    Characters in `known` (stand-ins of foreign tokens) count as tokens.
    """
    match_at = _compile_pattern().match
    position = 0
    while True:
        match = match_at(text, position)
        if (match is None or match.lastgroup is None) and text[position : position + 1] not in known:
            return position
        position = position + 1 if match is None else match.end()


# --- brackets ---------------------------------------------------------------------------------------------------------


def match_brackets(tokens: Tokens, source: Source) -> None:
    """Pair the brackets of `tokens` and change the kind of closing bars to BAR_CLOSE, in place.

    An opening bracket must be closed by one of its own shape. `scan` calls this for texts with bars, braces or square
    brackets; round ones are paired by the parser, and here only after it has failed. Raises SyntaxProblem for the first
    closing bracket without a fitting partner or, if there is none, for one that is never closed.
    """
    kinds, texts = tokens.kinds, tokens.texts
    open_places: list[int] = []
    for place in [place for place, kind in enumerate(kinds) if kind in _BRACKETS]:
        kind = kinds[place]
        if kind == "BAR_OPEN" and _is_closing_bar(tokens, place, open_places):
            kind = kinds[place] = "BAR_CLOSE"
        if kind in ("LPAR", "BAR_OPEN"):
            open_places.append(place)
            continue
        partner = open_places.pop() if open_places else None
        if partner is None:
            raise _stray_bracket_error(tokens.at(place), None, source)
        is_bar = kinds[partner] == "BAR_OPEN"
        if is_bar == (kind == "RPAR") or not (is_bar or _PAIRS[texts[partner][-1]] == texts[place][-1]):
            raise _stray_bracket_error(tokens.at(place), tokens.at(partner), source)
    if open_places:
        raise _unclosed_bracket_error(tokens, open_places, source)


def _is_closing_bar(tokens: Tokens, place: int, open_places: list[int]) -> bool:
    r"""Return whether the bar in the token at `place` closes the innermost open bracket.

    `open_places` are the tokens of the open brackets, innermost last. A `\right|` or `\rvert` is always a closing bar,
    even if no bracket is open. Any other bar closes if the innermost bracket is a bar of the same kind (| or ‖) and the
    token before can end an operand.
    """
    if "right" in tokens.texts[place] or "rvert" in tokens.texts[place]:
        return True
    if not open_places or tokens.kinds[open_places[-1]] != "BAR_OPEN" or tokens.kinds[place - 1] not in _OPERAND_END:
        return False
    return (tokens.texts[place][0] == "‖") == (tokens.texts[open_places[-1]] == "‖")


def _unclosed_bracket_error(tokens: Tokens, open_places: list[int], source: Source) -> SyntaxProblem:
    """Return the error for the brackets that are open at the end; `open_places` are their tokens, innermost last.

    It is placed at the innermost bracket; of several open bars that follow each other, at the first bar (if the text
    ends with the last of them, the help adds that a value is missing before it). Two bars side by side inside another
    bracket get the error for `||`.
    """
    kinds, last = tokens.kinds, len(open_places) - 1
    while last > 0 and kinds[open_places[last]] == kinds[open_places[last - 1]] == "BAR_OPEN":
        last -= 1  # the last bar was meant to close the first
    token = tokens.at(open_places[last])
    if last and source.text.startswith("||", token.start):
        return _two_bars_error(token.start, source)
    end = len(source.text.rstrip())
    is_last = last < len(open_places) - 1 and tokens.at(open_places[-1]).end == end
    missing = f"; before the last {source.text[end - 1]} a value is missing" if is_last else ""
    title, here = f"the bracket {token.text[-1]} is never closed", Span(token.start, token.end, source)
    advice = f"add {_PAIRS.get(token.text[-1], '|')} where the bracket should end{missing}"
    related = (Span(end, end + 1, source), "the text ends here")
    return SyntaxProblem(title, here, "opened here", help=advice, related=related)


def _stray_bracket_error(token: Token, partner: Token | None, source: Source) -> SyntaxProblem:
    """Return the error for the closing bracket `token`, which closes nothing (`partner` None) or the wrong `partner`.

    If `partner` is the second of two bars, it is the error for `||`.
    """
    here = Span(token.start, token.end, source)
    if partner is not None and source.text[partner.start - 1 : partner.end] == "||":
        return _two_bars_error(partner.start - 1, source)
    if partner is None:
        opening = token.text.translate(str.maketrans(")]}", "([{")).replace("right", "left").replace("rvert", "lvert")
        title, label = f"the bracket {token.text[-1]} closes nothing", "no bracket is open here"
        return SyntaxProblem(
            title, here, label, help=f"leave {token.text[-1]} out, or add {opening} where the bracket should begin"
        )
    expected = _PAIRS.get(partner.text[-1], "|")
    title, label = f"{token.text[-1]} cannot close {partner.text[-1]}", f"{expected} is expected before this"
    related = (Span(partner.start, partner.end, source), "opened here")
    return SyntaxProblem(title, here, label, help=f"close the bracket with {expected}", related=related)


def _two_bars_error(start: int, source: Source) -> SyntaxProblem:
    """Return the error for `||`."""
    both = Span(start, start + 2, source)
    return SyntaxProblem("|| has no meaning here", both, "not an operator", help="write or between conditions")
