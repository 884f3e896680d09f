"""Unknown parts of a function: names in a derivation that nothing defines, such as u in `u' = 2x`. A part is an
operation inside of an output's formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ...graph.order import postorder
from .claims import Claim, Naming
from .equalities import prime_input
from .input_functions import Functions
from .meanings import Meanings, NamedPart, Viewpoint

_PARTS = 40  # of a function that are tried for a name that is not explained


def define_unknown_parts(claims: Sequence[Claim | Naming], functions: Functions, meanings: Meanings) -> None:
    """Define names that nothing defines, such as u in `u' = 2x`, as the part of the function that makes their equations
    true.

    A name whose derivative is stated is the last part, operands first, with that derivative. Then an unknown name is
    looked for in claims about an output: of two or more formulas, all of them readable, with exactly one unknown name,
    which the last formula lacks; it is the only part for which all of them are true. Definitions go to `meanings`.
    Nothing is defined if no such part is among the first 40, or, in the second case, several are.
    """
    for claim in claims:
        if isinstance(claim, Claim) and is_of_unknown_part(claim, functions, meanings):
            parts = [part for output in functions.outputs for part in _parts(functions, output, claim.name)]
            fitting = [part for part in parts if _is_true(claim, part, functions, meanings)]
            meanings.definitions |= {claim.name: fitting[-1:]} if fitting else {}
    for claim in claims:
        if not isinstance(claim, Claim) or claim.output is None or len(claim.items) < 2:
            continue
        used = [meanings.names(item.graphs[0]) for item in claim.items if item.graphs]
        known = {claim.name, *functions.inputs, *functions.outputs, *meanings.definitions}
        unknown = set[str]().union(*used) - known
        if len(used) < len(claim.items) or len(unknown) != 1 or unknown & used[-1]:
            continue
        (name,) = unknown
        parts = [*_parts(functions, claim.output, name)]
        fitting = [part for part in parts if _is_true(claim, part, functions, meanings)]
        if len(fitting) == 1:
            meanings.definitions[name] = fitting


def is_of_unknown_part(claim: Claim, functions: Functions, meanings: Meanings) -> bool:
    """Return whether a claim is about the derivative of a name that nothing defines, by an input: `u' = 2x`."""
    is_name = claim.of is not None and meanings.unknowns(claim.of) == [claim.name]
    by_input = bool(claim.wrt) and set(claim.wrt) <= functions.inputs.keys()
    return claim.output is None and is_name and by_input and not meanings.definitions.get(claim.name)


def _parts(functions: Functions, output: str, name: str) -> Iterator[NamedPart]:
    """Yield a NamedPart called `name`, without parameters and of statement 0, for each operation inside the formula of
    an output, operands first; at most the first 40.

    The output's own operation, inputs and constants are left out.
    """
    whole = functions.outputs[output]
    order = postorder(whole, functions.graph.parents.__getitem__)
    parts = (slot for slot in order if slot != whole and functions.graph.rows[slot] is not None)
    for slot in islice(parts, _PARTS):
        yield NamedPart(name, (), functions.graph_of(slot), 0)


def _is_true(claim: Claim, part: NamedPart, functions: Functions, meanings: Meanings) -> bool:
    """Return whether all formulas of a claim, in their first reading, equal the true derivative, of the output or of
    the part, if `part` is the definition of its name.

    The definition is removed again. A formula that cannot be read or resolved gives False.
    """
    view = Viewpoint(claim.place, prime_input(claim), False)
    meanings.definitions[part.name] = [part]
    try:
        whole = functions.outputs[claim.output] if claim.output is not None else meanings.slot(part.graph, view)
        slots = [meanings.slot_or_none(item.graphs[0], view) if item.graphs else None for item in claim.items]
    finally:
        del meanings.definitions[part.name]
    truth = functions.differentiate(whole, claim.wrt)
    return all(slot is not None and functions.same(truth, slot) for slot in slots)
