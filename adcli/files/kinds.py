"""What columns of texts hold: truth values, whole numbers, doubles, or just texts; found out, and made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from ..errors import RequestError
from ..records import NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

    Texts: TypeAlias = list[object] | pa.Array  # cells as they stand in a file, None for nothing

Kind: TypeAlias = Literal["truth", "whole", "double", "text", "input"]  # the last: doubles, whatever is there
AS_THEY_STAND: Final[Mapping[str, Kind]] = MappingProxyType({})
_Value: TypeAlias = bool | int | float

_MOST_WHOLE = 1 << 63


class TextKind(NamedTuple):
    """How values of a kind are written, what such a text means (None: nothing after all), and Arrow's type."""

    pattern: str
    meaning: Callable[[str], _Value | None]
    type: str


def _whole(text: str) -> int | None:
    found = int(text)
    return found if -_MOST_WHOLE <= found < _MOST_WHOLE else None


def _double(text: str) -> float | None:
    found = float(text)
    return None if math.isinf(found) and not text.lstrip("-").startswith(("i", "I")) else found


# A text that is more than its value stays a text: 007, +5, a whole number with more digits than fit.
_KINDS: Final[Mapping[Kind, TextKind]] = MappingProxyType({
    "truth": TextKind("true|false|True|False", lambda text: text[0] in "tT", "bool_"),
    "whole": TextKind("0|-?[1-9][0-9]{0,18}", _whole, "int64"),
    "double": TextKind(
        r"-?(?:(?:0|[1-9][0-9]{0,14})(?:\.[0-9]*)?|[1-9][0-9]{15,}\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
        r"|-?(?:[Nn]a[Nn]|[Ii]nf(?:inity)?)",
        _double,
        "float64",
    ),
})  # fmt: skip


class KindsFound:
    """What columns may hold, after some of their cells: `names` are those of which it is still open."""

    def __init__(self, names: Iterable[str]) -> None:
        self._possible: dict[str, set[Kind]] = {name: set(_KINDS) for name in names}
        self._empty = set(self._possible)

    @property
    def names(self) -> list[str]:
        return [name for name, possible in self._possible.items() if possible]

    def add(self, columns: Mapping[str, Texts]) -> None:
        """Takes more cells of every column."""
        for name, column in columns.items():
            possible = self._possible[name]
            possible.intersection_update([kind for kind in possible if _all_are(kind, column)])
            if name in self._empty and not _is_empty(column):
                self._empty.discard(name)

    def found(self) -> dict[str, Kind]:
        """The first kind that fits all cells; texts where none does, and where there is no cell."""
        return {
            name: next((kind for kind in _KINDS if kind in possible and name not in self._empty), "text")
            for name, possible in self._possible.items()
        }


def _is_empty(column: Texts) -> bool:
    if isinstance(column, list):
        return all(cell is None for cell in column)
    return bool(column.null_count == len(column))


def _all_are(kind: Kind, column: Texts) -> bool:
    """Whether all cells that hold something are of a kind."""
    if isinstance(column, list):
        return all(cell is None or _value(kind, cell) is not None for cell in column)
    from pyarrow import compute

    pattern = f"^(?:{_KINDS[kind].pattern})$"
    if not compute.all(compute.match_substring_regex(column, pattern), min_count=0).as_py():
        return False
    if kind == "truth":
        return True
    numbers = _cast(column, kind)
    if numbers is None or kind == "whole":
        return numbers is not None
    infinite = compute.is_inf(numbers)
    return not compute.any(infinite, min_count=0).as_py() or all(
        _double(text) is not None for text in column.filter(infinite).to_pylist()
    )


def _value(kind: Kind, cell: object) -> _Value | None:
    """What a text means as a value of a kind; None where it is none."""
    known = _KINDS[kind]
    return known.meaning(cell) if isinstance(cell, str) and re.fullmatch(known.pattern, cell) else None


def _cast(column: pa.Array, kind: Kind) -> pa.Array | None:
    """Texts that are written as values of a kind as such values; None where one does not fit."""
    import pyarrow as pa
    from pyarrow import compute

    if kind == "truth":
        return compute.equal(compute.utf8_lower(column), "true")
    try:
        return compute.cast(column, getattr(pa, _KINDS[kind].type)())
    except pa.ArrowInvalid:
        return None


def made(column: Texts, kind: Kind, name: str, where: Callable[[int], str]) -> pa.Array:
    """A column as an Arrow array of its kind.

    Raises RequestError where it is not all of this kind, as with cells that nobody had seen when it was decided.
    """
    import pyarrow as pa

    if kind == "text":
        return pa.array(column, pa.string()) if isinstance(column, list) else column
    if not _all_are(kind, column):
        cells = column if isinstance(column, list) else column.to_pylist()
        row = next((row for row, x in enumerate(cells) if x is not None and _value(kind, x) is None), 0)
        raise RequestError(
            f"{name} holds other values than before", label=where(row),
            help="save the points, and name their file: it is looked at before, standard input cannot be",
        )  # fmt: skip
    if isinstance(column, list):
        values = [None if cell is None else _value(kind, cell) for cell in column]
        return pa.array(values, getattr(pa, _KINDS[kind].type)())
    return _cast(column, kind)
