"""Traced arrays: what arrays can do besides being arguments of functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..calculus.arrays import np
from ..calculus.overloading import TracingProblem, plain
from . import linear
from .names import METHODS
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

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in METHODS:
            function = getattr(np, name)
            return lambda *arguments, **keywords: function(self, *arguments, **keywords)
        return super().__getattr__(name)  # type: ignore[no-any-return]

    def reshape(self, *lengths: Any, order: str = "C") -> Any:
        return np.reshape(self, lengths[0] if len(lengths) == 1 else lengths, order=order)

    def transpose(self, *axes: Any) -> Any:
        return np.transpose(self, (axes[0] if len(axes) == 1 else axes) or None)

    def flatten(self, order: str = "C") -> Any:
        return np.ravel(self, order)

    def astype(self, dtype: Any, **_: Any) -> Any:
        return linear.CAST(self, dtype=np.dtype(dtype))

    def tolist(self) -> list[Any]:
        return [row.tolist() if isinstance(row, TracedArray) else row for row in self]

    def item(self, *index: Any) -> Any:
        if self.size != 1 and not index:
            raise TracingProblem("only an array of one number has an item", label=f"this has {self.size}")
        return np.ravel(self)[index[0] if index else 0]
