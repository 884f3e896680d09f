"""Optional packages: imported when they are used, and what is said where one is not installed."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType
from typing import Any

from .errors import RequestError


class Needs:
    """`with Needs("spreadsheets need openpyxl", "xlsx"): import openpyxl` says so where that is not installed.

    Raises RequestError; `extra` is the name under which the project declares the package, and `memory` what it takes
    to load it, in bytes: some libraries end the process where there is less.
    """

    def __init__(self, what: str, extra: str, memory: int = 0) -> None:
        self.what, self.extra, self.memory = what, extra, memory

    def __enter__(self) -> None:
        allowed = _allowed_memory()
        if allowed is None:
            return
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread would take its share
        if allowed < self.memory:
            raise RequestError(
                f"{self.what}, and more memory",
                label=f"this process may have {allowed // 10**6} MB",
                help=f"allow it {self.memory // 10**6} MB: ulimit -v {self.memory // 1000}",
            )

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if isinstance(error, ModuleNotFoundError):
            raise RequestError(
                f"{self.what}, which is not installed", help=f"pip install 'adcli[{self.extra}]'"
            ) from None
        if isinstance(error, ImportError):  # it is there, and does not load: a library of it, or too little memory
            raise RequestError(
                f"{self.what}, which does not load",
                label=str(error).strip().partition("\n")[0],
                help=f"give it more memory, or install it anew: pip install --force-reinstall 'adcli[{self.extra}]'",
            ) from None


def _allowed_memory() -> int | None:
    """How many bytes this process may address; None where nothing limits it."""
    try:
        import resource
    except ImportError:  # there is no such limit on this system
        return None
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if allowed == resource.RLIM_INFINITY else allowed


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
