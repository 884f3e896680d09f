"""Ranked numbers: comparisons of numbers by one part of them, their rank."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable

from ..typings import Any


def _comparison(relation: Callable[..., Any]) -> Callable[..., bool]:
    return lambda self, other: bool(relation(self.rank, other.rank if isinstance(other, Ranked) else other))


class Ranked:
    """A number that is compared by its `rank`, a number of another kind; other numbers are compared as they are."""

    __slots__ = ()

    @property
    @abstractmethod
    def rank(self) -> Any: ...

    __lt__, __le__, __gt__, __ge__ = map(_comparison, (operator.lt, operator.le, operator.gt, operator.ge))
    __eq__, __ne__ = map(_comparison, (operator.eq, operator.ne))
