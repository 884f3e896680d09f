"""The tables of the paper, cell by cell, and the rules by which their numbers and names are written."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

import pytest
from support import evaluated, printed

EXAMPLE = "log(x1)+x1*x2-sin(x2)"
POINT = "x1=2,x2=5"

Rows = list[list[str]]


def composed(text: str) -> str:
    """One spelling for accented letters: ẋ as one character, v̇ as two."""
    return unicodedata.normalize("NFC", text)


def shown(text: str, *flags: str, at: str = POINT) -> str:
    """Standard output of `adcli eval --format plain`."""
    point = ["--at", at] if at else []
    code, out, err = printed("eval", "--format", "plain", *point, *flags, "--", text)
    assert code == 0, err
    return composed(out)


def cells(out: str) -> Rows:
    """The rows of a page as lists of cells; a rule is `["-"]`, an empty line `[]`."""
    lines = out.rstrip("\n").split("\n")
    return [["-"] if re.fullmatch("-+", line) else re.split(" {2,}", line.strip()) if line else [] for line in lines]


def golden(text: str) -> Rows:
    """Expected cells, written like the page itself."""
    return cells(composed("\n".join(line.strip() for line in text.strip().splitlines())))


def columns(line: str, sign: str) -> list[int]:
    """Where a sign stands in a line, in columns of a terminal."""
    bare = "".join(c for c in unicodedata.normalize("NFD", line) if not unicodedata.combining(c))
    return [place for place, character in enumerate(bare) if character == sign]


# --- the paper's three tables ----------------------------------------------------------------------------------------

VALUES = """
    x1                  = 2
    x2                  = 5
    ------------------------------------------
    v1  = log x1        = log 2
    v2  = x1 × x2       = 2 × 5
    v3  = sin x2        = sin 5
    v4  = v1 + v2       = 0.693 + 10
    v5  = v4 − v3       = 10.693 + 0.959
    ------------------------------------------
    y   = v5            = 11.652
"""
TANGENTS_BY_X1 = """
    ẋ1  = ∂x1/∂x1                  = 1
    ẋ2  = ∂x2/∂x1                  = 0
    ------------------------------------------
    v̇1  = ẋ1/x1                    = 1/2
    v̇2  = ẋ1 × x2 + ẋ2 × x1        = 1 × 5 + 0 × 2
    v̇3  = ẋ2 × cos x2              = 0 × cos 5
    v̇4  = v̇1 + v̇2                  = 0.5 + 5
    v̇5  = v̇4 − v̇3                  = 5.5 − 0
    ------------------------------------------
    ẏ   = v̇5                       = 5.5
"""
TANGENTS_BY_X2 = """
    ẋ1  = ∂x1/∂x2                  = 0
    ẋ2  = ∂x2/∂x2                  = 1
    ------------------------------------------
    v̇1  = ẋ1/x1                    = 0/2
    v̇2  = ẋ1 × x2 + ẋ2 × x1        = 0 × 5 + 1 × 2
    v̇3  = ẋ2 × cos x2              = 1 × cos 5
    v̇4  = v̇1 + v̇2                  = 0 + 2
    v̇5  = v̇4 − v̇3                  = 2 − 0.284
    ------------------------------------------
    ẏ   = v̇5                       = 1.716
"""
ADJOINTS = """
    x̄1                                                       = 5.5
    x̄2                                                       = 1.716
    ------------------------------------------------------------------
    x̄1  = x̄1 + v̄1 ∂v1/∂x1      = x̄1 + v̄1/x1                 = 5.5
    x̄2  = x̄2 + v̄2 ∂v2/∂x2      = x̄2 + v̄2 × x1               = 1.716
    x̄1  = v̄2 ∂v2/∂x1           = v̄2 × x2                    = 5
    x̄2  = v̄3 ∂v3/∂x2           = v̄3 × cos x2                = −0.284
    v̄2  = v̄4 ∂v4/∂v2           = v̄4 × 1                     = 1
    v̄1  = v̄4 ∂v4/∂v1           = v̄4 × 1                     = 1
    v̄3  = v̄5 ∂v5/∂v3           = v̄5 × (−1)                  = −1
    v̄4  = v̄5 ∂v5/∂v4           = v̄5 × 1                     = 1
    v̄5  = ȳ                                                  = 1
