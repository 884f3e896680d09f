"""The work of `adcli map`: an expression, a file of points, and what becomes of them."""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from ..engine.kernel import Kernel
from ..engine.kinks import Met
from ..errors import AdcliError, DomainProblem, NameProblem, RequestError, Span
from ..files import files
from ..files.optional import numpy
from ..files.runner import Done, Lost, Plan, Writer, ordered, worked
from ..language.problems import Problem, read_problem
from ..language.program import Program, read_program
from ..language.scanner import plain_name, plain_spelling
from ..notation.numbers import Digits
from ..table.suggest import similar
from ..trace.model import Request
from ..trace.trace import trace
from .arguments import chosen_format, declared, given_point, point_of, problems, split_names
from .stream import Stream

_TOLD = 5  # rows that cannot be read of which each is told
_BAR = 30


def mapped(stream: Stream, flags: dict[str, Any]) -> int:
    """Maps the points of a command line and returns the exit code."""
    stream.dress(flags | {"output": None})
    form = chosen_format(flags["wanted"], flags["output"], files.FORMATS, "csv", files.SUFFIXES)
    expr, path = _named(flags)
    numpy()
    declared(flags)
    problem = _problem(expr, flags["file"])
    at, _ = point_of(problem, given_point(flags["at"], "--at"))
    with files.opened(path, sys.stdin.buffer) as reader:
        columns = {plain_name(plain_spelling(name)): name for name in reader.columns if name}
        program = _read(problem, {*columns, *at})
        for reading in program.readings:
            stream.note(reading.text, once=True)
        plan, carried = _planned(program, at, columns, reader, flags)
        if form != "csv":
            plan = plan._replace(numbers=[name for name in carried if name in plan.inputs.values()])
        for name in at:
            if name in plan.inputs:
                stream.note(f"{name} has a column, which counts; the value given for it does not")
        told = _Told(stream, program, flags["fail_fast"])
        jobs = reader.jobs(list(plan.inputs.values()), carried)
        with _Out(stream, flags["output"]) as out:
            writer = _writer(form, [*carried, *plan.results], out)
            work = partial(worked, plan=plan, writer=writer)
            with closing(ordered(jobs, work, flags["workers"])) as found:
                for done in found:
                    writer.put(done.piece)
                    told.add(done)
                    stream.progress(_bar(told.rows, reader.part()), elsewhere=flags["output"] is not None)
            writer.finish()
    stream.clear_progress()
    told.finish()
    return stream.code


def _read(problem: Problem, names: set[str]) -> Program:
    """The program, in which these names are variables unless it defines them itself."""
    program = read_program(problem.source, names)
    defined = names.intersection(program.graph.aliases.values())
    return read_program(problem.source, names - defined) if defined else program


def _planned(
    program: Program, at: Mapping[str, float], columns: Mapping[str, str], reader: files.Reader, flags: dict[str, Any]
) -> tuple[Plan, list[str]]:
    """What is to be computed, and the columns to carry over.  Raises what does not go together."""
    kernel = Kernel(program.graph, flags["engine"], hessian=flags["hessian"])
    inputs = {name: columns[name] for name in kernel.inputs if name in columns}
    constants = {name: float(at[name]) for name in kernel.inputs if name in at and name not in columns}
    _all_there(program, kernel.inputs, {*inputs, *constants}, reader.columns)
    carried = _carried(flags["carry"], reader.columns, set(inputs.values()))
    results = list(_results(kernel.outputs, kernel.inputs, split_names(flags["wrt"]), flags["hessian"]))
    _apart(carried, results)
    return Plan(kernel, inputs, constants, results, fail_fast=flags["fail_fast"]), carried


def _named(flags: dict[str, Any]) -> tuple[str | None, str | None]:
    """The expression (None where a file has it) and the file of points (None for standard input)."""
    texts = list(flags["expr_points"])
    if flags["file"] is not None:
        texts.insert(0, None)
    if len(texts) > 2:
        raise RequestError(
            "adcli map takes an expression and one file of points",
            label=f"left over: {texts[2]}",
            help="quotation marks keep an expression in one piece",
        )
    expr = texts[0] if texts else "-"
    path = texts[1] if len(texts) > 1 else "-"
    if path == "-" and (expr == "-" or (expr is None and flags["file"] == "-")):
        raise RequestError("there are no points", help='name a file of them: adcli map "x1*x2" points.csv')
    if path == "-" and sys.stdin.isatty():
        raise RequestError("there are no points", help="name a file of them, or pipe them in")
    return expr, None if path == "-" else path


def _problem(expr: str | None, file: str | None) -> Problem:
    """The one problem of the command line."""
    found = problems(expr, file)
    texts = list(found.texts) if found is not None else []
    if found is None or not texts:
        raise RequestError("there is no expression", help='write one, such as "x1*x2"')
    if len(texts) > 1:
        raise RequestError(
            "adcli map takes one expression", label=f"here are {len(texts)}", help="separate outputs by semicolons"
        )
    line, text = texts[0]
    problem = read_problem(text, found.name, line)
    if isinstance(problem, AdcliError):
        raise problem
    return problem


def _all_there(program: Program, names: Sequence[str], known: Collection[str], columns: Sequence[str]) -> None:
    """Raises NameProblem for an input that has neither a column nor a value."""
    lacking = [name for name in names if name not in known]
    if not lacking:
        return
    name = lacking[0]
    slot = next(slot for slot, used in program.graph.inputs.items() if used == name)
    guess = similar(name, columns)
    raise NameProblem(
        f"the points have no column {name}",
        Span(*program.graph.spans[slot], program.source),
        f"did you mean {guess}?" if guess else f"the columns are {', '.join(columns[:12])}",
        help=f"add the column, or a value for all points: --at {','.join(f'{n}=…' for n in lacking)}",
    )


