"""JSON answers with arrays as rows of text: traces of this program, and objects of names and values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ..answer_model import BAR, DERIVATIVE, VALUE
from ..collector import ROWS
from ..decoding import decode_answer
from ..headers import FORMULA, NAME, NUMBERS, RESULT, column_of_word
from ..numerals import FloatAsWritten

_Pair = tuple[str, object]  # a name, and what JSON has for it
_OF_NUMBERS = frozenset("0123456789.,+-eE[] ")


def json_lines(data: bytes, inputs: Mapping[str, Sequence[float]]) -> list[str]:
    """Return JSON as rows of text, `name = value`; [] for invalid JSON, notebooks, and a single value.

    The first that applies:
    - a list none of whose items is an object: those items that are texts, as they are;
    - a trace of this program: each of its `arrays` with its value and its `bar` (as ∂output/∂name), then each of its
      `outputs` with its value and its `gradient`;
    - all other data: the names and values in its objects, at every depth (`_pairs`, `_as_gradients`).

    Values that are not texts are written as JSON, with the digits of their numbers. `inputs` has the entries of the
    required arrays.
    """
    if data.lstrip()[:1] not in (b"{", b"["):
        return []
    try:
        content = json.loads(decode_answer(data), parse_float=FloatAsWritten)
    except (ValueError, RecursionError):
        return []
    if isinstance(content, list) and not any(isinstance(each, dict) for each in content):
        return [each for each in content if isinstance(each, str)]
    rows: Sequence[tuple[object, object]] = _trace_rows(content) if isinstance(content, dict) else []
    if not rows and "cells" not in content:
        rows = _as_gradients(_pairs(content), inputs)
    return [f"{name} = {_text_of(each)}" for name, each in rows]


def _as_gradients(pairs: list[_Pair], inputs: Mapping[str, Sequence[float]]) -> list[_Pair]:
    """Return `pairs`, with `gradient W` for the name of each of the `inputs`, if their values are gradients.

    They are if each input has numbers that are not exactly its entries in `inputs` (of several pairs of a name the last
    counts), and no pair has a name that begins with d, ∂ or g, as derivatives do. If they are not, `pairs` is returned
    itself.
    """
    values, has_derivatives = dict(pairs), any(name[:1] in ("d", "∂", "g") for name, _ in pairs)
    if has_derivatives or any(_numbers(values.get(name)) in ([], entries) for name, entries in inputs.items()):
        return pairs
    return [(f"gradient {name}" if name in inputs else name, value) for name, value in pairs]


def _pairs(content: object) -> list[_Pair]:
    """Return the names and values in objects, and in lists of objects, in order, at every depth; at most 2,000.

    An object such as `{"name": "h", "value": 3}` is one pair; of other objects each key is (`_parts`), without the keys
    above it. A list without objects among its items is a value; the items of every other list have the name "". null is
    left out. A `content` that is neither object nor list has the name "", too.
    """
    pairs: list[_Pair] = []
    stack: list[_Pair] = [("", content)]
    while stack and len(pairs) < ROWS:
        name, value = stack.pop()
        if isinstance(value, list) and any(isinstance(each, dict) for each in value):
            stack += [("", each) for each in reversed(value)]
        elif isinstance(value, dict):
            stack += reversed(_parts(name, value))
        elif value is not None:
            pairs.append((name, value))
    return pairs


def _parts(name: str, record: Mapping[str, object]) -> list[_Pair]:
    """Return the names and values in the object `record`, which is the value of `name` ("" if it has none), in order.

    If the object has a title (a key such as `"name": "h"`, or else `name`) and a key for a formula, value or gradient,
    it is a row: its pieces joined by equals signs, and `gradient title`. Its other keys are left out. If it is not,
    each key is a name ("" for a word of tables whose value is an object). The keys of an object under a word for
    derivatives are the names of gradients, `gradient key`.
    """
    uses = {key: _use_of(key) for key in record}
    title = next((str(record[key]) for key, use in uses.items() if use == NAME), name)
    is_row = bool(title) and not {"piece", "gradient"}.isdisjoint(uses.values())
    parts: list[_Pair] = []
    pieces = []
    for key, value in record.items():
        if uses[key] == "gradient" and isinstance(value, dict):
            parts += [(f"gradient {each}", x) for each, x in value.items()]
        elif not is_row:
            parts.append(("" if uses[key] and isinstance(value, dict) else key, value))
        elif uses[key] == "gradient":
            parts.append((f"gradient {title}", value))
        elif uses[key] == "piece":
            pieces.append(_text_of(value))
    return [(title, " = ".join(pieces)), *parts] if pieces else parts


def _text_of(value: object) -> str:
    """Return a text itself, numbers and lists of them in the digits that are written, and all other data as JSON."""
    text = str(value)
    return text if isinstance(value, str) or _OF_NUMBERS.issuperset(text) else json.dumps(value)


def _use_of(key: str) -> str:
    """Return what a key holds, if it is a word for a column of tables; "" for every other key.

    It is "name", "piece" (formulas or values), "gradient" (adjoints or derivatives) or "other" (tangents, too).
    """
    head = column_of_word(key)
    if head is None or head.role == NAME:
        return NAME if head is not None else ""
    if head.role not in (FORMULA, NUMBERS, RESULT):
        return "other"
    return "piece" if head.kind == VALUE else "gradient" if head.kind in (BAR, DERIVATIVE) else "other"


def _numbers(value: object) -> list[float]:
    """Return the numbers in a list or matrix, row by row, or the number `value`; [] if it has none."""
    rows = value if isinstance(value, list) and all(isinstance(row, list) for row in value) else [value]
    entries = [each for row in rows for each in (row if isinstance(row, list) else [row])]
    return [float(each) for each in entries if isinstance(each, (int, float))]


def _trace_rows(document: Mapping[str, object]) -> list[tuple[object, object]]:
    """Return pairs such as ("W", [[1, 2]]) and ("∂y/∂W", [[3, 4]]) of a trace of this program; [] for objects without
    such lists.

    The records of `document` are in the lists `arrays` (derivatives in `bar`, by output) and `outputs` (in `gradient`,
    by input). Each gives its value, then its derivatives.
    """
    rows: list[tuple[object, object]] = []
    lists = [listed for key in ("arrays", "outputs") if isinstance(listed := document.get(key), list)]
    for record in [each for listed in lists for each in listed if isinstance(each, dict)]:
        name, bars, slopes = [record.get(key) for key in ("name", "bar", "gradient")]
        rows.append((name, record.get("value")))
        rows += [(f"∂{key}/∂{name}", bar) for key, bar in bars.items()] if isinstance(bars, dict) else []
        rows += [(f"∂{name}/∂{key}", slope) for key, slope in slopes.items()] if isinstance(slopes, dict) else []
    return rows
