"""Plots: curves that are followed, places where they are not smooth, and lines that never join what is apart."""

from __future__ import annotations

import csv
import math
import re
import xml.etree.ElementTree as ET
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from drawn import examples
from hypothesis import example, given
from hypothesis import strategies as st
from running import run, terminal, width

import adcli
from adcli.errors import Source
from adcli.language.program import read_program
from adcli.render.plots.panels import panels, ticks
from adcli.render.plots.text import draw
from adcli.trace.curves import EDGE, JUMP, KINK, POLE, VERTICAL, Curve, Plot, curves, plot

ROOT = Path(__file__).resolve().parent.parent


def curve(text: str, low: float = -3.0, high: float = 3.0) -> Curve:
    return curves(read_program(Source(text)), "x", low, high, {})[0]


def plotted(text: str, *tangents: float, low: float = -3.0, high: float = 3.0) -> Plot:
    return plot(read_program(Source(text)), "x", (low, high), {}, tangents)


def marks(found: Curve) -> list[tuple[str, float]]:
    return [(mark.kind, round(mark.x, 6)) for mark in found.marks]


# What a curve has between -3 and 3 that is not smooth.
PLACES = [
    ("x^2", []),
    ("x^2 + 1000000000", []),
    ("sin(x)^2 + cos(x)^2", []),
    ("exp(20*x)", []),
    ("abs(x)^1.5", []),
    ("1/(1 + exp(-1000*x))", []),
    ("abs(x)", [(KINK, 0)]),
    ("abs(x) + 1000", [(KINK, 0)]),
    ("0.00000001*abs(x - 1/3)", [(KINK, 0.333333)]),
    ("max(x/10, x^2)", [(KINK, 0), (KINK, 0.1)]),
    ("relu(x - 1)", [(KINK, 1)]),
    ("abs(abs(x) - 1)", [(KINK, -1), (KINK, 0), (KINK, 1)]),
    ("1/x", [(POLE, 0)]),
    ("1/x^2", [(POLE, 0)]),
    ("1/(x - 1/3)", [(POLE, 0.333333)]),
    ("tan(x)", [(POLE, -1.570796), (POLE, 1.570796)]),
    ("gamma(x)", [(POLE, -3), (POLE, -2), (POLE, -1), (POLE, 0)]),
    ("floor(x) + x", [(JUMP, k) for k in (-2, -1, 0, 1, 2, 3)]),
    ("ceil(x)", [(JUMP, k) for k in (-3, -2, -1, 0, 1, 2)]),
    ("sign(x)", [(JUMP, 0)]),
    ("if(x > 1, x, -1)", [(JUMP, 1)]),
    ("sqrt(x)", [(EDGE, 0)]),
    ("log(x + 1)", [(EDGE, -1)]),
    ("asin(x)", [(EDGE, -1), (EDGE, 1)]),
    ("sin(x)/x", [(EDGE, 0)]),
    ("(1 - cos(x))/x^2", [(EDGE, 0)]),
    ("cbrt(x)", [(VERTICAL, 0)]),
    ("sqrt(abs(x))", [(VERTICAL, 0)]),
]


@pytest.mark.parametrize(("text", "places"), PLACES)
def test_a_curve_has_these_places_and_no_others(text: str, places: list[tuple[str, float]]) -> None:
    found = curve(text)
    assert places == marks(found)
    assert found.complete


def test_every_corner_of_many_is_found() -> None:
    found = curve("abs(sin(20*x))")
    assert [(KINK, round(k * math.pi / 20, 6)) for k in range(-19, 20)] == marks(found)


@examples(40)
@given(st.integers(-2900, 2900), st.floats(0.1, 100), st.floats(-50, 50))
@example(159, 0.1, 33.0)
@example(2583, 0.11, 42.13)
def test_a_corner_is_found_wherever_it_lies(place: int, size: float, slope: float) -> None:
    found = curve(f"{size}*abs(x - {place}/1000) + {slope}*x")
    assert [(KINK, place / 1000)] == marks(found)
    (mark,) = found.marks
    assert mark.left is not None and mark.right is not None
    assert (slope - size, slope + size) == pytest.approx((mark.left.slope, mark.right.slope))


def test_no_line_joins_the_sides_of_a_jump_or_a_pole() -> None:
    for text, apart in (("floor(x)", 0.5), ("tan(x)", 1e6), ("if(x > 1, x, -1)", 0.5), ("sign(x)", 0.5)):
        for piece in curve(text).pieces:
            assert all(abs(b.y - a.y) <= apart or (a.y > 0) == (b.y > 0) for a, b in pairwise(piece)), text


