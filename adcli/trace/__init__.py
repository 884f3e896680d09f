"""Evaluation traces as plain data: rows, steps, outputs and notes.

The room is also a function: `adcli.trace(f, {"x": 2.0})` is the trace of a Python function.
"""

from __future__ import annotations

import sys
from types import ModuleType

from ..typings import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .trace_model import Request, Trace


class _Room(ModuleType):
    """The module type of the package `adcli.trace`, so that the package can also be called as a function."""

    def __call__(
        self,
        function: Callable[..., object],
        at: Mapping[str, object],
        mode: str = "both",
        *,
        fixed: Mapping[str, object] | None = None,
        request: Request | None = None,
    ) -> Trace:
        """Return the trace of a Python function at a point: loops unrolled as they ran, each row with its source line.

        `at` has the inputs by parameter: numbers, or small arrays, which are traced number by number. `fixed` has the
        arguments that are passed as they are. Branches are those taken at this point. With `request` its mode counts,
        not `mode`. Raises the errors of `recorded_functions.record`, and DomainProblem if the function has no value.
        """
        from .recorded_functions import record, trace_recording
        from .trace_model import Request

        recording, program, numbers = record(function, at, fixed)
        name = getattr(function, "__name__", "function")
        return trace_recording(recording, program, numbers, request or Request(mode), name, at)


sys.modules[__name__].__class__ = _Room
