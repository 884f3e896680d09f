"""README.md and the manual tell the truth: every block is run and compared, every command and option is mentioned.

After output has been changed on purpose,

    ADCLI_UPDATE=1 python -m pytest tests/test_readme.py

writes what the console blocks print anew; read the difference before it is committed.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from running import LONGEST_RUN, UTF8, environment

import adcli
from adcli.cli import main as command_line
from adcli.cli.options import Command, CommandRequest
from adcli.language.problems import Problem, read_problems

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
MANUAL = ROOT / "adcli" / "manual"
PAGES = {path.name: path for path in (README, *sorted(MANUAL.glob("*.md")))}
FIRST = README.read_text(encoding="utf-8")
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in PAGES.values())
UPDATE = bool(os.environ.get("ADCLI_UPDATE"))
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str, text: str = TEXT) -> list[str]:
    """The blocks of one language, in order."""
    return [body for found, body in _BLOCK.findall(text) if found == language]


def places() -> list[tuple[str, int]]:
    """Every console block: its page, and its number there."""
    return [
        (name, place)
        for name, path in PAGES.items()
        for place in range(len(blocks("console", path.read_text(encoding="utf-8"))))
    ]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block and what stands below each."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def printed(command: str) -> tuple[str, int]:
    """All that a command prints, on both streams in the order of time, and its exit code."""
    if "|" in shlex.split(command):
        return _in_a_shell(command)
    together = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(together), contextlib.redirect_stderr(together):
        code = command_line.main(shlex.split(command)[1:])
    together.flush()
    together.seek(0)
    return together.read(), code


def _in_a_shell(command: str) -> tuple[str, int]:
    adcli = f"{shlex.quote(sys.executable)} -m adcli"
    done = subprocess.run(
        ["bash", "-c", re.sub(r"(^|\| )adcli ", lambda match: f"{match.group(1)}{adcli} ", command)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT, env=environment(**UTF8),
        timeout=LONGEST_RUN, check=False,
    )  # fmt: skip
    return done.stdout.decode("utf-8"), done.returncode


def run_block(block: str) -> str:
    """A console block with what its commands print now."""
    out = []
    code = 0
    for command, _ in commands(block):
        text = f"{code}\n"
        if command != "echo $?":
            text, code = printed(command)
        out.append(f"$ {command}\n{text}")
    return "".join(out)


@pytest.fixture(scope="session", autouse=True)
def updated() -> None:
    """Writes the console blocks anew where that is asked for."""
    if UPDATE:

        def renewed(match: re.Match[str]) -> str:
            body = run_block(match.group(2)) if match.group(1) == "console" else match.group(2)
            return f"```{match.group(1)}\n{body}```"

        for path in PAGES.values():
            path.write_text(_BLOCK.sub(renewed, path.read_text(encoding="utf-8")), encoding="utf-8")


def titled(block: str) -> str:
    return block.partition("\n")[0].removeprefix("$ ").removeprefix(">>> ")


# --- blocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("page", "place"), places())
def test_a_console_block_prints_what_it_says(page: str, place: int) -> None:
    block = blocks("console", PAGES[page].read_text(encoding="utf-8"))[place]
    assert block == run_block(block)


@pytest.mark.parametrize("block", [block for block in blocks("python") if ">>>" in block], ids=titled)
def test_a_python_block_gives_what_it_says(block: str) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", None, 0)
    report: list[str] = []
    failed, tried = doctest.DocTestRunner().run(test, out=report.append)
    assert tried > 0
    assert not failed, "".join(report)


@pytest.mark.parametrize("block", [block for block in blocks("python") if ">>>" not in block], ids=titled)
def test_a_row_that_is_shown_stands_in_the_table_of_functions(block: str) -> None:
    tables = [path.read_text(encoding="utf-8") for path in (ROOT / "adcli" / "table").glob("*.py")]
    assert any(block in table for table in tables)


def test_no_block_is_of_a_kind_that_nobody_runs() -> None:
    assert {"console", "python", "sh"} == {language for language, _ in _BLOCK.findall(TEXT)}


def test_the_first_table_is_the_adjoint_table_of_the_paper() -> None:
    first = README.read_text(encoding="utf-8").partition("\n## ")[0]
    lines = [" ".join(line.split()) for line in blocks("console", first)[0].splitlines()]
    assert lines[1:3] == ["x̄1 = 5.5", "x̄2 = 1.716"]
    assert "v̄3 = v̄5 ∂v5/∂v3 = v̄5 × (−1) = −1" in lines
    assert lines.index("v̄5 = ȳ = 1") > lines.index("v̄4 = v̄5 ∂v5/∂v4 = v̄5 × 1 = 1")


def language() -> Iterator[str]:
    """What the table of the language says can be written."""
    for line in TEXT.partition("| you write |")[2].partition("\n\n")[0].splitlines()[2:]:
        yield from (span.replace("\\|", "|") for span in re.findall(r"`([^`]+)`", line.split(" | ")[0]))


@pytest.mark.parametrize("text", list(language()))
def test_what_can_be_written_can_be_read(text: str) -> None:
    (problem,) = read_problems([text])
    assert isinstance(problem, Problem)
    assert adcli.parse(problem.source.text).outputs


# --- the two commands ------------------------------------------------------------------------------------------------


def test_there_are_two_commands_to_type_each_of_one_line() -> None:
    assert [1, 1] == [len(block.splitlines()) for block in blocks("sh", FIRST)]


def test_the_first_command_makes_the_table_that_the_page_opens_with() -> None:
    command, _ = next(commands(blocks("console", FIRST)[0]))
    assert blocks("sh", FIRST)[0].strip().endswith(f".venv/bin/{command}")


def test_the_second_command_is_what_continuous_integration_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert blocks("sh", FIRST)[1].strip() in script.splitlines()


# --- commands and options --------------------------------------------------------------------------------------------


def options() -> Iterator[tuple[str, str]]:
    """Every command with each of its options' spellings."""
    for name in command_line.COMMANDS:
        command: Command[CommandRequest] = import_module(f"adcli.cli.commands.{name}").COMMAND
        yield name, f"adcli {name}"
        for option in command.options.values():
            yield from ((name, spelling) for spelling in option.names)


