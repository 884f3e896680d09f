"""Mistakes in the use of functions, and characters that mean something in other languages, as errors."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ArityProblem, Source, Span, SyntaxProblem
from ..patterns import pattern
from ..table.primitive import Primitive

_MODULES = frozenset({"np", "numpy", "jnp", "math", "cmath", "Math", "mpmath", "sp", "sympy", "scipy", "torch", "tf"})
_NAME = pattern(r"[^\W\d]\w*\Z")
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


# --- characters ------------------------------------------------------------------------------------------------------


def a_choice(here: Span) -> SyntaxProblem:
    """A question mark, as other languages write a choice."""
    return SyntaxProblem("the character ? has no meaning here", here, "this is U+003F", help="write if(x > 0, a, b)")


def unknown_character(source: Source, position: int) -> SyntaxProblem:
    """A character with which no token starts."""
    character = source.text[position]
    here = Span(position, position + 1, source)
    if source.text.startswith(("//", "/*"), position):
        return SyntaxProblem(
            "a comment starts with #",
            here,
            "this is not a division",
            help="write # before a comment; floor(x/y) divides to a whole number",
        )
    if source.text.startswith("=>", position):
        return SyntaxProblem("=> means nothing here", here, "not a comparison", help="at least is >=")
    if source.text.startswith("&&", position):
        both = Span(position, position + 2, source)
        return SyntaxProblem("&& means nothing here", both, "not an operator", help="write and between conditions")
    if character == "~":
        return SyntaxProblem("~ means nothing here", here, "not an operator", help="a minus sign is -")
    if character == "∞":
        return SyntaxProblem("infinity is not a number of the language", here, help="infinite inputs: --at x=inf")
    if character == ".":
        return _lone_point(source, position, here)
    if character == "?" and ":" in source.shown[position:]:
        return a_choice(here)
    label, advice = f"this is U+{ord(character):04X}", "leave it out"
    if character == "\ufffd" or "\udc80" <= character <= "\udcff":  # how bytes are read that are none
        label, advice = "what stands here is no UTF-8", "write it in UTF-8, or: iconv -f WINDOWS-1252 -t UTF-8"
    return SyntaxProblem(
        f"the character {character} has no meaning here"
        if character.isprintable()
        else "this character has no meaning here",
        here,
        label,
        help=advice,
    )


def _lone_point(source: Source, position: int, here: Span) -> SyntaxProblem:
    """A point that belongs to no number: of a module, as in `np.sin`, of an operator, as in `.^`, or of nothing."""
    title = "a point alone is not a number"
    text = source.text
    module = _NAME.search(text[max(position - 40, 0) : position])
    if module is not None and text[position + 1 : position + 2].isalpha():
        name = module.group()
        span = Span(position - len(name), position + 1, source)
        following = text[position + 1 : position + 2]
        advice = f"leave {name}. out" if name in _MODULES else f"a product is {name}*{following}…"
        return SyntaxProblem(title, span, "names have no points", help=advice)
    if text.startswith((".^", ".*", "./"), position) and text[:position].strip():
        operator = text[position : position + 2]
        return SyntaxProblem(title, here, f"{operator} is no operator here", help=f"write {operator[1]}")
    return SyntaxProblem(title, here, help="write a digit before or after it")
