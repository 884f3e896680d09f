"""Contractions: rules for products of arrays that sum over axes (`@`, dot, tensordot, einsum), and cross and kron."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import EllipsisType

from ...numbers.numpy_arrays import np
from ...typings import TypeAlias
from ..core.array_parts import fit
from ..core.containers import Tree
from ..core.evaluation import Differentiable, multilinear
from ..core.traced import Array, Function, Value, as_array, shape
from .rearranging import by_name, inverse, mirror

# The axes that are summed over: their number (last of one array, first of the other), or one or several of each.
Contracted: TypeAlias = int | tuple[int | Sequence[int], int | Sequence[int]]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _matmul_pull(k: int, g: Array, z: Array, a: Array, b: Array) -> Value:
    """Return the adjoint of a (k = 0) or b (k = 1), in its shape, for the adjoint `g` of a @ b.

    A vector counts as a row (a) or a column (b); axes along which stacks of matrices were broadcast are summed. The
    other factor is transposed, but not conjugated.
    """
    left, right = shape(a), shape(b)
    if len(left) == 1:
        a, g = np.reshape(a, (1, -1)), np.expand_dims(g, -1 if len(right) == 1 else -2)
    if len(right) == 1:
        b, g = np.reshape(b, (-1, 1)), np.expand_dims(g, -1)
    adjoint = fit(np.matmul(g, mirror(b)) if k == 0 else np.matmul(mirror(a), g), a if k == 0 else b)
    own_shape = left if k == 0 else right
    return adjoint if shape(adjoint) == own_shape else np.reshape(adjoint, own_shape)


_MATMUL = multilinear("matmul", lambda a, b: np.matmul(a, b), _matmul_pull)


def _axes(a: Array, b: Array, axes: Contracted) -> tuple[list[int], list[int]]:
    """Return the contracted axes of a and of b, counted from the front."""
    m, n = len(shape(a)), len(shape(b))
    if isinstance(axes, int):
        return list(range(m - axes, m)), list(range(axes))
    left, right = ([x] if isinstance(x, int) else list(x) for x in axes)
    return [x % m for x in left], [x % n for x in right]


def _tensordot_pull(k: int, g: Array, z: Array, a: Array, b: Array, axes: Contracted) -> Array:
    """Return the adjoint of a (k = 0) or b (k = 1), in its order of axes, for the adjoint `g` of tensordot(a, b, axes).

    `axes` is as in NumPy: the number of contracted axes, or the axes of a and those of b.
    """
    left, right = _axes(a, b, axes)
    free = [x for x in range(len(shape(a))) if x not in left], [x for x in range(len(shape(b))) if x not in right]
    split = len(free[0])
    if k == 0:
        adjoint = np.tensordot(g, b, axes=(list(range(split, len(shape(g)))), free[1]))
        order = [*free[0], *(left[right.index(x)] for x in sorted(right))]
    else:
        adjoint = np.tensordot(a, g, axes=(free[0], list(range(split))))
        order = [*(right[left.index(x)] for x in sorted(left)), *free[1]]
    return adjoint if order == sorted(order) else np.transpose(adjoint, inverse(order))


_TENSORDOT = multilinear("tensordot", lambda a, b, axes: np.tensordot(a, b, axes=axes), _tensordot_pull)


def matmul(a: Value, b: Value, /) -> Value:
    """Return `a @ b`: matrices along the last two axes, stacks of them along the others; a vector gives up its axis."""
    return _MATMUL(as_array(a), as_array(b))


def tensordot(a: Value, b: Value, /, axes: Contracted = 2) -> Value:
    """Return the sum of products over some axes of both: in the shape of the other axes of a, then those of b."""
    return _TENSORDOT(as_array(a), as_array(b), axes=axes)


def dot(a: Array, b: Array, /) -> Value:
    """Return the sum of products over the last axis of a and the last but one of b (the only one of a vector b).

    If a or b is a number, return the product. Raises ValueError, as NumPy does, if the lengths of the two axes differ.
    """
    m, n = len(shape(a)), len(shape(b))
    if not m or not n:
        return a * b
    return _MATMUL(a, b) if m <= 2 and n <= 2 else _TENSORDOT(a, b, axes=([m - 1], [max(n - 2, 0)]))


def inner(a: Array, b: Array, /) -> Value:
    """Return the sum of products over the last axis of both: in the shape of the other axes of a, then those of b."""
    if not shape(a) or not shape(b):
        return a * b
    return _TENSORDOT(a, b, axes=([len(shape(a)) - 1], [len(shape(b)) - 1]))


def vdot(a: Value, b: Value, /) -> Value:
    """Return the sum of the products of all numbers, those of a conjugated: a number."""
    return dot(np.conjugate(np.ravel(a)), np.ravel(b))


def outer(a: Value, b: Value, /) -> Value:
    """Return the products of each number of a with each of b: one row for each number of a."""
    return np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))


def vecdot(a: Value, b: Value, /, axis: int = -1) -> Value:
    """Return the sums of the products of the conjugate of a with b along an axis; ValueError for numbers."""
    a, b = as_array(a), as_array(b)
    if not shape(a) or not shape(b):
        raise ValueError("vecdot takes arrays with an axis")
    return np.sum(np.conjugate(np.moveaxis(a, axis, -1)) * np.moveaxis(b, axis, -1), axis=-1)


def matvec(a: Value, b: Value, /) -> Value:
    """Return each matrix of a times each vector of b."""
    return np.matmul(a, np.expand_dims(as_array(b), -1))[..., 0]


def vecmat(a: Value, b: Value, /) -> Value:
    """Return the conjugate of each vector of a times each matrix of b."""
    return np.matmul(np.conjugate(np.expand_dims(as_array(a), -2)), b)[..., 0, :]


def kron(a: Array, b: Array, /) -> Value:
    """Return the Kronecker product: copies of b, each times the number of a in its place.

    Missing axes of the array with fewer are added in front, with length 1; lengths are multiplied axis by axis.
    """
    most = max(len(shape(a)), len(shape(b)))
    left = (1,) * (most - len(shape(a))) + shape(a)
    right = (1,) * (most - len(shape(b))) + shape(b)
    spread = np.reshape(a, [n for length in left for n in (length, 1)])
    product = spread * np.reshape(b, [n for length in right for n in (1, length)])
    return np.reshape(product, [m * n for m, n in zip(left, right, strict=True)])


def _in_space(x: Array, axis: int) -> bool:
    """Return whether x has the axis and its length is 3."""
    dimensions = len(shape(x))
    return -dimensions <= axis < dimensions and shape(x)[axis] == 3


def _last(x: Array, axis: int) -> Array:
    return x if axis in (-1, len(shape(x)) - 1) else np.moveaxis(x, axis, -1)


_CROSS: Differentiable = multilinear(
    "cross", lambda a, b: np.cross(a, b),
    lambda k, g, z, a, b: fit(_CROSS(b, g) if k == 0 else _CROSS(g, a), (a, b)[k]),
)  # fmt: skip


def cross(a: Array, b: Array, /, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """Return the cross products of the vectors along an axis.

    If both have 2 components, only the third components of the products are returned, without an axis for them. A
    missing third component counts as 0. `axisa`, `axisb` and `axisc` are the axes of a, b and the result; `axis`
    replaces all three. Other axes broadcast. Raises ValueError unless the vectors have 2 or 3 components.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    if shape(a) and shape(b) and _in_space(a, axisa) and _in_space(b, axisb):
        product = _CROSS(_last(a, axisa), _last(b, axisb))
        return product if axisc == -1 else np.moveaxis(product, -1, axisc)
    a, b = np.moveaxis(a, axisa, 0), np.moveaxis(b, axisb, 0)
    if not {len(a), len(b)} <= {2, 3}:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    third = a[0] * b[1] - a[1] * b[0]
    if len(a) == len(b) == 2:
        return third
    a3, b3 = (x[2] if len(x) == 3 else 0.0 for x in (a, b))
    parts = [a[1] * b3 - a3 * b[1], a3 * b[0] - a[0] * b3, third]
    return np.moveaxis(np.stack([np.broadcast_to(part, shape(third)) for part in parts]), 0, axisc)


