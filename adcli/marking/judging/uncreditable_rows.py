"""Uncreditable rows: those that earn nothing although their number is right or follows, such as copies and guesses. A
place is the index of a row; marks are given by place. A row is crossed if it is an error or its formula is wrong,
carried if it is wrong only since an earlier one is, superseded if a later one of its quantity replaces it, extra if it
repeats one or cannot be read. The order in which rows are judged is here, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import pairwise, product

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE, Entry, Numeral, Quantity, RowPiece
from ...answers.formulas import UNIT
from ...answers.shown_numbers import are_unequal, differ, states_constant
from ...graph.graph import Graph
from ...graph.tape import vjp
from ...records import grouped
from ...trace.labels import node_names
from ..model import CROSSED, GOOD, Mark, row_name
from ..programs.contributions import RowCase
from ..programs.resolving import PARTIAL, Resolved, used_directly
from ..programs.value_rows import RESULTS, is_repeated, shown_number, stem_and_number
from ..programs.worksheet import Worksheet
from .evidence import Evidence
from .hint_texts import FALSE_EQUATION, SENTENCES, set_aside, write_feedback
from .student_numbers import OwnNumber, meet_any
from .written_names import span_to_underline

Judged = Mapping[int, Mark]  # the marks of rows so far, by place

_WRONG = ("error", "carried")
_NO_MEANING = "nothing in the problem is called {}"
_FALSE_SLOPE = "{}: this is not the derivative of the function"
_UNKNOWN_STEP = "{}: not counted; no step of the problem has this number, and no formula says what it is"
_BOTH_WAYS = 2  # the support of a row that fits in with those before and after it
_MOST_PAIRS = 20_000  # pairs of numbers that are tried; with more it is not known whether a row fits in
_SEPARATE = str.maketrans("+-−*·×/^()[],;=", " " * 15)
_POINTS, _EQUAL = (0.3, 0.7, 1.3), 1e-6  # where derivatives are compared, and the error allowed, relative above 1
_USUAL = ("0", "1")  # numbers that many rows have


def find_copies(entries: Sequence[Entry], judged: Judged) -> set[int]:
    """Return the places of rows without a formula whose number is that of another, wrong row (error or carried).

    The other row may be of any quantity, above or below, and may have a formula. Of several wrong rows with the same
    number all are copies. The texts of the last pieces are compared, without signs before them. A row with the verdict
    `correct` and the number 0 or 1 is not a copy if more than twice as many correct rows have this number without a
    formula as wrong rows have it. `judged` has the marks by place.
    """
    wrong = [place for place, mark in judged.items() if mark.verdict in _WRONG]
    known = Counter(_last_text(entries[place]) for place in wrong)
    alone = {place: _alone(entries[place]) for place in judged}
    right = Counter(text for place, text in alone.items() if judged[place].verdict == "correct")
    common = {text for text in _USUAL if 2 * known[text] < right[text]}  # a right one of these is not a copy
    copies = {place: text for place, text in alone.items() if text and known[text] > (judged[place].verdict in _WRONG)}
    return {place for place, text in copies.items() if text not in common or judged[place].verdict != "correct"}


def find_repeats(entries: Sequence[Entry], judged: Judged, evidence: Evidence) -> set[int]:
    """Return the places of the rows that add nothing to an earlier row of the same quantity.

    Such a row has the number of one of the last 8 rows of its quantity, repeats among them, up to the rounding of
    either (`differ`). If it shows working, that earlier row must show working too. A row without a number or meaning
    adds nothing if it is a single symbol that gives the quantity of another row, above or below, a second name
    (`find_renamed_rows`). An adjoint is not a repeat if it is judged an error, or if it is judged `precision` and one
    of these earlier rows has exactly the same number: that was right as a partial sum only. `judged` has the marks by
    place.
    """
    repeats: set[int] = set()
    before: dict[Resolved, list[tuple[Numeral, bool]]] = {}
    for place, (entry, quantity) in enumerate(zip(entries, evidence.quantities, strict=True)):
        number = shown_number(entry)
        if number is None or quantity is None:
            repeats |= {place} if evidence.find_renamed_rows(place) else set()
            continue
        worked, known = evidence.working(place)[0], before.setdefault(quantity, [])
        same = [old for old, shows in known[-MOST_REPEATED:] if not differ(old, number) and (shows or not worked)]
        verdict = judged[place].verdict if quantity.kind == BAR else ""
        if same and verdict != "error" and not (verdict == "precision" and number in same):
            repeats.add(place)
        known.append((number, worked))
    return repeats


def mark_echoes(entries: Sequence[Entry], judged: Judged, evidence: Evidence) -> dict[int, Mark]:
    """Return new marks, by place, for errors that only follow from an earlier wrong row of the same quantity.

    The row is an error and has a number and no formula with names; the last 8 wrong rows of the quantity are tried,
    which are crossed or carried. If the row is only the number of one of them, up to rounding, it is extra, and its
    feedback says which line it repeats. If a crossed one has neither a number nor arithmetic, and one of its formulas
    gives the number of the row, up to its rounding, if the symbols have the student's numbers, it is carried, with new
    feedback. Both earn nothing and have no slips. `judged` has the present marks by place; earlier means by its order.
    """
    wrong: dict[Resolved | None, list[int]] = {}
    marks: dict[int, Mark] = {}
    for place, mark in judged.items():
        quantity = evidence.quantities[place]
        if quantity is None or (mark.verdict not in CROSSED and mark.verdict != "carried"):
            continue
        earlier = wrong.setdefault(quantity, [])
        name, last = mark.feedback.partition(":")[0], earlier[-MOST_REPEATED:] if mark.verdict == "error" else []
        if repeated := [entries[k].line for k in last if is_repeated(entries[k], entries[place])]:
            marks[place] = set_aside(mark, "extra", SENTENCES["repeated"].format(name, repeated[-1]))
        elif any(_echoes(place, k, entries, evidence) for k in last if judged[k].verdict in CROSSED):
            feedback, nothing = write_feedback(name, "carried", "absent", {}, None), Fraction(0)
            marks[place] = mark._replace(verdict="carried", slips=(), feedback=feedback, earned=nothing, alone=nothing)
        else:
            earlier.append(place)
    return marks


def mark_split_rows(judged: Judged, evidence: Evidence, symbols: Sequence[str], half: Fraction) -> dict[int, Mark]:
    """Return new marks, by place, for a wrong formula and the right number of its quantity in the next row.

    In `f'(x) = 3x^2` and `f'(2) = 7` the first row has a formula and no number, the second numbers alone. Its number is
    right, and the first is an error, or is the only formula of a derivative and without the value of the number: in a
    task without a mode it is no part of a sum. The first then gets the verdict formula with the second's symbol in
    `symbols`, and both earn at most `half`. `judged` has the present marks by place.
    """
    marks: dict[int, Mark] = {}
    for place, (entry, following) in enumerate(pairwise(evidence.entries)):
        quantity, old, new = evidence.quantities[place], judged.get(place), judged.get(place + 1)
        is_pair = quantity is not None and quantity == evidence.quantities[place + 1] and not entry.adds
        is_pair &= shown_number(entry) is None and any(entry.symbols) and not any(following.symbols)
        if not is_pair or old is None or new is None or new.number != "right" or new.verdict not in GOOD:
            continue
        if old.verdict == "error" or (old.verdict in GOOD and _is_other_value(place, evidence)):
            feedback = write_feedback(symbols[place + 1] or new.row, "formula", "wrong", {}, None)
            span = span_to_underline(entry, "wrong", "right")
            old = old._replace(verdict="formula", span=span, slips=(), formula="wrong", feedback=feedback)
            marks |= {place: old._replace(earned=half, alone=half)}
            marks |= {place + 1: new._replace(earned=min(new.earned, half), alone=min(new.alone, half))}
    return marks


def _is_other_value(place: int, evidence: Evidence) -> bool:
    """Return whether the formula of a derivative at `place`, the only one of its quantity, has another value than the
    row behind it; False if a value is unknown."""
    (entry, following), quantity = evidence.entries[place : place + 2], evidence.quantities[place]
    rows = zip(evidence.entries, evidence.quantities, strict=True)
    is_only = sum(any(row.symbols) for row, each in rows if each == quantity) == 1
    if not is_only or entry.quantity.kind != DERIVATIVE:
        return False
    values, numbers = (
        [value for value in evidence.meanings(row.pieces[-1], quantity) if value.known] for row in (entry, following)
    )
    return bool(values and numbers) and not any(one.meets(other) for one, other in product(values, numbers))


def _echoes(place: int, earlier: int, entries: Sequence[Entry], evidence: Evidence) -> bool:
    """Return whether the row at `place` has a number and no names, and only repeats the crossed row at `earlier`, which
    has no number: the number of its formula."""
    number, old, pieces = shown_number(entries[place]), shown_number(entries[earlier]), entries[place].pieces
    if number is None or old is not None or any(piece.quantities for piece in pieces):
        return False
    case = evidence.case(earlier)
    return case.number is None and evidence.is_explained(case._replace(shown=evidence.case(place).shown))


def find_guesses(entries: Sequence[Entry], judged: Judged) -> set[int]:
    """Return the places of rows judged `precision` whose number an error of the answer also has: 1e1 for 0.7.

    Numbers are compared as texts without sign. Rows with a formula are neither guesses nor compared.
    """
    wrong = {_alone(entries[place]) for place, mark in judged.items() if mark.verdict == "error"} - {""}
    return {place for place, mark in judged.items() if mark.verdict == "precision" and _alone(entries[place]) in wrong}


def find_unrelated(entries: Sequence[Entry], judged: Judged, evidence: Evidence, *, numbers: bool) -> set[int]:
    """Return the places of wrong values that have nothing to do with the problem, such as a step of Newton's method.

    Such a row is a value with the verdict error and no slips, its name is not one of the problem's (nor v1, v2, …), no
    row uses it, and no other row contains its number, as text. And one of these must hold:
    - it has several pieces, all of numbers only, and they are equal;
    - with `numbers` (the task has no mode): it is a number alone, its name is not usual for a result, some row of an
      output has a right number, and its name is in no series with names of other values.

    With `numbers`, two of these conditions do not hold for a row below the first right number of an output: it may have
    slips, and a number alone may have a name in a series. `judged` has the marks by place.
    """
    graph = evidence.alignment.problem.graph
    named = {*graph.aliases.values(), *graph.inputs.values(), *dict(graph.outputs), *node_names(graph)}
    named |= {quantity.name for entry in entries for quantity in entry.symbols}
    words = [" ".join(map(text_of, entry.pieces)).translate(_SEPARATE).split() for entry in entries]
    finals = [place for place, mark in judged.items() if mark.kind == "final" and mark.number == "right"]
    first = min(finals, default=len(entries)) if numbers else len(entries)
    errors = ((place, mark) for place, mark in judged.items() if mark.verdict == "error")
    places = [place for place, mark in errors if not mark.slips or place > first]
    places = [k for k in places if entries[k].quantity.kind == VALUE and entries[k].quantity.name not in named]
    counts = Counter(word for row in words for word in {*row})
    places = [k for k in places if counts[_last_text(entries[k])] == (_last_text(entries[k]) in words[k])]
    lone = _lone_numbers(places, entries, first) if finals and numbers else set()
    return lone | {place for place in places if _is_arithmetic(entries[place]) and evidence.holds(place, ())}


def _lone_numbers(places: Sequence[int], entries: Sequence[Entry], final: int) -> set[int]:
    """Return those of `places` whose rows are only a number, under a name that is not usual for a result (RESULTS).

    They must also be after the row `final`, or have a name in no series with names of other values: v1 and v2 are one,
    and all single letters are.
    """
    names = {entry.quantity.name for entry in entries if entry.quantity.kind == VALUE}.difference(RESULTS)
    stems = Counter(stem_and_number(name)[0] for name in names)
    only = ((k, entries[k]) for k in places if len(entries[k].pieces) == 1 and entries[k].pieces[0].number is not None)
    lone = {k: entry.quantity.name for k, entry in only if entry.quantity.name in names}
    return {k for k, name in lone.items() if k > final or stems[stem_and_number(name)[0]] == 1}


def mark_correct(judged: Judged) -> dict[int, Mark]:
    """Return the marks, by place, of the rows with the verdict `does_not_follow`, changed to correct."""
    rows = [(place, mark) for place, mark in judged.items() if mark.verdict == "does_not_follow"]
    return {place: mark._replace(verdict="correct", feedback="") for place, mark in rows}


def is_unfinished(place: int, formula: str, evidence: Evidence) -> bool:
    """Return whether a row whose `formula` is right ends in an equals sign, no row has its number, and no row below has
    any."""
    quantity, entry = evidence.quantities[place], evidence.entries[place]
    if formula != "right" or quantity is None or not entry.is_unfinished or evidence.has_number(quantity):
        return False
    return not any(map(shown_number, evidence.entries[place:]))


def mark_without_meaning(place: int, evidence: Evidence, is_unknown_step: bool) -> Mark:
    """Return the mark of the row at `place`, which means nothing in the problem; it earns nothing.

    If its equations hold and it is no false derivative of another row (`_is_false_slope`), its verdict is extra and its
    number absent; else the verdict is error and the number wrong, and the feedback says why. Its name is the student's,
    with a bar or dot for an adjoint or tangent; its kind is dot or bar, or else value. `is_unknown_step`: the row is in
    `find_unknown_steps`; then the feedback of an extra row says that its number is not that of any step, else that
    nothing in the problem has this name, unless the row gives it to a derivative (`_gives_name`).
    """
    entry = evidence.entries[place]
    message = "" if evidence.holds(place, ()) else FALSE_EQUATION
    message = _FALSE_SLOPE if _is_false_slope(entry, evidence.entries) else message
    verdict, number = ("error", "wrong") if message else ("extra", "absent")
    message = message or (_UNKNOWN_STEP if is_unknown_step else "" if _gives_name(entry) else _NO_MEANING)
    kind, name, key = entry.quantity
    row, kind = row_name(kind, name, key, False), kind if kind in (DOT, BAR) else VALUE
    return Mark(row, kind, verdict, entry.span, number=number, feedback=message.format(entry.span.text))


def is_of_inputs(case: RowCase, sheet: Worksheet) -> bool:
    """Return whether a row gives a derivative in formulas of the inputs alone, such as f'(x) = 2x cos(x^2).

    True for a tangent or adjoint if its formulas have symbols, all values of inputs."""
    used = [leaf for _, meaning in case.formulas for leaf in meaning.values()]
    are_inputs = all(leaf.kind == VALUE and leaf.slot in sheet.inputs.values() for leaf in used)
    return case.quantity.kind in (DOT, BAR) and bool(used) and are_inputs


def _gives_name(entry: Entry) -> bool:
    """Return whether a row only gives a derivative another name: `e = dL/dz`."""
    symbols = [each.kind for piece in entry.pieces for each in piece.quantities.values()]
    return symbols == [DERIVATIVE] and all(len(piece.graph or ()) < 2 for piece in entry.pieces)


def _is_false_slope(entry: Entry, entries: Sequence[Entry]) -> bool:
    """Return whether a row gives a false derivative of a helper function: `h' = -cos(u)` next to `h = sin(u)`.

    The function is a value of the same name; its first formula with one name counts. It is compared at three points
    with the formulas of `entry` in this name alone; a point at which a number is not finite is skipped. False for
    adjoints, and if `entry` is a derivative with respect to another name.
    """
    kind, name, key = entry.quantity
    rows = (piece for each in entries if each.quantity == Quantity(VALUE, name) for piece in each.pieces)
    function = next((piece for piece in rows if len({*piece.quantities.values()}) == 1), None)
    if function is None or function.graph is None or kind not in (DOT, DERIVATIVE):
        return False
    argument = next(iter(function.quantities.values()))
    pieces = entry.pieces if key in (None, argument.name) else ()
    formulas = [piece.graph for piece in pieces if piece.graph and {*piece.quantities.values()} == {argument}]
    pairs = ((_at(formula, x)[0], _at(function.graph, x)[1]) for x, formula in product(_POINTS, formulas))
    return any(abs(value - slope) > _EQUAL * max(1, abs(slope)) for value, slope in pairs)  # not for nan


def _at(graph: Graph, x: float) -> tuple[float, float]:
    """Return the value and the derivative of a graph all of whose inputs are `x`."""
    values, slopes = vjp(graph, dict.fromkeys(graph.inputs, x), {graph.outputs[0][1]: 1.0})
    return values[graph.outputs[0][1]], sum(slopes[slot] for slot in graph.inputs)


def has_equal_sides(place: int, case: RowCase, formula: str, evidence: Evidence) -> bool:
    """Return whether the pieces of the row at `place` are equal, each to the next (`Evidence.holds`).

    Two numbers next to each other must not be `are_unequal`. Numbers alone must each be true, or follow by the row's
    rule: 12.4 = 12 is false for 12. `formula` says if those of the row are "right"; then a formula may have the value
    by the rule, too.
    """
    pieces = evidence.entries[place].pieces
    worked = any(piece.graph is not None for piece in pieces)
    programs = evidence.programs if formula == "right" or not worked else []
    rules = [evidence.by_rule(case, program) for program in programs]
    if worked:
        pairs = pairwise(piece.number for piece in pieces)
        are_false = any(one and other and are_unequal(one, other) for one, other in pairs)
        return not are_false and evidence.holds(place, [rule.spread for rule in rules])
    rules.append(OwnNumber(case.truths[0], affected=False))
    return all(meet_any(rules, evidence.meanings(piece, None)) for piece in pieces if piece.number is not None)


def find_unknown_steps(entries: Sequence[Entry], evidence: Evidence) -> set[int]:
    """Return the places of value rows without a meaning, and without derivatives, that may be wrong steps.

    Such a row does not fit as a step of another way to the results (`Candidates.support` below 2). This is taken to be
    so without a test if names tested times rows squared are more than 20,000. And one of these must hold:
    - its name is of the series of a row that is a step (v4 of v3; all single letters are one series);
    - its name is usual for a result;
    - some value row is a step, and the row is before the last value row with a meaning (so h = 0.001 after all values
      is not one).

    A step is a row with a meaning other than an input. Empty if higher derivatives are requested, since a row f is then
    the function, not a step.
    """
    has_derivatives = any("/" in name for name, _ in evidence.alignment.problem.graph.outputs)
    if None not in evidence.quantities or has_derivatives:
        return set()
    meant = [(place, each) for place, each in enumerate(evidence.quantities) if each and each.kind == VALUE]
    steps = {stem_and_number(entries[k].quantity.name)[0] for k, each in meant if each.slot in evidence.sheet.cells}
    aligner = evidence.alignment.aligner
    names = {k: row.quantity.name for k, row in enumerate(entries) if not evidence.quantities[k] and _is_of_values(row)}
    is_quick = len({*names.values()}) * len(aligner.rows) ** 2 <= _MOST_PAIRS
    rows = [row for row in aligner.rows if row.name in names.values()]
    strange = {row.name for row in rows if not is_quick or aligner.support(row) < _BOTH_WAYS}
    last = meant[-1][0] if steps else 0
    unknown = ((place, name) for place, name in names.items() if name in strange)
    return {k for k, name in unknown if stem_and_number(name)[0] in steps or name in RESULTS or k < last}


def _is_of_values(entry: Entry) -> bool:
    """Return whether a row is a value and uses values only, and no constant: `F = -V'` and `g = 9.81` are not steps."""
    is_constant = states_constant(entry.quantity.name, shown_number(entry))
    return not is_constant and all(quantity.kind == VALUE for quantity in (entry.quantity, *entry.symbols))


def _is_arithmetic(entry: Entry) -> bool:
    """Return whether a row has several pieces, all of them readable and made of numbers only."""
    return len(entry.pieces) > 1 and not any(piece.quantities or piece.problem for piece in entry.pieces)


def _alone(entry: Entry) -> str:
    """Return the text of a row's last piece without its sign; "" if the row has a formula."""
    formulas = any(piece.quantities for piece in entry.pieces)
    return "" if formulas else _last_text(entry)


