"""SciPy for traced values: `special`, `stats`, `linalg`, `integrate` and `signal`, called as in SciPy.

SciPy's elementwise functions differentiate as they are.  Its other functions turn their arguments into plain arrays at
once; those of this module replace them.
"""

from __future__ import annotations

from importlib import import_module

from ...typings import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from . import integrate, linalg, signal, special, stats

__all__ = ["integrate", "linalg", "signal", "special", "stats"]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)
