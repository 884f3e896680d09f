"""Calls in answers that evaluate gradients of arrays, of JAX, PyTorch, TensorFlow and Julia."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..row_tokens import names_in


def gradients_called(text: str, inputs: Sequence[str], required: Collection[str], result: str) -> str:
    """Return the symbols that a call for gradients evaluates: `∂y/∂W, ∂y/∂b` for `tape.gradient(L, [W, b])` if `result`
    is y.

    They are of those `required` arrays that are arguments of the call (`_arguments`), in their order. If there are none
    among these, they are of all `required` arrays, in the order of `inputs`. If the name of the function, after its
    last point, contains "value" or "with" (in small letters), as value_and_grad, the `result` comes first. "" if `text`
    is not a call with two or more arguments, as `grad(L, W)`, or in two steps, as `grad(f)(x)`; also "" if the name
    does not contain "grad" (in any capitals), and for one of several gradients, `gradient(f, A, x)[2]`. The index in
    `gradient(f, x)[1]` is ignored, that in `grad(f)(x)[0]` is of an entry.
    """
    call, bracket, arguments = text.partition("(")
    call = call.replace("::", ".").rpartition(".")[2]
    if not (call.isidentifier() and "grad" in call.lower() and bracket and {*"(,"} & {*arguments}):
        return ""
    names = [name for name in _arguments(arguments) if name in required]
    if text.rstrip().endswith("]") and len(names) != 1:
        return ""
    names = names or [name for name in dict.fromkeys(inputs) if name in required]
    first = [result] if "value" in call or "with" in call else []
    return ", ".join([*first, *(f"∂{result}/∂{name}{_entry(text)}" for name in names)])


def _entry(text: str) -> str:
    """Return `[0]` for the entry of a gradient that `grad(f)(x)[0]` evaluates; "" for other calls."""
    _, closing, index = text.rpartition(")[")
    return f"[{index.strip()}" if closing and ")(" in text else ""


def _arguments(text: str) -> list[str]:
    """Return the names in `text`, which follows the first bracket of a gradient's call: L, W and b for `L, [W, b])`.

    If the gradient itself is called, `f)(x, y)`, it is the first name in the second bracket, or the names at the
    indices of `argnums` (from 0, of one digit, those too large left out). Without `)(` they are all names in `text`,
    whatever `argnums` is.
    """
    before, is_curried, arguments = text.partition(")(")
    if not is_curried:
        return names_in(text)
    names = names_in(arguments)
    digits = [int(sign) for sign in before.partition("argnums")[2] if sign.isdecimal()]
    return [names[k] for k in digits or [0] if k < len(names)]
