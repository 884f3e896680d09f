"""Expressions as functions of columns of Arrow, Spark, DuckDB and Polars: the numbers are those of a kernel."""

from __future__ import annotations

import math
import pickle
import sys
from shutil import which
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import adcli
from adcli import AdcliError, points

PAPER = "log(x1)+x1*x2-sin(x2)"
X1, X2 = np.linspace(0.5, 3, 7), np.linspace(-2, 2, 7)
EXPECTED = adcli.parse(PAPER).kernel("numpy")(x1=X1, x2=X2)


def same(found: Any) -> bool:
    value, gradient = EXPECTED
    wanted = [value, gradient["x1"], gradient["x2"]]
    return all(np.array_equal(a, np.asarray(b)) for a, b in zip(wanted, found, strict=True))


def batch() -> pa.RecordBatch:
    return pa.record_batch({"id": list("abcdefg"), "x2": X2, "x1": X1})


def test_record_batches_become_record_batches() -> None:
    first, second = pickle.loads(pickle.dumps(points.arrow(PAPER, engine="numpy")))([batch(), batch()])  # noqa: S301
    assert ["id", "y", "dy_dx1", "dy_dx2"] == first.schema.names
    assert first.equals(second)
    assert same([first["y"], first["dy_dx1"], first["dy_dx2"]])


def test_options_are_those_of_map() -> None:
    (found,) = points.arrow("k*x1*x2", at={"k": 2}, wrt=["x1"], hessian=True, carry=[])([batch()])
    assert ["y", "dy_dx1", "d2y_dx1_dx1"] == found.schema.names
    assert np.array_equal(2 * X2, found["dy_dx1"])


def test_nothing_where_a_number_is_missing() -> None:
    rows = pa.record_batch({"x1": [2.0, None, -1.0], "x2": [5, 1, 1]})
    (found,) = points.arrow(PAPER)([rows])
    assert [False, True, True] == [math.isnan(y.as_py()) for y in found["y"]]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: points.arrow("x1*("), "never closed"),
        (lambda: list(points.arrow("z*x1")([batch()])), "no column called z"),
        (lambda: list(points.arrow("x1", carry=["z"])([batch()])), "no column called z"),
        (lambda: list(points.arrow("id*x1")([batch()])), "contains text"),
        (lambda: points.arrow("x1", at={"q": 1}), "the name q is not an input"),
        (lambda: points.arrow("x1", wrt=["q"]), "no input called q"),
    ],
)
def test_what_does_not_go_together_is_told(ask: Any, message: str) -> None:
    with pytest.raises(AdcliError, match=message):
        ask()


def test_polars_has_an_expression() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x1": X1, "x2": X2})
    for rows in (frame, frame.lazy().collect()):
        found = rows.select(f=points.polars(PAPER, engine="numpy")).unnest("f")
        assert same([found[name] for name in ("y", "dy_dx1", "dy_dx2")])


def test_duckdb_has_a_function() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    points.duckdb(connection, "f", PAPER, engine="numpy")
    connection.register("points", pa.table({"x1": X1, "x2": X2}))
    rows = connection.execute("SELECT f(x1, x2).y, f(x1, x2).dy_dx1, f(x1, x2).dy_dx2 FROM points").fetchall()
    assert same(np.array(rows).T)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Spark
def test_spark_maps_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = pytest.importorskip("pyspark.sql")
    pytest.importorskip("pandas")
    if which("java") is None:
        pytest.skip("there is no Java")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = session.createDataFrame(list(zip(map(float, X1), map(float, X2), strict=True)), ["x1", "x2"]).coalesce(
            1
        )
        made = frame.mapInArrow(points.spark(PAPER, engine="numpy"), "y double, dy_dx1 double, dy_dx2 double")
        assert same(np.array([tuple(row) for row in made.collect()]).T)
    finally:
        session.stop()
