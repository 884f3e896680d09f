"""Marks the answers of a class: a report for each student, a gradebook, and a summary.

\b
Examples:
  adcli grade submissions/ --key hw.toml -o grades/
  adcli grade submissions.zip --key hw.toml -o grades/ --for canvas --roster gradebook.csv
  adcli grade submissions/ --key hw.toml -o grades/ --disclose 2 --workers 4

SUBMISSIONS is one answer (alice.txt), or a folder or a zip archive with alice.txt, alice/answer.md, alice.zip, or
what Canvas, Moodle, Gradescope and Blackboard export; folders inside folders are searched too. Students who are not
in the class list are reported. The key sets what an error costs, how many decimals are required and what students see
([marking] method, min_places, disclose): adcli help keys.

grades/ gets reports/ (Markdown and HTML for each student), grades.csv, review.csv (answers to look at), summary.md and
summary.html. After an interruption the same command continues; an answer that changed is marked again.

Your corrections count: grades/overrides.csv with the columns student, problem, quantity, mark, comment sets marks and
comments in all files, in this run and in later ones. Marks and comments that you change in grades.csv are added to it.
Any other file that you changed is kept, and the new version is written next to it: summary.new.md.

Exit code 0: all right, 1: some answer is wrong, 4: something could not be graded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial

from ...errors import RequestError, visible
from ...processes import cores
from ...render.document_parts import Part
from ...render.formats import find_format
from ...typings import TYPE_CHECKING, TypeVar
from ..arguments import load_key
from ..inputs import is_output
from ..options import Command, NothingToRead, Option, argument, flag, text, whole
from ..pages import format_of
from ..shared_options import KEY, OF_ANSWERS, AppearanceOptions
from ..stream import Stream, check_folder

if TYPE_CHECKING:
    from ...classroom.gradebook import GradeLine, Override, Statistics
    from ...classroom.grading import Settings
    from ...classroom.homework import Key
    from ...classroom.outcome_files import OutcomeFiles
    from ...classroom.overrides import Overridden
    from ...classroom.review import ReviewItem
    from ...classroom.roster import Roster
    from ...classroom.submissions import HandedIn, Known, Submission

_HANDED_OUT = ("markdown", "html")  # what students and teachers get
SYSTEMS = ("canvas", "moodle", "gradescope", "prairielearn")

_LEVELS = "Feedback level for students: 0 score, 1 right or wrong, 2 first error, 3 hints, 4 formulas, 5 the key."

_IMPORTED = "Also write the file that this system imports."

_COLUMN = "Assignment in Canvas: name or id (default: title of the key)."


class GradeRequest(AppearanceOptions):
    """Options of `adcli grade`."""

    submissions = argument()
    key = KEY
    output = Option(("-o", "--output"), "grades", "Folder for the results.", metavar="FOLDER")
    roster = text("--roster", metavar="FILE", help="Class list: an export from Canvas or Moodle, or any CSV file.")
    systems: Option[tuple[str, ...]] = Option(("--for",), (), _IMPORTED, choices=SYSTEMS, many=True)
    assignment = text("--assignment", metavar="NAME", help=_COLUMN)
    disclose = whole("--disclose", between=(0, 5), help=_LEVELS)
    workers = whole("--workers", between=(1, 256), help="Number of parallel processes (default: number of cores).")
    timeout = Option(("--timeout",), 10, "Time limit for one file, in seconds.", between=(1, 3600))
    max_size = text("--max-size", metavar="64MB", help=OF_ANSWERS)
    restart = flag("--restart", help="Mark all answers again.")


T = TypeVar("T")

_STATE = ".state"
_BAR = 30


def run(stream: Stream, options: GradeRequest) -> None:
    """Grade the answers of a class, and write reports, gradebooks and the summary into the folder --output (grades).

    The tables of counts and of slips are printed. The exit code is the highest of 1 (an answer is wrong or incomplete)
    and 4 (something could not be graded or was left out, or an override was not used). Overrides and edits of
    grades.csv by the teacher are merged in. Results of an earlier run, kept in .state in that folder, are reused unless
    --restart. Files that a person has changed are kept, with a note. Raises NothingToRead if there are neither
    submissions nor a key. Raises RequestError if one of them is missing, for canvas without --roster, no submissions,
    and an input that would be overwritten; OutputProblem if --output is not a folder or cannot be written.
    """
    from ...answers.collector import BYTES
    from ...classroom.gradebook import statistics
    from ...classroom.grading import Settings
    from ...classroom.outcome_files import OutcomeFiles
    from ...classroom.overrides import apply_overrides
    from ...classroom.review import review_items
    from ...classroom.roster import read_roster
    from ...classroom.submissions import natural
    from ...marking.disclosure import HINT

    folder, key_path = _check_inputs(options)
    key, key_text = load_key(key_path, stream.inputs)
    roster = None if options.roster is None else read_roster(stream.inputs.text(options.roster), options.roster)
    if "canvas" in options.systems:
        _check_assignment(stream, roster, key.title or "Homework", options.assignment)
    target = options.output
    most = BYTES if options.max_size is None else stream.inputs.most
    submissions = _collect_submissions(options, folder, partial(_is_student, roster, key), most)
    report_left_out(stream, submissions)
    level = key.disclose if options.disclose is None else options.disclose
    memory = os.path.join(target, _STATE)
    if options.restart:
        _remove_state(memory)
    settings = Settings(
        key_text, key_path, max(level, HINT), options.workers or cores(), options.timeout, memory, most
    )  # fmt: skip
    files = OutcomeFiles(target, memory)
    overrides = _collect_overrides(stream, files, target)
    reports = _Reports(key.title or "Homework", level)
    lines, names = _mark_all(stream, submissions.submissions, roster, key, settings, reports)
    marks = apply_overrides(lines, overrides, lambda student: key.tasks_or_none(names.get(student, student)), key.rules)
    lines = sorted(marks.lines, key=lambda line: natural(line.student))
    class_statistics, review = statistics(lines), review_items(lines, key, names)
    review += _report_overrides(stream, marks)
    _plan_files(files, reports, lines, class_statistics, review, roster, options.systems, options.assignment)
    _check_inputs_not_overwritten(files, [name for name in (folder, key_path, options.roster) if name])
    _report_grades(stream, lines, class_statistics)
    if review:
        count, where = len({item.student for item in review}), os.path.join(target, "review.csv")
        stream.note(f"{count} answer{'s' * (count != 1)} to look at, with the reasons: {where}")
    _report_left_out_of_systems(stream, options.systems, lines, roster)
    _finalize(stream, files)
    stream.record_exit_code(4 if submissions.left_out or marks.unused else 0)


def _finalize(stream: Stream, files: OutcomeFiles) -> None:
    """Write the planned files, with a note on each that a person has changed, next to which the new one is written."""
    for path, new_path in files.finalize().items():
        what = f"{visible(path)} was changed after it was written"
        stream.note(f"{what}: it is kept, and the new version is in {visible(new_path)}")


def _collect_submissions(options: GradeRequest, source: str, known: Known, most: int) -> HandedIn:
    """Return the submissions in the folder or archive `source`.

    `known(names)` returns whether one of the names is that of a student, `most` is the largest size of a file in bytes.
    The output folder, the key and the class list are skipped. Raises RequestError if `source` and the output are the
    same path (a folder inside `source` is allowed), OutputProblem if the output exists and is not a folder.
    """
    from ...classroom.submissions import submissions_in

    check_folder(options.output)
    if os.path.realpath(options.output) == os.path.realpath(source):
        raise RequestError(
            f"the output folder {options.output} contains the submissions", help="name another folder with -o"
        )
    return submissions_in(source, [name for name in (options.output, options.key, options.roster) if name], known, most)


def _mark_all(
    stream: Stream, submissions: Sequence[Submission], roster: Roster | None, key: Key, settings: Settings,
    reports: _Reports,
) -> tuple[list[GradeLine], dict[str, str]]:  # fmt: skip
    """Mark all submissions with a progress bar; return (gradebook lines, {student: id in the key}).

    `roster` is the class list (None: there is none), `settings` are those of the marking. The report of each student is
    rendered in `reports` while the next answers are marked.

    There is a line for each submission (several of one person get notes), in the order in which they are finished, then
    one without a grade for each person of the class list without a submission, in its order. The dict has an entry for
    each line, by student or by the person's name. The id is a text of the submission or the person's line that is an id
    in the key, else that of the only student with such a name or address, else the same text.
    """
    from ...classroom.gradebook import PersonMatch, absent, line_of, names_in_key, people_of, with_names_of_key
    from ...classroom.grading import grade_submissions
    from ...classroom.roster import safe_names
    from ...classroom.submissions import Submission

    people = people_of(submissions, roster)
    names = names_in_key(submissions, people, key)
    if roster is None:
        people = with_names_of_key(people, names, key)
    safe = safe_names(submission.student for submission in submissions)
    work = grade_submissions(submissions, key, names, safe, settings)
    lines = []
    for each in with_progress_bar(stream, work, len(submissions)):
        lines.append(line_of(each, people[each.submission.student]))
        reports.render(lines[-1])
    handed_in = {id(whose.person) for whose in people.values()}
    for person in roster.people if roster is not None else ():
        if id(person) not in handed_in:
            lines.append(absent(person))
            names |= names_in_key([Submission(person.called, (), "", ())], {person.called: PersonMatch(person)}, key)
    return lines, names


def _collect_overrides(stream: Stream, files: OutcomeFiles, target: str) -> list[Override]:
    """Return the overrides of overrides.csv in the folder `target`, then the new ones from edits of grades.csv.

    Edits are differences from the grades.csv that the last run wrote. A new mark in `earned` or `percent` and a new
    text in `comment` or `note` become overrides; those that overrides.csv has already are skipped. If overrides.csv
    does not exist, there are only new ones. These are added to overrides.csv, with a note. If there are other edits,
    the edited file is copied to grades.edited.csv, with a note. Raises RequestError if a file cannot be read,
    OutputProblem if it cannot be written.
    """
    from ...answers.decoding import decode_answer
    from ...classroom.overrides import edits_of, read_overrides, with_more, without_known
    from ...render.answers.gradebooks import decimal
    from ...writing import write_file

    path = os.path.join(target, "overrides.csv")
    text = stream.inputs.text(path) if os.path.exists(path) else ""
    overrides = read_overrides(text, path)
    texts = files.edits("grades.csv")
    if texts is None:
        return overrides
    edits = edits_of(*map(decode_answer, texts))
    new = without_known(edits.overrides, overrides)
    if new:
        write_file(path, with_more(text, new, decimal))
        what = ", ".join(dict.fromkeys(visible(edit.student) for edit in new))
        stream.note(f"grades.csv was changed for {what}: this is now in {path}; delete a line there to undo it")
    if edits.ignored:
        write_file(os.path.join(target, "grades.edited.csv"), texts[1])
        where = visible("; ".join(edits.ignored))
        stream.note(f"grades.csv was changed in {where}, which overrides cannot contain: see grades.edited.csv")
    return [*overrides, *new]


def _check_assignment(stream: Stream, roster: Roster | None, title: str, assignment: str | None) -> None:
    """Print a note if the marks make a new column in Canvas.

    That is unless exactly one column of the class list such as `Homework 3 (1234)` fits `assignment`: as a whole, by
    its title (case and signs ignored) or by its number. If `assignment` is None, `title` is used instead, which may
    also only begin with the title of the column. The note names the columns that end in `)`, if there are any. Raises
    RequestError without a class list (`roster`).
    """
    from ...render.answers.gradebooks import canvas_column

    if roster is None:
        raise RequestError(
            "Canvas needs the class list", help="export the gradebook from Canvas, and add the file with --roster FILE"
        )
    if canvas_column(roster, title, assignment) is None:
        columns = [name for name in roster.header if name.endswith(")")]
        choose = f"; if it is one of {', '.join(columns)}, name it with --assignment" if columns else ""
        stream.note(f"canvas.csv makes a new assignment called {visible(assignment or title)}{visible(choose)}")


def _check_inputs(options: GradeRequest) -> tuple[str, str]:
    """Return (submissions, file of the key). Raises NothingToRead if both are missing, RequestError if one is."""
    from ...classroom.archives import NAME_ANSWERS

    if options.submissions is not None and options.key is not None:
        return options.submissions, options.key
    if options.submissions is None and options.key is None:
        raise NothingToRead
    if options.submissions is None:
        raise RequestError("there is nothing to grade", help=NAME_ANSWERS)
    raise RequestError("there is no key to grade with", help="add --key, the file with the problems: --key hw.toml")


def _report_overrides(stream: Stream, marks: Overridden) -> list[ReviewItem]:
    """Print a note for each override that is not used, with the reason, and for each mark above the maximum.

    Both are in `marks`, the marks after all overrides. Returns the overrides that are not used as items to review:
    student, problem, the kind "override that is not used", and the reason.
    """
    from ...classroom.review import ReviewItem
    from ...render.answers.gradebooks import decimal

    items = []
    for override, reason in marks.unused:
        items.append(ReviewItem(override.student, override.problem, "override that is not used", reason))
        stream.note(f"the override of {visible(override.about)} for {visible(override.student)} is not used: {reason}")
    for override, *numbers in marks.above:
        whose, (mark, most) = f"{override.about} for {override.student}", map(decimal, numbers)
        stream.note(f"the override of {visible(whose)} gives {mark}, above the maximum {most}: it is kept as a bonus")
    return items


def _is_student(roster: Roster | None, key: Key, names: Sequence[str]) -> bool:
    """Return whether one of the names is that of a student of the key, or matches one in the class list."""
    return any(name in key.students for name in names) or (roster is not None and bool(roster.candidates(names)))


def _remove_state(memory: str) -> None:
    """Remove the results of an earlier run, the JSON files in the folder `memory`."""
    for name in os.listdir(memory) if os.path.isdir(memory) else ():
        if name.endswith(".json"):
            os.remove(os.path.join(memory, name))


def with_progress_bar(stream: Stream, work: Iterator[T], count: int) -> Iterator[T]:
    """Yield the items of `work` unchanged, and show on standard error how many of `count` are done.

    The bar is shown only if standard error is a terminal and without --quiet (`Stream.progress`), also if the document
    goes to a terminal. It is removed after the last item; it stays if `work` raises or is not read to its end.
    """
    for done, each in enumerate(work, 1):
        blocks = _BAR * done // count
        stream.progress(f"[{'#' * blocks}{'.' * (_BAR - blocks)}] {done} of {count} graded", elsewhere=True)
        yield each
    stream.clear_progress()


# --- outcome files ----------------------------------------------------------------------------------------------------


def _plan_files(
    files: OutcomeFiles, reports: _Reports, lines: Sequence[GradeLine], class_statistics: Statistics,
    review: Sequence[ReviewItem], roster: Roster | None, systems: Sequence[str], assignment: str | None,
) -> None:  # fmt: skip
    """Add all files of the outcome to `files`, which writes them later.

    These are grades.csv, review.csv (the `review` items), summary.md and summary.html (with `class_statistics`), and
    for each line with `graded` (also one that is not gradable) reports/NAME.md and reports/NAME.html by `reports`. For
    gradescope and prairielearn in `systems` there is gradescope/results/NAME.json or prairielearn/results/NAME.json for
    each of these lines; for moodle there is moodle.csv; for canvas, if there is a class list (`roster`), canvas.csv
    with the column `assignment` (None: the title).
    """

    from ...classroom.gradebook import most_possible
    from ...classroom.roster import safe_names
    from ...render.answers import gradebooks
    from ...render.answers.class_report import summary
    from ...render.data import json_text

    title, level, possible = reports.title, reports.level, most_possible(lines)
    safe = safe_names(line.student for line in lines)
    for line in lines:
        if line.graded is not None:
            name = safe[line.student]
            for suffix, text in reports.render(line).items():
                files.put(f"reports/{name}{suffix}", text)
            if "gradescope" in systems:
                document = gradebooks.gradescope(line, level, possible)
                files.put(f"gradescope/results/{name}.json", json_text(document) + "\n")
            if "prairielearn" in systems:
                document = gradebooks.prairielearn(line, level)
                files.put(f"prairielearn/results/{name}.json", json_text(document) + "\n")
    files.put("grades.csv", gradebooks.grades_csv(lines, roster))
    files.put("review.csv", gradebooks.review_csv(review))
    for suffix, text in _texts(summary(title, lines, class_statistics, review)).items():
        files.put(f"summary{suffix}", text)
    if "canvas" in systems and roster is not None:
        files.put("canvas.csv", gradebooks.canvas_csv(lines, roster, title, assignment))
    if "moodle" in systems:
        files.put("moodle.csv", gradebooks.moodle_csv(lines, roster, level))


def _check_inputs_not_overwritten(files: OutcomeFiles, inputs: Sequence[str]) -> None:
    """Raise RequestError if one of the `inputs` would be overwritten by `files`.

    That is a path that is a planned output file, or a folder inside the output folder (not this folder itself) in which
    a planned file lies. Links are resolved first.
    """
    outputs = {os.path.realpath(os.path.join(files.folder, path)) for path in files.planned}
    inside = os.path.realpath(files.folder) + os.sep
    for name in inputs:
        real = os.path.realpath(name)
        folder = real.startswith(inside) and any(path.startswith(real + os.sep) for path in outputs)
        if folder or real in outputs:
            raise is_output(name, f"it would be written by -o {files.folder}", "folder")


class _Reports:
    """The reports of students with the `title` of the homework, as far as the disclosure `level` shows the marks."""

    def __init__(self, title: str, level: int) -> None:
        self.title, self.level = title, level
        self._rendered: dict[str, tuple[GradeLine, dict[str, str]]] = {}

    def render(self, line: GradeLine) -> dict[str, str]:
        """Return the report of one student in Markdown and HTML, {".md": text, ".html": text}; {} if nothing was
        graded.

        It has the markings, and at its end the teacher's remarks and the notes on the submission. The texts are kept,
        and rendered again only if the line of the student has been replaced since.
        """
        from ...marking.disclosure import redact
        from ...render.answers.class_report import note_paragraphs, section_of_remarks
        from ...render.answers.marks_report import report

        if line.graded is None:
            return {}
        kept = self._rendered.get(line.student)
        if kept is None or kept[0] is not line:
            shown = [redact(marking, self.level) for marking in line.graded.markings]
            end = [*section_of_remarks(line), *note_paragraphs(line.graded.notes)]
            texts = _texts([*report(shown, f"{self.title}: {line.name}", line.graded.problem), *end])
            kept = self._rendered[line.student] = line, texts
        return kept[1]


def _texts(document: list[Part]) -> dict[str, str]:
    """Return a document in Markdown and HTML, {suffix: text}."""
    return {form.suffixes[0]: form.document([document], "") for form in map(find_format, _HANDED_OUT)}


# --- messages ---------------------------------------------------------------------------------------------------------


def report_left_out(stream: Stream, submissions: HandedIn) -> None:
    """Print a note for each file that is left out, with the reason, and for each assumption about folders.

    Raises RequestError afterwards if there are no submissions at all.
    """
    for name, reason in submissions.left_out:
        stream.note(f"{visible(name)} is left out: {reason}")
    for assumed in submissions.assumed:
        stream.note(visible(assumed))
    if not submissions.submissions:
        raise RequestError("there is no submission", help="name a folder or an archive with the students' answers")


def _report_grades(stream: Stream, lines: Sequence[GradeLine], class_statistics: Statistics) -> None:
    """Print notes about single students and write the tables of counts and slips of `class_statistics`.

    Empty tables are left out. The exit code of the stream is raised. Lines without `graded` are skipped. Notes are
    about several files (the one that counts), answers that could not be graded, and the notes of the line and of the
    grader. The code becomes at least 1 for a wrong or incomplete answer and 4 for one that is not gradable.
    """
    from ...render.answers.class_report import counts_table, slips_table

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
        stream.record_exit_code({"incomplete": 1, "wrong": 1, "not_gradable": 4}.get(line.status, 0))
    tables = [table for table in (counts_table(class_statistics), slips_table(class_statistics)) if table.rows]
    stream.write("\n".join(format_of(stream, "table").table(table) for table in tables))


def _report_left_out_of_systems(
    stream: Stream, systems: Sequence[str], lines: Sequence[GradeLine], roster: Roster | None
) -> None:
    """Print who is left out of the file of each of `systems` (canvas, moodle; others are ignored) and why.

    So no grade is lost or given to another student. Submissions without a grade are only counted; the others are named
    with the reason: the student is not in the class list (for Moodle only if `roster` is its worksheet), or has several
    submissions. Students who handed in nothing are not mentioned. For Moodle another note says how many lines lack an
    Identifier: all whose submission's name has no participant number, none if `roster` is the worksheet.
    """
    from ...render.answers.gradebooks import NO_GRADE, count_without_number, missing_in_gradebook

    for system in systems:
        out = missing_in_gradebook(system, lines, roster)
        without = sum(reason == NO_GRADE for _, reason in out)
        if without:
            stream.note(f"{system}.csv leaves out {without} of {len(lines)} students, who have no grade")
        for name, reason in out:
            if reason != NO_GRADE:
                stream.note(f"{visible(name)} is left out of {system}.csv: {reason}")
    numberless = count_without_number(lines, roster) if "moodle" in systems else 0
    if numberless:
        text = f"lines of moodle.csv without the Identifier that Moodle needs: {numberless}"
        stream.note(f"{text}; give its list with --roster")


COMMAND = Command(__doc__, GradeRequest, run)
