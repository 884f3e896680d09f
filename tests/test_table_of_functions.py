"""The table of functions: every row keeps its promises, and a new row is tested by being there."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import mpmath
import pytest
import rule_checks as checks

import adcli.table
from adcli.numbers.doubles import FLOAT
from adcli.table.primitive import ROWS, Primitive, declare, lookup, spellings

every_row = pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))


@every_row
def test_value_in_doubles_is_the_value_in_fifty_digits(row: Primitive) -> None:
    assert [] == checks.value_complaints(row, checks.sampled_points(row))


@every_row
def test_value_is_right_far_from_where_samples_are_drawn(row: Primitive) -> None:
    assert [] == checks.value_complaints(row, checks.points_beyond(row))


@every_row
def test_partials_are_the_slopes_of_the_value(row: Primitive) -> None:
    assert [] == checks.partial_complaints(row, checks.sampled_points(row))


@every_row
def test_partials_are_right_far_from_where_samples_are_drawn(row: Primitive) -> None:
    assert [] == checks.partial_complaints(row, checks.points_beyond(row))


@every_row
def test_partials_read_as_formulas_have_the_right_derivatives(row: Primitive) -> None:
    assert [] == checks.second_order_complaints(row, checks.sampled_points(row))


@every_row
def test_nothing_raises_at_the_extremes(row: Primitive) -> None:
    assert [] == checks.extreme_complaints(row, checks.extreme_points(row))


@every_row
def test_outside_its_domain_a_row_gives_an_error_and_inside_a_value(row: Primitive) -> None:
    assert [] == checks.boundary_complaints(row, checks.extreme_points(row))


@every_row
def test_row_is_complete_and_its_sample_lies_in_its_domain(row: Primitive) -> None:
    assert [] == checks.cell_complaints(row)


@every_row
def test_inverse_leads_back(row: Primitive) -> None:
    assert [] == checks.inverse_complaints(row)


@pytest.mark.parametrize("row", [row for row in ROWS.values() if row.mirrored], ids=lambda row: row.name)
def test_function_of_the_opposite_order_is_as_the_row_says(row: Primitive) -> None:
    for order in (1, 2, 3, 8):
        for x in (0.3, 2.5):
            positive, negative = row.value(FLOAT, float(order), x), row.value(FLOAT, float(-order), x)
            assert negative == row.mirrored**order * positive
            with mpmath.workdps(50):  # by another library, and not by its own law for whole orders
                expected = getattr(mpmath, row.name)(-order + mpmath.mpf("1e-40"), x)
                assert float(expected) == pytest.approx(negative, rel=1e-13, abs=0)


@every_row
def test_row_is_written_in_every_style_and_its_text_reads_back(row: Primitive) -> None:
    assert [] == checks.notation_complaints(row)


judged = sorted(checks.IN_MPMATH)
_LIBRARY = {"log2": lambda x: mpmath.log(x, 2)}  # which older ones lack


@pytest.mark.parametrize("name", judged)
def test_value_is_what_a_library_of_special_functions_says(name: str) -> None:
    row = ROWS[name]
    with mpmath.workdps(30):
        for point in checks.sampled_points(row):
            expected = float(_LIBRARY.get(name, getattr(mpmath.mp, name, None))(*map(mpmath.mpf, point)))
            assert expected == pytest.approx(float(row.value(FLOAT, *point)), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("pow", (-2.0, 3.0), (12.0, None)),
        ("pow", (-2.0, -1.0), (-0.25, None)),
        ("pow", (0.0, 2.0), (0.0, 0.0)),
        ("pow", (0.0, 1.0), (1.0, 0.0)),
        ("pow", (5.0, 0.0), (0.0, mpmath.log(5))),
        ("root", (-8.0, 3.0), (1 / 12, None)),
        ("cbrt", (-8.0,), (1 / 12,)),
        ("sigmoid", (-745.0,), (mpmath.exp(-745),)),
        ("sigmoid", (745.0,), (mpmath.exp(-745),)),
        ("softplus", (-50.0,), (mpmath.exp(-50),)),
        ("softplus", (800.0,), (1.0,)),
        ("tanh", (30.0,), (4 * mpmath.exp(-60),)),
        ("log1p", (1e-20,), (1.0,)),
        ("expm1", (1e-20,), (1.0,)),
        ("atan2", (0.0, 2.0), (0.5, 0.0)),
        ("atan2", (-1.0, 0.0), (0.0, 1.0)),
        ("hypot", (3e200, 4e200), (0.6, 0.8)),
        ("abs", (-3.0,), (-1.0,)),
        ("max", (1.0, 2.0, 2.0), (0.0, 0.5, 0.5)),
        ("min", (1.0, 1.0), (0.5, 0.5)),
        ("if", (0.0, 3.0, 4.0), (0.0, 0.0, 1.0)),
    ],
)
def test_partials_at_points_that_need_care(name: str, point: tuple[float, ...], expected: tuple[object, ...]) -> None:
    row = lookup(name)
    z = float(row.value(FLOAT, *point))
    wanted = tuple(number is not None for number in expected)
    got = row.gradient(FLOAT, z, point, wanted)
    assert [None if e is None else float(e) for e in expected] == [
        None if g is None else pytest.approx(float(g), rel=1e-13, abs=0) for g in got
    ]


@pytest.mark.parametrize(
    ("name", "point", "slope"),
    [
        ("sqrt", (0.0,), float("inf")),
        ("cbrt", (0.0,), float("inf")),
        ("asin", (1.0,), float("inf")),
        ("acos", (-1.0,), float("-inf")),
        ("acosh", (1.0,), float("inf")),
        ("asech", (1.0,), float("-inf")),
        ("pow", (0.0, 0.5), float("inf")),
        ("hypot", (0.0, 0.0), 0.0),
        ("abs", (0.0,), 0.0),
        ("relu", (0.0,), 0.0),
        ("max", (1.0, 1.0), 0.5),
    ],
)
def test_conventions_where_no_derivative_exists(name: str, point: tuple[float, ...], slope: float) -> None:
    row = lookup(name)
    assert not row.kink(0).holds(FLOAT, *point)
    assert slope == row.gradient(FLOAT, row.value(FLOAT, *point), point, (True,) * len(point))[0]


def test_no_two_rows_share_a_name_or_an_alias() -> None:
    words = [word for row in ROWS.values() for word in (row.name, *row.aliases)]
    assert [] == [word for word, times in Counter(words).items() if times > 1]
    assert sorted(words) == sorted(spellings())


def test_a_name_that_is_taken_cannot_be_declared_again() -> None:
    before = list(spellings())
    for name, aliases in (("sin", ()), ("ln", ()), ("brand_new", ("arcsin",))):
        with pytest.raises(ValueError, match="already has a function"):
            declare(name, value=ROWS["neg"].value, partials=ROWS["neg"].partials, aliases=aliases)
    assert before == list(spellings())


def test_registry_cannot_be_written_to() -> None:
    with pytest.raises(TypeError):
        ROWS["sin"] = ROWS["cos"]  # type: ignore[index]


def rules_in(source: str) -> list[ast.Lambda | ast.FunctionDef]:
    """The rules in the cells `value` and `partials` of every row, in limits, and those with a name for a cell."""
    tree = ast.parse(source)
    named = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    found: list[ast.Lambda | ast.FunctionDef] = []
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and "declare" in call.func.id:
            cells = {k.arg: k.value for k in call.keywords if k.arg in ("value", "partials")}
            found += [node for cell in cells.values() for node in ast.walk(cell) if isinstance(node, ast.Lambda)]
            if isinstance(cells.get("partials"), ast.Name):  # one for all partials looks at how many there are
                del cells["partials"]
            names = [node.id for cell in cells.values() for node in ast.walk(cell) if isinstance(node, ast.Name)]
            found += [named[name] for name in names if name in named]
        elif isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Limit":
            found += [node for node in ast.walk(call) if isinstance(node, ast.Lambda)]
        elif isinstance(call, ast.Assign) and isinstance(call.value, ast.Lambda):
            found.append(call.value)
        elif isinstance(call, ast.FunctionDef) and call.name == "call_by_name":  # of rows without a value
            found.append(call)
    return found


ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub)


def forbidden_in(rule: ast.Lambda | ast.FunctionDef) -> list[str]:
    """What a rule does besides `+ - * /` and `m.name(...)`."""
    found = []
    for node in ast.walk(ast.Module(rule.body, []) if isinstance(rule, ast.FunctionDef) else rule.body):
        if isinstance(node, ast.BinOp | ast.UnaryOp) and not isinstance(node.op, ARITHMETIC):
            found.append(type(node.op).__name__)
        elif isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "m"):
            found.append(ast.unparse(node))
        elif isinstance(node, ast.IfExp | ast.Compare | ast.BoolOp | ast.Subscript | ast.NamedExpr | ast.Lambda):
            found.append(type(node).__name__)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id != "getattr":
            found.append(ast.unparse(node))
    return found


def test_a_row_with_another_domain_leaves_the_row_of_the_table_as_it_is() -> None:
    row, domain = ROWS["sqrt"], ROWS["sqrt"].domain
    other = row.with_cells(domain=())
    assert other is not row
    assert (domain, ()) == (row.domain, other.domain)
    assert (row.value, row.partials) == (other.value, other.partials)


def test_rules_use_arithmetic_and_named_functions_only() -> None:
    rules = [
        (str(path), rule)
        for path in Path(adcli.table.__file__).parent.glob("*.py")
        for rule in rules_in(path.read_text(encoding="utf-8"))
    ]
    cells = [c for row in ROWS.values() for c in (row.value, *(row.partials if row.arity else ())) if c is not None]
    places = {(cell.__code__.co_filename, cell.__code__.co_firstlineno) for cell in cells}
    assert set() == places - {(path, rule.lineno) for path, rule in rules}, "rules that this test has not read"
    assert {} == {ast.unparse(rule): found for _, rule in rules if (found := forbidden_in(rule))}


@pytest.mark.parametrize(
    "rule",
    [
        "lambda m, x: x**2",
        "lambda m, x: math.sin(x)",
        "lambda m, x: x if x > 0 else 0",
        "lambda m, x: abs(x)",
        "lambda m, x: x // 2",
        "lambda m, x: (x > 0) * x",
        "lambda m, x: x and 1",
    ],
)
def test_forbidden_rule_is_noticed(rule: str) -> None:
    found = rules_in(f"declare('f', value={rule}, partials=())")
    assert 1 == len(found)
    assert [] != forbidden_in(found[0])
