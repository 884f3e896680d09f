"""Answers from somebody who means no good, and files that are none: an answer in bounded time, never a traceback."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Callable
from io import BytesIO

import pytest
from answers import read, read_answer, rows
from answers_unread import NOT_GRADABLE, UNREADABLE, WITHOUT_OPENPYXL, failure, packed, problems
from drawn import examples, usually
from hypothesis import given
from hypothesis import strategies as st
from running import cpu_seconds

from adcli.answers.answer_model import NotGradable
from adcli.answers.collector import BYTES
from adcli.answers.numerals import numeral
from adcli.errors import AdcliError, RequestError
from adcli.extras import install_command
from adcli.marking.assessing import assess
from adcli.marking.model import Rules
from adcli.marking.task import task_of

PART = usually(2, thoroughly=1)  # half of the longest answer that is read, in half the time
LONGEST = 3.0 / PART  # seconds of computing; most take a tenth of that


@pytest.mark.parametrize(("name", "data", "title"), NOT_GRADABLE)
def test_what_is_no_answer_is_told_with_the_way_to_a_blank_form(
    name: str, data: bytes | Callable[[], bytes], title: str
) -> None:
    error = failure(name, data)
    assert (title, 4) == (error.title, error.exit_code)
    assert error.help


@pytest.mark.slow
@pytest.mark.parametrize(("text", "title"), UNREADABLE)
def test_a_row_that_cannot_be_read_is_told_where_it_stands(text: str, title: str) -> None:
    (problem,) = problems(text)
    assert title == problem.title
    assert problem.span is not None
    assert problem.label


def answer_of(data: bytes, name: str = "a.txt") -> str:
    """What came of hostile bytes."""
    try:
        found = read_answer(data, name=name, inputs=("x1", "x2"), outputs=("y",))
    except AdcliError as error:
        return type(error).__name__
    return " ".join(str(len(answer.entries)) for answer in found)


SIZE = BYTES - 100
LONG: dict[str, Callable[[int], bytes]] = {  # made where they are needed: they fill the memory
    "100 MB": lambda _: b"v1 = " + b"1" * 100_000_000,
    "one line": lambda k: b"v1 = " + b"1+" * (SIZE // 2 // k) + b"1",
    "nothing but lines": lambda k: b"\n" * (SIZE // k),
    "formulas": lambda k: (b"v1 = " + b"x1*x2+" * 30 + b"1\n") * (19_000 // k),
    "brackets": lambda k: (b"v1 = " + b"(" * 1900 + b"x1" + b")" * 1900 + b"\n") * (1000 // k),
    "open brackets": lambda k: (b"v1 = " + b"(" * 3900 + b"\n") * (1000 // k),
    "towers": lambda k: b"v1 = 9^9^9^9^9 = 9**9**9**9 = 1e999999999 = 9!!!!!! = 10^999999999\n" * (1999 // k),
    "sums": lambda k: b"v1 = sum(i,1,999999999,i) = sum(i,1,900,sum(j,1,900,x1)) = sum(i,1,4999,x1)\n" * (1999 // k),
    "lists in lists": lambda k: b"[" * (100_000 // k),
    "rows of JSON": lambda k: json.dumps([{"name": f"v{i}", "value": i} for i in range(50_000 // k)]).encode(),
    "columns of JSON": lambda k: json.dumps([{f"c{i}": i, "name": "v1"} for i in range(20_000 // k)]).encode(),
    "pipes": lambda k: b"|" * (SIZE // k),
    "lines of pipes": lambda k: (b"|" * 1900 + b"\n") * (2000 // k),
    "commas": lambda k: b"name,value\n" + (b"," * 3900 + b"\n") * (900 // k),
    "quotes": lambda k: b'"' * (SIZE // k),
    "equals": lambda k: (b"=" * 3900 + b"\n") * (1000 // k),
    "chains": lambda k: (b"v1=" * 1300 + b"\n") * (1000 // k),
    "blanks": lambda k: (b"v1" + b" " * 3900 + b"= 1\n") * (1000 // k),
    "words": lambda k: (b"word " * 700 + b"= 1\n") * (1000 // k),
    "side by side": lambda k: (b"a  = " * 700 + b"\n") * (1000 // k),
    "stars": lambda k: (b"**a " * 900 + b"\n") * (1000 // k),
    "dollars": lambda k: (b"$a" * 1900 + b"\n") * (1000 // k),
    "tables": lambda k: (b"\\begin{tabular}{" + b"{" * 3000 + b"\n") * (1000 // k),
    "fractions": lambda k: (b"v1 = " + b"\\frac{" * 600 + b"\n") * (1000 // k),
    "accents": lambda k: ("v" + "\u0307" * 3000 + " = 1\nv1 = " + "\u0304" * (3000 // k)).encode(),
    "headings": lambda k: b"Problem 1\nv1 = 1\n" * (9000 // k),
    "headers": lambda k: b"step  formula  value\nv1  x1  1\n\n" * (4900 // k),
    "elements": lambda k: b"<table>" + b"<tr><td><math><mrow>" * (74_000 // k),
    "more elements than are read": lambda _: b"<table>" + b"<tr><td><math><mrow>" * 190_000,
    "entities": lambda k: b"<table>" + b"&amp;" * (700_000 // k),
    "names": lambda k: "\n".join(f"v{i} = {'ab' * 15}{i}c*x" for i in range(1999 // k)).encode(),
    "nulls": lambda k: b"\0" * (SIZE // k),
    "a bomb": lambda _: packed(("xl/workbook.xml", b"0" * 200_000_000)),
}


@pytest.mark.parametrize("kind", LONG)
def test_hostile_bytes_are_answered_soon(kind: str) -> None:
    data = LONG[kind](PART)
    assert cpu_seconds(lambda: answer_of(data), LONGEST) < LONGEST


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["100 MB", "one line", "sums", "lines of pipes", "columns of JSON", "a bomb"])
def test_hostile_bytes_do_not_fill_the_memory(kind: str) -> None:
    data = LONG[kind](PART if kind in ("sums", "columns of JSON") else 1)
    tracemalloc.start()
    try:
        answer_of(data[: BYTES + 1])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 150_000_000


@examples(300)
@given(st.binary(max_size=300), st.sampled_from(["a.txt", "a.csv", "a.json", "a.xlsx", "a.tex", "a.ipynb", "a.html"]))
def test_any_bytes_are_an_answer_or_not_gradable(data: bytes, name: str) -> None:
    assert "" != answer_of(data, name)


SIGNS = st.sampled_from(
    [
        "v1", "x1", "=", "≈", "+=", "0.5", "1,5", "(", ")", "{", "}", "|", "\n", "  ", "\t", ",", ";", ":", "$",
        "\\dot ", "\\bar{", "\\frac{d", "d", "/", "∂", "\u0307", "\u0304", "'", "bar", "dot(", "*", "**", "^",
        "_", "#", "&", "\\\\", "log", "sin ", "²", "₁", "- ", "1. ", "Problem 2", "\\begin{array}",
        "\\end{array}", "<td>", "…", "?", "°", "y", "v2", "-", "e", "inf", "\0", "\x1b[", "\U000f0000",
    ]
)  # fmt: skip


@examples(1000)
@given(st.lists(SIGNS, max_size=40).map("".join))
def test_any_signs_of_answers_are_read_with_their_places(text: str) -> None:
    try:
        found = read(text)
    except NotGradable:
        return
    for answer in found:
        for entry in answer.entries:
            problems = [piece.problem.span for piece in entry.pieces if piece.problem is not None]
            for span in [entry.span, *(piece.span for piece in entry.pieces), *problems]:
                assert span is not None
                assert 0 <= span.start < span.end <= len(span.source.text) + 1
                assert span.source.text == answer.lines[span.source.first_line - 1]


# --- what nothing may come of -----------------------------------------------------------------------------------------


def test_towers_of_powers_are_not_computed() -> None:
    (answer,) = read("v1 = 9^9^9^9 = 10^999999999 = 1e400 = 1e9999999999999")
    assert [None, None, None] == [piece.number for piece in answer.entries[0].pieces[:2]] + [numeral("1e9999999999999")]


@pytest.mark.parametrize(
    "text",
    ["X = 1e400\nY = 3", "f(1e400, 3) = 3", "f = x y, so at x=1e400 it is 3", "x = 1e400 - 0.1 = 3", "x|1e400|1"],
)
def test_numbers_beyond_doubles_are_other_numbers(text: str) -> None:
    (marking,) = assess(f"{text}\nf = 3\n".encode(), "a.txt", [task_of("x*y @ x=1, y=3")], Rules())
    assert "right" != marking.verdict


def test_code_is_text() -> None:
    (answer,) = read("v1 = __import__('os').system('true')\nv2 = 1")
    (piece,) = answer.entries[0].pieces
    assert piece.problem is not None


def test_spreadsheet_formulas_are_text() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["name", "value"], ["v1", "=cmd|'/C calc'!A0"], ["v2", '=HYPERLINK("http://localhost")'], ["v3", 2]):
        book.active.append(row)
    out = BytesIO()
    book.save(out)
    (answer,) = read(out.getvalue())
    assert [True, True, False] == [piece.problem is not None for entry in answer.entries for piece in entry.pieces]


def test_a_cell_far_away_makes_no_rows_between() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active["A1"] = "v1 = 1"
    book.active["XFD1048576"] = "v2 = 1"
    out = BytesIO()
    book.save(out)
    assert ["v1 | 1 (1)"] == rows(out.getvalue())


def test_a_missing_library_is_named_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(RequestError) as caught:
        read(packed(("xl/workbook.xml", b"<a/>")))
    assert (WITHOUT_OPENPYXL, install_command("xlsx")) == (caught.value.title, caught.value.help)


def test_colours_of_a_terminal_are_no_part_of_a_number() -> None:
    assert ["v1 | 0.5 (1/10)"] == rows("\x1b[1mv1\x1b[0m = \x1b[31m0.5\x1b[0m\x1b]0;title\x07\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_every_encoding_of_unicode(encoding: str) -> None:
    assert ["dot v1 | dot x1/x1 | 0.5 (1/10)"] == rows("v̇1 = ẋ1/x1 ≈ 0.5\r\n".encode(encoding))


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_old_encodings(encoding: str) -> None:
    assert ["v2 | x1*x2 | 10 (1)"] == rows("v2 = x1·x2 = 10 (schön)".encode(encoding))
