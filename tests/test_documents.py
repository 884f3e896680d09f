"""Tables as Markdown, LaTeX and HTML: the same numbers and formulas in each, and a user's text is only text."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import expressions as random
import pytest
from drawn import examples
from formats import Page, latex_cells, markdown_cells
from hypothesis import given
from hypothesis import strategies as st
from large import BLACK_SCHOLES, LSTM
from linear_printer import LINEAR
from markdown_it import MarkdownIt
from running import CHECKOUT, PAPER, run

import adcli
from adcli.errors import visible
from adcli.notation.display_formula import Formula
from adcli.notation.formula_pieces import NamePiece, NumberPiece, Piece, leaves_of
from adcli.notation.table_formulas import numeral, write_words
from adcli.render import trace_tables
from adcli.render.document_parts import Heading, Table
from adcli.render.formats import DOCUMENTS, find_format
from adcli.render.function_list import table as function_table
from adcli.table.primitive import ROWS, Call
from adcli.trace.trace_model import Trace
from adcli.trace.written_rules import function_records

POINT = ("--at", "x1=2,x2=5")
SAMPLES = sorted((CHECKOUT / "samples").glob("*.txt"))
STYLES = ("wide", "paper", "baydin")
COMMANDS = [
    ("eval", PAPER, *POINT, "--style", "paper"), ("eval", PAPER, *POINT, "--style", "baydin", "--mode", "reverse"),
    ("eval", PAPER, *POINT, "--hessian", "--verify", "--count"), ("eval", PAPER, *POINT, "--show", "nodes"),
    ("eval", PAPER, *POINT, "--show", "order"), ("eval", PAPER, *POINT, "--show", "levels"),
    ("eval", PAPER, *POINT, "--no-trace", "--certify"), ("diff", "x^x*sqrt(x)", "--trace", "--at", "x=2"),
    ("taylor", "exp(sin(x))", "--at", "x=0"), ("expand", "a*x^2+(b*x+c)", "--at", "a=1,b=2,c=3,x=4"), ("functions",),
]  # fmt: skip
each_command = pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
typeset = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex: nothing was typeset")
legible = pytest.mark.skipif(shutil.which("pdftotext") is None, reason="there is no pdftotext: nothing was read")

HOSTILE = [
    "<script>alert(1)</script>", "</title><b>&amp;", "\\input{/etc/passwd}", "[red]x[/red]", "\x1b[31mred", "a\u202eb",
    "=cmd|' /C calc'!A0", "a | b", "`code`", "$x$ $$", "{\\bf x}", "%", "^^M ^^5c", "# head", "* item", "<!-- a",
    "[a](http://a)", "![a](b)", "&lt;", "--- ,, '' ?`", '"quoted"', "a_b_c *d* **e** ~~f~~", "\\", "é ħ 中 Д 🙂 ﬁ",
    "\\\\", "~",
]  # fmt: skip


def shown(*argv: str, form: str) -> str:
    result = run(*argv, "--format", form, "--quiet")
    assert (0, "") == (result.code, result.err)
    return result.out


def compiled(text: str, folder: Path) -> str:
    """What a LaTeX document says once it is typeset, with no shell and no patience."""
    (folder / "a.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "a.tex"],
        cwd=folder, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    log = done.stdout.decode("utf-8", "replace")
    assert 0 == done.returncode, log[-2000:]
    assert "Missing character" not in log
    assert "Rerun" not in log
    if shutil.which("pdftotext") is None:
        return ""
    read = subprocess.run(["pdftotext", "-layout", "a.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return read.stdout.decode("utf-8")


# --- the same in every format -----------------------------------------------------------------------------------------


def columns(table: Table) -> list[list[str]]:
    """The cells of a table, its header first, rows filled up."""
    rows = [table.header or ("",) * max(len(row) for row in table.rows), *table.rows]
    count = max(len(row) for row in rows)
    return [[*row, *[""] * (count - len(row))] for row in rows]


_ATOM = re.compile(r"[^\W\d][\u0300-\u036f]*\w*'*|(?:\d+\.?\d*|\.\d+)(?:e[+−-]?\d+)?")
_FUNCTIONS = {row.notation.text or row.name for row in ROWS.values() if isinstance(row.notation, Call)}
_WORDS = _FUNCTIONS | {"abs"} | {"and", "or", "not", "mod", "seed", "true", "false", "inf", "NaN", "none", "known"}


def atoms(text: str) -> set[str]:
    """The names and numbers of a formula as tables write it."""
    apart = "".join(unicodedata.normalize("NFD", c) for c in text)
    return {{"π": "pi", "τ": "tau"}.get(atom, atom) for atom in _ATOM.findall(apart)} - _WORDS


def leaves(piece: Piece) -> set[str]:
    """The names and numbers of a formula in pieces."""
    kinds = (NamePiece, NumberPiece)
    return {unicodedata.normalize("NFD", LINEAR.printed(leaf)) for leaf in leaves_of(piece) if isinstance(leaf, kinds)}


def same_in_every_format(table: Table) -> None:
    """Every cell is in every format; a formula has every name and number there that tables show."""
    expected = columns(table)
    body = expected if table.header else expected[1:]
    for cell in [cell for row in body for cell in row if isinstance(cell, Formula)]:
        assert atoms(cell) <= leaves(cell.piece), cell
    (from_markdown,) = markdown_cells(find_format("markdown").table(table))
    assert expected == from_markdown
    page, latex = find_format("html"), find_format("latex")
    from_html = _joined(Page(page.table(table)).tables, table.stub)
    alone = "<table><tr><td>{}</td></tr></table>"
    assert [[Page(alone.format(page.inline(cell))).tables[0][0][0] for cell in row] for row in body] == from_html
    pieces = latex_cells(latex.table(table))
    joined = _joined(pieces, table.stub)
    assert [[latex.inline(cell) for cell in row] for row in body] == [
        [_unbroken(cell) for cell in row] for row in joined
    ]


def _joined(pieces: list[list[list[str]]], stub: int) -> list[list[str]]:
    """The rows of a table that was taken apart; its parts have the first `stub` columns in common, or the first one."""
    again = stub if all(piece[0][:stub] == pieces[0][0][:stub] for piece in pieces) else 1
    return [[*rows[0], *(cell for row in rows[1:] for cell in row[again:])] for rows in zip(*pieces, strict=True)]


def _unbroken(cell: str) -> str:
    """A cell of LaTeX without the places where it may be broken, or may not."""
    return cell.replace(",\\allowbreak ", ", ").replace("\\allowbreak ", "").replace("\\nobreak ", "")


@examples(60)
@given(random.programs(), st.sampled_from(STYLES), st.sampled_from(("value", "forward", "reverse", "both")))
def test_every_table_of_a_trace_is_the_same_in_every_format(case: random.Case, style: str, mode: str) -> None:
    trace = adcli.parse(case.text).trace(case.at, mode)
    for table in trace_tables.tables(trace, style, trace.digits):
        same_in_every_format(table)


def test_the_list_of_functions_is_the_same_in_every_format() -> None:
    same_in_every_format(function_table(function_records()))


@examples(150)
@given(
    st.text(st.sampled_from("x1v2y∂/^+−-×*()[]|!=<> sincolgqrtde.0'_,;{}\\$&%²\u0304\u0307"), min_size=1, max_size=30)
)
def test_any_text_within_a_formula_is_only_text_in_every_format(text: str) -> None:
    for formula in (write_words(text), numeral(text)):
        Page(find_format("html").inline(formula))
        plain = re.sub(r"\\[\\{}$]", "", find_format("latex").inline(formula))
        assert plain.count("{") == plain.count("}")
        assert 0 == plain.count("$") % 2


def traced(text: str, at: dict[str, float], mode: str = "both") -> Trace:
    return adcli.parse(text).trace(at, mode)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dt*v + dt", [r"$\mathrm{dt}\,v$", r"$v_1 + \mathrm{dt}$"]),
        ("floor(x)+root(x,3)+log(x,2)", [r"$\lfloor x \rfloor$", r"$\sqrt[3]{x}$", r"$\log_2 x$"]),
        ("θ'/größe^2", [r"$\textnormal{größe}^2$", r"$\frac{\theta'}{v_1}$"]),
        ("if(abs(a) <= 2 and b > 0, a, b)", [r"$\lvert a \rvert$", r"$b > 0$"]),
    ],
)
@pytest.mark.filterwarnings("ignore:dt is read as one name")
def test_a_formula_of_a_row_is_mathematics_in_latex(text: str, expected: list[str]) -> None:
    names = adcli.parse(text).inputs
    cells = [
        find_format("latex").inline(row.formula) for row in traced(text, dict.fromkeys(names, 2.0)).rows[len(names) :]
    ]
    assert expected == cells[: len(expected)]


def test_tangents_and_adjoints_in_sentences_are_accents_in_latex() -> None:
    text = r"$\dot{\textnormal{v}}$6, $\bar{\textnormal{x}}$ and $\dot{\textnormal{x}}$ of café"
    assert text == find_format("latex").escaped("v̇6, x̄ and ẋ of café")
    assert r"$\bar{\textnormal{}}$\$" == find_format("latex").escaped("\u0304$")


def test_the_results_of_an_explanation_are_mathematics() -> None:
    told = run("explain", "x*sin(y)", "--at", "x=2,y=1", "--format", "latex")
    assert r"$\frac{\partial f}{\partial y} = \bar y = 1.081$.\par" in told.out


def test_the_steps_of_a_sweep_are_mathematics() -> None:
    steps = traced("x1*x2 + x1/x2", {"x1": 2.0, "x2": 4.0}).steps
    latex = find_format("latex")
    (chain,) = [latex.inline(step.chain) for step in steps if step.sweep == "reverse" and step.label == "x2"][:1]
    assert r"$\bar v_2\frac{\partial v_2}{\partial x_2}$" == chain
    forward = [latex.inline(step.symbolic) for step in steps if step.sweep == "forward"]
    assert r"$\dot x_1 x_2 + \dot x_2 x_1$" in forward
    assert r"$\frac{\partial x_1}{\partial x_1}$" in forward
    numbers = [latex.inline(step.substituted) for step in steps if step.sweep == "forward"]
    assert r"$1 \cdot 4 + 0 \cdot 2$" in numbers


def test_titles_and_columns_have_mathematics_among_their_words() -> None:
    trace = traced("x1*x2", {"x1": 2.0, "x2": 5.0})
    found = trace_tables.tables(trace, "paper", trace.digits)
    assert "tangents with respect to $x_1$" in [find_format("latex").inline(table.title) for table in found]
    (wide,) = trace_tables.tables(traced("x1*x2", {"x1": 2.0, "x2": 5.0}, "reverse"), "wide", trace.digits)
    assert r"$\bar v$ by the rule" in [find_format("latex").inline(text) for text in wide.header]
    assert r"$x_1 x_2$   at $x_1 = 2, x_2 = 5$" == find_format("latex").inline(
        trace_tables.heading(trace, trace.digits)
    )


# --- whole documents --------------------------------------------------------------------------------------------------


@each_command
def test_a_page_is_well_formed_whole_and_asks_for_nothing(argv: tuple[str, ...]) -> None:
    text = shown(*argv, form="html")
    page = Page(text)
    assert text.startswith("<!doctype html>")
    assert ("html", {"lang": "en"}) in page.found
    assert 1 == len(page.texts["title"]) <= len(page.texts["table"])
    assert 1 >= len(page.texts.get("h1", []))
    assert not [tag for tag, _ in page.found if tag in ("script", "link", "img", "iframe", "object", "base")]
    assert not {"src", "href", "style", "onload"} & {name for _, attributes in page.found for name in attributes}
    assert not re.search(r"https?:|url\(|@import", text)
    assert {"col", "row"} >= {attributes["scope"] for tag, attributes in page.found if tag == "th"} > set()


@each_command
def test_a_page_in_ascii_is_the_same_page(argv: tuple[str, ...]) -> None:
    coded = run(*argv, "--format", "html", "--quiet", "--ascii").out
    assert coded.isascii()
    assert html.unescape(shown(*argv, form="html")) == html.unescape(coded)


def test_a_page_of_several_problems_has_each_under_its_heading() -> None:
    result = run("eval", "--format", "html", stdin="first: x^2 @ x=1\nlog(x) @ x=-1\nx+1 @ x=2\n")
    page = Page(result.out)
    assert 3 == result.code
    assert ["Evaluation traces"] == page.texts["h1"] == page.texts["title"]
    assert ["first: x2   at x=1", "x+1   at x=2"] == page.texts["h2"]
    assert 2 == len(page.tables)


@pytest.mark.parametrize("form", DOCUMENTS)
def test_where_every_problem_fails_there_is_no_document(form: str) -> None:
    assert (3, "") == run("eval", "log(x)", "--at", "x=0", "--format", form)[:2]


@each_command
def test_markdown_is_tables_for_a_reader_of_markdown(argv: tuple[str, ...]) -> None:
    text = shown(*argv, form="markdown")
    page = Page(MarkdownIt("commonmark").enable("table").render(text))
    expected = markdown_cells(text)
    assert len(expected) == len(page.tables) > 0
    assert [[" ".join(cell.split()) for cell in row] for table in expected for row in table] == [
        [" ".join(cell.split()) for cell in row] for table in page.tables for row in table
    ]
    assert not {"em", "strong", "code", "a", "sup"} & set(page.texts)


@pytest.mark.parametrize(
    ("suffix", "form"), [(suffix, form) for form in DOCUMENTS for suffix in find_format(form).suffixes]
)
def test_the_suffix_of_a_file_picks_the_format(suffix: str, form: str, tmp_path: Path) -> None:
    for argv in COMMANDS[6:]:
        assert (0, "") == run(*argv, "--quiet", "-o", str(tmp_path / f"a{suffix}"))[:2]
        assert shown(*argv, form=form) == (tmp_path / f"a{suffix}").read_text(encoding="utf-8")


def test_a_latex_table_says_once_which_packages_it_needs() -> None:
    result = run("eval", "--format", "latex", "--quiet", stdin="x @ x=1\nx^2 @ x=2\n")
    assert 1 == result.out.count("% needs \\usepackage{")
    assert result.out.startswith("% needs")
    assert 2 == result.out.count("\\begin{tabular}")
    assert "\\documentclass" not in result.out
    assert "% needs" not in run("diff", "x^2", "--format", "latex").out


def test_a_page_is_standalone_as_it_is() -> None:
    for form, *argv in (("html", "eval", "x^2", "--at", "x=3"), ("latex", "template", "x^2 @ x=3")):
        assert run(*argv, "--format", form) == run(*argv, "--format", form, "--standalone")
    assert "add --format latex" in run("template", "x^2 @ x=3", "--standalone").err


def test_the_formulas_of_diff_in_latex_are_nothing_but_displays() -> None:
    assert "\\[\n\\frac{dy}{dx} = 2x\n\\]\n" == run("diff", "x^2", "--format", "latex").out


def test_the_sweep_of_diff_is_a_table_before_its_formula_in_latex() -> None:
    text = run("diff", "x^2", "--trace", "--format", "latex").out
    assert [["$\\bar v_1$", "$= \\bar y$", "$= 1$"]] == latex_cells(text)[0][1:2]
    assert text.endswith("\n\\[\n\\frac{dy}{dx} = 2x\n\\]\n")


# --- sheets -----------------------------------------------------------------------------------------------------------


def sheet(*argv: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(shown(*argv, form="csv"))))


def test_derivatives_on_a_sheet_are_those_of_the_data() -> None:
    argv = ("diff", "x^2*y; x*y", "--wrt", "x", "--at", "x=2,y=-3")
    found = json.loads(shown(*argv, form="json"))["derivatives"]
    assert [
        {"problem": "1", "label": "", "output": entry["output"], "wrt": "x", "expression": entry["expression"],
         "latex": entry["latex"], "value": repr(entry["value"])}
        for entry in found
    ] == sheet(*argv)  # fmt: skip


def test_an_expansion_on_a_sheet_has_a_line_for_each_level_and_derivative() -> None:
    rows = sheet("expand", "a*x^2", "--at", "a=2,x=3")
    assert ["t00", "t01", "t10", "t20", "dy/da", "dy/dx"] == [row["name"] for row in rows]
    assert ["2.0", "3.0", "9.0", "18.0", "9.0", "12.0"] == [row["value"] for row in rows]
    assert "(t00) dt10 + (t10) dt00" == rows[3]["differential"]


def test_the_list_of_functions_on_a_sheet_has_a_line_for_each() -> None:
    found = json.loads(shown("functions", form="json"))["functions"]
    assert [row["name"] for row in found] == [row["name"] for row in sheet("functions")]


# --- a user's text is only text ---------------------------------------------------------------------------------------


def words_of(text: str) -> list[str]:
    return visible(text).split()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_label_is_only_text_on_a_page(text: str) -> None:
    page = Page(find_format("html").document([[Heading(text), Table([("a", "b")])]], "t"))
    assert [visible(text)] == page.texts["h1"] == page.texts["title"]
    assert {"h1", "table", "title"} <= set(page.texts)
    assert not {"script", "b", "a", "img"} & set(page.texts)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_label_is_only_text_in_markdown(text: str) -> None:
    read, markdown = MarkdownIt("commonmark").enable("table").enable("strikethrough"), find_format("markdown")
    heading = Page(read.render(markdown.body([Heading(text)])))
    assert words_of(text) == heading.texts["h2"][0].split()
    table = Page(read.render(markdown.table(Table([(text, text)], title=text))))
    assert words_of(text) == table.tables[0][1][0].split() == table.texts["p"][0].split()
    assert not {"em", "strong", "code", "a", "s", "img", "script", "h1"} & {*heading.texts, *table.texts}


@typeset
@legible
def test_a_label_is_only_text_when_it_is_typeset(tmp_path: Path) -> None:
    parts = [Heading(f"begin {text} end") for text in HOSTILE]
    cells = [Table([(f"begin {text} end", text) for text in HOSTILE])]
    shown = compiled(find_format("latex").document([[*parts, *cells]], ""), tmp_path)
    found = "".join(shown.split())
    for text in HOSTILE:
        letters = visible(text).replace("\ufffd", "?").replace("ﬁ", "fi").replace("'", "’")
        kept = "".join(c if ord(c) < 0x0100 or c == "’" else f"U+{ord(c):04X}" for c in letters if not c.isspace())
        assert 1 <= found.count(f"begin{kept}end"), text
    assert "root:" not in found


# --- LaTeX compiles ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@typeset
@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_the_samples_are_typeset_alone(file: Path, tmp_path: Path) -> None:
    style = STYLES[SAMPLES.index(file) % len(STYLES)]
    result = run("eval", "--file", str(file), "--style", style, "--format", "latex", "--standalone", "--quiet")
    compiled(result.out, tmp_path)


@typeset
def test_every_command_is_typeset_alone(tmp_path: Path) -> None:
    bodies = []
    for argv in COMMANDS:
        preamble, start, rest = shown(*argv, "--standalone", form="latex").partition("\\begin{document}\n")
        assert preamble.startswith("\\documentclass")
        bodies.append(rest.removesuffix("\\end{document}\n"))
    compiled(f"{preamble}{start}{''.join(bodies)}\\end{{document}}\n", tmp_path)


@typeset
@legible
def test_the_numbers_of_a_trace_are_in_print(tmp_path: Path) -> None:
    text = shown("eval", PAPER, *POINT, "--standalone", form="latex")
    printed = compiled(text, tmp_path).replace("−", "-")
    assert {"0.693", "-0.959", "10.693", "11.652", "5.5", "1.716", "0.284"} <= set(printed.split())


@typeset
def test_a_table_wider_or_longer_than_a_page_is_taken_apart(tmp_path: Path) -> None:
    names = [f"x{k}" for k in range(1, 31)]
    argv = ("eval", "*".join(names), "--at", ",".join(f"{name}=1.001" for name in names), "--format", "latex", "-q")
    text = run(*argv, "--standalone", "--all").out
    assert text.count("\\begin{longtable}") > 2
    compiled(text, tmp_path)
    assert "Overfull" not in (tmp_path / "a.log").read_text(encoding="utf-8", errors="replace")


def _pages(folder: Path) -> str:
    """Where every word stands on the pages."""
    read = subprocess.run(["pdftotext", "-bbox", "a.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return re.sub("<meta.*", "", read.stdout.decode("utf-8"))


_FEW = range(1, 20)
_NAMES = "".join(f"a{k} = x^{k}/(theta + {k})*rate; " for k in _FEW) + " + ".join(f"a{k}" for k in _FEW)


@typeset
@legible
@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (LSTM, ("--style", "wide")),
        (LSTM, ("--style", "paper", "--mode", "reverse", "--digits", "12")),
        (BLACK_SCHOLES, ("--style", "baydin", "--mode", "reverse")),
        (_NAMES, ("--mode", "reverse", "--at", "x=1.1,theta=2,rate=3")),
    ],
    ids=["LSTM", "LSTM as in the paper", "Black-Scholes", "names"],
)  # fmt: skip
def test_a_document_that_is_typeset_once_is_as_it_stays_and_fits_its_pages(
    text: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    document = run("eval", text, *flags, "--quiet", "--format", "latex", "--standalone").out
    assert "\\begin{longtable}" in document
    compiled(document, tmp_path)
    assert "Overfull" not in (tmp_path / "a.log").read_text(encoding="utf-8", errors="replace")
    once = _pages(tmp_path)
    for _ in range(2):
        compiled(document, tmp_path)
    assert once == _pages(tmp_path)


# --- what is printed reads back ---------------------------------------------------------------------------------------

READ_BACK = [f"{PAPER} @ x1=2, x2=5", "Ta + (T0 - Ta)*exp(-k*t)^2/theta @ Ta=20, T0=90, k=0.05, t=12, theta=2"]


@pytest.mark.parametrize("problem", READ_BACK)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("suffix", ["md", "tex"])
def test_a_table_that_is_printed_is_right_when_it_is_checked(
    problem: str, style: str, suffix: str, tmp_path: Path
) -> None:
    file = str(tmp_path / f"a.{suffix}")
    for mode in ("value", "forward", "reverse"):
        assert (0, "") == run("eval", problem, "--mode", mode, "--style", style, "--quiet", "-o", file)[:2]
        checked = run("check", file, "--problem", problem, "--mode", mode, "--format", "json")
        verdict = json.loads(checked.out)["verdict"]  # the paper's tables of derivatives do not show the value
        assert verdict == "right" or (verdict == "incomplete" and mode != "value" and style == "paper"), checked.out
