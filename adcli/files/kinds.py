"""The kinds of columns of texts, recognised from all cells: truth values, whole numbers, doubles, or just texts; and
columns converted to them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from ..errors import RequestError
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

    Texts: TypeAlias = list[object] | pa.Array  # cells as they are written in a file, None for nothing

Kind: TypeAlias = Literal["truth", "whole", "double", "text", "input"]  # the last: doubles, whatever is there
UNCONVERTED: Final[Mapping[str, Kind]] = MappingProxyType({})
_Value: TypeAlias = bool | int | float

_MOST_WHOLE = 1 << 63


class TextKind(NamedTuple):
    """A kind of values: the pattern of their texts, a function that returns the value of such a text (None if it is not
    of the kind after all), and the name of Arrow's type."""

    pattern: str
    meaning: Callable[[str], _Value | None]
    type: str


def _whole_number(text: str) -> int | None:
    """Return the whole number that the text holds; None if it does not fit into 64 bits."""
    value = int(text)
    return value if -_MOST_WHOLE <= value < _MOST_WHOLE else None


def _double(text: str) -> float | None:
    """Return the double that the text holds; None for a number that is too large, while written infinities count."""
    value = float(text)
    return None if math.isinf(value) and not text.lstrip("-").startswith(("i", "I")) else value


# A text that is more than its value stays a text: 007, +5, a whole number with more digits than fit.
_KINDS: Final[Mapping[Kind, TextKind]] = MappingProxyType({
    "truth": TextKind("true|false|True|False", lambda text: text[0] in "tT", "bool_"),
    "whole": TextKind("0|-?[1-9][0-9]{0,18}", _whole_number, "int64"),
    "double": TextKind(
        r"-?(?:(?:0|[1-9][0-9]{0,14})(?:\.[0-9]*)?|[1-9][0-9]{15,}\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
        r"|-?(?:[Nn]a[Nn]|[Ii]nf(?:inity)?)",
        _double,
        "float64",
    ),
})  # fmt: skip


class PossibleKinds:
    """The kinds that columns may still hold after the cells seen so far; `names` are the columns that are not plain
    text yet."""

    def __init__(self, names: Iterable[str]) -> None:
        self._possible: dict[str, set[Kind]] = {name: set(_KINDS) for name in names}
        self._empty = set(self._possible)

    @property
    def names(self) -> list[str]:
        return [name for name, possible in self._possible.items() if possible]

    def add(self, columns: Mapping[str, Texts]) -> None:
        """Exclude, for each of these columns, the kinds that do not fit one of its further cells.

        Empty cells (None) fit every kind. Raises KeyError for a column whose name was not passed at the beginning.
        """
        for name, column in columns.items():
            possible = self._possible[name]
            possible.intersection_update([kind for kind in possible if _all_are(kind, column)])
            if name in self._empty and not _is_empty(column):
                self._empty.discard(name)

    def kinds(self) -> dict[str, Kind]:
        """Return the first kind that fits all cells of each column; "text" if none does or all cells are empty."""
        return {
            name: next((kind for kind in _KINDS if kind in possible and name not in self._empty), "text")
            for name, possible in self._possible.items()
        }


def _is_empty(column: Texts) -> bool:
    if isinstance(column, list):
        return all(cell is None for cell in column)
    return bool(column.null_count == len(column))


def _all_are(kind: Kind, column: Texts) -> bool:
    """Return whether all cells that are not missing are of a kind; True if all are missing.

    A column is a list of cells or an Arrow array of texts; a missing cell is None (null in Arrow), not "". A cell of a
    list that is neither None nor a str is of no kind. Whole numbers beyond 64 bits and finite texts of infinite doubles
    are not of their kind.
    """
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
    has_infinite = compute.any(infinite, min_count=0).as_py()
    return not has_infinite or all(_double(text) is not None for text in column.filter(infinite).to_pylist())


def _value(kind: Kind, cell: object) -> _Value | None:
    """Return the value of a text as one of a kind; None if it is not one."""
    known = _KINDS[kind]
    return known.meaning(cell) if isinstance(cell, str) and re.fullmatch(known.pattern, cell) else None


def _cast(column: pa.Array, kind: Kind) -> pa.Array | None:
    """Return the Arrow texts of `column`, which match the pattern of `kind` (truth: true and false in either case;
    whole or double), as such values.

    Nulls stay. None if a text does not fit the type, such as a whole number beyond 64 bits.
    """
    import pyarrow as pa
    from pyarrow import compute

    if kind == "truth":
        return compute.equal(compute.utf8_lower(column), "true")
    try:
        return compute.cast(column, getattr(pa, _KINDS[kind].type)())
    except pa.ArrowInvalid:
        return None


def typed_array(column: Texts, kind: Kind, name: str, where: Callable[[int], str]) -> pa.Array:
    """Return the column called `name` as an Arrow array of its kind: texts, truth values, whole numbers or doubles.

    Empty cells become null. An Arrow array of kind "text" is returned unchanged. `kind` must not be "input". `where`
    gives the place of a row, for the error. Raises RequestError for the first cell that is not of this kind (which was
    then not among the cells by which the kind was decided).
    """
    import pyarrow as pa

    if kind == "text":
        return pa.array(column, pa.string()) if isinstance(column, list) else column
    if not _all_are(kind, column):
        cells = column if isinstance(column, list) else column.to_pylist()
        row = next((row for row, x in enumerate(cells) if x is not None and _value(kind, x) is None), 0)
        advice = "save the points to a file and name it: unlike standard input, a file is checked in advance"
        raise RequestError(
            f"the column {name} has another kind of values than in earlier rows", label=where(row), help=advice
        )
    if isinstance(column, list):
        values = [None if cell is None else _value(kind, cell) for cell in column]
        return pa.array(values, getattr(pa, _KINDS[kind].type)())
    return _cast(column, kind)
