"""Sources in other languages: each is run by what runs that language, and agrees with a kernel at a thousand points."""

from __future__ import annotations

import ctypes
import json
import math
import random
import runpy
import shutil
import sqlite3
import subprocess
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from drawn import examples, usually
from hypothesis import given
from hypothesis import strategies as st
from running import PAPER, run

import adcli
from adcli.cli.options import COMMANDS
from adcli.engine.assignments import Lines, Operation
from adcli.engine.emitter import Emitted
from adcli.numbers.doubles import FLOAT
from adcli.numbers.error_function import erf_by_choice, erfc_by_choice
from adcli.numbers.gamma_functions import gamma_by_choice, log_gamma_by_choice
from adcli.render.targets import TARGETS
from adcli.render.targets.excel import column

POINTS = 1000
EXPRESSIONS = (
    PAPER,
    "x^2*y/(1 + y)",
    "if(x > 0 and y < 1, sqrt(x), log(2 - x))*z",
    "sigmoid(w1*x + b)*tanh(w2*x)",
    "max(x, y, z) + min(x, y)*abs(z)",
    "floor(x)*ceil(y) + round(x*y)",
    "mod(x, y)*x",
    "x^y + x^1 + y^0 - x^-1 + y^3",
    "root(x, 3)*cbrt(y) + root(8, y)",
    "atan2(y, x)*hypot(x, y) + atan2(x, -0.7) - atan2(2, y)",
    "asin(x/9)*acosh(y) + atanh(x)",
    "erf(x)*erfc(y)",
    "erfc(root(x, 2))",
    "expm1(x/1000)*log1p(y/1000)",
    "log2(x) + log10(y) + log(x, 3)",
    "relu(x) + softplus(y) + sign(x)*y + silu(y)",
    "u = x*y; v = exp(u)/x; w = u*v",
    "alpha*β + θ'",
    "lambda*double + out*at",
    "if(exp(x) - exp(y) < 1, hypot(relu(x), relu(y)), exp(exp(x)))",
    "1/tan(x)",
    "x - (y - z) - x/(y/z)*2*-x",
    "sqrt(x^2 - x*x)*y + cbrt(x - x)",
    "a = 3",
    "x",
)
Cells = list[list[float]]


class Posed:
    """An expression with points, and what a kernel says of them, by columns."""

    def __init__(self, text: str, points: list[list[float]] | None = None) -> None:
        self.text = text
        with warnings.catch_warnings(action="ignore"):  # of names that may have been meant as something else
            f = adcli.parse(text)
        draw = random.Random(text)  # noqa: S311
        self.inputs = f.inputs
        drawn = ([_coordinate(draw) for _ in f.inputs] for _ in range(POINTS if f.inputs else 1))
        self.points = points or list(drawn)
        numpy = pytest.importorskip("numpy")
        given = {name: numpy.array([point[k] for point in self.points]) for k, name in enumerate(f.inputs)}
        columns = f.kernel("numpy").examined(given)[0]
        self.columns = list(columns)
        self.expected: Cells = [
            list(row) for row in zip(*[numpy.atleast_1d(c).tolist() for c in columns.values()], strict=True)
        ]

    def source(self, language: str) -> str:
        found = run("compile", self.text, "--to", language)
        assert found.code == 0, found.err
        return found.out

    def agrees(self, found: Sequence[Sequence[float | None]]) -> None:
        """What has no value has none; other numbers differ by rounding.  SQL may have NULL for what is infinite."""
        assert len(found) == len(self.points)
        for point, row, expected in zip(self.points, found, self.expected, strict=True):
            for name, x, y in zip(self.columns, row, expected, strict=True):
                same = (x is None and math.isinf(y)) or _near(math.nan if x is None else x, y)
                assert same, (name, dict(zip(self.inputs, point, strict=True)), x, y)


def _coordinate(draw: random.Random) -> float:
    return draw.choice([draw.uniform(-3, 3), draw.uniform(0, 2), draw.uniform(-30, 30)])


def _near(x: float, y: float) -> bool:
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    return x == y or abs(x - y) <= 1e-9 * max(1, abs(y)) or min(abs(x), abs(y)) > 1e290


posed = pytest.mark.parametrize("text", EXPRESSIONS)


