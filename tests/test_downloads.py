"""A class as systems hand it out, in every layout and wrapping: everybody once, each with the own answer, or told."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from downloads import LAYOUTS, WRAPPINGS, Files, Pupil, packed, plain_roster, pupils, put
from drawn import THOROUGH
from running import run

from adcli.classroom.gradebook import PersonMatch, names_in_key, people_of
from adcli.classroom.homework import Key
from adcli.classroom.roster import Roster, read_roster
from adcli.classroom.submissions import HandedIn, submissions_in
from adcli.classroom.system_downloads import read_metadata
from adcli.marking.task import task_of

CLASS = pupils()


def token(pupil: Pupil) -> bytes:
    """An answer that says whose it is."""
    return f"v1 = x*y = 6\n# answer of {pupil.number}\n".encode()


def known_in(roster: Roster | None) -> Callable[..., bool]:
    return lambda names: roster is not None and bool(roster.candidates(names))


def found(files: Files, folder: Path, roster: Roster | None, archive: bool) -> tuple[HandedIn, dict[str, PersonMatch]]:
    where = folder / "download.zip" if archive else put(files, folder / "in")
    if archive:
        where.write_bytes(packed(files))
    handed_in = submissions_in(str(where), (), known_in(roster))
    return handed_in, people_of(handed_in.submissions, roster)


@pytest.mark.parametrize(
    ("layout", "wrapping", "archive"),
    [
        (layout, wrapping, archive)  # of folders and archives one, in turn
        for (k, layout), (n, wrapping), archive in product(enumerate(LAYOUTS), enumerate(WRAPPINGS), (False, True))
        if THOROUGH or (k + n) % 2 == archive
    ],
)
def test_everybody_is_there_once_with_the_own_answer(layout: str, wrapping: str, archive: bool, tmp_path: Path) -> None:
    build, listed = LAYOUTS[layout]
    roster = read_roster(listed(CLASS), "class.csv")
    handed_in, people = found(WRAPPINGS[wrapping](build(CLASS, token)), tmp_path, roster, archive)
    assert () == handed_in.left_out
    assert len(CLASS) == len(handed_in.submissions)
    by_row = {id(person): pupil for person, pupil in zip(roster.people, CLASS, strict=True)}
    for submission in handed_in.submissions:
        person = people[submission.student].person
        assert person is not None, submission.student
        (file,) = submission.files
        assert f"answer of {by_row.pop(id(person)).number}" in file.load().decode()
    assert {} == by_row


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_without_a_class_list_nobody_is_merged(layout: str, wrapping: str, tmp_path: Path) -> None:
    handed_in, _ = found(WRAPPINGS[wrapping](LAYOUTS[layout][0](CLASS, token)), tmp_path, None, archive=False)
    assert [1] * len(CLASS) == [len(submission.files) for submission in handed_in.submissions]


def test_names_that_several_people_have_stand_for_nobody_and_are_told(tmp_path: Path) -> None:
    files = {
        f"{pupil.name}.txt" if k < 28 else f"{pupil.name} ({k}).txt": token(pupil) for k, pupil in enumerate(CLASS)
    }
    roster = read_roster(plain_roster(CLASS), "class.csv")
    handed_in, people = found(files, tmp_path, roster, archive=False)
    often = Counter(pupil.name for pupil in CLASS)
    for submission in handed_in.submissions:
        whose = people[submission.student]
        if often[submission.student] > 1:
            assert whose.person is None
            assert whose.notes[0].startswith("is not in the class list: it could be one of ")
        elif submission.student in often:
            assert whose.person is not None and submission.student == whose.person.name


def test_what_is_the_same_but_for_accents_is_told_apart_where_both_are_known(tmp_path: Path) -> None:
    roster = read_roster("name\nJosé Sá\nJose Sá\nZoë\n", "class.csv")
    _, people = found(
        {"José Sá.txt": b"", "Jose Sá.txt": b"", "Zoe.txt": b"", "JOSE SA.txt": b""}, tmp_path, roster, False
    )
    assert ["José Sá", "Jose Sá", "Zoë", None] == [
        person and person.name for person in (people[name].person for name in ("José Sá", "Jose Sá", "Zoe", "JOSE SA"))
    ]


# --- graded -----------------------------------------------------------------------------------------------------------


def graded(folder: Path, files: Files, roster: str, *argv: str) -> tuple[dict[str, dict[str, str]], str, int]:
    """The gradebook by names, what was said, and the exit code; everybody has a problem of the own."""
    (folder / "class.csv").write_text(roster, encoding="utf-8")
    key = [f'[[student.{p.number}.problem]]\ntext = "x*z @ x={p.number}, z=3"\nmode = "value"' for p in CLASS]
    (folder / "hw.toml").write_text("\n".join(key), encoding="utf-8")
    (folder / "download.zip").write_bytes(packed(files))
    where = ("--key", str(folder / "hw.toml"), "--roster", str(folder / "class.csv"), "-o", str(folder / "grades"))
    result = run("grade", str(folder / "download.zip"), *where, "--workers", "2", *argv)
    text = (folder / "grades" / "grades.csv").read_text(encoding="utf-8")
    return {line["student"]: line for line in csv.DictReader(io.StringIO(text))}, result.err, result.code


def own(pupil: Pupil) -> bytes:
    """The right answer to a student's own problem."""
    return f"v1 = x*z = {pupil.number * 3}\ny = v1 = {pupil.number * 3}\n".encode()


