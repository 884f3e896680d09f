"""Ranked numbers: comparisons of numbers by one part of them, their rank."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from ..overriding import override


class Ranked:
    """A number that is compared by its `rank`, a number of another kind; other numbers are compared as they are."""

    __slots__ = ()

    @property
    @abstractmethod
    def rank(self) -> Any: ...

    @override
    def __eq__(self, other: object) -> bool:
        return bool(self.rank == _rank_of(other))

    def __lt__(self, other: Ranked | float) -> bool:
        return bool(self.rank < _rank_of(other))

    def __le__(self, other: Ranked | float) -> bool:
        return bool(self.rank <= _rank_of(other))

    def __gt__(self, other: Ranked | float) -> bool:
        return bool(self.rank > _rank_of(other))

    def __ge__(self, other: Ranked | float) -> bool:
        return bool(self.rank >= _rank_of(other))


def _rank_of(x: object) -> Any:
    return x.rank if isinstance(x, Ranked) else x
