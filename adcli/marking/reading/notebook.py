"""Notebooks as text: cells of Markdown, what code printed, and the code itself where nothing else has rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_TEXTS = ("text/markdown", "text/latex", "text/plain")


def is_notebook(data: Any) -> bool:
    """Whether parsed JSON is a notebook."""
    return isinstance(data, Mapping) and isinstance(data.get("cells"), list) and "nbformat" in data


def notebook_text(data: Mapping[str, Any], *, code: bool) -> str:
    """The written cells and the outputs of a notebook as one text, or with `code` what its cells of code say."""
    return "\n\n".join(text for cell in data["cells"] if isinstance(cell, Mapping) for text in _texts(cell, code))


def _texts(cell: Mapping[str, Any], code: bool) -> Iterator[str]:
    if code or cell.get("cell_type") != "code":
        yield _joined(cell.get("source"))
        return
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, Mapping):
            data = output.get("data")
            text = output.get("text")
            if isinstance(data, Mapping):
                text = next((data[kind] for kind in _TEXTS if kind in data), None)
            yield _joined(text)


def _joined(text: Any) -> str:
    lines = text if isinstance(text, list) else [text]
    return "".join(line for line in lines if isinstance(line, str))
