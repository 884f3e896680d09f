"""Review: the answers of a class that a person should look at, and why."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..answers.answer_model import Task
from ..errors import AdcliError
from ..grammar_files import read_tables
from ..graph.tape import vjp
from ..marking.assessing import assess
from ..marking.model import UNDECIDED, total
from ..patterns import pattern
from ..records import NamedTuple
from .gradebook import BY_HAND, GradeLine, named_markings
from .homework import Key

REVIEW_COLUMNS = ("student", "problem", "reason", "what")
_SHORTEST = 40  # characters of answers that are alike by more than chance
_MOST_RELATIVE = 1e-2  # error of a number that may be a rounded result of another instance
_FEWEST = 2  # results of another instance that an answer has
_MOST_TRIED = 3  # other instances with which an answer is marked
_NUMBER = pattern(r"(?<![\w.\u0304\u0307])[-−]?\d++(?:\.\d++)?(?:[eE][-+]?\d++)?")  # not 3 in v3
(_, (_OF_ROWS,)) = read_tables("class_report.txt", dict[str, str]).values()  # reasons by the verdict of a row


class ReviewItem(NamedTuple):
    """Something that a person should look at: the student, the problem (empty if there is only one, or all are meant),
    the reason, and what it is about."""

    student: str
    problem: str
    reason: str
    what: str


def review_items(lines: Sequence[GradeLine], key: Key, key_names: Mapping[str, str]) -> list[ReviewItem]:
    """Return what a person should look at, line by line: rows and problems in doubt, problems of another student,
    identical answers.

    `key_names` are the names of the students in the key. Lines with a mark by hand are left out, except for identical
    answers; a comment alone changes nothing.
    """
    items: dict[str, list[ReviewItem]] = {line.student: [] for line in lines}
    results = _ResultsOfInstances(key)
    for line in lines:
        if line.status != BY_HAND:
            items[line.student] += _doubts_of_line(line)
            other = results.author(line, key_names.get(line.student, line.student))
            if other:
                items[line.student].append(ReviewItem(line.student, "", "problems of another student", other))
    for student, others in _identical_answers(lines):
        items[student].append(ReviewItem(student, "", "identical answers", ", ".join(others)))
    return [item for line in lines for item in items[line.student]]


def _doubts_of_line(line: GradeLine) -> Iterator[ReviewItem]:
    """Yield what a person should look at in one answer; nothing if nothing was handed in.

    An item is (student, problem name, reason, details). First is that the whole answer is not gradable. Then, for each
    problem, that it is not gradable, and one item with its rows for each of the verdicts formula, does_not_follow and
    unreadable. No item excludes another. A row is named by its line, or by its name if it has no line.
    """
    if line.graded is None:
        return
    if line.graded.problem is not None:
        yield _not_gradable(line.student, "", line.graded.problem)
    for name, marking in named_markings(line.markings):
        if marking.problem is not None:
            yield _not_gradable(line.student, name, marking.problem)
        for verdict, reason in _OF_ROWS.items():
            rows = [f"line {mark.line}" if mark.line else mark.row for mark in marking.marks if mark.verdict == verdict]
            if rows:
                yield ReviewItem(line.student, name, reason, ", ".join(dict.fromkeys(rows)))


def _not_gradable(student: str, name: str, problem: AdcliError) -> ReviewItem:
    """Return the item for an answer, or its problem `name`, that cannot be graded; undecided formulas have a reason of
    their own.
    """
    reason = "undecided formula" if problem.title == UNDECIDED else "not gradable"
    return ReviewItem(student, name, reason, problem.title)


def _identical_answers(lines: Sequence[GradeLine]) -> Iterator[tuple[str, list[str]]]:
    """Yield (student, others) for each student whose answer other students handed in too, group by group.

    The answers to all problems together are compared without blanks and case, and only if 40 characters or more remain.
    Submissions with notes, such as those of a group, are left out.
    """
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for line in lines:
        if line.graded is not None and not line.graded.submission.notes:
            texts = {marking.answer.lines for marking in line.markings if marking.answer is not None}
            text = "".join("".join(map("".join, sorted(texts))).casefold().split())
            if len(text) >= _SHORTEST:
                groups[text].append(line.student)
    for students in groups.values():
        for student in students if len(students) > 1 else ():
            yield student, [other for other in students if other != student]


class _ResultsOfInstances:
    """The values and derivatives of the problems of each student who has some."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.numbers = {student: frozenset(_results(tasks)) for student, tasks in key.students.items() if tasks}

    def author(self, line: GradeLine, key_name: str) -> str:
        """Return another student whose problems an answer solves; "" if there is none.

        `key_name` is the student's name in the key. "" too if the key has no problems for this student alone, or if the
        answer earns at least half of its marks. A student is tried if at least two of that student's results are among
        the numbers of the answer, up to rounding (`_count_shown`); results of the student's own problems do not count.
        Of these the three with the most results are tried. The result is the first one with whose problems the answer
        earns more than half of the marks and more than twice the present fraction.
        """
        student_numbers = self.numbers.get(key_name)
        if student_numbers is None or not line.markings or 2 * line.earned >= line.possible > 0:
            return ""
        answers = (marking.answer.lines for marking in line.markings if marking.answer is not None)
        text = "\n".join(dict.fromkeys(map("\n".join, answers)))
        shown = sorted({float(number.replace("−", "-")) for number in _NUMBER.findall(text)})
        counts = Counter(
            {student: _count_shown(numbers - student_numbers, shown) for student, numbers in self.numbers.items()}
        )
        tried = (student for student, count in counts.most_common(_MOST_TRIED) if count >= _FEWEST)
        return next((student for student in tried if self._earns_more(text, student, line)), "")

    def _earns_more(self, text: str, student: str, line: GradeLine) -> bool:
        """Return whether the answer `text` earns clearly more with the problems of `student` than `line` has.

        That is more than half of their marks, and more than twice the fraction that `line` has. False if these problems
        or those of `line` are worth nothing. Raises KeyError for a student whom the key does not have.
        """
        tasks = self.key.students[student]
        others = assess(text.encode(), "answer.txt", tasks, self.key.rules, self.key.decimal, with_key=False)
        earned, _, possible = total(others)
        return bool(possible and earned * line.possible > 2 * line.earned * possible and 2 * earned > possible)


def _results(tasks: Sequence[Task]) -> Iterator[float]:
    """Yield for each output of each task its value and then its partial derivatives with respect to all inputs.

    They are numbers at the task's point; those that cannot be computed may be nan or infinite. Tasks whose point lacks
    an input are skipped.
    """
    for task in tasks:
        graph = task.program.graph
        point = {slot: float(task.at[name]) for slot, name in graph.inputs.items() if name in task.at}
        if len(point) == len(graph.inputs):
            for _, output in graph.outputs:
                values, bars = vjp(graph, point, {output: 1.0})
                yield values[output]
                yield from (float(bars[slot]) for slot in graph.inputs)


def _count_shown(results: Iterable[float], shown: Sequence[float]) -> int:
    """Return how many of the results are among the numbers `shown`, which are in ascending order and may be rounded: a
    neighbour of the result differs from it by at most 1 % of the result.
    """
    places = ((result, bisect_left(shown, result)) for result in results)
    pairs = [(result, shown[max(place - 1, 0) : place + 1]) for result, place in places]
    return sum(any(abs(x - result) <= _MOST_RELATIVE * abs(result) for x in near) for result, near in pairs)