def test_a_pole_splits_a_curve_once() -> None:
    assert [2, 3, 2] == [len(curve(text).pieces) for text in ("1/x", "tan(x)", "1/(x - 1/3)")]


def test_the_value_at_a_jump_belongs_to_the_side_that_has_it() -> None:
    assert [1.0] == [point.y for piece in curve("ceil(x)").pieces for point in piece if point.x == 0.75]
    at_zero = [piece for piece in curve("sign(x)").pieces if any(point.x == 0 for point in piece)]
    assert [[0.0]] == [[point.y for point in piece] for piece in at_zero]


def test_nothing_is_drawn_where_there_is_no_value() -> None:
    assert 0.0 <= min(point.x for piece in curve("sqrt(x)").pieces for point in piece)
    assert [] == curve("log(x - 7)").pieces


@pytest.mark.parametrize("text", ["x^3 - x", "sin(7*x)", "exp(x)", "1/(1 + 100*x^2)", "x^2*abs(x)"])
def test_between_its_points_the_curve_is_where_the_line_is(text: str) -> None:
    found = curve(text)
    points = [point for piece in found.pieces for point in piece]
    height = max(point.y for point in points) - min(point.y for point in points)
    function = adcli.parse(text)
    for a, b in pairwise(points):
        exact = function.value({"x": (a.x + b.x) / 2})
        assert abs(exact - (a.y + b.y) / 2) < height / 500


def test_slopes_are_those_of_the_engine_and_have_gaps_at_corners() -> None:
    found = curve("abs(x)*x + abs(x)")
    for piece in found.smooth_pieces:
        for point in piece:
            side = math.copysign(1.0, point.x)
            assert side * (2 * point.x) + side == pytest.approx(point.slope)
    assert [-1, 1] == [math.copysign(1, piece[0].x) for piece in found.smooth_pieces]


@pytest.mark.slow
def test_what_changes_too_fast_is_bounded_work_and_is_told() -> None:
    found = curve("sin(1/x)")
    assert not found.complete
    assert sum(len(piece) for piece in found.pieces) <= 12_010
    assert "changes too fast to be drawn correctly everywhere" in draw(plotted("sin(1/x)"), 80)


def test_an_output_has_its_curve_where_another_has_no_value() -> None:
    root, line = curves(read_program(Source("p = sqrt(x); q = 2*x; p; q")), "x", -1.0, 1.0, {})
    assert (0.0, -1.0) == (root.pieces[0][0].x, line.pieces[0][0].x)


# --- tangents and notes ----------------------------------------------------------------------------------------------


def test_a_tangent_goes_through_its_point_with_the_slope_of_reverse_mode() -> None:
    (line,) = plotted("x^2*sin(x)", 1.0).tangents
    assert (math.sin(1), 2 * math.sin(1) + math.cos(1)) == pytest.approx((line.y, line.slope))
    assert line.y + 2 * line.slope == pytest.approx(line.at(3.0))


def test_a_tangent_at_a_corner_says_which_convention_it_follows() -> None:
    found = plotted("abs(x)", 0.0)
    assert ["kink"] == [note.kind for note in found.notes]
    assert 0.0 == found.tangents[0].slope


def test_the_only_input_is_the_axis_even_where_the_problem_has_a_point() -> None:
    assert run("plot", "x^2", "--format", "csv").out == run("plot", "x^2 @ x=2", "--format", "csv").out != ""


def test_other_inputs_are_held_and_other_outputs_have_curves_of_their_own() -> None:
    found = plot(read_program(Source("p = x*y; q = x/y; p; q")), "x", (0.0, 1.0), {"y": 4.0}, [1.0])
    assert ["p", "q"] == [one.output for one in found.curves]
    assert [(4.0, 4.0), (0.25, 0.25)] == [(line.y, line.slope) for line in found.tangents]


# --- what is seen ----------------------------------------------------------------------------------------------------


def test_a_pole_does_not_flatten_the_rest() -> None:
    found = plotted("1/x")
    above, below = panels(found, found.curves[0])
    assert 3 < above.high < 20 and -20 < above.low < -3
    assert [0.0] == [round(x, 6) for x in above.poles]
    assert below.high < 5


def test_all_of_a_curve_without_poles_is_seen() -> None:
    found = plotted("x^3")
    above, _ = panels(found, found.curves[0])
    assert above.low < -27 and 27 < above.high < 32


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 9))
def test_ticks_are_round_numbers_inside_and_about_as_many_as_wanted(low: float, size: float, about: int) -> None:
    found = ticks(low, low + size, about)
    assert all(low - size * 1e-6 <= x <= low + size * (1 + 1e-6) for x in found)
    assert len(found) <= about + 1


