"""The inside with pytest-benchmark: `python -m pytest tests/benchmarks/bench_inside.py`."""

from __future__ import annotations

from typing import Any

import pytest

from adcli.cli.main import main
from adcli.errors import Source
from adcli.graph.graph import Graph
from adcli.graph.tape import adjoints, evaluate, tangents, value_and_partials, vjp
from adcli.language.machine import Machine
from adcli.language.parser import Recorder, parse
from adcli.language.program import read_program
from adcli.language.scanner import scan
from adcli.numbers.doubles import FLOAT
from tests.benchmarks import ours, work

SIZE = 10_000
POINT = dict(enumerate(work.INPUTS))


@pytest.fixture(scope="module")
def graph() -> Graph:
    return ours.build(ours.recorded(work.operations(SIZE)))


def test_build(benchmark: Any) -> None:
    benchmark(ours.build, ours.recorded(work.operations(SIZE)))


def test_evaluate(benchmark: Any, graph: Graph) -> None:
    benchmark(evaluate, graph, FLOAT, POINT)


def test_values_and_partials(benchmark: Any, graph: Graph) -> None:
    benchmark(value_and_partials, graph, POINT)


def test_reverse_sweep(benchmark: Any, graph: Graph) -> None:
    benchmark(adjoints, graph, value_and_partials(graph, POINT)[1], {len(graph) - 1: 1.0})


def test_values_and_adjoints_alone(benchmark: Any, graph: Graph) -> None:
    benchmark(vjp, graph, POINT, {len(graph) - 1: 1.0})


def test_forward_sweep(benchmark: Any, graph: Graph) -> None:
    benchmark(tangents, graph, value_and_partials(graph, POINT)[1], {0: 1.0})


def test_scan(benchmark: Any) -> None:
    benchmark(scan, Source(work.text(SIZE)))


def test_parse(benchmark: Any) -> None:
    source = Source(work.text(SIZE))
    tokens = scan(source)[0]
    benchmark(lambda: parse(tokens, Recorder(source)))


def test_code_to_graph(benchmark: Any) -> None:
    source = Source(work.text(SIZE))
    recorder = parse(scan(source)[0], Recorder(source))
    benchmark(lambda: Machine(source, recorder, ()).run())


def test_text_to_graph(benchmark: Any) -> None:
    benchmark(read_program, Source(work.text(SIZE)))


@pytest.mark.parametrize("form", ["plain", "json"])
def test_one_small_trace(benchmark: Any, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    benchmark(main, ["eval", "log(x1)+x1*x2-sin(x2)", "--at", "x1=2,x2=5", "--quiet", "--format", form])
    capsys.readouterr()
