"""JSON answers with arrays as rows of text: traces of this program, and objects of names and values."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..decoding import decode_answer


def json_lines(data: bytes) -> list[str]:
    """Return JSON as rows of text, `name = value`; [] for data that does not begin with `{`, invalid JSON and
    notebooks.

    A trace of this program gives each of its `arrays` with its value and its `bar` (as ∂output/∂name), then each of its
    `outputs` with its value and `gradient`; any other object gives one row for each of its keys.
    """
    if data.lstrip()[:1] != b"{":
        return []
    try:
        content = json.loads(decode_answer(data))
    except (ValueError, RecursionError):
        return []
    rows = _trace_rows(content)
    if not rows and "cells" not in content:
        rows = [*content.items()]
    return [f"{name} = {each if isinstance(each, str) else json.dumps(each)}" for name, each in rows]


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
