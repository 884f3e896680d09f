"""Sweeps of arrays: values, tangents and adjoints of blocks, gathered from the slots of a scalar trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy

from ..errors import AdcliError, RequestError, Source
from ..graph.order import arrangement, postorder
from ..graph.tape import Gradients, evaluate, linearize, tangents
from ..notation.display_formula import Formula
from ..notation.number_text import MINUS
from ..notation.table_formulas import join, write_partial
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from ..trace.labels import shown_name
from ..trace.trace_model import SEED, Request, Trace
from ..trace.trace_program import trace, unused_note
from ..typings import TYPE_CHECKING, Any, TypeVar
from .array_blocks import ArrayBlock, adjoint_tree, value_tree
from .array_formulas import label, without_minus, write_formula
from .array_program import ArrayProgram, read_arrays
from .array_rows import OPERANDS
from .formula_trees import ArrayName
from .lowering import orient
from .shapes import Shape, places, split

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating, Numeric

T = TypeVar("T", bound="Numeric")

_LARGEST_FORWARD = 20_000_000  # tangents: operations times inputs
_MOST_LISTED = 16  # entries of a list in the formula of an adjoint
_MOST_OUTPUTS = 64  # entries of outputs whose adjoints are shown


class AdjointFlow(NamedTuple):
    """The contribution of the block `source` to the adjoint of the block `target` in a reverse sweep.

    source    number of the block; None for the seed
    position  the operand of the source that the target is
    formula   the rule (`z̄ xᵀ`); `shown` the same with `W̄ + ` before it if it is not the first contribution
    entries   the contribution, row by row in the shape of the target
    """

    source: int | None
    target: int
    position: int
    formula: Formula
    shown: Formula
    entries: list[float]


class ArrayTrace(NamedTuple):
    """A trace of arrays.

    trace    the scalar trace; with its rows only if they were requested
    program  the program
    blocks   the numbers of the blocks that an output needs, inputs first
    values   {block: entries, row by row}
    bars     {scalar output: {block: entries of its adjoint}}
    dots     {input entry or `seed`: {block: entries of its tangent}}
    flows    {scalar output: the contributions in the order of the reverse sweep}
    """

    trace: Trace
    program: ArrayProgram
    blocks: list[int]
    values: dict[int, list[float]]
    bars: dict[str, dict[int, list[float]]]
    dots: dict[str, dict[int, list[float]]]
    flows: dict[str, list[AdjointFlow]]

    def block(self, number: int) -> ArrayBlock:
        return self.program.blocks[number]

    def group_by_input(self, flat: Mapping[str, float]) -> dict[str, tuple[Shape, list[float]]]:
        """Return {input: (shape, entries row by row)} for `flat`, values by entry such as `W[1,2]`.

        Unused names of the point are included. Inputs whose first entry `flat` lacks are left out; if it lacks another
        entry, KeyError is raised.
        """
        shapes = {name: block.shape for name, block in self.program.inputs.items()} | self.program.unused
        return {
            name: (shape, [flat[name + place] for place in places(shape)])
            for name, shape in shapes.items()
            if name + places(shape)[0] in flat
        }


def array_trace(
    program: ArrayProgram, at: Mapping[str, float], request: Request, label: str | None, rows: bool = False
) -> ArrayTrace:
    """Return the trace of a program of arrays; with `rows` the scalar trace has its rows and steps.

    `at` is the point by entry, `label` the problem's label or None. Names of arrays in `request.wrt` represent all of
    their entries; `request.cse` is ignored. Unused arrays get one note each. An output with the name of an input is
    shown under another name. Without `request.steps` the result has no blocks, values and sweeps.

    Raises NameProblem for an entry without a value. Raises DomainProblem if there is no value; with kinks="error" also
    if there is no derivative. Raises RequestError for a wrong seed or `wrt`, and if forward mode without a seed would
    compute more than 20,000,000 tangents (operations times inputs).
    """
    graph = program.program.graph
    wrt = expand_names(program, request.wrt)
    request = request._replace(wrt=wrt, cse=False)
    if request.mode == "forward" and not request.seed and len(graph) * len(graph.inputs) > _LARGEST_FORWARD:
        title = f"forward mode would compute {len(graph.inputs):,} tangents of {len(graph):,} rows"
        raise RequestError(title, help="use --mode reverse, or a direction: --seed")
    scalar = trace(program.program, at, request._replace(steps=rows), label)
    used = [name for name in at if name.partition("[")[0] in program.unused]
    notes = [note for note in scalar.notes if note.kind != "unused"] + [
        unused_note(name) for name in dict.fromkeys(name.partition("[")[0] for name in used)
    ]
    known = dict.fromkeys((*program.inputs, *program.unused), 0)
    outputs = []
    for output in scalar.outputs:
        name, bracket, index = output.name.partition("[")
        outputs.append(output._replace(shown=shown_name(name, known) + bracket + index))
    scalar = scalar._replace(notes=notes, outputs=outputs)
    if not request.steps:
        return ArrayTrace(scalar, program, [], {}, {}, {}, {})
    return BlockGatherer(program, scalar, request, arrangement(graph, request.numbering, at)).gather_trace()


def expand_names(program: ArrayProgram, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with the entries instead of the names of arrays."""
    inputs = program.inputs
    return tuple([name + place for name in names for place in (places(inputs[name].shape) if name in inputs else [""])])


