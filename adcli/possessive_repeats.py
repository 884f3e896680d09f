"""Possessive repeats of groups, `(?:a|b)?+`, for Python before 3.11.5, which may match them wrongly (CPython issue
106052): they are compiled as atomic groups, `(?>(?:a|b)?)`, which mean the same."""

from __future__ import annotations

import re
from functools import cache

from .typings import Any, TypeVar

T = TypeVar("T", str, bytes)


@cache
def compile_without(text: T, flags: int) -> re.Pattern[T]:
    """Return the regular expression `text` with an atomic group for each possessive repeat; its `pattern` is None.

    It uses the parser and compiler of the module re, which are not public; they are fixed in the versions meant.
    """
    from re import _compiler, _parser  # type: ignore[attr-defined]

    tree: Any = _parser.parse(text, flags)
    stack: list[Any] = [tree]
    while stack:
        items = stack.pop()
        for place, (operation, argument) in enumerate(items.data):
            inner = [*_inner_patterns(argument)]
            stack += inner
            if str(operation) == "POSSESSIVE_REPEAT":
                repeat = (_parser.MAX_REPEAT, argument)
                items.data[place] = _parser.ATOMIC_GROUP, _parser.SubPattern(items.state, [repeat])
    compiled: re.Pattern[T] = _compiler.compile(tree, flags)
    return compiled


def _inner_patterns(argument: Any) -> list[Any]:
    """Return the patterns in the argument of an operation of the parser, which may be in tuples and lists."""
    if hasattr(argument, "getwidth"):
        return [argument]
    if not isinstance(argument, (tuple, list)):
        return []
    return [each for part in argument for each in _inner_patterns(part)]
