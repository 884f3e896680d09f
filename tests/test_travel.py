"""Objects that travel: expressions, kernels, traces, errors and derivatives in pickles, copies, sets and processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from running import PAPER, environment
from test_points_program import graph_of

import adcli
from adcli.errors import AdcliError, RequestError, Source
from adcli.graph import graph as graphs
from adcli.language.problems import read_point
from adcli.numbers.doubles import FLOAT
from adcli.python import grad, hessian, jacobian, sin, value_and_grad
from adcli.table.primitive import ROWS
from adcli.trace.trace_model import Trace
from adcli.trace.trust.verify import verify_trace

POINT = {"x1": 2.0, "x2": 5.0}
SEVERAL = "a = x1*x2; a + sin(a); if(x1 > 1, log(x1), 2*pi); max(x2, x1)^2"
PROGRAMS = ["0.5*x^2 + 1e3", "x10 + x2*x1", "f(a) = a*a; f(x1 + 1)", "s = sum(i, 1, 4, x1^i); p = s/2", SEVERAL, PAPER]


def again(x: Any) -> Any:
    """What comes of a pickle."""
    return pickle.loads(pickle.dumps(x))  # noqa: S301 - it was made on this line


def product(x: float, y: float) -> float:
    return x * y + sin(x)


def steep(x: float) -> float:
    return abs(x)


def slope(point: dict[str, float]) -> float:
    return EXPRESSION.gradient(point)["x1"]


EXPRESSION = adcli.parse(PAPER)


@pytest.mark.parametrize("text", PROGRAMS)
def test_an_expression_is_the_same_on_the_other_side(text: str) -> None:
    e = adcli.parse(text)
    point = dict.fromkeys(e.inputs, 1.5)
    for other in (again(e), copy.copy(e), copy.deepcopy(e), adcli.parse(e.text, e.inputs)):
        assert (e, hash(e)) == (other, hash(other))
        assert (e.text, e.inputs, e.outputs, e.latex) == (other.text, other.inputs, other.outputs, other.latex)
        assert e.jacobian(point) == other.jacobian(point)
    assert e.trace(point) == again(e).trace(point)


def test_expressions_are_equal_by_what_they_mean_and_not_by_how_they_are_written() -> None:
    same = [("x^2 + ln(y)", "x**2+log(y)"), ("2x", "2 * x"), ("0.50*x", "0.5 x"), ("a = x+1; a*a", "b = x+1; b*b")]
    other = [("x*y", "y*x"), ("x + 1", "x + 2"), ("x", "y"), ("y1 = x", "f = x"), ("x+1", "x+1; x"), ("x*pi", "x*3")]
    for left, right in same:
        assert {adcli.parse(left)} == {adcli.parse(right)}
    for left, right in other:
        assert adcli.parse(left) != adcli.parse(right)
    assert adcli.parse("0", ["x"]) != adcli.parse("0", ["y"])
    assert adcli.parse("x^2").derivative("x") == adcli.parse("2x")
    assert adcli.parse("x") != "x"


def test_a_derivative_that_travelled_still_knows_of_what_it_is_one() -> None:
    d = adcli.parse("abs(x)*x^2").derivative("x")
    assert d.derivative("x") == again(d).derivative("x")
    assert d.derivative("x").value(x=0.5) == again(d).derivative("x").value(x=0.5)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_kernel_travels_as_what_it_is_of(engine: str) -> None:
    k = EXPRESSION.kernel(engine)
    assert (k, hash(k), k.engine) == (again(k), hash(again(k)), engine)
    assert again(k)(x1=[2.0, 3.0], x2=5.0)[0].tolist() == k(x1=[2.0, 3.0], x2=5.0)[0].tolist()
    assert again(k) is again(k), "it is compiled once for each process"
    assert k != EXPRESSION.kernel(engine, hessian=True) and k != adcli.parse("x1*x2").kernel(engine)
    assert copy.deepcopy(k) == copy.copy(k) == k


@pytest.mark.parametrize("mode", ["value", "forward", "reverse", "both"])
@pytest.mark.parametrize("text", [PAPER, SEVERAL, "abs(x1) + max(x1, x2 - 3)"])
def test_a_trace_says_the_same_on_the_other_side(text: str, mode: str) -> None:
    t = adcli.parse(text).trace(POINT, mode)
    for other in (again(t), copy.copy(t), copy.deepcopy(t)):
        assert (t, hash(t), repr(t), type(t)) == (other, hash(other), repr(other), type(other))
        for form in ("json", "html", "latex", "markdown"):
            assert t.to(form) == other.to(form)
        assert str(t.explain("full")) == str(other.explain("full"))
        assert t.picture().svg == other.picture().svg


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("relu(x) - relu(-x)", {"x": 0.0}),
        ("abs(x)*y + max(x, y)", {"x": 0.0, "y": 0.0}),
        ("abs(3*x - 1)*y", read_point(Source("x=1/3, y=pi/2"))),
        ("sqrt(x)*y", {"x": 0, "y": 2.0}),
    ],
)
def test_what_is_decided_at_kinks_travels_with_a_trace(text: str, at: dict[str, float]) -> None:
    found = adcli.parse(text).trace(at)
    assert found.decision is not None
    for other in (again(found), again(again(found)), copy.deepcopy(found)):
        assert other == found
        assert other.decision is not None and other.decision.graph is other.graph
        told = [re.sub(r" at 0x\w+", "", repr(decision.around)) for decision in (found.decision, other.decision)]
        assert told[0] == told[1]
        assert found.decision[5:] == other.decision[5:]
        assert found.decision.slopes("y", FLOAT) == other.decision.slopes("y", FLOAT)
        assert verify_trace(found).verified == verify_trace(other).verified


def test_a_trace_with_the_decision_of_another_is_an_error() -> None:
    found, other = adcli.parse("abs(x)").trace({"x": 0.0}), adcli.parse("abs(x) + x").trace({"x": 0.0})
    for decision in (other.decision, "smooth"):
        with pytest.raises(RequestError, match="not a pickle of a trace"):
            again(found._replace(decision=decision))


def test_a_trace_is_another_one_at_another_point_or_in_another_mode() -> None:
    t = EXPRESSION.trace(POINT)
    others = (EXPRESSION.trace(POINT, "reverse"), EXPRESSION.trace(x1=2, x2=6), adcli.parse("x1*x2").trace(POINT))
    assert t == EXPRESSION.trace(x1=2, x2=5) and all(t != other for other in others)
    assert len({t, EXPRESSION.trace(POINT), *others}) == 4


def test_the_trace_of_a_function_travels() -> None:
    t = adcli.trace(product, {"x": 2.0, "y": 3.0})
    assert (t, t.lines) == (again(t), again(t).lines)


ASKED: list[tuple[str, dict[str, float]]] = [
    ("log(", {}), ("foo(x)", {}), ("sin(x, y)", {}), ("(x", {}), ("log(x)", {"x": -1.0}), ("x+y", {"x": 1.0}),
]  # fmt: skip


def raised(text: str, at: dict[str, float]) -> AdcliError:
    with pytest.raises(AdcliError) as found:
        adcli.parse(text).value(at)
    return found.value


@pytest.mark.parametrize(("text", "at"), ASKED)
def test_an_error_says_the_same_on_the_other_side(text: str, at: dict[str, float]) -> None:
    error = raised(text, at)
    for other in (again(error), copy.copy(error), copy.deepcopy(error), raised(text, at)):
        assert (error, hash(error), str(error)) == (other, hash(other), str(other))
        assert (error.as_dict(), error.exit_code) == (other.as_dict(), other.exit_code)
    assert error != raised("foo(y)", {})


def test_every_class_of_errors_travels() -> None:
    classes, seen = [AdcliError], set()
    while classes:
        kind = classes.pop()
        classes += kind.__subclasses__()
        error = kind.__new__(kind, "it is so")
        AdcliError.__init__(error, "it is so", help="do this")
        assert again(error) == error
        seen.add(kind)
    assert len(seen) > 5


DERIVED = [
    grad(product), grad(product, 1), grad(product, (0, 1), kinks="error"), grad(grad(product)), value_and_grad(product),
    hessian(product), jacobian(product), grad(sin), grad(adcli.python.tanh),  # type: ignore[attr-defined]
]  # fmt: skip


@pytest.mark.parametrize("made", DERIVED, ids=str)
def test_a_derivative_of_a_function_travels_with_it(made: Any) -> None:
    numbers = (0.5, 2.0) if "product" in made.__name__ else (0.5,)
    for other in (again(made), copy.copy(made), copy.deepcopy(made)):
        assert (made, hash(made), made.__name__, made(*numbers)) == (
            other,
            hash(other),
            other.__name__,
            other(*numbers),
        )


def test_derivatives_are_equal_by_what_they_are_of() -> None:
    assert grad(product, [0, 1]) == grad(product, (0, 1))
    assert len({grad(product), grad(product, 1), grad(steep), jacobian(product), grad(product, kinks="error")}) == 5


def test_functions_of_the_table_travel_by_their_names() -> None:
    from adcli import python

    for name in ("sin", "ln", "arctan", "log"):
        for room in (adcli, python):
            assert getattr(room, name) is again(getattr(room, name))


def test_a_fresh_interpreter_reads_them_all() -> None:
    whole = (EXPRESSION, EXPRESSION.kernel("numpy"), EXPRESSION.trace(POINT), raised("log(x)", {"x": -1.0}), grad(sin))
    told = subprocess.run(
        [sys.executable, "-c", _READ], input=pickle.dumps(whole), capture_output=True, env=environment(), check=True
    ).stdout.decode()
    assert told.splitlines() == [
        EXPRESSION.text, "11.652071455223084", repr(whole[2]).splitlines()[0], str(whole[3]).splitlines()[0],
        repr(grad(sin)(0.5)),
    ]  # fmt: skip


_READ = """
import pickle, sys
e, k, t, error, g = pickle.load(sys.stdin.buffer)
for x in (e.text, float(k(x1=2.0, x2=5.0)[0]), repr(t).splitlines()[0], str(error).splitlines()[0], g(0.5)):
    print(x)
