"""A formula as it is shown: a text for tables, pieces for documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ..overriding import override

if TYPE_CHECKING:
    from .formula_pieces import Piece

K = TypeVar("K")


class Formula(str):
    """A formula: as a text what tables write, and as a piece what documents do.

    Tables have the text at once.  The piece is made by `make` of `key` when it is asked for; a trace has many formulas,
    so a key is plain data that is short.
    """

    __slots__ = ("_key", "_make")
    _make: Callable[[Any], Piece]
    _key: object

    def __new__(cls, text: str, make: Callable[[K], Piece], key: K) -> Formula:
        self = str.__new__(cls, text)
        self._make = make
        self._key = key
        return self

    @override
    def __getnewargs__(self) -> tuple[str, Callable[[Any], Piece], object]:  # type: ignore[override]
        return str(self), self._make, self._key

    @property
    def piece(self) -> Piece:
        """What documents write."""
        return self._make(self._key)