"""


def test_value_table_is_the_papers() -> None:
    assert golden(VALUES) == cells(shown(EXAMPLE, "--mode", "value", "--style", "paper"))


@pytest.mark.parametrize(("wrt", "table"), [("x1", TANGENTS_BY_X1), ("x2", TANGENTS_BY_X2)])
def test_tangent_table_is_the_papers(wrt: str, table: str) -> None:
    assert golden(table) == cells(shown(EXAMPLE, "--mode", "forward", "--wrt", wrt, "--style", "paper"))


def test_adjoint_table_is_the_papers() -> None:
    assert golden(ADJOINTS) == cells(shown(EXAMPLE, "--mode", "reverse", "--style", "paper"))


def test_both_modes_print_all_tables_under_titles() -> None:
    found = cells(shown(EXAMPLE, "--mode", "both", "--style", "paper"))
    expected = [
        *golden(VALUES), [],
        ["tangents with respect to x1"], *golden(TANGENTS_BY_X1), [],
        ["tangents with respect to x2"], *golden(TANGENTS_BY_X2), [],
        ["adjoints of y"], *golden(ADJOINTS),
    ]  # fmt: skip
    assert expected == found


def test_table_is_the_plain_page_off_a_terminal() -> None:
    flags = ("--style", "paper", "--at", POINT)
    assert printed("eval", EXAMPLE, *flags) == printed("eval", EXAMPLE, *flags, "--format", "plain")


@pytest.mark.parametrize("flags", [("--mode", "value"), ("--mode", "forward", "--wrt", "x1"), ("--mode", "reverse")])
def test_equals_signs_stand_below_each_other(flags: tuple[str, ...]) -> None:
    lines = [line for line in shown(EXAMPLE, *flags, "--style", "paper").splitlines() if "=" in line]
    places = [columns(line, "=") for line in lines]
    widest = max(places, key=len)
    assert len(widest) >= 2
    assert all(set(place) <= set(widest) for place in places)
    assert all(place[-1] == widest[-1] for place in places)


# --- side by side, and one wide table --------------------------------------------------------------------------------


def beside(table: str) -> Rows:
    """The value table with a tangent table on its right."""
    return [left if left == ["-"] else left + right for left, right in zip(golden(VALUES), golden(table), strict=True)]


@pytest.mark.parametrize(("wrt", "table"), [("x1", TANGENTS_BY_X1), ("x2", TANGENTS_BY_X2)])
def test_tangents_stand_beside_the_values(wrt: str, table: str) -> None:
    found = cells(shown(EXAMPLE, "--mode", "forward", "--wrt", wrt, "--style", "baydin"))
    assert [["primal trace", "tangent trace"], ["-"], *beside(table)] == found


def test_each_contribution_stands_on_the_row_that_it_comes_from() -> None:
    expected = golden(
        """
        primal trace                        adjoint trace (upwards)
        -----------------------------------------------------------------------------------------
        x1                = 2               x̄1                                           = 5.5
        x2                = 5               x̄2                                           = 1.716
        -----------------------------------------------------------------------------------------
        v1  = log x1      = log 2           x̄1  = x̄1 + v̄1 ∂v1/∂x1        = x̄1 + v̄1/x1    = 5.5
        v2  = x1 × x2     = 2 × 5           x̄2  = x̄2 + v̄2 ∂v2/∂x2        = x̄2 + v̄2 × x1  = 1.716
                                            x̄1  = v̄2 ∂v2/∂x1             = v̄2 × x2       = 5
        v3  = sin x2      = sin 5           x̄2  = v̄3 ∂v3/∂x2             = v̄3 × cos x2   = −0.284
        v4  = v1 + v2     = 0.693 + 10      v̄2  = v̄4 ∂v4/∂v2             = v̄4 × 1        = 1
                                            v̄1  = v̄4 ∂v4/∂v1             = v̄4 × 1        = 1
        v5  = v4 − v3     = 10.693 + 0.959  v̄3  = v̄5 ∂v5/∂v3             = v̄5 × (−1)     = −1
                                            v̄4  = v̄5 ∂v5/∂v4             = v̄5 × 1        = 1
        -----------------------------------------------------------------------------------------
        y   = v5          = 11.652          v̄5  = ȳ                                      = 1
        """
    )
    assert expected == cells(shown(EXAMPLE, "--mode", "reverse", "--style", "baydin"))


def test_read_upwards_the_right_half_is_the_papers_adjoint_table() -> None:
    page = cells(shown(EXAMPLE, "--mode", "reverse", "--style", "baydin"))[2:]
    barred = [row[next(k for k, cell in enumerate(row) if "\u0304" in cell) :] for row in page if row != ["-"]]
    assert [row for row in golden(ADJOINTS) if row != ["-"]] == barred


def test_wide_table_has_every_number_of_every_row() -> None:
    expected = golden(
        """
        formula  numbers          value  ∂v/∂x1  ∂v/∂x2  ∂y/∂v
        ----------------------------------------------------------
        x1                                2       1       0    5.5
        x2                                5       0       1  1.716
        ----------------------------------------------------------
        v1  log x1   log 2            0.693     0.5       0      1
        v2  x1 × x2  2 × 5               10       5       2      1
        v3  sin x2   sin 5           −0.959       0   0.284     −1
        v4  v1 + v2  0.693 + 10      10.693     5.5       2      1
        v5  v4 − v3  10.693 + 0.959  11.652     5.5   1.716      1
        ----------------------------------------------------------
        y   v5                       11.652     5.5   1.716
        """
    )
    assert expected == cells(shown(EXAMPLE, "--style", "wide"))
    assert expected == cells(shown(EXAMPLE))


@pytest.mark.parametrize(
    ("flags", "rules"),
    [
        (
            ("--mode", "forward", "--wrt", "x1"),
            ["ẋ1/x1", "ẋ1 × x2 + ẋ2 × x1", "ẋ2 × cos x2", "v̇1 + v̇2", "v̇4 − v̇3"],
        ),
        (("--mode", "reverse"), ["v̄4 × 1", "v̄4 × 1", "v̄5 × (−1)", "v̄5 × 1", "ȳ"]),
    ],
)
def test_with_one_column_of_derivatives_their_rules_stand_beside_it(flags: tuple[str, ...], rules: list[str]) -> None:
    rows = cells(shown(EXAMPLE, *flags))
    assert [composed(rule) for rule in rules] == [row[4] for row in rows if re.fullmatch(r"v\d", row[0])]


# --- numbering, nodes, orders, levels --------------------------------------------------------------------------------


def test_rows_are_numbered_by_level_however_the_calls_are_nested() -> None:
    nested = "sub(add(log(x1), mul(x1, x2)), sin(x2))"
    flags = ("--style", "paper", "--mode", "both")
    assert shown(EXAMPLE, *flags) == shown(nested, *flags) == shown(EXAMPLE, *flags, "--numbering", "level")


def test_call_order_is_that_of_nested_calls() -> None:
    expected = golden(
        """
        x1                  = 2
        x2                  = 5
        ------------------------------------------
        v1  = log x1        = log 2
        v2  = x1 × x2       = 2 × 5
        v3  = v1 + v2       = 0.693 + 10
        v4  = sin x2        = sin 5
        v5  = v3 − v4       = 10.693 + 0.959
        ------------------------------------------
        y   = v5            = 11.652
        """
    )
    assert expected == cells(shown(EXAMPLE, "--mode", "value", "--style", "paper", "--numbering", "call"))


def test_node_table_lists_the_papers_members() -> None:
    found = shown(EXAMPLE, "--show", "nodes", "--mode", "forward", "--wrt", "x1")
    header, rule, *rows = [re.split(" {2,}", line) for line in found.splitlines()]
    members = ["node", "value", "parent_nodes", "child_nodes", "operator", "grad_wrt_parents"]
    assert [*members, "partial_derivative (x1)"] == header
    assert len(rule) == 1
    expected = [
        ["x1", "2", "[]", "[v1, v2]", "input", "[]", "1"],
        ["x2", "5", "[]", "[v2, v3]", "input", "[]", "0"],
        ["v1", "0.693", "[x1]", "[v4]", "log", "[0.5]", "0.5"],
        ["v2", "10", "[x1, x2]", "[v4]", "mul", "[5, 2]", "5"],
        ["v3", "−0.959", "[x2]", "[v5]", "sin", "[0.284]", "0"],
        ["v4", "10.693", "[v1, v2]", "[v5]", "add", "[1, 1]", "5.5"],
        ["v5", "11.652", "[v4, v3]", "[]", "sub", "[1, −1]", "5.5"],
    ]
    assert expected == rows


def orders(text: str, *flags: str, at: str = POINT) -> dict[str, dict[str, str]]:
    """What `--show order` says, by title."""
    found: dict[str, dict[str, str]] = {}
    title = ""
    for row in cells(shown(text, "--show", "order", *flags, at=at)):
        if len(row) == 1:
            title = row[0]
        elif row:
            found.setdefault(title, {})[row[0]] = row[1]
    return found


def test_forward_order_leaves_out_what_x1_does_not_reach() -> None:
    order = orders(EXAMPLE)["forward from x1"]
    assert order["post-order"] == "v5, v4, v1, v2, x1"
    assert order["tape"] == "x1, v2, v1, v4, v5"
    assert order["reachable"] == "x1, v1, v2, v4, v5"
    assert order["edges"] == "(x1, v1), (x1, v2), (v1, v4), (v2, v4), (v4, v5)"


def test_reverse_order_is_the_papers() -> None:
    order = orders(EXAMPLE)["reverse from v5"]
    assert order["post-order"] == "x1, v1, x2, v2, v4, v3, v5"
    assert order["tape"] == "v5, v3, v4, v2, x2, v1, x1"
    edges = {"(x1, v1)", "(x1, v2)", "(x2, v2)", "(x2, v3)", "(v1, v4)", "(v2, v4)", "(v4, v5)", "(v3, v5)"}
    assert edges == set(re.findall(r"\(.*?\)", order["edges"]))


def test_a_second_output_is_not_on_the_tape_of_the_first_and_contributes_nothing() -> None:
    text = "v1 = log(x1); v2 = x1*x2; v3 = sin(x2); v4 = v1+v2; v5 = v4-v3; v6 = v1*v3; v5; v6"
    assert orders(text)["reverse from v5"]["tape"] == "v5, v3, v4, v2, x2, v1, x1"
    data = evaluated(text, {"x1": 2, "x2": 5}).data
    rows = {node.get("alias", node["name"]): node for node in data["nodes"]}
    assert rows["v6"]["bar"]["v5"] == 0.0
    assert rows["x1"]["bar"]["v5"] == 5.5
    assert data["outputs"][0]["gradient"]["x1"] == 5.5


def test_levels_are_those_of_the_adjoint_graph_example() -> None:
    expected = golden(
        """
        level                          row
        ----------------------------------
        0      t00  = a          = 1   a
        0      t01  = b          = 2   b
        0      t02  = c          = 3   c
        0      t03  = x          = 4   x
        ----------------------------------
        1      t10  = t03^2      = 16  v1
        1      t11  = t01 × t03  = 8   v2
        ----------------------------------
        2      t20  = t00 × t10  = 16  v3
        2      t21  = t11 + t02  = 11  v4
        ----------------------------------
        3      t30  = t20 + t21  = 27  v5
        ----------------------------------
               y    = t30        = 27
        """
    )
    text, at = "a*x^2+(b*x+c)", "a=1,b=2,c=3,x=4"
    assert expected == cells(shown(text, "--show", "levels", at=at))
    (output,) = evaluated(text, {"a": 1, "b": 2, "c": 3, "x": 4}, "--no-trace").data["outputs"]
    assert output["gradient"] == {"a": 16.0, "b": 4.0, "c": 1.0, "x": 10.0}


# --- how numbers are written -----------------------------------------------------------------------------------------


def substituted(text: str, at: str, *flags: str) -> str:
    """The last cell of the last row of a value table, without its equals sign."""
    rows = cells(shown(text, "--mode", "value", "--style", "paper", *flags, at=at))
    return [row for row in rows if re.fullmatch(r"[vw]\d+", row[0])][-1][-1].removeprefix("= ")


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("x - y", "x=1,y=-2", "1 + 2"),
        ("x + y", "x=1,y=-2", "1 − 2"),
        ("x*y", "x=1,y=-1", "1 × (−1)"),
        ("x*y", "x=-1,y=2", "(−1) × 2"),
        ("x^2", "x=-3", "(−3)^2"),
        ("sin(x)", "x=-0.5", "sin(−0.5)"),
        ("x - y", "x=5.5,y=0", "5.5 − 0"),
        ("x + y", "x=0,y=5.5", "0 + 5.5"),
        ("x - y", "x=-1,y=-2", "−1 + 2"),
    ],
)
def test_signs_are_written_as_by_hand(text: str, at: str, expected: str) -> None:
    assert expected == substituted(text, at)


def test_constants_have_no_row_and_stand_where_they_are_used() -> None:
    rows = cells(shown("2*x + 1/3", "--mode", "value", "--style", "paper", at="x=4"))
    assert rows[:4] == [["x", "= 4"], ["-"], ["v1", "= 2 × x", "= 2 × 4"], ["v2", "= v1 + 1/3", "= 8 + 1/3"]]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("2", "2"),
        ("10.0", "10"),
        ("0.5", "0.5"),
        ("2.50", "2.5"),
        ("0.6931471805599453", "0.693"),
        ("11.652071455223084", "11.652"),
        ("0.0005", "0.001"),  # halves upwards
        ("0.0015", "0.002"),
        ("0.0025", "0.003"),
        ("1.0005", "1.001"),  # though the double lies below
        ("2.0005", "2.001"),
        ("-1.0005", "−1.001"),
        ("0.9995", "1"),
        ("0.0004", "4e-4"),  # would be shown as 0
        ("-0.0004", "−4e-4"),
        ("0.00012345", "1.235e-4"),
        ("1e-300", "1e-300"),
        ("999999", "999999"),
        ("123456.789", "123456.789"),
        ("1e6", "1e6"),
        ("-1234567", "−1.235e6"),
        ("1e308", "1e308"),
        ("0", "0"),
        ("-0.0", "0"),
    ],
)
def test_numbers_have_three_decimals_at_most(number: str, expected: str) -> None:
    assert [["x", f"= {expected}"], ["y", "= x", f"= {expected}"]] == [
        row for row in cells(shown("x", "--mode", "value", "--style", "paper", at=f"x={number}")) if row != ["-"]
    ]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("--places", "0"), "12"),
        (("--places", "1"), "11.7"),
        (("--places", "6"), "11.652071"),
        (("--digits", "1"), "10"),
        (("--digits", "2"), "12"),
        (("--digits", "4"), "11.65"),
        (("--digits", "12"), "11.6520714552"),
        (("--digits", "17"), "11.652071455223084"),
    ],
)
def test_places_and_digits_are_as_many_as_asked_for(flags: tuple[str, ...], expected: str) -> None:
    (result,) = [row for row in cells(shown(EXAMPLE, "--no-trace", "--mode", "value", *flags)) if row[0] == "y"]
    assert ["y", f"= {expected}"] == result


def test_significant_digits_count_for_small_numbers_too() -> None:
    assert substituted("x*1", "x=0.0012345", "--digits", "3").partition(" ×")[0] == "0.00123"
    assert substituted("x*1", "x=0.0012345").partition(" ×")[0] != "0.00123"


@pytest.mark.parametrize("text", ["x*0", "0*x", "-(x-x)", "floor(-x*0)", "abs(x)*0*x", "-(x+1)"])
def test_no_zero_has_a_minus_sign(text: str) -> None:
    out = shown(text, "--mode", "both", "--style", "paper", at="x=-1")
    results = [row[-1] for row in cells(out) if row and row[0] == "y"]
    assert results == ["= 0"]
    code, out, _ = printed("eval", "--format", "json", "--at", "x=-1", "--", text)
    assert code == 0
    assert "-0.0" not in re.sub(r'"(expression|formula|substituted|symbolic)": ".*"', "", out)


# --- names -----------------------------------------------------------------------------------------------------------


def names(text: str, at: str) -> list[str]:
    return [node["name"] for node in json_of(text, at)["nodes"]]


def json_of(text: str, at: str) -> dict[str, Any]:
    code, out, err = printed("eval", "--format", "json", "--at", at, "--", text)
    assert code == 0, err
    data: dict[str, Any] = json.loads(out)
    return data


def test_a_users_own_v1_keeps_its_name_and_the_rows_take_another_letter() -> None:
    assert names("v1 + v2*2", "v1=3,v2=4") == ["v1", "v2", "w1", "w2"]
    rows = cells(shown("v1 + v2*2", "--mode", "value", "--style", "paper", at="v1=3,v2=4"))
    assert rows[3:5] == [["w1", "= v2 × 2", "= 4 × 2"], ["w2", "= v1 + w1", "= 3 + 8"]]


def test_a_users_own_step_called_v1_stands_in_the_table_under_that_name() -> None:
    data = json_of("v1 = x^2; v1 + 1", "x=3")
    assert [node.get("alias") for node in data["nodes"]] == [None, "v1", None]
    assert not {"v1"} & {node["name"] for node in data["nodes"]}
    rows = cells(shown("v1 = x^2; v1 + 1", "--mode", "value", "--style", "paper", at="x=3"))
    assert ["v1", "= x^2", "= 3^2"] in rows


def test_when_v_and_w_are_taken_the_rows_take_a_third_letter() -> None:
    assert names("v1*w1", "v1=3,w1=4") == ["v1", "w1", "u1"]


def test_numbered_inputs_stand_in_natural_order() -> None:
    text = " + ".join(f"x{k}" for k in (10, 9, 2, 1, 11, 3, 4, 5, 6, 7, 8))
    at = ",".join(f"x{k}={k}" for k in range(1, 12))
    assert [f"x{k}" for k in range(1, 12)] == names(text, at)[:11]


def test_other_inputs_stand_in_order_of_first_appearance() -> None:
    assert names("b*a + c", "a=1,b=2,c=3")[:3] == ["b", "a", "c"]


def test_an_input_called_y_leaves_the_result_the_name_f_in_tables() -> None:
    rows = cells(shown("x*y", "--mode", "both", "--style", "paper", at="x=2,y=3"))
    assert ["f", "= v1", "= 6"] in rows
    assert ["adjoints of f"] in rows
    assert [composed("v̄1"), composed("= f̄"), "= 1"] in rows
    assert [composed("ḟ"), composed("= v̇1"), "= 3"] in rows
    assert ["y", "= 3"] in rows


def test_an_input_called_y_leaves_the_result_the_name_y_in_json() -> None:
    (output,) = json_of("x*y", "x=2,y=3")["outputs"]
    assert output["name"] == "y"
    assert output["gradient"] == {"x": 3.0, "y": 2.0}


def test_inputs_called_y_and_f_leave_the_result_the_next_letter() -> None:
    rows = cells(shown("f*y", "--mode", "value", "--style", "paper", at="f=2,y=3"))
    assert rows[-1] == ["g", "= v1", "= 6"]


def test_several_results_are_numbered() -> None:
    assert [output["name"] for output in json_of("x; x^2", "x=3")["outputs"]] == ["y1", "y2"]


# --- errata of the sources -------------------------------------------------------------------------------------------


def test_local_derivatives_are_those_of_the_right_rows() -> None:
    rows = {node["name"]: node for node in json_of(EXAMPLE, POINT)["nodes"]}
    assert rows["v4"]["parents"] == ["v1", "v2"]
    assert rows["v4"]["operator"] == "add"
    assert rows["v2"]["grad_wrt_parents"] == [5.0, 2.0]
    assert [pytest.approx(0.28366218546322625, rel=4e-16, abs=0)] == rows["v3"]["grad_wrt_parents"]


@pytest.mark.parametrize(
    ("text", "slope"), [("x - x", 0.0), ("x / x", 0.0), ("x * x", 6.0), ("x ^ x", 27 * (1 + 1.0986122886681098))]
)
def test_contributions_to_one_parent_are_taken_by_position(text: str, slope: float) -> None:
    for mode in ("forward", "reverse"):
        (output,) = evaluated(text, {"x": 3}, "--mode", mode).data["outputs"]
        assert pytest.approx(slope, rel=4e-16, abs=0) == output["gradient"]["x"]
