"""Exercise patterns by level, into which functions, numbers and a point are drawn, from a secret.

Draws are the same on every machine and in every version of Python, and cannot be predicted without the secret.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ..records import NamedTuple
from ..typings import TypeVar


class Level(NamedTuple):
    """The subject of a level, its patterns, and whether a node must be used twice.

    In patterns `{f} {g} {h}` are functions, `{a} {b}` numbers, `{n}` an exponent. A pattern with a point has vectors
    and matrices: `<2>` and `<3x2>` are lists of whole numbers of that shape.
    """

    about: str
    patterns: tuple[str, ...]
    fans_out: bool = True


LEVELS: Mapping[int | str, Level] = MappingProxyType({
    1: Level("products and sums of two inputs", (
        "x1*x2 + {a}*x1", "({a}*x1 + x2)*x2", "(x1 + {a})*(x2 - {b})", "({a}*x1 - x2)*(x1 + {b}*x2)",
        "{a}*x1*x2 - {b}*x2",
    ), fans_out=False),
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
    "matrix": Level("vectors and matrices", (
        "z = W x + b; e = z - t; sumsq(e) @ W=<2x2>, x=<2>, b=<2>, t=<2>; data x, t",
        "z = W x + b; h = relu(z); o = V h - t; sumsq(o) @ W=<3x2>, b=<3>, V=<2x3>, x=<2>, t=<2>; data x, t",
        "z = W x; h = relu(z); o = V h + b; c^T o @ W=<2x2>, V=<2x2>, b=<2>, c=<2>, x=<2>; data x, c",
        "e = X w - t; q = e.^2; mean(q) @ X=<4x2>, w=<2>, t=<4>; data X, t",
        "Z = X W + b; H = relu(Z); E = H - T; sumsq(E) @ X=<3x2>, W=<2x2>, b=<2>, T=<3x2>; data X, T",
        "z = A x + b; x^T z @ A=<2x2>, x=<2>, b=<2>",
        "r = A x - b; sumsq(r) @ A=<3x2>, x=<2>, b=<3>; data b",
    ), fans_out=False),
})  # fmt: skip

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
    """Return a random problem of a level as text (program @ point), and one of its inputs for forward mode ("" with
    vectors or matrices); its numbers are not checked.

    It draws in a fixed order from `draws`: the same state gives the same problem. Functions and factors are different
    from each other, values are from 0.4 to 4.9 in tenths, without 1; entries of arrays are whole numbers from -3 to 4,
    without 0. Raises KeyError for a level that does not exist.
    """
    pattern = draws.one(LEVELS[level].patterns)
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
