r"""The tokens of rows, as pieces of patterns: names, numbers, signs, and words in four languages for what joins them.

No token has a group. All are taken at once (possessively), so that a line is looked at once however it goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..language.advice import synonyms
from ..patterns import pattern
from ..table.primitive import lookup

FORMULA = pattern(r"[\d(*/^+√·×⋅²³]|\w\s[-−]\s\w")  # what a formula has
_OPERATIONS = frozenset("+-−*·×÷/^⋅∙")
_LONGEST_NAME = 2  # letters of a name in a formula that is alone in a line
MOST = 1_000_000  # characters of a line
LETTER = r"[^\W\d_]"
NAME = r"\\?[^\W\d]\w*+(?:_\{[\w-]++\})?+'*+"
DIGITS = r"(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?"
NUMBER = rf"(?:−|[-+]?)\s?{DIGITS}"
D = r"(?:∂|\\partial(?![A-Za-z])|\\mathrm\s*+\{d\}|𝑑|d)"  # of a derivative
BRACES = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+)\}"  # with one group, what is in them


def _words(*alternatives: str) -> str:
    """Return a pattern for one of the `alternatives`, with any white space for a blank."""
    return f"(?:{'|'.join(alternatives)})".replace(" ", r"\s++")


BY = _words(
    r"with respect to|w\.?\s?r\.?\s?t\.?|nach|bezüglich|bzgl\.?|par rapport à|(?:con )?respecto (?:a|de)|em relação a",
    "rispetto a|in direction of|naar|po|podle",
)
DERIVATIVE = _words("derivative", "slope", "partial", "ableitung", "dérivée", "derivada", "derivata", "afgeleide")
# A derivative in words, `partial derivative of f with respect to x`: its groups are the function, what else it is of,
# and the input. Whoever reads words as a derivative reads them by this.
DERIVATIVE_PHRASE = _words(
    rf"(?:partial |partielle )?(?:{DERIVATIVE}(?: partielle| parcial| parziale)?|gradient|differentiating|derived"
    rf"|(?<![\w,;=]\s)(?<!\w)(?={BY} ))"
    r"(?: (?:of|von|van|de|der|di|da|la) (?:(?:(?:the|la|der|die) )?(?:whole )?"
    r"(?:function|expression|whole|it|this|that|funktion|fonction|función|função|funzione)(?!\w)"
    r"(?: (?P<function>[a-z])(?!\w))?"
    r"|(?P<of>\S.*?)))?"
    rf"(?:(?:(?:,? |(?<!\w))(?:{BY}|in|for|by|along)|(?= [a-zα-ω]\d?\s*(?:[:=]|\Z|[-−]?[\d.]+\s*\Z)))"
    rf" \$?\\?(?P<input>{LETTER}\w*(?:_\{{\w+\}})?)\$?)?"
)
# The same at the end of a left side, `the derivative wrt x`; the group `before` is the text before it.
DERIVATIVE_IN_WORDS = pattern(rf"(?P<before>|.*\W){DERIVATIVE_PHRASE}[\s:,]*\Z", re.IGNORECASE)
IS = _words("is", "are", "ist", "est", "es", "è")
HENCE = _words("then", "therefore", "thus", "hence", "also", "now", "donc", "alors", "dann", "somit", "entonces")
EQUALS = _words(
    "equals?(?: to)?|gleich|égale?(?: à)?|igual a|(?:amounts?|comes) to|(?:should|must) be|becomes?|va(?:ut|le)",
    "beträgt|lautet|likewise|similarly|ebenso|genauso",
)
COMMENT = r"(?:#|//|%|--)"  # that begins a comment in a program
SHOWS = r"(?:[=≈→~:\s]|->|=>|prints?\b|gives?\b|is\b|[Oo]utput\b|>>>)*+"  # between that sign and a number
WRAPPERS = r"\\(?:boxed|mathbf|boldsymbol|underline|mathrm(?!\{d\})|textbf|emph|bm)(?=\{)"  # without a meaning
BETWEEN_DIGITS = pattern(r"(?<=\d),(?=\d)", signs=",")  # a comma between digits
_WORD = pattern(rf"{LETTER}++")
_NAME = pattern(r"\\?[^\W\d_]\w*+(?:_\{\w++\})?+")
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
