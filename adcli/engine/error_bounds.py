"""Error bounds for the columns of a kernel: its program is evaluated with bounds of rounding errors."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.graph import Graph
from ..numbers.doubles import apply
from ..numbers.error_analysis import ROUNDED, Bounded
from .joint_program import KINKS, UNUSUAL, joint_graph
from .numpy_doubles import Doubles, np

_BLOCK = 1024  # points, with all that the program computes of them


def bounds(graph: Graph, inputs: Sequence[Doubles], *, hessian: bool, fast: bool) -> list[Doubles]:
    """Return, for each column, an array of bounds of the absolute rounding error at each point.

    Columns are those of a kernel in order (with `hessian` also second partials), without KINKS and UNUSUAL. A bound is
    nan if the computed number is, and inf if that is infinite or no bound is known; those of partials are arbitrary
    where the value is nan. `inputs` are flat arrays of one length, at least one, in the order of the graph's inputs.
    Points at which the quick program says that it may be wrong (UNUSUAL) are evaluated by the complete one. `fast`:
    bounds for the program with fused operations.
    """
    usual = joint_graph(graph, hessian=hessian, kinks=True, usual=True)
    if fast:
        from .fast_math import fuse_operations

        usual = fuse_operations(usual)
    careful: Graph | None = None
    results = [np.empty(len(inputs[0])) for name, _ in usual.outputs if name != UNUSUAL]
    with np.errstate(all="ignore"):
        for start in range(0, len(inputs[0]), _BLOCK):
            block = [x[start : start + _BLOCK] for x in inputs]
            columns, wrong = _evaluate_block(usual, block)
            if wrong.any():
                careful = careful or joint_graph(graph, hessian=hessian, kinks=True)
                for column, right in zip(columns, _evaluate_block(careful, [x[wrong] for x in block])[0], strict=True):
                    column[wrong] = right
            for column, whole in zip(columns, results, strict=True):
                whole[start : start + _BLOCK] = column
    return results


def _evaluate_block(program: Graph, inputs: Sequence[Doubles]) -> tuple[list[Doubles], np.typing.NDArray[np.bool_]]:
    """Return (the error bounds of each output in order, a mask of the points at which the output UNUSUAL is true).

    A bound has the length of the inputs, also of a constant. UNUSUAL is the condition that the program may be wrong;
    without it the mask is False everywhere. KINKS and UNUSUAL have no bound. `inputs` are arrays in the order of the
    graph's inputs.
    """
    remaining = iter(inputs)
    values: list[Bounded] = []
    for slot, row in enumerate(program.rows):
        if slot in program.inputs:
            values.append(Bounded(next(remaining)))
        elif row is None:
            values.append(ROUNDED.number(program.constants[slot].read(ROUNDED)))
        else:
            values.append(ROUNDED.number(apply(row, ROUNDED, [values[parent] for parent in program.parents[slot]])))
    wrong = np.zeros(len(inputs[0]), bool)
    columns = []
    for name, slot in program.outputs:
        x = values[slot]
        if name == UNUSUAL:
            wrong |= np.asarray(x.value, bool)
        elif name != KINKS:
            columns.append(_bound(x, len(inputs[0])))
    return columns, wrong


def _bound(x: Bounded, count: int) -> Doubles:
    value, error = [np.broadcast_to(np.asarray(part, float), count) for part in (x.value, x.error)]
    known = np.where(np.isnan(error), np.inf, error)
    return np.where(np.isnan(value), np.nan, np.where(np.isinf(value), np.inf, known))
