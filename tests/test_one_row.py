"""Adding a function is one row and nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running import copy_tree

import adcli

pytestmark = pytest.mark.slow

PACKAGE = Path(adcli.__file__).resolve().parent
TESTS = Path(__file__).resolve().parent
CHECKOUT = TESTS.parent

# Of one, two and any number of arguments, with a rule that is a `def`, a domain and kinks.
PLANTED = """
declare(
    "cheapsign",
    value=lambda m, x: x / (1 + m.abs(x)),
    partials=(lambda m, z, x: 1 / ((1 + m.abs(x)) * (1 + m.abs(x))),),
    sample=(0.2, 3.0),
    summary="x/(1 + |x|), a cheap sigmoid",
)


def _times_its_logarithm(m: Arithmetic[Operand], x: Operand) -> Operand:
    return x * m.log(x)


declare(
    "plogp",
    value=_times_its_logarithm,
    partials=(lambda m, z, x: 1 + m.log(x),),
    domain=Check(lambda m, x: x > 0, "plogp needs a positive argument", "{0} > 0"),
    sample=(0.5, 3.0),
    summary="x times its logarithm",
)
declare(
    "hinge",
    value=lambda m, x: m.max(1 - x, 0),
    partials=(lambda m, z, x: -m.choose(m.lt(x, 1), m.one, m.zero),),
    smooth=Kink(lambda m, x: x != 1, "hinge has a corner at 1", sides=(-1, 0)),
    sample=(0.1, 0.9),
    continued=False,
    summary="max(1 - x, 0), the loss of classifiers",
)
declare(
    "harmonic",
    value=lambda m, a, b: 2 * a * m.div(b, a + b),
    partials=(
        lambda m, z, a, b: 2 * m.div(b, a + b) * m.div(b, a + b),
        lambda m, z, a, b: 2 * m.div(a, a + b) * m.div(a, a + b),
    ),
    domain=Check(lambda m, a, b: a + b != 0, "harmonic needs arguments that do not cancel", "{0} + {1} != 0"),
    sample=((0.2, 3.0), (0.5, 2.0)),
    summary="harmonic mean of two numbers",
)


def _root_of_squares(m: Arithmetic[Operand], *xs: Operand) -> Operand:
    total = m.zero
    for x in xs:
        total = total + x * x
    return m.sqrt(total)


def _shares_of_norm(m: Arithmetic[Operand], z: Operand, *xs: Operand) -> list[Operand | float]:
    return [m.div(x, z) for x in xs]


def _off_the_origin(m: Arithmetic[Operand], *xs: Operand) -> Comparison:
    found = xs[0] != 0
    for x in xs[1:]:
        found = found | (x != 0)
    return found


def _flat(m: Arithmetic[Operand], *xs: Operand) -> float:
    return 0


declare(
    "euclid",
    value=_root_of_squares,
    partials=_shares_of_norm,
    smooth=Kink(_off_the_origin, "euclid has a tip at the origin", sides=(-1, 1), slope=_flat),
    sample=((0.2, 1.0), (0.5, 2.0), (1.0, 3.0)),
    slopes="each argument over the norm",
    least=2,
    continued=False,
    summary="root of the sum of squares",
)
"""
# This one, and those that plant faults in checkouts of their own.
NOT_BY_ROW = ("test_one_row.py", "test_planted_faults.py")
KNOWN_TYPES = [".mypy_cache"] if (CHECKOUT / ".mypy_cache").is_dir() else []
NAMES = ("cheapsign", "plogp", "hinge", "harmonic", "euclid")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout with rows more, and nothing else."""
    folder = tmp_path_factory.mktemp("house")
    copy_tree(PACKAGE, folder / "adcli")
    grammar = next(path for path in (PACKAGE / "grammar", PACKAGE.parent / "grammar") if path.is_dir())
    copy_tree(grammar, folder / "grammar")
    for name in ("tests", "samples", ".ci", ".github", *KNOWN_TYPES):
        copy_tree(CHECKOUT / name, folder / name)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(CHECKOUT / name, folder / name)
    table = folder / "adcli" / "table" / "functions.py"
    table.write_text(table.read_text(encoding="utf-8") + PLANTED, encoding="utf-8")
    return folder


def environment(house: Path) -> dict[str, str]:
    """The environment of processes that find the package and the helpers of tests in the copy."""
    path = os.pathsep.join([str(house), str(house / "tests")])
    return os.environ | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}


