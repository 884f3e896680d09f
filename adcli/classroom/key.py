"""Keys: the tasks of a homework and how they are marked, read from TOML and written as TOML.

title = "Homework 3"
disclose = 3
[marking]
method = "1/2"
[[problem]]
label = "1"
text = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"
mode = "reverse"
[[student.alice.problem]]
text = "log(x1)+x1*x2-cos(x2) @ x1=3, x2=4"
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from ..errors import RequestError, Source, Span
from ..marking.judging.quantities import weights_of
from ..marking.model import DISCLOSURES, Rules, Task
from ..marking.task import task_of, task_text
from ..patterns import pattern
from ..records import NamedTuple
from ..table.suggest import similar
from ..trace.request_choices import MODES

DECIMALS = ("point", "comma")
_MOST_DIGITS = 17
_HIGHEST = 20  # order of a derivative
_LARGEST = 10**6  # points of a task, and weights of its quantities

_TOP = ("title", "disclose", "decimal", "marking", "problem", "student")
_PROBLEM = ("label", "text", "mode", "wrt", "order", "points", "weights")
_STUDENT = ("problem",)

_FRACTION = pattern(r"\d{1,12}(?:/\d{1,12}|\.\d{1,12})?\Z", re.ASCII)
_HEADER = pattern(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?\Z")
_SETTING = pattern(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)\s*=\s*""")
_NAME = pattern(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)\s*(?:\.|\Z)""")
_PLACE = pattern(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_ESCAPES = {'"': '\\"', "\\": "\\\\"}

Path = tuple[str | int, ...]

_MARKING: Path = ("marking",)
_DIGITS = ("min_places", "min_digits")
_WEIGHTS = ("results", "steps")


class Key(NamedTuple):
    """What a homework is marked by.

    `disclose` is what students see, from 0 (the score) to 5 (the key); `decimal` how answers write numbers, with a
    point or a comma.  `students` has the tasks of those who have instances of their own, by the student's id.
    """

    title: str
    tasks: tuple[Task, ...]
    rules: Rules = Rules()
    disclose: int = 3
    decimal: str = "point"
    students: Mapping[str, tuple[Task, ...]] = MappingProxyType({})

    def tasks_for(self, student: str | None) -> tuple[Task, ...]:
        """The tasks of a student: the student's own where there are any, else those for all.

        Raises RequestError where there are neither.
        """
        tasks = self.students.get(student, self.tasks) if student is not None else self.tasks
        if not tasks:
            guess = similar(student, self.students) if student else None
            raise RequestError(
                f"the key has no problem for {student}" if student else "the key has problems for single students only",
                help=f"did you mean {guess}?" if guess else "name a student whose problems are in the key",
            )
        return tasks


# --- reading ---------------------------------------------------------------------------------------------------------


def read_key(text: str, name: str | None = None) -> Key:
    """The key in a text.

    Raises an AdcliError with the line for what is no TOML, for unknown or wrong settings, and for problems that cannot
    be read or have no value at their point.
    """
    return _KeyReader(text, name).key()


class _KeyReader:
    """Reads one key: the data of its TOML, and the text for the places of what is wrong."""

    def __init__(self, text: str, name: str | None) -> None:
        self.source = Source(text, name)
        self.data = _toml(self.source)
        self.places = _places(text)

    def key(self) -> Key:
        data = self.data
        self.known(data, (), _TOP)
        students = self.table(data.get("student", {}), ("student",), None)
        key = Key(
            self.text(data.get("title", ""), ("title",)),
            self.problems(data.get("problem", []), ("problem",)),
            self.rules(self.table(data.get("marking", {}), _MARKING, Rules._fields)),
            self.whole(data.get("disclose", Key._field_defaults["disclose"]), ("disclose",), len(DISCLOSURES) - 1),
            self.choice(data.get("decimal", DECIMALS[0]), ("decimal",), DECIMALS),
            MappingProxyType({student: self.student(found, student) for student, found in students.items()}),
        )  # fmt: skip
        if not key.tasks and not key.students:
            raise RequestError("the key has no problem", help='add [[problem]] and text = "x^2 @ x=3"')
        return key

    def rules(self, marking: Mapping[str, object]) -> Rules:
        found: dict[str, Any] = {}  # each field has a type of its own
        for field, x in marking.items():
            path = (*_MARKING, field)
            if field == "numbers":
                found[field] = self.truth(x, path)
            else:
                most = _LARGEST if field in _WEIGHTS else 1
                found[field] = self.whole(x, path) if field in _DIGITS else self.fraction(x, path, most)
        return Rules(**found)

    def student(self, found: object, student: str) -> tuple[Task, ...]:
        path = ("student", student)
        table = self.table(found, path, _STUDENT)
        return self.problems(table.get("problem", []), (*path, "problem"))

    def problems(self, found: object, path: Path) -> tuple[Task, ...]:
        if not isinstance(found, list):
            raise self.wrong(path, "is no list of tables", f"write [[{'.'.join(map(str, path))}]]")
        tasks = tuple(self.task(table, (*path, number)) for number, table in enumerate(found, 1))
        labels = [task.label for task in tasks]
        for number, label in enumerate(labels, 1):
            if label is not None and label in labels[: number - 1]:
                raise self.wrong((*path, number, "label"), "is there twice", "give each problem a label of its own")
        return tasks

    def task(self, found: object, path: Path) -> Task:
        table = self.table(found, path, _PROBLEM)
        if "text" not in table:
            raise self.wrong((*path, "text"), "is missing", 'write the problem: text = "x^2 @ x=3"', instead=path)
        points = table.get("points")
        text = self.text(table["text"], (*path, "text"))
        label = self.label(table.get("label"), (*path, "label"))
        mode = None if table.get("mode") is None else self.choice(table["mode"], (*path, "mode"), MODES)
        wrt = self.names(table.get("wrt", []), (*path, "wrt"))
        worth = None if points is None else self.fraction(points, (*path, "points"), _LARGEST)
        first = self.first_line((*path, "text"))
        weights = self.table(table.get("weights", {}), (*path, "weights"), None)
        own = {name: self.fraction(x, (*path, "weights", name), _LARGEST) for name, x in weights.items()}
        order = None if table.get("order") is None else self.whole(table["order"], (*path, "order"), _HIGHEST)
        try:
            task = task_of(
                text, name=self.source.name, first_line=first, label=label, mode=mode, wrt=wrt, points=worth,
                order=order or 1, formulas=True,
            )  # fmt: skip
        except RequestError as error:
            if error.span is None:  # it is no place in the text that is wrong
                error.span = self.span((*path, "wrt"))
            raise
        if order is not None and not (task.asks_formulas and order):
            advice = "leave it out, or the point" if order else "write a number from 1"
            raise self.wrong((*path, "order"), "is for formulas, of problems without a point", advice)
        if not own:
            return task
        try:
            if task.asks_formulas:
                from ..marking.derivations.asked import named_weights  # few homeworks ask for formulas

                return task._replace(weights=MappingProxyType(named_weights(task, own)))
            return task._replace(weights=MappingProxyType(weights_of(task, own)))
        except RequestError as error:
            error.span = self.span((*path, "weights"))
            raise

    # --- values ----------------------------------------------------------------------------------------------------

    def known(self, table: Mapping[str, object], path: Path, names: Collection[str]) -> None:
        for name in table:
            if name not in names:
                guess = similar(name, names)
                advice = f"did you mean {guess}?" if guess else f"the settings here are {', '.join(names)}"
                raise self.wrong((*path, name), "is no setting of a key", advice)

    def table(self, found: object, path: Path, names: Collection[str] | None) -> dict[str, object]:
        """A table with these settings, or with any names."""
        if not isinstance(found, dict):
            raise self.wrong(path, "is no table", f"write [{'.'.join(str(p) for p in path if isinstance(p, str))}]")
        if names is not None:
            self.known(found, path, names)
        return found

    def text(self, found: object, path: Path) -> str:
        if not isinstance(found, str):
            raise self.wrong(path, "is no text", "put it between quotes")
        return found

    def label(self, found: object, path: Path) -> str | None:
        if found is None or (isinstance(found, int) and not isinstance(found, bool)):
            return None if found is None else str(found)
        return self.text(found, path)

    def names(self, found: object, path: Path) -> tuple[str, ...]:
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            raise self.wrong(path, "is no list of names", 'write wrt = ["x1", "x2"]')
        return tuple(found)

    def choice(self, found: object, path: Path, choices: Collection[str]) -> str:
        if found not in choices:
            guess = similar(found, choices) if isinstance(found, str) else None
            advice = f"did you mean {guess}?" if guess else f"choose one of {', '.join(choices)}"
            raise self.wrong(path, "is none of the choices", advice)
        return str(found)

    def whole(self, found: object, path: Path, most: int = _MOST_DIGITS) -> int:
        if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= most:
            raise self.wrong(path, f"is no whole number from 0 to {most}", "write a digit, without quotes")
        return found

    def truth(self, found: object, path: Path) -> bool:
        if not isinstance(found, bool):
            raise self.wrong(path, "is neither true nor false", "write true or false, without quotes")
        return found

    def fraction(self, found: object, path: Path, most: int) -> Fraction:
        text = str(found) if isinstance(found, (int, float, str)) and not isinstance(found, bool) else ""
        if not _FRACTION.match(text) or re.search(r"/0+\Z", text) or Fraction(text) > most:
            raise self.wrong(path, f"is no number from 0 to {most}", 'write a number such as 2, 0.5 or "1/2"')
        return Fraction(text)

    # --- places ----------------------------------------------------------------------------------------------------

    def first_line(self, path: Path) -> int:
        """The line on which a text starts: the next one, where three quotes end this one."""
        span = self.places.get(path)
        if span is None:
            return 1
        line = self.source.position(span[0])[0]
        end = self.source.text.find("\n", span[0])
        return line + (end >= 0 and self.source.text[span[0] : end].rstrip().endswith(('"""', "'''")))

    def wrong(self, path: Path, fact: str, advice: str, instead: Path | None = None) -> RequestError:
        """What is said about a setting; its place is told by the text where the setting can be found there."""
        return RequestError(f"{_spoken(path)} {fact}", self.span(path if instead is None else instead), help=advice)

    def span(self, path: Path) -> Span | None:
        """The place of a setting or of the header of a table (of the first one in a list of tables)."""
        place = self.places.get(path) or self.places.get((*path, 1))
        return None if place is None else Span(*place, self.source)


