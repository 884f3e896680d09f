"""Array points: texts such as `W=[1,2;3,4], x=[1,-1], A=@a.csv`, read as one value for each entry, named `W[1,2]`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping

from ..errors import NOTHING_WRITTEN, SAME_LENGTH, WRITE_INF, RequestError, Source, Span
from ..language.problems import NUMBER, NumberWithSource, option_pieces, pieces, read_point
from ..patterns import pattern
from ..typings import Any
from .array_parser import array_name
from .shapes import Shape, natural, places

_NAMED = pattern(r"\s*+(\\?[^\W\d][\w{}\\]*+'*+)(\[\s*[0-9]+\s*(?:,\s*[0-9]+\s*)?\])?\s*+:?=\s*+")
_SHAPE = pattern(r"([1-9][0-9]{0,5})(?:\s*[x×X*]\s*([1-9][0-9]{0,5}))?\Z")
_MOST = 10**6  # entries of one array
_MARKER = pattern(r"=\s*+[\[@]|\]\s*+=", signs="=")


def has_arrays(text: str) -> bool:
    """Return whether the text of a point gives an array: a value that starts with `[`, or with `@` for a file, or a
    name with an index, `x[1]=2`."""
    return ("[" in text or "@" in text) and _MARKER.search(text) is not None


def has_list(text: str) -> bool:
    """Return whether the text of a program has a list such as `[1, 2]`, as opposed to an index.

    A list is a `[` that does not follow a name, number, closing bracket or `'`, with a comma or semicolon directly
    inside (not in inner brackets). Blanks before the `[` do not count, so `x [1, 2]` has no list.
    """
    opened: list[bool] = []  # of each open bracket whether it could start a list
    before = "="
    for character in text:
        if character in "([{":
            opened.append(character == "[" and not (before.isalnum() or before in "_)]}'"))
        elif character in ")]}":
            opened[-1:] = []
        elif character in ",;" and opened and opened[-1]:
            return True
        before = before if character.isspace() else character
    return False


def read_arrays_point(source: Source, read_file: Callable[[str], bytes], imaginary: bool = False) -> dict[str, float]:
    """Return the values of a point by name, those of arrays by entry: `{"W[1,2]": 2.0, "t": 1.0}`; {} for an empty
    text.

    A value is an array if it is a bracketed list with a comma, a semicolon or several numbers, or `@path`, a file whose
    bytes `read_file(path)` returns. A single entry, `x[1] = pi/2`, is a number or an expression of numbers. All other
    text is passed to `read_point` and comes last; with `imaginary`, `i` is the imaginary unit in it. Pieces
    `name = value` are separated by commas, semicolons or blanks (`pieces`).

    Raises RequestError if a name has two values (but of `W=[1,2], W[1]=5` the last counts), an array does not consist
    of numbers, or a value depends on a name or is not real. Raises SyntaxProblem for an empty value and a piece without
    `name =`. Errors of `read_file` pass.
    """
    point: dict[str, float] = {}
    rest = list(source.text)
    seen: set[str] = set()
    for start, end in pieces(source.text):
        match = _NAMED.match(source.text[start:end])
        if match is None:
            continue
        text = source.text[start + match.end() : end].strip()
        name = array_name(match[1]) + (match[2] or "").replace(" ", "")
        span = Span(start + match.end(), start + match.end() + max(len(text), 1), source)
        if name in seen:
            raise RequestError(f"the input {name} has two values", span, "the second value", help="remove one of them")
        seen.add(name)
        is_list = (
            text[0:1] == "[" and text[-1:] == "]" and (any(c in text for c in ",;") or len(_cells(text[1:-1])) > 1)
        )
        if match[2]:
            point[name] = _read_entry(name, text, span.start, source)
        elif is_list or text.startswith("@"):
            point |= _read_list(name, text, span) if is_list else _from_file(name, text[1:].strip(), span, read_file)
        else:
            continue
        rest[start:end] = " " * (end - start)
    others = "".join(rest)
    if others.replace(",", "").replace(";", "").strip():
        point |= read_point(Source(others, source.name, source.first_line, source.shown), imaginary)
    return point


def _read_list(name: str, text: str, span: Span) -> dict[str, float]:
    """Return the entries of the array `name`, written as `text`, `[1, 2; 3, 4]`, by name such as `W[1,2]`.

    Commas (or blanks, in a row of numbers) separate entries, semicolons rows; rows may also be lists in the list, as in
    `[[1, 2], [3, 4]]`. An entry is a number or an expression of numbers. One row, or rows of one entry each, are a
    vector: `W[1]`. A semicolon at the end, or a single list in the list, makes a matrix of one row (with one entry the
    number `W`). `span` is the place of `text`.

    Raises RequestError if rows have different lengths, or an entry is empty, a list or without a value. Raises
    SyntaxProblem if an entry is not an expression or too large.
    """
    inside = write_rows(text[1:-1].rstrip())
    offset = span.start + 1
    is_matrix, inside = inside.endswith(";") and inside != ";", inside.removesuffix(";")
    rows: list[list[tuple[int, int]]] = []
    start = 0
    for row_text in inside.split(";"):
        rows.append([(start + a, start + b) for a, b in _cells(row_text)])
        start += len(row_text) + 1
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        odd = next(row for row in rows if len(row) != len(rows[0]))
        where = Span(offset + odd[0][0], offset + odd[-1][1], span.source)
        title = f"{name} has rows of {len(rows[0])} and of {len(odd)} entries"
        raise RequestError(title, where, "this row", help=SAME_LENGTH)
    cells = [cell for row in rows for cell in row]
    shape = natural((len(rows), len(rows[0]))) if len(rows) > 1 or is_matrix else (len(cells),)
    return {
        name + place: _read_entry(name + place, inside[start:end], offset + start, span.source)
        for place, (start, end) in zip(places(shape), cells, strict=True)
    }


def write_rows(inside: str) -> str:
    """Return `[1, 2], [3, 4]` as ` 1, 2;   3, 4;`, of the same length; a text that is not a list of lists as it is."""
    if not inside.lstrip().startswith("[") or inside.count("[") != inside.replace(" ", "").count("],[") + 1:
        return inside
    first, *others = inside.removesuffix(",").replace("[", " ").split("]")
    return ";".join([first, *(row.replace(",", " ", 1) for row in others)])


def _cells(row: str) -> list[tuple[int, int]]:
    """Return (start, end) of each entry of a row: between commas, or between blanks if there are only numbers."""
    words = row.split()
    if len(words) < 2 or not all(map(NUMBER.match, words)):
        return list(pieces(row))
    return [(start, end) for start, end in pieces(row.replace(" ", ",")) if start < end]


def _read_entry(name: str, text: str, start: int, source: Source) -> float:
    """Return one entry as a float: a number as a NumberWithSource, or the value of an expression such as `pi/2`.

    `name` is that of the entry, `W[1,2]`, for messages; `text` begins at character `start` of `source`. Raises
    RequestError if the entry is empty, begins with `[`, depends on a name or has no real value. Raises SyntaxProblem if
    it is not an expression, or a number too large for a double.
    """
    plain = text.strip()
    if NUMBER.match(plain) and math.isfinite(float(plain)):
        return NumberWithSource(float(plain), plain)
    if plain.startswith("["):
        advice = "rows are separated by semicolons: [1, 2; 3, 4], or [1, 2;] for a single row"
        raise RequestError(f"{name} is a list inside a list", Span(start, start + len(text), source), help=advice)
    span = Span(start, start + max(len(text), 1), source)
    if not plain:
        raise RequestError(f"the entry {name} has no value", span, NOTHING_WRITTEN, help="write a number")
    lead, rest = " " * max(start - 2, 0) + "t=", " " * (len(source.shown) - start - len(text))
    try:
        return read_point(Source(lead + text + rest, source.name, source.first_line, source.shown))["t"]
    except RequestError as error:
        error.title = error.title.replace("value of t ", f"value of {name} ")
        error.help = error.help.replace("t=pi/2", "[1, pi/2]")
        raise


def _from_file(name: str, path: str, span: Span, read_file: Callable[[str], bytes]) -> dict[str, float]:
    """Return the entries of the array `name` from the file `path`, by name such as `W[1,2]`.

    The suffix decides: .npy, .json (nested lists), and for all others lines of numbers separated by commas, semicolons
    or blanks. One line, or lines of one number each, are a vector; empty lines are skipped. `read_file(path)` returns
    the bytes; its errors pass. Raises RequestError, at `span` (for an .npy file that cannot be read without a place),
    if the file is not an array of numbers with at most two dimensions, is empty, has more than 10⁶ entries, or a number
    beyond the doubles.
    """
    data = read_file(path)
    if path.lower().endswith(".npy"):
        return _of_lists(name, _numpy_lists(data, path), span)
    try:
        text = data.decode("utf-8-sig")
        if path.lower().endswith(".json"):
            return _of_lists(name, json.loads(text, parse_float=_read_double, parse_int=_read_whole), span)
        rows = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines() if line.strip()]
        lists: list[object] = [[_read_double(cell) for cell in row] for row in rows]
    except OverflowError as error:
        raise RequestError(f"a number in {name} is too large", span, str(error)[:80], help=WRITE_INF) from None
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{path} is not an array of numbers", span, str(error)[:80]) from None
    return _of_lists(name, lists[0] if len(lists) == 1 else lists, span)


def _read_double(text: str) -> float:
    """Return the double nearest to a number.

    Raises OverflowError if its digits are beyond the largest one, ValueError if the text is not a number. `inf` and
    `nan` are numbers.
    """
    value = float(text)
    if math.isinf(value) and any(map(str.isdecimal, text)):
        raise OverflowError(f"the number is {text}")
    return value


def _read_whole(text: str) -> int:
    return int(text) if _read_double(text) else 0


def _numpy_lists(data: bytes, path: str) -> object:
    """Return the nested lists of the array in `data`, the bytes of an .npy file.

    It is a number for an array without dimensions. `path` is only used in the error. Raises RequestError, without a
    place, if NumPy is not installed, or if the data cannot be read or has Python objects.
    """
    import io

    from ..extras import Later

    try:
        return Later("numpy", "numpy").load(io.BytesIO(data), allow_pickle=False).tolist()
    except (ValueError, OSError, EOFError) as error:
        raise RequestError(f"{path} is not an array of numbers", label=str(error)[:80]) from None


def _of_lists(name: str, lists: object, span: Span) -> dict[str, float]:
    """Return nested lists of numbers by entry of the array `name`, `W[1,2]`.

    A number without lists has the name alone. Lists of equal length in a list, even a single one, are a matrix; one
    column is a vector, one entry has the name `W[1]`. Raises RequestError, at `span`, if `lists` is empty, is not a
    number, vector or matrix of int and float (nan and inf are, bool and strings are not), or has more than 10⁶ entries.
    """
    rows: list[Any] = lists if isinstance(lists, list) else [lists]
    is_matrix = bool(rows) and all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows)
    shape = natural((len(rows), len(rows[0])) if is_matrix else (len(rows),)) or (1,) * (rows is lists)
    flat = [x for row in rows for x in row] if is_matrix else rows
    if not flat or not all(type(x) in (int, float) for x in flat):
        title = f"{name} is not a vector or matrix of numbers"
        raise RequestError(title, span, help="write rows of the same length, of numbers only")
    if len(flat) > _MOST:
        raise RequestError(f"{name} has more than {_MOST:,} entries", span)
    return {name + place: NumberWithSource(float(x), repr(x)) for place, x in zip(places(shape), flat, strict=True)}


def read_shapes(texts: tuple[str, ...]) -> dict[str, Shape]:
    """Return the shapes of `--shape "A=3x2, x=2, t=1"` by name: `{"A": (3, 2), "x": (2,), "t": ()}`.

    `t=()`, `t=number` and `t=scalar` are numbers too, `3x1` is a vector, and 1 or `1x1` a number. Sizes are from 1 to
    999,999, separated by x, X, × or *, the shapes in a text by commas or semicolons; the last value of a repeated name
    counts; blank pieces are skipped. Raises RequestError for a piece that is not a shape.
    """
    shapes: dict[str, Shape] = {}
    for span in option_pieces(texts, "--shape"):
        match = _NAMED.match(span.text)
        size = span.text[match.end() :].strip() if match else ""
        counts = _SHAPE.match(size)
        if match is None or not (counts or size in ("()", "number", "scalar")):
            title = "a shape is a number of entries, or rows x columns"
            raise RequestError(title, span, help='write it as --shape "A=3x2, x=2"')
        sizes = [int(count) for count in counts.groups() if count] if counts else []
        shapes[array_name(match[1])] = natural(tuple(sizes))
    return shapes


def without_replaced(point: Mapping[str, float], newer: Mapping[str, float]) -> dict[str, float]:
    """Return the values of a point without those of names that `newer` gives too, in any shape."""
    names = {key.partition("[")[0] for key in newer}
    return {key: number for key, number in point.items() if key.partition("[")[0] not in names}
