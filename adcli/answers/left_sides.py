"""Left sides of rows: words, step numbers and bullets, and after them the symbol of the row. The symbol names the
quantity that the row states.

The left side is the text before the first equals sign of a row; its symbol names the quantity that the row states.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from unicodedata import normalize

from ..language.advice import synonyms
from ..patterns import pattern
from ..records import NamedTuple
from ..table.primitive import lookup
from .answer_model import BAR, DERIVATIVE, DOT, VALUE, WORDS, Quantity, may_be_derivative, normal
from .higher_derivatives import output_of, split_index
from .line_rewriting import row_pattern
from .numerals import numeral
from .row_grammar import RowParts, parse
from .row_tokens import DERIVATIVE_IN_WORDS, words_of
from .shown_numbers import as_double
from .symbols import SIGMOID, Names

_LONGEST = 200
_MOST = 2000  # left sides that are kept
_BRACKETS = frozenset("()[]")
_OPERATORS = frozenset("*/·×=")  # which no name of a function has
_REMARK = pattern(r"\s*+[(\[]\s*+(?:[^\W\d_]{3,}|by )[^()\[\]]*+[)\]]\s*\Z", signs=")]")
_AT_NUMBERS = row_pattern("{AT_NUMBERS}", signs=")")
_MARKS = (  # for other texts, and, shorter, for those of ASCII
    row_pattern("{BULLETS}", signs=(*":-*+>.)]#%•–—·→⇒∴✓▪◦└├│╰─", "//")),
    row_pattern("{BULLETS_IN_ASCII}", signs=(*":-*+>.)]#%", "//")),
)
_PROSE = row_pattern("{PROSE}")
_STOPS = ",:;!"
_MINUS = ("-", "−", "–")
_NAME = pattern(r"(?:\\?[^\W\d]\w*(?:_\{[-+]?\w+\}\w*)?'*|[^\W\d_]-\d+)\Z")
_PREPOSITIONS = frozenset(
    ("of", "wrt", "to", "in", "along", "by", "for", "at", "von", "nach", "für", "de", "à", "a", "por")
)
_VERBS = frozenset(("is", "ist", "es", "we"))
_SHORT_NAME = 4  # letters of a name that words for other things seldom have
_SUPERSCRIPTS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_COMMAS = str.maketrans(";|", ",,")  # between arguments
_STARTS = pattern(r"(?<![\w\\{_^])(?=[\w\\∂])")


class LeftSide(NamedTuple):
    """The symbol at the end of a left side.

    `start` and `end` are offsets in the text; `written` is the plain name as it is written, None for other spellings of
    a symbol; `called` is the function's name in `f(x1, x2)`.
    """

    quantity: Quantity
    start: int
    end: int
    written: str | None
    called: str | None = None


class LeftSides(dict[str, LeftSide | None]):
    """A cache from the text of a left side to its symbol, None if it names no row; a missing text is read on access."""

    def __init__(self, names: Names) -> None:
        super().__init__()
        self.names = names

    def __missing__(self, text: str) -> LeftSide | None:
        """Read, keep and return the symbol of the left side `text`: a derivative in words (`_read_phrase`), a higher
        derivative, an operator's, or any other.

        None for a text of more than 200 characters. All symbols are forgotten when 2000 are kept.
        """
        if len(self) >= _MOST:
            self.clear()
        is_short = len(text) <= _LONGEST
        phrase = self._match_phrase(text) if is_short else None
        left = self._read_phrase(phrase) if phrase else None
        if is_short and phrase is None:
            left = self._higher(text) or self._read_operator(text) or _left_side(text, self.names)
        self[text] = left
        return left

    def _match_phrase(self, text: str) -> re.Match[str] | None:
        """Return the match of a left side that names a derivative with respect to an input in words, `Ableitung nach
        x`; else None.

        Bullets and the number 1 may be before the words. None if the last word is not an input.
        """
        words = text.strip(" ()$:").split()
        if len(words) < 2 or self.names.own(words[-1]) not in self.names.inputs:
            return None
        phrase = DERIVATIVE_IN_WORDS.match(text.rstrip(" )"))
        is_whole = phrase is not None and phrase["input"] and not phrase["before"].strip(" -•*(1.")
        return phrase if is_whole else None

    def _read_phrase(self, phrase: re.Match[str]) -> LeftSide | None:
        """Return the derivative of the only output that a match of DERIVATIVE_IN_WORDS names; its place are all words.

        None if there are several outputs, or if the words name another function, `derivative of z wrt x`.
        """
        names = self.names
        functions = {names.result_of(phrase[group]) for group in ("function", "of") if phrase[group]}
        if len(names.outputs) != 1 or not functions.issubset(names.outputs):
            return None
        wrt = names.own(phrase["input"])
        return LeftSide(Quantity(DERIVATIVE, names.outputs[0], wrt), phrase.end("before"), phrase.end(), None)

    def _higher(self, text: str) -> LeftSide | None:
        """Return the symbol of a higher derivative that is an output, `∂²f/∂x∂y (2, 3)`, as the value of that output.

        The text after bullets and labels, without colons at its end, must be a quotient that `output_of` reads; it is
        the place of the symbol. None for any other text, also for `f_xy`.
        """
        names = self.names
        if "/" not in "".join(names.outputs):
            return None
        start = _start(text)
        output = output_of(text[start:].rstrip(" \t:"), names.inputs, names.outputs)
        return None if output is None else LeftSide(Quantity(VALUE, output), start, len(text.rstrip()), None)

    def _read_operator(self, text: str) -> LeftSide | None:
        """Return the symbol of a derivative that is written as an operator, after bullets and labels; None for any
        other text.

        - the input by its number from 1 among all inputs: `D_1 f(2, 3)`, `∂₂f`, `D[1](f)(2, 3)`
        - the input by its name: `∂ₓf`, `∂_x f`, `d/dx f`, `∂/∂x f` (not with D)
        - an operator alone, `d/dx` or `∂_x`: the derivative of the only output; not if there are several outputs, and
          neither `dx` nor `d_1`

        The function is an output or a letter that means one (`names.result_of`); arguments in brackets may be anything.
        None also if there is no input with the number, or if the answer knows the operator as a name, such as `D1`,
        `D_1` or `D1f`.
        """
        start, names = _start(text), self.names
        sign, behind = text[start : start + 1], normalize("NFKD", text[start + 1 :])
        is_quotient = behind.startswith(("/d", "/∂"))
        behind = behind[2:] if is_quotient else behind.lstrip("_{[")
        index = behind[: len(behind) - len(behind.lstrip("0123456789"))]
        inputs = sorted(names.inputs, key=len, reverse=True)
        input_name = index or next(filter(behind.startswith, inputs), "") * (sign == "∂" or is_quotient)
        function = behind[len(input_name) :].lstrip("]}( ").replace(")", "(").partition("(")[0].strip(" :")
        output = names.result_of(function) if function.isidentifier() else None
        if (
            not function
            and (sign == "∂" or is_quotient)
            and text[start + 1 : start + 2] != input_name[:1]
            and len(names.outputs) == 1
        ):
            output = names.outputs[0]
        wrt = names.inputs[int(index) - 1 : int(index)] if index else (input_name,) * bool(input_name)
        if (
            output is None
            or sign not in ("D", "∂", "d")
            or not wrt
            or not names.known.keys().isdisjoint(
                (f"{sign}{input_name}", f"{sign}_{input_name}", f"{sign}{input_name}{function}")
            )
        ):
            return None
        return LeftSide(Quantity(DERIVATIVE, output, *wrt), start, len(text.rstrip()), None)

    def are_apart(self, one: LeftSide | None, other: LeftSide | None) -> bool:
        """Return whether the symbol `other` cannot belong to the row of `one`, but begins another: `v1 = 6 v1' = 2`.

        False if `one` or `other` is None. True for different derivatives of results with respect to inputs, of first or
        higher order, `f_x = 2xy f_xx = 2y` (`_is_partial`), for the same symbol of one function with arguments, `f'(x)
        = 2x f'(2) = 4`, and for a name and that name with a prime; else False if `other` is a value. If `one` is a
        value: True, unless it is written as a derivative of any row, known or not, as `da` (`may_be_derivative`).
        Otherwise True for a tangent after an adjoint or an adjoint after a tangent, and for tangents or adjoints of two
        inputs, `xdot = 1 ydot = 0`; else False.
        """
        if one is None or other is None:
            return False
        if one.quantity != other.quantity and self._is_partial(one) and self._is_partial(other):
            return True
        kind, other_kind = one.quantity.kind, other.quantity.kind
        if _is_again(one, other) or other_kind == VALUE:
            return _is_again(one, other)
        if kind == VALUE:  # in da = 2x dx = 6 it is not known yet that there is a row a
            return not may_be_derivative(one.written or "")
        names = {one.quantity.name, other.quantity.name}
        are_of_inputs = kind == other_kind and len(names) == 2 and names <= {*self.names.inputs}
        return are_of_inputs or {kind, other_kind} == {DOT, BAR}

    def is_derivative_of(self, text: str, function: str) -> bool:
        """Return whether a left side is the symbol of a derivative of the result whose symbol `function` is."""
        one, other = self[text], self[function]
        return one is not None and other is not None and one.quantity[:2] == (DERIVATIVE, other.quantity.name)

    def _is_partial(self, left: LeftSide) -> bool:
        """Return whether a symbol is a derivative of a result with respect to inputs, of any order: `f_x`, `fxx`."""
        (kind, name, key), names, written = left.quantity, self.names, left.written or ""
        if kind != VALUE or "/" in name:
            return name in names.outputs and (kind == VALUE or (kind == DERIVATIVE and key in names.inputs))
        return names.result_of(written[:1]) is not None and split_index(written[1:].lstrip("_"), names.inputs) != ()


def _is_again(one: LeftSide, other: LeftSide) -> bool:
    """Return whether two symbols are the same of one function with arguments, or a name and it with a prime, A and
    A'."""
    is_same = one.quantity == other.quantity and one.called == other.called is not None
    return is_same or (one.written is not None and other.written == one.written + "'")


