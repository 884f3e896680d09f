"""Numbers near a point, over exact reals: what series along a direction and forms of first order have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import cast

from ..overriding import override
from ..table.primitive import ROWS, Primitive
from .exact_reals import Real, Reals
from .signs import WITHOUT_VALUE, SignedArithmetic, T, Unknown, is_elementary

_MISSING = {"undefined": WITHOUT_VALUE, "infinity": "an infinite number"}


class NearPoint(SignedArithmetic[T]):
    """An arithmetic of numbers near a point; functions of the table are read at the limits of their arguments."""

    reals: Reals

    def __init__(self, reals: Reals) -> None:
        """Take the exact numbers; a subclass calls this when its `number` can be called."""
        self.reals = reals
        self.zero, self.one = self.number(0), self.number(1)

    @property
    @override
    def pi(self) -> T:
        return self.number(self.reals.pi)

    @property
    def e(self) -> T:
        return self.number(self.reals.e)

    @override
    @abstractmethod
    def limit(self, x: T) -> Real: ...

    @abstractmethod
    def smooth(self, row: Primitive, *arguments: T) -> T:
        """Return an elementary function of the table, at a place where it is smooth or its slope infinite."""

    def compose(self, row: Primitive, *arguments: T) -> T:
        """Return a function whose rule is composed of other functions."""
        return cast("Callable[..., T]", row.value)(self, *arguments)

    @override
    def __getattr__(self, name: str) -> Callable[..., T]:
        """Return the function of the table called `name`: by `smooth` if it is elementary, else by its rule
        (`compose`); its arguments may be plain numbers.

        Raises Unknown for `undefined` and `infinity`, which do not exist here, and AttributeError for other names.
        """
        if name in _MISSING:
            raise Unknown(_MISSING[name])
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        rule = self.smooth if is_elementary(name) else self.compose
        return lambda *arguments: rule(row, *[self.number(a) for a in arguments])


def has_vertical_slope(row: Primitive, reals: Reals, values: Sequence[Real], moving: Sequence[bool]) -> bool:
    """Return whether a moving argument of an elementary function is at a place where the slope is infinite."""
    kinks = [row.kink(position) for position, moves in enumerate(moving) if moves]
    return any(kink is not None and kink.slope is not None and not kink.holds(reals, *values) for kink in kinks)
