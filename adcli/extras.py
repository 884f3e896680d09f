"""Optional packages: imported when they are used, and what is said where one is not installed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from .errors import RequestError


class Needs:
    """`with Needs("spreadsheets need openpyxl", "xlsx"): import openpyxl` says so where that is not installed.

    Raises RequestError; `extra` is the name under which the project declares the package.
    """

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if isinstance(error, ImportError):
            raise RequestError(
                f"{self.what}, which is not installed", help=f"pip install 'adcli[{self.extra}]'"
            ) from None


def if_installed(*modules: str) -> ModuleType | None:
    """The first of these modules, when all of them are there; else None."""
    try:
        first, *_ = [import_module(module) for module in modules]
    except ImportError:
        return None
    return first


class Later:
    """Stands for a module of an optional package: each name of it is looked up once, when it is first used."""

    def __init__(self, module: str, extra: str) -> None:
        self._module = module
        self._extra = extra

    def __getattr__(self, name: str) -> Any:  # whatever the module has; a checker is told by an import of its own
        if name.startswith("__"):  # what tools ask any object
            raise AttributeError(name)
        with Needs(f"this needs {self._module.partition('.')[0]}", self._extra):
            found = getattr(import_module(self._module), name)
        setattr(self, name, found)
        return found
