"""`adcli map` without a file of points: grids and samples; and columns in a few numbers in place of rows."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest
from drawn import examples
from hypothesis import example, given
from hypothesis import strategies as st
from running import run

from adcli.cli.row_output import _describe_progress
from adcli.errors import RequestError
from adcli.files import generated, reductions
from adcli.files.generated import Axis, DrawnInput
from adcli.files.points import RequestedColumns, RowRange
from adcli.files.reductions import STATISTICS, Reduced, statistics, summarize, table_of

NUMPY = ("--engine", "numpy")


def rows(*argv: str) -> list[list[float]]:
    answer = run("map", *argv, *NUMPY, "-q")
    assert (0, "") == (answer.code, answer.err)
    return [list(map(float, row)) for row in list(csv.reader(io.StringIO(answer.out)))[1:]]


# --- grids ------------------------------------------------------------------------------------------------------------


def test_a_grid_has_both_ends_and_several_make_their_product() -> None:
    found = rows("x1*x2", "--over", "x1=0:1:3", "--over", "x2=-1:pi:2")
    assert [[a, b] for a in (0, 0.5, 1) for b in (-1, math.pi)] == [row[:2] for row in found]
    assert found == rows("x1*x2", "--over", "x1=0:1:3, x2=-1:pi:2")
    assert all(row[2:] == [row[0] * row[1], row[1], row[0]] for row in found)
    assert [[2.0, 4.0, 4.0]] == rows("x^2", "--over", "x=2:3:1")
    assert [10.0, 0.0] == [row[0] for row in rows("x", "--over", "x=10:0:2")]


def test_inputs_beside_a_grid_have_values_or_are_drawn_for_each_of_its_points() -> None:
    assert [[0.0, 5.0], [1.0, 6.0]] == [row[:2] for row in rows("x + a", "--over", "x=0:1:2", "--at", "a=5")]
    found = rows("x + a", "--over", "x=0:1:4", "--sample", "a=uniform(2,3)")
    assert 4 == len({row[1] for row in found}) == sum(2 <= row[1] < 3 for row in found)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 12), st.data())
@examples(40)
def test_every_part_of_points_that_are_made_up_is_the_same_on_its_own(
    first: int, second: int, batch: int, data: st.DataObject
) -> None:
    axes = [Axis("a", 0, 1, first), Axis("b", -1, 1, second)]
    samples = [DrawnInput("c", "normal", (0.0, 1.0)), DrawnInput("d", "triangular", (0.0, 1.0, 3.0))]
    start = data.draw(st.integers(0, first * second))
    stop = data.draw(st.integers(start, first * second))

    def columns(within: RowRange | None) -> list[list[float]]:
        reader = generated.Generated(axes, samples, first * second, 3)
        assert {} == reader.kinds(reader.columns)
        batches = [job() for job in reader.jobs(RequestedColumns(["a", "c", "d"], ["b"]), within=within)]
        assert within or 1.0 == reader.fraction_read()
        parts = [batch.inputs | batch.carried for batch in batches]
        return [[x for part in parts for x in part[name]] for name in "abcd"]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generated, "BATCH", batch)
        assert [column[start:stop] for column in columns(None)] == columns(RowRange(start, stop, start + 1))


# --- samples ----------------------------------------------------------------------------------------------------------

MOMENTS = {
    "normal(2,3)": (2, 3, 3.036752576194358), "uniform(1,4)": (2.5, 3 / math.sqrt(12), 2.53546487410077),
    "exponential(2)": (2, 2, 2.1460580527450777), "t(9)": (0, 1.134, 0.297336822576004),
    "triangular(0,0,3)": (1, math.sqrt(0.5), 0.9039071161568986),
    "lognormal(0,0.5)": (math.exp(0.125), 0.604, 1.188618960795861),
}  # fmt: skip


@pytest.mark.parametrize("shape", MOMENTS)
def test_samples_have_the_mean_and_spread_of_their_distribution(shape: str) -> None:
    mean, sigma, first = MOMENTS[shape]
    (sample,) = generated.read_samples([shape])
    found = sample.values(np.random.default_rng(1), 40_000)
    assert first == pytest.approx(found[0], rel=1e-14, abs=0)  # on every machine
    assert mean == pytest.approx(found.mean(), abs=5 * sigma / 200)
    assert sigma == pytest.approx(found.std(), rel=0.05)
    assert {text.partition("(")[0] for text in MOMENTS} == set(generated.DISTRIBUTIONS)


def test_parameters_are_usual_ones_or_checked() -> None:
    usual = {"normal": (0, 1), "lognormal": (0, 1), "uniform": (0, 1), "triangular": (-1, 0, 1), "exponential": (1,)}
    assert usual | {"t": (1,)} == {
        each.shape: each.parameters for each in generated.read_samples(generated.DISTRIBUTIONS)
    }
    assert generated.read_samples(["normal(0,0), lognormal(0,0), uniform(1,1), triangular(0,3,3), exponential(0)"])
    assert 10**15 == generated.whole_number("1e15", "the number of points")
    for text in ("normal(0,-1)", "lognormal(0,-1)", "uniform(1,0)", "triangular(1,0,2)", "triangular(0,2,1)",
                 "triangular(1,1,1)", "exponential(-1)", "t(0)"):  # fmt: skip
        with pytest.raises(RequestError, match=" needs "):
            generated.read_samples([text])
    with pytest.raises(RequestError, match="no distribution called nomal") as caught:
        generated.read_samples(["x=nomal(0,1)"])
    assert ("did you mean normal?", f"use one of {', '.join(usual)}, t") == (caught.value.label, caught.value.help)
    with pytest.raises(RequestError, match="n is too large") as caught:
        generated.whole_number(" 2e15", "n")
    assert ("2e15", "at most 1,000,000,000,000,000 are allowed") == (caught.value.label, caught.value.help)


def test_the_same_seed_draws_the_same_points_and_inputs_are_independent() -> None:
    argv = ("x1*x2", "--sample", "normal(0,1)", "--n", "1e1")
    found = rows(*argv, "--seed", "7")
    assert 10 == len(found) == len({x for row in found for x in row[:2]}) / 2
    assert found == rows(*argv, "--seed", "7", "--workers", "1") != rows(*argv, "--seed", "8")
    mixed = rows("x1*x2 + a", *argv[1:], "--sample", "x2=uniform(5,6)", "--at", "a=1")
    assert all(5 <= row[0] < 6 for row in mixed)


def test_a_large_sample_is_spread_over_batches_and_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    argv = ("map", "x^2", "--sample", "x=normal", "--n", "1000", "--reduce", "mean,std,min,max,histogram", *NUMPY)
    monkeypatch.setattr(generated, "BATCH", 64)
    assert run(*argv, "--workers", "1") == run(*argv, "--workers", "4")


# --- reductions -------------------------------------------------------------------------------------------------------

PLAIN = st.sampled_from([0.0, 1.0, -1.0, 1e-300, 1e300, math.nan, 0.1])
NUMBERS = st.one_of(st.floats(-1e6, 1e6), PLAIN, st.floats(allow_infinity=False))


@given(st.lists(st.lists(NUMBERS, max_size=9), min_size=1, max_size=4))
@example([[1.0, 3.0], [5.0]])
@examples(80)
def test_what_is_known_of_parts_is_what_is_known_of_the_whole(parts: list[list[float]]) -> None:
    every = np.array([x for part in parts for x in part])
    known = summarize(np.array(parts[0]), with_histogram=True)
    for part in parts[1:]:
        known = known.merge(summarize(np.array(part), with_histogram=True))
    numbers = every[~np.isnan(every)]
    assert (len(numbers), len(every) - len(numbers)) == (known.numbers, known.missing)
    if not len(numbers):
        assert math.isnan(known.mean)
        return
    assert (numbers.min(), numbers.max()) == (known.least, known.largest)
    size = np.abs(numbers).max()
    # also where sums and squares are too large or too small for doubles
    scaled, least = numbers / (size or 1.0), math.ulp(0.0)
    assert float(scaled.mean()) * size == pytest.approx(known.mean, abs=1e-14 * size + least)
    if len(numbers) > 1:
        assert float(np.std(scaled, ddof=1)) * float(size) == pytest.approx(
            known.deviation, abs=1e-6 * size + least, rel=1e-9
        )
    whole = summarize(every, with_histogram=True).histogram
    assert whole is not None
    assert known.histogram is not None
    assert whole.as_dict() == known.histogram.as_dict()
    shown = whole.as_dict()
    start, width, counts = float(str(shown["start"])), float(str(shown["width"])), list(whole.counts)
    assert len(counts) <= 64
    assert 0 not in (counts[0], counts[-1])
    assert len(numbers) == sum(counts)
    for k, count in enumerate(counts):
        assert (
            count == sum(start + k * width <= x < start + (k + 1) * width for x in numbers)
            or not 1e-300 < width < 1e300
        )


def test_a_reduction_is_a_row_for_each_column_of_the_result() -> None:
    answer = run(
        "map", "log(x)", "-", "--reduce", "max,mean", "--format", "ndjson", *NUMPY, "-q", stdin="x\n1\n-1\n2\n"
    )
    found = [json.loads(line) for line in answer.out.splitlines()]
    assert {"column": "y", "count": 2, "missing": 1, "max": math.log(2), "mean": math.log(2) / 2} == found[0]
    assert ("dy_dx", 0.75) == (found[1]["column"], found[1]["mean"])
    assert 3 == answer.code
    table = run("map", "x", "-", "--reduce", "std", *NUMPY, stdin="x\n1\n").out
    assert ["column,count,missing,std", "y,1,0,NaN", "dy_dx,1,0,NaN"] == table.splitlines()


def test_what_has_no_rows_is_said_to_have_none() -> None:
    assert [64, 63] == [len(reductions.histogram(np.arange(many)).counts) for many in (64.0, 63.0)]
    below = reductions.histogram(np.array([-5e-324, 1e300, 1e300]))
    assert (-1, 1, 2) == (below.first, below.counts[0], below.counts[-1])
    infinite, one = (summarize(np.array([x]), with_histogram=True) for x in (math.inf, 1.0))
    assert one.histogram is infinite.merge(one).histogram is one.merge(infinite).histogram
    empty: Reduced = summarize(np.array([]), with_histogram=False)
    assert {"column": ["y"], "count": [0], "missing": [0], "histogram": [None]} == table_of({"y": empty}, ["histogram"])
    assert list(STATISTICS) == statistics(list(STATISTICS))


# --- how far it is ----------------------------------------------------------------------------------------------------


def test_the_bar_says_how_far_it_is_how_fast_and_how_long_it_takes() -> None:
    assert "[###############...............] 1,234,567 points, 617,284/s, 0:02 left" == _describe_progress(
        1234567, 0.5, 2.0
    )
    assert "[###...........................] 30,000,000 points, 3.0 million/s, 1:30 left" == _describe_progress(
        30_000_000, 0.1, 10.0
    )
    assert _describe_progress(100, 0.01, 100.0).endswith("1/s, 2:45:00 left")
    assert "7 points, 7/s" == _describe_progress(7, None, 1.0)
    assert "0 points, 0/s" == _describe_progress(0, 0.0, 0.0)
