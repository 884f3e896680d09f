"""Grading of many answers: one result for each student, from workers or from an earlier run."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from hashlib import sha256
from multiprocessing.connection import Connection

from .. import __version__
from ..answers.answer_model import NotGradable, Task
from ..answers.collector import BYTES
from ..answers.decoding import check_size
from ..errors import AdcliError, RequestError
from ..marking.assessing import assess, not_gradable, unanswered
from ..marking.disclosure import FORMULA, redact
from ..marking.model import Marking
from ..records import NamedTuple
from ..typings import cast
from ..writing import write_file
from .homework import Key
from .key import read_key
from .pool import Job, NoResult, results, serve_worker
from .record import as_data, from_data, problem_data, problem_from
from .several_files import Read, join_files, subjects, versions
from .submissions import File, Submission

_MOST_TRIED = 20  # files of one student that are looked at


class Settings(NamedTuple):
    """The settings of a grading: the key as a text, what students see (`level`), the limits of a file and of time,
    and the folder of cached results."""

    key_text: str
    key_name: str
    level: int
    workers: int
    seconds: float
    memory: str | None  # the folder of remembered work
    most: int = BYTES  # of a file, in bytes


class Graded(NamedTuple):
    """The result of a student's submission: the file that counts and its markings, or the problem if nothing is graded.

    Markings show what teachers may see: hints always, formulas and the key if students see them. `file` names all files
    that count, `notes` tell what was assumed.
    """

    submission: Submission
    file: str
    markings: tuple[Marking, ...]
    problem: AdcliError | None = None
    notes: tuple[str, ...] = ()


class _Part:
    """A part of a submission that is being graded: its versions, the latest first, and the index of its task, None
    if it may be about all."""

    def __init__(self, files: Sequence[File], subject: int | None) -> None:
        self.pending, self.subject = deque(files), subject
        self.count = len(files)
        self.best: Read | None = None
        self.failed: list[str] = []

    def take(self, file: str, markings: Sequence[Marking]) -> None:
        """Take the markings of a file, one for each task: set `best` to them, or note that the file failed.

        If the part is about one task (`subject`, its index), this task must be gradable; otherwise at least one task.
        If this is not the case, the file fails with the error of the first of these tasks.
        """
        relevant = markings if self.subject is None else markings[self.subject : self.subject + 1]
        problems = [marking.problem for marking in relevant if marking.problem is not None]
        if len(problems) < len(relevant):
            self.best = Read(file, tuple(markings))
        else:
            self.fail(file, problems[0])

    def fail(self, file: str, problem: AdcliError) -> None:
        """Append a message on a file that cannot be graded to `failed`; the file becomes `best`, without markings, only
        if nothing is taken yet.
        """
        self.failed.append(f"{file} does not count: {problem.title}")
        if self.best is None:
            self.best = Read(file, (), problem)

    def notes(self) -> list[str]:
        """Return which version counts, then one message for each later version that cannot be graded.

        There is none for a single version, or if none can be graded.
        """
        if self.count == 1 or self.best is None or self.best.problem is not None:
            return []
        which = "the latest that can be graded" if self.failed else "the latest"
        return [f"of {self.count} versions {which} counts, {self.best.file}", *self.failed]


class _GradedCase:
    """A submission that is being graded, part by part; `digest` is of all that its result depends on, `path` the file
    for its cached result (None: none is kept)."""

    def __init__(self, submission: Submission, tasks: Sequence[Task], digest: str, path: str | None) -> None:
        self.submission, self.tasks, self.digest, self.path = submission, tasks, digest, path
        self.lasting = True  # whether the same will come of it another time
        parts = versions(submission.files[:_MOST_TRIED])
        self.parts = [_Part(part, k) for part, k in zip(parts, subjects(parts, tasks), strict=True)]

    def next_part(self) -> _Part | None:
        """Return the first part that still needs a file marked; None if all are done."""
        pending = (part for part in self.parts if part.pending)
        return next((part for part in pending if part.best is None or part.best.problem is not None), None)

    def result(self) -> Graded:
        """Return the result of all parts together, with notes on versions, and on files beyond the first 20 (not read).

        If no part can be graded, the result has the file and the problem of the first part and no markings. Otherwise
        `join_files` selects the marking for each task.
        """
        parts = [part.best for part in self.parts if part.best is not None]
        notes = [note for part in self.parts for note in part.notes()]
        if len(self.submission.files) > _MOST_TRIED:
            notes.append(f"only {_MOST_TRIED} of {len(self.submission.files)} files were read")
        if all(part.problem is not None for part in parts):
            return Graded(self.submission, parts[0].file, (), parts[0].problem, tuple(notes))
        files, markings, more = join_files(parts, self.tasks)
        return Graded(self.submission, "; ".join(files), tuple(markings), None, (*notes, *more))

    def cached_result(self) -> Graded | None:
        """Return the cached result from the file `path`.

        None if there is no path or file, its digest differs or it is damaged in any way.
        """
        try:
            with open(self.path or "", encoding="utf-8") as stream:
                data = json.load(stream)
            if data["digest"] != self.digest:
                return None
            problem = None if data["problem"] is None else problem_from(data["problem"])
            pairs = zip(data["markings"], () if problem else self.tasks, strict=True)
            markings = tuple(from_data(item, task) for item, task in pairs)
            return Graded(self.submission, str(data["file"]), markings, problem, tuple(map(str, data["notes"])))
        except (AdcliError, OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            return None  # it was never graded, or the file is damaged

    def remember(self, result: Graded) -> None:
        """Write the result and the digest to the file at `path` as JSON, unless there is no path or a worker failed or
        was too slow.

        Raises OutputProblem if the file cannot be written.
        """
        if self.path is not None and self.lasting:
            data = {
                "digest": self.digest,
                "file": result.file,
                "notes": result.notes,
                "problem": None if result.problem is None else problem_data(result.problem),
                "markings": [as_data(marking) for marking in result.markings],
            }
            write_file(self.path, json.dumps(data) + "\n")


def grade_submissions(
    submissions: Sequence[Submission], key: Key, students: Mapping[str, str], safe: Mapping[str, str],
    settings: Settings,
) -> Iterator[Graded]:  # fmt: skip
    """Yield the result of each submission, in the order in which they are finished.

    `students` gives the name in the key for each student, `safe` the file names of cached results without suffix.
    Cached results, and those that need no worker, come without one. A file that is not marked in time, or whose worker
    dies, counts as failed: another version of it is tried, and without one the result has the error. Raises KeyError
    for a student whom `students` lacks, OutputProblem if a result cannot be cached, RequestError if workers do not
    start.
    """
    queue: deque[Job] = deque()
    todo = iter(submissions)
    running: dict[str, Generator[Job, object, Graded]] = {}

    def advance(student: str, result: object = None) -> Iterator[Graded]:
        """Go on with the submission of a student, given the result of its last job: put its next job into the queue, or
        yield what it is graded as.
        """
        try:
            queue.append(running[student].send(result))
        except StopIteration as end:
            del running[student]
            yield end.value

    def fill() -> Iterator[Graded]:
        """Begin with submissions until the queue has two jobs for each worker; yield those that need no worker."""
        while len(queue) < 2 * settings.workers and (submission := next(todo, None)) is not None:
            student, memory = submission.student, settings.memory
            path = None if memory is None else os.path.join(memory, f"{safe[student]}.json")
            running[student] = _grade(submission, students[student], path, key, settings)
            yield from advance(student)

    yield from fill()
    for_workers = {
        "key": settings.key_text, "name": settings.key_name, "level": settings.level, "most": settings.most,
        "students": dict(students),
    }  # fmt: skip
    for job, result in results(queue, settings.workers, settings.seconds, serve, for_workers):
        yield from advance(json.loads(job.student)[0], result)
        yield from fill()


def _grade(
    submission: Submission, student: str, path: str | None, key: Key, settings: Settings
) -> Generator[Job, object, Graded]:
    """Grade a submission: yield a job for each file that has to be marked, and return the result.

    `student` is the name in the key, `path` the file of the cached result (None: none is kept). What a worker returned
    for a job is sent back: a list of one record for each task, or a NoResult; then the file failed, and the result is
    not cached. No job is needed in three cases: for a cached result of the same files, student and settings; for a
    student without a problem in the key (the result has the first file and that error, and is not cached); for files
    that cannot be loaded or are too large (they failed, and the result is cached). Raises OutputProblem if the result
    cannot be cached.
    """
    try:
        tasks = key.tasks_for(student)
    except RequestError as error:
        return Graded(submission, submission.files[0].name, (), error)
    case = _GradedCase(submission, tasks, _digest(submission, student, settings), path)
    known = case.cached_result()
    if known is not None:
        return known
    while (part := case.next_part()) is not None:
        file = part.pending.popleft()
        try:
            data = _load_checked(file, settings.most)
        except AdcliError as error:
            part.fail(file.name, error)
            continue
        result = yield Job(json.dumps([submission.student, part.subject]), file.name, data)
        if isinstance(result, NoResult):
            case.lasting = False
            part.fail(file.name, make_failure(result, settings.seconds))
        else:
            records = cast(list[list[object]], result)  # what `serve` sent
            part.take(file.name, [from_data(record, task) for record, task in zip(records, tasks, strict=True)])
    outcome = case.result()
    case.remember(outcome)
    return outcome


def serve(connection: Connection, settings: str) -> None:
    """Serve as a worker until the connection ends: read the key once and mark one answer after the other.

    `settings` is JSON: the text of the `key` and its `name`, the names of `students` in it, the `level` of disclosure,
    and the `most` bytes of an answer. The "student" of a job is JSON, [student, index of the task or null]. The reply
    is a list of markings as data, one for each task, disclosed at the level; only from level 4 on they have formulas
    and the key. Raises AdcliError if the key cannot be read.
    """
    options = json.loads(settings)
    key = read_key(options["key"], options["name"])

    def work(whose: str, name: str, data: bytes) -> list[list[object]]:
        student, subject = json.loads(whose)
        tasks, level = key.tasks_for(options["students"][student]), options["level"]
        markings = mark_problems(data, name, tasks, key, subject, with_key=level >= FORMULA, most=options["most"])
        return [as_data(redact(marking, level)) for marking in markings]

    serve_worker(connection, work)


def mark_problems(
    data: bytes, name: str, tasks: Sequence[Task], key: Key, subject: int | None = None, *, with_key: bool = True,
    most: int = BYTES,
) -> tuple[Marking, ...]:  # fmt: skip
    """Return the markings of an answer called `name`, one for each of `tasks`, also if it cannot be graded.

    With `subject`, an index of `tasks`, the answer is about that task alone and the other tasks are unanswered. With
    `with_key` marks have the correct formulas and numbers. An answer of more than `most` bytes cannot be graded. No
    exception of marking is raised: after an exception, all tasks are marked as not gradable.
    """
    answered = tasks if subject is None else [tasks[subject]]
    try:
        markings = assess(data, name, answered, key.rules, key.decimal, with_key=with_key, most=most)
        if subject is None:
            return markings
        return tuple(markings[0] if k == subject else unanswered(task, key.rules) for k, task in enumerate(tasks))
    except MemoryError:
        problem = NotGradable("marking the answer needs too much memory", help="ask the student to fill in a form")
    except Exception as error:  # a defect of ours is not the end of a run
        title = "adcli failed on this answer because of an error in adcli itself"
        problem = NotGradable(title, label=type(error).__name__)
    return tuple(not_gradable(task, problem, key.rules) for task in tasks)


def _load_checked(file: File, most: int) -> bytes:
    """Return the content of a file. Raises NotGradable if it is too large."""
    data = file.load()
    check_size(data, most)
    return data


def make_failure(failure: NoResult, seconds: float) -> NotGradable:
    """Return the NotGradable for a job without a result: too slow, with the limit `seconds`, or a crash of
    the worker.
    """
    if failure.slow:
        advice = "hand in the rows alone, or a blank form filled in"
        return NotGradable(f"marking the answer takes longer than {seconds:g} s", help=advice)
    return NotGradable("the worker process crashed while marking this answer", help="ask the student to fill in a form")


def _digest(submission: Submission, student: str, settings: Settings) -> str:
    """Return the SHA-256 in hex of everything on which a result depends (`_sources`).

    `student` is the name in the key.
    """
    digest = sha256()
    for piece in _sources(submission, student, settings):
        digest.update(f"{len(piece)}:".encode() + piece)
    return digest.hexdigest()


def _sources(submission: Submission, student: str, settings: Settings) -> Iterator[bytes]:
    """Yield everything on which a result depends, as bytes.

    These are version, text of the key, name in the key (`student`), level and student, then name and content of each of
    the first 20 files. Of a file that cannot be loaded or is too large, the title of the error is yielded instead of
    its content.
    """
    for text in (__version__, settings.key_text, student, str(settings.level), submission.student):
        yield text.encode("utf-8", "surrogatepass")
    for file in submission.files[:_MOST_TRIED]:
        yield file.name.encode("utf-8", "surrogatepass")
        try:
            yield _load_checked(file, settings.most)
        except AdcliError as error:
            yield error.title.encode()
