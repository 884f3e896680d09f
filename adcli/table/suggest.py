"""What somebody may have meant by a name."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .primitive import spellings

# Functions that only other programs have, in the words of the language.
ELSEWHERE = {
    "logit": "log(x/(1 - x))",
    "exp10": "10^x",
    "sqr": "x^2 for the square, sqrt(x) for the root",
    "sind": "sin(x*pi/180)",
    "cosd": "cos(x*pi/180)",
    "tand": "tan(x*pi/180)",
}


def similar(name: str, candidates: Iterable[str] = (), functions: bool = False) -> str | None:
    """The known name that is most like this one, if any is."""
    from difflib import get_close_matches  # only wanted when something went wrong

    pool = [*candidates, *(spellings() if functions else ())]
    if len(name) > 40:
        return None
    found = get_close_matches(name, pool, n=1, cutoff=0.76 if len(name) > 2 else 0.5)
    return found[0] if found and found[0] != name else None


def product_of(name: str, variables: Collection[str]) -> list[str] | None:
    """The name as known variables side by side: `x1x2` as x1, x2; None where it does not fall apart so."""
    if len(name) > 40:
        return None
    # best[k] holds a way to write name[:k]
    best: list[list[str] | None] = [[], *[None] * len(name)]
    for end in range(1, len(name) + 1):
        for start in range(end):
            head = best[start]
            if head is not None and name[start:end] in variables and name[start:end] != name:
                best[end] = [*head, name[start:end]]
                break
    return best[len(name)] if best[len(name)] and len(best[len(name)] or []) > 1 else None