BRAILLE = re.compile("[⠁-⣿]")


def test_a_plot_in_characters_is_as_wide_as_it_may_be_and_tells_its_marks() -> None:
    drawn = draw(plotted("abs(x)", 1.0), 60)
    assert {60} == {width(line) for line in drawn.splitlines() if "┴" in line}
    assert max(width(line) for line in drawn.splitlines()) <= 80
    assert BRAILLE.search(drawn) and "◆" in drawn
    assert "kink at x = 0: slope −1 from the left, 1 from the right\n" in drawn
    assert "tangent at x = 1: slope 1 through (1, 1)\n" in drawn


def test_a_plot_in_ascii_is_ascii() -> None:
    drawn = draw(plotted("1/x", 1.0), 60, ascii_only=True)
    assert drawn.isascii()
    assert "?" not in drawn
    assert "pole at x = 0\n" in drawn


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("floor(x)/2", "jump at x = 1: from 0 to 0.5"), ("sqrt(x)", "no value left of x = 0"),
        ("sin(x)/x", "no value at x = 0"), ("sqrt(-x)", "no value right of x = 0"),
        ("log(x - 9)", "y has no value here"),
        ("cbrt(x)", "vertical tangent at x = 0"), ("abs(sin(20*x))", "and 27 more such places"),
    ],
)  # fmt: skip
def test_marks_are_told_in_words(text: str, told: str) -> None:
    assert told in draw(plotted(text), 80).splitlines()


@pytest.mark.parametrize(
    "text", ["3 + 0*x", "0*x", "1e300*x", "1e-300*x", "x^x", "exp(exp(x))", "x*1e308*10", "1/0.5^x"]
)
def test_anything_has_a_plot(text: str) -> None:
    assert 20 < len(draw(plotted(text), 70).splitlines())


@pytest.mark.parametrize("columns", [80, 140])
def test_on_a_terminal_a_plot_fills_the_columns(columns: int) -> None:
    found = terminal("plot", "tan(x)", columns=columns)
    assert columns == max(width(line) for line in found.out.splitlines())


# --- circles ---------------------------------------------------------------------------------------------------------

# Where the circles of a curve are: filled ones, open ones.
CIRCLES = [
    ("floor(x/2)", [(-2, -1), (0, 0), (2, 1)], [(-2, -2), (0, -1), (2, 0)]),
    ("ceil(x/2)", [(-2, -1), (0, 0), (2, 1)], [(-2, 0), (0, 1), (2, 2)]),
    ("sign(x)", [(0, 0)], [(0, -1), (0, 1)]),
    ("abs(x)/x", [], [(0, -1), (0, 1)]),
    ("if(x > 1, x, -1)", [(1, -1)], [(1, 1)]),
    ("if(x >= 1, x, -1)", [(1, 1)], [(1, -1)]),
    ("if(3*x >= 1, 1, 0)", [(1 / 3, 1)], [(1 / 3, 0)]),
    ("sin(x)/x", [], [(0, 1)]),
    ("sqrt(x)", [(0, 0)], []),
    ("x*log(x)", [], [(0, 0)]),
    ("abs(x)", [(0, 0)], []),
    ("1/x", [], []),
]


@pytest.mark.parametrize(("text", "filled", "empty"), CIRCLES)
def test_circles_are_filled_where_the_function_has_its_value(
    text: str, filled: list[tuple[float, float]], empty: list[tuple[float, float]]
) -> None:
    found = plotted(text)
    above, _ = panels(found, found.curves[0])
    for wanted, places in ((filled, above.spots), (empty, above.rings)):
        rounded = sorted((round(x, 6), round(y, 4)) for x, y in places)
        assert sorted((round(x, 6), round(y, 4)) for x, y in wanted) == sorted(set(rounded))


@examples(20)
@given(st.integers(-250, 250), st.sampled_from([1, 2, 3, 7, 8]), st.sampled_from(["<", "<=", ">", ">="]))
def test_the_side_with_the_value_is_told_wherever_a_jump_lies(top: int, bottom: int, sign: str) -> None:
    found = plotted(f"if({bottom}*x {sign} {top}, 2, x/100)", low=top / bottom - 5.1, high=top / bottom + 2.3)
    above, _ = panels(found, found.curves[0])
    (mark,) = found.curves[0].marks
    assert mark.decided and mark.x == pytest.approx(top / bottom, abs=1e-6)
    assert [2.0 if "=" in sign else pytest.approx(top / bottom / 100, abs=1e-6)] == [y for _, y in above.spots]
    assert 1 == len(above.rings)


