"""JavaScript: a function of numbers that returns an array of the value and the partials of each output."""

from __future__ import annotations

from ..source_code import ARITHMETIC, Assignments, Language, comment, forms

_WORDS = """arguments await break case catch class const continue debugger default delete do else enum eval export
extends false finally for function if implements import in instanceof interface let new null package private protected
public return static super switch this throw true try typeof undefined var void while with yield NaN Infinity Math
Number value_and_gradient"""

_FORMS = """
abs exp expm1 log log2 log10 log1p sqrt cbrt sin cos tan asin acos atan  Math.{name}({0})
sinh cosh tanh asinh acosh atanh floor ceil sign  Math.{name}({0})
atan2 hypot max min pow  Math.{name}({0}, {1})
fmod        {0} % {1}        PRODUCT PRODUCT SIGN
finite      Number.isFinite({0})
eq          {0} === {1}      COMPARISON COMPARISON SUM
ne          {0} !== {1}      COMPARISON COMPARISON SUM
and         {0} && {1}       AND AND AND
or          {0} || {1}       OR OR OR
not         !{0}             SIGN POWER
choose      {0} ? {1} : {2}  CHOICE OR OR CHOICE
"""


def _lay_out(program: Assignments, expression: str) -> str:
    """Return the JavaScript function `value_and_gradient` of the inputs, which returns an array of the value and
    partials of each output in order.

    `expression` is the formula for the comment above it, which also names the entries of the array. The text ends with
    a line break.
    """
    outputs = ", ".join(output.name for output in program.outputs)
    body = [f"const {step.name} = {step.text};" for step in [*program.steps, *program.renamed]]
    lines = [
        *comment("//", expression, f"returns [{', '.join(program.columns)}]"),
        f"function value_and_gradient({', '.join(program.inputs)}) {{",
        *[f"  {line}" for line in body],
        f"  return [{outputs}];",
        "}",
        "",
    ]
    return "\n".join(lines)


LANGUAGE = Language(
    name="JavaScript",
    numbers=("Infinity", "-Infinity", "NaN"),
    forms={**ARITHMETIC, **forms(_FORMS)},
    lay_out=_lay_out,
    words=frozenset(_WORDS.split()),
)
