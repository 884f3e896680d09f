"""Rows that earn nothing by themselves, though what they show is right or follows: it needs no knowledge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..model import Entry, Mark, RowPiece

_WRONG = ("error", "carried")
_USUAL = ("0", "1")  # numbers that many rows have


def copies(entries: Sequence[Entry], judged: Mapping[int, Mark]) -> set[int]:
    """The rows without a formula that repeat what another row, a wrong one, shows, but for its sign."""
    wrong = [place for place, mark in judged.items() if mark.verdict in _WRONG]
    known = Counter(_last(entries[place]) for place in wrong)
    alone = {place: _alone(entries[place]) for place in judged}
    right = Counter(text for place, text in alone.items() if judged[place].verdict == "correct")
    common = {text for text in _USUAL if known[text] < right[text]}  # a right one of these is no copy
    return {
        place
        for place, text in alone.items()
        if text
        and known[text] > (judged[place].verdict in _WRONG)
        and not (text in common and judged[place].verdict == "correct")
    }


def guesses(entries: Sequence[Entry], judged: Mapping[int, Mark]) -> set[int]:
    """The rows with too few digits whose number the answer gives for something quite different as well: 1e1 for 0.7."""
    wrong = {_alone(entries[place]) for place, mark in judged.items() if mark.verdict == "error"}
    return {place for place, mark in judged.items() if mark.verdict == "precision" and _alone(entries[place]) in wrong}


def _alone(entry: Entry) -> str:
    """What a row shows, where that is no formula, without its sign; else nothing."""
    formulas = any(piece.quantities for piece in entry.pieces)
    return "" if formulas else _last(entry)


def _last(entry: Entry) -> str:
    return _text(entry.pieces[-1]).lstrip("-+\N{MINUS SIGN}") if entry.pieces else ""


def _text(piece: RowPiece) -> str:
    span = piece.span
    return "".join(span.source.text[span.start : span.end].split())
