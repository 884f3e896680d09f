"""How a call of NumPy's reaches its rule: read by NumPy's own signature, each argument honoured or refused by name.

A rule has as its parameters what it honours: by position (before the `/`) the arrays, by NumPy's names the rest.  What
else is given must be what NumPy takes when nothing is given; so no keyword is ever passed over.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from ..numbers.arrays import np
from .linear import unsupported

Handler = Callable[..., Any]

# What changes no number: where it lies in memory, of which class the array is, how the result is reached.
_HARMLESS: Final = frozenset(("device", "optimize", "subok"))
# What says the same as not being given, where NumPy marks that by an object of its own.
_NEUTRAL: Final = MappingProxyType({"where": True, "keepdims": False})
_BY_POSITION, _SEVERAL, _NAMED = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD,
)  # fmt: skip


def _concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> None: ...


def _dot(a: Any, b: Any, out: Any = None) -> None: ...


# The functions written in C, which before NumPy 2.4 do not tell their signature.
_UNTOLD: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType({"concatenate": _concatenate, "dot": _dot})


def reduction(
    array: Any, /, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None,
    where: Any = True,
) -> None:  # fmt: skip
    """The signature of the method `reduce` of NumPy's elementwise functions; `accumulate` has the first four."""


class Honouring:
    """A rule as it is to be called: with what NumPy's function was given, in whatever way.

    A handler with `**keywords` hands on to NumPy what is not in `lacks`. Raises Unsupported for an argument that the
    rule does not have and that is not as if it were not given.
    """

    __slots__ = ("_first", "_handler", "_lacks", "_name", "_named", "_open", "_operands", "_straight", "_theirs")

    def __init__(
        self, name: str, called: Callable[..., Any], handler: Handler, lacks: frozenset[str] = frozenset()
    ) -> None:
        own = list(inspect.signature(handler).parameters.values())
        self._name = name
        self._handler = handler
        self._theirs = _signature(name, called, handler)
        self._lacks = lacks
        self._open = any(parameter.kind is _NAMED for parameter in own)
        self._operands = 1 if self._open else sum(parameter.kind is _BY_POSITION for parameter in own)
        self._first = list(self._theirs.parameters)[: self._operands]
        self._named = {parameter.name for parameter in own if parameter.kind not in (_BY_POSITION, _SEVERAL, _NAMED)}
        self._straight = 0 if self._open else _straight(own, list(self._theirs.parameters.values()))

    def __call__(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        if len(arguments) <= self._straight and (
            not keywords or (keywords.keys() <= self._named and not any(map(_absent, keywords.values())))
        ) and (len(arguments) <= self._operands or not any(map(_absent, arguments))):  # fmt: skip
            return self._handler(*arguments, **keywords)
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for key, value in self._theirs.bind(*arguments, **keywords).arguments.items():
            parameter = self._theirs.parameters[key]
            if parameter.kind is _SEVERAL:
                positional.extend(value)
            elif parameter.kind is _NAMED:
                for other, what in value.items():
                    self._honour(other, what, None, named)
            elif key in self._first or parameter.kind is _BY_POSITION:
                positional.append(value)
            else:
                self._honour(key, value, parameter.default, named)
        return self._handler(*positional, **named)

    def _honour(self, key: str, value: Any, default: Any, named: dict[str, Any]) -> None:
        if _absent(value):
            return
        if key in self._named or (self._open and key not in self._lacks):
            named[key] = value
        elif key not in _HARMLESS and not _same(value, default) and not _same(value, _NEUTRAL.get(key, default)):
            raise unsupported(self._name, f"with {key}=")


def _signature(name: str, called: Callable[..., Any], handler: Handler) -> inspect.Signature:
    try:
        return inspect.signature(_UNTOLD.get(name, called))
    except ValueError:  # written in C: where nothing is written above, the handler has all there is
        return inspect.signature(handler)


def _absent(value: Any) -> bool:
    return value is np._NoValue


def _same(value: Any, default: Any) -> bool:
    """Whether a plain option is the default; an array never is."""
    return value is default or (type(value) is type(default) and isinstance(value, (int, str)) and value == default)


def _straight(own: Sequence[inspect.Parameter], theirs: Sequence[inspect.Parameter]) -> int:
    """How many arguments by position mean the same to both."""
    count = 0
    for mine, other in zip(own, theirs, strict=False):
        if mine.kind is other.kind is _SEVERAL:
            return 10**9
        by_position = (_BY_POSITION, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if mine.kind not in by_position or other.kind not in by_position:
            break
        if mine.kind is not _BY_POSITION and mine.name != other.name:
            break
        count += 1
    return count
