"""Keys in TOML: what is read, what is written, and what is said about what is wrong."""

from __future__ import annotations

import re
import time
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from adcli.classroom.homework import Key
from adcli.classroom.key import DECIMALS, read_key, write_key
from adcli.errors import AdcliError
from adcli.marking.model import Rules
from adcli.marking.task import task_of, task_text
from adcli.trace.request_choices import MODES

HOMEWORK = '''title = "Homework 3"
disclose = 2                 # what students see
decimal = "comma"
[marking]
method = "1/3"
precision = 0.25
min_places = 3
min_digits = 2
[[problem]]
label = "1"
text = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"
mode = "reverse"
wrt = ["x1"]
points = 10
[[problem]]
text = """
a = x1*x2;
sin(a)+a @ x1=pi/2, x2=5"""
points = "7/2"
[[student.alice.problem]]
text = "2: x^2 @ x=3"
'''


def test_a_key_says_all_that_the_layout_has() -> None:
    key = read_key(HOMEWORK, "hw.toml")
    assert ("Homework 3", 2, "comma") == (key.title, key.disclose, key.decimal)
    assert Rules(Fraction(1, 3), Fraction(1, 4), 3, 2) == key.rules
    first, second = key.tasks
    assert ("1", "reverse", ("x1",), 10) == (first.label, first.mode, first.wrt, first.points)
    assert {"x1": 2.0, "x2": 5.0} == first.at
    assert (None, None, (), Fraction(7, 2)) == (second.label, second.mode, second.wrt, second.points)
    assert "a = x1*x2; sin(a)+a @ x1=pi/2, x2=5" == task_text(second)


def test_what_is_left_out_has_a_default() -> None:
    key = read_key('[[problem]]\ntext = "x^2 @ x=3"')
    assert ("", 3, "point", Rules(), {}) == (key.title, key.disclose, key.decimal, key.rules, dict(key.students))


def test_students_have_their_own_problems_or_those_of_all() -> None:
    key = read_key(HOMEWORK)
    assert "x^2 @ x=3" == task_text(key.tasks_for("alice")[0])
    assert key.tasks == key.tasks_for("bob") == key.tasks_for(None)
    named = read_key(HOMEWORK + '[student.s1]\nname = "Ann Adams"\n[student.s2]\nproblem = []\n')
    assert named.tasks == named.tasks_for("s1") == named.tasks_for("s2")
    with pytest.raises(AdcliError, match="the key file has no problem"):
        read_key('[student.s1]\nname = "Ann Adams"\n')


def test_a_student_without_problems_is_told_of_one_with_a_similar_name() -> None:
    key = read_key('[[student.alice.problem]]\ntext = "x^2 @ x=3"')
    with pytest.raises(AdcliError) as caught:
        key.tasks_for("alise")
    assert "did you mean alice?" == caught.value.help


# --- what is wrong is told with its place -----------------------------------------------------------------------------

