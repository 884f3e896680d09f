"""The functions of the table as functions of Python: of numbers, Nodes, arrays and traced values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArityProblem
from ..graph.overloading import TracingProblem
from ..table.primitive import lookup
from .traced import apply, swift


def function(name: str) -> Callable[..., Any] | None:
    """The function that a name or an alias of the table stands for; None where there is none."""
    row = lookup(name)
    if row is None:
        return None

    quick = swift(row.name)

    def called(*arguments: Any) -> Any:
        if quick is not None and len(arguments) == 1 and (done := quick(arguments[0])) is not None:
            return done
        if not row.accepts(len(arguments)):
            raise ArityProblem(
                f"{row.name} takes {row.arity or f'{row.least} or more'} arguments, got {len(arguments)}"
            )
        found = apply(row, arguments)
        if found is NotImplemented:
            raise TracingProblem(
                f"{row.name} takes numbers and arrays", label=f"it was given {arguments!r}", help="convert them first"
            )
        return found

    called.__name__ = called.__qualname__ = row.name
    called.__doc__ = f"{row.summary or row.name}"
    return called
