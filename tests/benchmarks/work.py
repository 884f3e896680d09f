"""The work that adcli and its rivals are given: operations, texts and files, the same in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator

INPUTS = [0.095 * k - 0.9 for k in range(10)]
_OPERATIONS = ("add", "mul", "sub", "sin", "mul", "add", "tanh")

Operation = tuple[str, int, int]


def operations(count: int) -> list[Operation]:
    """Return `count` operations (name, first, second) on ten inputs and earlier results, whose values stay small.

    The last result depends on every other one.  Results that no operation has used are kept until one takes them as its
    first argument; in the end they are added up.
    """
    chance = random.Random(1)
    width = len(INPUTS) + count // 100
    unused: list[int] = []
    steps: list[Operation] = []
    for slot in range(len(INPUTS), len(INPUTS) + count):
        left = len(INPUTS) + count - slot  # operations still to come, with this one
        if left < len(unused):
            steps.append(("add", _taken(unused, chance), _taken(unused, chance)))
        else:
            name = chance.choice(_OPERATIONS)
            first = _taken(unused, chance) if len(unused) >= min(width, left) else slot * 7 % 10
            wide = name == "add" and chance.random() < 0.5
            steps.append((name, first, chance.randrange(max(0, slot - 50), slot) if wide else slot % 10))
        unused.append(slot)
    return steps


def _taken(unused: list[int], chance: random.Random) -> int:
    """Remove a random result from `unused`, and return it."""
    place = chance.randrange(len(unused))
    unused[place], unused[-1] = unused[-1], unused[place]
    return unused.pop()


def text(tokens: int) -> str:
    """A sum of about so many tokens that adcli, Lark's grammar and (with ** for ^) Python read alike."""
    chance = random.Random(2)
    parts: list[str] = []
    while tokens > 0:
        x, y, n = f"x{chance.randrange(1, 9)}", f"x{chance.randrange(1, 9)}", chance.randrange(2, 99)
        part, size = chance.choice(
            [
                (f"{x}*sin({y})", 7), (f"{n}/({x}+{chance.random():.3f})", 8), (f"({x}-{y})^2", 8),
                (f"exp(-{x})", 6), (f"{x}*{y}*{n}", 6),
            ]
        )  # fmt: skip
        parts.append(part)
        tokens -= size
    return "+".join(parts)


_FORMS = (
    "{p}*log(x1)+x1*x2-sin({q}*x2)",
    "x1^{n}*exp(-x2/{p})+{q}",
    "sqrt(x1*x2+{p})+{q}*cos(x1)/x2",
    "tanh({p}*x1+{q}*x2)-x1^2",
    "(x1-{p})^{n}/(1+x2^2)*{q}",
)


def problems(count: int) -> Iterator[str]:
    """One-line problems, no two alike, with points of their own."""
    chance = random.Random(3)
    for _ in range(count):
        p, q, a, b = (round(chance.uniform(0.5, 3), 3) for _ in range(4))
        yield f"{chance.choice(_FORMS).format(p=p, q=q, n=chance.randrange(2, 9))} @ x1={a},x2={b}"
