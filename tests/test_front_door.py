"""The front door: an expression without a command, the prompt, completion, and what is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from running import CHECKOUT, UTF8, environment, run

from adcli.cli import synonyms
from adcli.cli.options import COMMANDS, GROUPS
from adcli.extras import EXTRAS, install_command

# --- an expression without a command ----------------------------------------------------------------------------------

EXPRESSIONS = [
    ["x^2*y", "--at", "x=3,y=4"], ["-x^2", "--at", "x=3"], ["alpha", "--at", "alpha=2"], ["(x+1)^2 @ x=2"],
    ["sin x", "--at=x=1"], ["2", "--mode", "value"], ["--at", "x=1", "x+1"], ["x^2+("],
    ["-f", "samples/paper.txt", "--format", "csv"], ["map*2", "--at", "map=2"], ["grad", "--at", "grad=2"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", EXPRESSIONS, ids=" ".join)
def test_an_expression_alone_is_evaluated(arguments: list[str]) -> None:
    assert run("eval", *arguments) == run(*arguments)


@pytest.mark.parametrize("word", ["evl", "gradient", "derivative", "Diff", "chek", "hlep", "derive"])
def test_a_mistyped_command_is_no_expression(word: str) -> None:
    answer = run(word, "x^2")
    assert (2, "") == (answer.code, answer.out)
    assert re.search(r"there is no command called \w+\n  = help: did you mean adcli \w+ \"x\^2\"\?", answer.err)


@pytest.mark.parametrize("word", COMMANDS)
def test_every_command_with_a_letter_missing_is_recognised(word: str) -> None:
    for place in range(len(word)):
        short = word[:place] + word[place + 1 :]
        if len(word) > 4 and short not in (*COMMANDS, "grad"):
            assert f'did you mean adcli {word} "x^2"?' in run(short, "x^2").err, short


def test_nothing_on_a_terminal_is_a_table_and_what_to_try() -> None:
    pty = pytest.importorskip("pty")
    shown = bytearray()

    def kept(descriptor: int) -> bytes:
        data = os.read(descriptor, 1024)
        shown.extend(data)
        return data

    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(write, 1)
        os._exit(os.waitstatus_to_exitcode(pty.spawn([sys.executable, "-m", "adcli"], kept)))
    os.close(write)
    text = b"".join(iter(lambda: os.read(read, 4096), b"")).decode()
    assert 0 == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert "11.652" in text and text.count("       adcli ") >= 2 and "adcli help" in text


# --- the prompt -------------------------------------------------------------------------------------------------------


def prompted(*lines: str) -> str:
    answer = run("prompt", "--quiet", stdin="\n".join(lines) + "\n")
    return answer.out + answer.err


@pytest.mark.parametrize(
    ("lines", "same"),
    [
        (["x = 3", "x^2"], ["eval", "x^2", "--at", "x=3"]),
        (["x = 3, y = max(1, 2)", "x^2*y"], ["eval", "x^2*y", "--at", "x=3,y=2"]),
        (["x = 3", "x = 4", "x^2"], ["eval", "x^2", "--at", "x=4"]),
        (["a = x*y", "x=1,y=2", "sin(a)"], ["eval", "a = x*y; sin(a)", "--at", "x=1,y=2"]),
        (["a = x*y", "b = a^2", "c = 1", "x=1,y=2", "b"], ["eval", "a = x*y; b = a^2; b", "--at", "x=1,y=2"]),
        (["a = x", "a = 2*x", "x=1", "a"], ["eval", "a = 2*x; a", "--at", "x=1"]),
        (["a = 2", "a = 2*x", "x=1", "a+1"], ["eval", "a = 2*x; a+1", "--at", "x=1"]),
        (["a = 2*x", "b = 3*x", "a = b+1", "x=2", "a"], ["eval", "b = 3*x; a = b+1; a", "--at", "x=2"]),
        (["x=2", "eval --mode forward x^2"], ["eval", "x^2", "--mode", "forward", "--at", "x=2"]),
        (["f(u) = u^2", "x=3", "f(x)"], ["eval", "f(u) = u^2; f(x)", "--at", "x=3"]),
        (["diff x^2 + 2 --wrt x"], ["diff", "x^2 + 2", "--wrt", "x"]),
        (["x=2", "taylor exp(x) --order 2"], ["taylor", "exp(x)", "--order", "2", "--at", "x=2"]),
        (["map = 3", "map * 2"], ["eval", "map * 2", "--at", "map=3"]),
        (["x=2", "", "# nothing", "x; x^2"], ["eval", "x; x^2", "--at", "x=2"]),
        (["x=2", "exp(1)"], ["eval", "exp(1)"]),
        (["x=2, y=3", "exp(xy)"], ["eval", "exp(xy)", "--at", "x=2,y=3"]),
        (["help points"], ["help", "points"]),
    ],
)  # fmt: skip
def test_the_prompt_answers_as_the_command_line_does(lines: list[str], same: list[str]) -> None:
    expected = run(*same, "--quiet")
    assert expected.code == 0
    assert expected.out == prompted(*lines)


def test_the_prompt_shows_and_forgets() -> None:
    assert "x = 3\na = x*y\n" == prompted("x = 3", "y = 1", "a = x*y", "forget y", "show", "quit", "x")
    assert "there is no value or definition called q" in prompted("forget q")


def test_a_line_that_cannot_be_read_stops_nothing() -> None:
    answer = run("prompt", "--quiet", stdin="x = 2\nx^2+(\na = b*\nx +* 2\ndiff 'x\nx\n")
    assert 2 == answer.code
    assert 4 == answer.err.count("error:")
    assert run("eval", "x", "--at", "x=2").out == answer.out


# --- completion -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(shell: str, tmp_path: Path) -> None:
    answer = run("completion", shell)
    assert 0 == answer.code and "_ADCLI_COMPLETE" in answer.out
    if shutil.which(shell) and shell != "fish":
        script = tmp_path / "script"
        script.write_text(answer.out, encoding="utf-8")
        assert 0 == subprocess.run([shell, "-n", str(script)], check=False).returncode


def test_no_other_shell_is_promised() -> None:
    assert 2 == run("completion", "tcsh").code


def completed(words: str, place: int) -> list[str]:
    """What a shell is told about a line, with the cursor in the word of this number."""
    done = subprocess.run(
        [sys.executable, "-m", "adcli"], capture_output=True, text=True, check=True,
        env=environment(**UTF8, _ADCLI_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(place)),
    )  # fmt: skip
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_a_shell_completes_commands_options_and_values() -> None:
    assert ["taylor"] == completed("adcli tay", 1)
    assert ["--mode"] == completed("adcli eval --mo", 2)
    assert ["reverse"] == completed("adcli eval x --mode rev", 4)


# --- what is installed ------------------------------------------------------------------------------------------------


def test_every_extra_of_the_project_is_explained() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(EXTRAS) == set(project["optional-dependencies"]) - {"test", "bench", "dev"}


def test_doctor_names_every_extra() -> None:
    told = json.loads(run("doctor", "--format", "json").out)
    assert list(EXTRAS) == [extra["extra"] for extra in told["extras"]]
    assert "doctor/1" == told["schema"]
    assert 0 == run("doctor").code


def test_the_command_that_installs_names_a_python_that_is_there() -> None:
    python = install_command("plot").split()[0]
    assert shutil.which(python) or Path(python).exists()


def test_every_command_is_in_one_group_of_the_help() -> None:
    assert sorted(COMMANDS) == sorted(name for names in GROUPS.values() for name in names)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("latex", "adcli eval --format latex"), ("csv", "adcli map"), ("jacobian", "adcli diff"),
        ("chain rule", "adcli help derivations"), ("excel", "adcli compile"), ("besselj", "adcli functions besselj"),
        ("jupyter", "adcli help documents"), ("moodle", "adcli grade"), ("radians", "adcli help check"),
    ],
)  # fmt: skip
def test_the_help_is_searched_for_words(words: str, expected: str) -> None:
    answer = run("help", *words.split())
    assert (0, "") == (answer.code, answer.err)
    assert expected in answer.out


@pytest.mark.parametrize("table", ["commands", "options"])
def test_synonyms_mean_what_exists_and_are_not_names_themselves(table: str) -> None:
    options = {
        n for c in COMMANDS for o in import_module(f"adcli.cli.commands.{c}").COMMAND.options.values() for n in o.names
    }
    for word, meanings in synonyms.synonyms(table).items():
        names = {meaning.removeprefix("adcli ").partition(" ")[0] for meaning in meanings}
        assert names <= {*COMMANDS, *options, "--help-all", "--version"}
        assert word not in COMMANDS
