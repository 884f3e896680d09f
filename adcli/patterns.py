"""Patterns: regular expressions that are compiled when first used, because a command uses few of them.

A set of characters of three ranges or more, one beyond Latin-1, takes half a millisecond to compile. In patterns
that most commands use, it is written as two sets that `re` does not join.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from .typings import Any, TypeVar, cast

T = TypeVar("T", str, bytes)

_IS_FLAWED = sys.version_info < (3, 11, 5)
_METHODS = ("match", "search", "fullmatch", "sub", "split", "findall", "finditer", "pattern", "flags")


def compile_pattern(text: T, flags: int = 0) -> re.Pattern[T]:
    """Return the compiled regular expression, right also in Python before 3.11.5 (`compile_without_possessives`)."""
    return (compile_without_possessives if _IS_FLAWED else re.compile)(text, flags)


@cache
def compile_without_possessives(text: T, flags: int) -> re.Pattern[T]:
    """Return the regular expression `text` with an atomic group, `(?>(?:a|b)?)`, for each possessive repeat of a group,
    `(?:a|b)?+`, which means the same; Python before 3.11.5 may match the latter wrongly (CPython issue 106052).

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


class _LazyPattern:
    """A regular expression that is compiled when one of its methods is first used; then it gets those of the compiled
    one."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS:
            raise AttributeError(name)
        return getattr(self._compile(), name)

    def _compile(self) -> re.Pattern[str]:
        """Compile the pattern and put its methods into this object, so that later calls are direct."""
        compiled = compile_pattern(self._text, self._flags)
        self.__dict__.update((each, getattr(compiled, each)) for each in _METHODS)
        return compiled


class _RarePattern(_LazyPattern):
    """A lazy pattern that is not tried on texts without any of the `signs`, because every match contains one of
    them."""

    def __init__(self, text: str, flags: int, signs: Iterable[str]) -> None:
        super().__init__(text, flags)
        self.signs = tuple(signs)

    def _may_be_in(self, text: str) -> bool:
        return any(map(text.__contains__, self.signs))

    def match(self, text: str, *place: int) -> re.Match[str] | None:
        return self._compile().match(text, *place) if self._may_be_in(text) else None

    def search(self, text: str, *place: int) -> re.Match[str] | None:
        return self._compile().search(text, *place) if self._may_be_in(text) else None

    def fullmatch(self, text: str, *place: int) -> re.Match[str] | None:
        return self._compile().fullmatch(text, *place) if self._may_be_in(text) else None

    def finditer(self, text: str, *place: int) -> Iterator[re.Match[str]]:
        return self._compile().finditer(text, *place) if self._may_be_in(text) else iter(())

    def findall(self, text: str, *place: int) -> list[str]:
        return self._compile().findall(text, *place) if self._may_be_in(text) else []

    def split(self, text: str, maxsplit: int = 0) -> list[str | Any]:
        return self._compile().split(text, maxsplit) if self._may_be_in(text) else [text]

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        return self._compile().sub(new, text) if self._may_be_in(text) else text


def pattern(text: str, flags: int = 0, *, signs: Iterable[str] = ()) -> re.Pattern[str]:
    """Return a regular expression that is compiled when first used; if `signs` are present, only on texts with one of
    them, so every match must contain one."""
    return cast("re.Pattern[str]", _RarePattern(text, flags, signs) if signs else _LazyPattern(text, flags))


IDENTIFIER = pattern(r"[^\W\d]\w*")
