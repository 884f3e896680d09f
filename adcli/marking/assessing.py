"""Assessing one answer: reading it in each possible way, and marking it for all the problems that it is about. A
reading is an answer's rows in one meaning of its notations, a section what stands under one heading. A crossed row is
an error or has a wrong formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from itertools import groupby

from ..answers.answer import NoRows, Script, lines_of, split_answer, titled_lines
from ..answers.answer_model import BAR, DERIVATIVE, DOT, Answer, LeftOut, NotGradable, Task
from ..answers.collector import BYTES, RawSection
from ..answers.decoding import check_size
from ..answers.formula_reading.jacobians import in_order_of, stated_order
from ..answers.other_homework import without_other_homework
from ..answers.sections import heading
from ..answers.sums import with_running_totals
from ..errors import AdcliError
from ..graph.gc_pause import pause_gc
from ..records import NamedTuple
from .judging.quantities import possible, weights_of
from .judging.row_verdicts import mark
from .model import GOOD, Marking, Rules
from .recognition.comma_readings import join_notes, with_other_commas
from .recognition.formulas_in_brackets import with_formulas_first
from .recognition.kink_conventions import kink_weights, note_of, other_kink_weights
from .recognition.matching import match_blocks, names_of, problem_of_heading, without_statement
from .recognition.reasons import with_reasons

_UNKNOWN = "it is not clear what these numbers are"
_OBJECTS = 100  # that marking allocates for each byte of an answer
_MARKS = frozenset("abdtpABDTP")  # of derivatives, before or after the names of rows
_DELTAS = ("d", "D", "δ", "Δ", "∂", "\\delta", "\\Delta")  # before the names of rows
_LOOSE = "a product after / or ^ is read as if in brackets: 1/2x as 1/(2x), e^2x as e^(2x)"
_CALLS = "calls of your own functions are read as their formulas, or as names of their rows"
_ADJOINTS = "names such as {} are read as adjoints"


class ReadAs(NamedTuple):
    """The possible readings of the part of an answer that is about a task: `answers`, the likeliest first.

    `problem` is the reason why the part cannot be read, None if it can be read; with a problem `answers` is empty."""

    answers: tuple[Answer, ...]
    problem: NotGradable | None = None


def assess(
    data: bytes, name: str, tasks: Sequence[Task], rules: Rules, decimal: str = "point", *, with_key: bool = True,
    most: int = BYTES,
) -> tuple[Marking, ...]:  # fmt: skip
    """Return the markings of an answer, one for each task, in the order of `tasks`.

    `data` and `name` are the answer's bytes and file name, `decimal` is `point` or `comma`, `most` the largest number
    of bytes that is read. Without `with_key` the marks lack the correct formulas and numbers.

    Of several readings the first that is right is marked, or else the one that earns most. What cannot be marked has
    the verdict not_gradable and the reason in `problem`."""
    try:
        check_size(data, most)
        with pause_gc(_OBJECTS * len(data)):
            return _assess_checked(data, name, tasks, rules, decimal, with_key)
    except NotGradable as error:
        return tuple(not_gradable(task, error, rules) for task in tasks)


def _assess_checked(
    data: bytes, name: str, tasks: Sequence[Task], rules: Rules, decimal: str, with_key: bool
) -> tuple[Marking, ...]:
    """Return the markings of an answer whose size has been checked, one for each task, in the order of `tasks`.

    `name` is the file name. `decimal`, `point` or `comma`, and `with_key`, which adds the correct formulas and numbers,
    count for rows of numbers and arrays, not for derivations. If a task has arrays, all are marked by
    `_assess_with_arrays`. A task that asks for formulas is marked as a derivation, not gradable if the answer has
    numbers that need a point; each other task as rows of numbers. Of a task without inputs, point and mode that is so
    neither right nor wrong, the derivative of a constant is marked instead, if the answer has one. What cannot be
    marked is not gradable. NotGradable is raised only if a task has arrays and the file cannot be read."""
    formulas: dict[int, Marking] = {}
    if any(task.arrays is not None for task in tasks):
        return _assess_with_arrays(data, name, tasks, rules, decimal, with_key)
    if any(task.asks_formulas for task in tasks):
        from .derivations.parts import assess_formulas  # few homeworks ask for formulas

        marked = assess_formulas(data, name, tasks, rules)
        formulas = {place: _check_for_missing_point(data, name, marking, rules) for place, marking in marked.items()}
        if len(formulas) == len(tasks):
            return tuple(formulas.values())
    read = _read_as_numbers(data, name, tasks, decimal)
    pairs = enumerate(zip(tasks, read, strict=True))
    markings = [formulas.get(place) or _mark_best_reading(task, each, rules, with_key) for place, (task, each) in pairs]
    for place, marking in enumerate(markings):
        task = tasks[place]
        if task.at or task.program.graph.inputs or task.mode or marking.verdict in ("right", "wrong"):
            continue
        from .derivations.parts import derivative_of_constant  # few problems are a number

        markings[place] = derivative_of_constant(data, name, tasks, place, rules) or marking
    return tuple(markings)


def _assess_with_arrays(
    data: bytes, name: str, tasks: Sequence[Task], rules: Rules, decimal: str, with_key: bool
) -> tuple[Marking, ...]:
    """Return the markings of an answer if some of the tasks have vectors or matrices, one for each task, in order.

    Of several tasks each gets its part of the answer: the lines under its heading, or the whole answer without one. A
    task with arrays is marked by block (`mark_arrays`), another task as the only task of its part. A whole answer (not
    in JSON) is then marked again without the paragraphs that are right only for other tasks: with lines that have a
    good mark (`GOOD`) for another task, not for this (`_strange_lines`); if that cannot be marked, the task is
    unanswered. A task that cannot be marked gets a not_gradable marking. `decimal` is `point` or `comma`; `with_key`
    adds the right numbers. Raises NotGradable if there are several tasks and the file cannot be read."""
    parts = _parts_by_heading(data, name, tasks)
    pairs = zip(tasks, parts, strict=True)
    markings = [_mark_part(task, part, name, rules, decimal, with_key) for task, part in pairs]
    good = [{mark.line for mark in marking.marks if mark.verdict in GOOD} for marking in markings]
    is_json = data.lstrip()[:1] in (b"{", b"[")  # where line numbers are not those of the file
    for place in (k for k, part in enumerate(parts) if part is data and len(tasks) > 1 and not is_json):
        others = set[int | None]().union(*good[:place], *good[place + 1 :])
        part = _without_paragraphs(lines_of(data, name, tasks), others - good[place], good[place] - others)
        if part is not None:
            marking = _mark_part(tasks[place], part, name, rules, decimal, with_key)
            is_empty = marking.verdict == "not_gradable"
            markings[place] = unanswered(tasks[place], rules) if is_empty else marking
    return tuple(markings)


def _mark_part(task: Task, part: bytes, name: str, rules: Rules, decimal: str, with_key: bool) -> Marking:
    """Return the marking of the part of an answer that is about `task`, which may have arrays.

    `part` is the bytes of the part, `name` the file name, `decimal` is `point` or `comma`; `with_key` adds the correct
    formulas and numbers. A part that cannot be marked gets the verdict not_gradable."""
    from .arrays.judge import mark_arrays

    if task.arrays is None:
        return _assess_checked(part, name, [task], rules, decimal, with_key)[0]
    try:
        return mark_arrays(task, part, name, rules, decimal, with_key)
    except NotGradable as error:
        return not_gradable(task, error, rules)


def _without_paragraphs(lines: Sequence[str], strange: Set[int | None], read_lines: Set[int | None]) -> bytes | None:
    """Return the bytes of an answer in which lines about other problems are blank; None if there are no such lines.

    `lines` are those of the answer, in paragraphs between blank lines. `strange` has the numbers, from 1, of lines that
    are right only for other problems, `read_lines` of those right only for this one (None in them is ignored).
    `_strange_lines` says which lines of each paragraph go."""
    kept = [*lines]
    ends = [k for k, line in enumerate([*lines, ""]) if not line.strip()]
    for start, end in zip([-1, *ends], ends, strict=False):
        for first, after in _strange_lines(lines, range(start + 1, end), strange, read_lines):
            kept[first:after] = [""] * (after - first)
    return None if kept == [*lines] else "\n".join(kept).encode()


def _strange_lines(
    lines: Sequence[str], places: Sequence[int], strange: Set[int | None], read_lines: Set[int | None]
) -> Iterator[tuple[int, int]]:
    """Yield (first, end) of runs of lines in a paragraph that are about other problems, as indices without the end.

    `places` are the indices of the paragraph's lines in `lines`, from 0. `strange` and `read_lines` have line numbers
    from 1: of lines that are right only for other problems, or only for this one.
    - A paragraph with lines of `strange` and none of `read_lines` is yielded as a whole.
    - With lines of both: each run of `strange` lines without a `read_lines` line between them, from the first to the
      last before the first that repeats a left side of the run. But nothing if a run of either kind has a single line
      of its kind, or if one of these lines has no `=`.
    - In other cases nothing."""
    known = [k for k in places if k + 1 in strange or k + 1 in read_lines]
    runs = [[*run] for _, run in groupby(known, lambda k: k + 1 in strange)]
    if len(runs) == 1 and known[0] + 1 in strange:
        yield places[0], places[-1] + 1
    if len(runs) < 2 or min(map(len, runs)) < 2 or not all("=" in lines[k] for k in known):
        return
    for run in runs[known[0] + 1 not in strange :: 2]:
        lefts = [lines[k].partition("=")[0].strip() for k in run]
        count = next((k for k, left in enumerate(lefts) if left in lefts[:k]), len(run))
        yield run[0], run[count - 1] + 1


def _reading_with_arrays(task: Task, data: bytes, name: str, decimal: str) -> ReadAs:
    """Return the reading of the part of an answer that is about one task, which may have vectors or matrices.

    `data` is that part. A task with arrays has one reading, or the NotGradable as `problem` if the part cannot be read.
    Another task has those of `readings`, in which errors are a `problem` too."""
    if task.arrays is None:
        return readings(data, name, [task], decimal)[0]
    from .arrays.array_claims import read_as_rows

    try:
        return ReadAs((read_as_rows(task, data, name, decimal),))
    except NotGradable as error:
        return ReadAs((), error)


def _parts_by_heading(data: bytes, name: str, tasks: Sequence[Task]) -> list[bytes]:
    """Return for each task its part of an answer, as bytes; the whole answer for a single task, or one without a part.

    In JSON it is the first part with a title that names the task (`problem_of_heading`), as JSON. If no title does, and
    in other answers, the part goes from a heading, or title of a sheet, that names the task, to the one that names the
    next task. It also has the rows of tables that name the task in their column of problems. Other lines of a part are
    blank, so that line numbers stay, but the header of such a table is above its rows. Lines before the first heading
    are in no part. A heading that names no task does not end a part. `name` is the file name. Raises NotGradable if
    there are several tasks and the file cannot be read."""
    if len(tasks) == 1:
        return [data]
    from ..answers.forms.json_answers import json_parts  # only for several problems

    titled = [(problem_of_heading(tasks, title), text.encode()) for title, text in reversed(json_parts(data))]
    parts = {place: text for place, text in titled if place is not None} or _parts_of_lines(data, name, tasks)
    return [parts.get(place, data) for place in range(len(tasks))]


def _parts_of_lines(data: bytes, name: str, tasks: Sequence[Task]) -> dict[int | None, bytes]:
    """Return {index of a task: its part} of an answer that is not JSON; None has lines before the first heading.

    A line belongs to the task that it names, as a heading or as a row of a table with a column of problems, else to
    that of the line before. Other lines of a part are empty, so that line numbers stay; but the empty line before the
    first row of such a table has the table's header. Parts without text are left out. `name` is the file name. The
    cells of a workbook are joined by ` | `. Raises NotGradable for data that is empty, too long or cannot be read."""
    from ..answers.arrays.tables_with_arrays import labelled_rows  # only for problems with arrays

    lines, titles = titled_lines(data, name, [task for task in tasks if task.arrays is None] or tasks)
    lines = [line.replace("  ", " | ") for line in lines] if data[:2] == b"PK" else lines  # cells of workbooks
    rows, owner = labelled_rows(lines), None
    parts: dict[int | None, list[str]] = {}
    for number, line in enumerate(lines):
        label, header = rows.get(number, (None, ""))
        place = problem_of_heading(tasks, label if header else _title_of(line) or titles.get(number))
        owner = owner if place is None else place
        part = parts.setdefault(owner, [""] * len(lines))
        part[number] = line
        if header and not part[number - 1]:
            part[number - 1] = header
    return {place: text.encode() for place, part in parts.items() if (text := "\n".join(part)).strip()}


def _title_of(line: str) -> str | None:
    """Return the label in a heading; None for another line.

    Of a heading of Markdown (`#`) only the text before the first colon counts."""
    return heading(line.partition(":")[0] if line.lstrip().startswith("#") else line)  # `# Problem 1: x^T x` of a form


def _check_for_missing_point(data: bytes, name: str, marking: Marking, rules: Rules) -> Marking:
    """Return `marking`, or a not gradable one if the answer has numbers that can only be compared at a point.

    That is so if all derivatives, or without any two values, end in numbers, not only whole ones (`missing_point`).
    `marking`, of the answer as formulas, is returned if it is right, or incomplete with something earned."""
    from .missing_point import missing_point

    is_clear = marking.verdict == "right" or (marking.verdict == "incomplete" and marking.earned)
    problem = None if is_clear else missing_point(data, name, marking.task)
    return marking if problem is None else not_gradable(marking.task, problem, rules, marking.answer)


def unanswered(task: Task, rules: Rules) -> Marking:
    """Return the marking of an empty answer, all missing, with key; raises NotGradable if formulas get too large."""
    if task.arrays is not None:
        from .arrays.judge import mark_arrays

        return mark_arrays(task, None, "", rules, "point", with_key=True)
    if task.asks_formulas:
        from .derivations.verdicts import FormulaMarker  # few homeworks ask for formulas

        return FormulaMarker(task, (), rules).sum_marks()
    return _mark_section(task, Answer("text", (), ()), rules, with_key=True)


def readings(
    data: bytes, name: str, tasks: Sequence[Task], decimal: str = "point", *, most: int = BYTES
) -> list[ReadAs]:
    """Return the possible readings of an answer, one ReadAs for each task, in the order of `tasks`.

    `data` and `name` are the answer's bytes and file name, `decimal` is `point` or `comma`. If a task has arrays, each
    task's reading is that of its own part of the answer, by headings. If not, one that asks for formulas has the
    reading as a derivation, the others those as rows of numbers. If the answer has more than `most` bytes, cannot be
    read, or asks for formulas that are too large, each ReadAs has no answers and a `problem`."""
    try:
        check_size(data, most)
        if any(task.arrays is not None for task in tasks):
            parts = zip(tasks, _parts_by_heading(data, name, tasks), strict=True)
            return [_reading_with_arrays(task, part, name, decimal) for task, part in parts]
        formulas: dict[int, ReadAs] = {}
        if any(task.asks_formulas for task in tasks):
            from .derivations.parts import read_as  # few homeworks ask for formulas

            formulas = {place: _as_reading(read) for place, read in read_as(data, name, tasks).items()}
    except NotGradable as error:
        return [ReadAs((), error) for _ in tasks]
    numbers = _read_as_numbers(data, name, tasks, decimal) if len(formulas) < len(tasks) else []
    return [formulas[place] if place in formulas else numbers[place] for place in range(len(tasks))]


def _read_as_numbers(data: bytes, name: str, tasks: Sequence[Task], decimal: str) -> list[ReadAs]:
    """Return the readings of an answer as rows of numbers, one ReadAs for each task, in the order of `tasks`.

    `name` is the file name, `decimal` is `point` or `comma`. A single task gets all rows or, if there are none, the
    bare numbers. Each of several tasks gets its section (`match_blocks`: by arithmetic, numbers, names and headings).
    Without one it has an empty answer if every block of rows belongs to another task, else a `problem`. If the answer
    cannot be read, or has no rows for several tasks, each task has that error as its `problem`."""
    names = names_of(tasks)
    try:
        script = split_answer(data, name, names, decimal)
    except NoRows as error:
        return [_bare(data, name, tasks[0], decimal, error)] if len(tasks) == 1 else [ReadAs((), error) for _ in tasks]
    except NotGradable as error:
        return [ReadAs((), error) for _ in tasks]
    if len(tasks) == 1:
        return [_readings(script, None, tasks[0], ())]
    blocks = match_blocks(tasks, script, names)
    nowhere = any(part.rows is not None for part in blocks.parts) and not blocks.strange
    nothing = ReadAs((Answer(script.form, (), ()),)) if nowhere else ReadAs((), _no_match(blocks.strange))
    pairs = zip(tasks, blocks.parts, strict=True)
    return [nothing if part.rows is None else _readings(script, part.rows, task, part.notes) for task, part in pairs]


def _bare(data: bytes, name: str, task: Task, decimal: str, error: NotGradable) -> ReadAs:
    """Return the reading of an answer without rows as bare numbers, matched with the quantities of the task.

    `name` is the file name, `decimal` is `point` or `comma`. Without such a reading `answers` is empty, and `problem`
    is why the numbers are not clear, a NotGradable, or `error` if there are none, too many, or words next to them."""
    from .recognition.bare_numbers import with_quantities  # few answers have no names

    return _as_reading(with_quantities(lines_of(data, name, [task]), task, decimal) or error)


def _as_reading(read: Answer | NotGradable) -> ReadAs:
    """Return the only reading of a part of an answer, or the error that says why it cannot be read, as a ReadAs."""
    return ReadAs((), read) if isinstance(read, NotGradable) else ReadAs((read,))


def _readings(script: Script, rows: RawSection | None, task: Task, notes: tuple[str, ...]) -> ReadAs:
    """Return the possible readings of `rows` (None: of the whole answer) as a ReadAs, the likeliest first.

    Lines that repeat the problem and other homework are left out; rows without a name are given one before, if
    possible. First come the readings with `dv1` as a tangent, for every way to take `+=` sums and gradients, with
    `notes`. If the first of these may have adjoints (`_notes_on_adjoints`), or a heading marks rows as derivatives, the
    same with `dv1` as an adjoint follow; in reverse mode they come first. Last come, if they differ: a reading that
    ignores titles above rows, one without rows that are only guessed, one with brackets around loose products (1/2x),
    own functions replaced, formulas in brackets first, or other commas, and `_readings_with_other_names`."""
    section = script.together() if rows is None else rows
    part = _prepare_section(script, section, task)
    answers: list[Answer] = []
    for kind in (DOT, BAR):
        names = names_of([task], kind)
        for each, sum_notes in _with_sums(part):
            for whole, order_notes in _with_gradients(each, script, names.wrt, task):
                answer = without_statement(script.read(whole, names), task)
                kind_notes = _notes_on_adjoints(answers[0], task) if kind == BAR else ()
                all_notes = (*answer.notes, *notes, *kind_notes, *order_notes, *sum_notes)
                answers.append(answer._replace(notes=all_notes))
        either = any(row.hint is not None and row.hint.kind == DERIVATIVE for row in part.rows)
        if kind == DOT and not either and not _notes_on_adjoints(answers[0], task):
            break
    else:
        half = len(answers) // 2
        answers = [*answers[half:], *answers[:half]] if task.mode == "reverse" else answers
    others = (_without_titles(part), ()), (_without_guesses(part), ()), (_with_loose_products(part), (_LOOSE,))
    first = with_formulas_first(script, part, task, answers[0])
    calls = _with_calls_replaced(script, section, task)
    for other, other_notes in (*others, (calls, (_CALLS,)), (first, ()), *with_other_commas(part)):
        if other is not None:
            answer = without_statement(script.read(other, names_of([task])), task)
            answers.append(answer._replace(notes=join_notes(answer.notes, other_notes)))
    return ReadAs((*answers, *_readings_with_other_names(script, part, task, answers[0])))


def _readings_with_other_names(script: Script, part: RawSection, task: Task, first: Answer) -> list[Answer]:
    """Return the readings of an answer in which names have another meaning, at most two; [] if no name has another.

    One reads zb and wb as adjoints of z and w, not as products, although b is an input, if two names on the left begin
    or end with b. The other reads E/RT as E/(R·T), if a denominator begins with such a run of names. Both get the notes
    of `first`, the first reading."""
    others = [names_of([task], factors=False)] if _has_marks_like_inputs(script, part, task) else []
    below = (text.lstrip() for row in part.rows for piece in row.pieces for text in piece.text.split("/")[1:])
    names = names_of([task], denominators=True)
    if any(len(symbol.parts) > 2 for text in below if text[:2].isalpha() and (symbol := names.at(text, 0))):
        others.append(names)
    return [without_statement(script.read(part, each), task)._replace(notes=first.notes) for each in others]


def _has_marks_like_inputs(script: Script, part: RawSection, task: Task) -> bool:
    """Return whether two or more left sides begin or end with an input's name that is a mark of derivatives: zb, wb.

    One input, such as b, must be in both."""
    letters = _MARKS.intersection(task.program.graph.inputs.values())
    lefts = [left.written for row in part.rows if (left := script.lefts[row.left.text]) and len(left.written or "") > 1]
    return any(sum(name is not None and mark in (name[0], name[-1]) for name in lefts) > 1 for mark in letters)


def _prepare_section(script: Script, part: RawSection, task: Task) -> RawSection:
    """Return the section without other homework, with false reasons in their rows and names for rows without one."""
    part = with_reasons(part, script, task)
    if any(row.left.text and script.lefts[row.left.text] is None for row in part.rows):
        from .recognition.unnamed import with_names  # few answers have rows without a name

        part = with_names(part, script, names_of([task]), task)
    return without_other_homework(part, names_of([task]), has_mode=task.mode is not None)


def _with_calls_replaced(script: Script, section: RawSection, task: Task) -> RawSection | None:
    """Return the prepared section with calls of own functions read as formulas or names; None if no left side ends with
    `)`, or no call is replaced."""
    if not any(row.left.text.endswith(")") for row in section.rows):
        return None
    from ..answers.formula_reading.own_functions import with_calls_replaced  # few answers have functions

    replaced = with_calls_replaced(section, script.lefts, task)
    return None if replaced is None else _prepare_section(script, replaced, task)


def _without_titles(part: RawSection) -> RawSection | None:
    """Return a copy of the section in which titles above rows mean nothing; None if no row has a title."""
    rows = [row._replace(hint=None) if row.hint is not None and row.hint.titled else row for row in part.rows]
    return None if rows == part.rows else part.with_rows(rows)


def _without_guesses(part: RawSection) -> RawSection | None:
    """Return a copy of the section without rows that are only guessed to be rows; None if no row is guessed.

    These are added to its `left_out`, with the reason that their column is unknown."""
    guesses = [row for row in part.rows if row.hint is not None and row.hint.guess]
    if not guesses:
        return None
    omitted = (LeftOut(row.place or row.left.span, _UNKNOWN) for row in guesses)
    return part.with_rows([row for row in part.rows if row not in guesses], omitted)


def _with_loose_products(part: RawSection) -> RawSection | None:
    """Return a copy of the section with brackets around products after `/` and in exponents of pieces: 1/(2x) for 1/2x,
    e^(2x); None if no text is changed by this."""
    if not any(sign in piece.text for row in part.rows for piece in row.pieces for sign in "/^"):
        return None
    from ..answers.formula_reading.plain_formulas import other_readings  # many answers have no such signs

    return None if (loose := part.with_texts(lambda text: other_readings(text)[-1])).rows == part.rows else loose


def _with_gradients(
    part: RawSection, script: Script, inputs: tuple[str, ...], task: Task
) -> Iterator[tuple[RawSection, tuple[str, ...]]]:
    """Yield (the section with components of gradients in an order of the inputs, a note on it) for each possible order.

    The orders are that which the gradient states (`stated_order`), or else `inputs`, and, unless the task states these,
    that of its point and the alphabetical one, each once with a note. The section itself, with (), is yielded once if
    `inputs` and the point lack an input that is not data, if `inputs` is the only order, or if ∇f has no component."""
    names = tuple(name for name in task.program.graph.inputs.values() if name not in task.data)
    point = tuple(name for name in task.at if name in names)
    if set(inputs) != set(names) or set(point) != set(names):
        yield part, ()
        return
    stated = stated_order(part.rows, script.lefts, names) or task.wrt
    orders = dict.fromkeys((stated,) if stated else (inputs, point, tuple(sorted(names))))
    for order in orders:
        rows = in_order_of(part.rows, inputs, order) if [*orders] != [inputs] else None
        if rows is None:
            yield part, ()
            return
        yield part.with_rows(rows), (f"the gradient is read in the order {', '.join(order)}",)


def _with_sums(part: RawSection) -> Iterator[tuple[RawSection, tuple[str, ...]]]:
    """Yield (the section with running totals instead of the numbers that `+=` rows add, notes on how it is read).

    First only numbers alone on the right are taken as added, those after formulas as the sum, without a note; the
    section itself if no row changes. A second one, with a note, adds numbers after formulas, if it differs."""
    rows = with_running_totals(part.rows, after_formulas=False)
    others = with_running_totals(part.rows, after_formulas=True)
    yield part if rows is None else part.with_rows(rows), ()
    if others is not None and others != rows:
        yield part.with_rows(others), ("the numbers after += are read as contributions",)


def _notes_on_adjoints(answer: Answer, task: Task) -> tuple[str, ...]:
    """Return a note with the first tangent of an answer that may be meant as an adjoint: spelled with a d, as dv1.

    In reverse mode it may also be spelled with a prime, as v1'. () without such tangents, in the modes value, forward
    and both, and if the answer has an adjoint of one of the same rows."""
    names = {k: {each.quantity.name for each in answer.entries if each.quantity.kind == k} for k in (DOT, BAR)}
    texts = [entry.span.text.strip() for entry in answer.entries if entry.quantity.kind == DOT]
    spelled = [text for text in texts if text.startswith(_DELTAS) or (text.endswith("'") and task.mode == "reverse")]
    may_be = task.mode in ("reverse", None) and names[DOT].isdisjoint(names[BAR])
    return (_ADJOINTS.format(spelled[0]),) if spelled and may_be else ()


def _mark_best_reading(task: Task, read: ReadAs, rules: Rules, with_key: bool) -> Marking:
    """Return the marking of the first reading that is right; if none is, of the one that `_rank_marking` ranks highest.

    If no reading is right, variants of each are marked too, mostly with one of these changes (not in this order):
    - numbers written for names of rows, also with primes as local derivatives, or for constants; units left out;
    - data as numbers, if a formula is wrong, also without labels (`without_labels`);
    - a result separated from an input of the same name (not if that turns a carried row into an error), a step f
      separated from the result, Greek letters as inputs, helpers as adjoints, slopes under other names left out;
    - primes as local derivatives; at a kink other slopes.

    Of equals the earliest is taken: readings, then all variants of the first one, and so on. From a wrong one remarks
    may be left out (`_mark_without_remarks`). A `problem` of `read` gives a not gradable marking."""
    if read.problem is not None:
        return not_gradable(task, read.problem, rules)
    markings: list[Marking] = []
    task = task._replace(kink_weight=kink_weights(task)[0])
    for answer in read.answers:
        markings.append(_mark_section(task, answer, rules, with_key))
        if markings[-1].verdict == "right":
            return markings[-1]
    from ..answers.formula_reading.problem_constants import with_constants
    from ..answers.primes import with_local_primes  # wrong answers alone are read again
    from .programs.substitutions import name_numbers, without_labels, without_plain_note
    from .recognition.other_meanings import READINGS, goes_on_from, with_adjoints_named, with_result_renamed

    for answer, first in zip(read.answers, tuple(markings), strict=True):
        renamed = with_result_renamed(answer, task)
        other = None if renamed is None else _mark_section(task, renamed, rules, with_key)
        if other is not None and not goes_on_from(first, other):
            markings.append(other)
        named, unlabelled = name_numbers(answer, task), without_labels(answer, task)
        rereadings = [read_again(answer, task) for read_again in (with_constants, with_local_primes, *READINGS)]
        rereadings += [unlabelled, named, named and with_local_primes(named, task)]
        markings += [_mark_section(task, again, rules, with_key) for again in rereadings if again is not None]
        right = {first.marks[k].line for each in first.quantities if each.verdict == "correct" for k in each.rows}
        markings += [_mark_section(task, again, rules, with_key) for again in with_adjoints_named(answer, task, right)]
        if task.data and any(mark.formula == "wrong" for mark in first.marks):
            fixed = task._replace(fixed=task.data)  # data have the values of the point in every comparison of formulas
            again = [answer, *filter(None, [unlabelled])]
            markings += [_mark_section(fixed, each, rules, with_key)._replace(task=task) for each in again]
        for weight in other_kink_weights(task, answer):
            noted = answer._replace(notes=(*answer.notes, note_of(task, weight)))
            markings.append(_mark_section(task._replace(kink_weight=weight), noted, rules, with_key))
    return without_plain_note(_mark_without_remarks(max(markings, key=_rank_marking), rules, with_key))


def _mark_without_remarks(marking: Marking, rules: Rules, with_key: bool) -> Marking:
    """Return the marking of the same answer without its remarks (`without_remarks`) if that is better; else `marking`.

    It is better if `marking` is wrong, fewer rows are then crossed or missing, and no points are lost."""
    if marking.verdict != "wrong":
        return marking
    from .recognition.remarks import without_remarks  # only wrong answers have remarks that matter

    if (certain := without_remarks(marking)) is None:
        return marking
    again = _mark_section(marking.task, certain, rules, with_key)
    fewer = _rank_marking(again)[3] > _rank_marking(marking)[3]
    return again if fewer and again.earned >= marking.earned else marking


def _rank_marking(marking: Marking) -> tuple[bool, bool, Fraction, int, int]:
    """Return the sort key of a marking, larger is better.

    It is (is right, is founded, points, -crossed or missing rows, -useless rows). A marking is not founded if rows are
    carried but none is crossed. Points are those earned. Missing rows have no right formula. Useless are marks that are
    extra, missing or unreadable, and parts that the answer left out."""
    missing = sum(mark.verdict == "missing" and mark.formula != "right" for mark in marking.marks)
    nothing = sum(mark.verdict in ("extra", "missing", "unreadable") for mark in marking.marks)
    nothing += len(marking.answer.left_out) if marking.answer is not None else 0
    is_founded = marking.crosses > 0 or all(mark.verdict != "carried" for mark in marking.marks)
    return marking.verdict == "right", is_founded, marking.earned, -marking.crosses - missing, -nothing


def _mark_section(task: Task, answer: Answer, rules: Rules, with_key: bool) -> Marking:
    """Return the marking of one reading of the task's part of an answer; not gradable if `mark` raises NotGradable."""
    try:
        return mark(task, answer, rules, with_key=with_key)
    except NotGradable as error:
        return not_gradable(task, error, rules, answer)