def _last_text(entry: Entry) -> str:
    """Return the last piece of a row as typed, without signs before it; "" without pieces."""
    return text_of(entry.pieces[-1]).lstrip("-+\N{MINUS SIGN}") if entry.pieces else ""


# --- order of the rows ------------------------------------------------------------------------------------------------


_STAGES = {VALUE: 0, PARTIAL: 1, DOT: 1, BAR: 2}
MOST_REPEATED = 8  # rows of one quantity that another may repeat


# --- rows that others take the place of -------------------------------------------------------------------------------


def rows_without_effect(
    entries: Sequence[Entry], quantities: Sequence[Resolved | None], judged: Judged
) -> dict[int, str]:
    """Return {place: `superseded` or `extra`} for the rows that do not count.

    Rows of one quantity and symbol are compared; `quantities` has what each of `entries` gives (None: nothing; such
    rows are not compared), `judged` the marks so far, by place. In this order:
    - Empty rows are superseded if a row is filled in.
    - Rows that could not be read, or are judged unreadable, are extra if another row is read.
    - A row that repeats an earlier one is extra (`_repeats`).
    - A row supersedes those before it that show another number; rows without a number neither supersede nor are
      superseded. Adjoints may be parts of a sum: one that is not judged supersedes nothing, and of judged ones only a
      crossed one is superseded. The later row must not use the adjoint itself, must not be an error after one
      without a number, and needs a right formula if it is carried (`_supersedes_adjoint`).
    """
    effectless: dict[int, str] = {}
    pairs = enumerate(zip(entries, quantities, strict=True))
    rows = grouped(((each, entry.quantity), place) for place, (entry, each) in pairs if each is not None)
    for (each, _), places in rows.items():
        effectless |= _without_content(places, entries, judged)
        filled = [place for place in places if place not in effectless and entries[place].pieces]
        standing: list[int] = []
        for place in filled:
            if _repeats(place, standing, entries, judged, each):
                effectless[place] = "extra"
                continue
            is_sum = each.kind == BAR and place not in judged
            gone = [] if is_sum else _superseded_places(place, standing, entries, judged)
            effectless |= dict.fromkeys(gone, "superseded")
            standing = [other for other in standing if other not in gone] + [place]
    return effectless


