"""Numbers that words state after a formula, `2*x*y, so at (2, 3) it is 12`, and that words correct, `14 oops, 12`. A
relation is an equals sign or the like.

Each is written with an equals sign instead, and every character keeps its place in the line.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from ..errors import Source
from ..graph.graph import CONSTANTS
from ..language.advice import synonyms
from ..language.brackets import closing
from ..records import NamedTuple
from ..table.primitive import lookup
from .answer_model import Numeral
from .chains import are_joined_by_arrow, begins_with_relation, cut, has_relation, relations
from .collector import Collector, Cut
from .line_rewriting import BLANK
from .numerals import numeral
from .row_tokens import chunks, words_of
from .shown_numbers import are_unequal, as_double
from .symbols import Names

# Uses of words that lead to a number: to state it, to correct another one, before a point; others are links.
_STATES, CORRECTS, _PRECEDES_POINT = "states", "corrects", "precedes point"
WORD_USES = {word: uses[0] for word, uses in synonyms("leading").items()}
_LEADING = frozenset(word for word in WORD_USES if len(word) > 1)
_REACH = 300  # characters that words and a number may take
_MOST = 20  # relations of a line that are looked at
_COMMENTS = ("# ", "// ")
_SIGNS = (":", "(=", "(≈")
_AROUND = ",;:.!()[]–—-<←✗✘❌$*` "
_LISTED = frozenset(",;:")
_TICKS = ",;:!)]✓✔☑✅$*` "


class _LeadingWords(NamedTuple):
    """Words that lead to a number: the offset after them, whether they state it (`so it is`, `at (2, 3):`), and whether
    one of them corrects an earlier number (`oops`, `should be`).
    """

    end: int
    states: bool
    corrects: bool


def take_stated_number(collector: Collector, source: Source, text: str) -> Cut | None:
    """Return the number, or list of numbers, that the line `text` states for the last row; None if it states none.

    Examples are `At (2, 3): 12` and the comment `# 12`. `text` is the line of `source` with its markup blanked out. The
    result is all text behind the words; it is not added to the row. These conditions must be met:

    - The row is open (`collector.open`), and the line has no relation such as = and does not begin with a colon.
    - The line begins with words that lead to a number, or is a comment, and a number follows (`_end_of_number`).
    - If the last piece of the row is a number, one of the words corrects it; the piece is then removed from the row. If
      it is a formula, the words state a number, or the line is a comment.
    """
    if not collector.open or text[:1] in _SIGNS or has_relation(text):
        return None
    comment = next((mark for mark in _COMMENTS if text.startswith(mark)), "")
    words = _read_leading_words(text, len(comment), collector.names)
    if not words.end or not _end_of_number(text, words.end, collector.names):
        return None
    pieces = collector.part.rows[-1].pieces
    is_number = bool(pieces) and _read_number(pieces[-1].text) is not None
    if not pieces or not (words.corrects if is_number else words.states or comment):
        return None
    if is_number:
        pieces.pop()
    return cut(source, text, words.end, len(text))


def without_corrected(pieces: list[Cut]) -> list[Cut]:
    """Return the pieces of a row without those that another one corrects: for `8 = 10 (fixed)` only 10.

    If the first word of the last piece is a number, and another one such as `fixed` (CORRECTS), all other numbers are
    dropped. In a row that begins with a formula, `x + y = 8 -> 10`, so is a number that an arrow and a number that
    cannot be equal to it (`are_unequal`) follow. Formulas, and the last piece with its words, stay.
    """
    words = [word.strip(_AROUND).lower() for piece in pieces[-1:] for word in (*piece.text.split(), "")]
    numbers = [*(_read_number(piece.text) for piece in pieces[:-1]), *map(_read_number, words[:1])]
    is_worked = numbers[:1] == [None]
    corrects = numbers[-1:] != [None] and any(WORD_USES.get(word) == CORRECTS for word in words)
    replaced = [
        number and (corrects or (is_worked and later and are_unequal(number, later) and are_joined_by_arrow(*two)))
        for two, (number, later) in zip(pairwise(pieces), pairwise(numbers), strict=True)
    ]
    return [*(piece for piece, is_replaced in zip(pieces, replaced, strict=False) if not is_replaced), *pieces[-1:]]


def _read_number(text: str) -> Numeral | None:
    """Return the number that `text` is, with a decimal point or else a decimal comma; None if it is none."""
    return numeral(text) or numeral(text, "comma")


def with_stated_numbers(text: str, names: Names, is_row: Callable[[str], bool]) -> str:
    """Return the line `text` with an equals sign between a formula and the number stated after it; same length.

    `u = 2*x*y, so at x=2 it is 12` becomes `u = 2*x*y = 12` with blanks. After each relation (`_end_of_relation`), at
    most 20, the first words that lead to a number are looked at, up to the next relation. They are blanked out from the
    offset of `_begin_of_blank` on, and replaced by = unless a relation is right before them. So words that correct a
    number, `u = 14, oops, should be 12`, are blanked out with this number; or with the whole right side if another
    formula with its number follows, but not if the text up to the next relation is the left side of a row (`is_row`).
    If the words lead to another point, `x=1 it is 6`, the line is blank from them to its end. The brackets of the first
    `(= 6)` and `(≈ 6)` are blanked out too. Nothing is changed in a comment behind a number, `= 0.4  # the slope is 1`,
    unless it has a word that corrects.
    """
    row, sign, comment = text.partition(" # ")
    uses = {WORD_USES.get(word.strip(_AROUND)) for word in comment.lower().split()}
    if sign and CORRECTS not in uses and numeral(row.rpartition("=")[2].strip()) is not None:
        return with_stated_numbers(row, names, is_row) + sign + comment
    has_no_word = _LEADING.isdisjoint(word.strip(_AROUND) for word in text.lower().split())
    if has_no_word and not any(sign in text for sign in _SIGNS):
        return text
    for opening in ("(=", "(≈"):
        text = _without_brackets(text, text.find(opening))
    first = place = 0  # the offsets after the first relation of the open row, and after the last one
    for _ in range(_MOST):
        end = _end_of_relation(text, place, names)
        if not end:
            break
        place = end
        first = first or place
        following = relations.search(text, place)
        end = following.start() if following else len(text)
        start = _start_of_words(text, place, end, names)
        if start is None:
            first = 0 if "," in text[place:end] or ";" in text[place:end] else first
            continue
        words = _read_leading_words(text, start, names)
        after = _end_of_number(text, words.end, names)
        begin = _begin_of_blank(text, (first, place, start), words, names, has_number=after > 0)
        if begin is None and _leads_to_other_value(text, words.end, names):
            return text[:start] + BLANK * (len(text) - start)
        if begin is None or (begin == first and not after and is_row(_left_of(text, words.end).strip(_AROUND))):
            continue
        text = _write_sign(text, begin, words.end, " =" if begin > place else "")
        place, first = max(after, words.end), 0
    return text


def _end_of_relation(text: str, place: int, names: Names) -> int:
    """Return the offset after the first relation from `place` on; 0 if there is none.

    At the start of the text (`place` 0) the first colon with a blank behind it is one, before any other relation, if a
    formula and then words that lead to a number follow it up to that relation, as in `derivative: 2*x*y, at (2, 3) it
    is 12`.
    """
    sign = relations.search(text, place)
    end = sign.start() if sign else len(text)
    colon = 0 if place else text.find(": ", 0, end) + 1
    start = _start_of_words(text, colon, end, names) if colon else None
    if start is not None and text[colon:start].strip(_AROUND):
        return colon
    return sign.end() if sign else 0


def _begin_of_blank(
    text: str, places: tuple[int, int, int], words: _LeadingWords, names: Names, *, has_number: bool
) -> int | None:
    """Return the offset from which the text up to the end of `words` is blanked out; None if the words stay.

    `places` are the offsets after the first relation of the row, after the last one, and of the first of the words.
    `has_number` says that a number follows the words. The cases, by what is between the last relation and the words:

    - Nothing: the offset after the last relation, if the words state a number and a number or a relation follows them.
    - A number, perhaps with a unit, and the words correct: the offset after the last relation if a number follows; else
      the one after the first relation if there is a relation behind the words.
    - A formula, and the words state a number but do not correct: the end of the formula, if the number follows.
    - Otherwise None.
    """
    first, place, start = places
    piece = text[place:start].strip(_AROUND)
    if not piece:
        is_followed = has_number or begins_with_relation(text[words.end :])
        return place if words.states and is_followed else None
    is_number = _read_number(piece) is not None or _has_unit(piece, names)
    if words.corrects and is_number:
        return place if has_number else first if has_relation(text[words.end :]) else None
    if words.corrects or is_number or not words.states or not has_number:
        return None
    return place + len(text[place:start].rstrip(" ,;:.–—-"))


def _has_unit(piece: str, names: Names) -> bool:
    """Return whether `piece` is a number and a word behind a blank that is no known name: `99768 Pa`, but not `2 x`."""
    number, _, unit = piece.partition(" ")
    return unit.isalpha() and names.own(unit) not in names.known and numeral(number) is not None


def _leads_to_other_value(text: str, start: int, names: Names) -> bool:
    """Return whether another value of an input is at `start` and words that state a number follow it: `x=1 it is 6`."""
    name, equals, rest = text[start:].partition("=")
    place = start + len(name) + 1 + len(rest) - len(rest.lstrip())
    _, end = next(iter(chunks(text, place, place + _REACH)), (0, 0))
    return bool(equals) and names.own(name.strip(" $(")) in names.point and _read_leading_words(text, end, names).states


def _write_sign(text: str, start: int, end: int, sign: str) -> str:
    """Return the text with `sign` and blanks from `start` to `end`, without the bracket that closes one opened
    there.
    """
    opened = text[start:end].count("(") > text[start:end].count(")")
    rest = text[end:].replace(")", BLANK, 1) if opened else text[end:]
    return text[:start] + sign.ljust(end - start, BLANK) + rest


def _without_brackets(text: str, start: int) -> str:
    """Return `text` with blanks instead of the round bracket at offset `start` and the bracket that closes it.

    Return `text` unchanged if `start` is negative or no bracket closes that one.
    """
    end = closing(text, start, len(text)) if start >= 0 else None
    return f"{text[:start]}{BLANK}{text[start + 1 : end - 1]}{BLANK}{text[end:]}" if end else text


def _left_of(text: str, start: int) -> str:
    """Return the text from `start` to the next relation, without blanks."""
    sign = relations.search(text, start)
    return text[start : sign.start()].strip() if sign else ""


def _start_of_words(text: str, start: int, end: int, names: Names) -> int | None:
    """Return the offset of the first word from `start` to `end` that may lead to a number; None if there is none."""
    for place, stop in chunks(text, start, end):
        word = text[place:stop].strip(_AROUND).lower()
        if (len(word) > 1 or text[place:stop] == "I") and word in WORD_USES and word not in names.known:
            return place
    return None


def _read_leading_words(text: str, start: int, names: Names) -> _LeadingWords:
    """Return _LeadingWords for the words from `start` on, up to the first that is a known name or not in WORD_USES.

    Words are separated by blanks; signs around them do not matter, and signs alone are skipped. The problem's point,
    `(2, 3)`, may be among the words. Only words that begin within 300 characters are read. `states` is True if one of
    them is `is`, `hence` or the like and the last is not `at` or the like; also if the last ends in a colon, or is the
    point and a comma or colon follows. `corrects` is True if one is `oops` or the like. `end` is the offset after the
    last word with its signs, or after the point and its punctuation; without words it is `start`.
    """
    place, stated, states, corrects = start, False, False, False
    for begin, stop in chunks(text, start, start + _REACH):
        if begin < place:
            continue  # in the point
        word = text[begin:stop].strip(_AROUND).lower()
        end = end_of_point(text, begin, names)
        if end:
            states = stated or text[end : end + 1] in (",", ":")
            end += len(text[end:]) - len(text[end:].lstrip(",:;.$"))
        elif (word and word not in WORD_USES) or word in names.known:
            break
        else:
            use = WORD_USES.get(word)
            corrects = corrects or use == CORRECTS
            stated = stated or use == _STATES
            states = (stated and use != _PRECEDES_POINT) or text[stop - 1] == ":"
        place = end or stop
    return _LeadingWords(place, states, corrects)


def is_other_value(name: str, text: str, names: Names) -> bool:
    """Return whether `text` is a number, and not the value of the input `name`, to half a unit of its last place.

    False for a name that is not an input, and if its value is not known.
    """
    number, x = numeral(text), names.point.get(names.own(name))
    return number is not None and x is not None and abs(number.value - Fraction(x)) > number.unit / 2


def end_of_point(text: str, start: int, names: Names) -> int:
    """Return the offset after the problem's point that begins at `start`, or behind a $ there; 0 if none begins there.

    The point is P (if the problem has no such name), the values of all inputs in brackets, in order, `(2, 3)` or `(x=2,
    y=3)` (the names are not compared), or the value of one input without brackets, `x=2`. Values must be equal as
    floating-point numbers. Punctuation and a $ after it are not included.
    """
    start += text[start] == "$"
    if {text[start : start + 2].rstrip(" :,.;")}.difference(names.known) == {"P"}:
        return start + 1
    if text[start : start + 1] in ("(", "["):
        end = max(text.find(")", start), text.find("]", start)) + 1
        values = [numeral(part.rpartition("=")[2]) for part in text[start + 1 : end - 1].split(",")]
        point = [float(x) for x in names.point.values()]
        is_point = bool(end) and [value and as_double(value.value) for value in values] == point
        return end if is_point else 0
    name, equals, rest = text[start:].partition("=")
    value = names.point.get(names.own(name.strip())) if equals else None
    shown = rest.lstrip().split(" ")[0].rstrip(",;:.)$")
    number = numeral(shown) if value is not None else None
    is_value = number is not None and value is not None and as_double(number.value) == float(value)
    return text.index(shown, start + len(name) + 1) + len(shown) if is_value else 0


def _end_of_number(text: str, start: int, names: Names) -> int:
    """Return the offset after the number at `start`, or 0.

    The number may be a fraction `2/3`, and have blanks and a $ before it. The result is 0 if there is none, or if
    something else follows it than this:

    - the end of `text`, a relation, or a word of two letters or more that is not a name or function; ticks, commas,
      full stops and opening brackets before it are passed over, as in `12 (which is right)`;
    - a comma, full stop, semicolon or round closing bracket right behind it, whatever comes then.

    Tried before, whatever follows: arithmetic without names and an equals sign, such as `8 ln 2 =`, gives the offset of
    the sign (`_end_of_sum`); a list of two numbers or more in brackets the offset after it. Signs behind a number, such
    as $ and ✓, are not included.
    """
    begin, stop = next(iter(chunks(text, start, start + _REACH)), (len(text), len(text)))
    begin += text[begin : begin + 1] == "$"
    if end := _end_of_sum(text, begin) or _end_of_list(text, begin):
        return end
    shown = text[begin:stop].rstrip(_TICKS).rstrip(".").rstrip(_TICKS)
    if any(_read_number(part) is None for part in shown.split("/", 1)):
        return 0
    rest = text[stop:].lstrip(_TICKS + ".,(")
    word = next(iter(words_of(rest)), "") if rest[:1].isalpha() else ""
    is_end = not rest or begins_with_relation(rest) or (len(word) > 1 and word not in names.known and not lookup(word))
    return begin + len(shown) if is_end or text[stop - 1] in ",;.)" else 0


def _end_of_sum(text: str, start: int) -> int:
    """Return the offset of the equals sign after arithmetic at `start`, such as `8 ln 2 =`; 0 if there is none.

    The text from `start` to the first = begins with a digit, a minus sign, a round bracket or √, has no words but
    functions and constants, and no comma, semicolon or colon. A number alone, `8 =`, counts too. `start` is not a
    blank.
    """
    sum_, equals, _ = text[start:].partition("=")
    is_sum = bool(equals) and sum_[:1] in "-−(√0123456789" and _LISTED.isdisjoint(sum_)
    is_known = all(word in CONSTANTS or lookup(word) for word in words_of(sum_))
    return start + len(sum_) if is_sum and is_known else 0


def _end_of_list(text: str, start: int) -> int:
    """Return the offset after a list of two numbers or more in brackets at `start`, `(12, 4)`; 0 if there is none."""
    closing = {"(": ")", "[": "]"}.get(text[start : start + 1], "")
    end = text.find(closing, start) if closing else -1
    items = text[start + 1 : end].split(",") if end > 0 else []
    return end + 1 if len(items) > 1 and all(map(numeral, items)) else 0