@lru_cache(maxsize=64)
def shared_left_sides(names: Names) -> LeftSides:
    """Return the symbols of left sides that all answers with these names share."""
    return LeftSides(names)


def _left_side(text: str, names: Names) -> LeftSide | None:
    """Return the symbol at the end of `text`, after bullets, labels and words, with its place; None if it names no row.

    Ignored are a remark in brackets after the symbol, numbers as arguments of a quotient, `∂f/∂x(2, 3)`, and brackets
    around the whole text. Endings of `text` that begin at a word or name are tried: from behind bullets and labels,
    then shorter and shorter ones, then the whole text, at most 20. The first counts that is one symbol and has only
    words before it (`_is_prose`). After words, the symbol must also be a derivative, a single letter, a known name,
    have a digit, or otherwise look like a name (pH, W_v); if not, the next ending is tried. None, without trying
    others, for a value after words about a derivative, `the slope along x`.
    """
    plain, places = names.separate_marks(text.translate(_COMMAS) if text.rstrip().endswith(")") else text)  # f(3; 5)
    stop = _end_of_symbol(plain, names)
    plain = plain[:stop]
    inside = plain[1:-1]
    if plain in (f"({inside})", f"[{inside}]") and _BRACKETS.isdisjoint(inside):
        plain = f" {inside}"
        stop -= 1
    first = _start(plain)
    first = first if first < stop else 0
    starts = [match.start() for match in _STARTS.finditer(plain)]
    for start in [first, *(start for start in starts if start > first), *([0] if first else [])][:20]:
        before = plain[first:start]
        if before.strip() and not _is_prose(before, names):
            continue
        left = _read_symbol(plain, start, names)
        if left and left.quantity.kind == VALUE and speaks_of_derivative(before):
            return None
        if left and (not before.strip() or _stands_out(left, before, names)):
            return left._replace(start=places[start], end=places[stop])
    return None