def _carried(asked: Sequence[str], columns: Sequence[str], used: set[str]) -> list[str]:
    """The columns to carry over: those asked for, or all that are no inputs and have a name."""
    if not asked:
        return [name for name in columns if name and name not in used]
    names = split_names(asked)
    for name in names:
        if name not in columns:
            guess = similar(name, columns)
            raise RequestError(
                f"there is no column {name} to carry over",
                help=f"did you mean {guess}?" if guess else f"the columns are {', '.join(columns)}",
            )
    return list(dict.fromkeys(names))


def _results(outputs: Sequence[str], inputs: Sequence[str], wrt: Sequence[str], hessian: bool) -> Iterator[str]:
    """The columns of the result, by the names of the contract.  Raises RequestError for a name that is no input."""
    for name in wrt:
        if name not in inputs:
            guess = similar(name, inputs)
            raise RequestError(
                f"there is no input called {name}",
                help=f"did you mean --wrt {guess}?" if guess else f"the inputs are {', '.join(inputs) or 'none'}",
            )
    wanted = [name for name in inputs if not wrt or name in wrt]
    for output in outputs:
        yield output
        yield from (f"d{output}_d{name}" for name in wanted)
        if hessian:
            for k, name in enumerate(wanted):
                yield from (f"d2{output}_d{name}_d{other}" for other in wanted[k:])


def _apart(carried: Sequence[str], results: Sequence[str]) -> None:
    seen = set(carried)
    for name in results:
        if name in seen:
            raise RequestError(
                f"the result would have two columns called {name}",
                help="name the output, as in z = x1*x2; z, or choose what is carried over: --carry id",
            )
        seen.add(name)


# --- what is written --------------------------------------------------------------------------------------------------


def _writer(form: str, names: Sequence[str], out: _Out) -> Writer:
    if form == "csv":
        from ..files.texts import Csv
        from ..render.data import guarded

        return Csv(names, out.write, guarded)
    if form == "ndjson":
        from ..files.texts import Ndjson
        from ..render.data import json_text

        return Ndjson(names, out.write, partial(json_text, indent=None, ascii_only=out.ascii))
    from ..files.tables import Tables

    return Tables("stream" if form == "arrow" and out.is_standard else form, out)


class _Out(io.RawIOBase):
    """Where the document goes: a file that appears when it is complete, or standard output."""

    def __init__(self, stream: Stream, path: str | None) -> None:
        self._stream = stream
        self._file = files.Beside(path) if path is not None else None

    @property
    def is_standard(self) -> bool:
        return self._file is None

    @property
    def ascii(self) -> bool:
        return self.is_standard and self._stream.ascii

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        if self._file is not None:
            self._file.write(piece)
        else:
            self._stream.write(bytes(piece))
        return len(piece)

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if self._file is not None:
            if error is None:
                self._file.keep()
            else:
                self._file.drop()


def _bar(rows: int, part: float | None) -> str:
    if part is None:
        return f"{rows:,} points"
    filled = round(_BAR * part)
    return f"[{'#' * filled}{'.' * (_BAR - filled)}] {rows:,} points"


# --- what is said -----------------------------------------------------------------------------------------------------


class _Told:
    """What is said of rows that cannot be read, at once and not of each, and of points without a value, at the end."""

    def __init__(self, stream: Stream, program: Program, fail_fast: bool) -> None:
        self.stream, self.program, self.fail_fast = stream, program, fail_fast
        self.rows = self.unread = self.lost = 0
        self.first: Lost | None = None
        self.met: Met | None = None

    def add(self, done: Done) -> None:
        """Takes what is to be said of a batch.  Raises the first error with `fail_fast`."""
        self.rows += done.rows
        if self.fail_fast:
            self._stop(done)
        for _, fault in done.faults[: max(0, _TOLD - self.unread)]:
            self.stream.error(fault)
        self.unread += len(done.faults)
        if done.lost is not None:
            self.lost += done.lost.points
            self.first = self.first or done.lost
        if done.met is not None:
            self.met = done.met.joined(self.met)

    def _stop(self, done: Done) -> None:
        if done.faults and (done.lost is None or done.faults[0][0] < done.lost.row):
            raise done.faults[0][1]
        if done.lost is not None:
            raise self._why(done.lost)

    def _why(self, lost: Lost) -> AdcliError:
        """The error that the first point without a value is alone."""
        where = f"{lost.place} has the point {_point(lost)}"
        try:
            trace(self.program, lost.at, Request("value", steps=False))
        except AdcliError as error:
            error.notes += (where,)
            return error
        return DomainProblem(lost.title, notes=(where,))

    def finish(self) -> None:
        if self.met is not None:
            self.stream.note(str(self.met))
        if self.unread > _TOLD:
            self.stream.error(RequestError(f"{self.unread - _TOLD:,} more rows could not be read"))
        if self.first is not None:
            have = "has" if self.lost == 1 else "have"
            self.stream.note(
                f"{self.lost:,} of {self.rows:,} points {have} no value; the first is {self.first.place} "
                f"({_point(self.first)}): {self.first.title}"
            )
            self.stream.code = max(self.stream.code, DomainProblem.exit_code)


def _point(lost: Lost) -> str:
    digits = Digits(significant=6)
    shown = [f"{name} = {digits.show(x)}" for name, x in lost.at.items()]
    return ", ".join(shown[:6] + ["…"] * (len(shown) > 6))
