"""The table read with NumPy arrays, element by element, after NumPy's own rules for types and shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..extras import Later
from ..table.primitive import ROWS
from .doubles import FLOAT, Float, Ordered

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule

np: Any = Later("numpy", "numpy")


class Arrays(Ordered):
    """Arrays of doubles or of complex numbers; outside a domain NumPy's answer, nan or an infinity."""

    @property
    def pi(self) -> float:
        return FLOAT.pi

    @property
    def e(self) -> float:
        return FLOAT.e

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not self.knows(name):
            return super().__getattr__(name)
        own = ROWS[name].numpy
        # What NumPy lacks is read number by number.
        function: Callable[..., Any] = getattr(np, own) if own else np.vectorize(getattr(FLOAT, name), otypes=[float])
        setattr(self, name, function)
        return function

    def knows(self, name: str) -> bool:
        """Whether this is a function of arrays, so that the value rule of its row is not asked."""
        row = ROWS.get(name)
        return hasattr(type(self), name) or (row is not None and (bool(row.numpy) or hasattr(Float, name)))

    def number(self, x: Any) -> Any:
        return x

    def _truth(self, condition: Any) -> Any:
        return condition

    def both(self, a: Any, b: Any) -> Any:
        return np.logical_and(a, b)

    def either(self, a: Any, b: Any) -> Any:
        return np.logical_or(a, b)

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        if getattr(condition, "ndim", 0):
            return np.where(condition, a, b)
        return a if condition else b

    def guard(self, limit: LimitRule, rule: Any, *arguments: Any) -> Any:
        condition = limit.where(self, *arguments)
        return self.choose(condition, limit.value(self, *arguments), rule) if np.any(condition) else rule

    def sign(self, x: Any) -> Any:
        return np.sign(x)

    def _extreme(self, xs: tuple[Any, ...], pick: Callable[..., Any]) -> Any:
        join = np.maximum if pick is max else np.minimum
        found = xs[0]
        for x in xs[1:]:
            found = join(found, x)
        return found

    def div(self, a: Any, b: Any) -> Any:
        return np.true_divide(a, b)

    def pow(self, a: Any, b: Any) -> Any:
        if type(b) in (int, float) and b == 1:  # what the rule for a square asks for
            return a
        return np.asarray(a) ** b  # the operator, which knows squares and roots, where numpy.power does not

    def hypot(self, a: Any, b: Any) -> Any:
        if np.iscomplexobj(a) or np.iscomplexobj(b):
            return np.sqrt(a * a + b * b)
        return np.hypot(a, b)

    def cbrt(self, x: Any) -> Any:
        return np.power(x, 1 / 3) if np.iscomplexobj(x) else np.cbrt(x)

    def mod(self, a: Any, b: Any) -> Any:
        return np.mod(a, b)

    def round(self, x: Any) -> Any:
        """The nearest integer, halves away from zero, as `Float.round`."""
        below = np.floor(np.abs(x))
        return np.copysign(below + (np.abs(x) - below >= 0.5), x)


ARRAYS = Arrays()