"""


def test_a_function_that_nobody_has_declared_there_is_an_error_that_says_so() -> None:
    declared = "import adcli, pickle, sys; adcli.declare('twice', value=lambda m, x: x + x, "
    declared += "partials=(lambda m, z, x: 2,)); sys.stdout.buffer.write(pickle.dumps(adcli.parse('twice(x)')))"
    state = subprocess.run([sys.executable, "-c", declared], capture_output=True, env=environment(), check=True).stdout
    with pytest.raises(RequestError, match="there is no function called twice in this process"):
        pickle.loads(state)  # noqa: S301 - it was made above


# --- states that nobody has made ---


def mended(state: tuple[Any, ...], place: int, with_: object) -> tuple[Any, ...]:
    return (*state[:place], with_, *state[place + 1 :])


GRAPH = EXPRESSION.kernel("numpy")._graph.pack()
COUNT = len(GRAPH[0])  # type: ignore[arg-type]
WRONG = [
    (), (1,), GRAPH[:-1], (*GRAPH, 1), (None,) * 8, ("x",) * 8, (-1,) * 8, ([[]],) * 8,
    mended(GRAPH, 0, ("nothing",) * COUNT), mended(GRAPH, 0, ()), mended(GRAPH, 0, (["sin"],) * COUNT),
    mended(GRAPH, 1, ((COUNT,),) * COUNT), mended(GRAPH, 1, ((-1,),) * COUNT), mended(GRAPH, 1, ((0.0,),) * COUNT),
    mended(GRAPH, 1, ()), mended(GRAPH, 2, ((5, 2),) * COUNT), mended(GRAPH, 2, (("a", "b"),) * COUNT),
    mended(GRAPH, 3, 10**15), mended(GRAPH, 3, b"\7" * COUNT), mended(GRAPH, 4, ((0, "nan", False),)),
    mended(GRAPH, 4, ((0, "1e99999", False),)), mended(GRAPH, 4, ((0, "__import__", True),)),
    mended(GRAPH, 5, ()), mended(GRAPH, 5, ((0, "x"), (1, "x"))), mended(GRAPH, 5, ((0, 1), (1, 2))),
    mended(GRAPH, 6, (("y", COUNT),)), mended(GRAPH, 7, ((-3, "a"),)),
]  # fmt: skip


@pytest.mark.parametrize("state", WRONG, ids=range(len(WRONG)))
def test_a_graph_that_cannot_be_is_an_error(state: tuple[Any, ...]) -> None:
    with pytest.raises(RequestError):
        graphs.unpack(*state)


def test_states_that_nobody_has_made_are_errors() -> None:
    read_expression, (program, *_) = EXPRESSION.__reduce__()
    read_kernel, (columns, *_) = EXPRESSION.kernel("numpy").__reduce__()
    read_trace, (kind, *parts) = EXPRESSION.trace(POINT).__reduce__()
    read_error, (_, args, said) = raised("log(", {}).__reduce__()
    read_derivative, _ = grad(product).__reduce__()
    wrong: list[tuple[Any, tuple[Any, ...]]] = [
        (read_expression, ((), None, ())), (read_expression, (program, None, ("x1",))), (read_expression, (1, 2, 3)),
        (read_expression, (mended(program, 0, ("x", None, 1, "much longer")), None, ())),
        (read_expression, (mended(program, 1, ((1, 2, 3, 4),)), None, ())),
        (read_expression, (mended(program, 4, mended(GRAPH, 6, ())), None, ())),
        (read_kernel, ((), "numpy", False)), (read_kernel, (columns, "fortran", False)), (read_kernel, (columns, 1, 2)),
        (read_kernel, (mended(columns, 0, []), "numpy", False)),
        (read_trace, (dict, *parts)), (read_trace, (kind, *parts[1:])), (read_trace, (kind, *[None] * len(parts))),
        (read_trace, (kind, *mended(tuple(parts), 6, [1, 2]))), (read_trace, (kind, *mended(tuple(parts), 12, []))),
        (read_error, (int, (), {})), (read_error, (AdcliError, (), {})),
        (read_error, (AdcliError, args, {**said, "title": 1})), (read_error, (AdcliError, args, {**said, "span": 1})),
        (read_error, (AdcliError, args, {**said, "notes": None})),
        (read_derivative, (print, product, 0)), (read_derivative, (grad, None, 0)),
    ]  # fmt: skip
    for read, state in wrong:
        with pytest.raises(RequestError):
            read(*state)
    assert isinstance(read_trace(kind, *parts), Trace)


def test_a_pickle_that_was_cut_or_changed_never_gives_an_expression_that_fails_later() -> None:
    whole = pickle.dumps(EXPRESSION)
    for place in range(2, len(whole) - 1):
        for piece in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
            try:
                found = pickle.loads(piece)  # noqa: S301 - it was made above
            except Exception:  # noqa: S112 - pickle has its own words for what it cannot read
                continue
            if isinstance(found, adcli.Expression):
                try:
                    found.value_and_gradient(dict.fromkeys(found.inputs, 1.0))
                except AdcliError:
                    continue


def test_the_package_itself_reads_no_pickles() -> None:
    folder = Path(adcli.__file__).parent
    assert [] == [file for file in folder.rglob("*.py") if re.search(r"import pickle\b", file.read_text("utf-8"))]


# --- processes ---

POINTS = [{"x1": float(k), "x2": 5.0} for k in range(1, 9)]
SLOPES = [1 / k + 5 for k in range(1, 9)]


@pytest.mark.slow
@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_pools_of_processes_work_with_them(start: str) -> None:
    with multiprocessing.get_context(start).Pool(2) as pool:
        assert pytest.approx(SLOPES) == pool.map(slope, POINTS)
        assert pytest.approx(SLOPES) == [x["x1"] for x in pool.map(EXPRESSION.gradient, POINTS)]
        assert [EXPRESSION.trace(p) for p in POINTS] == pool.map(EXPRESSION.trace, POINTS)
        assert list(map(grad(sin), [0.5, 1.5])) == pool.map(grad(sin), [0.5, 1.5])
        columns = pool.map(EXPRESSION.kernel("numpy").columns, POINTS)
        assert pytest.approx(SLOPES) == [float(c["dy_dx1"]) for c in columns]
        with pytest.raises(AdcliError, match="log needs a positive argument"):
            pool.map(slope, [{"x1": -1.0, "x2": 5.0}])


@pytest.mark.slow
def test_joblib_works_with_them(tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    work = [joblib.delayed(EXPRESSION.gradient)(p) for p in POINTS]
    assert pytest.approx(SLOPES) == [x["x1"] for x in joblib.Parallel(n_jobs=2)(work)]
    kept = joblib.Memory(tmp_path, verbose=0).cache(lambda e, p: e.gradient(p))
    assert kept(EXPRESSION, POINT) == kept(adcli.parse(PAPER), POINT)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask_works_with_them() -> None:
    dask = pytest.importorskip("dask")
    bag = pytest.importorskip("dask.bag")
    found = bag.from_sequence(POINTS, npartitions=2).map(EXPRESSION.gradient).compute(scheduler="processes")
    assert pytest.approx(SLOPES) == [x["x1"] for x in found]
    assert dask.base.tokenize(EXPRESSION) == dask.base.tokenize(adcli.parse("log(x1) + x1*x2 - sin(x2)"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_emcee_samples_with_a_pool() -> None:
    emcee = pytest.importorskip("emcee")
    numpy = pytest.importorskip("numpy")
    start = numpy.random.default_rng(1).normal(size=(8, 2))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        sampler = emcee.EnsembleSampler(8, 2, LogDensity(), pool=pool)
        sampler.run_mcmc(start, 5)
    assert numpy.isfinite(sampler.get_log_prob()).all()


class LogDensity:
    """A function of a vector around an expression, as users write it."""

    def __init__(self) -> None:
        self.expression = adcli.parse("-(x1^2 + x1*x2 + x2^2)/2")

    def __call__(self, x: Any) -> float:
        return float(self.expression(x1=x[0], x2=x[1]))


def test_every_row_of_the_table_travels_by_its_name() -> None:
    for row in ROWS.values():
        assert pickle.loads(pickle.dumps(row)) is row  # noqa: S301


@pytest.mark.parametrize("place", [(3, 1), (-1, 2), (0, 1.5), (0.5, 1)])
def test_a_place_that_is_none_is_refused(place: Any) -> None:
    rows, parents, spans, *others = graph_of("sin(x)").pack()
    with pytest.raises(RequestError, match="not a pickle of a graph"):
        graphs.unpack(rows, parents, [place, *spans[1:]], *others)
