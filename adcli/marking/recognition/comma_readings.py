"""Commas in the numbers of an answer: other readings than decimal commas throughout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...answers.answer import COMMAS
from ...answers.collector import RawSection
from ...answers.numerals import without_thousands
from ...answers.row_tokens import BETWEEN_DIGITS

_THOUSANDS = "commas in its numbers are read as marks of thousands: 7,500 as 7500"
_MIXED = "its numbers are read with decimal points and decimal commas"


def with_other_commas(part: RawSection) -> Iterator[tuple[RawSection, tuple[str, ...]]]:
    """Yield (a copy of the section without commas between digits, a note on it) for each reading of these commas.

    In the first they separate thousands; it is left out if one cannot do so. In the second they are decimal commas
    next to decimal points; it is left out if there is no such point, or fewer than two pieces have commas. A piece with
    brackets is no number: its commas may separate arguments."""
    pieces = [piece.text for row in part.rows for piece in row.pieces if BETWEEN_DIGITS.search(piece.text)]
    if pieces and not any(
        "(" in text or "[" in text or BETWEEN_DIGITS.search(without_thousands(text)) for text in pieces
    ):
        yield part.with_texts(without_thousands), (_THOUSANDS,)
    has_points = any(f".{digit}" in piece.text for row in part.rows for piece in row.pieces for digit in "0123456789")
    if has_points and len(pieces) > 1:
        yield part.with_texts(_with_points), (_MIXED,)


def joined_notes(notes: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return `notes` and `others`, but of two that say how commas are read only the one in `others`."""
    is_other = not {_THOUSANDS, _MIXED}.isdisjoint(others)
    return (*(note for note in notes if note != COMMAS or not is_other), *others)


def _with_points(text: str) -> str:
    return text if "(" in text or "[" in text else BETWEEN_DIGITS.sub(".", text)
