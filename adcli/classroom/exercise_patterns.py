"""Exercise patterns by level, into which functions, numbers and a point are drawn, from a secret.

Draws are the same on every machine and in every version of Python, and cannot be predicted without the secret.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from ..records import NamedTuple


class Level(NamedTuple):
    """The subject of a level, and its patterns: `{f} {g} {h}` are functions, `{a} {b}` numbers, `{n}` an exponent."""

    about: str
    patterns: tuple[str, ...]


LEVELS: Mapping[int, Level] = MappingProxyType({
    1: Level("products and sums of two inputs", (
        "x1*x2 + {a}*x1", "({a}*x1 + x2)*x2", "(x1 + {a})*(x2 - {b})", "({a}*x1 - x2)*(x1 + {b}*x2)",
        "{a}*x1*x2 - {b}*x2",
    )),
    2: Level("a node that is used twice", (
        "{f}(x1) + x1*x2 - {g}(x2)", "{f}(x1)*x2 + x1*{g}(x2)", "a = x1*x2; a*{f}(a)", "a = {a}*x1 + x2; a*{f}(a)",
        "x2*{f}(x1*x2)", "({f}(x1) + x2)*{g}(x1)",
    )),
    3: Level("a chain of three functions", (
        "x1*{f}({g}({h}(x1*x2)))", "x2*{f}({g}(x1 + {h}(x2)))", "a = {h}(x1); a*{f}({g}(a*x2))",
        "{f}({g}({h}(x1) + x2)*x1)", "x1*x2 - {f}({g}({h}(x1)))",
    )),
    4: Level("division and powers", (
        "(x1^{n} + {a}*x2)/(x1*x2)", "({a}*x1 + x2)^{n}/x2", "a = x1/x2; a^{n} + {f}(a)", "{f}(x1)/(x1 + x2^{n})",
        "x1*x2/({a} + {f}(x1))^{n}",
    )),
    5: Level("two outputs", (
        "a = {f}(x1)*x2; y1 = a*x1; y2 = {g}(a)", "a = x1*x2; y1 = {f}(a); y2 = a*{g}(x1)",
        "a = x1/x2; y1 = {f}(a)*x2; y2 = a^{n}", "y1 = x1*{f}(x2); y2 = x2*{g}(x1)",
    )),
})  # fmt: skip

_FUNCTIONS = ("sin", "cos", "sqrt")  # these and the next have no kinks
_INVERSES = ("exp", "log")  # only one of the two, or they might undo each other
_FACTORS = ("2", "3", "4", "5")
_EXPONENTS = ("2", "3")
_VALUES = tuple(f"{tenths / 10:g}" for tenths in range(4, 50) if tenths != 10)
_INPUTS = ("x1", "x2")

T = TypeVar("T")


def draw_problem(draws: Draws, level: int) -> tuple[str, str]:
    """Return a random problem of a level as text (program @ point), and one of its inputs for forward mode; its numbers
    are not checked.

    It draws in a fixed order from `draws`: the same state gives the same problem. Functions and factors are different
    from each other, values are from 0.4 to 4.9 in tenths, without 1. Raises KeyError for a level that does not exist.
    """
    pattern = draws.one(LEVELS[level].patterns)
    functions = dict(zip("fgh", draws.some((*_FUNCTIONS, draws.one(_INVERSES)), 3), strict=True))
    factors = dict(zip("ab", draws.some(_FACTORS, 2), strict=True))
    program = pattern.format(**functions, **factors, n=draws.one(_EXPONENTS))
    values = draws.some(_VALUES, len(_INPUTS))
    point = ", ".join(f"{name}={value}" for name, value in zip(_INPUTS, values, strict=True))
    return f"{program} @ {point}", draws.one(_INPUTS)


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
