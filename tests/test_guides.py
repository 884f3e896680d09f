"""The guides for contributors speak of what is there."""

from __future__ import annotations

import re

import pytest
from running import CHECKOUT

GUIDES = sorted((CHECKOUT / ".github").glob("*.md"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in [*GUIDES, CHECKOUT / ".justfile"]}


def test_there_is_a_guide_and_a_changelog() -> None:
    assert {"CHANGELOG.md", "CONTRIBUTING.md"} <= set(TEXTS)


@pytest.mark.parametrize("name", TEXTS)
def test_every_path_that_a_guide_names_is_there(name: str) -> None:
    paths = set(re.findall(r"(?<![\w/])(?:adcli|tests|grammar|\.ci)/[\w./]*[\w/]", TEXTS[name]))
    assert [] == sorted(path for path in paths if not (CHECKOUT / path).exists())


@pytest.mark.parametrize("name", TEXTS)
def test_every_module_that_a_guide_runs_is_there(name: str) -> None:
    modules = {module.replace(".", "/") for module in re.findall(r"-m (tests[\w.]*)", TEXTS[name])}
    assert [] == sorted(m for m in modules if not any((CHECKOUT / m).with_suffix(s).exists() for s in ("", ".py")))


def test_the_five_things_of_every_day_have_a_recipe() -> None:
    recipes = set(re.findall(r"^([a-z]+)(?: \*\w+)?:$", TEXTS[".justfile"], re.MULTILINE))
    assert {"setup", "quick", "test", "check", "bench"} <= recipes


def test_the_changelog_knows_this_version() -> None:
    import adcli

    assert f"\n## {adcli.__version__}\n" in TEXTS["CHANGELOG.md"]


def test_every_file_that_has_a_mutant_without_a_difference_is_there() -> None:
    lines = (CHECKOUT / "tests" / "mutants.txt").read_text(encoding="utf-8").splitlines()
    files = {line.split(": ")[0] for line in lines if ".py: " in line and not line.startswith(" ")}
    assert files and [] == sorted(file for file in files if not (CHECKOUT / "adcli" / file).exists())


def test_every_function_of_the_walkthrough_is_in_the_file_that_is_named_before_it() -> None:
    page = (CHECKOUT / "adcli" / "manual" / "walkthrough.md").read_text(encoding="utf-8").partition("\n## ")[2]
    source, missing = "", []
    for span in re.findall(r"`([\w./]+)`", page):
        if span.endswith(".py"):
            source = (CHECKOUT / span).read_text(encoding="utf-8")
        elif span.endswith("/"):
            assert (CHECKOUT / span).is_dir()
        elif re.fullmatch(r"\w+", span) and not re.search(
            rf"(?m)\b(?:def|class) {span}\b|^{span}\b|\bimport .*\b{span}\b", source
        ):
            missing.append(span)
    assert [] == missing
