"""Rules for products of arrays: `@`, dot, tensordot, einsum and what they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..numbers.arrays import np
from .linear import as_array, inverse
from .operation import fitted
from .operations import Rule
from .values import shape

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _swapped(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _matmul_pull(k: int, g: Any, z: Any, a: Any, b: Any) -> Any:
    left, right = shape(a), shape(b)
    if len(left) == 1:
        a, g = np.reshape(a, (1, -1)), np.expand_dims(g, -1 if len(right) == 1 else -2)
    if len(right) == 1:
        b, g = np.reshape(b, (-1, 1)), np.expand_dims(g, -1)
    share = np.matmul(g, _swapped(b)) if k == 0 else np.matmul(_swapped(a), g)
    return np.reshape(fitted(share, a if k == 0 else b), left if k == 0 else right)


MATMUL: Rule = Rule(
    "matmul",
    lambda a, b: np.matmul(a, b),
    pull=_matmul_pull,
    push=lambda k, dot, z, a, b: MATMUL(dot, b) if k == 0 else MATMUL(a, dot),
)


def _axes(a: Any, b: Any, axes: Any) -> tuple[list[int], list[int]]:
    """The contracted axes of both arrays, counted from the front."""
    m, n = len(shape(a)), len(shape(b))
    if isinstance(axes, int):
        return list(range(m - axes, m)), list(range(axes))
    left, right = ([x] if isinstance(x, int) else list(x) for x in axes)
    return [x % m for x in left], [x % n for x in right]


def _tensordot_pull(k: int, g: Any, z: Any, a: Any, b: Any, axes: Any) -> Any:
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


TENSORDOT: Rule = Rule(
    "tensordot",
    lambda a, b, axes: np.tensordot(a, b, axes=axes),
    pull=_tensordot_pull,
    push=lambda k, dot, z, a, b, axes: TENSORDOT(dot, b, axes=axes) if k == 0 else TENSORDOT(a, dot, axes=axes),
)


def matmul(a: Any, b: Any, /) -> Any:
    return MATMUL(as_array(a), as_array(b))


def tensordot(a: Any, b: Any, /, axes: Any = 2) -> Any:
    return TENSORDOT(as_array(a), as_array(b), axes=axes)


def dot(a: Any, b: Any, /) -> Any:
    a, b = as_array(a), as_array(b)
    m, n = len(shape(a)), len(shape(b))
    if not m or not n:
        return a * b
    if m <= 2 and n <= 2:
        return MATMUL(a, b)
    return TENSORDOT(a, b, axes=([m - 1], [max(n - 2, 0)]))


def inner(a: Any, b: Any, /) -> Any:
    a, b = as_array(a), as_array(b)
    if not shape(a) or not shape(b):
        return a * b
    return TENSORDOT(a, b, axes=([len(shape(a)) - 1], [len(shape(b)) - 1]))


def vdot(a: Any, b: Any, /) -> Any:
    return dot(np.conjugate(np.ravel(a)), np.ravel(b))


def outer(a: Any, b: Any, /) -> Any:
    return np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))


def kron(a: Any, b: Any, /) -> Any:
    a, b = as_array(a), as_array(b)
    most = max(len(shape(a)), len(shape(b)))
    left = (1,) * (most - len(shape(a))) + shape(a)
    right = (1,) * (most - len(shape(b))) + shape(b)
    spread = np.reshape(a, [n for length in left for n in (length, 1)])
    product = spread * np.reshape(b, [n for length in right for n in (1, length)])
    return np.reshape(product, [m * n for m, n in zip(left, right, strict=True)])


# --- einsum -----------------------------------------------------------------------------------------------------------


def einsum(*operands: Any, order: str = "K") -> Any:
    """As NumPy's, in both of its spellings; where the result lies in memory is no part of it."""
    if isinstance(operands[0], str):
        text, arrays = operands[0].replace(" ", ""), list(operands[1:])
    else:
        text, arrays = _spelled(operands)
    arrays = [as_array(a) for a in arrays]
    terms, result = _explicit(text, [len(shape(a)) for a in arrays])
    return EINSUM(*arrays, terms=tuple(terms), result=result)


def _spelled(operands: Sequence[Any]) -> tuple[str, list[Any]]:
    """The spelling by lists of whole numbers, as letters."""

    def word(labels: Any) -> str:
        return "".join("..." if label is Ellipsis else _LETTERS[label] for label in labels)

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


def _einsum_pull(k: int, g: Any, z: Any, *arrays: Any, terms: tuple[str, ...], result: str) -> Any:
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
    share = EINSUM(g, *(a for _, a in others), terms=(result, *(t for t, _ in others)), result=mine)
    return fitted(share, arrays[k])


def _einsum_push(k: int, dot: Any, z: Any, *arrays: Any, terms: tuple[str, ...], result: str) -> Any:
    return EINSUM(*arrays[:k], dot, *arrays[k + 1 :], terms=terms, result=result)


EINSUM: Rule = Rule(
    "einsum",
    lambda *arrays, terms, result: np.einsum(f"{','.join(terms)}->{result}", *arrays),
    pull=_einsum_pull,
    push=_einsum_push,
)
