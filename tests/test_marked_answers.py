"""What is shown of a marked answer, and how: levels of disclosure, and the formats that all go through them."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked import KEY_NUMBERS, LINES, MARKS, graded, right, submission, unreadable, wrong

from adcli.answers.answer_model import Answer
from adcli.classroom.gradebook import line_of, people_of
from adcli.classroom.key import read_key
from adcli.classroom.record import as_data, from_data
from adcli.errors import Source, Span, width
from adcli.marking.assessing import assess
from adcli.marking.disclosure import is_right, redact
from adcli.marking.model import Mark, Marking, QuantityMark, Rules
from adcli.marking.task import task_of
from adcli.render.answers.gradebooks import feedback as feedback_on
from adcli.render.answers.marks_report import MARKED, report
from adcli.render.answers.marks_text import document, plain
from adcli.render.formats import DOCUMENTS, find_format
from adcli.render.marks import lines, points, score
from adcli.render.terminal import style_lines

LEVELS = range(6)
VERDICTS = [
    "correct", "rounding", "carried", "error", "does_not_follow", "precision", "missing", "unreadable", "extra",
    "formula", "superseded",
]  # fmt: skip


def text(marking: Marking, level: int = 3, ascii_only: bool = False) -> str:
    return plain(document([redact(marking, level)], ascii_only))


def every_form(marking: Marking, level: int) -> dict[str, str]:
    """The marking in every format in which it can be printed or kept."""
    shown = redact(marking, level)
    return {
        "plain": plain(document([shown])),
        "terminal": style_lines(document([shown], columns=200), 200, color=True),
        **{form: find_format(form).document([report([shown], "Homework")], "") for form in DOCUMENTS},
        "json": json.dumps(MARKED.data(shown), ensure_ascii=False),
        "state": json.dumps(as_data(shown), ensure_ascii=False),
    }


# --- disclosure -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_numbers_of_the_key_are_in_no_form_below_level_5(level: int) -> None:
    for form, found in every_form(wrong(), level).items():
        leaked = [number for number in KEY_NUMBERS if number in found]
        assert bool(leaked) == (level == 5), form


@pytest.mark.parametrize("level", LEVELS)
def test_expected_formulas_are_in_no_form_below_level_4(level: int) -> None:
    for form, found in every_form(wrong(), level).items():
        assert ("sin x2" in found) == (level >= 4), form


@pytest.mark.parametrize("level", LEVELS)
def test_slips_and_feedback_are_in_no_form_below_level_3(level: int) -> None:
    for form, found in every_form(wrong(), level).items():
        assert ("degrees" in found, "follows" in found) == (level >= 3, level >= 3), form


@pytest.mark.parametrize("level", LEVELS)
def test_the_first_error_is_told_from_level_2_on(level: int) -> None:
    for form, found in every_form(wrong(), level).items():
        if form in ("plain", "terminal", *DOCUMENTS):
            assert ("first error" in found) == (level >= 2), form
    assert (MARKED.data(redact(wrong(), level))["first_error"] is not None) == (level >= 2)
    assert () == redact(wrong()._replace(quantities=("earned",)), 0).quantities


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize(
    ("weights", "answer", "first"),
    [
        ("", "f_x = 2 x y", "∂f/∂y"),  # a missing row that costs marks
        ('weights={"df/dx"=1,"df/dy"=0}', "f_x = 2 x y", None),
        ('weights={"df/dx"=0,"df/dy"=1}', "f_x = 3 x y", "∂f/∂x"),
    ],
)
def test_the_first_error_is_a_row_that_is_shown(weights: str, answer: str, first: str | None, level: int) -> None:
    key = read_key(f"[[problem]]\ntext='x^2*y'\n{weights}")
    (marking,) = assess(answer.encode(), "a.txt", key.tasks, key.rules)
    found = MARKED.data(redact(marking, level))
    assert first == (found["first_error"] and found["first_error"]["row"])
    assert first is None or first in [row["row"] for row in found["rows"] if row["verdict"] != "correct"]
    feedback = feedback_on(line_of(graded("ann", marking), people_of([submission("ann")], None)["ann"]), level)
    assert "None" not in feedback and ("is missing" in feedback) == (first == "∂f/∂y")


def test_the_first_error_is_the_same_row_after_rows_are_dropped() -> None:
    nothing, one = Fraction(0), Fraction(1)
    quantities = (
        QuantityMark("v0", (0,), "missing", nothing, nothing, nothing),
        QuantityMark("v3", (1,), "error", nothing, nothing, one),
    )
    marking = wrong()._replace(marks=(MARKS[7], MARKS[2], MARKS[3]), first=1, quantities=quantities)
    for level in (2, 3):
        shown = redact(marking, level)
        assert shown.first is not None and shown.marks[shown.first].row == "v3"


def test_level_0_shows_the_score_and_no_line_of_the_answer() -> None:
    for form, found in every_form(wrong(), 0).items():
        if form != "state":
            assert ("7/2" if form == "json" else "3½") in found, form
            assert "v4" not in found, form


@pytest.mark.parametrize("level", [1, 2])
def test_below_level_3_a_row_is_right_or_wrong_and_no_more(level: int) -> None:
    found = {mark.row: mark.verdict for mark in redact(wrong(), level).marks}
    assert {
        "v1": "correct", "v2": "correct", "v3": "error", "v4": "correct", "v5": "error", "w9": "extra",
        "": "unreadable", "x̄2": "missing",
    } == found  # fmt: skip


def test_below_level_3_nothing_tells_which_part_of_a_line_is_wrong() -> None:
    assert {line for mark in redact(wrong(), 2).marks if mark.span for line in [mark.span.text]} <= set(LINES)
    assert "^^^" not in text(wrong(), 2).replace("^" * len("v6 = ???"), "")


@given(st.sampled_from(LEVELS), st.sampled_from(LEVELS))
def test_disclosing_twice_shows_what_the_lower_level_does(one: int, other: int) -> None:
    def told(level: int, again: int) -> Any:
        return as_data(redact(redact(wrong(), level), again))

    assert as_data(redact(wrong(), min(one, other))) == told(one, other)


def test_a_row_with_a_true_number_is_right_however_it_was_reached() -> None:
    marks = [Mark("v1", "value", verdict, None) for verdict in VERDICTS]
    assert ["correct", "rounding", "does_not_follow", "precision"] == [m.verdict for m in marks if is_right(m)]


# --- json -------------------------------------------------------------------------------------------------------------


def test_json_has_the_fields_of_the_contract() -> None:
    found = MARKED.data(redact(wrong(), 3))
    assert ["schema", "verdict", "first_error", "score", "quantities", "rows", "not_counted"] == list(found)
    assert ("check/1", "wrong", {"line": 5, "row": "v3"}) == (found["schema"], found["verdict"], found["first_error"])
    assert {"earned": "7/2", "possible": "8", "earned_without_carry": "3"} == found["score"]
    assert {
        "line": 5, "row": "v3", "kind": "value", "verdict": "error", "slip": "degrees", "formula": "right",
        "number": "wrong", "feedback": "v3: angles are not in degrees here",
    } == found["rows"][2]  # fmt: skip
    assert (None, "missing") == (found["rows"][7]["line"], found["rows"][7]["verdict"])


def test_json_of_what_is_not_gradable_has_no_rows() -> None:
    found = MARKED.data(unreadable())
    assert ("not_gradable", None, []) == (found["verdict"], found["first_error"], found["rows"])


def test_in_json_what_may_not_be_seen_is_null() -> None:
    assert MARKED.data(redact(wrong(), 0))["rows"] is None
    row = MARKED.data(redact(wrong(), 1))["rows"][2]
    assert (None, None, None, None) == (row["slip"], row["formula"], row["number"], row["feedback"])
    assert MARKED.data(redact(wrong(), 1))["first_error"] is None


# --- text -------------------------------------------------------------------------------------------------------------


def test_the_lines_bear_signs_and_the_offending_text_is_underlined() -> None:
    assert """\