def is_read(entry: Entry) -> bool:
    """Return whether a row has a number or a formula that could be read."""
    return any(piece.number is not None or piece.graph is not None for piece in entry.pieces)


def _without_content(places: Sequence[int], entries: Sequence[Entry], judged: Judged) -> dict[int, str]:
    """Return {place: verdict} for those of `places` that say nothing while another one says something.

    Rows without pieces are `superseded` if a row has pieces, read or not. Rows with pieces of which none could be read,
    or that are judged unreadable, are `extra` if another row with pieces was read. `judged` has marks by place; those
    of some rows may be missing.
    """
    filled = [place for place in places if entries[place].pieces]
    unreadable = {place for place, mark in judged.items() if mark.verdict == "unreadable"}
    unread = [place for place in filled if not is_read(entries[place]) or place in unreadable]
    effectless = {place: "superseded" for place in places if filled and place not in filled}
    return effectless | (dict.fromkeys(unread, "extra") if len(unread) < len(filled) else {})


def _superseded_places(place: int, standing: Sequence[int], entries: Sequence[Entry], judged: Judged) -> list[int]:
    """Return which of the rows at the places `standing`, which count so far, the row at `place` supersedes.

    These are rows with another number; if both are judged adjoints, only crossed ones (`_supersedes`). [] if the row at
    `place` shows no number, unless it is a judged adjoint.
    """
    entry, mark = entries[place], judged.get(place)
    if shown_number(entry) is None and not (mark is not None and mark.kind == BAR):
        return []  # none gives way to a row without a number
    return [other for other in standing if _supersedes(entries[other], entry, judged.get(other), mark)]


