"""Rewritings that keep digits."""
from __future__ import annotations
from typing import Any

def advice(*_: Any) -> str:
    return ""
