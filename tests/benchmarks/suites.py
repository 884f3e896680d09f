"""What is measured.  Each suite gives lines (what, figure, unit); the ratios are of medians of runs in turn."""

from __future__ import annotations

import math
import os
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import adcli
from adcli.errors import Source
from adcli.language.program import read_program

from . import ours, rivals, work
from .points import many_points
from .timing import in_turn, processes_in_turn, python

PAPER = ("eval", "log(x1)+x1*x2-sin(x2)", "--at", "x1=2,x2=5")
Line = tuple[str, float, str]

_ONE_LINERS = {
    "sympy": "import sympy as s; x, y = s.symbols('x y'); f = s.log(x) + x*y - s.sin(y);"
    " print([g.subs({x: 2.0, y: 5.0}) for g in (f, s.diff(f, x), s.diff(f, y))])",
    "autograd": "import autograd.numpy as n; from autograd import grad;"
    " print([grad(lambda x, y: n.log(x) + x*y - n.sin(y), k)(2.0, 5.0) for k in (0, 1)])",
    "jax": "import jax, jax.numpy as n; print(jax.grad(lambda x, y: n.log(x) + x*y - n.sin(y), (0, 1))(2.0, 5.0))",
    "import numpy": "import numpy",
}


def start_up(rounds: int = 11) -> Iterator[Line]:
    """Whole processes, as multiples of `python -I -c pass`."""
    commands = {
        "pass": python("-I", "-c", "pass"),
        "adcli eval, plain": python("-m", "adcli", *PAPER),
        "adcli eval, json": python("-m", "adcli", *PAPER, "--format", "json"),
        "adcli --help": python("-m", "adcli", "--help"),
        "adcli, a name without a value": python("-m", "adcli", "eval", "x + y", "--at", "x=1"),
        "adcli, a syntax error": python("-m", "adcli", "eval", "x +* 2"),
        **{name: python("-c", program) for name, program in _ONE_LINERS.items()},
    }
    found = processes_in_turn(commands, rounds)
    for name, seconds in found.items():
        if name == "pass":
            yield "python -I -c pass", 1000 * seconds, "ms"
        else:
            yield f"{name}: times python -I -c pass", seconds / found["pass"], "x"


def parsing(sizes: tuple[int, ...] = (10**4, 10**6)) -> Iterator[Line]:
    """Text to graph, against Lark's LALR with callbacks and CPython's own parser."""
    lark = rivals.lark_parser()
    for size in sizes:
        text = work.text(size)
        source = Source(text)
        programs: dict[str, Callable[[], object]] = {
            "adcli": lambda source=source: read_program(source), "Lark": lambda text=text: lark(text),
        }  # fmt: skip
        if size <= 10**4:  # beyond, CPython's parser is too deep for itself
            spelled = text.replace("^", "**")
            programs["compile"] = lambda spelled=spelled: compile(spelled, "text", "eval")
        found = in_turn(programs, 9 if size <= 10**5 else 3)
        yield f"parsing {size:,} tokens", size / found["adcli"] / 1000, "thousand tokens a second"
        yield f"parsing {size:,} tokens: times faster than Lark", found["Lark"] / found["adcli"], "x"
        if "compile" in found:
            yield f"parsing {size:,} tokens: speed of CPython's compile", found["compile"] / found["adcli"], "x"


