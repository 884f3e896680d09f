"""Distributions of `scipy.stats` and their frozen form: the names, SciPy's own object, and fixed parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ....overriding import override
from ..stand_ins import library

if TYPE_CHECKING:
    from ...core.containers import Tree

OF_PARAMETERS: Final = ("entropy", "mean", "var", "std")


class SciPyDistribution(ABC):
    """A distribution of `scipy.stats` whose methods take traced values; calling it fixes its parameters."""

    def __init__(self, name: str) -> None:
        self._name = name

    @override
    def __repr__(self) -> str:
        return f"<scipy.stats.{self._name} for traced values>"

    def __call__(self, *parameters: Tree, **named: Tree) -> Frozen:
        return Frozen(self, parameters, named)

    @cached_property
    def _original(self) -> object:
        """The distribution object of `scipy.stats` itself."""
        return getattr(library("stats"), self._name)

    def __getattr__(self, method: str) -> Callable[..., Tree]:
        """Return the method of this name, with SciPy's signature; AttributeError if SciPy has none."""
        if method.startswith("_"):
            raise AttributeError(method)
        return self._method(method)

    @abstractmethod
    def _method(self, method: str) -> Callable[..., Tree]:
        """Return the method of this name for plain and traced values; AttributeError if SciPy has none."""


class Frozen:
    """A distribution with fixed parameters: `parameters` by position, `named` by keyword."""

    def __init__(self, of: SciPyDistribution, parameters: tuple[Tree, ...], named: Mapping[str, Tree]) -> None:
        self._of, self._parameters, self._named = of, parameters, named

    def __getattr__(self, method: str) -> Callable[..., Tree]:
        """Return the method of the distribution with the fixed parameters filled in.

        `entropy`, `mean`, `var` and `std` then take no arguments; other methods take their points, before the
        parameters, and keywords, which override `named`.  Raises AttributeError for a name that begins with an
        underscore.
        """
        if method.startswith("_"):
            raise AttributeError(method)
        unfrozen = getattr(self._of, method)
        if method in OF_PARAMETERS:
            return lambda: unfrozen(*self._parameters, **self._named)
        return lambda *x, **keywords: unfrozen(*x, *self._parameters, **{**self._named, **keywords})
