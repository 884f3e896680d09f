"""Mistakes in the use of functions, as errors."""

from __future__ import annotations

from ..calculus.primitive import Primitive
from ..errors import ArityProblem, Span, SyntaxProblem


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


def counted(count: int) -> str:
    """So many arguments, in words."""
    return f"{count} argument" if count == 1 else f"{count} arguments"
