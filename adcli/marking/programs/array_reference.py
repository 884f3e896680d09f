"""The reference for a task with arrays: true values and adjoints of its blocks at the point and at nearby points.
A block is an array (an input, a step or the result), known by its number; its entries are slots of one graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from ...answers.answer_model import BAR, DERIVATIVE, VALUE, Task
from ...answers.arrays.array_texts import MARK
from ...arrays.array_parser import parse_arrays
from ...arrays.array_program import ArrayProgram, ArrayReader
from ...arrays.shapes import Shape
from ...arrays.sweeps import ArrayTrace, array_trace, needed_blocks
from ...errors import AdcliError
from ...graph.plan import leaf_values, on_demand
from ...graph.tape import linearize
from ...notation.table_formulas import write_adjoint, write_partial
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.doubles import FLOAT
from ...trace.labels import shown_name
from ...trace.trace_model import Request
from ...typings import Any, override

Entries = Mapping[int, Sequence[Spread]]  # by block, row by row
Array = tuple[Shape, Sequence[Any]]  # shape and entries row by row, floats or Spreads
_ASIDE = (0.37, -0.61, 0.23, 0.83, -0.47, 0.13, 0.71, -0.29)  # steps of the inputs to the other points


class ArrayReference:
    """The blocks of the program of a task, with their true values and adjoints.

    `numbers` are those of the blocks in order, inputs first; `output` is the number of the block of the result. `names`
    has the shapes of the names that answers may use. A result that is an array has no adjoints (`has_adjoints`).
    `hidden` are the blocks of products inside of sums, such as W x in W x + b: answers may have them as rows, but they
    are not asked for. `result` is the shown name of the result. `mode` is "reverse", or "value" if there are no
    adjoints or the task is in the mode value.
    """

    def __init__(self, task: Task) -> None:
        """Split the program of a task with arrays into blocks; the attributes are described at the class.

        `names` lacks hidden blocks, and steps whose name is that of an input with a number behind it.
        """
        assert task.arrays is not None  # the caller has looked  # noqa: S101
        self.task = task
        self.program, self.hidden = unfuse(task.arrays)
        self.blocks, self.graph = self.program.blocks, self.program.program.graph
        result, operand = self.program.outputs[0]
        self.numbers = list(dict.fromkeys((*needed_blocks(self.program), operand.block)))  # also a constant result
        self.result = shown_name(result, dict.fromkeys(self.program.inputs, 0))
        self.output = operand.block
        self.has_adjoints = not self.blocks[self.output].shape and task.mode != "value"
        self.mode = "reverse" if self.has_adjoints else "value"
        inputs = self.program.inputs
        visible = [self.blocks[k] for k in self.numbers if k not in self.hidden and self.blocks[k].name]
        visible = [block for block in visible if block.is_input or block.name.rstrip("0123456789") not in inputs]
        self.names: dict[str, Shape] = {block.name: block.shape for block in visible}
        self.names[self.result] = self.blocks[self.output].shape

    @cached_property
    def traces(self) -> list[ArrayTrace]:
        """Return the traces at the point of the task and at two points next to it, in this order.

        The two points are the same in each run: every input entry x is moved by at most about 0.08 at the first and 0.5
        at the second of |x| + 0.5 to |x| + 1.5, and may change its sign. Symmetric matrices stay symmetric there
        (`_mirror_entries`); distributions are divided by their sum, so that it stays 1 (`_distributions`). A point next
        to it is left out if the program has no value there; an AdcliError at the task's own point is raised. Without
        adjoints (`mode` is "value") the traces have values only.
        """
        traces = []
        for scale in (0.0, 0.1, 0.6):
            at = {
                name: float(x) + scale * _ASIDE[k % len(_ASIDE)] * (abs(float(x)) + 0.5 * (k % 3 + 1))
                for k, (name, x) in enumerate(self.task.at.items())
            }
            at |= {name: at[other] for name, other in self._mirror_entries.items()}
            for names in self._distributions:
                total = sum(at[name] for name in names)
                at |= {name: at[name] / total for name in names}
            try:
                traces.append(array_trace(self.program, at if scale else self.task.at, Request(self.mode), None))
            except AdcliError:
                if not scale:
                    raise
        return traces

    @cached_property
    def _mirror_entries(self) -> dict[str, str]:
        """Return {entry below the diagonal: the equal one above}, {"A[2,1]": "A[1,2]"}, of symmetric input matrices.

        Indices are from 1. A matrix whose numbers at the point of the task are exactly symmetric stays so at the other
        points, because formulas may use it.
        """
        mirrored: dict[str, str] = {}
        at = self.task.at
        for name, block in self.program.inputs.items():
            if len(block.shape) == 2 and block.shape[0] == block.shape[1]:
                lower = [(i, j) for i in range(1, block.shape[0] + 1) for j in range(1, i)]
                pairs = {f"{name}[{i},{j}]": f"{name}[{j},{i}]" for i, j in lower}
                if all(at[low] == at[high] for low, high in pairs.items()):
                    mirrored |= pairs
        return mirrored

    @cached_property
    def _distributions(self) -> list[list[str]]:
        """Return a list of entries' names for each input vector, or row of an input matrix, that is a distribution.

        Such a list has two or more entries, none negative at the point of the task, whose doubles, added in order, give
        exactly 1. Formulas may use this sum, as for one-hot rows; therefore all points keep it.
        """
        rows: dict[str, list[str]] = {}
        for name in self.task.at:
            array, _, index = name.partition("[")
            rows.setdefault(f"{array} {index.partition(',')[0] if ',' in index else ''}", []).append(name)
        numbers = [(names, [float(self.task.at[name]) for name in names]) for names in rows.values()]
        return [names for names, xs in numbers if len(xs) > 1 and min(xs) >= 0 and sum(xs) == 1]

    def truth(self, kind: str, number: int, point: int = 0) -> list[float]:
        """Return the values of the block `number`, or its adjoint if `kind` is BAR, entry by entry.

        `point` is 0 for the point of the task, else the index in `traces`. A block that traces leave out is a constant:
        its values are the numbers as written; its adjoint is 1, as such a block is the result itself. Raises
        StopIteration for another block's adjoint if the task has none.
        """
        trace = self.traces[point]
        if number not in trace.values:
            return [1.0 if kind == BAR else self.graph.constants[k].read(FLOAT) for k in self.blocks[number].slots]
        return next(iter(trace.bars.values()))[number] if kind == BAR else trace.values[number]

    def environment(self, called: Mapping[str, int], point: int) -> dict[str, Array]:
        """Return {name: (shape, entries)} for names in formulas at a point; the adjoint of W is called `WBar`.

        The names are those of all blocks in `numbers`, that of the result, and those of the answer, which `called` maps
        to blocks; a name that the problem has too means the answer's. `point` is the index of the point. Entries come
        row by row. There are adjoints only if the task has some.
        """
        names = {**{self.blocks[k].name: k for k in self.numbers}, self.result: self.output, **called}
        arrays: dict[str, Array] = {}
        for name, number in names.items():
            shape = self.blocks[number].shape
            arrays[name] = shape, self.truth(VALUE, number, point)
            if self.has_adjoints:
                arrays[name + MARK] = shape, self.truth(BAR, number, point)
        return arrays

    def sweep(self, values: Entries, adjoints: Entries) -> dict[str, dict[int, list[Spread]]]:
        """Return the values and adjoints that follow from the student's own: {VALUE or BAR: {block: entries}}.

        The result has all blocks in `numbers`. `values` and `adjoints` are the student's, by block, entries row by row;
        they are returned as they are. All other entries are computed from them and the inputs at the task's point; the
        adjoint of the result is 1 then. Without adjoints in the task the key BAR is missing. Raises ValueError if a
        list does not have the length of its block.
        """
        graph, blocks = self.graph, self.blocks
        point = {slot: SPREAD.number(self.task.at[name]) for slot, name in graph.inputs.items()}
        column: list[Any] = leaf_values(graph, SPREAD, point)
        for number, spreads in values.items():
            column = [*column]
            for slot, spread in zip(blocks[number].slots, spreads, strict=True):
                column[slot] = spread
        needed = [slot for number in self.numbers for slot in blocks[number].slots]
        column = on_demand(graph, SPREAD, column, needed if graph.has_choices() else range(len(graph)))
        by_block = {VALUE: {k: [column[slot] for slot in blocks[k].slots] for k in self.numbers}}
        if self.has_adjoints:
            bars = self._sweep_back(column, adjoints)
            by_block[BAR] = {k: [bars[slot] for slot in blocks[k].slots] for k in self.numbers}
        return by_block

    def _sweep_back(self, column: list[Any], adjoints: Entries) -> list[Any]:
        """Return the adjoints of all slots in a reverse sweep from the output, some of them the student's.

        `column` has the values by slot. `adjoints` has the student's, by block: these replace the sums of
        contributions, or the 1 of the output, and are propagated from there. Slots that the output does not depend on
        have 0. Slots without a value propagate nothing, but keep their own adjoint. Raises ValueError if a list does
        not have the length of its block.
        """
        student_bars: dict[int, Spread] = {}
        for number, adjoint in adjoints.items():
            student_bars |= zip(self.blocks[number].slots, adjoint, strict=True)
        bars: list[Any] = [SPREAD.zero] * len(self.graph)
        bars[self.blocks[self.output].slots[0]] = SPREAD.one
        for slot, slopes in reversed([*enumerate(linearize(self.graph, SPREAD, column))]):
            bars[slot] = student_bars.get(slot, bars[slot])
            for parent, slope in zip(self.graph.parents[slot], slopes, strict=False):
                if slope is not None and column[slot] is not None:
                    bars[parent] = bars[parent] + bars[slot] * slope
        return bars

    @property
    def inputs(self) -> set[int]:
        """Return the numbers of the blocks that are inputs."""
        return {k for k in self.numbers if self.blocks[k].is_input}

    @property
    def steps(self) -> list[int]:
        """Return the numbers of the blocks between the inputs and the result, in order, without `hidden` ones."""
        requested = [k for k in self.numbers if k not in self.hidden]
        return [k for k in requested if k != self.output and not self.blocks[k].is_input]

    def jacobian(self, number: int) -> list[list[float]]:
        """Return the derivatives of each entry of the result with respect to all entries of the block `number`."""
        swept = array_trace(self.program, self.task.at, Request("reverse"), None)
        return [bars[number] for bars in swept.bars.values()]

    def moving_inputs(self) -> list[int]:
        """Return the numbers of the inputs with respect to which the result is to be differentiated.

        They are in the order of `numbers`: those that the result depends on, as whole blocks, and that the task's `wrt`
        names, by an entry too (`x[2]` means x); if `wrt` is empty, all that the result depends on.
        """
        inputs = [k for k in self.numbers if self.blocks[k].is_input and self.needs(self.output, k)]
        wrt = {name.partition("[")[0] for name in self.task.wrt}
        return [k for k in inputs if not wrt or self.blocks[k].name in wrt]

    def needs(self, number: int, other: int) -> bool:
        """Return whether the block `number` is computed from the block `other`, directly or not, or is this block."""
        return other in self._above[number]

    @cached_property
    def _above(self) -> dict[int, set[int]]:
        """Return by block the numbers of all blocks that it is computed from, itself included."""
        above: dict[int, set[int]] = {}
        for number, block in enumerate(self.blocks):
            above[number] = {number}.union(*(above[operand.block] for operand in block.operands))
        return above


class _SplitReader(ArrayReader):
    """A reader of programs for which a product and the sum that uses it are two blocks."""

    @override
    def _waits(self, place: int) -> bool:
        """Return False: no product waits to be joined with the sum that uses it."""
        return False


def unfuse(program: ArrayProgram) -> tuple[ArrayProgram, frozenset[int]]:
    """Return (`program` with each fused step split into a product and a sum, numbers of the new steps).

    The source is read again with these operations as separate steps. Blocks keep the names that the part of the source
    has in `program`; new ones are called _1, _2, … by their number as a block.
    """
    source, shapes = program.program.source, {name: block.shape for name, block in program.inputs.items()}
    steps, readings = parse_arrays(source, shapes)
    split = _SplitReader(source, steps, shapes, readings, cse=True).read()
    names = {block.span: block.name for block in program.blocks if not block.is_input and not block.is_constant}
    hidden = set()
    for number, block in enumerate(split.blocks):
        if not block.is_input and not block.is_constant:
            if block.span not in names:
                hidden.add(number)
            block.name = names.get(block.span, f"_{number}")
    return split, frozenset(hidden)


def array_quantities(task: Task) -> Iterator[tuple[str, str, str, int, None, bool, bool]]:
    """Yield the quantities of a task with arrays that may earn marks.

    Each is (name in marks, label: the name of the block or result, kind, block number, None for a key, whether it is a
    result, whether it is a seed).

    - Without a mode: the value of the result, and then its derivatives ∂y/∂x (kind DERIVATIVE), none if it is an array.
    - With a mode: values of all steps and of the result. Then, unless the mode is `value` or the result an array,
      adjoints on the way to an input that is differentiated: of the result (the seed), of the steps from last to first,
      and of these inputs.

    The value of the result, and its derivatives or the adjoints of inputs, are results; a seed is one only if it is
    that of an input.
    """
    reference = ArrayReference(task)
    blocks, output = reference.blocks, reference.output
    steps = reference.steps if task.mode is not None else []
    for k in steps:
        yield blocks[k].name, blocks[k].name, VALUE, k, None, False, False
    yield reference.result, reference.result, VALUE, output, None, True, False
    results = reference.moving_inputs() if reference.has_adjoints else []
    if task.mode is None:
        for k in results:
            name = blocks[k].name
            yield str(write_partial(reference.result, name)), name, DERIVATIVE, k, None, True, False
        return
    moved = [k for k in (output, *reversed(steps)) if any(reference.needs(k, each) for each in results)]
    for k in (*moved, *results):
        name = reference.result if k == output else blocks[k].name
        yield str(write_adjoint(name)), name, BAR, k, None, k in results, k == output
