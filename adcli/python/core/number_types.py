"""Number types of traced numbers, as NumPy's dtypes describe them."""

from __future__ import annotations

from functools import cache

from ...graph.overloading import Tracked
from ...typings import TYPE_CHECKING, override

if TYPE_CHECKING:
    import numpy


class NumberType:
    """The dtype of a traced number: NumPy's own, but its `type` returns a traced number unchanged.

    NumPy calls `dtype.type` on the mean of a list of objects.
    """

    def __init__(self, dtype: numpy.dtype[numpy.inexact]) -> None:
        self.dtype = dtype

    def __getattr__(self, name: str) -> object:
        return getattr(self.dtype, name)

    @property  # type: ignore[misc]  # so that it passes for NumPy's own
    @override
    def __class__(self) -> type[numpy.dtype[numpy.inexact]]:
        return type(self.dtype)

    @property
    def type(self) -> type[numpy.inexact]:
        return _making(self.dtype.type)

    @override
    def __eq__(self, other: object) -> bool:
        return bool(self.dtype == other)

    @override
    def __hash__(self) -> int:
        return hash(self.dtype)

    @override
    def __repr__(self) -> str:
        return repr(self.dtype)

    @override
    def __str__(self) -> str:
        return str(self.dtype)


@cache
def _making(kind: type[numpy.inexact]) -> type[numpy.inexact]:
    """Return a subclass of the NumPy type `kind` whose calls return traced numbers unchanged."""

    def new(_: object, x: object = 0.0) -> object:
        return x if isinstance(x, Tracked) else kind(x)

    return type(kind.__name__, (kind,), {"__new__": new, "__slots__": ()})
