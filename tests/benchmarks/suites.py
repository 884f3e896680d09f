"""What is measured.  Each suite gives lines (what, figure, unit); the ratios are of medians of runs in turn."""

from __future__ import annotations

import math
import os
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import adcli
from adcli.errors import Source
from adcli.language.program import read_program

from . import ours, rivals, work
from .fifty import fifty_expressions
from .first_result import FIRST_RESULTS
from .points import many_points
from .points_files import points_files
from .python_functions import python_functions
from .timing import in_turn, processes_in_turn, python
from .two_expressions import LARGE

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
        "adcli eval, rich table": python("-m", "adcli", *PAPER),
        "adcli eval, json": python("-m", "adcli", *PAPER, "--format", "json"),
        "adcli --help": python("-m", "adcli", "--help"),
        "adcli, a name without a value": python("-m", "adcli", "eval", "x + y", "--at", "x=1"),
        "adcli, a syntax error": python("-m", "adcli", "eval", "x +* 2"),
        **{name: python("-c", program) for name, program in _ONE_LINERS.items()},
    }
    found = processes_in_turn(commands, rounds, on_terminal={"adcli eval, rich table"})
    for name, seconds in found.items():
        if name == "pass":
            yield "python -I -c pass", 1000 * seconds, "ms"
        else:
            yield f"{name}: times python -I -c pass", seconds / found["pass"], "x"
    if "sympy" in found:
        for name in ("adcli eval, plain", "adcli eval, rich table"):
            yield f"{name}: times faster than the sympy one-liner", found["sympy"] / found[name], "x"


def first_result(rounds: int = 9) -> Iterator[Line]:
    """Whole processes from nothing to value and gradient at 1,000 points, less one that does nothing."""
    script = str(Path(__file__).with_name("first_result.py"))
    commands = {"pass": python("-c", "pass"), "import numpy": python("-c", "import numpy")}
    for size, what in (("small", "5 operations, 2 inputs"), ("large", "64 operations, 5 inputs")):
        commands |= {f"{what}: {name}": python(script, name, size) for name in FIRST_RESULTS}
    found = processes_in_turn(commands, rounds)
    for name, seconds in found.items():
        if name != "pass":
            yield f"first result, {name}", 1000 * (seconds - found["pass"]), "ms"
    for name, seconds in found.items():
        what, _, program = name.partition(": ")
        if program == "engine native" and f"{what}: heyoka" in found:
            ratio = (found[f"{what}: heyoka"] - found["pass"]) / (seconds - found["pass"])
            yield f"first result, {name}, times sooner than heyoka", ratio, "x"


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
    """Build, forward and reverse of one graph as users run it; rivals where they take seconds and not minutes."""
    totals: dict[str, dict[int, float]] = {"Nodes": {}, "value_and_gradient": {}}
    for size in sizes:
        found = work.operations(size)
        steps = ours.recorded(found)
        programs: dict[str, Callable[[], object]] = {
            "Nodes": lambda found=found: ours.by_nodes(found),
            "value_and_gradient": lambda steps=steps: ours.by_expression(steps),
        }
        for name, (rival, largest) in _RIVALS.items():
            if size <= largest and _works(lambda rival=rival: rival(work.operations(10))):
                programs[name] = lambda rival=rival, found=found: rival(found)
        times = max(1, 2000 // size)  # small graphs several times in a row, or only the clock is measured
        repeated = {name: _again(program, times) for name, program in programs.items()}
        taken = {name: spent / times for name, spent in in_turn(repeated, 5 if size <= 10**4 else 3).items()}
        for door, spent in totals.items():
            spent[size] = taken[door]
            yield f"one graph, {size:,} operations, by {door}", 1e9 * taken[door] / size, "ns an operation"
            for name in _RIVALS if door == "Nodes" else ("micrograd",):
                if name in taken:
                    ratio = taken[name] / taken[door]
                    yield f"one graph, {size:,} operations, by {door}: times faster than {name}", ratio, "x"
    for door, spent in totals.items():
        if len(spent) > 1:
            yield f"a graph that grows, by {door}: slope of log time over log size", _slope(spent), ""
    yield "a graph of 100,000 operations, by Nodes: memory at the peak", _peak(10**5), "bytes an operation"


# With the largest graph that they take.
_RIVALS: dict[str, tuple[Callable[[Sequence[work.Operation]], list[float]], int]] = {
    "micrograd": (rivals.objects, 10**6), "micrograd with slots": (rivals.slotted, 10**6),
    "the paper's program": (rivals.recursive, 10**4), "autograd": (rivals.autograd_gradient, 10**4),
    "torch": (rivals.torch_gradient, 10**4), "jax, operation by operation": (rivals.jax_gradient, 10**3),
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
    ours.by_nodes(found)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / size


def one_point(times: int = 1000) -> Iterator[Line]:
    """Value and gradient of expressions from Python, point after point."""
    expressions = {
        "the running example": (adcli.parse(PAPER[1]), {"x1": 2.0, "x2": 5.0}),
        "64 operations, 5 inputs": (adcli.parse(LARGE), {"x1": 0.3, "x2": 0.7, "x3": 1.1, "x4": 0.2, "x5": 0.9}),
        "two conditions": (adcli.parse("if(x > 0 and y < 2, log(x)*y, x^2) + if(x > y, x, y)"), {"x": 1.5, "y": 0.5}),
    }
    programs = {
        name: _again(lambda e=e, at=at: e.value_and_gradient(at), times) for name, (e, at) in expressions.items()
    }
    if _works(lambda: rivals.autograd_at((2.0, 5.0))):
        programs["autograd"] = _again(lambda: rivals.autograd_at((2.0, 5.0)), times)
    taken = in_turn(programs, 7)
    for name in expressions:
        yield f"one expression at a point, from Python: {name}", 1e6 * taken[name] / times, "µs"
    if "autograd" in taken:
        ratio = taken["autograd"] / taken["the running example"]
        yield "one expression at a point, from Python: the running example, times faster than autograd", ratio, "x"


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
    "start-up": start_up, "first result": first_result, "parsing": parsing, "one graph": one_graph,
    "one point": one_point, "files": files, "many points": many_points,
    "fifty expressions": fifty_expressions, "points in files": points_files,
    "Python functions": python_functions,
}  # fmt: skip
