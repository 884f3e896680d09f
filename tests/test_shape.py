"""Large problems keep their shape: results first and last, few tangents, folded tables, and nothing that is cut off."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from typing import Any

import pytest
from drawn import THOROUGH, examples
from hypothesis import given
from hypothesis import strategies as st
from large import BLACK_SCHOLES, LSTM, PROBLEMS
from running import PAPER, run, terminal, width

import adcli
from adcli.render.document_parts import Table
from adcli.render.terminal import Terminal, draw


@lru_cache
def _data(problem: str) -> Any:
    return json.loads(run("eval", problem, "--format", "json").out)


def _results(text: str) -> list[list[tuple[str, str]]]:
    """The names and numbers of each block of results, in order."""
    blocks = re.findall(r"^results\n(?:-+\n)*((?:.*=.*\n)+)", text, re.MULTILINE)
    return [re.findall(r"(\S+) += (\S+)", block) for block in blocks]


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("style", ["wide", "paper", "baydin"])
@pytest.mark.parametrize("mode", ["both", "reverse", "forward"])
def test_results_come_first_and_last_in_a_long_trace(problem: str, style: str, mode: str) -> None:
    text = run("eval", problem, "--quiet", "--style", style, "--mode", mode).out
    (output,) = _data(problem)["outputs"]
    first, last = _results(text)
    assert first == last
    assert [output["name"], *(f"∂{output['name']}/∂{name}" for name in output["gradient"])] == [
        name for name, _ in last
    ]
    numbers = [output["value"], *output["gradient"].values()]
    assert numbers == pytest.approx([float(x.replace("−", "-")) for _, x in last], abs=6e-4)
    assert text.startswith("results\n")
    assert text.endswith(text[text.rindex("results\n") :])
    assert len(text[text.rindex("results\n") :].splitlines()) < 12


@pytest.mark.parametrize("style", ["wide", "paper", "baydin"])
def test_a_short_trace_is_its_tables_alone(style: str) -> None:
    assert "results" not in run("eval", PAPER, "--at", "x1=2,x2=5", "--style", style, "--quiet").out


def _tangents(text: str) -> list[str]:
    header = next(line for line in text.splitlines() if "formula" in line)
    return re.findall(r"∂v/∂(\w+)", header)


def test_both_modes_show_the_tangents_that_fit_and_matter_most_and_say_so() -> None:
    text = run("eval", LSTM, "--quiet").out
    slopes = _data(LSTM)["outputs"][0]["gradient"]
    names, shown = list(slopes), _tangents(text)
    assert shown == [name for name in names if name in shown]
    assert min(abs(slopes[name]) for name in shown) >= max(abs(slopes[name]) for name in names if name not in shown)
    assert max(len(line) for line in text.splitlines() if line.startswith("v")) <= 100
    told = f"tangents for {len(shown)} of {len(names)} inputs: {', '.join(shown)}; show more with --wrt or --all"
    assert 1 == text.splitlines().count(told)
    for more in (["--all"], ["--wrt", ",".join(names)]):
        whole = run("eval", LSTM, "--quiet", *more).out
        assert names == _tangents(whole)
        assert "show more with" not in whole
    assert ["x", "h2", "c1", "bo"] == _tangents(run("eval", LSTM, "--quiet", "--wrt", "x,h2,c1,bo").out)
    assert names == _tangents(run("eval", LSTM, "--quiet", "--mode", "forward").out)
    assert "show more with" not in run("eval", "x*y*z @ x=1,y=2,z=3").out


@pytest.mark.parametrize("style", ["paper", "baydin"])
def test_a_table_for_each_tangent_is_there_for_three_inputs(style: str) -> None:
    argv = ("eval", "a*b*c*d @ a=1, b=2, c=3, d=4", "--quiet", "--style", style)
    assert 3 == run(*argv).out.count("tangents with respect to")
    assert 4 == run(*argv, "--all").out.count("tangents with respect to")


@pytest.mark.parametrize("form", ["json", "csv", "ndjson"])
def test_data_has_every_tangent_whatever_tables_show(form: str) -> None:
    assert run("eval", LSTM, "--format", form).out == run("eval", LSTM, "--format", form, "--all").out
    assert 25 == len(_data(LSTM)["nodes"][-1]["dot"])


# --- folds ------------------------------------------------------------------------------------------------------------

FOLDED = re.compile(r"^(?:…|\.\.\.) (\d+) rows; --all$", re.MULTILINE)


def test_a_long_table_folds_its_middle_on_a_terminal_and_tells_how_many_rows() -> None:
    shown = terminal("eval", LSTM, "--quiet", columns=100, NO_COLOR="1").out
    whole = terminal("eval", LSTM, "--quiet", "--all", "--wrt", "x", columns=100, NO_COLOR="1").out
    names = [row["name"] for row in _data(LSTM)["nodes"]]
    aliases = [row.get("alias", row["name"]) for row in _data(LSTM)["nodes"]]
    (hidden,) = FOLDED.findall(shown)
    assert [] == FOLDED.findall(whole)
    listed = [
        line.split()[0] for line in shown[shown.index("formula") :].splitlines() if line[:2] != "… " and line.strip()
    ]
    assert len(names) - int(hidden) == len([name for name in aliases if name in listed[: listed.index("tangents")]])
    assert all(re.search(rf"^ {name} ", whole, re.MULTILINE) for name in aliases)


# What each format has for every row of a table.
ROWS = {
    "table": r"^[A-Za-z]\w* ", "plain": r"^[A-Za-z]\w* ", "markdown": r"^\| [A-Za-z]", "latex": r" \\\\$",
    "html": r'<th scope="row">', "rst": r"   \* - ", "typst": r"^  \[\$", "csv": r"^1,", "json": r'"grad_wrt_parents"',
    "ndjson": r'"grad_wrt_parents"',
}  # fmt: skip


@pytest.mark.parametrize("form", ROWS)
def test_nothing_folds_but_on_a_terminal(form: str, tmp_path: Any) -> None:
    piped = run("eval", LSTM, "--quiet", "--format", form).out
    file = tmp_path / "out"
    assert (0, "") == run("eval", LSTM, "--quiet", "--format", form, "-o", str(file))[:2]
    for text in (piped, file.read_text(encoding="utf-8")):
        assert not re.search(r"\d+ rows; ", text)
        assert len(_data(LSTM)["nodes"]) <= len(re.findall(ROWS[form], text, re.MULTILINE))
    if form != "table":
        assert piped == terminal("eval", LSTM, "--quiet", "--format", form).out


@given(rows=st.integers(1, 60), most=st.integers(0, 40), rules=st.sets(st.integers(1, 59)))
@examples(60)
def test_a_folded_table_has_its_first_and_last_rows_and_tells_of_the_others(
    rows: int, most: int, rules: set[int]
) -> None:
    table = Table([(f"row{k}", "text") for k in range(rows)], ("", "words"), tuple(sorted(rules)))
    text = draw(table, 40, False, most=most)
    found = [int(k) for k in re.findall(r"row(\d+)", text)]
    hidden = sum(map(int, FOLDED.findall(text)))
    assert rows == len(found) + hidden
    assert sorted({*found}) == found
    assert {0, rows - 1} <= {*found}
    assert hidden == 0 or hidden == found[len(found) - len(found) // 2] - found[(len(found) - 1) // 2] - 1
    assert hidden == 0 or hidden > 6


def test_only_what_belongs_to_a_trace_folds() -> None:
    table = Table([(f"row{k}", "text") for k in range(200)])
    assert 200 == Terminal(80, False, lines=24).table(table).count("row")
    assert 200 > Terminal(80, False, lines=24).table(table._replace(folds=True)).count("row")


# --- widths -----------------------------------------------------------------------------------------------------------


def _ink(text: str) -> Counter[str]:
    return Counter(re.sub("[\\s─]|-{2,}", "", text))


@pytest.mark.parametrize("style", ["wide", "paper", "baydin"])
def test_no_line_is_longer_than_the_terminal_and_nothing_is_cut_off(
    style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = (LSTM,) if style == "baydin" or THOROUGH else ()
    for problem in (f"Black-Scholes {'n' * 210}: {BLACK_SCHOLES}", *long):
        plain = _ink(run("eval", problem, "--quiet", "--style", style).out)
        for columns in (20, 80, 200, *((60, 160) if THOROUGH else ())):
            with monkeypatch.context() as context:
                context.setattr("adcli.cli.pages.format_of", lambda *_, columns=columns: Terminal(columns, False))
                shown = run("eval", problem, "--quiet", "--style", style).out
            assert columns >= max(map(width, shown.splitlines())), columns
            assert Counter() == plain - _ink(shown), columns


def test_blocks_of_a_wide_table_repeat_name_and_formula() -> None:
    shown = terminal("eval", LSTM, "--quiet", "--mode", "forward", "--all", columns=80, NO_COLOR="1").out
    heads = [line.split() for line in shown.splitlines() if "∂v/∂" in line]
    assert len(heads) > 2
    assert all(head[0] == "formula" for head in heads)
    assert len(heads) == len(re.findall(r"^ s1 +v\d+ \+ v\d+ ", shown, re.MULTILINE))


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_numbers_stay_whole_on_a_terminal(columns: int) -> None:
    shown = terminal("eval", LSTM, "--quiet", "--all", "--digits", "9", columns=columns, NO_COLOR="1").out
    for number in _data(LSTM)["outputs"][0]["gradient"].values():
        assert f"{number:.9g}".replace("-", "−").split("e")[0][:9] in shown


# --- in Python --------------------------------------------------------------------------------------------------------


def test_a_trace_in_python_keeps_its_shape_and_shows_what_is_named() -> None:
    text, _, point = LSTM.partition(" @ ")
    at = {name: float(x) for name, x in (item.split("=") for item in point.split(", "))}
    f = adcli.parse(text, list(at))
    shown = repr(f.trace(at))
    assert 2 == len(_results(shown + "\n"))
    assert 6 == len(_tangents(shown))
    assert "show more with wrt" in shown
    assert list(f.inputs) == _tangents(repr(f.trace(at, wrt=f.inputs)))
    page = f.trace(at).to("html")
    assert 1 == page.count("values and derivatives</caption>")  # a document has its results once, and no options
    assert "<p>tangents for 6 of 25 inputs: " in page
    assert "show more" not in page