def _end_of_symbol(text: str, names: Names) -> int:
    """Return the offset where the symbol of a left side ends. Removed from the end are, once each and in this order:

    - Colons and blanks.
    - A remark in round or square brackets that begins with `by` or a word of three letters or more. It stays if it has
      only known names, separated by commas, `f(x1, x2)`, if nothing is before it, and if it is applied: after a word
      for a derivative, `dot(out)`, or right behind a function.
    - Numbers as arguments, `(2, 3)` or `(x=2, y=3)`, only if `text` has a `/`, ∂, =, @ or `frac`.
    """
    stop = len(text.rstrip(" \t:"))
    remark = _REMARK.search(text[:stop])
    if remark and remark.start() > 0 and not _is_called(remark.group(), names):
        word = "".join(text[: remark.start()].split()[-1:])
        is_applied = word in WORDS or (text[remark.start()] != " " and lookup(word) is not None)
        stop = stop if is_applied else remark.start()
    arguments = _AT_NUMBERS.search(text[:stop]) if any(sign in text for sign in ("/", "∂", "=", "@", "frac")) else None
    return arguments.start() if arguments else stop


def _start(text: str) -> int:
    """Return the offset after the blanks, bullets and labels at the start of a left side."""
    mark = _MARKS[text.isascii()].match(text)
    return mark.end() if mark else len(text) - len(text.lstrip())


