"""`adcli grade`: the answers of a class found, marked by workers, and written down: reports, gradebook, summary."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..errors import RequestError, visible
from ..render.document_parts import Part
from ..render.formats import named
from .arguments import load_key
from .inputs import Inputs
from .options import OF_ANSWERS, AppearanceOptions, Command, Option, argument, flag, text, whole
from .pages import format_of
from .stream import Stream, check_folder
from .workers import cores

if TYPE_CHECKING:
    from ..classroom.gradebook import GradeLine, Statistics
    from ..classroom.grading import Graded
    from ..classroom.key import Key
    from ..classroom.outcome_files import OutcomeFiles
    from ..classroom.roster import Roster
    from ..classroom.submissions import HandedIn, Known

_HELP = """Marks the answers of a class: a report for each student, a gradebook, and a summary.

\b
Examples:
  adcli grade submissions/ --key hw.toml -o grades/
  adcli grade submissions.zip --key hw.toml -o grades/ --for canvas --roster gradebook.csv
  adcli grade submissions/ --key hw.toml -o grades/ --disclose 2 --workers 4

SUBMISSIONS is a folder or a zip archive with alice.txt, alice/answer.md, alice.zip, or what Canvas, Moodle,
Gradescope and Blackboard hand out; folders around all of these are seen through. Who is not in the class list is told.

grades/ gets reports/ (Markdown and HTML for each student), grades.csv, summary.md and summary.html. A run that was
interrupted goes on where it stopped; an answer that changed is marked again. A file that somebody has changed since
is kept, and what would be there goes beside it: grades.new.csv.

Exit code 0: all right, 1: some answer is wrong, 4: something could not be graded.
"""

_HANDED_OUT = ("markdown", "html")  # what students and teachers get
SYSTEMS = ("canvas", "moodle", "gradescope", "prairielearn")


class GradeRequest(AppearanceOptions):
    """Options of `adcli grade`."""

    submissions = argument()
    key = text("--key", metavar="FILE", help="Homework key: its problems and how they are marked.")
    output = text("-o", "--output", metavar="FOLDER", help="Folder for the results.", default="grades")
    roster = text("--roster", metavar="FILE", help="Class list: an export from Canvas or Moodle, or any CSV file.")
    systems: Option[tuple[str, ...]] = Option(
        ("--for",), (), "Also write the file that this system imports.", choices=SYSTEMS, many=True
    )
    disclose = whole(
        "--disclose",
        between=(0, 5),
        help="Feedback level for students: 0 score, 1 right or wrong, 2 first error, 3 hints, 4 formulas, 5 the key.",
    )
    workers = whole("--workers", between=(1, 256), help="Number of parallel processes (default: number of cores).")
    timeout = whole("--timeout", between=(1, 3600), help="Time limit for one file, in seconds.", default=10)
    max_size = text("--max-size", metavar="64MB", help=OF_ANSWERS)
    restart = flag("--restart", help="Mark all answers again.")


T = TypeVar("T")

_STATE = ".state"
_BAR = 30


def run(stream: Stream, options: GradeRequest) -> int | None:
    """Grades a folder and writes reports and gradebooks; None where neither submissions nor a key are named."""
    from ..classroom.archives import NAME_ANSWERS
    from ..classroom.gradebook import absent, line_of, names_in_key, people_of, statistics
    from ..classroom.grading import Settings, graded
    from ..classroom.outcome_files import OutcomeFiles
    from ..classroom.roster import safe_names
    from ..classroom.submissions import found_in, natural
    from ..marking.disclosure import HINT
    from ..marking.reading.collector import BYTES

    if options.submissions is None and options.key is None:
        return None
    options.configure(stream)
    if options.submissions is None:
        raise RequestError("there is nothing to grade", help=NAME_ANSWERS)
    if options.key is None:
        raise RequestError("there is no key to grade by", help="name it: --key hw.toml")
    key, key_text = load_key(options.key, stream.inputs)
    roster = _roster(options.roster, stream.inputs)
    if "canvas" in options.systems and roster is None:
        raise RequestError("Canvas needs the class list", help="export the gradebook there, and add --roster FILE")
    target = options.output
    check_folder(target)
    if os.path.realpath(target) == os.path.realpath(options.submissions):
        raise RequestError(f"{target} holds the submissions", help="name another folder with -o")
    skip = [name for name in (target, options.key, options.roster) if name]
    most = BYTES if options.max_size is None else stream.inputs.most
    found = found_in(options.submissions, skip, _known(roster, key), most)
    tell_left_out(stream, found)
    level = key.disclose if options.disclose is None else options.disclose
    memory = os.path.join(target, _STATE)
    if options.restart:
        _forget(memory)
    settings = Settings(
        key_text, options.key, max(level, HINT), options.workers or cores(), options.timeout, memory, most
    )  # fmt: skip
    people = people_of(found.submissions, roster)
    safe = safe_names(submission.student for submission in found.submissions)
    names = names_in_key(found.submissions, people, key)
    work = graded(found.submissions, key, names, safe, settings)
    lines = [line_of(each, people[each.submission.student]) for each in watched(stream, work, len(found.submissions))]
    if roster is not None:
        handed_in = {id(whose.person) for whose in people.values()}
        lines += [absent(person) for person in roster.people if id(person) not in handed_in]
    lines.sort(key=lambda line: natural(line.student))
    files = OutcomeFiles(target, memory)
    found_out = statistics(lines)
    _plan(files, key, lines, found_out, roster, level, safe, options.systems)
    _spare(files, [name for name in (options.submissions, options.key, options.roster) if name])
    _tell(stream, lines, found_out)
    _tell_systems(stream, options.systems, lines, roster)
    for kept in files.settle():
        what, beside = visible(kept.path), visible(kept.beside)
        stream.note(f"{what} was changed by somebody: it is kept, and {beside} has what would be there")
    stream.code = max(stream.code, 4 if found.left_out else 0)
    return stream.code


def _roster(path: str | None, inputs: Inputs) -> Roster | None:
    from ..classroom.roster import read_roster

    return None if path is None else read_roster(inputs.text(path), path)


def _known(roster: Roster | None, key: Key) -> Known:
    """Whether one of some names is somebody's in the class list, or has problems of its own in the key."""

    def known(names: Sequence[str]) -> bool:
        return any(name in key.students for name in names) or (roster is not None and bool(roster.candidates(names)))

    return known


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


