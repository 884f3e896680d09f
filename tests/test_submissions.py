"""Who handed in what: names of folders, archives and systems, class lists, and everything hostile about them."""

from __future__ import annotations

import os
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adcli.answers.collector import BYTES
from adcli.classroom import archives
from adcli.classroom.roster import read_roster, safe_names
from adcli.classroom.submissions import HandedIn, natural, owner_of, submissions_in
from adcli.errors import AdcliError, RequestError

TEXT = b"v1 = log(x1) = 0.693\n"


def tree(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(TEXT)
    return folder


def zipped(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), TEXT)
    return path


def names(found: HandedIn) -> dict[str, list[str]]:
    return {each.student: [file.name for file in each.files] for each in found.submissions}


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "student", "aliases", "participant"),
    [
        ("alice.txt", "alice", ("alice",), ""),
        ("alice.smith.md", "alice.smith", ("alice.smith",), ""),
        ("alice/answer.md", "alice", ("alice",), ""),
        ("alice/work/answer.md", "alice", ("alice",), ""),
        ("doejane_12345_67890_hw1.txt", "doejane_12345", ("12345", "doejane"), ""),
        ("doejane_LATE_12345_67890_hw1-2.txt", "doejane_12345", ("12345", "doejane"), ""),
        ("doejane_LATE_12345_text.html", "doejane_12345", ("12345", "doejane"), ""),
        ("Jane Doe_77_assignsubmission_file_/a.txt", "Jane Doe_77", ("77", "Jane Doe"), "77"),
        ("Jane Doe_77_assignsubmission_onlinetext_/onlinetext.html", "Jane Doe_77", ("77", "Jane Doe"), "77"),
        ("hw_1.txt", "hw_1", ("hw_1",), ""),
    ],
)
def test_a_name_tells_whose_file_it_is(name: str, student: str, aliases: tuple[str, ...], participant: str) -> None:
    owner = owner_of(name)
    assert (student, aliases, participant) == (owner.student, owner.aliases, owner.participant)


def test_students_come_in_natural_order_and_their_newest_file_first(tmp_path: Path) -> None:
    tree(tmp_path, "s10.txt", "s2.txt", "alice/hw2.txt", "alice/hw10.txt", "alice.md")
    found = names(submissions_in(str(tmp_path)))
    assert ["alice", "s2", "s10"] == list(found)
    assert ["alice/hw10.txt", "alice/hw2.txt", "alice.md"] == found["alice"]


@given(st.lists(st.text(max_size=8), max_size=6))
def test_the_natural_order_is_an_order(texts: list[str]) -> None:
    assert len({natural(text) for text in texts}) == len(set(texts))
    assert sorted(texts, key=natural) == sorted(sorted(texts), key=natural)


def test_what_systems_and_editors_add_is_no_submission(tmp_path: Path) -> None:
    tree(tmp_path, "alice.txt", ".DS_Store", "__MACOSX/alice.txt", "Thumbs.db", ".git/config", "bob/.x", "~$carl.docx")
    assert {"alice": ["alice.txt"]} == names(submissions_in(str(tmp_path)))


def test_key_roster_and_grades_inside_the_folder_are_no_submissions(tmp_path: Path) -> None:
    tree(tmp_path, "alice.txt", "hw.toml", "grades/reports/alice.md")
    skip = [str(tmp_path / "hw.toml"), str(tmp_path / "grades")]
    assert {"alice": ["alice.txt"]} == names(submissions_in(str(tmp_path), skip))


