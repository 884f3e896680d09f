"""Functions of PyTorch's tensors and of JAX's arrays, with the derivative of a kernel."""

from __future__ import annotations

from collections.abc import Callable

from ..extras import Needs
from ..typings import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    import torch

    from ..engine.kernel import Kernel

    Context: TypeAlias = torch.autograd.function.FunctionCtx
    import jax
    from numpy.typing import NDArray

    # The outputs, or all columns: the outputs and their derivatives.
    Columns = tuple[jax.Array, ...]

T = TypeVar("T")


def to_torch(kernel: Kernel) -> Callable[..., torch.Tensor | tuple[torch.Tensor, ...]]:
    """Return a function of tensors or numbers, by the names of the inputs or in their order.

    It computes in doubles, on the CPU, whatever the tensors are, and so are its results. The result has the shape to
    which the arguments are broadcast: one tensor, or a tuple for several outputs. It can be differentiated once, by
    reverse mode, and mapped by `torch.vmap`. At points outside a domain results and slopes are nan, with a warning.
    Raises RequestError without PyTorch; the function raises TypeError for missing, repeated, unknown, too many inputs.
    """
    with Needs("functions of tensors need torch", "torch"):
        import torch
    names, outputs = kernel.inputs, kernel.outputs

    class Applied(torch.autograd.Function):  # type: ignore[misc]  # PyTorch's types are not looked at
        """The kernel as a function of PyTorch: all outputs, then their partials, which cannot be differentiated."""

        @staticmethod
        def forward(*xs: torch.Tensor) -> tuple[torch.Tensor, ...]:
            points = {name: x.detach().cpu().numpy() for name, x in zip(names, xs, strict=True)}
            columns = kernel.columns(points)
            column_names = [*outputs, *(f"d{output}_d{name}" for output in outputs for name in names)]
            return tuple([torch.as_tensor(columns[name], dtype=torch.float64) for name in column_names])

        @staticmethod
        def setup_context(ctx: Context, _inputs: object, output: tuple[torch.Tensor, ...]) -> None:
            partials = output[len(outputs) :]
            ctx.mark_non_differentiable(*partials)
            ctx.save_for_backward(*partials)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Context, *bars: torch.Tensor) -> tuple[torch.Tensor, ...]:
            rows = [ctx.saved_tensors[k : k + len(names)] for k in range(0, len(ctx.saved_tensors), len(names))]
            return tuple([sum(bar * row[k] for bar, row in zip(bars, rows, strict=False)) for k in range(len(names))])

        @staticmethod
        def vmap(
            info: torch._functorch.autograd_function.VmapInfo, in_dims: tuple[int | None, ...], *xs: torch.Tensor
        ) -> tuple[tuple[torch.Tensor, ...], tuple[int, ...]]:
            """Return the results for inputs with a batch axis, moved to the front, and its place (0) in each."""
            size = info.batch_size
            batched = [
                x.expand(size, *x.shape) if dim is None else x.movedim(dim, 0)
                for x, dim in zip(xs, in_dims, strict=True)
            ]
            results = Applied.apply(*batched)
            return results, (0,) * len(results)

    def function(*arguments: object, **named: object) -> torch.Tensor | tuple[torch.Tensor, ...]:
        points = in_names(names, arguments, named)
        xs = [torch.as_tensor(points[name]).to(torch.float64) for name in names]
        results = Applied.apply(*torch.broadcast_tensors(*xs))[: len(outputs)]
        return results[0] if len(results) == 1 else results

    return function


def in_names(names: list[str], arguments: tuple[T, ...], named: dict[str, T]) -> dict[str, T]:
    """Return the arguments by input name, first those by position (in the order of `names`), then those by name.

    Raises TypeError for more arguments than inputs. Otherwise it is raised for the first repeated input, or else the
    first unknown one, or else the first missing one.
    """
    if len(arguments) > len(names):
        raise TypeError(f"there are {len(names)} inputs ({', '.join(names)}), not {len(arguments)}")
    points = dict(zip(names, arguments, strict=False))
    problems = [f"the input {name} is given twice" for name in named if name in points]
    problems += [f"the name {name} is not an input" for name in named if name not in names]
    points |= named
    problems += [f"the input {name} has no value" for name in names if name not in points]
    if problems:
        raise TypeError(problems[0])
    return points


def to_jax(kernel: Kernel) -> Callable[..., jax.Array | Columns]:
    """Return a function of arrays or numbers, by the names of the inputs or in their order, for grad, jit and vmap.

    The kernel computes in doubles on the host; results are doubles if `jax_enable_x64` is set, else single precision.
    They have the shape to which the arguments are broadcast: one array, or a tuple for several outputs. It can be
    differentiated once, forward or reverse. Outside a domain it gives nan and warns. Raises RequestError without JAX;
    the function raises TypeError for missing, repeated, unknown or too many inputs.
    """
    with Needs("functions of JAX's arrays need jax", "jax"):
        import jax
        import jax.numpy as jnp
        import numpy as np
    names, outputs = kernel.inputs, kernel.outputs
    column_names = [*outputs, *(f"d{output}_d{name}" for output in outputs for name in names)]

    def evaluate(xs: Columns) -> Columns:
        """Return all columns: the outputs, then the derivatives of the first output with respect to each input, of the
        second, ….

        All have the common shape of the inputs `xs`, and JAX's default type of floats.
        """
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
