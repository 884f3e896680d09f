"""Exercises with sheets, blank forms and the key.

\b
Examples:
  adcli new --level 2
  adcli new --seed 7 --level 2 --level 4 --count 2 -o homework3
  adcli new --seed 7 --students class.csv --secret secret.txt -o homework4

Levels: 1: products and sums of two inputs; 2: a node that is used twice; 3: a chain of three functions; 4: division
and powers; 5: two outputs; matrix: vectors and matrices of whole numbers. In every exercise the numbers are short,
and each common mistake changes the result.

-o FOLDER writes sheet.md, sheet.tex, sheet.html, form.txt, form.md and key.toml; with --students every student gets
different exercises in students/, and the key has them all. Without it the sheet is printed.

The same seed gives the same exercises. With --students they are computed from a secret that students must not know:
--secret FILE, or the environment variable ADCLI_SECRET.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import starmap

from ...errors import OutputProblem, RequestError
from ...processes import IN_ONE_PROCESS, cores
from ...render.formats import DOCUMENTS, find_format
from ...trace.request_choices import MODES
from ...typings import TYPE_CHECKING
from ...writing import write_file
from ..arguments import require_latex
from ..inputs import Inputs
from ..options import Command, Option, argument, whole
from ..options import text as text_option
from ..pages import write, write_json
from ..shared_options import STANDALONE, AppearanceOptions
from ..stream import Stream, check_folder
from ..workers import in_processes

if TYPE_CHECKING:
    from ...answers.answer_model import Task
    from ...classroom.exercise_sheet import ExerciseSheet, Student

FORMATS = (*DOCUMENTS, "json")
_LEVELS = (*"12345", "matrix")
_HANDED_OUT = ("markdown", "latex", "html")  # a sheet to read, to print and to look at


class NewRequest(AppearanceOptions):
    """Options of `adcli new`."""

    text = argument()
    seed = Option(("--seed",), 1, "Seed; another seed gives other exercises.", between=(0, 2**31))
    level: Option[tuple[str, ...]] = Option(
        ("--level",), (), "Level (default: 1); may be repeated.", choices=_LEVELS, many=True
    )
    count = Option(("--count",), 1, "Number of exercises of each level.", between=(1, 50))
    mode = Option(("--mode",), "reverse", "Quantities that the exercises ask for.", choices=MODES)
    title = Option(("--title",), "Exercises", "Title of the sheet.", metavar="TEXT")
    students = text_option("--students", metavar="FILE", help="Class list (CSV): different exercises for each student.")
    secret = text_option("--secret", metavar="FILE", help="File with the secret of the course.")
    format_name = Option(("--format",), "markdown", "Output format.", choices=FORMATS)
    standalone = STANDALONE
    output = text_option("-o", "--output", metavar="FOLDER", help="Write sheets, forms and the key into FOLDER.")
    workers = whole("--workers", between=(1, 256), help="Number of processes for a class (default: number of cores).")


_VARIABLE = "ADCLI_SECRET"
_SHORTEST = 8  # bytes of a secret
_MANY = 20  # exercises that are worth the start of other processes

Files = dict[str, str]  # texts by their paths in the folder


def run(stream: Stream, options: NewRequest) -> None:
    """Make the exercises and write them into the folder --output, or print the sheet.

    With a folder --format is ignored. Without one a note says that the key needs a folder. With --students every
    student gets different exercises. Raises RequestError for a problem as an argument, for --students without a folder,
    for --standalone without a folder and with another format than LaTeX, and for a missing or short secret;
    OutputProblem for a folder with other files.
    """
    from ...classroom.exercise_sheet import sheet_of

    if options.text is not None:
        of_number = f"the number of exercises is an option: --count {options.text}"
        advice = of_number if options.text.isdecimal() else "for blank forms of your own problems: adcli template"
        raise RequestError("adcli new makes its own problems and does not read any", help=advice)
    if options.output is None:
        require_latex(options.standalone, options.format_name)
    secret = _read_secret(options, stream.inputs)
    if options.students is not None and options.output is not None:
        _write_folder(stream, options.output, _make_class_files(stream, options, options.students, secret))
        return
    tasks = _draw_tasks(options, secret)
    sheet = sheet_of(options.title, tasks)
    if options.output is not None:
        _write_folder(stream, options.output, _make_files(sheet, "", options) | _make_key_file(options, tasks))
    else:
        _write_sheet(stream, sheet, options.format_name)
        stream.note("the key and blank forms are written with -o FOLDER")


def _read_secret(options: NewRequest, inputs: Inputs) -> bytes:
    """Return the secret of the course: the content of the file --secret, or the environment variable ADCLI_SECRET.

    Blanks and line ends around it are removed. Without --secret and --students it is the seed as text; the variable is
    then not read. Raises RequestError if there are students and no folder, or if --students is a number that is not a
    file. Raises RequestError too if the secret is missing or then shorter than 8 bytes, or its file cannot be read.
    """
    if options.secret is None and options.students is None:
        return str(options.seed).encode()
    if options.students is not None and options.students.isdecimal() and not os.path.exists(options.students):
        raise RequestError(
            "--students takes a class list", help="name a CSV file with a line for each student, such as class.csv"
        )
    if options.students is not None and options.output is None:
        raise RequestError("sheets for a class go into a folder", help="name the folder: -o homework3")
    path = options.secret
    if path is not None and not os.path.exists(path):
        advice = f"write {_SHORTEST} characters or more that only you know into this file, and keep it"
        raise RequestError(f"the file with the secret, {path}, does not exist", help=advice)
    secret = os.environ.get(_VARIABLE, "").encode("utf-8", "surrogateescape") if path is None else inputs.read(path)
    if path is None and not secret:
        title = "the exercises of a class are computed from a secret"
        raise RequestError(
            title, help=f"write a secret into a file and add --secret FILE, or set the environment variable {_VARIABLE}"
        )
    if len(secret.strip()) < _SHORTEST:
        raise RequestError("the secret is too short", help=f"write {_SHORTEST} characters or more")
    return secret.strip()


def _draw_tasks(options: NewRequest, secret: bytes, student: Student | None = None) -> tuple[Task, ...]:
    """Return the exercises of `student`, or those for everybody if it is None, level by level.

    There are --count exercises of each --level, without --level of level 1; a level named twice has twice as many.
    Labels are numbers from 1 through all levels. Each exercise is drawn on its own from the secret, the seed, the id of
    `student`, its number, its level and --mode; two of them may be equal. Raises RequestError if no exercise without a
    flaw is found in a limited number of attempts.
    """

    from ...classroom.exercise_sheet import exercises

    levels = [int(level) if level.isdecimal() else level for level in options.level or _LEVELS[:1]]
    return exercises(secret, options.seed, levels, options.count, options.mode, student)


def _make_class_files(stream: Stream, options: NewRequest, path: str, secret: bytes) -> Files:
    """Return {path: text} of the files of all students in the class list at `path`, and of the key.

    The files of a student are below students/. key.toml has all exercises, drawn from `secret`, in the order of the
    list. Several processes share the work if --workers is more than 1, or if it is missing and there are 20 exercises
    or more in all. Shows the progress. Raises RequestError if exercises cannot be made or the class list is empty or
    has the same id twice, OutputProblem if a process was ended.
    """
    from ...classroom.exercise_sheet import students_of
    from ...classroom.roster import read_roster, safe_names

    students = students_of(read_roster(stream.inputs.text(path), path))
    folders = safe_names(student.id for student in students)
    count = options.workers or (cores() if len(students) * options.count * len(options.level or (1,)) >= _MANY else 1)
    questions = [(options, secret, student, folders[student.id]) for student in students]
    here = starmap(_make_exercises, questions)
    by_student: list[tuple[Files, str]] = []
    for exercises in in_processes(_make_exercises, questions, count, _student_error) if count > 1 else here:
        by_student.append(exercises)
        stream.progress(f"{len(by_student)} of {len(students)} students", elsewhere=True)
    stream.clear_progress()
    files = {path: text for student_files, _ in by_student for path, text in student_files.items()}
    return files | _make_key_file(options, (), [key for _, key in by_student])


def _student_error(_options: NewRequest, _secret: bytes, student: Student, _folder: str) -> OutputProblem:
    """Return the error for a student whose process was ended; it takes the arguments of `_make_exercises`."""
    return OutputProblem(f"the exercises of {student.id} could not be made", help=IN_ONE_PROCESS)


def _make_exercises(options: NewRequest, secret: bytes, student: Student, folder: str) -> tuple[Files, str]:
    """Return the exercises of a student: their files and their part of the key.

    The files are in students/`folder`/; the part of the key has the student's name and address. Raises RequestError if
    they cannot be made.
    """
    from ...classroom.exercise_sheet import sheet_of
    from ...classroom.key import students_part

    tasks = _draw_tasks(options, secret, student)
    files = _make_files(sheet_of(options.title, tasks, student), f"students/{folder}/", options)
    return files, students_part(student.id, tasks, student[1:])


def _make_key_file(options: NewRequest, tasks: tuple[Task, ...], student_parts: Sequence[str] = ()) -> Files:
    """Return {"key.toml": the key with the exercises for all (`tasks`), and the parts for single students}."""
    from ...classroom.homework import Key
    from ...classroom.key import write_key
    from ...marking.model import Rules

    return {"key.toml": write_key(Key(options.title, tasks, Rules(min_places=3, numbers=True)), student_parts)}


def _make_files(sheet: ExerciseSheet, folder: str, options: NewRequest) -> Files:
    """Return a sheet and its blank forms as files, {path: text}; `folder` (empty, or with its final slash) is put
    before each name.

    The sheet is in Markdown, LaTeX and HTML (sheet.md, …), the forms are text and Markdown (form.txt, form.md). With
    --ascii all are in ASCII.
    """
    from ...render import forms
    from ...render.document_parts import ascii_text
    from ...render.exercise_sheets import parts

    files = {"form.txt": forms.text(sheet.forms), "form.md": forms.document("markdown", sheet.forms)}
    if options.ascii_only:
        files = {name: ascii_text(text) for name, text in files.items()}
    for form in map(find_format, _HANDED_OUT):
        text = form.document([parts(sheet)], sheet.title)
        files[f"sheet{form.suffixes[0]}"] = form.in_ascii(text) if options.ascii_only else text
    return {folder + name: text for name, text in files.items()}


def _write_sheet(stream: Stream, sheet: ExerciseSheet, form: str) -> None:
    """Write the sheet to the stream, as JSON or as a whole document in the format `form`."""

    from ...render.exercise_sheets import SHEET, parts

    if form == "json":
        write_json(stream, SHEET.data(sheet))
    else:
        write(stream, find_format(form), find_format(form).document([parts(sheet)], sheet.title))


def _write_folder(stream: Stream, folder: str, files: Files) -> None:
    """Write the files that are missing into a folder; existing files are never changed.

    A note says how many were written, or that all are there already. Raises OutputProblem before writing if a file
    exists with another content, if some are missing and the folder has other files, or if `folder` is not a folder.
    Hidden files and files in hidden folders do not count.
    """
    check_folder(folder)
    existing = _list_files(folder)
    changed = sorted(path for path in existing & files.keys() if not _has_text(os.path.join(folder, path), files[path]))
    missing = [path for path in files if path not in existing]
    others = sorted(existing - files.keys())
    if changed or (missing and others):
        advice = "name a new folder with -o, or empty this folder"
        raise OutputProblem(
            f"the folder {folder} is not empty", label=f"{(changed or others)[0]} exists already", help=advice
        )
    for path in missing:
        write_file(os.path.join(folder, path), files[path])
    stream.note(f"{len(missing)} files written into {folder}" if missing else f"all files are in {folder} already")


def _list_files(folder: str) -> set[str]:
    """Return the paths, from `folder` on with /, of the files that are neither hidden nor in a hidden folder."""
    places = [(os.path.relpath(place, folder), names) for place, _, names in os.walk(folder)]
    paths = [os.path.normpath(f"{place}/{name}").replace(os.sep, "/") for place, names in places for name in names]
    return {path for path in paths if "/." not in f"/{path}"}


def _has_text(path: str, text: str) -> bool:
    """Return whether the file at `path` contains exactly this text in UTF-8; False if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read() == text.encode()
    except OSError:
        return False


COMMAND = Command(__doc__, NewRequest, run)