def needed_blocks(program: ArrayProgram) -> list[int]:
    """Return the numbers of the blocks to show: all inputs, then the other blocks that the outputs need, in program
    order.

    Constants are left out.
    """
    blocks = program.blocks
    ends = [operand.block for _, operand in program.outputs]
    needed = {k for end in ends for k in postorder(end, lambda number: [x.block for x in blocks[number].operands])}
    shown = [k for k, block in enumerate(blocks) if block.is_input or (k in needed and not block.is_constant)]
    return sorted(shown, key=lambda k: not blocks[k].is_input)


class BlockGatherer:
    """A collector of the numbers of blocks from a scalar trace.

    `order` has, for each slot of the trace, the slot of the program; `values` and `gradients` are by slot of the
    program. The trace lacks slots that no output needs, and partials with respect to constants; if blocks have such
    entries, these are computed here.
    """

    def __init__(self, program: ArrayProgram, scalar: Trace, request: Request, order: Sequence[int]) -> None:
        """Store values and partials of the scalar trace by slot of the program.

        `order` has for each slot of the trace the slot of the program. If a block to show has a slot that the trace
        lacks or that is a constant, all slots are computed first; then the trace's values and partials replace the
        computed ones, except partials that are None in the trace.
        """
        self.program, self.scalar, self.request = program, scalar, request
        self.graph = program.program.graph
        self.numbers = needed_blocks(program)
        count = len(self.graph)
        self.values: list[Any] = [None] * count
        self.gradients: Gradients = [()] * count
        needed = {slot for number in self.numbers for slot in program.blocks[number].slots}
        if not needed.issubset(order) or any(self.graph.literal[slot] for slot in needed):
            self._compute_all(dict(zip(order, scalar.values, strict=True)))
        for place, slot in enumerate(order):
            if slot < count:
                self.values[slot] = scalar.values[place]
                if scalar.gradients:
                    slopes, others = scalar.gradients[place], self.gradients[slot]
                    if others and None in slopes:
                        slopes = tuple([x if x is not None else y for x, y in zip(slopes, others, strict=True)])
                    self.gradients[slot] = slopes or others

    def _compute_all(self, known: Mapping[int, Any]) -> None:
        """Set `values` of every slot of the program, in the request's arithmetic, and `gradients` unless the mode is
        "value".

        `known` are values by slot, with those of all inputs; others in it are not used. Partials with respect to
        constants are computed too.
        """
        numbers, graph = self.request.numbers, self.graph
        if numbers is not None:
            graph = numbers.prepare_program(self.program.program, self.scalar.at).graph
        m: Evaluating[Any] = FLOAT if numbers is None else numbers.m
        self.values = evaluate(graph, m, {slot: known[slot] for slot in graph.inputs})
        if self.request.mode != "value":
            variable = copy(graph)
            variable.literal = bytearray(len(graph))  # so that there are partials with respect to constants
            self.gradients = linearize(variable, m, self.values)

    def gather_trace(self) -> ArrayTrace:
        """Return the trace of arrays: values by block number, then the sweeps of the request's mode.

        Reverse and both: `bars`, {output or SEED: {block: adjoint}}, and `flows`, {output or SEED: contributions}.
        Forward and both: `dots`, {input entry or SEED: {block: tangent}}. Entries are row by row. Sweeps of other modes
        are empty dicts.
        """
        scalar, mode = self.scalar, self.request.mode
        values = {k: self._of_block(self.values, k) for k in self.numbers}
        bars: dict[str, dict[int, list[float]]] = {}
        flows: dict[str, list[AdjointFlow]] = {}
        if mode in ("reverse", "both"):
            for key, seed in self._reverse_seeds().items():
                flows[key], bars[key] = self._sweep_back(key, seed)
        dots = {}
        if mode in ("forward", "both"):
            for key, ahead in self._forward_seeds().items():
                swept = tangents(self.graph, self.gradients, ahead)
                dots[key] = {k: self._of_block(swept, k) for k in self.numbers}
        return ArrayTrace(scalar, self.program, self.numbers, values, bars, dots, flows)

    def _of_block(self, column: Sequence[Any], number: int) -> list[Any]:
        return [column[slot] for slot in self.program.blocks[number].slots]

    def _reverse_seeds(self) -> dict[str, dict[str, float]]:
        """Return the seeds of the reverse sweeps: by key, the weight of each scalar output.

        If `request.seed` names outputs, there is one sweep, SEED, with these weights. If not (also for a seed of inputs
        alone), there is one for each of the first 64 scalar outputs (entries of arrays), called by its name, with
        weight 1.
        """
        names = [name for name, _ in self.scalar.graph.outputs]
        back = {name: x for name, x in (self.request.seed or {}).items() if name in names}
        return {SEED: back} if back else {name: {name: 1.0} for name in names[:_MOST_OUTPUTS]}

    def _forward_seeds(self) -> dict[str, dict[int, float]]:
        """Return the seeds of the forward sweeps: by key, the tangent of each input slot. The first that applies:

        - `request.seed` has inputs: one direction, SEED
        - another `request.seed`: {}
        - one unit direction for each entry in `request.wrt` that is an input; without `wrt` for all inputs in mode
          forward, for the first three in mode both
        """
        inputs = {name: slot for slot, name in self.graph.inputs.items()}
        ahead = {inputs[name]: x for name, x in (self.request.seed or {}).items() if name in inputs}
        if ahead:
            return {SEED: ahead}
        if self.request.seed:
            return {}
        names = self.request.wrt or (list(inputs) if self.request.mode == "forward" else list(inputs)[:3])
        return {name: {inputs[name]: 1.0} for name in names if name in inputs}  # a program of constants has none

    # --- reverse ---

    def _sweep_back(self, key: str, weights: Mapping[str, float]) -> tuple[list[AdjointFlow], dict[int, list[float]]]:
        """Return (contributions in the order of the sweep, adjoint of each block) of the reverse sweep called `key`.

        `key` is the name of an output, or SEED for the products with all seeds. `weights` are the adjoints of the
        scalar outputs by name; the first contributions are these seeds. Each block passes its adjoint on through its
        slots only, so that each operand, used twice too, gets a contribution; constants get none. Blocks that are not
        reached have zeros. Adjoints of inputs are those of the scalar trace, which include decisions at kinks. An
        AdjointFlow is (source block, target block, position of the operand, formula, formula with `x̄ + ` before it if
        it is not the first one, entries).
        """
        blocks = self.program.blocks
        bars: dict[int, list[float]] = {}
        flows = self._add_seeds(weights, bars)
        for number in reversed(self.numbers):
            block, bar = blocks[number], bars.get(number)
            if bar is None or block.is_input:
                continue
            for position, entries in enumerate(self._contributions(block, bar)):
                operand = block.operands[position]
                target = blocks[operand.block]
                if target.is_constant:
                    continue
                entries = orient(operand.of(blocks)[0], entries, operand.is_transposed)[1]
                formula = shown = adjoint_formula(blocks, number, position)
                if operand.block in bars:
                    shown = append_contribution(label(name_of(target, "bar")), formula)
                _add(bars, operand.block, entries)
                flows.append(AdjointFlow(number, operand.block, position, formula, shown, entries))
        gradients = {output.name: output.gradient for output in self.scalar.outputs} | {SEED: self.scalar.products}
        gradient = gradients.get(key)
        for number in self.numbers:
            block = blocks[number]
            if block.is_input and gradient is not None:  # of the scalar trace, with its decisions at kinks
                bars[number] = [gradient[block.name + place] for place in places(block.shape)]
            bars.setdefault(number, [0.0] * len(block.slots))
        return flows, bars

    def _add_seeds(self, weights: Mapping[str, float], bars: dict[int, list[float]]) -> list[AdjointFlow]:
        """Add the `weights` to the adjoints `bars` of the output blocks, in place, and return a flow for each output.

        `weights` are adjoints of scalar outputs by name, 0 if missing. A flow has the source None and the label 1 for a
        number, seed for an array. Outputs that are constants, or whose weights are all 0, are skipped. The weights of a
        transposed output are transposed to the shape of its block.
        """
        flows = []
        for name, operand in self.program.outputs:
            block = self.program.blocks[operand.block]
            shape, _ = operand.of(self.program.blocks)
            weighted = [weights.get(name + index, 0.0) for index in places(shape)]
            entries = orient(shape, weighted, operand.is_transposed)[1]
            if any(entries) and not block.is_constant:
                _add(bars, operand.block, entries)
                text = label(ArrayName("1" if not shape else "seed", is_number=not shape))
                flows.append(AdjointFlow(None, operand.block, 0, text, text, entries))
        return flows

    def _contributions(self, block: ArrayBlock, bar: Sequence[float]) -> list[list[float]]:
        """Return the contribution of a block with the adjoint `bar` to each operand, in order, constants included.

        Entries are in the shape in which the block uses the operand. They come from a reverse sweep over the block's
        slots; entries without influence are 0.0.
        """
        adjoints: defaultdict[int, Any] = defaultdict(float)  # by code, see `ArrayBlock.edges`
        for code, amount in zip(block.sources, bar, strict=True):
            adjoints[code] += amount
        for slot in range(block.last - 1, block.first - 1, -1):
            if slot in adjoints:
                for code, slope in zip(block.edges[slot - block.first], self.gradients[slot], strict=False):
                    if slope is not None:
                        adjoints[code] += adjoints[slot] * slope
        sizes = [len(self.program.blocks[operand.block].slots) for operand in block.operands]
        return split([adjoints[~k] for k in range(sum(sizes))], sizes)


