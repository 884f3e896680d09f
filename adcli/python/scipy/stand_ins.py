"""Functions that stand for those of SciPy: SciPy's own where nothing is traced, and a rule where something is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, update_wrapper
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...extras import Needs
from ...overriding import override
from ..core.containers import flattened
from ..core.traced import Traced
from ..core.unsupported import unsupported
from ..numpy.dispatch import Honouring

if TYPE_CHECKING:
    from types import ModuleType

    from ..core.containers import Tree

    Function = Callable[..., Tree]


def library(module: str) -> ModuleType:
    """A module of SciPy's.  Raises RequestError where SciPy is not installed."""
    with Needs("this needs scipy", "scipy"):
        return import_module(f"scipy.{module}")


def traced(*parts: Tree) -> bool:
    """Whether something in a container is a traced value."""
    return any(isinstance(leaf, Traced) for leaf in flattened(parts)[0])


class StandIn:
    """A function of SciPy's, for traced values too; without a rule it refuses these by its name.

    A rule is called as SciPy's function is, and what it does not have as a parameter is refused (see `Honouring`).
    """

    def __init__(self, name: str, theirs: Function, rule: Function | None) -> None:
        self._name, self._theirs, self._rule = f"scipy.{name}", theirs, rule
        update_wrapper(self, theirs, updated=())

    @override
    def __repr__(self) -> str:
        return f"<{self._name} for traced values>"

    @cached_property
    def _call(self) -> Function:
        if self._rule is None:
            raise unsupported(self._name)
        honouring = Honouring(self._name, self._theirs, self._rule)
        return lambda *arguments, **keywords: honouring(arguments, keywords)

    def __call__(self, *arguments: Tree, **keywords: Tree) -> Tree:
        return (self._call if traced(arguments, keywords) else self._theirs)(*arguments, **keywords)


def stand_in(module: str, name: str, rules: Mapping[str, Function]) -> Any:  # whatever SciPy has under that name
    """What stands for a name of a module of SciPy's.  Raises AttributeError where SciPy has none."""
    if name.startswith("_"):
        raise AttributeError(name)
    theirs = getattr(library(module), name)
    if not callable(theirs) or isinstance(theirs, type) or hasattr(theirs, "nin"):  # what is elementwise knows itself
        return theirs
    return StandIn(f"{module}.{name}", theirs, rules.get(name))