def _repeats(place: int, standing: Sequence[int], entries: Sequence[Entry], judged: Judged, quantity: Resolved) -> bool:
    """Return whether the row at `place` only repeats one of the last 8 rows in `standing`.

    `standing` has the places of the earlier rows of `quantity` that still count. The row repeats one in either case:

    - It is one of them rounded (`_is_rounded`), and that one has a good verdict (GOOD); both are in `judged`.
    - It says the same again (`_says_again`). An adjoint with the verdict error in `judged` counts only if one of the
      rows that it says again has the verdict error, too: after a right row it should have been a longer sum.
    """
    last = [other for other in standing[-MOST_REPEATED:] if place in judged and other in judged]
    if any(judged[other].verdict in GOOD and _is_rounded(entries[place], entries[other]) for other in last):
        return True
    again = [other for other in standing[-MOST_REPEATED:] if _says_again(entries[place], entries[other])]
    if quantity.kind == BAR and place in judged and judged[place].verdict == "error":
        return any(judged[other].verdict == "error" for other in again)  # else a sum should have gone on
    return bool(again)


def _says_again(entry: Entry, earlier: Entry) -> bool:
    """Return whether a row has the number and symbol of an `earlier` row, which also has all formulas of the row.

    Numbers are equal if value and last place are (2.0 is not 2). Symbols and formulas, arithmetic too, are compared as
    texts without blanks. False if the row shows no number.
    """
    one, other = shown_number(entry), shown_number(earlier)
    if one is None or one != other or text_of(entry) != text_of(earlier):
        return False
    formulas, known = ([text_of(piece) for piece in row.pieces if piece.number is None] for row in (entry, earlier))
    return all(text in known for text in formulas)


