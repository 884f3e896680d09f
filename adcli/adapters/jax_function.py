"""Expressions as functions of JAX's arrays, with a derivative of their own around the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..extras import Needs
from .torch_function import in_names

if TYPE_CHECKING:
    from ..engine.kernel import Kernel


def to_jax(kernel: Kernel) -> Callable[..., Any]:
    """A function of arrays or numbers by the names of the inputs, or in their order, for grad, jit and vmap.

    The kernel computes in doubles on the host; results are doubles where `jax_enable_x64` is set, else single.  They
    have the shape that the arguments are broadcast to: one array, or a tuple where there are several outputs.  It can
    be differentiated once.
    """
    with Needs("functions of JAX's arrays need jax", "jax"):
        import jax
        import jax.numpy as jnp
        import numpy as np
    names, outputs = kernel.inputs, kernel.outputs
    wanted = [*outputs, *(f"d{output}_d{name}" for output in outputs for name in names)]

    def asked(xs: Any) -> Any:
        kind = jnp.result_type(float)
        shape = jnp.broadcast_shapes(*[x.shape for x in xs])

        def on_host(*points: Any) -> Any:
            columns = kernel.columns({name: np.asarray(x, float) for name, x in zip(names, points, strict=True)})
            return tuple([np.asarray(columns[name], kind) for name in wanted])

        like = tuple([jax.ShapeDtypeStruct(shape, kind)] * len(wanted))
        return jax.pure_callback(on_host, like, *xs, vmap_method="broadcast_all")

    applied = jax.custom_jvp(lambda *xs: asked(xs)[: len(outputs)])

    def pushed(xs: Any, dots: Any) -> Any:
        found = asked(xs)
        values, partials = found[: len(outputs)], found[len(outputs) :]
        rows = [partials[k : k + len(names)] for k in range(0, len(partials), len(names))]
        return values, tuple([sum(p * dot for p, dot in zip(row, dots, strict=True)) for row in rows])

    applied.defjvp(pushed)

    def called(*given: Any, **named: Any) -> Any:
        points = in_names(names, given, named)
        found = applied(*[jnp.asarray(points[name], jnp.result_type(float)) for name in names])
        return found[0] if len(found) == 1 else found

    return called
