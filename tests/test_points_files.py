"""Files of points: every way through a sheet reads the same, every form of output says the same."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import math
import random
import re
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st
from running import run

from adcli.errors import AdcliError
from adcli.files import arrow_file, column_texts, mapping, points
from adcli.files.csv_file import CsvFile, CsvWriter, quote_cell
from adcli.files.kinds import Kind, PossibleKinds, typed_array
from adcli.files.mapping import map_in_order, open_points
from adcli.files.ndjson_file import NdjsonFile, NdjsonWriter
from adcli.files.points import Batch, RequestedColumns, RowRange

pa = pytest.importorskip("pyarrow")
NUMBERS = (
    "1", "-2.5", " 3 ", "+4e-3", ".5", "nan", "-inf", "1e400", "1_000", "", "abc", "٣", "0x10", "1.5.2",
    "nan(ind)", "１",
)  # fmt: skip
TEXTS = ("a", "", "é", 'say "so"', "one, two", "a; b", "two\nlines", "=SUM(A1)", "-7", "tab\there", '"', "x\r\ny")


def batches(data: bytes, inputs: list[str], carried: list[str]) -> list[Batch]:
    return read(None, data, inputs, carried)


def read(path: Path | None, data: bytes, inputs: list[str], carried: list[str]) -> list[Batch]:
    name, stream = (None, io.BytesIO(data)) if path is None else (str(path), path.open("rb"))
    with open_points(name, stream) as reader:  # type: ignore[arg-type]  # both can be read
        return [job() for job in reader.jobs(RequestedColumns(inputs, carried))]


def contents(data: bytes) -> list[tuple[list[float], list[str], str]]:
    """What is read of a sheet with the columns x and t: each row's number and text, and where it stands."""
    found = []
    for batch in batches(data, ["x"], ["t"]):
        carried = batch.carried["t"] if isinstance(batch.carried["t"], list) else batch.carried["t"].tolist()
        numbers = batch.inputs["x"].tolist()
        found += [(numbers[row], carried[row], batch.place(row)) for row in range(batch.rows)]
    return found


def faults(data: bytes) -> list[tuple[str, int | None, int | None]]:
    """Title, line and column of every row that cannot be read."""
    found = [error for batch in batches(data, ["x"], ["t"]) for _, error in batch.faults]
    return [(error.title, error.as_dict()["line"], error.as_dict()["column"]) for error in found]


def written(rows: list[tuple[str, str]], separator: str, quoting: Any = csv.QUOTE_MINIMAL, end: str = "\n") -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows([("x", "t"), *rows])
    return out.getvalue().encode()


ROWS = st.lists(st.tuples(st.sampled_from(NUMBERS), st.sampled_from(TEXTS)), max_size=12)
PLAIN = st.lists(st.tuples(st.sampled_from(("1", "-2.5", ".5", "1e-7", "nan")), st.sampled_from(("a", "", "b c"))))


@pytest.mark.parametrize("block", [7, 64, points.BLOCK])
@given(
    rows=st.one_of(ROWS, PLAIN), separator=st.sampled_from(",;\t"), end=st.sampled_from(("\n", "\r\n")),
    quoting=st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
)  # fmt: skip
@examples(60)
def test_every_way_through_a_sheet_reads_what_the_csv_module_reads(
    block: int, rows: list[tuple[str, str]], separator: str, end: str, quoting: int
) -> None:
    data = written(rows, separator, quoting, end=end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(points, "BLOCK", block)
        alone = contents(data)
        patch.setattr(points, "FEW_BYTES", 0)
        quick = contents(data)
        patch.setattr(CsvFile, "_by_arrow", lambda *_: None)
        exact = contents(data)
    assert repr(exact) == repr(quick) == repr(alone)
    wanted = list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator))[1:]
    assert [text.replace("\r\n", "\n") for _, text in wanted] == [(t or "").replace("\r\n", "\n") for _, t, _ in quick]
    assert len(wanted) == len(quick)
    for (cell, _), (x, _, _) in zip(wanted, quick, strict=True):
        plain = points.number(cell)
        assert math.isnan(x) if plain is None else repr(plain) == repr(x), cell


def test_a_row_is_found_again_behind_empty_lines_and_cells_of_many_lines() -> None:
    data = b'x,t\n1,a\n\n2,"b\nc"\n\n \nno,d\n4,e\n'
    assert ["line 2", "line 4", "line 8", "line 9"] == [place for _, _, place in contents(data)]
    assert [("the value of x is not a number", 8, 1)] == faults(data)