@pytest.mark.slow
def test_everybody_of_canvas_has_the_own_mark_and_lateness_is_told(tmp_path: Path) -> None:
    build, listed = LAYOUTS["canvas"]
    lines, _, code = graded(tmp_path, build(CLASS, own), listed(CLASS), "--for", "canvas")
    assert (0, 30) == (code, len(lines))
    assert {"right"} == {line["status"] for line in lines.values()}
    assert 4 == sum(line["late"] == "yes" for line in lines.values())
    assert 31 == (tmp_path / "grades" / "canvas.csv").read_text(encoding="utf-8").count("\n") - 1
    assert "handed in late" in (tmp_path / "grades" / "summary.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_group_of_gradescope_has_a_line_for_each(tmp_path: Path) -> None:
    build, listed = LAYOUTS["gradescope"]
    files = build(CLASS, own)
    name = "assignment_77_export/submission_metadata.yml"
    extra = f"  - :name: \"{CLASS[1].name}\"\n    :sid: '{CLASS[1].number}'\n    :email: {CLASS[1].email}\n"
    text = files[name].decode().replace(f"    :email: {CLASS[0].email}\n", f"    :email: {CLASS[0].email}\n{extra}")
    kept = text.partition("submission_55001:")
    files[name] = (kept[0] + "submission_55002:" + kept[2].partition("submission_55002:")[2]).encode()
    del files["assignment_77_export/submission_55001/hw3.txt"]
    lines, _, _ = graded(tmp_path, files, listed(CLASS))
    assert 30 == len(lines)
    assert f"handed in together with {CLASS[0].email}" in lines[CLASS[1].email]["note"]
    assert ("right", "wrong") == (
        lines[CLASS[0].email]["status"],
        lines[CLASS[1].email]["status"],
    )  # whose problem it is


@pytest.mark.parametrize("encoding", ["cp850", "cp1252", "gbk", "shift_jis", "cp866"])
def test_names_that_an_archive_has_in_another_encoding_are_found_in_the_class_list(
    encoding: str, tmp_path: Path
) -> None:
    """Python takes what is not marked as UTF-8 for the characters of the first PCs."""
    name = {"gbk": "李明", "shift_jis": "田中太郎", "cp866": "Иванова"}.get(encoding, "Müller, José")
    data = packed({"x" * len(name.encode(encoding)) + ".txt": b"v1 = 1", "ann.txt": b"v1 = 1"})
    (tmp_path / "download.zip").write_bytes(data.replace(b"x" * len(name.encode(encoding)), name.encode(encoding)))
    roster = read_roster(f'name\n"{name}"\nAnn\n', "class.csv")
    handed_in = submissions_in(str(tmp_path / "download.zip"), (), known_in(roster))
    people = people_of(handed_in.submissions, roster)
    assert {name, "Ann"} == {whose.person.name for whose in people.values() if whose.person is not None}


def test_names_that_unzip_spells_out_are_found(tmp_path: Path) -> None:
    roster = read_roster("name\nJosé\n", "class.csv")
    _, people = found({"Jos#U00e9.txt": b""}, tmp_path, roster, archive=False)
    assert roster.people[0] is people["Jos#U00e9"].person


@pytest.mark.slow
def test_moodle_gets_the_numbers_that_it_asks_for_without_its_list(tmp_path: Path) -> None:
    files = LAYOUTS["moodle flat"][0](CLASS, lambda _: own(CLASS[0]))
    (tmp_path / "hw.toml").write_text(
        f'[[problem]]\ntext = "x*z @ x={CLASS[0].number}, z=3"\nmode = "value"\n', encoding="utf-8"
    )
    put({**files, "zoe.txt": own(CLASS[0])}, tmp_path / "in")
    where = ("--key", str(tmp_path / "hw.toml"), "-o", str(tmp_path / "grades"), "--workers", "2")
    result = run("grade", str(tmp_path / "in"), *where, "--for", "moodle")
    assert "note: lines of moodle.csv without the Identifier that Moodle needs: 1" in result.err
    with (tmp_path / "grades" / "moodle.csv").open(encoding="utf-8") as stream:
        lines = list(csv.DictReader(stream))
    assert {"Identifier", "Grade", "Last modified (grade)", "Feedback comments"} <= set(lines[0])
    assert {f"Participant {p.number * 5}" for p in CLASS} | {""} == {line["Identifier"] for line in lines}


def test_problems_are_found_by_a_number_of_moodles_in_any_spelling(tmp_path: Path) -> None:
    handed_in, people = found(LAYOUTS["moodle folders"][0](CLASS, token), tmp_path, None, archive=False)
    task = task_of("x @ x=1")
    key = Key("", (), students={f"Participant {pupil.number * 5}": (task,) for pupil in CLASS})
    assert set(key.students) == set(names_in_key(handed_in.submissions, people, key).values())


def test_a_submitter_without_name_number_and_address_is_nobody() -> None:
    text = "submission_1:\n  :submitters:\n  - :name: Ann\n  - :name: ''\n    :sid:\n"
    assert [["Ann"]] == [[person.id for person in people] for people in read_metadata(text.encode).values()]
