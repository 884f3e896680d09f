"""C: a function that fills the value and the partials of each output, in order."""

from __future__ import annotations

from string import ascii_uppercase

from ...table.primitive import ROWS
from ..source_code import ARITHMETIC, Assignments, Language, comment, first_free, forms, functions

_WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof
main errno bool true false nullptr alignas alignof constexpr thread_local and or not xor bitand bitor compl class new
delete this template typename namespace using public private protected virtual friend operator try catch throw export
j0 j1 jn y0 y1 yn signgam exp log sin cos tan pow sqrt fabs floor ceil round abs div index gamma isnan isinf isfinite
linux unix NAN INFINITY value_and_gradient math_errhandling"""

_LIBRARY = [(row.name, row.libm, row.arity or 1) for row in ROWS.values() if row.libm]

_FORMS = """
abs         fabs({0})
floor ceil round  {name}({0})
fmod        fmod({0}, {1})
finite      isfinite({0})
eq          {0} == {1}       COMPARISON COMPARISON SUM
ne          {0} != {1}       COMPARISON COMPARISON SUM
eq_itself   !isnan({0})      SIGN
ne_itself   isnan({0})
and         {0} && {1}       AND AND AND
or          {0} || {1}       OR COMPARISON COMPARISON
not         !{0}             SIGN ATOM
choose      {0} ? {1} : {2}  CHOICE COMPARISON SUM SUM
"""


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
    lines = [
        *comments,
        "#include <math.h>",
        "",
        f"void value_and_gradient(const double *{point}, double *{out});",
        "",
        f"void value_and_gradient(const double *{point}, double *{out})",
        "{",
        *[f"    {line}" for line in body],
        "}",
        "",
    ]
    return "\n".join(lines)


LANGUAGE = Language(
    name="C",
    numbers=("INFINITY", "-INFINITY", "NAN"),
    forms={**ARITHMETIC, **functions(*_LIBRARY), **forms(_FORMS)},
    lay_out=_lay_out,
    words=frozenset(_WORDS.split()) | {called for _, called, _ in _LIBRARY},
    reserved=("__", *[f"_{letter}" for letter in ascii_uppercase], "M_", "FP_", "HUGE_", "MATH_"),
    finite=repr,
    unicode=False,
)
