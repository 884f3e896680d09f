"""Sentences that state rows: `the value of f is 10`, `hence the gradient is (3, 2)`, `if x < 0, m' = -1`.

Every text keeps its length, so that each character still has its place in the student's line.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise, takewhile

from ..graph.graph import CONSTANTS
from ..notation.typeset_names import GREEK
from ..patterns import pattern
from ..table.primitive import lookup
from .answer_model import BAR, DOT, VALUE, WORDS, Numeral
from .chains import OPERATORS, has_relation, is_whole, relations
from .formulas import UNIT
from .higher_derivatives import split_index
from .left_sides import LeftSide, LeftSides
from .line_rewriting import BLANK, apply_rule, apply_rules, rewritings, row_pattern
from .numerals import COMPARED, numeral
from .row_tokens import chunks, names_in, word_sets, words_of
from .stated_numbers import is_other_value, with_stated_numbers
from .symbols import Names

_SENTENCE_END = pattern(r"(?<=[\w)\]$])[.!?] ++(?=[^\W\d_]{2,}\s)", signs=(". ", "! ", "? "))
_LEAST_SENTENCES = 2  # with a digit, for a line to be read by sentences
_EQUALS, _GRADIENTS = rewritings("equals"), rewritings("gradients")
_IS = (" is ", " are ", " ist ", " est ", " es ", " è ")
_STATES = row_pattern("{STATES}")
_CLAUSE = pattern(r"[=≈,;:]|\.\s|\b(?:and|und|et|so|that|then|thus|hence)\b|(?<=\s)y(?=\s)")
_GRADIENT = ("gradient", "grad ", "jacobi", "∇")
_PARTIALS = [row_pattern(each, re.IGNORECASE) for each in ("{PARTIAL_BEFORE_SIGN}", "{PARTIAL_BEFORE_VERB}")]
_BY = ("respect", "wrt", "w.r.t", "nach ", "naar ", "bezüglich", "bzgl", "rapport", "rispetto")
_CONDITION = row_pattern("{CONDITION}", re.IGNORECASE)
_COMPARISONS = ("<", ">", "≥", "≤", "\\le", "\\ge")
_MARKS = ("bar", "dot", "adj", "grad")  # of derivatives
_CLOSING = frozenset(")]}")
_ONE_LETTER_AND = ("y", "e")  # in Spanish, and in Italian and Portuguese
_END = pattern(r"[.;,](?=\s|\Z)|\Z")
_SAME, _FILLERS = word_sets("repeated", "same", "filler")
_MOST_WORDS = 8
_LONG_WORD, _LONG_WORDS = 4, 3  # letters of such a word of a sentence, and the number of them


def is_sentence(text: str) -> bool:
    """Return whether a text has no digit and three words or more that have four letters or more and no meaning in
    formulas: `I forgot it when copying my draft`.
    """
    words = [word for word in words_of(text) if len(word) >= _LONG_WORD and not lookup(word) and word not in GREEK]
    return len(words) >= _LONG_WORDS and not any(map(str.isdecimal, text))


def _pair(match: re.Match[str]) -> str:
    """Return `; f_x ,   f_y =   12 ,   9;` for a match of `. f_x and f_y are 12 and 9.`"""
    words = match[0].strip(".,; ").split(" ")
    text = " ".join(word if k % 2 == 0 else ",=,"[k // 2].ljust(len(word)) for k, word in enumerate(words))
    return text.join(";" * len(part) for part in match[0].split(match[0].strip(".,; ")))


def _number_before_other_unit(match: re.Match[str]) -> str:
    """Return `135000` of a match of `135000 J (i.e. 135 kJ)`; the match itself if the second number, rounded to the
    digits that both have, does not have the same digits."""
    digits = ["".join(filter(str.isdecimal, match[group])).strip("0") for group in ("number", "other")]
    are_equal = len({round(float(f"0.{each}"), min(map(len, digits))) for each in digits}) == 1
    return match["number"] if are_equal else match[0]


_WHOLE_LINES = rewritings("whole_lines", pair=_pair, number=_number_before_other_unit)


def sentences(line: str, start: int, names: Names, is_row: Callable[[str], bool]) -> Iterator[str]:
    """Yield the sentences of a line from offset `start` on, each at its place in a line of the same length, blank
    elsewhere.

    First, lists in words, the same number in another unit (`_WHOLE_LINES`) and the numbers that words state are
    rewritten (`with_stated_numbers`, with `names` and `is_row`). Then the text from `start` on is split behind `.`, `!`
    or `?` and a blank, before a word of two letters or more, and around `; f_x, f_y = 12, 9;`, if two or more of these
    parts have a digit. All parts are yielded, also those without a digit, without the signs at their ends. If the text
    is not split it is yielded whole, with its signs and blanks before it.
    """
    line = with_stated_numbers(apply_rules(line, _WHOLE_LINES), names, is_row)
    ends = {*(match.end() for match in _SENTENCE_END.finditer(line, start)), *_ends_of_lists(line)}
    places = list(pairwise(sorted({start, *(end for end in ends if start < end < len(line)), len(line)})))
    if sum(any(map(str.isdecimal, line[first:last])) for first, last in places) < _LEAST_SENTENCES:
        yield " " * start + line[start:]
        return
    for first, last in places:
        yield (" " * first + line[first:last].rstrip(" \t!.?;")).ljust(len(line))


def _ends_of_lists(line: str) -> Iterator[int]:
    """Yield the offsets around each list of names and numbers between semicolons, `f_x, f_y = 12, 9;`."""
    end = -1
    for part in line.split(";"):
        start, end = end + 1, end + 1 + len(part)
        names, _, numbers = part.partition("=")
        if "," in names and "," in numbers and "=" not in numbers and names.count("(") == names.count(")"):
            yield from (start, end + 1)


def as_equations(text: str, names: Names, is_row: Callable[[str], bool]) -> str:
    """Return the line `text` with an equals sign instead of a verb that states a value: `f is 10` becomes `f = 10`. The
    length stays the same. In this order:

    - With a single output, `derivative with respect to x` becomes `∂y/∂x` (`_partial`).
    - `equals`, `becomes` and the like are replaced, but not before a name and an equals sign, `the output equals y =
      10`.
    - A gradient gets an equals sign before its list.
    - `is` and `are` before a number, bracket or formula are replaced after `which`, or if `is_row` is true of the
      clause before the verb, or this mentions a gradient. The clause begins after the last relation, comma, stop or
      word such as `and`; no verb in a comment behind a row is replaced.
    - A colon before a number gets one too, next to parts with equals signs: `z = 6, dz/dx: 5` (`_without_colons`).
    - Numbers that words state are rewritten by `with_stated_numbers`.
    """
    lower = text.lower()

    def has_row(match: re.Match[str]) -> str:
        clause = _CLAUSE.split(match.string[: match.start()])[-1]
        if " # " in clause:  # a comment behind a row
            return match[0]
        row = bool(match["which"]) or is_row(clause) or any(word in clause.lower() + " " for word in _GRADIENT)
        return " =" if row else match[0]

    def partial(match: re.Match[str]) -> str:
        return _partial(match, names)

    if any(word in lower for word in _BY) and len(names.outputs) == 1:
        for shape in _PARTIALS:
            text = apply_rule(text, shape, partial)
    text = apply_rules(apply_rules(text, _EQUALS), _GRADIENTS)
    text = apply_rule(text, _STATES, has_row) if any(word in lower for word in _IS) else text
    text = _without_colons(text, is_row) if ":" in text and has_relation(text) else text
    return with_stated_numbers(text, names, is_row)


def _without_colons(text: str, is_row: Callable[[str], bool]) -> str:
    """Return `text` with an equals sign for the colon of each part between commas or semicolons that is a row's name, a
    colon and a number."""
    place = 0
    for part in text.replace(";", ",").split(","):
        name, colon, number = part.partition(":")
        if colon and numeral(number.strip(" .")) is not None and is_row(name.strip()):
            text = f"{text[:place]}{name}={text[place + len(name) + 1 :]}"
        place += len(part) + 1
    return text


def _partial(match: re.Match[str], names: Names) -> str:
    """Return the text that replaces `derivative with respect to x`, a match: `∂y/∂x`, or `; ∂y/∂x =` before a verb.

    y is the only output. The first that applies:

    - Before the next equals sign, or the end, are at most two words, and the last is the symbol of a tangent, adjoint
      or derivative or has x as its index, as in `derivative with respect to x is ∂f/∂x = 3`: "", but the match itself
      if a colon is right behind it.
    - x is not an input, or the word after the verb is not a known name: the match itself. A number or bracket may
      follow.
    - Otherwise the symbol, between `;` and `=` if the match has a verb. (It stays as it is if this is too long.)
    """
    *words, symbol = match.string[match.end() :].partition("=")[0].split() or [""]
    quantity = names.quantity(names.separate_marks(symbol)[0]) if len(words) < 2 else None
    is_indexed = symbol.rstrip("}").endswith((f"_{match['below']}", f"_{{{match['below']}"))
    if (quantity and quantity.kind != VALUE) or (len(words) < 2 and is_indexed):
        return match[0] * match.string[match.end() :].lstrip().startswith(":")  # `derivative wrt x: f_x`
    following = match.groupdict().get("next", "").rstrip("²³")
    known = not following[:1].isalpha() or names.own(following) in names.known.values()
    if names.own(match["below"]) not in names.inputs or not known:
        return match[0]
    symbol = f"∂{names.outputs[0]}/∂{match['below']}"
    return f"; {symbol} =" if following else symbol


def begins_after_words(left: str, text: str, lefts: LeftSides, answer: str) -> tuple[int, int] | None:
    """Return (end of a piece, start of the next row) in `text` after words: (2, 2) for `6 we have f`, (2, 4) for `6 y
    f`.

    None if no row begins there. `left` is the left side of the row of the piece. The first that applies:

    - A single y or e between blanks means `and` (`_is_conjunction`): the piece ends at the letter, and the row begins
      behind it.
    - The row begins with words, which are before the last part of the text without blanks. That part must not be a
      plain word, as in `6 we have it`, unless it ends in a mark such as bar. The words must follow a number, a closing
      bracket or a known name, and one of them must have two letters or more. Names that the text `answer` has before =
      or ' are not words, as in `2 vy vy'`.
    """
    names = lefts.names
    words = [(start, text[start:end]) for start, end in chunks(text)]
    for (start, word), (place, _) in pairwise(words[1:]):
        if word in _ONE_LETTER_AND and _is_conjunction(left, text[:start].strip(), word, text[place:].strip(), lefts):
            return start, place
    if len(words) < 3 or (is_word(words[-1][1], names) and not words[-1][1].endswith(_MARKS)):
        return None
    last = len(words) - 1
    before_last = takewhile(lambda k: is_word(words[k][1], names), range(last - 1, 0, -1))
    first = min(takewhile(lambda k: words[k][1] not in _names_of_rows(answer), before_last), default=last)
    before = words[first - 1][1].rstrip(",:")
    whole = before[-1:].isdecimal() or before[-1:] in _CLOSING or before in names.known
    has_word = any(len(word.rstrip(",:")) > 1 for _, word in words[first:last])
    return (words[first][0], words[first][0]) if whole and has_word else None


def begins_at_blank(row: str, before: str, right: str, lefts: LeftSides, answer: str, *, spaced: bool) -> bool:
    """Return whether the left side `right` begins another row behind `before`, the end of the row of the left side
    `row`, and is no factor: v2 in `v1 = x^2 = 9 v2 = v1*y`. The first that applies:

    - A gradient, `∇f`: whether `row` is a value. `row` or `right` names no row: False.
    - The symbols are apart (`LeftSides.are_apart`): True.
    - `before` is no number: False. `row` is an input: whether the number is its value at the point.
    - Else `_is_only_row`; for another quantity than a value also the number must be 1, or rows of the line be separated
      by blanks already (`spaced`).
    """
    one, other = lefts[row], lefts[right]
    if one is None:
        return False
    is_value, value = one.quantity.kind == VALUE, numeral(before)
    if other is None or right.startswith(_GRADIENT):
        return is_value and right.startswith(_GRADIENT)
    if lefts.are_apart(one, other):
        return True
    if value is None or (is_value and one.quantity.name in lefts.names.point):
        return value is not None and not is_other_value(one.quantity.name, before, lefts.names)
    return (other.quantity.kind == VALUE or spaced or before == "1") and _is_only_row(
        other, answer, lefts.names, may_be_operand=right.startswith(OPERATORS)
    )


def _is_only_row(left: LeftSide, answer: str, names: Names, *, may_be_operand: bool) -> bool:
    """Return whether the text `answer` has the name of `left` before one relation only. False for values and
    tangents of inputs, and for a value whose name has no digit, unless it is known or that of an output and an input
    (fx), and for a unit (cm3). With `may_be_operand` the name must not be anywhere else either.
    """
    (kind, name, _), written = left.quantity, left.written or left.called or ""
    if (kind != BAR and name in names.inputs) or _names_of_rows(answer)[written] != 1:
        return False
    if may_be_operand and answer.count(written) > 1:
        return False
    is_indexed = bool(split_index(written[1:], names.inputs)) and names.result_of(written[0]) is not None
    is_row = kind != VALUE or is_indexed or written in names.known or not written.isalpha()
    return is_row and not UNIT.match(f"1 {written}", 1)


@lru_cache(maxsize=4)
def _names_of_rows(answer: str) -> Counter[str]:
    """Return how often the text of an answer has each name before a prime, colon or relation, or before arguments
    and such a sign.
    """
    texts = map(str.rstrip, relations.sub("'", answer).replace(":", "'").split("'")[:-1])
    names = (names_in(text[: text.rfind("(")] if text.endswith(")") else text) for text in texts)
    return Counter(each[-1] for each in names if each)


def _is_conjunction(left: str, before: str, word: str, right: str, lefts: LeftSides) -> bool:
    """Return whether the `word` y or e means `and`, after a number or formula `before` and before the left side `right`
    of another row.

    `left` is the left side of the row of `before`. The first that applies:

    - After a formula that goes on behind the word (`is_whole`), or before a tangent or no symbol: False.
    - After a number that ends the row (`_ends_row`; e is then no constant): True.
    - The word is neither in `names.known` nor a constant: True.
    - The word may be a factor, as in `ybar = 2 y qbar` (`_is_factor`): False.
    - `right` is a tangent, adjoint or derivative: True.
    - `right` is a new name: True if `left` is a value (or no symbol), and the word is not an input or both are letters
      with an input behind, as fx and fy; else False.
    - `right` is a known name or no symbol: True if `left` is no symbol and the number is not whole, `exp(2x) = 1.6487 y
      y^3 = 8`, else False.
    """
    names, symbol, subject = lefts.names, lefts[right], lefts[left]
    value = numeral(before.replace(",", "."))
    if value is None and not _may_begin_row(symbol, before):
        return False
    if value is not None and _ends_row(subject, value, word, right, names):
        return True
    if not (word in names.known or word in CONSTANTS):
        return True
    may_be_factor = value is None or before.isdecimal()
    if symbol is None or (symbol.quantity.kind == VALUE and symbol.quantity.name in names.known.values()):
        return subject is None and not may_be_factor
    return not (may_be_factor and _is_factor(subject, symbol, names)) and (
        symbol.quantity.kind != VALUE or _may_follow(subject, word, symbol, names)
    )


def _may_begin_row(symbol: LeftSide | None, formula: str) -> bool:
    """Return whether `symbol` may begin a row behind `formula`: it is no tangent, and the formula is whole."""
    return symbol is not None and symbol.quantity.kind != DOT and is_whole(formula)


def _ends_row(left: LeftSide | None, number: Numeral, word: str, right: str, names: Names) -> bool:
    """Return whether the row of `left` ends in `number`, with `word` for `and` behind it.

    That is so if the word is no known name, if another number is behind the word, and in the row of a value also if the
    number is that of an input at the point, or if the word is an output and no input, which is never a factor there.
    """
    if word not in names.known or right[:1].isdecimal():
        return True
    if left is None or left.quantity.kind != VALUE:
        return False
    value = names.point.get(left.quantity.name)
    is_result = word in names.outputs and word not in names.inputs
    return is_result or (value is not None and float(number.value) == float(value))


def _may_follow(left: LeftSide | None, word: str, symbol: LeftSide, names: Names) -> bool:
    """Return whether the value `symbol` may follow that of `left` (None: no symbol), with `word` for `and` between: the
    word is not an input, or both are letters with an input behind, as fx and fy."""
    indices = {(each.written or "")[1:] for each in (left, symbol) if each is not None}  # of fx and fy
    is_value = left is None or left.quantity.kind == VALUE
    return is_value and (word not in names.inputs or indices <= {*names.inputs})


def _is_factor(left: LeftSide | None, symbol: LeftSide, names: Names) -> bool:
    """Return whether y before `symbol` may be a factor, as in `ybar = 2 y qbar`: in the row of a derivative (`left`),
    before that of a step in the same spelling.
    """
    kind, name, key = symbol.quantity
    is_step = kind not in (VALUE, DOT) and (key or name) not in names.inputs
    return is_step and left is not None and left.quantity.kind == kind


def is_word(text: str, names: Names) -> bool:
    """Return whether a text is a word of a sentence: not a name or function, not a single letter except I, not eˣ."""
    word = text.rstrip(",:")
    if not word.isalpha() or len(text) > len(word) + 1 or (len(word) < 2 and word != "I"):
        return False
    known = any(word in each for each in (names.known, WORDS, GREEK, CONSTANTS))
    return not known and lookup(word.lower()) is None and unicodedata.category(word[-1]) != "Lm"  # a raised letter


def without_cases(text: str, at: Mapping[str, float]) -> str:
    """Return the line `text` without conditions on inputs; the length stays the same.

    `at` has the values of the inputs by name; if it is empty, nothing changes. A condition is a name, perhaps its
    value, a sign and a number, `x > 0` or `x = 2 > 0`, with or without a word such as `if` before it. One that is true
    is blanked out, one that is false together with its clause: for x = 2, `if x < 0, m' = -1` becomes blank and `x > 0:
    m' = 1` becomes `m' = 1` (`_blank_part`). Conditions on other names, or inside a formula, stay.
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
    """Return (start, end) of the part to blank out for a condition, a match of `_CONDITION`; None to change nothing.

    The first that applies:

    - The variable is not in `at`: None.
    - Brackets are right around the condition, and no blank is before them, as in the formula `1[x > 0]`: None.
    - It is without these, and inside a longer bracket, or neither has a word such as `if` nor begins the text or a
      clause (after `.`, `;`, `,` or `:`): None.
    - It is true: the condition with its word and brackets, and with a comma or colon after it if it begins the text or
      a clause.
    - It is false and, without brackets, begins the text or a clause: from it to the next comma, stop or semicolon
      behind the text that follows it, that sign included.
    - It is false: from behind the last `;`, `, ` or `. ` before it (or from the start) to its end.
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
    if COMPARED[match["sign"]](x, float(match["bound"].replace("−", "-"))):
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


def words_for_names(text: str) -> list[str] | None:
    """Return the words of a text that are not fillers, such as x1bar in `the same as x1bar`.

    Commas count as blanks; words keep their capitals; all after the eighth word counts as one. None if no word says
    that something is the same (`_SAME`, in any capitals), and behind a number, `4 (same in the other order)`.
    """
    words = text.replace(",", " ").strip(" .!()").split(None, _MOST_WORDS)
    is_number = bool(words) and words[0].lstrip("-−")[:1].isdecimal()
    is_same = not (is_number or _SAME.isdisjoint(map(str.lower, words)))
    return [word for word in words if word.lower() not in _SAME | _FILLERS] if is_same else None
