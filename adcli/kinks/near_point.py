"""Numbers near a point, over exact reals: what series along a direction and forms of first order have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import cast

from ..overriding import override
from ..table.primitive import ROWS, Primitive
from .exact_reals import Real, Reals
from .signs import SignedArithmetic, T, is_elementary
from .undecided import WITHOUT_VALUE, Unknown


class NearPoint(SignedArithmetic[T]):
    """An arithmetic of numbers near a point; functions of the table are read at the limits of their arguments."""

    reals: Reals

    def __init__(self, reals: Reals) -> None:
        self.reals = reals

    @property
    @override
    def zero(self) -> T:  # type: ignore[override]  # computed, never assigned
        return self.number(0)

    @property
    @override
    def one(self) -> T:  # type: ignore[override]  # computed, never assigned
        return self.number(1)

    @property
    @override
    def pi(self) -> T:
        return self.number(self.reals.pi)

    @property
    def e(self) -> T:
        return self.number(self.reals.e)

    @property
    @override
    def undefined(self) -> T:  # type: ignore[override]  # computed, never assigned
        raise Unknown(WITHOUT_VALUE)

    @property
    @override
    def infinity(self) -> T:  # type: ignore[override]  # computed, never assigned
        raise Unknown("an infinite number")

    @override
    @abstractmethod
    def limit(self, x: T) -> Real: ...

    @abstractmethod
    def smooth(self, row: Primitive, *arguments: T) -> T:
        """Return an elementary function of the table, at a place where it is smooth or its slope infinite."""

    def composed(self, row: Primitive, *arguments: T) -> T:
        """Return a function whose rule is composed of other functions."""
        return cast("Callable[..., T]", row.value)(self, *arguments)

    @override
    def __getattr__(self, name: str) -> Callable[..., T]:
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        rule = self.smooth if is_elementary(name) else self.composed
        return lambda *arguments: rule(row, *[self.number(a) for a in arguments])