def _is_rounded(entry: Entry, earlier: Entry) -> bool:
    """Return whether a row has no formula, and its number is that of an `earlier` row with fewer places."""
    one, other = shown_number(entry), shown_number(earlier)
    is_coarser = one is not None and other is not None and one.unit > other.unit and not differ(one, other)
    return is_coarser and all(piece.number is not None for piece in entry.pieces)


def text_of(part: RowPiece | Entry) -> str:
    """Return the text of a piece, or of the symbol of a row, without blanks."""
    return "".join(part.span.text.split())


def _supersedes(earlier: Entry, later: Entry, old: Mark | None, new: Mark | None) -> bool:
    """Return whether the `later` row of a symbol supersedes the `earlier` one.

    `old` and `new` are the marks of the earlier and the later row, None if not judged yet. Adjoints that are both
    judged: see `_supersedes_adjoint`. All other rows, also adjoints of which one is not judged: both show numbers, and
    these differ by more than rounding (`differ`), or only the later row is right: the earlier one is an error, or has
    a wrong formula while that of the later one is right.
    """
    one, other = shown_number(earlier), shown_number(later)
    if old is None or new is None:
        return one is not None and other is not None and differ(one, other)
    if old.kind == BAR:
        return new.verdict != "extra" and _supersedes_adjoint(earlier, later, old, new)
    was_wrong = old.verdict == "error" or (old.verdict == "formula" and new.formula == "right")
    is_corrected = was_wrong and new.verdict in GOOD
    return one is not None and other is not None and (is_corrected or differ(one, other))


