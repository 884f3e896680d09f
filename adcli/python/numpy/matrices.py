"""Rules of linear algebra: each is the differential of the function, and adjoints go through its transpose.

Formulas after M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008).  Matrices may be stacked along leading axes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ..core.array_parts import getitem
from ..core.evaluation import Differentiable
from ..core.traced import Traced, as_array, fitted, shape
from ..core.unsupported import unsupported
from .array_reductions import root

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ..core.containers import Tree
    from ..core.traced import Array, Axis, Value


def mirrored(x: Array) -> Array:
    """Each matrix with rows and columns exchanged."""
    return np.swapaxes(x, -1, -2)


def dagger(x: Array) -> Array:
    """The conjugate transpose of each matrix."""
    return mirrored(np.conjugate(x)) if np.iscomplexobj(plain(x)) else mirrored(x)


def _eye(x: Array) -> Array:
    return np.eye(shape(x)[-1])


def _trace(x: Array) -> Array:
    return np.sum(x * _eye(x), axis=(-2, -1))


def _solve_push(k: int, dot: Array, z: Array, a: Array, b: Array) -> Array:
    return np.linalg.solve(a, -np.matmul(dot, z) if k == 0 else dot)


def _solve_pull(k: int, g: Array, z: Array, a: Array, b: Array) -> Value | None:
    y = fitted(np.linalg.solve(mirrored(a), g), b)
    if k == 1:
        return y
    return fitted(
        -np.outer(y, z) if len(shape(z)) == 1 else -np.matmul(np.linalg.solve(mirrored(a), g), mirrored(z)),
        a,
    )


def _whole(dot: Array, half: str = "L") -> Array:
    """The Hermitian matrix that is read from one half of another, which is all that NumPy looks at."""
    lower = dot * np.tri(shape(dot)[-1]) if half == "L" else dagger(dot * np.tri(shape(dot)[-1]).T)
    return lower + dagger(lower) - (lower + dagger(lower)) * _eye(dot) / 2


def _cholesky_push(k: int, dot: Array, z: Array, a: Array) -> Array:
    inner = np.linalg.solve(z, dagger(np.linalg.solve(z, _whole(dot))))
    return np.matmul(z, inner * (np.tri(shape(z)[-1]) - _eye(z) / 2))


def _pinv_push(k: int, dot: Array, z: Array, a: Array, rcond: float | None = None) -> Array:
    rows, columns = np.eye(shape(a)[-2]), np.eye(shape(a)[-1])
    first = -(z @ dot @ z)
    second = z @ dagger(z) @ dagger(dot) @ (rows - a @ z)
    third = (columns - z @ a) @ dagger(dot) @ dagger(z) @ z
    return first + second + third


_INV = Differentiable("linalg.inv", lambda a: np.linalg.inv(a), push=lambda k, dot, z, a: -(z @ dot @ z))
_SOLVE = Differentiable("linalg.solve", lambda a, b: np.linalg.solve(a, b), pull=_solve_pull, push=_solve_push)
_DET = Differentiable(
    "linalg.det", lambda a: np.linalg.det(a), push=lambda k, dot, z, a: z * _trace(np.linalg.solve(a, dot))
)
_LOGDET = Differentiable(
    "linalg.slogdet", lambda a: np.linalg.slogdet(a)[1], push=lambda k, dot, z, a: _trace(np.linalg.solve(a, dot)).real
)
_SIGNDET = Differentiable(
    "linalg.slogdet",
    lambda a: np.linalg.slogdet(a)[0],
    push=lambda k, dot, z, a: 1j * z * _trace(np.linalg.solve(a, dot)).imag,
)
_CHOLESKY = Differentiable("linalg.cholesky", lambda a: np.linalg.cholesky(a), push=_cholesky_push)
_PINV = Differentiable(
    "linalg.pinv",
    lambda a, rcond=None: np.linalg.pinv(a, **({} if rcond is None else {"rcond": rcond})),
    push=_pinv_push,
)


def inv(a: Array, /) -> Value:
    """The inverse of each matrix."""
    return _INV(a)


def solve(a: Array, b: Array, /) -> Value:
    """x with a @ x = b: b is a vector, or has vectors as columns."""
    # Before NumPy 2, which has `isdtype`, several vectors may stand for several matrices; since then one for all.
    count = len(shape(b))
    if len(shape(a)) > 2 and (count == 1 if hasattr(np, "isdtype") else count == len(shape(a)) - 1):
        return getitem(_SOLVE(a, np.expand_dims(b, -1)), (..., 0))
    return _SOLVE(a, b)


def det(a: Array, /) -> Value:
    """The determinant of each matrix: a number for each."""
    return _DET(a)


def rounding(a: NDArray[numpy.inexact]) -> float:
    """How small a singular value is, against the largest, where it is 0 but for rounding."""
    return float(np.finfo(a.dtype).eps * max(a.shape[-2:]))


def rank_by_rounding(a: NDArray[numpy.inexact], s: NDArray[numpy.floating]) -> int:
    """How many of the singular values are not 0 by rounding, at most, among the matrices."""
    return int(np.max(np.sum(s > rounding(a) * np.max(s, axis=-1, keepdims=True), axis=-1), initial=0))


def pinv(
    a: Value, /, rcond: float | None = None, hermitian: bool = False, *, rtol: float | None = None
) -> Value:  # fmt: skip
    """The inverse by least squares of each matrix; of a Hermitian one, half of it is read.

    Raises Unsupported where singular values that are not 0 by rounding are to be left out.
    """
    bare, limit = plain(a), rtol if rcond is None else rcond
    s = np.linalg.svd(bare, compute_uv=False) if not hermitian else np.sort(abs(np.linalg.eigvalsh(bare)))
    if limit is not None:
        top = np.max(s, axis=-1, keepdims=True)
        if np.any((s > rounding(bare) * top) & (s <= np.expand_dims(np.asarray(plain(limit)), -1) * top)):
            raise unsupported("linalg.pinv", f"with {'rtol' if rcond is None else 'rcond'}= that leaves numbers out")
    a = _whole(as_array(a)) if hermitian else a
    return _PINV(a) if limit is None else _PINV(a, rcond=plain(limit))


def slogdet(a: Array, /) -> Tree:
    """Sign and logarithm of the size of each determinant; of complex numbers the sign turns."""
    bare = np.linalg.slogdet(plain(a))
    sign = _SIGNDET(a) if np.iscomplexobj(plain(a)) else bare[0]
    return type(bare)(sign, _LOGDET(a)) if hasattr(bare, "_fields") else (sign, _LOGDET(a))


def cholesky(a: Array, /, *, upper: bool = False) -> Value:
    """The triangular matrix whose product with its own transpose is the matrix, of which one half is read."""
    return dagger(_CHOLESKY(dagger(a))) if upper else _CHOLESKY(a)


def several(name: str, a: Traced, made: Sequence[Array], pushes: Sequence[Callable[[Array], Value]]) -> Tree:
    """Several results of one traced array, each with the differential that is its own."""
    found = []
    for z, push in zip(made, pushes, strict=True):
        function = Differentiable(name, lambda x: x, push=lambda k, dot, z, x, push=push: push(dot))
        found.append(a.tracer.general(function, z, (a.value,), {}, [(0, a.mark)]))
    return type(made)(*found) if hasattr(made, "_fields") else tuple(found)


def _gaps(w: Array) -> Array:
    """1/(w_j − w_i), and 0 on the diagonal."""
    differences = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    return (1 - _eye(w)) / (differences + _eye(w))


def eigh(a: Array, /, UPLO: str = "L") -> Tree:  # noqa: N803 - NumPy's name
    """Eigenvalues and eigenvectors of a Hermitian matrix, of which one half is read."""
    if not isinstance(a, Traced):
        return np.linalg.eigh(a, UPLO)
    made = np.linalg.eigh(a.value, UPLO)
    w, v = made

    def inner(dot: Array) -> Array:
        return dagger(v) @ _whole(dot, UPLO) @ v

    def values(dot: Array) -> Array:
        return np.sum(inner(dot) * _eye(w), axis=-1).real

    return several("linalg.eigh", a, made, [values, lambda dot: v @ (_gaps(w) * inner(dot))])


def eig(a: Array, /) -> Tree:
    """Eigenvalues and eigenvectors of length 1 of a square matrix."""
    if not isinstance(a, Traced):
        return np.linalg.eig(a)
    made = np.linalg.eig(a.value)
    w, v = made

    def inner(dot: Array) -> Array:
        return np.linalg.solve(v, dot @ v)

    def vectors(dot: Array) -> Array:
        turned = v @ (_gaps(w) * inner(dot))
        return turned - v * np.sum(np.conjugate(v) * turned, axis=-2, keepdims=True).real

    return several("linalg.eig", a, made, [lambda dot: np.sum(inner(dot) * _eye(w), axis=-1), vectors])


def eigvalsh(a: Array, /, UPLO: str = "L") -> Value:  # noqa: N803 - NumPy's name
    """The eigenvalues of a Hermitian matrix, of which one half is read."""
    return eigh(a, UPLO)[0]


def svd(a: Array, /, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Tree:
    """The thin decomposition; without vectors the singular values alone."""
    if not isinstance(a, Traced):
        return np.linalg.svd(a, full_matrices, compute_uv, hermitian)
    if hermitian and compute_uv:  # whose signs of vectors are those of eigenvalues
        raise unsupported("linalg.svd", "with hermitian=")
    if hermitian:
        sizes = np.abs(eigvalsh(a))
        return np.flip(np.sort(sizes, axis=-1), axis=-1)
    if full_matrices and compute_uv and shape(a)[-1] != shape(a)[-2]:
        raise unsupported("linalg.svd", "with full_matrices=True")
    made = np.linalg.svd(a.value, full_matrices=False)
    u, s, vt = made
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    gaps = _gaps(s) / (row + column)

    def inner(dot: Array) -> Array:
        return dagger(u) @ dot @ dagger(vt)

    def turned(p: Array) -> Value:
        """What turns the vectors of a complex matrix in their phase; shared by both sides."""
        return (p - dagger(p)) * _eye(s) / (4 * row) if np.iscomplexobj(plain(p)) else 0.0

    def left(dot: Array) -> Array:
        p = inner(dot)
        outside = dot @ dagger(vt) - u @ p
        return u @ (gaps * (p * row + column * dagger(p)) + turned(p)) + outside / row

    def values(dot: Array) -> Array:
        return np.sum(inner(dot) * _eye(s), axis=-1).real

    def right(dot: Array) -> Array:
        p = inner(dot)
        outside = dagger(u) @ dot - p @ vt
        return (dagger(gaps * (column * p + dagger(p) * row)) + turned(p)) @ vt + outside / column

    found = several("linalg.svd", a, made, [left, values, right])
    return found if compute_uv else found[1]


def norm(x: Value, /, ord: float | str | None = None, axis: Axis = None, keepdims: bool = False) -> Value:  # noqa: A002
    """Norms of vectors and matrices as NumPy has them; the slope at 0 is 0."""
    x = as_array(x)
    if ord is None or (ord == 2 and (len(shape(x)) == 1 or isinstance(axis, int))):
        return root(np.sum(_squares(x), axis=axis, keepdims=keepdims))
    if axis is None:
        axis = 0 if len(shape(x)) == 1 else (0, 1)
    if isinstance(axis, int):
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order {ord!r} for vectors")
        return _vector_norm(x, ord, axis, keepdims)
    rows, columns = axis
    if ord == "fro":
        return root(np.sum(_squares(x), axis=axis, keepdims=keepdims))
    if not isinstance(ord, str) and ord in (1, -1, np.inf, -np.inf):
        best = np.max if ord > 0 else np.min
        along, over = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = np.sum(np.abs(x), axis=along, keepdims=True)
        found = best(sums, axis=over, keepdims=True)
    elif ord in ("nuc", 2, -2):
        values = svd(np.moveaxis(x, axis, (-2, -1)), compute_uv=False)
        single = np.sum(values, axis=-1) if ord == "nuc" else values[..., 0 if ord == 2 else -1]
        found = np.expand_dims(single, sorted(a % len(shape(x)) for a in axis))
        found = found if isinstance(found, Traced) else np.asarray(found)
    else:
        raise unsupported("linalg.norm", f"of order {ord!r} of matrices")
    return found if keepdims else np.squeeze(found, axis)


def _squares(x: Array) -> Array:
    return x.real * x.real + x.imag * x.imag if np.iscomplexobj(plain(x)) else x * x


def _vector_norm(x: Array, ord: float, axis: int, keepdims: bool) -> Value:  # noqa: A002 - NumPy's name
    sizes = np.abs(x)
    if ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(sizes, axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.linalg.norm(plain(x), 0, axis, keepdims)
    if ord == 1:
        return np.sum(sizes, axis=axis, keepdims=keepdims)
    return np.sum(sizes**ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


def matrix_power(a: Array, n: int, /) -> Array:
    """The product of n copies of each matrix; of its inverse for a negative n."""
    n = operator.index(n)
    if n < 0:
        a, n = np.linalg.inv(a), -n
    found = np.broadcast_to(_eye(a), shape(a))
    while n:
        if n % 2:
            found = np.matmul(found, a)
        n //= 2
        a = np.matmul(a, a) if n else a
    return found


def handlers() -> dict[str, Callable[..., Tree]]:
    """The functions by NumPy's names."""
    named = (inv, solve, det, slogdet, cholesky, pinv, eig, eigh, eigvalsh, svd, norm, matrix_power)
    return {f"linalg.{rule.__name__}": rule for rule in named}