def test_every_command_and_option_is_mentioned() -> None:
    assert [] == [
        (command, spelling)
        for command, spelling in options()
        if not re.search(rf"`[^`]*(?<![\w-]){re.escape(spelling)}(?![\w-])[^`]*`", TEXT)
    ]


def test_every_option_that_is_mentioned_exists() -> None:
    known = {spelling for _, spelling in options()} | {
        "--version",
        "--help",
        "--help-all",
        "--from",
    }  # the last one is of uvx
    mentioned = {word for text in re.findall(r"`[^`\n]+`", TEXT) for word in re.findall(r"(?<!\w)--\w[\w-]*", text)}
    assert not mentioned - known


# --- the way through the pages ---------------------------------------------------------------------------------------

_LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_every_page_is_reached_in_two_steps() -> None:
    first = {(ROOT / target).resolve() for target in _LINK.findall(FIRST)}
    index = MANUAL / "index.md"
    assert index in first
    second = {(MANUAL / target).resolve() for target in _LINK.findall(index.read_text(encoding="utf-8"))}
    assert set(MANUAL.glob("*.md")) <= first | second


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    targets = _LINK.findall(PAGES[page].read_text(encoding="utf-8"))
    assert [] == [target for target in targets if not (PAGES[page].parent / target).exists()]


@pytest.mark.parametrize("page", [name for name in PAGES if name not in ("README.md", "index.md")])
def test_a_page_is_short_and_says_first_what_it_is_about(page: str) -> None:
    lines = PAGES[page].read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ") and lines[2] and not lines[2].startswith(("#", "`" * 3, "|"))
    assert len(lines) <= 130


def test_the_readme_is_a_screen_and_a_half() -> None:
    assert len(FIRST.splitlines()) <= 110