def _supersedes_adjoint(earlier: Entry, later: Entry, old: Mark, new: Mark) -> bool:
    """Return whether the `later` row of an adjoint, with the mark `new`, supersedes the `earlier` one, marked `old`.

    The earlier one must be crossed, and not written as a contribution or be a part of the later sum (`_may_be_part`).
    The later one must not add to the adjoint. If the earlier row shows no number, or sets its formula to 0, it must
    have a formula and not be an error. It need not show a number.
    """
    if old.verdict not in CROSSED or earlier.adds or later.adds or later.quantity in later.symbols:
        return False
    is_number = all(piece.graph is None for piece in later.pieces)  # f'(1) = 2 after f'(x) = …
    is_formula = shown_number(earlier) is None or _sets_to_0(earlier)
    goes_on = is_formula and (is_number or new.verdict == "error")
    return not goes_on and not _may_be_part(earlier, later, old, new)


def _may_be_part(earlier: Entry, later: Entry, old: Mark, new: Mark) -> bool:
    """Return whether an adjoint may be a part of the sum in a `later` row, which is carried or follows a right number.

    It may be if the formula of the later row is not right or contains the earlier number, or if the earlier number is
    right and the later row shows another one.
    """
    if new.verdict != "carried" and old.verdict != "formula":
        return False
    number = _last_text(earlier)
    texts = {constant.text for piece in later.pieces if piece.graph for constant in piece.graph.constants.values()}
    is_other = old.verdict == "formula" and number != _last_text(later)
    return is_other or new.formula != "right" or number in texts


