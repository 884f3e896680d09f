"""Notes have kinds, each of which can be turned off; what is no derivative is told all the same."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from running import run
from sources import parsed

import adcli
from adcli.cli import note_kinds
from adcli.cli.note_kinds import TOPICS
from adcli.cli.options import COMMANDS
from adcli.render import manual
from adcli.table.primitive import ROWS

# A problem that has a note of this kind.
TOLD = {
    "log": "log(x) @ x=2", "order": "x^1/2 @ x=2", "product": "x(x+1) @ x=2", "names": "mc + 1 @ mc=2; m=1",
    "constants": "e^2 @ e=1", "inverse": "sin^-1(x) @ x=0.5", "degrees": "sin 30° + x @ x=1", "percent": "x % 2 @ x=3",
    "brackets": "{x} + 1 @ x=1", "characters": "ｘ+1 @ x=1", "label": "2. x @ x=1", "kink": "abs(x) @ x=0",
    "sum": r"\sum_{i=1}^{3} i x + 1 @ x=1", "rounded": "x + 12345678901234567 @ x=1", "round": "round(x) @ x=2.3",
    "underflow": "x + 1e-999 @ x=1", "unused": "x @ x=1, y=2", "infinite": "sqrt(x) @ x=0",
    "overflow": "exp(x) @ x=1000",
}  # fmt: skip
BROKEN = {
    "no-note = 3": "no-note is not a list of texts", "no-note = [1]": "no-note is not a list of texts",
    "x = 1": "the setting x is not known", "no-note = [": "Invalid value (at end of document)",
    "no-note = " + "[" * 20_000: "nested too deeply", "#" * 70_000: "larger than 64,000 bytes",
    "no-note = ['fog']": "there is no kind of note called fog", "\udcff": "is not UTF-8",
    '"\\u001b[31m" = 1': "is not known",
}  # fmt: skip


@pytest.fixture
def settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of settings in the folder that the system has for them, which is not there yet."""
    monkeypatch.delenv("ADCLI_SETTINGS")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "adcli").mkdir()
    return tmp_path / "adcli" / "settings.toml"


@pytest.mark.parametrize("topic", [topic for topic in TOLD if topic != "names"])
def test_each_kind_of_note_can_be_turned_off_and_leaves_the_others(topic: str) -> None:
    problem = f"{TOLD[topic].replace(' @', ' + 0*log(x+2) @', 1)}" if topic != "log" else "log(x) + x^1/2 @ x=1"
    problem = problem if topic not in ("constants", "sum", "brackets") else TOLD[topic]
    notes = run("eval", problem, "--no-trace").err.splitlines()
    fewer = run("eval", problem, "--no-trace", "--no-note", topic).err.splitlines()
    assert set(fewer) < set(notes)
    assert all("log is read" not in note for note in notes if note not in fewer) or topic == "log"


def test_kinds_may_be_repeated_and_joined_by_commas() -> None:
    problem = ("eval", "log(x) + x^1/2 + 2. x @ x=4", "--no-trace")
    assert 2 == run(*problem).err.count("note: ")
    assert "" == run(*problem, "--no-note", "log", "--no-note", "order, label").err


def test_every_kind_that_the_source_has_is_listed() -> None:
    found = set()
    for file in parsed().values():
        for node in file.nodes:
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            kinds = [k.value for k in node.keywords if k.arg == "topic"]
            kinds += node.args[1:2] * (name == "Note") + node.args[2:4] * (name == "Reading")
            found |= {k.value for k in kinds if isinstance(k, ast.Constant) and isinstance(k.value, str)}
    assert found - {"reading", ""} <= set(TOPICS) | {name for name, row in ROWS.items() if row.reading}
    assert all(f"| `{topic}` |" in manual.markdown("notes") for topic in TOPICS)


def test_every_command_can_be_told_to_leave_notes_out() -> None:
    assert all("--no-note" in run(command, "--help-all").out for command in COMMANDS)


def test_a_kind_that_there_is_none_is_answered_with_what_was_meant() -> None:
    answer = run("eval", "x", "--at", "x=1", "--no-note", "ordr")
    assert (2, True) == (answer.code, "did you mean order?" in answer.err)


@pytest.mark.parametrize("options", [["--quiet"], ["-q", "--no-note", "log"]])
def test_quiet_never_hides_a_kink(options: list[str]) -> None:
    answer = run("eval", "abs(x) + log(x+1) @ x=0", "--no-trace", *options)
    assert "abs has a corner at 0" in answer.err
    assert "log is read" not in answer.err
    assert "" == run("eval", "abs(x) @ x=0", "--no-trace", "-q", "--no-note", "kink").err


