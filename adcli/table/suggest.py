"""Suggest the name that was probably meant by an unknown one."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..errors import unknown
from .primitive import lookup, spellings


def similar(name: str, candidates: Iterable[str]) -> str | None:
    """Return the known name that differs from `name` in capitals alone, else the most similar one (difflib): `tangent`
    for `tangens`.

    None if none is similar enough, if the best one is the name itself, or if `name` has more than 40 letters. Names of
    one or two letters need half of their letters, longer ones a similarity of 0.76.
    """
    from difflib import get_close_matches  # only needed after an error

    pool = list(candidates)
    if len(name) > 40:
        return None
    capitals = [known for known in pool if known != name and known.casefold() == name.casefold()]
    matches = capitals or get_close_matches(name, pool, n=1, cutoff=0.76 if len(name) > 2 else 0.5)
    return matches[0] if matches and matches[0] != name else None


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", written: str = "{}") -> str:
    """Return the question whether the known name most like `name` was meant, in the form `written`; `otherwise` if none
    is similar."""
    guess = similar(name, known)
    return otherwise if guess is None else f"did you mean {written.format(guess)}?"


def advice_on_name(name: str, known: Collection[str], written: str = "{}", kind: str = "inputs") -> str:
    """Return the help for an unknown name: the known name most like it, in the form `written`, else all known names.

    `kind` says in the plural what the known names are.
    """
    return did_you_mean(name, known, f"the {kind} are {', '.join(known) or 'none'}", written)


def check_inputs(names: Iterable[str], inputs: Collection[str], written: str = "{}") -> None:
    """Raise RequestError for the first of `names` that is not among `inputs`, with `advice_on_name` as help."""
    for name in names:
        if name not in inputs:
            raise unknown("input", name, advice_on_name(name, inputs, written))


def near_function(name: str, arguments: int) -> str | None:
    """Return the function name or alias of which `name`, called with this number of `arguments`, is clearly a
    misspelling (`_is_slip`: one wrong letter, two in long words); None if there is none.

    Functions that do not take that number of arguments are not candidates. The first in this order is taken: equals
    `name`, perhaps but for case; has no underscore; has the same letters in another order; `name` begins with it; has
    the same last letter; the alphabet. None also for more than 40 letters, if a letter was added to another function's
    name, and if several candidates of the same length as `name` differ from it in the last letter only, unless `name`
    begins with a candidate.
    """
    lower = name.lower()
    if len(name) > 40 or _is_longer_function(lower):
        return None
    rows = ((spelling, lookup(spelling)) for spelling in spellings() if spelling == lower or _is_slip(lower, spelling))
    similar_names = [word for word, row in rows if row and (row.accepts(arguments) or arguments in row.forms)]
    family = [word for word in similar_names if len(word) == len(lower) and word[:-1] == lower[:-1]]
    if len(family) > 1 and not lower.startswith(tuple(similar_names)):
        return None
    letters = sorted(lower)
    return min(
        similar_names,
        key=lambda s: (s != lower, "_" in s, sorted(s) != letters, not lower.startswith(s), s[-1] != lower[-1], s),
        default=None,
    )


def _is_longer_function(name: str) -> bool:
    """Return whether a name is another function's with one more letter, neither a doubled one nor an e."""
    is_longer = len(name) > 3 and lookup(name) is None and lookup(name[:-1]) is not None
    return is_longer and name[-1:] not in (name[-2:-1], "e")


def _is_slip(typed: str, known: str) -> bool:
    """Return whether `typed` is a misspelling of `known`: one wrong letter, two if both have seven letters or more.
    Capitals are other letters.

    Both need at least three letters, lengths that differ by two at most, and the same first letter. A letter added or
    missing at the end usually makes another function (`elu`, `asind`). Only a doubled last letter, an added e, and a
    missing last letter of a word of five letters or more count. Equal words do not count.
    """
    short = min(len(typed), len(known))
    if short < 3 or typed[0] != known[0] or abs(len(typed) - len(known)) > 2:
        return False
    if typed.startswith(known):
        return len(typed) == len(known) + 1 and typed[-1] in (known[-1], "e")
    if known.startswith(typed):
        return len(known) == len(typed) + 1 and short > 3
    return _edit_distance(typed, known) <= (1 if short < 7 else 2)


def _edit_distance(typed: str, known: str) -> int:
    """Return the number of letters of `known` that are wrong, missing, added or exchanged with their neighbour in
    `typed` (Damerau 1964).
    """
    rows = [list(range(len(known) + 1))]
    for i, a in enumerate(typed, 1):
        row = [i]
        for j, b in enumerate(known, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == known[j - 2] and b == typed[i - 2]:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


def product_of(name: str, variables: Collection[str]) -> list[str] | None:
    """Return the name split into two or more known variables, `x1x2` into x1 and x2; None if that is impossible.

    Of several ways, the last part is the longest possible one. None also for a single variable and for names of more
    than 40 letters.
    """
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
