"""Evaluation traces as plain data: rows, steps, outputs and notes.

The room is also a function: `adcli.trace(f, {"x": 2.0})` is the trace of a Python function.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """The package, which can be called because its name is the best one for what it does."""

    def __call__(self, function: Any, at: Any, mode: str = "both", **options: Any) -> Any:
        from .recorded import trace_function

        return trace_function(function, at, mode, **options)


sys.modules[__name__].__class__ = _Room
