"""Rules for what linear algebra makes of matrices beside their inverses: QR, least squares, norms, products of many.

Matrices may be stacked along leading axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ..core.array_parts import getitem
from ..core.evaluation import Differentiable
from ..core.traced import Traced, as_array, is_complex, shape
from ..core.unsupported import unsupported
from . import matrices
from .matrices import dagger, mirrored, several

if TYPE_CHECKING:
    from ..core.containers import Tree
    from ..core.traced import Array, Axis, Value


# --- decompositions ---------------------------------------------------------------------------------------------------


def qr(a: Value, /, mode: str = "reduced") -> Tree:
    """Orthonormal columns and a triangular matrix; with mode "r" the latter alone.

    Raises Unsupported for Q with more columns than A, and for what LAPACK has in memory.
    """
    a = as_array(a)
    rows, columns = shape(a)[-2:]
    if mode == "raw" or (mode == "complete" and rows > columns) or mode not in ("reduced", "complete", "r"):
        raise unsupported("linalg.qr", f"with mode={mode!r}")
    if not isinstance(a, Traced):
        return np.linalg.qr(a, mode)
    if columns <= rows:
        made = _tall(a)
    else:  # the first columns are what Q is made of
        q, r = _tall(getitem(a, (..., slice(rows))))
        right = dagger(q) @ getitem(a, (..., slice(rows, None)))
        made = _like(np.linalg.qr(np.eye(1)), q, np.concatenate([r, right], axis=-1))
    return made[1] if mode == "r" else made


def _like(made: Tree, *parts: Array) -> Tree:
    """Several results as NumPy gives them: by name, or before version 2 as a tuple."""
    return type(made)(*parts) if hasattr(made, "_fields") else parts


def _tall(a: Array) -> Tree:
    """The decomposition of a matrix that has no more columns than rows."""
    if not isinstance(a, Traced):
        return np.linalg.qr(a)
    made = np.linalg.qr(a.value)
    q, r = made
    below = np.tri(shape(r)[-1], k=-1)

    def over(x: Array) -> Array:
        """x times the inverse of R."""
        return mirrored(np.linalg.solve(mirrored(r), mirrored(x)))

    def turning(m: Array) -> Array:
        """How Q turns within its own columns: R stays triangular, and real on its diagonal."""
        lower = m * below
        found = lower - dagger(lower)
        return found + 1j * (m.imag * np.eye(len(below))) if is_complex(m) else found

    def first(dot: Array) -> Array:
        moved = over(dot)
        inside = dagger(q) @ moved
        return q @ turning(inside) + moved - q @ inside

    def second(dot: Array) -> Array:
        inside = dagger(q) @ over(dot)
        return (inside - turning(inside)) @ r

    return several("linalg.qr", a, made, [first, second])


def _lstsq_push(k: int, dot: Array, z: Array, a: Array, b: Array, rcond: float) -> Array:
    inverse = matrices.pinv(a, rcond)
    if k == 1:
        return np.dot(inverse, dot)
    h = np.conjugate(np.transpose(dot)) if is_complex(dot) else np.transpose(dot)
    adjoint = dagger(inverse)
    across = np.dot(inverse, np.dot(adjoint, np.dot(h, b - np.dot(a, z))))
    outside = np.dot(h, np.dot(adjoint, z))
    return across + outside - np.dot(inverse, np.dot(a, outside)) - np.dot(inverse, np.dot(dot, z))


_LSTSQ = Differentiable(
    "linalg.lstsq", lambda a, b, rcond: np.linalg.lstsq(a, b, rcond)[0], push=_lstsq_push
)  # fmt: skip


def lstsq(a: Value, b: Value, /, rcond: float | str | None = None) -> Tree:
    """The solution by least squares, the squares that remain, the rank, and the singular values.

    Raises Unsupported where `rcond` leaves out singular values that are not 0 by rounding.
    """
    a, b = as_array(a), as_array(b)
    _, rest, rank, s = np.linalg.lstsq(plain(a), plain(b), rcond)
    kept = matrices.rank_by_rounding(plain(a), s)
    if rank != kept:
        raise unsupported("linalg.lstsq", "with rcond= that leaves out singular values")
    found = _LSTSQ(a, b, rcond=matrices.rounding(plain(a)))
    remains = b - np.dot(a, found)
    squares = remains.real * remains.real + remains.imag * remains.imag if is_complex(remains) else remains * remains
    return (
        found,
        np.reshape(np.sum(squares, axis=0), rest.shape) if rest.size else rest,
        rank,
        matrices.svd(a, compute_uv=False) if isinstance(a, Traced) else s,
    )


def svdvals(x: Value, /) -> Value:
    """The singular values of each matrix."""
    found: Value = matrices.svd(as_array(x), compute_uv=False)
    return found


def eigvals(a: Value, /) -> Value:
    """The eigenvalues of each square matrix; real numbers where they all are."""
    bare = np.linalg.eigvals(plain(a))
    found = matrices.eig(as_array(a))[0]
    return found if bare.dtype.kind == "c" else found.real


# --- norms ------------------------------------------------------------------------------------------------------------


def vector_norm(
    x: Value, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2  # noqa: A002 - NumPy's name
) -> Value:  # fmt: skip
    """The norms of vectors, which several axes may hold; the slope at 0 is 0."""
    x = as_array(x)
    count = len(shape(x))
    axes = list(range(count)) if axis is None else [a % count for a in np.atleast_1d(axis)]
    stay = [a for a in range(count) if a not in axes]
    rows = np.reshape(np.transpose(x, [*stay, *axes]), (*(shape(x)[a] for a in stay), -1))
    found = matrices.norm(rows, ord, -1)
    return np.reshape(found, [1 if a in axes else n for a, n in enumerate(shape(x))]) if keepdims else found


def matrix_norm(
    x: Value, /, *, keepdims: bool = False, ord: float | str | None = "fro"  # noqa: A002 - NumPy's name
) -> Value:  # fmt: skip
    """The norms of the matrices along the last two axes; the slope at 0 is 0."""
    return matrices.norm(x, ord, (-2, -1), keepdims)


def cond(x: Value, /, p: float | str | None = None) -> Value:
    """How many times the norm of each matrix that of its inverse is."""
    x = as_array(x)
    if p is None or p in (2, -2):
        s = matrices.svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return matrices.norm(x, p, (-2, -1)) * matrices.norm(np.linalg.inv(x), p, (-2, -1))


# --- products and tensors ---------------------------------------------------------------------------------------------


def multi_dot(arrays: Sequence[Value], /) -> Value:
    """The product of many matrices, of which the first and the last may be vectors, in the order that costs least."""
    found = [as_array(a) for a in arrays]
    if len(found) < 2:
        raise ValueError("Expecting at least two arrays.")
    lengths = [shape(found[0])[0] if len(shape(found[0])) == 2 else 1, *(shape(a)[0] for a in found[1:])]
    lengths.append(shape(found[-1])[1] if len(shape(found[-1])) == 2 else 1)
    count = len(found)
    best = [[0.0] * count for _ in range(count)]
    split = [[0] * count for _ in range(count)]
    for span in range(1, count):
        for i in range(count - span):
            j = i + span
            costs = [
                best[i][k] + best[k + 1][j] + lengths[i] * lengths[k + 1] * lengths[j + 1] for k in range(i, j)
            ]  # fmt: skip
            best[i][j], split[i][j] = min(costs), i + costs.index(min(costs))
    made: dict[tuple[int, int], Array] = {(i, i): a for i, a in enumerate(found)}
    waiting = [(0, count - 1)]
    while waiting:
        i, j = waiting[-1]
        k = split[i][j]
        missing = [part for part in ((i, k), (k + 1, j)) if part not in made]
        if missing and (i, j) not in made:
            waiting.extend(missing)
            continue
        waiting.pop()
        if (i, j) not in made:
            made[i, j] = np.dot(made[i, k], made[k + 1, j])
    return made[0, count - 1]


def tensorinv(a: Value, /, ind: int = 2) -> Value:
    """The inverse of the linear map that the first `ind` axes are the results of."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    a = as_array(a)
    ahead, behind = shape(a)[:ind], shape(a)[ind:]
    size = int(np.prod(behind))
    return np.reshape(np.linalg.inv(np.reshape(a, (size, -1))), (*behind, *ahead))


def tensorsolve(a: Value, b: Value, /, axes: Sequence[int] | None = None) -> Value:
    """x with tensordot(a, x) = b; `axes` of a are put last before."""
    a, b = as_array(a), as_array(b)
    if axes is not None:
        gone = [k % len(shape(a)) for k in axes]
        a = np.transpose(a, [*(k for k in range(len(shape(a))) if k not in gone), *gone])
    behind = shape(a)[len(shape(b)) :]
    size = int(np.prod(behind))
    return np.reshape(np.linalg.solve(np.reshape(a, (size, -1)), np.ravel(b)), behind)


def handlers() -> dict[str, Callable[..., Tree]]:
    """The functions by NumPy's names."""
    named = (
        qr, lstsq, svdvals, eigvals, vector_norm, matrix_norm, cond, multi_dot, tensorinv, tensorsolve,
    )  # fmt: skip
    return {f"linalg.{rule.__name__}": rule for rule in named}
