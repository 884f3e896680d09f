"""The tokens of rows: parts of patterns for names, numbers, signs and words, from grammar/row_notations.txt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..language.advice import synonyms
from ..patterns import pattern
from ..table.primitive import lookup
from .line_rewriting import part, row_pattern

FORMULA = pattern(r"[\d(*/^+√·×⋅²³]|\w\s[-−]\s\w")  # what a formula has
_OPERATIONS = frozenset("+-−*·×÷/^⋅∙")
_LONGEST_NAME = 2  # letters of a name in a formula that is alone in a line
MOST = 1_000_000  # characters of a line
LETTER, DIGITS, NUMBER, BY = map(part, ("LETTER", "DIGITS", "NUMBER", "BY"))
# A derivative in words at the end of a left side; the group `before` is the text before it.
DERIVATIVE_IN_WORDS = row_pattern(r"(?P<before>|.*\W){DERIVATIVE_PHRASE}[\s:,]*\Z", re.IGNORECASE)
BETWEEN_DIGITS = pattern(r"(?<=\d),(?=\d)", signs=",")  # a comma between digits
_WORD = pattern(rf"{LETTER}++")
_NAME = pattern(r"\\?[^\W\d_]\w*+(?:_\{\w++\})?+")
REMARK = pattern(r"\s++[(\[]((?:[^()\[\]]|\([^()]*+\))*+)[)\]]\s*\Z", signs=")]")
_CHUNK = pattern(r"\S++")


def chunks(text: str, start: int = 0, end: int = MOST) -> list[tuple[int, int]]:
    """Return start and end of what stands between blanks in `text`, from offset `start` to `end`."""
    return [match.span() for match in _CHUNK.finditer(text, start, end)]


def depths(text: str) -> list[int]:
    """Return for each character of `text` the number of brackets around it; brackets themselves count as outside.

    The brackets ( [ { ⟨ < and ) ] } ⟩ > count alike, also > in an arrow. From a bracket on that closes nothing the
    number is negative, or one less than it should be.
    """
    depth, levels = 0, []
    for character in text:
        depth -= character in ")]}⟩>"
        levels.append(depth)
        depth += character in "([{⟨<"
    return levels


def words_of(text: str) -> list[str]:
    """Return the runs of letters in `text`, in order."""
    return _WORD.findall(text)


def names_in(text: str) -> list[str]:
    """Return the names in `text`, in order, with their indices and without primes."""
    return _NAME.findall(text)


def without_remark(text: str) -> str:
    """Return `text` without a remark in brackets at its end: `0.6 kg m/s` for `0.6 kg m/s (the momentum)`.

    A remark follows blanks, which are removed too, has no brackets inside but round ones like `f(x)`, and has an equals
    sign, `1 C (= 1000 mC)`, or a word of three letters or more that is not a function, even the name of a row."""
    remark = REMARK.search(text)
    words = (word for word in words_of(remark[1]) if len(word) > 2) if remark else iter(())
    is_remark = remark and ("=" in remark[1] or any(lookup(word.lower()) is None for word in words))
    return text[: remark.start()] if remark and is_remark else text


def replace_names(text: str, spelled: Callable[[str], str]) -> str:
    """Return a text with what `spelled` returns instead of each of its names, with their indices and without primes."""
    return _NAME.sub(lambda match: spelled(match.group()), text)


def word_sets(table: str, *meanings: str) -> Iterator[frozenset[str]]:
    """Yield for each of `meanings` its words in `table`, a table of grammar/synonyms.txt."""
    words = synonyms(table).items()
    return (frozenset(word for word, known in words if meaning in known) for meaning in meanings)


def is_operation(text: str) -> bool:
    """Return whether a text is the name of an operation and nothing else: `ln`, `+`, `·`."""
    return text in _OPERATIONS or lookup(text.strip("\\").lower()) is not None


def is_formula(text: str) -> bool:
    """Return whether a line is a formula and nothing else, judging by its words and signs."""
    words = words_of(text)
    long = [word for word in words if len(word) > _LONGEST_NAME and lookup(word.lower()) is None]
    return bool(words) and not long and bool(FORMULA.search(text))