@pytest.mark.parametrize(
    ("row", "title", "column"),
    [
        ("abc,t", "the value of x is not a number", 1),
        (",t", "the column x has no value here", 1),
        ("  ,t", "the column x has no value here", 1),
        ("1e400,t", "the value of x is too large for a double", 1),
        ("1_000,t", "the value of x is not a number", 1),
        ("NA,t", "the value of x is not a number", 1),
        ("1", "a row has 1 cells, but the header has 2", 1),
        ("1,2,3", "a row has 3 cells, but the header has 2", 1),
        ('"1e400",t', "the value of x is too large for a double", 1),
    ],
)
@pytest.mark.parametrize("library", [pa, None])
def test_a_row_that_cannot_be_read_is_named_and_the_rest_goes_on(
    row: str, title: str, column: int, library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", library)
    data = f"x,t\n1,a\n{row}\n3,c\n".encode()
    assert [(title, 3, column)] == faults(data)
    assert ["1.0", "3.0"] == [repr(x) for x, t, _ in contents(data) if t in ("a", "c")]
    short = "a row has 1 cells, but the header has 2"
    assert [(short, 2, 1), (short, 3, 1)] == faults(b"x,t\n1\n2\n")  # not one row


def test_a_cell_behind_quoted_ones_is_the_one_that_is_underlined() -> None:
    (batch,) = batches(b't;u;x\n"a;""b""";"";oh no\n', ["x"], ["t"])
    ((_, error),) = batch.faults
    assert error.span is not None
    assert ("oh no", (2, 14)) == (error.span.text, error.span.source.position(error.span.start))


@pytest.mark.parametrize("text", ["1,5", "-0,25", "1,5e3"])
def test_decimal_commas_are_refused(text: str) -> None:
    with pytest.raises(AdcliError, match="the column x has decimal commas"):
        contents(f"x;t\n1;a\n{text};b\n".encode())
    with pytest.raises(AdcliError, match="line 3 cannot be read") as caught:
        contents(f"x;t\n1;a\n2;{text}\r3;b\n".encode())
    assert "a carriage return without a line feed" == caught.value.label


def test_a_mark_at_the_start_and_a_compressed_file_change_nothing() -> None:
    plain = contents(b"x,t\n1,a\n2,b\n")
    assert [(1.0, "a", "line 2"), (2.0, "b", "line 3")] == plain
    assert plain == contents(b"\xef\xbb\xbfx,t\n1,a\n2,b\n")
    assert plain == contents(gzip.compress(b"x,t\n1,a\n2,b\n"))
    assert plain == contents(b'"x" , t\r\n1,a\r\n2,b')
    assert [(1.0, "a", "line 2")] == contents(b'x,t,"u;v;w;z"\n1,a,0\n')
    assert ["7"] == batches(b"x,1\n5,7\n", ["x"], ["1"])[0].carried["1"]
    assert [(1.0, "a", "line 4")] == contents(b"\n \nx,t\n1,a")


@pytest.mark.parametrize("at", range(10, 30))  # the bytes before say when it was packed, and by whom
def test_a_damaged_compressed_file_is_refused(at: int) -> None:
    data = bytearray(gzip.compress(b"x,t\n1,a\n2,b\n", mtime=0))
    data[at] ^= 0xFF
    with pytest.raises(AdcliError, match="cannot read"):
        contents(bytes(data))


def test_a_file_tells_how_much_of_it_was_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "BLOCK", 10)
    path = tmp_path / "points.csv"
    path.write_bytes(b"x,t\n" + b"1,a\n" * 20)
    with open_points(str(path), path.open("rb")) as reader:
        parts = [reader.fraction_read() for _ in reader.jobs(RequestedColumns(["x"], []))]
    assert parts == sorted(parts)
    assert 0 < parts[0] < 0.5
    assert 1.0 == parts[-1]


@pytest.mark.parametrize("size", [*range(1, 40), 200])
def test_blocks_end_where_records_do_however_small_they_are(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "BLOCK", size)
    data = b'x,t\n1,"two\nlines"\n2,"a ""b""\n\n,3"\n\n3,c\n4,"\n"\n'
    rows = [(1.0, "two\nlines", "line 2"), (2.0, 'a "b"\n\n,3', "line 4"), (3.0, "c", "line 8"), (4.0, "\n", "line 9")]
    assert rows == contents(data)
    with pytest.raises(AdcliError, match="a quotation mark is never closed") as caught:
        contents(data + b'5,d\n6,"open\nend\n')
    assert caught.value.span is not None
    assert ('"', (12, 3)) == (caught.value.span.text, caught.value.span.source.position(caught.value.span.start))
    for place, bad in ((11, data + b"\xff,d\n7,e\n"), (2, b"\nx,t\xff\n")):
        with pytest.raises(AdcliError, match=f"line {place} is not UTF-8"):
            contents(bad)


@pytest.mark.parametrize(
    ("row", "underlined"), [("abc,t", "abc"), ("1e400,t", "1e400"), ('"no",t', '"no"'), (",t", ","), ("1,2,3", "1,2,3")]
)
def test_the_cell_that_cannot_be_read_is_underlined_and_nothing_beside_it(row: str, underlined: str) -> None:
    (batch,) = batches(f"x,t\n1,a\n{row}\n".encode(), ["x"], ["t"])
    ((_, error),) = batch.faults
    assert error.span is not None
    assert underlined == error.span.text


@pytest.mark.parametrize(
    ("data", "quick"),
    [
        (b"1,a\n2,b\n", True), (b"1,a\r\n2,b\r\n", True), (b"1,a\n2,b", True), (b"1,a\n2\n", False),
        (b"1,a,2,b\n", False), (b"1\n2,a,b\n", False), (b"1,\"a\"\n", False), (b"1_0,a\n", False),
        (b"1,\xc3\xa9\n", False), (b"no,a\n", False), (b"1,a\r2,b\n", False),
    ],
)  # fmt: skip
def test_lines_are_split_at_separators_where_nothing_else_is_in_them(data: bytes, quick: bool) -> None:
    with open_points(None, io.BytesIO(b"x,t\n1,a\n")) as reader:
        assert isinstance(reader, CsvFile)
        found = reader._by_splitting(data, RequestedColumns(["x"], ["t"]))
        assert quick == (found is not None)
        if found is not None:
            assert (2, [1.0, 2.0], ["a", "b"]) == (found[0], found[1]["x"].tolist(), found[2]["t"])
            by_arrow = reader._by_arrow(data, RequestedColumns(["x"], ["t"]))
            assert by_arrow and (2, found[2]) == (by_arrow[0], {"t": by_arrow[2]["t"].to_pylist()})
    with open_points(None, io.BytesIO(b'{"x": 1}\n')) as reader:
        assert isinstance(reader, NdjsonFile)
        lines = reader._by_polars(b'{"x": 1.5, "t": "a"}\n' * 3, RequestedColumns(["x"], ["t"]))
        assert lines and (3, [1.5] * 3, ["a"] * 3) == (lines[0], lines[1]["x"].tolist(), lines[2]["t"].to_pylist())


