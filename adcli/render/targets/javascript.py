"""JavaScript: a function of numbers, which returns an array of the value and the partials of each output."""

from __future__ import annotations

from types import MappingProxyType

from ...overriding import override
from ..source_code import (
    AND,
    ARITHMETIC,
    CHOICE,
    COMPARISON,
    OR,
    POWER,
    PRODUCT,
    SIGN,
    Assignments,
    Form,
    Language,
    calls,
    comment,
    infix,
)  # fmt: skip

_WORDS = """arguments await break case catch class const continue debugger default delete do else enum eval export
extends false finally for function if implements import in instanceof interface let new null package private protected
public return static super switch this throw true try typeof undefined var void while with yield NaN Infinity Math
Number value_and_gradient"""
_FUNCTIONS = """abs exp expm1 log log2 log10 log1p sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
floor ceil sign"""


class _JavaScript(Language):
    name = "JavaScript"
    suffix = ".js"
    numbers = ("Infinity", "-Infinity", "NaN")
    words = frozenset(_WORDS.split())
    forms = MappingProxyType(
        {
            **ARITHMETIC,
            **calls(**{name: f"Math.{name}" for name in _FUNCTIONS.split()}),
            "atan2": Form("Math.atan2({0}, {1})"),
            "hypot": Form("Math.hypot({0}, {1})"),
            "max": Form("Math.max({0}, {1})"),
            "min": Form("Math.min({0}, {1})"),
            "pow": Form("Math.pow({0}, {1})"),
            "fmod": Form("{0} % {1}", PRODUCT, (PRODUCT, SIGN)),
            "finite": Form("Number.isFinite({0})"),
            "eq": infix("===", COMPARISON),
            "ne": infix("!==", COMPARISON),
            "and": infix("&&", AND, AND),
            "or": infix("||", OR, OR),
            "not": Form("!{0}", SIGN, (POWER,)),
            "choose": Form("{0} ? {1} : {2}", CHOICE, (OR, OR, CHOICE)),
        }
    )

    @override
    def laid_out(self, program: Assignments, expression: str) -> str:
        """Return a JavaScript function of the inputs, which returns an array of the value and partials of each output.

        `expression` is the formula for the comment above it.
        """
        outputs = ", ".join(output.name for output in program.outputs)
        body = [f"const {step.name} = {step.text};" for step in [*program.steps, *program.renamed]]
        return "\n".join(
            [
                *[f"// {line}" for line in comment(expression, f"returns [{', '.join(program.columns)}]")],
                f"function value_and_gradient({', '.join(program.inputs)}) {{",
                *[f"  {line}" for line in body],
                f"  return [{outputs}];",
                "}",
                "",
            ]
        )


LANGUAGE = _JavaScript()
