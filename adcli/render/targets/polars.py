"""Polars: a function of expressions, which returns a list of named ones: the value and the partials of each output."""

from __future__ import annotations

import keyword

from ...errors import RequestError
from .. import read_file
from ..source_code import ARITHMETIC, Assignment, Assignments, Language, comment, count_unshared, forms, python_function

_LARGEST = 3_000  # operations, shared parts counted at each use


def _lay_out(program: Assignments, expression: str) -> str:
    """Return a Python file with a function `value_and_gradient` of Polars expressions, which returns a list of named
    ones: value and partials of each output, each under its name in `columns`.

    `expression` is the formula for the comment. Imports and a helper for functions of `math` are included as needed.
    Raises RequestError if shared parts, which Polars evaluates repeatedly, make more than 3,000 operations.
    """
    size = count_unshared(program)
    if size > _LARGEST:
        title = f"Polars would evaluate shared parts again and again: {size} operations"
        raise RequestError(title, help="try --to numpy")
    results = zip(program.outputs, program.columns, strict=True)
    named = [f'{_expression(output)}.alias("{name}"),' for output, name in results]
    steps = [f"{step.name} = {step.text}" for step in program.steps]
    source = "\n".join([*steps, *named])
    mathematics = "math." in source
    constants = [name for name in ("inf", "nan") if name in source or (mathematics and name == "nan")]
    comments = comment("#", expression, f"expressions of {', '.join(program.columns)}")
    lines = [
        *["import math"] * mathematics,
        *[f"from math import {', '.join(constants)}", ""] * bool(constants),
        "import polars as pl",
        *[read_file("targets/polars_each.txt")] * mathematics,
        *["", ""] * (not mathematics),
        *python_function(comments, program.inputs, [*steps, "return [", *[f"    {x}" for x in named], "]"]),
    ]
    return "\n".join(lines)


def _expression(output: Assignment) -> str:
    """Return the output's text as a Polars expression: a literal for a number, brackets around an operation."""
    if not output.uses:
        return f"pl.lit({output.text})"
    return output.text if output.text.isidentifier() else f"({output.text})"


LANGUAGE = Language(
    name="Polars",
    numbers=("inf", "-inf", "nan"),
    forms={**ARITHMETIC, **forms("polars")},
    lay_out=_lay_out,
    words=frozenset(keyword.kwlist) | {"pl", "inf", "nan", "math", "_each", "value_and_gradient"},
    finite=repr,
)
