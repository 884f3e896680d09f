"""Regular expressions that are compiled when they are first needed: most answers are read with few of them."""

from __future__ import annotations

import re
from typing import cast

_METHODS = ("match", "search", "fullmatch", "sub", "split", "findall", "finditer", "pattern", "flags")


class _LazyPattern:
    """A pattern to be; its methods become those of the compiled one when the first of them is asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self._text, self._flags)
        self.__dict__.update((each, getattr(compiled, each)) for each in _METHODS)
        return self.__dict__[name]


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern that a text is, compiled when it is first used."""
    return cast("re.Pattern[str]", _LazyPattern(text, flags))


# Words between two numbers of which only one can be meant.
HEDGES = (
    r"or(?:\s++is\s++it)?|vs\.?|versus|maybe|perhaps|possibly|oder|bzw\.?|beziehungsweise|vielleicht|ou|peut-être|o"
    r"|quizás"
)
