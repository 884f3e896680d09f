"""Blocks: named groups of slots of the scalar graph, one for each array: an input, a constant, or an array operation. A
slot is the number of a node of that graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ..errors import RequestError, Source, Span
from ..graph.graph import Constant, Graph
from ..language.program import Program
from ..records import NamedTuple
from ..table.primitive import ROWS
from ..typings import override
from .array_rows import OPERANDS, ArrayRow
from .formula_trees import FormulaTree, substitute, transpose, tree_of, with_transposes
from .lowering import RowCall, orient
from .shapes import Shape, places, split

MOST_OPERATIONS = 100_000


class ArrayOperand(NamedTuple):
    """An operand of a block: the number of the block that it is, and whether it is transposed."""

    block: int
    is_transposed: bool = False

    def of(self, blocks: Sequence[ArrayBlock]) -> tuple[Shape, list[int]]:
        """Return (shape, slots row by row) of the operand, which is one of `blocks`."""
        return orient(blocks[self.block].shape, blocks[self.block].slots, self.is_transposed)


class EntryProgram(Program):
    """The scalar program of a program of arrays, whose text is not in the language of numbers."""

    determinants: Mapping[tuple[int, int], tuple[str, str]] = MappingProxyType({})

    @override
    def unnamed_arguments(self) -> dict[tuple[int, int], tuple[str, str]]:
        """Return {(start, end) of an inverse, a solution or a logdet: (title of its error, `det(A)`)}."""
        return {**self.determinants}

    @override
    def argument_places(self) -> dict[tuple[str, int, int], list[tuple[int, int]]]:
        """Return {}: an operation on entries has the place of the operation on arrays."""
        return {}


class ArrayBlock:
    """One array: an input, a constant, or an array operation with the slots of its entries.

    name         the name that people read; "" for a constant
    row          the array row; None for an input or a number
    call         shapes and other data of the operation
    operands     the blocks that it takes, in the order of the row
    shape        the shape of the result
    slots        the slot of each entry of the result, row by row
    first, last  the range of slots that the operation has added to the graph, `last` excluded
    edges        for each of these slots its parents as codes: a slot, or -1 - k for entry k of all operands together
    sources      the same codes for the entries of the block itself
    literal      the text of a number, else None
    user_named   whether the program assigns the name
    span         the place in the text (start, end), end excluded
    """

    def __init__(
        self, row: ArrayRow | None, call: RowCall, operands: Sequence[ArrayOperand], shape: Shape, span: tuple[int, int]
    ) -> None:
        """Make a block without a name and slots, which the builder fills in.

        `row` is None for an input or a number, `call` has the shapes of the operands, `shape` is that of the result,
        `span` the place in the text.
        """
        self.name = ""
        self.row, self.call, self.operands, self.shape, self.span = row, call, tuple(operands), shape, span
        self.slots: list[int] = []
        self.first = self.last = 0
        self.edges: list[tuple[int, ...]] = []
        self.sources: list[int] = []
        self.literal: str | None = None
        self.user_named = False

    @property
    def is_constant(self) -> bool:
        """Return whether the block has no operands and is not an input: a number, or ones, zeros and eye."""
        return self.literal is not None or (self.row is not None and self.row.arity == 0)

    @property
    def is_input(self) -> bool:
        return self.row is None and self.literal is None


class SlotMaker:
    """A maker of the slots of one block: a `Scalars` whose entries are codes (see `ArrayBlock.edges`).

    `flat` are the slots of all operands together, `span` is the place in the text.
    """

    def __init__(self, builder: BlockBuilder, flat: Sequence[int], span: tuple[int, int]) -> None:
        self.builder, self.flat, self.span = builder, flat, span
        self.edges: list[tuple[int, ...]] = []

    def apply(self, name: str, *entries: int) -> int:
        """Append the function `name` of the table, applied to `entries`, to the graph, and return its slot.

        `entries` are codes: a slot, or ~k for entry k of the operands; they are appended to `edges` as one tuple.
        Raises RequestError if the graph then has more than 100,000 slots besides those of the inputs.
        """
        graph = self.builder.graph
        slot = graph.apply(ROWS[name], tuple([code if code >= 0 else self.flat[~code] for code in entries]), self.span)
        self.edges.append(entries)
        if slot > self.builder.most:
            raise RequestError(
                f"the problem has more than {MOST_OPERATIONS:,} operations on numbers",
                Span(*self.span, self.builder.source), help="use smaller arrays, or adcli.python.grad",
            )  # fmt: skip
        return slot

    def number(self, text: str) -> int:
        self.edges.append(())
        return self.builder.graph.constant(Constant(text), self.span)


class BlockBuilder:
    """A scalar graph under construction with its blocks; `source` is the program's.

    With `shares` equal operations are one block.
    """

    def __init__(self, source: Source, shares: bool) -> None:
        self.source, self.shares = source, shares
        self.graph = Graph()
        self.blocks: list[ArrayBlock] = []
        self.most = MOST_OPERATIONS
        self._known: dict[object, int] = {}

    def input(self, name: str, shape: Shape, span: tuple[int, int]) -> int:
        """Append a block of this `shape` for the input `name` and return its number.

        Its slots are named by entry, `W[1,2]`, or `t` for a number; they do not count against the limit of operations.
        `span` is the place in the text.
        """
        block = ArrayBlock(None, RowCall(()), (), shape, span)
        block.name = name
        block.slots = [self.graph.input(name + place, span) for place in places(shape)]
        self.most += len(block.slots)
        self.blocks.append(block)
        return len(self.blocks) - 1

    def determinants(self) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
        """Yield (span, (title of the error, `det(A)`)) for each block without a value if a determinant is 0, such as an
        inverse.

        A is the name of the matrix or, if it has none, its text in the source.
        """
        for block in self.blocks:
            if block.row is not None and block.row.singular:
                matrix = self.blocks[block.operands[0].block]
                is_named = matrix.is_input or matrix.user_named
                name = matrix.name if is_named else self.source.text[slice(*matrix.span)]
                yield block.span, (block.row.singular.format(name), f"det({name})")

    def number(self, text: str, span: tuple[int, int], named: bool = False) -> int:
        """Append a constant as a new block, also if there is an equal one, and return the position of the block.

        `text` are the digits. If `named`, `text` is the name of a constant such as pi. `span` is the place in the text.
        """
        block = ArrayBlock(None, RowCall(()), (), (), span)
        block.literal = text
        block.slots = [self.graph.constant(Constant(text, named), span)]
        self.blocks.append(block)
        return len(self.blocks) - 1

    def shape(self, operand: ArrayOperand) -> Shape:
        return operand.of(self.blocks)[0]

    def apply(self, row: ArrayRow, call: RowCall, operands: Sequence[ArrayOperand], span: tuple[int, int]) -> int:
        """Append a block for the operation `row` on `operands`, and return its number.

        With `shares`, an operation with the same row, `call` and operands is not repeated: the number of the earlier
        block is returned. `call` has the shapes of the operands, `span` is the place in the text. Raises Misfit if the
        shapes do not fit, RequestError beyond 100,000 operations on numbers, which stay in the graph.
        """
        key = (row.name, call, tuple(operands))
        if self.shares and key in self._known:
            return self._known[key]
        block = ArrayBlock(row, call, operands, row.result(call), span)
        lists = [operand.of(self.blocks)[1] for operand in operands]
        flat = [slot for entries in lists for slot in entries]
        codes = split([~k for k in range(len(flat))], [len(entries) for entries in lists])
        maker = SlotMaker(self, flat, span)
        block.first = len(self.graph)
        block.sources = row.lower(maker, call, codes)
        block.last = len(self.graph)
        block.edges = maker.edges
        block.slots = [code if code >= 0 else flat[~code] for code in block.sources]
        self.blocks.append(block)
        self._known[key] = len(self.blocks) - 1
        return self._known[key]


# --- formulas: their leaves are a, b, … for the operands, g for the adjoint of the block, z for its value -------------


def value_tree(blocks: Sequence[ArrayBlock], block: ArrayBlock) -> FormulaTree:
    """Return the formula of a block, which is not an input: its leaves are a, b, … for the operands in order; arrays
    without operands, such as ones(3), are substituted.
    """
    assert block.row is not None  # an input has no formula  # noqa: S101
    return _in_letters(blocks, block, block.row.written(block.call))


def adjoint_tree(blocks: Sequence[ArrayBlock], number: int, position: int) -> FormulaTree | None:
    """Return the formula of the contribution of block `number` to the adjoint of its operand at `position`.

    Its leaves are a, b, … for the operands of the block in order, g for the adjoint of the block and z for its value.
    An operand that the block uses transposed is transposed in it, one without operands, such as ones(3), written out.
    The whole is transposed if the block uses the operand at `position` transposed. None if the table has no formula for
    it. The block must be an operation, not an input. `blocks` are those of the program.
    """
    block = blocks[number]
    assert block.row is not None  # an input has no contributions  # noqa: S101
    text = block.row.adjoint_texts(block.call)[position]
    return _in_letters(blocks, block, text, block.operands[position].is_transposed) if text else None


def _in_letters(blocks: Sequence[ArrayBlock], block: ArrayBlock, text: str, is_transposed: bool = False) -> FormulaTree:
    """Return the formula `text` of the row of a block in letters of its operands; its transpose if `is_transposed`.

    An operand that the block uses transposed is transposed in the formula. An operand that is an array without
    operands, such as ones(3), is substituted. g and z are numbers if the block is a number. `blocks` are those of the
    program.
    """
    operands = list(zip(OPERANDS, block.operands, strict=False))
    transposes = frozenset([letter for letter, operand in operands if operand.is_transposed])
    scalars = frozenset([letter for letter, operand in operands if not blocks[operand.block].shape])
    if not block.shape:
        scalars |= {"g", "z"}
    tree = with_transposes(tree_of(text), transposes, scalars)
    if is_transposed:
        tree = transpose(tree, scalars)
    constants = {}
    for letter, operand in operands:
        source = blocks[operand.block]
        if source.row is not None and source.row.arity == 0:
            constants[letter] = tree_of(source.row.written(source.call))
    return substitute(tree, constants)
