"""What notebooks show: expressions and traces by themselves, commands by the magic, and the sample that was run.

After an output has been changed on purpose,

    ADCLI_UPDATE=1 python -m pytest tests/test_notebook.py

writes the outputs of the sample anew; read the difference before it is committed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from formats import Page, latex_cells
from running import CHECKOUT, PAPER

import adcli
from adcli.cli import magic
from adcli.notation.number_text import Digits

SAMPLE = CHECKOUT / "samples" / "notebook.ipynb"
AT = {"x1": 2.0, "x2": 5.0}
KINDS = {"text/plain", "text/html", "text/latex"}


# --- expressions and traces -------------------------------------------------------------------------------------------


def test_an_expression_shows_itself_in_three_ways() -> None:
    bundle = adcli.parse(PAPER)._repr_mimebundle_()
    assert set(bundle) == KINDS
    assert bundle["text/latex"] == adcli.parse(PAPER)._repr_latex_()
    assert bundle["text/latex"] == "$\\displaystyle \\log x_1 + x_1 x_2 - \\sin x_2$"
    assert Page(bundle["text/html"]).texts["math"] == ["log\u2061x1+x1\u2062x2−sin\u2061x2"]
    assert bundle["text/plain"] == repr(adcli.parse(PAPER))


def test_a_trace_shows_its_table_in_three_ways() -> None:
    trace = adcli.parse(PAPER).trace(AT, "reverse", digits=Digits(2))
    bundle = trace._repr_mimebundle_()
    assert set(bundle) == KINDS
    assert "v5  v4 − v3  10.69 + 0.96  11.65" in bundle["text/plain"]
    (table,) = Page(bundle["text/html"]).tables
    (rows,) = latex_cells(bundle["text/latex"])
    assert (9, 9) == (len(table), len(rows))
    assert ["11.65"] * 2 == [table[-1][3], rows[-1][3].strip("$")]
    assert bundle["text/plain"] == repr(trace)


def test_a_trace_that_shows_itself_is_the_trace() -> None:
    trace = adcli.parse(PAPER).trace(AT)
    assert trace.outputs[0].gradient == adcli.parse(PAPER).gradient(AT)
    assert trace._replace(label="a").label == "a"


@pytest.mark.parametrize("thing", [adcli.parse("x"), adcli.parse("x").trace({"x": 1})], ids=["expression", "trace"])
def test_only_what_is_asked_for_is_in_the_bundle(thing: Any) -> None:
    assert {"text/html"} == set(thing._repr_mimebundle_(include=["text/html"]))
    assert {"text/plain", "text/html"} == set(thing._repr_mimebundle_(exclude=["text/latex"]))


def test_what_is_shown_styles_nothing_else_on_the_page() -> None:
    html = adcli.parse(PAPER).trace(AT)._repr_html_()
    page = Page(html)
    rules = [rule.strip() for rule in page.texts["style"][0].split("}") if rule.strip()]
    assert page.found[0] == ("div", {"class": "adcli"})
    assert [] == [rule for rule in rules if not rule.startswith(".adcli ")]


# --- the magic --------------------------------------------------------------------------------------------------------


class Shell:
    """As much of IPython's shell as an extension touches."""

    def __init__(self) -> None:
        self.magics: dict[tuple[str, str], Callable[..., Any]] = {}

    def register_magic_function(self, function: Callable[..., Any], kind: str, name: str) -> None:
        self.magics[kind, name] = function


def test_the_extension_gives_a_shell_the_magic() -> None:
    shell = Shell()
    adcli.load_ipython_extension(shell)
    assert {("line_cell", "adcli"): magic.magic} == shell.magics


def test_a_line_is_a_command_and_its_table_is_shown_as_text_and_html(capsys: pytest.CaptureFixture[str]) -> None:
    shown = magic.magic(f'eval "{PAPER}" --at x1=2,x2=5 --mode reverse --style paper')
    assert shown is not None
    bundle = shown._repr_mimebundle_()
    assert "v̄3  = v̄5 ∂v5/∂v3       = v̄5 × (−1)     = −1" in bundle["text/plain"]
    assert 11 == len(Page(bundle["text/html"]).tables[0])
    out, err = capsys.readouterr()
    assert "" == out
    assert 1 == err.count("note: log is read")


@pytest.mark.parametrize("line", ["", "eval", "--mode value", "eval --mode value"])
def test_the_lines_of_a_cell_are_problems(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = magic.magic(line, "a: x^2 @ x=3\nb: 2*x @ x=1\n")
    assert shown is not None
    assert 2 == len(Page(shown._repr_mimebundle_()["text/html"]).tables)
    assert ("", "") == capsys.readouterr()


@pytest.mark.parametrize("line", ["diff x^2 --format latex", "eval x --at x=1 --format json", "--version", "eval -h"])
def test_what_is_no_page_is_shown_as_text(line: str) -> None:
    shown = magic.magic(line)
    assert shown is not None
    assert {"text/plain"} == set(shown._repr_mimebundle_())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('eval "x', "a quotation mark is never closed"), ("eval log(x) --at x=0", "log needs a positive argument"),
        ("evil x", "there is no command called evil"), ("eval", "there is no problem in the input"),
        ("eval x --mdoe value", "there is no option called --mdoe"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_and_nothing_is_shown(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert magic.magic(line) is None
    out, err = capsys.readouterr()
    assert "" == out
    assert 1 == err.count("error: ")
    assert said in err


def test_a_graph_is_shown_as_a_picture() -> None:
    shown = magic.magic("graph x^2 --at x=3")
    assert shown is not None
    assert {"text/plain", "image/svg+xml"} == set(shown._repr_mimebundle_())
    assert shown._repr_mimebundle_()["image/svg+xml"].rstrip().endswith("</svg>")


def test_a_file_that_is_written_is_written_once_and_not_shown(tmp_path: Any) -> None:
    assert magic.magic(f"eval x^2 --at x=3 -o {tmp_path}/a.csv") is None
    assert (tmp_path / "a.csv").read_text("utf-8").startswith("problem,")


# --- the sample -------------------------------------------------------------------------------------------------------


def executed(cells: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The outputs of code cells as a notebook keeps them, from a shell of IPython."""
    shell_module = pytest.importorskip("IPython.core.interactiveshell")
    from traitlets.config import Config

    shell = shell_module.InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    found = []
    for count, cell in enumerate(cells, 1):
        result = shell.run_cell("".join(cell["source"]), store_history=True)
        assert result.success
        outputs: list[dict[str, Any]] = []
        if result.result is not None:
            bundle, _ = shell.display_formatter.format(result.result)
            data = {kind: text.splitlines(keepends=True) for kind, text in sorted(bundle.items())}
            outputs.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
        found.append(outputs)
    return found


def test_the_sample_was_run_with_this_program(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = json.loads(SAMPLE.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = executed(cells)
    if os.environ.get("ADCLI_UPDATE"):
        for cell, outputs in zip(cells, found, strict=True):
            cell["outputs"] = outputs
        SAMPLE.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert "" == capsys.readouterr().err
    assert [cell["outputs"] for cell in cells] == found
    assert 6 == sum("text/html" in output.get("data", {}) for outputs in found for output in outputs)
