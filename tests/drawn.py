"""How many random examples a test draws."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

_USUAL = 100  # examples, where a profile does not say otherwise


def examples(count: int, **changes: Any) -> settings:
    """So many examples; the long profile draws more of all in the same proportion."""
    return settings(max_examples=max(1, count * settings.default.max_examples // _USUAL), **changes)
