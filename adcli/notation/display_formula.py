"""A formula for display: a text for tables, pieces for documents."""

from __future__ import annotations

from collections.abc import Callable

from ..typings import TYPE_CHECKING, Any, TypeVar, override

if TYPE_CHECKING:
    from .formula_pieces import Piece

K = TypeVar("K")


class Formula(str):
    """A formula for display: as a str the text in tables; `piece` is what documents write.

    The piece is built by `make(key)` each time it is read.  A trace has many formulas, so `key` is short plain data.
    """

    __slots__ = ("_key", "_make")
    _make: Callable[[Any], Piece]
    _key: object

    def __new__(cls, text: str, make: Callable[[K], Piece], key: K) -> Formula:
        """Return a Formula with this text, whose piece is `make(key)`."""
        self = str.__new__(cls, text)
        self._make = make
        self._key = key
        return self

    @override
    def __getnewargs__(self) -> tuple[str, Callable[[Any], Piece], object]:  # type: ignore[override]
        return str(self), self._make, self._key

    @property
    def key(self) -> object:
        """The source from which the piece is built."""
        return self._key

    @property
    def piece(self) -> Piece:
        """The formula in pieces, built anew by each access."""
        return self._make(self._key)
