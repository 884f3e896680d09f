"""Rules for products of arrays: `@`, dot, tensordot, einsum and what they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, TypeAlias

from ...numbers.numpy_arrays import np
from ..core.evaluation import Differentiable
from ..core.traced import as_array, fitted, shape
from .rearranging import inverse

if TYPE_CHECKING:
    from ..core.containers import Tree
    from ..core.traced import Array, Value

    # Which axes of two arrays are summed over: how many, or one or several of each.
    Contracted: TypeAlias = int | tuple[int | Sequence[int], int | Sequence[int]]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _swapped(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def _matmul_pull(k: int, g: Array, z: Array, a: Array, b: Array) -> Value:
    left, right = shape(a), shape(b)
    if len(left) == 1:
        a, g = np.reshape(a, (1, -1)), np.expand_dims(g, -1 if len(right) == 1 else -2)
    if len(right) == 1:
        b, g = np.reshape(b, (-1, 1)), np.expand_dims(g, -1)
    share = fitted(np.matmul(g, _swapped(b)) if k == 0 else np.matmul(_swapped(a), g), a if k == 0 else b)
    want = left if k == 0 else right
    return share if shape(share) == want else np.reshape(share, want)


_MATMUL: Differentiable = Differentiable(
    "matmul",
    lambda a, b: np.matmul(a, b),
    pull=_matmul_pull,
    push=lambda k, dot, z, a, b: _MATMUL(dot, b) if k == 0 else _MATMUL(a, dot),
)


def _axes(a: Array, b: Array, axes: Contracted) -> tuple[list[int], list[int]]:
    """The contracted axes of both arrays, counted from the front."""
    m, n = len(shape(a)), len(shape(b))
    if isinstance(axes, int):
        return list(range(m - axes, m)), list(range(axes))
    left, right = ([x] if isinstance(x, int) else list(x) for x in axes)
    return [x % m for x in left], [x % n for x in right]


def _tensordot_pull(k: int, g: Array, z: Array, a: Array, b: Array, axes: Contracted) -> Array:
    left, right = _axes(a, b, axes)
    free = [x for x in range(len(shape(a))) if x not in left], [x for x in range(len(shape(b))) if x not in right]
    split = len(free[0])
    if k == 0:
        share = np.tensordot(g, b, axes=(list(range(split, len(shape(g)))), free[1]))
        order = [*free[0], *(left[right.index(x)] for x in sorted(right))]
    else:
        share = np.tensordot(a, g, axes=(free[0], list(range(split))))
        order = [*(right[left.index(x)] for x in sorted(left)), *free[1]]
    return share if order == sorted(order) else np.transpose(share, inverse(order))


_TENSORDOT: Differentiable = Differentiable(
    "tensordot",
    lambda a, b, axes: np.tensordot(a, b, axes=axes),
    pull=_tensordot_pull,
    push=lambda k, dot, z, a, b, axes: _TENSORDOT(dot, b, axes=axes) if k == 0 else _TENSORDOT(a, dot, axes=axes),
)


def matmul(a: Value, b: Value, /) -> Value:
    """`a @ b`: matrices along the last two axes, stacks of them along the others; a vector gives up its axis."""
    return _MATMUL(as_array(a), as_array(b))


def tensordot(a: Value, b: Value, /, axes: Contracted = 2) -> Value:
    """The sum of products over some axes of both: in the shape of the other axes of a, then those of b."""
    return _TENSORDOT(as_array(a), as_array(b), axes=axes)


def dot(a: Value, b: Value, /) -> Value:
    """The sum of products over the last axis of a and the last but one of b, or the product with a number."""
    a, b = as_array(a), as_array(b)
    m, n = len(shape(a)), len(shape(b))
    if not m or not n:
        return a * b
    if m <= 2 and n <= 2:
        return _MATMUL(a, b)
    return _TENSORDOT(a, b, axes=([m - 1], [max(n - 2, 0)]))


def inner(a: Value, b: Value, /) -> Value:
    """The sum of products over the last axis of both: in the shape of the other axes of a, then those of b."""
    a, b = as_array(a), as_array(b)
    if not shape(a) or not shape(b):
        return a * b
    return _TENSORDOT(a, b, axes=([len(shape(a)) - 1], [len(shape(b)) - 1]))


def vdot(a: Value, b: Value, /) -> Value:
    """The sum of the products of all numbers, those of a conjugated: a number."""
    return dot(np.conjugate(np.ravel(a)), np.ravel(b))


def outer(a: Value, b: Value, /) -> Value:
    """The products of each number of a with each of b: one row for each number of a."""
    return np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))


def vecdot(a: Value, b: Value, /, axis: int = -1) -> Value:
    """The sums of the products of the conjugate of a with b along an axis."""
    a, b = as_array(a), as_array(b)
    if not shape(a) or not shape(b):
        raise ValueError("vecdot takes arrays with an axis")
    return np.sum(np.conjugate(np.moveaxis(a, axis, -1)) * np.moveaxis(b, axis, -1), axis=-1)


def matvec(a: Value, b: Value, /) -> Value:
    """Each matrix of a times each vector of b."""
    return np.matmul(a, np.expand_dims(as_array(b), -1))[..., 0]


def vecmat(a: Value, b: Value, /) -> Value:
    """The conjugate of each vector of a times each matrix of b."""
    return np.matmul(np.conjugate(np.expand_dims(as_array(a), -2)), b)[..., 0, :]


def kron(a: Value, b: Value, /) -> Value:
    """Copies of b, each times a number of a, where that number stands."""
    a, b = as_array(a), as_array(b)
    most = max(len(shape(a)), len(shape(b)))
    left = (1,) * (most - len(shape(a))) + shape(a)
    right = (1,) * (most - len(shape(b))) + shape(b)
    spread = np.reshape(a, [n for length in left for n in (length, 1)])
    product = spread * np.reshape(b, [n for length in right for n in (1, length)])
    return np.reshape(product, [m * n for m, n in zip(left, right, strict=True)])


def _in_space(x: Array, axis: int) -> bool:
    dimensions = len(shape(x))
    return -dimensions <= axis < dimensions and shape(x)[axis] == 3


def _last(x: Array, axis: int) -> Array:
    return x if axis in (-1, len(shape(x)) - 1) else np.moveaxis(x, axis, -1)


_CROSS: Differentiable = Differentiable(
    "cross", lambda a, b: np.cross(a, b),
    pull=lambda k, g, z, a, b: fitted(_CROSS(b, g) if k == 0 else _CROSS(g, a), (a, b)[k]),
    push=lambda k, dot, z, a, b: _CROSS(dot, b) if k == 0 else _CROSS(a, dot),
)  # fmt: skip


def cross(a: Value, b: Value, /, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """The vectors at right angles to those of a and b; of vectors in a plane how far they are turned."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_array(a), as_array(b)
    if shape(a) and shape(b) and _in_space(a, axisa) and _in_space(b, axisb):
        found = _CROSS(_last(a, axisa), _last(b, axisb))
        return found if axisc == -1 else np.moveaxis(found, -1, axisc)
    a, b = np.moveaxis(a, axisa, 0), np.moveaxis(b, axisb, 0)
    if not {len(a), len(b)} <= {2, 3}:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    turned = a[0] * b[1] - a[1] * b[0]
    if len(a) == len(b) == 2:
        return turned
    up, over = (x[2] if len(x) == 3 else 0.0 for x in (a, b))
    parts = [a[1] * over - up * b[1], up * b[0] - a[0] * over, turned]
    return np.moveaxis(np.stack([np.broadcast_to(part, shape(turned)) for part in parts]), 0, axisc)


