"""NumPy: a function of arrays, which returns the value and the partials of each output as arrays of one shape."""

from __future__ import annotations

import keyword

from ...table.primitive import ROWS
from ..source_code import ARITHMETIC, Assignments, Language, comment, forms, functions, python_function

_LIBRARY = [(row.name, row.numpy, row.arity or 1) for row in ROWS.values() if row.numpy]


def _lay_out(program: Assignments, expression: str) -> str:
    """Return a Python file with a function `value_and_gradient` of arrays, which are broadcast against each other; it
    returns a tuple of the value and partials of each output.

    Constant outputs are filled arrays of the inputs' shape; without inputs they are scalars. Warnings of NumPy are
    silenced. `expression` is the formula for the comment above it. The text ends with a line break.
    """
    inputs, outputs = ", ".join(program.inputs), ", ".join(output.name for output in program.outputs)
    arrays = ", ".join(f"np.asarray({name}, float)" for name in program.inputs)
    like = f"np.full_like({program.inputs[0]}, {{}})" if inputs else "np.array({}, float)"
    renamed = [f"{o.name} = {o.text if o.uses else like.format(o.text)}" for o in program.renamed]
    steps = [*[f"{step.name} = {step.text}" for step in program.steps], *renamed]
    body = [f"{inputs} = np.broadcast_arrays({arrays})"] if len(program.inputs) > 1 else []
    body += [f"{inputs} = {arrays}"] if len(program.inputs) == 1 else []
    last = f"return {outputs}{',' * (len(program.outputs) == 1)}"
    body += ['with np.errstate(all="ignore"):', *[f"    {line}" for line in steps], last]
    comments = comment("#", expression, f"returns {', '.join(program.columns)}")
    return "\n".join(["import numpy as np", "", "", *python_function(comments, program.inputs, body)])


LANGUAGE = Language(
    name="NumPy",
    numbers=("np.inf", "-np.inf", "np.nan"),
    forms={**functions(*_LIBRARY, prefix="np."), **ARITHMETIC, **forms("numpy")},
    lay_out=_lay_out,
    words=frozenset(keyword.kwlist) | {"np", "float", "value_and_gradient"},
)
