"""Draws from a secret: the same on every machine and in every version of Python, and unknown without the secret."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def seed_of(secret: bytes, *parts: object) -> bytes:
    """The seed of what the parts name: HMAC-SHA256 of the secret; other parts give another seed."""
    return hmac.digest(secret, "\x1f".join(repr(part) for part in parts).encode("utf-8", "replace"), "sha256")


class Draws:
    """An endless row of draws from one seed."""

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self.count = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 up to the bound, without it."""
        self.count += 1
        return int.from_bytes(hmac.digest(self.seed, self.count.to_bytes(8, "big"), "sha256"), "big") % bound

    def one(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return choices[self.below(len(choices))]

    def some(self, choices: Sequence[T], count: int) -> list[T]:
        """So many of the choices, no place of them twice."""
        left = list(choices)
        return [left.pop(self.below(len(left))) for _ in range(count)]
