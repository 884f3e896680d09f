"""Own functions of an answer: calls such as σ(1), after `σ(z) = 1/(1+e^(-z))`, as what they mean, and calls such as
N(d1) and N(d2), which have rows of their own, as names of these rows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from functools import partial

from ...numbers.exact import read_fraction
from ..answer_model import VALUE, Task
from ..collector import RawSection
from ..left_sides import LeftSides
from ..numerals import numeral
from ..row_tokens import names_in, replace_names

_LONGEST = 4000  # characters of a formula before a call that is still replaced
_RESULTS = ("f", "F")  # calls of these are results


def with_calls_replaced(part: RawSection, lefts: LeftSides, task: Task) -> RawSection | None:
    """Return a copy of the section in which calls of own functions are formulas or names; None if nothing changes.

    An own function is what a row `σ(z) = …` defines by a formula with its argument, or what has rows with different
    arguments, `N(d1) = …` and `N(d2) = …`; it is not called f or as a result, and `lefts` does not read its rows as
    derivatives, as `bar(v1) = …`. A call in a formula becomes the defining formula in brackets, with its argument, in
    brackets too, instead of z; if the argument is z, or exactly the number of a row or input z, the formula keeps z.
    Left sides `σ(z)` stay. Without a definition a call of the same text as a
    left side becomes the name of that row, N1 or N2, on both sides.
    """
    bodies, renamed = _functions_of(part, lefts, {*_RESULTS, *dict(task.program.graph.outputs)})
    last = {row.left.text: numeral(row.pieces[-1].text) for row in part.rows if row.pieces}
    values = {name: number.value for name, number in last.items() if number is not None}
    values |= {name: x for name, value in task.at.items() if (x := read_fraction(str(value))) is not None}

    def replace_in(text: str, *, is_left: bool) -> str:
        for function, definition in () if is_left else bodies.items():
            text = _replace_calls(text, function, partial(_substituted, *definition, values))
        for function, names in renamed.items():
            text = _replace_calls(text, function, names.get)
        return text

    rows = [
        row._replace(
            left=row.left._replace(text=replace_in(row.left.text, is_left=True)),
            pieces=[piece._replace(text=replace_in(piece.text, is_left=False)) for piece in row.pieces],
        )
        for row in part.rows
    ]
    return None if rows == part.rows else part.with_rows(rows)


def _functions_of(
    part: RawSection, lefts: LeftSides, results: Collection[str]
) -> tuple[dict[str, tuple[str, str]], dict[str, dict[str, str]]]:
    """Return the own functions of a section as two dictionaries; none is in `results`, or a derivative in `lefts`.

    - {function: (name of its argument, its formula)} of those that a row `σ(z) = …` defines: the argument is a name in
      the first piece, which is the formula. The last such row counts.
    - {function: {argument: name of the row}} of the others with rows of two or more arguments; the names are N1, N2, …
      in the order of first appearance, whether or not another row has such a name.
    """
    bodies: dict[str, tuple[str, str]] = {}
    arguments: dict[str, dict[str, str]] = {}
    for row in part.rows:
        function, argument = _parts_of_call(row.left.text)
        if not function or function in results or not row.pieces:
            continue
        left = lefts[row.left.text]
        if left is not None and left.quantity.kind != VALUE:
            continue
        if argument.isalnum() and argument in names_in(row.pieces[0].text):
            bodies[function] = argument, row.pieces[0].text
        else:
            known = arguments.setdefault(function, {})
            known.setdefault(argument, f"{function}{len(known) + 1}")
    return bodies, {each: names for each, names in arguments.items() if each not in bodies and len(names) > 1}


def _parts_of_call(text: str) -> tuple[str, str]:
    """Return (function, argument) of a left side such as `N(d1)`; ("", "") for another one."""
    function, bracket, argument = text.strip().partition("(")
    is_call = bracket and function.isidentifier() and argument.endswith(")") and "(" not in argument
    return (function, argument[:-1].strip()) if is_call else ("", "")


def _replace_calls(text: str, function: str, new: Callable[[str], str | None]) -> str:
    """Return a text in which each call of `function` is what `new` returns for its argument; None from it: unchanged.

    The bracket must follow `function` directly; `new` gets the argument without blanks around it. Calls with brackets
    in the argument are unchanged, and so are those behind more than 4,000 characters of the new text, and those with a
    letter just before the name.
    """
    head, *rest = text.split(f"{function}(")
    for each in rest:
        argument, bracket, after = each.partition(")")
        is_call = bracket and "(" not in argument and not head[-1:].isalpha() and len(head) <= _LONGEST
        instead = new(argument.strip()) if is_call else None
        head += f"{function}({each}" if instead is None else f"{instead}{after}"
    return head


def _substituted(name: str, body: str, values: dict[str, Fraction], argument: str) -> str:
    """Return the formula `body` of `name` at `argument`; `values` has the numbers of rows and inputs by name."""
    number = numeral(argument)
    is_own = argument == name or (number is not None and values.get(name) == number.value)
    return f"({body if is_own else replace_names(body, lambda each: f'({argument})' if each == name else each)})"