def slips(trace: ArrayTrace, key: str, flow: AdjointFlow) -> list[tuple[str, list[float]]]:
    """Return wrong alternatives for the contribution `flow` of the sweep `key`: (name of the slip, entries) each.

    First "sign", all entries negated. If the flow is not a seed, then the wrong rules of its row (`row.slips`: factor,
    slope, order, transpose, layout, diagonal), each followed by its negative under the same name. A rule is left out if
    its shape is not that of the target, or if it cannot be evaluated, as one that uses a constant operand. Entries
    are row by row in the shape of the target. Raises KeyError if the trace has no sweep `key`.
    """
    alternatives = [("sign", [-x for x in flow.entries])]
    if flow.source is None:
        return alternatives
    block, target = trace.block(flow.source), trace.block(flow.target)
    assert block.row is not None  # an input has no contributions  # noqa: S101
    known = {
        letter: (block.shape, column[flow.source]) for letter, column in (("g", trace.bars[key]), ("z", trace.values))
    }
    for letter, operand in zip(OPERANDS, block.operands, strict=False):
        values = trace.values.get(operand.block)
        if values is not None:
            known[letter] = orient(trace.block(operand.block).shape, values, operand.is_transposed)
    for name, texts in block.row.slips.items():
        text = block.row.filled(texts, block.call)[min(flow.position, len(texts) - 1)]
        try:
            wrong = evaluate_formula(text, known)
        except AdcliError:
            continue
        shape, entries = orient(*wrong, block.operands[flow.position].is_transposed)
        if shape == target.shape:
            alternatives += [(name, entries), (name, [-x for x in entries])]
    return alternatives


