"""Keys written as TOML."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..marking.model import DISCLOSURES, Task
from ..marking.task import task_text
from .key import Key


def write_key(key: Key) -> str:
    """The key as TOML; `read_key` reads it back."""
    rules = key.rules
    lines = [
        f"title = {_quoted(key.title)}",
        f"disclose = {key.disclose}  # what students see: {_levels()}",
        f"decimal = {_quoted(key.decimal)}",
        "",
        "[marking]",
        f"method = {_number(rules.method)}  # the share of a row that follows from a wrong one",
        f"precision = {_number(rules.precision)}  # the share of a row with too few digits",
        f"min_places = {rules.min_places}",
        f"min_digits = {rules.min_digits}",
        f"numbers = {str(rules.numbers).lower()}  # whether every row needs its number, not only the results",
        *_problems(key.tasks, "problem"),
    ]
    for student, tasks in key.students.items():
        lines += _problems(tasks, f"student.{_quoted(student)}.problem")
    return "\n".join(lines) + "\n"


def _levels() -> str:
    return ", ".join(f"{level} {name}" for level, name in enumerate(DISCLOSURES))


def _problems(tasks: Iterable[Task], table: str) -> list[str]:
    lines = []
    for task in tasks:
        lines += ["", f"[[{table}]]"]
        lines += [f"label = {_quoted(task.label)}"] if task.label is not None else []
        lines.append(f"text = {_quoted(task_text(task))}")
        lines += [f"mode = {_quoted(task.mode)}"] if task.mode is not None else []
        lines += [f"wrt = [{', '.join(map(_quoted, task.wrt))}]"] if task.wrt else []
        lines += [f"points = {_number(task.points)}"] if task.points is not None else []
    return lines


def _number(x: Fraction) -> str:
    return str(x) if x.denominator == 1 else _quoted(str(x))


_ESCAPES = {'"': '\\"', "\\": "\\\\"}


def _quoted(text: str) -> str:
    """A text as a string of TOML: quotes, backslashes and all that is not printable escaped."""
    return '"' + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _code(ord(c))) for c in text) + '"'


def _code(number: int) -> str:
    """A character by its number; half of a pair, which TOML cannot hold, as the sign for what is unreadable."""
    if 0xD800 <= number < 0xE000:
        number = 0xFFFD
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
