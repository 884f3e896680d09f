"""Symbols of an answer: the names that it defines or differentiates, and those that may mean the problem's function."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...graph.graph import CONSTANTS
from ...patterns import pattern
from ...table.primitive import lookup
from ...typings import TYPE_CHECKING
from .plain_formulas import plain

if TYPE_CHECKING:
    from ..derivations.derivation_lines import Statement

_DEFINED = pattern(r"(?:^|[\s:(])([^\W\d_](?:_?\d+)?|[fghuvwy][a-z]|[A-Z]{2,4})\s*(\(\s*[^()]*\))?\s*$")
_DIFFERENTIATED = pattern(
    "|".join((
        r"(?<![\w\\])[d∂]\s*(?:\^\s*\d\s*)?([^\W\d_](?:_[^\W\d_]{3,}|\d*)|[A-Z]{2,4})(?:\s*\([^()]*\))?\s*/\s*[d∂]\s*([^\W\d_]\d*)",
        r"\\[dt]?frac\s*\{\s*[d∂](?:\^\{?\d\}?)?\s*([^\W\d_]\d*)(?:\s*\([^()]*\))?\s*\}\s*\{\s*[d∂]\s*([^\W\d_]\d*)",
        r"(?<![^\W\d_])([^\W\d_]\d*)'+(?![^\W\d_]{3})",
        r"(?<![^\W\d_])([^\W\d_])_\{?[^\W\d_]",  # f_x
        r"[D∂]_\{?[^\W_]+\}?\s*\(?([^\W\d_])(?![\w])",
    ))
)  # fmt: skip


def symbols_of(
    statements: Sequence[Statement], inputs: Collection[str], outputs: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return two sets: names that the answer defines or differentiates, as y and u in dy/du; names of the function.

    Names of the function are those that may mean the problem's function. `inputs` and `outputs` are names of the
    problem. Neither set has inputs, functions of the table, constants, d, D or ∂, but outputs are always in the second.
    The first lacks `f_1`, `f_2`, …, `fx` and `fy` if these are derivatives (`_short_derivatives`). The second has:

    - the outputs, f, y, F, defined or not;
    - names that are differentiated anywhere but not defined; if left sides differentiate several of these (u' = …, v' =
      …), they are not in it, except f, y, F and outputs;
    - the only name that left sides differentiate, as its definition may not be readable (`is_function`).

    π is added to both as pi if it is not the number (`_is_number_pi`)."""
    lefts = (plain(each.left.text, inputs) for each in statements if each.left is not None)
    defined = {match[1] for text in lefts if (match := _DEFINED.search(text))}  # at the ends of left sides
    used = _names_in_derivatives(statements, inputs)
    student_names = {name for name in defined | used if _is_free(name, inputs)} - _short_derivatives(defined, inputs)
    usual = {*outputs, "f", "y", "F"}
    named = _names_in_derivatives([each._replace(pieces=[]) for each in statements], inputs) - {*inputs}
    parts = named - defined - usual if len(named - defined) > 1 else set()  # u' = 2x and v' = 1 next to f' = …
    single = named if len(named) == 1 else set()
    functions = usual | (used - defined - parts) - {*inputs} | single
    functions = {name for name in functions if name in outputs or _is_free(name, inputs)}
    profit = set() if _is_number_pi(functions, statements) else {"pi"}
    return student_names | profit, functions | profit


def _is_number_pi(functions: Collection[str], statements: Sequence[Statement]) -> bool:
    """Return whether π is the number in an answer, not the name of a profit: it is not one of its `functions`, or it is
    in a piece."""
    pieces = (piece.text for each in statements for piece in each.pieces)
    return "π" not in functions or any("π" in text or "\\pi" in text for text in pieces)


def _names_in_derivatives(statements: Sequence[Statement], inputs: Collection[str]) -> set[str]:
    """Return the names in derivatives on left sides and in pieces: y and u of dy/du."""
    texts = (part.text for each in statements for part in (each.left, *each.pieces) if part is not None)
    derivatives = (match for text in texts for match in _DIFFERENTIATED.finditer(plain(text, inputs)))
    return {name for match in derivatives for name in match.groups() if name}


def _short_derivatives(defined: Collection[str], inputs: Collection[str]) -> set[str]:
    """Return the names that are short for derivatives: `f_1`, `f_2`, …, one for each input in order; else `fx` and `fy`
    for two inputs or more; {} for other names.

    `defined` are the names that the answer defines. The letter is the first of f, y, F, z that is not an input and has
    exactly the names with the numbers 1 to `len(inputs)`, at least 2, in `defined`, or else two names with inputs.
    """
    for name in ("f", "y", "F", "z"):
        names = {f"{name}_{k}" for k in range(1, len(inputs) + 1)}
        if len(names) > 1 and names <= {*defined} and f"{name}_{len(names) + 1}" not in defined and name not in inputs:
            return names
    families = ({f"{name}{each}" for each in inputs}.intersection(defined) for name in "fyFz" if name not in inputs)
    return next((family for family in families if len(family) > 1), set())


def _is_free(name: str, inputs: Collection[str]) -> bool:
    return name not in inputs and lookup(name) is None and name not in CONSTANTS and name not in ("d", "D", "∂")
