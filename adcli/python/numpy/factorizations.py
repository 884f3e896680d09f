"""Factorizations and other linear algebra without inverses: QR, least squares, norms, products of many matrices.

Matrices may be stacked along leading axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ..core.array_parts import getitem
from ..core.evaluation import Differentiable
from ..core.traced import Traced, as_array, is_complex, shape
from ..core.unsupported import unsupported
from . import matrices
from .array_reductions import squares
from .matrices import dagger, several
from .rearranging import by_name, merge_axes, mirror, shape_with_kept_axes

if TYPE_CHECKING:
    from ..core.containers import Tree
    from ..core.traced import Array, Axis, Value


# --- decompositions ---------------------------------------------------------------------------------------------------


def qr(a: Array, /, mode: str = "reduced") -> Tree:
    """Return (Q with orthonormal columns, upper triangular R) of each matrix; only R for mode "r".

    A plain array gets NumPy's result. Raises Unsupported for a Q with more columns than A has (mode "complete" of a
    tall matrix), and for the mode "raw" and unknown ones. The derivative needs linearly independent columns (the first
    ones of a wide matrix).
    """
    rows, columns = shape(a)[-2:]
    if mode == "raw" or (mode == "complete" and rows > columns) or mode not in ("reduced", "complete", "r"):
        raise unsupported("linalg.qr", f"with mode={mode!r}")
    if not isinstance(a, Traced):
        return np.linalg.qr(a, mode)
    if columns <= rows:
        result = _tall(a)
    else:  # Q depends on the first columns only
        q, r = _tall(getitem(a, (..., slice(rows))))
        rest_of_r = dagger(q) @ getitem(a, (..., slice(rows, None)))
        result = _like(np.linalg.qr(np.eye(1)), q, np.concatenate([r, rest_of_r], axis=-1))
    return result[1] if mode == "r" else result


def _like(template: Tree, *parts: Array) -> Tree:
    """Return several results as NumPy does: a named tuple of the type of `template`, or before version 2 a tuple."""
    return type(template)(*parts) if hasattr(template, "_fields") else parts


def _tall(a: Array) -> Tree:
    """Return (Q, R), in NumPy's type of result, of a matrix that has at most as many columns as rows.

    If `a` is traced, both are recorded; the derivative divides by R, whose diagonal must not have zeros.
    """
    if not isinstance(a, Traced):
        return np.linalg.qr(a)
    result = np.linalg.qr(a.value)
    q, r = result
    below = np.tri(shape(r)[-1], k=-1)

    def times_inverse_r(x: Array) -> Array:
        """Return x times the inverse of R."""
        return mirror(np.linalg.solve(mirror(r), mirror(x)))

    def rotation(m: Array) -> Array:
        """Return the skew-Hermitian rotation of the columns of Q, so that R stays triangular with real diagonal."""
        lower = m * below
        antisymmetric = lower - dagger(lower)
        return antisymmetric + 1j * (m.imag * np.eye(len(below))) if is_complex(m) else antisymmetric

    def push_q(dot: Array) -> Array:
        moved = times_inverse_r(dot)
        inside = dagger(q) @ moved
        return q @ rotation(inside) + moved - q @ inside

    def push_r(dot: Array) -> Array:
        inside = dagger(q) @ times_inverse_r(dot)
        return (inside - rotation(inside)) @ r

    return several("linalg.qr", a, result, [push_q, push_r])


def _lstsq_push(k: int, dot: Array, z: Array, a: Array, b: Array, rcond: float) -> Array:
    """Return the tangent of the least-squares solution z for the tangent `dot` of a (k = 0) or b (k = 1).

    Singular values below `rcond` times the largest count as 0.
    """
    inverse = matrices.pinv(a, rcond)
    if k == 1:
        return np.dot(inverse, dot)
    h, adjoint = dagger(dot), dagger(inverse)
    normal_part = np.dot(inverse, np.dot(adjoint, np.dot(h, b - np.dot(a, z))))
    outside = np.dot(h, np.dot(adjoint, z))
    return normal_part + outside - np.dot(inverse, np.dot(a, outside)) - np.dot(inverse, np.dot(dot, z))


_LSTSQ = Differentiable(
    "linalg.lstsq", lambda a, b, rcond: np.linalg.lstsq(a, b, rcond)[0], push=_lstsq_push
)  # fmt: skip


def lstsq(a: Value, b: Value, /, rcond: float | str | None = None) -> Tree:
    """Return (the least-squares solution, the sums of squared residuals, the rank, the singular values) of a·x = b.

    The rank is plain; the residuals are an empty array where NumPy gives one: rank below the columns, or not more rows
    than columns. Raises Unsupported if `rcond` drops singular values that are not 0 up to rounding, LinAlgError for
    shapes that do not fit.
    """
    a, b = as_array(a), as_array(b)
    _, residual_squares, rank, s = np.linalg.lstsq(plain(a), plain(b), rcond)
    numerical_rank = matrices.rank_by_rounding(plain(a), s)
    if rank != numerical_rank:
        raise unsupported("linalg.lstsq", "with rcond= that leaves out singular values")
    solution = _LSTSQ(a, b, rcond=matrices.rounding(plain(a)))
    if residual_squares.size:
        residual_squares = np.reshape(np.sum(squares(b - np.dot(a, solution)), axis=0), residual_squares.shape)
    return solution, residual_squares, rank, matrices.svd(a, compute_uv=False) if isinstance(a, Traced) else s


def svdvals(x: Value, /) -> Value:
    """Return the singular values of each matrix, the largest first."""
    values: Value = matrices.svd(as_array(x), compute_uv=False)
    return values


def eigvals(a: Value, /) -> Value:
    """Return the eigenvalues of each square matrix; real numbers if NumPy finds only real ones."""
    plain_values = np.linalg.eigvals(plain(a))
    values = matrices.eig(as_array(a))[0]
    return values if plain_values.dtype.kind == "c" else values.real


# --- norms ------------------------------------------------------------------------------------------------------------


def vector_norm(
    x: Value, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2  # noqa: A002 - NumPy's name
) -> Value:  # fmt: skip
    """Return the norms of order `ord` of vectors along one or several axes (default: all); the slope at 0 is 0."""
    norms = matrices.norm(merge_axes(as_array(x), axis, -1), ord, -1)
    return np.reshape(norms, shape_with_kept_axes(shape(x), axis)) if keepdims else norms


def matrix_norm(
    x: Value, /, *, keepdims: bool = False, ord: float | str | None = "fro"  # noqa: A002 - NumPy's name
) -> Value:  # fmt: skip
    """Return the norms of order `ord` of the matrices along the last two axes; the slope at 0 is 0."""
    return matrices.norm(x, ord, (-2, -1), keepdims)


def cond(x: Array, /, p: float | str | None = None) -> Value:
    """Return the condition number of each matrix in the norm `p` (None: the 2-norm)."""
    if p is None or p in (2, -2):
        s = matrices.svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return matrices.norm(x, p, (-2, -1)) * matrices.norm(np.linalg.inv(x), p, (-2, -1))


# --- products and tensors ---------------------------------------------------------------------------------------------


def multi_dot(arrays: Sequence[Value], /) -> Value:
    """Return the product of matrices, multiplied in the order with the fewest multiplications (dynamic programming).

    The first and the last may be vectors, a row and a column. Raises ValueError for fewer than two factors, or if
    shapes do not fit.
    """
    factors = [as_array(a) for a in arrays]
    if len(factors) < 2:
        raise ValueError("Expecting at least two arrays.")
    lengths = [shape(factors[0])[0] if len(shape(factors[0])) == 2 else 1, *(shape(a)[0] for a in factors[1:])]
    lengths.append(shape(factors[-1])[1] if len(shape(factors[-1])) == 2 else 1)
    count = len(factors)
    # For the product of the factors i to j: (its lowest cost, the products (i, k, j) of i to k with k + 1 to j for it).
    plans: dict[tuple[int, int], tuple[int, list[tuple[int, int, int]]]] = {(i, i): (0, []) for i in range(count)}
    for i, j in ((i, i + span) for span in range(1, count) for i in range(count - span)):
        candidates = []
        for k in range(i, j):
            (left, first), (right, then) = plans[i, k], plans[k + 1, j]
            cost = left + right + lengths[i] * lengths[k + 1] * lengths[j + 1]
            candidates.append((cost, [*first, *then, (i, k, j)]))
        plans[i, j] = min(candidates, key=itemgetter(0))
    products: dict[tuple[int, int], Array] = {(i, i): a for i, a in enumerate(factors)}
    for i, k, j in plans[0, count - 1][1]:
        products[i, j] = np.dot(products[i, k], products[k + 1, j])
    return products[0, count - 1]


def tensorinv(a: Array, /, ind: int = 2) -> Value:
    """Return the inverse of a as a linear map whose results are the first `ind` axes."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    result_axes, argument_axes = shape(a)[:ind], shape(a)[ind:]
    size = int(np.prod(argument_axes))
    return np.reshape(np.linalg.inv(np.reshape(a, (size, -1))), (*argument_axes, *result_axes))


def tensorsolve(a: Value, b: Value, /, axes: Sequence[int] | None = None) -> Value:
    """Return x with tensordot(a, x, x.ndim) = b; x has the shape of the axes of a after those of b.

    The axes `axes` of a are moved to its end first, in their order. Raises LinAlgError for a singular `a`, and an error
    for shapes that are not square.
    """
    a, b = as_array(a), as_array(b)
    if axes is not None:
        last = [k % len(shape(a)) for k in axes]
        a = np.transpose(a, [*(k for k in range(len(shape(a))) if k not in last), *last])
    shape_of_x = shape(a)[len(shape(b)) :]
    size = int(np.prod(shape_of_x))
    return np.reshape(np.linalg.solve(np.reshape(a, (size, -1)), np.ravel(b)), shape_of_x)


RULES: Mapping[str, Callable[..., Tree]] = by_name(
    qr, lstsq, svdvals, eigvals, vector_norm, matrix_norm, cond, multi_dot, tensorinv, tensorsolve, module="linalg."
)
