"""Comma readings: other meanings of commas and points in the numbers of an answer than decimal marks throughout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...answers.answer import COMMAS
from ...answers.collector import RawSection
from ...answers.numerals import without_thousands
from ...answers.row_tokens import BETWEEN_DIGITS

_THOUSANDS = "commas in its numbers are read as marks of thousands: 7,500 as 7500"
_MIXED = "its numbers are read with decimal points and decimal commas"
_POWERS = "6.10^3 is read as 6·10^3"


def with_other_commas(part: RawSection) -> Iterator[tuple[RawSection, tuple[str, ...]]]:
    """Yield (a copy of the section without commas between digits, a note on it) for each reading of these commas,
    and one for points before powers of ten.

    In the first they separate thousands; it is left out if one cannot do so. In the second they are decimal commas
    next to decimal points; it is left out if there is no such point, or fewer than two pieces have commas. A piece with
    brackets is no number: its commas may separate arguments."""
    texts = [piece.text for row in part.rows for piece in row.pieces]
    numbers = [text for text in texts if BETWEEN_DIGITS.search(text)]
    if numbers and all(map(_has_thousands, numbers)):
        yield part.with_texts(without_thousands), (_THOUSANDS,)
    if len(numbers) > 1 and any(rest[:1].isdecimal() for text in texts for rest in text.split(".")[1:]):
        yield part.with_texts(_with_points), (_MIXED,)
    if any(".10^" in text for text in texts):
        yield part.with_texts(lambda text: text.replace(".10^", "*10^")), (_POWERS,)


def _has_thousands(text: str) -> bool:
    """Return whether all commas between digits of a text may separate thousands, and it has no bracket."""
    return not ("(" in text or "[" in text or BETWEEN_DIGITS.search(without_thousands(text)))


def join_notes(notes: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return `notes` and `others`, but of two that say how commas are read only the one in `others`."""
    is_other = not {_THOUSANDS, _MIXED}.isdisjoint(others)
    return (*(note for note in notes if note != COMMAS or not is_other), *others)


def _with_points(text: str) -> str:
    """Return a text with points instead of the commas between digits; unchanged if it has a bracket."""
    return text if "(" in text or "[" in text else BETWEEN_DIGITS.sub(".", text)