def evaluate_formula(text: str, known: Mapping[str, tuple[Shape, Sequence[float]]]) -> tuple[Shape, list[float]]:
    """Return (shape, entries) of the last output of the formula `text`.

    `known` has arrays as (shape, entries row by row) by name. Raises AdcliError if `text` is not a formula, a name is
    unknown, or shapes do not fit. Entries without a value are nan or infinite.
    """
    program = read_arrays(Source(text), {name: shape for name, (shape, _) in known.items()})
    return evaluate_output(program, FLOAT, known)


def inputs_of(program: ArrayProgram, known: Mapping[str, tuple[Shape, Sequence[T]]]) -> dict[int, T]:
    """Return the entries of the inputs by slot; `known` has them as (shape, entries row by row) by name."""
    blocks = program.inputs.values()
    return {slot: x for block in blocks for slot, x in zip(block.slots, known[block.name][1], strict=True)}


def evaluate_output(
    program: ArrayProgram, m: Evaluating[T], known: Mapping[str, tuple[Shape, Sequence[T]]]
) -> tuple[Shape, list[T]]:
    """Return (shape, entries) of the last output of a program in the arithmetic `m`.

    `known` has the inputs as (shape, entries row by row) by name, and may have more (KeyError if an input is missing,
    ValueError for a wrong number of entries; the shapes in it are not looked at).
    """
    values = evaluate(program.program.graph, m, inputs_of(program, known))
    shape, slots = program.outputs[-1][1].of(program.blocks)
    return shape, [values[slot] for slot in slots]


