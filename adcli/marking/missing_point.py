"""A missing point: answers with numbers to a problem that has no point, so that no number can be judged."""

from __future__ import annotations

from ..answers.answer import split_answer
from ..answers.answer_model import VALUE, Entry, NotGradable, Task
from ..patterns import pattern
from .recognition.matching import names_of

_FEWEST = 2  # values with numbers that show that an answer is about a point
_AT_NUMBERS = pattern(r"\(\s*[-\d.,\s]*\d[-\d.,\s]*\)")  # f(2, 3)
_DECIMALS = pattern(r"\d[.,]\d++(?![eE])")


def missing_point(data: bytes, name: str, task: Task) -> NotGradable | None:
    """Return the error that asks for a point if an answer gives numbers to a problem without a point; else None.

    `data` and `name` are the answer's bytes and file name. That `task` has no point is up to the caller and not
    checked. The error is returned if all of these hold:
    - all derivative, tangent and adjoint rows with something on the right end in a number (`f_x(x, y) = …`, with names
      as arguments, does not count as a number);
    - there is such a row, or there are two values that end in a number;
    - one of these rows or values has decimals in its last piece, is the value of an input or output, or has only
      numbers as arguments, `f(2, 3)` (whole numbers alone may be constant derivatives).

    None also if the answer cannot be read (NotGradable).
    """
    names = names_of([task])
    try:
        script = split_answer(data, name, names)
    except NotGradable:
        return None
    entries = script.read(script.together(), names).entries
    derivatives = [entry for entry in entries if entry.quantity.kind != VALUE and entry.pieces]
    values = [entry for entry in entries if entry.quantity.kind == VALUE and _is_number(entry)]
    is_enough = bool(derivatives) or len(values) >= _FEWEST
    if not all(map(_is_number, derivatives)) or not is_enough:
        return None
    if not any(_has_point(entry, (*names.inputs, *names.outputs)) for entry in (*derivatives, *values)):
        return None
    inputs = ", ".join(f"{each}=…" for each in dict.fromkeys(task.program.graph.inputs.values()))
    return NotGradable(
        "this answer has numbers, and the problem has no point",
        label="the numbers can be judged only at a point",
        help=f"add the point to the problem: @ {inputs}",
    )


def _is_number(entry: Entry) -> bool:
    """Return whether the last piece of a row is a numeral (so 1/2 is not one), and it is not about a function of names.

    A derivative, tangent or adjoint has no number if an argument in its symbol begins with a name, as in `f_x(x, y)`; a
    value may have names there. False without pieces.
    """
    if not entry.pieces or entry.pieces[-1].number is None:
        return False
    has_names = any(inside.lstrip()[:1].isidentifier() for inside in entry.span.text.split("(")[1:])
    return entry.quantity.kind == VALUE or not has_names


def _has_point(entry: Entry, names: tuple[str, ...]) -> bool:
    """Return whether a row with a number can only be about a point; `names` are those of inputs and outputs.

    Its last piece has a decimal point or comma between digits (and no `e` of an exponent behind), or it is a value with
    one of `names`, or its symbol has brackets with numbers only, as f(2, 3). The row must have a piece (else
    IndexError).
    """
    is_input = entry.quantity.kind == VALUE and entry.quantity.name in names
    decimals = _DECIMALS.search(entry.pieces[-1].span.text)
    return decimals is not None or is_input or _AT_NUMBERS.search(entry.span.text) is not None
