"""JAX functions of expressions, on JAX's arrays, with derivatives by the compiled kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..extras import Needs
from .torch_function import in_names

if TYPE_CHECKING:
    import jax
    from numpy.typing import NDArray

    from ..engine.kernel import Kernel

    # The outputs, or all columns: the outputs and their derivatives.
    Columns = tuple[jax.Array, ...]


def to_jax(kernel: Kernel) -> Callable[..., jax.Array | Columns]:
    """Return a function of arrays or numbers, by the names of the inputs or in their order, for grad, jit and vmap.

    The kernel computes in doubles on the host; results are doubles if `jax_enable_x64` is set, else single precision.
    They have the shape to which the arguments are broadcast: one array, or a tuple for several outputs. It can be
    differentiated once, forward or reverse. Raises RequestError without JAX; the function raises TypeError for missing,
    repeated or unknown inputs.
    """
    with Needs("functions of JAX's arrays need jax", "jax"):
        import jax
        import jax.numpy as jnp
        import numpy as np
    names, outputs = kernel.inputs, kernel.outputs
    column_names = [*outputs, *(f"d{output}_d{name}" for output in outputs for name in names)]

    def evaluate(xs: Columns) -> Columns:
        """Return all columns: the outputs, then the derivative of each output with respect to each input."""
        kind = jnp.result_type(float)
        shape = jnp.broadcast_shapes(*[x.shape for x in xs])

        def on_host(*points: jax.Array) -> tuple[NDArray[np.floating], ...]:
            columns = kernel.columns({name: np.asarray(x, float) for name, x in zip(names, points, strict=True)})
            return tuple([np.asarray(columns[name], kind) for name in column_names])

        like = tuple([jax.ShapeDtypeStruct(shape, kind)] * len(column_names))
        columns: Columns = jax.pure_callback(on_host, like, *xs, vmap_method="broadcast_all")
        return columns

    differentiable = jax.custom_jvp(lambda *xs: evaluate(xs)[: len(outputs)])

    def tangent_rule(xs: Columns, dots: Columns) -> tuple[Columns, Columns]:
        """Return (the outputs, their tangents) for inputs and their tangents."""
        columns = evaluate(xs)
        values, partials = columns[: len(outputs)], columns[len(outputs) :]
        rows = [partials[k : k + len(names)] for k in range(0, len(partials), len(names))]
        return values, tuple([sum(p * dot for p, dot in zip(row, dots, strict=True)) for row in rows])

    differentiable.defjvp(tangent_rule)

    def function(*arguments: object, **named: object) -> jax.Array | Columns:
        """Return the output, or the tuple of outputs if there are several.

        Raises TypeError for missing, repeated, unknown or too many inputs.
        """
        points = in_names(names, arguments, named)
        results = differentiable(*[jnp.asarray(points[name], jnp.result_type(float)) for name in names])
        return results[0] if len(results) == 1 else results

    return function
