"""Uncreditable rows: those that earn nothing although their number is right or follows, such as copies and guesses. A
place is the index of a row; marks are given by place. A row is crossed if it is an error or its formula is wrong,
carried if it is wrong only since an earlier one is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...answers.answer_model import BAR, DOT, VALUE, Entry, Numeral
from ...answers.shown_numbers import differ
from ...trace.labels import node_names
from ...typings import TYPE_CHECKING
from ..model import CROSSED, Mark, row_name
from ..programs.resolving import Resolved
from ..programs.value_rows import RESULTS, shown_number, stem_and_number
from .hint_texts import FALSE_EQUATION, write_feedback
from .row_order import MOST_REPEATED, text_of

if TYPE_CHECKING:
    from .evidence import Evidence

_WRONG = ("error", "carried")
_NO_MEANING = "nothing in the problem is called {}"
_UNKNOWN_STEP = "{}: not counted; no step of the problem has this number, and no formula says what it is"
_BOTH_WAYS = 2  # the support of a row that fits in with those before and after it
_MOST_PAIRS = 20_000  # pairs of numbers that are tried; with more it is not known whether a row fits in
_SEPARATE = str.maketrans("+-−*·×/^()[],;=", " " * 15)
_USUAL = ("0", "1")  # numbers that many rows have


def find_copies(entries: Sequence[Entry], judged: Mapping[int, Mark]) -> set[int]:
    """Return the places of rows without a formula whose number is that of another, wrong row (error or carried),
    whatever its sign.

    `judged` has marks by place; texts of the last pieces are compared. A correct row with the number 0 or 1 is not a
    copy if that number alone is correct in more than twice as many rows as it is wrong in.
    """
    wrong = [place for place, mark in judged.items() if mark.verdict in _WRONG]
    known = Counter(_last_text(entries[place]) for place in wrong)
    alone = {place: _alone(entries[place]) for place in judged}
    right = Counter(text for place, text in alone.items() if judged[place].verdict == "correct")
    common = {text for text in _USUAL if 2 * known[text] < right[text]}  # a right one of these is not a copy
    copies = {place: text for place, text in alone.items() if text and known[text] > (judged[place].verdict in _WRONG)}
    return {place for place, text in copies.items() if text not in common or judged[place].verdict != "correct"}


def find_repeats(entries: Sequence[Entry], judged: Mapping[int, Mark], evidence: Evidence) -> set[int]:
    """Return the places of the rows that add nothing to an earlier row of the same quantity; `judged` has the marks by
    place.

    Such a row has the number of one of the last 8 of these, and shows no working that they lack; or it has no number
    and only names what other rows compute. Exempt is an adjoint that is an error, or whose equal number now has too few
    digits: the earlier row was right as a partial sum only.
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


def mark_echoes(entries: Sequence[Entry], judged: Mapping[int, Mark], evidence: Evidence) -> dict[int, Mark]:
    """Return new marks, by place, for errors of a number or arithmetic alone that an earlier crossed row of the same
    quantity implies: they are carried and earn nothing. `judged` has the present marks by place.

    The earlier row is one of the last 8 of its quantity without a number, and its formula gives this number in the
    student's numbers.
    """
    crossed: dict[Resolved | None, list[int]] = {}
    marks: dict[int, Mark] = {}
    for place, mark in judged.items():
        quantity, number = evidence.quantities[place], shown_number(entries[place])
        if mark.verdict not in CROSSED or quantity is None:
            continue
        if mark.verdict == "error" and number is not None and not any(p.quantities for p in entries[place].pieces):
            shown = evidence.case(place).shown
            cases = [evidence.case(other) for other in crossed.get(quantity, ())[-MOST_REPEATED:]]
            if any(case.number is None and evidence.is_explained(case._replace(shown=shown)) for case in cases):
                feedback = write_feedback(entries[place].span.text.strip(), "carried", "absent", (), None)
                nothing = Fraction(0)
                marks[place] = mark._replace(
                    verdict="carried", slips=(), feedback=feedback, earned=nothing, alone=nothing
                )
                continue
        if number is None:
            crossed.setdefault(quantity, []).append(place)
    return marks


def find_guesses(entries: Sequence[Entry], judged: Mapping[int, Mark]) -> set[int]:
    """Return the places of rows judged `precision` whose number an error of the answer also has: 1e1 for 0.7.

    Numbers are compared as texts without sign; rows with a formula are neither guesses nor compared.
    """
    wrong = {_alone(entries[place]) for place, mark in judged.items() if mark.verdict == "error"} - {""}
    return {place for place, mark in judged.items() if mark.verdict == "precision" and _alone(entries[place]) in wrong}


