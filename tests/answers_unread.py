"""Answers that are not gradable, and rows that cannot be read, each with what is said of it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import cache

from answers import read_answer

from adcli.answers.answer_model import NotGradable
from adcli.answers.collector import BYTES, CHARACTERS, LINES, ROWS, WORKBOOK_BYTES
from adcli.errors import AdcliError
from adcli.marking.assessing import assess
from adcli.marking.model import Rules
from adcli.marking.task import task_of


@cache
def packed(*files: tuple[str, bytes]) -> bytes:
    """A zip archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


_DOCTYPE = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><a>&b;</a>'

# The file's name, its bytes, or what makes them, and the title of the message.
NOT_GRADABLE: list[tuple[str, bytes | Callable[[], bytes], str]] = [
    ("a.txt", b"", "the answer is empty"),
    ("a.txt", b"\xef\xbb\xbf \r\n\t\n", "the answer is empty"),
    ("a.txt", b"I do not know.\nSorry!\n", "there is no row of a trace in this answer"),
    ("a.txt", b"log(x1) = 0.693", "there is no row of a trace in this answer"),
    ("a.txt", b"v1 = ____\nv2 = ____\n", "nothing is filled in"),
    ("a.txt", lambda: b"v1 = 1\n" + b" " * BYTES, "the answer is too large"),
    ("a.txt", b"v1 = 1" + b"\n" * (LINES + 1) + b".", "the answer is too long"),
    ("a.html", b"<table>" + b"<tr>" * 300_000, "the answer is too long"),
    ("a.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "this is a PNG picture, not text"),
    ("a.txt", b"\xff\xd8\xff\xe0\0\x10JFIF", "this is a JPEG picture, not text"),
    ("a.txt", b"GIF89a", "this is a GIF picture, not text"),
    ("a.txt", b"RIFF....WEBPVP8 ", "this is a WebP picture, not text"),
    ("a.txt", b"\0\0\0\x18ftypheic\0\0\0\0", "this is a HEIC picture, not text"),
    ("a.pdf", b"%PDF-1.7\n%\xe2\xe3", "this is a PDF, not text"),
    ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1", "this is an old Office document, not text"),
    ("a.rtf", b"{\\rtf1 v1 = 1}", "this is an RTF document, not text"),
    ("a.docx", lambda: packed(("word/document.xml", b"<w/>")), "this is a Word document, not text"),
    ("a.odt", lambda: packed(("content.xml", b"<o/>")), "this is an OpenDocument file, not text"),
    ("a.xlsx", lambda: packed(("answer.txt", b"v1 = 1")), "this is a zip archive, not text"),
    ("a.txt", b"\0\1\2\3\4\5\6\7" * 100, "this is binary data, not text"),
    ("a.xlsx", lambda: packed(("xl/workbook.xml", b"0" * (WORKBOOK_BYTES + 1))), "this spreadsheet is too large"),
    ("a.xlsx", lambda: packed(("xl/workbook.xml", b"<a>" * 9)), "this spreadsheet cannot be read"),
    ("a.xlsx", lambda: packed(("xl/workbook.xml", _DOCTYPE)), "this spreadsheet cannot be read"),
    ("a.xlsx", lambda: packed(("xl/workbook.xml", b"<a>" * 999))[:90], "this spreadsheet cannot be read"),
    ("a.json", b'{"v1": 1,}', "this JSON is broken"),
    ("a.json", b"[" * 100_000 + b"]" * 100_000, "this JSON is nested too deeply"),
    ("a.ipynb", b'{"nbformat": 4, "cells": [1, {"cell_type": "code", "outputs": 5}]}',
     "there is no row of a trace in this answer"),
]  # fmt: skip

# What a row or piece is told, by its text.
UNREADABLE = [
    ("v2 = 1\nlog(x1) = 0.693", "this line does not say which row it is"),
    ("v2 = 1\nv3 = " + "1 + " * 1_000 + "1", "a row may have at most 4000 characters"),
    ("v2 = 1\n" * (ROWS + 1), "the answer is too long"),
    ("v2 = 1\n" + ("." * 3_000 + "\n") * (CHARACTERS // 3_000), "the answer is too long"),
    ("v1 = 0,693", "this number has a decimal comma"),
    ("v2 = 1\n∇y = (1, 2, 3)", "this list does not have one value for each name"),
    ("v1 = inf", "this is not a finite number"),
    ("v2 = the natural logarithm", "these words are not a formula"),
    ("v2 = 0.6#8", "some of its digits cannot be read"),
    ("| name | formula |\n|--|--|\n| v1 | x1; x2 |", "a row has one formula"),
]

WITHOUT_OPENPYXL = "spreadsheets need openpyxl, which is not installed"


def failure(name: str, data: bytes | Callable[[], bytes]) -> NotGradable:
    """What is said of an answer that is not gradable."""
    try:
        read_answer(data() if callable(data) else data, name=name, inputs=("x1", "x2"), outputs=("y",))
    except NotGradable as error:
        return error
    raise AssertionError(f"{name} was read")


def problems(text: str) -> list[AdcliError]:
    """What is said of the rows and pieces that cannot be read."""
    (answer,) = read_answer(text.encode(), name="a.txt", inputs=("x1", "x2"), outputs=("y",))
    found = [each.problem for each in answer.unread]
    return found + [p.problem for entry in answer.entries for p in entry.pieces if p.problem is not None]


def unmatched() -> AdcliError:
    """What is said of an answer that is about neither of two problems."""
    tasks = [task_of("x1*x2 @ x1=2, x2=5"), task_of("sin(x1) @ x1=2")]
    problem = assess(b"u = 3.1234\n", "a.txt", tasks, Rules())[0].problem
    assert problem is not None
    return problem


def unnamed() -> AdcliError:
    """What is said of numbers that may be this or that."""
    problem = assess(b"2, 3\n", "a.txt", [task_of("x1*x2 @ x1=2, x2=3")], Rules())[0].problem
    assert problem is not None
    return problem


def said() -> set[tuple[str, str]]:
    """The kind and the title of everything that reading says."""
    found = {(error.kind, error.title) for name, data, _ in NOT_GRADABLE for error in [failure(name, data)]}
    found.add(("request", WITHOUT_OPENPYXL))
    found |= {(error.kind, error.title) for error in (unmatched(), unnamed())}
    return found | {(error.kind, error.title) for text, _ in UNREADABLE for error in problems(text)}
