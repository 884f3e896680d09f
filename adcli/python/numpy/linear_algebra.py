"""Rules of NumPy's linear algebra for matrices: inverses, solutions, decompositions, norms, and functions composed of
these.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from operator import itemgetter

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ..core.array_parts import fit, getitem
from ..core.containers import Tree
from ..core.evaluation import Differentiable
from ..core.traced import Array, Axis, Doubles, Traced, Value, Values, as_array, is_complex, shape
from ..core.unsupported import unsupported
from .array_reductions import root, squares
from .rearranging import by_name, merge_axes, mirror, shape_with_kept_axes


def dagger(x: Array) -> Array:
    """Return the conjugate transpose of each matrix."""
    return mirror(np.conjugate(x)) if np.iscomplexobj(plain(x)) else mirror(x)


def _eye(x: Array) -> Array:
    return np.eye(shape(x)[-1])


def _logdet_tangent(a: Array, dot: Array) -> Array:
    """Return the derivative of the logarithm of each determinant along `dot`: the trace of a⁻¹·dot."""
    return np.sum(np.linalg.solve(a, dot) * _eye(a), axis=(-2, -1))


def _solve_push(k: int, dot: Array, z: Array, a: Array, b: Array) -> Array:
    """Return the tangent of the solution z of a z = b for the tangent `dot` of a (k = 0) or b (k = 1)."""
    return np.linalg.solve(a, -np.matmul(dot, z) if k == 0 else dot)


def _solve_pull(k: int, g: Array, z: Array, a: Array, b: Array) -> Value | None:
    """Return the adjoint of a (k = 0) or b (k = 1) for the adjoint `g` of the solution z of a z = b."""
    y = np.linalg.solve(mirror(a), g)
    return fit(y, b) if k == 1 else fit(-np.outer(y, z) if len(shape(z)) == 1 else -np.matmul(y, mirror(z)), a)


def _hermitian(dot: Array, half: str = "L") -> Array:
    """Return the Hermitian matrix with the lower ("L") or upper half of `dot`, the only half that NumPy reads."""
    lower = dot * np.tri(shape(dot)[-1]) if half == "L" else dagger(dot * np.tri(shape(dot)[-1]).T)
    return lower + dagger(lower) - (lower + dagger(lower)) * _eye(dot) / 2


def _cholesky_push(k: int, dot: Array, z: Array, a: Array) -> Array:
    """Return the tangent of the lower Cholesky factor z for the tangent `dot` of the matrix."""
    inner = np.linalg.solve(z, dagger(np.linalg.solve(z, _hermitian(dot))))
    return np.matmul(z, inner * (np.tri(shape(z)[-1]) - _eye(z) / 2))


def _pinv_push(k: int, dot: Array, z: Array, a: Array, rcond: float | None = None) -> Array:
    """Return the tangent of the pseudoinverse z of a."""
    rows, columns = np.eye(shape(a)[-2]), np.eye(shape(a)[-1])
    first = -(z @ dot @ z)
    second = z @ dagger(z) @ dagger(dot) @ (rows - a @ z)
    third = (columns - z @ a) @ dagger(dot) @ dagger(z) @ z
    return first + second + third


_INV = Differentiable("linalg.inv", lambda a: np.linalg.inv(a), push=lambda k, dot, z, a: -(z @ dot @ z))
_SOLVE = Differentiable("linalg.solve", lambda a, b: np.linalg.solve(a, b), pull=_solve_pull, push=_solve_push)
_DET = Differentiable(
    "linalg.det", lambda a: np.linalg.det(a), push=lambda k, dot, z, a: z * _logdet_tangent(a, dot)
)  # fmt: skip
_LOGDET = Differentiable(
    "linalg.slogdet", lambda a: np.linalg.slogdet(a)[1], push=lambda k, dot, z, a: _logdet_tangent(a, dot).real
)
_SIGNDET = Differentiable(
    "linalg.slogdet", lambda a: np.linalg.slogdet(a)[0], push=lambda k, dot, z, a: 1j * z * _logdet_tangent(a, dot).imag
)
_CHOLESKY = Differentiable("linalg.cholesky", lambda a: np.linalg.cholesky(a), push=_cholesky_push)
_PINV = Differentiable(
    "linalg.pinv",
    lambda a, rcond=None: np.linalg.pinv(a, **({} if rcond is None else {"rcond": rcond})),
    push=_pinv_push,
)


def solve(a: Array, b: Array, /) -> Value:
    """Return x with a @ x = b: b is a vector, or has vectors as columns."""
    # Before NumPy 2 (which has `isdtype`) b may have one vector for each matrix; since then one vector for all.
    count = len(shape(b))
    if len(shape(a)) > 2 and (count == 1 if hasattr(np, "isdtype") else count == len(shape(a)) - 1):
        return getitem(_SOLVE(a, np.expand_dims(b, -1)), (..., 0))
    return _SOLVE(a, b)


def rounding(a: Doubles) -> float:
    """Return the ratio to the largest singular value below which one counts as 0."""
    return float(np.finfo(a.dtype).eps * max(a.shape[-2:]))


def pinv(a: Value, /, rcond: float | None = None, hermitian: bool = False, *, rtol: float | None = None) -> Value:
    """Return the pseudoinverse of each matrix; of a Hermitian one (`hermitian`) only the lower half is read.

    Singular values up to `rcond` times the largest count as 0. `rcond` is a number, or one number for each matrix
    (default: NumPy's limit); `rtol` is another name for it. Raises Unsupported if both are given. Raises Unsupported
    too if a given limit drops singular values that are not 0 up to rounding. The derivative is right only if the rank
    stays the same.
    """
    if rtol is not None and rcond is not None:
        raise unsupported("linalg.pinv", "with both rcond= and rtol=")
    bare, threshold = plain(a), rtol if rcond is None else rcond
    s = np.linalg.svd(bare, compute_uv=False) if not hermitian else np.sort(abs(np.linalg.eigvalsh(bare)))
    if threshold is not None:
        largest = np.max(s, axis=-1, keepdims=True)
        if np.any((s > rounding(bare) * largest) & (s <= np.expand_dims(np.asarray(plain(threshold)), -1) * largest)):
            raise unsupported("linalg.pinv", f"with {'rtol' if rcond is None else 'rcond'}= that leaves numbers out")
    a = _hermitian(as_array(a)) if hermitian else a
    return _PINV(a) if threshold is None else _PINV(a, rcond=plain(threshold))


def slogdet(a: Array, /) -> Tree:
    """Return (the sign, a complex unit for complex matrices, the logarithm of the absolute value) of determinants."""
    bare = np.linalg.slogdet(plain(a))
    sign = _SIGNDET(a) if np.iscomplexobj(plain(a)) else bare[0]
    return _pack_results(bare, sign, _LOGDET(a))


def cholesky(a: Array, /, *, upper: bool = False) -> Value:
    """Return the lower triangular L with L·Lᴴ = a, or with `upper` its conjugate transpose; one half of a is read."""
    return dagger(_CHOLESKY(dagger(a))) if upper else _CHOLESKY(a)


def record_several(name: str, a: Traced, results: Sequence[Array], pushes: Sequence[Callable[[Array], Value]]) -> Tree:
    """Return `results`, the values of a function of one traced array `a`, as traced values in the same type of tuple.

    `name` is the name of the function. `pushes` has for each result the linear map from the tangent of `a` to the
    tangent of the result (its transpose serves for adjoints). Each result is recorded as an operation of its own.
    """
    traced_results = []
    for z, push in zip(results, pushes, strict=True):
        function = Differentiable(name, lambda x: x, push=lambda k, dot, z, x, push=push: push(dot))
        traced_results.append(a.tracer.general(function, z, (a.value,), {}, [(0, a.mark)]))
    return _pack_results(results, *traced_results)


def _inverse_gaps(w: Array) -> Array:
    """Return the matrix of 1/(w_j − w_i), with 0 on the diagonal."""
    differences = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    return (1 - _eye(w)) / (differences + _eye(w))


def eigh(a: Array, /, UPLO: str = "L") -> Tree:  # noqa: N803 - NumPy's name
    """Return (ascending eigenvalues, eigenvectors as columns) of each Hermitian matrix.

    Only the half `UPLO` ("L" or "U") of the matrix is read. A plain array gets NumPy's result. The derivative of the
    eigenvectors is infinite or nan if eigenvalues are equal.
    """
    if not isinstance(a, Traced):
        return np.linalg.eigh(a, UPLO)
    result = np.linalg.eigh(a.value, UPLO)
    w, v = result

    def inner(dot: Array) -> Array:
        return dagger(v) @ _hermitian(dot, UPLO) @ v

    def values(dot: Array) -> Array:
        return np.sum(inner(dot) * _eye(w), axis=-1).real

    return record_several("linalg.eigh", a, result, [values, lambda dot: v @ (_inverse_gaps(w) * inner(dot))])


def eig(a: Array, /) -> Tree:
    """Return (eigenvalues, eigenvectors of length 1 as columns) of each square matrix, in NumPy's order.

    For a plain array return NumPy's result. In the derivative, an eigenvector keeps its length and its phase. The
    derivative of the eigenvectors is infinite or nan if eigenvalues are equal. The eigenvectors must be linearly
    independent.
    """
    if not isinstance(a, Traced):
        return np.linalg.eig(a)
    result = np.linalg.eig(a.value)
    w, v = result

    def inner(dot: Array) -> Array:
        return np.linalg.solve(v, dot @ v)

    def vectors(dot: Array) -> Array:
        tangent = v @ (_inverse_gaps(w) * inner(dot))
        return tangent - v * np.sum(np.conjugate(v) * tangent, axis=-2, keepdims=True).real

    return record_several("linalg.eig", a, result, [lambda dot: np.sum(inner(dot) * _eye(w), axis=-1), vectors])


@wraps(eigh, assigned=())
def eigvalsh(a: Array, /, *options: str, **named: str) -> Value:
    """Return the eigenvalues of a Hermitian matrix, with the options of `eigh`."""
    return eigh(a, *options, **named)[0]


def svd(a: Array, /, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Tree:
    """Return (U, singular values, Vᴴ) in the reduced form; the singular values only if `compute_uv` is False.

    A plain array gets NumPy's result. Raises Unsupported, if traced, for the full form of a matrix that is not square
    (`full_matrices` is True by default), and for the vectors with `hermitian`. The derivative of vectors divides by
    singular values and their differences.
    """
    if not isinstance(a, Traced):
        return np.linalg.svd(a, full_matrices, compute_uv, hermitian)
    if hermitian and compute_uv:  # the signs of its vectors follow those of the eigenvalues
        raise unsupported("linalg.svd", "with hermitian=")
    if hermitian:
        return np.flip(np.sort(np.abs(eigvalsh(a)), axis=-1), axis=-1)
    if full_matrices and compute_uv and shape(a)[-1] != shape(a)[-2]:
        raise unsupported("linalg.svd", "with full_matrices=True")
    result = np.linalg.svd(a.value, full_matrices=False)
    u, s, vt = result
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    gaps = _inverse_gaps(s) / (row + column)

    def inner(dot: Array) -> Array:
        return dagger(u) @ dot @ dagger(vt)

    def phase(p: Array) -> Value:
        """Return the change of phase of the vectors of a complex matrix, half of it for each side; 0 for a real one."""
        return (p - dagger(p)) * _eye(s) / (4 * row) if np.iscomplexobj(plain(p)) else 0.0

    def left(dot: Array) -> Array:
        p = inner(dot)
        outside = dot @ dagger(vt) - u @ p
        return u @ (gaps * (p * row + column * dagger(p)) + phase(p)) + outside / row

    def values(dot: Array) -> Array:
        return np.sum(inner(dot) * _eye(s), axis=-1).real

    def right(dot: Array) -> Array:
        p = inner(dot)
        outside = dagger(u) @ dot - p @ vt
        return (dagger(gaps * (column * p + dagger(p) * row)) + phase(p)) @ vt + outside / column

    traced_result = record_several("linalg.svd", a, result, [left, values, right])
    return traced_result if compute_uv else traced_result[1]


def norm(x: Array, /, ord: float | str | None = None, axis: Axis = None, keepdims: bool = False) -> Value:  # noqa: A002
    """Return norms of vectors or matrices of order `ord`, as `numpy.linalg.norm`.

    Without `ord` it is the root of the sum of squares of absolute values over `axis` (None: all). With `ord`, an
    integer `axis` means vectors, a pair (rows, columns) matrices, None the only axis or both. The slope at 0 is 0
    without `ord`, for order 2 of vectors and for "fro"; it is nan for another order p > 1 of vectors, and that of
    NumPy's singular vectors for "nuc" and ±2. `keepdims` keeps the axes with length 1. Raises Unsupported for another
    order of matrices than "fro", "nuc", ±1, ±2 and ±inf. Raises ValueError for a named order of vectors, and with `ord`
    but no `axis` if x is a number or has more than two axes.
    """
    if ord is None or (ord == 2 and (len(shape(x)) == 1 or isinstance(axis, int))):
        return root(np.sum(squares(x), axis=axis, keepdims=keepdims))
    if axis is None and len(shape(x)) not in (1, 2):
        raise ValueError("Improper number of dimensions to norm.")
    if axis is None:
        axis = 0 if len(shape(x)) == 1 else (0, 1)
    if isinstance(axis, int):
        return _vector_norm(x, ord, axis, keepdims)
    norms = _matrix_norm(x, ord, *axis)
    return norms if keepdims else np.squeeze(norms, axis)


def _matrix_norm(x: Array, order: float | str, rows: int, columns: int) -> Array:
    """Return the norms of order `order` of the matrices whose axes are `rows` and `columns`.

    These axes are kept with length 1. "fro": root of the sum of squares; 1, -1: largest, smallest sum of sizes in a
    column; inf, -inf: in a row; 2, -2: largest, smallest singular value; "nuc": their sum. Raises Unsupported for any
    other order.
    """
    if order == "fro":
        return root(np.sum(squares(x), axis=(rows, columns), keepdims=True))
    if order in (1, -1, np.inf, -np.inf):
        along, over = (rows, columns) if abs(float(order)) == 1 else (columns, rows)
        pick = np.max if float(order) > 0 else np.min
        return pick(np.sum(np.abs(x), axis=along, keepdims=True), axis=over, keepdims=True)
    if order not in ("nuc", 2, -2):
        raise unsupported("linalg.norm", f"of order {order!r} of matrices")
    values = svd(np.moveaxis(x, (rows, columns), (-2, -1)), compute_uv=False)
    single = np.sum(values, axis=-1) if order == "nuc" else values[..., 0 if order == 2 else -1]
    return as_array(np.expand_dims(single, sorted(a % len(shape(x)) for a in (rows, columns))))


def _vector_norm(x: Array, order: float | str, axis: int, keepdims: bool) -> Value:
    """Return the norms of order `order`, (sum |x|^p)^(1/p), of the vectors along an axis.

    `keepdims` keeps the axis with length 1. Orders inf and -inf are the largest and smallest size; order 0 counts the
    elements that are not 0, without a slope. Order 2 is computed like every other one. Raises ValueError for a named
    order.
    """
    if isinstance(order, str):
        raise ValueError(f"Invalid norm order {order!r} for vectors")
    sizes = np.abs(x)
    if order in (np.inf, -np.inf):
        return (np.max if order > 0 else np.min)(sizes, axis=axis, keepdims=keepdims)
    if order == 0:
        return np.linalg.norm(plain(x), 0, axis, keepdims)
    if order == 1:
        return np.sum(sizes, axis=axis, keepdims=keepdims)
    return np.sum(sizes**order, axis=axis, keepdims=keepdims) ** (1.0 / order)


def matrix_power(a: Array, n: int, /) -> Array:
    """Return the product of n copies of each matrix, by repeated squaring.

    For a negative n it is that of the inverse, for 0 the identity. Raises TypeError if n is not whole, LinAlgError for
    a negative power of a singular matrix.
    """
    n = operator.index(n)
    if n < 0:
        a, n = np.linalg.inv(a), -n
    product = np.broadcast_to(_eye(a), shape(a))
    while n:
        if n % 2:
            product = np.matmul(product, a)
        n //= 2
        a = np.matmul(a, a) if n else a
    return product


# --- decompositions ---------------------------------------------------------------------------------------------------


def qr(a: Array, /, mode: str = "reduced") -> Tree:
    """Return (Q with orthonormal columns, upper triangular R) of each matrix; only R for mode "r".

    A plain array gets NumPy's result. Raises Unsupported, also if plain, for a Q with more columns than A has (mode
    "complete" of a tall matrix), and for the mode "raw" and unknown ones. The derivative needs linearly independent
    columns (the first ones of a wide matrix).
    """
    rows, columns = shape(a)[-2:]
    if mode == "raw" or (mode == "complete" and rows > columns) or mode not in ("reduced", "complete", "r"):
        raise unsupported("linalg.qr", f"with mode={mode!r}")
    if not isinstance(a, Traced):
        return np.linalg.qr(a, mode)
    if columns <= rows:
        result = _qr_of_tall(a)
    else:  # Q depends on the first columns only
        q, r = _qr_of_tall(getitem(a, (..., slice(rows))))
        rest_of_r = dagger(q) @ getitem(a, (..., slice(rows, None)))
        result = _pack_results(np.linalg.qr(np.eye(1)), q, np.concatenate([r, rest_of_r], axis=-1))
    return result[1] if mode == "r" else result


def _pack_results(template: Tree, *parts: Array) -> Tree:
    """Return several results as NumPy does: a named tuple of the type of `template`, or before version 2 a tuple."""
    return type(template)(*parts) if hasattr(template, "_fields") else parts


def _qr_of_tall(a: Traced) -> Tree:
    """Return (Q, R), recorded, in NumPy's type of result, of a matrix that has at most as many columns as rows.

    The derivative divides by R: with a zero on its diagonal, Q and R are returned, but their derivative raises
    LinAlgError.
    """
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

    return record_several("linalg.qr", a, result, [push_q, push_r])


def _lstsq_push(k: int, dot: Array, z: Array, a: Array, b: Array, rcond: float) -> Array:
    """Return the tangent of the least-squares solution z for the tangent `dot` of a (k = 0) or b (k = 1).

    Singular values below `rcond` times the largest count as 0.
    """
    inverse = pinv(a, rcond)
    if k == 1:
        return np.dot(inverse, dot)
    h, adjoint = dagger(dot), dagger(inverse)
    normal_part = np.dot(inverse, np.dot(adjoint, np.dot(h, b - np.dot(a, z))))
    outside = np.dot(h, np.dot(adjoint, z))
    return normal_part + outside - np.dot(inverse, np.dot(a, outside)) - np.dot(inverse, np.dot(dot, z))


_LSTSQ = Differentiable(
    "linalg.lstsq", lambda a, b, rcond: np.linalg.lstsq(a, b, rcond)[0], push=_lstsq_push
)  # fmt: skip


def lstsq(a: Array, b: Array, /, rcond: float | str | None = None) -> Tree:
    """Return (least-squares solution, sums of squared residuals, rank, singular values) of a·x = b.

    The rank is plain. As in NumPy, the residuals are an empty array if the rank is less than the number of columns, or
    if there are not more rows than columns. If a is plain, the singular values are, too. `rcond` is NumPy's limit below
    which singular values count as 0 (None: its default). Raises Unsupported if the limit gives another rank than
    rounding does: it drops singular values that are not 0 up to rounding, or keeps some that are. Raises LinAlgError
    for shapes that do not fit.
    """
    _, residual_squares, rank, s = np.linalg.lstsq(plain(a), plain(b), rcond)
    numerical_rank = int(np.max(np.sum(s > rounding(plain(a)) * np.max(s, axis=-1, keepdims=True), axis=-1), initial=0))
    if rank != numerical_rank:
        raise unsupported("linalg.lstsq", "with rcond= that leaves out singular values")
    solution = _LSTSQ(a, b, rcond=rounding(plain(a)))
    if residual_squares.size:
        residual_squares = np.reshape(np.sum(squares(b - np.dot(a, solution)), axis=0), residual_squares.shape)
    return solution, residual_squares, rank, svd(a, compute_uv=False) if isinstance(a, Traced) else s


def svdvals(x: Value, /) -> Tree:
    """Return the singular values of each matrix, the largest first."""
    return svd(as_array(x), compute_uv=False)


def eigvals(a: Value, /) -> Value:
    """Return the eigenvalues of each square matrix; real numbers if NumPy finds only real ones."""
    plain_values = np.linalg.eigvals(plain(a))
    values = eig(as_array(a))[0]
    return values if plain_values.dtype.kind == "c" else values.real


# --- norms ------------------------------------------------------------------------------------------------------------


def vector_norm(
    x: Value, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2  # noqa: A002 - NumPy's name
) -> Value:  # fmt: skip
    """Return the norms of order `ord` of vectors along one axis, or along several that count as one (default: all).

    `keepdims` keeps these axes with length 1. The slope at 0 is 0 for order 2, nan for another order p > 1; order p is
    (sum |x|^p)^(1/p), ±inf the largest and smallest size, 0 the number of nonzero elements.
    """
    norms = norm(merge_axes(as_array(x), axis, -1), ord, -1)
    return np.reshape(norms, shape_with_kept_axes(shape(x), axis)) if keepdims else norms


def matrix_norm(
    x: Array, /, *, keepdims: bool = False, ord: float | str | None = "fro"  # noqa: A002 - NumPy's name
) -> Value:  # fmt: skip
    """Return the norms of order `ord` of the matrices along the last two axes; the slope at 0 is 0 for "fro"."""
    return norm(x, ord, (-2, -1), keepdims)


def cond(x: Array, /, p: float | str | None = None) -> Value:
    """Return the condition number of each matrix in the norm `p` (None: the 2-norm).

    For None and 2 it is the largest singular value divided by the smallest, for −2 the inverse of this; for others the
    norm times that of the inverse matrix, with LinAlgError for a singular one.
    """
    if p is None or p in (2, -2):
        s = svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return norm(x, p, (-2, -1)) * norm(np.linalg.inv(x), p, (-2, -1))


# --- products and tensors ---------------------------------------------------------------------------------------------


def multi_dot(arrays: Values, /) -> Value:
    """Return the product of matrices, multiplied in the order with the fewest multiplications (dynamic programming).

    The first and the last may be vectors, a row and a column. Raises ValueError if shapes do not fit. Fewer than two
    factors (ValueError) are refused by NumPy's function, which is called with plain values before this one.
    """
    factors = [as_array(a) for a in arrays]
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
    """Return the inverse of the linear map `a` from arrays with its last axes to arrays with its first `ind` axes.

    The result has the last axes of `a` first, then the first `ind` axes. Raises LinAlgError if the map is singular or
    if the two groups of axes differ in their number of elements. An `ind` that is not positive (ValueError) is refused
    by NumPy's function, which is called with plain values before this one.
    """
    result_axes, argument_axes = shape(a)[:ind], shape(a)[ind:]
    size = int(np.prod(argument_axes))
    return np.reshape(np.linalg.inv(np.reshape(a, (size, -1))), (*argument_axes, *result_axes))


def tensorsolve(a: Array, b: Array, /, axes: Sequence[int] | None = None) -> Value:
    """Return x with tensordot(a, x, x.ndim) = b; the shape of x is `a.shape[b.ndim:]`.

    Before this the axes `axes` of `a` are moved to its end, in the order of `axes` (None: no axis is moved); negative
    numbers count from the end. Raises LinAlgError if `a` is singular. Raises ValueError or LinAlgError if b and x do
    not have as many entries as each other.
    """
    if axes is not None:
        last = [k % len(shape(a)) for k in axes]
        a = np.transpose(a, [*(k for k in range(len(shape(a))) if k not in last), *last])
    shape_of_x = shape(a)[len(shape(b)) :]
    size = int(np.prod(shape_of_x))
    return np.reshape(np.linalg.solve(np.reshape(a, (size, -1)), np.ravel(b)), shape_of_x)


RULES: Mapping[str, Callable[..., Tree]] = {
    "linalg.inv": lambda a, /: _INV(a), "linalg.det": lambda a, /: _DET(a),
    **by_name(
        solve, slogdet, cholesky, pinv, eig, eigh, eigvalsh, svd, norm, matrix_power, qr, lstsq, svdvals, eigvals,
        vector_norm, matrix_norm, cond, multi_dot, tensorinv, tensorsolve, module="linalg.",
    ),
}  # fmt: skip
