"""Families for `map`: columns against the truth, and files whose bytes were changed."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from . import generators as make
from . import truth
from .evaluations import random_problem, threshold
from .generators import Problem
from .homework import mutated
from .judging import evaluated, parsed
from .process import Adcli, Fault, command
from .reader import Program
from .values import NoValue, Unknown


def columns(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Values and slopes at many points, written and read back as text, by either engine."""
    for _ in range(3):
        if rng.random() < 0.3:
            problem, points = threshold(rng)
            rows = [{"x": x} for x in points]
        else:
            problem = random_problem(rng, rng.choice((make.ordinary, make.ordinary, make.extreme)), 2)
            program = parsed(problem)
            if program is None or not program.inputs:
                continue
            number = rng.choice((make.ordinary, make.dyadic, make.extreme))
            rows = [{name: number(rng) for name in program.inputs} for _ in range(14)]
        yield from _mapped(adcli, rng, problem, rows)


def _mapped(adcli: Adcli, rng: Random, problem: Problem, rows: list[dict[str, str]]) -> Iterator[Fault]:
    out = io.StringIO()
    table = csv.DictWriter(out, list(rows[0]))
    table.writeheader()
    table.writerows(rows)
    argv = ["map", problem.text, "-", "--format", "ndjson", "--engine", rng.choice(("numpy", "native"))]
    asked = command(*argv, stdin=out.getvalue())
    answer = adcli(*argv, stdin=out.getvalue())
    if why := answer.broken():
        yield Fault(asked, "a table", why)
        return
    found = [json.loads(line) for line in answer.out.splitlines()]
    if answer.code == 2 and not found:
        return
    if len(found) != len(rows):
        yield Fault(asked, f"{len(rows)} rows", f"{len(found)} rows: {answer.err.decode()[:200]}")
        return
    for row, told in zip(rows, found, strict=True):
        yield from _judged(asked, problem, row, told)


def _judged(asked: str, problem: Problem, row: dict[str, str], told: dict[str, Any]) -> Iterator[Fault]:
    """A row of results against the truth."""
    output = next((k for k in told if f"d{k}_d{next(iter(row))}" in told), "y")
    if told.get(output) is None or told[output] == "NaN":
        return
    # Columns have no notes: what left the range of doubles on the way is excused.
    gradient = {name: told[f"d{output}_d{name}"] for name in row if told.get(f"d{output}_d{name}") is not None}
    record = {
        "schema": "trace/1", "notes": [{"kind": "infinite"}], "outputs": [{"value": told[output],
        "gradient": gradient}],
    }  # fmt: skip
    for finding in evaluated(Problem(problem.text, row), record):
        yield Fault(f"{asked}   # at {row}", f"{finding.what}: {finding.expected}", finding.got)


ENGINES = (("--engine", "numpy"), ("--engine", "native"), ("--engine", "native", "--fast"))


def engines(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """The same points by every engine, those without a value and those at the ends among them."""
    for _ in range(2):
        problem = random_problem(rng, rng.choice((make.ordinary, make.extreme)), 2)
        program = parsed(problem)
        if program is None or not program.inputs:
            continue
        kinds = (make.ordinary, make.dyadic, make.extreme, make.extreme)
        rows = [{name: rng.choice(kinds)(rng) for name in program.inputs} for _ in range(19)]
        points = ",".join(rows[0]) + "\n" + "\n".join(",".join(row.values()) for row in rows) + "\n"
        argv = [["map", problem.text, "-", "--format", "ndjson", "--nan", "string", *engine] for engine in ENGINES]
        answers = [adcli(*each, stdin=points) for each in argv]
        found = [[json.loads(line) for line in answer.out.splitlines()] for answer in answers]
        for each, answer in zip(argv, answers, strict=True):
            if why := answer.broken():
                yield Fault(command(*each, stdin=points), "a table", why)
        if all(len(table) == len(rows) for table in found):
            for row, told in zip(rows, zip(*found, strict=True), strict=True):
                for k, each in enumerate(argv):
                    asked = command(*each, stdin=points)
                    if _unlike(told[0], told[k]):
                        yield from _judged(asked, problem, row, told[k])
                    yield from _known(f"{asked}   # at {row}", program, row, told[0], told[k])


def _unlike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether numbers differ by more than nothing has to explain."""
    pairs = [(one[name], other[name]) for name in one]
    return any(a != b and (isinstance(a, str) or isinstance(b, str) or abs(a - b) > 1e-14 * abs(a)) for a, b in pairs)


def _known(
    asked: str, program: Program, row: dict[str, str], one: dict[str, Any], other: dict[str, Any]
) -> Iterator[Fault]:
    """Where one has a number and the other none, though rounding leaves no doubt that there is one."""
    output = next(iter(one))
    if (one[output] == "NaN") == (other[output] == "NaN"):
        return
    at = {name: Fraction(x) for name, x in row.items()}
    place = program.outputs[0][1]
    try:
        true = truth.value(program, place, at)
        size, extreme = truth.reach(program, place, at, None, true)
    except (Unknown, NoValue):
        return
    if not extreme and size < abs(true) / 2**20:
        yield Fault(asked, f"{output} by every engine: {one[output]}", f"{other[output]}")


def point_bytes(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Tables of points in every format with bytes changed: a table or a message."""
    text = "x,y,id\n" + "".join(
        f"{make.ordinary(rng)},{make.extreme(rng)},row{n}\n" for n in range(rng.choice((1, 5, 60)))
    )
    made = {"csv": text.encode(), "tsv": text.replace(",", "\t").encode(), "ndjson": b"".join(
        json.dumps(dict(zip(("x", "y",
        "id"), line.split(","), strict=True))).encode() + b"\n" for line in text.splitlines()[1:]
    )}  # fmt: skip
    adcli.keep("points.csv", made["csv"])
    for form in ("parquet", "arrow"):
        if adcli("map", "x+y", "points.csv", "--carry", "x,y,id", "-o", f"made.{form}").code in (0, 3):
            made[form] = (adcli.here / f"made.{form}").read_bytes()
    for n in range(10):
        form = rng.choice(list(made))
        data = mutated(rng, made[form])
        name = f"points{n}.{form}"
        if rng.random() < 0.15:
            data, name = mutated(rng, gzip.compress(made[form])), name + ".gz"
        adcli.keep(name, data)
        argv = ["map", "x*y", name, "--format", rng.choice(("csv", "ndjson"))]
        answer = adcli(*argv)
        if why := answer.broken():
            yield Fault(f"printf %s {data.hex()} | xxd -r -p > {name}; {command(*argv)}", "a table or a message", why)
