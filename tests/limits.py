"""Limits that no sample reaches: each is made small, or what would break is broken, and the message it gives."""

from __future__ import annotations

import gc
import io
import sys
import zipfile
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import crashing
import pytest

from adcli import extras
from adcli import points as columns_of_engines
from adcli.adapters import sympy_expressions
from adcli.arrays import array_blocks, array_points, gradient_formulas, sweeps
from adcli.arrays.array_program import read_arrays
from adcli.classroom import archives, grading, roster
from adcli.classroom.key import read_key
from adcli.classroom.overrides import read_overrides
from adcli.classroom.pool import Job, NoResult, results
from adcli.classroom.submissions import HandedIn, submissions_in
from adcli.cli.arguments import ProblemTexts
from adcli.cli.commands import new
from adcli.cli.commands.grade import report_left_out
from adcli.cli.commands.map import MapRequest
from adcli.cli.inputs import Inputs
from adcli.cli.shards import Shard, Sources, check_unchanged, every_part
from adcli.cli.shared_options import ProblemOptions
from adcli.cli.stream import Stream
from adcli.cli.workers import work_in_processes
from adcli.engine import assignments
from adcli.errors import Source, unexpected_error
from adcli.extras import Needs
from adcli.files import mapping, ndjson_file, points
from adcli.files.kinds import typed_array
from adcli.files.points import RequestedColumns
from adcli.files.propagating import RowSpread, columns_of_sigmas, propagate_batches, propagating_plan
from adcli.language.problems import problem_texts
from adcli.language.program import read_program
from adcli.marking.missing_point import missing_point
from adcli.marking.task import task_of
from adcli.notation.number_text import Digits
from adcli.numbers import budget
from adcli.render.source_code import source_code
from adcli.render.targets import excel, find_language, polars, sql
from adcli.trace.number_kinds import numbers_for
from adcli.trace.trace_model import Request
from adcli.trace.trace_program import trace


def _zipped(*names: str) -> str:
    with zipfile.ZipFile("hw.zip", "w") as made:
        for name in names:
            made.writestr(name, "v1 = 1")
    return "hw.zip"


