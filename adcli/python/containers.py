"""Tuples, lists, dicts, named tuples and dataclasses, nested: taken apart into numbers and arrays, and put together."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..calculus.overloading import Overloaded, TracingProblem


class Structure:
    """What a container is apart from its leaves: `steps` builds it, innermost first.

    A step is None for a leaf, else the number of parts to take and how to make a container of them.
    """

    __slots__ = ("kinds", "steps")

    def __init__(self, steps: list[tuple[int, Callable[[list[Any]], Any]] | None], kinds: list[Any]) -> None:
        self.steps = steps
        self.kinds = kinds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and self.kinds == other.kinds

    __hash__ = None  # type: ignore[assignment]

    def build(self, leaves: Sequence[Any]) -> Any:
        """The container with these leaves."""
        if self.steps == [None]:
            return leaves[0]
        waiting: Iterator[Any] = iter(leaves)
        made: list[Any] = []
        for step in self.steps:
            if step is None:
                made.append(next(waiting))
            else:
                count, make = step
                parts = made[len(made) - count :]
                del made[len(made) - count :]
                made.append(make(parts))
        return made[0]


_LEAF = Structure([None], [None])


def is_number(x: Any) -> bool:
    """Whether something is a leaf that derivatives are about: a number or an array of numbers, traced or not."""
    if isinstance(x, (Overloaded, float, complex)) or type(x) is int:
        return True
    dtype = getattr(x, "dtype", None)
    return dtype is not None and getattr(dtype, "kind", "") in "fciuO"


def flattened(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of a container in order, and its structure; what is no number belongs to the structure."""
    if is_number(tree):
        return [tree], _LEAF
    leaves: list[Any] = []
    steps: list[tuple[int, Callable[[list[Any]], Any]] | None] = []
    kinds: list[Any] = []
    # What is still to be visited; a container comes again when all its parts have been.
    stack: list[tuple[Any, tuple[int, Callable[[list[Any]], Any]] | None]] = [(tree, None)]
    around: set[int] = set()
    while stack:
        node, done = stack.pop()
        if done is not None:
            around.discard(id(node))
            steps.append(done)
            continue
        if is_number(node):
            leaves.append(node)
            steps.append(None)
            kinds.append(None)
            continue
        taken = _parts(node)
        if taken is None:
            steps.append((0, _constant(node)))
            kinds.append(type(node))
            continue
        if id(node) in around:
            raise TracingProblem("a container contains itself", help="leave it out of the arguments")
        around.add(id(node))
        parts, keys, make = taken
        kinds.append((type(node), len(parts), keys))
        stack.append((node, (len(parts), make)))
        stack.extend((part, None) for part in reversed(parts))
    return leaves, Structure(steps, kinds)


def _constant(node: Any) -> Callable[[list[Any]], Any]:
    return lambda _: node


def _parts(node: Any) -> tuple[list[Any], Any, Callable[[list[Any]], Any]] | None:
    """The parts of a container, its keys, and how to make one of the same kind."""
    kind = type(node)
    if isinstance(node, tuple) and hasattr(node, "_fields"):
        return list(node), kind._fields, lambda parts: kind(*parts)
    if isinstance(node, (tuple, list)):
        return list(node), None, kind
    if isinstance(node, dict):
        keys = tuple(node)
        return list(node.values()), keys, lambda parts: _filled(node, keys, parts)
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        names = tuple(field.name for field in dataclasses.fields(node))
        return [getattr(node, name) for name in names], names, lambda parts: _changed(node, names, parts)
    return None


def _filled(node: Any, keys: tuple[Any, ...], parts: list[Any]) -> Any:
    if type(node) is dict:
        return dict(zip(keys, parts, strict=True))
    new = copy.copy(node)
    new.update(zip(keys, parts, strict=True))
    return new


def _changed(node: Any, names: tuple[str, ...], parts: list[Any]) -> Any:
    new = copy.copy(node)
    for name, part in zip(names, parts, strict=True):
        object.__setattr__(new, name, part)
    return new
