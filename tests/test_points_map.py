"""`adcli map`: what `adcli eval` says, at every row of a file."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn import usually
from running import LONGEST_RUN, PAPER, UTF8, environment, only_json, run, terminal
from support import each, records

from adcli.errors import Source
from adcli.files import column_texts, generated, mapping, points
from adcli.files.points import RequestedColumns

pytest.importorskip("pyarrow")
NUMPY = ("--engine", "numpy")
# Arrays are computed with NumPy's functions, which differ from those of `math` by a few units in the last place.
CLOSE = 1e-12
POINTS = "id,x1,x2\na,2,5\nb,0.5,1\nc,3.25,-1e-3\n"


def sheet(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def columns(answer: Any) -> dict[str, float]:
    """The columns of the contract from what `adcli eval --format json` says."""
    found: dict[str, float] = {}
    for output in answer["outputs"]:
        name = output["name"]
        found[name] = float(output["value"])
        found |= {f"d{name}_d{wrt}": float(slope) for wrt, slope in output["gradient"].items()}
        names = list(output["gradient"])
        for k, first in enumerate(names if "hessian" in output else ()):
            found |= {f"d2{name}_d{first}_d{other}": float(output["hessian"][first][other]) for other in names[k:]}
    return found


@pytest.mark.parametrize(
    "expr",
    [
        PAPER, "p = x1*x2; q = x1/x2; p; q", "x1^3*exp(-x2)", "if(x2 > 0, sqrt(x2), x1)*x1", "abs(x1 - 2) + max(x2, 1)",
        "x1*x1", "2*x2 - x2", "atan2(x1, x2)^2",
    ],
)  # fmt: skip
@pytest.mark.parametrize("hessian", [(), ("--hessian",)])
def test_every_row_is_what_eval_says_of_it(expr: str, hessian: tuple[str, ...]) -> None:
    answer = run("map", expr, "-", *hessian, *NUMPY, "-q", "--no-note", "kink", "--carry", "id,x1,x2", stdin=POINTS)
    assert (0, "") == (answer.code, answer.err)
    for row, given in zip(sheet(answer.out), sheet(POINTS), strict=True):
        assert given == {name: row.pop(name) for name in given}
        needed = [name for name in ("x1", "x2") if name in expr]
        at = ",".join(f"{name}={given[name]}" for name in needed)
        wanted = columns(only_json(run("eval", expr, "--at", at, *hessian, "--format", "json", "-q")))
        assert list(wanted) == list(row)
        assert wanted == pytest.approx({name: float(x) for name, x in row.items()}, rel=CLOSE, abs=1e-15)


@each(records("expressions")[1 :: usually(3, thoroughly=1)])
def test_real_expressions_have_their_reference_values(record: dict[str, Any]) -> None:
    text = f"{','.join(record['point'])}\n" + 2 * f"{','.join(record['point'].values())}\n"
    answer = run("map", record["expr"], "-", "-q", *NUMPY, stdin=text)
    assert (0, "") == (answer.code, answer.err)
    first, second = sheet(answer.out)
    assert first == second
    value, *slopes = (float(x) for x in first.values())
    allowed = max(CLOSE, record["literal_rounding_rel"])
    assert float(record["value"]) == pytest.approx(value, rel=allowed, abs=0)
    names = [name for name in first if name.startswith(("dy_d", "df_d"))]
    found = dict(zip((name.partition("_d")[2] for name in names), slopes, strict=True))
    assert set(record["gradient"]) == set(found)
    for wrt, slope in record["gradient"].items():
        # contributions that cancel to 0 are measured against the value by the input
        size = abs(float(record["value"]) / (float(record["point"][wrt]) or 1.0)) if float(slope) == 0 else 0.0
        assert float(slope) == pytest.approx(found[wrt], rel=allowed, abs=allowed * size), wrt


# --- forms ------------------------------------------------------------------------------------------------------------


def read_back(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of any form, numbers as doubles."""
    if path.suffix == ".csv":
        rows: list[dict[str, Any]] = sheet(path.read_text(encoding="utf-8"))
    elif path.suffix == ".ndjson":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    elif path.suffix == ".parquet":
        from pyarrow import parquet

        rows = parquet.read_table(path).to_pylist()
    else:
        from pyarrow import ipc

        with open(path, "rb") as stream:
            rows = ipc.open_file(stream).read_all().to_pylist()
    return [{name: x if name == "id" else float(x) for name, x in row.items()} for row in rows]


