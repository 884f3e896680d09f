"""Lowering of array operations: each entry of a result as arithmetic on the entries of the operands. A lowering gets a
`Scalars`, which makes operations on entries, the call (the shapes of the operands and other data), and the entries of
each operand, row by row; it returns those of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial, reduce
from itertools import combinations
from itertools import product as pairs_of

from ..records import NamedTuple
from ..typings import Protocol, TypeVar
from .shapes import Shape, size, transpose_shape

X = TypeVar("X")


class Scalars(Protocol[X]):
    """A maker of entries: `apply` appends a function of the table by name, `number` a constant from its text."""

    def apply(self, name: str, *entries: X) -> X: ...

    def number(self, text: str) -> X: ...


Minor = Callable[[tuple[int, ...], tuple[int, ...]], X]  # rows and columns to the determinant of their entries


class RowCall(NamedTuple):
    """One use of an array row.

    shapes    the shapes of its operands
    extra     whole numbers: an exponent, an index, sizes
    literals  the texts of operands that are literals, None for others; empty if none is
    function  the name of the function for `map`, else empty
    """

    shapes: tuple[Shape, ...]
    extra: tuple[int, ...] = ()
    literals: tuple[str | None, ...] = ()
    function: str = ""


def total(s: Scalars[X], entries: Sequence[X]) -> X:
    """Return the sum of the entries, from left to right."""
    return reduce(partial(s.apply, "add"), entries)


def fold(s: Scalars[X], name: str, entries: Sequence[X]) -> X:
    """Return an associative function of two numbers applied to all entries, in a balanced tree."""
    level = list(entries)
    while len(level) > 1:
        pairs = [s.apply(name, level[k], level[k + 1]) for k in range(0, len(level) - 1, 2)]
        level = pairs + level[len(pairs) * 2 :]
    return level[0]


def spread(entries: Sequence[X], shape: Shape, result: Shape) -> list[X]:
    """Return the entries of an operand for each entry of the result: a number everywhere, a vector in each row."""
    if shape == result:
        return list(entries)
    return [*entries] * result[0] if shape else [entries[0]] * size(result)


@cache
def transposition(shape: Shape) -> tuple[int, ...]:
    """Return, for each entry of the transpose of an array of this shape, the place of that entry in the array."""
    rows, columns = as_matrix(shape)
    return tuple([i * columns + j for j in range(columns) for i in range(rows)])


def transpose_entries(entries: Sequence[X], shape: Shape) -> list[X]:
    """Return the entries of the transpose of an array of this shape."""
    return [entries[k] for k in transposition(shape)]


def orient(shape: Shape, entries: Sequence[X], is_transposed: bool) -> tuple[Shape, list[X]]:
    """Return (shape, entries) of an array as it is, or of its transpose if `is_transposed`."""
    return (transpose_shape(shape), transpose_entries(entries, shape)) if is_transposed else (shape, list(entries))


def as_matrix(shape: Shape) -> tuple[int, int]:
    """Return (rows, columns), a vector as one column and a number as 1×1."""
    return (shape[0], shape[1]) if len(shape) == 2 else (shape[0], 1) if shape else (1, 1)


def product(s: Scalars[X], left: Sequence[X], right: Sequence[X], sizes: tuple[int, int, int]) -> list[X]:
    """Return the entries, row by row, of the product of two matrices of `sizes` (rows, inner size, columns).

    `left` and `right` are the entries row by row; each entry of the result is the sum, from left to right, of products
    made by `s.apply`.
    """
    rows, inner, columns = sizes
    result = []
    for i in range(rows):
        row = left[i * inner : (i + 1) * inner]
        for j in range(columns):
            column = right[j::columns]
            result.append(total(s, [s.apply("mul", x, y) for x, y in zip(row, column, strict=True)]))
    return result


def matmul(s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    """Return the entries of a matrix product."""
    (rows, inner), (_, columns) = as_matrix(call.shapes[0]), as_matrix(call.shapes[1])
    return product(s, operands[0], operands[1], (rows, inner, columns))


def affine(s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    """Return the entries of `a b ± c`, or of `c ± a b` if `extra` is (1, …); `extra` is (c first, minus)."""
    first, minus = call.extra
    done = matmul(s, call, operands)
    addend = [*operands[2]] * (len(done) // len(operands[2]))
    pairs = zip(addend, done, strict=True) if first else zip(done, addend, strict=True)
    return [s.apply("sub" if minus else "add", x, y) for x, y in pairs]


def entrywise(name: str, result: Shape, s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    """Return a function of the table applied entry by entry, for a result of this shape."""
    columns = [spread(entries, shape, result) for entries, shape in zip(operands, call.shapes, strict=True)]
    return [s.apply(name, *entries) for entries in zip(*columns, strict=True)]


def power(s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    """Return the entries of a matrix raised to the whole number `extra[0]`, at least 1."""
    rows = call.shapes[0][0]
    result = list(operands[0])
    for _ in range(call.extra[0] - 1):
        result = product(s, result, operands[0], (rows, rows, rows))
    return result


def minors(s: Scalars[X], entries: Sequence[X], count: int) -> Minor[X]:
    """Return a function minor(rows, columns): the determinant of these rows and columns of a square matrix.

    `entries` are row by row, `count` is the number of rows. `rows` and `columns` are indices in ascending order,
    equally many and not empty. Each determinant is expanded once along its first row, with alternating signs, + first,
    and smaller ones come before larger ones. `s` makes the operations.
    """

    @cache
    def expand(rows: tuple[int, ...], columns: tuple[int, ...]) -> X:
        """Return the determinant of the entries in these rows and columns, expanded along the first row."""
        terms: list[X] = []
        for k, column in enumerate(columns):
            term = entries[rows[0] * count + column]
            if len(rows) > 1:
                term = s.apply("mul", term, expand(rows[1:], columns[:k] + columns[k + 1 :]))
            terms.append(s.apply("sub" if k % 2 else "add", terms[-1], term) if terms else term)
        return terms[-1]

    def minor(rows: tuple[int, ...], columns: tuple[int, ...]) -> X:
        parts = [part for length in range(1, len(rows) + 1) for part in combinations(columns, length)]
        return [expand(rows[-len(part) :], part) for part in parts][-1]

    return minor


def cofactors(s: Scalars[X], minor: Minor[X], count: int) -> Iterator[X]:
    """Yield the entries of the adjugate row by row: entry (i, j) is the cofactor of (j, i); the number 1 for 1×1."""
    every = range(count)
    for column, row in pairs_of(every, repeat=2):
        rows, columns = tuple([i for i in every if i != row]), tuple([j for j in every if j != column])
        entry = minor(rows, columns) if rows else s.number("1")
        yield s.apply("neg", entry) if (row + column) % 2 else entry


def determinant(s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    every = tuple(range(as_matrix(call.shapes[0])[0]))
    return [minors(s, operands[0], len(every))(every, every)]


def adjugate(s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    count = as_matrix(call.shapes[0])[0]
    return [*cofactors(s, minors(s, operands[0], count), count)]


def solution(s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    """Return the entries, row by row, of the solution z of a z = b by Cramer's rule.

    Without b they are the entries of the inverse of a. `operands` are the entries of a and b, row by row, `call` has
    their shapes; a must be square and fit b. Nothing is checked.
    """
    every = tuple(range(as_matrix(call.shapes[0])[0]))
    minor = minors(s, operands[0], len(every))
    below = minor(every, every)
    above = [*cofactors(s, minor, len(every))]
    if len(operands) > 1:
        above = product(s, above, operands[1], (len(every), len(every), as_matrix(call.shapes[1])[1]))
    return [s.apply("div", entry, below) for entry in above]


def rows_of(shape: Shape, entries: Sequence[X]) -> list[Sequence[X]]:
    """Return the rows of a matrix; a vector or a number is one row."""
    count = shape[1] if len(shape) == 2 else len(entries)
    return [entries[k : k + count] for k in range(0, len(entries), count)]


def log_sums(s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    return [fold(s, "logaddexp", row) for row in rows_of(call.shapes[0], operands[0])]


def softmax(s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    """Return exp(x − logsumexp x) for each entry, row by row."""
    result = []
    for row in rows_of(call.shapes[0], operands[0]):
        whole = fold(s, "logaddexp", row)
        result += [s.apply("exp", s.apply("sub", entry, whole)) for entry in row]
    return result


def squares(s: Scalars[X], entries: Sequence[X]) -> X:
    """Return the sum of the squares."""
    two = s.number("2")
    return total(s, [s.apply("pow", entry, two) for entry in entries])


def diagonal(s: Scalars[X], call: RowCall, operands: Sequence[Sequence[X]]) -> list[X]:
    """Return the entries, row by row, of the diagonal matrix of a vector, or the diagonal of a square matrix.

    `call.shapes[0]` decides, `operands[0]` are the entries; all zeros off the diagonal are one and the same number. `s`
    makes the zeros. A number is a vector of one entry.
    """
    shape, entries = call.shapes[0], operands[0]
    count = as_matrix(shape)[0]
    if len(shape) == 2:
        return [entries[i * count + i] for i in range(count)]
    zero = s.number("0")
    return [entries[i] if i == j else zero for i in range(count) for j in range(count)]


def filled(s: Scalars[X], shape: Shape, text: str, off: str | None = None) -> list[X]:
    """Return constants for an array of this shape; with `off` that constant everywhere but on the diagonal."""
    rows, columns = as_matrix(shape)
    on = s.number(text)
    other = on if off is None else s.number(off)
    return [on if i == j else other for i in range(rows) for j in range(columns)]