def find_unrelated(
    entries: Sequence[Entry], judged: Mapping[int, Mark], evidence: Evidence, *, numbers: bool
) -> set[int]:
    """Return the places of wrong values that have nothing to do with the problem, such as a step of Newton's method.

    `judged` has marks by place. Such a row is an error without slips, its name is not one of the problem's (nor v1, v2,
    …), and no other row uses it or contains its number. Besides, it is a true equation of numbers only; or, with
    `numbers`, it is a number alone, its name is neither usual for a result nor in a series with other names, and
    another row has the right final value.
    """
    graph = evidence.alignment.problem.graph
    named = {*graph.aliases.values(), *graph.inputs.values(), *dict(graph.outputs), *node_names(graph)}
    named |= {quantity.name for entry in entries for quantity in entry.symbols}
    words = [" ".join(map(text_of, entry.pieces)).translate(_SEPARATE).split() for entry in entries]
    places = [place for place, mark in judged.items() if mark.verdict == "error" and not mark.slips]
    places = [k for k in places if entries[k].quantity.kind == VALUE and entries[k].quantity.name not in named]
    counts = Counter(word for row in words for word in {*row})
    places = [k for k in places if counts[_last_text(entries[k])] == (_last_text(entries[k]) in words[k])]
    lone = _lone_numbers(places, entries, judged) if numbers else set()
    return lone | {place for place in places if _is_arithmetic(entries[place]) and evidence.holds(place, ())}


def _lone_numbers(places: Sequence[int], entries: Sequence[Entry], judged: Mapping[int, Mark]) -> set[int]:
    """Return those of `places` whose rows are only a number, under a name that is not usual for a result and is in no
    series with other names (v1, v2 or a, b); none if no row of a final value is right in `judged`.
    """
    if not any(mark.kind == "final" and mark.number == "right" for mark in judged.values()):
        return set()
    names = {entry.quantity.name for entry in entries if entry.quantity.kind == VALUE}.difference(RESULTS)
    stems = Counter(stem_and_number(name)[0] for name in names)
    lone = {name for name in names if stems[stem_and_number(name)[0]] == 1}
    only = (place for place in places if len(entries[place].pieces) == 1)
    return {k for k in only if entries[k].pieces[0].number is not None and entries[k].quantity.name in lone}


def mark_without_meaning(entry: Entry, holds: bool, is_unknown_step: bool) -> Mark:
    """Return the mark of a row that means nothing in the problem: extra if its equations hold, else an error with a
    wrong number.

    Its name is the student's, its kind dot or bar, or else value; it earns nothing. The feedback of an extra row in
    `find_unknown_steps` (`is_unknown_step`) says that its number is not that of any step.
    """
    message = FALSE_EQUATION if not holds else _UNKNOWN_STEP if is_unknown_step else _NO_MEANING
    kind, name, key = entry.quantity
    verdict, number = ("extra", "absent") if holds else ("error", "wrong")
    row, kind = row_name(kind, name, key, False), kind if kind in (DOT, BAR) else VALUE
    return Mark(row, kind, verdict, entry.span, number=number, feedback=message.format(name))


def find_unknown_steps(entries: Sequence[Entry], evidence: Evidence) -> set[int]:
    """Return the places of value rows of only a number, without a meaning, that may be steps with a wrong number.

    Such a row does not fit as a step of another way to the results (`Candidates.support` below 2; with more than 20,000
    pairs to try no row is taken to fit, nor one with a formula). And its name is of the series of a row that is a step
    (b next to a), or a usual name of a result; or some row is a step and this one is before a value row with a meaning.
    A number such as h = 0.001 after all values is not one. None if higher derivatives are requested: a row f is then
    the function, which is not a step.
    """
    has_derivatives = any("/" in name for name, _ in evidence.alignment.problem.graph.outputs)
    if None not in evidence.quantities or has_derivatives:
        return set()
    meant = [place for place, each in enumerate(evidence.quantities) if each and each.kind == VALUE]
    steps = {stem_and_number(entries[place].quantity.name)[0] for place in meant if _is_step(place, evidence)}
    aligner = evidence.alignment.aligner
    nameless = [place for place, each in enumerate(evidence.quantities) if each is None]
    names = {place: entries[place].quantity.name for place in nameless if entries[place].quantity.kind == VALUE}
    is_quick = len({*names.values()}) * len(aligner.rows) ** 2 <= _MOST_PAIRS
    rows = [row for row in aligner.rows if row.name in names.values()]
    strange = {row.name for row in rows if not is_quick or aligner.support(row) < _BOTH_WAYS}
    return {
        place
        for place, name in names.items()
        if name in strange and (stem_and_number(name)[0] in steps or name in RESULTS or (steps and place < meant[-1]))
    }


def _is_step(place: int, evidence: Evidence) -> bool:
    """Return whether the row at `place`, which has a meaning, is of a row of the program: not of an input."""
    quantity = evidence.quantities[place]
    return quantity is not None and quantity.slot in evidence.sheet.cells


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
