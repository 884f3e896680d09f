"""Keys: the tasks of a homework and how they are marked, read from TOML and written as TOML.

title = "Homework 3"
disclose = 3
total = 10
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
from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from types import MappingProxyType

from ..answers.answer_model import Task
from ..errors import RequestError, Source, Span
from ..marking.assessing import unanswered, weights_by_name
from ..marking.model import DISCLOSURES, Rules
from ..marking.task import task_of, task_text
from ..patterns import pattern
from ..table.suggest import did_you_mean
from ..trace.request_choices import MODES
from ..typings import Any
from .homework import Key

DECIMALS = ("point", "comma")
_MOST_DIGITS = 17
_HIGHEST = 20  # order of a derivative
_LARGEST = 10**6  # points of a task, and weights of its quantities

_FRACTION = pattern(r"\d{1,12}(?:/(?!0+\Z)\d{1,12}|\.\d{1,12})?\Z", re.ASCII)
_HEADER = pattern(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?\Z")
_NAME = pattern(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)\s*(?:[.=]|\Z)""")  # of a table or setting
_PLACE = pattern(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_ESCAPES = {'"': '\\"', "\\": "\\\\"}

Path = tuple[str | int, ...]
Reader = Callable[[object, Path], object]


# --- reading ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)  # processes that are forked to mark answers have the key
def read_key(text: str, name: str | None = None) -> Key:
    """Return the key in the TOML `text`; `name` is that of its file, for messages.

    Settings that are missing have the defaults of `Key` and `Rules`. With `total`, the points of the problems are
    scaled so that they add up to it: once for the problems for all, and once for those of each student. Raises an
    AdcliError with the line for invalid TOML, unknown or wrong settings, and problems that cannot be read or have no
    value at their point, RequestError for a key without any problem.
    """
    return _KeyReader(text, name).key()


class _KeyReader:
    """A reader of one key: the data of its TOML, and the text for the places of errors."""

    def __init__(self, text: str, name: str | None) -> None:
        self.source = Source(text, name)
        self.data = _parse_toml(self.source)
        self.places = _find_places(text)

    def key(self) -> Key:
        """Return the whole key; settings that are missing have their defaults (empty title, disclose 3, decimal point).

        `total` scales the points of the problems for all and of each student's own ones. Raises RequestError if it has
        neither a problem for all nor one for a student, and for an unknown or wrong setting.
        """
        settings = self.settings(self.data, (), {
            "title": self.text, "disclose": partial(self.whole, most=len(DISCLOSURES) - 1),
            "decimal": partial(self.choice, choices=DECIMALS), "total": self.weight, "marking": self.rules,
            "problem": self.problems, "student": self.students,
        })  # fmt: skip
        rules, most, students = settings.get("marking", Rules()), settings.get("total"), settings.get("student", {})
        key = Key(
            settings.get("title", ""),
            with_total(settings.get("problem", ()), most, rules),
            rules,
            settings.get("disclose", 3),
            settings.get("decimal", DECIMALS[0]),
            MappingProxyType({student: with_total(tasks, most, rules) for student, (tasks, _) in students.items()}),
            MappingProxyType({student: called for student, (_, called) in students.items()}),
        )
        if not key.tasks and not any(key.students.values()):
            raise RequestError("the key file has no problem", help='add [[problem]] and text = "x^2 @ x=3"')
        return key

    def rules(self, data: object, path: Path) -> Rules:
        """Return the rules from the table [marking]; missing fields have their defaults.

        `results` and `steps` are weights from 0 to 1000000, `min_places` and `min_digits` whole numbers from 0 to 17,
        `numbers` is true or false, every other field a fraction from 0 to 1. Raises RequestError for an unknown or
        wrong setting.
        """
        readers: dict[str, Reader] = dict.fromkeys(Rules._fields, partial(self.fraction, most=1)) | {
            "min_places": self.whole, "min_digits": self.whole, "numbers": self.truth,
            "results": self.weight, "steps": self.weight,
        }  # fmt: skip
        return Rules(**self.settings(data, path, readers))

    def students(self, data: object, path: Path) -> dict[str, tuple[tuple[Task, ...], tuple[str, ...]]]:
        """Return {student's id: (tasks, other names)} from the tables [student.ID].

        The tasks are () without [[student.ID.problem]]; the other names are the settings `name` and `email`, in this
        order, without missing ones. Raises RequestError if `data` is not a table of tables, or for an unknown or wrong
        setting.
        """
        students = {}
        for student, x in self.table(data, path).items():
            readers = {"name": self.text, "email": self.text, "problem": self.problems}
            settings = self.settings(x, (*path, student), readers)
            called = tuple(settings[name] for name in ("name", "email") if name in settings)
            students[student] = (settings.get("problem", ()), called)
        return students

    def problems(self, data: object, path: Path) -> tuple[Task, ...]:
        """Return the tasks of `data`, a list of TOML tables, in order; an empty list gives an empty tuple.

        `path` is the keys that lead to it in the file, for messages, where problems are counted from 1. Raises
        RequestError if it is not a list, for a wrong table, or for a label that is used twice; labels may be missing.
        """
        if not isinstance(data, list):
            raise self.wrong(path, "is not a list of tables", f"write [[{'.'.join(map(str, path))}]]")
        tasks = tuple(self.task(table, (*path, number)) for number, table in enumerate(data, 1))
        labels = [task.label for task in tasks]
        for number, label in enumerate(labels, 1):
            if label is not None and label in labels[: number - 1]:
                raise self.wrong((*path, number, "label"), "is used twice", "give each problem its own label")
        return tasks

    def task(self, data: object, path: Path) -> Task:
        """Return the task of the problem table `data` at `path` in the key; its weights have full names of quantities.

        `order` is 1 to 20, by default 1. `shape` are the shapes of vectors and matrices in a problem without a point,
        as in `--shape`. Raises RequestError, with the place in the key, if `text` is missing, for an unknown or wrong
        setting, a problem that cannot be read, weights of quantities that the task does not have, `order` 0, and an
        `order` above 1 with a mode. An error without a place in the text has the place of `wrt`.
        """
        settings = self.settings(data, path, {
            "label": self.label, "text": self.text, "mode": partial(self.choice, choices=MODES), "wrt": self.names,
            "order": partial(self.whole, most=_HIGHEST), "points": self.weight, "weights": self.weights,
            "shape": self.text,
        })  # fmt: skip
        if "text" not in settings:
            raise self.wrong((*path, "text"), "is missing", 'write the problem: text = "x^2 @ x=3"', instead=path)
        order, weights = settings.pop("order", None), settings.pop("weights", None)
        shapes = tuple(filter(None, [settings.pop("shape", "")]))
        first = self.first_line((*path, "text"))
        try:
            task = task_of(
                name=self.source.name, first_line=first, order=order or 1, formulas=True, shapes=shapes, **settings
            )  # fmt: skip
        except RequestError as error:
            if error.span is None:  # the error has no place in the text
                error.span = self.span((*path, "wrt"))
            raise
        if order == 0:
            raise self.wrong((*path, "order"), "is 0", "write a number from 1")
        if not weights:
            return task
        try:
            return task._replace(weights=MappingProxyType(weights_by_name(task, weights)))
        except RequestError as error:
            error.span = self.span((*path, "weights"))
            raise

    # --- values ----------------------------------------------------------------------------------------------------

    def settings(self, data: object, path: Path, readers: Mapping[str, Reader]) -> dict[str, Any]:
        """Return {name: value} of the settings of a table, each read by the function of its name in `readers`, in that
        order.

        A reader gets the value and its path. Settings that the table lacks are left out. Raises RequestError if `data`
        is not a table, for a setting without a reader (with a similar name as advice), and for a wrong value.
        """
        table = self.table(data, path)
        for name in table:
            if name not in readers:
                advice = did_you_mean(name, readers, f"the settings here are {', '.join(readers)}")
                raise self.wrong((*path, name), "is not a setting of a key", advice)
        return {name: read(table[name], (*path, name)) for name, read in readers.items() if name in table}

    def table(self, data: object, path: Path) -> dict[str, object]:
        """Return a table with any settings. Raises RequestError for other data."""
        if not isinstance(data, dict):
            raise self.wrong(path, "is not a table", f"write [{'.'.join(str(p) for p in path if isinstance(p, str))}]")
        return data

    def text(self, data: object, path: Path) -> str:
        if not isinstance(data, str):
            raise self.wrong(path, "is not a text", "put it between quotes")
        return data

    def label(self, data: object, path: Path) -> str:
        """Return a label, a text or a whole number, as text. Raises RequestError for other data."""
        return str(data) if isinstance(data, int) and not isinstance(data, bool) else self.text(data, path)

    def names(self, data: object, path: Path) -> tuple[str, ...]:
        if not isinstance(data, list) or not all(isinstance(name, str) for name in data):
            raise self.wrong(path, "is not a list of names", 'write wrt = ["x1", "x2"]')
        return tuple(data)

    def choice(self, data: object, path: Path, choices: Collection[str]) -> str:
        """Return the setting `data` at `path` if it is one of `choices`; upper and lower case count.

        Raises RequestError otherwise, also for another type than a text; its help suggests a similar choice or lists
        all.
        """
        if data not in choices:
            advice = did_you_mean(data if isinstance(data, str) else "", choices, f"choose one of {', '.join(choices)}")
            raise self.wrong(path, "is not one of the choices", advice)
        return str(data)

    def whole(self, data: object, path: Path, most: int = _MOST_DIGITS) -> int:
        if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data <= most:
            raise self.wrong(path, f"is not a whole number from 0 to {most}", "write a digit, without quotes")
        return data

    def truth(self, data: object, path: Path) -> bool:
        if not isinstance(data, bool):
            raise self.wrong(path, "is neither true nor false", "write true or false, without quotes")
        return data

    def fraction(self, data: object, path: Path, most: int) -> Fraction:
        """Return the setting `data`, a whole number, a decimal number or a text such as "1/2", as an exact fraction.

        `path` is the keys that lead to it, for the message. A TOML float is read as Python prints it; an exponent there
        (1e-05) is written out and accepted. Raises RequestError if the number is not from 0 to `most` (both included),
        for other types and booleans, and for texts with a sign, an exponent or more than 12 digits, inf and nan.
        """
        text = str(data) if isinstance(data, (int, float, str)) and not isinstance(data, bool) else ""
        text = f"{Decimal(text):f}" if isinstance(data, float) else text
        fraction = read_fraction(text, most)
        if fraction is None:
            raise self.wrong(path, f"is not a number from 0 to {most}", 'write a number such as 2, 0.5 or "1/2"')
        return fraction

    def weight(self, data: object, path: Path) -> Fraction:
        return self.fraction(data, path, _LARGEST)

    def weights(self, data: object, path: Path) -> dict[str, Fraction]:
        return {name: self.weight(x, (*path, name)) for name, x in self.table(data, path).items()}

    # --- places ----------------------------------------------------------------------------------------------------

    def first_line(self, path: Path) -> int:
        """Return the line of the key, from 1, on which the text of the setting at `path` starts.

        It is the line of the setting, or the next one if that line ends in three quotes; 1 if the place is unknown.
        """
        span = self.places.get(path)
        if span is None:
            return 1
        line = self.source.position(span[0])[0]
        end = self.source.text.find("\n", span[0])
        return line + (end >= 0 and self.source.text[span[0] : end].rstrip().endswith(('"""', "'''")))

    def wrong(self, path: Path, fact: str, advice: str, instead: Path | None = None) -> RequestError:
        """Return the error for a setting: its path in words and the `fact`, with its place or that of `instead` in
        the text."""
        return RequestError(f"{_path_text(path)} {fact}", self.span(path if instead is None else instead), help=advice)

    def span(self, path: Path) -> Span | None:
        """Return the place of a setting or of the header of a table (the first one in a list of tables); None if
        unknown."""
        place = self.places.get(path) or self.places.get((*path, 1))
        return None if place is None else Span(*place, self.source)


def read_fraction(text: str, most: int) -> Fraction | None:
    """Return the number in a text such as 2, 0.5 or 1/2; None if it is not one from 0 to `most`, both included.

    Signs, blanks, exponents, a denominator 0 and more than 12 digits give None.
    """
    return Fraction(text) if _FRACTION.match(text) and Fraction(text) <= most else None


def with_total(tasks: tuple[Task, ...], most: Fraction | None, rules: Rules) -> tuple[Task, ...]:
    """Return the tasks with points that add up to `most`, in proportion to their present points.

    A task without points counts with its possible marks under `rules`. The tasks are returned unchanged if `most` is
    None or 0, or if all are worth 0.
    """
    worth = [task.points if task.points is not None else unanswered(task, rules).possible for task in tasks if most]
    whole = sum(worth, Fraction(0))
    if most is None or not whole:
        return tasks
    return tuple(task._replace(points=each * most / whole) for task, each in zip(tasks, worth, strict=True))


def _path_text(path: Path) -> str:
    """Return a path in words, the last part first: ("problem", 2, "text") is `text of problem 2`.

    A number follows the name before it; a leading `student` is left out: `points of problem 1 of alice`.
    """
    pieces = path[1:] if len(path) > 1 and path[0] == "student" else path
    names: list[str] = []
    for piece in pieces:
        if isinstance(piece, int):
            names[-1] += f" {piece}"
        else:
            names.append(piece)
    return " of ".join(reversed(names))


def _parse_toml(source: Source) -> dict[str, object]:
    """Return the data of a key as nested dictionaries.

    Raises RequestError if it is not valid TOML: at the place that the parser names (the end of the text if it names
    none), without a place for huge numbers and tables nested too deeply. The label is the parser's reason, with words
    of its own for an array that is not closed.
    """
    import tomllib  # dear, and not for answers to a problem of the command line

    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets in brackets in brackets
        raise RequestError(
            "the key file is not valid TOML", help="write settings as name = value, and [[problem]] above each problem"
        ) from None
    match = _PLACE.search(reason)
    end = len(source.text)
    span = Span(end, end + 1, source)
    if match is not None:
        reason = reason[: match.start()]
        if match.group(1):
            lines = source.text.split("\n")
            start = sum(len(line) + 1 for line in lines[: int(match.group(1)) - 1]) + int(match.group(2)) - 1
            span = Span(start, start + 1, source)
    is_open = reason.startswith("Unclosed array")
    label = "a bracket [ before this is never closed" if is_open else reason[:1].lower() + reason[1:]
    advice = "close the bracket with ]" if is_open else "write each setting as name = value"
    raise RequestError("the key file is not valid TOML", span, label, help=advice)


def _find_places(text: str) -> dict[Path, tuple[int, int]]:
    """Return {path: (start, end)} of the table headers and settings in `text`, found line by line without parsing TOML.

    A path has the names of tables and settings; after the whole name of a list of tables, `[[student.ann.problem]]`,
    comes its number from 1. The place of a header is its whole line, that of a setting its name. The first of several
    equal paths counts.
    """
    places: dict[Path, tuple[int, int]] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    start = 0
    for line in text.split("\n"):
        header, setting = _HEADER.match(line), _NAME.match(line)
        if header is not None:
            table = tuple(_unquote(name) for name in _NAME.findall(header.group(1)))
            if line.lstrip().startswith("[["):
                counts[table] = counts.get(table, 0) + 1
                table = (*table, counts[table])
            places.setdefault(table, (start, start + len(line.rstrip())))
        elif setting is not None and setting.group().endswith("="):
            path = (*table, _unquote(setting.group(1)))
            places.setdefault(path, (start + setting.start(1), start + setting.end(1)))
        start += len(line) + 1
    return places


def _unquote(name: str) -> str:
    """Return the name without quotation marks around it, if it has some."""
    return name[1:-1] if name[:1] in "\"'" else name


# --- writing ----------------------------------------------------------------------------------------------------------


def write_key(key: Key, more: Iterable[str] = ()) -> str:
    """Return the key as TOML with comments, the students' parts after the problems for all; `read_key` reads it back.

    `more` are further parts from `students_part`, which come last. Points are written as they are: there is no `total`.
    All settings of `[marking]` are written, also those with their default.
    """
    rules = key.rules
    levels = ", ".join(f"{level} {name}" for level, name in enumerate(DISCLOSURES))
    lines = [
        f"title = {_quote(key.title)}",
        f"disclose = {key.disclose}  # what students see: {levels}",
        f"decimal = {_quote(key.decimal)}",
        "",
        "[marking]",
        f"method = {_number(rules.method)}  # fraction of its marks for a row that follows from a wrong one",
        f"precision = {_number(rules.precision)}  # fraction for a row with too few digits",
        f"formula = {_number(rules.formula)}  # fraction for a right number whose formula is wrong",
        f"results = {_number(rules.results)}  # weight of a required value or derivative",
        f"steps = {_number(rules.steps)}  # weight of each intermediate step",
        f"min_places = {rules.min_places}",
        f"min_digits = {rules.min_digits}",
        f"numbers = {str(rules.numbers).lower()}  # whether every row needs its number, not only the results",
        *_problems(key.tasks, "problem"),
    ]
    parts = (students_part(student, tasks, key.called.get(student, ())) for student, tasks in key.students.items())
    return "\n".join(lines) + "\n" + "".join((*parts, *more))


def students_part(student: str, tasks: Iterable[Task], called: Iterable[str] = ()) -> str:
    """Return the part of a key with the problems of one student, beginning with an empty line.

    `called` are the student's other names: one with @ is written as `email`, any other as `name` (the last of each
    kind), empty ones and the id itself are left out. Without any there is no table [student.ID] but only its problems.
    """
    table = f"student.{_quote(student)}"
    names = {"email" if "@" in text else "name": text for text in called if text and text != student}
    head = ["", f"[{table}]", *(f"{field} = {_quote(text)}" for field, text in names.items())] if names else []
    return "\n".join([*head, *_problems(tasks, f"{table}.problem")]) + "\n"


def _problems(tasks: Iterable[Task], table: str) -> list[str]:
    """Return the lines of tasks as a list of tables [[`table`]], each after an empty line.

    Settings with their default are left out: label and mode None, empty wrt and weights, order 1, points None; `shape`
    is written only for arrays without a point.
    """
    lines = []
    for task in tasks:
        lines += ["", f"[[{table}]]"]
        lines += [f"label = {_quote(task.label)}"] if task.label is not None else []
        lines.append(f"text = {_quote(task_text(task))}")
        lines += [f"mode = {_quote(task.mode)}"] if task.mode is not None else []
        lines += [f"wrt = [{', '.join(map(_quote, task.wrt))}]"] if task.wrt else []
        lines += [f"order = {task.order}"] if task.order != 1 else []
        lines += [f"shape = {_quote(_shape_text(task))}"] if task.arrays is not None and not task.at else []
        lines += [f"points = {_number(task.points)}"] if task.points is not None else []
        weights = ", ".join(f"{_quote(name)} = {_number(weight)}" for name, weight in task.weights.items())
        lines += [f"weights = {{{weights}}}"] if weights else []
    return lines


def _shape_text(task: Task) -> str:
    """Return the shapes of the inputs of a task with arrays as `A=3x2, x=2, t=()`."""
    inputs = task.arrays.inputs if task.arrays is not None else {}
    return ", ".join(f"{name}={'x'.join(map(str, block.shape)) or '()'}" for name, block in inputs.items())


def _number(x: Fraction) -> str:
    """Return a fraction as TOML: a whole number bare, another one as text, `"3/4"`."""
    return str(x) if x.denominator == 1 else _quote(str(x))


def _quote(text: str) -> str:
    """Return a text as a TOML string: quotes, backslashes and unprintable characters escaped."""
    return '"' + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _code(ord(c))) for c in text) + '"'


def _code(number: int) -> str:
    """Return the escape of a character by its code point; a lone surrogate, which TOML cannot hold, as U+FFFD."""
    if 0xD800 <= number < 0xE000:
        number = 0xFFFD
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
