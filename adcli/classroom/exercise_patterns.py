"""Exercise patterns by level (`grammar/exercises.txt`), into which functions, numbers and a point are drawn, from a
secret.

Draws are the same on every machine and in every version of Python, and cannot be predicted without the secret.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence

from ..grammar_files import read_sections
from ..typings import TypeVar

# The patterns of each level.
LEVELS: Mapping[int | str, Sequence[str]] = {
    int(level) if level.isdecimal() else level: list(filter(None, lines))
    for level, lines in read_sections("exercises.txt").items()
}
_FUNCTIONS = ("sin", "cos", "sqrt")  # these and the next have no kinks
_INVERSES = ("exp", "log")  # only one of the two, or they might undo each other
_FACTORS = ("2", "3", "4", "5")
_EXPONENTS = ("2", "3")
_VALUES = tuple(f"{tenths / 10:g}" for tenths in range(4, 50) if tenths != 10)
_INPUTS = ("x1", "x2")
_ENTRIES = ("-3", "-2", "-1", "1", "2", "3", "4")  # of vectors and matrices

# Why an exercise is not a good one.
PRINTS_BADLY = "a number does not print well"
LOOKS_ALIKE = "a slip looks like the truth or like another slip"
NEAR_EDGE = "the edge of the domain is near"

T = TypeVar("T")


def draw_problem(draws: Draws, level: int | str) -> tuple[str, str]:
    """Return (a random problem of a level as text, `program @ point`; one of its inputs for forward mode).

    The input is "" with vectors or matrices. The numbers of the problem are not checked. It draws in a fixed order from
    `draws`: the same state gives the same problem. Functions and factors are different from each other, values are from
    0.4 to 4.9 in tenths, without 1; entries of arrays are whole numbers from -3 to 4, without 0. Raises KeyError for a
    level that does not exist.
    """
    pattern = draws.one(LEVELS[level])
    if "@" in pattern:
        return _draw_arrays(draws, pattern), ""
    functions = dict(zip("fgh", draws.some((*_FUNCTIONS, draws.one(_INVERSES)), 3), strict=True))
    factors = dict(zip("ab", draws.some(_FACTORS, 2), strict=True))
    program = pattern.format(**functions, **factors, n=draws.one(_EXPONENTS))
    values = draws.some(_VALUES, len(_INPUTS))
    point = ", ".join(f"{name}={value}" for name, value in zip(_INPUTS, values, strict=True))
    return f"{program} @ {point}", draws.one(_INPUTS)


def _draw_arrays(draws: Draws, pattern: str) -> str:
    """Return a pattern in which each shape is replaced by a list of drawn entries.

    `<3x2>` becomes a matrix of 3 rows, `[a, b; c, d; e, f]`, and `<3>` a vector, `[a, b, c]`; entries are drawn row by
    row, from left to right. A pattern without shapes is returned unchanged.
    """
    before, *parts = pattern.split("<")
    text = before
    for part in parts:
        shape, _, rest = part.partition(">")
        rows, _, columns = shape.partition("x") if "x" in shape else ("1", "", shape)
        drawn = [", ".join(draws.one(_ENTRIES) for _ in range(int(columns))) for _ in range(int(rows))]
        text += f"[{'; '.join(drawn)}]{rest}"
    return text


# --- draws ------------------------------------------------------------------------------------------------------------


def seed_of(secret: bytes, *parts: object) -> bytes:
    """Return the seed for these parts: HMAC-SHA256 with the secret as the key."""
    return hmac.digest(secret, "\x1f".join(repr(part) for part in parts).encode("utf-8", "replace"), "sha256")


class Draws:
    """An endless sequence of draws from one seed."""

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self.count = 0

    def below(self, bound: int) -> int:
        """Return a whole number from 0 to `bound` - 1."""
        self.count += 1
        return int.from_bytes(hmac.digest(self.seed, self.count.to_bytes(8, "big"), "sha256"), "big") % bound

    def one(self, choices: Sequence[T]) -> T:
        """Return one of the choices."""
        return choices[self.below(len(choices))]

    def some(self, choices: Sequence[T], count: int) -> list[T]:
        """Return `count` of the choices, each at most once."""
        left = list(choices)
        return [left.pop(self.below(len(left))) for _ in range(count)]
