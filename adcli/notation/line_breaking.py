"""Sums that are too long for a line, in several."""

from __future__ import annotations

from .formula_pieces import (
    BETWEEN,
    CLOSING,
    DOTTED_TIMES,
    MINUS_SIGN,
    OPENING,
    RELATING,
    TIMES,
    Application,
    Fence,
    Fraction,
    Joined,
    NamePiece,
    NumberPiece,
    Piece,
    Sign,
    Text,
    inner,
    leaves_of,
)

LEADING = "leading"  # the sign of a sum's first term, where it goes on from another

_SUMS = ("+", "−")


def sides(piece: Piece) -> tuple[list[Piece], list[Piece]]:
    """What stands before the first sign of a relation, and what from there on; all of it where there is none."""
    parts: list[Piece] = [piece]
    if isinstance(piece, Joined):
        parts = [*piece.parts]
    for place, part in enumerate(parts):
        if isinstance(part, Sign) and part.kind == RELATING:
            return parts[:place], parts[place:]
    return [], parts


def lines(piece: Piece, width: int) -> list[Piece]:
    """A sum in lines of so many signs, as far as its terms allow; each line but the first begins with its sign.

    Where a term is longer than a line, so is the sum in brackets among its factors.
    """
    found: list[list[Piece]] = [[]]
    room = width
    for term in _terms(piece, width):
        wide = breadth(Joined(tuple(term)))
        if found[-1] and wide > room:
            found.append([])
            room = width
        found[-1] += term
        room -= wide
    return [Joined(tuple(line)) for line in found]


def _terms(piece: Piece, width: int) -> list[list[Piece]]:
    """The terms of a sum, each with the sign before it; what is too wide in as many as its own sum has."""
    found: list[list[Piece]] = []
    stack: list[tuple[list[Piece], Piece, list[Piece]]] = [([], piece, [])]  # what stands before and after a sum
    while stack:
        before, inside, after = stack.pop()
        terms = _sum(inside)
        for place, (sign, term) in enumerate(terms):
            head = [*(before if place == 0 else []), *sign]
            tail = after if place == len(terms) - 1 else []
            opened = _opened(term) if breadth(term) > width else None
            if opened is None:
                found.append([*head, term, *tail])
                continue
            factors_before, own, factors_after = opened
            # the remaining terms come after those of this one
            rest = terms[place + 1 :]
            if rest:
                stack.append(([], _summed(rest), after))
                tail = []
            stack.append(([*head, *factors_before], own, [*factors_after, *tail]))
            break
    return found


def _sum(piece: Piece) -> list[tuple[list[Piece], Piece]]:
    """The terms of a sum, each with the sign before it."""
    found: list[tuple[list[Piece], Piece]] = []
    while isinstance(piece, Joined):
        if len(piece.parts) == 1:
            piece = piece.parts[0]
            continue
        sign = piece.parts[1] if len(piece.parts) == 3 else None
        if isinstance(sign, Sign) and sign.kind == BETWEEN and sign.text in _SUMS:
            found.append(([sign], piece.parts[2]))
            piece = piece.parts[0]
        elif len(piece.parts) == 2 and isinstance(piece.parts[0], Sign) and piece.parts[0].kind == LEADING:
            found.append(([piece.parts[0]._replace(kind=BETWEEN)], piece.parts[1]))
            return found[::-1]
        else:
            break
    return [([], piece), *found[::-1]]


def _opened(term: Piece) -> tuple[list[Piece], Piece, list[Piece]] | None:
    """The factors before and after a sum in brackets, with the brackets, and that sum: the widest one of a product."""
    factors: list[Piece] = []
    while isinstance(term, Joined) and len(term.parts) == 3 and term.parts[1] in (TIMES, DOTTED_TIMES):
        factors += [term.parts[2], term.parts[1]]
        term = term.parts[0]
    if isinstance(term, Joined) and len(term.parts) == 2 and not factors and term.parts[0] == MINUS_SIGN:
        inside = _opened(term.parts[1])
        return None if inside is None else ([MINUS_SIGN, *inside[0]], *inside[1:])
    factors = [*factors, term][::-1]
    sums = [k for k, factor in enumerate(factors) if isinstance(factor, Fence) and len(_sum(factor.inside)) > 1]
    if not sums:
        return None
    widest = max(sums, key=lambda k: breadth(factors[k]))
    fence = factors[widest]
    assert isinstance(fence, Fence)  # it is one of the sums  # noqa: S101
    opening, closing = Sign(fence.opening, OPENING), Sign(fence.closing, CLOSING)
    return [*factors[:widest], opening], fence.inside, [closing, *factors[widest + 1 :]]


def _summed(terms: list[tuple[list[Piece], Piece]]) -> Piece:
    """Terms as a sum again, whose first one has a sign too."""
    (sign, first), *others = terms
    total: Piece = Joined((*[s._replace(kind=LEADING) for s in sign if isinstance(s, Sign)], first))
    for between, term in others:
        total = Joined((total, *between, term))
    return total


def breadth(piece: Piece) -> int:
    """About how many signs stand side by side in a piece; the wider half of a fraction counts."""
    total = 0
    stack: list[Piece] = [piece]
    while stack:
        item = stack.pop()
        if isinstance(item, Fraction):
            stack.append(max(item.above, item.below, key=_signs))
            continue
        stack.extend(inner(item))
        total += _length(item)
    return total


def _signs(piece: Piece) -> int:
    return sum(_length(leaf) for leaf in leaves_of(piece))


def _length(piece: Piece) -> int:
    if isinstance(piece, Sign):
        return 3 if piece.text and piece.kind in (BETWEEN, RELATING) else 1
    if isinstance(piece, Application):
        return len(piece.symbol) + 1
    if isinstance(piece, Fence):
        return 2
    return len(piece.text) if isinstance(piece, NamePiece | NumberPiece | Text) else 0
