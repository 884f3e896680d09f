"""One program that gives value and gradient of expressions, in a process of its own, as its users would run it.

`python -m tests.benchmarks.engines NAME` reads questions as lines of JSON: `{"prepare": {"text", "names", "points"}}`
makes the program of an expression and tells what it finds at the first points, `{"run": seconds}` the processor time of
a call.  Folders in the variable RIVALS are searched after all others.
"""

from __future__ import annotations

import ctypes
import json
import math
import operator
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import adcli
from adcli.graph.graph import Graph
from adcli.graph.order import ancestors, arrange
from adcli.numbers.doubles import FLOAT, apply
from adcli.render.source_code import source_code
from adcli.render.targets import find_language
from adcli.table.primitive import ROWS

Arrays = dict[str, Any]
Program = Callable[[], Sequence[Any]]  # all columns, the value first, in memory of their own
SHOWN = 100  # points at which the numbers are told


class Unknown(Exception):
    """A function that a program does not have."""


class Functions:
    """Functions of the table in another program: those that it has by name, all others by their rules."""

    lt, le, gt, ge, eq, ne = operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne
    both, either, div = operator.and_, operator.or_, operator.truediv
    pi, e, zero, one = math.pi, math.e, 0.0, 1.0

    def __init__(self, known: dict[str, Callable[..., Any]]) -> None:
        self.known = {"pow": _power, "abs": abs, **known}
        self._reading: list[str] = []

    def number(self, x: Any) -> Any:
        """A constant as it is written."""
        return float(x)

    def guard(self, limit: object, rule: Any, *arguments: Any) -> Any:
        """The rule alone, as people write it."""
        return rule

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self.called, name)

    def called(self, name: str, *arguments: Any) -> Any:
        """What a function of the table comes to."""
        if all(isinstance(a, float | int) for a in arguments):
            return apply(ROWS[name], FLOAT, arguments)
        if name in self.known:
            return self.known[name](*arguments)
        if name not in ROWS or name in self._reading:  # a rule that only names its function
            raise Unknown(name)
        self._reading.append(name)
        found = ROWS[name].value(self, *arguments)
        self._reading.pop()
        return found


def _power(a: Any, b: Any) -> Any:
    whole = isinstance(b, float) and b.is_integer() and abs(b) < 1e9
    return a ** (int(b) if whole else b)


def read(graph: Graph, functions: Functions, inputs: Sequence[Any]) -> Any:
    """The first output of a graph, with the functions of another program."""
    output = graph.outputs[0][1]
    needed = ancestors(graph, [output])
    values: list[Any] = [0.0] * len(graph)
    for slot, x in zip(graph.inputs, inputs, strict=True):
        values[slot] = x
    for slot, row in enumerate(graph.rows):
        if slot in graph.constants:
            values[slot] = float(graph.constants[slot].read(FLOAT))
        elif row is not None and needed[slot]:
            values[slot] = functions.called(row.name, *[values[parent] for parent in graph.parents[slot]])
    return values[output]


# --- the programs -----------------------------------------------------------------------------------------------------


def ours(text: str, points: Arrays, **choices: Any) -> Program:
    """A kernel of adcli."""
    kernel = adcli.parse(text, list(points)).kernel(**choices)
    warnings.simplefilter("ignore")

    def program() -> list[Any]:
        y, slopes = kernel(**points)
        return [y, *slopes.values()]

    return program


def _graph(text: str, points: Arrays) -> Graph:
    return arrange(adcli.parse(text, list(points))._program.graph)