def is_derivative(left_side: LeftSide | None) -> bool:
    """Return whether a symbol is a tangent, adjoint or derivative, or is spelled as one; False for None."""
    return left_side is not None and (left_side.quantity.kind != VALUE or may_be_derivative(left_side.written or ""))


def is_label(before: str, after: str, lefts: LeftSides, text: str) -> bool:
    """Return whether the name `before` a colon is the label of the row `after` it, as in `Q2: E = exp(-1) = 0.368`.

    It consists of letters and digits, has a digit or more than four letters, occurs once in the `text` of the answer
    (parts of words count too), and is not a known name. `after` is a left side; its symbol must not be the plain name
    of an input.
    """
    name, names, left = before.strip(), lefts.names, lefts[after]
    is_given = left is not None and normal(left.written or "") in names.inputs
    is_new = names.own(name) not in names.known.values() and text.count(name) == 1
    return is_new and not is_given and name.isalnum() and (not name.isalpha() or len(name) > _SHORT_NAME)


def speaks_of_derivative(words: str) -> bool:
    """Return whether the words before a symbol make it the argument of a derivative or operation: `the slope along x`,
    `multiplied by x`.
    """
    before = [word.lower() for word in words_of(words)]
    if before[-1:] in (["wrt"], ["by"], ["nach"]):
        return True
    return before != [] and before[-1] in _PREPOSITIONS and not synonyms("sentences").keys().isdisjoint(before)


def _is_called(remark: str, names: Names) -> bool:
    """Return whether brackets at the end of a left side hold arguments, as in `f(x1, x2)`: only known names, or no
    words.
    """
    words = words_of(remark)
    return not words or all(names.own(part.strip(" ()[]")) in names.known.values() for part in remark.split(","))


def _is_prose(text: str, names: Names) -> bool:
    """Return whether `text`, which precedes a symbol, is only words and step numbers.

    The first that applies:

    - A text with signs other than those after words, or with a minus sign at its end, behind a name in
      `names.known`, `since a - mu`, or right before the symbol: False.
    - A word is a function that is applied: False. It is not applied before a verb such as `is`, before a word of three
      letters or more that is not a function (`power rule`), or right before one of , : ; and !. The last word of
      `text`, without such a sign, is applied.
    - No word is in `names.known`, or there are no words: True.
    - True if a word that is not in `names.known` has two letters or more, else False.
    """
    words = words_of(text)
    is_minus = text[-2:-1].isspace() or not names.known.keys().isdisjoint(words[-1:])  # from q we get −q̄
    if not _PROSE.match(text) or (text.rstrip()[-1:] in _MINUS and is_minus):
        return False
    for one, two in pairwise([*words, ""]):  # sin x, but neither `the power rule` nor `the softplus is`
        is_applied = lookup(one) and (len(two) < 3 or lookup(two)) and two not in _VERBS
        if is_applied and not any(f"{one}{stop}" in text for stop in _STOPS):
            return False
    others = [word for word in words if word not in names.known]
    return len(others) == len(words) or max(map(len, others), default=0) > 1