def _spoken(path: Path) -> str:
    """`method of marking`, `text of problem 2`, `points of problem 1 of alice`."""
    pieces = path[1:] if len(path) > 1 and path[0] == "student" else path
    names: list[str] = []
    for piece in pieces:
        if isinstance(piece, int):
            names[-1] += f" {piece}"
        else:
            names.append(piece)
    return " of ".join(reversed(names))


def _toml(source: Source) -> dict[str, object]:
    import tomllib  # dear, and not for answers to a problem of the command line

    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets in brackets in brackets
        raise RequestError("the key is no TOML that can be read", help="write numbers and tables as in a key") from None
    match = _PLACE.search(said)
    end = len(source.text)
    span = Span(end, end + 1, source)
    if match is not None:
        said = said[: match.start()]
        if match.group(1):
            lines = source.text.split("\n")
            start = sum(len(line) + 1 for line in lines[: int(match.group(1)) - 1]) + int(match.group(2)) - 1
            span = Span(start, start + 1, source)
    raise RequestError("the key is no TOML", span, said[:1].lower() + said[1:], help="a setting is name = value")


def _places(text: str) -> dict[Path, tuple[int, int]]:
    """Where the headers of tables and the settings stand, by path; a look at the lines, as good as it is needed."""
    places: dict[Path, tuple[int, int]] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    start = 0
    for line in text.split("\n"):
        header, setting = _HEADER.match(line), _SETTING.match(line)
        if header is not None:
            table = tuple(_unquoted(name) for name in _NAME.findall(header.group(1)))
            if line.lstrip().startswith("[["):
                counts[table] = counts.get(table, 0) + 1
                table = (*table, counts[table])
            places.setdefault(table, (start, start + len(line.rstrip())))
        elif setting is not None:
            path = (*table, _unquoted(setting.group(1)))
            places.setdefault(path, (start + setting.start(1), start + setting.end(1)))
        start += len(line) + 1
    return places