def heyoka(text: str, points: Arrays, *, fast_math: bool) -> Program:
    """A compiled function of vectors, of the formula and its gradient."""
    import heyoka as hy

    names = {
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "erf", "exp", "log", "sigmoid",
        "sin", "sinh", "sqrt", "tan", "tanh", "relu", "lt", "gt", "eq",
    }  # fmt: skip
    functions = Functions({
        **{name: getattr(hy, name) for name in names}, "le": hy.lte, "ge": hy.gte,
        "if": hy.select, "choose": hy.select, "abs": lambda x: hy.select(hy.lt(x, 0.0), -x, x),
        "pow": lambda a, b: a**b, "log10": lambda x: hy.log(x) / math.log(10),
    })  # fmt: skip
    functions.lt, functions.le, functions.gt, functions.ge = hy.lt, hy.lte, hy.gt, hy.gte  # type: ignore[method-assign]
    graph = _graph(text, points)
    variables = [hy.expression(name) for name in graph.inputs.values()]
    value = read(graph, functions, variables)
    slopes = hy.diff_tensors([value], diff_args=variables, diff_order=1).gradient
    compiled = hy.cfunc([value, *slopes], vars=variables, fast_math=fast_math)
    together = np.array([points[name] for name in graph.inputs.values()])
    return lambda: compiled(together)


