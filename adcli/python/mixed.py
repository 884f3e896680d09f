"""The table read with traced values: every operation of a rule is itself recorded by the traces further out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..graph.overloading import plain
from ..numbers.arrays import ARRAYS
from ..numbers.doubles import FLOAT, Ordered
from ..table.primitive import ROWS, Primitive

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule


class Mixed(Ordered):
    """The arithmetic of numbers, arrays and traced values; conditions are plain, so that they are not recorded."""

    pi, e = FLOAT.pi, FLOAT.e

    def __init__(self, apply: Callable[[Primitive, tuple[Any, ...], bool], Any]) -> None:
        self._apply = apply

    def __getattr__(self, name: str) -> Callable[..., Any]:
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        return lambda *arguments: self._apply(row, arguments, True)

    def number(self, x: Any) -> Any:
        return x

    def _truth(self, condition: Any) -> Any:
        return condition

    def eq(self, a: Any, b: Any) -> Any:
        return plain(a) == plain(b)

    def both(self, a: Any, b: Any) -> Any:
        return plain(a) & plain(b)

    def either(self, a: Any, b: Any) -> Any:
        return plain(a) | plain(b)

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        return ARRAYS.choose(plain(condition), a, b)

    def guard(self, limit: LimitRule, rule: Any, *arguments: Any) -> Any:
        condition = plain(limit.where(self, *arguments))
        met = condition.any() if hasattr(condition, "any") else condition
        return self.choose(condition, limit.value(self, *arguments), rule) if met else rule

    def abs(self, x: Any) -> Any:
        return self._apply(ROWS["abs"], (x,), True)

    def sign(self, x: Any) -> Any:
        return self._apply(ROWS["sign"], (x,), True)

    def max(self, *xs: Any) -> Any:
        return self._apply(ROWS["max"], xs, True)

    def min(self, *xs: Any) -> Any:
        return self._apply(ROWS["min"], xs, True)
