"""Files of points: adcli map beside Polars with the same formulas written by hand, whole processes in turn."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from .timing import processes_in_turn, python
from .two_expressions import SMALL

_BY_HAND = """
import sys, polars as pl
source, out = sys.argv[1:]
x1, x2 = pl.col("x1"), pl.col("x2")
found = [(x1.log() + x1*x2 - x2.sin()).alias("y"), (1/x1 + x2).alias("dy_dx1"), (x1 - x2.cos()).alias("dy_dx2")]
read = pl.scan_parquet if source.endswith("parquet") else pl.scan_csv
rows = read(source).with_columns(found)
(rows.sink_parquet if out.endswith("parquet") else rows.sink_csv)(out)
"""


def points_files(rows: int = 10**7, rounds: int = 3) -> Iterator[tuple[str, float, str]]:
    """Seconds of processor time and of the clock from file to file, two columns to five, and how many times Polars."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv, parquet

    draw = np.random.default_rng(0)
    points = pa.table({name: draw.uniform(0.5, 2.5, rows) for name in ("x1", "x2")})
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(points, Path(folder) / "points.parquet", use_dictionary=False)
        csv.write_csv(points, Path(folder) / "points.csv", csv.WriteOptions(quoting_style="none"))
        for form in ("parquet", "csv"):
            source, out = (str(Path(folder) / f"{name}.{form}") for name in ("points", "out"))
            commands = {
                "adcli map": python("-m", "adcli", "map", SMALL, source, "--carry", "x1,x2", "-o", out, "-q"),
                "Polars by hand": python("-c", _BY_HAND, source, out),
            }
            for wall, clock in ((False, "processor"), (True, "clock")):
                taken = processes_in_turn(commands, rounds, wall=wall)
                for name, seconds in taken.items():
                    yield f"{form} to {form}, {rows:,} rows: {name}, {clock}", seconds, "s"
                if len(taken) == len(commands):
                    ratio = taken["adcli map"] / taken["Polars by hand"]
                    yield f"{form} to {form}, {rows:,} rows: times Polars, {clock}", ratio, "x"
