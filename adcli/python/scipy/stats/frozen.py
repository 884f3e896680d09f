"""What all distributions have in common: their names, SciPy's own beside them, and parameters that are given once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ....overriding import override
from ..stand_ins import library

if TYPE_CHECKING:
    from ...core.containers import Tree

OF_PARAMETERS: Final = ("entropy", "mean", "var", "std")


class SciPyDistribution(ABC):
    """A distribution of `scipy.stats`, whose methods take traced values too; called, it keeps its parameters."""

    def __init__(self, name: str) -> None:
        self._name = name

    @override
    def __repr__(self) -> str:
        return f"<scipy.stats.{self._name} for traced values>"

    def __call__(self, *parameters: Tree, **named: Tree) -> Frozen:
        return Frozen(self, parameters, named)

    @cached_property
    def _theirs(self) -> Any:
        return getattr(library("stats"), self._name)

    def __getattr__(self, method: str) -> Callable[..., Tree]:
        """A method as SciPy has it.  Raises AttributeError where it has none."""
        if method.startswith("_"):
            raise AttributeError(method)
        return self._method(method)

    @abstractmethod
    def _method(self, method: str) -> Callable[..., Tree]:
        """A method as SciPy has it, for traced values too.  Raises AttributeError where SciPy has none."""


class Frozen:
    """A distribution with parameters that are given once."""

    def __init__(self, of: Any, parameters: tuple[Tree, ...], named: Mapping[str, Tree]) -> None:
        self._of, self._parameters, self._named = of, parameters, named

    def __getattr__(self, method: str) -> Callable[..., Tree]:
        if method.startswith("_"):
            raise AttributeError(method)
        whole = getattr(self._of, method)
        if method in OF_PARAMETERS:
            return lambda: whole(*self._parameters, **self._named)
        return lambda *x, **keywords: whole(*x, *self._parameters, **{**self._named, **keywords})
