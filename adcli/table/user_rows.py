"""Rows of a user: functions that are added to the table."""

from __future__ import annotations

from ..errors import RequestError
from ..typings import Any
from .functions import declare as declare_row
from .primitive import Primitive


def declare(name: str, **cells: Any) -> Primitive:
    """Add a function to the table and return its row: from then on the language, the tables, LaTeX and Python know it.

    `value` and `partials` are the rules, called as `value(m, *arguments)` and `partial(m, z, *arguments)` with the
    arithmetic m and the value z; they use `+ - * / **`, abs and functions `m.name`. See `table.primitive.Primitive` for
    the other cells. Raises RequestError if `name` is not an identifier or is taken, if a rule is missing, or if a cell
    is unknown.
    """
    if not name.isidentifier():
        raise RequestError(f"{name!r} cannot be the name of a function", help="use letters, digits and underscores")
    for cell in ("value", "partials"):
        if cell not in cells:
            raise RequestError(f"the function {name} has no {cell}", help=f"give {cell}= to declare")
    try:
        return declare_row(name, **cells)
    except (ValueError, TypeError) as error:
        title = f"the function {name} cannot be declared"
        raise RequestError(title, label=str(error), help="choose another name, or correct its cells") from None
