"""C: a function that fills the value and the partials of each output, in order."""

from __future__ import annotations

from string import ascii_uppercase

from ...table.primitive import ROWS
from ..source_code import ARITHMETIC, Assignments, Language, comment, first_free, forms, functions, words

_LIBRARY = [(row.name, row.libm, row.arity or 1) for row in ROWS.values() if row.libm]


def _lay_out(program: Assignments, expression: str) -> str:
    """Return a C file with one function, `value_and_gradient(x, out)`, and its prototype.

    The function reads the inputs from the array x and fills out with the value and partials of each output in order. A
    comment above it has the formula `expression` and the order of inputs and results. Inputs that are not used get no
    variable; conditions are int. The arrays have other names if the program uses x or out. The text ends with a line
    break.
    """
    taken = {*program.inputs, *(step.name for step in program.steps)}
    point, out = first_free("x", taken, ("at", "point")), first_free("out", taken, ("result", "filled"))
    used = {name for step in program.steps for name in step.uses} | {n for o in program.outputs for n in o.uses}
    body = [f"const double {name} = {point}[{k}];" for k, name in enumerate(program.inputs) if name in used]
    body += [f"(void){point};"] if not body else []
    body += [f"const {'int' if step.truth else 'double'} {step.name} = {step.text};" for step in program.steps]
    for k, (output, name) in enumerate(zip(program.outputs, program.columns, strict=True)):
        body.append(f"{out}[{k}] = {output.text};" + f" // {name}" * (output.text != name))
    inputs = f"{point} holds {', '.join(program.inputs)}" if program.inputs else "no inputs"
    comments = comment("//", expression, f"{inputs}; {out} is filled with {', '.join(program.columns)}")
    head = f"void value_and_gradient(const double *{point}, double *{out})"
    lines = [*comments, "#include <math.h>", "", f"{head};", "", head, "{", *[f"    {line}" for line in body], "}", ""]
    return "\n".join(lines)


LANGUAGE = Language(
    name="C",
    numbers=("INFINITY", "-INFINITY", "NAN"),
    forms={**ARITHMETIC, **functions(*_LIBRARY), **forms("c")},
    lay_out=_lay_out,
    words=words("c") | {called for _, called, _ in _LIBRARY},
    reserved=("__", *[f"_{letter}" for letter in ascii_uppercase], "M_", "FP_", "HUGE_", "MATH_"),
    finite=repr,
    unicode=False,
)
