"""The decorator of overriding methods, which type checkers read and the running program ignores."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

Method = TypeVar("Method")

if TYPE_CHECKING:
    from typing_extensions import override as override  # in `typing` from Python 3.12 on
else:

    def override(method: Method) -> Method:
        """Return `method` unchanged; a type checker reports it if no base class has a method of its name."""
        return method
