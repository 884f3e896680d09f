"""A module that is imported when something of it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import RequestError


class Later:
    """Stands for a module of an optional package: each name of it is looked up once, when it is first used."""

    def __init__(self, module: str, extra: str) -> None:
        self._module = module
        self._extra = extra

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what tools ask any object
            raise AttributeError(name)
        try:
            found = getattr(import_module(self._module), name)
        except ModuleNotFoundError:
            package = self._module.partition(".")[0]
            raise RequestError(
                f"this needs {package}, which is not installed", help=f"pip install 'adcli[{self._extra}]'"
            ) from None
        setattr(self, name, found)
        return found
