"""Extras: optional packages, imported when they are used, and the messages if one is not installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from itertools import takewhile
from types import ModuleType

from .errors import RequestError, is_own_failure
from .records import NamedTuple
from .typings import Any

_BROKEN = (ImportError, OSError, RuntimeError, SystemError)  # what importing a package that does not load may raise
_STARTING = {"polars": 4 * 10**9}  # bytes that a module needs to start its threads, beyond which it would panic


SPREADSHEETS = ("spreadsheets need openpyxl", "xlsx")  # for Needs


class Needs:
    """A context manager for importing an optional package: `with Needs(*SPREADSHEETS): import openpyxl`.

    `what` is the start of the message, `extra` the name under which the project declares the package. Raises
    RequestError if the package is not installed or does not load, and if the process may use less than `memory` bytes,
    because some libraries end the process then. Import errors about modules of adcli pass.
    """

    def __init__(self, what: str, extra: str, memory: int = 0) -> None:
        self.what, self.extra, self.memory = what, extra, memory

    def __enter__(self) -> None:
        """Check that the process may use enough memory, if that is limited, and set OPENBLAS_NUM_THREADS to 1 in the
        environment unless it is set.

        Nothing is done without a limit. Raises RequestError if the process may use less than `memory` bytes.
        """
        allowed = _allowed_memory()
        if allowed is None:
            return
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread would take memory
        if allowed < self.memory:
            title = f"{self.what}, and more memory"
            advice = f"allow the process {self.memory // 10**6} MB: ulimit -v {self.memory // 1000}"
            raise RequestError(title, label=f"this process may have {allowed // 10**6} MB", help=advice)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        """Turn ModuleNotFoundError in the block into a RequestError that says how to install the extra.

        ImportError, OSError, RuntimeError and SystemError become a RequestError that the package does not load. Other
        exceptions, and import errors about modules of adcli, pass unchanged.
        """
        if isinstance(error, ImportError) and is_own_failure(error):
            return
        if isinstance(error, ModuleNotFoundError):
            raise RequestError(f"{self.what}, which is not installed", help=install_command(self.extra)) from None
        if isinstance(error, _BROKEN):  # it is there, and does not load: a library of it, or too little memory
            label = str(error).strip().partition("\n")[0] or type(error).__name__
            again = f"pip install --force-reinstall 'adcli[{self.extra}]'"
            advice = f"give the process more memory, or install the library again: {again}"
            raise RequestError(f"{self.what}, which does not load", label=label, help=advice) from None


def _allowed_memory() -> int | None:
    """Return how many bytes of address space this process may use (RLIMIT_AS, the soft limit); None if there is no
    limit, or the system has none.
    """
    try:
        import resource
    except ImportError:  # there is no such limit on this system
        return None
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if allowed == resource.RLIM_INFINITY else allowed


def if_installed(*modules: str) -> ModuleType | None:
    """Import all of these modules and return the first; None if one of them cannot be imported (errors of `_BROKEN`).

    None also if the process may use less memory than a module needs to start (4 GB for Polars).
    """
    allowed = _allowed_memory()
    if allowed is not None and any(allowed < _STARTING.get(module, 0) for module in modules):
        return None
    try:
        first, *_ = [import_module(module) for module in modules]
    except _BROKEN:
        return None
    return first


class Later:
    """A module of an optional package that is imported when one of its names is first used; the names are kept."""

    def __init__(self, module: str, extra: str) -> None:
        self._module = module
        self._extra = extra

    def __getattr__(self, name: str) -> Any:  # whatever the module has; type checkers read an import for them
        if name.startswith("__"):  # names that tools look up on any object
            raise AttributeError(name)
        with Needs(f"this needs {self._module.partition('.')[0]}", self._extra):
            value = getattr(import_module(self._module), name)
        setattr(self, name, value)
        return value


# What the extras that the project declares are for.
with open(os.path.join(os.path.dirname(__file__), "extras.txt"), encoding="utf-8") as _lines:
    EXTRAS = dict(line.rstrip("\n").split(": ", 1) for line in _lines)


class Extra(NamedTuple):
    """An extra: its name, its purpose (`brings`), and {package: installed version, None if not installed}."""

    extra: str
    brings: str
    packages: dict[str, str | None]

    @property
    def missing(self) -> bool:
        """Return whether at least one of its packages is not installed."""
        return None in self.packages.values()


def installed() -> list[Extra]:
    """Return all extras; their packages are empty if adcli itself is not installed as a package."""
    versions = {name: {package: _version(package) for package in map(_name, requirements(name))} for name in EXTRAS}
    return [Extra(name, brings, versions[name]) for name, brings in EXTRAS.items()]


def requirements(extra: str) -> list[str]:
    """Return the packages of an extra as declared, such as `numpy>=2`; empty if the extra is unknown, or adcli itself
    is not installed as a package.
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("adcli") or []
    except PackageNotFoundError:
        return []
    return [line.partition(";")[0].strip() for line in lines if f'extra == "{extra}"' in line.replace("'", '"')]


def install_command(extra: str) -> str:
    """Return the shell command that installs the packages of an extra that are missing for this Python (an old version
    is not missing); if none is known to be missing, the one for `adcli[extra]`.
    """
    import shlex

    missing = [f"'{text}'" for text in requirements(extra) if _version(_name(text)) is None]
    return shlex.join(_installer()) + " " + (" ".join(missing) or f"'adcli[{extra}]'")


def _installer() -> Iterator[str]:
    """Yield the words of the command that installs packages here: `python -m pip install`, or `uv pip install --python
    …` if there is no pip but uv (without both: pip).

    This Python is called `python` if that is the one in its folder, by a relative path if it is below the current
    folder, else by its path.
    """

    import shutil
    import sys
    from importlib.util import find_spec

    first_python = shutil.which("python")
    here = os.path.dirname(os.path.abspath(sys.executable))
    same = first_python is not None and os.path.realpath(os.path.dirname(first_python)) == here
    is_below = os.path.abspath(sys.executable).startswith(os.path.join(os.getcwd(), ""))
    python = "python" if same else os.path.relpath(sys.executable) if is_below else sys.executable
    if find_spec("pip") is None and shutil.which("uv"):
        yield from ("uv", "pip", "install", "--python", python)
    else:
        yield from (python, "-m", "pip", "install")


def _name(requirement: str) -> str:
    return "".join(takewhile(lambda sign: sign.isalnum() or sign in "_-", requirement))


def _version(package: str) -> str | None:
    """Return the version of an installed package (its name alone, not `numpy>=2`); None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None