def _sets_to_0(entry: Entry) -> bool:
    """Return whether a row has a formula and the number 0, as `f'(x) = 2x + 4 = 0`."""
    numbers = {piece.number.value for piece in entry.pieces if piece.number is not None}
    return 0 in numbers and any(piece.graph is not None for piece in entry.pieces)


def is_of_row(name: str, entries: Sequence[Entry], evidence: Evidence) -> bool:
    """Return whether an undefined name may be that of a row that is not written, or names without a sign between.

    True for each name that is not the symbol of a unit. Of these symbols, True for several letters if one of them is a
    name of the answer (RT, T), and for a letter from one before the first to one after the last letter that is the name
    of a row (d after a, c); False for all others."""
    if UNIT.fullmatch(f"1 {name}", 1) is None:
        return True
    if name.isalpha() and len(name) > 1 and evidence.names.intersection(name):
        return True
    letters = sorted(ord(entry.quantity.name) for entry in entries if len(entry.quantity.name) == 1)
    return len(name) == 1 and bool(letters) and letters[0] - 1 <= ord(name) <= letters[-1] + 1


# --- the order in which rows are judged -------------------------------------------------------------------------------


def by_dependence(quantities: Sequence[Resolved | None], sheet: Worksheet) -> list[int]:
    """Return the places of the rows in the order in which they are judged.

    Values come first, then partials and tangents mixed, then adjoints, then rows that mean nothing (None in
    `quantities`). In each group a row comes after those of its kind that it uses; of the rows that are ready, the first
    in the answer is next. Rows of one quantity come together, at its first place. Quantities that depend on themselves,
    and those that depend on such quantities, are left out.
    """
    places = grouped((each, place) for place, each in enumerate(quantities) if each is not None)
    uses = {each: _used_quantities(each, places, sheet) for each in places}
    users = grouped((one, each) for each, used in uses.items() for one in used)
    pending_counts = {each: len(used) for each, used in uses.items()}
    ready = [(_STAGES[each.kind], places[each][0], each) for each, count in pending_counts.items() if not count]
    heapify(ready)
    order: list[int] = []
    while ready:
        _, _, each = heappop(ready)
        order += places[each]
        for user in users.get(each, ()):
            pending_counts[user] -= 1
            if not pending_counts[user]:
                heappush(ready, (_STAGES[user.kind], places[user][0], user))
    order.sort(key=lambda place: _STAGES[quantities[place].kind])  # type: ignore[union-attr]
    return order + [place for place, each in enumerate(quantities) if each is None]


def _used_quantities(quantity: Resolved, written: Collection[Resolved], sheet: Worksheet) -> list[Resolved]:
    """Return the quantities in `written` that `quantity` is computed from, each once, in no special order.

    For a quantity that is not written the search goes on to those that it uses; it stops at written ones. Only
    quantities of its own kind are followed (values for a value, adjoints of the users for an adjoint). [] for a
    partial, and for the value or tangent of an input.
    """
    used: dict[Resolved, None] = {}
    stack, seen = [quantity], {quantity}
    while stack:
        for each in used_directly(stack.pop(), sheet):
            if each in written:
                used[each] = None
            elif each not in seen:
                seen.add(each)
                stack.append(each)
    return list(used)