# --- einsum -----------------------------------------------------------------------------------------------------------


def einsum(*operands: Tree, order: str = "K") -> Value:
    """Return `numpy.einsum(*operands)`: the notation as text and arrays, or arrays and lists of axis numbers in turn.

    Blanks in the notation do not count. `order`, the memory layout, is ignored; options such as `optimize` are not
    parameters. Raises ValueError if the notation is not for as many arrays.
    """
    if isinstance(operands[0], str):
        text, arrays = operands[0].replace(" ", ""), list(operands[1:])
    else:
        text, arrays = _convert_lists(operands)
    arrays = [as_array(a) for a in arrays]
    terms, result = _explicit_letters(text, [len(shape(a)) for a in arrays])
    return _EINSUM(*arrays, terms=tuple(terms), result=result)


def _convert_lists(operands: Sequence[Tree]) -> tuple[str, list[Value]]:
    """Return (text such as "ab,bc->ac", the arrays) for einsum's other notation.

    `operands` are array, list of axis numbers, array, list, …, and perhaps the list of the result. Axis number k is the
    k-th letter of a–z, A–Z, from 0 (IndexError from 52 on); Ellipsis is "...". Without a result list the text has no
    "->".
    """

    def word(labels: Iterable[int | EllipsisType]) -> str:
        return "".join("..." if isinstance(label, EllipsisType) else _LETTERS[label] for label in labels)

    pairs = len(operands) // 2
    text = ",".join(word(operands[2 * k + 1]) for k in range(pairs))
    if len(operands) % 2:
        text += "->" + word(operands[-1])
    return text, [operands[2 * k] for k in range(pairs)]


