"""Loose products: `1/2x` with x below the line and `e^2x` with x in the exponent, both without brackets."""

from __future__ import annotations

import re

from .plain_formulas import rewrite, rules

_FACTOR = r"(?:sqrt|√|[^\W\d_]+)"
_ARGUMENT, _NUMBER = r"\s*\([^()]*\)", r"\d+(?:\.\d+)?\s*"


def _bracketed(match: re.Match[str]) -> str:
    """Return `/(2x)` for `/2x` and `/(RT)` for `/RT` (a callback of re.sub); unchanged if one letter, one power or a
    differential such as dx follows.
    """
    factor = match[1]
    is_product = match[2] or match[3] or (len(factor) > 1 and factor.isalpha() and factor[0] != "d")
    return f"/({factor})" if is_product else match[0]


_BELOW_LINE = rules(
    (rf"/\s*(({_NUMBER})?{_FACTOR}(?:{_ARGUMENT})?(?:\s*\^\s*\w+)?(\s*{_FACTOR}?{_ARGUMENT})?)", _bracketed)
)
_IN_EXPONENT = rules((rf"\^\s*(-?{_NUMBER}[^\W\d_])(?![\w(])", r"^(\1)"))


def other_readings(text: str) -> list[str]:
    """Return the formula with brackets around what follows a `/`, around an exponent such as `2x`, and both.

    One factor alone gets no brackets; letters run together are a product. A reading may be `text` itself.
    """
    return [rewrite(text, table) for table in (_BELOW_LINE, _IN_EXPONENT, _BELOW_LINE + _IN_EXPONENT)]