log(x1)+x1*x2-sin(x2) @ x1=2, x2=5

✓ 3 | v1 = log(x1) = 0.693
✓ 4 | v2 = x1*x2 = 10
✗ 5 | v3 = sin(x2) = 0.087
    |                ^^^^^
    = the first error
    = v3: angles are not in degrees here
~ 6 | v4 = v1 + v2 = 10.7
    |                ^^^^
    = v4 has too few digits
↷ 7 | v5 = v4 - v3 = 10.613
· 8 | w9 = 3
? 9 | v6 = ???
    |      ^^^
    = this cannot be read
–   = x̄2 is missing

↷ follows from an error in another row; the step itself is right.
3½ of 8 marks.
""" == text(wrong())


def test_ascii_has_other_signs_and_carets_in_the_same_places() -> None:
    found = text(wrong(), ascii_only=True)
    assert found.isascii()
    assert "ok 3 | v1 = log(x1) = 0.693\n" in found
    assert "x  5 | v3 = sin(x2) = 0.087\n     |                ^^^^^\n" in found
    assert ">  7 | v5 = v4 - v3 = 10.613\n" in found
    assert "-    = x2bar is missing\n" in found


def test_carets_stand_below_letters_with_accents_and_wide_ones() -> None:
    line = "v̇3 = 数 = 0.087"
    source = Source(line, None, 1)
    span = Span(line.index("0.087"), len(line), source)
    marking = wrong()._replace(
        answer=Answer("text", (line,), ()), marks=(MARKS[2]._replace(span=span),), first=0
    )  # fmt: skip
    shown, carets = text(marking).splitlines()[2:4]
    assert carets.index("^") == width(shown[: shown.index("0.087")])
    shown, carets = text(marking, ascii_only=True).splitlines()[2:4]
    assert carets.index("^") == shown.index("0.087")


def test_level_5_shows_formula_and_number_of_what_is_not_right() -> None:
    found = text(wrong(), 5)
    assert f"= expected: sin x2\n    = number: {KEY_NUMBERS[1]}\n" in found
    assert KEY_NUMBERS[0] not in found


def test_marks_are_written_as_people_write_them() -> None:
    assert "8½ of 10" == score(Fraction(17, 2), Fraction(10))
    assert ["8", "½", "2¼", "0", "2.33"] == [points(Fraction(text)) for text in ("8", "1/2", "9/4", "0", "7/3")]


def test_several_problems_have_a_total_that_adds_up() -> None:
    found = plain(document([wrong("a"), right("b")]))
    assert found.startswith("a: log(x1)")
    assert "3½ of 8 marks.\n\nb: log(x1)" in found
    assert found.endswith("\nTotal: 11½ of 16 marks\n")


def test_colour_adds_escape_codes_and_nothing_else() -> None:
    pieces = document([wrong()])
    assert plain(pieces) == "".join(
        line.rstrip() + "\n" for line in re.sub("\x1b\\[[0-9;]*m", "", style_lines(pieces, 80, color=True)).splitlines()
    )
    assert "\x1b" not in style_lines(pieces, 20, color=False)


def test_reasons_are_wrapped_to_the_terminal() -> None:
    found = plain(document([wrong()], columns=40)).splitlines()
    assert all(len(line) <= 40 for line in found[1:-1])
    assert "✗ 5 | v3 = sin(x2) = 0.087" in found


def test_a_line_too_long_for_the_terminal_is_shown_around_what_is_wrong() -> None:
    line = f"v3 = {'x2 + ' * 30}0 = 0.087{' # and so on' * 20}"
    start = line.index("0.087")
    mark = MARKS[2]._replace(span=Span(start, start + 5, Source(line, None, 1)))
    marking = wrong()._replace(answer=Answer("text", (line,), ()), marks=(mark,), first=0)
    shown, carets = plain(document([marking], columns=60)).splitlines()[2:4]
    assert len(shown) <= 60
    assert "0.087" == shown[carets.index("^") : carets.rindex("^") + 1]


def test_a_gap_between_rows_is_not_shown_in_full() -> None:
    written = ("v1 = 1", *["prose"] * 9, "v2 = 2")
    marks = tuple(
        Mark(f"v{k}", "value", "correct", Span(0, 2, Source(written[n - 1], None, n))) for k, n in ((1, 1), (2, 11))
    )
    found = lines(right()._replace(answer=Answer("text", written, ()), marks=marks))
    assert [(1, "v1 = 1"), (0, "…"), (11, "v2 = 2")] == [(line.number, line.text) for line in found]


# --- hostile text -----------------------------------------------------------------------------------------------------

HOSTILE = "v3 = \x1b[31m<script>alert(1)</script> | *b* `c` $x$ [red]x[/red] &amp; \u202e = 0.087"


def hostile() -> Marking:
    source = Source(HOSTILE, None, 5)
    marks = (MARKS[2]._replace(span=Span(5, len(HOSTILE), source), row="<b>|*v*"),)
    return wrong()._replace(answer=Answer("text", (HOSTILE,), ()), marks=marks, first=0)


@pytest.mark.parametrize("level", [1, 3, 5])
def test_nothing_of_an_answer_steers_a_terminal_or_is_markup(level: int) -> None:
    forms = every_form(hostile(), level)
    for form in ("plain", *DOCUMENTS):
        assert {"\x1b", "\u202e"} & set(forms[form]) == set(), form
    assert "\x1b[31m<" not in forms["terminal"]
    assert "<script>alert" not in forms["html"]
    assert "<script>" not in forms["markdown"]
    assert "[red]x[/red]" in forms["terminal"]
    rows = [line for line in forms["markdown"].splitlines() if line.startswith("| ") and "script" in line]
    assert [5] == [len(re.findall(r"(?<!\\)\|", line)) for line in rows]


class _Tags(HTMLParser):
    """The tags that are open, to see that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()


