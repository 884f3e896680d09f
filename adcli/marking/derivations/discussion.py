"""Discussion in an answer of formulas: equations to solve, limits, tangents and derivatives of higher orders.

None of it is a claim about a requested derivative. It is not marked, and its lines are quoted with the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise, takewhile

from ...answers.derivations.derivation_lines import Statement
from ...answers.row_tokens import names_in
from .claims import ChainItem, Claim, Naming
from .input_functions import Functions

LIMIT = "a limit, not a formula for a derivative"
HIGHER = "a derivative of a higher order than the problem asks for"
EQUATION = "an equation, or the value at one point; the formula counts"
OTHER_FUNCTION = "an equation, or another function than that of the problem"
_CONDITIONS = frozenset(("at", "for", "when", "if", "where", "with", "bei", "für", "wenn", "pour", "para", "en"))
_TO_SOLVE = frozenset(("set", "solve", "setze", "löse"))


def is_limit(statement: Statement, inputs: Collection[str]) -> bool:
    """Return whether a statement is on a line about a limit for an input: `lim x->∞ f' = ∞`.

    Before the first equals sign of the line there must be the word `lim` (in small letters, also with an index), whose
    next name is that of an input. Only the line on which the statement begins is looked at.
    """
    names = names_in(statement.first.span.source.text.partition("=")[0].replace("lim_", "lim "))
    return any(word == "lim" and name.strip("{}") in inputs for word, name in pairwise(names))


def without_equation(
    claim: Claim, claims: Sequence[Claim | Naming], functions: Functions, is_solved: bool
) -> tuple[Claim, str | None]:
    """Return a claim without the number of an equation and what follows it, and the reason to leave it out or None.

    The equation is `= 0` in `f' = 3x^2 - 2 = 0`, the number the first item whose first graph uses no name. A claim of
    which no item remains is returned without items, with the reason EQUATION; all others have the reason None.
    Unchanged are a claim about a part (no output, but inputs), one without such a number, and one whose requested
    derivative is constant, since the number may be that derivative. The number is left out in these cases:

    - It is 0 or its line says that it is for a point (`_is_for_a_point`), and another of `claims` may give a formula
      for the same derivative (`_gives_formula`).
    - There are formulas before it, and its line says so.
    - There are formulas before it, it is 0, and `is_solved` (the answer gives a solution).
    """
    if claim.output is None and claim.wrt:  # about a part
        return claim, None
    before = _items_before_number(claim, functions)
    if (number := next(iter(claim.items[len(before) :]), None)) is None:
        return claim, None
    is_for_point = _is_for_a_point(number, functions)
    is_zero = number.piece.text.split()[0].strip(".,:;$") == "0"
    has_formula = any(_gives_formula(other, claim, functions) for other in claims if other is not claim)
    if (has_formula and (is_zero or is_for_point)) or (before and (is_for_point or (is_zero and is_solved))):
        return claim._replace(items=before), None if before else EQUATION
    return claim, None


def _gives_formula(other: Claim | Naming, claim: Claim, functions: Functions) -> bool:
    """Return whether `other` begins with a formula and may be about the same derivative as `claim`: one of them is
    about no output, or both have the same output and inputs. False for a Naming.
    """
    if isinstance(other, Naming) or not (claim.output is None or (other.output, other.wrt) in (claim[:2], (None, ()))):
        return False
    return len(_items_before_number(other, functions)) > 0


def _items_before_number(claim: Claim, functions: Functions) -> tuple[ChainItem, ...]:
    """Return the items of a claim before the first number; all items if its derivative does not depend on any input."""
    truth = functions.truths.get((claim.output or "", claim.wrt))
    if truth is not None and not functions.depends(truth):
        return claim.items
    return tuple(takewhile(lambda item: not item.graphs or item.graphs[0].inputs, claim.items))


def _is_for_a_point(number: ChainItem, functions: Functions) -> bool:
    """Return whether the line of a number sets an input, as in `at x = 1`, or has a word such as `solve`.

    An input is set by `x =` at the beginning of the line or directly after one of `_CONDITIONS` (at, for, when, if,
    where, with, and some in other languages). The words of the second kind, anywhere in the line, are `_TO_SOLVE`:
    set, solve, setze, löse. Words go from blank to blank (`x:` is none), but `=` is always a word of its own (`x=1`).
    Capitals count only in names of inputs.
    """
    texts = ["at", *number.piece.span.source.text.replace("=", " = ").split()]
    words = [text.lower() for text in texts]
    inputs, triples = functions.inputs, zip(words, texts[1:], texts[2:], strict=False)
    is_set = any(before in _CONDITIONS and name in inputs and sign == "=" for before, name, sign in triples)
    return is_set or not _TO_SOLVE.isdisjoint(words)
