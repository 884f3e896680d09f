"""How many random examples a test draws, and how many generated cases it looks at."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

THOROUGH = bool(os.environ.get("ADCLI_THOROUGH"))  # a night's work: `just night`
_USUAL = 100  # examples, where a profile does not say otherwise


def examples(count: int, **changes: Any) -> settings:
    """So many examples; the long profile draws more of all in the same proportion."""
    return settings(max_examples=max(1, count * settings.default.max_examples // _USUAL), **changes)


def usually(count: int, thoroughly: int) -> int:
    """How many generated cases of one class a test looks at: in a thorough run it says the same of more of them."""
    return thoroughly if THOROUGH else count
