"""Formulas of arrays in answers: read in the ways that people and NumPy mean them, and evaluated in any arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from ...answers.arrays.array_texts import MARK, with_entries
from ...arrays.program import ArrayProgram, read_arrays
from ...arrays.shapes import Shape
from ...arrays.sweeps import evaluate_output
from ...errors import AdcliError, Source
from ...records import NamedTuple
from .numpy_formulas import spell_numpy

Array = tuple[Shape, Sequence[Any]]
TRANSPOSES = {".transpose()": "^T", ".T": "^T", ".t()": "^T"}  # NumPy's and ours
_SIGNS = {**TRANSPOSES, "·": " @ ", "\\cdot": " @ ", "\\odot": " .* ", "×": " .* "}
_POWER_OF_ARRAY = "^T", "^\\top", "^{T}", "^{\\top}", "^-1", "^{-1}"


class ReadFormula(NamedTuple):
    """A formula as a program of arrays; `names` are those that it uses, and `is_literal` says that it has numbers with
    a point or lists, which may be substituted values."""

    program: ArrayProgram
    names: frozenset[str]
    is_literal: bool

    def values(self, m: Any, arrays: Mapping[str, Array]) -> Array:
        """Return shape and entries of the formula in the arithmetic `m`; `arrays` has the numbers for its names."""
        return evaluate_output(self.program, m, arrays)


def read_exactly(text: str, shapes: Mapping[str, Shape]) -> ReadFormula | None:
    """Return a formula in the names with these shapes as it is written; None if it cannot be read or has several
    outputs.

    It is `is_literal` if it contains a list or a decimal point.
    """
    return _read(text, tuple(shapes.items()))


@lru_cache(maxsize=1 << 10)
def _read(text: str, shapes: tuple[tuple[str, Shape], ...]) -> ReadFormula | None:
    """Return the formula that `read_exactly` reads, for the names and shapes in `shapes`; None if it cannot be read or
    is not one formula.

    Its fields are the program, the names used, and whether it has a decimal point or a list in it.
    """
    try:
        program = read_arrays(Source(text), dict(shapes))
    except (AdcliError, RecursionError):
        return None
    literal = "[" in text or any(block.literal is not None for block in program.blocks)
    return ReadFormula(program, frozenset(program.inputs), literal) if len(program.outputs) == 1 else None


def readings(text: str, shapes: Mapping[str, Shape]) -> list[ReadFormula]:
    """Return the readings of a formula in the names with these shapes, the likeliest first; [] if it cannot be read.

    As NumPy means them `*`, `/` and powers are entry by entry; `*` and a dot between arrays may be matrix products.
    Code that is not understood has no reading.
    """
    text = with_entries(text, shapes)
    numpy = spell_numpy(text, shapes, partial(_shape_of, shapes))
    if numpy == "":
        return []
    spellings = dict.fromkeys([*([numpy] if numpy else []), *_spellings(text)])
    return [found for spelled in spellings if (found := read_exactly(spelled, shapes)) is not None]


def _shape_of(shapes: Mapping[str, Shape], text: str) -> Shape | None:
    """Return the shape of a formula in the names with these shapes; None if it cannot be read."""
    read = read_exactly(text, shapes)
    return None if read is None else read.program.blocks[read.program.outputs[0][1].block].shape


def _spellings(text: str) -> Iterator[str]:
    """Yield the spellings of the formula `text` that are tried, in order: with NumPy's names replaced; then with `^`,
    `*` and `/` as operations entry by entry or as products of matrices; last without `^T`. Some may be equal.
    """
    for python, ours in _SIGNS.items():
        text = text.replace(python, ours)
    yield text
    powers, place = text, 0
    while (place := powers.find("^", place)) >= 0:
        if not powers.startswith(_POWER_OF_ARRAY, place) and powers[place - 1 : place] != ".":
            powers = powers[:place] + "." + powers[place:]
            place += 1
        place += 1
    for each in (text, powers):
        stars = each.replace(".*", "*")
        for sign in (".*", " @ "):
            if "*" in stars:
                yield stars.replace("*", sign)
                yield stars.replace("*", sign).replace("/", "./").replace("../", "./")
        yield each.replace(" @ ", " .* ")
        yield each
        yield each.replace("/", "./").replace("../", "./")
    yield text.replace("^T", "").replace("dot(", "(")


def plain_names(names: frozenset[str]) -> set[str]:
    """Return names without the mark of adjoints."""
    return {name.removesuffix(MARK) for name in names}
