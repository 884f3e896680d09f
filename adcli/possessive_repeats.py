"""Possessive repeats of groups, `(?:a|b)?+`, for Python before 3.11.5, which may match them wrongly (CPython issue
106052): they are compiled as atomic groups, `(?>(?:a|b)?)`, which mean the same."""

from __future__ import annotations

import re
from functools import cache

from .typings import Any, TypeVar

T = TypeVar("T", str, bytes)


@cache
def compile_without(text: T, flags: int) -> re.Pattern[T]:
    """Return the regular expression `text` with an atomic group for each possessive repeat.

    It uses the parser and compiler of the module re, which are not public; they are fixed in the versions meant.
    """
    from re import _compiler, _parser  # type: ignore[attr-defined]

    tree: Any = _parser.parse(text, flags)
    stack: list[Any] = [tree]
    while stack:
        items: Any = stack.pop()
        for place, each in enumerate(items.data):
            stack += _inner_patterns(each)
            if str(each[0]) == "POSSESSIVE_REPEAT":
                repeat = _parser.SubPattern(items.state, [(_parser.MAX_REPEAT, each[1])])
                items.data[place] = _parser.ATOMIC_GROUP, repeat
    state, names = tree.state, [None] * tree.state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    code = _compiler._code(tree, flags)
    compiled: re.Pattern[T] = _compiler._sre.compile(
        text, flags | state.flags, code, state.groups - 1, state.groupdict, tuple(names)
    )
    return compiled


def _inner_patterns(argument: Any) -> list[Any]:
    """Return the patterns in an operation of the parser, which may be in tuples and lists."""
    if hasattr(argument, "getwidth"):
        return [argument]
    if not isinstance(argument, (tuple, list)):
        return []
    return [each for part in argument for each in _inner_patterns(part)]
