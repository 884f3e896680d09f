"""Pages of large problems on paper and on telephones: nothing is cut off."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from browser import Browser
from large import PROBLEMS
from running import run

NUMBERS = re.compile(r"\d+\.\d+")
each_problem = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
printed = pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="there is no pdftotext here to read what is printed"
)


def shown(problem: str, *flags: str, form: str) -> str:
    result = run("eval", f"problem: {problem}", *flags, "--format", form, "--quiet")
    assert (0, "") == (result.code, result.err)
    return result.out


@printed
@pytest.mark.parametrize(
    ("problem", "style"), [(PROBLEMS["Black-Scholes"], "wide"), (PROBLEMS["LSTM"], "baydin")], ids=["wide", "baydin"]
)
def test_a_page_that_is_printed_has_every_number(problem: str, style: str, browser: Browser, tmp_path: Path) -> None:
    flags = ("--all", "--style", style) if style == "wide" else ("--style", style)
    (tmp_path / "a.html").write_text(shown(problem, *flags, form="html"), encoding="utf-8")
    browser.open(tmp_path / "a.html")
    (tmp_path / "a.pdf").write_bytes(browser.pdf())
    read = subprocess.run(["pdftotext", "-raw", "a.pdf", "-"], cwd=tmp_path, capture_output=True, check=True)
    there = Counter(NUMBERS.findall(read.stdout.decode("utf-8")))
    text, results, _ = shown(problem, *flags, form="plain").rpartition("results\n")  # which a page has only once
    assert results
    assert Counter() == Counter(NUMBERS.findall(text)) - there


ARRAYS = "softmax(Q K^T/sqrt(2)) V @ Q=[1,0.5;-0.3,0.2], K=[0.4,-1;0.7,0.1], V=[1,2;3,-1]"


@pytest.mark.parametrize("problem", [*PROBLEMS.values(), ARRAYS], ids=[*PROBLEMS, "arrays"])
def test_no_page_is_wider_than_a_telephone_or_paper(problem: str, browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    file.write_text(shown(problem, form="html"), encoding="utf-8")
    browser.look(720, 900, "print")
    browser.open(file)
    assert 720 >= browser.run("return document.documentElement.scrollWidth")
    browser.look(360, 640)
    assert 360 >= browser.run("return document.documentElement.scrollWidth")
    assert [] == browser.run(
        "return [...document.querySelectorAll('body *')].filter((e) => !e.closest('.scroll, .wide')"
        " && e.getBoundingClientRect().right > 360).map((e) => e.outerHTML.slice(0, 80))"
    )