def _by_c(problem: Posed, folder: Path) -> Cells:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    (folder / "gradient.c").write_text(problem.source("c"))
    options = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-shared", "-fPIC"]
    command = [compiler, *options, "-o", str(folder / "gradient.so"), str(folder / "gradient.c"), "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    function = ctypes.CDLL(str(folder / "gradient.so")).value_and_gradient
    found = []
    for point in problem.points:
        out = (ctypes.c_double * len(problem.columns))()
        function((ctypes.c_double * max(len(point), 1))(*point), out)
        found.append(list(out))
    return found


def _by_numpy(problem: Posed, folder: Path) -> Cells:
    numpy = pytest.importorskip("numpy")
    (folder / "gradient.py").write_text(problem.source("numpy"))
    function = runpy.run_path(str(folder / "gradient.py"))["value_and_gradient"]
    arrays = [numpy.array([point[k] for point in problem.points]) for k in range(len(problem.inputs))]
    results = function(*arrays)
    assert all(result.shape == (len(problem.points),) for result in results) or not problem.inputs
    return [list(row) for row in zip(*[numpy.atleast_1d(result).tolist() for result in results], strict=True)]


def _by_javascript(problem: Posed, folder: Path) -> Cells:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    ask = f"console.log(JSON.stringify({json.dumps(problem.points)}.map(p => value_and_gradient(...p).map(String))))"
    (folder / "gradient.js").write_text(problem.source("javascript") + ask)
    asked = subprocess.run([node, str(folder / "gradient.js")], capture_output=True, text=True, check=True)
    return [[float(x.replace("Infinity", "inf")) for x in row] for row in json.loads(asked.stdout)]


def _by_sqlite(problem: Posed, folder: Path) -> Cells:
    tables = sqlite3.connect(":memory:")
    try:
        tables.execute("SELECT sinh(1.0)")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite has no mathematical functions")
    names = problem.inputs or ["nothing"]
    tables.execute(f"CREATE TABLE points({', '.join(f'{chr(34)}{name}{chr(34)} REAL' for name in names)})")
    rows = problem.points if problem.inputs else [[0.0]]
    tables.executemany(f"INSERT INTO points VALUES({', '.join('?' * len(names))})", rows)
    asked = tables.execute(problem.source("sql"))
    assert [described[0] for described in asked.description] == problem.columns
    return [list(row) for row in asked.fetchall()]


def _by_duckdb(problem: Posed, folder: Path) -> Cells:
    duckdb, arrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    rows = list(zip(*problem.points, strict=True)) if problem.inputs else [[0.0]]
    tables = duckdb.connect()
    tables.register("points", arrow.table([list(row) for row in rows], names=problem.inputs or ["nothing"]))
    return [list(row) for row in tables.execute(problem.source("sql")).fetchall()]


def _by_polars(problem: Posed, folder: Path) -> Cells:
    polars = pytest.importorskip("polars")
    (folder / "gradient.py").write_text(problem.source("polars"))
    function = runpy.run_path(str(folder / "gradient.py"))["value_and_gradient"]
    names = problem.inputs or ["nothing"]
    rows = list(zip(*problem.points, strict=True)) if problem.inputs else [[0.0]]
    frame = polars.DataFrame({name: list(row) for name, row in zip(names, rows, strict=True)})
    found = frame.select(function(*map(polars.col, problem.inputs)))
    assert found.columns == problem.columns
    return [list(row) for row in found.rows()]


RUNNERS: dict[str, Callable[[Posed, Path], Cells]] = {
    "c": _by_c, "numpy": _by_numpy, "javascript": _by_javascript, "sqlite": _by_sqlite, "duckdb": _by_duckdb,
    "polars": _by_polars,
}  # fmt: skip


# Each expression in a third of the languages, in turn.
IN_TURN = [
    (text, runner)
    for k, text in enumerate(EXPRESSIONS)
    for runner in [*RUNNERS][k % usually(3, thoroughly=1) :: usually(3, thoroughly=1)]
]


@pytest.mark.parametrize(("text", "runner"), IN_TURN)
def test_sources_agree_with_kernels_domains_included(text: str, runner: str, tmp_path: Path) -> None:
    problem = Posed(text)
    problem.agrees(RUNNERS[runner](problem, tmp_path))


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("asin(x/9)*acosh(y)", [0, 1]),  # an infinite slope, times a 0 that does not depend on y
        ("x*sqrt(y) + z", [0, 0, 3]),
        ("abs(x)*y*cbrt(z)", [0, 2, 0]),
        ("if(x >= 0, x^0.3, 0)*y", [0, 0]),
        ("x*sqrt(y)", [2, 0]),
        ("sqrt(x)*sqrt(y)", [0, 0]),  # no tangent plane, but slopes along the inputs
        ("sqrt(x^2)", [0]),
        ("erf(x)*acos(y) + abs(z)", [0, 1, 0]),
    ],
)
def test_sources_agree_with_kernels_at_vertical_slopes(text: str, point: list[float], tmp_path: Path) -> None:
    problem = Posed(text, [point])
    problem.agrees(_by_numpy(problem, tmp_path))