@pytest.mark.parametrize("marking", [wrong(), right(), unreadable(), hostile()], ids=["wrong", "right", "none", "bad"])
def test_the_page_is_well_formed_and_says_in_words_what_signs_say(marking: Marking) -> None:
    found = find_format("html").document([report([marking], "<Homework>")], "")
    tags = _Tags()
    tags.feed(found)
    assert [] == tags.open
    assert "script" not in tags.seen
    assert "&lt;Homework&gt;" in found
    if marking.verdict == "wrong":
        assert '<span class="unseen">wrong </span>' in found
        assert 'aria-hidden="true"' in found


# --- records ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_a_record_brings_back_all_that_is_shown(level: int) -> None:
    for marking in (wrong("a"), right(), unreadable(), hostile()):
        shown = redact(marking, level)
        again = from_data(json.loads(json.dumps(as_data(shown))), marking.task)
        assert every_form(shown, 5) == every_form(again, 5)


def test_a_record_brings_back_the_formulas_of_lines_in_latex() -> None:
    answer = b"\\[ f = \\ln 4 + 2.25 = 3.636 \\]\n\\[ \\frac{\\partial f}{\\partial y} = \\frac{x}{1+xy} = 0.375 \\]\n"
    (marking,) = assess(answer, "a.tex", [task_of("log(1+x*y)+x^2 @ x=1.5, y=2")], Rules())
    again = from_data(json.loads(json.dumps(as_data(marking))), marking.task)
    assert every_form(marking, 5) == every_form(again, 5)
    assert r"∂f/∂y = x/(1 + x\*y) = 0.375" in find_format("markdown").document([report([again])], "")
