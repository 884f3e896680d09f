"""Shapes of arrays, and the errors of operands that do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from math import prod

from ..typings import TypeAlias, TypeVar

Shape: TypeAlias = tuple[int, ...]  # () for a number, (n,) for a vector, (rows, columns) for a matrix
X = TypeVar("X")


class Misfit(Exception):
    """Raised for operands whose shapes do not fit an operation.

    `title` and `help` have {0}, {1} for the operands as typed and {s0}, {s1} for their shapes in words; `blame` are the
    positions of the one or two operands to underline, and `label` is the text written there instead of the shape.
    """

    def __init__(
        self, title: str, help: str = "", blame: tuple[int, ...] = (0, 1), label: str = ""
    ) -> None:  # fmt: skip
        super().__init__(title)
        self.title, self.help, self.blame, self.label = title, help, blame, label


def size(shape: Shape) -> int:
    """Return the number of entries of an array of this shape."""
    return prod(shape)


def format_shape(shape: Shape) -> str:
    """Return a shape as tables show it: `[2]`, `[2×3]`, empty for a number."""
    return f"[{'×'.join(map(str, shape))}]" if shape else ""


def shape_in_words(shape: Shape) -> str:
    """Return a predicate that says a shape: `is a number`, `has 1 entry`, `has 3 entries`, `is 2×3`."""
    if len(shape) == 2:
        return f"is {shape[0]}×{shape[1]}"
    return f"has {shape[0]} {'entry' if shape == (1,) else 'entries'}" if shape else "is a number"


def natural(shape: Shape) -> Shape:
    """Return the shape without last dimensions of 1: one column is a vector (n,), one entry a number ()."""
    while shape[-1:] == (1,):
        shape = shape[:-1]
    return shape


def transpose_shape(shape: Shape) -> Shape:
    """Return the shape of a transpose: a column becomes a row (1, n), and a row a column (n,)."""
    return (1, shape[0]) if len(shape) == 1 else natural(shape[::-1])


def places(shape: Shape) -> list[str]:
    """Return the index of each entry as names have it, row by row: `[1]`, `[2,3]`; one empty text for a number."""
    if not shape:
        return [""]
    indices = product(*[range(1, count + 1) for count in shape])
    return [f"[{','.join(map(str, index))}]" for index in indices]


def split(items: Sequence[X], lengths: Sequence[int]) -> list[list[X]]:
    """Return the items in rows of these lengths."""
    rest = iter(items)
    return [list(islice(rest, length)) for length in lengths]


# --- shape rules: the shapes of the operands to that of the result ----------------------------------------------------


SAME_SIZES = "give both the same shape"


def match_shapes(
    left: Shape,
    right: Shape,
    purpose: str = "for an operation entry by entry",
    other: str = ", or take a matrix product",
) -> Shape:
    """Return the shape of an operation entry by entry on operands of the shapes `left` and `right`.

    It is that of both or, if one operand is a number (), of the array; there is no other broadcasting. Raises Misfit if
    two arrays have different shapes; its title says the `purpose`, its help on a transposed operand ends with `other`.
    """
    if left == right or not left or not right:
        return left or right
    is_transposed = transpose_shape(left) == right
    advice = f"transpose one of them{other}" if is_transposed else _help_to_repeat(left, right)
    raise Misfit(f"{{0}} {{s0}} and {{1}} {{s1}}: {purpose}, both need the same shape", advice)


def _help_to_repeat(left: Shape, right: Shape) -> str:
    """Return the help on how to repeat a vector or row in each row or column of the other operand, a matrix.

    `left` and `right` are the shapes of both operands. `{0}` and `{1}` are the places of their texts: `write
    outer(ones(3), {1})`. A vector that fits both ways is repeated in each row. SAME_SIZES if it fits neither way.
    """
    for matrix, part, name in ((left, right, "{1}"), (right, left, "{0}")):
        if part in (matrix[1:], (1, *matrix[1:])):
            return f"to use {name} in each row, write outer(ones({matrix[0]}), {name}{'^T' * (len(part) == 2)})"
        if part == matrix[:1]:
            return f"to use {name} in each column, write outer({name}, ones({matrix[1]}))"
    return SAME_SIZES


def add_shapes(left: Shape, right: Shape) -> Shape:
    """Return the shape of a sum or difference of operands of the shapes `left` and `right`.

    A number is added to each entry, a vector to each row of a matrix. The vector, on either side, needs as many entries
    as the matrix has columns. Raises Misfit for any other two different shapes.
    """
    for matrix, vector in ((left, right), (right, left)):
        if len(matrix) == 2 and len(vector) == 1:
            if matrix[1] == vector[0]:
                return matrix
            advice = _help_to_repeat(left, right) if matrix[0] == vector[0] else f"the vector needs {matrix[1]} entries"
            raise Misfit("{0} {s0} and {1} {s1}: a vector is added to each row and needs as many entries", advice)
    return match_shapes(left, right, "to be added", "")


def of_columns(left: Shape, right: Shape) -> str:
    """Return how to write products of two columns."""
    if left != right:
        return "write {0} {1}^T for the matrix of all products"
    return "write {0}^T {1} for a number, {0} .* {1} entry by entry, {0} {1}^T for a matrix"


def multiply_shapes(left: Shape, right: Shape) -> Shape:
    """Return the shape of the matrix product of two arrays with the shapes `left` and `right`; a vector is a column.

    A matrix of one row times a vector is a number, (). A matrix times a vector is a vector. A vector times a matrix of
    one row is a matrix. A product of one column counts as a vector, of one entry as a number. Neither operand may be a
    number. Raises Misfit for two vectors, and if the inner sizes differ.
    """
    if len(left) == 1 and len(right) == 1:
        raise Misfit("{0} and {1} are both columns", of_columns(left, right))
    if len(left) == 1:
        if right[0] != 1:
            title = "{0} {s0} and {1} {s1}: a column times a matrix needs a matrix with one row"
            advice = "write {1} {0}" if left[0] == right[1] else "give {1} one row"
            raise Misfit(title, "write {0}^T {1}" if left[0] == right[0] else advice)
    elif left[1] != right[0]:
        fits = {"{0} {1}^T": left[1:] == right[1:], "{0}^T {1}": left[0] == right[0]}
        hint = " or ".join([text for text, holds in fits.items() if holds])
        needed = f"{left[1]} {'rows' if right[1:] else 'entries'}"
        title = f"{{0}} {{s0}} and {{1}} {{s1}}: for {{0}} {{1}}, {{1}} needs {needed}"
        raise Misfit(title, f"write {hint}" if hint else f"give {{1}} {needed}, or {{0}} {right[0]} columns")
    return natural((left[0], *right[1:]))


def square_size(shape: Shape, name: str, most: int | None = None) -> int:
    """Return the number of rows of a square matrix of this `shape`, for the function `name`; a number counts as 1×1.

    Raises Misfit if it is not square or has more than `most` rows (None: no limit).
    """
    if not shape:
        return 1
    if len(shape) != 2 or shape[0] != shape[1]:
        advice = "{0}^T {0} is always square" if len(shape) == 2 else "diag({0}) is a square matrix"
        raise Misfit(f"{{0}} {{s0}}: {name} needs a square matrix", advice, blame=(0,))
    if most is not None and shape[0] > most:
        raise Misfit(
            f"{{0}} {{s0}}, but {name} takes matrices up to {most}×{most}",
            f"for larger matrices use adcli.python.grad with numpy.linalg.{name if name != 'logdet' else 'slogdet'}",
            blame=(0,),
        )
    return shape[0]


def matrix(shape: Shape, name: str) -> Shape:
    """Return the shape if it is that of a matrix.  Raises Misfit."""
    if len(shape) != 2:
        raise Misfit(f"{{0}} {{s0}}: {name} needs a matrix", "sum adds all entries of a vector", blame=(0,))
    return shape


def vector_size(shape: Shape, name: str, position: int = 0) -> int:
    """Return the number of entries of a vector of this `shape`, 1 for a number.

    It is the operand at `position` of the function `name`. Raises Misfit for a matrix.
    """
    if len(shape) < 2:
        return size(shape)
    hint = "a row becomes a column with ^T" if shape[0] == 1 else "for matrices write A B^T"
    raise Misfit(f"{{{position}}} {{s{position}}}: {name} needs vectors", hint, blame=(position,))