# --- a small reader of the formulas that are written for cells, so that they are worked out too ---


def _cells(text: str) -> dict[str, str]:
    names, formulas = text.removesuffix("\n").split("\n")
    assert len(names.split("\t")) == len(formulas.split("\t"))
    return {column(k) + "2": formula for k, formula in enumerate(formulas.split("\t"))}


@pytest.mark.parametrize(
    "text", [PAPER, "x^2*y/(1 + y)", "max(x, y)*exp(-x)", "atan2(y, x)", "if(x > 0, sqrt(x), y^2)"]
)
def test_cells_agree_with_the_trace(text: str) -> None:
    formulas = pytest.importorskip("formulas")
    problem = Posed(text)
    cells = _cells(problem.source("excel"))
    for point, expected in list(zip(problem.points, problem.expected, strict=True))[:20]:
        known: dict[str, object] = {column(k) + "2": x for k, x in enumerate(point)}
        for name, formula in cells.items():
            if formula:
                compiled = formulas.Parser().ast(formula)[1].compile()
                known[name] = compiled(*[known[given] for given in compiled.inputs])
        found = list(known.values())[-len(expected) :]
        for x, y in zip(found, expected, strict=True):
            try:
                number = float(x)  # type: ignore[arg-type]
            except (TypeError, ValueError):
                number = math.nan
            assert _near(number, y), (point, x, y)


def test_cells_stand_in_two_rows_inputs_first_and_results_last() -> None:
    names, formulas = run("compile", "x*y", "--to", "excel").out.splitlines()
    assert names.split("\t") == ["x", "y", "v1", "y", "dy_dx", "dy_dy"]
    assert formulas.split("\t") == ["", "", "=A2*B2", "=C2", "=B2", "=A2"]


@given(st.integers(0, 20_000))
@examples(200)
def test_columns_of_a_sheet_count_in_letters(position: int) -> None:
    number = 0
    for letter in column(position):
        number = number * 26 + ord(letter) - ord("A") + 1
    assert number == position + 1


# --- what a source looks like -----------------------------------------------------------------------------------------


def test_the_paper_s_rows_have_their_names() -> None:
    found = run("compile", PAPER, "--to", "javascript").out
    assert found.splitlines()[2:8] == [
        "function value_and_gradient(x1, x2) {",
        "  const v1 = Math.log(x1);",
        "  const v2 = x1 * x2;",
        "  const v3 = Math.sin(x2);",
        "  const v4 = v1 + v2;",
        "  const v5 = v4 - v3;",
    ]


def test_names_of_the_program_and_adjoints_are_kept() -> None:
    found = run("compile", "u = sin(x)*x; exp(u)*u", "--to", "numpy").out
    assert "    u = v1 * x" in found.replace("x * v1", "v1 * x")
    assert "    u_bar = " in found
    found = run("compile", "u = sin(x)*x; p = exp(u)*u; q = u^3*sin(u); p; q", "--to", "numpy").out
    assert "    p_u_bar = " in found and "    q_u_bar = " in found


@pytest.mark.parametrize("language", TARGETS)
def test_words_of_the_language_are_no_names(language: str, tmp_path: Path) -> None:
    problem = Posed("if_*lambda + double*null + x*out + np*pl*_Bool*M_PI*__LINE__")
    assert problem.source(language)
    runner = {"sql": "sqlite", "excel": None}.get(language, language)
    if runner:
        problem.agrees(RUNNERS[runner](problem, tmp_path))


@pytest.mark.parametrize("language", TARGETS)
def test_nothing_of_a_text_leaves_its_comment(language: str) -> None:
    found = run("compile", "-", "--to", language, stdin="x*y # */ system('rm') \\\\ \u2028 ??/")
    assert found.code == 0
    assert not any(sign in found.out for sign in ("\u2028", "\\", "??/"))
    lines = [line for line in found.out.splitlines() if "system" in line]
    assert all(line.startswith(("//", "--", "#")) for line in lines)