def run(house: Path, *arguments: str) -> str:
    """What Python prints in the copy, standard output alone; it must succeed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=house, env=environment(house), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr or done.stdout[-2000:]
    return done.stdout


# All command lines run in one process of the copy, since each would import the whole package. They come in as lists in
# JSON, one a line; what is printed for `kernels` are the values and gradients of an expression by both engines.
PROCESS = """
import json, sys
import adcli, numpy, running

def kernels(expression, **at):
    found = []
    for engine in ("numpy", "native"):
        kernel = adcli.parse(expression).kernel(engine)
        value, gradient = kernel(**{name: numpy.array([float(x)]) for name, x in at.items()})
        found.append([float(value[0]), {name: float(slope[0]) for name, slope in gradient.items()}])
    return 0, json.dumps(found), ""

print(json.dumps(adcli.__file__), flush=True)
for line in sys.stdin:
    first, *rest = json.loads(line)
    named = dict(pair.split("=") for pair in rest[-1].split(",")) if first == "kernels" else {}
    print(json.dumps(kernels(rest[0], **named) if named else running.run(first, *rest)), flush=True)
"""


@pytest.fixture(scope="module")
def command(house: Path) -> Iterator[Callable[..., str]]:
    """A function that runs a command line in the copy and returns its standard output; it must succeed."""
    with subprocess.Popen(
        [sys.executable, "-c", PROCESS], cwd=house, env=environment(house),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        assert house / "adcli" / "__init__.py" == Path(json.loads(child.stdout.readline()))

        def ask(*argv: str) -> str:
            print(json.dumps(argv), file=child.stdin, flush=True)
            code, out, err = json.loads(child.stdout.readline())
            assert 0 == code, err or out[-2000:]
            return str(out)

        yield ask
        child.stdin.close()


def test_copy_is_what_runs(house: Path) -> None:
    where = run(house, "-c", "import adcli; print(adcli.__file__)").strip()
    assert house / "adcli" / "__init__.py" == Path(where)


def test_function_is_unknown_before_its_row_is_there() -> None:
    with pytest.raises(adcli.AdcliError, match="cheapsign"):
        adcli.parse("cheapsign(x)")
    with pytest.raises(AttributeError):
        adcli.cheapsign  # noqa: B018 - asking is the test


@pytest.mark.parametrize("mode", ["forward", "reverse", "both"])
@pytest.mark.parametrize(("x", "value", "slope"), [("-3", -1.5, 0.125), ("1", 1.0, 0.5), ("0", 0.0, 2.0)])
def test_new_function_is_evaluated_and_differentiated(
    command: Callable[..., str], mode: str, x: str, value: float, slope: float
) -> None:
    trace = json.loads(command("eval", "cheapsign(x)*2", "--at", f"x={x}", "--mode", mode, "--format", "json"))
    (output,) = trace["outputs"]
    assert (value, {"x": slope}) == (output["value"], output["gradient"])
    assert ["input", "cheapsign", "mul"] == [node["operator"] for node in trace["nodes"]]
    if mode != "reverse":
        assert [{"x": 1.0}, {"x": slope / 2}, {"x": slope}] == [node["dot"] for node in trace["nodes"]]
    if mode != "forward":
        assert [{"y": slope}, {"y": 2.0}, {"y": 1.0}] == [node["bar"] for node in trace["nodes"]]


@pytest.mark.slow
def test_new_function_is_in_the_list_of_functions(command: Callable[..., str]) -> None:
    table = command("functions", "cheapsign")
    assert "cheapsign(x)" in table
    assert "a cheap sigmoid" in table
    (row,) = json.loads(command("functions", "cheapsign", "--format", "json"))["functions"]
    assert ("cheapsign", 1, "cheapsign(x)") == (row["name"], row["arity"], row["call"])
    assert "cheapsign" in command("functions")


def test_new_function_is_written_and_read_back(house: Path) -> None:
    program = """
