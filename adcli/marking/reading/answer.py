"""An answer in any form: its sections, each with its rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..model import DECIMAL_COMMA, Answer, NotGradable, Task
from .collector import LINES, Collector
from .decoding import FORM, check_size, decoded, picture, unreadable
from .entries import read_part
from .forms import Given, readers
from .patterns import pattern
from .symbols import Names

_POINT = pattern(r"\d\.\d|(?<!\d)\.\d")


def read_answer(
    data: bytes, *, name: str, inputs: Collection[str], outputs: Collection[str], decimal: str = "point"
) -> tuple[Answer, ...]:
    """The sections of an answer, each with its rows; just one where it has no headings.

    `name` is the file's name, whose suffix decides where the content does not; `inputs` and `outputs` are the task's
    names, `decimal` is point or comma.  Raises NotGradable where there is no row.
    """
    check_size(data)
    names = Names(inputs, outputs)
    collector = _collected(data, name, names)
    lines = tuple(collector.lines)
    answers = [read_part(part, collector, lines, decimal) for part in collector.parts]
    if decimal == "point" and _has_decimal_commas(answers):
        answers = [read_part(part, collector, lines, "comma") for part in collector.parts]
        answers = [answer._replace(notes=("numbers are read with decimal commas",)) for answer in answers]
    found = _merged([answer for answer in answers if answer.entries or answer.unread], names)
    if not any(entry for answer in found for entry in answer.entries):
        raise _no_rows()
    if not any(entry.pieces for answer in found for entry in answer.entries):
        raise NotGradable("nothing is filled in", label="no row has a formula or a number", help="fill in the form")
    return tuple(found)


def _has_decimal_commas(answers: Sequence[Answer]) -> bool:
    """Whether several numbers have decimal commas, and none a decimal point: one alone might be a list."""
    pieces = [piece for answer in answers for entry in answer.entries for piece in entry.pieces]
    commas = sum(piece.problem is not None and piece.problem.help == DECIMAL_COMMA for piece in pieces)
    return commas > 1 and not any(_POINT.search(piece.span.text) for piece in pieces)


def lines_of(data: bytes, name: str, tasks: Sequence[Task]) -> list[str]:
    """The lines of an answer in any form, as people see them.  Raises NotGradable where there are none."""
    inputs = dict.fromkeys(name for task in tasks for name in task.program.graph.inputs.values())
    outputs = dict.fromkeys(name for task in tasks for name, _ in task.program.graph.outputs)
    return _collected(data, name, Names(inputs, outputs)).lines


def _collected(data: bytes, name: str, names: Names) -> Collector:
    """The rows of an answer as the first reader splits it that knows its form."""
    what = picture(data)
    if what is not None:
        raise unreadable(what)
    packed = data.startswith(b"PK")
    given = Given(data, "" if packed else _text(data), name)
    found = (reader.rows(given, names) for reader in readers() if reader.packed == packed)
    return next(rows for rows in found if rows is not None)


def _text(data: bytes) -> str:
    """The text of an answer.  Raises NotGradable where there is none, or too much."""
    text = decoded(data)
    if not text.strip():
        raise NotGradable("the answer is empty", help=FORM)
    if text.count("\n") > LINES:
        raise NotGradable(
            "the answer is too long", label=f"{text.count(chr(10)):,} lines; at most {LINES:,} are read", help=FORM
        )
    return text


def _merged(answers: list[Answer], names: Names) -> list[Answer]:
    """The answers without one that only says where the inputs are, before the first heading."""
    if len(answers) < 2 or answers[0].section is not None:
        return answers
    first, second, *rest = answers
    if all(entry.quantity.name in names.inputs for entry in first.entries):
        return [second, *rest]
    return answers


def _no_rows() -> NotGradable:
    return NotGradable(
        "there is no row of a trace in this answer",
        label="a row is a name, an equals sign, and a formula or a number",
        help=f"write rows such as v1 = x^2 = 9; {FORM}",
    )