# --- einsum -----------------------------------------------------------------------------------------------------------


def einsum(*operands: Tree, order: str = "K") -> Value:
    """As NumPy's, in both of its spellings; where the result lies in memory is no part of it."""
    if isinstance(operands[0], str):
        text, arrays = operands[0].replace(" ", ""), list(operands[1:])
    else:
        text, arrays = _spelled(operands)
    arrays = [as_array(a) for a in arrays]
    terms, result = _explicit(text, [len(shape(a)) for a in arrays])
    return _EINSUM(*arrays, terms=tuple(terms), result=result)


def _spelled(operands: Sequence[Tree]) -> tuple[str, list[Value]]:
    """The spelling by lists of whole numbers, as letters."""

    def word(labels: Iterable[int | EllipsisType]) -> str:
        return "".join("..." if isinstance(label, EllipsisType) else _LETTERS[label] for label in labels)

    pairs = len(operands) // 2
    text = ",".join(word(operands[2 * k + 1]) for k in range(pairs))
    if len(operands) % 2:
        text += "->" + word(operands[-1])
    return text, [operands[2 * k] for k in range(pairs)]


def _explicit(text: str, dimensions: Sequence[int]) -> tuple[list[str], str]:
    """The letters of every array and of the result, dots written out."""
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
    """The product of the adjoint with all other arrays; an index that occurs nowhere else is spread by ones."""
    sizes: dict[str, int] = {}
    for term, array in zip(terms, arrays, strict=True):
        for letter, length in zip(term, shape(array), strict=True):
            sizes[letter] = max(length, sizes.get(letter, 1)) if length else 0
    unused = (letter for letter in _LETTERS if letter not in "".join(terms))
    others = [(t, a) for position, (t, a) in enumerate(zip(terms, arrays, strict=True)) if position != k]
    known = set(result).union(*(t for t, _ in others))
    mine = ""
    for letter in terms[k]:
        if letter in mine:  # a diagonal: the adjoint goes back to it alone
            twin = next(unused)
            others.append((letter + twin, np.eye(sizes[letter])))
            mine += twin
        else:
            if letter not in known:
                others.append((letter, np.ones(sizes[letter])))
            mine += letter
    share = _EINSUM(g, *(a for _, a in others), terms=(result, *(t for t, _ in others)), result=mine)
    return fitted(share, arrays[k])


def _einsum_push(k: int, dot: Array, z: Array, *arrays: Array, terms: tuple[str, ...], result: str) -> Value:
    return _EINSUM(*arrays[:k], dot, *arrays[k + 1 :], terms=terms, result=result)


_EINSUM: Differentiable = Differentiable(
    "einsum",
    lambda *arrays, terms, result: np.einsum(f"{','.join(terms)}->{result}", *arrays),
    pull=_einsum_pull,
    push=_einsum_push,
)


def handlers() -> dict[str, Callable[..., Value]]:
    """The functions by NumPy's names."""
    return {rule.__name__: rule for rule in (dot, inner, outer, vdot, tensordot, kron, einsum, cross)}
