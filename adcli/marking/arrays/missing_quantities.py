"""Names for quantities of arrays that are missing in an answer."""

from __future__ import annotations

from collections.abc import Mapping

from ...answers.answer_model import DERIVATIVE, VALUE
from ...notation.table_formulas import write_adjoint, write_partial
from ..judging.quantities import Demand
from ..programs.array_reference import ArrayReference


def describe_missing(reference: ArrayReference, written: Mapping[int, str], demand: Demand) -> str:
    """Return what to call a quantity without a row: a derivative ∂f/∂x, a value by its name, an adjoint by its symbol.

    `written` has the answer's names by block; they come before those of the problem. A step that has a name in neither
    is called by its formula in the problem, its adjoint "the adjoint of" this formula; the result and a seed are called
    by the `label` of `demand`.
    """
    number, label = demand.slot, written.get(demand.slot, demand.label)
    if demand.kind == DERIVATIVE:
        return str(write_partial(written.get(reference.output, reference.result), label))
    block = reference.blocks[number]
    is_named = block.is_input or block.user_named or demand.result or demand.seed or number in written
    if not is_named:
        label = reference.program.program.source.text[slice(*block.span)]
        return label if demand.kind == VALUE else f"the adjoint of {label}"
    return label if demand.kind == VALUE else str(write_adjoint(label))
