"""PyTorch functions of expressions, on tensors, with derivatives by the compiled kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ..extras import Needs

if TYPE_CHECKING:
    import torch

    from ..engine.kernel import Kernel

    Context: TypeAlias = torch.autograd.function.FunctionCtx

T = TypeVar("T")


def to_torch(kernel: Kernel) -> Callable[..., torch.Tensor | tuple[torch.Tensor, ...]]:
    """Return a function of tensors or numbers, by the names of the inputs or in their order.

    It computes in doubles, on the CPU, whatever the tensors are. The result has the shape to which the arguments are
    broadcast: one tensor, or a tuple for several outputs. It can be differentiated once, by reverse mode, and mapped by
    `torch.vmap`. Raises RequestError without PyTorch; the function raises TypeError for missing, repeated or unknown
    inputs.
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
    """Return the arguments by input name, from those by position (in the order of `names`) and those by name.

    Raises TypeError for more arguments than inputs; then for the first repeated, else the first unknown, else the first
    missing input.
    """
    if len(arguments) > len(names):
        raise TypeError(f"there are {len(names)} inputs ({', '.join(names)}), not {len(arguments)}")
    points = dict(zip(names, arguments, strict=False))
    duplicates = [name for name in named if name in points]
    unknown = [name for name in named if name not in names]
    missing = [name for name in names if name not in points and name not in named]
    if duplicates or unknown or missing:
        what = f"{duplicates[0]} is given twice" if duplicates else f"{unknown[0]} is not an input" if unknown else ""
        raise TypeError(what or f"{missing[0]} has no value")
    return points | named
