"""Functions with rules of their own, beside the table: NumPy's, and those that a user registers.

One rule is enough: it is a linear map from tangents or from adjoints, and the other direction is its transpose, which
differentiating that map gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import RequestError
from .traced import call, deeper
from .traces import Tape, zeros_like

Linear = Callable[[Any], Any]


class MissingRule(RequestError, NotImplementedError):
    """A derivative is asked for that no rule gives."""


class Rule:
    """A function `value(*arguments, **keywords)` and how adjoints or tangents pass through it.

    `pull(k, g, z, *arguments, **keywords)` is the share of argument k in the adjoint g of the result z;
    `push(k, dot, z, *arguments, **keywords)` what the tangent of argument k adds to that of the result.
    """

    def __init__(
        self,
        name: str,
        value: Callable[..., Any],
        *,
        pull: Callable[..., Any] | None = None,
        push: Callable[..., Any] | None = None,
    ) -> None:
        self.name = name
        self.plain = value
        self._pull = pull
        self._push = push

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return call(self, arguments, keywords)

    def pull(self, k: int, z: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Linear:
        rule = self._pull
        if rule is not None:
            return lambda g: rule(k, g, z, *arguments, **keywords)
        if self._push is None:
            raise missing(self.name)
        return transposed(self.push(k, z, arguments, keywords), arguments[k])

    def push(self, k: int, z: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Linear:
        rule = self._push
        if rule is not None:
            return lambda dot: rule(k, dot, z, *arguments, **keywords)
        if self._pull is None:
            raise missing(self.name)
        return transposed(self.pull(k, z, arguments, keywords), z)


def missing(name: str) -> MissingRule:
    return MissingRule(f"{name} has no rule for its derivative", help="give it one with defvjp or defjvp")


def transposed(linear: Linear, like: Any) -> Linear:
    """The transpose of a linear map whose argument is like `like`."""
    with deeper() as level:
        tape = Tape(level)
        x = tape.input(zeros_like(like))
        y = linear(x)
    if getattr(y, "trace", None) is not tape:
        return lambda g: None
    return lambda g: tape.adjoints({y.mark: g}, [x.mark])[0]
