"""Tuples, lists, dicts, named tuples and dataclasses, nested: taken apart into numbers and arrays, and put together."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..graph.overloading import Overloaded, TracingProblem

Maker = Callable[[list[Any]], Any]
Step = tuple[int, Maker] | None


class Structure:
    """What a container is apart from its leaves: `steps` builds it, innermost first.

    A step is None for a leaf, else the number of parts to take and how to make a container of them.
    """

    __slots__ = ("steps",)

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps

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


_LEAF = Structure([None])


def is_number(x: Any) -> bool:
    """Whether something is a leaf that derivatives are about: a number or an array of numbers, traced or not."""
    if isinstance(x, (Overloaded, float, complex)) or type(x) is int:
        return True
    dtype = getattr(x, "dtype", None)
    return dtype is not None and getattr(dtype, "kind", "-") in "fciuO"


def flattened(tree: Any, like: Any = None) -> tuple[list[Any], Structure]:
    """The leaves of a container in order, and its structure; what is no number belongs to the structure.

    The entries of dicts come in their own order, or in that of `like`, a container with the same keys.
    """
    if is_number(tree):
        return [tree], _LEAF
    leaves: list[Any] = []
    steps: list[Step] = []
    # What is still to be visited; a container comes again when all its parts have been.
    stack: list[tuple[Any, Any, Step]] = [(tree, like, None)]
    around: set[int] = set()
    while stack:
        node, like, done = stack.pop()
        if done is not None:
            around.discard(id(node))
            steps.append(done)
            continue
        if is_number(node):
            leaves.append(node)
            steps.append(None)
            continue
        taken = _parts(node, like)
        if taken is None:
            steps.append((0, _constant(node)))
            continue
        if id(node) in around:
            raise TracingProblem("a container contains itself", help="leave it out of the arguments")
        around.add(id(node))
        parts, make = taken
        stack.append((node, None, (len(parts), make)))
        known = None if like is None or is_number(like) else _parts(like, None)
        likes = known[0] if known is not None and len(known[0]) == len(parts) else [None] * len(parts)
        stack.extend((part, other, None) for part, other in zip(reversed(parts), reversed(likes), strict=True))
    return leaves, Structure(steps)


def _constant(node: Any) -> Maker:
    return lambda _: node


def _parts(node: Any, like: Any) -> tuple[list[Any], Maker] | None:
    """The parts of a container, and how to make one of the same kind."""
    kind = type(node)
    if isinstance(node, tuple) and hasattr(node, "_fields"):
        return list(node), lambda parts: kind(*parts)
    if isinstance(node, (tuple, list)):
        return list(node), kind
    if isinstance(node, dict):
        keys = tuple(like if isinstance(like, dict) and like.keys() == node.keys() else node)
        return [node[key] for key in keys], lambda parts: _filled(node, keys, parts)
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        names = tuple(field.name for field in dataclasses.fields(node))
        return [getattr(node, name) for name in names], lambda parts: _changed(node, names, parts)
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