def test_links_are_left_out_and_said(tmp_path: Path) -> None:
    tree(tmp_path, "alice.txt")
    (tmp_path / "bob.txt").symlink_to("/etc/passwd")
    (tmp_path / "carl").symlink_to(tmp_path)
    found = submissions_in(str(tmp_path))
    assert {"alice": ["alice.txt"]} == names(found)
    assert (("bob.txt", "it is a link"), ("carl", "it is a link")) == found.left_out


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_FILES", 2)
    with pytest.raises(RequestError, match="more than 2 files"):
        submissions_in(str(tree(tmp_path / "in", "a.txt", "b.txt", "c.txt")))
    with pytest.raises(RequestError, match="more than 2 files"):
        submissions_in(str(zipped(tmp_path / "a.zip", "a.txt", "b.txt", "c.txt")))


# --- archives ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "inside",
    [
        ("alice.txt", "bob/answer.md"),
        ("submissions/alice.txt", "submissions/bob/answer.md"),
        ("HW/alice.txt", "HW/bob/answer.md"),
        ("__MACOSX/._alice.txt", "hw/alice.txt", "hw/bob/answer.md", "hw/.DS_Store"),
    ],
)
def test_an_archive_is_a_folder_with_or_without_a_cover(inside: tuple[str, ...], tmp_path: Path) -> None:
    found = submissions_in(str(zipped(tmp_path / "hw.zip", *inside)))
    assert {"alice": ["alice.txt"], "bob": ["bob/answer.md"]} == names(found)
    assert TEXT == found.submissions[0].files[0].load()


def test_one_students_folder_is_no_cover(tmp_path: Path) -> None:
    assert ["alice"] == list(names(submissions_in(str(zipped(tmp_path / "hw.zip", "alice/a.txt", "alice/b.txt")))))


