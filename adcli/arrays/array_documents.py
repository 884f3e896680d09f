"""Documents of array traces in the schema `trace/1`: nested lists for arrays, and `arrays` next to the scalar nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..documents import plain_number
from ..trace.trace_document import in_parts
from ..typings import Any
from .shapes import Shape, split
from .sweeps import ArrayTrace, formula


def document(trace: ArrayTrace, rows: bool = True) -> dict[str, object]:
    """Return a trace of arrays as plain data in the schema `trace/1`, in which values by entry are nested lists by
    array.

    That holds for the point and, if present, `gradient` and `hvp` of each output and `vjp`. With `rows` the keys arrays
    (one dict for each block of the trace), nodes, steps (iterators, to be consumed once) and notes come last; without,
    arrays, nodes and steps are missing, and notes keep their place.
    """
    data = in_parts(trace.trace, rows)
    data["at"] = group_entries(trace, trace.trace.at)
    outputs: Any = data["outputs"]  # dicts, as trace/1 describes them
    for output in outputs:
        for key in {"gradient", "hvp"} & output.keys():
            output[key] = group_entries(trace, output[key])
    if "vjp" in data and trace.trace.products is not None:
        data["vjp"] = group_entries(trace, trace.trace.products)
    if rows:
        after = {key: data.pop(key) for key in ("nodes", "steps", "notes")}
        data |= {"arrays": [_as_dict(trace, k) for k in trace.blocks], **after}
    return data


def group_entries(trace: ArrayTrace, flat: Mapping[str, Any]) -> dict[str, object]:
    """Return numbers by entry of the inputs as nested lists by input."""
    return {name: nested_numbers(shape, entries) for name, (shape, entries) in trace.group_by_input(flat).items()}


def nested_numbers(shape: Shape, entries: Sequence[Any]) -> object:
    """Return entries as nested lists, by rows, of numbers as JSON has them; the number itself for a number."""
    numbers = [plain_number(x) for x in entries]
    if not shape:
        return numbers[0]
    return numbers if len(shape) == 1 else split(numbers, (shape[1],) * shape[0])


def _as_dict(trace: ArrayTrace, number: int) -> dict[str, object]:
    """Return block `number` as a dict: name, shape, operator, parents, formula, value, and its derivatives.

    `operator` is "input", or the function or row; `parents` are names or literals of the operands; `value` is nested by
    row, None for an entry in a branch not taken. `dot` (by direction) is present only if the trace has tangents; `bar`
    (by output) and `contributions` (a list of dicts output, target, formula, value, for each contribution of the block
    to an adjoint) only if it has adjoints.
    """
    block = trace.block(number)
    blocks = trace.program.blocks
    data: dict[str, object] = {
        "name": block.name,
        "shape": list(block.shape),
        "operator": "input" if block.row is None else block.call.function or block.row.name,
        "parents": [_operand_data(trace, operand.block) for operand in block.operands],
        "formula": block.name if block.row is None else str(formula(blocks, number)),
        "value": nested_numbers(block.shape, trace.values[number]),
    }
    if trace.dots:
        data["dot"] = {key: nested_numbers(block.shape, dots[number]) for key, dots in trace.dots.items()}
    if trace.bars:
        data["bar"] = {key: nested_numbers(block.shape, bars[number]) for key, bars in trace.bars.items()}
        data["contributions"] = [
            {"output": key, "target": blocks[flow.target].name, "formula": str(flow.formula),
             "value": nested_numbers(blocks[flow.target].shape, flow.entries)}
            for key, flows in trace.flows.items() for flow in flows if flow.source == number
        ]  # fmt: skip
    return data


def _operand_data(trace: ArrayTrace, number: int) -> object:
    """Return an operand, block `number`, as plain data: a number for a literal, "pi", "e" or "tau" for a constant.

    Every other block is its name, or its formula if it has no name, such as a constant array.
    """
    block = trace.program.blocks[number]
    if block.literal is not None:
        try:
            return plain_number(float(block.literal))
        except ValueError:  # pi, e, tau
            return block.literal
    return block.name or str(formula(trace.program.blocks, number))