WRONG = [
    ('method = "1/3"', 'methud = "1/3"', 5, "methud of marking is not a setting of a key"),
    ('method = "1/3"', 'method = "3/2"', 5, "method of marking is not a number from 0 to 1"),
    ('method = "1/3"', 'method = "1/0"', 5, "method of marking is not a number from 0 to 1"),
    ('method = "1/3"', 'method = "1e999999999"', 5, "method of marking is not a number from 0 to 1"),
    ('method = "1/3"', "method = nan", 5, "method of marking is not a number from 0 to 1"),
    ('method = "1/3"', "method = true", 5, "method of marking is not a number from 0 to 1"),
    ("min_digits = 2", 'min_digits = 2\nnumbers = "yes"', 9, "numbers of marking is neither true nor false"),
    ("min_places = 3", 'min_places = "3"', 7, "min_places of marking is not a whole number from 0 to 17"),
    ("disclose = 2", "disclose = 9", 2, "disclose is not a whole number from 0 to 5"),
    ('"comma"', '"komma"', 3, "decimal is not one of the choices"),
    ('"Homework 3"', "3", 1, "title is not a text"),
    ('"reverse"', '"revers"', 12, "mode of problem 1 is not one of the choices"),
    ("points = 10", "points = -1", 14, "points of problem 1 is not a number from 0 to 1000000"),
    ('wrt = ["x1"]', 'wrt = "x1"', 13, "wrt of problem 1 is not a list of names"),
    ('wrt = ["x1"]', 'wrt = ["x7"]', 13, "there is no input called x7"),
    ("x2=5\"\nmode", "x3=5\"\nmode", 11, "x2 has no value"),
    ("log(x1)", "log(-x1)", 11, "log needs a positive argument"),
    ("sin(a)+a", "sin(a)+", 18, "the expression ends too soon"),
    (' @ x=3"', '"\nmode = "value"', 21, "the problem has no point"),
    ('label = "1"', "order = 0", 10, "order of problem 1 is 0"),
    ("text = \"2: x", "txt = \"2: x", 21, "txt of problem 1 of alice is not a setting of a key"),
    ("[[student.alice.problem]]", "[[student.alice.problm]]", 20, "problm of alice is not a setting of a key"),
    ("[marking]", "[marking", 4, "the key file is not valid TOML"),
    ('label = "1"', 'points = 1', 14, "the key file is not valid TOML"),
    ('label = "1"', "label = 1.5", 10, "label of problem 1 is not a text"),
    ('text = "2: x^2 @ x=3"', 'label = "z"', 20, "text of problem 1 of alice is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "line", "title"), WRONG)
def test_what_is_wrong_is_told_with_its_line(right: str, wrong: str, line: int, title: str) -> None:
    assert right in HOMEWORK
    with pytest.raises(AdcliError) as caught:
        read_key(HOMEWORK.replace(right, wrong, 1), "hw.toml")
    assert title == caught.value.title
    assert caught.value.span is not None
    assert ("hw.toml", line) == (caught.value.span.source.name, caught.value.as_dict()["line"])


@pytest.mark.parametrize(
    ("right", "wrong", "underlined"),
    [
        ('text = "2: x^2 @ x=3"', 'label = "z"', "[[student.alice.problem]]"),
        ("precision = 0.25", "precision = 2", "precision"),
        ('"reverse"', '"revers"', "mode"),
        ("[[student.alice.problem]]", "[[student.alice.problm]]", "[[student.alice.problm]]"),
        ('method = "1/3"', "  method = 7", "method"),
        ("[marking]", "[marking] # rules\nmethods = 1", "methods"),
    ],
)
def test_what_is_wrong_is_underlined(right: str, wrong: str, underlined: str) -> None:
    assert right in HOMEWORK
    with pytest.raises(AdcliError) as caught:
        read_key(HOMEWORK.replace(right, wrong, 1), "hw.toml")
    span = caught.value.span
    assert span is not None
    assert underlined == span.source.text[span.start : span.end]


def test_a_second_problem_in_a_task_is_underlined_whole() -> None:
    with pytest.raises(AdcliError) as caught:
        task_of("x1 @ x1=2\nx2*3 @ x2=1", name="a.txt", first_line=7)
    told = caught.value.as_dict()
    assert ("a task is one problem", 8) == (caught.value.title, told["line"])
    assert caught.value.span is not None
    assert "x2*3 @ x2=1" == caught.value.span.source.shown
    assert (0, len("x2*3 @ x2=1")) == (caught.value.span.start, caught.value.span.end)


@pytest.mark.parametrize(
    ("right", "wrong", "guess"),
    [
        ("precision = 0.25", "presicion = 0.25", "precision"),
        ('"reverse"', '"reversed"', "reverse"),
        ("[marking]", "[markings]", "marking"),
    ],
)
def test_a_setting_that_is_misspelled_is_guessed(right: str, wrong: str, guess: str) -> None:
    with pytest.raises(AdcliError) as caught:
        read_key(HOMEWORK.replace(right, wrong))
    assert f"did you mean {guess}?" == caught.value.help


def test_two_problems_have_two_labels() -> None:
    problem = '[[problem]]\nlabel = "1"\ntext = "x^2 @ x=3"\n'
    with pytest.raises(AdcliError, match="label of problem 2 is used twice"):
        read_key(problem * 2)


@pytest.mark.parametrize("text", ["[" * 100_000, "a = " + "9" * 100_000, "a = " + "{b=" * 20_000, "problem = [1, 2]",
                                  "student = 3", "marking = 3", "[[marking]]", "\0", "problem = {}"])  # fmt: skip
def test_a_hostile_key_is_an_error_within_a_second(text: str) -> None:
    started = time.process_time()
    with pytest.raises(AdcliError):
        read_key(text)
    assert time.process_time() - started < 1


# --- writing ---------------------------------------------------------------------------------------------------------

TEXTS = ["x^2 @ x=3", "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5", "a = x*y; sin(a)/a @ x=pi/2, y=0.1", "2^0.5", "|x| @ x=-3"]
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
shares = st.fractions(0, 1, max_denominator=10**6)
tasks = st.builds(
    task_of,
    st.sampled_from(TEXTS),
    label=st.none() | words,
    mode=st.sampled_from([None, *MODES]),
    points=st.none() | st.fractions(0, 1000, max_denominator=1000),
)
several = st.lists(tasks, min_size=1, max_size=3, unique_by=lambda task: object() if task.label is None else task.label)


@examples(60)
@given(
    st.builds(
        Key,
        words,
        several.map(tuple),
        st.builds(Rules, *2 * [shares], *2 * [st.integers(0, 17)], st.booleans(), *3 * [shares]),
        st.integers(0, 5),
        st.sampled_from(DECIMALS),
        st.dictionaries(words, several.map(tuple), max_size=2),
    )
)
def test_a_key_that_was_written_is_read_back(key: Key) -> None:
    text = write_key(key)
    again = read_key(text)
    assert key[2:5] == again[2:5]
    assert (key.title, *facts(key.tasks)) == (again.title, *facts(again.tasks))
    own, theirs = ({name: facts(found) for name, found in each.students.items()} for each in (key, again))
    assert list(own.items()) == list(theirs.items())
    assert text == write_key(again)


def facts(found):  # type: ignore[no-untyped-def]
    return [(task.label, task_text(task), dict(task.at), task.mode, task.wrt, task.points) for task in found]


def test_every_character_is_written_so_that_toml_has_it_back() -> None:
    characters = "".join(map(chr, [*range(0x300), 0x2028, 0x202E, 0xFEFF, 0x1F600, 0x10FFFF]))
    key = Key(characters, (task_of("x^2 @ x=3"),), students={characters: (task_of("x @ x=1"),)})
    data = tomllib.loads(write_key(key))
    assert characters == data["title"]
    assert [characters] == [*data["student"]]
    assert set() == {c for c in write_key(key) if not c.isprintable()} - {"\n"}


def test_the_key_of_the_manual_has_every_setting_and_its_defaults() -> None:
    page = (Path(__file__).parent.parent / "adcli" / "manual" / "keys.md").read_text(encoding="utf-8")
    text = "\n".join(line[4:] for line in page.splitlines() if line.startswith("    ") or not line)
    key = read_key(text)
    assert (Rules(), 3, "point") == (key.rules, key.disclose, key.decimal)
    assert 10 == sum(task.points or 0 for task in key.tasks)
    assert ("Ann Adams", "ann@uni.edu") == key.called["s1042"]
    for header in ("", "[[problem]]\n", "[student.ann]\n", "[marking]\n"):
        with pytest.raises(AdcliError) as wrong:
            read_key(f"{header}qqqqqq = 1\n")
        settings = wrong.value.help.removeprefix("the settings here are ").split(", ")
        assert len(settings) > 2
        assert all(re.search(rf"^(?:\[\[?(?:\w+\.)*)?{name}\b", text, re.M) for name in settings)


def test_a_total_scales_the_problems_of_everybody() -> None:
    text = '[[problem]]\ntext = "x^2"\npoints = 3\n[[problem]]\ntext = "x*y @ x=1, y=2"\n'
    key = read_key(f'total = 10\n{text}[[student.ann.problem]]\ntext = "x^3"\n')
    assert [10 * Fraction(3, 9), 10 * Fraction(6, 9)] == [task.points for task in key.tasks]
    assert [10] == [task.points for task in key.tasks_for("ann")]
    assert [Fraction(1, 10**5)] == [task.points for task in read_key(text[:24] + "\npoints = 0.00001").tasks]
