"""`adcli functions`: the whole table, in every format."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from running import only_json, run, terminal, width

from adcli.cli.commands.functions import FORMATS
from adcli.table.functions import EVERYDAY
from adcli.table.primitive import ROWS, Primitive, lookup, spellings
from adcli.trace.written_rules import rule_of

NAMES = list(dict.fromkeys((*EVERYDAY, *ROWS)))


def inked(text: str) -> Counter[str]:
    """How often each character stands in a text, blanks and lines of tables aside."""
    return Counter(re.sub("[\\s\u2500-\u257f]|-{2,}", "", text))


@pytest.mark.parametrize("form", ["table", "plain"])
def test_plain_text_has_a_line_for_every_row(form: str) -> None:
    result = run("functions", "--format", form)
    lines = result.out.splitlines()
    assert (0, "") == (result.code, result.err)
    assert NAMES == [line.split()[0] for line in lines[2:]]
    assert lines[0].split()[0] == "name"
    assert set(lines[1]) == {"-"}
    assert not re.search("[\u2500-\u257f\x1b]", result.out)


def test_off_a_terminal_the_default_is_plain() -> None:
    assert run("functions", "--format", "plain") == run("functions")


def test_every_line_tells_what_the_function_is() -> None:
    lines = dict(zip(NAMES, run("functions").out.splitlines()[2:], strict=True))
    assert all(ROWS[name].summary in line for name, line in lines.items())
    assert all(alias in line for name, line in lines.items() for alias in ROWS[name].aliases)
    assert "1/x" in lines["log"]
    assert "x > 0" in lines["log"]
    assert "cos x" in lines["sin"]


def test_markdown_is_a_table_with_a_line_for_every_row() -> None:
    result = run("functions", "--format", "markdown")
    lines = result.out.splitlines()
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    assert 0 == result.code
    assert NAMES == [row[0].strip() for row in cells[2:]]
    assert {len(cells[0])} == {len(row) for row in cells}
    assert {"-"} == set("".join(cells[1]).replace(" ", ""))


def test_json_has_an_object_for_every_row() -> None:
    found = only_json(run("functions", "--format", "json"))
    assert isinstance(found, dict)
    assert found["schema"] == "functions/1"
    rows = found["functions"]
    assert NAMES == [row["name"] for row in rows]
    for row in rows:
        assert {"name", "call", "derivatives", "domain", "aliases", "summary", "arity"} <= set(row)
        assert [str, str, list, str, list, str] == [
            type(row[k]) for k in ("name", "call", "derivatives", "domain", "aliases", "summary")
        ]
        assert ROWS[row["name"]].summary == row["summary"]
        assert list(ROWS[row["name"]].aliases) == row["aliases"]
        arity = ROWS[row["name"]].arity
        assert arity == row["arity"]
        assert len(row["derivatives"]) in (1, arity)
        assert row["summary"]
        assert row["call"]


def test_every_spelling_finds_its_row() -> None:
    words = list(spellings())
    found = json.loads(run("functions", "--format", "json", *words).out)["functions"]
    wanted = [row.name for word in words if (row := lookup(word)) is not None]
    assert list(dict.fromkeys(wanted)) == list(dict.fromkeys(row["name"] for row in found))


def test_functions_can_be_asked_for_by_name() -> None:
    lines = run("functions", "sin", "max").out.splitlines()
    assert ["sin", "max"] == [line.split()[0] for line in lines[2:]]


@pytest.mark.parametrize(("word", "meant"), [("sinn", "sin"), ("sqr", "sqrt"), ("logg", "log"), ("Atan2", "atan2")])
def test_an_unknown_name_gets_a_suggestion(word: str, meant: str) -> None:
    for form in FORMATS:
        result = run("functions", "cos", word, "--format", form)
        assert (2, "") == result[:2]
        assert f"error: there is no function called {word}" in result.err
        assert re.search(rf"= help: .*\b{meant}\b", result.err)


@pytest.mark.parametrize("word", ["", "zzzzzzzzz", "-x", "x" * 5000, "\x1b[31m", "[red]", "é\u202e"])
def test_a_name_like_nothing_is_an_error_all_the_same(word: str) -> None:
    result = run("functions", "--", word)
    assert (2, "") == result[:2]
    assert result.err.startswith("error: ")
    assert "\x1b" not in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("columns", [40, 80, 140])
def test_the_table_on_a_terminal_wraps_and_never_loses_a_character(columns: int) -> None:
    shown = terminal("functions", "log", "max", "atan2", "sqrt", "abs", columns=columns, NO_COLOR="1")
    plain = run("functions", "log", "max", "atan2", "sqrt", "abs").out
    assert 0 == shown.code
    assert Counter() == inked(plain) - inked(shown.out)
    assert max(width(line) for line in shown.out.splitlines()) <= columns


def test_the_list_can_be_written_to_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for suffix, form in ((".md", "markdown"), (".json", "json"), (".txt", "plain"), (".csv", "csv"), (".tex", "latex")):
        file = tmp_path / f"functions{suffix}"
        assert (0, "", "") == run("functions", "-o", str(file))
        assert run("functions", "--format", form).out == file.read_text(encoding="utf-8")
    assert 2 == run("functions", "-o", str(tmp_path / "functions.ndjson")).code


def test_the_list_can_be_ascii() -> None:
    for form in FORMATS:
        result = run("functions", "--ascii", "--format", form)
        assert 0 == result.code
        assert result.out.isascii()
        assert "?" not in result.out


def test_partials_of_any_number_of_arguments_come_from_the_rule() -> None:
    row = Primitive("together", value=lambda _, *xs: sum(xs), partials=lambda *given: [2 for _ in given[2:]], least=2)
    assert ("2; 2 of a, b alone",) == rule_of(row).derivatives
    assert ("1 for the one that is chosen, else 0; ties share equally",) == rule_of(ROWS["min"]).derivatives


def test_operators_are_the_rows_that_are_not_written_as_calls() -> None:
    for entry in json.loads(run("functions", "--format", "json").out)["functions"]:
        assert entry["operator"] != (entry["name"] == "abs" or re.match(r"\w+\(", entry["call"]) is not None), entry
