"""What rows are called."""

from __future__ import annotations

from ..trace.labels import barred, dotted
from .model import BAR, DOT


def row_name(kind: str, name: str, key: str | None, several: bool) -> str:
    """What a row is called in marks: `v3`, `v̇3`, `v̄3`; with several inputs or outputs also which one: `v̇3[x2]`."""
    called = dotted(name) if kind == DOT else barred(name) if kind == BAR else name
    return f"{called}[{key}]" if several and key else called


def surveyed(count: int) -> list[str]:
    """What so many inputs are called where the rows after them begin with v1: `v-1`, `v0`."""
    return [f"v{number - count + 1}" for number in range(count)]
