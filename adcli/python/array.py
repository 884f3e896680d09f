"""Traced arrays: what arrays can do besides being arguments of functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from ..graph.overloading import TracingProblem, in_place, plain
from ..numbers.arrays import np
from . import linear
from .traced import Traced


class TracedArray(Traced):
    """An array of one trace."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        return plain(self).dtype

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        return np.transpose(self)

    @property
    def mT(self) -> Any:  # noqa: N802 - NumPy's name
        return np.swapaxes(self, -1, -2)

    @property
    def flat(self) -> Any:
        return iter(np.ravel(self))

    def __len__(self) -> int:
        return len(plain(self))

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        return linear.getitem(self, index)

    def __matmul__(self, other: Any) -> Any:
        return np.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return np.matmul(other, self)

    def __contains__(self, x: Any) -> bool:
        return plain(x) in plain(self)

    def reshape(self, *lengths: Any, order: str = "C", copy: Any = None) -> Any:
        if copy is False:
            raise linear.unsupported("ndarray.reshape", "with copy=")
        return np.reshape(self, lengths[0] if len(lengths) == 1 else lengths, order=order)

    def transpose(self, *axes: Any) -> Any:
        return np.transpose(self, (axes[0] if len(axes) == 1 else axes) or None)

    def flatten(self, order: str = "C") -> Any:
        return np.ravel(self, order)

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        """The array in another type; where in memory it lies is no part of it."""
        return linear.cast(self, dtype, casting)

    def clip(self, min: Any = None, max: Any = None, out: Any = None, **keywords: Any) -> Any:  # noqa: A002 - NumPy's
        return np.clip(self, min, max, out, **keywords)

    def sort(self, *_: Any, **__: Any) -> NoReturn:
        raise in_place()

    def tolist(self) -> list[Any]:
        return [row.tolist() if isinstance(row, TracedArray) else row for row in self]

    def item(self, *index: Any) -> Any:
        if self.size != 1 and not index:
            raise TracingProblem("only an array of one number has an item", label=f"this has {self.size}")
        several = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
        return self[several] if len(several) > 1 else np.ravel(self)[several[0] if several else 0]