def test_sources_are_written_into_files_too(tmp_path: Path) -> None:
    assert run("compile", PAPER, "--to", "c", "-o", str(tmp_path / "g.c")).code == 0
    assert (tmp_path / "g.c").read_text() == run("compile", PAPER, "--to", "c").out


def test_what_a_language_cannot_have_is_refused_by_name() -> None:
    assert "SQL reads x and X as the same name" in run("compile", "x*X", "--to", "sql").err
    assert "cannot translate the function polygamma to C" in run("compile", "polygamma(2, x)", "--to", "c").err
    squared = "; ".join(["u0 = x*x + x", *[f"u{k + 1} = u{k}*u{k} + u{k}" for k in range(30)]])
    assert "again and again" in run("compile", squared, "--to", "polars").err
    assert all(run("compile", "lgamma(x)", "--to", name).code == 0 for name in ("c", "numpy", "javascript"))
    assert run("compile", squared, "--to", "numpy").code == 0
    assert "the target language is missing" in run("compile", "x").err
    assert "there is no" in (found := run("compile", "x", "--to", "fortran")).err or "fortran" in found.err
    assert "takes one problem" in run("compile", "-", "--to", "c", stdin="x\ny").err
    assert "too long" in run("compile", "+".join(["sin(x)*y"] * 9000), "--to", "c").err


def test_the_command_is_known() -> None:
    assert "compile" in COMMANDS


# --- functions that languages lack ------------------------------------------------------------------------------------


@given(st.floats(-27, 27))
@examples(300)
def test_error_functions_by_choice_have_their_digits(x: float) -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        for found, exact in ((erf_by_choice(FLOAT, x), mpmath.erf(x)), (erfc_by_choice(FLOAT, x), mpmath.erfc(x))):
            assert abs(found - exact) <= 8 * math.ulp(float(exact))


@pytest.mark.parametrize(("text", "x", "y"), [("expm1(x)", -1e300, -1.0), ("log1p(x)", 1e300, math.log(1e300))])
def test_functions_that_a_language_lacks_have_their_values_far_out(text: str, x: float, y: float) -> None:
    tables = sqlite3.connect(":memory:")
    try:
        tables.execute(f'CREATE TABLE points AS SELECT {x!r} AS x, sinh(1.0) AS "the other"')
    except sqlite3.OperationalError:
        pytest.skip("this SQLite has no mathematical functions")
    (row,) = tables.execute(run("compile", text, "--to", "sql", "--carry", "x, the other").out).fetchall()
    assert row[:3] == (x, math.sinh(1), pytest.approx(y, rel=1e-15, abs=0))


def test_each_number_has_a_test_of_its_own_whether_it_is_finite() -> None:
    m = Lines((), "a language")
    numbers = [Emitted(m, Operation("input", (), False)) for _ in range(300)]
    differences = [x - x for x in numbers]
    conditions = [difference < 1 for difference in differences]  # with objects whose memory is used again
    assert [x.value for x in numbers] == [condition.value.arguments[0] for condition in conditions]


def test_factorials_are_whole_numbers() -> None:
    assert [math.factorial(n - 1) for n in range(1, 16)] == [gamma_by_choice(FLOAT, float(n)) for n in range(1, 16)]


@given(st.floats(-30, 170).filter(lambda x: abs(x - round(x)) > 1e-6 or x > 0.5))
@examples(300)
def test_gamma_by_choice_has_its_digits(x: float) -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        exact = mpmath.gamma(x)
        assert abs(gamma_by_choice(FLOAT, x) / exact - 1) < 1e-13 * max(1, abs(x) / 50)
        logarithm = mpmath.log(abs(exact))
        assert abs(log_gamma_by_choice(FLOAT, x) - logarithm) < 2e-13 * max(1, abs(logarithm))


@pytest.mark.parametrize("x", [-879.4173, -250.5, -190.5, 172.0, 249.5, 260.0, 900.0, 1e9, math.inf, math.nan])
def test_gamma_by_choice_goes_on_to_the_ends_of_the_range(x: float) -> None:
    expected = 0.0 if x < 0 else math.nan if x != x else math.inf
    assert str(expected) == str(abs(gamma_by_choice(FLOAT, x)))
