"""Containers: tuples, lists, dicts, named tuples and dataclasses, nested, split into leaves and built again from them.

All numbers can also be written into one vector, for methods that work on vectors: Newton's, quasi-Newton, samplers.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence

from ...graph.overloading import Overloaded, TracingProblem
from ...numbers.numpy_arrays import np
from ...typings import Any, TypeAlias
from .traced import Doubles, Value, Values, as_array, number, shape

# Numbers, arrays, and containers of them of any kind and depth, which no type can express.
Tree: TypeAlias = Any
Maker: TypeAlias = "Callable[[Sequence[Tree]], Tree]"
_Building = tuple[int, Maker] | None


class Structure:
    """The structure of a container without its leaves: `steps` to build it, innermost parts first.

    A step is None for a leaf, else (the number of parts to take, the function that makes a container of them).
    """

    def __init__(self, steps: list[_Building]) -> None:
        self.steps = steps

    def build(self, leaves: Values) -> Tree:
        """Return the container with these `leaves`, used in order; for the structure of a single leaf, that leaf.

        Objects that are not numbers are put back as they were. Raises StopIteration if there are too few leaves
        (IndexError for the structure of a single leaf). Surplus leaves are ignored.
        """
        if self.steps == [None]:
            return leaves[0]
        remaining: Iterator[Value] = iter(leaves)
        stack: list[Tree] = []
        for step in self.steps:
            if step is None:
                stack.append(next(remaining))
            else:
                count, make = step
                parts = stack[len(stack) - count :]
                del stack[len(stack) - count :]
                stack.append(make(parts))
        return stack[0]


_LEAF = Structure([None])


def _is_number(x: object) -> bool:
    """Return whether x is a leaf: a number or an array of numbers (or objects), traced or not; bool is not one."""
    kind = type(x)
    if kind is float or kind is int or isinstance(x, (Overloaded, float, complex)):
        return True
    dtype = getattr(x, "dtype", None)
    return dtype is not None and getattr(dtype, "kind", "-") in "fciuO"


def flatten_tree(tree: Tree, like: Tree = None) -> tuple[list[Value], Structure]:
    """Return (the leaves of the container `tree` from left to right, its Structure).

    A number or array is a single leaf. Containers are tuples, named tuples, lists, dicts and dataclass instances,
    nested. Other objects, such as None, a bool, a string or an array of bools or strings, are not leaves but constants
    of the structure. The entries of a dict come in the order of the dict at the same position in the container `like`,
    if both have the same keys; otherwise in their own order. Raises TracingProblem for a container that contains
    itself.
    """
    if _is_number(tree):
        return [tree], _LEAF
    kind = type(tree)
    if (kind is tuple or kind is list) and all(map(_is_number, tree)):  # most of all containers: a list of arguments
        return list(tree), Structure([*[None] * len(tree), (len(tree), kind)])
    leaves: list[Value] = []
    steps: list[_Building] = []
    # Nodes to visit; a container is pushed once more, with its step, to be finished after its parts.
    stack: list[tuple[Tree, Tree, _Building]] = [(tree, like, None)]
    around: set[int] = set()  # ids of the containers that are being visited
    while stack:
        node, like, done = stack.pop()
        if done is not None:
            around.discard(id(node))
            steps.append(done)
            continue
        if _is_number(node):
            leaves.append(node)
            steps.append(None)
            continue
        taken = _take_apart(node, like)
        if taken is None:
            steps.append((0, _constant(node)))
            continue
        if id(node) in around:
            raise TracingProblem("a container contains itself", help="pass a container that does not contain itself")
        around.add(id(node))
        parts, make = taken
        stack.append((node, None, (len(parts), make)))
        known = None if like is None or _is_number(like) else _take_apart(like, None)
        likes = known[0] if known is not None and len(known[0]) == len(parts) else [None] * len(parts)
        stack.extend((part, other, None) for part, other in zip(reversed(parts), reversed(likes), strict=True))
    return leaves, Structure(steps)


def _constant(node: object) -> Maker:
    """Return a function that returns `node`, for an object that is not a number."""
    return lambda _: node


def _take_apart(node: Tree, like: Tree) -> tuple[list[Tree], Maker] | None:
    """Return (the parts of the container `node`, the function that makes one of the same kind from new parts).

    Containers are named tuples, tuples and lists (subclasses too), dicts (values only) and dataclass instances (all
    fields); None for any other object. The parts of a dict are in the order of the keys of `like`, if that is a dict
    with the same keys. Dicts and dataclass instances are made as copies of `node` with new entries or fields, without
    `__init__`, so that they keep their type, further attributes and their own order.
    """
    kind = type(node)
    if isinstance(node, tuple) and hasattr(node, "_fields"):
        return list(node), lambda parts: kind(*parts)
    if isinstance(node, (tuple, list)):
        return list(node), kind
    if isinstance(node, dict):
        keys = tuple(like if isinstance(like, dict) and like.keys() == node.keys() else node)
        return [node[key] for key in keys], lambda parts: _rebuild_dict(node, keys, parts)
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        names = tuple(field.name for field in dataclasses.fields(node))
        return [getattr(node, name) for name in names], lambda parts: _with_fields(node, names, parts)
    return None


def _rebuild_dict(node: dict[object, Tree], keys: Sequence[object], parts: Sequence[Tree]) -> Tree:
    """Return a copy of `node`, which keeps its type and order, with these parts as the values of these keys."""
    new = copy.copy(node)
    new.update(zip(keys, parts, strict=True))
    return new


def _with_fields(node: Tree, names: Sequence[str], parts: Sequence[Tree]) -> Tree:
    """Return a copy of the dataclass instance `node` with new values of these fields; `__init__` is not called."""
    new = copy.copy(node)
    for name, part in zip(names, parts, strict=True):
        object.__setattr__(new, name, part)
    return new


def flatten(tree: Tree) -> tuple[Doubles, Callable[[Value], Tree]]:
    """Return (all numbers of the container `tree` as one vector, the function that makes such a container of a vector).

    `tree` is a number, an array, or a nested container of them. The vector has the common type of its numbers (whole
    numbers alone stay whole, one complex number makes all complex). For n numbers in all the vector has shape (n,), and
    the function takes a vector of this length; too short a one raises ValueError or IndexError. Its parts have the type
    of the vector, not that of the leaves of `tree`. Vector and function can be differentiated. Raises TracingProblem
    for a container that contains itself.
    """
    leaves, structure = flatten_tree(number(tree))
    sizes = [np.size(as_array(leaf)) for leaf in leaves]
    vector = np.concatenate([np.ravel(as_array(leaf)) for leaf in leaves]) if leaves else np.zeros(0)

    def unflatten(vector: Value) -> Tree:
        """Return a container like `tree` with the numbers of `vector`, in order; surplus numbers are ignored.

        Raises ValueError or IndexError if there are too few.
        """
        whole = as_array(vector)
        parts = []
        start = 0
        for leaf, size in zip(leaves, sizes, strict=True):
            part = whole[start : start + size]
            parts.append(np.reshape(part, shape(leaf)) if shape(leaf) else number(part[0]))
            start += size
        return structure.build(parts)

    return vector, unflatten