def test_empty_lines_of_a_single_column_are_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (batch,) = batches(b"t\na\n\nb\n", [], ["t"])
    assert (2, ["a", "b"]) == (batch.rows, batch.carried["t"])


@pytest.mark.parametrize("code", [0, 7, 11, 12, 27, 28, 127, 0x85, 0x2028])
def test_a_control_character_is_told_with_its_place(code: int) -> None:
    sign = chr(code)
    (batch,) = batches(f"x,t\n1,a\n2,b{sign}\n3{sign},c\n".encode(), ["x"], ["t"])
    if code < 0x80:
        assert [(2, "the value of x is not a number")] == [(row, error.title) for row, error in batch.faults]
        assert [f"t has a control character, U+{code:04X}, in line 3"] == list(batch.remarks)
    with pytest.raises(AdcliError, match="the name of a column has a control character") as caught:
        batches(f"t,x{sign}y\n1,2\n".encode(), ["t"], [])
    assert caught.value.span is not None
    assert ((1, 4), sign, f"this is U+{code:04X}") == (
        caught.value.span.source.position(caught.value.span.start), caught.value.span.text, caught.value.label,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "title", "place"),
    [
        (b'\n"x\ny",\xff\n', "line 3 is not UTF-8", None),
        (b'\n"x\ny","\x07"\n', "the name of a column has a control character", (3, 5)),
        (b'\n"x\ny","\x07\n\n', "the name of a column has a control character", (3, 5)),  # never closed
        (b"\n\x07x,y\n", "the name of a column has a control character", (2, 1)),
        (b'\n"x\ny",\xff', "line 3 is not UTF-8", None),
        (b'\n"\n1",2\n', "standard input does not name its columns", (2, 1)),
    ],
)
def test_an_error_in_a_header_of_several_lines_has_its_line(
    text: bytes, title: str, place: tuple[int, int] | None
) -> None:
    with pytest.raises(AdcliError, match=title) as caught:
        batches(text, [], [])
    span = caught.value.span
    assert place == (span and span.source.position(span.start))


@pytest.mark.parametrize("text", [b'"x\ny",x\n1,2\n3,no\n', b'\n \n"x",t\r\n1,2\r\nno,4'])
def test_a_row_below_a_header_of_several_lines_has_its_line(text: bytes) -> None:
    ((_, error),) = [fault for batch in batches(text, ["x"], []) for fault in batch.faults]
    assert ("the value of x is not a number", 1 + text[: text.index(b"no")].count(b"\n")) == (
        error.title,
        error.as_dict()["line"],
    )


def test_columns_are_named_in_one_line_whatever_else_ends_lines_elsewhere() -> None:
    (batch,) = batches(b'"x","a\r\nb"\r\n1,2\r\n', ["x"], [])
    assert 1.0 == batch.inputs["x"][0]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_damaged_table_is_told_or_read_and_never_brings_the_process_down(suffix: str, tmp_path: Path) -> None:
    chance = random.Random(1)  # noqa: S311 - damage that repeats itself
    columns = {"x": pa.array([1.5, None, 2.5] * 40), "t": pa.array(["a", "bé", None] * 40)}
    columns["d"] = pa.array(["u", "v", "u"] * 40).dictionary_encode()
    whole = table(tmp_path / f"points{suffix}", columns).read_bytes()
    path = tmp_path / f"damaged{suffix}"
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chance.choice([1, 2, 8])):
            data[chance.randrange(len(data))] = chance.choice([0, 127, 255])
        path.write_bytes(data[: chance.randrange(len(data))] if chance.random() < 0.2 else data)
        with contextlib.suppress(AdcliError):
            assert all(read(path, b"", ["x"], ["t", "d"]))


def test_a_table_with_a_place_outside_its_dictionary_is_damaged(tmp_path: Path) -> None:
    places = pa.array([0, 7], pa.int32())
    texts = pa.DictionaryArray.from_arrays(places, pa.array(["u", "v"]), safe=False)
    with pytest.raises(AdcliError, match="should be in"):
        read(table(tmp_path / "points.arrow", {"x": pa.array([1.0, 2.0]), "d": texts}), b"", ["x"], ["d"])


# --- records and tables -----------------------------------------------------------------------------------------------


