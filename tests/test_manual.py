"""The manual is shown by the program itself: on a terminal, as a site, as man pages."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from running import run

from adcli.cli.options import COMMANDS
from adcli.render import manual


def test_help_alone_is_the_list_of_pages() -> None:
    shown = run("help")
    assert 0 == shown.code
    assert manual.markdown("index") == shown.out


@pytest.mark.parametrize("topic", manual.topics())
def test_help_with_a_topic_is_its_page(topic: str) -> None:
    assert manual.markdown(topic) == run("help", topic).out


@pytest.mark.parametrize(
    ("command", "usage"), [("taylor", " [EXPR]"), ("map", " [EXPR] [POINTS]"), ("prompt", ""), ("new", "")]
)
def test_help_with_a_command_is_its_options_and_names_its_arguments(command: str, usage: str) -> None:
    assert f"Usage: adcli {command} [OPTIONS]{usage}\n" in run("help", command).out


def test_a_topic_that_is_not_there_is_answered_with_the_nearest() -> None:
    shown = run("help", "pictuers")
    assert 2 == shown.code
    assert "did you mean adcli help pictures?" in shown.err


@pytest.mark.parametrize("topic", manual.topics())
def test_on_a_terminal_no_link_of_markdown_is_left(topic: str) -> None:
    shown = manual.for_terminal(topic, 100, color=False)
    assert ".md)" not in shown and "\x1b" not in shown
    assert manual.title(topic) in shown


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("href", "src")]


def test_the_site_has_every_page_and_no_link_that_leads_nowhere(tmp_path: Path) -> None:
    assert 0 == run("help", "--format", "html", "-o", str(tmp_path)).code
    pages = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert {f"{topic}.html" for topic in manual.topics()} == set(pages)
    for text in pages.values():
        links = _Links()
        links.feed(text)
        assert [] == [link for link in links.found if link not in pages and not link.startswith("data:image/svg+xml")]


def test_there_are_man_pages_of_every_command_and_every_page(tmp_path: Path) -> None:
    assert 0 == run("help", "--format", "man", "-o", str(tmp_path)).code
    names = {path.name for path in tmp_path.iterdir()}
    assert {f"adcli-{command}.1" for command in COMMANDS} | {
        f"adcli-{'manual' if topic == 'index' else topic}.7" for topic in manual.topics()
    } == names
    check = (tmp_path / "adcli-check.7").read_text(encoding="utf-8")
    assert check.startswith(".TH ADCLI-CHECK 7")
    assert not re.search(r"(?m)^'", check)


@pytest.mark.skipif(shutil.which("man") is None, reason="no man on this machine")
def test_man_has_nothing_to_say_against_the_pages(tmp_path: Path) -> None:
    run("help", "--format", "man", "-o", str(tmp_path))
    for path in tmp_path.iterdir():
        done = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(path)],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert (0, "") == (done.returncode, done.stderr), path.name


def test_all_pages_need_a_folder() -> None:
    assert 2 == run("help", "--format", "man").code
    assert 2 == run("help", "points", "-o", "x").code
