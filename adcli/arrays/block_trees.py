"""Trees of the formulas of blocks: of a value, and of contributions to adjoints; leaves are letters of the operands: a,
b, c, … in order, g for the adjoint of the block and z for its value.
"""

from __future__ import annotations

from collections.abc import Sequence

from .array_blocks import ArrayBlock
from .array_rows import OPERANDS
from .formula_trees import FormulaTree, substitute, transpose, tree_of, with_transposes


def value_tree(blocks: Sequence[ArrayBlock], block: ArrayBlock) -> FormulaTree:
    """Return the formula of a block, which is not an input: its leaves are a, b, … for the operands in order; arrays
    without operands, such as ones(3), are substituted.
    """
    assert block.row is not None  # an input has no formula  # noqa: S101
    return _in_letters(blocks, block, block.row.written(block.call))


def adjoint_tree(blocks: Sequence[ArrayBlock], number: int, position: int) -> FormulaTree | None:
    """Return the formula of the contribution of block `number` to the adjoint of its operand at `position`.

    Its leaves are a, b, … for the operands of the block in order, g for the adjoint of the block and z for its value.
    It is transposed if the block uses the operand transposed. None if the table has no formula for it. The block must
    be an operation, not an input. `blocks` are those of the program.
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
