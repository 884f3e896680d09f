"""Stand-ins for `scipy.linalg` with traced values.

Matrices may be stacked along leading axes where SciPy's function allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ...numbers.numpy_arrays import np
from ...typings import Final
from ..core.array_parts import fit, getitem
from ..core.containers import Tree
from ..core.evaluation import Differentiable
from ..core.traced import Array, Function, Value, as_array, is_complex, shape
from ..core.unsupported import unsupported
from ..numpy import linear_algebra
from ..numpy.rearranging import mirror
from .stand_ins import library, stand_in


def _columns(x: Array) -> Array:
    """Return a vector as a matrix of one column; a matrix unchanged."""
    return np.expand_dims(x, -1) if len(shape(x)) == 1 else x


def _scipy_function(name: str) -> Function:
    """Return a function that calls `scipy.linalg.<name>`, which is imported on the first call."""
    return lambda *arguments, **keywords: getattr(library("linalg"), name)(*arguments, **keywords)


# --- triangular systems -----------------------------------------------------------------------------------------------


def _triangle_read(x: Array, lower: bool, unit: bool) -> Array:
    """Return the triangle of a matrix that SciPy reads, the `lower` or the upper one, with 0 elsewhere.

    Its diagonal is 0, too, if it counts as ones (`unit`).
    """
    return np.tril(x, -1 if unit else 0) if lower else np.triu(x, 1 if unit else 0)


def _triangular_push(
    k: int, dot: Array, z: Array, a: Array, b: Array, *, trans: int, lower: bool, unit_diagonal: bool
) -> Array:
    """Return the tangent of the solution z for the tangent `dot` of a (k = 0) or b (k = 1).

    `trans` is 1 for the transpose of a, else 0. Only the half that `lower` selects is used, of a and of its tangent.
    The diagonal of both is not used with `unit_diagonal`; it counts as ones in a.
    """
    if k == 0:
        half = _triangle_read(dot, lower, unit_diagonal)
        dot = -np.matmul(mirror(half) if trans else half, z)
    return _TRIANGULAR(a, dot, trans=trans, lower=lower, unit_diagonal=unit_diagonal)


def _triangular_pull(
    k: int, g: Array, z: Array, a: Array, b: Array, *, trans: int, lower: bool, unit_diagonal: bool
) -> Value | None:
    """Return the adjoint of a (k = 0) or b (k = 1), in its shape, for the adjoint `g` of the solution z; never None.

    `trans` is 1 for the transpose of a, else 0. The adjoint of a is 0 in the half that `lower` does not select, and
    with `unit_diagonal` on the diagonal.
    """
    y = _TRIANGULAR(a, g, trans=1 - trans, lower=lower, unit_diagonal=unit_diagonal)
    if k == 1:
        return fit(y, b)
    left, right = (z, y) if trans else (y, z)
    return fit(-_triangle_read(np.matmul(_columns(left), mirror(_columns(right))), lower, unit_diagonal), a)


_TRIANGULAR: Final = Differentiable(
    "linalg.solve_triangular", _scipy_function("solve_triangular"), pull=_triangular_pull, push=_triangular_push
)


def _solve_triangular(
    a: Array, b: Array, /, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False
) -> Value:
    """Return the solution of a triangular system with the matrix a and the right side b, a vector or matrix.

    `trans` is 0 or "N" for a, 1 or "T" (and any other text) for its transpose, 2 or "C" for its conjugate transpose.
    Only the `lower` or the upper triangle of a is used, with ones on the diagonal if `unit_diagonal`. Raises
    LinAlgError, as SciPy does, for a 0 on the diagonal, Unsupported for trans=2 ("C") of complex matrices.
    """
    transposition = {"N": 0, "T": 1, "C": 2}.get(trans, trans) if isinstance(trans, str) else trans
    if transposition == 2 and is_complex(a):
        raise unsupported("scipy.linalg.solve_triangular", "with trans=2 for complex numbers")
    return _TRIANGULAR(
        a, as_array(b), trans=int(bool(transposition)), lower=bool(lower), unit_diagonal=bool(unit_diagonal)
    )


def _cholesky(a: Array, /, lower: bool = False) -> Value:
    return linear_algebra.cholesky(as_array(a), upper=not lower)


def _cho_solve(c_and_lower: tuple[Array, bool], b: Array, /) -> Value:
    """Return the solution of a system from its Cholesky factor; Unsupported for complex numbers."""
    factor, lower = as_array(c_and_lower[0]), c_and_lower[1]
    if is_complex(factor):
        raise unsupported("scipy.linalg.cho_solve", "for complex numbers")
    first = _solve_triangular(factor, b, 0 if lower else 1, lower)
    return _solve_triangular(factor, first, 1 if lower else 0, lower)


# --- functions of matrices --------------------------------------------------------------------------------------------


def _of_matrix(name: str) -> Function:
    """Return the rule for `scipy.linalg.<name>`, an analytic function of a square matrix, such as expm.

    The rule takes no options. The derivative along E is the upper right block of the function of [[A, E], [0, A]]; N.
    Higham, "Functions of Matrices" (2008), section 3.1.
    """

    def along(a: Array, e: Array, keywords: Mapping[str, object]) -> Array:
        """Return the derivative of the function at `a` along the direction `e`."""
        n = shape(a)[-1]
        e = np.broadcast_to(e, shape(a))
        above = np.concatenate([a, e], axis=-1)
        below = np.concatenate([np.zeros(shape(a)), a], axis=-1)
        return getitem(
            function_of_matrix(np.concatenate([above, below], axis=-2), **keywords), (..., slice(n), slice(n, None))
        )

    function_of_matrix = Differentiable(
        f"linalg.{name}", _scipy_function(name), pull=lambda k, g, z, a, **keywords: along(mirror(a), g, keywords),
        push=lambda k, dot, z, a, **keywords: along(a, dot, keywords),
    )  # fmt: skip
    return lambda a, /: function_of_matrix(as_array(a))


_SQRTM: Final = Differentiable(
    "linalg.sqrtm", _scipy_function("sqrtm"), pull=lambda k, g, z, a: _solve_sylvester(mirror(z), mirror(z), g),
    push=lambda k, dot, z, a: _solve_sylvester(z, z, dot),
)  # fmt: skip


# --- matrix equations -------------------------------------------------------------------------------------------------


def _sylvester_push(k: int, dot: Array, z: Array, a: Array, b: Array, q: Array) -> Array:
    """Return the tangent of the solution z of a·z + z·b = q for the tangent `dot` of a, b or q."""
    return _SYLVESTER(a, b, (-np.matmul(dot, z), -np.matmul(z, dot), dot)[k])


def _sylvester_pull(k: int, g: Array, z: Array, a: Array, b: Array, q: Array) -> Array:
    """Return the adjoint of a, b or q (k = 0, 1, 2) for the adjoint `g` of the solution z."""
    y = _SYLVESTER(mirror(a), mirror(b), g)
    return y if k == 2 else -np.matmul(y, mirror(z)) if k == 0 else -np.matmul(mirror(z), y)


_SYLVESTER: Final = Differentiable(
    "linalg.solve_sylvester", _scipy_function("solve_sylvester"), pull=_sylvester_pull, push=_sylvester_push
)


def _solve_sylvester(a: Array, b: Array, q: Array, /) -> Value:
    return _SYLVESTER(as_array(a), as_array(b), as_array(q))


def _solve_lyapunov(a: Array, q: Array, /) -> Value:
    return _solve_sylvester(a, linear_algebra.dagger(as_array(a)), q)


def _solve_discrete_lyapunov(a: Array, q: Array, /) -> Value:
    n = shape(a)[-1]
    return np.reshape(np.linalg.solve(np.eye(n * n) - np.kron(a, np.conjugate(a)), np.ravel(q)), (n, n))


# --- banded systems ---------------------------------------------------------------------------------------------------


def _shift(row: Array, d: int) -> Array:
    """Return the vector shifted by d places to the right (d < 0: to the left), with zeros in the free places."""
    n = shape(row)[0]
    if abs(d) >= n:
        return np.zeros(n)
    return np.concatenate([np.zeros(d), row[: n - d]] if d >= 0 else [row[-d:], np.zeros(-d)])


def _diagonals(below: int, above: int) -> Sequence[tuple[int, int]]:
    """Return pairs (row of the banded form, how far that diagonal is below the main one) from the top."""
    return [(above + d, d) for d in range(-above, below + 1)]


def _banded_push(k: int, dot: Array, z: Array, ab: Array, b: Array, *, l_and_u: tuple[int, int]) -> Array:
    """Return the tangent of the solution z for the tangent `dot` of the banded matrix `ab` (k = 0) or of b (k = 1).

    `ab` has one diagonal in each row, in SciPy's layout; `l_and_u` are the numbers of diagonals below and above the
    main one.
    """
    if k == 0:
        columns = _columns(z)
        products = [
            np.stack([_shift(dot[row] * columns[:, j], d) for j in range(shape(columns)[1])], axis=-1)
            for row, d in _diagonals(*l_and_u)
        ]
        dot = -np.reshape(np.sum(np.stack(products), axis=0), shape(z))
    return _BANDED(ab, dot, l_and_u=l_and_u)


def _banded_pull(k: int, g: Array, z: Array, ab: Array, b: Array, *, l_and_u: tuple[int, int]) -> Value | None:
    """Return the adjoint of the banded matrix `ab` (k = 0) or of b (k = 1) for the adjoint `g` of the solution z.

    `ab` and its adjoint are in SciPy's layout. `l_and_u` are the numbers of diagonals below and above the main one.
    Both come from one solution with the transposed matrix. The result is never None.
    """
    below, above = l_and_u
    rows = _diagonals(below, above)
    transposed = np.stack([_shift(ab[row], d) for row, d in reversed(rows)])
    y = _BANDED(transposed, g, l_and_u=(above, below))
    if k == 1:
        return fit(y, b)
    left, right = _columns(y), _columns(z)
    return -np.stack([
        sum(_shift(left[:, j], -d) * right[:, j] for j in range(shape(left)[1])) for _, d in rows
    ])  # fmt: skip


_BANDED: Final = Differentiable(
    "linalg.solve_banded", lambda ab, b, *, l_and_u: library("linalg").solve_banded(l_and_u, ab, b), pull=_banded_pull,
    push=_banded_push,
)  # fmt: skip


def _solve_banded(l_and_u: tuple[int, int], ab: Array, b: Array, /) -> Value:
    below, above = map(int, l_and_u)
    return _BANDED(as_array(ab), as_array(b), l_and_u=(below, above))


# --- matrices from vectors --------------------------------------------------------------------------------------------


def _toeplitz(c: Array, /, r: Array | None = None) -> Value:
    """Return the matrix with first column c and first row r, without the first number of r; r is conj(c) by default."""
    c = np.ravel(as_array(c))
    r = np.conjugate(c) if r is None else np.ravel(as_array(r))
    rows, columns = shape(c)[0], shape(r)[0]
    places = rows - 1 - np.arange(rows)[:, None] + np.arange(columns)
    return np.concatenate([c[::-1], r[1:]])[places]


def _block_diag(*arrays: Array) -> Value:
    """Return the matrix with these matrices along its diagonal, and zeros elsewhere.

    A vector counts as a matrix of one row, a number as one of one entry. Raises ValueError if there are no arguments,
    or if one has more than two axes.
    """
    blocks = [np.atleast_2d(as_array(a)) for a in arrays]
    width, left, rows = sum(shape(block)[1] for block in blocks), 0, []
    for block in blocks:
        height, wide = shape(block)
        rows.append(np.concatenate([np.zeros((height, left)), block, np.zeros((height, width - left - wide))], axis=1))
        left += wide
    return np.concatenate(rows)


def _eigh(a: Array, /, lower: bool = True, eigvals_only: bool = False) -> Tree:
    """Return (eigenvalues, eigenvectors as columns) of a Hermitian matrix, or only the eigenvalues."""
    result = linear_algebra.eigh(as_array(a), "L" if lower else "U")
    return result[0] if eigvals_only else tuple(result)


RULES: Final[Mapping[str, Callable[..., Tree]]] = MappingProxyType({
    "solve_triangular": _solve_triangular, "cholesky": _cholesky,
    "cho_factor": lambda a, /, lower=False: (_cholesky(a, lower), lower), "cho_solve": _cho_solve,
    **{name: _of_matrix(name)
       for name in ("expm", "logm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm", "signm")},
    "sqrtm": lambda a, /: _SQRTM(as_array(a)),
    "solve_sylvester": _solve_sylvester, "solve_continuous_lyapunov": _solve_lyapunov,
    "solve_lyapunov": _solve_lyapunov, "solve_discrete_lyapunov": _solve_discrete_lyapunov,
    "solve_banded": _solve_banded, "toeplitz": _toeplitz, "block_diag": _block_diag,
    "solve": lambda a, b, /: np.linalg.solve(as_array(a), as_array(b)), "inv": lambda a, /: np.linalg.inv(as_array(a)),
    "det": lambda a, /: np.linalg.det(as_array(a)), "pinv": lambda a, /: np.linalg.pinv(as_array(a)),
    "eigh": _eigh, "norm": linear_algebra.norm, "svdvals": lambda a, /: np.linalg.svd(as_array(a), compute_uv=False),
    "svd": lambda a, /, full_matrices=True, compute_uv=True: np.linalg.svd(as_array(a), full_matrices, compute_uv),
})  # fmt: skip


def __getattr__(name: str) -> Callable[..., Tree]:
    return stand_in("linalg", name, RULES)
