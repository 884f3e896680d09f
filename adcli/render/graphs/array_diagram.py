"""Array diagram: the graph of a program of vectors and matrices, one node for each block, with its shape."""

from __future__ import annotations

from ...arrays.array_formulas import value
from ...arrays.array_program import ArrayProgram
from ...arrays.formula_trees import name_text
from ...arrays.shapes import format_shape
from ...arrays.sweeps import ArrayTrace, formula, name_of, needed_blocks
from ...notation.number_text import Digits
from ...notation.table_formulas import write_partial
from ...trace.explained_sweeps import FORWARD, REVERSE, ExplainedSweep
from ...trace.trace_program import program_line
from .diagram import Diagram, Edge, Vertex, check_size, node_kind


def of_arrays(program: ArrayProgram, trace: ArrayTrace | None, digits: Digits, label: str | None = None) -> Diagram:
    """Return the diagram of a program of arrays: a node for each block that an output needs, an edge for each operand.

    A block is an input or operation. The first line of a node is `y = v3 = formula  2×2`: the name of its output (if it
    is one; of several the first, also of a transposed one), its own name if that differs, its formula (not for inputs),
    its shape (not for numbers). With a `trace` there follow the value, and at most three tangents and three adjoints.
    Edges have no labels, and nothing is shaded. The title has the `label` (None or empty: none) and the program. Raises
    RequestError if more than 2,000 blocks are needed.
    """
    numbers = needed_blocks(program)
    check_size(len(numbers))
    place = {number: k for k, number in enumerate(numbers)}
    outputs = {operand.block: name for name, operand in reversed(program.outputs)}
    height: dict[int, int] = {}
    vertices: list[Vertex] = []
    edges: list[Edge] = []
    for number in numbers:
        block = program.blocks[number]
        parents = [operand.block for operand in block.operands]
        height[number] = max((height.get(parent, -1) for parent in parents), default=-1) + 1
        kind = node_kind(number in outputs, block.is_input)
        called = [*dict.fromkeys((outputs.get(number, block.name), block.name))]
        called += [] if block.is_input else [formula(program.blocks, number)]
        below = [] if trace is None else _numbers(trace, number, digits)
        lines = (f"{' = '.join(called)}{'  ' * bool(block.shape)}{format_shape(block.shape)}", *below)
        operator = "input" if block.row is None else block.row.name
        is_sum = operator in ("add", "sub")
        vertices.append(Vertex(block.name, block.name, height[number], lines, kind, False, operator, is_sum))
        edges += [Edge(place[k], place[number], position, "") for position, k in enumerate(parents) if k in place]
    title = (f"{label}: " if label else "") + program_line(program.program)
    return Diagram(title, vertices, edges, frozenset(block.name for block in program.blocks if block.name))


def of_sweep(trace: ArrayTrace, passage: ExplainedSweep, digits: Digits) -> Diagram:
    """Return the diagram of a trace of arrays with its values and the tangents or adjoints of the sweep `passage` only.

    For the sweep of values it has the values alone. The title has no label. Raises RequestError if the outputs need
    more than 2,000 blocks (inputs and operations).
    """
    here, columns = (passage.sweep, passage.key), ((FORWARD, trace.dots), (REVERSE, trace.bars))
    dots, bars = [{key: x for key, x in column.items() if (sweep, key) == here} for sweep, column in columns]
    return of_arrays(trace.program, trace._replace(dots=dots, bars=bars), digits)


def _numbers(trace: ArrayTrace, number: int, digits: Digits) -> list[str]:
    """Return the lines of a block's node below the first: `= value`, up to three tangents, up to three adjoints.

    `number` is that of the block (input or operation). A tangent or adjoint is named ẋ or x̄ if the trace has only one
    of its kind, otherwise ∂x/∂input or ∂output/∂x.
    """
    block = trace.block(number)
    lines = [f"= {value(trace.values[number], block.shape, digits)}"]
    for columns, accent in ((trace.dots, "dot"), (trace.bars, "bar")):
        for key, column in list(columns.items())[:3]:
            symbol = name_text(name_of(block, accent))
            if len(columns) > 1:
                symbol = write_partial(block.name, key) if accent == "dot" else write_partial(key, block.name)
            lines.append(f"{symbol} = {value(column[number], block.shape, digits)}")
    return lines