HOSTILE = {
    "../evil.txt": "its path leads outside the archive",
    "..\\..\\evil.txt": "its path leads outside the archive",
    "alice/../../evil.txt": "its path leads outside the archive",
    "/etc/passwd": "its path is absolute",
    "C:\\Windows\\evil.txt": "its path is absolute",
    "\\\\server\\share\\evil.txt": "its path is absolute",
    "a//b.txt": "its path leads outside the archive",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_leads_elsewhere_is_left_out(name: str, tmp_path: Path) -> None:
    found = submissions_in(str(zipped(tmp_path / "hw.zip", "alice.txt", name)))
    assert {"alice": ["alice.txt"]} == names(found)
    assert ((name, HOSTILE[name]),) == found.left_out
    assert ["hw.zip"] == os.listdir(tmp_path)


def test_links_and_second_files_of_a_name_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "hw.zip"
    with zipfile.ZipFile(path, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        link = zipfile.ZipInfo("bob.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("alice.txt", TEXT)
        archive.writestr("alice.txt", b"another")
    found = submissions_in(str(path))
    assert {"alice": ["alice.txt"]} == names(found)
    assert (("alice.txt", "the name occurs twice"), ("bob.txt", "it is a link")) == found.left_out


def problem(path: Path) -> str:
    """Why the first file of an archive cannot be loaded."""
    with pytest.raises(AdcliError) as caught:
        submissions_in(str(path)).submissions[0].files[0].load()
    return caught.value.title


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "hw.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("alice.txt", b" " * BYTES)
    assert "the file expands to far more data than an answer has" == problem(path)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 30)
    with pytest.raises(RequestError, match="unpacks to more than"):
        submissions_in(str(zipped(tmp_path / "hw.zip", "a.txt", "b.txt")))


def test_a_size_that_lies_does_not_make_more_be_read(tmp_path: Path) -> None:
    path = tmp_path / "hw.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("alice.txt", os.urandom(1000) * 20)
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 100)  # the size in the directory
    path.write_bytes(data)
    assert "the file is damaged in the archive" == problem(path)


def test_encrypted_and_damaged_files_are_told(tmp_path: Path) -> None:
    path = zipped(tmp_path / "hw.zip", "alice.txt")
    whole = path.read_bytes()
    data = bytearray(whole)
    for start in (data.index(b"PK\x01\x02") + 8, data.index(b"PK\x03\x04") + 6):
        data[start] |= 1
    path.write_bytes(data)
    assert "the file is encrypted" == problem(path)
    data = bytearray(whole)
    data[data.index(b"alice.txt") + len("alice.txt") + 2] ^= 0xFF
    path.write_bytes(data)
    assert "the file is damaged in the archive" == problem(path)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04" + b"\0" * 50, b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_archive_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "hw.zip").write_bytes(content)
    with pytest.raises(RequestError, match="is not a zip archive"):
        submissions_in(str(tmp_path / "hw.zip"))


# --- file names for students ------------------------------------------------------------------------------------------

NASTY = ["../../etc/passwd", "a/b", "..", "", ".hidden", "CON", "nul.txt", "<script>", "a\0b", "x" * 300, "=cmd()", "é"]


def test_a_plain_name_is_kept() -> None:
    assert {"alice": "alice", "s10@uni.edu": "s10@uni.edu"} == safe_names(["alice", "s10@uni.edu"])


@given(st.lists(st.one_of(st.sampled_from([*NASTY, "Alice", "alice"]), st.text(max_size=20)), unique=True, max_size=8))
def test_every_student_gets_a_file_name_that_is_safe_and_nobody_elses(students: list[str]) -> None:
    found = safe_names(students)
    assert len(students) == len({name.casefold() for name in found.values()})
    for name in found.values():
        assert name.isascii()
        assert set("/\\:\0<>|?*\"'") & set(name) == set()
        assert not name.startswith(".")
        assert 0 < len(name) <= 80
        assert name.casefold() not in ("con", "nul", "nul.txt")


# --- class lists ------------------------------------------------------------------------------------------------------

CANVAS = """\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Homework 3 (98765)
    Points Possible,,,,,10
"Doe, Jane",12345,s1,jdoe@uni.edu,A,
"Roe, Rick",23456,s2,rroe@uni.edu,A,
"""


def test_a_canvas_export_is_a_class_list() -> None:
    roster = read_roster(CANVAS, "gradebook.csv")
    assert ["Doe, Jane", "Roe, Rick"] == [person.name for person in roster.people]
    assert roster.points is not None
    assert "    Points Possible" == roster.points["Student"]
    for alias in ("12345", "s1", "jdoe@uni.edu", "Jane Doe", "doejane", "DOE, JANE"):
        assert [roster.people[0]] == roster.candidates([alias]), alias


def test_a_moodle_worksheet_and_simple_lists_are_class_lists() -> None:
    moodle = read_roster("Identifier,Full name,Email address,Grade\nParticipant 77,Jane Doe,jane@uni.edu,\n", "m.csv")
    assert [moodle.people[0]] == moodle.candidates(["Participant 77"]) == moodle.candidates(["jane"])
    simple = read_roster("name;email\nJane Doe;jane@uni.edu\n;\n", "l.csv")
    assert [("Jane Doe", "jane@uni.edu")] == [(person.name, person.email) for person in simple.people]
    split = read_roster("First name\tLast name\tUsername\nJane\tDoe\tjdoe\n", "l.tsv")
    assert "Jane Doe" == split.people[0].name


def test_a_name_that_two_people_have_stands_for_nobody() -> None:
    roster = read_roster("name,email\nJane Doe,jane@a.edu\nJane Doe,jane@b.edu\n", "l.csv")
    assert 2 == len(roster.candidates(["Jane Doe"]))
    assert 2 == len(roster.candidates(["jane"]))
    assert [roster.people[1]] == roster.candidates(["jane", "jane@b.edu"])


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", '"', "\0", "Grade\n5\n"])
def test_what_is_no_class_list_is_refused(text: str) -> None:
    with pytest.raises(RequestError):
        read_roster(text, "l.csv")


@given(st.text(max_size=80))
def test_any_text_is_a_class_list_or_refused(text: str) -> None:
    try:
        read_roster(f"name,email\n{text}", "l.csv").candidates([text])
    except RequestError as error:
        assert "class list" in error.title or "lines" in error.title
