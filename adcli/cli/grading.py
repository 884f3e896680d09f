"""The work of `adcli grade`: submissions found, marked by workers, and written down."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from ..classroom.folder import written
from ..classroom.gradebook import (
    GradeLine,
    Statistics,
    absent,
    line_of,
    most_possible,
    names_in_key,
    people_of,
    statistics,
)
from ..classroom.grading import Graded, Settings, graded
from ..classroom.key import Key
from ..classroom.roster import Roster, read_roster, safe_names
from ..classroom.submissions import HandedIn, found_in, natural
from ..errors import OutputProblem, RequestError
from ..marking.disclosure import HINT, disclosed
from ..render import gradebooks
from ..render.cells import visible
from ..render.class_report import as_html, as_markdown, counts_table, slips_table
from ..render.data import json_text
from ..render.marks_html import document as html_report
from ..render.marks_markdown import document as markdown_report
from .files import file_bytes, key_of
from .pages import drawn
from .stream import Stream
from .workers import cores

T = TypeVar("T")

_STATE = ".state"
_BAR = 30


def grade(stream: Stream, flags: dict[str, Any]) -> int:
    """Grades a folder and writes reports and gradebooks; returns the exit code."""
    stream.dress(flags | {"output": None})
    if flags["submissions"] is None:
        raise RequestError("there is nothing to grade", help="name a folder of answers, or a zip archive of them")
    if flags["key"] is None:
        raise RequestError("there is no key to grade by", help="name it: --key hw.toml")
    key, key_text = key_of(flags["key"])
    roster = _roster(flags["roster"])
    if "canvas" in flags["system"] and roster is None:
        raise RequestError("Canvas needs the class list", help="export the gradebook there, and add --roster FILE")
    target = flags["output"]
    if os.path.exists(target) and not os.path.isdir(target):
        raise OutputProblem(f"{target} is no folder", help="name another one with -o")
    if os.path.realpath(target) == os.path.realpath(flags["submissions"]):
        raise RequestError(f"{target} holds the submissions", help="name another folder with -o")
    found = found_in(flags["submissions"], [name for name in (target, flags["key"], flags["roster"]) if name])
    tell_left_out(stream, found)
    level = key.disclose if flags["disclose"] is None else flags["disclose"]
    memory = os.path.join(target, _STATE)
    if flags["restart"]:
        _forget(memory)
    settings = Settings(
        key_text, flags["key"], max(level, HINT), flags["workers"] or cores(), flags["timeout"], memory
    )  # fmt: skip
    people = people_of(found.submissions, roster)
    safe = safe_names(submission.student for submission in found.submissions)
    names = names_in_key(found.submissions, people, key)
    work = graded(found.submissions, key, names, safe, settings)
    lines = [line_of(each, people[each.submission.student]) for each in watched(stream, work, len(found.submissions))]
    if roster is not None:
        handed_in = {id(person) for person in people.values()}
        lines += [absent(person) for person in roster.people if id(person) not in handed_in]
    lines.sort(key=lambda line: natural(line.student))
    _write(target, key, lines, roster, level, safe, flags["system"])
    _tell(stream, lines, roster)
    stream.code = max(stream.code, 4 if found.left_out else 0)
    return stream.code


def _roster(path: str | None) -> Roster | None:
    return None if path is None else read_roster(file_bytes(path).decode("utf-8", "replace"), path)


def _forget(memory: str) -> None:
    """What an earlier run remembered is gone."""
    for name in os.listdir(memory) if os.path.isdir(memory) else ():
        if name.endswith(".json"):
            os.remove(os.path.join(memory, name))


def watched(stream: Stream, work: Iterator[T], count: int) -> Iterator[T]:
    """The same, with a bar that says how far it is."""
    for done, each in enumerate(work, 1):
        filled = _BAR * done // count
        stream.progress(f"[{'#' * filled}{'.' * (_BAR - filled)}] {done} of {count} graded", elsewhere=True)
        yield each
    stream.clear_progress()


# --- what is written --------------------------------------------------------------------------------------------------


def _write(
    target: str, key: Key, lines: Sequence[GradeLine], roster: Roster | None, level: int, safe: dict[str, str],
    systems: Sequence[str],
) -> None:  # fmt: skip
    title, possible = key.title or "Homework", most_possible(lines)
    for line in lines:
        if line.graded is not None:
            _write_reports(target, line, line.graded, title, level, safe[line.student])
            results = os.path.join("results", f"{safe[line.student]}.json")
            if "gradescope" in systems:
                told = gradebooks.gradescope(line, level, possible)
                written(os.path.join(target, "gradescope", results), json_text(told) + "\n")
            if "prairielearn" in systems:
                told = gradebooks.prairielearn(line, level)
                written(os.path.join(target, "prairielearn", results), json_text(told) + "\n")
    found = statistics(lines)
    written(os.path.join(target, "grades.csv"), gradebooks.grades_csv(lines))
    written(os.path.join(target, "summary.md"), as_markdown(title, lines, found))
    written(os.path.join(target, "summary.html"), as_html(title, lines, found))
    if "canvas" in systems and roster is not None:
        written(os.path.join(target, "canvas.csv"), gradebooks.canvas_csv(lines, roster, title))
    if "moodle" in systems:
        written(os.path.join(target, "moodle.csv"), gradebooks.moodle_csv(lines, roster, level))


def _write_reports(target: str, line: GradeLine, graded: Graded, title: str, level: int, name: str) -> None:
    shown = [disclosed(marking, level) for marking in graded.markings]
    reports = os.path.join(target, "reports", name)
    head = f"{title}: {line.name}"
    written(f"{reports}.md", markdown_report(shown, head, graded.problem))
    written(f"{reports}.html", html_report(shown, head, graded.problem))


# --- what is said -----------------------------------------------------------------------------------------------------


def tell_left_out(stream: Stream, found: HandedIn) -> None:
    """Says which files are no submissions and why.  Raises RequestError where there are no submissions at all."""
    for name, reason in found.left_out:
        stream.note(f"{visible(name)} is left out: {reason}")
    if not found.submissions:
        raise RequestError("there is no submission", help="name a folder or an archive with the students' answers")


def _tell(stream: Stream, lines: Sequence[GradeLine], roster: Roster | None) -> None:
    """Writes the short summary, and says whom somebody should look after."""
    often = Counter(id(line.person) for line in lines)
    for line in lines:
        if line.graded is None:
            continue
        count = len(line.graded.submission.files)
        if count > 1:
            stream.note(f"{visible(line.student)} has {count} files, and {visible(line.graded.file)} counts")
        if line.graded.problem is not None:
            stream.note(f"{visible(line.graded.file)} could not be graded: {visible(line.graded.problem.title)}")
        if roster is not None and line.person is None:
            stream.note(f"{visible(line.student)} is not in the class list")
        count = often[id(line.person)] if line.person is not None else 1
        if count > 1:
            stream.note(f"{visible(line.student)} is one of {count} submissions of {visible(line.name)}")
        stream.code = max(stream.code, {"wrong": 1, "not_gradable": 4}.get(line.status, 0))
    found = statistics(lines)
    stream.write("\n".join(drawn(stream, table, "table") for table in _tables(found)))


def _tables(found: Statistics) -> list[Any]:
    return [table for table in (counts_table(found), slips_table(found)) if table.rows]