def _add(bars: dict[int, list[float]], number: int, entries: list[float]) -> None:
    """Add `entries` to the adjoint of block `number` in `bars`."""
    bars[number] = [x + y for x, y in zip(bars[number], entries, strict=True)] if number in bars else entries


def append_contribution(so_far: str, formula: Formula) -> Formula:
    """Return a sum so far with another contribution, whose minus sign becomes the sign between them."""
    positive = without_minus(formula)
    return join(so_far, " + ", formula) if positive is None else join(so_far, f" {MINUS} ", positive)


# --- formulas of blocks -----------------------------------------------------------------------------------------------


def name_of(block: ArrayBlock, accent: str = "") -> ArrayName:
    """Return the name of a block for formulas; of a constant its text."""
    if block.literal is not None:
        return ArrayName(block.literal, is_number=True)
    return ArrayName(block.name, accent, is_array=bool(block.shape))


def formula(blocks: Sequence[ArrayBlock], number: int) -> Formula:
    """Return the formula of a block in the names of its operands."""
    return write_formula(value_tree(blocks, blocks[number]), letter_names(blocks, blocks[number]))


def adjoint_formula(blocks: Sequence[ArrayBlock], number: int, position: int) -> Formula:
    """Return the contribution of block `number` to the adjoint of its operand at `position`, in the names of the
    program.

    Without a formula in the table, or if it is a list of more than 16 entries, it is `v̄1 ∂v1/∂x`. `blocks` are those
    of the program.
    """
    block = blocks[number]
    tree = adjoint_tree(blocks, number, position)
    inside = tree.operands[0] if tree is not None and tree.operation == "transpose" else tree
    if tree is not None and inside is not None and len(inside.operands) <= _MOST_LISTED:
        return write_formula(tree, letter_names(blocks, block))
    slope = write_partial(block.name, blocks[block.operands[position].block].name)
    return join(label(name_of(block, "bar")), " ", slope)


def letter_names(blocks: Sequence[ArrayBlock], block: ArrayBlock) -> dict[str, ArrayName]:
    """Return the names of the operands of a block by letter; `g` is its adjoint and `z` the block itself."""
    names = {letter: name_of(blocks[operand.block]) for letter, operand in zip(OPERANDS, block.operands, strict=False)}
    return names | {"g": name_of(block, "bar"), "z": name_of(block)}