def jax(text: str, points: Arrays) -> Program:
    """Compiled: mapped over points, or the gradient of the sum over columns, whichever is faster."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    import jax as jx
    from jax import numpy as jnp
    from jax.scipy import special

    jx.config.update("jax_enable_x64", val=True)
    functions = Functions({
        **{name: getattr(jnp, name) for name in _OF_NUMPY}, **_called_otherwise(jnp), "cbrt": jnp.cbrt,
        "erf": special.erf, "erfc": special.erfc, "gamma": special.gamma, "lgamma": special.gammaln,
        "digamma": special.digamma, "sigmoid": jx.nn.sigmoid, "softplus": jx.nn.softplus, "relu": jx.nn.relu,
    })  # fmt: skip
    graph = _graph(text, points)
    arrays = [jnp.asarray(points[name]) for name in graph.inputs.values()]
    places = tuple(range(len(arrays)))

    def value(*inputs: Any) -> Any:
        return read(graph, functions, inputs)

    def summed(*inputs: Any) -> Any:
        y = value(*inputs)
        return y.sum(), y

    mapped = jx.jit(jx.vmap(jx.value_and_grad(value, places)))
    joined = jx.jit(jx.grad(summed, places, has_aux=True))

    def by_map() -> list[Any]:
        y, slopes = jx.block_until_ready(mapped(*arrays))
        return [y, *slopes]

    def by_sum() -> list[Any]:
        slopes, y = jx.block_until_ready(joined(*arrays))
        return [y, *slopes]

    return min((by_map, by_sum), key=_seconds)


_OF_NUMPY = {
    "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt", "hypot",
    "abs", "sign", "floor", "ceil",
}  # fmt: skip


def _called_otherwise(n: Any) -> dict[str, Callable[..., Any]]:
    """Functions that NumPy calls otherwise."""
    return {
        "asin": n.arcsin, "acos": n.arccos, "atan": n.arctan, "atan2": n.arctan2, "asinh": n.arcsinh,
        "acosh": n.arccosh, "atanh": n.arctanh, "max": n.maximum, "min": n.minimum, "mod": n.mod, "if": n.where,
        "choose": n.where, "and": n.logical_and, "or": n.logical_or, "not": n.logical_not,
    }  # fmt: skip


def torch(text: str, points: Arrays) -> Program:
    """`torch.compile` of the gradient of the sum over columns, which keeps the column of values."""
    os.environ["OMP_NUM_THREADS"] = "1"
    import torch as th

    th.set_num_threads(1)
    th._dynamo.config.cache_size_limit = 1000
    names = {
        *_OF_NUMPY, "asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh", "erf", "erfc", "lgamma", "digamma",
        "sigmoid", "relu",
    }  # fmt: skip
    functions = Functions({
        **{name: getattr(th, name) for name in names},
        "max": th.maximum, "min": th.minimum, "if": th.where, "choose": th.where, "pow": _power,
        "softplus": th.nn.functional.softplus,
    })  # fmt: skip
    graph = _graph(text, points)
    arrays = [th.from_numpy(np.asarray(points[name])) for name in graph.inputs.values()]
    # Dynamo reads loops over lists, not the graph of adcli: what happens is written down once, as calls
    calls: list[tuple[Callable[..., Any], tuple[int | float, ...]]] = []

    class Noted:
        """A number that is called for."""

        def __init__(self, place: int) -> None:
            self.place = place

    def noted(function: Callable[..., Any], *arguments: Any) -> Noted:
        calls.append((function, tuple([("at", a.place) if isinstance(a, Noted) else ("is", a) for a in arguments])))
        return Noted(len(arrays) + len(calls) - 1)

    for name in ("add", "sub", "mul", "truediv", "and_", "or_", "lt", "le", "gt", "ge", "eq", "ne"):
        sign = name.rstrip("_")
        function = getattr(operator, name)
        setattr(Noted, f"__{sign}__", lambda a, b, function=function: noted(function, a, b))
        setattr(Noted, f"__r{sign}__", lambda a, b, function=function: noted(function, b, a))
    Noted.__neg__ = lambda a: noted(operator.neg, a)  # type: ignore[attr-defined]
    Noted.__abs__ = lambda a: noted(th.abs, a)  # type: ignore[attr-defined]
    Noted.__pow__ = lambda a, b: noted(operator.pow, a, b)  # type: ignore[attr-defined]
    Noted.__rpow__ = lambda a, b: noted(operator.pow, b, a)  # type: ignore[attr-defined]
    noting = Functions({name: partial(noted, f) for name, f in functions.known.items() if name != "pow"})
    output = read(graph, noting, [Noted(k) for k in range(len(arrays))])

    def summed(*inputs: Any) -> Any:
        values = list(inputs)
        for function, arguments in calls:
            values.append(function(*[values[a] if kind == "at" else a for kind, a in arguments]))
        y = values[output.place]
        return y.sum(), y

    compiled = th.compile(th.func.grad(summed, argnums=tuple(range(len(arrays))), has_aux=True))

    def program() -> list[Any]:
        slopes, y = compiled(*arrays)
        return [y, *slopes]

    return program


def numba(text: str, points: Arrays) -> Program:
    """A compiled loop over the straight-line program that `adcli compile --to numpy` writes, without its checks."""
    import numba as nb

    graph = _graph(text, points)
    source = source_code(graph, find_language("numpy"), text).splitlines()
    start = next(k for k, line in enumerate(source) if "errstate" in line) + 1
    steps = [line.strip().replace("np.where(", "where(") for line in source[start:-1]]
    outputs = source[-1].removeprefix("    return ").split(", ")
    head = next(line for line in source if line.startswith("def "))
    inputs = head[head.index("(") + 1 : head.index(")")].split(", ")
    lines = [f"def run({', '.join(f'{name}_s' for name in inputs)}):", f"    n = len({inputs[0]}_s)"]
    lines += [f"    {name}_o = np.empty(n)" for name in outputs]
    lines += ["    for i in range(n):", *(f"        {name} = {name}_s[i]" for name in inputs)]
    lines += [f"        {step}" for step in steps]
    lines += [f"        {name}_o[i] = {name}" for name in outputs]
    lines += [f"    return {', '.join(f'{name}_o' for name in outputs)}"]
    written: dict[str, Any] = {"np": np, "where": nb.njit(lambda condition, a, b: a if condition else b)}
    exec("\n".join(lines), written)  # noqa: S102 - numba compiles functions
    compiled = nb.njit(fastmath=True, error_model="numpy")(written["run"])
    arrays = [points[name] for name in graph.inputs.values()]
    try:
        compiled(*[x[:2] for x in arrays])
    except nb.core.errors.NumbaError as error:
        raise Unknown(str(error).strip().splitlines()[-1][:80]) from None
    return lambda: compiled(*arrays)


_LOOP = """
void all(long n, const double *const *in, double *const *out)
{
    %s
    for (long i = 0; i < n; i++) {
        %s
        double f[%d];
        value_and_gradient(x, f);
        %s
    }
}
"""
_FLAGS = ("-O3", "-march=native", "-ffast-math", "-fdisable-tree-sincos", "-fno-math-errno", "-shared", "-fPIC")


def c(text: str, points: Arrays) -> Program:
    """A loop around what `adcli compile --to c` writes, by gcc with the vectors of libmvec; outputs are allocated."""
    graph = _graph(text, points)
    source = source_code(graph, find_language("c"), text)
    source = source.replace("\nvoid value", "\nstatic inline void value")
    inputs, outputs = len(graph.inputs), len(graph.inputs) + 1
    columns = " ".join([*(f"const double *restrict a{k} = in[{k}];" for k in range(inputs)),
                        *(f"double *restrict b{k} = out[{k}];" for k in range(outputs))])  # fmt: skip
    point = f"const double x[{inputs}] = {{{', '.join(f'a{k}[i]' for k in range(inputs))}}};"
    stores = " ".join(f"b{k}[i] = f[{k}];" for k in range(outputs))
    folder = Path(tempfile.mkdtemp())
    (folder / "f.c").write_text(source + _LOOP % (columns, point, outputs, stores), "utf-8")
    flags = [*_FLAGS, "-fopt-info-vec-optimized"]
    try:
        done = subprocess.run(
            ["gcc", *flags, "-o", folder / "f.so", folder / "f.c", "-lmvec", "-lm"], capture_output=True, text=True
        )
    except FileNotFoundError:
        raise ImportError("gcc") from None
    if done.returncode:
        raise Unknown(done.stderr[:200])
    loop = ctypes.CDLL(str(folder / "f.so"))["all"]
    arrays = [np.ascontiguousarray(points[name]) for name in graph.inputs.values()]
    count = len(arrays[0])
    addresses = (ctypes.c_void_p * inputs)(*[x.ctypes.data for x in arrays])

    def program() -> list[Any]:
        found = [np.empty(count) for _ in range(outputs)]
        loop(ctypes.c_long(count), addresses, (ctypes.c_void_p * outputs)(*[x.ctypes.data for x in found]))
        return found

    program.vectors = "loop vectorized" in done.stderr  # type: ignore[attr-defined]
    return program


ENGINES: dict[str, Callable[[str, Arrays], Program]] = {
    "native": partial(ours, engine="native"),
    "native fast": partial(ours, engine="native", fast=True),
    "numpy": partial(ours, engine="numpy"),
    "heyoka fast_math": partial(heyoka, fast_math=True),
    "heyoka": partial(heyoka, fast_math=False),
    "torch.compile": torch,
    "jax": jax,
    "numba": numba,
    "C": c,
}
OURS = ("native", "native fast", "numpy")


# --- the process ------------------------------------------------------------------------------------------------------


def _seconds(program: Program, seconds: float = 0.0) -> float:
    """Processor time of a call, from as many as fill so many seconds."""
    program()
    calls, start = 0, time.process_time()
    while not calls or time.process_time() - start < seconds:
        program()
        calls += 1
    return (time.process_time() - start) / calls


def main() -> None:
    """Answers questions until there are no more."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for every program
    sys.path += [folder for folder in os.environ.get("RIVALS", "").split(os.pathsep) if folder]
    make = ENGINES[sys.argv[1]]
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # compilers talk
    program: Program | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "prepare" in asked:
            told = asked["prepare"]
            points = dict(zip(told["names"], np.load(told["points"]), strict=True))
            answer: dict[str, Any] = {}
            start = time.process_time()
            try:
                program = make(told["text"], points)
                columns = [np.asarray(x) for x in program()]
            except ImportError as error:
                answer["missing"] = str(error)
            except Exception as error:  # what another program cannot do is told
                answer["unable"] = f"{type(error).__name__}: {error}"[:200]
            else:
                answer["first"] = time.process_time() - start
                answer["columns"] = [
                    np.broadcast_to(x, len(points[told["names"][0]]))[:SHOWN].tolist() for x in columns
                ]
                answer["vectors"] = getattr(program, "vectors", None)
        else:
            answer = {"seconds": _seconds(program, asked["run"])} if program is not None else {}
        said.write(json.dumps(answer) + "\n")
        said.flush()


if __name__ == "__main__":
    main()