def _no_match(lines: Sequence[tuple[int, int]]) -> NotGradable:
    """Return the error that no part of an answer matches a problem; its label lists the first five of `lines`.

    `lines` are (first, last) numbers of unmatched parts; the label is empty if there are none."""
    where = ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in lines[:5])
    return NotGradable(
        "no part of this answer was recognised as being about this problem",
        label=f"the text on lines {where} fits none of the problems" if lines else "",
        help="write the label of its problem above each part",
    )


def not_gradable(task: Task, error: AdcliError, rules: Rules, answer: Answer | None = None) -> Marking:
    """Return a marking with the verdict not_gradable, `error` as its `problem`, no marks and 0 of the task's points."""
    if task.asks_formulas and task.arrays is None:
        from .derivations.parts import not_gradable_formulas  # few homeworks ask for formulas

        return not_gradable_formulas(task, answer, rules, error)
    most = possible(task, rules) if task.arrays is None else unanswered(task, rules).possible
    return Marking(task, answer, "not_gradable", (), None, Fraction(0), Fraction(0), most, error)


def weights_by_name(task: Task, weights: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return weights of single quantities of a task by their names in marks.

    The names in `weights` may be as typed: `v2bar`, `dy/dx1`; of two for one quantity the last counts. Raises
    RequestError if a name is not a quantity of the task."""
    if task.asks_formulas:
        from .derivations.requested import named_weights  # few homeworks ask for formulas

        return named_weights(task, weights)
    return weights_of(task, weights)
