"""A missing point: answers with numbers to a problem that has no point, so that no number can be judged."""

from __future__ import annotations

from .model import VALUE, Entry, NotGradable, Task
from .reading.answer import split_answer
from .reading.matching import names_of

_FEWEST = 2  # values with numbers that show that an answer is about a point


def missing_point(data: bytes, name: str, task: Task) -> NotGradable | None:
    """Return the request for a point if an answer gives numbers and no derivative as a formula; else None.

    `data` and `name` are the answer's bytes and file name, `task` is a problem without a point.
    """
    names = names_of([task])
    try:
        script = split_answer(data, name, names)
    except NotGradable:
        return None
    entries = script.read(script.together(), names).entries
    derivatives = [entry for entry in entries if entry.quantity.kind != VALUE and entry.pieces]
    values = [entry for entry in entries if entry.quantity.kind == VALUE and _is_numeric(entry)]
    if not all(map(_is_numeric, derivatives)) or not (derivatives or len(values) >= _FEWEST):
        return None
    inputs = ", ".join(f"{each}=…" for each in dict.fromkeys(task.program.graph.inputs.values()))
    return NotGradable(
        "this answer has numbers, and the problem has no point",
        label="the numbers can be judged only at a point",
        help=f"add the point to the problem: @ {inputs}",
    )


def _is_numeric(entry: Entry) -> bool:
    """Return whether a row ends in a number, or consists of arithmetic without names."""
    if not entry.pieces:
        return False
    last = entry.pieces[-1]
    return last.number is not None or (last.graph is not None and not last.quantities)
