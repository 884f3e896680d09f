"""The loop over the problems of a command line, for commands that write one document a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..errors import AdcliError, OutputProblem, RequestError
from ..language.problems import Problem
from ..language.program import Program, read_program
from ..render.cells import Table, ascii_table
from ..trace.model import Note
from .arguments import given_point, point_of, problems
from .stream import Stream


class Posed(NamedTuple):
    """A problem ready to be worked on: its program, its point, and whether it is the only one."""

    problem: Problem
    program: Program
    at: dict[str, float]
    single: bool

    @property
    def where(self) -> str | None:
        """What a note of one problem among several starts with."""
        if self.single:
            return None
        name = self.problem.source.name
        return f"{name}:{self.problem.line}" if name else f"line {self.problem.line}"


class Results:
    """What becomes of the results: `data` makes plain data of one, `text` a text, `lines` the lines of a sheet.

    `text` is also told whether the result is the only one.
    """

    def __init__(
        self,
        stream: Stream,
        form: str,
        *,
        data: Callable[[Any], dict[str, Any]],
        text: Callable[[Any, bool], str],
        lines: Callable[[Any, int], list[dict[str, Any]]] | None = None,
    ) -> None:
        self.stream, self.form = stream, form
        self.data, self.text, self.lines = data, text, lines
        self.count = 0
        self._gathered: list[dict[str, Any]] = []

    def add(self, result: Any, single: bool) -> None:
        """Writes a result, or keeps it for the end."""
        self.count += 1
        if self.form in ("json", "ndjson"):
            self._record(self.data(result))
        elif self.form == "csv" and self.lines is not None:
            self._gathered += self.lines(result, self.count)
        else:
            self.stream.write(("\n" if self.count > 1 and self.form != "latex" else "") + self.text(result, single))

    def fail(self, error: AdcliError) -> None:
        """Puts an error in the place of a result, where the format has such a place."""
        if self.form in ("json", "ndjson"):
            self._record(error.as_dict())

    def _record(self, data: dict[str, Any]) -> None:
        if self.form == "json":
            self._gathered.append(data)
        else:
            from ..render.data import json_text

            self.stream.write(json_text(data, indent=None, ascii_only=self.stream.ascii) + "\n")

    def finish(self) -> None:
        """Writes what was kept."""
        from ..render.data import json_text, sheet

        kept = self._gathered
        if kept and self.form == "csv":
            self.stream.write(sheet(kept))
        elif kept:
            self.stream.write(json_text(kept[0] if len(kept) == 1 else kept, ascii_only=self.stream.ascii) + "\n")


def drawn(stream: Stream, table: Table, form: str) -> str:
    """A table as a text: with boxes and colours on a terminal, unless plain text was asked for."""
    if stream.ascii:
        table = ascii_table(table)
    if stream.is_terminal and form == "table":
        from ..render.terminal import draw

        return draw(table, stream.width(), stream.wants_color(), stream.ascii)
    from ..render.plain import draw as draw_plain

    return draw_plain(table)


def say_notes(stream: Stream, notes: Iterable[Note], posed: Posed) -> None:
    """Notes to standard error; with the line of their problem, where there are several."""
    for note in notes:
        reading = note.kind == "reading"
        stream.note(note.text, None if reading else posed.where, once=reading)


def each(
    stream: Stream,
    flags: dict[str, Any],
    work: Callable[[Posed], None],
    fail: Callable[[AdcliError], None],
    imaginary: bool = False,
    apart: Callable[[Iterable[Problem | AdcliError]], Iterator[int]] | None = None,
) -> bool:
    """Works on every problem of the command line, errors told one by one; False when there is nothing to read.

    `apart` is another way to work on many problems: it does so and counts them.
    """
    found = problems(flags["expr"], flags["file"])
    if found is None:
        return False
    try:
        given = given_point(flags["at"], "--at", imaginary)
    except AdcliError as error:
        if flags["debug"]:
            raise
        stream.error(error)
        fail(error)
        return True
    every, single = found
    number = 0
    if apart is not None:
        for number in apart(every):
            stream.progress(f"{number} problems")
    else:
        for number, problem in enumerate(every, 1):
            went_on = attempt(stream, flags, problem, given, work, fail, single=single, imaginary=imaginary)
            stream.progress(f"{number} problems")
            if not went_on:
                break
    stream.clear_progress()
    if number == 0:
        raise RequestError("there is no problem in the input", help="write one a line, such as x^2 @ x=3")
    return True


def attempt(
    stream: Stream,
    flags: dict[str, Any],
    problem: Problem | AdcliError,
    given: dict[str, float],
    work: Callable[[Posed], None],
    fail: Callable[[AdcliError], None],
    *,
    single: bool = False,
    imaginary: bool = False,
) -> bool:
    """Works on one problem or tells its error; whether the next one is to follow."""
    try:
        if isinstance(problem, AdcliError):
            raise problem
        work(_posed(problem, given, single, imaginary))
    except OutputProblem:
        raise
    except AdcliError as error:
        stream.error(error)
        fail(error)
        return not (flags["fail_fast"] or flags["debug"])
    return True


def _posed(problem: Problem, given: dict[str, float], single: bool, imaginary: bool) -> Posed:
    """Of a point for many problems only what this one needs is used."""
    at, own = point_of(problem, given, imaginary)
    program = read_program(problem.source, at)
    if not single:
        needed = set(program.graph.inputs.values())
        at = {name: x for name, x in at.items() if name in needed or name in own}
    return Posed(problem, program, at, single)