@pytest.mark.parametrize("given", [".csv", ".ndjson", ".parquet", ".arrow"])
@pytest.mark.parametrize("wanted", [".csv", ".ndjson", ".parquet", ".arrow"])
def test_every_form_goes_into_every_form(given: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text(POINTS, encoding="utf-8")
    source, out = tmp_path / f"in{given}", tmp_path / f"out{wanted}"
    argv = ("-q", *NUMPY, "--carry", "id,x1,x2")
    assert (0, "", "") == run("map", "x1 - x1", str(tmp_path / "points.csv"), "--at", "x=1", *argv, "-o", str(source))
    assert (0, "", "") == run("map", f"z = {PAPER}; z", str(source), *argv, "-o", str(out))
    found = read_back(out)
    assert ["id", "x1", "x2", "z", "dz_dx1", "dz_dx2"] == list(found[0])
    assert [("a", 2.0, 5.0), ("b", 0.5, 1.0), ("c", 3.25, -1e-3)] == [(r["id"], r["x1"], r["x2"]) for r in found]
    assert [5.5, 3.0, 1 / 3.25 - 1e-3] == pytest.approx([r["dz_dx1"] for r in found], rel=1e-15, abs=0)


def test_the_form_of_standard_output_can_be_chosen() -> None:
    lines = run("map", "x1*x2", "-", "--format", "ndjson", *NUMPY, stdin=POINTS).out.splitlines()
    assert {"id": "a", "y": 10.0, "dy_dx1": 5.0, "dy_dx2": 2.0} == json.loads(lines[0])


@pytest.mark.parametrize("form", ["csv", "ndjson", "parquet", "arrow"])
def test_a_file_without_rows_gives_one_without_rows(form: str, tmp_path: Path) -> None:
    out, again = tmp_path / f"out.{form}", tmp_path / "again.csv"
    assert (0, "", "") == run("map", "x*t", "-", *NUMPY, "-o", str(out), "--carry", "x,t", stdin="x,t\n")
    if form != "ndjson":
        assert (0, "", "") == run("map", "2x", str(out), *NUMPY, "-o", str(again), "--carry", "t")
        assert "t,y,dy_dx\n" == again.read_text(encoding="utf-8") or form == "csv"


def test_what_is_carried_from_a_sheet_gets_the_type_that_all_its_cells_have(tmp_path: Path) -> None:
    from pyarrow import parquet

    text = 'n,r,b,z,t,x\n1,1.50,true,007,"a\nb",2\n,-2e3,,1,"",3\n9007199254740993,NaN,False,2,"\tc=""",4\n'
    out, again = tmp_path / "out.parquet", tmp_path / "out.csv"
    source = tmp_path / "in.csv"
    source.write_text(text, encoding="utf-8")
    assert 0 == run("map", "x^2", str(source), "-o", str(out), "--carry", "n,r,b,z,t,x", *NUMPY).code
    found = parquet.read_table(out)
    assert ["int64", "double", "bool", "string", "string", "int64"] == [str(kind) for kind in found.schema.types[:6]]
    assert [1, None, 9007199254740993] == found.column("n").to_pylist()
    assert ["a\nb", "", '\tc="'] == found.column("t").to_pylist()
    assert [True, None, False] == found.column("b").to_pylist()
    assert ["007", "1", "2"] == found.column("z").to_pylist()
    assert 0 == run("map", "x^2", str(source), "-o", str(again), "--carry", "n,r,b,z,t,x", *NUMPY).code
    written = list(csv.reader(io.StringIO(again.read_text(encoding="utf-8"))))
    assert [row[:6] for row in written] == list(csv.reader(io.StringIO(text)))
    assert 0 == run("map", "x^2", str(out), "-o", str(again), "--carry", "n,r,b,z,t", *NUMPY).code
    assert '1,1.5,true,007,"a\nb",4.0,4.0\n,-2000.0,,1,"",9.0,6.0\n' in again.read_text(encoding="utf-8")


def test_carried_types_stay_what_they_are_and_inputs_become_doubles(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    given = pa.table({"n": [1, None], "t": ["=A1", "é"], "x": [1.5, 2.5], "when": pa.array([0, 1], pa.timestamp("ms"))})
    parquet.write_table(given, tmp_path / "in.parquet")
    run("map", "x^2", str(tmp_path / "in.parquet"), "-o", str(tmp_path / "out.parquet"), *NUMPY)
    found = parquet.read_table(tmp_path / "out.parquet")
    assert given.column("n") == found.column("n")
    assert given.column("t") == found.column("t")
    assert ["n", "t", "when", "y", "dy_dx"] == found.column_names
    answer = run("map", "x^2", str(tmp_path / "in.parquet"), *NUMPY)
    assert [
        "1,=A1,1970-01-01 00:00:00.000,2.25,3.0",
        ",é,1970-01-01 00:00:00.001,6.25,5.0",
    ] == answer.out.splitlines()[1:]


def test_ten_rows_load_neither_a_compiler_nor_what_reads_columns(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(POINTS, encoding="utf-8")
    program = (
        "import sys; from adcli.cli.main import main; code = main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "map", "x1*x2", str(path)], capture_output=True, text=True, check=True,
        env=environment(**UTF8),
    )  # fmt: skip
    assert "a,10.0,5.0,2.0" in done.stdout.splitlines()
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert set() == {"llvmlite", "polars", "pyarrow", "rich", "click"} & loaded


def test_a_program_maps_record_batches_to_record_batches() -> None:
    import pyarrow as pa

    from adcli.errors import RequestError, Source
    from adcli.files.mapping import (
        list_named_columns,
        make_plan,
        map_batch,
        map_record_batches,
        open_points,
        program_of,
    )

    with open_points(None, io.BytesIO(b"id,x1,x2\n")) as reader:  # type: ignore[arg-type]  # it can be read
        program = program_of(Source("x1*log(x2)"), set(reader.columns))
        plan = make_plan(program, {}, list_named_columns(reader.columns), reader, engine="numpy", fast=False)
    first = pa.RecordBatch.from_pydict({"id": ["a", None], "x1": [1, None], "x2": [1.0, 2.0], "more": [0, 0]})
    second = first.set_column(2, "x2", pa.array([-1.0, 3.0]))
    found = [batch.to_pydict() for batch in map_record_batches(iter([first, second]), plan)]
    assert ["id", "y", "dy_dx1", "dy_dx2"] == plan.columns == list(found[0])
    assert ["a", None] == found[1]["id"]
    assert "[0.0, nan] [nan, nan]" == f"{found[0]['y']} {found[1]['y']}"
    with pytest.raises(RequestError, match="the column x1 does not have numbers"):
        list(map_record_batches([first.set_column(1, "x1", pa.array([True, False]))], plan))
    with pytest.raises(RequestError, match="x1 has decimal commas") as caught:
        list(map_record_batches([first, first.set_column(1, "x1", pa.array(["1", "1,5"]))], plan))
    assert "row 4" == caught.value.label
    assert 0 == map_batch(next(reader.jobs(RequestedColumns(["x1", "x2"], ["id"])))(), plan).rows


def test_a_sheet_is_shown_on_a_terminal_and_steers_nothing(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("t,x\n\x1b[2J=A1,2\né,3\n", encoding="utf-8")
    shown = terminal("map", "x^2", str(path), *NUMPY, "-q")
    assert (0, "t,y,dy_dx\n\ufffd[2J=A1,4.0,4.0\né,9.0,6.0\n") == shown[:2]


# --- what is asked for ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "header"),
    [
        ((), "id,y,dy_dx1,dy_dx2"),
        (("--wrt", "x2"), "id,y,dy_dx2"),
        (("--wrt", "x2,x1", "--hessian"), "id,y,dy_dx1,dy_dx2,d2y_dx1_dx1,d2y_dx1_dx2,d2y_dx2_dx2"),
        (("--wrt", "x2", "--hessian"), "id,y,dy_dx2,d2y_dx2_dx2"),
        (("--carry", "x2", "--carry", "id"), "x2,id,y,dy_dx1,dy_dx2"),
        (("--carry", ""), "y,dy_dx1,dy_dx2"),
    ],
)
def test_the_columns_are_those_that_are_asked_for(flags: tuple[str, ...], header: str) -> None:
    assert header == run("map", "x1*x2", "-", *NUMPY, *flags, stdin=POINTS).out.splitlines()[0]


def test_inputs_without_a_column_have_one_value_for_all() -> None:
    answer = run("map", "a*x1 @ a=3", "-", "--at", "b=1,a=2", *NUMPY, "--carry", "id", stdin=POINTS)
    assert ["a,6.0,2.0,3.0", "b,1.5,0.5,3.0", "c,9.75,3.25,3.0"] == answer.out.splitlines()[1:]
    both = run("map", "x1*x2", "-", "--at", "x1=100", *NUMPY, stdin=POINTS)
    assert "10.0" == sheet(both.out)[0]["y"]
    assert "note: x1 has a column, which is used; its value in the point is ignored\n" == both.err


def test_columns_make_names_variables_and_are_spelled_as_in_the_language() -> None:
    answer = run("map", "e*x₁", "-", *NUMPY, stdin="e,x₁\n2,3\n")
    assert {"y": "6.0", "dy_de": "3.0", "dy_dx1": "2.0"} == sheet(answer.out)[0]
    assert "note: e is read as the input of that name, not as the constant\n" == answer.err


def test_the_expression_may_come_from_a_file_or_from_standard_input(tmp_path: Path) -> None:
    points, problem = tmp_path / "points.csv", tmp_path / "problem.txt"
    points.write_text(POINTS, encoding="utf-8")
    problem.write_text("# area\nx1*x2\n", encoding="utf-8")
    expected = run("map", "x1*x2", str(points), *NUMPY)
    assert expected == run("map", "--file", str(problem), str(points), *NUMPY)
    assert expected == run("map", "-", str(points), *NUMPY, stdin="x1*x2")
    assert expected == run("map", "x1*x2", *NUMPY, stdin=POINTS)
    assert expected == run("map", "-f", str(problem), *NUMPY, stdin=POINTS)


def test_a_constant_has_its_value_in_every_row() -> None:
    assert ["y", "6.0", "6.0"] == run("map", "6", "-", "--carry", "", *NUMPY, stdin="x\n1\n2\n").out.splitlines()


def test_nothing_to_read_is_help_on_a_terminal() -> None:
    assert (0, run("map", "--help").out, "") == run("map", stdin=None)


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_points_outside_a_domain_are_nan_and_counted_in_one_note() -> None:
    answer = run("map", "log(x) + y; y", "-", *NUMPY, stdin="x,y\n1,2\n-1,2\n\nnan,1\n0,7\n")
    assert 3 == answer.code
    rows = [line.split(",") for line in answer.out.splitlines()[1:]]
    assert [["2.0", "1.0", "1.0"], ["NaN"] * 3, ["NaN"] * 3, ["NaN"] * 3] == [row[:3] for row in rows]
    assert ["2.0", "2.0", "1.0", "7.0"] == [row[3] for row in rows]
    assert 1 == answer.err.count("no value")
    assert (
        "2 of 4 points have no value; the first is line 3 (x = -1, y = 2): log needs a positive argument" in answer.err
    )


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_first_failing_row_is_named_whatever_batch_it_is_in(workers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "BLOCK", 40)
    text = "x\n" + "".join(f"{x}\n" for x in [*range(1, 60), -5, 3, -7])
    answer = run("map", "log(x)", "-", *NUMPY, "--workers", workers, stdin=text)
    assert "2 of 62 points have no value; the first is line 61 (x = -5)" in answer.err
    assert [math.log(x) for x in range(1, 60)] == pytest.approx(
        [float(line.split(",")[0]) for line in answer.out.splitlines()[1:60]], rel=1e-15
    )


def test_rows_that_cannot_be_read_are_told_of_and_the_highest_code_counts() -> None:
    lines = ["x,t", "1,a", "oh,b", "-1,c", ",d", "1,e,f", *["?,g"] * 9, "2,h"]
    answer = run("map", "log(x)", "-", *NUMPY, stdin="\n".join(lines))
    assert 3 == answer.code
    assert ["NaN"] * 3 == [row["y"] for row in sheet(answer.out)[1:4]]
    assert list("abcde") + ["g"] * 9 + ["h"] == [row["t"] for row in sheet(answer.out)]
    assert 6 == answer.err.count("error: ")
    assert "error: 7 more rows could not be read" in answer.err
    assert "1 of 15 points has no value" in answer.err
    assert 2 == run("map", "x", "-", *NUMPY, stdin="x\nabc\n1\n").code


@pytest.mark.parametrize(
    ("bad", "said"),
    [("oh", "the value of x is not a number"), ("-1", "log needs a positive argument"), ("1,2", "a row has 2 cells")],
)
def test_fail_fast_stops_at_the_first_failing_row(bad: str, said: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    text = f"x\n1\n{bad}\n-3\nno\n"
    answer = run("map", "log(x)", "-", *NUMPY, "--fail-fast", stdin=text)
    assert ["y,dy_dx", "0.0,1.0"] == answer.out.splitlines()
    assert 1 == answer.err.count("error: ")
    assert said in answer.err
    assert answer.code == run("map", "log(x)", "-", *NUMPY, "--fail-fast", "-o", str(out), stdin=text).code != 0
    assert [] == list(tmp_path.iterdir())


def test_fail_fast_checks_the_second_derivatives_of_the_rows_before_the_failing_one() -> None:
    answer = run("map", "1/x", "-", *NUMPY, "--fail-fast", "--hessian", stdin="x\n" + "1\n" * 30 + "0\n" + "2\n" * 21)
    assert (3, 31) == (answer.code, len(answer.out.splitlines()))
    assert "1/x" in answer.err and "made a mistake" not in answer.err


def test_notes_can_be_silenced_and_codes_and_errors_cannot() -> None:
    answer = run("map", "log(x)", "-", *NUMPY, "-q", stdin="x\n-1\nno\n")
    assert 3 == answer.code
    assert answer.err.startswith("error: the value of x is not a number")
    assert "no value" not in answer.err


@pytest.mark.parametrize(
    "text", ["x;t\n1;a\n1,5;b\n", 'x\n1\n"1\n', "z\n1\n", "", "x\n1\n\xff\n", "1\n2\n", "x,x\n1,2\n"]
)
@pytest.mark.parametrize("before", [None, "before"])
def test_what_was_there_stays_when_a_run_fails(text: str, before: str | None, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    if before is not None:
        out.write_text(before, encoding="utf-8")
    answer = run("map", "2x", "-", *NUMPY, "-o", str(out), stdin=text.encode("latin-1"))
    assert (2, "") == answer[:2]
    assert answer.err.startswith("error: ")
    kept = [] if before is None else [before]
    assert kept == [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]


def test_the_points_are_never_overwritten_by_the_result(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(POINTS, encoding="utf-8")
    answer = run("map", "x1*x2", str(path), *NUMPY, "-o", str(path))
    assert (2, "") == answer[:2]
    assert answer.err.startswith(f"error: {path} is both an input and the output")
    assert POINTS == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow", "ndjson"])
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_disk_is_a_message(form: str) -> None:
    text = "x\n" + "1.5\n" * 20000
    answer = run("map", "2x", "-", *NUMPY, "-o", "/dev/full", "--format", form, stdin=text)
    assert (2, "") == answer[:2]
    assert answer.err.startswith("error: cannot write /dev/full")


# --- processes and libraries ------------------------------------------------------------------------------------------


def started(*argv: str, **streams: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "adcli", "map", *argv], env=environment(**UTF8), **streams)


def test_a_closed_pipe_is_quiet() -> None:
    pipe = subprocess.PIPE
    with started("x^2", "-", *NUMPY, stdin=pipe, stdout=pipe, stderr=pipe) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdin.write(b"x\n" + b"1.25\n" * 100_000)
        child.stdin.close()
        assert b"y,dy_dx\n1" == child.stdout.read(9)
        child.stdout.close()
        assert (0, b"") == (child.wait(LONGEST_RUN), child.stderr.read())


def test_an_interrupt_leaves_nothing_half_written(tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    with started("x^2", "-", *NUMPY, "-o", str(tmp_path / "out.csv"), stdin=pipe, stderr=pipe) as child:
        assert child.stdin is not None
        assert child.stderr is not None
        child.stdin.write(b"x\n" + b"1.25\n" * 600_000)
        child.stdin.flush()
        time.sleep(0.3)  # most of it was read, and a part is written
        assert (None, []) == (child.poll(), list(tmp_path.iterdir()))
        child.send_signal(signal.SIGINT)
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:  # it came just before a wait for more points
            child.send_signal(signal.SIGINT)
        assert (130, b"") == (child.wait(LONGEST_RUN), child.stderr.read())
        child.stdin.close()
    assert [] == list(tmp_path.iterdir())


def test_binary_forms_are_not_written_to_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(POINTS, encoding="utf-8")
    shown = terminal("map", "x1*x2", str(path), *NUMPY, "--format", "parquet")
    assert 2 == shown.code
    assert "this document cannot be shown on a terminal" in shown.out


def test_sheets_are_the_same_with_and_without_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    text = POINTS + 'd,1e-7,1e300\n"=x",-4,"7"\n'
    argv = ("map", "x1^2/x2 + log(x1)", "-", *NUMPY, "--hessian", "--carry", "id,x2")
    for form in ("csv", "ndjson"):
        expected = run(*argv, "--format", form, stdin=text)
        with monkeypatch.context() as patch:
            patch.setattr(column_texts, "FEW_ROWS", 0)
            patch.setattr(points, "FEW_BYTES", 0)
            assert expected == run(*argv, "--format", form, stdin=text)
            patch.setitem(sys.modules, "polars", None)
            assert expected == run(*argv, "--format", form, stdin=text)
            patch.setitem(sys.modules, "pyarrow", None)
            assert expected == run(*argv, "--format", form, stdin=text)


def test_without_numpy_the_extra_is_named() -> None:
    hidden = "import sys; sys.modules['numpy'] = None; from adcli.cli.main import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", hidden, "map", "x^2", "-"], input=b"x\n1\n", capture_output=True,
        env=environment(**UTF8), check=False,
    )  # fmt: skip
    assert (2, b"") == (done.returncode, done.stdout)
    assert b"need NumPy, which is not installed\n  = help: " in done.stderr
    assert done.stderr.endswith(b" -m pip install 'adcli[numpy]'\n")


def test_the_engineers_example_of_the_readme_needs_no_numpy() -> None:
    hidden = "import sys; sys.modules['numpy'] = None; from adcli.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = ["map", "sqrt(x1)*x2 - x1^2", str(Path(__file__).parent.parent / "samples" / "points.csv")]
    without = subprocess.run(
        [sys.executable, "-c", hidden, *command], capture_output=True, env=environment(**UTF8), check=False
    )
    expected = run(*command)
    assert (expected.code, expected.out, expected.err) == (
        without.returncode, without.stdout.decode(), without.stderr.decode(),
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "x,name\n1,a\n2\n",
        "x,name\n1,a\n2_0,b\n",
        'x,name\n1,"a\n',
        "",
        "x\n1e999\n",
        "x\n-1\n4\n",
        'x,b\n1,"""=a\nb"\n',
    ],
)
def test_small_files_have_the_same_faults_without_numpy(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "points.csv").write_text(text, encoding="utf-8")
    command = ["map", "sqrt(x)", str(tmp_path / "points.csv")]
    expected = run(*command)
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert expected._replace(out=expected.out if expected.code in (0, 3) else "") == run(*command)


@pytest.mark.parametrize(
    ("text", "rows", "hessian", "engine"),
    [
        ("log(x)*x + x", 1 << 22, False, "numpy"),  # 4 slots
        ("log(x)*x + x", (1 << 22) + 1, False, "native"),
        ("x^2 + log(x)*x", 1 << 22, False, "native"),
        ("log(x)*x", 1 << 22, True, "native"),
        ("log(x)*x", 1 << 12, True, "numpy"),
        ("gamma(x)", 1 << 12, False, "numpy"),
        ("gamma(x)", (1 << 12) + 1, False, "native"),
    ],
)
def test_a_program_is_compiled_if_that_takes_less_time_than_numpy(
    text: str, rows: int, hessian: bool, engine: str
) -> None:
    pytest.importorskip("llvmlite")
    reader = generated.make_points([generated.Axis("x", 1, 2, rows)], [], [], None, 0)
    program = mapping.program_of(Source(text), {"x"})
    plan = mapping.make_plan(program, {}, {"x": "x"}, reader, hessian=hessian, fast=False)
    assert engine == plan.kernel.engine


def test_the_size_of_a_text_is_known_from_its_file_or_its_end(tmp_path: Path) -> None:
    path, most = tmp_path / "points.csv", (points.BLOCK + 4) // 32
    path.write_bytes(b"x\n" + b"1\n" * (points.BLOCK // 2 + 15))
    with mapping.open_points(str(path), path.open("rb")) as reader:
        assert [True, False] == [reader.has_at_most(most + 1), reader.has_at_most(most)]
    for size, known in ((0, [True, True]), (1, [True, False]), (points.BLOCK, [False, False])):
        with mapping.open_points(None, io.BytesIO(b"x\n1\n" + b"1\n" * (16 * size))) as reader:  # type: ignore[arg-type]
            assert known == [reader.has_at_most(1 << 24), reader.has_at_most(1)]


def test_the_rows_with_the_most_doubtful_second_derivatives_come_first() -> None:
    with mapping.open_points(None, io.BytesIO(b"x,y\n1,1\n1e-2,1\n1e-3,1\n4e-3,1\n2e-3,1\n")) as reader:  # type: ignore[arg-type]
        program, named = (
            mapping.program_of(Source("y*(1-cos(x))/x^2; x^2 + 1e16 - 1e16"), {"x", "y"}),
            {"x": "x", "y": "y"},
        )
        plan = mapping.make_plan(program, {}, named, reader, engine="numpy", hessian=True, fast=False)
        (found,) = mapping.map_batches(reader, plan, lambda done: done.doubtful)
    assert ["line 4", "line 6", "line 5"] == [place for place, _ in found]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file() -> None:
    """Twenty times the rows need no more than some batches more."""
    program = (
        "import resource, sys; from adcli.cli.main import main; main(['map', 'x*y', '-', '--engine', 'numpy']);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)"
    )
    used = []
    for rows in (50_000, 1_000_000):
        done = subprocess.run(
            [sys.executable, "-c", program], input=b"x,y\n" + b"1.25,2.5\n" * rows, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=environment(**UTF8), check=True,
        )  # fmt: skip
        used.append(int(done.stderr))
    assert used[1] - used[0] < 120


# --- planted faults: the comparison with eval finds them --------------------------------------------------------------


@pytest.mark.parametrize("fault", ["swapped", "shifted", "scaled"])
def test_a_wrong_kernel_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from adcli.engine.kernel import Kernel

    right = Kernel.evaluate

    def wrong(self: Any, points: Any) -> Any:
        found, *said = right(self, points)
        if fault == "swapped":
            found["dy_dx1"], found["dy_dx2"] = found["dy_dx2"], found["dy_dx1"]
        elif fault == "shifted":
            found["y"] = np.roll(found["y"], 1)
        else:
            found["dy_dx2"] = found["dy_dx2"] * (1 + 1e-11)
        return found, *said

    monkeypatch.setattr(Kernel, "evaluate", wrong)
    with pytest.raises(AssertionError):
        test_every_row_is_what_eval_says_of_it(PAPER, ())


def test_help_mentions_the_codes_and_the_forms() -> None:
    shown = re.sub(r"\s+", " ", run("map", "--help").out)
    for words in ("csv|ndjson|parquet|arrow", "auto|numpy|native", "Exit code 2", "dy_dx1"):
        assert words in shown


@pytest.mark.parametrize(
    ("option", "nan", "infinite"),
    [((), "null", "null"), (("--nan", "NaN"), "NaN", "Infinity"), (("--nan", "string"), '"NaN"', '"Infinity"')],
)
def test_ndjson_has_null_where_there_is_no_number_unless_it_is_told(
    tmp_path: Path, option: tuple[str, ...], nan: str, infinite: str
) -> None:
    (tmp_path / "points.ndjson").write_text(
        '{"x": 4, "t": NaN, "u": "NaN", "v": null}\n{"x": -4, "t": 1.5, "u": "", "v": 2}\n'
    )
    found = run("map", "sqrt(x)", str(tmp_path / "points.ndjson"), "--format", "ndjson", *option)
    assert found.out.splitlines() == [
        f'{{"t": {nan}, "u": "NaN", "v": null, "y": 2.0, "dy_dx": 0.25}}',
        f'{{"t": 1.5, "u": "", "v": 2, "y": {nan}, "dy_dx": {nan}}}',
    ]
    (tmp_path / "large.csv").write_text("x\n800\n")
    found = run("map", "exp(x)", str(tmp_path / "large.csv"), "--format", "ndjson", *option)
    assert found.out == f'{{"y": {infinite}, "dy_dx": {infinite}}}\n'