def test_records_are_read_line_by_line() -> None:
    lines = (
        '{"x": 1, "t": [1, {"a": null}]}', "", '{"t": true, "x": "Infinity"}', '{"x": -Infinity, "t": NaN}',
        '{"t": 2}', '{"x": true}', "[1]", '{"x": 1e999}', "{",
    )  # fmt: skip
    (batch,) = batches("\n".join(lines).encode(), ["x"], ["t"])
    assert ["1.0", "inf", "-inf", *["nan"] * 5] == [repr(x) for x in batch.inputs["x"].tolist()]
    assert "[[1, {'a': None}], True, nan, 2, None, None, None, None]" == repr(batch.carried["t"])
    assert [
        (5, "the column x has no value here"), (6, "the value of x is not a number"),
        (7, "a line is not a JSON object"), (8, "the value of x is too large for a double"),
        (9, "a line is not a JSON object"),
    ] == [(error.as_dict()["line"], error.title) for _, error in batch.faults]  # fmt: skip
    assert [3, 4, 5, 6, 7] == [row for row, _ in batch.faults]
    assert ["line 1", "line 3"] == [batch.place(0), batch.place(1)]


@pytest.mark.parametrize(
    ("line", "underlined"),
    [
        ('{"t": 1, "x": true}', '"x"'),
        ('{"t": 1, "x": 1e999}', '"x"'),
        ('{"t": 1, "y": 2}', '{"t": 1, "y": 2}'),
        ("[1]", "["),
        ('{"x": 1,, "t": 2}', ","),
    ],
)
def test_the_place_in_a_record_is_underlined(line: str, underlined: str) -> None:
    (batch,) = batches(('{"x": 1, "t": 2}\n' + line).encode(), ["x"], ["t"])
    ((_, error),) = batch.faults
    assert error.span is not None
    assert (2, underlined) == (error.as_dict()["line"], error.span.text)


def test_one_worker_is_this_thread_and_takes_nothing_ahead() -> None:
    taken: list[int] = []

    def given() -> Iterator[int]:
        for number in range(5):
            taken.append(number)
            yield number

    def work(number: int) -> tuple[int, int]:
        return number, threading.get_ident()

    for place, (number, thread) in enumerate(map_in_order(given(), work, 1)):
        assert (place, threading.get_ident(), place + 1) == (number, thread, len(taken))
    assert [(0, True), (1, True), (2, True)] == [
        (number, thread != threading.get_ident()) for number, thread in map_in_order(iter(range(3)), work, 2)
    ]


