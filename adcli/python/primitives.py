"""Functions of the user's with rules of their own: `@primitive`, `defvjp`, `defjvp`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

from ..graph.overloading import TracingProblem
from .containers import flattened
from .operations import Linear, Rule, missing, transposed
from .traced import Traced

_SAME = "same"


class Registered(Rule):
    """A function that is not looked into: its derivative is what its rules say."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(getattr(function, "__name__", type(function).__name__), function)
        self.pulls: dict[int, Callable[..., Any] | None] = {}
        self.pushes: dict[int, Callable[..., Any] | str | None] = {}
        update_wrapper(self, function, updated=())

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        for a in (*arguments, *keywords.values()):
            if not isinstance(a, Traced) and any(isinstance(leaf, Traced) for leaf in flattened(a)[0]):
                raise TracingProblem(
                    f"{self.name} was given a traced value inside a container",
                    help="give a primitive its numbers and arrays as arguments of their own",
                )
        for keyword, a in keywords.items():
            if isinstance(a, Traced):
                raise TracingProblem(
                    f"{self.name} was given the traced value {keyword} by keyword", help="give it by position"
                )
        return super().__call__(*arguments, **keywords)

    def pull(self, k: int, z: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Linear:
        if k in self.pulls:
            maker = self.pulls[k]
            return _nothing if maker is None else maker(z, *arguments, **keywords)
        if self.pushes.get(k, _SAME) == _SAME:  # what is not looked into cannot be turned round by itself
            raise missing(self.name)
        return transposed(self.push(k, z, arguments, keywords), arguments[k])

    def push(self, k: int, z: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Linear:
        if k in self.pushes:
            rule = self.pushes[k]
            if isinstance(rule, str):
                return lambda dot: self(*arguments[:k], dot, *arguments[k + 1 :], **keywords)
            return _nothing if rule is None else lambda dot: rule(dot, z, *arguments, **keywords)
        if k not in self.pulls:
            raise missing(self.name)
        return transposed(self.pull(k, z, arguments, keywords), z)


def _nothing(_: Any) -> None:
    return None


def primitive(function: Callable[..., Any]) -> Registered:
    """The function as one operation of every trace; `defvjp` or `defjvp` gives its rule, and one of them is enough."""
    return Registered(function)


def defvjp(function: Registered, *makers: Callable[..., Any] | None, argnums: Sequence[int] | None = None) -> None:
    """Registers the way back through a primitive, for each argument.

    Each maker takes the result and the arguments, `(ans, *arguments, **keywords)`, and returns the map from the
    adjoint of the result to its share for that argument; None stands for no dependence.
    """
    _filled(function, function.pulls if isinstance(function, Registered) else {}, makers, argnums)


def defjvp(function: Registered, *rules: Callable[..., Any] | str | None, argnums: Sequence[int] | None = None) -> None:
    """Registers how tangents pass through a primitive, for each argument.

    Each rule takes the tangent, the result and the arguments, `(dot, ans, *arguments, **keywords)`, and returns what is
    added to the tangent of the result; "same" says that the function is linear in that argument (which tells nothing
    about the way back), None that there is no dependence.
    """
    for rule in rules:
        if isinstance(rule, str) and rule != _SAME:
            raise TracingProblem(f"{rule!r} is no rule", help='a rule is a function, None, or "same"')
    _filled(function, function.pushes if isinstance(function, Registered) else {}, rules, argnums)


def _filled(function: Any, rules: dict[int, Any], given: Sequence[Any], argnums: Sequence[int] | None) -> None:
    if not isinstance(function, Registered):
        raise TracingProblem(f"{function!r} is no primitive", help="put @primitive above its definition")
    places = range(len(given)) if argnums is None else argnums
    if len(places) != len(given):
        raise TracingProblem(f"{len(given)} rules are given for {len(places)} arguments", help="give one for each")
    rules.update(zip(places, given, strict=True))
