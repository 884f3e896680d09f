"""Containers as one vector, for methods that work on vectors: Newton's, quasi-Newton, samplers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..numbers.arrays import np
from .containers import flattened
from .linear import as_array
from .traced import number
from .values import shape


def flatten(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """All numbers of a container as one vector, and the function that makes such a container of a vector."""
    leaves, structure = flattened(number(tree))
    sizes = [np.size(as_array(leaf)) for leaf in leaves]
    vector = np.concatenate([np.ravel(as_array(leaf)) for leaf in leaves]) if leaves else np.zeros(0)

    def unflatten(vector: Any) -> Any:
        parts = []
        start = 0
        for leaf, size in zip(leaves, sizes, strict=True):
            part = vector[start : start + size]
            parts.append(np.reshape(part, shape(leaf)) if shape(leaf) else number(part[0]))
            start += size
        return structure.build(parts)

    return vector, unflatten
