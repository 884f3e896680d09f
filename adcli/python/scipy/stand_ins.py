"""Stand-ins for functions of SciPy: SciPy itself for plain values, and a differentiation rule for traced ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, update_wrapper
from importlib import import_module

from ...extras import Needs
from ...typings import TYPE_CHECKING, override
from ..core.containers import Tree, flatten_tree
from ..core.traced import Traced
from ..core.unsupported import unsupported
from ..numpy.dispatch import Honouring

if TYPE_CHECKING:
    from types import ModuleType

    Function = Callable[..., Tree]


def library(module: str) -> ModuleType:
    """Import and return the module `scipy.<module>`.  Raises RequestError if SciPy is not installed."""
    with Needs("this needs scipy", "scipy"):
        return import_module(f"scipy.{module}")


def has_traced(*parts: Tree) -> bool:
    """Return whether any leaf of these containers is a traced value."""
    return any(isinstance(leaf, Traced) for leaf in flatten_tree(parts)[0])


class StandIn:
    """A stand-in for the function `scipy.<name>`: plain arguments go to SciPy, traced ones to `rule`.

    The rule is called with SciPy's signature. With traced arguments Unsupported is raised, by name, if there is no rule
    (None), or for an argument that the rule has no parameter for, unless its value is the default or changes no number.
    """

    def __init__(self, name: str, original: Function, rule: Function | None) -> None:
        self._name, self._original, self._rule = f"scipy.{name}", original, rule
        update_wrapper(self, original, updated=())

    @override
    def __repr__(self) -> str:
        return f"<{self._name} for traced values>"

    @cached_property
    def _call(self) -> Function:
        """Return the rule, with keywords checked against SciPy's signature. Raises Unsupported without a rule."""
        if self._rule is None:
            raise unsupported(self._name)
        honouring = Honouring(self._name, self._original, self._rule)
        return lambda *arguments, **keywords: honouring(arguments, keywords)

    def __call__(self, *arguments: Tree, **keywords: Tree) -> Tree:
        return (self._call if has_traced(arguments, keywords) else self._original)(*arguments, **keywords)


def stand_in(module: str, name: str, rules: Mapping[str, Function]) -> Function:
    """Return the object that the stand-in module offers for the attribute `name` of `scipy.<module>`.

    A plain function becomes a StandIn with its rule in `rules`; without a rule, the StandIn refuses traced values.
    Constants, classes and elementwise functions (ufuncs, which dispatch on their own) are SciPy's. Raises
    AttributeError if SciPy has no such name, or if `name` begins with an underscore, RequestError if SciPy is not
    installed.
    """
    if name.startswith("_"):
        raise AttributeError(name)
    original: Function = getattr(library(module), name)
    is_function = callable(original) and not isinstance(original, type)
    if not is_function or hasattr(original, "nin"):  # an elementwise function dispatches on its own
        return original
    return StandIn(f"{module}.{name}", original, rules.get(name))
