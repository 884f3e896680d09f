"""Overrides: the marks and comments of a teacher, from overrides.csv and from edits of grades.csv."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from io import StringIO

from ..answers.answer_model import NotGradable, Task
from ..errors import RequestError
from ..marking.assessing import not_gradable, unanswered, weights_by_name
from ..marking.model import NOTHING, Marking, Rules, total
from ..records import NamedTuple
from .gradebook import BY_HAND, TOTAL, GradeLine, Override, names_of
from .grading import Graded
from .roster import parse_mark, plain, read_sheet
from .submissions import Submission

_FILE = "table of marks"  # what an error calls the two files
_TEXTS = ("note", "comment")  # columns of grades.csv for words
COLUMNS = ("student", "problem", "quantity", "mark", "comment")
_NOTHING = Fraction(0)


def read_overrides(text: str, name: str) -> list[Override]:
    """Return the overrides in the text of the CSV file `name`, in order.

    Empty lines are left out, and an empty text gives none. Columns are recognised in any order and case; missing ones
    are empty, unknown ones ignored. A mark is exact, without a sign (`parse_mark`); an empty one is None. Raises
    RequestError for a file without the columns student and mark, for a line without a student, for a mark that is not a
    number (with the line), for invalid CSV, and for more than 10,000 lines.
    """
    sheet = read_sheet(text, name, _FILE)
    header = [cell.casefold() for cell in sheet.header]
    if text.strip() and not {"student", "mark"} <= {*header}:
        raise RequestError(f"{name} has no column student or mark", help=f"write this header: {','.join(COLUMNS)}")
    overrides = []
    for number, row in zip(sheet.lines, sheet.rows, strict=True):
        cells = dict(zip(header, (cell.strip() for cell in row.values()), strict=False))
        student, problem, quantity, mark, comment = (cells.get(column, "") for column in COLUMNS)
        value = parse_mark(mark)
        if not student or (mark and value is None):
            what = f"{mark} is not a mark" if student else "a student is missing"
            raise RequestError(
                f"{what} on line {number} of {name}",
                help="write a number such as 7 or 3.5" if student else "write the id of a student",
            )
        overrides.append(Override(student, problem, quantity, value, comment))
    return overrides


def with_more(text: str, overrides: Sequence[Override], show: Callable[[Fraction], str]) -> str:
    """Return the text of overrides.csv with a further line for each of `overrides` at the end.

    All rows and columns that it has stay, cells beyond the header at the end of their line; the columns of student,
    problem, quantity, mark and comment that it lacks (in any case) are appended. `show` writes a mark; a mark None is
    an empty cell. Cells are separated as before, lines end in a newline. An empty text gets a header of these columns.
    Raises RequestError for invalid CSV.
    """
    sheet = read_sheet(text, "overrides.csv", _FILE)
    known = {cell.casefold(): cell for cell in sheet.header}
    header = [*sheet.header, *(column for column in COLUMNS if column not in known)]
    rows = [[*(row.get(cell, "") for cell in header), *sheet.further.get(k, ())] for k, row in enumerate(sheet.rows)]
    for override in overrides:
        mark = "" if override.mark is None else show(override.mark)
        cells = dict(zip(COLUMNS, (*override[:3], mark, override.comment), strict=True))
        rows.append([cells.get(cell.casefold(), "") for cell in header])
    out = StringIO()
    csv.writer(out, delimiter=sheet.separator, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


# --- edits of grades.csv ----------------------------------------------------------------------------------------------


class SheetEdits(NamedTuple):
    """Edits of a person in grades.csv: overrides, and the places of cells that are computed from others, in words."""

    overrides: list[Override]
    ignored: list[str]


def edits_of(before: str, after: str) -> SheetEdits:
    """Return what a person changed in grades.csv, from the text written last (`before`) to the present one (`after`).

    A new mark in `earned` or `percent` and a new text in `comment` or `note` become overrides; of a text that begins
    with the old one only the rest. Other changes (except `possible` next to a new mark), lines without a student and
    lines longer than the header are described in `ignored`; of a student who is not in `before` only overrides count. A
    comment or note that was emptied is neither an override nor described. Cells are compared as numbers or texts. Of
    several lines of a student in `before` the last one counts. Raises RequestError if a text is not valid CSV or has
    more than 10,000 lines.
    """
    old = {row.get("student", ""): row for row in read_sheet(before, "grades.csv", _FILE).rows}
    edits, sheet = SheetEdits([], []), read_sheet(after, "grades.csv", _FILE)
    for index, row in enumerate(sheet.rows):
        student = row.get("student", "").strip()
        if index in sheet.further or not student:
            edits.ignored.append(f"line {sheet.lines[index]}")
            continue
        cells = old.get(student, {})
        changed = {column for column, cell in row.items() if not _is_same(cell, cells.get(column, ""))} - {"student"}
        mark = _read_changed_mark(row, changed)
        comment = _added_words(row, cells)
        if mark is not None or comment:
            edits.overrides.append(Override(student, "", TOTAL, mark, comment))
        left = changed - ({"earned", "percent", "possible"} if mark is not None else set()) - {*_TEXTS}
        if left and cells:
            edits.ignored.append(f"{', '.join(column for column in row if column in left)} of {student}")
    return edits


def _read_changed_mark(row: Mapping[str, str], changed: Collection[str]) -> Fraction | None:
    """Return the new mark in a line whose columns `changed` were changed.

    It is `earned`, if this column is in `changed` and a number. Otherwise it is `percent` of `possible`, if `percent`
    is in `changed` and both are numbers; `possible` is read as it is in this line. In all other cases None.
    """
    mark = parse_mark(row.get("earned", "")) if "earned" in changed else None
    percent, possible = parse_mark(row.get("percent", "")), parse_mark(row.get("possible", ""))
    if mark is None and "percent" in changed and percent is not None and possible is not None:
        return percent * possible / 100
    return mark


def _added_words(row: Mapping[str, str], before: Mapping[str, str]) -> str:
    """Return what was added to the columns note and comment in `row`; `before` has the texts as they were written.

    If a text begins with the old one, only the rest is returned, without blanks and semicolons at its ends; else all of
    it. Texts of both columns, note first, are joined by a semicolon; empty if nothing was added.
    """
    changed = [column for column in _TEXTS if column in row and not _is_same(row[column], before.get(column, ""))]
    texts = (row[column].strip().removeprefix(before.get(column, "").strip()) for column in changed)
    return "; ".join(filter(None, (text.strip("; ") for text in texts)))


def _is_same(cell: str, other: str) -> bool:
    """Return whether two cells have the same text, blanks around it aside, or the same number."""
    number = parse_mark(cell)
    return cell.strip() == other.strip() or (number is not None and number == parse_mark(other))


# --- merging ----------------------------------------------------------------------------------------------------------


class Overridden(NamedTuple):
    """The lines of a class with the overrides in them, the overrides that fit nothing, with the reason, and those in
    force whose mark is above the maximum: (override, mark, maximum)."""

    lines: list[GradeLine]
    unused: list[tuple[Override, str]]
    above: list[tuple[Override, Fraction, Fraction]]


def apply_overrides(
    lines: Sequence[GradeLine], overrides: Sequence[Override], tasks_of: Callable[[str], tuple[Task, ...]], rules: Rules
) -> Overridden:
    """Return the lines with the marks and comments of a teacher, and what is wrong with the overrides.

    The result has the lines, the overrides that are not used, each with the reason, and those above the maximum.
    Students are looked up by any of their names; an exact one decides among several. The last mark for a quantity
    counts, all comments are kept. `tasks_of(student)` gets the `student` of the line and returns the tasks. A name
    without a line (of one who handed in on paper) gets one at the end, with the note `is only in overrides.csv`, even
    if its overrides are not used. Not used are overrides of a name that several lines have, and of an unknown problem
    or quantity.
    """
    names = _lines_by_name(lines)
    result, unused, above = list(lines), list[tuple[Override, str]](), list[tuple[Override, Fraction, Fraction]]()
    whose: dict[int, list[Override]] = {}
    for override in overrides:
        places = names.get(plain(override.student), ())
        exact = [place for place in places if result[place].student == override.student]
        if not places:
            places = names[plain(override.student)] = (len(result),)
            no_answer = Graded(Submission(override.student, (override.student,), "", ()), "", ())
            notes = ("is only in overrides.csv",)
            result.append(GradeLine(override.student, None, no_answer, "no_submission", notes=notes))
        if len(exact or places) > 1:
            called = ", ".join(result[place].student for place in places)
            unused.append((override, f"{override.student} could be one of {called}"))
            continue
        whose.setdefault((*exact, *places)[0], []).append(override)
    for place, chosen in whose.items():
        result[place], left = _merge_line(result[place], chosen, tasks_of(result[place].student), rules)
        unused += left
        above += _marks_above_maximum(result[place])
    return Overridden(result, unused, above)


def _marks_above_maximum(line: GradeLine) -> Iterator[tuple[Override, Fraction, Fraction]]:
    """Yield (override, mark, maximum) for each mark in force of a line that is above its maximum.

    In force is the last mark for the same problem and quantity as written. The line already has its overrides. The
    maximum is that of the quantity, of the problem, or of the homework; a maximum of 0 does not count.
    """
    markings = line.markings
    for override in {each[:3]: each for each in line.overrides if each.mark is not None}.values():
        place, mark, most = _index_of_problem(override.problem, markings), override.mark or _NOTHING, line.possible
        if place is not None:
            most = markings[place].possible
        if place is not None and not _is_about_whole(override):
            name = _quantity_of(markings[place], override.quantity)
            most = next(each.possible for each in markings[place].quantities if each.quantity == name)
        if mark > most > 0:
            yield override, mark, most


def _lines_by_name(lines: Sequence[GradeLine]) -> dict[str, tuple[int, ...]]:
    """Return the indices of lines, in order, by all plain names (without blanks, signs and case) of their students:
    `student` and shown name, names of the submission, id and address in the class list.
    """
    places: dict[str, dict[int, None]] = {}
    for place, line in enumerate(lines):
        texts = [line.student, line.name]
        texts += names_of(line.graded.submission) if line.graded is not None else []
        texts += [line.person.id, line.person.email] if line.person is not None else []
        for text in texts:
            places.setdefault(plain(text), {})[place] = None
    return {name: tuple(numbers) for name, numbers in places.items() if name}


def _merge_line(
    line: GradeLine, overrides: Sequence[Override], tasks: Sequence[Task], rules: Rules
) -> tuple[GradeLine, list[tuple[Override, str]]]:
    """Return (the line with its overrides, the overrides that fit nothing, each with the reason).

    Overrides of quantities are applied before those of problems and of the whole. A line without markings gets
    unanswered ones of `tasks` first. If an override has a mark, the status is by_hand, the line's problem is dropped,
    and marks are added up again; a mark of the whole replaces `earned` and `alone`. Without one only `overrides`
    changes.
    """
    handed_in = line.graded or Graded(Submission(line.student, (line.name,), "", ()), "", ())
    problem = handed_in.problem or NotGradable(NOTHING)
    markings = list(handed_in.markings or (not_gradable(task, problem, rules) for task in tasks))
    whole: Fraction | None = None
    applied, unused = list[Override](), list[tuple[Override, str]]()
    for override in sorted(overrides, key=_is_about_whole):
        place = _index_of_problem(override.problem, markings)
        if not override.problem and _is_about_whole(override) == 1:
            whole = override.mark if override.mark is not None else whole
        elif place is None:
            unused.append((override, f"there is no problem {override.problem or 'of that name; name the problem'}"))
            continue
        else:
            try:
                markings[place] = _with_mark(markings[place], override, rules)
            except RequestError as error:
                unused.append((override, f"there is no quantity {override.quantity}; {error.help}"))
                continue
        applied.append(override)
    is_marked = any(override.mark is not None for override in applied)
    if not is_marked:
        return line._replace(overrides=tuple(applied)), unused
    earned, alone, possible = total(markings)
    earned, alone = (earned, alone) if whole is None else (whole, whole)
    changed = line._replace(
        graded=handed_in._replace(markings=tuple(markings), problem=None), status=BY_HAND, earned=earned, alone=alone,
        possible=possible, overrides=tuple(applied),
    )  # fmt: skip
    return changed, unused


def _is_about_whole(override: Override) -> int:
    """Return 0 for an override of a quantity, 1 for one of a whole problem or of the homework (an empty quantity or
    "total").
    """
    return int(override.quantity.casefold() in ("", TOTAL))


def _index_of_problem(problem: str, markings: Sequence[Marking]) -> int | None:
    """Return the index in `markings` of the problem with the label `problem`; if no label matches, of the problem with
    this number, from 1.

    None if no problem has this label or number. Blanks, signs and case of labels are ignored. An empty text means an
    only problem; None for an empty text if there are several.
    """
    if not problem:
        return 0 if len(markings) == 1 else None
    names = [plain(marking.task.label or str(number)) for number, marking in enumerate(markings, 1)]
    if plain(problem) in names:
        return names.index(plain(problem))
    return int(problem) - 1 if problem in map(str, range(1, len(markings) + 1)) else None


def _with_mark(marking: Marking, override: Override, rules: Rules) -> Marking:
    """Return a marking with the teacher's mark in `override`.

    The mark of the whole problem replaces `earned` and `alone` (the marks without carry). The mark of a quantity
    replaces that of the quantity, and the sums change by the difference; a quantity that was not answered is added.
    Without a mark the marking is unchanged. Raises RequestError if its task does not have the quantity.
    """
    mark = override.mark
    if _is_about_whole(override) == 1:
        return marking if mark is None else marking._replace(earned=mark, alone=mark)
    name = _quantity_of(marking, override.quantity)
    if mark is None:
        return marking
    quantities = {each.quantity: each for each in marking.quantities}
    if name not in quantities:
        empty = unanswered(marking.task, rules).quantities
        quantities |= {each.quantity: each._replace(rows=()) for each in empty if each.quantity == name}
    before = quantities[name]
    quantities[name] = before._replace(earned=mark, alone=mark)
    earned, alone = marking.earned - before.earned + mark, marking.alone - before.alone + mark
    return marking._replace(quantities=tuple(quantities.values()), earned=earned, alone=alone)


def _quantity_of(marking: Marking, text: str) -> str:
    """Return the name in marks of the quantity that a teacher calls `text`.

    The first that applies: exactly one quantity is shown so in the student's report; a name as in keys, `x2bar`. Raises
    RequestError, whose help lists the names in the report, if the task has no such quantity.
    """
    shown = [each.quantity for each in marking.quantities if (each.written or each.quantity) == text]
    if len(shown) == 1:
        return shown[0]
    try:
        (name,) = weights_by_name(marking.task, {text: _NOTHING})
    except RequestError as error:
        names = dict.fromkeys(each.written or each.quantity for each in marking.quantities)
        error.help = f"its quantities are {', '.join(names)}" if names else error.help
        raise
    return name


def teacher_remarks(line: GradeLine, show: Callable[[Fraction], str]) -> list[str]:
    """Return what a teacher says about an answer, a text such as `v1 of problem 2: 3 marks; see me` for each override,
    without repetitions.

    The words before the colon are `override.about`, `total` for the whole answer.

    A mark or comment that an override lacks is left out of its text. `show` writes a mark.
    """
    sentences = []
    for override in line.overrides:
        mark = "" if override.mark is None else f"{show(override.mark)} mark{'s' * (override.mark != 1)}"
        sentences.append(": ".join(filter(None, (override.about, "; ".join(filter(None, (mark, override.comment)))))))
    return list(dict.fromkeys(sentences))


def comments(line: GradeLine) -> str:
    """Return the comments of a teacher on an answer, joined by "; "; "" if there are none.

    A comment on a part is written after its name (`v3 of problem 2`) and a colon, one on the whole answer alone.
    Overrides without a comment are passed over, equal texts are joined once, in the order of the overrides.
    """
    commented = [override for override in line.overrides if override.comment]
    texts = [each.comment if each.about == TOTAL else f"{each.about}: {each.comment}" for each in commented]
    return "; ".join(dict.fromkeys(texts))


def without_known(edits: Sequence[Override], overrides: Sequence[Override]) -> list[Override]:
    """Return the edits that `overrides` do not have yet.

    A mark that is already the one in force for the same student, problem and quantity becomes None, a comment that the
    student already has becomes ""; an edit without both is left out.
    """
    marks = {(each.student, each.problem, each.quantity): each.mark for each in overrides if each.mark is not None}
    known = {(each.student, each.comment) for each in overrides}
    new = []
    for edit in edits:
        mark = None if marks.get((edit.student, edit.problem, edit.quantity)) == edit.mark else edit.mark
        comment = "" if (edit.student, edit.comment) in known else edit.comment
        if mark is not None or comment:
            new.append(edit._replace(mark=mark, comment=comment))
    return new
