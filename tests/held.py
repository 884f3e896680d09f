"""Every JSON document that a test makes is held against the schema that it names."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from adcli.cli.commands.schema import schema

_NAMED = re.compile(r'"schema": ?"[a-z]+/\d+"')
_LONGEST = 400_000  # characters of a text that is looked through


def held(text: str) -> None:
    """Fails where a text is JSON, or lines of JSON, with a document that is not what its schema says."""
    if text[:1] not in ("{", "[") or not _NAMED.search(text, 0, 4000) or len(text) > _LONGEST:
        return
    for document in _documents(text):
        if isinstance(document, dict) and isinstance(document.get("schema"), str):
            name = document["schema"]
            problem = _first(_validator(name), document)
            assert problem is None, f"{name}: {problem}"


def _documents(text: str) -> list[Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = [_line(line) for line in text.splitlines()]
    return found if isinstance(found, list) else [found]


def _line(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


@cache
def _validator(name: str) -> Any:
    try:
        from jsonschema import Draft202012Validator
    except ImportError:  # an installation without the packages of tests
        return None
    return Draft202012Validator(schema(name))


def _first(validator: Any, document: object) -> str | None:
    if validator is None or validator.is_valid(document):
        return None
    error = next(validator.iter_errors(document))
    while error.context:  # the alternative that comes closest
        error = max(error.context, key=lambda each: len(each.absolute_path))
    return f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
