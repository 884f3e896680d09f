"""Formulas of arrays in answers: read in the ways that people and NumPy mean them, and evaluated in any arithmetic. A
spelling is a text in the language of arrays that a formula may mean, a reading one that can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial

from ...arrays.array_program import ArrayProgram, read_arrays
from ...arrays.shapes import Shape
from ...arrays.sweeps import evaluate_output
from ...errors import AdcliError, Source
from ...records import NamedTuple
from ...typings import Any
from .array_texts import with_entries
from .numpy_formulas import parse_python, spell_numpy

Array = tuple[Shape, Sequence[Any]]
# Signs of NumPy and of mathematics in the language of arrays; `*` is a product of arrays or entry by entry.
_SIGNS = {
    ".(": "(", ".transpose()": "^T", ".T": "^T", ".t()": "^T", "^T": "^T ", "\\cdot": "·", "×": "*", "\\times": "*",
    "**": "^", "\\lvert": "|", "\\rvert": "|", "linalg.": "", "inverse(": "inv(", "^{\\circ": ".^{", "^{\\odot": ".^{",
    "\\odot": ".*", "\\circ": ".*", " . ": "·",
}  # fmt: skip
_WORDS = {  # with blanks around them in the text
    " transposed ": " ^T ", " transpose ": " ^T ", " times ": " * ", " plus ": " + ", " minus ": " - ",
    " squared ": " ^2 ", " divided by ": " / ", " the ": " ", " inverse of ": " inv ", " trace of ": " tr ",
}  # fmt: skip
MATRICES, BARS, MOST_SPELLINGS = 2, 5, 7  # the places of some of the spellings, and their number
_POWER_OF_ARRAY = "^T", "^\\top", "^{T}", "^{\\top}", "^-", "^{-", "^(-"


class ReadFormula(NamedTuple):
    """A formula as a program of arrays; `names` are those that it uses.

    `is_literal` says that it has a number, a constant such as pi, or a list in it, which may be a substituted value.
    """

    program: ArrayProgram
    names: frozenset[str]
    is_literal: bool

    @property
    def shape(self) -> Shape:
        """Return the shape of the result."""
        return self.program.outputs[0][1].of(self.program.blocks)[0]

    def values(self, m: Any, arrays: Mapping[str, Array]) -> Array:
        """Return shape and entries of the formula in the arithmetic `m`; `arrays` has the numbers for its names."""
        return evaluate_output(self.program, m, arrays)


def read_exactly(text: str, shapes: Mapping[str, Shape]) -> ReadFormula | None:
    """Return a formula in the names with these shapes as it is written; None if it cannot be read as one output.

    A product of two vectors is a product of matrices, which does not fit.
    """
    return _read(text, tuple(shapes.items()), False)


@lru_cache(maxsize=1 << 10)
def _read(text: str, shapes: tuple[tuple[str, Shape], ...], entrywise: bool) -> ReadFormula | None:
    """Return the formula `text` over the names with these shapes; None if it cannot be read as one output. Cached.

    None also if a name in it has no value, or if it is nested too deeply. With `entrywise` a product of two vectors of
    the same length is taken entry by entry.
    """
    try:
        program = read_arrays(Source(text), dict(shapes), entrywise=entrywise)
    except (AdcliError, RecursionError):
        return None
    literal = "[" in text or any(block.literal is not None for block in program.blocks)
    return ReadFormula(program, frozenset(program.inputs), literal) if len(program.outputs) == 1 else None


def readings(text: str, shapes: Mapping[str, Shape], place: int = 0) -> list[ReadFormula]:
    """Return the readings of a formula over the names with these shapes, the likeliest first; [] if it cannot be read.

    The spelling with the index `place` in `spellings` comes before the others (there may be none); a spelling that
    cannot be read has no reading, equal texts have one. In all of them a product of two vectors of one length is taken
    entry by entry.
    """
    texts, known = spellings(text, shapes), tuple(shapes.items())
    read = (_read(each, known, True) for each in dict.fromkeys([*texts[place : place + 1], *texts]))
    return [reading for reading in read if reading is not None]


def spellings(text: str, shapes: Mapping[str, Shape]) -> list[str]:
    """Return what a formula may be in the language of arrays, the likeliest first; some may be equal, or not readable.

    Words are replaced by signs first (`A times x`). The spelling 0 is what NumPy means, with `*`, `/` and powers entry
    by entry, if the text is an expression of Python without `^T` that can be read as NumPy; else it is the text itself.
    Then come those of `_rewritten_spellings`. Callers know some by their index: 2 (MATRICES) has products of matrices,
    5 (BARS) and 6 norms and determinants. `shapes` are those of the names. [] only for code that is not understood and
    has a call of a method or with arguments by name, or for more than 600 parts; other texts, also unreadable ones,
    have spellings.
    """
    text, numpy = with_entries(_without_words(text, shapes), shapes), numpy_spelling(text, shapes)
    return [] if numpy == "" else [numpy or text, *_rewritten_spellings(text)]


def numpy_spelling(text: str, shapes: Mapping[str, Shape]) -> str | None:
    """Return a formula as NumPy means it, in the language of arrays (`spell_numpy`).

    None if it has `^T` or is not an expression of Python; "" for code that cannot be spelled.
    """
    plain = with_entries(_without_words(text, shapes), shapes)
    return None if "^T" in plain else spell_numpy(plain, shapes, partial(_shape_of, shapes))


def _without_words(text: str, shapes: Mapping[str, Shape]) -> str:
    """Return a formula with signs instead of words: `A transpose times (A x minus b)` is `A ^T * ( A x - b )`.

    The words, in small letters and all in `_WORDS`, are transpose(d), times, plus, minus, squared, divided by, inverse
    of, trace of, and `the`, which is dropped. After `inverse of`, one name of `shapes` is the argument: `inv(X) b` for
    `inverse of X b`. A formula without such words, or in Python, is unchanged; any other gets single blanks around
    brackets and commas.
    """
    words = text
    for sign in "(),":
        words = words.replace(sign, f" {sign} ")
    words = f" {' '.join(words.split())} "
    if not any(word in words for word in _WORDS) or parse_python(text) is not None:
        return text
    for word, sign in _WORDS.items():
        words = words.replace(word, sign).replace(word, sign)  # twice, for words next to each other
    for name in shapes:  # inverse of X b
        words = words.replace(f" inv {name} ", f" inv({name}) ")
    return words.strip()


def _shape_of(shapes: Mapping[str, Shape], text: str) -> Shape | None:
    """Return the shape of a formula in the names with these shapes; None if it cannot be read."""
    read = read_exactly(text, shapes)
    return None if read is None else read.shape


def _rewritten_spellings(text: str) -> Iterator[str]:
    """Yield the spellings of `text` with NumPy's names and other signs (`_SIGNS`) replaced; some may be equal.

    In this order, with their index in `spellings`: 1 `*` and · entry by entry; 2 (MATRICES) `*` as a product of
    matrices; 3 and 4 both again with `^` entry by entry, except `^T` and `^-1`. Then, also without a bar in the text, 5
    (BARS) is 2 with single bars as a norm, and 6 is 2 with them as a determinant; these are left out if the text has
    `||`.
    """
    for python, ours in _SIGNS.items():
        text = text.replace(python, ours)
    powers, place = text, 0
    while (place := powers.find("^", place)) >= 0:
        if not powers.startswith(_POWER_OF_ARRAY, place) and powers[place - 1 : place] != ".":
            powers = powers[:place] + "." + powers[place:]
            place += 1
        place += 1
    matrices = [each.replace("*", " @ ").replace(". @ ", ".*") for each in (text, powers)]
    for each, other in zip((text, powers), matrices, strict=True):
        yield each.replace(".*", "*").replace("·", "*").replace("*", ".*")
        yield other
    if "||" not in text:
        yield matrices[0].replace("|", "‖")
        yield "".join(f"det({part})" if k % 2 else part for k, part in enumerate(matrices[0].split("|")))
