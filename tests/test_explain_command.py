"""`adcli explain` and `--interactive`: the formats, the manners, and names and labels that stay text."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from formats import READERS, bare
from hypothesis import given
from hypothesis import strategies as st
from running import PAPER, UTF8, Run, environment, process, run, width
from test_hostile_input import EVERYTHING, LINE, harmless

from adcli.cli.commands.explain import FORMATS

AT = ("--at", "x1=2,x2=5")
HOSTILE = """"&lt 'img src onerror `$HOME` _a_ !b ~c~ """  # what a label can hold of what other formats mean


class Page(HTMLParser):
    """The elements of a page, with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.text += data

    def attributes(self) -> set[str]:
        return {name for _, found in self.elements for name in found}


def explain(*argv: str) -> Run:
    found = run("explain", *argv, "--quiet")
    assert (0, "") == (found.code, found.err)
    return found


def test_every_format_tells_the_same_steps() -> None:
    plain = explain(PAPER, *AT, "--detail", "full").out
    assert "  5. v3 = sin x2 = sin 5 = −0.959\n" in plain
    assert " 29. x̄2 = x̄2 + v̄2 ∂v2/∂x2 = x̄2 + v̄2 × x1 = −0.284 + 1 × 2 = 1.716\n" in plain
    data = json.loads(explain(PAPER, *AT, "--detail", "full", "--format", "json").out)
    steps = [step for sweep in data["sweeps"] for step in sweep["steps"]]
    page = bare(Page(explain(PAPER, *AT, "--detail", "full", "--format", "html").out).text)
    markdown = re.sub(r"\\(.)", r"\1", explain(PAPER, *AT, "--detail", "full", "--format", "markdown").out)
    for number, step in enumerate(steps, 1):
        assert number == step["number"]
        for sentence in step["sentences"]:
            for text in (plain, markdown):
                assert sentence in text
            assert bare(sentence) in page
    assert len(re.findall(r"^ *\d+\. ", plain, re.MULTILINE)) == len(steps)
    assert len(re.findall(r"^\d+\. ", markdown, re.MULTILINE)) == len(steps)


def test_the_data_have_the_search_the_rules_and_full_precision() -> None:
    data = json.loads(explain(PAPER, *AT, "--mode", "reverse", "--format", "json").out)
    assert ("explain/1", PAPER, ["value", "reverse"]) == (
        data["schema"], data["expression"], [sweep["pass"] for sweep in data["sweeps"]],
    )  # fmt: skip
    reverse = data["sweeps"][1]
    assert ["v5", "v3", "v4", "v2", "x2", "v1", "x1"] == reverse["search"]["tape"]
    assert "y" == reverse["output"]
    step = reverse["steps"][5]
    assert ("x2", "v3", -0.28366218546322625) == (step["target"], step["source"], step["value"])
    assert {"name": "sin", "call": "sin x", "derivatives": ["cos x"], "step": 13} == step["rule"]
    assert ["v2"] == step["waiting"]


def test_the_suffix_of_a_file_chooses_the_format(tmp_path: Path) -> None:
    for suffix, start in {"txt": "Values\n", "md": "## Values\n", "html": "<!doctype html>", "json": "{"}.items():
        file = tmp_path / f"told.{suffix}"
        explain(PAPER, *AT, "-o", str(file))
        assert file.read_text(encoding="utf-8").startswith(start)


def test_text_is_broken_where_a_width_is_given_and_nowhere_else() -> None:
    narrow = explain(PAPER, *AT, "--width", "40").out
    assert [] == [line for line in narrow.splitlines() if width(line) > 40]
    assert " ".join(narrow.split()) == " ".join(explain(PAPER, *AT).out.split())


def test_in_ascii_nothing_else_is_printed() -> None:
    assert explain(PAPER, *AT, "--ascii").out.isascii()
    page = explain(PAPER, *AT, "--interactive", "--ascii").out
    assert page.isascii()
    assert "v̇1 = ẋ1/x1" in html.unescape(page)


def test_each_problem_stands_alone_and_errors_are_told_in_their_place() -> None:
    found = run("explain", "--format", "ndjson", stdin="a: x^2 @ x=3\nb: 1/x @ x=0\nc: x @ x=1\n")
    schemas = [json.loads(line)["schema"] for line in found.out.splitlines()]
    assert (3, ["explain/1", "error/1", "explain/1"]) == (found.code, schemas)
    assert "division by zero" in found.err
    text = run("explain", stdin="a: x^2 @ x=3\nb: x @ x=1\n").out
    assert text.startswith("a: x^2   at x = 3\n\nValues\n")
    assert "\n\nb: x   at x = 1\n\nValues\n" in text


def test_notes_go_to_standard_error_and_those_on_kinks_stand_in_the_text() -> None:
    found = run("explain", "log(abs(x)+1)", "--at", "x=0", "--mode", "reverse")
    assert "note: log is read as the natural logarithm" in found.err
    assert "corner" not in found.err
    assert "abs has a corner at 0" in found.out


# --- the page --------------------------------------------------------------------------------------------------------


def interactive(*argv: str, command: str = "explain") -> str:
    found = run(command, *argv, "--interactive", "--quiet")
    assert (0, "") == (found.code, found.err)
    return found.out


def test_eval_and_explain_write_the_same_page() -> None:
    assert interactive(PAPER, *AT) == interactive(PAPER, *AT, command="eval")


def test_the_page_loads_nothing_and_runs_only_its_own_script() -> None:
    text = interactive(PAPER, *AT)
    page = Page(text)
    assert not {"src", "href", "srcset", "action", "formaction", "data", "background"} & page.attributes()
    assert not [name for name in page.attributes() if name.startswith("on")]
    assert 1 == len([tag for tag, _ in page.elements if tag == "script"])
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket|innerHTML|document\.write|eval\(", text)
    policy = next(found["content"] for tag, found in page.elements if found.get("http-equiv"))
    assert (policy or "").startswith("default-src 'none'")
    assert "connect-src" not in (policy or "")


def test_the_page_says_everything_without_its_script() -> None:
    page = Page(interactive(PAPER, *AT, "--detail", "short"))
    for line in json.loads(explain(PAPER, *AT, "--format", "json").out)["sweeps"][0]["steps"]:
        assert line["symbol"] in page.text
    assert "Contributions add up: −0.284 from v3 and 2 from v2; x̄2 is complete." in page.text
    hidden = [found for tag, found in page.elements if "hidden" in found]
    assert all(set((found.get("class") or "").split()) & {"tabs", "controls", "prediction"} for found in hidden)


def test_every_step_on_the_page_names_a_node_and_edges_of_its_graph() -> None:
    page = Page(interactive("p = x*x; q = if(p > 1, p/p, y); p; q", "--at", "x=2,y=3"))
    nodes = {found["data-node"] for _, found in page.elements if "data-node" in found}
    edges = {found["data-edge"] for _, found in page.elements if "data-edge" in found}
    steps = [found for _, found in page.elements if "data-target" in found]
    assert len(steps) > 20
    assert {step["data-target"] for step in steps} <= nodes
    assert {edge for step in steps for edge in (step["data-edges"] or "").split(",") if edge} <= edges
    assert {step["data-source"] for step in steps if "data-source" in step} <= nodes


def test_what_is_given_or_no_finite_number_is_not_to_be_predicted() -> None:
    page = Page(interactive("if(x > 0, exp(900*x), y)", "--at", "x=1,y=2", "--mode", "value"))
    asked = {found["data-symbol"]: found.get("data-truth") for _, found in page.elements if "data-symbol" in found}
    assert {"x": None, "y": None, "v1": None, "v2": "900.0", "v3": None, "v4": None} == asked


@pytest.mark.parametrize("form", ["plain", "json", "page", *READERS])
def test_a_label_is_text_in_every_format(form: str) -> None:
    flags = ["--interactive"] if form == "page" else ["--format", form]
    found = run("explain", *flags, "--quiet", stdin=f"{HOSTILE}: x^2 @ x=1\nb: x @ x=1\n")
    label = HOSTILE.strip()
    assert 0 == found.code
    if form == "json":
        assert label == json.loads(found.out)[0]["label"]
    elif form == "markdown":
        assert label == re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", found.out.partition(": ")[0].removeprefix("# "))
        assert not re.search(r"(?<!\\)[`\[_]", found.out.partition(": ")[0])
    elif form == "plain":
        assert found.out.startswith(f"{label}: ")
    else:
        page = Page(READERS.get(form, str)(found.out))
        assert label in page.text
        assert "img" not in {tag for tag, _ in page.elements}
        assert not [name for name in page.attributes() if name.startswith("on")]


@EVERYTHING
@given(text=LINE, flags=st.sampled_from([["--format", form] for form in FORMATS] + [["--interactive"]]))
def test_whatever_comes_in_a_clear_answer_comes_out(text: str, flags: list[str]) -> None:
    assert harmless(run("explain", *flags, "--at", "x=1,y=2,i=1,a=2", "--", text))


def test_names_of_the_user_are_text_on_the_page() -> None:
    page = Page(interactive("a' = x_1*θ; sin(a')", "--at", "x_1=1,θ=2"))
    assert "a' = x_1 × θ" in page.text


def test_several_problems_are_one_page_with_a_list() -> None:
    found = run("explain", "--interactive", stdin="a: x^2 @ x=3\n4\nb: x+1 @ x=1\n")
    options = [found for tag, found in Page(found.out).elements if tag == "option"]
    assert 2 == len(options)
    assert 2 == found.code
    assert found.err.startswith("error: there is nothing to step through\n")


def test_a_plain_run_of_eval_loads_nothing_of_the_page() -> None:
    program = (
        "import sys; from adcli.cli.main import main; main(['eval', 'x', '--at', 'x=1', '--no-trace']); "
        "print(*(m for m in sys.modules if 'stepper' in m or 'telling' in m or m.endswith('graphs')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment(**UTF8), check=True
    )
    assert "" == done.stdout.splitlines()[-1]


def test_a_closed_pipe_and_a_missing_expression_are_no_failures() -> None:
    assert 0 == process("explain", "x^2", "--at", "x=1").code
    assert "Usage:" in run("explain", stdin=None).out


def test_titles_of_sweeps_are_typeset_and_the_chain_rule_is_stated_once_for_each_direction() -> None:
    page = run("explain", PAPER, "--at", "x1=2,x2=5", "--format", "html").out
    assert "<h2>Forward sweep with respect to <math><msub><mi>x</mi><mn>2</mn></msub></math></h2>" in page
    assert (1, 1) == (page.count("a row&#x27;s tangent is a sum"), page.count("each row contributes to each"))