@pytest.mark.parametrize("text", ["log(x)", "\\log x", "log(x1)+x1*x2-sin(x2)", "log(x) + ln(y)", "-log(h)"])
def test_log_is_told_where_another_base_may_be_meant(text: str) -> None:
    assert "log is read" in run("diff", text).err


@pytest.mark.parametrize(
    "text", ["log(x, 2)", "ln(x)", "log(1+exp(x))", "log(e^x + 1)", "log(x) + log10(x)", "log_2(x)"]
)
def test_log_is_not_told_where_what_stands_beside_it_says_which_it_is(text: str) -> None:
    assert "log is read" not in run("diff", text).err


def test_a_point_against_another_is_told() -> None:
    told = "note: x has the value 3 that the problem gives it, not 5 of --at\n"
    for command in ("eval", "diff", "plot", "taylor", "explain", "step", "graph"):
        assert told in run(command, "x^2 @ x=3", "--at", "x=5").err, command
    assert "" == run("eval", "x^2 @ x=3", "--at", "x=3").err
    assert 1 == run("eval", "-", "--at", "x=5", stdin="x @ x=3\nx^2 @ x=4\nx^3\n").err.count("note: x has the value")


@pytest.mark.parametrize(
    "text", ['no-note = ["log", "order"]', 'no-note = "log, order"', "no-note = ['ln', 'order']\n"]
)
def test_settings_leave_notes_out(settled: Path, text: str) -> None:
    settled.write_text(text, "utf-8")
    assert "" == run("eval", "log(x) + x^1/2 @ x=4", "--no-trace").err
    assert f"settings    {settled} (no-note: log, order)" in run("doctor").out


def test_without_settings_nothing_is_left_out(settled: Path) -> None:
    assert "log is read" in run("eval", "log(x) @ x=4").err
    assert f"{settled} (not there)" in run("doctor").out
    settled.write_text("", "utf-8")
    assert "log is read" in run("eval", "log(x) @ x=4").err


@pytest.mark.parametrize("text", list(BROKEN), ids=list(BROKEN.values()))
def test_settings_that_cannot_be_read_are_told_with_their_file(settled: Path, text: str) -> None:
    settled.write_bytes(text.encode("utf-8", "surrogateescape"))
    answer = run("eval", "x @ x=4")
    assert (2, "") == (answer.code, answer.out)
    assert BROKEN[text] in answer.err and str(settled) in answer.err
    assert "\x1b" not in answer.err
    assert (0, "") == run("doctor")[::2]


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("/dev/zero", path)])
def test_settings_that_are_no_file_are_told(settled: Path, make: object) -> None:
    assert callable(make)
    make(settled)
    assert "this is not a file" in run("eval", "x @ x=4").err
    assert 0 == run("doctor").code


def test_a_variable_names_other_settings_or_none(
    settled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled.write_text("no-note = 'log'", "utf-8")
    monkeypatch.setenv("ADCLI_SETTINGS", "")
    assert note_kinds.settings_path() is None
    assert "log is read" in run("eval", "log(x) @ x=4").err
    monkeypatch.setenv("ADCLI_SETTINGS", str(tmp_path / "nothing.toml"))
    assert "No such file" in run("eval", "log(x) @ x=4").err


def test_a_relative_folder_of_settings_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADCLI_SETTINGS")
    monkeypatch.setenv("XDG_CONFIG_HOME", "here")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert "/home/somebody/.config/adcli/settings.toml" == note_kinds.settings_path()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3*sqrt(x)^2*y", "f is not defined on both sides of this point: slope 3 from the right in x, slope 0 in y"),
        ("sqrt(x)^2 + sqrt(-x)^2", "y is not smooth here"),
        ("sqrt(x^2)*sqrt(x + 1)*2 + abs(x)", "y is not smooth here: slope -3 from the left and 3 from the right in x"),
    ],
)
def test_a_kink_has_the_slopes_of_its_sides_if_it_has_sides(text: str, said: str) -> None:
    e = adcli.parse(text)
    notes = e.trace({"x": 0.0, "y": 1.0} if "y" in text else {"x": 0.0}).notes
    assert said == [note.text for note in notes if note.kind == "kink"][-1]
