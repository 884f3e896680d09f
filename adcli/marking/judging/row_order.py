"""Order of the rows of an answer: which are judged first, and which supersede earlier ones. A place is the index of a
row, its quantity what it means in the problem, its symbol how that is written. A superseded row is replaced by a later
one of its quantity; an extra one repeats one or cannot be read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush

from ...answers.answer_model import BAR, DOT, VALUE, Entry, RowPiece
from ...answers.shown_numbers import differ
from ...records import grouped
from ..model import Mark
from ..programs.resolving import PARTIAL, Resolved, used_directly
from ..programs.value_rows import shown_number
from ..programs.worksheet import Worksheet

_STAGES = {VALUE: 0, PARTIAL: 1, DOT: 1, BAR: 2}
MOST_REPEATED = 8  # rows of one quantity that another may repeat


# --- rows that others take the place of -------------------------------------------------------------------------------


def rows_without_effect(
    entries: Sequence[Entry], quantities: Sequence[Resolved | None], judged: Mapping[int, Mark]
) -> dict[int, str]:
    """Return {place: `superseded` or `extra`} for the rows that do not count; `judged` has the marks so far, by place.

    Only rows of one quantity and symbol are compared; `quantities` has what each of `entries` gives, None for nothing.
    Empty rows are superseded if any is filled in; those that could not be read, or are judged unreadable, are extra if
    any other is read. A row that repeats an earlier one is extra. A row with another number supersedes those before it;
    but adjoints may be parts of a sum, and only an earlier error is superseded, once both are judged.
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


def _without_content(places: Sequence[int], entries: Sequence[Entry], judged: Mapping[int, Mark]) -> dict[int, str]:
    """Return {place: `superseded`} for empty rows if one of `places` is filled in, and {place: `extra`} for those that
    could not be read, or are judged unreadable, if one is read.
    """
    filled = [place for place in places if entries[place].pieces]
    unread = [place for place in filled if not is_read(entries[place]) or _is_unreadable(judged.get(place))]
    effectless = {place: "superseded" for place in places if filled and place not in filled}
    return effectless | (dict.fromkeys(unread, "extra") if len(unread) < len(filled) else {})


def _is_unreadable(mark: Mark | None) -> bool:
    return mark is not None and mark.verdict == "unreadable"


def _superseded_places(
    place: int, standing: Sequence[int], entries: Sequence[Entry], judged: Mapping[int, Mark]
) -> list[int]:
    """Return which of the places `standing`, rows that count so far, the row at `place` supersedes.

    These are rows with another number; of judged adjoints only errors (`_supersedes`). [] if the row at `place` shows
    no number, unless it is a judged adjoint.
    """
    entry, mark = entries[place], judged.get(place)
    if shown_number(entry) is None and not (mark is not None and mark.kind == BAR):
        return []  # none gives way to a row without a number
    return [other for other in standing if _supersedes(entries[other], entry, judged.get(other), mark)]


def _repeats(
    place: int, standing: Sequence[int], entries: Sequence[Entry], judged: Mapping[int, Mark], quantity: Resolved
) -> bool:
    """Return whether the row at `place` says the same as one of the last 8 in `standing`, all rows of `quantity`.

    An adjoint judged an error repeats only another error, as its sum should have gone on.
    """
    again = [other for other in standing[-MOST_REPEATED:] if _says_again(entries[place], entries[other])]
    if quantity.kind == BAR and place in judged and judged[place].verdict == "error":
        return any(judged[other].verdict == "error" for other in again)  # else a sum should have gone on
    return bool(again)


def _says_again(entry: Entry, earlier: Entry) -> bool:
    """Return whether a row has the number and symbol of an earlier row, and no formula that that row lacks.

    Texts are compared without blanks. False if the row shows no number.
    """
    one, other = shown_number(entry), shown_number(earlier)
    if one is None or one != other or text_of(entry) != text_of(earlier):
        return False
    formulas, known = ([text_of(piece) for piece in row.pieces if piece.number is None] for row in (entry, earlier))
    return all(text in known for text in formulas)


def text_of(part: RowPiece | Entry) -> str:
    """Return the text of a piece, or of the symbol of a row, without blanks."""
    return "".join(part.span.text.split())


def _supersedes(earlier: Entry, later: Entry, old: Mark | None, new: Mark | None) -> bool:
    """Return whether the `later` row of a symbol supersedes the `earlier` one; `old` and `new` are their marks, None if
    not judged yet.

    A row does if both show numbers and these differ. Instead, of two judged adjoints, the earlier one must be an error,
    and the later one must not be carried, use the adjoint itself (a sum), or be an error after a row without a number.
    """
    one, other = shown_number(earlier), shown_number(later)
    if old is not None and new is not None and old.kind == BAR:
        if old.verdict != "error":
            return False
        adds = later.quantity in later.symbols
        goes_on = new.verdict == "carried" or (new.verdict == "error" and one is None)  # f'(x) = … before f'(1) = …
        return not goes_on and not adds
    return one is not None and other is not None and differ(one, other)


# --- the order in which rows are judged -------------------------------------------------------------------------------


def by_dependence(quantities: Sequence[Resolved | None], sheet: Worksheet) -> list[int]:
    """Return the places of the rows in the order in which they are judged.

    Values come first, then partials and tangents, then adjoints, then rows that mean nothing (None in `quantities`);
    each after those that it uses, else as written, and rows of one quantity together, at its first place. Quantities
    that depend on themselves, and those that depend on them, are left out.
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
    """Return the quantities in `written` that `quantity` is computed from, each once, in any order.

    From a quantity that is not written the search goes on to what that uses; it stops at written ones. Only quantities
    of its own kind are followed (values for a value, adjoints for an adjoint); [] for an input.
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