def _many_files(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(archives, "MOST_FILES", 1)
    Path("in").mkdir()
    for name in ("a.txt", "b.txt"):
        Path("in", name).touch()
    submissions_in("in")


def _many_files_packed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(archives, "MOST_FILES", 1)
    submissions_in(_zipped("a.txt", "b.txt"))


def _many_bytes_packed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(archives, "MOST_BYTES", 2**20)
    monstrous = _zipped("a.txt")
    with zipfile.ZipFile(monstrous, "a") as made:
        made.writestr("b.txt", b" " * 2**20)
    submissions_in(monstrous)


def _gone(patch: pytest.MonkeyPatch) -> None:
    Path("in").mkdir()
    Path("in", "a.txt").touch()
    found = submissions_in("in")
    Path("in", "a.txt").unlink()
    found.submissions[0].files[0].load()


def _long_list(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(roster, "_MOST", 1)
    roster.read_roster("name\nJane\n", "class.csv")


def _no_list(patch: pytest.MonkeyPatch) -> None:
    roster.read_roster('name\n"' + "x" * 200_000, "class.csv")


def _no_worker(patch: pytest.MonkeyPatch) -> None:
    list(results(deque([Job("s", "x", b"")]), 1, 5.0, crashing.never, {}))


def _fallen_maker(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(new, "_make_exercises", crashing.ended)
    Path("class.csv").write_text("name\ndie\n", encoding="utf-8")
    Path("secret.txt").write_text("nobody knows this", encoding="utf-8")
    asked = new.NewRequest(students="class.csv", secret="secret.txt", output="out", workers=2)  # noqa: S106 - a file's name
    new.run(Stream(), asked)


def _no_tasks(patch: pytest.MonkeyPatch) -> None:
    read_key('[[student.a.problem]]\ntext = "x @ x=1"\n').tasks_for("b")


def _nobody(patch: pytest.MonkeyPatch) -> None:
    report_left_out(Stream(), HandedIn((), ()))


def _loaded(patch: pytest.MonkeyPatch) -> None:
    submissions_in("hw.zip").submissions[0].files[0].load()


def _dense(patch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile("hw.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.txt", b" " * 2**20)
    _loaded(patch)


def _changed(place: int, mask: int, patch: pytest.MonkeyPatch) -> None:
    """An archive of one file, with some bits at a place after the mark of its directory or of its file changed."""
    data = bytearray(Path(_zipped("a.txt")).read_bytes())
    data[data.index(b"PK\x01\x02") + place] ^= mask
    Path("hw.zip").write_bytes(data)
    _loaded(patch)


def _packed(depth: int, inside: bytes | None = None) -> None:
    """The first file of an archive in so many archives is loaded; without `inside` the innermost has nothing."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        if inside is not None:
            made.writestr("a.txt", inside)
    for _ in range(depth):
        outer = io.BytesIO()
        with zipfile.ZipFile(outer, "w") as made:
            made.writestr("ada.zip", data.getvalue())
        data = outer
    Path("hw.zip").write_bytes(data.getvalue())
    submissions_in("hw.zip").submissions[0].files[0].load()


def _nothing_packed(patch: pytest.MonkeyPatch) -> None:
    _packed(1)


def _deeply_packed(patch: pytest.MonkeyPatch) -> None:
    _packed(4, b"v1 = 1")


def _much_packed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(archives, "_MOST_UNPACKED", 100)
    _packed(1, b"v1 = 1" * 100)


def _encrypted(patch: pytest.MonkeyPatch) -> None:
    _changed(8, 1, patch)


def _damaged(patch: pytest.MonkeyPatch) -> None:
    _changed(16, 0xFF, patch)


def _slow(patch: pytest.MonkeyPatch) -> None:
    raise grading.make_failure(NoResult(slow=True), 10)


def _fallen(patch: pytest.MonkeyPatch) -> None:
    raise grading.make_failure(NoResult(slow=False), 10)


def _accident(error: type[Exception], patch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    patch.setattr(grading, "assess", fail)
    key = read_key('[[problem]]\ntext = "x @ x=1"\n')
    (marking,) = grading.mark_problems(b"", "a.txt", key.tasks, key)
    assert marking.problem is not None
    raise marking.problem


def _large(patch: pytest.MonkeyPatch) -> None:
    _accident(MemoryError, patch)


def _mistaken(patch: pytest.MonkeyPatch) -> None:
    _accident(ZeroDivisionError, patch)


def _points(data: bytes, *inputs: str, path: str | None = None, longest: int = points.LONGEST) -> None:
    """Points with these inputs, read through a pipe or from a file."""
    with mapping.open_points(path, io.BytesIO(data), longest) as reader:  # type: ignore[arg-type]  # it can be read
        for job in reader.jobs(RequestedColumns(inputs, ())):
            job()


def _long_row(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(points, "BLOCK", 100)
    _points(b"x\n1\n" + b"2" * 2000, "x", longest=1000)


def _long_list_of_points(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(points, "LONGEST", 20)
    intake = points.Intake("points.json", io.BytesIO(b'[{"x": 1}, {"x": 2}, {"x": 3}]'), 1000, True, has_commas=False)
    ndjson_file._separate_records(intake)


def _parquet() -> bytes:
    import pyarrow
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(pyarrow.table({"x": [True]}), out)
    return out.getvalue()


class _Pipe(io.BytesIO):
    """What can be read only once."""

    def seekable(self) -> bool:
        return False


def _piped(patch: pytest.MonkeyPatch) -> None:
    with mapping.open_points(None, _Pipe(_parquet())):
        pass


def _shared_pipe(patch: pytest.MonkeyPatch) -> None:
    with mapping.open_points(None, _Pipe(b"x\n1\n")) as reader:
        reader.ranges(2)


def _two_sigmas(patch: pytest.MonkeyPatch) -> None:
    columns_of_sigmas(["x", "u_x", "x_err"], ["x"])


def _below_zero(patch: pytest.MonkeyPatch) -> None:
    spread = RowSpread({"x": "sigma_x"}, {}, {}, {})
    with mapping.open_points(None, io.BytesIO(b"x,sigma_x\n1,-1\n")) as reader:  # type: ignore[arg-type]  # it can be read
        program = mapping.program_of(Source("x^2"), {"x"})
        plan, _ = propagating_plan(program, {}, mapping.list_named_columns(reader.columns), reader, spread)
        (found,) = propagate_batches(reader, plan, spread, lambda done: done.faults, kinds={}, workers=1, draws=None)
    raise found[0][1]


def _other_values(patch: pytest.MonkeyPatch) -> None:
    typed_array(["1", "x"], "whole", "id", lambda row: f"line {row + 2}")


def _truths(patch: pytest.MonkeyPatch) -> None:
    _points(_parquet(), "x", path="points.parquet")


def _long(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(budget, "SECONDS", 0.05)
    program = read_program(Source("gamma(gamma(x)^x + 1)"), ("x",))
    numbers = numbers_for(False, 3000, False, Digits())
    gc.disable()  # the tests' own callbacks of the collector would swallow what is raised in them
    try:
        trace(program, {"x": 3.3}, Request(numbers=numbers, digits=numbers.digits if numbers else Digits()))
    finally:
        gc.enable()


class _Torn(io.RawIOBase):
    """A file whose disk fails after the first lines."""

    begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.begun:
            raise OSError(5, "Input/output error")
        self.begun = True
        buffer[:6] = b"x\n1\n2\n"
        return 6


def _torn(patch: pytest.MonkeyPatch) -> None:
    with mapping.open_points(None, io.BufferedReader(_Torn())):
        pass


def _strange_name(patch: pytest.MonkeyPatch) -> None:
    _points(b"x,\x1b[31mt\n1,2\n", "x")


def _endless_problem(patch: pytest.MonkeyPatch) -> None:
    list(problem_texts(["a = x;"] * 10, most=40))


def _closed_input(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sys, "stdin", None)
    Inputs().standard()


def _closed_output(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sys, "stdout", None)
    Stream().write("text")


def _refused_output(patch: pytest.MonkeyPatch) -> None:
    with Path("read").open("w+"), Path("read").open() as out:
        patch.setattr(sys, "stdout", io.TextIOWrapper(out.buffer))  # type: ignore[type-var]  # it cannot be written
        Stream().write("text")


def _not_loading(patch: pytest.MonkeyPatch) -> None:
    with Needs("Parquet and Arrow files need pyarrow", "arrow"):
        raise ImportError("libarrow.so: failed to map segment from shared object")


def _little_memory(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(extras, "_allowed_memory", lambda: 10**6)
    patch.setenv("OPENBLAS_NUM_THREADS", "1")
    with Needs("files of points need NumPy", "numpy", memory=10**8):
        pass


def _ended_process(patch: pytest.MonkeyPatch) -> None:
    texts = ProblemTexts(iter([(1, "x")]), None, False)
    list(work_in_processes(Stream(), ProblemOptions(), 1, crashing.ended, texts))


def _no_library(patch: pytest.MonkeyPatch) -> None:
    raise unexpected_error(ModuleNotFoundError("No module named 'lark'"))


def _named_library(patch: pytest.MonkeyPatch) -> None:
    raise unexpected_error(ImportError("DLL load failed while importing _multiarray_umath", name="numpy._core"))


def _refused(patch: pytest.MonkeyPatch) -> None:
    raise unexpected_error(OSError(24, "Too many open files"))


def _compiled(language: str, text: str) -> None:
    source_code(read_program(Source(text)).graph, find_language(language), text)


def _long_source(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(assignments, "MOST", 10)
    _compiled("c", "x*y*sin(x)*cos(y)*exp(x*y)*log(x)")


def _foreign_to_sympy(patch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sympy")
    patch.delitem(sympy_expressions._COMPOSED, "lambertw")
    sympy_expressions.to_sympy(read_program(Source("lambertw(x)")).graph)


def _wide_sheet(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(excel, "_COLUMNS", 3)
    _compiled("excel", "x*y*sin(x)")


def _deep_query(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sql, "_DEEPEST", 1)
    _compiled("sql", "sin(sin(x))")


def _entangled(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(polars, "_LARGEST", 5)
    _compiled("polars", "u = sin(x)*x; u*u*u + u")


def _unsettled(patch: pytest.MonkeyPatch) -> None:
    Path("settings.toml").write_text("no-note = [", "utf-8")
    patch.setenv("ADCLI_SETTINGS", "settings.toml")
    ProblemOptions().configure(Stream())


def _column_of_texts(patch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    list(columns_of_engines.arrow("id^2")([pa.record_batch({"id": ["a"]})]))


def _lost_part(patch: pytest.MonkeyPatch) -> None:
    cluster, future = MagicMock(), MagicMock()
    future.result.side_effect = KeyError("lost")
    cluster.Client().__enter__().submit.return_value = cluster.Client().submit.return_value = future
    cluster.as_completed = list
    patch.setitem(sys.modules, "distributed", cluster)
    asked = MapRequest(expr_points=("x", "p.csv"), output="o.csv")
    every_part(Stream(), asked, {}, 1, "o.csv", ("x", "p.csv"), "tcp://here:1")


def _changed_points(patch: pytest.MonkeyPatch) -> None:
    patch.chdir(Path(__file__).parent)
    check_unchanged(Sources(Shard(2, 3), {}, {}), "limits.py")


_VECTOR = Source("sumsq(x)"), {"x": (9,)}


def _many_operations_on_numbers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(array_blocks, "MOST_OPERATIONS", 2)
    read_arrays(*_VECTOR)


def _many_operations_on_arrays(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(gradient_formulas, "_MOST_BLOCKS", 1)
    gradient_formulas.gradients(read_arrays(*_VECTOR), [])


def _many_tangents(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sweeps, "_LARGEST_FORWARD", 1)
    sweeps.array_trace(read_arrays(*_VECTOR), {}, Request("forward"), None)


def _long_vector(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(array_points, "_MOST", 1)
    array_points.read_arrays_point(Source("x=@a.json"), lambda _: b"[1, 2]")


def _no_point(_: pytest.MonkeyPatch) -> None:
    problem = missing_point(b"v1 = 4.000\ny = 12.345\ndy/dx = 6.789\n", "a.txt", task_of("x^2+sin(x)", formulas=True))
    raise problem or AssertionError


def _no_columns(_: pytest.MonkeyPatch) -> None:
    read_overrides("name,points\nada,1\n", "overrides.csv")


def _no_student(_: pytest.MonkeyPatch) -> None:
    read_overrides("student,mark\n,1\n", "overrides.csv")


LIMITS: list[tuple[Callable[[pytest.MonkeyPatch], None], str]] = [
    (_no_point, "this answer has numbers, and the problem has no point"),
    (_no_columns, "overrides.csv has no column student or mark"),
    (_no_student, "a student is missing on line 2 of overrides.csv"),
    (_changed_points, "limits.py was changed while part 2/3 was made from it"),
    (_long_source, "source code of more than 10 operations is too long"),
    (_many_operations_on_numbers, "the problem has more than 2 operations on numbers"),
    (_many_operations_on_arrays, "the formula takes more than 1 operations on arrays"),
    (_many_tangents, "forward mode would compute 9 tangents of 27 rows"),
    (_long_vector, "x has more than 1 entries"),
    (_foreign_to_sympy, "SymPy has no function for lambertw"),
    (_wide_sheet, "a sheet of Excel has 3 columns, but this problem needs 10"),
    (_deep_query, "SQL would need 4 nested queries"),
    (_entangled, "Polars would evaluate shared parts again and again: 84 operations"),
    (_many_files, "the folder or archive in has more than 1 files"),
    (_many_files_packed, "the folder or archive hw.zip has more than 1 files"),
    (_many_bytes_packed, "hw.zip unpacks to more than 1 MB"),
    (_gone, "the file cannot be read"),
    (_dense, "the file expands to far more data than an answer has"),
    (_nothing_packed, "the archive is empty"),
    (_deeply_packed, "the archive is nested in too many archives"),
    (_much_packed, "the archive is too large"),
    (_encrypted, "the file is encrypted"),
    (_damaged, "the file is damaged in the archive"),
    (_slow, "marking the answer takes longer than 10 s"),
    (_fallen, "the worker process crashed while marking this answer"),
    (_large, "marking the answer needs too much memory"),
    (_mistaken, "adcli failed on this answer because of an error in adcli itself"),
    (_long_list, "class.csv has more than 1 lines"),
    (_no_list, "class.csv is not a class list"),
    (_nobody, "there is no submission"),
    (_column_of_texts, "column id contains text"),
    (_lost_part, "the cluster did not compute part 1"),
    (_no_worker, "a worker process does not start"),
    (_fallen_maker, "the exercises of die could not be made"),
    (_no_tasks, "the key file has no problem for the student b"),
    (_long_list_of_points, "points.json is a list of more than 20 bytes"),
    (_long_row, "the row that begins on line 3 of standard input is too long"),
    (_piped, "this kind of file cannot be read from a pipe"),
    (_shared_pipe, "standard input can be read only once"),
    (_two_sigmas, "the input x has two columns of uncertainties"),
    (_below_zero, "the column sigma_x has a negative number"),
    (_other_values, "the column id has another kind of values than in earlier rows"),
    (_truths, "the column x does not have numbers"),
    (_long, "the problem takes more than 0.05 s of computing"),
    (_torn, "cannot read standard input from line 4 on"),
    (_strange_name, "the name of a column has a control character"),
    (_endless_problem, "the problem that begins on line 1 is too long"),
    (_closed_input, "standard input is closed"),
    (_closed_output, "standard output is closed"),
    (_refused_output, "cannot write to standard output"),
    (_not_loading, "Parquet and Arrow files need pyarrow, which does not load"),
    (_little_memory, "files of points need NumPy, and more memory"),
    (_ended_process, "a worker process was ended"),
    (_no_library, "a library does not load"),
    (_named_library, "the library numpy does not load"),
    (_unsettled, "the settings in settings.toml cannot be read"),
    (_refused, "the system refuses what this command needs"),
]
