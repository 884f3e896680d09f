"""JSON answers with arrays as rows of text: traces of this program, and objects of names and values."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..answer_model import BAR, DERIVATIVE, DOT
from ..decoding import decode_answer
from ..headers import column_of_word


def json_lines(data: bytes) -> list[str]:
    """Return JSON as rows of text, `name = value`; [] for data that does not begin with `{`, invalid JSON and
    notebooks.

    A trace of this program gives each of its `arrays` with its value and its `bar` (as ∂output/∂name), then each of its
    `outputs` with its value and `gradient`; any other object gives one row for each of its keys, or several for an
    object under a word such as `gradient` (`_rows_of`).
    """
    if data.lstrip()[:1] != b"{":
        return []
    try:
        content = json.loads(decode_answer(data))
    except (ValueError, RecursionError):
        return []
    rows = _trace_rows(content)
    if not rows and "cells" not in content:
        rows = [row for pair in content.items() for row in _rows_of(*pair)]
    return [f"{name} = {each if isinstance(each, str) else json.dumps(each)}" for name, each in rows]


def _rows_of(name: str, value: object) -> list[tuple[object, object]]:
    """Return the pair as the only row, unless the name is a header of values or derivatives and the value an object.

    Then each of the keys of that object gives a row: `h` of `"values": {"h": …}`, `gradient W` of `"grads": {"W": …}`.
    """
    head = column_of_word(name)
    if head is None or head.kind == DOT or not isinstance(value, dict):
        return [(name, value)]
    return [(f"gradient {key}" if head.kind in (BAR, DERIVATIVE) else key, each) for key, each in value.items()]


def _trace_rows(document: Mapping[str, object]) -> list[tuple[object, object]]:
    """Return pairs such as ("W", [[1, 2]]) and ("∂y/∂W", [[3, 4]]) for the values and adjoints in a trace of this
    program.

    The records of `document` are in the lists `arrays` (derivatives in `bar`, by output) and `outputs` (in `gradient`,
    by input). [] for any other object.
    """
    rows: list[tuple[object, object]] = []
    lists = [listed for key in ("arrays", "outputs") if isinstance(listed := document.get(key), list)]
    for record in [each for listed in lists for each in listed if isinstance(each, dict)]:
        name, bars, slopes = [record.get(key) for key in ("name", "bar", "gradient")]
        rows.append((name, record.get("value")))
        rows += [(f"∂{key}/∂{name}", bar) for key, bar in bars.items()] if isinstance(bars, dict) else []
        rows += [(f"∂{name}/∂{key}", slope) for key, slope in slopes.items()] if isinstance(slopes, dict) else []
    return rows
