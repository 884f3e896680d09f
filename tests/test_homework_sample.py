"""samples/homework: one homework from sheet to gradebook; what is kept there is what grading produces now.

After something has been changed on purpose,

    ADCLI_UPDATE=1 python -m pytest tests/test_homework_sample.py

writes the grades anew; read the difference before it is committed.
"""

from __future__ import annotations

import csv
import io
import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from running import Run, run

SAMPLE = Path(__file__).resolve().parent.parent / "samples" / "homework"
KEPT = sorted(str(path.relative_to(SAMPLE / "grades")) for path in (SAMPLE / "grades").rglob("*") if path.is_file())
EXPECTED = {
    "ada": "perfect text", "ben": "two digits", "chi": "steps and names of the own, the problems in another order",
    "dana": "tables in Markdown", "emil": "CSV", "fay": "LaTeX", "gus": "JSON", "hana": "a notebook",
    "nina": "two files",
}  # fmt: skip


@cache
def graded() -> tuple[Run, dict[str, str]]:
    """What grading the sample says, and the files that it writes."""
    with TemporaryDirectory() as folder:
        paths = [str(SAMPLE / name) for name in ("submissions", "key.toml", "roster.csv")]
        result = run("grade", paths[0], "--key", paths[1], "--roster", paths[2], "-o", folder)
        written = {
            str(path.relative_to(folder)): path.read_text(encoding="utf-8")
            for path in Path(folder).rglob("*")
            if path.is_file()
        }
    return result, written


def lines() -> dict[str, dict[str, str]]:
    return {line["student"]: line for line in csv.DictReader(io.StringIO(graded()[1]["grades.csv"]))}


@pytest.fixture(scope="session", autouse=True)
def updated() -> None:
    """Writes what is kept anew where that is asked for."""
    if os.environ.get("ADCLI_UPDATE"):
        for name in KEPT:
            (SAMPLE / "grades" / name).write_text(graded()[1][name], encoding="utf-8")


def test_the_sample_keeps_the_gradebook_the_summary_and_two_reports() -> None:
    assert ["grades.csv", "reports/ivo.md", "reports/jana.md", "summary.md"] == KEPT


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_is_what_grading_produces(name: str) -> None:
    assert (SAMPLE / "grades" / name).read_text(encoding="utf-8") == graded()[1][name]


@pytest.mark.parametrize("student", EXPECTED, ids=EXPECTED.get)
def test_an_answer_without_slips_has_full_marks_in_every_form(student: str) -> None:
    assert ("right", "15") == (lines()[student]["status"], lines()[student]["earned"])


@pytest.mark.parametrize(
    ("student", "first", "slip"),
    [("ivo", "1: v3", "degrees"), ("jana", "1: x̄1; 2: v̇1", "path_missing; factor_forgotten")],
)
def test_a_slip_is_found_where_it_was_made(student: str, first: str, slip: str) -> None:
    line = lines()[student]
    assert ("wrong", first, slip) == (line["status"], line["first_error"], line["slip"])
    assert float(line["without_carry"]) < float(line["earned"]) < 15


def test_a_wrong_formula_with_a_right_number_is_flagged() -> None:
    assert "the number of v2 is right, its formula is not" in graded()[1]["reports/kim.md"]


@pytest.mark.parametrize("student", ["lea", "max"])
def test_an_empty_answer_and_prose_are_not_gradable_and_get_a_blank_form_offered(student: str) -> None:
    assert "not_gradable" == lines()[student]["status"]
    assert "adcli template" in graded()[1][f"reports/{student}.md"]


def test_who_handed_in_nothing_is_in_the_gradebook_all_the_same() -> None:
    assert "no_submission" == lines()["Pons, Pia"]["status"]
    assert 4 == graded()[0].code