def _unquoted(name: str) -> str:
    return name[1:-1] if name[:1] in "\"'" else name


# --- writing ----------------------------------------------------------------------------------------------------------


def write_key(key: Key, more: Iterable[str] = ()) -> str:
    """The key as TOML, with what `students_part` wrote of more students; `read_key` reads it back."""
    rules = key.rules
    lines = [
        f"title = {_quoted(key.title)}",
        f"disclose = {key.disclose}  # what students see: {_levels()}",
        f"decimal = {_quoted(key.decimal)}",
        "",
        "[marking]",
        f"method = {_number(rules.method)}  # the share of a row that follows from a wrong one",
        f"precision = {_number(rules.precision)}  # the share of a row with too few digits",
        f"formula = {_number(rules.formula)}  # the share of a right number whose formula is wrong",
        f"results = {_number(rules.results)}  # what a value or derivative that is asked for weighs",
        f"steps = {_number(rules.steps)}  # and each step on the way",
        f"min_places = {rules.min_places}",
        f"min_digits = {rules.min_digits}",
        f"numbers = {str(rules.numbers).lower()}  # whether every row needs its number, not only the results",
        *_problems(key.tasks, "problem"),
    ]
    parts = (students_part(student, tasks) for student, tasks in key.students.items())
    return "\n".join(lines) + "\n" + "".join((*parts, *more))


def students_part(student: str, tasks: Iterable[Task]) -> str:
    """The part of a key that has the problems of one student."""
    return "\n".join(_problems(tasks, f"student.{_quoted(student)}.problem")) + "\n"


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
        lines += [f"order = {task.order}"] if task.order != 1 else []
        lines += [f"points = {_number(task.points)}"] if task.points is not None else []
        weights = ", ".join(f"{_quoted(name)} = {_number(weight)}" for name, weight in task.weights.items())
        lines += [f"weights = {{{weights}}}"] if weights else []
    return lines


def _number(x: Fraction) -> str:
    return str(x) if x.denominator == 1 else _quoted(str(x))


def _quoted(text: str) -> str:
    """A text as a string of TOML: quotes, backslashes and all that is not printable escaped."""
    return '"' + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _code(ord(c))) for c in text) + '"'


def _code(number: int) -> str:
    """A character by its number; half of a pair, which TOML cannot hold, as the sign for what is unreadable."""
    if 0xD800 <= number < 0xE000:
        number = 0xFFFD
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