def table(path: Path, columns: dict[str, Any]) -> Path:
    from pyarrow import parquet

    found = pa.table(columns)
    if path.suffix == ".parquet":
        parquet.write_table(found, path)
    else:
        with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, found.schema) as writer:
            writer.write_table(found)
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_columns_of_tables_become_doubles(suffix: str, tmp_path: Path) -> None:
    from decimal import Decimal

    columns = {
        "whole": pa.array([1, None, 2**60]), "small": pa.array([1.5, 2.5, None], pa.float32()),
        "text": pa.array(["1e3", "abc", None]), "exact": pa.array([Decimal("1.25"), Decimal("2.50"), None]),
        "kind": pa.array(["a", "b", "a"]).dictionary_encode(), "flag": pa.array([True, False, None]),
    }  # fmt: skip
    path = table(tmp_path / f"points{suffix}", columns)
    (batch,) = read(path, b"", ["whole", "small", "text", "exact"], ["kind"])
    assert [1.0, 1.5, 1000.0, 1.25] == [batch.inputs[name][0] for name in ("whole", "small", "text", "exact")]
    assert float(2**60) == batch.inputs["whole"][2]
    assert ["a", "b", "a"] == batch.carried["kind"].to_pylist()
    assert [(1, "the column whole has no value here"), (2, "the column small has no value here")] == [
        (row, e.title) for row, e in batch.faults
    ]
    assert f"{path}, row 3" == batch.place(2)
    with pytest.raises(AdcliError, match="the column flag does not have numbers") as caught:
        read(path, b"", ["flag"], [])
    assert ("its type is bool", "convert the column to float64 or int64") == (caught.value.label, caught.value.help)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_the_rows_of_a_table_are_counted_as_they_are_taken(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(points, "BATCH", 5)
    path = table(tmp_path / f"points{suffix}", {"x": range(18)})
    with open_points(str(path), path.open("rb")) as reader:
        assert (False, True) == (reader.has_at_most(17), reader.has_at_most(18))
        jobs = [(reader.fraction_read(), job) for job in reader.jobs(RequestedColumns(["x"], []))]
        assert [0, 5 / 18, 10 / 18, 15 / 18, 1] == [*[part for part, _ in jobs], reader.fraction_read()]
    assert [f"{path}, row {row}" for row in (1, 6, 11, 16)] == [job().place(0) for _, job in jobs]
    path = table(tmp_path / f"empty{suffix}", {"x": pa.array([], pa.float64())})
    with open_points(str(path), path.open("rb")) as reader:
        assert (True, [(0, 0, 1)] * 2) == (reader.has_at_most(0), reader.ranges(2))
        assert [0] == [job().rows for job in reader.jobs(RequestedColumns(["x"], []))]
        assert reader.fraction_read() is None


def test_an_arrow_file_of_several_batches_is_not_counted_in_advance() -> None:
    out, found = io.BytesIO(), pa.record_batch({"x": [1.0, 2.0]})
    with pa.ipc.new_file(out, found.schema) as writer:
        for batch in (found, found[:0]):
            writer.write_batch(batch)
    with open_points(None, io.BytesIO(out.getvalue())) as reader:
        assert (False, None) == (reader.has_at_most(points.FEW_ROWS), reader.fraction_read())
        assert [(0, 1, 1), (1, 2, 2)] == reader.ranges(2)
        jobs = reader.jobs(RequestedColumns(["x"], []), RowRange(1, 2, 2))
        assert [("standard input, row 2", [2.0])] == [
            (batch.place(0), batch.inputs["x"].tolist()) for batch in (job() for job in jobs)
        ]


def test_a_damaged_stream_says_how_many_rows_came_before() -> None:
    out = io.BytesIO()
    found = pa.record_batch({"x": [1.0, 2.0]})
    with pa.ipc.new_stream(out, found.schema) as writer:
        writer.write_batch(found)
        before = len(out.getvalue())
        writer.write_batch(found)
    for size, words in ((before + 20, " from row 3 on"), (20, "")):
        with pytest.raises(AdcliError) as caught:
            batches(out.getvalue()[:size], ["x"], [])
        assert f"cannot read standard input{words}" == caught.value.title
        assert caught.value.label and "\n" not in caught.value.label


def test_an_arrow_stream_comes_through_a_pipe_and_a_parquet_file_cannot(tmp_path: Path) -> None:
    from pyarrow import parquet

    found = pa.table({"x": [1.0, 2.0]})
    out = io.BytesIO()
    with pa.ipc.new_stream(out, found.schema) as writer:
        writer.write_table(found)

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with open_points(None, Pipe(out.getvalue())) as reader:
        assert not reader.has_at_most(points.FEW_ROWS)
        with pytest.raises(AdcliError, match="can be read only once"):
            reader.ranges(2)
        assert [1.0, 2.0] == [x for job in reader.jobs(RequestedColumns(["x"], [])) for x in job().inputs["x"].tolist()]
    with parquet.ParquetWriter(tmp_path / "points.parquet", found.schema) as groups:
        for rows in (found, found[:0], found[1:]):
            groups.write_table(rows)
    data = (tmp_path / "points.parquet").read_bytes()
    assert [1.0, 2.0, 2.0] == [x for batch in batches(data, ["x"], []) for x in batch.inputs["x"].tolist()]
    with pytest.raises(AdcliError, match="cannot be read from a pipe"), open_points(None, Pipe(data)):
        pass


# --- texts ------------------------------------------------------------------------------------------------------------

DOUBLES = st.one_of(
    st.floats(), st.integers(-(10**18), 10**18).map(float), st.binary(min_size=8, max_size=8).map(
        lambda bits: struct.unpack("d", bits)[0]
    ),
    st.sampled_from([0.0, 1e-4, 9.999e-5, 1e10, 9999999999.999998, 1e16, 5e-324, math.inf, -math.inf, math.nan]),
)  # fmt: skip


PLAIN_TEXTS = column_texts.CellSpelling(lambda x: x)
NO_NULLS = column_texts.CellSpelling(lambda x: x or "")


def by_polars(patch: pytest.MonkeyPatch) -> None:
    """Afterwards the libraries are worth their start, however few the rows."""
    patch.setattr(column_texts, "FEW_ROWS", 0)


def listed(texts: Any) -> list[str]:
    found = texts if isinstance(texts, list) else texts.cast(str).to_list()
    return [str(text) for text in found]


@given(st.lists(DOUBLES, min_size=1))
def test_a_number_is_written_alike_with_and_without_polars_and_reads_back(xs: list[float]) -> None:
    alone = column_texts.number_texts(np.array(xs), PLAIN_TEXTS)
    with np.errstate(over="ignore"):
        halves = pa.array(np.array(xs).astype(np.float32))
    alone_halves = column_texts.texts(halves, PLAIN_TEXTS)
    spellings, with_null = (PLAIN_TEXTS, NO_NULLS), pa.array([*xs, None])
    assert [[*alone, None], [*alone, ""]] == [column_texts.texts(with_null, spelling) for spelling in spellings]
    with pytest.MonkeyPatch.context() as patch:
        by_polars(patch)
        assert alone == listed(column_texts.number_texts(np.array(xs), PLAIN_TEXTS))
        assert alone_halves == listed(column_texts.texts(halves, PLAIN_TEXTS))
        assert [[*alone, end] for end in ("None", "")] == [
            listed(column_texts.texts(with_null, spelling)) for spelling in spellings
        ]
        lines = column_texts.records([column_texts.number_texts(np.array(xs), PLAIN_TEXTS)], ["", ""])
        assert listed(alone) == b"".join(lines).decode().splitlines()
    assert [repr(x) for x in xs] == [repr(points.number(text)) for text in listed(alone)]
    assert [repr(x) for x in halves.to_pylist()] == [repr(float(np.float32(text))) for text in listed(alone_halves)]


CELLS = st.lists(
    st.sampled_from([*TEXTS, None, "@x", "+1", "-1+2", "-", "%s", "{", "\\", "\u202e", "plain words"]), min_size=1
)


@given(CELLS)
def test_a_text_is_written_alike_from_a_list_and_from_arrow_and_to_the_letter(cells: list[str | None]) -> None:
    found = {"y": np.arange(float(len(cells)))}
    sink = points.Sink("csv", ["t", "y"], io.RawIOBase(), True, json.dumps)
    columns: list[Any] = [cells, pa.array(cells, pa.string())]
    for writer in (CsvWriter(sink), NdjsonWriter(sink)):
        alone, *others = [b"".join(writer.encode({"t": column}, found)) for column in columns]
        with pytest.MonkeyPatch.context() as patch:
            by_polars(patch)
            others += [b"".join(writer.encode({"t": column}, found)) for column in columns]
        assert [alone] * 3 == others
        if isinstance(writer, NdjsonWriter):
            assert cells == [json.loads(line)["t"] for line in alone.decode().splitlines()]
        else:
            (batch,) = batches(b"t,y\n" + alone, ["y"], ["t"])
            assert cells == batch.carried["t"]
            assert [cell or "" for cell in cells] == [
                row[0] for row in csv.reader(io.StringIO(alone.decode(), newline=""))
            ]


@pytest.mark.parametrize("seed", range(60))
def test_blocks_of_ndjson_have_what_their_lines_have(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)  # noqa: S311 - cells, not secrets
    kinds = [['"a"', '"é"', '"1:2"', r'"s\"y"', r'"\\"'], ["1", "22"], ["1.5", "2.25"]]
    usual = {"x": ["1", "2.5", "-3"], "t": rng.choice(kinds)}
    odd = {"x": ["null", '"4"', "true", "1e400"], "t": ["null", "7", '"7"', "2.0", "true", r'"\u00e9"', "[1]"]}
    usual["u"] = odd["u"] = ["0"]
    lines = []
    for _ in range(40):
        names = rng.choice([["x"], ["t", "x", "t"], ["t", "x", "u"]]) if rng.random() < 0.02 else ["x", "t"]
        cells = [rng.choice((odd if rng.random() < 0.02 else usual)[name]) for name in names]
        lines.append("{" + ", ".join(f'"{name}": {cell}' for name, cell in zip(names, cells, strict=True)) + "}\n")
    data = "".join(lines).encode()
    exact = repr(contents(data))
    monkeypatch.setattr(points, "BLOCK", 300)
    monkeypatch.setattr(points, "FEW_BYTES", 0)
    assert exact == repr(contents(data))


# --- what columns hold ------------------------------------------------------------------------------------------------

KINDS = {
    "truth": ["true", None, "False"], "whole": ["0", "-7", None, "9223372036854775807"],
    "double": ["1.50", "-2e-3", "NaN", "-Infinity", "3"], "text": ["007", "1"],
}  # fmt: skip


@pytest.mark.parametrize("cells", [
    ["+5"], ["-0", "true"], ["1_0"], ["9223372036854775808"], ["1234567890123456789012"], ["1e999"], ["true", "1"],
    ["1.5", "12345678901234567"], [" 1"], ["1", "x"], [None], ["0x10"], ["infinite"],
])  # fmt: skip
def test_a_text_that_is_more_than_its_value_stays_a_text(cells: list[str | None]) -> None:
    for column in (cells, pa.array(cells, pa.string())):
        found = PossibleKinds(["t"])
        found.add({"t": column})
        assert {"t": "text"} == found.kinds()
        assert cells == typed_array(column, "text", "t", str).to_pylist()


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_texts_get_the_type_that_all_cells_have(kind: Kind) -> None:
    for column in (KINDS[kind], pa.array(KINDS[kind], pa.string())):
        found = PossibleKinds(["t"])
        for half in (column[:1], column[1:]):
            found.add({"t": half})
        assert {"t": kind} == found.kinds()
        values = typed_array(column, kind, "t", str).to_pylist()
        assert [x is None for x in KINDS[kind]] == [x is None for x in values]
        assert [str(x).lower() for x in values] == [
            (repr(float(x)) if kind == "double" and x is not None else str(x)).lower() for x in KINDS[kind]
        ]


@pytest.mark.parametrize("is_kept", [True, False])
def test_columns_are_looked_at_to_their_end_where_they_can_be_read_again(
    is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Source(io.BytesIO):
        def seekable(self) -> bool:
            return is_kept

    monkeypatch.setattr(points, "BLOCK", 16)
    data = b"x,t\n" + b"1,2\n" * 40 + b"9,no\n"
    with open_points(None, Source(data)) as reader:  # type: ignore[arg-type]  # it can be read
        found = reader.kinds(["t"])
        jobs = reader.jobs(RequestedColumns(["x"], ["t"], found))
        if not is_kept:
            assert {"t": "whole"} == found
            with pytest.raises(
                AdcliError, match="the column t has another kind of values than in earlier rows"
            ) as caught:
                [job() for job in jobs]
            assert "line 42" == caught.value.label
            return
        assert {"t": "text"} == found
        assert [*["2"] * 40, "no"] == [x for job in jobs for x in job().carried["t"].to_pylist()]


RANGED = {
    "csv": b'x,t\n1,a\n2,"b\n\n9,z"\n3,\n\n4,"d ""\n"\n5,e\n6,f\n7,"g\n',
    "ndjson": b"".join(b'{"x": %d, "t": null}\n' % x for x in range(1, 9)),
}


@pytest.mark.parametrize("count", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("block", [5, 30, 1000])
@pytest.mark.parametrize("form", [*RANGED, "parquet", "arrow"])
def test_ranges_have_every_row_once_with_its_place(
    form: str, block: int, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyarrow import parquet

    monkeypatch.setattr(points, "BLOCK", block)
    monkeypatch.setattr(points, "BATCH", block // 2)
    path = tmp_path / f"points.{form}"
    if form in RANGED:
        path.write_bytes(RANGED[form].replace(b'7,"g', b"7,g"))
    elif form == "parquet":
        parquet.write_table(pa.table({"x": range(1, 9), "t": [None] * 8}), path, row_group_size=3)
    else:
        table(path, {"x": range(1, 9), "t": [None] * 8})

    def rows(within: RowRange | None) -> list[tuple[float, object, str]]:
        with open_points(str(path), path.open("rb")) as reader:
            found = []
            for batch in [job() for job in reader.jobs(RequestedColumns(["x"], ["t"]), within=within)]:
                carried = batch.carried["t"] if isinstance(batch.carried["t"], list) else batch.carried["t"].tolist()
                found += [(batch.inputs["x"][k], carried[k], batch.place(k)) for k in range(batch.rows)]
            return found

    with open_points(str(path), path.open("rb")) as reader:
        assert reader.has_at_most(points.FEW_ROWS)
        ranges = reader.ranges(count)
        assert len(rows(None)) == sum(job().rows for job in reader.jobs(RequestedColumns(["x"], [])))
    assert count == len(ranges)
    assert rows(None) == [row for within in ranges for row in rows(within)]


def test_what_can_be_read_but_once_has_no_ranges() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with open_points(None, Pipe(b"x\n1\n")) as reader, pytest.raises(AdcliError, match="can be read only once"):
        reader.ranges(2)


def test_a_parquet_file_of_one_large_group_is_read_page_by_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyarrow import parquet

    path = tmp_path / "points.parquet"
    parquet.write_table(pa.table({"x": np.arange(1_000_000.0)}), path, compression="none", use_dictionary=False)
    before = pa.total_allocated_bytes()
    with open_points(str(path), path.open("rb")) as reader:
        assert not reader.has_at_most(points.FEW_ROWS)
        used = [(job().rows, pa.total_allocated_bytes() - before) for job in reader.jobs(RequestedColumns(["x"], []))]
    assert 1_000_000 == sum(rows for rows, _ in used)
    assert max(size for _, size in used) < 5_000_000
    monkeypatch.setattr(arrow_file, "_LARGEST", 1 << 16)
    assert 1 << 13 == max(batch.rows for batch in read(path, b"", ["x"], []))


def test_columns_of_every_type_are_carried_into_every_form(tmp_path: Path) -> None:
    from datetime import UTC, datetime, time, timedelta
    from decimal import Decimal

    from pyarrow import parquet
    from running import run

    moment = datetime(2024, 1, 2, tzinfo=UTC)
    columns = {
        "x": [1.0, 2.0], "list": pa.array([[1.5, math.nan], None]), "pair": pa.array([{"a": 1, "b": moment}, None]),
        "when": pa.array([moment, None]), "exact": pa.array([Decimal("1.20"), None]),
        "hour": pa.array([time(1, 2), None]),
        "bytes": pa.array([b"\x00\xff", "é".encode()]), "wide": pa.array(["\n", None], pa.large_string()),
        "view": pa.array(["v", None], pa.string_view()), "half": pa.array(np.array([1.5, 2], np.float16)),
        "large": pa.array([2**64 - 1, None], pa.uint64()), "flag": pa.array([True, None]), "none": pa.nulls(2),
        "short": pa.array([0.1, None], pa.float32()), "span": pa.array([timedelta(1), None]),
        "kind": pa.array(["a", None]).dictionary_encode(),
    }  # fmt: skip
    path = table(tmp_path / "points.parquet", columns)
    for form in ("csv", "ndjson", "parquet", "arrow"):
        out = tmp_path / f"out.{form}"
        assert (0, "", "") == run("map", "x^2", str(path), "-o", str(out), "--engine", "numpy")
    found = parquet.read_table(tmp_path / "out.parquet")
    given = parquet.read_table(path)
    assert [given.schema.field(name).type for name in columns if name != "x"] == found.schema.types[:-2]
    assert repr(given.drop(["x"]).to_pylist()) == repr(found.drop(["y", "dy_dx"]).to_pylist())
    first, second = map(json.loads, (tmp_path / "out.ndjson").read_text(encoding="utf-8").splitlines())
    assert [1.5, None] == first["list"]
    assert (["\\x00ff", "é"], [0.1, None]) == (
        [row["bytes"] for row in (first, second)],
        [first["short"], second["short"]],
    )
    row = next(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    assert ("0.1", "true", "1.20", "18446744073709551615") == tuple(row[k] for k in ("short", "flag", "exact", "large"))


@pytest.mark.parametrize("is_dictionary", [False, True])
def test_a_few_bytes_that_hold_very_much_text_are_read_in_small_batches(
    is_dictionary: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyarrow import parquet

    kind = pa.dictionary(pa.int32(), pa.string()) if is_dictionary else pa.string()
    path = tmp_path / "points.parquet"
    given = pa.table({"x": np.arange(400.0), "t": pa.array(["z" * 20_000, None] * 200, pa.string()).cast(kind)})
    parquet.write_table(given, path, row_group_size=100)
    for largest, most in ((1 << 20, (1 << 20) // 20_000), (1 << 14, 1)):
        monkeypatch.setattr(arrow_file, "_LARGEST", largest)
        batches = read(path, b"", ["x"], ["t"])
        assert [*range(400)] == [x for batch in batches for x in batch.inputs["x"].tolist()]
        found = [(batch.rows, batch.carried["t"]) for batch in batches]
        assert [kind] * len(found) == [column.type for _, column in found]
        assert given.column("t").to_pylist() == [text for _, column in found for text in column.to_pylist()]
        assert max(rows for rows, _ in found) <= most
    run("map", "x^2", str(path), "-o", str(tmp_path / "out.parquet"), "--engine", "numpy")
    assert parquet.ParquetFile(tmp_path / "out.parquet").num_row_groups > 100


@pytest.mark.parametrize("rows", [2, 20_000])
def test_decimal_commas_and_columns_with_blanks_are_read(tmp_path: Path, rows: int) -> None:
    points = tmp_path / "points.csv"
    text = "id;voltage in V;I\n" + "1;20,5;0,5\n2;21,25;-7,5e-1\n" * (rows // 2)
    points.write_text(text, encoding="utf-8")
    for argv in (("voltage_in_V/I", str(points)), (str(points), "[voltage in V]/I")):
        lines = run("map", *argv, "--decimal", "comma").out.splitlines()
        assert [rows + 1, "1,41.0,2.0,-82.0"] == [len(lines), lines[1]]
    assert "add --decimal comma" in run("map", "voltage_in_V/I", str(points)).err
    points.write_text("Time (s),U [V],x[1]\n1,2,3\n")
    assert run("map", "U_V*Time_s*x[1]", str(points), "--wrt", "U_V").out == "y,dy_dU_V\n6.0,3.0\n"
    assert "did you mean U_V?" in run("map", "V^2", str(points)).err
    assert {"W_1_2", "W[1,2]", "W_1_a"} == set(mapping.list_named_columns(["W[1,2]", "", "W[1,a]"]))
    points.write_text(text + "3;1.5;2\n", encoding="utf-8")
    assert "is not a number" in run("map", "voltage_in_V/I", str(points), "--decimal", "comma").err


def test_problems_and_points_are_read_with_decimal_commas(tmp_path: Path) -> None:
    texts = {"hw": "1,5*x*max(x1,2) @ x=2,5; x1=1\n", "f.py": "def f(x, n): return x*n", "y": "y = 4,5"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for argv in (
        ("eval", "--file", str(tmp_path / "hw")),
        ("trace", f"{tmp_path / 'f.py'}:f", "--at", "x=2,5", "--fixed", "n=3"),
        ("map", "x*1,5", "--over", "x=2,5:5:2"),
        ("taylor", "x*1,5", "--at", "x=2,5", "--along", "x=1,5"),
    ):
        assert re.search("7[.]5|2.5,3.75,1.5|9 t/4", run(*argv, "--decimal", "comma").out), argv
    assert run("check", str(tmp_path / "y"), "--problem", "x*1,5 @ x=3,0", "--decimal", "comma").out.count("✓") == 1


@pytest.mark.parametrize(
    "text",
    [
        '[{"x":1,"y":2},{"x":3,"y":4}]',
        " " * 20 + '[{"x":1,"y":2},{"x":3,"y":4}]',
        '[\n {"x": 1,\n  "y": 2},\n {"x": 3, "y": 4}\n]\n',
    ],
)
def test_a_list_of_objects_is_read_as_lines_of_them(text: str, tmp_path: Path) -> None:
    points = tmp_path / "points.json"
    points.write_text(text)
    rows = "y,dy_dx,dy_dy\n2.0,2.0,1.0\n12.0,4.0,3.0\n"
    assert run("map", "x*y", str(points)).out == rows
    assert run("map", "x*y", "-", stdin=text).out == rows
    points.write_text(text.rstrip()[:-1] + ', {"x": 5, "y": [1, 2]}')
    assert f"{points} ends inside a list" in run("map", "x*y", str(points)).err
    points.write_text('[{"x": 5, "y": [1, 2]}]')
    assert "this is [1, 2]" in run("map", "x*y", str(points)).err
    points.write_text('{"x": 5, "y": 2, "t": 1}\n{"x": 5, "y": 2, "t": "a"}\n')
    assert 0 == run("map", "x*y", str(points), "-o", str(tmp_path / "out.arrow")).code
    assert ["1", "a"] == batches((tmp_path / "out.arrow").read_bytes(), [], ["t"])[0].carried["t"].to_pylist()


def test_many_lines_of_ndjson_are_read_as_each_alone(tmp_path: Path) -> None:
    points = tmp_path / "points.ndjson"
    usual = [f'{{"id": {k}, "x": {k / 7}, "t": "a{k}"}}' for k in range(6000)]
    for odd in (
        '{"id": 1.0, "x": 2}',
        '{"x": true}',
        '{"x": 1, "x": 2}',
        '{"id": 3, "x": 1, "t": "\\ud800"}',
        '{"x": "2.5", "id": 3}',
        "",
        '{"x": 1e999}',
        "5",
    ):
        lines = [*usual[:3000], odd, *usual[3000:]]
        points.write_text("\n".join(lines) + "\n", encoding="utf-8")
        many = run("map", "2*x", str(points), "--format", "ndjson").out.splitlines()
        points.write_text("\n".join(lines[2990:3010]) + "\n", encoding="utf-8")
        few = run("map", "2*x", str(points), "--format", "ndjson").out.splitlines()
        assert few == many[2990 : 2990 + len(few)]


def test_carried_columns_are_quoted_and_shortened_where_that_is_safe() -> None:
    for texts in (["ab", "c-d"], ["ab", "c,d"], ['"'], ["ab", ""], ["a\nb", " c", "\r", "é", None]):
        rows = column_texts.sheet([column_texts.pl.Series(texts)], quote_cell)
        assert b"".join(rows) == b"".join(column_texts.sheet([texts], quote_cell))
    numbers = [1 / 3, None, 2.0**-30]
    digits = column_texts._float_texts(
        pa.array(numbers), column_texts.CellSpelling(lambda x: "" if x is None else str(x), {})
    )
    assert ["", *map(repr, (1 / 3, 2.0**-30))] == sorted(digits, key=len)
