"""The scanner: turns text into tokens, resolves names, bars and brackets, and reports slips that have a message of
their own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, pairwise, takewhile

from ..errors import AdcliError, Source, Span, SyntaxProblem
from ..patterns import IDENTIFIER
from ..table.primitive import lookup
from .name_parts import AGGREGATES, GREEK, assigned_names, logarithm_base
from .spelling import BAD_SUBSCRIPT, Reading
from .tokens import Foreign, Token, Tokens, match_brackets, plain_name, plain_spelling, tokens_of

__all__ = ["AGGREGATES", "logarithm_base", "plain_name", "plain_spelling", "scan"]

# What a function without brackets can be applied to.
_ARGUMENT_START = frozenset({"NUMBER", "NAME", "ROOT", "FRAC", "INDEXED_ROOT", "LPAR", "BAR_OPEN"})
_FACTOR_START = _ARGUMENT_START | {"FUNC"}
# Letters that are as often called as multiplied.
_FUNCTION_LETTERS = frozenset("fghFGHNuyp") | {
    "phi", "varphi", "Phi", "psi", "Psi", "sigma", "Gamma", "zeta", "delta", "Theta", "eta", "chi", "Li",
}  # fmt: skip
_OTHER_BRACKETS = "|[]{}\\"
# Neighbours of which one may be a slip, and how they look among the types of a text.
_BEFORE_NUMBER = ("NUMBER", "NAME", "RPAR", "BAR_CLOSE")
_SUSPECT = frozenset({("NUMBER", "NAME"), ("DEGREE", "NAME"), *((kind, "NUMBER") for kind in _BEFORE_NUMBER)})
_SLIPS = tuple(f" {kind} {following} " for kind, following in sorted(_SUSPECT))


def scan(
    source: Source, bound: Collection[str] = (), foreign: Sequence[Foreign] = (), split: bool = False
) -> tuple[Tokens, list[Reading]]:
    """Return (the tokens of a program, notes on how it was read), with names that are applied marked as functions
    (FUNC), and definitions as DEF and PARAM.

    `bound` are names known to be variables, from the point; `foreign` are sorted places with the tokens to put there,
    with `split` letters of LaTeX around them are a product. The notes are those of the spelling, then on products
    before brackets, %, braces and wide characters, and numbering. Raises SyntaxProblem for a subscript in braces and
    for numbers that look like slips (`1e`, `2 3`), NameProblem for a name before a bracket that is neither function nor
    variable. Errors of `tokens_of` come first, then SyntaxProblem for stray brackets, then those above; stray brackets
    in a text that has only round ones and no other error are left to the parser.
    """
    tokens = tokens_of(source, foreign, bound, split)
    readings: list[Reading] = [*tokens.spelled.readings]
    text = source.text
    if not text.isascii() or any(map(text.__contains__, _OTHER_BRACKETS)):
        match_brackets(tokens, source)
    try:
        if "_" in tokens.names:
            _reject_subscripts(tokens, source)
        known = {*bound, *tokens.spelled.variables}
        defined: set[str] = set()
        if "EQ" in tokens.kinds:
            defined = _mark_definitions(tokens)
            known |= names_with_values(tokens)
        mark_functions(tokens, set(filter(_is_function, tokens.names - known)), defined)
        kinds = f" {' '.join(tokens.kinds)} "
        if " NAME LPAR " in kinds:
            _note_products(tokens, source, known | defined, readings)
        if not text.isascii() or "%" in text or "{" in text:
            _note_spellings(tokens, source, readings)
        if ". " in text:
            _note_numbering(tokens, source, readings)
        if any(map(kinds.__contains__, _SLIPS)):
            reject_number_slips(tokens, source, bound, {place.start for place in foreign})
    except AdcliError:
        match_brackets(tokens, source)
        raise
    return tokens, readings


def _note_spellings(tokens: Tokens, source: Source, readings: list[Reading]) -> None:
    """Append to `readings` a note for the first of each: %, braces as brackets, a name with a subscript in braces (one
    note for each text), wide characters.

    Braces are noted only in a text without a backslash. Raises SyntaxProblem for a % that can be read in two ways.
    """
    noted: set[str] = set()
    for kind, name, start, end in zip(tokens.kinds, tokens.texts, tokens.starts, tokens.ends, strict=True):
        text = source.text[start:end]
        if kind == "PERCENT":
            _reject_percent_sign(source, start)
            note, topic = "% is read as the remainder, with the precedence of * and /", "percent"
        elif kind == "LPAR" and text == "{" and "\\" not in source.text:
            note, topic = "{ } are read as brackets", "brackets"
        elif kind == "NAME" and "_{" in text and text[0].isalpha() and "\\" not in source.text:
            note, topic = f"{text} is read as the name {name}", "brackets"
        elif any("\uff01" <= c <= "\uff5e" for c in text):
            note, topic = "wide characters are read as their plain forms", "characters"
        else:
            continue
        if note not in noted:
            noted.add(note)
            readings.append(Reading(note, (start, end), topic=topic))


def _reject_percent_sign(source: Source, place: int) -> None:
    """Raise SyntaxProblem if the % at `place` may be a remainder or begin a constant of Maxima, as in `5%e^x`.

    That is a % directly between a name or number and e, pi or i.
    """
    match = IDENTIFIER.match(source.text, place + 1) if source.text[place] == "%" else None
    name = match.group() if match else ""
    if name in ("e", "pi", "i") and source.text[place - 1 : place].isalnum():
        here = Span(place, place + 1 + len(name), source)
        advice = f"for the product write *{name}, for the remainder write"
        advice += f" % {name} with blanks around %"
        raise SyntaxProblem(f"%{name} can be read in two ways", here, "a remainder or a constant", help=advice)


def _reject_subscripts(tokens: Tokens, source: Source) -> None:
    """Raise SyntaxProblem for the first underscore that is a token of its own before a {: the subscript would be read
    as a factor. The place begins at the token before the underscore.
    """
    for place, name in enumerate(tokens.texts):
        if name == "_" and tokens.texts[place + 1 : place + 2] == ["{"]:
            start = tokens.starts[place - 1] if place else 0
            title, label, advice = BAD_SUBSCRIPT
            raise SyntaxProblem(title, Span(start, tokens.ends[place + 1], source), label, help=advice)


def _note_numbering(tokens: Tokens, source: Source, readings: list[Reading]) -> None:
    """Append a note to `readings` if the text begins like the number of an exercise, as in `3. x^2`.

    Such a number ends in a point, and a blank and the beginning of a factor follow; it is read as a factor.
    """
    if len(tokens.kinds) > 1 and tokens.kinds[0] == "NUMBER" and tokens.kinds[1] in _FACTOR_START:
        start, end = tokens.starts[0], tokens.ends[0]
        number = source.text[start:end]
        if number.endswith(".") and source.text[end : end + 1].isspace():
            text = f"{number} is read as the factor {number[:-1]}; a label ends in a colon, as in {number[:-1]}: …"
            readings.append(Reading(text, (start, end), topic="label"))


def _find_head_ends(kinds: list[str]) -> set[int]:
    """Return the index of the last token of each exponent on a function name: the 2 in `sin^2 0.5`, `)` in `sin^(-1)
    0.5`.

    `kinds` are those of all tokens. Only exponents behind a caret count, not raised digits (²). They are taken to be
    one token, perhaps with a minus sign and in brackets; longer ones give an index inside of them, or behind the text.
    """
    pairs = enumerate(pairwise(kinds), 1)
    return {_exponent_end(kinds, place) for place, pair in pairs if pair == ("FUNC", "CARET")}


def _exponent_end(kinds: Sequence[str], caret: int) -> int:
    """Return the index of the last token of the exponent behind the token `caret`, which is taken to be one token,
    perhaps with a minus sign and in brackets.
    """
    bracketed = kinds[caret + 1 : caret + 2] == ["LPAR"]
    first = caret + 1 + bracketed
    return first + (kinds[first : first + 1] == ["MINUS"]) + bracketed


class Neighbours:
    """Two neighbouring tokens of which one may be a slip; `after` is the kind of the token behind them.

    `bound` are names of variables; `foreign` are starts of places with signs of another notation.
    """

    def __init__(
        self, pair: tuple[Token, Token], after: str, source: Source, bound: Collection[str], foreign: Collection[int]
    ) -> None:
        """Compute the facts about two neighbouring tokens, `pair`, that entries of the advice table `neighbours` use.

        `after` is the kind of the token behind them ("" at the end), `bound` are names with a value, `foreign` the
        starts of places with signs of another notation: a second token there counts as separate. `first` and `right`
        are the texts of the tokens, `left` the first one as it is written, `digits` the second one without its first
        character, `span` covers both.
        """
        first, second = pair
        self.span = Span(first.start, second.end, source)
        self.first, self.right = first.text, second.text
        self.left = source.text[first.start : first.end]
        self.prefix = self.first + self.right[0]
        self.before_number = second.type == "NUMBER"
        self.is_plain = first.type in ("NUMBER", "NAME")
        self.is_temperature = first.type == "DEGREE" and self.right in ("C", "F", "K")
        self.are_separate = first.end != second.start or second.start in foreign
        self.digits = self.right[1:]
        is_base = self.right[0] in "xXbBoO" and self.digits.isalnum() and self.digits[0].isdecimal()
        self.is_other_base = self.first == "0" and is_base  # 0x1F, 0b101
        is_factor = after in ("CARET", "SUPER", "STAR", "SLASH")
        self.stops_in_exponent = self.right in {"e", "E"}.difference(bound) and not is_factor

        opened = source.text[: first.start].rpartition("[")
        self.is_in_square_brackets = opened[1] == "[" and "]" not in opened[2] and "(" not in opened[2]
        self.is_mixed = self.first.isdecimal() and self.right.isdecimal() and after == "SLASH"
        self.of_values = bool(bound)
        self.is_single = "." in self.first and self.right in {"f", "F"}.difference(bound, assigned_names(source.text))
        is_exponent = self.right[0] in "dD" and self.digits.isdecimal()
        self.is_fortran = "." in self.first and is_exponent and self.right not in bound

    def has_word(self, word: str) -> bool:
        return word in (self.left, self.right)


def reject_number_slips(tokens: Tokens, source: Source, bound: Collection[str], foreign: Collection[int]) -> None:
    """Raise the SyntaxProblem of the advice table `neighbours` for the first pair of neighbouring tokens, one of them a
    number, that looks like something else: `0x10`, `1e`, `2 3`, `x 2`; return if there is none.

    A pair whose first token ends the exponent of a function name (`sin^2 0.5`) is allowed. `bound` are names with a
    value, `foreign` the starts of places in other notations, which the entries of the table may ask for.
    """
    from .advice import advise  # only needed where neighbours are suspect

    kinds = [*tokens.kinds, ""]
    head_ends = _find_head_ends(tokens.kinds)
    for place, pair in enumerate(pairwise(tokens.kinds)):
        if pair in _SUSPECT and place not in head_ends:
            neighbours = tokens.at(place), tokens.at(place + 1)
            advise("neighbours", Neighbours(neighbours, kinds[place + 2], source, bound, foreign))


def _mark_definitions(tokens: Tokens) -> set[str]:
    """Change the kinds of the tokens of `f ( a , b ) =` at the start of each statement to DEF and PARAM, in place.

    Return the names defined. Only headers with at least one parameter, all of them names, count. A parameter such as
    `x_`, as in Mathematica, becomes x if it occurs nowhere else in the text.
    """
    kinds = tokens.kinds
    defined: set[str] = set()
    size = len(kinds)
    place = 0
    while place < size:
        if kinds[place : place + 2] == ["NAME", "LPAR"]:
            k = place + 2
            while kinds[k : k + 2] == ["NAME", "COMMA"]:
                k += 2
            if kinds[k : k + 3] == ["NAME", "RPAR", "EQ"]:
                kinds[place] = "DEF"
                defined.add(tokens.texts[place])
                for parameter in range(place + 2, k + 1, 2):
                    kinds[parameter] = "PARAM"
                    tokens.texts[parameter] = _strip_blank_pattern(tokens.texts[parameter], tokens.texts)
        while place < size and kinds[place] != "SEMI":
            place += 1
        place += 1
    return defined


def _strip_blank_pattern(name: str, texts: Sequence[str]) -> str:
    """Return `x` for a parameter `x_` that occurs nowhere else in the `texts`, as in Mathematica's f[x_] := x^2; other
    names are returned unchanged.
    """
    is_blank = name[-1] == "_" and texts.count(name) == 1
    return (name.rstrip("_") or name) if is_blank else name


def names_with_values(tokens: Tokens) -> set[str]:
    """Return the names to which the text itself gives a value: assigned, or a parameter."""
    return {name for kind, name, after in _with_next(tokens) if kind == "PARAM" or (kind, after) == ("NAME", "EQ")}


def _with_next(tokens: Tokens) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, text, kind of the next token) of each token; the last one is "" at the end."""
    return zip(tokens.kinds, tokens.texts, [*tokens.kinds[1:], ""], strict=True)


def mark_functions(tokens: Tokens, names: Collection[str], defined: Collection[str] = ()) -> None:
    """Change the kind of tokens of kind NAME to FUNC, in place.

    Names in `defined` (those defined in the text) change everywhere, names in `names` only where they are applied to an
    operand.
    """
    functions = {*names, *defined}
    if not functions:
        return
    kinds, texts = tokens.kinds, tokens.texts
    for place in [place for place, name in enumerate(texts) if name in functions]:
        if kinds[place] == "NAME" and (texts[place] in defined or _is_applied(tokens, place + 1)):
            kinds[place] = "FUNC"


def _note_products(tokens: Tokens, source: Source, known: Collection[str], readings: list[Reading]) -> None:
    """Append to `readings` a note for each variable directly before a bracket, each time, which is read as a factor.

    A name is a variable if it is in `known`, used as one elsewhere in the text, or pi, e or tau; in LaTeX also a letter
    that is clearly a factor. A name as an exponent on a function (`sin^n(x)`) gets a note too. Brackets that are braces
    are passed over. Raises NameProblem for the first name that is not a variable.
    """
    names = [(kind, name) for kind, name, after in _with_next(tokens) if kind == "PARAM" or after != "LPAR"]
    variables = {name for kind, name in names if kind in ("PARAM", "NAME", "FUNC")}
    for place, pair in enumerate(pairwise(tokens.kinds)):
        if pair != ("NAME", "LPAR") or tokens.texts[place + 1][-1] == "{":
            continue
        name = tokens.texts[place]
        span = (tokens.starts[place], tokens.ends[place + 1])
        if tokens.kinds[max(place - 2, 0) : place] == ["FUNC", "CARET"]:
            head = tokens.texts[place - 2]
            text = f"{head}^{name}(…) is read as the power {name} of {head}(…)"
            readings.append(Reading(text, span, topic="inverse"))
            continue
        known_one = name in known or name in variables or name in ("pi", "e", "tau")
        if not known_one and not ("\\" in source.text and _is_factor(tokens, place)):
            from .ambiguous_names import refuse_call  # only needed after an error

            here = Span(tokens.starts[place], tokens.ends[place], source)
            refuse_call(name, here, arguments_at(tokens, place + 1), variables.union(known))
        readings.append(Reading(f"{name}(…) is read as a product: {name} is a variable", span, topic="product"))


def _is_factor(tokens: Tokens, place: int) -> bool:
    r"""Return whether the LaTeX letter in the token at `place`, before a bracket, is clearly a factor.

    As in `P\left(1+\frac rn\right)^n`. False for names that are not letters, and for letters that often name functions
    (f, g, h, F, G, H, N, u, y, p, some Greek ones). Then the first that applies among the first 199 tokens of the
    bracket, False if none does:

    - a square bracket, or one that begins with a number and + or -: True
    - a + or - between operands at its own level, or a fraction, power or root at any level: True
    - a comma at its own level: False
    - at its end: whether it is raised to a power
    """
    kinds = tokens.kinds
    if not _is_letter_of_variable(tokens.texts[place]):
        return False
    if tokens.texts[place + 1][-1] == "[":
        return True
    if kinds[place + 2 : place + 3] == ["NUMBER"] and kinds[place + 3] in ("PLUS", "MINUS"):
        return True
    depth = 0
    for k, kind in enumerate(kinds[place + 1 : place + 200], place + 1):
        depth += (kind == "LPAR") - (kind == "RPAR")
        if not depth:
            return kinds[k + 1 : k + 2] in (["CARET"], ["SUPER"])
        if depth == 1 and kind in ("PLUS", "MINUS") and kinds[k - 1] != "LPAR":
            return True
        if kind in ("FRAC", "CARET", "ROOT", "INDEXED_ROOT") or (kind == "COMMA" and depth == 1):
            return kind != "COMMA"
    return False


def _is_letter_of_variable(name: str) -> bool:
    """Return whether a name is a letter, perhaps with a subscript, by which functions are seldom called."""
    is_letter = len(name) == 1 or "_" in name or name in GREEK or name == "hbar"
    return is_letter and name not in _FUNCTION_LETTERS


def arguments_at(tokens: Tokens, opening: int) -> int:
    """Return the number of arguments in the bracket that opens at the token with index `opening`.

    It is one more than the commas at its own level, so also 1 for an empty bracket. A bracket that is not closed counts
    up to the end of the text.
    """
    kinds = tokens.kinds[opening:]
    depths = accumulate((kind == "LPAR") - (kind == "RPAR") for kind in kinds)
    inside = takewhile(lambda pair: pair[0], zip(depths, kinds, strict=True))
    return 1 + sum(pair == (1, "COMMA") for pair in inside)


def _is_function(name: str) -> bool:
    return lookup(name) is not None or name in AGGREGATES or logarithm_base(name) is not None


def _is_applied(tokens: Tokens, place: int) -> bool:
    """Return whether an operand to which a function can be applied is at the token `place`, behind the function's name.

    As in `sin x`, `sin -x`, `sin^2 x`, and not in `gamma^2 + 1` or `sin^2 -x`. Either an exponent (`^2`, `^-1`,
    `^(-1)`, ²) or a minus sign directly before its operand is passed over, not both. An operand is a number, name,
    root, fraction, bracket or bar, not another function.
    """
    kinds = tokens.kinds
    first = kinds[place] if place < len(kinds) else ""
    if first == "MINUS" and tokens.ends[place] != tokens.starts[min(place + 1, len(kinds) - 1)]:
        return False
    if first in ("SUPER", "MINUS"):
        place += 1
    elif first == "CARET":
        place = _exponent_end(kinds, place) + 1
    return place < len(kinds) and kinds[place] in _ARGUMENT_START