def _explicit_letters(text: str, dimensions: Sequence[int]) -> tuple[list[str], str]:
    """Return (the letters of each array, the letters of the result) of the notation `text`.

    `...` is replaced by unused letters. `dimensions` are the numbers of axes of the arrays; the axes of `...` are
    aligned at the right. Without `->` the result has the axes of `...` and then, sorted, the letters that occur once.
    Raises ValueError if the number of terms is not that of arrays.
    """
    inputs, arrow, result = text.partition("->")
    terms = inputs.split(",")
    unused = [letter for letter in _LETTERS if letter not in text]
    widest = max(
        (n - len(t.replace("...", "")) for t, n in zip(terms, dimensions, strict=True) if "..." in t), default=0
    )
    rest = "".join(unused[:widest])
    terms = [
        t.replace("...", rest[widest - (n - len(t) + 3) :] if "..." in t else "")
        for t, n in zip(terms, dimensions, strict=True)
    ]
    if arrow:
        return terms, result.replace("...", rest)
    letters = "".join(terms)
    return terms, rest + "".join(sorted(x for x in set(letters) - set(rest) if letters.count(x) == 1))


def _einsum_pull(k: int, g: Array, z: Array, *arrays: Array, terms: tuple[str, ...], result: str) -> Value | None:
    """Return the adjoint of array k, in its shape: the einsum of the adjoint `g` with all other arrays; never None.

    `terms` are the letters of the axes of each array, `result` those of z. A letter that occurs only in array k is
    spread by ones; a repeated letter (a diagonal) gets an identity matrix. Axes of length 1 that were broadcast are
    summed; nothing is conjugated.
    """
    sizes: dict[str, int] = {}
    for term, array in zip(terms, arrays, strict=True):
        for letter, length in zip(term, shape(array), strict=True):
            sizes[letter] = max(length, sizes.get(letter, 1)) if length else 0
    unused = (letter for letter in _LETTERS if letter not in "".join(terms))
    others = [(t, a) for position, (t, a) in enumerate(zip(terms, arrays, strict=True)) if position != k]
    known = set(result).union(*(t for t, _ in others))
    letters = ""
    for letter in terms[k]:
        if letter in letters:  # a diagonal: the adjoint goes back to it alone
            second = next(unused)
            others.append((letter + second, np.eye(sizes[letter])))
            letters += second
        else:
            if letter not in known:
                others.append((letter, np.ones(sizes[letter])))
            letters += letter
    adjoint = _EINSUM(g, *(a for _, a in others), terms=(result, *(t for t, _ in others)), result=letters)
    return fit(adjoint, arrays[k])


_EINSUM = multilinear(
    "einsum", lambda *arrays, terms, result: np.einsum(f"{','.join(terms)}->{result}", *arrays), _einsum_pull
)


RULES: Mapping[str, Function] = {
    **by_name(dot, inner, outer, vdot, tensordot, kron, einsum, cross),
    **by_name(vecdot, tensordot, matmul, outer, cross, module="linalg."),
}
