"""Evaluation traces as plain data: rows, steps, outputs and notes.

The room is also a function: `adcli.trace(f, {"x": 2.0})` is the trace of a Python function.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .model import Request, Trace


class _Room(ModuleType):
    """The package, which can be called because its name is the best one for what it does."""

    def __call__(
        self,
        function: Callable[..., object],
        at: Mapping[str, object],
        mode: str = "both",
        *,
        fixed: Mapping[str, object] | None = None,
        request: Request | None = None,
    ) -> Trace:
        """Return the trace of a Python function; parameters and errors are those of
        `recorded_functions.trace_function`.
        """
        from .recorded_functions import trace_function

        return trace_function(function, at, mode, fixed=fixed, request=request)


sys.modules[__name__].__class__ = _Room