def one_graph(sizes: tuple[int, ...] = (10**2, 10**3, 10**4, 10**5, 10**6)) -> Iterator[Line]:
    """Build, forward and reverse of one graph; rivals where they take seconds and not minutes."""
    totals = {}
    for size in sizes:
        found = work.operations(size)
        steps = ours.recorded(found)
        programs: dict[str, Callable[[], object]] = {"adcli": lambda steps=steps: ours.gradient(steps)}
        limits = {"objects": 10**5, "recursive": 10**4, "autograd": 10**4, "torch": 10**4, "jax": 10**3}
        for name, rival in (
            ("objects", rivals.objects), ("recursive", rivals.recursive), ("autograd", rivals.autograd_gradient),
            ("torch", rivals.torch_gradient), ("jax", rivals.jax_gradient),
        ):  # fmt: skip
            if size <= limits[name] and _works(lambda rival=rival: rival(work.operations(10))):
                programs[name] = lambda rival=rival, found=found: rival(found)
        if size == 10**5:
            programs["autograd"] = lambda found=found: rivals.autograd_gradient(found)
        times = max(1, 2000 // size)  # small graphs several times in a row, or only the clock is measured
        repeated = {name: _again(program, times) for name, program in programs.items()}
        taken = {name: spent / times for name, spent in in_turn(repeated, 5 if size <= 10**4 else 3).items()}
        totals[size] = taken["adcli"]
        yield f"one graph, {size:,} operations", 1e9 * taken["adcli"] / size, "ns an operation"
        for name, seconds in taken.items():
            if name != "adcli":
                yield f"one graph, {size:,} operations: times faster than {_NAMES[name]}", seconds / taken["adcli"], "x"
    if len(totals) > 1:
        yield "one graph: slope of log time over log size", _slope(totals), ""
    yield "one graph: memory at the peak", _peak(10**5), "bytes an operation"


_NAMES = {
    "objects": "objects with closures (micrograd's style)", "recursive": "the paper's program", "autograd": "autograd",
    "torch": "torch", "jax": "jax",
}  # fmt: skip


def _again(program: Callable[[], object], times: int) -> Callable[[], None]:
    """The program so many times."""

    def repeated() -> None:
        for _ in range(times):
            program()

    return repeated


def _works(program: Callable[[], object]) -> bool:
    try:
        program()
    except ImportError:
        return False
    return True


def _slope(totals: dict[int, float]) -> float:
    """The slope of a straight line through the points (log size, log time)."""
    points = [(math.log(size), math.log(seconds)) for size, seconds in totals.items()]
    x0 = sum(x for x, _ in points) / len(points)
    y0 = sum(y for _, y in points) / len(points)
    return sum((x - x0) * (y - y0) for x, y in points) / sum((x - x0) ** 2 for x, _ in points)


def _peak(size: int) -> float:
    found = work.operations(size)
    tracemalloc.start()
    ours.gradient(ours.recorded(found))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / size


def one_point(times: int = 1000) -> Iterator[Line]:
    """Value and gradient of the running example from Python, point after point."""
    expression = adcli.parse(PAPER[1])

    programs = {"adcli": _again(lambda: expression.value_and_gradient({"x1": 2.0, "x2": 5.0}), times)}
    if _works(lambda: rivals.autograd_at((2.0, 5.0))):
        programs["autograd"] = _again(lambda: rivals.autograd_at((2.0, 5.0)), times)
    taken = in_turn(programs, 7)
    yield "one expression at a point, from Python", 1e6 * taken["adcli"] / times, "µs"
    if "autograd" in taken:
        ratio = taken["autograd"] / taken["adcli"]
        yield "one expression at a point, from Python: times faster than autograd", ratio, "x"


def files(count: int = 10_000, of_sympy: int = 200) -> Iterator[Line]:
    """A file of one-line problems, value and gradient of each, against sympy's lambdify."""
    lines = list(work.problems(count))
    with tempfile.TemporaryDirectory() as folder:
        many, one = Path(folder) / "many.txt", Path(folder) / "one.txt"
        many.write_text("\n".join(lines), encoding="utf-8")
        one.write_text(lines[0], encoding="utf-8")
        flags = ("--no-trace", "--mode", "reverse", "--format", "ndjson", "-o", os.devnull)
        commands = {
            name: python("-m", "adcli", "eval", "--file", str(path), *flags)
            for name, path in (("many", many), ("one", one))
        }
        alone = {name: [*command, "--workers", "1"] for name, command in commands.items()}
        found = processes_in_turn(alone, 5)
        passed = processes_in_turn(commands, 5, wall=True)
    each = (found["many"] - found["one"]) / (count - 1)
    yield f"{count:,} one-line problems, one process", 1000 * each, "ms a problem"
    waited = (passed["many"] - passed["one"]) / (count - 1)
    yield f"{count:,} one-line problems, as many processes as cores, time that passes", 1000 * waited, "ms a problem"
    if _works(lambda: rivals.sympy_problems(lines[:1])):
        taken = in_turn({"sympy": lambda: rivals.sympy_problems(lines[:of_sympy])}, 3)["sympy"] / of_sympy
        yield f"{count:,} one-line problems, one process: times faster than sympy's lambdify", taken / each, "x"
        yield f"{count:,} one-line problems, all cores: times faster than sympy's lambdify", taken / waited, "x"


SUITES: dict[str, Callable[[], Iterator[Line]]] = {
    "start-up": start_up, "parsing": parsing, "one graph": one_graph, "one point": one_point,
    "files": files, "many points": many_points,
}  # fmt: skip
