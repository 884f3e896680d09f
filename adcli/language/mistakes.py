"""Mistakes in the use of functions, as errors."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ArityProblem, Source, Span, SyntaxProblem
from ..table.primitive import Primitive

_SHORT = 60  # characters of a program that a help line repeats


def wrong_count(row: Primitive, taken: int, span: Span) -> ArityProblem:
    """A function with too few or too many arguments."""
    wanted = f"{row.least} or more arguments" if row.arity is None else counted(row.arity)
    if row.forms:
        wanted = f"{row.arity} or {' or '.join(map(str, row.forms))} arguments"
    return ArityProblem(
        f"{row.name} takes {wanted}, got {taken or 'none'}",
        span,
        f"{counted(taken)} here" if taken else "the brackets are empty",
        help=f"write {row.name}({', '.join(row.arguments)})",
    )


def not_a_number(span: Span) -> SyntaxProblem:
    """A comparison where a number is wanted."""
    return SyntaxProblem(
        "a comparison is not a number",
        span,
        "this is true or false and has no derivative",
        help="choose between two expressions with if(condition, a, b); to define a name use a single =",
    )


def nothing_computed(source: Source, defined: Sequence[tuple[str, Sequence[str]]]) -> SyntaxProblem:
    """A program without an expression of its own; `defined` are its functions with their parameters."""
    text = source.text.strip().rstrip("; ")
    advice = "end with the expression whose value is wanted"
    if defined and len(text) <= _SHORT and text.isprintable():
        name, parameters = defined[-1]
        advice += f": {text}; {name}({', '.join(parameters)})"
    end = len(source.text.rstrip())
    return SyntaxProblem(
        "nothing is computed", Span(end, end + 1, source), "an expression is missing here", help=advice
    )  # fmt: skip


def counted(count: int) -> str:
    """So many arguments, in words."""
    return f"{count} argument" if count == 1 else f"{count} arguments"