def _plan(
    files: OutcomeFiles, key: Key, lines: Sequence[GradeLine], found: Statistics, roster: Roster | None, level: int,
    safe: dict[str, str], systems: Sequence[str],
) -> None:  # fmt: skip
    from ..classroom.gradebook import most_possible
    from ..render import gradebooks
    from ..render.class_report import summary
    from ..render.data import json_text

    title, possible = key.title or "Homework", most_possible(lines)
    for line in lines:
        if line.graded is not None:
            name = safe[line.student]
            _plan_report(files, line, line.graded, title, level, name)
            if "gradescope" in systems:
                told = gradebooks.gradescope(line, level, possible)
                files.put(f"gradescope/results/{name}.json", json_text(told) + "\n")
            if "prairielearn" in systems:
                told = gradebooks.prairielearn(line, level)
                files.put(f"prairielearn/results/{name}.json", json_text(told) + "\n")
    files.put("grades.csv", gradebooks.grades_csv(lines))
    _plan_document(files, "summary", summary(title, lines, found))
    if "canvas" in systems and roster is not None:
        files.put("canvas.csv", gradebooks.canvas_csv(lines, roster, title))
    if "moodle" in systems:
        files.put("moodle.csv", gradebooks.moodle_csv(lines, roster, level))


def _spare(files: OutcomeFiles, inputs: Sequence[str]) -> None:
    """Raises RequestError where a file that is to be written is one of the inputs, or stands in a folder of them."""
    written = {os.path.realpath(os.path.join(files.folder, path)) for path in files.planned}
    inside = os.path.realpath(files.folder) + os.sep
    for name in inputs:
        real = os.path.realpath(name)
        folder = real.startswith(inside) and any(path.startswith(real + os.sep) for path in written)
        if folder or real in written:
            raise RequestError(
                f"{name} is an input and the output", label=f"it would be written by -o {files.folder}",
                help="write to another folder",
            )  # fmt: skip


def _plan_report(files: OutcomeFiles, line: GradeLine, graded: Graded, title: str, level: int, name: str) -> None:
    from ..marking.disclosure import disclosed
    from ..render.class_report import noted
    from ..render.marks_report import report

    shown = [disclosed(marking, level) for marking in graded.markings]
    head = f"{title}: {line.name}"
    _plan_document(files, f"reports/{name}", [*report(shown, head, graded.problem), *noted(graded.notes)])


def _plan_document(files: OutcomeFiles, path: str, document: list[Part]) -> None:
    for form in map(named, _HANDED_OUT):
        files.put(path + form.suffixes[0], form.document([document], ""))


# --- what is said -----------------------------------------------------------------------------------------------------


def tell_left_out(stream: Stream, found: HandedIn) -> None:
    """Says which files are no submissions and why.  Raises RequestError where there are no submissions at all."""
    for name, reason in found.left_out:
        stream.note(f"{visible(name)} is left out: {reason}")
    for assumed in found.assumed:
        stream.note(visible(assumed))
    if not found.submissions:
        raise RequestError("there is no submission", help="name a folder or an archive with the students' answers")


def _tell(stream: Stream, lines: Sequence[GradeLine], found: Statistics) -> None:
    """Writes the short summary, and says whom somebody should look after."""
    from ..render.class_report import counts_table, slips_table

    for line in lines:
        if line.graded is None:
            continue
        count = len(line.graded.submission.files)
        if count > 1 and line.graded.problem is None:
            stream.note(f"{visible(line.student)} has {count} files, and {visible(line.graded.file)} counts")
        if line.graded.problem is not None:
            stream.note(f"{visible(line.graded.file)} could not be graded: {visible(line.graded.problem.title)}")
        for note in line.notes:
            stream.note(f"{visible(line.student)} {visible(note)}")
        for note in line.graded.notes:
            stream.note(f"{visible(line.student)}: {visible(note)}")
        stream.code = max(stream.code, {"incomplete": 1, "wrong": 1, "not_gradable": 4}.get(line.status, 0))
    tables = [table for table in (counts_table(found), slips_table(found)) if table.rows]
    stream.write("\n".join(format_of(stream, "table").table(table) for table in tables))


def _tell_systems(stream: Stream, systems: Sequence[str], lines: Sequence[GradeLine], roster: Roster | None) -> None:
    """Says who is left out of the sheets that systems take, so that no mark there is lost or somebody else's."""
    from ..render.gradebooks import NO_GRADE, left_out, without_number

    for system in systems:
        out = left_out(system, lines, roster)
        without = sum(reason == NO_GRADE for _, reason in out)
        if without:
            stream.note(f"{system}.csv leaves out {without} of {len(lines)} students, who have no grade")
        for name, reason in out:
            if reason != NO_GRADE:
                stream.note(f"{visible(name)} is left out of {system}.csv: {reason}")
    numberless = without_number(lines, roster) if "moodle" in systems else 0
    if numberless:
        stream.note(
            f"{numberless} lines of moodle.csv have no Identifier, which Moodle asks for: --roster takes its list"
        )


COMMAND = Command(_HELP, GradeRequest, run)
