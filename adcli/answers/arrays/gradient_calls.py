"""Calls in answers that evaluate gradients of arrays, of JAX, PyTorch, TensorFlow and Julia."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..row_tokens import names_in


def gradients_called(text: str, inputs: Sequence[str], required: Collection[str], result: str) -> str:
    """Return the symbols that a call such as `jax.grad(f)(x)` or `tape.gradient(L, [W, b])` evaluates, `∂y/∂W, ∂y/∂b`;
    "" for another text: the name of the function must contain "grad".

    They are of the `required` arrays among its arguments (`_arguments`), of all of these in the order of `inputs` if
    there is none; for `value_and_grad` the `result` comes first.
    """
    call, bracket, arguments = text.partition("(")
    call = call.replace("::", ".").rpartition(".")[2]
    if not (call.isidentifier() and "grad" in call.lower() and bracket and {*"(,"} & {*arguments}):
        return ""
    names = [name for name in _arguments(arguments) if name in required]
    names = names or [name for name in dict.fromkeys(inputs) if name in required]
    first = [result] if "value" in call or "with" in call else []
    return ", ".join([*first, *(f"∂{result}/∂{name}" for name in names)])


def _arguments(text: str) -> list[str]:
    """Return the names in `text`, what follows the first bracket of a gradient's call: L, W and b for `L, [W, b])`.

    If the gradient is called itself, `f)(x, y)`, it is only the first name in the second bracket, or those at the
    indices of `argnums` (from 0, of one digit).
    """
    before, is_curried, arguments = text.partition(")(")
    if not is_curried:
        return names_in(text)
    names = names_in(arguments)
    digits = [int(sign) for sign in before.partition("argnums")[2] if sign.isdecimal()]
    return [names[k] for k in digits or [0] if k < len(names)]
