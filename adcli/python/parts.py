"""Adjoints of elements and slices, gathered in one array instead of one array for each of them."""

from __future__ import annotations

from typing import Any

from ..numbers.arrays import np


class Piece:
    """An adjoint for the part of an array that an index picks."""

    __slots__ = ("g", "index", "like")

    def __init__(self, g: Any, index: Any, like: Any) -> None:
        self.g = g
        self.index = index
        self.like = like


class Gathered:
    """An array of adjoints that is filled in place, being in no other hands."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def add(self, piece: Piece) -> None:
        """Adds a contribution to a part."""
        if type(self.array) is not np.ndarray or np.result_type(self.array, piece.g) != self.array.dtype:
            self.array = self.array + scattered(piece.g, piece.index, piece.like)
        elif is_basic(piece.index):
            self.array[piece.index] += piece.g
        else:
            np.add.at(self.array, piece.index, piece.g)

    def plus(self, share: Any) -> Gathered:
        """The same with one more contribution."""
        if type(share) is np.ndarray and np.result_type(self.array, share) == self.array.dtype:
            self.array += share
        else:
            self.array = self.array + share
        return self


def begun(first: Piece, before: Any) -> Any:
    """A new array for pieces, with what there is already."""
    zeros = np.zeros(first.like.shape, np.result_type(first.g, first.like))
    return zeros if before is None else zeros + before


def is_basic(index: Any) -> bool:
    """Whether an index is of whole numbers and slices alone, so that it meets no element twice."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(isinstance(part, (int, slice, type(None), type(Ellipsis), np.integer)) for part in parts)


def scattered(g: Any, index: Any, like: Any) -> Any:
    """Zeros in the shape of an array, with an adjoint added where the index picks."""
    found = np.zeros(like.shape, np.result_type(g, like))
    if is_basic(index):
        found[index] += g
    else:
        np.add.at(found, index, g)
    return found
