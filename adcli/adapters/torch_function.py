"""Expressions as functions of PyTorch's tensors, with a derivative of their own around the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..extras import Needs

if TYPE_CHECKING:
    from ..engine.kernel import Kernel


def to_torch(kernel: Kernel) -> Callable[..., Any]:
    """A function of tensors or numbers by the names of the inputs, or in their order.

    It computes in doubles, on the CPU.  The result has the shape that the arguments are broadcast to: one tensor, or a
    tuple where there are several outputs.  It can be differentiated once, and mapped by `torch.vmap`.
    """
    with Needs("functions of tensors need torch", "torch"):
        import torch
    names, outputs = kernel.inputs, kernel.outputs

    class Applied(torch.autograd.Function):  # type: ignore[misc]  # PyTorch's types are not looked at
        """The kernel: values of all outputs, then their partials, of which no derivative is known."""

        @staticmethod
        def forward(*xs: Any) -> Any:
            points = {name: x.detach().cpu().numpy() for name, x in zip(names, xs, strict=True)}
            columns = kernel.columns(points)
            wanted = [*outputs, *(f"d{output}_d{name}" for output in outputs for name in names)]
            return tuple([torch.as_tensor(columns[name], dtype=torch.float64) for name in wanted])

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ARG004 - PyTorch's names
            partials = output[len(outputs) :]
            ctx.mark_non_differentiable(*partials)
            ctx.save_for_backward(*partials)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, *bars: Any) -> Any:
            rows = [ctx.saved_tensors[k : k + len(names)] for k in range(0, len(ctx.saved_tensors), len(names))]
            return tuple([sum(bar * row[k] for bar, row in zip(bars, rows, strict=False)) for k in range(len(names))])

        @staticmethod
        def vmap(info: Any, in_dims: Any, *xs: Any) -> Any:
            size = info.batch_size
            found = [
                x.expand(size, *x.shape) if dim is None else x.movedim(dim, 0)
                for x, dim in zip(xs, in_dims, strict=True)
            ]
            done = Applied.apply(*found)
            return done, (0,) * len(done)

    def called(*given: Any, **named: Any) -> Any:
        points = in_names(names, given, named)
        xs = [torch.as_tensor(points[name]).to(torch.float64) for name in names]
        found = Applied.apply(*torch.broadcast_tensors(*xs))[: len(outputs)]
        return found[0] if len(found) == 1 else found

    return called


def in_names(names: list[str], given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """Arguments that are given in order, by name, or both.  Raises TypeError as a function of Python does."""
    if len(given) > len(names):
        raise TypeError(f"there are {len(names)} inputs ({', '.join(names)}), and {len(given)} were given")
    points = dict(zip(names, given, strict=False))
    twice = [name for name in named if name in points]
    wrong = [name for name in named if name not in names]
    missing = [name for name in names if name not in points and name not in named]
    if twice or wrong or missing:
        what = f"{twice[0]} is given twice" if twice else f"{wrong[0]} is no input" if wrong else ""
        raise TypeError(what or f"{missing[0]} has no value")
    return points | named