def _read_symbol(text: str, start: int, names: Names) -> LeftSide | None:
    """Return the symbol that `text` consists of from offset `start` to its end; None if that is not a single symbol.

    The first that applies:

    - The call of a function or a word with a point (`_is_no_row`): None, unless the name before the bracket is known.
    - A call such as `f(x1, x2)` (`_read_call`).
    - A name with an exponent in superscript, x² (a formula): None.
    - A symbol in any spelling of `names`.
    - A plain name, known or not, also one that could be a product (`x1x2`) or a constant (`e`), as a VALUE.
    - Otherwise, such as for `x^2` and numbers, and for an empty text, None.
    """
    if start >= len(text):
        return None
    may_be_call = text.rstrip().endswith(")") and text[start] != "\\"
    function = text[start:].partition("(")[0].strip().rstrip("'") if may_be_call else "="
    if function not in names.known and _is_no_row(function, text[start:].partition("(")[2], names):
        return None
    call = parse("call", text, start) if _OPERATORS.isdisjoint(function) else None
    if call:
        return LeftSide(_read_call(call, names), start, len(text), None, call["function"].rstrip("'\u0307"))
    plain = _NAME.match(text, start)
    if plain and not _SUPERSCRIPTS.isdisjoint(plain.group()):
        return None  # a formula
    quantity = names.quantity(text, start)
    if quantity:
        return LeftSide(quantity, start, len(text), plain and plain.group())
    # a row may be called e, and v-1 as in a survey
    return LeftSide(Quantity(VALUE, names.own(plain.group())), start, len(text), plain.group()) if plain else None


def _is_no_row(word: str, inside: str, names: Names) -> bool:
    """Return whether a word that is no known name, with brackets behind it, names no row. `inside` is the text behind
    the opening bracket.

    It is a mathematical function, sigmoid or Dual, but not a word for a derivative such as `dot`; or a word of three
    letters or more, no name of a result, with another point than that of the problem: `new point (100/7, 2)`.
    """
    if word in (*SIGMOID, "dual", "Dual") or lookup(word) is not None:
        return word not in WORDS
    is_word = len(word) >= _SHORT_NAME - 1 and word.isalpha() and names.result_of(word) is None
    if not is_word or words_of(inside) or not names.point:
        return False
    values = [numeral(part) for part in inside.rstrip(") ").split(",")]
    return [value and as_double(value.value) for value in values] != [*map(float, names.point.values())]


def _read_call(call: RowParts, names: Names) -> Quantity:
    """Return the quantity of a call; `call` has the parts `function` (with primes or dots, which count as primes) and
    `last` (the last argument). The result is the function if that is a known name, else the only output
    (`names.result`).

    The first that applies:

    - A function with primes that is, with them, a known name, `f''(2)`: its value.
    - A symbol of a derivative without the primes, `f_x(2, 3)`: that derivative.
    - A function without primes: the value of the function's own name if it cannot mean an output and `last` is a name
      that is not an input, `s(z)`; otherwise the value of the result.
    - One prime, `f'(x)`: the derivative of the result with respect to `last` if that is a known name; else with respect
      to the only one of `wrt` if the result is an output.
    - Otherwise, such as for two primes, the tangent of the result.
    """
    function = call["function"].rstrip("'\u0307")
    primes = call["function"][len(function) :].replace("\u0307", "'")
    if primes and normal(call["function"]) in names.known:  # f''(2), where that is the result
        return Quantity(VALUE, names.own(call["function"]))
    result = names.result(function)
    symbol = names.quantity(function)
    if symbol and symbol.kind != VALUE:  # f_x(2, 3), ẋ1(t)
        return symbol
    by = names.own(call["last"])
    if not primes:  # s(z) = 1/(1 + e^-z) is a function of another argument, next to f(x)
        is_other = names.result_of(function) is None and by.isidentifier() and by not in names.inputs
        return Quantity(VALUE, names.own(function) if is_other else result)
    if by not in names.known.values():
        by = names.wrt[0] if len(names.wrt) == 1 and result in names.outputs else ""
    return Quantity(DERIVATIVE, result, by) if by and primes == "'" else Quantity(DOT, result)


def _stands_out(left_side: LeftSide, before: str, names: Names) -> bool:
    """Return whether a symbol is recognised after the words `before`.

    True for a derivative, and for a name that is a single letter, is known, has a digit, has an input as its index
    (W_v), or has a capital after its first letter but not only capitals, as pH. After a colon also for a name with a
    capital, or of at most four characters.
    """
    name = left_side.quantity.name
    is_usual = len(name) == 1 or any(map(str.isdecimal, name)) or name in names.known.values()
    is_usual |= "_" in name and name.rpartition("_")[2] in names.inputs
    is_titled = before.rstrip().endswith(":") and (name != name.lower() or len(name) <= _SHORT_NAME)
    is_titled |= name[1:] != name[1:].lower() and not name.isupper()
    return left_side.quantity.kind != VALUE or is_usual or is_titled
