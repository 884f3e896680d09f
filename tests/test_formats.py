"""Formats of documents: each is one file, every command has it, and whatever stands in it is what it was."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path

import pytest
from formats import READERS, Page
from running import PACKAGE, PAPER, UTF8, copy_tree, environment, run
from test_documents import COMMANDS, HOSTILE
from test_hostile_input import harmless

from adcli.cli.options import load_command
from adcli.cli.shared_options import FORMATS
from adcli.errors import visible
from adcli.render.document_parts import Code, Heading, Items, Marked, Paragraph, Part, Runs, Strong, Table
from adcli.render.formats import DATA, DOCUMENTS, TEXT, by_suffix, find_format

HAVE_ALL = ("check", "diff", "eval", "expand", "explain", "functions", "new", "taylor", "trace")
# What the formats could take for marks of their own, at the start of a line and within it.
MARKS = [
    *HOSTILE, "1. a", "A) b", "(i) x", "#. a", "- x", "-x y", "+ x", "--opt z", "/V x", "/ a: b", "• x", ":a: b",
    ".. x::", "::", "a::", "====", "+---+", ">>> a", "http://a.b/c", "a@b.c", "foo_", "`a`_", "[1]_", "= h", "//c",
    "/* c", "@ref", "<lab>", "...", "-?", "'a'", "$", "#", "#x", "\\u{41}", "__", "(", "|x", "é. x",
]  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_format_goes_by_the_name_of_its_file(name: str) -> None:
    assert name == find_format(name).name
    assert find_format(name).suffixes
    assert {name} == {by_suffix()[suffix] for suffix in find_format(name).suffixes}


@pytest.mark.parametrize("command", HAVE_ALL)
def test_every_command_that_writes_documents_has_every_format(command: str) -> None:
    choices = load_command(command).options["format_name"].choices
    assert set(DOCUMENTS) <= set(choices) <= {*TEXT, *DOCUMENTS, *DATA}
    assert set(FORMATS) == {*TEXT, *DOCUMENTS, *DATA}


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_every_command_writes_every_format_in_ascii_too(argv: tuple[str, ...], form: str) -> None:
    for more in ((), ("--ascii",)):
        result = run(*argv, *more, "--format", form, "--quiet")
        assert (0, "") == (result.code, result.err)
        assert harmless(result)
        assert result.out.endswith("\n")
    assert result.out.isascii()


@pytest.mark.parametrize("form", DOCUMENTS)
def test_every_format_tells_a_marked_answer_an_explanation_and_a_sheet(form: str) -> None:
    answer = run("check", "-", "--problem", "x^2 @ x=3", "--format", form, stdin="y = x^2 = 8\n")
    assert (1, "") == (answer.code, answer.err)
    assert "right" in answer.out or "wrong" in answer.out
    assert "Every row is one operation" in run("explain", PAPER, "--at", "x1=2,x2=5", "--format", form, "--quiet").out
    assert "How to write your answer" in run("new", "--format", form, "--quiet").out


# --- nothing that is text is a mark -----------------------------------------------------------------------------------


def everywhere(text: str) -> list[Part]:
    """A text of each kind, wherever a text can stand."""
    kinds = [text, Code(text), Strong(text), Marked(text, "bad")]
    return [
        Heading(text),
        *(Paragraph(kind) for kind in kinds),
        Paragraph(Runs("a", Code(text), Marked(text, "bad"), text)),
        Table([(kind, kind) for kind in kinds], (text, "b"), title=text, right=(1,)),
        Items([(kind, kind) for kind in kinds]),
        Items([(kind, kind) for kind in kinds], 3),
    ]


@pytest.mark.parametrize("form", READERS)
def test_no_text_is_a_mark_of_the_format(form: str) -> None:
    def read(text: str) -> tuple[Page, dict[str, int]]:
        page = Page(READERS[form](find_format(form).body(everywhere(text))))
        # docutils puts a span around each word of what was typed
        return page, {tag: len(found) for tag, found in page.texts.items() if tag != "span"}

    _, expected = read("a")
    for text in MARKS:
        page, found = read(text)
        # a line of an answer is code in Markdown, but for signs that end it, or a cell, or begin HTML for poor readers
        is_code = form != "markdown" or not {"`", "|", "<"} & {*text}
        assert {tag: n for tag, n in expected.items() if is_code or tag != "code"} == found, text
        assert visible(text).split() == page.texts["p"][0].split(), text


def test_no_text_is_a_mark_of_typst() -> None:
    typst = pytest.importorskip("typst")
    for text in MARKS:
        typst.compile(find_format("typst").body(everywhere(text)).encode(), format="svg")


# --- it is what its compiler reads ------------------------------------------------------------------------------------


@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_docutils_and_typst_read_every_command(argv: tuple[str, ...]) -> None:
    page = Page(READERS["rst"](run(*argv, "--format", "rst", "--quiet").out))
    same = Page(run(*argv, "--format", "html", "--quiet").out)
    assert len(same.tables) == len(page.tables)
    assert [len(table) for table in same.tables] == [len(table) for table in page.tables]
    typst = pytest.importorskip("typst")
    typst.compile(run(*argv, "--format", "typst", "--quiet").out.encode(), format="svg")


# --- a format is one file ---------------------------------------------------------------------------------------------

SHOUTED = '''"""Text in capitals."""

from __future__ import annotations

from ..document_parts import Items, Table
from ..document_format import Format


class Shouted(Format):
    """Text in capitals, one cell a line."""

    name = "shouted"
    suffixes = (".shout",)

    def escaped(self, text: str) -> str:
        return text.upper()

    def formula(self, formula: str) -> str:
        return formula.upper()

    def heading(self, text: str, level: int) -> str:
        return f"{text}!\\n"

    def items(self, items: Items) -> str:
        return "".join(f"{self.inline(text)}\\n" for item in items.items for text in item)

    def table(self, table: Table) -> str:
        return "".join(f"{self.inline(cell)}\\n" for row in table.rows for cell in row if cell)


FORMAT = Shouted()
'''


def test_a_file_in_the_folder_of_formats_is_a_format_of_every_command(tmp_path: Path) -> None:
    copy_tree(PACKAGE, tmp_path / "adcli")
    if (PACKAGE.parent / "grammar").is_dir():
        copy_tree(PACKAGE.parent / "grammar", tmp_path / "grammar")
    (tmp_path / "adcli" / "render" / "formats" / "shouted.py").write_text(SHOUTED, encoding="utf-8")

    def said(*argv: str) -> str:
        changed = environment(**UTF8) | {"PYTHONPATH": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-m", "adcli", *argv, "--quiet"],
            capture_output=True,
            env=changed,
            cwd=tmp_path,
            check=False,
        )
        assert b"" == done.stderr
        return done.stdout.decode("utf-8")

    for argv in COMMANDS:
        assert said(*argv, "--format", "shouted").strip()
    assert "SIN X2" in said("eval", PAPER, "--at", "x1=2,x2=5", "--format", "shouted")
    assert "EVERY ROW IS ONE OPERATION" in said("explain", "x^2", "--at", "x=3", "--format", "shouted")
    assert "HOW TO WRITE YOUR ANSWER!\n" in said("new", "--format", "shouted")
    assert "" == said("diff", "x^2", "-o", "a.shout")
    assert "2*X" in (tmp_path / "a.shout").read_text(encoding="utf-8")
    assert "shouted" in said("taylor", "--help")


@pytest.mark.parametrize("form", ["plain", "table", "markdown"])
def test_text_grows_as_the_trace_does_and_no_cell_is_lost(form: str) -> None:
    """A sum of many contributions is folded; it does not widen every row."""
    nested = lambda steps: "x*(1+" * steps + "x" + ")" * steps  # noqa: E731
    argv = ("--at", "x=0.5", "--mode", "reverse", "--format", form)
    small, large = (run("eval", nested(steps), *argv).out for steps in (150, 600))
    assert len(large) < 5 * len(small)
    cells = list(csv.reader(io.StringIO(run("eval", nested(150), *argv[:4], "--format", "csv").out)))
    terms = [part for row in cells for cell in row if cell.startswith("v̄") for part in cell.split(" + ")]
    assert all(term in small for term in terms)
    if form == "plain":
        assert max(map(len, small.splitlines()[1:])) < 300
