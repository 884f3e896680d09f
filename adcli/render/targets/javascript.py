"""JavaScript: a function of numbers that returns an array of the value and the partials of each output."""

from __future__ import annotations

from ..source_code import ARITHMETIC, Assignments, Language, comment, forms, words


def _lay_out(program: Assignments, expression: str) -> str:
    """Return the JavaScript function `value_and_gradient` of the inputs, which returns an array of the value and
    partials of each output in order.

    `expression` is the formula for the comment above it, which also names the entries of the array. The text ends with
    a line break.
    """
    outputs = ", ".join(output.name for output in program.outputs)
    body = [f"  const {step.name} = {step.text};" for step in [*program.steps, *program.renamed]]
    comments = comment("//", expression, f"returns [{', '.join(program.columns)}]")
    head = f"function value_and_gradient({', '.join(program.inputs)}) {{"
    lines = [*comments, head, *body, f"  return [{outputs}];", "}", ""]
    return "\n".join(lines)


LANGUAGE = Language(
    name="JavaScript",
    numbers=("Infinity", "-Infinity", "NaN"),
    forms={**ARITHMETIC, **forms("javascript")},
    lay_out=_lay_out,
    words=words("javascript"),
)