def test_where_the_value_is_not_known_nothing_is_filled() -> None:
    found = plotted("if(x^3 < 2, x, 3)")
    above, _ = panels(found, found.curves[0])
    assert ([], 2) == (above.spots, len(above.rings))
    assert "(the value there is not known)" in draw(found, 80)


def test_the_derivative_has_no_value_at_a_corner() -> None:
    found = plotted("abs(x)")
    _, below = panels(found, found.curves[0])
    assert ([], [(0, -1), (0, 1)]) == (below.spots, below.rings)


def test_circles_in_characters() -> None:
    found = plotted("if(x > 1, x, -1)")
    assert {"◆", "◇"} <= set(draw(found, 60))
    assert {"@", "o"} <= set(draw(found, 60, ascii_only=True))


# --- pictures --------------------------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def picture(tmp_path: Path, suffix: str, *arguments: str) -> bytes:
    file = tmp_path / f"plot{suffix}"
    assert (0, "", "") == run("plot", *arguments, "-q", "-o", str(file))
    return file.read_bytes()


def texts(data: bytes) -> list[str]:
    return ["".join(found.itertext()) for found in ET.fromstring(data).iter(f"{SVG}text")]  # noqa: S314


@pytest.mark.slow
def test_an_svg_is_the_same_every_time_and_its_text_is_text(tmp_path: Path) -> None:
    first = picture(tmp_path, ".svg", "tan(x)", "--tangent", "x=1")
    assert first == picture(tmp_path, ".svg", "tan(x)", "--tangent", "x=1")
    assert {"−2", "pole at x = 1.5708"} <= set(texts(first))
    root = ET.fromstring(first)  # noqa: S314
    assert "tan(x)" == root.findtext(".//{http://purl.org/dc/elements/1.1/}title")
    assert str(root.findtext(f"{SVG}desc")).startswith("y, dy/dx over x; ")
    assert not re.search(rb"\d{4}-\d\d-\d\dT", first)


def test_an_svg_has_colours_for_dark_pages_and_tells_what_it_shows(tmp_path: Path) -> None:
    drawn = picture(tmp_path, ".svg", "abs(x)/x + floor(x)", "--tangent", "x=1.5").decode()
    light, _, dark = drawn.partition("@media screen and (prefers-color-scheme: dark) {")
    rules = dict(re.findall(r'\[style\*="((?:fill|stroke): #\w+)"\] \{ ((?:fill|stroke): #\w+) !important \}', dark))
    used = set(re.findall(r"(?:fill|stroke): #\w+", light + dark.partition("</style>")[2]))
    assert used <= set(rules), used - set(rules)
    assert all(old.partition(":")[0] == new.partition(":")[0] for old, new in rules.items())
    root = ET.fromstring(drawn)  # noqa: S314
    assert "img" == root.get("role")
    assert "no value at x = 0" in str(root.findtext(f"{SVG}desc"))


def test_a_png_is_one(tmp_path: Path) -> None:
    assert picture(tmp_path, ".png", "x^2").startswith(b"\x89PNG")


def test_signs_of_mathematics_in_a_label_are_text(tmp_path: Path) -> None:
    label = "a_b $_1$ & co"
    long = f"{label}: x_0*abs(x_0)" + "+0" * 40  # a long title is in letters, another one in lines
    assert label in next(text for text in texts(picture(tmp_path, ".svg", long)) if "abs" in text)
    assert picture(tmp_path, ".svg", f"{label}: x").count(b"<use") > 20


def test_the_points_as_a_sheet() -> None:
    rows = list(csv.DictReader(StringIO(run("plot", "floor(x)*2 + x", "--over", "x=0:1.5", "--format", "csv").out)))
    assert {("1", "1.0"), ("2", "1.0")} == {(row["piece"], row["d/dx"]) for row in rows}
    assert all(2 * math.floor(float(row["input"])) + float(row["input"]) == float(row["value"]) for row in rows)


def test_the_figure_of_the_manual_says_what_its_command_says_now(tmp_path: Path) -> None:
    import shlex

    page = (ROOT / "adcli" / "manual" / "pictures.md").read_text(encoding="utf-8")
    command, file = re.findall(r"`adcli (plot [^`]*) -o (adcli/manual/figures/[^`]+)`", page)[0]
    new = tmp_path / "plot.svg"
    assert 0 == run(*shlex.split(command), "-o", str(new)).code
    assert texts((ROOT / file).read_bytes()) == texts(new.read_bytes())
