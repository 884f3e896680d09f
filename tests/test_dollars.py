"""Markdown with mathematics between dollars: as pandoc, GitHub and notebooks read it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st
from large import LSTM, PROBLEMS
from running import PAPER, run
from test_documents import COMMANDS, HOSTILE, READ_BACK, STYLES

from adcli.render.document_parts import Heading, Paragraph, Runs, Table
from adcli.render.dollars import DOLLARS

WRITTEN = [
    *COMMANDS,
    ("eval", PAPER, "--at", "x1=2,x2=5"),
    ("eval", LSTM),
    ("eval", "learning_rate*theta^2/|x'| + if(x' < 1, a % b, 1e-9) @ learning_rate=2, theta=1, x'=3, a=5, b=3"),
    ("eval", "höhe*β_1 + größe @ höhe=2, β_1=1, größe=3", "--style", "paper"),
    ("explain", PAPER, "--at", "x1=2,x2=5", "--detail", "full"),
]
each_command = pytest.mark.parametrize("argv", WRITTEN, ids=lambda argv: " ".join(argv)[:40])
pandoc = pytest.mark.skipif(shutil.which("pandoc") is None, reason="there is no pandoc: nothing was read by it")


def shown(*argv: str) -> str:
    result = run(*argv, "--format", "markdown", "--math", "dollars", "--quiet")
    assert (0, "") == (result.code, result.err)
    return result.out


def inline(text: str) -> Iterator[tuple[str, str, str]]:
    """What stands before, in and after each pair of dollars, displays and typed texts aside."""
    text = re.sub(r"^\$\$$.*?^\$\$$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(?<!\\)`[^`\n]*`", "", text)
    for line in text.splitlines():
        places = [match.start() for match in re.finditer(r"(?<!\\)\$", line)]
        assert 0 == len(places) % 2, line
        for start, end in zip(places[::2], places[1::2], strict=True):
            yield line[max(start - 1, 0) : start], line[start + 1 : end], line[end + 1 : end + 2]


def well_formed(text: str) -> int:
    """How many formulas a text has, each of which every reader of dollars takes for one."""
    found = 0
    for before, body, after in inline(text):
        found += 1
        assert body == body.strip() != "", body
        assert not re.search(r"\\[^A-Za-z]|[|`$]|\\\Z", body.replace("\\_", "")), body
        assert not re.search(r"<(?=\S)", body), body  # a tag of HTML
        assert not re.match(r"[0-9A-Za-z\\$]", before), (before, body)
        assert not re.match(r"[0-9A-Za-z$]", after), (body, after)
        assert body.count("{") == body.count("}")
    return found


@each_command
def test_dollars_stand_as_their_grammar_asks(argv: tuple[str, ...]) -> None:
    text = shown(*argv)
    assert well_formed(text) or "$$\n" in text
    assert "\x00" not in text
    outside = re.sub(r"\$\$.*?\$\$|\$[^$\n]*\$|`[^`\n]*`", "", text, flags=re.DOTALL)
    assert not re.search("[\u0304\u0307×−∂√≤≥≠\u0391-\u03c9]", outside)  # which some engines have no sign for


# The long problem has functions of its own and many inputs, in one style.
@pytest.mark.parametrize(
    ("problem", "style"), [*(("Black-Scholes", style) for style in STYLES), ("LSTM", "baydin")], ids=str
)
def test_a_table_in_dollars_has_every_cell_as_one_formula(problem: str, style: str) -> None:
    text = shown("eval", PROBLEMS[problem], "--style", style, "--all")
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| --")]
    cells = [cell.strip() for line in lines for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    assert len(cells) > 300
    assert all(
        re.fullmatch(r"(?:\$[^$]+\$|[a-z ]*|\$[^$]+\$ by the rule|adjoint trace \(upwards\))", cell) for cell in cells
    )


@given(st.sampled_from(HOSTILE) | st.text(max_size=30), st.sampled_from(HOSTILE) | st.text(max_size=30))
@examples(150)
def test_text_beside_formulas_is_text(one: str, other: str) -> None:
    formula = "$\\dot x_1$"
    runs = Runs(one, "ẋ1", other)
    for part in (Paragraph(runs), Heading(runs), Table([("a", runs)], title=runs)):
        written = DOLLARS.part(part)
        well_formed(written)
        assert formula in written
    plain = "".join(c for c in one if c.isascii())
    assert "$" not in DOLLARS.inline(plain).replace("\\$", "")


def test_dollars_are_for_markdown_alone() -> None:
    for form in ("latex", "html", "json", "plain"):
        result = run("eval", "x", "--at", "x=1", "--format", form, "--math", "dollars")
        assert (2, "") == (result.code, result.out)
        assert "--math dollars is for Markdown" in result.err
    assert run("eval", "x^2 @ x=1", "--format", "markdown").out == run(
        "eval", "x^2 @ x=1", "--format", "markdown", "--math", "text"
    ).out  # fmt: skip


@pytest.mark.parametrize("problem", READ_BACK)
@pytest.mark.parametrize("style", STYLES)
def test_a_table_in_dollars_is_right_when_it_is_checked(problem: str, style: str, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    for mode in ("value", "forward", "reverse"):
        file.write_text(shown("eval", problem, "--mode", mode, "--style", style), encoding="utf-8")
        checked = run("check", str(file), "--problem", problem, "--mode", mode, "--format", "json")
        verdict = json.loads(checked.out)["verdict"]  # the paper's tables of derivatives do not show the value
        assert verdict == "right" or (verdict == "incomplete" and mode != "value" and style == "paper"), checked.out


# --- as pandoc reads it -----------------------------------------------------------------------------------------------


def _elements(found: object, kind: str) -> Iterator[object]:
    """All elements of this kind in a document of pandoc's."""
    stack = [found]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if item.get("t") == kind:
                yield item.get("c")
            stack += item.values()
        elif isinstance(item, list):
            stack += item


@pandoc
@each_command
def test_pandoc_reads_every_formula_as_one_and_makes_a_pdf(argv: tuple[str, ...], tmp_path: Path) -> None:
    text = shown(*argv)
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    done = subprocess.run(["pandoc", "a.md", "-t", "json"], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    read = json.loads(done.stdout)
    assert well_formed(text) + text.count("$$\n") // 2 == len(list(_elements(read, "Math")))
    assert not [word for word in _elements(read, "Str") if "$" in str(word)]
    if shutil.which("pdflatex") is not None:
        made = subprocess.run(
            ["pandoc", "a.md", "-o", "a.pdf"], cwd=tmp_path, capture_output=True, check=False, timeout=90
        )
        assert (0, b"") == (made.returncode, made.stderr)