import json, adcli
e = adcli.parse("2 cheapsign x + cheapsign(x)^2")
again = adcli.parse(e.text)
x = adcli.Node(-3.0)
y = adcli.mul(adcli.cheapsign(x), 2.0)
adcli.reverse(y)
print(json.dumps([e.text, again.text, e.latex, e.value({"x": -3}), again.gradient({"x": -3}), x.partial_derivative]))
"""
    text, again, latex, value, gradient, slope = json.loads(run(house, "-c", program))
    assert "2*cheapsign(x) + cheapsign(x)^2" == text == again
    assert r"2\operatorname{cheapsign} x" in latex
    # s = -3/4 and s' = 1/16: 2 s + s^2 and 2 s' + 2 s s'
    assert (-1.5 + 0.5625, {"x": 0.125 - 0.09375}) == (value, gradient)
    assert 0.125 == slope


def test_new_function_is_suggested_for_a_slip_of_the_pen(house: Path) -> None:
    program = """
import adcli
try:
    adcli.parse("cheapsing(x)")
except adcli.AdcliError as error:
    print(error.label)
"""
    assert "did you mean cheapsign?" == run(house, "-c", program).strip()


@pytest.mark.parametrize(
    ("call", "at", "value", "gradient"),
    [
        ("plogp(x)*2", "x=1", 0.0, {"x": 2.0}),
        ("hinge(x)^2", "x=-1", 4.0, {"x": -4.0}),
        ("harmonic(x, y)", "x=1,y=3", 1.5, {"x": 1.125, "y": 0.125}),
        ("euclid(x, y)", "x=3,y=4", 5.0, {"x": 0.6, "y": 0.8}),
        ("euclid(x, y, 2)", "x=1,y=2", 3.0, {"x": 1 / 3, "y": 2 / 3}),
    ],
)
def test_new_functions_are_known_to_every_mode_to_formulas_kernels_and_marking(
    house: Path, command: Callable[..., str], call: str, at: str, value: float, gradient: dict[str, float]
) -> None:
    for mode in ("forward", "reverse", "both"):
        trace = json.loads(command("eval", call, "--at", at, "--mode", mode, "--format", "json"))
        (output,) = trace["outputs"]
        assert (value, gradient) == (output["value"], pytest.approx(output["gradient"], rel=1e-15, abs=0))
    table = command("eval", call, "--at", at, "--places", "12")
    (house / "answer.txt").write_text(table, encoding="utf-8")
    report = command("check", "answer.txt", "--problem", f"{call} @ {at}", "--format", "json")
    assert '"error"' not in report  # and its exit code is 0: right
    assert "tabular" in command("eval", call, "--at", at, "--format", "latex")
    for computed, slopes in json.loads(command("kernels", call, at)):
        assert (value, gradient) == (pytest.approx(computed, rel=1e-15, abs=0), pytest.approx(slopes, rel=1e-15, abs=0))


@pytest.mark.slow
def test_tests_that_go_over_the_table_take_new_rows_as_they_are(house: Path) -> None:
    files = [
        path.name
        for path in sorted((house / "tests").glob("test_*.py"))
        if re.search(r"ROWS|rule_checks", path.read_text(encoding="utf-8")) and path.name not in NOT_BY_ROW
    ]
    said = run(
        house, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "-k", " or ".join(NAMES),
        *[f"tests/{name}" for name in files],
    )  # fmt: skip
    found = re.search(r"(\d+) passed", said)
    assert found is not None
    assert int(found[1]) >= 25 * len(NAMES)
    assert "failed" not in said


def test_new_rows_pass_the_type_checker(house: Path) -> None:
    pytest.importorskip("mypy")
    run(house, "-m", "mypy", "adcli/table")


def test_new_row_brings_its_own_tests(house: Path) -> None:
    program = """
import json, rule_checks
from adcli.table.primitive import ROWS
row = ROWS["cheapsign"]
print(json.dumps({
    "complaints": rule_checks.all_complaints(row),
    "points": len(rule_checks.sampled_points(row)) + len(rule_checks.points_beyond(row)),
}))
"""
    answer = json.loads(run(house, "-c", program))
    assert [] == answer["complaints"]
    assert answer["points"] >= 15


@pytest.mark.slow
def test_wrong_row_is_caught_by_the_tests_that_it_brings(house: Path) -> None:
    program = """
import json, rule_checks
from adcli.table.primitive import declare
row = declare("softsine", value=lambda m, x: x / (1 + m.abs(x)), partials=(lambda m, z, x: 1 / (1 + m.abs(x)),),
              sample=(0.2, 3.0), summary="wrong on purpose")
print(json.dumps(rule_checks.all_complaints(row)))
"""
    complaints = json.loads(run(house, "-c", program))
    assert any("dsoftsine" in complaint for complaint in complaints)
